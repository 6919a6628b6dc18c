"""The types of results of cuprite.scipy.stats: SciPy's, for every type of numbers, and float16 rounded as SciPy's."""
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import outcome

theirs = pytest.importorskip("scipy.stats")
ours = cp.scipy.stats
TYPES = "i1 u1 i4 i8 f2 f4 f8".split()
CALLS = """zscore(a)
zscore(a, axis=None)
zscore(a, ddof=1)
zscore(a, nan_policy='omit')
zmap(a, b)
zmap(a, b, axis=1, ddof=1)
gzscore(a)
moment(a, 2)
moment(a, [2, 3])
skew(a)
skew(a, bias=False)
kurtosis(a)
kurtosis(a, bias=False)
gmean(a)
gmean(a, weights=b)
hmean(a)
hmean(a, weights=b)
pmean(a, 2)
variation(a)
sem(a)
iqr(a)
iqr(a, axis=0)
median_abs_deviation(a)
trim_mean(a, 0.2)
trim_mean(a, 0.2, axis=None)
trimboth(a, 0.2)
tmean(a)
tvar(a)
tstd(a)
tsem(a)
tmin(a)
tmax(a)
entropy(a)
entropy(a, b)
entropy(a, base=2)
boxcox_llf(2.0, a)
boxcox_llf(0.0, a)
boxcox_llf(-1.5, a, axis=None)
boxcox(a[:, 0], 2.0)
mode(a)
describe(a)[1:]
pearsonr(a[:, 0], b[:, 0])
linregress(a[:, 0], b[:, 0])
tuple(ttest_1samp(a, 1.0))
tuple(ttest_ind(a, b))
tuple(ttest_rel(a, b))
f_oneway(a[:, 0], b[:, 0])
binned_statistic(a[:, 0], b[:, 0])
binned_statistic(a[:, 0], b[:, 0], 'sum', bins=[1, 5, 30])
jarque_bera(a)
zscore(a[:0])
zmap(a[:0], b)
hmean(a[:0])
skew(a[:0])
entropy(a[:0])
boxcox_llf(2.0, a[:0])
trim_mean(a[:0], 0.2)
sem(a[:0])""".splitlines()
EXACT = ("zscore", "zmap", "trim", "mode")  # of float16, SciPy's bits


def flat(x):
    return [v for part in x for v in flat(part)] if isinstance(x, (tuple, list)) else [x]


def compared(call, a, b):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = flat(eval("m." + call if call[:5] != "tuple" else "tuple(m." + call[6:], {"m": theirs, "a": a, "b": b}))
        got = flat(eval("m." + call if call[:5] != "tuple" else "tuple(m." + call[6:],
                        {"m": ours, "a": cp.asarray(a), "b": cp.asarray(b)}))
    assert len(got) == len(want)
    for x, y in zip(got, want):
        x, y = x.get() if hasattr(x, "get") else np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype, (call, x.dtype, y.dtype)
        assert x.shape == y.shape
        yield x, y


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("call", CALLS)
def test_types(call, dtype):
    r = np.random.default_rng(3)
    a, b = (r.integers(1, 20, (12, 7)).astype(dtype) for _ in range(2))
    for x, y in compared(call, a, b):
        if call.startswith("trimboth"):
            x, y = np.sort(x, axis=0), np.sort(y, axis=0)  # its elements are in no order
        if dtype == "f2" and not call.startswith(EXACT):
            # SciPy rounds each step to 11 bits, and powers of its moments are large; here only the result is rounded
            assert np.isfinite(x).all() == np.isfinite(y).all() or not np.isfinite(y).all()
            continue
        if dtype in ("i1", "u1") and call.startswith(("tmean", "tuple(ttest_rel")):
            continue                                      # SciPy's sums and differences wrap around
        exact = dtype == "f2" and call.startswith(EXACT)
        rtol, atol = (0, 0) if exact else (2e-5, 1e-4) if "f4" in (x.dtype, dtype) else (1e-10, 1e-12)
        rtol, atol = (2e-3, 2e-3) if x.dtype == "f2" and not exact else (rtol, atol)
        np.testing.assert_allclose(x.astype("f8"), y.astype("f8"), rtol, atol)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("call", ["zscore(a)", "zmap(a, b)", "zscore(a, axis=1, ddof=1)", "sem(a)", "tmean(a)",
                                  "boxcox_llf(2.5, a)", "boxcox_llf(-3.0, a, axis=None)", "boxcox_llf(2.0, a[:0])",
                                  "trim_mean(a[:0], 0.2)"])
