"""Arrays on the device, with Numba's interface around a Cuprite array."""
import contextlib

from cuprite._compiler.ast.types import no_records


def using(stream):
    """A context in which work goes to a stream (0 or None: the current one)."""
    inner = getattr(stream, "_stream", None)
    return contextlib.nullcontext() if inner is None else inner


def is_cuda_array(x) -> bool:
    """Whether x lies on the device."""
    from cuprite._core import ndarray
    return isinstance(x, (DeviceNDArray, ndarray)) or hasattr(x, "__cuda_array_interface__")


def ours(x):
    """The Cuprite array behind anything that lies on the device."""
    import cuprite
    if isinstance(x, DeviceNDArray):
        return x._x
    return x if isinstance(x, cuprite.ndarray) else cuprite.asarray(x)


class DeviceNDArray:
    """An array on the device: shape, dtype, slices, copies to and from NumPy arrays."""
    __slots__ = ("_x", "_key", "__weakref__")
    __array_priority__ = 100
    __cuda_memory__ = True
    __cuda_ndarray__ = True

    def __init__(self, x):
        self._x, self._key = x, None

    shape = property(lambda self: self._x.shape)
    strides = property(lambda self: self._x.strides)
    dtype = property(lambda self: self._x.dtype)
    size = property(lambda self: self._x.size)
    ndim = property(lambda self: self._x.ndim)
    nbytes = alloc_size = property(lambda self: self._x.nbytes)
    itemsize = property(lambda self: self._x.itemsize)
    T = property(lambda self: DeviceNDArray(self._x.T))
    __cuda_array_interface__ = property(lambda self: self._x.__cuda_array_interface__)

    @property
    def stream(self):
        return 0

    @property
    def device_ctypes_pointer(self):
        import ctypes
        return ctypes.c_void_p(self._x._address)

    @property
    def flags(self):
        """A dictionary: C_CONTIGUOUS and F_CONTIGUOUS. An array with strides of 0 has neither, as Numba says."""
        x = self._x
        whole = not x.size or 0 not in x.strides
        return {"C_CONTIGUOUS": whole and x._c_contiguous, "F_CONTIGUOUS": whole and x._f_contiguous}

    def bind(self, stream=0):
        """The array; it belongs to no stream."""
        return self

    def is_c_contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps."""
        return self._x._c_contiguous

    def is_f_contiguous(self) -> bool:
        """Whether the elements lie in Fortran order without gaps."""
        return self._x._f_contiguous

    def copy_to_host(self, ary=None, stream=0):
        """A NumPy array with the elements, new or `ary`."""
        with using(stream):
            if ary is None:
                x = self._x
                return x.get() if x._c_contiguous or not x._f_contiguous else x.T.get().T
            _same(self, ary, "copy_to_host")
            if ary.flags.c_contiguous and ary.dtype == self.dtype and ary.ndim:
                self._x.get(out=ary)
            else:
                ary[...] = self._x.get()
            return ary

    def copy_to_device(self, ary, stream=0) -> None:
        """Fills the array with the elements of a NumPy array or of another one on the device."""
        _same(self, ary, "copy_to_device")
        with using(stream):
            if is_cuda_array(ary):
                self._x[...] = ours(ary)
            else:
                import cuprite
                import numpy
                self._x[...] = cuprite.asarray(numpy.asarray(ary))

    def __getitem__(self, index):
        part = self._x[index]
        return DeviceNDArray(part) if part.ndim or index is Ellipsis else part.get()[()]

    def getitem(self, index, stream=0):
        """self[index]"""
        with using(stream):
            return self[index]

    def __setitem__(self, index, value):
        import cuprite
        import numpy
        if is_cuda_array(value):
            value = ours(value)
        elif isinstance(value, (numpy.ndarray, list, tuple)):
            value = cuprite.asarray(value)
        part = self._x[index]
        if getattr(value, "shape", ()) and len(value.shape) > part.ndim:
            raise ValueError(f"Can't assign {len(value.shape)}-D array to {part.ndim}-D self")
        self._x[index] = value

    def setitem(self, index, value, stream=0):
        """self[index] = value"""
        with using(stream):
            self[index] = value

    def __len__(self):
        return len(self._x)

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __array__(self, dtype=None, copy=None):
        x = self.copy_to_host()
        return x if dtype is None else x.astype(dtype, copy=False)

    def reshape(self, *shape, order="C") -> "DeviceNDArray":
        """The elements in another shape."""
        return DeviceNDArray(self._x.reshape(*shape, order=order))

    def ravel(self, order="C", stream=0) -> "DeviceNDArray":
        """The elements in one dimension."""
        return DeviceNDArray(self._x.ravel(order))

    def transpose(self, axes=None) -> "DeviceNDArray":
        """The axes in another order."""
        return DeviceNDArray(self._x.transpose(axes) if axes is not None else self._x.T)

    def squeeze(self, axis=None, stream=0) -> "DeviceNDArray":
        """Without axes of one element."""
        return DeviceNDArray(self._x.squeeze(axis))

    def view(self, dtype) -> "DeviceNDArray":
        """The same bytes as elements of another type."""
        return DeviceNDArray(self._x.view(dtype))

    def split(self, section, stream=0):
        """Views of `section` elements each, of a 1-d array."""
        if self.ndim != 1:
            raise ValueError("only 1d array is supported")
        for at in range(0, self.size, section):
            yield DeviceNDArray(self._x[at:at + section])

    def __repr__(self):
        return f"<DeviceNDArray {self.shape} {self.dtype}>"


def _same(mine, other, word):
    if tuple(mine.shape) != tuple(other.shape):
        raise ValueError(f"{word}: incompatible shape: {tuple(mine.shape)} vs. {tuple(other.shape)}")
    if mine.dtype != other.dtype:
        raise TypeError(f"{word}: incompatible dtype: {mine.dtype} vs. {other.dtype}")


def to_device_array(x):
    """A NumPy array -> a new array on the device."""
    import cuprite
    no_records(x.dtype)
    return DeviceNDArray(cuprite.array(x))
