"""cupy.cuda.runtime: the functions of CUDA's runtime by their names there, in terms of whole numbers.

Streams, events, graphs and memory made here are Cuprite's own, kept by their handle until they are destroyed, so each
function means the same on every device: on the CPU streams are done when a call returns, memory is the host's, and a
handle is a number that names the object. What only CUDA can answer goes to the driver; on other devices it is answered
where there is an answer (no peers, no limits to set) and raises CUDARuntimeError (cudaErrorNotSupported) where not.
"""
from cuprite import _device
from cuprite._core import CUDARuntimeError  # noqa: F401
from cuprite.cuda import _errors
from cuprite.cuda._constants import *  # noqa: F401,F403
from cuprite.cuda._textures import (createSurfaceObject, createTextureObject, destroySurfaceObject,  # noqa: F401
                                    destroyTextureObject, freeArray, malloc3DArray, mallocArray, memcpy2DFromArray,
                                    memcpy2DFromArrayAsync, memcpy2DToArray, memcpy2DToArrayAsync, memcpy3D,
                                    memcpy3DAsync)
from cuprite.cuda._constants import (cudaMemAttachGlobal, cudaIpcMemLazyEnablePeerAccess, eventBlockingSync,
                                     eventDisableTiming, eventInterprocess, memcpyDeviceToDevice, memcpyDeviceToHost,
                                     memcpyHostToDevice, memcpyHostToHost, memoryTypeDevice, memoryTypeHost,
                                     memoryTypeManaged, memoryTypeUnregistered, streamCaptureModeRelaxed,
                                     streamNonBlocking)
from cuprite.cuda.device import Device, on_cuda
from cuprite.cuda.graph import Graph
from cuprite.cuda.stream import Event, ExternalStream, Stream

is_hip = False

_streams, _events, _graphs = {}, {}, {}  # by handle, until they are destroyed
_blocks = {}                             # address: (device, size, kind), until they are freed
_DEVICE, _ASYNC, _MANAGED, _PINNED = range(4)  # cp_memory_kind


def check_status(status):
    """Raises CUDARuntimeError for every status but 0."""
    _errors.check(status)


def _number(device):
    return Device(device)._number


def _here():
    return _device.current()


def _cuda():
    return on_cuda(_here())


def _native(name, *numbers):
    """CUDA's own function on the current device; its result, or a tuple of several."""
    if not _cuda():
        raise CUDARuntimeError(_errors.NOT_SUPPORTED)
    status, results = _device.native(_here(), name, numbers)
    _errors.check(status)
    return results[0] if len(results) == 1 else results or None


def _ordinal(device):
    """What CUDA calls a device."""
    return _device.query(_number(device))["number"]


# --- devices ---
def driverGetVersion():
    """The CUDA version of the driver, as 12040; 0 without one."""
    return _native("cudaDriverGetVersion") if _cuda() else 0


def runtimeGetVersion():
    """The version of CUDA's runtime, as 12040; 0 where the current device is not CUDA's."""
    return _native("cudaRuntimeGetVersion") if _cuda() else 0


def getDeviceCount():
    """Number of devices: the GPUs, or 1 (the CPU) where there is none."""
    return max(_device.count(), 1)


def getDevice():
    """The current device's number."""
    return Device().id


def setDevice(device):
    """Makes a device current."""
    _device.use(_number(device))


def deviceSynchronize():
    """Waits for the current device."""
    _device.synchronize(_here())


def deviceGetAttribute(attrib, device):
    """An attribute (cudaDevAttr...) of a device."""
    from cuprite.cuda._attributes import attribute_of
    return attribute_of(_number(device), attrib)


def getDeviceProperties(device):
    """A dict of cudaDeviceProp's members: name (bytes), totalGlobalMem, multiProcessorCount, major, minor, ..."""
    from cuprite.cuda._attributes import properties_of
    return properties_of(_number(device))


def deviceGetPCIBusId(device):
    """Where a device sits, as "0000:0A:00.0"; the CPU is at "cpu"."""
    number = _number(device)
    if not on_cuda(number):
        return "cpu" if number < 0 else f"{_device.query(number)['backend']}:{_device.query(number)['number']}"
    import ctypes
    text = ctypes.create_string_buffer(32)
    with Device._of(number):
        _native("cudaDeviceGetPCIBusId", ctypes.addressof(text), len(text), _ordinal(device))
    return text.value.decode()


