/* Kernels over packs of small matrices for one element type; a template that linalg_simd.c includes once for each.
 *
 * Takes T, the type of a part; PARTS, 1 or, of complex numbers, 2; MASK, the signed integer of T's size; NAME(f);
 * SQRT, ABS of T; LEAST and MOST, between which squares and products of two neither vanish nor overflow. E is an
 * element of all lanes' matrices. No lane's arithmetic depends on another lane: steps that only some lanes take are
 * taken by all and chosen by masks. */

typedef T NAME(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef MASK NAME(mask) __attribute__((vector_size(VECTOR_BYTES)));
typedef struct NAME(E) { NAME(vec) part[PARTS]; } NAME(E);
#define V NAME(vec)
#define B NAME(mask)
#define E NAME(E)
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))

/* --- lanes --- */
INLINE V NAME(splat)(T x) { return x - (V){0}; }
INLINE V NAME(blend)(B m, V a, V b) { return (V)((m & (B)a) | (~m & (B)b)); }
INLINE V NAME(absolute)(V a)
{
    MASK sign = (MASK)(1ull << (sizeof(T) * 8 - 1));
    return (V)((B)a & ((B){0} + (MASK)~sign));
}
INLINE V NAME(root)(V a)
{
    V r;
    for (int l = 0; l < LANES; l++) r[l] = SQRT(a[l]);
    return r;
}
INLINE V NAME(larger)(V a, V b) { return NAME(blend)(a > b, a, b); }
INLINE bool NAME(any)(B m)
{
    MASK all = 0;
    for (int l = 0; l < LANES; l++) all |= m[l];
    return all != 0;
}

/* --- elements --- */
INLINE E NAME(real)(V a)
{
    E r = {{a}};
    return r;
}
INLINE E NAME(plus)(E a, E b)
{
    for (int p = 0; p < PARTS; p++) a.part[p] += b.part[p];
    return a;
}
INLINE E NAME(minus)(E a, E b)
{
    for (int p = 0; p < PARTS; p++) a.part[p] -= b.part[p];
    return a;
}
INLINE E NAME(scaled)(E a, V s)
{
    for (int p = 0; p < PARTS; p++) a.part[p] *= s;
    return a;
}
INLINE E NAME(over)(E a, V s)
{
    for (int p = 0; p < PARTS; p++) a.part[p] /= s;
    return a;
}
INLINE E NAME(conjugate)(E a)
{
#if PARTS == 2
    a.part[1] = -a.part[1];
#endif
    return a;
}
INLINE E NAME(times)(E a, E b)
{
#if PARTS == 2
    E r = {{a.part[0] * b.part[0] - a.part[1] * b.part[1], a.part[0] * b.part[1] + a.part[1] * b.part[0]}};
#else
    E r = {{a.part[0] * b.part[0]}};
#endif
    return r;
}
/* conj(a) b */
INLINE E NAME(inner)(E a, E b)
{
#if PARTS == 2
    E r = {{a.part[0] * b.part[0] + a.part[1] * b.part[1], a.part[0] * b.part[1] - a.part[1] * b.part[0]}};
#else
    E r = {{a.part[0] * b.part[0]}};
#endif
    return r;
}
INLINE V NAME(square)(E a)
{
#if PARTS == 2
    return a.part[0] * a.part[0] + a.part[1] * a.part[1];
#else
    return a.part[0] * a.part[0];
#endif
}
/* |re| + |im|, as LAPACK compares pivots */
INLINE V NAME(size)(E a)
{
#if PARTS == 2
    return NAME(absolute)(a.part[0]) + NAME(absolute)(a.part[1]);
#else
    return NAME(absolute)(a.part[0]);
#endif
}
INLINE B NAME(is_zero)(E a) { return NAME(size)(a) == 0; }
INLINE E NAME(choose)(B m, E a, E b)
{
    for (int p = 0; p < PARTS; p++) a.part[p] = NAME(blend)(m, a.part[p], b.part[p]);
    return a;
}
/* a / b where b is no zero: its size is brought to 1 first, so that a square does not overflow. */
INLINE E NAME(divided)(E a, E b)
{
#if PARTS == 2
    V s = NAME(size)(b);
    E u = NAME(over)(b, s);
    return NAME(over)(NAME(inner)(u, NAME(over)(a, s)), NAME(square)(u));
#else
    return NAME(over)(a, b.part[0]);
#endif
}

