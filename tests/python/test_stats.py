"""cuprite.scipy.stats and cluster.vq against SciPy: each line is computed by both."""
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import kind, raises

st = pytest.importorskip("scipy.stats")
vq = pytest.importorskip("scipy.cluster.vq")
cs = cp.scipy.stats
r = np.random.default_rng(11)
DATA = {
    "x": r.standard_normal(200), "m": r.standard_normal((30, 7)), "y": 0.3 * r.standard_normal(200) + 0.1,
    "p": r.uniform(0.1, 4, 60), "q": r.uniform(0.1, 4, 60), "pm": r.uniform(0.1, 4, (20, 5)),
    "ties": r.integers(0, 6, (40, 3)), "f": r.standard_normal(50).astype("f4"), "one": np.ones(9),
    "cube": r.standard_normal((4, 5, 6)), "i": r.integers(-9, 9, 50), "u": r.uniform(0, 1, 80),
    "w": r.uniform(0, 1, 60), "short": r.standard_normal(2), "empty": np.zeros(0), "wm": r.uniform(0.1, 1, (20, 5)),
}
DATA["nan"] = np.where(r.random((30, 7)) < 0.1, np.nan, DATA["m"])
DATA["nant"] = np.where(r.random((40, 3)) < 0.1, np.nan, DATA["ties"].astype(float))

