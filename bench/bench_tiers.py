"""Kernels on the CPU against the same loops in C: each tier (docs: how user kernels run on the CPU), one thread.

The C is compiled here by the machine's compiler with -O3 -march=native. Bars: tier a within 1.1 of it, tier b within 3.
Fibers have no bar: their cost is that of a barrier. With CUPRITE_BENCH_NUMBA=/path/to/python of an environment that has
Numba, its CPU target and its simulator of CUDA are timed too (in a process of their own; milliseconds, same arrays).
"""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from common import Case

os.environ["CUPRITE_NUM_THREADS"] = "1"  # read when threads are first used

CUDA = r"""
#include <cuda_fp16.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" {
__global__ void nothing(int n) {}
__global__ void add(const float *x, const float *y, float *z, int n) { int i = I; if (i < n) z[i] = x[i] + y[i]; }
__global__ void saxpy(const float *x, float *y, float a, int n) { int i = I; if (i < n) y[i] = a * x[i] + y[i]; }
__global__ void saxpy_stride(const float *x, float *y, float a, int n)
{
    for (int i = I; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i];
}
__global__ void half_axpy(const __half *x, __half *y, float a, int n)
{
    int i = I;
    if (i < n) y[i] = __float2half(a * __half2float(x[i]) + __half2float(y[i]));
}
__global__ void stencil(const float *x, float *y, const float *w, int side)
{
    int c = I, r = blockIdx.y;
    if (c < 7 || r < 7 || c >= side - 7 || r >= side - 7) return;
    float sum = 0;
    for (int dr = 0; dr < 15; dr++)
        for (int dc = 0; dc < 15; dc++) sum += w[dr * 15 + dc] * x[(r + dr - 7) * side + c + dc - 7];
    y[r * side + c] = sum;
}
__global__ void primes(int *out, int n)
{
    int i = I;
    if (i >= n) return;
    int is = i > 1;
    for (int d = 2; d < i && is; d++) is = i % d != 0;
    out[i] = is;
}
__global__ void sum_stride(const float *x, float *out, int n)
{
    float sum = 0;
    for (int i = I; i < n; i += blockDim.x * gridDim.x) sum += x[i];
    out[I] = sum;
}
__global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[32][32], t[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int j = 0; j < 32; j++) sum += s[y][j] * t[j][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
__global__ void histogram(const unsigned char *x, unsigned *bins, int n)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = I; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s[x[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
__global__ void block_sum(const float *x, float *out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[I];
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void block_scan(const float *x, float *out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[I];
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        float v = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    out[I] = s[t];
}
__device__ float warp_sum(float v)
{
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    return v;
}
__global__ void shuffle_sum(const float *x, float *out)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    float v = warp_sum(x[I]);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = warp_sum(t < blockDim.x / 32 ? s[t] : 0);
        if (t == 0) out[blockIdx.x] = v;
    }
}
__global__ void softmax(const float *x, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    const float *row = x + blockIdx.x * n;
    float big = -1e30f, sum = 0;
    for (int i = t; i < n; i += blockDim.x) big = fmaxf(big, row[i]);
    s[t] = big;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (t < k) s[t] = fmaxf(s[t], s[t + k]);
        __syncthreads();
    }
    big = s[0];
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) sum += expf(row[i] - big);
    s[t] = sum;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    sum = s[0];
    for (int i = t; i < n; i += blockDim.x) out[blockIdx.x * n + i] = expf(row[i] - big) / sum;
}
__global__ void waiting(int *out, int times)
{
    int t = threadIdx.x;
again: /* a jump backwards: fibers */
    __syncthreads();
    if (--times) goto again;
    out[t] = t;
}
}
"""

