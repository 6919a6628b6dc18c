/* Indices and segments of ufuncs on the GPU. `at` uses atomic operations, without sorting, where an operation's result
 * does not depend on the order of an element's indices.
 *
 * Integers wrap, so their sums and products are such, as are minimum and maximum. Of zeros the larger is +0.0 and the
 * smaller -0.0; of NaNs the one with the largest bit pattern is taken, so those have one answer too. Invariant: every
 * index is checked before the first element changes, and if one is wrong nothing changes. If there are few indices,
 * every block checks all of them, so that one launch is enough. */
#include "cuda/mailbox.cuh"
#include "elementwise/operations_cuda.h"
#include "index/index.h"

namespace {

enum { EACH = 4 };
/* Few indices in one launch: every block checks all of them, LOOKED at a time per thread. */
enum { FEW = 1 << 14, FEW_THREADS = 1024, LOOKED = 8 };
enum joins { ADD, SUBTRACT, MULTIPLY, AND, OR, XOR, MOST, LEAST, NUMBER_MOST, NUMBER_LEAST };

struct at_args {
    int join;
    char *x;
    const int64_t *position;
    const char *v;
    int64_t extent, n, v_step;
    unsigned *wrong; /* NULL: the indices were not checked yet */
    uint32_t *mailbox, failure;
};

/* Negative indices count from the end. */
__device__ __forceinline__ int64_t named(const at_args &a, int64_t i)
{
    const int64_t position = a.position[i];
    return position + (position < 0 ? a.extent : 0);
}

__global__ void __launch_bounds__(CPI_THREADS) look(const __grid_constant__ at_args a)
{
    const int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * EACH) + threadIdx.x;
    int64_t at[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) at[e] = first + e * CPI_THREADS < a.n ? named(a, first + e * CPI_THREADS) : 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if ((uint64_t)at[e] < (uint64_t)a.extent) continue;
        *(volatile unsigned *)a.wrong = 1;
        cpi_wrong_index(a.mailbox, a.failure, a.position[first + e * CPI_THREADS], 0, a.extent);
    }
}

/* Each block checks all indices; true in all its threads if one is wrong. */
__device__ __forceinline__ bool any_wrong(const at_args &a)
{
    int64_t wrong = -1;
    for (int64_t first = threadIdx.x; first < a.n; first += blockDim.x * LOOKED) {
        int64_t at[LOOKED];
#pragma unroll
        for (int e = 0; e < LOOKED; e++) at[e] = first + e * blockDim.x < a.n ? named(a, first + e * blockDim.x) : 0;
#pragma unroll
        for (int e = 0; e < LOOKED; e++)
            if ((uint64_t)at[e] >= (uint64_t)a.extent) wrong = first + e * blockDim.x;
    }
    if (wrong >= 0) cpi_wrong_index(a.mailbox, a.failure, a.position[wrong], 0, a.extent);
    return __syncthreads_or(wrong >= 0);
}

/* --- sorted indices --- */

/* far[0], far[1]: how far indices go beyond the end, and before -size; both begin as 0. */
__global__ void __launch_bounds__(CPI_THREADS)
wrap_indices(const int64_t *position, int64_t n, int64_t size, int64_t *wrapped, unsigned long long *far)
{
    const int64_t i = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x;
    if (i >= n) return;
    int64_t at = position[i];
    if (at >= size) atomicMax(far, (unsigned long long)at - (unsigned long long)size + 1);
    if (at < -size) atomicMax(far + 1, (unsigned long long)-size - (unsigned long long)at);
    if (at >= size || at < -size) at = size ? at % size : 0;
    wrapped[i] = at + (at < 0 ? size : 0);
}

/* --- one element --- */

template <int BYTES> struct bits_of;
template <> struct bits_of<1> { typedef uint8_t type; };
template <> struct bits_of<2> { typedef unsigned short type; };
template <> struct bits_of<4> { typedef unsigned type; };
template <> struct bits_of<8> { typedef unsigned long long type; };

/* Atomic compare-and-swap: *x becomes `to` where it is `from`; returns the old value. A byte is swapped with the three
 * others of its word. */
