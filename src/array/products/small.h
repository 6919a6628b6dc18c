/* Blocks of small matrices in vectors of one length, included by products_simd.c once for each, which defines:
 *   T, LANES         what a vector has, and how many of it
 *   PARTS            of an element: 2 of a complex number, whose real and imaginary part lie one after the other
 *   VECTORS          most of them side by side
 *   NAME(f)          f_TYPExLANES
 *   SQUARE_ROWS      where squares is wanted: rows of a small square that make a vector, 1 or 2
 * All are undefined at the end.
 *
 * Rows need not be a multiple of the lanes: the last vector of a row ends where the row does and overlaps the one
 * before it, so what both have is computed twice, in the same way, and nothing behind a row is touched. */

#define V_BYTES (LANES * sizeof(T) < 16 ? 16 : LANES * sizeof(T)) /* two floats are half of a vector */
typedef T NAME(vec) __attribute__((vector_size(V_BYTES)));
typedef __typeof__((NAME(vec)){0} == (NAME(vec)){0}) NAME(bits);
#define V NAME(vec)

INLINE V NAME(load)(const void *p)
{
    V v;
    if (LANES * sizeof(T) == 8) {
        cpi_f64x2 half = {0, 0};
        memcpy(&half[0], p, 8);
        memcpy(&v, &half, 16);
    } else memcpy(&v, p, sizeof v);
    return v;
}

/* Complex numbers with their parts exchanged. */
INLINE V NAME(swapped)(V v)
{
    V s;
    UNROLL for (int l = 0; l < (int)(V_BYTES / sizeof(T)); l++) s[l] = v[l ^ 1];
    return s;
}

/* Factors of the first and the second part of complex numbers. */
INLINE V NAME(factors)(T first, T second)
{
    V v;
    UNROLL for (int l = 0; l < (int)(V_BYTES / sizeof(T)); l++) v[l] = l % 2 ? second : first;
    return v;
}

/* `rows` rows of c, `nv` vectors wide, kept in registers; both numbers are constants where this is called. */
INLINE void NAME(block)(int rows, int nv, const cpi_small *s, const char *a, const char *b, char *c)
{
    V sum[CPI_SMALL_ROWS][VECTORS], cross[CPI_SMALL_ROWS][VECTORS]; /* times the real part; times the other one */
    const int64_t a_row = s->a_row, a_col = s->a_col, b_row = s->b_row, c_row = s->c_row, last = s->last;
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < nv; v++) sum[i][v] = cross[i][v] = (V){0};
    for (int64_t p = s->k; p > 0; p--, a += a_col, b += b_row) {
        V x[VECTORS], y[VECTORS];
        UNROLL for (int v = 0; v < nv; v++) {
            x[v] = NAME(load)(b + (v < nv - 1 ? v * LANES * (int)sizeof(T) : last));
            if (PARTS == 2) y[v] = NAME(swapped)(x[v]);
        }
        UNROLL for (int i = 0; i < rows; i++) {
            T e[PARTS];
            memcpy(e, a + i * a_row, sizeof e);
            UNROLL for (int v = 0; v < nv; v++) {
                sum[i][v] = CPI_MAC(sum[i][v], x[v], CPI_SPLAT(V, e[0]));
                if (PARTS == 2) cross[i][v] = CPI_MAC(cross[i][v], y[v], CPI_SPLAT(V, e[PARTS - 1]));
            }
        }
    }
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < nv; v++) {
        if (PARTS == 2) sum[i][v] = CPI_MAC(sum[i][v], cross[i][v], NAME(factors)(-1, 1));
        memcpy(c + i * c_row + (v < nv - 1 ? v * LANES * (int)sizeof(T) : last), &sum[i][v], LANES * sizeof(T));
    }
}

/* Lanes whose bit d is clear: sums of u over the two that differ there; the others: of v. */
INLINE V NAME(join)(V u, V v, int d)
{
    enum { N = V_BYTES / sizeof(T) };
    NAME(bits) lane;
    UNROLL for (int l = 0; l < N; l++) lane[l] = l;
    NAME(bits) second = (lane & d) * (N / d); /* v's lanes count from N */
    return __builtin_shuffle(u, v, lane + second) + __builtin_shuffle(u, v, (lane ^ d) + second);
}

/* Dot products of `rows` rows of a and of b, a vector or more long; `rows`, a power of 2, is a constant. */
INLINE void NAME(sums)(int rows, const cpi_small *s, const char *a, const char *b, char *c)
{
    static const char zeros_and_ones[128] = {[64 ... 127] = -1};
    enum { BYTES = LANES * sizeof(T) };
    const int64_t a_row = s->a_row, b_row = s->b_row, length = s->k * PARTS * (int)sizeof(T), rest = length % BYTES;
    const int results = rows;
    V sum[4], cross[4];
    UNROLL for (int i = 0; i < rows; i++) sum[i] = cross[i] = (V){0};
    for (int64_t at = 0; at + BYTES <= length; at += BYTES)
        UNROLL for (int i = 0; i < rows; i++) {
            V x = NAME(load)(a + i * a_row + at), y = NAME(load)(b + i * b_row + at);
            sum[i] = CPI_MAC(sum[i], x, y);
            if (PARTS == 2) cross[i] = CPI_MAC(cross[i], x, NAME(swapped)(y));
        }
    if (rest) { /* the last vector, without what has been added */
        NAME(bits) some = (NAME(bits))NAME(load)(zeros_and_ones + 64 - (BYTES - rest));
        UNROLL for (int i = 0; i < rows; i++) {
            V x = (V)((NAME(bits))NAME(load)(a + i * a_row + length - BYTES) & some);
            V y = (V)((NAME(bits))NAME(load)(b + i * b_row + length - BYTES) & some);
            sum[i] = CPI_MAC(sum[i], x, y);
            if (PARTS == 2) cross[i] = CPI_MAC(cross[i], x, NAME(swapped)(y));
        }
    }
    if (PARTS == 2) {
        V one = NAME(factors)(1, s->conjugate ? 1 : -1), other = NAME(factors)(1, s->conjugate ? -1 : 1);
        UNROLL for (int i = 0; i < rows; i++) sum[i] = NAME(join)(sum[i] * one, cross[i] * other, 1);
    }
    UNROLL for (int d = PARTS; d < LANES; d *= 2) { /* row i's sums stay where i's bits are those of the lane */
        if (rows == 1) sum[0] = NAME(join)(sum[0], sum[0], d);
        else UNROLL for (int i = 0; i < rows / 2; i++) sum[i] = NAME(join)(sum[2 * i], sum[2 * i + 1], d);
        rows = rows == 1 ? 1 : rows / 2;
    }
    memcpy(c, &sum[0], results * PARTS * sizeof(T));
}

