"""The polynomial package against NumPy's: the functions of six bases and their classes, by types and shapes."""
import pickle
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import outcome

BASES = {"polynomial": ("poly", "Polynomial"), "chebyshev": ("cheb", "Chebyshev"), "legendre": ("leg", "Legendre"),
         "hermite": ("herm", "Hermite"), "hermite_e": ("herme", "HermiteE"), "laguerre": ("lag", "Laguerre")}
TYPES = ["f8", "f4", "D", "i4"]
basis = pytest.mark.parametrize("name", BASES)
others = pytest.mark.parametrize("name", [n for n in BASES if n != "polynomial"])


def made(rng, shape, dtype):
    x = rng.integers(-4, 5, shape) / (1 if dtype == "i4" else 4)
    return (x + (1j * rng.integers(-4, 5, shape) if dtype == "D" else 0)).astype(dtype)


def near(ours, theirs, rtol=1e-11, widened=False, real_roots=False):
    if isinstance(theirs, type):  # an exception's
        assert ours is theirs, (ours, theirs)
    elif isinstance(theirs, (tuple, list)):
        for a, b in zip(ours, theirs, strict=True):
            near(a, b, rtol, widened)
    elif hasattr(theirs, "coef"):
        assert type(ours).__name__ == type(theirs).__name__ and ours.symbol == theirs.symbol
        near([ours.coef, ours.domain, ours.window], [theirs.coef, theirs.domain, theirs.window], rtol)
    else:
        assert not isinstance(ours, type), ours
        got, want = cp.asnumpy(ours), np.asarray(theirs)
        if widened and got.dtype == "f4":
            want = want.astype("f4")
        if real_roots and got.dtype.kind == "f" and not want.imag.any():  # NumPy's are complex from 2.5 on
            want = want.real
        assert got.dtype == want.dtype and got.shape == want.shape, (got, want)
        rtol = max(rtol, 2e-5) if want.dtype in ("f4", "F") else rtol
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * (np.abs(want).max() if want.size else 1))


def both(name, function, *args, rtol=1e-11, **options):
    """A function of a basis, on our arrays and on NumPy's."""
    def ours(x):
        return cp.asarray(x) if isinstance(x, np.ndarray) else x
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = outcome(getattr(getattr(np.polynomial, name), function), *args, **options)
        single = [a.dtype == "f4" for a in args if isinstance(a, np.ndarray)]
        widened = any(single) and all(single)  # float32 stays float32; NumPy's is widened by integers in between
        near(outcome(getattr(getattr(cp.polynomial, name), function), *map(ours, args), **options), theirs,
             max(rtol, 2e-5) if any(single) else rtol, widened)


@basis
@pytest.mark.parametrize("dtype", TYPES)
def test_arithmetic(name, dtype):
    rng, p = np.random.default_rng(1), BASES[name][0]
    for n in (0, 1, 2, 3, 6):
        for m in (1, 2, 4):
            a, b = made(rng, n, dtype), made(rng, m, rng.choice(TYPES))
            for f in ("add", "sub", "mul", "div"):
                both(name, p + f, a, b, rtol=1e-9)
        for k in (0, 1, 3, -1, 1.5, 17):
            both(name, p + "pow", a, k)
        for f in ("mulx", "trim"):
            both(name, p + f, a)
        if name != "polynomial":
            both(name, p + "2poly", a)
            both(name, "poly2" + p, a)
    for a in (np.ones(1), made(rng, 2, "f8"), made(rng, 4, "D")):
        both(name, p + "div", a, np.zeros(1))
    both(name, p + "line", 3, 0)
    both(name, p + "line", 3, -2)
    both(name, p + "line", 1.5, 0.5)