LINES = """
s.zscore(x)
s.zscore(m)
s.zscore(m, axis=1, ddof=1)
s.zscore(m, axis=None)
s.zscore(cube, axis=1)
s.zscore(f)
s.zscore(i)
s.zscore(one)
s.zscore(nan, nan_policy='omit')
s.zscore(nan)
s.zmap(x, y)
s.zmap(m, nan, nan_policy='omit')
s.gzscore(p)
s.trim_mean(x, 0.1)
s.trim_mean(m, 0.2, axis=1)
s.trim_mean(m, 0.25, axis=None)
s.trim_mean(m, 0.2, axis=(0, 1))
s.trim_mean(m, 0.1, keepdims=True)
s.trim_mean(i, 0.3)
s.trim_mean(i, 0.5)
np.stack(s.linregress(empty, empty)[:5])
s.ks_2samp(x, empty)[0]
np.sort(s.trimboth(x, 0.1))
np.sort(s.trim1(x, 0.1, 'left'))
s.boxcox_llf(0.7, p)
s.boxcox_llf(0, p)
s.boxcox_llf(-1.5, pm, axis=1)
s.boxcox(p, 0.3)
s.boxcox(p)[0]
s.entropy(p)
s.entropy(pm, base=2, axis=1)
s.entropy(p, q)
s.entropy(pm, q[:5] + 0 * pm, axis=1, keepdims=True)
s.moment(m, 3)
s.moment(m, [0, 1, 2, 4], axis=1)
s.moment(m, 2, center=0.5)
s.skew(m)
s.skew(x, bias=False)
s.skew(one)
s.skew(nan, nan_policy='omit')
s.skew(nan, axis=1)
s.skew(cube, axis=(0, 2), keepdims=True)
s.kurtosis(m)
s.kurtosis(m, fisher=False, bias=False)
s.kurtosis(nan, nan_policy='omit', axis=None)
s.variation(p)
s.variation(pm, axis=1, ddof=1)
s.sem(m)
s.sem(nan, nan_policy='omit')
s.describe(m).variance
s.describe(m).minmax[0]
s.describe(ties, axis=None).kurtosis
s.describe(m, axis=1).mean
s.gmean(p)
s.gmean(pm, axis=1)
s.gmean(p, weights=w)
s.hmean(pm)
s.hmean(p, weights=w)
s.pmean(pm, 3, axis=1)
s.mode(ties).mode
s.mode(ties).count
s.mode(ties, axis=1, keepdims=True).mode
s.mode(ties, axis=None).count
s.mode(nant, nan_policy='omit').mode
s.mode(nant, nan_policy='omit').count
s.iqr(m)
s.iqr(m, axis=0, rng=(10, 80))
s.iqr(x, scale='normal')
s.iqr(nan, axis=1, nan_policy='omit')
s.median_abs_deviation(m)
s.median_abs_deviation(x, scale='normal')
s.rankdata(ties)
s.rankdata(ties, axis=0)
s.rankdata(ties, 'min', axis=1)
s.rankdata(ties, 'max')
s.rankdata(ties, 'dense', axis=0)
s.rankdata(ties, 'ordinal')
s.rankdata(nant, axis=0)
s.rankdata(nant, axis=0, nan_policy='omit')
s.rankdata(x)
s.rankdata(empty)
s.tmean(x, (-1, 1))
s.tmean(x)
s.tvar(m, (-1, None), axis=1)
s.tstd(x, (-1, 1), (False, True))
s.tsem(x, (-0.5, 1))
s.tmin(x, 0)
s.tmax(m, 0.5)
s.pearsonr(x, y)[0]
s.pearsonr(x, y)[1]
s.pearsonr(x[:5], y[:5], alternative='less')[1]
s.pearsonr(m, m[::-1], axis=0)[0]
s.pearsonr(m, m[::-1], axis=0)[1]
s.pearsonr(short, short[::-1])[0]
s.spearmanr(x, y)[0]
s.spearmanr(x, y)[1]
s.spearmanr(ties)[0]
s.spearmanr(ties)[1]
s.spearmanr(x, y, alternative='greater')[1]
np.stack(s.linregress(x, y)[:5])
s.linregress(x, y).intercept_stderr
np.stack(s.linregress(p, q, alternative='less')[:5])
s.ttest_1samp(m, 0.1)[0]
s.ttest_1samp(m, 0.1, axis=None)[1]
s.ttest_1samp(m, 0.1, alternative='less')[1]
s.ttest_1samp(nan, 0.0, nan_policy='omit')[1]
s.ttest_ind(x, y)[0]
s.ttest_ind(x, y)[1]
s.ttest_ind(m, m[:9] + 0.2, equal_var=False)[1]
s.ttest_ind(nan, m, nan_policy='omit')[1]
s.ttest_rel(x, y)[0]
s.ttest_rel(m, m[::-1] + 0.1)[1]
s.f_oneway(m[:9], m[9:15], m[15:])[0]
s.f_oneway(x, y)[1]
s.jarque_bera(x)[0]
s.jarque_bera(x)[1]
s.ks_1samp(u, s.uniform.cdf)[1]
s.ks_1samp(x, s.norm.cdf, alternative='less')[0]
s.ks_1samp(x, s.norm.cdf, alternative='greater', method='asymp')[1]
s.kstest(x, 'norm')[1]
s.kstest(x, 'norm', (0.1, 2.0))[0]
s.ks_2samp(x, y)[1]
s.ks_2samp(x, y, method='asymp')[1]
s.ks_2samp(x, y, 'less', 'asymp')[1]
s.kstest(x, y)[0]
s.binned_statistic(p, q)[0]
s.binned_statistic(p, q)[1]
s.binned_statistic(p, q)[2]
s.binned_statistic(p, q, 'median', bins=4)[0]
s.binned_statistic(p, q, 'std', bins=[0.0, 1, 2, 3.5])[0]
s.binned_statistic(p, q, 'count', range=(1, 3))[0]
s.binned_statistic(p, q, 'min', bins=90)[0]
s.binned_statistic(p, q, 'max')[0]
s.binned_statistic(p, [q, w], 'sum')[0]
s.binned_statistic(p, q, np.median)[0]
s.binned_statistic_2d(p, q, w, bins=[3, 4])[0]
s.binned_statistic_2d(p, q, w, 'sum', expand_binnumbers=True)[3]
s.binned_statistic_dd(pm[:, :3], pm[:, 3], 'mean', bins=3)[0]
s.gaussian_kde(x)(y)
s.gaussian_kde(x, 'silverman').logpdf(y)
s.gaussian_kde(p, weights=w)(q)
s.gaussian_kde(m.T, 0.4)(m[:5].T)
s.gaussian_kde(x).integrate_box_1d(-1, 2)
s.gaussian_kde(m.T[:2]).covariance
s.gaussian_kde(m.T[:2]).inv_cov
""".strip().splitlines()


