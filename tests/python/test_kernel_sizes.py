"""Kernels whose text says for which blocks they are made, launched with those and with others; transposes, whose
threads run by columns; tests at the ends of short rows of threads; shared memory that is declared behind other
variables. All kernels are one source, and NumPy says what they leave."""
import os

import numpy as np
import pytest

import cuprite as cp

CHECKED = os.environ.get("CUPRITE_CHECK", "0") != "0"
SOURCE = r"""
#define TILE 16
#define BACK 2 - 1
constexpr int ROWS = 4;
__device__ int hidden[64];

extern "C" __global__ void scan(const int *x, int *y)  // blocks of 256, or of fewer: then by the block's threads alone
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    y[blockIdx.x * 256 + t] = s[t];
}

extern "C" __global__ void sums(const int *x, int *y)
{
    __shared__ int s[32];
    int t = threadIdx.x, v = x[128 * blockIdx.x + t];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t == 0) {
        v = 0;
        for (int k = 0; k < (int)blockDim.x / 32; k++) v += s[k];
        y[blockIdx.x] = v;
    }
}

extern "C" __global__ void turned(const int *x, int *y, int n)
{
    __shared__ int s[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
    s[threadIdx.y][threadIdx.x] = x[r * n + c];
    __syncthreads();
    y[c * n + r] = s[threadIdx.y][threadIdx.x];
}

extern "C" __global__ void rows_of_tiles(const int *x, int *y, int n)
{
    __shared__ int s[TILE][TILE];
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE;
    for (int j = 0; j < TILE; j += ROWS) s[threadIdx.y + j][threadIdx.x] = x[(r + threadIdx.y + j) * n + c];
    __syncthreads();
    for (int j = 0; j < TILE; j += ROWS) y[(r + threadIdx.y + j) * n + c] = s[threadIdx.y + j][15 - threadIdx.x];
}

extern "C" __global__ void back(int *y)  // sums in an index, of several types
{
    __shared__ int s[128];
    __shared__ short a[3][128];
    int t = threadIdx.x, d = 5;
    unsigned u = 3;
    const short one = 1;
    s[t] = 7 * t, a[2][t] = t;
    __syncthreads();
    int v = t >= d ? s[t - d] : -1;
    int w = t + d < 64 ? s[t + d] : -2;
    int b = t >= 3 ? s[t - BACK] : -3;
    int e = t >= 3 ? s[t - u] : -4;
    int f = t >= 3 ? a[2][t - one - d % 2] : -5;
    int g = t * 2 < 64 ? s[t + t] : -6;
    int h = t > 9 ? s[t - d + 1 > 7] : -7;
    y[t] = v, y[64 + t] = w, y[128 + t] = b, y[192 + t] = e, y[256 + t] = f, y[320 + t] = g, y[384 + t] = h;
}

extern "C" __global__ void late(const int *x, int *y)  // shared memory behind variables that live on
{
    const int t = threadIdx.x, own = x[t];
    const int N = 64;
    __shared__ int s[N];
    int other = own + 1;
    s[t] = other;
    __syncthreads();
    y[t] = s[63 - t] + 1000 * own + other;
}

extern "C" __global__ void named_twice(const int *x, int *y)  // a name that means something else before
{
    int t = threadIdx.x, v = x[t] + hidden[t];
    __shared__ int hidden[64];
    hidden[t] = v;
    __syncthreads();
    y[t] = hidden[63 - t] + v;
}

extern "C" __global__ void types_between(const int *x, int *y)
{
    int t = threadIdx.x;
    int v = x[t] * 3;
    typedef long long number;
    number w = v + 1;
    constexpr int half = 32;
    __shared__ number s[2 * half];
    s[t] = w;
    __syncthreads();
    int more = v + half;
    using small = short;
    small z = (small)t;
    __syncthreads();
    y[t] = (int)s[(t + half) % 64] + more + z;
}

extern "C" __global__ void moved(const int *x, int *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < n && r < n) y[c * n + r] = x[r * n + c];
}

extern "C" __global__ void moved_in_depth(const int *x, int *y, int n)
{
    int c = blockIdx.x * 8 + threadIdx.x, r = blockIdx.y * 4 + threadIdx.y, z = threadIdx.z;
    if (c >= n || r >= n) return;
    int v = x[(z * n + r) * n + c];
    y[(z * n + c) * n + r] += 2 * v;
    y[n * (c + z * n) + r] = y[(z * n + c) * n + r] + 1;
}

extern "C" __global__ void both_ways(const int *x, int *y, int *z, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < n && r < n) {
        y[c * n + r] = x[r * n + c];
        z[r * n + c] = x[c * n + r];
    }
}

extern "C" __global__ void inside(int *y, int n, int m)  // ends of rows
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c > 0 && c < n - 1 && r > 0 && r < m) y[r * 64 + c] += 1;
}

extern "C" __global__ void outside(int *y, int n, int m)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= m || c + 3 < n) return;
    y[c] += 1;
}

// --- objects that are called, some of which wait ---

#define PAIR t, 2
struct Total {  // waits, with one argument, or two
    int *s;
    __device__ int operator()(int v, int more = 0) const
    {
        __syncthreads();
        s[threadIdx.x] = v + more;
        __syncthreads();
        int sum = 0;
        for (int k = 0; k < (int)blockDim.x; k++) sum += s[k];
        return sum;
    }
};
struct Between { __device__ bool operator()(int a, int b, int c) const { return a <= b && b <= c; } };
template <class F> __device__ int count(F f, int v, int t)
{
    int n = 0;
    if (t < 64 && f(v, t)) n = 1;
    return n;
}

extern "C" __global__ void three_arguments(const int *x, int *y)
{
    __shared__ int s[64];
    Total total{s};
    Between inside;
    int t = threadIdx.x, v = x[t];
    int sum = total(v, 0);
    if (t > 2 && inside(2, v % 64, t)) sum = -sum;
    y[t] = sum + total(1, 1);
}

extern "C" __global__ void two_arguments(const int *x, int *y)  // as many as one that waits takes
{
    __shared__ int s[64];
    Total total{s};
    int t = threadIdx.x, v = x[t];
    int n = count(total, v, t);
    auto pair = [](int a, int b) { return a > b; };
    if (t % 2 == 0 && pair(PAIR)) n += 2;
    y[t] = n;
}

struct Rows {
    int (*s)[8];
    __device__ void put(int v)
    {
        __syncthreads();
        s[threadIdx.y][threadIdx.x] = v;
        __syncthreads();
    }
};

extern "C" __global__ void rows_of_an_object(const int *x, int *y)
{
    __shared__ int a[8][8];
    Rows rows = {a};
    int i = threadIdx.y * 8 + threadIdx.x;
    rows.put(x[i]);
    y[i] = rows.s[threadIdx.x][threadIdx.y];
}
"""
X = np.random.default_rng(5).integers(0, 1000, 4096).astype("i4")


