/* Splines, piecewise polynomials and radial functions: arguments and results. What Python and SciPy call them is in
 * python/cuprite/scipy/interpolate. */
#include "splines/splines.h"

#include "compose/compose.h"
#include "operands/operands.h"

/*: python_module("_splines", doc="Splines and piecewise polynomials in C, behind cuprite.scipy.interpolate.") */
/*: words("rbf_kernel", "thin_plate_spline linear cubic quintic multiquadric inverse_multiquadric inverse_quadratic "
          "gaussian", c="cp_rbf_kernel", values="CP_RBF_KERNEL_THIN_PLATE_SPLINE CP_RBF_KERNEL_LINEAR "
          "CP_RBF_KERNEL_CUBIC CP_RBF_KERNEL_QUINTIC CP_RBF_KERNEL_MULTIQUADRIC CP_RBF_KERNEL_INVERSE_MULTIQUADRIC "
          "CP_RBF_KERNEL_INVERSE_QUADRATIC CP_RBF_KERNEL_GAUSSIAN") */

/* x as dense float64 of so many dimensions. */
static cp_array *numbers(const char *name, cp_array *x, int ndim, cpi_device *device)
{
    if (x->ndim != ndim)
        return cpi_fail(CP_ERROR_VALUE, "%s: an array of %d dimensions, not of %d, is needed", name, ndim, x->ndim),
               NULL;
    return cpi_check_real(name, x) ? NULL : cpi_dense(name, x, CP_FLOAT64, device);
}

/* The device of arrays, where none is NULL. */
static cpi_device *device_of(const char *name, int n, cp_array *const *arrays)
{
    for (int i = 0; i < n; i++)
        if (cpi_null(name, arrays[i])) return NULL;
    return cpi_common_device(name, n, arrays);
}

static cp_array *table(const char *name, cpi_device *device, int64_t rows, int64_t columns)
{
    return cpi_array_new(name, device, CP_FLOAT64, 2, (const int64_t[]){rows, columns}, 'C');
}

static cp_code check_degree(const char *name, int k, int nu)
{
    if (k < 0 || k > CPI_SPLINE_DEGREE)
        return cpi_fail(CP_ERROR_VALUE, "%s: the degree must be 0 to %d, not %d", name, CPI_SPLINE_DEGREE, k);
    return nu < 0 ? cpi_fail(CP_ERROR_VALUE, "%s: the derivative must be 0 or above, not %d", name, nu) : CP_OK;
}

/*: function("bspline_values", "t: array, c: array, k: int, x: array, nu: int, extrapolate: bool", module="_splines",
             unlock="always",
             about={"t": "knots, which do not descend", "c": "coefficients (n, columns)", "k": "the degree, to 63",
                    "x": "places", "nu": "which derivative",
                    "extrapolate": "whether the first and last polynomials go on; else NaN outside"},
             raises={"ValueError": "other shapes, too few knots, another degree or derivative"},
             doc="A spline's values at places: float64 (places, columns).") */
cp_array *cp_bspline_values(cp_array *t, cp_array *c, int k, cp_array *x, int nu, bool extrapolate)
{
    const char *name = "BSpline";
    cp_array *const all[] = {t, c, x};
    cpi_device *device = device_of(name, 3, all);
    if (!device || check_degree(name, k, nu)) return NULL;
    cp_array *knots = numbers(name, t, 1, device), *coefs = knots ? numbers(name, c, 2, device) : NULL;
    cp_array *places = coefs ? numbers(name, x, 1, device) : NULL, *r = NULL;
    if (places && (coefs->shape[0] < k + 1 || knots->size < coefs->shape[0] + k + 1))
        cpi_fail(CP_ERROR_VALUE, "%s: of degree %d, %lld coefficients need %lld knots, not %lld", name, k,
                 (long long)coefs->shape[0], (long long)(coefs->shape[0] + k + 1), (long long)knots->size);
    else if (places)
        r = table(name, device, places->size, coefs->shape[1]);
    if (r && r->size) {
        const cpi_bspline p = {.n = coefs->shape[0], .m = coefs->shape[1], .places = places->size, .k = k, .nu = nu,
                               .extrapolate = extrapolate, .t = (const double *)knots->data,
                               .c = (const double *)coefs->data, .at = (const double *)places->data,
                               .to = (double *)r->data};
        if (device->backend->splines->bspline(cpi_stream(device), &p)) cp_free(r), r = NULL;
    }
    cp_free(places), cp_free(coefs), cp_free(knots);
    return r;
}

