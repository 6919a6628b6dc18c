// Stencils and a convolution, with and without shared memory. See ../kernels_tables.py.

//: stencil 2-d, 32 x 8 | f 1048576, o 1048576, 1024 | 32 128 | 32 8
__global__ void k(const float *x, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, p = r * n + c;
    if (c > 0 && c < n - 1 && r > 0 && r < n - 1) y[p] = 0.25f * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n]);
}
//=
void k(const float *x, float *y, int n)
{
    for (int r = 1; r < n - 1; r++)
        for (int c = 1; c < n - 1; c++) {
            int p = r * n + c;
            y[p] = 0.25f * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n]);
        }
}

//: stencil 2-d, 16 x 16 | f 1048576, o 1048576, 1024 | 64 64 | 16 16
__global__ void k(const float *x, float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, p = r * n + c;
    if (c > 0 && c < n - 1 && r > 0 && r < n - 1) y[p] = 0.25f * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n]);
}
//= stencil 2-d, 32 x 8

//: stencil 3-d, 8 x 8 x 8 | f 2097152, o 2097152, 128 | 16 16 16 | 8 8 8
__global__ void k(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
        k = blockIdx.z * blockDim.z + threadIdx.z, p = (k * n + j) * n + i;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1 && k > 0 && k < n - 1)
        y[p] = x[p] + 0.1f * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n] + x[p - n * n] + x[p + n * n] - 6.0f * x[p]);
}
//=
void k(const float *x, float *y, int n)
{
    for (int k = 1; k < n - 1; k++)
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++) {
                int p = (k * n + j) * n + i;
                y[p] = x[p] +
                       0.1f * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n] + x[p - n * n] + x[p + n * n] - 6.0f * x[p]);
            }
}

//: stencil 3-d, 32 x 4 x 2 | f 2097152, o 2097152, 128 | 4 32 64 | 32 4 2
__global__ void k(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
        k = blockIdx.z * blockDim.z + threadIdx.z, p = (k * n + j) * n + i;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1 && k > 0 && k < n - 1)
        y[p] = x[p] + 0.1f * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n] + x[p - n * n] + x[p + n * n] - 6.0f * x[p]);
}
//= stencil 3-d, 8 x 8 x 8

//: stencil 3-d, 16 x 4 x 4 | f 2097152, o 2097152, 128 | 8 32 32 | 16 4 4
__global__ void k(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
        k = blockIdx.z * blockDim.z + threadIdx.z, p = (k * n + j) * n + i;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1 && k > 0 && k < n - 1)
        y[p] = x[p] + 0.1f * (x[p - 1] + x[p + 1] + x[p - n] + x[p + n] + x[p - n * n] + x[p + n * n] - 6.0f * x[p]);
}
//= stencil 3-d, 8 x 8 x 8

//: stencil 2-d, shared | f 1048576, o 1048576, 1024 | 64 64 | 16 16
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[18][18];
    int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
    s[ty + 1][tx + 1] = x[r * n + c];
    if (tx == 0) s[ty + 1][0] = c ? x[r * n + c - 1] : 0;
    if (tx == 15) s[ty + 1][17] = c < n - 1 ? x[r * n + c + 1] : 0;
    if (ty == 0) s[0][tx + 1] = r ? x[(r - 1) * n + c] : 0;
    if (ty == 15) s[17][tx + 1] = r < n - 1 ? x[(r + 1) * n + c] : 0;
    __syncthreads();
    y[r * n + c] = 0.25f * (s[ty][tx + 1] + s[ty + 2][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2]);
}
//=
void k(const float *x, float *y, int n)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            int p = r * n + c;
            y[p] = 0.25f *
                   ((r ? x[p - n] : 0) + (r < n - 1 ? x[p + n] : 0) + (c ? x[p - 1] : 0) + (c < n - 1 ? x[p + 1] : 0));
        }
}

//: stencil 1-d, shared | f 1048576, o 1048576, 1048576 | 4096 | 256
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256 + 6];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x + 3;
    s[t] = x[i];
    if (threadIdx.x < 3) {
        s[t - 3] = i >= 3 ? x[i - 3] : 0;
        s[t + 256] = i + 256 < n ? x[i + 256] : 0;
    }
    __syncthreads();
    float r = 0;
    for (int k = -3; k <= 3; k++) r += s[t + k];
    y[i] = r;
}
//=
void k(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float r = 0;
        for (int k = -3; k <= 3; k++) r += i + k >= 0 && i + k < n ? x[i + k] : 0;
        y[i] = r;
    }
}

//: convolution, constant | f 1048576, f 81, o 1048576, 1024 | 64 64 | 16 16
__global__ void k(const float *x, const float *w, float *y, int n)
{
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (c < 4 || r < 4 || c >= n - 4 || r >= n - 4) return;
    float s = 0;
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) s += w[i * 9 + j] * x[(r + i - 4) * n + c + j - 4];
    y[r * n + c] = s;
}
//=
void k(const float *x, const float *w, float *y, int n)
{
    for (int r = 4; r < n - 4; r++)
        for (int c = 4; c < n - 4; c++) {
            float s = 0;
            for (int i = 0; i < 9; i++)
                for (int j = 0; j < 9; j++) s += w[i * 9 + j] * x[(r + i - 4) * n + c + j - 4];
            y[r * n + c] = s;
        }
}
