/* Ellipsoidal harmonics with the signs of their roots. */
#include "special/parts.h"

/* Degrees and orders without their fraction. */
static cp_array *whole(cp_array *n) { return cpi_is_float(n->type) ? cp_trunc(n) : n; }

/* Times the sign where the harmonic has that root; NaN where the sign is not 1 or -1. */
static cp_array *with_sign(cp_array *r, cp_array *sign, cp_array *has)
{
    if (!r || !sign) return r;
    cp_array *good = cp_equal(cp_absolute(sign), cp_float(1)), *one = cp_where(has, sign, cp_float(1));
    cp_array *by = cp_where(good, one, cp_float(NAN));
    return by && sign->flags & CPI_HOST_SCALAR ? cp_multiply(r, cp_astype(by, r->type)) : cp_multiply(r, by);
}

/*: function("ellip_harm", """h2: number_or_array_like, k2: number_or_array_like, n: number_or_array_like,
             p: number_or_array_like, s: number_or_array_like, signm: number_or_array_like = None,
             signn: number_or_array_like = None""", module="_special", unlock="always",
             doc="""The ellipsoidal harmonic of the first kind, the p-th of 1 to 2 n + 1 of degree n, at s, of an
ellipsoid whose h squared is h2 and k squared k2: a polynomial of s, whose highest coefficient is 1, and of the roots of
|s*s - h2| and |s*s - k2|. signm and signn are the signs of these roots, 1 (also None) or -1. NaN where there
is no such harmonic, or h2 and k2 are not in the order 0 < h2 < k2.""") */
cp_array *(cp_ellip_harm)(cp_array *h2, cp_array *k2, cp_array *n, cp_array *p, cp_array *s,
                          const cp_ellip_harm_options *options)
{
    const cp_ellip_harm_options *o = CPI_GIVEN(cp_ellip_harm_options, options);
    cp_array *const x[7] = {s, h2, k2, n, p, o->signm, o->signn}, *first = s;
    cpi_composite f;
    for (int i = 6; i >= 0; i--) {
        if (i < 5 && cpi_null("ellip_harm", x[i])) return NULL;
        if (x[i] && cpi_check_real("ellip_harm", x[i])) return NULL;
        if (x[i] && !(x[i]->flags & CPI_HOST_SCALAR)) first = x[i];
    }
    if (!cpi_begin(&f, "ellip_harm", first)) return NULL;
    n = whole(n), p = whole(p);
    cp_array *r = cp_lame_harmonic(h2, k2, n, p, s);
    if (!r || (!o->signm && !o->signn)) return cpi_end(&f, r);
    cp_array *half = cp_floor(cp_multiply(n, cp_float(0.5))), *twice = cp_multiply(n, cp_float(2));
    cp_array *near = cp_greater(p, cp_add(half, cp_float(1))), *far = cp_greater(p, cp_add(n, cp_float(1)));
    cp_array *both = cp_greater(p, cp_add(cp_subtract(twice, half), cp_float(1)));
    near = cp_not_equal(near, cp_not_equal(far, both)); /* of the second and the fourth kind */
    return cpi_end(&f, with_sign(with_sign(r, o->signm, near), o->signn, far));
}
