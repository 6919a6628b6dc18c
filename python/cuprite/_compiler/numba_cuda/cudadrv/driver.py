"""numba.cuda.cudadrv.driver: the driver's version, its error."""
from cuprite._compiler.numba_cuda.cudadrv.error import CudaAPIError, CudaDriverError  # noqa: F401
from cuprite._compiler.numba_cuda.devicearray import DeviceNDArray as MemoryPointer  # noqa: F401


class Driver:
    """`driver.get_version()`, `driver.get_device_count()`"""

    @staticmethod
    def get_version():
        """(major, minor); (0, 0) without a driver."""
        from cuprite.cuda import runtime
        version = runtime.driverGetVersion()
        return version // 1000, version % 1000 // 10

    @staticmethod
    def get_device_count():
        """The number of devices."""
        from cuprite._compiler.numba_cuda._api import gpus
        return len(gpus)

    @staticmethod
    def get_device(number=0):
        """A device."""
        from cuprite._compiler.numba_cuda._api import gpus
        return gpus[number]


driver = Driver()
