"""What expressions may call and read: Python's builtins, functions of math, NumPy and Cuprite on single numbers, types
as conversions, device functions, attributes of arrays and numbers, and Intrinsics: objects of an interface
(cuprite.jit, cuprite.numba.cuda) that write their own source."""
import builtins
import math

from . import arithmetic, arrays, elements, functions
from .types import (BOOL, CFLOAT, DOUBLE, FLOAT, INT32, INT64, OBJECT, UINT32, VOID, Array, Opaque, Scalar, scalar)
from .values import Value, as_type, convert, describe, items_of, known, nonneg_as, number


class Intrinsic:
    """A name that has a meaning inside kernels only. `write(translator, *values, **values)` gives a Value."""

    def __init__(self, name, write=None, doc=None):
        self.__name__, self.write, self.__doc__ = name, write, doc

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.__name__} can be called in a kernel only")

    def __repr__(self):
        return f"<{self.__name__}, for kernels>"


def intrinsic(name=None):
    """Decorator: a function of a translator and values becomes an Intrinsic."""
    def make(function):
        return Intrinsic(name or function.__name__.rstrip("_"), function, function.__doc__)
    return make


class Range(Intrinsic):
    """A range that a for statement may loop over."""


class Dim3:
    """threadIdx and company: x, y and z in a kernel."""

    def __init__(self, name, type):
        self.__name__, self.type = name, type

    def axis(self, axis):
        text = f"{self.__name__}.{axis}"
        return Value(self.type, text if self.type is UINT32 else f"((int){text})", nonneg=True)

    def __getattr__(self, name):
        if name in ("x", "y", "z"):
            raise RuntimeError(f"{self.__name__}.{name} has a value in a kernel only")
        raise AttributeError(f"{self.__name__} has no attribute {name!r}")

    def __repr__(self):
        return f"<{self.__name__}, for kernels>"


class Method:
    """A method of a value, while the kernel is written."""

    def __init__(self, name, write):
        self.__name__, self.write = name, write


def is_range(f):
    return f is builtins.range or isinstance(f, Range)


def attribute(tr, v, name):
    """v.name"""
    if v.known:
        x = v.const
        if isinstance(x, Dim3) and name in ("x", "y", "z"):
            return x.axis(name)
        if number(x) and name in ("real", "imag"):
            return known(getattr(x, name))
        if number(x) and name == "conjugate":
            return known(Method(name, lambda tr: known(x.conjugate())))
        made = getattr(x, "_kernel_attribute", None)
        if made is not None:
            return made(tr, name)
        try:
            found = getattr(x, name)
        except AttributeError:
            raise AttributeError(f"{describe(v)} has no attribute {name!r}") from None
        return known_object(tr, found)
    if isinstance(v.type, Array):
        return _array_attribute(tr, v, name) or _extended(tr, v, name)
    if isinstance(v.type, Scalar):
        return _number_attribute(v, name) or _extended(tr, v, name)
    made = arrays.field(tr.unit, v, name) if isinstance(v.type, elements.Record) else None
    if made is not None:
        return made
    items = items_of(v)
    if items is not None and name in getattr(v.type, "fields", ()):
        return items[v.type.fields.index(name)]
    if items is not None and name in ("x", "y", "z", "w") and "xyzw".index(name) < len(items) and \
            len({i.type for i in items}) == 1:
        return items["xyzw".index(name)]
    methods = METHODS.get(getattr(v.type, "c", None), {})
    if name in methods:
        return Value(OBJECT, const=Method(name, lambda tr, *a, **k: methods[name](tr, v, *a, **k)))
    return _extended(tr, v, name)


def _extended(tr, v, name):
    """An attribute or a method that the program added (numba.extending)."""
    if ADDED and tr.rules.widens:
        made, method = ADDED["attribute"](tr, v, name)
        if made is not None:
            return made
        if method is not None:
            return known(Method(name, method))
    what = "an array" if isinstance(v.type, Array) else f"a {v.type.name}" if isinstance(v.type, Scalar) else \
        describe(v)
    raise AttributeError(f"{what} has no attribute {name!r} in a kernel")


