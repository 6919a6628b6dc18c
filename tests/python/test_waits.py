"""Who waits for whom: functions that streams call, streams that are each thread's own, and blocks without waits."""
import ctypes
import os
import subprocess
import sys

import pytest

import cuprite as cp
from cuprite import _device

pytestmark = pytest.mark.device

PER_THREAD = """
import os, threading
import cuprite as cp
from cuprite import _device
cp.cuda.Device(os.environ["HERE"]).use()
Stream, now = cp.cuda.Stream, cp.cuda.get_current_stream
on = os.environ["ON"] == "yes"
handle = lambda s: _device.stream_handle(s._stream())
current = lambda: _device.stream_handle(_device.stream_current(_device.current()))
assert now() is (Stream.ptds if on else Stream.null)
assert current() == handle(Stream.ptds if on else Stream.null), (current(), handle(Stream.ptds))
assert handle(Stream.null) != handle(Stream.ptds)
with Stream() as s:
    assert current() == s.ptr
    with Stream.null:
        assert now() is Stream.null and current() == handle(Stream.null)
    assert now() is s and current() == s.ptr
assert now() is (Stream.ptds if on else Stream.null)
found = {}
def work(k):
    found[k] = current()
    x = cp.arange(1000) * k
    found[k, "sum"] = int(x.sum())
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert len({found[k] for k in range(4)}) >= (2 if on else 1)
assert on == (current() not in {found[k] for k in range(4)})
assert [found[k, "sum"] for k in range(4)] == [499500 * k for k in range(4)]
Stream.null.use()
assert now() is Stream.null and current() == handle(Stream.null)
print("fine")
"""

CALLS = """
import os, sys, gc
import cuprite as cp
cp.cuda.Device(os.environ["HERE"]).use()
seen = []
for k in range(20):
    s = cp.cuda.Stream()
    with s:
        x = cp.arange(100000)
        y = x * 2
        big = x + 1
        s.launch_host_func(lambda box: (seen.append(k), box.clear()), [y])
        z = y + 1
        s.add_callback(lambda stream, status, box: (box.clear(), gc.collect()), [big, {1: x}])
        del big, x, y
    del s                                   # the last array of the stream waits for it
    small = [cp.ones(1000) for _ in range(20)]
    del small
    assert int(z[-1]) == 199999
    del z
    t = cp.cuda.Stream()
    with t:
        q = cp.zeros(1 << 20)
        t.launch_host_func(lambda box: box.clear(), [q])
        del q
    cp.get_default_memory_pool().free_all_blocks()
    cp.cuda.Device().synchronize()
assert seen == list(range(20))
gc.collect()
print(cp.get_default_memory_pool().used_bytes())
"""


def run(program, device, **environment):
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "HERE": device, **environment},
                          capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["CUPRITE_PER_THREAD_DEFAULT_STREAM", "CUPY_CUDA_PER_THREAD_DEFAULT_STREAM"])
def test_default_stream_of_each_thread(device, name):
    assert run(PER_THREAD, device, ON="yes", **{name: "1"}) == "fine"
    assert run(PER_THREAD, device, ON="no", **{name: "0"}) == "fine"


def test_cuprites_word_goes_first(device):
    assert run(PER_THREAD, device, ON="no", CUPRITE_PER_THREAD_DEFAULT_STREAM="0",
               CUPY_CUDA_PER_THREAD_DEFAULT_STREAM="1") == "fine"


@pytest.mark.parametrize("pool", ["on", "off"])
def test_functions_that_end_arrays(device, pool):
    assert run(CALLS, device, CUPRITE_POOL=pool) == "0"


def test_graph_calls_function(device):
    if device == "cpu":
        pytest.skip("the CPU records nothing")
    s, seen = cp.cuda.Stream(), []
    x = cp.zeros(1000)
    with s:
        s.begin_capture()
        x += 1
        s.launch_host_func(seen.append, "here")
        g = s.end_capture()
        for _ in range(3):
            g.launch()
        s.synchronize()
    assert seen == ["here"] * 3 and float(x[5]) == 3
    del g
    assert x.tolist() == [3.0] * 1000


def refused(call):
    with pytest.raises(cp.DeviceSynchronized) as e:
        call()
    return str(e.value)


def test_allow_synchronize():
    x, e, s = cp.arange(2000), cp.cuda.Event(), cp.cuda.Stream()
    e.record()
    with cp.allow_synchronize(False):
        assert refused(s.synchronize) == "stream_synchronize: this thread may not wait for devices now"
        assert refused(cp.cuda.Device().synchronize) == "device_synchronize: this thread may not wait for devices now"
        assert refused(e.synchronize) == "event_synchronize: this thread may not wait for devices now"
        for read in (x.get, x.tolist, x.tobytes, lambda: cp.asnumpy(x), lambda: int(x[3]), lambda: float(x.sum()),
                     lambda: bool(x.any()), lambda: x.item(7)):
            assert refused(read).endswith("this thread may not wait for devices now")
        if _device.current() >= 0:  # on the CPU a copy of bytes to the host is one within the device
            room = ctypes.create_string_buffer(8)
            assert refused(lambda: x.data.copy_to_host(ctypes.addressof(room), 8)).startswith("to_device: ")
        y = x + 1  # work needs no wait
        with cp.allow_synchronize(True):
            assert int(y[0]) == 1
        refused(y.get)
    assert y.tolist() == list(range(1, 2001))
    with pytest.raises(ZeroDivisionError):
        with cp.allow_synchronize(False):
            1 // 0
    assert int(y[1]) == 2
    assert issubclass(cp.DeviceSynchronized, RuntimeError)


def test_other_threads_may_wait():
    import threading
    x, got = cp.arange(5), []
    with cp.allow_synchronize(False):
        t = threading.Thread(target=lambda: got.append(x.tolist()))
        t.start()
        t.join()
    assert got == [[0, 1, 2, 3, 4]]


def test_special_streams_are_what_they_say():
    assert _device.stream_default_per_thread() is (os.environ.get("CUPRITE_PER_THREAD_DEFAULT_STREAM", "0") != "0")
