/* Functions of real numbers: CUDA's names for float and double, C++'s overloads, and the fast ones.
 *
 * They are the C library's, but for what the processor has instructions for. */
#pragma once

template <class T> struct __cu_is_integer { static constexpr bool value = false; };
#define __CU_IS_INTEGER(T) template <> struct __cu_is_integer<T> { static constexpr bool value = true; };
__CU_IS_INTEGER(bool) __CU_IS_INTEGER(char) __CU_IS_INTEGER(signed char) __CU_IS_INTEGER(unsigned char)
__CU_IS_INTEGER(short) __CU_IS_INTEGER(unsigned short) __CU_IS_INTEGER(int) __CU_IS_INTEGER(unsigned)
__CU_IS_INTEGER(long) __CU_IS_INTEGER(unsigned long) __CU_IS_INTEGER(long long) __CU_IS_INTEGER(unsigned long long)
#undef __CU_IS_INTEGER
template <bool, class T = void> struct __cu_if {};
template <class T> struct __cu_if<true, T> { typedef T type; };
#define __CU_INTEGER(T, R) typename __cu_if<__cu_is_integer<T>::value, R>::type

/* Casts to the integer I (casts.c): without the barrier g++ takes (double)(int)x for trunc(x), which keeps the sign of
 * -0.5. It costs nothing; loops are vectorized as before. */
template <class T> struct __cu_is_real { static constexpr bool value = false; };
template <> struct __cu_is_real<float> { static constexpr bool value = true; };
template <> struct __cu_is_real<double> { static constexpr bool value = true; };
template <class I> struct __cu_cast {
    I value;
    template <class T, typename __cu_if<!__is_class(T) || __is_constructible(T, const T &), int>::type = 0>
    constexpr __cu_cast(T x) : value(of(x)) {}
    template <class T, typename __cu_if<__is_class(T) && !__is_constructible(T, const T &), int>::type = 0>
    constexpr __cu_cast(const T &x) : value((I)x) {} /* what cannot be copied: cuda::atomic */
    constexpr operator I() const { return value; }
    template <class T> static constexpr I of(T x)
    {
#if __has_builtin(__builtin_assoc_barrier)
        if constexpr (__cu_is_real<T>::value || __is_class(T))
            if (!__builtin_is_constant_evaluated()) return __builtin_assoc_barrier((I)x);
#endif
        return (I)x;
    }
};

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
/* The other number where one is NaN, and -0 below 0, as CUDA has it; written out, for libm's are calls in loops. */
#define __CU_EXTREME(name, T, bits, less, join)                                                               \
    static inline T name(T x, T y)                                                                            \
    {                                                                                                         \
        const T r = less || x != x ? y : x;                                                                   \
        return x == y ? __builtin_bit_cast(T, __builtin_bit_cast(bits, x) join __builtin_bit_cast(bits, y)) : r; \
    }
__CU_EXTREME(fmin, double, unsigned long, y < x, |) __CU_EXTREME(fminf, float, unsigned, y < x, |)
__CU_EXTREME(fmax, double, unsigned long, x < y, &) __CU_EXTREME(fmaxf, float, unsigned, x < y, &)
__CU_TWO(fmin) __CU_TWO(fmax)
#undef __CU_EXTREME
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
/* Of x in half turns: what is left of whole quarters is exact. */
static inline double sinpi(double x)
{
    x = fmod(x, 2);
    const double n = rint(2 * x), r = 3.14159265358979323846 * fma(-0.5, n, x);
    const int quarter = (int)n & 3;
    const double s = quarter & 1 ? cos(r) : sin(r);
    return s == 0 ? 0 * x : quarter & 2 ? -s : s;
}
static inline float sinpif(float x) { return (float)sinpi((double)x); }
static inline double cospi(double x)
{
    x = fmod(fabs(x), 2);
    const double n = rint(2 * x), r = 3.14159265358979323846 * fma(-0.5, n, x);
    const int quarter = (int)n & 3;
    const double c = quarter & 1 ? sin(r) : cos(r);
    return c == 0 ? 0 : quarter == 1 || quarter == 2 ? -c : c;
}
static inline float cospif(float x) { return (float)cospi((double)x); }
/* exp(x * x) with what the square loses; for large x the series in 1/x. */
static inline double erfcx(double x)
{
    if (x < 20) {
        const double h = x * x;
        return exp(h) * (__builtin_isinf(h) ? 2 : erfc(x) * (1 + fma(x, x, -h)));
    }
    const double q = 0.5 / x / x;
    double term = 1, sum = 1;
    for (int k = 1; k < 12; k++) sum += term *= -(2 * k - 1) * q;
    return 0.56418958354775628695 / x * sum;
}
/* The argument of erfc with its own error, which would count many times over where x is far below 0. */
static inline double normcdf(double x)
{
    const double root = 0.70710678118654752440, t = -x * root;
    const double lost = fma(-x, root, -t) + x * 4.8336466567264567e-17;
    const double r = 0.5 * erfc(t);
    return fabs(t) < 30 ? r - lost * 0.56418958354775628695 * exp(-t * t) : r;
}
static inline float normcdff(float x) { return (float)normcdf(x); }
static inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
static inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
/* Steps of Newton's: on erf where it is not flat, on the logarithm of erfc elsewhere. */
static inline double erfcinv(double x)
{
    if (!(x > 0 && x < 2)) return x == 0 ? __builtin_inf() : x == 2 ? -__builtin_inf() : __builtin_nan("");
    if (x > 1.5) return -erfcinv(2 - x);
    double y = x >= 0.5 ? (1 - x) * 0.886226925452758 : sqrt(-log(x));
    for (int i = 0; i < 12; i++) {
        double e = x >= 0.5 ? erf(y) - (1 - x) : (log(x) - log(erfc(y))) * erfc(y);
        double step = e * 0.886226925452758 * exp(y * y);
        y -= step;
        if (fabs(step) <= 1e-16 * fabs(y)) break;
    }
    return y;
}
static inline double erfinv(double x)
{
    if (fabs(x) > 0.5) return copysign(erfcinv(1 - fabs(x)), x);
    double y = x * 0.886226925452758;
    for (int i = 0; i < 6; i++) y -= (erf(y) - x) * 0.886226925452758 * exp(y * y);
    return y;
}
static inline double normcdfinv(double x) { return -1.41421356237309504880 * erfcinv(2 * x); }
static inline float erfinvf(float x) { return (float)erfinv((double)x); }
static inline float erfcinvf(float x) { return (float)erfcinv((double)x); }
static inline float normcdfinvf(float x) { return (float)normcdfinv((double)x); }
static inline float erfcxf(float x) { return (float)erfcx((double)x); }
static inline double rhypot(double a, double b) { return 1 / hypot(a, b); }
static inline float rhypotf(float a, float b) { return 1 / hypotf(a, b); }
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

