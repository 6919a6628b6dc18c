/* Products on a GPU. Floating types use cuBLAS, but float64 of few rows and columns uses thin_sm90a.cu. Integers,
 * booleans, dot products, and what cuBLAS does not take, use kernels of our own.
 *
 * A tile of c is 64 x 64. Each of 256 threads keeps 4 x 4 of its sums in registers. 16 columns of a and rows of b (8 of
 * the widest type) at a time are in shared memory while the next ones are loaded. Dot products are cut by their length
 * alone and added in a fixed order, so the same input gives the same bits. */
#include "blas/blas_cuda.h"
#include "cuda/elements.h"
#include "products/thin.h"
#include "products/products.h"
#include "products/split_product.h"

namespace {

struct offsets { int64_t a, b, c; };

__device__ offsets position_of(const cpi_product &p, int64_t i)
{
    offsets o = {0, 0, 0};
    for (int d = p.nbatch - 1; d >= 0; d--) {
        int64_t at = i % p.batch[d];
        i /= p.batch[d];
        o.a += at * p.a_batch[d], o.b += at * p.b_batch[d], o.c += at * p.c_batch[d];
    }
    return o;
}

/* --- how elements are multiplied: Sum is the type of the computation --- */

/* Integers of any width wrap alike, so signed ones are multiplied as unsigned ones. TRUTH: of bools. */
template <class U, bool TRUTH> struct arithmetic {
    typedef U T;
    typedef std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t> Sum;
    static __device__ Sum widen(T x) { return (Sum)x; }
    static __device__ Sum zero() { return 0; }
    static __device__ Sum add(Sum x, Sum y)
    {
        if constexpr (TRUTH) return x | y;
        else return x + y;
    }
    static __device__ Sum madd(Sum s, Sum a, Sum b)
    {
        if constexpr (TRUTH) return s | (a & b);
        else return s + a * b;
    }
    static __device__ Sum conjugated(Sum x) { return x; }
    static __device__ T narrow(Sum x) { return (T)x; }
};

template <class F> __device__ F fused(F a, F b, F s)
{
    if constexpr (sizeof(F) == 4) return __fmaf_rn(a, b, s);
    else return __fma_rn(a, b, s);
}

template <class E> struct floating {
    typedef typename E::T T;
    typedef cpi_wide<T> Sum;
    static __device__ Sum widen(T x) { return cpi_widen(x); }
    static __device__ Sum zero() { return 0; }
    static __device__ Sum add(Sum x, Sum y) { return x + y; }
    static __device__ Sum madd(Sum s, Sum a, Sum b) { return fused(a, b, s); }
    static __device__ Sum conjugated(Sum x) { return x; }
    static __device__ T narrow(Sum x) { return cpi_narrow<T>(x); }
};

template <class E> struct complex_numbers {
    typedef typename E::T T;
    typedef T Sum;
    static __device__ Sum widen(T x) { return x; }
    static __device__ Sum zero() { return {0, 0}; }
    static __device__ Sum add(Sum x, Sum y) { return {x.re + y.re, x.im + y.im}; }
    static __device__ Sum madd(Sum s, Sum a, Sum b)
    {
        s.re = fused(-a.im, b.im, fused(a.re, b.re, s.re));
        s.im = fused(a.im, b.re, fused(a.re, b.im, s.im));
        return s;
    }
    static __device__ Sum conjugated(Sum x) { return {x.re, -x.im}; }
    static __device__ T narrow(Sum x) { return x; }
};

template <class E>
using arithmetic_of = std::conditional_t<E::kind == 'c', complex_numbers<E>,
                                         std::conditional_t<E::kind == 'f', floating<E>,
                                                            arithmetic<typename E::Bits, E::kind == 'b'>>>;

/* --- dot products --- */

enum { THREADS = 256, SEGMENT = 16384, UNROLLED = 4 };

/* The sum of `lanes` threads' values, lanes a power of two up to THREADS, in a fixed order; in all of them up to a
 * warp, else in the first. */
template <class A, int LANES> __device__ typename A::Sum joined(typename A::Sum s)
{
    typedef typename A::Sum Sum;
    __shared__ __align__(16) unsigned char space[(LANES > 1 ? THREADS : 1) * sizeof(Sum)];
    Sum *all = (Sum *)space;
    if constexpr (LANES == 1) return s;
    int lane = threadIdx.x % LANES;
    all[threadIdx.x] = s;
    for (int step = LANES / 2; step > 0; step /= 2) {
        if constexpr (LANES > 32) __syncthreads();
        else __syncwarp();
        if (lane < step) all[threadIdx.x] = s = A::add(s, all[threadIdx.x + step]);
    }
    return s;
}

/* Rows of each matrix times the vector, each in `parts` chunks of `chunk` elements; LANES threads to a chunk. Where
 * there is one chunk the results are c, else `sums`. */
template <class A, int LANES>
__global__ void __launch_bounds__(THREADS) dots(const __grid_constant__ cpi_product p, int64_t total, int64_t parts,
                                                int64_t chunk, typename A::Sum *sums)
{
    typedef typename A::T T;
    int64_t at = (int64_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    bool mine = at < total;
    int64_t i = mine ? at : 0, row = i / parts, from = i % parts * chunk;
    offsets o = position_of(p, row / p.m);
    row %= p.m;
    const T *a = (const T *)p.a + o.a + row * p.a_row + from * p.a_col, *b = (const T *)p.b + o.b + from * p.b_row;
    int64_t n = p.k - from < chunk ? p.k - from : chunk;
    typename A::Sum s[UNROLLED];
    for (int u = 0; u < UNROLLED; u++) s[u] = A::zero();
    if (!mine) n = 0;
    int64_t j = threadIdx.x % LANES;
    for (; j + (UNROLLED - 1) * LANES < n; j += UNROLLED * LANES) {
        T x[UNROLLED], y[UNROLLED];
#pragma unroll
        for (int u = 0; u < UNROLLED; u++) x[u] = a[(j + u * LANES) * p.a_col], y[u] = b[(j + u * LANES) * p.b_row];
#pragma unroll
        for (int u = 0; u < UNROLLED; u++) {
            typename A::Sum w = A::widen(x[u]);
            s[u] = A::madd(s[u], p.conjugate ? A::conjugated(w) : w, A::widen(y[u]));
        }
    }
    for (; j < n; j += LANES) {
        typename A::Sum w = A::widen(a[j * p.a_col]);
        s[0] = A::madd(s[0], p.conjugate ? A::conjugated(w) : w, A::widen(b[j * p.b_row]));
    }
    typename A::Sum all = joined<A, LANES>(A::add(A::add(s[0], s[1]), A::add(s[2], s[3])));
    if (!mine || threadIdx.x % LANES) return;
    if (parts > 1) sums[at] = all;
    else ((T *)p.c)[o.c + row * p.c_row] = A::narrow(all);
}

/* Adds the chunks of each row. */
template <class A>
__global__ void __launch_bounds__(THREADS) finish(const __grid_constant__ cpi_product p, int64_t parts,
                                                  const typename A::Sum *sums)
{
    typename A::Sum s = A::zero();
    int64_t row = blockIdx.x;
    for (int64_t i = threadIdx.x; i < parts; i += THREADS) s = A::add(s, sums[row * parts + i]);
    s = joined<A, THREADS>(s);
    offsets o = position_of(p, row / p.m);
    if (!threadIdx.x) ((typename A::T *)p.c)[o.c + row % p.m * p.c_row] = A::narrow(s);
}

template <class A> cp_code sum_vectors(cp_stream *stream, const cpi_product &p)
{
    int64_t rows = cpi_product_batches(&p) * p.m, chunk = p.k, parts = 1;
    cudaStream_t s = cpi_cuda_stream(stream);
    typename A::Sum *sums = nullptr;
    if (p.k > SEGMENT && rows < 1024) { /* at most 4096 chunks, by the length alone */
        chunk = cpi_ceil_div(p.k, 4096) > SEGMENT ? cpi_ceil_div(p.k, 4096) : SEGMENT;
        parts = cpi_ceil_div(p.k, chunk);
        sums = (typename A::Sum *)cpi_host->work_alloc(stream, (size_t)(rows * parts) * sizeof *sums);
        if (!sums) return CP_ERROR_MEMORY;
    }
    int64_t total = rows * parts;
    int lanes = chunk <= 16 ? 1 : chunk <= 1024 ? 32 : THREADS;
    int64_t blocks = cpi_ceil_div(total, THREADS / lanes);
    if (blocks > INT32_MAX) return cpi_host->fail(CP_ERROR_VALUE, "matmul: more vectors than a GPU takes at once");
    if (lanes == 1) dots<A, 1><<<(unsigned)blocks, THREADS, 0, s>>>(p, total, parts, chunk, sums);
    else if (lanes == 32) dots<A, 32><<<(unsigned)blocks, THREADS, 0, s>>>(p, total, parts, chunk, sums);
    else dots<A, THREADS><<<(unsigned)blocks, THREADS, 0, s>>>(p, total, parts, chunk, sums);
    cp_code code = CPI_LAUNCHED(stream, "matmul");
    if (!code && parts > 1) {
        finish<A><<<(unsigned)rows, THREADS, 0, s>>>(p, parts, sums);
        code = CPI_LAUNCHED(stream, "matmul");
    }
    cpi_host->work_free(stream, sums);
    return code;
}

/* --- matrices of any type and layout --- */

enum { EDGE = 64, OWN = 4 };
template <class Sum> constexpr int depth_for = sizeof(Sum) > 8 ? 8 : 16; /* 48 KiB of shared memory are available */

/* A thread's share of EDGE x DEPTH elements of an operand: adjacent threads read adjacent memory. */
template <int DEPTH> struct share_of {
    static constexpr int LOADS = EDGE * DEPTH / THREADS;
    int at[LOADS], deep[LOADS];
    __device__ share_of(bool along)
    {
#pragma unroll
        for (int l = 0; l < LOADS; l++) {
            int e = threadIdx.x + l * THREADS;
            at[l] = along ? e / DEPTH : e % EDGE;
            deep[l] = along ? e % DEPTH : e / EDGE;
        }
    }
};

template <class A>
__global__ void __launch_bounds__(THREADS) tiles(const __grid_constant__ cpi_product p, int64_t tiles_n,
                                                 int64_t batches)
{
    typedef typename A::T T;
    typedef typename A::Sum Sum;
    constexpr int DEPTH = depth_for<Sum>, LOADS = share_of<DEPTH>::LOADS;
    __shared__ __align__(16) Sum as[2][DEPTH][EDGE + 4], bs[2][DEPTH][EDGE + 4];
    int64_t row = blockIdx.x / tiles_n * EDGE, col = blockIdx.x % tiles_n * EDGE;
    int y = threadIdx.x / 16 * OWN, x = threadIdx.x % 16 * OWN;
    share_of<DEPTH> ours_a(p.a_col == 1), ours_b(p.b_row == 1 && p.b_col != 1);
    for (int64_t batch = blockIdx.z; batch < batches; batch += gridDim.z) {
        offsets o = position_of(p, batch);
        const T *a = (const T *)p.a + o.a, *b = (const T *)p.b + o.b;
        T next_a[LOADS], next_b[LOADS];
        auto fetch = [&](int64_t from) {
#pragma unroll
            for (int l = 0; l < LOADS; l++) {
                int64_t r = row + ours_a.at[l], c = col + ours_b.at[l];
                int64_t ka = from + ours_a.deep[l], kb = from + ours_b.deep[l];
                next_a[l] = r < p.m && ka < p.k ? a[r * p.a_row + ka * p.a_col] : T{};
                next_b[l] = c < p.n && kb < p.k ? b[kb * p.b_row + c * p.b_col] : T{};
            }
        };
        auto put = [&](int half) {
#pragma unroll
            for (int l = 0; l < LOADS; l++) {
                as[half][ours_a.deep[l]][ours_a.at[l]] = A::widen(next_a[l]);
                bs[half][ours_b.deep[l]][ours_b.at[l]] = A::widen(next_b[l]);
            }
        };
        Sum sum[OWN][OWN];
#pragma unroll
        for (int i = 0; i < OWN * OWN; i++) sum[i / OWN][i % OWN] = A::zero();
        fetch(0);
        put(0);
        __syncthreads();
        int half = 0;
        for (int64_t from = 0; from < p.k; from += DEPTH, half ^= 1) {
            bool more = from + DEPTH < p.k;
            if (more) fetch(from + DEPTH);
#pragma unroll
            for (int d = 0; d < DEPTH; d++) {
                Sum u[OWN], v[OWN];
#pragma unroll
                for (int i = 0; i < OWN; i++) u[i] = as[half][d][y + i], v[i] = bs[half][d][x + i];
#pragma unroll
                for (int i = 0; i < OWN; i++)
#pragma unroll
                    for (int j = 0; j < OWN; j++) sum[i][j] = A::madd(sum[i][j], u[i], v[j]);
            }
            if (more) put(half ^ 1);
            __syncthreads();
        }
        T *c = (T *)p.c + o.c;
#pragma unroll
        for (int i = 0; i < OWN; i++)
#pragma unroll
            for (int j = 0; j < OWN; j++)
                if (row + y + i < p.m && col + x + j < p.n)
                    c[(row + y + i) * p.c_row + col + x + j] = A::narrow(sum[i][j]);
    }
}

template <class A> cp_code multiply_tiles(cp_stream *stream, const cpi_product &p)
{
    int64_t tiles_m = cpi_ceil_div(p.m, EDGE), tiles_n = cpi_ceil_div(p.n, EDGE), batches = cpi_product_batches(&p);
    if (tiles_m > INT32_MAX / tiles_n)
        return cpi_host->fail(CP_ERROR_VALUE, "matmul: a matrix of more tiles than a GPU takes at once");
    dim3 grid((unsigned)(tiles_m * tiles_n), 1, (unsigned)(batches < 65535 ? batches : 65535));
    tiles<A><<<grid, THREADS, 0, cpi_cuda_stream(stream)>>>(p, tiles_n, batches);
    return CPI_LAUNCHED(stream, "matmul");
}

/* --- matrices of floating numbers --- */

cudaDataType_t library_type(cp_type t)
{
    return t == CP_FLOAT16    ? CUDA_R_16F
           : t == CP_BFLOAT16 ? CUDA_R_16BF
           : t == CP_FLOAT32  ? CUDA_R_32F
           : t == CP_FLOAT64  ? CUDA_R_64F
           : t == CP_COMPLEX64 ? CUDA_C_32F
                               : CUDA_C_64F;
}

const float ones_f[2] = {1, 0}, zeros_f[2] = {0, 0};
const double ones[2] = {1, 0}, zeros[2] = {0, 0};

/* A matrix times a vector, alone. */
cublasStatus_t by_vector(const cpi_cublas_use &u, const cpi_product &p)
{
    bool transposed = p.a_col == 1; /* a is row-major, cuBLAS wants columns */
    cublasOperation_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    int64_t rows = transposed ? p.k : p.m, cols = transposed ? p.m : p.k, pitch = transposed ? p.a_row : p.a_col;
    if (p.type == CP_FLOAT32)
        return u.call->cublasSgemv_v2_64(u.handle, op, rows, cols, ones_f, (const float *)p.a, pitch,
                                         (const float *)p.b, p.b_row, zeros_f, (float *)p.c, 1);
    if (p.type == CP_FLOAT64)
        return u.call->cublasDgemv_v2_64(u.handle, op, rows, cols, ones, (const double *)p.a, pitch,
                                         (const double *)p.b, p.b_row, zeros, (double *)p.c, 1);
    if (p.type == CP_COMPLEX64)
        return u.call->cublasCgemv_v2_64(u.handle, op, rows, cols, (const cuComplex *)ones_f, (const cuComplex *)p.a,
                                         pitch, (const cuComplex *)p.b, p.b_row, (const cuComplex *)zeros_f,
                                         (cuComplex *)p.c, 1);
    return u.call->cublasZgemv_v2_64(u.handle, op, rows, cols, (const cuDoubleComplex *)ones,
                                     (const cuDoubleComplex *)p.a, pitch, (const cuDoubleComplex *)p.b, p.b_row,
                                     (const cuDoubleComplex *)zeros, (cuDoubleComplex *)p.c, 1);
}

/* Where the i-th of the batch's other axes begins. */
offsets place_of_others(const cpi_product &p, int axis, int64_t i)
{
    offsets o = {0, 0, 0};
    for (int d = p.nbatch - 1; d >= 0; d--) {
        if (d == axis) continue;
        int64_t at = i % p.batch[d];
        i /= p.batch[d];
        o.a += at * p.a_batch[d], o.b += at * p.b_batch[d], o.c += at * p.c_batch[d];
    }
    return o;
}

/* One axis of the batch: Fortran's order, in which c is its transpose, c' = b' a'. */
cublasStatus_t by_matrices(const cpi_cublas_use &u, const cpi_product &p, int axis, const offsets &o)
{
    int64_t item = cpi_itemsize(p.type);
    const char *a = (const char *)p.a + o.a * item, *b = (const char *)p.b + o.b * item;
    char *c = (char *)p.c + o.c * item;
    bool wide = p.type == CP_FLOAT64 || p.type == CP_COMPLEX128;
    const void *one = wide ? (const void *)ones : ones_f, *zero = wide ? (const void *)zeros : zeros_f;
    cublasComputeType_t compute = wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    cudaDataType_t type = library_type(p.type);
    cublasOperation_t of_b = p.b_col == 1 ? CUBLAS_OP_N : CUBLAS_OP_T, of_a = p.a_col == 1 ? CUBLAS_OP_N : CUBLAS_OP_T;
    int64_t pitch_b = p.b_col == 1 ? p.b_row : p.b_col, pitch_a = p.a_col == 1 ? p.a_row : p.a_col;
    if (axis < 0)
        return u.call->cublasGemmEx_64(u.handle, of_b, of_a, p.n, p.m, p.k, one, b, type, pitch_b, a, type, pitch_a,
                                       zero, c, type, p.c_row, compute, CUBLAS_GEMM_DEFAULT);
    return u.call->cublasGemmStridedBatchedEx_64(
        u.handle, of_b, of_a, p.n, p.m, p.k, one, b, type, pitch_b, p.b_batch[axis], a, type, pitch_a, p.a_batch[axis],
        zero, c, type, p.c_row, p.c_batch[axis], p.batch[axis], compute, CUBLAS_GEMM_DEFAULT);
}

/* The batch axis that the library takes, the longest; -1: none. It does not take a negative stride. */
int axis_of_library(const cpi_product &p)
{
    int axis = -1;
    for (int d = 0; d < p.nbatch; d++)
        if (p.a_batch[d] >= 0 && p.b_batch[d] >= 0 && (axis < 0 || p.batch[d] >= p.batch[axis])) axis = d;
    return axis;
}

/* Are operands and result aligned for the library? Complex numbers may lie at any multiple of a part. */
bool aligned(const cpi_product &p)
{
    return ((uintptr_t)p.a | (uintptr_t)p.b | (uintptr_t)p.c) % (uintptr_t)cpi_itemsize(p.type) == 0;
}

/* Sets `done` to whether the library took all of it; what it does not support is left to other kernels. */
cp_code by_library(cp_stream *stream, const cpi_product &p, bool *done)
{
    enum { MANY = 32 };
    cpi_cublas_use u;
    const int axis = axis_of_library(p); /* we loop over the other axes */
    const int64_t others = cpi_product_batches(&p) / (axis < 0 ? 1 : p.batch[axis]);
    *done = false;
    if (!aligned(p) || (others > MANY && p.m * p.n <= EDGE * EDGE)) return CP_OK; /* call overhead dominates */
    cp_code code = cpi_cublas_take("matmul", stream, &u);
    if (code) return code;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    const bool vector = !p.nbatch && p.n == 1 && !cpi_is_half(p.type);
    if (vector) status = by_vector(u, p);
    for (int64_t i = 0; !vector && i < others && !status; i++) {
        status = by_matrices(u, p, axis, place_of_others(p, axis, i));
    }
    *done = status != CUBLAS_STATUS_NOT_SUPPORTED && status != CUBLAS_STATUS_ARCH_MISMATCH;
    return cpi_cublas_give("matmul", &u, *done ? status : CUBLAS_STATUS_SUCCESS);
}

/* Float32 on tensor cores, in full precision; `done` as above. */
cp_code by_parts(cp_stream *stream, const cpi_product &p, bool *done)
{
    const int axis = axis_of_library(p);
    const int64_t others = cpi_product_batches(&p) / (axis < 0 ? 1 : p.batch[axis]);
    *done = false;
    if (p.type != CP_FLOAT32 || !aligned(p) || cpi_cublas_tf32()) return CP_OK;
    cpi_product q = p;
    q.nbatch = axis < 0 ? 0 : 1;
    if (axis >= 0)
        q.batch[0] = p.batch[axis], q.a_batch[0] = p.a_batch[axis], q.b_batch[0] = p.b_batch[axis],
        q.c_batch[0] = p.c_batch[axis];
    cp_code code = CP_OK;
    for (int64_t i = 0; i < others && !code; i++) {
        offsets o = place_of_others(p, axis, i);
        q.a = (const float *)p.a + o.a, q.b = (const float *)p.b + o.b, q.c = (float *)p.c + o.c;
        code = cpi_split_product(stream, q, done);
        if (!*done) return code;
    }
    return code;
}

} // namespace

/* So few multiplications that the library, whose opening is most of a program's first product, is not worth it. */
static bool is_few(const cpi_product &p)
{
    const int64_t deepest = p.type == CP_COMPLEX128 ? 32 : p.type == CP_COMPLEX64 ? 64 : 128;
    if (p.n > 1 && p.k > deepest) return false; /* a tile sums from end to end */
    return (double)cpi_product_batches(&p) * (double)p.m * (double)p.n * (double)p.k <= 1 << 18;
}

cp_code cpi_products_cuda_product(cp_stream *stream, const cpi_product *given)
{
    cpi_product p = *given;
    if (p.n == 1) p.c_row = 1;
    return cpi_with_type(p.type, [&](auto e) -> cp_code {
        typedef decltype(e) E;
        typedef arithmetic_of<E> A;
        const bool few = is_few(p);
        if (p.n == 1 && (p.m == 1 || few)) return sum_vectors<A>(stream, p);
        if constexpr (E::kind == 'f' || E::kind == 'c') {
            bool done = false;
            cp_code code = p.type == CP_FLOAT64 && aligned(p) ? cpi_thin_product(stream, p, &done) : CP_OK;
            if (few && !code && !done) return multiply_tiles<A>(stream, p);
            if (!code && !done) code = by_parts(stream, p, &done);
            if (code || done) return code;
            code = by_library(stream, p, &done);
            if (code || done) return code;
        }
        return p.n == 1 && p.a_col == 1 ? sum_vectors<A>(stream, p) : multiply_tiles<A>(stream, p);
    });
}

