/* The slots that a backend fills for the module graph, and its traversals on the host. Invariant: edges lead to nodes
 * that are there; nobody checks them again. */
#ifndef CPI_GRAPH_H
#define CPI_GRAPH_H

#include "backend/backend.h"
#include "cpu/ending.h"
#include "cuprite/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A graph of n nodes: node v has the edges to target[ends[v]..ends[v+1]-1]. `target` has `edges` elements. */
typedef struct cpi_graph {
    int64_t n, edges;
    const int64_t *ends;
    const int32_t *target;
} cpi_graph;

/* Shortest paths on a device: rows of results, each from `count` sources. */
typedef struct cpi_graph_search {
    cpi_graph graph;
    int64_t rows, count;
    const double *length;
    const int64_t *source;
    double limit, *distance;
    int32_t *before;
    uint32_t *refused; /* result: not 0 where a length is negative or NaN, or nodes at one distance do not follow in */
                       /* the order of their numbers; the other results are not for use then */
} cpi_graph_search;

/*: slot("components", bytes="8 * g->n")
 * slot("breadth", absent="cpu", bytes="16 * g->n")
 * slot("paths", absent="cpu", bytes="p->rows * (24 * p->graph.n + 12 * p->graph.edges)") */
typedef struct cpi_graph_ops {
    /* The number of each node's component, of nodes that edges connect in either direction; they are numbered by their
     * lowest nodes. */
    cp_code (*components)(cp_stream *stream, const cpi_graph *g, int32_t *label);
    /* What the two below do on the host. count: int64, of the device. At most 2^31 - 1 edges. */
    cp_code (*breadth)(cp_stream *stream, const cpi_graph *g, int32_t start, int32_t *order, int32_t *before,
                       int64_t *count);
    cp_code (*paths)(cp_stream *stream, const cpi_graph_search *p);
} cpi_graph_ops;

/* On the host (traversal.c). Where there is no memory false is returned. */
bool cpi_graph_strong(const cpi_graph *g, int32_t *label);
/* How many nodes are in `order`, or -1. */
int64_t cpi_graph_breadth(const cpi_graph *g, int32_t start, int32_t *order, int32_t *before);
int64_t cpi_graph_depth(const cpi_graph *g, int32_t start, int32_t *order, int32_t *before);
/* From count sources at once. CP_ERROR_MEMORY and CP_ERROR_INTERRUPTED are without words. */
cp_code cpi_graph_paths(const cpi_graph *g, const double *length, int64_t count, const int64_t *source, double limit,
                        double *distance, int32_t *before, cpi_lookout *watch);
/* A node of a cycle whose lengths add up to less than 0, -1 where there is none (cycle.c); the same codes. */
cp_code cpi_graph_cycle(const cpi_graph *g, const double *length, int64_t *node, cpi_lookout *watch);

enum { CPI_GRAPH_NONE = -9999 }; /* a predecessor that is not there */

#ifdef __cplusplus
}
#endif
#include "graph/slots.h"

#endif