/* --- between memory and packs --- */
/* n elements of each matrix from `first` on; lanes behind the last matrix repeat the first one. */
static void NAME(load)(const void *from, int64_t first, int count, int64_t n, E *to)
{
    const T *x = (const T *)from + first * n * PARTS;
    T *t = (T *)to;
    for (int l = 0; l < LANES; l++) {
        const T *own = x + (l < count ? l * n * PARTS : 0);
        for (int64_t i = 0; i < n * PARTS; i++) t[i * LANES + l] = own[i];
    }
}
static void NAME(store)(void *to, int64_t first, int count, int64_t n, const E *from)
{
    T *x = (T *)to + first * n * PARTS;
    const T *f = (const T *)from;
    for (int l = 0; l < count; l++)
        for (int64_t i = 0; i < n * PARTS; i++) x[l * n * PARTS + i] = f[i * LANES + l];
}
/* One real number a matrix and place: n vectors. */
static void NAME(store_real)(void *to, int64_t first, int count, int64_t n, const V *from)
{
    T *x = (T *)to + first * n;
    for (int l = 0; l < count; l++)
        for (int64_t i = 0; i < n; i++) x[l * n + i] = from[i][l];
}
/* The conjugate transpose of rows x columns. */
static void NAME(transposed)(int64_t rows, int64_t columns, const E *from, E *to)
{
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++) to[x * rows + y] = NAME(conjugate)(from[y * columns + x]);
}
/* A power of two for each lane by which its n elements, `step` apart, of which the largest is far from 1, come near it;
 * else 1. */
static V NAME(scale_of)(int64_t n, int64_t step, const E *a)
{
    V most = {0}, r = {0};
    for (int64_t i = 0; i < n; i++) most = NAME(larger)(NAME(size)(a[i * step]), most);
    for (int l = 0; l < LANES; l++) {
        int e = 0;
        if (most[l] > 0 && most[l] < (T)INFINITY && (most[l] < LEAST || most[l] > MOST)) frexp(most[l], &e);
        r[l] = (T)ldexp(1, e > LIMIT ? LIMIT : e < -LIMIT ? -LIMIT : e);
    }
    return r;
}
static B NAME(not_finite)(int64_t n, const E *a)
{
    V sum = {0};
    for (int64_t i = 0; i < n; i++)
        for (int p = 0; p < PARTS; p++) sum += a[i].part[p] * 0;
    return sum != 0;
}

/* --- LU --- */
/* Exchanges row k with row at[l] of lane l: `width` elements a row. */
static void NAME(exchange)(E *a, int64_t width, int64_t k, const MASK *at)
{
    T *t = (T *)a;
    for (int l = 0; l < LANES; l++) {
        if (at[l] == (MASK)k) continue;
        T *x = t + k * width * PARTS * LANES + l, *y = t + (int64_t)at[l] * width * PARTS * LANES + l;
        for (int64_t i = 0; i < width * PARTS; i++, x += LANES, y += LANES) {
            T v = *x;
            *x = *y;
            *y = v;
        }
    }
}

/* a (m x n) becomes its factors, `b` (m x k, or NULL) gets the same exchanges; pivot_rows[i * LANES + l] is the row
 * that row i was exchanged with. Lanes with a zero pivot. */
static B NAME(factor)(int64_t m, int64_t n, E *a, int64_t k, E *b, MASK *pivot_rows)
{
    B zero = {0};
    for (int64_t i = 0; i < n && i < m; i++) {
        V best = NAME(size)(a[i * n + i]);
        B at = (B){0} + (MASK)i;
        for (int64_t y = i + 1; y < m; y++) {
            V s = NAME(size)(a[y * n + i]);
            B m1 = s > best;
            best = NAME(blend)(m1, s, best);
            at = (m1 & ((B){0} + (MASK)y)) | (~m1 & at);
        }
        MASK *own = pivot_rows + i * LANES;
        for (int l = 0; l < LANES; l++) own[l] = at[l];
        if (NAME(any)(at != ((B){0} + (MASK)i))) {
            NAME(exchange)(a, n, i, own);
            if (b) NAME(exchange)(b, k, i, own);
        }
        E p = a[i * n + i];
        B none = NAME(is_zero)(p);
        zero |= none;
        p = NAME(choose)(none, NAME(real)(NAME(splat)(1)), p);
        for (int64_t y = i + 1; y < m; y++) {
            E f = a[y * n + i] = NAME(divided)(a[y * n + i], p);
            for (int64_t x = i + 1; x < n; x++)
                a[y * n + x] = NAME(minus)(a[y * n + x], NAME(times)(f, a[i * n + x]));
        }
    }
    return zero;
}