def known_object(tr, x):
    """A known object; some stand for a value, cuda.laneid for instance."""
    made = getattr(x, "_kernel_value", None)
    if made is None and type(x).__name__ in ("datetime64", "timedelta64") and hasattr(x, "dtype"):
        tr.unit.need("nat")
        return elements.constant(tr.unit, x)
    return known(x) if made is None else made(tr)


ADDED = {}      # what numba.extending knows of functions and attributes of the program's own, once that is imported
OTHERS = {}     # name of a function of another package -> (whether this is it, write(translator, value, ...))
METHODS = {}    # the C++ type of an Opaque -> name -> write(translator, value, ...)


def _array_attribute(tr, v, name):
    if name == "shape":
        return arrays.shape(v)
    if name == "size":
        return arrays.size(v)
    if name == "ndim":
        return known(v.type.ndim)
    if name == "dtype":
        return known(v.type.dtype.dtype)
    if name == "T":
        return arrays.transposed(v)
    if name in ("real", "imag"):
        return arrays.part(tr.unit, v, name)
    if name == "itemsize":
        return known(v.type.dtype.size)
    if name == "nbytes":
        return arithmetic.binary(tr.unit, "mul", arrays.size(v), known(v.type.dtype.size))
    if name == "strides":
        from .values import make_tuple
        return make_tuple([arrays.byte_stride(v, k) for k in range(v.type.ndim)])
    if name in ("begin", "end"):
        return known(Method(name, lambda tr: pointer(tr, v, name == "end")))
    method = _ARRAY_METHODS.get(name) if tr.rules.widens else None
    if method is not None:
        return known(Method(name, lambda tr, *a, **k: method(tr, v, *a, **k)))
    return arrays.field(tr.unit, v, name) if isinstance(v.type.dtype, elements.Record) else None


def _reshape(tr, v, *shape):
    """The elements of an array in C order in another shape; one length may be -1."""
    items = items_of(shape[0]) if len(shape) == 1 else None
    lengths = list(shape if items is None else items)
    if v.type.layout != "C" and v.type.ndim != 1:
        raise TypeError("reshape() is for arrays in C order, whose elements lie without gaps")
    if v.type.layout != "C":
        raise TypeError("reshape() is for contiguous arrays")
    total = arrays.size(v)
    n = [x.const if x.known else as_type(x, INT64) for x in lengths]
    if n.count(-1) > 1:
        raise ValueError("reshape() can find out one length only")
    if -1 in n:
        rest = arrays.product([x for x in n if x != -1])
        n[n.index(-1)] = f"({total.const if total.known else total.code} / {rest})" if not total.known or \
            not rest.isdigit() else total.const // int(rest)
    elif total.known and all(isinstance(x, int) for x in n) and math.prod(n) != total.const:
        raise ValueError(f"an array of {total.const} elements does not get the shape {tuple(n)}")
    return Value(v.type._replace(ndim=len(n)), v.code, n=n, pure=v.pure and all(x.pure for x in lengths))


def _viewed(tr, v, dtype):
    """The bytes of an array as elements of another type."""
    t, old = known_type(dtype), v.type.dtype
    tr.unit.need_type(t)
    n, s = list(v.n), v.s
    if t.size != old.size:
        if v.type.layout != "C" and str(arrays.stride(v, v.type.ndim - 1)) != "1":
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        last = n[-1]
        n[-1] = last * old.size // t.size if isinstance(last, int) else f"({last} * {old.size} / {t.size})"
        if s is not None:
            s = [x * old.size // t.size if isinstance(x, int) else f"({x} * {old.size} / {t.size})"
                 for x in s[:-1]] + [1]
    return Value(v.type._replace(dtype=t), f"(({t.c} *){v.code})", n=n, s=s, pure=v.pure)


