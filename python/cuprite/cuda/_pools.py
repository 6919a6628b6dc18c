"""Pools of memory (cupy.cuda.memory): the library's own, pools over any allocator, and the platform's.

Invariant: a block belongs to one pointer or to its pool's list of free ones; both change under the pool's lock.
"""
# not where memory comes back: the interpreter may be ending then
from _bisect import bisect_left, insort_right as insort
from _operator import index
from _thread import RLock, _local, allocate_lock

from cuprite import _device
from cuprite._core import CUDARuntimeError, OutOfMemoryError
from cuprite.cuda import memory_hook
from cuprite.cuda._memories import (UNIT, BaseMemory, MemoryPointer, checked, enough, exhausted, in_words, malloc,
                                    malloc_async)
from cuprite.cuda.device import Device, on_cuda

MEMORY_ALLOCATION = 2  # cudaErrorMemoryAllocation


def _rounded(size):
    return (checked(size) + UNIT - 1) // UNIT * UNIT


class _Here(_local):
    """A thread's allocator inside using_allocator (None: that of all threads), and whether its arrays are to come from
    the library's pool now, whatever the allocator."""
    allocator, inside, alone = None, 0, 0


here = _Here()


class _PoolAlone:
    """A block in which new arrays come from the library's pool: allocators are made of such."""

    def __enter__(self):
        here.alone += 1

    def __exit__(self, *exception):
        here.alone -= 1


pool_alone = _PoolAlone()


class PooledMemory(BaseMemory):
    """Memory of a pool, which gets it back by free() or with the object."""

    def __init__(self, block, size, pool, place=None):
        self._block, self._pool, self._place = block, pool, place
        self.ptr, self.size, self._device = block.ptr, size, block._device

    def free(self) -> None:
        """Gives the memory back."""
        block, self._block = self._block, None
        if block is None:
            return
        reported = {"device_id": self.device_id, "mem_size": self.size, "mem_ptr": self.ptr, "pmem_id": id(self)}
        hooks = memory_hook.get_memory_hooks().values()
        for hook in hooks:
            hook.free_preprocess(**reported)
        self.ptr = 0
        self._pool._take_back(block, self.size, self._place)
        for hook in hooks:
            hook.free_postprocess(**reported)

    def __del__(self):
        if _device is not None:  # the interpreter may be ending
            self.free()


class _Pool:
    """What the pools share: malloc with its hooks around _get."""

    def malloc(self, size):
        """A MemoryPointer to at least `size` bytes of the current device."""
        hooks = memory_hook.get_memory_hooks().values()
        mem_size = _rounded(size)
        if mem_size >> 63:
            raise exhausted(_device.current(), size)
        reported = {"device_id": Device().id, "size": size, "mem_size": mem_size}
        for hook in hooks:
            hook.malloc_preprocess(**reported)
        mem, fresh = self._get(mem_size)
        if fresh:
            for hook in hooks:
                hook.alloc_preprocess(device_id=reported["device_id"], mem_size=fresh)
                hook.alloc_postprocess(device_id=reported["device_id"], mem_size=fresh, mem_ptr=mem.ptr)
        for hook in hooks:
            hook.malloc_postprocess(mem_ptr=mem.ptr, pmem_id=id(mem), **reported)
        return MemoryPointer(mem, 0)

    def free_all_free(self):
        """free_all_blocks by its old name."""
        self.free_all_blocks()

    @staticmethod
    def _limit_in_bytes(size, fraction):
        if (size is None) == (fraction is None):
            raise ValueError("size or fraction must be given, not both")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"memory limit fraction out of range: {fraction}")
            size = int(fraction * _device.query(_device.current())["memory_total"])
        size = index(size)
        if size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        return size


