"""Cuprite's arrays in distributed: frames without pickling, results that leave the device for host memory and files,
a cluster on this machine, a worker that is killed."""
import os
import subprocess
import sys

import numpy as np
import pytest

import cuprite as cp

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")
import dask.array as da  # noqa: E402
from distributed.protocol import deserialize, serialize  # noqa: E402

from cuprite.dask import DeviceMemory, LocalCluster  # noqa: E402

BASE = np.arange(2 * 3 * 4.0).reshape(2, 3, 4)
ARRAYS = {
    "C": BASE, "F": np.asfortranarray(BASE), "permuted": BASE.transpose(1, 2, 0), "strided": BASE[:, ::2, 1:],
    "reversed": BASE[::-1], "0-d": np.array(3.5), "empty": np.zeros((0, 3)), "half": np.ones(3, "f2"),
    "complex": np.ones((2, 2)) * 1j, "bool": np.array([True, False]), "small": np.arange(5, dtype="i1"),
    "repeated": np.broadcast_to(np.arange(3.0), (1000, 3)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_frames(name):
    h = ARRAYS[name]
    x = cp.asarray(h)
    if name in ("permuted", "strided", "reversed", "repeated"):
        x = {"permuted": lambda b: b.transpose(1, 2, 0), "strided": lambda b: b[:, ::2, 1:],
             "reversed": lambda b: b[::-1], "repeated": lambda b: cp.broadcast_to(cp.arange(3.0), (1000, 3))
             }[name](cp.asarray(BASE))
    header, frames = serialize(x)
    assert header["serializer"] == "dask" and sum(memoryview(f).nbytes for f in frames) <= max(24, BASE.nbytes)
    y = deserialize(header, [bytearray(f) for f in frames])
    assert type(y) is cp.ndarray and y.dtype == x.dtype and y.shape == x.shape and y.device == x.device
    np.testing.assert_array_equal(y.get(), h)
    assert y.flags.c_contiguous == h.flags.c_contiguous or name in ("strided", "reversed")
    np.testing.assert_array_equal(deserialize(header, [bytes(f) for f in frames]).get(), h)  # which may not be written


@pytest.mark.parametrize("shape", [(), (0,), (4, 3)])
def test_frames_of_bfloat16(shape):
    x = cp.full(shape, 1.5).astype(cp.bfloat16)
    header, frames = serialize(x)
    y = deserialize(header, [bytearray(f) for f in frames])
    assert header["serializer"] == "dask" and y.dtype == x.dtype and y.shape == shape and (y == 1.5).all()


@pytest.mark.parametrize("error, options, words", [
    (ValueError, {"n_workers": -1}, "n_workers must be 1 or more, not -1"), (TypeError, {"n_workers": 1.5}, "integer"),
    (ValueError, {"threads_per_worker": 0}, "threads_per_worker must be 1 or more"),
    (ValueError, {"devices": ["cpu", "gpu"]}, "'gpu' is no device"), (ValueError, {"devices": "c"}, "'c' is no device"),
    (ValueError, {"memory_limit": -1}, "memory_limit must be a number of bytes above 0, not -1"),
    (ValueError, {"device_memory_limit": -1}, "device_memory_limit must be"),
    (ValueError, {"memory_limit": "much"}, "much")])
def test_a_cluster_of_nonsense(error, options, words):
    with pytest.raises(error, match=words):
        LocalCluster(**{"devices": ["cpu"], **options})


def test_frames_that_were_cut():
    from cuprite.dask._serialize import from_host, to_host
    x = cp.arange(100.0).reshape(10, 10).T
    header, (frame,) = to_host(x)
    np.testing.assert_array_equal(from_host(header, [frame[:333], frame[333:]]).get(), x.get())


@pytest.mark.once
def test_a_frame_is_the_memory_of_an_array_of_the_cpu():
    x = cp.zeros(1000)
    _, (frame,) = serialize(x)
    x += 1
    assert (np.frombuffer(frame) == 1).all()


@pytest.mark.once
def test_a_subclass_is_pickled():
    header, _ = serialize(cp.zeros(3).view(Named))
    assert header["serializer"] == "pickle"


class Named(cp.ndarray):
    pass


@pytest.mark.device
def test_frames_of_a_device(device):
    x = cp.arange(24.0).reshape(4, 6).T
    if x.device.backend == "cpu":
        with pytest.raises(TypeError):
            serialize(x, serializers=("cuda",), on_error="raise")
        return
    header, frames = serialize(x, serializers=("cuda",), on_error="raise")
    assert header["serializer"] == "cuda" and frames[0].device == x.device
    y = deserialize(header, frames, deserializers=("cuda",))
    assert y.flags.f_contiguous and np.array_equal(y.get(), x.get())


@pytest.mark.device
def test_results_go_from_the_device_to_the_host_to_files(device, tmp_path):
    memory = DeviceMemory(str(tmp_path), device_limit=3 * 8000, host_limit=2 * 8600 + 100)
    for i in range(8):
        memory[f"x{i}"] = cp.full(1000, float(i))
    memory["small"] = 7
    of_a_device = cp.zeros(1).device.backend != "cpu"
    assert len(memory.device) == (3 if of_a_device else 0) and len(memory.disk) >= 3 and len(memory) == 9
    for i in (0, 7, 3, 0, 5):
        assert type(memory[f"x{i}"]) is cp.ndarray and float(memory[f"x{i}"].mean()) == i
    assert sorted(memory) == ["small", *(f"x{i}" for i in range(8))] and memory["small"] == 7
    memory["x0"] = 5
    assert memory["x0"] == 5 and len(memory) == 9
    while memory.fast:
        assert memory.evict() > 0
    for key in list(memory):
        del memory[key]
    assert not memory and not memory.device and not memory.disk


# --- clusters ---

@pytest.fixture(scope="module")
def client():
    with LocalCluster(2, devices=["cpu"], memory_limit="400 MB") as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.once
def test_a_cluster(client):
    info = client.scheduler_info()["workers"]
    assert len(info) == 2 and all(w["host"] == "127.0.0.1" for w in info.values())
    where = client.run(lambda: __import__("cuprite").zeros(1).device.backend)
    assert set(where.values()) == {"cpu"}
    with dask.config.set({"array.backend": "cuprite"}):
        x = da.random.default_rng(1).standard_normal((2000, 2000), chunks=500)
        got = (x @ x.T).mean(axis=0).compute()
    assert type(got) is cp.ndarray and got.shape == (2000,)


@pytest.mark.once
def test_more_than_the_memory(client):
    """600 MB of results on workers that keep 240 MB each."""
    x = (da.ones((75, 1000, 1000), chunks=(3, 1000, 1000)) * np.arange(75.0)[:, None, None]).to_backend("cuprite")
    x = x.persist()
    assert float(x.sum().compute()) == 75 * 37 * 1e6
    assert sum(client.run(lambda dask_worker: len(dask_worker.data.disk)).values()) > 0


# --- workers that die: each in a program of its own, as what distributed itself makes of it at the end (a worker that
# died before the cluster heard of it is a KeyError in its close) is not what is asked here ---

_DYING = """
import os, signal, sys, time
import cuprite as cp
import dask, dask.array as da, distributed
from cuprite.dask import LocalCluster


def slowly(block, at):
    time.sleep(0.05)
    return block + at


def end(block):
    os.kill(os.getpid(), signal.SIGKILL)


def killed_in_the_middle(client):
    x = da.from_array(cp.arange(64.0), chunks=1).map_blocks(slowly, 1, meta=cp.empty(0)).persist()
    pids = client.run(os.getpid)
    time.sleep(0.5)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert float(x.sum().compute()) == 64 * 63 / 2 + 64


def kills_every_worker(client):
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    try:
        da.from_array(cp.arange(4.0), chunks=2).map_blocks(end, meta=cp.empty(0), name="the_end").compute()
    except distributed.KilledWorker as e:
        assert "the_end" in str(e)
    else:
        sys.exit("no error")


if __name__ == "__main__":
    cluster = LocalCluster(2, devices=["cpu"], memory_limit="400 MB")
    client = distributed.Client(cluster)
    globals()[sys.argv[1]](client)
    client.wait_for_workers(2, timeout=60)
    print("as it should be", flush=True)
    os._exit(0)  # the workers end with this process
"""


def _dying(name, folder):
    """distributed's scheduler may wait for ever for what a killed worker was about to send: a second try decides."""
    (folder / "dying.py").write_text(_DYING)
    for limit in (100, 200):
        try:
            run = subprocess.run([sys.executable, "dying.py", name], capture_output=True, text=True, cwd=folder,
                                 timeout=limit, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path[1:])})
            break
        except subprocess.TimeoutExpired as e:
            run = e
    assert run.stdout == "as it should be\n" and run.returncode == 0, f"{run.stdout} {run.stderr}"


@pytest.mark.once
def test_a_worker_that_is_killed_in_the_middle(tmp_path):
    """What it held is computed again, and the sum is right."""
    _dying("killed_in_the_middle", tmp_path)


@pytest.mark.once
def test_a_chunk_that_kills_every_worker_is_named(tmp_path):
    _dying("kills_every_worker", tmp_path)
