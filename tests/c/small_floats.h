/* Elements of the small floating types from doubles and back, by IEEE 754's definition and the formats in types.def: an
 * oracle that uses none of the library's conversions. */
#ifndef SMALL_FLOATS_H
#define SMALL_FLOATS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/type_traits.h"

static inline double small_float_value(cp_type t, const void *p)
{
    const cpi_float_format *f = &cpi_float_formats[t];
    const uint64_t one = (uint64_t)1 << (f->digits - 1), sign = f->infinity + one;
    uint64_t u = 0;
    memcpy(&u, p, cp_type_size(t));
    const uint64_t size = u & (sign - 1), exponent = size / one, fraction = size % one;
    double v = size > f->infinity    ? NAN
               : size == f->infinity ? INFINITY
               : exponent            ? ldexp((double)(one + fraction), f->least + (int)exponent - 1)
                                     : ldexp((double)fraction, f->least);
    return u & sign ? -v : v;
}

/* Rounded to nearest, ties to even; NaN keeps its sign. */
static inline void small_float_put(cp_type t, double v, void *p)
{
    const cpi_float_format *f = &cpi_float_formats[t];
    const uint64_t one = (uint64_t)1 << (f->digits - 1);
    uint64_t u = f->infinity + one / 2; /* a quiet NaN */
    if (isinf(v)) u = f->infinity;
    if (isfinite(v)) {
        int e;
        frexp(v, &e);
        int unit = v == 0 || e - f->digits < f->least ? f->least : e - f->digits;
        u = (uint64_t)(unit - f->least) * one + (uint64_t)nearbyint(ldexp(fabs(v), -unit));
        if (u > f->infinity) u = f->infinity;
    }
    if (signbit(v)) u |= f->infinity + one;
    memcpy(p, &u, cp_type_size(t));
}

#endif
