/* Selection on the GPU.
 *
 * A chunk is 4096 elements; a block of 256 threads processes one, a warp 512 of its elements: 16 words of 32 bits.
 * `select` makes the bits and the count of each chunk. The block that arrives last turns counts into offsets, so one
 * launch and one small read give the host the size of the result. Every later step takes a chunk's position in the
 * result from the offsets: no atomics, results are in order and the same on every run. Invariant: words are whole (bits
 * behind n are 0), and the counter of the last block is zero between launches. */
#include <cstring>
#include <type_traits>

#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "index/index.h"
#include "loop/unravel.cuh"

namespace {

enum { THREADS = 256, WARPS = THREADS / 32, SEGMENT = 4096, WORDS = SEGMENT / 32, SPAN = SEGMENT / WARPS };

struct pair64 { float re, im; };
struct pair128 { double re, im; };
template <class U> struct float_bits { U bits; }; /* sign, then magnitude: the half types of a width share a kernel */

template <class T> __device__ __forceinline__ bool truth(T x) { return x != 0; }
template <class U> __device__ __forceinline__ bool truth(float_bits<U> x) { return (x.bits & (U)~(U)0 >> 1) != 0; }
template <> __device__ __forceinline__ bool truth(pair64 x) { return x.re != 0 || x.im != 0; }
template <> __device__ __forceinline__ bool truth(pair128 x) { return x.re != 0 || x.im != 0; }

/* The type by which elements of E, a cpi_element, are read: one for all of a width and meaning. */
template <class E> struct condition {
    typedef std::conditional_t<sizeof(typename E::Bits) == 4, pair64, pair128> pair;
    typedef std::conditional_t<cpi_half_element<typename E::T>, float_bits<typename E::Bits>, typename E::T> floating;
    typedef std::conditional_t<E::kind == 'f', floating, typename E::Bits> real;
    typedef std::conditional_t<E::kind == 'c', pair, real> type;
};

/* Sum over the block, in every thread. */
__device__ __forceinline__ int64_t block_sum(int64_t v, int64_t *shared)
{
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < WARPS; i++) v += shared[i];
    return v;
}

/* Sum over the threads before this one. */
__device__ __forceinline__ int64_t block_before(int64_t v, int64_t *shared, int64_t *total)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int64_t sum = v;
    for (int d = 1; d < 32; d *= 2) {
        int64_t up = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += up;
    }
    __syncthreads();
    if (lane == 31) shared[warp] = sum;
    __syncthreads();
    int64_t before = 0, all = 0;
    for (int i = 0; i < WARPS; i++) {
        if (i < warp) before += shared[i];
        all += shared[i];
    }
    *total = all;
    return before + sum - v;
}

/* The 16 words of the warp's elements, word k in lane k. `wide`: bytes, whole, aligned to 16. */
template <class T> __device__ __forceinline__ unsigned make_words(const T *x, int64_t first, int64_t n, bool wide)
{
    int lane = threadIdx.x % 32;
    unsigned word = 0;
    if (std::is_same<T, uint8_t>::value && wide && first + SPAN <= n) {
        uint4 v = *((const uint4 *)(x + first) + lane);
        unsigned part[4] = {v.x, v.y, v.z, v.w}, half = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            unsigned ones = __vcmpne4(part[i], 0) & 0x01010101u;        /* a 1 in each byte that is set */
            half |= ((ones * 0x01020408u) >> 24 & 0xfu) << (4 * i);     /* gathered in order */
        }
        unsigned lo = __shfl_sync(0xffffffffu, half, 2 * lane & 31),
                 hi = __shfl_sync(0xffffffffu, half, (2 * lane + 1) & 31);
        return lane < 16 ? lo | hi << 16 : 0;
    }
#pragma unroll 4
    for (int k = 0; k < SPAN / 32; k++) {
        int64_t i = first + k * 32 + lane;
        unsigned w = __ballot_sync(0xffffffffu, i < n && truth(x[i]));
        if (lane == k) word = w;
    }
    return word;
}

