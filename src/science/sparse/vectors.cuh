/* The kernels of vectors_cuda.cu: a solver's vectors. It includes no header, so that tests can compile it as a user's
 * kernels. A block has a chunk of vectors, or a warp a chunk of a row; sums are those of the CPU. */

template <class V> struct element { /* real */
    enum { WIDTH = 1 };
    static __device__ __forceinline__ V zero() { return 0; }
    static __device__ __forceinline__ V add(V a, V b) { return a + b; }
    static __device__ __forceinline__ V dot(V a, V b) { return a * b; }
    static __device__ __forceinline__ V times(V a, cpi_number f) { return a * (V)f.re; }
    static __device__ __forceinline__ cpi_number number(V a)
    {
        cpi_number r;
        r.re = (double)a, r.im = 0;
        return r;
    }
};
template <class V, class T> struct complex_element {
    enum { WIDTH = 2 };
    static __device__ __forceinline__ V of(T re, T im)
    {
        V r;
        r.re = re, r.im = im;
        return r;
    }
    static __device__ __forceinline__ V zero() { return of(0, 0); }
    static __device__ __forceinline__ V add(V a, V b) { return of(a.re + b.re, a.im + b.im); }
    static __device__ __forceinline__ V dot(V a, V b)
    {
        return of(a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re);
    }
    static __device__ __forceinline__ V times(V a, cpi_number f)
    {
        const T re = (T)f.re, im = (T)f.im;
        return of(a.re * re - a.im * im, a.re * im + a.im * re);
    }
    static __device__ __forceinline__ cpi_number number(V a)
    {
        cpi_number r;
        r.re = (double)a.re, r.im = (double)a.im;
        return r;
    }
};
template <> struct element<cp_complex64> : complex_element<cp_complex64, float> {};
template <> struct element<cp_complex128> : complex_element<cp_complex128, double> {};

enum { FINISH_THREADS = 1024, DOT_ROWS = 8, SUBTRACT_THREADS = 512, PASS_THREADS = 256, GRAM_SHARED = 4096 };

/* Products that were summed in chunks, and what is made of them. */
typedef struct finish_job {
    cpi_sparse_basis b;
    int64_t products, chunks;
    const cpi_number *partial;  /* of product k and chunk c: partial[k * chunks + c] */
    void *numbers;
    bool root, measure, count;
    double *state, limit;
    int turn;
    void *all;
} finish_job;

