"""The allocators that new arrays come from, and all of cupy.cuda.memory by its names.

Arrays come from the C library's pool, one a device, which get_default_memory_pool() describes. With any other allocator
or a memory hook each new array calls _serve here. Without them nothing of this file runs. Kinds of memory are in
_memories.py, pools in _pools.py.
"""
import functools
from _thread import allocate_lock

from cuprite import _device
from cuprite._core import OutOfMemoryError  # noqa: F401
from cuprite.cuda import memory_hook
from cuprite.cuda._memories import (  # noqa: F401
    UNIT, BaseMemory, ManagedMemory, Memory, MemoryAsync, MemoryPointer, UnownedMemory, checked, enough, malloc,
    malloc_async, malloc_managed)
from cuprite.cuda._pools import MemoryAsyncPool, MemoryPool, PooledMemory, default_pool, here  # noqa: F401
from cuprite.cuda.device import Device
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)


class PythonFunctionAllocator:
    """An allocator of two functions: malloc_func(size, device_id) gives an address, free_func(address, device_id) takes
    it back."""

    def __init__(self, malloc_func, free_func):
        self._malloc, self._free = malloc_func, free_func

    def malloc(self, size) -> MemoryPointer:
        """A MemoryPointer to new memory.

        Parameters: size: a number of bytes."""
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
    void free(void *param, void *memory, int device). `owner` is kept.

    Parameters: param: an address that both functions get; malloc_func: an address; free_func: an address; owner: any
        object."""

    def __init__(self, param, malloc_func, free_func, owner):
        import ctypes
        get = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        give = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(free_func)
        super().__init__(lambda size, device: get(param, size, device), lambda ptr, device: give(param, ptr, device))
        self._owner = owner


_default_pool = default_pool
_lock = allocate_lock()


_of_all = _default_pool.malloc
_wanted = 0  # allocators and hooks that are in use


def _want(change):
    """One more, or one less, reason for new arrays to ask here."""
    global _wanted
    with _lock:
        before, _wanted = _wanted, _wanted + change
        if bool(before) != bool(_wanted):
            _device.allocator(_serve if _wanted else None)
            _at_end()


@functools.cache
def _at_end():
    """With its interpreter an allocator ends: arrays of others are made by the same library."""
    import atexit
    atexit.register(_end)


def _end():
    with _lock:
        if _wanted:
            _device.allocator(None)


memory_hook._want = _want


def _serve(device, size):
    """What a new array's memory is; None: the library's pool."""
    if here.alone:
        return None
    allocator = get_allocator()
    if allocator == _default_pool.malloc and not memory_hook.get_memory_hooks():
        return None
    if device == _device.current():
        return enough(allocator(size), size)
    with Device._of(device):
        return enough(allocator(size), size)


def get_allocator():
    """The current allocator, a function of the size that returns a MemoryPointer."""
    return here.allocator if here.inside else _of_all


def set_allocator(allocator=None) -> None:
    """Makes new arrays of all threads come from allocator(size); without one from the device itself, past all pools.
    get_default_memory_pool().malloc is what it is at the start.

    Parameters: allocator: a function, or None.
    Errors: ValueError inside using_allocator."""
    global _of_all
    if here.inside:
        raise ValueError("set_allocator: not inside using_allocator, whose allocator is the thread's own")
    allocator = _callable(allocator)
    change = (allocator != _default_pool.malloc) - (_of_all != _default_pool.malloc)
    _of_all = allocator
    if change:
        _want(change)


def _callable(allocator):
    if allocator is not None and not callable(allocator):
        raise TypeError(f"an allocator must be callable, a {type(allocator).__name__} is not")
    return malloc if allocator is None else allocator


class using_allocator:
    """A block, or a function, in which this thread's new arrays come from allocator(size); without one from the device
    itself."""

    def __init__(self, allocator=None):
        self._allocator, self._before = _callable(allocator), []

    def __enter__(self) -> None:
        self._before.append((here.allocator, here.inside))
        here.allocator, here.inside = self._allocator, here.inside + 1
        _want(1)

    def __exit__(self, *exception):
        here.allocator, here.inside = self._before.pop()
        _want(-1)

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with using_allocator(self._allocator):
                return function(*args, **kwargs)
        return inside


def alloc(size) -> MemoryPointer:
    """A pointer to new memory of the current device, from the current allocator.

    Parameters: size: a number of bytes.
    Errors: OutOfMemoryError where there is not so much."""
    return get_allocator()(size)
