"""Numba's decorators for functions of the host. Kernels can call what they decorate; the host runs it as Python."""
import builtins
import functools

from cuprite._ast.intrinsics import Range
from cuprite._ast.rules import Numba

RULES = Numba()


class HostFunction:
    """A function of the host that kernels can call too."""
    _is_device_function, _rules = True, RULES

    def __init__(self, function):
        self._function = self.py_func = function
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return f"<numba function {self.__name__}>"


def jit(signature_or_function=None, **options):
    """A function that kernels can call; the host runs it as Python."""
    if callable(signature_or_function) and hasattr(signature_or_function, "__code__"):
        return HostFunction(signature_or_function)
    return HostFunction


def njit(signature_or_function=None, **options):
    """A function that kernels can call; the host runs it as Python."""
    return jit(signature_or_function, **options)


def stencil(*args, **kwargs):
    """Stencils are not there: a kernel of cuda.jit does the same."""
    raise NotImplementedError("numba.stencil is not there: write a kernel, or use scipy.ndimage.correlate")


class _Prange(Range):
    """range, as kernels and the host see it."""

    def __call__(self, *args):
        return builtins.range(*args)


prange = _Prange("prange")


def get_num_threads():
    """How many threads the CPU device uses."""
    from cuprite import _device
    return _device.threads()


def set_num_threads(n):
    """Sets how many threads the CPU device uses."""
    from cuprite import _device
    _device.threads(n)
