/* Intrinsics for the bytes and the halves of a word (__vadd4, __dp4a), and those of three numbers (__vimax3_s32). */
#pragma once

/* f(a, b) of each lane of type T, put together: lanes keep their lowest bits. */
template <class T, class F> static inline unsigned __cu_lanes_of(unsigned a, unsigned b, F f)
{
    unsigned r = 0;
    constexpr int bits = 8 * sizeof(T);
    for (int i = 0; i < 32; i += bits)
        r |= ((unsigned)f((int)(T)(a >> i), (int)(T)(b >> i)) & (~0u >> (32 - bits))) << i;
    return r;
}
static inline int __cu_distance(int x, int y) { return x > y ? x - y : y - x; }

#define __CU_LANE(name, T, e)                                                     \
    static inline unsigned name(unsigned a, unsigned b)                           \
    {                                                                             \
        return __cu_lanes_of<T>(a, b, [](int x, int y) { return e; });            \
    }
#define __CU_LANE_1(name, T, e) \
    static inline unsigned name(unsigned a) { return __cu_lanes_of<T>(a, 0, [](int x, int) { return e; }); }
#define __CU_COMPARE(name, n, S, U, order)                                                   \
    __CU_LANE(__vcmp##name##s##n, S, x order y ? -1 : 0) __CU_LANE(__vset##name##s##n, S, x order y) \
    __CU_LANE(__vcmp##name##u##n, U, x order y ? -1 : 0) __CU_LANE(__vset##name##u##n, U, x order y)
#define __CU_ALL_LANES(n, S, U)                                                                              \
    __CU_LANE(__vadd##n, U, x + y) __CU_LANE(__vsub##n, U, x - y)                                          \
    __CU_LANE(__vaddss##n, S, __cu_clamped<S>(x + y)) __CU_LANE(__vaddus##n, U, __cu_clamped<U>(x + y))    \
    __CU_LANE(__vsubss##n, S, __cu_clamped<S>(x - y)) __CU_LANE(__vsubus##n, U, __cu_clamped<U>(x - y))    \
    __CU_LANE(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1) __CU_LANE(__vavgu##n, U, (x + y + 1) >> 1)       \
    __CU_LANE(__vhaddu##n, U, (x + y) >> 1)                                                                 \
    __CU_LANE(__vabsdiffs##n, S, __cu_distance(x, y)) __CU_LANE(__vabsdiffu##n, U, __cu_distance(x, y))    \
    __CU_LANE(__vmaxs##n, S, x > y ? x : y) __CU_LANE(__vmaxu##n, U, x > y ? x : y)                        \
    __CU_LANE(__vmins##n, S, x < y ? x : y) __CU_LANE(__vminu##n, U, x < y ? x : y)                        \
    __CU_LANE(__vcmpeq##n, U, x == y ? -1 : 0) __CU_LANE(__vcmpne##n, U, x != y ? -1 : 0)                  \
    __CU_LANE(__vseteq##n, U, x == y) __CU_LANE(__vsetne##n, U, x != y)                                    \
    __CU_COMPARE(ge, n, S, U, >=) __CU_COMPARE(gt, n, S, U, >)                                               \
    __CU_COMPARE(le, n, S, U, <=) __CU_COMPARE(lt, n, S, U, <)                                               \
    __CU_LANE_1(__vabs##n, S, x < 0 ? -x : x) __CU_LANE_1(__vabsss##n, S, __cu_clamped<S>(x < 0 ? -x : x)) \
    __CU_LANE_1(__vneg##n, S, -x) __CU_LANE_1(__vnegss##n, S, __cu_clamped<S>(-x))                         \
    __CU_SUM_OF_LANES(__vsads##n, S) __CU_SUM_OF_LANES(__vsadu##n, U)
#define __CU_SUM_OF_LANES(name, T)                                           \
    static inline unsigned name(unsigned a, unsigned b)                      \
    {                                                                        \
        unsigned r = 0;                                                      \
        for (unsigned i = 0; i < 32; i += 8 * sizeof(T))                     \
            r += (unsigned)__cu_distance((T)(a >> i), (T)(b >> i));          \
        return r;                                                            \
    }
__CU_ALL_LANES(2, short, unsigned short)
__CU_ALL_LANES(4, signed char, unsigned char)
#undef __CU_ALL_LANES
#undef __CU_SUM_OF_LANES
#undef __CU_COMPARE
#undef __CU_LANE_1
#undef __CU_LANE

/* c and the products of bytes, or of halves and bytes. */
template <class A, class B, class I> static inline I __cu_dot(unsigned a, unsigned b, I c, int shift)
{
    unsigned r = (unsigned)c;
    b >>= shift;
    for (unsigned i = 0; i < 32 / (8 * sizeof(A)); i++)
        r += (unsigned)((int)(A)(a >> 8 * sizeof(A) * i) * (int)(B)(b >> 8 * sizeof(B) * i));
    return (I)r;
}
static inline int __dp4a(int a, int b, int c) { return __cu_dot<signed char, signed char>(a, b, c, 0); }
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    return __cu_dot<unsigned char, unsigned char>(a, b, c, 0);
}
static inline int __dp2a_lo(int a, int b, int c) { return __cu_dot<short, signed char>(a, b, c, 0); }
static inline int __dp2a_hi(int a, int b, int c) { return __cu_dot<short, signed char>(a, b, c, 16); }
static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c)
{
    return __cu_dot<unsigned short, unsigned char>(a, b, c, 0);
}
static inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c)
{
    return __cu_dot<unsigned short, unsigned char>(a, b, c, 16);
}
static inline unsigned __cu_word_of(char4 v) { unsigned r; __builtin_memcpy(&r, &v, 4); return r; }
static inline unsigned __cu_word_of(uchar4 v) { unsigned r; __builtin_memcpy(&r, &v, 4); return r; }
static inline int __dp4a(char4 a, char4 b, int c) { return __dp4a((int)__cu_word_of(a), (int)__cu_word_of(b), c); }
static inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return __dp4a(__cu_word_of(a), __cu_word_of(b), c); }

/* The extreme of two or three, of a sum and a third; _relu: and of 0. */
#define __CU_THREE(kind, T, order, name)                                                                     \
    static inline T __vi##name##3_##kind(T a, T b, T c) { return __cu_##name##_of(__cu_##name##_of(a, b), c); } \
    static inline T __viadd##name##_##kind(T a, T b, T c)                                                    \
    {                                                                                                        \
        return __cu_##name##_of((T)((unsigned)a + (unsigned)b), c);                                          \
    }
template <class T> static inline T __cu_max_of(T a, T b) { return a > b ? a : b; }
template <class T> static inline T __cu_min_of(T a, T b) { return a < b ? a : b; }
__CU_THREE(s32, int, >, max) __CU_THREE(u32, unsigned, >, max)
__CU_THREE(s32, int, <, min) __CU_THREE(u32, unsigned, <, min)
#undef __CU_THREE
#define __CU_RELU(name)                                                                                          \
    static inline int __vi##name##_s32_relu(int a, int b) { return __cu_max_of(__cu_##name##_of(a, b), 0); }     \
    static inline int __vi##name##3_s32_relu(int a, int b, int c)                                                \
    {                                                                                                            \
        return __cu_max_of(__vi##name##3_s32(a, b, c), 0);                                                       \
    }                                                                                                            \
    static inline int __viadd##name##_s32_relu(int a, int b, int c)                                              \
    {                                                                                                            \
        return __cu_max_of(__viadd##name##_s32(a, b, c), 0);                                                     \
    }
__CU_RELU(max) __CU_RELU(min)
#undef __CU_RELU
/* The same of the halves of words. */
#define __CU_HALVES(name, T, e)                                                                          \
    static inline unsigned name(unsigned a, unsigned b)                                                  \
    {                                                                                                    \
        return __cu_lanes_of<T>(a, b, [](int x, int y) { return e; });                                   \
    }
#define __CU_HALVES_3(name, kind, T, first)                                                              \
    static inline unsigned __vi##name##3_##kind##16x2(unsigned a, unsigned b, unsigned c)                \
    {                                                                                                    \
        return __cu_##name##_##kind##16x2(__cu_##name##_##kind##16x2(a, b), c);                            \
    }                                                                                                    \
    static inline unsigned __viadd##name##_##kind##16x2(unsigned a, unsigned b, unsigned c)              \
    {                                                                                                    \
        return __cu_##name##_##kind##16x2(__cu_lanes_of<T>(a, b, [](int x, int y) { return x + y; }), c); \
    }                                                                                                    \
    static inline unsigned __vib##name##_##kind##16x2(unsigned a, unsigned b, bool *high, bool *low)     \
    {                                                                                                    \
        *high = (T)(a >> 16) first (T)(b >> 16);                                                         \
        *low = (T)a first (T)b;                                                                          \
        return __cu_##name##_##kind##16x2(a, b);                                                          \
    }
#define __CU_HALVES_RELU(name)                                                                           \
    static inline unsigned __vi##name##_s16x2_relu(unsigned a, unsigned b)                               \
    {                                                                                                    \
        return __cu_max_s16x2(__cu_##name##_s16x2(a, b), 0);                                               \
    }                                                                                                    \
    static inline unsigned __vi##name##3_s16x2_relu(unsigned a, unsigned b, unsigned c)                  \
    {                                                                                                    \
        return __cu_max_s16x2(__vi##name##3_s16x2(a, b, c), 0);                                           \
    }                                                                                                    \
    static inline unsigned __viadd##name##_s16x2_relu(unsigned a, unsigned b, unsigned c)                \
    {                                                                                                    \
        return __cu_max_s16x2(__viadd##name##_s16x2(a, b, c), 0);                                         \
    }
__CU_HALVES(__cu_max_s16x2, short, x > y ? x : y) __CU_HALVES(__cu_max_u16x2, unsigned short, x > y ? x : y)
__CU_HALVES(__cu_min_s16x2, short, x < y ? x : y) __CU_HALVES(__cu_min_u16x2, unsigned short, x < y ? x : y)
__CU_HALVES_3(max, s, short, >=) __CU_HALVES_3(max, u, unsigned short, >=)
__CU_HALVES_3(min, s, short, <=) __CU_HALVES_3(min, u, unsigned short, <=)
__CU_HALVES_RELU(max) __CU_HALVES_RELU(min)
#undef __CU_HALVES
#undef __CU_HALVES_3
#undef __CU_HALVES_RELU
/* Which of two it was. */
#define __CU_WHICH(name, kind, T, first)                                    \
    static inline T __vib##name##_##kind##32(T a, T b, bool *is)            \
    {                                                                       \
        *is = a first b;                                                    \
        return *is ? a : b;                                                 \
    }
__CU_WHICH(max, s, int, >=) __CU_WHICH(max, u, unsigned, >=)
__CU_WHICH(min, s, int, <=) __CU_WHICH(min, u, unsigned, <=)
#undef __CU_WHICH
