"""cuprite.distributed.NCCLBackend: the ranks are threads over a libnccl.so.2 of our own, and meet in the store on
loopback. What is asked of NCCL, results, and what follows when a rank does not come, hangs, dies or differs."""
import errno
import os
import signal as signals
import socket
import struct
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import cuprite as cp
from cuprite import distributed
from cuprite.distributed._store import TCPStore
from nccl_ranks import calls, folder, mock, ranks  # noqa: F401

pytestmark = pytest.mark.once


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def groups(n, **options):
    port = free_port()
    return ranks(n, lambda r: distributed.NCCLBackend(n, r, port=port, **{"timeout": 30, **options}))


def stop(gs):
    ranks(len(gs), lambda r: gs[r].stop())


def of(r, dtype, shape=(2, 3)):
    x = np.random.default_rng(r).integers(0, 5, shape)
    return (x + 1j * x[::-1] if dtype in "FD" else x).astype(dtype)


@pytest.mark.parametrize("dtype", list("?bBiIlLefdFD"))
def test_reductions(mock, dtype):  # noqa: F811
    n, gs = 2, groups(2)
    every = np.stack([of(r, dtype) for r in range(n)])
    wide = np.stack([of(r, dtype, (n, 2)) for r in range(n)])

    def one(r):
        for op, f in (("sum", np.add), ("prod", np.multiply), ("max", np.maximum), ("min", np.minimum)):
            if dtype in "FD" and op != "sum":
                continue
            x, out, part = cp.asarray(every[r]), cp.zeros((2, 3), dtype), cp.empty(2, dtype)
            gs[r].all_reduce(x, out, op)
            np.testing.assert_array_equal(out.get(), f.reduce(every, axis=0, dtype=dtype))
            out.fill(0)
            gs[r].reduce(x, out, 1, op)
            np.testing.assert_array_equal(out.get(), f.reduce(every, axis=0, dtype=dtype) if r == 1
                                          else np.zeros_like(every[0]))
            gs[r].reduce_scatter(cp.asarray(wide[r]), part, 2, op)
            np.testing.assert_array_equal(part.get(), f.reduce(wide, axis=0, dtype=dtype)[r])
    ranks(n, one)
    stop(gs)
    if dtype in "FD":  # as pairs
        assert f"ncclAllReduce 12 {7 if dtype == 'F' else 8} 0 0" in calls(mock)
    if dtype == "?":   # a sum of bools is `or`: the largest byte
        assert "ncclAllReduce 6 1 2 0" in calls(mock)


@pytest.mark.parametrize("dtype", list("?hHefD"))
def test_moves(mock, dtype):  # noqa: F811
    n, gs = 3, groups(3)
    every = np.stack([of(r, dtype) for r in range(n)])
    tables = np.stack([of(r, dtype, (n, 2)) for r in range(n)])

    def one(r):
        g, mine = gs[r], cp.asarray(every[r])
        x = mine.copy()
        g.broadcast(x, 2)
        np.testing.assert_array_equal(x.get(), every[2])
        out = cp.empty((n, 2, 3), dtype)
        g.all_gather(mine, out, 6)
        np.testing.assert_array_equal(out.get(), every)
        out.fill(0)
        g.gather(mine, out, 1)
        np.testing.assert_array_equal(out.get(), every if r == 1 else np.zeros_like(every))
        g.scatter(cp.asarray(every) if r == 0 else None, x, 0)
        np.testing.assert_array_equal(x.get(), every[r])
        out = cp.empty((n, 2), dtype)
        g.all_to_all(cp.asarray(tables[r]), out)
        np.testing.assert_array_equal(out.get(), tables[:, r])
        if r == 2:
            g.recv(x, 0)
            np.testing.assert_array_equal(x.get(), every[0])
        else:
            g.send_recv(mine, x, 1 - r)
            np.testing.assert_array_equal(x.get(), every[1 - r])
            if r == 0:
                g.send(mine, 2)
        g.barrier()
    ranks(n, one)
    stop(gs)


