/* Sparse matrices on the CPU: elements of two matrices, added, subtracted or multiplied. The file is apart from
 * computed_cpu.c because each takes the compiler some seconds. */
#include "sparse/rows_cpu.h"

/* May one of n elements be 0? Never false where one is. */
static bool some_zero(const cpi_sparse_kernels *with, cp_type type, const void *v, int64_t n)
{
    const int64_t size = cpi_itemsize(type);
    if (cpi_is_complex(type) || size < 4) return true;
    const uint64_t sign = cpi_is_int(type) ? 0 : (uint64_t)1 << (size * 8 - 1); /* -0 is 0 */
    return size == 8 ? with->some_zero_64(v, n, ~sign) : with->some_zero_32(v, n, ~(uint32_t)sign);
}

#define CPI_EACH "sparse/merge.inc"
#include "sparse/classes.h"

static const cpi_sparse_rows_fn merge_count_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(merge_count);
static const cpi_sparse_rows_fn merge_fill_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(merge_fill);

cp_code cpi_sparse_cpu_merge_count(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    const cpi_sparse_rows_fn count = merge_count_table[cpi_sparse_class(j->a.type)][j->a.wide];
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a) + cpi_sparse_mean(&j->b),
                          j->op == CP_SPARSE_ALIGN ? cpi_sparse_align_rows : count);
}
cp_code cpi_sparse_cpu_merge_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a) + cpi_sparse_mean(&j->b),
                          merge_fill_table[cpi_sparse_class(j->a.type)][j->a.wide]);
}
