/* Eigenvalues of Hermitian matrices and singular values, by Lanczos' method (lanczos.c).
 *
 * Invariant: what is returned has converged. */
#include "operands/operands.h"
#include "sparse/lanczos.h"

typedef struct eigen {
    const cp_sparse_eigen_options *o;
    cpi_linear a, inverse;
    bool wide;                  /* svds: more columns than rows, so that a a^H is what is multiplied by */
    double between;             /* svds: what a x, or a^H x, is multiplied by: see cpi_sparse_between; 0: not known */
    cpi_lanczos l;
} eigen;

static cp_array *plain_product(void *context, cp_array *x) { return cpi_linear_times(&((eigen *)context)->a, x); }
static cp_array *inverse_product(void *context, cp_array *x)
{
    return cpi_linear_times(&((eigen *)context)->inverse, x);
}
static cp_array *square_product(void *context, cp_array *x)
{
    eigen *e = context;
    cp_array *y = e->wide ? cpi_linear_adjoint(&e->a, x) : cpi_linear_times(&e->a, x);
    if (y && e->between == 0) e->between = cpi_sparse_between(y);
    if (y && e->between != 1) y = cp_multiply(y, cp_float(e->between));
    return e->wide ? cpi_linear_times(&e->a, y) : cpi_linear_adjoint(&e->a, y);
}

static cp_code check(eigen *e, const char *name, int64_t n)
{
    const cp_sparse_eigen_options *o = e->o;
    const int64_t k = o->k ? o->k : 6;
    if (k < 1 || k > n)
        return cpi_fail(CP_ERROR_VALUE, "%s: k must be 1 to %lld, not %lld", name, (long long)n, (long long)k);
    if ((unsigned)o->which > CP_SPARSE_BE)
        return cpi_fail(CP_ERROR_VALUE, "%s: there is no which %d", name, (int)o->which);
    if (o->v0 && (o->v0->ndim != 1 || o->v0->size != n))
        return cpi_fail(CP_ERROR_VALUE, "%s: v0 must be 1-D and have %lld elements", name, (long long)n);
    if (o->ncv < 0 || (o->ncv && o->ncv < n && o->ncv <= k))
        return cpi_fail(CP_ERROR_VALUE, "%s: ncv must be above k, not %lld", name, (long long)o->ncv);
    if (o->maxiter < 0) return cpi_fail(CP_ERROR_VALUE, "%s: maxiter must not be negative", name);
    if (!(o->tol >= 0) || o->tol > 1e150)
        return cpi_fail(CP_ERROR_VALUE, "%s: tol must not be negative, and finite", name);
    e->l = (cpi_lanczos){.name = name, .which = o->which, .n = n, .k = k, .context = e,
                         .maxiter = o->maxiter ? o->maxiter : n > INT64_MAX / 10 ? INT64_MAX : 10 * n};
    return CP_OK;
}
/* Runs the method with this product. */
static bool run_lanczos(eigen *e, double tol, cp_array *(*product)(void *, cp_array *))
{
    cpi_lanczos *l = &e->l;
    const cp_sparse_eigen_options *o = e->o;
    cp_array *v0 = o->v0 ? cp_astype(o->v0, e->a.type) : cpi_sparse_noise(l->n, 2463534242, e->a.type);
    cpi_device *device = v0 ? cpi_common_device(l->name, 1, &v0) : NULL;
    if (!device) return false;
    const int64_t usual = device->backend->at_once ? 20 : 40, two = 2 * l->k + 1; /* a restart waits */
    const int64_t ncv = o->ncv ? o->ncv : two > usual ? two : usual;
    l->m = ncv < l->n ? ncv : l->n;
    l->type = e->a.type, l->eps = cpi_sparse_epsilon(l->type), l->tol = tol > 0 ? tol : l->eps;
    l->product = product;
    return cpi_lanczos_run(l, v0);
}
static void report(const eigen *e)
{
    const cpi_lanczos *l = &e->l;
    if (e->o->report) *e->o->report = (cp_sparse_eigen_report){l->found, l->iterations, l->products};
}
static void close(eigen *e)
{
    cpi_lanczos_free(&e->l);
    cpi_linear_close(&e->a);
    cpi_linear_close(&e->inverse);
}
static double value_of(const eigen *e, int64_t i)
{
    const double theta = e->l.theta[i] / e->l.scale;
    return e->o->inverse ? e->o->sigma + 1 / theta : theta;
}
/* The numbers of what was found by ascending values. */
static void sort_found(eigen *e)
{
    int64_t *order = e->l.order;
    for (int64_t i = 1; i < e->l.found; i++) {
        const int64_t one = order[i];
        int64_t at = i;
        for (; at > 0 && value_of(e, order[at - 1]) > value_of(e, one); at--) order[at] = order[at - 1];
        order[at] = one;
    }
}
/* What was found, as arrays of the call's scope. */
static bool results(eigen *e, cp_array **w, cp_array **v)
{
    const cpi_lanczos *l = &e->l;
    double *values = cpi_malloc(sizeof *values * (size_t)(l->found ? l->found : 1));
    if (!values) return false;
    sort_found(e);
    for (int64_t i = 0; i < l->found; i++) values[i] = value_of(e, l->order[i]);
    cp_array *made = cp_from_host(values, CP_FLOAT64, CP_SHAPE(l->found), NULL);
    cpi_free_host(values);
    *w = made ? cp_astype(made, cpi_sparse_single(l->type) ? CP_FLOAT32 : CP_FLOAT64) : NULL;
    if (v) *v = cpi_lanczos_vectors(l, l->found, l->order);
    return *w && (!v || *v);
}

