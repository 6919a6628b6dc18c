/* What the special functions have in common: tables of polynomials in cells, series, products in two parts.
 *
 * A special function is computed in double, whatever the type of its operands; a float32 rounds the result once. The
 * functions of a chapter of elementwise/special.def stand in the file of its name, which only that chapter's kernels
 * include. Tables are made by tools/make_special_tables.py. */
#ifndef CPS_SPECIAL_H
#define CPS_SPECIAL_H

#include "scalar/scalar.h"

#ifdef __CUDACC__
#define CPS_TABLE static __device__ const double
#else
#define CPS_TABLE static const double
#endif
#if defined __CUDACC__ || defined __FMA__
#define CPS_FMA(a, b, c) fma(a, b, c)
#else
#define CPS_FMA(a, b, c) ((a) * (b) + (c))
#endif
#ifdef __CUDACC__
#define CPS_UNROLL
#else
#define CPS_UNROLL _Pragma("GCC unroll 32") /* else longer polynomials are loops */
#endif

#define CPS_EPS 2.220446049250313e-16
#define CPS_EULER 0.57721566490153286060651209008240243
#define CPS_SQRT_PI 1.7724538509055160272981674833411452
#define CPS_SQRT_2PI 2.5066282746310005024157652848110453
#define CPS_LOG_2PI 1.8378770664093454835606594728112353
#define CPS_SQRT_HALF 0.70710678118654752440084436210484904

CPS_MATH cp_complex128 cps_scale(cp_complex128 z, double s) { return CPS_C(z.re * s, z.im * s); }
CPS_MATH double cps_size(cp_complex128 z) { return fabs(z.re) + fabs(z.im); }

/* c[0] + c[1] x + ... */
CPS_MATH double cps_polynomial(const double *c, int n, double x)
{
    double r = c[n - 1];
    CPS_UNROLL for (int i = n - 2; i >= 0; i--) r = CPS_FMA(r, x, c[i]);
    return r;
}
/* c[0] + c[step] x + ... */
CPS_MATH double cps_polynomial_by(const double *c, int n, int step, double x)
{
    double r = c[(n - 1) * step];
    CPS_UNROLL for (int i = n - 2; i >= 0; i--) r = CPS_FMA(r, x, c[i * step]);
    return r;
}
/* The whole number nearest to x, as both types; of NaN any. Conversions between them are slow on GPUs: the sum has it
 * in its last digits. */
CPS_MATH unsigned cps_nearest(double x, double *whole)
{
    const double shift = 6755399441055744.0, sum = x + shift;
    *whole = sum - shift;
    return (uint32_t)cps_bits_f64(sum);
}
/* The polynomial of the cell in which `at` lies, whose unit is a cell, of rows of n numbers that begin at c. */
CPS_MATH double cps_cell(const double *c, int cells, int n, double at)
{
    const int k = (unsigned)(int)at < (unsigned)cells ? (int)at : cells - 1; /* of NaN too */
    return cps_polynomial_by(c + k * n, n, 1, at - k - 0.5);
}
/* The value of a cell of a table by power whose first two rows are zeros of the function, in two parts; if
 * `plain`, it is not divided by the distance from them. */
CPS_MATH double cps_cell_of_zeros(const double *c, int cells, int n, unsigned cell, double x, double middle,
                                  int plain)
{
    c += cell < (unsigned)cells ? cell : 0;
    const double far = (x - c[0]) - c[cells];
    return cps_polynomial_by(c + 2 * cells, n - 2, cells, x - middle) * (plain ? 1 : far);
}
/* A cell of a table by power, all cells of x from `first` on, `per` in a unit of it. */
CPS_MATH double cps_cell_by_power(const double *c, int cells, int n, double x, double first, double per)
{
    double middle;
    const unsigned cell = cps_nearest((x - first) * per - 0.5, &middle), k = cell < (unsigned)cells ? cell : 0;
    return cps_polynomial_by(c + k, n, cells, x - ((middle + 0.5) / per + first));
}
/* A cell of a table by power whose cells divide octaves by 2^digits, from 2^low on. Of `at`, which is x + shift,
 * rounded to any side, counts which cell it is in: the distance of x from its middle is exact. */
CPS_MATH double cps_cell_of_octaves(const double *c, int cells, int n, int digits, int low, double at, double shift,
                                    double x)
{
    const uint64_t cell = cps_bits_f64(at) >> (52 - digits);
    const double middle = cps_from_bits_f64(cell << (52 - digits) | 1ull << (51 - digits));
    const int k = (int)cell - ((1023 + low) << digits);
    return cps_polynomial_by(c + k, n, cells, x - (middle - shift));
}
#define CPS_LENGTH(table) ((int)(sizeof(table) / sizeof(double)))
#define CPS_POLYNOMIAL(table, x) cps_polynomial(table, CPS_LENGTH(table), x)
#define CPS_ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define CPS_COLUMNS(table) ((int)(sizeof(table)[0] / sizeof(double)))
/* A table that begins at `first` and has `per` cells in a unit of x. */
#define CPS_CELL(table, x, first, per) \
    cps_cell(&(table)[0][0], CPS_ROWS(table), CPS_COLUMNS(table), ((x) - (first)) * (per))
#define CPS_CELL_BY_POWER(table, x, first, per) \
    cps_cell_by_power(&(table)[0][0], CPS_COLUMNS(table), CPS_ROWS(table), x, first, per)
