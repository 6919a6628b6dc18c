"""Ranks, modes, quantiles and trimmed samples."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite._named import NamedTuple
from cuprite.scipy.stats._arrays import Slices, array, by_slices, known, nan_where, on_last, result_type


def _groups(y):
    """For sorted y along the last axis the first and the last position of each element's equals."""
    n = y.shape[-1]
    index = cuprite.broadcast_to(cuprite.arange(n), y.shape)
    new = cuprite.ones(y.shape, bool)
    new[..., 1:] = y[..., 1:] != y[..., :-1]
    first = cuprite.maximum.accumulate(cuprite.where(new, index, 0), axis=-1)
    ends = cuprite.ones(y.shape, bool)
    ends[..., :-1] = new[..., 1:]
    last = cuprite.minimum.accumulate(cuprite.where(ends, index, n)[..., ::-1], axis=-1)[..., ::-1]
    return new, first, last


@beside_its_arrays
def rankdata(a, method="average", *, axis=None, nan_policy="propagate") -> ndarray:
    """The ranks of elements, from 1.

    Parameters: a: the elements; method: of equal ones: 'average', 'min', 'max', 'dense' or 'ordinal'; axis: along which
        (None: all, as one dimension); nan_policy: 'propagate', 'raise' or 'omit'.
    Errors: ValueError for another method, and NaN where that is refused; AxisError for a number that has no axis.

    Example:
        >>> cp.scipy.stats.rankdata(cp.asarray([10, 30, 20, 20]))
        array([1. , 4. , 2.5, 2.5])
    """
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise ValueError(f"unknown method '{method}'")
    a = array(a)
    shape = (a.size,) if axis is None else a.shape
    axis = 0 if axis is None else axis
    if a.size == 0:
        return cuprite.zeros(shape, "float64" if method == "average" else "int64")
    if not shape:
        raise cuprite.exceptions.AxisError(axis, 0)
    x, _ = on_last(a.reshape(shape), axis)
    mask = known(x, nan_policy)
    order = cuprite.argsort(x, axis=-1, kind="stable")
    new, first, last = _groups(cuprite.take_along_axis(x, order, -1))
    if method == "ordinal":
        ranks = cuprite.broadcast_to(cuprite.arange(1, x.shape[-1] + 1), x.shape)
    elif method == "dense":
        ranks = cuprite.cumsum(new, axis=-1)
    elif method == "average":
        ranks = (first + last) / 2 + 1
    else:
        ranks = (first if method == "min" else last) + 1
    ranks = cuprite.take_along_axis(ranks, cuprite.argsort(order, axis=-1), -1)
    if type_of(a).kind == "f":
        missing = cuprite.isnan(x)
        lost = missing if mask is not None else missing.any(axis=-1, keepdims=True)
        ranks = cuprite.where(lost, cuprite.nan, ranks.astype("float64"))
        if not bool(lost.any()) and method != "average":
            ranks = ranks.astype("int64")
    return cuprite.moveaxis(ranks, -1, axis)


class ModeResult(NamedTuple):
    """What mode finds."""

    mode: ndarray
    count: ndarray


@beside_its_arrays
def mode(a, axis=0, nan_policy="propagate", keepdims=False) -> ModeResult:
    """The most frequent element, the least of several, and how often it is there.

    Parameters: a: the elements; axis: along which (None: all); nan_policy: 'propagate', 'raise' or 'omit'; keepdims:
        whether the axis stays, of length 1.
    """
    a = array(a)
    x, kept = on_last(a, axis)
    mask = known(x, nan_policy)
    if x.size == 0:
        shape = kept if keepdims else x.shape[:-1]
        return ModeResult(cuprite.full(shape, cuprite.nan, result_type(a)), cuprite.zeros(shape, result_type(a)))
    y = cuprite.sort(x, axis=-1)
    _, first, last = _groups(y)
    counts = last - first + 1
    if type_of(a).kind == "f":  # NaN is a value like others unless it is omitted
        missing = cuprite.isnan(y)
        counts = cuprite.where(missing, missing.sum(axis=-1, keepdims=True) if mask is None else 0, counts)
    at = counts.argmax(axis=-1)[..., None]
    value, count = (cuprite.take_along_axis(v, at, -1)[..., 0] for v in (y, counts))
    if mask is not None and x.ndim > 1:  # as SciPy: of several slices
        count = count.astype("float64")
    if keepdims:
        value, count = value.reshape(kept), count.reshape(kept)
    return ModeResult(value, count)