/* b (n x k) becomes x with L U x = b. */
static void NAME(substitute)(int64_t n, const E *a, int64_t k, E *b)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t y = i + 1; y < n; y++)
            for (int64_t x = 0; x < k; x++)
                b[y * k + x] = NAME(minus)(b[y * k + x], NAME(times)(a[y * n + i], b[i * k + x]));
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t x = 0; x < k; x++) b[i * k + x] = NAME(divided)(b[i * k + x], a[i * n + i]);
        for (int64_t y = 0; y < i; y++)
            for (int64_t x = 0; x < k; x++)
                b[y * k + x] = NAME(minus)(b[y * k + x], NAME(times)(a[y * n + i], b[i * k + x]));
    }
}

static bool NAME(any_of)(B m, int count)
{
    for (int l = 0; l < count; l++)
        if (m[l]) return true;
    return false;
}

static int NAME(solve)(const cpi_linalg *s, int64_t first, int count, E *work, bool inverse)
{
    int64_t n = s->n, k = inverse ? n : s->k;
    E *a = work, *b = a + n * n;
    MASK *pivot_rows = (MASK *)(b + n * k);
    NAME(load)(s->a, first, count, n * n, a);
    if (!inverse) NAME(load)(s->b, first, count, n * k, b);
    else
        for (int64_t i = 0; i < n * n; i++) b[i] = NAME(real)(NAME(splat)(i % (n + 1) == 0));
    B zero = NAME(factor)(n, n, a, k, b, pivot_rows);
    bool singular = NAME(any_of)(zero, count);
    if (singular && !s->quiet) return CPI_LINALG_SINGULAR;
    NAME(substitute)(n, a, k, b);
    if (singular)
        for (int64_t i = 0; i < n * n; i++)
            for (int p = 0; p < PARTS; p++)
                b[i].part[p] = NAME(blend)(zero, NAME(splat)((T)NAN), b[i].part[p]);
    NAME(store)(s->x, first, count, n * k, b);
    return 0;
}

static void NAME(lu)(const cpi_linalg *s, int64_t first, int count, E *work)
{
    int64_t m = s->m, n = s->n, r = m < n ? m : n;
    MASK *pivot_rows = (MASK *)(work + m * n);
    NAME(load)(s->a, first, count, m * n, work);
    NAME(factor)(m, n, work, 0, NULL, pivot_rows);
    NAME(store)(s->x, first, count, m * n, work);
    for (int l = 0; l < count; l++) {
        int32_t *p = s->pivots + (first + l) * r, *rows = s->rows ? s->rows + (first + l) * m : NULL;
        for (int64_t i = 0; i < m && rows; i++) rows[i] = (int32_t)i;
        for (int64_t i = 0; i < r; i++) {
            p[i] = (int32_t)pivot_rows[i * LANES + l];
            if (!rows) continue;
            int32_t was = rows[i];
            rows[i] = rows[p[i]];
            rows[p[i]] = was;
        }
    }
}

