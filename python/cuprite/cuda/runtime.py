"""The part of cupy.cuda.runtime that programs ask about devices."""
from cuprite import _device
from cuprite._core import CUDARuntimeError  # noqa: F401

is_hip = False


def _number(device):
    from cuprite.cuda import Device
    return Device(device)._number


def getDeviceCount():
    """Number of devices: the GPUs, or 1 (the CPU) where there is none."""
    return max(_device.count(), 1)


def getDevice():
    """The current device's number."""
    from cuprite.cuda import Device
    return Device().id


def setDevice(device):
    """Makes a device current."""
    _device.use(_number(device))


def deviceSynchronize():
    """Waits for the current device."""
    _device.synchronize(_device.current())


def getDeviceProperties(device):
    """A dict with CUDA's names: name (bytes), totalGlobalMem, multiProcessorCount, major, minor."""
    q = _device.query(_number(device))
    variant = q["variant"].removeprefix("sm_")
    digits = variant if variant.isdigit() else "00"
    return {"name": q["name"].encode(), "totalGlobalMem": q["memory_total"], "multiProcessorCount": q["units"],
            "major": int(digits[:-1]), "minor": int(digits[-1])}


def memGetInfo():
    """(free, total) bytes of the current device."""
    q = _device.query(_device.current())
    return q["memory_free"], q["memory_total"]


def streamSynchronize(stream):
    """Waits for the current stream."""
    _device.stream_synchronize(_device.stream_current(_device.current()))
