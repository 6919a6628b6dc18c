/* The functions that elementwise_series_simd.c has, and their kernels, where processors multiply and add at once. */
#ifndef CPI_ELEMENTWISE_SERIES_H
#define CPI_ELEMENTWISE_SERIES_H

#include "elementwise/loops.h"

#if defined(__FMA__)
#define CPI_SERIES_F32(F) F(log1p) F(arcsinh) F(arccosh) F(arctanh) F(expm1) F(sinh) F(cosh) F(arctan)
#define CPI_SERIES_F64(F) CPI_SERIES_F32(F) F(tanh) F(cbrt)
#if defined(__AVX512F__)
#define CPI_LOGARITHMS(F) F(log) /* SLEEF's others are as fast there, or faster */
#else
#define CPI_LOGARITHMS(F) F(log) F(log2) F(log10)
#endif
#else
#define CPI_LOGARITHMS(F)
#define CPI_SERIES_F32(F)
#define CPI_SERIES_F64(F)
#endif

#define CPI_DECLARE_F32(name) extern void CPI_ISA_NAME(cpi_series_##name##_f32)(void *const *, int64_t, unsigned);
#define CPI_DECLARE_F64(name) extern void CPI_ISA_NAME(cpi_series_##name##_f64)(void *const *, int64_t, unsigned);
CPI_LOGARITHMS(CPI_DECLARE_F32)
CPI_LOGARITHMS(CPI_DECLARE_F64)
CPI_SERIES_F32(CPI_DECLARE_F32)
CPI_SERIES_F64(CPI_DECLARE_F64)

#endif
