"""cuprite.scipy.sparse.csgraph, compared with SciPy's."""
import pathlib
import warnings

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph as theirs

import cuprite as cp
from cuprite.scipy import sparse
from cuprite.scipy.sparse import csgraph


def drawn(seed, n, density, negative=False):
    rng = np.random.default_rng(seed)
    m = scipy.sparse.random(n, n, density=density, format="csr", rng=rng)
    m.data = rng.integers(1, 9, m.nnz).astype(float)
    if negative and m.nnz:
        m.data[0] = -1
    return m


GRAPHS = [drawn(s, n, d) for s, (n, d) in enumerate([(0, 0), (1, 0), (1, 1), (5, 0), (6, .3), (40, .02), (40, .05),
                                                     (200, .004), (200, .01), (300, .2)]) if n] + [
    scipy.sparse.csr_matrix(np.diag(np.ones(6), 1)), scipy.sparse.csr_matrix(np.eye(4))]
FORMS = ["csr_matrix", "csc_matrix", "coo_array", "dense"]


def ours(m, form="csr_matrix"):
    return cp.asarray(m.toarray()) if form == "dense" else getattr(sparse, form)(m)


def same(got, want, dtype=None):
    assert isinstance(got, cp.ndarray) and got.dtype == (dtype or want.dtype)
    np.testing.assert_array_equal(got.get(), want)


@pytest.mark.parametrize("connection, directed", [("weak", True), ("strong", True), ("strong", False)])
@pytest.mark.parametrize("form", FORMS)
def test_components(form, connection, directed, device):
    for m in GRAPHS:
        n, labels = theirs.connected_components(m, directed, connection)
        got, mine = csgraph.connected_components(ours(m, form), directed, connection)
        assert got == n and type(got) is int
        same(mine, labels)
        assert csgraph.connected_components(ours(m, form), directed, connection, return_labels=False) == n


def test_components_of_many_nodes(device):
    n = 100000
    for m in (drawn(1, n, 4e-6), drawn(2, n, 1e-5), scipy.sparse.eye(n, k=1, format="csr"),
              scipy.sparse.csr_matrix((np.ones(n), (np.zeros(n, int), np.arange(n))), shape=(n, n))):
        for connection in ("weak", "strong"):
            count, labels = theirs.connected_components(m, True, connection)
            got, mine = csgraph.connected_components(sparse.csr_matrix(m), True, connection)
            assert got == count
            same(mine, labels)


def test_components_of_wide_indices(device):
    m = drawn(3, 50, .03)
    wide = sparse.csr_array((cp.asarray(m.data), cp.asarray(m.indices, "l"), cp.asarray(m.indptr, "l")), shape=m.shape)
    assert wide.indices.dtype == np.int64
    same(csgraph.connected_components(wide)[1], theirs.connected_components(m)[1])


@pytest.mark.parametrize("name", ["breadth_first_order", "depth_first_order"])
@pytest.mark.parametrize("directed", [True, False])
def test_orders(name, directed, device):
    for m in GRAPHS:
        for start in {0, m.shape[0] // 2, m.shape[0] - 1}:
            want = getattr(theirs, name)(m, start, directed)
            got = getattr(csgraph, name)(ours(m), start, directed)
            same(got[0], want[0])
            same(got[1], want[1])
            same(getattr(csgraph, name)(ours(m), start, directed, False), want[0])


@pytest.mark.parametrize("name", ["breadth_first_tree", "depth_first_tree"])
@pytest.mark.parametrize("directed", [True, False])
def test_trees(name, directed, device):
    for m in GRAPHS:
        want, got = getattr(theirs, name)(m, 0, directed), getattr(csgraph, name)(ours(m), 0, directed)
        same(got.toarray(), want.toarray())


def is_path_tree(m, distances, before, directed, unweighted):
    """Each predecessor is the node before the last of a shortest path."""
    dense = m.toarray()
    if not directed:
        both = np.where(dense == 0, np.inf, dense)
        dense = np.minimum(both, both.T)
        dense[np.isinf(dense)] = 0
    for row, p in zip(distances, before):
        for v in np.flatnonzero(p >= 0):
            assert row[v] == row[p[v]] + (1 if unweighted else dense[p[v], v])
        assert (np.isinf(row) | (row == 0) == (p < 0)).all() or (row[p < 0] == 0).sum() + np.isinf(row).sum()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
def test_dijkstra(directed, unweighted, device):
    for m in GRAPHS:
        want = theirs.dijkstra(m, directed, unweighted=unweighted)
        got, before = csgraph.dijkstra(ours(m), directed, unweighted=unweighted, return_predecessors=True)
        same(got, want)
        assert before.dtype == np.int32
        is_path_tree(m, got.get(), before.get(), directed, unweighted)
        some = [0, m.shape[0] - 1]
        same(csgraph.dijkstra(ours(m), directed, some, unweighted=unweighted, limit=7.0),
             theirs.dijkstra(m, directed, some, unweighted=unweighted, limit=7.0))
        same(csgraph.dijkstra(ours(m), directed, 0, unweighted=unweighted), want[0])
        same(csgraph.shortest_path(ours(m), directed=directed, unweighted=unweighted), want)
        d, p, s = csgraph.dijkstra(ours(m), directed, some, True, unweighted, min_only=True)
        want = theirs.dijkstra(m, directed, some, True, unweighted, min_only=True)
        same(d, want[0])
        nearest = np.where(np.isinf(d.get()), -9999, s.get())
        assert set(nearest) <= {*some, -9999} and ((nearest == -9999) == np.isinf(want[0])).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [{}, {"normed": True}, {"use_out_degree": True}, {"symmetrized": True},
                                     {"normed": True, "symmetrized": True}, {"dtype": "f"}])
