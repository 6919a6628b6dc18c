"""Devices, streams, events and memory by numba.cuda's names."""
import contextlib

from cuprite._compiler.numba_cuda import _typed
from cuprite._compiler.numba_cuda._host_arrays import ManagedNDArray, MappedNDArray
from cuprite._compiler.numba_cuda.devicearray import (
    DeviceNDArray, from_record_like, is_cuda_array, lies_there, ours, to_device_array, using)

__all__ = ["to_device", "device_array", "device_array_like", "pinned_array", "pinned_array_like", "mapped_array",
           "mapped_array_like", "managed_array", "pinned", "mapped", "as_cuda_array", "is_cuda_array", "stream",
           "default_stream", "legacy_default_stream", "per_thread_default_stream", "external_stream", "event",
           "event_elapsed_time", "synchronize", "select_device", "get_current_device", "current_context", "close",
           "list_devices", "gpus", "is_available", "detect", "profile_start", "profile_stop", "profiling",
           "defer_cleanup", "Stream", "Event", "is_float16_supported", "cuda_error", "is_supported_version",
           "get_supported_ccs", "open_ipc_array", "from_cuda_array_interface", "require_context"]


class _Handle(int):
    """A native handle, which Numba has as one of ctypes."""
    value = property(lambda self: int(self) or None)


class Stream:
    """A queue of work. As a number it is the native handle."""

    external = False    # whether another library made it

    def __init__(self, inner):
        self._stream = inner

    handle = property(lambda self: _Handle(self._stream.ptr))

    def synchronize(self) -> None:
        """Waits for all work in the stream."""
        self._stream.synchronize()

    @contextlib.contextmanager
    def auto_synchronize(self):
        """Waits for the stream at the end of a `with` block."""
        yield self
        self.synchronize()

    def async_done(self):
        """Something to await: it is done when the work issued so far is."""
        import asyncio
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def report():
            if not future.done():
                future.set_result(self)
        self._stream.launch_host_func(lambda _: loop.call_soon_threadsafe(report))
        loop.run_in_executor(None, self.synchronize)  # a thread must wait for work that is only issued
        return future

    def add_callback(self, callback, arg=None) -> None:
        """Calls callback(stream, status, arg) when the work issued so far is done."""
        self._stream.add_callback(lambda stream, status, given: callback(self, status, given), arg)

    def __int__(self):
        return self._stream.ptr

    def __bool__(self):
        return True

    def __repr__(self):
        from cuprite.cuda import stream as streams
        return f"<CUDA stream {self._stream.ptr} (device {streams._shown(self._stream.device_id)})>"


def stream() -> "Stream":
    """A new stream. It and the default stream wait for each other, as Numba's do."""
    from cuprite.cuda import Stream as Inner
    return Stream(Inner())


def default_stream() -> "Stream":
    """The device's null stream."""
    from cuprite.cuda import Stream as Inner
    return Stream(Inner.null)


legacy_default_stream = default_stream


def per_thread_default_stream() -> "Stream":
    """The null stream of this thread."""
    from cuprite.cuda import Stream as Inner
    return Stream(Inner.ptds)


def external_stream(ptr) -> "Stream":
    """A stream that another library made."""
    from cuprite.cuda import ExternalStream
    made = Stream(ExternalStream(ptr))
    made.external = True
    return made


class Event:
    """A point in a stream, with a time."""

    def __init__(self, timing=True):
        from cuprite.cuda import Event as Inner
        self._event = Inner(disable_timing=not timing)

    def record(self, stream=0) -> None:
        """Records the event in a stream."""
        with using(stream):
            self._event.record()

    def synchronize(self) -> None:
        """Waits until the event is reached."""
        self._event.synchronize()

    def query(self) -> bool:
        """Whether it was reached."""
        return self._event.done

    def wait(self, stream=0) -> None:
        """Later work in the stream waits for the event."""
        from cuprite.cuda import get_current_stream
        (getattr(stream, "_stream", None) or get_current_stream()).wait_event(self._event)

    def elapsed_time(self, evtend) -> float:
        """Milliseconds from this event to another."""
        return event_elapsed_time(self, evtend)


def event(timing=True) -> "Event":
    """A new event."""
    return Event(timing)


