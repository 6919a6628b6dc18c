// Others with barriers. See ../kernels_tables.py.

//: histogram, shared | i 1048576, oi 1024, 1048576 | 64 | 256
__global__ void k(const int *x, int *y, int n)
{
    __shared__ int s[1024];
    for (int k = threadIdx.x; k < 1024; k += 256) s[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s[x[i]], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += 256) atomicAdd(&y[k], s[k]);
}
//=
void k(const int *x, int *y, int n)
{
    for (int i = 0; i < n; i++) y[x[i]]++;
}

//: scan, Hillis and Steele | i 262144, oi 262144, 262144 | 1024 | 256
__global__ void k(const int *x, int *y, int n)
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
//=
void k(const int *x, int *y, int n)
{
    for (int b = 0; b < n; b += 256) {
        int s = 0;
        for (int i = b; i < b + 256; i++) y[i] = s += x[i];
    }
}

//: scan, shuffles | i 262144, oi 262144, 262144 | 1024 | 256
__global__ void k(const int *x, int *y, int n)
{
    __shared__ int s[8];
    int t = threadIdx.x, v = x[blockIdx.x * 256 + t];
    for (int d = 1; d < 32; d *= 2) {
        int w = __shfl_up_sync(0xffffffff, v, d);
        if (t % 32 >= d) v += w;
    }
    if (t % 32 == 31) s[t / 32] = v;
    __syncthreads();
    for (int k = 0; k < t / 32; k++) v += s[k];
    y[blockIdx.x * 256 + t] = v;
}
//= scan, Hillis and Steele

//: bitonic sort | i 65536, oi 65536, 65536 | 256 | 256
__global__ void k(const int *x, int *y, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t && (s[t] > s[o]) == ((t & k) == 0)) {
                int v = s[t];
                s[t] = s[o];
                s[o] = v;
            }
            __syncthreads();
        }
    y[blockIdx.x * 256 + t] = s[t];
}
//=
void k(const int *x, int *y, int n)
{
    for (int b = 0; b < n; b += 256) {
        int *s = y + b;
        for (int i = 0; i < 256; i++) s[i] = x[b + i];
        for (int k = 2; k <= 256; k *= 2)
            for (int j = k / 2; j > 0; j /= 2)
                for (int t = 0; t < 256; t++) {
                    int o = t ^ j;
                    if (o > t && (s[t] > s[o]) == ((t & k) == 0)) {
                        int v = s[t];
                        s[t] = s[o];
                        s[o] = v;
                    }
                }
    }
}
