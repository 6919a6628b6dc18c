/* Grouping pixels by region: select the pixels of regions, in C order; sort them stably by region; cut regions into
 * chunks. The number of selected pixels is read back once, so that the sort works on no more than those. */
#include "ndimage/group_cuda.cuh"
#include "sort/cuda.h"

namespace {

#define TILE 4096 /* elements of a block: 8 warps of 16 rows of 32 */

/* WRITE false: counts the tile's pixels, and sets the bits of `busy` for the warps that have any. WRITE true: writes
 * them at the tile's offset, in C order; the other warps read no labels. */
template <int LABELS, bool WRITE, class P>
__global__ void __launch_bounds__(256) select_pixels(region_lookup l, int64_t size, int64_t *counts, uint8_t *busy,
                                                     uint32_t *regions, P *positions)
{
    __shared__ int warp_count[8];
    if (WRITE && counts[blockIdx.x] == counts[blockIdx.x + 1]) return;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, mine = 0;
    int64_t first = (int64_t)blockIdx.x * TILE + warp * 512 + lane;
    int64_t region[16];
    const int64_t end = WRITE && !(busy[blockIdx.x] >> warp & 1) ? 0 : size;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        int64_t i = first + k * 32;
        region[k] = i < end ? region_of<LABELS>(l, i) : -1;
    }
#pragma unroll
    for (int k = 0; k < 16; k++) mine += __popc(__ballot_sync(~0u, region[k] >= 0));
    if (lane == 0) warp_count[warp] = mine;
    __syncthreads();
    if (!WRITE) {
        if (threadIdx.x == 0) {
            int sum = 0;
            unsigned bits = 0;
            for (int w = 0; w < 8; w++) sum += warp_count[w], bits |= (warp_count[w] > 0) << w;
            counts[blockIdx.x] = sum;
            busy[blockIdx.x] = (uint8_t)bits;
            if (blockIdx.x == 0) counts[gridDim.x] = 0;
        }
        return;
    }
    int64_t to = counts[blockIdx.x];
    for (int w = 0; w < warp; w++) to += warp_count[w];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        unsigned there = __ballot_sync(~0u, region[k] >= 0);
        if (region[k] >= 0) {
            int64_t at = to + __popc(there & ((1u << lane) - 1));
            if (regions) regions[at] = (uint32_t)region[k];
            positions[at] = (P)(first + k * 32);
        }
        to += __popc(there);
    }
}

/* One block per tile: the largest grid, 2^31 - 1 tiles, has 2^43 elements. */
template <bool WRITE, class P>
cp_code select_tiles(cp_stream *stream, const region_lookup &l, int64_t size, int64_t *counts, uint8_t *busy,
                     uint32_t *regions, P *positions)
{
    unsigned tiles = (unsigned)cpi_ceil_div(size, TILE);
    cudaStream_t q = cpi_cuda_stream(stream);
    if (l.type == CP_INT32)
        select_pixels<CP_INT32, WRITE, P><<<tiles, 256, 0, q>>>(l, size, counts, busy, regions, positions);
    else if (l.type == CP_INT64)
        select_pixels<CP_INT64, WRITE, P><<<tiles, 256, 0, q>>>(l, size, counts, busy, regions, positions);
    else
        select_pixels<-1, WRITE, P><<<tiles, 256, 0, q>>>(l, size, counts, busy, regions, positions);
    return CPI_LAUNCHED(stream, "labels");
}

/* Number of pixels of regions before r. `regions` is sorted; NULL: one region. */
__device__ int64_t region_begin(const uint32_t *regions, int64_t total, int64_t n, int64_t r)
{
    if (r == 0) return 0;
    if (r >= n || !regions) return total;
    int64_t low = 0, high = total;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (regions[mid] < (uint64_t)r)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* begin[r] and the number of chunks of each region. */
__global__ void find_regions(const uint32_t *regions, int64_t total, int64_t n, int64_t *begin, int64_t *chunk)
{
    for (int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; r <= n; r += (int64_t)gridDim.x * blockDim.x) {
        int64_t from = region_begin(regions, total, n, r), to = region_begin(regions, total, n, r + 1);
        begin[r] = from;
        chunk[r] = cpi_ceil_div(to - from, SEGMENT);
    }
}

#define SMALL_SUM 8192
/* Exclusive scan of n <= SMALL_SUM values in one block of 1024. */
__global__ void __launch_bounds__(1024) small_sum(int64_t *values, int n)
{
    __shared__ int64_t sums[1024];
    int me = threadIdx.x, first = me * 8;
    int64_t v[8], mine = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        v[k] = first + k < n ? values[first + k] : 0;
        mine += v[k];
    }
    sums[me] = mine;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int64_t before = me >= d ? sums[me - d] : 0;
        __syncthreads();
        sums[me] += before;
        __syncthreads();
    }
    int64_t sum = sums[me] - mine;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        if (first + k < n) values[first + k] = sum;
        sum += v[k];
    }
}

