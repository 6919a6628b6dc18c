// What networks and statistics are made of: softmax, normalisation, k-means, activation functions, FFT.

// Softmax of rows: a block a row, two reductions.
extern "C" __global__ void softmax(const float *in, float *out, int cols)
{
    __shared__ float reduction[128];
    const float *x = in + (size_t)blockIdx.x * cols;
    float *y = out + (size_t)blockIdx.x * cols;
    int tid = threadIdx.x;
    float largest = __int_as_float(0xff800000); // minus infinity
    for (int i = tid; i < cols; i += blockDim.x) largest = fmaxf(largest, x[i]);
    reduction[tid] = largest;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) reduction[tid] = fmaxf(reduction[tid], reduction[tid + stride]);
        __syncthreads();
    }
    largest = reduction[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = tid; i < cols; i += blockDim.x) {
        float e = expf(x[i] - largest);
        y[i] = e;
        sum += e;
    }
    reduction[tid] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) reduction[tid] += reduction[tid + stride];
        __syncthreads();
    }
    sum = reduction[0];
    for (int i = tid; i < cols; i += blockDim.x) y[i] /= sum;
}

// In one pass, a warp a row: largest and sum are corrected as larger ones come.
extern "C" __global__ void softmax_online(const float *in, float *out, int rows, int cols)
{
    const unsigned all = 0xffffffffu;
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const float *x = in + row * cols;
    float m = -1e30f, s = 0.f;
    for (int i = lane; i < cols; i += 32) {
        float bigger = max(m, x[i]);
        s = s * expf(m - bigger) + expf(x[i] - bigger);
        m = bigger;
    }
#pragma unroll
    for (int d = 16; d >= 1; d /= 2) {
        float om = __shfl_xor_sync(all, m, d), os = __shfl_xor_sync(all, s, d), bigger = fmaxf(m, om);
        s = s * expf(m - bigger) + os * expf(om - bigger);
        m = bigger;
    }
    for (int i = lane; i < cols; i += 32) out[row * cols + i] = expf(x[i] - m) / s;
}

// Mean and variance by one reduction of pairs.
extern "C" __global__ void layer_norm(const float *x, float *y, const float *gamma, const float *beta, int cols,
                                      float eps)
{
    __shared__ float2 s[256];
    int row = blockIdx.x, tid = threadIdx.x;
    float2 mine = make_float2(0.f, 0.f);
    for (int i = tid; i < cols; i += blockDim.x) {
        float v = x[row * cols + i];
        mine.x += v;
        mine.y += v * v;
    }
    s[tid] = mine;
    __syncthreads();
    for (int half = blockDim.x >> 1; half > 0; half >>= 1) {
        if (tid < half) {
            s[tid].x += s[tid + half].x;
            s[tid].y += s[tid + half].y;
        }
        __syncthreads();
    }
    __shared__ float mean, inverse;
    if (tid == 0) {
        mean = s[0].x / cols;
        inverse = rsqrtf(s[0].y / cols - mean * mean + eps);
    }
    __syncthreads();
    for (int i = tid; i < cols; i += blockDim.x)
        y[row * cols + i] = (x[row * cols + i] - mean) * inverse * gamma[i] + beta[i];
}

// k-means: the nearest centre of each point; then sums for new centres, kept by each block.
extern "C" __global__ void kmeans_assign(const float2 *points, const float2 *centres, int *label, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 3.402823466e+38F;
    int nearest = 0;
    float2 p = points[i];
    for (int c = 0; c < k; ++c) {
        float dx = p.x - centres[c].x, dy = p.y - centres[c].y;
        float d = dx * dx + dy * dy;
        if (d < best) {
            best = d;
            nearest = c;
        }
    }
    label[i] = nearest;
}

extern "C" __global__ void kmeans_update(const float2 *points, const int *label, double *sums, int *counts, int n,
                                         int k)
{
    extern __shared__ unsigned char memory[];
    double *sx = (double *)memory, *sy = sx + k;
    int *count = (int *)(sy + k);
    for (int c = threadIdx.x; c < k; c += blockDim.x) {
        sx[c] = sy[c] = 0;
        count[c] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int c = label[i];
        atomicAdd(&sx[c], (double)points[i].x);
        atomicAdd(&sy[c], (double)points[i].y);
        atomicAdd(&count[c], 1);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < k; c += blockDim.x) {
        atomicAdd(&sums[2 * c], sx[c]);
        atomicAdd(&sums[2 * c + 1], sy[c]);
        atomicAdd(&counts[c], count[c]);
    }
}

// One operation out of several: functions as objects, chosen when the kernel is compiled.
struct Relu {
    __device__ float operator()(float x) const { return x > 0 ? x : 0; }
};
struct LeakyRelu {
    float slope;
    __device__ LeakyRelu(float slope = 0.125f) : slope(slope) {}
    __device__ float operator()(float x) const { return x > 0 ? x : slope * x; }
};

template <class Function> __global__ void apply(const float *in, float *out, int n)
{
    Function f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = f(in[i]);
}

// Fourier's transform of a power of two elements in shared memory: bits reversed, then butterflies.
#define PI 3.14159265358979323846

extern "C" __global__ void fft_shared(const double2 *in, double2 *out, int log_n, int inverse)
{
    extern __shared__ double2 v[];
    const int n = 1 << log_n, t = threadIdx.x, base = blockIdx.x * n;
    for (int i = t; i < n; i += blockDim.x) v[__brev(i) >> (32 - log_n)] = in[base + i];
    __syncthreads();
    for (int half = 1; half < n; half <<= 1) {
        for (int b = t; b < n / 2; b += blockDim.x) {
            int k = b & (half - 1), i = 2 * (b - k) + k, j = i + half;
            double s, c;
            sincos((inverse ? PI : -PI) * k / half, &s, &c);
            double2 a = v[i], w = v[j];
            double2 m = make_double2(w.x * c - w.y * s, w.x * s + w.y * c);
            v[i] = make_double2(a.x + m.x, a.y + m.y);
            v[j] = make_double2(a.x - m.x, a.y - m.y);
        }
        __syncthreads();
    }
    for (int i = t; i < n; i += blockDim.x) {
        double2 r = v[i];
        if (inverse) {
            r.x /= n;
            r.y /= n;
        }
        out[base + i] = r;
    }
}

// Prices of options.
__device__ float cnd(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

extern "C" __global__ void black_scholes(float *call, float *put, const float *price, const float *strike,
                                         const float *years, float r, float v, int n)
{
    const int tid = blockDim.x * blockIdx.x + threadIdx.x, threads = blockDim.x * gridDim.x;
    for (int i = tid; i < n; i += threads) {
        float root = sqrtf(years[i]);
        float d1 = (logf(price[i] / strike[i]) + (r + 0.5f * v * v) * years[i]) / (v * root), d2 = d1 - v * root;
        float worth = strike[i] * expf(-r * years[i]);
        call[i] = price[i] * cnd(d1) - worth * cnd(d2);
        put[i] = worth * cnd(-d2) - price[i] * cnd(-d1);
    }
}
