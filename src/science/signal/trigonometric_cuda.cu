/* Sums of cosines and sines on the GPU. A block has some frequencies and a part of the times, which it loads once for
 * them; where there are several parts, their sums are added behind. */
#include "cuda/cuda.h"
#include "signal/signal.h"

namespace {

enum { THREADS = 128, EACH = 4, SUMS = 6, LEAST = 1024, BLOCKS = 2048 };

/* Frequencies EACH * blockIdx.x + ..., times of part blockIdx.y: to[(part * SUMS + sum) * count + frequency]. */
__global__ void __launch_bounds__(THREADS)
sum_up(const __grid_constant__ cpi_trigonometric t, int64_t part, double *to)
{
    __shared__ double warps[THREADS / 32][EACH * SUMS];
    const int64_t first = (int64_t)blockIdx.x * EACH, begin = blockIdx.y * part;
    const int64_t end = begin + part < t.n ? begin + part : t.n;
    double sum[EACH][SUMS] = {}, f[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) f[e] = t.frequency[first + e < t.count ? first + e : t.count - 1];
#pragma unroll 1
    for (int64_t i = begin + threadIdx.x; i < end; i += THREADS) {
        const double x = t.x[i], w = t.w[i], v = t.v[i];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            double s, c;
            sincos(f[e] * x, &s, &c);
            const double wc = w * c;
            sum[e][0] += wc;
            sum[e][1] += w * s;
            sum[e][2] += v * c;
            sum[e][3] += v * s;
            sum[e][4] += wc * c;
            sum[e][5] += wc * s;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
#pragma unroll
        for (int k = 0; k < SUMS; k++) {
            double all = sum[e][k];
#pragma unroll
            for (int by = 16; by; by >>= 1) all += __shfl_xor_sync(~0u, all, by);
            if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32][e * SUMS + k] = all;
        }
    __syncthreads();
    if (threadIdx.x >= EACH * SUMS) return;
    const int64_t e = threadIdx.x / SUMS, k = threadIdx.x % SUMS;
    double all = 0;
    for (int i = 0; i < THREADS / 32; i++) all += warps[i][threadIdx.x];
    if (first + e < t.count) to[(blockIdx.y * SUMS + k) * t.count + first + e] = all;
}
__global__ void __launch_bounds__(THREADS) add_parts(int64_t n, int parts, const double *from, double *to)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    double all = 0;
    for (int p = 0; p < parts; p++) all += from[p * n + i];
    to[i] = all;
}

} // namespace

cp_code cpi_signal_cuda_trigonometric(cp_stream *stream, const cpi_trigonometric *t)
{
    const char *name = "trigonometric_sums";
    const unsigned blocks = cpi_cuda_blocks(t->count, EACH, 0x7fffffff);
    int64_t parts = cpi_ceil_div(t->n, LEAST);
    if (parts > BLOCKS / blocks) parts = BLOCKS / blocks ? BLOCKS / blocks : 1;
    const int64_t each = cpi_ceil_div(t->n, parts), sums = SUMS * t->count;
    double *work = t->to;
    if (parts > 1) work = (double *)cpi_host->work_alloc(stream, sizeof(double) * (size_t)(parts * sums));
    if (!work) return CP_ERROR_MEMORY;
    sum_up<<<dim3(blocks, (unsigned)parts), THREADS, 0, cpi_cuda_stream(stream)>>>(*t, each, work);
    cp_code code = CPI_LAUNCHED(stream, name);
    if (parts > 1 && code == CP_OK) {
        add_parts<<<cpi_cuda_blocks(sums, THREADS, 0x7fffffff), THREADS, 0, cpi_cuda_stream(stream)>>>(
            sums, (int)parts, work, t->to);
        code = CPI_LAUNCHED(stream, name);
    }
    if (parts > 1) cpi_host->work_free(stream, work);
    return code;
}
