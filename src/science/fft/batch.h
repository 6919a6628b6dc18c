/* Transforms of lanes side by side (fft_simd.c takes this in for each type): everything is done to whole vectors, so no
 * radix needs a shuffle. A complex vector is two: the lanes' real parts, then their imaginary parts.
 *
 * Passes are Stockham's, out of one memory into another: of n = r m elements of which s transforms lie interleaved, to
 * s r of length m. The first reads from where the lanes are, the last writes where they go. */

#define V NAME(V)
#define U NAME(U)
#define S NAME(S)
typedef T V __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef T U __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias)); /* anywhere in memory */
typedef T S __attribute__((aligned(1), may_alias));

/* Where complex vectors are read: element i at v[2 * i * step], or, v NULL, interleaved at memory + i * bytes. */
#define source NAME(source)
typedef struct source {
    const V *v;
    int64_t step;
    const char *memory;
    int64_t bytes;
    bool swap, far; /* far: not in the cache */
} source;

/* Where they go: the same, element i times turn[i * turn_step] where there is a table, or times scale in memory. */
#define target NAME(target)
typedef struct target {
    V *v;
    int64_t step;
    const T *turn;
    int64_t turn_step;
    char *memory;
    int64_t bytes;
    bool swap, far, stream; /* stream: see STREAM */
    T scale;
} target;

INLINE void NAME(split)(V a, V b, V *re, V *im)
{
    *re = SHUFFLE(a, b, EVEN);
    *im = SHUFFLE(a, b, ODD);
}

INLINE void NAME(read_pairs)(const char *p, V *re, V *im)
{
    NAME(split)(*(const U *)p, *(const U *)(p + VECTOR_BYTES), re, im);
}

INLINE void NAME(write_pairs)(char *p, V re, V im)
{
    *(U *)p = SHUFFLE(re, im, LOW);
    *(U *)(p + VECTOR_BYTES) = SHUFFLE(re, im, HIGH);
}

/* The same past the caches: p is a multiple of 64. */
INLINE void NAME(stream_pairs)(char *p, V re, V im)
{
    STREAM(p, SHUFFLE(re, im, LOW));
    STREAM(p + VECTOR_BYTES, SHUFFLE(re, im, HIGH));
}

INLINE void NAME(load)(const source *s, int64_t i, V *re, V *im)
{
    if (s->v) {
        const V *p = s->v + 2 * i * s->step;
        *re = p[0], *im = p[1];
    } else if (s->swap) NAME(read_pairs)(s->memory + i * s->bytes, im, re);
    else NAME(read_pairs)(s->memory + i * s->bytes, re, im);
}

/* (re, im) times (wr, wi), the factor a number or a vector. */
#define TURN(re, im, wr, wi)                                                                                        \
    do {                                                                                                            \
        V turn_r_ = (V){0} + (wr), turn_i_ = (V){0} + (wi), turned_ = FNMA(im, turn_i_, (re) * turn_r_);             \
        im = FMA(re, turn_i_, (im) * turn_r_);                                                                      \
        re = turned_;                                                                                               \
    } while (0)

INLINE void NAME(store)(const target *t, int64_t i, V re, V im)
{
    if (t->v) {
        if (t->turn) {
            const T *w = t->turn + 2 * i * t->turn_step;
            TURN(re, im, w[0], w[1]);
        }
        V *p = t->v + 2 * i * t->step;
        p[0] = re, p[1] = im;
    } else {
        re *= t->scale, im *= t->scale;
        if (t->stream) NAME(stream_pairs)(t->memory + i * t->bytes, t->swap ? im : re, t->swap ? re : im);
        else if (t->swap) NAME(write_pairs)(t->memory + i * t->bytes, im, re);
        else NAME(write_pairs)(t->memory + i * t->bytes, re, im);
    }
}

/* --- butterflies: r elements in place, in natural order --- */

INLINE void NAME(two)(V *re, V *im, int a, int b)
{
    V r = re[a] - re[b], i = im[a] - im[b];
    re[a] += re[b], im[a] += im[b];
    re[b] = r, im[b] = i;
}

