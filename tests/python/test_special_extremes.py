"""Distributions and special functions where sizes, products or differences leave float64, or its precision: large
shapes and degrees of freedom, tiny ones, the smallest numbers and zeros with a sign."""
import numpy as np
import pytest
import scipy.special

import cuprite as cp
from cuprite.scipy import special as ours

pytestmark = pytest.mark.filterwarnings("ignore")

#: a, b, x, betainc and betaincc, by integration with 40 digits (mpmath)
BETA = [
    (2e8, 3e8, 0.399998904554885, 0.48006361296288811, 0.51993638703711189),
    (1e8, 1e8, 0.4999929289321881, 0.42074029065444972, 0.57925970934555028),
    (5e9, 1e14, 4.999679307124226e-05, 0.15865525392303004, 0.84134474607696996),
    (1e12, 2e12, 0.3333335238492022, 0.75803636939871504, 0.24196363060128496),
    (3e10, 2e8, 0.9933756165258845, 3.1718111266029411e-5, 0.99996828188873397),
    (1e14, 1e9, 0.9999900010486681, 0.99865047592828601, 0.0013495240717139947),
    (9e7, 4e15, 2.249881363966747e-08, 0.30854681648211293, 0.69145318351788707),
]


def host(f, *x, t="d"):
    return f(*[cp.asarray(np.asarray(v, t)) for v in x]).get()


def test_beta_functions_of_large_shapes(device):
    a, b, x, p, q = np.array(BETA).T
    np.testing.assert_allclose(host(ours.betainc, a, b, x), p, rtol=1e-12)
    np.testing.assert_allclose(host(ours.betaincc, a, b, x), q, rtol=1e-12)
    same = 10.0**np.arange(1, 309)
    half = np.full(same.shape, 0.5)
    for f in (ours.betainc, ours.betaincc):
        np.testing.assert_allclose(host(f, same, same, half), 0.5, rtol=1e-14)
        assert set(host(f, same[40:], same[40:], 0.5001 + 0 * half[40:])) <= {0.0, 1.0}
    np.testing.assert_allclose(host(ours.stdtr, 2 * same[8:100], 1 + 0 * same[8:100]), scipy.special.ndtr(1), rtol=1e-8)


def test_f_distribution_of_any_size(device):
    """It is chi squared's where the other number is as good as infinite."""
    few, x = np.array([1e-10, 0.5, 1, 2, 30, 1e5]), np.array([1e-3, 0.2, 1, 1.01, 2, 1.003])
    for many in (1e299, 1e305, 1.7e308, np.inf):
        for f, g in ((ours.fdtr, scipy.special.gammainc), (ours.fdtrc, scipy.special.gammaincc)):
            np.testing.assert_allclose(host(f, few, many + 0 * x, x), g(few / 2, few * x / 2), rtol=1e-11)
        for f, g in ((ours.fdtr, scipy.special.gammaincc), (ours.fdtrc, scipy.special.gammainc)):
            np.testing.assert_allclose(host(f, many + 0 * x, few, x), g(few / 2, few / x / 2), rtol=1e-11)
    np.testing.assert_allclose(host(ours.fdtr, [1, 1e-5], [1e301, 1e302], [1e-300, 1e-300]),
                               [np.sqrt(2e-300 / np.pi), scipy.special.gammainc(5e-6, 5e-306)], rtol=1e-12)
    every = np.array([1e-300, 1e-200, 1e-100, 1, 1e100, 1e250, 1e300, 1.7e308])
    a, b, x = (v.ravel() for v in np.meshgrid(every, every, np.concatenate([[0], every])))
    p, q = host(ours.fdtr, a, b, x), host(ours.fdtrc, a, b, x)
    np.testing.assert_allclose(p + q, 1, rtol=1e-12)  # no NaN
    np.testing.assert_allclose(host(ours.fdtr, every[3:], every[3:], 1 + 0 * every[3:]), 0.5, rtol=1e-14)


def test_t_distributions_of_any_degrees_of_freedom(device):
    """Normal where there are many; all of the weight at both infinities where there are none."""
    nc, t = np.array([-5, 0, 1, 3, 0.0]), np.array([-1, 1, 2, -6, 1e-10])
    for df in (1e41, 1e100, 1e200, 1e285, 1e300, np.inf):
        np.testing.assert_allclose(host(ours.nctdtr, df + 0 * t, nc, t), scipy.special.ndtr(t - nc), rtol=1e-13)
    for t in (1e-5, 1.0, 1e5, 1.7e308):
        for sign in (-1, 1):
            np.testing.assert_allclose(host(ours.nctdtr, 1e-300 + 0 * nc, nc, sign * t + 0 * nc),
                                       scipy.special.ndtr(-nc), rtol=1e-11)
            for df in (5e-324, 1e-310, 1e-300):
                np.testing.assert_allclose(host(ours.stdtr, df, sign * t), 0.5, rtol=1e-11)
    for df, t in ((1e-3, 1e150), (1e-3, 1e100), (0.01, 1e150), (0.5, 1e140), (1, 1e153)):
        np.testing.assert_allclose(host(ours.nctdtr, df, 0, [-t, t]), scipy.special.stdtr(df, [-t, t]), rtol=1e-11)
        np.testing.assert_allclose(host(ours.stdtr, df, [-t, t]), scipy.special.stdtr(df, [-t, t]), rtol=1e-11)
    # (v / t^2)^(v / 2) over v beta(v / 2, 1 / 2)
    np.testing.assert_allclose(host(ours.stdtr, [1, 2], -1e300), [1 / np.pi / 1e300, 0], rtol=1e-12)