def event_elapsed_time(evtstart, evtend) -> float:
    """Milliseconds between two recorded events."""
    from cuprite.cuda import get_elapsed_time
    return get_elapsed_time(evtstart._event, evtend._event)


def to_device(obj, stream=0, copy=True, to=None):
    """An array on the device with the elements of a NumPy array (of anything NumPy makes an array of)."""
    import numpy
    with using(stream):
        if lies_there(obj):
            return DeviceNDArray(ours(obj).copy() if copy else ours(obj), stream=stream)
        if to is not None:
            to.copy_to_device(numpy.asarray(obj), stream)
            return to
        made = to_device_array(numpy.asarray(obj))
        made.stream = stream
        return made


def device_array(shape, dtype=None, strides=None, order="C", stream=0) -> DeviceNDArray:
    """An array on the device whose elements are not set."""
    import cuprite
    import numpy
    dtype = numpy.dtype(numpy.float64 if dtype is None else _dtype(dtype))
    with using(stream):
        if _typed.foreign(dtype):
            if strides is not None:
                raise NotImplementedError(f"device_array: strides of elements of {dtype}: slice a larger array")
            return DeviceNDArray(_typed.empty(shape, dtype, order), stream=stream)
        if strides is None:
            return DeviceNDArray(cuprite.empty(shape, dtype, order=order), stream=stream)
        shape, strides, size, first = _strided("device_array", shape, strides, dtype)
        return DeviceNDArray(cuprite.ndarray(shape, dtype, cuprite.empty(size, "u1").data + first, strides),
                             stream=stream)


def _strided(name, shape, strides, dtype):
    """(shape, strides, bytes of memory that they span, byte of the first element)."""
    shape, strides = (tuple(v) if isinstance(v, (tuple, list)) else (v,) for v in (shape, strides))
    if len(shape) != len(strides):
        raise ValueError(f"{name}: {len(strides)} strides are given for {len(shape)} dimensions")
    ways = [(n - 1) * step for n, step in zip(shape, strides)] if 0 not in shape else []
    first = -sum(w for w in ways if w < 0)
    return shape, strides, first + sum(w for w in ways if w > 0) + dtype.itemsize, first


def _dtype(dtype):
    scalar = getattr(dtype, "_scalar", None)
    return dtype if scalar is None else scalar.dtype


def _like(make, x, **options):
    """An array made for the shape and the type of another, whose axes lie in the same order, without gaps."""
    axes = sorted(range(len(x.shape)), key=lambda k: -abs(x.strides[k])) if 0 not in x.shape else []
    if axes == sorted(axes):
        return make(x.shape, x.dtype, **options)
    if axes == sorted(axes, reverse=True):
        return make(x.shape, x.dtype, order="F", **options)
    strides, step = [0] * len(axes), x.dtype.itemsize
    for k in reversed(axes):
        strides[k], step = step, step * x.shape[k]
    return make(x.shape, x.dtype, strides=tuple(strides), **options)


def device_array_like(ary, stream=0) -> DeviceNDArray:
    """An array on the device of the shape, type and order of another."""
    return _like(device_array, ary, stream=stream)


def pinned_array(shape, dtype=None, strides=None, order="C"):
    """A NumPy array in page-locked memory, where the device has such."""
    import cuprite
    import numpy
    from cuprite._pinned import element_type
    make, dtype = cuprite.empty_pinned, element_type(numpy.float64 if dtype is None else _dtype(dtype))
    if strides is None:
        return make(shape, dtype, order)
    shape, strides, size, first = _strided("pinned_array", shape, strides, dtype)
    return numpy.ndarray(shape, dtype, make(size, "u1"), first, strides)


def auto_device(obj, stream=0, copy=True, user_explicit=False):
    """(obj on the device, whether it was brought there): arrays that lie there are given back."""
    import numpy
    if is_cuda_array(obj):
        return obj, False
    if isinstance(obj, numpy.void):
        made = from_record_like(obj)
    else:
        obj = numpy.asarray(obj)
        made = device_array_like(obj)
    if copy:
        made.copy_to_device(obj, stream)
    return made, True


def pinned_array_like(ary):
    """pinned_array of the shape, type and order of another."""
    return _like(pinned_array, ary)


