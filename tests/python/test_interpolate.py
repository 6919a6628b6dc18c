"""cuprite.scipy.interpolate against SciPy: each line is computed by both. A result has SciPy's shape and type, and its
values within a few units of the largest one, times what the line's systems and differences lose."""
import numpy as np
import pytest

import cuprite as cp
from oracle import kind, raises

si = pytest.importorskip("scipy.interpolate")
ci = cp.scipy.interpolate
r = np.random.default_rng(3)
DATA = {
    "x": np.sort(r.uniform(0, 10, 40)), "y": r.standard_normal((40, 3)), "v": r.standard_normal(40),
    "z": r.standard_normal(40) + 1j * r.standard_normal(40), "p": r.uniform(-1, 11, (7, 5)),
    "inner": r.uniform(1, 9, 50), "u": np.sort(r.uniform(0, 1, 9)), "w": np.sort(r.uniform(0, 1, 8)),
    "g": r.standard_normal((9, 8, 2)), "q": np.column_stack([r.uniform(0.2, 0.8, 30), r.uniform(0.2, 0.8, 30)]),
    "wide": r.uniform(-0.3, 1.3, (20, 2)), "cloud": r.standard_normal((40, 2)), "weights": r.uniform(0.5, 2, 40),
    "cells": r.standard_normal((3, 2, 8, 7, 2)), "coefs": r.standard_normal((4, 39, 2)), "i": np.arange(12),
    "cubes": np.arange(12) ** 3, "f": r.standard_normal(40).astype("f4"), "empty": np.zeros(0),
    "knots": np.r_[[0.0] * 4, 2, 4, 6, 8, [10] * 4], "few": np.sort(r.uniform(0, 10, 7)),
    "rep": np.array([0.0, 0, 0, 1, 1, 2.5]), "vals": r.standard_normal((6, 2)),
}
DATA["ring"] = np.r_[DATA["y"][:-1], DATA["y"][:1]]
DATA["lonely"] = np.r_[[DATA["few"][0]] * 4, DATA["few"][5] + np.array([0.01, 0.02, 0.03]), [DATA["few"][6]] * 4]
DATA["hole"] = np.where(np.arange(40) == 7, np.nan, DATA["v"])
DATA["hole_p"] = np.where(np.arange(50) % 9 == 0, np.nan, DATA["inner"])

