"""Streams and events with the interface of cupy.cuda.stream."""
from _operator import index
from _weakref import ref

from cuprite import _device
from cuprite._core import CUDARuntimeError
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)


def check_callable(callback):
    """Refuses what cannot be called, here, where the program stands: on the stream's thread the error would be lost.

    Parameters: callback: any object.
    Errors: TypeError for what cannot be called."""
    if not callable(callback):
        raise TypeError(f"a callback must be callable, a {type(callback).__name__} is not")


def _event_of(event):
    if not hasattr(event, "_event"):
        raise AttributeError(f"an Event is needed, not a {type(event).__name__}")
    return event._event


def _shown(device):
    """What a printed object calls a device: its number, or cpu.

    Parameters: device: a number; 0 is the CPU where there is no GPU."""
    return "cpu" if device == -1 or device == 0 and _device.count() == 0 else device


class _Base:
    """A stream: work in it is done in order."""
    _handle = None
    _host_funcargs = None  # a list while the stream captures

    @property
    def ptr(self):
        """The native handle; 0 for the null stream. On the CPU a number that names the stream."""
        return _device.stream_handle(self._stream())

    @property
    def device_id(self):
        number = _device.stream_device(self._stream())
        return 0 if number < 0 and _device.count() == 0 else number

    @property
    def done(self):
        """Whether all work is done."""
        return _device.stream_done(self._stream())

    @property
    def is_non_blocking(self):
        """Whether the stream and the null stream go their own ways."""
        return self.ptr != 0 and not _device.stream_is_blocking(self._stream())

    @property
    def priority(self):
        """Lower goes first; 0 is the default. Devices without priorities have 0 alone."""
        return _device.stream_priority(self._stream())

    def launch_host_func(self, callback, arg=None):
        """Calls callback(arg) once the stream's earlier work is done, on another thread (on the CPU at once). As CUDA
        has it, the callback must neither use nor wait for the device: CUDARuntimeError (cudaErrorNotPermitted)."""
        check_callable(callback)
        _device.stream_call(self._stream(), lambda: callback(arg))
        if self._host_funcargs is not None:
            self._host_funcargs.append((callback, arg))

    def add_callback(self, callback, arg=None):
        """Calls callback(stream, 0, arg) once the stream's earlier work is done, as launch_host_func does."""
        check_callable(callback)
        self.launch_host_func(lambda _: callback(self, 0, arg))

    def begin_capture(self, mode=None):
        """Records the stream's work from now on instead of doing it."""
        from cuprite.cuda._constants import streamCaptureModeRelaxed
        from cuprite.cuda._errors import INVALID_VALUE
        if self.ptr == 0:
            raise RuntimeError("the null stream cannot capture; make a stream")
        mode = streamCaptureModeRelaxed if mode is None else index(mode)
        if mode not in range(3):
            raise CUDARuntimeError(INVALID_VALUE)
        _device.stream_capture(self._stream(), mode)
        self._host_funcargs = []

    def end_capture(self):
        """A Graph of what was recorded."""
        from cuprite.cuda.graph import Graph
        if self.ptr == 0:
            raise RuntimeError("the null stream cannot capture; make a stream")
        calls, self._host_funcargs = self._host_funcargs or [], None
        handle = self._stream()
        return Graph._of(_device.stream_capture_end(handle), _device.stream_device(handle), calls)

    def is_capturing(self):
        """Whether the stream's work is recorded."""
        return _device.stream_capturing(self._stream())

    def __cuda_stream__(self):
        """(version, handle), for other packages."""
        return 0, self.ptr

    def _stream(self):
        return self._handle

    def use(self):
        """Makes the stream this thread's on its device."""
        handle = self._stream()
        _device.stream_use(handle)
        _current[_device.stream_device(handle)] = self
        return self

    def synchronize(self):
        """Waits for all work in the stream."""
        _device.stream_synchronize(self._stream())

    def record(self, event=None):
        """Records an event (a new one by default) and returns it."""
        event = Event() if event is None else event
        _event_of(event)
        event.record(self)
        return event

    def wait_event(self, event):
        """Later work in this stream waits for the event."""
        _device.stream_wait(self._stream(), _event_of(event))

    def __enter__(self):
        device = _device.stream_device(self._stream())
        now = _current.get(device)
        before = device, None if now is None else ref(now), self
        del now
        depth = len(_current.blocks)
        try:
            _current.blocks.append(before)
            return self.use()
        except BaseException:  # a KeyboardInterrupt, which comes where a call ends: nobody calls __exit__ then
            if len(_current.blocks) > depth:
                self.__exit__()
            raise

    def __exit__(self, *exception):
        device, before, _ = _current.blocks.pop()
        stream = before and before()
        if before and stream is None:  # made current by use() and deleted since: back to the block around this one
            stream = next((s for d, _, s in reversed(_current.blocks) if d == device), None)
        if stream is None:
            _device.stream_use_default(device)
            _current[device] = None
        elif isinstance(stream, _NullStream):
            stream._use_on(device)
        else:
            stream.use()

    def __eq__(self, other):
        if not isinstance(other, _Base):
            return NotImplemented
        return self is other or (self.ptr != 0 and self.ptr == other.ptr and self.device_id == other.device_id)

    def __hash__(self):
        return hash((self.ptr, self.device_id)) if self.ptr else id(self)

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr} (device {_shown(self.device_id)})>"


