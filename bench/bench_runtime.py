"""The runtime around arrays: streams, events, host calls, graphs, pinned transfers, copies between GPUs.

Runs through run.py like every module, or by itself on a machine with two GPUs, which prints GB/s of copies between
them:

    PYTHONPATH=build/python python bench/bench_runtime.py
"""
import time

from common import Case

GIB = 1 << 30


def chain(xp, x, y):
    """Ten small operations, whose launch overhead a graph saves."""
    t = x
    for _ in range(9):
        t = xp.sqrt(t * t + 1) if _ % 3 == 0 else t + x
    y[...] = t


def calls(xp, gpu):
    """(name, callable) of one library."""
    s = xp.cuda.Stream(non_blocking=True)
    e, f = xp.cuda.Event(), xp.cuda.Event(disable_timing=True)
    x, y = xp.ones(1000), xp.zeros(1000)
    xp.cuda.Device().synchronize()
    yield "Stream(), and its end", lambda: xp.cuda.Stream(non_blocking=True)
    yield "event: record, wait", lambda: (f.record(s), s.wait_event(f))
    yield "event: record, synchronize", lambda: (e.record(s), e.synchronize())
    yield "ten operations on 1000", lambda: chain(xp, x, y)
    if not gpu:
        return
    with s:
        chain(xp, x, y)
        s.synchronize()
        s.begin_capture()
        chain(xp, x, y)
        graph = s.end_capture()
    yield "the same as a graph", lambda: graph.launch(s)
    if xp.cuda.runtime.getDeviceCount() > 1:
        big = xp.ones(GIB // 8)
        yield "1 GiB to another GPU", lambda: to_other(xp, big)


def to_other(xp, x):
    if hasattr(x, "to_device"):
        return x.to_device("cuda:1")
    with xp.cuda.Device(1):
        return xp.array(x)


def cases(b):
    if b.gpu:
        theirs = dict(calls(b.cupy, True)) if b.cupy else {}
        for name, call in calls(b.cp, True):
            yield Case(name, call, {"cupy": theirs[name]} if name in theirs else {})
        pinned = b.cp.zeros_pinned(1 << 25)
        x = b.cp.zeros(1 << 25)
        yield Case("256 MiB from pinned memory", lambda: x.set(pinned))
        yield Case("256 MiB to pinned memory", lambda: x.get(out=pinned))
    else:
        for name, call in calls(b.cp, False):
            yield Case(name, call)


def main():
    import cuprite as cp
    n = cp.cuda.runtime.getDeviceCount()
    if n < 2:
        print("one device: nothing to copy between")
        return
    for here in range(2):
        there = cp.cuda.Device(1 - here)
        with cp.cuda.Device(here) as device:
            for size in (1 << 20, 1 << 26, 1 << 30, 1 << 32):
                x = cp.ones(size, "i1")
                x.to_device(there)
                repeat = max(3, min(200, (1 << 32) // size))
                device.synchronize()
                there.synchronize()
                start = time.perf_counter()
                for _ in range(repeat):
                    y = x.to_device(there)
                there.synchronize()
                seconds = (time.perf_counter() - start) / repeat
                assert bool((y == 1).all())
                print(f"cuda:{here} to {there!r}, {size / GIB:8.3f} GiB: {size / seconds / 1e9:7.1f} GB/s "
                      f"(direct access: {device.can_access(there)})")


if __name__ == "__main__":
    main()
