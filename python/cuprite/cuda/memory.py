"""Memory of devices with the interface of cupy.cuda.memory: kinds of it, pointers into it, pools, allocators.

Arrays come from the C library's pool, one a device, which get_default_memory_pool() speaks of. Any other allocator, and
memory hooks, make each new array ask here (_serve): while there is neither, nothing of this file runs.
"""
import bisect  # not where memory comes back: the interpreter may be ending then
import contextlib
import threading

from cuprite import _device
from cuprite._core import OutOfMemoryError  # noqa: F401
from cuprite.cuda import memory_hook
from cuprite.cuda.device import Device, on_cuda

UNIT = 512  # what pools round sizes up to
_DEVICE, _ASYNC, _MANAGED = 0, 1, 2  # cp_memory_kind


def checked(size):
    """The size, which is not negative."""
    if size < 0:
        raise OverflowError(f"can't convert negative value to size_t: {size} bytes of memory")
    return size


def _rounded(size):
    return (checked(size) + UNIT - 1) // UNIT * UNIT


class BaseMemory:
    """Memory: ptr, size in bytes, device."""
    ptr, size, _device = 0, 0, -1

    device = property(lambda self: Device._of(self._device))
    device_id = property(lambda self: self.device.id)

    def __int__(self):
        return self.ptr


class Memory(BaseMemory):
    """Bytes from the current device itself, past its pool. They go back with the object."""
    _kind = _DEVICE

    def __init__(self, size):
        self._device, self.size = _device.current(), checked(size)
        self.ptr = _device.memory_new(self._device, size, self._kind) if size else 0

    def __del__(self):
        if self.ptr:
            _device.memory_free(self._device, self.ptr, self.size, self._kind)
            self.ptr = 0


class MemoryAsync(Memory):
    """Bytes from the platform's pool, in the order of a stream (cudaMallocAsync)."""
    _kind = _ASYNC

    def __init__(self, size, stream):
        with stream:
            super().__init__(size)
        self._stream = stream

    stream_ref = property(lambda self: self._stream)

    def __del__(self):
        if self.ptr:
            with self._stream:
                super().__del__()


class ManagedMemory(Memory):
    """Bytes that host and device use under one address. On the CPU all memory is that."""
    _kind = _MANAGED

    def prefetch(self, stream, device_id=None):
        """Moves the bytes to a device (-1: the host) ahead of their use; nothing to do on the CPU."""
        from cuprite.cuda import runtime
        runtime.memPrefetchAsync(self.ptr, self.size, self.device_id if device_id is None else device_id, stream.ptr)

    def advise(self, advise, dev):
        """Tells the driver how the bytes will be used (runtime.cudaMemAdvise...); nothing to do on the CPU."""
        from cuprite.cuda import runtime
        runtime.memAdvise(self.ptr, self.size, int(advise), Device(dev).id)