template <class U> __device__ __forceinline__ U exchanged(U *x, U from, U to) { return atomicCAS(x, from, to); }
__device__ __forceinline__ uint8_t exchanged(uint8_t *x, uint8_t from, uint8_t to)
{
    unsigned *word = (unsigned *)((uintptr_t)x & ~(uintptr_t)3), there = *(volatile unsigned *)word;
    const int shift = (int)((uintptr_t)x & 3) * 8;
    while ((uint8_t)(there >> shift) == from) {
        const unsigned seen = atomicCAS(word, there, (there & ~(0xffu << shift)) | (unsigned)to << shift);
        if (seen == there) return from;
        there = seen;
    }
    return (uint8_t)(there >> shift);
}

/* *x becomes f(*x). */
template <class T, class F> __device__ __forceinline__ void change(T *x, F f)
{
    typedef typename bits_of<sizeof(T)>::type U;
    U old = *(volatile U *)x, seen;
    for (;; old = seen) {
        T value;
        memcpy(&value, &old, sizeof value);
        value = f(value);
        U to;
        memcpy(&to, &value, sizeof to);
        if (to == old || (seen = exchanged((U *)x, old, to)) == old) return;
    }
}

template <class T> __device__ __forceinline__ void join_whole(int join, T *x, T v)
{
    typedef typename bits_of<sizeof(T)>::type U;
    typedef std::conditional_t<std::is_signed_v<T>, long long, unsigned long long> Long;
    typedef std::conditional_t<sizeof(T) == 8, Long, std::conditional_t<std::is_signed_v<T>, int, unsigned>> N;
    constexpr bool direct = sizeof(T) >= 4;
    if constexpr (direct) {
        switch (join) {
        case ADD: atomicAdd((U *)x, (U)v); return;
        case SUBTRACT: atomicAdd((U *)x, (U)0 - (U)v); return;
        case AND: atomicAnd((U *)x, (U)v); return;
        case OR: atomicOr((U *)x, (U)v); return;
        case XOR: atomicXor((U *)x, (U)v); return;
        case MOST: atomicMax((N *)x, (N)v); return;
        case LEAST: atomicMin((N *)x, (N)v); return;
        }
    }
    change(x, [=](T a) -> T {
        const unsigned long long p = (unsigned long long)a, q = (unsigned long long)v;
        switch (join) {
        case ADD: return (T)(p + q);
        case SUBTRACT: return (T)(p - q);
        case MULTIPLY: return (T)(p * q);
        case AND: return (T)(p & q);
        case OR: return (T)(p | q);
        case XOR: return (T)(p ^ q);
        case MOST: return a >= v ? a : v;
        default: return a <= v ? a : v;
        }
    });
}