def deviceGetByPCIBusId(pci_bus_id):
    """The number of the device that sits there."""
    if _device.count() == 0 or ":" not in pci_bus_id or pci_bus_id.partition(":")[0].isalpha():
        try:
            return Device(pci_bus_id).id
        except (ValueError, RuntimeError):
            raise CUDARuntimeError(_errors.INVALID_DEVICE) from None
    import ctypes
    text = ctypes.create_string_buffer(pci_bus_id.encode())
    with Device(0):
        return _native("cudaDeviceGetByPCIBusId", ctypes.addressof(text))


def deviceCanAccessPeer(device, peerDevice):
    """1 when a device reads and writes a peer's memory directly, else 0."""
    return int(_device.can_access(_number(device), _number(peerDevice)))


def deviceEnablePeerAccess(peerDevice):
    """Lets the current device use a peer's memory in kernels. Copies see to it by themselves."""
    _number(peerDevice)
    _native("cudaDeviceEnablePeerAccess", _ordinal(peerDevice), 0)


def deviceDisablePeerAccess(peerDevice):
    """Takes that back."""
    _native("cudaDeviceDisablePeerAccess", _ordinal(peerDevice))


def deviceGetLimit(limit):
    """A limit (cudaLimit...) of the current device; 0 where there is none."""
    return _native("cudaDeviceGetLimit", limit) if _cuda() else 0


def deviceSetLimit(limit, value):
    """Sets a limit; devices that are not CUDA's have none to set."""
    if _cuda():
        _native("cudaDeviceSetLimit", limit, value)


def deviceGetDefaultMemPool(device):
    """The handle of a device's own pool; 0 where the platform has none."""
    return _native("cudaDeviceGetDefaultMemPool", _ordinal(device)) if on_cuda(_number(device)) else 0


def deviceGetMemPool(device):
    """The handle of the pool that mallocAsync uses."""
    return _native("cudaDeviceGetMemPool", _ordinal(device)) if on_cuda(_number(device)) else 0


def deviceSetMemPool(device, pool):
    """Makes mallocAsync use a pool."""
    _native("cudaDeviceSetMemPool", _ordinal(device), pool)


# --- streams ---
def _stream(handle):
    return _streams.get(handle) or (Stream.null if handle in (0, 1) else ExternalStream(handle))


def _kept(stream):
    _streams[stream.ptr] = stream
    return stream.ptr


def streamCreate():
    """The handle of a new stream."""
    return _kept(Stream())


def streamCreateWithFlags(flags):
    """The same with streamDefault or streamNonBlocking."""
    return _kept(Stream(non_blocking=bool(flags & streamNonBlocking)))


def streamCreateWithPriority(flags, priority):
    """The same with a priority; lower goes first."""
    return _kept(Stream(non_blocking=bool(flags & streamNonBlocking), priority=priority))


def streamDestroy(stream):
    """Ends a stream that was made here."""
    if _streams.pop(stream, None) is None:
        _native("cudaStreamDestroy", stream)


def streamGetFlags(stream):
    """streamDefault or streamNonBlocking."""
    return streamNonBlocking if _stream(stream).is_non_blocking else 0


def streamGetPriority(stream):
    """The stream's priority."""
    return _stream(stream).priority


def streamSynchronize(stream):
    """Waits for a stream."""
    _stream(stream).synchronize()


def streamQuery(stream):
    """0 when the stream's work is done; raises CUDARuntimeError (cudaErrorNotReady) when it is not."""
    if not _stream(stream).done:
        raise CUDARuntimeError(_errors.NOT_READY)
    return 0


def streamWaitEvent(stream, event, flags=0):
    """Later work in the stream waits for the event."""
    known = _events.get(event)
    if known is None:
        _native("cudaStreamWaitEvent", stream, event, flags)
    else:
        _stream(stream).wait_event(known)


def streamAddCallback(stream, callback, arg, flags=0):
    """Calls callback(stream, 0, arg) once the stream's earlier work is done."""
    _stream(stream).launch_host_func(lambda _: callback(stream, 0, arg))


def launchHostFunc(stream, callback, arg):
    """Calls callback(arg) once the stream's earlier work is done."""
    _stream(stream).launch_host_func(callback, arg)


def streamBeginCapture(stream, mode=streamCaptureModeRelaxed):
    """Records the stream's work from now on."""
    _streams.setdefault(stream, _stream(stream)).begin_capture(mode)


