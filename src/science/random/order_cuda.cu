/* Permutations on the GPU: the stable argsort of random words, in two steps with one round trip through memory.
 *
 * Words are random, so their upper bits distribute them evenly. First each word's index goes to the bucket of its upper
 * bits. Then each bucket, a few thousand words, is sorted in shared memory: by the next bits into bins of about one
 * word, and by comparison in a bin. Only the 32 bits after the bucket's are stored; where two are equal the words are
 * computed again. Invariant: the order is that of (word, index), whatever the order of writes. */
#include <cmath>

#include "cuda/cuda.h"
#include "random/blocks.cuh"

namespace {

using namespace cpr;

struct order {
    source s;
    int64_t n;
    int bits;            /* of a bucket's number */
    uint32_t capacity;   /* capacity of a bucket */
    uint32_t *counts;    /* of words in buckets */
    uint2 *indices;      /* index and 32 bits of each */
    int64_t *starts;     /* of buckets in the order */
    int64_t *out;
    uint32_t *failed;    /* the stream's mailbox */
    uint32_t failure;
};

enum { SPREAD = 256, TIMES = 4, EACH = 4 * TIMES, ASKED = 8 }; /* threads; blocks of words and words of a thread */

/* A tile first counts its words for each bucket, so that it reserves space once a bucket. */
__global__ void __launch_bounds__(SPREAD) spread(const __grid_constant__ order q)
{
    extern __shared__ uint32_t count[];
    const int buckets = 1 << q.bits;
    const int64_t first = (int64_t)blockIdx.x * (SPREAD * TIMES) + threadIdx.x;
    uint32_t key[EACH], bucket[EACH], rank[EACH];
    for (int i = threadIdx.x; i < buckets; i += SPREAD) count[i] = 0;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TIMES; j++) {
        const int64_t block = first + j * SPREAD;
        uint64_t w[4];
        block_of<EITHER>(q.s, block, w);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = 4 * j + i;
            bucket[e] = (uint32_t)(w[i] >> 1 >> (63 - q.bits));
            key[e] = (uint32_t)(w[i] << q.bits >> 32);
            const int64_t at = 4 * block + i - q.s.from.skip;
            rank[e] = at >= 0 && at < q.n ? atomicAdd(&count[bucket[e]], 1u) : UINT32_MAX;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < buckets; i += SPREAD * ASKED) { /* several loads in flight */
        uint32_t here[ASKED];
#pragma unroll
        for (int j = 0; j < ASKED; j++) here[j] = i + j * SPREAD < buckets ? count[i + j * SPREAD] : 0;
#pragma unroll
        for (int j = 0; j < ASKED; j++)
            if (here[j]) here[j] = atomicAdd(&q.counts[i + j * SPREAD], here[j]);
#pragma unroll
        for (int j = 0; j < ASKED; j++)
            if (i + j * SPREAD < buckets) count[i + j * SPREAD] = here[j];
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const uint32_t thread_index = count[bucket[e]] + rank[e];
        if (rank[e] == UINT32_MAX) continue;
        if (thread_index >= q.capacity) *q.failed = q.failure; /* ten standard deviations above the mean */
        else
            q.indices[(int64_t)bucket[e] * q.capacity + thread_index] =
                make_uint2((uint32_t)(4 * (first + e / 4 * SPREAD) + e % 4 - q.s.from.skip), key[e]);
    }
}

