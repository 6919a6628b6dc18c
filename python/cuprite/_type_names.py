"""Questions about types: which one others have in common, which one an object stands for, how CUDA lays out structs."""
import numpy
from numpy.rec import format_parser  # noqa: F401

from cuprite._core import ndarray

__all__ = ["common_type", "find_common_type", "format_parser", "issctype", "issubclass_", "issubsctype",
           "make_aligned_dtype", "min_scalar_type", "obj2sctype", "sctype2char"]

_ORDER = "?" + numpy.typecodes["AllInteger"][:-2] + numpy.typecodes["AllFloat"] + "O"
_KINDS = "buifcSUVO"
# by the bits that a number needs
_UNSIGNED = tuple(numpy.dtype(f"u{b}") for b in (1,) * 9 + (2,) * 8 + (4,) * 16 + (8,) * 32)
_SIGNED = tuple(numpy.dtype(f"i{b}") for b in (1,) * 8 + (2,) * 8 + (4,) * 16 + (8,) * 32)
# by what a type's letter says of its precision; integers count as float64
_REAL, _COMPLEX = (numpy.half, numpy.single, numpy.double), (None, numpy.csingle, numpy.cdouble)
_PRECISION = {"e": 0, "f": 1, "F": 1, "d": 2, "D": 2, **dict.fromkeys("bBhHiIlLqQ", 2)}


def common_type(*arrays):
    """The floating type that all arrays can be converted to; of integers it is float64. TypeError for booleans."""
    precision, pair = 0, False
    for a in arrays:
        letter = getattr(a.dtype, "char", "") if isinstance(a, ndarray) else ""
        if letter not in _PRECISION:
            break
        precision, pair = max(precision, _PRECISION[letter]), pair or letter in "FD"
    else:
        return (_COMPLEX if pair else _REAL)[precision]
    return numpy.common_type(*[numpy.empty(0, a.dtype) if isinstance(a, ndarray) else a for a in arrays])


def min_scalar_type(a):
    """The smallest type that holds a number, or the element of a 0-d array; of arrays with axes their own."""
    if type(a) is int:
        bits = a.bit_length() if a >= 0 else (~a).bit_length()
        types = _UNSIGNED if a >= 0 else _SIGNED
        if bits < len(types):
            return types[bits]
    if isinstance(a, ndarray):
        return a.dtype if a.ndim else numpy.min_scalar_type(a.get()[()])
    return numpy.min_scalar_type(a)


def _smallest(types, first=0):
    """The first in the order of types that all of these can be converted to; None where there is none."""
    if len(types) < 2:
        return types[0] if types else None
    return next((t for t in map(numpy.dtype, _ORDER[first:]) if all(numpy.can_cast(x, t) for x in types)), None)


def find_common_type(array_types, scalar_types):
    """The type of arrays of these types beside numbers of those: a number's kind counts, its size does not.

    Parameters: array_types: a list of dtypes; scalar_types: a list of dtypes."""
    arrays = _smallest([numpy.dtype(t) for t in array_types])
    numbers = _smallest([numpy.dtype(t) for t in scalar_types])
    if arrays is None or numbers is None:
        return numbers if arrays is None else arrays
    if arrays.kind not in _KINDS or numbers.kind not in _KINDS:
        return None
    if _KINDS.index(numbers.kind) <= _KINDS.index(arrays.kind):
        return arrays
    if numpy.can_cast(arrays, numbers) and numbers != arrays:
        return numbers
    return _smallest([numbers, arrays], _ORDER.index(numbers.char)) if numbers.char in _ORDER else None


def obj2sctype(rep, default=None):
    """The class of numbers that a class, a dtype, a name or an array stands for; `default` where there is none.

    Parameters: rep: any object; default: any object."""
    if isinstance(rep, type) and issubclass(rep, numpy.generic):
        return rep
    if isinstance(rep, (ndarray, numpy.ndarray)):
        return rep.dtype.type
    try:
        return numpy.dtype(rep).type
    except Exception:  # whatever an object does that is asked for its type
        return default


def issctype(rep) -> bool:
    """Whether it is a class or a dtype of NumPy's numbers, or one of Python's.

    Parameters: rep: any object."""
    return isinstance(rep, (type, numpy.dtype)) and obj2sctype(rep) not in (None, numpy.object_)


def issubclass_(arg1, arg2) -> bool:
    """issubclass, and False for what is no class.

    Parameters: arg1: any object; arg2: a class, or several."""
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def issubsctype(arg1, arg2) -> bool:
    """Whether the class of numbers that one stands for is a subclass of the other's.

    Parameters: arg1: what stands for a class of numbers; arg2: another."""
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def sctype2char(sctype) -> str:
    """The letter of a type.

    Parameters: sctype: what stands for a class of numbers.
    Errors: ValueError for what stands for none; KeyError for a type that has no letter."""
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    if found not in numpy.sctypeDict.values():
        raise KeyError(found)
    return numpy.dtype(found).char


def _aligned(dtype, least, recurse):
    """A dtype as CUDA lays it out, and where it may begin."""
    if dtype.subdtype is not None:
        inner, at = _aligned(dtype.base, -1, recurse)
        return numpy.dtype((inner, dtype.shape)), max(at, least)
    if dtype.names is None:
        return dtype, max(dtype.itemsize if dtype.kind in "biufc" else dtype.alignment, least)
    formats, offsets, end, most = [], [], 0, max(least, 1)
    for name in dtype.names:
        inner = dtype.fields[name][0]
        base = inner.base
        at = base.alignment if base.names else 1
        if recurse or not base.names:
            inner, at = _aligned(inner, -1, recurse)
        end = -(-end // at) * at
        formats.append(inner)
        offsets.append(end)
        end, most = end + inner.itemsize, max(most, at)
    layout = {"names": list(dtype.names), "formats": formats, "offsets": offsets, "itemsize": -(-end // most) * most}
    return numpy.dtype(layout, align=True), most


def make_aligned_dtype(dtype, *, alignment=-1, recurse=True):
    """A structured dtype laid out as CUDA lays out such a struct: each number begins at a multiple of its size, complex
    ones too, which NumPy's aligned structs do not promise. `alignment`: at least that one for the whole, a power of 2;
    recurse=False leaves structs within it as they are.

    Parameters: dtype: a structured dtype; alignment: a power of 2, or -1; recurse: True or False.
    Errors: ValueError for another alignment."""
    dtype = numpy.dtype(dtype)
    if alignment != -1 and (alignment < 1 or alignment & (alignment - 1)):
        raise ValueError(f"alignment must be a power of two, not {alignment}")
    return _aligned(dtype, alignment, recurse)[0]
