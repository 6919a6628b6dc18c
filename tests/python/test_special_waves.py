"""Mathieu's and the spheroidal wave functions, modified Fresnel integrals: values with 20 digits, within each row's
bound (special_wave_values.txt, made by tools/make_special_wave_values.py); their equations, symmetries and products;
SciPy's values where it has digits; types, options and what is NaN."""
import math
import pathlib
from fractions import Fraction

import numpy as np
import pytest
import scipy.special

import cuprite as cp
from cuprite._support import ufuncs_of
from cuprite.scipy import special as ours
from oracle import outcome

NAMES = sorted(n for n in dir(scipy.special) if n.startswith(("mathieu_", "pro_", "obl_"))
               and isinstance(getattr(scipy.special, n), np.ufunc))
UFUNC = {name: ufuncs_of("scipy.special")[name] for name in NAMES}
EXACT = {}
for _line in (pathlib.Path(__file__).parent / "special_wave_values.txt").read_text().splitlines():
    _words = _line.split()
    _nin = sum("0x" in w for w in _words)
    EXACT.setdefault(_words[0], []).append(([float.fromhex(w) for w in _words[1:1 + _nin]], _words[1 + _nin:]))

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def host(f, *x, **options):
    r = f(*(cp.asarray(np.asarray(v)) for v in x), **options)
    return tuple(v.get() for v in r) if isinstance(r, tuple) else r.get()


def sizes(name, x, y):
    """What errors of the results are relative to, beside the values: the size of what oscillates, from its value and
    its derivative, which is about `rate` times it."""
    if name in ("mathieu_a", "mathieu_b"):
        return [abs(x[1])]
    if name.endswith("_cv"):
        return [x[2] ** 2]
    if name in ("mathieu_cem", "mathieu_sem"):
        return [1, x[0] + math.sqrt(abs(x[1]))]
    if "mathieu" in name:
        rate = math.sqrt(x[1]) * math.cosh(x[2])
    else:
        value = float(scipy.special.pro_cv(*x[:3]) if name[:3] == "pro" else scipy.special.obl_cv(*x[:3]))
        rate = math.sqrt(1 + abs(value) + x[2] ** 2)
        if "rad" in name:
            a = x[3] ** 2 + (-1 if name[:3] == "pro" else 1)
            square = (x[2] ** 2 * x[3] ** 2 - value) / a - (-1 if name[:3] == "pro" else 1) * (1 - x[0] ** 2) / a ** 2
            if square < 4 / a:  # it does not oscillate
                return [0, 0]
            rate = math.sqrt(square)
    size = math.hypot(y[0], y[1] / rate)
    return [size, size * rate]


@pytest.mark.parametrize("name", NAMES)
def test_values(name, device):
    if name not in EXACT:
        assert name.endswith("_cv")  # test_of_known_characteristic_values
        return
    x = [np.array(v) for v in zip(*(x for x, _ in EXACT[name]))]
    got = host(UFUNC[name], *x)
    got = got if isinstance(got, tuple) else (got,)
    worst = []
    for i, (x, exact) in enumerate(EXACT[name]):
        for g, e, size in zip(got, exact, sizes(name, x, [float(e) for e in exact]), strict=True):
            off = abs(Fraction(float(g[i])) - Fraction(e)) if math.isfinite(g[i]) else math.inf
            worst.append((float(off / Fraction(math.ulp(max(abs(float(e)), size)))), x, float(g[i]), e))
    assert len(worst) >= 45 and max(worst)[0] <= UFUNC[name].ulp, max(worst)


def test_every_function_has_values():
    given = {n for n in NAMES if n.endswith("_cv") and n not in ("pro_cv", "obl_cv")}
    assert {*NAMES, "modfresnelp", "modfresnelm"} == set(EXACT) | given and len(NAMES) == 22


