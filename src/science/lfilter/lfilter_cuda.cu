/* Recurrences and polyphase filters on the GPU. A thread computes a row, or a chunk of a long one: the chunks' last
 * states from zeros first, which a block then carries along each row, then the elements. A row whose states are not all
 * finite is computed by one thread. */
#include "cuda/cuda.h"
#include "lfilter/lfilter.h"
#include "lfilter/recur.cuh"
#include "lfilter/response.h"

namespace {

enum { THREADS = CPI_RECUR_THREADS };

template <int O, class T>
__global__ void __launch_bounds__(THREADS) run_pieces(const __grid_constant__ cpi_recur_job<T> j, bool elements)
{
    cpi_recur_chunk<O>(j, (int64_t)blockIdx.x * THREADS + threadIdx.x, elements);
}
template <class T>
__global__ void __launch_bounds__(THREADS)
carry_states(const __grid_constant__ cpi_recur_job<T> j, const __grid_constant__ cpi_recur_response<T> response)
{
    cpi_recur_carry(j, response.of);
}
template <class T> __global__ void __launch_bounds__(THREADS) filter_phases(const __grid_constant__ cpi_polyphase p)
{
    cpi_filter_phases<T>(p, (int64_t)blockIdx.x * THREADS + threadIdx.x, (int64_t)gridDim.x * THREADS);
}

template <int O, class T> static cp_code launch(cp_stream *stream, const cpi_recur_job<T> &j, bool elements)
{
    const int64_t pieces = j.rows * (elements ? j.chunks : j.chunks - 1);
    run_pieces<O><<<cpi_cuda_blocks(pieces, THREADS, 1 << 30), THREADS, 0, cpi_cuda_stream(stream)>>>(j, elements);
    return CPI_LAUNCHED(stream, "lfilter");
}
template <class T> static cp_code launch_order(cp_stream *stream, const cpi_recur_job<T> &j, bool elements)
{
    switch (j.order) {
    case 1: return launch<1>(stream, j, elements);
    case 2: return launch<2>(stream, j, elements);
    case 4: return launch<4>(stream, j, elements);
    default: return launch<0>(stream, j, elements);
    }
}

/* One filter of several. */
template <class T> static cp_code recur_one(cp_stream *stream, const cpi_recurrence *r, int64_t filter)
{
    enum { EACH = 1024, ENOUGH = 8192 };
    const int64_t half = r->order + 1;
    cpi_recurrence one = *r;
    one.filters = 1;
    one.c += 2 * filter * half * (int64_t)sizeof(T);
    const T *b = (const T *)r->there + 2 * filter * half;
    cpi_recur_job<T> j = {filter ? (const T *)r->to : (const T *)r->from, b, b + half, (T *)r->to,
                (T *)r->state + filter * r->order, nullptr, nullptr, r->rows, r->n, 1, r->n, r->filters * r->order,
                (int)r->order};
    double response[CPI_LFILTER_RESPONSE];
    if (r->rows < ENOUGH && r->n >= 2 * EACH && cpi_lfilter_response(&one, EACH, response)) {
        j.chunks = r->n / EACH;
        j.each = EACH;
    }
    if (j.chunks == 1) return launch_order(stream, j, true);
    const size_t bytes = sizeof(T) * (size_t)(r->rows * (j.chunks + 1) * r->order);
    char *work = (char *)cpi_host->work_alloc(stream, bytes + (size_t)r->rows);
    if (!work) return CP_ERROR_MEMORY;
    j.states = (T *)work;
    j.whole = (uint8_t *)work + bytes;
    cpi_recur_response<T> carried;
    memcpy(&carried, response, sizeof carried);
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(work, 0, bytes, cpi_cuda_stream(stream)), "lfilter");
    if (code == CP_OK) code = launch_order(stream, j, false);
    if (code == CP_OK) {
        carry_states<<<cpi_cuda_blocks(r->rows, 1, 1 << 16), THREADS, 0, cpi_cuda_stream(stream)>>>(j, carried);
        code = CPI_LAUNCHED(stream, "lfilter");
    }
    if (code == CP_OK) code = launch_order(stream, j, true);
    cpi_host->work_free(stream, work);
    return code;
}

template <class T> static cp_code recur(cp_stream *stream, const cpi_recurrence *r)
{
    cp_code code = CP_OK;
    for (int64_t f = 0; f < r->filters && code == CP_OK; f++) code = recur_one<T>(stream, r, f);
    return code;
}

/* --- polyphase filters --- */

template <class T> static cp_code polyphase(cp_stream *stream, const cpi_polyphase *p)
{
    filter_phases<T><<<cpi_cuda_blocks(p->rows * p->m, THREADS, 1 << 20), THREADS, 0, cpi_cuda_stream(stream)>>>(*p);
    return CPI_LAUNCHED(stream, "upfirdn");
}

} // namespace

cp_code cpi_lfilter_cuda_recur(cp_stream *stream, const cpi_recurrence *r)
{
    if (r->type == CP_FLOAT32) return recur<float>(stream, r);
    if (r->type == CP_FLOAT64) return recur<double>(stream, r);
    if (r->type == CP_COMPLEX64) return recur<pair_of<float>>(stream, r);
    return recur<pair_of<double>>(stream, r);
}

cp_code cpi_lfilter_cuda_polyphase(cp_stream *stream, const cpi_polyphase *p)
{
    if (p->type == CP_FLOAT32) return polyphase<float>(stream, p);
    if (p->type == CP_FLOAT64) return polyphase<double>(stream, p);
    if (p->type == CP_COMPLEX64) return polyphase<pair_of<float>>(stream, p);
    return polyphase<pair_of<double>>(stream, p);
}
