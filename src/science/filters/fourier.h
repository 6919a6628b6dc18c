/* What Fourier coefficients are multiplied by; C17 and CUDA C++. */
#ifndef CPI_FOURIER_H
#define CPI_FOURIER_H

#include <math.h>

/* The transform of an interval, a disc, a ball of radius 1 (1, 2, 3 dimensions), as 1 at 0. SciPy's bounds and, for
 * small arguments, its limits. */
#ifdef __CUDACC__
static __device__ __forceinline__
#else
static inline
#endif
double cpi_fourier_disc(double square, int ndim)
{
    const double r = sqrt(square);
    if (!(r > 0)) return 1;
    if (ndim == 1) return sin(r) / r;
    if (ndim == 2) return 2 * j1(r) / r;
    return 3 * (sin(r) - r * cos(r)) / (r * r * r);
}

#endif