@pytest.mark.parametrize("t", "fd")
def test_zeros_and_smallest_numbers(device, t):
    """Beside other numbers and alone: kernels in vectors have other methods for those."""
    few = np.array([5e-324, 1e-310, 1e-300]) if t == "d" else np.array([1e-45, 1e-40, 1e-37], "f")
    for rest in (0, 1, 40):
        zeros = np.concatenate([[-0.0, 0.0], np.full(rest, 0.25)]).astype(t)
        for f in (ours.erf, ours.erfinv, ours.j1):
            got = host(f, zeros, t=t)
            assert (got[:2] == 0).all() and np.signbit(got[:2]).tolist() == [True, False]
        x = np.concatenate([-few, few, np.full(rest, 0.25)]).astype(t)
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(host(ours.digamma, x, t=t)[:6], -1 / x[:6], rtol=1e-6 if t == "f" else 1e-15)
        np.testing.assert_allclose(host(ours.gammaln, x, t=t)[:6], -np.log(np.abs(x[:6])), rtol=1e-6)



def test_roots_of_polynomials(device):
    """1 - 2 x / b + x^2 / b (b + 1), by itself and by Kummer's transformation."""
    np.testing.assert_array_equal(host(ours.hyp1f1, [-2, 5, -2, -2], 3, [2, -2, 6, 1.5]), [0, 0, 0, 0.1875])


def test_gamma_keeps_its_sign_where_it_vanishes(device):
    """Below -200, where gamma is 0 and 1 / gamma infinite."""
    x = np.arange(-300, -190) + 0.7
    sign = scipy.special.gammasgn(x)
    small, large = host(ours.gamma, x), host(ours.rgamma, x)
    assert not small.any() and np.isinf(large).all()
    np.testing.assert_array_equal(np.copysign(1, small), sign)
    np.testing.assert_array_equal(np.sign(large), sign)


#: where a number is infinite: the limits, and NaN where there is none. SciPy's beta(inf, inf), poch(inf, 3) and
#: poch(-inf, 2) are NaN
AT_INFINITY = {
    "beta": [(np.inf, -0.5, -np.inf), (-1.5, np.inf, np.inf), (np.inf, -2.5, -np.inf), (np.inf, 3, 0),
             (np.inf, np.inf, 0), (np.inf, -3, np.inf)],
    "betaln": [(np.inf, -0.5, np.inf), (-1.5, np.inf, np.inf), (np.inf, 3, -np.inf), (np.inf, np.inf, -np.inf)],
    "binom": [(np.inf, 0, 1), (np.inf, 1, np.inf), (np.inf, 2.5, np.inf), (np.inf, -1, 0), (np.inf, -1.5, 0),
              (0, -np.inf, 0), (3, -np.inf, 0), (2.5, -np.inf, 0), (-0.5, -np.inf, 0), (3, np.inf, 0),
              (-1.5, np.inf, np.nan), (-2, np.inf, np.nan), (np.inf, np.inf, np.nan), (np.inf, -np.inf, np.nan),
              (-np.inf, 2, np.nan), (np.nan, np.inf, np.nan), (np.inf, np.nan, np.nan)],
    "poch": [(-np.inf, 0, 1), (-np.inf, 1, -np.inf), (-np.inf, 2, np.inf), (-np.inf, -1, 0), (-np.inf, 0.5, np.nan),
             (np.inf, 3, np.inf), (np.inf, 0, 1), (np.inf, -2.5, 0), (2, np.inf, np.inf), (-0.5, np.inf, -np.inf),
             (-1.5, np.inf, np.inf), (0, np.inf, 0), (-2, -np.inf, 0), (1.5, -np.inf, np.nan),
             (np.nan, np.inf, np.nan), (np.inf, np.nan, np.nan), (-np.inf, np.inf, np.nan)],
}


@pytest.mark.parametrize("t", "fd")
@pytest.mark.parametrize("name", AT_INFINITY)
def test_at_infinity(device, name, t):
    a, b, wanted = np.array(AT_INFINITY[name]).T
    np.testing.assert_array_equal(host(getattr(ours, name), a, b, t=t), wanted)
    if name.startswith("beta"):
        np.testing.assert_array_equal(host(getattr(ours, name), b, a, t=t), wanted)
