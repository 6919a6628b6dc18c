"""cupy.cuda.runtime: the functions of CUDA's runtime by their names there, in terms of integers.

Streams, events, graphs and memory made here are Cuprite's own, kept by their handle until they are destroyed, so each
function means the same on every device: on the CPU streams are done when a call returns, memory is the host's, and a
handle is a number that names the object. What only CUDA can do goes to the driver. Other devices answer where there is
an answer (no peers, no limits to set), else raise CUDARuntimeError (cudaErrorNotSupported).
"""
from cuprite import _device
from cuprite._core import CUDARuntimeError  # noqa: F401
from cuprite.cuda import _errors
from cuprite.cuda._constants import *  # noqa: F401,F403
from cuprite.cuda._textures import (createSurfaceObject, createTextureObject, destroySurfaceObject,  # noqa: F401
                                    destroyTextureObject, freeArray, malloc3DArray, mallocArray, memcpy2DFromArray,
                                    memcpy2DFromArrayAsync, memcpy2DToArray, memcpy2DToArrayAsync, memcpy3D,
                                    memcpy3DAsync)
from cuprite.cuda._calls import cuda, here, native, number_of, ordinal, stream_of, streams, typed
from cuprite.cuda._constants import (eventBlockingSync, eventDisableTiming, eventInterprocess,
                                     streamCaptureModeRelaxed, streamNonBlocking)
from cuprite.cuda._memory_calls import (  # noqa: F401
    MemPoolProps, PointerAttributes, free, freeAsync, freeHost, hostAlloc, hostRegister, hostUnregister,
    ipcCloseMemHandle, ipcGetEventHandle, ipcGetMemHandle, ipcOpenEventHandle, ipcOpenMemHandle, malloc, mallocAsync,
    mallocFromPoolAsync, mallocManaged, memAdvise, memcpy, memcpy2D, memcpy2DAsync, memcpyAsync, memcpyPeer,
    memcpyPeerAsync, memGetInfo, memPoolCreate, memPoolDestroy, memPoolGetAttribute, memPoolSetAttribute, memPoolTrimTo,
    memPrefetchAsync, memset, memsetAsync, pointerGetAttributes, pointerGetMemoryType)
from cuprite.cuda._memories import checked
from cuprite.cuda.device import Device, on_cuda
from cuprite.cuda.graph import Graph  # noqa: F401
from cuprite.cuda.stream import Event, Stream, check_callable
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

is_hip = False

_events, _graphs = {}, {}  # by handle, until they are destroyed
_LIMITS = range(7)  # cudaLimit...


def check_status(status):
    """Raises CUDARuntimeError for every status but 0."""
    _errors.check(status)


# --- devices ---
def driverGetVersion() -> int:
    """The CUDA version of the driver, as 12040; 0 without one."""
    return native("cudaDriverGetVersion") if cuda() else 0


def runtimeGetVersion() -> int:
    """The version of CUDA's runtime, as 12040; 0 where the current device is not CUDA's."""
    return native("cudaRuntimeGetVersion") if cuda() else 0


def getDeviceCount() -> int:
    """Number of devices: the GPUs, or 1 (the CPU) where there is none."""
    return max(_device.count(), 1)


def getDevice() -> int:
    """The current device's number."""
    return Device().id


@typed
def setDevice(device) -> None:
    """Makes a device current."""
    _device.use(number_of(device))


def deviceSynchronize() -> None:
    """Waits for the current device."""
    _device.synchronize(here())


@typed
def deviceGetAttribute(attrib, device) -> int:
    """An attribute (cudaDevAttr...) of a device.

    Parameters: attrib: one of these numbers; device: a device's number."""
    from cuprite.cuda._attributes import attribute_of
    return attribute_of(number_of(device), attrib)


@typed
def getDeviceProperties(device):
    """A dict of cudaDeviceProp's members: name (bytes), totalGlobalMem, multiProcessorCount, major, minor, ...

    Parameters: device: a device's number."""
    from cuprite.cuda._attributes import properties_of
    return properties_of(number_of(device))