C = r"""
#include <math.h>
#include <string.h>
void add(const float *x, const float *y, float *z, int n) { for (int i = 0; i < n; i++) z[i] = x[i] + y[i]; }
void saxpy(const float *x, float *y, float a, int n) { for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i]; }
void half_axpy(const _Float16 *x, _Float16 *y, float a, int n)
{
    for (int i = 0; i < n; i++) y[i] = (_Float16)(a * (float)x[i] + (float)y[i]);
}
void stencil(const float *x, float *y, const float *w, int side)
{
    for (int r = 7; r < side - 7; r++)
        for (int c = 7; c < side - 7; c++) {
            float sum = 0;
            for (int dr = 0; dr < 15; dr++)
                for (int dc = 0; dc < 15; dc++) sum += w[dr * 15 + dc] * x[(r + dr - 7) * side + c + dc - 7];
            y[r * side + c] = sum;
        }
}
void primes(int *out, int n)
{
    for (int i = 0; i < n; i++) {
        int is = i > 1;
        for (int d = 2; d < i && is; d++) is = i % d != 0;
        out[i] = is;
    }
}
void sum_stride(const float *x, float *out, int n, int threads)
{
    for (int t = 0; t < threads; t++) out[t] = 0;
    for (int first = 0; first < n; first += threads)
        for (int t = 0; t < threads && first + t < n; t++) out[t] += x[first + t];
}
void product(const float *a, const float *b, float *c, int n)
{
    for (int row = 0; row < n; row += 32)
        for (int col = 0; col < n; col += 32) {
            float sum[32][32] = {{0}};
            for (int k = 0; k < n; k += 32)
                for (int y = 0; y < 32; y++)
                    for (int j = 0; j < 32; j++)
                        for (int x = 0; x < 32; x++) sum[y][x] += a[(row + y) * n + k + j] * b[(k + j) * n + col + x];
            for (int y = 0; y < 32; y++) memcpy(c + (row + y) * n + col, sum[y], sizeof sum[y]);
        }
}
void histogram(const unsigned char *x, unsigned *bins, int n) { for (int i = 0; i < n; i++) bins[x[i]]++; }
void block_sum(const float *x, float *out, int blocks)
{
    for (int b = 0; b < blocks; b++, x += 256) {
        float s[256];
        memcpy(s, x, sizeof s);
        for (int k = 128; k; k /= 2)
            for (int t = 0; t < k; t++) s[t] += s[t + k];
        out[b] = s[0];
    }
}
static void warp_sum(float *v)
{
    float u[32];
    for (int d = 16; d; d /= 2) {
        for (int l = 0; l < 32; l++) u[l] = l + d < 32 ? v[l + d] : v[l];
        for (int l = 0; l < 32; l++) v[l] += u[l];
    }
}
void shuffle_sum(const float *x, float *out, int blocks)
{
    for (int b = 0; b < blocks; b++, x += 256) {
        float s[256], v[32] = {0};
        memcpy(s, x, sizeof s);
        for (int w = 0; w < 8; w++) {
            warp_sum(s + 32 * w);
            v[w] = s[32 * w];
        }
        warp_sum(v);
        out[b] = v[0];
    }
}
void block_scan(const float *x, float *out, int blocks)
{
    for (int b = 0; b < blocks; b++, x += 256, out += 256) {
        float s[256], v[256];
        memcpy(s, x, sizeof s);
        for (int k = 1; k < 256; k *= 2) {
            for (int t = k; t < 256; t++) v[t] = s[t - k];
            for (int t = k; t < 256; t++) s[t] += v[t];
        }
        memcpy(out, s, sizeof s);
    }
}
void softmax(const float *x, float *out, int n, int rows)
{
    for (int r = 0; r < rows; r++, x += n, out += n) {
        float big = -1e30f, sum = 0;
        for (int i = 0; i < n; i++) big = fmaxf(big, x[i]);
        for (int i = 0; i < n; i++) sum += out[i] = expf(x[i] - big);
        for (int i = 0; i < n; i++) out[i] /= sum;
    }
}
"""

NUMBA = r"""
import json, os, statistics, sys, time
if sys.argv[1] == "simulator":
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numba, numpy as np
from numba import cuda

def milliseconds(f):
    f()
    f()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)

n = int(sys.argv[2])
x, y, z = np.ones(n, "f4"), np.ones(n, "f4"), np.ones(n, "f4")
found = {}
if sys.argv[1] == "simulator":
    @cuda.jit
    def add(x, y, z):
        i = cuda.grid(1)
        if i < x.size:
            z[i] = x[i] + y[i]
    found["add"] = milliseconds(lambda: add[(n + 255) // 256, 256](x, y, z))
else:
    add = numba.vectorize(["float32(float32, float32)"])(lambda a, b: a + b)
    found["vectorize"] = milliseconds(lambda: add(x, y, z))
    numba.set_num_threads(1)
    @numba.njit(parallel=True, fastmath=False)
    def saxpy(x, y, a):
        for i in numba.prange(x.size):
            y[i] = a * x[i] + y[i]
    found["njit"] = milliseconds(lambda: saxpy(x, y, np.float32(2)))
print(json.dumps(found))
"""


