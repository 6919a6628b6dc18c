"""Delaunay's triangulation of the plane: what it is by definition, in rational numbers; SciPy's where there are no
ties; its attributes; input that is hostile."""
import fractions
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cuprite as cp
from cuprite import _device, _spatial
from oracle import kind, raises

ss = pytest.importorskip("scipy.spatial")
cs = cp.scipy.spatial
FLAT = 2.0**-40
ULP = 2.0**-52


def exact(points):
    """Points as integers, all multiplied by the same power of two."""
    f = [[fractions.Fraction(v) for v in p] for p in np.asarray(points, np.float64).tolist()]
    scale = max([v.denominator for p in f for v in p], default=1)
    return [tuple(int(v * scale) for v in p) for p in f]


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def inside(a, b, c, d):
    """Above 0 where d is within the circle through a, b, c."""
    (ax, ay), (bx, by), (cx, cy) = ((p[0] - d[0], p[1] - d[1]) for p in (a, b, c))
    return ((ax * ax + ay * ay) * (bx * cy - by * cx) - (bx * bx + by * by) * (ax * cy - ay * cx)
            + (cx * cx + cy * cy) * (ax * by - ay * bx))


def hull(points):
    """Corners of the hull, counterclockwise, those between two others left out (Andrew's chains)."""
    points, chains = sorted(set(points)), []
    for run in (points, points[::-1]):
        chain = []
        for p in run:
            while len(chain) > 1 and turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return chains


def area(polygon):
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(polygon, polygon[1:] + polygon[:1]))


def check(points, simplices, neighbours, coplanar, all_circles=False):
    """That these are Delaunay's triangles of the points: they cover the hull once, use each point, and no circle
    through one's corners has a point within. For that the point across each side is enough (Delaunay's lemma)."""
    x, corners, across = exact(points), simplices.tolist(), neighbours.tolist()
    assert simplices.dtype == neighbours.dtype == coplanar.dtype == np.int32
    assert simplices.shape == neighbours.shape and simplices.shape[1:] == coplanar.shape[1:] == (3,)
    first = {}
    for i, p in enumerate(x):
        first.setdefault(p, i)
    border = hull(x)
    if len(border) < 3:
        assert not corners and not coplanar.size
        return
    assert {i for t in corners for i in t} == set(first.values())
    assert sorted(coplanar[:, 0]) == sorted(set(range(len(x))) - set(first.values()))
    for point, triangle, nearest in coplanar.tolist():
        assert x[point] == x[nearest] and nearest in corners[triangle] and first[x[point]] == nearest
    assert sum(turn(*(x[i] for i in t)) for t in corners) == area(border)
    sides, outside = {}, 0
    for t, corner in enumerate(corners):
        a, b, c = (x[i] for i in corner)
        assert turn(a, b, c) > 0
        for k in range(3):
            side = corner[(k + 1) % 3], corner[(k + 2) % 3]
            assert side not in sides
            sides[side] = t
            other = across[t][k]
            if other < 0:
                assert other == -1
                outside += 1
                continue
            back = across[other].index(t)
            assert (corners[other][(back + 2) % 3], corners[other][(back + 1) % 3]) == side
            assert inside(a, b, c, x[corners[other][back]]) <= 0
        if all_circles:
            assert all(inside(a, b, c, d) <= 0 for d in first)
    assert sum((b, a) not in sides for a, b in sides) == outside
    edges = (len(sides) + outside) // 2
    assert len(first) - edges + len(corners) == 1  # Euler


def made(points, flat=0.0):
    return [v.get() for v in _spatial.delaunay(cp.asarray(points), flat)]


def grid(n, m=None):
    return np.stack(np.meshgrid(np.arange(float(n)), np.arange(float(m or n))), -1).reshape(-1, 2)


