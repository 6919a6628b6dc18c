"""Type promotion in expressions, by three sets of rules: CUDA C's and NumPy's (the two modes of `jit.rawkernel`) and
Numba's. Each is a class with the same methods; `operands` gives the type in which an operation
computes and the type of its result."""
from .types import (BOOL, CDOUBLE, CFLOAT, DOUBLE, FLOAT, HALF, INT8, INT32, INT64, OBJECT, SCALARS, UINT64, Array,
                    Scalar, Tuple, scalar)
from .values import Value, describe, number, plain

_BY_RANK = list(SCALARS.values())
BITWISE = ("and", "or", "xor")
SHIFTS = ("lshift", "rshift")
SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "lshift": "<<",
         "rshift": ">>", "and": "&", "or": "|", "xor": "^", "matmul": "@"}


def of_constant(x):
    """The type of a NumPy scalar, else None."""
    import numpy
    return scalar(x.dtype) if isinstance(x, (numpy.number, numpy.bool_)) else None


def promote(a, b):
    """NumPy's result_type of two types."""
    import numpy
    return scalar(numpy.result_type(a.dtype, b.dtype))


class Rules:
    """What the three ways share: which operations there are for which kinds of numbers."""
    wraps = False           # a negative index counts from the end
    widens = False          # a variable's type is that of all its assignments together
    index = INT32           # of threadIdx and company
    notes_zero = False      # a zero divisor must be reported

    def type_of(self, v):
        """The scalar type of an operand."""
        if v.known:
            if not number(v.const):
                raise TypeError(f"{describe(v)} is not a number")
            if self.notes_zero and plain(v.const) is not v.const and not isinstance(v.const, int):
                raise TypeError("on the host a member of an enumeration is itself, not its number")
            return of_constant(plain(v.const)) or self.constant(plain(v.const))
        if not isinstance(v.type, Scalar):
            raise TypeError(f"{describe(v)} is not a number")
        return v.type

    def operands(self, op, a, b):
        t = self.common(a, b)
        return self.computed(op, t, self.type_of(a), self.type_of(b))

    def computed(self, op, t, a, b):
        """(type of the computation, type of the result) for operands that meet in t."""
        def refuse():
            raise TypeError(f"unsupported operand types for {SIGNS[op]}: {a.name} and {b.name}")
        if op in BITWISE or op in SHIFTS:
            if not t.integer:
                refuse()
            return (INT8, INT8) if t is BOOL and op in SHIFTS else (t, t)
        if t.kind == "c" and op in ("floordiv", "mod"):
            refuse()
        if t is BOOL:
            if op == "sub":
                raise TypeError("booleans cannot be subtracted: use ^")
            t = t if op in ("add", "mul") else INT8
        if op == "truediv" and t.integer:
            t = DOUBLE
        return t, t

    def compared(self, a, b):
        return self.common(a, b)

    def joined(self, a, b):
        """The type of a value that is one of two (x if c else y, min, max)."""
        return self.common(a, b)

    def floating(self, v):
        """The type in which sin and the like compute an argument."""
        t = self.type_of(v)
        if not t.integer:
            return t
        return HALF if t.size == 1 and self.halves else FLOAT if t.size <= 2 and self.halves else DOUBLE

    halves = True

    def loop(self, ufunc, values):
        """(types of the inputs, types of the results) in which a ufunc of NumPy computes."""
        import numpy
        given = [v.const if v.known and type(v.const) in (int, float, complex) else self.type_of(v).dtype
                 for v in values]
        t = scalar(numpy.result_type(*given))
        weak = [type(g) if not isinstance(g, numpy.dtype) else g for g in given]
        if all(isinstance(w, type) for w in weak):
            weak = [t.dtype] * len(weak)
        try:
            types = ufunc.resolve_dtypes((*weak, *[None] * ufunc.nout))
        except TypeError:
            raise TypeError(f"{ufunc.__name__} is not defined for "
                            f"{', '.join(self.type_of(v).name for v in values)}") from None
        return [scalar(d) for d in types[:ufunc.nin]], [scalar(d) for d in types[ufunc.nin:]]

    def assigned(self, name, old, v):
        """The type of a variable that had the type `old` and is assigned v."""
        t = self.type_of(v)
        if old.kind == t.kind or t.rank <= old.rank or (old.kind in "iu" and t.kind in "iub") or \
                (old.kind == "f" and t.kind == "f"):
            return old
        raise TypeError(f"the variable {name!r} is {old.name} and cannot become {t.name}: a variable has one type, "
                        "that of its first assignment")

    def stored(self, t, v):
        """Refuses what may not be written into an element of type t."""
        mine = self.type_of(v)
        order = "biufc"
        whole = mine.kind in "iu" and t.kind in "iu"
        if order.index(mine.kind) > order.index(t.kind) and not whole and t is not BOOL:
            raise TypeError(f"{mine.name} cannot be written into an array of {t.name}: cast it")


