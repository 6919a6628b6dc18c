"""Arrays on the device whose elements Cuprite's arrays do not know: records, strings, datetimes.

The elements are an array of bytes with one axis more, which is contiguous; shape, strides and type are this object's.
It has those members of an ndarray that DeviceNDArray and the launch of a kernel use.
"""
from cuprite._compiler.ast.elements import element


def foreign(dtype):
    """Whether arrays of this dtype are TypedArrays."""
    import numpy
    dtype = numpy.dtype(dtype)
    return dtype.names is not None or dtype.kind in "SUmM"


def from_numpy(x) -> "TypedArray":
    """A NumPy array of such elements -> a TypedArray with a copy of them."""
    import cuprite
    import numpy
    order = "F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C"
    x = numpy.asarray(x)
    element(x.dtype)  # TypeError for what no kernel has
    whole = numpy.ascontiguousarray(x.T if order == "F" else x).reshape(x.shape[::-1] if order == "F" else x.shape)
    data = numpy.frombuffer(whole.tobytes(), "u1").reshape(*whole.shape, x.dtype.itemsize)
    made = TypedArray(cuprite.array(data), x.dtype)
    return made.T if order == "F" else made


def of_times(x, dtype) -> "TypedArray":
    """The times whose numbers are an array of int64 on the device."""
    return TypedArray(x.view("u1").reshape(*x.shape, 8), dtype)


def times(x, dtype):
    """The numbers of times, NumPy's or on the device, as an array of int64 on the device. TypeError for times on the
    device in another unit."""
    import cuprite
    import numpy
    if isinstance(x, TypedArray):
        if x.dtype != dtype:
            raise TypeError(f"times on the device in the unit of {x.dtype} cannot be taken for {dtype}")
        return x.view("i8")
    x = numpy.asarray(x, dtype)
    return cuprite.asarray(numpy.ascontiguousarray(x).reshape(x.shape).view("i8"))


def empty(shape, dtype, order="C") -> "TypedArray":
    """A TypedArray whose elements are not set."""
    import cuprite
    import numpy
    dtype = numpy.dtype(dtype)
    element(dtype)
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    made = TypedArray(cuprite.empty((*(shape[::-1] if order == "F" else shape), dtype.itemsize), "u1"), dtype)
    return made.T if order == "F" else made


class TypedArray:
    """Bytes on the device, as elements of a dtype."""
    __slots__ = ("_bytes", "dtype", "_type")

    def __init__(self, data, dtype):
        import numpy
        self._bytes, self.dtype = data, numpy.dtype(dtype)
        self._type = element(self.dtype)

    shape = property(lambda self: self._bytes.shape[:-1])
    strides = property(lambda self: self._bytes.strides[:-1])
    ndim = property(lambda self: self._bytes.ndim - 1)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self._bytes.nbytes)
    _address = property(lambda self: self._bytes._address)
    data = property(lambda self: self._bytes.data)

    @property
    def size(self) -> int:
        total = 1
        for n in self.shape:
            total *= n
        return total

    def _dense(self, axes):
        step = self.itemsize
        for k in axes:
            if self.shape[k] != 1 and self.strides[k] != step:
                return not self.size
            step *= self.shape[k]
        return True

    _c_contiguous = property(lambda self: self._dense(range(self.ndim - 1, -1, -1)))
    _f_contiguous = property(lambda self: self._dense(range(self.ndim)))

    @property
    def __cuda_array_interface__(self):
        """The address with this dtype's description; AttributeError where the bytes have none."""
        inner = dict(self._bytes.__cuda_array_interface__)
        inner.update(shape=self.shape, typestr=self.dtype.str, descr=self.dtype.descr,
                     strides=None if self._c_contiguous else self.strides)
        return inner

    def get(self, out=None):
        """A NumPy array with the elements, new or `out`."""
        made = self._bytes.get()
        made = made.reshape(-1).view(self.dtype).reshape(self.shape) if made.size else \
            made.reshape(-1)[:0].view(self.dtype).reshape(self.shape)
        if out is None:
            return made
        out[...] = made
        return out

    @property
    def T(self):
        return self.transpose(None)

    def transpose(self, axes=None):
        """The axes in another order."""
        axes = range(self.ndim)[::-1] if axes is None else [k % self.ndim for k in axes]
        return TypedArray(self._bytes.transpose((*axes, self.ndim)), self.dtype)

    def reshape(self, *shape, order="C"):
        """The elements in another shape."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if order == "F":
            return self.T.reshape(*shape[::-1]).T
        if any(n < 0 for n in shape):
            rest = 1
            for n in shape:
                rest *= n if n >= 0 else 1
            shape = [n if n >= 0 else self.size // max(rest, 1) for n in shape]
        return TypedArray(self._bytes.reshape(*shape, self.itemsize), self.dtype)

    def ravel(self, order="C"):
        """The elements in one dimension."""
        return self.T.ravel() if order == "F" else self.reshape(self.size)

    def squeeze(self, axis=None):
        """Without axes of one element."""
        return TypedArray(self._bytes.reshape(*[n for k, n in enumerate(self.shape) if n != 1 or axis not in (None, k)],
                                              self.itemsize), self.dtype)

    def copy(self):
        """A copy."""
        return TypedArray(self._bytes.copy(), self.dtype)

    def view(self, dtype):
        """The bytes as elements of another type: an ndarray where Cuprite has it."""
        import numpy
        dtype = numpy.dtype(dtype)
        if foreign(dtype):
            if dtype.itemsize == self.itemsize:
                return TypedArray(self._bytes, dtype)
            return TypedArray(self._bytes.reshape(*self.shape[:-1], -1, dtype.itemsize), dtype)
        x = self._bytes.view(dtype)
        return x.reshape(self.shape) if dtype.itemsize == self.itemsize else x.reshape(*self.shape[:-1], -1)

    def __getitem__(self, index):
        if isinstance(index, str):
            return self.field(index)
        index = index if isinstance(index, tuple) else (index,)
        if Ellipsis not in index:
            index += (Ellipsis,)
        return TypedArray(self._bytes[(*index, slice(None))], self.dtype)

    def __setitem__(self, index, value):
        import numpy
        if isinstance(value, TypedArray):
            data = value._bytes
        else:
            import cuprite
            value = numpy.asarray(value, self.dtype)
            data = cuprite.array(numpy.frombuffer(value.tobytes(), "u1").reshape(*value.shape, self.itemsize))
        place = self[index]._bytes
        while data.ndim > place.ndim and data.shape[0] == 1:
            data = data[0]
        place[...] = data

    def __len__(self):
        return self.shape[0]

    def field(self, name):
        """A field of every record: an ndarray where Cuprite has its type and it is aligned."""
        import cuprite
        sub, offset = self.dtype.fields[name][:2]
        base, shape = sub.subdtype or (sub, ())
        strides, step = [], base.itemsize
        for n in reversed(shape):
            strides.insert(0, step)
            step *= n
        whole = (*self.shape, *shape)
        place = self._bytes.data + offset
        least = base.alignment if self._bytes._device < 0 else base.itemsize  # GPUs load complex numbers at once
        if foreign(base) or any(s % least for s in (place.ptr, *self.strides)):
            data = cuprite.ndarray((*whole, base.itemsize), "u1", place, (*self.strides, *strides, 1))
            return TypedArray(data, base)
        return cuprite.ndarray(whole, base, place, (*self.strides, *strides))
