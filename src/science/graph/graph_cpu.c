/* Weak components on the CPU: a forest of nodes whose trees edges join, the higher root below the lower. */
#include "backend/device.h"
#include "graph/graph.h"

static int32_t lowest_of(int32_t *root, int32_t v)
{
    while (root[v] != v) v = root[v] = root[root[v]]; /* paths become half as long */
    return v;
}

cp_code cpi_graph_cpu_components(cp_stream *stream, const cpi_graph *g, int32_t *label)
{
    (void)stream;
    int32_t *root = label, count = 0;
    for (int64_t v = 0; v < g->n; v++) root[v] = (int32_t)v;
    for (int64_t v = 0; v < g->n; v++) {
        int32_t a = lowest_of(root, (int32_t)v);
        for (int64_t k = g->ends[v]; k < g->ends[v + 1]; k++) {
            const int32_t b = lowest_of(root, g->target[k]);
            if (a < b) root[b] = a;
            else root[a] = b, a = b;
        }
    }
    for (int64_t v = 0; v < g->n; v++) /* a node's parent is lower, and has its number already */
        label[v] = root[v] == v ? count++ : label[root[v]];
    return CP_OK;
}
