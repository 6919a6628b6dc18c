/* Sums, products, quotients, roots and conversions rounded as their names say: _rn to the nearest, _rz toward zero, _rd
 * down, _ru up.
 *
 * Each is computed to the nearest. Whether the exact result lies above or below is determined without an error (from
 * the rounding error of a sum, from products in a wider type, or by fma()), and selects the neighbour. The processor's
 * rounding mode is never changed. Results of _rn are not contracted with operations on them. */
#pragma once

enum __cu_mode { __CU_RN, __CU_RZ, __CU_RD, __CU_RU };

/* The value as it is: no compiler makes an fma() of the product that it was and a sum. */
template <class T> static inline T __cu_alone(T x)
{
#if defined(__x86_64__)
    __asm__("" : "+x"(x));
#elif defined(__aarch64__)
    __asm__("" : "+w"(x));
#else
    volatile T kept = x;
    x = kept;
#endif
    return x;
}

template <class F> struct __cu_float_bits {};
template <> struct __cu_float_bits<float> { typedef unsigned type; };
template <> struct __cu_float_bits<double> { typedef unsigned long long type; };

template <class F> static inline F __cu_above(F x)
{
    typename __cu_float_bits<F>::type b;
    __builtin_memcpy(&b, &x, sizeof b);
    b = x == 0 ? 1 : x > 0 ? b + 1 : b - 1;
    __builtin_memcpy(&x, &b, sizeof b);
    return x;
}
template <class F> static inline F __cu_below(F x) { return -__cu_above(-x); }
template <class T> static inline int __cu_sign(T x) { return (x > 0) - (x < 0); }

/* r is the nearest, `side` tells where the exact result lies: above (1), below (-1), or there (0). */
template <class F> static inline F __cu_rounded(F r, int side, __cu_mode mode)
{
    if (mode == __CU_RZ) mode = r > 0 ? __CU_RD : r < 0 ? __CU_RU : __CU_RN;
    if (mode == __CU_RU && side > 0) return __cu_above(r);
    if (mode == __CU_RD && side < 0) return __cu_below(r);
    return r;
}

static inline bool __cu_finite(double x) { return __builtin_isfinite(x); }

/* What the sum s of a and b lost (Knuth); with an overflow the sign of it. */
template <class F> static inline F __cu_lost(F a, F b, F s)
{
    if (!__cu_finite(s)) return __cu_finite(a) && __cu_finite(b) ? -s : 0;
    F part = s - a;
    return (a - (s - part)) + (b - part);
}
template <class F> static inline F __cu_add(F a, F b, __cu_mode mode)
{
    F s = __cu_alone(a + b);
    if (mode == __CU_RN) return s;
    bool plus = a == 0 && b == 0 && !__builtin_signbit(a) && !__builtin_signbit(b);
    if (s == 0 && mode == __CU_RD && !plus) return -(F)0;
    return __cu_rounded(s, __cu_sign(__cu_lost(a, b, s)), mode);
}

/* A number below 1 in magnitude, and its exponent. */
struct __cu_parts { double m; int e; };
static inline __cu_parts __cu_parts_of(double x)
{
    __cu_parts p = {x, 0};
    if (x != 0 && __cu_finite(x)) p.m = frexp(x, &p.e);
    return p;
}

/* --- products, quotients and roots: side of the nearest r --- */
static inline int __cu_product_side(float a, float b, float r)
{
    double p = (double)a * b; /* exact */
    return (p > r) - (p < r);
}
static inline int __cu_product_side(double a, double b, double r)
{
    if (!__cu_finite(r)) return __cu_finite(a) && __cu_finite(b) ? -__cu_sign(r) : 0;
    if (a == 0 || b == 0) return 0;
    __cu_parts x = __cu_parts_of(a), y = __cu_parts_of(b);
    double p = __cu_alone(x.m * y.m), rest = __builtin_fma(x.m, y.m, -p), d = p - ldexp(r, -(x.e + y.e));
    return d != 0 ? __cu_sign(d) : __cu_sign(rest);
}
static inline int __cu_quotient_side(float a, float b, float r)
{
    double back = (double)r * b; /* exact */
    int over = (a > back) - (a < back);
    return b < 0 ? -over : over;
}
static inline int __cu_quotient_side(double a, double b, double r)
{
    if (!__cu_finite(a) || !__cu_finite(b) || b == 0 || a == 0) return 0;
    if (!__cu_finite(r)) return -__cu_sign(r);
    __cu_parts x = __cu_parts_of(a), y = __cu_parts_of(b);
    int over = __cu_sign(__builtin_fma(-ldexp(r, y.e - x.e), y.m, x.m));
    return y.m < 0 ? -over : over;
}
static inline int __cu_root_side(float a, float r)
{
    double back = (double)r * r;
    return (a > back) - (a < back);
}
static inline int __cu_root_side(double a, double r)
{
    if (!(a > 0) || !__cu_finite(a)) return 0;
    if (a < 0x1p-500) a *= 0x1p600, r *= 0x1p300;
    return __cu_sign(__builtin_fma(-r, r, a));
}
template <class F> static inline F __cu_mul(F a, F b, __cu_mode mode)
{
    F r = __cu_alone(a * b);
    return mode == __CU_RN ? r : __cu_rounded(r, __cu_product_side(a, b, r), mode);
}
template <class F> static inline F __cu_div(F a, F b, __cu_mode mode)
{
    F r = __cu_alone(a / b);
    return mode == __CU_RN ? r : __cu_rounded(r, __cu_quotient_side(a, b, r), mode);
}
template <class F> static inline F __cu_root(F a, __cu_mode mode)
{
    F r = sqrt(a);
    return mode == __CU_RN ? r : __cu_rounded(r, __cu_root_side(a, r), mode);
}

