"""Several devices: which one an array lies on, and what moves it; what a device says of itself."""
import os
import subprocess
import sys

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device
from oracle import raises


@pytest.fixture
def two():
    """Two devices of one kind, the first one current."""
    names = ("cuda:0", "cuda:1") if _device.count() > 1 else ("late:0", "late:1")
    before = _device.current()
    first, second = (cp.cuda.Device(n) for n in names)
    first.use()
    yield first, second
    _device.use(before)


@pytest.mark.parametrize("f", [cp.asarray, cp.asanyarray, cp.array, cp.copy, lambda x: x.copy(),
                               lambda x: cp.array(x, copy=None), lambda x: cp.asarray(x, order="F"),
                               lambda x: cp.array(x, ndmin=3), lambda x: cp.asarray(x, "f4"),
                               lambda x: cp.require(x), lambda x: x.copy("F")])
def test_arrays_move_to_the_current_device(two, f):
    first, second = two
    x = cp.arange(6.0).reshape(2, 3) + 1
    with second:
        there = f(x)
        assert there.device == second and (there + 1).device == second
    assert x.device == first
    np.testing.assert_array_equal(there.get().reshape(2, 3), x.get())
    assert f(x).device == first and cp.asarray(x) is x


def test_arrays_of_arrays_lie_on_the_current_device(two):
    first, second = two
    x = cp.arange(3.0)
    with second:
        y = cp.array([x, [1, 2, 3], cp.ones(3)])
        assert y.device == second and y.tolist() == [[0, 1, 2], [1, 2, 3], [1, 1, 1]]
        x[[0, 2]] = y[1, :2]  # values come from there, as those of x[...] = y do
        x[1:2] = y[2, :1]
        assert x.device == first and x.tolist() == [1, 1, 2]
        x.flat[cp.array([2]).to_device(first)] += 5
        assert x.tolist() == [1, 1, 7]


def test_copies_keep_their_order(two):
    first, second = two
    x = cp.asfortranarray(cp.arange(6.0).reshape(2, 3))
    with second:
        assert x.copy("A").strides == x.strides and x.copy().flags.c_contiguous and cp.copy(x).strides == x.strides
        with pytest.raises(ValueError):
            cp.asarray(x, copy=False)
        with pytest.raises(ValueError):
            cp.array(x, copy=False)


def test_operations_stay_on_their_arrays_device(two):
    """What the library makes an array of for itself does not move it."""
    first, second = two
    x, p = cp.arange(1, 7.0), cp.array([1.0, 2, 3])
    with second:
        for r in (cp.sort(x), x + 1, cp.polynomial.polynomial.polyval(x, p), cp.polynomial.chebyshev.chebadd(p, p),
                  cp.lib.scimath.sqrt(-x), cp.lib.stride_tricks.sliding_window_view(x, 2), cp.insert(x, 1, p[:1]),
                  cp.average(x), cp.gradient(x), cp.piecewise(x, [x > 2, x <= 2], [1, 2]), cp.histogram(x)[0],
                  cp.apply_along_axis(cp.sum, 0, x), cp.poly1d(p).coeffs, cp.pad(x, 1), cp.unwrap(x), cp.diff(x)):
            assert r.device == first
        y = x.copy()
        assert y.device == second
        y.flat[1:3] = p[:2]
        assert y.device == second and y.tolist() == [1, 1, 2, 4, 5, 6]


def test_numbers_are_those_of_the_current_kind():
    """Device(1) is the second test device while one is current, as it is the second GPU elsewhere."""
    before = _device.current()
    if _device.count():
        assert cp.cuda.Device(0) == cp.cuda.Device("cuda:0")
        return
    try:
        _device.use(_device.parse("late:0"))
        assert cp.cuda.Device(1) == cp.cuda.Device("late:1") and cp.cuda.Device(0) == cp.cuda.Device("late:0")
        with cp.cuda.Device(1):
            x = cp.ones(3)
            assert x.device == cp.cuda.Device("late:1") and cp.cuda.Device(x.device.id) == x.device
        _device.use(_device.parse("cpu"))
        assert cp.cuda.Device(0) == cp.cuda.Device("cpu")
        with pytest.raises(RuntimeError):
            cp.cuda.Device(1).use()
    finally:
        _device.use(before)


def test_the_cpu_says_what_it_is():
    assert repr(cp.cuda.Device("cpu")) == str(cp.cuda.Device("cpu")) == "<CPU Device>"
    with cp.cuda.Device("cpu"):
        assert repr(cp.ones(1).device) == "<CPU Device>"
    assert cp.is_available() == cp.cuda.is_available() == (_device.count() > 0)