def streamEndCapture(stream):
    """The handle of a graph of what was recorded."""
    graph = _stream(stream).end_capture()
    _graphs[graph.graph] = graph
    return graph.graph


def streamIsCapturing(stream):
    """Whether the stream's work is recorded."""
    return _stream(stream).is_capturing()


# --- graphs ---
def graphInstantiate(graph):
    """The handle of something that can be launched."""
    if graph not in _graphs:
        return _native("cudaGraphInstantiateWithFlags", graph, 0)
    _graphs[graph, "exec"] = _graphs[graph]
    return _graphs[graph].graphExec


def _executable(handle):
    for key, g in _graphs.items():
        if isinstance(key, tuple) and g.graphExec == handle:
            return key
    return None


def graphLaunch(graphExec, stream):
    """Does the recorded work in a stream."""
    key = _executable(graphExec)
    if key is None:
        _native("cudaGraphLaunch", graphExec, stream)
    else:
        _graphs[key].launch(_stream(stream))


def graphUpload(graphExec, stream):
    """Prepares the next launch in the stream."""
    key = _executable(graphExec)
    if key is None:
        _native("cudaGraphUpload", graphExec, stream)
    else:
        _graphs[key].upload(_stream(stream))


def graphDestroy(graph):
    """Ends a graph; what was instantiated from it stays."""
    if _graphs.pop(graph, None) is None:
        _native("cudaGraphDestroy", graph)


def graphExecDestroy(graphExec):
    """Ends what was instantiated."""
    key = _executable(graphExec)
    if key is None:
        _native("cudaGraphExecDestroy", graphExec)
    else:
        del _graphs[key]


def graphDebugDotPrint(graph, path, flags):
    """Writes the graph as DOT text into a file."""
    import ctypes
    import os
    text = ctypes.create_string_buffer(os.fsencode(path))
    _native("cudaGraphDebugDotPrint", graph, ctypes.addressof(text), flags)


# --- events ---
def _event(handle):
    known = _events.get(handle)
    if known is None and not _cuda():
        raise CUDARuntimeError(_errors.INVALID_HANDLE)
    return known


def eventCreate():
    """The handle of a new event."""
    return eventCreateWithFlags(0)


def eventCreateWithFlags(flags):
    """The same with eventBlockingSync, eventDisableTiming, eventInterprocess."""
    event = Event(bool(flags & eventBlockingSync), bool(flags & eventDisableTiming), bool(flags & eventInterprocess))
    handle = event.ptr if _cuda() else id(event)
    _events[handle] = event
    return handle


def eventDestroy(event):
    """Ends an event."""
    if _event(event) is None:
        _native("cudaEventDestroy", event)
    _events.pop(event, None)


def eventRecord(event, stream):
    """Records an event in a stream."""
    known = _event(event)
    if known is None:
        _native("cudaEventRecord", event, stream)
    else:
        known.record(_stream(stream))


def eventQuery(event):
    """0 when the event was reached; raises CUDARuntimeError (cudaErrorNotReady) when not."""
    known = _event(event)
    if known is None:
        _native("cudaEventQuery", event)
    elif not known.done:
        raise CUDARuntimeError(_errors.NOT_READY)
    return 0


def eventSynchronize(event):
    """Waits for an event."""
    known = _event(event)
    if known is None:
        _native("cudaEventSynchronize", event)
    else:
        known.synchronize()


def eventElapsedTime(start, end):
    """Milliseconds between two events that were made here."""
    if _events.get(start) is None or _events.get(end) is None:
        raise CUDARuntimeError(_errors.INVALID_HANDLE)
    from cuprite.cuda.stream import get_elapsed_time
    return get_elapsed_time(_events[start], _events[end])


# --- memory ---
class PointerAttributes:
    """What pointerGetAttributes tells: device, devicePointer, hostPointer, type (memoryType...)."""

    def __init__(self, device, devicePointer, hostPointer, type=-1):
        self.device, self.devicePointer, self.hostPointer, self.type = device, devicePointer, hostPointer, type


class MemPoolProps:
    """What a pool is made of: allocType, handleType, locationType, devId."""

    def __init__(self, allocType, handleType, locationType, devId):
        self.allocType, self.handleType, self.locationType, self.devId = allocType, handleType, locationType, devId


