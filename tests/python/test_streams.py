"""Streams, events, host calls, threads with streams of their own, forked children, copies between devices."""
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device

pytestmark = pytest.mark.device

cuda = cp.cuda


def others(device):
    """Devices that arrays of this one are copied to and from."""
    there = ["cpu"] + [f"cuda:{i}" for i in range(_device.count())]
    if device.startswith("late"):
        there += ["late:0", "late:1"]
    return [name for name in there if name != device]


# --- streams ---
def test_flags_and_priorities(device):
    s, t, u = cuda.Stream(), cuda.Stream(non_blocking=True), cuda.Stream(priority=-1)
    assert not s.is_non_blocking and t.is_non_blocking and not cuda.Stream.null.is_non_blocking
    assert s.priority == 0 and cuda.Stream.null.priority == 0
    assert u.priority == (-1 if device.startswith("cuda") else 0)
    assert len({s.ptr, t.ptr, u.ptr, 0}) == 4 and s != t and s == s and hash(s) == hash(s)
    assert s.__cuda_stream__() == (0, s.ptr)
    with pytest.raises(ValueError):
        cuda.Stream(null=True, ptds=True)


def test_stream_by_handle():
    s = cuda.Stream()
    e = cuda.ExternalStream(s.ptr)
    assert e == s and e.ptr == s.ptr and e is not s and isinstance(repr(e), str)
    with e:
        x = cp.arange(1000) + 1
        assert cuda.get_current_stream() is e
    e.synchronize()
    assert int(x.sum()) == 500500
    assert cuda.Stream.from_external(s) == s
    del s
    with e:  # the stream lives as long as somebody names it
        y = x * 2
    e.synchronize()
    assert int(y[999]) == 2000
    assert cuda.ExternalStream(0).ptr == 0
    del e
    assert int((x + y).sum()) == 3 * 500500


