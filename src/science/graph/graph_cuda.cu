/* Weak components on the GPU. */
#include "cuda/cuda.h"
#include "graph/graph.h"
#include "scan/scan.h"

namespace {

#include "graph/components.cuh"

enum { THREADS = 256 };

} // namespace

cp_code cpi_graph_cuda_components(cp_stream *stream, const cpi_graph *g, int32_t *label)
{
    const char *name = "connected_components";
    cudaStream_t s = cpi_cuda_stream(stream);
    const int64_t n = g->n;
    int32_t *count = (int32_t *)cpi_host->work_alloc(stream, sizeof *count * (size_t)n);
    if (!count) return CP_ERROR_MEMORY;
    const unsigned nodes = cpi_cuda_blocks(n, THREADS, 0x7fffffff);
    const unsigned lanes = cpi_cuda_blocks(n * LANES, THREADS, 0x7fffffff);
    own_tree<<<nodes, THREADS, 0, s>>>(n, label);
    join_trees<<<lanes, THREADS, 0, s>>>(n, (const long long *)g->ends, g->target, label);
    flatten_trees<<<nodes, THREADS, 0, s>>>(n, label, count);
    cp_code code = CPI_LAUNCHED(stream, name);
    cpi_scan scan = {};
    scan.op = CPI_SCAN_ADD, scan.type = scan.source = scan.result = CP_INT32;
    scan.outer = scan.inner = 1, scan.n = n, scan.from = scan.to = count;
    if (code == CP_OK && n > 1) code = cpi_scan_cuda_scan(stream, &scan);
    if (code == CP_OK) {
        number_trees<<<nodes, THREADS, 0, s>>>(n, count, label);
        code = CPI_LAUNCHED(stream, name);
    }
    cpi_host->work_free(stream, count);
    return code;
}