/* Exclusive scan of n values in place. */
cp_code running_sum(cp_stream *stream, int64_t *values, int64_t n)
{
    if (n <= SMALL_SUM) {
        small_sum<<<1, 1024, 0, cpi_cuda_stream(stream)>>>(values, (int)n);
        return CPI_LAUNCHED(stream, "labels");
    }
    return cpi_cub_sum_before(stream, "labels", values, n);
}

/* Selects the pixels; *total of them, read back. */
template <class P>
cp_code select_all(cp_stream *stream, const region_lookup &l, int64_t size, int64_t *total, scratch *regions,
                   scratch *positions)
{
    int64_t tiles = cpi_ceil_div(size, TILE);
    if (tiles > INT32_MAX) return cpi_host->fail(CP_ERROR_UNSUPPORTED, "labels: the array is too large for the GPU");
    scratch counts(stream);
    if (!counts.make((size_t)(tiles + 1) * sizeof(int64_t) + (size_t)tiles)) return CP_ERROR_MEMORY;
    int64_t *c = counts.as<int64_t>();
    uint8_t *busy = (uint8_t *)(c + tiles + 1);
    cp_code code = select_tiles<false, uint32_t>(stream, l, size, c, busy, NULL, NULL); /* counts only */
    if (code == CP_OK) code = running_sum(stream, c, tiles + 1);
    if (code == CP_OK) code = cpi_cuda_read(stream, total, c + tiles, sizeof *total);
    if (code != CP_OK || *total == 0) return code;
    bool many = l.n > 1;
    if (many && !regions->make((size_t)*total * sizeof(uint32_t))) return CP_ERROR_MEMORY;
    if (!positions->make((size_t)*total * sizeof(P))) return CP_ERROR_MEMORY;
    return select_tiles<true, P>(stream, l, size, c, busy, many ? regions->as<uint32_t>() : NULL, positions->as<P>());
}

/* Sorts positions by region; equal ones keep their order. */
template <class P>
cp_code sort_pixels(cp_stream *stream, int64_t n, int64_t total, scratch *regions, scratch *positions)
{
    int bits = 1;
    while (bits < 32 && n > (int64_t)1 << bits) bits++;
    scratch r(stream), p(stream);
    if (!r.make((size_t)total * sizeof(uint32_t)) || !p.make((size_t)total * sizeof(P))) return CP_ERROR_MEMORY;
    return cpi_cub_sort_pairs(stream, "labels", sizeof(uint32_t), sizeof(P) == 8, &regions->memory, &r.memory,
                              &positions->memory, &p.memory, total, 0, bits);
}

} // namespace

template <class P>
cp_code cpi_group(cp_stream *stream, const cpi_measure_plan *plan, const region_lookup &l, groups<P> *g,
                  scratch *positions, scratch *begin, scratch *chunk)
{
    scratch regions(stream);
    cudaStream_t q = cpi_cuda_stream(stream);
    int64_t n = plan->n, total = 0;
    if (n > (int64_t)UINT32_MAX - 1)
        return cpi_host->fail(CP_ERROR_UNSUPPORTED, "%s: too many regions", plan->function);
    cp_code code = CP_OK;
    if (plan->kind == CPI_REGIONS_ALL)
        total = plan->size;
    else if (plan->kind != CPI_REGIONS_NONE)
        code = select_all<P>(stream, l, plan->size, &total, &regions, positions);
    if (code == CP_OK && n > 1 && total > 0) code = sort_pixels<P>(stream, n, total, &regions, positions);
    if (code != CP_OK) return code;
    size_t bytes = (size_t)(n + 1) * sizeof(int64_t);
    if (!begin->make(bytes) || !chunk->make(bytes)) return CP_ERROR_MEMORY;
    unsigned blocks = cpi_cuda_blocks(n + 1, 256, (int64_t)cpi_cuda_units(stream) * 16);
    find_regions<<<blocks, 256, 0, q>>>(regions.as<uint32_t>(), total, n, begin->as<int64_t>(), chunk->as<int64_t>());
    code = CPI_LAUNCHED(stream, "labels");
    if (code == CP_OK) code = running_sum(stream, chunk->as<int64_t>(), n + 1);
    g->n = n;
    g->total = total;
    g->most_chunks = (n < total ? n : total) + total / SEGMENT;
    g->positions = plan->kind == CPI_REGIONS_ALL ? NULL : positions->as<P>();
    g->begin = begin->as<int64_t>();
    g->chunk = chunk->as<int64_t>();
    return code;
}

template cp_code cpi_group<uint32_t>(cp_stream *, const cpi_measure_plan *, const region_lookup &, groups<uint32_t> *,
                                     scratch *, scratch *, scratch *);
template cp_code cpi_group<uint64_t>(cp_stream *, const cpi_measure_plan *, const region_lookup &, groups<uint64_t> *,
                                     scratch *, scratch *, scratch *);