def values(result):
    return result.get() if isinstance(result, cp.ndarray) else np.asarray(result)


def evaluated(line, module, library, host):
    return eval(line, {"s": module, "np": library, **{name: host(v) for name, v in DATA.items()}})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", LINES)
def test_as_scipy(line):
    with np.errstate(all="ignore"):
        want = np.asarray(evaluated(line, st, np, lambda v: v))
    library = np if "np.median)" in line else cp
    got = values(evaluated(line, cs, library, cp.asarray))
    assert got.shape == want.shape and got.dtype.kind == want.dtype.kind
    loss = 2e-5 if want.dtype == np.float32 or "f)" in line else 1e-9
    np.testing.assert_allclose(got, want, rtol=loss, atol=loss * (np.nanmax(abs(want[np.isfinite(want)]), initial=0)
                                                                  if want.size else 0))


LAWS = {"norm": (), "uniform": (), "expon": (), "gamma": (2.3,), "chi2": (3.5,), "beta": (2.0, 3.5), "t": (4.5,),
        "f": (3.0, 7.5), "lognorm": (0.7,), "cauchy": (), "laplace": (), "logistic": (), "weibull_min": (1.7,),
        "pareto": (4.5,), "rayleigh": (), "gumbel_r": ()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LAWS)
def test_distributions(name):
    x = np.r_[np.linspace(-6, 12, 73), np.nan, np.inf, -np.inf]
    q = np.r_[np.linspace(0, 1, 41), 1e-12, 1 - 1e-9, -0.1, 1.1, np.nan]
    theirs, ours, args = getattr(st, name), getattr(cs, name), LAWS[name]
    for more in ({}, {"loc": 0.5, "scale": 2.0}, {"scale": -1.0}):
        for method in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"):
            at = q if method in ("ppf", "isf") else x
            with np.errstate(all="ignore"):
                want = getattr(theirs, method)(at, *args, **more)
            got = getattr(ours, method)(cp.asarray(at), *args, **more).get()
            fine = np.isfinite(want)
            if method in ("pdf", "logpdf"):  # SciPy's are NaN at infinity here and there
                limit = np.isinf(at) & (more.get("scale", 1) > 0)
                assert (got[limit] == (0 if method == "pdf" else -np.inf)).all()
                want[limit] = got[limit]
            assert (np.isnan(got) == np.isnan(want)).all(), (method, at[np.isnan(got) != np.isnan(want)])
            np.testing.assert_allclose(got[~np.isnan(want)], want[~np.isnan(want)], rtol=1e-9, atol=1e-13,
                                       err_msg=method)
            assert fine.any() or more == {"scale": -1.0}
    for method in ("mean", "var", "std", "median"):
        np.testing.assert_allclose(float(getattr(ours, method)(*args, loc=1.0, scale=3.0)),
                                   getattr(theirs, method)(*args, loc=1.0, scale=3.0), rtol=1e-12)
    np.testing.assert_allclose([float(v) for v in ours.interval(0.9, *args)], theirs.interval(0.9, *args), rtol=1e-9)
    frozen = ours(*args, loc=1.0, scale=2.0)
    np.testing.assert_allclose(frozen.cdf(x).get(), theirs.cdf(x, *args, loc=1.0, scale=2.0), rtol=1e-9)
    draws = frozen.rvs(size=4000, random_state=5)
    assert draws.shape == (4000,) and (draws.get() == frozen.rvs(size=4000, random_state=5).get()).all()
    assert st.ks_1samp(draws.get(), theirs(*args, loc=1.0, scale=2.0).cdf).pvalue > 1e-4
    shapes = np.array([[1.5], [3.0]])
    if len(args) == 1:
        np.testing.assert_allclose(ours.cdf(x[:20], shapes).get(), theirs.cdf(x[:20], shapes), rtol=1e-9, atol=1e-15)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LAWS)
