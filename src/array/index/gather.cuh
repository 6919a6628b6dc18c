/* Index arrays as kernels see them: what gathering and scattering on the GPU share.
 *
 * A kernel counts words: word w, at position s of the rest and position i of the index, in 31 bits. Larger calls are
 * split (cpi_each_part), and divisors are prepared on the host. A thread has several words, EACH, in flight at once.
 * Invariant: an index is checked wherever it is read, since the array may change meanwhile. A wrong one is reported in
 * the stream's mailbox, and nothing is read or written for it. */
#ifndef CPI_INDEX_GATHER_CUH
#define CPI_INDEX_GATHER_CUH

#include <cstring>

#include "cuda/elements.h"
#include "cuda/mailbox.cuh"
#include "index/index.h"
#include "loop/loop.cuh"

enum { CPI_GATHER_THREADS = 256, CPI_GATHER_EACH = 4 };

/* The record as kernels take it; P index arrays, since kernel parameters are limited. */
template <int P> struct cpi_gather_args {
    char *array, *result;
    int ndim, rest, nindices;
    bool named, across; /* named: the error message includes the index. across: neighbours are neighbours in the rest */
    bool once;          /* an index names one word: it is loaded without caching */
    uint32_t failure;
    uint32_t *mailbox;
    uint32_t items; /* words in all */
    cpi_divisor count, slots, words; /* positions of the index, of the rest, words of an element */
    cpi_divisor shape[CPI_GATHER_DIMS], rest_shape[CPI_GATHER_DIMS];
    int64_t array_step[CPI_GATHER_DIMS], values_step[CPI_GATHER_DIMS];
    int64_t rest_array_step[CPI_GATHER_DIMS], rest_values_step[CPI_GATHER_DIMS];
    cpi_axis_index axis_index[P];
};

static inline int64_t cpi_size_of(int64_t step) { return step < 0 ? -step : step; }

/* Is the rest denser in `result` than the index? */
static inline bool cpi_runs_across(const cpi_gather *g)
{
    if (!g->rest) return false;
    int64_t index = cpi_size_of(g->values_step[g->ndim - 1]), rest = cpi_size_of(g->rest_values_step[g->rest - 1]);
    return rest < index || (rest == index && g->array_step[g->ndim - 1] == 0);
}

/* words: of an element, as it is moved. */
template <int P>
cp_code cpi_gather_args_of(cp_stream *stream, const cpi_gather *g, int64_t words, cpi_gather_args<P> *r)
{
    r->array = g->array, r->result = g->result, r->ndim = g->ndim, r->rest = g->rest, r->nindices = g->nindices;
    r->across = cpi_runs_across(g);
    r->count = cpi_divisor_of(cpi_gather_count(g)), r->slots = cpi_divisor_of(cpi_gather_rest(g));
    r->words = cpi_divisor_of(words), r->items = r->count.by * r->slots.by * r->words.by;
    r->once = r->items == r->count.by;
    for (int d = 0; d < g->ndim; d++) r->shape[d] = cpi_divisor_of(g->shape[d]);
    for (int d = 0; d < g->rest; d++) r->rest_shape[d] = cpi_divisor_of(g->rest_shape[d]);
    memcpy(r->array_step, g->array_step, 2 * sizeof g->array_step);
    memcpy(r->rest_array_step, g->rest_array_step, 2 * sizeof g->rest_array_step);
    memcpy(r->axis_index, g->axis_index, (size_t)g->nindices * sizeof *g->axis_index);
    r->failure = g->failure ? cpi_cuda_late(CP_ERROR_VALUE, g->function, g->failure)
                            : cpi_cuda_late(CP_ERROR_INDEX, g->function, "an index is out of bounds");
    r->named = !g->failure;
    r->mailbox = cpi_cuda_mailbox(stream);
    return r->mailbox ? CP_OK : CP_ERROR_MEMORY;
}

/* Bytes of a word: the largest power of two up to 16 that divides every stride and address. */
static inline int64_t cpi_word_of(const cpi_gather *g)
{
    uint64_t any = (uintptr_t)g->array | (uintptr_t)g->result | (uint64_t)g->bytes | 16;
    for (int d = 0; d < g->ndim; d++) any |= (uint64_t)g->array_step[d] | (uint64_t)g->values_step[d];
    for (int d = 0; d < g->rest; d++) any |= (uint64_t)g->rest_array_step[d] | (uint64_t)g->rest_values_step[d];
    for (int k = 0; k < g->nindices; k++) any |= (uint64_t)g->axis_index[k].stride;
    return (int64_t)(any & -any);
}

/* f(part, first position of the index) for parts whose words can be counted in 31 bits: in the order of the index, one
 * share of its first axis after the other, then shares of the rest, then of elements. */
