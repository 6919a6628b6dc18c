"""Statistics of values in bins of their places."""
from __future__ import annotations

import builtins
import math
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite._named import NamedTuple
from cuprite.scipy.stats._arrays import array, floating, result_type

_STATISTICS = ("mean", "median", "count", "sum", "std", "min", "max")


class BinnedStatisticResult(NamedTuple):
    """What binned_statistic finds."""

    statistic: ndarray
    bin_edges: ndarray
    binnumber: ndarray


class BinnedStatistic2dResult(NamedTuple):
    """What binned_statistic_2d finds."""

    statistic: ndarray
    x_edge: ndarray
    y_edge: ndarray
    binnumber: ndarray


class BinnedStatisticddResult(NamedTuple):
    """What binned_statistic_dd finds."""

    statistic: ndarray
    bin_edges: list
    binnumber: ndarray


def _edges(x, bins, limits, dtype) -> ndarray:
    """The edges of one dimension's bins, in the places' floating type. Errors: ValueError."""
    if not isinstance(bins, (int, numpy.there("integer"))):
        edges = bins if isinstance(bins, ndarray) else cuprite.asarray(bins, float)
        if bool((cuprite.diff(edges) <= 0).any()):
            raise ValueError("Found bin edge of size <= 0. Did you specify `bins` with non-monotonic sequence?")
        return edges.astype(dtype)
    if limits is None:
        if x.size == 0:
            low, high = 0.0, 1.0
        else:
            low, high = float(x.min()), float(x.max())
    else:
        low, high = limits
        if high < low:
            raise ValueError("In range, start must be <= stop")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"{(low, high)!r} contains non-finite values.")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return cuprite.linspace(low, high, int(bins) + 1, dtype=dtype)


def _number(x, edges) -> ndarray:
    """In which bin each place lies, from 1; the last edge belongs to the last bin."""
    which = cuprite.searchsorted(edges, x, side="right")
    least = cuprite.diff(edges).min()
    if float(least) == 0:
        raise ValueError("The smallest edge difference is numerically 0.")
    decimal = int(-float(cuprite.log10(least))) + 6
    on_edge = (x >= edges[-1]) & (cuprite.around(x, decimal) == cuprite.around(edges[-1], decimal))
    return which - on_edge


