"""cupy.cuda.cub: its operations and types. Cuprite reduces and sorts by kernels of its own, so there is nothing to
choose: `available` is False, the functions raise NotImplementedError."""
import enum

from cuprite.cuda._absent import function
from cuprite._missing import listing as _listing, missing as _missing

available = False


class cupy_cub_op(enum.IntEnum):
    """The operations."""
    CUPY_CUB_SUM = 0
    CUPY_CUB_MIN = 1
    CUPY_CUB_MAX = 2
    CUPY_CUB_ARGMIN = 3
    CUPY_CUB_ARGMAX = 4
    CUPY_CUB_CUMSUM = 5
    CUPY_CUB_CUMPROD = 6
    CUPY_CUB_PROD = 7


globals().update(cupy_cub_op.__members__)

_WITHOUT_HALF = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128"
_TYPES = {"CUB_support_dtype_without_half": _WITHOUT_HALF, "CUB_support_dtype_with_half": _WITHOUT_HALF + " float16",
          "CUB_sum_support_dtype_without_half": "int64 uint64 float32 float64 complex64 complex128",
          "CUB_sum_support_dtype_with_half": "int64 uint64 float32 float64 complex64 complex128 float16"}
_TYPES["CUB_support_dtype"] = _TYPES["CUB_support_dtype_with_half"]
_TYPES["CUB_sum_support_dtype"] = _TYPES["CUB_sum_support_dtype_with_half"]


def __getattr__(name):
    if name not in _TYPES:
        raise _missing(__name__, name)
    import numpy
    return [numpy.dtype(word) for word in _TYPES[name].split()]


def get_build_version():
    """0: there is none."""
    return 0


for _name, _instead in {"cub_histogram": "cuprite.histogram counts", "cub_scan": "cuprite.cumsum and cumprod do that",
                        "cub_reduction": "cuprite's reductions do that",
                        "device_histogram": "cuprite.histogram counts", "device_reduce": "cuprite's reductions do that",
                        "device_scan": "cuprite.cumsum and cumprod do that",
                        "device_segmented_reduce": "cuprite's reductions along axes do that"}.items():
    globals()[_name] = function("CUB", f"cub.{_name}", _instead)


__dir__ = _listing(__name__)