class UnownedMemory(BaseMemory):
    """Memory that somebody else owns; `owner` is kept. Without a device the current one, or that of the address."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = ptr, size, owner
        self._device = _device.current() if device_id == -1 else Device(device_id)._number
        if device_id == -1 and ptr and on_cuda(self._device):
            from cuprite.cuda import runtime
            found = runtime.pointerGetAttributes(ptr)
            if found.type in (runtime.memoryTypeDevice, runtime.memoryTypeManaged):
                self._device = found.device


class _ArrayMemory(BaseMemory):
    """The memory that an array points into."""

    def __init__(self, x):
        self._array, self.ptr, self.size, self._device = x, x._address, x.nbytes, x._device


class MemoryPointer:
    """An address in a device's memory (x.data), and what keeps it alive. Adding to it moves it on by bytes."""
    __slots__ = ("ptr", "_mem", "_device")

    def __init__(self, mem, offset=0):
        self.ptr = (mem.ptr if hasattr(mem, "ptr") else mem._address) + offset
        self._mem, self._device = mem, mem._device

    @property
    def mem(self):
        """The memory: BaseMemory."""
        return self._mem if hasattr(self._mem, "ptr") else _ArrayMemory(self._mem)

    def __add__(self, offset):
        moved = type(self)(self._mem)
        moved.ptr = self.ptr + offset
        return moved

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -offset

    device = property(lambda self: Device._of(self._device))
    device_id = property(lambda self: self.device.id)

    def __int__(self):
        return self.ptr

    def __repr__(self):
        return f"<MemoryPointer {self.ptr:#x} device={self.device!r}>"

    # --- bytes ---
    def copy_from_device(self, src, size):
        """Copies bytes from another MemoryPointer, of any device."""
        _device.memory_copy(self.ptr, self._device, src.ptr, src._device, size)

    def copy_from_host(self, mem, size):
        """Copies bytes from an address of the host's memory: a number or a ctypes.c_void_p."""
        _device.memory_copy(self.ptr, self._device, _address(mem), -1, size)

    def copy_to_host(self, mem, size):
        """Copies bytes to an address of the host's memory and waits for them."""
        _device.memory_copy(_address(mem), -1, self.ptr, self._device, size)

    def copy_from(self, mem, size):
        """copy_from_device or copy_from_host, by what it gets."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def memset(self, value, size):
        """Sets bytes to a value."""
        self._bytes(checked(size)).fill(value & 0xff)

    def copy_from_device_async(self, src, size, stream=None):
        """copy_from_device in a stream, the current one by default."""
        with _in(stream):
            self.copy_from_device(src, size)

    def copy_from_host_async(self, mem, size, stream=None):
        """copy_from_host in a stream. On a GPU the host's bytes must stay until it is done."""
        if on_cuda(self._device):
            _transfer(self.ptr, _address(mem), size, 1, stream)
        else:
            with _in(stream):
                self.copy_from_host(mem, size)

    def copy_to_host_async(self, mem, size, stream=None):
        """copy_to_host in a stream. On a GPU the bytes are there when the stream has come so far."""
        if on_cuda(self._device):
            _transfer(_address(mem), self.ptr, size, 2, stream)
        else:
            with _in(stream):
                self.copy_to_host(mem, size)

    def copy_from_async(self, mem, size, stream=None):
        """copy_from_device_async or copy_from_host_async, by what it gets."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device_async(mem, size, stream)
        else:
            self.copy_from_host_async(mem, size, stream)

    def memset_async(self, value, size, stream=None):
        """memset in a stream."""
        with _in(stream):
            self.memset(value, size)

    def _bytes(self, size):
        from cuprite import ndarray
        with Device._of(self._device):
            return ndarray((size,), "u1", memptr=self)


def _address(mem):
    return getattr(mem, "value", mem) or 0


def _in(stream):
    return contextlib.nullcontext() if stream is None else stream


def _transfer(to, from_, size, kind, stream):
    from cuprite.cuda import get_current_stream, runtime
    runtime.memcpyAsync(to, from_, size, kind, (stream or get_current_stream()).ptr)


# --- pools ---
class PooledMemory(BaseMemory):
    """Memory of a pool, which gets it back by free() or with the object."""

    def __init__(self, block, size, pool, place=None):
        self._block, self._pool, self._place = block, pool, place
        self.ptr, self.size, self._device = block.ptr, size, block._device

    def free(self):
        """Gives the memory back."""
        block, self._block = self._block, None
        if block is None:
            return
        told = {"device_id": self.device_id, "mem_size": self.size, "mem_ptr": self.ptr, "pmem_id": id(self)}
        hooks = memory_hook.get_memory_hooks().values()
        for hook in hooks:
            hook.free_preprocess(**told)
        self.ptr = 0
        self._pool._take_back(block, self.size, self._place)
        for hook in hooks:
            hook.free_postprocess(**told)

    def __del__(self):
        if _device is not None:  # the interpreter may be ending
            self.free()


class _Pool:
    """What the pools share: malloc with its hooks around _get."""

    def malloc(self, size):
        """A MemoryPointer to at least `size` bytes of the current device."""
        hooks = memory_hook.get_memory_hooks().values()
        mem_size = _rounded(size)
        told = {"device_id": Device().id, "size": size, "mem_size": mem_size}
        for hook in hooks:
            hook.malloc_preprocess(**told)
        mem, fresh = self._get(mem_size)
        if fresh:
            for hook in hooks:
                hook.alloc_preprocess(device_id=told["device_id"], mem_size=fresh)
                hook.alloc_postprocess(device_id=told["device_id"], mem_size=fresh, mem_ptr=mem.ptr)
        for hook in hooks:
            hook.malloc_postprocess(mem_ptr=mem.ptr, pmem_id=id(mem), **told)
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
        if size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        return size


class _Block(BaseMemory):
    """A block of the library's pool: it lives as an array of bytes does."""

    def __init__(self, size):
        from cuprite import empty
        self._bytes, self.size = empty(size, "u1"), size
        self.ptr, self._device = self._bytes._address if size else 0, self._bytes._device


class _DefaultPool(_Pool):
    """The library's pool of the current device, where arrays come from."""

    def _figures(self):
        return _device.pool(_device.current())

    def _get(self, size):
        held = self._figures()["held"]
        with _pool_alone:
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