template <class F> cp_code cpi_each_part(const cpi_gather *g, int64_t word, int64_t first, F f)
{
    const int64_t count = cpi_gather_count(g), rest = cpi_gather_rest(g), words = g->bytes / word;
    if (count <= INT32_MAX / words / rest && words <= INT32_MAX / rest) return f(g, first);
    cpi_gather a = *g, b = *g;
    int64_t behind = first; /* the first position of b */
    int d = 0;
    if (count > 1) {
        while (g->shape[d] == 1) d++;
        const int64_t half = a.shape[d] = g->shape[d] / 2;
        b.shape[d] -= half, b.array += half * g->array_step[d], b.result += half * g->values_step[d];
        for (int k = 0; k < g->nindices; k++) b.axis_index[k].at += half * g->axis_index[k].step[d];
        behind += count / g->shape[d] * half;
    } else if (rest > 1) {
        while (g->rest_shape[d] == 1) d++;
        const int64_t half = a.rest_shape[d] = g->rest_shape[d] / 2;
        b.rest_shape[d] -= half, b.array += half * g->rest_array_step[d], b.result += half * g->rest_values_step[d];
    } else {
        a.bytes = words / 2 * word;
        b.bytes -= a.bytes, b.array += a.bytes, b.result += a.bytes;
    }
    cp_code code = cpi_each_part(&a, word, first, f);
    return code ? code : cpi_each_part(&b, word, behind, f);
}

static __device__ __noinline__ int64_t cpi_wrapped(int64_t v, int64_t extent)
{
    if (!extent || (uint64_t)v < (uint64_t)extent) return v;
    v %= extent;
    return v + (v < 0 ? extent : 0);
}

/* The indices as given, which may still be beyond the axis. */
template <int E> __device__ __forceinline__ void cpi_name(const cpi_axis_index &p, int64_t (&v)[E])
{
    const int64_t below = p.mode == CPI_INDEX_RAISE ? p.extent : 0;
#pragma unroll
    for (int e = 0; e < E; e++) v[e] += v[e] < 0 ? below : 0;
    if (p.mode == CPI_INDEX_CLIP)
#pragma unroll
        for (int e = 0; e < E; e++) v[e] = v[e] < 0 ? 0 : v[e] >= p.extent ? p.extent - 1 : v[e];
    if (p.mode == CPI_INDEX_WRAP)
#pragma unroll
        for (int e = 0; e < E; e++) v[e] = cpi_wrapped(v[e], p.extent);
}

/* Steps of position i along the index's axes: without arrays, which would lie in memory. */
template <int P, int DIMS>
__device__ __forceinline__ int64_t cpi_along(const cpi_gather_args<P> &r, uint32_t i, const int64_t *step)
{
    if constexpr (DIMS == 1) return i * step[0];
    int64_t at = 0;
    /* mostly not taken at all; unrolled, it was most of every kernel */
#pragma unroll 1
    for (int d = (DIMS == 2 ? 2 : r.ndim) - 1; d > 0; d--) {
        const uint32_t index = cpi_index_along(r.shape[d], i);
        at += index * step[d];
    }
    return at + i * step[0];
}

/* Reports index k of position i to the mailbox. */
template <int P> __device__ __noinline__ void cpi_report_index(const cpi_gather_args<P> &r, int k, uint32_t i)
{
    const cpi_axis_index &p = r.axis_index[k];
    const int64_t value = p.at[cpi_along<P, CPI_GATHER_DIMS>(r, i, p.step)];
    if (r.named) cpi_wrong_index(r.mailbox, r.failure, value, p.axis, p.extent);
    else *(volatile uint32_t *)r.mailbox = r.failure;
}

/* Offsets of positions i[0 .. E); good: those with `wanted` whose indices are valid. The others are reported to the
 * mailbox, and false is returned. */
template <int DIMS, int E, int P>
__device__ __forceinline__ bool cpi_find(const cpi_gather_args<P> &r, const uint32_t (&i)[E], const bool (&wanted)[E],
                                         int64_t (&array)[E], int64_t (&result)[E], bool (&good)[E])
{
    bool all = true;
#pragma unroll
    for (int e = 0; e < E; e++) {
        array[e] = cpi_along<P, DIMS>(r, i[e], r.array_step), result[e] = cpi_along<P, DIMS>(r, i[e], r.values_step);
        good[e] = wanted[e];
    }
    const int nindices = P == 1 ? 1 : r.nindices;
    for (int k = 0; k < nindices; k++) {
        const cpi_axis_index &p = r.axis_index[k];
        int64_t v[E];
        bool right = true;
#pragma unroll
        for (int e = 0; e < E; e++) {
            const long long *at = (const long long *)p.at + cpi_along<P, DIMS>(r, i[e], p.step);
            v[e] = !wanted[e] ? 0 : r.once ? __ldcs(at) : *at;
        }
        cpi_name(p, v);
#pragma unroll
        for (int e = 0; e < E; e++) {
            const bool in = (uint64_t)v[e] < (uint64_t)p.extent;
            right = right && (in || !wanted[e]), good[e] = good[e] && in, array[e] += v[e] * p.stride;
        }
        if (right) continue;
        all = false;
#pragma unroll
        for (int e = 0; e < E; e++)
            if (wanted[e] && (uint64_t)v[e] >= (uint64_t)p.extent) cpi_report_index(r, k, i[e]);
    }
    return all;
}

