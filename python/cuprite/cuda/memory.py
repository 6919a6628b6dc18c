"""The memory pool of a device with the interface of cupy.cuda.MemoryPool."""
from cuprite import _device
from cuprite._core import OutOfMemoryError  # noqa: F401
from cuprite._support import MemoryPointer  # noqa: F401


class Memory:
    """Bytes of the current device's memory, taken from its pool; they go back with the object."""
    __slots__ = ("_bytes", "size", "__weakref__")

    def __init__(self, size):
        from cuprite import empty
        self._bytes, self.size = empty(size, "u1"), size

    ptr = property(lambda self: self._bytes._address if self.size else 0)
    device = property(lambda self: self._bytes.device)
    device_id = property(lambda self: self.device.id)
    _device = property(lambda self: self._bytes._device)

    def __int__(self):
        return self.ptr


def alloc(size):
    """A pointer to new memory of the current device."""
    return MemoryPointer(Memory(size), 0)


class MemoryPool:
    """The current device's pool; Cuprite has one a device, so every instance speaks of the same."""

    def used_bytes(self):
        """Bytes in live arrays and workspaces."""
        return _device.pool(_device.current())["used"]

    def total_bytes(self):
        """Bytes taken from the device."""
        return _device.pool(_device.current())["held"]

    def free_bytes(self):
        """Bytes held for reuse."""
        p = _device.pool(_device.current())
        return p["held"] - p["used"]

    def free_all_blocks(self, stream=None):
        """Gives unused memory back to the device."""
        _device.pool_trim(_device.current())

    def set_limit(self, size=None, fraction=None):
        """Limits what the pool may hold: bytes, or a fraction of the device's memory; 0 takes the limit away."""
        if (size is None) == (fraction is None):
            raise ValueError("size or fraction must be given, not both")
        device = _device.current()
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"memory limit fraction out of range: {fraction}")
            size = int(fraction * _device.query(device)["memory_total"])
        if size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        _device.pool_limit(device, size)

    def get_limit(self):
        """The limit in bytes; 0: none."""
        return _device.pool(_device.current())["limit"]


class PinnedMemoryPool:
    """Transfers stage through buffers of Cuprite's own, which no program sees."""

    def n_free_blocks(self):
        return 0

    def free_all_blocks(self):
        pass
