/* Elements by arrays of integers, on the GPU: very many values for about as many elements.
 *
 * A write to an element at random moves a sector of a cache, and so does the claim before it (scatter_cuda.cu). So
 * values are brought together first: the places of a tile are put in order by their bucket, of BUCKET neighbouring
 * elements, and go behind those of earlier tiles there, each as the element's number in the bucket and the value. Then
 * a block takes a window of a bucket, finds in its own memory the last place that names each element, and writes
 * neighbours. Measured on an H200, 10^7 float32 at random: FIGURES. Invariant: the order of places is kept in every
 * step, so that which is the last does not depend on who comes first; nothing is written before all indices have been
 * looked at. */
#include <cub/device/device_scan.cuh>

#include "cuda/cuda.h"
#include "index/places.cuh"

namespace {

enum { BUCKET = 1 << 16, WINDOW = 1 << 13, BUCKETS = 1024, EACH = 8, FIND = CPI_PLACE_EACH };
enum { WINDOW_THREADS = 512, LEAST = 1 << 18 /* places for which this is quicker than claims */ };
const uint32_t NONE = 0xffffffffu;

/* Threads of a block whose tile of values, of T bytes, fits beside others. */
template <class T> constexpr int threads_of() { return sizeof(T) <= 8 ? 512 : 256; }

struct split {
    cpi_numbering number;
    uint32_t buckets, tiles, bits; /* bits: of a bucket's number */
    uint32_t *offset;              /* of each tile in each bucket, tile by tile: how many it has, then where they go */
    uint16_t *to;                  /* for each place its element in the bucket, and the value */
    void *value;
    unsigned *wrong;
};

/* Places first, first + stride, ...: the numbers of their elements, NONE for a place that is not there, or wrong. */
template <int DIMS, int P>
__device__ __forceinline__ bool number_places(const cpi_picked<P> &r, const split &s, uint32_t first, uint32_t stride,
                                              uint32_t (&element)[FIND], int64_t (&few)[FIND])
{
    uint32_t i[FIND];
    int64_t many[FIND];
    bool wanted[FIND], good[FIND];
#pragma unroll
    for (int e = 0; e < FIND; e++) i[e] = first + e * stride, wanted[e] = i[e] < r.count.by;
    const bool right = cpi_find<DIMS>(r, i, wanted, many, few, good);
#pragma unroll
    for (int e = 0; e < FIND; e++) element[e] = good[e] ? (uint32_t)cpi_number(s.number, many[e]) : NONE;
    return right;
}

/* How many places of each tile go into each bucket. */
template <int P, int DIMS, int THREADS>
__global__ void __launch_bounds__(THREADS) count_kernel(const __grid_constant__ cpi_picked<P> r, const split s)
{
    extern __shared__ uint32_t count[];
    for (uint32_t b = threadIdx.x; b < s.buckets; b += THREADS) count[b] = 0;
    __syncthreads();
    const uint32_t first = blockIdx.x * (THREADS * EACH) + threadIdx.x;
    bool right = true;
#pragma unroll
    for (int k = 0; k < EACH; k += FIND) {
        uint32_t element[FIND];
        int64_t few[FIND];
        right &= number_places<DIMS>(r, s, first + k * THREADS, THREADS, element, few);
#pragma unroll
        for (int e = 0; e < FIND; e++)
            if (element[e] != NONE) atomicAdd(count + element[e] / BUCKET, 1u);
    }
    if (!right) *(volatile unsigned *)s.wrong = 1;
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < s.buckets; b += THREADS) s.offset[(int64_t)b * s.tiles + blockIdx.x] = count[b];
}

/* Lanes with the same bucket; those that have none are nobody's. */
__device__ __forceinline__ uint32_t peers_of(uint32_t bucket, bool has, uint32_t bits)
{
    uint32_t peers = __ballot_sync(0xffffffffu, has);
    for (uint32_t d = 0; d < bits; d++) {
        const uint32_t one = __ballot_sync(0xffffffffu, bucket >> d & 1);
        peers &= bucket >> d & 1 ? one : ~one;
    }
    return peers;
}

/* What a block shares: values and elements in the order of buckets, how far a bucket's places are moved, and for each
 * warp and bucket first how many it has, then where they begin. */
template <class T> struct tile {
    enum { THREADS = threads_of<T>(), PLACES = THREADS * EACH, WARPS = THREADS / 32 };
    T *value;
    uint32_t *element, *moved;
    uint16_t *at;
    __device__ tile(unsigned char *memory, uint32_t buckets)
        : value((T *)memory), element((uint32_t *)(value + PLACES)), moved(element + PLACES),
          at((uint16_t *)(moved + buckets)) {}
    static size_t bytes(int64_t buckets)
    {
        return PLACES * (sizeof(T) + 4) + (size_t)buckets * (4 + 2 * WARPS);
    }
};