@typed
def deviceGetPCIBusId(device) -> str:
    """Where a device sits, as "0000:0A:00.0"; the CPU is at "cpu"."""
    number = number_of(device)
    if not on_cuda(number):
        return "cpu" if number < 0 else f"{_device.query(number)['backend']}:{_device.query(number)['number']}"
    import ctypes
    text = ctypes.create_string_buffer(32)
    with Device._of(number):
        native("cudaDeviceGetPCIBusId", ctypes.addressof(text), len(text), ordinal(device))
    return text.value.decode()


@typed
def deviceGetByPCIBusId(pci_bus_id) -> int:
    """The number of the device that sits there.

    Parameters: pci_bus_id: a string as deviceGetPCIBusId gives.
    Errors: TypeError for what is no text; CUDARuntimeError where no device sits there."""
    if not isinstance(pci_bus_id, str):
        raise TypeError(f"deviceGetByPCIBusId: pci_bus_id is a str, not a {type(pci_bus_id).__name__}")
    if _device.count() == 0 or ":" not in pci_bus_id or pci_bus_id.partition(":")[0].isalpha():
        try:
            return Device(pci_bus_id).id
        except (ValueError, RuntimeError):
            raise CUDARuntimeError(_errors.INVALID_DEVICE) from None
    import ctypes
    text = ctypes.create_string_buffer(pci_bus_id.encode())
    with Device(0):
        return native("cudaDeviceGetByPCIBusId", ctypes.addressof(text))


@typed
def deviceCanAccessPeer(device, peerDevice):
    """1 when a device reads and writes a peer's memory directly, else 0.

    Parameters: device: a device's number; peerDevice: a device's number."""
    return int(_device.can_access(number_of(device), number_of(peerDevice)))


@typed
def deviceEnablePeerAccess(peerDevice) -> None:
    """Lets the current device use a peer's memory in kernels. Copies see to it by themselves.

    Parameters: peerDevice: a device's number.
    Errors: CUDARuntimeError for the device itself, and what is no peer."""
    if number_of(peerDevice) == here():
        raise CUDARuntimeError(_errors.INVALID_DEVICE)
    native("cudaDeviceEnablePeerAccess", ordinal(peerDevice), 0, otherwise=_errors.NO_PEERS)


@typed
def deviceDisablePeerAccess(peerDevice) -> None:
    """Takes back what deviceEnablePeerAccess allowed.

    Parameters: peerDevice: a device's number.
    Errors: CUDARuntimeError for a peer that was not enabled."""
    native("cudaDeviceDisablePeerAccess", ordinal(peerDevice), otherwise=_errors.NOT_ENABLED)


@typed
def deviceGetLimit(limit) -> int:
    """A limit (cudaLimit...) of the current device; 0 where there is none."""
    if cuda():
        return native("cudaDeviceGetLimit", limit)
    _known_limit(limit)
    return 0


def _known_limit(limit):
    if limit not in _LIMITS:
        raise CUDARuntimeError(_errors.INVALID_VALUE)


@typed
def deviceSetLimit(limit, value) -> None:
    """Sets a limit; devices that are not CUDA's have none to set.

    Parameters: limit: cudaLimit...; value: an integer."""
    value = checked(value)
    if cuda():
        native("cudaDeviceSetLimit", limit, value)
    else:
        _known_limit(limit)


@typed
def deviceGetDefaultMemPool(device) -> int:
    """The handle of a device's own pool; 0 where the platform has none."""
    return native("cudaDeviceGetDefaultMemPool", ordinal(device)) if on_cuda(number_of(device)) else 0


@typed
def deviceGetMemPool(device) -> int:
    """The handle of the pool that mallocAsync uses.

    Parameters: device: a device's number."""
    return native("cudaDeviceGetMemPool", ordinal(device)) if on_cuda(number_of(device)) else 0


@typed
def deviceSetMemPool(device, pool) -> None:
    """Makes mallocAsync use a pool.

    Parameters: device: a device's number; pool: a pool's handle."""
    native("cudaDeviceSetMemPool", ordinal(device), pool)


# --- streams ---
def _kept(stream):
    streams[stream.ptr] = stream
    return stream.ptr


def _only(flags, known):
    if flags & ~known:
        raise CUDARuntimeError(f"cudaErrorInvalidValue: invalid argument: flags are {flags:#x}, known are {known:#x}")


