/* The small problem of Krylov and Schur's method (ritz.c): what an operator is in a basis, in the host's memory. */
#ifndef CPI_SPARSE_RITZ_H
#define CPI_SPARSE_RITZ_H

#include <complex.h>

#include "sparse/linear.h"

typedef struct cpi_ritz {
    int64_t m;
    bool real;                  /* t is real; then the values of a pair stand together, the upper one first */
    double complex *t;          /* (m, m), by rows, as the two below */
    double complex *schur, *turn; /* t = turn schur turn^H, schur a triangle */
    double complex *theta;      /* m eigenvalues, as schur's diagonal has them */
    double *bound;              /* the residual's norm of each one's vector */
    double beta, size;          /* what is left behind the basis; the largest element of t */
    double eps;                 /* of the basis' type: rounding of t, relative to size */
    double complex *spare;      /* m */
    int64_t *place;             /* m */
} cpi_ritz;

/* Computes schur to bound of t and beta. False on failure. */
bool cpi_ritz_solve(cpi_ritz *r);
/* Has value i a conjugate behind it? */
static inline bool cpi_ritz_pair(const cpi_ritz *r, int64_t i) { return r->real && cimag(r->theta[i]) > 0; }
/* The eigenvector of value i as coefficients, m of them, of length 1; after solve. */
void cpi_ritz_vector(const cpi_ritz *r, int64_t i, double complex *y);
/* What a restart keeps: the space of `keep` values, in the order of the list, in which pairs stand together. t becomes
 * what the operator is in it, a triangle, of a real problem one with blocks of 2 x 2 for pairs; its row `keep` the
 * couplings to what is left behind the basis, where they are more than eps beside t; turn's first columns the basis. */
void cpi_ritz_choose(cpi_ritz *r, int64_t *list, int64_t keep);

#endif
