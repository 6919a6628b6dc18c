"""User kernels: time to issue a call, and performance of the generated code.

Kernels are compiled before their calls are measured. On the CPU the peer is NumPy's expression; on a GPU CuPy's kernel
of the same source, and NVRTC's own time for a first call.

Run by itself: first calls in separate processes, with and without the kernel in the cache:

    PYTHONPATH=build/python python bench/bench_kernel.py
"""
import ctypes
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from common import Case

COPY = r"""extern "C" __global__ void copy(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}"""


# The matrix reconstructed from its first k singular vectors, a thread an element.
RECONSTRUCT = r"""extern "C" __global__ void svd_reco(const float *u, const float *s, const float *vt, int k, float *y,
                                                    int rows, int columns)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m >= rows || n >= columns) return;
    float element = 0;
    for (int p = 0; p < k; p++) element += u[m * k + p] * s[p] * vt[p * columns + n];
    y[m * columns + n] = element;
}"""


def of_python(jit):
    """The same kernels as Python functions, for a module with cupyx.jit's interface."""
    @jit.rawkernel()
    def copy(x, y, n):
        i = jit.grid(1)
        if i < n:
            y[i] = x[i]

    @jit.rawkernel()
    def square(x, y, n):
        i = jit.grid(1)
        if i < n:
            y[i] = x[i] * x[i]

    @jit.rawkernel()
    def svd_reco(u, s, vt, k, y, rows, columns):
        n, m = jit.grid(2)
        if m < rows and n < columns:
            element = u[m, 0] * s[0] * vt[0, n]
            for p in range(1, k):
                element += u[m, p] * s[p] * vt[p, n]
            y[m, n] = element
    return {"jit copy": copy, "jit square": square, "jit svd_reco": svd_reco}


def _jit_of(xp):
    if xp.__name__ == "cupy":
        from cupyx import jit
    else:
        from cuprite import jit
    return jit


def kernels(xp):
    """The same kernels of a library with CuPy's interface."""
    return {
        **of_python(_jit_of(xp)),
        "raw": xp.RawKernel(COPY, "copy"),
        "svd_reco": xp.RawKernel(RECONSTRUCT, "svd_reco"),
        "squared": xp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared"),
        "norm": xp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norms"),
        "waves": xp.fuse(kernel_name="waves")(lambda x, y, z: xp.sin(x) + xp.cos(y) / xp.sqrt(z)),
        "steps": xp.fuse(kernel_name="steps")(lambda x, y: (x - y) * (x - y) + xp.maximum(x, y)),
    }


NUMBERS = itertools.count(time.time_ns() % 10**9)


def _nvrtc():
    """The NVRTC that this process has loaded."""
    with open("/proc/self/maps") as f:
        return next(line.split()[-1] for line in f if "libnvrtc.so" in line)


def first_calls(b):
    """Calls that compile, now or in the background: each time a new source."""
    from cuprite._compiler.fuse import fusion as _fuse
    x = np.ones(10, "f4")

    def raw(xp, x):
        xp.RawKernel(COPY.replace("= x[i]", f"= x[i] + {next(NUMBERS)}"), "copy")((1,), (32,), (x, x, 10))

    def elementwise(xp, x):
        xp.ElementwiseKernel("T x, T y", "T z", f"z = (x - y) * (x - y) + {next(NUMBERS)}", "first")(x, x)

    def reduction(xp, x):
        xp.ReductionKernel("T x", "T y", "x * x", "a + b", f"y = a + {next(NUMBERS)}", "0", "first")(x)

    def fused(xp, x):
        n = float(next(NUMBERS))
        xp.fuse(kernel_name="first")(lambda x, y: (x - y) * (x - y) + n)(x, x)

    def nvrtc(library, option):
        """The compiler by itself, of the same version."""
        text, program, bytes = COPY.replace("= x[i]", f"= x[i] + {next(NUMBERS)}"), ctypes.c_void_p(), ctypes.c_size_t()
        library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"copy.cu", 0, None, None)
        if library.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(option)):
            raise RuntimeError("NVRTC")
        library.nvrtcGetCUBINSize(program, ctypes.byref(bytes))
        library.nvrtcGetCUBIN(program, ctypes.create_string_buffer(bytes.value))
        library.nvrtcDestroyProgram(ctypes.byref(program))

    mine, other = b.ours(x), b.theirs(x)
    raw(b.cp, mine)
    for f in (raw, elementwise, reduction, fused):
        peers = b.array_peer(lambda f=f: f(b.cupy, other)) if b.gpu else {}
        if b.gpu and f is raw:
            library = ctypes.CDLL(_nvrtc())
            option = f"--gpu-architecture=sm_{b.cp.cuda.Device(0).compute_capability}".encode()
            peers["nvrtc"] = lambda: nvrtc(library, option)
        yield Case(f"{f.__name__}: first call of a new text", lambda f=f: f(b.cp, mine), peers)
        _fuse.queue().waiting.clear()  # kernels that are not called again


