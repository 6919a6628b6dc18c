/* Places of a contiguous axis, the same in many rows, on the GPU: a[:, i], take(a, i, -1).
 *
 * A row is brought into a block's memory, and its places are read from there: reads at random of 32 lanes are 32 of the
 * cache's. What is an index's own work a thread does once for all rows of its block. The next row is under way
 * meanwhile. */
#include <cuda_pipeline.h>

#include "cuda/cuda.h"
#include "index/gather.cuh"

namespace {

enum { THREADS = 512, EACH = 8, BLOCKS = 3, ROW = 24 * 1024, LEAST = 1 << 18 };

template <class T> __device__ __forceinline__ void bring(T *to, const char *from, int extent)
{
    for (int k = threadIdx.x; k < extent; k += THREADS)
        __pipeline_memcpy_async(to + k, (const T *)from + k, sizeof(T));
}

/* Blocks: along rows, and along places. */
template <class T>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    columns_kernel(const __grid_constant__ cpi_gather_args<1> r, int capacity)
{
    extern __shared__ uint4 memory[];
    T *const tables = (T *)memory;
    const cpi_axis_index &p = r.axis_index[0];
    const int extent = (int)p.extent;
    const uint32_t first = blockIdx.y * (THREADS * EACH) + threadIdx.x;
    int from[EACH];
    if (blockIdx.x < r.slots.by) bring(tables, r.array + blockIdx.x * r.rest_array_step[0], extent);
    __pipeline_commit();
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const uint32_t c = first + e * THREADS;
        int64_t v[1] = {c < r.count.by ? p.at[c * p.step[0]] : 0};
        cpi_name(p, v);
        const bool in = (uint64_t)v[0] < (uint64_t)extent;
        from[e] = in && c < r.count.by ? (int)v[0] : -1;
        if (!in && c < r.count.by) cpi_report_index(r, 0, c);
    }
    int turn = 0;
    for (uint32_t row = blockIdx.x; row < r.slots.by; row += gridDim.x, turn ^= 1) {
        if (row + gridDim.x < r.slots.by)
            bring(tables + (turn ^ 1) * capacity, r.array + (row + gridDim.x) * r.rest_array_step[0], extent);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const T *table = tables + turn * capacity;
        T *to = (T *)(r.result + row * r.rest_values_step[0]) + first;
        T x[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (from[e] >= 0) x[e] = table[from[e]];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (from[e] >= 0) to[e * THREADS] = x[e];
        __syncthreads();
    }
}

template <class T> cp_code launch(cp_stream *stream, const cpi_gather *g)
{
    cpi_gather_args<1> r;
    cp_code code = cpi_gather_args_of(stream, g, 1, &r);
    if (code) return code;
    const int width = 16 / (int)sizeof(T), capacity = cpi_round_up((int)g->axis_index[0].extent, width);
    const unsigned across = cpi_cuda_blocks(r.count.by, THREADS * EACH, 1 << 30);
    const int64_t most = (int64_t)cpi_cuda_units(stream) * BLOCKS / across;
    const unsigned along = cpi_cuda_blocks(r.slots.by, 1, most < 1 ? 1 : most);
    columns_kernel<T>
        <<<dim3(along, across), THREADS, 2 * (size_t)capacity * sizeof(T), cpi_cuda_stream(stream)>>>(r, capacity);
    return CPI_LAUNCHED(stream, g->function);
}

} // namespace

bool cpi_cuda_columns(cp_stream *stream, const cpi_gather *g, cp_code *code)
{
    const cpi_axis_index *p = &g->axis_index[0];
    const int64_t word = cpi_word_of(g), size = g->bytes;
    if (g->nindices != 1 || g->ndim != 1 || g->rest != 1 || word != size || size < 4) return false;
    if (p->stride != size || g->values_step[0] != size || g->array_step[0] || p->extent * size > ROW) return false;
    const int64_t count = g->shape[0], rows = g->rest_shape[0];
    if (count < p->extent / 4 || rows < cpi_cuda_units(stream) || count > INT32_MAX / rows || count * rows < LEAST)
        return false;
    *code = size == 4 ? launch<uint32_t>(stream, g) : size == 8 ? launch<uint2>(stream, g) : launch<uint4>(stream, g);
    return true;
}