def test_what_scipy_computes_of_distributions(name):
    """Moments, entropies, expectations and fits, of distributions with parameters given and fixed."""
    theirs, ours, args = getattr(st, name), getattr(cs, name), LAWS[name]
    where = {"loc": 0.5, "scale": 2.0}
    for a, b in ((theirs, ours), (theirs(*args, **where), ours(*args, **where))):
        given = (args, where) if b is ours else ((), {})
        for moments in ("mv", "mvsk", "k", "vs"):
            want, got = (d.stats(*given[0], moments=moments, **given[1]) for d in (a, b))
            assert isinstance(got, tuple) == isinstance(want, tuple)
            np.testing.assert_array_equal([v.get() for v in got] if isinstance(got, tuple) else got.get(), want)
        for order in (1, 2, 3):
            np.testing.assert_array_equal(b.moment(order, *given[0], **given[1]).get(),
                                          a.moment(order, *given[0], **given[1]))
        np.testing.assert_array_equal(b.entropy(*given[0], **given[1]).get(), a.entropy(*given[0], **given[1]))
        for kwds in ({}, {"lb": 0.6, "ub": 2.0}, {"func": lambda v: v * v, "lb": 1.0, "ub": 3.0, "conditional": True}):
            more = {"args": args, **where} if b is ours else {}
            assert b.expect(**kwds, **more) == pytest.approx(a.expect(**kwds, **more), nan_ok=True, rel=1e-12)
    sample = theirs.rvs(*args, size=60, random_state=3)
    for kwds in ({}, {"uniform": {"floc": -1}, "beta": {"floc": -1, "fscale": 3}}.get(name, {"floc": 0})):
        got = ours.fit(cp.asarray(sample), **kwds)
        assert got == tuple(map(float, theirs.fit(sample, **kwds))) and all(type(v) is float for v in got)
        theta = (*got[:-1], abs(got[-1]) * 1.5)
        assert float(ours.nnlf(theta, cp.asarray(sample))) == pytest.approx(theirs.nnlf(theta, sample), rel=1e-9)
    assert float(ours.nnlf((*args, 0, -1), cp.asarray(sample))) == theirs.nnlf((*args, 0, -1), sample) == np.inf
    assert ours.fit_loc_scale(cp.asarray(sample), *args) == theirs.fit_loc_scale(sample, *args)
    with raises(ValueError):
        ours.moment(-1, *args)
    frozen = ours(*args, **where)
    for method, value in (("pdf", "x"), ("logcdf", "x"), ("ppf", "q"), ("interval", "confidence")):
        got, want = getattr(frozen, method)(**{value: 0.4}), getattr(ours, method)(0.4, *args, **where)
        np.testing.assert_array_equal(cp.stack(got).get() if method == "interval" else got.get(),
                                      cp.stack(want).get() if method == "interval" else want.get())
        assert method in dir(frozen)
        with raises(TypeError):
            getattr(frozen, method)(0.3, 0.2)
        with raises(TypeError):
            getattr(frozen, method)(nothing=0.3)
    with raises(AttributeError):
        frozen.fit


