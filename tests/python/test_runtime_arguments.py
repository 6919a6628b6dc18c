"""Wrong arguments of cuprite.cuda: the exceptions that CuPy raises, with what was wrong in the message, on every
device; and copies beyond a memory's bounds, which CUDA's driver refuses."""
import ctypes

import numpy as np
import pytest

import cuprite as cp
from cuprite import cuda
from cuprite.cuda import runtime

pytestmark = pytest.mark.device

CUDA = runtime.CUDARuntimeError
INTEGER = "cannot be interpreted as an integer"
NEGATIVE = "can't convert negative value to size_t"

# expression: exception, or the number of CUDA's error, and what the message says
WRONG = {
    "s.wait_event(5)": (AttributeError, "an Event is needed, not a int"),
    "s.wait_event(None)": (AttributeError, "an Event is needed, not a NoneType"),
    "s.record(5)": (AttributeError, "an Event is needed, not a int"),
    "s.record(0)": (AttributeError, "an Event is needed, not a int"),
    "e.record(5)": (AttributeError, "a stream is needed, not a int"),
    "cuda.Device([])": (TypeError, INTEGER),
    "cuda.Device(1.5)": (TypeError, INTEGER),
    "cuda.Device('x')": (ValueError, "'x' is no device"),
    "cuda.Device(99).use()": (101, "there is no device 99"),
    "cuda.Device(2**40).use()": (OverflowError, "too large"),
    "d < 5": (TypeError, "not supported between instances of 'Device' and 'int'"),
    "d.from_pci_bus_id(5)": (TypeError, "pci_bus_id is a str, not a int"),
    "d.from_pci_bus_id('zz')": (101, "cudaErrorInvalidDevice"),
    "cuda.Stream(priority='x')": (TypeError, INTEGER),
    "cuda.Stream(priority=1.5)": (TypeError, INTEGER),
    "cuda.Stream(True, False, True)": (ValueError, "null and ptds are two streams"),
    "cuda.Event(interprocess=True)": (1, "disable_timing=True"),
    "cuda.Event(foo=1)": (TypeError, "unexpected keyword argument 'foo'"),
    "cuda.ExternalStream('x')": (TypeError, "an integer is required"),
    "cuda.ExternalStream(0, 'x')": (TypeError, INTEGER),
    "cuda.ExternalStream(0, 99)": (101, "there is no device 99"),
    "cuda.Stream.from_external('x')": (TypeError, INTEGER),
    "cuda.get_current_stream('x')": (TypeError, INTEGER),
    "cuda.get_elapsed_time(5, 6)": (AttributeError, "an Event is needed, not a int"),
    "cuda.get_elapsed_time(e, cuda.Event())": (400, "both events must have been recorded"),
    "s.begin_capture('x')": (TypeError, INTEGER),
    "s.begin_capture(77)": (1, "cudaErrorInvalidValue"),
    "s.end_capture()": (401, "the stream began no capture"),
    "cuda.Stream.null.begin_capture()": (RuntimeError, "the null stream cannot capture"),
    "cuda.Graph()": (RuntimeError, "a Graph comes from Stream.end_capture()"),
    "cuda.Memory('x')": (TypeError, INTEGER),
    "cuda.Memory(1.5)": (TypeError, INTEGER),
    "cuda.Memory(-1)": (OverflowError, NEGATIVE),
    "cuda.Memory(2**70)": (OverflowError, "no size_t"),
    "cuda.Memory(2**62)": (2, "4611686018427387904 bytes asked for"),
    "cuda.MemoryAsync(10, 5)": (TypeError, "a stream is needed, not a int"),
    "cuda.ManagedMemory(-5)": (OverflowError, NEGATIVE),
    "cuda.UnownedMemory('x', 10, None)": (TypeError, INTEGER),
    "cuda.UnownedMemory(10, 'x', None, 0)": (TypeError, INTEGER),
    "cuda.UnownedMemory(10, -1, None, 0)": (OverflowError, NEGATIVE),
    "cuda.UnownedMemory(10, 10, None, 'x')": (TypeError, INTEGER),
    "cuda.UnownedMemory(2**64, 10, None, 0)": (OverflowError, "is no address"),
    "cuda.MemoryPointer(5, 0)": (TypeError, "memory is needed, not a int"),
    "cuda.MemoryPointer(m, 'x')": (TypeError, INTEGER),
    "p + 'x'": (TypeError, INTEGER),
    "p + 1.5": (TypeError, INTEGER),
    "p - 1.5": (TypeError, INTEGER),
    "p + 2**70": (OverflowError, "is no address"),
    "p.copy_from(p, 'x')": (TypeError, INTEGER),
    "p.copy_from(p, -1)": (OverflowError, NEGATIVE),
    "p.copy_from('abc', 3)": (AttributeError, "no attribute 'value'"),
    "p.copy_from(b'abc', 3)": (AttributeError, "no attribute 'value'"),
    "p.copy_from_device(5, 10)": (TypeError, "a MemoryPointer is needed, not a int"),
    "p.copy_from_host(p, 10)": (AttributeError, "no attribute 'value'"),
    "p.copy_from_host(0, 10)": (1, "10 bytes from 0x0"),
    "p.copy_to_host(ctypes.c_void_p(), 10)": (1, "10 bytes from"),
    "p.copy_from_host(True, 8)": (1, "8 bytes from 0x1"),
    "p.copy_from_host(-1, 8)": (1, "8 bytes from -0x1"),
    "p.copy_to_host(4095, 8)": (1, "to 0xfff"),
    "p.copy_from_device_async(p, 10, 5)": (AttributeError, "a stream is needed, not a int"),
    "p.memset('x', 10)": (TypeError, INTEGER),
    "p.memset(2**40, 10)": (OverflowError, "no C int"),
    "p.memset(1, -1)": (OverflowError, NEGATIVE),
    "p.memset_async(1, 10, 5)": (AttributeError, "a stream is needed, not a int"),
    "pool.malloc('x')": (TypeError, INTEGER),
    "pool.malloc(1.5)": (TypeError, INTEGER),
    "pool.malloc(-1)": (OverflowError, NEGATIVE),
    "pool.malloc(2**62)": (cp.cuda.OutOfMemoryError, "4611686018427387904 bytes asked for"),
    "pool.malloc(2**63)": (cp.cuda.OutOfMemoryError, "9223372036854775808 bytes asked for"),
    "pool.set_limit('x')": (TypeError, INTEGER),
    "pool.set_limit(1.5)": (TypeError, INTEGER),
    "pool.set_limit(-1)": (ValueError, "memory limit size out of range: -1"),
    "pool.set_limit(fraction=2)": (ValueError, "memory limit fraction out of range: 2"),
    "pool.set_limit()": (ValueError, "size or fraction must be given, not both"),
    "cuda.MemoryPool(5)": (TypeError, "must be callable"),
    "pinned.malloc('x')": (TypeError, INTEGER),
    "pinned.malloc(1.5)": (TypeError, INTEGER),
    "pinned.malloc(-1)": (OverflowError, NEGATIVE),
    "cuda.PinnedMemory('x')": (TypeError, INTEGER),
    "cuda.PinnedMemory(-1)": (OverflowError, NEGATIVE),
    "cuda.PinnedMemoryPointer(5, 0)": (TypeError, "memory is needed, not a int"),
    "cuda.alloc('x')": (TypeError, INTEGER),
    "cuda.alloc(-1)": (OverflowError, NEGATIVE),
    "cuda.alloc(2**62)": (cp.cuda.OutOfMemoryError, "4611686018427387904 bytes asked for"),
    "cuda.alloc(2**63)": (cp.cuda.OutOfMemoryError, "9223372036854775808 bytes asked for"),
    "cuda.alloc(2**64 - 1)": (cp.cuda.OutOfMemoryError, "18446744073709551615 bytes asked for"),
    "cuda.alloc(2**64)": (OverflowError, "no size_t"),
    "cuda.alloc_pinned_memory(-1)": (OverflowError, NEGATIVE),
    "cuda.is_memory_pinned('x')": (TypeError, INTEGER),
    "cuda.set_allocator(5)": (TypeError, "an allocator must be callable, a int is not"),
    "cuda.using_allocator(5)": (TypeError, "an allocator must be callable, a int is not"),
    "cuda.set_pinned_memory_allocator(5)": (TypeError, "an allocator must be callable, a int is not"),
    "cuda.MemoryAsyncPool('x')": (ValueError, "pool_handles"),
    "runtime.setDevice('x')": (TypeError, "setDevice: device is an integer, not a str"),
    "runtime.setDevice(99)": (101, "there is no device 99"),
    "runtime.getDeviceProperties(99)": (101, "there is no device 99"),
    "runtime.deviceGetAttribute('x', 0)": (TypeError, "attrib is an integer, not a str"),
    "runtime.deviceGetAttribute(99999, 0)": (1, "cudaErrorInvalidValue"),
    "runtime.deviceGetPCIBusId('x')": (TypeError, "device is an integer, not a str"),
    "runtime.deviceEnablePeerAccess(d)": (101, "cudaErrorInvalidDevice"),
    "runtime.deviceGetLimit('x')": (TypeError, "limit is an integer, not a str"),
    "runtime.deviceGetLimit(999)": (1, "cudaErrorInvalidValue"),
    "runtime.deviceSetLimit(999, 1)": (1, "cudaErrorInvalidValue"),
    "runtime.deviceSetLimit(0, -1)": (OverflowError, NEGATIVE),
    "runtime.streamCreateWithFlags('x')": (TypeError, "flags is an integer, not a str"),
    "runtime.streamCreateWithFlags(99)": (1, "flags are 0x63, known are 0x1"),
    "runtime.streamCreateWithFlags(-1)": (OverflowError, "can't convert negative value to unsigned"),
    "runtime.streamCreateWithPriority(0, 'x')": (TypeError, "priority is an integer, not a str"),
    "runtime.streamDestroy('x')": (TypeError, "stream is an integer, not a str"),
    "runtime.streamSynchronize('x')": (TypeError, "stream is an integer, not a str"),
    "runtime.streamWaitEvent('x', 5)": (TypeError, "stream is an integer, not a str"),
    "runtime.streamAddCallback(0, 5, None)": (TypeError, "a callback must be callable, a int is not"),
    "runtime.launchHostFunc(0, 5, None)": (TypeError, "a callback must be callable, a int is not"),
    "runtime.streamBeginCapture(0)": (900, "cudaErrorStreamCaptureUnsupported"),
    "runtime.streamEndCapture(0)": (401, "cudaErrorIllegalState"),
    "runtime.graphLaunch('x', 0)": (TypeError, "graphExec is an integer, not a str"),
    "runtime.eventCreateWithFlags(99)": (1, "flags are 0x63, known are 0x7"),
    "runtime.eventCreateWithFlags(4)": (1, "disable_timing=True"),
    "runtime.eventRecord('x', 0)": (TypeError, "event is an integer, not a str"),
    "runtime.eventElapsedTime('x', 2)": (TypeError, "start is an integer, not a str"),
    "runtime.eventElapsedTime(1, 2)": (400, "cudaErrorInvalidResourceHandle"),
    "runtime.malloc('x')": (TypeError, "size is an integer, not a str"),
    "runtime.malloc(size='x')": (TypeError, "size is an integer, not a str"),
    "runtime.malloc(1.5)": (TypeError, "size is an integer, not a float"),
    "runtime.malloc(-1)": (OverflowError, NEGATIVE),
    "runtime.malloc(2**62)": (2, "4611686018427387904 bytes asked for"),
    "runtime.malloc(1, 2)": (TypeError, "takes 1 positional argument but 2 were given"),
    "runtime.malloc()": (TypeError, "missing 1 required positional argument: 'size'"),
    "runtime.mallocAsync(10, 'x')": (TypeError, "stream is an integer, not a str"),
    "runtime.hostAlloc(10, 'x')": (TypeError, "flags is an integer, not a str"),
    "runtime.free('x')": (TypeError, "ptr is an integer, not a str"),
    "runtime.free(12345)": (1, "cudaErrorInvalidValue"),
    "runtime.memcpy('x', 0, 1, 0)": (TypeError, "dst is an integer, not a str"),
    "runtime.memcpy(q, q, 10, 77)": (21, "cudaErrorInvalidMemcpyDirection"),
    "runtime.memcpy(q, q, -1, 3)": (OverflowError, NEGATIVE),
    "runtime.memcpy(0, q, 1, 3)": (1, "cudaErrorInvalidValue"),
    "runtime.memcpy2D(q, 10, q, 10, 20, 2, 3)": (12, "cudaErrorInvalidPitchValue"),
    "runtime.memcpy2DAsync(q, 10, q, 10, 20, 2, 3, 0)": (12, "cudaErrorInvalidPitchValue"),
    "runtime.memcpy2D(q, 2**40, q, 2**40, 1, 2, 3)": (1, "cudaErrorInvalidValue"),
    "runtime.memset('x', 0, 1)": (TypeError, "ptr is an integer, not a str"),
    "runtime.memset(0, 1, 10)": (1, "cudaErrorInvalidValue"),
    "runtime.memset(2**46, 1, 10)": (1, "cudaErrorInvalidValue"),
    "runtime.memcpy(q, 2**46, 10, 3)": (1, "cudaErrorInvalidValue"),
    "runtime.memset(cp.ones(4).data.ptr, 1, 2**45)": (1, "cudaErrorInvalidValue"),
    "runtime.pointerGetAttributes('x')": (TypeError, "ptr is an integer, not a str"),
    "runtime.memPoolCreate(5)": (TypeError, "props are a MemPoolProps, not a int"),
    "runtime.ipcOpenMemHandle(b'x')": (ValueError, "a handle of 64 bytes is needed, 1 given"),
    "runtime.ipcOpenMemHandle(5)": (TypeError, "a handle is bytes, not a int"),
    "runtime.check_status(1)": (1, "cudaErrorInvalidValue: invalid value"),
}

