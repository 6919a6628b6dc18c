"""Every distribution of cuprite.random against SciPy's: Kolmogorov and Smirnov for real numbers, chi-square for whole
ones, moments for both, with fixed seeds, parameters ordinary and extreme."""
import warnings

import cuprite as cp
import numpy as np
import pytest
from scipy import stats

N = 40000
# A fixed seed gives the same statistic every time: below this the body is wrong, not the luck bad.
LEAST = 1e-4

REAL = [
    ("random", (), stats.uniform()),
    ("uniform", (-3, 5), stats.uniform(-3, 8)),
    ("uniform", (1e300, 1.5e300), stats.uniform(1e300, 5e299)),
    ("standard_normal", (), stats.norm()),
    ("normal", (3, 0.25), stats.norm(3, 0.25)),
    ("lognormal", (0.5, 0.3), stats.lognorm(0.3, scale=np.exp(0.5))),
    ("lognormal", (-200, 40), stats.lognorm(40, scale=np.exp(-200))),
    ("standard_exponential", (), stats.expon()),
    ("exponential", (7,), stats.expon(scale=7)),
    ("laplace", (1, 2), stats.laplace(1, 2)),
    ("logistic", (1, 2), stats.logistic(1, 2)),
    ("gumbel", (1, 2), stats.gumbel_r(1, 2)),
    ("rayleigh", (3,), stats.rayleigh(scale=3)),
    ("weibull", (0.3,), stats.weibull_min(0.3)),
    ("weibull", (5,), stats.weibull_min(5)),
    ("pareto", (0.5,), stats.lomax(0.5)),
    ("pareto", (40,), stats.lomax(40)),
    ("power", (0.2,), stats.powerlaw(0.2)),
    ("power", (6,), stats.powerlaw(6)),
    ("standard_cauchy", (), stats.cauchy()),
    ("triangular", (-1, 2, 5), stats.triang(0.5, -1, 6)),
    ("triangular", (0, 0, 1), stats.triang(0, 0, 1)),
    ("triangular", (0, 1, 1), stats.triang(1, 0, 1)),
    ("standard_gamma", (0.01,), stats.gamma(0.01)),
    ("standard_gamma", (0.7,), stats.gamma(0.7)),
    ("standard_gamma", (1,), stats.gamma(1)),
    ("gamma", (4.5, 2), stats.gamma(4.5, scale=2)),
    ("gamma", (1e6, 1e-3), stats.gamma(1e6, scale=1e-3)),
    ("beta", (0.05, 1), stats.beta(0.05, 1)),
    ("beta", (0.2, 0.4), stats.beta(0.2, 0.4)),
    ("beta", (0.5, 0.5), stats.beta(0.5, 0.5)),
    ("beta", (2, 5), stats.beta(2, 5)),
    ("beta", (0.3, 8), stats.beta(0.3, 8)),
    ("beta", (1e5, 2e5), stats.beta(1e5, 2e5)),
    ("chisquare", (0.1,), stats.chi2(0.1)),
    ("chisquare", (3,), stats.chi2(3)),
    ("noncentral_chisquare", (0.5, 2), stats.ncx2(0.5, 2)),
    ("noncentral_chisquare", (5, 3), stats.ncx2(5, 3)),
    ("noncentral_chisquare", (5, 0), stats.chi2(5)),
    ("f", (3, 7), stats.f(3, 7)),
    ("noncentral_f", (3, 9, 2), stats.ncf(3, 9, 2)),
    ("standard_t", (1,), stats.t(1)),
    ("standard_t", (4.5,), stats.t(4.5)),
    ("wald", (3, 2), stats.invgauss(1.5, scale=2)),
    ("wald", (1e-3, 5), stats.invgauss(2e-4, scale=5)),
    ("wald", (500, 1), stats.invgauss(500, scale=1)),
    ("vonmises", (0, 1e-9), stats.uniform(-np.pi, 2 * np.pi)),
    ("vonmises", (0, 1e-6), stats.vonmises(1e-6)),
    ("vonmises", (0, 2), stats.vonmises(2)),
    ("vonmises", (0, 500), stats.vonmises(500)),
    ("vonmises", (0.5, 1e7), stats.norm(0.5, np.sqrt(1e-7))),
]

