/* Functions of several variables on a grid: arguments and results. */
#include "compose/compose.h"
#include "operands/operands.h"
#include "splines/splines.h"

/* What the three have in common. `p` has kind, degrees and derivatives; what is made lasts until cpi_end. */
static cp_array *values(const char *name, cpi_tensor *p, int n, cp_array *const *knots, cp_array *c, cp_array *x)
{
    cpi_composite f;
    if (cpi_null(name, knots) || !cpi_begin(&f, name, x)) return NULL;
    cpi_device *device = cpi_device_current();
    if (cpi_null(name, c) || cpi_check_real(name, c) || cpi_check_real(name, x)) return cpi_end(&f, NULL);
    if (n < 1 || n > CPI_TENSOR_DIMS)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: 1 to %d variables, not %d", name, CPI_TENSOR_DIMS, n), NULL));
    const bool powers = p->kind == CPI_TENSOR_POWERS;
    if (x->ndim != 2 || x->shape[1] != n || c->ndim != (powers ? 2 * n + 1 : n + 1))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: places or coefficients are not of %d variables", name, n),
                            NULL));
    p->ndim = n;
    int64_t weights = 0;
    for (int d = 0; d < n; d++) {
        if (cpi_null(name, knots[d]) || cpi_check_real(name, knots[d])) return cpi_end(&f, NULL);
        cp_array *t = cpi_dense_in_scope(name, knots[d], CP_FLOAT64, device);
        if (!t) return cpi_end(&f, NULL);
        p->lengths[d] = c->shape[powers ? n + d : d];
        if (powers) p->degree[d] = (int)c->shape[d] - 1;
        weights += p->degree[d] + 1;
        p->knots[d] = (const double *)t->data;
        const int64_t need = p->lengths[d] + (powers ? 1 : p->kind == CPI_TENSOR_BSPLINES ? p->degree[d] + 1 : 0);
        if (t->ndim != 1 || t->size < need || p->degree[d] < 0 || p->lengths[d] < 1 ||
            (p->kind == CPI_TENSOR_BSPLINES && p->lengths[d] < p->degree[d] + 1))
            return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: too few knots or coefficients of variable %d", name, d),
                                NULL));
    }
    if (weights > CPI_TENSOR_WEIGHTS)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: the orders' sum is %lld, above %d", name,
                                     (long long)weights, CPI_TENSOR_WEIGHTS), NULL));
    cp_array *coefs = cpi_dense_in_scope(name, c, CP_FLOAT64, device);
    cp_array *at = cpi_dense_in_scope(name, x, CP_FLOAT64, device);
    p->m = c->shape[c->ndim - 1], p->places = x->shape[0];
    cp_array *r = coefs && at ? cp_empty(CP_SHAPE(p->places, p->m), CP_FLOAT64) : NULL;
    if (r && r->size) {
        p->c = (const double *)coefs->data, p->at = (const double *)at->data, p->to = (double *)r->data;
        if (device->backend->splines->tensor(cpi_stream(device), p)) r = NULL;
    }
    return cpi_end(&f, r);
}

static cp_code read_ints(const char *name, cp_shape from, int n, int *to)
{
    if (from.n != n) return cpi_fail(CP_ERROR_VALUE, "%s: %d numbers are needed, not %d", name, n, from.n);
    for (int d = 0; d < n; d++) {
        if (from.dim[d] < 0 || from.dim[d] > CPI_SPLINE_DEGREE)
            return cpi_fail(CP_ERROR_VALUE, "%s: degrees and derivatives must be 0 to %d, not %lld", name,
                            CPI_SPLINE_DEGREE, (long long)from.dim[d]);
        to[d] = (int)from.dim[d];
    }
    return CP_OK;
}

/*: function("ndbspline_values", "t: arrays, k: per_axis, c: array, x: array, nu: per_axis, extrapolate: bool",
             module="_splines", unlock="always",
             about={"t": "the knots of each variable", "k": "their degrees", "c": "coefficients (n1, ..., columns)",
                    "x": "places (places, variables)", "nu": "which derivative of each variable",
                    "extrapolate": "whether polynomials go on; else NaN outside"},
             raises={"ValueError": "other shapes, more than 16 variables, orders whose sum is above 96"},
             doc="Values of a tensor product of B-splines: float64 (places, columns).") */
cp_array *cp_ndbspline_values(int n, cp_array *const *t, cp_shape k, cp_array *c, cp_array *x, cp_shape nu,
                              bool extrapolate)
{
    cpi_tensor p = {.kind = CPI_TENSOR_BSPLINES, .extrapolate = extrapolate};
    const int m = n > CPI_TENSOR_DIMS ? CPI_TENSOR_DIMS : n;
    if (read_ints("NdBSpline", k, m, p.degree) || read_ints("NdBSpline", nu, m, p.nu)) return NULL;
    return values("NdBSpline", &p, n, t, c, x);
}

/*: function("ndppoly_values", "t: arrays, c: array, x: array, nu: per_axis, extrapolate: bool", module="_splines",
             unlock="always",
             about={"t": "the breakpoints of each variable",
                    "c": "coefficients (orders ..., intervals ..., columns), the highest power first",
                    "x": "places (places, variables)",
                    "nu": "which derivative of each variable",
                    "extrapolate": "whether polynomials go on; else NaN outside"},
             raises={"ValueError": "other shapes, more than 16 variables, orders whose sum is above 96"},
             doc="Values of piecewise polynomials of several variables: float64 (places, columns).") */
cp_array *cp_ndppoly_values(int n, cp_array *const *t, cp_array *c, cp_array *x, cp_shape nu, bool extrapolate)
{
    cpi_tensor p = {.kind = CPI_TENSOR_POWERS, .extrapolate = extrapolate};
    const int m = n > CPI_TENSOR_DIMS ? CPI_TENSOR_DIMS : n;
    if (read_ints("NdPPoly", nu, m, p.nu)) return NULL;
    return values("NdPPoly", &p, n, t, c, x);
}

/*: function("grid_values", "points: arrays, c: array, x: array, nearest: bool, extrapolate: bool", module="_splines",
             unlock="always",
             about={"points": "the coordinates of each axis, ascending", "c": "the values (n1, ..., columns)",
                    "x": "places (places, axes)", "nearest": "whether the nearest value is taken",
                    "extrapolate": "whether the outer cells go on; else NaN outside"},
             raises={"ValueError": "other shapes, or more than 16 axes"},
             doc="Linear interpolation on a grid, or the nearest value: float64 (places, columns).") */
cp_array *cp_grid_values(int n, cp_array *const *points, cp_array *c, cp_array *x, bool nearest, bool extrapolate)
{
    cpi_tensor p = {.kind = nearest ? CPI_TENSOR_NEAREST : CPI_TENSOR_LINEAR, .extrapolate = extrapolate};
    for (int d = 0; d < n && d < CPI_TENSOR_DIMS; d++)
        if (c && d < c->ndim) p.degree[d] = !nearest && c->shape[d] > 1;
    return values("RegularGridInterpolator", &p, n, points, c, x);
}
