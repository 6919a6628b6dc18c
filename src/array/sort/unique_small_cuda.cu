/* unique of few elements on the GPU: one block sorts their keys, counts and writes them. Then the host reads the count,
 * and the values are copied to the result. */
#include "sort/cuda.h"
#include "sort/unique_cuda.h"

/* The keys of a block, sorted; n of them, a power of two and as many as it has threads. */
static __device__ __forceinline__ void sort_keys(uint64_t *keys, int n)
{
    const int i = threadIdx.x;
    for (int size = 2; size <= n; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            __syncthreads();
            const int other = i ^ step;
            const uint64_t a = keys[i], b = keys[other];
            __syncthreads();
            const bool up = !(i & size), lower = i < other;
            if ((up == lower) == (b < a) && a != b) keys[i] = b;
        }
    __syncthreads();
}

/* values: capacity for n elements; *count: how many there are. One thread for each element, and for the padding up to a
 * power of two: the largest key, which sorts behind all or equals the last. */
static __global__ void __launch_bounds__(CPI_UNIQUE_SMALL)
sort_and_mark(const __grid_constant__ cpi_keys k, int n, const void *from, bool apart, void *values, int64_t *count)
{
    __shared__ uint64_t keys[CPI_UNIQUE_SMALL];
    __shared__ int before[CPI_UNIQUE_SMALL / 32 + 1];
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    keys[i] = i < n ? cpi_element_key(k, from, i, false) : ~(uint64_t)0;
    sort_keys(keys, blockDim.x);
    const bool first = i < n && cpi_begins_value(k, keys[i], i ? keys[i - 1] : 0, i == 0, true, apart);
    const unsigned marks = __ballot_sync(0xffffffffu, first);
    if (!lane) before[warp + 1] = __popc(marks);
    __syncthreads();
    if (!i) {
        before[0] = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++) before[w + 1] += before[w];
        *count = before[blockDim.x / 32];
    }
    __syncthreads();
    if (first) cpi_put_element(k, keys[i], values, before[warp] + __popc(marks & ((1u << lane) - 1)));
}

cp_code cpi_cuda_unique_small(cp_stream *stream, const cpi_keys *k, cpi_unique *q)
{
    int threads = 32;
    while (threads < q->n) threads *= 2;
    char *work = (char *)cpi_host->work_alloc(stream, 16 + (size_t)(q->n * k->bytes));
    if (!work) return CP_ERROR_MEMORY;
    int64_t count = 0;
    sort_and_mark<<<1, threads, 0, cpi_cuda_stream(stream)>>>(*k, (int)q->n, q->from, q->distinct_nan, work + 16,
                                                             (int64_t *)work);
    cp_code code = CPI_LAUNCHED(stream, "unique");
    if (!code) code = cpi_cuda_read(stream, &count, work, sizeof count);
    if (!code) code = q->sized(q, count);
    if (!code)
        code = cpi_cuda_issued(stream, cudaMemcpyAsync(q->values, work + 16, (size_t)(count * k->bytes),
                                                       cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)), "unique");
    cpi_host->work_free(stream, work);
    return code;
}