WHOLE = [
    ("poisson", (1e-3,), stats.poisson(1e-3)), ("poisson", (0.7,), stats.poisson(0.7)),
    ("poisson", (9.99,), stats.poisson(9.99)), ("poisson", (10,), stats.poisson(10)),
    ("poisson", (137.5,), stats.poisson(137.5)), ("poisson", (1e7,), stats.poisson(1e7)),
    ("binomial", (10, 0.3), stats.binom(10, 0.3)), ("binomial", (10, 0.95), stats.binom(10, 0.95)),
    ("binomial", (1, 0.5), stats.binom(1, 0.5)), ("binomial", (100, 0.1), stats.binom(100, 0.1)),
    ("binomial", (1000, 0.5), stats.binom(1000, 0.5)), ("binomial", (10**6, 0.7), stats.binom(10**6, 0.7)),
    ("binomial", (10**9, 3e-9), stats.binom(10**9, 3e-9)), ("binomial", (10**9, 1e-3), stats.binom(10**9, 1e-3)),
    ("negative_binomial", (0.5, 0.2), stats.nbinom(0.5, 0.2)),
    ("negative_binomial", (20, 0.4), stats.nbinom(20, 0.4)),
    ("geometric", (0.9,), stats.geom(0.9)), ("geometric", (0.35,), stats.geom(0.35)),
    ("geometric", (1e-5,), stats.geom(1e-5)),
    ("hypergeometric", (5, 7, 4), stats.hypergeom(12, 5, 4)),
    ("hypergeometric", (50, 30, 25), stats.hypergeom(80, 50, 25)),
    ("hypergeometric", (50, 300, 330), stats.hypergeom(350, 50, 330)),
    ("hypergeometric", (10**5, 10**6, 5000), stats.hypergeom(11 * 10**5, 10**5, 5000)),
    ("logseries", (0.01,), stats.logser(0.01)), ("logseries", (0.9,), stats.logser(0.9)),
    ("logseries", (0.9999,), stats.logser(0.9999)),
    ("zipf", (1.5,), stats.zipf(1.5)), ("zipf", (4,), stats.zipf(4)), ("zipf", (30,), stats.zipf(30)),
]


def drawn(name, parameters, kind, **options):
    rng = cp.random.Generator(kind(2026))
    return getattr(rng, name)(*parameters, size=N, **options).get()


def ids(rows):
    return [f"{name}-{'-'.join(map(str, p))}" for name, p, _ in rows]


@pytest.mark.parametrize("name, parameters, law", REAL, ids=ids(REAL))
def test_real_numbers(name, parameters, law):
    x = drawn(name, parameters, cp.random.Philox)
    assert x.dtype == np.float64 and np.isfinite(x).all()
    assert stats.kstest(x, law.cdf).pvalue > LEAST
    check_moments(x, law)


def check_moments(x, law):
    """Mean and variance within five of their own deviations, where SciPy knows that there are such."""
    mean, variance, kurtosis = law.stats("mvk")
    if np.isfinite(mean) and np.isfinite(variance) and variance < 1e300:
        assert abs(x.mean() - mean) <= 5 * np.sqrt(variance / N)
    if np.isfinite(kurtosis) and kurtosis < 1000 and variance < 1e150:
        assert abs(x.var() / variance - 1) <= 5 * np.sqrt((kurtosis + 2) / N) + 1e-3


