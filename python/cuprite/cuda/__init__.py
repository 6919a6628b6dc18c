"""Devices, streams, events and memory pools with the interface of cupy.cuda.

Device 0, 1, ... are the GPUs; the CPU is Device("cpu"), and Device(0) too where there is no GPU.
"""
from cuprite import _device
from cuprite._core import OutOfMemoryError
from cuprite.cuda import memory, runtime, stream  # noqa: F401
from cuprite.cuda.memory import alloc, Memory, MemoryPointer, MemoryPool, PinnedMemoryPool  # noqa: F401
from cuprite.cuda.stream import _current, Event, Stream, get_current_stream, get_elapsed_time  # noqa: F401

__all__ = ["Device", "Stream", "Event", "get_elapsed_time", "get_current_stream", "is_available",
           "alloc", "Memory", "MemoryPointer", "MemoryPool", "PinnedMemoryPool", "OutOfMemoryError", "runtime",
           "memory", "stream", "get_device_id"]

CPU = -1

# Modules, and names of theirs, that are imported when first used.
_LATER = {"compiler": "", "driver": "", "function": "", "nvrtc": "", "Module": "function", "Function": "function"}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'cuprite.cuda' has no attribute {name!r}")
    import importlib
    value = importlib.import_module("cuprite.cuda." + (_LATER[name] or name))
    if _LATER[name]:
        value = getattr(value, name)
    globals()[name] = value
    return value


def is_available():
    """Whether there is a GPU."""
    return _device.count() > 0


def get_device_id():
    """The number of the current device."""
    return Device().id


class Device:
    """A device: Device() is the current one, Device(1) a GPU, Device("cpu") the CPU. As a context manager it is
    current inside the block."""
    __slots__ = ("_number",)

    def __init__(self, device=None):
        if device is None:
            self._number = _device.current()
        elif isinstance(device, Device):
            self._number = device._number
        elif isinstance(device, str):
            self._number = _device.parse(device)
        else:
            self._number = device.__index__()
            if self._number == 0 and _device.count() == 0:
                self._number = CPU

    @classmethod
    def _of(cls, number):
        d = cls.__new__(cls)
        d._number = number
        return d

    @property
    def id(self):
        """The device's number; the CPU has 0 where there is no GPU, else -1."""
        return 0 if self._number == CPU and _device.count() == 0 else self._number

    def use(self):
        """Makes the device current for this thread."""
        _device.use(self._number)
        return self

    def synchronize(self):
        """Waits for all work on the device; raises what failed there."""
        _device.synchronize(self._number)

    def __enter__(self):
        _current.devices.append(_device.current())
        return self.use()

    def __exit__(self, *exception):
        _device.use(_current.devices.pop())

    name = property(lambda self: _device.query(self._number)["name"])
    backend = property(lambda self: _device.query(self._number)["backend"])

    @property
    def mem_info(self):
        """(free, total) bytes."""
        q = _device.query(self._number)
        return q["memory_free"], q["memory_total"]

    @property
    def compute_capability(self):
        """"90" for sm_90; the instruction set of the CPU."""
        return _device.query(self._number)["variant"].removeprefix("sm_")

    @property
    def attributes(self):
        """What is known of the device by CuPy's names."""
        q = _device.query(self._number)
        return {"MultiProcessorCount": q["units"]}

    def __int__(self):
        return self.id

    __index__ = __int__

    def __eq__(self, other):
        return self._number == other._number if isinstance(other, Device) else NotImplemented

    def __lt__(self, other):
        return self._number < other._number if isinstance(other, Device) else NotImplemented

    def __le__(self, other):
        return self._number <= other._number if isinstance(other, Device) else NotImplemented

    def __gt__(self, other):
        return self._number > other._number if isinstance(other, Device) else NotImplemented

    def __ge__(self, other):
        return self._number >= other._number if isinstance(other, Device) else NotImplemented

    def __hash__(self):
        return hash(("cuprite.Device", self._number))

    def __repr__(self):
        if self._number == CPU:
            return "<CPU Device>" if _device.count() else "<CUDA Device 0>"
        q = _device.query(self._number)
        return f"<{q['backend'].upper() if q['backend'] == 'cuda' else q['backend']} Device {q['number']}>"

    __str__ = __repr__