@pytest.fixture(scope="module")
def module():
    return cp.RawModule(code=SOURCE, options=("--std=c++17",))


def launch(module, name, grid, block, arguments, tier="regions"):
    k = module.get_function(name)
    k(grid, block, arguments)
    if not CHECKED and tier:
        assert k.kernel.tier in (tier, "gpu"), name


@pytest.mark.parametrize("block", [256, 255, 128, 32, 7, 1])
def test_a_scan_with_blocks_of_other_sizes(module, block):
    y = cp.zeros(4096, "i4")
    launch(module, "scan", (16,), (block,), (cp.asarray(X), y))
    want = np.zeros((16, 256), "i4")
    want[:, :block] = np.cumsum(X.reshape(16, 256)[:, :block], 1)
    np.testing.assert_array_equal(y.get(), want.ravel())


@pytest.mark.parametrize("block", [128, 64, 32, 1024])
def test_sums_of_warps(module, block):
    y, x = cp.zeros(3, "i4"), np.r_[X, X]
    launch(module, "sums", (3,), (block,), (cp.asarray(x), y))
    np.testing.assert_array_equal(y.get(), [x[128 * b:128 * b + block].sum() for b in range(3)])


@pytest.mark.parametrize("block", [(16, 16), (16, 4), (8, 8), (5, 3), (16, 4, 2)], ids=str)
def test_tiles(module, block):
    x = X.reshape(64, 64)
    took = np.zeros((64, 64), bool)
    for r in range(64):
        took[r] = (r % 16 < block[1]) & (np.arange(64) % 16 < block[0])
    y = cp.zeros((64, 64), "i4")
    launch(module, "turned", (4, 4), block, (cp.asarray(X), y, np.int32(64)))
    np.testing.assert_array_equal(y.get(), np.where(took, x, 0).T)
    if block[0] == 16 and block[1] % 4 == 0:
        launch(module, "rows_of_tiles", (4, 4), (16, 4), (cp.asarray(X), y, np.int32(64)))
        np.testing.assert_array_equal(y.get(), x.reshape(64, 4, 16)[:, :, ::-1].reshape(64, 64))