template <class T> __global__ void __launch_bounds__(THREADS)
bits(const T *x, int64_t n, bool wide, unsigned *words, int64_t *before, int64_t *count, unsigned *counter)
{
    __shared__ int64_t shared[WARPS];
    __shared__ bool last;
    int64_t chunk = blockIdx.x, nchunks = gridDim.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned w = make_words(x, chunk * SEGMENT + warp * SPAN, n, wide);
    if (lane < SPAN / 32) words[chunk * WORDS + warp * (SPAN / 32) + lane] = w;
    int64_t here = block_sum(__popc(w), shared);
    if (threadIdx.x == 0) {
        before[chunk] = here;
        __threadfence();
        last = atomicAdd(counter, 1u) == (unsigned)(nchunks - 1);
        if (last) *counter = 0;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    int64_t base = 0;
    enum { EACH = 8 };
    for (int64_t start = 0; start < nchunks; start += THREADS * EACH) {
        int64_t v[EACH], sum = 0, total;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int64_t p = start + (int64_t)threadIdx.x * EACH + i;
            v[i] = p < nchunks ? __ldcg((const long long *)before + p) : 0;
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) sum += v[i];
        int64_t at = base + block_before(sum, shared, &total);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int64_t p = start + (int64_t)threadIdx.x * EACH + i;
            if (p < nchunks) before[p] = at;
            at += v[i];
        }
        base += total;
    }
    if (threadIdx.x == 0) *count = base;
}

template <class T>
cp_code launch_bits(cp_stream *stream, const void *x, int64_t n, cpi_selection *s, int64_t *count, unsigned *counter)
{
    int64_t nchunks = cpi_ceil_div(n, SEGMENT);
    bool wide = (uintptr_t)x % 16 == 0;
    bits<T><<<(unsigned)nchunks, THREADS, 0, cpi_cuda_stream(stream)>>>((const T *)x, n, wide, (unsigned *)s->bits,
                                                                        s->before, count, counter);
    return CPI_LAUNCHED(stream, "select");
}

/* Everything but the count, which stays on the device, at *count. */
cp_code begin_select(cp_stream *stream, const void *x, cp_type type, int64_t n, cpi_selection *s, int64_t **count)
{
    int64_t nchunks = cpi_ceil_div(n, SEGMENT);
    unsigned *counter = (unsigned *)cpi_cuda_counters(stream);
    if (!counter) return CP_ERROR_MEMORY;
    s->work = cpi_host->work_alloc(stream, (size_t)(nchunks * (WORDS * 4 + 8) + 8));
    if (!s->work) return CP_ERROR_MEMORY;
    s->n = n;
    s->bits = s->work;
    s->before = (int64_t *)((char *)s->work + nchunks * WORDS * 4);
    *count = s->before + nchunks;
    return cpi_with_type(type, [&](auto e) {
        return launch_bits<typename condition<decltype(e)>::type>(stream, x, n, s, *count, counter);
    });
}

} // namespace

cp_code cpi_index_cuda_select(cp_stream *stream, const void *x, cp_type type, int64_t n, cpi_selection *s)
{
    int64_t *count;
    cp_code code = begin_select(stream, x, type, n, s, &count);
    if (!code) code = cpi_cuda_read(stream, &s->count, count, sizeof s->count);
    return code; /* the caller releases the work, after a failure too */
}

void cpi_index_cuda_release(cp_stream *stream, cpi_selection *s) { cpi_host->work_free(stream, s->work); }

/* --- visiting the selected: each(i, j) for the j-th selected element i, neighbours in neighbouring lanes --- */

template <class F> __device__ __forceinline__ void visit(const unsigned *words, const int64_t *before, F each)
{
    __shared__ int totals[WARPS];
    int64_t chunk = blockIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned w = lane < SPAN / 32 ? words[chunk * WORDS + warp * (SPAN / 32) + lane] : 0;
    int sum = __popc(w);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) totals[warp] = sum;
    __syncthreads();
    int64_t j = before[chunk], i = chunk * SEGMENT + warp * SPAN + lane;
    for (int v = 0; v < warp; v++) j += totals[v];
    each(w, i, j);
}

