"""Functions of graphs that are Cuprite's own. A graph is a sparse matrix, or an array whose zeros are no edges; an edge
from i to j is element (i, j)."""
from __future__ import annotations

import operator

import cuprite as cp
from cuprite import _graph as G
from cuprite._element_types import type_of
from cuprite.scipy.sparse._base import issparse

_NONE = -9999  # a predecessor that is not there


def _edges(csgraph, directed=True):
    """The graph as a csr matrix of float64; of one without directions each edge stands in both of its ends' rows, those
    of the graph first.

    Errors: ValueError for a matrix that is not square."""
    from cuprite.scipy.sparse import csr_matrix
    if csgraph is None:
        raise TypeError("a graph is a matrix, not None")
    if not issparse(csgraph):
        if hasattr(csgraph, "tocsr") and not isinstance(csgraph, cp.ndarray):
            csgraph = csr_matrix(csgraph)
        else:
            dense = cp.atleast_2d(cp.asarray(csgraph, dtype=float))
            if dense.ndim != 2:
                raise ValueError("compressed-sparse graph must be 2-D")
            csgraph = csr_matrix(cp.where(cp.isfinite(dense), dense, 0.0))  # what is not finite is no edge
    if csgraph.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    graph = csgraph.tocsr().astype(float, copy=False)
    data, indices, indptr = graph._triple()
    if directed:
        return data, indices, indptr
    from cuprite import _sparse as S
    more, back, ends = graph.T.tocsr()._triple()
    join = cp.concatenate
    return S.sparse_compress(join([data, more]), join([S.sparse_rows(indices, indptr), S.sparse_rows(back, ends)]),
                             join([indices, back]), graph.shape[0])


def _node(i, n, name="i_start"):
    i = operator.index(i)
    if not -n <= i < n:
        raise ValueError(f"{name}: node {i} is not one of {n}")
    return i % n


def connected_components(csgraph, directed=True, connection="weak", return_labels=True):
    """The connected components of a graph: their number, and the number of each node's.

    Parameters: csgraph: a matrix (n, n); directed: whether edges have directions; connection: 'weak': their directions
        do not count, or 'strong': paths lead both ways; return_labels: whether the labels are returned too.
    Returns: the number, and an int32 array (n,) of labels from 0. Strong components are found on the host.
    Errors: ValueError for a matrix that is not square or another connection.
    Source: scipy.sparse.csgraph.connected_components; Pearce (2005) for strong ones."""
    if not isinstance(connection, str) or connection.lower() not in ("weak", "strong"):
        raise ValueError(f"connection must be 'weak' or 'strong', not {connection!r}")
    _, indices, indptr = _edges(csgraph)
    labels = G.connected_components(indices, indptr, bool(directed) and connection.lower() == "strong")
    count = int(labels.max()) + 1 if labels.size else 0
    return (count, labels) if return_labels else count


def laplacian(csgraph, normed=False, return_diag=False, use_out_degree=False, *, copy=True, form="array", dtype=None,
              symmetrized=False):
    """The Laplacian of a graph: degrees on the diagonal, less the edges.

    Parameters: csgraph: a matrix (n, n), or an array; normed: whether rows and columns are divided by the roots of the
        degrees; return_diag: whether the diagonal's degrees are returned too; use_out_degree: edges that go out count,
        not those that come in; copy: False: csgraph's memory may be used; form: 'array', 'function' or 'lo' (a
        LinearOperator); dtype: of the result; symmetrized: whether the graph's conjugate transpose is added.
    Returns: a coo matrix, of a dia matrix a dia matrix, of an array an array; with return_diag also the degrees (n,),
        or their roots.
    Errors: ValueError for a matrix that is not square or another form.
    Source: scipy.sparse.csgraph.laplacian."""
    if csgraph.ndim != 2 or csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError("csgraph must be a square matrix or array")
    if form not in ("array", "function", "lo"):
        raise ValueError(f"Invalid form: {form!r}")
    if normed and (type_of(csgraph).kind in "iu"):
        csgraph = csgraph.astype(float)
    x = csgraph + csgraph.T.conj() if symmetrized else csgraph
    along, last = 1 if use_out_degree else 0, type_of(csgraph) if dtype is None else dtype
    result, diagonal = (_sparse_laplacian if issparse(x) else _dense_laplacian)(x, normed, along, dtype)
    if issparse(result):
        result = result.asformat("dia" if csgraph.format == "dia" else "coo" if form == "array" else "csr")
    result, diagonal = result.astype(last, copy=False), diagonal.astype(last, copy=False)
    if form != "array":
        of = result

        def multiply(v):
            return of @ v
        result = multiply
        if form == "lo":
            from cuprite.scipy.sparse.linalg import LinearOperator
            result = LinearOperator(of.shape, matvec=multiply, matmat=multiply, dtype=type_of(of))
    return (result, diagonal) if return_diag else result