INLINE void NAME(fly_2)(V *re, V *im, const T *w) { (void)w, NAME(two)(re, im, 0, 1); }

INLINE void NAME(fly_3)(V *re, V *im, const T *w)
{
    (void)w;
    const T s = (T)0.86602540378443864676372317075294;
    V ar = re[1] + re[2], ai = im[1] + im[2], br = re[1] - re[2], bi = im[1] - im[2];
    V h = (V){0} + (T)0.5, sv = (V){0} + s;
    V cr = FNMA(h, ar, re[0]), ci = FNMA(h, ai, im[0]);
    re[0] += ar, im[0] += ai;
    re[1] = FMA(sv, bi, cr), im[1] = FNMA(sv, br, ci);
    re[2] = FNMA(sv, bi, cr), im[2] = FMA(sv, br, ci);
}

/* Of elements a, b, c, d; results in that order. */
INLINE void NAME(four)(V *re, V *im, int a, int b, int c, int d)
{
    V pr = re[a] + re[c], pi = im[a] + im[c], qr = re[a] - re[c], qi = im[a] - im[c];
    V ur = re[b] + re[d], ui = im[b] + im[d], vr = re[b] - re[d], vi = im[b] - im[d];
    re[a] = pr + ur, im[a] = pi + ui;
    re[b] = qr + vi, im[b] = qi - vr;
    re[c] = pr - ur, im[c] = pi - ui;
    re[d] = qr - vi, im[d] = qi + vr;
}

INLINE void NAME(fly_4)(V *re, V *im, const T *w) { (void)w, NAME(four)(re, im, 0, 1, 2, 3); }

INLINE void NAME(fly_5)(V *re, V *im, const T *w)
{
    (void)w;
    V c1 = (V){0} + (T)0.30901699437494742410229341718282, c2 = (V){0} + (T)-0.80901699437494742410229341718282;
    V s1 = (V){0} + (T)0.95105651629515357211643933337938, s2 = (V){0} + (T)0.58778525229247312916870595463907;
    V ar = re[1] + re[4], ai = im[1] + im[4], br = re[1] - re[4], bi = im[1] - im[4];
    V cr = re[2] + re[3], ci = im[2] + im[3], dr = re[2] - re[3], di = im[2] - im[3];
    V pr = FMA(c2, cr, FMA(c1, ar, re[0])), pi = FMA(c2, ci, FMA(c1, ai, im[0]));
    V qr = FMA(c1, cr, FMA(c2, ar, re[0])), qi = FMA(c1, ci, FMA(c2, ai, im[0]));
    V ur = FMA(s2, dr, s1 * br), ui = FMA(s2, di, s1 * bi), vr = FNMA(s1, dr, s2 * br), vi = FNMA(s1, di, s2 * bi);
    re[0] += ar + cr, im[0] += ai + ci;
    re[1] = pr + ui, im[1] = pi - ur;
    re[4] = pr - ui, im[4] = pi + ur;
    re[2] = qr + vi, im[2] = qi - vr;
    re[3] = qr - vi, im[3] = qi + vr;
}

INLINE void NAME(fly_8)(V *re, V *im, const T *w)
{
    (void)w;
    V s = (V){0} + (T)0.70710678118654752440084436210485;
    NAME(four)(re, im, 0, 2, 4, 6);
    NAME(four)(re, im, 1, 3, 5, 7);
    /* results of the evens lie at 0, 2, 4, 6, of the odds at 1, 3, 5, 7: the odd ones turned by eighths */
    V r = (re[3] + im[3]) * s, i = (im[3] - re[3]) * s;
    re[3] = r, im[3] = i;
    r = im[5], im[5] = -re[5], re[5] = r;
    r = (im[7] - re[7]) * s, i = -(re[7] + im[7]) * s;
    re[7] = r, im[7] = i;
    NAME(two)(re, im, 0, 1);
    NAME(two)(re, im, 2, 3);
    NAME(two)(re, im, 4, 5);
    NAME(two)(re, im, 6, 7);
    /* X0 X4 X1 X5 X2 X6 X3 X7 */
    V x1 = re[2], x2 = re[4], x3 = re[6], x4 = re[1], x5 = re[3], x6 = re[5];
    re[1] = x1, re[2] = x2, re[3] = x3, re[4] = x4, re[5] = x5, re[6] = x6;
    x1 = im[2], x2 = im[4], x3 = im[6], x4 = im[1], x5 = im[3], x6 = im[5];
    im[1] = x1, im[2] = x2, im[3] = x3, im[4] = x4, im[5] = x5, im[6] = x6;
}

