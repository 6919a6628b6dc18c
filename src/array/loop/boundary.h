/* Boundary modes: which element of an axis stands for a position outside it. One rule for C17 and CUDA C++.
 *
 * Names are SciPy's (scipy.ndimage). With the elements a b c d:
 *
 *   reflect        d c b a | a b c d | d c b a    NumPy's pad: 'symmetric'; scipy.signal: 'symm'
 *   mirror         d c b   | a b c d |   c b a    'reflect'
 *   nearest        a a a a | a b c d | d d d d    'edge'
 *   grid-wrap      a b c d | a b c d | a b c d    'wrap', and so for scipy.ndimage's filters
 *   wrap           d b c   | a b c d |   b c a    scipy.ndimage's interpolation: a and d are one point, period n - 1
 *   constant       k k k k | a b c d | k k k k    'constant'; 'fill'
 *
 * grid-mirror is reflect. grid-constant differs from constant only between positions, where interpolation continues
 * beyond the ends. */
#ifndef CPI_BOUNDARY_H
#define CPI_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum cpi_boundary {
    CPI_BOUNDARY_CONSTANT, CPI_BOUNDARY_NEAREST, CPI_BOUNDARY_REFLECT, CPI_BOUNDARY_MIRROR, CPI_BOUNDARY_WRAP,
    CPI_BOUNDARY_GRID_WRAP, CPI_BOUNDARY_GRID_CONSTANT,
    CPI_BOUNDARY_GRID_MIRROR = CPI_BOUNDARY_REFLECT
} cpi_boundary;

/* The index of the element for position i, any integer, of an axis of n elements; -1: the constant. n >= 1, or any n
 * for the constant modes. */
#ifdef __CUDACC__
__host__ __device__
#endif
static inline int64_t cpi_boundary_index(int64_t i, int64_t n, cpi_boundary mode)
{
    if (i >= 0 && i < n) return i;
    if (mode == CPI_BOUNDARY_CONSTANT || mode == CPI_BOUNDARY_GRID_CONSTANT) return -1;
    const bool point = n == 1 && (mode == CPI_BOUNDARY_MIRROR || mode == CPI_BOUNDARY_WRAP);
    if (mode == CPI_BOUNDARY_NEAREST || point) return i < 0 ? 0 : n - 1;
    const int64_t period = mode == CPI_BOUNDARY_GRID_WRAP ? n
                         : mode == CPI_BOUNDARY_WRAP      ? n - 1
                         : mode == CPI_BOUNDARY_MIRROR    ? 2 * n - 2
                                                          : 2 * n;
    const int64_t r = i % period, at = r < 0 ? r + period : r;
    if (mode == CPI_BOUNDARY_WRAP) return at == 0 && i < 0 ? n - 1 : at; /* both ends are one point; SciPy's choice */
    return at < n ? at : mode == CPI_BOUNDARY_MIRROR ? period - at : period - 1 - at;
}

#endif
