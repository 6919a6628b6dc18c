"""The memory functions of cuprite.cuda.runtime, by address (a number).

Invariant: memory allocated here is recorded by its address until it is freed. So on devices that are not CUDA's its
bounds are known, and a copy beyond them raises CUDA's error for it.
"""
from cuprite import _device
from cuprite._core import CUDARuntimeError
from cuprite.cuda import _errors
from cuprite.cuda._calls import cuda, here, native, number_of, stream_of, typed
from cuprite.cuda._constants import (cudaIpcMemLazyEnablePeerAccess, cudaMemAttachGlobal, memcpyDefault,
                                     memcpyDeviceToDevice, memcpyDeviceToHost, memcpyHostToDevice, memcpyHostToHost,
                                     memoryTypeDevice, memoryTypeHost, memoryTypeManaged, memoryTypeUnregistered)
from cuprite.cuda._memories import is_reachable, new
from cuprite.cuda.device import Device

_blocks = {}  # address: (device, size, kind), until they are freed
_DEVICE, _ASYNC, _MANAGED, _PINNED = range(4)  # cp_memory_kind
_INVALID_PITCH, _INVALID_DIRECTION = 12, 21  # cudaErrorInvalidPitchValue, cudaErrorInvalidMemcpyDirection


class PointerAttributes:
    """The result of pointerGetAttributes: device, devicePointer, hostPointer, type (memoryType...)."""

    def __init__(self, device, devicePointer, hostPointer, type=-1):
        self.device, self.devicePointer, self.hostPointer, self.type = device, devicePointer, hostPointer, type


class MemPoolProps:
    """What a pool is made of: allocType, handleType, locationType, devId."""

    def __init__(self, allocType, handleType, locationType, devId):
        self.allocType, self.handleType, self.locationType, self.devId = allocType, handleType, locationType, devId


def _new(size, kind):
    if size == 0:
        return 0
    address = new(size, kind)
    _blocks[address] = here(), size, kind
    return address


def _block(ptr):
    """(address, what is known) of the memory that an address lies in; None: none of ours."""
    return next(((at, b) for at, b in list(_blocks.items()) if at <= ptr < at + b[1]), None)


def _free(ptr, name, *more):
    known = _blocks.pop(ptr, None)
    if known is not None:
        device, size, kind = known
        _device.memory_free(device, ptr, size, kind)
    elif ptr:
        if not cuda():
            raise CUDARuntimeError(_errors.INVALID_VALUE)
        native(name, ptr, *more)


@typed
def malloc(size) -> int:
    """The address of new memory of the current device.

    Parameters: size: a number of bytes.
    Errors: CUDARuntimeError where there is not so much."""
    return _new(size, _DEVICE)


@typed
def mallocManaged(size, flags=cudaMemAttachGlobal) -> int:
    """The address of new memory that host and device use; on the CPU that is all memory.

    Parameters: size: a number of bytes; flags: an integer."""
    return _new(size, _MANAGED)


@typed
def mallocAsync(size, stream) -> int:
    """The address of new memory, in the order of a stream.

    Parameters: size: a number of bytes; stream: a stream's handle."""
    with stream_of(stream):
        return _new(size, _ASYNC)


@typed
def mallocFromPoolAsync(size, pool, stream) -> int:
    """The address of new memory from a pool, in the order of a stream.

    Parameters: size: a number of bytes; pool: a pool's handle; stream: a stream's handle."""
    return native("cudaMallocFromPoolAsync", size, pool, stream)


@typed
def hostAlloc(size, flags) -> int:
    """The address of new page-locked memory of the host.

    Parameters: size: a number of bytes; flags: an integer.
    Errors: CUDARuntimeError where there is not so much."""
    return _new(size, _PINNED)


@typed
def free(ptr) -> None:
    """Frees memory of a device.

    Parameters: ptr: an address.
    Errors: CUDARuntimeError for an address that is none of its."""
    _free(ptr, "cudaFree")


