"""Errors of compilers, with the names of cupy.cuda.compiler."""
from __future__ import annotations

from cuprite import _core
from cuprite.cuda._absent import function
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)


class CompileException(_core._CompileError):
    """A kernel's source does not compile. Its text is what the compiler said, with the source's own line numbers."""

    def __init__(self, msg, source, name, options, backend="nvrtc"):
        super().__init__(msg)
        self._msg, self.source, self.name, self.options, self.backend = msg, source, name, options, backend

    def __reduce__(self):
        return type(self), (self._msg, self.source, self.name, self.options, self.backend)

    def get_message(self):
        """What the compiler said."""
        return self._msg

    def __str__(self):
        return self._msg

    def dump(self, f):
        """Writes the message and the numbered source to the file object `f`."""
        lines = self.source.split("\n")
        digits = len(str(len(lines)))
        f.write(f"{self.backend} compilation error: {self._msg}\n-----\nName: {self.name}\n"
                f"Options: {' '.join(self.options)}\nSource:\n")
        for number, line in enumerate(lines, 1):
            f.write(f"{number:0{digits}} {line}".rstrip() + "\n")
        f.write("-----\n")
        f.flush()


class NVCCException(Exception):
    """nvcc failed. Cuprite never calls it."""


class HIPCCException(Exception):
    """hipcc failed. Cuprite has no devices of AMD's."""


class JitifyException(Exception):
    """Jitify failed. Cuprite does without it."""


def is_valid_kernel_name(name):
    """Whether a kernel can be called so: an identifier of C.

    Parameters: name: a string."""
    return name.isidentifier() and name.isascii()


_INSTEAD = "RawModule(code=...) compiles a source and keeps what was compiled"
compile_using_nvrtc = function("NVRTC", "compiler.compile_using_nvrtc", _INSTEAD)
compile_using_nvcc = function("nvcc", "compiler.compile_using_nvcc", _INSTEAD)
compile_using_hipcc = function("hipcc", "compiler.compile_using_hipcc", _INSTEAD)
