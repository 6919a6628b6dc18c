/* CUDA's half precision on the CPU: stored in 16 bits, computed as float and rounded once, which for sums, products,
 * quotients and roots is what half arithmetic gives. */
#pragma once
#include "cuprite_device.h"

/* By the bits, without branches, so that loops become vectors. */
static inline float __cu_from_half(unsigned short h)
{
    unsigned sign = (h & 0x8000u) << 16, body = (h & 0x7fffu) << 13;
    float normal = __uint_as_float(body + 0x38000000u);
    float small = __uint_as_float(body + 0x38800000u) - __uint_as_float(0x38800000u);
    float big = __uint_as_float(body | 0x7f800000u);
    float m = body < 0x00800000u ? small : body >= 0x0f800000u ? big : normal;
    return __uint_as_float(__float_as_uint(m) | sign);
}
static inline unsigned short __cu_to_half(float f)
{
    unsigned u = __float_as_uint(f), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    unsigned normal = (a + 0x0fffu + (a >> 13 & 1u) - 0x38000000u) >> 13;
    unsigned small = __float_as_uint(__uint_as_float(a < 0x38800000u ? a : 0) + 0.5f) - 0x3f000000u;
    unsigned r = a > 0x7f800000u    ? 0x7e00u | (a >> 13 & 0x3ffu)
                 : a >= 0x477ff000u ? 0x7c00u
                 : a < 0x38800000u  ? small
                                    : normal;
    return (unsigned short)(r | sign);
}

#define __CU_FROM __cu_from_half
#define __CU_TO __cu_to_half

struct __half_raw { unsigned short x; };
struct __half {
    unsigned short __x;
    __half() = default;
    __half(__half_raw r) : __x(r.x) {}
    __half(float f) : __x(__CU_TO(f)) {}
    __half(double f) : __x(__CU_TO((float)f)) {}
    __half(int i) : __x(__CU_TO((float)i)) {}
    __half(unsigned i) : __x(__CU_TO((float)i)) {}
    __half(long i) : __x(__CU_TO((float)i)) {}
    __half(unsigned long i) : __x(__CU_TO((float)i)) {}
    __half(long long i) : __x(__CU_TO((float)i)) {}
    __half(unsigned long long i) : __x(__CU_TO((float)i)) {}
    __half(short i) : __x(__CU_TO((float)i)) {}
    __half(unsigned short i) : __x(__CU_TO((float)i)) {}
    operator float() const { return __CU_FROM(__x); }
    operator __half_raw() const { return {__x}; }
    explicit operator bool() const { return (__x & 0x7fff) != 0; }
    __half &operator+=(const __half &o) { return *this = __half((float)*this + (float)o); }
    __half &operator-=(const __half &o) { return *this = __half((float)*this - (float)o); }
    __half &operator*=(const __half &o) { return *this = __half((float)*this * (float)o); }
    __half &operator/=(const __half &o) { return *this = __half((float)*this / (float)o); }
    __half &operator++() { return *this += __half(1); }
    __half &operator--() { return *this -= __half(1); }
};
typedef __half half;
typedef __half nv_half;
static inline __half operator+(const __half &a, const __half &b) { return __half((float)a + (float)b); }
static inline __half operator-(const __half &a, const __half &b) { return __half((float)a - (float)b); }
static inline __half operator*(const __half &a, const __half &b) { return __half((float)a * (float)b); }
static inline __half operator/(const __half &a, const __half &b) { return __half((float)a / (float)b); }
static inline __half operator-(const __half &a) { return __half(__half_raw{(unsigned short)(a.__x ^ 0x8000)}); }
static inline __half operator+(const __half &a) { return a; }
static inline bool operator==(const __half &a, const __half &b) { return (float)a == (float)b; }
static inline bool operator!=(const __half &a, const __half &b) { return (float)a != (float)b; }
static inline bool operator<(const __half &a, const __half &b) { return (float)a < (float)b; }
static inline bool operator>(const __half &a, const __half &b) { return (float)a > (float)b; }
static inline bool operator<=(const __half &a, const __half &b) { return (float)a <= (float)b; }
static inline bool operator>=(const __half &a, const __half &b) { return (float)a >= (float)b; }

