"""The kernel engine against sources and launches that mean no good: mutated programs, thousands of one construct, wild
arguments, memory that ends, threads and forked children. What comes is a result or an error, in time, and the process
goes on. tools/fuzz_kernels runs many more."""
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once
HERE = os.path.dirname(__file__)
BEGIN = "import sys; sys.path.insert(0, sys.argv[1]); import kernel_mutations as m\n"


def run(text, *words, timeout=300, **variables):
    r = subprocess.run([sys.executable, "-c", BEGIN + text, HERE, *map(str, words)], capture_output=True, text=True,
                       timeout=timeout, env={**os.environ, "CUPRITE_DEVICE": "cpu", **variables})
    assert r.returncode == 0, (r.returncode, r.stdout[-1000:], r.stderr[-3000:])
    return r.stdout.splitlines()


def test_mutated_sources(tmp_path):
    """Each is translated, or refused as a compiler would; none ends the process or takes long."""
    lines = run("""
m.deaf_compiler(sys.argv[2])
all = m.Mutations()
for number in range(600):
    print(number, end=" ", flush=True)
    what, seconds = m.told(all.source(number))
    assert not what, what
    assert seconds < 5, seconds
print()
print("end")
""", tmp_path)
    assert lines[-1] == "end"


def test_thousands_of_one_construct(tmp_path):
    """Time is nearly linear: 900 of anything within seconds, even on a busy machine."""
    lines = run("""
m.deaf_compiler(sys.argv[2])
for name, program in (m.REPEATED | m.NESTED).items():
    what, seconds = m.told(program(900))
    print(name, what, "slow" if seconds > 8 else "", sep="|", flush=True)
""", tmp_path)
    assert [line for line in lines if not line.endswith("||")] == []


def test_limits_of_nesting(tmp_path):
    """60,000 levels: an error that names the line, within a second or so, as there is nothing to analyse."""
    lines = run("""
m.deaf_compiler(sys.argv[2])
import time, cuprite as cp
for name, program in m.NESTED.items():
    start = time.process_time()
    try:
        cp.RawModule(code=program(60000)).get_function("f")
        told = "nothing"
    except Exception as e:
        told = str(e).partition("\\n")[0]
    print(name, told, "slow" if time.process_time() - start > 10 else "", sep="|", flush=True)
""", tmp_path)
    for line in lines:
        name, told, slow = line.split("|")
        deep = "are nested more than" in told and ("1000 deep" in told or "4000 deep" in told)
        assert deep and told.startswith(("kernel.cu:1: error: ", "kernel.cu:2: error: ")) and not slow, line
    assert len(lines) == 15


LAUNCHES = r"""
import numpy as np, cuprite as cp
k = cp.RawKernel('extern "C" __global__ void f(int *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; '
                 'if (i < n) y[i] = 1; }', "f")
y = cp.zeros(100, "i4")
big = 2 ** 40
for grid in ((0,), (-1,), (big,), (2 ** 31,), (1, 65536), (1, 1, 65536), (), (1, 1, 1, 1), (1.5,), ("1",), (None,), 1):
    for block in ((32,), (0,), (-3,), (1025,), (32, 33), (1, 1, 65), (big,), (2 ** 31,), (), ("x",)):
        try:
            k(grid, block, (y, np.int32(100)))
        except Exception as e:
            assert type(e).__name__ in ("CUDADriverError", "ValueError", "TypeError", "OverflowError"), (grid, block, e)
n = np.int32(100)
for arguments in ((), (y,), (y, n, n), (n, y), (y, "100"), (y, None), (y, [1]), (y, y), (None, n), (y, b"abcd"),
                  (y, np.zeros(3)), (y, np.float64(3)), (y, 2 ** 70), (y, -2 ** 70), (y, object()), (object(), n),
                  (np.zeros(100, "i4"), n), (y, np.zeros((), "V300")), (y, 1j), ((y,), n), {"y": y}, None, y, 3):
    try:
        k((1,), (32,), arguments)
    except Exception as e:
        assert type(e).__name__ in ("CUDADriverError", "CUDARuntimeError", "ValueError", "TypeError",
                                    "OverflowError"), (arguments, type(e), e)
for shared in (-1, 2 ** 40, 233 << 10, "x", 1.5):
    try:
        k((1,), (32,), (y, n), shared_mem=shared)
    except Exception as e:
        assert type(e).__name__ in ("CUDADriverError", "ValueError", "TypeError", "OverflowError"), (shared, e)
y[...] = 0
k((4,), (32,), (y, n))
assert int(y.sum()) == 100
print("works")
"""


def test_grids_and_arguments():
    assert run(LAUNCHES) == ["works"]


