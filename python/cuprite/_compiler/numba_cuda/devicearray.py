"""Arrays on the device, with Numba's interface around a Cuprite array."""
import contextlib

from cuprite._compiler.numba_cuda import _typed


def using(stream):
    """A context in which work goes to a stream (0 or None: the current one)."""
    inner = getattr(stream, "_stream", None)
    return contextlib.nullcontext() if inner is None else inner


def is_cuda_array(x) -> bool:
    """Whether x lies on the device."""
    from cuprite._core import ndarray
    return isinstance(x, (DeviceNDArray, ndarray)) or hasattr(x, "__cuda_array_interface__")


def lies_there(x) -> bool:
    """is_cuda_array, but for arrays of the host that devices can reach: they are copied as NumPy's are."""
    return is_cuda_array(x) and not _is_numpy(x)


def _is_numpy(x):
    import numpy
    return isinstance(x, numpy.ndarray)


def ours(x):
    """The Cuprite array behind anything that lies on the device."""
    import cuprite
    if isinstance(x, DeviceNDArray):
        return x._x
    if isinstance(x, _typed.TypedArray):
        return x
    return x if isinstance(x, cuprite.ndarray) else _by_interface(x)


def _by_interface(x):
    """The array that a __cuda_array_interface__ describes, without a copy."""
    import cuprite
    import numpy
    from cuprite.cuda import Device, MemoryPointer, UnownedMemory
    interface = x.__cuda_array_interface__
    dtype = numpy.dtype(interface["typestr"] if not interface.get("descr") or interface["typestr"][1] != "V"
                        else [tuple(d) for d in interface["descr"]])
    if interface.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    if Device().backend != "cpu" and not _typed.foreign(dtype) and not _is_numpy(x):
        return cuprite.asarray(x)
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    strides = numpy.empty(shape, dtype).strides if strides is None else tuple(strides)
    ends = [(n - 1) * s for n, s in zip(shape, strides)]
    first = sum(e for e in ends if e < 0)
    if 0 in shape:
        return _typed.empty(shape, dtype) if _typed.foreign(dtype) else cuprite.empty(shape, dtype)
    size = sum(map(abs, ends)) + dtype.itemsize
    place = MemoryPointer(UnownedMemory(interface["data"][0] + first, size, x), -first)
    if _typed.foreign(dtype):
        return _typed.TypedArray(cuprite.ndarray((*shape, dtype.itemsize), "u1", place, (*strides, 1)), dtype)
    return cuprite.ndarray(shape, dtype, place, strides)


def flat_bytes(x):
    """The bytes of an array of either side, or of what has a buffer, as a 1-d array of uint8.

    Errors: ValueError for an array whose elements have gaps."""
    import numpy
    if lies_there(x) or hasattr(x, "_x"):
        x = getattr(x, "_x", None) if hasattr(x, "_x") else ours(x)
        x = getattr(x, "_bytes", x)
    elif not isinstance(x, numpy.ndarray):
        return numpy.frombuffer(memoryview(x).cast("B"), "u1")
    if not x.flags.c_contiguous:
        x = x.T
    if not x.flags.c_contiguous:
        raise ValueError("the elements of the array have gaps")
    return x.reshape(-1).view("u1")


class _Memory:
    """What `gpu_data` is: the memory of an array; that of the same bytes is equal."""
    __cuda_memory__ = True

    def __init__(self, array):
        self._x, self.size = array._x, array.nbytes

    device_pointer = property(lambda self: self._x._address)
    handle = device_pointer

    def view(self, start, stop=None):
        """A part, from one byte to before another."""
        return _Memory(DeviceNDArray(flat_bytes(self)[start:stop]))

    @property
    def device_ctypes_pointer(self):
        import ctypes
        return ctypes.c_void_p(self._x._address)

    def __eq__(self, other):
        return isinstance(other, _Memory) and self._x._address == other._x._address

    def __hash__(self):
        return hash(self._x._address)


