/* Random numbers on the GPU: words, and the samplers of samplers.h, a thread a block of words.
 *
 * Philox words are computed where they are used (blocks.cuh). Invariant: an element depends on its position alone. */
#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "random/blocks.cuh"
#include "random/sequential.h"

namespace {

using namespace cpr;

/* --- words --- */

/* The first of a thread's TWICE blocks; the other is THREADS later. */
__device__ __forceinline__ int64_t twice_position() { return (int64_t)blockIdx.x * (THREADS * TWICE) + threadIdx.x; }

template <int KIND> __global__ void __launch_bounds__(THREADS)
counted_words(const __grid_constant__ source s, int64_t first, int64_t n, uint64_t *out)
{
    const int64_t block = first + twice_position(), at = 4 * block - s.from.skip;
    uint64_t w[4 * TWICE];
    block_of<KIND, TWICE>(s, block, w);
#pragma unroll
    for (int e = 0; e < TWICE; e++) store<uint64_t, 4, true>(out, at + 4 * THREADS * e, 0, n, w + 4 * e);
}

__global__ void __launch_bounds__(32) stepped_words(int kind, const uint32_t *states, int64_t n, uint64_t *out)
{
    const int64_t first = thread_index() * CPR_CHUNK;
    uint32_t s[6];
    if (first >= n) return;
    for (int i = 0; i < 6; i++) s[i] = states[6 * thread_index() + i];
    const int64_t m = n - first < CPR_CHUNK ? n - first : CPR_CHUNK;
    for (int64_t i = 0; i < m; i++) out[first + i] = cpr_step(kind, s);
}

} // namespace

cp_code cpi_random_cuda_words(cp_stream *stream, const cpi_bit_stream *from, const uint32_t *states, int64_t states_n,
                              int64_t n, uint64_t *out)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    if (from->kind <= CPR_PHILOX32) {
        const source here = source_of(from, nullptr, 0, cpi_ceil_div(n + from->skip, 4));
        launches(cpi_ceil_div(n + from->skip, 4), THREADS * TWICE, [&](int64_t at, unsigned blocks) {
            if (from->kind == CPR_PHILOX) counted_words<CPR_PHILOX><<<blocks, THREADS, 0, s>>>(here, at, n, out);
            else counted_words<CPR_PHILOX32><<<blocks, THREADS, 0, s>>>(here, at, n, out);
        });
        return CPI_LAUNCHED(stream, "random words");
    }
    const size_t bytes = (size_t)states_n * sizeof *states;
    uint32_t *there = (uint32_t *)cpi_host->work_alloc(stream, bytes);
    if (!there) return CP_ERROR_MEMORY;
    cp_code code = stream->device->backend->from_host(stream, there, states, bytes);
    if (!code) {
        launches(states_n / 6, 32, [&](int64_t at, unsigned blocks) {
            stepped_words<<<blocks, 32, 0, s>>>(from->kind, there + 6 * at, n - at * CPR_CHUNK, out + at * CPR_CHUNK);
        });
        code = CPI_LAUNCHED(stream, "random words");
    }
    cpi_host->work_free(stream, there);
    return code;
}

namespace {

/* --- distributions --- */

template <class T> __device__ __forceinline__ T rounded(double v) { return (T)v; }
template <> __device__ __forceinline__ int64_t rounded<int64_t>(double v) { return cpr_whole(v); }

template <bool ARRAYS> __device__ __forceinline__ double parameter(const cpi_draw &d, int k, int64_t i)
{
    return ARRAYS && d.array[k] ? d.array[k][i] : d.value[k];
}

/* Elements at, at + 1, ... from EACH words */
template <int DISTRIBUTION, class T, bool ARRAYS>
__device__ __forceinline__ void four_elements(const cpi_draw &d, int64_t at, const uint64_t w[4], T v[4])
{
    double z[4];
    if (DISTRIBUTION == CPR_NORMAL || DISTRIBUTION == CPR_LOGNORMAL) {
        cpr_normals(w[0], w[1], &z[0], &z[1]);
        cpr_normals(w[2], w[3], &z[2], &z[3]);
    }
    const bool plain = !ARRAYS && d.value[0] == 0 && d.value[1] == 1;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int64_t j = at + i < 0 ? 0 : at + i < d.n ? at + i : d.n - 1;
        const double a = parameter<ARRAYS>(d, 0, j), b = parameter<ARRAYS>(d, 1, j), c = parameter<ARRAYS>(d, 2, j);
        if (DISTRIBUTION == CPR_NORMAL) v[i] = rounded<T>(plain ? z[i] : a + b * z[i]);
        else if (DISTRIBUTION == CPR_LOGNORMAL) v[i] = rounded<T>(cpr_exp(plain ? z[i] : a + b * z[i]));
        else v[i] = rounded<T>(cpr_from_word(DISTRIBUTION, w[i], a, b, c));
    }
}

