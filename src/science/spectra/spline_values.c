/* B-splines between samples: values of those whose ends are mirrored, and the Gaussian that a high order nears. */
#include <math.h>

#include "spectra/steps.h"

/* The basis splines' pieces, of the place `x` and a coefficient's place `p` + `i`; y and c are the sum and the
 * coefficient. */
static const char cubic[] = "t = abs(x - (p + i));"
                            "y + c*where(t < 1, 2/3 - 0.5*t*t*(2 - t), where(t < 2, (2 - t)**3/6, 0))";
static const char quadratic[] = "t = abs(x - (p + i));"
                                "y + c*where(t < 0.5, 0.75 - t*t, where(t < 1.5, (t - 1.5)**2/2, 0))";

/* A basis: what it is, how far it reaches, and how many of them overlap. */
typedef struct basis { const char *name, *text; double reach; int terms; } basis;

/* Places among the coefficients 0..last, mirrored at both ends, in float64. */
static cp_array *mirrored(cp_array *newx, double dx, double x0, int64_t last)
{
    static const char *const names[] = {"x", "a", "d", "n"};
    cp_array *v[] = {cpi_typed(newx, CP_FLOAT64), cp_float(x0), cp_float(dx), cp_float((double)last)};
    if (!v[0] || !v[1] || !v[2] || !v[3]) return NULL;
    return cp_fused(last ? "n - abs(remainder((x - a)/d, 2*n) - n)" : "u = (x - a)/d; u - u + 0*n", 4, names, v);
}

/* The value at each place, in float64 or complex128; NaN at what is no number. */
static cp_array *values_of(const basis *b, cp_array *cj, cp_array *x)
{
    static const char *const names[] = {"x", "p", "i", "c", "y"}, *const of_place[] = {"x", "r"},
                      *const of_value[] = {"x", "y"};
    const int64_t last = cp_size(cj) - 1;
    cp_array *reach = cp_float(b->reach), *y = cp_int(0);
    cp_array *p = reach ? cp_fused("int64(floor(where(x == x, x, 0) - r)) + 1", 2, of_place,
                                   ((cp_array *[]){x, reach})) : NULL;
    for (int i = 0; i < b->terms && p && y; i++) {
        cp_array *at = cp_clip(cp_add(p, cp_int(i)), cp_int(0), cp_int(last));
        cp_array *v[] = {x, p, cp_int(i), at ? cp_take(cj, at, 0) : NULL, y};
        y = v[2] && v[3] ? cp_fused(b->text, 5, names, v) : NULL;
    }
    return p && y ? cp_fused("where(x == x, y, x)", 2, of_value, ((cp_array *[]){x, y})) : NULL;
}

static cp_array *evaluated(const basis *b, cp_array *cj, cp_array *newx, double dx, double x0)
{
    if (cpi_null(b->name, newx) || cpi_check_real(b->name, newx)) return NULL;
    if (!cp_size(cj))
        return cpi_fail(CP_ERROR_VALUE, "%s: Spline coefficients 'cj' must not be empty.", b->name), NULL;
    if (cp_ndim(cj) != 1) return cpi_fail(CP_ERROR_VALUE, "%s: Spline coefficients 'cj' must be 1-D", b->name), NULL;
    cp_array *x = mirrored(newx, dx, x0, cp_size(cj) - 1);
    return x ? values_of(b, cj, x) : NULL;
}

/*: function("cspline1d_eval", "cj: array, newx: array, dx: double = 0, x0: double = 0", module="_spectra",
             unlock="always",
             about={"cj": "cspline1d's coefficients", "newx": "places, real", "dx": "the samples' spacing (0: 1)",
                    "x0": "the first sample's place"},
             doc="""Values of a cubic spline, which is mirrored at both ends, in the coefficients' type; of integers in
float64.""") */
cp_array *(cp_cspline1d_eval)(cp_array *cj, cp_array *newx, const cp_cspline1d_eval_options *options)
{
    static const basis b = {"cspline1d_eval", cubic, 2, 4};
    const cp_cspline1d_eval_options *o = CPI_GIVEN(cp_cspline1d_eval_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, b.name, cj)) return NULL;
    const cp_type t = cp_type_of(cj), type = cpi_is_float(t) || cpi_is_complex(t) ? t : CP_FLOAT64;
    cp_array *y = evaluated(&b, cpi_floating(cj), newx, o->dx != 0 ? o->dx : 1, o->x0);
    return cpi_end(&f, cpi_typed(y, type));
}

/*: function("qspline1d_eval", "cj: array, newx: array, dx: double = 0, x0: double = 0", module="_spectra",
             unlock="always",
             about={"cj": "qspline1d's coefficients", "newx": "places, real", "dx": "the samples' spacing (0: 1)",
                    "x0": "the first sample's place"},
             doc="Values of a quadratic spline, which is mirrored at both ends, in float64 or complex128.") */
cp_array *(cp_qspline1d_eval)(cp_array *cj, cp_array *newx, const cp_qspline1d_eval_options *options)
{
    static const basis b = {"qspline1d_eval", quadratic, 1.5, 3};
    const cp_qspline1d_eval_options *o = CPI_GIVEN(cp_qspline1d_eval_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, b.name, cj)) return NULL;
    const cp_type type = cpi_is_complex(cp_type_of(cj)) ? CP_COMPLEX128 : CP_FLOAT64;
    cp_array *y = evaluated(&b, cpi_floating(cj), newx, o->dx != 0 ? o->dx : 1, o->x0);
    return cpi_end(&f, cpi_typed(y, type));
}

/*: function("gauss_spline", "x: array, n: double", module="_spectra", unlock="always",
             about={"x": "places", "n": "the order, 0 or above"},
             doc="The Gaussian that a B-spline of order n nears: of the same variance, (n + 1) / 12.") */
cp_array *cp_gauss_spline(cp_array *x, double n)
{
    static const char *const names[] = {"x", "v", "a"};
    const double variance = (n + 1) / 12;
    cpi_composite f;
    if (!cpi_begin(&f, "gauss_spline", x)) return NULL;
    cp_array *v[] = {x, cp_float(variance), cp_float(1 / sqrt(2 * 3.14159265358979323846264338327950288 * variance))};
    return cpi_end(&f, v[1] && v[2] ? cp_fused("a*exp(-x**2 / 2 / v)", 3, names, v) : NULL);
}