def _malloc(size):
    """New memory of the current device, past its pool."""
    return MemoryPointer(Memory(size), 0)


class MemoryPool(_Pool):
    """A pool of its own over an allocator, as `MemoryPool(malloc_managed)`; set_allocator(pool.malloc) makes arrays
    come from it. Blocks are reused in the stream for which they were taken, wherever they are given back, whole, and
    not for less than half."""

    def __init__(self, allocator=None):
        self._allocator = _malloc if allocator is None else allocator
        self._lock = threading.RLock()  # a block may come back while one is looked for, from the same thread
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
            i = bisect.bisect_left(free, (size,))
            if i < len(free) and free[i][0] <= max(2 * size, size + UNIT):
                taken, _, block = free.pop(i)
                self._used[device] = self._used.get(device, 0) + taken
                return PooledMemory(block, taken, self, place), 0
            limit = self._limits.get(device, 0)
            if limit and self._held.get(device, 0) + size > limit:
                self.free_all_blocks()
                if self._held.get(device, 0) + size > limit:
                    raise OutOfMemoryError(f"out of memory: {size} bytes asked for, the pool holds "
                                           f"{self._held.get(device, 0)} (limit {limit})")
        with _pool_alone:
            try:
                block = self._allocator(size)
            except OutOfMemoryError:
                self.free_all_blocks()
                block = self._allocator(size)
        with self._lock:
            self._held[device] = self._held.get(device, 0) + size
            self._used[device] = self._used.get(device, 0) + size
        return PooledMemory(block, size, self, place), size

    def _take_back(self, block, size, place):
        with self._lock:
            self._used[place[0]] -= size
            self._count += 1
            bisect.insort(self._free.setdefault(place, []), (size, self._count, block))

    def free_all_blocks(self, stream=None):
        """Gives the current device's unused blocks back; with a stream only those that were freed there."""
        device = _device.current()
        with self._lock:
            gone = []
            for place in list(self._free):
                if place[0] == device and (stream is None or place[1] == stream.ptr):
                    gone += self._free.pop(place)
            self._held[device] = self._held.get(device, 0) - sum(size for size, _, _ in gone)
        del gone

    def n_free_blocks(self):
        """Number of blocks held for reuse on the current device."""
        return sum(len(free) for (device, _), free in list(self._free.items()) if device == _device.current())

    def used_bytes(self):
        """Bytes given out on the current device."""
        return self._used.get(_device.current(), 0)

    def total_bytes(self):
        """Bytes taken from the allocator on the current device."""
        return self._held.get(_device.current(), 0)

    def free_bytes(self):
        """Bytes held for reuse on the current device."""
        return self.total_bytes() - self.used_bytes()

    def set_limit(self, size=None, fraction=None):
        """Limits what the pool may hold on the current device: bytes, or a fraction of its memory; 0: no limit."""
        self._limits[_device.current()] = self._limit_in_bytes(size, fraction)

    def get_limit(self):
        """The limit in bytes; 0: none."""
        return self._limits.get(_device.current(), 0)


class MemoryAsyncPool(_Pool):
    """The platform's pool (cudaMallocAsync), in the order of the current stream. Other devices have none, and there it
    is the device's memory."""

    memoryAsyncHasStat = True

    def __init__(self, pool_handles="current"):
        if pool_handles not in ("current", "default"):
            raise ValueError("pool_handles: 'current' or 'default'; other pools are set with runtime.deviceSetMemPool")
        self._handles, self._taken, self._lock = pool_handles, {}, threading.Lock()

    def _pool(self):
        from cuprite.cuda import runtime
        device = Device()
        current = self._handles == "current"
        return runtime.deviceGetMemPool(device) if current else runtime.deviceGetDefaultMemPool(device)

    def _get(self, size):
        with _pool_alone:
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

    def used_bytes(self):
        """Bytes in use."""
        from cuprite.cuda import _constants
        return self._figure(_constants.cudaMemPoolAttrUsedMemCurrent)

    def total_bytes(self):
        """Bytes taken from the device."""
        from cuprite.cuda import _constants
        return self._figure(_constants.cudaMemPoolAttrReservedMemCurrent)

    def free_bytes(self):
        """Bytes held for reuse."""
        return self.total_bytes() - self.used_bytes()

    def n_free_blocks(self):
        """The platform does not tell: NotImplementedError."""
        raise NotImplementedError("MemoryAsyncPool.n_free_blocks: the platform's pool does not tell its blocks")

    def free_all_blocks(self, stream=None):
        """Gives unused memory back to the device, once the stream, the current one by default, has come so far."""
        from cuprite.cuda import get_current_stream, runtime
        (stream or get_current_stream()).synchronize()
        if on_cuda(_device.current()):
            runtime.memPoolTrimTo(self._pool(), 0)

    def set_limit(self, size=None, fraction=None):
        """What the platform's pool keeps, rather than gives back, when nothing uses it."""
        from cuprite.cuda import _constants, runtime
        bytes_ = self._limit_in_bytes(size, fraction)
        if on_cuda(_device.current()):
            runtime.memPoolSetAttribute(self._pool(), _constants.cudaMemPoolAttrReleaseThreshold, bytes_)

    def get_limit(self):
        """That number of bytes."""
        from cuprite.cuda import _constants
        return self._figure(_constants.cudaMemPoolAttrReleaseThreshold) if on_cuda(_device.current()) else 0