WRONG = """
s.zscore(nan, nan_policy='raise')
s.zscore(x, nan_policy='other')
s.zscore(m, axis=2)
s.trim_mean(x, 0.6)
s.tmin(x, 99)
s.trimboth(x, 0.5)
s.entropy(p, base=0)
s.moment(x, 1.5)
s.describe(empty)
s.boxcox(m[:, :2] + 9)
s.boxcox(x)
s.boxcox(one)
s.iqr(x, rng=(1, 2, 3))
s.iqr(x, rng=(-1, 50))
s.iqr(x, scale='other')
s.rankdata(x, 'other')
s.pearsonr(x, y[1:])
s.pearsonr(x[:1], y[:1])
s.pearsonr(x, y, alternative='other')
s.spearmanr(cube)
s.linregress(one, one)
s.ttest_1samp(x, 0, alternative='other')
s.ttest_rel(x, p)
s.ks_1samp(x, s.norm.cdf, alternative='other')
s.binned_statistic(p, x)
s.binned_statistic(p, q, 'other')
s.binned_statistic(p, q, bins=[3.0, 2.0, 1.0])
s.binned_statistic(p * np.nan, q)
s.gaussian_kde(x[:1])
s.gaussian_kde(x, 'other')
s.gaussian_kde(x, weights=w)
s.gaussian_kde(m.T)(x[:3])
s.norm.pdf(x, 1, 2, 3)
s.gamma.pdf(x)
s.norm.pdf(x, other=3)
s.gamma.rvs(-1.0, size=3)
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", WRONG)
def test_wrong_as_scipy(line):
    with pytest.raises(Exception) as theirs, np.errstate(all="ignore"):
        evaluated(line, st, np, lambda v: v)
    with raises(kind(theirs.value)):
        evaluated(line, cs, cp, cp.asarray)


# --- clusters ---

ours = cp.scipy.cluster.vq


def test_vq_and_whiten():
    obs, book = r.standard_normal((500, 3)), r.standard_normal((7, 3))
    want, got = vq.vq(obs, book), ours.vq(cp.asarray(obs), cp.asarray(book))
    assert (got[0].get() == want[0]).all() and got[0].dtype == want[0].dtype
    np.testing.assert_allclose(got[1].get(), want[1], rtol=1e-12)
    np.testing.assert_allclose(ours.whiten(cp.asarray(obs)).get(), vq.whiten(obs), rtol=1e-12)
    want, got = vq.vq(obs[:, 0], book[:, 0]), ours.vq(cp.asarray(obs[:, 0]), cp.asarray(book[:, 0]))
    assert (got[0].get() == want[0]).all()
    with pytest.warns(RuntimeWarning):
        ours.whiten(cp.ones((4, 2)))


def test_kmeans():
    centres = np.array([[0.0, 0], [10, 0], [0, 10], [10, 10]])
    obs = np.repeat(centres, 50, 0) + r.standard_normal((200, 2))
    guess = centres + 1
    want, got = vq.kmeans(obs, guess), ours.kmeans(cp.asarray(obs), cp.asarray(guess))
    np.testing.assert_allclose(got[0].get(), want[0], rtol=1e-12)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-12)
    want, got = vq.kmeans2(obs, guess, minit="matrix"), ours.kmeans2(cp.asarray(obs), cp.asarray(guess), minit="matrix")
    np.testing.assert_allclose(got[0].get(), want[0], rtol=1e-12)
    assert (got[1].get() == want[1]).all()
    for minit in ("random", "points", "++"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            means, label = ours.kmeans2(cp.asarray(obs), 4, minit=minit, rng=3)
        assert means.shape == (4, 2) and label.shape == (200,)
    book, distance = ours.kmeans(cp.asarray(obs), 4, rng=1)
    assert book.shape == (4, 2) and np.isclose(distance, want_distance(obs, book.get()), rtol=1e-3)
    assert ours.kmeans2(cp.asarray(obs[:, 0]), cp.asarray(guess[:, 0]), minit="matrix")[0].shape == (4,)


@pytest.mark.parametrize("kinds", ["ff", "fd", "df", "fi", "dd"])
def test_types_of_clusters(device, kinds):
    """float32 where all, or the observations, are; distances and means then differ from SciPy's by its roundings."""
    rng = np.random.default_rng(6)
    x, book = ((rng.random(s) * 9).astype(k) for s, k in zip(((60, 2), (4, 2)), kinds))
    x, book = (v + np.arange(len(v))[:, None].astype(v.dtype) % 4 * 10 for v in (x, book))
    a, b = cp.asarray(x), cp.asarray(book)
    for got, want in ((ours.vq(a, b), vq.vq(x, book)), (ours.kmeans2(a, b, minit="matrix"),
                                                        vq.kmeans2(x, book, minit="matrix")),
                      ([ours.whiten(a)], [vq.whiten(x)]), (ours.kmeans(a, b)[:1], vq.kmeans(x, book)[:1])):
        for g, w in zip(got, want, strict=True):
            assert g.dtype == w.dtype and g.shape == w.shape
            np.testing.assert_allclose(g.get(), w, rtol=1e-5 if "f" in kinds else 1e-12)


def want_distance(obs, book):
    return vq.vq(obs, book)[1].mean()


