/* One long lane of n1 n2 elements (fft_simd.c takes this in for each type): as n1 rows of n2 its columns are
 * transformed, WIDTH of them side by side, turned, and laid down so that WIDTH rows lie side by side, which are
 * transformed next. Blocks of WIDTH times WIDTH are transposed on the way, in registers; nothing else is shuffled. */

static int64_t NAME(middle_bytes)(const cpi_fft_long *l)
{
    return ((l->n1 + WIDTH - 1) / WIDTH) * l->n2 * 2 * (int64_t)sizeof(V);
}

static int64_t NAME(segment_bytes)(const cpi_fft_long *l)
{
    int64_t n = l->n1 > l->n2 ? l->n1 : l->n2, a = l->a->scratch, b = l->b->scratch;
    return (n + (a > b ? a : b) + FFT_LOW + l->n1 / FFT_LOW + 1) * 2 * (int64_t)sizeof(V);
}

/* exp(-2 pi i e / n) of two tables. */
INLINE void NAME(root)(const cpi_fft_long *l, int64_t e, double *re, double *im)
{
    const double *a = l->coarse + 2 * (e >> l->shift), *b = l->fine + 2 * (e & (((int64_t)1 << l->shift) - 1));
    *re = a[0] * b[0] - a[1] * b[1];
    *im = a[0] * b[1] + a[1] * b[0];
}

/* What the columns from j on are turned by, for k = low, then for k = FFT_LOW * high. */
static void NAME(fill_turns)(const cpi_fft_long *l, int64_t j, V *low, V *high)
{
    for (int64_t k = 0; k < FFT_LOW + l->n1 / FFT_LOW + 1; k++) {
        V *to = k < FFT_LOW ? low + 2 * k : high + 2 * (k - FFT_LOW);
        int64_t times = k < FFT_LOW ? k : (k - FFT_LOW) * FFT_LOW;
        for (int i = 0; i < WIDTH; i++) {
            double re = 1, im = 0;
            if (times < l->n1 && j + i < l->n2) NAME(root)(l, (j + i) * times, &re, &im);
            ((T *)to)[i] = (T)re, ((T *)(to + 1))[i] = (T)im;
        }
    }
}

/* Rows k.. of WIDTH columns, turned, to the middle. */
INLINE void NAME(lay_block)(const cpi_fft_segment *s, const V *x, const V *low, const V *high, int64_t k, int64_t j,
                            int count)
{
    const cpi_fft_long *l = s->l;
    V re[WIDTH], im[WIDTH];
    UNROLL for (int i = 0; i < WIDTH; i++) {
        if (k + i >= l->n1) {
            re[i] = im[i] = (V){0};
            continue;
        }
        re[i] = x[2 * (k + i)], im[i] = x[2 * (k + i) + 1];
        V wr, wi;
        if (l->re && count == WIDTH) {
            wr = *(const U *)((const T *)l->re + (k + i) * l->n2 + j);
            wi = *(const U *)((const T *)l->im + (k + i) * l->n2 + j);
        } else if (l->re) {
            wr = wi = (V){0};
            memcpy(&wr, (const T *)l->re + (k + i) * l->n2 + j, (size_t)count * sizeof(T));
            memcpy(&wi, (const T *)l->im + (k + i) * l->n2 + j, (size_t)count * sizeof(T));
        } else {
            const V *a = low + 2 * ((k + i) % FFT_LOW), *b = high + 2 * ((k + i) / FFT_LOW);
            wr = FNMA(a[1], b[1], a[0] * b[0]);
            wi = FMA(a[0], b[1], a[1] * b[0]);
        }
        TURN(re[i], im[i], wr, wi);
    }
    NAME(transpose)(re);
    NAME(transpose)(im);
    V *to = (V *)s->middle + 2 * (k / WIDTH * l->n2 + j);
    if (count == WIDTH) {
        UNROLL for (int i = 0; i < WIDTH; i++) to[2 * i] = re[i], to[2 * i + 1] = im[i];
    } else {
        for (int i = 0; i < count; i++) to[2 * i] = re[i], to[2 * i + 1] = im[i];
    }
}

/* Of the lane that follows a short one its share for group g is asked for. */
INLINE void NAME(ask_next)(const cpi_fft_segment *s, int64_t g, const int write)
{
    if (!s->next) return;
    const int64_t bytes = s->l->n * 2 * (int64_t)sizeof(T), groups = s->end - s->first;
    const int64_t end = (g + 1 - s->first) * bytes / groups;
    for (int64_t at = (g - s->first) * bytes / groups; at < end; at += 64) __builtin_prefetch(s->next + at, write, 2);
}

