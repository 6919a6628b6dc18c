"""Arguments with which SciPy, or a library that it calls, reads beyond its memory or never ends: an exception here."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises

si = pytest.importorskip("scipy.interpolate")
ip, cg, spatial = cp.scipy.interpolate, cp.scipy.sparse.csgraph, cp.scipy.spatial
T, C = np.array([0, 0, 0, 0, 0.5, 1, 1, 1, 1.0]), np.arange(5.0) + 1


@pytest.mark.parametrize("call", ["sd.cdist(a, b)", "sd.cdist(a, b, 'cosine')", "sd.cdist(a, a, w=b[0])",
                                  "sd.euclidean(a[0], b[0])", "vq.vq(a, b)", "KDTree(a).query(b)",
                                  "cs.csr_array(a) @ b", "i.RegularGridInterpolator((t, t), a)(b[:, :2])",
                                  "i.CubicSpline(t, a)(b)", "i.NdBSpline((t,), a[0, :3], 0)(b[:, :1])"])
def test_operands_on_two_devices(call):
    """The addresses of one device's memory are never given to another's kernels."""
    names = {"sd": spatial.distance, "KDTree": spatial.KDTree, "vq": cp.scipy.cluster.vq, "cs": cp.scipy.sparse,
             "i": ip}
    with cp.cuda.Device("late:0"):
        names["a"], names["t"] = cp.asarray(np.arange(16.0).reshape(4, 4)), cp.arange(4.0)
    with cp.cuda.Device("late:1"):
        names["b"] = cp.asarray(np.arange(16.0).reshape(4, 4)[::-1] * 0.1)
    with cp.cuda.Device("late:0"), raises(ValueError, match="different devices"):
        eval(call, names)


@pytest.mark.parametrize("call", ["Delaunay(p).find_simplex(p)", "Delaunay(p).transform", "Delaunay(p).neighbors",
                                  "Delaunay(p).vertex_neighbor_vertices[0]", "Delaunay(p).plane_distance(p)",
                                  "ConvexHull(p).equations", "Voronoi(p).vertices", "KDTree(p).query(p, 2)[0]",
                                  "more(Delaunay(p, incremental=True)).find_simplex(p)",
                                  "more(Delaunay(p, incremental=True)).points"])
def test_arrays_lie_where_the_points_do(call):
    """Whatever device is current when they are asked for; nothing of another one is kept either."""
    made, _, use = call.partition(".")
    p = np.random.default_rng(1).standard_normal((200, 2))
    for on, current in (("late:0", "cpu"), ("cpu", "late:0")):
        def more(mesh):
            with cp.cuda.Device(current):
                mesh.add_points(p[:9] * 3)
            return mesh
        names = {n: getattr(spatial, n) for n in ("Delaunay", "ConvexHull", "Voronoi", "KDTree")} | {"more": more}
        with cp.cuda.Device(on):
            names["p"] = cp.asarray(p)
            first, want = eval(made, names), eval(call, names).get()
        with cp.cuda.Device(current):
            got = eval("first." + use, names | {"first": first})
        assert got.device == cp.cuda.Device(on)
        assert (got.get() == want).all() and (eval("first." + use, names | {"first": first}).get() == want).all()


@pytest.mark.parametrize("t, c, k", [(3.0, C, 3), (T[:7], C, 3), (T, C[:4], 3), (T, C, 1000), (T, C, -1), (T, C, 6),
                                     (T[None], C, 3), (T, [C, C[:3]], 3), (T, ["a"], 3), ([], [], 0)], ids=str)
def test_splines_that_lie(t, c, k):
    """FITPACK reads as many knots and coefficients as the degree says."""
    for call in (lambda tck: ip.splint(0, 1, tck), lambda tck: ip.insert(0.3, tck), lambda tck: ip.spalde(0.3, tck),
                 lambda tck: ip.sproot(tck)):
        with raises(ValueError):
            call((t, c, k))


@pytest.mark.parametrize("columns", [(), (2,), (2, 3)], ids=str)
def test_a_knot_more(columns):
    """Of coefficients of several columns too; what FITPACK does not write is 0."""
    c = C.reshape(5, *[1] * len(columns)) + np.arange(float(np.prod(columns))).reshape(columns)
    ours, theirs = (m.insert(0.3, m.BSpline(x(T), x(c), 3)) for m, x in ((ip, cp.asarray), (si, np.asarray)))
    np.testing.assert_allclose(ours.c.get()[:6], theirs.c[:6])
    assert ours.c.shape == theirs.c.shape and not ours.c.get()[6:].any()
    if columns:
        for call in (lambda b: ip.splint(0, 1, b), ip.sproot):
            with raises(ValueError, match="c.ndim > 1"):
                call(ours)


def test_several_curves():
    """Coefficients in a list: a list, as SciPy has it."""
    ours, theirs = (m.splint(0, 1, (T, [C, C + 1], 3)) for m in (ip, si))
    assert ours == theirs
    got, want = (m.sproot((T, [C - 3.3], 3)) for m in (ip, si))
    assert isinstance(got, list)
    np.testing.assert_allclose(got[0].get(), want[0])


@pytest.mark.parametrize("change", ["p[0, 1] = np.nan", "p[0, 1] = 7", "p[0, 1], p[0, 2] = 2, 1", "p[1, 2] = -5",
                                    "p[2, 1] = 1"])
def test_predecessors_that_lie(change):
    """SciPy follows predecessors without a look, for ever where they go round."""
    graph = np.array([[0, 1, 2.0], [1, 0, 1], [2, 1, 0]])
    p = np.array([[-9999, 0, 0], [1, -9999, 1], [2, 2, -9999.0]])
    np.testing.assert_array_equal(cg.construct_dist_matrix(graph.copy(), p.astype(np.int32)).get(), graph)
    exec(change, {"p": p, "np": np})
    with raises(ValueError):
        cg.construct_dist_matrix(graph, p if np.isnan(p).any() else p.astype(np.int32))
    if not (p[0] < 3).all():
        with raises(ValueError):
            cg.reconstruct_path(graph, p[0])


@pytest.mark.parametrize("kind", ["Delaunay", "ConvexHull", "Voronoi"])
def test_points_that_qhull_does_not_bear(kind):
    """Of other dimensions, and what is added later and is not finite, or its square."""
    points = np.random.default_rng(0).random((10, 2))
    for wrong in (points[0], points[None], points[..., None], np.float64(1)):
        with raises(ValueError):
            getattr(spatial, kind)(cp.asarray(wrong))
    for factor in (np.nan, np.inf, 1e308, 1e160):
        there = getattr(spatial, kind)(cp.asarray(points), incremental=True)
        with raises(ValueError, match="finite"):
            there.add_points(cp.asarray(points * factor))
        there.add_points(cp.asarray(points[:1] * 0.5))
        assert there.points.shape == (11, 2)


def test_equal_elements():
    """A point whose elements are equal has no correlation, with weights too; nor has a line through equal values."""
    ss, sd = pytest.importorskip("scipy.stats"), pytest.importorskip("scipy.spatial.distance")
    r = np.random.default_rng(1)
    a, w = r.random((5, 3)), np.array([1, 2, 0.5])
    for value in (1.0, 0.1, 1e300):
        same = np.full((2, 3), value)
        for options in ({}, {"w": w}):
            found = spatial.distance.cdist(cp.asarray(same), cp.asarray(a), "correlation", **options)
            assert bool(cp.isnan(found).all())
    shifted = a * 1e5 + 1e6
    np.testing.assert_allclose(spatial.distance.cdist(cp.asarray(a), cp.asarray(shifted), "correlation", w=w).get(),
                               sd.cdist(a, shifted, "correlation", w=w), atol=1e-13)
    ours, theirs = cp.scipy.stats.linregress(cp.asarray(a[:, 0]), cp.ones(5)), ss.linregress(a[:, 0], np.ones(5))
    np.testing.assert_array_equal([float(v) for v in ours], [float(v) for v in theirs])


@pytest.mark.parametrize("name", ["tvar", "tstd", "tsem"])
def test_complex_spread(name):
    """Of complex numbers the spread is that of absolute distances, as SciPy has it."""
    ss = pytest.importorskip("scipy.stats")
    z = np.random.default_rng(2).random((6, 2)) * (1 + 2j)
    np.testing.assert_allclose(getattr(cp.scipy.stats, name)(cp.asarray(z)).get(), getattr(ss, name)(z), atol=1e-15)


def test_clusters_and_steps_without_end():
    """More clusters than memory has room for, and steps that are no integer, end before the first step."""
    sv = pytest.importorskip("scipy.cluster.vq")
    data = np.random.default_rng(3).random((5, 3))
    for k, options in ((2**61, {"minit": "++"}), (2**62, {"minit": "++"}), (2, {"iter": 1e300}), (2, {"iter": 2.5}),
                       (2**62, {"minit": "random"}), (2**62, {"minit": "points"})):
        with pytest.raises((ValueError, TypeError)) as theirs:
            sv.kmeans2(data, k, **options)
        with raises(theirs.type):
            cp.scipy.cluster.vq.kmeans2(cp.asarray(data), k, **options)


@pytest.mark.parametrize("name", ["ttest_ind", "f_oneway", "ks_2samp"])
@pytest.mark.parametrize("shapes", [((9, 1), (9,)), ((9,), (9, 1)), ((2, 9), (9,)), ((4, 3), (3,)),
                                    ((4, 3), (2, 4, 1))], ids=str)
@pytest.mark.parametrize("axis", [0, -1, 1])
def test_samples_of_other_ranks(name, shapes, axis):
    """Axes are those of the sample with the most dimensions, as SciPy counts them."""
    ss = pytest.importorskip("scipy.stats")
    r = np.random.default_rng(4)
    a, b = (r.random(shape) for shape in shapes)
    with np.errstate(all="ignore"):
        theirs = getattr(ss, name)(a, b, axis=axis)
    ours = getattr(cp.scipy.stats, name)(cp.asarray(a), cp.asarray(b), axis=axis)
    for got, want in ((ours.statistic, theirs.statistic), (ours.pvalue, theirs.pvalue)):
        got = got.get() if isinstance(got, cp.ndarray) else np.asarray(got)
        assert got.shape == np.shape(want)
        keep = np.isfinite(want)
        np.testing.assert_allclose(got[keep], np.asarray(want)[keep], rtol=1e-9)


def test_errors_of_matrices_come_at_once(device):
    """Not from a later call, as those of functions that a device computes alone do."""
    same = cp.ones((9, 3))
    for wrong in (lambda: cp.scipy.spatial.distance.pdist(same, "mahalanobis"),
                  lambda: cp.scipy.spatial.distance.cdist(same, same, "mahalanobis"),
                  lambda: cp.scipy.stats.gaussian_kde(cp.ones((2, 9))),
                  lambda: cp.scipy.cluster.vq.kmeans2(same, 2, minit="random"),
                  lambda: cp.scipy.interpolate.RBFInterpolator(same, cp.ones(9))):
        with pytest.raises(np.linalg.LinAlgError):
            wrong()
        cp.cuda.Device().synchronize()
        assert float(same.sum()) == 27
