"""Functions in captured work: a launch gives the bits of the call, for the operands of its time; what needs a result
of the device while it is recorded is refused."""
import numpy as np
import pytest

import cuprite as cp
import cuprite.scipy.fft as transforms
import cuprite.scipy.ndimage as ndimage
import cuprite.scipy.signal as signal

pytestmark = pytest.mark.device

Failure = cp.cuda.runtime.CUDARuntimeError
ROWS, COLUMNS = 40, 50

elementwise = cp.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = x * 2 + y", "twice_and_more")
reduction = cp.ReductionKernel("float64 x", "float64 y", "x * x", "a + b", "y = a", "0", "sum_of_squares")


@cp.fuse()
def fused(x, y):
    return cp.sqrt(x * x + y * y) + 1


def positive(x):
    return x @ x.T + cp.eye(ROWS) * 9


def written(x, write):
    y = x.copy()
    write(y)
    return y


RECORDED = {
    "fft": lambda x: cp.fft.fft2(x).real,
    "rfft": lambda x: abs(cp.fft.rfft(x)),
    "dct": lambda x: transforms.dct(x),
    "matmul": lambda x: x @ x.T,
    "matmul small": lambda x: x[:2, :3] @ x[:2, :3].T,
    "einsum": lambda x: cp.einsum("ij,kj->ik", x, x),
    "solve": lambda x: cp.linalg.solve(positive(x), x),
    "svd": lambda x: cp.linalg.svd(x, compute_uv=False),
    "qr": lambda x: cp.linalg.qr(x)[1],
    "eigvalsh": lambda x: cp.linalg.eigvalsh(positive(x)),
    "cholesky": lambda x: cp.linalg.cholesky(positive(x)),
    "det": lambda x: cp.linalg.det(positive(x)),
    "sort": lambda x: cp.sort(x, axis=0),
    "argsort": cp.argsort,
    "partition": lambda x: cp.partition(x, 3),
    "median": lambda x: cp.median(x, axis=0),
    "median of all": cp.median,
    "cumsum": lambda x: cp.cumsum(x, axis=1),
    "std": cp.std,
    "mean": lambda x: x.mean(axis=1),
    "argmax": lambda x: x.argmax(axis=1),
    "where": lambda x: cp.where(x > 0, x, -x),
    "take": lambda x: cp.take(x, cp.array([1, 3, 5]), axis=1),
    "gather": lambda x: x[cp.array([1, -2]), cp.array([3, 4])],
    "roll": lambda x: cp.roll(x, 3, axis=1),
    "concatenate": lambda x: cp.concatenate([x, x + 1]),
    "pad": lambda x: cp.pad(x, 3, mode="reflect"),
    "repeat": lambda x: cp.repeat(x, 3, axis=0),
    "reversed": lambda x: x[::-1, ::-2].copy(),
    "convolve": lambda x: cp.convolve(x[0], x[1]),
    "convolve2d": lambda x: signal.convolve2d(x, x[:3, :3]),
    "histogram": lambda x: cp.histogram(x, bins=10, range=(-3, 3))[0],
    "searchsorted": lambda x: cp.searchsorted(cp.array([-1.0, 0, 1]), x),
    "fuse": lambda x: fused(x, x),
    "fuse of rows": lambda x: fused(x[::2], x[1::2]),
    "ElementwiseKernel": lambda x: elementwise(x, x),
    "ReductionKernel": lambda x: reduction(x),
    "conversion": lambda x: x.astype("f4").astype("f8"),
    "host scalar": lambda x: x + 3.5,
    "0-d": lambda x: x + cp.asarray(2.0),
    "few elements": lambda x: x[0, :3] * 2 + cp.arange(3),
    "putmask": lambda x: written(x, lambda y: cp.putmask(y, y > 0, 0.5)),
    "column set": lambda x: written(x, lambda y: y.__setitem__((slice(None), 0), 7)),
    "mask set": lambda x: written(x, lambda y: y.__setitem__(y > 0, 7)),
    "rows set": lambda x: written(x, lambda y: y.__setitem__(cp.array([1, 2]), 7)),
    "add.at": lambda x: written(x, lambda y: cp.add.at(y, cp.array([1, 1, 2]), 1.0)),
    "reduceat": lambda x: cp.add.reduceat(x[0], cp.array([0, 3, 7])),
    "packbits": lambda x: cp.packbits(x > 0),
    "sums of labels": lambda x: ndimage.sum(x, (x > 0).astype(int), cp.arange(2)),
    "divmod": lambda x: cp.divmod(x, 0.7)[1],
    "random": lambda x: cp.random.default_rng(3).normal(size=10),
}
# What a GPU may refuse: cuSOLVER's functions, and what reads a number of the device.
NOT_ON_GPUS = {"svd", "qr", "eigvalsh", "cholesky", "det", "solve", "sums of labels"}
REFUSED = {
    "mask": lambda x: x[x > 0],
    "nonzero": lambda x: cp.nonzero(x > 0),
    "unique": cp.unique,
    "label": lambda x: ndimage.label(x > 0),
    "allclose": lambda x: cp.allclose(x, x),
    "float": lambda x: float(x[0, 0]),
    "str": str,
    "item": lambda x: x[3, 4].item(),
    "truth": lambda x: bool((x > 100).any()),
}


