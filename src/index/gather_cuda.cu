/* Elements by arrays of integers, on the GPU.
 *
 * A thread takes one word of one element; which of index and rest runs through neighbouring threads is chosen so that
 * they touch neighbouring memory of the dense side. Of several values for one element the last one stays: places first
 * claim their element, the highest number wins, and only winners write. Claims lie in a table of all elements that
 * could be named, or, where those are many more than places, in a hash table. Invariant: where an index is wrong, what
 * is read for its place is left out, nothing at all is written, and a note lies in the stream's mailbox. */
#include <cstring>

#include "cuda/cuda.h"
#include "cuda/mailbox.cuh"
#include "index/index.h"

namespace {

enum { THREADS = 256 };

/* The record as kernels want it; P picks. Sizes of the launch are a kernel's own arguments. */
template <int P> struct record {
    char *many, *few;
    int ndim, rest, picks;
    uint32_t trouble;
    uint32_t *mailbox;
    bool named; /* the failure is told with the index */
    int64_t count, slots; /* places of the index, and of the rest */
    int64_t shape[CPI_GATHER_DIMS], many_step[CPI_GATHER_DIMS], few_step[CPI_GATHER_DIMS];
    int64_t rest_shape[CPI_GATHER_DIMS], rest_many[CPI_GATHER_DIMS], rest_few[CPI_GATHER_DIMS];
    cpi_pick pick[P];
};

template <int P> cp_code fill(cp_stream *stream, const cpi_gather *g, record<P> *r)
{
    r->many = g->many, r->few = g->few, r->ndim = g->ndim, r->rest = g->rest, r->picks = g->picks;
    r->count = cpi_gather_count(g), r->slots = cpi_gather_rest(g);
    memcpy(r->shape, g->shape, 3 * sizeof g->shape);
    memcpy(r->rest_shape, g->rest_shape, 3 * sizeof g->rest_shape);
    memcpy(r->pick, g->pick, (size_t)g->picks * sizeof *g->pick);
    r->trouble = g->trouble ? cpi_cuda_late(CP_ERROR_VALUE, g->function, g->trouble)
                            : cpi_cuda_late(CP_ERROR_INDEX, g->function, "an index is out of bounds");
    r->named = !g->trouble;
    r->mailbox = cpi_cuda_mailbox(stream);
    return r->mailbox ? CP_OK : CP_ERROR_MEMORY;
}

__device__ __forceinline__ int64_t divide(int64_t a, int64_t b)
{
    return ((uint64_t)(a | b) >> 32) == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : a / b;
}

__device__ __forceinline__ bool right(const cpi_pick &p, int64_t *v)
{
    switch (p.mode) {
    case CPI_PICK_RAISE: *v += *v < 0 ? p.extent : 0; break;
    case CPI_PICK_WRAP:
        if (p.extent && (uint64_t)*v >= (uint64_t)p.extent) *v %= p.extent, *v += *v < 0 ? p.extent : 0;
        break;
    case CPI_PICK_CLIP: *v = *v < 0 ? 0 : *v >= p.extent ? p.extent - 1 : *v; break;
    default: break;
    }
    return (uint64_t)*v < (uint64_t)p.extent;
}

/* Where places lie along the index's axes: of one or two axes without arrays, which would lie in memory. */
template <int P> struct place {
    const record<P> &r;
    int64_t c0, c1, c[CPI_GATHER_DIMS];
    __device__ __forceinline__ place(const record<P> &of, int64_t i) : r(of), c0(i), c1(0)
    {
        if (r.ndim == 2) c0 = divide(i, r.shape[1]), c1 = i - c0 * r.shape[1];
        if (r.ndim <= 2) return;
        for (int d = r.ndim - 1; d > 0; d--) {
            int64_t q = divide(i, r.shape[d]);
            c[d] = i - q * r.shape[d], i = q;
        }
        c[0] = i;
    }
    __device__ __forceinline__ int64_t along(const int64_t *step) const
    {
        if (r.ndim == 1) return c0 * step[0];
        if (r.ndim == 2) return c0 * step[0] + c1 * step[1];
        int64_t at = 0;
        for (int d = 0; d < r.ndim; d++) at += c[d] * step[d];
        return at;
    }
};

template <int P> __device__ void tell(const record<P> &r, int k, int64_t value)
{
    if (r.named) cpi_wrong_index(r.mailbox, r.trouble, value, r.pick[k].axis, r.pick[k].extent);
    else *(volatile uint32_t *)r.mailbox = r.trouble;
}

/* Where place i lies; false, and the mailbox told, where an index is wrong. */
template <int P> __device__ __forceinline__ bool find(const record<P> &r, int64_t i, int64_t *many, int64_t *few)
{
    const place<P> here(r, i);
    int64_t m = here.along(r.many_step), value = 0;
    int wrong = -1;
    *few = here.along(r.few_step);
    for (int k = 0; k < r.picks; k++) {
        const cpi_pick &p = r.pick[k];
        int64_t v = p.at[here.along(p.step)], given = v;
        if (!right(p, &v)) wrong = k, value = given;
        m += v * p.stride;
    }
    *many = m;
    if (wrong >= 0) tell(r, wrong, value);
    return wrong < 0;
}

/* Steps of place s of the rest. */
template <int P> __device__ __forceinline__ void walk(const record<P> &r, int64_t s, int64_t *many, int64_t *few)
{
    for (int d = r.rest - 1; d >= 0; d--) {
        int64_t q = divide(s, r.rest_shape[d]), at = s - q * r.rest_shape[d];
        *many += at * r.rest_many[d], *few += at * r.rest_few[d], s = q;
    }
}

/* --- claims --- */

/* Which element an offset names: (offset - low) / unit, in a table; or by its hash, keys beside the claims. */
struct claims {
    void *winner;            /* the highest place + 1, in 32 bits where they hold it; NULL: nobody claims */
    unsigned long long *key; /* what is there + 1; NULL: one entry an element */
    int64_t low, unit, size; /* size: a power of two where there are keys */
    bool narrow, one_value;  /* one_value: all places write the same: there are no winners */
    unsigned *wrong;         /* not 0: an index is wrong. NULL: none can be */
};

__device__ __forceinline__ int64_t entry(const claims &c, int64_t offset, bool claim)
{
    unsigned long long e = (unsigned long long)divide(offset - c.low, c.unit);
    if (!c.key) return (int64_t)e;
    unsigned long long h = e * 0x9e3779b97f4a7c15ull;
    for (int64_t at = (int64_t)((h ^ h >> 29) & (unsigned long long)(c.size - 1));; at = (at + 1) & (c.size - 1)) {
        unsigned long long there = claim ? atomicCAS(&c.key[at], 0ull, e + 1) : c.key[at];
        if (there == e + 1 || (claim && there == 0)) return at;
    }
}

__device__ __forceinline__ void claim(const claims &c, int64_t at, int64_t place)
{
    if (c.narrow) atomicMax((unsigned *)c.winner + at, (unsigned)place + 1);
    else atomicMax((unsigned long long *)c.winner + at, (unsigned long long)place + 1);
}

/* The place that won, -1: nobody claimed. */
__device__ __forceinline__ int64_t winner_of(const claims &c, int64_t at)
{
    return c.narrow ? (int64_t)((const unsigned *)c.winner)[at] - 1
                    : (int64_t)((const unsigned long long *)c.winner)[at] - 1;
}

template <int P>
__global__ void __launch_bounds__(THREADS) claim_kernel(const __grid_constant__ record<P> r, const claims c)
{
    int64_t m, f;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < r.count; i += (int64_t)gridDim.x * THREADS)
        if (!find(r, i, &m, &f)) *(volatile unsigned *)c.wrong = 1;
        else if (!c.one_value) claim(c, entry(c, m, true), i);
}

