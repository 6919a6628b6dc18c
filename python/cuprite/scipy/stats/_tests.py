"""Tests of hypotheses: Student's, of variances and of normality."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite._named import NamedTuple
from cuprite.scipy.stats._arrays import (Slices, array, as_type, by_slices, floating, nan_where, of_one_rank, on_host,
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
        mean, error, df, alternative, finish = self._interval
        tail = (1 - confidence_level) / 2 if alternative == "two-sided" else 1 - confidence_level
        df = df + 0.0 * mean  # on its device
        far = error * cuprite.scipy.special.stdtrit(df, 1 - tail + 0.0 * mean)
        low = mean - (far if alternative != "less" else cuprite.inf)
        high = mean + (far if alternative != "greater" else cuprite.inf)
        return ConfidenceInterval(finish(low), finish(high))


def _tested(mean, popmean, error, df, alternative, s, keepdims) -> TtestResult:
    statistic = (mean - popmean) / error
    p = of_t(statistic, cuprite.asarray(df, "float64") if not isinstance(df, ndarray) else df * 1.0, alternative)
    statistic = s.result(statistic, keepdims)
    s.dtype = common_type(s.dtype, "float32")  # special functions of float16 are of float32
    free = cuprite.where(cuprite.isnan(mean), cuprite.nan, df).astype(type_of(mean), copy=False)
    result = TtestResult(statistic, s.result(p, keepdims), s.result(free, keepdims))
    result._interval = mean, error, df, alternative.lower(), lambda x: s.result(x, keepdims)
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


def _trimmed(s, trim):
    """(mean, variance, how many remain) of slices without a part of the least and of the largest (Yuen): their variance
    is that of all, each of the outer ones as large as the next one."""
    n = s.x.shape[-1]
    g = int(n * trim)
    if not g:
        return s.mean(), s.variance(1), n
    x = cuprite.sort(s.x, axis=-1)
    inner = x[..., g:n - g]
    whole = cuprite.concatenate([inner[..., :1]] * g + [inner] + [inner[..., -1:]] * g, axis=-1)
    lost = cuprite.isnan(x[..., -1]) if type_of(x).kind == "f" else cuprite.zeros(x.shape[:-1], bool)
    return nan_where(lost, inner.mean(axis=-1)), nan_where(lost, whole.var(axis=-1, ddof=2 * g + 1)), n - 2 * g


@beside_its_arrays
def ttest_ind(a, b, *, axis=0, equal_var=True, nan_policy="propagate", alternative="two-sided", trim=0, method=None,
              keepdims=False) -> TtestResult:
    """Student's or Welch's test of the difference of independent samples.

    Parameters: a: a sample; b: another; axis: along which (None: all); equal_var: whether variances are taken as equal;
        nan_policy: 'propagate', 'raise' or 'omit'; alternative: 'two-sided', 'less' or 'greater'; trim: the part of
        each sample that is left out on each side (Yuen's test); method: None, or one of SciPy's for the p-value,
        PermutationMethod or MonteCarloMethod, which runs on the host; keepdims: whether the axis stays, of length 1.
    Errors: ValueError for another alternative, a part that is not from 0 to 1/2, and NaN where that is refused.
    """
    if not 0 <= trim < 0.5:
        raise ValueError("Trimming percentage should be 0 <= `trim` < .5.")
    if method is not None:
        found = on_host("ttest_ind", *(array(v).get() for v in (a, b)), axis=axis, equal_var=equal_var, trim=trim,
                        nan_policy=nan_policy, alternative=alternative, method=method, keepdims=keepdims)
        return TtestResult(*map(cuprite.asarray, (found.statistic, found.pvalue, found.df)))
    x, y = (Slices(v, axis, nan_policy) for v in of_one_rank(axis, a, b))
    x.dtype = common_type(type_of(x), type_of(y))
    if 0 in (x.x.shape[-1], y.x.shape[-1]):
        nothing = x.mean() + y.mean() + cuprite.nan
        return TtestResult(x.result(nothing, keepdims), x.result(nothing, keepdims), nothing)
    if trim and (x.mask is not None or y.mask is not None):
        def test(*rows):
            found = ttest_ind(*rows, equal_var=equal_var, alternative=alternative, trim=trim)
            return found.statistic, found.pvalue, found.df
        return TtestResult(*by_slices(test, [a, b], axis, keepdims, 3))
    (m1, v1, n1), (m2, v2, n2) = (_trimmed(s, trim) if trim else (s.mean(), s.variance(1), s.n) for s in (x, y))
    if equal_var:
        df = n1 + n2 - 2.0
        v1, v2 = (cuprite.where(cuprite.asarray(n == 1), 0.0, v) for v, n in ((v1, n1), (v2, n2)))  # no spread alone
        scale = cuprite.sqrt(((n1 - 1) * v1 + (n2 - 1) * v2) / df * (1.0 / n1 + 1.0 / n2))
    else:
        w1, w2 = v1 / n1, v2 / n2
        df = (w1 + w2) ** 2 / (w1 ** 2 / (n1 - 1) + w2 ** 2 / (n2 - 1))
        df = cuprite.where(cuprite.isnan(df), 1.0, df)
        scale = cuprite.sqrt(w1 + w2)
    return _tested(m1 - m2, 0.0, scale, df, alternative, x, keepdims)


@beside_its_arrays
def ttest_ind_from_stats(mean1, std1, nobs1, mean2, std2, nobs2, equal_var=True,
                         alternative="two-sided") -> SignificanceResult:
    """Student's or Welch's test of the difference of independent samples, of which these numbers are known.

    Parameters: mean1, std1, nobs1: the mean, the standard deviation (with ddof 1) and the size of a sample; mean2,
        std2, nobs2: those of another; equal_var: whether variances are taken as equal; alternative: 'two-sided', 'less'
        or 'greater'.
    Errors: ValueError for another alternative.

    Example:
        >>> cp.scipy.stats.ttest_ind_from_stats(1.0, 2.0, 10, 3.0, 1.0, 12).pvalue.round(4)
        array(0.0064)
    """
    m1, s1, n1, m2, s2, n2 = (floating(v) for v in (mean1, std1, nobs1, mean2, std2, nobs2))
    w1, w2 = s1 * s1 / n1, s2 * s2 / n2
    if equal_var:
        df = n1 + n2 - 2.0
        scale = cuprite.sqrt(((n1 - 1) * s1 * s1 + (n2 - 1) * s2 * s2) / df * (1.0 / n1 + 1.0 / n2))
    else:
        df = (w1 + w2) ** 2 / (w1 ** 2 / (n1 - 1) + w2 ** 2 / (n2 - 1))
        df = cuprite.where(cuprite.isnan(df), 1.0, df)
        scale = cuprite.sqrt(w1 + w2)
    t = (m1 - m2) / scale
    return SignificanceResult(t, of_t(t, df, alternative))


@beside_its_arrays
def f_oneway(*samples, axis=0, nan_policy="propagate", equal_var=True, keepdims=False) -> SignificanceResult:
    """The analysis of variance of several samples.

    Parameters: samples: two or more; axis: along which (None: all); nan_policy: 'propagate', 'raise' or 'omit';
        equal_var: whether variances are taken as equal, otherwise Welch's analysis; keepdims: whether the axis stays,
        of length 1.
    Errors: TypeError for fewer than two samples; ValueError for NaN where that is refused.
    """
    if len(samples) < 2:
        raise TypeError(f"at least two inputs are required; got {len(samples)}.")
    parts = [Slices(v, axis, nan_policy) for v in of_one_rank(axis, *samples)]
    if any(p.mask is not None for p in parts):
        return SignificanceResult(*by_slices(lambda *rows: f_oneway(*rows, equal_var=equal_var), samples, axis,
                                             keepdims, 2))
    k, sizes, means = len(parts), [p.n for p in parts], [p.mean() for p in parts]
    if equal_var:
        total = sum(sizes)
        mean = sum(m * n for m, n in zip(means, sizes)) / total
        between = sum(n * (m - mean) ** 2 for m, n in zip(means, sizes)) / (k - 1)
        f, df = between / (sum(p.central(2) * p.n for p in parts) / (total - k)), float(total - k)
    else:
        weights = [p.n / p.variance(1) for p in parts]
        whole = sum(weights)
        mean = sum(w * m for w, m in zip(weights, means)) / whole
        apart = sum((1 - w / whole) ** 2 / (n - 1) for w, n in zip(weights, sizes))
        f = sum(w * (m - mean) ** 2 for w, m in zip(weights, means)) / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * apart)
        df = (k * k - 1) / (3 * apart)
    found = parts[0]
    found.dtype = result_type(*samples)
    found.kept = numpy.broadcast_shapes(*(p.kept for p in parts))
    p = cuprite.scipy.special.fdtrc(k - 1.0, df, f)
    return SignificanceResult(found.result(f, keepdims), found.result(p, keepdims))


@beside_its_arrays
def jarque_bera(x, *, axis=None, nan_policy="propagate", keepdims=False) -> SignificanceResult:
    """Jarque's and Bera's test of normality, by skewness and kurtosis.

    Parameters: x: the sample; axis: along which (None: all); nan_policy: 'propagate', 'raise' or 'omit'; keepdims:
        whether the axis stays, of length 1.
    """
    s = Slices(x, axis, nan_policy)
    found = s.n / 6.0 * (_skew(s, True) ** 2 + _kurtosis(s, True, True) ** 2 / 4)
    statistic = s.result(found, keepdims)
    s.dtype = common_type(s.dtype, "float32")
    return SignificanceResult(statistic, s.result(cuprite.exp(-found / 2), keepdims))
