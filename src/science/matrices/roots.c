/* Polynomials and matrices: roots are eigenvalues, and a fit is least squares. The highest power comes first. */
#include "compose/compose.h"

#include <float.h>

static bool any_true(cp_array *x)
{
    cp_array *any = x ? cp_any(x) : NULL;
    bool yes = false;
    return any && cp_to_host(any, &yes, sizeof yes) == CP_OK && yes;
}

/* Real numbers where all are; those of a complex matrix stay complex. */
static cp_array *eigenvalues(cp_array *a)
{
    cp_array *found = cp_eigvals(a);
    if (!found || cp_type_kind(cp_type_of(found)) != 'c' || cp_type_kind(cp_type_of(a)) == 'c') return found;
    if (any_true(cp_imag_part(found))) return found;
    return cp_error() == CP_OK ? cp_copy(cp_real_part(found)) : NULL;
}

/* Is each root's conjugate a root? Then the coefficients are real. */
static bool in_pairs(cp_array *roots)
{
    cp_array *other = cp_sort(cp_conjugate(roots), 0), *own = other ? cp_sort(roots, 0) : NULL;
    return own && !any_true(cp_not_equal(own, other)) && cp_error() == CP_OK;
}

static cp_array *from_roots(cp_array *roots)
{
    const cp_type t = cp_type_of(roots);
    cp_array *a = cp_ones(CP_SHAPE(1), t), *one = cp_ones(CP_SHAPE(1), t);
    for (int64_t i = 0; a && i < cp_size(roots); i++) {
        cp_array *root = cp_negative(cpi_range(roots, 0, i, i + 1));
        cp_array *factor = root ? cp_concatenate(2, ((cp_array *[]){one, root}), 0) : NULL;
        a = factor ? cp_convolve(a, factor, CP_MODE_FULL) : NULL;
    }
    if (!a || cp_type_kind(cp_type_of(a)) != 'c' || !in_pairs(roots)) return cp_error() == CP_OK ? a : NULL;
    return cp_copy(cp_real_part(a));
}

/*: function("poly", "seq_of_zeros: array", module="_triangles", unlock="always",
             doc="""The coefficients of the polynomial with these roots, or of a square matrix' characteristic one.
ValueError for what is neither.""") */
cp_array *cp_poly(cp_array *seq_of_zeros)
{
    cpi_composite f;
    if (!cpi_begin(&f, "poly", seq_of_zeros)) return NULL;
    cp_array *roots = cp_ndim(seq_of_zeros) ? seq_of_zeros : cp_reshape(seq_of_zeros, CP_SHAPE(1));
    if (roots && cp_ndim(roots) == 2 && cp_dim(roots, 0) == cp_dim(roots, 1) && cp_size(roots))
        roots = eigenvalues(roots);
    else if (roots && cp_ndim(roots) != 1)
        return cpi_fail(CP_ERROR_VALUE, "poly: input must be 1d or non-empty square 2d array."), cpi_end(&f, NULL);
    const cp_type t = roots ? cp_type_of(roots) : CP_FLOAT64;
    if (t != CP_FLOAT32 && t != CP_FLOAT64 && t != CP_COMPLEX64 && t != CP_COMPLEX128)
        roots = cp_astype(roots, CP_FLOAT64); /* as NumPy, float16 too */
    return cpi_end(&f, roots ? from_roots(roots) : NULL);
}

/* The companion matrix of coefficients without zeros at their ends. */
static cp_array *companion(cp_array *p)
{
    const int64_t n = cp_size(p);
    cp_array *a = cp_eye(n - 1, n - 1, -1, cp_type_of(p)), *row = a ? cp_slice(a, 1, &CP_AT(0)) : NULL;
    cp_array *c = cp_negative(cp_divide(cpi_range(p, 0, 1, n), cp_slice(p, 1, &CP_AT(0))));
    return row && c && cp_assign(row, c) == CP_OK ? a : NULL;
}

/*: function("roots", "p: array", module="_triangles", unlock="always",
             doc="""The roots of the polynomial with these coefficients: eigenvalues of its companion matrix, and a zero
for each coefficient that is 0 at the end. ValueError for coefficients of more than one axis.""") */
cp_array *cp_roots(cp_array *p)
{
    cpi_composite f;
    if (!cpi_begin(&f, "roots", p)) return NULL;
    cp_array *line = cp_ndim(p) ? p : cp_reshape(p, CP_SHAPE(1));
    if (line && cp_ndim(line) != 1)
        return cpi_fail(CP_ERROR_VALUE, "roots: Input must be a rank-1 array."), cpi_end(&f, NULL);
    cp_array *trimmed = line ? cp_trim_zeros(line, true, false) : NULL,
             *c = trimmed ? cp_trim_zeros(trimmed, false, true) : NULL;
    if (!c) return cpi_end(&f, NULL);
    const int64_t zeros = cp_size(trimmed) - cp_size(c);
    const char kind = cp_type_kind(cp_type_of(c));
    if (!cp_size(c)) return cpi_end(&f, cp_zeros(CP_SHAPE(0), CP_FLOAT64));
    if (kind != 'f' && kind != 'c') c = cp_astype(c, CP_FLOAT64);
    cp_array *found = !c ? NULL : cp_size(c) < 2 ? cp_zeros(CP_SHAPE(0), CP_FLOAT64) : eigenvalues(companion(c));
    cp_array *at_zero = found ? cp_zeros(CP_SHAPE(zeros), cp_type_of(found)) : NULL;
    return cpi_end(&f, at_zero ? cp_concatenate(2, ((cp_array *[]){found, at_zero}), 0) : NULL);
}