@beside_its_arrays
def iqr(x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear",
        keepdims=False) -> ndarray:
    """The range between two percentiles.

    Parameters: x: the elements; axis: along which (None: all); rng: the percentiles; scale: a divisor, or 'normal';
        nan_policy: 'propagate', 'raise' or 'omit'; interpolation: of quantiles; keepdims: whether the axis stays, of
        length 1.
    Errors: ValueError for another scale, percentiles beyond 0 to 100, NaN where that is refused; TypeError for other
        than two percentiles.
    """
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} not a valid scale for `iqr`")
        scale = 1.3489795003921634
    if len(rng) != 2:
        raise TypeError("`rng` must be a two element sequence.")
    if any(v != v for v in rng):
        raise ValueError("`rng` must not contain NaNs.")
    low, high = sorted(rng)
    if low < 0 or high > 100:
        raise ValueError("Elements of `rng` must be in the range [0, 100].")
    if type_of(array(x)).kind == "c":
        raise ValueError("iqr: quantiles are of real numbers")
    s = Slices(x, axis, nan_policy)
    if s.x.shape[-1] == 0:
        return s.result(cuprite.full(s.x.shape[:-1], cuprite.nan, s.dtype), keepdims)
    of = cuprite.percentile if s.mask is None else cuprite.nanpercentile
    q = of(s.x, cuprite.asarray([low, high]), axis=-1, method=interpolation)
    return s.result((q[1] - q[0]) / scale, keepdims)


@beside_its_arrays
def median_abs_deviation(x, axis=0, center=None, scale=1.0, nan_policy="propagate", *, keepdims=False) -> ndarray:
    """The median of absolute distances from the median.

    Parameters: x: the elements; axis: along which (None: all); center: None: the median, or a function of an array and
        its axis; scale: a divisor, or 'normal'; nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis
        stays, of length 1.
    Errors: ValueError for another scale; TypeError for a centre that is no function.
    """
    if center is not None and not callable(center):
        raise TypeError(f"The argument 'center' must be callable. The given value {center!r} is not callable.")
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} is not a valid scale value.")
        scale = 0.6744897501960817
    s = Slices(x, axis, nan_policy)
    if center is not None and s.mask is not None:
        return by_slices(lambda v: (median_abs_deviation(v, 0, center, scale),), [array(x)], axis, keepdims, 1)[0]
    of = cuprite.median if s.mask is None else cuprite.nanmedian
    middle = (center or of)(s.x, axis=-1)
    return s.result(of(abs(s.x - middle[..., None]), axis=-1) / scale, keepdims)


# --- trimmed samples ---

def _cut(n, proportion, none=False):
    if not 0 <= proportion:
        raise ValueError("proportiontocut must be at least 0")
    low = int(proportion * n)
    if low > n - low or low == n - low and not none:
        raise ValueError("Proportion too big.")
    return low


@beside_its_arrays
def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False) -> ndarray:
    """The mean without a part of the least and of the largest elements.

    Parameters: a: the elements; proportiontocut: the part on each side; axis: along which (None: all); nan_policy:
        'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length 1.
    Errors: ValueError for a part of more than a half, and NaN where that is refused.

    Example:
        >>> cp.scipy.stats.trim_mean(cp.asarray([1.0, 2, 3, 100]), 0.25)
        array(2.5)
    """
    s = Slices(a, axis, nan_policy)
    if s.dtype == "float16":
        s.x = s.x.astype("float16")  # NumPy adds in float32
    if s.mask is not None:
        return by_slices(lambda v: (trim_mean(v, proportiontocut),), [array(a)], axis, keepdims, 1)[0]
    n = s.x.shape[-1]
    if n == 0:
        return s.result(cuprite.full(s.x.shape[:-1], cuprite.nan, s.dtype), keepdims)
    low = _cut(n, proportiontocut, True)
    if 2 * low == n:
        return s.result(cuprite.full(s.x.shape[:-1], cuprite.nan, s.dtype), keepdims)
    found = cuprite.partition(s.x, (low, n - low - 1), axis=-1)[..., low:n - low].mean(axis=-1)
    if type_of(s.x).kind == "f":
        found = cuprite.where(cuprite.isnan(s.x).any(axis=-1), cuprite.nan, found).astype(type_of(found), copy=False)
    return s.result(found, keepdims)


