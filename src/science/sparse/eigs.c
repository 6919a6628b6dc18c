/* Eigenvalues of any square matrices, by Krylov and Schur's method (arnoldi.c).
 *
 * Invariant: what is returned has converged. */
#include "operands/operands.h"
#include "sparse/arnoldi.h"
#include "sparse/lanczos.h"

typedef struct general {
    const cp_sparse_eigen_options *o;
    cpi_linear a, inverse;
    cpi_arnoldi m;
} general;

static cp_array *plain_product(void *context, cp_array *x) { return cpi_linear_times(&((general *)context)->a, x); }
static cp_array *inverse_product(void *context, cp_array *x)
{
    return cpi_linear_times(&((general *)context)->inverse, x);
}

static cp_code check_operators(general *g, const char *name, const cp_sparse *a)
{
    const cp_sparse_eigen_options *o = g->o;
    if (cpi_linear_check(&g->a, name, a, o->map ? o->map : a ? NULL : o->inverse, false)) return cp_error();
    const int64_t n = g->a.rows;
    if (n != g->a.columns)
        return cpi_fail(CP_ERROR_VALUE, "%s: a must be square, not (%lld, %lld)", name, (long long)n,
                        (long long)g->a.columns);
    if (o->inverse && (o->inverse->rows != n || o->inverse->columns != n))
        return cpi_fail(CP_ERROR_VALUE, "%s: inverse must have a's shape", name);
    const bool shifted = o->sigma != 0 || o->sigma_im != 0; /* so is NaN */
    if (o->sigma != o->sigma || o->sigma_im != o->sigma_im || (shifted && !o->inverse))
        return cpi_fail(CP_ERROR_VALUE, "%s: sigma needs inverse, which solves (a - sigma) y = x", name);
    if (o->sigma_im != 0 && !cpi_is_complex(g->a.type))
        return cpi_fail(CP_ERROR_VALUE, "%s: sigma must be real where a is", name);
    return o->inverse ? cpi_linear_check(&g->inverse, name, NULL, o->inverse, false) : CP_OK;
}
static bool is_general(cp_sparse_which which)
{
    return which == CP_SPARSE_LM || which == CP_SPARSE_SM || (which >= CP_SPARSE_LR && which <= CP_SPARSE_SI);
}
static cp_code check_numbers(general *g, const char *name)
{
    const cp_sparse_eigen_options *o = g->o;
    const int64_t n = g->a.rows, k = o->k ? o->k : 6;
    if (n < 3) return cpi_fail(CP_ERROR_VALUE, "%s: a must have at least 3 rows, not %lld", name, (long long)n);
    if (k < 1 || k > n - 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: k must be 1 to %lld, not %lld", name, (long long)(n - 2), (long long)k);
    if (!is_general(o->which))
        return cpi_fail(CP_ERROR_VALUE, "%s: which must be LM, SM, LR, SR, LI or SI", name);
    if (o->v0 && (o->v0->ndim != 1 || o->v0->size != n))
        return cpi_fail(CP_ERROR_VALUE, "%s: v0 must be 1-D and have %lld elements", name, (long long)n);
    if (o->ncv && o->ncv < k + 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: ncv must be above k + 1, not %lld", name, (long long)o->ncv);
    if (o->maxiter < 0) return cpi_fail(CP_ERROR_VALUE, "%s: maxiter must not be negative", name);
    if (!(o->tol >= 0) || o->tol > 1e150)
        return cpi_fail(CP_ERROR_VALUE, "%s: tol must not be negative, and finite", name);
    g->m = (cpi_arnoldi){.name = name, .which = o->which, .n = n, .k = k, .context = g,
                         .maxiter = o->maxiter ? o->maxiter : n > INT64_MAX / 10 ? INT64_MAX : 10 * n};
    return CP_OK;
}
static bool run_method(general *g)
{
    cpi_arnoldi *m = &g->m;
    const cp_sparse_eigen_options *o = g->o;
    cp_array *v0 = o->v0 ? cp_astype(o->v0, g->a.type) : cpi_sparse_noise(m->n, 2463534242, g->a.type);
    cpi_device *device = v0 ? cpi_common_device(m->name, 1, &v0) : NULL;
    if (!device) return false;
    const int64_t usual = device->backend->at_once ? 20 : 40, two = 2 * m->k + 1; /* a restart waits */
    const int64_t ncv = o->ncv ? o->ncv : two > usual ? two : usual;
    m->m = ncv < m->n ? ncv : m->n;
    m->type = g->a.type, m->eps = cpi_sparse_epsilon(m->type), m->tol = o->tol > 0 ? o->tol : m->eps;
    m->product = o->inverse ? inverse_product : plain_product;
    return cpi_arnoldi_run(m, v0);
}
/* What was found, as arrays of the call's scope. */
static bool results(const general *g, cp_array **w, cp_array **v)
{
    const cpi_arnoldi *m = &g->m;
    double complex *values = cpi_malloc(sizeof *values * (size_t)(m->found + 1));
    if (!values) return false;
    for (int64_t i = 0; i < m->found; i++) {
        const double complex theta = m->r.theta[m->order[i]] / m->scale;
        values[i] = g->o->inverse ? CMPLX(g->o->sigma, g->o->sigma_im) + 1 / theta : theta;
    }
    cp_array *made = cp_from_host(values, CP_COMPLEX128, CP_SHAPE(m->found), NULL);
    cpi_free_host(values);
    *w = made ? cp_astype(made, cpi_sparse_single(m->type) ? CP_COMPLEX64 : CP_COMPLEX128) : NULL;
    cp_array *columns = *w && v ? cpi_arnoldi_vectors(m) : NULL;
    if (v) *v = columns ? cp_copy(columns) : NULL;
    return *w && (!v || *v);
}

cp_code (cp_sparse_eigs)(cp_sparse *a, cp_array **values, cp_array **vectors, const cp_sparse_eigen_options *options)
{
    const char *name = "sparse_eigs";
    general g = {.o = CPI_GIVEN(cp_sparse_eigen_options, options)};
    cp_array *made[2] = {NULL, NULL};
    cpi_composite f;
    if (cpi_null(name, values) || check_operators(&g, name, a) || check_numbers(&g, name) ||
        !cpi_linear_begin(&f, &g.a, a, g.o->v0))
        return cp_error();
    g.inverse.type = g.a.type;
    if (cpi_linear_open(&g.a, a, false) && run_method(&g) && results(&g, &made[0], vectors ? &made[1] : NULL) &&
        g.o->report)
        *g.o->report = (cp_sparse_eigen_report){g.m.found, g.m.iterations, g.m.products};
    cpi_arnoldi_free(&g.m);
    cpi_linear_close(&g.a);
    cpi_linear_close(&g.inverse);
    return cpi_sparse_give(&f, 2, (cp_array **const[]){values, vectors}, made);
}
