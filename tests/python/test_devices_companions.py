"""SciPy's companions with arrays on another device than the current one: what they compute lies with its operands, and
is what it is where that device is current.

Each public function is tried with arguments of many forms; those that it takes count."""
import importlib
import warnings

import numpy as np
import pytest

import cuprite as cp
from test_devices_two import arrays_in, two  # noqa: F401

pytestmark = pytest.mark.once
#: how many functions take one of the forms, at least
MODULES = {"special": 264, "signal": 93, "fft": 24, "linalg": 17, "ndimage": 58, "stats": 37, "interpolate": 5,
           "spatial": 3, "spatial.distance": 23, "cluster.vq": 2, "sparse.csgraph": 7}
#: where an array stands for a number of the shape or the spacing: it is made on the current device
ELSEWHERE = {"fftfreq", "rfftfreq", "tri", "unit_impulse"}


def forms():
    v, k = cp.linspace(0.1, 0.9, 8), cp.arange(1, 9)
    m, x = cp.asarray([[2.0, 0.5], [0.5, 3.0]]), cp.ones((6, 6))
    return [(v,), (k,), (m,), (3, v), (v, v), (k, v), (3, 3, v), (v, v, v), (1, 2, v), (v, v, v, v), (1, 1, 1, v),
            (1.0, 2.0, 3.0, v), (3, v, 0), (x, x), (m, m), (m, v[:2]), (v, 3), (v, 0.5), (v, v, 0.5), (v, v, m), (x,),
            (x, v[:3], v[:3])]


def tried(f, given, device):
    try:
        with device, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(arrays_in(f(*given)))
    except Exception as error:
        return error


@pytest.mark.parametrize("module", MODULES)
def test_functions(two, module):  # noqa: F811
    first, second = two
    space = importlib.import_module("cuprite.scipy." + module)
    with first:
        given = forms()
    worked = 0
    for name in sorted(set(dir(space)) - ELSEWHERE):
        f = getattr(space, name, None)
        if name.startswith("_") or not callable(f) or isinstance(f, type):
            continue
        for arguments in given:
            want = tried(f, arguments, first)
            if isinstance(want, Exception) or not want or any(r.device != first for r in want):
                continue
            got = tried(f, arguments, second)
            assert not isinstance(got, Exception), (name, got)
            assert [str(r.device) for r in got] == [str(first)] * len(want), (name, arguments)
            for g, w in zip(got, want):
                np.testing.assert_array_equal(g.get(), w.get(), err_msg=name)
            worked += 1
            break
    assert cp.cuda.Device() == second
    assert worked >= MODULES[module], worked


OBJECTS = {  # name: (an object of x, y and points; what is asked of it, of q and a number)
    "interp1d": ("I.interp1d(x, y)", "o(q)", "o(0.3)"),
    "interp1d, cubic": ("I.interp1d(x, y, kind='cubic')", "o(q)", "o(0.3)"),
    "barycentric": ("I.BarycentricInterpolator(x, y)", "o(q)", "o(0.3)", "o.derivative(q)"),
    "krogh": ("I.KroghInterpolator(x, y)", "o(q)", "o(0.3)", "o.derivatives(0.3)"),
    "cubic": ("I.CubicSpline(x, y)", "o(q)", "o(0.3)", "o.derivative()(q)", "o.integrate(0, 1)", "o.solve(0.3)"),
    "spline": ("I.make_interp_spline(x, y)", "o(q)", "o(0.3)", "o.design_matrix(q, o.t, o.k).toarray()",
               "o.integrate(0, 1)", "o.insert_knot(0.3)(0.2)"),
    "grid": ("I.RegularGridInterpolator((x, x), x[:, None] * x)", "o(p)", "o([0.3, 0.2])"),
    "radial": ("I.RBFInterpolator(p, p[:, 0])", "o(p)", "o([[0.3, 0.2]])"),
    "linear": ("I.LinearNDInterpolator(p, p[:, 0])", "o(p)", "o(0.3, 0.3)"),
    "nearest": ("I.NearestNDInterpolator(p, p[:, 0])", "o(p)", "o(0.3, 0.3)"),
    "triangles": ("I.CloughTocher2DInterpolator(p, p[:, 0])", "o(p)", "o(0.3, 0.3)"),
    "tree": ("S.KDTree(p)", "o.query(p, 2)", "o.query([0.1, 0.2])", "o.data"),
    "delaunay": ("S.Delaunay(p)", "o.simplices", "o.find_simplex([0.3, 0.3])"),
    "density": ("T.gaussian_kde(x)", "o(q)", "o.pdf(0.3)", "o.logpdf(q)"),
    "distribution": ("T.gamma", "o.pdf(q, 2.0)", "o.pdf(0.3, q)", "o.cdf(0.3, a=q)", "o.ppf(q, q)", "o.mean(q)",
                     "o.interval(q, 1.5)", "o.support(q)", "o.stats(q)", "o.entropy(q)", "o.moment(2, q)"),
    "frozen": ("T.gamma(x + 1)", "o.pdf(0.3)", "o.mean()", "o.interval(0.4)", "o.stats()", "o.entropy()"),
    "polynomial": ("cp.scipy.special.legendre(5)", "o(q)"),
    "operator": ("L.aslinearoperator(p @ p.T)", "o @ p", "(o + 2 * o).matvec(p[:, 0])", "o.H @ p"),
    "factors": ("L.splu(C.csc_array(cp.diag(x + 1)))", "o.solve(x)"),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects(two, name):  # noqa: F811
    first, second = two
    make, *asked = OBJECTS[name]
    s = cp.scipy
    known = {"cp": cp, "I": s.interpolate, "S": s.spatial, "T": s.stats, "C": s.sparse, "L": s.sparse.linalg}
    with first:
        x = cp.linspace(0, 1, 9)
        known |= {"x": x, "y": x**2, "q": cp.linspace(0.1, 0.9, 5),
                  "p": cp.asarray(np.random.default_rng(0).random((30, 2)))}
        known["o"] = eval(make, known)
        want = [list(arrays_in(eval(text, known))) for text in asked]
    for text, some in zip(asked, want):
        got = list(arrays_in(eval(text, known)))
        assert some and [str(r.device) for r in got] == [str(first)] * len(some), text
        for g, w in zip(got, some):
            np.testing.assert_array_equal(g.get(), w.get(), err_msg=text)
