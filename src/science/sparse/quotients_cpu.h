/* Quotients of elements on the CPU, for what solves systems. */
#ifndef CPI_SPARSE_QUOTIENTS_CPU_H
#define CPI_SPARSE_QUOTIENTS_CPU_H

#include <math.h>

#include "sparse/rows_cpu.h"

static inline float cpi_sp_div_f32(float a, float b) { return a / b; }
static inline double cpi_sp_div_f64(double a, double b) { return a / b; }
/* Smith's division, which neither overflows nor underflows before the quotient does. */
static inline cp_complex128 cpi_sp_div_c128(cp_complex128 a, cp_complex128 b)
{
    if (fabs(b.re) >= fabs(b.im)) {
        const double q = b.im / b.re, d = b.re + b.im * q;
        return (cp_complex128){(a.re + a.im * q) / d, (a.im - a.re * q) / d};
    }
    const double q = b.re / b.im, d = b.re * q + b.im;
    return (cp_complex128){(a.re * q + a.im) / d, (a.im * q - a.re) / d};
}
static inline cp_complex64 cpi_sp_div_c64(cp_complex64 a, cp_complex64 b)
{
    const cp_complex128 r = cpi_sp_div_c128((cp_complex128){a.re, a.im}, (cp_complex128){b.re, b.im});
    return (cp_complex64){(float)r.re, (float)r.im};
}

#endif