# --- allocators ---
class PythonFunctionAllocator:
    """An allocator of two functions: malloc_func(size, device_id) gives an address, free_func(address, device_id) takes
    it back."""

    def __init__(self, malloc_func, free_func):
        self._malloc, self._free = malloc_func, free_func

    def malloc(self, size):
        """A MemoryPointer to new memory."""
        return MemoryPointer(_FunctionMemory(self, size), 0)


class _FunctionMemory(BaseMemory):
    def __init__(self, functions, size):
        self._functions, self._device, self.size = functions, _device.current(), size
        self.ptr = functions._malloc(size, self.device_id)

    def __del__(self):
        if self.ptr:
            self._functions._free(self.ptr, self.device_id)
            self.ptr = 0


class CFunctionAllocator(PythonFunctionAllocator):
    """The same of C functions by their addresses: void *malloc(void *param, size_t size, int device) and
    void free(void *param, void *memory, int device). `owner` is kept."""

    def __init__(self, param, malloc_func, free_func, owner):
        import ctypes
        get = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        give = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(free_func)
        super().__init__(lambda size, device: get(param, size, device), lambda ptr, device: give(param, ptr, device))
        self._owner = owner


_default_pool = _DefaultPool()
_lock = threading.Lock()


class _Here(threading.local):
    """A thread's allocator inside using_allocator (None: that of all threads), and whether its arrays are to come from
    the library's pool now, whatever the allocator."""
    allocator, inside, alone = None, 0, 0


_here = _Here()
_of_all = _default_pool.malloc
_wanted = 0  # allocators and hooks that are in use


class _PoolAlone:
    """A block in which new arrays come from the library's pool: allocators are made of such."""

    def __enter__(self):
        _here.alone += 1

    def __exit__(self, *exception):
        _here.alone -= 1


_pool_alone = _PoolAlone()


def _want(change):
    """One more, or one less, reason for new arrays to ask here."""
    global _wanted
    with _lock:
        before, _wanted = _wanted, _wanted + change
        if bool(before) != bool(_wanted):
            _device.allocator(_serve if _wanted else None)


memory_hook._want = _want


def _serve(device, size):
    """What a new array's memory is; None: the library's pool."""
    if _here.alone:
        return None
    allocator = get_allocator()
    if allocator == _default_pool.malloc and not memory_hook.get_memory_hooks():
        return None
    if device == _device.current():
        return allocator(size)
    with Device._of(device):
        return allocator(size)


def get_allocator():
    """The current allocator, a function of the size that returns a MemoryPointer."""
    return _here.allocator if _here.inside else _of_all


def set_allocator(allocator=None):
    """Makes new arrays of all threads come from allocator(size); without one from the device itself, past all pools.
    get_default_memory_pool().malloc is what it is at the start."""
    global _of_all
    if _here.inside:
        raise ValueError("set_allocator: not inside using_allocator, whose allocator is the thread's own")
    allocator = _malloc if allocator is None else allocator
    change = (allocator != _default_pool.malloc) - (_of_all != _default_pool.malloc)
    _of_all = allocator
    if change:
        _want(change)


@contextlib.contextmanager
def using_allocator(allocator=None):
    """A block in which this thread's new arrays come from allocator(size); without one from the device itself."""
    before = _here.allocator, _here.inside
    _here.allocator, _here.inside = _malloc if allocator is None else allocator, before[1] + 1
    _want(1)
    try:
        yield
    finally:
        _here.allocator, _here.inside = before
        _want(-1)


def alloc(size):
    """A pointer to new memory of the current device, from the current allocator."""
    return get_allocator()(size)


def malloc_managed(size):
    """A pointer to new managed memory; MemoryPool(malloc_managed) pools it."""
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_async(size):
    """A pointer to new memory from the platform's pool, in the order of the current stream."""
    from cuprite.cuda.stream import get_current_stream
    return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)
