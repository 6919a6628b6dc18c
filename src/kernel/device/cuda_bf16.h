/* CUDA's bfloat16 on the CPU: the upper half of a float; computed as float and rounded once. */
#pragma once
#include "cuprite_device.h"

static inline float __cu_from_bfloat16(unsigned short h) { return __uint_as_float((unsigned)h << 16); }
static inline unsigned short __cu_to_bfloat16(float f)
{
    unsigned u = __float_as_uint(f);
    return f != f ? (unsigned short)0x7fff : (unsigned short)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

#define __CU_FROM __cu_from_bfloat16
#define __CU_TO __cu_to_bfloat16

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x) {}
    __nv_bfloat16(float f) : __x(__CU_TO(f)) {}
    __nv_bfloat16(double f) : __x(__CU_TO((float)f)) {}
    __nv_bfloat16(int i) : __x(__CU_TO((float)i)) {}
    __nv_bfloat16(unsigned i) : __x(__CU_TO((float)i)) {}
    __nv_bfloat16(long i) : __x(__CU_TO((float)i)) {}
    __nv_bfloat16(unsigned long i) : __x(__CU_TO((float)i)) {}
    __nv_bfloat16(long long i) : __x(__CU_TO((float)i)) {}
    __nv_bfloat16(unsigned long long i) : __x(__CU_TO((float)i)) {}
    __nv_bfloat16(short i) : __x(__CU_TO((float)i)) {}
    __nv_bfloat16(unsigned short i) : __x(__CU_TO((float)i)) {}
    operator float() const { return __CU_FROM(__x); }
    operator __nv_bfloat16_raw() const { return {__x}; }
    explicit operator bool() const { return (__x & 0x7fff) != 0; }
    __nv_bfloat16 &operator+=(const __nv_bfloat16 &o) { return *this = __nv_bfloat16((float)*this + (float)o); }
    __nv_bfloat16 &operator-=(const __nv_bfloat16 &o) { return *this = __nv_bfloat16((float)*this - (float)o); }
    __nv_bfloat16 &operator*=(const __nv_bfloat16 &o) { return *this = __nv_bfloat16((float)*this * (float)o); }
    __nv_bfloat16 &operator/=(const __nv_bfloat16 &o) { return *this = __nv_bfloat16((float)*this / (float)o); }
    __nv_bfloat16 &operator++() { return *this += __nv_bfloat16(1); }
    __nv_bfloat16 &operator--() { return *this -= __nv_bfloat16(1); }
};
typedef __nv_bfloat16 nv_bfloat16;
static inline __nv_bfloat16 operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __nv_bfloat16((float)a + (float)b);
}
static inline __nv_bfloat16 operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __nv_bfloat16((float)a - (float)b);
}
static inline __nv_bfloat16 operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __nv_bfloat16((float)a * (float)b);
}
static inline __nv_bfloat16 operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __nv_bfloat16((float)a / (float)b);
}
static inline __nv_bfloat16 operator-(const __nv_bfloat16 &a)
{
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)(a.__x ^ 0x8000)});
}
static inline __nv_bfloat16 operator+(const __nv_bfloat16 &a) { return a; }
static inline bool operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a == (float)b; }
static inline bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a != (float)b; }
static inline bool operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a < (float)b; }
static inline bool operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a > (float)b; }
static inline bool operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a <= (float)b; }
static inline bool operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a >= (float)b; }

