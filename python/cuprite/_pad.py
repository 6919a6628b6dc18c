"""cuprite.pad: an array with more elements around it. C operations make the values; this file
computes the regions. Axes are padded one after the other, each including the padding of those before it, so corners are
NumPy's."""
import cuprite
from cuprite import _padding
from cuprite._core import ndarray

__all__ = ["pad"]

_WORDS = {
    "empty": (), "edge": (), "wrap": (), "constant": ("constant_values",), "linear_ramp": ("end_values",),
    "maximum": ("stat_length",), "mean": ("stat_length",), "median": ("stat_length",), "minimum": ("stat_length",),
    "reflect": ("reflect_type",), "symmetric": ("reflect_type",),
}


def _pairs(x, ndim, whole=False):
    """x as (before, behind) for each axis: of one number or of a pair for all, then numbers of NumPy's, or of all of
    them, then Python's: what a number that does not fit becomes is NumPy's."""
    import numpy
    if x is None:
        return ((None, None),) * ndim
    if isinstance(x, ndarray):
        x = x.get()
    x = numpy.array(x)
    if whole:
        x = numpy.round(x).astype(numpy.intp)
        if (x < 0).any():
            raise ValueError("index can't contain negative values")
    elif x.ndim < 3 and (x.size == 1 or x.size == 2 and x.shape != (2, 1)):
        return ((x.ravel()[0], x.ravel()[-1]),) * ndim
    return numpy.broadcast_to(x, (ndim, 2)).tolist()


_PLAIN = frozenset(("constant", "edge", "reflect", "symmetric", "wrap"))  # which C has, where nothing more is said


def _plain_widths(pad_width, ndim):
    """All widths in a row, of an int or of pairs of them; None: it is something else, or wrong."""
    if type(pad_width) is int and -2**63 <= pad_width < 2**63:
        return (pad_width, pad_width) * ndim if pad_width >= 0 else None
    if type(pad_width) not in (tuple, list) or not pad_width or not ndim:
        return None
    pairs = pad_width if type(pad_width[0]) in (tuple, list) else (pad_width,) * ndim
    if len(pairs) == 1 and ndim:
        pairs = pairs * ndim
    widths = []
    for pair in pairs:
        if type(pair) not in (tuple, list) or len(pair) != 2 or type(pair[0]) is not int or type(pair[1]) is not int:
            return None
        widths += pair
    return widths if len(widths) == 2 * ndim and min(widths, default=0) >= 0 else None


def _widths(pad_width, ndim):
    import numpy
    if isinstance(pad_width, dict):
        seen = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            one = isinstance(width, tuple) and len(width) == 2
            if not one and not hasattr(width, "__index__"):
                raise TypeError("`pad_width` must be of integral type.")
            seen[axis] = width if one else (width, width)
        pad_width = seen
    if isinstance(pad_width, ndarray):
        pad_width = pad_width.get()
    pad_width = numpy.asarray(pad_width)
    if pad_width.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    return [tuple(p) for p in _pairs(pad_width, ndim, True)]



class _Axis:
    """What is padded of an axis: `whole`, of which start .. stop are there."""

    def __init__(self, padded, widths, axis):
        later = tuple(slice(before, n - behind) for (before, behind), n in zip(widths[axis + 1:],
                                                                               padded.shape[axis + 1:]))
        self.whole = padded[(slice(None),) * (axis + 1) + later]
        self.axis, (self.before, self.behind) = axis, widths[axis]
        self.size = padded.shape[axis]
        self.start, self.stop = self.before, self.size - self.behind

    def part(self, start, stop):
        return self.whole[(slice(None),) * self.axis + (slice(start, stop),)]

    def fill(self, left, right):
        if self.before:
            self.part(0, self.before)[...] = left
        if self.behind:
            self.part(self.stop, self.size)[...] = right


def _edge(a):
    a.fill(a.part(a.start, a.start + 1), a.part(a.stop - 1, a.stop))


def _ramp(a, ends):
    def samples(end, edge, width):
        return cuprite.linspace(end, cuprite.squeeze(edge, axis=a.axis), width, endpoint=False, dtype=a.whole.dtype,
                                axis=a.axis)
    left = samples(ends[0], a.part(a.start, a.start + 1), a.before)
    right = samples(ends[1], a.part(a.stop - 1, a.stop), a.behind)
    a.fill(left, cuprite.flip(right, a.axis))


def _statistics(a, lengths, function):
    n = a.stop - a.start
    left, right = (n if length is None or length > n else length for length in lengths)
    if (left == 0 or right == 0) and function in (cuprite.max, cuprite.min):
        raise ValueError("stat_length of 0 yields no value for padding")

    def value(start, stop):
        v = function(a.part(start, stop), axis=a.axis, keepdims=True)
        return cuprite.rint(v) if a.whole.dtype.kind in "iu" and v.dtype.kind == "f" else v
    first = value(a.start, a.start + left)
    a.fill(first, first if left == right == n else value(a.stop - right, a.stop))