def test_laplacian(form, options, device):
    for m in GRAPHS:
        x = m.toarray() if form == "dense" else getattr(scipy.sparse, form)(m)
        want, w = theirs.laplacian(x, return_diag=True, **options)
        got, v = csgraph.laplacian(ours(m, form), return_diag=True, **options)
        dense = got if form == "dense" else got.toarray()
        want = want if form == "dense" else want.toarray()
        assert dense.dtype == want.dtype and v.dtype == w.dtype
        np.testing.assert_allclose(dense.get(), want, rtol=1e-6 if "dtype" in options else 1e-14, atol=1e-15)
        np.testing.assert_allclose(v.get(), w, rtol=1e-6)
        f = csgraph.laplacian(ours(m, form), form="function", **options)
        np.testing.assert_allclose(f(cp.ones(m.shape[0])).get(), want @ np.ones(m.shape[0]), atol=1e-5)


def test_scipys_own(device):
    m, flow = drawn(9, 12, .4), scipy.sparse.csr_matrix(np.array([[0, 5, 0], [0, 0, 3], [0, 0, 0]]))
    same(csgraph.floyd_warshall(ours(m)), theirs.floyd_warshall(m))
    same(csgraph.minimum_spanning_tree(ours(m)).toarray(), theirs.minimum_spanning_tree(m).toarray())
    r = csgraph.maximum_flow(ours(flow), 0, 2)
    assert r.flow_value == 3
    same(r.flow.toarray(), theirs.maximum_flow(flow, 0, 2).flow.toarray())
    same(csgraph.reverse_cuthill_mckee(ours(m)), theirs.reverse_cuthill_mckee(m))
    assert csgraph.structural_rank(ours(m)) == theirs.structural_rank(m)
    negative = scipy.sparse.csr_matrix(np.array([[0, -1.0, 0], [0, 0, 3], [0, 0, 0]]))
    same(csgraph.shortest_path(ours(negative)), theirs.shortest_path(negative))
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.bellman_ford(ours(scipy.sparse.csr_matrix(np.array([[0, -1.0], [-1.0, 0]]))))
    assert sorted(set(dir(theirs)) & set(theirs.__all__) - set(dir(csgraph))) == []


def test_refuses(device):
    m = ours(drawn(4, 5, .5))
    for call, kind, words in [
            (lambda: csgraph.connected_components(m[:3]), ValueError, "shape (N, N)"),
            (lambda: csgraph.connected_components(m, connection="weakly"), ValueError, "'weak' or 'strong'"),
            (lambda: csgraph.breadth_first_order(m, 5), ValueError, "node 5 is not one of 5"),
            (lambda: csgraph.dijkstra(m, indices=[7]), ValueError, "out of range"),
            (lambda: csgraph.dijkstra(m, limit=-1), ValueError, "limit"),
            (lambda: csgraph.dijkstra(m, limit=np.nan), ValueError, "limit"),
            (lambda: csgraph.shortest_path(m, "X"), ValueError, "method"),
            (lambda: csgraph.laplacian(m[:2]), ValueError, "square"),
            (lambda: csgraph.breadth_first_order(m, 1.5), TypeError, "integer")]:
        with pytest.raises(kind) as e:
            call()
        assert type(e.value) is kind and words in str(e.value)