def turned(x, angle):
    return x @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def sets():
    r = np.random.default_rng(8)
    angle = r.uniform(0, 7, 300)
    circle = np.stack([np.cos(angle), np.sin(angle)], 1)
    line = np.stack([r.permutation(200), 3.0 * np.zeros(200)], 1)
    yield "three", [[0, 0], [1, 0], [0, 1]]
    yield "three, clockwise", [[0, 0], [0, 1], [1, 0]]
    yield "square", [[0, 0], [1, 0], [0, 1], [1, 1]]
    for n in (5, 17, 300, 2000):
        yield f"uniform {n}", r.random((n, 2))
        yield f"normal {n}", r.standard_normal((n, 2))
    yield "clusters", r.standard_normal((600, 2)) * 1e-7 + r.integers(0, 3, (600, 1))
    yield "grid", grid(20)
    yield "grid, in any order", r.permutation(grid(24, 7))
    yield "grid of thirds", grid(20) / 3
    yield "turned grid", turned(grid(20), 0.3)
    yield "turned grid of integers", grid(18) @ np.array([[3.0, 4], [-4, 3]]) * 1234567891
    yield "sheared grid", grid(15) @ np.array([[1.0, 1e-9], [0.1, 1]])
    yield "columns", np.stack([r.integers(0, 3, 300), r.random(300)], 1)
    yield "rows", np.stack([r.random(300), r.integers(0, 3, 300)], 1)
    yield "few places", r.integers(0, 6, (400, 2))
    yield "circle", circle
    yield "circle and its middle", np.concatenate([circle, [[0, 0]]])
    yield "circle of integers", [[a * x, b * y] for x, y in ((3, 4), (4, 3), (5, 0), (0, 5)) for a in (1, -1)
                                 for b in (1, -1)]
    yield "parabola", np.stack([np.arange(-150.0, 150), np.arange(-150.0, 150) ** 2], 1)
    yield "line", line
    yield "line, steep", np.stack([np.arange(200.0) * 2**30, np.arange(200.0) * 3 * 2**30], 1)
    yield "line and a point", np.concatenate([line, [[70.5, 1e-9]]])
    yield "line and a point each side", np.concatenate([line, [[70.5, 1e-9], [3.25, -1e-9]]])
    yield "line of thirds", np.stack([np.arange(200) / 3, np.arange(200) / 30], 1)
    yield "cross", np.concatenate([line - [100, 0], (line - [100, 0])[:, ::-1]])
    yield "apart by an ulp", 1 + ULP * r.integers(0, 5, (200, 2))
    yield "pairs, an ulp apart", np.repeat(r.random((150, 2)), 2, 0) * (1 + ULP * r.integers(-1, 2, (300, 2)))
    yield "far away", 2.0**40 + r.random((300, 2))
    yield "a point by the middle of a square's side", [[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 1e-30]]
    yield "nearly on a circle", circle * (1 + ULP * r.integers(-1, 2, (300, 1)))
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        yield f"times {scale}", r.random((100, 2)) * scale
        yield f"grid times {scale}", grid(8) * scale
    yield "many magnitudes", r.standard_normal((300, 2)) * 10.0 ** r.integers(-60, 60, (300, 1))
    yield "magnitudes by axis", r.random((300, 2)) * [1e-60, 1e60]
    yield "denormals beside 1e-290", np.concatenate([grid(5) * 1e-290, [[5e-324, 1e-310], [1e-320, 2e-323]]])
    yield "minus zero", [[0.0, 0], [-0.0, 0], [0, -0.0], [1, 0], [0, 1]]


@pytest.mark.parametrize("name, points", list(sets()), ids=lambda v: v if isinstance(v, str) else "")
def test_by_definition(name, points):
    points = np.array(points, float)
    found = made(points)
    check(points, *found, all_circles=len(points) < 80)
    for again in (made(points), made(np.asfortranarray(points)), made(np.repeat(points, 2, 0)[1::2])):
        assert all((a == b).all() for a, b in zip(found, again))


