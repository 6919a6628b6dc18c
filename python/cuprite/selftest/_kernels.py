"""Kernels that users write: in CUDA C++, in Python, and fused functions. The CPU needs a C++ compiler for them."""
from __future__ import annotations

import numpy as np

import cuprite as cp
from cuprite.selftest._record import Skipped

_BLOCK_SUM = r"""
extern "C" __global__ void block_sum(const float *x, float *sums, int n)
{
    __shared__ float part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
"""


def _compiled(call):
    """What needs a compiler, called first: without one the area ends here."""
    try:
        return call()
    except NotImplementedError as e:
        raise Skipped(str(e)) from None


def _written(record):
    x = np.arange(200, dtype=np.float32)
    ours = cp.asarray(x)
    kernel = cp.RawKernel(_BLOCK_SUM, "block_sum")
    sums = cp.zeros(4, np.float32)
    _compiled(lambda: kernel((4,), (64,), (ours, sums, np.int32(200))))
    record.equal("RawKernel with shared memory and barriers", lambda: sums,
                 np.pad(x, (0, 56)).reshape(4, 64).sum(axis=1))
    distance = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "selftest_distance")
    for dtype in (np.int32, np.float64):
        a = np.arange(12, dtype=dtype).reshape(3, 4)
        record.equal(f"ElementwiseKernel, {np.dtype(dtype)}", lambda: distance(cp.asarray(a), cp.asarray(a[0])),
                     (a - a[0]) ** 2)
    longest = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "selftest_norm")
    a = np.arange(12.0).reshape(3, 4)
    record.equal("ReductionKernel", lambda: longest(cp.asarray(a), axis=1), np.linalg.norm(a, axis=1), 4)
    record.raises("a kernel that does not compile", cp.cuda.compiler.CompileException,
                  lambda: cp.RawKernel('extern "C" __global__ void f() { nonsense; }', "f").compile())


def _python(record):
    from cuprite import jit, numba

    @jit.rawkernel()
    def scaled(x, y, n):
        i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        if i < n:
            y[i] = x[i] * 2 + i

    x, y = cp.arange(100, dtype=np.float32), cp.zeros(100, np.float32)
    _compiled(lambda: scaled((4,), (32,), (x, y, np.int32(100))))
    record.equal("jit.rawkernel", lambda: y, np.arange(100, dtype=np.float32) * 3)

    @numba.cuda.jit
    def counted(x, bins):
        i = numba.cuda.grid(1)
        if i < x.size:
            numba.cuda.atomic.add(bins, x[i], 1)

    v, bins = np.arange(500) * 7 % 10, cp.zeros(10, np.int64)
    counted[8, 64](cp.asarray(v), bins)
    record.equal("cuda.jit with atomics", lambda: bins, np.bincount(v))

    @numba.vectorize(["float64(float64, float64)"], target="cuda")
    def hypotenuse(a, b):
        return (a * a + b * b) ** 0.5

    a = np.arange(10.0)
    record.equal("vectorize", lambda: cp.asarray(hypotenuse(cp.asarray(a), cp.asarray(a + 1))), np.hypot(a, a + 1), 2)


def _fused(record):
    """Runs with and without a compiler; what it compiles meanwhile must not change the answer."""
    @cp.fuse
    def curve(x, y):
        return cp.maximum(x * 2 + y, 1) - x / 4

    @cp.fuse
    def spread(x):
        return cp.sum((x - 3) * (x - 3))

    a, b = np.arange(60.0), np.arange(60.0)[::-1]
    for call in range(3):
        record.equal(f"fuse, call {call + 1}", lambda: curve(cp.asarray(a), cp.asarray(b)),
                     np.maximum(a * 2 + b, 1) - a / 4)
        record.equal(f"fuse with a sum, call {call + 1}", lambda: spread(cp.asarray(a)), ((a - 3) ** 2).sum(), 8)


AREAS = {"CUDA C++": _written, "Python kernels": _python, "fuse": _fused}