def _new(size, kind):
    if size == 0:
        return 0
    address = _device.memory_new(_here(), size, kind)
    _blocks[address] = _here(), size, kind
    return address


def _free(ptr, name, *more):
    known = _blocks.pop(ptr, None)
    if known is not None:
        device, size, kind = known
        _device.memory_free(device, ptr, size, kind)
    elif ptr:
        if not _cuda():
            raise CUDARuntimeError(_errors.INVALID_VALUE)
        _native(name, ptr, *more)


def malloc(size):
    """The address of new memory of the current device."""
    return _new(size, _DEVICE)


def mallocManaged(size, flags=cudaMemAttachGlobal):
    """The address of new memory that host and device use; on the CPU that is all memory."""
    return _new(size, _MANAGED)


def mallocAsync(size, stream):
    """The address of new memory, in the order of a stream."""
    with _stream(stream):
        return _new(size, _ASYNC)


def mallocFromPoolAsync(size, pool, stream):
    """The same from a pool by its handle."""
    return _native("cudaMallocFromPoolAsync", size, pool, stream)


def hostAlloc(size, flags):
    """The address of new page-locked memory of the host."""
    return _new(size, _PINNED)


def free(ptr):
    """Frees memory of a device."""
    _free(ptr, "cudaFree")


def freeHost(ptr):
    """Frees memory that hostAlloc gave."""
    _free(ptr, "cudaFreeHost")


def freeAsync(ptr, stream):
    """Frees memory in the order of a stream."""
    with _stream(stream):
        _free(ptr, "cudaFreeAsync", stream)


def hostRegister(ptr, size, flags):
    """Locks pages of the host's memory; nothing to do on other devices than CUDA's."""
    if _cuda():
        _native("cudaHostRegister", ptr, size, flags)


def hostUnregister(ptr):
    """Takes that back."""
    if _cuda():
        _native("cudaHostUnregister", ptr)


def memGetInfo():
    """(free, total) bytes of the current device."""
    q = _device.query(_here())
    return q["memory_free"], q["memory_total"]


_SIDES = {memcpyHostToHost: (True, True), memcpyHostToDevice: (False, True), memcpyDeviceToHost: (True, False),
          memcpyDeviceToDevice: (False, False)}  # kind: whether destination and source are the host's
_INVALID_DIRECTION = 21  # cudaErrorInvalidMemcpyDirection


def memcpy(dst, src, size, kind):
    """Copies bytes; kind is memcpyHostToDevice and so on."""
    if _cuda():
        _native("cudaMemcpy", dst, src, size, kind)
        return
    if kind not in _SIDES and kind != memcpyDefault:
        raise CUDARuntimeError(_INVALID_DIRECTION)
    to_host, from_host = _SIDES.get(kind, (False, False))
    _device.memory_copy(dst, -1 if to_host else _here(), src, -1 if from_host else _here(), size)


def memcpyAsync(dst, src, size, kind, stream):
    """The same in the order of a stream."""
    if _cuda():
        _native("cudaMemcpyAsync", dst, src, size, kind, stream)
        return
    with _stream(stream):
        memcpy(dst, src, size, kind)


def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    """Copies bytes from one device to another and waits."""
    memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, 0)
    _device.synchronize(_number(dstDevice))


def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    """Copies bytes from one device to another in the order of a stream."""
    with _stream(stream):
        _device.memory_copy(dst, _number(dstDevice), src, _number(srcDevice), size)


def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copies `height` rows of `width` bytes that lie dpitch and spitch bytes apart."""
    if _cuda():
        _native("cudaMemcpy2D", dst, dpitch, src, spitch, width, height, kind)
        return
    for row in range(height):
        memcpy(dst + row * dpitch, src + row * spitch, width, kind)


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """The same in the order of a stream."""
    if _cuda():
        _native("cudaMemcpy2DAsync", dst, dpitch, src, spitch, width, height, kind, stream)
        return
    with _stream(stream):
        memcpy2D(dst, dpitch, src, spitch, width, height, kind)


def memset(ptr, value, size):
    """Sets bytes."""
    from cuprite.cuda.memory import MemoryPointer, UnownedMemory
    MemoryPointer(UnownedMemory(ptr, size, None, Device()), 0).memset(value, size)
    _stream(0).synchronize()


def memsetAsync(ptr, value, size, stream):
    """The same in the order of a stream."""
    from cuprite.cuda.memory import MemoryPointer, UnownedMemory
    with _stream(stream):
        MemoryPointer(UnownedMemory(ptr, size, None, Device()), 0).memset(value, size)


def memPrefetchAsync(devPtr, count, dstDevice, stream):
    """Moves managed memory to a device (-1: the host) ahead of its use; nothing to do on other devices than CUDA's."""
    if _cuda():
        _native("cudaMemPrefetchAsync", devPtr, count, dstDevice, stream)


