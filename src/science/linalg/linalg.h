/* The slots that a backend fills for the module linalg: factorizations, systems and spectra of many matrices at once.
 *
 * A slot gets one record. The API layer has checked types, shapes and devices; nothing is empty (batch, m, n, k >= 1;
 * empty matrices never come here). Every matrix is of `type` and ROW-major (C) without gaps; the matrices, and vectors,
 * of a batch are contiguous. A backend whose library wants column-major matrices transposes in its own workspace
 * (host->work_alloc), or uses that a row-major A is a column-major transpose of A, which is enough for inv, det, solve
 * (trans), cholesky (the other triangle) and svd (u and vt exchanged). Inputs (const) are never written; an output
 * overlaps no input and no other output. The same input gives the same bits, however the batch is divided.
 *
 * Failures that depend on the elements are those of CPI_LINALG_ERRORS: one such matrix in a batch fails the call.
 * The CPU returns cpi_linalg_error(args->function, CPI_LINALG_SINGULAR) at once; a GPU puts the error into the stream's
 * mailbox (cuda.h), and the next launch, copy to the host or synchronization returns it; no slot waits. Outputs are
 * then undefined. Each slot's comment names its errors; otherwise results are what the arithmetic gives.
 *
 * NaN and infinities may come in everywhere, and every slot ends. The iterations of svd, eigh and eig may not end with
 * them: such a matrix is the error SVD or EIGENVALUES (NumPy: "did not converge"), for eig and schur NOT_FINITE. solve,
 * inv, det, lu, qr, triangular propagate them through the arithmetic: a NaN pivot is not zero, thus no error. cholesky:
 * a pivot that is not > 0 (NaN too) is an error. */
#ifndef CPI_LINALG_H
#define CPI_LINALG_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Errors that depend on the elements, with NumPy's messages; all are CP_ERROR_LINALG. */
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
/* Writes the record "FUNCTION: text" and returns CP_ERROR_LINALG; for CPI_LINALG_FINE returns CP_OK only. Used on the
 * CPU. */
cp_code cpi_linalg_error(const char *function, int error);

typedef enum cpi_qr_mode { CPI_QR_REDUCED, CPI_QR_COMPLETE, CPI_QR_R, CPI_QR_RAW } cpi_qr_mode;
/* Which eigenvalues come first: those with negative, with other real parts, inside or on, outside the unit circle. */
typedef enum cpi_schur_sort { CPI_SORT_NONE, CPI_SORT_LHP, CPI_SORT_RHP, CPI_SORT_IUC, CPI_SORT_OUC } cpi_schur_sort;
typedef enum cpi_trans { CPI_TRANS_NONE, CPI_TRANS_PLAIN, CPI_TRANS_CONJUGATE } cpi_trans; /* of the matrix a */

/* The argument of a slot. A slot reads the members that its comment names; the others are 0. Pointers are to device
 * memory. */
typedef struct cpi_linalg {
    const char *function;   /* the public function's name, a static string: errors begin with it */
    cp_type type;           /* CP_FLOAT32, CP_FLOAT64, CP_COMPLEX64 or CP_COMPLEX128 */
    int64_t batch;          /* matrices */
    int64_t m, n, k;        /* a is m x n; b and x have k columns. Square a: m == n, both are set */
    bool upper;             /* the triangle of a that is read (eigh, triangular) or of the result (cholesky) */
    bool unit;              /* triangular: the diagonal is 1 and is not read */
    bool quiet;             /* inv: a singular matrix is no error, its inverse all NaN */
    bool full;              /* svd: u is m x m and vt n x n; else m x r and r x n, r = min(m, n) */
    cpi_trans trans;
    cpi_qr_mode mode;
    cpi_schur_sort sort;
    const void *a, *b;
    const int32_t *pivots_in;
    void *x, *u, *s, *vt;   /* results, see the slots */
    int32_t *pivots, *rows;
} cpi_linalg;

/* Bytes of the matrices and right sides that are read, and as many written. */
static inline int64_t cpi_linalg_bytes(const cpi_linalg *a)
{
    return 2 * a->batch * (a->m * a->n + (a->b ? a->n * a->k : 0)) * (int64_t)cp_type_size(a->type);
}

/*: slot("lu", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("lu_solve", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("solve", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("inv", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("det", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("triangular", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("cholesky", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("qr", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("svd", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("eigh", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("eig", name="args->function", bytes="cpi_linalg_bytes(args)") */
/*: slot("schur", name="args->function", bytes="cpi_linalg_bytes(args)") */
typedef struct cpi_linalg_ops {
    /* P A = L U with partial pivoting (in each column the first entry of largest |re| + |im|). x: m x n, U and below it
     * L without its unit diagonal. pivots: r = min(m, n) indices, row i was exchanged with row pivots[i] >= i, counted
     * from 0, in this order. rows (NULL: not wanted): m indices, row i of L U is row rows[i] of a. A zero pivot is no
     * error: its column stays as it is. */
    cp_code (*lu)(cp_stream *stream, const cpi_linalg *args);
    /* op(A) X = B by the factors: a: what lu made (n x n), pivots_in; b and x: n x k; trans. Zero pivots divide.
     * PIVOTS where pivots_in names a row beyond n. */
    cp_code (*lu_solve)(cp_stream *stream, const cpi_linalg *args);
    /* A X = B. a: n x n, b and x: n x k. SINGULAR where a pivot is 0. */
    cp_code (*solve)(cp_stream *stream, const cpi_linalg *args);
    /* x: the inverse of a, n x n. SINGULAR where a pivot is 0. */
    cp_code (*inv)(cp_stream *stream, const cpi_linalg *args);
    /* One number a matrix, each NULL where it is not wanted: x: the determinant; u: its sign (of `type`, of modulus 1;
     * 0 for a zero pivot); s: log |det|, of the real type (-inf for a zero pivot). The computation neither overflows
     * nor underflows where the determinant is in range. */
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
    /* A = U S V^H: s: r = min(m, n) numbers of the real type, descending; u, vt: both, as `full` says, or both NULL.
     * SVD. */
    cp_code (*svd)(cp_stream *stream, const cpi_linalg *args);
    /* Hermitian a (one triangle is read: upper): s: n eigenvalues of the real type, ascending; u: n x n, whose columns
     * are the eigenvectors, or NULL. EIGENVALUES. */
    cp_code (*eigh)(cp_stream *stream, const cpi_linalg *args);
    /* Any square a: s: n eigenvalues, u: n x n, whose columns are the eigenvectors of length 1 (NULL: not wanted); both
     * of the complex type that belongs to `type`, also for real a: there a conjugate pair is adjacent, the one with
     * positive imaginary part first, and real eigenvalues have imaginary part 0. NOT_FINITE, EIGENVALUES. */
    cp_code (*eig)(cp_stream *stream, const cpi_linalg *args);
    /* A = Z T Z^H: x: T, upper triangular (of real a with 2 x 2 blocks for pairs, standardized as LAPACK's gees does);
     * u: Z. With `sort`, or pivots_in (n numbers a matrix: eigenvalues of the unsorted T with non-zero numbers come
     * first), pivots has one number a matrix, how many come first; else it is NULL. NOT_FINITE, EIGENVALUES (also where
     * rounding prevents sorting). */
    cp_code (*schur)(cp_stream *stream, const cpi_linalg *args);
} cpi_linalg_ops;


#ifdef __cplusplus
}
#endif
#include "linalg/slots.h"

#endif
