"""Kernels written as Python functions, with the interface of cupyx.jit.

    @jit.rawkernel()
    def double(x, y, n):
        i = jit.grid(1)
        if i < n:
            y[i] = 2 * x[i]

    double((blocks,), (threads,), (x, y, n))        or        double[blocks, threads](x, y, n)

The function is compiled for the types of its arguments when it is first called with them: by NVRTC for a GPU, by the
C++ compiler of the machine for the CPU.
"""
from cuprite.jit import cg, cub, thrust  # noqa: F401
from cuprite._compiler.jit._kernel import rawkernel
from cuprite._compiler.jit._names import (  # noqa: F401
    atomic_add, atomic_and, atomic_cas, atomic_dec, atomic_exch, atomic_inc, atomic_max, atomic_min, atomic_or,
    atomic_sub, atomic_xor, blockDim, blockIdx, grid, gridDim, gridsize, laneid, range, shared_memory, shfl_down_sync,
    shfl_sync, shfl_up_sync, shfl_xor_sync, syncthreads, syncwarp, threadIdx, warpsize)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

__all__ = ["rawkernel", "threadIdx", "blockIdx", "blockDim", "gridDim", "grid", "gridsize", "laneid", "warpsize",
           "range", "syncthreads", "syncwarp", "shared_memory", "shfl_sync", "shfl_up_sync", "shfl_down_sync",
           "shfl_xor_sync", "atomic_add", "atomic_sub", "atomic_exch", "atomic_min", "atomic_max", "atomic_inc",
           "atomic_dec", "atomic_cas", "atomic_and", "atomic_or", "atomic_xor", "cg", "cub", "thrust"]