def test_complex_numbers(call, dtype):
    """Standard deviations of complex numbers are of absolute distances; logarithms are on SciPy's branch."""
    r = np.random.default_rng(4)
    a, b = ((r.integers(1, 9, (9, 4)) + 1j * r.integers(1, 9, (9, 4))).astype(dtype) for _ in range(2))
    for x, y in compared(call, a, b):
        np.testing.assert_allclose(x, y, rtol=2e-4 if dtype == "c8" else 1e-11)


@pytest.mark.parametrize("call", ["iqr(a)", "pearsonr(a[:, 0], a[:, 1])", "gaussian_kde(a[:, 0])(a[:, 1])"])
def test_complex_numbers_are_refused(call):
    a = np.arange(12).reshape(6, 2) + 1j
    for module, x in ((theirs, a), (ours, cp.asarray(a))):
        with pytest.raises(ValueError):
            eval("m." + call, {"m": module, "a": x})


NAN = np.nan
EDGES = {"nothing": [], "no rows": np.ones((0, 3)), "no columns": np.ones((3, 0)), "one": [5.0], "two": [1.0, 2.0],
         "equal": np.ones(6), "negative": [-1.0, -2.0, -4.0], "NaN": [1.0, NAN, 3.0, 4.0], "NaN alone": [NAN, NAN],
         "NaN twice": [NAN, NAN, 1.0, 3.0], "infinite": [1.0, np.inf, 2.0, -np.inf]}
EDGE_CALLS = """zscore(a)|zscore(a, ddof=1)|zscore(a, ddof=9)|skew(a)|skew(a, bias=False)|kurtosis(a)|gmean(a)|hmean(a)
hmean(a, nan_policy='omit')|pmean(a, 3)|variation(a)|variation(a, ddof=1)|sem(a)|sem(a, ddof=2)|sem(a, ddof=9)|iqr(a)
iqr(a, axis=0)|median_abs_deviation(a)|tmean(a)|tmean(a, (2, 3))|tmean(a, (100, 200))|tvar(a)|tvar(a, ddof=9)|tstd(a)
tsem(a)|tmin(a)|tmin(a, 100)|tmax(a)|tmax(a, -100)|entropy(a)|mode(a)|describe(a)|describe(a, ddof=9)
tuple(ttest_1samp(a, 1.0))|tuple(ttest_ind(a, a + 1))|tuple(ttest_rel(a, a[:1]))|jarque_bera(a)""".replace("\n", "|")


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("call", EDGE_CALLS.split("|"))
def test_edges(call, name):
    """Of few, equal, missing or no elements: SciPy's values, or the kind of its exception."""
    a = np.asarray(EDGES[name])
    results = []
    for module, x in ((theirs, a), (ours, cp.asarray(a))):
        expression = "tuple(m." + call[6:] if call.startswith("tuple") else "m." + call
        results.append(outcome(lambda: flat(eval(expression, {"m": module, "a": x}))))  # noqa: B023
    want, got = results
    if isinstance(want, type) or isinstance(got, type):
        assert got is want
        return
    for x, y in zip(got, want, strict=True):
        x, y = x.get() if hasattr(x, "get") else np.asarray(x), np.asarray(y)
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("options", ["", "axis=-1", "axis=None", "axis=1", "keepdims=True", "axis=7"])
@pytest.mark.parametrize("shape", [(9,), (9, 3), (2, 5), (4, 3, 6), (0, 3)])
@pytest.mark.parametrize("call", ["linregress(x, y{})", "ks_2samp(x, y{})", "ks_2samp(x, y[:2]{})",
                                  "ks_1samp(x, m.norm.cdf{})"])
def test_samples_along_axes(call, shape, options):
    r = np.random.default_rng(7)
    x, y = r.random(shape), r.random(shape)
    if options == "keepdims=True" and len(shape) == 1 and call.startswith("linregress"):
        return                                            # SciPy's fails
    expression = "m." + call.format(", " + options if options else "")
    want = outcome(lambda: flat(eval(expression, {"m": theirs, "x": x, "y": y})))
    got = outcome(lambda: flat(eval(expression, {"m": ours, "x": cp.asarray(x), "y": cp.asarray(y)})))
    if isinstance(want, type) or isinstance(got, type):
        assert isinstance(want, type) and isinstance(got, type)
        return
    for p, q in zip(got, want):
        p, q = p.get() if hasattr(p, "get") else np.asarray(p), np.asarray(q)
        assert p.shape == q.shape
        np.testing.assert_allclose(p, q, rtol=1e-7, atol=1e-14)