def _of_groups(statistic, group, values, size) -> ndarray:
    """The statistic of values by group 0 .. size - 1."""
    counts = cuprite.bincount(group, minlength=size)
    if statistic == "count":
        return counts.astype("float64")
    if statistic == "sum":
        return cuprite.bincount(group, weights=values, minlength=size)
    none = counts == 0
    some = cuprite.where(none, 1, counts)
    if statistic in ("mean", "std"):
        mean = cuprite.bincount(group, weights=values, minlength=size) / some
        if statistic == "mean":
            return cuprite.where(none, cuprite.nan, mean)
        apart = values - mean[group]
        return cuprite.where(none, cuprite.nan, cuprite.sqrt(cuprite.bincount(group, weights=apart * apart,
                                                                            minlength=size) / some))
    order = cuprite.lexsort(cuprite.stack([values, group]))
    ends = cuprite.cumsum(counts)
    y = values[order]
    if y.size == 0:
        return cuprite.full(size, cuprite.nan)
    first = cuprite.clip(ends - counts, 0, y.size - 1)
    if statistic == "min":
        found = y[first]
    elif statistic == "max":
        found = y[cuprite.clip(ends - 1, 0, y.size - 1)]
    else:
        found = (y[cuprite.clip(first + (some - 1) // 2, 0, y.size - 1)]
                 + y[cuprite.clip(first + some // 2, 0, y.size - 1)]) / 2
    missing = cuprite.bincount(group, weights=cuprite.isnan(values).astype("float64"), minlength=size) > 0
    return cuprite.where(none | missing, cuprite.nan, found.astype("float64", copy=False))


def _called(function, group, values, size) -> ndarray:
    """The same of a function of a sample, on the host, one call a bin."""
    group, values = group.get(), values.get()
    empty = cuprite.nan
    try:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            empty = float(function(numpy.array([])))
    except Exception:  # noqa: BLE001: as SciPy has it
        pass
    found = numpy.full(size, empty, complex if type_of(values).kind == "c" else float)
    for i in numpy.unique(group):
        found[i] = function(values[group == i])
    return cuprite.asarray(found)


def _placed(columns, bins, range, dtype):
    """(edges of each dimension, numbers of the places' bins in each, numbers in one)."""
    try:
        if len(bins) != len(columns):
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    except TypeError:
        bins = [bins] * len(columns)
    edges = [_edges(c, b, None if range is None else range[d], dtype)
             for d, (c, b) in enumerate(zip(columns, bins))]
    numbers = [_number(c, e) for c, e in zip(columns, edges)]
    flat = 0
    for number, e in zip(numbers, edges):
        flat = flat * (len(e) + 1) + number
    return edges, numbers, flat


_OF_COMPLEX = ("std", "median", "min", "max")


def _of_bins(statistic, group, values, size) -> ndarray:
    """The statistic, or function, of the values of each group."""
    if type_of(values).kind == "c" and statistic in ("mean", "sum"):
        return _of_groups(statistic, group, values.real, size) + 1j * _of_groups(statistic, group, values.imag, size)
    if type_of(values).kind == "c" and statistic in _OF_COMPLEX:
        found = _called(getattr(numpy, statistic), group, values, size)
        return found.real.copy() if statistic == "std" else found
    return (_called if callable(statistic) else _of_groups)(statistic, group, values, size)


@beside_its_arrays
def binned_statistic_dd(sample, values, statistic="mean", bins=10, range=None, expand_binnumbers=False,
                        binned_statistic_result=None) -> BinnedStatisticddResult:
    """A statistic of the values in each bin of places of several dimensions.

    Parameters: sample: places (n, dimensions), or a list of coordinates; values: one for each, or a list of such;
        statistic: 'mean', 'median', 'count', 'sum', 'std', 'min', 'max', or a function of NumPy's arrays; bins: how
        many, one for all dimensions or a list of these or of edges; range: (low, high) of each dimension;
        expand_binnumbers: whether bins are numbered by dimension; binned_statistic_result: an earlier result for the
        same places, whose bins and numbers are taken.
    Errors: ValueError for an unknown statistic, edges that do not ascend, places that are not finite; AttributeError
        for lengths that differ.
    """
    if not callable(statistic) and statistic not in _STATISTICS:
        raise ValueError(f"invalid statistic {statistic!r}")
    dtype = result_type(*sample) if isinstance(sample, (list, tuple)) else result_type(sample)
    if isinstance(sample, (list, tuple)):
        columns = [floating(v).reshape(-1) for v in sample]
    else:
        sample = floating(sample)
        columns = [sample] if sample.ndim == 1 else [sample[:, d] for d in builtins.range(sample.shape[1])]
    ndim, n = len(columns), columns[0].size
    values = floating(values) if not isinstance(values, (list, tuple)) or not any(
        isinstance(v, ndarray) for v in values) else cuprite.stack([floating(v) for v in values])
    rows = values.reshape(1, n) if values.ndim == 1 and values.size == n else values
    if rows.ndim != 2 or rows.shape[1] != n:
        raise AttributeError("The number of `values` elements must match the length of each `sample` dimension.")
    if not all(bool(cuprite.isfinite(c).all()) for c in columns):
        raise ValueError(f"{sample!r} contains non-finite values.")
    if binned_statistic_result is not None:
        edges = list(map(array, binned_statistic_result.bin_edges))
        flat = array(binned_statistic_result.binnumber)
        numbers = None
    else:
        edges, numbers, flat = _placed(columns, bins, range, dtype)
    sides = [len(e) + 1 for e in edges]
    size = math.prod(sides)
    found = cuprite.stack([_of_bins(statistic, flat, row, size) for row in rows])
    inner = (slice(None),) + (slice(1, -1),) * ndim
    found = found.reshape([rows.shape[0]] + sides)[inner]
    found = found.reshape(values.shape[:-1] + found.shape[1:])
    if expand_binnumbers and ndim > 1:
        flat = cuprite.stack(cuprite.unravel_index(flat, sides) if numbers is None else numbers)
    return BinnedStatisticddResult(found, edges, flat)


@beside_its_arrays
def binned_statistic(x, values, statistic="mean", bins=10, range=None) -> BinnedStatisticResult:
    """A statistic of the values in each bin.

    Parameters: x: places; values: one for each, or a list of such; statistic: 'mean', 'median', 'count', 'sum', 'std',
        'min', 'max', or a function of NumPy's arrays; bins: how many, or edges; range: (low, high).
    Errors: ValueError for an unknown statistic, edges that do not ascend, places that are not finite; AttributeError
        for lengths that differ.

    Example:
        >>> cp.scipy.stats.binned_statistic(cp.asarray([0.0, 1, 2, 3]), cp.asarray([1.0, 2, 3, 5]), bins=2)[0]
        array([1.5, 4. ])
    """
    bins = [bins] if not isinstance(bins, (int, numpy.there("integer"))) else bins
    if range is not None and numpy.ndim(range) == 1:
        range = [range]
    found = binned_statistic_dd([array(x)], values, statistic, bins, range)
    return BinnedStatisticResult(found.statistic, found.bin_edges[0], found.binnumber)


@beside_its_arrays
def binned_statistic_2d(x, y, values, statistic="mean", bins=10, range=None,
                        expand_binnumbers=False) -> BinnedStatistic2dResult:
    """A statistic of the values in each bin of two dimensions.

    Parameters: x: first coordinates; y: second ones; values: one for each, or a list of such; statistic: 'mean',
        'median', 'count', 'sum', 'std', 'min', 'max', or a function of NumPy's arrays; bins: how many, one or two, or
        edges; range: (low, high) of both; expand_binnumbers: whether bins are numbered by dimension.
    Errors: ValueError for an unknown statistic, edges that do not ascend, places that are not finite; AttributeError
        for lengths that differ.
    """
    if not isinstance(bins, (int, numpy.there("integer"))) and len(bins) not in (1, 2):
        bins = [bins, bins]
    found = binned_statistic_dd([array(x), array(y)], values, statistic, bins, range, expand_binnumbers)
    return BinnedStatistic2dResult(found.statistic, *found.bin_edges, found.binnumber)