@pytest.mark.parametrize("n", [4, 50, 5000, 60000])
def test_as_scipys(n):
    """Where no four points lie on a circle there is one triangulation."""
    x = np.random.default_rng(n).random((n, 2))
    t, c = ss.Delaunay(x), cs.Delaunay(cp.asarray(x))
    found, want = (np.sort(np.asarray(m), axis=1) for m in (c.simplices.get(), t.simplices))
    place, there = (np.lexsort(m.T) for m in (found, want))
    assert (found[place] == want[there]).all()
    across, theirs = c.neighbors.get(), t.neighbors
    order, numbers = np.argsort(c.simplices.get(), axis=1), np.empty(len(found) + 1, int)
    numbers[place], numbers[-1] = there, -1  # our triangles by SciPy's numbers
    mine = np.take_along_axis(numbers[across], order, 1)[place]
    assert (mine == np.take_along_axis(theirs, np.argsort(t.simplices, axis=1), 1)[there]).all()
    q = np.random.default_rng(1).uniform(-0.1, 1.1, (500, 2))
    assert (numbers[c.find_simplex(cp.asarray(q)).get()] == t.find_simplex(q)).all()


def test_threads():
    """The same triangles whatever their number."""
    x = np.random.default_rng(3).random((30000, 2))
    found = made(x)
    before = _device.threads()
    try:
        for n in (1, 3):
            _device.threads(n)
            assert all((a == b).all() for a, b in zip(found, made(x)))
    finally:
        _device.threads(before)


corner = st.tuples(st.integers(0, 5), st.integers(0, 5))


@settings(max_examples=300, deadline=None)
@given(st.lists(corner, min_size=1, max_size=40), st.sampled_from([1.0, 1 / 3, 0.1, 1e100]))
@pytest.mark.once
def test_few_places(places, scale):
    points = np.array(places, float) * scale
    check(points, *made(points), all_circles=True)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.integers(-3, 3), st.integers(-3, 3)), min_size=1,
                max_size=30))
@pytest.mark.once
def test_few_ulps(places):
    points = np.array([[a + ULP * b, 1 + ULP * c] for a, b, c in places])
    check(points, *made(points), all_circles=True)


@pytest.mark.parametrize("angle", [0.1, 0.3, 0.7, 1.2])
@pytest.mark.parametrize("n", [5, 30])
def test_flat_at_the_border(angle, n):
    """Points that lie on the hull but for rounding are on the border, as SciPy has it; all triangles have transforms,
    and what lies inside is found."""
    x = turned(grid(n) / n, angle)
    t, c = ss.Delaunay(x), cs.Delaunay(cp.asarray(x))
    assert c.nsimplex == t.nsimplex == 2 * (n - 1)**2 and not c.coplanar.size
    assert set(c.convex_hull.get().ravel()) == set(t.convex_hull.ravel())
    assert len(c.convex_hull) == len(t.convex_hull) == 4 * (n - 1)
    assert not bool(cp.isnan(c.transform).any())
    assert len(made(x)[0]) > c.nsimplex  # without that there are flat ones
    q = turned(np.random.default_rng(n).uniform(-0.1, 1.1, (500, 2)), angle)
    which, theirs = c.find_simplex(cp.asarray(q)).get(), t.find_simplex(q)
    assert ((which < 0) == (theirs < 0)).all() and (which >= 0).sum() > 200
    parts = np.einsum("kij,kj->ki", c.transform.get()[which, :2], q - c.transform.get()[which, 2])
    assert (np.minimum(parts.min(1), 1 - parts.sum(1))[which >= 0] > -1e-9).all()


def test_hull():
    x = np.random.default_rng(4).standard_normal((400, 2))
    assert set(map(frozenset, cs.Delaunay(cp.asarray(x)).convex_hull.get().tolist())) == \
        set(map(frozenset, ss.ConvexHull(x).simplices.tolist()))


