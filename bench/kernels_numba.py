"""The rows of kernels_tables.py as Numba has them: LOOPS are for njit(parallel=True), KERNELS for cuda.jit.

Both take a row's arguments. A name that is not in KERNELS uses what Numba's simulator of CUDA lacks: shuffles, tiles.
Constants are float32 where C++ has them so, else the arithmetic would be another one. Times are those of

    NUMBA_ENABLE_CUDASIM=1 PYTHONPATH=build/python python bench/kernels_numba.py ROUNDS [NAME]

which kernels_cpu.py runs, in a process of its own: milliseconds of ours and of Numba's loop with all threads, and of
the simulator for one block times the number of blocks.
"""
import json
import math
import sys
import time

import numpy as np
from numba import cuda, float32, int32, njit, prange

f4 = np.float32
LOOPS, KERNELS = {}, {}
STRIDED = {"grid stride", "dot product", "histogram, shared"}  # one block would do all the work: it gets its share


def loop(*names):
    return lambda f: LOOPS.update({name: f for name in names}) or f


def kernel(*names):
    return lambda f: KERNELS.update({name: f for name in names}) or f


# --- elementwise ---

ELEMENTS = {
    "add": "x[i] + y[i]", "triad": "x[i] + f4(3) * y[i]",
    "polynomial": "((x[i] * f4(0.3) + y[i]) * x[i] - f4(0.7)) * x[i] + f4(1.5)",
    "root": "f4(math.sqrt(x[i] * x[i] + y[i] * y[i]))",
    "choice": "x[i] * y[i] if x[i] > f4(0.5) else y[i] - x[i]",
    "exponential": "f4(math.exp(-x[i])) * y[i]",
}
for _name, _e in ELEMENTS.items():
    exec(f"def f(x, y, z, n):\n    for i in prange(n):\n        z[i] = {_e}\n"
         f"def k(x, y, z, n):\n    i = cuda.grid(1)\n    if i < n:\n        z[i] = {_e}\n")
    LOOPS[_name], KERNELS[_name] = f, k  # noqa: F821


@loop("grid stride")
def _(x, y, z, n):
    for i in prange(n):
        z[i] = x[i] * y[i] + z[i] * f4(0.5)


@kernel("grid stride")
def _(x, y, z, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        z[i] = x[i] * y[i] + z[i] * f4(0.5)


@loop("integers")
def _(x, z, n):
    for i in prange(n):
        v = x[i]
        v ^= v << 7
        v += v >> 3
        z[i] = v * 9 + 1


@kernel("integers")
def _(x, z, n):
    i = cuda.grid(1)
    if i < n:
        v = x[i]
        v ^= v << 7
        v += v >> 3
        z[i] = v * 9 + 1


@loop("doubles")
def _(x, z, n):
    for i in prange(n):
        z[i] = x[i] / (1.0 + x[i] * x[i])


@kernel("doubles")
def _(x, z, n):
    i = cuda.grid(1)
    if i < n:
        z[i] = x[i] / (1.0 + x[i] * x[i])


@loop("gather")
def _(x, at, z, n):
    for i in prange(n):
        z[i] = x[at[i]] * f4(2)


@kernel("gather")
def _(x, at, z, n):
    i = cuda.grid(1)
    if i < n:
        z[i] = x[at[i]] * f4(2)


def _escapes(cr, ci):
    r, i, k = f4(0), f4(0), 0
    while k < 100 and r * r + i * i < f4(4):
        r, i = r * r - i * i + cr, f4(2) * r * i + ci
        k += 1
    return k


_escapes_compiled = njit(_escapes)


@loop("mandelbrot")
def _(z, n):
    for y in prange(n):
        for x in range(n):
            z[y * n + x] = _escapes_compiled(f4(x) * f4(3) / f4(n) - f4(2), f4(y) * f4(2) / f4(n) - f4(1))


@kernel("mandelbrot")
def _(z, n):
    x, y = cuda.grid(2)
    z[y * n + x] = _escapes(f4(x) * f4(3) / f4(n) - f4(2), f4(y) * f4(2) / f4(n) - f4(1))


@loop("matrix and vector")
def _(a, x, y, n):
    for i in prange(n):
        s = f4(0)
        for k in range(n):
            s += a[k * n + i] * x[k]
        y[i] = s


@kernel("matrix and vector")
def _(a, x, y, n):
    i = cuda.grid(1)
    if i < n:
        s = f4(0)
        for k in range(n):
            s += a[k * n + i] * x[k]
        y[i] = s


@loop("product, naive", "product, 16 x 16", "product, 32 x 32", "product, two counters")
def _(a, b, c, n):
    for y in prange(n):
        for x in range(n):
            c[y * n + x] = 0
        for k in range(n):
            for x in range(n):
                c[y * n + x] += a[y * n + k] * b[k * n + x]


@kernel("product, naive")
def _(a, b, c, n):
    x, y = cuda.grid(2)
    s = f4(0)
    for k in range(n):
        s += a[y * n + k] * b[k * n + x]
    c[y * n + x] = s


def tiled(size):
    def k(a, b, c, n):
        s = cuda.shared.array((size, size), float32)  # one a line: the simulator knows them by their lines
        u = cuda.shared.array((size, size), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        row, col = cuda.blockIdx.y * size + y, cuda.blockIdx.x * size + x
        v = f4(0)
        for m in range(n // size):
            s[y, x] = a[row * n + m * size + x]
            u[y, x] = b[(m * size + y) * n + col]
            cuda.syncthreads()
            for k in range(size):
                v += s[y, k] * u[k, x]
            cuda.syncthreads()
        c[row * n + col] = v
    return k


KERNELS.update({"product, 16 x 16": tiled(16), "product, 32 x 32": tiled(32), "product, two counters": tiled(32)})


@loop("bodies")
def _(x, m, f, n):
    for i in prange(n):
        s = f4(0)
        for k in range(n):
            d = x[k] - x[i]
            s += m[k] * d / f4(math.sqrt(d * d + f4(0.01)))
        f[i] = s


@kernel("bodies")
def _(x, m, f, n):
    i = cuda.grid(1)
    s = f4(0)
    for k in range(n):
        d = x[k] - x[i]
        s += m[k] * d / f4(math.sqrt(d * d + f4(0.01)))
    f[i] = s


# --- stencils ---

@loop("stencil 2-d, 32 x 8", "stencil 2-d, 16 x 16")
def _(x, y, n):
    for r in prange(1, n - 1):
        for c in range(1, n - 1):
            p = r * n + c
            y[p] = f4(0.25) * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n])


@kernel("stencil 2-d, 32 x 8", "stencil 2-d, 16 x 16")
def _(x, y, n):
    c, r = cuda.grid(2)
    p = r * n + c
    if 0 < c < n - 1 and 0 < r < n - 1:
        y[p] = f4(0.25) * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n])


