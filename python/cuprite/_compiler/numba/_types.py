"""Numba's types: numbers (`float32`), arrays (`float32[:, ::1]`, `Array(float32, 2, 'C')`), tuples, signatures
(`void(float32[:], int32)`), and all of them as strings."""
from cuprite._compiler.ast import elements, types as t

__all__ = ["boolean", "bool_", "b1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
           "float16", "float32", "float64", "complex64", "complex128", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8",
           "f2", "f4", "f8", "c8", "c16", "byte", "char", "uchar", "short", "ushort", "int_", "uint", "intc", "uintc",
           "intp", "uintp", "long_", "ulong", "longlong", "ulonglong", "float_", "double", "size_t", "ssize_t",
           "void", "none", "Array", "CPointer", "Tuple", "UniTuple", "Signature", "Type"]


class Type:
    """A type; called with types it is the signature of a function with that result.

    Parameters: name: what it is called."""

    def __init__(self, name):
        self.name = name

    def _key(self):
        return self.name

    def __call__(self, *arguments):
        if all(isinstance(a, Type) for a in arguments):
            return Signature(self, arguments)
        raise TypeError(f"{self} cannot convert a value")

    def __eq__(self, other):
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return self.name

    def __getitem__(self, index):
        """float32[:], float32[:, ::1] (C), float32[::1, :] (Fortran)"""
        axes = index if isinstance(index, tuple) else (index,)
        if not all(isinstance(a, slice) and a.start is None and a.stop is None and a.step in (None, 1) for a in axes):
            raise KeyError(f"an array type is written with colons, as float32[:, ::1], not with {index!r}")
        dense = [a.step == 1 for a in axes]
        if sum(dense) > 1:
            raise KeyError("only the first or the last axis of an array type can be contiguous")
        layout = "C" if dense[-1] else "F" if dense[0] else "A"
        if any(dense) and layout == "A":
            raise KeyError("only the first or the last axis of an array type can be contiguous")
        return Array(self, len(axes), layout)


class Number(Type):
    """A type of numbers."""

    def __init__(self, scalar):
        self._scalar = scalar
        self.name = scalar.name

    def __new__(cls, scalar):
        return object.__new__({"b": Boolean, "i": Integer, "u": Integer, "f": Float, "c": Complex}[scalar.kind])

    def _key(self):
        return self._scalar.name

    def __call__(self, *arguments):
        """A signature of types; a NumPy scalar of a number."""
        if arguments and not any(isinstance(a, (Type, Signature)) for a in arguments):
            return self._scalar.dtype.type(*arguments)
        return Type.__call__(self, *arguments)

    @property
    def dtype(self):
        return self._scalar.dtype

    bitwidth = property(lambda self: 8 * self._scalar.size)
    signed = property(lambda self: self._scalar.kind != "u")

    def __index__(self):
        raise TypeError(f"{self.name} is a type")

    def __reduce__(self):
        return _of_scalar, (self._scalar,)


class Integer(Number):
    """The types of integers."""


class Float(Number):
    """The types of floating-point numbers."""


class Complex(Number):
    """The types of complex numbers."""
    underlying_float = property(lambda self: float32 if self._scalar.size == 8 else float64)


class Boolean(Number):
    """The type of truth values."""


class Record(Type):
    """The type of records: a structured dtype's.

    Parameters: scalar: the type in a kernel."""

    def __init__(self, scalar):
        self._scalar, self.name = scalar, scalar.name

    def _key(self):
        return self._scalar

    dtype = property(lambda self: self._scalar.dtype)
    size = property(lambda self: self._scalar.size)
    aligned = property(lambda self: self._scalar.aligned)

    @property
    def fields(self):
        """Name -> type of each field, a nested array's as an array type."""
        return {f.name: Array(_of_scalar(f.type), len(f.shape), "C") if f.shape else _of_scalar(f.type)
                for f in self._scalar.fields}

    @classmethod
    def make_c_struct(cls, name_types):
        """A record with fields one behind the other, as a structure of C has them.

        Parameters: name_types: a sequence of (name, type)."""
        import numpy
        return from_dtype(numpy.dtype([(n, t.dtype) for n, t in name_types], align=True))


class _Other(Type):
    """The type of strings and datetimes."""

    def __init__(self, scalar):
        self._scalar, self.name = scalar, scalar.name

    def _key(self):
        return self._scalar

    dtype = property(lambda self: self._scalar.dtype)


