"""numba.cuda.kernels.transpose."""
from cuprite._compiler.numba_cuda.devicearray import DeviceNDArray, ours, using


def transpose(a, b=None) -> "DeviceNDArray":
    """The transpose of a 2-d array on the device, in memory of its own: a new array, or b.

    Parameters: a: an array on the device; b: an array on the device that takes the result, or None."""
    with using(getattr(a, "stream", 0)):
        x = ours(a).T
        if b is None:
            import cuprite
            return DeviceNDArray(cuprite.ascontiguousarray(x))
        ours(b)[...] = x
        return b
