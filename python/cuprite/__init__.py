"""Cuprite: NumPy's array model on CPUs and NVIDIA GPUs, with CuPy's interface.

    import cuprite as cp
    x = cp.asarray(image)
    m = cp.median(x)

Importing this neither imports NumPy nor opens a device; both happen when something needs them.
"""
import os as _os

from cuprite import _after_import, _core
from cuprite._core import *  # noqa: F401,F403  (every ufunc and function of the extension)
from cuprite._core import (  # noqa: F401
    DeviceSynchronized, OutOfMemoryError, UFuncTypeError, _unpickle, ndarray, ufunc)
from cuprite._foreign import FOREIGN as _FOREIGN
from cuprite._lazy import LATER as _LATER
from cuprite._missing import missing as _missing
from cuprite._shaping import *  # noqa: F401,F403

del rows  # noqa: F821

__version__ = "0.1.0"
__array_api_version__ = "2024.12"

pi = 3.141592653589793
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None

# Names that NumPy has and that mean the same here; looked up there when first used.
_NUMPY = {
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128", "byte", "ubyte", "short", "ushort", "intc", "uintc", "int_", "uint", "intp", "uintp",
    "long", "ulong", "longlong", "ulonglong", "half", "single", "double", "csingle", "cdouble", "generic", "number",
    "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating", "dtype", "finfo", "iinfo",
    "bool", "issubdtype", "printoptions", "set_printoptions", "get_printoptions", "format_float_scientific",
    "format_float_positional", "base_repr", "binary_repr",
    "broadcast_shapes", "index_exp", "s_", "ndindex", "mintypecode", "typename",
    "True_", "False_", "ScalarType", "sctypeDict", "typecodes", "little_endian", "dtypes",
}
_MODULES = {"cuda", "dask", "distributed", "exceptions", "fft", "io", "jit", "lib", "linalg", "numba", "optimizing",
            "polynomial", "profiler", "random", "scipy", "selftest", "signal", "testing", "time", "typing"}


def __getattr__(name):
    if name == "__all__":  # `from cuprite import *` is of every name, those that are not imported yet too
        return [n for n in __dir__() if not n.startswith("_")]
    if name in _NUMPY:
        import numpy
        value = getattr(numpy, name)
    elif name in _MODULES:
        import importlib
        value = importlib.import_module("cuprite." + name)
    elif name in _LATER:
        import importlib
        value = getattr(importlib.import_module("cuprite." + _LATER[name]), name)
    elif name in _FOREIGN:
        from cuprite._dtypes import foreign
        value = foreign(name).type
    elif name == "AxisError":
        from numpy.exceptions import AxisError as value
    elif name == "special":  # where SciPy looks for functions of other libraries' arrays
        from cuprite.scipy import special as value
    elif name == "emath":
        from cuprite.lib import scimath as value
    elif name == "flatiter":
        from cuprite._support import Flat as value
    elif name == "annotations":  # CuPy's module has this name, as one that is not for use
        import __future__
        value = __future__.annotations
    else:
        raise _missing("cuprite", name)
    globals()[name] = value
    return value


def __dir__():
    own = {n for n in globals() if not n.startswith("_") or n.startswith("__")}  # completion shows no private name
    return sorted((own | _NUMPY | _MODULES | set(_FOREIGN) | set(_LATER) |
                   {"AxisError", "emath", "flatiter", "special"}) - {"annotations", "__dir__", "__getattr__"})


def get_array_module(*args):
    """`cuprite` when one of the arguments is an array or a sparse matrix of Cuprite's, else `numpy`.

    Parameters: *args: anything.

    Example:
        >>> cp.get_array_module(cp.arange(3)).__name__
        'cuprite'
    """
    import sys
    for a in args:
        if isinstance(a, ndarray) or type(a).__module__.startswith("cuprite.scipy.sparse"):
            return sys.modules["cuprite"]
    import numpy
    return numpy


def is_available() -> bool:
    """Whether there is a GPU; True in a process that calls Cuprite cupy, where programs ask whether they may run."""
    from cuprite import cuda
    return cuda.is_available()


def get_default_memory_pool():
    """The pool that arrays come from, of the current device."""
    from cuprite.cuda import memory
    return memory._default_pool


def get_default_pinned_memory_pool():
    """The pool of alloc_pinned_memory. What transfers stage through is Cuprite's own and not in it."""
    from cuprite.cuda import pinned_memory
    return pinned_memory.default_pool


def install_as_cupy() -> None:
    """From now on `import cupy` and `import cupyx` in this process mean Cuprite."""
    from cuprite._alias import install
    install()


def install_as_numba() -> None:
    """From now on `import numba` in this process means cuprite.numba, whether Numba is installed or not."""
    from cuprite._alias import install_numba
    install_numba()


def _await_imports():
    """Before a fork: lets imports that other threads are in come to their end. Modules come in when they are first
    used, and a child would wait for ever for one that only its parent goes on with."""
    import sys
    import time
    from _thread import get_ident
    locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    ours = {"cuprite", "numpy", *sys.stdlib_module_names}  # what a first call of ours may import
    end = time.monotonic() + 1  # an import may wait for one that the thread which forks is in
    while time.monotonic() < end:
        for name, reference in list(locks.items()):
            owner = getattr(reference(), "owner", None)
            if owner not in (None, get_ident()) and name.split(".")[0] in ours:
                break
        else:
            return
        time.sleep(1e-3)


# The hook lives as long as the interpreter: with globals of its own it keeps nothing of the module alive that long.
_os.register_at_fork(before=type(_await_imports)(_await_imports.__code__, {"__builtins__": __builtins__}))
_after_import.watch()
