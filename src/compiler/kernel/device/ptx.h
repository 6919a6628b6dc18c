/* What ptx.c writes for inline PTX: registers, and instructions whose name is a function of ours. */
#pragma once

/* Registers hold bits: a number becomes one of another kind by its bits, an integer one of another width by its
 * value. */
template <class T, class U> static inline T __cu_as(U v)
{
    if constexpr (sizeof(T) == sizeof(U) && (__cu_is_real<T>::value != __cu_is_real<U>::value)) {
        T r;
        __builtin_memcpy(&r, &v, sizeof r);
        return r;
    } else {
        return (T)v;
    }
}
/* An operand as a register holds it, and back: pointers are 64 bits. */
template <class R, class T> static inline R __cu_operand(T v)
{
    if constexpr (sizeof(R) == sizeof(T) && (__cu_is_real<R>::value || __cu_is_real<T>::value)) return __cu_as<R>(v);
    else return (R)v;
}
template <class T, class R> static inline void __cu_result(T &to, R v)
{
    if constexpr (sizeof(R) == sizeof(T) && (__cu_is_real<R>::value || __cu_is_real<T>::value)) to = __cu_as<T>(v);
    else to = (T)v;
}
template <class R, class U> static inline void __cu_set(R &to, U v) { to = __cu_as<R>(v); }
static __thread unsigned __cu_carry; /* CC.CF, which lasts from one instruction to the next */

template <unsigned long> struct __cu_width_of {};
template <> struct __cu_width_of<1> { typedef unsigned char word; typedef short wide; typedef unsigned short uwide; };
template <> struct __cu_width_of<2> { typedef unsigned short word; typedef int wide; typedef unsigned uwide; };
template <> struct __cu_width_of<4> {
    typedef unsigned word;
    typedef long long wide;
    typedef unsigned long long uwide;
};
template <> struct __cu_width_of<8> {
    typedef unsigned long long word;
    typedef __int128 wide;
    typedef unsigned __int128 uwide;
};
template <class T> using __cu_unsigned = typename __cu_width_of<sizeof(T)>::word;
template <bool, class A, class B> struct __cu_either { typedef A type; };
template <class A, class B> struct __cu_either<false, A, B> { typedef B type; };
template <class T> using __cu_wide = typename __cu_either<T(-1) < T(0), typename __cu_width_of<sizeof(T)>::wide,
                                                          typename __cu_width_of<sizeof(T)>::uwide>::type;

