"""Means, moments and scores along an axis."""
from __future__ import annotations

import math

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import common_type, type_of
from cuprite._named import NamedTuple
from cuprite.scipy.stats._arrays import Slices, array, as_type, floating, known, nan_where, on_last, result_type


@beside_its_arrays
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate") -> ndarray:
    """How many standard deviations of `compare` scores are from its mean.

    Parameters: scores: the scores; compare: what they are compared with; axis: along which (None: all); ddof: of the
        standard deviation; nan_policy: 'propagate', 'raise' or 'omit'.
    Errors: ValueError for NaN where that is refused, and another policy; AxisError for a number that has no axis.
    """
    same = scores is compare
    if axis is not None and not array(compare).ndim:
        raise cuprite.exceptions.AxisError(axis, 0)
    dtype = result_type(scores, compare)
    if dtype == "float16":
        return _zmap_of_halves(array(scores), array(compare), axis, ddof, nan_policy, same)
    scores, compare = floating(scores), floating(compare)
    s = Slices(compare, axis, nan_policy)
    s.kept = s.kept if compare.ndim else ()
    mean, std = s.mean(), cuprite.sqrt(s.positive(s.spread(ddof), ddof))
    mean, std = s.result(mean, True), s.result(std, True)
    if same:
        std = nan_where(std <= abs(type_of(std).eps * mean), std)
    return as_type(cuprite.fused("(x - m) / s", x=scores, m=mean, s=std), dtype)


def _zmap_of_halves(scores, compare, axis, ddof, nan_policy, same) -> ndarray:
    """zmap of float16, where each step is rounded as SciPy's is."""
    mask = known(compare, nan_policy)
    one = compare.dtype.type(1)
    count = numpy.float16(on_last(compare, axis)[0].shape[-1]) if mask is None else (
        cuprite.where(mask, one, 0 * one).sum(axis=axis, keepdims=True))

    def mean_of(x):
        if mask is None:
            return x.mean(axis=axis, keepdims=True)
        return cuprite.where(mask, x, 0 * one).sum(axis=axis, keepdims=True) / count
    mean = mean_of(compare)
    apart = compare - mean
    variance = mean_of(apart * apart)
    if ddof:
        free = cuprite.asarray(count - one * ddof)
        variance = variance * nan_where(free <= 0, count / free)
    std = variance ** (one / 2)
    if same:
        std = nan_where(std <= abs(type_of(std).eps * mean), std)
    return (scores - mean) / std


@beside_its_arrays
def zscore(a, axis=0, ddof=0, nan_policy="propagate") -> ndarray:
    """How many standard deviations elements are from the mean, NaN where all are equal.

    Parameters: a: the elements; axis: along which (None: all); ddof: of the standard deviation; nan_policy:
        'propagate', 'raise' or 'omit'.
    Errors: ValueError for NaN where that is refused, and another policy.

    Example:
        >>> cp.scipy.stats.zscore(cp.asarray([1.0, 2.0, 3.0])).round(4)
        array([-1.2247,  0.    ,  1.2247])
    """
    return zmap(a, a, axis, ddof, nan_policy)


@beside_its_arrays
def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate") -> ndarray:
    """The z-scores of logarithms.

    Parameters: a: the elements; axis: along which (None: all); ddof: of the standard deviation; nan_policy:
        'propagate', 'raise' or 'omit'.
    """
    return zscore(cuprite.log(as_type(floating(a), result_type(a))), axis, ddof, nan_policy)


@beside_its_arrays
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False) -> ndarray:
    """A moment about the mean, or another centre.

    Parameters: a: the elements; order: which, or a list of these; axis: along which (None: all);
        nan_policy: 'propagate', 'raise' or 'omit'; center: about which (None: the mean); keepdims: whether the axis
        stays, of length 1.
    Errors: ValueError for orders that are no integers.
    """
    orders = cuprite.asarray(order, device="cpu")
    if orders.size == 0:
        raise ValueError("`order` must be a scalar or a non-empty 1D array.")
    if bool((orders % 1 != 0).any()):
        raise ValueError("All elements of `order` must be integral.")
    s = Slices(a, axis, nan_policy)
    about = s.mean() if center is None else cuprite.broadcast_to(floating(center), s.x.shape[:-1])
    found = [s.result(s.central(int(k), about) + (0 * about if k == 0 else 0)  # 1, or NaN where an element is
                      if k != 1 or center is not None else 0 * about, keepdims) for k in orders.ravel()]
    return found[0] if orders.ndim == 0 else cuprite.stack(found)


