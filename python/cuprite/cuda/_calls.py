"""Helpers of the functions of cuprite.cuda.runtime: which device answers, streams by handle, conversion of arguments.

Invariant: an argument is converted by its name, which means the same in all of the functions: a size is not negative,
an address or a handle has 64 bits, everything else that is known here is a C int.
"""
from _operator import index

from cuprite import _device
from cuprite._core import CUDARuntimeError
from cuprite.cuda import _errors
from cuprite.cuda.device import Device, on_cuda
from cuprite.cuda.stream import ExternalStream, Stream

streams = {}  # by handle, until they are destroyed

_RANGES = {"size_t": (0, 1 << 64), "intptr_t": (-1 << 63, 1 << 64), "int": (-1 << 31, 1 << 31),
           "unsigned": (0, 1 << 32)}
_TYPES = {name: type_ for type_, names in {
    "size_t": "size width height count dpitch spitch",
    "intptr_t": "ptr dst src devPtr stream event graph graphExec pool start end",
    "int": "device peerDevice dstDevice srcDevice attrib attr limit kind mode advice priority",
    "unsigned": "flags"}.items() for name in names.split()}


def _converter(function, name):
    """The function that makes a C number of the argument; None where it is no number."""
    if name not in _TYPES:
        return None
    low, high = _RANGES[_TYPES[name]]

    def convert(value):
        try:
            value = index(value)
        except TypeError:
            raise TypeError(f"{function}: {name} is an integer, not a {type(value).__name__}") from None
        if low <= value < high:
            return value
        if value < low == 0:
            raise OverflowError(f"{function}: can't convert negative value to {_TYPES[name]}: {name} is {value}")
        raise OverflowError(f"{function}: {name} is {value}, which is no {_TYPES[name]}")
    return convert


def typed(function):
    """The function with its arguments converted."""
    names = function.__code__.co_varnames[:function.__code__.co_argcount]
    converters = {name: _converter(function.__name__, name) for name in names}
    order = list(converters.values())

    def call(*args, **kwargs):
        if kwargs:
            kwargs = {k: converters[k](v) if converters.get(k) else v for k, v in kwargs.items()}
        return function(*[c(a) if c else a for c, a in zip(order, args)], *args[len(order):], **kwargs)
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(call, name, getattr(function, name))
    call.__wrapped__ = function
    return call


def number_of(device):
    return Device(device)._number


def here():
    return _device.current()


def cuda():
    return on_cuda(here())


def native(name, *numbers, otherwise=_errors.NOT_SUPPORTED):
    """CUDA's own function on the current device; its result, or a tuple of several. `otherwise` is the error of devices
    that are not CUDA's."""
    if not cuda():
        raise CUDARuntimeError(otherwise)
    status, results = _device.native(here(), name, numbers)
    _errors.check(status)
    return results[0] if len(results) == 1 else results or None


def ordinal(device):
    """What CUDA calls a device."""
    return _device.query(number_of(device))["number"]


def stream_of(handle):
    return streams.get(handle) or (Stream.null if handle in (0, 1) else ExternalStream(handle))