@typed
def freeHost(ptr) -> None:
    """Frees memory that hostAlloc gave.

    Parameters: ptr: an address."""
    _free(ptr, "cudaFreeHost")


@typed
def freeAsync(ptr, stream) -> None:
    """Frees memory in the order of a stream.

    Parameters: ptr: an address; stream: a stream's handle."""
    with stream_of(stream):
        _free(ptr, "cudaFreeAsync", stream)


@typed
def hostRegister(ptr, size, flags) -> None:
    """Locks pages of the host's memory; nothing to do on other devices than CUDA's.

    Parameters: ptr: an address; size: a number of bytes; flags: an integer."""
    if cuda():
        native("cudaHostRegister", ptr, size, flags)


@typed
def hostUnregister(ptr) -> None:
    """Takes back what hostRegister did.

    Parameters: ptr: an address."""
    if cuda():
        native("cudaHostUnregister", ptr)


def memGetInfo() -> "tuple[int, int]":
    """(free, total) bytes of the current device."""
    q = _device.query(here())
    return q["memory_free"], q["memory_total"]


_SIDES = {memcpyHostToHost: (True, True), memcpyHostToDevice: (False, True), memcpyDeviceToHost: (True, False),
          memcpyDeviceToDevice: (False, False)}  # kind: whether destination and source are the host's


def _inside(name, address, size):
    """Raises what the driver would where a range begins in memory that was made here and ends behind it, or where no
    memory is: neither the driver's nor the process'. (A driver that lets GPUs reach all memory of a process does not
    look: there a wrong address would end the context.)"""
    if not size:
        return
    where = _block(address)
    there = is_reachable(address, size) and (
        where or cuda() and pointerGetMemoryType(address) != memoryTypeUnregistered
        or _device.memory_is_there(address, size))
    if not there or where and address + size > where[0] + where[1][1]:
        of = f" from byte {address - where[0]} on, of memory of {where[1][1]} bytes" if where else f" at {address:#x}"
        raise CUDARuntimeError(f"{name}: cudaErrorInvalidValue: invalid argument: {size} bytes{of}")


@typed
def memcpy(dst, src, size, kind) -> None:
    """Copies bytes; kind is memcpyHostToDevice and so on.

    Parameters: dst: an address; src: an address; size: a number of bytes; kind: memcpyHostToDevice and so on.
    Errors: CUDARuntimeError for an unknown kind."""
    if kind not in _SIDES and kind != memcpyDefault:
        raise CUDARuntimeError(_INVALID_DIRECTION)
    _inside("memcpy: to", dst, size)
    _inside("memcpy: from", src, size)
    if cuda():
        native("cudaMemcpy", dst, src, size, kind)
        return
    to_host, from_host = _SIDES.get(kind, (False, False))
    _device.memory_copy(dst, -1 if to_host else here(), src, -1 if from_host else here(), size)


@typed
def memcpyAsync(dst, src, size, kind, stream) -> None:
    """memcpy in the order of a stream.

    Parameters: dst: an address; src: an address; size: a number of bytes; kind: memcpyHostToDevice and so on;
        stream: a stream's handle."""
    if cuda():
        _inside("memcpyAsync: to", dst, size)
        _inside("memcpyAsync: from", src, size)
        native("cudaMemcpyAsync", dst, src, size, kind, stream)
        return
    with stream_of(stream):
        memcpy(dst, src, size, kind)


@typed
def memcpyPeer(dst, dstDevice, src, srcDevice, size) -> None:
    """Copies bytes from one device to another and waits.

    Parameters: dst: an address; dstDevice: a device's number; src: an address; srcDevice: a device's number; size: a
        number of bytes."""
    memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, 0)
    _device.synchronize(number_of(dstDevice))


@typed
def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream) -> None:
    """Copies bytes from one device to another in the order of a stream.

    Parameters: dst: an address; dstDevice: a device's number; src: an address; srcDevice: a device's number; size: a
        number of bytes; stream: a stream's handle."""
    _inside("memcpyPeer: to", dst, size)
    _inside("memcpyPeer: from", src, size)
    with stream_of(stream):
        _device.memory_copy(dst, number_of(dstDevice), src, number_of(srcDevice), size)