def _degrees(w, normed):
    """The roots of degrees, 1 where there is none, and where that is."""
    isolated = w == 0
    return cp.where(isolated, 1, cp.sqrt(w)).astype(type_of(w) if type_of(w).kind in "fc" else float), isolated


def _sparse_laplacian(graph, normed, along, dtype):
    coo = graph.tocoo(copy=True)
    if dtype is not None:
        coo = coo.astype(dtype)
    w = cp.asarray(coo.sum(axis=along)).ravel() - coo.diagonal()
    row, column = coo._coords
    off = row != column
    data, row, column = coo.data[off], row[off], column[off]
    n = coo.shape[0]
    if normed:
        w, isolated = _degrees(w, normed)
        data = data / (w[row] * w[column])
        top = (1 - isolated.astype(int)).astype(type_of(data))
    else:
        top = w.astype(type_of(coo))
    every = cp.arange(n, dtype=type_of(row))
    join = cp.concatenate
    result = type(coo)((join([-data, top]), (join([row, every]), join([column, every]))), shape=coo.shape)
    result.sum_duplicates()
    return result, w


def _dense_laplacian(graph, normed, along, dtype):
    m = cp.array(graph, dtype=dtype)
    m[cp.arange(len(m)), cp.arange(len(m))] = 0
    w = m.sum(axis=along)
    if normed:
        w, isolated = _degrees(w, normed)
        m = m / w / w[:, None]
        top = 1 - isolated.astype(int)
    else:
        top = w
    m = -m
    m[cp.arange(len(m)), cp.arange(len(m))] = top
    return m, w


# --- orders ---

def _order(csgraph, i_start, directed, return_predecessors, depth):
    _, indices, indptr = _edges(csgraph, directed)
    order, before = G.graph_order(indices, indptr, _node(i_start, len(indptr) - 1), depth)
    return (order, before) if return_predecessors else order


def breadth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """The nodes that are reached from one, the nearest first.

    Parameters: csgraph: a matrix (n, n); i_start: the node; directed: False: edges lead both ways;
        return_predecessors: whether they are returned too.
    Returns: int32 arrays: the nodes, and each node's predecessor (n,), -9999 where there is none.
    Errors: ValueError for a matrix that is not square or a node that is not there.
    Source: scipy.sparse.csgraph.breadth_first_order."""
    return _order(csgraph, i_start, directed, return_predecessors, False)


def depth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """The nodes that are reached from one, along each path to its end.

    Parameters: csgraph: a matrix (n, n); i_start: the node; directed: False: edges lead both ways;
        return_predecessors: whether they are returned too.
    Returns: int32 arrays: the nodes, and each node's predecessor (n,), -9999 where there is none. Found on the host.
    Errors: ValueError for a matrix that is not square or a node that is not there.
    Source: scipy.sparse.csgraph.depth_first_order."""
    return _order(csgraph, i_start, directed, return_predecessors, True)


def _tree(csgraph, i_start, directed, depth):
    from cuprite.scipy.sparse import csr_array, csr_matrix, isspmatrix
    data, indices, indptr = _edges(csgraph, directed)
    _, before = _order(csgraph, i_start, directed, True, depth)
    n = len(before)
    to = cp.flatnonzero(before != _NONE)
    at = before[to].astype(type_of(to))
    new = csr_matrix if isspmatrix(csgraph) else csr_array
    return new((_least(data, indices, indptr, at, to), (at, to)), shape=(n, n))


def _least(data, indices, indptr, rows, columns):
    """The shortest of the edges between nodes, of a graph in which each may stand twice."""
    from cuprite import _sparse as S
    row = S.sparse_rows(indices, indptr).astype("int64")
    n = len(indptr) - 1
    place, wanted = row * n + indices, rows.astype("int64") * n + columns
    order = cp.argsort(data, kind="stable")
    order = order[cp.argsort(place[order], kind="stable")]
    return data[order][cp.searchsorted(place[order], wanted)]


def breadth_first_tree(csgraph, i_start, directed=True):
    """The tree of a search in breadth: the edge to each node from its predecessor.

    Parameters: csgraph: a matrix (n, n); i_start: the root; directed: False: edges lead both ways.
    Returns: a csr matrix (n, n).
    Errors: ValueError for a matrix that is not square or a node that is not there.
    Source: scipy.sparse.csgraph.breadth_first_tree."""
    return _tree(csgraph, i_start, directed, False)


def depth_first_tree(csgraph, i_start, directed=True):
    """The tree of a search in depth: the edge to each node from its predecessor.

    Parameters: csgraph: a matrix (n, n); i_start: the root; directed: False: edges lead both ways.
    Returns: a csr matrix (n, n).
    Errors: ValueError for a matrix that is not square or a node that is not there.
    Source: scipy.sparse.csgraph.depth_first_tree."""
    return _tree(csgraph, i_start, directed, True)


