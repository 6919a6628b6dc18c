"""Tests of hypotheses: Student's, Kolmogorov's and Smirnov's, of variances and of normality."""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.stats._arrays import (Slices, array, as_type, floating, of_one_rank, on_host, on_last,
                                         result_type)
from cuprite.scipy.stats._correlation import ConfidenceInterval, SignificanceResult, of_t
from cuprite.scipy.stats._moments import _kurtosis, _skew


class _Pair(NamedTuple):
    """A statistic and its p-value."""

    statistic: ndarray
    pvalue: ndarray


class TtestResult(_Pair):
    """A statistic and its p-value, as a pair, and `df`, the degrees of freedom.

    Parameters: statistic: Student's t; pvalue: its p-value; df: the degrees of freedom.
    """

    df: ndarray
    _interval = None

    def __new__(cls, statistic, pvalue, df):
        self = super().__new__(cls, statistic, pvalue)
        self.df = df
        return self

    def __repr__(self) -> str:
        return f"TtestResult(statistic={self.statistic!r}, pvalue={self.pvalue!r}, df={self.df!r})"

    def confidence_interval(self, confidence_level=0.95) -> ConfidenceInterval:
        """The interval that has the mean, or the difference of means, at a confidence.

        Parameters: confidence_level: the confidence, from 0 to 1.
        Errors: ValueError for another number; TypeError for a result that was not computed by a test.
        """
        if not 0 <= confidence_level <= 1:
            raise ValueError("`confidence_level` must be a number between 0 and 1.")
        if self._interval is None:
            raise TypeError("TtestResult: only results of tests have intervals")
        mean, error, alternative, finish = self._interval
        tail = (1 - confidence_level) / 2 if alternative == "two-sided" else 1 - confidence_level
        df = self.df + 0.0 * mean  # on its device
        far = error * cuprite.scipy.special.stdtrit(df, 1 - tail + 0.0 * mean)
        low = mean - (far if alternative != "less" else numpy.inf)
        high = mean + (far if alternative != "greater" else numpy.inf)
        return ConfidenceInterval(finish(low), finish(high))


def _tested(mean, popmean, error, df, alternative, s, keepdims) -> TtestResult:
    statistic = (mean - popmean) / error
    p = of_t(statistic, cuprite.asarray(df, numpy.float64) if not isinstance(df, ndarray) else df * 1.0, alternative)
    statistic = s.result(statistic, keepdims)
    s.dtype = numpy.result_type(s.dtype, numpy.float32)  # special functions of float16 are of float32
    result = TtestResult(statistic, s.result(p, keepdims), df)
    result._interval = mean, error, alternative.lower(), lambda x: s.result(x, keepdims)
    return result


@beside_its_arrays
def ttest_1samp(a, popmean, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False) -> TtestResult:
    """Student's test of the mean of a sample.

    Parameters: a: the sample; popmean: the mean that is tested; axis: along which (None: all); nan_policy: 'propagate',
        'raise' or 'omit'; alternative: 'two-sided', 'less' or 'greater'; keepdims: whether the axis stays, of length 1.
    Errors: ValueError for another alternative, and NaN where that is refused.

    Example:
        >>> cp.scipy.stats.ttest_1samp(cp.asarray([1.0, 2, 3, 4]), 1.0).statistic.round(4)
        array(2.3238)
    """
    s = Slices(a, axis, nan_policy)
    popmean = floating(popmean)
    if popmean.ndim:
        popmean = cuprite.squeeze(popmean, axis=axis) if popmean.ndim == len(s.kept) else popmean
    return _tested(s.mean(), popmean, cuprite.sqrt(s.variance(1) / s.n), s.n - 1, alternative, s, keepdims)


@beside_its_arrays
def ttest_rel(a, b, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False) -> TtestResult:
    """Student's test of the difference of paired samples.

    Parameters: a: a sample; b: another; axis: along which (None: all); nan_policy: 'propagate', 'raise' or 'omit';
        alternative: 'two-sided', 'less' or 'greater'; keepdims: whether the axis stays, of length 1.
    Errors: ValueError for lengths that differ, another alternative, and NaN where that is refused.
    """
    a, b = array(a), array(b)
    dtype = result_type(a, b)
    if axis is not None and a.ndim and b.ndim and a.shape[axis] != b.shape[axis] and 1 not in (a.shape[axis],
                                                                                            b.shape[axis]):
        raise ValueError("unequal length arrays")
    return ttest_1samp(as_type(floating(a) - floating(b), dtype), 0.0, axis, nan_policy, alternative, keepdims=keepdims)


