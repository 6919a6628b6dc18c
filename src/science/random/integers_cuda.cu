/* Parts of words on the GPU: float32 of halves, and whole numbers, of which some parts are passed over.
 *
 * Whole numbers go in one pass: a tile of threads makes the numbers of its parts, learns from the tiles before it how
 * many were good there (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016), and
 * writes its own behind them. Invariant: where a number goes follows from counts alone; tiles take their turns from a
 * counter, so that those before a tile have begun. */
#include "cuda/cuda.h"
#include "random/blocks.cuh"

namespace {

using namespace cpr;

/* Words of memory that parts of a call take */
int64_t words_in(const cpi_integers *q)
{
    const int64_t end = q->first + q->n;
    if (q->bits == 64) return end;
    const int per = 32 / q->bits;
    return cpi_ceil_div(cpi_ceil_div(end, per) - q->has_half, 2);
}

/* Eight float32 of a block of words. */
__global__ void __launch_bounds__(THREADS)
floats(const __grid_constant__ source s, const __grid_constant__ cpi_integers q, int64_t first)
{
    const int64_t block = first + (int64_t)blockIdx.x * (THREADS * TWICE) + threadIdx.x;
    const int64_t at = 8 * block - 2 * (s.words ? 0 : s.from.skip) + q.has_half;
    uint64_t w[4 * TWICE];
    if (block == 0 && q.has_half) ((float *)q.out)[0] = cpr_unit32(q.half);
    block_of<EITHER, TWICE>(s, block, w);
#pragma unroll
    for (int e = 0; e < TWICE; e++) {
        float v[8];
#pragma unroll
        for (int i = 0; i < 8; i++) v[i] = cpr_unit32((uint32_t)(w[4 * e + i / 2] >> (i & 1 ? 32 : 0)));
        store<float, 8, true>((float *)q.out, at + 8 * THREADS * e, q.has_half, q.n, v);
    }
}

/* A call for whole numbers; blocks of words from `block` on. */
struct call {
    source s;
    int64_t block;
    int64_t at;         /* of the first part of that block; what is not in 0..n is not of this call */
    int64_t n, want;
    uint64_t factor, threshold, off; /* the range and 1, if that is a number */
    bool all;           /* the range is all that the bits hold */
    bool has_half;      /* the half before the first word is a part */
    uint32_t half;
    void *out;
    uint64_t *turn, *status; /* of tiles */
    int64_t *used, *taken;
};

template <int BITS>
__device__ __forceinline__ uint64_t part_of(const uint64_t w[4], int i)
{
    if constexpr (BITS == 64) return w[i];
    else return (uint32_t)(w[i / (64 / BITS)] >> i % (64 / BITS) * BITS) & (uint32_t)((UINT64_C(1) << BITS) - 1);
}

template <int BITS> __device__ __forceinline__ bool number_of(const call &q, uint64_t part, uint64_t *x)
{
    if constexpr (BITS == 64) {
        *x = q.all ? part : cpr_high(part, q.factor);
        return part * q.factor >= q.threshold;
    } else if constexpr (BITS == 32) {
        const uint64_t m = part * (uint32_t)q.factor;
        *x = q.all ? part : m >> 32;
        return (uint32_t)m >= (uint32_t)q.threshold;
    } else {
        const uint32_t m = (uint32_t)part * (uint32_t)q.factor;
        *x = m >> BITS;
        return (m & ((1u << BITS) - 1)) >= (uint32_t)q.threshold;
    }
}

template <int BITS> __device__ __forceinline__ void words_of(const call &q, int64_t block, uint64_t w[4])
{
    block_of<EITHER>(q.s, q.block + block, w);
    if (!q.has_half || block) return;
    const int last = (q.s.words ? 0 : q.s.from.skip) + 3 & 3; /* the word before the first one */
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i == last) w[i] = (uint64_t)q.half << 32;
}

