/* Searches of the CPU: the arguments of search_simd.c. */
#ifndef CPI_SORT_SEARCH_H
#define CPI_SORT_SEARCH_H

#include "cpu/features.h"
#include "sort/keys.h"

typedef struct cpi_search {
    cpi_keys keys;
    int64_t n;          /* elements that are searched, in order; n >= 1 */
    const void *from, *values;
    bool right, far;    /* behind equal ones; larger than near caches */
    int64_t *to;
} cpi_search;

/* Values first..last-1. */
typedef void (*cpi_searcher)(const cpi_search *s, int64_t first, int64_t last);
void cpi_search_some_v2(const cpi_search *s, int64_t first, int64_t last);
void cpi_search_some_v3(const cpi_search *s, int64_t first, int64_t last);
void cpi_search_some_v4(const cpi_search *s, int64_t first, int64_t last);

/* to[i] = is values[i] one of the n numbers of `from`, all float32 or, with `wide`, float64; NaN is none. */
typedef void (*cpi_few_comparer)(bool wide, int64_t n, const void *from, int64_t m, const void *values, bool invert,
                                 uint8_t *to);
void cpi_isin_few_v2(bool wide, int64_t n, const void *from, int64_t m, const void *values, bool invert, uint8_t *to);
void cpi_isin_few_v3(bool wide, int64_t n, const void *from, int64_t m, const void *values, bool invert, uint8_t *to);
void cpi_isin_few_v4(bool wide, int64_t n, const void *from, int64_t m, const void *values, bool invert, uint8_t *to);

#endif
