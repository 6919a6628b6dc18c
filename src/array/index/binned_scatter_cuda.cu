/* Scattering many elements by an integer array, on the GPU, where a table of claims on the elements would not fit the
 * cache.
 *
 * Indices are first binned into buckets of neighbouring elements, as words that are written contiguously. Then a block
 * keeps the claims on a bucket's elements in shared memory and writes the winners. The order within a bucket does not
 * matter: a word holds its position in the index, and the highest position wins. A bucket of more than PART words is
 * shared by several blocks, the last of which merges their claims.
 *
 * Invariants: nothing is written before every index was checked, and nothing where one is wrong. An index that changes
 * meanwhile leads to wrong elements, not to wrong addresses. */
#include "cuda/cuda.h"
#include "index/gather.cuh"

namespace {

enum {
    THREADS = 1024, EACH = 8, AT_ONCE = 4, /* words of a thread, and how many of them are in flight */
    TILE = THREADS * EACH,
    BUCKETS = 1024,          /* at most, one per thread */
    SHIFT = 14,              /* elements of a bucket: 2^14, or 2^15 where there would be too many buckets */
    PART = 1 << 16,
    LEAST = 1 << 22          /* elements, up to which the cache holds a claim table */
};
const uint32_t NONE = 0xffffffff;

struct bin {
    uint32_t buckets, parts; /* parts: blocks of `settle` behind those of the buckets, at least as many as are needed */
    int shift;
    bool one;                /* all positions write the same value, so it does not matter which of them does */
    uint32_t *total;         /* words of each bucket; zeroed, with all up to `wrong` */
    uint32_t *taken;         /* of those binned so far */
    uint32_t *done;          /* blocks that have finished with a bucket of several */
    unsigned *wrong;
    uint32_t *place;
    uint16_t *element;       /* within the bucket */
    uint32_t *spilled;       /* claims of parts: two tables for each of `parts` */
};

/* The elements that positions first, first + THREADS, ... name. NONE: there is no such position, or *wrong is one whose
 * index is wrong. */
__device__ __forceinline__ void name_elements(const cpi_gather_args<1> &r, uint32_t first, bool again,
                                              uint32_t *element, uint32_t *wrong)
{
    const cpi_axis_index &p = r.axis_index[0];
    const int64_t below = p.mode == CPI_INDEX_RAISE ? p.extent : 0;
    int64_t v[AT_ONCE];
#pragma unroll
    for (int e = 0; e < AT_ONCE; e++) {
        const uint32_t i = first + e * THREADS;
        const long long *at = (const long long *)p.at + i * p.step[0];
        v[e] = i >= r.count.by ? 0 : again ? __ldcs(at) : *at;
    }
#pragma unroll
    for (int e = 0; e < AT_ONCE; e++) {
        v[e] += v[e] < 0 ? below : 0;
        const bool in = (uint64_t)v[e] < (uint64_t)p.extent, there = first + e * THREADS < r.count.by;
        element[e] = in && there ? (uint32_t)v[e] : NONE;
        if (!in) *wrong = first + e * THREADS;
    }
}

/* Adds one for each lane that has a bucket; returns the count before it. Adjacent lanes of one bucket do it
 * together. */
__device__ __forceinline__ uint32_t add_one(uint32_t *count, uint32_t bucket)
{
    const uint32_t first = __shfl_sync(0xffffffffu, bucket, 0);
    const int lane = threadIdx.x % 32;
    if (!__all_sync(0xffffffffu, bucket == first)) return bucket == NONE ? 0 : atomicAdd(count + bucket, 1u);
    uint32_t before = 0;
    if (!lane && first != NONE) before = atomicAdd(count + first, 32u);
    return __shfl_sync(0xffffffffu, before, 0) + lane;
}

__device__ __forceinline__ uint32_t bucket_of(uint32_t element, int shift)
{
    return element == NONE ? NONE : element >> shift;
}

/* The sum of the values of the threads before this one. */
__device__ __forceinline__ uint64_t sum_before(uint64_t value)
{
    __shared__ uint64_t ends[THREADS / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t sum = value;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const uint64_t other = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) ends[warp] = sum;
    __syncthreads();
    uint64_t base = lane < warp ? ends[lane] : 0;
#pragma unroll
    for (int d = 16; d; d /= 2) base += __shfl_xor_sync(0xffffffffu, base, d);
    __syncthreads();
    return base + sum - value;
}

__global__ void __launch_bounds__(THREADS, 2)
count_kernel(const __grid_constant__ cpi_gather_args<1> r, const __grid_constant__ bin d)
{
    __shared__ uint32_t count[BUCKETS];
    count[threadIdx.x] = 0;
    __syncthreads();
    uint32_t wrong = NONE;
    for (uint32_t tile = blockIdx.x; tile * (uint64_t)TILE < r.count.by; tile += gridDim.x) {
#pragma unroll 1
        for (int from = 0; from < TILE; from += AT_ONCE * THREADS) {
            uint32_t element[AT_ONCE];
            name_elements(r, tile * TILE + from + threadIdx.x, false, element, &wrong);
#pragma unroll
            for (int e = 0; e < AT_ONCE; e++) add_one(count, bucket_of(element[e], d.shift));
        }
    }
    if (wrong != NONE) cpi_report_index(r, 0, wrong);
    if (__syncthreads_or(wrong != NONE)) {
        if (!threadIdx.x) *(volatile unsigned *)d.wrong = 1;
        return;
    }
    if (count[threadIdx.x]) atomicAdd(d.total + threadIdx.x, count[threadIdx.x]);
}

struct binned {
    uint32_t count[BUCKETS], to[BUCKETS];
    uint32_t element[TILE];
    uint16_t place[TILE];
};

/* A block bins a tile: in shared memory first, so that what goes into a bucket is contiguous. The last tile comes first
 * because it is in the cache. */
__global__ void __launch_bounds__(THREADS, 2)
bin_kernel(const __grid_constant__ cpi_gather_args<1> r, const __grid_constant__ bin d)
{
    extern __shared__ uint4 memory[];
    binned &m = *(binned *)memory;
    if (*d.wrong) return;
    const uint32_t tile = (gridDim.x - 1 - blockIdx.x) * TILE;
    uint32_t element[EACH], rank[EACH];
    uint32_t wrong = NONE;
    m.count[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e += AT_ONCE)
        name_elements(r, tile + e * THREADS + threadIdx.x, true, element + e, &wrong);
#pragma unroll
    for (int e = 0; e < EACH; e++) rank[e] = add_one(m.count, bucket_of(element[e], d.shift));
    __syncthreads();
    const uint32_t mine = m.count[threadIdx.x];
    const uint64_t before = sum_before((uint64_t)d.total[threadIdx.x] << 32 | mine);
    m.count[threadIdx.x] = (uint32_t)before;
    if (mine) m.to[threadIdx.x] = (uint32_t)(before >> 32) + atomicAdd(d.taken + threadIdx.x, mine) - (uint32_t)before;
    const uint32_t all = min(r.count.by - tile, (uint32_t)TILE);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (element[e] == NONE) continue;
        const uint32_t at = m.count[element[e] >> d.shift] + rank[e];
        m.element[at] = element[e], m.place[at] = (uint16_t)(threadIdx.x + e * THREADS);
    }
    if (__syncthreads_or(wrong != NONE)) return;
    for (uint32_t k = threadIdx.x; k < all; k += THREADS) {
        const uint32_t e = m.element[k], to = m.to[e >> d.shift] + k;
        if (to >= r.count.by) continue;
        if (!d.one) d.place[to] = tile + m.place[k];
        d.element[to] = (uint16_t)(e & ((1u << d.shift) - 1));
    }
}

