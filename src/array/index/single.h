/* Single elements named by one array of integers, on the CPU: what most indexing is. Indices are read where they lie,
 * checked while they are used, and no list of offsets is made of them. */
#ifndef CPI_INDEX_SINGLE_H
#define CPI_INDEX_SINGLE_H

#include "cpu/features.h"
#include "index/index.h"

/* One line of the index: n indices `step` apart, elements of `result` values_step apart; what x has for them `visit`.
 * */
typedef struct cpi_line {
    const int64_t *at;
    int64_t step, n, extent, stride, visit;
    char *array, *result;
    int64_t values_step;
} cpi_line;

enum { CPI_LINE_LOOKED = 512 }; /* indices of a line that are looked at before any of them moves anything */

/* Of the elements of 1, 2, 4, 8 and 16 bytes; false where an index was wrong. far: x is larger than near caches. */
typedef struct cpi_single_kernels {
    bool (*look)(const cpi_line *l, cpi_index_mode mode); /* moves nothing */
    bool (*get[5])(const cpi_line *l, cpi_index_mode mode, bool far);
    bool (*put[5])(const cpi_line *l, cpi_index_mode mode, bool far);
} cpi_single_kernels;
extern const cpi_single_kernels cpi_single_kernels_v2, cpi_single_kernels_v3, cpi_single_kernels_v4;

/* Is it that: one array, elements of 1, 2, 4, 8 or 16 bytes, and enough of them for each place of the rest? */
bool cpi_is_single(const cpi_gather *g);
/* These two say whether all indices were right. Reading stops nowhere: what a wrong one names is not read, and `result`
 * is then worth nothing. Writing looks at all of them first, and writes nothing where one is wrong. */
bool cpi_single_get(const cpi_gather *g);
bool cpi_single_put(cp_stream *stream, const cpi_gather *g);

/* Writing many elements to random places of a large array (binned_scatter_cpu.c). CPI_WRONG: an index is, and nothing
 * was written; CPI_NOT_BINNED: there was no memory for it, nor was anything written. */
typedef enum cpi_scatter_outcome { CPI_NOT_BINNED, CPI_BINNED, CPI_WRONG } cpi_scatter_outcome;
bool cpi_is_binned(const cpi_gather *g);
cpi_scatter_outcome cpi_binned_scatter(cp_stream *stream, const cpi_gather *g);

#endif
