/* Graphs: arguments and results. */
#include "graph/graph.h"

#include "core/memory.h"
#include "cpu/threads.h"
#include "operands/operands.h"

/* A graph's arrays, as slots take them. */
typedef struct edges {
    cp_array *ends, *target; /* owned: int64, int32 */
    cpi_graph graph;
} edges;

static void drop(edges *e)
{
    cp_free(e->ends);
    cp_free(e->target);
    *e = (edges){0};
}

static cp_code hold(const char *name, edges *e, cp_array *indices, cp_array *indptr, cpi_device *device)
{
    *e = (edges){0};
    cp_array *const both[] = {indices, indptr};
    for (int i = 0; i < 2; i++) {
        if (both[i]->type != CP_INT32 && both[i]->type != CP_INT64)
            return cpi_fail(CP_ERROR_TYPE, "%s: %s must be int32 or int64, not %s", name, i ? "indptr" : "indices",
                            cp_type_name(both[i]->type));
        if (both[i]->ndim != 1)
            return cpi_fail(CP_ERROR_VALUE, "%s: %s must be a 1-D array, not one of %d", name,
                            i ? "indptr" : "indices", both[i]->ndim);
    }
    if (indptr->size < 1) return cpi_fail(CP_ERROR_VALUE, "%s: indptr must not be empty", name);
    if (indptr->size > INT32_MAX) return cpi_fail(CP_ERROR_VALUE, "%s: more than 2^31 - 1 nodes", name);
    e->ends = cpi_dense(name, indptr, CP_INT64, device);
    e->target = e->ends ? cpi_dense(name, indices, CP_INT32, device) : NULL;
    if (!e->target) {
        drop(e);
        return cp_error();
    }
    cpi_array_used(e->ends);
    cpi_array_used(e->target);
    e->graph = (cpi_graph){.n = indptr->size - 1, .edges = indices->size,
                           .ends = (const int64_t *)(void *)e->ends->data,
                           .target = (const int32_t *)(void *)e->target->data};
    return CP_OK;
}

/* --- a graph on the host --- */

typedef struct host_graph {
    edges own; /* where the device's arrays are the host's; else */
    int64_t *ends;
    int32_t *target;
    cpi_graph graph;
} host_graph;

static void drop_host(host_graph *h)
{
    drop(&h->own);
    cpi_free_host(h->ends);
    cpi_free_host(h->target);
    *h = (host_graph){0};
}

/* The graph's arrays as the host's. Waits. */
static cp_code to_host(const char *name, host_graph *h, cp_array *indices, cp_array *indptr, cpi_device *device)
{
    edges e;
    *h = (host_graph){0};
    if (hold(name, &e, indices, indptr, device) != CP_OK) return cp_error();
    if (device->backend->at_once) {
        *h = (host_graph){.own = e, .graph = e.graph};
        return CP_OK;
    }
    const size_t nends = (size_t)e.ends->size * sizeof *h->ends, ntarget = (size_t)e.target->size * sizeof *h->target;
    h->ends = cpi_malloc(nends);
    h->target = h->ends ? cpi_malloc(ntarget) : NULL;
    cp_code code = h->target ? cp_to_host(e.ends, h->ends, nends) : cp_error();
    if (code == CP_OK) code = cp_to_host(e.target, h->target, ntarget);
    h->graph = (cpi_graph){.n = e.graph.n, .edges = e.graph.edges, .ends = h->ends, .target = h->target};
    drop(&e);
    if (code != CP_OK) drop_host(h);
    return code;
}

/* An array of the host's values. */
static cp_array *array_of(const char *name, cpi_device *device, cp_type type, int ndim, const int64_t *shape,
                          const void *values)
{
    cp_array *a = cpi_array_new(name, device, type, ndim, shape, 'C');
    if (!a || !a->size) return a;
    const size_t bytes = (size_t)a->size * (size_t)cpi_itemsize(type);
    if (device->backend->from_host(cpi_stream(device), a->data, values, bytes) == CP_OK) return a;
    cp_free(a);
    return NULL;
}

static cp_code check_lengths(const char *name, const cp_array *data, const cp_array *indices)
{
    if (data->ndim == 1 && data->size == indices->size) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: indices and data must have the same length", name);
}

/* --- components --- */

static cp_array *weak(const char *name, cp_array *indices, cp_array *indptr, cpi_device *device)
{
    edges e;
    if (hold(name, &e, indices, indptr, device) != CP_OK) return NULL;
    const int64_t n = e.graph.n;
    cp_array *label = cpi_array_new(name, device, CP_INT32, 1, &n, 'C');
    if (label && n && device->backend->graph->components(cpi_stream(device), &e.graph,
                                                         (int32_t *)(void *)label->data) != CP_OK) {
        cp_free(label);
        label = NULL;
    }
    drop(&e);
    return label;
}

