"""Functions that rearrange arrays by calling others: splitting, deleting and inserting, blocks, a function along an
axis. Views are given wherever NumPy gives them; what computes is C's."""
import itertools
import operator

import cuprite
from cuprite._beside import beside_its_arrays
from cuprite import _bits, _places, _statistics
from cuprite._core import _of_numbers, _parts, _within, ndarray
from cuprite._support import _own_asarray

__all__ = [
    "apply_along_axis", "apply_over_axes", "array_split", "asarray_chkfinite", "average", "block", "broadcast",
    "delete", "dsplit", "fromfunction", "fromiter", "gradient", "hsplit", "insert", "isfortran", "iterable",
    "ndenumerate", "piecewise", "require", "rot90", "row_stack", "shares_memory", "split", "trim_zeros",
    "unpackbits", "unstack", "vsplit",
]

_CPU = -1


def _array(x):
    return x if isinstance(x, ndarray) else cuprite.asarray(x)


def _axis_of(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise cuprite.AxisError(axis, ndim)
    return axis % ndim


def _axes_of(axes, ndim, name=None):
    from numpy.lib.array_utils import normalize_axis_tuple
    return normalize_axis_tuple(axes, ndim, argname=name)


def _along(axis, *bounds):
    return (slice(None),) * axis + (slice(*bounds),)


# --- splitting ---

def array_split(ary, indices_or_sections, axis=0) -> "list[ndarray]":
    """A list of views: so many parts along an axis, as equal as can be, or those between indices.

    Parameters: ary: an array; indices_or_sections: the number of parts, or the indices at which they begin; axis: an
        axis (negative ones count from the last).
    Errors: ValueError for a number of parts below 1; IndexError for an axis out of bounds.

    Example:
        >>> cp.array_split(cp.arange(5), 2)
        [array([0, 1, 2]), array([3, 4])]
    """
    total = ary.shape[axis]
    if hasattr(indices_or_sections, "__len__") and getattr(indices_or_sections, "ndim", 1):
        places = indices_or_sections.tolist() if hasattr(indices_or_sections, "tolist") else list(indices_or_sections)
        bounds = [0, *places, total]
    else:
        sections = operator.index(indices_or_sections) if hasattr(indices_or_sections, "__index__") else \
            int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, more = divmod(total, sections)
        sizes = [each + 1] * more + [each] * (sections - more)  # of too many this is an error at once
        bounds = [0, *itertools.accumulate(sizes)]
    return _parts(ary, operator.index(axis), bounds)


def split(ary, indices_or_sections, axis=0) -> "list[ndarray]":
    """A list of views: so many equal parts along an axis, or those between indices. ValueError where parts differ.

    Parameters: ary: an array; indices_or_sections: the number of equal parts, or the indices at which they begin;
        axis: an axis (negative ones count from the last).

    Example:
        >>> cp.split(cp.arange(6), 3)
        [array([0, 1]), array([2, 3]), array([4, 5])]
    """
    if not (hasattr(indices_or_sections, "__len__") and getattr(indices_or_sections, "ndim", 1)):
        if ary.shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections) -> "list[ndarray]":
    """split along the second axis, the first of 1-d arrays.

    Parameters: ary: an array; indices_or_sections: the number of equal parts, or the indices at which they begin.
    Errors: ValueError for an array without axes, and parts that are not equal.

    Example:
        >>> cp.hsplit(cp.arange(4), 2)
        [array([0, 1]), array([2, 3])]
    """
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary, indices_or_sections) -> "list[ndarray]":
    """split along the first axis of an array of at least two dimensions.

    Parameters: ary: an array; indices_or_sections: the number of equal parts, or the indices at which they begin.
    Errors: ValueError for an array of less than two axes, and parts that are not equal.

    Example:
        >>> cp.vsplit(cp.arange(4).reshape(2, 2), 2)
        [array([[0, 1]]), array([[2, 3]])]
    """
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections) -> "list[ndarray]":
    """split along the third axis.

    Parameters: ary: an array; indices_or_sections: the number of equal parts, or the indices at which they begin.
    Errors: ValueError for an array of less than three axes, and parts that are not equal.

    Example:
        >>> [part.shape for part in cp.dsplit(cp.zeros((2, 2, 4)), 2)]
        [(2, 2, 2), (2, 2, 2)]
    """
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def unstack(x, /, *, axis=0) -> "tuple[ndarray, ...]":
    """A tuple of views, one for each place of an axis.

    Parameters: x: an array; axis: an axis (negative ones count from the last).
    Errors: ValueError for an array without axes."""
    x = _array(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(cuprite.moveaxis(x, axis, 0))


def row_stack(tup, *, dtype=None, casting="same_kind") -> ndarray:
    """The same as vstack.

    Parameters: tup: a sequence of arrays; dtype: the element type of the result (None: what the operands give);
        casting: which conversions are allowed, 'same_kind' unless said."""
    return cuprite.vstack(tup, dtype=dtype, casting=casting)


# --- turning ---

def rot90(m, k=1, axes=(0, 1)) -> ndarray:
    """The array rotated by 90 degrees k times in the plane of two axes, from the first towards the second; a view.

    Parameters: m: an array; k: how often; axes: two different axes.
    Errors: ValueError for axes that are not two different ones of the array; TypeError for k that is no integer.

    Example:
        >>> cp.rot90(cp.asarray([[1, 2], [3, 4]]))
        array([[2, 4],
               [1, 3]])
    """
    return _places.rot90(_array(m), operator.index(k) % 4, tuple(axes))


# --- blocks ---

def _depth(arrays, place=()):
    """How deep the lists are, everywhere the same, and the most dimensions among the arrays."""
    if isinstance(arrays, ndarray):
        return len(place), arrays.ndim
    if isinstance(arrays, tuple):
        raise TypeError(f"{_position_string(place)} is a tuple. Only lists can be used to arrange blocks, and np.block "
                        f"does "
                        "not allow implicit conversion from tuple to ndarray.")
    if not isinstance(arrays, list):
        return len(place), cuprite.ndim(arrays)
    if not arrays:
        raise ValueError(f"List at {_position_string(place)} cannot be empty")
    depth, most = _depth(arrays[0], (*place, 0))
    mixed = False
    for i in range(1, len(arrays)):
        d, ndim = _depth(arrays[i], (*place, i))
        mixed = mixed or d != depth
        most = max(most, ndim)
    if mixed:
        raise ValueError(f"List depths are mismatched. First element was at depth {depth}, but there is an "
                         f"element at another depth in {_position_string(place)}")
    return depth, most


def _position_string(place):
    return "arrays" + "".join(f"[{i}]" for i in place)


def _joined(arrays, depth, ndim):
    if isinstance(arrays, list):
        return cuprite.concatenate([_joined(a, depth - 1, ndim) for a in arrays], axis=-depth)
    x = _array(arrays)
    return x if x.ndim == ndim else x.reshape((1,) * (ndim - x.ndim) + x.shape)


@beside_its_arrays
def block(arrays) -> ndarray:
    """An array of nested lists of blocks: the innermost lists are joined along the last axis, those around them along
    the one before it, and so on.

    Parameters: arrays: lists of lists of arrays or numbers, all equally deep.
    Errors: ValueError for lists that are empty or of different depths, and for lengths that do not fit.

    Example:
        >>> cp.block([cp.ones(2), cp.zeros(1)])
        array([1., 1., 0.])
    """
    depth, ndim = _depth(arrays)
    if not depth:
        return cuprite.array(arrays, order="C")
    return _joined(arrays, depth, max(depth, ndim))


# --- deleting and inserting ---

def _on_host(obj):
    import numpy
    return obj.get() if isinstance(obj, ndarray) else numpy.asarray(obj)


def _positions_of(obj, arr, axis, inserted):
    """What C takes as indices: integers or a mask. An empty list and a slice become integers. Indices on the host are
    checked against the axis at once."""
    import numpy
    n = arr.size if axis is None else arr.shape[_axis_of(axis, arr.ndim)]
    if isinstance(obj, slice):
        return cuprite.arange(*obj.indices(n))
    if isinstance(obj, (ndarray, int)):
        return obj
    places = numpy.asarray(obj)
    if not places.size and not hasattr(obj, "dtype"):
        places = places.astype("intp")
    if places.size > 1 and places.dtype.kind in "iu":
        reached = places.ravel()
        if inserted:                                        # the k-th in order moves by k
            reached = numpy.sort(numpy.where(reached < 0, reached + n, reached)) + numpy.arange(places.size)
        most = n + places.size if inserted else n
        for place in (reached.min(), reached.max()):
            if not -most <= place < most:
                raise IndexError(f"index {place} is out of bounds for axis {axis or 0} with size {most}")
    return cuprite.asarray(places)


@beside_its_arrays
def delete(arr, obj, axis=None) -> ndarray:
    """A copy without the elements at `obj` (an index, indices, a slice or a mask) of an axis; None: of the flattened
    array.

    Parameters: arr: an array; obj: an integer, integers, a slice or a boolean array; axis: the axis (None:
        flattened).
    Errors: IndexError for an index out of bounds; ValueError for a mask that is not as long as the axis.

    Example:
        >>> cp.delete(cp.arange(4), 1)
        array([0, 2, 3])
    """
    arr = _array(arr)
    return _places.delete(arr, _positions_of(obj, arr, axis, False), axis)


@beside_its_arrays
def insert(arr, obj, values, axis=None) -> ndarray:
    """A copy with values before the elements at `obj` (an index, indices, a slice or a mask) of an axis; None: of the
    flattened array.

    Parameters: arr: an array; obj: an integer, integers, a slice or a boolean array; values: an array, a NumPy
        array, a number or nested lists; axis: the axis (None: flattened).
    Errors: IndexError for an index out of bounds; ValueError for indices of more than one axis and values that do not
        broadcast.

    Example:
        >>> cp.insert(cp.arange(3), 1, 9)
        array([0, 9, 1, 2])
    """
    arr = _array(arr)
    if not isinstance(values, ndarray):
        values = cuprite.asarray(values, arr.dtype)
    return _places.insert(arr, _positions_of(obj, arr, axis, True), values, axis)


def trim_zeros(filt, trim="fb", axis=None) -> ndarray:
    """A view without the zeros at the beginning ("f"), the end ("b") or both of its axes.

    Parameters: filt: an array; trim: 'f', 'b' or 'fb'; axis: an axis or several (None: all).
    Errors: ValueError for another trim; AxisError for an axis out of bounds.

    Example:
        >>> cp.trim_zeros(cp.asarray([0, 1, 0]))
        array([1])
    """
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    return _places.trim_zeros(_array(filt), "f" in trim, "b" in trim, axis)


# --- functions of functions ---

def apply_along_axis(func1d, axis, arr, *args, **kwargs) -> ndarray:
    """func1d of each 1-d slice along an axis; its results replace that axis.

    Parameters: func1d: a function of a 1-d array, and of args and kwargs; axis: the axis of the slices; arr: an
        array.
    Errors: ValueError for an array without slices; AxisError for an axis out of bounds.

    Example:
        >>> cp.apply_along_axis(cp.sum, 1, cp.ones((2, 3)))
        array([3., 3.])
    """
    import numpy
    arr = _array(arr)
    axis = _axis_of(axis, arr.ndim)
    lines = cuprite.moveaxis(arr, axis, -1)
    outer = lines.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [_own_asarray(func1d(lines[place], *args, **kwargs)) for place in numpy.ndindex(outer)]
    first = results[0]
    if any(r.dtype != first.dtype for r in results):
        results = [r if r.dtype == first.dtype else r.astype(first.dtype) for r in results]
    table = cuprite.stack([r if r.shape == first.shape else cuprite.broadcast_to(r, first.shape) for r in results])
    table = table.reshape(outer + first.shape)
    inner = tuple(range(len(outer), table.ndim))
    return cuprite.moveaxis(table, inner, tuple(range(axis, axis + len(inner)))) if inner else table


def apply_over_axes(func, a, axes) -> ndarray:
    """func(a, axis) for one axis after the other; an axis that it removes comes back with length 1.

    Parameters: func: a function of an array and an axis; a: an array; axes: an axis or several.
    Errors: ValueError where a result has neither as many axes nor one less."""
    value = _array(a)
    axes = _on_host(axes)
    for axis in [axes.item()] if axes.ndim == 0 else axes.tolist():
        axis = axis + value.ndim if axis < 0 else axis
        result = func(value, axis)
        if result.ndim != value.ndim:
            result = cuprite.expand_dims(result, axis)
            if result.ndim != value.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


@beside_its_arrays
def piecewise(x, condlist, funclist, *args, **kw) -> ndarray:
    """An array made of functions (or numbers) of x's elements: the i-th where the i-th condition is true, one more
    where none is.

    Parameters: x: an array; condlist: boolean arrays, or one; funclist: functions or numbers.
    Errors: ValueError for another number of functions.

    Example:
        >>> x = cp.asarray([-2.0, 1.0, 3.0])
        >>> cp.piecewise(x, [x < 0, x >= 0], [-1, lambda v: v * 10])
        array([-1., 10., 30.])
    """
    x = _array(x)
    count = len(funclist)
    if getattr(condlist, "ndim", None) == 0 or cuprite.isscalar(condlist) or x.ndim != 0 and (
            not isinstance(condlist[0], (list, ndarray)) or isinstance(condlist, ndarray) and condlist.ndim == 1):
        condlist = [condlist]
    conditions = [_own_asarray(c).astype(bool) for c in condlist]
    if len(conditions) == count - 1:
        other = cuprite.zeros(conditions[0].shape if conditions else x.shape, bool)
        for c in conditions:
            other = other | c
        conditions.append(~other)
    elif len(conditions) != count:
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} "
                         "functions are expected")
    y = cuprite.zeros_like(x)
    for condition, function in zip(conditions, funclist):
        if not callable(function):
            y[condition] = function
            continue
        values = x[condition]
        if values.size:
            y[condition] = function(values, *args, **kw)
    return y