class MemoryPool(_Pool):
    """A pool of its own over an allocator, as `MemoryPool(malloc_managed)`; set_allocator(pool.malloc) makes arrays
    come from it. Blocks are reused in the stream for which they were taken, wherever they are given back, whole, and
    not for less than half.

    Parameters: allocator: a function of a size (None: the device).
    Errors: TypeError for what cannot be called."""

    def __init__(self, allocator=None):
        if allocator is not None and not callable(allocator):
            raise TypeError(f"an allocator must be callable, a {type(allocator).__name__} is not")
        self._allocator = malloc if allocator is None else allocator
        self._lock = RLock()  # a block may come back while one is looked for, from the same thread
        self._free = {}   # (device, stream): sorted list of (size, order, block)
        self._used, self._held, self._limits, self._count = {}, {}, {}, 0

    def _place(self):
        device = _device.current()
        return device, _device.stream_handle(_device.stream_current(device))

    def _get(self, size):
        place = self._place()
        device = place[0]
        with self._lock:
            free = self._free.setdefault(place, [])
            i = bisect_left(free, (size,))
            if i < len(free) and free[i][0] <= max(2 * size, size + UNIT):
                taken, _, block = free.pop(i)
                self._used[device] = self._used.get(device, 0) + taken
                return PooledMemory(block, taken, self, place), 0
            limit = self._limits.get(device, 0)
            if limit and self._held.get(device, 0) + size > limit:
                self.free_all_blocks()
                if self._held.get(device, 0) + size > limit:
                    raise OutOfMemoryError(f"out of memory: {size} bytes asked for ({in_words(size)}), the pool holds "
                                           f"{in_words(self._held.get(device, 0))}, its limit is {in_words(limit)}")
        with pool_alone:
            block = self._taken(size)
        with self._lock:
            self._held[device] = self._held.get(device, 0) + size
            self._used[device] = self._used.get(device, 0) + size
        return PooledMemory(block, size, self, place), size

    def _taken(self, size):
        """Memory of the allocator's; free blocks go back where there is none, and it is asked once more."""
        for last in (False, True):
            try:
                return enough(self._allocator(size), size)
            except (OutOfMemoryError, CUDARuntimeError) as e:
                full = isinstance(e, OutOfMemoryError)
                if not full and e.status != MEMORY_ALLOCATION:
                    raise
                if last:
                    raise OutOfMemoryError(str(e)) from None
            self.free_all_blocks()

    def _take_back(self, block, size, place):
        with self._lock:
            self._used[place[0]] -= size
            self._count += 1
            insort(self._free.setdefault(place, []), (size, self._count, block))

    def free_all_blocks(self, stream=None) -> None:
        """Gives the current device's unused blocks back; with a stream only those that were freed there."""
        device = _device.current()
        with self._lock:
            gone = []
            for place in list(self._free):
                if place[0] == device and (stream is None or place[1] == stream.ptr):
                    gone += self._free.pop(place)
            self._held[device] = self._held.get(device, 0) - sum(size for size, _, _ in gone)
        del gone

    def n_free_blocks(self) -> int:
        """Number of blocks held for reuse on the current device."""
        return sum(len(free) for (device, _), free in list(self._free.items()) if device == _device.current())

    def used_bytes(self) -> int:
        """Bytes given out on the current device."""
        return self._used.get(_device.current(), 0)

    def total_bytes(self) -> int:
        """Bytes taken from the allocator on the current device."""
        return self._held.get(_device.current(), 0)

    def free_bytes(self) -> int:
        """Bytes held for reuse on the current device."""
        return self.total_bytes() - self.used_bytes()

    def set_limit(self, size=None, fraction=None) -> None:
        """Limits what the pool may hold on the current device: bytes, or a fraction of its memory; 0: no limit.

        Parameters: size: bytes; fraction: a number from 0 to 1.
        Errors: ValueError for both, and for what is out of these."""
        self._limits[_device.current()] = self._limit_in_bytes(size, fraction)

    def get_limit(self) -> int:
        """The limit in bytes; 0: none."""
        return self._limits.get(_device.current(), 0)


class _Block(BaseMemory):
    """A block of the library's pool: it lives as an array of bytes does."""

    def __init__(self, size):
        from cuprite import empty
        self._bytes, self.size = empty(size, "u1"), size
        self.ptr, self._device = self._bytes._address if size else 0, self._bytes._device