struct __attribute__((aligned(4))) __nv_bfloat162 { __nv_bfloat16 x, y; };
typedef __nv_bfloat162 nv_bfloat162;
static inline float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
static inline __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
static inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
static inline __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
static inline __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
static inline __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return __nv_bfloat16(a); }
static inline int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn((float)a); }
static inline int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz((float)a); }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16(__nv_bfloat16_raw{a}); }
static inline short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
static inline __nv_bfloat16 __short_as_bfloat16(short a) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)a}); }
static inline __nv_bfloat162 __bfloat16s2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
static inline __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
static inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
static inline float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
static inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
static inline float __low2float(__nv_bfloat162 a) { return (float)a.x; }
static inline float __high2float(__nv_bfloat162 a) { return (float)a.y; }
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
static inline __nv_bfloat162 make_nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
static inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
static inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x + b.x, a.y + b.y}; }
static inline __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x + b.x, a.y + b.y}; }
static inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
static inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x - b.x, a.y - b.y}; }
static inline __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x - b.x, a.y - b.y}; }
static inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
static inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x * b.x, a.y * b.y}; }
static inline __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x * b.x, a.y * b.y}; }
static inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
static inline __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x / b.x, a.y / b.y}; }
static inline __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x / b.x, a.y / b.y}; }
/* Rounded once: the product is exact in double, and so is the sum but for its last bits. */
static inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __nv_bfloat16((float)((double)(float)a * (float)b + (float)c));
}
static inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
static inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
static inline __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return {-a.x, -a.y}; }
static inline __nv_bfloat16 __habs(__nv_bfloat16 a)
{
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)(a.__x & 0x7fff)});
}
static inline __nv_bfloat162 __habs2(__nv_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
static inline bool __hisnan(__nv_bfloat16 a) { return __builtin_isnan((float)a); }
static inline int __hisinf(__nv_bfloat16 a) { return __builtin_isinf((float)a); }
static inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat16(fmaxf((float)a, (float)b));
}
static inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat16(fminf((float)a, (float)b));
}
static inline __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
static inline __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}
static inline bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return a == b; }
static inline bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return a != b; }
static inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b; }
static inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b; }
static inline bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return a <= b; }
static inline bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return a >= b; }
static inline __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __nv_bfloat16(sqrtf((float)a)); }
static inline __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
static inline __nv_bfloat16 hexp(__nv_bfloat16 a) { return __nv_bfloat16(expf((float)a)); }
static inline __nv_bfloat162 h2exp(__nv_bfloat162 a) { return {hexp(a.x), hexp(a.y)}; }
static inline __nv_bfloat16 hexp2(__nv_bfloat16 a) { return __nv_bfloat16(exp2f((float)a)); }
static inline __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return {hexp2(a.x), hexp2(a.y)}; }
static inline __nv_bfloat16 hexp10(__nv_bfloat16 a) { return __nv_bfloat16(exp10f((float)a)); }
static inline __nv_bfloat162 h2exp10(__nv_bfloat162 a) { return {hexp10(a.x), hexp10(a.y)}; }
static inline __nv_bfloat16 hlog(__nv_bfloat16 a) { return __nv_bfloat16(logf((float)a)); }
static inline __nv_bfloat162 h2log(__nv_bfloat162 a) { return {hlog(a.x), hlog(a.y)}; }
static inline __nv_bfloat16 hlog2(__nv_bfloat16 a) { return __nv_bfloat16(log2f((float)a)); }
static inline __nv_bfloat162 h2log2(__nv_bfloat162 a) { return {hlog2(a.x), hlog2(a.y)}; }
static inline __nv_bfloat16 hlog10(__nv_bfloat16 a) { return __nv_bfloat16(log10f((float)a)); }
static inline __nv_bfloat162 h2log10(__nv_bfloat162 a) { return {hlog10(a.x), hlog10(a.y)}; }
static inline __nv_bfloat16 hsin(__nv_bfloat16 a) { return __nv_bfloat16(sinf((float)a)); }
static inline __nv_bfloat162 h2sin(__nv_bfloat162 a) { return {hsin(a.x), hsin(a.y)}; }
static inline __nv_bfloat16 hcos(__nv_bfloat16 a) { return __nv_bfloat16(cosf((float)a)); }
static inline __nv_bfloat162 h2cos(__nv_bfloat162 a) { return {hcos(a.x), hcos(a.y)}; }
static inline __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __nv_bfloat16(floorf((float)a)); }
static inline __nv_bfloat162 h2floor(__nv_bfloat162 a) { return {hfloor(a.x), hfloor(a.y)}; }
static inline __nv_bfloat16 hceil(__nv_bfloat16 a) { return __nv_bfloat16(ceilf((float)a)); }
static inline __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return {hceil(a.x), hceil(a.y)}; }
static inline __nv_bfloat16 htrunc(__nv_bfloat16 a) { return __nv_bfloat16(truncf((float)a)); }
static inline __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return {htrunc(a.x), htrunc(a.y)}; }
static inline __nv_bfloat16 hrint(__nv_bfloat16 a) { return __nv_bfloat16(rintf((float)a)); }
static inline __nv_bfloat162 h2rint(__nv_bfloat162 a) { return {hrint(a.x), hrint(a.y)}; }
static inline __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __nv_bfloat16(rsqrtf((float)a)); }
static inline __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __nv_bfloat16(1 / (float)a); }
static inline __nv_bfloat16 htanh(__nv_bfloat16 a) { return __nv_bfloat16(tanhf((float)a)); }
#undef __CU_FROM
#undef __CU_TO
