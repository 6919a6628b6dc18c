"""numba.cuda: kernels written in Python, arrays on the device, streams and events; the "GPU" is Cuprite's current
device.

A kernel is launched as `kernel[blocks, threads, stream, shared_memory](*args)`; NumPy arrays among the arguments are
copied to the device and back.
"""
from cuprite.numba.cuda import random, types  # noqa: F401
from cuprite.numba.cuda._api import *  # noqa: F401,F403
from cuprite.numba.cuda._dispatcher import declare_device, jit  # noqa: F401
from cuprite.numba.cuda._names import *  # noqa: F401,F403
from cuprite.numba.cuda._names import (  # noqa: F401
    atomic, blockDim, blockIdx, cg, const, gridDim, laneid, local, shared, threadIdx, warpsize)
from cuprite.numba.cuda._reduce import Reduce, reduce  # noqa: F401
from cuprite.numba.cuda.devicearray import DeviceNDArray  # noqa: F401
from cuprite.numba.errors import NumbaError as CudaSupportError  # noqa: F401

cudadrv = None


def __getattr__(name):
    if name == "gpus":
        from cuprite.numba.cuda import _api
        return _api.gpus
    raise AttributeError(f"module 'numba.cuda' has no attribute {name!r}")
