// Kernels of networks: small integers and floats, normalizations, attention, optimizers. Written as libraries write
// them: templates of vector widths, warp reductions, packed words, half and bfloat16.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define WARP 32
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

template <typename T> struct Sum {
    __device__ __forceinline__ T operator()(const T &a, const T &b) const { return a + b; }
};
template <typename T> struct Max {
    __device__ __forceinline__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <template <typename> class Op, typename T, int width = WARP> __device__ __forceinline__ T warp_all(T v)
{
#pragma unroll
    for (int mask = width / 2; mask > 0; mask >>= 1) v = Op<T>()(v, __shfl_xor_sync(0xffffffffu, v, mask, width));
    return v;
}
template <template <typename> class Op, typename T, int block> __device__ T block_all(T v, T none)
{
    static_assert(block % WARP == 0, "whole warps");
    __shared__ T parts[block / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    v = warp_all<Op>(v);
    __syncthreads();
    if (lane == 0) parts[warp] = v;
    __syncthreads();
    return warp_all<Op>(lane < block / WARP ? parts[lane] : none);
}

// C = A B of signed bytes, B transposed, four products at a time.
extern "C" __global__ void gemm_dp4a(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c, int m,
                                     int n, int words)
{
    __shared__ int as[16][17], bs[16][17];
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < words; k += 16) {
        const int ka = k + threadIdx.x, brow = blockIdx.x * 16 + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && ka < words ? __ldg(&a[row * words + ka]) : 0;
        bs[threadIdx.y][threadIdx.x] = brow < n && ka < words ? __ldg(&b[brow * words + ka]) : 0;
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < 16; i++) sum = __dp4a(as[threadIdx.y][i], bs[threadIdx.x][i], sum);
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

// Products of signs: bits that differ are counted.
extern "C" __global__ void gemm_signs(const unsigned *a, const unsigned *b, int *c, int m, int n, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    const unsigned *x = a + i / n * words, *y = b + i % n * words;
    int differ = 0;
    for (int k = 0; k < words; ++k) differ += __popc(x[k] ^ y[k]);
    c[i] = 32 * words - 2 * differ;
}

extern "C" __global__ void gemv_half2(const half2 *__restrict__ a, const half2 *__restrict__ x, float *y, int pairs)
{
    const half2 *row = a + (size_t)blockIdx.x * pairs;
    float sum = 0;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        const float2 u = __half22float2(row[i]), v = __half22float2(x[i]);
        sum = fmaf(u.x, v.x, fmaf(u.y, v.y, sum));
    }
    sum = warp_all<Sum>(sum);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

// Blocks of 32 numbers as 4 bits with one scale: two in a byte, the upper half behind the lower.
struct __align__(4) Packed4 {
    half scale;
    unsigned char low_high[18 - 2];
    unsigned char unused[2];
};
extern "C" __global__ void quantise_4(const float *x, Packed4 *out, int blocks)
{
    const int b = blockIdx.x * blockDim.y + threadIdx.y;
    if (b >= blocks) return;
    const float v = x[b * 32 + threadIdx.x];
    const float most = warp_all<Max>(fabsf(v));
    const half scale = __float2half(most / 7.0f);
    const float s = __half2float(scale), inverse = s > 0 ? 1.0f / s : 0.0f;
    int q = __float2int_rn(v * inverse);
    q = min(max(q, -8), 7) + 8;
    const int other = __shfl_down_sync(0xffffffffu, q, 16);
    if (threadIdx.x < 16) out[b].low_high[threadIdx.x] = (unsigned char)(q | other << 4);
    if (threadIdx.x == 0) out[b].scale = scale, out[b].unused[0] = out[b].unused[1] = 0;
}
extern "C" __global__ void gemv_4(const Packed4 *__restrict__ a, const float *__restrict__ x, float *y, int blocks)
{
    float sum = 0;
    for (int b = 0; b < blocks; ++b) {
        const Packed4 *p = &a[blockIdx.x * blocks + b];
        const unsigned char byte = p->low_high[threadIdx.x & 15];
        const int q = (threadIdx.x < 16 ? byte & 0xf : byte >> 4) - 8;
        sum += __half2float(p->scale) * q * x[b * 32 + threadIdx.x];
    }
    sum = warp_all<Sum>(sum);
    if (!threadIdx.x) y[blockIdx.x] = sum;
}

extern "C" __global__ void quantise_rows(const float *x, signed char *q, float *scales, int columns)
{
    float most = 0;
    for (int i = threadIdx.x; i < columns; i += 128) most = fmaxf(most, fabsf(x[blockIdx.x * columns + i]));
    most = block_all<Max, float, 128>(most, 0.0f);
    const float scale = most / 127.0f;
    for (int i = threadIdx.x; i < columns; i += 128)
        q[blockIdx.x * columns + i] = scale > 0 ? (signed char)__float2int_rn(x[blockIdx.x * columns + i] / scale) : 0;
    if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

// The running maximum and sum of exponentials of tiles of keys, one query a thread.
template <int D, int TILE> __global__ void flash_attention(const float *__restrict__ q, const float *__restrict__ k,
                                                           const float *__restrict__ v, float *__restrict__ out, int n,
                                                           float scale, bool causal)
{
    __shared__ float ks[TILE][D], vs[TILE][D];
    const int row = blockIdx.x * TILE + threadIdx.x;
    const size_t head = (size_t)blockIdx.y * n * D;
    float own[D], sum[D] = {}, most = -INFINITY, norm = 0;
    for (int d = 0; d < D; d++) own[d] = row < n ? q[head + row * D + d] : 0;
    for (int tile = 0; tile < n; tile += TILE) {
        for (int i = threadIdx.x; i < TILE * D; i += TILE) {
            const bool inside = tile + i / D < n;
            ks[i / D][i % D] = inside ? k[head + tile * D + i] : 0;
            vs[i / D][i % D] = inside ? v[head + tile * D + i] : 0;
        }
        __syncthreads();
        for (int j = 0; j < TILE && tile + j < n; j++) {
            if (causal && tile + j > row) break;
            float score = 0;
#pragma unroll
            for (int d = 0; d < D; d++) score += own[d] * ks[j][d];
            score *= scale;
            const float higher = fmaxf(most, score), keep = expf(most - higher), weight = expf(score - higher);
            norm = norm * keep + weight;
            for (int d = 0; d < D; d++) sum[d] = sum[d] * keep + weight * vs[j][d];
            most = higher;
        }
        __syncthreads();
    }
    if (row < n)
        for (int d = 0; d < D; d++) out[head + row * D + d] = sum[d] / norm;
}

extern "C" __global__ void rotary(float2 *x, int pairs, int tokens, float base)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs * tokens) return;
    const int token = i / pairs, pair = i - token * pairs;
    float s, c;
    sincosf((float)token * powf(base, -2.0f * (float)pair / (2.0f * (float)pairs)), &s, &c);
    const float2 v = x[i];
    x[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

template <typename T> __device__ float as_float(T v);
template <> __device__ float as_float<float>(float v) { return v; }
template <> __device__ float as_float<half>(half v) { return __half2float(v); }
template <> __device__ float as_float<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ T as(float v);
template <> __device__ float as<float>(float v) { return v; }
template <> __device__ half as<half>(float v) { return __float2half_rn(v); }
template <> __device__ __nv_bfloat16 as<__nv_bfloat16>(float v) { return __float2bfloat16_rn(v); }

template <typename T, int block = 64> __global__ __launch_bounds__(block * 2 / 2)
void rms_norm(const T *__restrict__ x, const float *__restrict__ gain, T *__restrict__ y, int columns, float epsilon)
{
    const T *row = x + (size_t)blockIdx.x * columns;
    float squares = 0;
    for (int i = threadIdx.x; i < columns; i += block) squares += as_float(row[i]) * as_float(row[i]);
    const float scale = rsqrtf(block_all<Sum, float, block>(squares, 0.f) / columns + epsilon);
    for (int i = threadIdx.x; i < columns; i += block)
        y[(size_t)blockIdx.x * columns + i] = as<T>(as_float(row[i]) * scale * gain[i]);
}

// Means and variances that are merged, as Welford and Chan do.
struct Moments {
    float mean, m2;
    int n;
    __device__ Moments &operator+=(const Moments &o)
    {
        const int all = n + o.n;
        if (o.n == 0) return *this;
        const float d = o.mean - mean;
        mean += d * o.n / all, m2 += o.m2 + d * d * n / all * o.n, n = all;
        return *this;
    }
    __device__ Moments lower(int by) const
    {
        return {__shfl_down_sync(~0u, mean, by), __shfl_down_sync(~0u, m2, by), __shfl_down_sync(~0u, n, by)};
    }
};
extern "C" __global__ void welford_rows(const float *x, float *mean, float *variance, int columns)
{
    Moments m = {0, 0, 0};
    for (int i = threadIdx.x; i < columns; i += WARP) m += Moments{x[blockIdx.x * columns + i], 0, 1};
    for (int by = WARP / 2; by; by /= 2) m += m.lower(by);
    if (threadIdx.x == 0) mean[blockIdx.x] = m.mean, variance[blockIdx.x] = m.m2 / m.n;
}

extern "C" __global__ void cross_entropy(const float *logits, const int *labels, float *loss, float *gradient,
                                         int classes)
{
    const float *row = logits + blockIdx.x * classes;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < classes; i += 32) most = fmaxf(most, row[i]);
    most = warp_all<Max>(most);
    for (int i = threadIdx.x; i < classes; i += 32) sum += __expf(row[i] - most);
    sum = warp_all<Sum>(sum);
    const int label = labels[blockIdx.x];
    for (int i = threadIdx.x; i < classes; i += 32)
        gradient[blockIdx.x * classes + i] = __expf(row[i] - most) / sum - (i == label ? 1.0f : 0.0f);
    if (threadIdx.x == 0) loss[blockIdx.x] = __logf(sum) + most - row[label];
}

// Weights in half precision beside those that are kept.
extern "C" __global__ void adamw(float *w, half *small, const half *g, float *m, float *v, int n, float rate,
                                 float decay, int step)
{
    const float b1 = 0.9f, b2 = 0.999f;
    const float c1 = 1 - powf(b1, step), c2 = 1 - powf(b2, step);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float d = __half2float(g[i]);
        m[i] = b1 * m[i] + (1 - b1) * d;
        v[i] = b2 * v[i] + (1 - b2) * d * d;
        w[i] -= rate * (m[i] / c1 / (sqrtf(v[i] / c2) + 1e-8f) + decay * w[i]);
        small[i] = __float2half(w[i]);
    }
}

__device__ __forceinline__ float4 operator*(const float4 &a, const float4 &b)
{
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
__device__ __forceinline__ float silu(float x) { return x / (1.0f + expf(-x)); }
extern "C" __global__ void swiglu(const float4 *gate, const float4 *up, float4 *out, int quads)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        const float4 g = __ldg(gate + i);
        out[i] = make_float4(silu(g.x), silu(g.y), silu(g.z), silu(g.w)) * __ldg(up + i);
    }
}

