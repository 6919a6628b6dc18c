/* Recurrences and polyphase filters on the GPU. A thread computes a row, or a chunk of a long one: the chunks' last
 * states from zeros first, which a block then carries along each row, then the elements. A row whose states are not all
 * finite is computed by one thread. */
#include "cuda/cuda.h"
#include "lfilter/lfilter.h"
#include "lfilter/response.h"

namespace {

enum { THREADS = 128 };

template <class R> struct pair_of {
    R re, im;
    __device__ bool finite() const { return isfinite(re) && isfinite(im); }
};
template <class R> __device__ __forceinline__ R plus(R acc, R c, R v) { return acc + c * v; }
template <class R> __device__ __forceinline__ R minus(R acc, R c, R v) { return acc - c * v; }
template <class R> __device__ __forceinline__ pair_of<R> plus(pair_of<R> acc, pair_of<R> c, pair_of<R> v)
{
    return {acc.re + (c.re * v.re - c.im * v.im), acc.im + (c.re * v.im + c.im * v.re)};
}
template <class R> __device__ __forceinline__ pair_of<R> minus(pair_of<R> acc, pair_of<R> c, pair_of<R> v)
{
    return {acc.re - (c.re * v.re - c.im * v.im), acc.im - (c.re * v.im + c.im * v.re)};
}
__device__ __forceinline__ bool finite(double v) { return isfinite(v); }
__device__ __forceinline__ bool finite(pair_of<double> v) { return v.finite(); }

template <class T> struct wide_of;
template <> struct wide_of<float> { using type = double; };
template <> struct wide_of<double> { using type = double; };
template <> struct wide_of<pair_of<float>> { using type = pair_of<double>; };
template <> struct wide_of<pair_of<double>> { using type = pair_of<double>; };
__device__ __forceinline__ double widen(float v) { return v; }
__device__ __forceinline__ double widen(double v) { return v; }
__device__ __forceinline__ pair_of<double> widen(pair_of<float> v) { return {v.re, v.im}; }
__device__ __forceinline__ pair_of<double> widen(pair_of<double> v) { return v; }
__device__ __forceinline__ void narrow(float &to, double v) { to = (float)v; }
__device__ __forceinline__ void narrow(double &to, double v) { to = v; }
__device__ __forceinline__ void narrow(pair_of<float> &to, pair_of<double> v) { to = {(float)v.re, (float)v.im}; }
__device__ __forceinline__ void narrow(pair_of<double> &to, pair_of<double> v) { to = v; }

/* --- recurrences --- */

template <class T> struct job {
    const T *from, *b, *a;
    T *to, *state;
    T *states;      /* rows x (chunks + 1) x order; NULL where rows are not cut */
    uint8_t *whole; /* rows that are computed in one piece */
    int64_t rows, n, chunks, each;
    int64_t apart; /* from one row's state to the next one's */
    int order;
};
template <class T> struct response_of {
    typename wide_of<T>::type of[CPI_LFILTER_RESPONSE / (sizeof(typename wide_of<T>::type) / sizeof(double))];
};

/* n elements from the state z on. O: the order, or 0 for any, whose state stays in memory. */
template <int O, class T>
static __device__ void run(const job<T> &j, const T *x, T *y, int64_t n, T *state)
{
    const int order = O ? O : j.order;
    T own[O ? O : 1], *z = O ? own : state;
    if (O)
        for (int i = 0; i < order; i++) z[i] = state[i];
#pragma unroll 1
    for (int64_t k = 0; k < n; k++) {
        const T v = x[k], r = plus(z[0], j.b[0], v);
        for (int i = 0; i + 1 < order; i++) z[i] = minus(plus(z[i + 1], j.b[i + 1], v), j.a[i + 1], r);
        z[order - 1] = minus(plus(T{}, j.b[order], v), j.a[order], r);
        if (y) y[k] = r;
    }
    if (O)
        for (int i = 0; i < order; i++) state[i] = z[i];
}

/* `elements`: the second pass; else the states of all chunks but each row's last one. */
template <int O, class T>
__global__ void __launch_bounds__(THREADS) run_pieces(const __grid_constant__ job<T> j, bool elements)
{
    const int64_t pieces = elements ? j.chunks : j.chunks - 1;
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= j.rows * pieces) return;
    const int64_t row = at / pieces, chunk = at % pieces, first = row * j.n + chunk * j.each;
    if (!j.states) return run<O>(j, j.from + first, j.to + first, j.n, j.state + row * j.apart);
    T *states = j.states + row * (j.chunks + 1) * j.order;
    if (!elements) return run<O>(j, j.from + first, (T *)nullptr, j.each, states + (chunk + 1) * j.order);
    if (j.whole[row]) {
        if (!chunk) run<O>(j, j.from + first, j.to + first, j.n, j.state + row * j.apart);
        return;
    }
    const bool last = chunk + 1 == j.chunks;
    run<O>(j, j.from + first, j.to + first, last ? j.n - chunk * j.each : j.each, states + chunk * j.order);
    if (last)
        for (int i = 0; i < j.order; i++) j.state[row * j.apart + i] = states[chunk * j.order + i];
}