/*: function("bspline_basis", "t: array, k: int, x: array, nu: int", module="_splines", returns="(values, first)",
             unlock="always",
             about={"t": "knots, which do not descend, 2 k + 2 or more", "k": "the degree, to 63", "x": "places",
                    "nu": "which derivative"},
             raises={"ValueError": "other shapes, too few knots, another degree or derivative"},
             doc="The k + 1 B-splines that are not 0 at each place, and the first one's index.") */
cp_code cp_bspline_basis(cp_array *t, int k, cp_array *x, int nu, cp_array **values, cp_array **first)
{
    const char *name = "BSpline.design_matrix";
    cp_array *const all[] = {t, x};
    cpi_device *device = device_of(name, 2, all);
    if (!device || check_degree(name, k, nu)) return cp_error();
    cp_array *knots = numbers(name, t, 1, device), *places = knots ? numbers(name, x, 1, device) : NULL;
    cp_array *r = NULL, *at = NULL;
    cp_code code = places ? CP_OK : cp_error();
    if (places && knots->size < 2 * k + 2)
        code = cpi_fail(CP_ERROR_VALUE, "%s: %lld knots are too few for the degree %d", name, (long long)knots->size,
                        k);
    if (!code && (!(r = table(name, device, places->size, k + 1)) ||
                  !(at = cpi_array_new(name, device, CP_INT64, 1, places->shape, 'C'))))
        code = cp_error();
    if (!code && places->size) {
        const cpi_basis p = {.n = knots->size - k - 1, .places = places->size, .k = k, .nu = nu,
                             .t = (const double *)knots->data, .at = (const double *)places->data,
                             .values = (double *)r->data, .first = (int64_t *)at->data};
        code = device->backend->splines->basis(cpi_stream(device), &p);
    }
    cp_free(places), cp_free(knots);
    if (code) return cp_free(r), cp_free(at), code;
    *values = r, *first = at;
    return CP_OK;
}

/*: function("ppoly_values", "c: array, x: array, at: array, nu: int, extrapolate: bool, descending: bool, "
             "bernstein: bool", module="_splines", unlock="always",
             about={"c": "coefficients (order, intervals, columns), the highest power first", "x": "breakpoints",
                    "at": "places", "nu": "which derivative",
                    "extrapolate": "whether the first and last polynomials go on; else NaN outside",
                    "descending": "whether breakpoints descend",
                    "bernstein": "whether coefficients are of Bernstein's basis"},
             raises={"ValueError": "other shapes, no interval, a negative derivative, one of Bernstein's polynomials"},
             doc="Values of piecewise polynomials at places: float64 (places, columns).") */