/* --- moving --- */

template <class T> __device__ __forceinline__ void move_word(char *many, char *few, bool put)
{
    if (put) *(T *)many = *(T *)few;
    else *(T *)few = *(T *)many;
}

/* A thread a word. `across`: neighbouring threads take neighbouring places of the rest, else of the index. c says who
 * writes. */
template <class T, int P>
__global__ void __launch_bounds__(THREADS) move_kernel(const __grid_constant__ record<P> r, int64_t words, bool across,
                                                       bool put, const claims c)
{
    if (c.wrong && *c.wrong) return;
    int64_t all = r.count * r.slots * words;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < all; t += (int64_t)gridDim.x * THREADS) {
        int64_t item = words == 1 ? t : divide(t, words), word = t - item * words, i, s, m, f;
        if (across) i = divide(item, r.slots), s = item - i * r.slots;
        else s = divide(item, r.count), i = item - s * r.count;
        if (!find(r, i, &m, &f)) continue;
        if (c.winner && winner_of(c, entry(c, m, false)) != i) continue;
        walk(r, s, &m, &f);
        move_word<T>(r.many + m + word * sizeof(T), r.few + f + word * sizeof(T), put);
    }
}

/* One array of indices, and a word for each: a thread has several under way. */
template <class T>
__global__ void __launch_bounds__(THREADS) line_kernel(const __grid_constant__ record<2> r, bool put, const claims c)
{
    enum { EACH = 4 };
    if (c.wrong && *c.wrong) return;
    const cpi_pick &p = r.pick[0];
    const int64_t first = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
    for (int64_t from = first; from < r.count; from += (int64_t)gridDim.x * THREADS * EACH) {
        int64_t v[EACH];
        T x[EACH];
        bool good[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t i = from + k * THREADS;
            v[k] = i < r.count ? p.at[i * p.step[0]] : 0;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t i = from + k * THREADS, given = v[k];
            good[k] = i < r.count && right(p, &v[k]);
            if (i < r.count && !good[k]) tell(r, 0, given);
            char *many = r.many + v[k] * p.stride + i * r.many_step[0], *few = r.few + i * r.few_step[0];
            if (good[k]) x[k] = *(const T *)(put ? few : many);
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t i = from + k * THREADS;
            char *many = r.many + v[k] * p.stride + i * r.many_step[0], *few = r.few + i * r.few_step[0];
            if (good[k]) *(T *)(put ? many : few) = x[k];
        }
    }
}

