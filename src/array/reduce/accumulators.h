/* Accumulators that are not the type of an element, and what a row's words need beside the scalar prelude; for C17 and
 * CUDA C++ alike. The words themselves are made for each type by tools/generate/reducers.py. */
#ifndef CPI_REDUCE_ACCUMULATORS_H
#define CPI_REDUCE_ACCUMULATORS_H

#include "reduce/result.h"
#include "scalar/scalar.h"

/* `b` or a. On the CPU by masks: conditions in a row become branches, and those keep loops from becoming vectors. */
#ifdef __CUDACC__
CPS_MATH float cpf_choose_f32(int b, float x, float y) { return b ? y : x; }
CPS_MATH double cpf_choose_f64(int b, double x, double y) { return b ? y : x; }
#else
CPS_MATH float cpf_choose_f32(int b, float x, float y)
{
    uint32_t m = 0 - (uint32_t)b;
    return cps_from_bits_f32((cps_bits_f32(x) & ~m) | (cps_bits_f32(y) & m));
}
CPS_MATH double cpf_choose_f64(int b, double x, double y)
{
    uint64_t m = 0 - (uint64_t)b;
    return cps_from_bits_f64((cps_bits_f64(x) & ~m) | (cps_bits_f64(y) & m));
}
#endif
CPS_MATH cp_complex64 cpf_choose_c64(int b, cp_complex64 x, cp_complex64 y)
{
    return cps_pair32(cpf_choose_f32(b, x.re, y.re), cpf_choose_f32(b, x.im, y.im));
}
CPS_MATH cp_complex128 cpf_choose_c128(int b, cp_complex128 x, cp_complex128 y)
{
    return cps_pair64(cpf_choose_f64(b, x.re, y.re), cpf_choose_f64(b, x.im, y.im));
}

CPS_MATH cpi_moments cpf_moments(double n, double mean, double im, double m2)
{
    cpi_moments m;
    m.n = n, m.mean = mean, m.im = im, m.m2 = m2;
    return m;
}
/* x - x: what is not finite has no deviation. */
CPS_MATH cpi_moments cpf_moment_f64(double x) { return cpf_moments(1, x, 0, x - x); }
CPS_MATH cpi_moments cpf_moment_c128(cpi_pair x) { return cpf_moments(1, x.re, x.im, (x.re - x.re) + (x.im - x.im)); }
/* Chan, Golub and LeVeque's rule for two parts. */
CPS_MATH cpi_moments cpf_join(cpi_moments a, cpi_moments b)
{
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    double n = a.n + b.n, d = b.mean - a.mean, e = b.im - a.im, part = b.n / n;
    return cpf_moments(n, a.mean + d * part, a.im + e * part, a.m2 + b.m2 + (d * d + e * e) * (a.n * part));
}

#endif