static cp_array *strong(const char *name, cp_array *indices, cp_array *indptr, cpi_device *device)
{
    host_graph h;
    if (to_host(name, &h, indices, indptr, device) != CP_OK) return NULL;
    const int64_t n = h.graph.n;
    int32_t *label = cpi_malloc(sizeof *label * (size_t)(n + 1));
    cp_array *result = NULL;
    if (label && cpi_graph_strong(&h.graph, label)) result = array_of(name, device, CP_INT32, 1, &n, label);
    cpi_free_host(label);
    drop_host(&h);
    return result;
}

cp_array *cp_connected_components(cp_array *indices, cp_array *indptr, bool strong_ones)
{
    const char *name = "connected_components";
    if (cpi_null(name, indices) || cpi_null(name, indptr)) return NULL;
    cp_array *const both[] = {indices, indptr};
    cpi_device *device = cpi_common_device(name, 2, both);
    return !device ? NULL : (strong_ones ? strong : weak)(name, indices, indptr, device);
}

/* --- orders --- */

/* By the device's own search. */
static cp_code breadth_there(const char *name, cpi_device *device, cp_array *indices, cp_array *indptr, int64_t start,
                             cp_array **order, cp_array **predecessors)
{
    edges e;
    if (hold(name, &e, indices, indptr, device) != CP_OK) return cp_error();
    int64_t n = e.graph.n, found = 0;
    cp_array *nodes = cpi_array_new(name, device, CP_INT32, 1, &n, 'C');
    cp_array *before = nodes ? cpi_array_new(name, device, CP_INT32, 1, &n, 'C') : NULL;
    cp_array *count = before ? cpi_array_new(name, device, CP_INT64, 0, NULL, 'C') : NULL;
    cp_code code = !count ? cp_error() : device->backend->graph->breadth(
        cpi_stream(device), &e.graph, (int32_t)start, (int32_t *)(void *)nodes->data, (int32_t *)(void *)before->data,
        (int64_t *)(void *)count->data);
    if (code == CP_OK) code = cp_to_host(count, &found, sizeof found);
    cp_array *part = code == CP_OK ? cp_slice(nodes, CP_ITEMS(CP_RANGE(0, found))) : NULL;
    cp_array *result = part ? cp_copy(part) : NULL; /* not a view of more memory */
    cp_free(part);
    cp_free(count);
    cp_free(nodes);
    drop(&e);
    if (!result) {
        cp_free(before);
        return cp_error();
    }
    *order = result, *predecessors = before;
    return CP_OK;
}

static cp_code order_on_host(const char *name, cpi_device *device, cp_array *indices, cp_array *indptr, int64_t start,
                             bool depth, cp_array **order, cp_array **predecessors)
{
    host_graph h;
    if (to_host(name, &h, indices, indptr, device) != CP_OK) return cp_error();
    const int64_t n = h.graph.n;
    int32_t *memory = cpi_malloc(sizeof *memory * (size_t)(2 * n));
    int64_t count = -1;
    if (memory) count = (depth ? cpi_graph_depth : cpi_graph_breadth)(&h.graph, (int32_t)start, memory, memory + n);
    cp_array *a = NULL, *b = NULL;
    if (count >= 0) a = array_of(name, device, CP_INT32, 1, &count, memory);
    if (a) b = array_of(name, device, CP_INT32, 1, &n, memory + n);
    cpi_free_host(memory);
    drop_host(&h);
    if (!b) {
        cp_free(a);
        return cp_error();
    }
    *order = a, *predecessors = b;
    return CP_OK;
}

cp_code cp_graph_order(cp_array *indices, cp_array *indptr, int64_t start, bool depth, cp_array **order,
                       cp_array **predecessors)
{
    const char *name = "graph_order";
    if (cpi_null(name, indices) || cpi_null(name, indptr)) return cp_error();
    cp_array *const both[] = {indices, indptr};
    cpi_device *device = cpi_common_device(name, 2, both);
    if (!device) return cp_error();
    if (start < 0 || start >= indptr->size - 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: node %lld is not one of %lld", name, (long long)start,
                        (long long)(indptr->size - 1));
    if (!depth && device->backend->graph->breadth && indices->size <= INT32_MAX)
        return breadth_there(name, device, indices, indptr, start, order, predecessors);
    return order_on_host(name, device, indices, indptr, start, depth, order, predecessors);
}

/* --- paths --- */

