"""Functions of CUDA C++ that kernels of cuda.jit call: cuda.declare_device names one, link= has the files they are in.

As Numba has it, such a function writes what it returns to its first parameter and returns 0; the thread ends where it
returns anything else. The files' text stands before the kernel's, on every device.
"""
import re

from cuprite._compiler.ast.intrinsics import OTHERS, Method
from cuprite._compiler.ast.types import VOID, Array, Opaque, Scalar
from cuprite._compiler.ast.values import Value, as_type, describe, known
from cuprite._compiler.numba import _types


class Linked:
    """The text of linked files, and the folders that their includes are looked for in."""

    def __init__(self, files=()):
        import os
        parts, self.options = [], ()
        for file in [files] if isinstance(files, (str, os.PathLike)) else files:
            path = os.fspath(file)
            if not path.endswith(".cu"):
                raise NotImplementedError(f"cuda.jit: {path} cannot be linked: files of CUDA C++ can (link='NAME.cu'); "
                                          "compiled code is there for one device only")
            with open(path, encoding="utf-8") as f:
                text = f.read()
            macros = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M)  # which are the file's alone
            parts.append("\n".join([text, *(f"#undef {m}" for m in dict.fromkeys(macros)), ""]))
            self.options += (f"-I{os.path.dirname(os.path.abspath(path))}",)
        self.text = "".join(parts)
        self.names = set(re.findall(r"[A-Za-z_]\w*", self.text))


class Declared:
    """A function of declare_device."""

    def __init__(self, name, sig):
        self.name = self.__name__ = name
        self.sig = sig

    def _kernel_value(self, tr):
        linked = tr.unit.linked
        if linked is None or self.name not in linked.names:
            raise NotImplementedError(f"{self.name} is declared with cuda.declare_device, and no file that is linked "
                                      "(cuda.jit(link='NAME.cu')) has it")
        return known(Method(self.name, self._write))

    def _write(self, tr, *values):
        wanted = self.sig.args
        if len(values) != len(wanted):
            raise TypeError(f"{self.name} takes {len(wanted)} arguments, not {len(values)}")
        result = _types.to_kernel_type(self.sig.return_type)
        texts = [_argument(v, _types.to_kernel_type(t)) for v, t in zip(values, wanted)]
        made = tr.fresh(f"{self.name}_result")
        if result is not VOID:
            tr.unit.need_type(result)
            tr.put_before(f"{result.c} {made};")
        call = f"{self.name}({', '.join(['0' if result is VOID else '&' + made] + texts)})"
        tr.put_before(f"if ({call} != 0) {{ {tr.stop()} }}")
        return Value(result, "" if result is VOID else made, pure=True)


def _argument(v, t):
    if isinstance(t, Scalar):
        return as_type(v, t)
    if isinstance(t, Opaque) and isinstance(v.type, Opaque):
        return f"({t.c})({v.code})"
    raise TypeError(f"{describe(v)} is no {t!r}: ffi.from_buffer(array) gives an array's address")


def is_from_buffer(x):
    """Whether x is from_buffer of an FFI of cffi's."""
    return getattr(x, "__name__", "") == "from_buffer" and type(getattr(x, "__self__", None)).__name__ == "FFI"


def from_buffer(tr, v):
    """ffi.from_buffer(array): the address of its first element."""
    if not isinstance(v.type, Array) or v.type.layout not in ("C", "F"):
        raise TypeError(f"from_buffer takes an array whose elements have no gaps, not {describe(v)}")
    return Value(Opaque(f"{v.type.dtype.c} *"), v.code, pure=True)


OTHERS["from_buffer"] = is_from_buffer, from_buffer