/* A thread looks its index up once and goes over places of the rest, a row of blocks a share of them; a word each. */
template <class T, int P>
__global__ void __launch_bounds__(THREADS) along_kernel(const __grid_constant__ record<P> r, bool put, const claims c)
{
    if (c.wrong && *c.wrong) return;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < r.count; i += (int64_t)gridDim.x * THREADS) {
        int64_t m, f;
        if (!find(r, i, &m, &f)) continue;
        if (c.winner && winner_of(c, entry(c, m, false)) != i) continue;
        for (int64_t s = blockIdx.y; s < r.slots; s += gridDim.y) {
            int64_t many = m, few = f;
            walk(r, s, &many, &few);
            move_word<T>(r.many + many, r.few + few, put);
        }
    }
}

/* What was claimed, written element by element: neighbouring threads write neighbouring elements, and no index is read
 * again. */
template <class T, int P>
__global__ void __launch_bounds__(THREADS) claimed_kernel(const __grid_constant__ record<P> r, int64_t words,
                                                          const claims c)
{
    if (*c.wrong) return;
    const int64_t all = c.size * r.slots * words;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < all; t += (int64_t)gridDim.x * THREADS) {
        const int64_t item = words == 1 ? t : divide(t, words), word = t - item * words;
        const int64_t s = r.slots == 1 ? 0 : divide(item, c.size), e = item - s * c.size, i = winner_of(c, e);
        if (i < 0) continue;
        int64_t m = c.low + e * c.unit, f = place<P>(r, i).along(r.few_step);
        walk(r, s, &m, &f);
        move_word<T>(r.many + m + word * sizeof(T), r.few + f + word * sizeof(T), true);
    }
}

