// Sums of blocks, a dot product, rows of a softmax. See ../kernels_tables.py.

//: reduction, sequential | f 1048576, o 4096, 1048576 | 4096 | 256
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = s[0];
}
//=
void k(const float *x, float *y, int n)
{
    for (int b = 0; b < n / 256; b++) {
        float s[8] = {};
        for (int i = 0; i < 256; i++) s[i & 7] += x[b * 256 + i];
        y[b] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
}

//: reduction, while | f 1048576, o 4096, 1048576 | 4096 | 256
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    int k = blockDim.x / 2;
    while (k != 0) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
        k /= 2;
    }
    if (t == 0) y[blockIdx.x] = s[0];
}
//= reduction, sequential

//: reduction, interleaved | f 1048576, o 4096, 1048576 | 4096 | 256
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 1; k < blockDim.x; k *= 2) {
        if (t % (2 * k) == 0) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = s[0];
}
//= reduction, sequential

//: reduction, strided | f 1048576, o 4096, 1048576 | 4096 | 256
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        int i = 2 * k * t;
        if (i < 256) s[i] += s[i + k];
        __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = s[0];
}
//= reduction, sequential

//: reduction, shuffles | f 1048576, o 4096, 1048576 | 4096 | 256
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[8];
    int t = threadIdx.x;
    float v = x[blockIdx.x * 256 + t];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < 8 ? s[t] : 0;
        for (int o = 4; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
        if (t == 0) y[blockIdx.x] = v;
    }
}
//= reduction, sequential

//: reduction, groups | f 1048576, o 4096, 1048576 | 4096 | 256
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256];
    cg::thread_block b = cg::this_thread_block();
    int t = b.thread_rank();
    s[t] = x[blockIdx.x * 256 + t];
    cg::sync(b);
    for (int k = b.size() / 2; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        b.sync();
    }
    if (t == 0) y[blockIdx.x] = s[0];
}
//= reduction, sequential

//: reduction, tiles | f 1048576, o 4096, 1048576 | 4096 | 256
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[8];
    auto b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    float v = cg::reduce(w, x[blockIdx.x * 256 + b.thread_rank()], cg::plus<float>());
    if (w.thread_rank() == 0) s[w.meta_group_rank()] = v;
    b.sync();
    if (b.thread_rank() == 0) {
        float r = 0;
        for (int i = 0; i < 8; i++) r += s[i];
        y[blockIdx.x] = r;
    }
}
//= reduction, sequential

//: dot product | f 1048576, f 1048576, o 64, 1048576 | 64 | 256
__global__ void k(const float *x, const float *y, float *z, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i] * y[i];
    s[t] = v;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) z[blockIdx.x] = s[0];
}
//=
void k(const float *x, const float *y, float *z, int n)
{
    for (int b = 0; b < 64; b++) {
        float s[256] = {};
        for (int i = b * 256; i < n; i += 64 * 256)
            for (int t = 0; t < 256; t++) s[t] += x[i + t] * y[i + t];
        float r = 0;
        for (int t = 0; t < 256; t++) r += s[t];
        z[b] = r;
    }
}

//: rows of a softmax | f 1048576, o 1048576, 256 | 4096 | 256
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float v = x[blockIdx.x * n + t];
    s[t] = v;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] = fmaxf(s[t], s[t + k]);
        __syncthreads();
    }
    float m = s[0];
    __syncthreads();
    float e = expf(v - m);
    s[t] = e;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    y[blockIdx.x * n + t] = e / s[0];
}
//=
void k(const float *x, float *y, int n)
{
    for (int b = 0; b < 4096; b++) {
        const float *p = x + b * n;
        float *q = y + b * n, m = p[0], s = 0;
        for (int i = 0; i < n; i++) m = p[i] > m ? p[i] : m;
        for (int i = 0; i < n; i++) q[i] = expf(p[i] - m);
        for (int i = 0; i < n; i++) s += q[i];
        for (int i = 0; i < n; i++) q[i] /= s;
    }
}

//: reduction, method | f 1048576, o 4096, 1048576 | 4096 | 256
struct Block {
    float *s;
    __device__ float sum(float v) {
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int k = 128;
    k > 0;
    k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
    } return s[0];
    } };
__global__ void k(const float *x, float *y, int n) {
    int t = threadIdx.x;
    float v = x[blockIdx.x * 256 + t];
    __shared__ float s[256];
    Block b{s};
    v = b.sum(v);
    if (t == 0) y[blockIdx.x] = v;
    }
//= reduction, sequential

//: reduction, class with storage | f 1048576, o 4096, 1048576 | 4096 | 256
struct Plus {
    __device__ float operator()(float a, float b) const {
    return a + b;
    } };
template <typename T, int N> class Sum {
    public: struct Storage {
    T s[N];
    };
    __device__ Sum(Storage &to) : store(to), t(threadIdx.x) {} template <class Op> __device__ T of(T v, Op op) {
    store.s[t] = v;
    __syncthreads();
    for (int k = N / 2;
    k > 0;
    k >>= 1) {
    if (t < k) store.s[t] = op(store.s[t], store.s[t + k]);
    __syncthreads();
    } return store.s[0];
    } private: Storage &store;
    int t;
    };
__global__ void k(const float *x, float *y, int n) {
    int t = threadIdx.x;
    float v = x[blockIdx.x * 256 + t];
    __shared__ Sum<float, 256>::Storage s;
    v = Sum<float, 256>(s).of(v, Plus());
    if (t == 0) y[blockIdx.x] = v;
    }
//= reduction, sequential

//: reduction, functor of shuffles | f 1048576, o 4096, 1048576 | 4096 | 256
struct Warp {
    __device__ float operator()(float v) const {
    for (int o = 16;
    o > 0;
    o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
    } };
__global__ void k(const float *x, float *y, int n) {
    int t = threadIdx.x;
    float v = x[blockIdx.x * 256 + t];
    __shared__ float s[8];
    Warp sum;
    v = sum(v);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) v = sum(t < 8 ? s[t] : 0.0f);
    if (t == 0) y[blockIdx.x] = v;
    }
//= reduction, sequential

//: reduction, lambda | f 1048576, o 4096, 1048576 | 4096 | 256
template <class T, class Op> __device__ T fold(T v, Op op) {
    __shared__ T s[8];
    int t = threadIdx.x;
    for (int o = 16;
    o > 0;
    o /= 2) v = op(v, __shfl_down_sync(0xffffffff, v, o));
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
    v = t < 8 ? s[t] : T(0);
    for (int o = 16;
    o > 0;
    o /= 2) v = op(v, __shfl_down_sync(0xffffffff, v, o));
    } return v;
    }
__global__ void k(const float *x, float *y, int n) {
    int t = threadIdx.x;
    float v = x[blockIdx.x * 256 + t];
    v = fold(v, [](float a, float b) {
    return a + b;
    });
    if (t == 0) y[blockIdx.x] = v;
    }
//= reduction, sequential

//: reduction, lambda with barriers | f 1048576, o 4096, 1048576 | 4096 | 256
__global__ void k(const float *x, float *y, int n) {
    int t = threadIdx.x;
    float v = x[blockIdx.x * 256 + t];
    __shared__ float s[256];
    auto sum = [&](float v) {
    s[t] = v;
    __syncthreads();
    for (int k = 128;
    k > 0;
    k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
    } return s[0];
    };
    v = sum(v);
    if (t == 0) y[blockIdx.x] = v;
    }
//= reduction, sequential
