/* Eigenvalues of Hermitian operators by Lanczos' method with thick restarts; eigen.c has what is public. */
#ifndef CPI_SPARSE_LANCZOS_H
#define CPI_SPARSE_LANCZOS_H

#include "sparse/linear.h"

typedef struct cpi_lanczos {
    const char *name;
    cp_sparse_which which;
    cp_type type;
    int64_t n, k, m;            /* length of vectors; how many eigenvalues; how many vectors are kept */
    double eps, tol;
    int64_t maxiter;
    cp_array *(*product)(void *context, cp_array *x); /* the operator's, in the step's scope */
    void *context;
    /* set by cpi_lanczos_run: */
    cp_array *rows, *h;         /* (m + 1, n), (m, m + 1), the call's scope's */
    int64_t kept, iterations, products;
    double *memory, *t, *s, *theta, *read; /* t, its eigenvectors as columns, (m, m); eigenvalues, ascending */
    double scale;               /* of products, where others are too large or small: that of theta too */
    double beta;                /* the norm of what is left behind the basis */
    int64_t *order;             /* numbers of eigenvalues, the most wanted first, */
    int64_t found;              /* how many of the first k have converged: after run these alone are in front */
} cpi_lanczos;

/* Runs until k have converged or maxiter restarts were made, from v0, of the operator's type. False on failure; either
 * way cpi_lanczos_free. */
bool cpi_lanczos_run(cpi_lanczos *l, cp_array *v0);
void cpi_lanczos_free(cpi_lanczos *l);
/* The vectors of the eigenvalues with these numbers, as columns. */
cp_array *cpi_lanczos_vectors(const cpi_lanczos *l, int64_t count, const int64_t *which);
/* n numbers in -1..1 that follow from a seed, in a floating type. */
cp_array *cpi_sparse_noise(int64_t n, uint64_t seed, cp_type type);
/* By what power of two products are multiplied, so that their squares are numbers of the type: 1 unless the largest
 * number `most` of what the operator is in its first basis says otherwise. Then some more products are made, from the
 * vector x; *products counts them. NaN on failure. */
double cpi_sparse_scale(double most, cp_array *(*product)(void *context, cp_array *x), void *context, cp_array *x,
                        int64_t *products);
/* A power of two that brings numbers whose squares may be none to about 1; 1 for others. Waits. */
double cpi_sparse_between(cp_array *y);
/* The product of x, times scale. */
cp_array *cpi_sparse_scaled(double scale, cp_array *(*product)(void *context, cp_array *x), void *context, cp_array *x);
/* v0, of a floating type, with length 1. NULL with an error where it is 0 or not finite. Waits. */
cp_array *cpi_sparse_unit(const char *name, cp_array *v0);

#endif
