/* Cycles whose lengths add up to less than 0, on the host: Bellman and Ford's method with a queue (Cherkassky and
 * Goldberg, "Negative-cycle detection algorithms", 1999). All nodes begin at distance 0. Each time that as many
 * distances as there are nodes became less, the predecessors are followed: they make a cycle only where there is a
 * negative one. Invariant: a node waits in the queue where its distance became less since its edges were followed. */
#include "graph/graph.h"

#include "core/memory.h"

typedef struct cycles {
    const cpi_graph *g;
    const double *length;
    double *distance;
    int32_t *before, *queue; /* CPI_GRAPH_NONE: no predecessor; a ring of n */
    int32_t *seen;           /* by which walk of the predecessors */
    bool *waits;
    int64_t first, waiting;
} cycles;

static void enqueue(cycles *c, int32_t v)
{
    const int64_t n = c->g->n, at = c->first + c->waiting++;
    c->queue[at < n ? at : at - n] = v;
    c->waits[v] = true;
}
static int32_t dequeue(cycles *c)
{
    const int32_t v = c->queue[c->first];
    c->first = c->first + 1 < c->g->n ? c->first + 1 : 0;
    c->waiting--;
    c->waits[v] = false;
    return v;
}
/* A node of a cycle of predecessors, or -1. */
static int64_t closed(cycles *c)
{
    for (int64_t v = 0; v < c->g->n; v++) c->seen[v] = -1;
    for (int64_t v = 0; v < c->g->n; v++) {
        int32_t w = (int32_t)v;
        for (; w != CPI_GRAPH_NONE && c->seen[w] < 0; w = c->before[w]) c->seen[w] = (int32_t)v;
        if (w != CPI_GRAPH_NONE && c->seen[w] == v) return w; /* not where another walk has been */
    }
    return -1;
}
static int64_t search(cycles *c, cpi_lookout *watch)
{
    const cpi_graph *g = c->g;
    int64_t less = 0;
    for (int64_t v = 0; v < g->n; v++) {
        c->distance[v] = 0, c->before[v] = CPI_GRAPH_NONE;
        enqueue(c, (int32_t)v);
    }
    while (c->waiting && !cpi_lookout_ends(watch)) {
        const int32_t v = dequeue(c);
        for (int64_t k = g->ends[v]; k < g->ends[v + 1]; k++) {
            const int32_t w = g->target[k];
            const double d = c->distance[v] + c->length[k];
            if (!(d < c->distance[w])) continue;
            c->distance[w] = d, c->before[w] = v;
            if (!c->waits[w]) enqueue(c, w);
            less++;
        }
        if (less < g->n) continue;
        const int64_t found = closed(c);
        if (found >= 0) return found;
        less = 0;
    }
    return -1;
}

cp_code cpi_graph_cycle(const cpi_graph *g, const double *length, int64_t *node, cpi_lookout *watch)
{
    const size_t n = (size_t)g->n + 1;
    cycles c = {.g = g, .length = length, .distance = cpi_malloc(sizeof *c.distance * n),
                .before = cpi_malloc(sizeof *c.before * n), .queue = cpi_malloc(sizeof *c.queue * n),
                .seen = cpi_malloc(sizeof *c.seen * n), .waits = cpi_malloc(n)};
    const bool done = c.distance && c.before && c.queue && c.seen && c.waits;
    if (done) *node = search(&c, watch);
    cpi_free_host(c.distance);
    cpi_free_host(c.before);
    cpi_free_host(c.queue);
    cpi_free_host(c.seen);
    cpi_free_host(c.waits);
    return done ? cpi_ending_code(watch->of) : CP_ERROR_MEMORY;
}
