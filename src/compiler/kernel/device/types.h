/* Integers of known widths, and CUDA's vector types with their make_ functions. */
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#include "stdint.h"
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long long longlong;
typedef unsigned long long ulonglong;
#define NULL 0

/* Of 1 to 4 elements each, aligned as CUDA has them. */
#define __CU_VECTORS(name, T, a1, a2, a4)                                          \
    struct __attribute__((aligned(a1))) name##1 { T x; };                          \
    struct __attribute__((aligned(a2))) name##2 { T x, y; };                       \
    struct __attribute__((aligned(a1))) name##3 { T x, y, z; };                    \
    struct __attribute__((aligned(a4))) name##4 { T x, y, z, w; };                 \
    static inline name##1 make_##name##1(T x) { return {x}; }                      \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }              \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }      \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
__CU_VECTORS(char, signed char, 1, 2, 4)
__CU_VECTORS(uchar, unsigned char, 1, 2, 4)
__CU_VECTORS(short, short, 2, 4, 8)
__CU_VECTORS(ushort, unsigned short, 2, 4, 8)
__CU_VECTORS(int, int, 4, 8, 16)
__CU_VECTORS(uint, unsigned, 4, 8, 16)
__CU_VECTORS(long, long, 8, 16, 16)
__CU_VECTORS(ulong, unsigned long, 8, 16, 16)
__CU_VECTORS(longlong, long long, 8, 16, 16)
__CU_VECTORS(ulonglong, unsigned long long, 8, 16, 16)
__CU_VECTORS(float, float, 4, 8, 16)
__CU_VECTORS(double, double, 8, 16, 16)
#undef __CU_VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