LAUNCHED = """
extern "C" __global__ void breadth(long long n, const long long *ends, const int *target, int start, int *order,
    int *before, unsigned long long *claim, int *number, long long *parts, unsigned *arrived, long long *count)
{
    breadth_search s = {n, ends, target, start, order, before, claim, number, parts, arrived, count};
    if (gridDim.x > 1) search_breadth<grid_workers>(s);
    else search_breadth<block_workers>(s);
}
extern "C" __global__ void paths(int stage, long long n, long long edges, long long rows, long long count,
    const long long *ends, const int *target, const double *length, const long long *source, double limit,
    double reach, double *distance, int *before, int *lists, void *state, unsigned *flags, double *sum)
{
    path_search s = {n, edges, rows, count, ends, target, length, source, limit, reach, distance, before, lists,
                     (path_state *)state, flags, sum};
    if (!stage) measure(s);
    else if (stage == 1) search_paths<block_workers>(s, blockIdx.x, gridDim.x);
    else search_paths<grid_workers>(s, 0, 1);
}
"""


@pytest.fixture(scope="module")
def kernels():
    """The GPU's kernels (src/science/graph) as a user's, on every device."""
    folder = pathlib.Path(__file__).parents[2] / "src/science/graph"
    text = "".join((folder / f"{name}.cuh").read_text() for name in ("workers", "components", "breadth", "paths"))
    text = text.replace('#include "graph/workers.cuh"', "").replace("static __global__", 'extern "C" __global__')
    return cp.RawModule(code=text + LAUNCHED, options=("--std=c++17",), enable_cooperative_groups=True)


