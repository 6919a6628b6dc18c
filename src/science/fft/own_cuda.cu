/* Transforms by kernels of our own (own_plan.cuh, own.cuh): what is of moderate size needs no cuFFT, whose opening and
 * whose kernels' loading take 0.1 to 0.3 s of a process's first transform.
 *
 * CUPRITE_FFT=library leaves all to cuFFT, CUPRITE_FFT=own nothing that they can do, to compare. */
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"
#include "fft/fft.h"
#include "fft/own.cuh"
#include "fft/own_cuda.h"

namespace {

template <class T>
__global__ void __launch_bounds__(CPI_FFT_OWN_THREADS)
own(const __grid_constant__ cpi_fft_pass g, const char *from, char *to)
{
    extern __shared__ __align__(16) double memory[];
    cpi_fft_block<T>(g, from, to, blockIdx.x, memory);
}

} // namespace

cp_code cpi_fft_own_transform(cp_stream *stream, const cpi_fft_call *c, bool *served)
{
    cpi_fft_launches plan;
    const char *way = getenv("CUPRITE_FFT");
    cpi_fft_call call = *c;
    call.ready = c->ready || (way && !strcmp(way, "own"));
    *served = !(way && !strcmp(way, "library")) && cpi_fft_own_plan(&call, &plan);
    if (!*served) return CP_OK;
    char *scratch = plan.scratch ? (char *)cpi_host->work_alloc(stream, (size_t)plan.scratch) : nullptr;
    if (plan.scratch && !scratch) return CP_ERROR_MEMORY;
    cp_code code = CP_OK;
    for (int i = 0; i < plan.count && !code; i++) {
        const cpi_fft_pass &p = plan.pass[i];
        const char *from = p.in.where == CPI_FFT_IN    ? (const char *)c->in
                           : p.in.where == CPI_FFT_OUT ? (const char *)c->out
                                                       : scratch;
        char *to = p.out.where == CPI_FFT_OUT ? (char *)c->out : scratch;
        if (c->single) own<float><<<p.blocks, p.threads, p.bytes, cpi_cuda_stream(stream)>>>(p, from, to);
        else own<double><<<p.blocks, p.threads, p.bytes, cpi_cuda_stream(stream)>>>(p, from, to);
        code = CPI_LAUNCHED(stream, "fft");
    }
    cpi_host->work_free(stream, scratch);
    return code;
}
