/* What the CPU files of this module share. */
#ifndef CPI_SORT_CPU_H
#define CPI_SORT_CPU_H

#include "sort/kernels.h"
#include "sort/sort.h"

/* The kernels for this processor. */
const cpi_sort_kernels *cpi_cpu_sort_kernels(void);

/* unique by a table, where the values are integers close together; false when they are not. */
bool cpi_cpu_unique_table(cp_stream *stream, cpi_unique *request, cp_code *code);

/* From the start of each of `count` values in n sorted elements to the number of its occurrences, in place. */
static inline void cpi_cpu_starts_to_counts(int64_t *starts, int64_t count, int64_t n)
{
    for (int64_t u = 0; u + 1 < count; u++) starts[u] = starts[u + 1] - starts[u];
    starts[count - 1] = n - starts[count - 1];
}

#endif