# What only devices other than CUDA's can know without asking the driver, to which an unknown handle may be a crash.
UNKNOWN = {
    "cuda.ExternalStream(5)": (400, "no stream with the handle 0x5"),
    "runtime.streamSynchronize(12345)": (400, "no stream with the handle"),
    "runtime.streamDestroy(12345)": (400, "cudaErrorInvalidResourceHandle"),
    "runtime.streamWaitEvent(0, 12345)": (400, "cudaErrorInvalidResourceHandle"),
    "runtime.graphInstantiate(12345)": (1, "cudaErrorInvalidValue"),
    "runtime.graphLaunch(12345, 0)": (1, "cudaErrorInvalidValue"),
    "runtime.graphDestroy(12345)": (1, "cudaErrorInvalidValue"),
    "runtime.eventDestroy(12345)": (400, "cudaErrorInvalidResourceHandle"),
    "runtime.eventQuery(12345)": (400, "cudaErrorInvalidResourceHandle"),
}


def refused(expression, expected, text, **names):
    with pytest.raises(CUDA if isinstance(expected, int) else expected) as caught:
        eval(expression, globals(), names)
    assert text in str(caught.value), caught.value
    if isinstance(expected, int):
        assert caught.value.status == expected, caught.value


@pytest.mark.parametrize("expression", [*WRONG, *UNKNOWN])
def test_wrong_arguments(expression, device):
    if expression in UNKNOWN and device.startswith("cuda"):
        pytest.skip("the driver may take any number for a handle")
    s, e, m, d = cuda.Stream(), cuda.Event(), cuda.Memory(100), cuda.Device()
    e.record()
    q = runtime.malloc(100)
    refused(expression, *(WRONG | UNKNOWN)[expression], s=s, e=e, m=m, d=d, q=q, p=cuda.MemoryPointer(m, 0),
            pool=cuda.MemoryPool(), pinned=cuda.PinnedMemoryPool())
    runtime.free(q)
    with s:
        assert int(cp.arange(10).sum()) == 45  # nothing is left behind


