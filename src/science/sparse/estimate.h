/* Estimates of 1-norms of operators (norms.c), which the exponential's action needs too (exponential.c). */
#ifndef CPI_SPARSE_ESTIMATE_H
#define CPI_SPARSE_ESTIMATE_H

#include "sparse/linear.h"

/* A power of a square operator less a number of times the identity. */
typedef struct cpi_operator {
    const cpi_linear *l;
    int power;
    cp_array *mu, *mu_adjoint;  /* 0-d, subtracted from the diagonal, and its conjugate; NULL: none */
} cpi_operator;

cp_array *cpi_operator_times(const cpi_operator *o, cp_array *x);
/* The 1-norm's estimate; a negative number on failure. v, w, where they are not NULL: the column that has it, and its
 * product, in this scope. */
double cpi_operator_norm(const cpi_operator *o, int64_t t, int64_t itmax, int64_t *v, cp_array **w);

#endif