static inline bool __cu_ptx_inverted(bool a) { return !a; }
template <class T> static inline T __cu_ptx_inverted(T a) { return (T)~a; }
#define __CU_PTX_1(name, e) template <class T> static inline auto __cu_ptx_##name(T a) { return e; }
#define __CU_PTX_2(name, e) template <class T> static inline auto __cu_ptx_##name(T a, T b) { return e; }
#define __CU_PTX_3(name, e) template <class T> static inline auto __cu_ptx_##name(T a, T b, T c) { return e; }
/* Integers wrap. */
#define __CU_WRAP(e) ((T)(e))
template <class T, bool real = __cu_is_real<T>::value> struct __cu_wrapping { typedef __cu_unsigned<T> word; };
template <class T> struct __cu_wrapping<T, true> { typedef T word; };
#define __CU_W(v) ((typename __cu_wrapping<T>::word)(v))
__CU_PTX_2(add, (T)(__CU_W(a) + __CU_W(b)))
__CU_PTX_2(sub, (T)(__CU_W(a) - __CU_W(b)))
__CU_PTX_2(mul, a * b)
__CU_PTX_2(mul_lo, (T)((__cu_wide<T>)a * b))
__CU_PTX_2(mul_hi, (T)((__cu_wide<T>)a * b >> 8 * sizeof(T)))
__CU_PTX_2(mul_wide, (__cu_wide<T>)a * b)
__CU_PTX_3(mad, a * b + c)
__CU_PTX_3(mad_lo, (T)((__cu_wide<T>)a * b + c))
__CU_PTX_3(mad_hi, (T)(__CU_W((__cu_wide<T>)a * b >> 8 * sizeof(T)) + __CU_W(c)))
template <class T> static inline auto __cu_ptx_mad_wide(T a, T b, __cu_wide<T> c) { return (__cu_wide<T>)a * b + c; }
__CU_PTX_3(fma, fma(a, b, c))
/* The quotient by 0 has all bits set; the least number by -1 is itself. */
template <class T> static inline T __cu_ptx_div(T a, T b)
{
    if constexpr (__cu_is_real<T>::value) return a / b;
    else return !b ? (T)~(T)0 : b == (T)-1 && T(-1) < T(0) ? (T)(0 - __CU_W(a)) : (T)(a / b);
}
template <class T> static inline T __cu_ptx_rem(T a, T b)
{
    return !b ? a : b == (T)-1 && T(-1) < T(0) ? (T)0 : (T)(a % b);
}
template <class T> static inline T __cu_ptx_min(T a, T b)
{
    if constexpr (__cu_is_real<T>::value) return fmin(a, b);
    else return b < a ? b : a;
}
template <class T> static inline T __cu_ptx_max(T a, T b)
{
    if constexpr (__cu_is_real<T>::value) return fmax(a, b);
    else return a < b ? b : a;
}
__CU_PTX_1(neg, (T)(-__CU_W(a)))
template <class T> static inline T __cu_ptx_abs(T a)
{
    if constexpr (__cu_is_real<T>::value) return fabs(a);
    else return a < 0 ? (T)(-__CU_W(a)) : a;
}
__CU_PTX_1(mov, a)
__CU_PTX_1(not, __cu_ptx_inverted(a))
__CU_PTX_1(cnot, (T)(a == 0))
__CU_PTX_2(and, (T)(a & b))
__CU_PTX_2(or, (T)(a | b))
__CU_PTX_2(xor, (T)(a ^ b))
/* Shifts by more than the width are shifts by the width. */
template <class T> static inline T __cu_ptx_shl(T a, unsigned n)
{
    return n >= 8 * sizeof(T) ? (T)0 : (T)(__CU_W(a) << n);
}
template <class T> static inline T __cu_ptx_shr(T a, unsigned n)
{
    const unsigned most = 8 * sizeof(T) - 1;
    return n <= most ? (T)(a >> n) : T(-1) < T(0) ? (T)(a >> most) : (T)0;
}
__CU_PTX_1(popc, (unsigned)__popcll((unsigned long long)(__cu_unsigned<T>)a))
__CU_PTX_1(clz, (unsigned)(__clzll((long long)(__cu_unsigned<T>)a) - (64 - 8 * (int)sizeof(T))))
__CU_PTX_1(brev, (T)(__brevll((unsigned long long)a) >> (64 - 8 * sizeof(T))))
/* The highest bit that differs from the sign; all ones: there is none. */
template <class T> static inline unsigned __cu_ptx_bfind(T a)
{
    const __cu_unsigned<T> v = a < 0 ? (__cu_unsigned<T>)~a : (__cu_unsigned<T>)a;
    return v ? 63u - (unsigned)__clzll((long long)v) : ~0u;
}
template <class T> static inline unsigned __cu_ptx_bfind_shiftamt(T a)
{
    const unsigned n = __cu_ptx_bfind(a);
    return n == ~0u ? n : 8 * (unsigned)sizeof(T) - 1 - n;
}
/* n bits from `at` on; beyond the number there is its sign. */
template <class T> static inline T __cu_ptx_bfe(T a, unsigned at, unsigned n)
{
    const unsigned width = 8 * sizeof(T);
    at &= 255, n &= 255;
    if (!n) return 0;
    const unsigned end = at + n - 1 < width - 1 ? at + n - 1 : width - 1;
    const bool sign = T(-1) < T(0) && ((__cu_unsigned<T>)a >> end & 1);
    __cu_unsigned<T> r = at < width ? (__cu_unsigned<T>)a >> at : 0;
    const unsigned have = at < width ? end - at + 1 : 0;
    if (have < width) r &= ((__cu_unsigned<T>)1 << have) - 1;
    if (sign && have < width) r |= (__cu_unsigned<T>)~(__cu_unsigned<T>)0 << have;
    return (T)r;
}
template <class T> static inline T __cu_ptx_bfi(T a, T b, unsigned at, unsigned n)
{
    const unsigned width = 8 * sizeof(T);
    at &= 255, n &= 255;
    if (at >= width || !n) return b;
    if (at + n > width) n = width - at;
    const T mask = (n < width ? ((T)1 << n) - 1 : (T)~(T)0) << at;
    return (T)((b & ~mask) | (a << at & mask));
}
/* Bytes by selectors of four bits, whose highest one repeats the byte's sign. */
static inline unsigned __cu_ptx_prmt(unsigned a, unsigned b, unsigned s)
{
    unsigned r = __byte_perm(a, b, s & 0x7777);
    for (int i = 0; i < 4; i++)
        if (s >> (4 * i + 3) & 1) r = (r & ~(255u << 8 * i)) | (r >> (8 * i + 7) & 1 ? 255u << 8 * i : 0);
    return r;
}
static inline unsigned __cu_ptx_lop3(unsigned a, unsigned b, unsigned c, unsigned table)
{
    unsigned r = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}