@pytest.mark.parametrize("truth", ["x", 5, None, [], 1.5])
def test_truth_is_asked_of_flags(truth):
    assert (cuda.Stream(null=truth) is cuda.Stream.null) == bool(truth)
    cuda.Stream(non_blocking=truth).synchronize()
    event = cuda.Event(block=truth, disable_timing=truth)
    event.record()
    event.synchronize()


def test_a_device_that_is_not_there_has_a_name():
    assert repr(cuda.Device(99)) == "<CUDA Device 99>"


def test_devices_of_numbers():
    here = cuda.Device()
    for number in (here.id, np.int32(here.id), here):
        assert cuda.Device(number) == here


def test_a_portable_program_asks_for_the_compute_capability():
    """The limit that it uses for its kernels is reported by every device; kernels see the same number."""
    properties = runtime.getDeviceProperties(cuda.Device())
    assert properties["major"] >= 7 and isinstance(properties["minor"], int)
    told = int(cuda.Device().compute_capability)
    assert told == 10 * properties["major"] + properties["minor"] == int(cuda.get_compute_capability())
    out = cp.zeros(1, "i4")
    cp.RawKernel("extern \"C\" __global__ void arch(int *out) { *out = __CUDA_ARCH__; }", "arch")((1,), (1,), (out,))
    assert int(out[0]) == 10 * told


