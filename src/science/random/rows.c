/* Distributions of several numbers at once: each row has its own words, its numbers are made one after the other. What
 * the rows share (weights, colours) is found good on the host, where it is small. */
#include "random/draw.h"

/* A 1-d array's values as float64, in host memory; fractions of whole numbers are cut off. */
static double *host_values(const char *name, const char *what, cp_array *x, int64_t *n)
{
    if (cpi_no_parameter(name, &(cpi_parameter){what, x, CPI_ANY})) return NULL;
    cp_array *d = cp_astype(x, CP_FLOAT64), *dense = d ? cp_contiguous(d) : NULL;
    double *v = dense ? cpi_malloc((size_t)(x->size ? x->size : 1) * sizeof *v) : NULL;
    if (v && cp_to_host(dense, v, (size_t)x->size * sizeof *v)) cpi_free_host(v), v = NULL;
    cp_free(dense);
    cp_free(d);
    *n = x->size;
    return v;
}

static cp_array *draw_rows(const char *name, cp_rng *g, int distribution, const double *table, int64_t n, int64_t width,
                           cp_array *count, const cp_draw_options *o)
{
    cp_array *t = cp_from_host(table, CP_FLOAT64, CP_SHAPE(n), NULL);
    cpi_drawing d = {.name = name, .g = g, .distribution = distribution, .options = o, .table = t, .width = width};
    if (count) d.n = 1, d.parameter[0] = (cpi_parameter){"n", count, CPI_COUNT};
    cp_array *r = t ? cpi_draw_distribution(&d) : NULL;
    cp_free(t);
    return r;
}

/* The shape of a result of no columns. */
static cp_array *no_columns(const char *name, cp_type type, const cp_draw_options *o)
{
    const cp_draw_options *given = CPI_GIVEN(cp_draw_options, o);
    int64_t shape[CP_MAXDIM + 1];
    const int n = given->shape.dim ? given->shape.n : 0;
    if (n >= CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", name, CP_MAXDIM), NULL;
    for (int i = 0; i < n; i++) shape[i] = given->shape.dim[i];
    shape[n] = 0;
    return cpi_deliver(name, cp_empty((cp_shape){n + 1, shape}, type), given->out, CP_SAME_KIND);
}

cp_array *(cp_rng_dirichlet)(cp_rng *g, cp_array *alpha, const cp_draw_options *o)
{
    int64_t n;
    if (cpi_null("dirichlet", g) || cpi_null("dirichlet", alpha)) return NULL;
    if (alpha->ndim != 1) return cpi_fail(CP_ERROR_VALUE, "dirichlet: alpha must be 1-dimensional"), NULL;
    double *a = host_values("dirichlet", "alpha", alpha, &n);
    if (!a) return NULL;
    cp_array *r = NULL;
    bool bad = false;
    for (int64_t i = 0; i < n; i++) bad |= a[i] < 0; /* NaN makes NaN */
    if (bad) cpi_fail(CP_ERROR_VALUE, "dirichlet: alpha < 0");
    else r = n ? draw_rows("dirichlet", g, CPR_DIRICHLET, a, n, n, NULL, o) : no_columns("dirichlet", CP_FLOAT64, o);
    cpi_free_host(a);
    return r;
}

/* --- multinomial: the rows' weights may differ, then each is drawn with its own --- */

static cp_code check_pvals(const double *p, int64_t rows, int64_t k)
{
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int64_t i = 0; i < k; i++) {
            const double v = p[r * k + i];
            if (!(v >= 0 && v <= 1))
                return cpi_fail(CP_ERROR_VALUE, "multinomial: pvals < 0, pvals > 1 or pvals contains NaNs");
            if (i < k - 1) sum += v;
        }
        if (sum > 1 + 1e-12) return cpi_fail(CP_ERROR_VALUE, "multinomial: sum(pvals[:-1]) > 1.0");
    }
    return CP_OK;
}