@loop("stencil 3-d, 8 x 8 x 8", "stencil 3-d, 32 x 4 x 2", "stencil 3-d, 16 x 4 x 4")
def _(x, y, n):
    for k in prange(1, n - 1):
        for j in range(1, n - 1):
            for i in range(1, n - 1):
                p = (k * n + j) * n + i
                y[p] = x[p] + f4(0.1) * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n] + x[p - n * n] + x[p + n * n]
                                         - f4(6) * x[p])


@kernel("stencil 3-d, 8 x 8 x 8", "stencil 3-d, 32 x 4 x 2", "stencil 3-d, 16 x 4 x 4")
def _(x, y, n):
    i, j, k = cuda.grid(3)
    p = (k * n + j) * n + i
    if 0 < i < n - 1 and 0 < j < n - 1 and 0 < k < n - 1:
        y[p] = x[p] + f4(0.1) * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n] + x[p - n * n] + x[p + n * n]
                                 - f4(6) * x[p])


@loop("stencil 2-d, shared")
def _(x, y, n):
    for r in prange(n):
        for c in range(n):
            p, s = r * n + c, f4(0)
            if r:
                s += x[p - n]
            if r < n - 1:
                s += x[p + n]
            if c:
                s += x[p - 1]
            if c < n - 1:
                s += x[p + 1]
            y[p] = f4(0.25) * s


