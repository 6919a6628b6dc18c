/* Functions of real numbers: CUDA's names for float and double, C++'s overloads, and the fast ones.
 *
 * They are the C library's, but for what the processor has instructions for. */
#pragma once

extern "C" double sin(double) noexcept; extern "C" float sinf(float) noexcept;
static inline float sin(float x) { return sinf(x); }
extern "C" double cos(double) noexcept; extern "C" float cosf(float) noexcept;
static inline float cos(float x) { return cosf(x); }
extern "C" double tan(double) noexcept; extern "C" float tanf(float) noexcept;
static inline float tan(float x) { return tanf(x); }
extern "C" double asin(double) noexcept; extern "C" float asinf(float) noexcept;
static inline float asin(float x) { return asinf(x); }
extern "C" double acos(double) noexcept; extern "C" float acosf(float) noexcept;
static inline float acos(float x) { return acosf(x); }
extern "C" double atan(double) noexcept; extern "C" float atanf(float) noexcept;
static inline float atan(float x) { return atanf(x); }
extern "C" double sinh(double) noexcept; extern "C" float sinhf(float) noexcept;
static inline float sinh(float x) { return sinhf(x); }
extern "C" double cosh(double) noexcept; extern "C" float coshf(float) noexcept;
static inline float cosh(float x) { return coshf(x); }
extern "C" double tanh(double) noexcept; extern "C" float tanhf(float) noexcept;
static inline float tanh(float x) { return tanhf(x); }
extern "C" double asinh(double) noexcept; extern "C" float asinhf(float) noexcept;
static inline float asinh(float x) { return asinhf(x); }
extern "C" double acosh(double) noexcept; extern "C" float acoshf(float) noexcept;
static inline float acosh(float x) { return acoshf(x); }
extern "C" double atanh(double) noexcept; extern "C" float atanhf(float) noexcept;
static inline float atanh(float x) { return atanhf(x); }
extern "C" double exp(double) noexcept; extern "C" float expf(float) noexcept;
static inline float exp(float x) { return expf(x); }
extern "C" double exp2(double) noexcept; extern "C" float exp2f(float) noexcept;
static inline float exp2(float x) { return exp2f(x); }
extern "C" double exp10(double) noexcept; extern "C" float exp10f(float) noexcept;
static inline float exp10(float x) { return exp10f(x); }
extern "C" double expm1(double) noexcept; extern "C" float expm1f(float) noexcept;
static inline float expm1(float x) { return expm1f(x); }
extern "C" double log(double) noexcept; extern "C" float logf(float) noexcept;
static inline float log(float x) { return logf(x); }
extern "C" double log2(double) noexcept; extern "C" float log2f(float) noexcept;
static inline float log2(float x) { return log2f(x); }
extern "C" double log10(double) noexcept; extern "C" float log10f(float) noexcept;
static inline float log10(float x) { return log10f(x); }
extern "C" double log1p(double) noexcept; extern "C" float log1pf(float) noexcept;
static inline float log1p(float x) { return log1pf(x); }
extern "C" double cbrt(double) noexcept; extern "C" float cbrtf(float) noexcept;
static inline float cbrt(float x) { return cbrtf(x); }
extern "C" double erf(double) noexcept; extern "C" float erff(float) noexcept;
static inline float erf(float x) { return erff(x); }
extern "C" double erfc(double) noexcept; extern "C" float erfcf(float) noexcept;
static inline float erfc(float x) { return erfcf(x); }
extern "C" double tgamma(double) noexcept; extern "C" float tgammaf(float) noexcept;
static inline float tgamma(float x) { return tgammaf(x); }
extern "C" double lgamma(double) noexcept; extern "C" float lgammaf(float) noexcept;
static inline float lgamma(float x) { return lgammaf(x); }
extern "C" double logb(double) noexcept; extern "C" float logbf(float) noexcept;
static inline float logb(float x) { return logbf(x); }
extern "C" double j0(double) noexcept; extern "C" float j0f(float) noexcept;
static inline float j0(float x) { return j0f(x); }
extern "C" double j1(double) noexcept; extern "C" float j1f(float) noexcept;
static inline float j1(float x) { return j1f(x); }
extern "C" double y0(double) noexcept; extern "C" float y0f(float) noexcept;
static inline float y0(float x) { return y0f(x); }
extern "C" double y1(double) noexcept; extern "C" float y1f(float) noexcept;
static inline float y1(float x) { return y1f(x); }
static inline double sqrt(double x) { return __builtin_sqrt(x); }
static inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static inline float sqrt(float x) { return __builtin_sqrtf(x); }
static inline double fabs(double x) { return __builtin_fabs(x); }
static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline float fabs(float x) { return __builtin_fabsf(x); }
static inline double floor(double x) { return __builtin_floor(x); }
static inline float floorf(float x) { return __builtin_floorf(x); }
static inline float floor(float x) { return __builtin_floorf(x); }
static inline double ceil(double x) { return __builtin_ceil(x); }
static inline float ceilf(float x) { return __builtin_ceilf(x); }
static inline float ceil(float x) { return __builtin_ceilf(x); }
static inline double trunc(double x) { return __builtin_trunc(x); }
static inline float truncf(float x) { return __builtin_truncf(x); }
static inline float trunc(float x) { return __builtin_truncf(x); }
static inline double rint(double x) { return __builtin_rint(x); }
static inline float rintf(float x) { return __builtin_rintf(x); }
static inline float rint(float x) { return __builtin_rintf(x); }
static inline double nearbyint(double x) { return __builtin_nearbyint(x); }
static inline float nearbyintf(float x) { return __builtin_nearbyintf(x); }
static inline float nearbyint(float x) { return __builtin_nearbyintf(x); }
static inline double round(double x) { return __builtin_round(x); }
static inline float roundf(float x) { return __builtin_roundf(x); }
static inline float round(float x) { return __builtin_roundf(x); }
extern "C" double pow(double, double) noexcept; extern "C" float powf(float, float) noexcept;
static inline float pow(float x, float y) { return powf(x, y); }
extern "C" double atan2(double, double) noexcept; extern "C" float atan2f(float, float) noexcept;
static inline float atan2(float x, float y) { return atan2f(x, y); }
extern "C" double fmod(double, double) noexcept; extern "C" float fmodf(float, float) noexcept;
static inline float fmod(float x, float y) { return fmodf(x, y); }
extern "C" double remainder(double, double) noexcept; extern "C" float remainderf(float, float) noexcept;
static inline float remainder(float x, float y) { return remainderf(x, y); }
extern "C" double hypot(double, double) noexcept; extern "C" float hypotf(float, float) noexcept;
static inline float hypot(float x, float y) { return hypotf(x, y); }
extern "C" double fdim(double, double) noexcept; extern "C" float fdimf(float, float) noexcept;
static inline float fdim(float x, float y) { return fdimf(x, y); }
extern "C" double nextafter(double, double) noexcept; extern "C" float nextafterf(float, float) noexcept;
static inline float nextafter(float x, float y) { return nextafterf(x, y); }
static inline double fmin(double x, double y) { return __builtin_fmin(x, y); }
static inline float fminf(float x, float y) { return __builtin_fminf(x, y); }
static inline float fmin(float x, float y) { return __builtin_fminf(x, y); }
static inline double fmax(double x, double y) { return __builtin_fmax(x, y); }
static inline float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
static inline float fmax(float x, float y) { return __builtin_fmaxf(x, y); }
static inline double copysign(double x, double y) { return __builtin_copysign(x, y); }
static inline float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
static inline float copysign(float x, float y) { return __builtin_copysignf(x, y); }

