"""Page-locked memory of the host with the interface of cupy.cuda.pinned_memory. Without a GPU it is ordinary
host memory, not page-locked."""
from _bisect import bisect_left, insort_right as insort
from _operator import index
from _thread import RLock

from cuprite import _device
from cuprite._core import _HostBytes
from cuprite.cuda._memories import UNIT, addressed, checked, new
from cuprite.cuda.device import Device, on_cuda
from cuprite._missing import listing as _listing

_PINNED = 3  # cp_memory_kind

_live = {}  # address: size, of what is alive


class PinnedMemory:
    """Page-locked bytes. They go back with the object.

    Parameters: size: a number of bytes; flags: of cudaHostAlloc.
    Errors: CUDARuntimeError where there is not so much."""

    def __init__(self, size, flags=0):
        self._device, self.size = _device.current(), checked(size)
        self.ptr = new(self.size, _PINNED) if self.size else 0
        if self.ptr:
            _live[self.ptr] = self.size

    device = property(lambda self: Device._of(self._device), doc="The device that was current when it was made.")

    def __int__(self):
        return self.ptr

    def __del__(self):
        if getattr(self, "ptr", 0) and _device is not None:
            _live.pop(self.ptr, None)
            _device.memory_free(self._device, self.ptr, self.size, _PINNED)
            self.ptr = 0


class PinnedMemoryPointer(_HostBytes):
    """An address in pinned memory, which it keeps alive; a buffer of the bytes behind it (numpy.frombuffer).

    Parameters: mem: a PinnedMemory; offset: bytes from its beginning.
    Errors: TypeError for what is no memory."""

    def __init__(self, mem, offset):
        if not hasattr(mem, "ptr"):
            raise TypeError(f"PinnedMemoryPointer: memory is needed, not a {type(mem).__name__}")
        offset = index(offset)
        super().__init__(addressed(mem.ptr + offset), max(0, mem.size - offset) if offset >= 0 else 0)
        self._mem, self._ptr = mem, mem.ptr + offset

    mem = property(lambda self: self._mem, doc="The memory.")
    ptr = property(lambda self: self._ptr, doc="The address.")

    def size(self) -> int:
        """Bytes from here to the end."""
        return self.mem.size - (self.ptr - self.mem.ptr)

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return type(self)(self.mem, self.ptr - self.mem.ptr + index(offset))

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -index(offset)


class PooledPinnedMemory:
    """Pinned memory of a pool, which gets it back by free() or with the object.

    Parameters: mem: the memory; pool: the pool."""

    def __init__(self, mem, pool):
        self.ptr, self.size, self._mem, self._pool = mem.ptr, mem.size, mem, pool

    def free(self) -> None:
        """Gives the memory back."""
        mem, self._mem = self._mem, None
        if mem is not None:
            self.ptr = self.size = 0
            self._pool._take_back(mem)

    def __del__(self):
        self.free()


def _malloc(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


class PinnedMemoryPool:
    """Keeps unused pinned memory for the next request: making it takes long. Whoever gives memory back must
    have waited for the transfers that use it.

    Parameters: allocator: a function of a size that gives a PinnedMemoryPointer."""

    def __init__(self, allocator=_malloc):
        self._allocator, self._lock, self._free = allocator, RLock(), []
        self._used = self._held = 0

    def malloc(self, size) -> "PinnedMemoryPointer":
        """A PinnedMemoryPointer to at least `size` bytes."""
        rounded = max(1, (checked(size) + UNIT - 1) // UNIT) * UNIT
        with self._lock:
            i = bisect_left(self._free, rounded, key=lambda mem: mem.size)
            mem = self._free.pop(i) if i < len(self._free) and self._free[i].size <= 2 * rounded else None
        fresh = mem is None
        if fresh:
            mem = self._allocator(rounded).mem
        with self._lock:
            self._held += mem.size if fresh else 0
            self._used += mem.size
        return PinnedMemoryPointer(PooledPinnedMemory(mem, self), 0)

    def _take_back(self, mem):
        with self._lock:
            self._used -= mem.size
            insort(self._free, mem, key=lambda m: m.size)

    def n_free_blocks(self) -> int:
        """Number of blocks held for reuse."""
        return len(self._free)

    def free_all_blocks(self) -> None:
        """Returns unused memory to the system."""
        with self._lock:
            gone, self._free = self._free, []
            self._held -= sum(mem.size for mem in gone)
        del gone

    def used_bytes(self) -> int:
        """Bytes given out."""
        return self._used

    def total_bytes(self) -> int:
        """Bytes taken from the system."""
        return self._held

    def free_bytes(self) -> int:
        """Bytes held for reuse."""
        return self._held - self._used


default_pool = PinnedMemoryPool()
_allocator = default_pool.malloc


def set_pinned_memory_allocator(allocator=None) -> None:
    """Makes alloc_pinned_memory use allocator(size); without one every block comes from the system.

    Parameters: allocator: a function of a size, or None.
    Errors: TypeError for what cannot be called."""
    global _allocator
    if allocator is not None and not callable(allocator):
        raise TypeError(f"an allocator must be callable, a {type(allocator).__name__} is not")
    _allocator = _malloc if allocator is None else allocator


def alloc_pinned_memory(size) -> "PinnedMemoryPointer":
    """A PinnedMemoryPointer to at least `size` bytes, from the pool unless set_pinned_memory_allocator says so.

    Parameters: size: a number of bytes. MemoryError where there are not so many.

    Example:
        >>> import numpy
        >>> memory = cp.cuda.alloc_pinned_memory(4 * 8)
        >>> x = numpy.frombuffer(memory, numpy.float64, 4)
        >>> x[:] = [1, 2, 3, 4]
        >>> cp.asarray(x)
        array([1., 2., 3., 4.])
    """
    return _allocator(size)


def is_memory_pinned(data) -> bool:
    """Whether the address lies in page-locked memory; without a GPU in what stands for it.

    Parameters: data: an address."""
    data = addressed(data)
    if on_cuda(_device.current()):
        from cuprite.cuda import runtime
        return runtime.pointerGetAttributes(data).type in (runtime.memoryTypeHost, runtime.memoryTypeManaged)
    return any(at <= data < at + size for at, size in list(_live.items()))


__dir__ = _listing(__name__)