namespace {

template <class T> __global__ void __launch_bounds__(THREADS)
compact_kernel(const unsigned *words, const int64_t *before, const char *x, int64_t step, T *out)
{
    visit(words, before, [&](unsigned w, int64_t i, int64_t j) {
        unsigned below = (1u << (threadIdx.x % 32)) - 1;
        const char *from = x + i * step;
        enum { BATCH = sizeof(T) <= 8 ? 8 : 4 }; /* loads in flight */
#pragma unroll
        for (int k0 = 0; k0 < SPAN / 32; k0 += BATCH) {
            T v[BATCH];
            unsigned m[BATCH];
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                m[k] = __shfl_sync(0xffffffffu, w, k0 + k);
                if (m[k] >> (threadIdx.x % 32) & 1) v[k] = *(const T *)(from + (int64_t)(k0 + k) * 32 * step);
            }
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                if (m[k] >> (threadIdx.x % 32) & 1) out[j + __popc(m[k] & below)] = v[k];
                j += __popc(m[k]);
            }
        }
    });
}

template <class T>
__global__ void __launch_bounds__(THREADS) spread_kernel(const unsigned *words, const int64_t *before, char *x,
                                                         int64_t step, const char *value, int64_t value_step)
{
    visit(words, before, [&](unsigned w, int64_t i, int64_t j) {
        unsigned below = (1u << (threadIdx.x % 32)) - 1;
#pragma unroll 4
        for (int k = 0; k < SPAN / 32; k++, i += 32) {
            unsigned m = __shfl_sync(0xffffffffu, w, k);
            if (m >> (threadIdx.x % 32) & 1)
                *(T *)(x + i * step) = *(const T *)(value + (j + __popc(m & below)) * value_step);
            j += __popc(m);
        }
    });
}

/* --- one value through a mask: neighbours in neighbouring lanes, eight masks asked for at once --- */

template <class T> __global__ void __launch_bounds__(THREADS) fill_kernel(T *x, const uint8_t *mask, int64_t n, T value)
{
    enum { EACH = 8 };
    int64_t first = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint8_t m[EACH];
#pragma unroll
    for (int u = 0; u < EACH; u++) m[u] = first + u * THREADS < n ? mask[first + u * THREADS] : 0;
#pragma unroll
    for (int u = 0; u < EACH; u++)
        if (m[u]) x[first + u * THREADS] = value;
}

template <class T> cp_code launch_fill(cp_stream *stream, char *x, const uint8_t *mask, int64_t n, const void *value)
{
    T v;
    memcpy(&v, value, sizeof v);
    fill_kernel<T><<<(unsigned)cpi_ceil_div(n, THREADS * 8), THREADS, 0, cpi_cuda_stream(stream)>>>(
        (T *)x, mask, n, v);
    return CPI_LAUNCHED(stream, "mask_set");
}

} // namespace

cp_code cpi_index_cuda_fill(cp_stream *stream, char *x, const uint8_t *mask, int64_t n, int64_t bytes,
                            const void *value)
{
    switch (bytes) {
    case 1: return launch_fill<uint8_t>(stream, x, mask, n, value);
    case 2: return launch_fill<uint16_t>(stream, x, mask, n, value);
    case 4: return launch_fill<uint32_t>(stream, x, mask, n, value);
    case 8: return launch_fill<uint64_t>(stream, x, mask, n, value);
    default: return launch_fill<pair128>(stream, x, mask, n, value); /* may lie at multiples of 8 */
    }
}

