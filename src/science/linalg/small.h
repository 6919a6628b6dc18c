/* Small matrices, a pack at a time: what linalg_small.c and the kernels of linalg_simd.c share.
 *
 * A pack holds as many matrices as a vector has lanes; element (y, x) of all of them is one vector. Each lane goes its
 * own way by masks, so a matrix' bits depend neither on its neighbours nor on the vectors' width. */
#ifndef CPI_LINALG_SMALL_H
#define CPI_LINALG_SMALL_H

#include "linalg/linalg.h"

enum { CPI_SMALL_MOST = 32 }; /* extents of m and n */
typedef enum cpi_small_kind {
    CPI_SMALL_SOLVE, CPI_SMALL_INV, CPI_SMALL_DET, CPI_SMALL_CHOLESKY, CPI_SMALL_QR, CPI_SMALL_SVD, CPI_SMALL_EIGH,
    CPI_SMALL_LU
} cpi_small_kind;

/* What linalg_simd.c has for each of the four types: matrices first..last of a call, in packs; `work` has
 * cpi_small_bytes. Returns the trouble. */
typedef int (*cpi_small_fn)(cpi_small_kind kind, const cpi_linalg *l, int64_t first, int64_t last, void *work);
typedef struct cpi_small_matrix_kernels {
    cpi_small_fn run[4]; /* float32, float64, complex64, complex128 */
    int bytes;           /* of a vector */
} cpi_small_matrix_kernels;
extern const cpi_small_matrix_kernels cpi_small_matrix_kernels_v2, cpi_small_matrix_kernels_v3,
    cpi_small_matrix_kernels_v4;

/* The determinant's numbers of matrix i from its n pivots (pairs for complex numbers), widened, with the sign of the
 * exchanges in; `zero`: a pivot is 0. */
void cpi_linalg_write_det(const cpi_linalg *l, int64_t i, const double *pivots, bool zero);

#endif
