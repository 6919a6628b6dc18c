"""The type of an array's elements as the package's own code asks for it: x.dtype is NumPy's, and to import NumPy takes
longer than most first calls.

Invariant: an ElementType is the type's name with a dtype's kind, char and itemsize, and goes wherever a dtype does."""
from cuprite import _core
from cuprite._foreign import ELEMENTS


class ElementType(str):
    """A type's name, with what its dtype says of it; equal to whatever else stands for the type.

    real: the type of the real part; eps: the distance from 1 to the next number, of floating and complex types."""
    __slots__ = ("kind", "itemsize", "char", "real", "eps")
    __hash__ = str.__hash__
    name = property(str.__str__)

    def __eq__(self, other):
        if type(other) is ElementType or other is None:
            return self is other
        if type(other) is str and other in TYPES:
            return TYPES[other] is self
        try:
            return str.__eq__(self, _core._promoted(other, other))
        except (TypeError, ValueError):
            return False

    def __ne__(self, other):
        return not self == other

    def __reduce__(self):
        return common_type, (str(self.name),)


def _made():
    types = {}
    for name, (kind, itemsize, char) in ELEMENTS.items():
        t = types[name] = ElementType(name)
        t.kind, t.itemsize, t.char = kind, itemsize, char
    for t in types.values():
        t.real = types[f"float{4 * t.itemsize}"] if t.kind == "c" else t
        t.eps = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}.get(str(t.real))
    return types


TYPES = _made()


def type_of(x, *otherwise):
    """The type of our array's or sparse matrix's elements; the dtype of anything else that has one, or `otherwise`."""
    t = getattr(x, "_type", None)
    return getattr(x, "dtype", *otherwise) if t is None else t


def common_type(first, *more):
    """The type that arrays, dtypes, types and names are promoted to; of one its own. Errors: those of dtype."""
    if type(first) is ElementType and (not more or len(more) == 1 and more[0] is first):
        return first
    first = _meant(first)
    name = first if more else _core._promoted(first, first)
    for x in more:
        name = _core._promoted(name, _meant(x))
    return TYPES[name]


def _meant(x):
    return x if isinstance(x, (str, type)) else type_of(x, x)
