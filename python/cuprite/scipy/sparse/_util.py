"""What all formats of sparse matrices check and choose: types, index types, shapes, scalars, axes."""
from __future__ import annotations

import math
import operator

import cuprite as cp
from cuprite._element_types import common_type, type_of
from cuprite.scipy._installed import scipy_module

INT32_MAX = 2**31 - 1
SUPPORTED = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
             "complex64", "complex128")
CHARS = frozenset("?bBhHiIlLqQfdFD")     # of these: a type's name takes NumPy longer than a small product takes


class SparseWarning(Warning):
    """The base of warnings about sparse matrices."""


class SparseEfficiencyWarning(SparseWarning):
    """An operation is slow on this format, or makes a dense result."""


class SparseFormatWarning(SparseWarning):
    """A matrix is not of the format that an operation wants."""


def getdtype(dtype, a=None, default=None):
    """A supported element type: `dtype`, else that of `a`, else the default."""
    if dtype is None:
        dtype = type_of(a, default)
    if dtype is None:
        raise TypeError("could not interpret data type")
    try:
        new = common_type(dtype)
    except ValueError:  # none of ours
        new = cp.dtype(dtype)
    if new.char not in CHARS and new.name not in SUPPORTED:
        raise ValueError(f"scipy.sparse does not support dtype {new}. The only supported types are: "
                         f"{', '.join(SUPPORTED)}.")
    return new


def upcast(*dtypes):
    """The type that holds elements of all of these."""
    return getdtype(common_type(*dtypes) if len(dtypes) > 1 else dtypes[0])


def sum_dtype(dtype):
    """The type in which NumPy sums elements."""
    if dtype.kind == "u":
        return common_type("uint64")
    return common_type("int64") if dtype.kind in "bi" else dtype


def is_host(x):
    """Is x an array of NumPy's?"""
    return type(x).__module__.partition(".")[0] == "numpy" and hasattr(x, "ndim")


def isdense(x):
    """Is x an array of Cuprite's or NumPy's?"""
    return isinstance(x, cp.ndarray) or is_host(x) and getattr(x, "ndim", 0) > 0


def isscalarlike(x):
    """Is x a number, or an array without axes?"""
    if isinstance(x, cp.ndarray):
        return x.ndim == 0
    return isinstance(x, (int, float, complex, str, bytes)) or is_host(x) and x.ndim == 0


def without_halves(x):
    """x, in float32 where it is of 16 bits, of which a sparse matrix has none. ValueError for other types that it has
    not."""
    if type_of(x).char in CHARS:
        return x
    if type_of(x).name in ("float16", "bfloat16"):
        return x.astype("float32")
    getdtype(type_of(x))
    return x


def isintlike(x):
    """Can x be an index? ValueError for a number that is an integer only by its value."""
    if getattr(x, "ndim", 0) != 0 or isinstance(x, (slice, str)):
        return False
    try:
        operator.index(x)
    except (TypeError, ValueError):
        try:
            loose = bool(int(x) == x)
        except (TypeError, ValueError):
            return False
        if loose:
            raise ValueError("Inexact indices into sparse matrices are not allowed") from None
        return loose
    return True


def isshape(x, allow_nd=(2,)):
    """Is x a tuple of lengths?"""
    return len(x) in allow_nd and all(not isinstance(d, (tuple, list)) and isintlike(d) for d in x)


def check_shape(args, current=None, allow_nd=(2,)):
    """A shape, given as one argument or several; beside a current one of as many elements, where -1 is computed."""
    if current is None and len(args) == 1 and type(args[0]) is tuple and len(args[0]) in allow_nd:
        for d in args[0]:
            if type(d) is not int or d < 0:
                break
        else:
            return args[0]
    if len(args) == 0:
        raise TypeError("function missing 1 required positional argument: 'shape'")
    if len(args) == 1:
        try:
            new = tuple(operator.index(a) for a in iter(args[0]))
        except TypeError:
            new = (operator.index(args[0]),)
    else:
        new = tuple(operator.index(a) for a in args)
    if current is None:
        if len(new) not in allow_nd:
            raise ValueError(f"shape must have length in {allow_nd}. Got new_shape={new}")
        if any(d < 0 for d in new):
            raise ValueError("'shape' elements cannot be negative")
        return new
    size, unknown = math.prod(current), [i for i, d in enumerate(new) if d < 0]
    if not unknown:
        if math.prod(new) != size:
            raise ValueError(f"cannot reshape array of size {size} into shape {new}")
    elif len(unknown) == 1:
        i = unknown[0]
        known = math.prod(new[:i] + new[i + 1:])
        rest, left = divmod(size, known)
        if left:
            shown = tuple("newshape" if d < 0 else d for d in new)
            raise ValueError(f"cannot reshape array of size {size} into shape {shown}")
        new = new[:i] + (rest,) + new[i + 1:]
    else:
        raise ValueError("can only specify one unknown dimension")
    if len(new) not in allow_nd:
        raise ValueError(f"shape must have length in {allow_nd}. Got new_shape={new}")
    return new


