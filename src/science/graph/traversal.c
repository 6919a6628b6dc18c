/* Traversals of a graph on the host: strong components, orders in breadth and in depth, shortest paths. */
#include "graph/graph.h"

#include <math.h>

#include "core/memory.h"

/* --- strong components: Pearce, "An improved algorithm for finding the strongly connected components of a directed
 * graph" (2005). A node's value is the lowest index that its search reaches; nodes of complete components have numbers
 * from n - 1 downwards, above every index that is in use. --- */

typedef struct strong {
    const cpi_graph *g;
    int32_t *value;         /* -1: not seen */
    int32_t *above, *below; /* the stack of nodes to visit, as a list, for one may move to its top; -1: no node */
    bool *waits;            /* in the stack */
    int32_t *held;          /* nodes whose component is not complete, as a stack */
    int64_t nheld;
    int32_t top, index, number;
} strong;

static void push(strong *s, int32_t v)
{
    if (s->waits[v]) { /* it moves to the top */
        if (s->above[v] < 0) return;
        s->below[s->above[v]] = s->below[v];
        if (s->below[v] >= 0) s->above[s->below[v]] = s->above[v];
    }
    s->waits[v] = true;
    s->below[v] = s->top, s->above[v] = -1;
    if (s->top >= 0) s->above[s->top] = v;
    s->top = v;
}

/* All successors of the node at the top are seen: it is a component's root, or is held until that is known. */
static void leave(strong *s, int32_t v)
{
    s->top = s->below[v];
    if (s->top >= 0) s->above[s->top] = -1;
    s->waits[v] = false;
    int32_t low = s->value[v];
    for (int64_t k = s->g->ends[v]; k < s->g->ends[v + 1]; k++) {
        const int32_t other = s->value[s->g->target[k]];
        if (other < low) low = other;
    }
    const bool root = low == s->value[v];
    s->value[v] = low;
    if (!root) {
        s->held[s->nheld++] = v;
        return;
    }
    s->index--;
    while (s->nheld && s->value[s->held[s->nheld - 1]] >= low) {
        s->value[s->held[--s->nheld]] = s->number;
        s->index--;
    }
    s->value[v] = s->number--;
}

static void search(strong *s)
{
    const cpi_graph *g = s->g;
    for (int64_t first = 0; first < g->n; first++) {
        if (s->value[first] >= 0) continue;
        push(s, (int32_t)first);
        while (s->top >= 0) {
            const int32_t v = s->top;
            if (s->value[v] >= 0) {
                leave(s, v);
                continue;
            }
            s->value[v] = s->index++;
            for (int64_t k = g->ends[v]; k < g->ends[v + 1]; k++)
                if (s->value[g->target[k]] < 0) push(s, g->target[k]);
        }
    }
}

bool cpi_graph_strong(const cpi_graph *g, int32_t *label)
{
    const size_t n = (size_t)g->n;
    int32_t *lists = cpi_malloc(sizeof *lists * (3 * n + 1));
    bool *waits = cpi_malloc(n + 1);
    if (lists && waits) {
        strong s = {.g = g, .value = label, .above = lists, .below = lists + n, .held = lists + 2 * n, .waits = waits,
                    .top = -1, .number = (int32_t)(g->n - 1)};
        for (size_t v = 0; v < n; v++) label[v] = -1, waits[v] = false;
        search(&s);
        for (size_t v = 0; v < n; v++) label[v] = (int32_t)(g->n - 1) - label[v];
    }
    const bool done = lists && waits;
    cpi_free_host(lists);
    cpi_free_host(waits);
    return done;
}

/* --- orders --- */

int64_t cpi_graph_breadth(const cpi_graph *g, int32_t start, int32_t *order, int32_t *before)
{
    int64_t n = 0;
    for (int64_t v = 0; v < g->n; v++) before[v] = CPI_GRAPH_NONE;
    order[n++] = start;
    for (int64_t at = 0; at < n; at++) {
        const int32_t v = order[at];
        for (int64_t k = g->ends[v]; k < g->ends[v + 1]; k++) {
            const int32_t w = g->target[k];
            if (w == start || before[w] != CPI_GRAPH_NONE) continue;
            before[w] = v;
            order[n++] = w;
        }
    }
    return n;
}

