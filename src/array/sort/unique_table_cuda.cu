/* unique of integers that lie close together, on the GPU: a table over all values between the smallest and the
 * largest instead of a sort. Sums and minima over integers only, so the order of the atomics does not matter. Every
 * kernel reads the elements again, which another thread may have written in between: keys out of the range are passed
 * over, so that nothing is written beyond the table. */
#include "sort/cuda.h"
#include "sort/unique_cuda.h"

#define SHARED_RANGE 4096 /* tables up to this size are filled in shared memory */

/* found[0]: the largest complement of a key; found[1]: the largest key. Both begin as 0. */
static __global__ void find_range(cpi_keys k, int64_t n, const void *from, unsigned long long *found)
{
    unsigned long long low = 0, high = 0; /* low: of complements */
    CPI_SORT_EACH(i, n)
    {
        unsigned long long key = cpi_element_key(k, from, i, false);
        low = max(~key, low);
        high = max(key, high);
    }
    for (int step = 16; step > 0; step /= 2) {
        low = max(__shfl_xor_sync(0xFFFFFFFFu, low, step), low);
        high = max(__shfl_xor_sync(0xFFFFFFFFu, high, step), high);
    }
    __shared__ unsigned long long lows[CPI_SORT_THREADS / 32], highs[CPI_SORT_THREADS / 32];
    if (threadIdx.x % 32 == 0) {
        lows[threadIdx.x / 32] = low;
        highs[threadIdx.x / 32] = high;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < CPI_SORT_THREADS / 32; w++) {
            low = max(lows[w], low);
            high = max(highs[w], high);
        }
        atomicMax(found, low);
        atomicMax(found + 1, high);
    }
}

static cp_code launch_range(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t n, const void *from,
                            unsigned long long *found)
{
    find_range<<<cpi_cuda_blocks(n, 4 * CPI_SORT_THREADS, 8 * cpi_cuda_units(stream)), CPI_SORT_THREADS, 0,
                 cpi_cuda_stream(stream)>>>(*keys, n, from, found);
    return CPI_LAUNCHED(stream, what);
}

cp_code cpi_cuda_key_range(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t n, const void *from,
                           uint64_t *low, uint64_t *high)
{
    unsigned long long found[2] = {0, 0};
    unsigned long long *device = (unsigned long long *)cpi_host->work_alloc(stream, sizeof found);
    if (!device) return CP_ERROR_MEMORY;
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(device, 0, sizeof found, cpi_cuda_stream(stream)), what);
    if (code == CP_OK) code = launch_range(stream, what, keys, n, from, device);
    if (code == CP_OK) code = cpi_cuda_read(stream, found, device, sizeof found);
    cpi_host->work_free(stream, device);
    *low = ~found[0];
    *high = found[1];
    return code;
}

/* The table: a bit for each value always, counts and first occurrences where wanted (else NULL). */
typedef struct table {
    int64_t range;
    uint64_t low;
    unsigned *bits;
    unsigned long long *counts, *first;
    int64_t *position;
} table;

/* Looks first: nearly all writes are spared where values repeat. */
__device__ __forceinline__ void set_bit(unsigned *bits, uint64_t at)
{
    const unsigned bit = 1u << at % 32;
    if (!(*(volatile unsigned *)(bits + at / 32) & bit)) atomicOr(bits + at / 32, bit);
}

#define NEAR_THREADS 1024
#define NEAR_WORDS 12288 /* bits of a block's shared memory, in words: what every device has */

/* Bits of keys that lie within `range` of the smallest one, where all do; else none. Blocks that have room for as many
 * bits gather their own first, since all would write to the same few places. */
static __global__ void __launch_bounds__(NEAR_THREADS)
mark_near(cpi_keys k, int64_t n, const void *from, uint64_t range, const unsigned long long *found, unsigned *bits)
{
    __shared__ unsigned seen[NEAR_WORDS];
    const uint64_t low = ~found[0], last = found[1] - low;
    if (last >= range) return;
    const bool fits = last / 32 < NEAR_WORDS;
    const unsigned words = fits ? (unsigned)(last / 32) + 1 : 0;
    for (unsigned w = threadIdx.x; w < words; w += blockDim.x) seen[w] = 0;
    __syncthreads();
    CPI_SORT_EACH(i, n)
    {
        const uint64_t at = cpi_element_key(k, from, i, false) - low;
        if (at > last) continue;
        if (fits) atomicOr(seen + at / 32, 1u << at % 32);
        else set_bit(bits, at);
    }
    __syncthreads();
    for (unsigned w = threadIdx.x; w < words; w += blockDim.x)
        if (seen[w]) atomicOr(bits + w, seen[w]);
}

