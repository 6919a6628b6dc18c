/* A cycle of generalized minimal residuals: a basis on the device, and the triangle that the host makes of its
 * coefficients (gmres.c, flexible.c). */
#ifndef CPI_SPARSE_CYCLE_H
#define CPI_SPARSE_CYCLE_H

#include <complex.h>

#include "sparse/krylov.h"

typedef struct cpi_cycle {
    int64_t most, count;    /* columns: of the triangle, and those that count */
    int64_t made;           /* columns that were read */
    double enough, eps;     /* the residual that ends a cycle; of a vector, the part that is rounding */
    bool over;
    double complex *r, *g, *sine; /* triangle, column j at j * (most + 1); right side */
    double *cosine;
    cp_array *basis, *h, *gram; /* (most + 1, n), (most, most + 1), (most, most); the scope's */
    cp_array *along;        /* (most, deflated): coefficients along vectors that were taken out before, or NULL */
    int64_t deflated;
    double complex *parts;  /* those on the host */
} cpi_cycle;

/* Begins a cycle with v, whose norm is beta > 0, in this scope. False on failure; either way cpi_cycle_end. */
bool cpi_cycle_begin(cpi_krylov *s, cpi_cycle *c, int64_t most, int64_t deflated, cp_array *v, double beta);
void cpi_cycle_end(cpi_cycle *c);
/* Vector j of the basis. */
cp_array *cpi_cycle_vector(const cpi_cycle *c, int64_t j);
/* w, made orthogonal, becomes vector j + 1, and its coefficients are looked at where it is time to. */
bool cpi_cycle_extend(cpi_krylov *s, cpi_cycle *c, int64_t j, cp_array *w);
/* The coefficients of the columns that count which leave the least residual, `count` of them; NULL on failure. */
cp_array *cpi_cycle_solve(const cpi_krylov *s, cpi_cycle *c);
/* Vectors that add up to the product of such coefficients' correction. */
cp_array *cpi_cycle_product(const cpi_krylov *s, const cpi_cycle *c, cp_array *y);
/* x became another one, s->done is counted: the residual b - a x, its norm, and the steps. */
bool cpi_cycle_moved(cpi_krylov *s, cp_array *x);

static inline cp_array *cpi_cycle_rows(cp_array *x, int64_t from, int64_t to)
{
    return x ? cp_slice(x, CP_ITEMS(CP_RANGE(from, to))) : NULL;
}

#endif
