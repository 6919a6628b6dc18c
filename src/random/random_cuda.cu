/* Random numbers on the GPU: the bodies of laws.h, a thread a block of words.
 *
 * Philox is computed where its words are used. Whole numbers go in one round over as many parts as there are places:
 * each piece of 4096 parts writes its good ones where its first part would go and counts them; where any was passed
 * over pieces are computed again, each at its own place. Invariant: places follow from counts alone, nothing is atomic
 * but the sum of what was passed over. */
#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "random/laws.h"
#include "random/random.h"
#include "random/sequential.h"

namespace {

enum { THREADS = 256, PIECE = 4096 };

__device__ __forceinline__ int64_t place() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }

/* A launch has at most 2^31 - 1 blocks; more work goes in several. */
template <class F> void launches(int64_t n, int64_t per_block, F launch)
{
    const int64_t most = INT64_C(0x40000000) * per_block;
    for (int64_t at = 0; at < n; at += most) {
        const int64_t m = n - at < most ? n - at : most;
        launch(at, (unsigned)((m + per_block - 1) / per_block));
    }
}

/* --- words --- */

__global__ void __launch_bounds__(THREADS) counted_words(const cpi_words from, int64_t first, int64_t n, uint64_t *out)
{
    const int64_t block = first + place(), at = 4 * block - from.skip;
    uint64_t w[4];
    if (at >= n) return;
    cpr_block(&from, (uint64_t)block, w);
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (at + i >= 0 && at + i < n) out[at + i] = w[i];
}

__global__ void __launch_bounds__(32) stepped_words(int kind, const uint32_t *states, int64_t n, uint64_t *out)
{
    const int64_t first = place() * CPR_CHUNK;
    uint32_t s[6];
    if (first >= n) return;
    for (int i = 0; i < 6; i++) s[i] = states[6 * place() + i];
    const int64_t m = n - first < CPR_CHUNK ? n - first : CPR_CHUNK;
    for (int64_t i = 0; i < m; i++) out[first + i] = cpr_step(kind, s);
}

