/* Pairs of doubles, the high and the low part of a number, in which series are summed whose terms cancel: sums that are
 * 10^-16 of their terms have right digits. */
#ifndef CPS_PAIRS_H
#define CPS_PAIRS_H

#include "scalar/special.h"

typedef struct cps_two { double high, low; } cps_two;
CPS_MATH cps_two cps_two_sum(double a, double b)
{
    const double s = a + b, back = s - a;
    cps_two r = {s, (a - (s - back)) + (b - back)};
    return r;
}
CPS_MATH cps_two cps_two_of(double high, double low) /* |high| above |low| */
{
    const double s = high + low;
    cps_two r = {s, low - (s - high)};
    return r;
}
CPS_MATH cps_two cps_two_add(cps_two a, cps_two b)
{
    const cps_two s = cps_two_sum(a.high, b.high);
    return cps_two_of(s.high, s.low + (a.low + b.low));
}
CPS_MATH cps_two cps_two_times(cps_two a, cps_two b)
{
    const double p = a.high * b.high;
    return cps_two_of(p, fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
}
CPS_MATH cps_two cps_two_over(cps_two a, cps_two b)
{
    const double q = a.high / b.high, rest = fma(-q, b.high, a.high) + a.low - q * b.low;
    return cps_two_of(q, rest / b.high);
}
/* The sum, NaN where its rounding errors are beyond 10^-13 of it. */
CPS_MATH double cps_two_result(cps_two sum, double largest)
{
    return sum.high != 0 && fabs(sum.high) < largest * 1e-18 ? CPS_NAN : sum.high + sum.low;
}

#endif
