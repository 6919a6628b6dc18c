// Without barriers. See ../kernels_tables.py.

//: add | f 1048576, f 1048576, o 1048576, 1048576 | 4096 | 256
__global__ void k(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
//=
void k(const float *x, const float *y, float *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = x[i] + y[i];
}

//: triad | f 1048576, f 1048576, o 1048576, 1048576 | 4096 | 256
__global__ void k(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + 3.0f * y[i];
}
//=
void k(const float *x, const float *y, float *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = x[i] + 3.0f * y[i];
}

//: polynomial | f 1048576, f 1048576, o 1048576, 1048576 | 4096 | 256
__global__ void k(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = ((x[i] * 0.3f + y[i]) * x[i] - 0.7f) * x[i] + 1.5f;
}
//=
void k(const float *x, const float *y, float *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = ((x[i] * 0.3f + y[i]) * x[i] - 0.7f) * x[i] + 1.5f;
}

//: root | f 1048576, f 1048576, o 1048576, 1048576 | 4096 | 256
__global__ void k(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}
//=
void k(const float *x, const float *y, float *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}

//: choice | f 1048576, f 1048576, o 1048576, 1048576 | 4096 | 256
__global__ void k(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] > 0.5f ? x[i] * y[i] : y[i] - x[i];
}
//=
void k(const float *x, const float *y, float *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = x[i] > 0.5f ? x[i] * y[i] : y[i] - x[i];
}

//: exponential | f 1048576, f 1048576, o 1048576, 1048576 | 4096 | 256
__global__ void k(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = expf(-x[i]) * y[i];
}
//=
void k(const float *x, const float *y, float *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = expf(-x[i]) * y[i];
}

//: grid stride | f 1048576, f 1048576, o 1048576, 1048576 | 64 | 256
__global__ void k(const float *x, const float *y, float *z, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        z[i] = x[i] * y[i] + z[i] * 0.5f;
}
//=
void k(const float *x, const float *y, float *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = x[i] * y[i] + z[i] * 0.5f;
}

//: integers | i 1048576, oi 1048576, 1048576 | 4096 | 256
__global__ void k(const int *x, int *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = x[i];
        v ^= v << 7;
        v += v >> 3;
        z[i] = v * 9 + 1;
    }
}
//=
void k(const int *x, int *z, int n)
{
    for (int i = 0; i < n; i++) {
        int v = x[i];
        v ^= v << 7;
        v += v >> 3;
        z[i] = v * 9 + 1;
    }
}

//: doubles | d 524288, od 524288, 524288 | 2048 | 256
__global__ void k(const double *x, double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] / (1.0 + x[i] * x[i]);
}
//=
void k(const double *x, double *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = x[i] / (1.0 + x[i] * x[i]);
}

//: gather | f 1048576, i 1048576, o 1048576, 1048576 | 4096 | 256
__global__ void k(const float *x, const int *at, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[at[i]] * 2.0f;
}
//=
void k(const float *x, const int *at, float *z, int n)
{
    for (int i = 0; i < n; i++) z[i] = x[at[i]] * 2.0f;
}

//: mandelbrot | oi 65536, 256 | 16 16 | 16 16
__global__ void k(int *z, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float cr = x * 3.0f / n - 2.0f, ci = y * 2.0f / n - 1.0f, r = 0, i = 0;
    int k = 0;
    for (; k < 100 && r * r + i * i < 4.0f; k++) {
        float t = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = t;
    }
    z[y * n + x] = k;
}
//=
void k(int *z, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float cr = x * 3.0f / n - 2.0f, ci = y * 2.0f / n - 1.0f, r = 0, i = 0;
            int k = 0;
            for (; k < 100 && r * r + i * i < 4.0f; k++) {
                float t = r * r - i * i + cr;
                i = 2 * r * i + ci;
                r = t;
            }
            z[y * n + x] = k;
        }
}

//: matrix and vector | f 1048576, f 1024, o 1024, 1024 | 8 | 128
__global__ void k(const float *a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0;
        for (int k = 0; k < n; k++) s += a[k * n + i] * x[k];
        y[i] = s;
    }
}
//=
void k(const float *a, const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < n; k++) s += a[k * n + i] * x[k];
        y[i] = s;
    }
}

//: product, naive | f 65536, f 65536, o 65536, 256 | 16 16 | 16 16
__global__ void k(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s;
}
//=
void k(const float *a, const float *b, float *c, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float s = 0;
            for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
            c[y * n + x] = s;
        }
}

//: bodies | f 1024, f 1024, o 1024, 1024 | 8 | 128
__global__ void k(const float *x, const float *m, float *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++) {
        float d = x[k] - x[i];
        s += m[k] * d / sqrtf(d * d + 0.01f);
    }
    f[i] = s;
}
//=
void k(const float *x, const float *m, float *f, int n)
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < n; k++) {
            float d = x[k] - x[i];
            s += m[k] * d / sqrtf(d * d + 0.01f);
        }
        f[i] = s;
    }
}