cp_code words(cp_stream *stream, const cpi_words *from, const uint32_t *states, int64_t states_n, int64_t n,
              uint64_t *out)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    if (from->kind <= CPR_PHILOX32) {
        launches((n + from->skip + 3) / 4, THREADS, [&](int64_t at, unsigned blocks) {
            counted_words<<<blocks, THREADS, 0, s>>>(*from, at, n, out);
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

/* --- laws --- */

template <class T> __device__ __forceinline__ T rounded(double v) { return (T)v; }
template <> __device__ __forceinline__ int64_t rounded<int64_t>(double v) { return cpr_whole(v); }

__device__ __forceinline__ double parameter(const cpi_draw &d, int k, int64_t i)
{
    return d.array[k] ? d.array[k][i] : d.value[k];
}

__device__ __forceinline__ void block_of(const cpi_draw &d, int64_t block, int64_t words_n, uint64_t w[4])
{
    if (!d.words) return cpr_block(&d.from, (uint64_t)block, w);
#pragma unroll
    for (int i = 0; i < 4; i++) w[i] = 4 * block + i < words_n ? d.words[4 * block + i] : 0;
}

/* 32 bytes of each lane, one lane's behind the other's, where `to` is a multiple of 16: neighbours exchange halves, so
 * that a store of the warp fills whole sectors of memory. All lanes are here. */
__device__ __forceinline__ void store_warp(void *to, const uint64_t v[4])
{
    const bool odd = threadIdx.x & 1;
    ulonglong2 got, *at = (ulonglong2 *)to;
    got.x = __shfl_xor_sync(0xffffffffu, odd ? v[0] : v[2], 1);
    got.y = __shfl_xor_sync(0xffffffffu, odd ? v[1] : v[3], 1);
    at[odd ? -1 : 0] = odd ? got : make_ulonglong2(v[0], v[1]); /* the even lane's 32 bytes */
    at[odd ? 1 : 2] = odd ? make_ulonglong2(v[2], v[3]) : got;
}

/* Do the elements of all lanes of the warp, `each` to a lane and those of this one from `at` on, lie in least..n? Then
 * no lane has returned. */
__device__ __forceinline__ bool whole_warp(int64_t at, int each, int64_t least, int64_t n)
{
    const int64_t begin = at - (int64_t)(threadIdx.x % 32) * each;
    return begin >= least && begin + 32 * each <= n;
}

template <class T> __device__ __forceinline__ void store_four(T *out, int64_t at, int64_t n, const T v[4])
{
    if (at >= 0 && at + 4 <= n && (uintptr_t)(out + at) % (4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) == 0) {
        if (sizeof(T) == 4) {
            *(uint4 *)(out + at) = *(const uint4 *)v;
        } else {
            ((uint4 *)(out + at))[0] = ((const uint4 *)v)[0];
            ((uint4 *)(out + at))[1] = ((const uint4 *)v)[1];
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (at + i >= 0 && at + i < n) out[at + i] = v[i];
}

/* Four elements of a block of words: laws of one word, and pairs. */
template <int LAW, class T> __global__ void __launch_bounds__(THREADS) of_words(const cpi_draw d, int64_t first)
{
    const int64_t block = first + place(), skip = d.words ? 0 : d.from.skip, at = 4 * block - skip;
    uint64_t w[4];
    __align__(16) T v[4];
    if (at >= d.n) return;
    block_of(d, block, LAW == CPR_NORMAL || LAW == CPR_LOGNORMAL ? d.n + (d.n & 1) : d.n, w);
    if (LAW == CPR_NORMAL || LAW == CPR_LOGNORMAL) {
        double z[4];
        cpr_normals(w[0], w[1], &z[0], &z[1]);
        cpr_normals(w[2], w[3], &z[2], &z[3]);
        const bool plain = !d.array[0] && !d.array[1] && d.value[0] == 0 && d.value[1] == 1;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int64_t j = at + i < d.n ? at + i : d.n - 1;
            const double x = plain ? z[i] : parameter(d, 0, j) + parameter(d, 1, j) * z[i];
            v[i] = rounded<T>(LAW == CPR_LOGNORMAL ? cpr_exp(x) : x);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int64_t j = at + i < 0 ? 0 : at + i < d.n ? at + i : d.n - 1;
            v[i] = rounded<T>(cpr_of_word(LAW, w[i], parameter(d, 0, j), parameter(d, 1, j), parameter(d, 2, j)));
        }
    }
    if (sizeof(T) == 8 && whole_warp(at, 4, 0, d.n) && (uintptr_t)((T *)d.out + at) % 16 == 0) {
        uint64_t bits[4];
        memcpy(bits, v, sizeof v);
        store_warp((T *)d.out + at, bits);
    } else {
        store_four((T *)d.out, at, d.n, v);
    }
}

template <int LAW, class T> __global__ void __launch_bounds__(THREADS) of_source(const cpi_draw d, int64_t first)
{
    const int64_t i = first + place();
    uint64_t w[4];
    cpr_source s;
    if (i >= d.n) return;
    block_of(d, i, 4 * d.n, w);
    cpr_begin(&s, w);
    ((T *)d.out)[i] = rounded<T>(cpr_of_source(LAW, &s, parameter(d, 0, i), parameter(d, 1, i), parameter(d, 2, i)));
}

__global__ void __launch_bounds__(THREADS) of_rows(const cpi_draw d, int64_t first)
{
    const int64_t i = first + place();
    uint64_t w[4];
    cpr_source s;
    if (i >= d.n) return;
    block_of(d, i, 4 * d.n, w);
    cpr_begin(&s, w);
    if (d.type == CP_FLOAT64)
        cpr_row_of_reals(d.law, &s, d.table + i * d.table_step, d.width, (double *)d.out + i * d.width);
    else
        cpr_row_of_wholes(d.law, &s, d.table + i * d.table_step, d.width, parameter(d, 0, i),
                          (int64_t *)d.out + i * (d.law == CPR_CHOICE ? 1 : d.width));
}

template <int LAW, class T> void launch_words(cudaStream_t s, const cpi_draw *d)
{
    const int64_t skip = d->words ? 0 : d->from.skip;
    launches((d->n + skip + 3) / 4, THREADS, [&](int64_t at, unsigned blocks) {
        of_words<LAW, T><<<blocks, THREADS, 0, s>>>(*d, at);
    });
}

template <int LAW, class T> void launch_source(cudaStream_t s, const cpi_draw *d)
{
    launches(d->n, THREADS, [&](int64_t at, unsigned blocks) { of_source<LAW, T><<<blocks, THREADS, 0, s>>>(*d, at); });
}

/* Whole numbers are int64, all others floating. */
template <int LAW> constexpr bool whole()
{
    return LAW == CPR_GEOMETRIC || LAW == CPR_POISSON || LAW == CPR_BINOMIAL || LAW == CPR_NEGATIVE_BINOMIAL ||
           LAW == CPR_HYPERGEOMETRIC || LAW == CPR_LOGSERIES || LAW == CPR_ZIPF;
}

template <int LAW> void launch(cudaStream_t s, const cpi_draw *d)
{
    if constexpr (LAW < CPR_GAMMA) {
        if constexpr (whole<LAW>()) launch_words<LAW, int64_t>(s, d);
        else if (d->type == CP_FLOAT32) launch_words<LAW, float>(s, d);
        else launch_words<LAW, double>(s, d);
    } else {
        if constexpr (whole<LAW>()) launch_source<LAW, int64_t>(s, d);
        else if (d->type == CP_FLOAT32) launch_source<LAW, float>(s, d);
        else launch_source<LAW, double>(s, d);
    }
}

cp_code draw(cp_stream *stream, const cpi_draw *d)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    switch (d->law) {
#define X(LAW) case CPR_##LAW: launch<CPR_##LAW>(s, d); break;
        CPR_WORD_LAWS(X) CPR_PAIR_LAWS(X) CPR_SOURCE_LAWS(X)
#undef X
    default:
        launches(d->n, THREADS, [&](int64_t at, unsigned blocks) { of_rows<<<blocks, THREADS, 0, s>>>(*d, at); });
    }
    return CPI_LAUNCHED(stream, "random");
}

/* --- parts of words --- */

/* cpr_block, once in the code of a kernel that needs it in many places; values, which stay in registers. */
struct four { uint64_t a, b, c, d; };
__device__ __noinline__ four block_called(int kind, uint64_t k0, uint64_t k1, four counter, uint64_t block)
{
    const cpi_words from = {kind, 0, {k0, k1}, {counter.a, counter.b, counter.c, counter.d}, {}};
    uint64_t w[4];
    cpr_block(&from, block, w);
    return {w[0], w[1], w[2], w[3]};
}

/* Part j; a block of Philox is computed once for the parts that a thread takes from it. */
struct parts {
    const cpi_integers &q;
    int64_t block = -1;
    uint64_t w[4];
    __device__ explicit parts(const cpi_integers &q) : q(q) {}
    __device__ uint64_t word(int64_t i)
    {
        if (q.words) return q.words[i];
        const int64_t at = i + q.from.skip;
        if (at >> 2 != block) {
            const uint64_t *c = q.from.counter;
            const four b = block_called(q.from.kind, q.from.key[0], q.from.key[1], {c[0], c[1], c[2], c[3]},
                                        (uint64_t)(block = at >> 2));
            w[0] = b.a, w[1] = b.b, w[2] = b.c, w[3] = b.d;
        }
        const uint64_t a = at & 1 ? w[1] : w[0], b = at & 1 ? w[3] : w[2];
        return at & 2 ? b : a;
    }
    __device__ uint64_t at(int64_t j)
    {
        if (q.bits == 64) return word(j);
        const int shift = q.bits == 32 ? 0 : q.bits == 16 ? 1 : q.bits == 8 ? 2 : 5;
        const int64_t i = (j >> shift) - q.has_half;
        const uint32_t half = i < 0 ? q.half : (uint32_t)(word(i >> 1) >> (i & 1 ? 32 : 0));
        return half >> ((j & ((1 << shift) - 1)) * q.bits) & (uint32_t)((UINT64_C(1) << q.bits) - 1);
    }
};

/* Eight float32 a thread, of a block of words. */
__global__ void __launch_bounds__(THREADS) floats(const cpi_integers q, int64_t first)
{
    const int64_t block = first + place(), least = q.has_half, words_n = (q.n - least + 1) / 2;
    const int64_t at = 8 * block - 2 * (q.words ? 0 : q.from.skip) + least;
    float *out = (float *)q.out;
    uint64_t w[4];
    if (block == 0 && q.has_half) out[0] = cpr_unit32(q.half);
    if (at >= q.n) return;
    if (!q.words) cpr_block(&q.from, (uint64_t)block, w);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (q.words) w[i] = 4 * block + i < words_n ? q.words[4 * block + i] : 0;
        const float low = cpr_unit32((uint32_t)w[i]), high = cpr_unit32((uint32_t)(w[i] >> 32));
        w[i] = __float_as_uint(low) | (uint64_t)__float_as_uint(high) << 32;
    }
    if (whole_warp(at, 8, least, q.n) && (uintptr_t)(out + at) % 16 == 0) {
        store_warp(out + at, w);
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (at + i >= least && at + i < q.n) out[at + i] = __uint_as_float((uint32_t)(w[i / 2] >> (i & 1 ? 32 : 0)));
}

cp_code halves(cp_stream *stream, const cpi_integers *q)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    const int64_t skip = q->words ? 0 : q->from.skip;
    launches((q->n + 2 * skip + 7) / 8, THREADS,
             [&](int64_t at, unsigned blocks) { floats<<<blocks, THREADS, 0, s>>>(*q, at); });
    return CPI_LAUNCHED(stream, "random");
}

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

/* A block works on a piece, a thread on neighbouring parts. places: where pieces write; NULL: where their first part
 * would go. */
template <class T> __global__ void __launch_bounds__(THREADS)
numbers(const cpi_integers q, uint64_t threshold, int64_t first, const int64_t *places, int32_t *good, int *missing)
{
    enum { EACH = PIECE / THREADS };
    __shared__ int totals[THREADS / 32];
    __shared__ T room[PIECE + PIECE / EACH]; /* a place is left free after EACH, so that threads write to all banks */
    const int64_t piece = first + blockIdx.x, at = piece * PIECE + (int64_t)threadIdx.x * EACH;
    T v[EACH];
    unsigned mask = 0;
    parts p(q);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        uint64_t x = 0;
        if (at + i < q.n && cpr_bounded(p.at(q.first + at + i), q.range, q.bits, threshold, &x)) mask |= 1u << i;
        v[i] = (T)((T)q.off + (T)x);
    }
    int all;
    int before = warp_before(__popc(mask), &all);
    if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = all;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < THREADS / 32; k++) {
        if (k < (int)threadIdx.x / 32) before += totals[k];
        sum += totals[k];
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (mask >> i & 1) room[before + before / EACH] = v[i], before++;
    __syncthreads();
    T *to = (T *)q.out + (places ? places[piece] : piece * PIECE);
    for (int i = threadIdx.x; i < sum; i += THREADS) to[i] = room[i + i / EACH];
    if (threadIdx.x == 0 && good) {
        const int64_t here = q.n - piece * PIECE < PIECE ? q.n - piece * PIECE : PIECE;
        good[piece] = sum;
        if (sum != here) atomicAdd(missing, 1);
    }
}

/* From the piece `from` on. */
template <class T> void launch_numbers(cudaStream_t s, const cpi_integers *q, int64_t from, const int64_t *places,
                                       int32_t *good, int *missing)
{
    const uint64_t threshold = cpr_threshold(q->range, q->bits);
    launches((q->n + PIECE - 1) / PIECE - from, 1, [&](int64_t at, unsigned blocks) {
        numbers<T><<<blocks, THREADS, 0, s>>>(*q, threshold, from + at, places, good, missing);
    });
}

cp_code round_of(cp_stream *stream, const cpi_integers *q, int64_t from, const int64_t *places, int32_t *good,
                 int *missing)
{
    const cudaStream_t s = cpi_cuda_stream(stream);
    switch (q->size) {
    case 1: launch_numbers<uint8_t>(s, q, from, places, good, missing); break;
    case 2: launch_numbers<uint16_t>(s, q, from, places, good, missing); break;
    case 4: launch_numbers<uint32_t>(s, q, from, places, good, missing); break;
    default: launch_numbers<uint64_t>(s, q, from, places, good, missing);
    }
    return CPI_LAUNCHED(stream, "integers");
}

/* Where pieces go, of how many of their parts are good; the numbers of the host. */
cp_code push_together(cp_stream *stream, cpi_integers *q, int32_t *good, int64_t *places, int64_t pieces)
{
    const cpi_backend *b = stream->device->backend;
    int64_t *host = (int64_t *)cpi_host->malloc((size_t)pieces * (sizeof *host + sizeof *good));
    if (!host) return CP_ERROR_MEMORY;
    int32_t *count = (int32_t *)(host + pieces);
    cp_code code = b->to_host(stream, count, good, (size_t)pieces * sizeof *good);
    int64_t k = 0, first = 0; /* pieces before the first that others must follow elsewhere are where they belong */
    for (int64_t p = 0; !code && p < pieces; p++) {
        host[p] = k, k += count[p];
        if (host[p] == p * PIECE) first = p + 1;
    }
    if (!code) code = b->from_host(stream, places, host, (size_t)pieces * sizeof *host);
    cpi_host->free(host);
    if (!code && first < pieces) code = round_of(stream, q, first, places, nullptr, nullptr);
    q->taken = k;
    return code;
}

cp_code integers(cp_stream *stream, cpi_integers *q)
{
    const int64_t pieces = (q->n + PIECE - 1) / PIECE;
    q->taken = q->n;
    if (!cpr_threshold(q->range, q->bits)) return round_of(stream, q, 0, nullptr, nullptr, nullptr);
    char *work = (char *)cpi_host->work_alloc(stream, (size_t)pieces * 12 + 8);
    if (!work) return CP_ERROR_MEMORY;
    int64_t *places = (int64_t *)work;
    int32_t *good = (int32_t *)(places + pieces), missing = 0;
    int *count = good + pieces;
    cp_code code =
        cpi_cuda_check(stream, cudaMemsetAsync(count, 0, sizeof *count, cpi_cuda_stream(stream)), "integers");
    if (!code) code = round_of(stream, q, 0, nullptr, good, count);
    if (!code) code = cpi_cuda_read(stream, &missing, count, sizeof missing);
    if (!code && missing) code = push_together(stream, q, good, places, pieces);
    cpi_host->work_free(stream, work);
    return code;
}

} // namespace

extern const cpi_random_ops cpi_random_cuda;
const cpi_random_ops cpi_random_cuda = {words, draw, halves, integers};