/* --- a * b + c --- */
static inline int __cu_fma_side(float a, float b, float c, float r)
{
    double p = (double)a * b, s = __cu_alone(p + c), lost = __cu_lost(p, (double)c, s), d = s - r;
    if (!__cu_finite(r)) return __cu_finite(s) ? -__cu_sign(r) : 0;
    return d != 0 ? __cu_sign(d) : __cu_sign(lost);
}
/* The sign of a sum of four numbers, of which none overflows or underflows: their exact expansion (Shewchuk). */
static inline int __cu_sign_of_sum(double a, double b, double c, double d)
{
    double term[4] = {a, b, c, d}, part[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        double sum = term[i];
        for (int k = 0; k < i; k++) {
            double s = sum + part[k];
            part[k] = __cu_lost(sum, part[k], s);
            sum = s;
        }
        part[i] = sum;
    }
    for (int i = 3; i >= 0; i--)
        if (part[i] != 0) return __cu_sign(part[i]);
    return 0;
}
static inline int __cu_fma_side(double a, double b, double c, double r)
{
    if (!__cu_finite(a) || !__cu_finite(b) || !__cu_finite(c) || a == 0 || b == 0) return 0;
    if (!__cu_finite(r)) return -__cu_sign(r);
    __cu_parts x = __cu_parts_of(a), y = __cu_parts_of(b);
    double p = __cu_alone(x.m * y.m), rest = __builtin_fma(x.m, y.m, -p);
    const int e = x.e + y.e, ce = __cu_parts_of(c).e, far = -690;
    const double least = 0x1p-700; /* what is so far below the other's last place counts by its sign alone */
    int by = -(c == 0 || e > ce ? e : ce); /* makes the larger one a number near 1 */
    double product = e + by < far ? copysign(least, p) : ldexp(p, e + by);
    double lost = e + by < far ? 0 : ldexp(rest, e + by);
    double third = c != 0 && ce + by < far ? copysign(least, c) : ldexp(c, by);
    return __cu_sign_of_sum(lost, product, third, -ldexp(r, by));
}
template <class F> static inline F __cu_fused(F a, F b, F c, F r, F product, __cu_mode mode)
{
    if (mode == __CU_RN) return r;
    if (r == 0 && mode == __CU_RD && (product == 0) == (c == 0)) { /* an exact zero of two signs is -0 */
        bool plus = !__builtin_signbit(product) && !__builtin_signbit(c);
        if (product == 0 && (a == 0 || b == 0)) return plus ? (F)0 : -(F)0;
        if (product != 0 && product == -c && __cu_fma_side(a, b, c, r) == 0) return -(F)0;
    }
    return __cu_rounded(r, __cu_fma_side(a, b, c, r), mode);
}

