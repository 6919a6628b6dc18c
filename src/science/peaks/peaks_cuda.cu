/* Peaks on the GPU: a thread for each element or peak. By distance they are chosen on the host, one after the other. */
#include "cuda/cuda.h"
#include "peaks/levels.cuh"
#include "peaks/look.h"

namespace {

enum { THREADS = 256 };

__global__ void __launch_bounds__(THREADS) find_rises(int64_t n, const double *x, uint8_t *mask)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) mask[i] = cpi_rises(x, n, i);
}
__global__ void __launch_bounds__(THREADS)
find_ends(int64_t n, const double *x, int64_t count, const int64_t *left, int64_t *right)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count) right[i] = cpi_plateau_end(x, n, left[i]);
}
__global__ void __launch_bounds__(CPI_LEVEL_THREADS) build_levels(const __grid_constant__ cpi_level_step s)
{
    cpi_level_build(s);
}
template <class I>
__global__ void __launch_bounds__(THREADS)
find_prominences(const __grid_constant__ cpi_peaks p, const __grid_constant__ cpi_levels levels)
{
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= p.count) return;
    int64_t first, last;
    const int64_t at = cpi_peak_window(&p, k, &first, &last);
    const double left = cpi_level_search<-1>(levels, (I)at, (I)first, p.left + k);
    const double right = cpi_level_search<1>(levels, (I)at, (I)last, p.right + k);
    p.prominence[k] = p.x[at] - (left > right ? left : right);
}
__global__ void __launch_bounds__(THREADS) find_widths(const __grid_constant__ cpi_peaks p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < p.count) cpi_peak_width(&p, i);
}

static unsigned blocks(int64_t n) { return cpi_cuda_blocks(n, THREADS, 0x7fffffff); }

} // namespace

cp_code cpi_peaks_cuda_rises(cp_stream *stream, int64_t n, const double *x, uint8_t *mask)
{
    find_rises<<<blocks(n), THREADS, 0, cpi_cuda_stream(stream)>>>(n, x, mask);
    return CPI_LAUNCHED(stream, "find_peaks");
}

cp_code cpi_peaks_cuda_ends(cp_stream *stream, int64_t n, const double *x, int64_t count, const int64_t *left,
                            int64_t *right)
{
    find_ends<<<blocks(count), THREADS, 0, cpi_cuda_stream(stream)>>>(n, x, count, left, right);
    return CPI_LAUNCHED(stream, "find_peaks");
}

cp_code cpi_peaks_cuda_prominences(cp_stream *stream, const cpi_peaks *p)
{
    const char *name = "peak_prominences";
    cpi_levels levels = {p->x, p->n, 1};
    const int64_t most = p->n / 7 + 3 * CPI_LEVELS; /* an eighth, an eighth of that, ... */
    cpi_low_high *work = (cpi_low_high *)cpi_host->work_alloc(stream, sizeof(cpi_low_high) * (size_t)most);
    if (!work) return CP_ERROR_MEMORY;
    cpi_low_high *next = work;
    cp_code code = CP_OK;
    for (int64_t count = p->n; count > 8 && code == CP_OK && levels.levels + 3 <= CPI_LEVELS;) {
        const int k = levels.levels;
        cpi_level_step step = {count, k > 1 ? nullptr : p->x, levels.of[k - 1]};
        const unsigned each = cpi_cuda_blocks(count, CPI_LEVEL_THREADS, 0x7fffffff);
        for (int i = 0; i < 3; i++) {
            if (count > 8) levels.of[levels.levels++] = next; /* so that twice n holds 8^k */
            step.to[i] = next;
            count = cpi_ceil_div(count, 8);
            next += count;
        }
        build_levels<<<each, CPI_LEVEL_THREADS, 0, cpi_cuda_stream(stream)>>>(step);
        code = CPI_LAUNCHED(stream, name);
    }
    if (code == CP_OK) {
        const auto kernel = p->n < 1 << 30 ? find_prominences<int> : find_prominences<int64_t>;
        kernel<<<blocks(p->count), THREADS, 0, cpi_cuda_stream(stream)>>>(*p, levels);
        code = CPI_LAUNCHED(stream, name);
    }
    cpi_host->work_free(stream, work);
    return code;
}

cp_code cpi_peaks_cuda_widths(cp_stream *stream, const cpi_peaks *p)
{
    find_widths<<<blocks(p->count), THREADS, 0, cpi_cuda_stream(stream)>>>(*p);
    return CPI_LAUNCHED(stream, "peak_widths");
}

cp_code cpi_peaks_cuda_distant(cp_stream *stream, int64_t count, const int64_t *peak, const int64_t *order,
                             int64_t distance, uint8_t *keep)
{
    const size_t bytes = (size_t)count * sizeof(int64_t);
    int64_t *host = (int64_t *)cpi_host->malloc(2 * bytes + (size_t)count);
    if (!host) return CP_ERROR_MEMORY;
    uint8_t *kept = (uint8_t *)(host + 2 * count);
    cp_code code = cpi_cuda_read(stream, host, peak, bytes);
    if (code == CP_OK) code = cpi_cuda_read(stream, host + count, order, bytes);
    if (code == CP_OK)
        code = cpi_host->cpu->peaks->distant(cpi_host->cpu_stream(), count, host, host + count, distance, kept);
    if (code == CP_OK)
        code = cpi_cuda_issued(stream, cudaMemcpyAsync(keep, kept, (size_t)count, cudaMemcpyHostToDevice,
                                                       cpi_cuda_stream(stream)), "find_peaks");
    if (code == CP_OK) code = cpi_cuda_wait(stream, "find_peaks"); /* the copy reads `kept` */
    cpi_host->free(host);
    return code;
}