/* The words that a block of `settle` processes. */
struct share {
    uint32_t bucket, first, end, parts, part, extra; /* extra: of `parts`, the bucket's first */
};

__device__ __forceinline__ share find_share(const bin &d)
{
    __shared__ share s;
    const uint32_t total = threadIdx.x < d.buckets ? d.total[threadIdx.x] : 0;
    const uint32_t extra = total > PART ? (total - 1) / PART : 0;
    const uint64_t before = sum_before((uint64_t)total << 32 | extra);
    const uint32_t extras = (uint32_t)before, x = blockIdx.x - d.buckets;
    if (!threadIdx.x) s.parts = 0;
    __syncthreads();
    const bool own = blockIdx.x < d.buckets ? threadIdx.x == blockIdx.x : x - extras < extra && x >= extras;
    if (own && threadIdx.x < d.buckets) {
        s.bucket = threadIdx.x, s.parts = extra + 1, s.extra = extras;
        s.part = blockIdx.x < d.buckets ? 0 : x - extras + 1;
        s.first = (uint32_t)(before >> 32) + s.part * PART;
        s.end = min((uint32_t)(before >> 32) + total, s.first + PART);
    }
    __syncthreads();
    return s;
}

/* Merges the claims of all parts into those of the block that arrives last; true in this block. */
__device__ __forceinline__ bool join_parts(const bin &d, const share &s, uint32_t *claims)
{
    const uint32_t size = 1u << d.shift;
    __shared__ bool last;
    uint32_t *own = d.spilled + (int64_t)(s.part ? 2 * (s.extra + s.part - 1) : 2 * s.extra + 1) * size;
    for (uint32_t k = threadIdx.x; k < size; k += THREADS) own[k] = claims[k];
    __threadfence();
    __syncthreads();
    if (!threadIdx.x) last = atomicAdd(d.done + s.bucket, 1u) == s.parts - 1;
    __syncthreads();
    if (!last) return false;
    __threadfence();
    for (uint32_t p = 0; p < s.parts; p++) {
        const uint32_t *other = d.spilled + (int64_t)(p ? 2 * (s.extra + p - 1) : 2 * s.extra + 1) * size;
        for (uint32_t k = threadIdx.x; k < size; k += THREADS) claims[k] = max(claims[k], __ldcg(other + k));
    }
    return true; /* each thread reads only what it has merged itself */
}

