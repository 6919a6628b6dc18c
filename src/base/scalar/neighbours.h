/* Recurrences of complex numbers whose values are beyond the range of double on the way: two neighbours have an
 * exponent of 2 in common. */
#ifndef CPS_NEIGHBOURS_H
#define CPS_NEIGHBOURS_H

#include "scalar/special.h"

/* A function and its derivative. */
typedef struct cps_slopes { cp_complex128 y, slope; } cps_slopes;
typedef struct cps_slopes_narrow { cp_complex64 y, slope; } cps_slopes_narrow;

/* Two neighbours of a recurrence times 2^e. */
typedef struct cps_neighbours { cp_complex128 now, next; double e; } cps_neighbours;
CPS_MATH cps_neighbours cps_neighbours_fit(cps_neighbours a)
{
    const double size = cps_size(a.now) + cps_size(a.next);
    if (size > 0x1p300 || (size < 0x1p-300 && size > 0)) {
        const double by = size > 1 ? 0x1p-400 : 0x1p400;
        a.now = cps_scale(a.now, by), a.next = cps_scale(a.next, by), a.e += size > 1 ? 400 : -400;
    }
    return a;
}
CPS_MATH cp_complex128 cps_of_exponent(cp_complex128 v, double e)
{
    if (e == 0) return v;
    const int k = e > 4000 ? 4000 : e < -4000 ? -4000 : (int)e;
    return CPS_C(ldexp(v.re, k), ldexp(v.im, k));
}

#endif
