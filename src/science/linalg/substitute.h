/* Substitution by a triangular matrix in many columns at once (substitute_cpu.c), by kernels (substitute_simd.c) in a
 * few rows and products between them. */
#ifndef CPI_LINALG_SUBSTITUTE_H
#define CPI_LINALG_SUBSTITUTE_H

#include "linalg/job.h"

enum { CPI_TRIANGLE_ROWS = 64 }; /* limit of a kernel's */

/* Element (i, c), i >= c, of a lower triangular matrix lies i * row + c * column elements behind t; steps may be
 * negative: an upper one is taken from its end. */
typedef struct cpi_triangle {
    int64_t n;
    const void *t;
    int64_t row, column;
    bool unit;       /* the diagonal is 1 and is not read */
    bool conjugate;  /* of the elements */
} cpi_triangle;

/* T X = B in place for `count` columns of X; rows of x lie `pitch` elements apart. */
typedef void cpi_substitute_fn(const cpi_triangle *w, void *x, int64_t pitch, int64_t count);
typedef struct cpi_substitute_kernels {
    cpi_substitute_fn *run[4]; /* float32, float64, complex64, complex128 */
} cpi_substitute_kernels;
extern const cpi_substitute_kernels cpi_substitute_kernels_v2, cpi_substitute_kernels_v3, cpi_substitute_kernels_v4;

/* A triangular system for the rows of X. Element (i, c) of the matrix lies i * row + c * column elements behind t; one
 * of the two is 1. `conjugate` only where row is 1. */
typedef struct cpi_substitution {
    const job *j;
    cpi_lapack_fn gemm;
    int64_t n;
    const char *t;
    int64_t row, column;
    bool lower, unit, conjugate;
} cpi_substitution;
/* In one thread, which calls the library alone (lapack.h): T X = B in place for `count` columns. */
void cpi_substitute(const cpi_substitution *s, char *x, int64_t pitch, int64_t count);
/* The same by the pool's threads, each with some columns. */
void cpi_substitute_all(const cpi_substitution *s, char *x, int64_t pitch, int64_t count);

#endif
