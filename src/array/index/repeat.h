/* Repeating elements in the host's memory. */
#ifndef CPI_INDEX_REPEAT_H
#define CPI_INDEX_REPEAT_H

#include "index/index.h"

/* n elements of 1, 2, 4, 8 or 16 bytes, element i times[i] times, one behind the other. No count is negative, and `to`
 * has capacity for all. */
cp_code cpi_cpu_repeat(const char *x, const int64_t *times, int64_t n, int64_t bytes, char *to);

#endif