@pytest.mark.parametrize("threads", [32, 256])
def test_kernels_of_components(kernels, threads, device):
    for m in [g for g in GRAPHS] + [drawn(8, 3000, 3e-4)]:
        n, (count, want) = m.shape[0], theirs.connected_components(m)
        ends, target = cp.asarray(m.indptr, "l"), cp.asarray(m.indices, "i")
        root, is_root = cp.empty(n, "i"), cp.empty(n, "i")

        def launch(name, lanes, *args):
            kernels.get_function(name)((-(-n * lanes // threads),), (threads,), (np.int64(n), *args))
        launch("own_tree", 1, root)
        launch("join_trees", 8, ends, target, root)
        launch("flatten_trees", 1, root, is_root)
        lowest = np.full(count, n)
        np.minimum.at(lowest, want, np.arange(n))
        same(root, lowest[want].astype("i"))
        number = cp.cumsum(is_root, dtype="i")
        launch("number_trees", 1, number, root)
        same(root, want)


def grid(height, width, hub=False):
    """The graph of a grid's neighbours, both ways, of different lengths; hub: with a node that all have an edge to."""
    rng = np.random.default_rng(height)
    n = height * width
    at = np.arange(n).reshape(height, width)
    pairs = np.concatenate([np.stack([at[:-1], at[1:]], -1).reshape(-1, 2),
                            np.stack([at[:, :-1], at[:, 1:]], -1).reshape(-1, 2)])
    pairs = np.concatenate([pairs, pairs[:, ::-1]] + hub * [np.stack([np.arange(n), np.full(n, n // 3)], -1),
                                                            np.stack([np.full(n, n // 3), np.arange(n)], -1)])
    m = scipy.sparse.csr_matrix((rng.integers(1, 5, len(pairs)).astype(float), pairs.T), shape=(n, n))
    m.setdiag(0)
    m.eliminate_zeros()
    return m


SEARCHED = [*GRAPHS, drawn(8, 3000, 3e-4), drawn(9, 2000, 2e-3), grid(40, 50), grid(30, 30, True)]


@pytest.mark.parametrize("blocks, threads", [(1, 32), (1, 256), (3, 64)])
def test_kernels_of_breadth(kernels, blocks, threads, device):
    for m in SEARCHED:
        n = m.shape[0]
        ends, target = cp.asarray(m.indptr, "l"), cp.asarray(m.indices, "i")
        for start in {0, n // 3}:
            order, before, count = cp.full(n, -1, "i"), cp.full(n, -1, "i"), cp.zeros((), "l")
            kernels.get_function("breadth")((blocks,), (threads,), (
                np.int64(n), ends, target, np.int32(start), order, before, cp.empty(n, "Q"), cp.empty(n, "i"),
                cp.empty(1024, "l"), cp.zeros(1, "I"), count))
            want = theirs.breadth_first_order(m, start)
            same(order[:int(count)], want[0])
            same(before, want[1])


def least_predecessors(m, distances):
    """Of the nodes from which a distance comes the nearest, and of these the lowest."""
    m, result = m.tocoo(), np.full(distances.shape, -9999, "i")
    for row, before in zip(distances, result):
        with np.errstate(invalid="ignore"):
            fits = (row[m.row] + m.data == row[m.col]) & np.isfinite(row[m.row]) & (m.row != m.col)
        order = np.lexsort((m.row[fits], row[m.row[fits]]))[::-1]
        before[m.col[fits][order]] = m.row[fits][order]
    return result


@pytest.mark.parametrize("blocks, threads", [(1, 32), (2, 256), (-3, 64)])  # below 0: all together
@pytest.mark.parametrize("reach", [0, 2, 1e9])
def test_kernels_of_paths(kernels, blocks, threads, reach, device):
    launch = kernels.get_function("paths")
    for m in SEARCHED:
        n = m.shape[0]
        for sources, together in (([0], False), ([n // 2, 0, n - 1], False), ([n // 2, 0, n // 2], True)):
            rows = 1 if together else len(sources)
            groups = max(blocks, 1)
            distance, before = cp.full((rows, n), -1.0), cp.full((rows, n), -1, "i")
            flags, state = cp.zeros(1, "I"), cp.zeros(64 * groups, "b")
            sums, given = cp.zeros(1), (
                np.int64(n), np.int64(m.nnz), np.int64(rows), np.int64(len(sources) // rows), cp.asarray(m.indptr, "l"),
                cp.asarray(m.indices, "i"), cp.asarray(m.data), cp.asarray(sources, "l"), np.float64(9),
                np.float64(reach), distance, before, cp.empty(6 * n * groups, "i"), state, flags)
            for stage in (0, 2 if blocks < 0 else 1):
                launch((abs(blocks),), (threads,), (np.int32(stage), *given, sums))
            want = theirs.dijkstra(m, True, sources, limit=9, min_only=together).reshape(rows, n)
            assert int(flags[0]) == 0 and float(sums[0]) == m.data.sum()
            same(distance, want)
            same(before, least_predecessors(m, want))


@pytest.mark.parametrize("edges, flag", [
    ([(0, 1, 0.0)], 2), ([(0, 1, 1.0), (1, 2, 0.0)], 2), ([(0, 1, 1.0), (1, 2, 1e-17)], 2), ([(0, 0, 0.0)], 0),
    ([(0, 1, 1.0), (1, 0, 0.0)], 0), ([(2, 1, 0.0)], 0), ([(0, 1, -1.0)], 1), ([(2, 1, np.nan)], 1),
    ([(0, 1, np.inf)], 0), ([(0, 1, 1e308), (1, 2, 1e308)], 0)])
def test_kernels_of_paths_know_what_they_cannot_do(kernels, edges, flag, device):
    """Edges between nodes at one distance, and lengths that are negative or NaN."""
    row, column, length = map(np.array, zip(*edges))
    ends = np.searchsorted(row, np.arange(4))
    distance, before, flags, sums, state = (cp.zeros(k, t) for k, t in ((3, "d"), (3, "i"), (1, "I"), (1, "d"),
                                                                        (64, "b")))
    for stage in (0, 1):
        kernels.get_function("paths")((1,), (32,), (
            np.int32(stage), np.int64(3), np.int64(len(row)), np.int64(1), np.int64(1), cp.asarray(ends, "l"),
            cp.asarray(column, "i"), cp.asarray(length), cp.zeros(1, "l"), np.float64(np.inf), np.float64(2), distance,
            before, cp.empty(18, "i"), state, flags, sums))
    assert int(flags[0]) == flag
    if not flag:
        far = np.isinf(length) | (length == 1e308)
        assert distance.get().tolist() == [0, 1e308 if far.sum() == 2 else 1 if length[0] == 1 else np.inf, np.inf]
        assert before.get().tolist() == [-9999, 0 if np.isfinite(distance.get()[1]) else -9999, -9999]


def test_paths_along_edges_of_no_length(device):
    """Where nodes at one distance lead to each other."""
    m = scipy.sparse.csr_matrix((np.array([1.0, 0, 0, 2]), ([0, 3, 1, 0], [3, 1, 2, 2])), shape=(4, 4))
    d, p = csgraph.dijkstra(ours(m), indices=0, return_predecessors=True)
    assert d.get().tolist() == [0, 1, 1, 1] and p.get().tolist() == [-9999, 3, 1, 0]
    wide = scipy.sparse.csr_matrix((np.array([1e308, 1e308]), ([0, 1], [1, 2])), shape=(3, 3))
    same(csgraph.dijkstra(ours(wide), indices=[0]), theirs.dijkstra(wide, indices=[0]))


def test_searches_of_large_graphs(device):
    """What a GPU searches by all of its blocks."""
    for m in (drawn(11, 20000, 2e-4), grid(150, 200), grid(120, 100, True)):
        n = m.shape[0]
        for name in ("breadth_first_order", "depth_first_order"):
            want, got = (getattr(f, name)(x, 7) for f, x in ((theirs, m), (csgraph, ours(m))))
            same(got[0], want[0])
            same(got[1], want[1])
        want = theirs.dijkstra(m, indices=[0, n - 1])
        got, before = csgraph.dijkstra(ours(m), indices=[0, n - 1], return_predecessors=True)
        same(got, want)
        same(before, least_predecessors(m, want))
        many = np.arange(0, n, n // 70)
        same(csgraph.dijkstra(ours(m), indices=many, limit=6.0), theirs.dijkstra(m, indices=many, limit=6.0))


@pytest.mark.parametrize("form", ["dense", "csr_array", "coo_array", "lil_array", "dia_array"])
@pytest.mark.parametrize("dtype", ["i2", "i4", "i8", "f4", "F"])
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_the_laplacian_has_the_graphs_type(dtype, form, device):
    m = np.array([[0, 1, 0], [4, 2, 0], [0, 0, 0]], dtype)
    x, y = (m, cp.asarray(m)) if form == "dense" else (
        getattr(scipy.sparse, form)(m), getattr(cp.scipy.sparse, form)(cp.asarray(m)))
    for options in ({}, {"normed": True}, {"symmetrized": True}, {"dtype": "f4"}, {"use_out_degree": True}):
        want, got = (f.laplacian(v, return_diag=True, **options) for f, v in ((theirs, x), (csgraph, y)))
        assert (got[0].dtype, got[1].dtype) == (want[0].dtype, want[1].dtype), options


def has_negative_cycle(m):
    try:
        theirs.bellman_ford(m)
    except theirs.NegativeCycleError:
        return True
    return False


def test_cycles_of_negative_length(device):
    """Drawn lengths, of which some make such a cycle: where there is none, dijkstra's answer is Bellman and Ford's."""
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(60):
        n, k = int(rng.integers(1, 12)), int(rng.integers(1, 40))
        m = scipy.sparse.csr_matrix((rng.integers(-2, 12, k).astype(float), (rng.integers(0, n, k), rng.integers(
            0, n, k))), shape=(n, n))
        m.sum_duplicates()
        if has_negative_cycle(m):
            found += 1
            with pytest.raises(csgraph.NegativeCycleError, match="Negative cycle detected on node"):
                csgraph.dijkstra(ours(m))
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")     # SciPy's, of lengths below 0
                same(csgraph.dijkstra(ours(m)), theirs.bellman_ford(m))
    assert 10 < found < 50


def test_negative_lengths_of_a_large_graph(device):
    """Bellman and Ford's passes for each node would take minutes."""
    n = 100000
    rng = np.random.default_rng(6)
    start, end, length = rng.integers(0, n, 10 * n), rng.integers(0, n, 10 * n), rng.normal(size=10 * n)
    graph = scipy.sparse.csr_matrix((length, (start, end)), shape=(n, n))
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.dijkstra(ours(graph), indices=0)
    height = rng.normal(size=n)     # lengths between heights, and more: no cycle is below 0
    start, end = np.divmod(np.unique(start * n + end), n)
    graph = scipy.sparse.csr_matrix((rng.random(start.size) + .01 + height[end] - height[start], (start, end)),
                                    shape=(n, n))
    data, indices, indptr = (cp.asarray(x) for x in (graph.data, graph.indices, graph.indptr))
    from cuprite import _graph
    assert int(_graph.negative_cycle(data, indices, indptr)) == -1 and (graph.data < 0).any()
