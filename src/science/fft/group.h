/* Groups of lanes from memory through the nodes of batch.h and back (fft_simd.c takes this in for each type). */

/* v as a matrix of WIDTH rows: transposed. */
INLINE void NAME(transpose)(V *v)
{
    V w[WIDTH];
    UNROLL for (int stage = 1; stage < WIDTH; stage *= 2) {
        UNROLL for (int i = 0; i < WIDTH / 2; i++) {
            w[2 * i] = SHUFFLE(v[i], v[i + WIDTH / 2], LOW);
            w[2 * i + 1] = SHUFFLE(v[i], v[i + WIDTH / 2], HIGH);
        }
        UNROLL for (int i = 0; i < WIDTH; i++) v[i] = w[i];
    }
}

/* Of lanes that lie apart, what the next group reads or writes where this one is at `p`. */
INLINE void NAME(ask)(const char *p, int64_t next, int bytes, const int write)
{
    for (int at = 0; at < bytes; at += 64) __builtin_prefetch(p + next + at, write, 2);
}

/* n complex elements of each lane to vectors; `conjugate` negates imaginary parts. */
static void NAME(read_complex)(const cpi_fft_group *g, V *to, int64_t n, bool swap, bool conjugate)
{
    const int a = swap, b = !swap;
    const T sign = conjugate ? -1 : 1;
    int64_t i = 0;
    if (g->in_beside) {
        for (; i < n; i++) {
            V re, im;
            NAME(read_pairs)(g->in[0] + i * g->in_step, &re, &im);
            to[2 * i + a] = re, to[2 * i + b] = im * sign;
        }
    } else if (g->in_step == 2 * (int64_t)sizeof(T)) {
        for (; i + WIDTH <= n; i += WIDTH) {
            V re[WIDTH], im[WIDTH];
            UNROLL for (int l = 0; l < WIDTH; l++) {
                if (g->in_next) NAME(ask)(g->in[l] + i * g->in_step, g->in_next, 2 * VECTOR_BYTES, 0);
                NAME(read_pairs)(g->in[l] + i * g->in_step, &re[l], &im[l]);
            }
            NAME(transpose)(re);
            NAME(transpose)(im);
            UNROLL for (int k = 0; k < WIDTH; k++) to[2 * (i + k) + a] = re[k], to[2 * (i + k) + b] = im[k] * sign;
        }
    }
    for (; i < n; i++) {
        T *re = (T *)(to + 2 * i + a), *im = (T *)(to + 2 * i + b);
        for (int l = 0; l < WIDTH; l++) {
            const S *p = (const S *)(g->in[l] + i * g->in_step);
            re[l] = p[0], im[l] = p[1] * sign;
        }
    }
}

/* n real elements of each lane, `step` vectors apart. */
static void NAME(read_real)(const cpi_fft_group *g, V *to, int64_t n, int step)
{
    int64_t i = 0;
    if (g->in_beside) {
        for (; i < n; i++) to[i * step] = *(const U *)(g->in[0] + i * g->in_step);
    } else if (g->in_step == (int64_t)sizeof(T)) {
        for (; i + WIDTH <= n; i += WIDTH) {
            V v[WIDTH];
            UNROLL for (int l = 0; l < WIDTH; l++) {
                if (g->in_next) NAME(ask)(g->in[l] + i * g->in_step, g->in_next, VECTOR_BYTES, 0);
                v[l] = *(const U *)(g->in[l] + i * g->in_step);
            }
            NAME(transpose)(v);
            UNROLL for (int k = 0; k < WIDTH; k++) to[(i + k) * step] = v[k];
        }
    }
    for (; i < n; i++)
        for (int l = 0; l < WIDTH; l++) ((T *)(to + i * step))[l] = *(const S *)(g->in[l] + i * g->in_step);
}

static void NAME(write_complex)(const cpi_fft_group *g, const V *from, int64_t n, bool swap)
{
    const int a = swap, b = !swap;
    const T scale = (T)g->scale;
    int64_t i = 0;
    if (g->out_beside) {
        for (; i < n; i++)
            NAME(write_pairs)(g->out[0] + i * g->out_step, from[2 * i + a] * scale, from[2 * i + b] * scale);
    } else if (g->out_step == 2 * (int64_t)sizeof(T)) {
        for (; i + WIDTH <= n; i += WIDTH) {
            V re[WIDTH], im[WIDTH];
            UNROLL for (int k = 0; k < WIDTH; k++)
                re[k] = from[2 * (i + k) + a] * scale, im[k] = from[2 * (i + k) + b] * scale;
            NAME(transpose)(re);
            NAME(transpose)(im);
            for (int l = 0; l < g->count; l++) {
                if (g->out_next && !g->stream)
                    NAME(ask)(g->out[l] + i * g->out_step, g->out_next, 2 * VECTOR_BYTES, 1);
                if (g->stream) NAME(stream_pairs)(g->out[l] + i * g->out_step, re[l], im[l]);
                else NAME(write_pairs)(g->out[l] + i * g->out_step, re[l], im[l]);
            }
        }
    }
    for (; i < n; i++) {
        const T *re = (const T *)(from + 2 * i + a), *im = (const T *)(from + 2 * i + b);
        for (int l = 0; l < g->count; l++) {
            S *p = (S *)(g->out[l] + i * g->out_step);
            p[0] = re[l] * scale, p[1] = im[l] * scale;
        }
    }
    STREAMED(g->stream);
}

