/* The loops of one type, included once for each by products_simd.c, which defines:
 *   T, S             what is computed with, and what is stored (T)
 *   NAME(f)          f_TYPE
 *   MAC(acc, a, k)   acc + a * k
 *   JOIN(x, y)       x + y
 *   LOAD(p, i), PUT(p, i, value)   element i of stored ones
 *   KIND, KIND_NAME  `cp_type kind, ` and `kind, ` where LOAD needs it
 *   IN_PLACE         where multiply_rows is wanted
 * What is in brackets, and the last four, are so unless defined. All are undefined at the end. */

#ifdef S
#define SAME 0
#else
#define S T
#define SAME 1
#endif
#ifndef JOIN
#define JOIN(x, y) ((x) + (y))
#define ADDED(s, a, k) ((s) + 1u * (a) * (k)) /* small integers are no int meanwhile, which must not overflow */
#else
#define ADDED MAC
#endif
#ifndef LOAD
#define LOAD(p, i) ((T)((const S *)(p))[i])
#define PUT(p, i, value) (((S *)(p))[i] = (S)(value))
#endif
#ifndef KIND
#define KIND
#define KIND_NAME
#endif
#define ROWS BLOCK_ROWS
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
typedef T NAME(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
#define V NAME(vec)
#define VU NAME(loose)

/* rows x (nv vectors) sums of k products, in registers all the time; both numbers are constants where this is called.
 * b lies in rows of `b_pitch`, out in rows of `pitch`; `part` elements of the last vector are there. `ahead`: k lines
 * of the cache that will be read next, or NULL. */
INLINE void NAME(micro)(int rows, int nv, int part, int64_t k, const T *a, int64_t a_row, int64_t a_col, const T *b,
                        int64_t b_pitch, T *out, int64_t pitch, bool add, const T *ahead)
{
    V acc[ROWS][2];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < nv; v++) acc[i][v] = (V){0};
    if (add) /* what the sums are added to comes meanwhile */
        for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < nv; v++)
            __builtin_prefetch(out + i * pitch + v * LANES, 1);
    for (int64_t p = 0; p < k; p++) {
        V c[2];
        if (ahead) __builtin_prefetch(ahead + p * (64 / (int)sizeof(T)), 0, 2);
        UNROLL for (int v = 0; v < nv; v++) {
            const T *from = b + p * b_pitch + v * LANES;
            c[v] = v < nv - 1 || part == LANES ? (V)*(const VU *)from : (V)LOAD_PART(from, part, sizeof(T));
        }
        UNROLL for (int i = 0; i < rows; i++) {
            V s = CPI_SPLAT(V, a[i * a_row + p * a_col]);
            UNROLL for (int v = 0; v < nv; v++) acc[i][v] = MAC(acc[i][v], c[v], s);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < nv; v++) {
        T *to = out + i * pitch + v * LANES;
        if (add) acc[i][v] = JOIN((V)*(const VU *)to, acc[i][v]);
        if (v < nv - 1 || part == LANES) *(VU *)to = acc[i][v];
        else STORE_PART(to, acc[i][v], part, sizeof(T));
    }
}

/* a in blocks of ROWS, one behind the other (`packed`), or as it lies. */
INLINE void NAME(blocks_of)(bool packed, int64_t m, int64_t n, int64_t k, const T *a, int64_t a_row, int64_t a_col,
                            const T *b, T *sums, int64_t pitch, bool add)
{
    T edge[ROWS * 2 * LANES] __attribute__((aligned(64)));
    const int64_t row = packed ? 1 : a_row, col = packed ? ROWS : a_col, block = packed ? k : a_row;
    for (int64_t j = 0; j < n; j += 2 * LANES)
        for (int64_t i = 0; i < m; i += ROWS) {
            int64_t rows = m - i < ROWS ? m - i : ROWS, cols = n - j < 2 * LANES ? n - j : 2 * LANES;
            const T *x = a + i * block, *y = b + j * k;
            T *out = sums + i * pitch + j;
            if (rows == ROWS && cols == 2 * LANES) {
                /* the next panel of b by the first two blocks, then those of a */
                const T *ahead = i < 2 * ROWS ? y + 2 * LANES * k + i / ROWS * k * (64 / (int)sizeof(T))
                                 : packed ? x + ROWS * k : NULL;
                NAME(micro)(ROWS, 2, LANES, k, x, row, col, y, 2 * LANES, out, pitch, add, ahead);
                continue;
            }
            int64_t before = packed ? 0 : ROWS - rows; /* rows that are there, and done */
            x -= before * row;
            if (cols > LANES) NAME(micro)(ROWS, 2, LANES, k, x, row, col, y, 2 * LANES, edge, 2 * LANES, false, NULL);
            else NAME(micro)(ROWS, 1, LANES, k, x, row, col, y, 2 * LANES, edge, 2 * LANES, false, NULL);
            for (int64_t r = 0; r < rows; r++)
                for (int64_t c = 0; c < cols; c++) {
                    T e = edge[(before + r) * 2 * LANES + c];
                    out[r * pitch + c] = add ? (T)JOIN(out[r * pitch + c], e) : e;
                }
        }
}