/* The product where it and all before it stay in the middle of the range; false of lanes that need more care. */
static void NAME(det)(const cpi_linalg *s, int64_t first, int count, E *work)
{
    int64_t n = s->n;
    MASK *pivot_rows = (MASK *)(work + n * n);
    NAME(load)(s->a, first, count, n * n, work);
    B zero = NAME(factor)(n, n, work, 0, NULL, pivot_rows), rough = (B){0};
    V sign = NAME(splat)(1);
    E product = NAME(real)(sign);
    for (int64_t i = 0; i < n; i++) {
        product = NAME(times)(product, work[i * n + i]);
        V size = NAME(size)(product);
        rough |= ~((size > (T)LEAST) & (size < (T)MOST));
        for (int l = 0; l < LANES; l++)
            if (pivot_rows[i * LANES + l] != (MASK)i) sign[l] = -sign[l];
    }
    for (int l = 0; l < count; l++) {
        double pivots[2 * CPI_SMALL_MOST];
        if (s->x && !s->u && !s->s && !zero[l] && !rough[l]) {
            for (int p = 0; p < PARTS; p++)
                ((T *)s->x)[(first + l) * PARTS + p] = product.part[p][l] * sign[l];
            continue;
        }
        for (int64_t i = 0; i < n; i++)
            for (int p = 0; p < PARTS; p++)
                pivots[i * PARTS + p] = (double)(work[i * n + i].part[p][l] * (i ? 1 : sign[l]));
        cpi_linalg_write_det(s, first + l, pivots, zero[l]);
    }
}

/* --- Cholesky --- */
static int NAME(cholesky)(const cpi_linalg *s, int64_t first, int count, E *work)
{
    int64_t n = s->n;
    E *a = work, *t = a + n * n;
    B bad = {0};
    NAME(load)(s->a, first, count, n * n, s->upper ? t : a);
    if (s->upper) NAME(transposed)(n, n, t, a);
    for (int64_t i = 0; i < n; i++) {
        V d = a[i * n + i].part[0];
        for (int64_t x = 0; x < i; x++) d -= NAME(square)(a[i * n + x]);
        bad |= ~(d > 0);
        d = NAME(root)(NAME(blend)(d > 0, d, NAME(splat)(1)));
        a[i * n + i] = NAME(real)(d);
        for (int64_t y = i + 1; y < n; y++) {
            E v = a[y * n + i];
            for (int64_t x = 0; x < i; x++)
                v = NAME(minus)(v, NAME(times)(a[y * n + x], NAME(conjugate)(a[i * n + x])));
            a[y * n + i] = NAME(over)(v, d);
        }
        for (int64_t x = i + 1; x < n; x++) a[i * n + x] = NAME(real)((V){0});
    }
    if (NAME(any_of)(bad, count)) return CPI_LINALG_NOT_POSITIVE;
    if (s->upper) NAME(transposed)(n, n, a, t);
    NAME(store)(s->x, first, count, n * n, s->upper ? t : a);
    return 0;
}

/* --- QR --- */
/* The reflections of a (m x n) as LAPACK's geqrf leaves them, and tau. */
static void NAME(reflect)(int64_t m, int64_t n, E *a, E *tau)
{
    int64_t r = m < n ? m : n;
    for (int64_t i = 0; i < r; i++) {
        V below = {0};
        for (int64_t y = i + 1; y < m; y++) below += NAME(square)(a[y * n + i]);
        V scale = NAME(splat)(1);
        if (NAME(any)(below + NAME(square)(a[i * n + i]) < (T)LEAST * (T)LEAST)) { /* squares may have vanished */
            scale = NAME(scale_of)(m - i, n, a + i * n + i);
            for (int64_t y = i; y < m; y++) a[y * n + i] = NAME(scaled)(a[y * n + i], 1 / scale);
            below = (V){0};
            for (int64_t y = i + 1; y < m; y++) below += NAME(square)(a[y * n + i]);
        }
        E alpha = a[i * n + i];
        V norm = NAME(root)(below + NAME(square)(alpha)), re = alpha.part[0];
        B still = below == 0;
#if PARTS == 2
        still &= alpha.part[1] == 0;
#endif
        V beta = NAME(blend)((B)re < 0, norm, -norm), safe = NAME(blend)(still, NAME(splat)(1), beta);
        E gap = NAME(minus)(alpha, NAME(real)(beta)), f = NAME(minus)(NAME(real)(beta), alpha);
        tau[i] = NAME(choose)(still, NAME(real)((V){0}), NAME(over)(f, safe));
        gap = NAME(choose)(still, NAME(real)(NAME(splat)(1)), gap);
        for (int64_t y = i + 1; y < m; y++) a[y * n + i] = NAME(divided)(a[y * n + i], gap);
        a[i * n + i] = NAME(scaled)(NAME(choose)(still, alpha, NAME(real)(beta)), scale);
        E t = NAME(conjugate)(tau[i]);
        for (int64_t x = i + 1; x < n; x++) {
            E w = a[i * n + x];
            for (int64_t y = i + 1; y < m; y++) w = NAME(plus)(w, NAME(inner)(a[y * n + i], a[y * n + x]));
            w = NAME(times)(w, t);
            a[i * n + x] = NAME(minus)(a[i * n + x], w);
            for (int64_t y = i + 1; y < m; y++)
                a[y * n + x] = NAME(minus)(a[y * n + x], NAME(times)(a[y * n + i], w));
        }
    }
}
/* The first `columns` columns of Q (m x columns) of r reflections. */
static void NAME(make_q)(int64_t m, int64_t n, int64_t r, const E *a, const E *tau, int64_t columns, E *q)
{
    for (int64_t i = 0; i < m * columns; i++) q[i] = NAME(real)(NAME(splat)(i / columns == i % columns));
    for (int64_t i = r - 1; i >= 0; i--)
        for (int64_t x = i; x < columns; x++) {
            E w = q[i * columns + x];
            for (int64_t y = i + 1; y < m; y++) w = NAME(plus)(w, NAME(inner)(a[y * n + i], q[y * columns + x]));
            w = NAME(times)(w, tau[i]);
            q[i * columns + x] = NAME(minus)(q[i * columns + x], w);
            for (int64_t y = i + 1; y < m; y++)
                q[y * columns + x] = NAME(minus)(q[y * columns + x], NAME(times)(a[y * n + i], w));
        }
}