def _laid_out(shape, strides, dtype, memory):
    """An array of a shape and strides, in new memory or in that of an array."""
    import cuprite
    import numpy
    dtype = numpy.dtype(dtype)
    shape, strides = (tuple(v) if isinstance(v, (tuple, list)) else v if v is None else (v,) for v in (shape, strides))
    if strides is not None and len(strides) != len(shape):
        raise ValueError("strides not match ndim")
    if memory is None:
        ends = [(n - 1) * s for n, s in zip(shape, strides or ())] if 0 not in shape else []
        size = dtype.itemsize + sum(ends) if strides is not None else dtype.itemsize * numpy.prod(shape, dtype=int)
        memory = cuprite.empty(max(int(size), 1), "u1").data
    else:
        memory = memory._x.data
    if _typed.foreign(dtype):
        steps = strides or numpy.empty(shape, dtype).strides
        return _typed.TypedArray(cuprite.ndarray((*shape, dtype.itemsize), "u1", memory, (*steps, 1)), dtype)
    return cuprite.ndarray(shape, dtype, memory, strides)


class DeviceNDArray:
    """An array on the device: shape, dtype, slices, copies to and from NumPy arrays.

    Parameters: shape: the shape, or without a dtype an array of Cuprite's; strides: in bytes, or None; dtype: an
        element type; stream: has no effect; gpu_data: the memory of another array (`gpu_data`), or None for new memory.
    Errors: ValueError for strides of another number of axes."""
    __slots__ = ("_x", "_key", "_stream", "__weakref__")
    __array_priority__ = 100
    __cuda_memory__ = True
    __cuda_ndarray__ = True

    def __init__(self, shape, strides=None, dtype=None, stream=0, gpu_data=None):
        x = shape if dtype is None else _laid_out(shape, strides, dtype, gpu_data)
        self._x, self._key, self._stream = x, None, stream

    shape = property(lambda self: self._x.shape)
    strides = property(lambda self: self._x.strides)
    dtype = property(lambda self: self._x.dtype)
    size = property(lambda self: self._x.size)
    ndim = property(lambda self: self._x.ndim)
    nbytes = alloc_size = property(lambda self: self._x.nbytes)
    itemsize = property(lambda self: self._x.itemsize)
    T = property(lambda self: DeviceNDArray(self._x.T))

    @property
    def __cuda_array_interface__(self):
        """The address with its description, on the CPU too: there it is an address of the host."""
        x, stream = self._x, self._stream
        handle = getattr(stream, "handle", None)
        return {"shape": tuple(x.shape), "strides": None if x._c_contiguous else tuple(x.strides),
                "data": (x._address if x.size else 0, False), "typestr": x.dtype.str, "version": 3,
                "descr": x.dtype.descr, "stream": int(handle) if handle else None}

    def __cupy_get_ndarray__(self):
        if isinstance(self._x, _typed.TypedArray):
            raise TypeError(f"Cuprite's arrays have no elements of {self.dtype}")
        return self._x

    @property
    def stream(self):
        """The stream that the array was made with, or 0."""
        return self._stream

    @stream.setter
    def stream(self, stream):
        self._stream = stream

    gpu_data = property(lambda self: _Memory(self), doc="The memory that the elements lie in.")

    @property
    def _numba_type_(self):
        from cuprite._compiler.numba._types import typeof
        return typeof(self)

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
        """The same array, with another stream."""
        if stream == self._stream:
            return self
        made = type(self).__new__(type(self))
        DeviceNDArray.__init__(made, self._x, stream=stream)
        return made

    def get_ipc_handle(self):
        """Memory of other processes is not there.

        Errors: NotImplementedError always."""
        raise NotImplementedError("numba.cuda: memory is not shared with other processes; send the elements")

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
            if lies_there(ary):
                self._x[...] = ours(ary)
            elif isinstance(self._x, _typed.TypedArray):
                self._x[...] = ary
            else:
                import cuprite
                import numpy
                self._x[...] = cuprite.asarray(numpy.asarray(ary))

    def __getitem__(self, index):
        part = self._x[index]
        if not part.ndim and part.dtype.names:
            return DeviceRecord._of(part)
        return DeviceNDArray(part, stream=self._stream) if part.ndim or index is Ellipsis else part.get()[()]

    def getitem(self, index, stream=0):
        """self[index]"""
        with using(stream):
            return self[index]

    def __setitem__(self, index, value):
        import cuprite
        import numpy
        part, typed = self._x[index], isinstance(self._x, _typed.TypedArray)
        if lies_there(value):
            value = ours(value)
        elif isinstance(part, _typed.TypedArray):
            value = numpy.asarray(value, part.dtype)
        elif isinstance(value, (numpy.ndarray, list, tuple)):
            value = cuprite.asarray(value)
        shape = getattr(value, "shape", ())
        if len(shape) > part.ndim:
            raise ValueError(f"Can't assign {len(shape)}-D array to {part.ndim}-D self")
        for n, m in zip(shape, part.shape[part.ndim - len(shape):]):
            if n not in (1, m):
                raise ValueError(f"Can't copy sequence with size {n} to array axis 0 with dimension {m}"
                                 if part.ndim == 1 else f"could not broadcast input array from shape {shape} into "
                                 f"shape {part.shape}")
        if typed and isinstance(index, str):
            part[...] = value
        else:
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
        if axes is not None and sorted(k + self.ndim * (k < 0) for k in axes) != list(range(self.ndim)):
            raise ValueError(f"invalid axes list {tuple(axes)}")
        return DeviceNDArray(self._x.transpose(axes) if axes is not None else self._x.T)

    def squeeze(self, axis=None, stream=0) -> "DeviceNDArray":
        """Without axes of one element."""
        return DeviceNDArray(self._x.squeeze(axis))

    def view(self, dtype) -> "DeviceNDArray":
        """The same bytes as elements of another type."""
        import numpy
        size, mine = numpy.dtype(dtype).itemsize, self.itemsize
        if size != mine and self.ndim:
            if self.strides[-1] != mine and self.shape[-1] != 1:
                raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
            if size > mine and self.shape[-1] * mine % size:
                raise ValueError("When changing to a larger dtype, its size must be a divisor of the total size in "
                                 "bytes of the last axis of the array.")
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
    if _typed.foreign(x.dtype):
        made = _typed.from_numpy(x)
        return DeviceRecord._of(made) if not x.ndim and x.dtype.names else DeviceNDArray(made)
    return DeviceNDArray(cuprite.array(x))


