"""cuprite.scipy.special's Legendre functions and spherical harmonics with derivatives beside SciPy's; at the ends of
the interval, where some of SciPy's are wrong, beside polynomials."""
import numpy as np
import pytest
import scipy.special
from numpy.polynomial import legendre

import cuprite as cp
from cuprite.scipy import special as ours
from oracle import outcome

pytestmark = pytest.mark.filterwarnings("ignore")
INSIDE = np.array([-0.999, -0.9, -0.5, 0, 1e-9, 0.3, 0.7, 0.99])
BEYOND = np.array([1.0001, 1.5, 3.0, 40.0])
ANGLES = np.array([1e-8, 0.3, 1, np.pi / 2, 2.5, np.pi - 1e-6])
N, M = np.arange(8)[:, None, None], np.arange(-6, 7)[:, None]


def same(name, *x, rtol=1e-10, **words):
    def call(module, array):
        with np.errstate(all="ignore"):
            found = getattr(module, name)(*[array(v) if isinstance(v, np.ndarray) else v for v in x], **words)
        return found if isinstance(found, tuple) else (found,)
    for g, w in zip(call(ours, cp.asarray), call(scipy.special, np.asarray), strict=True):
        assert isinstance(g, cp.ndarray) and g.dtype == w.dtype and g.shape == w.shape, (g.shape, w.shape)
        np.testing.assert_allclose(g.get(), w, rtol=rtol, atol=1e-12 if rtol < 1e-6 else 1e-5)


@pytest.mark.parametrize("diff", [0, 1, 2])
def test_polynomials(diff, device):
    for z in (INSIDE, BEYOND, INSIDE[:3].astype("f"), np.float64(0.25)):
        same("legendre_p", np.arange(12).reshape(-1, *[1] * np.ndim(z)), z, diff_n=diff)
        same("legendre_p_all", 9, z, diff_n=diff, rtol=1e-4 if getattr(z, "dtype", "d") == "f" else 1e-10)
    same("legendre_p", 5, 0.5, diff_n=diff)
    same("legendre_p_all", 0, INSIDE[:, None], diff_n=diff)
    same("legendre_p", 120, INSIDE, diff_n=diff, rtol=1e-8)
    same("legendre_p", np.arange(-5, 1)[:, None], np.array([-3.0, 0.25]), diff_n=diff)


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("diff", [0, 1, 2])
def test_functions_of_any_order(diff, norm, device):
    for z in (INSIDE, np.array([-3.0, -1.2, 1.5])):  # NaN, but for order 0
        same("assoc_legendre_p", N, M, z, diff_n=diff, norm=norm)
        same("assoc_legendre_p_all", 6, 4, z, diff_n=diff, norm=norm)
    same("assoc_legendre_p", N, M, BEYOND, diff_n=diff, norm=norm, branch_cut=3)
    same("assoc_legendre_p_all", 3, 5, BEYOND, diff_n=diff, norm=norm, branch_cut=3)
    same("assoc_legendre_p", np.arange(-4, 1)[:, None, None], np.arange(-3, 4)[:, None], INSIDE, diff_n=diff, norm=norm)
    same("assoc_legendre_p", 3, 2, 0.25, diff_n=diff, norm=norm)
    if norm:  # neither overflows nor vanishes
        same("assoc_legendre_p", 300, 200, INSIDE[1:6], diff_n=diff, norm=True, rtol=1e-8)


@pytest.mark.parametrize("diff", [0, 1, 2])
def test_of_angles(diff, device):
    same("sph_legendre_p", N, M, ANGLES, diff_n=diff)
    same("sph_legendre_p_all", 6, 4, ANGLES, diff_n=diff)
    phi = ANGLES[::-1] * 1.9
    same("sph_harm_y", N, M, ANGLES, phi, diff_n=diff)
    same("sph_harm_y", 5, -3, 0.4, 1.2, diff_n=diff)
    same("sph_harm_y_all", 6, 4, ANGLES[:, None], phi, diff_n=diff)
    same("sph_harm_y_all", 2, 3, 0.4, 1.2, diff_n=diff)
    single = np.array([0.3, 1.0, 2.5], "f")
    same("sph_legendre_p_all", 3, 2, single, diff_n=diff, rtol=1e-4)
    same("sph_harm_y_all", 3, 2, single, single, diff_n=diff, rtol=1e-4)
    same("sph_legendre_p", 3, 2, single, diff_n=diff, rtol=1e-4)
    wide = np.array([-9.1, -4.0, -0.9, -1e-3, 3.5, 5.0, 7.0, 12.0])  # the sine is the root of 1 - cos(theta)**2
    same("sph_legendre_p", N, M, wide, diff_n=diff)
    same("sph_legendre_p_all", 6, 4, wide, diff_n=diff)
    same("sph_harm_y", N, M, wide, 0.3, diff_n=diff)
    same("sph_legendre_p", np.arange(-4, 1)[:, None, None], np.arange(-3, 4)[:, None], ANGLES, diff_n=diff)
    same("sph_harm_y", np.arange(-4, 1)[:, None, None], np.arange(-3, 4)[:, None], ANGLES, phi, diff_n=diff)
    same("sph_harm_y_all", 6, 4, wide, 0.3, diff_n=diff)