def by_loops(case, rng):
    """Kernels with a loop in each thread, and the same written in Python."""
    n = 1 << 22
    x = rng.random(n, dtype="f4")
    yield case("jit.rawkernel, square of 2^22 float32", "jit square",
               lambda k, x, y: k((n // 256,), (256,), (x, y, n)), [x, x], lambda x, y: np.multiply(x, x, out=y),
               bytes=8 * n)
    side, k = 1024, 100
    u, s, vt, y = [rng.random(shape, dtype="f4") for shape in ((side, k), (k,), (k, side), (side, side))]
    grid = (side // 32, side // 32)
    for name in ("svd_reco", "jit svd_reco"):
        yield case(f"{name} by loops, 1024 x 1024, k = 100", name,
                   lambda kernel, u, s, vt, y: kernel(grid, (32, 32), (u, s, vt, k, y, side, side)), [u, s, vt, y],
                   lambda u, s, vt, y: np.matmul(u * s, vt, out=y), bytes=4 * side * side,
                   operations=3.0 * k * side * side, kind="f32")


def softmax(xp, x):
    e = xp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def heat(x):
    new = x * 1
    new[1:-1, 1:-1] += 0.1 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1])
    return new


def cases(b):
    from cuprite._compiler.fuse import fusion as _fuse
    gpu = b.gpu
    yield from first_calls(b)
    ours, theirs = kernels(b.cp), kernels(b.cupy) if gpu and b.cupy else None
    rng = np.random.default_rng(1)

    def case(name, kernel, call, host, numpy=None, **more):
        """`call` of a kernel and arrays; `numpy` the same without one."""
        mine = [b.ours(x) for x in host]
        call(ours[kernel], *mine)
        _fuse.wait()  # background work must not disturb the measurement
        peers = {}
        if theirs:
            other = [b.theirs(x) for x in host]
            peers = b.array_peer(lambda: call(theirs[kernel], *other))
        elif not gpu and numpy:
            peers = b.array_peer(lambda: numpy(*host))
        return Case(name, lambda: call(ours[kernel], *mine), peers, **more)

    few = [rng.random(10, dtype="f4") + 1 for _ in range(3)]
    issue = {"bar": 2, "against": "cupy"} if gpu else {}
    yield case("RawKernel, 10 elements", "raw", lambda k, x, y: k((1,), (32,), (x, y, 10)), few[:2], **issue)
    yield case("ElementwiseKernel, 10 elements", "squared", lambda k, x, y: k(x, y), few[:2],
               lambda x, y: (x - y) * (x - y), **issue)
    yield case("ReductionKernel, 10 elements", "norm", lambda k, x: k(x), few[:1], lambda x: np.sqrt((x * x).sum()),
               **issue)
    yield case("fused, 10 elements", "steps", lambda k, x, y: k(x, y), few[:2], **issue)
    yield case("jit.rawkernel, 10 elements", "jit copy", lambda k, x, y: k((1,), (32,), (x, y, 10)), few[:2], **issue)
    yield case("jit.rawkernel by [grid, block], 10 elements", "jit copy", lambda k, x, y: k[1, 32](x, y, 10), few[:2],
               **issue)
    yield from by_loops(case, rng)

    n = 5 * 10**7 if gpu else 10**7
    x, y, z = [rng.random(n, dtype="f4") + np.float32(0.5) for _ in range(3)]
    yield case(f"fused sin + cos / sqrt {n:.0e} float32", "waves", lambda k, x, y, z: k(x, y, z), [x, y, z],
               lambda x, y, z: np.sin(x) + np.cos(y) / np.sqrt(z), bytes=16 * n)
    yield case(f"fused (x - y)**2 + maximum {n:.0e} float32", "steps", lambda k, x, y: k(x, y), [x, y],
               lambda x, y: (x - y) * (x - y) + np.maximum(x, y), bytes=12 * n)
    side = 4096
    row, column = rng.random(side, dtype="f4"), rng.random((side, 1), dtype="f4")
    yield case("ElementwiseKernel 4096 x 4096 broadcast", "squared", lambda k, x, y: k(x, y), [row, column],
               lambda x, y: (x - y) * (x - y), bytes=4 * side * side)
    table = rng.random((side, side), dtype="f4")
    yield case("ElementwiseKernel 4096 x 4096", "squared", lambda k, x, y: k(x, y), [table, table],
               lambda x, y: (x - y) * (x - y), bytes=12 * side * side)
    yield case("ElementwiseKernel 4096 x 4096 transposed", "squared", lambda k, x, y: k(x, y.T), [table, table],
               lambda x, y: (x - y.T) * (x - y.T), bytes=12 * side * side)
    peer = b.cupy if gpu and b.cupy else np  # CuPy's fuse has neither slices nor reductions between operations
    library = b.cp
    for name, f, plain in (("softmax", b.cp.fuse(lambda x: softmax(library, x)), lambda x: softmax(peer, x)),
                           ("five-point stencil by slices", b.cp.fuse(heat), heat)):
        mine, other = b.ours(table), b.theirs(table) if peer is not np else table
        f(mine), f.wait(), f(mine), f.wait()
        yield Case(f"fused {name} 4096 x 4096", lambda f=f, x=mine: f(x),
                   b.array_peer(lambda f=plain, x=other: f(x)), bytes=8 * side * side)
    for axis in (None, 0, 1):
        yield case(f"ReductionKernel 4096 x 4096 axis {axis}", "norm", lambda k, x, axis=axis: k(x, axis=axis), [table],
                   lambda x, axis=axis: np.sqrt((x * x).sum(axis)), bytes=4 * side * side)


ONCE = """
import time
import {library} as xp
x = xp.ones(10, "f4")
k = xp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "once")
r = xp.RawKernel({text!r}, "copy")
(x + x).sum().item()
times = []
for f in (lambda: r((1,), (32,), (x, x, 10)), lambda: k(x, x)):
    start = time.perf_counter()
    f()
    times.append((time.perf_counter() - start) * 1e3)
print(*times)
"""


def in_processes(library, folder):
    """Milliseconds of the first calls of a RawKernel and an ElementwiseKernel, in a separate process."""
    env = {**os.environ, "CUPRITE_CACHE_DIR": folder, "CUPY_CACHE_DIR": folder}
    done = subprocess.run([sys.executable, "-c", ONCE.format(library=library, text=COPY)], env=env, check=True,
                          capture_output=True, text=True)
    return [float(t) for t in done.stdout.split()]


def main():
    for library in sys.argv[1:] or ["cuprite"]:
        with tempfile.TemporaryDirectory() as folder:
            cold, cached = in_processes(library, folder), [in_processes(library, folder) for _ in range(5)]
        for i, name in enumerate(("RawKernel", "ElementwiseKernel")):
            warm = statistics.median(t[i] for t in cached)
            print(f"{library}: {name}, first call in a process: {cold[i]:.2f} ms, from the cache {warm:.2f} ms")


if __name__ == "__main__":
    main()
