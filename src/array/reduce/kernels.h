/* The folds of the CPU: for each fold and type, three functions, compiled once per instruction set.
 *
 * An accumulator has `size` bytes: uint64_t (integers that stay integers, counts), double or two of them
 * (floating and complex sums and products), cpi_moments, an element (extremes), or a position and an element. The half
 * types are folded as float32: the driver widens them on the way. Blocks have at most CPI_REDUCE_BLOCK
 * elements, so that counters of a block fit one byte a lane and sequential sums stay short. */
#ifndef CPI_REDUCE_KERNELS_H
#define CPI_REDUCE_KERNELS_H

#include "cpu/features.h"
#include "reduce/result.h"

#define CPI_REDUCE_BLOCK 1024

/* Bytes of a register. Vectors that are compared are no wider: GCC compares wider ones element by element. */
#if defined(__AVX512BW__)
#define CPI_REGISTER 64
#elif defined(__AVX2__)
#define CPI_REGISTER 32
#else
#define CPI_REGISTER 16
#endif

/* Asks for the memory some way ahead of p, past the end of the page, where the processor stops asking itself. */
#define CPI_REDUCE_FETCH(p, bytes) \
    for (unsigned f_ = 0; f_ < (bytes); f_ += 64) __builtin_prefetch((const char *)(p) + 8192 + f_)

typedef struct cpi_reduce_kernel {
    int size;
    /* n contiguous elements, the first of them at position `base`; acc is written, but for places, where it is
     * joined with what stands there (index -1: nothing). `shift` (a pair) is subtracted by moments. */
    void (*run)(const void *x, int64_t n, int64_t base, const double *shift, void *acc);
    /* cols results at once: `rows` rows of contiguous elements, `pitch` bytes from row to row; positions are
     * base, base + 1, ...; shift holds a pair a column. */
    void (*columns)(const void *x, int64_t pitch, int64_t rows, int64_t cols, int64_t base, const double *shift,
                    void *acc);
    /* a[i] = a[i] joined with b[i] */
    void (*join)(void *a, const void *b, int64_t n);
    /* writes the accumulator of no elements; hand-written kernels leave this to those made from the rows */
    void (*empty)(void *acc);
} cpi_reduce_kernel;

/* By fold, [1] for integers modulo 2^64: a table of kernels by type, or NULL. */
typedef const cpi_reduce_kernel *cpi_reduce_kernels[CPI_NREDUCERS][2];
/* Made from the rows of reduce.def. */
extern const cpi_reduce_kernels cpi_reduce_rows_v2, cpi_reduce_rows_v3, cpi_reduce_rows_v4;
/* What takes their places where it is faster, written by hand: a function that is NULL is the row's. A run of bool's
 * own goes before that of uint8, whose kernels fold it. */
extern const cpi_reduce_kernels cpi_reduce_sums_v2, cpi_reduce_sums_v3, cpi_reduce_sums_v4;
extern const cpi_reduce_kernels cpi_reduce_orders_v2, cpi_reduce_orders_v3, cpi_reduce_orders_v4;

/* n elements of a half type, `stride` bytes apart, to float32. */
typedef void (*cpi_reduce_widen)(cp_type type, const char *x, int64_t stride, int64_t n, float *to);
extern const cpi_reduce_widen cpi_reduce_widen_v2, cpi_reduce_widen_v3, cpi_reduce_widen_v4;

/* element types with kernels: name, C type */
#define CPI_REDUCE_INTS(X)                                                             \
    X(INT8, int8_t) X(UINT8, uint8_t) X(INT16, int16_t) X(UINT16, uint16_t)            \
    X(INT32, int32_t) X(UINT32, uint32_t) X(INT64, int64_t) X(UINT64, uint64_t)
#define CPI_REDUCE_FLOATS(X) X(FLOAT32, float) X(FLOAT64, double)

#endif