@beside_its_arrays
def ttest_ind(a, b, *, axis=0, equal_var=True, nan_policy="propagate", alternative="two-sided",
              keepdims=False) -> TtestResult:
    """Student's or Welch's test of the difference of independent samples.

    Parameters: a: a sample; b: another; axis: along which (None: all); equal_var: whether variances are taken as equal;
        nan_policy: 'propagate', 'raise' or 'omit'; alternative: 'two-sided', 'less' or 'greater'; keepdims: whether the
        axis stays, of length 1.
    Errors: ValueError for another alternative, and NaN where that is refused.
    """
    x, y = (Slices(v, axis, nan_policy) for v in of_one_rank(axis, a, b))
    x.dtype = numpy.result_type(x.dtype, y.dtype)
    if 0 in (x.x.shape[-1], y.x.shape[-1]):
        nothing = x.mean() + y.mean() + numpy.nan
        return TtestResult(x.result(nothing, keepdims), x.result(nothing, keepdims), nothing)
    v1, v2, n1, n2 = x.variance(1), y.variance(1), x.n, y.n
    if equal_var:
        df = n1 + n2 - 2.0
        v1, v2 = (cuprite.where(cuprite.asarray(n == 1), 0.0, v) for v, n in ((v1, n1), (v2, n2)))  # no spread alone
        scale = cuprite.sqrt(((n1 - 1) * v1 + (n2 - 1) * v2) / df * (1.0 / n1 + 1.0 / n2))
    else:
        w1, w2 = v1 / n1, v2 / n2
        df = (w1 + w2) ** 2 / (w1 ** 2 / (n1 - 1) + w2 ** 2 / (n2 - 1))
        df = cuprite.where(cuprite.isnan(df), 1.0, df)
        scale = cuprite.sqrt(w1 + w2)
    return _tested(x.mean() - y.mean(), 0.0, scale, df, alternative, x, keepdims)


@beside_its_arrays
def f_oneway(*samples, axis=0, nan_policy="propagate", equal_var=True) -> SignificanceResult:
    """The analysis of variance of several samples.

    Parameters: samples: two or more; axis: along which; nan_policy: 'propagate' or 'raise'; equal_var: True.
    Errors: TypeError for fewer than two samples; NotImplementedError for unequal variances.
    """
    if len(samples) < 2:
        raise TypeError(f"at least two inputs are required; got {len(samples)}.")
    if not equal_var:
        raise NotImplementedError("f_oneway: only equal variances")
    parts = [Slices(v, axis, nan_policy) for v in of_one_rank(axis, *samples)]
    total = sum(p.n for p in parts)
    mean = sum(p.mean() * p.n for p in parts) / total
    between = sum(p.n * (p.mean() - mean) ** 2 for p in parts) / (len(parts) - 1)
    within = sum(p.central(2) * p.n for p in parts) / (total - len(parts))
    f = between / within
    dtype = result_type(*samples)
    p = cuprite.scipy.special.fdtrc(len(parts) - 1.0, float(total - len(parts)), f)
    return SignificanceResult(as_type(f, dtype), as_type(p, dtype))


@beside_its_arrays
def jarque_bera(x, *, axis=None, nan_policy="propagate", keepdims=False) -> SignificanceResult:
    """Jarque's and Bera's test of normality, by skewness and kurtosis.

    Parameters: x: the sample; axis: along which (None: all); nan_policy: 'propagate', 'raise' or 'omit'; keepdims:
        whether the axis stays, of length 1.
    """
    s = Slices(x, axis, nan_policy)
    found = s.n / 6.0 * (_skew(s, True) ** 2 + _kurtosis(s, True, True) ** 2 / 4)
    statistic = s.result(found, keepdims)
    s.dtype = numpy.result_type(s.dtype, numpy.float32)
    return SignificanceResult(statistic, s.result(cuprite.exp(-found / 2), keepdims))


# --- Kolmogorov and Smirnov ---

class KstestResult(NamedTuple):
    """The largest distance of two distributions and its p-value."""

    statistic: float
    pvalue: float


def _known_words(alternative, method):
    alternative = {"t": "two-sided", "g": "greater", "l": "less"}.get(alternative.lower()[:1], alternative)
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"Unexpected value alternative='{alternative}'")
    if method not in ("auto", "exact", "approx", "asymp"):
        raise ValueError(f"Invalid value for mode: {method}")
    return alternative


def _cdf_of(cdf):
    if not isinstance(cdf, str):
        return cdf
    from cuprite.scipy import stats
    try:
        return getattr(stats, cdf).cdf
    except AttributeError as why:
        raise ValueError(f"ks_1samp: no distribution {cdf!r}") from why


def _each(test, samples, axis, keepdims) -> KstestResult:
    """A test of each of the samples along an axis; its numbers as arrays."""
    parts = [on_last(v, axis) for v in of_one_rank(axis, *samples)]
    shape = numpy.broadcast_shapes(*(x.shape[:-1] for x, _ in parts))
    rows = [cuprite.broadcast_to(x, shape + x.shape[-1:]).reshape(math.prod(shape), x.shape[-1]) for x, _ in parts]
    found = numpy.array([test(*row) for row in zip(*rows)], float).reshape(-1, 2)
    kept = numpy.broadcast_shapes(*(k for _, k in parts)) if keepdims else shape
    return KstestResult(*(cuprite.asarray(found[:, i].reshape(kept)) for i in range(2)))