@basis
@pytest.mark.parametrize("dtype", TYPES)
def test_derivatives_and_integrals(name, dtype):
    rng, p = np.random.default_rng(2), BASES[name][0]
    for shape in ((1,), (2,), (5,), (4, 3), (2, 1, 3)):
        c = made(rng, shape, dtype)
        for axis in range(-len(shape), len(shape) + 1):
            for m in (0, 1, 2, 6, -1):
                if name != "hermite_e" or axis == len(shape) or m < shape[axis]:
                    both(name, p + "der", c, m, 2, axis)
                else:  # NumPy's hermeder leaves the axis in front where nothing is left
                    near(cp.polynomial.hermite_e.hermeder(cp.asarray(c), m, 2, axis),
                         np.polynomial.hermite.hermder(c, m, 2, axis))
                both(name, p + "int", c, m, [1.5][:m], 0.5, 2, axis)
    c = made(rng, 3, dtype)
    for args in ((1, [1, 2]), (1.5,), (1, 1, [0, 1]), (1, 1, 0, [1, 2]), (2, [1, 2], -1)):
        both(name, p + "int", c, *args)
    both(name, p + "int", np.zeros(1), 2, [0, 3])


@basis
@pytest.mark.parametrize("dtype", TYPES)
def test_values(name, dtype):
    rng, p = np.random.default_rng(3), BASES[name][0]
    for n in (1, 2, 3, 6):
        c, x, y = made(rng, n, dtype), made(rng, (2, 3), rng.choice(TYPES)), made(rng, (2, 3), "f8")
        for at in (x, 1, 0.5, [1, 2.5], (0, 1), np.zeros(0), made(rng, (), "f8")):
            both(name, p + "val", at, c)
        both(name, p + "val", x, made(rng, (n, 2), dtype))
        both(name, p + "val", made(rng, 3, "f8"), made(rng, (n, 3), dtype), tensor=False)
        c2, c3 = made(rng, (n, 2), dtype), made(rng, (n, 2, 3), dtype)
        for f, args in (("val2d", (x, y, c2)), ("grid2d", (x, y[0], c2)), ("val3d", (x, y, y, c3)),
                        ("grid3d", (x, y[0], y[1], c3)), ("val2d", (x, y[0], c2)), ("val3d", (x, y, y[0], c3)),
                        ("vander", (x, n)), ("vander", (x, -1)), ("vander", (0.5, 2)), ("vander2d", (x, y, [n, 2])),
                        ("vander3d", (x, y, y, [n, 0, 1])), ("vander2d", (x, y, [n])), ("vander2d", (x, y, [n, -1]))):
            both(name, p + f, *args)


@basis
def test_roots(name):
    rng, p = np.random.default_rng(4), BASES[name][0]
    for dtype in TYPES:
        for n in (0, 1, 2, 3, 5):
            c = made(rng, n, dtype)
            if n:
                c[-1] = 2
            both(name, p + "fromroots", c)
            both(name, p + "companion", c)
            r = outcome(getattr(getattr(cp.polynomial, name), p + "roots"), cp.asarray(c))
            want = outcome(getattr(getattr(np.polynomial, name), p + "roots"), c)
            if isinstance(want, type):
                assert r is want
                continue
            want = want.real if dtype != "D" and not want.imag.any() else want  # complex from NumPy 2.5 on
            assert r.dtype == want.dtype and r.shape == want.shape
            value = np.abs(np.polynomial.polynomial.polyval(0, 1)) + np.abs(want).max(initial=0)
            assert all(np.abs(r.get() - w).min() < (2e-2 if dtype == "f4" else 1e-6) * value for w in want)


@others
def test_gauss(name):
    p = BASES[name][0]
    for n in (1, 2, 3, 8, 33, 100):
        both(name, p + "gauss", n, rtol=1e-9)
    x, w = getattr(getattr(cp.polynomial, name), p + "gauss")(40)
    for degree in (1, 2, 7, 39):  # orthogonal to that of degree 0
        values = getattr(getattr(cp.polynomial, name), p + "val")(x, [0.0] * degree + [1.0])
        size = float((w * values ** 2).sum()) ** 0.5 * float(w.sum()) ** 0.5
        assert abs(float((w * values).sum())) <= 1e-9 * size
    for bad in (0, -1, 1.5, "1"):
        both(name, p + "gauss", bad)
    both(name, p + "weight", np.array([0.25, 0.5]))
    both(name, p + "weight", 0.25)