#ifdef SQUARE_ROWS
/* `count` contiguous matrices of N rows, columns and products each; with a step of 0 the same one again. A vector has
 * SQUARE_ROWS rows of c. Each sum is computed as a block's is. */
static void NAME(squares)(int64_t count, const char *a, int64_t a_step, const char *b, int64_t b_step, char *c)
{
    enum { R = SQUARE_ROWS, N = LANES / PARTS / R, ROW = N * PARTS * sizeof(T) };
    NAME(bits) lane;
    UNROLL for (int l = 0; l < LANES; l++) lane[l] = l;
    const NAME(bits) first = R == 1 ? lane * 0 : lane & (LANES / 2); /* of the row that a lane belongs to */
    for (; count > 0; count--, a += a_step, b += b_step, c += N * ROW) {
        V sum[N / R], cross[N / R], rows[N / R];
        UNROLL for (int i = 0; i < N / R; i++) {
            sum[i] = cross[i] = (V){0};
            if (R == 2) memcpy(&rows[i], a + i * R * ROW, R * ROW);
        }
        UNROLL for (int p = 0; p < N; p++) {
            V x = R == 1 ? NAME(load)(b + p * ROW) : (V)TWICE(b + p * ROW), y = x;
            if (PARTS == 2) y = NAME(swapped)(x);
            UNROLL for (int i = 0; i < N / R; i++) {
                T e[PARTS];
                if (R == 1) memcpy(e, a + i * ROW + p * PARTS * (int)sizeof(T), sizeof e);
                V k = R == 1 ? CPI_SPLAT(V, e[0]) : __builtin_shuffle(rows[i], first + p * PARTS);
                sum[i] = CPI_MAC(sum[i], x, k);
                if (PARTS == 1) continue;
                k = R == 1 ? CPI_SPLAT(V, e[PARTS - 1]) : __builtin_shuffle(rows[i], first + (p * PARTS + 1));
                cross[i] = CPI_MAC(cross[i], y, k);
            }
        }
        UNROLL for (int i = 0; i < N / R; i++) {
            if (PARTS == 2) sum[i] = CPI_MAC(sum[i], cross[i], NAME(factors)(-1, 1));
            memcpy(c + i * R * ROW, &sum[i], R * ROW);
        }
    }
}
#endif

/* Functions of up to CPI_SMALL_ROWS rows, as far as registers hold their sums. */
#define BLOCK(nv, rows)                                                                               \
    static void NAME(block_##nv##_##rows)(const cpi_small *s, const void *a, const void *b, void *c)  \
    {                                                                                                 \
        NAME(block)(rows, nv, s, a, b, c);                                                            \
    }
#define BLOCKS(nv) \
    BLOCK(nv, 1) BLOCK(nv, 2) BLOCK(nv, 3) BLOCK(nv, 4) BLOCK(nv, 5) BLOCK(nv, 6) BLOCK(nv, 7) BLOCK(nv, 8)
#define IF_HELD(nv, rows) (rows * nv * PARTS <= SUM_REGISTERS ? NAME(block_##nv##_##rows) : NULL)
#define TABLE_OF(nv)                                                                                              \
    {                                                                                                             \
        IF_HELD(nv, 1), IF_HELD(nv, 2), IF_HELD(nv, 3), IF_HELD(nv, 4), IF_HELD(nv, 5), IF_HELD(nv, 6),           \
            IF_HELD(nv, 7), IF_HELD(nv, 8)                                                                        \
    }
enum { NAME(some) = LANES / PARTS < 4 ? LANES / PARTS : 4 };
static void NAME(one_sum)(const cpi_small *s, const void *a, const void *b, void *c) { NAME(sums)(1, s, a, b, c); }
static void NAME(some_sums)(const cpi_small *s, const void *a, const void *b, void *c)
{
    NAME(sums)(NAME(some), s, a, b, c);
}
BLOCKS(1)
BLOCKS(2)
#if VECTORS == 4
BLOCKS(3)
BLOCKS(4)
#endif
static const cpi_small_product_kernels NAME(small) = {
    .bytes = LANES * sizeof(T), .sums = {NAME(one_sum), NAME(some_sums)}, .rows = NAME(some), .vectors = VECTORS,
#if VECTORS == 4
    .block = {TABLE_OF(1), TABLE_OF(2), TABLE_OF(3), TABLE_OF(4)},
#else
    .block = {TABLE_OF(1), TABLE_OF(2)},
#endif
};

#undef BLOCK
#undef BLOCKS
#undef IF_HELD
#undef TABLE_OF
#undef V
#undef V_BYTES
#undef T
#undef LANES
#undef PARTS
#undef VECTORS
#undef SQUARE_ROWS
#undef NAME