def whole_p_value(x, law):
    """Chi-square over the values as they are where those are few, else over ranges of about equal probability."""
    edges = np.unique(law.ppf(np.linspace(0, 1, 65)[1:-1]))
    edges = edges[np.isfinite(edges)]
    share = np.diff(np.concatenate([[0], law.cdf(edges), [1]]))
    found = np.bincount(np.searchsorted(edges, x), minlength=share.size)
    want = share * x.size
    if want.max() > x.size - 8:                           # one value, nearly always: how often it is another
        rare = want.size > 1 and x.size - want.max()
        return stats.poisson.sf(x.size - found[want.argmax()] - 1, rare) if rare else float(found[0] == x.size)
    while want.size > 1 and want[-1] < 8:                 # the last range is too rare
        want, found = np.append(want[:-2], want[-2:].sum()), np.append(found[:-2], found[-2:].sum())
    while want.size > 1 and want[0] < 8:
        want, found = np.append(want[:2].sum(), want[2:]), np.append(found[:2].sum(), found[2:])
    return stats.chisquare(found, want * (found.sum() / want.sum())).pvalue


@pytest.mark.parametrize("name, parameters, law", WHOLE, ids=ids(WHOLE))
def test_whole_numbers(name, parameters, law):
    x = drawn(name, parameters, cp.random.Philox)
    assert x.dtype == np.int64
    assert whole_p_value(x, law) > LEAST
    assert x.min() >= law.support()[0] and x.max() <= law.support()[1]
    check_moments(x.astype(float), law)


FEW = [("random", (), stats.uniform()), ("standard_normal", (), stats.norm()), ("gamma", (0.3, 1), stats.gamma(0.3)),
       ("gamma", (3, 1), stats.gamma(3)), ("vonmises", (0, 2), stats.vonmises(2)),
       ("wald", (3, 2), stats.invgauss(1.5, scale=2))]


@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a", "Philox4x3210"])
@pytest.mark.parametrize("name, parameters, law", FEW, ids=ids(FEW))
def test_other_generators(name, parameters, law, kind):
    x = drawn(name, parameters, getattr(cp.random, kind))
    assert stats.kstest(x, law.cdf).pvalue > LEAST


@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a", "Philox4x3210"])
def test_whole_numbers_of_other_generators(kind):
    x = drawn("binomial", (1000, 0.5), getattr(cp.random, kind))
    assert whole_p_value(x, stats.binom(1000, 0.5)) > LEAST
    k = drawn("integers", (0, 7), getattr(cp.random, kind))
    assert stats.chisquare(np.bincount(k, minlength=7)).pvalue > LEAST


@pytest.mark.parametrize("name, parameters", [(n, p) for n, p, law in REAL if max([abs(v) for v in p] or [0]) < 1e6])
def test_float32_is_float64_rounded(name, parameters):
    if name in ("random", "standard_normal", "normal"):
        pytest.skip("made in float32")
    wide = drawn(name, parameters, cp.random.Philox)
    narrow = drawn(name, parameters, cp.random.Philox, dtype="f4")
    assert narrow.dtype == np.float32
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_array_equal(narrow, wide.astype("f4"))


def test_random_of_float32():
    narrow = drawn("random", (), cp.random.Philox, dtype="f4")
    assert narrow.dtype == np.float32 and stats.kstest(narrow, "uniform").pvalue > LEAST