static __global__ void mark_values(cpi_keys k, int64_t n, const void *from, table t)
{
    CPI_SORT_EACH(i, n)
    {
        const uint64_t at = cpi_element_key(k, from, i, false) - t.low;
        if (at >= (uint64_t)t.range) continue;
        if (t.counts) atomicAdd(t.counts + at, 1ull);
        set_bit(t.bits, at);
        if (t.first && ((volatile unsigned long long *)t.first)[at] > (unsigned long long)i)
            atomicMin(t.first + at, (unsigned long long)i);
    }
}

/* The same with the counts of a block (marks, where no counts are wanted) in shared memory. A block sees fewer than
 * 2^32 elements. */
static __global__ void mark_values_shared(cpi_keys k, int64_t n, const void *from, table t)
{
    __shared__ unsigned counts[SHARED_RANGE];
    for (int j = threadIdx.x; j < t.range; j += blockDim.x) counts[j] = 0;
    __syncthreads();
    CPI_SORT_EACH(i, n)
    {
        const uint64_t at = cpi_element_key(k, from, i, false) - t.low;
        if (at >= (uint64_t)t.range) continue;
        if (t.counts) atomicAdd(counts + at, 1u);
        else atomicOr(counts + at, 1u);
        if (t.first && ((volatile unsigned long long *)t.first)[at] > (unsigned long long)i)
            atomicMin(t.first + at, (unsigned long long)i);
    }
    __syncthreads();
    for (int j = threadIdx.x; j < cpi_round_up(t.range, 32); j += blockDim.x) { /* whole warps */
        const unsigned count = j < t.range ? counts[j] : 0, bits = __ballot_sync(0xFFFFFFFFu, count != 0);
        if (t.counts && count) atomicAdd(t.counts + j, (unsigned long long)count);
        if (j % 32 == 0 && (bits & ~*(volatile unsigned *)(t.bits + j / 32))) atomicOr(t.bits + j / 32, bits);
    }
}

static __global__ void write_values(cpi_keys k, table t, void *values, int64_t *index, int64_t *counts)
{
    CPI_SORT_EACH(j, t.range)
    {
        if (!(t.bits[j / 32] >> j % 32 & 1)) continue;
        int64_t u = t.position[j] - 1;
        cpi_put_element(k, t.low + (uint64_t)j, values, u);
        if (index) index[u] = (int64_t)t.first[j];
        if (counts) counts[u] = (int64_t)t.counts[j];
    }
}

static __global__ void write_inverse(cpi_keys k, int64_t n, const void *from, table t, int64_t *inverse)
{
    CPI_SORT_EACH(i, n)
    {
        const uint64_t at = cpi_element_key(k, from, i, false) - t.low;
        inverse[i] = at < (uint64_t)t.range ? t.position[at] - 1 : 0;
    }
}

static cp_code fill(cp_stream *stream, const cpi_keys *k, const cpi_unique *q, table *t)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    size_t words = (size_t)t->range * sizeof(unsigned long long);
    const size_t bits = cpi_ceil_div((size_t)t->range, 32) * 4;
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(t->bits, 0, bits, s), "unique");
    if (code == CP_OK && t->counts) code = cpi_cuda_issued(stream, cudaMemsetAsync(t->counts, 0, words, s), "unique");
    if (code == CP_OK && t->first) code = cpi_cuda_issued(stream, cudaMemsetAsync(t->first, 0xFF, words, s), "unique");
    if (code != CP_OK) return code;
    if (t->range <= SHARED_RANGE)
        mark_values_shared<<<cpi_cuda_blocks(q->n, 16 * CPI_SORT_THREADS, 4 * cpi_cuda_units(stream)), CPI_SORT_THREADS,
                             0, s>>>(*k, q->n, q->from, *t);
    else
        CPI_SORT_LAUNCH(mark_values, q->n)(*k, q->n, q->from, *t);
    return CPI_LAUNCHED(stream, "unique");
}