/* Any odd r, w its roots: sums and differences of the places k and r - k. */
INLINE void NAME(fly_odd)(V *re, V *im, const T *w, int r)
{
    V ar[FFT_GENERIC / 2 + 1], ai[FFT_GENERIC / 2 + 1], br[FFT_GENERIC / 2 + 1], bi[FFT_GENERIC / 2 + 1];
    V zr = re[0], zi = im[0], tr = zr, ti = zi;
    const int h = r / 2;
    UNROLL for (int k = 1; k <= h; k++) {
        ar[k] = re[k] + re[r - k], ai[k] = im[k] + im[r - k];
        br[k] = re[k] - re[r - k], bi[k] = im[k] - im[r - k];
        tr += ar[k], ti += ai[k];
    }
    re[0] = tr, im[0] = ti;
    UNROLL for (int j = 1; j <= h; j++) {
        V pr = zr, pi = zi, qr = (V){0}, qi = (V){0};
        int at = 0;
        UNROLL for (int k = 1; k <= h; k++) {
            at += j;
            at -= at >= r ? r : 0;
            V c = (V){0} + w[2 * at], s = (V){0} - w[2 * at + 1]; /* the roots' angles are negative */
            pr = FMA(c, ar[k], pr), pi = FMA(c, ai[k], pi);
            qr = FMA(s, br[k], qr), qi = FMA(s, bi[k], qi);
        }
        re[j] = pr + qi, im[j] = pi - qr;
        re[r - j] = pr - qi, im[r - j] = pi + qr;
    }
}
INLINE void NAME(fly_7)(V *re, V *im, const T *w) { NAME(fly_odd)(re, im, w, 7); }
INLINE void NAME(fly_11)(V *re, V *im, const T *w) { NAME(fly_odd)(re, im, w, 11); }
INLINE void NAME(fly_13)(V *re, V *im, const T *w) { NAME(fly_odd)(re, im, w, 13); }

/* --- passes --- */

/* What is read and written in one way is asked once a butterfly, not once an element. */
#define READ_ALL(R, first, apart)                                                                                   \
    do {                                                                                                            \
        if (from->v) {                                                                                              \
            const V *x_ = from->v + 2 * (first) * from->step;                                                        \
            const int64_t by_ = 2 * (apart) * from->step;                                                            \
            UNROLL for (int k = 0; k < (R); k++) re[k] = x_[k * by_], im[k] = x_[k * by_ + 1];                       \
        } else {                                                                                                    \
            const char *x_ = from->memory + (first) * from->bytes;                                                   \
            const int64_t by_ = (apart) * from->bytes;                                                               \
            if (from->swap) {                                                                                       \
                UNROLL for (int k = 0; k < (R); k++) NAME(read_pairs)(x_ + k * by_, &im[k], &re[k]);                 \
            } else {                                                                                                \
                UNROLL for (int k = 0; k < (R); k++) NAME(read_pairs)(x_ + k * by_, &re[k], &im[k]);                 \
            }                                                                                                       \
        }                                                                                                           \
    } while (0)
#define WRITE_ALL(R, first, apart)                                                                                  \
    do {                                                                                                            \
        if (to->v && !to->turn) {                                                                                   \
            V *x_ = to->v + 2 * (first) * to->step;                                                                  \
            const int64_t by_ = 2 * (apart) * to->step;                                                              \
            UNROLL for (int k = 0; k < (R); k++) x_[k * by_] = re[k], x_[k * by_ + 1] = im[k];                       \
        } else {                                                                                                    \
            UNROLL for (int k = 0; k < (R); k++) NAME(store)(to, (first) + k * (apart), re[k], im[k]);               \
        }                                                                                                           \
    } while (0)
