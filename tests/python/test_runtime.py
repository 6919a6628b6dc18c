"""cupy.cuda.runtime and its neighbours: devices, functions in terms of numbers, errors, marks, profiler."""
import inspect

import numpy as np
import pytest

import cuprite as cp
from cuprite import profiler
from cuprite.cuda import driver, nvtx

pytestmark = pytest.mark.device

cuda, r = cp.cuda, cp.cuda.runtime


def status(call, *args):
    with pytest.raises(r.CUDARuntimeError) as e:
        call(*args)
    return e.value.status


# --- errors ---
def test_errors_have_numbers():
    e = r.CUDARuntimeError(2)
    assert e.status == 2 and str(e) == "cudaErrorMemoryAllocation: memory allocation" and isinstance(e, RuntimeError)
    assert status(r.check_status, 700) == 700
    assert r.check_status(0) is None
    assert status(cuda.Device(98).use) == 101  # cudaErrorInvalidDevice
    assert r.CUDARuntimeError("a text (cudaErrorLaunchFailure)").status == 719
    assert r.CUDARuntimeError("a text").status == 999 and r.CUDARuntimeError(123456).status == 123456
    e = driver.CUDADriverError(1)
    assert e.status == 1 and str(e) == "CUDA_ERROR_INVALID_VALUE: invalid value"
    with pytest.raises(driver.CUDADriverError):
        driver.check_status(719)
    import pickle
    assert pickle.loads(pickle.dumps(e)).status == 1


# --- devices ---
def test_attributes(device):
    here = cuda.Device()
    a = here.attributes
    assert a["MaxThreadsPerBlock"] == (0 if device.startswith("late") else 1024)
    assert a["MultiProcessorCount"] == r.deviceGetAttribute(r.cudaDevAttrMultiProcessorCount, here) > 0 or \
        device.startswith("late")
    assert all(isinstance(v, int) for v in a.values()) and "WarpSize" in a
    assert status(r.deviceGetAttribute, 99999, here) == 1
    p = r.getDeviceProperties(here)
    assert isinstance(p["name"], bytes) and p["totalGlobalMem"] == here.mem_info[1]
    if not device.startswith("late"):
        assert p["maxThreadsDim"] == (1024, 1024, 64) and p["warpSize"] == 32 == a["WarpSize"]
        assert p["maxGridSize"][0] == a["MaxGridDimX"] and p["sharedMemPerBlock"] == a["MaxSharedMemoryPerBlock"]


def test_bus(device):
    here = cuda.Device()
    assert cuda.Device.from_pci_bus_id(here.pci_bus_id) == here
    assert r.deviceGetPCIBusId(here) == here.pci_bus_id
    assert status(r.deviceGetByPCIBusId, "0000:FF:1F.7") in (101, 1)


def test_devices_in_order():
    for name in ("cublas_handle", "cusolver_handle", "cusolver_sp_handle", "cusparse_handle", "cutensor_handle"):
        with pytest.raises(NotImplementedError, match=f"Device.{name}: Cuprite makes no handles of CUDA's libraries"):
            getattr(cuda.Device(), name)
    with pytest.raises(AttributeError):
        cuda.Device().nothing
    assert cuda.get_device_id() == cuda.Device().id == r.getDevice() == int(cuda.Device())
    before = cuda.Device()
    r.setDevice(before)
    assert cuda.Device() == before
    assert r.deviceGetLimit(r.cudaLimitStackSize) >= 0
    assert r.driverGetVersion() >= 0 and r.runtimeGetVersion() == cuda.get_local_runtime_version()
    assert r.memGetInfo()[1] == before.mem_info[1]


# --- streams and events ---
def test_streams_by_number(device):
    s = r.streamCreate()
    t = r.streamCreateWithPriority(r.streamNonBlocking, -1)
    assert s and t and s != t and r.streamGetFlags(s) == 0 and r.streamGetFlags(t) == r.streamNonBlocking
    assert r.streamGetPriority(s) == 0 >= r.streamGetPriority(t)
    seen = []
    with cuda.ExternalStream(s):
        x = cp.arange(1000) * 2
    e, f = r.eventCreate(), r.eventCreateWithFlags(r.eventDisableTiming)
    r.eventRecord(e, s)
    r.eventRecord(f, s)
    r.streamWaitEvent(t, e)
    r.launchHostFunc(t, seen.append, 1)
    r.streamAddCallback(t, lambda *args: seen.append(args), "a")
    r.streamSynchronize(t)
    assert seen == [1, (t, 0, "a")] and int(x.sum()) == 999000
    r.eventSynchronize(e)
    assert r.eventQuery(e) == 0 and r.streamQuery(t) == 0
    g = r.eventCreate()
    r.eventRecord(g, s)
    r.eventSynchronize(g)
    assert r.eventElapsedTime(e, g) >= 0
    assert status(r.eventElapsedTime, e, f) == 400
    for event in (e, f, g):
        r.eventDestroy(event)
    r.streamDestroy(s)
    r.streamDestroy(t)
    r.streamSynchronize(0)
    r.streamSynchronize(r.streamLegacy)
    if not device.startswith("cuda"):
        assert status(r.eventQuery, 12345) == 400
        assert status(r.streamDestroy, 12344) == 400


