/* The kernels of multiply_cuda.cu. It includes no header, so that tests can compile it as a user's kernels. */

template <class V> static __device__ __forceinline__ V moved(V v, int lanes)
{
    union {
        V v;
        uint32_t words[(sizeof(V) + 3) / 4];
    } u;
    u.words[0] = 0;
    u.v = v;
#pragma unroll
    for (int w = 0; w < (int)((sizeof(V) + 3) / 4); w++) u.words[w] = __shfl_xor_sync(0xffffffffu, u.words[w], lanes);
    return u.v;
}
template <class V, class I, int LANES> static __device__ void rows_times_vector_of(const cpi_sparse_multiply &m)
{
    const I *p = (const I *)m.a.indptr, *x = (const I *)m.a.indices;
    const V *v = (const V *)m.a.data, *in = (const V *)m.x;
    const int64_t r = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / LANES;
    const int lane = (int)(threadIdx.x % LANES);
    V sum;
    memset(&sum, 0, sizeof sum);
    if (r < m.a.rows) {
        const int64_t last = p[r + 1];
        if (in)
            for (int64_t i = p[r] + lane; i < last; i += LANES) sum = cpi_sp_add(sum, cpi_sp_mul(v[i], in[x[i]]));
        else
            for (int64_t i = p[r] + lane; i < last; i += LANES) sum = cpi_sp_add(sum, v[i]);
    }
#pragma unroll
    for (int half = LANES / 2; half; half /= 2) sum = cpi_sp_add(sum, moved(sum, half));
    if (r < m.a.rows && !lane) ((V *)m.y)[r] = sum;
}
template <class V, class I> static __device__ void rows_times_columns_of(const cpi_sparse_multiply &m)
{
    const I *p = (const I *)m.a.indptr, *x = (const I *)m.a.indices;
    const V *v = (const V *)m.a.data, *in = (const V *)m.x;
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < m.a.rows * m.k; t += step) {
        const int64_t r = t / m.k, c = t - r * m.k;
        V sum;
        memset(&sum, 0, sizeof sum);
        for (int64_t i = p[r]; i < p[r + 1]; i++) sum = cpi_sp_add(sum, cpi_sp_mul(v[i], in[(int64_t)x[i] * m.k + c]));
        ((V *)m.y)[t] = sum;
    }
}
enum { LONG = 64, PARTS = 4 };

template <class V> static __device__ __forceinline__ V from_lane(V v, int lane)
{
    union {
        V v;
        uint32_t words[(sizeof(V) + 3) / 4];
    } u;
    u.words[0] = 0;
    u.v = v;
#pragma unroll
    for (int w = 0; w < (int)((sizeof(V) + 3) / 4); w++) u.words[w] = __shfl_sync(0xffffffffu, u.words[w], lane);
    return u.v;
}
/* The first of places begin..end-1 whose index is not below `least`. */
template <class I> static __device__ int64_t first_from(const I *x, int64_t begin, int64_t end, int64_t least)
{
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (x[middle] < least) begin = middle + 1;
        else end = middle;
    }
    return begin;
}
/* Rows of the transpose, whose indices ascend: the sums of the parts, which are of `each` indices, then theirs. A
 * thread has a row; a long one is left to the block, a warp for each part: its products come 32 at a time, and are
 * added one after the other all the same. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
parts_times_vector(int64_t rows, int64_t each, int64_t parts, const I *p, const I *x, const V *v, const V *in, V *y)
{
    __shared__ int64_t list[THREADS];
    __shared__ int listed;
    __shared__ V sums[PARTS];
    const int64_t mine = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    V total;
    if (!threadIdx.x) listed = 0;
    __syncthreads();
    if (mine < rows && p[mine + 1] - p[mine] > LONG) list[atomicAdd(&listed, 1)] = mine;
    else if (mine < rows) {
        int64_t i = p[mine];
        for (int64_t part = 0; part < parts; part++) {
            V sum;
            memset(&sum, 0, sizeof sum);
            for (; i < p[mine + 1] && x[i] < (part + 1) * each; i++)
                sum = cpi_sp_add(sum, in ? cpi_sp_mul(v[i], in[x[i]]) : v[i]);
            total = part ? cpi_sp_add(total, sum) : sum;
        }
        y[mine] = total;
    }
    __syncthreads();
    for (int l = 0; l < listed; l++) {
        const int64_t r = list[l];
        if (warp < parts) {
            const int64_t begin = first_from(x, p[r], p[r + 1], warp * each);
            const int64_t end = first_from(x, begin, p[r + 1], (warp + 1) * each);
            V sum, product;
            memset(&sum, 0, sizeof sum);
            memset(&product, 0, sizeof product);
            for (int64_t base = begin; base < end; base += 32) {
                const int64_t i = base + lane;
                if (i < end) product = in ? cpi_sp_mul(v[i], in[x[i]]) : v[i];
                const int count = (int)(end - base < 32 ? end - base : 32);
                for (int k = 0; k < count; k++) sum = cpi_sp_add(sum, from_lane(product, k));
            }
            if (!lane) sums[warp] = sum;
        }
        __syncthreads();
        if (!threadIdx.x) {
            total = sums[0];
            for (int part = 1; part < parts; part++) total = cpi_sp_add(total, sums[part]);
            y[r] = total;
        }
        __syncthreads();
    }
}