class Cuda(Rules):
    """mode='cuda': the wider type in the order of C's conversions; whole constants are int32, others float32."""
    mode = "cuda"

    def constant(self, x):
        if isinstance(x, bool):
            return BOOL
        if isinstance(x, int):
            return INT32 if -(1 << 31) <= x < 1 << 31 else INT64 if x < 1 << 63 else UINT64
        return CFLOAT if isinstance(x, complex) else FLOAT

    def common(self, a, b):
        return _BY_RANK[max(self.type_of(a).rank, self.type_of(b).rank)]

    def ranged(self, values):
        return self.type_of(values[1])

    def loop(self, ufunc, values):
        t = self.type_of(values[0])
        for v in values[1:]:
            t = self.common(Value(t, "x"), v)
        above = self.floating(Value(t, "x")) if t.integer else t
        for wanted in [t, above] + _BY_RANK[max(t.rank, above.rank) + 1:]:
            for types in ufunc.types:
                inputs, outputs = types.split("->")
                if set(inputs + outputs) <= _LOOPS | {"e"} and all(scalar(c) is wanted for c in inputs):
                    return [wanted] * len(inputs), [scalar(c) for c in outputs]
        raise TypeError(f"{ufunc.__name__} is not defined for {t.name}")


class Numpy(Rules):
    """mode='numpy': NumPy's promotion; Python's numbers are weak."""
    mode = "numpy"

    def constant(self, x):
        if isinstance(x, bool):
            return BOOL
        if isinstance(x, int):
            return INT64 if x < 1 << 63 else UINT64
        return CDOUBLE if isinstance(x, complex) else DOUBLE

    def common(self, a, b):
        import numpy
        parts = [v.const if v.known and type(v.const) in (int, float, complex) else self.type_of(v).dtype
                 for v in (a, b)]
        return scalar(numpy.result_type(*parts))

    def ranged(self, values):
        return INT64


class Numba(Rules):
    """Numba's: integers compute in 64 bits, Python's floats are doubles, a variable is wide enough for all that is
    assigned to it."""
    mode = "numba"
    wraps = widens = True
    halves = False

    def constant(self, x):
        return Numpy.constant(self, x)

    def common(self, a, b):
        return self.wide(self.type_of(a), self.type_of(b))

    def wide(self, a, b):
        if a.integer and b.integer:
            if a is b is BOOL:
                return BOOL
            return UINT64 if a.kind == b.kind == "u" else INT64
        return promote(as_inexact(a), as_inexact(b))

    def computed(self, op, t, a, b):
        if op == "pow" and b.integer:
            if a.kind == "f" and a is not HALF:
                return a, a
            if a is BOOL and b is INT32:
                return FLOAT, FLOAT
        if op in SHIFTS and a.integer:
            t = INT64 if a.kind in "ib" else UINT64
        if t is BOOL and op not in BITWISE:
            t = INT64
        return Rules.computed(self, op, t, a, b)

    def compared(self, a, b):
        a, b = self.type_of(a), self.type_of(b)
        return promote(a, b) if a.integer and b.integer else promote(as_inexact(a), as_inexact(b))

    def matched(self, a, b):
        """The one type of two arguments of a function that is there for int64, uint64 and the inexact types."""
        a, b = self.type_of(a), self.type_of(b)
        if not (a.integer and b.integer):
            return promote(as_inexact(a), as_inexact(b))
        if "i" in (a.kind, b.kind):
            return DOUBLE if UINT64 in (a, b) else INT64
        return INT64 if a is b is BOOL else UINT64

    def loop(self, ufunc, values):
        """(types of the inputs, types of the results) in which a ufunc of NumPy computes: the first of its loops that
        the arguments go into, integers into any inexact one where there is an inexact argument."""
        given = [self.type_of(v) for v in values]
        mixed = any(t.kind in "fc" for t in given)
        wanted = _LOOPS | {"e"} if HALF in given else _LOOPS
        for types in ufunc.types:
            inputs, outputs = types.split("->")
            if all(_goes_into(t, c, mixed) for t, c in zip(given, inputs)) and set(inputs + outputs) <= wanted:
                return [scalar(c) for c in inputs], [scalar(c) for c in outputs]
        raise TypeError(f"{ufunc.__name__} is not defined for {', '.join(t.name for t in given)}")

    def joined(self, a, b):
        a, b = self.type_of(a), self.type_of(b)
        return a if a is b else promote(a, b)

    def assigned(self, name, old, v):
        t = self.type_of(v)
        return old if old is t else promote(old, t)

    def stored(self, t, v):
        if self.type_of(v).kind == "c" and t.kind != "c":
            raise TypeError(f"a complex number cannot be written into an array of {t.name}")

    def ranged(self, values):
        types = [self.type_of(v) for v in values]
        if all(t.integer and t.size <= 4 for t in types) and not any(v.known for v in values[1:2]):
            return INT32 if all(t is INT32 for t, v in zip(types, values) if not v.known) else INT64
        return UINT64 if all(t is UINT64 for t, v in zip(types, values) if not v.known) and \
            not all(v.known for v in values) else INT64


_LOOPS = set("?bBhHiIlLqQfdFD")


def as_inexact(t):
    """What a number is beside an inexact one: Numba takes uint16 into float64, where NumPy takes it into float32."""
    return t if not t.integer else DOUBLE if t.size > 2 or t is SCALARS["uint16"] else FLOAT


def _goes_into(t, char, mixed):
    if mixed and t.kind in "iu" and char in "fdFD":
        return True
    import numpy
    return numpy.can_cast(t.dtype, char, "safe")


def same_shape(old, new):
    """Whether a variable that is an array or a tuple may be assigned again: its type must be the same."""
    return old == new and isinstance(new, (Array, Tuple)) or old is new is OBJECT
