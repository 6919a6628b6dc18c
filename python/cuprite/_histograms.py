"""Histograms as NumPy's functions take them: numbers of bins by rules, in two dimensions and more. The counting is C's
(cuprite._statistics.histogram, cuprite.digitize, cuprite.bincount)."""
import math
import operator
import warnings

import cuprite
from cuprite._beside import beside_its_arrays
from cuprite import _statistics
from cuprite._core import ndarray
from cuprite._support import _own_array, _own_asarray

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def _flat(a, weights):
    """Elements and weights of one shape, flattened; of truth values their numbers, which NumPy warns of."""
    a = a if isinstance(a, ndarray) else cuprite.asarray(a)
    if a.dtype.kind == "b":
        warnings.warn("Converting input from bool to uint8 for compatibility.", RuntimeWarning, stacklevel=3)
        a = a.astype("uint8")
    if weights is not None:
        weights = weights if isinstance(weights, ndarray) else cuprite.asarray(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    return a.ravel(), weights


def _ends(a, range):
    """First and last edge, as Python's numbers."""
    if range is not None:
        first, last = range
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (math.isfinite(first) and math.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = a.min().item(), a.max().item()
        if not (math.isfinite(first) and math.isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


# --- widths of bins by rule, of elements that lie in the range: in the type and steps in which NumPy rounds them ---

def _number(x):
    """A 0-d array as a number of its type, which Python's numbers beside it take; integers as Python's."""
    return x.get()[()] if x.dtype.kind == "f" else x.item()


def _wide(width):
    """A number of float64, which float32 beside it becomes too; beside Python's the quotient would be float32's."""
    import numpy
    return numpy.float64(width)


def _spread(x):
    return _number(x.max()) - _number(x.min())


def _stone(x, ends):
    n, spread = x.size, _spread(x)
    if n <= 1 or spread == 0:
        return 0
    most = max(100, int(math.sqrt(n)))

    def loss(bins):
        share = _count(x, bins, ends, None, None)[0] / n
        return (2 - (n + 1) * cuprite.dot(share, share).item()) / float(spread / bins)
    bins = min(range(1, most + 1), key=loss)
    if bins == most:
        warnings.warn("The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=4)
    return spread / bins


def _doane(x, ends):
    n = x.size
    sigma = x.std().item()
    if n <= 2 or not sigma > 0:
        return 0.0
    skewness = (((x - x.mean()) / sigma) ** 3).mean().item()
    usual = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return float(_spread(x)) / (1.0 + math.log2(n) + math.log2(1.0 + abs(skewness) / usual))


def _quartiles(x, ends):
    high, low = cuprite.percentile(x, [75, 25]).get()
    return 2.0 * (high - low) * x.size ** (-1.0 / 3.0)


def _sqrt(x, ends):
    return _wide(float(_spread(x)) / math.sqrt(x.size))


def _sturges(x, ends):
    return _wide(float(_spread(x)) / (math.log2(x.size) + 1.0))


_RULES = {
    "sqrt": _sqrt, "sturges": _sturges, "stone": _stone, "doane": _doane, "fd": _quartiles,
    "rice": lambda x, ends: _spread(x) / (2.0 * x.size ** (1.0 / 3)),
    "scott": lambda x, ends: (24.0 * math.pi**0.5 / x.size) ** (1.0 / 3.0) * _number(x.std()),
    "auto": lambda x, ends: min(max(_quartiles(x, ends), _sqrt(x, ends) / 2), _sturges(x, ends)),
}


def _by_rule(a, rule, range, weights):
    """The number of bins."""
    if rule not in _RULES:
        raise ValueError(f"{rule!r} is not a valid estimator for `bins`")
    if weights is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    first, last = _ends(a, range)
    if range is not None:
        a = a[(a >= first) & (a <= last)]
    if a.size == 0:
        return 1
    width = _RULES[rule](a, (first, last))
    if range is None and a.dtype.kind == "f":
        first, last = (type(_number(a[0]))(v) for v in (first, last))
    else:
        width = float(width)
    if width and a.dtype.kind in "iu" and width < 1:
        width = 1
    return int(math.ceil((last - first) / width)) if width else 1


def _whole(bins):
    try:
        return operator.index(bins)
    except TypeError as e:
        raise TypeError("`bins` must be an integer, a string, or an array") from e


def _count(a, bins, range, density, weights):
    """(counts, edges) of flat elements."""
    if isinstance(bins, str):
        bins = _by_rule(a, bins, range, weights)
    elif isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0):
        return _statistics.histogram(a, edges=bins, density=bool(density), weights=weights)
    low, high = (None, None) if range is None else range
    return _statistics.histogram(a, _whole(bins), low=low, high=high, density=bool(density), weights=weights)


@beside_its_arrays
def histogram(a, bins=10, range=None, density=None, weights=None) -> "tuple[ndarray, ndarray]":
    """How many elements lie in each bin: (counts, edges).

    Parameters: a: an array; bins: their number, a rule for it ("auto", "fd", "doane", "scott", "stone", "rice",
        "sturges", "sqrt"), or the edges; range: (lower, upper) (None: the least and the greatest element); density:
        True: shares by width; weights: an array whose sums take the place of counts.

    Example:
        >>> cp.histogram(cp.asarray([0.0, 1.0, 1.0, 4.0]), bins=2)
        (array([3, 1]), array([0., 2., 4.]))
    """
    a, weights = _flat(a, weights)
    return _count(a, bins, range, density, weights)


@beside_its_arrays
def histogram_bin_edges(a, bins=10, range=None, weights=None) -> ndarray:
    """The edges that histogram would use.

    Parameters: a: an array; bins: a number, edges, or one of NumPy's words; range: (least, greatest), or None;
        weights: an array, or None.
    Errors: ValueError for edges that do not ascend, and an unknown word."""
    a, weights = _flat(a, weights)
    if isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0) == 1:
        edges = bins if isinstance(bins, ndarray) else cuprite.asarray(bins)
        if (edges[:-1] > edges[1:]).any():
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if isinstance(bins, str):
        bins = _by_rule(a, bins, range, weights)
    low, high = (None, None) if range is None else range
    return _statistics.histogram_bin_edges(a, _whole(bins), low, high)


def _edges_of(x, bins, range, place):
    """Edges of one dimension."""
    if isinstance(bins, (list, tuple)):
        bins = _own_asarray(bins)
    if getattr(bins, "ndim", 0) == 0:
        if bins < 1:
            raise ValueError(f"`bins[{place}]` must be positive, when an integer")
        first, last = _ends(x, range)
        try:
            n = operator.index(bins)
        except TypeError as e:
            raise TypeError(f"`bins[{place}]` must be an integer, when a scalar") from e
        if range is None and x.size and x.dtype.itemsize < 8 and x.dtype.kind not in "biu":
            first, last = (_own_asarray(v, dtype=x.dtype) for v in (first, last))  # edges of the coordinates' type
        return cuprite.linspace(first, last, n + 1)
    if bins.ndim != 1:
        raise ValueError(f"`bins[{place}]` must be a scalar or 1d array")
    if (bins[:-1] > bins[1:]).any():
        raise ValueError(f"`bins[{place}]` must be monotonically increasing, when an array")
    return bins


@beside_its_arrays
def histogramdd(sample, bins=10, range=None, density=None, weights=None) -> "tuple[ndarray, list[ndarray]]":
    """How many points lie in each cell of a grid: (counts of float64, a list of each dimension's edges).

    sample: (points, dimensions), or a sequence of coordinates. bins: a number, or for each dimension a number or
    edges.

    Parameters: sample: see above; bins: see above; range: a pair a dimension, or None; density: True: densities in
        place of counts; weights: what each point counts, or None.
    Errors: ValueError for bins or ranges of another number than the dimensions, and edges that do not ascend."""
    if not (isinstance(sample, ndarray) and sample.ndim == 2):
        if isinstance(sample, ndarray):
            sample = cuprite.atleast_2d(sample).T
        else:
            sample = cuprite.atleast_2d(_own_array([_own_asarray(c) for c in sample])).T
    _, dimensions = sample.shape
    try:
        if len(bins) != dimensions:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    except TypeError:
        bins = dimensions * [bins]
    if range is None:
        range = (None,) * dimensions
    elif len(range) != dimensions:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges_of(sample[:, i], bins[i], range[i], i) for i in _range(dimensions)]
    counts = _statistics.histogramdd(sample, edges, bool(density), weights)
    return counts, edges


_range = range  # the arguments of that name are NumPy's


@beside_its_arrays
def histogram2d(x, y, bins=10, range=None, density=None, weights=None) -> "tuple[ndarray, ndarray, ndarray]":
    """How many points (x, y) lie in each cell: (counts, edges of x, edges of y).

    bins: a number, edges for both, or for each a number or edges.

    Parameters: x: a 1-d array; y: a 1-d array as long; bins: see above; range: [[xmin, xmax], [ymin, ymax]], or
        None: that of the points; density: True: densities in place of counts; weights: what each point counts, or
        None.
    Errors: ValueError for different lengths, and edges that do not ascend.

    Example:
        >>> cp.histogram2d(cp.asarray([0.0, 1.0]), cp.asarray([0.0, 1.0]), bins=2)[0]
        array([[1., 0.],
               [0., 1.]])
    """
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    try:
        both = len(bins)
    except TypeError:
        both = 1
    if both not in (1, 2):
        edges = _own_asarray(bins)
        bins = [edges, edges]
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]