# --- memory ---
def test_rows_stay_within_memory():
    """A row that begins exactly where memory ends is beyond it: nothing is copied."""
    p, q, back = r.malloc(64), r.malloc(128), np.zeros(64, "u1")
    r.memset(p, 7, 64)
    r.memset(q, 9, 128)
    for to, at in ((p, q), (q, p)):
        for copy, stream in ((r.memcpy2D, ()), (r.memcpy2DAsync, (0,))):
            assert status(copy, to, 8, at, 8, 8, 9, r.memcpyDeviceToDevice, *stream) == 1
    r.memcpy(back.ctypes.data, p, 64, r.memcpyDeviceToHost)
    assert (back == 7).all()
    r.memcpy2D(p, 16, q, 8, 8, 4, r.memcpyDeviceToDevice)
    r.memcpy(back.ctypes.data, p, 64, r.memcpyDeviceToHost)
    assert (back.reshape(4, 16) == [9] * 8 + [7] * 8).all()
    r.free(p)
    r.free(q)


def test_memory_by_number(device, live_blocks):
    values, back = np.arange(1000.0), np.zeros(1000)
    live = live_blocks()
    p, q = r.malloc(8000), r.mallocManaged(8000)
    h = r.hostAlloc(8000, r.hostAllocDefault)
    r.memcpy(p, values.ctypes.data, 8000, r.memcpyHostToDevice)
    r.memcpyAsync(q, p, 8000, r.memcpyDeviceToDevice, 0)
    r.memcpy(h, q, 8000, r.memcpyDeviceToHost)
    r.memcpy(back.ctypes.data, h, 8000, r.memcpyHostToHost)
    assert (back == values).all()
    r.memset(p, 0, 4000)
    r.memsetAsync(p, 255, 8, 0)
    r.memcpy2D(back.ctypes.data, 80, p, 160, 80, 50, r.memcpyDeviceToHost)
    expected = values.copy()
    expected[:500] = 0
    assert back[0] != back[0] and (back[1:500] == expected.reshape(50, 20)[:, :10].ravel()[1:]).all()
    r.memcpyPeer(p, cuda.Device(), q, cuda.Device(), 8000)
    r.memcpy(back.ctypes.data, p, 8000, r.memcpyDeviceToHost)
    assert (back == values).all()
    assert r.pointerGetMemoryType(p) == r.memoryTypeDevice
    assert r.pointerGetAttributes(q).type == r.memoryTypeManaged
    assert r.pointerGetAttributes(h + 100).type == r.memoryTypeHost
    assert r.pointerGetMemoryType(values.ctypes.data) == r.memoryTypeUnregistered
    r.memAdvise(q, 8000, r.cudaMemAdviseSetReadMostly, 0)
    a = r.mallocAsync(8000, 0)
    r.freeAsync(a, 0)
    r.free(p)
    r.free(q)
    r.freeHost(h)
    r.free(0)
    assert r.malloc(0) == 0 and live_blocks() == live
    if not device.startswith("cuda"):
        assert status(r.free, 12345) == 1


def test_what_only_cuda_has(device):
    if device.startswith("cuda"):
        pool = r.deviceGetDefaultMemPool(cuda.Device())
        assert pool and r.memPoolGetAttribute(pool, r.cudaMemPoolAttrUsedMemCurrent) >= 0
        mine = r.memPoolCreate(r.MemPoolProps(r.cudaMemAllocationTypePinned, r.cudaMemHandleTypeNone,
                                              r.cudaMemLocationTypeDevice, 0))
        p = r.mallocFromPoolAsync(4096, mine, 0)
        r.freeAsync(p, 0)
        r.deviceSynchronize()
        r.memPoolSetAttribute(mine, r.cudaMemPoolAttrReleaseThreshold, 1 << 20)
        assert r.memPoolGetAttribute(mine, r.cudaMemPoolAttrReleaseThreshold) == 1 << 20
        r.memPoolTrimTo(mine, 0)
        r.memPoolDestroy(mine)
        p = r.malloc(4096)
        assert len(r.ipcGetMemHandle(p)) == 64
        r.free(p)
    else:
        assert r.deviceGetMemPool(cuda.Device()) == 0
        for call, args in ((r.memPoolTrimTo, (1, 0)), (r.ipcGetMemHandle, (1,)), (r.mallocFromPoolAsync, (8, 1, 0))):
            assert status(call, *args) == 801
    assert status(r.mallocArray, 1, 2, 3) == 801
    with pytest.raises(ValueError):
        r.ipcOpenMemHandle(b"short")


