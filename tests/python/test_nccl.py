"""cuprite.cuda.nccl against a libnccl.so.2 of our own (tests/clients/mock_nccl.c), whose ranks are threads of one
process and whose addresses are the host's: what is called with what, results, errors."""
import ctypes
import pickle
import subprocess

import numpy as np
import pytest

import cuprite as cp
from cuprite.cuda import _nccl_library as library
from cuprite.cuda import nccl
from nccl_ranks import calls, folder, mock, ranks  # noqa: F401

pytestmark = pytest.mark.once


def group(n):
    unique = nccl.get_unique_id()
    return ranks(n, lambda r: nccl.NcclCommunicator(n, unique, r))


def test_every_collective(mock):
    cs = group(3)
    assert [(c.rank_id(), c.size(), c.device_id()) for c in cs] == [(0, 3, 0), (1, 3, 0), (2, 3, 0)]
    kind, add = nccl.NCCL_FLOAT32, nccl.NCCL_SUM
    x = [cp.arange(6, dtype="f") + 10 * r for r in range(3)]
    h = [a.get() for a in x]

    def one(r):
        c, at = cs[r], x[r].data.ptr
        a, b, d, p = (cp.full(6, -1, "f") for _ in range(4))
        e, f, g = x[r].copy(), cp.full(2, -1, "f"), cp.full(18, -1, "f")
        c.allReduce(at, a.data.ptr, 6, kind, add, 7)
        c.reduce(at, b.data.ptr, 6, kind, nccl.NCCL_MAX, 1, 0)
        c.broadcast(at, d.data.ptr, 6, kind, 2, 0)
        c.bcast(e.data.ptr, 6, kind, 1, 0)
        c.reduceScatter(at, f.data.ptr, 2, kind, nccl.NCCL_AVG, 0)
        c.allGather(at, g.data.ptr, 6, kind, 0)
        nccl.groupStart()
        c.recv(p.data.ptr, 6, kind, (r + 1) % 3, 0)
        c.send(at, 6, kind, (r + 2) % 3, 0)
        assert (p.get() == -1).all()
        nccl.groupEnd()
        c.check_async_error()
        return [v.get() for v in (a, b, d, e, f, g, p)]
    for r, (a, b, d, e, f, g, p) in enumerate(ranks(3, one)):
        np.testing.assert_array_equal(a, sum(h))
        np.testing.assert_array_equal(b, h[2] if r == 1 else np.full(6, -1))
        np.testing.assert_array_equal(d, h[2])
        np.testing.assert_array_equal(e, h[1])
        np.testing.assert_array_equal(f, (sum(h) / 3)[2 * r:2 * r + 2])
        np.testing.assert_array_equal(g, np.concatenate(h))
        np.testing.assert_array_equal(p, h[(r + 1) % 3])
    assert calls(mock).count("ncclAllReduce 6 7 0 7") == 3  # count, type, operation, stream
    for c in cs:
        c.destroy()
    assert calls(mock).count("ncclCommDestroy 0 0 0 0") == 3 and cs[0].comm == 0
    with pytest.raises(RuntimeError, match="allReduce: the communicator of rank 0 of 3 was destroyed"):
        cs[0].allReduce(0, 0, 0, kind, add, 0)


def test_one_thread_for_all_devices(mock):
    cs = nccl.NcclCommunicator.initAll([0, 1])
    assert [c.device_id() for c in cs] == [0, 1] and [c.rank_id() for c in cs] == [0, 1]
    assert len(nccl.NcclCommunicator.initAll(3)) == 3
    x = [cp.array([1, 2], "i8"), cp.array([10, 20], "i8")]
    nccl.groupStart()
    for c, a in zip(cs, x):
        c.allReduce(a.data.ptr, a.data.ptr, np.int64(2), nccl.NCCL_INT64, nccl.NCCL_PROD, 0)
    nccl.groupEnd()
    assert x[0].tolist() == x[1].tolist() == [10, 40]