namespace {

/* Extent: cpi_divisor for fewer than 2^31 elements, else int64_t. */
template <class Extent> struct extents { int ndim; Extent shape[CP_MAXDIM]; };

template <class Extent, class Index>
__global__ void __launch_bounds__(THREADS)
coordinates_kernel(const unsigned *words, const int64_t *before, const __grid_constant__ extents<Extent> e,
                   int64_t across, int64_t along, int64_t *out)
{
    visit(words, before, [&](unsigned w, int64_t i, int64_t j) {
        unsigned below = (1u << (threadIdx.x % 32)) - 1;
        for (int k = 0; k < SPAN / 32; k++, i += 32) {
            unsigned m = __shfl_sync(0xffffffffu, w, k);
            if (m >> (threadIdx.x % 32) & 1) {
                int64_t *to = out + (j + __popc(m & below)) * along;
                cpi_indices_of(e.ndim, e.shape, (Index)i, [&](int d, int64_t at) { to[d * across] = at; });
            }
            j += __popc(m);
        }
    });
}

/* Points in two dimensions of fewer than 2^31 elements, 16 bytes each. */
__global__ void __launch_bounds__(THREADS)
points_kernel(const unsigned *words, const int64_t *before, const __grid_constant__ cpi_divisor columns, longlong2 *out)
{
    visit(words, before, [&](unsigned w, int64_t i, int64_t j) {
        const unsigned below = (1u << (threadIdx.x % 32)) - 1;
        uint32_t at = (uint32_t)i;
#pragma unroll 4
        for (int k = 0; k < SPAN / 32; k++, at += 32) {
            const unsigned m = __shfl_sync(0xffffffffu, w, k);
            if (m >> (threadIdx.x % 32) & 1) {
                uint32_t row = at;
                const uint32_t column = cpi_index_along(columns, row);
                out[j + __popc(m & below)] = make_longlong2(row, column);
            }
            j += __popc(m);
        }
    });
}

inline unsigned blocks_of(const cpi_selection *s) { return (unsigned)cpi_ceil_div(s->n, SEGMENT); }

template <class T>
cp_code launch_compact(cp_stream *stream, const cpi_selection *s, const char *x, int64_t step, char *out)
{
    compact_kernel<T><<<blocks_of(s), THREADS, 0, cpi_cuda_stream(stream)>>>((const unsigned *)s->bits, s->before, x,
                                                                           step, (T *)out);
    return CPI_LAUNCHED(stream, "compress");
}

} // namespace

cp_code cpi_index_cuda_compact(cp_stream *stream, const cpi_selection *s, const char *x, int64_t step, int64_t bytes,
                               char *out)
{
    switch (bytes) {
    case 1: return launch_compact<uint8_t>(stream, s, x, step, out);
    case 2: return launch_compact<uint16_t>(stream, s, x, step, out);
    case 4: return launch_compact<uint32_t>(stream, s, x, step, out);
    case 8: return launch_compact<uint2>(stream, s, x, step, out);
    default: return launch_compact<uint4>(stream, s, x, step, out);
    }
}

namespace {

template <class T>
cp_code launch_spread(cp_stream *stream, const cpi_selection *s, char *x, int64_t step, const char *v, int64_t vstep)
{
    spread_kernel<T><<<blocks_of(s), THREADS, 0, cpi_cuda_stream(stream)>>>((const unsigned *)s->bits, s->before, x,
                                                                          step, v, vstep);
    return CPI_LAUNCHED(stream, "mask_set");
}

} // namespace

cp_code cpi_index_cuda_spread(cp_stream *stream, const cpi_selection *s, char *x, int64_t step, int64_t bytes,
                              const char *value, int64_t value_step)
{
    switch (bytes) {
    case 1: return launch_spread<uint8_t>(stream, s, x, step, value, value_step);
    case 2: return launch_spread<uint16_t>(stream, s, x, step, value, value_step);
    case 4: return launch_spread<uint32_t>(stream, s, x, step, value, value_step);
    case 8: return launch_spread<uint2>(stream, s, x, step, value, value_step);
    default: return launch_spread<uint4>(stream, s, x, step, value, value_step);
    }
}

cp_code cpi_index_cuda_place(cp_stream *stream, const uint8_t *mask, int64_t n, char *x, int64_t step, int64_t bytes,
                                const char *value)
{
    cpi_selection s = {};
    int64_t *count;
    cp_code code = begin_select(stream, mask, CP_BOOL, n, &s, &count);
    if (!code) code = cpi_index_cuda_spread(stream, &s, x, step, bytes, value, bytes);
    cpi_index_cuda_release(stream, &s);
    return code;
}

