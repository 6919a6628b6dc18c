// Transposes, against a loop over tiles of 32 x 32. See ../kernels_tables.py.

//: transpose, 32 x 8 | f 1048576, o 1048576, 1024 | 32 32 | 32 8
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) s[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x;
    r = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) y[(r + j) * n + c] = s[threadIdx.x][threadIdx.y + j];
}
//=
void k(const float *x, float *y, int n)
{
    for (int r = 0; r < n; r += 32)
        for (int c = 0; c < n; c += 32)
            for (int i = 0; i < 32; i++)
                for (int j = 0; j < 32; j++) y[(c + i) * n + r + j] = x[(r + j) * n + c + i];
}

//: transpose, 16 x 16 | f 1048576, o 1048576, 1024 | 64 64 | 16 16
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    s[ty][tx] = x[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    y[(blockIdx.x * 16 + ty) * n + blockIdx.y * 16 + tx] = s[tx][ty];
}
//= transpose, 32 x 8

//: transpose, naive | f 1048576, o 1048576, 1024 | 32 128 | 32 8
__global__ void k(const float *x, float *y, int n)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    y[c * n + r] = x[r * n + c];
}
//= transpose, 32 x 8