def started(make):
    """A stream that captures, with what the function made before on the same device."""
    x = cp.asarray(np.random.default_rng(5).normal(size=(ROWS, COLUMNS)))
    make(x)  # kernels are compiled before
    cp.cuda.Device().synchronize()
    return x, cp.cuda.Stream(non_blocking=True)


@pytest.mark.parametrize("name", RECORDED)
def test_launches_repeat_the_call(device, name):
    make, draw = RECORDED[name], np.random.default_rng(6)
    x, stream = started(make)
    with stream:
        stream.begin_capture()
        try:
            result = make(x)
        except Failure:
            with pytest.raises(Failure):
                stream.end_capture()
            make(x)
            assert device.startswith("cuda") and name in NOT_ON_GPUS
            return
        graph = stream.end_capture()
        for _ in range(3):
            values = draw.normal(size=x.shape)
            x[...] = cp.asarray(values)
            graph.launch()
            stream.synchronize()
            assert np.array_equal(result.get(), make(cp.asarray(values)).get())


@pytest.mark.parametrize("name", REFUSED)
def test_results_are_refused(device, name):
    make = REFUSED[name]
    x, stream = started(make)
    with stream:
        stream.begin_capture()
        with pytest.raises(Failure) as unsupported:
            make(x)
        with pytest.raises(Failure) as invalidated:
            stream.end_capture()
        make(x)
    assert (unsupported.type, invalidated.type) == (Failure, Failure)
    if not device.startswith("cuda"):
        assert unsupported.value.status == 900 and invalidated.value.status == 901


def test_a_mode_may_forbid_to_wait_for_the_device(device):
    """The relaxed mode, CuPy's, permits it."""
    if device != "cpu":
        pytest.skip("what a driver says; the mock device has none")
    runtime, stream = cp.cuda.runtime, cp.cuda.Stream(non_blocking=True)
    for mode, refused in ((runtime.streamCaptureModeGlobal, True), (runtime.streamCaptureModeThreadLocal, True),
                          (runtime.streamCaptureModeRelaxed, False)):
        stream.begin_capture(mode)
        if refused:
            with pytest.raises(Failure, match="cudaErrorStreamCaptureUnsupported"):
                cp.cuda.Device().synchronize()
            with pytest.raises(Failure, match="cudaErrorStreamCaptureInvalidated"):
                stream.end_capture()
        else:
            cp.cuda.Device().synchronize()
            stream.end_capture()


def test_an_index_out_of_bounds(device):
    """The CPU checks indices at each launch; a device cannot tell, and they wrap around."""
    x, stream = started(lambda x: x[cp.array([1, 2])])
    index, result = cp.array([1, 2]), cp.zeros((2, COLUMNS))
    cp.cuda.Device().synchronize()
    if device != "cpu":
        pytest.skip("of the CPU")
    with stream:
        stream.begin_capture()
        result[...] = x[index]
        graph = stream.end_capture()
        graph.launch()
        assert (result.get() == x.get()[[1, 2]]).all()
        index[1] = ROWS
        with pytest.raises(IndexError, match="out of bounds"):
            graph.launch()
        index[1] = -1
        graph.launch()
        assert (result.get() == x.get()[[1, -1]]).all()


def test_events_of_captured_work(device):
    """They have no time; in a capture no other event can be waited for."""
    stream, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    with other:
        outside = other.record()
        cp.ones(3)
    stream.begin_capture()
    inside = stream.record()
    with pytest.raises(Failure):
        inside.synchronize()
    if device.startswith("cuda"):  # the capture is invalid
        with pytest.raises(Failure):
            stream.end_capture()
    else:
        stream.end_capture()
    stream.begin_capture()
    with pytest.raises(Failure):
        stream.wait_event(outside)
    with pytest.raises(Failure):
        stream.end_capture()
    stream.wait_event(outside)
    stream.synchronize()


def test_a_graph_in_a_graph(device):
    stream, x = cp.cuda.Stream(non_blocking=True), cp.zeros(10)
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        x += 1
        inner = stream.end_capture()
        stream.begin_capture()
        x *= 2
        if device.startswith("cuda"):  # CUDA has no launches in captured work
            with pytest.raises(Failure):
                inner.launch()
            with pytest.raises(Failure):
                stream.end_capture()
            return
        inner.launch()
        outer = stream.end_capture()
        if device == "cpu":
            del inner  # what launches it has its own reference
        outer.launch()
        outer.launch()
        assert (x.get() == 3).all()


def test_a_graph_launches_not_itself(device):
    """A function that a graph calls may not launch it: an error, where threads would wait for each other."""
    if device != "cpu":
        pytest.skip("of the CPU")
    stream, seen, graphs = cp.cuda.Stream(non_blocking=True), [], []

    def again(_):
        try:
            graphs[0].launch(stream)
        except Failure as e:
            seen.append(e.status)

    stream.begin_capture()
    stream.launch_host_func(again, None)
    graphs.append(stream.end_capture())
    graphs[0].launch(stream)
    assert seen == [800]


def test_threads_launch_one_graph(device):
    """Launches exclude each other, so no addition is lost."""
    import threading
    stream, x = cp.cuda.Stream(non_blocking=True), cp.zeros(1000)
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        for _ in range(5):
            x += 1
        graph = stream.end_capture()
    threads = [threading.Thread(target=lambda: [graph.launch(stream) for _ in range(20)]) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    stream.synchronize()
    assert (x.get() == 400).all()