typedef struct paths {
    const cpi_graph *g;
    const double *length;
    const int64_t *source;
    double limit, *distance;
    int32_t *before;
    int64_t at_once;    /* sources of a task */
    cpi_ending ending;
    int failed;         /* CP_OK, or what a task failed with */
} paths;

static void path_task(void *context, int64_t task, int worker)
{
    paths *p = context;
    const int64_t n = p->g->n;
    cpi_lookout watch = {&p->ending, worker};
    if (cpi_lookout_look(&watch)) return; /* a call that has ended does not begin another source */
    const cp_code code = cpi_graph_paths(p->g, p->length, p->at_once, p->source + task * p->at_once, p->limit,
                                         p->distance + task * n, p->before + task * n, &watch);
    if (code != CP_OK) __atomic_store_n(&p->failed, code, __ATOMIC_RELAXED);
}

/* An error where a source is no node, or an edge's length is negative or NaN. */
static cp_code check_paths(const char *name, const host_graph *h, const double *length, int64_t nlength,
                           const int64_t *source, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (source[i] < 0 || source[i] >= h->graph.n)
            return cpi_fail(CP_ERROR_VALUE, "%s: node %lld is not one of %lld", name, (long long)source[i],
                            (long long)h->graph.n);
    for (int64_t i = 0; i < nlength; i++)
        if (!(length[i] >= 0))
            return cpi_fail(CP_ERROR_VALUE, "%s: lengths must not be negative or NaN, as %g is", name, length[i]);
    return CP_OK;
}

/* The paths of k sources on the host, as new arrays. */
static cp_code find_paths(const char *name, cpi_device *device, const host_graph *h, const double *length,
                          const int64_t *source, int64_t k, double limit, bool together, cp_array **distances,
                          cp_array **predecessors)
{
    const int64_t n = h->graph.n, rows = together ? 1 : k, shape[2] = {rows, n};
    const bool fits = !rows || n <= INT64_MAX / (int64_t)sizeof(double) / rows;
    double *distance = fits ? cpi_malloc(sizeof *distance * (size_t)(rows * n)) : NULL;
    int32_t *before = distance ? cpi_malloc(sizeof *before * (size_t)(rows * n)) : NULL;
    paths p = {.g = &h->graph, .length = length, .source = source, .limit = limit, .distance = distance,
               .before = before, .at_once = together ? k : 1, .failed = before ? CP_OK : CP_ERROR_MEMORY};
    if (before) cpi_parallel(rows, path_task, &p);
    if (p.failed == CP_OK) p.failed = cpi_ending_code(&p.ending);
    cp_array *a = NULL, *b = NULL;
    if (p.failed == CP_OK) a = array_of(name, device, CP_FLOAT64, 2, shape, distance);
    if (a) b = array_of(name, device, CP_INT32, 2, shape, before);
    cpi_free_host(before);
    cpi_free_host(distance);
    if (b) {
        *distances = a, *predecessors = b;
        return CP_OK;
    }
    cp_free(a);
    if (p.failed == CP_ERROR_INTERRUPTED) return cpi_fail(p.failed, "%s: the call was interrupted", name);
    return cp_error() ? cp_error() : cpi_fail(CP_ERROR_MEMORY, "%s: no memory for %lld paths", name, (long long)k);
}

/* By the device's own search. False, with nothing done, where the host has to: to say what is wrong, or since nodes at
 * one distance follow in another order than that of their numbers. Else *code is the result. */
static bool paths_there(const char *name, cpi_device *device, const edges *e, cp_array *data, cp_array *sources,
                        double limit, bool together, cp_array **distances, cp_array **predecessors, cp_code *code)
{
    const int64_t k = sources->size, rows = together ? 1 : k, shape[2] = {rows, e->graph.n};
    cp_array *distance = cpi_array_new(name, device, CP_FLOAT64, 2, shape, 'C');
    cp_array *before = distance ? cpi_array_new(name, device, CP_INT32, 2, shape, 'C') : NULL;
    cp_array *refused = before ? cpi_array_new(name, device, CP_UINT32, 0, NULL, 'C') : NULL;
    uint32_t flags = 0;
    *code = refused ? CP_OK : cp_error();
    if (*code == CP_OK) {
        const cpi_graph_search p = {
            .graph = e->graph, .rows = rows, .count = together ? k : 1, .limit = limit,
            .length = (const double *)(void *)data->data, .source = (const int64_t *)(void *)sources->data,
            .distance = (double *)(void *)distance->data, .before = (int32_t *)(void *)before->data,
            .refused = (uint32_t *)(void *)refused->data};
        *code = device->backend->graph->paths(cpi_stream(device), &p);
    }
    if (*code == CP_OK) *code = cp_to_host(refused, &flags, sizeof flags);
    cp_free(refused);
    if (*code == CP_OK && !flags) {
        *distances = distance, *predecessors = before;
        return true;
    }
    cp_free(before);
    cp_free(distance);
    return !flags;
}