@pytest.mark.parametrize("name", ["modfresnelp", "modfresnelm"])
def test_modified_fresnel_integrals(name, device):
    """Errors are relative to the magnitude, and to 1 left of 0."""
    f = ufuncs_of("scipy.special")[name]
    x = np.array([x[0] for x, _ in EXACT[name]])
    want = np.array([[complex(*map(float, v[:2])), complex(*map(float, v[2:]))] for _, v in EXACT[name]]).T
    for g, w in zip(host(f, x), want, strict=True):
        assert np.max(abs(g - w) / abs(w)) < 16 * 2.0 ** -52
    for g, w in zip(host(f, x.astype("f")), host(f, x.astype("f").astype("d")), strict=True):
        np.testing.assert_array_equal(g, w.astype("F"))
    for g, w in zip(host(f, np.array([np.inf, np.nan])), ((0, np.nan), (0, np.nan)), strict=True):
        np.testing.assert_array_equal(g.real, w)
    whole = np.sqrt(np.pi) * np.exp((1j if name[-1] == "p" else -1j) * np.pi / 4)
    got = host(f, np.array([-np.inf, -1e200]))
    np.testing.assert_allclose(got[0], [whole] * 2, rtol=1e-15)
    assert np.isnan(got[1]).all()


@pytest.mark.parametrize("name", [n for n in NAMES if n.endswith("_cv") and n not in ("pro_cv", "obl_cv")])
def test_of_known_characteristic_values(name, device):
    rows = [x for x, _ in EXACT[name[:-3]]]
    m, n, c, x = (np.array(v) for v in zip(*rows))
    value = host(UFUNC[name[:3] + "_cv"], m, n, c)
    for a, b in zip(host(UFUNC[name], m, n, c, value, x), host(UFUNC[name[:-3]], m, n, c, x), strict=True):
        np.testing.assert_array_equal(a, b)


# --- mathematics ---

ORDERS = [0.0, 1, 2, 3, 6, 11]


def test_mathieus_equation(device):
    """y'' = -(a - 2 q cos(2 x)) y: by differences of the derivative."""
    x = np.linspace(-170, 350, 41)
    h = 1e-4
    for q in (0.3, 8.0, -8.0, 90.0):
        for m in ORDERS:
            for wave, value in (("mathieu_cem", "mathieu_a"), ("mathieu_sem", "mathieu_b")):
                if m == 0 and wave == "mathieu_sem":
                    continue
                a = host(UFUNC[value], m, q)
                y = host(UFUNC[wave], m, q, x)[0]
                ends = [host(UFUNC[wave], m, q, x + s * np.rad2deg(h)) for s in (1, -1)]
                want = -(a - 2 * q * np.cos(2 * np.deg2rad(x))) * y
                np.testing.assert_allclose((ends[0][1] - ends[1][1]) / (2 * h), want,
                                           atol=2e-5 * (1 + abs(a) + 2 * abs(q)))
                np.testing.assert_allclose((ends[0][0] - ends[1][0]) / (2 * h), host(UFUNC[wave], m, q, x)[1],
                                           atol=1e-5 * (1 + abs(a) + 2 * abs(q)))


def test_mathieus_functions_are_orthogonal(device):
    """The integral of a product over a turn is pi, or 0 (DLMF 28.2.29 to 28.2.31)."""
    x, q = np.arange(0, 360, 3.0), 12.5
    for m, n in ((0, 0), (0, 2), (1, 1), (2, 2), (1, 3), (4, 4), (2, 6)):
        for wave in ("mathieu_cem", "mathieu_sem"):
            if wave == "mathieu_sem" and m == 0:
                continue
            product = host(UFUNC[wave], float(m), q, x)[0] * host(UFUNC[wave], float(n), q, x)[0]
            np.testing.assert_allclose(product.mean() * 2, m == n, atol=1e-13)