class _DefaultPool(MemoryPool):
    """The library's pool of the current device, where arrays come from. A MemoryPool by its class alone, as programs
    ask before they use it."""

    def __init__(self):
        pass

    def _figures(self):
        return _device.pool(_device.current())

    def _get(self, size):
        held = self._figures()["held"]
        with pool_alone:
            block = _Block(size)
        return PooledMemory(block, size, self), max(0, self._figures()["held"] - held)

    def _take_back(self, block, size, place):
        pass  # with the object

    def used_bytes(self):
        """Bytes in live arrays and workspaces."""
        return self._figures()["used"]

    def total_bytes(self):
        """Bytes taken from the device."""
        return self._figures()["held"]

    def free_bytes(self):
        """Bytes held for reuse."""
        p = self._figures()
        return p["held"] - p["used"]

    def n_free_blocks(self):
        """Number of blocks held for reuse."""
        return self._figures()["blocks"]

    def statistics(self):
        """The pool's figures, a dict: used, held, peak, limit, allocations, reuses, blocks."""
        return self._figures()

    def free_all_blocks(self, stream=None):
        """Gives unused memory back to the device; with a stream only what was freed there."""
        if stream is None:
            _device.pool_trim(_device.current())
        else:
            _device.pool_trim_stream(stream._stream())

    def set_limit(self, size=None, fraction=None):
        """Limits what the pool may hold: bytes, or a fraction of the device's memory; 0 takes the limit away."""
        _device.pool_limit(_device.current(), self._limit_in_bytes(size, fraction))

    def get_limit(self):
        """The limit in bytes; 0: none."""
        return self._figures()["limit"]


class MemoryAsyncPool(_Pool):
    """The platform's pool (cudaMallocAsync), in the order of the current stream. Other devices have none, and there it
    is the device's memory.

    Parameters: pool_handles: 'current' or 'default'.
    Errors: ValueError for others."""

    memoryAsyncHasStat = True

    def __init__(self, pool_handles="current"):
        if pool_handles not in ("current", "default"):
            raise ValueError("pool_handles: 'current' or 'default'; other pools are set with runtime.deviceSetMemPool")
        self._handles, self._taken, self._lock = pool_handles, {}, allocate_lock()

    def _pool(self):
        from cuprite.cuda import runtime
        device = Device()
        current = self._handles == "current"
        return runtime.deviceGetMemPool(device) if current else runtime.deviceGetDefaultMemPool(device)

    def _get(self, size):
        with pool_alone:
            mem = malloc_async(size)
        device = mem._device
        with self._lock:
            self._taken[device] = self._taken.get(device, 0) + size
        return PooledMemory(mem, size, self), size

    def _take_back(self, block, size, place):
        with self._lock:
            self._taken[block._device] -= size

    def _figure(self, attribute):
        from cuprite.cuda import runtime
        if not on_cuda(_device.current()):
            return self._taken.get(_device.current(), 0)
        return runtime.memPoolGetAttribute(self._pool(), attribute)

    def used_bytes(self) -> int:
        """Bytes in use."""
        from cuprite.cuda import _constants
        return self._figure(_constants.cudaMemPoolAttrUsedMemCurrent)

    def total_bytes(self) -> int:
        """Bytes taken from the device."""
        from cuprite.cuda import _constants
        return self._figure(_constants.cudaMemPoolAttrReservedMemCurrent)

    def free_bytes(self) -> int:
        """Bytes held for reuse."""
        return self.total_bytes() - self.used_bytes()

    def n_free_blocks(self) -> int:
        """The platform does not report it: NotImplementedError."""
        raise NotImplementedError("MemoryAsyncPool.n_free_blocks: the platform's pool does not tell its blocks")

    def free_all_blocks(self, stream=None) -> None:
        """Gives unused memory back to the device, once the stream, the current one by default, has come so far."""
        from cuprite.cuda import get_current_stream, runtime
        (stream or get_current_stream()).synchronize()
        if on_cuda(_device.current()):
            runtime.memPoolTrimTo(self._pool(), 0)

    def set_limit(self, size=None, fraction=None) -> None:
        """What the platform's pool keeps, rather than gives back, when nothing uses it.

        Parameters: size: bytes; fraction: a share of the device's memory."""
        from cuprite.cuda import _constants, runtime
        bytes_ = self._limit_in_bytes(size, fraction)
        if on_cuda(_device.current()):
            runtime.memPoolSetAttribute(self._pool(), _constants.cudaMemPoolAttrReleaseThreshold, bytes_)

    def get_limit(self) -> int:
        """That number of bytes."""
        from cuprite.cuda import _constants
        return self._figure(_constants.cudaMemPoolAttrReleaseThreshold) if on_cuda(_device.current()) else 0


default_pool = _DefaultPool()
