"""Kolmogorov's and Smirnov's tests; p-values are SciPy's, on the host."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite._named import NamedTuple
from cuprite.scipy.stats._arrays import by_slices, floating, known, of_one_rank, on_host, on_last


class _Pair(NamedTuple):
    """A statistic and its p-value."""

    statistic: float | ndarray
    pvalue: float | ndarray


class KstestResult(_Pair):
    """The largest distance of two distributions and its p-value, as a pair; `statistic_location`, where it is, and
    `statistic_sign`: 1 where the first distribution's function is the greater one there, else -1.

    Parameters: statistic: the distance; pvalue: its p-value; statistic_location: where it is; statistic_sign: 1 or -1.
    """

    statistic_location: float | ndarray
    statistic_sign: float | ndarray

    def __new__(cls, statistic, pvalue, *, statistic_location, statistic_sign):
        self = super().__new__(cls, statistic, pvalue)
        self.statistic_location, self.statistic_sign = statistic_location, statistic_sign
        return self

    def __repr__(self) -> str:
        names = "statistic", "pvalue", "statistic_location", "statistic_sign"
        return f"KstestResult({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"


def _result(statistic, pvalue, location, sign):
    return KstestResult(statistic, pvalue, statistic_location=location, statistic_sign=sign)


_NOTHING = _result(*[cuprite.nan] * 4)


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


def _along(test, samples, axis, nan_policy, keepdims) -> KstestResult:
    """A test of the samples along an axis: one dimension's numbers, or arrays of those of more."""
    samples = of_one_rank(axis, *samples)
    masks = [known(v, nan_policy) for v in samples]
    if axis is None and not keepdims:
        samples, axis = [v.reshape(-1) for v in samples], 0
    alone = max(v.ndim for v in samples) <= 1 and not keepdims and axis in (0, -1)
    if alone and all(m is None for m in masks):
        return _tested(test, *(v.reshape(-1) for v in samples))

    def one(*rows):
        found = _tested(test, *rows)
        return (*found, found.statistic_location, found.statistic_sign)
    found = _slices_with_nan(one, samples, axis, keepdims) if nan_policy == "propagate" else by_slices(
        one, samples, axis, keepdims, 4)
    return _result(*map(float, found)) if alone else _result(*found)


def _slices_with_nan(one, samples, axis, keepdims):
    """by_slices, whose results are NaN where a sample has NaN."""
    found = by_slices(one, samples, axis, keepdims, 4)
    lost = False
    for v in samples:
        if type_of(v).kind == "f":
            x, kept = on_last(cuprite.isnan(v), axis)
            lost = lost | (x.any(axis=-1).reshape(kept) if keepdims else x.any(axis=-1))
    return [cuprite.where(lost, cuprite.nan, v) for v in found]


def _tested(test, *samples):
    samples = [floating(v) for v in samples]
    if any(not v.size or type_of(v).kind == "f" and bool(cuprite.isnan(v).any()) for v in samples):
        return _NOTHING
    return test(*map(cuprite.sort, samples))


@beside_its_arrays
def ks_1samp(x, cdf, args=(), alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate",
             keepdims=False) -> KstestResult:
    """Kolmogorov's and Smirnov's test of a sample and a distribution; the p-value is SciPy's, on the host.

    Parameters: x: the sample; cdf: the distribution's function of arrays, or its name; args: its parameters;
        alternative: 'two-sided', 'less' or 'greater'; method: 'auto', 'exact', 'approx' or 'asymp'; axis: along which
        samples are (None: all); nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length
        1.
    Errors: ValueError for another alternative or method, and NaN where that is refused.
    """
    alternative = _known_words(alternative, method)
    cdf = _cdf_of(cdf)
    return _along(lambda row: _one_sample(row, cdf, args, alternative, method), [x], axis, nan_policy, keepdims)


