"""Functions on shapes that are put together from the extension's: meshgrid, atleast_2d, eye, ..."""
from cuprite import _core
from cuprite._core import asarray, broadcast_to, ndarray, zeros

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "meshgrid", "eye",
    "identity", "shape", "ndim", "size", "isscalar", "result_type",
    "array_str", "array_repr", "array2string", "may_share_memory", "iscomplexobj", "isrealobj",
    "unique_values", "unique_counts", "unique_inverse", "unique_all",
]


def _need(x):
    if not isinstance(x, ndarray):
        raise TypeError(f"Unsupported type {type(x)}")
    return x


def _or_number(x):
    """An array, or a number as one: what NumPy and CuPy take where lists are refused."""
    import numbers
    return asarray(x) if isinstance(x, numbers.Number) else _need(x)


def _each(arrays, f):
    results = [f(_or_number(x)) for x in arrays]
    return results[0] if len(results) == 1 else tuple(results)


def atleast_1d(*arys):
    """Arrays with at least one axis: views."""
    return _each(arys, lambda x: x.reshape(1) if x.ndim == 0 else x)


def atleast_2d(*arys):
    """Arrays with at least two axes, new ones in front: views."""
    return _each(arys, lambda x: x.reshape((1,) * (2 - x.ndim) + x.shape) if x.ndim < 2 else x)


def atleast_3d(*arys):
    """Arrays with at least three axes as NumPy places them: views."""
    def three(x):
        if x.ndim == 0:
            return x.reshape(1, 1, 1)
        if x.ndim == 1:
            return x[None, :, None]
        return x[:, :, None] if x.ndim == 2 else x
    return _each(arys, three)


def _broadcast_shape(shapes):
    n = max((len(s) for s in shapes), default=0)
    result = [1] * n
    for s in shapes:
        for i, extent in enumerate(s, n - len(s)):
            if extent != 1:
                if result[i] not in (1, extent):
                    raise ValueError("shape mismatch: objects cannot be broadcast to a single shape: "
                                     + " ".join(str(tuple(t)) for t in shapes))
                result[i] = extent
    return tuple(result)


def broadcast_arrays(*args):
    """The arrays as views of their common shape."""
    args = [_or_number(x) for x in args]
    to = _broadcast_shape([x.shape for x in args])
    return tuple(x if x.shape == to else broadcast_to(x, to) for x in args)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays of a grid: one an input, all of the grid's shape (or broadcasting to it with `sparse`)."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    n = len(xi)
    grid = []
    for i, x in enumerate(xi):
        x = _or_number(x).reshape(-1)
        place = 1 - i if indexing == "xy" and n > 1 and i < 2 else i
        grid.append(x.reshape((1,) * place + (-1,) + (1,) * (n - 1 - place)))
    if not sparse:
        grid = broadcast_arrays(*grid)
    return tuple(x.copy() for x in grid) if copy else tuple(grid)


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None):
    """Ones on the k-th diagonal of a 2-d array of zeros."""
    x = zeros((N, N if M is None else M), dtype, order, device=device)
    if -N < k < x.shape[1]:
        x.diagonal(k)[...] = 1
    return x


def identity(n, dtype=float):
    """The n by n identity matrix."""
    return eye(n, dtype=dtype)


def shape(a):
    """The extents of an array, or of what NumPy makes one of."""
    if isinstance(a, ndarray):
        return a.shape
    import numpy
    return numpy.shape(a)


def ndim(a):
    """The number of axes."""
    return len(shape(a))


def size(a, axis=None):
    """The number of elements, or the extent of one axis."""
    s = shape(a)
    if axis is not None:
        return s[axis]
    n = 1
    for extent in s:
        n *= extent
    return n


def isscalar(element):
    """Whether it is a number (or string) rather than an array."""
    import numpy
    return numpy.isscalar(element)


def result_type(*arrays_and_dtypes):
    """The dtype that promotion gives; Python's numbers are weak."""
    import numpy
    args = [a.dtype if isinstance(a, (ndarray, numpy.ndarray, numpy.generic)) else a for a in arrays_and_dtypes]
    if not any(_is_bfloat16(a) for a in args):
        return numpy.result_type(*args)
    numbers = (bool, int, float, complex)              # weak; NumPy knows no promotion of bfloat16 (ml_dtypes' or ours)
    dtypes = [a for a in args if type(a) not in numbers]
    if any(type(a) is complex for a in args):
        dtypes.append("complex64")
    result = dtypes[0]
    for d in dtypes[1:]:
        result = _core.promote_types(result, d)
    return _core.promote_types(result, result)


def _is_bfloat16(d):
    """Whether this is a dtype, type or name that stands for bfloat16."""
    name = getattr(d, "name", None) or getattr(d, "__name__", None) or d
    return isinstance(name, str) and name == "bfloat16"


def array_str(a, *args, **kwargs):
    """numpy.array_str of the elements."""
    import numpy
    return numpy.array_str(_core.asnumpy(a), *args, **kwargs)


def array_repr(a, *args, **kwargs):
    """numpy.array_repr of the elements."""
    import numpy
    return numpy.array_repr(_core.asnumpy(a), *args, **kwargs)


def array2string(a, *args, **kwargs):
    """numpy.array2string of the elements."""
    import numpy
    return numpy.array2string(_core.asnumpy(a), *args, **kwargs)


def _extent(x):
    if x.size == 0:
        return 0, 0
    low = high = x.data.ptr
    for extent, stride in zip(x.shape, x.strides):
        low += min(stride * (extent - 1), 0)
        high += max(stride * (extent - 1), 0)
    return low, high + x.itemsize


def may_share_memory(a, b):
    """Whether the memory bounds of two arrays overlap."""
    (a0, a1), (b0, b1) = _extent(_need(a)), _extent(_need(b))
    return a._device == b._device and a0 < b1 and b0 < a1


def iscomplexobj(x):
    """Whether the dtype, or that which NumPy gives a list, is complex."""
    if not hasattr(x, "dtype"):
        import numpy
        return numpy.iscomplexobj(x)
    return x.dtype.kind == "c"


def isrealobj(x):
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def _named(name, fields):
    import collections
    return collections.namedtuple(name, fields)


def unique_values(x, /):
    """The sorted distinct values; every NaN counts as one of its own."""
    return _core.unique(x, equal_nan=False)


def unique_counts(x, /):
    """(values, counts)."""
    return _named("UniqueCountsResult", "values counts")(*_core.unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    """(values, inverse_indices)."""
    return _named("UniqueInverseResult", "values inverse_indices")(*_core.unique(x, return_inverse=True, equal_nan=False))


def unique_all(x, /):
    """(values, indices, inverse_indices, counts)."""
    return _named("UniqueAllResult", "values indices inverse_indices counts")(
        *_core.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False))
