"""The user's kernels: how long a call takes to issue, and what the text that kernels become reaches.

Kernels are compiled before anything is measured. On the CPU the peer is NumPy's expression; on a GPU CuPy's kernel of
the same text.
"""
import numpy as np

from common import Case

COPY = r"""extern "C" __global__ void copy(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}"""


def kernels(xp):
    """The same kernels of a library with CuPy's interface."""
    return {
        "raw": xp.RawKernel(COPY, "copy"),
        "squared": xp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared"),
        "norm": xp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm"),
        "waves": xp.fuse(lambda x, y, z: xp.sin(x) + xp.cos(y) / xp.sqrt(z)),
        "steps": xp.fuse(lambda x, y: (x - y) * (x - y) + xp.maximum(x, y)),
    }


def cases(b):
    gpu = b.gpu
    ours, theirs = kernels(b.cp), kernels(b.cupy) if gpu and b.cupy else None
    rng = np.random.default_rng(1)

    def case(name, kernel, call, host, numpy=None, **more):
        """`call` of a kernel and arrays; `numpy` the same without one."""
        mine = [b.ours(x) for x in host]
        call(ours[kernel], *mine)
        if hasattr(ours[kernel], "wait"):
            ours[kernel].wait()
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
    for axis in (None, 0, 1):
        yield case(f"ReductionKernel 4096 x 4096 axis {axis}", "norm", lambda k, x, axis=axis: k(x, axis=axis), [table],
                   lambda x, axis=axis: np.sqrt((x * x).sum(axis)), bytes=4 * side * side)
