/* The kernels of formats_cuda.cu. It includes no header, so that tests can compile it as a user's kernels. */

/* A thread has a line of the diagonals. */
template <class V, class I> static __device__ void spans_count_of(const cpi_sparse_spans &s)
{
    const int64_t r = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (r >= s.lines) return;
    int64_t n = 0;
    for (const int64_t *span = s.spans; span < s.spans + s.count * CPI_SPAN_NUMBERS; span += CPI_SPAN_NUMBERS)
        n += r >= span[CPI_SPAN_FIRST] && r < span[CPI_SPAN_END] &&
             cpi_sp_is(((const V *)s.data)[span[CPI_SPAN_AT] + r]);
    s.ends[r + 1] = n;
}
template <class V, class I> static __device__ void spans_fill_of(const cpi_sparse_spans &s)
{
    const int64_t r = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (r >= s.lines) return;
    int64_t at = s.ends[r];
    for (const int64_t *span = s.spans; span < s.spans + s.count * CPI_SPAN_NUMBERS; span += CPI_SPAN_NUMBERS) {
        if (r < span[CPI_SPAN_FIRST] || r >= span[CPI_SPAN_END]) continue;
        const V v = ((const V *)s.data)[span[CPI_SPAN_AT] + r];
        if (!cpi_sp_is(v)) continue;
        ((I *)s.indices)[at] = (I)(span[CPI_SPAN_INDEX] + r);
        ((V *)s.out)[at++] = v;
    }
}
/* A warp has a row of the result. */
template <class V, class I> static __device__ void untile_of(const cpi_sparse_tiles &t)
{
    const I *p = (const I *)t.a.indptr, *x = (const I *)t.a.indices;
    const int64_t row = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 32, r = row / t.height, h = row % t.height;
    const int64_t all = t.a.rows * t.height, lane = threadIdx.x % 32;
    if (!row && !lane) ((I *)t.indptr)[all] = (I)(t.a.nnz * t.height * t.width);
    if (row >= all) return;
    const int64_t first = p[r], line = (p[r + 1] - first) * t.width, at = first * t.height * t.width + h * line;
    if (!lane) ((I *)t.indptr)[row] = (I)at;
    for (int64_t e = lane; e < line; e += 32) {
        const int64_t i = first + e / t.width, w = e % t.width;
        ((I *)t.indices)[at + e] = (I)(x[i] * t.width + w);
        ((V *)t.data)[at + e] = ((const V *)t.a.data)[(i * t.height + h) * t.width + w];
    }
}
