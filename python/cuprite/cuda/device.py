"""Device: the current one, a GPU, the CPU. Device 0 is the CPU where there is no GPU, so programs for one run there."""
from _operator import index
from sys import modules

from cuprite import _device
from cuprite._core import CUDARuntimeError
from cuprite.cuda.stream import _current
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

CPU = -1


class Device:
    """A device: Device() is the current one, Device(1) a GPU, Device("cpu") the CPU. As a context manager it is
    current inside the block.

    Parameters: device: a number, "cpu", "cuda" or "cuda:1", a Device, or None: the current one.
    Errors: ValueError for another word, TypeError for what is neither. A device that is not there is an error where it
        is used.

    Example:
        >>> with cp.cuda.Device(0) as device:
        ...     cp.zeros(3).device == device
        True
    """
    __slots__ = ("_number",)

    def __init__(self, device=None):
        if device is None:
            self._number = _device.current()
        elif isinstance(device, Device):
            self._number = device._number
        elif isinstance(device, str):
            self._number = _device.parse(device)
        else:
            self._number = _of_ordinal(index(device))

    @classmethod
    def _of(cls, number):
        d = cls.__new__(cls)
        d._number = number
        return d

    @property
    def id(self) -> int:
        """The device's number; the CPU has 0 where there is no GPU, else -1."""
        return 0 if self._number == CPU and _device.count() == 0 else self._number

    def use(self) -> "Device":
        """Makes the device current for this thread."""
        _device.use(self._number)
        return self

    def synchronize(self) -> None:
        """Waits for all work on the device; raises what failed there."""
        _device.synchronize(self._number)

    def __enter__(self) -> "Device":
        try:
            before = _device.current()
        except CUDARuntimeError:  # a forked child has no use of the parent's GPU, but of this one it may
            before = None
        blocks = _current.devices
        depth = len(blocks)
        try:
            blocks.append(before)
            _device.use(self._number)
            return self
        except BaseException:  # a KeyboardInterrupt, which comes where a call ends: nobody calls __exit__ then
            del blocks[depth:]
            if before is not None:
                _device.use(before)
            raise

    def __exit__(self, *exception):
        before = _current.devices[-1]
        try:
            if before is not None:
                _device.use(before)
        finally:
            _current.devices.pop()

    name = property(lambda self: _device.query(self._number)["name"], doc="The device's name.")
    backend = property(lambda self: _device.query(self._number)["backend"],
                       doc="What kind of device it is: cpu, cuda, ...")

    @property
    def mem_info(self) -> "tuple[int, int]":
        """(free, total) bytes."""
        q = _device.query(self._number)
        return q["memory_free"], q["memory_total"]

    @property
    def compute_capability(self) -> str:
        """"90" for sm_90. Devices that are no GPUs have "90" too, whose limits and words kernels have there."""
        return _device.query(self._number)["variant"].removeprefix("sm_") if on_cuda(self._number) else "90"

    @property
    def attributes(self) -> "dict[str, int]":
        """What is known of the device, by the names of cudaDeviceAttr without their beginning."""
        from cuprite.cuda._attributes import attributes_of
        return attributes_of(self._number)

    @property
    def pci_bus_id(self) -> str:
        """Where the device sits, as "0000:0A:00.0"; the CPU sits on no bus: "cpu"."""
        from cuprite.cuda import runtime
        return runtime.deviceGetPCIBusId(self)

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id) -> "Device":
        """The device with that pci_bus_id."""
        from cuprite.cuda import runtime
        return cls(runtime.deviceGetByPCIBusId(pci_bus_id))

    def can_access(self, peer) -> bool:
        """Whether this device reads and writes the peer's memory directly. Copies need nothing said about it."""
        return _device.can_access(self._number, Device(peer)._number)

    cublas_handle = property(lambda self: _no_handle("cublas_handle"), doc="Cuprite makes none: NotImplementedError.")
    cusolver_handle = property(lambda self: _no_handle("cusolver_handle"), doc=cublas_handle.__doc__)
    cusolver_sp_handle = property(lambda self: _no_handle("cusolver_sp_handle"), doc=cublas_handle.__doc__)
    cusparse_handle = property(lambda self: _no_handle("cusparse_handle"), doc=cublas_handle.__doc__)
    cutensor_handle = property(lambda self: _no_handle("cutensor_handle"), doc=cublas_handle.__doc__)

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
            return "<CPU Device>"
        try:
            q = _device.query(self._number)
        except RuntimeError:  # there is none of that number
            return f"<CUDA Device {self._number}>"
        return f"<{q['backend'].upper() if q['backend'] == 'cuda' else q['backend']} Device {q['number']}>"

    __str__ = __repr__


def _of_ordinal(n):
    """The device that a program means by the number n. Where there is no GPU, 0 is the CPU; while a test device is
    current, the n-th of its kind is meant, so that programs for several GPUs run on several of those."""
    if n < 0 or _device.count():
        return n
    q = _device.query(_device.current())
    if q["backend"] == "cpu":
        return CPU if n == 0 else n
    first = _device.current() - q["number"]
    return first + n if n < first else n


def _no_handle(name):
    raise NotImplementedError(f"Device.{name}: Cuprite makes no handles of CUDA's libraries; make your own with the "
                              "library's create function")


def is_available() -> bool:
    """Whether there is a GPU. In a process that calls Cuprite cupy programs ask by this whether they may run, and they
    may: True."""
    return modules["cuprite"].__name__ == "cupy" or _device.count() > 0


def get_device_id() -> int:
    """The number of the current device."""
    return Device().id


def get_compute_capability() -> str:
    """The current device's."""
    return Device().compute_capability


_backends = {}


def on_cuda(number):
    """Whether the device is CUDA's: then its numbers are the driver's.

    Parameters: number: a device's number."""
    known = _backends.get(number)
    if known is None:
        known = _backends[number] = _device.query(number)["backend"]
    return known == "cuda"