def as_axes(axis, ndim):
    """Axes from 0, as a list."""
    if axis is None:
        return list(range(ndim))
    if axis == ():
        raise ValueError("sparse does not accept 0D axis (). Either use toarray (for dense) or copy (for sparse).")
    if not isinstance(axis, tuple):
        if isinstance(axis, bool) or not hasattr(axis, "__index__"):
            raise TypeError(f"axis must be an integer/tuple of ints, not {type(axis)}")
        axis = (axis,)
    canonical = []
    for a in axis:
        if not isintlike(a):
            raise TypeError(f"axis must be an integer. (given {a})")
        a = operator.index(a)
        if not -ndim <= a < ndim:
            raise ValueError("axis out of range for ndim")
        canonical.append(a % ndim)
    if len(canonical) != len(set(canonical)):
        raise ValueError("duplicate value in axis")
    return canonical


def validate_axis(axis, ndim=2):
    """One axis from 0, or None for all of them."""
    canonical = as_axes(axis, ndim)
    return None if len(canonical) == ndim else canonical[0]


def get_index_dtype(arrays=(), maxval=None, check_contents=False) -> type:
    """int32 where that holds the values of these arrays and `maxval`, else int64, as SciPy chooses.

    Parameters: arrays: an array or a tuple of them; maxval: a number that must fit; check_contents: whether the values
        count, not the types alone."""
    return getattr(cp, index_dtype(arrays, maxval, check_contents))


def index_dtype(arrays=(), maxval=None, check_contents=False):
    """The same by its name."""
    if maxval is not None and int(maxval) > INT32_MAX:
        return "int64"
    for a in (arrays,) if isinstance(arrays, cp.ndarray) or hasattr(arrays, "dtype") else arrays:
        if not isinstance(a, cp.ndarray) and not hasattr(a, "dtype"):
            import numpy
            a = numpy.asarray(a)
        if type_of(a).char == "i" or cp.can_cast(type_of(a), "int32"):
            continue
        if check_contents:
            if a.size == 0:
                continue
            if type_of(a).kind in "iu" and int(a.min()) >= -2**31 and int(a.max()) <= INT32_MAX:
                continue
        return "int64"
    return "int32"


def safely_cast_index_arrays(A, idx_dtype=None, msg="") -> tuple[ndarray, ...] | ndarray:
    """The index arrays of a matrix as another type.

    Parameters: A: a matrix with index arrays; idx_dtype: a type of integers, int32 by default; msg: what needs it.
    Errors: ValueError for indices that do not fit, TypeError for lil and dok."""
    idx_dtype = cp.dtype("int32" if idx_dtype is None else idx_dtype)
    msg, most = msg or f"dtype {idx_dtype}", cp.iinfo(idx_dtype).max
    wide = max(A.shape) > most
    if A.format in ("csr", "csc", "bsr"):
        R, C = getattr(A, "blocksize", (1, 1))
        indices, indptr = A.indices, A.indptr
        if int(indptr[-1]) * R > most:
            raise ValueError(f"indptr values too large for {msg}")
        if wide and indices.size and int(indices.max()) * C > most:
            raise ValueError(f"indices values too large for {msg}")
        return indices.astype(idx_dtype, copy=False), indptr.astype(idx_dtype, copy=False)
    if A.format == "coo":
        if wide and any(c.size and int(c.max()) > most for c in A.coords):
            raise ValueError(f"coords values too large for {msg}")
        return tuple(c.astype(idx_dtype, copy=False) for c in A.coords)
    if A.format == "dia":
        if wide and A.offsets.size and int(A.offsets.max()) > most:
            raise ValueError(f"offsets values too large for {msg}")
        return A.offsets.astype(idx_dtype, copy=False)
    raise TypeError(f"Format {A.format} is not associated with index arrays. DOK and LIL have dict and list, not "
                    "array.")


def scipys(name):
    """What scipy.sparse calls so. Errors: ImportError, in a line."""
    return getattr(scipy_module("sparse", f"cuprite.scipy.sparse needs SciPy's {name}"), name)


def as_dense(x, dtype=None):
    """x as an array of Cuprite's."""
    return cp.asarray(x) if dtype is None else cp.asarray(x, dtype=dtype)


def check_order(order):
    """NumPy's error for a layout that is neither C nor F."""
    if order not in (None, "C", "F", "c", "f"):
        cp.zeros(0, order=order)  # raises for what no array can have
        raise ValueError("only 'C' or 'F' order is permitted")


def empty_lines(n, dtype):
    """indptr of n empty rows."""
    return cp.zeros(n + 1, dtype=dtype)
