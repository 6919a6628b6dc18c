/* The CUDA slots of ufunc reductions and ufunc.at: one thread per slice, or per index. */
#include "elementwise/operations_cuda.h"

namespace {

const cpi_cuda_accumulator *entry_of(int op, cp_type type)
{
    const cpi_cuda_accumulator *entry = cpi_cuda_accumulator_of(op, type);
    if (!entry) cpi_host->fail(CP_ERROR_INTERNAL, "%s: no kernel for this type", cpi_cuda_rows[op].name);
    return entry;
}

int64_t blocks_for(int64_t n) { return cpi_ceil_div(n, CPI_THREADS); }

} // namespace

cp_code cpi_elementwise_cuda_accumulate(cp_stream *stream, const cpi_ufunc_reduction *c)
{
    const cpi_cuda_accumulator *entry = entry_of(c->op, c->type);
    if (!entry) return CP_ERROR_INTERNAL;
    if (!c->slices || (!c->n && !c->first)) return CP_OK;
    cpi_ufunc_reduction args = *c;
    return cpi_cuda_launch(entry->accumulate, blocks_for(c->slices), &args, stream, cpi_cuda_rows[c->op].name);
}

cp_code cpi_elementwise_cuda_at(cp_stream *stream, const cpi_indexed *p)
{
    const cpi_cuda_accumulator *entry = entry_of(p->op, p->type);
    if (!entry) return CP_ERROR_INTERNAL;
    if (!p->n) return CP_OK;
    cpi_indexed args = *p;
    return cpi_cuda_launch(entry->at, blocks_for(p->n), &args, stream, cpi_cuda_rows[p->op].name);
}
