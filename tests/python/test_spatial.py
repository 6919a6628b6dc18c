"""cuprite.scipy.spatial against SciPy: distances in every metric, trees, triangulations."""
import numpy as np
import pytest

import cuprite as cp
from oracle import kind, outcome, raises

ss = pytest.importorskip("scipy.spatial")
sd = ss.distance
cs, cd = cp.scipy.spatial, cp.scipy.spatial.distance
r = np.random.default_rng(5)
A, B = r.standard_normal((70, 7)), r.standard_normal((81, 7))
W = r.uniform(0.1, 2, 7)
QHULL = "Qbb Qc Qz Q12"  # SciPy's own options: its triangles, in its order
TRUTHS = "dice yule rogerstanimoto russellrao sokalsneath".split()
CASES = [(m, A, B, o) for m in "euclidean sqeuclidean cityblock chebyshev canberra braycurtis cosine correlation "
         "minkowski".split() for o in ({}, {"w": W})]
CASES += [(m, A, B, {}) for m in "mahalanobis seuclidean".split()]
CASES += [("minkowski", A, B, {"p": p}) for p in (1, 1.5, 3, np.inf)] + [("minkowski", A, B, {"p": 3, "w": W})]
CASES += [("jensenshannon", abs(A), abs(B), {}), ("seuclidean", A, B, {"V": W}),
          ("mahalanobis", A, B, {"VI": np.diag(W) + 0.1})]
CASES += [(m, np.round(A), np.round(B), o) for m in ("hamming", "jaccard") for o in ({}, {"w": W})]
CASES += [(m, A > 0, B > 0.3, o) for m in [*TRUTHS, "hamming", "jaccard"] for o in ({}, {"w": W})]
CASES += [("euclidean", A.astype("f4"), B.astype("f4"), {}), ("cityblock", np.round(A).astype(int), np.round(B), {}),
          ("e", A[:, :1], B[:, :1], {}), ("SqE", A[:1], B[:1], {}), ("cheb", A[:64], B[:65], {})]


def ours(options):
    return {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}


@pytest.mark.parametrize("rows", [1, 3, 64, 69, 70])
@pytest.mark.parametrize("metric, options", [("cosine", {}), ("correlation", {}), ("cosine", {"w": W}),
                                             ("correlation", {"w": W})])
def test_products_some_rows_at_a_time(monkeypatch, device, metric, options, rows):
    from cuprite.scipy.spatial.distance import _metrics
    for others, wanted in ((A, sd.pdist(A, metric, **options)), (B, sd.cdist(A, B, metric, **options))):
        monkeypatch.setattr(_metrics, "_AT_ONCE", rows * len(others) * _metrics._SHORTEST)
        x, y = cp.asarray(A), cp.asarray(others)
        got = cd.pdist(x, metric, **ours(options)) if others is A else cd.cdist(x, y, metric, **ours(options))
        np.testing.assert_allclose(got.get(), wanted, rtol=1e-12, atol=1e-13)
    for n in (0, 1, 2):
        assert cd.pdist(x[:n], metric, **ours(options)).shape == (n * (n - 1) // 2,)
        assert cd.cdist(x[:n], y[:0], metric, **ours(options)).shape == (n, 0)


@pytest.mark.parametrize("metric, a, b, options", CASES)
def test_metrics(metric, a, b, options):
    got = cd.cdist(cp.asarray(a), cp.asarray(b), metric, **ours(options))
    np.testing.assert_allclose(got.get(), sd.cdist(a, b, metric, **options), rtol=1e-12, atol=1e-13)
    assert got.dtype == np.float64
    got = cd.pdist(cp.asarray(a), metric, **ours(options)) if len(a) > 1 else None
    if got is not None:
        np.testing.assert_allclose(got.get(), sd.pdist(a, metric, **options), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("metric", "euclidean sqeuclidean cityblock chebyshev canberra braycurtis hamming jaccard "
                         "cosine correlation".split())
def test_special_values(metric):
    x = np.array([[0.0, 0, 0], [1, np.nan, 2], [np.inf, 1, 1], [1e200, 1e-200, 1], [0, -0.0, 5e-324]])
    with np.errstate(all="ignore"):
        want = sd.cdist(x, x, metric)
    got = cd.cdist(cp.asarray(x), cp.asarray(x), metric).get()
    fine = np.isfinite(x).all(axis=1)
    pairs = fine[:, None] & fine & (abs(x).max(axis=1) < 1e100)[:, None] if metric in ("cosine", "correlation") else \
        np.ones(want.shape, bool)
    np.testing.assert_allclose(got[pairs], want[pairs], rtol=1e-12, atol=1e-13)


def test_near_points_lose_no_digits():
    a = np.array([[1e8, 1e8 + 1e-7]]) + r.uniform(0, 1e-6, (50, 2))
    want = sd.cdist(a, a)
    np.testing.assert_allclose(cd.cdist(cp.asarray(a), cp.asarray(a)).get(), want, rtol=1e-14)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "canberra", "braycurtis",
                                    "cosine", "correlation", "minkowski", "jaccard", "hamming"])