# --- shortest paths ---

def dijkstra(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False, limit=float("inf"),
             min_only=False):
    """The lengths of shortest paths along edges that are not negative, by Dijkstra's algorithm.

    Parameters: csgraph: a matrix (n, n) of the edges' lengths; directed: False: edges lead both ways; indices: the
        nodes where paths begin, None: all; return_predecessors: whether they are returned too; unweighted: every edge
        has length 1; limit: longer paths are infinite; min_only: paths begin at the nearest of the nodes, which are
        returned with the predecessors.
    Returns: float64 (..., n), infinity where there is no path; int32 predecessors, -9999 where there is none; with
        min_only int32 sources. Of several nodes before the last, it is the nearest, and of these the one with the
        lowest number. On a CPU there is a task for each node where paths begin; a GPU's graph whose edges lead to a
        node at the same distance (of length 0) is searched on the host.
    Errors: ValueError for a matrix that is not square, a node that is not there or a negative limit;
        NegativeCycleError for a cycle of negative length, along which SciPy's never ends.
    Source: scipy.sparse.csgraph.dijkstra."""
    data, edges, indptr = _edges(csgraph, directed)
    n = len(indptr) - 1
    if not limit >= 0:
        raise ValueError("limit must be >= 0")
    if unweighted:
        data = cp.ones_like(data)
    elif data.size and bool((data < 0).any()):
        _no_cycle_below_zero(data, edges, indptr)
        return _by_scipy("dijkstra", csgraph, directed=directed, indices=indices, limit=limit, min_only=min_only,
                         return_predecessors=return_predecessors)
    start = cp.arange(n) if indices is None else cp.asarray(indices)
    shape = start.shape
    start = start.ravel().astype("int64")
    if start.size and not bool(((start >= -n) & (start < n)).all()):
        raise ValueError("indices out of range 0...N")
    start = cp.where(start < 0, start + n, start)
    distances, before = G.shortest_paths(data, edges, indptr, start, float(limit), bool(min_only))
    if min_only:
        if not return_predecessors:
            return distances[0]
        return distances[0], before[0], _sources(before[0], start)
    distances, before = (x.reshape(*shape, n) for x in (distances, before))
    return (distances, before) if return_predecessors else distances


def _no_cycle_below_zero(data, edges, indptr):
    """NegativeCycleError where a cycle has a negative length."""
    node = int(G.negative_cycle(data, edges, indptr))
    if node >= 0:
        from cuprite.scipy.sparse.csgraph._by_scipy import module
        raise module().NegativeCycleError(f"Negative cycle detected on node {node}")


def _sources(before, start):
    """The node where the path to each node begins, -9999 where there is none."""
    n = len(before)
    up = cp.where(before == _NONE, cp.arange(n, dtype=type_of(before)), before)
    while True:
        over = up[up]
        if bool((over == up).all()):
            break
        up = over
    begins = cp.zeros(n, bool)
    begins[start] = True
    return cp.where(begins[up], up, _NONE).astype("int32")


def _by_scipy(name, csgraph, **options):
    from cuprite.scipy.sparse.csgraph import _by_scipy as lent
    return lent.back(getattr(lent.module(), name)(lent.given(csgraph), **{k: lent.given(v) for k, v in
                                                                          options.items()}))


def shortest_path(csgraph, method="auto", directed=True, return_predecessors=False, unweighted=False, overwrite=False,
                  indices=None):
    """The lengths of shortest paths.

    Parameters: csgraph: a matrix (n, n) of the edges' lengths; method: 'auto', 'D' (Dijkstra's), or SciPy's 'FW'
        (Floyd and Warshall's), 'BF' (Bellman and Ford's) and 'J' (Johnson's); directed: False: edges lead both ways;
        return_predecessors: whether they are returned too; unweighted: every edge has length 1; overwrite: not used;
        indices: the nodes where paths begin, None: all.
    Returns: float64 (..., n), infinity where there is no path; int32 predecessors, -9999 where there is none.
    Errors: ValueError for a matrix that is not square or another method; NegativeCycleError.
    Source: scipy.sparse.csgraph.shortest_path."""
    if method not in ("auto", "FW", "D", "BF", "J"):
        raise ValueError(f"unrecognized method {method!r}")
    data, _, _ = _edges(csgraph)
    if method in ("auto", "D") and (unweighted or not data.size or not bool((data < 0).any())):
        return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
    if method == "D":
        _no_cycle_below_zero(*_edges(csgraph, directed))
    if method == "FW" and indices is not None:
        raise ValueError("Cannot specify indices with method == 'FW'.")
    return _by_scipy("shortest_path", csgraph, method=method, directed=directed, unweighted=unweighted,
                     return_predecessors=return_predecessors, indices=indices)