class _Void(Type):
    """The type of functions that return nothing."""

    def __init__(self):
        super().__init__("none")

    def __reduce__(self):
        return "void"

    def _key(self):
        return ()


class Array(Type):
    """Array(dtype, ndim, layout): layout is 'C', 'F' or 'A' (any).

    Parameters: dtype: a type of numbers; ndim: the number of axes; layout: 'C', 'F' or 'A'; readonly: True: it
        cannot be written to; name: what it is called, or None; aligned: True.
    Errors: ValueError for another layout; TypeError for elements that are no numbers."""

    def __init__(self, dtype, ndim, layout, readonly=False, name=None, aligned=True):
        if layout not in ("C", "F", "A"):
            raise ValueError(f"the layout of an array type is 'C', 'F' or 'A', not {layout!r}")
        if not hasattr(dtype, "_scalar"):
            raise TypeError(f"an array's elements are numbers or records, not {dtype!r}")
        self.dtype, self.ndim, self.layout, self.mutable = dtype, ndim, layout, not readonly
        self.name = f"array({dtype}, {ndim}d, {layout})"

    def _key(self):
        return (self.dtype, self.ndim, self.layout)


class Tuple(Type):
    """Tuple((a, b)): a value of each type.

    Parameters: types: a sequence of types."""

    def __init__(self, types):
        self.types = tuple(types)
        self.count = len(self.types)
        self.name = f"Tuple({', '.join(map(repr, self.types))})"

    def _key(self):
        return self.types

    def __iter__(self):
        return iter(self.types)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        """The type of an item; the type of an array of tuples cannot be."""
        return self.types[index]


class CPointer(Type):
    """The address of elements, for functions of declare_device.

    Parameters: dtype: the type of the elements."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.name = f"{dtype}*"

    def _key(self):
        return self.dtype


class _Uniform(type):
    """Of UniTuple: every Tuple of one type is one."""

    def __call__(cls, dtype, count):
        return Tuple((dtype,) * count)

    def __instancecheck__(cls, x):
        return isinstance(x, Tuple) and len(set(x.types)) == 1


class UniTuple(metaclass=_Uniform):
    """A tuple of `count` values of one type.

    Parameters: dtype: the type; count: how many."""


class Signature:
    """A result type and argument types.

    Parameters: return_type: a type, or None; args: the types of the arguments."""

    def __init__(self, return_type, args):
        self.return_type, self.args = return_type, tuple(args)

    def __eq__(self, other):
        return isinstance(other, Signature) and (self.return_type, self.args) == (other.return_type, other.args)

    def __hash__(self):
        return hash((self.return_type, self.args))

    def __repr__(self):
        return f"({', '.join(map(repr, self.args))}) -> {self.return_type}"


(boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, float32, float64, complex64,
 complex128) = map(Number, t.SCALARS.values())
bool_ = b1 = boolean
i1 = char = int8
u1 = byte = uchar = uint8
i2 = short = int16
u2 = ushort = uint16
i4 = intc = int32
u4 = uintc = uint32
i8 = int_ = intp = long_ = longlong = ssize_t = int64
u8 = uint = uintp = ulong = ulonglong = size_t = uint64
f2, f4, f8, c8, c16 = float16, float32, float64, complex64, complex128
float_ = double = float64
void = none = _Void()

signed_domain = frozenset([int8, int16, int32, int64])
unsigned_domain = frozenset([uint8, uint16, uint32, uint64])
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset([float32, float64])
complex_domain = frozenset([complex64, complex128])
number_domain = real_domain | integer_domain | complex_domain

_OF = {n._scalar: n for n in (boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, float32,
                              float64, complex64, complex128)}


def from_dtype(dtype):
    """The type of a NumPy dtype's elements."""
    import numpy
    dtype = numpy.dtype(dtype)
    if dtype.subdtype:
        return Array(from_dtype(dtype.subdtype[0]), len(dtype.subdtype[1]), "C")
    return _of_scalar(elements.element(dtype))


def as_dtype(x):
    """The NumPy dtype of a type of elements.

    Parameters: x: a type.
    Errors: TypeError for what has none."""
    if not hasattr(x, "_scalar"):
        raise TypeError(f"{x!r} cannot be represented as a NumPy dtype")
    return x.dtype


def _of_scalar(x):
    return _OF[x] if isinstance(x, t.Scalar) else Record(x) if isinstance(x, elements.Record) else _Other(x)


