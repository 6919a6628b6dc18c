/* The kernels of special functions in vectors, of elementwise_special_simd.c and elementwise_cells_simd.c, where
 * processors multiply and add at once. */
#ifndef CPI_ELEMENTWISE_SPECIAL_H
#define CPI_ELEMENTWISE_SPECIAL_H

#include "elementwise/loops.h"

#if defined(__FMA__)
#define CPI_SPECIAL_OF_ONE(F) F(expit) F(log_expit) F(logit) F(entr)
#if defined(__AVX2__)
#define CPI_SPECIAL_OF_CELLS(F)                                                                                       \
    F(loggamma) F(log_ndtr) F(spence) F(exprel) F(gammainc)                                                           \
    F(erf) F(erfc) F(ndtr) F(ndtri) F(erfinv) F(j0) F(j1) F(y0) F(y1) F(ellipk) F(ellipe) F(gamma) F(gammaln) F(digamma)
#else
#define CPI_SPECIAL_OF_CELLS(F)
#endif
#define CPI_SPECIAL(F) CPI_SPECIAL_OF_ONE(F) CPI_SPECIAL_OF_CELLS(F) F(xlogy) F(xlog1py) F(zeta)
#else
#define CPI_SPECIAL(F)
#endif

#define CPI_DECLARE_SPECIAL(name)                                                          \
    extern void CPI_ISA_NAME(cpi_special_##name##_f32)(void *const *, int64_t, unsigned);  \
    extern void CPI_ISA_NAME(cpi_special_##name##_f64)(void *const *, int64_t, unsigned);
CPI_SPECIAL(CPI_DECLARE_SPECIAL)
CPI_DECLARE_SPECIAL(i0) /* float32 has one that computes in float32 */

#endif