/* On the host, of arrays that a device may have. */
static cp_code paths_on_host(const char *name, cpi_device *device, cp_array *indices, cp_array *indptr, cp_array *data,
                             cp_array *sources, double limit, bool together, cp_array **distances,
                             cp_array **predecessors)
{
    host_graph h;
    if (to_host(name, &h, indices, indptr, device) != CP_OK) return cp_error();
    const int64_t k = sources->size;
    double *length = cpi_malloc(sizeof *length * (size_t)(data->size + 1));
    int64_t *source = length ? cpi_malloc(sizeof *source * (size_t)(k + 1)) : NULL;
    cp_code code = source ? cp_to_host(data, length, sizeof *length * (size_t)data->size) : cp_error();
    if (code == CP_OK) code = cp_to_host(sources, source, sizeof *source * (size_t)k);
    if (code == CP_OK) code = check_paths(name, &h, length, data->size, source, k);
    if (code == CP_OK)
        code = find_paths(name, device, &h, length, source, k, limit, together, distances, predecessors);
    cpi_free_host(source);
    cpi_free_host(length);
    drop_host(&h);
    return code;
}

/* --- cycles --- */

typedef struct cycle {
    const cpi_graph *g;
    const double *length;
    int64_t node;
    cpi_ending ending;
    cp_code code;
} cycle;

static void cycle_task(void *context, int64_t task, int worker)
{
    cycle *c = context;
    cpi_lookout watch = {&c->ending, worker};
    (void)task;
    c->code = cpi_graph_cycle(c->g, c->length, &c->node, &watch);
}

cp_array *cp_negative_cycle(cp_array *data, cp_array *indices, cp_array *indptr)
{
    const char *name = "negative_cycle";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr)) return NULL;
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){data, indices, indptr});
    if (!device || check_lengths(name, data, indices)) return NULL;
    host_graph h;
    if (to_host(name, &h, indices, indptr, device) != CP_OK) return NULL;
    cp_array *wide = cpi_dense(name, data, CP_FLOAT64, device), *result = NULL;
    double *length = wide ? cpi_malloc(sizeof *length * (size_t)(data->size + 1)) : NULL;
    if (length && cp_to_host(wide, length, sizeof *length * (size_t)data->size) == CP_OK) {
        cycle c = {.g = &h.graph, .length = length};
        cpi_parallel(1, cycle_task, &c);
        if (c.code == CP_OK) result = array_of(name, device, CP_INT64, 0, NULL, &c.node);
        else if (cpi_ending_named(name, c.code) == CP_ERROR_MEMORY && !cp_error())
            cpi_fail(c.code, "%s: no memory for %lld nodes", name, (long long)h.graph.n);
    }
    cpi_free_host(length);
    cp_free(wide);
    drop_host(&h);
    return result;
}

cp_code cp_shortest_paths(cp_array *data, cp_array *indices, cp_array *indptr, cp_array *sources, double limit,
                          bool together, cp_array **distances, cp_array **predecessors)
{
    const char *name = "shortest_paths";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr) || cpi_null(name, sources))
        return cp_error();
    cp_array *const all[] = {data, indices, indptr, sources};
    cpi_device *device = cpi_common_device(name, 4, all);
    if (!device) return cp_error();
    if (check_lengths(name, data, indices)) return cp_error();
    if (sources->ndim != 1) return cpi_fail(CP_ERROR_VALUE, "%s: sources must be a 1-D array", name);
    edges e;
    if (hold(name, &e, indices, indptr, device) != CP_OK) return cp_error();
    cp_array *length = cpi_dense(name, data, CP_FLOAT64, device);
    cp_array *from = length ? cpi_dense(name, sources, CP_INT64, device) : NULL;
    cp_code code = from ? CP_OK : cp_error();
    if (from) {
        cpi_array_used(length);
        cpi_array_used(from);
    }
    const bool own = device->backend->graph->paths && e.graph.n && from && from->size && e.graph.edges <= INT32_MAX;
    if (from && !(own && paths_there(name, device, &e, length, from, limit, together, distances, predecessors, &code)))
        code = paths_on_host(name, device, indices, indptr, length, from, limit, together, distances, predecessors);
    cp_free(from);
    cp_free(length);
    drop(&e);
    return code;
}