@beside_its_arrays
def ks_1samp(x, cdf, args=(), alternative="two-sided", method="auto", *, axis=0, keepdims=False) -> KstestResult:
    """Kolmogorov's and Smirnov's test of a sample and a distribution; the p-value is SciPy's, on the host.

    Parameters: x: the sample; cdf: the distribution's function of arrays, or its name; args: its parameters;
        alternative: 'two-sided', 'less' or 'greater'; method: 'auto', 'exact', 'approx' or 'asymp'; axis: along which
        samples are (None: all); keepdims: whether the axis stays, of length 1.
    Errors: ValueError for another alternative or method.
    """
    alternative = _known_words(alternative, method)
    x = floating(x)
    if axis is not None and (x.ndim > 1 or keepdims or axis not in (0, -1)):
        return _each(lambda row: ks_1samp(row, cdf, args, alternative, method), [x], axis, keepdims)
    x = cuprite.sort(x.reshape(-1))
    n = x.size
    if n == 0:
        return KstestResult(numpy.nan, numpy.nan)
    values = _cdf_of(cdf)(x, *args)
    plus = float((cuprite.arange(1.0, n + 1) / n - values).max())
    minus = float((values - cuprite.arange(0.0, n) / n).max())
    d = {"two-sided": max(plus, minus), "greater": plus, "less": minus}[alternative]
    if alternative != "two-sided":
        return KstestResult(d, float(on_host("ksone.sf", d, n)))
    if method == "asymp":
        p = on_host("kstwobign.sf", d * numpy.sqrt(n))
    elif method == "approx":
        p = 2 * on_host("ksone.sf", d, n)
    else:
        p = on_host("kstwo.sf", d, n)
    return KstestResult(d, float(numpy.clip(p, 0, 1)))


@beside_its_arrays
def ks_2samp(data1, data2, alternative="two-sided", method="auto", *, axis=0, keepdims=False) -> KstestResult:
    """Kolmogorov's and Smirnov's test of two samples; the p-value is SciPy's, on the host.

    Parameters: data1: a sample; data2: another; alternative: 'two-sided', 'less' or 'greater'; method: 'auto', 'exact'
        or 'asymp'; axis: along which samples are (None: all); keepdims: whether the axis stays, of length 1.
    Errors: ValueError for another alternative or method.
    """
    alternative = _known_words(alternative, method)
    a, b = floating(data1), floating(data2)
    if axis is not None and (max(a.ndim, b.ndim) > 1 or keepdims or axis not in (0, -1)):
        return _each(lambda *rows: ks_2samp(*rows, alternative, method), [a, b], axis, keepdims)
    a, b = (cuprite.sort(v.reshape(-1)) for v in (a, b))
    if min(a.size, b.size) == 0:
        return KstestResult(numpy.nan, numpy.nan)
    if method == "exact" or (method == "auto" and max(a.size, b.size) <= 10000):
        found = on_host("ks_2samp", a.get(), b.get(), alternative, method)
        return KstestResult(float(found.statistic), float(found.pvalue))
    both = cuprite.concatenate([a, b])
    apart = (cuprite.searchsorted(a, both, side="right") / a.size
             - cuprite.searchsorted(b, both, side="right") / b.size)
    most, least = float(apart.max()), float(cuprite.clip(-apart.min(), 0, 1))
    d = {"two-sided": max(most, least), "greater": most, "less": least}[alternative]
    m, n = (float(v) for v in sorted((a.size, b.size), reverse=True))
    if alternative == "two-sided":
        p = on_host("kstwo.sf", d, numpy.round(m * n / (m + n)))
    else:
        z = numpy.sqrt(m * n / (m + n)) * d
        p = numpy.exp(-2 * z ** 2 - 2 * z * (m + 2 * n) / numpy.sqrt(m * n * (m + n)) / 3.0)
    return KstestResult(d, float(numpy.clip(p, 0, 1)))


@beside_its_arrays
def kstest(rvs, cdf, args=(), N=20, alternative="two-sided", method="auto") -> KstestResult:
    """Kolmogorov's and Smirnov's test of a sample and a distribution, or of two samples.

    Parameters: rvs: a sample; cdf: a distribution's function or name, or another sample; args: parameters of the
        distribution; N: of SciPy, where rvs is a function, which is not taken; alternative: 'two-sided', 'less' or
        'greater'; method: as ks_1samp and ks_2samp have it.
    Errors: ValueError for another alternative or method.
    """
    if isinstance(cdf, str) or callable(cdf):
        return ks_1samp(rvs, cdf, args, alternative, method)
    return ks_2samp(rvs, cdf, alternative, method)
