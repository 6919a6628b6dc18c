/* A sort of doubles for tests that need many sorted numbers, and NumPy's order of them: NaN last. */
#ifndef SORT_DOUBLES_H
#define SORT_DOUBLES_H

#include "check.h"

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* Sorts by the bytes of numbers that are ordered as the doubles are, NaN last, the lowest byte first: n numbers take a
 * tenth of qsort's time. */
static inline void sort_doubles(double *x, int64_t n)
{
    if (n < 2) return;
    const size_t bytes = (size_t)n * sizeof *x;
    uint64_t *from = malloc(bytes), *to = malloc(bytes), number;
    for (int64_t i = 0; i < n; i++) {
        memcpy(&number, &x[i], sizeof number);
        from[i] = isnan(x[i]) ? UINT64_MAX : number >> 63 ? ~number : number | (uint64_t)1 << 63;
    }
    for (int shift = 0; shift < 64; shift += 8) {
        int64_t begin[257] = {0};
        for (int64_t i = 0; i < n; i++) begin[(from[i] >> shift & 255) + 1]++;
        if (begin[(from[0] >> shift & 255) + 1] == n) continue; /* one byte for all */
        for (int b = 0; b < 255; b++) begin[b + 1] += begin[b];
        for (int64_t i = 0; i < n; i++) to[begin[from[i] >> shift & 255]++] = from[i];
        uint64_t *sorted = to;
        to = from, from = sorted;
    }
    for (int64_t i = 0; i < n; i++) {
        number = from[i] >> 63 ? from[i] & ~((uint64_t)1 << 63) : ~from[i];
        memcpy(&x[i], &number, sizeof number);
        assert_true(!i || by_value(&x[i - 1], &x[i]) <= 0);
    }
    free(from), free(to);
}

#endif