def mapped_array(shape, dtype=None, strides=None, order="C", stream=0, portable=False, wc=False) -> MappedNDArray:
    """A NumPy array that kernels may be given: they see its elements, and it sees theirs when they are done."""
    made = pinned_array(shape, dtype, strides, order).view(MappedNDArray)
    made.stream = stream
    return made


def mapped_array_like(ary, stream=0, portable=False, wc=False) -> MappedNDArray:
    """mapped_array of the shape, type and order of another."""
    return _like(mapped_array, ary, stream=stream)


def managed_array(shape, dtype=None, strides=None, order="C", stream=0, attach_global=True) -> ManagedNDArray:
    """A NumPy array that kernels may be given, as mapped_array."""
    return mapped_array(shape, dtype, strides, order, stream).view(ManagedNDArray)


@contextlib.contextmanager
def pinned(*arylist):
    """In the block the arrays would be page-locked; copies use staging buffers that are."""
    yield


@contextlib.contextmanager
def mapped(*arylist, stream=0):
    """In the block, arrays on the device with the elements of NumPy arrays, which have theirs at its end."""
    on_device = [to_device(a, stream) for a in arylist]
    yield on_device[0] if len(on_device) == 1 else on_device
    for a, d in zip(arylist, on_device):
        d.copy_to_host(a, stream)


def as_cuda_array(obj, sync=True) -> DeviceNDArray:
    """An array of another library on the device, without a copy."""
    if not is_cuda_array(obj):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    if isinstance(obj, DeviceNDArray):
        return DeviceNDArray(ours(obj), stream=obj.stream)
    handle = _stream_of(obj)
    if sync:
        wait_for_producer(obj)
    return DeviceNDArray(ours(obj), stream=external_stream(handle) if handle else 0)


def _stream_of(obj):
    interface = getattr(obj, "__cuda_array_interface__", {})
    return interface.get("stream") if interface.get("version", 0) >= 3 else None


def wait_for_producer(obj) -> None:
    """Waits for the stream in which an array of another library says that it is made."""
    from cuprite._compiler.numba import config
    handle = _stream_of(obj)
    if handle and config.CUDA_ARRAY_INTERFACE_SYNC:
        external_stream(handle).synchronize()


class _Described:
    """What has a __cuda_array_interface__ and an owner that is kept."""

    def __init__(self, interface, owner):
        self.__cuda_array_interface__, self.owner = interface, owner


def from_cuda_array_interface(desc, owner=None, sync=True) -> DeviceNDArray:
    """The array on the device that a dictionary of the CUDA array interface describes; `owner` is kept with it."""
    return as_cuda_array(_Described(desc, owner), sync)


def open_ipc_array(*args, **kwargs):
    """Memory of other processes is not there."""
    raise NotImplementedError("numba.cuda: arrays of other processes cannot be opened; send their elements "
                              "(multiprocessing pickles arrays, files keep them)")


def synchronize() -> None:
    """Waits for all work on the current device."""
    from cuprite.cuda import Device
    Device().synchronize()


class _Device:
    """A device, by Numba's names."""

    def __init__(self, inner):
        self._inner = inner

    id = property(lambda self: self._inner.id)
    name = property(lambda self: self._inner.name.encode())

    @property
    def uuid(self):
        """A name of the device that no other has, "GPU-..." as CUDA writes it."""
        import hashlib
        digits = hashlib.sha256(f"{self._inner.name} {self._inner.pci_bus_id}".encode()).hexdigest()
        return "GPU-" + "-".join(digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))

    @property
    def compute_capability(self):
        """(9, 0) for sm_90 and for the CPU."""
        digits = str(self._inner.compute_capability)
        return int(digits[:-1]), int(digits[-1])

    def __getattr__(self, name):
        words = {"MULTIPROCESSOR": "MultiProcessor"}
        key = "".join(words.get(w, w.capitalize()) for w in name.split("_"))
        if name.isupper() and key in self._inner.attributes:  # CUDA's names, as Numba writes them
            return self._inner.attributes[key]
        raise AttributeError(f"a device has no attribute {name!r}")

    def reset(self):
        """Waits for the device's work; its memory goes back to the pool by itself."""
        self._inner.synchronize()

    def __enter__(self):
        self._inner.__enter__()
        return self

    def __exit__(self, *exception):
        self._inner.__exit__(*exception)

    def __eq__(self, other):
        return isinstance(other, _Device) and self._inner == other._inner

    def __hash__(self):
        return hash(self._inner)

    def __repr__(self):
        kind = "CPU device" if self._inner.backend == "cpu" else f"CUDA device {self.id}"
        return f"<{kind} '{self._inner.name}'>"


