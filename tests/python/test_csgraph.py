"""cuprite.scipy.sparse.csgraph, compared with SciPy's."""
import pathlib

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


@pytest.fixture(scope="module")
def kernels():
    """The GPU's kernels (src/science/graph/components.cuh) as a user's, on every device."""
    text = (pathlib.Path(__file__).parents[2] / "src/science/graph/components.cuh").read_text()
    text = text.replace("static __global__", 'extern "C" __global__')
    return cp.RawModule(code=text)


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
