/* The loops of one complex type, included by products_simd.c, which defines T (of a part), MAC and NAME. Vectors hold
 * real parts or imaginary parts: b is copied so. Strides count elements, which are two of T. */

#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
#define ROWS COMPLEX_ROWS
typedef T NAME(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
#define V NAME(vec)
#define VU NAME(loose)

INLINE void NAME(micro)(int rows, int64_t k, const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_pitch,
                        T *edge)
{
    V re[ROWS], im[ROWS];
    UNROLL for (int i = 0; i < rows; i++) re[i] = im[i] = (V){0};
    for (int64_t p = 0; p < k; p++) {
        V br = (V)*(const VU *)(b + p * b_pitch), bi = (V)*(const VU *)(b + p * b_pitch + LANES);
        UNROLL for (int i = 0; i < rows; i++) {
            const T *e = a + 2 * (i * a_row + p * a_col);
            V ar = (V){0} + e[0], ai = (V){0} + e[1];
            re[i] = MAC(re[i], br, ar), re[i] = MAC(re[i], bi, -ai);
            im[i] = MAC(im[i], bi, ar), im[i] = MAC(im[i], br, ai);
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
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            T *e = to + 2 * (r * pitch + c), re = edge[2 * r * LANES + c], im = edge[(2 * r + 1) * LANES + c];
            e[0] = add ? e[0] + re : re;
            e[1] = add ? e[1] + im : im;
        }
}

static void NAME(multiply)(int64_t m, int64_t n, int64_t k, const void *a, const void *b, void *sums, int64_t pitch,
                           bool add)
{
    T edge[ROWS * 2 * LANES] __attribute__((aligned(64)));
    for (int64_t j = 0; j < n; j += LANES)
        for (int64_t i = 0; i < m; i += ROWS) {
            NAME(micro)(ROWS, k, (const T *)a + 2 * i * k, 1, ROWS, (const T *)b + 2 * j * k, 2 * LANES, edge);
            NAME(put)(m - i < ROWS ? m - i : ROWS, n - j < LANES ? n - j : LANES, edge,
                      (T *)sums + 2 * (i * pitch + j), pitch, add);
        }
}

static void NAME(pack_a)(int64_t m, int64_t k, const void *a, int64_t row, int64_t col, void *to)
{
    T *t = to;
    for (int64_t i = 0; i < m; i += ROWS, t += 2 * ROWS * k)
        for (int64_t p = 0; p < k; p++)
            for (int64_t r = 0; r < ROWS; r++) {
                const T *e = (const T *)a + 2 * ((i + r) * row + p * col);
                t[2 * (p * ROWS + r)] = i + r < m ? e[0] : 0;
                t[2 * (p * ROWS + r) + 1] = i + r < m ? e[1] : 0;
            }
}

static void NAME(pack_b)(int64_t n, int64_t k, const void *b, int64_t row, int64_t col, void *to)
{
    T *t = to;
    for (int64_t j = 0; j < n; j += LANES, t += 2 * LANES * k)
        for (int64_t p = 0; p < k; p++)
            for (int64_t c = 0; c < LANES; c++) {
                const T *e = (const T *)b + 2 * (p * row + (j + c) * col);
                t[2 * p * LANES + c] = j + c < n ? e[0] : 0;
                t[(2 * p + 1) * LANES + c] = j + c < n ? e[1] : 0;
            }
}

static void NAME(small)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col, const void *b,
                        int64_t b_row, int64_t b_col, void *c, int64_t c_row, void *scratch)
{
    T edge[4 * 2 * LANES] __attribute__((aligned(64)));
    NAME(pack_b)(n, k, b, b_row, b_col, scratch);
    for (int64_t i = 0; i < m; i += 4)
        for (int64_t j = 0; j < n; j += LANES) {
            const T *x = (const T *)a + 2 * i * a_row, *y = (const T *)scratch + 2 * j * k;
            int64_t rows = m - i < 4 ? m - i : 4;
            if (rows == 4) NAME(micro)(4, k, x, a_row, a_col, y, 2 * LANES, edge);
            else
                for (int64_t q = 0; q < rows; q++)
                    NAME(micro)(1, k, x + 2 * q * a_row, 0, a_col, y, 2 * LANES, edge + 2 * q * LANES);
            NAME(put)(rows, n - j < LANES ? n - j : LANES, edge, (T *)c + 2 * (i * c_row + j), c_row, false);
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
    enum { PIECE = 4 * VECTOR_BYTES / sizeof(T) };
    T x[2][PIECE] __attribute__((aligned(64))), y[2][PIECE] __attribute__((aligned(64))), total[2] = {0, 0};
    T sign = conjugate ? -1 : 1;
    V re[4] = {{0}}, im[4] = {{0}};
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t m = n - i < PIECE ? n - i : PIECE;
        for (int64_t l = 0; l < PIECE; l++) {
            const T *p = (const T *)a + 2 * (i + l) * a_step, *q = (const T *)b + 2 * (i + l) * b_step;
            x[0][l] = l < m ? p[0] : 0, x[1][l] = l < m ? sign * p[1] : 0;
            y[0][l] = l < m ? q[0] : 0, y[1][l] = l < m ? q[1] : 0;
        }
        UNROLL for (int l = 0; l < 4; l++) {
            V ar = *(const V *)(x[0] + l * LANES), ai = *(const V *)(x[1] + l * LANES);
            V br = *(const V *)(y[0] + l * LANES), bi = *(const V *)(y[1] + l * LANES);
            re[l] = MAC(re[l], ar, br), re[l] = MAC(re[l], -ai, bi);
            im[l] = MAC(im[l], ar, bi), im[l] = MAC(im[l], ai, br);
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
#undef MAC
#undef NAME
