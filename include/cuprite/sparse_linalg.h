/* Linear algebra of sparse matrices beside the solvers of sparse.h: least squares, systems of equations by methods that
 * keep vectors across cycles, eigenvalues, singular values, the exponential's action, an estimate of a norm.
 *
 * Elements are float32, float64, complex64 or complex128; those of other types are taken as float64. Instead of a
 * matrix each function takes NULL and the option `map`: a function that multiplies by one. Results are of the matrix'
 * device; of a map's, that of the first array that is given, else the current one. What is wrong with arguments is a
 * CP_ERROR_VALUE, before anything is computed. */
#ifndef CUPRITE_SPARSE_LINALG_H
#define CUPRITE_SPARSE_LINALG_H

#include "sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- systems of equations --- */
/* x with a x = b for any square a, by generalized minimal residuals whose cycles also search along the last cycles'
 * corrections, `outer` of them (Baker, Jessup and Manteuffel, 2005), with m on the left. For systems on which restarted
 * gmres stalls. maxiter counts steps, of which a cycle has `restart` + `outer`; numbers are read as those of gmres. */
CP_API cp_array *cp_sparse_lgmres(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options);
#define cp_sparse_lgmres(...) CP_CALL2(cp_sparse_lgmres, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)
/* The same by GCROT(m, k), in which each cycle is orthogonal to `outer` products of earlier corrections (Hicken and
 * Zingg, 2010), with m on the right. Where one must be dropped it is the oldest, or, of `smallest`, what matters least
 * to the last cycle (de Sturler, 1999). */
CP_API cp_array *cp_sparse_gcrotmk(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options);
#define cp_sparse_gcrotmk(...) CP_CALL2(cp_sparse_gcrotmk, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)

/* --- least squares --- */
typedef struct cp_sparse_least_report {
    int stop;               /* why it ended, SciPy's istop: 0 the first x is exact, 1 a x = b within atol and btol, 2 */
                            /* least squares within atol, 3 the condition exceeds conlim; 4, 5, 6 the same for this */
                            /* precision, 7 maxiter */
    int64_t iterations;     /* steps that changed x */
    double residual;        /* lsqr: the norm of b - a x; lsmr: as `damped` */
    double damped;          /* the norm of the residual of the damped system, [a; damp] x = [b; 0] */
    double norm, condition; /* estimates of the damped matrix: Frobenius' norm (lsmr: a bound of the norm), condition */
    double normal;          /* the norm of a^H (b - a x) - damp^2 x */
    double size;            /* the norm of x */
    int64_t looks;          /* how often these were read from the device */
} cp_sparse_least_report;
typedef struct cp_sparse_least_options {
    CP_OPTION(cp_array *, x0);      /* where to begin, instead of 0 */
    CP_OPTION(double, damp);        /* the weight of |x|, of |x - x0| where x0 is given */
    CP_OPTION(double, atol);        /* the relative accuracy of a; 0: 1e-6, negative: none */
    CP_OPTION(double, btol);        /* the relative accuracy of b; 0: 1e-6, negative: none */
    CP_OPTION(double, conlim);      /* the condition at which it ends; 0: 1e8, negative: none */
    CP_OPTION(int64_t, maxiter);    /* the most steps; 0: twice the columns, of lsmr the lesser of rows and columns */
    CP_OPTION(int64_t, every);      /* steps between two looks at the numbers; 0: as cp_sparse_cg */
    CP_OPTION(const cp_sparse_map *, map); /* what multiplies where a is NULL, with its adjoint */
    CP_OPTION(cp_array **, variances); /* of lsqr: receives estimates of the diagonal of (a^H a + damp^2)^-1, real */
    CP_OPTION(cp_sparse_least_report *, report); /* where not NULL: receives how it went */
    int _;
} cp_sparse_least_options;
/* x of the least |b - a x|^2 + damp^2 |x|^2 for any a (rows, columns) and b (rows), by the bidiagonalization of Golub
 * and Kahan (Paige and Saunders, LSQR, 1982). x has `columns` elements, and of several solutions is the shortest. What
 * was reached after maxiter steps is no error, see the report. x is of the type of a and b. All numbers stay on the
 * device and are read as those of cp_sparse_cg: the result and the report do not depend on when. */
CP_API cp_array *cp_sparse_lsqr(cp_sparse *a, cp_array *b, const cp_sparse_least_options *options);
#define cp_sparse_lsqr(...) CP_CALL2(cp_sparse_lsqr, cp_sparse_least_options, __VA_ARGS__, ._ = 0)
/* The same problem by LSMR, which is minres of the normal equations (Fong and Saunders, 2011): |a^H (b - a x)| falls
 * at each step, so that it may end earlier. */
CP_API cp_array *cp_sparse_lsmr(cp_sparse *a, cp_array *b, const cp_sparse_least_options *options);
#define cp_sparse_lsmr(...) CP_CALL2(cp_sparse_lsmr, cp_sparse_least_options, __VA_ARGS__, ._ = 0)

