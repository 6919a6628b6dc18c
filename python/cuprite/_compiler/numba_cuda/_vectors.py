"""cuda.float32x3 and its like: short vectors with x, y, z, w, made of numbers and shorter ones. In a kernel they are
tuples whose items have one type."""
from cuprite._compiler.ast.intrinsics import Intrinsic
from cuprite._compiler.ast.types import DOUBLE, FLOAT, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, Tuple
from cuprite._compiler.ast.values import Value, as_type, items_of

_TYPES = {"int8": INT8, "int16": INT16, "int32": INT32, "int64": INT64, "uint8": UINT8, "uint16": UINT16,
          "uint32": UINT32, "uint64": UINT64, "float32": FLOAT, "float64": DOUBLE}
# CUDA's names of them
_ALIASES = {"char": "int8", "short": "int16", "int": "int32", "longlong": "int64", "uchar": "uint8", "ushort": "uint16",
            "uint": "uint32", "ulonglong": "uint64", "float": "float32", "double": "float64"}


class VectorType(Intrinsic):
    """A type of short vectors: called in a kernel it makes one."""

    def __init__(self, name, write, doc, t, n):
        from cuprite._compiler.numba import _types
        super().__init__(name, write, doc)
        self.name, self.base_type, self.num_elements, self.attr_names = name, _types._OF[t], n, "xyzw"[:n]
        self.aliases = []

    user_facing_object = property(lambda self: self)


def _vector(name, t, n):
    def write(tr, *values):
        parts = []
        for v in values:
            items = items_of(v)
            parts += [v] if items is None else items
        if len(parts) != n:
            raise TypeError(f"{name} is made of {n} numbers, not {len(parts)}")
        return Value(Tuple((t,) * n), items=[Value(t, as_type(v, t), pure=v.pure) for v in parts],
                     pure=all(v.pure for v in parts))
    return VectorType(name, write, f"{name}(...): {n} values of {t.name}, x, y, z, w.", t, n)


VECTORS = {f"{name}x{n}": _vector(f"{name}x{n}", t, n) for name, t in _TYPES.items() for n in (1, 2, 3, 4)}
TYPES = dict(VECTORS)
for _alias, _name in _ALIASES.items():
    for _n in (1, 2, 3, 4):
        TYPES[f"{_name}x{_n}"].aliases.append(f"{_alias}{_n}")
        VECTORS[f"{_alias}{_n}"] = TYPES[f"{_name}x{_n}"]
