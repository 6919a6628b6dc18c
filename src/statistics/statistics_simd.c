/* Bins of blocks of numbers, and extents of whole ones; compiled once per instruction set. */
#include "statistics/blocks.h"

#include <math.h>
#include <string.h>

#include "cpu/vectors.h"

/* Where x lies ascends with x, rounded as it is: an edge lies at most `off` from its number, so that what lies farther
 * from a whole number than that is between the two edges which the numbers beside it belong to. */
static bool bins(const double *x, int64_t n, const cpi_even *e, int32_t *bin)
{
    const double first = e->first, scale = e->scale, off = e->off, all = e->bins, high = all + 1, behind = all + off;
    int32_t least = 0;
    for (int64_t i = 0; i < n; i++) {
        const double place = (x[i] - first) * scale;
        double p = place < high ? place : high; /* NaN too */
        p = p > -1 ? p : -1;
        const double whole = floor(p), part = p - whole;
        double r = part > off ? whole : -1;
        r = part < 1 - off ? r : -1;
        r = p < -off ? all : r;
        r = p > behind ? all : r;
        bin[i] = (int32_t)r;
    }
    for (int64_t i = 0; i < n; i++) least = bin[i] < least ? bin[i] : least;
    return least < 0;
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

const cpi_statistics_simd CPI_ISA_NAME(cpi_statistics_simd) = {bins, extent};