static void NAME(rescale)(int64_t n, E *a, V s)
{
    for (int64_t i = 0; i < n; i++) a[i] = NAME(scaled)(a[i], s);
}

static void NAME(qr)(const cpi_linalg *s, int64_t first, int count, E *work)
{
    int64_t m = s->m, n = s->n, r = m < n ? m : n, rows = s->mode == CPI_QR_COMPLETE ? m : r;
    E *a = work, *tau = a + m * n, *x = tau + r, *q = x + m * n;
    NAME(load)(s->a, first, count, m * n, a);
    V scale = NAME(scale_of)(m * n, 1, a);
    NAME(rescale)(m * n, a, 1 / scale);
    NAME(reflect)(m, n, a, tau);
    for (int64_t y = 0; y < r; y++)
        for (int64_t c = y; c < n; c++) x[y * n + c] = NAME(scaled)(a[y * n + c], scale);
    if (s->mode == CPI_QR_RAW) {
        for (int64_t y = 0; y < m; y++)
            for (int64_t c = 0; c < n; c++) q[c * m + y] = y <= c && y < r ? x[y * n + c] : a[y * n + c];
        NAME(store)(s->x, first, count, m * n, q);
        NAME(store)(s->s, first, count, r, tau);
        return;
    }
    for (int64_t y = 0; y < rows; y++)
        for (int64_t c = 0; c < n && (c < y || y >= r); c++) x[y * n + c] = NAME(real)((V){0});
    NAME(store)(s->x, first, count, rows * n, x);
    if (s->mode == CPI_QR_R) return;
    NAME(make_q)(m, n, r, a, tau, rows, q);
    NAME(store)(s->u, first, count, m * rows, q);
}

/* --- rotations --- */
/* Cosine and sine of the rotation by which half the difference `d` of two squares (or of two diagonal entries) and
 * their product g > 0 become a diagonal; lanes outside the mask turn by nothing. */
INLINE void NAME(rotation)(B m, V d, V g, V *c, V *s, V *t)
{
    V zeta = d / NAME(blend)(m, g + g, NAME(splat)(1)), size = NAME(absolute)(zeta);
    V root = NAME(root)(1 + zeta * zeta);
    V tangent = 1 / (size + root);
    tangent = NAME(blend)(zeta < 0, -tangent, tangent);
    *t = NAME(blend)(m, tangent, (V){0});
    *c = 1 / NAME(root)(1 + *t * *t);
    *s = *c * *t;
}
/* Columns x and y (n elements each): x' = c x - s conj(f) y, y' = s f x + c y, f of modulus 1. */
INLINE void NAME(rotate)(int64_t n, E *x, E *y, V c, E s)
{
    for (int64_t i = 0; i < n; i++) {
        E a = x[i], b = y[i];
        x[i] = NAME(minus)(NAME(scaled)(a, c), NAME(inner)(s, b));
        y[i] = NAME(plus)(NAME(times)(s, a), NAME(scaled)(b, c));
    }
}