def test_the_stream_is_the_callers(mock):  # noqa: F811
    g, = groups(1)
    with cp.cuda.Stream() as current:
        g.all_reduce(x := cp.ones(5), x)
    given = cp.cuda.Stream()
    g.broadcast(x, 0, stream=given)
    assert f"ncclAllReduce 5 8 0 {current.ptr}" in calls(mock) and f"ncclBroadcast 5 8 0 {given.ptr}" in calls(mock)
    g.stop()


def errors_of(gs, function):
    """The errors of function(rank, group) by rank, as strings."""
    def one(r):
        try:
            function(r, gs[r])
        except (RuntimeError, ValueError, TypeError) as e:
            return f"{type(e).__name__}: {e}"
    return ranks(len(gs), one)


def test_calls_that_differ(mock):  # noqa: F811
    x = [cp.zeros(3), cp.zeros(4)]
    for call, words in (
            (lambda r, g: g.all_reduce(x[r], x[r]), "float64 of shape (4,) sum, this rank"),
            (lambda r, g: g.all_reduce(y := cp.zeros(3, "df"[r]), y), "float32 of shape (3,) sum"),
            (lambda r, g: g.broadcast(x[0], r), "from rank 1"),
            (lambda r, g: g.barrier() if r == 0 else g.all_reduce(x[0], x[0]), "called all_reduce of")):
        gs = groups(2)
        first, second = errors_of(gs, call)
        assert first.startswith("DistributedError: ") and "on rank 0 of 2: rank 1 called " in first and words in first
        assert "on rank 1 of 2: rank 0 called " in second
        stop(gs)


def test_arguments_of_one_rank(mock):  # noqa: F811
    """A rank whose arguments are wrong raises, and so do the others, which wait in NCCL or before it."""
    x = cp.zeros(3)
    for known in (False, True):
        gs = groups(2)
        if known:
            ranks(2, lambda r: gs[r].all_reduce(x, x))
        mine, other = errors_of(gs, lambda r, g: g.all_reduce(x, x if r else cp.zeros(4)))
        assert mine == "ValueError: in_array has 3 elements, so out_array has 3, not 4"
        assert other.startswith("DistributedError: all_reduce on rank 1 of 2: rank 0: all_reduce: it could not make "
                                "its call: ValueError: in_array has 3"), other
        stop(gs)
        for bad, words in ((["sum"], "Unknown op"), (1.0, "integer")):  # no list is a key, and 1.0 is equal to 1
            gs = groups(2)
            if known:
                ranks(2, lambda r: gs[r].broadcast(x, 1))
            mine, other = errors_of(gs, lambda r, g: (g.all_reduce(x, x, "sum" if r else bad) if bad != 1.0 else
                                                      g.broadcast(x, 1 if r else bad)))
            assert words in mine and "could not make its call" in other, (mine, other)
            stop(gs)
    g, = groups(1)
    for call, kind, words in (
            (lambda: g.all_reduce(x, x, "mean"), RuntimeError, "Unknown op mean for NCCL"),
            (lambda: g.all_reduce(x.astype("h"), x.astype("h")), TypeError, "Unknown dtype int16 for NCCL"),
            (lambda: g.send(cp.zeros((4, 4))[::2, ::2], 0), RuntimeError, "contiguous"),
            (lambda: g.send(np.zeros(3), 0), TypeError, "cuprite.ndarray"),
            (lambda: g.recv(x, 1), ValueError, "peer 1 is no rank of 1")):
        g, = groups(1)
        with pytest.raises(kind, match=words):
            call()
        g.stop()