# --- bounds ---
def places():
    """(name, pointer, address of its memory in it, bytes of that memory)."""
    memory, array = cuda.Memory(1000), cp.zeros(250, "f4")
    base = array[3:]
    yield "Memory", cuda.MemoryPointer(memory, 0), 0, 1000
    yield "an offset", cuda.MemoryPointer(memory, 30) + 70, 100, 1000
    yield "MemoryAsync", cuda.MemoryPointer(cuda.MemoryAsync(1000, cuda.Stream()), 0), 0, 1000
    yield "ManagedMemory", cuda.malloc_managed(1000), 0, 1000
    yield "a pool", cuda.MemoryPool().malloc(1000), 0, 1024
    yield "an array", array.data, 0, 1000
    yield "a view", base.data, 12, 1000
    yield "a view of a view", base[::-1].data, 996, 1000
    yield "UnownedMemory", cuda.MemoryPointer(cuda.UnownedMemory(array.data.ptr + 8, 500, array), 0), 0, 500


@pytest.mark.parametrize("name", ["copy_from_device", "copy_from_host", "copy_to_host", "memset"])
@pytest.mark.parametrize("late", ["", "_async"])
def test_bounds(name, late, device):
    """Up to the last byte, not one more and not one before; the message has the sizes."""
    if device.startswith("cuda"):
        pytest.skip("the driver knows allocations, not what a pool made of them")
    other = cuda.MemoryPointer(cuda.Memory(5000), 0)
    host = np.zeros(5000, "u1")
    do = {"copy_from_device": lambda p, n, *s: getattr(p, name + late)(other, n, *s),
          "copy_from_host": lambda p, n, *s: getattr(p, name + late)(host.ctypes.data, n, *s),
          "copy_to_host": lambda p, n, *s: getattr(p, name + late)(host.ctypes.data, n, *s),
          "memset": lambda p, n, *s: getattr(p, name + late)(1, n, *s)}[name]
    stream = [cuda.Stream()] if late else []
    for what, pointer, at, bytes_ in places():
        rest = bytes_ - at
        do(pointer, rest, *stream)
        do(pointer, 0, *stream)
        do(pointer + rest, 0, *stream)
        do(pointer - at, bytes_, *stream)
        for p, n, begins in ((pointer, rest + 1, at), (pointer + rest, 1, bytes_), (pointer - at - 1, 1, -1),
                             (pointer, 2**40, at), (pointer + 2**40, 1, at + 2**40)):
            with pytest.raises(CUDA) as caught:
                do(p, n, *stream)
            assert f"{n} bytes from byte {begins} on, of memory of {bytes_} bytes" in str(caught.value), what
            assert caught.value.status == 1
    cuda.Device().synchronize()


