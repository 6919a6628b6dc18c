"""numba.cuda.cudadrv.driver: the driver's version, its error; bytes of arrays on the device, set and copied."""
from cuprite._compiler.numba_cuda._api import Event, Stream  # noqa: F401
from cuprite._compiler.numba_cuda.cudadrv.error import CudaAPIError, CudaDriverError  # noqa: F401
from cuprite._compiler.numba_cuda.devicearray import DeviceNDArray as MemoryPointer  # noqa: F401
from cuprite._compiler.numba_cuda.devicearray import flat_bytes, using

USE_NV_BINDING = False  # the driver is not reached through NVIDIA's Python package


def device_pointer(obj) -> int:
    """The address of what lies on the device: an array, or its memory."""
    return int(getattr(obj, "gpu_data", obj).device_pointer)


def device_memory_size(devmem) -> int:
    """The bytes of an array on the device, or of memory there."""
    return flat_bytes(devmem).nbytes


def is_device_memory(obj) -> bool:
    """Whether obj lies on the device."""
    return bool(getattr(obj, "__cuda_memory__", False))


def host_memory_extents(obj):
    """The addresses of the first byte and behind the last of a NumPy array, or of anything that gives its bytes."""
    import numpy
    if isinstance(obj, numpy.ndarray):
        return numpy.lib.array_utils.byte_bounds(obj)
    first = flat_bytes(obj).__array_interface__["data"][0]
    return first, first + flat_bytes(obj).size


def host_pointer(obj, readonly=False) -> int:
    """The address of the first byte of host_memory_extents."""
    return host_memory_extents(obj)[0]


def host_memory_size(obj) -> int:
    """The bytes in host_memory_extents."""
    first, end = host_memory_extents(obj)
    return end - first


def device_memset(dst, val, size, stream=0) -> None:
    """Gives the first `size` bytes a value of 0 to 255."""
    _issue(stream, flat_bytes(dst)[:size], val)


def host_to_device(dst, src, size, stream=0) -> None:
    """Copies bytes of the host to the device."""
    import cuprite
    _issue(stream, flat_bytes(dst)[:size], cuprite.asarray(flat_bytes(src)[:size]))


def device_to_host(dst, src, size, stream=0) -> None:
    """Copies bytes of the device to the host."""
    with using(stream):
        part = flat_bytes(src)[:size]
        flat_bytes(dst)[:size] = part.get() if hasattr(part, "get") else part


def device_to_device(dst, src, size, stream=0) -> None:
    """Copies bytes on the device."""
    _issue(stream, flat_bytes(dst)[:size], flat_bytes(src)[:size])


def _issue(stream, part, value):
    """part[...] = value; pinned arrays of the host lie for Numba on the device too."""
    with using(stream):
        part[...] = value.get() if hasattr(value, "get") and not hasattr(part, "get") else value


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
