/* Exponentials of rows on the GPU. A group of lanes has a row, a warp or a block; of short rows it holds the elements,
 * of long ones it looks at them three times. */
#include "cuda/cuda.h"
#include "reduce/reduce.h"

namespace {

enum { THREADS = 256, HELD = 8 };

__device__ __forceinline__ float exponential(float x) { return expf(x); }
__device__ __forceinline__ double exponential(double x) { return exp(x); }

struct largest_of {
    template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
struct sum_of {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
/* Of all lanes of a group, for each of them. */
template <int GROUP, class T, class F> __device__ __forceinline__ T joined(T v, F join, T *shared)
{
#pragma unroll
    for (int by = 16; by; by >>= 1) v = join(v, __shfl_xor_sync(~0u, v, by));
    if (GROUP == 32) return v;
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = shared[0];
#pragma unroll
    for (int i = 1; i < GROUP / 32; i++) v = join(v, shared[i]);
    return v;
}

/* HOLD elements a lane, or 0: rows of any length. */
template <int GROUP, int HOLD, class T>
__global__ void __launch_bounds__(THREADS) exponentials(const __grid_constant__ cpi_exponentials e)
{
    __shared__ double shared[THREADS / 32];
    const int lane = threadIdx.x % GROUP;
    const int64_t row = (int64_t)blockIdx.x * (THREADS / GROUP) + threadIdx.x / GROUP;
    if (row >= e.rows) return; /* a group as a whole */
    const T *x = (const T *)e.from + row * e.n;
    T held[HOLD ? HOLD : 1], top = -INFINITY;
    double sum = 0;
    if (HOLD) {
#pragma unroll
        for (int i = 0; i < HOLD; i++) {
            held[i] = i * GROUP + lane < e.n ? x[i * GROUP + lane] : (T)-INFINITY;
            top = largest_of()(top, held[i]);
        }
    } else {
        for (int64_t i = lane; i < e.n; i += GROUP) top = largest_of()(top, x[i]);
    }
    top = joined<GROUP>(top, largest_of(), (T *)shared);
    if (e.logarithm && !isfinite(top)) top = 0; /* beside a NaN any will do; a softmax of infinity is NaN */
    if (HOLD) {
#pragma unroll
        for (int i = 0; i < HOLD; i++) {
            held[i] = exponential(held[i] - top);
            if (i * GROUP + lane < e.n) sum += (double)held[i];
        }
    } else {
        for (int64_t i = lane; i < e.n; i += GROUP) sum += (double)exponential(x[i] - top);
    }
    const T all = (T)joined<GROUP>(sum, sum_of(), shared);
    if (e.logarithm) {
        if (!lane) ((T *)e.to)[row] = log(all) + top;
        return;
    }
    T *to = (T *)e.to + row * e.n;
    if (HOLD) {
#pragma unroll
        for (int i = 0; i < HOLD; i++)
            if (i * GROUP + lane < e.n) to[i * GROUP + lane] = held[i] / all;
    } else {
        for (int64_t i = lane; i < e.n; i += GROUP) to[i] = exponential(x[i] - top) / all;
    }
}

template <class T> static cp_code launch_rows(cp_stream *stream, const cpi_exponentials *e)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    if (e->n <= 32 * HELD)
        exponentials<32, HELD, T><<<cpi_cuda_blocks(e->rows, THREADS / 32, 0x7fffffff), THREADS, 0, s>>>(*e);
    else if (e->n <= THREADS * HELD)
        exponentials<THREADS, HELD, T><<<cpi_cuda_blocks(e->rows, 1, 0x7fffffff), THREADS, 0, s>>>(*e);
    else
        exponentials<THREADS, 0, T><<<cpi_cuda_blocks(e->rows, 1, 0x7fffffff), THREADS, 0, s>>>(*e);
    return CPI_LAUNCHED(stream, e->logarithm ? "logsumexp" : "softmax");
}

} // namespace

cp_code cpi_reduce_cuda_exponentials(cp_stream *stream, const cpi_exponentials *e)
{
    return e->type == CP_FLOAT32 ? launch_rows<float>(stream, e) : launch_rows<double>(stream, e);
}
