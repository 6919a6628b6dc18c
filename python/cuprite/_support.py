"""Small objects that attributes of arrays return: flags, device, data, flat; named tuples of results."""
import collections
import math

from cuprite._core import array, asarray, ndarray
from cuprite._element_types import type_of

ClipStats = collections.namedtuple("ClipStats", "center std lower upper count iterations")
Sources = collections.namedtuple("Sources", "pixels flux centroid peak position sum flux_error centroid_error",
                                 defaults=(None, None))


def shown_fields(result):
    """The repr of a named tuple, which fits a screen."""
    from cuprite._printing import named_tuple
    return named_tuple(result)


ClipStats.__repr__ = Sources.__repr__ = shown_fields


def _own_asarray(x, dtype=None, **options):
    """cuprite.asarray, except that an array stays on its own device, whichever is current."""
    if not isinstance(x, ndarray):
        return asarray(x, dtype, **options)
    return x if type(x) is ndarray and dtype is None and not options else asarray(x, dtype, device=x._device, **options)


def _own_array(x, dtype=None, **options):
    """cuprite.array, except that of an array a copy lies on that one's device, whichever is current."""
    if not isinstance(x, ndarray):
        return array(x, dtype, **options)
    return array(x, dtype, device=x._device, **options)


def _aligned(x):
    """Whether all elements lie at multiples of what their type asks of memory."""
    places = [x.data.ptr, *(s for s, n in zip(x.strides, x.shape) if n > 1)]
    return not x.size or not any(at % type_of(x).real.itemsize for at in places)


class Flags:
    """x.flags: c_contiguous, f_contiguous, owndata, writeable, aligned, and the same by NumPy's keys. Only
    writeable can be set; the other flags are fixed here. They describe the array at the time x.flags was read."""
    __slots__ = ("_x", "_c", "_f", "_own", "_writable", "_aligned")
    _KEYS = {"C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
             "O": "owndata", "W": "writeable", "A": "aligned", "B": "behaved", "CA": "carray", "FA": "farray",
             "X": "writebackifcopy", **{name.upper(): name for name in ("c_contiguous", "f_contiguous", "owndata",
                                                                        "writeable", "aligned", "behaved",
                                                "carray", "farray", "fnc", "forc", "writebackifcopy")}}

    def __init__(self, x):
        self._x = x
        self._c, self._f, self._own, self._writable = x._c_contiguous, x._f_contiguous, x.base is None, x._writable
        self._aligned = _aligned(x)

    c_contiguous = property(lambda self: self._c)
    contiguous = property(lambda self: self._c)
    f_contiguous = property(lambda self: self._f)
    fortran = property(lambda self: self._f)
    owndata = property(lambda self: self._own)
    writeable = property(lambda self: self._writable, lambda self, v: self._x.setflags(write=bool(v)))
    aligned = property(lambda self: self._aligned, lambda self, v: self._x.setflags(align=bool(v)))
    writebackifcopy = property(lambda self: False, lambda self, v: self._x.setflags(uic=bool(v)))
    behaved = property(lambda self: self._writable and self._aligned)
    carray = property(lambda self: self._c and self.behaved)
    farray = property(lambda self: self._f and not self._c and self.behaved)
    fnc = property(lambda self: self._f and not self._c)
    forc = property(lambda self: self._f or self._c)
    num = property(lambda self: self._aligned << 8 | self._c | self._f << 1 | self._own << 2 | self._writable << 10)

    def __getitem__(self, key) -> bool:
        if key not in self._KEYS:
            raise KeyError("Unknown flag")
        return getattr(self, self._KEYS[key])

    def __setitem__(self, key, value):
        name = self._KEYS.get(key)
        if name not in ("writeable", "aligned", "writebackifcopy"):
            raise KeyError("Unknown flag")
        setattr(self, name, value)

    def __eq__(self, other):
        return self.num == other.num if isinstance(other, Flags) else NotImplemented

    __hash__ = None

    def __repr__(self):
        return "".join(f"  {name} : {self[name]}\n"
                       for name in ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED",
                                    "WRITEBACKIFCOPY"))


def signature(text):
    import inspect
    scope = {}
    exec(f"def f{text}: pass", scope)
    return inspect.signature(scope["f"])


