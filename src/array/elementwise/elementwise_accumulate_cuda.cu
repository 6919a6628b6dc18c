/* The CUDA slots of ufunc reductions and ufunc.at: one thread per slice, or per index. */
#include "elementwise/operations_cuda.h"

namespace {

const cpi_cuda_accumulator *entry_of(int op, cp_type type)
{
    const cpi_cuda_accumulator *entry = cpi_cuda_accumulator_of(op, type);
    if (!entry) cpi_host->fail(CP_ERROR_INTERNAL, "%s: no kernel for this type", cpi_cuda_rows[op].name);
    return entry;
}

cp_code launch(cp_stream *stream, int op, cp_type type, int64_t threads, cpi_links_args *args)
{
    const cpi_cuda_accumulator *entry = entry_of(op, type);
    if (!entry) return CP_ERROR_INTERNAL;
    if (!threads) return CP_OK;
    return cpi_cuda_launch(entry->kernel, cpi_ceil_div(threads, CPI_THREADS), args, stream, cpi_cuda_rows[op].name);
}

} // namespace

cp_code cpi_elementwise_cuda_accumulate(cp_stream *stream, const cpi_ufunc_reduction *c)
{
    cpi_links_args args;
    args.is_reduction = true;
    args.reduction = *c;
    return launch(stream, c->op, c->type, c->n || c->first ? c->slices : 0, &args);
}

cp_code cpi_elementwise_cuda_at(cp_stream *stream, const cpi_indexed *p)
{
    cpi_links_args args;
    args.is_reduction = false;
    args.indexed = *p;
    return launch(stream, p->op, p->type, p->n, &args);
}