# --- bits, slopes ---

@beside_its_arrays
def unpackbits(a, /, axis=None, count=None, bitorder="big") -> ndarray:
    """The bits of bytes as eight elements, 0 or 1, along an axis (None: flattened). count: how many of them; less than
    0: all but so many; more than there are: zeros behind them.

    Parameters: a: an array of uint8; axis: an axis (None: flattened); count: an integer or None: all; bitorder:
        'big' or 'little'.
    Errors: TypeError for another type; ValueError for another order of bits, and a count that takes away more than
        there is."""
    bits = _bits.unpackbits(a, axis, bitorder)
    if count is None:
        return bits
    count = operator.index(count)
    axis = 0 if axis is None else _axis_of(axis, bits.ndim)
    n = bits.shape[axis]
    if count < 0:
        if count < -n:
            raise ValueError(f"-count {count} cannot be larger than the number of elements {n}")
        return bits[_along(axis, None, n + count)].copy()
    if count <= n:
        return bits[_along(axis, None, count)].copy()
    more = cuprite.zeros((*bits.shape[:axis], count - n, *bits.shape[axis + 1:]), "uint8")
    return cuprite.concatenate([bits, more], axis)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes along each axis, or those named: an array, or a tuple of them.

    varargs: the spacing of samples, or their coordinates, for all axes or one for each.

    Parameters: f: an array; *varargs: spacings, or coordinates of the samples; axis: an axis or several (None: all);
        edge_order: 1 or 2: the order of the differences at the boundaries.
    Errors: ValueError for an array too short, distances that do not fit and an edge_order above 2; TypeError for too
        many distances; IndexError for one place of one sample.

    Example:
        >>> cp.gradient(cp.asarray([1.0, 4.0, 9.0]))
        array([3., 4., 5.])
    """
    f = _array(f)
    axes = tuple(range(f.ndim)) if axis is None else _axes_of(axis, f.ndim)
    if not varargs:
        spacings = [None] * len(axes)
    elif len(varargs) == 1 and cuprite.ndim(varargs[0]) == 0:
        spacings = list(varargs) * len(axes)
    elif len(varargs) == len(axes):
        spacings = list(varargs)
    else:
        raise TypeError("invalid number of arguments")
    if edge_order > 2 and not axes:
        raise ValueError("'edge_order' greater than 2 not supported")
    for s, a in zip(spacings, axes):  # asked of all axes before anything is computed
        if s is not None and cuprite.shape(s) == (1,) == f.shape[a:a + 1]:
            raise IndexError("gradient: index 0 is out of bounds for axis 0 with size 0")
    slopes = tuple(_statistics.gradient(f, s, a, edge_order) for s, a in zip(spacings, axes))
    return slopes[0] if len(slopes) == 1 else slopes


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The mean over axes, or the sum of weights times elements divided by the weights' sum: weights of a's shape, or
    of that of the axes. returned: (average, sum of the weights). ZeroDivisionError where that is 0.

    Parameters: a: an array; axis: an axis, a tuple of axes, or None: all; weights: an array (None: all count alike);
        returned: True: the sum of the weights too; keepdims: True: the axes stay, with length 1.
    Errors: ZeroDivisionError where weights add up to 0; ValueError for weights of another shape; TypeError for those
        of another shape without an axis.

    Example:
        >>> cp.average(cp.asarray([1.0, 3.0]), weights=cp.asarray([3.0, 1.0]))
        array(1.5)
    """
    a = _array(a)
    if weights is None and not returned:
        return a.mean(axis, keepdims=keepdims)
    both = _statistics.average(a, axis, weights, keepdims)
    return both if returned else both[0]


