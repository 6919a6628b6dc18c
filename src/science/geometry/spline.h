/* B-splines of orders 0 to 5: the filter that makes their coefficients, weights at a position, and positions outside
 * an axis. One arithmetic for C17 and CUDA C++, SciPy's (ni_splines.c, ni_interpolation.c), rounding by rounding.
 *
 * The filter is Unser's: a recursion forwards and one backwards for each pole. What each begins with is a sum of powers
 * of the pole; CPI_SPLINE_HORIZON terms are enough for float64. */
#ifndef CPI_SPLINE_H
#define CPI_SPLINE_H

#include "loop/boundary.h"

#ifdef __CUDACC__
#define CPI_BOTH __host__ __device__ static inline
#else
#include <math.h>
#define CPI_BOTH static inline
#endif

enum { CPI_SPLINE_TAPS = 6, CPI_SPLINE_HORIZON = 50 }; /* 0.4306^50 is 5e-19 */

/* How a line continues beyond its ends. */
typedef enum cpi_spline_ends { CPI_SPLINE_MIRROR, CPI_SPLINE_REFLECT, CPI_SPLINE_WRAP } cpi_spline_ends;

/* The number of poles, and the poles. */
CPI_BOTH int cpi_spline_poles(int order, double pole[2])
{
    pole[0] = order == 2 ? -0.171572875253809902396622551580603843
            : order == 3 ? -0.267949192431122706472553658494127633
            : order == 4 ? -0.361341225900220177092212841325675255
                         : -0.430575347099973791851434783493520110;
    pole[1] = order == 4 ? -0.013725429297339121360331226939128204 : -0.043096288203264653822712376822550182;
    return order < 4 ? 1 : 2;
}

/* Both recursions together multiply by the inverse of this, which the line is multiplied by at first. */
CPI_BOTH double cpi_spline_gain(int order)
{
    double pole[2], gain = 1.0;
    const int poles = cpi_spline_poles(order, pole);
    for (int i = 0; i < poles; i++) gain *= (1.0 - pole[i]) * (1.0 - 1.0 / pole[i]);
    return gain;
}

/* z to the power of n >= 0; 0 where that is below every rounding. */
CPI_BOTH double cpi_spline_power(double z, int64_t n)
{
    double power = 1.0;
    if (n > 600) return 0.0;
    for (int64_t i = 0; i < n; i++) power *= z;
    return power;
}

/* The element of the first tap at a position. */
CPI_BOTH double cpi_spline_first(double at, int order)
{
    return floor(order & 1 ? at : at + 0.5) - (double)(order / 2);
}

/* x / 6, rounded as a division is, of numbers far from the ends of float64: with the rounded reciprocal r the remainder
 * of x * r is known exactly (Markstein). It is much quicker on GPUs. */
CPI_BOTH double cpi_sixth(double x)
{
#ifdef __CUDA_ARCH__
    const double r = 1.0 / 6.0, q = x * r;
    return fma(fma(-q, 6.0, x), r, q);
#else
    return x / 6.0;
#endif
}

/* Weights of the taps at a distance x from the element before, or of even orders from the nearest one; they sum to 1.
 * The last one is what the others leave. */