def ufuncs_of(place):
    """name -> ufunc, of those whose rows say that they belong to cuprite.PLACE."""
    from cuprite import _core
    start = f"_{place}."
    return {n[len(start):]: f for n, f in vars(_core).items() if n.startswith(start)}


def ufunc_of(place, name):
    return ufuncs_of(place)[name]


def device_of(x):
    from cuprite.cuda import Device
    return Device._of(x._device)


def data_of(x):
    from cuprite.cuda import MemoryPointer
    return MemoryPointer(x)


class Flat:
    """x.flat: an iterator over the elements in C order, which are also read and written by one index, slice or mask."""
    __slots__ = ("base", "index")
    __hash__ = None

    def __init__(self, x):
        self.base, self.index = x, 0

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.base.size:
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    @property
    def coords(self) -> "tuple[int, ...]":
        """Where the next element lies, a tuple of indices."""
        at, rest = [], self.index
        for extent in reversed(self.base.shape[1:]):
            at.append(rest % extent)
            rest //= extent
        at += [rest] * (self.base.ndim > 0)  # behind the last element beyond the axis
        return tuple(reversed(at))

    def copy(self):
        """The elements, a new 1-d array."""
        return self.base.flatten()

    def _key(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > 1 or None in [k for k in keys if not hasattr(k, "shape")]:
            raise IndexError("unsupported iterator index")
        return key

    def __getitem__(self, key):
        found = self.base.ravel()[self._key(key)]
        return _own_array(found)  # a slice is a view

    def __setitem__(self, key, value):
        """Values of any shape are written one after the other, and again from the first when there are too few."""
        x, key = self.base, self._key(key)
        flat = x.reshape(-1) if x._c_contiguous else x.flatten()
        one = hasattr(key, "__index__") and getattr(key, "ndim", 0) == 0
        if not one and (hasattr(value, "shape") or isinstance(value, (list, tuple))):
            shape = flat[key].shape
            value = self._repeated(value, math.prod(shape))
            if value is None:
                return
            value = value.reshape(shape)
        elif one and (getattr(value, "ndim", 0) or isinstance(value, (list, tuple))):
            raise ValueError("Error setting single item of array.")
        flat[key] = value
        if not x._c_contiguous:
            x[...] = flat.reshape(x.shape)

    def _repeated(self, value, count):
        import cuprite
        x = self.base
        if not isinstance(value, cuprite.ndarray):
            like, value = value, None
            with cuprite.cuda.Device._of(x._device):
                value = cuprite.array(like, x.dtype)
        value = value.ravel()
        if value.size == 0 or count == 0:
            return None
        if value.size < count:
            times = -(-count // value.size)
            value = cuprite.broadcast_to(value, (times, value.size)).reshape(-1)
        return value[:count]

    def __eq__(self, other):
        return self.base.ravel() == other

    def __ne__(self, other):
        return self.base.ravel() != other


as_cupy = False  # whether the process calls Cuprite cupy (_alias.py)


def cuda_array_interface(x):
    """The description of an array on a GPU. Libraries take any array that has one for CuPy's; a consumer that hands the
    address to CUDA must find memory of a GPU there. So the CPU's arrays have one only where there is no GPU, and no
    CUDA to be misled, in a process that calls Cuprite cupy."""
    from cuprite import _device
    if x._device < 0 and not as_cupy:
        raise AttributeError("__cuda_array_interface__: the array is not on a GPU")
    return {"shape": x.shape, "typestr": x.dtype.str, "descr": [("", x.dtype.str)], "version": 3,
            "stream": _device.stream_handle(_device.stream_current(x._device)) or 1,
            "strides": None if x._c_contiguous else x.strides,
            "data": (x._address if x.size else 0, not x._writable)}


def _numbers(what, values):
    from operator import index
    values = tuple(index(v) for v in values)
    if not all(-1 << 63 <= v < 1 << 63 for v in values):
        raise OverflowError(f"__cuda_array_interface__: {what} beyond 64 bits")
    return values


def _behind(stream, device):
    """The current stream's later work comes behind what that stream has."""
    from cuprite import _device
    from cuprite.cuda import Event, ExternalStream, get_current_stream
    if stream == 0 or stream < -1:
        raise ValueError("__cuda_array_interface__: stream 0 says nothing; 1, 2 or a handle is one")
    now = _device.stream_handle(_device.stream_current(device)) or 1
    if stream == now:
        return
    reached = Event(disable_timing=True)
    reached.record(ExternalStream(stream))
    get_current_stream().wait_event(reached)


def cuda_interface(o):
    """The fields of o.__cuda_array_interface__, looked through: shape, dtype (bfloat16: its name), strides,
    address, read-only, stream."""
    import numpy
    d = o.__cuda_array_interface__
    if not isinstance(d, dict):
        raise TypeError("__cuda_array_interface__ is a dict")
    missing = [name for name in ("shape", "typestr", "data") if name not in d]
    if missing:
        raise ValueError(f"__cuda_array_interface__ has no {', '.join(missing)}")
    version = d.get("version", 0)
    if d.get("mask") is not None:
        raise ValueError("__cuda_array_interface__: masked arrays are not supported")
    shape = _numbers("shape", d["shape"])
    if any(extent < 0 for extent in shape):
        raise ValueError("negative dimensions are not allowed")
    dtype = numpy.dtype(d["typestr"])
    if d["typestr"] == "<V2":  # as PyTorch names it
        dtype = "bfloat16"
    elif not dtype.isnative or dtype.kind not in "biufc" or d["typestr"][:1] == "|" and dtype.itemsize > 1:
        raise ValueError(f"Unsupported dtype {d['typestr']}")
    strides = d.get("strides")
    if strides is not None:
        strides = _numbers("strides", strides)
        if len(strides) != len(shape):
            raise ValueError("strides, if given, must be the same length as shape")
    address, read_only = d["data"]  # a pair, or Python's own words about it
    stream = d.get("stream") if version >= 3 else None
    if stream is not None:
        stream, = _numbers("stream", (stream,))
    return shape, dtype, strides, address or 0, bool(read_only), stream


def cuda_array_of(o):
    """An array over the memory that o.__cuda_array_interface__ describes; nothing is copied."""
    import numpy

    import cuprite
    from cuprite import _device
    shape, dtype, strides, address, read_only, stream = cuda_interface(o)
    low = high = 0
    size, item = 1, 2 if dtype == "bfloat16" else dtype.itemsize
    for axis, extent in enumerate(shape):
        size *= extent
        if strides is not None:
            span = (extent - 1) * strides[axis]
            low, high = low + min(span, 0), high + max(span, 0)
    if not size:
        return cuprite.empty(shape, dtype)
    bytes_ = high - low + item if strides is not None else size * item
    if getattr(o, "__cuda_memory__", False) and isinstance(o, numpy.ndarray):  # the host's, there for devices too
        x = _over_memory(o, shape, dtype, strides, address, low, bytes_, read_only, cuprite.cuda.Device._of(
            _device.current()))
        if stream is not None and x._device >= 0:
            with cuprite.cuda.Device._of(x._device):
                _behind(stream, x._device)
        return x
    if as_cupy and not _device.count() and address and _device.memory_is_there(address + low, bytes_):
        return _over_memory(o, shape, dtype, strides, address, low, bytes_, read_only, cuprite.cuda.Device("cpu"))
    if not _device.count():
        raise RuntimeError(f"__cuda_array_interface__: there is no GPU ({_device.error()})")
    if not address:
        raise ValueError("__cuda_array_interface__: elements at address 0")
    here = cuprite.cuda.Device(0) if _device.current() < 0 else cuprite.cuda.Device()
    x = _over_memory(o, shape, dtype, strides, address, low, bytes_, read_only, here)
    if stream is not None:
        with cuprite.cuda.Device._of(x._device):
            _behind(stream, x._device)
    return x


def _over_memory(o, shape, dtype, strides, address, low, bytes_, read_only, device):
    """An array over `bytes_` bytes of memory of o's, from `low` before or behind the first element on."""
    import cuprite
    from cuprite.cuda import MemoryPointer, UnownedMemory
    with device:
        memory = UnownedMemory(address + low, bytes_, o)
    with cuprite.cuda.Device._of(memory._device):
        x = cuprite.ndarray(shape, dtype, MemoryPointer(memory, -low), strides)
    if read_only:
        x.setflags(write=False)
    return x


# --- the Array API ---

def array_namespace(x, api_version):
    """The module, of a version of the standard that it knows."""
    import cuprite
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    return cuprite