def test_two_points(metric):
    u, v = np.round(A[0], 1), np.round(B[0], 1)
    for options in ({}, {"w": W}):
        got = getattr(cd, metric)(cp.asarray(u), cp.asarray(v), **ours(options))
        np.testing.assert_allclose(float(got), float(getattr(sd, metric)(u, v, **options)), rtol=1e-13)


def test_other_pairs_of_points():
    u, v, V = A[0], B[0], np.diag(W)
    for name, args in (("seuclidean", (u, v, W)), ("mahalanobis", (u, v, V)),
                       ("jensenshannon", (abs(u), abs(v), 2.0))):
        got = getattr(cd, name)(*(cp.asarray(x) if isinstance(x, np.ndarray) else x for x in args))
        np.testing.assert_allclose(float(got), getattr(sd, name)(*args), rtol=1e-13)
    for name in TRUTHS:
        got = getattr(cd, name)(cp.asarray(u > 0), cp.asarray(v > 0))
        np.testing.assert_allclose(float(got), float(getattr(sd, name)(u > 0, v > 0)), rtol=1e-13)
    row = cd.jensenshannon(cp.asarray(abs(u)[None]), cp.asarray(abs(v)[None]), 2.0)
    np.testing.assert_allclose(float(row), sd.jensenshannon(abs(u), abs(v), 2.0), rtol=1e-13)
    for axis, keepdims in ((1, False), (-1, True), (0, True)):     # with an axis of their own, rows are SciPy's
        got = cd.jensenshannon(cp.asarray(abs(u)[None]), cp.asarray(abs(v)[None]), axis=axis, keepdims=keepdims)
        want = sd.jensenshannon(abs(u)[None], abs(v)[None], axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(got.get(), want, rtol=1e-13, atol=1e-15)
    assert float(cd.cityblock(cp.asarray(u)[None], cp.asarray(v)[None])) == float(cd.cityblock(u, v))
    p, q = abs(u) / abs(u).sum(), abs(v) / abs(v).sum()
    np.testing.assert_allclose(float(cd.hellinger(p, q)), np.sqrt(1 - np.sqrt(p * q).sum()), rtol=1e-13)
    np.testing.assert_allclose(float(cd.kl_divergence(p, q)), (p * np.log(p / q)).sum(), rtol=1e-13)


def test_forms_and_hausdorff():
    y = sd.pdist(A)
    assert (cd.squareform(cp.asarray(y)).get() == sd.squareform(y)).all()
    assert (cd.squareform(cd.squareform(cp.asarray(y))).get() == y).all()
    assert cd.is_valid_dm(sd.squareform(y)) and cd.is_valid_y(y) and not cd.is_valid_dm(A) and not cd.is_valid_y(y[:-1])
    assert (cd.num_obs_y(y), cd.num_obs_dm(sd.squareform(y))) == (70, 70)
    got, want = cd.directed_hausdorff(cp.asarray(A), cp.asarray(B)), sd.directed_hausdorff(A, B)
    assert got[1:] == want[1:] and np.isclose(got[0], want[0], rtol=1e-15)
    out = cp.empty((70, 81))
    assert cd.cdist(cp.asarray(A), cp.asarray(B), out=out) is out
    f = cd.cdist(cp.asarray(A[:3]), cp.asarray(B[:2]), lambda u, v: float(abs(u - v).sum()))
    np.testing.assert_allclose(f.get(), sd.cdist(A[:3], B[:2], "cityblock"))


# --- trees ---

@pytest.mark.parametrize("ndim", [1, 2, 3, 5, 30])
@pytest.mark.parametrize("n", [1, 2, 9, 16, 700])
def test_query(n, ndim):
    draw = np.random.default_rng(n + ndim)
    p, q = draw.standard_normal((n, ndim)), draw.standard_normal((60, ndim))
    tree, mine = ss.KDTree(p), cs.KDTree(cp.asarray(p))
    for k in (1, 3, 20):
        for power in (1, 2, 2.5, np.inf):
            want, got = tree.query(q, k, p=power), mine.query(cp.asarray(q), k, p=power)
            np.testing.assert_allclose(got[0].get(), want[0], rtol=1e-12)
            assert (got[1].get() == want[1]).all() and got[1].dtype == np.int64
    want, got = tree.query(q[:5], [1, 3], distance_upper_bound=1.0), mine.query(q[:5], [1, 3], distance_upper_bound=1.0)
    np.testing.assert_allclose(got[0].get(), want[0], rtol=1e-12)
    assert (got[1].get() == want[1]).all()


def test_query_of_many_and_of_one():
    p, q = r.uniform(0, 1, (3000, 3)), r.uniform(-0.1, 1.1, (6000, 3))
    want, got = ss.KDTree(p).query(q), cs.KDTree(cp.asarray(p)).query(cp.asarray(q))
    assert (got[1].get() == want[1]).all()
    d, i = cs.KDTree(cp.asarray(p)).query(q[0])
    assert d.shape == i.shape == () and int(i) == want[1][0]
    d, i = cs.KDTree(cp.asarray(p)).query(q[:6].reshape(2, 3, 3), 2)
    assert d.shape == (2, 3, 2)


def test_clusters_and_equal_points():
    p = np.r_[np.zeros((300, 2)), 1e-9 * r.standard_normal((300, 2)), r.standard_normal((300, 2)), np.ones((50, 2))]
    want, got = ss.KDTree(p).query(p, 5), cs.KDTree(cp.asarray(p)).query(cp.asarray(p), 5)
    np.testing.assert_allclose(got[0].get(), want[0], rtol=1e-12)


@pytest.mark.parametrize("ndim", [1, 2, 3, 6])
def test_within(ndim):
    draw = np.random.default_rng(ndim)
    p, q = draw.uniform(0, 1, (400, ndim)), draw.uniform(0, 1, (90, ndim))
    (t, u), (c, d) = (ss.KDTree(p), ss.KDTree(q)), (cs.KDTree(cp.asarray(p)), cs.KDTree(cp.asarray(q)))
    radius = draw.uniform(0, 0.4, 90)
    lists = c.query_ball_point(q, radius)
    assert isinstance(lists, list) and all(isinstance(x, cp.ndarray) and x.dtype == np.int64 for x in lists)
    assert [x.tolist() for x in lists] == t.query_ball_point(q, radius, return_sorted=True).tolist()
    cube = c.query_ball_point(q[:4].reshape(2, 2, -1), 0.2)
    assert cube.shape == (2, 2) and cube[1, 0].tolist() == sorted(t.query_ball_point(q[2], 0.2))
    assert (c.query_ball_point(q, 0.2, return_length=True).get()
            == t.query_ball_point(q, 0.2, return_length=True)).all()
    assert sorted(c.query_ball_point(q[0], 0.3)) == sorted(t.query_ball_point(q[0], 0.3))
    assert [x.tolist() for x in c.query_ball_tree(d, 0.2)] == [sorted(x) for x in t.query_ball_tree(u, 0.2)]
    assert d.query_pairs(0.15, p=1, output_type="set") == u.query_pairs(0.15, p=1)
    assert [tuple(x) for x in d.query_pairs(0.15).tolist()] == sorted(u.query_pairs(0.15))
    assert c.count_neighbors(d, 0.3) == t.count_neighbors(u, 0.3)
    steps = [0.1, 0.2, 0.5]
    for cumulative in (True, False):
        assert (c.count_neighbors(d, steps, cumulative=cumulative).get()
                == t.count_neighbors(u, steps, cumulative=cumulative)).all()
    wp, wq = draw.uniform(0, 1, 400), draw.uniform(0, 1, 90)
    np.testing.assert_allclose(c.count_neighbors(d, 0.3, weights=(wp, wq)), t.count_neighbors(u, 0.3, weights=(wp, wq)))
    want = t.sparse_distance_matrix(u, 0.25, output_type="coo_matrix").toarray()
    got = c.sparse_distance_matrix(d, 0.25, output_type="coo_matrix")
    got = got.toarray()
    np.testing.assert_allclose(got.get() if hasattr(got, "get") else got, want, rtol=1e-12)
    assert c.sparse_distance_matrix(d, 0.25, output_type="dict").keys() == t.sparse_distance_matrix(
        u, 0.25, output_type="dict").keys()


@pytest.mark.parametrize("box", [1.0, [1.0, 0.0, 2.0]])
def test_periodic(box):
    p, q = r.uniform(0, 1, (500, 3)), r.uniform(-3, 4, (80, 3))
    t, c = ss.KDTree(p, boxsize=box), cs.KDTree(cp.asarray(p), boxsize=box)
    np.testing.assert_allclose(c.query(q, 4)[0].get(), t.query(q, 4)[0], rtol=1e-9)
    assert c.query_pairs(0.1, output_type="set") == t.query_pairs(0.1)


@pytest.mark.parametrize("ndim", [2, 3])
def test_searches_begin_near(ndim):
    """In the simplex of the cell's middle; of a cell outside, at the hull, and in view of the middle."""
    r = np.random.default_rng(ndim)
    x = r.normal(size=(700, ndim))  # many cells are outside
    mesh, theirs = cs.Delaunay(cp.asarray(x), qhull_options=QHULL), ss.Delaunay(x)
    start, grid, sides = mesh._cells()
    start, (low, scale) = start.get(), np.split(grid.get(), 2)
    assert sides == int(theirs.nsimplex ** (1 / ndim)) and start.shape == (sides**ndim,)
    middle = np.stack(np.meshgrid(*[low[d] + (np.arange(sides) + 0.5) / scale[d] for d in range(ndim)], indexing="ij"),
                      -1).reshape(-1, ndim)
    want = theirs.find_simplex(middle)
    outside = want < 0
    assert outside.sum() > 20 and (start[~outside] == want[~outside]).all()
    t = theirs.transform[start[outside]]
    parts = np.einsum("kij,kj->ki", t[:, :ndim], middle[outside] - t[:, ndim])
    parts = np.concatenate([parts, 1 - parts.sum(1, keepdims=True)], axis=1)
    seen = theirs.neighbors[start[outside], parts.argmin(axis=1)]
    assert (parts.min(axis=1) < 0).all() and (seen == -1).all()



# --- triangulations ---

@pytest.mark.parametrize("ndim, n", [(2, 5), (2, 300), (3, 200), (4, 60)])
def test_find_simplex(ndim, n):
    draw = np.random.default_rng(n)
    p, q = draw.standard_normal((n, ndim)), 1.2 * draw.standard_normal((1000, ndim))
    q[5] = np.nan
    t, c = ss.Delaunay(p), cs.Delaunay(cp.asarray(p), qhull_options=QHULL)
    want = t.find_simplex(q)
    assert (c.find_simplex(cp.asarray(q)).get() == want).all() and c.find_simplex(q).dtype == want.dtype
    assert (c.find_simplex(cp.asarray(q), bruteforce=True).get() == want).all()
    assert (c.find_simplex(cp.asarray(q[:10])).get() == want[:10]).all()
    assert (c.simplices.get() == t.simplices).all() and isinstance(c.simplices, cp.ndarray)
    starts, which = c.vertex_neighbor_vertices
    assert all((a.get() == b).all() for a, b in zip((starts, which), t.vertex_neighbor_vertices))


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize("scale, offset", [(1, 1e4), (np.array([1e-9, 1, 1]), 0), (1e-100, 0)])
def test_places_in_joggled_triangulations(device, ndim, scale, offset):
    """Their simplices overlap, so that a walk may leave through one: it says nothing about the others."""
    draw = np.random.default_rng(ndim)
    scale = (scale * np.ones(3))[:ndim]
    p, q = (offset + scale * draw.uniform(0, 1, (n, ndim)) for n in (300, 200))
    t = ss.Delaunay(p, incremental=True, qhull_options="QJ Pp")
    c = cs.Delaunay(cp.asarray(p), incremental=True, qhull_options="QJ Pp")
    for _ in range(2):
        inside = t.find_simplex(q) >= 0
        assert inside.mean() > 0.5
        for n in (1, 64, 200):
            which = c.find_simplex(cp.asarray(q[:n])).get()
            assert (which[inside[:n]] >= 0).all()
            move = t.transform[which]
            parts = np.einsum("sij, sj -> si", move[:, :-1], q[:n] - move[:, -1])
            assert (np.minimum(parts.min(1), 1 - parts.sum(1))[which >= 0] >= -1e-9).all()
        more = offset + scale * draw.uniform(0, 1, (20, ndim))
        t.add_points(more)
        c.add_points(cp.asarray(more))


def test_hulls():
    p = r.standard_normal((50, 2))
    for name in ("ConvexHull", "Voronoi"):
        t, c = getattr(ss, name)(p), getattr(cs, name)(cp.asarray(p))
        names = ("vertices", "simplices") if name == "ConvexHull" else ("vertices", "ridge_points")
        for attribute in names:
            assert (getattr(c, attribute).get() == getattr(t, attribute)).all()
    assert cs.ConvexHull(p).volume == ss.ConvexHull(p).volume
    np.testing.assert_allclose(cs.distance_matrix(p, p[:3], 3).get(), ss.distance_matrix(p, p[:3], 3), rtol=1e-13)
    np.testing.assert_allclose(cs.minkowski_distance(p, p[::-1], 3).get(), ss.minkowski_distance(p, p[::-1], 3))


WRONG = """
s.distance.cdist(a[0], b)
s.distance.cdist(a, b[:, 1:])
s.distance.cdist(a, b, 'other')
s.distance.cdist(a, b, 3)
s.distance.cdist(a, b, w=-w)
s.distance.cdist(a, b, w=w[1:])
s.distance.cdist(a, b, 'euclidean', p=3)
s.distance.cdist(a[:3], b[:3], 'mahalanobis')
s.distance.cdist(a, b, 'seuclidean', V=w[1:])
s.distance.cdist(a + 1j, b)
s.distance.pdist(a[0])
s.distance.squareform(w[:2])
s.distance.squareform(a)
s.distance.squareform(w[:3], 'tovector')
s.distance.squareform(b[None])
s.distance.euclidean(a, b)
s.distance.minkowski(a[0], b[0], 0)
s.distance.seuclidean(a[0], b[0], w[1:])
s.distance.directed_hausdorff(a, b[:, 1:])
s.KDTree(a[0])
s.KDTree(a * np.nan)
s.KDTree(a + 1j)
s.KDTree(a, leafsize=0)
s.KDTree(a, boxsize=0.5)
s.KDTree(a).query(b[:, 1:])
s.KDTree(a).query(b * np.inf)
s.KDTree(a).query(b, 0)
s.KDTree(a).query(b, p=0.5)
s.KDTree(a).query_pairs(1.0, output_type='other')
s.KDTree(a).query_ball_tree(s.KDTree(b[:, 1:]), 1.0)
s.Delaunay(a * np.nan)
s.Delaunay(a[:, :2] * 0)
s.Delaunay(a[:, :2]).find_simplex(b)
""".strip().splitlines()


@pytest.mark.parametrize("workers", [0, -2, 1.5, "a", -1, 1, 3, None])
def test_workers(workers):
    """They are not needed, and no number of SciPy's is another error, or none."""
    ours, theirs = cs.KDTree(cp.asarray(A)), ss.KDTree(A)
    for call in (lambda t, x: t.query(x, workers=workers), lambda t, x: t.query_ball_point(x, 1.0, workers=workers)):
        assert isinstance(outcome(lambda: call(ours, cp.asarray(B))), type) == isinstance(  # noqa: B023
            outcome(lambda: call(theirs, B)), type)  # noqa: B023
        if isinstance(outcome(lambda: call(theirs, B)), type):  # noqa: B023
            with raises(outcome(lambda: call(theirs, B))):  # noqa: B023
                call(ours, cp.asarray(B))


@pytest.mark.parametrize("line", WRONG)
def test_wrong_as_scipy(line):
    with pytest.raises(Exception) as theirs:
        eval(line, {"s": ss, "np": np, "a": A, "b": B, "w": W})
    with raises(kind(theirs.value)):
        eval(line, {"s": cs, "np": np, "a": cp.asarray(A), "b": cp.asarray(B), "w": cp.asarray(W)})


def test_single_distances_have_scipys_types_and_errors():
    """float32 stays where SciPy lets it, complex numbers and vectors without a true element are refused."""
    for t in "fdilB?":
        u, v = np.ones(3, t), np.zeros(3, t)
        got, want = cd.sqeuclidean(cp.asarray(u), cp.asarray(v)), sd.sqeuclidean(u, v)
        assert got.dtype == np.asarray(want).dtype and float(got) == want
    z = cp.asarray([1 + 1j, 2])
    for f in (cd.cosine, cd.correlation):
        with pytest.raises(TypeError, match="must be real"):
            f(z, z)
    none, one = cp.zeros(3, bool), cp.asarray([True, False, False])
    for a, b, w in ((none, none, None), (one, none, cp.asarray([0.0, 1, 1]))):
        with pytest.raises(ValueError, match="entirely false"):
            cd.sokalsneath(a, b, w)
    assert float(cd.sokalsneath(one, none)) == sd.sokalsneath([True, False, False], [False] * 3) == 1
    a, b = np.arange(12.0).reshape(4, 3), np.arange(6.0).reshape(2, 3) + 0.25
    assert cd.directed_hausdorff(cp.asarray(a), cp.asarray(b), seed=1) == sd.directed_hausdorff(a, b, seed=1)


@pytest.mark.once
@pytest.mark.parametrize("kind", ["ConvexHull", "Delaunay", "Voronoi"])
def test_points_far_out(kind):
    """Products that overflow: QhullError, where Qhull itself refuses them or ends the process. In one of its own, which
    must live."""
    import subprocess
    import sys
    code = f"""
import sys
import numpy as np, cuprite as cp
s, r = cp.scipy.spatial, np.random.default_rng(4)
for d in range(2, 7):
    for power in (106, 111, 120, 136, 149, 158, 200, 300):
        for change in (lambda x: x, np.round, lambda x: x * 10.0 ** r.integers(-200, 0, (len(x), 1)),
                       lambda x: x * 10.0 ** r.integers(-200, 0, d)):
            x = np.concatenate([np.eye(d, d)[:1] + 1, change(r.normal(size=(3 * d, d)))]) * 10.0 ** power
            try:
                s.{kind}(cp.asarray(x))
                found = "fine"
            except s.QhullError:
                found = "QhullError"
            # Qhull has the points' dimensions, and one more for all but hulls
            most = 150 if d + ("{kind}" != "ConvexHull") < 4 else 100
            if power > most and found == "fine" and ("{kind}" != "Delaunay" or d > 2):
                print(d, power, "was taken")
try:
    m = s.{kind}(cp.asarray(r.random((9, 4))), incremental=True)
    m.add_points(cp.asarray(np.full((2, 4), 1e120)))
    print("was added")
except s.QhullError:
    m.add_points(cp.asarray(r.random((2, 4))))
    assert m.points.shape == (11, 4)
s.{kind}(cp.asarray(r.random((9, 4)) * 1e90 if "{kind}" == "Delaunay" else r.random((9, 4))))
print("lives")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "lives\n", (done.returncode, done.stdout[-300:], done.stderr[-500:])
