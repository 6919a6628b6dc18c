"""Streams and events with the interface of cupy.cuda.stream."""
import weakref

from cuprite import _device


class _Base:
    """A stream: work in it is done in order."""
    _handle = None

    @property
    def ptr(self):
        """The native handle; 0 for the null stream and on the CPU."""
        return _device.stream_handle(self._stream())

    @property
    def device_id(self):
        number = _device.stream_device(self._stream())
        return 0 if number < 0 and _device.count() == 0 else number

    @property
    def done(self):
        """Whether all work is done."""
        return _device.stream_done(self._stream())

    def _stream(self):
        return self._handle

    def use(self):
        """Makes the stream this thread's on its device."""
        _device.stream_use(self._stream())
        _current[_device.stream_device(self._handle)] = self
        return self

    def synchronize(self):
        """Waits for all work in the stream."""
        _device.stream_synchronize(self._stream())

    def record(self, event=None):
        """Records an event (a new one by default) and returns it."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Later work in this stream waits for the event."""
        _device.stream_wait(self._stream(), event._event)

    def __enter__(self):
        device = _device.stream_device(self._stream())
        now = _current.get(device)
        _current.blocks.append((device, None if now is None else weakref.ref(now), self))
        del now
        return self.use()

    def __exit__(self, *exception):
        device, before, _ = _current.blocks.pop()
        stream = before and before()
        if before and stream is None:  # made current by use() and deleted since: back to the block around this one
            stream = next((s for d, _, s in reversed(_current.blocks) if d == device), None)
        if stream is None or isinstance(stream, _NullStream):
            _device.stream_use_null(device)
            _current[device] = None
        else:
            stream.use()

    def __eq__(self, other):
        if not isinstance(other, _Base):
            return NotImplemented
        return self is other or (self.ptr != 0 and self.ptr == other.ptr and self.device_id == other.device_id)

    def __hash__(self):
        return hash((self.ptr, self.device_id)) if self.ptr else id(self)

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr} (device {self.device_id})>"


class _Current:
    """For each thread and device, the stream in use; None is the null stream. Keeps it alive."""
    def __init__(self):
        from _thread import _local  # threading's, without the rest of that module
        self.local = _local()

    @property
    def blocks(self):
        """The `with` blocks of streams that this thread is in, outermost first: the device, a weak reference to what
        was current there before (None: the null stream), and the block's stream."""
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


class _NullStream(_Base):
    """The null stream of whichever device is current."""
    @property
    def ptr(self):
        return 0

    @property
    def device_id(self):
        number = _device.current()
        return 0 if number < 0 and _device.count() == 0 else number

    def _stream(self):
        device = _device.current()
        now = _current.get(device)
        if now is None:
            return _device.stream_current(device)
        _device.stream_use_null(device)  # look at it for a moment, then go back
        try:
            return _device.stream_current(device)
        finally:
            now.use()

    def use(self):
        device = _device.current()
        _device.stream_use_null(device)
        _current[device] = None
        return self

    def __eq__(self, other):
        return isinstance(other, _NullStream) if isinstance(other, _Base) else NotImplemented

    def __hash__(self):
        return hash(_NullStream)


class Stream(_Base):
    """A new stream on the current device; null=True (and Stream.null) is the device's null stream."""
    def __new__(cls, null=False, non_blocking=False, ptds=False, priority=None):
        if null or ptds:
            return cls.null
        self = super().__new__(cls)
        self._handle = _device.stream_create(_device.current())
        return self


Stream.null = _NullStream()
Stream.ptds = Stream.null


def get_current_stream(device_id=None):
    """The stream this thread uses on a device."""
    from cuprite.cuda import Device
    number = _device.current() if device_id is None else Device(device_id)._number
    return _current.get(number) or Stream.null


class Event:
    """A point in a stream, with a time."""
    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._event = _device.event_create(_device.current())

    def record(self, stream=None):
        """Records the event in a stream, the current one by default."""
        handle = _device.stream_current(_device.current()) if stream is None else stream._stream()
        _device.event_record(self._event, handle)

    def synchronize(self):
        """Waits until the event is reached."""
        _device.event_synchronize(self._event)

    @property
    def done(self):
        """Whether it was reached."""
        return _device.event_done(self._event)


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two recorded events that both have been reached."""
    return _device.event_elapsed(start_event._event, end_event._event)
