/* float64 as an element of an integer type, as SciPy's interpolation stores it: half away from zero, clipped to the
 * type. NaN is 0; what is beyond the greatest 64-bit integer is that. Shared by C17 and CUDA C++. */
#ifndef CPI_GEOMETRY_ROUNDING_H
#define CPI_GEOMETRY_ROUNDING_H

#include "geometry/spline.h"

CPI_BOTH int64_t cpi_rounded_signed(double t, int bits)
{
    const int64_t most = (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
    t = t > 0 ? t + 0.5 : t - 0.5;
    if (t >= (double)most) return most;
    if (t <= -(double)most - 1) return -most - 1;
    return t == t ? (int64_t)t : 0;
}
CPI_BOTH uint64_t cpi_rounded_unsigned(double t, int bits)
{
    const uint64_t most = ~(uint64_t)0 >> (64 - bits);
    t = t > 0 ? t + 0.5 : 0;
    return t >= (double)most ? most : (uint64_t)t;
}
/* Cut off, as SciPy's conversion to bool. */
CPI_BOTH bool cpi_rounded_bool(double t) { return t >= 1 || t <= -1; }

#endif
