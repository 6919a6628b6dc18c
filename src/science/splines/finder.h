/* Intervals of many places on the CPU: a table of equal buckets. A place's bucket tells between which intervals it
 * lies, exactly, as the buckets of knots are computed by the same monotone operations. */
#ifndef CPI_SPLINES_FINDER_H
#define CPI_SPLINES_FINDER_H

#include <math.h>

#include "backend/device.h"
#include "core/error.h"
#include "splines/each.h"

enum { CPI_FINDER_FROM = 16 };

typedef struct cpi_finder {
    const double *x;     /* x[low] .. x[high + 1] are the ends of intervals low .. high */
    int64_t low, high, buckets;
    double from, scale;
    int32_t *start;      /* of each bucket the last interval that begins in an earlier one; NULL: no table */
} cpi_finder;

static inline int64_t cpi_finder_bucket(const cpi_finder *f, double at)
{
    const double b = (at - f->from) * f->scale;
    return b < 0 ? 0 : b < (double)f->buckets ? (int64_t)b : f->buckets - 1; /* at is not NaN */
}

static inline int64_t cpi_finder_find(const cpi_finder *f, double at)
{
    if (!f->start) return cpi_interval_between(f->x, at, f->low, f->high);
    const int64_t b = cpi_finder_bucket(f, at);
    const int64_t low = f->start[b], high = f->start[b + 1];
    if (high - low <= 1) return low + ((f->x[high] <= at) & (high > low)); /* mostly, and without a branch to miss */
    return cpi_interval_between(f->x, at, low, high);
}

static inline void cpi_finder_make(cp_stream *stream, cpi_finder *f, const double *x, int64_t low, int64_t high,
                                   int64_t places)
{
    const int64_t n = high - low + 1;
    const double span = x[high + 1] - x[low];
    const double scale = 2 * (double)n / span;
    *f = (cpi_finder){.x = x, .low = low, .high = high, .buckets = 2 * n, .from = x[low], .scale = scale};
    if (n < CPI_FINDER_FROM || n > INT32_MAX / 4 || places < n / 2 || !(span > 0) || !isfinite(f->scale)) return;
    f->start = cpi_work_alloc(stream, (size_t)(f->buckets + 1) * sizeof *f->start);
    if (!f->start) {
        cp_error_clear();
        return;
    }
    int64_t b = 0;
    for (int64_t i = low; i <= high; i++) {
        const int64_t mine = cpi_finder_bucket(f, x[i]);
        for (; b <= mine; b++) f->start[b] = (int32_t)(i > low ? i - 1 : low);
    }
    for (; b <= f->buckets; b++) f->start[b] = (int32_t)high;
}

#endif