@pytest.mark.parametrize("kind", ["Philox", "XORWOW", "Philox4x3210"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_normal_numbers(dtype, kind):
    """Two million numbers in a thousand ranges of equal probability; pairs have no direction; parameters."""
    kind = getattr(cp.random, kind)
    x = cp.random.Generator(kind(11)).standard_normal(2_000_001, dtype=dtype).get()
    assert x.dtype == dtype and np.isfinite(x).all()
    edges = stats.norm.ppf(np.linspace(0, 1, 1001)[1:-1])
    assert stats.chisquare(np.bincount(np.searchsorted(edges, x), minlength=1000)).pvalue > LEAST
    pairs = x[:-1].reshape(-1, 2).astype(float)
    turn = np.arctan2(pairs[:, 1], pairs[:, 0]) / (2 * np.pi) % 1
    radius = np.exp(-0.5 * (pairs ** 2).sum(1))
    both = np.histogram2d(turn, radius, bins=(64, 32), range=((0, 1), (0, 1)))[0]
    assert stats.chisquare(both.ravel()).pvalue > LEAST
    assert stats.chisquare(np.histogram(radius, 64, (1 - 2**-9, 1))[0]).pvalue > LEAST  # near the middle
    loc, scale = np.float64(3.5), np.linspace(0, 2, 1001)
    got = cp.random.Generator(kind(11)).normal(loc, cp.asarray(scale), dtype=dtype).get()
    np.testing.assert_array_equal(got, (loc + scale * x[:1001].astype(float)).astype(dtype))
    got = cp.random.Generator(kind(11)).normal(loc, 0.25, 1001, dtype=dtype).get()
    np.testing.assert_array_equal(got, (loc + 0.25 * x[:1001].astype(float)).astype(dtype))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_tails_of_normal_numbers(dtype):
    """How many of 10^8 lie beyond 4, 5, 5.5 and 6 deviations, on either side."""
    rng = cp.random.default_rng(12)
    limits = np.array([4, 5, 5.5, 6])
    found = np.zeros((2, 4))
    for _ in range(10):
        x = rng.standard_normal(10**7, dtype=dtype)
        for i, limit in enumerate(limits):
            found[0, i] += int((x > limit).sum())
            found[1, i] += int((x < -limit).sum())
    for side in found:
        for k, p in zip(side, stats.norm.sf(limits)):
            law = stats.poisson(p * 10**8)
            assert min(law.cdf(k), law.sf(k - 1)) > LEAST, (found, stats.norm.sf(limits) * 10**8)


# Drawn by a table where parameters are numbers
TABLES = ("poisson", "binomial", "negative_binomial", "hypergeometric", "logseries")


@pytest.mark.parametrize("name, parameters", [(n, p) for n, p, _ in WHOLE + REAL if p and n not in TABLES], ids=str)
def test_arrays_of_parameters(name, parameters):
    """Arrays of one value give the numbers that the value gives; a row and a column meet."""
    rng = cp.random.Generator(cp.random.Philox(7))
    want = getattr(rng, name)(*parameters, size=(3, 50)).get()
    first = cp.full((3, 1), parameters[0])
    rest = [cp.full(50, p) for p in parameters[1:]]
    rng = cp.random.Generator(cp.random.Philox(7))
    got = getattr(rng, name)(first, *rest, size=(3, 50)).get()
    np.testing.assert_array_equal(got, want)
    if rest:
        rng = cp.random.Generator(cp.random.Philox(7))
        np.testing.assert_array_equal(getattr(rng, name)(first, *rest).get(), want)


# of zipf: where numbers go to the end of int64, and where 1 is all there is; of hypergeometric: too many likely values
# for a table, the lesser kind first or last, the sample or what it leaves being the greater part
FIRST_TRIES = [("zipf", (a,)) for a in (1.0001, 1.2, 2.0, 3.5, 17.0, 60.0, 1024.5, 1025.0)] + [
    ("hypergeometric", p) for p in ((10**6, 2 * 10**6, 500000), (2 * 10**6, 10**6, 500000), (10**6, 10**6, 1900000),
                                    (3 * 10**6, 2 * 10**6, 4900000), (5 * 10**8, 4 * 10**8, 10**8),
                                    (20000, 9 * 10**8, 4 * 10**8))]


@pytest.mark.parametrize("name, parameters", FIRST_TRIES, ids=str)
def test_first_tries_are_the_law(name, parameters):
    """Of numbers, whose tries go many at a time, come those of arrays, whose elements are drawn one by one."""
    n = 50_003
    want = getattr(cp.random.default_rng(19), name)(*(cp.full(n, p) for p in parameters)).get()
    np.testing.assert_array_equal(getattr(cp.random.default_rng(19), name)(*parameters, size=n).get(), want)


@pytest.mark.parametrize("good, bad, sample", [(10**6, 2 * 10**6, 500000), (4 * 10**5, 10**5, 450000)])
def test_large_hypergeometric(good, bad, sample):
    law = stats.hypergeom(good + bad, good, sample)
    assert law.var() > 4000  # else a table would do it
    x = drawn("hypergeometric", (good, bad, sample), cp.random.Philox)
    assert whole_p_value(x, law) > LEAST
    check_moments(x.astype(float), law)


@pytest.mark.parametrize("name, parameters, law", [r for r in WHOLE if r[0] in TABLES],
                         ids=ids([r for r in WHOLE if r[0] in TABLES]))
def test_arrays_of_parameters_of_whole_numbers(name, parameters, law):
    x = drawn(name, [cp.full(N, p) for p in parameters], cp.random.Philox)
    assert whole_p_value(x, law) > LEAST
    assert x.min() >= law.support()[0] and x.max() <= law.support()[1]
    check_moments(x.astype(float), law)


LARGE_TABLES = [
    ("poisson", (3.5,), stats.poisson(3.5)), ("poisson", (3999,), stats.poisson(3999)),
    ("binomial", (40, 0.25), stats.binom(40, 0.25)), ("binomial", (15000, 0.5), stats.binom(15000, 0.5)),
    ("negative_binomial", (0.1, 0.05), stats.nbinom(0.1, 0.05)), ("negative_binomial", (9, 0.6), stats.nbinom(9, 0.6)),
    ("hypergeometric", (30, 40, 60), stats.hypergeom(70, 30, 60)), ("logseries", (0.6,), stats.logser(0.6))]


@pytest.mark.parametrize("name, parameters, law", LARGE_TABLES, ids=ids(LARGE_TABLES))
def test_tables(name, parameters, law):
    """Each value of four million numbers as often as its probability says, the rare ones together; and in the tails of
    the words, which say how a table begins and ends, the quantiles of exactly these words."""
    x = getattr(cp.random.default_rng(13), name)(*parameters, size=4_000_000).get()
    least, most = int(x.min()), int(x.max())
    want = law.pmf(np.arange(least, most + 1)) * x.size
    found = np.bincount(x - least)
    some = want >= 10
    rest = x.size - want[some].sum()
    want, found = np.append(want[some], rest), np.append(found[some], found[~some].sum())
    if rest < 5:
        want, found = np.append(want[:-2], want[-2:].sum()), np.append(found[:-2], found[-2:].sum())
    assert stats.chisquare(found, want * (x.size / want.sum())).pvalue > LEAST
    words = cp.random.Philox(13).random_raw(x.size).get()
    for i in np.concatenate([np.argsort(words)[:3], np.argsort(words)[-3:]]):
        u = float(words[i]) / 2.0**64
        upper = float(2**64 - int(words[i])) / 2.0**64
        assert x[i] == (law.ppf(u) if u < 0.5 else law.isf(upper)), (words[i], x[i])


def test_nan_gives_nan():
    rng = cp.random.default_rng(1)
    nan = np.nan
    for name, parameters in [("normal", (nan, 1)), ("normal", (0, nan)), ("exponential", (nan,)), ("gamma", (nan, 1)),
                             ("gamma", (2, nan)), ("beta", (nan, 2)), ("beta", (1, nan)), ("laplace", (0, nan)),
                             ("vonmises", (nan, 1)), ("vonmises", (0, nan)), ("noncentral_chisquare", (3, nan)),
                             ("standard_t", (nan,)), ("weibull", (nan,)), ("rayleigh", (nan,)), ("wald", (nan, 1))]:
        assert np.isnan(getattr(rng, name)(*parameters, size=20).get()).all(), name


def test_ends():
    """Parameters at which a distribution is one value."""
    rng = cp.random.default_rng(2)

    def only(x, value):
        np.testing.assert_array_equal(x.get(), value)
    only(rng.normal(3, 0, 50), 3)
    only(rng.exponential(0, 50), 0)
    only(rng.gamma(0, 2, 50), 0)
    only(rng.gamma(3, 0, 50), 0)
    only(rng.weibull(0, 50), 0)
    only(rng.poisson(0, 50), 0)
    only(rng.binomial(0, 0.5, 50), 0)
    only(rng.binomial(9, 0, 50), 0)
    only(rng.binomial(9, 1, 50), 9)
    only(rng.geometric(1, 50), 1)
    only(rng.hypergeometric(5, 0, 3, 50), 3)
    only(rng.hypergeometric(0, 5, 3, 50), 0)
    only(rng.hypergeometric(5, 7, 12, 50), 5)
    only(rng.logseries(0, 50), 1)
    only(rng.negative_binomial(3, 1, 50), 0)
    only(rng.zipf(2000, 50), 1)
    assert rng.geometric(1e-300, 3).get().min() == np.iinfo("i8").max
    assert 8.9e18 < rng.poisson(9e18, 20).get().min()


def test_dirichlet():
    rng = cp.random.default_rng(5)
    alpha = np.array([0.3, 2, 5, 0.01])
    x = rng.dirichlet(alpha, 20000).get()
    assert x.shape == (20000, 4)
    np.testing.assert_allclose(x.sum(1), 1, rtol=1e-14)
    for i, a in enumerate(alpha):
        assert stats.kstest(x[:, i], stats.beta(a, alpha.sum() - a).cdf).pvalue > LEAST
    tiny = rng.dirichlet([1e-4, 1e-4, 1e-4], 3000).get()
    assert np.isfinite(tiny).all() and (tiny.max(1) > 0.9).mean() > 0.99
    assert rng.dirichlet([], 3).shape == (3, 0) and rng.dirichlet([1, 2]).shape == (2,)


def test_multinomial():
    rng = cp.random.default_rng(6)
    p = [0.2, 0.05, 0.45, 0.3]
    x = rng.multinomial(50, p, 20000).get()
    assert x.shape == (20000, 4) and (x.sum(1) == 50).all()
    for i in range(4):
        assert whole_p_value(x[:, i], stats.binom(50, p[i])) > LEAST
    assert abs(np.cov(x[:, 0], x[:, 2])[0, 1] + 50 * 0.2 * 0.45) < 0.2
    many = rng.multinomial([10, 20, 30], p).get()
    assert many.shape == (3, 4) and many.sum(1).tolist() == [10, 20, 30]
    rows = rng.multinomial(10000, cp.asarray([[0.5, 0.5, 0], [0, 0.1, 0.9]])).get()
    assert rows.shape == (2, 3) and rows[0, 2] == 0 and rows[1, 0] == 0 and abs(rows[1, 1] - 1000) < 200
    both = rng.multinomial([[5], [6]], [[0.5, 0.5], [0.1, 0.9], [1, 0]], size=(4, 2, 3)).get()
    assert both.shape == (4, 2, 3, 2) and (both.sum(-1) == np.array([[5], [6]])).all() and (both[..., 2, 1] == 0).all()


def test_multivariate_hypergeometric():
    rng = cp.random.default_rng(7)
    x = rng.multivariate_hypergeometric([16, 8, 4], 10, size=20000).get()
    assert (x.sum(1) == 10).all()
    for i, k in enumerate([16, 8, 4]):
        assert whole_p_value(x[:, i], stats.hypergeom(28, k, 10)) > LEAST
    assert rng.multivariate_hypergeometric([3, 0, 2], 5).get().tolist() == [3, 0, 2]


@pytest.mark.parametrize("a, b", [(0.5, 0.5), (1, 1), (0.02, 0.9), (1, 0.3)])
def test_small_beta(a, b):
    """Joehnk's way, also where both powers are too small for numbers."""
    x = drawn("beta", (a, b), cp.random.Philox)
    assert stats.kstest(x, stats.beta(a, b).cdf).pvalue > LEAST
    for tiny in (1e-3, 1e-200, 1e-300):
        x = cp.random.default_rng(3).beta(tiny, tiny, 4000).get()
        assert ((x >= 0) & (x <= 1)).all() and ((x < 1e-9) | (x > 1 - 1e-9)).mean() > 0.9
        assert abs((x > 0.5).mean() - 0.5) < 0.04, tiny


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method):
    rng = cp.random.default_rng(8)
    a = np.random.default_rng(1).normal(size=(5, 5))
    cov, mean = a @ a.T, np.arange(5.0)
    x = rng.multivariate_normal(mean, cov, 40000, method=method).get()
    assert x.shape == (40000, 5)
    whitened = (x - mean) @ np.linalg.inv(np.linalg.cholesky(cov)).T
    assert np.abs(np.cov(whitened.T) - np.eye(5)).max() < 0.04
    for i in range(5):
        assert stats.kstest(whitened[:, i], "norm").pvalue > LEAST
    assert rng.multivariate_normal(mean, cov, method=method).shape == (5,)
    assert rng.multivariate_normal(mean, cov, (2, 3), method=method, dtype="f4").dtype == np.float32


def test_singular_covariance():
    rng = cp.random.default_rng(9)
    v = np.array([[1.0, 2, -1]])
    x = rng.multivariate_normal([0, 0, 5], v.T @ v, 1000).get() - [0, 0, 5]
    # the root of a singular value that is an epsilon of the largest, 6, times two normal numbers below 6
    bound = 12 * np.sqrt(6 * 3 * np.finfo("d").eps)
    assert 1 < np.abs(x[:, 0]).max() < 6 and np.abs(x[:, 1:] - x[:, :1] * [2, -1]).max() < bound
    assert (rng.multivariate_normal([1, 2], np.zeros((2, 2)), 4).get() == [1, 2]).all()
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        rng.multivariate_normal([0, 0, 5], v.T @ v, method="cholesky").get()
    with pytest.warns(RuntimeWarning, match="semidefinite"):
        rng.multivariate_normal([0, 0], [[1, 2], [2, 1]])
    for method in ("svd", "eigh"):
        with pytest.raises(ValueError, match="semidefinite"):
            rng.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid="raise", method=method)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rng.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid="ignore", method=method)
    with pytest.raises(ValueError, match="semidefinite"):  # eigh sees half of the matrix, svd all of it
        rng.multivariate_normal([0, 0], [[1, 0.5], [0.1, 1]], check_valid="raise")
    with pytest.raises(np.linalg.LinAlgError):
        rng.multivariate_normal([0, 0], [[np.nan, 0], [0, 1]]).get()


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_normal_vectors_are_normal_numbers_times_a_root(method):
    """The root is one, though eigenvectors of equal eigenvalues are not."""
    q = np.linalg.qr(np.random.default_rng(4).normal(size=(6, 6)))[0]
    cov = (q * [1, 1, 1, 4, 4, 9]) @ q.T
    root = np.linalg.cholesky(cov) if method == "cholesky" else (q * [1, 1, 1, 2, 2, 3]) @ q.T
    x = cp.random.default_rng(21).multivariate_normal(np.arange(6.0), cov, (50, 3), method=method).get()
    z = cp.random.default_rng(21).standard_normal((50, 3, 6)).get()
    # a factor of a matrix of condition 9, six terms a sum
    bound = 6 * 9 * np.finfo("d").eps * np.abs(x).max()
    np.testing.assert_allclose(x, z @ root.T + np.arange(6.0), rtol=0, atol=bound)
    assert cp.random.RandomState(3).multivariate_normal([0, 1], [[2, 1], [1, 3]], 4).shape == (4, 2)
    single = cp.random.default_rng(21).multivariate_normal(np.arange(6.0), cov, (50, 3), method=method, dtype="f4")
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single.get(), x.astype("f4"))
    turned = cp.asarray(cov[::-1, ::-1].copy())[::-1, ::-1]  # not contiguous
    np.testing.assert_array_equal(
        cp.random.default_rng(21).multivariate_normal(cp.arange(6)[::1], turned, (50, 3), method=method).get(), x)
    whole = cp.random.default_rng(21).multivariate_normal([1, 2], [[3, 1], [1, 2]], 3, method=method)
    assert whole.dtype == np.float64 and whole.shape == (3, 2)
    assert cp.random.default_rng(1).multivariate_normal([], np.zeros((0, 0)), 3, method=method).shape == (3, 0)