@beside_its_arrays
def trimboth(a, proportiontocut, axis=0) -> ndarray:
    """The elements without a part of the least and of the largest, in no order.

    Parameters: a: the elements; proportiontocut: the part on each side; axis: along which (None: all, as one
        dimension).
    Errors: ValueError for a part of a half or more.
    """
    a = array(a)
    if a.size == 0:
        return a
    a, axis = (a.reshape(a.size), 0) if axis is None else (a, axis)
    n = a.shape[axis]
    low = _cut(n, proportiontocut)
    moved = cuprite.moveaxis(cuprite.partition(a, (low, n - low - 1), axis=axis), axis, 0)
    return cuprite.moveaxis(moved[low:n - low], 0, axis)


@beside_its_arrays
def trim1(a, proportiontocut, tail="right", axis=0) -> ndarray:
    """The elements without a part of one side, in no order.

    Parameters: a: the elements; proportiontocut: the part; tail: 'left' or 'right'; axis: along which (None: all, as
        one dimension).
    """
    a = array(a)
    a, axis = (a.reshape(a.size), 0) if axis is None else (a, axis)
    n = a.shape[axis]
    if proportiontocut >= 1:
        return a[:0]
    low, high = (0, n - int(proportiontocut * n)) if tail.lower() == "right" else (int(proportiontocut * n), n)
    moved = cuprite.moveaxis(cuprite.partition(a, (low, high - 1), axis=axis), axis, 0)
    return cuprite.moveaxis(moved[low:high], 0, axis)


def _limited(a, limits, inclusive, axis, nan_policy):
    """Slices of what lies within limits; None where NaN has to be left out of each of them."""
    s = Slices(a, axis, nan_policy)
    if s.mask is not None:
        return None
    if limits is not None:
        low, high = limits
        mask = cuprite.ones(s.x.shape, bool)
        if low is not None:
            mask &= s.x >= low if inclusive[0] else s.x > low
        if high is not None:
            mask &= s.x <= high if inclusive[1] else s.x < high
        if mask.size and not bool(mask.any()) and not bool(cuprite.isnan(s.x).any()):
            raise ValueError("No array values within given limits")
        s.mask, s.n = mask, mask.sum(axis=-1)
    return s


def _limited_result(s, found, ddof=0, keepdims=False):
    """The result of what lies within limits: NaN where NaN is at all, and where no more than ddof elements are."""
    if type_of(s.x).kind == "f" and s.mask is not None:
        found = nan_where(cuprite.isnan(s.x).any(axis=-1), found)
    return s.result(s.positive(found, ddof), keepdims)


@beside_its_arrays
def tmean(a, limits=None, inclusive=(True, True), axis=None, *, nan_policy="propagate",
          keepdims=False) -> ndarray:
    """The mean of what lies within limits.

    Parameters: a: the elements; limits: (low, high), each None for none; inclusive: whether the limits are in it; axis:
        along which (None: all); nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length
        1.
    Errors: ValueError where nothing is, and NaN where that is refused.
    """
    s = _limited(a, limits, inclusive, axis, nan_policy)
    if s is None:
        return by_slices(lambda v: (tmean(v, limits, inclusive),), [array(a)], axis, keepdims, 1)[0]
    return _limited_result(s, s.mean(), keepdims=keepdims)


def _limited_variance(s, ddof):
    """Of complex numbers that of absolute distances, as a complex number."""
    return s.spread(ddof).astype(type_of(s.x), copy=False) if type_of(s.x).kind == "c" else s.variance(ddof)


@beside_its_arrays
def tvar(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate",
         keepdims=False) -> ndarray:
    """The variance of what lies within limits.

    Parameters: a: the elements; limits: (low, high), each None for none; inclusive: whether the limits are in it; axis:
        along which (None: all); ddof: of the variance; nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether
        the axis stays, of length 1.
    Errors: ValueError where nothing is, and NaN where that is refused.
    """
    s = _limited(a, limits, inclusive, axis, nan_policy)
    if s is None:
        return by_slices(lambda v: (tvar(v, limits, inclusive, 0, ddof),), [array(a)], axis, keepdims, 1)[0]
    return _limited_result(s, _limited_variance(s, ddof), ddof, keepdims)


