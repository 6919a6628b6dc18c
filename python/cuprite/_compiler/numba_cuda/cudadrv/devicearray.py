"""numba.cuda.cudadrv.devicearray: arrays and records on the device, and what is asked about arrays."""
from cuprite._compiler.numba_cuda._api import auto_device  # noqa: F401
from cuprite._compiler.numba_cuda._host_arrays import ManagedNDArray, MappedNDArray  # noqa: F401
from cuprite._compiler.numba_cuda.devicearray import (  # noqa: F401
    DeviceNDArray, DeviceRecord, from_record_like, is_cuda_array)

errmsg_contiguous_buffer = "Array contains non-contiguous buffer and cannot be transferred as a single memory " \
                           "region. Please ensure contiguous buffer with numpy .ascontiguousarray()"


def is_cuda_ndarray(obj) -> bool:
    """Whether obj is an array of numba.cuda."""
    return getattr(obj, "__cuda_ndarray__", False)


def require_cuda_ndarray(obj) -> None:
    """ValueError for what is no array of numba.cuda."""
    if not is_cuda_ndarray(obj):
        raise ValueError("require an cuda ndarray object")


def verify_cuda_ndarray_interface(obj) -> None:
    """AttributeError where obj lacks what an array of numba.cuda has."""
    import numpy
    require_cuda_ndarray(obj)
    for name, kind in (("shape", tuple), ("strides", tuple), ("dtype", numpy.dtype), ("size", int)):
        if not isinstance(getattr(obj, name), kind):
            raise AttributeError(f"{name} must be of type {kind}")


def array_core(ary):
    """The array without the axes that are repeated, whose stride is 0."""
    if not ary.strides or not ary.size:
        return ary
    return ary[tuple(0 if step == 0 else slice(None) for step in ary.strides)]


def is_contiguous(ary) -> bool:
    """Whether the elements lie in C order without gaps, axes of one element and repeated ones left out."""
    step = ary.dtype.itemsize
    for n, s in zip(reversed(ary.shape), reversed(ary.strides)):
        if n > 1 and s != 0:
            if s != step:
                return False
            step *= n
    return True


def sentry_contiguous(ary) -> None:
    """ValueError for an array whose elements have gaps."""
    core = array_core(ary)
    if not core.flags["C_CONTIGUOUS"] and not core.flags["F_CONTIGUOUS"]:
        raise ValueError(errmsg_contiguous_buffer)


def from_array_like(ary, stream=0, gpu_data=None) -> "DeviceNDArray":
    """An array on the device of the shape, the strides and the type of another."""
    return DeviceNDArray(ary.shape, ary.strides, ary.dtype, stream=stream, gpu_data=gpu_data)