/* Uniform float64 with scalar parameters: for Philox 4x32 these have their own kernel. */
template <int DISTRIBUTION, class T, bool ARRAYS> constexpr bool is_plain_uniform()
{
    return (DISTRIBUTION == CPR_UNIT || DISTRIBUTION == CPR_UNIFORM) && sizeof(T) == sizeof(double) && !ARRAYS;
}

/* Distributions of one word, and pairs. */
template <int DISTRIBUTION, class T, bool ARRAYS> __global__ void __launch_bounds__(THREADS)
of_words(const __grid_constant__ source s, const __grid_constant__ cpi_draw d, int64_t first)
{
    constexpr bool other = is_plain_uniform<DISTRIBUTION, T, ARRAYS>();
    constexpr int kind = DISTRIBUTION >= CPR_PAIRS ? CPR_PHILOX32 : other ? CPR_PHILOX : EITHER;
    const int64_t block = first + twice_position(), at = 4 * block - (s.words ? 0 : s.from.skip);
    uint64_t w[4 * TWICE];
    block_of<kind, TWICE>(s, block, w);
#pragma unroll
    for (int e = 0; e < TWICE; e++) {
        T v[4];
        four_elements<DISTRIBUTION, T, ARRAYS>(d, at + 4 * THREADS * e, w + 4 * e, v);
        if constexpr (ARRAYS && std::is_same_v<T, double>) /* one kernel for both types */
            if (d.type == CP_FLOAT32) {
                float narrow[4];
#pragma unroll
                for (int i = 0; i < 4; i++) narrow[i] = (float)v[i];
                store<float, 4, false>((float *)d.out, at + 4 * THREADS * e, 0, d.n, narrow);
                continue;
            }
        store<T, 4, DISTRIBUTION == CPR_UNIT || DISTRIBUTION == CPR_UNIFORM>((T *)d.out, at + 4 * THREADS * e, 0, d.n,
                                                                             v);
    }
}

/* Uniform numbers of Philox 4x32, where that is fast: a counter value makes two, and a thread takes PAIRS values at a
 * stride of THREADS, whose products hide each other's latency. So a call is bound by its stores: 16-byte stores of all
 * lanes fill sectors of memory; where the output is misaligned by one number, a lane passes its first one to the lane
 * before. */
enum { PAIRS = 4 };
template <int DISTRIBUTION> __global__ void __launch_bounds__(THREADS)
uniform_pairs(const __grid_constant__ source s, double low, double range, double *out, int64_t n, int64_t first)
{
    const int64_t begin = first + (int64_t)blockIdx.x * (THREADS * PAIRS), start = 2 * begin - s.from.skip;
    const bool whole = start >= 0 && start + 2 * THREADS * PAIRS <= n; /* all that the block makes is wanted */
    const bool even = (uintptr_t)(out + start) % 16 == 0;
    double v[2 * PAIRS];
#pragma unroll
    for (int e = 0; e < PAIRS; e++) {
        uint64_t w[2];
        fast_pair32(s, (uint32_t)begin + threadIdx.x + e * THREADS, w);
        v[2 * e] = cpr_from_word(DISTRIBUTION, w[0], low, range, 0);
        v[2 * e + 1] = cpr_from_word(DISTRIBUTION, w[1], low, range, 0);
    }
#pragma unroll
    for (int e = 0; e < PAIRS; e++) {
        const int64_t at = start + 2 * ((int64_t)threadIdx.x + e * THREADS);
        double *to = out + at;
        if (!whole) {
            if (at >= 0 && at < n) to[0] = v[2 * e];
            if (at + 1 >= 0 && at + 1 < n) to[1] = v[2 * e + 1];
        } else if (even) {
            *(double2 *)to = make_double2(v[2 * e], v[2 * e + 1]);
        } else {
            const int lane = threadIdx.x % 32;
            const double next = __shfl_down_sync(0xffffffffu, v[2 * e], 1);
            if (lane == 0) to[0] = v[2 * e];
            if (lane < 31) *(double2 *)(to + 1) = make_double2(v[2 * e + 1], next);
            else to[1] = v[2 * e + 1];
        }
    }
}