static void NAME(multiply)(int64_t m, int64_t n, int64_t k, const void *a, const void *b, void *sums, int64_t pitch,
                           bool add)
{
    NAME(blocks_of)(true, m, n, k, a, 0, 0, b, sums, pitch, add);
}

#ifdef IN_PLACE
static void NAME(multiply_rows)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col,
                                const void *b, void *sums, int64_t pitch, bool add)
{
    if (a_col == 1) NAME(blocks_of)(false, m, n, k, a, a_row, 1, b, sums, pitch, add);
    else NAME(blocks_of)(false, m, n, k, a, 1, a_col, b, sums, pitch, add);
}
#endif

/* Columns of `to` from rows that lie apart: squares of 16 bytes are turned over in registers. */
INLINE void NAME(turn)(int64_t wide, int64_t k, const T *from, int64_t across, T *to)
{
    enum { SIDE = 16 / sizeof(T) };
    typedef T square __attribute__((vector_size(16)));
    int64_t p = 0;
    for (; SIDE <= 4 && wide % SIDE == 0 && p + SIDE <= k; p += SIDE)
        for (int64_t c = 0; c < wide; c += SIDE) {
            square row[SIDE];
            UNROLL for (int i = 0; i < SIDE; i++) memcpy(&row[i], from + (c + i) * across + p, 16);
            TURN_SQUARE(row);
            UNROLL for (int i = 0; i < SIDE; i++) memcpy(to + (p + i) * wide + c, &row[i], 16);
        }
    for (; p < k; p++)
        for (int64_t c = 0; c < wide; c++) to[p * wide + c] = from[c * across + p];
}

INLINE void NAME(pack)(KIND int64_t wide, int64_t n, int64_t k, const void *from, int64_t across, int64_t along, T *to)
{
    for (int64_t j = 0; j < n; j += wide, to += wide * k) {
        int64_t cols = n - j < wide ? n - j : wide;
        if (cols == wide && across == 1)
            for (int64_t p = 0; p < k; p++)
                for (int64_t c = 0; c < wide; c++) to[p * wide + c] = LOAD(from, p * along + j + c);
        else if (SAME && cols == wide && along == 1)
            NAME(turn)(wide, k, (const T *)from + j * across, across, to);
        else
            for (int64_t c = 0; c < wide; c++)
                for (int64_t p = 0; p < k; p++)
                    to[p * wide + c] = c < cols ? LOAD(from, (j + c) * across + p * along) : (T)0;
    }
}

/* Up to 8 rows of a small matrix, as wide as one vector or two, of which the last has `part` elements. */
INLINE void NAME(rows_of)(int nv, int part, int64_t m, int64_t k, const T *a, int64_t a_row, int64_t a_col, const T *b,
                          int64_t b_pitch, T *out, int64_t pitch)
{
    int64_t i = 0;
    if (nv == 1 && ROWS >= 8)
        for (; i + 8 <= m; i += 8)
            NAME(micro)(ROWS >= 8 ? 8 : 4, nv, part, k, a + i * a_row, a_row, a_col, b, b_pitch, out + i * pitch, pitch,
                        false, NULL);
    for (; i + 4 <= m; i += 4)
        NAME(micro)(4, nv, part, k, a + i * a_row, a_row, a_col, b, b_pitch, out + i * pitch, pitch, false, NULL);
    for (; i < m; i++)
        NAME(micro)(1, nv, part, k, a + i * a_row, 0, a_col, b, b_pitch, out + i * pitch, 0, false, NULL);
}

