/* What CUDA's half and bfloat16 have, once for both: stored in 16 bits, computed as float and rounded once, which for
 * sums, products, quotients and roots is what arithmetic of these types gives. cuda_fp16.h and cuda_bf16.h name the
 * types and include small_float.inc. In macros T is the type, R its bits, V two of them, N the word in functions'
 * names. */
#pragma once
#include "cuprite_device.h"
#include "rounding.h"

/* p + c to 24 bits, odd where something is lost: s is their sum in double. */
static inline float __cu_odd_sum(double p, double c, double s)
{
    double lost = __cu_lost(p, c, s);
    float r = __cu_odd(s);
    if (!(lost != 0) || !__cu_finite(s)) return r;
    if ((double)r != s) return r; /* odd already, and what is lost is far below */
    return lost > 0 == r > 0 ? __uint_as_float(__float_as_uint(r) | 1) : __uint_as_float((__float_as_uint(r) - 1) | 1);
}
/* Where an integer of at most 64 bits lies beside what it was made. */
static inline int __cu_integer_side(__int128 x, float made)
{
    if (!__cu_finite(made)) return -__cu_sign(made);
    return (x > (__int128)made) - (x < (__int128)made);
}
/* A small float beside the nearest one, by its bits. */
template <class T> static inline T __cu_small_rounded(T r, int side, __cu_mode mode)
{
    const float f = (float)r;
    if (f == 0 && side != 0 && mode != __CU_RZ && mode != __CU_RN) {
        if (side > 0) return mode == __CU_RU ? T(decltype(__cu_raw(r)){1}) : r;
        return mode == __CU_RD ? T(decltype(__cu_raw(r)){0x8001}) : r;
    }
    if (mode == __CU_RZ) mode = f > 0 ? __CU_RD : f < 0 ? __CU_RU : __CU_RN;
    unsigned short up = (unsigned short)(r.__x + (f > 0 ? 1 : -1)), down = (unsigned short)(r.__x - (f > 0 ? 1 : -1));
    if (mode == __CU_RU && side > 0) return T(decltype(__cu_raw(r)){up});
    if (mode == __CU_RD && side < 0) return T(decltype(__cu_raw(r)){down});
    return r;
}

/* m with its arguments' macros replaced */
#define __CU_WITH(m, ...) m(__VA_ARGS__)
#define __CU_JOIN(a, b) a##b

#define __CU_SMALL_FROM(T, N, mode, M)                                                                                \
    static inline T __float2##N##_##mode(float x)                                                                     \
    {                                                                                                                 \
        return __cu_small_rounded(T(x), (x > (float)T(x)) - (x < (float)T(x)), M);                                    \
    }                                                                                                                 \
    static inline T __cu_##N##_of_##mode(__int128 x, T r)                                                             \
    {                                                                                                                 \
        const float back = (float)r;                                                                                  \
        return __cu_small_rounded(r, __cu_integer_side(x, back), M);                                                  \
    }                                                                                                                 \
    static inline T __int2##N##_##mode(int x) { return __cu_##N##_of_##mode(x, T(x)); }                               \
    static inline T __uint2##N##_##mode(unsigned x) { return __cu_##N##_of_##mode(x, T(x)); }                         \
    static inline T __short2##N##_##mode(short x) { return __cu_##N##_of_##mode(x, T(x)); }                           \
    static inline T __ushort2##N##_##mode(unsigned short x) { return __cu_##N##_of_##mode(x, T(x)); }                 \
    static inline T __ll2##N##_##mode(long long x) { return __cu_##N##_of_##mode(x, T(x)); }                          \
    static inline T __ull2##N##_##mode(unsigned long long x) { return __cu_##N##_of_##mode(x, T(x)); }