template <class T> struct __cu_is_integer { static constexpr bool value = false; };
#define __CU_IS_INTEGER(T) template <> struct __cu_is_integer<T> { static constexpr bool value = true; };
__CU_IS_INTEGER(bool) __CU_IS_INTEGER(char) __CU_IS_INTEGER(signed char) __CU_IS_INTEGER(unsigned char)
__CU_IS_INTEGER(short) __CU_IS_INTEGER(unsigned short) __CU_IS_INTEGER(int) __CU_IS_INTEGER(unsigned)
__CU_IS_INTEGER(long) __CU_IS_INTEGER(unsigned long) __CU_IS_INTEGER(long long) __CU_IS_INTEGER(unsigned long long)
#undef __CU_IS_INTEGER
template <bool, class T = void> struct __cu_if {};
template <class T> struct __cu_if<true, T> { typedef T type; };
#define __CU_INTEGER(T, R) typename __cu_if<__cu_is_integer<T>::value, R>::type
/* Of integers they are those of double. */
template <class T> static inline __CU_INTEGER(T, double) sin(T x) { return sin((double)x); }
template <class T> static inline __CU_INTEGER(T, double) cos(T x) { return cos((double)x); }
template <class T> static inline __CU_INTEGER(T, double) tan(T x) { return tan((double)x); }
template <class T> static inline __CU_INTEGER(T, double) asin(T x) { return asin((double)x); }
template <class T> static inline __CU_INTEGER(T, double) acos(T x) { return acos((double)x); }
template <class T> static inline __CU_INTEGER(T, double) atan(T x) { return atan((double)x); }
template <class T> static inline __CU_INTEGER(T, double) sinh(T x) { return sinh((double)x); }
template <class T> static inline __CU_INTEGER(T, double) cosh(T x) { return cosh((double)x); }
template <class T> static inline __CU_INTEGER(T, double) tanh(T x) { return tanh((double)x); }
template <class T> static inline __CU_INTEGER(T, double) asinh(T x) { return asinh((double)x); }
template <class T> static inline __CU_INTEGER(T, double) acosh(T x) { return acosh((double)x); }
template <class T> static inline __CU_INTEGER(T, double) atanh(T x) { return atanh((double)x); }
template <class T> static inline __CU_INTEGER(T, double) exp(T x) { return exp((double)x); }
template <class T> static inline __CU_INTEGER(T, double) exp2(T x) { return exp2((double)x); }
template <class T> static inline __CU_INTEGER(T, double) exp10(T x) { return exp10((double)x); }
template <class T> static inline __CU_INTEGER(T, double) expm1(T x) { return expm1((double)x); }
template <class T> static inline __CU_INTEGER(T, double) log(T x) { return log((double)x); }
template <class T> static inline __CU_INTEGER(T, double) log2(T x) { return log2((double)x); }
template <class T> static inline __CU_INTEGER(T, double) log10(T x) { return log10((double)x); }
template <class T> static inline __CU_INTEGER(T, double) log1p(T x) { return log1p((double)x); }
template <class T> static inline __CU_INTEGER(T, double) cbrt(T x) { return cbrt((double)x); }
template <class T> static inline __CU_INTEGER(T, double) erf(T x) { return erf((double)x); }
template <class T> static inline __CU_INTEGER(T, double) erfc(T x) { return erfc((double)x); }
template <class T> static inline __CU_INTEGER(T, double) tgamma(T x) { return tgamma((double)x); }
template <class T> static inline __CU_INTEGER(T, double) lgamma(T x) { return lgamma((double)x); }
template <class T> static inline __CU_INTEGER(T, double) logb(T x) { return logb((double)x); }
template <class T> static inline __CU_INTEGER(T, double) j0(T x) { return j0((double)x); }
template <class T> static inline __CU_INTEGER(T, double) j1(T x) { return j1((double)x); }
template <class T> static inline __CU_INTEGER(T, double) y0(T x) { return y0((double)x); }
template <class T> static inline __CU_INTEGER(T, double) y1(T x) { return y1((double)x); }
template <class T> static inline __CU_INTEGER(T, double) sqrt(T x) { return sqrt((double)x); }
template <class T> static inline __CU_INTEGER(T, double) fabs(T x) { return fabs((double)x); }
template <class T> static inline __CU_INTEGER(T, double) floor(T x) { return floor((double)x); }
template <class T> static inline __CU_INTEGER(T, double) ceil(T x) { return ceil((double)x); }
template <class T> static inline __CU_INTEGER(T, double) trunc(T x) { return trunc((double)x); }
template <class T> static inline __CU_INTEGER(T, double) rint(T x) { return rint((double)x); }
template <class T> static inline __CU_INTEGER(T, double) nearbyint(T x) { return nearbyint((double)x); }
template <class T> static inline __CU_INTEGER(T, double) round(T x) { return round((double)x); }
template <class A, class B> struct __cu_wider { typedef double type; };
template <> struct __cu_wider<float, float> { typedef float type; };
template <class A, class B> static inline double pow(A x, B y) { return pow((double)x, (double)y); }
template <class A, class B> static inline double atan2(A x, B y) { return atan2((double)x, (double)y); }
template <class A, class B> static inline double fmod(A x, B y) { return fmod((double)x, (double)y); }
template <class A, class B> static inline double remainder(A x, B y) { return remainder((double)x, (double)y); }
template <class A, class B> static inline double hypot(A x, B y) { return hypot((double)x, (double)y); }
template <class A, class B> static inline double fdim(A x, B y) { return fdim((double)x, (double)y); }
template <class A, class B> static inline double nextafter(A x, B y) { return nextafter((double)x, (double)y); }
template <class A, class B> static inline double fmin(A x, B y) { return fmin((double)x, (double)y); }
template <class A, class B> static inline double fmax(A x, B y) { return fmax((double)x, (double)y); }
template <class A, class B> static inline double copysign(A x, B y) { return copysign((double)x, (double)y); }

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
extern "C" double remquo(double, double, int *) noexcept;
static inline float ldexp(float x, int e) { return ldexpf(x, e); }
static inline float frexp(float x, int *e) { return frexpf(x, e); }
static inline float modf(float x, float *w) { return modff(x, w); }
static inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline double rcbrt(double x) { return 1 / cbrt(x); }
static inline float rcbrtf(float x) { return 1 / cbrtf(x); }
static inline double sinpi(double x) { x = fmod(x, 2); return fabs(x) == 1 ? 0 * x : sin(M_PI * x); }
static inline float sinpif(float x) { return (float)sinpi((double)x); }
static inline double cospi(double x) { x = fmod(fabs(x), 2); return x == 0.5 || x == 1.5 ? 0 : cos(M_PI * x); }
static inline float cospif(float x) { return (float)cospi((double)x); }
static inline double erfcx(double x) { return x < 25 ? exp(x * x) * erfc(x) : 0.5641895835477563 / x; }
static inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
static inline float normcdff(float x) { return (float)normcdf(x); }
static inline double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
static inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
static inline double rhypot(double a, double b) { return 1 / hypot(a, b); }
static inline float rhypotf(float a, float b) { return 1 / hypotf(a, b); }
static inline float __saturatef(float x) { return x < 0 ? 0 : x > 1 ? 1 : x == x ? x : 0; }