# --- what arrays must be ---

def require(a, dtype=None, requirements=None, *, like=None) -> ndarray:
    """The array with a dtype and properties: "C", "F", "A" (aligned), "W" (writeable), "O" (memory of its own); itself
    where it has them all.

    Parameters: a: an array, a NumPy array, a number or nested lists; dtype: the element type of the result (None:
        what the operands give); requirements: a letter, a word or several of them; like: None, or an array of
        Cuprite's, which changes nothing.
    Errors: ValueError for both orders; KeyError for an unknown word."""
    names = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
             "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E",
             "ENSUREARRAY": "E"}
    wanted = {names[r.upper()] for r in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in wanted else "C" if "C" in wanted else "A"
    x = cuprite.array(a, dtype=dtype, order=order, copy=None)
    flags = x.flags
    if ("O" in wanted and not flags.owndata) or ("W" in wanted and not flags.writeable):
        x = x.copy(order)
    return x


def asarray_chkfinite(a, dtype=None, order=None) -> ndarray:
    """asarray; ValueError where an element is NaN or infinite.

    Parameters: a: an array, a NumPy array, a number or nested lists; dtype: the element type of the result (None:
        what the operands give); order: 'C', 'F', 'A' or 'K'."""
    x = cuprite.asarray(a, dtype=dtype, order=order)
    if x.dtype.kind in "fc" and not cuprite.isfinite(x).all():
        raise ValueError("array must not contain infs or NaNs")
    return x


def isfortran(a) -> bool:
    """Whether the array is in Fortran order and not in C order.

    Parameters: a: an array."""
    return a.flags.fnc


def iterable(y) -> bool:
    """Whether the object can be iterated over.

    Parameters: y: any object."""
    try:
        iter(y)
    except TypeError:
        return False
    return True


# --- making ---

def fromfunction(*args, **kwargs) -> ndarray:
    """The array of what a function makes of NumPy's arrays of indices: numpy.fromfunction(function, shape, ...)."""
    if len(args) == 2 and not kwargs and callable(args[0]):
        places = _host_positions(args[1])
        if places is not None:
            return cuprite.asarray(args[0](*places))
    import numpy
    return cuprite.asarray(numpy.fromfunction(*args, **kwargs))


def _host_positions(shape):
    """What numpy.indices(shape, dtype=float) gives, made here; None where that would be a detour: for other shapes than
    short tuples, and where the current device is a GPU."""
    if type(shape) is not tuple or not shape:
        return None
    size = 1
    for n in shape:
        if type(n) is not int or n < 0:
            return None
        size *= n
    if size > 1024 or cuprite.empty(0)._device != _CPU:
        return None
    return cuprite.indices(shape, dtype=float).get()


def fromiter(*args, **kwargs) -> ndarray:
    """The array of an iterable's elements: numpy.fromiter(iter, dtype, count=-1)."""
    if len(args) == 2 and not kwargs:
        args = args[0] if type(args[0]) is list else list(args[0]), args[1]
        x = _of_numbers(*args)  # None: NumPy reads them, or says what is wrong
        if x is not None:
            return x
    import numpy
    return cuprite.asarray(numpy.fromiter(*args, **kwargs))


class ndenumerate:
    """Places and elements, one after the other: ((0, 0), x[0, 0]), ((0, 1), x[0, 1]), ... The elements are arrays of no
    dimensions.

    Parameters: arr: an array."""

    def __init__(self, arr):
        import numpy
        self._array, self._places = _array(arr), numpy.ndindex(_array(arr).shape)

    def __iter__(self):
        return self

    def __next__(self):
        place = next(self._places)
        return place, self._array[place]


# --- memory ---

class _Place:
    """An array's addresses for NumPy, which looks at none of the elements."""

    def __init__(self, x):
        self.__array_interface__ = {"version": 3, "data": (x.data.ptr, True), "typestr": f"|V{x.itemsize}",
                                    "shape": x.shape, "strides": x.strides}


def shares_memory(a, b, max_work=None) -> bool:
    """Whether an element of one array is one of another's. That may take long; `max_work`: TooHardError where it takes
    more steps than these (None: as many as are needed).

    Parameters: a: an array; b: an array; max_work: the most steps."""
    if not _within(a, b):
        return False
    import numpy
    return numpy.shares_memory(numpy.asarray(_Place(a)), numpy.asarray(_Place(b)), max_work)


def reduced_view(a) -> ndarray:
    """A view of the same elements in the same order whose axes are as few as its strides allow."""
    shape, last = [], None
    for extent, stride in zip(a.shape, a.strides):
        if extent == 1:
            continue
        if shape and last == extent * stride:
            shape[-1] *= extent
        else:
            shape.append(extent)
        last = stride
    return a.reshape(0) if a.size == 0 else a.reshape(shape or [1] * min(a.ndim, 1))


class broadcast:
    """Arrays broadcast against one another: `shape`, `size`, `nd`, and `values`, views of that shape.

    Parameters: *arrays: arrays or numbers.
    Errors: ValueError where they do not broadcast."""
    __slots__ = ("shape", "size", "nd", "ndim", "numiter", "values")

    def __init__(self, *arrays):
        import numpy
        self.shape = numpy.broadcast_shapes(*[cuprite.shape(a) for a in arrays])
        self.nd = self.ndim = len(self.shape)
        self.size = 1
        for n in self.shape:
            self.size *= n
        self.numiter = len(arrays)
        self.values = tuple(cuprite.broadcast_to(a, self.shape) if isinstance(a, ndarray) else a for a in arrays)
