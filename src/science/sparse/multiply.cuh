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
/* A thread has an element of the result. */
template <class V, class I> static __device__ void blocks_times_columns_of(const cpi_sparse_blocks &b)
{
    const I *p = (const I *)b.a.indptr, *x = (const I *)b.a.indices;
    const int64_t step = (int64_t)gridDim.x * THREADS, line = b.height * b.k;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < b.a.rows * line; t += step) {
        const int64_t r = t / line, h = t % line / b.k, c = t % b.k;
        V sum;
        memset(&sum, 0, sizeof sum);
        for (int64_t i = p[r]; i < p[r + 1]; i++) {
            const V *v = (const V *)b.a.data + (i * b.height + h) * b.width;
            const V *in = (const V *)b.x + (int64_t)x[i] * b.width * b.k + c;
            for (int64_t w = 0; w < b.width; w++) sum = cpi_sp_add(sum, cpi_sp_mul(v[w], in[w * b.k]));
        }
        ((V *)b.y)[t] = sum;
    }
}
template <class V, class I> static __device__ void diagonals_times_columns_of(const cpi_sparse_diagonals &d)
{
    const int64_t step = (int64_t)gridDim.x * THREADS, most = d.length < d.columns ? d.length : d.columns;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < d.rows * d.k; t += step) {
        const int64_t r = t / d.k, c = t - r * d.k;
        V sum;
        memset(&sum, 0, sizeof sum);
        for (int64_t i = 0; i < d.count; i++) {
            const int64_t offset = ((const I *)d.offsets)[i];
            if (offset < -r || offset >= most - r) continue;
            sum = cpi_sp_add(sum, cpi_sp_mul(((const V *)d.data)[i * d.length + r + offset],
                                             ((const V *)d.x)[(r + offset) * d.k + c]));
        }
        ((V *)d.y)[t] = sum;
    }
}
