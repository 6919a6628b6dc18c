"""numba.cuda.cudadrv: what programs ask of CUDA's driver and runtime through Numba."""
from cuprite._compiler.numba_cuda.cudadrv import devices, driver, drvapi, error, nvvm, runtime  # noqa: F401
from cuprite._compiler.numba_cuda import devicearray  # noqa: F401
