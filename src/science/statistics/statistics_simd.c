/* Bins of blocks of numbers, and ranges of integers; compiled once per instruction set. */
#include "statistics/blocks.h"

#include <math.h>
#include <string.h>

#include "cpu/vectors.h"


static void indices(cp_type type, const void *from, int64_t n, const cpi_even *e, float *position)
{
    if (type == CP_FLOAT32) {
        const float *x = from, first = (float)e->first, scale = (float)e->scale;
        for (int64_t i = 0; i < n; i++) position[i] = (x[i] - first) * scale;
        return;
    }
    const double *x = from, first = e->first, scale = e->scale;
    for (int64_t i = 0; i < n; i++) position[i] = (float)((x[i] - first) * scale);
}

/* Which of n bins are less than 0. */
static int find_untold(const int32_t *bin, int64_t n, int16_t *which)
{
    int count = 0;
    int64_t i = 0;
#if defined(__AVX2__)
    for (; i + 8 <= n; i += 8)
        for (int m = _mm256_movemask_ps(_mm256_loadu_ps((const float *)(bin + i))); m; m &= m - 1)
            which[count++] = (int16_t)(i + __builtin_ctz((unsigned)m));
#endif
    for (; i < n; i++)
        if (bin[i] < 0) which[count++] = (int16_t)i;
    return count;
}

/* An edge lies at most `off` from its number, the rounding of places included: so what lies farther from an integer
 * than that is between the two edges which the numbers beside it belong to. */
static int bins(const float *position, int64_t n, const cpi_even *e, int32_t *bin, int16_t *which)
{
    const float low = -0.5f, high = (float)e->bins + 0.5f, off = (float)e->off, near_one = 1 - off;
    const uint32_t all = (uint32_t)e->bins;
    int32_t any = 0;
    for (int64_t i = 0; i < n; i++) {
        float p = position[i] < high ? position[i] : high; /* NaN too */
        p = p > low ? p : low;
        const float whole = floorf(p), part = p - whole;
        uint32_t r = (uint32_t)(int32_t)whole; /* what is before the first is large */
        r = r < all ? r : all;
        const int32_t untold = -((part <= off) | (part >= near_one));
        any |= untold;
        bin[i] = (int32_t)r | untold;
    }
    return any ? find_untold(bin, n, which) : 0;
}

/* Each bin is compared with all of a block, as bytes: additions to a table would wait for those just before them. */
static void few(const int32_t *bin, int64_t n, int32_t bins, uint32_t *counts)
{
    typedef uint8_t bytes __attribute__((vector_size(VECTOR_BYTES)));
    typedef uint16_t pairs __attribute__((vector_size(VECTOR_BYTES)));
    _Alignas(64) uint8_t narrow[512];
    for (int64_t i = 0; i < n; i++) narrow[i] = (uint8_t)bin[i];
    for (int64_t i = n; i < 512; i++) narrow[i] = UINT8_MAX;
    for (int32_t b = 0; b <= bins; b++) {
        const bytes here = CPI_SPLAT(bytes, (uint8_t)b);
        bytes found = {0}, v;
        for (int64_t i = 0; i < 512; i += VECTOR_BYTES) {
            memcpy(&v, narrow + i, sizeof v);
            found -= (bytes)(v == here); /* at most 32 times */
        }
        pairs sums = ((pairs)found & 255) + ((pairs)found >> 8);
        uint32_t all = 0;
        for (int k = 0; k < VECTOR_BYTES / 2; k++) all += sums[k];
        counts[b] += all;
    }
}

#define T float
#define X f32
#define MARK int32_t
#include "statistics/span.inc"

#define T double
#define X f64
#define MARK int64_t
#include "statistics/span.inc"

static void span(cp_type type, const void *x, int64_t n, double *least, double *most)
{
    if (type == CP_FLOAT32) span_f32(x, n, least, most);
    else span_f64(x, n, least, most);
}

#define BITS(T)                                                    \
    do {                                                           \
        const T *v = x;                                            \
        T all = 0;                                                 \
        for (int64_t i = 0; i < n; i++) all |= v[i];               \
        return (uint64_t)(int64_t)all;                             \
    } while (0)

static uint64_t bits(cp_type type, const void *x, int64_t n)
{
    switch ((int)type) {
    case CP_BOOL: case CP_UINT8: BITS(uint8_t);
    case CP_INT8: BITS(int8_t);
    case CP_INT16: BITS(int16_t);
    case CP_UINT16: BITS(uint16_t);
    case CP_INT32: BITS(int32_t);
    case CP_UINT32: BITS(uint32_t);
    default: BITS(int64_t);
    }
}

#define EXTENT(T)                                                                                \
    do {                                                                                         \
        const T *v = x;                                                                          \
        T low = v[0], high = v[0];                                                               \
        for (int64_t i = 1; i < n; i++) low = v[i] < low ? v[i] : low, high = v[i] > high ? v[i] : high; \
        *least = (int64_t)low, *most = (int64_t)high;                                            \
    } while (0)

static void extent(cp_type type, const void *x, int64_t n, int64_t *least, int64_t *most)
{
    switch ((int)type) {
    case CP_BOOL: case CP_UINT8: EXTENT(uint8_t); break;
    case CP_INT8: EXTENT(int8_t); break;
    case CP_INT16: EXTENT(int16_t); break;
    case CP_UINT16: EXTENT(uint16_t); break;
    case CP_INT32: EXTENT(int32_t); break;
    case CP_UINT32: EXTENT(uint32_t); break;
    default: EXTENT(int64_t); /* those beyond it are less than 0 */
    }
}

const cpi_statistics_simd CPI_ISA_NAME(cpi_statistics_simd) = {indices, bins, few, span, bits, extent};
