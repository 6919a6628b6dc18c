"""Distributions where digits are lost or rules end: tails and their logarithms, many degrees of freedom, parameters
that are none, arrays of parameters against each other. SciPy 1.17 is the oracle."""
import math

import numpy as np
import pytest
import scipy.special as sc
import scipy.stats as st

import cuprite as cp
import cuprite.scipy.stats as cs
from oracle import outcome, raises

LAWS = {"norm": (), "uniform": (), "expon": (), "gamma": (1.4,), "chi2": (5.0,), "beta": (1.7, 2.5), "t": (3.0,),
        "f": (4.0, 9.0), "lognorm": (0.8,), "cauchy": (), "laplace": (), "logistic": (), "weibull_min": (1.2,),
        "pareto": (1.4,), "rayleigh": (), "gumbel_r": ()}
X = np.array([-800, -40, -3, -1, -1e-300, 0, 1e-20, 1e-5, 0.3, 0.5, 1 - 1e-10, 1, 1.001, 1.5, 6, 40, 800, 1e10])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"])
@pytest.mark.parametrize("name", LAWS)
def test_tails(name, method):
    """Nine digits everywhere: of logarithms near 0 too, and where the probability itself is 0 in float64."""
    args = LAWS[name]
    want = getattr(getattr(st, name), method)(X, *args)
    got = getattr(getattr(cs, name), method)(cp.asarray(X), *args).get()
    if name == "laplace" and method.startswith("log"):    # SciPy takes the logarithm of what became 0
        sign = {"logpdf": -1, "logcdf": X, "logsf": -X}[method]
        want = np.where(np.isinf(want) & (np.sign(sign) < 0), -abs(X) - math.log(2), want)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=0)


@pytest.mark.parametrize("df", [1e3, 1e6, 1e9, 1e12, 1e15, 1e19, 1e25, 1e100, 1e300, np.inf])
def test_many_degrees_of_freedom(df):
    """Student's distribution becomes the normal one."""
    x, q = X[(abs(X) < 38) & (abs(X) > 1e-200)], np.array([1e-30, 1e-9, 0.01, 0.2, 0.26, 0.4, 0.7, 0.99])
    for method in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"):
        got = getattr(cs.t, method)(cp.asarray(x), df).get()
        np.testing.assert_allclose(got, getattr(st.t, method)(x, df), rtol=3e-11, atol=0, err_msg=method)
    for method in ("ppf", "isf"):
        got = getattr(cs.t, method)(cp.asarray(q), df).get()
        np.testing.assert_allclose(got, getattr(st.t, method)(q, df), rtol=3e-11, atol=0, err_msg=method)
    for method in ("mean", "var", "std", "median"):
        np.testing.assert_allclose(float(getattr(cs.t, method)(df)), getattr(st.t, method)(df), rtol=1e-14)
    np.testing.assert_allclose(cp.scipy.special.stdtr(df, cp.asarray(x)).get(), sc.stdtr(df, x), rtol=3e-11, atol=0)
    np.testing.assert_allclose(cp.scipy.special.stdtrit(df, cp.asarray(q)).get(), sc.stdtrit(df, q), rtol=3e-11)


PLACES = [{}, {"loc": 1, "scale": 2}, {"loc": [0.0, 1.0], "scale": [[1.0], [2.0]]}, {"scale": -1}, {"scale": 0},
          {"loc": np.nan}, {"loc": np.inf}, {"scale": [1.0, -1.0, 0.0]}, {"loc": []},
          {"loc": [1.0, np.nan], "scale": 3}]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["mean", "var", "std", "median", "support", "interval"])
@pytest.mark.parametrize("name", LAWS)
def test_places_and_shapes(name, method):
    """Locations, scales and parameters of the shape that are arrays, or none: SciPy's shapes and NaNs."""
    theirs, ours, args = getattr(st, name), getattr(cs, name), LAWS[name]
    first = (0.7,) if method == "interval" else ()

    def compare(args, where):
        want = getattr(theirs, method)(*first, *args, **where)
        got = getattr(ours, method)(*first, *map(cp.asarray, args), **{k: cp.asarray(v) for k, v in where.items()})
        assert isinstance(got, tuple) == isinstance(want, tuple)
        for x, y in zip(got, want) if isinstance(got, tuple) else [(got, want)]:
            assert x.shape == np.shape(y), (args, where)
            np.testing.assert_allclose(x.get(), y, rtol=1e-9, err_msg=f"{args} {where}")

    for where in PLACES:
        compare(args, {k: np.asarray(v, float) for k, v in where.items()})
    for i in range(len(args)):
        for value in (np.array([args[i], args[i] + 1]), -1.0, 0.0, np.nan, np.array([])):
            compare((*args[:i], value, *args[i + 1:]), {})


