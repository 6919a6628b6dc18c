"""numba.cuda.kernels."""
from cuprite._compiler.numba_cuda.kernels import reduction, transpose  # noqa: F401
