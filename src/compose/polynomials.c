/* Polynomials by their coefficients, the highest power first as numpy.polyval has them. */
#include "compose/compose.h"

/*: function("polyval", "p: array, x: array_like", module="_polynomials_in_c",
             doc="The polynomial with coefficients p, the highest power first, at x: Horner's rule.") */
cp_array *cp_polyval(cp_array *p, cp_array *x)
{
    cpi_frame f;
    if (cpi_null("polyval", x) || !cpi_begin(&f, "polyval", p)) return NULL;
    if (cp_ndim(p) < 1) return cpi_end(&f, (cpi_fail(CP_ERROR_TYPE, "polyval: iteration over a 0-d array"), NULL));
    cp_array *y = cp_zeros_like(x, CP_DEFAULT);
    for (int64_t i = 0; i < cp_dim(p, 0) && y; i++) y = cp_add(cp_multiply(y, x), cp_slice(p, 1, &CP_AT(i)));
    return cpi_end(&f, y);
}

/*: function("vander", "x: array, N: int64, increasing: bool = False", module="_polynomials_in_c",
             doc="The powers 0 .. N - 1 of each element of x, those of one element in a row, the highest first.") */
cp_array *(cp_vander)(cp_array *x, int64_t N, const cp_vander_options *options)
{
    cpi_frame f;
    if (N < 0) return cpi_fail(CP_ERROR_VALUE, "vander: negative dimensions are not allowed"), NULL;
    if (!cpi_begin(&f, "vander", x)) return NULL;
    if (cp_ndim(x) != 1)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "vander: x must be a one-dimensional array or sequence."), NULL));
    const cp_type type = cp_promote(cp_type_of(x), CP_INT64);
    const int64_t rows = cp_dim(x, 0);
    const bool rising = options && options->increasing;
    cp_array *v = type == CP_DEFAULT ? NULL : cp_ones(CP_SHAPE(rows, N), type);
    if (v && N > 1) { /* products of neighbours, one by one, which gives NumPy's roundings */
        cp_array *rest = cpi_range(rising ? v : cp_flip(v, CP_AXES(1)), 1, 1, INT64_MAX);
        cp_array *column = cp_astype(cp_expand_dims(x, CP_AXES(1)), type);
        cp_array *powers = column ? cp_cumprod(cp_broadcast_to(column, CP_SHAPE(rows, N - 1)), 1) : NULL;
        if (!rest || !powers || cp_assign(rest, powers)) return cpi_end(&f, NULL);
    }
    return cpi_end(&f, v);
}
/*: module("_polynomials_in_c", doc="What cuprite.polyval is made of.") */
