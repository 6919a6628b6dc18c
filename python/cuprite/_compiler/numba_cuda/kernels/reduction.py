"""numba.cuda.kernels.reduction."""
from cuprite._compiler.numba_cuda._reduce import Reduce  # noqa: F401
