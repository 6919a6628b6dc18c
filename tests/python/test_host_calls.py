"""What functions that a stream calls may do: neither use nor wait for the device, as CUDA has it. A wait there would
last for ever, so it is an error, and the stream goes on."""
import gc
import re
import time

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device, cuda
from cuprite.cuda import runtime

pytestmark = pytest.mark.device

REFUSED = r"cudaErrorNotPermitted: a function that a stream calls may neither use nor wait for its device"


def outcome(stream, function):
    """What the function returned, or raised, as a function that the stream called."""
    seen = []

    def called(_):
        try:
            seen.append(function())
        except Exception as e:
            seen.append(e)
    stream.launch_host_func(called)
    end = time.monotonic() + 20
    while not stream.done:  # a wait could not be interrupted
        assert time.monotonic() < end, "the stream stands still"
        time.sleep(1e-3)
    assert len(seen) == 1
    return seen[0]


# name: what a function tries with a stream, another one, the null stream, the device, an event and an array
WAITS = {
    "its stream": lambda v: v.stream.synchronize(),
    "another stream": lambda v: v.other.synchronize(),
    "the null stream": lambda v: _device.stream_synchronize(v.null),
    "the device": lambda v: v.device.synchronize(),
    "an event": lambda v: v.event.synchronize(),
    "item": lambda v: v.x.item(3),
    "float": lambda v: float(v.x[3]),
    "get": lambda v: v.x.get(),
    "tolist": lambda v: v.x.tolist(),
    "asnumpy": lambda v: cp.asnumpy(v.x),
}

WORK = {
    "copy_to_host": lambda v: v.x.data.copy_to_host(v.host.ctypes.data, 64),
    "streamSynchronize": lambda v: runtime.streamSynchronize(v.number),
    "new array": lambda v: v.x + 1,
    "small array": lambda v: v.x[:2] * 2,
    "in place": lambda v: cp.add(v.x, 1, out=v.x),
    "fill": lambda v: v.x.fill(1),
    "record": lambda v: v.event.record(v.stream),
    "wait": lambda v: v.stream.wait_event(v.event),
    "call": lambda v: v.stream.launch_host_func(print),
    "kernel": lambda v: v.kernel((1,), (1,), (v.x,)),
    "pinned memory": lambda v: cuda.PinnedMemory(1000),
    "raw memory": lambda v: cuda.Memory(1000),
    "from host": lambda v: v.x.set(v.host),
    "graph": lambda v: v.graph.launch(v.stream),
}


class Things:
    def __init__(self):
        self.device, self.stream, self.other = cuda.Device(), cuda.Stream(), cuda.Stream(non_blocking=True)
        self.null = _device.stream_null(_device.current())
        self.x, self.host, self.event = cp.arange(1000.0), np.arange(1000.0), self.stream.record()
        self.kernel = cp.RawKernel('extern "C" __global__ void k(double *x) { x[0] = 5; }', "k")
        self.kernel.compile()
        self.device.synchronize()

    def tried(self, function):
        """What function(self) raised, in a function that the stream called; the stream goes on."""
        def called():
            with self.device:  # the thread's own may be another
                return function(self)
        got = outcome(self.stream, called)
        with self.stream:
            y = self.x * 0 + 3
        assert float(y.sum()) == 3000
        return got


@pytest.mark.parametrize("name", WAITS)
def test_waits_are_refused(name):
    got = Things().tried(WAITS[name])
    assert isinstance(got, runtime.CUDARuntimeError), got
    assert got.status == 800
    assert re.search(REFUSED, str(got)), got


@pytest.mark.parametrize("name", WORK)
def test_work_is_refused_where_it_is_late(name, device):
    things = Things()
    if name == "streamSynchronize":
        things.number = runtime.streamCreate()
    if name == "graph":
        if device == "cpu":
            pytest.skip("the CPU records nothing")
        things.stream.begin_capture()
        with things.stream:
            things.x += 0
        things.graph = things.stream.end_capture()
    got = things.tried(WORK[name])
    if device == "cpu" and name != "streamSynchronize":  # its work is done within the call, so nothing waits
        assert not isinstance(got, Exception), got
    else:
        assert isinstance(got, runtime.CUDARuntimeError) and got.status == 800, got


def test_other_devices_may_be_used():
    """A function that a GPU's stream calls may compute on the CPU; one of the CPU's may not wait for the CPU."""
    things = Things()
    cpu = things.device.backend == "cpu"

    def compute(_):
        with cuda.Device("cpu"):
            return float(cp.arange(10.0).sum())
    got = things.tried(compute)
    assert isinstance(got, runtime.CUDARuntimeError) if cpu else got == 45


def test_what_ends_there_is_given_back_later():
    things = Things()
    used = _device.pool(_device.current())["used"]
    kernel = 'extern "C" __global__ void k(int *x) { *x = %d; }'
    held = [[cp.ones(100000), cuda.Stream(), cuda.Event(), cuda.Memory(4000), cuda.PinnedMemory(4000),
             cuda.MemoryAsync(4000, things.stream), cp.RawModule(code=kernel % k)] for k in range(5)]
    for h in held:
        h[-1].compile()
    assert _device.pool(_device.current())["used"] > used
    for h in held:
        got = things.tried(lambda v: (h.clear(), gc.collect()))
        assert isinstance(got, tuple), got
    for _ in range(3):  # whoever asks the pool next gives it back
        cp.ones(100000)
    assert _device.pool(_device.current())["used"] <= used + 4096


def test_an_error_stays_with_its_function():
    """It is neither the stream's failure nor reported to the next caller on that thread."""
    things = Things()
    for _ in range(3):
        assert isinstance(things.tried(WAITS["its stream"]), runtime.CUDARuntimeError)
    seen = []
    things.stream.launch_host_func(seen.append, 1)
    things.stream.synchronize()
    assert seen == [1]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_functions_of_graphs(device):
    if device == "cpu":
        pytest.skip("the CPU records nothing")
    things, seen = Things(), []

    def called(_):
        with pytest.raises(runtime.CUDARuntimeError, match=REFUSED):
            things.stream.synchronize()
        seen.append(1)
    things.stream.begin_capture()
    with things.stream:
        things.x += 1
        things.stream.launch_host_func(called)
        things.x += 1
    graph = things.stream.end_capture()
    before = float(things.x.sum())
    for _ in range(3):
        graph.launch(things.stream)
    things.stream.synchronize()
    assert seen == [1, 1, 1] and float(things.x.sum()) == before + 6000