static __device__ __forceinline__ cpi_number tree(cpi_number x)
{
#pragma unroll
    for (int half = 16; half; half /= 2) {
        x.re += __shfl_xor_sync(0xffffffffu, x.re, half);
        x.im += __shfl_xor_sync(0xffffffffu, x.im, half);
    }
    return x;
}
static __device__ __forceinline__ int64_t chunk_length(int64_t n, int64_t chunk)
{
    const int64_t left = n - chunk * CPI_SPARSE_CHUNK;
    return left < CPI_SPARSE_CHUNK ? left : CPI_SPARSE_CHUNK;
}
/* The product of a warp's chunk; `last`: that with another vector too. */
template <class V>
static __device__ __forceinline__ void dot_chunk(const V *row, const V *x, const V *last, int n, cpi_number *to,
                                                 cpi_number *also)
{
    using E = element<V>;
    V sum = E::zero(), other = E::zero();
    const int lane = (int)(threadIdx.x % 32);
#pragma unroll 8
    for (int i = lane; i < n; i += 32) {
        const V v = row[i];
        sum = E::add(sum, E::dot(v, x[i]));
        if (last) other = E::add(other, E::dot(v, last[i]));
    }
    const cpi_number s = tree(E::number(sum)), o = tree(E::number(other));
    if (!lane) *to = s;
    if (!lane && last) *also = o;
}
template <class V> static __device__ void basis_dots_of(const cpi_sparse_basis &b, int64_t chunks, cpi_number *partial)
{
    const int64_t c = blockIdx.x, at = c * CPI_SPARSE_CHUNK;
    const int64_t i = (int64_t)blockIdx.y * DOT_ROWS + threadIdx.x / 32;
    if (i >= b.count) return;
    const bool both = b.last && i + 1 < b.count;
    dot_chunk<V>((const V *)b.rows + i * b.step + at, (const V *)b.x + at, both ? (const V *)b.last + at : (const V *)0,
                 (int)chunk_length(b.n, c), partial + i * chunks + c, partial + (b.count + i) * chunks + c);
}
/* Coefficients of modified Gram and Schmidt's method (vectors_cpu.c): a column of the triangle at a time. */
template <int WIDTH> static __device__ void modify_by_block(const cpi_sparse_basis &b, double *gram)
{
    const int64_t size = b.count * WIDTH, step = b.gram_step * WIDTH;
    const bool near = b.count * size <= GRAM_SHARED;
    if (near)
        for (int64_t i = threadIdx.x; i < b.count * size; i += blockDim.x)
            gram[i] = ((const double *)b.gram)[i / size * step + i % size];
    const void *from = near ? (const void *)gram : b.gram;
    const int64_t line = near ? b.count : b.gram_step;
    __syncthreads();
    for (int64_t k = 0; k + 1 < b.count; k++) {
        const cpi_number x = cpi_number_at(b.numbers, k, WIDTH);
        for (int64_t i = k + 1 + threadIdx.x; i < b.count; i += blockDim.x) {
            const cpi_number g = cpi_number_times(cpi_number_at(from, i * line + k, WIDTH), x, WIDTH);
            cpi_number h = cpi_number_at(b.numbers, i, WIDTH);
            h.re -= g.re, h.im -= g.im;
            cpi_number_put(b.numbers, i, WIDTH, h);
        }
        __syncthreads();
    }
}
/* One block: a warp sums the chunks of a product. */
template <int WIDTH> static __device__ void finish_of(const finish_job &j)
{
    __shared__ double gram[GRAM_SHARED];
    const int64_t warps = blockDim.x / 32;
    const int lane = (int)(threadIdx.x % 32);
    for (int64_t p = threadIdx.x / 32; p < j.products; p += warps) {
        cpi_number sum;
        sum.re = sum.im = 0;
        if (p < j.b.count || !j.b.last || p + 1 < j.products)
            for (int64_t c = lane; c < j.chunks; c += 32) sum = cpi_number_add(sum, j.partial[p * j.chunks + c]);
        sum = tree(sum);
        if (lane) continue;
        if (!p && j.measure) cpi_state_next(j.state, j.count, j.limit, sum);
        if (j.root) sum.re = sqrt(sum.re), sum.im = 0;
        if (!j.b.last || p < j.b.count) cpi_number_put(j.numbers, p, WIDTH, sum);
        else if (p + 1 < j.products) {
            sum.im = -sum.im;
            cpi_number_put(j.b.gram, (j.b.count - 1) * j.b.gram_step + p - j.b.count, WIDTH, sum);
        }
    }
    __syncthreads();
    if (j.turn && !threadIdx.x) cpi_solver_turn(j.turn, j.state, j.all, WIDTH);
    if (j.b.last) modify_by_block<WIDTH>(j.b, gram);
    if (!j.b.total) return;
    for (int64_t i = threadIdx.x; i < j.b.count; i += blockDim.x)
        cpi_number_put(j.b.total, i, WIDTH, cpi_number_add(cpi_number_at(j.b.total, i, WIDTH),
                                                           cpi_number_at(j.b.numbers, i, WIDTH)));
}
template <class V> static __device__ void basis_subtract_of(const cpi_sparse_basis &b, cpi_number *partial)
{
    using E = element<V>;
    const int64_t c = blockIdx.x, at = c * CPI_SPARSE_CHUNK;
    const int n = (int)chunk_length(b.n, c);
    const V *x = (const V *)b.x + at, *rows = (const V *)b.rows + at;
    V *to = (V *)b.to + at;
    for (int e = (int)threadIdx.x; e < n; e += SUBTRACT_THREADS) {
        V sum = x[e];
#pragma unroll 8
        for (int64_t i = 0; i < b.count; i++) {
            cpi_number h = cpi_number_at(b.numbers, i, E::WIDTH);
            h.re = -h.re, h.im = -h.im;
            sum = E::add(sum, E::times(rows[i * b.step + e], h));
        }
        to[e] = sum;
    }
    if (!partial) return;
    __syncthreads();
    if (threadIdx.x < 32) dot_chunk<V>(to, to, (const V *)0, n, partial + c, (cpi_number *)0);
}
template <class V> static __device__ void pass_of(const cpi_sparse_pass &p, int64_t chunks, cpi_number *partial)
{
    using E = element<V>;
    __shared__ cpi_number by[CPI_SPARSE_SUMS][CPI_SPARSE_TERMS];
    const int64_t c = blockIdx.x, at = c * CPI_SPARSE_CHUNK;
    const int n = (int)chunk_length(p.n, c), mine = (int)threadIdx.x;
    if (mine < p.sums * CPI_SPARSE_TERMS && mine % CPI_SPARSE_TERMS < p.sum[mine / CPI_SPARSE_TERMS].terms)
        by[mine / CPI_SPARSE_TERMS][mine % CPI_SPARSE_TERMS] = cpi_factor_value(
            &p.sum[mine / CPI_SPARSE_TERMS].by[mine % CPI_SPARSE_TERMS], p.state, E::WIDTH);
    __syncthreads();
    for (int e = mine; e < n; e += PASS_THREADS)
        for (int s = 0; s < p.sums; s++) {
            V sum = E::times(((const V *)p.sum[s].x[0])[at + e], by[s][0]);
            for (int t = 1; t < p.sum[s].terms; t++)
                sum = E::add(sum, E::times(((const V *)p.sum[s].x[t])[at + e], by[s][t]));
            ((V *)p.sum[s].to)[at + e] = sum;
        }
    __syncthreads();
    const int d = mine / 32;
    if (d < p.dots)
        dot_chunk<V>((const V *)p.left[d] + at, (const V *)p.right[d] + at, (const V *)0, n, partial + d * chunks + c,
                     (cpi_number *)0);
}