def test_names_are_cupys():
    """Signatures of CuPy's documentation, by name and number of arguments."""
    for name, words in {"memcpyAsync": "dst src size kind stream", "streamBeginCapture": "stream mode",
                        "memPrefetchAsync": "devPtr count dstDevice stream", "malloc3DArray":
                        "descPtr width height depth flags"}.items():
        assert list(inspect.signature(getattr(r, name)).parameters) == words.split()
    assert r.cudaDevAttrComputeMode == 20 and r.CUDA_R_32F == 0 and r.cudaCpuDeviceId == -1


# --- marks, profiler, information ---
def test_marks():
    nvtx.Mark("a")
    nvtx.MarkC("b", 0xFF00FF00)
    nvtx.RangePush("c", 2)
    nvtx.RangePushC(b"d", 0xFFFF0000)
    nvtx.RangePop()
    nvtx.RangePop()
    nvtx.RangeEnd(nvtx.RangeStart("e", None))
    assert nvtx.available in (True, False)


def test_profiler():
    with profiler.profile(), cuda.profile():
        with profiler.time_range("work", color_id=0, sync=True):
            assert float(cp.ones(10).sum()) == 10

    @profiler.time_range(sync=False)
    def work(n):
        return cp.ones(n).sum()
    assert float(work(3)) == 3 and work.__name__ == "work" and float(work(4)) == 4
    with pytest.raises(ValueError):
        profiler.time_range("a", color_id=1, argb_color=2)
    cuda.profiler.start()
    cuda.profiler.stop()


def test_errstate():
    assert cp.geterr() == dict.fromkeys(("divide", "over", "under", "invalid", "linalg"))
    with cp.errstate(linalg="raise", divide="ignore"):
        assert cp.geterr()["linalg"] == "raise" and cp.geterr()["divide"] == "ignore"
        before = cp.seterr(linalg="ignore")
        assert before["linalg"] == "raise" and cp.geterr()["linalg"] == "ignore"
    assert cp.geterr()["linalg"] is None
    with pytest.raises(NotImplementedError):
        cp.seterr(divide="raise")
    with pytest.raises(ValueError):
        cp.seterr(linalg="call")


def test_information():
    text = str(cp.get_runtime_info())
    assert "Cuprite Version" in text and "cpu:0" in text
    assert "cpu:0" not in str(cp.get_runtime_info(full=False))
    assert cuda.get_rocm_path() is None and cuda.get_hipcc_path() is None


def test_gufunc():
    g = cp.GeneralizedUFunc(lambda a, b: cp.sum(a * b, axis=-1), "(i,j),(j)->(i)")
    a, b = cp.arange(24.0).reshape(2, 3, 4), cp.arange(4.0)
    assert (g(a, b).get() == a.get() @ b.get()).all()
    out = cp.zeros((2, 3), "f4")
    assert g(a, b, out=out) is out and (out.get() == a.get() @ b.get()).all()
    h = cp.GeneralizedUFunc(lambda a: (a.min(axis=-1), a.max(axis=-1)), "(i)->(),()", supports_batched=True)
    low, high = h(a, axis=0)
    assert (low.get() == a.get().min(0)).all() and (high.get() == a.get().max(0)).all()
    assert h(a, keepdims=True)[0].shape == (2, 3, 1)
    for bad, error in ((lambda: g(a), TypeError), (lambda: g(a, cp.arange(3.0)), ValueError),
                       (lambda: g(b, b), ValueError), (lambda: cp.GeneralizedUFunc(len, "(i->()"), ValueError)):
        with pytest.raises(error):
            bad()


@pytest.mark.parametrize("kind", [5, 99, -1])
def test_kinds_of_copies(device, kind):
    """A kind that does not exist is refused; bytes of a device would be read by the host."""
    x, out = cp.arange(4, dtype="i4"), np.zeros(4, "i4")
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidMemcpyDirection"):
        cp.cuda.runtime.memcpy(out.ctypes.data, x.data.ptr, 16, kind)
    cp.cuda.runtime.memcpy(out.ctypes.data, x.data.ptr, 16, cp.cuda.runtime.memcpyDeviceToHost)
    assert out.tolist() == [0, 1, 2, 3]