/* Everything that an address is made of, together: the largest power of two that divides it divides them all. */
uint64_t any_of(const cpi_gather *g)
{
    uint64_t any = (uintptr_t)g->many | (uintptr_t)g->few | (uint64_t)g->bytes;
    for (int d = 0; d < g->ndim; d++) any |= (uint64_t)g->many_step[d] | (uint64_t)g->few_step[d];
    for (int d = 0; d < g->rest; d++) any |= (uint64_t)g->rest_many[d] | (uint64_t)g->rest_few[d];
    for (int k = 0; k < g->picks; k++) any |= (uint64_t)g->pick[k].stride;
    return any;
}

int64_t size_of(int64_t step) { return step < 0 ? -step : step; }

/* Does the rest lie closer together in `few` than the index? */
bool runs_across(const cpi_gather *g)
{
    if (!g->rest) return false;
    int64_t index = size_of(g->few_step[g->ndim - 1]), rest = size_of(g->rest_few[g->rest - 1]);
    return rest < index || (rest == index && g->many_step[g->ndim - 1] == 0);
}

template <class T, int P>
cp_code launch(cp_stream *stream, const cpi_gather *g, const record<P> &r, bool put, const claims &c)
{
    const int64_t words = g->bytes / (int64_t)sizeof(T), most = (int64_t)cpi_cuda_units(stream) * 64;
    const bool across = runs_across(g), alone = words == 1 && r.slots == 1 && r.picks == 1 && r.ndim == 1;
    cudaStream_t to = cpi_cuda_stream(stream);
    if (c.winner && !c.key && c.size / 2 <= r.count) {
        const unsigned blocks = cpi_cuda_blocks(c.size * r.slots * words, THREADS, most);
        claimed_kernel<T, P><<<blocks, THREADS, 0, to>>>(r, words, c);
    } else if (alone && P == 2 && !c.winner) {
        const unsigned blocks = cpi_cuda_blocks((r.count + 3) / 4, THREADS, most);
        line_kernel<T><<<blocks, THREADS, 0, to>>>((const record<2> &)r, put, c);
    } else if (words == 1 && !across && r.count >= THREADS) {
        const unsigned blocks = cpi_cuda_blocks(r.count, THREADS, most);
        const int64_t shares = most / blocks;
        const dim3 grid(blocks, (unsigned)(shares < 1 ? 1 : shares < r.slots ? shares : r.slots));
        along_kernel<T, P><<<grid, THREADS, 0, to>>>(r, put, c);
    } else {
        const unsigned blocks = cpi_cuda_blocks(r.count * r.slots * words, THREADS, most);
        move_kernel<T, P><<<blocks, THREADS, 0, to>>>(r, words, across, put, c);
    }
    return CPI_LAUNCHED(stream, g->function);
}

template <int P>
cp_code move_words(cp_stream *stream, const cpi_gather *g, const record<P> &r, bool put, const claims &c)
{
    uint64_t any = any_of(g);
    if (any % 16 == 0) return launch<uint4>(stream, g, r, put, c);
    if (any % 8 == 0) return launch<uint2>(stream, g, r, put, c);
    if (any % 4 == 0) return launch<uint32_t>(stream, g, r, put, c);
    if (any % 2 == 0) return launch<uint16_t>(stream, g, r, put, c);
    return launch<uint8_t>(stream, g, r, put, c);
}