def test_a_call_that_hangs(mock):  # noqa: F811
    """Rank 1 never calls: NCCL's wait is ended after the time limit."""
    gs = groups(2, timeout=0.5, check=False)
    start = time.monotonic()
    x = cp.ones(3)
    said, nothing = errors_of(gs, lambda r, g: g.all_reduce(x, x) if r == 0 else None)
    assert said.startswith("DistributedTimeout: all_reduce on rank 0 of 2: all_reduce was not done within 0.5 s")
    assert time.monotonic() - start < 20 and "ncclCommAbort 0 0 0 0" in calls(mock)
    again, other = errors_of(gs, lambda r, g: g.barrier())
    assert "barrier on rank 0 of 2: all_reduce was not done" in again
    assert "barrier on rank 1 of 2: rank 0: all_reduce was not done" in other
    stop(gs)


@pytest.mark.parametrize("stays", [False, True])
def test_work_that_is_not_done(mock, device, monkeypatch, stays):  # noqa: F811
    """Calls that have returned, and whose work stays in the stream, or not."""
    if stays:
        monkeypatch.setattr("cuprite.distributed._nccl._done", lambda event: False)
    g, = groups(1, timeout=0.5)
    x = cp.ones(3)
    for _ in range(300):  # the mock itself cannot touch the test device's memory
        with g._guarded("all_reduce", cp.cuda.get_current_stream()):
            x += 1
    assert len(g._watcher.issued) + len(g._watcher.pending) < 30  # not an event for each
    time.sleep(1.5)
    if stays:
        with pytest.raises(distributed.DistributedError, match="barrier on rank 0 of 1: .* was not done within"):
            g.barrier()
    else:
        g.barrier()
        until = time.monotonic() + 20
        while not g._watcher.idle and time.monotonic() < until:
            time.sleep(0.02)
        assert not (g._watcher.issued or g._watcher.pending) and g._watcher.idle
    assert x.tolist() == [301, 301, 301]
    g.stop()


def test_calls_that_are_known(mock, monkeypatch):  # noqa: F811
    """Of the same memory, and only of it: other arguments are checked as ever."""
    g, = groups(1)
    met, x = [], cp.zeros((2, 3))
    monkeypatch.setattr(g, "_meet", lambda name, value: met.append(value) or [value])
    for _ in range(3):
        g.all_reduce(x, x)
        g.broadcast(x, 0)
    assert len(met) == 2
    g.all_reduce(x.reshape(6), x.reshape(6))
    g.all_reduce(x, x, "max")
    assert len(met) == 4
    with pytest.raises(RuntimeError, match="contiguous"):
        g.all_reduce(x[:, ::2], x[:, ::2])
    g, = groups(1)
    g.all_reduce(x, x)
    with pytest.raises(ValueError, match="in_array has 6 elements, so out_array has 6, not 3"):
        g.all_reduce(x, x[0])
    g, = groups(1, check=True)
    monkeypatch.setattr(g, "_meet", lambda name, value: met.append(value) or [value])
    for _ in range(3):
        g.all_reduce(x, x)
    assert len(met) == 7


def test_a_rank_that_does_not_come_to_a_new_call(mock):  # noqa: F811
    gs = groups(3, timeout=0.5)
    x = cp.ones(3)
    said = errors_of(gs, lambda r, g: g.all_reduce(x, x) if r != 1 else None)
    assert said[0] == "DistributedTimeout: all_reduce on rank 0 of 3: rank 1 did not come within 0.5 s"
    assert said[2] and "all_reduce on rank 2 of 3: rank" in said[2]
    stop(gs)


def test_a_rank_that_dies(mock):  # noqa: F811
    """Its connection ends: those that wait in NCCL for it do not wait for the time limit."""
    gs = groups(3)
    x = cp.ones(3)
    ranks(3, lambda r: gs[r].all_reduce(x, x))  # known: no meeting before the next one
    start = time.monotonic()

    def call(r, g):
        if r != 1:
            return g.all_reduce(x, x)
        time.sleep(0.2)
        g._store._connection.shutdown(socket.SHUT_RDWR)
    said = errors_of(gs, call)
    ended = [f"DistributedError: all_reduce on rank {r} of 3: rank 1: it has ended or cannot be reached"
             for r in range(3)]
    aborted = [f"DistributedError: all_reduce on rank {r} of 3: NCCL_ERROR_REMOTE_ERROR: mock error (allReduce, rank "
               f"{r} of 3): the mock was aborted" for r in range(3)]  # by the other one, which saw it first
    assert said[1] is None and {said[0] == ended[0], said[2] == ended[2]} & {True}, said
    assert said[0] in (ended[0], aborted[0]) and said[2] in (ended[2], aborted[2]), said
    assert time.monotonic() - start < 20
    stop(gs)


