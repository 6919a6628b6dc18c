/* The CPU's tile loops and half-type conversions, compiled once for each instruction set. */
#include "cpu/features.h"
#include "cpu/vectors.h"
#include "signal/tile.h"
#include "scalar/convert.h"

/* How many of the registers (32, or 16) hold sums. */
#if VECTOR_BYTES == 64
#define TALL_REGISTERS 16
#else
#define TALL_REGISTERS 8
#endif

#define PLAIN_MAC(acc, a, k) ((acc) + (a) * (k))

#define T uint8_t
#define NAME(f) f##_boolean
#define MAC(acc, a, k) ((acc) | ((a) & (k)))
#define PARTS 1
#include "signal/block.h"
#define T uint8_t
#define NAME(f) f##_u8
#define MAC PLAIN_MAC
#define PARTS 1
#include "signal/block.h"
#define T uint16_t
#define NAME(f) f##_u16
#define MAC PLAIN_MAC
#define PARTS 1
#include "signal/block.h"
#define T uint32_t
#define NAME(f) f##_u32
#define MAC PLAIN_MAC
#define PARTS 1
#include "signal/block.h"
#define T uint64_t
#define NAME(f) f##_u64
#define MAC PLAIN_MAC
#define PARTS 1
#include "signal/block.h"
#define T float
#define NAME(f) f##_f32
#define MAC CPI_MAC
#define PARTS 1
#include "signal/block.h"
#define T double
#define NAME(f) f##_f64
#define MAC CPI_MAC
#define PARTS 1
#include "signal/block.h"
#define T float
#define NAME(f) f##_c64
#define MAC CPI_MAC
#define PARTS 2
#include "signal/block.h"
#define T double
#define NAME(f) f##_c128
#define MAC CPI_MAC
#define PARTS 2
#include "signal/block.h"

/* Converts as many of n float16 as hardware instructions can; returns how many. */
static int64_t widen_f16(float *to, const uint16_t *from, int64_t n)
{
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
#else
    (void)to, (void)from, (void)n;
#endif
    return i;
}
static int64_t narrow_f16(uint16_t *to, const float *from, int64_t n)
{
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#else
    (void)to, (void)from, (void)n;
#endif
    return i;
}

#define WIDEN(A, s)                                                                      \
    case CPS_ENUM_##s:                                                                   \
        for (; i < n; i++) to[i] = cps_##s##_to_f32(((const CPS_CTYPE_##s *)from)[i]);   \
        break;
static void widen(cp_type half, float *to, const void *from, int64_t n)
{
    int64_t i = half == CP_FLOAT16 ? widen_f16(to, from, n) : 0;
    switch ((int)half) {
        CPS_HALVES(WIDEN, )
    }
}

#define NARROW(A, s)                                                                     \
    case CPS_ENUM_##s:                                                                   \
        for (; i < n; i++) ((CPS_CTYPE_##s *)to)[i] = cps_f32_to_##s(from[i]);           \
        break;
static void narrow(cp_type half, void *to, const float *from, int64_t n)
{
    int64_t i = half == CP_FLOAT16 ? narrow_f16(to, from, n) : 0;
    switch ((int)half) {
        CPS_HALVES(NARROW, )
    }
}

extern const cpi_signal_simd CPI_ISA_NAME(cpi_signal_simd);
const cpi_signal_simd CPI_ISA_NAME(cpi_signal_simd) = {
    tile_boolean, tile_u8, tile_u16, tile_u32, tile_u64, tile_f32, tile_f64, tile_c64, tile_c128,
    widen, narrow,
};