@pytest.mark.parametrize("line", ["v.vq(a, b[0])", "v.vq(a, b[:, :1])", "v.vq(a * np.nan, b)", "v.kmeans(a, 0)",
                                  "v.kmeans(a, 2, iter=0)", "v.kmeans2(a, 2, iter=0)", "v.kmeans2(a, 2, minit='other')",
                                  "v.kmeans2(a, 2, missing='other')", "v.kmeans2(a[:0], 2)",
                                  "v.kmeans2(a, b[0], minit='matrix')"])
def test_wrong_clusters(line):
    a, b = r.standard_normal((9, 3)), r.standard_normal((2, 3))
    with pytest.raises(Exception) as theirs:
        eval(line, {"v": vq, "np": np, "a": a, "b": b})
    with raises(kind(theirs.value)):
        eval(line, {"v": ours, "np": np, "a": cp.asarray(a), "b": cp.asarray(b)})


def test_a_cluster_without_points():
    with pytest.raises(ours.ClusterError):
        ours.kmeans2(cp.asarray([[0.0], [1.0]]), cp.asarray([[0.0], [99.0]]), minit="matrix", missing="raise")


def test_integrals_and_marginals_of_kernel_densities(device):
    rng = np.random.default_rng(0)
    x, w, y = rng.standard_normal((3, 40)), rng.random(40), rng.standard_normal((3, 25))
    for options in ({}, {"weights": w}, {"bw_method": 0.4}):
        want = st.gaussian_kde(x, **options)
        got = cs.gaussian_kde(cp.asarray(x), **{n: cp.asarray(v) if n == "weights" else v for n, v in options.items()})
        cov = np.cov(y)
        np.testing.assert_allclose(float(got.integrate_gaussian(cp.asarray([0, 0.5, 1]), cp.asarray(cov))),
                                   want.integrate_gaussian([0, 0.5, 1], cov), rtol=1e-12)
        np.testing.assert_allclose(float(got.integrate_kde(cs.gaussian_kde(cp.asarray(y)))),
                                   want.integrate_kde(st.gaussian_kde(y)), rtol=1e-12)
        box = [-1, -1, -1], [1, 1, 2]
        np.testing.assert_allclose(got.integrate_box(*box, rng=1), want.integrate_box(*box, rng=1), rtol=1e-12)
        for some in (0, [0, 2], [-1], np.array([1, 0])):
            places = y[:np.size(some)]
            np.testing.assert_allclose(got.marginal(some)(cp.asarray(places)).get(), want.marginal(some)(places),
                                       rtol=1e-11)
    for some in ([0, 0], [5], [1.5]):
        with pytest.raises(ValueError, match="imensions"):
            got.marginal(some)
    with pytest.raises(ValueError, match="dimension"):
        got.integrate_gaussian([0.0], [[1.0]])
    with pytest.raises(ValueError, match="dimensionality"):
        got.integrate_kde(cs.gaussian_kde(cp.asarray(y[:2])))


@pytest.mark.parametrize("statistic", ["mean", "sum", "count", "std", "median", "min", "max"])
def test_statistics_of_complex_values_and_of_an_earlier_result(device, statistic):
    rng = np.random.default_rng(0)
    x, v = rng.random((50, 2)), rng.random(50) + 1j * rng.random(50)
    for values in (v, v.real):
        want = st.binned_statistic_dd(x, values, statistic, bins=3)
        got = cs.binned_statistic_dd(cp.asarray(x), cp.asarray(values), statistic, bins=3)
        for a, b in ((want, got), (
                st.binned_statistic_dd(x, 2 * values, statistic, binned_statistic_result=want),
                cs.binned_statistic_dd(cp.asarray(x), cp.asarray(2 * values), statistic, binned_statistic_result=got))):
            assert a.statistic.dtype == b.statistic.dtype
            np.testing.assert_allclose(b.statistic.get(), a.statistic, rtol=1e-13)
            np.testing.assert_array_equal(b.binnumber.get(), a.binnumber)