def streamCreate() -> int:
    """The handle of a new stream."""
    return _kept(Stream())


@typed
def streamCreateWithFlags(flags) -> int:
    """The handle of a new stream with streamDefault or streamNonBlocking.

    Parameters: flags: one of these."""
    _only(flags, streamNonBlocking)
    return _kept(Stream(non_blocking=bool(flags & streamNonBlocking)))


@typed
def streamCreateWithPriority(flags, priority) -> int:
    """The handle of a new stream with flags and a priority; lower goes first.

    Parameters: flags: streamDefault or streamNonBlocking; priority: an integer."""
    _only(flags, streamNonBlocking)
    return _kept(Stream(non_blocking=bool(flags & streamNonBlocking), priority=priority))


@typed
def streamDestroy(stream) -> None:
    """Ends a stream that was made here."""
    if streams.pop(stream, None) is None:
        native("cudaStreamDestroy", stream, otherwise=_errors.INVALID_HANDLE)


@typed
def streamGetFlags(stream) -> int:
    """streamDefault or streamNonBlocking.

    Parameters: stream: a stream's handle."""
    return streamNonBlocking if stream_of(stream).is_non_blocking else 0


@typed
def streamGetPriority(stream) -> int:
    """The stream's priority."""
    return stream_of(stream).priority


@typed
def streamSynchronize(stream) -> None:
    """Waits for a stream."""
    stream_of(stream).synchronize()


@typed
def streamQuery(stream):
    """0 when the stream's work is done; raises CUDARuntimeError (cudaErrorNotReady) when it is not."""
    if not stream_of(stream).done:
        raise CUDARuntimeError(_errors.NOT_READY)
    return 0


@typed
def streamWaitEvent(stream, event, flags=0) -> None:
    """Later work in the stream waits for the event.

    Parameters: stream: a stream's handle; event: an event's handle; flags: 0."""
    known = _events.get(event)
    if known is None:
        native("cudaStreamWaitEvent", stream, event, flags, otherwise=_errors.INVALID_HANDLE)
    else:
        stream_of(stream).wait_event(known)


@typed
def streamAddCallback(stream, callback, arg, flags=0) -> None:
    """Calls callback(stream, 0, arg) once the stream's earlier work is done.

    Parameters: stream: a stream's handle; callback: a function of three arguments; arg: any object; flags: 0.
    Errors: TypeError for what cannot be called."""
    check_callable(callback)
    stream_of(stream).launch_host_func(lambda _: callback(stream, 0, arg))


@typed
def launchHostFunc(stream, callback, arg) -> None:
    """Calls callback(arg) once the stream's earlier work is done."""
    stream_of(stream).launch_host_func(callback, arg)


@typed
def streamBeginCapture(stream, mode=streamCaptureModeRelaxed) -> None:
    """Records the stream's work from now on.

    Parameters: stream: a stream's handle; mode: streamCaptureMode....
    Errors: CUDARuntimeError for the null stream."""
    if stream in (0, 1):
        raise CUDARuntimeError(_errors.CAPTURE_UNSUPPORTED)
    streams.setdefault(stream, stream_of(stream)).begin_capture(mode)


@typed
def streamEndCapture(stream) -> int:
    """The handle of a graph of what was recorded.

    Parameters: stream: a stream's handle.
    Errors: CUDARuntimeError for the null stream."""
    if stream in (0, 1):
        raise CUDARuntimeError(_errors.ILLEGAL_STATE)
    graph = stream_of(stream).end_capture()
    _graphs[graph.graph] = graph
    return graph.graph


@typed
def streamIsCapturing(stream):
    """Whether the stream's work is recorded."""
    return stream_of(stream).is_capturing()


# --- graphs ---
@typed
def graphInstantiate(graph) -> int:
    """The handle of something that can be launched.

    Parameters: graph: a graph's handle."""
    if graph not in _graphs:
        return native("cudaGraphInstantiateWithFlags", graph, 0, otherwise=_errors.INVALID_VALUE)
    _graphs[graph, "exec"] = _graphs[graph]
    return _graphs[graph].graphExec


def _executable(handle):
    for key, g in _graphs.items():
        if isinstance(key, tuple) and g.graphExec == handle:
            return key
    return None


