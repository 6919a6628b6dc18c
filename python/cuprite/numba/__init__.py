"""Numba's interface to kernels, on both devices: `cuda.jit`, `vectorize`, `guvectorize`, types and signatures.

    from cuprite.numba import cuda, vectorize, float32

`python -m cuprite program.py` lets `numba` stand for this where Numba is not installed. Functions are compiled by way
of CUDA C++: by NVRTC for a GPU, by the C++ compiler of the machine for the CPU. `njit` and `jit` make functions that
kernels can call; on the host they run compiled, where they can be, else as Python.
"""
from cuprite.numba import core, errors, types  # noqa: F401
from cuprite._compiler.numba import config  # noqa: F401
from cuprite._compiler.numba._host import (  # noqa: F401
    get_num_threads, jit, njit, prange, set_num_threads, stencil, threading_layer)
from cuprite._compiler.numba._types import *  # noqa: F401,F403
from cuprite._compiler.numba._types import from_dtype, typeof  # noqa: F401
from cuprite._compiler.ast.unroll import literal_unroll  # noqa: F401
from cuprite._compiler.numba.vectorized import guvectorize, vectorize  # noqa: F401
from cuprite._missing import listing as _listing, missing as _missing

__version__ = "0.61.0"


def __getattr__(name):
    if name == "cuda":
        import importlib
        return importlib.import_module("cuprite._compiler.numba_cuda")
    raise _missing(__name__, name)


__dir__ = _listing(__name__, "cuda")