class DeviceRecord(DeviceNDArray):
    """A record on the device: its fields by their names.

    Parameters: dtype: a structured dtype; stream: has no effect; gpu_data: memory of another record, or None.
    Errors: TypeError for another dtype."""
    __slots__ = ()

    def __init__(self, dtype, stream=0, gpu_data=None):
        import numpy
        dtype = numpy.dtype(dtype)
        if not dtype.names:
            raise TypeError(f"a record has a structured dtype, not {dtype}")
        super().__init__(_typed.empty((), dtype) if gpu_data is None else gpu_data._x.view(dtype))

    @classmethod
    def _of(cls, x):
        made = cls.__new__(cls)
        DeviceNDArray.__init__(made, x)
        return made

    def copy_to_host(self, ary=None, stream=0):
        """A NumPy record with the fields, new or `ary`."""
        with using(stream):
            made = self._x.get()[()]
            if ary is None:
                return made
            fill_record(ary, made)
            return ary

    def __repr__(self):
        return f"<DeviceRecord {self.dtype}>"


def fill_record(record, made):
    """The fields of a NumPy record (np.void, np.record, a 0-d array) become those of another."""
    for name in made.dtype.names:
        record[name] = made[name]


def from_record_like(rec, stream=0, gpu_data=None) -> "DeviceRecord":
    """A record on the device of the dtype of another; its fields are not set."""
    return DeviceRecord(rec.dtype, stream, gpu_data)
