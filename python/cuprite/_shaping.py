"""Functions of Python objects, and calls with fixed arguments: identity, size, unique_counts, ..."""
import math
from cuprite import _core
from cuprite._core import eye, ndarray
from cuprite._foreign import FOREIGN as _FOREIGN

__all__ = [
    "identity", "shape", "ndim", "size", "isscalar", "result_type",
    "may_share_memory", "iscomplexobj", "isrealobj",
    "unique_values", "unique_counts", "unique_inverse", "unique_all", "einsum",
    "einsum_path",
]


_NUMBERS = frozenset((int, float, complex, bool, str, bytes))


def identity(n, dtype=float) -> ndarray:
    """The n by n identity matrix.

    Parameters: n: the number of rows; dtype: an element type (None: float64).

    Example:
        >>> cp.identity(2)
        array([[1., 0.],
               [0., 1.]])
    """
    return eye(n, dtype=dtype)


def shape(a) -> "tuple[int, ...]":
    """The lengths of an array, or of what NumPy makes one of.

    Parameters: a: an array, a NumPy array, a number or nested lists.

    Example:
        >>> cp.shape(cp.zeros((2, 3)))
        (2, 3)
    """
    if isinstance(a, ndarray):
        return a.shape
    import numpy
    return numpy.shape(a)


def ndim(a) -> int:
    """The number of axes.

    Parameters: a: an array, a NumPy array, a number or nested lists.

    Example:
        >>> cp.ndim(cp.zeros((2, 3)))
        2
    """
    return len(shape(a))


def size(a, axis=None) -> int:
    """The number of elements, or of those along some axes.

    Parameters: a: an array, a NumPy array, a number or nested lists; axis: an axis or several (None: all).
    Errors: AxisError for an axis that there is not, ValueError for one that is named twice.

    Example:
        >>> cp.size(cp.zeros((2, 3)))
        6
    """
    if axis is None and isinstance(a, ndarray):
        return a.size
    s = shape(a)
    if axis is not None:
        from numpy.lib.array_utils import normalize_axis_tuple
        s = [s[k] for k in normalize_axis_tuple(axis, len(s))]
    return math.prod(s)


def isscalar(element) -> bool:
    """Whether it is a number (or string) rather than an array.

    Parameters: element: any object."""
    if type(element) in _NUMBERS:
        return True
    from cuprite import _numpy
    return _numpy.isscalar(element)


def result_type(*arrays_and_dtypes):
    """The dtype that promotion gives; Python's numbers are weak.

    Parameters: *arrays_and_dtypes: arrays, dtypes and numbers.
    Errors: ValueError for none at all.

    Example:
        >>> cp.result_type("i4", "f4")
        dtype('float64')
    """
    if 0 < len(arrays_and_dtypes) < 3:
        t = _core._meeting(*arrays_and_dtypes)
        if t is not None:
            return t
    import numpy
    args = [a.dtype if isinstance(a, (ndarray, numpy.ndarray, numpy.generic)) else a for a in arrays_and_dtypes]
    if not any(_is_foreign(a) for a in args):
        return numpy.result_type(*args)
    numbers = (bool, int, float, complex)              # weak; NumPy knows no promotion of types that it lacks
    dtypes = [a for a in args if type(a) not in numbers]
    if any(type(a) is complex for a in args):
        dtypes.append("complex64")
    result = dtypes[0]
    for d in dtypes[1:]:
        result = _core.promote_types(result, d)
    return _core.promote_types(result, result)


def _is_foreign(d):
    """Whether this is a dtype, type or name that stands for a type that NumPy lacks."""
    if getattr(d, "isbuiltin", 0) == 1:  # NumPy's own; names take long
        return False
    name = getattr(d, "name", None) or getattr(d, "__name__", None) or d
    return isinstance(name, str) and name in _FOREIGN