class _Current:
    """For each thread and device, the stream in use; None is the default: the null stream, or with
    CUPRITE_PER_THREAD_DEFAULT_STREAM=1 the thread's own. Keeps it alive."""
    def __init__(self):
        from _thread import _local  # threading's, without the rest of that module
        self.local = _local()

    @property
    def blocks(self):
        """The `with` blocks of streams that this thread is in, outermost first: the device, a weak reference to what
        was current there before (None: the default), and the block's stream."""
        return self.local.__dict__.setdefault("blocks", [])

    @property
    def devices(self):
        """The devices that the `with` blocks of devices go back to, outermost first."""
        return self.local.__dict__.setdefault("devices", [])

    def get(self, device):
        return self.local.__dict__.get(device)

    def __setitem__(self, device, stream):
        self.local.__dict__[device] = stream


_current = _Current()


class Stream(_Base):
    """A new stream on the current device; null=True (and Stream.null) is the device's null stream, ptds=True (and
    Stream.ptds) the calling thread's own. Work of a stream waits for what the null stream got before it, and the null
    stream for the stream's, unless it is made with non_blocking=True.

    Parameters: null: True: the null stream; non_blocking: True or False; ptds: True: the thread's own; priority: an
        integer, lower goes first (None: 0).
    Errors: ValueError for null and ptds together.

    Example:
        >>> with cp.cuda.Stream() as stream:
        ...     x = cp.ones(3) * 2
        >>> stream.synchronize()
        >>> x
        array([2., 2., 2.])
    """
    def __new__(cls, null=False, non_blocking=False, ptds=False, priority=None):
        if null and ptds:
            raise ValueError("null and ptds are two streams")
        if null or ptds:
            return Stream.null if null else Stream.ptds
        self = super().__new__(cls)
        self._handle = _device.stream_create(_device.current(), not non_blocking, 0 if priority is None else priority)
        return self

    @classmethod
    def from_external(cls, stream):
        """A stream of another package, an object with __cuda_stream__() or a native handle in ptr."""
        if hasattr(stream, "__cuda_stream__"):
            handle = _handle_of_protocol(stream.__cuda_stream__())
        else:
            handle = getattr(stream, "ptr", stream)
        made = ExternalStream(index(handle))
        made._theirs = stream
        return made


def _handle_of_protocol(reported):
    """The handle in what __cuda_stream__() returned; TypeError where that is not (0, handle)."""
    try:
        version, handle = (index(n) for n in reported)
    except (TypeError, ValueError):
        raise TypeError(f"__cuda_stream__ returns a version and a handle, two integers, not {reported!r}") from None
    if version != 0:
        raise TypeError(f"__cuda_stream__: version {version} is not known, 0 is")
    return handle


