"""Values while a kernel is written: a type and the C++ expression that computes it, or a compile-time Python object.

An expression is always a complete operand: it can stand beside any operator without further parentheses. `pure` says
that it may be evaluated twice, `nonneg` whether it is known not to be negative: 2: certainly, 1: unless its computation
wraps (an index whose sign needs no check, as it would be out of range anyway), 0: unknown.
"""
import enum
import math

from .types import (BOOL, DOUBLE, FLOAT, HALF, INT32, INT64, OBJECT, UINT32, UINT64, Array, Scalar, Tuple)

NOTHING = object()


class Value:
    __slots__ = ("type", "code", "const", "pure", "nonneg", "items", "n", "s", "lvalue")

    def __init__(self, type, code=None, const=NOTHING, pure=True, nonneg=False, items=None, n=None, s=None,
                 lvalue=False):
        self.type, self.code, self.const, self.pure = type, code, const, pure
        self.nonneg = 2 if nonneg is True or getattr(type, "kind", "") in ("b", "u") else int(nonneg)
        self.items = items      # of a tuple: its values
        self.n, self.s = n, s   # of an array: expressions of lengths and strides
        self.lvalue = lvalue      # an element that can be assigned and whose address can be taken

    @property
    def known(self):
        return self.const is not NOTHING

    def __repr__(self):
        return f"Value({self.type!r}, {self.code!r})"


def number(x):
    """Whether a Python object is a number that a kernel can hold."""
    import numpy
    if isinstance(x, enum.Enum):
        return number(x.value)
    return isinstance(x, (bool, int, float, complex, numpy.bool_, numpy.number)) and \
        not isinstance(x, numpy.timedelta64)


def plain(x):
    """The number that a member of an enumeration stands for; other numbers as they are."""
    return x.value if isinstance(x, enum.Enum) else x


def _real(x, t):
    x = float(x)
    if math.isnan(x):
        text = "(1e300 * 1e300 - 1e300 * 1e300)"
    elif math.isinf(x):
        text = "(1e300 * 1e300)" if x > 0 else "(-(1e300 * 1e300))"
    else:
        if t is FLOAT:
            import numpy
            with numpy.errstate(over="ignore"):
                x = float(numpy.float32(x))
            if math.isinf(x):
                return _real(x, t)
        text = repr(x) + ("f" if t is FLOAT else "")
        return f"({text})" if text[0] == "-" else text
    return f"((float){text})" if t is FLOAT else text


def literal(x, t):
    """The C++ text of a Python number as a value of the type t."""
    x = plain(x)
    if t is BOOL:
        return "true" if x else "false"
    if t.kind in "iu":
        bits = 8 * t.size
        x = int(x) % (1 << bits)
        if t.kind == "i" and x >= 1 << (bits - 1):
            x -= 1 << bits
        end = {INT64: "LL", UINT64: "ULL", UINT32: "u"}.get(t, "")
        if t in (INT64, INT32) and x == -(1 << (bits - 1)):
            return f"(-{-(x + 1)}{end} - 1)"
        text = f"{x}{end}" if x >= 0 else f"({x}{end})"
        return text if t.size >= 4 else f"(({t.c}){text})"
    if t.kind == "c":
        x = complex(x)
        part = FLOAT if t.size == 8 else DOUBLE
        return f"{t.c}({_real(x.real, part)}, {_real(x.imag, part)})"
    if t is HALF:
        return f"__float2half({_real(x, FLOAT)})"
    return _real(x, t)


def convert(code, a, b):
    """Text of type a -> text of type b. Of a complex number that becomes real the real part stays."""
    if a is b:
        return code
    if a is HALF:
        code, a = f"__half2float({code})", FLOAT
        if b is FLOAT:
            return code
    if b is BOOL:
        return f"({code} != {a.c}(0))" if a.kind == "c" else f"({code} != 0)"
    if a.kind == "c":
        return f"{b.c}({code})" if b.kind == "c" else convert(f"{code}.real()", FLOAT if a.size == 8 else DOUBLE, b)
    if b.kind == "c":
        part = FLOAT if b.size == 8 else DOUBLE
        return f"{b.c}({convert(code, a, part)})"
    if b is HALF:
        return f"__float2half({convert(code, a, FLOAT)})"
    return f"(({b.c}){code})"


def as_type(v, t):
    """The text of a value as one of the type t."""
    if not isinstance(t, Scalar) and hasattr(t, "from_value"):  # no number (elements.py)
        return t.from_value(v)
    if v.known:
        if not number(v.const):
            raise TypeError(f"{describe(v)} is not a number")
        if t.kind != "c" and isinstance(plain(v.const), complex):
            raise TypeError(f"the complex number {v.const!r} cannot become {t.name}")
        if t.kind in "iu" and isinstance(plain(v.const), float) and not math.isfinite(plain(v.const)):
            raise TypeError(f"{v.const!r} cannot become {t.name}")
        return literal(v.const, t)
    if not isinstance(v.type, Scalar):
        raise TypeError(f"{describe(v)} is not a number")
    return convert(v.code, v.type, t)


def nonneg_as(v, t):
    """`nonneg` of a value that becomes one of the type t."""
    if t.kind in "bu":
        return 2
    if v.known:
        whole = isinstance(v.const, int) and t.kind == "i"
        return v.nonneg if not whole or v.const < 1 << (8 * t.size - 1) else 0
    if t.integer and not v.type.integer or t.kind == "i" and v.type.size >= t.size and v.type is not t:
        return 0
    return v.nonneg


def describe(v):
    """How an error message calls a value."""
    if v.known:
        return f"{v.const!r}" if number(v.const) or isinstance(v.const, str) else \
            f"the {type(v.const).__name__} {getattr(v.const, '__name__', '')}".rstrip()
    if isinstance(v.type, Array):
        return f"an array ({v.type.dtype.name}, {v.type.ndim}-d)"
    if isinstance(v.type, Tuple):
        return "a tuple"
    return f"a value of type {v.type!r}"


def make_tuple(items):
    """A tuple of values; of known ones it is known itself."""
    if all(v.known for v in items):
        return Value(OBJECT, const=tuple(v.const for v in items))
    return Value(Tuple(tuple(v.type for v in items)), items=list(items), pure=all(v.pure for v in items))


def known(x):
    p = plain(x)
    return Value(OBJECT, const=x, nonneg=number(p) and not isinstance(p, complex) and p >= 0)


def items_of(v):
    """The values of a tuple (or of a known sequence), else None. A slice has items too and is no tuple."""
    if v.items is not None:
        return v.items if isinstance(v.type, Tuple) else None
    if v.known and isinstance(v.const, (tuple, list)):
        return [known(x) for x in v.const]
    return None
