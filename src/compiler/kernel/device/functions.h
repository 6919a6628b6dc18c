/* Functions of real numbers: CUDA's names for float and double, C++'s overloads, and the fast ones.
 *
 * They are the C library's, but for what the processor has instructions for. */
#pragma once

/* Of one argument: the C library's, or the compiler's. Of integers they are those of double. */
#define __CU_ONE(name)                                                                                        \
    static inline float name(float x) { return name##f(x); }                                                  \
    template <class T> static inline __CU_INTEGER(T, double) name(T x) { return name((double)x); }
#define __CU_LIBRARY(name)                                                                                    \
    extern "C" double name(double) noexcept;                                                                  \
    extern "C" float name##f(float) noexcept;                                                                 \
    __CU_ONE(name)
#define __CU_BUILTIN(name)                                                                                    \
    static inline double name(double x) { return __builtin_##name(x); }                                       \
    static inline float name##f(float x) { return __builtin_##name##f(x); }                                   \
    __CU_ONE(name)
__CU_LIBRARY(sin) __CU_LIBRARY(cos) __CU_LIBRARY(tan) __CU_LIBRARY(asin) __CU_LIBRARY(acos) __CU_LIBRARY(atan)
__CU_LIBRARY(sinh) __CU_LIBRARY(cosh) __CU_LIBRARY(tanh) __CU_LIBRARY(asinh) __CU_LIBRARY(acosh) __CU_LIBRARY(atanh)
__CU_LIBRARY(exp) __CU_LIBRARY(exp2) __CU_LIBRARY(exp10) __CU_LIBRARY(expm1) __CU_LIBRARY(log) __CU_LIBRARY(log2)
__CU_LIBRARY(log10) __CU_LIBRARY(log1p) __CU_LIBRARY(cbrt) __CU_LIBRARY(erf) __CU_LIBRARY(erfc) __CU_LIBRARY(tgamma)
__CU_LIBRARY(lgamma) __CU_LIBRARY(logb) __CU_LIBRARY(j0) __CU_LIBRARY(j1) __CU_LIBRARY(y0) __CU_LIBRARY(y1)
__CU_BUILTIN(sqrt) __CU_BUILTIN(fabs) __CU_BUILTIN(floor) __CU_BUILTIN(ceil) __CU_BUILTIN(trunc) __CU_BUILTIN(rint)
__CU_BUILTIN(nearbyint)
/* What trunc leaves is exact; libm's round is a call in loops. */
#define __CU_ROUND(name, T, f)                                                                                \
    static inline T name(T x)                                                                                 \
    {                                                                                                         \
        const T whole = __builtin_trunc##f(x);                                                                \
        return whole + __builtin_copysign##f(__builtin_fabs##f(x - whole) >= T(0.5) ? T(1) : T(0), x);        \
    }
__CU_ROUND(round, double, ) __CU_ROUND(roundf, float, f) __CU_ONE(round)
#undef __CU_ROUND
#undef __CU_ONE
#undef __CU_LIBRARY
#undef __CU_BUILTIN

/* Of two: of two float they are those of float, of all other pairs of numbers those of double. */
#define __CU_TWO(name)                                                                                        \
    static inline float name(float x, float y) { return name##f(x, y); }                                      \
    template <class A, class B> static inline auto name(A x, B y)->decltype((double)x + (double)y)             \
    {                                                                                                         \
        return name((double)x, (double)y);                                                                    \
    }
#define __CU_LIBRARY(name)                                                                                    \
    extern "C" double name(double, double) noexcept;                                                          \
    extern "C" float name##f(float, float) noexcept;                                                          \
    __CU_TWO(name)
#define __CU_BUILTIN(name)                                                                                    \
    static inline double name(double x, double y) { return __builtin_##name(x, y); }                          \
    static inline float name##f(float x, float y) { return __builtin_##name##f(x, y); }                       \
    __CU_TWO(name)
__CU_LIBRARY(pow) __CU_LIBRARY(atan2) __CU_LIBRARY(fmod) __CU_LIBRARY(remainder) __CU_LIBRARY(hypot)
__CU_LIBRARY(fdim) __CU_LIBRARY(nextafter)
__CU_BUILTIN(copysign)
#undef __CU_TWO
#undef __CU_LIBRARY
#undef __CU_BUILTIN

static inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
extern "C" double ldexp(double, int) noexcept; extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int *) noexcept; extern "C" float frexpf(float, int *) noexcept;
extern "C" double modf(double, double *) noexcept; extern "C" float modff(float, float *) noexcept;
extern "C" void sincos(double, double *, double *) noexcept; extern "C" void sincosf(float, float *, float *) noexcept;
extern "C" double jn(int, double) noexcept; extern "C" double yn(int, double) noexcept;
extern "C" long lrint(double) noexcept; extern "C" long lrintf(float) noexcept;
extern "C" long lround(double) noexcept; extern "C" long lroundf(float) noexcept;
extern "C" long long llrint(double) noexcept; extern "C" long long llround(double) noexcept;
extern "C" int ilogb(double) noexcept; extern "C" int ilogbf(float) noexcept;
extern "C" double scalbn(double, int) noexcept; extern "C" float scalbnf(float, int) noexcept;
extern "C" double remquo(double, double, int *) noexcept; extern "C" float remquof(float, float, int *) noexcept;
extern "C" float jnf(int, float) noexcept; extern "C" float ynf(int, float) noexcept;
extern "C" long long llrintf(float) noexcept; extern "C" long long llroundf(float) noexcept;
extern "C" double scalbln(double, long) noexcept; extern "C" float scalblnf(float, long) noexcept;
extern "C" double nan(const char *) noexcept; extern "C" float nanf(const char *) noexcept;
static inline float ldexp(float x, int e) { return ldexpf(x, e); }
static inline float frexp(float x, int *e) { return frexpf(x, e); }
static inline float modf(float x, float *w) { return modff(x, w); }
static inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline double rcbrt(double x) { return 1 / cbrt(x); }
static inline float rcbrtf(float x) { return 1 / cbrtf(x); }
static inline float __saturatef(float x) { return x < 0 ? 0 : x > 1 ? 1 : x == x ? x : 0; }

#define __CU_TEST(name, e)                                  \
    static inline bool name(float x) { return __builtin_##e; } \
    static inline bool name(double x) { return __builtin_##e; }
__CU_TEST(isnan, isnan(x)) __CU_TEST(isinf, isinf(x) != 0) __CU_TEST(isfinite, isfinite(x))
__CU_TEST(isnormal, isnormal(x))
/* By the bits: gcc 12 fails to make a vector of its own word for floats that are made of integers. */
static inline bool signbit(float x) { return (__builtin_bit_cast(unsigned, x) >> 31) != 0; }
static inline bool signbit(double x) { return (__builtin_bit_cast(unsigned long, x) >> 63) != 0; }
static inline int __isnan(double x) { return isnan(x); }
static inline int __isnanf(float x) { return isnan(x); }
static inline int __isinf(double x) { return isinf(x); }
static inline int __isinff(float x) { return isinf(x); }
static inline int __finite(double x) { return isfinite(x); }
static inline int __finitef(float x) { return isfinite(x); }
static inline int __signbit(double x) { return signbit(x); }
static inline int __signbitf(float x) { return signbit(x); }

/* The fast functions are the accurate ones here. */
static inline float __sinf(float x) { return sinf(x); }
static inline float __cosf(float x) { return cosf(x); }
static inline float __tanf(float x) { return tanf(x); }
static inline float __tanhf(float x) { return tanhf(x); }
static inline float __expf(float x) { return expf(x); }
static inline float __exp10f(float x) { return exp10f(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __log2f(float x) { return log2f(x); }
static inline float __log10f(float x) { return log10f(x); }
static inline void __sincosf(float x, float *s, float *c) { sincosf(x, s, c); }
static inline float __powf(float x, float y) { return powf(x, y); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float fdividef(float x, float y) { return x / y; }
