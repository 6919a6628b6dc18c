"""numba.cuda.cudadrv.nvvm: kernels are compiled without it."""
from cuprite._compiler.numba_cuda.cudadrv.error import NvvmError, NvvmSupportError  # noqa: F401


def is_available():
    """Whether kernels can be compiled: they can."""
    return True


def get_supported_ccs():
    """The compute capabilities that kernels can be compiled for."""
    from cuprite._compiler.numba_cuda._api import get_supported_ccs
    return get_supported_ccs()
