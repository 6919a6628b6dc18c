/* A pass of clipping over a part of the data in kernels (sort.h: cpi_clip_split). This header needs no CUDA header, so
 * that tests compile it for the CPU (tests/python/test_sort_clip_kernel.py). */
#ifndef CPI_CLIP_SPLIT_CUH
#define CPI_CLIP_SPLIT_CUH

#define CPI_SPLIT_NAN __longlong_as_double(0x7ff8000000000000ll)
enum { CPI_SPLIT_THREADS = 256, CPI_SPLIT_BLOCKS = 512 };

struct cpi_split_sums {
    unsigned long long count, below;
    double s1, s2;
};
struct cpi_split_lists {
    unsigned long long fringe, window; /* how many were appended */
    cpi_split_sums parts[CPI_SPLIT_BLOCKS];
};

/* Appends v of the lanes with `in`; all lanes of the warp come. The order of the warps is any. */
template <class T>
__device__ __forceinline__ void cpi_split_append(T *to, unsigned long long *count, bool in, T v)
{
    const unsigned all = __ballot_sync(0xffffffffu, in), lane = threadIdx.x % 32;
    if (!all) return;
    unsigned long long at = 0;
    if (!lane) at = atomicAdd(count, (unsigned long long)__popc(all));
    at = __shfl_sync(0xffffffffu, at, 0);
    if (in) to[at + __popc(all & ((1u << lane) - 1))] = v;
}

/* Thread 0 has the sum of all threads' values, in a fixed order. */
template <class V>
__device__ V cpi_split_sum(V v, V *shared)
{
    shared[threadIdx.x] = v;
    __syncthreads();
    for (int w = CPI_SPLIT_THREADS / 2; w; w /= 2) {
        if ((int)threadIdx.x < w) shared[threadIdx.x] += shared[threadIdx.x + w];
        __syncthreads();
    }
    v = shared[0];
    __syncthreads();
    return v;
}

template <class T> __device__ void cpi_split_part(const cpi_clip_split &q, cpi_split_lists *lists)
{
    __shared__ double doubles[CPI_SPLIT_THREADS];
    __shared__ unsigned long long numbers[CPI_SPLIT_THREADS];
    const T core_low = (T)q.core_low, core_high = (T)q.core_high;
    const T window_low = (T)q.window_low, window_high = (T)q.window_high;
    const int64_t step = (int64_t)gridDim.x * CPI_SPLIT_THREADS;
    cpi_split_sums mine = {};
    for (int64_t first = (int64_t)blockIdx.x * CPI_SPLIT_THREADS; first < q.n; first += step) {
        const int64_t i = first + threadIdx.x;
        const T v = i < q.n ? ((const T *)q.from)[i] : (T)CPI_SPLIT_NAN;
        const bool core = v >= core_low && v <= core_high, over = core && v >= window_low;
        cpi_split_append((T *)q.fringe, &lists->fringe, v == v && !core, v);
        cpi_split_append((T *)q.window, &lists->window, over && v <= window_high, v);
        if (!core) continue; /* no lane waits for another below */
        const double d = (double)v - q.pivot;
        mine.count++;
        mine.below += !over;
        mine.s1 += d;
        mine.s2 += d * d;
    }
    cpi_split_sums all;
    all.count = cpi_split_sum(mine.count, numbers);
    all.below = cpi_split_sum(mine.below, numbers);
    all.s1 = cpi_split_sum(mine.s1, doubles);
    all.s2 = cpi_split_sum(mine.s2, doubles);
    if (!threadIdx.x) lists->parts[blockIdx.x] = all;
}

#endif
