"""numba.cuda: kernels written in Python, arrays on the device, streams and events; the "GPU" is Cuprite's current
device.

A kernel is launched as `kernel[blocks, threads, stream, shared_memory](*args)`; NumPy arrays among the arguments are
copied to the device and back.
"""
import sys

from cuprite._compiler.numba_cuda import (  # noqa: F401
    args, compiler, cudadrv, devicearray, fp16, kernels, libdevice, random, types, vector_types)
from cuprite._compiler.numba_cuda._api import *  # noqa: F401,F403
from cuprite._compiler.numba_cuda._dispatcher import (  # noqa: F401
    compile, compile_for_current_device, compile_ptx, compile_ptx_for_current_device, declare_device, jit)
from cuprite._compiler.numba_cuda._names import *  # noqa: F401,F403
from cuprite._compiler.numba_cuda._names import (  # noqa: F401
    atomic, blockDim, blockIdx, cg, const, gridDim, laneid, local, shared, threadIdx, warpsize)
from cuprite._compiler.numba_cuda.args import In, InOut, Out  # noqa: F401
from cuprite._compiler.numba_cuda._reduce import Reduce, reduce  # noqa: F401
from cuprite._compiler.numba_cuda.devicearray import DeviceNDArray  # noqa: F401
from cuprite._compiler.numba_cuda._vectors import VECTORS
from cuprite._compiler.numba_cuda.cudadrv import devices, driver, error, nvvm, runtime  # noqa: F401
from cuprite._compiler.numba.errors import NumbaError as CudaSupportError  # noqa: F401
from cuprite._missing import listing as _listing, missing as _missing

globals().update(VECTORS)
for _name, _x in vars(cudadrv.devicearray).items():  # which Numba calls numba.cuda.devicearray too
    vars(devicearray).setdefault(_name, _x)

# The names that programs know. The modules themselves are called otherwise, because packages that put themselves in the
# place of Numba's CUDA part take every module with numba.cuda in its name for theirs.
for _name in [n for n in sys.modules if n.partition(".")[2].startswith("_compiler.numba_cuda")]:
    sys.modules[_name.replace("_compiler.numba_cuda", "numba.cuda", 1)] = sys.modules[_name]



def __getattr__(name):
    if name == "gpus":
        from cuprite._compiler.numba_cuda import _api
        return _api.gpus
    raise _missing(__name__, name)


__dir__ = _listing(__name__)
