/* Eigenvalues of operators by Krylov and Schur's method; eigs.c has what is public. */
#ifndef CPI_SPARSE_ARNOLDI_H
#define CPI_SPARSE_ARNOLDI_H

#include "sparse/ritz.h"

typedef struct cpi_arnoldi {
    const char *name;
    cp_sparse_which which;
    cp_type type;
    int64_t n, k, m;            /* length of vectors; how many eigenvalues; how many vectors are kept, above k + 1 */
    double eps, tol;
    int64_t maxiter;
    cp_array *(*product)(void *context, cp_array *x); /* the operator's, in the step's scope */
    void *context;
    /* set by cpi_arnoldi_run: */
    cp_array *rows, *h;         /* (m + 1, n), (m, m + 1), the call's scope's */
    int64_t kept, iterations, products;
    double scale;               /* of products, where others are too large or small: that of theta too */
    void *memory;
    cpi_ritz r;
    double complex *read;       /* (m, m + 1): h */
    int64_t *list;              /* those that a restart keeps */
    int64_t *order;             /* numbers of eigenvalues, the most wanted first, */
    int64_t found;              /* how many of the first k have converged: after run these alone are in front */
} cpi_arnoldi;

/* Runs until k have converged or maxiter restarts were made, from v0, of the operator's type. False on failure; either
 * way cpi_arnoldi_free. */
bool cpi_arnoldi_run(cpi_arnoldi *a, cp_array *v0);
void cpi_arnoldi_free(cpi_arnoldi *a);
/* The vectors of those that were found, as columns, complex. */
cp_array *cpi_arnoldi_vectors(const cpi_arnoldi *a);

#endif