def _inside_2d(name, dst, dpitch, src, spitch, width, height):
    """The same of rows: from the first one's begin to the last one's end, since a row alone may begin where memory that
    was made here has ended, which is nobody's or another's."""
    if width > dpitch or width > spitch:
        raise CUDARuntimeError(_INVALID_PITCH)
    if width and height:
        _inside(f"{name}: to", dst, (height - 1) * dpitch + width)
        _inside(f"{name}: from", src, (height - 1) * spitch + width)


@typed
def memcpy2D(dst, dpitch, src, spitch, width, height, kind) -> None:
    """Copies `height` rows of `width` bytes that lie dpitch and spitch bytes apart.

    Parameters: dst: an address; dpitch: bytes from row to row of the copy; src: an address; spitch: bytes from row
        to row of the source; width: bytes a row; height: rows; kind: memcpyHostToDevice and so on."""
    _inside_2d("memcpy2D", dst, dpitch, src, spitch, width, height)
    if cuda():
        native("cudaMemcpy2D", dst, dpitch, src, spitch, width, height, kind)
        return
    for row in range(height):
        memcpy(dst + row * dpitch, src + row * spitch, width, kind)


@typed
def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream) -> None:
    """memcpy2D in the order of a stream.

    Parameters: dst: an address; dpitch: bytes from row to row of the copy; src: an address; spitch: bytes from row
        to row of the source; width: bytes a row; height: rows; kind: memcpyHostToDevice and so on; stream: a
        stream's handle."""
    if cuda():
        _inside_2d("memcpy2DAsync", dst, dpitch, src, spitch, width, height)
        native("cudaMemcpy2DAsync", dst, dpitch, src, spitch, width, height, kind, stream)
        return
    with stream_of(stream):
        memcpy2D(dst, dpitch, src, spitch, width, height, kind)


def _set(ptr, value, size):
    from cuprite.cuda._memories import MemoryPointer, UnownedMemory
    _inside("memset", ptr, size)
    MemoryPointer(UnownedMemory(ptr, size, None, Device()), 0).memset(value, size)


@typed
def memset(ptr, value, size) -> None:
    """Sets bytes to a value.

    Parameters: ptr: an address; value: an integer; size: a number of bytes."""
    _set(ptr, value, size)
    stream_of(0).synchronize()


@typed
def memsetAsync(ptr, value, size, stream) -> None:
    """memset in the order of a stream.

    Parameters: ptr: an address; value: an integer; size: a number of bytes; stream: a stream's handle."""
    with stream_of(stream):
        _set(ptr, value, size)


@typed
def memPrefetchAsync(devPtr, count, dstDevice, stream) -> None:
    """Moves managed memory to a device (-1: the host) ahead of its use; nothing to do on other devices than CUDA's.

    Parameters: devPtr: an address; count: a number of bytes; dstDevice: a device's number; stream: a stream's
        handle."""
    if cuda():
        native("cudaMemPrefetchAsync", devPtr, count, dstDevice, stream)


@typed
def memAdvise(devPtr, count, advice, device) -> None:
    """Tells how managed memory will be used; nothing to do on other devices than CUDA's.

    Parameters: devPtr: an address; count: a number of bytes; advice: memAdvise...; device: a device's number."""
    if cuda():
        native("cudaMemAdvise", devPtr, count, advice, device)


@typed
def pointerGetAttributes(ptr):
    """What kind of memory an address points to. Without CUDA only what was made here is known.

    Parameters: ptr: an address."""
    if cuda():
        device, on_device, on_host, kind = native("cudaPointerGetAttributes", ptr)
        return PointerAttributes(device, on_device, on_host, kind)
    where = _block(ptr)
    if where:
        _, (device, _, kind) = where
        type_ = {_MANAGED: memoryTypeManaged, _PINNED: memoryTypeHost}.get(kind, memoryTypeDevice)
        return PointerAttributes(Device._of(device).id, 0 if kind == _PINNED else ptr,
                                 ptr if kind in (_MANAGED, _PINNED) else 0, type_)
    return PointerAttributes(-2, 0, ptr, memoryTypeUnregistered)


