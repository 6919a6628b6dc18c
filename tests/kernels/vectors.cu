// One thread per element, and a grid that strides over more elements than it has threads.

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// y = a x + y, for a grid of any size: each thread goes on by the number of threads there are.
extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i];
}

// The same with a 64-bit index, and unrolled by hand: four loads are under way at once.
extern "C" __global__ void scale_add_unrolled(const double *x, double *y, double a, long long n)
{
    const long long stride = (long long)gridDim.x * blockDim.x;
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        double x0 = x[i], x1 = x[i + stride], x2 = x[i + 2 * stride], x3 = x[i + 3 * stride];
        y[i] += a * x0;
        y[i + stride] += a * x1;
        y[i + 2 * stride] += a * x2;
        y[i + 3 * stride] += a * x3;
    }
    for (; i < n; i += stride) y[i] += a * x[i];
}

// Sixteen bytes at a time. The last few elements are left to the first threads.
extern "C" __global__ void copy_float4(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int quads = n / 4;
    if (i < quads) {
        float4 v = reinterpret_cast<const float4 *>(in)[i];
        v.x *= 2.0f;
        v.y *= 2.0f;
        v.z *= 2.0f;
        v.w *= 2.0f;
        reinterpret_cast<float4 *>(out)[i] = v;
    }
    const int left = quads * 4 + i;
    if (i < 4 && left < n) out[left] = 2.0f * in[left];
}

// A grid of two dimensions over a matrix that need not be a multiple of the block.
extern "C" __global__ void matrix_add(const int *a, const int *b, int *c, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    int at = row * cols + col;
    c[at] = a[at] + b[at];
}

// Reading through the read-only cache, in an order that another array tells.
extern "C" __global__ void gather(const double *__restrict__ table, const int *__restrict__ index, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __ldg(&table[__ldg(index + i)]);
}

// Where each thread is, in three dimensions.
extern "C" __global__ void where_am_i(int *block_number, int *thread_number, int nx, int ny, int nz)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        unsigned at = (z * ny + y) * nx + x;
        block_number[at] = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        thread_number[at] = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
}
