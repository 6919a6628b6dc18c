/* The functions that elementwise_series_simd.c has, and their kernels, where processors multiply and add at once.
 * CPI_LOOPS: those that treat all arguments alike. */
#ifndef CPI_ELEMENTWISE_SERIES_H
#define CPI_ELEMENTWISE_SERIES_H

#include "elementwise/loops.h"

#if defined(__FMA__)
#define CPI_LOOPS_F32(F) F(log1p) F(arcsinh) F(arccosh) F(arctanh) F(expm1) F(sinh) F(cosh) F(arctan)
#define CPI_LOOPS_F64(F) CPI_LOOPS_F32(F) F(tanh) F(cbrt)
#define CPI_TRIGONOMETRIC(F) F(sin) F(cos) F(tan) F(sinc)
#define CPI_SERIES_F32(F) CPI_LOOPS_F32(F) CPI_TRIGONOMETRIC(F) F(log) F(log2) F(log10)
#define CPI_SERIES_F64(F) CPI_LOOPS_F64(F) CPI_TRIGONOMETRIC(F) F(log) F(log2) F(log10) F(exp)
#else
#define CPI_SERIES_F32(F)
#define CPI_SERIES_F64(F)
#endif

#define CPI_DECLARE_F32(name) extern void CPI_ISA_NAME(cpi_series_##name##_f32)(void *const *, int64_t, unsigned);
#define CPI_DECLARE_F64(name) extern void CPI_ISA_NAME(cpi_series_##name##_f64)(void *const *, int64_t, unsigned);
CPI_SERIES_F32(CPI_DECLARE_F32)
CPI_SERIES_F64(CPI_DECLARE_F64)

/* Right for all arguments, but none is called with others than very large ones, infinities and NaN. `out` may be a. */
void CPI_ISA_NAME(cpi_far_sin_f32)(float *out, const float *a, int64_t n);
void CPI_ISA_NAME(cpi_far_cos_f32)(float *out, const float *a, int64_t n);
void CPI_ISA_NAME(cpi_far_tan_f32)(float *out, const float *a, int64_t n);
void CPI_ISA_NAME(cpi_far_sin_f64)(double *out, const double *a, int64_t n);
void CPI_ISA_NAME(cpi_far_cos_f64)(double *out, const double *a, int64_t n);
void CPI_ISA_NAME(cpi_far_tan_f64)(double *out, const double *a, int64_t n);

#endif