WILD = r"""
import numpy as np, cuprite as cp
def kernel(text):
    return cp.RawKernel('#include <assert.h>\nextern "C" void exit(int), abort();\n'
                        'extern "C" __global__ void f(int *y, long long n) ' + text, "f")
def works():
    a = [cp.arange(n, dtype="i4") for n in (1, 16, 64, 1000, 5000)] * 20
    assert [int(x.sum()) for x in a] == [n * (n - 1) // 2 for n in (1, 16, 64, 1000, 5000)] * 20
texts = ["{ y[n] = 1; }", "{ ((char *)y)[n] = 1; }", "{ *(int *)n = 1; }", "{ y[0] = *(volatile int *)n; }",
         "{ y[n * threadIdx.x] += 1; }", "{ __shared__ int s[8]; s[n] = 1; y[0] = s[0]; }",
         "{ extern __shared__ int s[]; s[n] = 1; y[0] = s[0]; }", "{ atomicAdd(y + n, 1); }",
         "{ __shared__ int s[8]; s[threadIdx.x % 8] = 1; __syncthreads(); y[n] = s[1]; }",
         "{ void (*g)() = (void (*)())n; g(); }", "{ free((void *)n); }", "{ free(y + n); }",
         "{ int *p = (int *)malloc(n); if (p) p[0] = 1; free(p); }", "{ memset(y + n, 0, 64); }",
         "{ volatile int a[8]; a[n & 0xfffff] = 1; y[0] = a[0]; }", "{ asm(\"trap;\"); }", "{ __trap(); }",
         "{ exit((int)n); }", "{ abort(); }", "{ assert(n == 7); }", "{ y[0] = 1 / (int)(n & 0); }"]
places = [2 ** 40, -2 ** 40, 2 ** 62, -1, 1 << 20, -(1 << 20), 0x7fff00000000, 64]
for text in texts:
    k = kernel(text)
    for n in places[:3 if "a[8]" in text or "memset" in text else None]:
        y = cp.zeros(64, "i4")
        for grid in (1, 3):
            try:
                k((grid,), (32,), (y, np.int64(n)))
            except (cp.CUDARuntimeError, cp.cuda.driver.CUDADriverError):
                pass
    works()
print("works")
"""


def test_wild_kernels():
    """Near writes may change other arrays' elements, which works() does not use again."""
    assert run(WILD)[-1] == "works"  # behind what assert() prints


THREADS = r"""
import threading, os
import numpy as np, cuprite as cp
text = ('extern "C" __global__ void f(int *y, int n) { __shared__ int s[64]; int t = threadIdx.x; s[t] = t + n; '
        '__syncthreads(); y[blockIdx.x * 64 + t] = s[63 - t]; }')
slow = 'extern "C" __global__ void f(volatile int *y, int n) { while (y[0] == 0) {} }'
wrong = 'extern "C" __global__ void f(int *y, int n) { *(int *)16 = n; }'
want = np.tile(np.arange(63, -1, -1), 5)
failed = []
def work(number):
    try:
        for i in range(30):
            k = cp.RawKernel(text + "\n" * (number % 2), "f")
            y = cp.zeros(320, "i4")
            k((5,), (64,), (y, np.int32(i)))
            assert (y.get() == want + i).all()
            try:
                cp.RawKernel(wrong, "f")((2,), (3,), (y, np.int32(1)))
                failed.append("no error")
            except cp.CUDARuntimeError as e:
                assert "illegal address" in str(e), e
    except Exception as e:
        failed.append(repr(e))
threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
for t in threads: t.start()
for t in threads: t.join()
assert not failed, failed
for _ in range(3):  # children go on with compiled kernels, and with new ones
    child = os.fork()
    if child == 0:
        work(0)
        k = cp.RawKernel(text.replace("63 - t", "t"), "f")
        y = cp.zeros(320, "i4")
        k((5,), (64,), (y, np.int32(0)))
        os._exit(0 if not failed and int(y.sum()) == 5 * 2016 else 1)
    assert os.waitpid(child, 0)[1] == 0
work(1)
assert not failed, failed
print("works")
"""


def test_threads_and_children():
    assert run(THREADS) == ["works"]


MEMORY = r"""
import resource, numpy as np, cuprite as cp
text = ('extern "C" __global__ void f(int *y, int n) { __shared__ int s[64]; int t = threadIdx.x; s[t] = t + n; '
        '__syncwarp(); y[t] = __shfl_sync(~0u, s[t], 3) + %d; }')
y = cp.zeros(64, "i4")
k = cp.RawKernel(text % 0, "f")
k((2,), (64,), (y, np.int32(1)))
used = int(open("/proc/self/statm").read().split()[0]) * 4096
told = set()
for more in (0, 1 << 16, 1 << 18, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20):
    resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.RLIM_INFINITY))
    for i in range(2):
        try:
            cp.RawKernel(text % more, "f")((2,), (64,), (y, np.int32(1)))
            cp.RawKernel(text % more, "f")((50,), (1024,), (cp.zeros(1024, "i4"), np.int32(1)))
            told.add("done")
        except Exception as e:
            assert type(e).__name__ in ("MemoryError", "OutOfMemoryError", "OSError", "CompileException",
                                        "CUDARuntimeError", "CUDADriverError"), repr(e)
            told.add(type(e).__name__)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    k((2,), (64,), (y, np.int32(1)))
    assert int(y[0]) == 4, y
assert "done" in told and len(told) > 1, told
print("works")
"""


def test_address_space_ends():
    assert run(MEMORY) == ["works"]


LIMITED = r"""
import numpy as np, cuprite as cp
k = cp.RawKernel('extern "C" __global__ void f(int *y, int n) { for (int i = 1; i < 100; i++) '
                 'y[-i] = y[n + i - 1] = -1; }', "f")
pool = cp.get_default_memory_pool()
pool.free_all_blocks()
pool.set_limit(size=pool.total_bytes() + 900000)
for n in (100000, 200000, 150000):
    y = cp.zeros(n, "i4")
    try:
        k((1,), (1,), (y, np.int32(n)))
    except cp.CUDARuntimeError as e:
        assert "illegal address" in str(e), e
    del y
    pool.free_all_blocks()
print("works")
"""


def test_writes_around_an_array_of_a_limited_pool():
    """Such a pool takes segments that are as large as the array: nothing of the C library's lies beside it."""
    assert run(LIMITED) == ["works"]
