"""Many Python threads at once, each with a stream and a device of its own, and all that the runtime has around arrays:
events, pools, hooks, allocators, kernels, functions that streams call. Every result is checked."""
import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device

pytestmark = pytest.mark.device

cuda = cp.cuda
SOURCE = 'extern "C" __global__ void step(double *x, double a, int n) { ' \
         'int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = x[i] * a + i; }'


def devices(name):
    """The test's device and, where there are two of its kind, the other one; and the CPU."""
    kind = name.partition(":")[0]
    out = [name, "cpu"]
    if kind != "cpu":
        try:
            _device.parse(f"{kind}:1")
            out.append(f"{kind}:1")
        except Exception:
            pass
    return out


def together(work, count):
    wrong = []

    def run(k):
        try:
            work(k)
        except BaseException as e:
            wrong.append((k, e))
            raise
    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong, wrong


class Counted(cuda.MemoryHook):
    name = "Counted"

    def __init__(self):
        self.given = self.back = 0

    def malloc_postprocess(self, **told):
        self.given += told["mem_size"]

    def free_postprocess(self, **told):
        self.back += told["mem_size"]


def test_streams_and_devices_of_each_thread(device):
    names, kernel = devices(device), cp.RawKernel(SOURCE, "step")

    def work(k):
        draw = random.Random(k)
        with cuda.Device(names[k % len(names)]), cuda.Stream(non_blocking=k % 2 == 0) as s:
            other = cuda.Stream(non_blocking=True)
            n = 1000 + k
            x, expected = cp.zeros(n), np.zeros(n)
            for turn in range(12):
                a = draw.choice([0.5, 2.0, -1.0])
                kernel((8,), (256,), (x, a, np.int32(n)))
                expected = expected * a + np.arange(n)
                y = x + turn
                e = s.record()
                with other:
                    other.wait_event(e)
                    z = y * 2
                    done = other.record()
                s.wait_event(done)
                w = z - y
                if turn % 4 == 0:
                    assert np.array_equal(w.get(), expected + turn)
                    cp.get_default_memory_pool().free_all_blocks()
                del y, z
            assert np.array_equal(x.get(), expected)
    together(work, 8)


def test_allocators_and_hooks_are_a_threads_own(device):
    names, shared = devices(device), cuda.MemoryPool()

    def work(k):
        with cuda.Device(names[k % len(names)]):
            pool, hook = (shared if k % 2 else cuda.MemoryPool()), Counted()
            for turn in range(20):
                with cuda.using_allocator(pool.malloc), cuda.Stream() as s:
                    with hook:
                        x = cp.arange(2000 + turn, dtype="f8")
                        assert cuda.get_allocator() == pool.malloc
                        y = x * 2
                        assert int(y[-1]) == 2 * (1999 + turn)
                        s.synchronize()
                        del x, y
            assert hook.given == hook.back > 0
    together(work, 6)
    for name in names:
        with cuda.Device(name):
            assert shared.used_bytes() == 0
    assert cuda.get_allocator() == cp.get_default_memory_pool().malloc


