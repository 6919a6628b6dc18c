"""cuprite.scipy.stats where NaN is left out of each slice, where axes are kept, and of tests' further options: values,
types and shapes are SciPy's."""
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import kind, raises

st = pytest.importorskip("scipy.stats")
cs = cp.scipy.stats
r = np.random.default_rng(5)
DATA = {"a": r.gamma(2, 3, (12, 4)) + 1, "b": r.gamma(2, 4, (12, 4)) + 1, "c": r.gamma(3, 3, (12, 4)) + 1,
        "i": r.integers(1, 9, (12, 4)), "f": (r.gamma(2, 3, (12, 4)) + 1).astype("f4"), "zero": np.float64(3.5),
        "same": np.ones((12, 4))}
DATA["n"] = np.where(r.random((12, 4)) < 0.15, np.nan, DATA["a"])
DATA["m"] = np.where(r.random((12, 4)) < 0.15, np.nan, DATA["b"])


def parts(x):
    """The arrays of a result: a tuple's, and what tests give beside them."""
    if isinstance(x, tuple):
        beside = [getattr(x, n) for n in ("df", "statistic_location", "statistic_sign", "intercept_stderr")
                  if hasattr(x, n) and not (n == "df" and not hasattr(x, "confidence_interval"))]
        return [p for v in (*x, *beside) for p in parts(v)]
    return [np.asarray(x.get() if isinstance(x, cp.ndarray) else x)]


def both(text):
    results = []
    for s, xp in ((cs, cp), (st, np)):
        names = {k: xp.asarray(v) for k, v in DATA.items()}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                results.append(parts(eval(text, {"s": s, "xp": xp, "st": st}, names)))
            except Exception as e:  # noqa: BLE001
                results.append(kind(e))
    return results


CALLS = """
s.tmean({x}, (2, 9), (True, False), {o})
s.tmean({x}, {o})
s.tvar({x}, (2, None), ddof=0, {o})
s.tstd({x}, (2, 20), {o})
s.tsem({x}, None, {o})
s.tmin({x}, 2, inclusive=False, {o})
s.tmax({x}, 9, {o})
s.trim_mean({x}, 0.1, {o})
s.entropy({x}, {o})
s.entropy({x}, {y}, 2, {o})
s.f_oneway({x}, {y}, c, {o})
s.f_oneway({x}, {y}, c, equal_var=False, {o})
s.f_oneway({x}, {y}, {o})
s.ks_2samp({x}, {y}, {o})
s.ks_2samp({x}, {y}, 'less', 'asymp', {o})
s.kstest({x}, {y}, alternative='greater', {o})
s.kstest({x}, 'expon', (1, 4), {o})
s.kstest({x}, 'norm', (5, 3), alternative='less', {o})
s.ttest_ind({x}, {y}, trim=0.2, {o})
s.ttest_ind({x}, {y}, trim=0.1, equal_var=False, alternative='less', {o})
s.ttest_ind({x}, {y}, {o})
s.linregress({x}, {y}, {o})
s.mode({x}, {o})
""".strip().splitlines()


@pytest.mark.parametrize("x, y", ["ab", "nm", "am", "if"])
@pytest.mark.parametrize("call", CALLS)
def test_slices(call, x, y):
    for axis in (0, 1, None, -1):
        for policy in ("propagate", "omit", "raise"):
            for keepdims in (False, True):
                text = call.format(x=x, y=y, o=f"axis={axis}, nan_policy='{policy}', keepdims={keepdims}")
                got, want = both(text)
                if not isinstance(want, list):
                    assert got is want, (text, got, want)
                    continue
                assert isinstance(got, list) and len(got) == len(want), (text, got, want)
                for p, q in zip(got, want):
                    assert p.shape == q.shape, (text, p, q)
                    assert p.dtype == q.dtype or "kstest" in text or "ks_2samp" in text, (text, p.dtype, q.dtype)
                    close = 3e-5 if y == "f" else 1e-9  # SciPy adds in float32 there
                    np.testing.assert_allclose(p, q, close, 1e-12, err_msg=text)