struct __attribute__((aligned(4))) __half2 { __half x, y; };
typedef __half2 half2;
static inline float __half2float(__half a) { return (float)a; }
static inline __half __float2half(float a) { return __half(a); }
static inline __half __float2half_rn(float a) { return __half(a); }
static inline __half __double2half(double a) { return __half(a); }
static inline __half __int2half_rn(int a) { return __half(a); }
static inline __half __uint2half_rn(unsigned a) { return __half(a); }
static inline int __half2int_rn(__half a) { return __float2int_rn((float)a); }
static inline int __half2int_rz(__half a) { return __float2int_rz((float)a); }
static inline unsigned short __half_as_ushort(__half a) { return a.__x; }
static inline __half __ushort_as_half(unsigned short a) { return __half(__half_raw{a}); }
static inline short __half_as_short(__half a) { return (short)a.__x; }
static inline __half __short_as_half(short a) { return __half(__half_raw{(unsigned short)a}); }
static inline __half2 __halfs2half2(__half a, __half b) { return {a, b}; }
static inline __half2 __half2half2(__half a) { return {a, a}; }
static inline __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
static inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
static inline float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
static inline __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
static inline float __low2float(__half2 a) { return (float)a.x; }
static inline float __high2float(__half2 a) { return (float)a.y; }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline __half2 make_half2(__half a, __half b) { return {a, b}; }
static inline __half __hadd(__half a, __half b) { return a + b; }
static inline __half2 __hadd2(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
static inline __half2 operator+(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
static inline __half __hsub(__half a, __half b) { return a - b; }
static inline __half2 __hsub2(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
static inline __half2 operator-(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
static inline __half __hmul(__half a, __half b) { return a * b; }
static inline __half2 __hmul2(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
static inline __half2 operator*(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
static inline __half __hdiv(__half a, __half b) { return a / b; }
static inline __half2 __h2div(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
static inline __half2 operator/(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
/* Rounded once: the product is exact in double, and so is the sum but for its last bits. */
static inline __half __hfma(__half a, __half b, __half c)
{
    return __half((float)((double)(float)a * (float)b + (float)c));
}
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
static inline __half __hneg(__half a) { return -a; }
static inline __half2 __hneg2(__half2 a) { return {-a.x, -a.y}; }
static inline __half __habs(__half a) { return __half(__half_raw{(unsigned short)(a.__x & 0x7fff)}); }
static inline __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
static inline bool __hisnan(__half a) { return __builtin_isnan((float)a); }
static inline int __hisinf(__half a) { return __builtin_isinf((float)a); }
static inline __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
static inline __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
static inline __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
static inline __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
static inline bool __heq(__half a, __half b) { return a == b; }
static inline bool __hne(__half a, __half b) { return a != b; }
static inline bool __hlt(__half a, __half b) { return a < b; }
static inline bool __hgt(__half a, __half b) { return a > b; }
static inline bool __hle(__half a, __half b) { return a <= b; }
static inline bool __hge(__half a, __half b) { return a >= b; }
static inline __half hsqrt(__half a) { return __half(sqrtf((float)a)); }
static inline __half2 h2sqrt(__half2 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
static inline __half hexp(__half a) { return __half(expf((float)a)); }
static inline __half2 h2exp(__half2 a) { return {hexp(a.x), hexp(a.y)}; }
static inline __half hexp2(__half a) { return __half(exp2f((float)a)); }
static inline __half2 h2exp2(__half2 a) { return {hexp2(a.x), hexp2(a.y)}; }
static inline __half hexp10(__half a) { return __half(exp10f((float)a)); }
static inline __half2 h2exp10(__half2 a) { return {hexp10(a.x), hexp10(a.y)}; }
static inline __half hlog(__half a) { return __half(logf((float)a)); }
static inline __half2 h2log(__half2 a) { return {hlog(a.x), hlog(a.y)}; }
static inline __half hlog2(__half a) { return __half(log2f((float)a)); }
static inline __half2 h2log2(__half2 a) { return {hlog2(a.x), hlog2(a.y)}; }
static inline __half hlog10(__half a) { return __half(log10f((float)a)); }
static inline __half2 h2log10(__half2 a) { return {hlog10(a.x), hlog10(a.y)}; }
static inline __half hsin(__half a) { return __half(sinf((float)a)); }
static inline __half2 h2sin(__half2 a) { return {hsin(a.x), hsin(a.y)}; }
static inline __half hcos(__half a) { return __half(cosf((float)a)); }
static inline __half2 h2cos(__half2 a) { return {hcos(a.x), hcos(a.y)}; }
static inline __half hfloor(__half a) { return __half(floorf((float)a)); }
static inline __half2 h2floor(__half2 a) { return {hfloor(a.x), hfloor(a.y)}; }
static inline __half hceil(__half a) { return __half(ceilf((float)a)); }
static inline __half2 h2ceil(__half2 a) { return {hceil(a.x), hceil(a.y)}; }
static inline __half htrunc(__half a) { return __half(truncf((float)a)); }
static inline __half2 h2trunc(__half2 a) { return {htrunc(a.x), htrunc(a.y)}; }
static inline __half hrint(__half a) { return __half(rintf((float)a)); }
static inline __half2 h2rint(__half2 a) { return {hrint(a.x), hrint(a.y)}; }
static inline __half hrsqrt(__half a) { return __half(rsqrtf((float)a)); }
static inline __half hrcp(__half a) { return __half(1 / (float)a); }
static inline __half htanh(__half a) { return __half(tanhf((float)a)); }
#undef __CU_FROM
#undef __CU_TO
