"""Memory hooks: functions called around what a pool does in this thread, while a `with hook:` block lasts."""
from _thread import _local
from cuprite._missing import listing as _listing


class _Here(_local):
    hooks = None


_here = _Here()


def _want(change):
    """cuprite.cuda.memory puts its own here: arrays ask for their memory in Python while a hook is there."""


def get_memory_hooks():
    """The thread's hooks by their names, in the order in which they came."""
    return _here.hooks or {}


class MemoryHook:
    """The base of hooks: a subclass gives its own methods, each called with what its name says.

    alloc_preprocess(device_id, mem_size), alloc_postprocess(device_id, mem_size, mem_ptr): the pool took memory from
    the device. malloc_preprocess(device_id, size, mem_size), malloc_postprocess(device_id, size, mem_size, mem_ptr,
    pmem_id): it gave memory out. free_preprocess and free_postprocess(device_id, mem_size, mem_ptr, pmem_id): it got
    memory back. The library's pool reports memory from the device after it got it, both calls together."""

    name = "MemoryHook"

    def __enter__(self):
        hooks = _here.hooks = _here.hooks or {}
        if self.name in hooks:
            raise KeyError(f"memory hook {self.name} already exists")
        hooks[self.name] = self
        _want(1)
        return self

    def __exit__(self, *exception):
        if _here.hooks.pop(self.name, None) is not None:
            _want(-1)

    def alloc_preprocess(self, **reported) -> None:
        """Called before a pool asks the device for memory.

        Parameters: **reported: CuPy's figures of the event: device_id, mem_size and those that the event has."""
        pass

    def alloc_postprocess(self, **reported) -> None:
        """Called when the device has given memory to a pool.

        Parameters: **reported: CuPy's figures of the event: device_id, mem_size and those that the event has."""
        pass

    def malloc_preprocess(self, **reported) -> None:
        """Called before memory is given out.

        Parameters: **reported: CuPy's figures of the event: device_id, mem_size and those that the event has."""
        pass

    def malloc_postprocess(self, **reported) -> None:
        """Called when memory has been given out.

        Parameters: **reported: CuPy's figures of the event: device_id, mem_size and those that the event has."""
        pass

    def free_preprocess(self, **reported) -> None:
        """Called before memory is given back.

        Parameters: **reported: CuPy's figures of the event: device_id, mem_size and those that the event has."""
        pass

    def free_postprocess(self, **reported) -> None:
        """Called when memory has been given back.

        Parameters: **reported: CuPy's figures of the event: device_id, mem_size and those that the event has."""
        pass


__dir__ = _listing(__name__)