def _flat(s, mean, m2) -> ndarray:
    """Where all elements are as good as equal."""
    return m2 <= (type_of(m2).eps * mean) ** 2


def _skew(s, bias) -> ndarray:
    mean = s.mean()
    m2, m3 = s.central(2, mean), s.central(3, mean)
    found = nan_where(_flat(s, mean, m2), m3 / m2 ** 1.5)
    if not bias:
        n = s.n
        more = cuprite.sqrt(cuprite.asarray((n - 1.0) * n)) / (n - 2.0) * m3 / m2 ** 1.5
        found = cuprite.where((m2 > 0) & (n > 2) & ~_flat(s, mean, m2), more, found)
    return found


def _kurtosis(s, fisher, bias) -> ndarray:
    mean = s.mean()
    m2, m4 = s.central(2, mean), s.central(4, mean)
    found = nan_where(_flat(s, mean, m2), m4 / m2 ** 2)
    if not bias:
        n = s.n
        more = 1.0 / (n - 2) / (n - 3) * ((n ** 2 - 1.0) * m4 / m2 ** 2 - 3 * (n - 1) ** 2.0) + 3.0 if isinstance(
            n, ndarray) or n > 3 else found
        found = cuprite.where((m2 > 0) & (n > 3) & ~_flat(s, mean, m2), more, found)
    return found - 3 if fisher else found


@beside_its_arrays
def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False) -> ndarray:
    """The skewness: the third moment by the 3/2-th power of the second, NaN where all elements are equal.

    Parameters: a: the elements; axis: along which (None: all); bias: whether the moments are the sample's; nan_policy:
        'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length 1.
    """
    s = Slices(a, axis, nan_policy)
    return s.result(_skew(s, bias), keepdims)


@beside_its_arrays
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False) -> ndarray:
    """The kurtosis: the fourth moment by the square of the second, NaN where all elements are equal.

    Parameters: a: the elements; axis: along which (None: all); fisher: whether 3 is subtracted; bias: whether the
        moments are the sample's; nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of
        length 1.
    """
    s = Slices(a, axis, nan_policy)
    return s.result(_kurtosis(s, fisher, bias), keepdims)


@beside_its_arrays
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False) -> ndarray:
    """The standard deviation by the mean.

    Parameters: a: the elements; axis: along which (None: all); nan_policy: 'propagate', 'raise' or 'omit'; ddof: of the
        standard deviation; keepdims: whether the axis stays, of length 1.
    """
    s = Slices(a, axis, nan_policy)
    return s.result(cuprite.sqrt(s.variance(ddof)) / s.mean(), keepdims)


@beside_its_arrays
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False) -> ndarray:
    """The standard error of the mean.

    Parameters: a: the elements; axis: along which (None: all); ddof: of the standard deviation; nan_policy:
        'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length 1.
    """
    s = Slices(a, axis, nan_policy)
    return s.result(cuprite.sqrt(s.spread(ddof, 0) / s.n) if s.x.shape[-1] else s.mean(), keepdims)


class DescribeResult(NamedTuple):
    """What describe finds."""

    nobs: object
    minmax: tuple[ndarray, ndarray]
    mean: ndarray
    variance: ndarray
    skewness: ndarray
    kurtosis: ndarray