__CU_PTX_3(sad, (T)(c + (a < b ? b - a : a - b)))
static inline unsigned __cu_ptx_shf_l_wrap(unsigned a, unsigned b, unsigned c) { return __funnelshift_l(a, b, c); }
static inline unsigned __cu_ptx_shf_r_wrap(unsigned a, unsigned b, unsigned c) { return __funnelshift_r(a, b, c); }
static inline unsigned __cu_ptx_shf_l_clamp(unsigned a, unsigned b, unsigned c) { return __funnelshift_lc(a, b, c); }
static inline unsigned __cu_ptx_shf_r_clamp(unsigned a, unsigned b, unsigned c) { return __funnelshift_rc(a, b, c); }
/* Of 24 bits: the lowest 32 bits of a product of 48, or the highest. */
template <class T> static inline long long __cu_ptx_48(T a, T b)
{
    constexpr bool is_signed = T(-1) < T(0);
    const long long p = is_signed ? (int)((unsigned)a << 8) >> 8 : (long long)(a & 0xffffff);
    return p * (is_signed ? (int)((unsigned)b << 8) >> 8 : (long long)(b & 0xffffff));
}
__CU_PTX_2(mul24_lo, (T)__cu_ptx_48(a, b))
__CU_PTX_2(mul24_hi, (T)(__cu_ptx_48(a, b) >> 16))
__CU_PTX_3(mad24_lo, (T)((unsigned)__cu_ptx_48(a, b) + (unsigned)c))
__CU_PTX_3(mad24_hi, (T)((unsigned)(__cu_ptx_48(a, b) >> 16) + (unsigned)c))
/* n bits, from `at` on. */
static inline unsigned __cu_ptx_bmsk_clamp(unsigned at, unsigned n)
{
    if (at >= 32) return 0;
    return (n >= 32 ? ~0u : (1u << n) - 1) << at;
}
static inline unsigned __cu_ptx_bmsk_wrap(unsigned at, unsigned n) { return __cu_ptx_bmsk_clamp(at & 31, n & 31); }
/* The lowest n bits as a number. */
template <class T> static inline T __cu_ptx_szext_clamp(T a, unsigned n)
{
    return n >= 32 ? a : n ? (T)((T)((unsigned)a << (32 - n)) >> (32 - n)) : (T)0;
}
template <class T> static inline T __cu_ptx_szext_wrap(T a, unsigned n) { return __cu_ptx_szext_clamp(a, n & 31); }
static inline unsigned __cu_ptx_fns(unsigned mask, unsigned base, unsigned n) { return __fns(mask, base, (int)n); }
/* Sums of products of bytes of a, or of its halves, with bytes of b, each of its own type. */
template <class A, class B> static inline unsigned __cu_ptx_dp(unsigned a, unsigned b, unsigned c, int n, int width)
{
    for (int i = 0; i < n; i++) {
        const unsigned x = a >> width * i << (32 - width), y = b >> 8 * i << 24;
        c += (unsigned)((A)x >> (32 - width)) * (unsigned)((B)y >> 24);
    }
    return c;
}
template <class A, class B> static inline unsigned __cu_ptx_dp4a(unsigned a, unsigned b, unsigned c)
{
    return __cu_ptx_dp<A, B>(a, b, c, 4, 8);
}
template <class A, class B> static inline unsigned __cu_ptx_dp2a_lo(unsigned a, unsigned b, unsigned c)
{
    return __cu_ptx_dp<A, B>(a, b, c, 2, 16);
}
template <class A, class B> static inline unsigned __cu_ptx_dp2a_hi(unsigned a, unsigned b, unsigned c)
{
    return __cu_ptx_dp<A, B>(a, b >> 16, c, 2, 16);
}
template <class T> static inline T __cu_ptx_copysign(T a, T b) { return copysign(b, a); }
__CU_PTX_1(rcp, 1 / a)
__CU_PTX_1(sqrt, sqrt(a))
__CU_PTX_1(rsqrt, 1 / sqrt(a))
__CU_PTX_1(ex2, exp2(a))
__CU_PTX_1(lg2, log2(a))
__CU_PTX_1(sin, sin(a))
__CU_PTX_1(cos, cos(a))
__CU_PTX_1(tanh, tanh(a))
#undef __CU_PTX_1
#undef __CU_PTX_2
#undef __CU_PTX_3
#undef __CU_WRAP