@basis
def test_fit(name):
    p, rng = BASES[name][0], np.random.default_rng(5)
    x = np.linspace(0, 2, 20)
    y, w = np.stack([np.sin(x), x**2], 1), rng.random(20) + 0.5
    for dtype, rtol in (("f8", 1e-8), ("f4", 1e-3), ("D", 1e-8)):
        for deg in (0, 3, [1], [0, 3, 2]):
            for options in ({}, {"w": w}):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    ours = getattr(getattr(cp.polynomial, name), p + "fit")
                    given = {k: cp.asarray(v.astype(dtype)) for k, v in options.items()}
                    got = ours(cp.asarray(x.astype(dtype)), cp.asarray(y.astype(dtype)), deg, **given)
                    want = getattr(getattr(np.polynomial, name), p + "fit")(
                        x.astype(dtype), y.astype(dtype), deg, **{k: v.astype(dtype) for k, v in options.items()})
                near(got, want, rtol)
    c, (residuals, rank, s, rcond) = getattr(getattr(cp.polynomial, name), p + "fit")(
        cp.asarray(x), cp.asarray(y[:, 0]), 2, full=True)
    want, (r, k, t, e) = getattr(getattr(np.polynomial, name), p + "fit")(x, y[:, 0], 2, full=True)
    near([c, residuals, s], [want, r, t], 1e-8)
    assert int(rank) == k and rcond == e
    for args in ((x, y, -1), (x, y, 1.5), (x, y, []), (y, y, 1), (x[:0], x[:0], 1), (x, x[:3], 1), (x, y[None], 1),
                 (x, x, 1, None, False, x[:3]), (x, x, 1, None, False, y)):
        both(name, p + "fit", *args)
    with pytest.warns(np.exceptions.RankWarning):
        getattr(getattr(cp.polynomial, name), p + "fit")(cp.asarray(x[:2]), cp.asarray(x[:2]), 4)


OPERATIONS = """s+s | s*s | s-t | s**3 | s//t | s%t | divmod(s,t)[1] | 3+s | s*2 | s/2 | 2*s | -s | +s | [1,2]+s
s-[1,2,3]
[1,2]-s | [1,2]*s | [1,2,3,4]//t | 5%t | divmod([1,2,3],t)[0] | s.integ(2,[1],0.5) | s.deriv() | d.integ(lbnd=1)
d.deriv(2) | s.convert(kind=P) | P.cast(d) | C.identity() | C.identity([0,4]) | C.basis(3) | C.fromroots([1,2,3])
C.fromroots([1,2,3],None) | C.fromroots([1,2],[0,3]) | C.fit(X,Y,3) | C.fit(X,Y,3,[])
C.fit(X,Y,2,[0,5]) | s.cutdeg(1)
s.trim() | s.truncate(2) | s(s)
d.convert() | d.convert([0,1]) | d(X) | d(1.5) | d.roots() | d.linspace(5) | s.copy()
s+d | s+'x' | s/s | s/[1] | s**-1 | s**101 | s.truncate(0) | s.truncate(1.5) | C([]) | C([1],[1]) | C([1],None,[1,2,3])
C([1],symbol='1x') | C([1],symbol=3) | C.basis(-1) | C.basis(1.5) | C([1],symbol='z')+s | s.cutdeg(-1) | s//0 | s+Q([1])
s==s | s!=s | s==d | s==C([1,2,3.5]) | s.degree() | len(s) | s.has_samecoef(t) | s.has_samedomain(d) | s.mapparms()
s.has_samewindow(d) | s.has_sametype(Q([1])) | d.mapparms() | repr(d) | str(s) | str(d) | f'{d:ascii}' | f'{d:unicode}'
f'{d:x}' | d._repr_latex_() | hash(s) | list(s)[1] | s.symbol
C([1,2],symbol='t').deriv().symbol""".replace("\n", " | ")


