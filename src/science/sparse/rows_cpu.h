/* What the files of the CPU share: names of what is included once a type, and rows shared out to the threads. */
#ifndef CPI_SPARSE_ROWS_CPU_H
#define CPI_SPARSE_ROWS_CPU_H

#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cpu/threads.h"
#include "sparse/element.h"
#include "sparse/kernels.h"
#include "sparse/sparse.h"

#define CPI_MARK(p) __atomic_store_n(p, 1, __ATOMIC_RELAXED)
#define CPI_ROW static inline __attribute__((always_inline))
#define CPI_NAME(f) CPI_PASTE(f, SUFFIX)
#define CPI_CALL(f) CPI_PASTE(f, SUFFIX)
#define EL(f) CPI_PASTE(f, VS)
/* Small integers and wide indices are rare: they get no loops of a fixed size or operation, which take long to
 * compile. */
#define CPI_SPARSE_USUAL (sizeof(V) >= 4 && sizeof(I) == 4)

typedef void (*cpi_sparse_rows_fn)(const void *job, int64_t begin, int64_t end);
typedef struct cpi_sparse_task {
    const void *job;
    int64_t n, each;
    cpi_sparse_rows_fn rows;
} cpi_sparse_task;

static void cpi_sparse_run_task(void *context, int64_t i, int worker)
{
    (void)worker;
    const cpi_sparse_task *t = context;
    const int64_t begin = i * t->each, end = begin + t->each < t->n ? begin + t->each : t->n;
    t->rows(t->job, begin, end);
}
/* Calls rows(job, begin, end) for parts of n rows, of which one costs about `cost` elements. */
static inline cp_code cpi_sparse_run(const void *job, int64_t n, int64_t cost, cpi_sparse_rows_fn rows)
{
    cpi_sparse_task t = {job, n, 0, rows};
    const int64_t grain = 16384 / (cost + 1) + 1;
    cpi_parallel(cpi_cut(n, grain, &t.each), cpi_sparse_run_task, &t);
    return CP_OK;
}
/* How many columns rows of two matrices have together: merge_count for CP_SPARSE_ALIGN. */
void cpi_sparse_align_rows(const void *job, int64_t begin, int64_t end);
/* May one of n elements be 0? Never false where one is. */
static inline bool cpi_sparse_some_zero(const cpi_sparse_kernels *with, cp_type type, const void *v, int64_t n)
{
    const int64_t size = cpi_itemsize(type);
    if (cpi_is_complex(type) || size < 4) return true;
    const uint64_t sign = cpi_is_int(type) ? 0 : (uint64_t)1 << (size * 8 - 1); /* -0 is 0 */
    return size == 8 ? with->some_zero_64(v, n, ~sign) : with->some_zero_32(v, n, ~(uint32_t)sign);
}
static inline int64_t cpi_sparse_mean(const cpi_csr *a) { return a->nnz / (a->rows > 0 ? a->rows : 1); }

#endif
