"""Types of the results of cuprite.scipy.special: SciPy's, for every operand type alone and for pairs of types."""
import numpy as np
import pytest
import scipy.special

import cuprite as cp
from cuprite.scipy import special as ours
from oracle import outcome

TYPES = "?bBhHiIlLefdFD"
#: whole orders as floating-point numbers too (SciPy: integers alone)
ANY_ORDER = {"eval_hermite", "eval_hermitenorm"}
#: SciPy's spheroidal functions do not end for float32; test_special_waves.py has their types
UFUNCS = sorted(name for name in dir(scipy.special) if isinstance(getattr(scipy.special, name), np.ufunc)
                and hasattr(ours, name) and not name.startswith(("obl_", "pro_")))

pytestmark = pytest.mark.filterwarnings("ignore")


def kinds(f, *arguments):
    """The types of f's results, or its exception's type."""
    def call():
        with np.errstate(all="ignore"):
            found = f(*arguments)
        return "".join(r.dtype.char for r in (found if isinstance(found, tuple) else (found,)))
    return outcome(call)


def array(t):
    return np.ones(2, t)


def left_out(name, types):
    return name in ANY_ORDER and types[0] in "Lefd"


@pytest.mark.parametrize("name", UFUNCS)
def test_of_one_type(name, device):
    f, g = getattr(scipy.special, name), getattr(ours, name)
    for t in TYPES:
        if not left_out(name, t):
            assert kinds(g, *[cp.asarray(array(t))] * f.nin) == kinds(f, *[array(t)] * f.nin), t


@pytest.mark.parametrize("name", [name for name in UFUNCS if getattr(scipy.special, name).nin == 2])
def test_of_two_types(name, device):
    f, g = getattr(scipy.special, name), getattr(ours, name)
    for s in "bhlefdFD":
        for t in "bhlefdFD":
            if not left_out(name, s + t):
                assert kinds(g, cp.asarray(array(s)), cp.asarray(array(t))) == kinds(f, array(s), array(t)), (s, t)


@pytest.mark.parametrize("name", ["eval_legendre", "expn", "pdtri", "yn", "kn", "nbdtr"])
def test_whole_orders(name, device):
    """Integers, Python's too, make the result float64; other Python numbers take the array's precision."""
    f, g, x = getattr(scipy.special, name), getattr(ours, name), array("f")
    rest = [x] * (f.nin - 1)
    for order in (2, array("b"), array("l"), x):
        mine = order if isinstance(order, int) else cp.asarray(order)
        assert kinds(g, mine, *map(cp.asarray, rest)) == kinds(f, order, *rest)
    assert ours.gammainc(2.0, cp.asarray(x)).dtype == np.float32  # SciPy 1.17: float64
    assert ours.jv(2, cp.asarray(x)).dtype == scipy.special.jv(2, x).dtype == np.float32


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "sinc"])
def test_of_sums(name, device):
    for t in "bhiqefdFD":
        assert kinds(getattr(ours, name), cp.asarray(array(t))) == kinds(getattr(scipy.special, name), array(t)), t


def test_of_composed(device):
    for t in "bhlefd":
        for order in (2, array("b"), array("f")):
            mine = order if isinstance(order, int) else cp.asarray(order)
            assert kinds(ours.polygamma, mine, cp.asarray(array(t))) == \
                kinds(scipy.special.polygamma, order, array(t))
        assert kinds(ours.multigammaln, cp.asarray(array(t) * 8), 2) == "d"
    for name in ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"):
        for t in "bhledFD":  # of float32 SciPy's are float64, but for spherical_kn
            for derivative in (False, True):
                assert kinds(getattr(ours, name), 2, cp.asarray(array(t)), derivative) == \
                    kinds(getattr(scipy.special, name), 2, array(t), derivative), (name, t)
    assert outcome(ours.multigammaln, cp.ones(3) * 9, cp.asarray([2, 3])) is ValueError


@pytest.mark.parametrize("derivative", [False, True])
def test_spherical_yn_of_complex_numbers(derivative, device):
    z = np.array([0.5 + 1j, 3 - 2j, -4 + 0.1j, 10j, 25 + 3j])
    for n in (0, 1, 5, np.arange(5)):
        np.testing.assert_allclose(ours.spherical_yn(cp.asarray(n), cp.asarray(z), derivative).get(),
                                   scipy.special.spherical_yn(n, z, derivative), rtol=1e-11)


def test_legendre_polynomials_beyond_one(device):
    """Of order 0 and whole degree lpmv is a polynomial; other orders are NaN there."""
    x = np.array([1.5, -3.0, 255.0, -40.0])
    for n in (0, 1, 2, 7, -3):
        np.testing.assert_allclose(ours.lpmv(0, n, cp.asarray(x)).get(), scipy.special.lpmv(0, n, x), rtol=1e-13)
    assert np.isnan(ours.lpmv(1, 2, cp.asarray(x)).get()).all()
    assert np.isnan(scipy.special.lpmv(1, 2, x)).all()