// Philox's ten rounds, four numbers for four elements.
__device__ uint4 philox(uint4 c, uint2 k)
{
#pragma unroll
    for (int r = 0; r < 10; ++r, k.x += 0x9E3779B9u, k.y += 0xBB67AE85u) {
        const unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
        const unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
        c = make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
    }
    return c;
}
extern "C" __global__ void dropout(const float *x, float *y, unsigned char *kept, int n, float p,
                                   unsigned long long seed)
{
    const int quad = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * quad >= n) return;
    const uint4 r = philox(make_uint4(quad, 0, 0, 0), make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
    const unsigned word[4] = {r.x, r.y, r.z, r.w};
    for (int i = 0; i < 4 && 4 * quad + i < n; i++) {
        const bool keep = (word[i] >> 8) * 0x1p-24f >= p;
        kept[4 * quad + i] = keep;
        y[4 * quad + i] = keep ? x[4 * quad + i] / (1 - p) : 0.0f;
    }
}

extern "C" __global__ void bfloat16_stochastic(const float *x, __nv_bfloat16 *y, const unsigned short *noise, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __ushort_as_bfloat16((unsigned short)((__float_as_uint(x[i]) + noise[i]) >> 16));
}

extern "C" __global__ void batch_moments(const float *x, double *sums, int channels, int inner)
{
    const int c = blockIdx.y;
    double s = 0, s2 = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < inner; i += gridDim.x * blockDim.x) {
        const double v = x[(blockIdx.z * channels + c) * inner + i];
        s += v, s2 += v * v;
    }
    s = warp_all<Sum>(s), s2 = warp_all<Sum>(s2);
    if (threadIdx.x % WARP == 0) atomicAdd(&sums[2 * c], s), atomicAdd(sums + 2 * c + 1, s2);
}

