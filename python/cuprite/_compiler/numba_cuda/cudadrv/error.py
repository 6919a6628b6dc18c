"""numba.cuda.cudadrv.error: errors of CUDA by Numba's names."""
from cuprite._core import CUDARuntimeError as CudaAPIError  # noqa: F401
from cuprite._core import _CUDADriverError as CudaDriverError  # noqa: F401
from cuprite._compiler.numba.errors import NumbaError as CudaSupportError  # noqa: F401
from cuprite.cuda import compiler

NvrtcError = NvrtcCompilationError = compiler.CompileException  # of what is linked, on the CPU too


class LaunchError(CudaDriverError, CudaAPIError):
    """A launch that CUDA refuses, of the driver's kind as in CUDA; programs of Numba's expect a CudaAPIError."""

    msg = property(str)


class NvvmError(Exception):
    """NVVM failed. Kernels are compiled without it."""


class NvvmSupportError(ImportError):
    """There is no NVVM."""
