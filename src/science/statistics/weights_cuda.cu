/* Sums of weights by their bins on the GPU: one answer in every run, on every device.
 *
 * Few bins: each warp has a table of its own in shared memory, to which it adds its elements in their order, 32 at a
 * time; of those that meet in a bin one after the other does. Blocks are cut by the number of elements and bins alone,
 * and the tables of warps, then those of blocks, are added in one order. Many bins: elements are ordered by their bins,
 * and each bin's are added by one warp. */
#include "sort/cuda.h"
#include "statistics/cuda.h"

namespace {

enum {
    THREADS = 256,
    TABLES = 64 * 1024,   /* bytes of a block's tables */
    MOST_WARPS = 16,
    MOST_BLOCKS = 396,    /* three for each multiprocessor of an H200, whatever the device */
    AT_ONCE = 4,          /* elements that a thread has under way */
    LEAST = 16            /* elements of a thread, below which there are fewer blocks */
};

const unsigned ALL = 0xffffffffu;

/* --- few bins --- */

/* Adds a warp's 32 elements, `bin` negative where there is none. */
__device__ __forceinline__ void add_warp(double *table, int bin, double weight)
{
    const int lane = threadIdx.x % 32;
    const unsigned same = __match_any_sync(ALL, bin);
    if (same == ALL) { /* all in one */
        for (int d = 16; d; d /= 2) weight += __shfl_down_sync(ALL, weight, d);
        if (!lane && bin >= 0) table[bin] += weight;
        __syncwarp();
        return;
    }
    const int turn = bin < 0 ? -1 : __popc(same & ((1u << lane) - 1));
    for (int t = 0; __any_sync(ALL, turn >= t); t++) {
        if (turn == t) table[bin] += weight;
        __syncwarp();
    }
}

/* to: a row of bins for each block. `each`: elements of a block. */
__global__ void __launch_bounds__(32 * MOST_WARPS)
weigh_few(const int64_t *x, const double *weights, int64_t n, int64_t each, int bins, double *to)
{
    extern __shared__ double tables[];
    const int warps = blockDim.x / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < bins * warps; i += blockDim.x) tables[i] = 0;
    __syncthreads();
    double *table = tables + warp * bins;
    const int64_t begin = blockIdx.x * each, end = begin + each < n ? begin + each : n;
    for (int64_t i = begin + warp * (32 * AT_ONCE); i < end; i += warps * (32 * AT_ONCE)) {
        int bin[AT_ONCE];
        double weight[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            const int64_t at = i + u * 32 + lane;
            const int64_t k = at < end ? x[at] : -1;
            bin[u] = (uint64_t)k < (uint64_t)bins ? (int)k : -1;
            weight[u] = at < end ? weights[at] : 0;
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) add_warp(table, bin[u], weight[u]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < bins; k += blockDim.x) {
        double sum = tables[k];
        for (int w = 1; w < warps; w++) sum += tables[w * bins + k];
        to[blockIdx.x * (int64_t)bins + k] = sum;
    }
}

/* Adds the rows: 32 bins a block, each by eight threads that take every eighth row. */
__global__ void __launch_bounds__(THREADS) join_rows(const double *rows, int count, int bins, double *to)
{
    __shared__ double sums[THREADS];
    const int k = blockIdx.x * 32 + threadIdx.x % 32, part = threadIdx.x / 32;
    double sum = 0;
#pragma unroll 4
    for (int r = part; k < bins && r < count; r += THREADS / 32) sum += rows[r * (int64_t)bins + k];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (part || k >= bins) return;
    for (int p = 1; p < THREADS / 32; p++) sum += sums[p * 32 + threadIdx.x];
    to[k] = sum;
}

cp_code few(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int bins, double *to)
{
    int warps = MOST_WARPS;
    while (warps > 1 && warps * bins * (int64_t)sizeof(double) > TABLES) warps /= 2;
    const size_t bytes = (size_t)warps * bins * sizeof(double);
    const int64_t step = warps * 32 * AT_ONCE;
    const int64_t wanted = cpi_cuda_blocks(n, warps * 32 * LEAST, MOST_BLOCKS);
    const int64_t each = cpi_round_up(cpi_ceil_div(n, wanted), step);
    const unsigned blocks = (unsigned)cpi_ceil_div(n, each);
    const cudaStream_t cs = cpi_cuda_stream(stream);
    cp_code code = cpi_cuda_allow(stream, weigh_few, (int64_t)bytes, "bincount");
    double *rows = to;
    if (!code && blocks > 1) {
        rows = (double *)cpi_host->work_alloc(stream, blocks * (size_t)bins * sizeof *rows);
        if (!rows) return CP_ERROR_MEMORY;
    }
    if (code) return code;
    weigh_few<<<blocks, 32 * warps, bytes, cs>>>(x, weights, n, each, bins, rows);
    code = CPI_LAUNCHED(stream, "bincount");
    if (blocks > 1) {
        if (!code) {
            join_rows<<<cpi_ceil_div(bins, 32), THREADS, 0, cs>>>(rows, (int)blocks, bins, to);
            code = CPI_LAUNCHED(stream, "bincount");
        }
        cpi_host->work_free(stream, rows);
    }
    return code;
}

/* --- many bins --- */

/* Bins as keys to order by, what is in none behind all others; and the elements' places. */
template <class K, class I> __global__ void __launch_bounds__(THREADS)
list_bins(const int64_t *x, int64_t n, int64_t bins, K *keys, I *order)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS) {
        keys[i] = (K)((uint64_t)x[i] < (uint64_t)bins ? x[i] : bins);
        order[i] = (I)i;
    }
}

