/* The arithmetic of kappa-sigma clipping, shared by both devices, so that both keep the same elements.
 *
 * All moments are sums in double of d = value - pivot, where the pivot lies inside the data: with |pivot - mean|
 * of the order of the standard deviation one pass loses no digits. The bounds are computed in the precision of
 * the array's type, as NumPy's operations on that type would: center, std, kappa*std and center -+ kappa*std are
 * each rounded to it. */
#ifndef CPI_SORT_CLIP_H
#define CPI_SORT_CLIP_H

#include <float.h>
#include <math.h>

#include "scalar/halves.h"
#include "sort/sort.h"

#ifdef __CUDACC__
#define CPI_CLIP_FN static __host__ __device__ __forceinline__
#else
#define CPI_CLIP_FN static inline
#endif

/* v rounded to float. The store is forced: GCC 12's vectoriser drops the rounding of two such casts side by side. */
CPI_CLIP_FN double cpi_clip_to_float(double v)
{
#ifdef __CUDA_ARCH__
    return (double)(float)v;
#else
    volatile float f = (float)v;
    return (double)f;
#endif
}

CPI_CLIP_FN double cpi_clip_round(cp_type rule, double v)
{
    if (rule == CP_FLOAT64) return v;
    v = cpi_clip_to_float(v);
    if (rule == CP_FLOAT32) return v; /* half types compute in float */
    return (double)cps_round_half(rule, (float)v);
}

/* The average of the two middle elements (the same one twice for an odd count). */
CPI_CLIP_FN double cpi_clip_middle(cp_type rule, double a, double b)
{
    if (rule == CP_FLOAT64) return (a + b) / 2;
    return cpi_clip_round(rule, (double)(((float)a + (float)b) / 2));
}

/* Mean and standard deviation from n, s1 = sum d and s2 = sum d*d. The products are formed with their rounding
 * errors, so that sums which are exact give the nearest result whatever the pivot was. */
CPI_CLIP_FN void cpi_clip_moments(double n, double s1, double s2, double pivot, double *mean, double *std)
{
    double m = s1 / n, left = fma(-m, n, s1);      /* s1 = m*n + left */
    double p = s1 * m, error = fma(s1, m, -p);     /* s1*m = p + error */
    double m2 = (s2 - p) - (error + s1 * (left / n));
    if (s2 > DBL_MAX && fabs(s1) <= DBL_MAX) m2 = s2; /* finite values whose squares overflow */
    *std = sqrt((m2 < 0 ? 0 : m2) / n);
    double sum = pivot + m, b = sum - pivot;
    double lost = (pivot - (sum - b)) + (m - b);
    *mean = sum + (lost + left / n);
    if (!(fabs(sum) <= DBL_MAX)) *mean = sum;
}

/* The pivot is far outside of the data: the moments lost digits and must be computed again with the mean as the pivot,
 * at most CPI_CLIP_AGAIN times. */
enum { CPI_CLIP_AGAIN = 4 };
CPI_CLIP_FN bool cpi_clip_off_center(double mean, double std, double pivot) { return fabs(mean - pivot) > 16 * std; }

/* Center and std (unrounded) to the result's four numbers. */
CPI_CLIP_FN void cpi_clip_bounds(cp_type rule, double kappa, double center, double std, cp_clip_result *r)
{
    r->center = cpi_clip_round(rule, center);
    r->std = cpi_clip_round(rule, std);
    double width = cpi_clip_round(rule, cpi_clip_round(rule, kappa) * r->std);
    r->lower = cpi_clip_round(rule, r->center - width);
    r->upper = cpi_clip_round(rule, r->center + width);
}

/* Narrows the closed interval low..high to the open one between the bounds. NaN empties it. */
CPI_CLIP_FN void cpi_clip_narrow(cp_type type, double lower, double upper, double *low, double *high)
{
    if (!(lower < INFINITY) || !(upper > -INFINITY)) {
        *low = INFINITY;
        *high = -(double)INFINITY;
        return;
    }
    double first = type == CP_FLOAT32 ? (double)nextafterf((float)lower, INFINITY) : nextafter(lower, INFINITY);
    double last = type == CP_FLOAT32 ? (double)nextafterf((float)upper, -INFINITY) : nextafter(upper, -INFINITY);
    if (first > *low) *low = first;
    if (last < *high) *high = last;
}

#endif