def test_pairs_are_found_apart():
    """Points an ulp apart make triangles that are flat, which a search passes by."""
    r = np.random.default_rng(2)
    x = np.repeat(r.random((300, 2)), 2, 0) * (1 + ULP * r.integers(-1, 2, (600, 2)))
    mesh, q = cs.Delaunay(cp.asarray(x)), r.uniform(-0.1, 1.1, (2000, 2))
    assert bool(cp.isnan(mesh.transform).any())
    want = ss.Delaunay(x).find_simplex(q) >= 0
    for all_of_them in (False, True):
        which = mesh.find_simplex(cp.asarray(q), bruteforce=all_of_them).get()
        assert ((which >= 0) == want).all()
        t = mesh.transform.get()[which[want]]
        parts = np.einsum("kij,kj->ki", t[:, :2], q[want] - t[:, 2])
        assert (np.minimum(parts.min(1), 1 - parts.sum(1)) > -1e-9).all()


@pytest.mark.parametrize("change", [lambda x: x.astype("i4"), lambda x: x.astype("f4"), lambda x: x.astype("f2"),
                                    lambda x: x.astype("u1"), lambda x: x[::-1], lambda x: x[:, ::-1],
                                    lambda x: np.asfortranarray(x), lambda x: np.repeat(x, 2, 1)[:, ::2],
                                    lambda x: np.broadcast_to(x[3], x.shape), lambda x: x > 50, lambda x: x.tolist()])
def test_layouts(change):
    x = change(np.random.default_rng(6).integers(0, 100, (80, 2)).astype(float))
    if np.ptp(np.asarray(x, float), axis=0).any():
        mesh = cs.Delaunay(cp.asarray(x) if isinstance(x, np.ndarray) else x)
        check(np.array(x, float), mesh.simplices.get(), mesh.neighbors.get(), mesh.coplanar.get())
        assert mesh.points.dtype == np.float64 and (mesh.points.get() == np.array(x, float)).all()
    else:
        with raises(ss.QhullError):
            cs.Delaunay(cp.asarray(x))


def test_points_are_a_copy():
    x = cp.asarray(grid(4))
    mesh = cs.Delaunay(x)
    x[...] = 0
    assert bool((mesh.find_simplex(cp.asarray(grid(4))) >= 0).all())


WRONG = [[[0, 0], [1, 1], [2, 2.0]], [[0, 0]], np.zeros((0, 2)), [[0, 0], [1, 0]], [[0, 0], [1, np.nan], [0, 1]],
         [[0, 0], [1, np.inf], [0, 1]], [[0, 0], [0, -np.inf], [1, 0], [0, 1]], np.zeros((5, 2)), np.zeros((3, 0)),
         np.zeros(3), np.zeros((3, 2, 1)), [[0, 0], [1, 0], [0, 1e-200], [1e200, 1]], np.ma.masked_array(grid(3)),
         [[0, 0], [5e-324, 0], [0, 5e-324]], [[-1.7e308, 0], [1.7e308, 0], [0, 1e308]],
         np.stack([np.arange(30) / 29, np.arange(30) / 290], 1), np.stack([np.arange(30) / 29 + 1e6] * 2, 1) / 3]


@pytest.mark.parametrize("points", WRONG, ids=range(len(WRONG)))
def test_errors(points):
    with pytest.raises(Exception) as theirs:
        ss.Delaunay(points)
    given = points if isinstance(points, np.ma.MaskedArray) else cp.asarray(points)
    with raises(type(theirs.value) if isinstance(theirs.value, ss.QhullError) else kind(theirs.value)):
        cs.Delaunay(given)


@pytest.mark.parametrize("points, flat, words", [
    (np.zeros(4), 0, "must be"), (np.zeros((4, 3)), 0, "must be"), (grid(3) * np.nan, 0, "finite"),
    (grid(3) + np.inf, 0, "finite"), (grid(3) * 5e-324, 0, "range"), (grid(3) * 2.0**1000, 0, "range"),
    (grid(3) * [1e-90, 1e60], 0, "range"), (grid(3), -1, "flat"), (grid(3), np.nan, "flat")])