def of_kernel_type(x):
    """The Numba type of a type in a kernel."""
    if isinstance(x, (t.Scalar, elements.Record, elements.Chars, elements.Time)):
        return _of_scalar(x)
    if isinstance(x, t.Array):
        return Array(_of_scalar(x.dtype), x.ndim, "A" if x.layout == "B" else x.layout)
    if isinstance(x, t.Tuple):
        return Tuple(map(of_kernel_type, x.items))
    if isinstance(x, t.Constant):
        return typeof(x.value) if isinstance(x.value, type) else _Known(x.value)
    return void


def of_value(v):
    """The Numba type of a value in a kernel."""
    from cuprite._compiler.ast.values import number
    if v.known and number(v.const):
        return typeof(v.const)
    if v.known:
        return void if v.const is None else _Known(v.const)
    return of_kernel_type(v.type)


class _Known(Type):
    """The type of an object that is known while a kernel is compiled: a string, a function."""

    def __init__(self, value):
        self.literal_value = value
        self.name = f"Literal[{type(value).__name__}]({value})"

    def _key(self):
        return id(self.literal_value)


class NumberClass(Type):
    """The type of a type of NumPy's as an argument, which a kernel is compiled for.

    Parameters: instance_type: the type of its values."""

    def __init__(self, instance_type):
        super().__init__(f"class({instance_type})")
        self.instance_type = instance_type


def to_kernel_type(x):
    """The type in a kernel of a Numba type."""
    if isinstance(x, NumberClass):
        return t.Constant(as_dtype(x.instance_type).type)
    if hasattr(x, "_scalar"):
        return x._scalar
    if isinstance(x, Array):
        return t.Array(x.dtype._scalar, x.ndim, x.layout)
    if isinstance(x, Tuple):
        return t.Tuple(tuple(map(to_kernel_type, x.types)))
    if x is void:
        return t.VOID
    if isinstance(x, CPointer):
        return t.Opaque(f"{to_kernel_type(x.dtype).c} *" if x.dtype is not void else "void *")
    raise TypeError(f"{x!r} is not a type of Numba's that a kernel can have")


def typeof(x):
    """The type that a value has as an argument.

    Parameters: x: any object.
    Errors: ValueError for what has none."""
    import numpy
    if isinstance(x, (bool, numpy.bool_)):
        return boolean
    if isinstance(x, int):
        return int64 if -(1 << 63) <= x < 1 << 63 else uint64
    if isinstance(x, float):
        return float64 if not isinstance(x, numpy.generic) else from_dtype(x.dtype)
    if isinstance(x, complex):
        return complex128 if not isinstance(x, numpy.generic) else from_dtype(x.dtype)
    if isinstance(x, tuple):
        return Tuple(map(typeof, x))
    if isinstance(x, type) and issubclass(x, numpy.generic):
        return NumberClass(from_dtype(numpy.dtype(x)))
    if isinstance(x, (numpy.datetime64, numpy.timedelta64, numpy.void)):
        return from_dtype(x.dtype)
    if hasattr(x, "dtype") and hasattr(x, "shape"):
        if isinstance(x, numpy.generic):
            return from_dtype(x.dtype)
        flags = getattr(x, "flags", None)
        if flags is not None and not hasattr(x, "_x"):
            layout = "C" if flags["C_CONTIGUOUS"] else "F" if flags["F_CONTIGUOUS"] else "A"
        else:
            layout = "C" if x.is_c_contiguous() else "F" if x.is_f_contiguous() else "A"
        if not x.ndim and x.dtype.names:
            return from_dtype(x.dtype)
        return Array(from_dtype(x.dtype), x.ndim, layout)
    if x is None:
        return void
    raise ValueError(f"cannot determine Numba type of {type(x)}")


def signature(x):
    """A Signature from one, from a string, or (the result left to be inferred: None) from a tuple of types."""
    if isinstance(x, Signature):
        return x
    if isinstance(x, str):
        space = {n: globals()[n] for n in __all__}
        space.update(types=_Space(space), bool=boolean, int=int64, float=float64)
        try:
            x = eval(x, {"__builtins__": {}}, space)
        except Exception as e:
            raise TypeError(f"{x!r} is not a signature: {e}") from None
        return signature(x)
    if isinstance(x, (tuple, list)) and all(isinstance(a, Type) for a in x):
        return Signature(None, x)
    raise TypeError(f"{x!r} is not a signature")


def is_signature(x):
    return isinstance(x, (str, Signature)) or isinstance(x, tuple) and all(isinstance(a, Type) for a in x)


class _Space:
    def __init__(self, names):
        self.__dict__.update(names)