/* Places of a table that is filled, their number, the results. */
static cp_code count_and_write(cp_stream *stream, const cpi_keys *k, cpi_unique *q, const table *t)
{
    int64_t count = 0;
    cp_code code = cpi_cuda_sum_marks(stream, {t->bits, NULL}, t->position, t->range);
    if (code == CP_OK) code = cpi_cuda_read(stream, &count, t->position + t->range - 1, sizeof count);
    if (code == CP_OK) code = q->sized(q, count);
    if (code != CP_OK) return code;
    CPI_SORT_LAUNCH(write_values, t->range)(*k, *t, q->values, q->index, q->counts);
    code = CPI_LAUNCHED(stream, "unique");
    if (code == CP_OK && q->inverse) {
        CPI_SORT_LAUNCH(write_inverse, q->n)(*k, q->n, q->from, *t, q->inverse);
        code = CPI_LAUNCHED(stream, "unique");
    }
    return code;
}

/* What marks a table before its range is known. */
typedef struct near {
    cp_stream *stream;
    const cpi_keys *k;
    const cpi_unique *q;
    uint64_t most;
    unsigned long long *found;
    unsigned *bits;
} near;

static cp_code mark_ahead(void *context)
{
    const near *w = (const near *)context;
    cp_stream *stream = w->stream;
    const unsigned blocks = cpi_cuda_blocks(w->q->n, 4 * NEAR_THREADS, cpi_cuda_units(stream));
    mark_near<<<blocks, NEAR_THREADS, 0, cpi_cuda_stream(stream)>>>(*w->k, w->q->n, w->q->from, w->most, w->found,
                                                                     w->bits);
    return CPI_LAUNCHED(stream, "unique");
}

cp_code cpi_cuda_unique_near(cp_stream *stream, const cpi_keys *k, cpi_unique *q, int64_t most, uint64_t *low,
                             uint64_t *high, bool *done)
{
    const size_t cleared = 16 + cpi_ceil_div((size_t)most, 32) * 4; /* the range found, and bits */
    uint64_t range[2] = {0, 0};
    unsigned long long *found = (unsigned long long *)cpi_host->work_alloc(stream, cleared);
    if (!found) return CP_ERROR_MEMORY;
    near w = {stream, k, q, (uint64_t)most, found, (unsigned *)(found + 2)};
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(found, 0, cleared, cpi_cuda_stream(stream)), "unique");
    if (code == CP_OK) code = launch_range(stream, "unique", k, q->n, q->from, found);
    if (code == CP_OK) code = cpi_cuda_read_while(stream, range, found, sizeof range, mark_ahead, &w);
    *low = ~range[0];
    *high = range[1];
    *done = code == CP_OK && *high - *low < w.most;
    if (*done) {
        table t = {};
        t.low = *low;
        t.range = (int64_t)(*high - *low) + 1;
        t.bits = w.bits;
        t.position = (int64_t *)cpi_host->work_alloc(stream, (size_t)t.range * sizeof *t.position);
        code = t.position ? count_and_write(stream, k, q, &t) : CP_ERROR_MEMORY;
        cpi_host->work_free(stream, t.position);
    }
    cpi_host->work_free(stream, found);
    return code;
}

cp_code cpi_cuda_unique_table(cp_stream *stream, const cpi_keys *k, cpi_unique *q, uint64_t low, int64_t range)
{
    size_t words = cpi_round_up((size_t)range * 8, 512);
    char *memory = (char *)cpi_host->work_alloc(stream, 4 * words);
    if (!memory) return CP_ERROR_MEMORY;
    table t = {};
    t.range = range;
    t.low = low;
    t.position = (int64_t *)memory;
    t.bits = (unsigned *)(memory + words);
    t.counts = q->want_counts ? (unsigned long long *)(memory + 2 * words) : NULL;
    t.first = q->want_index ? (unsigned long long *)(memory + 3 * words) : NULL;
    cp_code code = fill(stream, k, q, &t);
    if (code == CP_OK) code = count_and_write(stream, k, q, &t);
    cpi_host->work_free(stream, memory);
    return code;
}