/* One-sided Jacobi: w's n columns of m elements (column by column) become orthogonal, v's (n x n, or NULL) turn along.
 * norms: their squares. Columns no longer than `noise`, what rounding leaves of nothing, stay as they are: turning them
 * would go on until they vanish. Lanes that were not done after many sweeps. */
static B NAME(orthogonalize)(int64_t m, int64_t n, E *w, E *v, V *norms, V noise)
{
    const V tolerance = NAME(splat)((T)(EPSILON * SQRT((T)m)));
    B transposed = {0};
    for (int sweep = 0; sweep < 60; sweep++) {
        transposed = (B){0};
        for (int64_t p = 0; p < n; p++) {
            norms[p] = (V){0};
            for (int64_t i = 0; i < m; i++) norms[p] += NAME(square)(w[p * m + i]);
        }
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                E *x = w + p * m, *y = w + q * m, g = NAME(inner)(x[0], y[0]);
                for (int64_t i = 1; i < m; i++) g = NAME(plus)(g, NAME(inner)(x[i], y[i]));
#if PARTS == 2
                V size = NAME(root)(NAME(square)(g));
#else
                V size = NAME(absolute)(g.part[0]);
#endif
                V x1 = NAME(root)(norms[p]), y1 = NAME(root)(norms[q]);
                B go = (size > tolerance * x1 * y1) & (x1 > noise) & (y1 > noise);
                if (!NAME(any)(go)) continue;
                transposed |= go;
                V c, s, t;
                NAME(rotation)(go, norms[q] - norms[p], size, &c, &s, &t);
                E f = NAME(over)(g, NAME(blend)(go, size, NAME(splat)(1)));
                NAME(rotate)(m, x, y, c, NAME(scaled)(f, s));
                if (v) NAME(rotate)(n, v + p * n, v + q * n, c, NAME(scaled)(f, s));
                norms[p] = NAME(larger)(norms[p] - t * size, (V){0});
                norms[q] += t * size;
            }
        if (!NAME(any)(transposed)) break;
    }
    return transposed;
}

/* Brings keys (n vectors), falling, or rising, and columns of w and v (either may be NULL) with them into order. */
static void NAME(order)(int64_t n, V *keys, int64_t m, E *w, int64_t k, E *v, bool rising)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = n - 1; p > i; p--) {
            B go = rising ? keys[p] < keys[p - 1] : keys[p] > keys[p - 1];
            if (!NAME(any)(go)) continue;
            V a = keys[p - 1], b = keys[p];
            keys[p - 1] = NAME(blend)(go, b, a);
            keys[p] = NAME(blend)(go, a, b);
            for (int64_t y = 0; y < m && w; y++) {
                E c = w[(p - 1) * m + y], d = w[p * m + y];
                w[(p - 1) * m + y] = NAME(choose)(go, d, c);
                w[p * m + y] = NAME(choose)(go, c, d);
            }
            for (int64_t y = 0; y < k && v; y++) {
                E c = v[(p - 1) * k + y], d = v[p * k + y];
                v[(p - 1) * k + y] = NAME(choose)(go, d, c);
                v[p * k + y] = NAME(choose)(go, c, d);
            }
        }
}

/* u (m x columns, in rows): w's n orthogonal columns of m elements, falling, made of length 1, and behind them others;
 * by reflections, so that all are orthogonal also where columns of w are 0. */
static void NAME(span)(int64_t m, int64_t n, const E *w, int64_t columns, E *spare, E *u)
{
    E *a = spare, *tau = a + m * n;
    for (int64_t y = 0; y < m; y++)
        for (int64_t x = 0; x < n; x++) a[y * n + x] = w[x * m + y];
    NAME(reflect)(m, n, a, tau);
    NAME(make_q)(m, n, n, a, tau, columns, u);
    for (int64_t x = 0; x < n; x++) { /* R is diagonal but for rounding; its signs are the columns' */
        V sign = NAME(blend)(a[x * n + x].part[0] < 0, NAME(splat)(-1), NAME(splat)(1));
        for (int64_t y = 0; y < m; y++) u[y * columns + x] = NAME(scaled)(u[y * columns + x], sign);
    }
}