/* A block carries the states of one row along: states[k + 1] += response of states[k]. */
template <class T>
__global__ void __launch_bounds__(THREADS)
carry_states(const __grid_constant__ job<T> j, const __grid_constant__ response_of<T> response)
{
    using W = typename wide_of<T>::type;
    enum { HELD = 512, ORDER = 16 };
    __shared__ W held[HELD];
    __shared__ W z[2][ORDER];
    __shared__ bool good;
    const int order = j.order, many = HELD / order;
    for (int64_t row = blockIdx.x; row < j.rows; row += gridDim.x) {
        T *states = j.states + row * (j.chunks + 1) * order;
        for (int i = threadIdx.x; i < order; i += THREADS) {
            states[i] = j.state[row * j.apart + i];
            z[0][i] = widen(states[i]);
        }
        if (!threadIdx.x) good = true;
        for (int64_t k = 1; k < j.chunks; k += many) {
            const int count = (int)(j.chunks - k < many ? j.chunks - k : many);
            __syncthreads();
            for (int i = threadIdx.x; i < count * order; i += THREADS) held[i] = widen(states[k * order + i]);
            __syncthreads();
            if (!threadIdx.x)
                for (int c = 0; c < count; c++) {
                    for (int to = 0; to < order; to++) {
                        W sum = held[c * order + to];
                        for (int i = 0; i < order; i++) {
                            sum = plus(sum, response.of[i * order + to], z[0][i]);
                            good = good && finite(z[0][i]);
                        }
                        T rounded;
                        narrow(rounded, sum);
                        z[1][to] = held[c * order + to] = widen(rounded);
                        good = good && finite(sum);
                    }
                    for (int i = 0; i < order; i++) z[0][i] = z[1][i];
                }
            __syncthreads();
            for (int i = threadIdx.x; i < count * order; i += THREADS) narrow(states[k * order + i], held[i]);
        }
        __syncthreads();
        if (!threadIdx.x) j.whole[row] = !good;
        __syncthreads();
    }
}

template <int O, class T> static cp_code launch(cp_stream *stream, const job<T> &j, bool elements)
{
    const int64_t pieces = j.rows * (elements ? j.chunks : j.chunks - 1);
    run_pieces<O><<<cpi_cuda_blocks(pieces, THREADS, 1 << 30), THREADS, 0, cpi_cuda_stream(stream)>>>(j, elements);
    return CPI_LAUNCHED(stream, "lfilter");
}
template <class T> static cp_code launch_order(cp_stream *stream, const job<T> &j, bool elements)
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
    job<T> j = {filter ? (const T *)r->to : (const T *)r->from, b, b + half, (T *)r->to,
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
    response_of<T> carried;
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

template <class T> __global__ void __launch_bounds__(THREADS) filter_phases(const __grid_constant__ cpi_polyphase p)
{
    const int64_t total = p.rows * p.m, step = (int64_t)gridDim.x * THREADS;
    const T *h = (const T *)p.h;
    for (int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x; at < total; at += step) {
        const int64_t row = at / p.m, i = at % p.m, phase = i * p.down % p.up, newest = i * p.down / p.up;
        const T *x = (const T *)p.from + row * p.n;
        int64_t t = newest >= p.n ? newest - p.n + 1 : 0;
        T sum = {};
        for (int64_t k = phase + t * p.up; k < p.taps && t <= newest; k += p.up, t++)
            sum = plus(sum, h[k], x[newest - t]);
        ((T *)p.to)[at] = sum;
    }
}

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