cp_array *cp_ppoly_values(cp_array *c, cp_array *x, cp_array *at, int nu, bool extrapolate, bool descending,
                          bool bernstein)
{
    const char *name = bernstein ? "BPoly" : "PPoly";
    cp_array *const all[] = {c, x, at};
    cpi_device *device = device_of(name, 3, all);
    if (!device) return NULL;
    cp_array *coefs = numbers(name, c, 3, device), *ends = coefs ? numbers(name, x, 1, device) : NULL;
    cp_array *places = ends ? numbers(name, at, 1, device) : NULL, *r = NULL;
    if (places && (coefs->shape[1] < 1 || coefs->shape[0] < 1 || ends->size != coefs->shape[1] + 1))
        cpi_fail(CP_ERROR_VALUE, "%s: %lld intervals need as many breakpoints and one more, not %lld", name,
                 (long long)coefs->shape[1], (long long)ends->size);
    else if (places && nu < 0)
        cpi_fail(CP_ERROR_VALUE, "%s: the derivative must be 0 or above, not %d", name, nu);
    else if (places && bernstein && nu)
        cpi_fail(CP_ERROR_VALUE, "%s: derivatives of Bernstein's polynomials are made of their coefficients", name);
    else if (places)
        r = table(name, device, places->size, coefs->shape[2]);
    if (r && r->size) {
        const cpi_ppoly p = {.n = coefs->shape[1], .m = coefs->shape[2], .places = places->size,
                             .k = (int)coefs->shape[0], .nu = nu, .extrapolate = extrapolate,
                             .descending = descending, .bernstein = bernstein, .c = (const double *)coefs->data,
                             .x = (const double *)ends->data, .at = (const double *)places->data,
                             .to = (double *)r->data};
        if (device->backend->splines->ppoly(cpi_stream(device), &p)) cp_free(r), r = NULL;
    }
    cp_free(places), cp_free(ends), cp_free(coefs);
    return r;
}

/*: function("banded_solve", "values: array, first: array, n: int64, b: array", module="_splines", unlock="always",
             about={"values": "(rows, width)", "first": "the column of each row's first element, which do not descend",
                    "n": "how many columns", "b": "the right-hand sides (rows, columns)"},
             raises={"ValueError": "other shapes, or fewer rows than columns"},
             doc="""The least squares solution of a banded matrix, by rotations of its rows; of a square one the
solution. The columns of `first` are not checked.""") */
cp_array *cp_banded_solve(cp_array *values, cp_array *first, int64_t n, cp_array *b)
{
    const char *name = "banded_solve";
    cp_array *const all[] = {values, first, b};
    cpi_device *device = device_of(name, 3, all);
    if (!device) return NULL;
    cp_array *band = numbers(name, values, 2, device), *right = band ? numbers(name, b, 2, device) : NULL;
    cp_array *at = right ? cpi_dense(name, first, CP_INT64, device) : NULL, *r = NULL;
    const int64_t rows = band ? band->shape[0] : 0, width = band ? band->shape[1] : 0;
    if (at && (at->ndim != 1 || at->size != rows || right->shape[0] != rows || width < 1 || n < width || rows < n ||
               width > 2 * CPI_SPLINE_DEGREE))
        cpi_fail(CP_ERROR_VALUE, "%s: %lld rows of %lld elements, %lld right-hand sides and %lld columns do not fit",
                 name, (long long)rows, (long long)width, (long long)right->shape[0], (long long)n);
    else if (at)
        r = table(name, device, n, right->shape[1]);
    if (r && r->size) {
        const cpi_banded p = {.rows = rows, .n = n, .m = right->shape[1], .width = (int)width,
                            .values = (const double *)band->data, .first = (const int64_t *)at->data,
                            .b = (const double *)right->data, .x = (double *)r->data};
        if (device->backend->splines->banded(cpi_stream(device), &p)) cp_free(r), r = NULL;
    }
    cp_free(at), cp_free(right), cp_free(band);
    return r;
}

static cp_array *radial(const char *name, cp_array *y, cp_array *x, cp_array *c, cp_rbf_kernel kernel)
{
    cp_array *const all[] = {y, x, c};
    cpi_device *device = device_of(name, c ? 3 : 2, all);
    if (!device) return NULL;
    if ((unsigned)kernel > CP_RBF_KERNEL_GAUSSIAN) return cpi_fail(CP_ERROR_VALUE, "%s: no such kernel", name), NULL;
    cp_array *points = numbers(name, y, 2, device), *places = points ? numbers(name, x, 2, device) : NULL;
    cp_array *coefs = places && c ? numbers(name, c, 2, device) : NULL, *r = NULL;
    if (places && (places->shape[1] != points->shape[1] || (coefs && coefs->shape[0] != points->shape[0])))
        cpi_fail(CP_ERROR_VALUE, "%s: points, places and coefficients do not fit", name);
    else if (places && (coefs || !c))
        r = table(name, device, places->shape[0], c ? coefs->shape[1] : points->shape[0]);
    if (r && r->size) {
        const cpi_rbf p = {.n = points->shape[0], .m = c ? coefs->shape[1] : 1, .places = places->shape[0],
                           .ndim = points->shape[1], .kernel = kernel, .y = (const double *)points->data,
                           .at = (const double *)places->data, .c = c ? (const double *)coefs->data : NULL,
                           .to = (double *)r->data};
        if (device->backend->splines->rbf(cpi_stream(device), &p)) cp_free(r), r = NULL;
    }
    cp_free(coefs), cp_free(places), cp_free(points);
    return r;
}