def test_rank_0_dies(mock):  # noqa: F811
    gs = groups(2)

    def call(r, g):
        if r == 0:
            time.sleep(0.2)
            return g._store._server.end(0)
        g.barrier()
    said = errors_of(gs, call)
    assert said[1].startswith("DistributedError: barrier on rank 1 of 2: rank 0, which has the store, has ended"), said
    stop(gs)


def test_errors_of_nccl(mock):  # noqa: F811
    g, = groups(1)
    x = cp.ones(3)
    mock.mock_fail(b"ncclAllReduce", 3)
    with pytest.raises(distributed.DistributedError, match=r"all_reduce on rank 0 of 1: NCCL_ERROR_INTERNAL_ERROR"):
        g.all_reduce(x, x)
    with pytest.raises(distributed.DistributedError, match="barrier on rank 0 of 1: all_reduce failed: NCCL_ERROR_INT"):
        g.barrier()
    g.stop()
    g, = groups(1)
    mock.mock_asynchronous(__import__("ctypes").c_void_p(g._comm.comm), 6)  # between two calls
    with pytest.raises(distributed.DistributedError, match="rank 0 of 1: NCCL failed since the last call: NCCL_ERR"):
        g.all_reduce(x, x)
    g.stop()


def test_other_versions(mock, monkeypatch):  # noqa: F811
    from cuprite.cuda import nccl
    versions, port = iter([22105, 21903]), free_port()
    monkeypatch.setattr(nccl, "get_version", lambda: next(versions))

    def one(r):
        with pytest.raises(distributed.DistributedError, match=r"rank \d of 2: NCCL has one version on all ranks: rank "
                           r"0 has 2\d+, rank 1 has 2\d+"):
            distributed.NCCLBackend(2, r, port=port, timeout=30)
    ranks(2, one)


def test_two_groups_in_two_threads(mock):  # noqa: F811
    """Each rank calls for two groups from two threads, in another order."""
    pairs = [groups(2), groups(2)]

    def of_rank(r):
        def many(which):
            for i in range(20):
                x = cp.full(9, float(i + r + 100 * which))
                pairs[which][r].all_reduce(x, x)
                assert x.tolist() == [2 * i + 1 + 200. * which] * 9
        ranks(2, lambda t: many(t ^ r))
    ranks(2, of_rank)
    for p in pairs:
        stop(p)


def test_threads_end(mock):  # noqa: F811
    before = set(threading.enumerate())
    gs = groups(2)
    stop(gs)
    until = time.monotonic() + 20
    while set(threading.enumerate()) - before and time.monotonic() < until:
        time.sleep(0.02)
    assert not set(threading.enumerate()) - before
    with pytest.raises(distributed.DistributedError, match="all_reduce on rank 0 of 2: it was stopped"):
        gs[0].all_reduce(cp.ones(1), cp.ones(1))


# --- the store ---
def test_store_alone():
    port = free_port()
    stores = ranks(3, lambda r: TCPStore(3, r, "127.0.0.1", port, 20))
    got = ranks(3, lambda r: stores[r].meet("a", b"%d" % r * r, 20, "meeting"))
    assert got == [[b"", b"1", b"22"]] * 3
    ranks(3, lambda r: stores[r].stop())


