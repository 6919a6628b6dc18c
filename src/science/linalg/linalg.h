/* The slots a backend fills for the room linalg: factorizations, systems and spectra of many matrices at once.
 *
 * A slot gets one record. What the front has seen to: types, shapes, devices; nothing is empty (batch, m, n, k >= 1;
 * matrices without elements never come here). Every matrix is of `type`, lies in ROW order (C) without gaps, and the
 * matrices of a batch follow one another; so do vectors. A backend whose library wants columns transposes in its own
 * workspace (host->work_alloc), or uses that a row-ordered A is a column-ordered transpose of A, which is enough for
 * inv, det, solve (trans), cholesky (the other triangle) and svd (u and vt change places).
 * Inputs (const) are never written; an output overlaps no input and no other output. The same input gives the same
 * bits, whatever the batch beside it is cut into.
 *
 * Failures that only the elements tell are those of CPI_LINALG_ERRORS: one such matrix in a batch fails the call.
 * The CPU returns cpi_linalg_error(args->function, CPI_LINALG_SINGULAR) at once; a GPU puts the trouble into the
 * stream's mailbox (cuda.h), where the next launch, copy to the host or wait tells it, and nobody waits. Outputs are
 * then undefined. Which slot tells which is said beside it; all others give what the arithmetic gives.
 *
 * NaN and infinities may come in everywhere, and every slot ends. svd, eigh and eig are not given to loops that may not
 * end with them: a matrix that holds one is SVD or EIGENVALUES trouble (NumPy: "did not converge"), but eig, schur:
 * NOT_FINITE. solve, inv, det, lu, qr, triangular let them run through the arithmetic: a pivot that is NaN is not zero,
 * thus no trouble. cholesky: a pivot that is not > 0 (NaN too) is trouble. */
#ifndef CPI_LINALG_H
#define CPI_LINALG_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the elements may be guilty of, in NumPy's words; all are CP_ERROR_LINALG. */
#define CPI_LINALG_ERRORS(X)                           \
    X(SINGULAR, "Singular matrix")                     \
    X(NOT_POSITIVE, "Matrix is not positive definite") \
    X(EIGENVALUES, "Eigenvalues did not converge")     \
    X(SVD, "SVD did not converge")                     \
    X(NOT_FINITE, "Array must not contain infs or NaNs") \
    X(PIVOTS, "piv names rows that lu does not have")
enum cpi_linalg_errors {
    CPI_LINALG_FINE,
#define X(name, text) CPI_LINALG_##name,
    CPI_LINALG_ERRORS(X)
#undef X
};
/* Writes the record "FUNCTION: text" and returns CP_ERROR_LINALG; of CPI_LINALG_FINE CP_OK and nothing. The CPU's. */
cp_code cpi_linalg_error(const char *function, int error);

typedef enum cpi_qr_mode { CPI_QR_REDUCED, CPI_QR_COMPLETE, CPI_QR_R, CPI_QR_RAW } cpi_qr_mode;
/* Which eigenvalues come first: those with negative, with other real parts, inside or on, outside the unit circle. */
typedef enum cpi_schur_sort { CPI_SORT_NONE, CPI_SORT_LHP, CPI_SORT_RHP, CPI_SORT_IUC, CPI_SORT_OUC } cpi_schur_sort;
typedef enum cpi_trans { CPI_TRANS_NONE, CPI_TRANS_PLAIN, CPI_TRANS_CONJUGATE } cpi_trans; /* of the matrix a */

/* What a slot gets. A slot reads the members that it names; the others are 0. Pointers are to device memory. */
typedef struct cpi_linalg {
    const char *function;   /* the public function, a text that stays: what errors begin with */
    cp_type type;           /* CP_FLOAT32, CP_FLOAT64, CP_COMPLEX64 or CP_COMPLEX128 */
    int64_t batch;          /* matrices */
    int64_t m, n, k;        /* a is m x n; b and x have k columns. Square a: m == n, both are set */
    bool upper;             /* the triangle of a that is read (eigh, triangular) or of the result (cholesky) */
    bool unit;              /* triangular: the diagonal is 1 and is not read */
    bool quiet;             /* inv: a singular matrix is no trouble, its inverse all NaN */
    bool full;              /* svd: u is m x m and vt n x n; else m x r and r x n, r = min(m, n) */
    cpi_trans trans;
    cpi_qr_mode mode;
    cpi_schur_sort sort;
    const void *a, *b;
    const int32_t *pivots_in;
    void *x, *u, *s, *vt;   /* results, see the slots */
    int32_t *pivots, *rows;
} cpi_linalg;

