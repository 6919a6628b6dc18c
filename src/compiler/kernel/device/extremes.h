/* The least and the largest of two numbers, and absolute values: of real numbers, and of all pairs of integers. */
#pragma once

/* As in functions.h. */
#define __CU_TWO(name)                                                                                        \
    static inline float name(float x, float y) { return name##f(x, y); }                                      \
    template <class A, class B> static inline auto name(A x, B y)->decltype((double)x + (double)y)             \
    {                                                                                                         \
        return name((double)x, (double)y);                                                                    \
    }
/* The other number where one is NaN, and -0 below 0, as CUDA has it; written out, for libm's are calls in loops. */
#define __CU_EXTREME(name, T, bits, less, join)                                                               \
    static inline T name(T x, T y)                                                                            \
    {                                                                                                         \
        const T r = less || x != x ? y : x;                                                                   \
        return x == y ? __builtin_bit_cast(T, __builtin_bit_cast(bits, x) join __builtin_bit_cast(bits, y)) : r; \
    }
__CU_EXTREME(fmin, double, unsigned long, y < x, |) __CU_EXTREME(fminf, float, unsigned, y < x, |)
__CU_EXTREME(fmax, double, unsigned long, x < y, &) __CU_EXTREME(fmaxf, float, unsigned, x < y, &)
__CU_TWO(fmin) __CU_TWO(fmax)
#undef __CU_EXTREME
#undef __CU_TWO

static inline int abs(int x) { return __builtin_abs(x); }
static inline long abs(long x) { return __builtin_labs(x); }
static inline long long abs(long long x) { return __builtin_llabs(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline long labs(long x) { return __builtin_labs(x); }
static inline long long llabs(long long x) { return __builtin_llabs(x); }

/* Of two integers in the type that C++ computes with. */
#define __CU_EXTREME_AS(name, A, B, T)                                     \
    static inline T name(A a, B b) { return name((T)a, (T)b); }            \
    static inline T name(B a, A b) { return name((T)a, (T)b); }
#define __CU_EXTREME_OF(name, T, order) static inline T name(T a, T b) { return a order b ? a : b; }
#define __CU_EXTREMES(name, order)                                                                                   \
    __CU_EXTREME_OF(name, int, order) __CU_EXTREME_OF(name, unsigned, order)                                         \
    __CU_EXTREME_OF(name, long, order) __CU_EXTREME_OF(name, unsigned long, order)                                   \
    __CU_EXTREME_OF(name, long long, order) __CU_EXTREME_OF(name, unsigned long long, order)                         \
    static inline double name(double a, double b) { return f##name(a, b); }                                          \
    static inline float name(float a, float b) { return f##name(a, b); }                                             \
    __CU_EXTREME_AS(name, float, double, double)                                                                     \
    __CU_EXTREME_AS(name, int, unsigned, unsigned) __CU_EXTREME_AS(name, int, long, long)                            \
    __CU_EXTREME_AS(name, int, unsigned long, unsigned long) __CU_EXTREME_AS(name, int, long long, long long)        \
    __CU_EXTREME_AS(name, int, unsigned long long, unsigned long long)                                               \
    __CU_EXTREME_AS(name, unsigned, long, long) __CU_EXTREME_AS(name, unsigned, unsigned long, unsigned long)        \
    __CU_EXTREME_AS(name, unsigned, long long, long long)                                                            \
    __CU_EXTREME_AS(name, unsigned, unsigned long long, unsigned long long)                                          \
    __CU_EXTREME_AS(name, long, unsigned long, unsigned long) __CU_EXTREME_AS(name, long, long long, long long)      \
    __CU_EXTREME_AS(name, long, unsigned long long, unsigned long long)                                              \
    __CU_EXTREME_AS(name, unsigned long, long long, unsigned long long)                                              \
    __CU_EXTREME_AS(name, unsigned long, unsigned long long, unsigned long long)                                     \
    __CU_EXTREME_AS(name, long long, unsigned long long, unsigned long long)
__CU_EXTREMES(min, <)
__CU_EXTREMES(max, >)
#undef __CU_EXTREMES
#undef __CU_EXTREME_OF
#undef __CU_EXTREME_AS
#define umin min
#define umax max
#define llmin min
#define llmax max
#define ullmin min
#define ullmax max