def test_errors_of_c(points, flat, words):
    with raises(ValueError, match="Delaunay.*" + words):
        _spatial.delaunay(cp.asarray(points), flat)


def test_attributes():
    x = np.random.default_rng(7).random((500, 2))
    x = np.concatenate([x, x[:3]])
    t, c = ss.Delaunay(x), cs.Delaunay(cp.asarray(x))
    # of equal points SciPy may keep the later one
    place, there = (np.lexsort(np.sort(m % 500, axis=1).T) for m in (c.simplices.get(), t.simplices))
    for name in ("points", "coplanar", "convex_hull", "neighbors", "simplices", "transform", "vertex_to_simplex",
                 "good", "min_bound", "max_bound", "equations"):
        ours, theirs = getattr(c, name), getattr(t, name)
        assert isinstance(ours, cp.ndarray) and ours.dtype == theirs.dtype and ours.shape == theirs.shape, name
        assert getattr(c, name) is ours
    for name in ("ndim", "npoints", "nsimplex", "furthest_site"):
        assert getattr(c, name) == getattr(t, name) and type(getattr(c, name)) is type(getattr(t, name))
    for name in ("paraboloid_scale", "paraboloid_shift"):
        assert abs(getattr(c, name) - getattr(t, name)) < 1e-15 and isinstance(getattr(c, name), float)
    for name in ("points", "min_bound", "max_bound", "good"):
        assert (getattr(c, name).get() == getattr(t, name)).all()
    assert sorted(c.coplanar.get()[:, [0, 2]].tolist()) == [[500, 0], [501, 1], [502, 2]]
    assert (c.simplices.get()[c.vertex_to_simplex.get()[:500]] == np.arange(500)[:, None]).any(1).all()
    np.testing.assert_allclose(c.equations.get()[place], t.equations[there], atol=1e-12)
    q = np.random.default_rng(9).random((20, 2))
    np.testing.assert_allclose(c.plane_distance(q).get()[:, place], t.plane_distance(q)[:, there], atol=1e-12)
    np.testing.assert_allclose(c.lift_points(q).get(), t.lift_points(q), atol=1e-15)
    (starts, which), (first, theirs) = (v.get() for v in c.vertex_neighbor_vertices), t.vertex_neighbor_vertices
    for i in range(3, 500):
        assert set(which[starts[i]:starts[i + 1]] % 500) == set(theirs[first[i]:first[i + 1]] % 500)
    with raises(AttributeError):
        c.other
    with raises(RuntimeError, match="incremental"):
        c.add_points(x)
    c.close()


def test_added_points_are_named_as_scipys():
    x = np.random.default_rng(3).random((12, 2))
    for name in ("Delaunay", "ConvexHull", "Voronoi"):
        c = getattr(cp.scipy.spatial, name)(cp.asarray(x[:6]), incremental=True)
        c.add_points(points=cp.asarray(x[6:]), restart=True)
        np.testing.assert_array_equal(c.points.get(), x)


@pytest.mark.parametrize("power", [-980, -520, -170, 170, 520, 990])
def test_planes_of_any_magnitude(power):
    """Their normals stay, all else follows a power of two exactly."""
    x, unit = np.random.default_rng(7).random((60, 2)) - 0.5, 2.0**power
    one, c = cs.Delaunay(cp.asarray(x)), cs.Delaunay(cp.asarray(x * unit))
    assert (c.simplices == one.simplices).all()
    assert (c.equations.get() == one.equations.get() * [1, 1, 1, unit]).all()
    assert (c.paraboloid_scale, c.paraboloid_shift) == (one.paraboloid_scale / unit, one.paraboloid_shift * unit)


