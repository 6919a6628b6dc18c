// Products of matrices: one element a thread, tiles in shared memory, edges, registers; vectors; LU.

struct Matrix {
    int rows, cols, stride;
    float *elements;
};

__device__ float get(const Matrix m, int row, int col) { return m.elements[row * m.stride + col]; }

extern "C" __global__ void matmul_naive(Matrix a, Matrix b, Matrix c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= c.rows || col >= c.cols) return;
    float value = 0;
    for (int k = 0; k < a.cols; k++) value += get(a, row, k) * get(b, k, col);
    c.elements[row * c.stride + col] = value;
}

#define TILE_WIDTH 16

// Square, a multiple of the tile.
extern "C" __global__ void matmul_tiled(const float *M, const float *N, float *P, int width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty, Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;
    for (int ph = 0; ph < width / TILE_WIDTH; ++ph) {
        Mds[ty][tx] = M[Row * width + ph * TILE_WIDTH + tx];
        Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * width + Col];
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    P[Row * width + Col] = Pvalue;
}

// Of any shape: what is beyond the edges counts as zero.
template <typename T, int TILE> __global__ void matmul_guarded(const T *A, const T *B, T *C, int m, int n, int k)
{
    __shared__ T As[TILE][TILE], Bs[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    T acc = 0;
    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        int ak = t * TILE + threadIdx.x, bk = t * TILE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < m && ak < k ? A[row * k + ak] : T(0);
        Bs[threadIdx.y][threadIdx.x] = bk < k && col < n ? B[bk * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) acc += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = acc;
}

// Several tiles in one piece of dynamic shared memory, whose size the launch tells.
extern "C" __global__ void matmul_dynamic_shared(const double *A, const double *B, double *C, int n)
{
    extern __shared__ double memory[];
    const int tile = blockDim.x;
    double *As = memory, *Bs = memory + tile * tile;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
    double sum = 0.0;
    for (int first = 0; first < n; first += tile) {
        As[ty * tile + tx] = (row < n && first + tx < n) ? A[row * n + first + tx] : 0.0;
        Bs[ty * tile + tx] = (first + ty < n && col < n) ? B[(first + ty) * n + col] : 0.0;
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += As[ty * tile + i] * Bs[i * tile + tx];
        __syncthreads();
    }
    if (row < n && col < n) C[row * n + col] = sum;
}

// Each thread makes 4 x 4 elements, kept in registers: 16 x 16 threads for a tile of 64 x 64.
#define BM 64
#define BK 8
#define TM 4

extern "C" __global__ void matmul_register_tiled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BM];
    int tid = threadIdx.x;
    int trow = tid / 16, tcol = tid % 16;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BM;
    float acc[TM][TM];
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TM; j++) acc[i][j] = 0.0f;
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK; i += 256) {
            int r = i / BK, c = i % BK;
            As[c][r] = (row0 + r < M && k0 + c < K) ? A[(row0 + r) * K + k0 + c] : 0.0f;
        }
        for (int i = tid; i < BM * BK; i += 256) {
            int r = i / BM, c = i % BM;
            Bs[r][c] = (k0 + r < K && col0 + c < N) ? B[(k0 + r) * N + col0 + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TM];
            for (int i = 0; i < TM; i++) a[i] = As[k][trow * TM + i];
            for (int j = 0; j < TM; j++) b[j] = Bs[k][tcol * TM + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TM; j++) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TM; j++) {
            int r = row0 + trow * TM + i, c = col0 + tcol * TM + j;
            if (r < M && c < N) C[r * N + c] = acc[i][j];
        }
}

// A matrix times a vector: a thread a row, the vector in pieces in shared memory.
extern "C" __global__ void matvec_shared(const float *A, const float *x, float *y, int rows, int cols)
{
    __shared__ float part[128];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.f;
    for (int first = 0; first < cols; first += blockDim.x) {
        if (first + threadIdx.x < cols) part[threadIdx.x] = x[first + threadIdx.x];
        __syncthreads();
        int m = min((int)blockDim.x, cols - first);
        if (row < rows)
            for (int j = 0; j < m; j++) sum += A[row * cols + first + j] * part[j];
        __syncthreads();
    }
    if (row < rows) y[row] = sum;
}

// ... and a warp a row.
extern "C" __global__ void matvec_warp(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int j = lane; j < cols; j += 32) sum += A[row * cols + j] * x[j];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}

// One step of Gauss's elimination: the multipliers of column k, then the rest of the matrix.
extern "C" __global__ void lu_multipliers(double *a, int n, int k)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * n + k] /= a[k * n + k];
}

extern "C" __global__ void lu_update(double *a, int n, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

// A small system solved by one block, with a barrier after each column.
extern "C" __global__ void solve_lower(const double *l, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0) b[k] /= l[k * n + k];
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) b[i] -= l[i * n + k] * b[k];
        __syncthreads();
    }
}
