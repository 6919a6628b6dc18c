/* Extrema of floating-point numbers, and argmin and argmax of all types, where hand-written kernels beat the
 * generated ones; compiled once per instruction set.
 *
 * Invariant: NaN beats everything, and the first of several NaN or equal elements wins. Runs of real numbers find the
 * extremum of a block with vectors first, and search for its index only where it beats the current best. The second
 * search is bounded by the block's end: another thread may have written there meanwhile. */
#include <string.h>

#include "core/paste.h"
#include "reduce/kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define LESS(a, b) ((a) < (b))
#define MORE(a, b) ((a) > (b))

#define NAN_FLOAT(x) ((x) != (x))

/* What orders_floats.inc needs of the processor; X is the type's name there, OP(f) its instruction f. */
#if defined(__AVX512F__)
#define VECTOR_FLOAT32 __m512
#define VECTOR_FLOAT64 __m512d
#define OP_FLOAT32(op) _mm512_##op##_ps
#define OP_FLOAT64(op) _mm512_##op##_pd
#define NAN_TYPE_FLOAT32 __mmask16
#define NAN_TYPE_FLOAT64 __mmask8
#define UNORDERED(a, b) CPI_JOIN(UNORDERED_, X)(a, b)
#define UNORDERED_FLOAT32(a, b) _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q)
#define UNORDERED_FLOAT64(a, b) _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q)
#define JOIN_NAN(a, b) ((NAN_TYPE)((a) | (b)))
#define ANY_NAN(a) ((a) != 0)
#define EQUAL(a, b) CPI_JOIN(EQUAL_, X)(a, b)
#define EQUAL_FLOAT32(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define EQUAL_FLOAT64(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#elif defined(__AVX2__)
#define VECTOR_FLOAT32 __m256
#define VECTOR_FLOAT64 __m256d
#define OP_FLOAT32(op) _mm256_##op##_ps
#define OP_FLOAT64(op) _mm256_##op##_pd
#define NAN_TYPE_FLOAT32 __m256
#define NAN_TYPE_FLOAT64 __m256d
#define UNORDERED(a, b) OP(cmp)(a, b, _CMP_UNORD_Q)
#define JOIN_NAN(a, b) OP(or)(a, b)
#define ANY_NAN(a) (OP(movemask)(a) != 0)
#define EQUAL(a, b) (unsigned)OP(movemask)(OP(cmp)(a, b, _CMP_EQ_OQ))
#endif
#define TAKE_low min
#define TAKE_high max

/* --- real numbers --- */

#define T int8_t
#define X INT8
#define SIGNED int8_t
#define FLOATING 0
#include "reduce/orders.inc"
#define T uint8_t
#define X UINT8
#define SIGNED int8_t
#define FLOATING 0
#include "reduce/orders.inc"
#define T int16_t
#define X INT16
#define SIGNED int16_t
#define FLOATING 0
#include "reduce/orders.inc"
#define T uint16_t
#define X UINT16
#define SIGNED int16_t
#define FLOATING 0
#include "reduce/orders.inc"
#define T int32_t
#define X INT32
#define SIGNED int32_t
#define FLOATING 0
#include "reduce/orders.inc"
#define T uint32_t
#define X UINT32
#define SIGNED int32_t
#define FLOATING 0
#include "reduce/orders.inc"
#define T int64_t
#define X INT64
#define SIGNED int64_t
#define FLOATING 0
#include "reduce/orders.inc"
#define T uint64_t
#define X UINT64
#define SIGNED int64_t
#define FLOATING 0
#include "reduce/orders.inc"
#define T float
#define X FLOAT32
#define SIGNED int32_t
#define FLOATING 1
#include "reduce/orders.inc"
#define T double
#define X FLOAT64
#define SIGNED int64_t
#define FLOATING 1
#include "reduce/orders.inc"

/* --- complex numbers: by real part, then imaginary part --- */

#define NAN_PAIR(x) ((x).re != (x).re || (x).im != (x).im)
#define LESS_PAIR(a, b) ((a).re < (b).re || ((a).re == (b).re && (a).im < (b).im))
#define MORE_PAIR(a, b) ((a).re > (b).re || ((a).re == (b).re && (a).im > (b).im))
#define T cp_complex64
#define X COMPLEX64
#include "reduce/orders.inc"
#define T cp_complex128
#define X COMPLEX128
#include "reduce/orders.inc"

/* --- positions of booleans: the first true one, the first false one --- */

static int64_t first_true(const uint8_t *x, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, x + i, sizeof eight);
        if (eight) break;
    }
    while (i < n && !x[i]) i++;
    return i;
}

