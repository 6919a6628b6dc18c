"""cupy.cuda.driver: the error class of CUDA's driver, versions, and contexts and events by their handles.

An invalid launch of a user kernel, such as a block of too many threads, raises CUDADriverError on every device.
"""
from cuprite._core import _CUDADriverError as CUDADriverError  # noqa: F401
from cuprite.cuda import runtime
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

_NAMES = {
    0: "CUDA_SUCCESS", 1: "CUDA_ERROR_INVALID_VALUE", 2: "CUDA_ERROR_OUT_OF_MEMORY", 3: "CUDA_ERROR_NOT_INITIALIZED",
    4: "CUDA_ERROR_DEINITIALIZED", 100: "CUDA_ERROR_NO_DEVICE", 101: "CUDA_ERROR_INVALID_DEVICE",
    200: "CUDA_ERROR_INVALID_IMAGE", 201: "CUDA_ERROR_INVALID_CONTEXT", 209: "CUDA_ERROR_NO_BINARY_FOR_GPU",
    218: "CUDA_ERROR_INVALID_PTX", 300: "CUDA_ERROR_INVALID_SOURCE", 301: "CUDA_ERROR_FILE_NOT_FOUND",
    400: "CUDA_ERROR_INVALID_HANDLE", 500: "CUDA_ERROR_NOT_FOUND", 600: "CUDA_ERROR_NOT_READY",
    700: "CUDA_ERROR_ILLEGAL_ADDRESS", 701: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", 702: "CUDA_ERROR_LAUNCH_TIMEOUT",
    716: "CUDA_ERROR_MISALIGNED_ADDRESS", 719: "CUDA_ERROR_LAUNCH_FAILED",
    720: "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", 801: "CUDA_ERROR_NOT_SUPPORTED", 999: "CUDA_ERROR_UNKNOWN",
}


_NUMBERS = {name: number for number, name in _NAMES.items()}


def _init(self, *args):
    if len(args) == 1 and isinstance(args[0], int):
        name = _NAMES.get(args[0], f"CUDA_ERROR {args[0]}")
        args = (f"{name}: {name.removeprefix('CUDA_ERROR_').replace('_', ' ').lower()}",)
    self.args = args


def _status(self):
    """The driver's number of the error, which its text begins with; 999 where it has none."""
    word = str(self).partition(":")[0]
    number = word.removeprefix("CUDA_ERROR ")
    return _NUMBERS.get(word, int(number) if number.isdigit() else 999)


CUDADriverError.__init__ = _init
CUDADriverError.status = property(_status)


def check_status(status):
    """Raises CUDADriverError, whose `status` is that number, for every status but 0."""
    if status:
        raise CUDADriverError(status)


def get_build_version() -> int:
    """The version of CUDA that this was made for; 0 where the current device is not CUDA's."""
    return runtime.runtimeGetVersion()


def getVersion():
    """The version of the driver; 0 without one."""
    return runtime.driverGetVersion()