def test_what_is_printed_says_cpu(device, capsys):
    """Streams, graphs, plans and Numba's objects: on the CPU none of them says that it is CUDA's, or a number."""
    from cuprite.numba import cuda
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        graph = stream.end_capture()
    cuda.detect()
    said = capsys.readouterr().out
    printed = [repr(stream), repr(graph), repr(cp.cuda.Stream.null), repr(cp.cuda.get_current_stream()),
               str(cp.fft.config.get_plan_cache()), repr(cuda.get_current_device()), repr(cuda.stream())]
    if device != "cpu":
        assert "CUDA device" in printed[5] and "cpu" not in "".join(printed) and said.startswith("Found ")
        return
    assert all("(device cpu)" in text for text in printed[:5]), printed
    assert printed[5] == f"<CPU device '{cp.cuda.Device('cpu').name}'>" and "(device cpu)" in printed[6]
    assert said.startswith("Found 0 CUDA devices; kernels run on the CPU\n")


@pytest.mark.parametrize("told", [("x", 0), (0,), (0, 1, 2), (1, 5), None, 5, (0, None), ("0", "5"), (0.0, 0)])
def test_what_cuda_stream_returns(told):
    """The protocol's answer is two integers, the first one 0."""
    class S:
        def __cuda_stream__(self):
            return told
    with pytest.raises(TypeError):
        cp.cuda.Stream.from_external(S())


def test_cuda_stream_is_taken(device):
    s = cp.cuda.Stream(non_blocking=True)

    class S:
        def __cuda_stream__(self):
            return 0, s.ptr
    assert cp.cuda.Stream.from_external(S()).ptr == s.ptr


def test_pools_are_pools(device):
    pool = cp.get_default_memory_pool()
    assert isinstance(pool, cp.cuda.MemoryPool) and isinstance(pool, cp.cuda.memory.MemoryPool)
    assert isinstance(cp.get_default_pinned_memory_pool(), cp.cuda.PinnedMemoryPool)
    x = cp.ones(10**6)
    assert pool.used_bytes() >= x.nbytes and pool.total_bytes() >= pool.used_bytes()
    pool.set_limit(size=0)
    assert pool.get_limit() == 0


def test_memory_of_streams_that_ended(device):
    """What a stream leaves when it ends serves the others."""
    pool = cp.get_default_memory_pool()

    def one():
        s = cp.cuda.Stream(non_blocking=True)
        with s:
            x = cp.ones(2000) * 2
            s.synchronize()
        return float(x[0])
    one()
    before = pool.total_bytes()
    for _ in range(50):
        assert one() == 2
    assert pool.total_bytes() <= before + (8 << 20)


CALLS = {
    "polysub": lambda: cp.polysub(cp.zeros((3, 3)), cp.zeros((2, 3))),
    "inv": lambda: cp.linalg.inv(cp.zeros((50, 50))),
    "cholesky": lambda: cp.linalg.cholesky(-cp.eye(50)),
    "take": lambda: cp.arange(1000)[cp.array([5000] * 1000)],
    "power": lambda: cp.arange(1000) ** cp.full(1000, -1),
    "ediff1d": lambda: cp.ediff1d(cp.zeros(0), cp.ones(1, "D"), cp.zeros((2, 2, 2), "i")),
    "nanargmax": lambda: cp.nanargmax(cp.full((2000,), float("nan"))),
}


@pytest.mark.parametrize("allocator", ["pool", "none", "managed"])
@pytest.mark.parametrize("name", CALLS)
def test_errors_outlive_an_allocator(name, allocator, recwarn):
    """What an allocator of the program's does when memory comes back does not change which error is raised."""
    def told():
        try:
            CALLS[name]()
            cp.cuda.Device().synchronize()  # some devices report it later
        except Exception as e:
            return type(e), str(e)
    want = told()
    with cp.cuda.using_allocator({"pool": cp.cuda.MemoryPool().malloc, "none": None,
                                  "managed": cp.cuda.malloc_managed}[allocator]):
        assert told() == want != (None, None)


INTERPRETERS = """
import _xxsubinterpreters as i
import cuprite as cp
for code in ("import cuprite as cp; cp.cuda.set_allocator(None); x = cp.ones(1000)",
             "import cuprite as cp\\nclass H(cp.cuda.MemoryHook):\\n    name = 'H'\\nH().__enter__()\\n"
             "x = cp.ones(1000)",
             "import cuprite as cp; x = cp.arange(1000.); f = cp.fuse(lambda q: cp.exp(q / 1000) + 1)\\n"
             "assert abs(float(f(x).sum()) - float((cp.exp(x / 1000) + 1).sum())) < 1e-9"):
    n = i.create()
    i.run_string(n, code)
    i.destroy(n)
    print(float(cp.ones(1000).sum()))
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module has another name")
def test_an_interpreter_ends_with_its_allocator():
    """And one where no thread can be started runs fused functions as they are written."""
    r = subprocess.run([sys.executable, "-c", INTERPRETERS], capture_output=True, text=True, timeout=120)
    assert (r.returncode, r.stdout.split()) == (0, ["1000.0"] * 3), r.stderr


SLOW_IMPORT = """
import importlib.abc, os, signal, sys, threading, time
import cuprite as cp
cp.random.RandomState
class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "secrets":
            time.sleep(0.4)