/* --- eigenvalues and singular values --- */
typedef enum cp_sparse_which {
    CP_SPARSE_LM, /* largest magnitude */
    CP_SPARSE_SM, /* smallest magnitude */
    CP_SPARSE_LA, /* largest */
    CP_SPARSE_SA, /* smallest */
    CP_SPARSE_BE, /* both ends, one more of the large ones where k is odd */
    /* of cp_sparse_eigs: */
    CP_SPARSE_LR, /* largest real part */
    CP_SPARSE_SR, /* smallest real part */
    CP_SPARSE_LI, /* largest imaginary part, of real elements largest in magnitude */
    CP_SPARSE_SI  /* smallest imaginary part, of real elements smallest in magnitude */
} cp_sparse_which;
typedef struct cp_sparse_eigen_report {
    int64_t found;          /* how many of the k that were asked for converged */
    int64_t iterations;     /* how often the basis was filled */
    int64_t products;       /* how often it was multiplied by the matrix */
} cp_sparse_eigen_report;
typedef struct cp_sparse_eigen_options {
    CP_OPTION(int64_t, k);          /* how many; 0: 6 */
    CP_OPTION(cp_sparse_which, which); /* which ones, with `inverse`: of 1 / (value - sigma); svds: LM or SM */
    CP_OPTION(double, sigma);       /* of eigsh and eigs: values near this one, which needs `inverse`; */
    CP_OPTION(double, sigma_im);    /* of eigs: its imaginary part, where elements are complex */
    CP_OPTION(const cp_sparse_map *, inverse); /* a function that solves (a - sigma) y = x for y */
    CP_OPTION(cp_array *, v0);      /* where to begin, 1-d; NULL: numbers drawn from a fixed seed */
    CP_OPTION(int64_t, ncv);        /* how many vectors are kept; 0: 2 k + 1, at least 20, 40 where reading waits */
    CP_OPTION(int64_t, maxiter);    /* the most restarts; 0: ten times the rows */
    CP_OPTION(double, tol);         /* the accuracy relative to the values; 0: that of the type */
    CP_OPTION(const cp_sparse_map *, map); /* what multiplies where a is NULL; of svds with its adjoint */
    CP_OPTION(cp_sparse_eigen_report *, report); /* where not NULL: receives how it went */
    int _;
} cp_sparse_eigen_options;
/* k eigenvalues of a Hermitian a, ascending, real, and their vectors (rows, k), columns of length 1, where `vectors` is
 * not NULL. By Lanczos' method with thick restarts (Wu and Simon, 2000), which ends by ARPACK's criterion (Lehoucq,
 * Sorensen and Yang, 1998). Only those that converged within maxiter are returned: fewer than k, see the report. k is
 * at most `rows`, ncv above k or `rows`. The device is waited for once a restart. CP_ERROR_VALUE too for products that
 * are not finite. On failure nothing is set. */
CP_API cp_code cp_sparse_eigsh(cp_sparse *a, cp_array **values, cp_array **vectors,
                               const cp_sparse_eigen_options *options);
#define cp_sparse_eigsh(...) CP_CALL3(cp_sparse_eigsh, cp_sparse_eigen_options, __VA_ARGS__, ._ = 0)
/* k eigenvalues of any square a, complex, the most wanted first, and their vectors (rows, k), complex columns of length
 * 1, where `vectors` is not NULL. `which` is LM, SM, LR, SR, LI or SI. By Krylov and Schur's method (Stewart, 2001),
 * which ends by ARPACK's criterion. Complex values of a real a come in conjugate pairs, the upper one first (with
 * `inverse` the lower one, as 1 / (value - sigma) is the upper one), which converge together; of a pair that k divides
 * the first one is returned. Only those that converged within maxiter are returned: fewer than k, see the report. k is
 * at most `rows` - 2, ncv above k + 1. The device is waited for once a restart. CP_ERROR_VALUE too for products that
 * are not finite. On failure nothing is set. */
CP_API cp_code cp_sparse_eigs(cp_sparse *a, cp_array **values, cp_array **vectors,
                              const cp_sparse_eigen_options *options);
#define cp_sparse_eigs(...) CP_CALL3(cp_sparse_eigs, cp_sparse_eigen_options, __VA_ARGS__, ._ = 0)
/* k singular values s of any a, ascending, and with u (rows, k) and vh (k, columns) their vectors, so that a is near
 * u s vh; u and vh may be NULL. By cp_sparse_eigsh of the lesser of a^H a and a a^H, whose tol is the square of this
 * one's. k is at most the lesser of rows and columns, of which v0 has as many elements. */
CP_API cp_code cp_sparse_svds(cp_sparse *a, cp_array **u, cp_array **s, cp_array **vh,
                              const cp_sparse_eigen_options *options);