template <class Extent, class Index, class Make>
static void launch_coordinates(cp_stream *stream, const cpi_selection *s, int ndim, const int64_t *shape, bool points,
                               int64_t *out, Make extent)
{
    extents<Extent> e;
    memset(&e, 0, sizeof e);
    e.ndim = ndim;
    for (int d = 0; d < ndim; d++) e.shape[d] = extent(shape[d]);
    coordinates_kernel<Extent, Index><<<blocks_of(s), THREADS, 0, cpi_cuda_stream(stream)>>>(
        (const unsigned *)s->bits, s->before, e, points ? 1 : s->count, points ? ndim : 1, out);
}

cp_code cpi_index_cuda_coordinates(cp_stream *stream, const cpi_selection *s, int ndim, const int64_t *shape,
                                   bool points, int64_t *out)
{
    if (s->n > INT32_MAX)
        launch_coordinates<int64_t, int64_t>(stream, s, ndim, shape, points, out, [](int64_t n) { return n; });
    else if (points && ndim == 2 && (uintptr_t)out % sizeof(longlong2) == 0)
        points_kernel<<<blocks_of(s), THREADS, 0, cpi_cuda_stream(stream)>>>(
            (const unsigned *)s->bits, s->before, cpi_divisor_of(shape[1]), (longlong2 *)out);
    else
        launch_coordinates<cpi_divisor, uint32_t>(stream, s, ndim, shape, points, out, cpi_divisor_of);
    return CPI_LAUNCHED(stream, "nonzero");
}

namespace {

/* --- rows: one thread a word of the widest size that divides everything --- */

template <class T> __global__ void __launch_bounds__(THREADS) rows_kernel(const cpi_rows r, int64_t words, bool put)
{
    int64_t all = r.outer * r.count * words;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < all; t += (int64_t)gridDim.x * THREADS) {
        int64_t row = t / words, word = t - row * words, o = row / r.count, c = row - o * r.count;
        if (r.most && (uint64_t)r.index[c] >= (uint64_t)r.most) continue;
        T *array = (T *)(r.array + o * r.outer_step + r.index[c] * r.step) + word;
        T *result = (T *)(r.result + o * r.values_outer_step + c * r.values_step) + word;
        if (put) *array = *result;
        else *result = *array;
    }
}

template <class T> cp_code launch_rows(cp_stream *stream, const cpi_rows *r, bool put)
{
    int64_t words = r->bytes / (int64_t)sizeof(T);
    unsigned blocks = cpi_cuda_blocks(r->outer * r->count * words, THREADS, (int64_t)cpi_cuda_units(stream) * 64);
    rows_kernel<T><<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(*r, words, put);
    return CPI_LAUNCHED(stream, put ? "mask_set" : "compress");
}

cp_code move_rows(cp_stream *stream, const cpi_rows *r, bool put)
{
    uint64_t any = (uintptr_t)r->array | (uint64_t)r->outer_step | (uint64_t)r->step | (uintptr_t)r->result |
                   (uint64_t)r->values_outer_step | (uint64_t)r->values_step | (uint64_t)r->bytes;
    if (any % 16 == 0) return launch_rows<uint4>(stream, r, put);
    if (any % 8 == 0) return launch_rows<uint2>(stream, r, put);
    if (any % 4 == 0) return launch_rows<uint32_t>(stream, r, put);
    if (any % 2 == 0) return launch_rows<uint16_t>(stream, r, put);
    return launch_rows<uint8_t>(stream, r, put);
}

} // namespace

cp_code cpi_index_cuda_take(cp_stream *stream, const cpi_rows *rows) { return move_rows(stream, rows, false); }
cp_code cpi_index_cuda_put(cp_stream *stream, const cpi_rows *rows) { return move_rows(stream, rows, true); }

/* --- repeat: a block searches for its first and its last element, a thread between these --- */

