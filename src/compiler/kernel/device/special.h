/* Norms of vectors, modified Bessel functions, and vectors aligned otherwise (CUDA 13), which few kernels use. */
#pragma once

/* Without undue overflow: divided by a power of two near the largest. */
static inline double norm(int n, const double *p)
{
    double most = 0, sum = 0;
    bool nan = false;
    for (int i = 0; i < n; i++) {
        const double a = fabs(p[i]);
        if (a == __builtin_inf()) return a;
        nan |= a != a;
        most = a > most ? a : most;
    }
    if (nan) return __builtin_nan("");
    if (most == 0) return 0;
    const int e = ilogb(most);
    for (int i = 0; i < n; i++) {
        const double a = scalbn(p[i], -e);
        sum += a * a;
    }
    return scalbn(sqrt(sum), e);
}
static inline float normf(int n, const float *p)
{
    double sum = 0;
    bool infinite = false;
    for (int i = 0; i < n; i++) {
        infinite |= __builtin_isinf(p[i]) != 0;
        sum += (double)p[i] * p[i];
    }
    return infinite ? __builtin_inff() : (float)sqrt(sum);
}
static inline double rnorm(int n, const double *p) { return 1 / norm(n, p); }
static inline float rnormf(int n, const float *p) { return 1 / normf(n, p); }
#define __CU_NORM(T, f, of)                                                                   \
    static inline T of##norm3d##f(T a, T b, T c)                                              \
    {                                                                                         \
        const T p[] = {a, b, c};                                                              \
        return of##norm##f(3, p);                                                             \
    }                                                                                         \
    static inline T of##norm4d##f(T a, T b, T c, T d)                                         \
    {                                                                                         \
        const T p[] = {a, b, c, d};                                                           \
        return of##norm##f(4, p);                                                             \
    }
__CU_NORM(double, , ) __CU_NORM(double, , r)
__CU_NORM(float, f, ) __CU_NORM(float, f, r)
#undef __CU_NORM

/* I of order 0 or 1 of x >= 0: its series, whose terms are all positive, and for large x the one in 1/x. */
static inline double __cu_bessel_i(int order, double x)
{
    if (x != x || x == __builtin_inf()) return x;
    if (x < 20) {
        const long double q = (long double)x * x / 4; /* an error of q would be in each term once more */
        long double part = 1, whole = 1;
        for (int k = 1; part > whole * 0x1p-60L; k++) whole += part *= q / ((long double)k * (k + order));
        return (double)(order ? x / 2 * whole : whole);
    }
    double term = 1, sum = 1;
    for (int k = 1; k < 40; k++) {
        const double odd = 2 * k - 1;
        term *= (odd * odd - 4 * order) / (8 * k * x);
        sum += term;
        if (fabs(term) < 0x1p-60) break;
    }
    const double half = exp(x / 2);
    return half * (sum / sqrt(6.28318530717958647693 * x)) * half;
}
static inline double cyl_bessel_i0(double x) { return __cu_bessel_i(0, fabs(x)); }
static inline double cyl_bessel_i1(double x) { return copysign(__cu_bessel_i(1, fabs(x)), x); }
static inline float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0(x); }
static inline float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1(x); }

#define __CU_ALIGNED(T, E, bytes)                                                                     \
    struct __attribute__((aligned(bytes))) T##4_##bytes##a { E x, y, z, w; };                         \
    static inline T##4_##bytes##a make_##T##4_##bytes##a(E x, E y, E z, E w) { return {x, y, z, w}; }
#define __CU_ALIGNED_BOTH(T, E) __CU_ALIGNED(T, E, 16) __CU_ALIGNED(T, E, 32)
__CU_ALIGNED_BOTH(long, long) __CU_ALIGNED_BOTH(ulong, unsigned long) __CU_ALIGNED_BOTH(longlong, long long)
__CU_ALIGNED_BOTH(ulonglong, unsigned long long) __CU_ALIGNED_BOTH(double, double)
#undef __CU_ALIGNED
#undef __CU_ALIGNED_BOTH
