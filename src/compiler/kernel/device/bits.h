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
        unsigned pick = s >> 4 * i & 7;
        r |= ((unsigned)(bytes >> 8 * pick) & 255) << 8 * i;
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

/* Shifts by 32 or more are shifts by 32. */
static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n)
{
    return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n)
{
    return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}
static inline unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
/* The place of the n-th bit that is set from `base` on, counted upward, or for n < 0 downward; all ones: none. */
static inline unsigned __fns(unsigned mask, unsigned base, int n)
{
    if (n == 0) return base < 32 && mask >> base & 1 ? base : ~0u;
    const int step = n > 0 ? 1 : -1;
    int left = n > 0 ? n : -n;
    for (int i = (int)base; i >= 0 && i < 32; i += step)
        if (mask >> i & 1 && --left == 0) return (unsigned)i;
    return ~0u;
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

/* The nearest number that T has. */
template <class T> static inline int __cu_clamped(int x)
{
    constexpr bool is_signed = T(-1) < T(0);
    constexpr int most = is_signed ? (1 << (8 * sizeof(T) - 1)) - 1 : (1 << 8 * sizeof(T)) - 1;
    constexpr int least = is_signed ? -most - 1 : 0;
    return x > most ? most : x < least ? least : x;
}