def _mirror(a, odd, with_edge):
    """Elements in reverse order, step after step outwards, each as long as what was there at first."""
    step = a.stop - a.start - (not with_edge)
    start, stop, axis = a.start, a.stop, a.axis
    while start > 0:
        n = min(step, start)
        first = start + (not with_edge)
        chunk = cuprite.flip(a.part(first, first + n), axis)
        a.part(start - n, start)[...] = 2 * a.part(start, start + 1) - chunk if odd else chunk
        start -= n
    while stop < a.size:
        n = min(step, a.size - stop)
        last = stop - (not with_edge)
        chunk = cuprite.flip(a.part(last - n, last), axis)
        a.part(stop, stop + n)[...] = 2 * a.part(stop - 1, stop) - chunk if odd else chunk
        stop += n


def _wrap(a):
    n = a.stop - a.start
    start, stop = a.start, a.stop
    while start > 0:
        k = min(n, start)
        a.part(start - k, start)[...] = a.part(start + n - k, start + n)
        start -= k
    while stop < a.size:
        k = min(n, a.size - stop)
        a.part(stop, stop + k)[...] = a.part(stop - n, stop - n + k)
        stop += k


def _by_function(padded, widths, function, kwargs):
    """Calls function(vector, widths, axis, kwargs) for each vector of each axis."""
    import numpy
    for axis in range(padded.ndim):
        view = cuprite.moveaxis(padded, axis, -1)
        for place in numpy.ndindex(view.shape[:-1]):
            function(view[place], widths[axis], axis, kwargs)
    return padded


def _check(mode, kwargs):
    if mode not in _WORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    odd = set(kwargs) - set(_WORDS[mode])
    if odd:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {odd}")


def pad(array, pad_width, mode="constant", **kwargs) -> ndarray:
    """The array with pad_width elements before and behind it along each axis: a number, a pair for all axes, a pair
    for each, or a dict of them.

    mode: "constant" (constant_values), "edge", "linear_ramp" (end_values), "maximum", "mean", "median", "minimum"
    (stat_length), "reflect", "symmetric" (reflect_type "even" or "odd"), "wrap", "empty", or a function of a vector,
    its widths, the axis and kwargs, which writes to the vector.

    Parameters: array: an array, a NumPy array, a number or nested lists; pad_width: see above; mode: a word or a
        function.
    Errors: ValueError for an unknown mode, a negative width, an argument that the mode does not have, and an axis
        without elements where elements are needed.

    Example:
        >>> cp.pad(cp.arange(3), 1, constant_values=9)
        array([9, 0, 1, 2, 9])
    """
    array = array if isinstance(array, ndarray) else cuprite.asarray(array)
    if not kwargs and isinstance(mode, str) and mode in _PLAIN:
        widths = _plain_widths(pad_width, array.ndim)
        if widths is not None:
            return _padding.pad(array, widths, mode, 0)
    widths = _widths(pad_width, array.ndim)
    if not callable(mode):
        _check(mode, kwargs)
    shape = tuple(before + n + behind for n, (before, behind) in zip(array.shape, widths))
    order = "F" if array.flags.fnc else "C"
    make = cuprite.zeros if callable(mode) else cuprite.empty
    padded = make(shape, array.dtype, order=order)
    padded[tuple(slice(before, before + n) for n, (before, _) in zip(array.shape, widths))] = array
    if callable(mode):
        return _by_function(padded, widths, mode, kwargs)
    if mode == "empty":
        return padded
    if array.size == 0 and mode != "constant":
        for axis, width in enumerate(widths):
            if array.shape[axis] == 0 and any(width):
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
        return padded
    _fill(padded, array, widths, mode, kwargs)
    return padded


def _fill(padded, array, widths, mode, kwargs):
    ndim = array.ndim
    values = _pairs(kwargs.get("constant_values", kwargs.get("end_values", 0)), ndim)
    lengths = _pairs(kwargs.get("stat_length"), ndim, True)
    functions = {"maximum": cuprite.max, "minimum": cuprite.min, "mean": cuprite.mean, "median": cuprite.median}
    odd = mode in ("reflect", "symmetric") and kwargs.get("reflect_type", "even") == "odd"
    for axis in range(ndim):
        a = _Axis(padded, widths, axis)
        if mode == "constant":
            a.fill(*values[axis])
        elif mode == "edge" or mode == "reflect" and array.shape[axis] == 1:
            _edge(a)
        elif mode == "linear_ramp":
            _ramp(a, values[axis])
        elif mode in functions:
            _statistics(a, lengths[axis], functions[mode])
        elif mode == "wrap":
            _wrap(a)
        else:
            _mirror(a, odd, mode == "symmetric")