/* float32's: two of a word */
template <bool ARRAYS> __global__ void __launch_bounds__(THREADS)
narrow_normals(const __grid_constant__ source s, const __grid_constant__ cpi_draw d, int64_t first)
{
    const int64_t block = first + twice_position();
    const bool plain = !ARRAYS && d.value[0] == 0 && d.value[1] == 1;
    uint64_t w[4 * TWICE];
    block_of<CPR_PHILOX32, TWICE>(s, block, w);
#pragma unroll
    for (int e = 0; e < TWICE; e++) {
        const int64_t at = 8 * (block + THREADS * e);
        float v[8];
#pragma unroll
        for (int i = 0; i < 4; i++) cpr_normals32(w[4 * e + i], &v[2 * i], &v[2 * i + 1]);
        if (!plain) {
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const int64_t j = at + i < d.n ? at + i : d.n - 1;
                v[i] = (float)(parameter<ARRAYS>(d, 0, j) + parameter<ARRAYS>(d, 1, j) * (double)v[i]);
            }
        }
        store<float, 8, false>((float *)d.out, at, 0, d.n, v);
    }
}

/* Discrete distributions by a CDF table, which each block loads into shared memory. */
__global__ void __launch_bounds__(THREADS)
of_table(const __grid_constant__ source s, const __grid_constant__ cpi_draw d, int64_t blocks)
{
    extern __shared__ uint64_t table[];
    for (int i = threadIdx.x; i < CPR_GUIDE_WORDS + (int)d.table_n; i += THREADS) table[i] = d.cdf[i];
    __syncthreads();
    for (int64_t block = thread_index(); block < blocks; block += (int64_t)gridDim.x * THREADS) {
        const int64_t at = 4 * block - (s.words ? 0 : s.from.skip);
        uint64_t w[4];
        int64_t *out = (int64_t *)d.out;
        block_of<EITHER>(s, block, w);
#pragma unroll
        for (int i = 0; i < 4; i++)
            w[i] = (uint64_t)(d.least + cpr_table_search(table + CPR_GUIDE_WORDS, (const uint16_t *)table, w[i]));
        if (at >= 0 && at + 4 <= d.n && (uintptr_t)(out + at) % 16 == 0) {
            ((ulonglong2 *)(out + at))[0] = make_ulonglong2(w[0], w[1]);
            ((ulonglong2 *)(out + at))[1] = make_ulonglong2(w[2], w[3]);
            continue;
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (at + i >= 0 && at + i < d.n) out[at + i] = (int64_t)w[i];
    }
}

/* Elements of type W, int64_t; W double: of both floating types. */
template <int DISTRIBUTION, class W> __global__ void __launch_bounds__(THREADS)
of_source(const __grid_constant__ source s, const __grid_constant__ cpi_draw d, int64_t first)
{
    const int64_t i = first + thread_index();
    uint64_t w[4];
    cpr_source own;
    if (i >= d.n) return;
    block_of<CPR_PHILOX32>(s, i, w);
    cpr_begin(&own, w);
    const W v = rounded<W>(cpr_of_source(DISTRIBUTION, &own, parameter<true>(d, 0, i), parameter<true>(d, 1, i),
                                         parameter<true>(d, 2, i)));
    const bool narrow = std::is_same_v<W, double> && d.type == CP_FLOAT32;
    char *to = (char *)d.out + i * (narrow ? 4 : 8); /* one address for both types: two spill another register */
    if (narrow) *(float *)to = (float)v;
    else *(W *)to = v;
}

__global__ void __launch_bounds__(THREADS)
of_rows(const __grid_constant__ source s, const __grid_constant__ cpi_draw d, int64_t first)
{
    const int64_t i = first + thread_index();
    uint64_t w[4];
    cpr_source own;
    if (i >= d.n) return;
    block_of<CPR_PHILOX32>(s, i, w);
    cpr_begin(&own, w);
    if (d.type == CP_FLOAT64)
        cpr_row_of_reals(&own, d.table + i * d.table_step, d.width, (double *)d.out + i * d.width);
    else
        cpr_row_of_wholes(d.distribution, &own, d.table + i * d.table_step, d.width, parameter<true>(d, 0, i),
                          (int64_t *)d.out + i * (d.distribution == CPR_CHOICE ? 1 : d.width));
}

/* Blocks of words for d's elements, `each` a block */
int64_t blocks_of(const cpi_draw *d, int each)
{
    const int64_t skip = d->words || d->distribution >= CPR_PAIRS ? 0 : d->from.skip;
    return cpi_ceil_div(d->n + skip, each);
}

/* The source of a call that takes so many blocks; words in memory are one an element. */
source source_for(const cpi_draw *d, int64_t blocks) { return source_of(&d->from, d->words, d->n, blocks); }

template <int DISTRIBUTION, class T> void launch_words(cudaStream_t stream, const cpi_draw *d)
{
    const int64_t all = blocks_of(d, 4);
    const source s = source_for(d, all);
    const bool arrays = d->array[0] || d->array[1] || d->array[2];
    if constexpr (is_plain_uniform<DISTRIBUTION, T, false>())
        if (!arrays && s.fast && s.from.kind == CPR_PHILOX32) {
            const int64_t values = cpi_ceil_div(d->n + s.from.skip, 2);
            launches(values, THREADS * PAIRS, [&](int64_t at, unsigned blocks) {
                uniform_pairs<DISTRIBUTION>
                    <<<blocks, THREADS, 0, stream>>>(s, d->value[0], d->value[1], (double *)d->out, d->n, at);
            });
            return;
        }
    launches(all, THREADS * TWICE, [&](int64_t at, unsigned blocks) {
        typedef std::conditional_t<std::is_same_v<T, float>, double, T> of_arrays;
        if (arrays) of_words<DISTRIBUTION, of_arrays, true><<<blocks, THREADS, 0, stream>>>(s, *d, at);
        else of_words<DISTRIBUTION, T, false><<<blocks, THREADS, 0, stream>>>(s, *d, at);
    });
}

void launch_narrow(cudaStream_t stream, const cpi_draw *d)
{
    const int64_t all = blocks_of(d, 8);
    const source s = source_for(d, all);
    launches(all, THREADS * TWICE, [&](int64_t at, unsigned blocks) {
        if (d->array[0] || d->array[1]) narrow_normals<true><<<blocks, THREADS, 0, stream>>>(s, *d, at);
        else narrow_normals<false><<<blocks, THREADS, 0, stream>>>(s, *d, at);
    });
}

void launch_steps(cp_stream *stream, const cpi_draw *d)
{
    const int64_t all = blocks_of(d, 4);
    const size_t bytes = (size_t)(CPR_GUIDE_WORDS + d->table_n) * sizeof *d->cdf;
    const unsigned blocks = cpi_cuda_blocks(all, THREADS, (int64_t)cpi_cuda_units(stream) * 8);
    of_table<<<blocks, THREADS, bytes, cpi_cuda_stream(stream)>>>(source_for(d, all), *d, all);
}

template <int DISTRIBUTION, class T> void launch_source(cudaStream_t stream, const cpi_draw *d)
{
    const source s = source_for(d, d->n);
    launches(d->n, THREADS, [&](int64_t at, unsigned blocks) {
        of_source<DISTRIBUTION, T><<<blocks, THREADS, 0, stream>>>(s, *d, at);
    });
}

/* Discrete distributions give int64, all others floating types. */
template <int DISTRIBUTION> constexpr bool whole()
{
    return DISTRIBUTION == CPR_GEOMETRIC || DISTRIBUTION == CPR_POISSON || DISTRIBUTION == CPR_BINOMIAL ||
           DISTRIBUTION == CPR_NEGATIVE_BINOMIAL || DISTRIBUTION == CPR_HYPERGEOMETRIC ||
           DISTRIBUTION == CPR_LOGSERIES || DISTRIBUTION == CPR_ZIPF;
}

template <int DISTRIBUTION> void launch(cudaStream_t s, const cpi_draw *d)
{
    if constexpr (DISTRIBUTION < CPR_SOURCES) {
        if constexpr (whole<DISTRIBUTION>()) launch_words<DISTRIBUTION, int64_t>(s, d);
        else if (d->type == CP_FLOAT64) launch_words<DISTRIBUTION, double>(s, d);
        else if constexpr (DISTRIBUTION == CPR_NORMAL) launch_narrow(s, d);
        else launch_words<DISTRIBUTION, float>(s, d);
    } else {
        if constexpr (whole<DISTRIBUTION>()) launch_source<DISTRIBUTION, int64_t>(s, d);
        else launch_source<DISTRIBUTION, double>(s, d);
    }
}

} // namespace

cp_code cpi_random_cuda_draw(cp_stream *stream, const cpi_draw *d)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    switch (d->distribution) {
#define X(DISTRIBUTION) case CPR_##DISTRIBUTION: launch<CPR_##DISTRIBUTION>(s, d); break;
        CPR_WORD_KINDS(X) CPR_PAIR_KINDS(X) CPR_SOURCE_KINDS(X)
#undef X
    case CPR_TABLE: launch_steps(stream, d); break;
    default: {
        const source from = source_for(d, d->n);
        launches(d->n, THREADS,
                 [&](int64_t at, unsigned blocks) { of_rows<<<blocks, THREADS, 0, s>>>(from, *d, at); });
    }
    }
    return CPI_LAUNCHED(stream, "random");
}