int64_t common(int64_t a, int64_t b) /* their greatest common divisor */
{
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* The table of claims, empty; where all write one value, only the word that says whether an index is wrong. Its memory
 * is *work. */
cp_code make_claims(cp_stream *stream, const cpi_gather *g, int64_t count, claims *c, void **work)
{
    if (c->one_value) {
        *work = cpi_host->work_alloc(stream, sizeof *c->wrong);
        if (!*work) return CP_ERROR_MEMORY;
        c->wrong = (unsigned *)*work;
        return cpi_cuda_check(stream, cudaMemsetAsync(*work, 0, sizeof *c->wrong, cpi_cuda_stream(stream)),
                              g->function);
    }
    int64_t low = 0, high = 0, unit = 0;
    for (int k = 0; k < g->picks + g->ndim; k++) {
        int64_t step = k < g->picks ? g->pick[k].stride : g->many_step[k - g->picks];
        int64_t far = ((k < g->picks ? g->pick[k].extent : g->shape[k - g->picks]) - 1) * step;
        low += far < 0 ? far : 0, high += far > 0 ? far : 0;
        unit = common(unit, size_of(step));
    }
    if (!unit) unit = 1;
    int64_t elements = (high - low) / unit + 1, size = elements;
    bool hashed = elements / 8 > count;
    if (hashed)
        for (size = 64; size < 2 * count;) size *= 2;
    c->narrow = count < UINT32_MAX;
    const size_t keys = hashed ? (size_t)size * 8 : 0, winners = (size_t)size * (c->narrow ? 4 : 8);
    const size_t bytes = keys + (winners + 7) / 8 * 8 + 8;
    *work = cpi_host->work_alloc(stream, bytes);
    if (!*work) return CP_ERROR_MEMORY;
    c->winner = (char *)*work + keys;
    c->key = hashed ? (unsigned long long *)*work : NULL;
    c->wrong = (unsigned *)((char *)*work + bytes - 8);
    c->low = low, c->unit = unit, c->size = size;
    return cpi_cuda_check(stream, cudaMemsetAsync(*work, 0, bytes, cpi_cuda_stream(stream)), g->function);
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

template <int P> cp_code move(cp_stream *stream, const cpi_gather *g, bool put)
{
    record<P> r;
    claims c;
    void *work = NULL;
    cp_code code = fill(stream, g, &r);
    if (code) return code;
    memset(&c, 0, sizeof c);
    c.one_value = one_value(g);
    if (!put || (c.one_value && !can_be_wrong(g))) return move_words(stream, g, r, put, c);
    code = make_claims(stream, g, r.count, &c, &work);
    if (!code) {
        unsigned blocks = cpi_cuda_blocks(r.count, THREADS, (int64_t)cpi_cuda_units(stream) * 64);
        claim_kernel<P><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(r, c);
        code = CPI_LAUNCHED(stream, g->function);
    }
    if (!code) code = move_words(stream, g, r, true, c);
    cpi_host->work_free(stream, work);
    return code;
}

template <int P>
__global__ void __launch_bounds__(THREADS) places_kernel(const __grid_constant__ record<P> r, int64_t *to)
{
    int64_t m, f;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < r.count; i += (int64_t)gridDim.x * THREADS)
        to[i] = find(r, i, &m, &f) ? m : 0;
}

template <int P> cp_code places(cp_stream *stream, const cpi_gather *g, int64_t *to)
{
    record<P> r;
    cp_code code = fill(stream, g, &r);
    if (code) return code;
    unsigned blocks = cpi_cuda_blocks(r.count, THREADS, (int64_t)cpi_cuda_units(stream) * 64);
    places_kernel<P><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(r, to);
    return CPI_LAUNCHED(stream, g->function);
}

} // namespace

/* Most calls have one or two arrays: their kernels take small records. */
cp_code cpi_cuda_gather(cp_stream *stream, const cpi_gather *g)
{
    return g->picks <= 2 ? move<2>(stream, g, false) : move<CP_MAXDIM>(stream, g, false);
}

cp_code cpi_cuda_scatter(cp_stream *stream, const cpi_gather *g)
{
    return g->picks <= 2 ? move<2>(stream, g, true) : move<CP_MAXDIM>(stream, g, true);
}

cp_code cpi_cuda_places(cp_stream *stream, const cpi_gather *g, int64_t *to)
{
    return g->picks <= 2 ? places<2>(stream, g, to) : places<CP_MAXDIM>(stream, g, to);
}
