/* What is compiled once per instruction set: ranks of short rows' columns, and rows times a vector. */
#ifndef CPI_SPARSE_KERNELS_H
#define CPI_SPARSE_KERNELS_H

#include "cpu/features.h"
#include "sparse/sparse.h"

enum { CPI_SPARSE_SHORT = 32, CPI_SPARSE_MIDDLE = 128 };

/* Where two rows' columns, ascending and at most CPI_SPARSE_SHORT each, are among each other: bit i of equal[0] says
 * that b has a[i], bit k of equal[1] that a has b[k]. */
typedef struct cpi_sparse_matches {
    int32_t less[2][CPI_SPARSE_SHORT]; /* of each of a, how many of b are below it; of each of b, how many of a */
    uint32_t equal[2];
} cpi_sparse_matches;

typedef struct cpi_sparse_trend {
    int64_t least, most, less, equal;
} cpi_sparse_trend;

/* `there`: how many elements behind the row's first one may be read. */
typedef struct cpi_sparse_kernels {
    /* less[i]: how many of n <= CPI_SPARSE_SHORT columns are below x[i]; less has room for CPI_SPARSE_SHORT. */
    void (*order)(const int32_t *x, int n, int64_t there, int32_t *less);
    /* rank[i]: how many of n <= CPI_SPARSE_MIDDLE different keys are below key[i]; both have room for 32 more. */
    void (*rank)(const int32_t *key, int n, int32_t *rank);
    /* Have two short rows a column in common? */
    bool (*meet)(const int32_t *a, int na, int64_t there, const int32_t *b, int nb);
    void (*match)(const int32_t *a, int na, int64_t there, const int32_t *b, int nb, cpi_sparse_matches *p);
    /* Has one of n words no bit of the mask? */
    bool (*some_zero_32)(const uint32_t *v, int64_t n, uint32_t mask);
    bool (*some_zero_64)(const uint64_t *v, int64_t n, uint64_t mask);
    /* Of x[0..n-1], behind which (x[-1]) there is another one: the least and the greatest, with those that were there,
     * and how many are below, and equal to, the one before. */
    void (*trend_32)(const int32_t *x, int64_t n, cpi_sparse_trend *s);
    void (*trend_64)(const int64_t *x, int64_t n, cpi_sparse_trend *s);
    /* Rows of int32 indices times a vector, with four sums a row. */
    void (*times_f32)(const cpi_sparse_multiply *m, int64_t begin, int64_t end);
    void (*times_f64)(const cpi_sparse_multiply *m, int64_t begin, int64_t end);
} cpi_sparse_kernels;
extern const cpi_sparse_kernels cpi_sparse_kernels_v2, cpi_sparse_kernels_v3, cpi_sparse_kernels_v4;

#endif
