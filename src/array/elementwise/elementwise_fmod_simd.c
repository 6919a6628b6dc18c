/* fmod, remainder, floor_divide and divmod of float and double in vectors, where one fma gives the exact remainder.
 *
 * With q = trunc(a / b) rounded, a - q*b is exact in one fma while |a / b| < 2^p. The quotient can only have been
 * rounded up to an integer. That leaves a remainder of the wrong sign, which adding |b| corrects. A chunk with any
 * other pair (huge quotients, infinities, NaN, b = 0) goes through the table's scalar bodies, which give the same
 * bits. */
#include "elementwise/loops.h"
#include "scalar/scalar.h"

#if defined(__FMA__)
enum { SEGMENT = 64 };

#define T float
#define X f32
#define MATH(name) name##f
#define LIMIT 4194304 /* 2^22 */
#include "elementwise/fmod.inc"

#define T double
#define X f64
#define MATH(name) name
#define LIMIT 2251799813685248 /* 2^51 */
#include "elementwise/fmod.inc"

#define KERNEL(name, T, X, slow)                                                                                  \
    extern void CPI_ISA_NAME(cpi_##name##_##X)(void *const *, int64_t, unsigned);                                 \
    void CPI_ISA_NAME(cpi_##name##_##X)(void *const *op, int64_t n, unsigned s)                                   \
    {                                                                                                             \
        T *out = op[0], ta[SEGMENT], tb[SEGMENT];                                                                 \
        const T *a = op[1], *b = op[2];                                                                           \
        for (int64_t i = 0; s && i < SEGMENT; i++) ta[i] = a[0], tb[i] = b[0];                                    \
        for (int64_t i = 0; i < n; i += SEGMENT) {                                                                \
            int64_t m = n - i < SEGMENT ? n - i : SEGMENT;                                                        \
            const T *x = s & 1 ? ta : a + i, *y = s & 2 ? tb : b + i;                                             \
            if (tame_##X(x, y, m)) {                                                                              \
                _Pragma("GCC ivdep") for (int64_t k = 0; k < m; k++) out[i + k] = name##_##X(x[k], y[k]);         \
            } else {                                                                                              \
                for (int64_t k = 0; k < m; k++) out[i + k] = slow(x[k], y[k]);                                    \
            }                                                                                                     \
        }                                                                                                         \
    }
KERNEL(fmod, float, f32, fmodf)
KERNEL(fmod, double, f64, fmod)
KERNEL(remainder, float, f32, cps_remainder_f32)
KERNEL(remainder, double, f64, cps_remainder_f64)
KERNEL(floor_divide, float, f32, cps_floor_divide_f32)
KERNEL(floor_divide, double, f64, cps_floor_divide_f64)
#else
typedef int cpi_fmod_no_fma; /* the scalar bodies serve */
#endif
