"""scipy.sparse.csgraph on Cuprite's arrays: graphs as sparse matrices.

Components, Laplacians, orders and shortest paths along edges that are not negative are Cuprite's own; the other
functions are SciPy's, on the host."""
from __future__ import annotations

from cuprite._beside import beside_in as _beside_in
from cuprite._missing import listing as _listing, missing as _missing

_LATER = {  # names: the modules that have them
    "bellman_ford": "_by_scipy", "breadth_first_order": "_graphs", "breadth_first_tree": "_graphs",
    "connected_components": "_graphs", "construct_dist_matrix": "_by_scipy", "csgraph_from_dense": "_by_scipy",
    "csgraph_from_masked": "_by_scipy", "csgraph_masked_from_dense": "_by_scipy", "csgraph_to_dense": "_by_scipy",
    "csgraph_to_masked": "_by_scipy", "depth_first_order": "_graphs", "depth_first_tree": "_graphs",
    "dijkstra": "_graphs", "floyd_warshall": "_by_scipy", "johnson": "_by_scipy", "laplacian": "_graphs",
    "maximum_bipartite_matching": "_by_scipy", "maximum_flow": "_by_scipy",
    "min_weight_full_bipartite_matching": "_by_scipy", "minimum_spanning_tree": "_by_scipy",
    "NegativeCycleError": "_by_scipy", "reconstruct_path": "_by_scipy", "reverse_cuthill_mckee": "_by_scipy",
    "shortest_path": "_graphs", "structural_rank": "_by_scipy", "yen": "_by_scipy",
}


def __getattr__(name):
    import importlib
    if name not in _LATER:
        raise _missing(__name__, name)
    module = importlib.import_module("cuprite.scipy.sparse.csgraph." + _LATER[name])
    value = globals()[name] = _beside_in(module, name)
    return value


__dir__ = _listing(__name__, *_LATER)