@pytest.mark.parametrize("handle", [12345 * 8])
def test_no_such_stream(handle, device):
    if device.startswith("cuda"):
        pytest.skip("what is no stream there is not found out")
    with pytest.raises(cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidResourceHandle: .* has no stream"):
        cuda.ExternalStream(handle)


def test_thread_stream():
    own = cuda.Stream.ptds
    assert cuda.Stream(ptds=True) is own
    with own:
        x = cp.ones(100)
        assert cuda.get_current_stream() is own
    own.synchronize()
    assert float(x.sum()) == 100
    seen = []
    here = cuda.Device()

    def work():
        with here:
            seen.append(cuda.Stream.ptds.ptr)
            with cuda.Stream.ptds:
                seen.append(float((cp.ones(50) * 2).sum()))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen[0] != own.ptr and seen[1] == 100


def test_blocking_streams_and_the_null_stream_wait_for_each_other():
    s = cuda.Stream()
    for _ in range(20):
        x = cp.zeros(10000)
        x += 1
        with s:
            y = x + 1       # after the null stream's work
            x2 = x * 3
        z = y + x2          # after the stream's
        assert float(z.sum()) == 50000


def test_order_by_events():
    s, t = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    with s:
        x = cp.arange(5000) * 2
        e = s.record()
    with t:
        t.wait_event(e)
        y = x + 1
    t.synchronize()
    assert (y.get() == np.arange(5000) * 2 + 1).all()


# --- host calls ---
def test_host_calls_come_in_order():
    s, seen, marker = cuda.Stream(), [], object()
    with s:
        x = cp.ones(1000)
        s.launch_host_func(seen.append, 1)
        x += 1
        s.add_callback(lambda stream, status, arg: seen.append((stream is s, status, arg is marker)), marker)
        s.launch_host_func(lambda _: seen.append(3))
    s.synchronize()
    assert seen == [1, (True, 0, True), 3] and float(x.sum()) == 2000


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_host_call_that_fails():
    s, seen = cuda.Stream(), []
    s.launch_host_func(lambda _: 1 / 0)
    s.launch_host_func(seen.append, 1)
    s.synchronize()
    assert seen == [1]
    with pytest.raises(TypeError):
        _device.stream_call(s._stream(), 7)


@pytest.mark.skipif(os.environ.get("CUPRITE_POOL") == "off", reason="to free an array is to wait then, with the GIL")
def test_waits_of_all_kinds_let_host_calls_run():
    """A call waits for the GIL: whoever waits for its stream must not hold it."""
    s, seen = cuda.Stream(non_blocking=True), []
    x = cp.arange(10)
    cuda.Device().synchronize()
    waits = (lambda: float(x.sum()), lambda: x[x > 4], lambda: x.tolist(), lambda: bool(x[0] == 0), lambda: repr(x),
             lambda: cp.nonzero(x), lambda: cp.unique(x), lambda: x.get(), s.synchronize, lambda: int(x.max()),
             lambda: cp.array_equal(x, x), lambda: x.item(3), lambda: [int(v) for v in x], lambda: x[1] in x)
    with s:
        for k, wait in enumerate(waits):
            s.launch_host_func(seen.append, k)
            wait()
    s.synchronize()
    assert seen == list(range(len(waits)))


def test_arrays_of_host_calls_end_elsewhere():
    """What a call's function holds is not let go of on the thread that called it."""
    s, t = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    for i in range(30):
        with s:
            x = cp.full(50000, i)
            with t:
                t.wait_event(s.record())
                y = x + 1   # so that the end of x must wait for t
            s.launch_host_func(lambda arg: None, x)
            del x
        t.synchronize()
        s.synchronize()
        assert int(y.sum()) == (i + 1) * 50000


def test_host_calls_keep_nothing():
    import gc
    import weakref

    class Marker:
        pass
    s, m = cuda.Stream(), Marker()
    gone = weakref.ref(m)
    s.launch_host_func(lambda arg: None, m)
    s.synchronize()
    del m
    for _ in range(100):  # the call's thread may be about to let go
        gc.collect()
        if gone() is None:
            break
        import time
        time.sleep(0.01)
    assert gone() is None


# --- events ---
def test_event_flags():
    plain, quiet, sleepy = cuda.Event(), cuda.Event(disable_timing=True), cuda.Event(block=True)
    for e in (plain, quiet, sleepy):
        e.record()
        e.synchronize()
        assert e.done
    assert cuda.get_elapsed_time(plain, sleepy) >= 0
    with pytest.raises(cuda.runtime.CUDARuntimeError, match="timing"):
        cuda.get_elapsed_time(plain, quiet)
    with pytest.raises(cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidValue"):
        cuda.Event(interprocess=True)
    with pytest.raises(cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidResourceHandle"):
        cuda.get_elapsed_time(plain, cuda.Event())


# --- copies between devices ---
def test_copies_between_devices(device):
    values = np.arange(300000).reshape(300, 1000)
    for place in others(device):
        with cuda.Device(place):
            there = cuda.Device()
        for _ in range(5):  # memory is used again at once
            x = cp.asarray(values) + 1
            y = x.to_device(place)
            x += 5          # after the copy
            del x
            z = (y.to_device(device) * 2)[:, ::2]
            assert y.device == there
            assert (z.get() == (values[:, ::2] + 1) * 2).all()


def test_assignment_between_devices(device):
    for place in others(device):
        with cuda.Device(place):
            source = cp.arange(1000.0)
        target = cp.zeros((2, 500), "f4")
        target[...] = source.reshape(2, 500)
        assert (target.get() == np.arange(1000).reshape(2, 500)).all()
        part = cp.zeros((1000, 2))
        part[:, 1] = source
        assert float(part.sum()) == 499500


def test_copies_are_ordered_on_both_streams(device):
    for place in others(device):
        there = cuda.Device(place)
        with there:
            t = cuda.Stream(non_blocking=True)
        s = cuda.Stream(non_blocking=True)
        with s:
            x = cp.arange(100000)
            x *= 3
            with there, t:
                y = x.to_device(there)
                y += 1
            x[...] = 0      # after the copy
        t.synchronize()
        s.synchronize()
        assert (y.get() == np.arange(100000) * 3 + 1).all() and int(x.sum()) == 0


def test_peers(device):
    here = cuda.Device()
    assert not here.can_access(here) and not here.can_access("cpu")
    if _device.count() > 1:
        assert isinstance(cuda.Device(0).can_access(1), bool)
        assert cuda.runtime.deviceCanAccessPeer(0, 1) == int(cuda.Device(0).can_access(1))


# --- threads and processes ---
def test_threads_with_streams_of_their_own(device):
    places, failures = [device, *others(device)], []

    def work(k):
        try:
            with cuda.Device(places[k % len(places)]), cuda.Stream(non_blocking=k % 2 == 0) as stream:
                for i in range(20):
                    x = cp.full(20000, k) + i
                    y = (x * 2).to_device(places[(k + 1) % len(places)])
                    stream.synchronize()
                    assert cuda.get_current_stream() is stream
                    with y.device:
                        assert int(y.sum()) == (k + i) * 40000
        except BaseException as e:
            failures.append(e)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise failures[0]


def test_copies_to_and_from_the_host_at_once(device):
    """What one thread sends to the device is not what another one fetches meanwhile, behind work that takes long."""
    failures = []
    big = cp.ones(1 << 24, "f4")
    behind = cuda.Stream(non_blocking=True)

    def send(k):
        for i in range(30):
            with behind:
                for _ in range(4):
                    big + 1
                host = np.full(20000, 2 * k + i / 64)
                x = cp.asarray(host)
                behind.synchronize()
                if not (x.get() == host).all():
                    failures.append(("sent", k, i))

    def fetch(k):
        with cuda.Stream(non_blocking=True):
            for i in range(60):
                x = cp.full(20000, 1000.0 + k + i)
                if not (x.get() == 1000.0 + k + i).all():
                    failures.append(("fetched", k, i))
    threads = [threading.Thread(target=f, args=(k,)) for k in range(2) for f in (send, fetch)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


FORKED = """
import os, sys
import cuprite as cp
name = sys.argv[1]
cp.cuda.Device(name).use()
x = cp.arange(1000)
s = cp.cuda.Stream(); s.use()
assert int(x.sum()) == 499500
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
    assert int((x + 1).sum()) == 500500
    sys.exit()
code = 1
try:
    with cp.cuda.Device("cpu"):
        y = cp.arange(100000)
        assert int((y * 2).sum()) == 9999900000
    if name == "cpu":
        assert int((x + 1).sum()) == 500500
    else:
        for act in (lambda: cp.cuda.Device(name).use(), lambda: cp.ones(3, device=name), lambda: x + 1,
                    lambda: x.get(), s.synchronize):
            try:
                act()
            except cp.cuda.runtime.CUDARuntimeError as e:
                assert "forked" in str(e), e
            else:
                raise AssertionError("no error")
    with cp.cuda.Device("cpu"):
        assert float(cp.ones(7).sum()) == 7
    code = 0
except BaseException:
    import traceback
    traceback.print_exc()
finally:
    os._exit(code)
"""


def test_forked_child(device):
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    r = subprocess.run([sys.executable, "-c", FORKED, device], capture_output=True, text=True, timeout=120,
                       env={**os.environ, "PYTHONPATH": home, "CUPRITE_DEVICE": ""})
    assert r.returncode == 0, r.stdout + r.stderr


@pytest.mark.parametrize("wrong", [None, 5, "text"])
def test_callbacks_that_cannot_be_called(wrong):
    stream = cp.cuda.Stream()
    for put in (stream.add_callback, stream.launch_host_func):
        with pytest.raises(TypeError, match=f"a callback must be callable, a {type(wrong).__name__} is not"):
            put(wrong, None)
    stream.synchronize()
