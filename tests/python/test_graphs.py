"""Captured work and graphs: what is recorded, what it keeps, what is refused."""
import gc

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device

pytestmark = pytest.mark.device

cuda = cp.cuda
Failure = cuda.runtime.CUDARuntimeError


@pytest.fixture
def stream(device):
    return cuda.Stream(non_blocking=True)


def used():
    gc.collect()
    return _device.pool(_device.current())["used"]


def test_null_stream(stream):
    for act in (cuda.Stream.null.begin_capture, cuda.Stream.null.end_capture):
        with pytest.raises(RuntimeError, match="null stream"):
            act()
    with pytest.raises(RuntimeError):
        cuda.Graph()
    with pytest.raises(RuntimeError):
        stream.end_capture()


def test_work_is_recorded_and_launched(stream):
    x, y = cp.arange(1000.0), cp.zeros(1000)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        assert stream.is_capturing() and not cuda.Stream(non_blocking=True).is_capturing()
        y[...] = cp.sqrt(x) * 2 + 1
        graph = stream.end_capture()
        assert not stream.is_capturing()
        assert float(y.sum()) == 0  # nothing was done
        graph.upload()
        graph.launch()
        stream.synchronize()
        assert np.allclose(y.get(), np.sqrt(np.arange(1000)) * 2 + 1)
        x[...] = 16
        graph.launch(stream)
        assert (y.get() == 9).all()
    assert graph.graph and graph.graphExec and repr(graph).startswith("<Graph")


def test_many_operations(stream):
    """Sums, sorts, masks of results, copies: what needs workspaces, counters and bytes of the host."""
    values = np.random.default_rng(3).normal(size=(100, 200))
    x = cp.asarray(values)
    total, best, ordered = cp.zeros(()), cp.zeros(200), cp.zeros((100, 200))
    where, listed = cp.zeros((100, 200), bool), cp.zeros(3)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        total[...] = cp.sum(x * x)
        best[...] = cp.max(x, axis=0)
        ordered[...] = cp.sort(x, axis=1)
        where[...] = (x > 0) & (x < cp.median(x, axis=1, keepdims=True))
        listed[...] = cp.array([1.0, 2.0, 3.0]) + 1
        graph = stream.end_capture()
        for k in (1, 2):
            x[...] = cp.asarray(values * k)
            for _ in range(3):
                graph.launch()
            v = values * k
            assert np.isclose(float(total), (v * v).sum())
            assert (best.get() == v.max(0)).all() and (ordered.get() == np.sort(v, 1)).all()
            assert (where.get() == ((v > 0) & (v < np.median(v, 1, keepdims=True)))).all()
            assert listed.get().tolist() == [2, 3, 4]


def test_launched_in_another_stream(stream):
    x, y = cp.ones(100000), cp.zeros(100000)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        y += x * 2
        graph = stream.end_capture()
    other = cuda.Stream(non_blocking=True)
    for _ in range(5):
        graph.launch(other)
    other.synchronize()
    assert float(y.sum()) == 1000000


def test_memory_of_a_capture_is_nobody_elses(stream):
    """Temporaries of the recorded work must not meet what others do with memory between and beside the launches."""
    x, y = cp.arange(50000.0), cp.zeros(50000)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        t = x + 1
        for _ in range(4):
            t = cp.sqrt(t * t + 1)
        y[...] = t
        del t
        graph = stream.end_capture()
    expected = np.arange(50000) + 1.0
    for _ in range(4):
        expected = np.sqrt(expected * expected + 1)
    for i in range(10):
        others = [cp.full(50000, float(i + k)) for k in range(8)]
        with stream:
            inside = [cp.full(50000, float(i - k)) for k in range(8)]
            graph.launch()
            assert np.allclose(y.get(), expected)
            assert all((o.get() == i - k).all() for k, o in enumerate(inside))
        assert all((o.get() == i + k).all() for k, o in enumerate(others))


def test_arrays_live_as_long_as_the_graph(stream):
    before = used()
    y = cp.zeros(200000)
    cuda.Device().synchronize()
    with stream:
        x = cp.ones(200000) * 4
        stream.synchronize()
        stream.begin_capture()
        z = x + 1
        y[...] = z
        del x, z            # the graph reads the one and writes the other
        graph = stream.end_capture()
        for i in range(6):
            garbage = [cp.full(200000, 7.0) for _ in range(4)]
            graph.launch()
            assert (y.get() == 5).all()
            del garbage
    assert used() - before >= 2 * 200000 * 8
    del graph, y
    stream.synchronize()
    assert used() == before


def test_results_made_in_a_capture(stream):
    before = used()
    x = cp.arange(1000)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        y = x * 3           # its memory is the graph's
        graph = stream.end_capture()
        graph.launch()
        assert (y.get() == np.arange(1000) * 3).all()
        x += 1
        graph.launch()
        assert (y.get() == np.arange(1, 1001) * 3).all()
    del graph
    assert (y.get() == np.arange(1, 1001) * 3).all()  # an array outlives the graph
    del x, y
    assert used() == before