/* Real element i is vector at[i / 2 * 2 * step + (i odd ? odd : even)]; step 0: from[2 * i + even]. */
static void NAME(write_real)(const cpi_fft_group *g, const V *from, int64_t n, bool halved)
{
    /* of a backward transform by swapped parts the first of a pair is the second vector */
#define REAL(i) (halved ? from[((i) ^ 1)] : from[2 * (i) + 1])
    const T scale = (T)g->scale;
    int64_t i = 0;
    if (g->out_beside) {
        for (; i < n; i++) *(U *)(g->out[0] + i * g->out_step) = REAL(i) * scale;
    } else if (g->out_step == (int64_t)sizeof(T)) {
        for (; i + WIDTH <= n; i += WIDTH) {
            V v[WIDTH];
            UNROLL for (int k = 0; k < WIDTH; k++) v[k] = REAL(i + k) * scale;
            NAME(transpose)(v);
            for (int l = 0; l < g->count; l++) {
                if (g->out_next) NAME(ask)(g->out[l] + i * g->out_step, g->out_next, VECTOR_BYTES, 1);
                *(U *)(g->out[l] + i * g->out_step) = v[l];
            }
        }
    }
    for (; i < n; i++) {
        V v = REAL(i) * scale;
        for (int l = 0; l < g->count; l++) *(S *)(g->out[l] + i * g->out_step) = ((const T *)&v)[l];
    }
#undef REAL
}

/* --- the three kinds --- */

static void NAME(group_complex)(const cpi_fft_group *g, V *x, V *scratch)
{
    const int64_t n = g->plan->n;
    const bool swap = g->sign > 0;
    source from = {.v = x, .step = 1};
    target to = {.v = x, .step = 1};
    if (g->in_beside) from = (source){.memory = g->in[0], .bytes = g->in_step, .swap = swap, .far = g->far};
    else NAME(read_complex)(g, x, n, swap, false);
    if (g->out_beside)
        to = (target){.memory = g->out[0], .bytes = g->out_step, .swap = swap, .far = g->far && g->in[0] != g->out[0],
                      .stream = g->stream, .scale = (T)g->scale};
    NAME(run)(g->plan->node, &from, &to, scratch);
    if (!g->out_beside) NAME(write_complex)(g, x, n, swap);
    else STREAMED(g->stream);
}

/* Real to complex. Of even n pairs of reals are complex numbers: Z[k] = E[k] + i O[k], X[k] = E[k] + w^k O[k], of the
 * transforms of the even and of the odd places. At x lie n real vectors, of odd n as complex ones; the n / 2 + 1
 * results are where it tells, at x or y. */
static V *NAME(forward)(const cpi_fft_plan *p, V *x, V *y, V *scratch, T sign)
{
    const int64_t n = p->n, h = n / 2;
    source from = {.v = x, .step = 1};
    target to = {.v = y, .step = 1};
    NAME(run)(p->node, &from, &to, scratch);
    if (p->inner == n) {
        for (int64_t k = 0; k <= h; k++) y[2 * k + 1] *= sign;
        return y;
    }
    const T *w = p->half, half = (T)0.5;
    for (int64_t k = 0; k <= h; k++) {
        const V *a = y + 2 * (k == h ? 0 : k), *b = y + 2 * (k ? h - k : 0);
        V er = (a[0] + b[0]) * half, ei = (a[1] - b[1]) * half, or = (a[1] + b[1]) * half, oi = (b[0] - a[0]) * half;
        TURN(or, oi, w[2 * k], w[2 * k + 1]);
        x[2 * k] = er + or, x[2 * k + 1] = (ei + oi) * sign;
    }
    return x;
}

static void NAME(group_forward)(const cpi_fft_group *g, V *x, V *y, V *scratch)
{
    const int64_t n = g->plan->n;
    const bool odd = g->plan->inner == n;
    NAME(read_real)(g, x, n, odd ? 2 : 1);
    for (int64_t i = 0; odd && i < n; i++) x[2 * i + 1] = (V){0};
    NAME(write_complex)(g, NAME(forward)(g->plan, x, y, scratch, g->sign > 0 ? -1 : 1), n / 2 + 1, false);
}