/* With the carry: `in` is added, or subtracted, too; what is beyond the number is left in `out`. */
template <class T> static inline T __cu_ptx_carried(T a, T b, unsigned in, unsigned *out)
{
    typedef __cu_unsigned<T> word;
    const word part = (word)((word)a + (word)b), all = (word)(part + in);
    if (out) *out = part < (word)a || all < part;
    return (T)all;
}
template <class T> static inline T __cu_ptx_borrowed(T a, T b, unsigned in, unsigned *out)
{
    typedef __cu_unsigned<T> word;
    if (out) *out = (word)a < (word)b || ((word)a == (word)b && in);
    return (T)((word)a - (word)b - in);
}

/* --- comparisons, conversions --- */

template <class T> static inline bool __cu_ptx_nan(T a) { return a != a; }
#define __CU_PTX_COMPARE(name, e) \
    template <class T> static inline bool __cu_ptx_is_##name(T a, T b) { return e; }
__CU_PTX_COMPARE(eq, a == b) __CU_PTX_COMPARE(ne, a < b || b < a) __CU_PTX_COMPARE(lt, a < b)
__CU_PTX_COMPARE(le, a <= b) __CU_PTX_COMPARE(gt, a > b) __CU_PTX_COMPARE(ge, a >= b)
__CU_PTX_COMPARE(lo, a < b) __CU_PTX_COMPARE(ls, a <= b) __CU_PTX_COMPARE(hi, a > b) __CU_PTX_COMPARE(hs, a >= b)
__CU_PTX_COMPARE(equ, !(a < b || b < a)) __CU_PTX_COMPARE(neu, a != b) __CU_PTX_COMPARE(ltu, !(a >= b))
__CU_PTX_COMPARE(leu, !(a > b)) __CU_PTX_COMPARE(gtu, !(a <= b)) __CU_PTX_COMPARE(geu, !(a < b))
__CU_PTX_COMPARE(num, a == a && b == b) __CU_PTX_COMPARE(nan, a != a || b != b)
#undef __CU_PTX_COMPARE

/* Real numbers to integers: the nearest one that there is, NaN is 0; `how` as in the modifiers .rni .rzi .rmi .rpi. */
template <class D, class S> static inline D __cu_ptx_cvt(S v, char how, bool saturates)
{
    if constexpr (__cu_is_real<S>::value && !__cu_is_real<D>::value) {
        typedef __cu_unsigned<D> word;
        constexpr bool is_signed = (D)~(D)0 < 0;
        const word half = (word)1 << (8 * sizeof(D) - 1);
        const S high = is_signed ? (S)half : (S)half * 2;
        v = how == 'n' ? rint(v) : how == 'm' ? floor(v) : how == 'p' ? ceil(v) : trunc(v);
        if (v != v) return sizeof(D) == 8 ? (D)half : (D)0;
        if (v >= high) return is_signed ? (D)(half - 1) : (D)~(D)0;
        if (v < (is_signed ? -high : (S)0)) return is_signed ? (D)half : (D)0;
        return (D)v;
    } else if constexpr (__cu_is_real<S>::value && __cu_is_real<D>::value) {
        if (how != ' ' && sizeof(S) == sizeof(D))
            v = how == 'n' ? rint(v) : how == 'm' ? floor(v) : how == 'p' ? ceil(v) : trunc(v);
        const D r = (D)v;
        return saturates ? (r > 0 ? (r < 1 ? r : (D)1) : (D)0) : r;
    } else if constexpr (!__cu_is_real<D>::value) {
        if (saturates) {
            const __int128 w = v, most = (D)~(D)0 < 0 ? ((__int128)1 << (8 * sizeof(D) - 1)) - 1
                                                      : ((__int128)1 << 8 * sizeof(D)) - 1;
            const __int128 least = (D)~(D)0 < 0 ? -most - 1 : 0;
            return (D)(w > most ? most : w < least ? least : w);
        }
        return (D)v;
    } else {
        return (D)v;
    }
}

/* --- memory --- */

template <class T> static inline T __cu_ptx_ld(unsigned long long at) { return *(const volatile T *)at; }
template <class T> static inline void __cu_ptx_st(unsigned long long at, T v) { *(volatile T *)at = v; }
/* Of `from` bytes, and zeros behind. */
static inline void __cu_ptx_copy(unsigned long long to, unsigned long long at, unsigned bytes, unsigned from)
{
    for (unsigned i = 0; i < bytes; i++) ((char *)to)[i] = i < from ? ((const char *)at)[i] : 0;
}