/* run(arrays, axes), constants, for a kernel's P and DIMS. Most calls have one array of one or two axes and need
 * little; others get the maximum. */
template <int N> struct cpi_number_of { enum { value = N }; };
template <class F> cp_code cpi_with_dims(const cpi_gather *g, F run)
{
    if (g->nindices == 1 && g->ndim == 1) return run(cpi_number_of<1>(), cpi_number_of<1>());
    if (g->nindices == 1 && g->ndim == 2) return run(cpi_number_of<1>(), cpi_number_of<2>());
    if (g->nindices <= 2) return run(cpi_number_of<2>(), cpi_number_of<CPI_GATHER_DIMS>());
    return run(cpi_number_of<CP_MAXDIM>(), cpi_number_of<CPI_GATHER_DIMS>());
}

/* Steps of position s of the rest. */
template <int P>
__device__ __forceinline__ void cpi_add_rest(const cpi_gather_args<P> &r, uint32_t s, int64_t *array, int64_t *result)
{
#pragma unroll 1
    for (int d = r.rest - 1; d >= 0; d--) {
        const uint32_t at = d ? cpi_index_along(r.rest_shape[d], s) : s;
        *array += at * r.rest_array_step[d], *result += at * r.rest_values_step[d];
    }
}

/* The position in the index, in the rest, and the word of item t. */
template <int P>
__device__ __forceinline__ void cpi_item(const cpi_gather_args<P> &r, uint32_t t, uint32_t *i, uint32_t *s,
                                         uint32_t *word)
{
    uint32_t item = t;
    *word = 0, *s = 0;
    if (r.words.by > 1) *word = cpi_index_along(r.words, item);
    *i = item;
    if (r.slots.by == 1) return;
    if (r.across) *s = cpi_index_along(r.slots, *i);
    else *i = cpi_index_along(r.count, item), *s = item;
}

/* Items first, first + stride, ... of a call: their coordinates, and the offsets of their position in the index. */
template <int E> struct cpi_items {
    uint32_t i[E], s[E], word[E]; /* the positions in the index and in the rest, and the word */
    int64_t array[E], result[E];  /* of the position in the index; cpi_add_rest adds that of the rest */
    bool good[E];
};
template <int DIMS, int E, int P>
__device__ __forceinline__ void cpi_find_items(const cpi_gather_args<P> &r, uint32_t first, uint32_t stride,
                                               cpi_items<E> *t)
{
    bool wanted[E];
#pragma unroll
    for (int e = 0; e < E; e++) {
        wanted[e] = first + e * stride < r.items;
        cpi_item(r, wanted[e] ? first + e * stride : 0, &t->i[e], &t->s[e], &t->word[e]);
    }
    cpi_find<DIMS>(r, t->i, wanted, t->array, t->result, t->good);
}

/* The same for positions of the index alone; false: one is wrong. */
template <int DIMS, int E, int P>
__device__ __forceinline__ bool cpi_find_indexed(const cpi_gather_args<P> &r, uint32_t first, uint32_t stride,
                                                 uint32_t (&i)[E], bool (&wanted)[E], int64_t (&array)[E],
                                                 bool (&good)[E])
{
    int64_t result[E];
#pragma unroll
    for (int e = 0; e < E; e++) i[e] = first + e * stride, wanted[e] = i[e] < r.count.by;
    return cpi_find<DIMS>(r, i, wanted, array, result, good);
}

/* Elements that indices can name are numbered by (offset - low) / unit: a shift where unit is 2^shift (else -1). */
struct cpi_numbering {
    int64_t low, unit, size;
    int shift;
};

static inline cpi_numbering cpi_numbering_of(const cpi_gather *g)
{
    cpi_numbering n = {0, 0, 0, -1};
    int64_t high = 0;
    for (int k = 0; k < g->nindices + g->ndim; k++) {
        const int64_t step = k < g->nindices ? g->axis_index[k].stride : g->array_step[k - g->nindices];
        const int64_t far = ((k < g->nindices ? g->axis_index[k].extent : g->shape[k - g->nindices]) - 1) * step;
        n.low += far < 0 ? far : 0, high += far > 0 ? far : 0;
        for (int64_t a = cpi_size_of(step), rest; a; a = rest) rest = n.unit % a, n.unit = a; /* the common divisor */
    }
    if (!n.unit) n.unit = 1;
    if (!(n.unit & (n.unit - 1))) n.shift = __builtin_ctzll((unsigned long long)n.unit);
    n.size = (high - n.low) / n.unit + 1;
    return n;
}

__device__ __forceinline__ uint64_t cpi_element_number(const cpi_numbering &n, int64_t offset)
{
    const uint64_t from = (uint64_t)(offset - n.low), unit = (uint64_t)n.unit;
    if (n.shift >= 0) return from >> n.shift;
    return (from | unit) >> 32 ? from / unit : (uint32_t)from / (uint32_t)unit;
}

#endif