/* The first place of an ordered list at which a key is not less than v. */
template <class K> __device__ int64_t lower_bound(const K *keys, int64_t n, K v)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (keys[middle] < v) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* A warp a bin: lanes add every 32nd weight, then the lanes' sums in one order. */
template <class K, class I> __global__ void __launch_bounds__(THREADS)
weigh(const K *keys, const I *order, const double *weights, int64_t n, int64_t bins, double *to)
{
    const int lane = threadIdx.x % 32;
    for (int64_t k = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / 32; k < bins;
         k += (int64_t)gridDim.x * THREADS / 32) {
        const int64_t first = lower_bound(keys, n, (K)k), end = lower_bound(keys, n, (K)(k + 1));
        double sum = 0;
        for (int64_t i = first + lane; i < end; i += 32) sum += weights[order[i]];
        for (int d = 16; d; d /= 2) sum += __shfl_down_sync(ALL, sum, d);
        if (!lane) to[k] = sum;
    }
}

template <class K, class I>
cp_code many(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins, double *to)
{
    const size_t size = cpi_round_up((size_t)n * sizeof(K), 256), indices = cpi_round_up((size_t)n * sizeof(I), 256);
    const int64_t most = (int64_t)cpi_cuda_units(stream) * 64;
    const cudaStream_t cs = cpi_cuda_stream(stream);
    char *memory = (char *)cpi_host->work_alloc(stream, 2 * (size + indices));
    if (!memory) return CP_ERROR_MEMORY;
    void *keys = memory, *spare = memory + size, *order = memory + 2 * size, *other = memory + 2 * size + indices;
    int bits = 0;
    while (bits < 64 && (uint64_t)bins >> bits) bits++;
    list_bins<<<cpi_cuda_blocks(n, THREADS, most), THREADS, 0, cs>>>(x, n, bins, (K *)keys, (I *)order);
    cp_code code = CPI_LAUNCHED(stream, "bincount");
    if (!code)
        code = cpi_cub_sort_pairs(stream, "bincount", sizeof(K), sizeof(I) == 8, &keys, &spare, &order, &other, n, 0,
                                  bits);
    if (!code) {
        weigh<<<cpi_cuda_blocks(bins, THREADS / 32, most), THREADS, 0, cs>>>((const K *)keys, (const I *)order, weights,
                                                                            n, bins, to);
        code = CPI_LAUNCHED(stream, "bincount");
    }
    cpi_host->work_free(stream, memory);
    return code;
}

} // namespace

cp_code cpi_weigh_cuda(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins, double *to)
{
    if (bins <= TABLES / (int64_t)sizeof(double)) return few(stream, n, x, weights, (int)bins, to);
    if (bins < 0xffffffffll && n < 0x7fffffffll)
        return many<uint32_t, uint32_t>(stream, n, x, weights, bins, to);
    return many<uint64_t, int64_t>(stream, n, x, weights, bins, to);
}