template <class T> __global__ void __launch_bounds__(THREADS, 2)
settle_kernel(const __grid_constant__ cpi_gather_args<1> r, const __grid_constant__ bin d)
{
    extern __shared__ uint32_t claims[];
    if (*d.wrong) return;
    const share s = find_share(d);
    if (!s.parts) return;
    const uint32_t size = 1u << d.shift, mask = size - 1, low = s.bucket << d.shift;
    for (uint32_t k = threadIdx.x; k < size; k += THREADS) claims[k] = 0;
    __syncthreads();
    if (d.one) {
#pragma unroll 8
        for (uint32_t k = s.first + threadIdx.x; k < s.end; k += THREADS) claims[d.element[k] & mask] = 1;
    } else {
#pragma unroll 8
        for (uint32_t k = s.first + threadIdx.x; k < s.end; k += THREADS)
            atomicMax(claims + (d.element[k] & mask), d.place[k] + 1);
    }
    __syncthreads();
    if (s.parts > 1 && !join_parts(d, s, claims)) return;
    const int64_t left = r.axis_index[0].extent - low;
    const uint32_t end = (uint32_t)(left < size ? left : size);
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < end; k += THREADS) {
        const uint32_t place = claims[k] - 1;
        if (place >= r.count.by) continue;
        const T x = *(const T *)(r.result + place * r.values_step[0]);
        *(T *)(r.array + (low + k) * r.axis_index[0].stride) = x;
    }
}