LINES = """
s.BSpline(knots, v[:8], 3)(p)
s.BSpline(knots, y[:8], 3)(p, 1)
s.BSpline(knots, z[:8], 3)(p, 2)
s.BSpline(knots, y[:8].T, 3, axis=1)(p)
s.BSpline(knots, y[:8], 3, extrapolate=False)(p)
s.BSpline(knots, y[:8], 3, extrapolate='periodic')(p)
s.BSpline(knots, v[:8], 3)(4.0)
s.BSpline(knots, v[:8], 3)(knots)
s.BSpline(knots, v[:8], 3)(hole_p)
s.BSpline(knots, v[:8], 3)(empty)
s.BSpline(knots, v[:11], 0)(p)
s.BSpline(knots, v[:10], 1)(inner)
s.BSpline(knots, v[:9], 2)(p)
s.BSpline(knots, y[:8], 3).derivative()(p)
s.BSpline(knots, y[:8], 3).derivative(3)(inner)
s.BSpline(knots, y[:8], 3).antiderivative(2)(p)
s.BSpline(knots, y[:8], 3).integrate(-1, 12)
s.BSpline(knots, y[:8], 3, False).integrate(12, 3)
s.BSpline(knots, v[:8], 3).integrate(1, 33, 'periodic')
s.BSpline.basis_element(few)(p)
s.BSpline.basis_element(few, False)(p)
s.BSpline(knots, v[:8], 3).insert_knot(3.3)(p)
s.splder((knots, v[:12], 3), 2)[1]
s.splantider((knots, v[:12], 3))[1]
s.splantider((knots, v[:12], 3))[0]
s.splev(p, (knots, v[:8], 3), 1, 1)
s.splev(p, (knots, v[:8], 3), 0, 3)
s.make_interp_spline(x, y)(p)
s.make_interp_spline(x, y).c
s.make_interp_spline(x, y).t
s.make_interp_spline(x, z)(inner)
s.make_interp_spline(x, f)(inner)
s.make_interp_spline(i, cubes)(inner)
s.make_interp_spline(x, y.T, axis=1)(inner)
s.make_interp_spline(x, y, 0)(p)
s.make_interp_spline(x, y, 1)(p)
s.make_interp_spline(x, y, 2)(inner)
s.make_interp_spline(x, y, 4)(inner)
s.make_interp_spline(x, y, 5)(inner)
s.make_interp_spline(x, y, 7)(inner)
s.make_interp_spline(x, y, bc_type='natural')(inner)
s.make_interp_spline(x, y, bc_type='clamped')(inner)
s.make_interp_spline(x, y, bc_type=([(1, y[0])], [(2, y[1])]))(inner)
s.make_interp_spline(x, v, 5, bc_type=([(1, 0.5), (2, 0.0)], [(1, 0.0), (3, 2.0)]))(inner)
s.make_interp_spline(x, v, bc_type=(None, [(1, 0.5), (2, 0.0)]))(inner)
s.make_interp_spline(x, ring, bc_type='periodic')(p)
s.make_interp_spline(x, ring, 2, bc_type='periodic')(p)
s.make_interp_spline(x, ring, 5, bc_type='periodic')(p)
s.make_interp_spline(x, ring, 4, bc_type='periodic')(p)
s.make_lsq_spline(x, y, knots)(inner)
s.make_lsq_spline(x, z, knots, w=weights)(inner)
s.make_lsq_spline(x, y, knots, method='norm-eq')(inner)
s.make_smoothing_spline(x, v)(inner)
s.make_smoothing_spline(x, v, lam=0.1)(inner)
s.PPoly(coefs, x)(p)
s.PPoly(coefs, x)(p, 1)
s.PPoly(coefs, x, False)(p)
s.PPoly(coefs, x, 'periodic')(p)
s.PPoly(coefs[:, ::-1], x[::-1])(p)
s.PPoly(coefs + 1j, x)(p)
s.PPoly(coefs, x)(x)
s.PPoly(coefs, x).derivative(2)(p)
s.PPoly(coefs, x).derivative(5)(p)
s.PPoly(coefs, x).antiderivative(3)(inner)
s.PPoly(coefs, x).integrate(1, 9)
s.PPoly(coefs, x).integrate(9, 0, 'periodic')
s.PPoly(coefs[:, :, 0], x).roots()
s.PPoly(coefs[:, :, 0], x).solve(0.3)
s.PPoly.from_spline((knots, v[:12], 3))(inner)
s.PPoly.from_bernstein_basis(s.BPoly(coefs, x)).c
s.BPoly(coefs, x)(inner)
s.BPoly(coefs[:1], x)(p)
s.BPoly(coefs[:2], x)(p)
s.BPoly(coefs[:3], x)(p)
s.BPoly(cells[:, 0, :, :, 0].reshape(21, 8)[:9], x[:9])(x[:9])
s.BPoly(coefs, x)(inner, 2)
s.BPoly(coefs, x).derivative()(inner)
s.BPoly(coefs, x).antiderivative(2)(inner)
s.BPoly(coefs, x).integrate(1, 9)
s.BPoly(coefs, x, 'periodic').integrate(1, 39)
s.BPoly.from_power_basis(s.PPoly(coefs, x)).c
s.BPoly.from_derivatives([0, 1, 2.5], [[0, 1.0], [2], [3, 1, 0.5]])(inner)
s.BPoly.from_derivatives([0, 1, 2.5], [[0, 1.0], [2, 3], [3, 1]], orders=2)(inner)
s.CubicSpline(x, y)(p)
s.CubicSpline(x, y, bc_type='natural')(p, 2)
s.CubicSpline(x, y, bc_type='clamped')(p)
s.CubicSpline(x, ring, bc_type='periodic')(p)
s.CubicSpline(x, y, bc_type=((2, y[0]), 'not-a-knot'))(p)
s.CubicSpline(x, y.T, axis=1)(p)
s.CubicSpline(x, z)(p)
s.CubicSpline(x[:2], y[:2])(p)
s.CubicSpline(x[:3], y[:3])(p)
s.CubicSpline(x[:4], y[:4], bc_type='natural')(p)
s.CubicSpline(i, cubes)(inner)
s.CubicSpline(x, y).derivative()(p)
s.CubicSpline(x, y).antiderivative()(p)
s.BSpline.from_power_basis(s.CubicSpline(x, v))(inner)
s.CubicHermiteSpline(x, y, y[::-1])(p)
s.PchipInterpolator(x, y)(p)
s.PchipInterpolator(x, v, extrapolate=False)(p)
s.PchipInterpolator(x[:2], y[:2])(p)
s.PchipInterpolator(i, (i // 3).astype(float))(inner)
s.pchip_interpolate(x, v, inner, 1)
s.Akima1DInterpolator(x, y)(p)
s.Akima1DInterpolator(x, y, method='makima', extrapolate=True)(p)
s.Akima1DInterpolator(i, (i // 4).astype(float))(inner)
s.Akima1DInterpolator(x[:2], y[:2])(inner)
s.interp1d(x, y, axis=0, fill_value='extrapolate')(p)
s.interp1d(x, y.T, bounds_error=False)(p)
s.interp1d(x[::-1], v, bounds_error=False, fill_value=(1, 2))(p)
s.interp1d(x, v, 'nearest', fill_value='extrapolate')(p)
s.interp1d(x, v, 'nearest-up', fill_value='extrapolate')(p)
s.interp1d(x, v, 'previous', fill_value='extrapolate')(p)
s.interp1d(x, v, 'next', fill_value='extrapolate')(x)
s.interp1d(x, v, 'previous', bounds_error=False)(x)
s.interp1d(x, v, 'zero', bounds_error=False)(p)
s.interp1d(x, v, 'slinear', bounds_error=False)(p)
s.interp1d(x, v, 'quadratic', bounds_error=False)(p)
s.interp1d(x, z, 'cubic', bounds_error=False)(p)
s.interp1d(x, v, 5, bounds_error=False)(p)
s.interp1d(x, hole, 'cubic', bounds_error=False)(p)
s.interp1d(x, hole, bounds_error=False)(p)
s.interp1d(x, v)(inner[3])
s.BarycentricInterpolator(few, y[:7])(p)
s.BarycentricInterpolator(few, y[:7])(few)
s.BarycentricInterpolator(few, y[:7]).derivative(inner, 2)
s.BarycentricInterpolator(few, z[:7])(inner)
s.barycentric_interpolate(few, y[:7], inner, der=[0, 1])
s.KroghInterpolator(few, y[:7])(p)
s.KroghInterpolator(rep, vals)(p)
s.KroghInterpolator(rep, vals).derivatives(inner)
s.KroghInterpolator(few, y[:7].T, axis=1).derivative(p, 2)
s.krogh_interpolate(few, z[:7], inner)
s.UnivariateSpline(x, v, s=3)(p)
s.UnivariateSpline(x, v, s=3, ext=1)(p)
s.UnivariateSpline(x, v, s=3, ext='const')(p, 1)
s.UnivariateSpline(x, v, s=3).derivative()(p)
s.UnivariateSpline(x, v, s=3).antiderivative()(p)
s.UnivariateSpline(x, v, s=3).get_knots()
s.UnivariateSpline(x, v, s=3).derivatives(4.0)
s.UnivariateSpline(x, v, k=3, s=3).roots()
s.InterpolatedUnivariateSpline(x, v)(inner)
s.LSQUnivariateSpline(x, v, [2, 4, 6.0])(p)
s.splev(inner, s.splrep(x, v, s=2))
s.RegularGridInterpolator((u, w), g)(q)
s.RegularGridInterpolator((u, w), g[..., 0] + 1j)(q)
s.RegularGridInterpolator((u[::-1], w), g)(q)
s.RegularGridInterpolator((u, w), g, bounds_error=False)(wide)
s.RegularGridInterpolator((u, w), g, bounds_error=False, fill_value=None)(wide)
s.RegularGridInterpolator((u, w), g, bounds_error=False, fill_value=7.0)(wide)
s.RegularGridInterpolator((u, w), g, 'nearest', bounds_error=False, fill_value=None)(wide)
s.RegularGridInterpolator((u, w), g, 'slinear')(q)
s.RegularGridInterpolator((u, w), g, 'pchip')(q)
s.RegularGridInterpolator((u, w), g, 'pchip', bounds_error=False)(wide)
s.RegularGridInterpolator((u, w), g.astype('f4'), bounds_error=False)(wide)
s.RegularGridInterpolator((u, w), g.astype('f4'), 'nearest')(q)
s.RegularGridInterpolator((u, w), g.astype('f4'), 'pchip')(q)
s.interpn((u, w), g[..., 0], q)
s.interpn((u, w), g[..., 0], (q[:, 0], q[:, 1]))
s.interpn((u, w), g[..., 0], q, 'splinef2d')
s.interpn((u,), g[:, 0, 0], u[2:5])
s.NdPPoly(cells, (u, w))(q)
s.NdPPoly(cells, (u, w), False)(wide)
s.NdPPoly(cells + 2j, (u, w))(q, [1, 0])
s.NdPPoly(cells, (u, w)).derivative([1, 1])(q)
s.NdPPoly(cells, (u, w)).antiderivative([2, 1])(q)
s.NdPPoly(cells, (u, w)).integrate([(0.3, 0.7), (0.6, 0.2)])
s.NdPPoly(cells, (u, w)).integrate_1d(0.3, 0.7, 1)(u[1:6])
s.NdBSpline((knots, knots), y[:8, :1] * v[:8], 3)(10 * wide)
s.NdBSpline((knots, knots), y[:8, :1] * v[:9], (3, 2), extrapolate=False)(10 * wide, nu=[1, 1])
s.RBFInterpolator(cloud, y)(q)
s.RBFInterpolator(cloud, z, kernel='cubic')(q)
s.RBFInterpolator(cloud, v, kernel='linear', smoothing=0.5)(q)
s.RBFInterpolator(cloud, v, kernel='quintic', smoothing=weights)(q)
s.RBFInterpolator(cloud, v, kernel='multiquadric', epsilon=1.5)(q)
s.RBFInterpolator(cloud, v, kernel='inverse_multiquadric', epsilon=1.5, degree=1)(q)
s.RBFInterpolator(cloud, v, kernel='inverse_quadratic', epsilon=1.5, degree=-1)(q)
s.RBFInterpolator(cloud, v, kernel='gaussian', epsilon=3)(q)
s.RBFInterpolator(cloud, y, neighbors=12)(q)
s.RBFInterpolator(cloud, v, neighbors=9, kernel='linear', smoothing=weights)(q[:1])
s.RBFInterpolator(cloud, v, neighbors=99)(q)
s.RBFInterpolator(cloud, y, neighbors=13, kernel='cubic', degree=2)(q)
s.RBFInterpolator(cloud, y, neighbors=13, kernel='gaussian', epsilon=3)(q)
s.RBFInterpolator(cloud, v, neighbors=5, kernel='linear', degree=-1)(q)
s.NearestNDInterpolator(cloud, y)(q)
s.NearestNDInterpolator(cloud, v, rescale=True)(wide[:, 0], wide[:, 1])
s.NearestNDInterpolator(cloud, i[:10].repeat(4))(q)
s.NearestNDInterpolator(cloud, v)(5 * wide, distance_upper_bound=1.0)
s.LinearNDInterpolator(cloud, y)(wide)
s.LinearNDInterpolator((cloud[:, 0], cloud[:, 1]), z, fill_value=3.0)(3 * wide)
s.LinearNDInterpolator(y, v, rescale=True)(y[:5] / 2)
s.CloughTocher2DInterpolator(cloud, v)(wide)
s.CloughTocher2DInterpolator(cloud, y, fill_value=1.0)(3 * wide)
s.CloughTocher2DInterpolator(cloud, z)(wide)
s.griddata(cloud, v, q)
s.griddata(cloud, v, (q[:, 0], q[:, 1]), 'cubic')
s.griddata(cloud, v, q, 'nearest')
s.griddata(x, v, inner, 'cubic')
s.griddata(x, y, inner, 'nearest')
""".strip().splitlines()


