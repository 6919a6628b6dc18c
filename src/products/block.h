/* The loops of one type, included once for each by products_simd.c, which defines:
 *   T, S             what is computed with, and what is stored
 *   MAC(acc, a, k)   acc + a * k, for vectors
 *   LOAD(p, i), PUT(p, i, value)   element i of stored ones
 *   NAME(f)          f_TYPE
 *   KIND             `cp_type kind, ` where LOAD needs it; else nothing
 *   ROWS             of a block of c in registers, two vectors wide
 * All are undefined at the end. */

#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
typedef T NAME(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
#define V NAME(vec)
#define VU NAME(loose)

/* rows x (nv vectors) sums of k products, in registers all the time; both numbers are constants where this is called.
 * b lies in rows of `b_pitch`, out in rows of `pitch`. */
INLINE void NAME(micro)(int rows, int nv, int64_t k, const T *a, int64_t a_row, int64_t a_col, const T *b,
                        int64_t b_pitch, T *out, int64_t pitch, bool add)
{
    V acc[ROWS][2];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < nv; v++)
        acc[i][v] = add ? (V)*(const VU *)(out + i * pitch + v * LANES) : (V){0};
    for (int64_t p = 0; p < k; p++) {
        V c[2];
        UNROLL for (int v = 0; v < nv; v++) c[v] = (V)*(const VU *)(b + p * b_pitch + v * LANES);
        UNROLL for (int i = 0; i < rows; i++) {
            V s = (V){0} + a[i * a_row + p * a_col];
            UNROLL for (int v = 0; v < nv; v++) acc[i][v] = MAC(acc[i][v], c[v], s);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < nv; v++)
        *(VU *)(out + i * pitch + v * LANES) = acc[i][v];
}

static void NAME(multiply)(int64_t m, int64_t n, int64_t k, const void *a, const void *b, void *sums, int64_t pitch,
                           bool add)
{
    T edge[ROWS * 2 * LANES] __attribute__((aligned(64)));
    for (int64_t j = 0; j < n; j += 2 * LANES)
        for (int64_t i = 0; i < m; i += ROWS) {
            const T *x = (const T *)a + i * k, *y = (const T *)b + j * k;
            T *out = (T *)sums + i * pitch + j;
            if (i + ROWS <= m && j + 2 * LANES <= n) {
                NAME(micro)(ROWS, 2, k, x, 1, ROWS, y, 2 * LANES, out, pitch, add);
                continue;
            }
            NAME(micro)(ROWS, 2, k, x, 1, ROWS, y, 2 * LANES, edge, 2 * LANES, false);
            int64_t rows = m - i < ROWS ? m - i : ROWS, cols = n - j < 2 * LANES ? n - j : 2 * LANES;
            for (int64_t r = 0; r < rows; r++)
                for (int64_t c = 0; c < cols; c++) {
                    T e = edge[r * 2 * LANES + c];
                    out[r * pitch + c] = add ? (T)JOIN(out[r * pitch + c], e) : e;
                }
        }
}

INLINE void NAME(pack)(KIND int64_t wide, int64_t n, int64_t k, const void *from, int64_t across, int64_t along, T *to)
{
    for (int64_t j = 0; j < n; j += wide, to += wide * k) {
        int64_t cols = n - j < wide ? n - j : wide;
        if (cols == wide && across == 1)
            for (int64_t p = 0; p < k; p++)
                for (int64_t c = 0; c < wide; c++) to[p * wide + c] = LOAD(from, p * along + j + c);
        else
            for (int64_t c = 0; c < wide; c++)
                for (int64_t p = 0; p < k; p++)
                    to[p * wide + c] = c < cols ? LOAD(from, (j + c) * across + p * along) : (T)0;
    }
}

INLINE void NAME(small)(KIND int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col,
                        const void *b, int64_t b_row, int64_t b_col, void *c, int64_t c_row, void *scratch)
{
    T edge[4 * 2 * LANES] __attribute__((aligned(64)));
    int64_t pitch = (n + LANES - 1) / LANES * LANES, from_row = a_row, from_col = a_col;
    const T *x = a, *y = b;
    T *next = scratch;
    if (!SAME || b_col != 1 || n % LANES) {
        for (int64_t p = 0; p < k; p++)
            for (int64_t j = 0; j < pitch; j++) next[p * pitch + j] = j < n ? LOAD(b, p * b_row + j * b_col) : (T)0;
        y = next, next += k * pitch;
    } else pitch = b_row;
    if (!SAME) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t p = 0; p < k; p++) next[i * k + p] = LOAD(a, i * a_row + p * a_col);
        x = next, from_row = k, from_col = 1;
    }
    for (int64_t i = 0; i < m; i += 4)
        for (int64_t j = 0; j < n; j += 2 * LANES) {
            int64_t rows = m - i < 4 ? m - i : 4, cols = n - j < 2 * LANES ? n - j : 2 * LANES;
            bool direct = SAME && cols % LANES == 0;
            T *out = direct ? (T *)c + i * c_row + j : edge;
            int64_t out_row = direct ? c_row : 2 * LANES;
            const T *r = x + i * from_row;
            int nv = cols > LANES ? 2 : 1;
            if (rows == 4 && nv == 1) NAME(micro)(4, 1, k, r, from_row, from_col, y + j, pitch, out, out_row, false);
            else if (rows == 4) NAME(micro)(4, 2, k, r, from_row, from_col, y + j, pitch, out, out_row, false);
            else
                for (int64_t q = 0; q < rows; q++, r += from_row)
                    if (nv == 1) NAME(micro)(1, 1, k, r, 0, from_col, y + j, pitch, out + q * out_row, 0, false);
                    else NAME(micro)(1, 2, k, r, 0, from_col, y + j, pitch, out + q * out_row, 0, false);
            for (int64_t q = 0; q < rows && !direct; q++)
                for (int64_t l = 0; l < cols; l++) PUT(c, (i + q) * c_row + j + l, edge[q * 2 * LANES + l]);
        }
}