static int64_t first_false(const uint8_t *x, int64_t n)
{
    const uint8_t *p = memchr(x, 0, (size_t)n);
    return p ? p - x : n;
}

#define BOOL_RUN(KIND, BEST, FIRST)                                                                           \
    static void KIND##_indexed_run_BOOL(const void *data, int64_t n, int64_t base, const double *shift, void *acc) \
    {                                                                                                         \
        indexed_UINT8 *a = acc;                                                                               \
        (void)shift;                                                                                          \
        if (a->index >= 0 && (a->value != 0) == BEST) return;                                                 \
        int64_t i = FIRST(data, n);                                                                           \
        if (i < n) *a = (indexed_UINT8){base + i, BEST};                                                      \
        else if (a->index < 0) *a = (indexed_UINT8){base, !BEST};                                             \
    }
BOOL_RUN(low, 0, first_false)
BOOL_RUN(high, 1, first_true)

/* Runs and columns of floating-point numbers. */
#define EXTREME_RUN(KIND, NAME, T)                                                                            \
    static void KIND##_run_##NAME(const void *data, int64_t n, int64_t base, const double *shift, void *acc)  \
    {                                                                                                         \
        (void)base, (void)shift;                                                                              \
        T best = KIND##_of_##NAME(data, n);                                                                   \
        memcpy(acc, &best, sizeof best);                                                                      \
    }
#define EXTREME_COLUMNS(KIND, NAME, T, BETTER)                                                                \
    static void KIND##_columns_##NAME(const void *data, int64_t pitch, int64_t rows, int64_t cols,            \
                                      int64_t base, const double *shift, void *acc)                           \
    {                                                                                                         \
        T *restrict a = acc;                                                                                  \
        (void)base, (void)shift;                                                                              \
        memcpy(a, data, (size_t)cols * sizeof *a);                                                            \
        for (int64_t i = 1; i < rows; i++) {                                                                  \
            const T *restrict x = (const T *)((const char *)data + i * pitch);                                \
            for (int64_t j = 0; j < cols; j++) a[j] = BETTER(x[j], a[j]) || NAN_FLOAT(x[j]) ? x[j] : a[j];    \
        }                                                                                                     \
    }
#define EXTREMES(NAME, T)                    \
    EXTREME_RUN(low, NAME, T)                \
    EXTREME_RUN(high, NAME, T)               \
    EXTREME_COLUMNS(low, NAME, T, LESS)      \
    EXTREME_COLUMNS(high, NAME, T, MORE)
EXTREMES(FLOAT32, float)
EXTREMES(FLOAT64, double)

/* --- the table --- */

#define INDEXED(KIND, NAME)                                                                                            \
    [CP_##NAME] = {sizeof(indexed_##NAME), KIND##_indexed_run_##NAME, KIND##_indexed_columns_##NAME,                   \
                   KIND##_indexed_join_##NAME},
#define LOW_INDEXED(NAME, T) INDEXED(low, NAME)
#define HIGH_INDEXED(NAME, T) INDEXED(high, NAME)
#define ALL(X) CPI_REDUCE_INTS(X) CPI_REDUCE_FLOATS(X) X(COMPLEX64, cp_complex64) X(COMPLEX128, cp_complex128)

static const cpi_reduce_kernel lowest[CP_NTYPES] = {
    [CP_FLOAT32] = {4, .run = low_run_FLOAT32, .columns = low_columns_FLOAT32},
    [CP_FLOAT64] = {8, .run = low_run_FLOAT64, .columns = low_columns_FLOAT64},
};
static const cpi_reduce_kernel highest[CP_NTYPES] = {
    [CP_FLOAT32] = {4, .run = high_run_FLOAT32, .columns = high_columns_FLOAT32},
    [CP_FLOAT64] = {8, .run = high_run_FLOAT64, .columns = high_columns_FLOAT64},
};
static const cpi_reduce_kernel lowest_indexed[CP_NTYPES] = {
    [CP_BOOL] = {sizeof(indexed_UINT8), .run = low_indexed_run_BOOL}, ALL(LOW_INDEXED)};
static const cpi_reduce_kernel highest_indexed[CP_NTYPES] = {
    [CP_BOOL] = {sizeof(indexed_UINT8), .run = high_indexed_run_BOOL}, ALL(HIGH_INDEXED)};

const cpi_reduce_kernels CPI_ISA_NAME(cpi_reduce_orders) = {
    [CPI_REDUCER_LOWEST][0] = lowest, [CPI_REDUCER_HIGHEST][0] = highest,
    [CPI_REDUCER_LOWEST_INDEXED][0] = lowest_indexed, [CPI_REDUCER_HIGHEST_INDEXED][0] = highest_indexed,
};
