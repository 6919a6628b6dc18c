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
    return Intrinsic(name, write, f"{name}(...): {n} values of {t.name}, x, y, z, w.")


VECTORS = {f"{name}x{n}": _vector(f"{name}x{n}", t, n) for name, t in _TYPES.items() for n in (1, 2, 3, 4)}
VECTORS.update({f"{alias}{n}": VECTORS[f"{name}x{n}"] for alias, name in _ALIASES.items() for n in (1, 2, 3, 4)})