__device__ __forceinline__ int64_t owner(const int64_t *ends, int64_t low, int64_t high, int64_t j)
{
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ends[middle] <= j) low = middle + 1;
        else high = middle;
    }
    return low;
}

namespace {

__global__ void __launch_bounds__(THREADS) repeat_kernel(const int64_t *ends, int64_t n, int64_t total, int64_t *to)
{
    enum { TILE = 4 * THREADS };
    __shared__ int64_t bound[2];
    for (int64_t first = (int64_t)blockIdx.x * TILE; first < total; first += (int64_t)gridDim.x * TILE) {
        const int64_t last = first + TILE < total ? first + TILE - 1 : total - 1;
        __syncthreads();
        if (threadIdx.x < 2) bound[threadIdx.x] = owner(ends, 0, n - 1, threadIdx.x ? last : first);
        __syncthreads();
        for (int64_t j = first + threadIdx.x; j <= last; j += THREADS) to[j] = owner(ends, bound[0], bound[1], j);
    }
}

} // namespace

cp_code cpi_index_cuda_repeat(cp_stream *stream, const int64_t *ends, int64_t n, int64_t total, int64_t *to)
{
    const unsigned blocks = cpi_cuda_blocks(cpi_ceil_div(total, 4), THREADS, (int64_t)cpi_cuda_units(stream) * 64);
    repeat_kernel<<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(ends, n, total, to);
    return CPI_LAUNCHED(stream, "repeat");
}

namespace {

/* --- bits of bytes: a thread for each byte of bits --- */

__global__ void __launch_bounds__(THREADS) pack_kernel(const uint8_t *x, int64_t rows, int64_t n, bool little,
                                                       uint8_t *out)
{
    const int64_t to = cpi_ceil_div(n, 8), all = rows * to;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < all; t += (int64_t)gridDim.x * THREADS) {
        int64_t row = t / to, first = (t - row * to) * 8;
        int count = n - first < 8 ? (int)(n - first) : 8;
        const uint8_t *from = x + row * n + first;
        uint64_t eight = 0;
        if (count == 8 && (uintptr_t)from % 8 == 0) eight = *(const uint64_t *)from;
        else
            for (int i = 0; i < count; i++) eight |= (uint64_t)from[i] << (8 * i);
        unsigned bits = 0;
        for (int i = 0; i < 8; i++) bits |= (unsigned)((eight >> (8 * i) & 255) != 0) << (little ? i : 7 - i);
        out[t] = (uint8_t)bits;
    }
}

__global__ void __launch_bounds__(THREADS) unpack_kernel(const uint8_t *x, int64_t n, bool little, uint64_t *out)
{
    const uint64_t ones = 0x0101010101010101u, mine = little ? 0x8040201008040201u : 0x0102040810204080u;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < n; t += (int64_t)gridDim.x * THREADS)
        out[t] = ((x[t] * ones & mine) + 0x7f * ones) >> 7 & ones; /* a bit plus 127 reaches bit 7 of its byte */
}

} // namespace

cp_code cpi_index_cuda_pack(cp_stream *stream, const uint8_t *x, int64_t rows, int64_t n, bool little, uint8_t *out)
{
    unsigned blocks = cpi_cuda_blocks(rows * cpi_ceil_div(n, 8), THREADS, (int64_t)cpi_cuda_units(stream) * 64);
    pack_kernel<<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(x, rows, n, little, out);
    return CPI_LAUNCHED(stream, "packbits");
}

/* The result is a new array, at a multiple of 8. */
cp_code cpi_index_cuda_unpack(cp_stream *stream, const uint8_t *x, int64_t n, bool little, uint8_t *out)
{
    unsigned blocks = cpi_cuda_blocks(n, THREADS, (int64_t)cpi_cuda_units(stream) * 64);
    unpack_kernel<<<blocks, THREADS, 0, cpi_cuda_stream(stream)>>>(x, n, little, (uint64_t *)out);
    return CPI_LAUNCHED(stream, "unpackbits");
}