INLINE void NAME(small)(KIND int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col,
                        const void *b, int64_t b_row, int64_t b_col, void *c, int64_t c_row, void *scratch)
{
    int64_t pitch = (n + LANES - 1) / LANES * LANES, from_row = a_row, from_col = a_col, to_row = c_row;
    bool whole = HAVE_PARTS || n % LANES == 0, direct = SAME && whole, packed = !SAME || b_col != 1 || !whole;
    const T *x = a, *y = b;
    T *next = scratch, *out = c;
    if (packed) {
        for (int64_t p = 0; p < k; p++)
            for (int64_t j = 0; j < pitch; j++) next[p * pitch + j] = j < n ? LOAD(b, p * b_row + j * b_col) : (T)0;
        y = next, next += k * pitch;
    }
    if (!SAME) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t p = 0; p < k; p++) next[i * k + p] = LOAD(a, i * a_row + p * a_col);
        x = next, from_row = k, from_col = 1, next += m * k;
    }
    if (!direct) out = next, to_row = pitch;
    int64_t b_pitch = packed ? pitch : b_row;
    for (int64_t j = 0; j < n; j += 2 * LANES) {
        int64_t cols = n - j < 2 * LANES ? n - j : 2 * LANES;
        int part = !direct || cols % LANES == 0 ? LANES : (int)(cols % LANES);
        if (part == LANES && cols > LANES)
            NAME(rows_of)(2, LANES, m, k, x, from_row, from_col, y + j, b_pitch, out + j, to_row);
        else if (part == LANES) NAME(rows_of)(1, LANES, m, k, x, from_row, from_col, y + j, b_pitch, out + j, to_row);
        else if (cols > LANES) NAME(rows_of)(2, part, m, k, x, from_row, from_col, y + j, b_pitch, out + j, to_row);
        else NAME(rows_of)(1, part, m, k, x, from_row, from_col, y + j, b_pitch, out + j, to_row);
    }
    for (int64_t i = 0; i < m && !direct; i++)
        for (int64_t j = 0; j < n; j++) PUT(c, i * c_row + j, out[i * pitch + j]);
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

/* Adds the products of n elements that lie one after the other to four vectors; the rest, less than one, to *total. */
INLINE void NAME(dot_dense)(int64_t n, const T *p, const T *q, V *acc, T *total)
{
    int64_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        UNROLL for (int l = 0; l < 4; l++)
            acc[l] = MAC(acc[l], (V)*(const VU *)(p + i + l * LANES), (V)*(const VU *)(q + i + l * LANES));
    for (; i + LANES <= n; i += LANES) acc[0] = MAC(acc[0], (V)*(const VU *)(p + i), (V)*(const VU *)(q + i));
    for (; i < n; i++) *total = (T)ADDED(*total, p[i], q[i]);
}

INLINE void NAME(dot)(KIND int64_t n, const void *a, int64_t a_step, const void *b, int64_t b_step, bool conjugate,
                      void *sum)
{
    enum { SEGMENT = 8 * VECTOR_BYTES / sizeof(T) };
    T x[SEGMENT] __attribute__((aligned(64))), y[SEGMENT] __attribute__((aligned(64))), total = 0;
    V acc[4] = {{0}};
    (void)conjugate;
    if (SAME && a_step == 1 && b_step == 1) NAME(dot_dense)(n, a, b, acc, &total);
    else
        for (int64_t i = 0; i < n; i += SEGMENT) {
            int64_t m = n - i < SEGMENT ? n - i : SEGMENT;
            for (int64_t l = 0; l < m; l++) x[l] = LOAD(a, (i + l) * a_step), y[l] = LOAD(b, (i + l) * b_step);
            NAME(dot_dense)(m, x, y, acc, &total);
        }
    acc[0] = JOIN(JOIN(acc[0], acc[1]), JOIN(acc[2], acc[3]));
    for (int l = 0; l < LANES; l++) total = (T)JOIN(total, acc[0][l]);
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
#undef IN_PLACE