/* The sum of the counts before a tile, by its first warp. A tile's status has its own count, then all to its end. */
__device__ int64_t counted_before(uint64_t *status, int64_t tile, int count)
{
    const uint64_t own = UINT64_C(1) << 62, all = UINT64_C(2) << 62, value = own - 1;
    const int lane = threadIdx.x % 32;
    volatile uint64_t *s = status;
    int64_t sum = 0;
    if (lane == 0) s[tile] = (tile ? own : all) | (uint64_t)count;
    for (int64_t at = tile - 1; at >= 0; at -= 32) {
        uint64_t v;
        do v = at - lane >= 0 ? s[at - lane] : all;
        while (__any_sync(0xffffffffu, !(v >> 62)));
        const unsigned ends = __ballot_sync(0xffffffffu, (unsigned)(v >> 63));
        int64_t here = !ends || lane < __ffs((int)ends) ? (int64_t)(v & value) : 0;
        for (int d = 16; d; d /= 2) here += __shfl_xor_sync(0xffffffffu, here, d);
        sum += here;
        if (ends) break;
    }
    if (lane == 0 && tile) s[tile] = all | (uint64_t)(sum + count);
    return sum;
}

/* The sum of v in the lanes before, and in all. */
__device__ __forceinline__ int warp_before(int v, int *all)
{
    const int lane = threadIdx.x % 32;
    int sum = v;
    for (int d = 1; d < 32; d *= 2) {
        const int up = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += up;
    }
    *all = __shfl_sync(0xffffffffu, sum, 31);
    return sum - v;
}

/* A thread makes the numbers of a block of words. FEW: some parts may be passed over. */
template <class T, int BITS, bool FEW> __global__ void __launch_bounds__(THREADS)
numbers(const __grid_constant__ call q)
{
    enum { EACH = 256 / BITS, PAD = sizeof(T) < 4 ? 4 / (int)sizeof(T) : 1 }; /* threads write to different banks */
    __shared__ int totals[THREADS / 32];
    __shared__ int64_t mine;
    __shared__ T space[THREADS * (EACH + PAD)];
    if (FEW && threadIdx.x == 0) mine = (int64_t)atomicAdd((unsigned long long *)q.turn, 1ull);
    if (FEW) __syncthreads();
    const int64_t tile = FEW ? mine : blockIdx.x, block = tile * THREADS + threadIdx.x, at = q.at + block * EACH;
    uint64_t w[4];
    unsigned good = 0;
    T v[EACH];
    words_of<BITS>(q, block, w);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        uint64_t x;
        const bool fits = number_of<BITS>(q, part_of<BITS>(w, i), &x);
        if ((fits || !FEW) && at + i >= 0 && at + i < q.n) good |= 1u << i;
        v[i] = (T)((T)q.off + (T)x);
    }
    int all, k = warp_before(__popc(good), &all);
    if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = all;
    __syncthreads();
    int sum = 0;
#pragma unroll
    for (int i = 0; i < THREADS / 32; i++) {
        if (i < (int)threadIdx.x / 32) k += totals[i];
        sum += totals[i];
    }
    if (FEW && threadIdx.x < 32) {
        const int64_t before = counted_before(q.status, tile, sum);
        if (threadIdx.x == 0) mine = before;
    }
    const int first = k;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (good >> i & 1) space[k + k / EACH * PAD] = v[i], k++;
    __syncthreads();
    const int64_t start = q.at + tile * THREADS * EACH, to = FEW ? mine : start < 0 ? 0 : start, left = q.want - to;
    T *out = (T *)q.out + to;
    for (int i = threadIdx.x; i < (left < sum ? left : sum); i += THREADS) out[i] = space[i + i / EACH * PAD];
    if (!FEW) return;
    if (left > first && left <= k) { /* the last number is this thread's */
        int i = 0;
        for (int64_t rest = left - first; rest; i++) rest -= good >> i & 1;
        *q.used = at + i;
    }
    if (tile == gridDim.x - 1 && threadIdx.x == 0) {
        *q.taken = left < sum ? q.want : to + sum;
        if (left > sum) *q.used = q.n;
    }
}