/*: slot("lu", name="args->function") */
/*: slot("lu_solve", name="args->function") */
/*: slot("solve", name="args->function") */
/*: slot("inv", name="args->function") */
/*: slot("det", name="args->function") */
/*: slot("triangular", name="args->function") */
/*: slot("cholesky", name="args->function") */
/*: slot("qr", name="args->function") */
/*: slot("svd", name="args->function") */
/*: slot("eigh", name="args->function") */
/*: slot("eig", name="args->function") */
/*: slot("schur", name="args->function") */
typedef struct cpi_linalg_ops {
    /* P A = L U with partial pivoting (in each column the first entry of largest |re| + |im|). x: m x n, U and below it
     * L without its unit diagonal. pivots: r = min(m, n) places, row i was exchanged with row pivots[i] >= i, counted
     * from 0, in this order. rows (NULL: not wanted): m places, row i of L U is row rows[i] of a. A zero pivot is no
     * trouble: its column stays as it is. */
    cp_code (*lu)(cp_stream *stream, const cpi_linalg *args);
    /* op(A) X = B by the factors: a: what lu made (n x n), pivots_in; b and x: n x k; trans. Zero pivots divide.
     * PIVOTS where pivots_in names a row beyond n. */
    cp_code (*lu_solve)(cp_stream *stream, const cpi_linalg *args);
    /* A X = B. a: n x n, b and x: n x k. SINGULAR where a pivot is 0. */
    cp_code (*solve)(cp_stream *stream, const cpi_linalg *args);
    /* x: the inverse of a, n x n. SINGULAR where a pivot is 0. */
    cp_code (*inv)(cp_stream *stream, const cpi_linalg *args);
    /* One number a matrix, each NULL where it is not wanted: x: the determinant; u: its sign (of `type`, of modulus 1;
     * 0 for a zero pivot); s: log |det|, of the real type (-inf for a zero pivot). The determinant neither overflows
     * nor vanishes on the way where it is in range. */
    cp_code (*det)(cp_stream *stream, const cpi_linalg *args);
    /* op(A) X = B by substitution. a: n x n, of which one triangle is read; b and x: n x k; upper, trans, unit.
     * SINGULAR where a diagonal entry is 0 (unless unit). */
    cp_code (*triangular)(cp_stream *stream, const cpi_linalg *args);
    /* x: L with A = L L^H from A's lower triangle or, upper, U with A = U^H U from the upper one; zeros elsewhere.
     * Imaginary parts of the diagonal are not read. NOT_POSITIVE. */
    cp_code (*cholesky)(cp_stream *stream, const cpi_linalg *args);
    /* A = Q R by Householder reflections, r = min(m, n), signs as LAPACK's geqrf. REDUCED: u = Q m x r, x = R r x n;
     * COMPLETE: u m x m, x m x n; R: x r x n alone; zeros below R's diagonal. RAW: x is n x m, the TRANSPOSE of what
     * geqrf leaves (R and below it the reflections), and s = tau, r numbers of `type`. */
    cp_code (*qr)(cp_stream *stream, const cpi_linalg *args);
    /* A = U S V^H: s: r = min(m, n) numbers of the real type, falling; u, vt: both, as `full` says, or both NULL.
     * SVD. */
    cp_code (*svd)(cp_stream *stream, const cpi_linalg *args);
    /* Hermitian a (one triangle is read: upper): s: n eigenvalues of the real type, rising; u: n x n, whose columns
     * are the eigenvectors, or NULL. EIGENVALUES. */
    cp_code (*eigh)(cp_stream *stream, const cpi_linalg *args);
    /* Any square a: s: n eigenvalues, u: n x n, whose columns are the eigenvectors of length 1 (NULL: not wanted); both
     * of the complex type that belongs to `type`, also for real a: there a conjugate pair stands together, the one with
     * positive imaginary part first, and real eigenvalues have imaginary part 0. NOT_FINITE, EIGENVALUES. */
    cp_code (*eig)(cp_stream *stream, const cpi_linalg *args);
    /* A = Z T Z^H: x: T, upper triangular (of real a with 2 x 2 blocks for pairs, standardized as LAPACK's gees does);
     * u: Z. With `sort`, or pivots_in (n numbers a matrix: of the eigenvalues as unsorted T has them those come first
     * whose number is not 0), pivots has one number a matrix, how many come first; else it is NULL.
     * NOT_FINITE, EIGENVALUES (also where rounding does not let them be sorted). */
    cp_code (*schur)(cp_stream *stream, const cpi_linalg *args);
} cpi_linalg_ops;


#ifdef __cplusplus
}
#endif
#include "linalg/slots.h"

#endif