/* Numbers in their order, -0.0 before 0.0. */
__device__ __forceinline__ int rank_of(float x)
{
    const int b = __float_as_int(x);
    return b ^ (b >> 31 & 0x7fffffff);
}
__device__ __forceinline__ long long rank_of(double x)
{
    const long long b = __double_as_longlong(x);
    return b ^ (b >> 63 & 0x7fffffffffffffff);
}
__device__ __forceinline__ unsigned bits(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned long long bits(double x) { return (unsigned long long)__double_as_longlong(x); }

template <class T> __device__ __forceinline__ void join_real(int join, T *x, T v)
{
    const bool most = join == MOST || join == NUMBER_MOST, numbers = join == NUMBER_MOST || join == NUMBER_LEAST;
    change(x, [=](T a) -> T {
        if (v != v) return !numbers && (a == a || bits(v) > bits(a)) ? v : a;
        if (a != a) return numbers ? v : a;
        return (most ? rank_of(v) > rank_of(a) : rank_of(v) < rank_of(a)) ? v : a;
    });
}

template <class T> __global__ void __launch_bounds__(FEW_THREADS) at_once(const __grid_constant__ at_args a)
{
    if (a.wrong ? *a.wrong : any_wrong(a)) return;
    const int64_t first = (int64_t)blockIdx.x * (blockDim.x * EACH) + threadIdx.x;
    int64_t at[EACH];
    T v[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int64_t i = first + e * blockDim.x;
        at[e] = i < a.n ? named(a, i) : -1;
        if (i < a.n) v[e] = *(const T *)(a.v + i * a.v_step);
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if ((uint64_t)at[e] >= (uint64_t)a.extent) continue; /* it has changed since */
        if constexpr (std::is_floating_point_v<T>) join_real(a.join, (T *)a.x + at[e], v[e]);
        else join_whole(a.join, (T *)a.x + at[e], v[e]);
    }
}

/* --- which operations --- */

const void *kernel_of(cp_type type)
{
    switch ((int)type) {
    case CP_INT8: return (const void *)at_once<int8_t>;
    case CP_UINT8: return (const void *)at_once<uint8_t>;
    case CP_INT16: return (const void *)at_once<int16_t>;
    case CP_UINT16: return (const void *)at_once<uint16_t>;
    case CP_INT32: return (const void *)at_once<int32_t>;
    case CP_UINT32: return (const void *)at_once<uint32_t>;
    case CP_INT64: return (const void *)at_once<int64_t>;
    case CP_UINT64: return (const void *)at_once<uint64_t>;
    case CP_FLOAT32: return (const void *)at_once<float>;
    case CP_FLOAT64: return (const void *)at_once<double>;
    default: return nullptr;
    }
}

int join_of(int op, bool whole)
{
    switch (op) {
    case CP_OP_add: return ADD;
    case CP_OP_subtract: return SUBTRACT;
    case CP_OP_multiply: return MULTIPLY;
    case CP_OP_bitwise_and: return AND;
    case CP_OP_bitwise_or: return OR;
    case CP_OP_bitwise_xor: return XOR;
    case CP_OP_maximum: return MOST;
    case CP_OP_minimum: return LEAST;
    case CP_OP_fmax: return whole ? MOST : NUMBER_MOST;
    default: return whole ? LEAST : NUMBER_LEAST;
    }
}

/* --- rows --- */

/* A thread handles one element of a row. The thread at the first of several equal rows processes all of them. */
template <class T> __global__ void __launch_bounds__(CPI_THREADS) rows_in_order(const __grid_constant__ cpi_at_rows p)
{
    const int64_t at = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x, i = at / p.width, column = at - i * p.width;
    if (i >= p.n) return;
    const int64_t row = p.row[i];
    if (i > 0 && p.row[i - 1] == row) return;
    T *x = (T *)p.x + row * p.width + column, r = *x;
    const char *v = p.v + column * p.v_column;
#pragma unroll 4
    for (int64_t k = i; k < p.n && p.row[k] == row; k++) {
        const T other = *(const T *)(v + p.order[k] * p.v_step);
        r = p.op == CP_OP_add ? r + other : p.op == CP_OP_subtract ? r - other : r * other;
    }
    *x = r;
}

/* --- segments --- */

__global__ void __launch_bounds__(CPI_THREADS)
find_segments(const int64_t *starts, int64_t m, int64_t n, int64_t *first, int64_t *last, uint32_t *box,
              uint32_t failure)
{
    const int64_t j = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x;
    if (j >= m) return;
    const int64_t given = starts[j], end = j + 1 < m ? starts[j + 1] : n;
    const bool in = (uint64_t)given < (uint64_t)n;
    const int64_t start = in ? given : 0;
    if (!in) cpi_wrong_index(box, failure, given, 0, n);
    first[j] = start, last[j] = in && end > start && end <= n ? end : start + 1;
}

} // namespace

cp_code cpi_index_cuda_segments(cp_stream *stream, int op, const int64_t *starts, int64_t m, int64_t n, int64_t *first,
                                 int64_t *last)
{
    const char *name = cpi_cuda_rows[op].name;
    uint32_t *box = cpi_cuda_mailbox(stream);
    if (!box) return CP_ERROR_MEMORY;
    const uint32_t failure = cpi_cuda_late(CP_ERROR_INDEX, name, "an index is out of bounds");
    const unsigned blocks = (unsigned)cpi_ceil_div(m, CPI_THREADS);
    find_segments<<<blocks, CPI_THREADS, 0, cpi_cuda_stream(stream)>>>(starts, m, n, first, last, box, failure);
    return CPI_LAUNCHED(stream, name);
}