#define __CU_ROUNDED(F, f, fma, mode, M)                                                                             \
    static inline F __##f##add_##mode(F x, F y) { return __cu_add(x, y, M); }                                        \
    static inline F __##f##sub_##mode(F x, F y) { return __cu_add(x, -y, M); }                                       \
    static inline F __##f##mul_##mode(F x, F y) { return __cu_mul(x, y, M); }                                        \
    static inline F __##f##div_##mode(F x, F y) { return __cu_div(x, y, M); }                                        \
    static inline F __##f##rcp_##mode(F x) { return __cu_div((F)1, x, M); }                                          \
    static inline F __##f##sqrt_##mode(F x) { return __cu_root(x, M); }                                              \
    static inline F __##fma##_##mode(F x, F y, F z)                                                                  \
    {                                                                                                                \
        return __cu_fused(x, y, z, __builtin_##fma(x, y, z), x * y, M);                                              \
    }
__CU_ROUNDED(float, f, fmaf, rn, __CU_RN) __CU_ROUNDED(double, d, fma, rn, __CU_RN)
__CU_ROUNDED(float, f, fmaf, rz, __CU_RZ) __CU_ROUNDED(double, d, fma, rz, __CU_RZ)
__CU_ROUNDED(float, f, fmaf, rd, __CU_RD) __CU_ROUNDED(double, d, fma, rd, __CU_RD)
__CU_ROUNDED(float, f, fmaf, ru, __CU_RU) __CU_ROUNDED(double, d, fma, ru, __CU_RU)
#undef __CU_ROUNDED
#define __fmaf_ieee_rn __fmaf_rn
#define __fmaf_ieee_rz __fmaf_rz
#define __fmaf_ieee_rd __fmaf_rd
#define __fmaf_ieee_ru __fmaf_ru

/* 1 / sqrt(x) to the nearest: the neighbours' middles are compared, m * m * x with 1. */
static inline float __frsqrt_rn(float x)
{
    float r = (float)(1 / sqrt((double)x));
    if (!(x > 0) || !__cu_finite(x)) return r;
    double up = ((double)r + __cu_above(r)) / 2, down = ((double)r + __cu_below(r)) / 2;
    if (__builtin_fma(up * up, (double)x, -1) < 0) return __cu_above(r);
    return __builtin_fma(down * down, (double)x, -1) > 0 ? __cu_below(r) : r;
}

/* --- conversions to floating point: of integers, and of double to float --- */
template <class F, class I> static inline F __cu_of_integer(I x, __cu_mode mode)
{
    F r = (F)x;
    __int128 back = (__int128)r; /* at most 2^64 */
    return __cu_rounded(r, (x > back) - (x < back), mode);
}
static inline float __cu_of_double(double x, __cu_mode mode)
{
    float r = (float)x;
    return __cu_rounded(r, (x > r) - (x < r), mode);
}
/* Toward zero, with an odd last place where something was lost: rounded once more, to 22 bits or fewer, that is what
 * one rounding gives. */
static inline float __cu_odd(double x)
{
    float r = __cu_of_double(x, __CU_RZ);
    return (double)r == x || x != x ? r : __uint_as_float(__float_as_uint(r) | 1);
}
template <class I> static inline float __cu_odd_of_integer(I x)
{
    float r = __cu_of_integer<float>(x, __CU_RZ);
    return (__int128)r == x ? r : __uint_as_float(__float_as_uint(r) | 1);
}
#define __CU_TO_FLOATING(mode, M)                                                                                    \
    static inline float __int2float_##mode(int x) { return __cu_of_integer<float>(x, M); }                           \
    static inline float __uint2float_##mode(unsigned x) { return __cu_of_integer<float>(x, M); }                     \
    static inline float __ll2float_##mode(long long x) { return __cu_of_integer<float>(x, M); }                      \
    static inline float __ull2float_##mode(unsigned long long x) { return __cu_of_integer<float>(x, M); }            \
    static inline double __ll2double_##mode(long long x) { return __cu_of_integer<double>(x, M); }                   \
    static inline double __ull2double_##mode(unsigned long long x) { return __cu_of_integer<double>(x, M); }         \
    static inline float __double2float_##mode(double x) { return __cu_of_double(x, M); }
__CU_TO_FLOATING(rn, __CU_RN) __CU_TO_FLOATING(rz, __CU_RZ)
__CU_TO_FLOATING(rd, __CU_RD) __CU_TO_FLOATING(ru, __CU_RU)
#undef __CU_TO_FLOATING
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }

/* --- to integers, which saturate; NaN is 0, but of or to 64 bits the number with the highest bit alone --- */
template <class I, class F> static inline I __cu_whole(F x, I nan)
{
    constexpr bool is_signed = I(-1) < I(0);
    constexpr int bits = 8 * sizeof(I) - is_signed;
    constexpr I most = (I)(~0ull >> (64 - bits)), least = is_signed ? (I)(-most - 1) : (I)0;
    const F above = (F)(1ull << (bits - 1)) * 2;
    if (x != x) return nan;
    return x >= above ? most : x < (F)least ? least : (I)x;
}
#define __CU_WHOLE(from, F, to, I, nan)                                                       \
    static inline I __##from##2##to##_rn(F x) { return __cu_whole<I, F>(rint(x), nan); }      \
    static inline I __##from##2##to##_rz(F x) { return __cu_whole<I, F>(trunc(x), nan); }     \
    static inline I __##from##2##to##_rd(F x) { return __cu_whole<I, F>(floor(x), nan); }     \
    static inline I __##from##2##to##_ru(F x) { return __cu_whole<I, F>(ceil(x), nan); }
__CU_WHOLE(float, float, int, int, 0)
__CU_WHOLE(float, float, uint, unsigned, 0)
__CU_WHOLE(float, float, ll, long long, (long long)(1ull << 63))
__CU_WHOLE(float, float, ull, unsigned long long, 1ull << 63)
__CU_WHOLE(double, double, int, int, (int)(1u << 31))
__CU_WHOLE(double, double, uint, unsigned, 1u << 31)
__CU_WHOLE(double, double, ll, long long, (long long)(1ull << 63))
__CU_WHOLE(double, double, ull, unsigned long long, 1ull << 63)
#undef __CU_WHOLE