@basis
@pytest.mark.parametrize("text", OPERATIONS.split(" | "))
def test_classes(name, text):
    kind, x = BASES[name][1], np.linspace(0, 3, 30)

    def value(xp, arrays):
        package = xp.polynomial
        c = getattr(package, kind)
        q = package.Polynomial if kind != "Polynomial" else package.Chebyshev
        names = {"C": c, "P": package.Polynomial, "Q": q, "s": c([1, 2, 3.5]), "t": c([1, -2]),
                 "d": c([1, -2.0, 0, 3], [0, 4]), "X": arrays(x), "Y": arrays(np.sin(x))}
        return eval(text, names)
    theirs = outcome(value, np, np.asarray)
    ours = outcome(value, cp, cp.asarray)
    if isinstance(theirs, (str, bool, int)) and not isinstance(theirs, type):
        assert ours == theirs and type(ours) is type(theirs)
    elif isinstance(theirs, np.bool_):
        assert bool(ours) is bool(theirs)
    else:
        near(ours, theirs, 1e-8, real_roots="roots()" in text)


@basis
def test_the_rest_of_classes(name):
    kind = getattr(cp.polynomial, BASES[name][1])
    s = kind([1, 2, 3], [0, 4], symbol="t")
    assert pickle.loads(pickle.dumps(s)) == s

    class Mine(kind):
        pass
    assert type(Mine([1, 2]) * 2) is Mine and "Mine(" in repr(Mine([1, 2]))
    for n in ("zero", "one", "x", "domain"):
        both_are = [getattr(getattr(xp.polynomial, name), BASES[name][0] + n) for xp in (cp, np)]
        near(*both_are)
    theirs = set(getattr(np.polynomial, name).__all__)
    assert theirs - set(dir(getattr(cp.polynomial, name))) - set(getattr(cp.polynomial, name).__all__) == set()


def test_chebyshevs_places():
    for n in (1, 2, 7, 0, 1.5):
        both("chebyshev", "chebpts1", n)
        both("chebyshev", "chebpts2", n)
    ours, theirs = cp.polynomial, np.polynomial
    near(ours.chebyshev.chebinterpolate(cp.tanh, 8), theirs.chebyshev.chebinterpolate(np.tanh, 8))
    near(ours.Chebyshev.interpolate(cp.tanh, 8, [0, 2]), theirs.Chebyshev.interpolate(np.tanh, 8, [0, 2]))
    for deg in (-1, 1.5, "1"):
        f = outcome(ours.chebyshev.chebinterpolate, cp.tanh, deg)
        assert f is outcome(theirs.chebyshev.chebinterpolate, np.tanh, deg)


@basis
def test_values_of_several_variables(name):
    """valnd, which NumPy has from 2.5 on."""
    rng, p = np.random.default_rng(7), BASES[name][0]
    module = getattr(cp.polynomial, name)
    x, y, z = (cp.asarray(made(rng, (2, 3), "f8")) for _ in range(3))
    c2, c3, c4 = (cp.asarray(made(rng, (2, 3, 2, 4)[:n], "f8")) for n in (2, 3, 4))
    near(getattr(module, p + "valnd")([x, y], c2), getattr(module, p + "val2d")(x, y, c2).get())
    near(getattr(module, p + "valnd")((x, y, z), c3), getattr(module, p + "val3d")(x, y, z, c3).get())
    inner = [getattr(module, p + "val3d")(x, y, z, c4[..., i]) for i in range(4)]
    want = getattr(module, p + "val")(y, cp.stack(inner), tensor=False)
    near(getattr(module, p + "valnd")([x, y, z, y], c4), want.get())
    assert outcome(getattr(module, p + "valnd"), [x, y[0]], c2) is ValueError


def test_domains():
    rng = np.random.default_rng(6)
    for dtype in TYPES:
        both("polyutils", "getdomain", made(rng, 5, dtype))
        both("polyutils", "mapdomain", made(rng, 5, dtype), (0, 2), (-1, 3))
    for bad in (np.zeros(0), np.zeros((2, 2))):
        both("polyutils", "getdomain", bad)
    both("polyutils", "mapparms", (0, 4), (-1, 1))
    both("polyutils", "mapdomain", [1, 2], np.array([0.0, 4]), np.array([1, 3]))