RANK_1 = """
import sys, time
from cuprite.distributed._store import TCPStore
store = TCPStore(2, 1, "127.0.0.1", int(sys.argv[1]), 20)
store.meet("first", b"here", 20, "barrier")
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_a_process_that_is_killed(signal):
    """The rank is a process that ends in the middle of a call: who waits for it hears at once which one it was."""
    port = free_port()
    other = subprocess.Popen([sys.executable, "-c", RANK_1, str(port)], stdout=subprocess.PIPE, text=True)
    store = TCPStore(2, 0, "127.0.0.1", port, 20)
    try:
        assert store.meet("first", b"too", 20, "barrier") == [b"too", b"here"]
        assert other.stdout.readline() == "ready\n"
        threading.Timer(0.3, other.send_signal, [getattr(signals, signal)]).start()
        start = time.monotonic()
        with pytest.raises(distributed.DistributedError, match="^all_reduce on rank 0 of 2: rank 1: it has ended or"):
            store.meet("second", b"", 60, "all_reduce")
        assert time.monotonic() - start < 20
    finally:
        other.kill()
        other.communicate()
        store.stop(0)


def test_store_that_is_not_there():
    with pytest.raises(distributed.DistributedTimeout, match="rank 1 of 2: the store of rank 0 at 127.0.0.1:.* did"):
        TCPStore(2, 1, "127.0.0.1", free_port(), 0.2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(distributed.DistributedError, match="rank 0 of 2: the store cannot listen at"):
            TCPStore(2, 0, "127.0.0.1", taken.getsockname()[1], 0.2)


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("error, host, port, words", [
    (ValueError, "127.0.0.1", -1, "port must be between 0 and 65535, not -1"), (ValueError, "127.0.0.1", 70000, "port"),
    (TypeError, "127.0.0.1", "http", "integer"), (TypeError, "127.0.0.1", None, "integer"),
    (TypeError, None, 1, "host must be a name or an address, not None"), (TypeError, "", 1, "host must be")])
def test_store_at_no_address(rank, error, host, port, words):
    with pytest.raises(error, match=words):
        TCPStore(2, rank, host, port, 5)


@pytest.mark.parametrize("words", [b"GET / HTTP/1.0\r\n\r\n", struct.pack("<BIId", 0, 1 << 31, 0, 0.), b"",
                                   struct.pack("<BIId", 1, 1, 0, 0.) + b"a"])
def test_store_and_strangers(words):
    """Who is no rank is cut off, and nobody is hindered by it."""
    store = TCPStore(1, 0, "127.0.0.1", free_port(), 20)
    with socket.create_connection(store._address) as s:
        s.settimeout(20)
        try:  # the store may have closed it already
            s.sendall(words)
            s.shutdown(socket.SHUT_WR)
            assert s.recv(100) == b""
        except OSError as e:  # it was cut off in the middle of its words, or before it ended them
            assert e.errno in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN)
    assert store.meet("k", b"v", 20, "meeting") == [b"v"]
    store.stop()


@pytest.mark.parametrize("kind, n", [("matrix", 2), ("array", 3)])
def test_sparse_matrices(mock, monkeypatch, kind, n):  # noqa: F811
    monkeypatch.syspath_prepend(os.path.join(os.path.dirname(os.path.dirname(__file__)), "clients"))
    import mpi_sparse
    gs = groups(n)
    monkeypatch.setattr(mpi_sparse, "refuse", lambda group: None)  # an error of one rank ends an NCCL group
    ranks(n, lambda r: mpi_sparse.check(gs[r], kind, "?D"))
    stop(gs)
    for wrong in (lambda g: g.all_reduce(mpi_sparse.sparse.eye(3, format="csr"), None, "max"),
                  lambda g: g.broadcast(mpi_sparse.sparse.eye(3, format="dia"))):
        gs = groups(2)
        # a rank may have heard of the other's error before its own call
        with pytest.raises((TypeError, ValueError, distributed.DistributedError), match="csr, csc or coo"):
            ranks(2, lambda r: wrong(gs[r]))
        stop(gs)