@beside_its_arrays
def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate") -> DescribeResult:
    """The number of elements, the least and the largest, mean, variance, skewness and kurtosis.

    Parameters: a: the elements; axis: along which (None: all); ddof: of the variance; bias: whether skewness and
        kurtosis are of the sample's moments; nan_policy: 'propagate', 'raise' or 'omit'.
    Errors: ValueError where there are no elements.
    """
    a = array(a)
    if a.size == 0:
        raise ValueError("The input must not be empty.")
    s = Slices(a, axis, nan_policy)
    low, high = (s.x.min(axis=-1), s.x.max(axis=-1)) if s.mask is None else (
        cuprite.nanmin(s.x, axis=-1), cuprite.nanmax(s.x, axis=-1))
    low, high = low.astype(type_of(a)), high.astype(type_of(a))
    moments = (s.mean(), s.variance(ddof), _skew(s, bias), _kurtosis(s, True, bias))
    return DescribeResult(s.n, (low, high), *(s.result(m) for m in moments))


def _weighted(values, s, weights, axis) -> ndarray:
    if weights is None:
        return s.mean(values)
    w = Slices(cuprite.broadcast_to(floating(weights), s.shape), axis).x
    if s.mask is not None:
        w, values = cuprite.where(s.mask, w, 0), cuprite.where(s.mask, values, 0)
    return (w * values).sum(axis=-1) / w.sum(axis=-1)


def _mean_of(a, axis, weights, nan_policy, keepdims, there, back, dtype=None) -> ndarray:
    s = Slices(a, axis, nan_policy)
    s.shape = array(a).shape
    s.dtype = result_type(a, *(() if weights is None else (weights,))) if dtype is None else dtype
    return s.result(back(_weighted(there(s.x), s, weights, axis)), keepdims)


def _not_below_zero(a, axis, keepdims, found) -> ndarray:
    """Means, NaN where an element is negative."""
    if type_of(a).kind not in "if" or not bool((a < 0).any()):
        return found
    x, kept = on_last(a < 0, axis)
    lost = x.any(axis=-1)
    return nan_where(lost.reshape(kept) if keepdims else lost, found)


@beside_its_arrays
def gmean(a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False) -> ndarray:
    """The geometric mean.

    Parameters: a: the elements; axis: along which (None: all); dtype: which is computed in; weights: of the elements;
        nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length 1.
    """
    a = array(a) if dtype is None else array(a).astype(dtype)
    # NumPy's log of integers of 8 and 16 bits is of float16 and float32
    given = [a] if weights is None else [a, array(weights)]
    own = type_of(a)
    first = f"float{min(64, 16 * own.itemsize)}" if own.kind in "biu" else own
    dtype = common_type(first, *(result_type(x) for x in given[1:] if type_of(x).kind in "fc"))
    return _mean_of(a, axis, weights, nan_policy, keepdims, cuprite.log, cuprite.exp, dtype)


@beside_its_arrays
def hmean(a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False) -> ndarray:
    """The harmonic mean, NaN where an element is negative.

    Parameters: a: the elements; axis: along which (None: all); dtype: which is computed in; weights: of the elements;
        nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length 1.
    """
    a = array(a) if dtype is None else array(a).astype(dtype)
    dtype = result_type(a) if weights is None else result_type(a, weights)
    found = _mean_of(floating(a), axis, weights, nan_policy, keepdims, lambda x: 1.0 / x, lambda x: 1.0 / x, dtype)
    return _not_below_zero(a, axis, keepdims, found)


@beside_its_arrays
def pmean(a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False) -> ndarray:
    """The power mean: the p-th root of the mean of p-th powers.

    Parameters: a: the elements; p: the power, a number; axis: along which (None: all); dtype: which is computed in;
        weights: of the elements; nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of
        length 1.
    Errors: ValueError for a power that is no number, NotImplementedError for an infinite one.
    """
    if not isinstance(p, (int, float, numpy.there("number"))):
        raise ValueError("Power mean only implemented for finite p")
    if not math.isfinite(p):
        raise NotImplementedError("Power mean only implemented for finite `p`")
    if p == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    a = array(a) if dtype is None else array(a).astype(dtype)
    dtype = result_type(a) if weights is None else result_type(a, weights)
    found = _mean_of(floating(a), axis, weights, nan_policy, keepdims, lambda x: x ** p, lambda x: x ** (1 / p), dtype)
    return _not_below_zero(a, axis, keepdims, found)