def test_bounds_of_arrays_over_memory(device):
    if device.startswith("cuda"):
        pytest.skip("kernels find out there")
    p = cuda.MemoryPointer(cuda.Memory(80), 0)
    x = cp.ndarray((10,), "f8", memptr=p)
    x[:] = cp.arange(10)
    assert float(cp.ndarray((3,), "f8", memptr=p + 16, strides=(-8,)).sum()) == 3
    assert cp.ndarray((0,), "f8", memptr=p + 80).size == 0
    for shape, at, strides in (((11,), 0, None), ((10,), 8, None), ((1,), -8, None), ((3,), 8, (-8,)),
                               ((2, 2), 0, (72, 8)), ((1,), 80, None)):
        with pytest.raises(CUDA, match="ndarray: cudaErrorInvalidValue: .* of memory of 80 bytes"):
            cp.ndarray(shape, "f8", memptr=p + at, strides=strides)


def test_memory_of_unknown_size_is_believed():
    x = cp.zeros(10, "u1")
    p = cuda.MemoryPointer(cuda.UnownedMemory(x.data.ptr, 0, x), 0)
    p.memset(7, 10)
    assert x.get().tolist() == [7] * 10


def test_bounds_of_addresses(device):
    if device.startswith("cuda"):
        pytest.skip("the driver's")
    q, r = runtime.malloc(100), runtime.malloc(1000)
    runtime.memset(q, 3, 100)
    runtime.memcpy(r, q, 100, runtime.memcpyDeviceToDevice)
    here = cuda.Device()
    for call in (lambda: runtime.memset(q + 1, 3, 100), lambda: runtime.memcpy(q, r, 101, 3),
                 lambda: runtime.memcpy(r, q + 50, 51, 3), lambda: runtime.memcpyPeer(q, here, r, here, 101),
                 lambda: runtime.memcpyAsync(r, q, 101, 3, 0), lambda: runtime.memsetAsync(q, 0, 101, 0)):
        with pytest.raises(CUDA, match="of memory of 100 bytes") as caught:
            call()
        assert caught.value.status == 1
    host = ctypes.create_string_buffer(100)
    runtime.memcpy(ctypes.addressof(host), r, 100, runtime.memcpyDeviceToHost)
    assert host.raw == b"\3" * 100
    runtime.free(q)
    runtime.free(r)