def test_the_branch_of_log_softmax(device):
    """Of complex numbers the imaginary part is SciPy's, not only the same one modulo 2 pi."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 5)) * 3 + 1j * rng.normal(size=(4, 5)) * 6
    for axis in (None, 0, -1):
        np.testing.assert_allclose(ours.log_softmax(cp.asarray(x), axis).get(), scipy.special.log_softmax(x, axis),
                                   rtol=1e-11)


@pytest.mark.parametrize("name", ["jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"])
def test_derivatives_of_integer_orders(name, device):
    """Orders around v wrap in no integers (SciPy's do); a Python number has no type at n = 0."""
    f, scipys = getattr(ours, name), getattr(scipy.special, name)
    for z in (1.5, np.ones(2, "f"), np.ones(2, "d"), np.ones(2, "F"), np.ones(2, "b"), np.ones((), "f")):
        given = cp.asarray(z) if isinstance(z, np.ndarray) else z
        for n in range(4):
            for kind in "bBhHiIlLefd":
                v = np.array([4, 5], kind)
                got, want = f(cp.asarray(v), given, n), scipys(v, z, n)
                assert got.dtype == want.dtype, (kind, n)
                np.testing.assert_allclose(got.get(), scipys(v.astype("d"), z, n), rtol=1e-5)
            for v in (1, 1.5):
                assert f(v, given, n).dtype == scipys(v, z, n).dtype
        for v, n in ((np.array([0, 1], "B"), 3), (np.array([0, 1], "L"), 2)):
            want = scipys(v.astype("d"), z, n)
            np.testing.assert_allclose(f(cp.asarray(v), given, n).get(), want, rtol=2e-5)
    for v in (np.int8(127), np.uint8(254)):
        np.testing.assert_allclose(f(cp.asarray(v), 99.0, 2).get(), scipys(float(v), 99.0, 2), rtol=1e-12)


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
def test_orders_of_spherical_functions_are_cut_off(name, device):
    for n in (3.7, -0.4, -1.2):
        for derivative in (False, True):
            got, want = getattr(ours, name)(n, 1.5, derivative), getattr(scipy.special, name)(n, 1.5, derivative)
            np.testing.assert_allclose(got.get(), want, rtol=1e-12)


@pytest.mark.parametrize("name", ["jv", "hankel2e", "hyp1f1", "eval_chebyt", "eval_jacobi", "wofz", "gamma"])
def test_signatures(name, device):
    """signature= takes each of the types that a ufunc says it has, orders before complex numbers too, and no other."""
    f, theirs = getattr(ours, name), getattr(scipy.special, name)
    for types in [*f.types, "D" * f.nin + "->D", "f" * f.nin + "->d"]:
        if types in f.types or types not in theirs.types:
            want = kinds(lambda *x: theirs(*x, signature=types), *[array("h")] * f.nin)
            assert kinds(lambda *x: f(*x, signature=types), *[cp.asarray(array("h"))] * f.nin) == want, types


def test_truth_values_and_types(device):
    """Of Python's numbers and with dtype= too; what has no loop is a TypeError."""
    for name in ("cbrt", "exp2", "expm1", "i0", "log1p", "round", "kelvin"):
        for number in (True, 1j):
            assert kinds(getattr(ours, name), number) == kinds(getattr(scipy.special, name), number), (name, number)
        for t in "efdD" if name != "kelvin" else "":
            assert kinds(lambda v: getattr(ours, name)(v, dtype=t), cp.asarray(array("f"))) == \
                kinds(lambda v: getattr(scipy.special, name)(v, dtype=t), array("f")), (name, t)
    for order in (4.0, 2, np.float32(4), np.float64(4)):
        assert kinds(ours.kn, order, cp.asarray(array("f"))) == kinds(scipy.special.kn, order, array("f")), order
    assert outcome(ours.multigammaln, cp.ones(2) * 9, 2j) is outcome(scipy.special.multigammaln, np.ones(2) * 9, 2j)
    for m in (np.array([1, 2]), [1], 2.5):
        for name, x in (("sph_legendre_p_all", (3, m, 0.5)), ("sph_harm_y_all", (3, m, 0.5, 0.25))):
            assert outcome(getattr(ours, name), *x) is outcome(getattr(scipy.special, name), *x), (name, m)
    for n in (2.0, np.float32(3), -1, 2.5, 1j, np.array([1, 2])):
        assert kinds(ours.legendre_p_all, cp.asarray(n) if np.ndim(n) else n, cp.ones(2)) == \
            kinds(scipy.special.legendre_p_all, n, np.ones(2)), n