def test_streams_join_a_capture(stream):
    other = cuda.Stream(non_blocking=True)
    x, y, z = cp.arange(1000), cp.zeros(1000, int), cp.zeros(1000, int)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        a = x + 1
        forked = stream.record()
        with other:
            other.wait_event(forked)
            assert other.is_capturing()
            y[...] = a * 2
            joined = other.record()
        z[...] = a * 3
        stream.wait_event(joined)
        z += y
        graph = stream.end_capture()
    assert not other.is_capturing()
    for _ in range(2):
        graph.launch(stream)
        stream.synchronize()
        assert (z.get() == (np.arange(1000) + 1) * 5).all()


def test_host_calls_in_graphs(stream):
    seen, x = [], cp.zeros(10)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        x += 1
        stream.launch_host_func(seen.append, "done")
        graph = stream.end_capture()
        assert seen == [] and len(graph.host_funcargs) == 1 and graph.host_funcargs[0][1] == "done"
        for _ in range(3):
            graph.launch()
        stream.synchronize()
    assert seen == ["done"] * 3 and float(x.sum()) == 30


@pytest.mark.parametrize("act", [lambda x, s: x.get(), lambda x, s: float(x.sum()), lambda x, s: s.synchronize()])
def test_what_needs_a_result_is_refused(stream, act):
    x = cp.ones(100000)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        with pytest.raises(Failure):
            act(x, stream)
        with pytest.raises(Failure):
            stream.end_capture()
        assert not stream.is_capturing()
        assert float((x + 1).sum()) == 200000  # and work goes on


def test_a_second_capture_of_the_stream(stream):
    with stream:
        stream.begin_capture()
        with pytest.raises(Failure):
            stream.begin_capture()
        try:
            stream.end_capture()
        except Failure:
            pass  # CUDA may hold it spoiled
        assert not stream.is_capturing() and float(cp.ones(3).sum()) == 3


def test_other_streams_work_meanwhile(stream):
    x = cp.ones(100000)
    cuda.Device().synchronize()
    other = cuda.Stream(non_blocking=True)
    stream.begin_capture()
    with stream:
        y = x + 1
    with other:  # allocations, frees, reductions, copies of the host's bytes
        for i in range(10):
            z = cp.asarray(np.full(100000, float(i))) + 1
            assert float(z.sum()) == 100000 * (i + 1)
            del z
    graph = stream.end_capture()
    graph.launch(stream)
    stream.synchronize()
    assert float(y.sum()) == 200000
    cp.get_default_memory_pool().free_all_blocks()


def test_graphs_of_graphs_end_in_any_order(stream):
    before = used()
    x = cp.zeros(1000)
    cuda.Device().synchronize()
    graphs = []
    with stream:
        for k in range(4):
            stream.begin_capture()
            x += cp.full(1000, float(10 ** k))
            graphs.append(stream.end_capture())
        first = graphs.pop(0)
        for g in graphs:
            g.launch()
        del graphs[1:], g
        stream.begin_capture()
        x += 5
        graphs.clear()      # while another one is recorded
        gc.collect()
        last = stream.end_capture()
        first.launch()
        last.launch()
        assert (x.get() == 1 + 10 + 100 + 1000 + 5).all()
    del first, last, x
    cuda.Device().synchronize()
    assert used() == before


def test_dot(stream, device):
    x = cp.zeros(10)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        x += 1
        graph = stream.end_capture()
    if device.startswith("cuda"):
        assert "digraph" in graph.debug_dot_str()
    else:
        with pytest.raises(Failure):
            graph.debug_dot_str()


def test_by_the_runtime(stream):
    r, x = cuda.runtime, cp.zeros(10)
    cuda.Device().synchronize()
    s = r.streamCreateWithFlags(r.streamNonBlocking)
    r.streamBeginCapture(s)
    assert r.streamIsCapturing(s)
    with cuda.ExternalStream(s):
        x += 2
    graph = r.streamEndCapture(s)
    exec_ = r.graphInstantiate(graph)
    r.graphDestroy(graph)
    r.graphUpload(exec_, s)
    r.graphLaunch(exec_, s)
    r.graphLaunch(exec_, s)
    r.streamSynchronize(s)
    assert float(x.sum()) == 40
    r.graphExecDestroy(exec_)
    r.streamDestroy(s)


KERNEL = """
extern "C" __global__ void twice_and_one(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + 1;
}
"""


def test_kernels_of_ones_own(stream):
    """Launches are recorded with their arguments; the arrays that they use live as long as the graph."""
    kernel = cp.RawKernel(KERNEL, "twice_and_one")
    thrice = cp.ElementwiseKernel("float64 x", "float64 y", "y = x * 3", "thrice")
    y = cp.zeros(100000)
    kernel((1,), (32,), (thrice(cp.ones(5)), cp.zeros(5), 5))  # compiled before
    cuda.Device().synchronize()
    with stream:
        x = cp.arange(100000.0)
        stream.synchronize()
        stream.begin_capture()
        t = thrice(x)
        kernel((1000,), (128,), (t, y, 100000))
        del t, x, kernel, thrice   # the graph launches them all the same
        graph = stream.end_capture()
        cp.clear_memo()
        gc.collect()
        for _ in range(3):
            garbage = [cp.full(100000, 7.0) for _ in range(6)]
            graph.launch()
            assert (y.get() == np.arange(100000) * 6 + 1).all()
            y[...] = 0
            del garbage