INLINE void NAME(pack_a)(KIND int64_t m, int64_t k, const void *a, int64_t row, int64_t col, void *to)
{
    NAME(pack)(KIND_NAME ROWS, m, k, a, row, col, to);
}
INLINE void NAME(pack_b)(KIND int64_t n, int64_t k, const void *b, int64_t row, int64_t col, void *to)
{
    NAME(pack)(KIND_NAME 2 * LANES, n, k, b, col, row, to);
}

INLINE void NAME(store)(KIND int64_t m, int64_t n, const void *sums, int64_t pitch, void *c, int64_t c_row)
{
    const T *s = sums;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) PUT(c, i * c_row + j, s[i * pitch + j]);
}

INLINE void NAME(dot)(KIND int64_t n, const void *a, int64_t a_step, const void *b, int64_t b_step, bool conjugate,
                      void *sum)
{
    enum { PIECE = 16 * VECTOR_BYTES / sizeof(T) };
    T x[PIECE] __attribute__((aligned(64))), y[PIECE] __attribute__((aligned(64))), total = 0;
    (void)conjugate;
    V acc[4] = {{0}};
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t m = n - i < PIECE ? n - i : PIECE;
        const T *p = (const T *)a + i, *q = (const T *)b + i;
        if (!SAME || a_step != 1 || m < PIECE) {
            for (int64_t l = 0; l < PIECE; l++) x[l] = l < m ? LOAD(a, (i + l) * a_step) : (T)0;
            p = x;
        }
        if (!SAME || b_step != 1 || m < PIECE) {
            for (int64_t l = 0; l < PIECE; l++) y[l] = l < m ? LOAD(b, (i + l) * b_step) : (T)0;
            q = y;
        }
        UNROLL for (int l = 0; l < 16; l++)
            acc[l % 4] = MAC(acc[l % 4], (V)*(const VU *)(p + l * LANES), (V)*(const VU *)(q + l * LANES));
    }
    for (int v = 0; v < 4; v++)
        for (int l = 0; l < LANES; l++) total = (T)JOIN(total, acc[v][l]);
    *(T *)sum = total;
}

INLINE void NAME(finish)(KIND int64_t n, const void *sums, void *c)
{
    T total = ((const T *)sums)[0];
    for (int64_t i = 1; i < n; i++) total = (T)JOIN(total, ((const T *)sums)[i]);
    PUT(c, 0, total);
}

INLINE void NAME(column)(KIND int64_t m, const void *a, const void *b, void *sums, bool add)
{
    T *s = sums, k = LOAD(b, 0);
    if (add)
        for (int64_t i = 0; i < m; i++) s[i] = (T)ADDED(s[i], LOAD(a, i), k);
    else
        for (int64_t i = 0; i < m; i++) s[i] = (T)ADDED((T)0, LOAD(a, i), k);
}

#undef LANES
#undef V
#undef VU
#undef T
#undef S
#undef MAC
#undef JOIN
#undef ADDED
#undef LOAD
#undef PUT
#undef NAME
#undef KIND
#undef KIND_NAME
#undef ROWS
#undef SAME
