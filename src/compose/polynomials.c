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
/*: module("_polynomials_in_c", doc="What cuprite.polyval is made of.") */