@pytest.mark.parametrize("kind", "cs")
def test_modified_functions(kind, device):
    """Their Wronskian is 2 / pi (DLMF 28.20.21), left of 0 too; the first kind is even or odd."""
    first, second = UFUNC[f"mathieu_mod{kind}em1"], UFUNC[f"mathieu_mod{kind}em2"]
    x = np.arange(-20, 21) / 10
    for m in ORDERS[kind == "s":]:
        for q in (0.4, 3.0, 40.0):
            (a, da), (b, db) = host(first, m, q, x), host(second, m, q, x)
            np.testing.assert_allclose(a * db - da * b, 2 / np.pi, rtol=1e-9, atol=1e-12 * np.max(abs(a * db)))
            side = 1 if kind == "c" else -1
            np.testing.assert_allclose(a[::-1], side * a, rtol=1e-12, atol=1e-300)
            np.testing.assert_allclose(da[::-1], -side * da, rtol=1e-12, atol=1e-300)
    h = 1e-4
    a = host(UFUNC["mathieu_a" if kind == "c" else "mathieu_b"], 3.0, 7.0)
    x = np.linspace(-1.5, 1.5, 13)
    for f in (first, second):  # y'' = (a - 2 q cosh(2 x)) y
        y, d = ([host(f, 3.0, 7.0, x + s * h)[k] for s in (-1, 0, 1)] for k in (0, 1))
        np.testing.assert_allclose((d[2] - d[0]) / (2 * h), (a - 14 * np.cosh(2 * x)) * y[1], rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose((y[2] - y[0]) / (2 * h), d[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["pro", "obl"])
def test_radial_functions(kind, device):
    """Their Wronskian is 1 / (c (x^2 -+ 1)) (DLMF 30.11.7), from small c to where all of it oscillates."""
    s = -1 if kind == "pro" else 1
    x = np.concatenate([np.linspace(0, 4, 17), [9.0, 30.0, 200.0]]) + (1e-3 if kind == "pro" else 0) + (s < 0)
    for m, n in ((0, 0), (0, 1), (1, 4), (3, 3), (6, 12), (0, 20)):
        for c in (0.2, 1.0, 6.0, 30.0, 90.0):
            (a, da), (b, db) = (host(UFUNC[f"{kind}_rad{k}"], float(m), float(n), c, x) for k in (1, 2))
            want = 1 / (c * (x * x + s))
            np.testing.assert_allclose(a * db - da * b, want, rtol=1e-10, atol=1e-13 * np.max(want))


@pytest.mark.parametrize("kind", ["pro", "obl"])
def test_angular_functions(kind, device):
    """They have the values of Legendre's functions at 0 (Flammer), are even or odd, and orthogonal."""
    u, w = np.polynomial.legendre.leggauss(120)
    ang, cv = UFUNC[kind + "_ang1"], UFUNC[kind + "_cv"]
    for m in (0, 1, 4):
        for c in (0.5, 4.0, 15.0, 40.0):
            n = np.arange(m, m + 8.0)
            y, slope = host(ang, float(m), n[:, None], c, u)
            product = np.einsum("ix,jx,x->ij", y, y, w)
            length = np.sqrt(product.diagonal())
            np.testing.assert_allclose(product / length / length[:, None], np.eye(8), atol=1e-9)
            np.testing.assert_allclose(y[:, ::-1], y * (-1.0) ** (n - m)[:, None], rtol=1e-13)
            zero = host(ang, float(m), n, c, 0.0)
            p = [scipy.special.lpmv(m, n, 0.0) * (-1) ** m, (n + m) * scipy.special.lpmv(m, n - 1, 0.0) * (-1) ** m]
            even = (n - m) % 2 == 0
            np.testing.assert_allclose(zero[0], np.where(even, p[0], 0), rtol=1e-12)
            np.testing.assert_allclose(zero[1], np.where(even, 0, p[1]), rtol=1e-12)
            value = host(cv, float(m), n, c)[:, None]
            h = 1e-5
            x = np.linspace(-0.95, 0.95, 21)
            d = [host(ang, float(m), n[:, None], c, x + s * h)[1] * (1 - (x + s * h) ** 2) for s in (1, -1)]
            y = host(ang, float(m), n[:, None], c, x)[0]
            q = (-1 if kind == "obl" else 1) * c * c
            size = np.max(abs(y), axis=1, keepdims=True) * (1 + abs(value) + c * c + m * m * 10)
            want = -(value - q * x * x - m * m / (1 - x * x)) * y
            np.testing.assert_allclose((d[0] - d[1]) / (2 * h) / size, want / size, atol=1e-7)


def test_spheroidal_characteristic_values(device):
    """For c = 0 they are n (n + 1); of c = 1 as tabulated (Flammer, 1957); they grow with n, and with
    c or against it; SciPy's do not end for float32."""
    m, n = cp.asarray([0, 0, 1, 2, 3]), cp.asarray([0, 4, 3, 2, 9])
    np.testing.assert_allclose(ours.pro_cv(m, n, 0).get(), n.get() * (n.get() + 1), rtol=1e-14)
    np.testing.assert_allclose(float(ours.pro_cv(0, 0, 1)), 0.319000055146893, rtol=1e-12)
    np.testing.assert_allclose(float(ours.obl_cv(0, 0, 1)), -0.348602408, rtol=1e-5)
    assert ours.pro_cv(m.astype("f"), n.astype("f"), cp.float32(2)).dtype == np.float32
    assert ours.obl_cv(cp.ones((0, 3)), 1, 1).shape == (0, 3)
    c = np.concatenate([np.linspace(0, 40, 400), np.linspace(41, 900, 60)])
    for name, sign in (("pro_cv", 1), ("obl_cv", -1)):
        for m in (0.0, 1.0, 5.0):
            rows = host(UFUNC[name], m, m + np.arange(12)[:, None], c)
            assert np.isfinite(rows).all() and (np.diff(rows, axis=0) > -1e-9 * c * c - 1e-9).all()
            assert (sign * np.diff(rows, axis=1) > -1e-9).all()


# --- SciPy ---

#: order, degree, parameter: SciPy does not end for some others, and for float32 (its spheroidal characteristic values)
PARAMETERS = [(1, 3, 0.5), (0, 3, 0.5), (2, 3, 0.5), (0, 4, 1), (1, 4, 2), (2, 5, 2.5), (1, 2, 1.5), (1, 5, 3)]


def operands(f, t="d"):
    """Orders, parameters and places that all of them know."""
    m, n, c = np.array(PARAMETERS, "d").T
    c = (c if t in "dfe" else np.ceil(c)).astype(t)
    m, n, x = m.astype(t), n.astype(t), np.array([2, 1.5, 1.25, 3, 2, 2.5, 1.125, 1.75]).astype(t)
    x = (0.25 * x if "ang" in f.__name__ else x + 1 if t in "qb" else x).astype(t)
    return {2: (m + 1, c), 3: (m, n, c) if f.__name__.endswith("_cv") else (m + 1, c, x), 4: (m, n, c, x),
            5: (m, n, c, (m + 1).astype(t), x)}[f.nin]


@pytest.mark.parametrize("name", NAMES)
def test_options(name, device):
    """Types, broadcasting, layouts, out, where, dtype, refusals."""
    f, theirs = UFUNC[name], getattr(scipy.special, name)
    assert (f.nin, f.nout, f.nargs) == (theirs.nin, theirs.nout, theirs.nargs)
    assert [t for t in f.types if t in theirs.types] == theirs.types
    x = operands(theirs)
    whole = host(f, *x)
    whole = whole if isinstance(whole, tuple) else (whole,)
    for t in "dfeqbBhHiIlL?":
        v = operands(theirs, t)
        kind = theirs.resolve_dtypes((*(a.dtype for a in v), *[None] * theirs.nout))[-1]
        got, want = host(f, *v), host(f, *(a.astype("d") for a in v))
        for g, w in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,)):
            assert g.dtype == kind
            np.testing.assert_array_equal(g, w.astype(kind))
    x = [v[:1] if i in (2, 4) else v[:, None] if i == 3 else v for i, v in enumerate(x)]
    shape = np.broadcast_shapes(*(v.shape for v in x))
    want = host(f, *(np.ascontiguousarray(np.broadcast_to(v, shape)) for v in x))
    want = want if isinstance(want, tuple) else (want,)
    mine = list(map(cp.asarray, x))
    mask = np.random.default_rng(4).random(shape) < 0.5
    outs = tuple(cp.full(shape, 7, "f") for _ in want)
    got = f(*mine, out=outs if len(outs) > 1 else outs[0], where=cp.asarray(mask), casting="same_kind")
    for g, o, w in zip(got if isinstance(got, tuple) else (got,), outs, want):
        assert g is o
        np.testing.assert_array_equal(o.get(), np.where(mask, w.astype("f"), np.float32(7)))
    backwards = f(*(v[..., ::-1] for v in mine))
    for g, w in zip(backwards if isinstance(backwards, tuple) else (backwards,), want):
        np.testing.assert_array_equal(g.get()[..., ::-1] if any(v.shape[-1] > 1 for v in x) else g.get(), w)
    second = f(*mine, *outs)
    assert (second[0] if len(outs) > 1 else second) is outs[0]
    single = f(*(float(v.flat[0]) for v in x))
    assert (single[0] if len(outs) > 1 else single).shape == ()
    narrow = f(*mine, dtype="f")
    assert (narrow[0] if len(outs) > 1 else narrow).dtype == np.float32
    assert outcome(f, *mine[1:]) is outcome(f, *mine, *outs, 1) is TypeError
    assert outcome(f, *[1j] * f.nin) is outcome(f, *x) is TypeError
    assert outcome(f, *mine, *outs, out=outs) is outcome(f, *mine, unknown=1) is TypeError