@typed
def graphLaunch(graphExec, stream) -> None:
    """Does the recorded work in a stream.

    Parameters: graphExec: what graphInstantiate gave; stream: a stream's handle."""
    key = _executable(graphExec)
    if key is None:
        native("cudaGraphLaunch", graphExec, stream, otherwise=_errors.INVALID_VALUE)
    else:
        _graphs[key].launch(stream_of(stream))


@typed
def graphUpload(graphExec, stream) -> None:
    """Prepares the next launch in the stream.

    Parameters: graphExec: what graphInstantiate gave; stream: a stream's handle."""
    key = _executable(graphExec)
    if key is None:
        native("cudaGraphUpload", graphExec, stream, otherwise=_errors.INVALID_VALUE)
    else:
        _graphs[key].upload(stream_of(stream))


@typed
def graphDestroy(graph) -> None:
    """Ends a graph; what was instantiated from it stays."""
    if _graphs.pop(graph, None) is None:
        native("cudaGraphDestroy", graph, otherwise=_errors.INVALID_VALUE)


@typed
def graphExecDestroy(graphExec) -> None:
    """Ends what graphInstantiate gave.

    Parameters: graphExec: its handle."""
    key = _executable(graphExec)
    if key is None:
        native("cudaGraphExecDestroy", graphExec, otherwise=_errors.INVALID_VALUE)
    else:
        del _graphs[key]


@typed
def graphDebugDotPrint(graph, path, flags):
    """Writes the graph as DOT text into a file.

    Parameters: graph: a graph's handle; path: a path; flags: of cudaGraphDebugDotFlags."""
    import ctypes
    import os
    text = ctypes.create_string_buffer(os.fsencode(path))
    native("cudaGraphDebugDotPrint", graph, ctypes.addressof(text), flags)


# --- events ---
def _event(handle):
    known = _events.get(handle)
    if known is None and not cuda():
        raise CUDARuntimeError(_errors.INVALID_HANDLE)
    return known


def eventCreate() -> int:
    """The handle of a new event."""
    return eventCreateWithFlags(0)


@typed
def eventCreateWithFlags(flags) -> int:
    """The handle of a new event with eventBlockingSync, eventDisableTiming, eventInterprocess.

    Parameters: flags: a sum of these."""
    _only(flags, eventBlockingSync | eventDisableTiming | eventInterprocess)
    event = Event(bool(flags & eventBlockingSync), bool(flags & eventDisableTiming), bool(flags & eventInterprocess))
    handle = event.ptr if cuda() else id(event)
    _events[handle] = event
    return handle


@typed
def eventDestroy(event) -> None:
    """Ends an event."""
    if _event(event) is None:
        native("cudaEventDestroy", event)
    _events.pop(event, None)


@typed
def eventRecord(event, stream) -> None:
    """Records an event in a stream."""
    known = _event(event)
    if known is None:
        native("cudaEventRecord", event, stream)
    else:
        known.record(stream_of(stream))


@typed
def eventQuery(event):
    """0 when the event was reached; raises CUDARuntimeError (cudaErrorNotReady) when not."""
    known = _event(event)
    if known is None:
        native("cudaEventQuery", event)
    elif not known.done:
        raise CUDARuntimeError(_errors.NOT_READY)
    return 0


@typed
def eventSynchronize(event) -> None:
    """Waits for an event."""
    known = _event(event)
    if known is None:
        native("cudaEventSynchronize", event)
    else:
        known.synchronize()


@typed
def eventElapsedTime(start, end) -> float:
    """Milliseconds between two events that were made here.

    Parameters: start: an event's handle; end: an event's handle.
    Errors: CUDARuntimeError for other handles."""
    if _events.get(start) is None or _events.get(end) is None:
        raise CUDARuntimeError(_errors.INVALID_HANDLE)
    from cuprite.cuda.stream import get_elapsed_time
    return get_elapsed_time(_events[start], _events[end])


# --- profiler ---
def profilerStart() -> None:
    """Begins to record for a profiler; nothing to do on other devices than CUDA's."""
    if cuda():
        native("cudaProfilerStart")


def profilerStop() -> None:
    """Ends that."""
    if cuda():
        native("cudaProfilerStop")