cp_code cpi_index_cuda_at_rows(cp_stream *stream, const cpi_at_rows *p)
{
    const char *name = cpi_cuda_rows[p->op].name;
    const int64_t blocks = cpi_ceil_div(p->n * p->width, CPI_THREADS);
    if (blocks > INT32_MAX) return cpi_host->fail(CP_ERROR_VALUE, "%s: more indices than a GPU takes at once", name);
    cpi_at_rows args = *p;
    return cpi_cuda_launch(p->type == CP_FLOAT32 ? (const void *)rows_in_order<float>
                                                 : (const void *)rows_in_order<double>, blocks, &args, stream, name);
}

cp_code cpi_index_cuda_wrap(cp_stream *stream, int op, const int64_t *position, int64_t n, int64_t size,
                            int64_t *wrapped)
{
    const char *name = cpi_cuda_rows[op].name;
    uint64_t far[2] = {0, 0};
    unsigned long long *there = (unsigned long long *)cpi_host->work_alloc(stream, sizeof far);
    if (!there) return CP_ERROR_MEMORY;
    const cudaStream_t to = cpi_cuda_stream(stream);
    cp_code code = cpi_cuda_check(stream, cudaMemsetAsync(there, 0, sizeof far, to), name);
    if (!code) {
        wrap_indices<<<(unsigned)cpi_ceil_div(n, CPI_THREADS), CPI_THREADS, 0, to>>>(position, n, size, wrapped,
                                                                                           there);
        code = CPI_LAUNCHED(stream, name);
    }
    if (!code && !cpi_cuda_captured(stream)) code = cpi_cuda_read(stream, far, there, sizeof far);
    cpi_host->work_free(stream, there);
    if (code || !(far[0] | far[1])) return code;
    const int64_t worst = (int64_t)(far[0] ? far[0] - 1 + (uint64_t)size : 0 - (uint64_t)size - far[1]);
    return cpi_host->fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis 0 with size %lld", name,
                          (long long)worst, (long long)size);
}

cp_code cpi_index_cuda_at_once(cp_stream *stream, const cpi_indexed *p)
{
    const char *name = cpi_cuda_rows[p->op].name;
    const void *kernel = kernel_of(p->type);
    if (!kernel) return cpi_host->fail(CP_ERROR_INTERNAL, "%s: no kernel for this type", name);
    if (!p->n) return CP_OK;
    at_args a = {join_of(p->op, cpi_is_int(p->type)), p->x, p->position, p->v, p->x_n, p->n, p->v_step, nullptr,
                 cpi_cuda_mailbox(stream), cpi_cuda_late(CP_ERROR_INDEX, name, "an index is out of bounds")};
    if (!a.mailbox) return CP_ERROR_MEMORY;
    if (p->n <= FEW) {
        void *list[] = {&a};
        const unsigned threads = p->n < FEW_THREADS ? cpi_round_up((unsigned)p->n, 32) : FEW_THREADS;
        const unsigned result = cpi_cuda_blocks(p->n, threads * EACH, INT32_MAX);
        cudaLaunchKernel(kernel, dim3(result), dim3(threads), list, 0, cpi_cuda_stream(stream));
        return CPI_LAUNCHED(stream, name);
    }
    a.wrong = (unsigned *)cpi_host->work_alloc(stream, sizeof *a.wrong);
    if (!a.wrong) return CP_ERROR_MEMORY;
    const int64_t blocks = cpi_ceil_div(p->n, CPI_THREADS * EACH);
    cp_code code = cpi_cuda_check(stream, cudaMemsetAsync(a.wrong, 0, sizeof *a.wrong, cpi_cuda_stream(stream)), name);
    if (!code) code = cpi_cuda_launch((const void *)look, blocks, &a, stream, name);
    if (!code) code = cpi_cuda_launch(kernel, blocks, &a, stream, name);
    cpi_host->work_free(stream, a.wrong);
    return code;
}