@pytest.mark.parametrize("name", NAMES)
def test_as_scipy(name, device):
    """Its values, where it has digits: of small parameters, and of radial functions of the second kind far from 1."""
    theirs = getattr(scipy.special, name)
    if "mathieu" in name:
        m, q = np.meshgrid(np.arange(1.0, 7), [0.2, 1.0, 4.0, 15.0])
        for x in ([] if theirs.nin == 2 else [0.4], [] if theirs.nin == 2 else [1.3]):
            for g, w in zip(np.atleast_2d(host(UFUNC[name], m, q, *x)), np.atleast_2d(theirs(m, q, *x)), strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-7, atol=1e-9)
        return
    rtol = 1e-4 if name.startswith("pro_rad2") else 0.05 if name.startswith("obl_rad2") else 1e-8
    for m, n, c in ((0, 0, 1.0), (0, 1, 2.0), (1, 2, 1.0), (2, 3, 3.0), (1, 1, 5.0)):
        value = (float(getattr(scipy.special, name[:3] + "_cv")(m, n, c)),) if theirs.nin == 5 else ()
        x = () if theirs.nin == 3 else (np.linspace(-0.9, 0.9, 7) if "ang" in name else np.array([2.5, 4.0, 7.0]),)
        got, want = host(UFUNC[name], float(m), float(n), c, *value, *x), theirs(m, n, c, *value, *x)
        for g, w in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,)):
            np.testing.assert_allclose(g, w, rtol=rtol, atol=1e-8)


