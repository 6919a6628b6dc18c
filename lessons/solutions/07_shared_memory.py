"""Solutions of lesson 7, shared memory."""
import numpy as np

import cuprite as cp

# 1. A thread without an element puts in what never wins: minus infinity.
block_maxima = cp.RawKernel(r"""
extern "C" __global__ void block_maxima(const float *x, float *partial, int n)
{
    __shared__ float part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : -1.0f / 0.0f;
    __syncthreads();
    for (int step = 64; step; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + step]);
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = part[0];
}""", "block_maxima")
x = -1 - cp.arange(1000, dtype=np.float32)
partial = cp.empty(8, np.float32)
block_maxima((8,), (128,), (x, partial, np.int32(x.size)))
print(1, partial)

# 2. The first barrier: no thread multiplies before both tiles are complete. The second one: no thread fills the tiles
#    anew while others still multiply.
product = cp.RawKernel(r"""
extern "C" __global__ void product(const int *a, const int *b, int *c, int m, int k, int n)
{
    __shared__ int ta[16][16], tb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx, sum = 0;
    for (int first = 0; first < k; first += 16) {
        ta[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0;
        tb[ty][tx] = first + ty < k && column < n ? b[(first + ty) * n + column] : 0;
        __syncthreads();
        for (int p = 0; p < 16; p++) sum += ta[ty][p] * tb[p][tx];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}""", "product")
rng = cp.random.default_rng(1)
m, k, n = 50, 70, 90
a, b = (rng.integers(-9, 10, shape).astype(np.int32) for shape in ((m, k), (k, n)))
c = cp.empty((m, n), np.int32)
product(((n + 15) // 16, (m + 15) // 16), (16, 16), (a, b, c, np.int32(m), np.int32(k), np.int32(n)))
print(2, bool((c == a @ b).all()))

# 3. The compiler puts the number where R stands.
code = r"""
#define BLOCK 128
extern "C" __global__ void tiled(const float *x, float *y, int n)
{
    __shared__ float tile[BLOCK + 2 * R];
    int first = blockIdx.x * BLOCK - R;
    for (int k = threadIdx.x; k < BLOCK + 2 * R; k += BLOCK)
        tile[k] = first + k >= 0 && first + k < n ? x[first + k] : 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int d = 0; d <= 2 * R; d++) sum += tile[threadIdx.x + d];
    y[i] = sum / (2 * R + 1);
}"""
x = cp.arange(1000, dtype=np.float32) % 10
for r in (1, 5):
    y = cp.empty_like(x)
    cp.RawKernel(code, "tiled", options=(f"-DR={r}",))((8,), (128,), (x, y, np.int32(x.size)))
    print(3, r, cp.allclose(y, cp.convolve(x, cp.ones(2 * r + 1) / (2 * r + 1), mode="same"), rtol=1e-6))

# It prints:
#
# 1 [  -1. -129. -257. -385. -513. -641. -769. -897.]
# 2 True
# 3 1 True
# 3 5 True
