"""scatter_add, scatter_max and scatter_min: a[slices] op= value where an element may be named more than once.

They are the method `at` of add, maximum and minimum, with a value that is converted to the array's type first, as CuPy
does: the result is that of a loop over the value, to the bit, on every device. Whatever the slices are, they become
the flat indices of the elements, in the order of the value's elements (`places`, which `at` calls too).
"""
import cuprite as cp
from cuprite._beside import beside_its_arrays
from cuprite._support import _own_asarray

__all__ = ["scatter_add", "scatter_max", "scatter_min"]

_RANGE = "index {} is out of bounds for axis {} with size {}"

_UFUNC = {"add": cp.add, "max": cp.maximum, "min": cp.minimum}


def _is_array(x):
    return hasattr(x, "shape") and hasattr(x, "dtype") and x.shape != ()


def _expanded(a, slices):
    """One index an axis, with None between them: an ellipsis and what is left out become whole axes, masks the indices
    of what they select."""
    items = []
    for item in slices if isinstance(slices, tuple) else (slices,):
        if isinstance(item, (list, range)):
            import numpy
            item = numpy.asarray(item)
            item = cp.asarray(item.astype("i8") if not item.size else item)
        elif _is_array(item) and not isinstance(item, cp.ndarray):
            item = _own_asarray(item)
        if isinstance(item, cp.ndarray) and item.dtype == bool and item.ndim:
            _check_mask(a, item, sum(_axes(k) for k in items))
            items += cp.nonzero(item)
        else:
            items.append(item)
    used = sum(map(_axes, items))
    ellipses = sum(item is Ellipsis for item in items)
    if ellipses > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if used > a.ndim:
        raise IndexError(f"too many indices for array: array is {a.ndim}-dimensional, but {used} were indexed")
    if not ellipses:
        items.append(Ellipsis)
    k = next(k for k, item in enumerate(items) if item is Ellipsis)
    return items[:k] + [slice(None)] * (a.ndim - used) + items[k + 1:]


def _axes(item):
    return item is not None and item is not Ellipsis and not _is_truth(item)


def _is_truth(item):
    """A mask without axes: an axis of one element, or of none."""
    return isinstance(item, bool) or (getattr(item, "dtype", None) == bool and item.shape == ())


def _check_mask(a, mask, axis):
    if axis + mask.ndim > a.ndim:
        raise IndexError(f"too many indices for array: array is {a.ndim}-dimensional, but "
                         f"{axis + mask.ndim} were indexed")
    for k, n in enumerate(mask.shape):
        if n != a.shape[axis + k]:
            raise IndexError(f"boolean index did not match indexed array along axis {axis + k}; size of axis is "
                             f"{a.shape[axis + k]} but size of corresponding boolean axis is {n}")


def _whole(item, axis, n):
    """An integer array as one of int64 between 0 and n. What lies outside is an error, unless the stream records its
    work and nothing can be read: then it wraps around."""
    if item.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    wide = item.astype("i8")
    if cp.cuda.get_current_stream().is_capturing():
        return wide % n
    if item.size:
        low, high = int(wide.min()), int(wide.max())
        if low < -n or high >= n:
            raise IndexError(_RANGE.format(high if high >= n else low, axis, n))
    return cp.where(wide < 0, wide + n, wide)


def _number(item, axis, n):
    try:
        i = item.__index__()
    except (AttributeError, TypeError):
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are valid "
                         "indices") from None
    if not -n <= i < n:
        raise IndexError(_RANGE.format(i, axis, n))
    return i + n if i < 0 else i


@beside_its_arrays
def places(a, slices):
    """The flat indices, an int64 array in the shape that a[slices] has."""
    step, axis, parts = a.size, 0, []  # (how many axes of the result, length, indices, an array)
    for item in _expanded(a, slices):
        if item is None:
            parts.append((1, cp.zeros(1, "i8"), False))
            continue
        if _is_truth(item):
            parts.append((1, cp.zeros(int(bool(item)), "i8"), True))
            continue
        n = a.shape[axis]
        step = step // n if n else 0
        if isinstance(item, slice):
            first, last, by = item.indices(n)
            parts.append((1, cp.arange(first, last, by, dtype="i8") * step, False))
        elif _is_array(item):
            parts.append((item.ndim, _whole(item, axis, n) * step, True))
        else:
            parts.append((0, _number(item, axis, n) * step, True))
        axis += 1
    return _joined(parts)


def _joined(parts):
    """The sum of the axes' offsets. Arrays and numbers broadcast to one shape. Its axes stand where the first of them
    does or, where slices lie between them, first."""
    advanced = [k for k, (_, _, together) in enumerate(parts) if together]
    if any(ndim for ndim, _, together in parts if together):
        shape = cp.broadcast_shapes(*(p.shape for ndim, p, together in parts if together and ndim))
    else:
        shape, advanced = (), []
    apart = bool(advanced) and advanced[-1] - advanced[0] + 1 != len(advanced)
    at = 0 if apart or not advanced else sum(not together for _, _, together in parts[:advanced[0]])
    rest = sum(not together for _, _, together in parts)
    total, k = cp.zeros((1,) * (rest + len(shape)), "i8"), 0
    for ndim, p, together in parts:
        if together:
            total = total + (p.reshape(p.shape + (1,) * (rest - at)) if ndim else p)
        else:
            behind = rest - 1 - k + (len(shape) if k < at else 0)
            total = total + p.reshape((-1,) + (1,) * behind)
            k += 1
    return total


def _scatter(op, a, slices, value):
    if not isinstance(a, cp.ndarray):
        raise TypeError(f"scatter_{op}: an array of Cuprite's expected, not {type(a).__name__}")
    if op != "add" and a.dtype == bool:
        raise TypeError(f"scatter_{op}: booleans are not ordered here")
    with cp.cuda.Device._of(a._device):
        v = _own_asarray(value).astype(a.dtype, copy=False)
        if v.ndim > 1 and v.shape[0] == 1:
            v = v.reshape(_without_ones(v.shape, places(a, slices).ndim))
        _UFUNC[op].at(a, slices, v)


def _without_ones(shape, ndim):
    """A shape without axes of one element in front of the last ndim."""
    more = len(shape) - ndim
    if any(n != 1 for n in shape[:more]):
        raise ValueError(f"a value of the shape {shape} does not fit an index of {ndim} dimensions")
    return shape[more:]


def scatter_add(a, slices, value) -> None:
    """a[slices] += value, where an element that is named more than once gets every addend."""
    _scatter("add", a, slices, value)


def scatter_max(a, slices, value) -> None:
    """a[slices] = maximum(a[slices], value), where an element may be named more than once."""
    _scatter("max", a, slices, value)


def scatter_min(a, slices, value) -> None:
    """a[slices] = minimum(a[slices], value), where an element may be named more than once."""
    _scatter("min", a, slices, value)