def _transposed(tr, v, *axes):
    items = items_of(axes[0]) if len(axes) == 1 else None
    axes = list(axes if items is None else items)
    if not axes:
        return arrays.transposed(v)
    order = [known_int(k, "an axis of transpose()") % v.type.ndim for k in axes]
    if sorted(order) != list(range(v.type.ndim)):
        raise ValueError("transpose() takes every axis once")
    return Value(v.type._replace(layout="B" if v.type.layout == "B" else "A"), v.code, n=[v.n[k] for k in order],
                 s=[arrays.stride(v, k) for k in order], pure=v.pure)


def _filled(tr, v, value):
    value = tr._kept(value)
    tr.each(v, lambda item: value)


def _read(tr, v, *index):
    from .values import make_tuple
    return tr.subscript(v, make_tuple(list(index)) if len(index) != 1 else index[0])


_ARRAY_METHODS = {"reshape": _reshape, "view": _viewed, "transpose": _transposed, "fill": _filled, "item": _read,
                  "ravel": lambda tr, v: _reshape(tr, v, known(-1))}

ITERATORS = {}  # the C++ type of an Opaque that can be indexed -> the Scalar of its elements


def pointer(tr, v, end=False):
    """The address of an array's first element, or behind its last."""
    total = arrays.size(v)
    if v.type.layout == "A" and v.type.ndim == 1:
        tr.unit.need("#iterators")
        c = f"seq_strided<{v.type.dtype.c}>"
        s = arrays.stride(v, 0)
        last = f" + {total.const if total.known else total.code} * {s}" if end else ""
        return Value(Opaque(c), f"{c}{{{v.code}{last}, {s}}}")
    if v.type.layout not in "CF":
        raise TypeError("begin() and end() are for contiguous arrays, and for those of one dimension")
    text = f"({v.code} + {total.const if total.known else total.code})" if end else v.code
    return Value(Opaque(f"{v.type.dtype.c} *"), text)


def _number_attribute(v, name):
    t = v.type
    part = FLOAT if t is CFLOAT else DOUBLE
    if name in ("real", "imag"):
        if t.kind == "c":
            return Value(part, f"{v.code}.{name}()", pure=v.pure)
        return v if name == "real" else Value(t, convert("0", INT32, t))
    if name == "conjugate":
        return known(Method(name, lambda tr: functions.conjugate(tr, v)))
    if name == "dtype":
        return known(t.dtype)
    return None


def on_device(x):
    """Whether x is an array that only an argument can bring into a kernel."""
    from cuprite._core import ndarray
    if isinstance(x, ndarray):
        return True
    reached = hasattr(x, "__cuda_array_interface__") or hasattr(x, "__cuda_ndarray__")
    return reached and not hasattr(x, "__array_finalize__")  # NumPy's, in memory of the host: a constant


def known_subscript(tr, v, index):
    """v[index] of a known object with a known index, or of an object that is made by subscripts; else None."""
    special = getattr(v.const, "_kernel_subscript", None)
    if special is not None:
        return special(tr, index)
    if not index.known or isinstance(v.const, (int, float)):
        return None
    i = index.const
    whole = i if isinstance(i, tuple) else (i,)
    import numpy
    if isinstance(v.const, numpy.ndarray) and not all(isinstance(k, (int, numpy.integer)) for k in whole):
        return None
    if on_device(v.const) or not hasattr(type(v.const), "__getitem__") and \
            not isinstance(v.const, type) and not hasattr(v.const, "__class_getitem__"):
        return None
    found = v.const[i]
    return None if isinstance(found, numpy.ndarray) else known(found)