@pytest.mark.parametrize("far", [np.inf, -np.inf, 1e308, -1e308])
def test_far_places_are_in_no_triangle(far):
    """A search sees it where it begins, and need not look at all triangles: then it can say where it ended."""
    mesh = cs.Delaunay(cp.asarray(np.random.default_rng(7).random((60, 2)) * 1e-10))
    q = cp.asarray([[far, 0.0], [0.0, far], [far, far], [far, -far]])
    assert mesh.find_simplex(q).tolist() == [-1] * 4
    which, _ = _spatial.find_simplices(q, mesh.transform, mesh.neighbors, cp.zeros(4, np.int64), cp.zeros(0), 0, 1e-9,
                                       False, True)
    assert bool((which <= -2).all())


@pytest.mark.parametrize("kind_of", ["Delaunay", "ConvexHull", "Voronoi"])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("ndim", [2, 3])
def test_points_are_float64(kind_of, dtype, ndim):
    """Of Qhull's objects too, and not those that the caller may change."""
    x = np.random.default_rng(7).integers(0, 100, (30, ndim)).astype(dtype)
    given = cp.asarray(x)
    c, want = getattr(cs, kind_of)(given), getattr(ss, kind_of)(x).points
    given[...] = 0
    assert c.points.dtype == want.dtype and c.points.device == given.device and (c.points.get() == want).all()


ALONE = """
import sys; sys.modules["scipy"] = None
import cuprite as cp
x = cp.random.default_rng(1).random((200, 2))
mesh = cp.scipy.spatial.Delaunay(x)
assert bool((mesh.find_simplex(x) >= 0).all()) and mesh.neighbors.shape == (mesh.nsimplex, 3)
f = cp.scipy.interpolate.LinearNDInterpolator(x, x[:, 0])
assert bool(cp.allclose(f(x), x[:, 0]))
try:
    mesh.equations
except ImportError as e:
    print(e)
"""


@pytest.mark.once
def test_without_scipy():
    p = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    assert p.returncode == 0 and "pip install scipy" in p.stdout, p.stderr


@pytest.mark.parametrize("options", [{"furthest_site": True}, {"incremental": True}, {"qhull_options": "Qbb Qc Qz"},
                                     {"qhull_options": ""}])
def test_options_are_qhulls(options):
    x = np.random.default_rng(7).random((200, 2))
    t, c = ss.Delaunay(x, **options), cs.Delaunay(cp.asarray(x), **options)
    for name in ("simplices", "neighbors", "equations", "coplanar"):
        assert (getattr(c, name).get() == getattr(t, name)).all()
    assert c.furthest_site == t.furthest_site
    if "incremental" in options:
        c.add_points(x + 1)
        assert c.npoints == 400


@pytest.mark.parametrize("name", ["LinearNDInterpolator", "CloughTocher2DInterpolator"])
def test_interpolation(name):
    """At the points their values, of ties too; between them SciPy's where there are none."""
    si, ci = pytest.importorskip("scipy.interpolate"), cp.scipy.interpolate
    x = np.random.default_rng(7).random((300, 2))
    values, q = np.sin(3 * x[:, 0]) + x[:, 1], 0.2 + 0.6 * np.random.default_rng(8).random((200, 2))
    want = getattr(si, name)(x, values)(q)
    np.testing.assert_allclose(getattr(ci, name)(cp.asarray(x), cp.asarray(values))(cp.asarray(q)).get(), want,
                               rtol=1e-9)
    for x in (grid(9), turned(grid(9), 0.2)):
        values = 3 * x[:, 0] - x[:, 1]
        f = getattr(ci, name)(cp.asarray(x), cp.asarray(values))
        np.testing.assert_allclose(f(cp.asarray(x)).get(), values, atol=1e-6)
        middle = x.mean(0) + np.random.default_rng(5).uniform(-2, 2, (50, 2))
        np.testing.assert_allclose(f(cp.asarray(middle)).get(), 3 * middle[:, 0] - middle[:, 1], atol=1e-4)