ODD = [np.nan, -1.0, 0.5, 1.5, -2.0]


@pytest.mark.parametrize("name", NAMES)
def test_not_a_number(name, device):
    """Orders that are none, and places outside."""
    f, theirs = UFUNC[name], getattr(scipy.special, name)
    spheroid = name[:3] in ("pro", "obl")
    good = (2.0, 3.0, 1.5, *((4.0,) if theirs.nin == 5 else ()), 0.5 if "ang" in name else 1.5) if spheroid else \
        (2.0, 1.5, 0.5)
    good = good[:theirs.nin]

    def is_nan(*x):
        r = host(f, *x)
        return all(np.isnan(v).all() for v in (r if isinstance(r, tuple) else (r,)))
    assert not is_nan(*good)
    for bad in ODD:
        assert is_nan(bad, *good[1:])
        if spheroid:
            assert is_nan(good[0], bad, *good[2:])
    assert all(is_nan(*good[:k], np.nan, *good[k + 1:]) for k in range(theirs.nin))
    if "ang" in name:
        assert all(is_nan(*good[:-1], x) for x in (1.0, -1.0, 1.5, np.inf))
    if "rad" in name:
        assert all(is_nan(*good[:-1], x) for x in ((1.0, 0.5, -2.0) if name[:3] == "pro" else (-1e-9, -2.0)))
    if "mod" in name:
        assert is_nan(2.0, -1.5, 0.5)
    if name in ("mathieu_b", "mathieu_modsem1", "mathieu_modsem2"):
        assert is_nan(0.0, *good[1:])
    if spheroid and theirs.nin != 5:
        assert is_nan(3.0, 2.0, *good[2:]) and is_nan(0.0, 199.0, *good[2:])


