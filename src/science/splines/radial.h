/* Radial functions of a block of centres, compiled once per instruction set. */
#ifndef CPI_SPLINES_RADIAL_H
#define CPI_SPLINES_RADIAL_H

#include "elementwise/loops.h"
#include "splines/splines.h"

enum { CPI_RADIAL_BLOCK = 256 };

/* values[i] = phi of the distance of `at` to centre i, for n <= CPI_RADIAL_BLOCK of them; coordinate d of centre i is
 * y[d * step + i]. `function`: the logarithm or the exponential of float64. */
typedef void cpi_radial_block(const cpi_rbf *p, const double *at, const double *y, int64_t step, int64_t n,
                              cpi_kernel function, double *values);
/* The sum of values[i] * c[i], in eight interleaved parts. */
typedef double cpi_radial_sum(const double *values, const double *c, int64_t n);
/* x of a x = b by elimination with pivots: n rows of `stride` elements, a and b's m columns beside each other; x takes
 * b's place, and the rest is lost. The stride is a multiple of CPI_RADIAL_STEP. False: a is singular. */
enum { CPI_RADIAL_STEP = 8 };
typedef bool cpi_radial_solve(double *rows, int64_t n, int64_t m, int64_t stride);
#define CPI_DECLARE_RADIAL(isa)                    \
    extern cpi_radial_block cpi_radial_block_##isa; \
    extern cpi_radial_sum cpi_radial_sum_##isa; \
    extern cpi_radial_solve cpi_radial_solve_##isa;
CPI_DECLARE_RADIAL(v2) CPI_DECLARE_RADIAL(v3) CPI_DECLARE_RADIAL(v4)

#endif
