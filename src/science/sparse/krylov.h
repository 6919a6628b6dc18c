/* What the iterative solvers share (krylov.c, gmres.c, minres.c, steps.c). */
#ifndef CPI_SPARSE_KRYLOV_H
#define CPI_SPARSE_KRYLOV_H

#include "sparse/linear.h"

typedef struct cpi_krylov {
    const char *name;
    const cp_sparse_solve_options *o;
    cpi_linear a;               /* of the solution's type */
    cp_sparse *m, *m_adjoint;   /* owned, or NULL: see cpi_krylov_adjoint */
    cp_array *b;                /* the right side, of the call's scope */
    int64_t n, maxiter, every;
    cp_type type;
    double tolerance, residual;
    double limit;               /* the tolerance, or the least number above 0: a residual of 0 is always small enough */
    int64_t done, looks, next;  /* steps issued; the step after which is looked */
    cp_array *x, *r;            /* owned by no scope: the iterate and the residual, */
    cp_array *size, *steps;     /* its norm, and how many steps changed x: 0-d */
    bool judged, sound;         /* the method itself says whether it has converged: */
} cpi_krylov;

/* Runs steps until the norm is small enough; the iterate. `run`: false on failure. */
cp_array *cpi_krylov_solve(const char *name, cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options,
                           bool (*run)(cpi_krylov *s));
/* Whether one goes on: the norm is read where it is time to. */
bool cpi_krylov_goes_on(cpi_krylov *s);
/* A look was made: when the next one is due. */
void cpi_krylov_looked(cpi_krylov *s);
/* The norm of the new residual becomes s->size. */
bool cpi_krylov_measure(cpi_krylov *s);
/* The preconditioner times a vector, in this step's scope; the vector itself without one. */
cp_array *cpi_krylov_apply(const cpi_krylov *s, cp_array *x);
/* Makes the adjoints of a and m, for methods that need them. False on failure. */
bool cpi_krylov_adjoint(cpi_krylov *s);
/* The preconditioner's adjoint times a vector. */
cp_array *cpi_krylov_apply_adjoint(const cpi_krylov *s, cp_array *x);

static inline bool cpi_krylov_single(const cpi_krylov *s) { return cpi_sparse_single(s->type); }
/* Puts a value of this step in the place of the last one's. */
static inline bool cpi_krylov_put(cp_array **place, cp_array *value)
{
    if (!value) return false;
    cp_keep(value);
    cp_free(*place);
    *place = value;
    return true;
}
static inline cp_array *cpi_krylov_norm(cp_array *x) { return x ? cp_sqrt(cp_real_part(cp_vdot(x, x))) : NULL; }

#endif
