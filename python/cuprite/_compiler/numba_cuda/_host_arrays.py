"""What mapped_array and managed_array give: NumPy arrays that devices can reach at their address.

Invariant: an array says so only of the page-locked memory that it was made in; what NumPy makes of it elsewhere
(copies, results) is an ordinary array, or has no __cuda_array_interface__."""
import numpy

from cuprite._compiler.numba_cuda.devicearray import using


def is_pinned(x) -> bool:
    """Whether a NumPy array lies in page-locked memory."""
    while isinstance(x, numpy.ndarray):
        x = x.base
    return type(getattr(x, "obj", x)).__name__.startswith("Pinned")


class _Reached(numpy.ndarray):
    __cuda_memory__ = True
    __cuda_ndarray__ = True

    def __array_finalize__(self, made_of):
        self.stream = getattr(made_of, "stream", 0)

    def __array_wrap__(self, made, context=None, return_scalar=False):
        made = made.view(numpy.ndarray)
        return made[()] if return_scalar else made

    @property
    def __cuda_array_interface__(self):
        """The address with its description: it is the same for the host and for the device."""
        if not is_pinned(self):
            raise AttributeError("__cuda_array_interface__: the elements lie in ordinary memory of the host")
        handle = getattr(self.stream, "handle", None)
        return {"shape": self.shape, "strides": None if self.flags.c_contiguous else self.strides,
                "data": (self.ctypes.data if self.size else 0, False), "typestr": self.dtype.str, "version": 3,
                "descr": self.dtype.descr, "stream": int(handle) if handle else None}

    alloc_size = property(lambda self: self.nbytes)

    @property
    def device_ctypes_pointer(self):
        import ctypes
        return ctypes.c_void_p(self.ctypes.data)

    def is_c_contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps."""
        return self.flags.c_contiguous

    def is_f_contiguous(self) -> bool:
        """Whether the elements lie in Fortran order without gaps."""
        return self.flags.f_contiguous

    def copy_to_host(self, ary=None, stream=0) -> numpy.ndarray:
        """An ordinary NumPy array with the elements, new or `ary`."""
        if ary is None:
            return numpy.array(self)
        ary[...] = self
        return ary

    def copy_to_device(self, ary, stream=0) -> None:
        """Fills the array with the elements of a NumPy array or of one on the device."""
        with using(stream):
            self[...] = ary.copy_to_host() if hasattr(ary, "copy_to_host") else numpy.asarray(ary)


class MappedNDArray(_Reached):
    """A NumPy array in memory of the host that devices read and write."""


class ManagedNDArray(_Reached):
    """A NumPy array in memory that host and devices share."""