@typed
def pointerGetMemoryType(ptr) -> int:
    """The memoryType... of what an address points to.

    Parameters: ptr: an address."""
    return pointerGetAttributes(ptr).type


# --- pools of the platform ---
@typed
def memPoolCreate(props) -> int:
    """The handle of a new pool.

    Parameters: props: a MemPoolProps.
    Errors: TypeError for other props; CUDARuntimeError for devices without pools."""
    if not isinstance(props, MemPoolProps):
        raise TypeError(f"memPoolCreate: props are a MemPoolProps, not a {type(props).__name__}")
    return native("cudaMemPoolCreate", props.allocType, props.handleType, props.locationType, props.devId)


@typed
def memPoolDestroy(pool) -> None:
    """Ends a pool."""
    native("cudaMemPoolDestroy", pool)


@typed
def memPoolTrimTo(pool, size) -> None:
    """Gives back what the pool holds beyond `size` bytes."""
    native("cudaMemPoolTrimTo", pool, size)


def _pool_value(attr, value=0):
    import ctypes
    return (ctypes.c_int if attr <= 3 else ctypes.c_uint64)(value)  # the first three are switches


@typed
def memPoolGetAttribute(pool, attr):
    """An attribute (cudaMemPoolAttr...) of a pool.

    Parameters: pool: a pool's handle; attr: memPoolAttr...."""
    import ctypes
    value = _pool_value(attr)
    native("cudaMemPoolGetAttribute", pool, attr, ctypes.addressof(value))
    return value.value


@typed
def memPoolSetAttribute(pool, attr, value) -> None:
    """Sets an attribute of a pool.

    Parameters: pool: a pool's handle; attr: memPoolAttr...; value: an integer."""
    import ctypes
    value = _pool_value(attr, value)
    native("cudaMemPoolSetAttribute", pool, attr, ctypes.addressof(value))


# --- other processes ---
_HANDLE = 64  # bytes of a cudaIpcMemHandle_t and of a cudaIpcEventHandle_t


def _handle_of(name, what):
    import ctypes
    handle = ctypes.create_string_buffer(_HANDLE)
    native(name, ctypes.addressof(handle), what)
    return handle.raw


def _opened(name, handle, *more):
    import ctypes
    if not isinstance(handle, bytes):
        raise TypeError(f"{name}: a handle is bytes, not a {type(handle).__name__}")
    if len(handle) != _HANDLE:
        raise ValueError(f"a handle of {_HANDLE} bytes is needed, {len(handle)} given")
    text = ctypes.create_string_buffer(bytes(handle), _HANDLE)
    return native(name, ctypes.addressof(text), *more)


@typed
def ipcGetMemHandle(devPtr) -> bytes:
    """Bytes by which another process finds the memory.

    Parameters: devPtr: an address."""
    return _handle_of("cudaIpcGetMemHandle", devPtr)


@typed
def ipcOpenMemHandle(handle, flags=cudaIpcMemLazyEnablePeerAccess) -> int:
    """The address of another process's memory here.

    Parameters: handle: the bytes that stand for it; flags: an integer."""
    return _opened("cudaIpcOpenMemHandle", handle, flags)


@typed
def ipcCloseMemHandle(devPtr) -> None:
    """Gives an address of ipcOpenMemHandle up.

    Parameters: devPtr: an address."""
    native("cudaIpcCloseMemHandle", devPtr)


@typed
def ipcGetEventHandle(event) -> bytes:
    """Bytes by which another process finds the event."""
    return _handle_of("cudaIpcGetEventHandle", event)


@typed
def ipcOpenEventHandle(handle) -> int:
    """Another process's event here.

    Parameters: handle: the bytes that stand for it."""
    return _opened("cudaIpcOpenEventHandle", handle)
