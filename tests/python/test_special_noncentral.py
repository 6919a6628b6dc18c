"""Noncentral distributions and Smirnov's: each inverse gives the value that it was made from, both tails, the ends of
their domains, and SciPy's values where SciPy finds any."""
import numpy as np
import pytest
import scipy.special
import scipy.stats

import cuprite as cp
from cuprite.scipy import special as ours

pytestmark = pytest.mark.filterwarnings("ignore")


def host(f, *x):
    return f(*[cp.asarray(np.asarray(v, "d")) for v in x]).get()


def shapes(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.exp(rng.uniform(-1, 4, n)), np.exp(rng.uniform(-1, 4, n)), np.exp(rng.uniform(-3, 4, n)), \
        rng.uniform(0.02, 0.98, n)


def near(got, want, rtol):
    assert np.isfinite(want).mean() > 0.6
    known = np.isfinite(want)
    np.testing.assert_allclose(got[known], want[known], rtol=rtol)


def test_chi_squared(device):
    df, _, nc, p = shapes(120)
    x = host(ours.chndtrix, p, df, nc)
    np.testing.assert_allclose(host(ours.chndtr, x, df, nc), p, rtol=1e-11)
    np.testing.assert_allclose(x, scipy.stats.ncx2.ppf(p, df, nc), rtol=1e-8)
    found = host(ours.chndtridf, x, p, nc)
    np.testing.assert_allclose(host(ours.chndtr, x, found, nc), p, rtol=1e-11)
    np.testing.assert_allclose(found, df, rtol=1e-6)
    found = host(ours.chndtrinc, x, df, p)
    np.testing.assert_allclose(host(ours.chndtr, x, df, found), p, rtol=1e-11)
    near(host(ours.chndtr, x, df, nc), scipy.special.chndtr(x, df, nc), 1e-9)


def test_f(device):
    dfn, dfd, nc, p = shapes(80, 1)
    f = host(ours.ncfdtri, dfn, dfd, nc, p)
    np.testing.assert_allclose(host(ours.ncfdtr, dfn, dfd, nc, f), p, rtol=1e-10)
    near(host(ours.ncfdtr, dfn, dfd, nc, f), scipy.special.ncfdtr(dfn, dfd, nc, f), 1e-8)
    np.testing.assert_allclose(host(ours.ncfdtr, dfn, dfd, host(ours.ncfdtrinc, dfn, dfd, p, f), f), p, rtol=1e-10)
    for name, of in (("ncfdtridfn", lambda v: (v, dfd, nc, f)), ("ncfdtridfd", lambda v: (dfn, v, nc, f))):
        given = (p, dfd, nc, f) if name == "ncfdtridfn" else (dfn, p, nc, f)
        found = host(getattr(ours, name), *given)
        known = np.isfinite(found)  # where the distribution does not grow or fall throughout there may be none
        assert known.mean() > 0.6
        np.testing.assert_allclose(host(ours.ncfdtr, *of(found))[known], p[known], rtol=1e-9)


def test_t(device):
    rng = np.random.default_rng(5)
    df, nc, p = np.exp(rng.uniform(-0.5, 4, 100)), rng.uniform(-5, 8, 100), rng.uniform(0.02, 0.98, 100)
    t = host(ours.nctdtrit, df, nc, p)
    np.testing.assert_allclose(host(ours.nctdtr, df, nc, t), p, rtol=1e-11)
    near(host(ours.nctdtr, df, nc, t), scipy.special.nctdtr(df, nc, t), 1e-8)
    np.testing.assert_allclose(host(ours.nctdtr, df, host(ours.nctdtrinc, df, p, t), t), p, rtol=1e-9)
    found = host(ours.nctdtridf, p, nc, t)  # of some there are two, or none beside the one that is known
    known = np.isfinite(found)
    assert known.mean() > 0.5
    np.testing.assert_allclose(host(ours.nctdtr, found, nc, t)[known], p[known], rtol=1e-9)


def test_t_at_its_ends(device):
    inf, nan = np.inf, np.nan
    np.testing.assert_allclose(host(ours.nctdtr, 3.5, 0, np.linspace(-9, 9, 19)),
                               host(ours.stdtr, 3.5, np.linspace(-9, 9, 19)), rtol=1e-13)
    for nc in (-2.0, 0.7):
        np.testing.assert_allclose(host(ours.nctdtr, 3, nc, 0), host(ours.ndtr, -nc), rtol=1e-15)
        assert host(ours.nctdtr, 3, nc, inf) == 1 and host(ours.nctdtr, 3, nc, -inf) == 0
        assert host(ours.nctdtrit, 3, nc, 0) == -inf and host(ours.nctdtrit, 3, nc, 1) == inf
        np.testing.assert_allclose(host(ours.nctdtr, inf, nc, 0.5), host(ours.ndtr, 0.5 - nc), rtol=1e-15)
        # on both sides of 0
        for p in (1e-6, 0.01, 0.2, 0.6, 0.99):
            np.testing.assert_allclose(host(ours.nctdtr, 4, nc, host(ours.nctdtrit, 4, nc, p)), p, rtol=1e-8)
    # a quantile beyond the largest number, one near it
    assert host(ours.nctdtrit, 0.4, 8.0, 1e-200) == -inf
    far = host(ours.nctdtrit, 0.4, 8.0, 1e-110)
    assert -inf < far < -1e200
    np.testing.assert_allclose(host(ours.nctdtr, 0.4, 8.0, far), 1e-110, rtol=1e-10)
    np.testing.assert_allclose(host(ours.nctdtr, 2.0, 7.0, host(ours.nctdtrit, 2.0, 7.0, 1e-200)), 1e-200, rtol=1e-10)
    for x in ((0, 1, 1), (-1, 1, 1), (nan, 1, 1), (1, nan, 1), (1, 1, nan), (1, 1e6, 1)):
        assert np.isnan(host(ours.nctdtr, *x))
    for x in ((3, 1, -0.1), (3, 1, 1.1), (3, 1, nan)):
        assert np.isnan(host(ours.nctdtrit, *x))


def test_tails(device):
    """Far below the mean nothing is lost; far above it is 1."""
    nc = np.array([1e-3, 1.0, 50.0, 1e4, 1e6])
    df = np.full(5, 3.0)
    low, high = host(ours.chndtr, 1e-3 * (df + nc), df, nc), host(ours.chndtr, 50 * (df + nc), df, nc)
    assert (low[:3] > 0).all() and (low[:3] < 1e-4).all() and (high == 1).all()
    np.testing.assert_allclose(host(ours.chndtr, 1e6 + 3, 3.0, 1e6), 0.5, atol=1e-3)
    steps = host(ours.chndtr, np.linspace(0, 90, 500), 4 + np.zeros(500), 30 + np.zeros(500))
    assert (np.diff(steps) >= 0).all() and steps[0] == 0 and steps[-1] < 1


def test_without_noncentrality(device):
    x = np.linspace(0.1, 20, 30)
    np.testing.assert_array_equal(host(ours.chndtr, x, 3.5, 0.0), host(ours.chdtr, 3.5, x))
    np.testing.assert_allclose(host(ours.ncfdtr, 3.5, 8.0, 0.0, x), host(ours.fdtr, 3.5, 8.0, x), rtol=1e-13)


def far_and_near(n, rng):
    """Probabilities of every size: p and 1 - p down to 10^-30 and 10^-13."""
    p = np.where(rng.random(n) < 0.5, rng.random(n), 10.0 ** rng.uniform(-30, 0, n))
    return np.where(rng.random(n) < 0.2, 1 - 10.0 ** rng.uniform(-13, 0, n), p)


@pytest.mark.parametrize("name", ["chndtrix", "ncfdtri", "nctdtrit"])
def test_quantiles_of_drawn_shapes(name, device):
    """Each gives its probability back, by the smaller side, as far as a rounding of the quantile allows."""
    rng = np.random.default_rng(11)
    n = 4000
    between = ((0.1, 500), (0.3, 500), (1e-3, 300))
    df, dfd, nc = (np.exp(rng.uniform(np.log(low), np.log(high), n)) for low, high in between)
    p = far_and_near(n, rng)
    if name == "chndtrix":
        x, f = host(ours.chndtrix, p, df, nc), lambda v: host(ours.chndtr, v, df, nc)
    elif name == "ncfdtri":
        x, f = host(ours.ncfdtri, df, dfd, nc, p), lambda v: host(ours.ncfdtr, df, dfd, nc, v)
    else:
        shift = rng.uniform(-8, 8, n)
        x, f = host(ours.nctdtrit, df, shift, p), lambda v: host(ours.nctdtr, df, shift, v)
    usual = np.isfinite(x) & (abs(x) > 1e-290) & (abs(x) < 1e290)
    assert usual.mean() > 0.98 and not np.isnan(x).any()
    moved = abs(f(x * (1 + 1e-7)) - f(x * (1 - 1e-7))) / 2e-7  # by a change of x by its own size
    least = np.minimum(p, 1 - p)
    off = abs(f(x) - p) / (1e-12 * least + 2e-15 * moved + 2e-16)
    assert off[usual].max() < 1, (df[usual][off[usual].argmax()], nc[usual][off[usual].argmax()])


def test_many_degrees_of_freedom(device):
    """Where a series would have more terms than are added: against the sum of central ones, of Poisson's weights."""
    for df in (1e6, 1e8, 1e10):
        for nc in (1.0, 30.0):
            x, j = df + nc + np.array([-3, -0.7, 0, 0.9, 2])[:, None] * np.sqrt(2 * df), np.arange(120)
            want = (scipy.stats.poisson.pmf(j, nc / 2) * scipy.special.gammainc(df / 2 + j, x / 2)).sum(1)
            np.testing.assert_allclose(host(ours.chndtr, x[:, 0], df, nc), want, rtol=1e-9)
            np.testing.assert_allclose(host(ours.chndtrix, want, df, nc), x[:, 0], rtol=1e-12)


def test_few_degrees_of_freedom(device):
    """F's upper end is heavy: with t = d / (d + n f) to the power of d / 2 it goes to 0."""
    for dfd in (1e-8, 1e-5, 1e-3, 0.03):
        d = host(ours.ncfdtr, 3.0, dfd, 5.0, 0.5)
        j = np.arange(80)
        x = 1.5 / (1.5 + dfd)
        want = (scipy.stats.poisson.pmf(j, 2.5) * scipy.special.betainc(1.5 + j, dfd / 2, x)).sum()
        np.testing.assert_allclose(d, want, rtol=1e-9)
    for df, nc in ((0.07, 8.2), (0.06, -8.0), (0.5, 3.0), (1.3, 7.0)):  # a power of t, also where methods change
        for low, high in ((1e143, 1e144), (1e144, 1e146), (1e146, 1e147)):
            ratio = host(ours.nctdtr, df, -nc, -low) / host(ours.nctdtr, df, -nc, -high)
            np.testing.assert_allclose(ratio, (high / low) ** df, rtol=1e-12)


def test_parameters_of_large_sizes(device):
    """The search begins where distributions are short sums, and still reaches large parameters."""
    np.testing.assert_allclose(host(ours.nctdtr, 5.0, host(ours.nctdtrinc, 5.0, 0.3, 2000.0), 2000.0), 0.3, rtol=1e-9)
    np.testing.assert_allclose(host(ours.nctdtr, 5.0, host(ours.nctdtrinc, 5.0, 0.3, -2000.0), -2000.0), 0.3, rtol=1e-9)
    np.testing.assert_allclose(host(ours.chndtr, 1e5, 3.0, host(ours.chndtrinc, 1e5, 3.0, 0.4)), 0.4, rtol=1e-9)
    np.testing.assert_allclose(host(ours.chndtr, 1e5, host(ours.chndtridf, 1e5, 0.4, 3.0), 3.0), 0.4, rtol=1e-9)
    assert np.isnan(host(ours.chndtrinc, 1.0, 3.0, 0.999))


def test_domains(device):
    nan = np.nan
    for x in ((nan, 1, 1), (1, nan, 1), (1, 1, nan), (-1, 1, 1), (1, 0, 1), (1, -2, 1), (1, 1, -1), (1, 1, 1e12)):
        assert np.isnan(host(ours.chndtr, *x))
    for x in ((1, 2, nan, 1), (0, 2, 1, 1), (2, 0, 1, 1), (2, 2, -1, 1), (2, 2, 1, -1), (2, 2, 1, nan)):
        assert np.isnan(host(ours.ncfdtr, *x))
    assert host(ours.chndtr, 0, 2, 1) == 0 and host(ours.chndtr, np.inf, 2, 1) == 1
    assert host(ours.ncfdtr, 2, 2, 1, 0) == 0 and host(ours.ncfdtr, 2, 2, 1, np.inf) == 1
    assert host(ours.chndtrix, 0, 2, 1) == 0 and host(ours.chndtrix, 1, 2, 1) == np.inf
    assert host(ours.ncfdtri, 2, 2, 1, 0) == 0 and host(ours.ncfdtri, 2, 2, 1, 1) == np.inf
    for name in ("chndtrix", "chndtridf", "chndtrinc"):
        at = {"chndtrix": 0, "chndtridf": 1, "chndtrinc": 2}[name]
        for p in (-0.1, 1.1, nan):
            assert np.isnan(host(getattr(ours, name), *[p if i == at else 1.0 for i in range(3)]))


def test_smirnov(device):
    n = np.array([5, 30, 200, 1000])[:, None]
    p = np.array([1e-12, 1e-3, 0.2, 0.5, 0.9, 0.999])
    d = ours.smirnovi(cp.asarray(n), cp.asarray(p)).get()
    np.testing.assert_allclose(ours.smirnov(cp.asarray(n), cp.asarray(d)).get(), np.broadcast_to(p, d.shape),
                               rtol=1e-10)
    np.testing.assert_allclose(d, scipy.special.smirnovi(n, p), rtol=1e-9)
    for x in ((0, 0.5), (-1, 0.5), (0.5, 0.5), (3, -0.1), (3, 1.1), (3, np.nan), (2e6, 0.5)):
        assert np.isnan(host(ours.smirnov, *x)) and np.isnan(host(ours.smirnovi, *x))
    assert host(ours.smirnov, 2.7, 0.3) == host(ours.smirnov, 2, 0.3)
    np.testing.assert_allclose(host(ours.smirnov, 2.7, 0.3), scipy.special.smirnov(2.7, 0.3), rtol=1e-13)
    assert host(ours.smirnov, 3, 0) == 1 and host(ours.smirnov, 3, 1) == 0
    assert host(ours.smirnovi, 3, 0) == 1 and host(ours.smirnovi, 3, 1) == 0


def test_tukeys_lambda(device):
    x = np.linspace(-8, 8, 41)
    for shape in (-2.0, -0.1, 0.0, 1e-12, 0.3, 1.0, 2.0, 6.0):
        np.testing.assert_allclose(host(ours.tklmbda, x, shape + 0 * x), scipy.special.tklmbda(x, shape), rtol=1e-7,
                                   atol=1e-9)
        np.testing.assert_allclose(host(ours.tklmbda, x, shape + 0 * x) + host(ours.tklmbda, -x, shape + 0 * x), 1,
                                   rtol=1e-14)
    # where both powers in the quantile are tiny; there is (1 - p)**b / b = 1e-200
    np.testing.assert_allclose(host(ours.tklmbda, -1e-200, 1e7), -np.log(1e-193) / 1e7, rtol=1e-4)
    np.testing.assert_allclose(host(ours.tklmbda, -1e-200, 1e100), np.log(1e100) / 1e100, rtol=1e-12)
    np.testing.assert_allclose([host(ours.tklmbda, -1e-200, 60.0), host(ours.tklmbda, -1e-300, 2.0)], 0.5, rtol=2e-16)
    assert host(ours.tklmbda, -np.inf, -0.5) == 0 and host(ours.tklmbda, np.inf, 0.5) == 1
    assert np.isnan(host(ours.tklmbda, np.nan, 1)) and np.isnan(host(ours.tklmbda, 1, np.nan))


@pytest.mark.parametrize("name", ["modfresnelp", "modfresnelm"])
def test_modified_fresnel_integrals(name, device):
    x = np.array([0, 1e-6, 0.3, 1.7, 6.0, 40.0, 1e3])
    for g, w in zip(getattr(ours, name)(cp.asarray(x)), getattr(scipy.special, name)(x), strict=True):
        assert g.dtype == w.dtype == np.complex128
        np.testing.assert_allclose(g.get(), w, rtol=1e-5, atol=1e-9)  # SciPy's have seven digits
    sign = 1 if name[-1] == "p" else -1
    whole = np.sqrt(np.pi) * np.exp(1j * sign * np.pi / 4)  # from -infinity on, where SciPy's imaginary part is wrong
    np.testing.assert_allclose((getattr(ours, name)(cp.asarray(-x))[0] + getattr(ours, name)(cp.asarray(x))[0]).get(),
                               np.broadcast_to(whole, x.shape), rtol=1e-9)
    x = np.concatenate([x, -x[1:]])
    f, k = getattr(ours, name)(cp.asarray(x))
    turned = f * cp.exp(-1j * sign * (cp.asarray(x)**2 + np.pi / 4)) / np.sqrt(np.pi)
    np.testing.assert_allclose(turned.get(), k.get(), rtol=1e-9)
    for t in "fe":
        assert getattr(ours, name)(cp.ones(2, t))[0].dtype == getattr(scipy.special, name)(np.ones(2, t))[0].dtype