def evaluated(line, module, host):
    names = {name: host(value) for name, value in DATA.items()}
    return eval(line, {"s": module, "np": np, **names})


def the_same(got, want, loss):
    if isinstance(want, float):
        want = np.asarray(want)
    got = got.get() if isinstance(got, cp.ndarray) else np.asarray(got)
    assert got.shape == want.shape and got.dtype == want.dtype
    assert (np.isnan(got) == np.isnan(want)).all()
    if want.size and not np.isnan(want).all():
        np.testing.assert_allclose(got, want, rtol=loss, atol=loss * np.nanmax(abs(want)))


@pytest.mark.parametrize("line", LINES)
def test_as_scipy(line):
    hard = "make_interp" in line or "interp1d" in line or "RBF" in line or "splder" in line
    the_same(evaluated(line, ci, cp.asarray), evaluated(line, si, lambda v: v), 1e-7 if hard else 2e-10)


@pytest.mark.parametrize("method", ["cubic", "quintic"])
def test_splines_on_grids(method):
    """SciPy solves them by iteration, and exactly under these methods' old names."""
    u, w, g, q = (DATA[name] for name in ("u", "w", "g", "q"))
    want = si.RegularGridInterpolator((u, w), g, method + "_legacy")(q)
    the_same(ci.RegularGridInterpolator((cp.asarray(u), cp.asarray(w)), cp.asarray(g), method)(cp.asarray(q)), want,
             1e-8)