def test_split_and_config(mock):
    cs = group(4)

    def one(r):
        part = cs[r].commSplit(r % 2 if r < 3 else -1, -r)
        return part and (part.rank_id(), part.size())
    assert ranks(4, one) == [(1, 2), (0, 1), (0, 2), None]
    unique = nccl.get_unique_id()
    assert type(unique) is bytes and len(unique) == 128 and len({nccl.get_unique_id() for _ in range(3)}) == 3
    as_numbers = tuple(int.from_bytes([b], "big", signed=True) for b in unique)  # as CuPy had them before
    ranks(2, lambda r: nccl.NcclCommunicator(2, (unique, as_numbers)[r], r, nccl.NcclConfig(split_share=1)))
    assert "config 48 21800 1 0" in calls(mock)
    for bad in (b"", b"x" * 127):
        with pytest.raises(ValueError, match="128 bytes"):
            nccl.NcclCommunicator(1, bad, 0)


def refused(f, *words):
    with pytest.raises(nccl.NcclError) as e:
        f()
    assert all(w in str(e.value) for w in words), e.value
    again = pickle.loads(pickle.dumps(e.value))
    assert str(again) == str(e.value) and again.status == e.value.status
    return e.value.status


def test_errors_name_call_and_rank(mock):
    assert nccl.available is True and nccl.get_version() == 22105 == nccl.get_build_version()
    cs = group(2)
    mock.mock_fail(b"ncclAllReduce", 3)
    assert refused(lambda: cs[1].allReduce(0, 0, 1, 7, 0, 0), "NCCL_ERROR_INTERNAL_ERROR: mock error",
                   "(allReduce, rank 1 of 2)") == 3
    assert refused(lambda: cs[0].send(0, 1, 7, 5, 0), "INVALID_ARGUMENT", "send, rank 0 of 2") == 4
    mock.mock_asynchronous(ctypes.c_void_p(cs[0].comm), 6)
    assert refused(cs[0].check_async_error, "REMOTE_ERROR", "check_async_error, rank 0 of 2") == 6
    mock.mock_fail(b"ncclGetUniqueId", 2)
    assert refused(nccl.get_unique_id, "SYSTEM_ERROR", "get_unique_id") == 2
    nccl.check_status(0)
    assert refused(lambda: nccl.check_status(5), "NCCL_ERROR_INVALID_USAGE") == 5


def test_abort_ends_a_wait(mock):
    cs = group(2)
    x = cp.ones(4)

    def one(r):
        if r == 1:
            return cs[1].abort()
        return refused(lambda: cs[0].allReduce(x.data.ptr, x.data.ptr, 4, 8, 0, 0), "allReduce, rank 0 of 2",
                       "was aborted")
    assert ranks(2, one) == [6, None]


def test_absent_library(tmp_path, monkeypatch):
    """What is no NCCL is an error that names the file; without one nothing but the numbers is there."""
    source = tmp_path / "other.c"
    source.write_text("int other(void) { return 0; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "libnccl.so.2", source], check=True)
    for name, words in (("libnccl.so.2", "has no ncclGetVersion"), ("none.so", "No such file")):
        monkeypatch.setattr(library, "_opened", None)
        monkeypatch.setattr(library, "_files", lambda: [str(tmp_path / name)])
        assert str(nccl.NcclError(4)) == "NCCL_ERROR_INVALID_ARGUMENT" and "99" in str(nccl.NcclError(99))
        assert nccl.available is False and nccl.get_build_version() == 0
        for call in (nccl.get_version, nccl.get_unique_id, nccl.groupStart,
                     lambda: nccl.NcclCommunicator(1, bytes(128), 0)):
            with pytest.raises(NotImplementedError, match="pip install") as e:
                call()
            assert words in str(e.value) and name in str(e.value)


def test_library_of_a_wheel(folder, tmp_path, monkeypatch):
    where = tmp_path / "nvidia" / "nccl" / "lib"
    where.mkdir(parents=True)
    (where / "libnccl.so.2").symlink_to(folder / "libnccl.so.2")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert str(where / "libnccl.so.2") in list(library._files())


def test_older_library(mock):
    nccl.get_version()
    opened = library._opened
    opened.library, opened.functions = type("Old", (), {})(), {}
    with pytest.raises(NotImplementedError, match="ncclGroupStart: .*older"):
        nccl.groupStart()
