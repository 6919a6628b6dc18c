/* fmod, remainder, floor_divide and divmod of float and double by vectors, where one fused step gives the exact
 * remainder.
 *
 * With q = trunc(a / b) rounded, a - q*b is exact in one fma while |a / b| < 2^p: the quotient can only have been
 * rounded up to a whole number, which leaves a remainder of the wrong sign that adding |b| mends. A stretch with any
 * other pair in it (huge quotients, infinities, NaN, b = 0) goes through the table's scalar bodies, which give the
 * same bits. */
#include "elementwise/loops.h"
#include "scalar/scalar.h"

#if defined(__FMA__)
enum { SEGMENT = 64 };

/* The quotients of a stretch are all small and no operand is special? */
#define FAMILY(T, X, M_, LIMIT)                                                                                     \
    static int tame_##X(const T *a, const T *b, int64_t n)                                                          \
    {                                                                                                               \
        int wild = 0;                                                                                               \
        for (int64_t i = 0; i < n; i++) {                                                                           \
            wild |= !(M_(fabs)(a[i] / b[i]) < (T)LIMIT) | !(M_(fabs)(b[i]) < (T)INFINITY);                          \
        }                                                                                                           \
        return !wild;                                                                                               \
    }                                                                                                               \
    CPS_MATH T exact_##X(T a, T b)                                                                                  \
    {                                                                                                               \
        T q = M_(trunc)(a / b), r = M_(fma)(-q, b, a), mended = r + M_(copysign)(b, a);                             \
        r = (r < 0) & (a > 0) ? mended : r;                                                                         \
        r = (r > 0) & (a < 0) ? mended : r;                                                                         \
        return M_(copysign)(r, a);                                                                                  \
    }                                                                                                               \
    CPS_MATH T fmod_##X(T a, T b) { return exact_##X(a, b); }                                                       \
    CPS_MATH T remainder_##X(T a, T b)                                                                              \
    {                                                                                                               \
        T r = exact_##X(a, b), other = r + b;                                                                       \
        T s = (b < 0) != (r < 0) ? other : r;                                                                       \
        return r == 0 ? M_(copysign)(0, b) : s;                                                                     \
    }                                                                                                               \
    CPS_MATH T floor_divide_##X(T a, T b)                                                                           \
    {                                                                                                               \
        T r = exact_##X(a, b), q = (a - r) / b, less = q - 1;                                                       \
        q = (r != 0) & ((b < 0) != (r < 0)) ? less : q;                                                             \
        T whole = M_(floor)(q), more = whole + 1;                                                                   \
        whole = q - whole > (T)0.5 ? more : whole;                                                                  \
        return q == 0 ? M_(copysign)(0, a / b) : whole;                                                             \
    }
#define FLOAT(name) name##f
#define DOUBLE(name) name
FAMILY(float, f32, FLOAT, 4194304)            /* 2^22 */
FAMILY(double, f64, DOUBLE, 2251799813685248) /* 2^51 */

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
/* Both of them at once: quotients and remainders. */
#define BOTH(T, X)                                                                                                \
    extern void CPI_ISA_NAME(cpi_divmod_##X)(void *const *, int64_t, unsigned);                                   \
    void CPI_ISA_NAME(cpi_divmod_##X)(void *const *op, int64_t n, unsigned s)                                     \
    {                                                                                                             \
        T *quotient = op[0], *rest = op[1], ta[SEGMENT], tb[SEGMENT];                                             \
        const T *a = op[2], *b = op[3];                                                                           \
        for (int64_t i = 0; s && i < SEGMENT; i++) ta[i] = a[0], tb[i] = b[0];                                    \
        for (int64_t i = 0; i < n; i += SEGMENT) {                                                                \
            int64_t m = n - i < SEGMENT ? n - i : SEGMENT;                                                        \
            const T *x = s & 1 ? ta : a + i, *y = s & 2 ? tb : b + i;                                             \
            if (tame_##X(x, y, m)) {                                                                              \
                _Pragma("GCC ivdep") for (int64_t k = 0; k < m; k++) {                                            \
                    const T u = x[k], v = y[k];                                                                   \
                    quotient[i + k] = floor_divide_##X(u, v), rest[i + k] = remainder_##X(u, v);                  \
                }                                                                                                 \
            } else {                                                                                              \
                for (int64_t k = 0; k < m; k++) {                                                                 \
                    const T u = x[k], v = y[k];                                                                   \
                    quotient[i + k] = cps_floor_divide_##X(u, v), rest[i + k] = cps_remainder_##X(u, v);          \
                }                                                                                                 \
            }                                                                                                     \
        }                                                                                                         \
    }
BOTH(float, f32)
BOTH(double, f64)
KERNEL(fmod, float, f32, fmodf)
KERNEL(fmod, double, f64, fmod)
KERNEL(remainder, float, f32, cps_remainder_f32)
KERNEL(remainder, double, f64, cps_remainder_f64)
KERNEL(floor_divide, float, f32, cps_floor_divide_f32)
KERNEL(floor_divide, double, f64, cps_floor_divide_f64)
#else
typedef int cpi_fmod_no_fma; /* the scalar bodies serve */
#endif