def may_share_memory(a, b, max_work=None) -> bool:
    """Whether the memory bounds of two arrays overlap; with `max_work` whether elements are shared, or may be where so
    many steps do not decide.

    Parameters: a: an array; b: an array; max_work: the most steps, or None: the bounds alone."""
    if max_work:
        from cuprite import shares_memory
        from numpy.exceptions import TooHardError
        try:
            return shares_memory(a, b, max_work)
        except TooHardError:
            return True
    return _core._within(a, b)


def iscomplexobj(x) -> bool:
    """Whether the dtype, or that which NumPy gives a list, is complex.

    Parameters: x: any object.

    Example:
        >>> cp.iscomplexobj(cp.asarray([1j]))
        True
    """
    if not hasattr(x, "dtype"):
        import numpy
        return numpy.iscomplexobj(x)
    return x.dtype.kind == "c"


def isrealobj(x) -> bool:
    """Whether the dtype is not complex.

    Parameters: x: any object."""
    return not iscomplexobj(x)


_results = {}  # named tuples, made when first needed


def _named(name, fields):
    made = _results.get(name)
    if made is None:
        import collections
        from cuprite._support import shown_fields
        made = _results[name] = collections.namedtuple(name, fields)
        made.__repr__ = shown_fields
    return made


def unique_values(x, /) -> ndarray:
    """The sorted distinct values; every NaN counts as one of its own.

    Parameters: x: an array."""
    return _core.unique(x, equal_nan=False)


def unique_counts(x, /):
    """The sorted distinct values, and how often each comes.

    Parameters: x: an array.
    Result: a named tuple (values, counts)."""
    return _named("UniqueCountsResult", "values counts")(*_core.unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    """The sorted distinct values, and what rebuilds x.

    Parameters: x: an array.
    Result: a named tuple (values, inverse_indices)."""
    return _named("UniqueInverseResult",
                  "values inverse_indices")(*_core.unique(x, return_inverse=True, equal_nan=False))


def unique_all(x, /):
    """The sorted distinct values, where each comes first, what rebuilds x, and how often each comes.

    Parameters: x: an array.
    Result: a named tuple (values, indices, inverse_indices, counts)."""
    return _named("UniqueAllResult", "values indices inverse_indices counts")(
        *_core.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False))


def einsum(*operands, out=None, dtype=None, order="K", casting="safe", optimize=True) -> ndarray:
    """Sums of products over the axes that subscripts name: einsum("ij,jk->ik", a, b), or einsum(a, [0, 1], b, [1, 2]).

    Of one operand with nothing summed it is a view. `optimize`: in which order more than two operands are multiplied:
    True the cheapest for few and a good one for many, "greedy", "optimal", False as they stand, or a list of steps.

    Parameters: *operands: subscripts and arrays; out: an array that takes the result (None: a new one); dtype: the
        element type of the result (None: what the operands give); order: 'C', 'F', 'A' or 'K'; casting: which
        conversions are allowed, 'same_kind' unless said; optimize: see above.
    Errors: ValueError for subscripts that do not fit the arrays.

    Example:
        >>> cp.einsum("ij,j->i", cp.ones((2, 2)), cp.arange(2.0))
        array([1., 1.])
    """
    if optimize is True and len(operands) > 1 and isinstance(operands[0], str):  # most are, and nothing is to be read
        return _core._einsum(operands[0], list(operands[1:]), out, dtype, casting, order, 0, None)
    from cuprite import _einsum
    return _einsum.einsum(operands, out, dtype, order, casting, optimize)


def einsum_path(*operands, optimize="greedy") -> "tuple[list, str]":
    """In which order einsum should multiply these operands: a list for its `optimize`, and a string about the costs.

    `optimize`: "greedy", "optimal", False (all at once), a path (its costs are reported), or a pair of a name and the
    most elements that a result on the way may have. Only the operands' shapes are looked at."""
    from cuprite import _einsum_path
    return _einsum_path.einsum_path(operands, optimize)