/* n / 2 + 1 complex vectors at x to n real ones, which write_real finds there. */
static void NAME(backward)(const cpi_fft_plan *p, V *x, V *y, V *scratch)
{
    const int64_t n = p->n, h = n / 2;
    source from = {.v = y, .step = 1};
    target to = {.v = x, .step = 1};
    x[1] = (V){0};
    if (p->inner == n) {
        y[0] = x[1], y[1] = x[0]; /* swapped */
        for (int64_t k = 1; k <= h; k++) {
            y[2 * k] = x[2 * k + 1], y[2 * k + 1] = x[2 * k];
            y[2 * (n - k)] = -x[2 * k + 1], y[2 * (n - k) + 1] = x[2 * k];
        }
    } else {
        const T *w = p->half;
        x[2 * h + 1] = (V){0};
        for (int64_t k = 0; k < h; k++) {
            const V *a = x + 2 * k, *b = x + 2 * (h - k);
            V er = a[0] + b[0], ei = a[1] - b[1], or = a[0] - b[0], oi = a[1] + b[1];
            TURN(or, oi, w[2 * k], -w[2 * k + 1]);
            y[2 * k] = ei + or, y[2 * k + 1] = er - oi;
        }
    }
    NAME(run)(p->node, &from, &to, scratch);
}

static void NAME(group_backward)(const cpi_fft_group *g, V *x, V *y, V *scratch)
{
    const cpi_fft_plan *p = g->plan;
    NAME(read_complex)(g, x, p->n / 2 + 1, false, g->sign < 0);
    NAME(backward)(p, x, y, scratch);
    NAME(write_real)(g, x, p->n, p->inner != p->n);
}

static void NAME(group)(const cpi_fft_group *g)
{
    const int64_t most = g->plan->n + 2;
    V *x = (V *)g->scratch, *y = x + 2 * most;
    if (g->plan->kind == CPI_FFT_C2C) NAME(group_complex)(g, x, x + 2 * most);
    else if (g->plan->kind == CPI_FFT_R2C) NAME(group_forward)(g, x, y, y + 2 * most);
    else NAME(group_backward)(g, x, y, y + 2 * most);
}

static int64_t NAME(group_bytes)(const cpi_fft_plan *p)
{
    return (2 * (p->n + 2) + p->node->scratch) * 2 * (int64_t)sizeof(V);
}

/* --- columns far apart --- */

/* Groups side by side: their rows, which are whole lines of a cache, come into scratch and go back once each, and those
 * that follow are asked for meanwhile. */
static int64_t NAME(wide_pitch)(const cpi_fft_plan *p) { return 2 * (p->n + 1); }

static int64_t NAME(wide_bytes)(const cpi_fft_plan *p, int groups)
{
    return (groups * NAME(wide_pitch)(p) + 2 * p->node->scratch) * (int64_t)sizeof(V);
}

enum { NAME(ROWS_AHEAD) = 12 };

static void NAME(wide)(const cpi_fft_group *g, int groups)
{
    const int64_t n = g->plan->n, pitch = NAME(wide_pitch)(g->plan), bytes = 2 * VECTOR_BYTES;
    const bool swap = g->sign > 0;
    const T scale = (T)g->scale;
    V *x = (V *)g->scratch, *scratch = x + groups * pitch;
    for (int64_t i = 0; i < n; i++) {
        const char *row = g->in[0] + i * g->in_step;
        for (int k = 0; k < groups; k++) {
            V *to = x + k * pitch + 2 * i;
            if (i + NAME(ROWS_AHEAD) < n)
                NAME(ask)(row + k * bytes, NAME(ROWS_AHEAD) * g->in_step, 2 * VECTOR_BYTES, 0);
            NAME(read_pairs)(row + k * bytes, to + swap, to + !swap);
        }
    }
    for (int k = 0; k < groups; k++) {
        source from = {.v = x + k * pitch, .step = 1};
        target to = {.v = x + k * pitch, .step = 1};
        NAME(run)(g->plan->node, &from, &to, scratch);
    }
    for (int64_t i = 0; i < n; i++) {
        char *row = g->out[0] + i * g->out_step;
        for (int k = 0; k < groups; k++) {
            const V *from = x + k * pitch + 2 * i;
            if (i + NAME(ROWS_AHEAD) < n && !g->stream)
                NAME(ask)(row + k * bytes, NAME(ROWS_AHEAD) * g->out_step, 2 * VECTOR_BYTES, 1);
            if (g->stream) NAME(stream_pairs)(row + k * bytes, from[swap] * scale, from[!swap] * scale);
            else NAME(write_pairs)(row + k * bytes, from[swap] * scale, from[!swap] * scale);
        }
    }
    STREAMED(g->stream);
}
