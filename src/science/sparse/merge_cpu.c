/* Sparse matrices on the CPU: elements of two matrices, added, subtracted or multiplied. The file is apart from
 * computed_cpu.c because each takes the compiler some seconds. */
#include "sparse/rows_cpu.h"

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