@beside_its_arrays
def tstd(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate",
         keepdims=False) -> ndarray:
    """The standard deviation of what lies within limits.

    Parameters: a: the elements; limits: (low, high), each None for none; inclusive: whether the limits are in it; axis:
        along which (None: all); ddof: of the variance; nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether
        the axis stays, of length 1.
    Errors: ValueError where nothing is, and NaN where that is refused.
    """
    return cuprite.sqrt(tvar(a, limits, inclusive, axis, ddof, nan_policy=nan_policy, keepdims=keepdims))


@beside_its_arrays
def tsem(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate",
         keepdims=False) -> ndarray:
    """The standard error of the mean of what lies within limits.

    Parameters: a: the elements; limits: (low, high), each None for none; inclusive: whether the limits are in it; axis:
        along which (None: all); ddof: of the variance; nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether
        the axis stays, of length 1.
    Errors: ValueError where nothing is, and NaN where that is refused.
    """
    s = _limited(a, limits, inclusive, axis, nan_policy)
    if s is None:
        return by_slices(lambda v: (tsem(v, limits, inclusive, 0, ddof),), [array(a)], axis, keepdims, 1)[0]
    if not s.x.shape[-1]:
        return s.result(s.mean(), keepdims)
    return _limited_result(s, cuprite.sqrt(_limited_variance(s, ddof) / s.n), ddof, keepdims)


def _whole_extreme(s, x, limit, axis, inclusive, least):
    """The extreme of integers as integers, which float64 does not hold; None where a slice has none."""
    x = x.reshape(-1) if axis is None else cuprite.moveaxis(x, axis, -1)
    keep = cuprite.ones(x.shape, bool)
    if limit is not None:
        keep = (x >= limit if inclusive else x > limit) if least else (x <= limit if inclusive else x < limit)
    if not bool(keep.any(axis=-1).all()):
        return None
    ends = numpy.iinfo(type_of(x))
    if least:
        return s.result(cuprite.where(keep, x, x.dtype.type(ends.max)).min(axis=-1))
    return s.result(cuprite.where(keep, x, x.dtype.type(ends.min)).max(axis=-1))


def _extreme(a, limit, axis, inclusive, nan_policy, sign, keepdims) -> ndarray:
    found, kept = _extremes(a, limit, axis, inclusive, nan_policy, sign)
    return found.reshape(kept) if keepdims else found


def _extremes(a, limit, axis, inclusive, nan_policy, sign):
    s = Slices(a, axis, nan_policy)
    if type_of(array(a)).kind in "iu" and type_of(array(a)).itemsize == 8 and s.x.shape[-1]:
        found = _whole_extreme(s, array(a), limit, axis, inclusive, sign > 0)
        if found is not None:
            return found, s.kept
    x = sign * s.x
    if x.shape[-1] == 0:
        return s.result(s.mean()), s.kept
    keep = cuprite.ones(x.shape, bool) if s.mask is None else s.mask
    if limit is not None:
        keep = keep & (x >= sign * limit if inclusive else x > sign * limit)
    found = sign * cuprite.where(keep, x, cuprite.inf).min(axis=-1)
    some = keep.any(axis=-1)
    lost = cuprite.isnan(x).any(axis=-1) if s.mask is None else ~some
    if some.size and not bool((some | lost).any()):
        raise ValueError("No array values within given limits")
    found = cuprite.where(some, found, cuprite.nan)
    if s.mask is None:
        found = cuprite.where(lost, cuprite.nan, found)
    whole = type_of(array(a))
    if whole.kind == "f" or whole.kind in "biu" and bool(some.all()):
        found = found.astype(whole)
    return found, s.kept


@beside_its_arrays
def tmin(a, lowerlimit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False) -> ndarray:
    """The least element that is not below a limit.

    Parameters: a: the elements; lowerlimit: the limit; axis: along which (None: all); inclusive: whether the limit is
        in it; nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length 1.
    Errors: ValueError where there is none.
    """
    return _extreme(a, lowerlimit, axis, inclusive, nan_policy, 1, keepdims)


@beside_its_arrays
def tmax(a, upperlimit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False) -> ndarray:
    """The largest element that is not above a limit.

    Parameters: a: the elements; upperlimit: the limit; axis: along which (None: all); inclusive: whether the limit is
        in it; nan_policy: 'propagate', 'raise' or 'omit'; keepdims: whether the axis stays, of length 1.
    Errors: ValueError where there is none.
    """
    return _extreme(a, upperlimit, axis, inclusive, nan_policy, -1, keepdims)
