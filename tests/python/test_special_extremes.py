"""Distributions and special functions where sizes, products or differences leave float64, or its precision: large
shapes and degrees of freedom, tiny ones, the smallest numbers and zeros with a sign."""
import decimal

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


#: where a part of the usual formula leaves float64, or a table ends: name, arguments, value by mpmath
PARTS = [
    ("ellipkm1", (2.0**-14,), 6.2384045581869974), ("ellipkm1", (2.0**14,), 0.048737535610835917),
    ("ellipkinc", (1e-157, -1e305), 9.9999999983333328e-158), ("ellipkinc", (1e-150, -1e308), 9.903487555036128e-154),
    ("ellipeinc", (1e-150, -1e308), 5.0000005201743778e-147),
    ("ellipeinc", (-1e-151, -1e306), -5.0028991649331172e-150),
    ("elliprj", (1.7971096343704528e-31, 8.910184417629301e-18, 8.376433866355037e-29, 2.552590435836819e28),
     5.5264196567924338e-19),
    ("elliprj", (3.834445630217322e-27, 1.287535325337015e-28, 1.3705567485615801e-27, 0.015716569498181343),
     5367418783107013.3),
    ("elliprd", (1e300, 1e-300, 2e-300), 8.7867965644035738e149),
    ("hyp1f1", (0.5, 1.5, -1000), 0.028024956081989643), ("hyp1f1", (1, 0.3, -1000), -0.00070119322494429471),
    ("hyp1f1", (-1.5, 1.5, -1000), 14054.525984476337), ("hyp1f1", (30.2, 1.5, -1000), -4.6414019270768113e-61),
    ("hyp1f1", (5.5, -3.2, -305), -8.5497993737538779e-10), ("hyp1f1", (10, 20.5, -400), 3.5862498602215988e-15),
    ("hyp1f1", (0.5, 200.5, -500), 0.5344887163534848), ("hyp1f1", (0.5, 1.5, -1e10), 8.8622692545275801e-6),
    ("hyp1f1", (50.5, 160.2, -320), 1.2211542209380189e-26), ("hyp1f1", (0.1, 0.2, -1e300), 4.825605714957484e-31),
    ("hyp2f1", (200.5, -300.2, -60.1, 1), 4241992081525517.9),
    ("hyp2f1", (-102.1, -20.3, 1.3, 1), 2.7899070752747453e22),
    ("hyp2f1", (-200, -200.5, 1.5, 1), 1.2847014318840341e118),
    ("hyp2f1", (10, -900, 10.5, 0.99), 1.9185370579660768e-24),
    ("hyp2f1", (10, -900, -10.5, 0.99), 3.5427920004035574e-18),
    ("hyp2f1", (-50, 60.5, 3.2, 0.9), 0.11057274877192229), ("hyp2f1", (-300, 2.5, 1.5, 0.7), -6.3745798748285471e-155),
    ("hyp2f1", (-40, 41, 1, 0.8), 0.083642107294382754), ("hyp2f1", (-40, 41, 1, 0.999), -0.078711913950058507),
    ("hyp2f1", (-10000, 2.2, 93459345.3, 0.9), 0.99978817581147799),
    ("hyp2f1", (-125.3, -20.5, -60.25, 1), -3398.6317025134976),
    ("inv_boxcox1p", (6.451612903226469e307, 155), 99.0),
    ("ndtri_exp", (-1.7976931348623157e308,), -1.8961503816218353e154),
    ("log_wright_bessel", (0.001, 0, 1e5), 99641.920687169507), ("log_wright_bessel", (1, 1, 1e6), 1995.2806727526574),
    ("log_wright_bessel", (0.5, 1, 1e4), 873.24468097804343), ("log_wright_bessel", (3, 200, 2e4), -857.93120702483528),
    ("log_wright_bessel", (0.001, 100, 1e5), 99143.465191656527),
]


@pytest.mark.parametrize("name", sorted({row[0] for row in PARTS}))
def test_where_a_part_leaves_the_range(device, name):
    for _, arguments, value in (row for row in PARTS if row[0] == name):
        np.testing.assert_allclose(host(getattr(ours, name), *arguments), value, rtol=3e-13, err_msg=str(arguments))


def test_powers_of_two_are_no_gap_in_elliptic_integrals(device):
    m = np.concatenate([np.nextafter(2.0**e, [0, 2.0**e, np.inf]) for e in range(-1022, 1023)])
    for name, x in (("ellipkm1", m), ("ellipk", -m), ("ellipe", -m), ("ellipk", m[m < 1]), ("ellipe", m[m <= 1])):
        np.testing.assert_allclose(host(getattr(ours, name), x), getattr(scipy.special, name)(x), rtol=1e-14)


@pytest.mark.parametrize("n, p, q", [(100, 68.5, 67.9), (100, 47.1, 0.2), (60, 400.5, 300)])
def test_shifted_jacobi_polynomials_whose_factors_leave_the_range(device, n, p, q):
    x, k = np.linspace(0.01, 0.99, 50), np.arange(n)[:, None]
    expected = scipy.special.eval_sh_jacobi(k, p, q, x)
    got = host(ours.eval_sh_jacobi, k, p, q, x)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max(axis=1)[-1])
    assert np.all(np.abs(got).max(axis=1) > 0)


@pytest.mark.parametrize("derivative", [False, True])
@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
def test_spherical_functions_left_of_0_and_at_infinity(device, name, derivative):
    n = np.arange(6)[:, None]
    beyond = complex(0, np.inf) if name[10] in "ik" else 1j
    for x in (np.array([-np.inf, -30, -2.5, -0.3, 0.3, 30, np.inf, np.nan]),
              np.array([-np.inf, np.inf, beyond, -3, complex(-3, -0.0), 1 - 2j])):
        got = getattr(ours, name)(cp.asarray(n), cp.asarray(x), derivative=derivative).get()
        np.testing.assert_allclose(got, getattr(scipy.special, name)(n, x, derivative=derivative), rtol=1e-12)


def test_a_sum_that_cancels_is_not_taken_for_a_root(device):
    """Where no digit is certain it is NaN; small sums that vanish are roots."""
    got = np.array([host(ours.hyp2f1, -200, 201, 1, 0.9), host(ours.hyp1f1, -300, 1, 500)])
    assert np.isnan(got).all()
    assert host(ours.hyp2f1, -1, 2, 1, 0.5) == 0 and host(ours.hyp1f1, -2, 3, 2) == 0


def test_quantiles_below_the_smallest_normal_number(device):
    """Of a beta distribution whose b is 1: a power. SciPy's are not always there."""
    for a, p in ((0.003292045598962157, 0.08917416632175446), (0.0032, 0.1), (0.0065, 0.0085), (0.0032, 0.12)):
        want = float(decimal.Decimal(p) ** (1 / decimal.Decimal(a)))
        assert abs(float(ours.betaincinv(a, 1.0, p)) - want) <= 1e-12 * want + 1e-323
        assert abs(float(ours.fdtri(2 * a, 2.0, p)) - want / a) <= 1e-12 * want / a + 1e-321
    assert float(ours.betaincinv(0.003292045598962157, 2.0, 0.089)) < 2.3e-308
    assert float(ours.betainccinv(1.0, 0.0032, 0.1)) == 1