def call(tr, f, arguments, named):
    """f(*arguments, **named)"""
    if not f.known:
        raise TypeError(f"{describe(f)} cannot be called")
    x = f.const
    if isinstance(x, (Intrinsic, Method)):
        if x.write is None:
            raise TypeError(f"{x.__name__} cannot be called")
        return _written(tr, x, arguments, named)
    target = _conversion(x)
    if target is not None and not (x is complex and len(arguments) == 2):
        if len(arguments) != 1 or named:
            raise TypeError(f"{getattr(x, '__name__', x)} converts one number")
        return cast(tr, arguments[0], target)
    if getattr(x, "_is_device_function", False):
        return tr.call_function(x._function, x._rules, arguments, named, getattr(x, "_by_signature", None))
    if ADDED and tr.rules.widens:
        made = ADDED["call"](tr, x, arguments, named)
        if made is not None:
            return made
    write = functions.lookup(x)
    if write is not None and tr.rules.widens and (_takes_out(x, arguments, named) or isinstance(
            getattr(arguments[0] if arguments else None, "type", None), Array) and getattr(x, "nin", 0)):
        return _elementwise(tr, x, write, arguments, named)
    if write is not None:
        return _written(tr, Method(getattr(x, "__name__", str(x)), write), arguments, named)
    if all(v.known for v in arguments) and all(v.known for v in named.values()) and _constant_function(x):
        return known(x(*(v.const for v in arguments), **{k: v.const for k, v in named.items()}))
    known_all = all(v.known for v in (*arguments, *named.values()))
    if known_all and hasattr(x, "__code__") and not tr.rules.widens:  # CuPy's: computed while the kernel is written
        return known(tr.unit.host_call(x, [v.const for v in arguments], {k: v.const for k, v in named.items()}))
    meant, write = OTHERS.get(getattr(x, "__name__", None), (None, None))
    if write is not None and tr.rules.widens and meant(x):
        return _written(tr, Method(x.__name__, write), arguments, named)
    name = getattr(x, "__name__", None) or repr(x)
    if callable(x) and hasattr(x, "__code__"):
        raise TypeError(f"{name} is a Python function of the host: a kernel calls device functions only "
                        "(device=True)")
    raise TypeError(f"{name} cannot be called in a kernel")


def _takes_out(x, arguments, named):
    """Whether a ufunc is given an array for its result."""
    return getattr(x, "nout", 0) == 1 and ("out" in named or len(arguments) == x.nin + 1)


def _elementwise(tr, x, write, arguments, named):
    """A ufunc of arrays and numbers that writes into an array, element by element."""
    if not _takes_out(x, arguments, named) or set(named) - {"out"}:
        raise TypeError(f"np.{x.__name__} of an array makes a new array, which a kernel cannot: give one for the "
                        f"result, as np.{x.__name__}(..., out)")
    out = named.get("out") or arguments[-1]
    items = items_of(out)
    out = items[0] if items is not None and len(items) == 1 else out
    if not isinstance(out.type, Array):
        raise TypeError(f"the result of np.{x.__name__} goes into an array, not into {describe(out)}")
    values = [tr.array_of(v) if v.known and not number(v.const) else tr._kept(v) for v in arguments[:x.nin]]
    method = Method(x.__name__, write)
    tr.each(out, lambda item: _written(tr, method, [item(v) for v in values], {}))
    return out


def _constant_function(x):
    """Functions of the host whose results are constants: dtypes, finfo and the like."""
    import numpy
    return x in (numpy.dtype, numpy.finfo, numpy.iinfo, slice, tuple, len, str, math.log2, math.prod) or \
        isinstance(x, type) and issubclass(x, (numpy.generic, tuple))


def _written(tr, x, arguments, named):
    import inspect
    try:
        inspect.signature(x.write).bind(tr, *arguments, **named)
    except TypeError as e:
        raise TypeError(f"{x.__name__}: {e}".replace("'tr'", "")) from None
    made = x.write(tr, *arguments, **named)
    return Value(VOID, None) if made is None else made


_PYTHON_TYPES = {bool: BOOL, int: INT64, float: DOUBLE, complex: scalar("complex128")}


def _conversion(x):
    """The Scalar that calling x converts to, else None."""
    if isinstance(x, type) and x in _PYTHON_TYPES:
        return x
    if getattr(x, "_scalar", None) is not None:
        return x._scalar
    import numpy
    if isinstance(x, type) and issubclass(x, numpy.generic):
        return scalar(x)
    if isinstance(x, numpy.dtype):
        return scalar(x)
    return None