static int NAME(svd)(const cpi_linalg *l, int64_t first, int count, E *work)
{
    bool wide = l->m < l->n, vectors = l->u != NULL;
    int64_t m = wide ? l->n : l->m, n = wide ? l->m : l->n, columns = l->full ? m : n;
    E *w = work, *v = w + m * n, *u = v + n * n, *spare = u + m * m;
    V *s = (V *)(spare + m * m + m);
    NAME(load)(l->a, first, count, m * n, u);
    if (NAME(any_of)(NAME(not_finite)(m * n, u), count)) return CPI_LINALG_SVD;
    V scale = NAME(scale_of)(m * n, 1, u);
    NAME(rescale)(m * n, u, 1 / scale);
    if (wide) { /* the columns of A's conjugate transpose: conjugated rows */
        for (int64_t i = 0; i < m * n; i++) w[i] = NAME(conjugate)(u[i]);
    } else {
        for (int64_t y = 0; y < m; y++)
            for (int64_t x = 0; x < n; x++) w[x * m + y] = u[y * n + x];
    }
    for (int64_t i = 0; i < n * n && vectors; i++) v[i] = NAME(real)(NAME(splat)(i % (n + 1) == 0));
    V noise = {0};
    for (int64_t i = 0; i < m * n; i++) noise += NAME(square)(w[i]);
    noise = NAME(root)(noise) * (T)EPSILON;
    B left = NAME(orthogonalize)(m, n, w, vectors ? v : NULL, s, noise);
    if (NAME(any_of)(left, count)) return CPI_LINALG_SVD;
    for (int64_t p = 0; p < n; p++) {
        s[p] = (V){0};
        for (int64_t i = 0; i < m; i++) s[p] += NAME(square)(w[p * m + i]);
        s[p] = NAME(root)(s[p]);
    }
    NAME(order)(n, s, m, vectors ? w : NULL, n, vectors ? v : NULL, false);
    if (vectors) {
        B vanish = (s[n - 1] <= noise + noise) | (s[n - 1] < (T)LEAST);
        if (columns == n && !NAME(any)(vanish)) {
            for (int64_t x = 0; x < n; x++)
                for (int64_t y = 0; y < m; y++) u[y * n + x] = NAME(over)(w[x * m + y], s[x]);
        } else NAME(span)(m, n, w, columns, spare, u);
        /* u: m x columns, in rows; v: n x n, column by column */
        E *transposed = w;
        if (wide) { /* A = V S U^H */
            for (int64_t y = 0; y < n; y++)
                for (int64_t x = 0; x < n; x++) spare[y * n + x] = v[x * n + y];
            NAME(store)(l->u, first, count, n * n, spare);
            transposed = spare; /* w is too small for the full one */
            NAME(transposed)(m, columns, u, transposed);
            NAME(store)(l->vt, first, count, columns * m, transposed);
        } else {
            NAME(store)(l->u, first, count, m * columns, u);
            for (int64_t i = 0; i < n * n; i++) v[i] = NAME(conjugate)(v[i]);
            NAME(store)(l->vt, first, count, n * n, v);
        }
    }
    for (int64_t p = 0; p < n; p++) s[p] *= scale;
    NAME(store_real)(l->s, first, count, n, s);
    return 0;
}

