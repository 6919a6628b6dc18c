"""Kinds of a device's memory, and pointers into them (cupy.cuda.memory).

Invariant: what a pointer copies or sets lies inside its memory. On a GPU the driver checks that. Elsewhere the
bounds are checked here, and what is outside raises CUDA's error for it.
"""
from _operator import index

from cuprite import _device
from cuprite._core import CUDARuntimeError, OutOfMemoryError
from cuprite.cuda.device import Device, on_cuda

UNIT = 512  # what pools round sizes up to
_DEVICE, _ASYNC, _MANAGED = 0, 1, 2  # cp_memory_kind


def checked(size):
    """The size as a number that is not negative; TypeError and OverflowError for what is none."""
    size = index(size)
    if size < 0:
        raise OverflowError(f"can't convert negative value to size_t: {size} bytes of memory")
    if size >> 64:
        raise OverflowError(f"{size} bytes of memory are no size_t")
    return size


def in_words(size):
    """A number of bytes with its unit: "4.0 GiB"."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    power = min(max(size.bit_length() - 1, 0) // 10, len(units) - 1)
    return f"{size / 1024 ** power:.1f} {units[power]}" if power else f"{size} bytes"


def exhausted(number, size):
    """The OutOfMemoryError of a device that has not so many bytes."""
    q = _device.query(number)
    return OutOfMemoryError(f"out of memory on {q['name']}: {size} bytes asked for ({in_words(size)}), available are "
                            f"{in_words(q['memory_free'])}")


def new(size, kind):
    """The address of new memory of the current device; CUDARuntimeError (cudaErrorMemoryAllocation) where there is
    none."""
    here = _device.current()
    try:
        if size >> 63:
            raise exhausted(here, size)
        return _device.memory_new(here, size, kind)
    except OutOfMemoryError as e:
        raise CUDARuntimeError(f"cudaErrorMemoryAllocation: {e}") from None


class BaseMemory:
    """Memory: ptr, size in bytes, device."""
    ptr, size, _device = 0, 0, -1

    device = property(lambda self: Device._of(self._device), doc="The device of the memory.")
    device_id = property(lambda self: self.device.id, doc="The number of its device.")

    def __int__(self):
        return self.ptr


class Memory(BaseMemory):
    """Bytes from the current device itself, past its pool. They go back with the object.

    Parameters: size: a number of bytes.
    Errors: CUDARuntimeError where there is not so much."""
    _kind = _DEVICE

    def __init__(self, size):
        self._device, self.size = _device.current(), checked(size)
        self.ptr = new(self.size, self._kind) if self.size else 0

    def __del__(self):
        if self.ptr:
            _device.memory_free(self._device, self.ptr, self.size, self._kind)
            self.ptr = 0


class MemoryAsync(Memory):
    """Bytes from the platform's pool, in the order of a stream (cudaMallocAsync).

    Parameters: size: a number of bytes; stream: a stream.
    Errors: TypeError for what is none."""
    _kind = _ASYNC

    def __init__(self, size, stream):
        if not hasattr(stream, "_stream"):
            raise TypeError(f"MemoryAsync: a stream is needed, not a {type(stream).__name__}")
        with stream:
            super().__init__(size)
        self._stream = stream

    stream_ref = property(lambda self: self._stream, doc="The stream.")

    def __del__(self):
        if self.ptr:
            with self._stream:
                super().__del__()


class ManagedMemory(Memory):
    """Bytes that host and device use under one address. On the CPU all memory is that.

    Parameters: size: a number of bytes.
    Errors: CUDARuntimeError where there is not so much."""
    _kind = _MANAGED

    def prefetch(self, stream, device_id=None) -> None:
        """Moves the bytes to a device (-1: the host) ahead of their use; nothing to do on the CPU.

        Parameters: stream: the stream in which it happens (None: the current one); device_id: a device's number
            (None: the stream's)."""
        from cuprite.cuda import runtime
        runtime.memPrefetchAsync(self.ptr, self.size, self.device_id if device_id is None else device_id, stream.ptr)

    def advise(self, advise, dev) -> None:
        """Tells the driver how the bytes will be used (runtime.cudaMemAdvise...); nothing to do on the CPU.

        Parameters: advise: one of these numbers; dev: a device."""
        from cuprite.cuda import runtime
        runtime.memAdvise(self.ptr, self.size, int(advise), Device(dev).id)


class UnownedMemory(BaseMemory):
    """Memory with another owner; `owner` is kept. Without a device the current one, or that of the address. A size
    of 0 says nothing about it.

    Parameters: ptr: an address; size: a number of bytes; owner: any object; device_id: a device's number, or -1."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = addressed(ptr), checked(size), owner
        self._device = _device.current() if index(device_id) == -1 else Device(device_id)._number
        if device_id == -1 and ptr and on_cuda(self._device):
            from cuprite.cuda import runtime
            found = runtime.pointerGetAttributes(ptr)
            if found.type in (runtime.memoryTypeDevice, runtime.memoryTypeManaged):
                self._device = found.device


class _ArrayMemory(BaseMemory):
    """The memory that an array points into."""

    def __init__(self, x):
        self._array, self.ptr, self.size, self._device = x, x._address, x.nbytes, x._device


def addressed(value):
    """An address, a number of 64 bits with or without a sign."""
    value = index(value)
    if not -1 << 63 <= value < 1 << 64:
        raise OverflowError(f"{value} is no address")
    return value


_LOWEST = 4096  # addresses below are never valid, so null pointers are found


def is_reachable(address, size):
    """Whether memory can be there: not so near 0 or beyond 63 bits, and no more than this machine's addresses hold."""
    return _LOWEST <= address and address + size <= 1 << 57


def _bounds(mem):
    """(address, bytes) of memory, or of what an array's memory was taken from; None where that is not known."""
    if hasattr(mem, "ptr"):
        return None if isinstance(mem, UnownedMemory) and not mem.size else (mem.ptr, mem.size)
    while hasattr(mem.base, "_address"):
        mem = mem.base
    if mem.base is not None:
        return None
    ends = [(n - 1) * step for n, step in zip(mem.shape, mem.strides)] if mem.size else []
    low = sum(end for end in ends if end < 0)
    return mem._address + low, sum(map(abs, ends)) + mem.itemsize if mem.size else 0


def _reported(value, name):
    """A number that CUDA takes as a C int."""
    value = index(value)
    if not -1 << 31 <= value < 1 << 31:
        raise OverflowError(f"{name}: {value} is no C int")
    return value


class MemoryPointer:
    """An address in a device's memory (x.data), and what keeps it alive. Adding to it moves it on by bytes.

    Parameters: mem: memory, as Memory(size) is; offset: where it points, in bytes from the beginning.
    Errors: TypeError for what is no memory."""
    __slots__ = ("ptr", "_mem", "_device")

    def __init__(self, mem, offset=0):
        if not hasattr(mem, "_device"):
            raise TypeError(f"MemoryPointer: memory is needed, not a {type(mem).__name__}")
        self.ptr = addressed((mem.ptr if hasattr(mem, "ptr") else mem._address) + index(offset))
        self._mem, self._device = mem, mem._device

    @property
    def mem(self):
        """The memory: BaseMemory."""
        return self._mem if hasattr(self._mem, "ptr") else _ArrayMemory(self._mem)

    def __add__(self, offset):
        moved = type(self)(self._mem)
        moved.ptr = addressed(self.ptr + index(offset))
        return moved

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -index(offset)

    def _inside(self, low, high, what):
        """Raises what CUDA's driver would where bytes from low to high behind the pointer are not the memory's."""
        if high <= low or on_cuda(self._device):
            return
        bounds = _bounds(self._mem)
        if bounds and not (bounds[0] <= self.ptr + low and self.ptr + high <= bounds[0] + bounds[1]):
            raise CUDARuntimeError(f"{what}: cudaErrorInvalidValue: invalid argument: {high - low} bytes from byte "
                                   f"{self.ptr + low - bounds[0]} on, of memory of {bounds[1]} bytes")

    device = property(lambda self: Device._of(self._device), doc="The device of the memory.")
    device_id = property(lambda self: self.device.id, doc="The number of its device.")

    def __int__(self):
        return self.ptr

    def __repr__(self):
        return f"<MemoryPointer {self.ptr:#x} device={self.device!r}>"

    # --- bytes ---
    def copy_from_device(self, src, size) -> None:
        """Copies bytes from another MemoryPointer, of any device.

        Parameters: src: a MemoryPointer; size: a number of bytes.
        Errors: TypeError for what is none; CUDARuntimeError for bytes outside of either memory."""
        if not isinstance(src, MemoryPointer):
            raise TypeError(f"copy_from_device: a MemoryPointer is needed, not a {type(src).__name__}")
        size = checked(size)
        self._inside(0, size, "copy_from_device: to")
        src._inside(0, size, "copy_from_device: from")
        _copy(self.ptr, self._device, src.ptr, src._device, size)

    def copy_from_host(self, mem, size) -> None:
        """Copies bytes from an address of the host's memory: a number or a ctypes.c_void_p.

        Parameters: mem: an address of the host; size: a number of bytes.
        Errors: CUDARuntimeError for bytes outside of the memory."""
        mem, size = _address(mem), checked(size)
        self._inside(0, size, "copy_from_host: to")
        _copy(self.ptr, self._device, mem, -1, size)

    def copy_to_host(self, mem, size) -> None:
        """Copies bytes to an address of the host's memory and waits for them.

        Parameters: mem: an address of the host; size: a number of bytes.
        Errors: CUDARuntimeError for bytes outside of the memory."""
        mem, size = _address(mem), checked(size)
        self._inside(0, size, "copy_to_host: from")
        _copy(mem, -1, self.ptr, self._device, size)

    def copy_from(self, mem, size) -> None:
        """copy_from_device or copy_from_host, by what it gets.

        Parameters: mem: a MemoryPointer, or an address of the host; size: a number of bytes.
        Errors: CUDARuntimeError for bytes outside of the memory."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def memset(self, value, size) -> None:
        """Sets bytes to a value, of which the last eight bits count.

        Parameters: value: an integer; size: a number of bytes.
        Errors: CUDARuntimeError for bytes outside of the memory."""
        value, size = _reported(value, "memset") & 0xff, checked(size)
        self._inside(0, size, "memset")
        if size:
            from cuprite import ndarray
            with Device._of(self._device):
                ndarray((size,), "u1", memptr=self).fill(value)

    def copy_from_device_async(self, src, size, stream=None) -> None:
        """copy_from_device in a stream, the current one by default.

        Parameters: src: a MemoryPointer; size: a number of bytes; stream: the stream in which it happens (None: the
            current one).
        Errors: TypeError for what is none; CUDARuntimeError for bytes outside of either memory."""
        with _in(stream):
            self.copy_from_device(src, size)

    def copy_from_host_async(self, mem, size, stream=None) -> None:
        """copy_from_host in a stream. On a GPU the host's bytes must stay until it is done.

        Parameters: mem: an address of the host; size: a number of bytes; stream: the stream in which it happens
            (None: the current one).
        Errors: CUDARuntimeError for bytes outside of the memory."""
        if on_cuda(self._device):
            _transfer(self.ptr, _address(mem), checked(size), 1, stream)
        else:
            with _in(stream):
                self.copy_from_host(mem, size)

    def copy_to_host_async(self, mem, size, stream=None) -> None:
        """copy_to_host in a stream. On a GPU the bytes are there when the stream has come so far.

        Parameters: mem: an address of the host; size: a number of bytes; stream: the stream in which it happens
            (None: the current one).
        Errors: CUDARuntimeError for bytes outside of the memory."""
        if on_cuda(self._device):
            _transfer(_address(mem), self.ptr, checked(size), 2, stream)
        else:
            with _in(stream):
                self.copy_to_host(mem, size)

    def copy_from_async(self, mem, size, stream=None) -> None:
        """copy_from_device_async or copy_from_host_async, by what it gets.

        Parameters: mem: a MemoryPointer, or an address of the host; size: a number of bytes; stream: the stream in
            which it happens (None: the current one).
        Errors: CUDARuntimeError for bytes outside of the memory."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device_async(mem, size, stream)
        else:
            self.copy_from_host_async(mem, size, stream)

    def memset_async(self, value, size, stream=None) -> None:
        """memset in a stream.

        Parameters: value: an integer; size: a number of bytes; stream: the stream in which it happens (None: the
            current one).
        Errors: CUDARuntimeError for bytes outside of the memory."""
        with _in(stream):
            self.memset(value, size)


def _address(mem):
    """The address that a number or an object of ctypes is; AttributeError for what is neither."""
    if hasattr(mem, "__index__"):
        return addressed(mem)
    return addressed(mem.value or 0)


def _copy(to, to_device, from_, from_device, size):
    if size and not (is_reachable(to, size) and is_reachable(from_, size)):
        raise CUDARuntimeError(f"memory_copy: cudaErrorInvalidValue: invalid argument: {size} bytes from {from_:#x} to "
                               f"{to:#x}")
    if size:
        _device.memory_copy(to, to_device, from_, from_device, size)


class _AsItIs:
    """A block in which the current stream stays."""

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        pass


def _in(stream):
    if stream is not None and not hasattr(stream, "_stream"):
        raise AttributeError(f"a stream is needed, not a {type(stream).__name__}")
    return _AsItIs() if stream is None else stream


def _transfer(to, from_, size, kind, stream):
    from cuprite.cuda import get_current_stream, runtime
    runtime.memcpyAsync(to, from_, size, kind, (stream or get_current_stream()).ptr)


def enough(given, size):
    """An allocator's result, if it is as large as requested or its size is unknown."""
    if isinstance(given, (MemoryPointer, BaseMemory)):
        bounds = _bounds(given._mem if isinstance(given, MemoryPointer) else given)
        if bounds and size and not bounds[0] <= given.ptr <= bounds[0] + bounds[1] - size:
            raise ValueError(f"an allocator gave the address of byte {given.ptr - bounds[0]} of {bounds[1]} where "
                             f"{size} bytes are needed")
    return given


def malloc(size):
    """New memory of the current device, past its pool."""
    return MemoryPointer(Memory(size), 0)


def malloc_managed(size) -> "MemoryPointer":
    """A pointer to new managed memory; MemoryPool(malloc_managed) pools it.

    Parameters: size: a number of bytes.
    Errors: CUDARuntimeError where there is not so much."""
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_async(size) -> "MemoryPointer":
    """A pointer to new memory from the platform's pool, in the order of the current stream.

    Parameters: size: a number of bytes.
    Errors: CUDARuntimeError where there is not so much."""
    from cuprite.cuda.stream import get_current_stream
    return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)
