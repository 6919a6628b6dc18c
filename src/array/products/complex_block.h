/* The loops of one complex type, included by products_simd.c, which defines T (of a part) and NAME. Vectors hold
 * real parts or imaginary parts: b is copied so. Strides count elements, which are two of T. */

#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
#define ROWS COMPLEX_ROWS
typedef T NAME(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
#define V NAME(vec)
#define VU NAME(loose)

INLINE void NAME(micro)(int rows, int64_t k, const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_pitch,
                        T *edge, const T *ahead)
{
    V re[ROWS], im[ROWS];
    UNROLL for (int i = 0; i < rows; i++) re[i] = im[i] = (V){0};
    for (int64_t p = 0; p < k; p++) {
        if (ahead) __builtin_prefetch(ahead + p * (64 / (int)sizeof(T)), 0, 2);
        V br = (V)*(const VU *)(b + p * b_pitch), bi = (V)*(const VU *)(b + p * b_pitch + LANES), minus = -bi;
        UNROLL for (int i = 0; i < rows; i++) {
            const T *e = a + 2 * (i * a_row + p * a_col);
            V ar = CPI_SPLAT(V, e[0]), ai = CPI_SPLAT(V, e[1]);
            re[i] = CPI_MAC(re[i], br, ar), re[i] = CPI_MAC(re[i], minus, ai);
            im[i] = CPI_MAC(im[i], bi, ar), im[i] = CPI_MAC(im[i], br, ai);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) {
        *(VU *)(edge + 2 * i * LANES) = re[i];
        *(VU *)(edge + (2 * i + 1) * LANES) = im[i];
    }
}

/* A block of sums to its place. */
INLINE void NAME(put)(int64_t rows, int64_t cols, const T *edge, T *to, int64_t pitch, bool add)
{
    if (cols == LANES) { /* parts beside each other, in two vectors */
        typedef __typeof__((V){0} == (V){0}) lanes;
        lanes low, high;
        UNROLL for (int l = 0; l < LANES; l++) low[l] = l / 2 + l % 2 * LANES, high[l] = low[l] + LANES / 2;
        for (int64_t r = 0; r < rows; r++) {
            V re = *(const V *)(edge + 2 * r * LANES), im = *(const V *)(edge + (2 * r + 1) * LANES);
            V first = __builtin_shuffle(re, im, low), second = __builtin_shuffle(re, im, high);
            VU *e = (VU *)(to + 2 * r * pitch);
            if (add) first += e[0], second += e[1];
            e[0] = first, e[1] = second;
        }
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            T *e = to + 2 * (r * pitch + c), re = edge[2 * r * LANES + c], im = edge[(2 * r + 1) * LANES + c];
            e[0] = add ? e[0] + re : re;
            e[1] = add ? e[1] + im : im;
        }
}

/* a in blocks of ROWS, one behind the other (`packed`), or as it lies. */
INLINE void NAME(blocks_of)(bool packed, int64_t m, int64_t n, int64_t k, const T *a, int64_t a_row, int64_t a_col,
                            const T *b, T *sums, int64_t pitch, bool add)
{
    T edge[ROWS * 2 * LANES] __attribute__((aligned(64)));
    const int64_t row = packed ? 1 : a_row, col = packed ? ROWS : a_col, block = packed ? k : a_row;
    for (int64_t j = 0; j < n; j += LANES)
        for (int64_t i = 0; i < m; i += ROWS) {
            const int64_t rows = m - i < ROWS ? m - i : ROWS, before = packed ? 0 : ROWS - rows; /* there, and done */
            T *out = sums + 2 * (i * pitch + j);
            if (add) /* what the sums are added to comes meanwhile */
                for (int r = 0; r < rows; r++) {
                    __builtin_prefetch(out + 2 * r * pitch, 1);
                    __builtin_prefetch(out + 2 * r * pitch + LANES, 1);
                }
            const T *x = a + 2 * (i * block - before * row), *y = b + 2 * j * k;
            const T *ahead = i < 2 * ROWS ? y + 2 * LANES * k + i / ROWS * k * (64 / (int)sizeof(T))
                             : packed ? x + 2 * ROWS * k : NULL;
            NAME(micro)(ROWS, k, x, row, col, y, 2 * LANES, edge, ahead);
            NAME(put)(rows, n - j < LANES ? n - j : LANES, edge + before * 2 * LANES, out, pitch, add);
        }
}

static void NAME(multiply)(int64_t m, int64_t n, int64_t k, const void *a, const void *b, void *sums, int64_t pitch,
                           bool add)
{
    NAME(blocks_of)(true, m, n, k, a, 0, 0, b, sums, pitch, add);
}

static void NAME(multiply_rows)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col,
                                const void *b, void *sums, int64_t pitch, bool add)
{
    if (a_col == 1) NAME(blocks_of)(false, m, n, k, a, a_row, 1, b, sums, pitch, add);
    else NAME(blocks_of)(false, m, n, k, a, 1, a_col, b, sums, pitch, add);
}

static void NAME(pack_a)(int64_t m, int64_t k, const void *a, int64_t row, int64_t col, void *to)
{
    T *t = to;
    for (int64_t i = 0; i < m; i += ROWS, t += 2 * ROWS * k)
        for (int64_t r = 0; r < ROWS; r++) {
            const T *e = (const T *)a + 2 * (i + r) * row;
            for (int64_t p = 0; p < k; p++)
                UNROLL for (int q = 0; q < 2; q++) t[2 * (p * ROWS + r) + q] = i + r < m ? e[2 * p * col + q] : 0;
        }
}

static void NAME(pack_b)(int64_t n, int64_t k, const void *b, int64_t row, int64_t col, void *to)
{
    typedef __typeof__((V){0} == (V){0}) lanes;
    lanes even;
    UNROLL for (int l = 0; l < LANES; l++) even[l] = 2 * l;
    T *t = to;
    for (int64_t j = 0; j < n; j += LANES, t += 2 * LANES * k)
        for (int64_t p = 0; p < k; p++) {
            const T *e = (const T *)b + 2 * (p * row + j * col);
            if (col == 1 && j + LANES <= n) {
                V first = (V)((const VU *)e)[0], second = (V)((const VU *)e)[1];
                *(VU *)(t + 2 * p * LANES) = __builtin_shuffle(first, second, even);
                *(VU *)(t + (2 * p + 1) * LANES) = __builtin_shuffle(first, second, even + 1);
            } else
                for (int64_t c = 0; c < LANES; c++) {
                    t[2 * p * LANES + c] = j + c < n ? e[2 * c * col] : 0;
                    t[(2 * p + 1) * LANES + c] = j + c < n ? e[2 * c * col + 1] : 0;
                }
        }
}

static void NAME(store)(int64_t m, int64_t n, const void *sums, int64_t pitch, void *c, int64_t c_row)
{
    for (int64_t i = 0; i < m; i++)
        memcpy((T *)c + 2 * i * c_row, (const T *)sums + 2 * i * pitch, (size_t)n * 2 * sizeof(T));
}

static void NAME(dot)(int64_t n, const void *a, int64_t a_step, const void *b, int64_t b_step, bool conjugate,
                      void *sum)
{
    enum { SEGMENT = 4 * VECTOR_BYTES / sizeof(T) };
    T x[2][SEGMENT] __attribute__((aligned(64))), y[2][SEGMENT] __attribute__((aligned(64))), total[2] = {0, 0};
    T sign = conjugate ? -1 : 1;
    V re[4] = {{0}}, im[4] = {{0}};
    for (int64_t i = 0; i < n; i += SEGMENT) {
        int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
        for (int64_t l = 0; l < SEGMENT; l++) {
            const T *p = (const T *)a + 2 * (i + l) * a_step, *q = (const T *)b + 2 * (i + l) * b_step;
            x[0][l] = l < m ? p[0] : 0, x[1][l] = l < m ? sign * p[1] : 0;
            y[0][l] = l < m ? q[0] : 0, y[1][l] = l < m ? q[1] : 0;
        }
        UNROLL for (int l = 0; l < 4; l++) {
            V ar = *(const V *)(x[0] + l * LANES), ai = *(const V *)(x[1] + l * LANES);
            V br = *(const V *)(y[0] + l * LANES), bi = *(const V *)(y[1] + l * LANES);
            re[l] = CPI_MAC(re[l], ar, br), re[l] = CPI_MAC(re[l], -ai, bi);
            im[l] = CPI_MAC(im[l], ar, bi), im[l] = CPI_MAC(im[l], ai, br);
        }
    }
    for (int v = 0; v < 4; v++)
        for (int l = 0; l < LANES; l++) total[0] += re[v][l], total[1] += im[v][l];
    memcpy(sum, total, sizeof total);
}

static void NAME(finish)(int64_t n, const void *sums, void *c)
{
    T total[2] = {((const T *)sums)[0], ((const T *)sums)[1]};
    for (int64_t i = 1; i < n; i++) total[0] += ((const T *)sums)[2 * i], total[1] += ((const T *)sums)[2 * i + 1];
    memcpy(c, total, sizeof total);
}

static void NAME(column)(int64_t m, const void *a, const void *b, void *sums, bool add)
{
    const T *x = a, re = ((const T *)b)[0], im = ((const T *)b)[1];
    T *s = sums;
    for (int64_t i = 0; i < m; i++) {
        T r = x[2 * i] * re - x[2 * i + 1] * im, q = x[2 * i] * im + x[2 * i + 1] * re;
        s[2 * i] = add ? s[2 * i] + r : r;
        s[2 * i + 1] = add ? s[2 * i + 1] + q : q;
    }
}

#undef LANES
#undef ROWS
#undef V
#undef VU
#undef T
#undef NAME