LINES = """
s.ttest_ind_from_stats(1., 2., 10, 3., 1., 12)
s.ttest_ind_from_stats(1., 2., 10, 3., 1., 12, False)
s.ttest_ind_from_stats(1., 2., 10, 3., 1., 12, alternative='less')
s.ttest_ind_from_stats(1., 2., 10, 3., 1., 12, alternative='q')
s.ttest_ind_from_stats(a[0], b[0], 10, a[1], b[1], 12)
s.ttest_ind_from_stats(1., 0., 1, 3., 0., 1, False)
s.ttest_ind(a, b, trim=0.5)
s.ttest_ind(a, b, trim=-0.1)
s.ttest_ind(a, b, method=st.PermutationMethod(n_resamples=99, rng=1))
s.pearsonr(a[:, 0], b[:, 0], method=st.PermutationMethod(n_resamples=99, rng=1))
s.pearsonr(a, b, alternative='less', method=st.PermutationMethod(n_resamples=49, rng=2))
s.ks_2samp(a[:, 0], b[:, 0], 'q')
s.ks_1samp(n[:, 0], st.norm.cdf, nan_policy='raise')
s.median_abs_deviation(a, center=xp.mean)
s.median_abs_deviation(n, 1, xp.mean, nan_policy='omit', keepdims=True)
s.median_abs_deviation(a, center=3)
s.gmean(zero)
s.gmean(zero, axis=None, keepdims=True)
s.skew(zero, keepdims=True)
s.sem(zero)
s.tmin(zero, keepdims=True)
s.ttest_1samp(zero, 3.0)[:]
s.zscore(zero)
s.zscore(zero, axis=None)
s.zmap(zero, zero, axis=None)
s.binned_statistic(f[:, 0], f[:, 1], 'median', 3)[0]
s.binned_statistic(f[:, 0], f[:, 1], 'min', 3)[0]
s.binned_statistic(f[:, 0], f[:, 1], 'max', 3)[0]
""".strip().splitlines()


@pytest.mark.parametrize("line", LINES)
def test_lines(line):
    got, want = both(line)
    if not isinstance(want, list):
        assert got is want, (got, want)
        return
    assert isinstance(got, list) and len(got) >= len(want), (got, want)
    for p, q in zip(got, want):
        assert p.shape == q.shape and p.dtype == q.dtype, (p, q)
        np.testing.assert_allclose(p, q, 1e-9, 1e-12)


def test_a_number_has_no_axis_for_ranks():
    with raises(np.exceptions.AxisError):
        cs.rankdata(cp.asarray(1.0), axis=0)


def test_what_the_distance_of_distributions_says():
    x = cp.asarray(DATA["a"][:, 0])
    found = cs.kstest(x, cs.norm(5, 3).cdf)
    want = st.kstest(DATA["a"][:, 0], st.norm(5, 3).cdf)
    assert found == (found.statistic, found.pvalue) and found.statistic_sign == want.statistic_sign
    assert found.statistic_location == want.statistic_location
    drawn = cs.kstest("norm", "norm", N=50)              # a sample of 50, of the distribution itself
    assert 0 < drawn.statistic < 0.5 and "statistic_location" in repr(drawn)


def test_densities_keep_their_factor():
    """set_bandwidth(None) leaves the factor alone, and a subclass may have its own."""
    x = np.random.default_rng(5).standard_normal((2, 30))
    for weights in (None, np.arange(1, 31.0)):
        factors = []
        for module, xp in ((st, np), (cp.scipy.stats, cp)):
            class Wide(module.gaussian_kde):
                def covariance_factor(self):
                    return 2.5
            data, w = xp.asarray(x), None if weights is None else xp.asarray(weights)
            a, b = module.gaussian_kde(data, 0.3, w), Wide(data, weights=w)
            seen = [module.gaussian_kde(data, weights=w).covariance_factor(), b.factor, float(b(data)[0])]
            for width in (None, "silverman", None, 0.7, None, lambda k: 0.1, None, "scott"):
                a.set_bandwidth(width)
                b.set_bandwidth(width)
                seen += [a.factor, b.factor, float(a(data)[3])]
            factors.append(seen)
        np.testing.assert_allclose(*factors, rtol=1e-12)