def test_extremes(device):
    """q = 0 and c near 0, large orders and parameters; what takes too many steps is NaN."""
    np.testing.assert_array_equal(host(ours.mathieu_a, np.arange(9.0), 0.0), np.arange(9.0) ** 2)
    x = np.linspace(0, 360, 25)
    for m in (0.0, 1.0, 4.0):
        np.testing.assert_allclose(host(ours.mathieu_cem, m, 0.0, x)[0],
                                   np.cos(m * np.deg2rad(x)) * (np.sqrt(0.5) if m == 0 else 1), atol=1e-14)
        np.testing.assert_allclose(host(ours.mathieu_sem, m, 0.0, x)[1], m * np.cos(m * np.deg2rad(x)), atol=1e-13)
    q = 1e5  # DLMF 28.8.1; SciPy 1.17 gives eigenvalues of others
    h, s = np.sqrt(q), 2 * 3 + 1
    np.testing.assert_allclose(host(ours.mathieu_a, 3.0, q), -2 * q + 2 * s * h - (s * s + 1) / 8 -
                               (s ** 3 + 3 * s) / 128 / h - (5 * s ** 4 + 34 * s * s + 9) / 4096 / q, rtol=1e-11)
    np.testing.assert_allclose(host(ours.mathieu_b, 4.0, q), host(ours.mathieu_a, 3.0, q), rtol=1e-15)
    np.testing.assert_allclose(host(ours.mathieu_a, 200.0, 3.0), 200 ** 2 + 9 / 2 / (200 ** 2 - 1), rtol=1e-15)
    for f in (ours.mathieu_cem, ours.mathieu_modcem1):
        assert np.isnan(host(f, 2.0, 1e9, 0.5)).all() and np.isnan(host(f, 2.0, 1.5, np.inf)).all()
    n, t = 5, 7.5  # radial functions of c -> 0 and x = t / c are spherical Bessel functions
    for kind in ("pro", "obl"):
        for k, bessel in ((1, scipy.special.spherical_jn), (2, scipy.special.spherical_yn)):
            y, d = host(UFUNC[f"{kind}_rad{k}"], 2.0, float(n), 1e-6, t * 1e6)
            np.testing.assert_allclose([y, d * 1e6], [bessel(n, t), bessel(n, t, derivative=True)], rtol=1e-9)
        assert np.isnan(host(UFUNC[kind + "_rad1"], 0.0, 0.0, 0.0, 2.0)).all()
        for k, sign in ((1, 1), (2, -1)):  # of -c
            a, b = (np.array(host(UFUNC[f"{kind}_rad{k}"], 1.0, 4.0, c, 1.7)) for c in (2.0, -2.0))
            np.testing.assert_array_equal(b, sign * a)
    assert np.isnan(host(ours.pro_rad1, 0.0, 0.0, 4000.0, 2.0)).all()
    (a, da), (b, db) = (host(f, 0.0, 0.0, 4000.0, 2.0) for f in (ours.obl_rad1, ours.obl_rad2))
    np.testing.assert_allclose(a * db - da * b, 1 / 20000, rtol=1e-9)
    np.testing.assert_allclose(host(ours.pro_rad2, 0.0, 0.0, 1.0, 1 + 2.0 ** -40)[1] * 2.0 ** -39, 1 / np.array(
        host(ours.pro_rad1, 0.0, 0.0, 1.0, 1 + 2.0 ** -40)[0]), rtol=1e-9)  # by the Wronskian


def test_neighbours_do_not_count(device):
    """Whatever is kept from element to element, each has the bits that it has alone."""
    rng = np.random.default_rng(8)
    m = rng.integers(0, 3, 60).astype(float)
    n, c = m + rng.integers(0, 4, 60), rng.choice([0.5, 3.0, 40.0], 60)
    for name, x in (("pro_ang1", rng.uniform(-1, 1, 60)), ("obl_ang1", rng.uniform(-1, 1, 60)),
                    ("pro_rad1", rng.uniform(1, 9, 60)), ("pro_rad2", rng.uniform(1, 9, 60)),
                    ("obl_rad1", rng.uniform(0, 5, 60)), ("obl_rad2", rng.uniform(0, 5, 60))):
        mixed = host(UFUNC[name], m, n, c, x)
        order = np.lexsort((x, c, n, m))
        sorted_ = host(UFUNC[name], m[order], n[order], c[order], x[order])
        for a, b in zip(mixed, sorted_, strict=True):
            np.testing.assert_array_equal(a[order], b)
    for name in ("mathieu_cem", "mathieu_sem", "mathieu_modcem1", "mathieu_modsem2"):
        q, x = rng.choice([0.5, 3.0, 40.0], 60), rng.uniform(0, 2, 60)
        mixed, order = host(UFUNC[name], m + 1, q, x), np.lexsort((x, q, m))
        for a, b in zip(mixed, host(UFUNC[name], m[order] + 1, q[order], x[order]), strict=True):
            np.testing.assert_array_equal(a[order], b)
