/* Rounding to decimals, as NumPy does it: scaled by a power of ten, rounded to even, scaled back. */
#include "compose/compose.h"

#include <math.h>
#include <stdlib.h>

/*: function("round", "a: array_like, decimals: int = 0, out: out = None", also="around round_",
             doc="Rounded to decimals, halves to the even neighbour; complex numbers by their parts.") */

static cp_array *rounded(cp_array *a, int decimals, cp_array *out);

static cp_array *rounded_parts(cp_array *a, int decimals, cp_array *out)
{
    if (out && cp_type_kind(cp_type_of(out)) != 'c')
        return cpi_fail(CP_ERROR_TYPE, "round: array does not have imaginary part to set"), NULL;
    cp_array *to = out ? cp_slice(out, 1, &CP_ELLIPSIS) : cp_empty_like(a, CP_DEFAULT);
    cp_array *re = cp_real_part(a), *im = cp_imag_part(a), *to_re = cp_real_part(to), *to_im = cp_imag_part(to);
    if (!re || !im || !to_re || !to_im || cp_assign(to_re, rounded(re, decimals, NULL)) ||
        cp_assign(to_im, rounded(im, decimals, NULL)))
        return NULL;
    return to;
}

/* Computes in `wide`, an array of the type that holds the scaled values. */
static cp_array *scaled(cp_array *a, int decimals, cp_array *wide)
{
    cp_op there = decimals > 0 ? CP_OP_multiply : CP_OP_divide, back = decimals > 0 ? CP_OP_divide : CP_OP_multiply;
    cp_array *scale = cp_float(pow(10, abs(decimals))), *x = cpi_apply_2(there, a, scale, wide);
    x = cpi_apply_1(CP_OP_rint, x, x);
    return cpi_apply_2(back, x, scale, x);
}

static cp_array *rounded(cp_array *a, int decimals, cp_array *out)
{
    if (!a) return NULL;
    char kind = cp_type_kind(cp_type_of(a));
    bool whole = kind == 'i' || kind == 'u';
    if (kind == 'c') return rounded_parts(a, decimals, out);
    if (whole && decimals >= 0) return out ? cpi_apply_1(CP_OP_positive, a, out) : cp_copy_order(a, 'K');
    if (decimals == 0) return cpi_apply_1(CP_OP_rint, a, out);
    if (out) return scaled(a, decimals, out);
    cp_type t = whole ? CP_FLOAT64 : cp_type_of(a); /* in C or Fortran order, as in NumPy */
    bool fortran = cp_is_f_contiguous(a) && !cp_is_c_contiguous(a);
    cp_array *wide = fortran ? cp_empty_like(a, t) : cp_empty((cp_shape){cp_ndim(a), cp_dims(a)}, t);
    wide = wide ? scaled(a, decimals, wide) : NULL; /* with `wide` NULL it would allocate one */
    return wide && whole ? cp_astype(wide, cp_type_of(a)) : wide;
}

cp_array *(cp_round)(cp_array *a, const cp_round_options *options)
{
    const cp_round_options *o = CPI_GIVEN(cp_round_options, options);
    cpi_composite f;
    if (a && o->out && cp_size(o->out) != cp_size(a))
        return cpi_fail(CP_ERROR_VALUE, "round: invalid output shape"), NULL;
    return cpi_begin(&f, "round", a) ? cpi_end(&f, rounded(a, o->decimals, o->out)) : NULL;
}
