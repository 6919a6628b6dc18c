/* Integer intrinsics, and bits of floating-point numbers as integers. */
#pragma once

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline int __mul24(int x, int y) { return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8)); }
static inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
static inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
static inline unsigned __sad(int x, int y, unsigned z)
{
    return z + (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x);
}
static inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
static inline int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
static inline int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
static inline unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) {
        unsigned pick = s >> 4 * i & 15, byte = (unsigned)(bytes >> 8 * (pick & 7)) & 255;
        r |= (pick & 8 ? byte & 128 ? 255u : 0u : byte) << 8 * i;
    }
    return r;
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31));
}

#define __CU_BITS(name, from, to) \
    static inline to name(from x) { to r; __builtin_memcpy(&r, &x, sizeof r); return r; }
__CU_BITS(__float_as_int, float, int)
__CU_BITS(__float_as_uint, float, unsigned)
__CU_BITS(__int_as_float, int, float)
__CU_BITS(__uint_as_float, unsigned, float)
__CU_BITS(__double_as_longlong, double, long long)
__CU_BITS(__longlong_as_double, long long, double)
#undef __CU_BITS
static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline double __hiloint2double(int hi, int lo)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}

/* A conversion to an integer saturates, and NaN becomes 0, as a GPU has it. */
template <class I> static inline I __cu_saturated(double x, double low, double above)
{
    return x != x ? 0 : x < low ? (I)low : x >= above ? (I)(above - 1 > 4e15 ? ~0ull >> (I(-1) < 0) : above - 1) : (I)x;
}
static inline int __cu_int(double x) { return __cu_saturated<int>(x, -2147483648., 2147483648.); }
static inline unsigned __cu_uint(double x) { return __cu_saturated<unsigned>(x, 0, 4294967296.); }
static inline long long __cu_ll(double x) { return __cu_saturated<long long>(x, -0x1p63, 0x1p63); }
static inline unsigned long long __cu_ull(double x) { return __cu_saturated<unsigned long long>(x, 0, 0x1p64); }
#define __CU_CONVERSIONS(from, type)                                                               \
    static inline int __##from##2int_rn(type x) { return __cu_int(rint((double)x)); }              \
    static inline int __##from##2int_rz(type x) { return __cu_int(trunc((double)x)); }             \
    static inline int __##from##2int_rd(type x) { return __cu_int(floor((double)x)); }             \
    static inline int __##from##2int_ru(type x) { return __cu_int(ceil((double)x)); }              \
    static inline unsigned __##from##2uint_rn(type x) { return __cu_uint(rint((double)x)); }       \
    static inline unsigned __##from##2uint_rz(type x) { return __cu_uint(trunc((double)x)); }      \
    static inline unsigned __##from##2uint_rd(type x) { return __cu_uint(floor((double)x)); }      \
    static inline unsigned __##from##2uint_ru(type x) { return __cu_uint(ceil((double)x)); }       \
    static inline long long __##from##2ll_rn(type x) { return __cu_ll(rint((double)x)); }          \
    static inline long long __##from##2ll_rz(type x) { return __cu_ll(trunc((double)x)); }         \
    static inline unsigned long long __##from##2ull_rn(type x) { return __cu_ull(rint((double)x)); } \
    static inline unsigned long long __##from##2ull_rz(type x) { return __cu_ull(trunc((double)x)); }
__CU_CONVERSIONS(float, float)
__CU_CONVERSIONS(double, double)
#undef __CU_CONVERSIONS
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __ll2float_rn(long long x) { return (float)x; }
static inline float __ull2float_rn(unsigned long long x) { return (float)x; }
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }
static inline double __ll2double_rn(long long x) { return (double)x; }
static inline double __ull2double_rn(unsigned long long x) { return (double)x; }
static inline float __double2float_rn(double x) { return (float)x; }