def c_library():
    """The loops in C; None without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "loops.c"), pathlib.Path(folder, "loops.so")
        source.write_text(C)
        subprocess.run([compiler, "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-shared", "-fPIC",
                        source, "-o", library, "-lm"], check=True)
        return ctypes.CDLL(str(library))


def pointer(a):
    return ctypes.c_void_p(a.data.ptr)


def numba(target, n):
    """{what: milliseconds} of Numba, where the environment names a Python that has it."""
    python = os.environ.get("CUPRITE_BENCH_NUMBA")
    if not python:
        return {}
    r = subprocess.run([python, "-c", NUMBA, target, str(n)], capture_output=True, text=True)
    return json.loads(r.stdout) if r.returncode == 0 else {"failed": r.stderr.strip().splitlines()[-1]}


def loops(b, k, rng):
    """(name, kernel, grid, block, arguments, C function, its arguments) of tier a."""
    f = ctypes.c_float
    n, side, top = 10**7, 1024, 20000
    x, y = rng.random(n, dtype="f4"), rng.random(n, dtype="f4")
    z, hx, hy = b.np.zeros(n, "f4"), x.astype("f2"), y.astype("f2")
    w, picture, found = rng.random(225, dtype="f4"), rng.random((side, side), dtype="f4"), b.np.zeros(top, "i4")
    blocks = (-(-n // 256),)
    yield "vector_add 1e7", "add", blocks, 256, (x, y, z, n), (x, y, z, n)
    yield "saxpy 1e7", "saxpy", blocks, 256, (x, y, f(0.5), n), (x, y, f(0.5), n)
    yield "saxpy 1e7, grid stride", "saxpy_stride", (512,), 256, (x, y, f(0.5), n), (x, y, f(0.5), n)
    yield "sum 1e7, grid stride", "sum_stride", (64,), 256, (x, z, n), (x, z, n, 64 * 256)
    yield "half axpy 1e7", "half_axpy", blocks, 256, (hx, hy, f(0.5), n), (hx, hy, f(0.5), n)
    yield "stencil 15 x 15 of 1024^2", "stencil", (side // 256, side), 256, (picture, z, w, side), (picture, z, w, side)
    yield "primes below 20,000", "primes", (-(-top // 256),), 256, (found, top), (found, top)


def regions(b, k, rng):
    n, side, rows, columns = 1 << 22, 512, 1024, 4096
    x, out = rng.random(n, dtype="f4"), b.np.zeros(n, "f4")
    a, c = rng.random((side, side), dtype="f4"), b.np.zeros((side, side), "f4")
    letters, bins, blocks = rng.integers(0, 256, n).astype("u1"), b.np.zeros(256, "u4"), n // 256
    yield "tiled product 512^3", "product", (side // 32, side // 32), (32, 32), (a, a, c, side), (a, a, c, side)
    yield "shared histogram 2^22", "histogram", (64,), 256, (letters, bins, n), (letters, bins, n)
    yield "block reduction 2^22", "block_sum", (blocks,), 256, (x, out), (x, out, blocks)
    yield "block scan 2^22", "block_scan", (blocks,), 256, (x, out), (x, out, blocks)
    yield "shuffle reduction 2^22", "shuffle_sum", (blocks,), 256, (x, out), (x, out, blocks)
    yield "softmax of 1024 rows of 4096", "softmax", (rows,), 256, (x, out, columns), (x, out, columns, rows)


def cases(b):
    if b.gpu:
        return
    k, c, rng = b.cp.RawModule(code=CUDA, options=("--std=c++17",)), c_library(), b.np.random.default_rng(1)
    np, shared = b.np, {}

    def ready(v):
        if isinstance(v, np.ndarray):  # the C loop reads and writes the same memory
            return shared.setdefault(id(v), (v, b.ours(v)))[1]
        return np.float32(v.value) if isinstance(v, ctypes.c_float) else np.int32(v)

    def case(row, tier, bar):
        name, kernel, grid, block, arguments, other = row
        f, block = k.get_function(kernel), block if isinstance(block, tuple) else (block,)
        mine = tuple(ready(v) for v in arguments)
        theirs = [pointer(ready(v)) if isinstance(v, np.ndarray) else v for v in other]
        loop = getattr(c, {"saxpy_stride": "saxpy"}.get(kernel, kernel)) if c else None
        assert f.kernel.tier == tier, (kernel, f.kernel.tier)
        return Case(f"{tier}: {name}", lambda: f(grid, block, mine), {"c": (lambda: loop(*theirs)) if loop else None},
                    bar=bar, against="c")

    for row in loops(b, k, rng):
        yield case(row, "loop", 1 / 1.1)
    for row in regions(b, k, rng):
        yield case(row, "regions", 1 / 3)
    for name, grid, block, what in (("launch", (1,), (1,), "nothing"),):
        f, one = k.get_function(what), np.int32(1)
        yield Case(f"{name}: {what}", lambda: f(grid, block, (one,)))
    f, out = k.get_function("waiting"), b.cp.zeros(256, "i4")
    yield Case("fibers: 1000 barriers of 256 threads", lambda: f((1,), (256,), (out, np.int32(1000))))
    for target in ("cpu", "simulator"):
        for what, time in numba(target, 10**7 if target == "cpu" else 1 << 12).items():
            print(f"    numba, {target}: {what} {time if isinstance(time, str) else f'{time:.3f} ms'}")
