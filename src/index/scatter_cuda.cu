/* Elements by arrays of integers, on the GPU: writing them.
 *
 * Of several values for one element the last one stays: places first claim their element, the highest number wins, and
 * only winners write. Claims lie in a table of all elements that could be named, or, where those are many more than
 * places, in a hash table. A block alone does what is small, its claims in its own memory. Invariant: where an index is
 * wrong nothing at all is written, since every index is looked at before the first element is written. */
#include <cstring>

#include "cuda/cuda.h"
#include "index/places.cuh"

namespace {

enum { THREADS = CPI_PLACE_THREADS, EACH = CPI_PLACE_EACH };
enum { BLOCK = 1024, ALONE = 1 << 14, ALONE_BYTES = 48 * 1024 }; /* a block alone: its threads, items, memory */

/* --- claims --- */

/* Which element an offset names: (offset - low) / unit, in a table; or by its hash, keys beside the claims. */
struct claims {
    uint32_t *winner;        /* the highest place + 1; NULL: nobody claims */
    unsigned long long *key; /* what is there + 1; NULL: one entry an element */
    int64_t low, unit, size; /* size: a power of two where there are keys */
    int shift;               /* unit is 2^shift; -1: it is no power of two */
    unsigned *wrong;         /* not 0: an index is wrong. NULL: none can be */
};

__device__ __forceinline__ uint64_t divide(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

__device__ __forceinline__ int64_t entry(const claims &c, int64_t offset, bool claim)
{
    const uint64_t from = (uint64_t)(offset - c.low);
    const unsigned long long e = c.shift >= 0 ? from >> c.shift : divide(from, (uint64_t)c.unit);
    if (!c.key) return (int64_t)e;
    const unsigned long long h = e * 0x9e3779b97f4a7c15ull;
    for (int64_t at = (int64_t)((h ^ h >> 29) & (unsigned long long)(c.size - 1));; at = (at + 1) & (c.size - 1)) {
        const unsigned long long there = claim ? atomicCAS(&c.key[at], 0ull, e + 1) : c.key[at];
        if (there == e + 1 || there == 0) return at; /* nobody claimed what is not there: its index has changed */
    }
}

/* Places first, first + stride, ... claim; false: the index of one is wrong. */
template <int P>
__device__ __forceinline__ bool claim_places(const cpi_picked<P> &r, const claims &c, uint32_t first, uint32_t stride)
{
    uint32_t i[EACH];
    int64_t many[EACH], few[EACH];
    bool wanted[EACH], good[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) i[e] = first + e * stride, wanted[e] = i[e] < r.count.by;
    const bool right = cpi_find(r, i, wanted, many, few, good);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (c.winner && good[e]) atomicMax(c.winner + entry(c, many[e], true), i[e] + 1);
    return right;
}

template <int P>
__global__ void __launch_bounds__(THREADS) claim_kernel(const __grid_constant__ cpi_picked<P> r, const claims c)
{
    if (!claim_places(r, c, blockIdx.x * (THREADS * EACH) + threadIdx.x, THREADS)) *(volatile unsigned *)c.wrong = 1;
}

/* --- writing --- */

/* Items first, first + stride, ... where their place has won. */
template <class T, int P>
__device__ __forceinline__ void put_items(const cpi_picked<P> &r, const claims &c, uint32_t first, uint32_t stride)
{
    uint32_t i[EACH], s[EACH], word[EACH];
    int64_t many[EACH], few[EACH];
    bool wanted[EACH], good[EACH];
    T x[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        wanted[e] = first + e * stride < r.items;
        cpi_item(r, wanted[e] ? first + e * stride : 0, &i[e], &s[e], &word[e]);
    }
    cpi_find(r, i, wanted, many, few, good);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        good[e] = good[e] && (!c.winner || c.winner[entry(c, many[e], false)] == i[e] + 1);
        cpi_walk_rest(r, s[e], &many[e], &few[e]);
        if (good[e]) x[e] = *(const T *)(r.few + few[e] + word[e] * sizeof(T));
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (good[e]) *(T *)(r.many + many[e] + word[e] * sizeof(T)) = x[e];
}

template <class T, int P>
__global__ void __launch_bounds__(THREADS) put_kernel(const __grid_constant__ cpi_picked<P> r, const claims c)
{
    if (c.wrong && *c.wrong) return;
    put_items<T>(r, c, blockIdx.x * (THREADS * EACH) + threadIdx.x, THREADS);
}

/* Everything by one block. */
template <class T, int P>
__global__ void __launch_bounds__(BLOCK) alone_kernel(const __grid_constant__ cpi_picked<P> r, claims c, bool claiming)
{
    extern __shared__ __align__(16) unsigned char memory[];
    if (claiming) {
        unsigned long long *key = c.key = c.key ? (unsigned long long *)memory : nullptr;
        c.winner = (uint32_t *)(memory + (key ? c.size * 8 : 0));
        for (int64_t k = threadIdx.x; k < c.size; k += blockDim.x) {
            c.winner[k] = 0;
            if (key) key[k] = 0;
        }
        __syncthreads();
    }
    bool right = true;
    for (uint32_t first = threadIdx.x; first < r.count.by; first += blockDim.x * EACH)
        right &= claim_places(r, c, first, blockDim.x);
    if (__syncthreads_or(!right)) return;
    for (uint32_t first = threadIdx.x; first < r.items; first += blockDim.x * EACH)
        put_items<T>(r, c, first, blockDim.x);
}

/* What was claimed, written element by element: neighbouring threads write neighbouring elements, and no index is read
 * again. `many` counts the words of all claims. */
template <class T, int P>
__global__ void __launch_bounds__(THREADS) claimed_kernel(const __grid_constant__ cpi_picked<P> r, const claims c,
                                                          cpi_divided size, uint32_t all)
{
    if (*c.wrong) return;
    const uint32_t first = blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint32_t s[EACH], word[EACH], at[EACH], winner[EACH];
    int64_t many[EACH], few[EACH];
    T x[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const uint32_t t = first + e * THREADS < all ? first + e * THREADS : 0;
        at[e] = t, word[e] = s[e] = 0;
        if (r.words.by > 1) at[e] = cpi_quotient(r.words, t), word[e] = t - at[e] * r.words.by;
        if (r.slots.by > 1) s[e] = cpi_quotient(size, at[e]), at[e] -= s[e] * size.by;
        winner[e] = first + e * THREADS < all ? c.winner[at[e]] : 0;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (!winner[e]) continue;
        many[e] = c.low + at[e] * c.unit, few[e] = cpi_place<P>(r, winner[e] - 1).along(r.few_step);
        cpi_walk_rest(r, s[e], &many[e], &few[e]);
        x[e] = *(const T *)(r.few + few[e] + word[e] * sizeof(T));
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (winner[e]) *(T *)(r.many + many[e] + word[e] * sizeof(T)) = x[e];
}

/* --- which way --- */

int64_t common(int64_t a, int64_t b) /* their greatest common divisor */
{
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* Do all places write one value, so that it is the same which of them does? */
bool one_value(const cpi_gather *g)
{
    for (int d = 0; d < g->ndim; d++)
        if (g->few_step[d] && g->shape[d] > 1) return false;
    return true;
}

bool can_be_wrong(const cpi_gather *g)
{
    for (int k = 0; k < g->picks; k++)
        if (g->pick[k].mode == CPI_PICK_RAISE || g->pick[k].mode == CPI_PICK_EXACT || !g->pick[k].extent) return true;
    return false;
}

/* Which elements `count` places claim, without the table's memory. */
void find_claims(const cpi_gather *g, int64_t count, claims *c, bool *hashed)
{
    int64_t low = 0, high = 0, unit = 0;
    for (int k = 0; k < g->picks + g->ndim; k++) {
        int64_t step = k < g->picks ? g->pick[k].stride : g->many_step[k - g->picks];
        int64_t far = ((k < g->picks ? g->pick[k].extent : g->shape[k - g->picks]) - 1) * step;
        low += far < 0 ? far : 0, high += far > 0 ? far : 0;
        unit = common(unit, cpi_size_of(step));
    }
    if (!unit) unit = 1;
    c->low = low, c->unit = unit, c->size = (high - low) / unit + 1;
    c->shift = unit & (unit - 1) ? -1 : __builtin_ctzll((unsigned long long)unit);
    *hashed = c->size / 8 > count;
    if (!*hashed) return;
    for (c->size = 64; c->size < 2 * count;) c->size *= 2;
}

/* A table of claims, empty; its memory is *work. */
cp_code make_table(cp_stream *stream, const cpi_gather *g, claims *c, bool hashed, void **work)
{
    const size_t keys = hashed ? (size_t)c->size * 8 : 0, bytes = keys + (size_t)c->size * 4;
    *work = cpi_host->work_alloc(stream, bytes);
    if (!*work) return CP_ERROR_MEMORY;
    c->winner = (uint32_t *)((char *)*work + keys);
    c->key = hashed ? (unsigned long long *)*work : nullptr;
    return cpi_cuda_check(stream, cudaMemsetAsync(*work, 0, bytes, cpi_cuda_stream(stream)), g->function);
}

template <int P> cp_code look(cp_stream *stream, const cpi_gather *g, const claims &c)
{
    cpi_picked<P> r;
    cp_code code = cpi_picked_of(stream, g, 1, &r);
    if (code) return code;
    const unsigned blocks = cpi_cuda_blocks(r.count.by, THREADS * EACH, INT32_MAX);
    claim_kernel<P><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(r, c);
    return CPI_LAUNCHED(stream, g->function);
}

template <class T, int P> cp_code write(cp_stream *stream, const cpi_gather *g, const claims &c)
{
    cpi_picked<P> r;
    cp_code code = cpi_picked_of(stream, g, g->bytes / (int64_t)sizeof(T), &r);
    if (code) return code;
    const cudaStream_t to = cpi_cuda_stream(stream);
    const int64_t all = c.size * r.slots.by * r.words.by;
    if (c.winner && !c.key && c.size / 2 <= r.count.by && c.size <= INT32_MAX && all <= INT32_MAX) {
        const unsigned blocks = cpi_cuda_blocks(all, THREADS * EACH, INT32_MAX);
        claimed_kernel<T, P><<<blocks, THREADS, 0, to>>>(r, c, cpi_divide_by(c.size), (uint32_t)all);
    } else {
        const unsigned blocks = cpi_cuda_blocks(r.items, THREADS * EACH, INT32_MAX);
        put_kernel<T, P><<<blocks, THREADS, 0, to>>>(r, c);
    }
    return CPI_LAUNCHED(stream, g->function);
}

/* Places claim, and those that have won write; `wrong` is looked at before anything is written. */
template <class T, int P> cp_code put_part(cp_stream *stream, const cpi_gather *g, unsigned *wrong)
{
    claims c = {};
    void *work = nullptr;
    bool hashed;
    cp_code code = CP_OK;
    c.wrong = wrong;
    if (!one_value(g)) {
        find_claims(g, cpi_gather_count(g), &c, &hashed);
        code = make_table(stream, g, &c, hashed, &work);
    }
    if (!code && (c.winner || wrong)) code = look<P>(stream, g, c);
    if (!code) code = write<T, P>(stream, g, c);
    cpi_host->work_free(stream, work);
    return code;
}

/* By one block, where that is little work; *done says so. */
template <class T, int P> cp_code put_alone(cp_stream *stream, const cpi_gather *g, bool *done)
{
    const int64_t count = cpi_gather_count(g), words = g->bytes / (int64_t)sizeof(T);
    claims c = {};
    bool hashed = false;
    const bool claiming = count > 1 && !one_value(g);
    *done = count <= ALONE && words <= ALONE && cpi_gather_rest(g) <= ALONE / count / words;
    if (*done && claiming) find_claims(g, count, &c, &hashed);
    const int64_t bytes = claiming ? c.size * (hashed ? 12 : 4) : 0;
    *done = *done && bytes <= ALONE_BYTES;
    if (!*done) return CP_OK;
    cpi_picked<P> r;
    cp_code code = cpi_picked_of(stream, g, words, &r);
    if (code) return code;
    int threads = 32;
    while (threads < BLOCK && threads < (int64_t)r.items) threads *= 2;
    c.key = hashed ? (unsigned long long *)&c : nullptr; /* its own memory is the kernel's to say */
    alone_kernel<T, P><<<1, threads, (size_t)bytes, cpi_cuda_stream(stream)>>>(r, c, claiming);
    return CPI_LAUNCHED(stream, g->function);
}

template <class T, int P> cp_code put(cp_stream *stream, const cpi_gather *g)
{
    bool done;
    unsigned *wrong = nullptr;
    cp_code code = put_alone<T, P>(stream, g, &done);
    if (code || done) return code;
    if (can_be_wrong(g) || !one_value(g)) {
        wrong = (unsigned *)cpi_host->work_alloc(stream, sizeof *wrong);
        if (!wrong) return CP_ERROR_MEMORY;
        code = cpi_cuda_check(stream, cudaMemsetAsync(wrong, 0, sizeof *wrong, cpi_cuda_stream(stream)), g->function);
    }
    const int64_t items = cpi_gather_count(g) * cpi_gather_rest(g) * (g->bytes / (int64_t)sizeof(T));
    claims none = {};
    none.wrong = wrong;
    if (!code && wrong && items > INT32_MAX) /* several parts: all indices first */
        code = cpi_each_part(g, sizeof(T), 0, [&](const cpi_gather *part, int64_t) {
            return look<P>(stream, part, none);
        });
    if (!code)
        code = cpi_each_part(g, sizeof(T), 0, [&](const cpi_gather *part, int64_t) {
            return put_part<T, P>(stream, part, wrong);
        });
    cpi_host->work_free(stream, wrong);
    return code;
}

template <int P> cp_code scatter(cp_stream *stream, const cpi_gather *g)
{
    switch (cpi_word_of(g)) {
    case 1: return put<uint8_t, P>(stream, g);
    case 2: return put<uint16_t, P>(stream, g);
    case 4: return put<uint32_t, P>(stream, g);
    case 8: return put<uint2, P>(stream, g);
    default: return put<uint4, P>(stream, g);
    }
}

} // namespace

/* Most calls have one or two arrays: their kernels take small records. */
cp_code cpi_cuda_scatter(cp_stream *stream, const cpi_gather *g)
{
    return g->picks <= 2 ? scatter<2>(stream, g) : scatter<CP_MAXDIM>(stream, g);
}