CPI_BOTH void cpi_spline_weights_at(double x, int order, double *w)
{
    double y = x, z = 1.0 - x, t;
    if (order == 1) {
        w[0] = 1.0 - x;
    } else if (order == 2) {
        w[1] = 0.75 - x * x;
        y = 0.5 - x;
        w[0] = 0.5 * y * y;
    } else if (order == 3) {
        w[1] = cpi_sixth(y * y * (y - 2.0) * 3.0 + 4.0);
        w[2] = cpi_sixth(z * z * (z - 2.0) * 3.0 + 4.0);
        w[0] = cpi_sixth(z * z * z);
    } else if (order == 4) {
        t = x * x;
        y = 1.0 + x;
        w[2] = t * (t * 0.25 - 0.625) + 115.0 / 192.0;
        w[1] = y * (y * (y * (5.0 - y) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0;
        w[3] = z * (z * (z * (5.0 - z) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0;
        y = 0.5 - x;
        t = y * y;
        w[0] = t * t / 24.0;
    } else if (order == 5) {
        t = y * y;
        w[2] = t * (t * (0.25 - y / 12.0) - 0.5) + 0.55;
        t = z * z;
        w[3] = t * (t * (0.25 - z / 12.0) - 0.5) + 0.55;
        w[0] = z * t * t / 120.0;
        y += 1.0;
        w[1] = y * (y * (y * (y * (y / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425;
        z += 1.0;
        w[4] = z * (z * (z * (z * (z / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425;
    }
    w[order] = 1.0;
    for (int i = 0; i < order; i++) w[order] -= w[i];
}
/* The same at a position. */
CPI_BOTH void cpi_spline_weights(double at, int order, double *w)
{
    cpi_spline_weights_at(at - floor(order & 1 ? at : at + 0.5), order, w);
}

/* The whole periods in x, x >= 0: what truncation gives, for numbers beyond the integers too. */
CPI_BOTH double cpi_whole_periods(double x, double period) { return floor(x / period); }

/* In these modes each tap is continued by itself, not the position. */
CPI_BOTH bool cpi_continues_taps(cpi_boundary mode)
{
    return mode == CPI_BOUNDARY_NEAREST || mode == CPI_BOUNDARY_GRID_CONSTANT;
}

/* Does a position lie outside, so that the result is cval? */
CPI_BOTH bool cpi_is_outside(double within, cpi_boundary mode) { return !(within > -1 || cpi_continues_taps(mode)); }

/* The position in an axis of n elements that stands for any position; cpi_is_outside says whether there is none. Where
 * taps are continued it may be a few elements beyond the ends, or NaN. Elsewhere NaN lies outside, as does what is too
 * large to have a place in a period. */
CPI_BOTH double cpi_position_within(double at, int64_t length, cpi_boundary mode)
{
    const double n = (double)length;
    if (at >= 0 && at <= n - 1) return at;
    if (cpi_continues_taps(mode)) { /* far away all taps are the same */
        const double last = n + CPI_SPLINE_TAPS;
        return at < -CPI_SPLINE_TAPS ? -CPI_SPLINE_TAPS : at > last ? last : at;
    }
    if (!(at >= -0x1p52 && at <= 0x1p52)) return -1;
    if (mode == CPI_BOUNDARY_CONSTANT) return -1;
    if (length <= 1) return 0;
    if (at < 0) {
        if (mode == CPI_BOUNDARY_MIRROR) {
            const double period = 2 * n - 2;
            at = period * cpi_whole_periods(-at, period) + at;
            return at <= 1 - n ? at + period : -at;
        }
        if (mode == CPI_BOUNDARY_REFLECT) {
            const double period = 2 * n;
            if (at < -period) at = period * cpi_whole_periods(-at, period) + at;
            return at < -n ? at + period : (at > -1e-15 ? 1e-15 : -at) - 1;
        }
        if (mode == CPI_BOUNDARY_WRAP) return at + (n - 1) * (cpi_whole_periods(-at, n - 1) + 1);
        /* towards 0, where the quotient is negative */
        return at + n * ((-1 - at < 0 ? 0.0 : cpi_whole_periods(-1 - at, n)) + 1);
    }
    if (mode == CPI_BOUNDARY_MIRROR) {
        const double period = 2 * n - 2;
        at -= period * cpi_whole_periods(at, period);
        return at >= n ? period - at : at;
    }
    if (mode == CPI_BOUNDARY_REFLECT) {
        const double period = 2 * n;
        at -= period * cpi_whole_periods(at, period);
        return at >= n ? period - at - 1 : at;
    }
    if (mode == CPI_BOUNDARY_WRAP) return at - (n - 1) * cpi_whole_periods(at, n - 1);
    return at - n * cpi_whole_periods(at, n);
}

/* The mode by which the taps of a position inside the axis continue: what the filter continued the line by. */
CPI_BOTH cpi_boundary cpi_spline_continues(cpi_boundary mode)
{
    return mode == CPI_BOUNDARY_CONSTANT || mode == CPI_BOUNDARY_WRAP ? CPI_BOUNDARY_MIRROR : mode;
}

/* The element of a tap; -1: cval, of grid-constant. */
CPI_BOTH int64_t cpi_spline_tap(double first, int tap, int64_t n, cpi_boundary mode)
{
    const double at = first + tap;
    if (mode == CPI_BOUNDARY_GRID_CONSTANT) return at >= 0 && at < (double)n ? (int64_t)at : -1;
    if (at != at) return 0;
    return cpi_boundary_index((int64_t)at, n, cpi_spline_continues(mode));
}

#endif
