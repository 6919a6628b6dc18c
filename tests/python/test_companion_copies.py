"""pickle, copy and deepcopy of the objects of sparse, sparse.linalg, spatial and interpolate: what SciPy's do, theirs
do, and the copies give the same results."""
import copy
import pickle

import numpy as np
import pytest

import cuprite as cp

sp = pytest.importorskip("scipy.sparse")
scipy = pytest.importorskip("scipy")
R = np.random.default_rng(4)
D, POINTS, VALUES = np.eye(5) * 4 + R.random((5, 5)), R.random((30, 2)), R.random(30)
X, Y, PLACES, VECTOR = np.arange(8.0), np.sin(np.arange(8.0)), R.random((7, 2)) * 0.5 + 0.2, np.arange(5.0)
GRID, KNOTS = np.outer(X, Y) + 1, np.arange(8.0)

# name: (how it is made of the module m and the function a for arrays, what it is then asked)
SPARSE = {f"{f}_{kind}": (lambda m, a, n=f"{f}_{kind}": getattr(m.sparse, n)(D * (D > 0.5)), lambda o, a: o.toarray())
          for f in "csr csc coo dia bsr lil dok".split() for kind in ("array", "matrix")}
OPERATORS = {
    "sparse": lambda m, a: m.sparse.linalg.aslinearoperator(m.sparse.csr_array(D)),
    "dense": lambda m, a: m.sparse.linalg.aslinearoperator(a(D)),
    "transposed": lambda m, a: m.sparse.linalg.aslinearoperator(a(D)).T,
    "adjoint": lambda m, a: m.sparse.linalg.aslinearoperator(a(D)).H,
    "sum": lambda m, a: m.sparse.linalg.aslinearoperator(a(D)) + m.sparse.linalg.aslinearoperator(a(D * 2)),
    "scaled": lambda m, a: m.sparse.linalg.aslinearoperator(a(D)) * 2,
    "product": lambda m, a: m.sparse.linalg.aslinearoperator(a(D)) @ m.sparse.linalg.aslinearoperator(a(D)),
    "power": lambda m, a: m.sparse.linalg.aslinearoperator(a(D)) ** 3,
    "function": lambda m, a: m.sparse.linalg.LinearOperator((5, 5), matvec=lambda v: v * 2),
}
TREES = {
    "KDTree": lambda m, a: m.spatial.KDTree(a(POINTS)), "cKDTree": lambda m, a: m.spatial.cKDTree(a(POINTS)),
    "KDTree in a box": lambda m, a: m.spatial.KDTree(a(POINTS), boxsize=2.0),
}
LINES = {
    **{n: lambda m, a, n=n: getattr(m.interpolate, n)(a(X), a(Y)) for n in (
        "interp1d", "CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "make_interp_spline",
        "UnivariateSpline", "InterpolatedUnivariateSpline", "BarycentricInterpolator", "KroghInterpolator")},
    "LSQUnivariateSpline": lambda m, a: m.interpolate.LSQUnivariateSpline(a(X), a(Y), a(X[3:5])),
    "CubicHermiteSpline": lambda m, a: m.interpolate.CubicHermiteSpline(a(X), a(Y), a(Y)),
    "PPoly": lambda m, a: m.interpolate.PPoly(a(D[:, :4]), a(X[:5])),
    "BPoly": lambda m, a: m.interpolate.BPoly(a(D[:, :4]), a(X[:5])),
    "BSpline": lambda m, a: m.interpolate.BSpline(a(KNOTS), a(Y[:4]), 3),
}
PLANES = {
    **{n: lambda m, a, n=n: getattr(m.interpolate, n)(a(POINTS), a(VALUES)) for n in (
        "LinearNDInterpolator", "NearestNDInterpolator", "CloughTocher2DInterpolator", "RBFInterpolator")},
    "RBF of neighbours": lambda m, a: m.interpolate.RBFInterpolator(a(POINTS), a(VALUES), neighbors=8),
    "RegularGridInterpolator": lambda m, a: m.interpolate.RegularGridInterpolator((a(X), a(X)), a(GRID)),
    "NdPPoly": lambda m, a: m.interpolate.NdPPoly(a(np.ones((2, 2, 3, 3))), (a(X[:4]), a(X[:4]))),
    "NdBSpline": lambda m, a: m.interpolate.NdBSpline((a(KNOTS), a(KNOTS)), a(D[:4, :4]), 3),
}
HULLS = {n: lambda m, a, n=n: getattr(m.spatial, n)(a(POINTS)) for n in ("Delaunay", "ConvexHull", "Voronoi")}
FACTORS = {
    "splu": lambda m, a: m.sparse.linalg.splu(m.sparse.csc_array(D)),
    "spilu": lambda m, a: m.sparse.linalg.spilu(m.sparse.csc_array(D)),
}
ASKED = {
    **SPARSE, **{f"operator, {n}": (f, lambda o, a: o.matvec(a(VECTOR))) for n, f in OPERATORS.items()},
    **{n: (f, lambda o, a: o.query(a(PLACES), k=3)[0]) for n, f in TREES.items()},
    **{n: (f, lambda o, a: o(a(X[:5] + 0.25))) for n, f in LINES.items()},
    **{n: (f, lambda o, a: o(a(PLACES))) for n, f in PLANES.items()},
    **{n: (f, lambda o, a: np.sort(host(o.simplices)[host(o.find_simplex(a(PLACES)))])  # triangles' order is free
           if hasattr(o, "find_simplex") else o.points)
       for n, f in HULLS.items()},
    **{n: (f, lambda o, a: o.solve(a(VECTOR))) for n, f in FACTORS.items()},
}
WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, **{
    f"pickle {k}": lambda o, k=k: pickle.loads(pickle.dumps(o, k)) for k in range(2, pickle.HIGHEST_PROTOCOL + 1)}}