class ExternalStream(_Base):
    """A stream that another library made, by its native handle. It must live as long as what is done in it.

    Parameters: ptr: the handle; device_id: the device's number (-1: the current one)."""
    _theirs = None

    def __init__(self, ptr, device_id=-1):
        from cuprite.cuda.device import Device
        number = _device.current() if index(device_id) == -1 else Device(device_id)._number
        self._handle = _device.stream_external(number, ptr)


class _Special(Stream):
    """A stream of whichever device is current."""
    _name = ""

    def __new__(cls):
        return object.__new__(cls)

    @property
    def device_id(self):
        number = _device.current()
        return 0 if number < 0 and _device.count() == 0 else number

    def __repr__(self):
        return f"<Stream {self._name} (device {_shown(self.device_id)})>"


class _NullStream(_Special):
    _name = "null"

    @property
    def ptr(self):
        return 0

    def _stream(self):
        return _device.stream_null(_device.current())

    def use(self):
        return self._use_on(_device.current())

    def _use_on(self, device):
        _device.stream_use(_device.stream_null(device))
        _current[device] = self
        return self

    def __eq__(self, other):
        return isinstance(other, _NullStream) if isinstance(other, _Base) else NotImplemented

    def __hash__(self):
        return hash(_NullStream)


class _ThreadStream(_Special):
    _name = "of the thread"

    def _stream(self):
        return _device.stream_per_thread(_device.current())


Stream.null = _NullStream()
Stream.ptds = _ThreadStream()


def get_current_stream(device_id=None):
    """The stream this thread uses on a device.

    Parameters: device_id: a device's number (None: the current one).

    Example:
        >>> with cp.cuda.Stream() as stream:
        ...     cp.cuda.get_current_stream() == stream
        True
    """
    from cuprite.cuda.device import Device
    number = _device.current() if device_id is None or index(device_id) == -1 else Device(device_id)._number
    return _current.get(number) or (Stream.ptds if _device.stream_default_per_thread() else Stream.null)


class Event:
    """A point in a stream, with a time unless disable_timing is True. With block=True waiting threads sleep; with
    interprocess=True (which needs disable_timing=True) other processes may use it.

    Parameters: block: True or False; disable_timing: True or False; interprocess: True or False.
    Errors: CUDARuntimeError for interprocess=True with timing.

    Example:
        >>> start, stop = cp.cuda.Event(), cp.cuda.Event()
        >>> start.record(); x = cp.ones(1000).sum(); stop.record()
        >>> stop.synchronize()
        >>> cp.cuda.get_elapsed_time(start, stop) >= 0
        True
    """
    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess and not disable_timing:
            raise CUDARuntimeError("cudaErrorInvalidValue: an event for several processes has no timing: "
                                   "disable_timing=True")
        self._number = _device.current()
        self._event = _device.event_create(self._number, bool(block), bool(disable_timing), bool(interprocess))

    @property
    def ptr(self):
        """The native handle; 0 on the CPU."""
        return _device.event_handle(self._event)

    def record(self, stream=None) -> None:
        """Records the event in a stream, the current one by default.

        Parameters: stream: the stream in which it happens (None: the current one).
        Errors: AttributeError for what is no stream."""
        if stream is not None and not hasattr(stream, "_stream"):
            raise AttributeError(f"a stream is needed, not a {type(stream).__name__}")
        handle = _device.stream_current(self._number) if stream is None else stream._stream()
        _device.event_record(self._event, handle)

    def synchronize(self) -> None:
        """Waits until the event is reached."""
        _device.event_synchronize(self._event)

    @property
    def done(self) -> bool:
        """Whether it was reached."""
        return _device.event_done(self._event)


def get_elapsed_time(start_event, end_event) -> float:
    """Milliseconds between two recorded events that both have been reached.

    Parameters: start_event: an Event; end_event: an Event.
    Errors: CUDARuntimeError for events without times, or that were not recorded."""
    return _device.event_elapsed(_event_of(start_event), _event_of(end_event))