#define cp_sparse_svds(...) CP_CALL4(cp_sparse_svds, cp_sparse_eigen_options, __VA_ARGS__, ._ = 0)

typedef struct cp_sparse_lobpcg_report {
    int64_t iterations;     /* steps that were made */
    double residual;        /* the greatest norm of a v - w b v of a column v of length 1 */
    bool converged;         /* whether that is at most tol */
} cp_sparse_lobpcg_report;
typedef struct cp_sparse_lobpcg_options {
    CP_OPTION(cp_sparse *, b);      /* of a v = w b v, Hermitian and positive definite; NULL: v itself */
    CP_OPTION(cp_sparse *, m);      /* an approximate inverse of a, Hermitian and positive definite, */
    CP_OPTION(cp_sparse_operator, apply); /* or a function that multiplies an array (rows, k) by one; */
    CP_OPTION(void *, context);     /* its first argument */
    CP_OPTION(cp_array *, y);       /* (rows, j): independent columns to which vectors are b-orthogonal */
    CP_OPTION(double, tol);         /* the residual that is enough; 0: the rows times the root of the type's epsilon */
    CP_OPTION(int64_t, maxiter);    /* the most steps; 0: 20 */
    CP_OPTION(bool, smallest);      /* the smallest eigenvalues, not the largest */
    CP_OPTION(const cp_sparse_map *, map); /* what multiplies (rows, k) where a is NULL */
    CP_OPTION(cp_sparse_lobpcg_report *, report); /* where not NULL: receives how it went */
    int _;
} cp_sparse_lobpcg_options;
/* The k largest eigenvalues of a Hermitian a, descending, or the smallest, ascending, and their b-orthonormal vectors
 * (rows, k), from the independent columns of x (rows, k), at most `rows`: by locally optimal block preconditioned
 * conjugate gradients (Knyazev, 2001). What was reached after maxiter steps is no error, see the report. The device is
 * waited for twice a step. `vectors` may be NULL; on failure nothing is set. */
CP_API cp_code cp_sparse_lobpcg(cp_sparse *a, cp_array *x, cp_array **values, cp_array **vectors,
                                const cp_sparse_lobpcg_options *options);
#define cp_sparse_lobpcg(...) CP_CALL4(cp_sparse_lobpcg, cp_sparse_lobpcg_options, __VA_ARGS__, ._ = 0)

/* --- the exponential, norms --- */
typedef struct cp_sparse_expm_options {
    CP_OPTION(double, start);       /* the first time, */
    CP_OPTION(double, stop);        /* the last one, */
    CP_OPTION(int64_t, num);        /* and how many times, at least 2; 0: the time 1 alone */
    CP_OPTION(bool, open);          /* whether `stop` itself is left out */
    CP_OPTION(cp_array *, trace);   /* a map's trace, 0-d: what it is near to costs fewer products; NULL: 0 */
    CP_OPTION(const cp_sparse_map *, map); /* what multiplies where a is NULL, by (columns, k) too, with its adjoint */
    int _;
} cp_sparse_expm_options;
/* exp(a) b of a square a, without exp(a): b is (rows) or (rows, k), and so is the result. Of `num` times t in equal
 * steps it is exp(t a) b of each, (num, rows) or (num, rows, k), each computed from the one before. By Taylor's series
 * in steps (Al-Mohy and Higham, 2011); the host looks at norms after each fifth term. */
CP_API cp_array *cp_sparse_expm_multiply(cp_sparse *a, cp_array *b, const cp_sparse_expm_options *options);
#define cp_sparse_expm_multiply(...) CP_CALL2(cp_sparse_expm_multiply, cp_sparse_expm_options, __VA_ARGS__, ._ = 0)
typedef struct cp_sparse_onenormest_options {
    CP_OPTION(int64_t, t);          /* how many columns are tried at once; 0: 2 */
    CP_OPTION(int64_t, itmax);      /* the most rounds, at least 2; 0: 5 */
    CP_OPTION(cp_array **, v);      /* where not NULL: receives the unit vector v of the best column, */
    CP_OPTION(cp_array **, w);      /* and a v, whose 1-norm is the estimate, but where the first round's was greater */
    CP_OPTION(const cp_sparse_map *, map); /* what multiplies where a is NULL, by (columns, k), with its adjoint */
    int _;
} cp_sparse_onenormest_options;
/* A lower bound of the 1-norm of a square a, the greatest sum of a column's absolute values, that is seldom below a
 * third of it and mostly right: 0-d, float64 (Higham and Tisseur, 2000, algorithm 2.4). Signs are drawn from a fixed
 * seed. Each round waits. */
CP_API cp_array *cp_sparse_onenormest(cp_sparse *a, const cp_sparse_onenormest_options *options);
#define cp_sparse_onenormest(...) CP_CALL(cp_sparse_onenormest, cp_sparse_onenormest_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