def host(x):
    return x.get() if isinstance(x, cp.ndarray) else np.asarray(x)


@pytest.mark.device
@pytest.mark.parametrize("name", ASKED)
def test_copies(name):
    make, ask = ASKED[name]
    ours, theirs = make(cp.scipy, cp.asarray), make(scipy, np.asarray)
    want = host(ask(ours, cp.asarray))
    np.testing.assert_allclose(want, ask(theirs, np.asarray), rtol=1e-9, atol=1e-9)
    for way, f in WAYS.items():
        try:
            f(theirs)
        except Exception as error:
            if name in FACTORS and "copy" in way:  # ours is its own copy
                assert f(ours) is ours
                continue
            with pytest.raises(type(error)) as told:
                f(ours)
            assert name not in FACTORS or str(told.value) == str(error) == "cannot pickle 'SuperLU' object"
            continue
        made = f(ours)
        assert type(made) is type(ours)
        got = ask(made, cp.asarray)
        assert np.array_equal(host(got), want, equal_nan=True), way
        assert np.array_equal(host(ask(ours, cp.asarray)), want, equal_nan=True), way


@pytest.mark.parametrize("name, arrays", [("csr_array", "data indices indptr"), ("coo_matrix", "data row col"),
                                          ("PPoly", "c x"), ("BSpline", "c t"), ("KDTree", "data")])
def test_deep_copies_share_nothing(name, arrays):
    first = ASKED[name][0](cp.scipy, cp.asarray)
    before = {k: getattr(first, k).get().copy() for k in arrays.split()}
    for other in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        for k, v in before.items():
            assert np.array_equal(getattr(other, k).get(), v)
            getattr(other, k)[...] = 7
            assert np.array_equal(getattr(first, k).get(), v)


@pytest.mark.parametrize("name", FACTORS)
def test_functions_of_factors(name):
    """SciPy's solve is a method of C's, which deepcopy takes as it is."""
    lu = FACTORS[name](cp.scipy, cp.asarray)
    held = copy.deepcopy({"solve": lu.solve, "again": [lu, lu]})
    assert held["again"][0] is held["again"][1]
    assert np.array_equal(held["solve"](cp.asarray(VECTOR)).get(), lu.solve(cp.asarray(VECTOR)).get())
    solve = copy.deepcopy(cp.scipy.sparse.linalg.factorized(cp.scipy.sparse.csc_array(D)))
    np.testing.assert_allclose(D @ solve(cp.asarray(VECTOR)).get(), VECTOR, rtol=0, atol=1e-13)
