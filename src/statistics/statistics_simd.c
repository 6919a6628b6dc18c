/* Bins of blocks of numbers, and extents of whole ones; compiled once per instruction set. */
#include "statistics/blocks.h"

#include <math.h>
#include <string.h>


static void places(cp_type type, const void *from, int64_t n, const cpi_even *e, float *place)
{
    if (type == CP_FLOAT32) {
        const float *x = from, first = (float)e->first, scale = (float)e->scale;
        for (int64_t i = 0; i < n; i++) place[i] = (x[i] - first) * scale;
        return;
    }
    const double *x = from, first = e->first, scale = e->scale;
    for (int64_t i = 0; i < n; i++) place[i] = (float)((x[i] - first) * scale);
}

/* An edge lies at most `off` from its number, the rounding of places included: so what lies farther from a whole number
 * than that is between the two edges which the numbers beside it belong to. */
static bool bins(const float *place, int64_t n, const cpi_even *e, int32_t *bin)
{
    const float low = -0.5f, high = (float)e->bins + 0.5f, off = (float)e->off, near_one = 1 - off;
    const uint32_t all = (uint32_t)e->bins;
    int32_t any = 0;
    for (int64_t i = 0; i < n; i++) {
        float p = place[i] < high ? place[i] : high; /* NaN too */
        p = p > low ? p : low;
        const float whole = floorf(p), part = p - whole;
        uint32_t r = (uint32_t)(int32_t)whole; /* what is before the first is large */
        r = r < all ? r : all;
        const int32_t untold = -((part <= off) | (part >= near_one));
        any |= untold;
        bin[i] = (int32_t)r | untold;
    }
    return any;
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

const cpi_statistics_simd CPI_ISA_NAME(cpi_statistics_simd) = {places, bins, bits, extent};