@pytest.mark.parametrize("confidence", [-0.1, 1.1, [0.5, 2.0], np.inf])
def test_intervals_that_are_none(confidence):
    with raises(ValueError):
        cs.norm.interval(cp.asarray(confidence))
    assert outcome(lambda: st.norm.interval(np.asarray(confidence))) is ValueError


def test_intervals_at_the_ends():
    for confidence in (0.0, 1.0, np.nan):
        got, want = cs.norm.interval(confidence), st.norm.interval(confidence)
        np.testing.assert_array_equal([float(v) for v in got], want)


def test_arguments_of_frozen_distributions():
    """What is given twice, or not at all: TypeError, as of any function; no parameter takes its place."""
    frozen, theirs = cs.gamma(2.0), st.gamma(2.0)
    for method, name in (("pdf", "x"), ("logsf", "x"), ("ppf", "q"), ("isf", "q"), ("interval", "confidence"),
                         ("moment", "order")):
        for args, kwds in (((), {}), ((0.5,), {name: 0.5}), ((0.5, 0.5), {}), ((), {"nothing": 1})):
            with raises(TypeError):
                getattr(frozen, method)(*args, **kwds)
            assert outcome(lambda: getattr(theirs, method)(*args, **kwds)) is TypeError  # noqa: B023


def test_results_of_tests_are_tuples():
    """As SciPy's: pairs that compare, print and unpack as tuples do, with attributes beside them."""
    a, b = np.arange(9.0) ** 1.5, np.cos(np.arange(9.0))
    for call in (lambda m, a, b: m.ttest_ind(a, b), lambda m, a, b: m.ttest_rel(a, b),
                 lambda m, a, b: m.ttest_1samp(a, 2.0), lambda m, a, b: m.pearsonr(a, b)):
        want, got = call(st, a, b), call(cs, cp.asarray(a), cp.asarray(b))
        assert isinstance(got, tuple) and len(got) == len(want) == 2 and got._fields == want._fields
        assert type(got).__name__ == type(want).__name__ and repr(got).startswith(type(want).__name__ + "(statistic=")
        assert hasattr(got, "df") == hasattr(want, "df") and (not hasattr(want, "df") or float(got.df) == want.df)
        np.testing.assert_allclose([float(v) for v in got], [*want], rtol=1e-10)
        assert got[0] is got.statistic and got[-1] is got.pvalue and [*got] == [*got[:]]
        for level in (0.9, 0.0, 0.5):
            np.testing.assert_allclose([float(v) for v in got.confidence_interval(level)],
                                       [*want.confidence_interval(level)], rtol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("n", [2, 3, 4, 12])
def test_intervals_of_correlations(n, alternative):
    r = np.random.default_rng(n)
    x, y = r.normal(size=(2, 3, n))
    x[0] = 2 * y[0]
    if n > 4:
        x[1] = 1.0
    want = st.pearsonr(x, y, axis=1, alternative=alternative)
    got = cs.pearsonr(cp.asarray(x), cp.asarray(y), axis=1, alternative=alternative)
    for level in (0.95, 0.3, 1.0, 0.0, 1.5):
        for g, w in zip(got.confidence_interval(level), want.confidence_interval(confidence_level=level)):
            assert g.shape == w.shape and g.dtype == w.dtype
            np.testing.assert_allclose(g.get(), w, rtol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_densities_of_points_that_are_not_finite(bad):
    """Not the same as points that lie in a plane."""
    x = np.r_[np.arange(6.0), bad]
    assert outcome(lambda: st.gaussian_kde(x)) is ValueError
    with raises(ValueError):
        cs.gaussian_kde(cp.asarray(x))