/* Numbers of each warp's places in each bucket become where these begin in the tile. How many there are in all. */
template <class T> __device__ __forceinline__ uint32_t begin_buckets(const split &s, const tile<T> &t)
{
    __shared__ uint32_t sums[tile<T>::WARPS];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, threads = tile<T>::THREADS, warps = threads / 32;
    const uint32_t each = (s.buckets + threads - 1) / threads, first = threadIdx.x * each;
    const uint32_t end = min(first + each, s.buckets);
    uint32_t sum = 0, all = 0;
    for (uint32_t b = first; b < end; b++)
        for (uint32_t w = 0; w < warps; w++) sum += t.at[w * s.buckets + b];
    uint32_t at = sum;
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t up = __shfl_up_sync(0xffffffffu, at, d);
        if (lane >= (uint32_t)d) at += up;
    }
    if (lane == 31) sums[warp] = at;
    __syncthreads();
    at -= sum;
    for (uint32_t w = 0; w < warps; w++) {
        if (w < warp) at += sums[w];
        all += sums[w];
    }
    for (uint32_t b = first; b < end; b++) {
        t.moved[b] = s.offset[(int64_t)b * s.tiles + blockIdx.x] - at;
        for (uint32_t w = 0; w < warps; w++) {
            const uint32_t has = t.at[w * s.buckets + b];
            t.at[w * s.buckets + b] = (uint16_t)at, at += has;
        }
    }
    return all;
}

template <class T, int P, int DIMS>
__global__ void __launch_bounds__(threads_of<T>()) split_kernel(const __grid_constant__ cpi_picked<P> r, const split s)
{
    extern __shared__ __align__(16) unsigned char memory[];
    const tile<T> t(memory, s.buckets);
    const uint32_t threads = tile<T>::THREADS, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (*s.wrong) return;
    for (uint32_t b = threadIdx.x; b < s.buckets * (threads / 32); b += threads) t.at[b] = 0;
    __syncthreads();
    const uint32_t first = blockIdx.x * tile<T>::PLACES + warp * (32 * EACH) + lane;
    uint32_t element[EACH];
    uint16_t rank[EACH], *mine = t.at + warp * s.buckets;
    T value[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k += FIND) {
        uint32_t some[FIND];
        int64_t few[FIND];
        number_places<DIMS>(r, s, first + k * 32, 32, some, few);
#pragma unroll
        for (int e = 0; e < FIND; e++) {
            element[k + e] = some[e];
            if (some[e] != NONE) value[k + e] = __ldcs((const T *)(r.few + few[e]));
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) { /* a warp's places lie one behind the other, in its rounds */
        const bool has = element[k] != NONE;
        const uint32_t b = has ? element[k] / BUCKET : 0, peers = peers_of(b, has, s.bits);
        const uint32_t before = has ? mine[b] : 0;
        __syncwarp();
        rank[k] = (uint16_t)(before + __popc(peers & ((1u << lane) - 1)));
        if (has && peers >> lane == 1) mine[b] = rank[k] + 1;
        __syncwarp();
    }
    __syncthreads();
    const uint32_t all = begin_buckets(s, t);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (element[k] == NONE) continue;
        const uint32_t at = mine[element[k] / BUCKET] + rank[k];
        t.element[at] = element[k], t.value[at] = value[k];
    }
    __syncthreads();
#pragma unroll 4
    for (uint32_t j = threadIdx.x; j < all; j += threads) {
        const uint32_t e = t.element[j], to = t.moved[e / BUCKET] + j;
        if (to < r.count.by) s.to[to] = (uint16_t)(e % BUCKET), ((T *)s.value)[to] = t.value[j]; /* else indices changed */
    }
}

/* A window's elements, from the last place of the bucket backwards, eight a load: most of what is named twice is seen
 * to be late before it claims. */
template <class T>
__global__ void __launch_bounds__(WINDOW_THREADS) window_kernel(char *many, const split s, uint32_t count)
{
    __shared__ uint32_t claimed[WINDOW];
    if (*s.wrong) return;
    const int64_t low = (int64_t)blockIdx.x * WINDOW;
    const uint32_t bucket = (uint32_t)(low / BUCKET), in_bucket = (uint32_t)(low % BUCKET);
    const uint32_t first = s.offset[(int64_t)bucket * s.tiles];
    const uint32_t end = bucket + 1 < s.buckets ? s.offset[(int64_t)(bucket + 1) * s.tiles] : count;
    for (uint32_t k = threadIdx.x; k < WINDOW; k += WINDOW_THREADS) claimed[k] = 0;
    __syncthreads();
    for (uint32_t back = threadIdx.x; back < (end + 7) / 8 - first / 8; back += WINDOW_THREADS) {
        const uint32_t at = (end + 7) / 8 - 1 - back;
        const uint4 v = ((const uint4 *)s.to)[at];
        const uint32_t pair[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 7; k >= 0; k--) {
            const uint32_t j = at * 8 + k, e = (pair[k / 2] >> (k % 2 * 16) & 0xffff) - in_bucket;
            if (j >= first && j < end && e < WINDOW && claimed[e] < j - first + 1) atomicMax(claimed + e, j - first + 1);
        }
    }
    __syncthreads();
#pragma unroll 4
    for (uint32_t e = threadIdx.x; e < WINDOW; e += WINDOW_THREADS) {
        if (!claimed[e] || low + e >= s.number.size) continue;
        *(T *)(many + s.number.low + (low + e) * s.number.unit) = ((const T *)s.value)[first + claimed[e] - 1];
    }
}