@kernel("stencil 2-d, shared")
def _(x, y, n):
    s = cuda.shared.array((18, 18), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    c, r = cuda.grid(2)
    s[ty + 1, tx + 1] = x[r * n + c]
    if tx == 0:
        s[ty + 1, 0] = x[r * n + c - 1] if c else 0
    if tx == 15:
        s[ty + 1, 17] = x[r * n + c + 1] if c < n - 1 else 0
    if ty == 0:
        s[0, tx + 1] = x[(r - 1) * n + c] if r else 0
    if ty == 15:
        s[17, tx + 1] = x[(r + 1) * n + c] if r < n - 1 else 0
    cuda.syncthreads()
    y[r * n + c] = f4(0.25) * (s[ty, tx + 1] + s[ty + 2, tx + 1] + s[ty + 1, tx] + s[ty + 1, tx + 2])


@loop("stencil 1-d, shared")
def _(x, y, n):
    for i in prange(n):
        r = f4(0)
        for k in range(max(i - 3, 0), min(i + 4, n)):
            r += x[k]
        y[i] = r


@kernel("stencil 1-d, shared")
def _(x, y, n):
    s = cuda.shared.array(262, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x + 3
    s[t] = x[i]
    if cuda.threadIdx.x < 3:
        s[t - 3] = x[i - 3] if i >= 3 else 0
        s[t + 256] = x[i + 256] if i + 256 < n else 0
    cuda.syncthreads()
    r = f4(0)
    for k in range(-3, 4):
        r += s[t + k]
    y[i] = r


@loop("convolution, constant")
def _(x, w, y, n):
    for r in prange(4, n - 4):
        for c in range(4, n - 4):
            s = f4(0)
            for i in range(9):
                for j in range(9):
                    s += w[i * 9 + j] * x[(r + i - 4) * n + c + j - 4]
            y[r * n + c] = s


@kernel("convolution, constant")
def _(x, w, y, n):
    c, r = cuda.grid(2)
    if c < 4 or r < 4 or c >= n - 4 or r >= n - 4:
        return
    s = f4(0)
    for i in range(9):
        for j in range(9):
            s += w[i * 9 + j] * x[(r + i - 4) * n + c + j - 4]
    y[r * n + c] = s


# --- transposes ---

@loop("transpose, 32 x 8", "transpose, 16 x 16", "transpose, naive")
def _(x, y, n):
    for b in prange(n // 32):
        for c in range(0, n, 32):
            for i in range(32):
                for j in range(32):
                    y[(c + i) * n + 32 * b + j] = x[(32 * b + j) * n + c + i]


@kernel("transpose, 32 x 8")
def _(x, y, n):
    s = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    c, r = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for j in range(0, 32, 8):
        s[ty + j, tx] = x[(r + j) * n + c]
    cuda.syncthreads()
    c, r = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for j in range(0, 32, 8):
        y[(r + j) * n + c] = s[tx, ty + j]


@kernel("transpose, 16 x 16")
def _(x, y, n):
    s = cuda.shared.array((16, 17), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    s[ty, tx] = x[(cuda.blockIdx.y * 16 + ty) * n + cuda.blockIdx.x * 16 + tx]
    cuda.syncthreads()
    y[(cuda.blockIdx.x * 16 + ty) * n + cuda.blockIdx.y * 16 + tx] = s[tx, ty]


@kernel("transpose, naive")
def _(x, y, n):
    c, r = cuda.grid(2)
    y[c * n + r] = x[r * n + c]


# --- reductions ---

@loop("reduction, sequential", "reduction, while", "reduction, interleaved", "reduction, strided",
      "reduction, shuffles", "reduction, groups", "reduction, tiles", "reduction, method",
      "reduction, class with storage", "reduction, functor of shuffles", "reduction, lambda",
      "reduction, lambda with barriers")
def _(x, y, n):
    for b in prange(n // 256):
        s = f4(0)
        for i in range(256):
            s += x[b * 256 + i]
        y[b] = s


@kernel("reduction, sequential", "reduction, while", "reduction, groups")
def _(x, y, n):
    s, t = cuda.shared.array(256, float32), cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    k = 128
    while k:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        y[cuda.blockIdx.x] = s[0]


@kernel("reduction, interleaved")
def _(x, y, n):
    s, t = cuda.shared.array(256, float32), cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    k = 1
    while k < 256:
        if t % (2 * k) == 0:
            s[t] += s[t + k]
        cuda.syncthreads()
        k *= 2
    if t == 0:
        y[cuda.blockIdx.x] = s[0]


@kernel("reduction, strided")
def _(x, y, n):
    s, t = cuda.shared.array(256, float32), cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    k = 1
    while k < 256:
        i = 2 * k * t
        if i < 256:
            s[i] += s[i + k]
        cuda.syncthreads()
        k *= 2
    if t == 0:
        y[cuda.blockIdx.x] = s[0]


@loop("dot product")
def _(x, y, z, n):
    for b in prange(64):
        s = f4(0)
        for i in range(b * 256, n, 64 * 256):
            for t in range(256):
                s += x[i + t] * y[i + t]
        z[b] = s


@kernel("dot product")
def _(x, y, z, n):
    s, t = cuda.shared.array(256, float32), cuda.threadIdx.x
    v = f4(0)
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        v += x[i] * y[i]
    s[t] = v
    cuda.syncthreads()
    k = 128
    while k:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        z[cuda.blockIdx.x] = s[0]


@loop("rows of a softmax")
def _(x, y, n):
    for b in prange(4096):
        m, s = x[b * n], f4(0)
        for i in range(n):
            m = max(m, x[b * n + i])
        for i in range(n):
            y[b * n + i] = math.exp(x[b * n + i] - m)
            s += y[b * n + i]
        for i in range(n):
            y[b * n + i] /= s


@kernel("rows of a softmax")
def _(x, y, n):
    s, t = cuda.shared.array(256, float32), cuda.threadIdx.x
    v = x[cuda.blockIdx.x * n + t]
    s[t] = v
    cuda.syncthreads()
    k = 128
    while k:
        if t < k:
            s[t] = max(s[t], s[t + k])
        cuda.syncthreads()
        k //= 2
    m = s[0]
    cuda.syncthreads()
    e = f4(math.exp(v - m))
    s[t] = e
    cuda.syncthreads()
    k = 128
    while k:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    y[cuda.blockIdx.x * n + t] = e / s[0]


# --- others with barriers ---

@loop("histogram, shared")
def _(x, y, n):
    parts = np.zeros((64, 1024), np.int32)  # a loop's iterations have no atomic operations
    for b in prange(64):
        for i in range(b * (n // 64), (b + 1) * (n // 64)):
            parts[b, x[i]] += 1
    for k in prange(1024):
        for b in range(64):
            y[k] += parts[b, k]


@kernel("histogram, shared")
def _(x, y, n):
    s, t = cuda.shared.array(1024, int32), cuda.threadIdx.x
    for k in range(t, 1024, 256):
        s[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(s, x[i], 1)
    cuda.syncthreads()
    for k in range(t, 1024, 256):
        cuda.atomic.add(y, k, s[k])


@loop("scan, Hillis and Steele", "scan, shuffles")
def _(x, y, n):
    for b in prange(n // 256):
        s = 0
        for i in range(b * 256, b * 256 + 256):
            s += x[i]
            y[i] = s


@kernel("scan, Hillis and Steele")
def _(x, y, n):
    s, t = cuda.shared.array(256, int32), cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    d = 1
    while d < 256:
        v = s[t - d] if t >= d else 0
        cuda.syncthreads()
        s[t] += v
        cuda.syncthreads()
        d *= 2
    y[cuda.grid(1)] = s[t]


@loop("bitonic sort")
def _(x, y, n):
    for b in prange(n // 256):
        for i in range(b * 256, b * 256 + 256):
            y[i] = x[i]
        k = 2
        while k <= 256:
            j = k // 2
            while j:
                for t in range(256):
                    o = t ^ j
                    p, q = b * 256 + t, b * 256 + o
                    if o > t and (y[p] > y[q]) == (t & k == 0):
                        y[p], y[q] = y[q], y[p]
                j //= 2
            k *= 2


@kernel("bitonic sort")
def _(x, y, n):
    s, t = cuda.shared.array(256, int32), cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    k = 2
    while k <= 256:
        j = k // 2
        while j:
            o = t ^ j
            if o > t and (s[t] > s[o]) == (t & k == 0):
                s[t], s[o] = s[o], s[t]
            cuda.syncthreads()
            j //= 2
        k *= 2
    y[cuda.grid(1)] = s[t]


def one(cp, name, rounds):
    """Milliseconds of ours, of Numba's loop, and of the simulator for one block times the blocks (None: not there)."""
    from kernels_cpu import arguments, check, least
    from kernels_tables import CASES
    words, grid, block, cuda_text, _ = CASES[name]
    host = arguments(words)
    device = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in host]
    k, f = cp.RawKernel(cuda_text, "k", options=("--std=c++17",)), njit(parallel=True)(LOOPS[name])
    k(grid, block, device)
    f(*host)
    other = 1e-3 if name == "mandelbrot" else 0  # a rounding more or less, where Numba does not contract a * b + c
    check(name, words, device, host, other)
    ours, loops = least([lambda: k(grid, block, device), lambda: f(*host)], rounds, time.perf_counter)
    simulated = None
    if name in KERNELS:
        few = arguments(words)
        if name in STRIDED:
            few[-1] = np.int32(few[-1] // math.prod(grid))
        device = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in few]
        simulator = cuda.jit(KERNELS[name])[1, block]
        simulated = math.prod(grid) * least([lambda: simulator(*few)], 1, time.perf_counter)[0]
        k((1,), block, device)
        check(name, words, device, few, other)
    return [t and 1e3 * t for t in (ours, loops, simulated)]


def main():
    import cuprite as cp
    from kernels_tables import CASES
    rounds, asked = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    for name in CASES:
        if asked in name:
            print(json.dumps([name, *one(cp, name, rounds)]), flush=True)


if __name__ == "__main__":
    main()
