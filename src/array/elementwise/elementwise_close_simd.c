/* Closeness of two arrays on the CPU: numpy.isclose's |a - b| <= atol + rtol*|b|, and equality of integers. */
#include <math.h>

#include "elementwise/loops.h"

#define EACH _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++)
#define CLOSER(name, E, R, EXPRESSION)                                                                            \
    static void name(uint8_t *out, const void *a_, const void *b_, int64_t n, unsigned scalars,                   \
                     const cpi_tolerance *t)                                                                      \
    {                                                                                                             \
        const E *a = a_, *b = b_;                                                                                 \
        const R rtol = (R)t->rtol, atol = (R)t->atol, limit = (R)INFINITY;                                        \
        const int nan = t->equal_nan;                                                                             \
        (void)rtol, (void)atol, (void)limit, (void)nan;                                                           \
        if (scalars == 0) {                                                                                       \
            EACH { const E x = a[i], y = b[i]; out[i] = (uint8_t)(EXPRESSION); }                                  \
        } else if (scalars == 1) {                                                                                \
            const E x = a[0];                                                                                     \
            EACH { const E y = b[i]; out[i] = (uint8_t)(EXPRESSION); }                                            \
        } else {                                                                                                  \
            const E y = b[0];                                                                                     \
            EACH { const E x = a[i]; out[i] = (uint8_t)(EXPRESSION); }                                            \
        }                                                                                                         \
    }
#define REAL(FABS) \
    (x == y) | ((FABS(y) < limit) & (FABS(x - y) <= atol + rtol * FABS(y))) | (nan & (x != x) & (y != y))
#define IS_NAN(z) (((z).re != (z).re) | ((z).im != (z).im))
CLOSER(close_f32, float, float, REAL(fabsf))
CLOSER(close_f64, double, double, REAL(fabs))
CLOSER(close_c128, cp_complex128, double,
       ((x.re == y.re) & (x.im == y.im)) |
           ((fabs(y.re) < limit) & (fabs(y.im) < limit) &
            (hypot(x.re - y.re, x.im - y.im) <= atol + rtol * hypot(y.re, y.im))) | (nan & IS_NAN(x) & IS_NAN(y)))
CLOSER(equal_i64, int64_t, double, x == y)
CLOSER(equal_mixed, int64_t, double, (x == y) & (x >= 0)) /* a uint64 beyond int64 equals no int64 */

extern const cpi_closer CPI_ISA_NAME(cpi_closers)[5];
const cpi_closer CPI_ISA_NAME(cpi_closers)[5] = {close_f32, close_f64, close_c128, equal_i64, equal_mixed};