int64_t most_shared(cp_stream *stream)
{
    int bytes = 0;
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, stream->device->ordinal);
    return bytes;
}

template <class T, int P, int DIMS> cp_code put(cp_stream *stream, const cpi_gather *g, split *s, void *scan, size_t scan_bytes)
{
    enum { THREADS = threads_of<T>() };
    cpi_picked<P> r;
    const cudaStream_t to = cpi_cuda_stream(stream);
    const size_t bytes = tile<T>::bytes(s->buckets);
    cp_code code = cpi_picked_of(stream, g, 1, &r);
    if (!code) code = cpi_cuda_allow(stream, split_kernel<T, P, DIMS>, (int64_t)bytes, g->function);
    if (code) return code;
    count_kernel<P, DIMS, THREADS><<<s->tiles, THREADS, s->buckets * 4, to>>>(r, *s);
    code = CPI_LAUNCHED(stream, g->function);
    if (code) return code;
    cub::DeviceScan::ExclusiveSum(scan, scan_bytes, s->offset, s->offset, (int64_t)s->buckets * s->tiles, to);
    code = CPI_LAUNCHED(stream, g->function);
    if (code) return code;
    split_kernel<T, P, DIMS><<<s->tiles, THREADS, bytes, to>>>(r, *s);
    code = CPI_LAUNCHED(stream, g->function);
    if (code) return code;
    window_kernel<T><<<(unsigned)((s->number.size + WINDOW - 1) / WINDOW), WINDOW_THREADS, 0, to>>>(g->many, *s,
                                                                                                  r.count.by);
    return CPI_LAUNCHED(stream, g->function);
}

size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

template <class T, int P, int DIMS> cp_code put_values(cp_stream *stream, const cpi_gather *g, split *s, bool *done)
{
    const int64_t count = cpi_gather_count(g), places = tile<T>::PLACES;
    *done = (int64_t)tile<T>::bytes(s->buckets) <= most_shared(stream);
    if (!*done) return CP_OK;
    s->tiles = (uint32_t)((count + places - 1) / places);
    const size_t offsets = aligned((size_t)s->buckets * s->tiles * 4), to = aligned((size_t)count * 2 + 16);
    const size_t values = aligned((size_t)count * sizeof(T));
    size_t scan = 0;
    cub::DeviceScan::ExclusiveSum(nullptr, scan, s->offset, s->offset, (int64_t)s->buckets * s->tiles,
                                  cpi_cuda_stream(stream));
    char *work = (char *)cpi_host->work_alloc(stream, offsets + to + values + scan);
    if (!work) return CP_ERROR_MEMORY;
    s->offset = (uint32_t *)work, s->to = (uint16_t *)(work + offsets), s->value = work + offsets + to;
    cp_code code = put<T, P, DIMS>(stream, g, s, work + offsets + to + values, scan);
    cpi_host->work_free(stream, work);
    return code;
}

template <int P, int DIMS> cp_code put_words(cp_stream *stream, const cpi_gather *g, split *s, bool *done)
{
    switch (g->bytes) {
    case 1: return put_values<uint8_t, P, DIMS>(stream, g, s, done);
    case 2: return put_values<uint16_t, P, DIMS>(stream, g, s, done);
    case 4: return put_values<uint32_t, P, DIMS>(stream, g, s, done);
    case 8: return put_values<uint2, P, DIMS>(stream, g, s, done);
    default: return put_values<uint4, P, DIMS>(stream, g, s, done);
    }
}

} // namespace

cp_code cpi_cuda_put_windows(cp_stream *stream, const cpi_gather *g, unsigned *wrong, bool *done)
{
    const int64_t count = cpi_gather_count(g);
    split s = {};
    s.number = cpi_numbering_of(g), s.wrong = wrong;
    const int64_t buckets = (s.number.size + BUCKET - 1) / BUCKET;
    *done = count >= LEAST && count <= 1 << 28 && s.number.size / 8 <= count && buckets <= BUCKETS &&
            cpi_gather_rest(g) == 1 && cpi_word_of(g) == g->bytes;
    if (!*done) return CP_OK;
    s.buckets = (uint32_t)buckets;
    while (1u << s.bits < s.buckets) s.bits++;
    return cpi_with_dims(g, [&](auto p, auto d) {
        return put_words<decltype(p)::value, decltype(d)::value>(stream, g, &s, done);
    });
}