sys.meta_path.insert(0, Slow())
t = threading.Thread(target=cp.random.random)
t.start()
time.sleep(0.1)
pid = os.fork()
if pid == 0:
    signal.alarm(10)
    try:
        os._exit(0 if float(cp.random.random()) >= 0 else 1)
    except cp.cuda.runtime.CUDARuntimeError:
        os._exit(2)
t.join()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_fork_waits_for_imports_of_the_standard_library(device):
    """And for the opening of a GPU, which thereafter is the parent's alone."""
    r = subprocess.run([sys.executable, "-c", SLOW_IMPORT], capture_output=True, text=True, timeout=60,
                       env={**os.environ, "CUPRITE_DEVICE": device})
    assert r.returncode in ((0,) if device == "cpu" else (0, 2)), r.stderr  # opened before the fork, or not yet


SHORT_OF_MEMORY = """
import resource, sys
import cuprite as cp
x = cp.ones((300, 300))
space = int(open("/proc/self/statm").read().split()[0]) * 4096 + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (space, -1))
try:
    cp.linalg.svd(x)
    print("went")
except MemoryError:
    print("MemoryError")
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
print(cp.linalg.svd(x)[1].shape)
"""


@pytest.mark.parametrize("left", [8, 24, 40, 70, 100])
def test_linear_algebra_short_of_memory(left):
    """OpenBLAS is neither given up for good nor ends the process."""
    r = subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY, str(left)], capture_output=True, text=True, timeout=120,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu"})  # a GPU's memory is no address space
    assert r.returncode == 0, r.stderr
    assert r.stdout.split("\\n")[-2 if r.stdout.endswith("\\n") else -1].strip().endswith("(300,)")
    assert r.stdout.startswith("MemoryError")


BITS = """
import hashlib
import numpy as np
import cuprite as cp
x = cp.asarray(np.random.default_rng(1).standard_normal((300, 300)))
s = x @ x.T + cp.eye(300) * 300
small = x[:120, :120].copy()
batch = cp.stack([s[i:i + 100, i:i + 100] for i in range(0, 200, 50)])
for r in (x @ x, cp.linalg.inv(x), cp.linalg.solve(x, x[0]), cp.linalg.det(x), cp.linalg.svd(small)[0],
          cp.linalg.qr(small)[1], cp.linalg.eigh(batch)[0], cp.linalg.cholesky(batch), cp.linalg.qr(batch)[1],
          cp.sum(x), cp.sort(x.ravel()), cp.fft.fft(x), cp.median(x), cp.abs(x + 1j * x.T)):
    print(hashlib.sha1(r.get().tobytes()).hexdigest())
"""


def test_bits_for_any_number_of_threads():
    """All but LAPACK's routines with OpenBLAS's own threads (docs/architecture.md says which)."""
    import os
    one, *others = (subprocess.run([sys.executable, "-c", BITS], capture_output=True, text=True, timeout=120,
                                   env={**os.environ, "CUPRITE_NUM_THREADS": n}).stdout for n in "123")
    assert len(one.split()) == 14 and others == [one, one]


@pytest.fixture
def interrupted(monkeypatch):
    """A function: the next call of _device's function of that name ends with a KeyboardInterrupt, when its work is
    done, as a signal in the middle of it does."""
    def once(name):
        function = getattr(_device, name)

        def call(*args):
            monkeypatch.setattr(_device, name, function)
            function(*args)
            raise KeyboardInterrupt
        monkeypatch.setattr(_device, name, call)
    return once


def test_an_interrupt_on_the_way_into_a_block_leaves_the_device(two, interrupted):
    first, second = two
    with cp.cuda.Device("cpu"):
        interrupted("use")
        with raises(KeyboardInterrupt), second:
            pytest.fail("the block was entered")
        assert cp.cuda.Device() == cp.cuda.Device("cpu")
    assert cp.cuda.Device() == first
    with second:
        x = cp.zeros((3, 8))
    block = cp.cuda.Device("cpu")
    block.__enter__()
    interrupted("use")
    with raises(KeyboardInterrupt):
        block.__exit__(None, None, None)
    assert cp.cuda.Device() == first
    for call in (lambda: cp.scipy.signal.detrend(x), lambda: cp.fft.config.PlanCache(dev=second._number).get_size()):
        interrupted("use")
        with raises(KeyboardInterrupt):
            call()
        assert cp.cuda.Device() == first


def test_an_interrupt_on_the_way_into_a_block_leaves_the_stream(two, interrupted):
    outer, inner = cp.cuda.Stream(), cp.cuda.Stream()
    with outer:
        interrupted("stream_use")
        with raises(KeyboardInterrupt), inner:
            pytest.fail("the block was entered")
        assert cp.cuda.get_current_stream() == outer
    assert cp.cuda.get_current_stream() != outer