def test_sums_in_an_index(module):
    y, t = cp.zeros(7 * 64, "i4"), np.arange(64)
    launch(module, "back", (1,), (64,), (y,))
    want = [np.where(t >= 5, 7 * (t - 5), -1), np.where(t + 5 < 64, 7 * (t + 5), -2), np.where(t >= 3, 7 * (t - 3), -3),
            np.where(t >= 3, 7 * (t - 3), -4), np.where(t >= 3, t - 2, -5), np.where(2 * t < 64, 14 * t, -6),
            np.where(t > 9, 7 * (t - 4 > 7), -7)]
    np.testing.assert_array_equal(y.get().reshape(7, 64), want)


def test_shared_memory_declared_late(module):
    x, t, y = X[:64], np.arange(64), cp.zeros(64, "i4")
    launch(module, "late", (1,), (64,), (cp.asarray(x), y))
    np.testing.assert_array_equal(y.get(), x[::-1] + 1 + 1000 * x + x + 1)
    launch(module, "named_twice", (1,), (64,), (cp.asarray(x), y))
    np.testing.assert_array_equal(y.get(), x[::-1] + x)
    launch(module, "types_between", (1,), (64,), (cp.asarray(x), y))
    np.testing.assert_array_equal(y.get(), np.roll(3 * x + 1, 32) + 3 * x + 32 + t)


def test_objects_that_wait_and_others(module):
    x, t, y = X[:64], np.arange(64), cp.zeros(64, "i4")
    launch(module, "three_arguments", (1,), (64,), (cp.asarray(x), y), None)
    sums = np.where((t > 2) & (x % 64 >= 2) & (x % 64 <= t), -x.sum(), x.sum()) + 128
    np.testing.assert_array_equal(y.get(), sums)
    launch(module, "two_arguments", (1,), (64,), (cp.asarray(x), y), None)
    np.testing.assert_array_equal(y.get(), (x.sum() + t.sum() > 0) + 2 * ((t % 2 == 0) & (t > 2)))
    launch(module, "rows_of_an_object", (1,), (8, 8), (cp.asarray(x), y))
    np.testing.assert_array_equal(y.get(), x.reshape(8, 8).T.ravel())


@pytest.mark.parametrize("block", [(8, 4), (32, 8), (64, 1), (1, 5), (3, 3, 2)], ids=str)
@pytest.mark.parametrize("n", [64, 37])
def test_threads_by_columns(module, n, block):
    x = X[:n * n].reshape(n, n)
    grid = tuple(-(-n // b) for b in block[:2])
    y, z = cp.zeros((n, n), "i4"), cp.zeros((n, n), "i4")
    launch(module, "moved", grid, block, (cp.asarray(x), y, np.int32(n)), "loop")
    np.testing.assert_array_equal(y.get(), x.T)
    y = cp.zeros((n, n), "i4")
    launch(module, "both_ways", grid, block, (cp.asarray(x), y, z, np.int32(n)), "loop")
    np.testing.assert_array_equal(y.get(), x.T)
    np.testing.assert_array_equal(z.get(), x.T)


def test_threads_by_columns_in_depth(module):
    x = X[:2 * 20 * 20].reshape(2, 20, 20)
    y = cp.zeros(x.shape, "i4")
    launch(module, "moved_in_depth", (3, 5), (8, 4, 2), (cp.asarray(x), y, np.int32(20)), "loop")
    np.testing.assert_array_equal(y.get(), 2 * x.transpose(0, 2, 1) + 1)


@pytest.mark.parametrize("across", [1, 2, 3, 4, 5, 8, 32])
def test_ends_of_rows(module, across):
    r, c = np.mgrid[:64, :64]
    want, line = np.zeros((64, 64), "i4"), np.zeros(64, "i4")
    y, z = cp.zeros((64, 64), "i4"), cp.zeros(64, "i4")
    blocks = -(-40 // across)
    for n in (0, 1, 2, 3, 4, 5, 8, 31, 33, 40, 50):
        for m in (0, 2, 7):
            launch(module, "inside", (blocks, 3), (across, 3), (y, np.int32(n), np.int32(m)), "loop")
            want += (c > 0) & (c < n - 1) & (r > 0) & (r < m) & (r < 9) & (c < blocks * across)
        launch(module, "outside", (blocks,), (across,), (z, np.int32(n), np.int32(30)), "loop")
        line += (np.arange(64) < min(30, blocks * across)) & (np.arange(64) + 3 >= n)
    np.testing.assert_array_equal(y.get(), want)
    np.testing.assert_array_equal(z.get(), line)