@pytest.mark.parametrize("seed", range(30))
def test_random_splines(seed):
    """Any degree, repeated knots, places at knots, beyond them and NaN; many places, so that tables are used."""
    draw = np.random.default_rng(seed)
    k, n = draw.integers(0, 9), draw.integers(1, 60)
    t = np.sort(np.round(draw.exponential(1, n + 2 * k + 1).cumsum(), draw.integers(0, 4)))
    t[-1] += 1
    n = t.size - k - 1
    if len(np.unique(t[k:n + 1])) < 2:
        t[n:] += 1
    c = draw.standard_normal((n, 2))
    at = np.r_[t, draw.uniform(t[0] - 1, t[-1] + 1, 500), np.nan, t + 1e-12]
    for nu in range(min(k, 3) + 1):
        want, got = si.BSpline(t, c, k)(at, nu), ci.BSpline(cp.asarray(t), cp.asarray(c), k)(cp.asarray(at), nu)
        the_same(got, want, 1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_same_bits_of_one_place(seed):
    """A place's value does not depend on which others there are."""
    draw = np.random.default_rng(seed)
    x, y = np.sort(draw.uniform(0, 1, 300)), draw.standard_normal(300)
    at = cp.asarray(draw.uniform(0, 1, 3000))
    for f in (ci.CubicSpline(x, y), ci.make_interp_spline(x, y), ci.PchipInterpolator(x, y)):
        whole = f(at).get()
        assert all(float(f(at[i])) == whole[i] for i in (0, 17, 2999))


def test_many_right_hand_sides():
    """From 64 on a GPU solves them itself, with the same bits."""
    x, y = DATA["x"], np.random.default_rng(1).standard_normal((40, 200))
    many = ci.make_interp_spline(cp.asarray(x), cp.asarray(y)).c.get()
    for j in (0, 63, 199):
        assert (ci.make_interp_spline(cp.asarray(x), cp.asarray(y[:, j].copy())).c.get() == many[:, j]).all()


def test_extend_and_state():
    c, x = DATA["coefs"], DATA["x"]
    for s, host in ((si, np.asarray), (ci, cp.asarray)):
        p = s.PPoly(host(c[:, :20]), host(x[:21]))
        p.extend(host(c[1:, 20:]), host(x[21:]))
        q = s.BPoly(host(c[:, 20:]), host(x[20:]))
        q.extend(host(c[:2, :20]), host(x[:20]))
        b = s.BarycentricInterpolator(host(x[:5]), host(c[0, :5]))
        b.add_xi(host(x[5:7]), host(c[0, 5:7]))
        found = [f(host(DATA["inner"])) for f in (p, q)] + [b(host(np.linspace(x[0], x[6], 30)))]
        if s is si:
            want = found
    for got, expected in zip(found, want):
        the_same(got, expected, 1e-9)


def test_design_matrix():
    t, at = DATA["knots"], DATA["inner"]
    found = ci.BSpline.design_matrix(cp.asarray(at), cp.asarray(t), 3)
    found = found.get() if hasattr(found, "get") else found
    np.testing.assert_allclose(found.toarray(), si.BSpline.design_matrix(at, t, 3).toarray(), atol=1e-14)
    places = np.column_stack([at, at[::-1]])
    found = ci.NdBSpline.design_matrix(cp.asarray(places), (cp.asarray(t), cp.asarray(t)), 3)
    found = found.get() if hasattr(found, "get") else found
    want = si.NdBSpline.design_matrix(places, (t, t), 3)
    assert found.shape == (50, 64)  # SciPy's ends at the last column that is not 0
    np.testing.assert_allclose(found.toarray()[:, :want.shape[1]], want.toarray(), atol=1e-14)


WRONG = """
s.BSpline(knots, v[:7], 3)
s.BSpline(knots[::-1], v[:8], 3)
s.BSpline(knots, v[:8], -1)
s.BSpline(knots[:5], v[:8], 3)
s.BSpline(knots * np.inf, v[:8], 3)
s.BSpline(knots * 0, v[:8], 3)
s.BSpline(knots, v[:8], 3, axis=1)
s.splder((knots, v[:12], 3), 4)
s.BSpline.design_matrix(p.ravel(), knots, 3)
s.BSpline.design_matrix(inner, knots[:5], 3)
s.BSpline(knots, v[:8], 3).insert_knot(11)
s.make_interp_spline(x, y[1:])
s.make_interp_spline(x[::-1], y)
s.make_interp_spline(few[[0, 0, 1, 2, 3, 4]], v[:6])
s.make_interp_spline(x, hole)
s.make_interp_spline(x, v, -1)
s.make_interp_spline(x, v, bc_type='other')
s.make_interp_spline(x, v, bc_type=3)
s.make_interp_spline(x, v, bc_type=([(1, 0.0)], None))
s.make_interp_spline(x, v, bc_type=([(9, 0.0)], [(1, 0.0)]))
s.make_interp_spline(x, v, bc_type='periodic')
s.make_interp_spline(x, v, 0, bc_type='natural')
s.make_interp_spline(x, v, t=knots)
s.make_interp_spline(x[:8], v[:8], t=knots + 20)
s.make_interp_spline(few, v[:7], t=lonely)
s.make_lsq_spline(x, y[1:], knots)
s.make_lsq_spline(x[::-1], y, knots)
s.make_lsq_spline(x, y, knots[::-1])
s.make_lsq_spline(x, y, knots - 5)
s.make_lsq_spline(x, y, knots, w=v[1:])
s.make_lsq_spline(x, y, knots, method='other')
s.PPoly(coefs[0, 0], x)
s.PPoly(coefs, x[1:])
s.PPoly(coefs[:0], x)
s.PPoly(coefs, v)
s.PPoly(coefs, x)(p, -1)
s.NdPPoly(cells, (u, w))(q, [-1, 0])
s.PPoly(coefs, x, axis=2)
s.PPoly(coefs, x[:1])
s.PPoly(coefs + 1j, x).roots()
s.PPoly(coefs, x).extend(coefs, x)
s.PPoly(coefs, x).extend(coefs[:, 1:], x)
s.PPoly.from_bernstein_basis(s.PPoly(coefs, x))
s.BPoly.from_power_basis(s.BPoly(coefs, x))
s.BPoly.from_derivatives([0, 1], [[1.0]])
s.BPoly.from_derivatives([1, 0], [[1.0], [2.0]])
s.BPoly.from_derivatives([0, 1], [[1.0], [2.0]], orders=3)
s.BPoly(coefs, x)(inner, -1)
s.CubicSpline(x, y[1:])
s.CubicSpline(x[::-1], y)
s.CubicSpline(x, hole)
s.CubicSpline(x[:1], y[:1])
s.CubicSpline(y, y)
s.CubicSpline(z, y)
s.CubicSpline(x, y, bc_type='periodic')
s.CubicSpline(x, y, bc_type='other')
s.CubicSpline(x, y, bc_type=('natural', 'periodic'))
s.CubicSpline(x, y, bc_type=((3, 0.0), 'natural'))
s.CubicSpline(x, y, bc_type=((1, 0.0), 'natural'))
s.CubicHermiteSpline(x, y, v)
s.PchipInterpolator(x, z)
s.Akima1DInterpolator(x, z)
s.Akima1DInterpolator(x, v, method='other')
s.Akima1DInterpolator(x, v).extend(coefs, x)
s.Akima1DInterpolator.from_spline((knots, v[:12], 3))
s.interp1d(x, y)
s.interp1d(x, v)(p)
s.interp1d(x, v, 'other')
s.interp1d(x[:3], v[:3], 'cubic')
s.interp1d(x, v, bounds_error=True, fill_value='extrapolate')
s.interp1d(x, y, axis=0, fill_value=v)
s.BarycentricInterpolator(rep, vals)
s.BarycentricInterpolator(few, v)
s.BarycentricInterpolator(few).add_xi(few, v[:7])
s.KroghInterpolator(few[[0, 1, 0]], v[:3])
s.KroghInterpolator(few, v)
s.UnivariateSpline(x[::-1], v)
s.UnivariateSpline(x, v, k=7)
s.UnivariateSpline(x, v, ext='other')
s.UnivariateSpline(x, v, ext=2)(p)
s.splev(p, (knots, v[:12], 3), 0, 2)
s.splev(p, (knots, v[:12], 3), 4)
s.RegularGridInterpolator((u, w), g[1:])
s.RegularGridInterpolator((u, w, u, w), g)
s.RegularGridInterpolator((g[:9, :, 0], w), g)
s.RegularGridInterpolator((u[[0, 0, 1, 2, 3, 4, 5, 6, 7]], w), g)
s.RegularGridInterpolator((u, w), g, 'other')
s.RegularGridInterpolator((u, w), g)(wide)
s.RegularGridInterpolator((u, w), g)(q[:, :1])
s.RegularGridInterpolator((u, w), g)(q * np.nan)
s.RegularGridInterpolator((u, w), g)(q, nu=[1, 0])
s.RegularGridInterpolator((u[:3], w), g[:3], 'cubic')
s.RegularGridInterpolator((u, w), g, fill_value=1j)
s.RegularGridInterpolator((u, w), g + 1j, 'pchip')
s.interpn((u, w), g, q, 'other')
s.interpn((u, w), g, q, 'splinef2d')
s.NdPPoly(cells, (u, w[1:]))
s.NdPPoly(cells, (u[::-1], w))
s.NdPPoly(cells, (u, w))(q, [1])
s.NdPPoly(cells, (u, w)).integrate([(0, 1)])
s.NdBSpline((knots, knots), v[:8], 3)
s.NdBSpline((knots, knots), y[:8, :1] * v[:9], 3)
s.NdBSpline((knots, knots[::-1]), y[:8, :1] * v[:8], 3)
s.NdBSpline((knots, knots), y[:8, :1] * v[:8], 3)(q, nu=[1, -1])
s.NdBSpline((knots, knots), y[:8, :1] * v[:8], 3)(u)
s.RBFInterpolator(cloud[[0] * 40], v)
s.RBFInterpolator(cloud, v[1:])
s.RBFInterpolator(v, v)
s.RBFInterpolator(cloud, v, kernel='other')
s.RBFInterpolator(cloud, v, kernel='gaussian')
s.RBFInterpolator(cloud, v, degree=-2)
s.RBFInterpolator(cloud[:2], v[:2])
s.RBFInterpolator(cloud, v, smoothing=v[1:])
s.RBFInterpolator(cloud, v)(x)
s.RBFInterpolator(cloud, v)(q[:, :1])
s.LinearNDInterpolator(cloud, v[1:])
s.LinearNDInterpolator(cloud[:, :1], v)
s.LinearNDInterpolator(cloud, v)(y)
s.LinearNDInterpolator(cloud * 0, v)
s.CloughTocher2DInterpolator(y, v)
s.NearestNDInterpolator(cloud, v[1:])
s.griddata(cloud, v, q, 'other')
s.griddata(y, v, y, 'cubic')
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", WRONG)
def test_wrong_as_scipy(line):
    with pytest.raises(Exception) as theirs:
        evaluated(line, si, lambda v: v)
    with raises(kind(theirs.value)):
        evaluated(line, ci, cp.asarray)


@pytest.mark.parametrize("call", [
    lambda: ci.BSpline(np.arange(200.0), np.ones(100), 64)(1.0),
    lambda: ci.NdPPoly(np.ones((1,) * 40), [np.arange(2.0)] * 20)(np.ones((1, 20)))])
def test_limits(call):
    with raises(ValueError):
        call()


def test_points_that_all_coincide():
    with raises(ValueError):
        ci.BarycentricInterpolator(cp.zeros(4), cp.arange(4.0))


@pytest.mark.filterwarnings("ignore")
def test_orders_whose_factorials_overflow():
    """Integrals and derivatives of an order where factors are infinite in float64: SciPy's values, no OverflowError."""
    x, c = np.array([0.0, 1.0, 3.0]), np.arange(1.0, 9.0).reshape(4, 2)
    ours, theirs = ci.PPoly(cp.asarray(c), cp.asarray(x)), si.PPoly(c, x)
    at = np.array([0.0, 0.5, 2.0])
    for n in (5, 100):    # SciPy's are NaN soon after
        np.testing.assert_allclose(ours.antiderivative(n)(cp.asarray(at)).get(), theirs.antiderivative(n)(at),
                                   rtol=1e-9)
    assert (ours.antiderivative(300)(cp.asarray(at[:2])).get() == 0).all()
    long = np.ones((260, 1))
    got, want = (m.PPoly(xp(long), xp([0.0, 1.0])).derivative(200).c for m, xp in ((ci, cp.asarray), (si, np.asarray)))
    np.testing.assert_allclose(got.get(), want, rtol=1e-9)


@pytest.mark.parametrize("k", [0, 1, 3])
def test_integrals_to_a_last_knot_that_comes_too_often(device, k):
    """Knots behind the base's end have no part in it; SciPy's integral to there is NaN."""
    x, y = np.array([0.0, 1.0, 2.5, 4.0, 5.0, 7.0]), np.array([1.0, 3.0, -2.0, 5.0, 4.0, 9.0])
    t = np.concatenate([[0.0] * (k + 1), x[1:-1], [7.0] * (k + 2)])
    c = np.arange(1.0, len(t) - k)[:, None] * [1, 2]
    spline = ci.BSpline(cp.asarray(t), cp.asarray(c), k)
    want = si.BSpline(t[:-1], c[:-1], k).integrate(0, 7)
    for a, b, sign in ((0, 7, 1), (-3, 9, 1), (9, -3, -1)):
        np.testing.assert_allclose(spline.integrate(a, b, extrapolate=False).get(), sign * want, 1e-13)
    np.testing.assert_allclose(spline.integrate(0, 14, extrapolate="periodic").get(), 2 * want, 1e-13)
    want = want + (c[-1] * 2 if k == 0 else 0)                     # behind the last knot it is constant, or 0
    np.testing.assert_allclose(spline.integrate(0, 9).get(), want, 1e-13)
    np.testing.assert_allclose(spline.integrate(8, 9).get(), c[-1] if k == 0 else [0, 0], 1e-13)
    steps = ci.make_interp_spline(cp.asarray(x), cp.asarray(y), 0)
    assert float(steps.integrate(-1, 9, extrapolate=False)) == (y[:-1] * np.diff(x)).sum()