static void NAME(columns)(const cpi_fft_segment *s)
{
    const cpi_fft_long *l = s->l;
    V *x = (V *)s->scratch, *low = x + 2 * l->n1, *high = low + 2 * FFT_LOW, *more = high + 2 * (l->n1 / FFT_LOW + 1);
    for (int64_t g = s->first; g < s->end; g++) {
        int64_t j = g * WIDTH;
        int count = l->n2 - j < WIDTH ? (int)(l->n2 - j) : WIDTH;
        source from = {.memory = s->in + j * 2 * (int64_t)sizeof(T), .bytes = l->n2 * 2 * (int64_t)sizeof(T),
                       .swap = s->swap, .far = s->far};
        target to = {.v = x, .step = 1};
        NAME(ask_next)(s, g, 0);
        if (count < WIDTH) {
            for (int64_t k = 0; k < l->n1; k++) {
                const S *p = (const S *)(from.memory + k * from.bytes);
                V pair[2] = {{0}, {0}};
                for (int i = 0; i < count; i++)
                    ((T *)&pair[s->swap])[i] = p[2 * i], ((T *)&pair[!s->swap])[i] = p[2 * i + 1];
                x[2 * k] = pair[0], x[2 * k + 1] = pair[1];
            }
            from = (source){.v = x, .step = 1};
        }
        NAME(run)(l->a, &from, &to, more);
        if (!l->re) NAME(fill_turns)(l, j, low, high);
        for (int64_t k = 0; k < l->n1; k += WIDTH) NAME(lay_block)(s, x, low, high, k, j, count);
    }
}

static void NAME(rows)(const cpi_fft_segment *s)
{
    const cpi_fft_long *l = s->l;
    V *x = (V *)s->scratch, *more = x + 2 * l->n2;
    const T scale = (T)s->scale;
    for (int64_t g = s->first; g < s->end; g++) {
        int64_t k = g * WIDTH;
        int count = l->n1 - k < WIDTH ? (int)(l->n1 - k) : WIDTH;
        source from = {.v = (const V *)s->middle + 2 * g * l->n2, .step = 1, .far = s->far};
        NAME(ask_next)(s, g, 1);
        target to = {.memory = s->out + k * 2 * (int64_t)sizeof(T), .bytes = l->n1 * 2 * (int64_t)sizeof(T),
                     .swap = s->swap, .far = s->far, .stream = s->stream, .scale = scale};
        if (count == WIDTH) {
            NAME(run)(l->b, &from, &to, more);
            continue;
        }
        target here = {.v = x, .step = 1};
        NAME(run)(l->b, &from, &here, more);
        for (int64_t j = 0; j < l->n2; j++) {
            S *p = (S *)(to.memory + j * to.bytes);
            const T *re = (const T *)(x + 2 * j + s->swap), *im = (const T *)(x + 2 * j + !s->swap);
            for (int i = 0; i < count; i++) p[2 * i] = re[i] * scale, p[2 * i + 1] = im[i] * scale;
        }
    }
    STREAMED(s->stream);
}

static void NAME(multiply)(void *to, const void *a, const void *b, int64_t n, int64_t first, int64_t end, bool before,
                           bool behind, double scale)
{
    const char *pa = a, *pb = b;
    char *pt = to;
    const int64_t pair = 2 * sizeof(T);
    int64_t k = first, stop = end < n ? end : n;
    const T by = (T)scale;
    for (; k + WIDTH <= stop; k += WIDTH) {
        V ar, ai, br, bi;
        NAME(read_pairs)(pa + k * pair, &ar, &ai);
        NAME(read_pairs)(pb + k * pair, &br, &bi);
        V re = before ? ai : ar, im = before ? ar : ai;
        TURN(re, im, br, bi);
        re *= by, im *= by;
        if (behind) NAME(write_pairs)(pt + k * pair, im, re);
        else NAME(write_pairs)(pt + k * pair, re, im);
    }
    for (; k < stop; k++) {
        const S *x = (const S *)(pa + k * pair), *w = (const S *)(pb + k * pair);
        S *r = (S *)(pt + k * pair);
        T xr = x[before], xi = x[!before], re = (xr * w[0] - xi * w[1]) * by, im = (xr * w[1] + xi * w[0]) * by;
        r[behind] = re, r[!behind] = im;
    }
    if (end > k) memset(pt + k * pair, 0, (size_t)((end - k) * pair));
}

/* --- real lanes of even length: see group_forward --- */

/* Places k and h - k of both tables at once; h - k may be k. */
INLINE void NAME(after_pair)(V ar, V ai, V br, V bi, V wr, V wi, T sign, V *re, V *im, V *re2, V *im2)
{
    const T half = (T)0.5;
    V er = (ar + br) * half, ei = (ai - bi) * half, or = (ai + bi) * half, oi = (br - ar) * half;
    TURN(or, oi, wr, wi);
    *re = er + or, *im = (ei + oi) * sign;
    *re2 = er - or, *im2 = (oi - ei) * sign;
}
INLINE void NAME(before_pair)(V ar, V ai, V br, V bi, V wr, V wi, V *re, V *im, V *re2, V *im2)
{
    V er = ar + br, ei = ai - bi, or = ar - br, oi = ai + bi;
    TURN(or, oi, wr, -wi);
    *re = er - oi, *im = ei + or;
    *re2 = er + oi, *im2 = or - ei;
}