def test_ends_of_the_interval(device):
    """Of order 0 the polynomials' derivatives, of even orders those of (1 - z*z)**(m/2) times a derivative, of odd
    orders infinite ones with the sign of the slope beside it."""
    z = np.array([-1.0, 1.0])
    for n in range(8):
        c = np.eye(n + 1)[n]
        want = [legendre.legval(z, legendre.legder(c, k) if k else c) for k in range(3)]
        for norm in (False, True):
            factor = np.sqrt(n + 0.5) if norm else 1
            np.testing.assert_allclose(ours.assoc_legendre_p(n, 0, cp.asarray(z), norm=norm, diff_n=2).get(),
                                       np.array(want) * factor, rtol=1e-13)
        np.testing.assert_allclose(ours.legendre_p(n, cp.asarray(z), diff_n=2).get(), want, rtol=1e-13)
        two = legendre.legmul(legendre.poly2leg([1, 0, -1]), legendre.legder(c, 2) if n > 1 else [0])
        want = [legendre.legval(z, legendre.legder(two, k) if k else two) for k in range(3)]
        np.testing.assert_allclose(ours.assoc_legendre_p(n, 2, cp.asarray(z), diff_n=2).get(), want, rtol=1e-12,
                                   atol=1e-12)
        for m in (1, -1, 3, -3, 5):
            got = ours.assoc_legendre_p(n, m, cp.asarray(z), diff_n=2).get()
            near = ours.assoc_legendre_p(n, m, cp.asarray(z * (1 - 1e-15)), diff_n=2).get()
            assert (got[0] == 0).all()
            for k in (1, 2):
                infinite = n >= abs(m) and abs(m) < 2 * k
                assert np.isinf(got[k]).all() == infinite
                if infinite:
                    np.testing.assert_array_equal(np.sign(got[k]), np.sign(near[k]))
                else:
                    size = abs(ours.assoc_legendre_p(n, m, cp.linspace(-0.9, 0.9, 30), diff_n=2)[k]).max()
                    np.testing.assert_allclose(got[k], near[k], atol=1e-4 * float(size))


def test_refusals(device):
    z = cp.asarray(INSIDE)
    for name, x in (("legendre_p", (3,)), ("assoc_legendre_p", (3, 1)), ("sph_legendre_p", (3, 1))):
        f, g = getattr(ours, name), getattr(scipy.special, name)
        for diff in (-1, 1.5):
            assert outcome(f, *x, z, diff_n=diff) is outcome(g, *x, INSIDE, diff_n=diff)
        assert outcome(f, *x, z, diff_n=3) is outcome(f, *x, z, diff_n="a") is ValueError
        assert outcome(f, 2.5, *x[1:], z) is outcome(g, 2.5, *x[1:], INSIDE) is TypeError
    for name, x in (("legendre_p_all", (-1,)), ("legendre_p_all", (2.5,)), ("assoc_legendre_p_all", (3, -1)),
                    ("sph_legendre_p_all", (-3, 1))):
        assert outcome(getattr(ours, name), *x, z) is outcome(getattr(scipy.special, name), *x, INSIDE) is ValueError
    assert outcome(ours.legendre_p, 3, cp.asarray([1j])) is TypeError
    assert outcome(ours.assoc_legendre_p, 3, 1, z, branch_cut=4) is ValueError  # SciPy: as 2
    assert outcome(ours.sph_harm_y, 3, 1, z, z, diff_n=3) is outcome(scipy.special.sph_harm_y, 3, 1, 0.1, 0.1, diff_n=3)


def test_orders_of_either_sign():
    for name, x in (("sph_legendre_p_all", (3, -2, 0.3)), ("sph_harm_y_all", (3, -2, 0.3, 0.2))):
        np.testing.assert_allclose(getattr(ours, name)(*x).get(), getattr(scipy.special, name)(*x), rtol=1e-12,
                                   atol=1e-15)


def test_empty(device):
    none = cp.zeros((0, 3))
    assert ours.legendre_p(3, none, diff_n=1).shape == (2, 0, 3)
    assert ours.legendre_p(cp.zeros(0, "i"), 0.5).shape == (1, 0)
    assert ours.assoc_legendre_p_all(3, 2, none).shape == (1, 4, 5, 0, 3)
    assert ours.sph_harm_y_all(3, 2, none, 0.5, diff_n=2)[2].shape == (4, 5, 0, 3, 2, 2)


def test_assoc_laguerre(device):
    x = np.linspace(0, 20, 9)
    for n, k in ((0, 0.0), (4, 1.5), (7, 3)):
        np.testing.assert_allclose(ours.assoc_laguerre(cp.asarray(x), n, k).get(),
                                   scipy.special.assoc_laguerre(x, n, k), rtol=1e-9, atol=1e-9)