/* Two-sided Jacobi: a (n x n, whole) becomes a diagonal; v (column by column, or NULL) turns along. */
static B NAME(diagonalize)(int64_t n, E *a, E *v)
{
    V all = {0}, limit;
    B transposed = {0};
    for (int64_t i = 0; i < n * n; i++) all += NAME(square)(a[i]);
    limit = NAME(root)(all) * (T)EPSILON / (T)n;
    for (int sweep = 0; sweep < 60; sweep++) {
        transposed = (B){0};
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                E g = a[p * n + q];
                V size = NAME(root)(NAME(square)(g));
                B go = size > limit;
                if (!NAME(any)(go)) continue;
                transposed |= go;
                V c, s, t;
                NAME(rotation)(go, a[q * n + q].part[0] - a[p * n + p].part[0], size, &c, &s, &t);
                E f = NAME(scaled)(NAME(over)(g, NAME(blend)(go, size, NAME(splat)(1))), s);
                V x = a[p * n + p].part[0] - t * size, y = a[q * n + q].part[0] + t * size;
                for (int64_t i = 0; i < n; i++) { /* columns p and q, and with them the rows */
                    E b = a[i * n + p], d = a[i * n + q];
                    if (i == p || i == q) continue;
                    a[i * n + p] = NAME(minus)(NAME(scaled)(b, c), NAME(inner)(f, d));
                    a[i * n + q] = NAME(plus)(NAME(times)(f, b), NAME(scaled)(d, c));
                    a[p * n + i] = NAME(conjugate)(a[i * n + p]);
                    a[q * n + i] = NAME(conjugate)(a[i * n + q]);
                }
                a[p * n + p] = NAME(real)(x);
                a[q * n + q] = NAME(real)(y);
                a[p * n + q] = NAME(choose)(go, NAME(real)((V){0}), g);
                a[q * n + p] = NAME(conjugate)(a[p * n + q]);
                if (v) NAME(rotate)(n, v + p * n, v + q * n, c, f);
            }
        if (!NAME(any)(transposed)) break;
    }
    return transposed;
}

static int NAME(eigh)(const cpi_linalg *l, int64_t first, int count, E *work)
{
    int64_t n = l->n;
    E *a = work, *v = a + n * n, *t = v + n * n;
    V *s = (V *)(t + n * n);
    NAME(load)(l->a, first, count, n * n, a);
    for (int64_t y = 0; y < n; y++) { /* the other triangle */
        a[y * n + y] = NAME(real)(a[y * n + y].part[0]);
        for (int64_t x = 0; x < y; x++)
            if (l->upper) a[y * n + x] = NAME(conjugate)(a[x * n + y]);
            else a[x * n + y] = NAME(conjugate)(a[y * n + x]);
    }
    if (NAME(any_of)(NAME(not_finite)(n * n, a), count)) return CPI_LINALG_EIGENVALUES;
    V scale = NAME(scale_of)(n * n, 1, a);
    NAME(rescale)(n * n, a, 1 / scale);
    for (int64_t i = 0; i < n * n; i++) v[i] = NAME(real)(NAME(splat)(i % (n + 1) == 0));
    if (NAME(any_of)(NAME(diagonalize)(n, a, l->u ? v : NULL), count)) return CPI_LINALG_EIGENVALUES;
    for (int64_t i = 0; i < n; i++) s[i] = a[i * n + i].part[0];
    NAME(order)(n, s, 0, NULL, n, l->u ? v : NULL, true);
    for (int64_t i = 0; i < n; i++) s[i] *= scale;
    NAME(store_real)(l->s, first, count, n, s);
    if (!l->u) return 0;
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < n; x++) t[y * n + x] = v[x * n + y];
    NAME(store)(l->u, first, count, n * n, t);
    return 0;
}

static int NAME(run)(cpi_small_kind kind, const cpi_linalg *l, int64_t first, int64_t last, void *work)
{
    int error = 0;
    for (; first < last; first += LANES) {
        int count = last - first < LANES ? (int)(last - first) : LANES, found = 0;
        switch (kind) {
        case CPI_SMALL_SOLVE: found = NAME(solve)(l, first, count, work, false); break;
        case CPI_SMALL_INV: found = NAME(solve)(l, first, count, work, true); break;
        case CPI_SMALL_DET: NAME(det)(l, first, count, work); break;
        case CPI_SMALL_CHOLESKY: found = NAME(cholesky)(l, first, count, work); break;
        case CPI_SMALL_QR: NAME(qr)(l, first, count, work); break;
        case CPI_SMALL_SVD: found = NAME(svd)(l, first, count, work); break;
        case CPI_SMALL_EIGH: found = NAME(eigh)(l, first, count, work); break;
        case CPI_SMALL_LU: NAME(lu)(l, first, count, work); break;
        }
        if (found) error = found;
    }
    return error;
}

#undef V
#undef B
#undef E
#undef LANES
#undef T
#undef PARTS
#undef MASK
#undef NAME
#undef SQRT
#undef LEAST
#undef MOST
#undef LIMIT
#undef EPSILON