#define __CU_SMALL_TO(T, N, mode)                                                                                     \
    static inline int __##N##2int_##mode(T x) { return __float2int_##mode((float)x); }                                \
    static inline unsigned __##N##2uint_##mode(T x) { return __float2uint_##mode((float)x); }                         \
    static inline long long __##N##2ll_##mode(T x) { return __float2ll_##mode((float)x); }                            \
    static inline unsigned long long __##N##2ull_##mode(T x) { return __float2ull_##mode((float)x); }                 \
    static inline short __##N##2short_##mode(T x) { return (short)__cu_clamped<short>(__float2int_##mode((float)x)); }\
    static inline unsigned short __##N##2ushort_##mode(T x)                                                           \
    {                                                                                                                 \
        return (unsigned short)__cu_clamped<unsigned short>(__float2int_##mode((float)x));                            \
    }
#define __CU_SMALL_TO_CHAR(T, N)                                                                                      \
    static inline signed char __##N##2char_rz(T x)                                                                    \
    {                                                                                                                 \
        return (signed char)__cu_clamped<signed char>(__float2int_rz((float)x));                                      \
    }                                                                                                                 \
    static inline unsigned char __##N##2uchar_rz(T x)                                                                 \
    {                                                                                                                 \
        return (unsigned char)__cu_clamped<unsigned char>(__float2int_rz((float)x));                                  \
    }
#define __CU_SMALL_NAMES(T, R, N)                                                                                     \
    static inline float __##N##2float(T a) { return (float)a; }                                                       \
    static inline double __##N##2double(T a) { return (double)(float)a; }                                             \
    static inline T __float2##N(float a) { return T(a); }                                                             \
    static inline T __double2##N(double a) { return T(a); }                                                           \
    static inline unsigned short __##N##_as_ushort(T a) { return a.__x; }                                             \
    static inline T __ushort_as_##N(unsigned short a) { return T(R{a}); }                                             \
    static inline short __##N##_as_short(T a) { return (short)a.__x; }                                                \
    static inline T __short_as_##N(short a) { return T(R{(unsigned short)a}); }
#define __CU_SMALL_PAIR_NAMES(T, V, N)                                                                                \
    static inline V __halves2##N##2(T a, T b) { return {a, b}; }                                                      \
    static inline V __##N##2##N##2(T a) { return {a, a}; }                                                            \
    static inline V __float2##N##2_rn(float a) { return {T(a), T(a)}; }                                               \
    static inline V __floats2##N##2_rn(float a, float b) { return {T(a), T(b)}; }                                     \
    static inline float2 __##N##22float2(V a) { return make_float2((float)a.x, (float)a.y); }                         \
    static inline V __float22##N##2_rn(float2 a) { return {T(a.x), T(a.y)}; }                                         \
    static inline V __low2##N##2(V a) { return {a.x, a.x}; }                                                          \
    static inline V __high2##N##2(V a) { return {a.y, a.y}; }                                                         \
    static inline V __lows2##N##2(V a, V b) { return {a.x, b.x}; }                                                    \
    static inline V __highs2##N##2(V a, V b) { return {a.y, b.y}; }                                                   \
    static inline T __low2##N(V a) { return a.x; }                                                                    \
    static inline T __high2##N(V a) { return a.y; }
#define __CU_SMALL_OPERATION(T, V, name, op)                                                                          \
    static inline T __h##name(T a, T b) { return a op b; }                                                            \
    static inline V __h##name##2(V a, V b) { return {a.x op b.x, a.y op b.y}; }                                       \
    static inline T __h##name##_rn(T a, T b) { return a op b; }                                                       \
    static inline V __h##name##2_rn(V a, V b) { return {a.x op b.x, a.y op b.y}; }                                    \
    static inline T __h##name##_sat(T a, T b) { return T(__saturatef((float)(a op b))); }                             \
    static inline V __h##name##2_sat(V a, V b) { return {__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)}; }
#define __CU_SMALL_EXTREME(T, V, name)                                                                                \
    static inline T __h##name(T a, T b) { return T(f##name##f((float)a, (float)b)); }                                 \
    static inline V __h##name##2(V a, V b) { return {__h##name(a.x, b.x), __h##name(a.y, b.y)}; }                     \
    static inline T __h##name##_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __h##name(a, b); }         \
    static inline V __h##name##2_nan(V a, V b) { return {__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y)}; }
#define __CU_SMALL_COMPARE(T, V, name, op)                                                                            \
    static inline bool __h##name(T a, T b) { return a op b && !__hisnan(a) && !__hisnan(b); }                         \
    static inline bool __h##name##u(T a, T b) { return __hisnan(a) || __hisnan(b) || a op b; }                        \
    __CU_SMALL_COMPARE_2(T, V, name) __CU_SMALL_COMPARE_2(T, V, name##u)
#define __CU_SMALL_COMPARE_2(T, V, name)                                                                              \
    static inline V __h##name##2(V a, V b) { return {T((int)__h##name(a.x, b.x)), T((int)__h##name(a.y, b.y))}; }     \
    static inline bool __hb##name##2(V a, V b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }                 \
    static inline unsigned __h##name##2_mask(V a, V b)                                                                \
    {                                                                                                                 \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);                         \
    }
#define __CU_SMALL_FUNCTION(T, V, name, e)                                                                            \
    static inline T h##name(T a) { const float x = (float)a; return T(e); }                                           \
    static inline V h2##name(V a) { return {h##name(a.x), h##name(a.y)}; }
