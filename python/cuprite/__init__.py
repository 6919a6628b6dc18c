"""Cuprite: NumPy's array model on CPUs and NVIDIA GPUs, with CuPy's interface.

    import cuprite as cp
    x = cp.asarray(image)
    m = cp.median(x)

Importing this neither imports NumPy nor opens a device; both happen when something needs them.
"""
import os as _os

from cuprite import _core
from cuprite._core import *  # noqa: F401,F403  (every ufunc and function of the extension)
from cuprite._core import (  # noqa: F401
    DeviceSynchronized, OutOfMemoryError, UFuncTypeError, _unpickle, ndarray, ufunc)
from cuprite._foreign import FOREIGN as _FOREIGN
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
_MODULES = {"cuda", "exceptions", "fft", "jit", "lib", "linalg", "numba", "polynomial", "profiler", "random", "scipy",
            "testing", "typing"}
# Names that stand in a module of their own, which is imported when one of them is first used.
_LATER = {
    "alltrue": "_old_names", "asfarray": "_old_names", "cumproduct": "_old_names", "product": "_old_names",
    "sometrue": "_old_names", "trapz": "_old_names", "byte_bounds": "lib.array_utils",
    "histogram": "_histograms", "histogram2d": "_histograms", "histogramdd": "_histograms",
    "histogram_bin_edges": "_histograms",
    "apply_along_axis": "_manipulation", "apply_over_axes": "_manipulation",
    "array_split": "_manipulation", "asarray_chkfinite": "_manipulation", "average": "_manipulation",
    "block": "_manipulation",
    "broadcast": "_manipulation", "delete": "_manipulation", "dsplit": "_manipulation", "gradient": "_manipulation",
    "hsplit": "_manipulation", "insert": "_manipulation", "isfortran": "_manipulation", "iterable": "_manipulation",
    "piecewise": "_manipulation", "require": "_manipulation", "rot90": "_manipulation", "row_stack": "_manipulation",
    "split": "_manipulation", "trim_zeros": "_manipulation", "unpackbits": "_manipulation", "unstack": "_manipulation",
    "vsplit": "_manipulation", "poly": "_polynomials", "poly1d": "_polynomials", "polyadd": "_polynomials",
    "polyder": "_polynomials", "polydiv": "_polynomials", "polyfit": "_polynomials", "polyint": "_polynomials",
    "polymul": "_polynomials", "polysub": "_polynomials", "polyval": "_polynomials", "roots": "_polynomials",
    "pad": "_pad",
    "RawKernel": "_raw", "RawModule": "_raw", "ElementwiseKernel": "_kernels", "ReductionKernel": "_kernels",
    "memoize": "_memo", "clear_memo": "_memo", "GeneralizedUFunc": "_gufunc",
    "empty_pinned": "_pinned", "zeros_pinned": "_pinned", "empty_like_pinned": "_pinned",
    "zeros_like_pinned": "_pinned",
    "seterr": "_cupyx", "geterr": "_cupyx", "errstate": "_cupyx", "get_runtime_info": "_cupyx",
    "allow_synchronize": "_cupyx", "annotations": "_cupyx",
    "scatter_add": "_scatter", "scatter_max": "_scatter", "scatter_min": "_scatter",
    "__array_namespace_info__": "_array_api", "isdtype": "_array_api",
    "array2string": "_printing", "array_repr": "_printing", "array_str": "_printing",
    "load": "_files", "save": "_files", "savez": "_files", "savez_compressed": "_files", "fromfile": "_files",
    "frombuffer": "_files", "fromstring": "_files", "loadtxt": "_files", "genfromtxt": "_files",
    "savetxt": "_files", "DataSource": "_files",
    "mgrid": "_index_tricks", "ogrid": "_index_tricks", "r_": "_index_tricks", "c_": "_index_tricks",
    "ix_": "_index_tricks",
    "isin": "_index_tricks", "indices": "_index_tricks", "select": "_index_tricks", "tri": "_index_tricks",
    "ravel_multi_index": "_index_tricks", "unravel_index": "_index_tricks", "mask_indices": "_index_tricks",
    "tril_indices": "_index_tricks", "triu_indices": "_index_tricks", "tril_indices_from": "_index_tricks",
    "triu_indices_from": "_index_tricks", "diag_indices": "_index_tricks", "diag_indices_from": "_index_tricks",
    "disp": "_old_names", "safe_eval": "_old_names", "get_array_wrap": "_old_names",
    "set_string_function": "_old_names", "who": "_old_names", "Inf": "_old_names", "Infinity": "_old_names",
    "infty": "_old_names", "PINF": "_old_names", "NINF": "_old_names", "NAN": "_old_names", "NaN": "_old_names",
    "PZERO": "_old_names", "NZERO": "_old_names", "singlecomplex": "_old_names", "cfloat": "_old_names",
    "complex_": "_old_names", "float_": "_old_names", "disable_experimental_feature_warning": "_old_names",
    "ComplexWarning": "exceptions", "ModuleDeprecationWarning": "exceptions", "RankWarning": "exceptions",
    "TooHardError": "exceptions", "VisibleDeprecationWarning": "exceptions",
    "common_type": "_type_names", "find_common_type": "_type_names", "format_parser": "_type_names",
    "issctype": "_type_names", "issubclass_": "_type_names", "issubsctype": "_type_names",
    "make_aligned_dtype": "_type_names", "min_scalar_type": "_type_names", "obj2sctype": "_type_names",
    "sctype2char": "_type_names",
    "ndenumerate": "_manipulation", "fromfunction": "_manipulation", "fromiter": "_manipulation",
    "shares_memory": "_manipulation",
    "vander": "_polynomials",
    "show_config": "_cupyx",
    "fuse": "_fuse", "vectorize": "_fuse", "fused": "_fused",
}


def __getattr__(name):
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
    elif name == "__all__":  # for `from cuprite import *`, also of what is made when it is first used
        return [n for n in __dir__() if not n.startswith("_")]
    elif name == "flatiter":
        from cuprite._support import Flat as value
    else:
        raise AttributeError(f"module 'cuprite' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | _NUMPY | _MODULES | set(_FOREIGN) | set(_LATER) |
                  {"AxisError", "emath", "flatiter", "special"})


def get_array_module(*args):
    """`cuprite` when one of the arguments is an array of Cuprite's, else `numpy`."""
    import sys
    for a in args:
        if isinstance(a, ndarray):
            return sys.modules["cuprite"]
    import numpy
    return numpy


def is_available():
    """Whether there is a GPU."""
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


def install_as_cupy():
    """From now on `import cupy` and `import cupyx` in this process mean Cuprite."""
    from cuprite._alias import install
    install()


def install_as_numba():
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