@pytest.mark.parametrize("seed", [1, np.random.default_rng(1), np.random.RandomState(1), np.random])
def test_generators_of_numpys(device, seed):
    """They draw what SciPy's functions draw of them, as arrays of the device."""
    x = cp.asarray(r.random((20, 2)))
    for minit in ("random", "points", "++"):
        means, labels = cp.scipy.cluster.vq.kmeans2(x, 3, minit=minit, rng=seed, missing="warn")
        assert means.shape == (3, 2) and labels.shape == (20,)
    assert cp.scipy.cluster.vq.kmeans(x, 2, seed=seed)[0].shape == (2, 2)
    assert cs.gaussian_kde(x.T).resample(5, seed=seed).shape == (2, 5)
    for name, shapes in (("norm", ()), ("expon", ()), ("gamma", (2.0,)), ("beta", (2.0, 3.0)), ("t", (4.0,)),
                         ("chi2", (3.0,)), ("uniform", ()), ("f", (3.0, 4.0)), ("laplace", ())):
        drawn = getattr(cs, name).rvs(*shapes, size=(3, 4), random_state=seed)
        assert isinstance(drawn, cp.ndarray) and drawn.shape == (3, 4)
    if isinstance(seed, int):
        return
    for make in (lambda: np.random.default_rng(5), lambda: np.random.RandomState(5)):
        for name, shapes in (("norm", ()), ("expon", ()), ("gamma", (2.0,)), ("beta", (2.0, 3.0))):
            np.testing.assert_allclose(getattr(cs, name).rvs(*shapes, size=7, random_state=make()).get(),
                                       getattr(st, name).rvs(*shapes, size=7, random_state=make()), rtol=1e-12)


def test_extremes_of_integers_that_float64_does_not_hold(device):
    big = 2**62 + np.arange(12).reshape(3, 4)
    for x in (big, -big, big.astype("u8")):
        for axis in (0, 1, None):
            y = cp.asarray(x)
            for got, want in ((cs.tmin(y, axis=axis), x.min(axis=axis)), (cs.tmax(y, axis=axis), x.max(axis=axis))):
                assert got.dtype == x.dtype
                np.testing.assert_array_equal(got.get(), want)
    y = cp.asarray(big)
    assert int(cs.tmin(y, 2**62 + 3, axis=None)) == 2**62 + 3
    assert int(cs.tmin(y, 2**62 + 3, axis=None, inclusive=False)) == 2**62 + 4
    assert int(cs.tmax(y, 2**62 + 5, axis=None)) == 2**62 + 5
    with pytest.raises(ValueError, match="within given limits"):
        cs.tmax(y, 3, axis=None)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_rank_correlation_of_pairs_without_nan(device, alternative):
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((2, 12))
    x[3], y[7] = np.nan, np.nan
    want = st.spearmanr(x, y, nan_policy="omit", alternative=alternative)
    got = cs.spearmanr(cp.asarray(x), cp.asarray(y), nan_policy="omit", alternative=alternative)
    np.testing.assert_allclose([float(v) for v in got], want, rtol=1e-10)
    m = rng.standard_normal((15, 3))
    m[2, 1] = m[9, 2] = np.nan
    want = st.spearmanr(m, nan_policy="omit", alternative=alternative)
    got = cs.spearmanr(cp.asarray(m), nan_policy="omit", alternative=alternative)
    np.testing.assert_allclose(got[0].get(), want[0], rtol=1e-12)
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(got[1].get()[off], np.asarray(want[1])[off], rtol=1e-10)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_intervals_of_students_tests(device, alternative, axis):
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((2, 6, 9))
    for name, samples, options in (("ttest_1samp", (x, 0.25), {}), ("ttest_rel", (x, y), {}), ("ttest_ind", (x, y), {}),
                                   ("ttest_ind", (x, y + 1), {"equal_var": False})):
        want = getattr(st, name)(*samples, axis=axis, alternative=alternative, **options)
        got = getattr(cs, name)(*[cp.asarray(v) if np.ndim(v) else v for v in samples], axis=axis,
                                alternative=alternative, **options)
        for level in (0.95, 0.5):
            for a, b in zip(want.confidence_interval(level), got.confidence_interval(level), strict=True):
                np.testing.assert_allclose(b.get(), a, rtol=1e-10)
        with pytest.raises(ValueError, match="between 0 and 1"):
            got.confidence_interval(2)