/* The sum of v in threads before this one of a block. */
template <int SIZE> __device__ __forceinline__ uint32_t block_before(uint32_t v)
{
    __shared__ uint32_t totals[SIZE / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t sum = v;
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t up = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += up;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    for (int i = 0; i < warp; i++) sum += totals[i];
    return sum - v;
}

enum { STARTS = 1024 };
__global__ void __launch_bounds__(STARTS) find_starts(const __grid_constant__ order q)
{
    extern __shared__ uint32_t starts[];
    const int buckets = 1 << q.bits, each = cpi_ceil_div(buckets, STARTS), from = threadIdx.x * each;
    const int end = from + each < buckets ? from + each : buckets;
    uint32_t sum = 0;
    for (int i = threadIdx.x; i < buckets; i += STARTS) starts[i] = q.counts[i];
    __syncthreads();
    for (int i = from; i < end; i++) sum += starts[i];
    uint32_t at = block_before<STARTS>(sum);
    for (int i = from; i < end; i++) {
        const uint32_t here = starts[i];
        starts[i] = at;
        at += here;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < buckets; i += STARTS) q.starts[i] = starts[i];
}

__device__ __noinline__ uint64_t word_at(const source &s, uint32_t thread_index)
{
    return cpr_word(&s.from, thread_index);
}

/* MOST words a thread; BINS are a power of two. */
template <int SIZE, int MOST, int BINS> __global__ void __launch_bounds__(SIZE) finish(const __grid_constant__ order q)
{
    enum { OWN = BINS / SIZE };
    extern __shared__ uint64_t cells[]; /* keys and indices by bins; the bins' first cells behind them */
    uint32_t *bins = (uint32_t *)(cells + q.capacity);
    const uint32_t found = q.counts[blockIdx.x];
    const int m = (int)(found < q.capacity ? found : q.capacity), shift = 33 - __ffs(BINS);
    const uint2 *from = q.indices + (int64_t)blockIdx.x * q.capacity;
    uint2 v[MOST];
    uint32_t rank[MOST], sum = 0;
    for (int i = threadIdx.x; i < BINS; i += SIZE) bins[i] = 0;
#pragma unroll
    for (int j = 0; j < MOST; j++)
        if ((int)threadIdx.x + j * SIZE < m) v[j] = from[threadIdx.x + j * SIZE];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < MOST; j++)
        if ((int)threadIdx.x + j * SIZE < m) rank[j] = atomicAdd(&bins[v[j].y >> shift], 1u);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < OWN; i++) sum += bins[threadIdx.x * OWN + i];
    uint32_t at = block_before<SIZE>(sum);
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        const uint32_t here = bins[threadIdx.x * OWN + i];
        bins[threadIdx.x * OWN + i] = at;
        at += here;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < MOST; j++)
        if ((int)threadIdx.x + j * SIZE < m) cells[bins[v[j].y >> shift] + rank[j]] = (uint64_t)v[j].y << 32 | v[j].x;
    __syncthreads();
    int64_t *out = q.out + q.starts[blockIdx.x];
    for (int i = threadIdx.x; i < m; i += SIZE) {
        const uint64_t mine = cells[i];
        const uint32_t bin = (uint32_t)(mine >> 32) >> shift;
        const int low = (int)bins[bin], high = bin + 1 < BINS ? (int)bins[bin + 1] : m;
        int less = low;
        for (int k = low; k < high; k++) {
            const uint64_t other = cells[k];
            if (other >> 32 != mine >> 32 || k == i) {
                less += other < mine;
            } else {
                const uint64_t a = word_at(q.s, (uint32_t)other), b = word_at(q.s, (uint32_t)mine);
                less += a < b || (a == b && (uint32_t)other < (uint32_t)mine);
            }
        }
        out[less] = (int64_t)(uint32_t)mine;
    }
}

template <int SIZE, int MOST, int BINS> cp_code shuffle_rows(cp_stream *stream, order *q)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    const int64_t buckets = INT64_C(1) << q->bits, blocks = cpi_ceil_div(q->n + q->s.from.skip, 4);
    const size_t shared = q->capacity * sizeof(uint64_t) + BINS * sizeof(uint32_t);
    char *work = (char *)cpi_host->work_alloc(
        stream, (size_t)buckets * (q->capacity * sizeof *q->indices + sizeof *q->starts + sizeof *q->counts));
    if (!work) return CP_ERROR_MEMORY;
    q->indices = (uint2 *)work;
    q->starts = (int64_t *)(q->indices + buckets * q->capacity);
    q->counts = (uint32_t *)(q->starts + buckets);
    cp_code code = cpi_cuda_allow(stream, finish<SIZE, MOST, BINS>, (int64_t)shared, "permutation");
    if (!code) code = cpi_cuda_allow(stream, spread, buckets * (int64_t)sizeof(uint32_t), "permutation");
    if (!code) code = cpi_cuda_allow(stream, find_starts, buckets * (int64_t)sizeof(uint32_t), "permutation");
    if (!code)
        code = cpi_cuda_check(stream, cudaMemsetAsync(q->counts, 0, (size_t)buckets * sizeof *q->counts, s),
                              "permutation");
    if (!code) {
        const unsigned tiles = (unsigned)cpi_ceil_div(blocks, SPREAD * TIMES);
        spread<<<tiles, SPREAD, (size_t)buckets * sizeof(uint32_t), s>>>(*q);
        find_starts<<<1, STARTS, (size_t)buckets * sizeof(uint32_t), s>>>(*q);
        finish<SIZE, MOST, BINS><<<(unsigned)buckets, SIZE, shared, s>>>(*q);
        code = CPI_LAUNCHED(stream, "permutation");
    }
    cpi_host->work_free(stream, work);
    return code;
}

} // namespace

cp_code cpi_random_cuda_permutation(cp_stream *stream, const cpi_bit_stream *from, int64_t n, int64_t *out)
{
    order q = {};
    q.s = source_of(from, nullptr, 0, n / 4 + 2);
    q.n = n;
    q.out = out;
    q.failed = cpi_cuda_mailbox(stream);
    q.failure = cpi_cuda_late(CP_ERROR_DEVICE, "permutation", "words are not random");
    if (!q.failed) return CP_ERROR_DEVICE;
    while (n >> q.bits > 2048 && (q.bits < 13 || n >> q.bits > 4096)) q.bits++;
    const double mean = (double)n / (double)(1 << q.bits);
    q.capacity = (uint32_t)(mean + 12 * std::sqrt(mean)) + 64;
    if (mean <= 2048) return shuffle_rows<256, 11, 4096>(stream, &q);
    return shuffle_rows<512, 11, 8192>(stream, &q);
}