#define PASS_BODY(R, FLY)                                                                                           \
    for (int64_t p = 0; p < m; p++) {                                                                               \
        const T *w = turns + 2 * p * ((R) - 1);                                                                     \
        for (int64_t q = 0; q < s; q++) {                                                                           \
            READ_ALL(R, q + s * p, s * m);                                                                          \
            FLY;                                                                                                    \
            if (p) {                                                                                                \
                UNROLL for (int k = 1; k < (R); k++) TURN(re[k], im[k], w[2 * k - 2], w[2 * k - 1]);                 \
            }                                                                                                       \
            WRITE_ALL(R, q + s * (R) * p, s);                                                                       \
        }                                                                                                           \
    }
#define PASS(R)                                                                                                     \
    static void NAME(pass_##R)(const source *from, const target *to, int64_t m, int64_t s, const T *turns,          \
                               const T *roots)                                                                      \
    {                                                                                                               \
        V re[R], im[R];                                                                                             \
        PASS_BODY(R, NAME(fly_##R)(re, im, roots))                                                                   \
    }
PASS(2) PASS(3) PASS(4) PASS(5) PASS(7) PASS(8) PASS(11) PASS(13)
#undef PASS

static void NAME(pass_any)(int r, const source *from, const target *to, int64_t m, int64_t s, const T *turns,
                           const T *roots)
{
    V re[FFT_GENERIC], im[FFT_GENERIC];
    PASS_BODY(r, NAME(fly_odd)(re, im, roots, r))
}
#undef PASS_BODY
#undef READ_ALL
#undef WRITE_ALL

static void NAME(pass)(const cpi_fft_node *n, int which, const source *from, const target *to, int64_t m, int64_t s)
{
    const T *turns = n->twiddle[which], *roots = n->roots[which];
    switch (n->radix[which]) {
    case 2: NAME(pass_2)(from, to, m, s, turns, roots); break;
    case 3: NAME(pass_3)(from, to, m, s, turns, roots); break;
    case 4: NAME(pass_4)(from, to, m, s, turns, roots); break;
    case 5: NAME(pass_5)(from, to, m, s, turns, roots); break;
    case 7: NAME(pass_7)(from, to, m, s, turns, roots); break;
    case 8: NAME(pass_8)(from, to, m, s, turns, roots); break;
    case 11: NAME(pass_11)(from, to, m, s, turns, roots); break;
    case 13: NAME(pass_13)(from, to, m, s, turns, roots); break;
    default: NAME(pass_any)(n->radix[which], from, to, m, s, turns, roots);
    }
}

/* --- nodes: source and target may be the same memory --- */

static void NAME(run)(const cpi_fft_node *n, const source *from, const target *to, V *scratch);

static void NAME(run_passes)(const cpi_fft_node *n, const source *from, const target *to, V *scratch)
{
    V *tmp[2] = {scratch, scratch + 2 * n->n};
    int64_t m = n->n, s = 1;
    source src = *from;
    if (!n->radices) {
        V re, im;
        NAME(load)(from, 0, &re, &im);
        NAME(store)(to, 0, re, im);
        return;
    }
    for (int i = 0; i < n->radices; i++) {
        bool last = i == n->radices - 1;
        target dst = {.v = tmp[i & 1], .step = 1};
        m /= n->radix[i];
        NAME(pass)(n, i, &src, last ? to : &dst, m, s);
        s *= n->radix[i];
        src = (source){.v = dst.v, .step = 1};
    }
}

/* Asks for count complex vectors from element `first`, `step` elements apart, which are read or written next. Steps of
 * this kind no processor foresees. */
#define AHEAD(s, first, step_, count, write)                                                                        \
    do {                                                                                                            \
        const char *at_ = (s)->v ? (const char *)((s)->v + 2 * (first) * (s)->step)                                  \
                                 : (const char *)(s)->memory + (first) * (s)->bytes;                                 \
        int64_t by_ = (step_) * ((s)->v ? (s)->step * 2 * (int64_t)sizeof(V) : (s)->bytes);                          \
        for (int64_t i_ = 0; i_ < (count); i_++, at_ += by_)                                                         \
        {                                                                                                           \
            for (int line_ = 0; line_ < 2 * VECTOR_BYTES; line_ += 64) __builtin_prefetch(at_ + line_, write, 2);    \
            __builtin_prefetch(at_ + 2 * VECTOR_BYTES - 1, write, 2);                                               \
        }                                                                                                           \
    } while (0)

/* The part of `from` that begins at element `at`, each `step` elements. */
INLINE source NAME(part_of)(const source *from, int64_t at, int64_t step)
{
    source part = *from;
    part.far = false;
    if (from->v) part.v = from->v + 2 * at * from->step, part.step = from->step * step;
    else part.memory = from->memory + at * from->bytes, part.bytes = from->bytes * step;
    return part;
}

static void NAME(run_split)(const cpi_fft_node *n, const source *from, const target *to, V *scratch)
{
    const int64_t n1 = n->a->n, n2 = n->b->n, pitch = n2 + 1; /* columns do not fall into the same places of a cache */
    V *middle = scratch;
    scratch += 2 * n1 * pitch;
    for (int64_t j = 0; j < n2; j++) {
        source part = NAME(part_of)(from, j, n2);
        if (from->far && j + 1 < n2) AHEAD(from, j + 1, n2, n1, 0);
        target row = {.v = middle + 2 * j, .step = pitch, .turn = (const T *)n->turn + 2 * j * n1, .turn_step = 1};
        NAME(run)(n->a, &part, &row, scratch);
    }
    for (int64_t k = 0; k < n1; k++) {
        source row = {.v = middle + 2 * k * pitch, .step = 1};
        if (to->far && !to->stream && k + 1 < n1) AHEAD(to, k + 1, n1, n2, 1);
        target part = *to;
        part.far = false;
        if (to->v) part.v = to->v + 2 * k * to->step, part.step = to->step * n1;
        else part.memory = to->memory + k * to->bytes, part.bytes = to->bytes * n1;
        if (to->turn) part.turn = to->turn + 2 * k * to->turn_step, part.turn_step = to->turn_step * n1;
        NAME(run)(n->b, &row, &part, scratch);
    }
}

/* x[k] chirp[k], convolved with the conjugate chirp, times chirp[k]. The backward transform is one of swapped parts. */
static void NAME(run_bluestein)(const cpi_fft_node *n, const source *from, const target *to, V *scratch)
{
    const int64_t m = n->a->n;
    const T *chirp = n->turn, *kernel = n->kernel;
    V *x = scratch, *y = scratch + 2 * m;
    scratch += 4 * m;
    for (int64_t k = 0; k < n->n; k++) {
        V re, im;
        NAME(load)(from, k, &re, &im);
        TURN(re, im, chirp[2 * k], chirp[2 * k + 1]);
        x[2 * k] = re, x[2 * k + 1] = im;
    }
    memset(x + 2 * n->n, 0, (size_t)(m - n->n) * 2 * sizeof(V));
    source at_x = {.v = x, .step = 1}, at_y = {.v = y, .step = 1};
    target to_x = {.v = x, .step = 1}, to_y = {.v = y, .step = 1};
    NAME(run)(n->a, &at_x, &to_y, scratch);
    for (int64_t k = 0; k < m; k++) {
        V re = y[2 * k], im = y[2 * k + 1];
        TURN(re, im, kernel[2 * k], kernel[2 * k + 1]);
        y[2 * k] = im, y[2 * k + 1] = re;
    }
    NAME(run)(n->a, &at_y, &to_x, scratch);
    for (int64_t k = 0; k < n->n; k++) {
        V re = x[2 * k + 1], im = x[2 * k];
        TURN(re, im, chirp[2 * k], chirp[2 * k + 1]);
        NAME(store)(to, k, re, im);
    }
}

static void NAME(run)(const cpi_fft_node *n, const source *from, const target *to, V *scratch)
{
    if (n->way == FFT_PASSES) NAME(run_passes)(n, from, to, scratch);
    else if (n->way == FFT_SPLIT) NAME(run_split)(n, from, to, scratch);
    else NAME(run_bluestein)(n, from, to, scratch);
}