int64_t cpi_graph_depth(const cpi_graph *g, int32_t start, int32_t *order, int32_t *before)
{
    int64_t *next = cpi_malloc(sizeof *next * (size_t)(g->n + 1)), n = 0;
    if (!next) return -1;
    for (int64_t v = 0; v < g->n; v++) before[v] = CPI_GRAPH_NONE, next[v] = g->ends[v];
    order[n++] = start;
    for (int32_t v = start; v != CPI_GRAPH_NONE;) { /* the path back is that of the predecessors */
        if (next[v] == g->ends[v + 1]) {
            v = before[v];
            continue;
        }
        const int32_t w = g->target[next[v]++];
        if (w == start || before[w] != CPI_GRAPH_NONE) continue;
        before[w] = v;
        order[n++] = w;
        v = w;
    }
    cpi_free_host(next);
    return n;
}

/* --- shortest paths: Dijkstra's algorithm with a heap of nodes --- */

typedef struct heap {
    const double *key; /* of each node */
    int32_t *node, *place;
    int64_t n;
} heap;

/* Of two nodes at one distance the lower comes first. */
static bool earlier(const heap *h, int32_t a, int32_t b)
{
    return h->key[a] < h->key[b] || (h->key[a] == h->key[b] && a < b);
}
static void put(heap *h, int64_t at, int32_t v) { h->node[at] = v, h->place[v] = (int32_t)at; }

/* A node whose key is new, or less than it was. */
static void rise(heap *h, int32_t v)
{
    int64_t at = h->place[v] >= 0 ? h->place[v] : h->n++;
    for (; at > 0 && earlier(h, v, h->node[(at - 1) / 4]); at = (at - 1) / 4) put(h, at, h->node[(at - 1) / 4]);
    put(h, at, v);
}
static int32_t take(heap *h)
{
    const int32_t first = h->node[0], last = h->node[--h->n];
    int64_t at = 0;
    while (4 * at + 1 < h->n) {
        int64_t least = 4 * at + 1;
        for (int64_t c = least + 1; c < 4 * at + 5 && c < h->n; c++)
            if (earlier(h, h->node[c], h->node[least])) least = c;
        if (!earlier(h, h->node[least], last)) break;
        put(h, at, h->node[least]);
        at = least;
    }
    if (h->n) put(h, at, last);
    h->place[first] = -2; /* done */
    return first;
}

cp_code cpi_graph_paths(const cpi_graph *g, const double *length, int64_t count, const int64_t *source, double limit,
                        double *distance, int32_t *before, cpi_lookout *watch)
{
    int32_t *memory = cpi_malloc(sizeof *memory * (size_t)(2 * g->n + 1));
    if (!memory) return CP_ERROR_MEMORY;
    heap h = {.key = distance, .node = memory, .place = memory + g->n};
    for (int64_t v = 0; v < g->n; v++) distance[v] = INFINITY, before[v] = CPI_GRAPH_NONE, h.place[v] = -1;
    for (int64_t i = 0; i < count; i++) {
        distance[source[i]] = 0;
        rise(&h, (int32_t)source[i]);
    }
    while (h.n && !cpi_lookout_ends(watch)) {
        const int32_t v = take(&h);
        for (int64_t k = g->ends[v]; k < g->ends[v + 1]; k++) {
            const int32_t w = g->target[k];
            const double d = distance[v] + length[k];
            if (h.place[w] == -2 || !(d < distance[w]) || d > limit) continue;
            distance[w] = d;
            before[w] = v;
            rise(&h, w);
        }
    }
    cpi_free_host(memory);
    return cpi_ending_code(watch->of);
}
