"""numba.cuda.cudadrv: what programs ask of CUDA's driver and runtime through Numba."""
from cuprite._compiler.numba_cuda.cudadrv import (  # noqa: F401
    devicearray, devices, driver, drvapi, error, nvvm, runtime)