def _one_sample(x, cdf, args, alternative, method):
    n = x.size
    values = cdf(x, *args)
    above, below = cuprite.arange(1.0, n + 1) / n - values, values - cuprite.arange(0.0, n) / n
    plus, minus = float(above.max()), float(below.max())
    up = alternative == "greater" or alternative == "two-sided" and plus > minus
    d, sign = (plus, 1) if up else (minus, -1)
    location = float(x[(above if up else below).argmax()])
    if alternative != "two-sided":
        return _result(d, float(on_host("ksone.sf", d, n)), location, sign)
    if method == "asymp":
        p = on_host("kstwobign.sf", d * numpy.sqrt(n))
    elif method == "approx":
        p = 2 * on_host("ksone.sf", d, n)
    else:
        p = on_host("kstwo.sf", d, n)
    return _result(d, float(numpy.clip(p, 0, 1)), location, sign)


@beside_its_arrays
def ks_2samp(data1, data2, alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate",
             keepdims=False) -> KstestResult:
    """Kolmogorov's and Smirnov's test of two samples; the p-value is SciPy's, on the host.

    Parameters: data1: a sample; data2: another; alternative: 'two-sided', 'less' or 'greater'; method: 'auto', 'exact'
        or 'asymp'; axis: along which samples are (None: all); nan_policy: 'propagate', 'raise' or 'omit'; keepdims:
        whether the axis stays, of length 1.
    Errors: ValueError for another alternative or method, and NaN where that is refused.
    """
    alternative = _known_words(alternative, method)
    return _along(lambda *rows: _two_samples(*rows, alternative, method), [data1, data2], axis, nan_policy, keepdims)


def _two_samples(a, b, alternative, method):
    if method == "exact" or (method == "auto" and max(a.size, b.size) <= 10000):
        found = on_host("ks_2samp", a.get(), b.get(), alternative, method)
        return _result(*(float(v) for v in (found.statistic, found.pvalue, found.statistic_location)),
                       int(found.statistic_sign))
    both = cuprite.concatenate([a, b])
    apart = (cuprite.searchsorted(a, both, side="right") / a.size
             - cuprite.searchsorted(b, both, side="right") / b.size)
    most, least = float(apart.max()), float(cuprite.clip(-apart.min(), 0, 1))
    up = alternative == "greater" or alternative == "two-sided" and not least > most
    d, sign = (most, 1) if up else (least, -1)
    location = float(both[apart.argmax() if up else apart.argmin()])
    m, n = (float(v) for v in sorted((a.size, b.size), reverse=True))
    if alternative == "two-sided":
        p = on_host("kstwo.sf", d, numpy.round(m * n / (m + n)))
    else:
        z = numpy.sqrt(m * n / (m + n)) * d
        p = numpy.exp(-2 * z ** 2 - 2 * z * (m + 2 * n) / numpy.sqrt(m * n * (m + n)) / 3.0)
    return _result(d, float(numpy.clip(p, 0, 1)), location, sign)


@beside_its_arrays
def kstest(rvs, cdf, args=(), N=20, alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate",
           keepdims=False) -> KstestResult:
    """Kolmogorov's and Smirnov's test of a sample and a distribution, or of two samples.

    Parameters: rvs: a sample; a distribution's name or function that draws one of `size`; cdf: a distribution's
        function or name, or another sample; args: parameters of the distribution; N: the size of a sample that is
        drawn; alternative: 'two-sided', 'less' or 'greater'; method: as ks_1samp and ks_2samp have it; axis: along
        which samples are (None: all); nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of
        length 1.
    Errors: ValueError for another alternative or method, and NaN where that is refused.
    """
    options = {"axis": axis, "nan_policy": nan_policy, "keepdims": keepdims}
    if isinstance(rvs, str):
        from cuprite.scipy import stats
        cdf, rvs = (rvs if callable(cdf) else cdf), getattr(stats, rvs).rvs
    if callable(rvs):
        rvs = rvs(*args, size=N)
    if isinstance(cdf, str) or callable(cdf):
        return ks_1samp(rvs, cdf, args, alternative, method, **options)
    return ks_2samp(rvs, cdf, alternative, method, **options)
