/* Graphs on the GPU: components, searches in breadth, shortest paths. */
#include "cuda/cuda.h"
#include "graph/graph.h"
#include "scan/scan.h"

namespace {

#include "graph/components.cuh"
#include "graph/breadth.cuh"
#include "graph/paths.cuh"

enum {
    THREADS = 256,
    FEW_EDGES = 1 << 14,  /* a block alone is as fast: its barriers are */
    MANY_ROWS = 64,       /* enough for a block each */
    ROWS_MEMORY = 1 << 30, /* bytes of lists, where each block has some */
    REACH = 32            /* mean lengths, over how many edges a node has: 8 of grids, 4 of graphs of 8 edges a node */
};

unsigned at_once(cp_stream *stream, int64_t edges, int64_t most)
{
    const int64_t units = cpi_cuda_units(stream);
    return edges < FEW_EDGES ? 1 : (unsigned)(units < most ? units : most);
}

cp_code launch(cp_stream *stream, const void *kernel, unsigned blocks, unsigned threads, void *argument,
               const char *name)
{
    void *arguments[] = {argument};
    cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, cpi_cuda_stream(stream));
    return CPI_LAUNCHED(stream, name);
}

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

cp_code cpi_graph_cuda_breadth(cp_stream *stream, const cpi_graph *g, int32_t start, int32_t *order, int32_t *before,
                               int64_t *count)
{
    const size_t n = (size_t)g->n, claims = sizeof(graph_word) * n, parts = sizeof(long long) * BREADTH_BLOCKS;
    char *work = (char *)cpi_host->work_alloc(stream, claims + parts + sizeof(unsigned) + sizeof(int) * n);
    if (!work) return CP_ERROR_MEMORY;
    breadth_search s = {};
    s.n = g->n, s.ends = (const long long *)g->ends, s.target = g->target, s.start = start;
    s.order = order, s.before = before, s.count = (long long *)count;
    s.claim = (graph_word *)work, s.parts = (long long *)(work + claims);
    s.arrived = (unsigned *)(work + claims + parts), s.number = (int *)(s.arrived + 1);
    cudaMemsetAsync(s.arrived, 0, sizeof *s.arrived, cpi_cuda_stream(stream));
    const unsigned blocks = at_once(stream, g->edges, BREADTH_BLOCKS);
    const cp_code code = launch(stream, blocks > 1 ? (const void *)breadth_by_grid : (const void *)breadth_by_block,
                                blocks, BREADTH_THREADS, &s, "breadth_first_order");
    cpi_host->work_free(stream, work);
    return code;
}

cp_code cpi_graph_cuda_paths(cp_stream *stream, const cpi_graph_search *p)
{
    const int64_t n = p->graph.n, lists = 6 * (int64_t)sizeof(int) * n, units = cpi_cuda_units(stream);
    const bool few = p->graph.edges < FEW_EDGES || (p->rows >= MANY_ROWS && lists <= ROWS_MEMORY / MANY_ROWS);
    int64_t groups = !few ? 1 : ROWS_MEMORY / (lists + 1);
    if (groups > p->rows) groups = p->rows;
    if (groups > 4 * units) groups = 4 * units;
    if (groups < 1) groups = 1;
    const size_t states = sizeof(path_state) * (size_t)groups + 16;
    char *work = (char *)cpi_host->work_alloc(stream, (size_t)(lists * groups) + states);
    if (!work) return CP_ERROR_MEMORY;
    path_search s = {};
    s.n = n, s.edges = p->graph.edges, s.rows = p->rows, s.count = p->count;
    s.ends = (const long long *)p->graph.ends, s.target = p->graph.target, s.length = p->length;
    s.source = (const long long *)p->source, s.limit = p->limit;
    s.reach = s.edges ? REACH * (double)n / (double)s.edges : 0;
    s.distance = p->distance, s.before = p->before, s.flags = p->refused;
    s.lists = (int *)work;
    s.sum = (double *)(work + lists * groups), s.state = (path_state *)(s.sum + 2);
    cudaStream_t run = cpi_cuda_stream(stream);
    cudaMemsetAsync(s.sum, 0, states, run);
    cudaMemsetAsync(s.flags, 0, sizeof *s.flags, run);
    measure_lengths<<<cpi_cuda_blocks(s.edges + 1, THREADS, (unsigned)(4 * units)), THREADS, 0, run>>>(s);
    cp_code code = CPI_LAUNCHED(stream, "shortest_paths");
    if (code == CP_OK && few) {
        paths_by_block<<<(unsigned)groups, PATHS_THREADS, 0, run>>>(s);
        code = CPI_LAUNCHED(stream, "shortest_paths");
    } else if (code == CP_OK) {
        code = launch(stream, (const void *)paths_by_grid, (unsigned)units, PATHS_THREADS, &s, "shortest_paths");
    }
    cpi_host->work_free(stream, work);
    return code;
}
