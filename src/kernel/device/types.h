/* Integers of known widths, and CUDA's vector types with their make_ functions. */
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long long longlong;
typedef unsigned long long ulonglong;
#define NULL 0
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
#define M_LN2 0.69314718055994530942

struct __attribute__((aligned(1))) char1 { signed char x; };
static inline char1 make_char1(signed char x) { return {x}; }
struct __attribute__((aligned(2))) char2 { signed char x, y; };
static inline char2 make_char2(signed char x, signed char y) { return {x, y}; }
struct __attribute__((aligned(1))) char3 { signed char x, y, z; };
static inline char3 make_char3(signed char x, signed char y, signed char z) { return {x, y, z}; }
struct __attribute__((aligned(4))) char4 { signed char x, y, z, w; };
static inline char4 make_char4(signed char x, signed char y, signed char z, signed char w) { return {x, y, z, w}; }
struct __attribute__((aligned(1))) uchar1 { unsigned char x; };
static inline uchar1 make_uchar1(unsigned char x) { return {x}; }
struct __attribute__((aligned(2))) uchar2 { unsigned char x, y; };
static inline uchar2 make_uchar2(unsigned char x, unsigned char y) { return {x, y}; }
struct __attribute__((aligned(1))) uchar3 { unsigned char x, y, z; };
static inline uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { return {x, y, z}; }
struct __attribute__((aligned(4))) uchar4 { unsigned char x, y, z, w; };
static inline uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w)
{
    return {x, y, z, w};
}
struct __attribute__((aligned(2))) short1 { short x; };
static inline short1 make_short1(short x) { return {x}; }
struct __attribute__((aligned(4))) short2 { short x, y; };
static inline short2 make_short2(short x, short y) { return {x, y}; }
struct __attribute__((aligned(2))) short3 { short x, y, z; };
static inline short3 make_short3(short x, short y, short z) { return {x, y, z}; }
struct __attribute__((aligned(8))) short4 { short x, y, z, w; };
static inline short4 make_short4(short x, short y, short z, short w) { return {x, y, z, w}; }
struct __attribute__((aligned(2))) ushort1 { unsigned short x; };
static inline ushort1 make_ushort1(unsigned short x) { return {x}; }
struct __attribute__((aligned(4))) ushort2 { unsigned short x, y; };
static inline ushort2 make_ushort2(unsigned short x, unsigned short y) { return {x, y}; }
struct __attribute__((aligned(2))) ushort3 { unsigned short x, y, z; };
static inline ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) { return {x, y, z}; }
struct __attribute__((aligned(8))) ushort4 { unsigned short x, y, z, w; };
static inline ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w)
{
    return {x, y, z, w};
}
struct __attribute__((aligned(4))) int1 { int x; };
static inline int1 make_int1(int x) { return {x}; }
struct __attribute__((aligned(8))) int2 { int x, y; };
static inline int2 make_int2(int x, int y) { return {x, y}; }
struct __attribute__((aligned(4))) int3 { int x, y, z; };
static inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
struct __attribute__((aligned(16))) int4 { int x, y, z, w; };
static inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
struct __attribute__((aligned(4))) uint1 { unsigned int x; };
static inline uint1 make_uint1(unsigned int x) { return {x}; }
struct __attribute__((aligned(8))) uint2 { unsigned int x, y; };
static inline uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
struct __attribute__((aligned(4))) uint3 { unsigned int x, y, z; };
static inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
struct __attribute__((aligned(16))) uint4 { unsigned int x, y, z, w; };
static inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
struct __attribute__((aligned(8))) long1 { long x; };
static inline long1 make_long1(long x) { return {x}; }
struct __attribute__((aligned(16))) long2 { long x, y; };
static inline long2 make_long2(long x, long y) { return {x, y}; }
struct __attribute__((aligned(8))) long3 { long x, y, z; };
static inline long3 make_long3(long x, long y, long z) { return {x, y, z}; }
struct __attribute__((aligned(16))) long4 { long x, y, z, w; };
static inline long4 make_long4(long x, long y, long z, long w) { return {x, y, z, w}; }
struct __attribute__((aligned(8))) ulong1 { unsigned long x; };
static inline ulong1 make_ulong1(unsigned long x) { return {x}; }
struct __attribute__((aligned(16))) ulong2 { unsigned long x, y; };
static inline ulong2 make_ulong2(unsigned long x, unsigned long y) { return {x, y}; }
struct __attribute__((aligned(8))) ulong3 { unsigned long x, y, z; };
static inline ulong3 make_ulong3(unsigned long x, unsigned long y, unsigned long z) { return {x, y, z}; }
struct __attribute__((aligned(16))) ulong4 { unsigned long x, y, z, w; };
static inline ulong4 make_ulong4(unsigned long x, unsigned long y, unsigned long z, unsigned long w)
{
    return {x, y, z, w};
}
struct __attribute__((aligned(8))) longlong1 { long long x; };
static inline longlong1 make_longlong1(long long x) { return {x}; }
struct __attribute__((aligned(16))) longlong2 { long long x, y; };
static inline longlong2 make_longlong2(long long x, long long y) { return {x, y}; }
struct __attribute__((aligned(8))) longlong3 { long long x, y, z; };
static inline longlong3 make_longlong3(long long x, long long y, long long z) { return {x, y, z}; }
struct __attribute__((aligned(16))) longlong4 { long long x, y, z, w; };
static inline longlong4 make_longlong4(long long x, long long y, long long z, long long w) { return {x, y, z, w}; }
struct __attribute__((aligned(8))) ulonglong1 { unsigned long long x; };
static inline ulonglong1 make_ulonglong1(unsigned long long x) { return {x}; }
struct __attribute__((aligned(16))) ulonglong2 { unsigned long long x, y; };
static inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }
struct __attribute__((aligned(8))) ulonglong3 { unsigned long long x, y, z; };
static inline ulonglong3 make_ulonglong3(unsigned long long x, unsigned long long y, unsigned long long z)
{
    return {x, y, z};
}
struct __attribute__((aligned(16))) ulonglong4 { unsigned long long x, y, z, w; };
static inline ulonglong4 make_ulonglong4(unsigned long long x, unsigned long long y, unsigned long long z,
                                         unsigned long long w)
{
    return {x, y, z, w};
}
struct __attribute__((aligned(4))) float1 { float x; };
static inline float1 make_float1(float x) { return {x}; }
struct __attribute__((aligned(8))) float2 { float x, y; };
static inline float2 make_float2(float x, float y) { return {x, y}; }
struct __attribute__((aligned(4))) float3 { float x, y, z; };
static inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
struct __attribute__((aligned(8))) double1 { double x; };
static inline double1 make_double1(double x) { return {x}; }
struct __attribute__((aligned(16))) double2 { double x, y; };
static inline double2 make_double2(double x, double y) { return {x, y}; }
struct __attribute__((aligned(8))) double3 { double x, y, z; };
static inline double3 make_double3(double x, double y, double z) { return {x, y, z}; }
struct __attribute__((aligned(16))) double4 { double x, y, z, w; };
static inline double4 make_double4(double x, double y, double z, double w) { return {x, y, z, w}; }

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
