/* Linear algebra of batches of matrices in the last two axes. float32, float64, complex64 and complex128 keep their
 * type; integers and booleans compute in float64; other types are refused.
 *
 * A matrix for which an operation fails (a singular one, one without a Cholesky factor, eigenvalues that do not
 * converge) is CP_ERROR_LINALG: at once on the CPU; on a GPU at the stream's next operation, copy to the host or wait.
 * Wrong shapes are CP_ERROR_LINALG or CP_ERROR_VALUE, as NumPy has it. Of several results, all are made or none. */
#ifndef CUPRITE_LINALG_H
#define CUPRITE_LINALG_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x with a x = b; a 1-d b is one vector, else its last two axes are matrices. */
CP_API cp_array *cp_solve(cp_array *a, cp_array *b);
typedef struct cp_inv_options {
    CP_OPTION(bool, quiet); /* the inverse of a singular matrix is NaN instead of an error */
    int _;
} cp_inv_options;
CP_API cp_array *cp_inv(cp_array *a, const cp_inv_options *options);
#define cp_inv(...) CP_CALL(cp_inv, cp_inv_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_det(cp_array *a);
/* Sign (a number of modulus 1, or 0) and logarithm of the modulus of the determinant. */
CP_API cp_code cp_slogdet(cp_array *a, cp_array **sign, cp_array **logabsdet);

typedef struct cp_cholesky_options {
    CP_OPTION(bool, upper); /* the upper triangle is read, and U with a = U^H U is the result */
    int _;
} cp_cholesky_options;
/* L with a = L L^H; only the lower triangle of a is read. */
CP_API cp_array *cp_cholesky(cp_array *a, const cp_cholesky_options *options);
#define cp_cholesky(...) CP_CALL(cp_cholesky, cp_cholesky_options, __VA_ARGS__, ._ = 0)

typedef enum cp_qr_mode { CP_QR_REDUCED, CP_QR_COMPLETE, CP_QR_R, CP_QR_RAW } cp_qr_mode;
typedef struct cp_qr_options {
    CP_OPTION(cp_qr_mode, mode);
    int _;
} cp_qr_options;
/* a = q r by Householder reflections. CP_QR_R: *r alone, q may be NULL. CP_QR_RAW: LAPACK's reflections, transposed, in
 * *q and their factors tau in *r. */
CP_API cp_code cp_qr(cp_array *a, cp_array **q, cp_array **r, const cp_qr_options *options);
#define cp_qr(...) CP_CALL3(cp_qr, cp_qr_options, __VA_ARGS__, ._ = 0)

CP_API cp_array *cp_qr_r(cp_array *a); /* r alone */

typedef struct cp_svd_options {
    CP_OPTION(bool, full); /* u and vt are square */
    int _;
} cp_svd_options;
/* a = u diag(s) vt, s descending. u and vt both NULL: s alone. */
CP_API cp_code cp_svd(cp_array *a, cp_array **u, cp_array **s, cp_array **vt, const cp_svd_options *options);
#define cp_svd(...) CP_CALL4(cp_svd, cp_svd_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_svdvals(cp_array *a);

typedef struct cp_eigh_options {
    CP_OPTION(bool, upper); /* which triangle is read */
    int _;
} cp_eigh_options;
/* Eigenvalues, ascending, and eigenvectors, columns, of Hermitian matrices. */
CP_API cp_code cp_eigh(cp_array *a, cp_array **values, cp_array **vectors, const cp_eigh_options *options);
#define cp_eigh(...) CP_CALL3(cp_eigh, cp_eigh_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_eigvalsh(cp_array *a, const cp_eigh_options *options);
#define cp_eigvalsh(...) CP_CALL(cp_eigvalsh, cp_eigh_options, __VA_ARGS__, ._ = 0)
/* The same of any square matrices; complex. */
CP_API cp_code cp_eig(cp_array *a, cp_array **values, cp_array **vectors);
CP_API cp_array *cp_eigvals(cp_array *a);
/* a = z t z^H, t upper triangular; of real a with 2 x 2 blocks for pairs of complex eigenvalues. */
typedef enum cp_schur_sort {
    CP_SCHUR_UNSORTED,
    CP_SCHUR_LHP, /* first: eigenvalues with negative real parts, */
    CP_SCHUR_RHP, /* with the others, */
    CP_SCHUR_IUC, /* inside the unit circle or on it, */
    CP_SCHUR_OUC  /* outside */
} cp_schur_sort;
typedef struct cp_schur_options {
    CP_OPTION(cp_schur_sort, sort);
    CP_OPTION(cp_array *, chosen); /* bool, n for each matrix: these of the unsorted t's eigenvalues come first, and
                                      their conjugates. Excludes sort */
    CP_OPTION(cp_array **, sdim); /* where not NULL, and sorted: receives their number, int32 */
    int _;
} cp_schur_options;
CP_API cp_code cp_schur(cp_array *a, cp_array **t, cp_array **z, const cp_schur_options *options);
#define cp_schur(...) CP_CALL3(cp_schur, cp_schur_options, __VA_ARGS__, ._ = 0)

/* a[rows] = l u with partial pivoting: both triangles in *lu, the exchanges of rows in *piv (int32): row i with row
 * piv[i]. */
CP_API cp_code cp_lu_factor(cp_array *a, cp_array **lu, cp_array **piv);
/* The same where row i of l u is row rows[i] of a (int32). */
CP_API cp_code cp_lu_rows(cp_array *a, cp_array **lu, cp_array **rows);
/* x with op(a) x = b by the factors; trans 0: a, 1: its transpose, 2: its conjugate transpose. */
CP_API cp_array *cp_lu_solve(cp_array *lu, cp_array *piv, cp_array *b, int trans);

typedef struct cp_solve_triangular_options {
    CP_OPTION(int, trans);
    CP_OPTION(bool, lower);
    CP_OPTION(bool, unit_diagonal); /* the diagonal is 1 and is not read */
    int _;
} cp_solve_triangular_options;
/* x with op(a) x = b; one triangle of a is read. */
CP_API cp_array *cp_solve_triangular(cp_array *a, cp_array *b, const cp_solve_triangular_options *options);
#define cp_solve_triangular(...) CP_CALL2(cp_solve_triangular, cp_solve_triangular_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