static inline int abs(int x) { return __builtin_abs(x); }
static inline long abs(long x) { return __builtin_labs(x); }
static inline long long abs(long long x) { return __builtin_llabs(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline long labs(long x) { return __builtin_labs(x); }
static inline long long llabs(long long x) { return __builtin_llabs(x); }

/* Of two integers in the type that C++ computes with. */
#define __CU_EXTREME_AS(name, A, B, T)                                     \
    static inline T name(A a, B b) { return name((T)a, (T)b); }            \
    static inline T name(B a, A b) { return name((T)a, (T)b); }
#define __CU_EXTREME_OF(name, T, order) static inline T name(T a, T b) { return a order b ? a : b; }
#define __CU_EXTREMES(name, order)                                                                                   \
    __CU_EXTREME_OF(name, int, order) __CU_EXTREME_OF(name, unsigned, order)                                         \
    __CU_EXTREME_OF(name, long, order) __CU_EXTREME_OF(name, unsigned long, order)                                   \
    __CU_EXTREME_OF(name, long long, order) __CU_EXTREME_OF(name, unsigned long long, order)                         \
    static inline double name(double a, double b) { return f##name(a, b); }                                          \
    static inline float name(float a, float b) { return f##name(a, b); }                                             \
    __CU_EXTREME_AS(name, float, double, double)                                                                     \
    __CU_EXTREME_AS(name, int, unsigned, unsigned) __CU_EXTREME_AS(name, int, long, long)                            \
    __CU_EXTREME_AS(name, int, unsigned long, unsigned long) __CU_EXTREME_AS(name, int, long long, long long)        \
    __CU_EXTREME_AS(name, int, unsigned long long, unsigned long long)                                               \
    __CU_EXTREME_AS(name, unsigned, long, long) __CU_EXTREME_AS(name, unsigned, unsigned long, unsigned long)        \
    __CU_EXTREME_AS(name, unsigned, long long, long long)                                                            \
    __CU_EXTREME_AS(name, unsigned, unsigned long long, unsigned long long)                                          \
    __CU_EXTREME_AS(name, long, unsigned long, unsigned long) __CU_EXTREME_AS(name, long, long long, long long)      \
    __CU_EXTREME_AS(name, long, unsigned long long, unsigned long long)                                              \
    __CU_EXTREME_AS(name, unsigned long, long long, unsigned long long)                                              \
    __CU_EXTREME_AS(name, unsigned long, unsigned long long, unsigned long long)                                     \
    __CU_EXTREME_AS(name, long long, unsigned long long, unsigned long long)
__CU_EXTREMES(min, <)
__CU_EXTREMES(max, >)
#undef __CU_EXTREMES
#undef __CU_EXTREME_OF
#undef __CU_EXTREME_AS
#define umin min
#define umax max
#define llmin min
#define llmax max
#define ullmin min
#define ullmax max

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
