"""The array API's inspection of a namespace: versions, devices, dtypes."""
from __future__ import annotations

import numpy

from cuprite import _device
from cuprite._foreign import FOREIGN

__all__ = ["__array_namespace_info__", "isdtype"]

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]
_EVERY = _KINDS["bool"] + _KINDS["numeric"]


def _checked(device):
    """A device that is there, or None."""
    from cuprite import cuda
    if device is not None:
        cuda.Device(device)


class __array_namespace_info__:  # noqa: N801  (the standard's name)
    """What this namespace can do, its devices and dtypes."""
    __module__ = "cuprite"

    def capabilities(self):
        """A dict: boolean indexing, shapes that depend on data, the most dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The device that is current in this thread."""
        from cuprite import cuda
        return cuda.Device()

    def default_dtypes(self, *, device=None):
        """The dtypes that functions give where none is asked for."""
        _checked(device)
        return {"real floating": numpy.dtype("float64"), "complex floating": numpy.dtype("complex128"),
                "integral": numpy.dtype("int64"), "indexing": numpy.dtype("int64")}

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes by their names, of a kind or of several."""
        _checked(device)
        if kind is None:
            names = _EVERY
        elif isinstance(kind, tuple):
            return {name: dtype for k in kind for name, dtype in self.dtypes(kind=k).items()}
        elif kind in _KINDS:
            names = _KINDS[kind]
        else:
            raise ValueError(f"unsupported kind: {kind!r}")
        return {name: numpy.dtype(name) for name in names}

    def devices(self):
        """Every device: the CPU and the GPUs."""
        from cuprite import cuda
        return [cuda.Device("cpu"), *(cuda.Device(i) for i in range(_device.count()))]


def isdtype(dtype, kind) -> bool:
    """Whether a dtype is of a kind of the standard's ("integral"), is that dtype, or is one of several."""
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    if name not in FOREIGN:
        other = kind if isinstance(kind, tuple) else (kind,)
        return numpy.isdtype(dtype, tuple(k for k in other if getattr(k, "name", k) not in FOREIGN) or ())
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any(k in ("real floating", "numeric") if isinstance(k, str) and k in _KINDS else
               (getattr(k, "name", None) or getattr(k, "__name__", None)) == name for k in kinds)
