/* Graphs as sparse matrices of compressed rows: an edge goes from row r to each of indices[indptr[r]..indptr[r+1]-1].
 *
 * All arrays are 1-d; indices and indptr are int32 or int64, of a square matrix that was checked (cp_csr_check), of
 * at most 2^31 - 1 nodes. Results are new arrays on the graph's device; on failure none is set. All functions but
 * cp_connected_components of weak ones wait; strong components and orders in depth are found on the host. */
#ifndef CUPRITE_GRAPH_H
#define CUPRITE_GRAPH_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of each node's component, int32 (n,). Weak ones (edges in both directions) are numbered by their first
 * nodes; strong ones in the order in which a search in depth completes them (Pearce, 2005), as SciPy's are. */
CP_API cp_array *cp_connected_components(cp_array *indices, cp_array *indptr, bool strong);
/* The nodes that are reached from `start` in breadth, or in depth, in their order, int32; and each node's predecessor,
 * int32 (n,), -9999 where there is none. CP_ERROR_VALUE for a node that is not there. */
CP_API cp_code cp_graph_order(cp_array *indices, cp_array *indptr, int64_t start, bool depth, cp_array **order,
                              cp_array **predecessors);
/* Lengths of the shortest paths from each of k sources (int64) along edges of lengths `data` (float64, not negative):
 * float64 (k, n), infinity where there is none or it is longer than `limit`; and predecessors, int32 (k, n), as above.
 * `together`: one row, of the paths from the nearest source, and k is 1. Of several predecessors it is the nearest, and
 * of these the one with the lowest number. Dijkstra's algorithm; on a GPU that of Davidson, Baxter, Garland and Owens
 * (2014), but where an edge of length 0 leads to another node, on the host. */
CP_API cp_code cp_shortest_paths(cp_array *data, cp_array *indices, cp_array *indptr, cp_array *sources, double limit,
                                 bool together, cp_array **distances, cp_array **predecessors);
/* A node of a cycle whose edges' lengths `data` (float64) add up to less than 0, -1 where there is none: a 0-d int64
 * array. Bellman and Ford's method, on the host: from a few passes over all edges to one for each node. */
CP_API cp_array *cp_negative_cycle(cp_array *data, cp_array *indices, cp_array *indptr);

#ifdef __cplusplus
}
#endif

#endif
