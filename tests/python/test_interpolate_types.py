"""Types of results, classes and layouts of cuprite.scipy.interpolate, beside SciPy."""
import numpy as np
import pytest
import scipy.interpolate
import scipy.signal
import scipy.sparse.linalg

import cuprite as cp

s = cp.scipy.interpolate
KINDS = ["linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic"]


@pytest.mark.parametrize("kind", KINDS)
def test_types_of_interp1d(kind):
    places = np.array([0.0, 1.5, 4.5, -1, 7])
    for of_x in "efdi":
        for of_y in "efdDFib?":
            for at in "efdi":
                for fill in ("extrapolate", (1, 2)):
                    x, y, p = np.arange(6).astype(of_x), (np.arange(6)**2 % 7).astype(of_y), places.astype(at)
                    want = scipy.interpolate.interp1d(x, y, kind, fill_value=fill, bounds_error=False)(p)
                    got = s.interp1d(cp.asarray(x), cp.asarray(y), kind, fill_value=fill, bounds_error=False)(
                        cp.asarray(p))
                    assert got.dtype == want.dtype, (of_x, of_y, at, fill)
                    exact = 2e-3 if want.dtype == np.float16 else 1e-6 if want.dtype.char in "fF" else 1e-12
                    np.testing.assert_allclose(got.get(), want, rtol=exact, atol=exact)


def test_a_spline_without_smoothing_interpolates():
    x = np.arange(8) + 0.5
    ours, theirs = (f(x, x + 1 / (1 - x), s=0.1) for f in (s.UnivariateSpline, scipy.interpolate.UnivariateSpline))
    assert type(ours) is s.UnivariateSpline
    for smoothing in (0, 0.1):
        ours.set_smoothing_factor(smoothing), theirs.set_smoothing_factor(smoothing)
        assert type(ours).__name__ == type(theirs).__name__
        np.testing.assert_allclose(ours(x).get(), theirs(x), rtol=1e-12)


def test_weights_of_many_points():
    x = np.cos(np.arange(101) * np.pi / 100)
    np.testing.assert_allclose(s.BarycentricInterpolator(cp.asarray(x)).wi.get(),
                               scipy.interpolate.BarycentricInterpolator(x).wi, rtol=1e-9)
    far = np.linspace(0, 1, 4001)  # weights of more than 10^1000 times each other
    ours = cp.asarray(far)
    np.testing.assert_array_equal(s.BarycentricInterpolator(ours, ours)(ours).get(), far)


def test_coefficients_are_contiguous():
    c = np.random.default_rng(1).standard_normal((4, 5, 6, 3, 4, 5))
    x = [np.linspace(0, 1, n + 1) for n in (3, 4, 5)]
    ours, theirs = s.NdPPoly(cp.asarray(c), [cp.asarray(v) for v in x]), scipy.interpolate.NdPPoly(c, x)
    for name, nu in (("derivative", [2, 0, 0]), ("antiderivative", [0, 1, 0]), ("derivative", [0, 0, 3])):
        got, want = getattr(ours, name)(nu).c, getattr(theirs, name)(nu).c
        assert got.flags.c_contiguous
        np.testing.assert_allclose(got.get(), want, rtol=1e-12)


@pytest.mark.parametrize("k", [(3, 2), (1, 3), (0, 2), (5, 1)])
@pytest.mark.parametrize("rest", [(), (2,)])
def test_partial_derivatives_of_splines_of_several_variables(k, rest):
    rng = np.random.default_rng(1)
    t = [np.r_[[0] * n, 0, np.sort(rng.random(4)), 1, [1] * n] for n in k]
    c = rng.random(tuple(len(v) - n - 1 for v, n in zip(t, k)) + rest)
    want = scipy.interpolate.NdBSpline(tuple(t), c, k)
    got = s.NdBSpline(tuple(map(cp.asarray, t)), cp.asarray(c), k)
    x = rng.random((6, 2))
    for nu in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (3, 1), (4, 0), (6, 6)):
        a, b = want.derivative(nu), got.derivative(nu)
        assert a.k == b.k and a.c.shape == b.c.shape and [v.size for v in a.t] == [v.size for v in b.t]
        np.testing.assert_allclose(b(cp.asarray(x)).get(), a(x), rtol=1e-11, atol=1e-11)
    for nu in ((1,), (-1, 0), 1):
        with pytest.raises(ValueError, match="derivative orders"):
            got.derivative(nu)


def test_classes_take_types_in_brackets():
    for here, there in ((s, scipy.interpolate), (cp.scipy.signal, scipy.signal), (cp.scipy.sparse, scipy.sparse),
                        (cp.scipy.sparse.linalg, scipy.sparse.linalg)):
        for name in there.__all__:
            if hasattr(getattr(there, name), "__class_getitem__") and hasattr(here, name):
                c = getattr(here, name)
                assert c[int].__origin__ is c


def test_design_matrices_of_one_place_and_of_none():
    t, knots = np.array([1.0, 1, 1, 2, 3, 4, 4, 4]), np.r_[0, 0, 0, 0, 0.3, 0.6, 1, 1, 1, 1]
    np.testing.assert_allclose(s.BSpline.design_matrix(2.0, cp.asarray(t), 3).toarray().get(),
                               scipy.interpolate.BSpline.design_matrix(2.0, t, 3).toarray(), rtol=1e-14)
    both = (cp.asarray(knots), cp.asarray(knots))
    assert s.NdBSpline.design_matrix(cp.zeros((0, 2)), both, 3).shape == (0, 36)
    for places in (cp.zeros(2), cp.zeros((2, 3, 2)), cp.zeros((1, 3))):
        with pytest.raises(ValueError):
            s.NdBSpline.design_matrix(places, both, 3)