#define CPS_CELL_OF_OCTAVES(table, low, digits, at, shift, x) \
    cps_cell_of_octaves(&(table)[0][0], CPS_COLUMNS(table), CPS_ROWS(table), digits, low, at, shift, x)
/* Of 2^low < t <= 1, quarters of octaves from 2^low to 1, which is in the last. */
#define CPS_CELL_TO_1(table, low, t) CPS_CELL_OF_OCTAVES(table, low, 2, (t) * 0.9999999999999999, 0.0, t)
#define CPS_CELL_OF_ZEROS(table, cell, x, middle, plain) \
    cps_cell_of_zeros(&(table)[0][0], CPS_COLUMNS(table), CPS_ROWS(table), cell, x, middle, plain)

/* 1/3, 1/5, ... */
CPS_TABLE cps_odd[18] = {0.3333333333333333, 0.2, 0.14285714285714285, 0.1111111111111111, 0.09090909090909091,
    0.07692307692307693, 0.06666666666666667, 0.058823529411764705, 0.05263157894736842, 0.047619047619047616,
    0.043478260869565216, 0.04, 0.037037037037037035, 0.034482758620689655, 0.03225806451612903,
    0.030303030303030304, 0.02857142857142857, 0.02702702702702703};

/* log(1 + t) - t, for t > -1; `whole` is 1 + t. With s = t / (2 + t) it is -t s + 2 s^3 (1/3 + s^2/5 + ...): nothing
 * cancels. */
CPS_MATH double cps_log1p_less(double t, double whole)
{
    if (!(t > -0.5 && t < 1)) return log(whole) - t;
    const double s = t / (2 + t), q = s * s;
    return 2 * s * q * cps_polynomial(cps_odd, 18, q) - t * s;
}

#define CPS_LN2_HIGH 0.6931471803691238 /* ends with 20 zero bits */
#define CPS_LN2_LOW 1.9082149292723212e-10
/* 2 (atanh(s) - s) / s^3 of q = s^2, for s up to 0.2 */
CPS_MATH double cps_atanh_part(double q)
{
    double c = 0.1361404704104133;
    c = CPS_FMA(c, q, 0.13209054081804986);
    c = CPS_FMA(c, q, 0.15388901113689124);
    c = CPS_FMA(c, q, 0.181817367912974);
    c = CPS_FMA(c, q, 0.2222222305900626);
    c = CPS_FMA(c, q, 0.2857142856721186);
    c = CPS_FMA(c, q, 0.40000000000008085);
    c = CPS_FMA(c, q, 0.6666666666666666);
    return c;
}
/* log(a) for 1e-300 < a < 1e300 in two parts. */
CPS_MATH double cps_log_parts(double a, double *low)
{
    const uint64_t bits = cps_bits_f64(a), above = bits - 0x3fe6a09e667f3bcd; /* a = 2^k m, m from sqrt(1/2) on */
    const int64_t k = (int64_t)above >> 52;
    const double m = cps_from_bits_f64(bits - ((uint64_t)k << 52)), n = (double)(int)k;
    const double d = m + 1, lost = m - (d - 1), r = 1 / d, s = (m - 1) * r, q = s * s;
    const double rest = CPS_FMA(-lost, s, fma(-s, d, m - 1)) * r; /* (m - 1) / (m + 1) is s + rest */
    const double big = n * CPS_LN2_HIGH, sum = big + 2 * s;
    const double small = ((big - sum) + 2 * s) + CPS_FMA(s * q, cps_atanh_part(q), CPS_FMA(2, rest, n * CPS_LN2_LOW));
    const double high = sum + small;
    *low = (sum - high) + small;
    return high;
}
/* a^-x for 1e-300 < a < 1e300, |x| < 1e4 */
CPS_MATH double cps_power_of_inverse(double a, double x)
{
    double low;
    const double high = cps_log_parts(a, &low), y = -x * high;
    return exp(y) * (1 + (fma(-x, high, -y) - x * low));
}

/* sin(pi x), of which only the distance to the next integer counts. */
CPS_MATH double cps_sinpi(double x)
{
    double r = x - 2 * rint(0.5 * x); /* -1 to 1, exact */
    r = r > 0.5 ? 1 - r : r < -0.5 ? -1 - r : r;
    if (fabs(r) > 0.25) return copysign(cos(CPS_PI * (0.5 - fabs(r))), r);
    const double p = CPS_PI * r, lost = fma(CPS_PI, r, -p) + 1.2246467991473532e-16 * r; /* what p lacks of pi r */
    return CPS_FMA(0.85, lost, sin(p)); /* cos(p) is 0.7 to 1 */
}
CPS_MATH double cps_cospi(double x)
{
    double r = fabs(x - 2 * rint(0.5 * x));
    const double sign = r > 0.5 ? -1 : 1;
    r = r > 0.5 ? 1 - r : r;
    return sign * (r <= 0.25 ? cos(CPS_PI * r) : sin(CPS_PI * (0.5 - r)));
}

/* exp(-x^2 * scale), scale a power of two: the square's rounding error would be magnified by the exponent. */
CPS_MATH double cps_exp_square(double x, double scale)
{
    const double square = x * x, lost = fma(x, x, -square);
    return square > 1e300 ? 0 : exp(-square * scale) * (1 - lost * scale);
}

#endif