static void NAME(after_real)(void *x, const void *half, int64_t h, int64_t first, int64_t end, int sign)
{
    const int64_t pair = 2 * sizeof(T);
    char *z = x;
    const char *w = half;
    const T s = sign > 0 ? -1 : 1;
    int64_t k = first;
    if (k == 0) {
        S *p = (S *)z, *q = (S *)(z + h * pair);
        T re = p[0], im = p[1];
        p[0] = re + im, p[1] = 0;
        q[0] = re - im, q[1] = 0;
        k = 1;
    }
    for (; k < end; k += WIDTH) {
        V ar, ai, br, bi, wr, wi, re, im, re2, im2;
        if (k + WIDTH <= end && h - k - WIDTH + 1 > k + WIDTH - 1) {
            char *p = z + k * pair, *q = z + (h - k - WIDTH + 1) * pair;
            NAME(read_pairs)(p, &ar, &ai);
            NAME(read_pairs)(q, &br, &bi);
            NAME(read_pairs)(w + k * pair, &wr, &wi);
            br = SHUFFLE(br, br, BACK), bi = SHUFFLE(bi, bi, BACK);
            NAME(after_pair)(ar, ai, br, bi, wr, wi, s, &re, &im, &re2, &im2);
            NAME(write_pairs)(p, re, im);
            NAME(write_pairs)(q, SHUFFLE(re2, re2, BACK), SHUFFLE(im2, im2, BACK));
            continue;
        }
        for (int64_t i = k; i < end && i < k + WIDTH; i++) {
            S *p = (S *)(z + i * pair), *q = (S *)(z + (h - i) * pair);
            const S *r = (const S *)(w + i * pair);
            ar = (V){0} + p[0], ai = (V){0} + p[1], br = (V){0} + q[0], bi = (V){0} + q[1];
            NAME(after_pair)(ar, ai, br, bi, (V){0} + r[0], (V){0} + r[1], s, &re, &im, &re2, &im2);
            q[0] = re2[0], q[1] = im2[0];
            p[0] = re[0], p[1] = im[0];
        }
    }
}

static void NAME(before_real)(void *to, const void *x, const void *half, int64_t h, int64_t first, int64_t end,
                              int sign)
{
    const int64_t pair = 2 * sizeof(T);
    char *z = to;
    const char *a = x, *w = half;
    const T s = sign < 0 ? -1 : 1;
    int64_t k = first;
    if (k == 0) {
        const S *p = (const S *)a, *q = (const S *)(a + h * pair);
        S *r = (S *)z;
        r[0] = p[0] + q[0], r[1] = p[0] - q[0];
        k = 1;
    }
    for (; k < end; k += WIDTH) {
        V ar, ai, br, bi, wr, wi, re, im, re2, im2;
        if (k + WIDTH <= end && h - k - WIDTH + 1 > k + WIDTH - 1) {
            int64_t back = h - k - WIDTH + 1;
            NAME(read_pairs)(a + k * pair, &ar, &ai);
            NAME(read_pairs)(a + back * pair, &br, &bi);
            NAME(read_pairs)(w + k * pair, &wr, &wi);
            br = SHUFFLE(br, br, BACK), bi = SHUFFLE(bi, bi, BACK);
            NAME(before_pair)(ar, ai * s, br, bi * s, wr, wi, &re, &im, &re2, &im2);
            NAME(write_pairs)(z + k * pair, re, im);
            NAME(write_pairs)(z + back * pair, SHUFFLE(re2, re2, BACK), SHUFFLE(im2, im2, BACK));
            continue;
        }
        for (int64_t i = k; i < end && i < k + WIDTH; i++) {
            const S *p = (const S *)(a + i * pair), *q = (const S *)(a + (h - i) * pair);
            const S *r = (const S *)(w + i * pair);
            S *zp = (S *)(z + i * pair), *zq = (S *)(z + (h - i) * pair);
            ar = (V){0} + p[0], ai = (V){0} + p[1] * s, br = (V){0} + q[0], bi = (V){0} + q[1] * s;
            NAME(before_pair)(ar, ai, br, bi, (V){0} + r[0], (V){0} + r[1], &re, &im, &re2, &im2);
            zq[0] = re2[0], zq[1] = im2[0];
            zp[0] = re[0], zp[1] = im[0];
        }
    }
}

#undef V
#undef U
#undef S
#undef source
#undef target
#undef TURN