/* Divides the work memory into the arrays of a bin; returns its bytes. */
size_t lay_out(bin *d, char *memory, int64_t count)
{
    const size_t words = BUCKETS * sizeof(uint32_t), all = d->one ? 0 : (size_t)count * sizeof *d->place;
    const size_t indices = cpi_round_up(all, 256);
    const size_t elements = cpi_round_up((size_t)count * sizeof *d->element, 256);
    const size_t spilled = (size_t)d->parts * 2 * sizeof(uint32_t) << d->shift, head = 3 * words + 256;
    d->total = (uint32_t *)memory, d->taken = (uint32_t *)(memory + words), d->done = (uint32_t *)(memory + 2 * words);
    d->wrong = (unsigned *)(memory + 3 * words);
    d->spilled = (uint32_t *)(memory + head);
    d->place = (uint32_t *)(memory + head + spilled), d->element = (uint16_t *)(memory + head + spilled + indices);
    return head + spilled + indices + elements;
}

template <class T> cp_code settle(cp_stream *stream, const cpi_gather_args<1> &r, const bin &d, const char *function)
{
    const size_t bytes = sizeof(uint32_t) << d.shift;
    cp_code code = cpi_cuda_allow(stream, settle_kernel<T>, (int64_t)bytes, function);
    if (code) return code;
    settle_kernel<T><<<d.buckets + d.parts, THREADS, bytes, cpi_cuda_stream(stream)>>>(r, d);
    return CPI_LAUNCHED(stream, function);
}

cp_code scatter_binned(cp_stream *stream, const cpi_gather *g, bin d)
{
    const cudaStream_t to = cpi_cuda_stream(stream);
    const int64_t count = g->shape[0];
    cpi_gather_args<1> r;
    cp_code code = cpi_gather_args_of(stream, g, 1, &r);
    if (!code) code = cpi_cuda_allow(stream, bin_kernel, sizeof(binned), g->function);
    char *work = code ? nullptr : (char *)cpi_host->work_alloc(stream, lay_out(&d, nullptr, count));
    if (!work) return code ? code : CP_ERROR_MEMORY;
    lay_out(&d, work, count);
    code = cpi_cuda_check(stream, cudaMemsetAsync(work, 0, (char *)(d.wrong + 1) - work, to), g->function);
    const unsigned tiles = cpi_cuda_blocks(count, TILE, INT32_MAX), most = 2 * (unsigned)cpi_cuda_units(stream);
    if (!code) {
        count_kernel<<<tiles < most ? tiles : most, THREADS, 0, to>>>(r, d);
        code = CPI_LAUNCHED(stream, g->function);
    }
    if (!code) {
        bin_kernel<<<tiles, THREADS, sizeof(binned), to>>>(r, d);
        code = CPI_LAUNCHED(stream, g->function);
    }
    if (!code)
        code = g->bytes == 1   ? settle<uint8_t>(stream, r, d, g->function)
               : g->bytes == 2 ? settle<uint16_t>(stream, r, d, g->function)
               : g->bytes == 4 ? settle<uint32_t>(stream, r, d, g->function)
               : g->bytes == 8 ? settle<uint2>(stream, r, d, g->function)
                               : settle<uint4>(stream, r, d, g->function);
    cpi_host->work_free(stream, work);
    return code;
}

} // namespace

bool cpi_cuda_binned_scatter(cp_stream *stream, const cpi_gather *g, cp_code *code)
{
    const int64_t extent = g->axis_index[0].extent, count = g->shape[0];
    if (g->nindices != 1 || g->ndim != 1 || g->rest || g->array_step[0] || cpi_word_of(g) != g->bytes) return false;
    if (g->axis_index[0].mode != CPI_INDEX_RAISE && g->axis_index[0].mode != CPI_INDEX_EXACT) return false;
    if (extent < LEAST || count < extent / 4 || count > INT32_MAX || extent > (int64_t)BUCKETS << (SHIFT + 1))
        return false;
    bin d = {};
    d.shift = extent > (int64_t)BUCKETS << SHIFT ? SHIFT + 1 : SHIFT;
    d.buckets = (uint32_t)((extent - 1 >> d.shift) + 1), d.parts = (uint32_t)(count / PART);
    d.one = !g->values_step[0] || count == 1;
    *code = scatter_binned(stream, g, d);
    return true;
}