def memAdvise(devPtr, count, advice, device):
    """Tells how managed memory will be used; nothing to do on other devices than CUDA's."""
    if _cuda():
        _native("cudaMemAdvise", devPtr, count, advice, device)


def pointerGetAttributes(ptr):
    """What kind of memory an address points to. Without CUDA only what was made here is known."""
    if _cuda():
        device, on_device, on_host, kind = _native("cudaPointerGetAttributes", ptr)
        return PointerAttributes(device, on_device, on_host, kind)
    for address, (device, size, kind) in _blocks.items():
        if address <= ptr < address + size:
            type_ = {_MANAGED: memoryTypeManaged, _PINNED: memoryTypeHost}.get(kind, memoryTypeDevice)
            return PointerAttributes(Device._of(device).id, 0 if kind == _PINNED else ptr,
                                     ptr if kind in (_MANAGED, _PINNED) else 0, type_)
    return PointerAttributes(-2, 0, ptr, memoryTypeUnregistered)


def pointerGetMemoryType(ptr):
    """Its memoryType... alone."""
    return pointerGetAttributes(ptr).type


# --- pools of the platform ---
def memPoolCreate(props):
    """The handle of a new pool."""
    return _native("cudaMemPoolCreate", props.allocType, props.handleType, props.locationType, props.devId)


def memPoolDestroy(pool):
    """Ends a pool."""
    _native("cudaMemPoolDestroy", pool)


def memPoolTrimTo(pool, size):
    """Gives back what the pool holds beyond `size` bytes."""
    _native("cudaMemPoolTrimTo", pool, size)


def _pool_value(attr, value=0):
    import ctypes
    return (ctypes.c_int if attr <= 3 else ctypes.c_uint64)(value)  # the first three are switches


def memPoolGetAttribute(pool, attr):
    """An attribute (cudaMemPoolAttr...) of a pool."""
    import ctypes
    value = _pool_value(attr)
    _native("cudaMemPoolGetAttribute", pool, attr, ctypes.addressof(value))
    return value.value


def memPoolSetAttribute(pool, attr, value):
    """Sets an attribute of a pool."""
    import ctypes
    value = _pool_value(attr, value)
    _native("cudaMemPoolSetAttribute", pool, attr, ctypes.addressof(value))


# --- other processes ---
_HANDLE = 64  # bytes of a cudaIpcMemHandle_t and of a cudaIpcEventHandle_t


def _handle_of(name, what):
    import ctypes
    handle = ctypes.create_string_buffer(_HANDLE)
    _native(name, ctypes.addressof(handle), what)
    return handle.raw


def _opened(name, handle, *more):
    import ctypes
    if len(handle) != _HANDLE:
        raise ValueError(f"a handle of {_HANDLE} bytes is needed, {len(handle)} given")
    text = ctypes.create_string_buffer(bytes(handle), _HANDLE)
    return _native(name, ctypes.addressof(text), *more)


def ipcGetMemHandle(devPtr):
    """Bytes by which another process finds the memory."""
    return _handle_of("cudaIpcGetMemHandle", devPtr)


def ipcOpenMemHandle(handle, flags=cudaIpcMemLazyEnablePeerAccess):
    """The address of another process's memory here."""
    return _opened("cudaIpcOpenMemHandle", handle, flags)


def ipcCloseMemHandle(devPtr):
    """Gives such an address up."""
    _native("cudaIpcCloseMemHandle", devPtr)


def ipcGetEventHandle(event):
    """Bytes by which another process finds the event."""
    return _handle_of("cudaIpcGetEventHandle", event)


def ipcOpenEventHandle(handle):
    """Another process's event here."""
    return _opened("cudaIpcOpenEventHandle", handle)


# --- profiler ---
def profilerStart():
    """Begins to record for a profiler; nothing to do on other devices than CUDA's."""
    if _cuda():
        _native("cudaProfilerStart")


def profilerStop():
    """Ends that."""
    if _cuda():
        _native("cudaProfilerStop")
