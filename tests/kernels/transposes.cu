// A matrix on its side: rows read whole are columns written element by element, unless a tile lies between.

extern "C" __global__ void transpose_naive(const float *in, float *out, int rows, int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
}

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

// A tile of 32 x 32 for 32 x 8 threads, each of which moves four elements.
extern "C" __global__ void transpose_tiled(const float *in, float *out, int rows, int cols)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

// One more column keeps the banks of shared memory apart. A template on the element's type.
template <typename T, int DIM> __global__ void transpose_padded(const T *__restrict__ in, T *__restrict__ out, int rows,
                                                                int cols)
{
    __shared__ T tile[DIM][DIM + 1];
    const int bx = blockIdx.x * DIM, by = blockIdx.y * DIM;
    if (by + threadIdx.y < rows && bx + threadIdx.x < cols)
        tile[threadIdx.y][threadIdx.x] = in[(by + threadIdx.y) * cols + bx + threadIdx.x];
    __syncthreads();
    if (bx + threadIdx.y < cols && by + threadIdx.x < rows)
        out[(bx + threadIdx.y) * rows + by + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// In place, for a square one: blocks below the diagonal have nothing to do, and leave before the barrier together.
extern "C" __global__ void transpose_in_place(int *m, int n)
{
    __shared__ int low[16][17], high[16][17];
    if (blockIdx.y < blockIdx.x) return;
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    int mirror_col = blockIdx.y * 16 + threadIdx.x, mirror_row = blockIdx.x * 16 + threadIdx.y;
    if (row < n && col < n) low[threadIdx.y][threadIdx.x] = m[row * n + col];
    if (mirror_row < n && mirror_col < n) high[threadIdx.y][threadIdx.x] = m[mirror_row * n + mirror_col];
    __syncthreads();
    if (row < n && col < n) m[row * n + col] = high[threadIdx.x][threadIdx.y];
    if (mirror_row < n && mirror_col < n) m[mirror_row * n + mirror_col] = low[threadIdx.x][threadIdx.y];
}
