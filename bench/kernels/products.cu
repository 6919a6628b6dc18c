// Products of matrices in tiles. See ../kernels_tables.py.

//: product, 16 x 16 | f 65536, f 65536, o 65536, 256 | 16 16 | 16 16
__global__ void k(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], u[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float v = 0;
    for (int m = 0; m < n / 16; m++) {
        s[y][x] = a[row * n + m * 16 + x];
        u[y][x] = b[(m * 16 + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) v += s[y][k] * u[k][x];
        __syncthreads();
    }
    c[row * n + col] = v;
}
//=
void k(const float *a, const float *b, float *c, int n)
{
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) c[y * n + x] = 0;
        for (int k = 0; k < n; k++)
            for (int x = 0; x < n; x++) c[y * n + x] += a[y * n + k] * b[k * n + x];
    }
}

//: product, 32 x 32 | f 65536, f 65536, o 65536, 256 | 8 8 | 32 32
__global__ void k(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[32][32], u[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float v = 0;
    for (int m = 0; m < n / 32; m++) {
        s[y][x] = a[row * n + m * 32 + x];
        u[y][x] = b[(m * 32 + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 32; k++) v += s[y][k] * u[k][x];
        __syncthreads();
    }
    c[row * n + col] = v;
}
//= product, 16 x 16

//: product, two counters | f 65536, f 65536, o 65536, 256 | 8 8 | 32 32
__global__ void k(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[32][32], u[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float v = 0;
    int first = n * 32 * blockIdx.y, last = first + n - 1;
    for (int p = first, q = 32 * blockIdx.x; p <= last; p += 32, q += 32 * n) {
        s[y][x] = a[p + n * y + x];
        u[y][x] = b[q + n * y + x];
        __syncthreads();
        for (int k = 0; k < 32; k++) v += s[y][k] * u[k][x];
        __syncthreads();
    }
    c[row * n + col] = v;
}
//= product, 16 x 16