/*: function("rbf_values", "y: array, x: array, c: array, kernel: rbf_kernel", module="_splines", unlock="always",
             about={"y": "centres (n, dimensions), scaled", "x": "places (places, dimensions), scaled",
                    "c": "coefficients (n, columns)", "kernel": "which function of the distance"},
             raises={"ValueError": "other shapes"},
             doc="Sums of radial functions at places: float64 (places, columns).") */
cp_array *cp_rbf_values(cp_array *y, cp_array *x, cp_array *c, cp_rbf_kernel kernel)
{
    return cpi_null("RBFInterpolator", c) ? NULL : radial("RBFInterpolator", y, x, c, kernel);
}

/*: function("rbf_matrix", "y: array, x: array, kernel: rbf_kernel", module="_splines", unlock="always",
             about={"y": "centres (n, dimensions), scaled", "x": "places (places, dimensions), scaled",
                    "kernel": "which function of the distance"},
             raises={"ValueError": "other shapes"},
             doc="The radial function of the distance of each place to each centre: float64 (places, n).") */
cp_array *cp_rbf_matrix(cp_array *y, cp_array *x, cp_rbf_kernel kernel)
{
    return radial("RBFInterpolator", y, x, NULL, kernel);
}

/* What a call of rbf_near makes. */
typedef struct near_result {
    cp_array *values, *matrix, *rows, *frame, *singular;
} near_result;

static void drop_near(near_result *r)
{
    cp_free(r->values), cp_free(r->matrix), cp_free(r->rows), cp_free(r->frame), cp_free(r->singular);
    *r = (near_result){0};
}
/* in: y, smoothing, which, x, powers, d. */
static cp_code fill_near(cpi_device *device, cp_rbf_kernel kernel, double epsilon, cp_array *const in[6],
                         near_result *r)
{
    const char *name = "RBFInterpolator";
    const bool solves = !device->backend->splines->rbf_systems;
    const int64_t places = in[2]->shape[0], n = in[2]->shape[1], all = n + in[4]->shape[0], m = in[5]->shape[1];
    const int64_t systems = solves ? 0 : places;
    r->values = table(name, device, solves ? places : 0, m);
    r->matrix = cpi_array_new(name, device, CP_FLOAT64, 3, (int64_t[]){systems, all, all}, 'C');
    r->rows = table(name, device, systems, all);
    r->frame = table(name, device, places, 2 * in[0]->shape[1] + 1);
    r->singular = cp_zeros(CP_SHAPE(), CP_INT64);
    if (!r->values || !r->matrix || !r->rows || !r->frame || !r->singular) return cp_error();
    if (!places || !n || !m) return CP_OK;
    const cpi_rbf_near p = {.systems = places, .n = n, .ndim = in[0]->shape[1], .terms = all - n, .kernel = kernel,
                            .epsilon = epsilon, .y = (const double *)in[0]->data,
                            .at = (const double *)in[3]->data, .smoothing = (const double *)in[1]->data,
                            .which = (const int64_t *)in[2]->data, .powers = (const int64_t *)in[4]->data,
                            .frame = (double *)r->frame->data, .matrix = (double *)r->matrix->data,
                            .row = (double *)r->rows->data, .m = m,
                            .d = solves ? (const double *)in[5]->data : NULL, .values = (double *)r->values->data,
                            .singular = (int64_t *)r->singular->data};
    const cp_code code = device->backend->splines->rbf_near(cpi_stream(device), &p);
    if (code != CP_OK || !solves) return code;
    if (cp_item_int(r->singular)) return cpi_fail(CP_ERROR_LINALG, "%s: singular matrix", name);
    return cp_error();
}