class _Context:
    """The current device's context."""

    def __init__(self, inner):
        self._inner, self.device = inner, _Device(inner)

    def synchronize(self):
        """Waits for all work on the device."""
        self._inner.synchronize()

    def get_memory_info(self):
        """(free, total) bytes."""
        import collections
        return collections.namedtuple("_MemoryInfo", "free total")(*self._inner.mem_info)

    def reset(self):
        """Waits for the device's work."""
        self.synchronize()

    def memalloc(self, bytesize):
        """Memory on the device: what `gpu_data` of an array is."""
        return device_array(bytesize, "u1").gpu_data

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        """Page-locked memory, as an array of bytes."""
        return pinned_array(bytesize, "u1")

    def create_stream(self):
        """A new stream."""
        return stream()

    def create_event(self, timing=True):
        """A new event."""
        return event(timing)

    def __repr__(self):
        return f"<CUDA context of device {self._inner.id}>"


class _Gpus:
    """cuda.gpus: the devices, and `with cuda.gpus[1]:`."""
    lst = property(lambda self: list(self))

    def __len__(self):
        from cuprite import _device
        return max(_device.count(), 1)

    def __getitem__(self, number):
        from cuprite.cuda import Device
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self)} devices, none is {number}")
        return _Device(Device(number))

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    @property
    def current(self):
        return get_current_device()

    def __repr__(self):
        return f"<Managed Device list of {len(self)}>"


gpus = _Gpus()


def select_device(device_id):
    """Makes a device current."""
    device = gpus[device_id]
    device._inner.use()
    return current_context()


def get_current_device():
    """The current device."""
    from cuprite.cuda import Device
    return _Device(Device())


def current_context(devnum=None):
    """The context of the current device, or of another."""
    from cuprite.cuda import Device
    return _Context(Device() if devnum is None else Device(devnum))


def list_devices():
    """The devices."""
    return gpus


def close() -> None:
    """Waits for the device's work."""
    synchronize()


def is_available() -> bool:
    """Whether kernels can run: they always can."""
    return True


def require_context(fn):
    """The function itself, as a decorator: a device is current in every thread without it."""
    return fn


def is_supported_version() -> bool:
    """Whether the CUDA of this machine can be used."""
    return True


def get_supported_ccs():
    """The compute capabilities that kernels can be compiled for."""
    return ((5, 0), (5, 2), (5, 3), (6, 0), (6, 1), (6, 2), (7, 0), (7, 2), (7, 5), (8, 0), (8, 6), (8, 7), (8, 9),
            (9, 0), (10, 0), (12, 0))


def detect() -> bool:
    """Prints the devices."""
    found = [device for device in gpus if device._inner.backend != "cpu"]
    print(f"Found {len(found)} CUDA devices" + ("" if found else "; kernels run on the CPU"))
    for device in gpus:
        print(f"id {device.id}    {device.name!r:>40}    compute capability: "
              f"{'.'.join(map(str, device.compute_capability))}")
    print(f"Summary:\n\t{len(found)}/{len(found)} devices are supported")
    return True


def is_float16_supported() -> bool:
    """Whether kernels compute with float16: they do on every device."""
    return True


def cuda_error():
    """Why kernels cannot run: None, for they can."""
    return None


def _profiler(word):
    from cuprite.cuda import runtime
    call = getattr(runtime, word, None)
    if call is not None:
        call()


def profile_start() -> None:
    """Starts the profiler that runs the program, if one does."""
    _profiler("profilerStart")


def profile_stop() -> None:
    """Stops the profiler that runs the program, if one does."""
    _profiler("profilerStop")


@contextlib.contextmanager
def profiling():
    """profile_start and profile_stop around a block."""
    profile_start()
    yield
    profile_stop()


@contextlib.contextmanager
def defer_cleanup():
    """In the block no memory is given back to the system: it never is before it is needed."""
    yield
