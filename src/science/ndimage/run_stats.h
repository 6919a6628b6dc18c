/* Statistics of one stretch of elements, for every real type. */
#ifndef CPI_NDIMAGE_RUN_STATS_H
#define CPI_NDIMAGE_RUN_STATS_H

#include "core/array.h"

enum {
    WANT_SUM = 1,
    WANT_INTEGER = 2,  /* the sum wraps in 64 bits */
    WANT_MOMENT = 4,   /* sum of element times column */
    WANT_EXTREMUM = 8,
    WANT_SQUARES = 16, /* sum of (element - mean)^2 */
    WANT_BOX = 32,
    WANT_SPREAD = 64   /* sums of the indices and of their squares; of no use without WANT_MOMENT */
};

typedef struct run_stats {
    int want;
    bool greatest;
    uint64_t nan;    /* order of a NaN */
    int64_t column;  /* of the first element */
    double mean;
    double background; /* taken off each element of sum and moment */
    double sum, moment; /* sum, or the sum of squares */
    uint64_t whole;
    uint64_t key;    /* order of the extremum (key.h) and its first position in x */
    int64_t position;
} run_stats;

/* Elements at..at+n-1 of x, n >= 1. */
typedef void (*run_function)(const void *x, int64_t at, int64_t n, run_stats *r);
run_function cpi_run_function_v2(cp_type type);
run_function cpi_run_function_v3(cp_type type);
run_function cpi_run_function_v4(cp_type type);

/* Elements at..at+63 of x as doubles. */
typedef void (*values_function)(const void *x, int64_t at, double *to);
values_function cpi_values_function_v2(cp_type type);
values_function cpi_values_function_v3(cp_type type);
values_function cpi_values_function_v4(cp_type type);

#endif