/*: function("rbf_near", "y: array, d: array, smoothing: array, which: array, x: array, powers: array, "
             "epsilon: double, kernel: rbf_kernel", module="_splines", unlock="always",
             returns="(values, matrix, rows)",
             about={"y": "centres (points, dimensions)", "d": "their values (points, columns)",
                    "smoothing": "what is added to the diagonal, (points,)",
                    "which": "int64 (places, n): the centres next to each place", "x": "places (places, dimensions)",
                    "powers": "int64 (terms, dimensions): exponents of the polynomial's monomials",
                    "epsilon": "by which distances are multiplied", "kernel": "which function of the distance"},
             raises={"ValueError": "other shapes", "IndexError": "centres that do not exist",
                     "LinAlgError": "singular systems"},
             doc="""Sums of radial functions around the centres next to each place, at the places: float64 (places,
columns). Or, on a device that solves systems of any kind faster, no values, but the systems (places, n + terms, n +
terms) and the places' rows (places, n + terms); otherwise there are none of these.""") */
cp_code cp_rbf_near(cp_array *y, cp_array *d, cp_array *smoothing, cp_array *which, cp_array *x, cp_array *powers,
                    double epsilon, cp_rbf_kernel kernel, cp_array **values, cp_array **matrix, cp_array **rows)
{
    const char *name = "RBFInterpolator";
    cp_array *const all[] = {y, smoothing, which, x, powers, d};
    cpi_device *device = device_of(name, 6, all);
    if (!device) return cp_error();
    if ((unsigned)kernel > CP_RBF_KERNEL_GAUSSIAN) return cpi_fail(CP_ERROR_VALUE, "%s: no such kernel", name);
    cp_array *in[6] = {numbers(name, y, 2, device)};
    if (in[0]) in[1] = numbers(name, smoothing, 1, device);
    if (in[1]) in[2] = cpi_dense(name, which, CP_INT64, device);
    if (in[2]) in[3] = numbers(name, x, 2, device);
    if (in[3]) in[4] = cpi_dense(name, powers, CP_INT64, device);
    if (in[4]) in[5] = numbers(name, d, 2, device);
    cp_code code = in[5] ? CP_OK : cp_error();
    if (in[5] && (in[2]->ndim != 2 || in[4]->ndim != 2 || in[1]->size != in[0]->shape[0] ||
                  in[5]->shape[0] != in[0]->shape[0] || in[2]->shape[0] != in[3]->shape[0] ||
                  in[3]->shape[1] != in[0]->shape[1] || (in[4]->shape[0] && in[4]->shape[1] != in[0]->shape[1])))
        code = cpi_fail(CP_ERROR_VALUE, "%s: points, places and powers do not fit", name);
    if (code == CP_OK && in[2]->size) {
        cp_array *low = cp_min(in[2]), *high = low ? cp_max(in[2]) : NULL;
        if (high && (cp_item_int(low) < 0 || cp_item_int(high) >= in[0]->shape[0]))
            cpi_fail(CP_ERROR_INDEX, "%s: there is no such point", name);
        cp_free(high), cp_free(low);
        code = cp_error();
    }
    near_result r = {0};
    if (code == CP_OK) code = fill_near(device, kernel, epsilon, in, &r);
    for (int i = 0; i < 6; i++) cp_free(in[i]);
    if (code == CP_OK) {
        *values = r.values, *matrix = r.matrix, *rows = r.rows;
        r.values = r.matrix = r.rows = NULL;
    }
    drop_near(&r);
    return code;
}