/* Truths: a thread has 256 bits. */
__global__ void __launch_bounds__(THREADS) truths(const __grid_constant__ call q)
{
    const int64_t block = thread_index(), at = q.at + block * 256;
    uint64_t w[4];
    uint8_t *out = (uint8_t *)q.out;
    words_of<1>(q, block, w);
    for (int i = 0; i < 32; i++) { /* byte k gets bit k */
        const uint64_t each = (w[i / 8] >> i % 8 * 8 & 0xff) * UINT64_C(0x0101010101010101);
        const uint64_t spread = each & UINT64_C(0x8040201008040201);
        const uint64_t ones = (spread + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
        const int64_t to = at + 8 * i;
        if (to >= 0 && to + 8 <= q.n && (uintptr_t)(out + to) % 8 == 0) {
            *(uint64_t *)(out + to) = ones;
            continue;
        }
        for (int k = 0; k < 8; k++)
            if (to + k >= 0 && to + k < q.n) out[to + k] = (uint8_t)(ones >> 8 * k & 1);
    }
}

template <class T, int BITS> void launch(cudaStream_t s, const call *q, int64_t tiles)
{
    if (q->threshold) numbers<T, BITS, true><<<(unsigned)tiles, THREADS, 0, s>>>(*q);
    else numbers<T, BITS, false><<<(unsigned)tiles, THREADS, 0, s>>>(*q);
}

/* Where the blocks of a call begin, and how many tiles of threads they take */
int64_t position_of(const cpi_integers *q, call *c)
{
    const int shift = q->bits == 1 ? 5 : q->bits == 8 ? 2 : q->bits == 16 ? 1 : 0;
    const int64_t skip = q->words ? 0 : q->from.skip;
    const bool has_half = q->bits != 64 && q->has_half;
    const int64_t first = q->bits == 64 ? q->first : ((q->first >> shift) - has_half) >> 1; /* word; -1: the half */
    c->block = (first + skip) >> 2;
    c->has_half = first < 0;
    c->half = q->half;
    const int64_t word = 4 * c->block - skip; /* the block's first */
    c->at = (q->bits == 64 ? word : (2 * word + has_half) * (1 << shift)) - q->first;
    const int64_t tile = (int64_t)THREADS * (256 / q->bits);
    return cpi_ceil_div(q->n - c->at, tile);
}

void launch_of(cudaStream_t s, const cpi_integers *q, const call *c, int64_t tiles)
{
    switch (q->bits) {
    case 1: truths<<<(unsigned)tiles, THREADS, 0, s>>>(*c); break;
    case 8: launch<uint8_t, 8>(s, c, tiles); break;
    case 16: launch<uint16_t, 16>(s, c, tiles); break;
    case 32:
        if (q->size == 4) launch<uint32_t, 32>(s, c, tiles);
        else launch<uint64_t, 32>(s, c, tiles);
        break;
    default: launch<uint64_t, 64>(s, c, tiles);
    }
}

} // namespace

cp_code cpi_random_cuda_halves(cp_stream *stream, const cpi_integers *q)
{
    const cudaStream_t stream_of = cpi_cuda_stream(stream);
    const int64_t skip = q->words ? 0 : q->from.skip, all = cpi_ceil_div(q->n + 2 * skip, 8);
    const source s = source_of(&q->from, q->words, words_in(q), all);
    launches(all, THREADS * TWICE,
             [&](int64_t at, unsigned blocks) { floats<<<blocks, THREADS, 0, stream_of>>>(s, *q, at); });
    return CPI_LAUNCHED(stream, "random");
}

/* A launch has at most 2^31 - 1 tiles: 2^40 numbers, more than any memory holds. */
cp_code cpi_random_cuda_integers(cp_stream *stream, cpi_integers *q)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    call c = {};
    const int64_t tiles = position_of(q, &c);
    c.n = q->n;
    c.want = q->want;
    c.threshold = cpr_threshold(q->range, q->bits);
    c.factor = q->range + 1;
    c.off = q->off;
    c.all = q->range == (q->bits == 64 ? UINT64_MAX : (UINT64_C(1) << q->bits) - 1);
    c.out = q->out;
    c.s = source_of(&q->from, q->words, words_in(q), c.block + tiles * THREADS);
    q->taken = q->want;
    q->used = q->n;
    if (!c.threshold) {
        launch_of(s, q, &c, tiles);
        return CPI_LAUNCHED(stream, "integers");
    }
    const size_t bytes = (size_t)(tiles + 3) * sizeof *c.status;
    c.turn = (uint64_t *)cpi_host->work_alloc(stream, bytes);
    if (!c.turn) return CP_ERROR_MEMORY;
    c.used = (int64_t *)c.turn + 1;
    c.taken = (int64_t *)c.turn + 2;
    c.status = c.turn + 3;
    int64_t found[2] = {0, 0};
    cp_code code = cpi_cuda_check(stream, cudaMemsetAsync(c.turn, 0, bytes, s), "integers");
    if (!code) {
        launch_of(s, q, &c, tiles);
        code = CPI_LAUNCHED(stream, "integers");
    }
    if (!code) code = cpi_cuda_read(stream, found, c.used, sizeof found);
    cpi_host->work_free(stream, c.turn);
    q->used = found[0];
    q->taken = found[1];
    return code;
}
