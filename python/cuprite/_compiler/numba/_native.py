"""Functions of njit on the host: compiled for the types of their arguments, by the C++ compiler of the machine, and run
by one thread on the CPU device; NumPy arrays are used without a copy.

What cannot be compiled (there is no compiler, or the function uses more of Python than kernels have) runs as Python.
Either way the results of numbers are Python's numbers, as Numba's are, and a division by zero raises.
"""
import os
import threading
from types import SimpleNamespace

from cuprite._compiler.ast import compiling, launch
from cuprite._compiler.ast.rules import Numba
from cuprite._compiler.ast.types import VOID, Array, Tuple, scalar
from cuprite._compiler.ast.values import Value, as_type

_SPEAKS = ("printf(", "assert(")  # what a thread of a kernel does differently


class HostRules(Numba):
    """Numba's, and a divisor of zero is noted."""
    notes_zero = True


class Declined(Exception):
    """The function is not for compiling."""


class Native(launch.Compiled):
    """One thread that calls the function and writes what it returns behind the arguments."""

    def __init__(self, function, types):
        import cuprite
        self.result, self._lock = VOID, threading.Lock()
        values = launch.values_of(types, [None] * len(types))
        out = launch.array_value(Array(scalar("uint8"), 1, "C"))
        super().__init__(function, HostRules(), values + [out], ("--fmad=false",), body=self._body)
        if any(word in self.source for word in _SPEAKS):
            raise Declined
        with cuprite.cuda.Device("cpu"):
            self._launch = self._load()
            self._launch.compile()

    def _body(self, unit, function, name, values, kernel):
        tr, heads, arguments = SimpleNamespace(unit=unit), [], []
        for k, v in enumerate(values[:-1]):
            arguments.append(compiling._parameter(tr, f"given_{k}", v, heads, (k,)))
        called, self.result = unit.device_function(function, unit.rules, arguments)
        call = unit.call_text(called, arguments)
        unit.need("host_zero")
        heads.append(("unsigned char *out", (len(values) - 1, "data")))
        lines = ["    host_zero = 0;"]
        if self.result is VOID:
            lines.append(f"    {call};")
        else:
            unit.c_type(self.result)
            lines.append(f"    auto result = {call};")
            for k, (t, text) in enumerate(_parts(self.result, "result")):
                lines.append(f"    *({t.c} *)(out + {16 * (k + 1)}) = {as_type(Value(t, text), t)};")
        return heads, lines + ["    *out = (unsigned char)host_zero;"]

    def __call__(self, args):
        import cuprite
        import numpy
        parts = _parts(self.result, "")
        out = numpy.zeros(16 * (len(parts) + 1), "u1")
        with self._lock, cuprite.cuda.Device("cpu"):
            self._launch((1,), (1,), self.flatten(*map(_given, args), _Given(out)))
        found = [out[16 * (k + 1):][:t.size].view(t.dtype)[0].item() for k, (t, _) in enumerate(parts)]
        return _joined(self.result, iter(found)), bool(out[0])


class _Given:
    """A NumPy array among the arguments: what the list of a kernel's parameters is made of."""
    __slots__ = ("shape", "strides", "ptr", "keep")

    def __init__(self, x):
        self.shape, self.strides, self.keep = x.shape, x.strides, x
        self.ptr = x.__array_interface__["data"][0]


def _parts(t, text):
    """(type, text) of each number in a result."""
    if t is VOID:
        return []
    if isinstance(t, Tuple):
        return [p for k, x in enumerate(t.items) for p in _parts(x, f"{text}.v{k}")]
    return [(t, text)]


def _joined(t, numbers):
    if t is VOID:
        return None
    if isinstance(t, Tuple):
        return tuple([_joined(x, numbers) for x in t.items])
    return next(numbers)


def type_of(x):
    """The type of an argument; Declined: kernels have no such."""
    import numpy
    if isinstance(x, numpy.ndarray):
        if not x.dtype.isnative or not x.flags.aligned:
            raise Declined
        layout = "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else \
            "A" if all(s % x.itemsize == 0 for s in x.strides) else "B"
        return Array(scalar(x.dtype), x.ndim, layout)
    if isinstance(x, tuple) and x:
        return Tuple(tuple(map(type_of, x)), getattr(x, "_fields", ()))
    if isinstance(x, (bool, int, float, complex, numpy.generic)):
        from cuprite._compiler.numba import _types
        return _types.to_kernel_type(_types.typeof(x))
    raise Declined


def _given(x):
    import numpy
    if isinstance(x, numpy.ndarray):
        return _Given(x)
    return tuple(map(_given, x)) if isinstance(x, tuple) else x


def usable():
    """Whether functions are compiled: not where accesses are checked, for NumPy's memory is not the device's."""
    return os.environ.get("CUPRITE_CHECK", "0") in ("", "0") and \
        os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def compiled(function, types):
    """The function for these types; None where it is to run as Python."""
    try:
        return Native(function, types)
    except Exception:  # whatever it was, Python says what is wrong with the function, if anything is
        return None