#define isnan(x) __builtin_isnan(x)
#define isinf(x) (__builtin_isinf(x) != 0)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) (__builtin_signbit(x) != 0)
#define isnormal(x) __builtin_isnormal(x)

static inline int abs(int x) { return __builtin_abs(x); }
static inline long abs(long x) { return __builtin_labs(x); }
static inline long long abs(long long x) { return __builtin_llabs(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline long labs(long x) { return __builtin_labs(x); }
static inline long long llabs(long long x) { return __builtin_llabs(x); }

static inline int min(int a, int b) { return a < b ? a : b; }
static inline unsigned int min(unsigned int a, unsigned int b) { return a < b ? a : b; }
static inline long min(long a, long b) { return a < b ? a : b; }
static inline unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
static inline long long min(long long a, long long b) { return a < b ? a : b; }
static inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline double min(double a, double b) { return fmin(a, b); }
static inline float min(float a, float b) { return fmin(a, b); }
static inline double min(float a, double b) { return fmin((double)a, b); }
static inline double min(double a, float b) { return fmin(a, (double)b); }
static inline unsigned int min(int a, unsigned int b) { return min((unsigned int)a, (unsigned int)b); }
static inline unsigned int min(unsigned int a, int b) { return min((unsigned int)a, (unsigned int)b); }
static inline long min(int a, long b) { return min((long)a, (long)b); }
static inline long min(long a, int b) { return min((long)a, (long)b); }
static inline long long min(int a, long long b) { return min((long long)a, (long long)b); }
static inline long long min(long long a, int b) { return min((long long)a, (long long)b); }
static inline long min(unsigned int a, long b) { return min((long)a, (long)b); }
static inline long min(long a, unsigned int b) { return min((long)a, (long)b); }
static inline unsigned long min(int a, unsigned long b) { return min((unsigned long)a, (unsigned long)b); }
static inline unsigned long min(unsigned long a, int b) { return min((unsigned long)a, (unsigned long)b); }
static inline unsigned long min(unsigned int a, unsigned long b) { return min((unsigned long)a, (unsigned long)b); }
static inline unsigned long min(unsigned long a, unsigned int b) { return min((unsigned long)a, (unsigned long)b); }
static inline long long min(unsigned int a, long long b) { return min((long long)a, (long long)b); }
static inline long long min(long long a, unsigned int b) { return min((long long)a, (long long)b); }
static inline unsigned long long min(int a, unsigned long long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(unsigned long long a, int b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline long long min(long a, long long b) { return min((long long)a, (long long)b); }
static inline long long min(long long a, long b) { return min((long long)a, (long long)b); }
static inline unsigned long min(long a, unsigned long b) { return min((unsigned long)a, (unsigned long)b); }
static inline unsigned long min(unsigned long a, long b) { return min((unsigned long)a, (unsigned long)b); }
static inline unsigned long long min(long long a, unsigned long long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(unsigned long long a, long long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(unsigned int a, unsigned long long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(unsigned long long a, unsigned int b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(unsigned long a, unsigned long long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(unsigned long long a, unsigned long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(long a, unsigned long long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(unsigned long long a, long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(long long a, unsigned long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long min(unsigned long a, long long b)
{
    return min((unsigned long long)a, (unsigned long long)b);
}
static inline int max(int a, int b) { return a > b ? a : b; }
static inline unsigned int max(unsigned int a, unsigned int b) { return a > b ? a : b; }
static inline long max(long a, long b) { return a > b ? a : b; }
static inline unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
static inline long long max(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
static inline double max(double a, double b) { return fmax(a, b); }
static inline float max(float a, float b) { return fmax(a, b); }
static inline double max(float a, double b) { return fmax((double)a, b); }
static inline double max(double a, float b) { return fmax(a, (double)b); }
static inline unsigned int max(int a, unsigned int b) { return max((unsigned int)a, (unsigned int)b); }
static inline unsigned int max(unsigned int a, int b) { return max((unsigned int)a, (unsigned int)b); }
static inline long max(int a, long b) { return max((long)a, (long)b); }
static inline long max(long a, int b) { return max((long)a, (long)b); }
static inline long long max(int a, long long b) { return max((long long)a, (long long)b); }
static inline long long max(long long a, int b) { return max((long long)a, (long long)b); }
static inline long max(unsigned int a, long b) { return max((long)a, (long)b); }
static inline long max(long a, unsigned int b) { return max((long)a, (long)b); }
static inline unsigned long max(int a, unsigned long b) { return max((unsigned long)a, (unsigned long)b); }
static inline unsigned long max(unsigned long a, int b) { return max((unsigned long)a, (unsigned long)b); }
static inline unsigned long max(unsigned int a, unsigned long b) { return max((unsigned long)a, (unsigned long)b); }
static inline unsigned long max(unsigned long a, unsigned int b) { return max((unsigned long)a, (unsigned long)b); }
static inline long long max(unsigned int a, long long b) { return max((long long)a, (long long)b); }
static inline long long max(long long a, unsigned int b) { return max((long long)a, (long long)b); }
static inline unsigned long long max(int a, unsigned long long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(unsigned long long a, int b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline long long max(long a, long long b) { return max((long long)a, (long long)b); }
static inline long long max(long long a, long b) { return max((long long)a, (long long)b); }
static inline unsigned long max(long a, unsigned long b) { return max((unsigned long)a, (unsigned long)b); }
static inline unsigned long max(unsigned long a, long b) { return max((unsigned long)a, (unsigned long)b); }
static inline unsigned long long max(long long a, unsigned long long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(unsigned long long a, long long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(unsigned int a, unsigned long long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(unsigned long long a, unsigned int b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(unsigned long a, unsigned long long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(unsigned long long a, unsigned long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(long a, unsigned long long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(unsigned long long a, long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(long long a, unsigned long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
static inline unsigned long long max(unsigned long a, long long b)
{
    return max((unsigned long long)a, (unsigned long long)b);
}
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
static inline float __expf(float x) { return expf(x); }
static inline float __exp10f(float x) { return exp10f(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __log2f(float x) { return log2f(x); }
static inline float __log10f(float x) { return log10f(x); }
static inline void __sincosf(float x, float *s, float *c) { sincosf(x, s, c); }
static inline float __powf(float x, float y) { return powf(x, y); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float fdividef(float x, float y) { return x / y; }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fsub_rn(float x, float y) { return x - y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline float __fdiv_rn(float x, float y) { return x / y; }
static inline float __fsqrt_rn(float x) { return sqrt(x); }
static inline float __frcp_rn(float x) { return 1 / x; }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double __dsub_rn(double x, double y) { return x - y; }
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline double __ddiv_rn(double x, double y) { return x / y; }
static inline double __dsqrt_rn(double x) { return sqrt(x); }
static inline double __drcp_rn(double x) { return 1 / x; }
static inline float __frsqrt_rn(float x) { return 1 / sqrtf(x); }
static inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }

