/* Scatter by integer arrays, on the GPU.
 *
 * Of several values for one element the last one stays: positions first claim their element, the highest position wins,
 * and only winners write. Claims lie in a table of all elements that could be named. Where those are many more than
 * positions, they lie in a hash table. Small work keeps them in the shared memory of the blocks that write. Invariant:
 * where an index is wrong nothing is written, since every index is checked before the first element is written. */
#include <cstring>

#include "cuda/cuda.h"
#include "index/gather.cuh"

namespace {

enum { THREADS = CPI_GATHER_THREADS, EACH = CPI_GATHER_EACH };
enum { ROW_THREADS = 512, ROW_TABLE = 12 * 1024, ROW_POSITIONS = 4096, ROW_BLOCKS = 64 }; /* rows: see row_kernel */
/* Small work: positions and words, the threads of a block, blocks, and what fits into 48 KiB of shared memory. */
enum { SMALL = 1 << 14, BLOCK = 1024, BLOCKS = 16, WINDOW = 12 * 1024, HASHED = 4096 };

/* --- claims --- */

/* An entry for each element in the order of their numbers; or hashed, with keys beside the claims. */
struct claims {
    uint32_t *winner;        /* the highest position + 1 */
    unsigned long long *key; /* the key + 1 */
    bool claimed, hashed;    /* claimed: false: no claims, all write */
    cpi_numbering number;
    int64_t size;            /* a power of two where it is hashed */
    unsigned *wrong;         /* not 0: an index is wrong. NULL: none can be */
};

__device__ __forceinline__ int64_t entry(const claims &c, int64_t offset, bool claim)
{
    const unsigned long long e = cpi_element_number(c.number, offset);
    if (!c.hashed) return (int64_t)e;
    const unsigned long long h = e * 0x9e3779b97f4a7c15ull;
    for (int64_t at = (int64_t)((h ^ h >> 29) & (unsigned long long)(c.size - 1));; at = (at + 1) & (c.size - 1)) {
        const unsigned long long there = claim ? atomicCAS(&c.key[at], 0ull, e + 1) : c.key[at];
        if (there == e + 1 || there == 0) return at; /* not in the table, so not claimed: its index has changed */
    }
}

/* f(i, offset) for the valid ones of positions first, first + stride, ...; false: the index of one is wrong. */
template <int DIMS, int P, class F>
__device__ __forceinline__ bool each_position(const cpi_gather_args<P> &r, uint32_t first, uint32_t stride, F f)
{
    uint32_t i[EACH];
    int64_t array[EACH];
    bool wanted[EACH], good[EACH];
    const bool right = cpi_find_indexed<DIMS>(r, first, stride, i, wanted, array, good);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (good[e]) f(i[e], array[e]);
    return right;
}

template <int P, int DIMS>
__global__ void __launch_bounds__(THREADS) claim_kernel(const __grid_constant__ cpi_gather_args<P> r, const claims c)
{
    const uint32_t first = blockIdx.x * (THREADS * EACH) + threadIdx.x;
    const bool right = each_position<DIMS>(r, first, THREADS, [&](uint32_t i, int64_t offset) {
        if (c.claimed) atomicMax(c.winner + entry(c, offset, true), i + 1);
    });
    if (!right) *(volatile unsigned *)c.wrong = 1;
}

/* --- writing --- */

/* Item e of a thread, where its position has won: its source and destination. */
template <int P>
__device__ __forceinline__ void find_item(const cpi_gather_args<P> &r, const claims &c, cpi_items<EACH> &t, int e)
{
    if (c.claimed) t.good[e] = t.good[e] && c.winner[entry(c, t.array[e], false)] == t.i[e] + 1;
    cpi_add_rest(r, t.s[e], &t.array[e], &t.result[e]);
}

/* Items first, first + stride, ... where their position has won. */
template <class T, int DIMS, int P>
__device__ __forceinline__ void put_items(const cpi_gather_args<P> &r, const claims &c, uint32_t first, uint32_t stride)
{
    cpi_items<EACH> t;
    T x[EACH];
    cpi_find_items<DIMS>(r, first, stride, &t);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        find_item(r, c, t, e);
        if (t.good[e]) x[e] = __ldcs((const T *)(r.result + t.result[e] + t.word[e] * sizeof(T)));
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (t.good[e]) *(T *)(r.array + t.array[e] + t.word[e] * sizeof(T)) = x[e];
}

/* Words of `size` bytes from `from` to `to`, for kernels of little work, which are compiled once for all sizes. */
template <class T>
__device__ __forceinline__ void move_words(const char *const (&from)[EACH], char *const (&to)[EACH],
                                           const bool (&good)[EACH])
{
    T x[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (good[e]) x[e] = *(const T *)from[e];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (good[e]) *(T *)to[e] = x[e];
}
__device__ __forceinline__ void move_words(int size, const char *const (&from)[EACH], char *const (&to)[EACH],
                                           const bool (&good)[EACH])
{
    switch (size) {
    case 1: move_words<uint8_t>(from, to, good); break;
    case 2: move_words<uint16_t>(from, to, good); break;
    case 4: move_words<uint32_t>(from, to, good); break;
    case 8: move_words<uint2>(from, to, good); break;
    default: move_words<uint4>(from, to, good);
    }
}

template <class T, int P, int DIMS>
__global__ void __launch_bounds__(THREADS) put_kernel(const __grid_constant__ cpi_gather_args<P> r, const claims c)
{
    if (c.wrong && *c.wrong) return;
    put_items<T, DIMS>(r, c, blockIdx.x * (THREADS * EACH) + threadIdx.x, THREADS);
}

/* Words first, first + stride, ... of `all` of elements that have the numbers low, low + 1, ..., `size` of them, where
 * they were claimed: neighbouring threads write neighbouring elements, and no index is read again. Words are of type T,
 * or (void) of `bytes`. */
template <class T, int DIMS, int P>
__device__ __forceinline__ void put_claimed(const cpi_gather_args<P> &r, const cpi_numbering &number,
                                            const uint32_t *winners, int64_t low, cpi_divisor size, uint32_t all,
                                            uint32_t first, uint32_t stride, int bytes)
{
    uint32_t s[EACH], word[EACH], at[EACH], winner[EACH];
    const char *from[EACH];
    char *to[EACH];
    bool good[EACH];
    std::conditional_t<std::is_void_v<T>, char, T> x[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const uint32_t t = first + e * stride < all ? first + e * stride : 0;
        at[e] = t, word[e] = s[e] = 0;
        if (r.words.by > 1) word[e] = cpi_index_along(r.words, at[e]);
        if (r.slots.by > 1) s[e] = at[e], at[e] = cpi_index_along(size, s[e]);
        winner[e] = first + e * stride < all ? winners[at[e]] : 0;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        good[e] = winner[e] != 0;
        if (!good[e]) continue;
        int64_t array = number.low + (low + at[e]) * number.unit,
                result = cpi_along<P, DIMS>(r, winner[e] - 1, r.values_step);
        cpi_add_rest(r, s[e], &array, &result);
        from[e] = r.result + result + (int64_t)word[e] * bytes, to[e] = r.array + array + (int64_t)word[e] * bytes;
        if constexpr (!std::is_void_v<T>) x[e] = *(const T *)from[e];
    }
    if constexpr (std::is_void_v<T>) move_words(bytes, from, to, good);
    else {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (good[e]) *(T *)to[e] = x[e];
    }
}

template <class T, int P, int DIMS>
__global__ void __launch_bounds__(THREADS) claimed_kernel(const __grid_constant__ cpi_gather_args<P> r, const claims c,
                                                          cpi_divisor size, uint32_t all)
{
    if (*c.wrong) return;
    put_claimed<T, DIMS>(r, c.number, c.winner, 0, size, all, blockIdx.x * (THREADS * EACH) + threadIdx.x, THREADS,
                         sizeof(T));
}

/* Small work in one launch. Every block checks all indices, so that each knows whether one is wrong. */

/* One array of indices, contiguous, over one or two axes: the number of position (i, k) that names v is none + v * each
 * + i * row + k * column. */
struct straight {
    bool is;
    int32_t none, each, row, column;
};

/* f(i, number) for all valid positions, each of which costs a few instructions: a block visits all of them. */
template <int DIMS, class F>
__device__ __forceinline__ bool each_straight(const cpi_gather_args<1> &r, const straight &s, F f)
{
    enum { UNDER_WAY = 8 };
    const cpi_axis_index &p = r.axis_index[0];
    uint32_t wrong = 0;
    for (uint32_t first = threadIdx.x; first < r.count.by; first += blockDim.x * UNDER_WAY) {
        int64_t v[UNDER_WAY];
#pragma unroll
        for (int e = 0; e < UNDER_WAY; e++) {
            const uint32_t i = first + e * blockDim.x;
            v[e] = i < r.count.by ? p.at[i] : 0;
        }
#pragma unroll
        for (int e = 0; e < UNDER_WAY; e++) {
            const uint32_t i = first + e * blockDim.x;
            uint32_t row = i;
            const uint32_t column = DIMS == 1 ? i : cpi_index_along(r.shape[1], row);
            const int64_t at = v[e] + (v[e] < 0 ? p.extent : 0);
            if (i >= r.count.by) break;
            if ((uint64_t)at >= (uint64_t)p.extent) wrong = i + 1;
            else f(i, (uint32_t)(s.none + (int32_t)at * s.each + (DIMS == 1 ? 0 : (int32_t)row * s.row) +
                                 (int32_t)column * (DIMS == 1 ? 0 : s.column)));
        }
    }
    if (wrong) cpi_report_index(r, 0, wrong - 1);
    return !wrong;
}

/* A block writes the elements of a window of their numbers, whose claims are in shared memory. */
template <int P, int DIMS>
__global__ void __launch_bounds__(BLOCK)
    window_kernel(const __grid_constant__ cpi_gather_args<P> r, const cpi_numbering number, cpi_divisor window,
                  const straight s, int bytes)
{
    extern __shared__ uint32_t winners[];
    const uint32_t low = blockIdx.x * window.by, left = (uint32_t)number.size - low, size = min(window.by, left);
    for (uint32_t k = threadIdx.x; k < window.by; k += blockDim.x) winners[k] = 0;
    __syncthreads();
    bool right = true;
    const auto claim = [&](uint32_t i, uint32_t at) {
        if (at - low < size) atomicMax(winners + (at - low), i + 1);
    };
    if constexpr (P == 1 && DIMS <= 2)
        if (s.is) right = each_straight<DIMS>(r, s, claim);
    for (uint32_t first = threadIdx.x; first < r.count.by && !s.is; first += blockDim.x * EACH)
        right &= each_position<DIMS>(r, first, blockDim.x, [&](uint32_t i, int64_t offset) {
            claim(i, (uint32_t)cpi_element_number(number, offset));
        });
    if (__syncthreads_or(!right)) return;
    const uint32_t all = window.by * r.slots.by * r.words.by; /* beyond the last element there are no claims */
    for (uint32_t first = threadIdx.x; first < all; first += blockDim.x * EACH)
        put_claimed<void, DIMS>(r, number, winners, low, window, all, first, blockDim.x, bytes);
}

/* Without claims, blocks share the items; else one block has the claims, hashed, in shared memory. */
template <int P, int DIMS>
__global__ void __launch_bounds__(BLOCK) small_kernel(const __grid_constant__ cpi_gather_args<P> r, const claims given,
                                                      int bytes)
{
    extern __shared__ unsigned long long keys[];
    claims c = given;
    c.key = keys, c.winner = (uint32_t *)(keys + c.size);
    if (c.claimed) {
        for (int64_t k = threadIdx.x; k < c.size; k += blockDim.x) c.key[k] = 0, c.winner[k] = 0;
        __syncthreads();
    }
    bool right = true;
    for (uint32_t first = threadIdx.x; first < r.count.by; first += blockDim.x * EACH)
        right &= each_position<DIMS>(r, first, blockDim.x, [&](uint32_t i, int64_t offset) {
            if (c.claimed) atomicMax(c.winner + entry(c, offset, true), i + 1);
        });
    if (__syncthreads_or(!right)) return;
    const uint32_t share = blockDim.x * EACH;
    for (uint32_t first = blockIdx.x * share + threadIdx.x; first < r.items; first += gridDim.x * share) {
        cpi_items<EACH> t;
        const char *from[EACH];
        char *to[EACH];
        cpi_find_items<DIMS>(r, first, blockDim.x, &t);
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            find_item(r, c, t, e);
            from[e] = r.result + t.result[e] + (int64_t)t.word[e] * bytes;
            to[e] = r.array + t.array[e] + (int64_t)t.word[e] * bytes;
        }
        move_words(bytes, from, to, t.good);
    }
}

/* Rows with indices of their own, `width` of each, as in put_along_axis: a block has some rows' claims in shared
 * memory. Indices were checked. */
template <class T>
__global__ void __launch_bounds__(ROW_THREADS) row_kernel(const __grid_constant__ cpi_gather_args<1> r, uint32_t rows,
                                                          cpi_divisor extent, const unsigned *wrong)
{
    extern __shared__ uint32_t claimed[];
    if (wrong && *wrong) return;
    const cpi_divisor width = r.shape[1];
    const cpi_axis_index &p = r.axis_index[0];
    const uint32_t first = blockIdx.x * rows, mine = min(rows, r.shape[0].by - first), all = mine * extent.by;
    for (uint32_t k = threadIdx.x; k < all; k += ROW_THREADS) claimed[k] = 0;
    __syncthreads();
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < mine * width.by; k += ROW_THREADS) {
        uint32_t row = k;
        const uint32_t c = cpi_index_along(width, row);
        int64_t v[1] = {__ldcs((const long long *)p.at + (first + row) * p.step[0] + c * p.step[1])};
        cpi_name(p, v);
        if ((uint64_t)v[0] < extent.by) atomicMax(claimed + row * extent.by + v[0], c + 1);
    }
    __syncthreads();
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < all; k += ROW_THREADS) {
        uint32_t row = k;
        const uint32_t v = cpi_index_along(extent, row), c = claimed[k];
        const char *from = r.result + (first + row) * r.values_step[0] + (c - 1) * r.values_step[1];
        if (c) *(T *)(r.array + (first + row) * r.array_step[0] + v * p.stride) = *(const T *)from;
    }
}

/* --- choice of the path --- */

/* Do all positions write one value, so that it does not matter which of them does? */
bool one_value(const cpi_gather *g)
{
    for (int d = 0; d < g->ndim; d++)
        if (g->values_step[d] && g->shape[d] > 1) return false;
    return true;
}

bool can_be_wrong(const cpi_gather *g)
{
    for (int k = 0; k < g->nindices; k++)
        if (g->axis_index[k].mode == CPI_INDEX_RAISE || g->axis_index[k].mode == CPI_INDEX_EXACT ||
            !g->axis_index[k].extent)
            return true;
    return false;
}

/* The elements that `count` positions claim, without the table's memory. */
void find_claims(const cpi_gather *g, int64_t count, claims *c)
{
    c->claimed = true, c->number = cpi_numbering_of(g), c->size = c->number.size;
    c->hashed = c->size / 8 > count;
    if (!c->hashed) return;
    for (c->size = 64; c->size < 2 * count;) c->size *= 2;
}

/* A table of claims, empty; its memory is *work. */
cp_code make_table(cp_stream *stream, const cpi_gather *g, claims *c, void **work)
{
    const size_t keys = c->hashed ? (size_t)c->size * 8 : 0, bytes = keys + (size_t)c->size * 4;
    *work = cpi_host->work_alloc(stream, bytes);
    if (!*work) return CP_ERROR_MEMORY;
    c->winner = (uint32_t *)((char *)*work + keys), c->key = (unsigned long long *)*work;
    return cpi_cuda_check(stream, cudaMemsetAsync(*work, 0, bytes, cpi_cuda_stream(stream)), g->function);
}

template <int P, int DIMS> cp_code look(cp_stream *stream, const cpi_gather *g, const claims &c)
{
    cpi_gather_args<P> r;
    cp_code code = cpi_gather_args_of(stream, g, 1, &r);
    if (code) return code;
    r.once = true;
    const unsigned blocks = cpi_cuda_blocks(r.count.by, THREADS * EACH, INT32_MAX);
    claim_kernel<P, DIMS><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(r, c);
    return CPI_LAUNCHED(stream, g->function);
}

template <class T, int P, int DIMS> cp_code write(cp_stream *stream, const cpi_gather *g, const claims &c)
{
    cpi_gather_args<P> r;
    cp_code code = cpi_gather_args_of(stream, g, g->bytes / (int64_t)sizeof(T), &r);
    if (code) return code;
    const cudaStream_t to = cpi_cuda_stream(stream);
    const int64_t each = (int64_t)r.slots.by * r.words.by, all = c.size > INT32_MAX / each ? INT64_MAX : c.size * each;
    if (c.claimed && !c.hashed && c.size / 2 <= r.count.by && all <= INT32_MAX) {
        const unsigned blocks = cpi_cuda_blocks(all, THREADS * EACH, INT32_MAX);
        claimed_kernel<T, P, DIMS><<<blocks, THREADS, 0, to>>>(r, c, cpi_divisor_of(c.size), (uint32_t)all);
    } else {
        const unsigned blocks = cpi_cuda_blocks(r.items, THREADS * EACH, INT32_MAX);
        put_kernel<T, P, DIMS><<<blocks, THREADS, 0, to>>>(r, c);
    }
    return CPI_LAUNCHED(stream, g->function);
}

/* Positions claim, and the winners write; `wrong` is checked before anything is written. */
template <class T, int P, int DIMS> cp_code put_part(cp_stream *stream, const cpi_gather *g, unsigned *wrong)
{
    claims c = {};
    void *work = nullptr;
    cp_code code = CP_OK;
    c.wrong = wrong;
    if (!one_value(g)) {
        find_claims(g, cpi_gather_count(g), &c);
        code = make_table(stream, g, &c, &work);
    }
    if (!code && wrong) code = look<P, DIMS>(stream, g, c);
    if (!code) code = write<T, P, DIMS>(stream, g, c);
    cpi_host->work_free(stream, work);
    return code;
}

/* Rows of a block of row_kernel; 0: it does not apply, or would use few blocks. */
template <class T> int64_t rows_of(const cpi_gather *g)
{
    const bool alike =
        g->ndim == 2 && g->nindices == 1 && !g->rest && g->bytes == (int64_t)sizeof(T) && !g->array_step[1];
    const cpi_axis_index *p = &g->axis_index[0];
    if (!alike || p->extent < 1 || p->extent > ROW_TABLE || !p->stride) return 0;
    if (cpi_size_of(g->array_step[0]) / p->extent < cpi_size_of(p->stride)) return 0;
    if (p->extent / 8 > g->shape[1]) return 0; /* a table would be mostly empty */
    const int64_t some = ROW_POSITIONS / g->shape[1], most = ROW_TABLE / p->extent;
    const int64_t rows = some < 1 ? 1 : some < most ? some : most;
    return g->shape[0] / rows < ROW_BLOCKS ? 0 : rows;
}

template <class T> cp_code put_rows(cp_stream *stream, const cpi_gather *g, int64_t rows, const unsigned *wrong)
{
    cpi_gather_args<1> r;
    cp_code code = cpi_gather_args_of(stream, g, 1, &r);
    if (code) return code;
    const int64_t extent = g->axis_index[0].extent;
    const unsigned blocks = (unsigned)cpi_ceil_div(g->shape[0], rows);
    row_kernel<T><<<blocks, ROW_THREADS, (size_t)(rows * extent * 4), cpi_cuda_stream(stream)>>>(
        r, (uint32_t)rows, cpi_divisor_of(extent), wrong);
    return CPI_LAUNCHED(stream, g->function);
}

/* Of elements whose numbers fit 31 bits. */
straight straight_of(const cpi_gather *g, const cpi_numbering &n)
{
    const cpi_axis_index *p = &g->axis_index[0];
    straight s = {g->nindices == 1 && g->ndim <= 2 && p->mode == CPI_INDEX_RAISE, 0, 0, 0, 0};
    const int last = g->ndim - 1;
    s.is = s.is && p->step[last] == 1 && (g->ndim == 1 || p->step[0] == g->shape[1]) &&
           (g->ndim == 2 || !g->array_step[0]);
    if (!s.is) return s;
    s.none = (int32_t)(-n.low / n.unit), s.each = (int32_t)(p->stride / n.unit);
    if (g->ndim == 2) s.row = (int32_t)(g->array_step[0] / n.unit), s.column = (int32_t)(g->array_step[1] / n.unit);
    return s;
}

/* In one launch, where there is little work; sets *done. */
template <int P, int DIMS> cp_code put_small(cp_stream *stream, const cpi_gather *g, int bytes, bool *done)
{
    const int64_t count = cpi_gather_count(g), words = g->bytes / bytes, rest = cpi_gather_rest(g);
    claims c = {};
    *done = count <= SMALL && words <= SMALL && rest <= SMALL / count / words;
    if (*done && count > 1 && !one_value(g)) find_claims(g, count, &c);
    const bool hashed = c.claimed && (c.hashed || c.size > BLOCKS * (int64_t)WINDOW);
    if (hashed)
        for (c.hashed = true, c.size = 64; c.size < 2 * count;) c.size *= 2;
    if (!*done || (hashed && c.size > HASHED)) return *done = false, CP_OK;
    cpi_gather_args<P> r;
    cp_code code = cpi_gather_args_of(stream, g, words, &r);
    if (code) return code;
    const int64_t all = c.claimed && !hashed ? c.size * rest * words : (int64_t)r.items;
    unsigned blocks = hashed ? 1 : cpi_cuda_blocks(all, BLOCK, BLOCKS), threads = 32;
    while (threads < BLOCK && threads < count && threads < all) threads *= 2;
    const cudaStream_t to = cpi_cuda_stream(stream);
    if (c.claimed && !hashed) {
        if (blocks * (int64_t)WINDOW < c.size) blocks = (unsigned)cpi_ceil_div(c.size, WINDOW);
        const int64_t window = cpi_ceil_div(c.size, blocks);
        blocks = (unsigned)cpi_ceil_div(c.size, window);
        window_kernel<P, DIMS><<<blocks, threads, (size_t)window * 4, to>>>(r, c.number, cpi_divisor_of(window),
                                                                            straight_of(g, c.number), bytes);
    } else {
        small_kernel<P, DIMS><<<blocks, threads, c.claimed ? (size_t)c.size * 12 : 0, to>>>(r, c, bytes);
    }
    return CPI_LAUNCHED(stream, g->function);
}

template <class T, int P, int DIMS> cp_code scatter_with(cp_stream *stream, const cpi_gather *g)
{
    bool done;
    unsigned *wrong = nullptr;
    cp_code code = put_small<P, DIMS>(stream, g, (int)sizeof(T), &done);
    if (code || done) return code;
    const bool one = one_value(g);
    if (can_be_wrong(g) || !one) {
        wrong = (unsigned *)cpi_host->work_alloc(stream, sizeof *wrong);
        if (!wrong) return CP_ERROR_MEMORY;
        code = cpi_cuda_check(stream, cudaMemsetAsync(wrong, 0, sizeof *wrong, cpi_cuda_stream(stream)), g->function);
    }
    const int64_t items = cpi_gather_count(g) * cpi_gather_rest(g) * (g->bytes / (int64_t)sizeof(T));
    const int64_t rows = one ? 0 : rows_of<T>(g);
    claims none = {};
    none.wrong = wrong;
    if (!code && wrong && (rows || items > INT32_MAX)) /* all indices first */
        code = cpi_each_part(g, sizeof(T), 0, [&](const cpi_gather *part, int64_t) {
            return look<P, DIMS>(stream, part, none);
        });
    if (!code)
        code = cpi_each_part(g, sizeof(T), 0, [&](const cpi_gather *part, int64_t) {
            return rows ? put_rows<T>(stream, part, rows, wrong) : put_part<T, P, DIMS>(stream, part, wrong);
        });
    cpi_host->work_free(stream, wrong);
    return code;
}

/* Three arrays of integers and more are rare: elements of 2 and 16 bytes are two words there. */
template <int P, int DIMS> cp_code scatter(cp_stream *stream, const cpi_gather *g)
{
    const int64_t word = cpi_word_of(g);
    if constexpr (P > 2)
        return word < 4 ? scatter_with<uint8_t, P, DIMS>(stream, g)
             : word == 4 ? scatter_with<uint32_t, P, DIMS>(stream, g) : scatter_with<uint2, P, DIMS>(stream, g);
    else switch (word) {
    case 1: return scatter_with<uint8_t, P, DIMS>(stream, g);
    case 2: return scatter_with<uint16_t, P, DIMS>(stream, g);
    case 4: return scatter_with<uint32_t, P, DIMS>(stream, g);
    case 8: return scatter_with<uint2, P, DIMS>(stream, g);
    default: return scatter_with<uint4, P, DIMS>(stream, g);
    }
}

} // namespace

cp_code cpi_index_cuda_scatter(cp_stream *stream, const cpi_gather *g)
{
    cp_code code;
    if (cpi_cuda_binned_scatter(stream, g, &code)) return code;
    return cpi_with_dims(g, [&](auto p, auto d) { return scatter<decltype(p)::value, decltype(d)::value>(stream, g); });
}