template <int K, int S> __global__ void max_pool(const float *x, float *y, int *where, int h, int w)
{
    const int oh = (h - K) / S + 1, ow = (w - K) / S + 1;
    const int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= ow || oy >= oh) return;
    float most = -INFINITY;
    int at = -1;
#pragma unroll
    for (int i = 0; i < K; i++)
#pragma unroll
        for (int j = 0; j < K; j++) {
            const int p = (oy * S + i) * w + ox * S + j;
            if (x[blockIdx.z * h * w + p] > most) most = x[blockIdx.z * h * w + p], at = p;
        }
    y[(blockIdx.z * oh + oy) * ow + ox] = most, where[(blockIdx.z * oh + oy) * ow + ox] = at;
}

extern "C" __global__ void im2col(const float *x, float *columns, int channels, int h, int w, int k, int pad)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < channels * k * k * h * w; i += blockDim.x * gridDim.x) {
        const int ox = i % w, oy = i / w % h, kx = i / (w * h) % k, ky = i / (w * h * k) % k, c = i / (w * h * k * k);
        const int y = oy + ky - pad, xx = ox + kx - pad;
        columns[i] = y >= 0 && y < h && xx >= 0 && xx < w ? x[(c * h + y) * w + xx] : 0.0f;
    }
}

__device__ float logistic(float v) { return 1.0f / (1.0f + expf(-v)); }
extern "C" __global__ void lstm_cell(const float *gates, const float *bias, const float *c0, float *c1, float *h1,
                                     int batch, int hidden)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * hidden) return;
    const int b = i / hidden, u = i % hidden;
    float g[4];
    for (int k = 0; k < 4; k++) g[k] = gates[(b * 4 + k) * hidden + u] + bias[k * hidden + u];
    const float c = logistic(g[1]) * c0[i] + logistic(g[0]) * tanhf(g[2]);
    c1[i] = c, h1[i] = logistic(g[3]) * tanhf(c);
}