/* Rows of the shape of n and the leading axes of pvals together, each with weights of its own. */
static cp_array *row_by_row(cp_rng *g, cp_array *n, cp_array *pvals, int64_t k, const cp_draw_options *o)
{
    const char *name = "multinomial";
    int64_t shape[CP_MAXDIM + 1];
    int ndim;
    cp_array *r = NULL;
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    cp_array *lead = cp_slice(pvals, 2, (const cp_index[]){CP_ELLIPSIS, CP_AT(0)});
    cp_draw_options rows = *o;
    rows.out = NULL;
    cpi_device *device = lead ? cpi_draw_device(name, o, 2, (cp_array *[]){n, lead}) : NULL;
    if (device && !cpi_draw_shape(name, &rows, 2, (cp_array *[]){n, lead}, &ndim, shape) && ndim < CP_MAXDIM) {
        shape[ndim] = k;
        rows.shape = (cp_shape){ndim, shape};
        cp_array *w = cpi_dense_shaped(name, pvals, CP_FLOAT64, device, ndim + 1, shape);
        cpi_drawing d = {.name = name,
                         .g = g,
                         .distribution = CPR_MULTINOMIAL,
                         .n = 1,
                         .parameter = {{"n", n, CPI_COUNT}},
                         .options = &rows,
                         .table = w,
                         .table_step = k,
                         .width = k};
        r = w ? cpi_draw_distribution(&d) : NULL;
        cp_free(w);
    }
    return cp_scope_return(s, r);
}

cp_array *(cp_rng_multinomial)(cp_rng *g, cp_array *n, cp_array *pvals, const cp_draw_options *options)
{
    const cp_draw_options *o = CPI_GIVEN(cp_draw_options, options);
    const cpi_parameter count = {"n", n, CPI_COUNT};
    int64_t size;
    if (cpi_null("multinomial", g) || cpi_no_parameter("multinomial", &count) || cpi_null("multinomial", pvals))
        return NULL;
    if (pvals->ndim < 1 || pvals->shape[pvals->ndim - 1] == 0)
        return cpi_fail(CP_ERROR_VALUE,
                        "multinomial: pvals must have at least 1 dimension and the last dimension of pvals "
                        "must be greater than 0."),
               NULL;
    const int64_t k = pvals->shape[pvals->ndim - 1];
    if (cpi_check_bound("multinomial", &count)) return NULL;
    double *p = host_values("multinomial", "pvals", pvals, &size);
    cp_array *r = NULL;
    if (p && !check_pvals(p, size / k, k))
        r = pvals->ndim == 1 ? draw_rows("multinomial", g, CPR_MULTINOMIAL, p, k, k, n, o)
                             : cpi_deliver("multinomial", row_by_row(g, n, pvals, k, o), o->out, CP_SAME_KIND);
    cpi_free_host(p);
    return r;
}

cp_array *(cp_rng_multivariate_hypergeometric)(cp_rng *g, cp_array *colors, int64_t nsample, const cp_draw_options *o)
{
    const char *name = "multivariate_hypergeometric";
    int64_t n;
    double sum = 0;
    if (cpi_null(name, g) || cpi_null(name, colors)) return NULL;
    if (colors->ndim != 1 || !(cpi_is_int(colors->type) || colors->type == CP_BOOL || !colors->size))
        return cpi_fail(CP_ERROR_VALUE, "%s: colors must be a one-dimensional sequence of nonnegative integers", name),
               NULL;
    if (nsample < 0) return cpi_fail(CP_ERROR_VALUE, "%s: nsample must be nonnegative.", name), NULL;
    double *c = host_values(name, "colors", colors, &n);
    if (!c) return NULL;
    bool bad = false;
    for (int64_t i = 0; i < n; i++) bad |= c[i] < 0, sum += c[i];
    cp_array *r = NULL;
    if (bad)
        cpi_fail(CP_ERROR_VALUE, "%s: colors must be a one-dimensional sequence of nonnegative integers", name);
    else if (sum >= 1e9)
        cpi_fail(CP_ERROR_VALUE, "%s: sum(colors) must be less than 1000000000", name);
    else if ((double)nsample > sum)
        cpi_fail(CP_ERROR_VALUE, "%s: nsample > sum(colors)", name);
    else if (!n)
        r = no_columns(name, CP_INT64, o);
    else {
        cp_scope *scope = cp_scope_begin();
        cp_array *sample = scope ? cp_int(nsample) : NULL;
        if (sample) r = draw_rows(name, g, CPR_MULTIVARIATE_HYPERGEOMETRIC, c, n, n, sample, o);
        r = cp_scope_return(scope, r);
    }
    cpi_free_host(c);
    return r;
}
