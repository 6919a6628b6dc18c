"""Types of values in a kernel: scalars, arrays, tuples. They are immutable and compare by value, so a
tuple of them is the key of a compiled kernel."""
from typing import NamedTuple


class Scalar:
    """One of NumPy's number types; there is one object of each."""
    __slots__ = ("name", "kind", "size", "c", "rank", "short")

    def __init__(self, name, kind, size, c, rank, short):
        self.name, self.kind, self.size, self.c, self.rank, self.short = name, kind, size, c, rank, short

    @property
    def dtype(self):
        import numpy
        return numpy.dtype(self.name)

    integer = property(lambda self: self.kind in "biu")
    signed = property(lambda self: self.kind == "i")

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return scalar, (self.name,)


# In the order of C's conversion ranks; `rank` is the index in it.
_ROWS = [("bool", "b", 1, "bool", "b1"), ("int8", "i", 1, "signed char", "i1"),
         ("uint8", "u", 1, "unsigned char", "u1"),
         ("int16", "i", 2, "short", "i2"), ("uint16", "u", 2, "unsigned short", "u2"), ("int32", "i", 4, "int", "i4"),
         ("uint32", "u", 4, "unsigned int", "u4"), ("int64", "i", 8, "long long", "i8"),
         ("uint64", "u", 8, "unsigned long long", "u8"), ("float16", "f", 2, "__half", "f2"),
         ("float32", "f", 4, "float", "f4"), ("float64", "f", 8, "double", "f8"),
         ("complex64", "c", 8, "complex<float>", "c8"), ("complex128", "c", 16, "complex<double>", "c16")]
SCALARS = {row[0]: Scalar(row[0], row[1], row[2], row[3], rank, row[4]) for rank, row in enumerate(_ROWS)}

BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, HALF, FLOAT, DOUBLE, CFLOAT, CDOUBLE = SCALARS.values()


def no_records(dtype):
    """TypeError for a structured dtype: kernels have no records."""
    names = getattr(dtype, "names", None)
    if names:
        raise TypeError(f"kernels have no records, which {dtype} describes: give an array for each field, as "
                        f"numpy.ascontiguousarray(x[{names[0]!r}])")


def scalar(name):
    """The Scalar of a dtype, a dtype's name or a NumPy scalar type; TypeError for what no kernel has."""
    t = SCALARS.get(name) if isinstance(name, str) else None
    if t is None:
        import numpy
        try:
            dtype = numpy.dtype(name)
        except TypeError:
            dtype = None
        no_records(dtype)
        t = dtype and SCALARS.get(dtype.name)
        if t is None:
            raise TypeError(f"a kernel has no values of the type {name!r}")
    return t


class Array(NamedTuple):
    """An array: element type, dimensions, and how its strides are known: 'C' and 'F' follow from the shape, 'A' are
    counted in elements, 'B' in bytes. `states` marks the states of random generators, `packed` elements that may lie on
    any byte."""
    dtype: Scalar
    ndim: int
    layout: str
    states: bool = False
    packed: bool = False

    @property
    def short(self):
        return f"{self.dtype.short}{self.layout}{self.ndim}{'p' * self.packed}"

    def __repr__(self):
        return f"array({self.dtype.name}, {self.ndim}d, {self.layout})"


class Tuple(NamedTuple):
    """Several values; `fields` are the names of a namedtuple's."""
    items: tuple
    fields: tuple = ()

    @property
    def short(self):
        return "t" + "".join(t.short for t in self.items)

    def __repr__(self):
        return "(" + ", ".join(map(repr, self.items)) + ")"


class Constant(NamedTuple):
    """An argument that a kernel is compiled for, a member of an enumeration or a type."""
    value: object

    short = property(lambda self: "k")

    def __repr__(self):
        return repr(self.value)


class Opaque(NamedTuple):
    """A value of C++ that only intrinsics understand, a cooperative group for instance."""
    c: str

    @property
    def short(self):
        return self.c

    def __repr__(self):
        return self.c


class _Void:
    c, short = "void", "v"

    def __repr__(self):
        return "None"


class _Object:
    """A Python object that is known while the kernel is compiled and has no value of C++."""
    short = "o"

    def __repr__(self):
        return "object"


VOID = _Void()
OBJECT = _Object()
