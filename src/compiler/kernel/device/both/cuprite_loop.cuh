/* What the loops of ElementwiseKernel, ReductionKernel and their like are made with: where elements lie, and the bits
 * of real numbers. Kernels that use no more are compiled behind this alone; cuprite_array.cuh has arrays and the small
 * floating types too. */
#ifndef CUPRITE_LOOP_CUH
#define CUPRITE_LOOP_CUH

#include <stdint.h>

#define CUPRITE_INLINE __device__ __forceinline__

/* Integers that a kernel is given by value: the geometry of its loop. */
template <int count> struct cuprite_numbers { long long v[count]; };

template <bool narrow> struct cuprite_count { typedef unsigned long long type; };
template <> struct cuprite_count<true> { typedef unsigned int type; };

/* How far an element lies from the first, in bytes, along `axes` axes of a loop: shape and strides in the geometry. */
template <int axes, bool narrow> CUPRITE_INLINE ptrdiff_t cuprite_offset(ptrdiff_t i, const long long *shape,
                                                                         const long long *strides)
{
    typedef typename cuprite_count<narrow>::type count;
    count rest = (count)i;
    ptrdiff_t offset = 0;
#pragma unroll
    for (int d = axes - 1; d > 0; --d) {
        count extent = (count)shape[d], next = rest / extent;
        offset += (ptrdiff_t)(rest - next * extent) * (ptrdiff_t)strides[d];
        rest = next;
    }
    return offset + (ptrdiff_t)rest * (ptrdiff_t)strides[0];
}

CUPRITE_INLINE unsigned int cuprite_bits(float f)
{
    union { float f; unsigned int u; } b;
    b.f = f;
    return b.u;
}
CUPRITE_INLINE float cuprite_from_bits(unsigned int u)
{
    union { float f; unsigned int u; } b;
    b.u = u;
    return b.f;
}

CUPRITE_INLINE unsigned long long cuprite_bits(double f)
{
    union { double f; unsigned long long u; } b;
    b.f = f;
    return b.u;
}
CUPRITE_INLINE double cuprite_from_bits(unsigned long long u)
{
    union { double f; unsigned long long u; } b;
    b.u = u;
    return b.f;
}

/* What the library's own kernels give, NaN's sign and payload included, where a GPU's instructions do otherwise. */
#if defined(__CUDA_ARCH__) && !defined(__CUPRITE_CPU__)
CUPRITE_INLINE float cuprite_negative(float f) { return cuprite_from_bits(cuprite_bits(f) ^ 0x80000000u); }
CUPRITE_INLINE double cuprite_negative(double f)
{
    return cuprite_from_bits(cuprite_bits(f) ^ 0x8000000000000000ull);
}
CUPRITE_INLINE double cuprite_double(float f)
{
    unsigned int u = cuprite_bits(f);
    unsigned long long sign = (unsigned long long)(u >> 31) << 63, payload = (unsigned long long)(u & 0x7fffffu) << 29;
    return f != f ? cuprite_from_bits(sign | 0x7ff8000000000000ull | payload) : (double)f;
}
CUPRITE_INLINE float cuprite_float(double f)
{
    unsigned long long u = cuprite_bits(f);
    unsigned int wrong = (unsigned int)(u >> 63) << 31 | 0x7fc00000u | ((unsigned int)(u >> 29) & 0x3fffffu);
    return f != f ? cuprite_from_bits(wrong) : (float)f;
}
#else
CUPRITE_INLINE float cuprite_negative(float f) { return -f; }
CUPRITE_INLINE double cuprite_negative(double f) { return -f; }
CUPRITE_INLINE double cuprite_double(float f) { return (double)f; }
CUPRITE_INLINE float cuprite_float(double f) { return (float)f; }
#endif

/* In a loop: its rounds are made one by one, never as vectors. */
CUPRITE_INLINE void cuprite_singly()
{
#if !defined(__CUDA_ARCH__) || defined(__CUPRITE_CPU__)
    __asm__ volatile("");
#endif
}

/* Neighbours, read and written at once. */
template <typename T, int count> struct __align__(sizeof(T) * count) cuprite_vector { T v[count]; };

#endif