cp_code (cp_sparse_eigsh)(cp_sparse *a, cp_array **values, cp_array **vectors, const cp_sparse_eigen_options *options)
{
    const char *name = "sparse_eigsh";
    eigen e = {.o = CPI_GIVEN(cp_sparse_eigen_options, options)};
    const cp_sparse_eigen_options *o = e.o;
    cpi_composite f;
    if (cpi_null(name, values) || cpi_linear_check(&e.a, name, a, o->map ? o->map : a ? NULL : o->inverse, false))
        return cp_error();
    if (e.a.rows != e.a.columns)
        return cpi_fail(CP_ERROR_VALUE, "%s: a must be square, not (%lld, %lld)", name, (long long)e.a.rows,
                        (long long)e.a.columns);
    if (o->inverse && (o->inverse->rows != e.a.rows || o->inverse->columns != e.a.rows))
        return cpi_fail(CP_ERROR_VALUE, "%s: inverse must have a's shape", name);
    if (o->sigma_im != 0) return cpi_fail(CP_ERROR_VALUE, "%s: sigma must be real", name);
    if (o->sigma != o->sigma || (o->sigma != 0 && !o->inverse))
        return cpi_fail(CP_ERROR_VALUE, "%s: sigma needs inverse, which solves (a - sigma) y = x", name);
    if (check(&e, name, e.a.rows) || (o->inverse && cpi_linear_check(&e.inverse, name, NULL, o->inverse, false)) ||
        !cpi_linear_begin(&f, &e.a, a, o->v0))
        return cp_error();
    cp_array *made[2] = {NULL, NULL};
    e.inverse.type = e.a.type;
    if (cpi_linear_open(&e.a, a, false) && run_lanczos(&e, o->tol, o->inverse ? inverse_product : plain_product) &&
        results(&e, &made[0], vectors ? &made[1] : NULL))
        report(&e);
    if (made[1]) made[1] = cp_copy(made[1]);
    close(&e);
    return cpi_sparse_give(&f, 2, (cp_array **const[]){values, vectors}, made);
}

/* --- singular values --- */

/* a, or its adjoint, times columns. */
static cp_array *columns_times(const eigen *e, cp_array *v, int64_t n)
{
    if (e->a.a) return e->wide ? cpi_linear_adjoint(&e->a, v) : cpi_linear_times(&e->a, v);
    cp_array **list = cpi_malloc(sizeof *list * (size_t)(n ? n : 1)), *made = NULL;
    bool good = list != NULL;
    for (int64_t i = 0; i < n && good; i++) { /* functions take vectors */
        cp_array *column = cp_contiguous(cp_slice(v, CP_ITEMS(CP_FULL, CP_AT(i))));
        list[i] = e->wide ? cpi_linear_adjoint(&e->a, column) : cpi_linear_times(&e->a, column);
        good = list[i] != NULL;
    }
    if (good && n) made = cp_stack((int)n, list, 1);
    if (good && !n) made = cp_zeros(CP_SHAPE(e->wide ? e->a.columns : e->a.rows, 0), e->a.type);
    cpi_free_host(list);
    return made;
}
static cp_array *adjoint_of(cp_array *x) { return x ? cp_conjugate(cp_transpose(x, CP_ALL)) : NULL; }
/* u, s and vh of what was found, ascending, of the vectors of the square. */
static bool parts(eigen *e, cp_array **made, bool wanted)
{
    cp_array *w, *v, *u = NULL, *s = NULL, *vt = NULL;
    if (!results(e, &w, &v)) return false;
    cp_array *image = columns_times(e, v, e->l.found);
    if (!image || cp_svd(image, wanted ? &u : NULL, &s, wanted ? &vt : NULL) != CP_OK) return false;
    const cp_index back = {CP_IX_SLICE, 0, 0, -1, 0, NULL};
    made[1] = cp_copy(cp_slice(s, 1, &back));
    if (!wanted) return made[1];
    u = cp_slice(u, CP_ITEMS(CP_FULL, back));
    vt = cp_matmul(cp_slice(vt, 1, &back), adjoint_of(v));
    made[0] = cp_copy(e->wide ? adjoint_of(vt) : u);
    made[2] = cp_copy(e->wide ? adjoint_of(u) : vt);
    return made[0] && made[1] && made[2];
}
cp_code (cp_sparse_svds)(cp_sparse *a, cp_array **u, cp_array **s, cp_array **vh,
                         const cp_sparse_eigen_options *options)
{
    const char *name = "sparse_svds";
    eigen e = {.o = CPI_GIVEN(cp_sparse_eigen_options, options)};
    const cp_sparse_eigen_options *o = e.o;
    cpi_composite f;
    if (cpi_null(name, s) || cpi_linear_check(&e.a, name, a, o->map, true)) return cp_error();
    if (o->which > CP_SPARSE_SM) return cpi_fail(CP_ERROR_VALUE, "%s: which must be LM or SM", name);
    if (o->inverse || o->sigma != 0 || o->sigma_im != 0)
        return cpi_fail(CP_ERROR_VALUE, "%s: sigma and inverse are cp_sparse_eigsh's", name);
    e.wide = e.a.rows < e.a.columns;
    if (check(&e, name, e.wide ? e.a.rows : e.a.columns) || !cpi_linear_begin(&f, &e.a, a, o->v0)) return cp_error();
    cp_array *made[3] = {NULL, NULL, NULL};
    if (cpi_linear_open(&e.a, a, true) && run_lanczos(&e, o->tol * o->tol, square_product) && parts(&e, made, u || vh))
        report(&e);
    close(&e);
    return cpi_sparse_give(&f, 3, (cp_array **const[]){u, s, vh}, made);
}