// The k largest of a row by repeated maxima of value and place in one word.
extern "C" __global__ void top_k(const float *x, float *values, int *places, int columns, int k)
{
    extern __shared__ unsigned long long keys[];
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        unsigned u = __float_as_uint(x[blockIdx.x * columns + i]);
        u = u & 0x80000000u ? ~u : u | 0x80000000u;
        keys[i] = (unsigned long long)u << 32 | (0xffffffffu - (unsigned)i);
    }
    __syncthreads();
    for (int round = 0; round < k; round++) {
        unsigned long long best = 0;
        for (int i = threadIdx.x; i < columns; i += blockDim.x) best = max(best, keys[i]);
        best = block_all<Max, unsigned long long, 64>(best, 0ull);
        const int at = (int)(0xffffffffu - (unsigned)best);
        if (threadIdx.x == 0) {
            values[blockIdx.x * k + round] = x[blockIdx.x * columns + at];
            places[blockIdx.x * k + round] = at;
            keys[at] = 0;
        }
        __syncthreads();
    }
}

extern "C" __global__ void scatter_half2(half2 *table, const int *rows, const half2 *values, int n, int pairs)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * pairs; i += gridDim.x * blockDim.x)
        atomicAdd(&table[rows[i / pairs] * pairs + i % pairs], values[i]);
}
