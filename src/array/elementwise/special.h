/* The kernels of special functions in vectors, of elementwise_special_simd.c, where processors multiply and add at
 * once. */
#ifndef CPI_ELEMENTWISE_SPECIAL_H
#define CPI_ELEMENTWISE_SPECIAL_H

#include "elementwise/loops.h"

#if defined(__FMA__)
#define CPI_SPECIAL_OF_ONE(F) F(expit) F(log_expit) F(logit) F(entr)
#define CPI_SPECIAL(F) CPI_SPECIAL_OF_ONE(F) F(xlogy) F(xlog1py) F(zeta)
#else
#define CPI_SPECIAL(F)
#endif

#define CPI_DECLARE_SPECIAL(name)                                                          \
    extern void CPI_ISA_NAME(cpi_special_##name##_f32)(void *const *, int64_t, unsigned);  \
    extern void CPI_ISA_NAME(cpi_special_##name##_f64)(void *const *, int64_t, unsigned);
CPI_SPECIAL(CPI_DECLARE_SPECIAL)

#endif
