"""The error of cupy.cuda.driver."""
from cuprite._core import _CUDADriverError as CUDADriverError  # noqa: F401