def _known_cast(tr, v, target):
    """target(v) of a constant; NumPy's scalars have Numba's types."""
    kind = getattr(getattr(v.const, "dtype", None), "kind", None) if tr.rules.widens else None
    if target is int and kind in ("i", "u") or target is float and kind == "f":
        return v
    if target is complex and kind == "f" and v.const.dtype == "f":
        return known(CFLOAT.dtype.type(v.const))
    return known(target(v.const))


def cast(tr, v, target):
    """target(v), of a number."""
    if isinstance(target, type):  # Python's own: int of a number that is whole stays what it is
        t = _PYTHON_TYPES[target]
        if v.known:
            return _known_cast(tr, v, target)
        if isinstance(v.type, Scalar):
            if target is int and v.type.kind in "iu" or target is float and v.type.kind == "f":
                return v
            if t.kind in "if" and v.type.kind == "c":
                raise TypeError(f"{target.__name__} of a complex number")
            if target is complex and v.type is FLOAT and tr.rules.widens:
                t = CFLOAT
        target = t
    tr.unit.need_type(target)
    if v.known and number(v.const) and tr.rules.widens and target.kind in "iu" and whole_number(v.const):
        bits = 8 * target.size  # wraps, as Numba has it
        x = int(v.const) % (1 << bits)
        return known(target.dtype.type(x - (1 << bits) if target.kind == "i" and x >> (bits - 1) else x))
    if v.known and number(v.const):
        return known(target.dtype.type(v.const)) if not isinstance(v.const, complex) or target.kind == "c" else \
            _refuse_complex(target)
    return Value(target, as_type(v, target), pure=v.pure, nonneg=nonneg_as(v, target))


def whole_number(x):
    import numpy
    return isinstance(x, (int, numpy.integer, numpy.bool_))


def _refuse_complex(target):
    raise TypeError(f"a complex number cannot become {target.name}")


def known_int(v, what):
    """An integer that must be known while the kernel is compiled."""
    import numpy
    if v.known and isinstance(v.const, (int, numpy.integer)) and not isinstance(v.const, bool):
        return int(v.const)
    raise TypeError(f"{what} must be a constant integer (RequireLiteralValue), not {describe(v)}")


def known_shape(v):
    items = items_of(v)
    shape = [known_int(x, "an extent of a shared or local array") for x in ([v] if items is None else items)]
    if any(n < 0 for n in shape):
        raise ValueError("an extent of a shared or local array cannot be negative")
    return shape


def known_type(v):
    """The Scalar that an argument `dtype` names."""
    if v.known:
        x = v.const
        if getattr(x, "_scalar", None) is not None:
            return x._scalar
        try:
            return elements.element(x)
        except TypeError as e:
            raise TypeError(f"Invalid NumPy dtype specified: {x!r}: {e}") from None
    raise TypeError(f"the dtype must be a constant, not {describe(v)}")


def _numbers_alone(tr, t):
    """CuPy's kernels have arrays of numbers only."""
    if not tr.rules.widens and not isinstance(t, Scalar):
        scalar(t.dtype)


def static_array(tr, place, shape, t):
    """A new array in shared memory or of this thread alone; declared at the beginning of the function."""
    total = 1
    for n in shape:
        total *= n
    _numbers_alone(tr, t)
    tr.unit.need_type(t)
    name = tr.array_name("shared_array" if place else "local_array")
    tr.local_bytes += 0 if place else total * t.size
    tr.arrays.append(f"{place}{t.c} {name}[{max(total, 1)}];")
    return Value(Array(t, len(shape), "C"), name, n=list(shape))


def dynamic_array(tr, t):
    """The shared memory whose size the launch gives, as an array of t."""
    _numbers_alone(tr, t)
    tr.unit.need_type(t)
    tr.unit.dynamic_shared = True
    name = tr.array_name("shared_array")
    tr.arrays.append(f"{t.c} *{name} = ({t.c} *)dynamic_shared;")
    return Value(Array(t, 1, "C"), name, n=[f"(dynamic_shared_bytes / {t.size})"])
