/* The trapezoidal rule on the GPU, in one read: each block sums its share, and the last block to finish adds the
 * blocks' sums, in an order that follows from n alone. */
#include "statistics/cuda.h"

namespace {

enum { THREADS = 256, BLOCKS = 1024, TURNS = 2 };

template <class T, int V> struct alignas(sizeof(T) * V) pack { T v[V]; };

/* V areas from element i on, all in range. */
template <class T, int V>
__device__ __forceinline__ void add_vector(const T *y, const T *x, T width, int64_t i, double &sum)
{
    const pack<T, V> a = *(const pack<T, V> *)(y + i);
    const T behind = y[i + V];
    pack<T, V> at = {};
    T next = 0;
    if (x) at = *(const pack<T, V> *)(x + i), next = x[i + V];
#pragma unroll
    for (int j = 0; j < V; j++) {
        const T wide = x ? (j + 1 < V ? at.v[j + 1] : next) - at.v[j] : width;
        sum += (double)(wide * ((j + 1 < V ? a.v[j + 1] : behind) + a.v[j]) / 2);
    }
}

/* Block reduction: the sum over all threads, in thread 0. */
__device__ __forceinline__ double joined(double sum)
{
    __shared__ double sums[THREADS / 32];
#pragma unroll
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x < THREADS / 32 ? sums[threadIdx.x] : 0;
#pragma unroll
    for (int d = THREADS / 64; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    return sum;
}

template <class T> __global__ void __launch_bounds__(THREADS)
areas_kernel(int64_t n, const T *y, const T *x, T width, bool aligned, double *parts, unsigned *counter, T *to)
{
    constexpr int V = 16 / sizeof(T);
    __shared__ bool last;
    double sum = 0;
    const int64_t areas = n - 1, step = (int64_t)gridDim.x * THREADS * V;
#pragma unroll TURNS
    for (int64_t i = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * V; i < areas; i += step) {
        if (aligned && i + V <= areas) {
            add_vector<T, V>(y, x, width, i, sum);
            continue;
        }
        for (int64_t k = i; k < i + V && k < areas; k++)
            sum += (double)((x ? x[k + 1] - x[k] : width) * (y[k + 1] + y[k]) / 2);
    }
    sum = joined(sum);
    if (!threadIdx.x) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    sum = 0;
    for (unsigned p = threadIdx.x; p < gridDim.x; p += THREADS) sum += __ldcg(parts + p);
    sum = joined(sum);
    if (!threadIdx.x) *to = (T)sum, *counter = 0;
}

template <class T>
cp_code launch_areas(cp_stream *stream, int64_t n, const void *y, const void *x, double width, double *parts, void *to)
{
    const bool aligned = ((uintptr_t)y | (uintptr_t)x) % 16 == 0;
    unsigned *counter = (unsigned *)cpi_cuda_counters(stream);
    if (!counter) return CP_ERROR_MEMORY;
    const unsigned blocks = cpi_cuda_blocks(n, THREADS * (16 / sizeof(T)), BLOCKS);
    areas_kernel<T><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(n, (const T *)y, (const T *)x, (T)width, aligned,
                                                                     parts, counter, (T *)to);
    return CPI_LAUNCHED(stream, "trapezoid");
}

} // namespace

cp_code cpi_statistics_cuda_areas(cp_stream *stream, cp_type type, int64_t n, const void *y, const void *x,
                                  double width, void *to)
{
    double *parts = (double *)cpi_host->work_alloc(stream, BLOCKS * sizeof *parts);
    if (!parts) return CP_ERROR_MEMORY;
    const cp_code code = type == CP_FLOAT32 ? launch_areas<float>(stream, n, y, x, width, parts, to)
                                            : launch_areas<double>(stream, n, y, x, width, parts, to);
    cpi_host->work_free(stream, parts);
    return code;
}