def test_functions_called_from_many_streams(device):
    names, seen = devices(device), []

    def work(k):
        with cuda.Device(names[k % len(names)]):
            for turn in range(10):
                s = cuda.Stream(non_blocking=True)
                with s:
                    x = cp.arange(5000) + k
                    s.launch_host_func(lambda box: (seen.append((k, turn, len(box))), box.clear()), [x, x * 2])
                    del x
                    s.synchronize()
                del s
                cp.get_default_memory_pool().free_all_blocks()
    together(work, 6)
    assert sorted(seen) == [(k, turn, 2) for k in range(6) for turn in range(10)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_children_of_threads_work_on_the_cpu(device):
    """Children are forked while threads work; what they compute on the CPU is right, and they end."""
    end = threading.Event()

    def busy(name):
        with cuda.Device(name), cuda.Stream(non_blocking=True):
            while not end.is_set():
                assert int((cp.arange(3000) * 2)[-1]) == 5998
    threads = [threading.Thread(target=busy, args=(name,)) for name in devices(device)]
    for t in threads:
        t.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    with cuda.Device("cpu"), cuda.Stream():
                        x = cp.arange(100000, dtype="f8")
                        code = 0 if float((x * 2).sum()) == 9999900000.0 else 2
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        end.set()
        for t in threads:
            t.join()


SMALL_CALLS = """
import sys, time
import numpy as np
import cuprite as cp
cp.cuda.Device(sys.argv[1]).use()
x, y = cp.arange(6.0).reshape(2, 3), cp.ones((2, 3))
flat, z = cp.arange(6), cp.arange(4) + 1j
kernel = cp.RawKernel('extern "C" __global__ void k(double *x) { x[0] = 1; }', "k")
added = cp.ElementwiseKernel("float64 a, float64 b", "float64 c", "c = a + b", "added")
total = cp.ReductionKernel("float64 a", "float64 b", "a", "a + b", "b = a", "0", "total")
def put():
    y[0, 1] = 5
def masked():
    y[:, cp.array([True, False, True])] = [[1], [2]]
def shaped():
    x.T.copy().shape = (6,)
calls = [
    lambda: x + y, lambda: x == "text", lambda: x == x, lambda: x + 2, lambda: 2 ** flat, lambda: divmod(x, 2),
    lambda: cp.array([[1, 2], [3, 4]], "f2"), lambda: cp.array([x, y]), lambda: cp.full((2, 2), [1, 2]), put, masked,
    shaped, lambda: cp.zeros_like(x), lambda: cp.ones_like(x, order="F"), lambda: cp.eye(3, order="F"),
    lambda: cp.empty_like(x.T, shape=(4, 4)), lambda: cp.allclose(x, y), lambda: cp.array_equal(x, y), lambda: x.imag,
    lambda: z.imag, lambda: 3.0 in x, lambda: x.item(0), lambda: x.tolist(), lambda: cp.where(x > 1), lambda: x[x > 1],
    lambda: x.T.reshape(6), lambda: x.T.ravel(), lambda: x.flatten("F"), lambda: cp.add.outer(flat[::2], flat),
    lambda: cp.sort(x)[0], lambda: cp.linspace(0, 1, 5), lambda: x.astype("f4"), lambda: cp.ndarray((2, 2), order="F"),
    lambda: x.sum(), lambda: x.get(), lambda: x.copy(), lambda: cp.concatenate([x, y]), lambda: added(x, y),
    lambda: total(x, axis=0), lambda: kernel((1,), (1,), (y,)), lambda: kernel.attributes,
    lambda: cp.RawModule(code='extern "C" __global__ void m() {}').get_function("m"), lambda: cp.cuda.Event().record(),
    lambda: cp.cuda.Stream().synchronize(), lambda: cp.cuda.Stream.ptds.done, lambda: cp.cuda.Device().mem_info,
    lambda: cp.get_default_memory_pool().used_bytes(), lambda: cp.get_default_memory_pool().free_all_blocks(),
]
waiting = cp.cuda.Stream(non_blocking=True)
called = []
for i, call in enumerate(calls):
    call()
    waiting.launch_host_func(lambda i: (time.sleep(1e-3), called.append(i)), i)
    print(i, file=sys.stderr, flush=True)
    call()
waiting.synchronize()
assert called == list(range(len(calls)))
"""


@pytest.mark.parametrize("pool", ["on", "off"])
def test_small_calls_while_functions_are_to_be_called(device, pool):
    """No call waits for a device, or for who waits for it, with the lock that the stream's function needs."""
    run = subprocess.run([sys.executable, "-c", SMALL_CALLS, device], timeout=120, capture_output=True, text=True,
                         env={**os.environ, "CUPRITE_POOL": pool})
    assert run.returncode == 0, run.stderr
