/* Recurrences and polyphase filters on the GPU. Those of few states go as cascade.cuh has it. Of others a thread
 * computes a row, or a chunk of a long one: the chunks' last states from zeros first, which a block then carries along
 * each row, then the elements. A row whose states are not all finite is computed by one thread. */
#include "cuda/cuda.h"
#include "lfilter/lfilter.h"
#include "lfilter/recur.cuh"
#include "lfilter/response.h"

#include "lfilter/phases.cuh"
#include "lfilter/cascade.cuh"

namespace {

enum { THREADS = CPI_RECUR_THREADS };

/* --- recurrences of few states --- */

enum { LEAST = 2048, LONGEST = 1024, SHORTEST = 64, CHUNKS = 1 << 16, ENOUGH = 8192, PART = 1 << 24 };

template <int S, class W> struct steps {
    W one[S][S], each[S][S];
};
template <int O, int F, class T>
__global__ void __launch_bounds__(CPI_CASCADE_THREADS)
scan_pass(const __grid_constant__ cpi_cascade_job<T> j, const __grid_constant__ cpi_cascade_filters<O, F, T> c,
          const __grid_constant__ cpi_cascade_powers<O * F, typename wide_of<T>::type> p, bool elements)
{
    __shared__ cpi_cascade_tile<T> tiles[CPI_CASCADE_THREADS / 32];
    const unsigned warp = blockIdx.x * (CPI_CASCADE_THREADS / 32) + threadIdx.x / 32;
    cpi_cascade_pass<O, F>(j, c, p, tiles[threadIdx.x / 32], warp, elements);
}
template <int S, class W>
__global__ void __launch_bounds__(CPI_CASCADE_HEADS)
scan_heads(const __grid_constant__ cpi_cascade_ends<W> j, const __grid_constant__ steps<S, W> s)
{
    __shared__ cpi_cascade_shared<S, W> shared;
    cpi_cascade_carry<S>(j, s.one, s.each, shared);
}

static double absolute(double v) { return fabs(v); }
static double absolute(pair_of<double> v) { return fmax(fabs(v.re), fabs(v.im)); }
static double times(double sum, double a, double b) { return sum + a * b; }
static pair_of<double> times(pair_of<double> sum, pair_of<double> a, pair_of<double> b)
{
    return {sum.re + (a.re * b.re - a.im * b.im), sum.im + (a.re * b.im + a.im * b.re)};
}
template <int S, class W> static void multiply(const W (*a)[S], const W (*b)[S], W (*to)[S])
{
    for (int i = 0; i < S; i++)
        for (int k = 0; k < S; k++) {
            W sum = {};
            for (int m = 0; m < S; m++) sum = times(sum, a[i][m], b[m][k]);
            to[i][k] = sum;
        }
}
/* The greatest sum of absolute values of a row, relative to the states' sizes: what states grow by at most. NaN where
 * one is. */
template <int S, class W> static double growth(const W (*a)[S], const double *size)
{
    double most = 0;
    for (int i = 0; i < S; i++) {
        double sum = 0;
        for (int k = 0; k < S; k++) sum += absolute(a[i][k]) * (size[i] / size[k]);
        if (!(sum <= most)) most = sum;
    }
    return most;
}

/* The threads that find what groups begin with: some groups each, for fewer sums beyond them. */
static int head_threads(int64_t groups)
{
    int threads = 32;
    while (threads < CPI_CASCADE_HEADS && threads * 4 < groups) threads *= 2;
    return threads;
}

/* Chunks of `each` elements: the response's powers. False where one grows. */
template <int S, class T, class W>
static bool plan(const cpi_recurrence *r, int64_t each, cpi_cascade_job<T> &j, cpi_cascade_powers<S, W> &p,
                 steps<S, W> &s)
{
    double response[CPI_LFILTER_RESPONSE], size[CPI_LFILTER_CUT];
    if (!cpi_lfilter_response(r, each, response, size)) return false;
    j.each = each;
    j.chunks = (r->n + each - 1) / each;
    j.groups = (j.chunks + 31) / 32;
    memcpy(p.of[0], response, sizeof p.of[0]);
    for (int bit = 1; bit < CPI_CASCADE_BITS; bit++) multiply<S>(p.of[bit - 1], p.of[bit - 1], p.of[bit]);
    multiply<S>(p.of[CPI_CASCADE_BITS - 1], p.of[CPI_CASCADE_BITS - 1], s.one);
    memcpy(s.each, s.one, sizeof s.each);
    W now[S][S], next[S][S];
    for (int64_t k = 1; k < cpi_ceil_div(j.groups, head_threads(j.groups)); k++) {
        multiply<S>(s.each, s.one, next);
        memcpy(s.each, next, sizeof next);
    }
    memcpy(now, response, sizeof now);
    for (int64_t k = 1; k < j.chunks; k *= 2) {
        const double most = growth<S>(now, size);
        if (most <= 1) break;
        if (!(most <= S * CPI_LFILTER_GROWTH)) return false;
        multiply<S>(now, now, next);
        memcpy(now, next, sizeof now);
    }
    return true;
}

template <int O, int F, class T>
static cp_code pass(cp_stream *stream, const cpi_cascade_job<T> &j, const cpi_cascade_filters<O, F, T> &c,
                    const cpi_cascade_powers<O * F, typename wide_of<T>::type> &p, bool elements)
{
    const unsigned blocks = cpi_cuda_blocks(j.rows * j.groups, CPI_CASCADE_THREADS / 32, 0x7fffffff);
    scan_pass<O, F><<<blocks, CPI_CASCADE_THREADS, 0, cpi_cuda_stream(stream)>>>(j, c, p, elements);
    return CPI_LAUNCHED(stream, "lfilter");
}

/* Rows that are not cut and too long for one pass, one after the other. */
template <int O, int F, class T>
static cp_code pass_parts(cp_stream *stream, const cpi_recurrence *r, const cpi_cascade_job<T> &all,
                          const cpi_cascade_filters<O, F, T> &c,
                          const cpi_cascade_powers<O * F, typename wide_of<T>::type> &p)
{
    cp_code code = CP_OK;
    for (int64_t row = 0; row < r->rows; row++)
        for (int64_t at = 0; at < r->n && code == CP_OK; at += PART) {
            cpi_cascade_job<T> j = all;
            j.n = j.each = r->n - at < PART ? r->n - at : PART;
            j.from += row * r->n + at;
            j.to += row * r->n + at;
            j.state += row * j.apart;
            j.chunks = j.groups = 1;
            code = pass(stream, j, c, p, true);
        }
    return code;
}

/* F filters of several, from filter `first` on. */
template <int O, int F, class T> static cp_code scan(cp_stream *stream, const cpi_recurrence *all, int64_t first)
{
    using W = typename wide_of<T>::type;
    enum { S = O * F };
    cpi_recurrence r = *all;
    r.filters = F;
    r.c += first * 2 * (O + 1) * (int64_t)sizeof(T);
    cpi_cascade_filters<O, F, T> c;
    for (int f = 0; f < F; f++) {
        memcpy(c.b[f], r.c + f * sizeof(T) * 2 * (O + 1), sizeof c.b[f]);
        memcpy(c.a[f], r.c + f * sizeof(T) * 2 * (O + 1) + sizeof c.b[f], sizeof c.a[f]);
    }
    cpi_cascade_job<T> j = {first ? (const T *)r.to : (const T *)r.from, (T *)r.to, (T *)r.state + first * O, nullptr,
                         nullptr, nullptr, 1, r.rows * r.n, r.rows, r.n, cpi_ceil_div(r.rows, 32), all->filters * O};
    cpi_cascade_powers<S, W> p = {};
    steps<S, W> s;
    int64_t each = SHORTEST;
    while (each < LONGEST && r.rows * (r.n / each) > CHUNKS) each *= 2;
    cpi_cascade_job<T> cut = j; /* a plan that fails has begun to fill it */
    if (r.rows >= ENOUGH || r.n < LEAST || !(plan<S>(&r, each, cut, p, s) || plan<S>(&r, LONGEST, cut, p, s)))
        return r.n <= PART ? pass(stream, j, c, p, true) : pass_parts(stream, &r, j, c, p);
    j = cut;
    j.rows = r.rows;
    j.n = r.n;
    const size_t heads = sizeof(W) * (size_t)(S * j.rows * j.groups);
    char *work = (char *)cpi_host->work_alloc(stream, 33 * heads + (size_t)j.rows);
    if (!work) return CP_ERROR_MEMORY;
    j.sums = (W *)work;
    j.heads = (W *)(work + 32 * heads);
    j.whole = (uint8_t *)work + 33 * heads;
    cp_code code = pass(stream, j, c, p, false);
    if (code == CP_OK) {
        scan_heads<S><<<(unsigned)j.rows, head_threads(j.groups), 0, cpi_cuda_stream(stream)>>>(
            cpi_cascade_ends_of(j), s);
        code = CPI_LAUNCHED(stream, "lfilter");
    }
    if (code == CP_OK) code = pass(stream, j, c, p, true);
    cpi_host->work_free(stream, work);
    return code;
}

/* The filters from `first` on that are run together: *count, 0 for an order of too many states. */
template <class T>
static cp_code scan_some(cp_stream *stream, const cpi_recurrence *r, int64_t first, int64_t *count)
{
    constexpr bool real = sizeof(typename wide_of<T>::type) == sizeof(double);
    const int64_t left = r->filters - first, together = r->order != 2 ? 1 : left < (real ? 4 : 2) ? left : real ? 4 : 2;
    *count = together;
    switch (r->order) {
    case 1: return scan<1, 1, T>(stream, r, first);
    case 3: return scan<3, 1, T>(stream, r, first);
    case 4: return scan<4, 1, T>(stream, r, first);
    case 2:
        if (together == 1) return scan<2, 1, T>(stream, r, first);
        if (together == 2) return scan<2, 2, T>(stream, r, first);
    }
    if constexpr (real) switch (r->order) {
        case 2: return together == 3 ? scan<2, 3, T>(stream, r, first) : scan<2, 4, T>(stream, r, first);
        case 5: return scan<5, 1, T>(stream, r, first);
        case 6: return scan<6, 1, T>(stream, r, first);
        case 7: return scan<7, 1, T>(stream, r, first);
        case 8: return scan<8, 1, T>(stream, r, first);
    }
    *count = 0;
    return CP_OK;
}

/* --- recurrences of more states --- */

template <class T>
__global__ void __launch_bounds__(THREADS) run_pieces(const __grid_constant__ cpi_recur_job<T> j, bool elements)
{
    cpi_recur_chunk<0>(j, (int64_t)blockIdx.x * THREADS + threadIdx.x, elements);
}
template <class T>
__global__ void __launch_bounds__(THREADS)
carry_states(const __grid_constant__ cpi_recur_job<T> j, const __grid_constant__ cpi_recur_response<T> response)
{
    cpi_recur_carry(j, response.of);
}

template <class T> static cp_code pieces(cp_stream *stream, const cpi_recur_job<T> &j, bool elements)
{
    const int64_t count = j.rows * (elements ? j.chunks : j.chunks - 1);
    run_pieces<<<cpi_cuda_blocks(count, THREADS, 1 << 30), THREADS, 0, cpi_cuda_stream(stream)>>>(j, elements);
    return CPI_LAUNCHED(stream, "lfilter");
}

/* One filter of several. */
template <class T> static cp_code recur_one(cp_stream *stream, const cpi_recurrence *r, int64_t filter)
{
    const int64_t half = r->order + 1;
    cpi_recurrence one = *r;
    one.filters = 1;
    one.c += 2 * filter * half * (int64_t)sizeof(T);
    const T *b = (const T *)r->there + 2 * filter * half;
    cpi_recur_job<T> j = {filter ? (const T *)r->to : (const T *)r->from, b, b + half, (T *)r->to,
                (T *)r->state + filter * r->order, nullptr, nullptr, r->rows, r->n, 1, r->n, r->filters * r->order,
                (int)r->order};
    double response[CPI_LFILTER_RESPONSE], size[CPI_LFILTER_CUT];
    if (r->rows < ENOUGH && r->n >= LEAST && cpi_lfilter_response(&one, LONGEST, response, size)) {
        j.chunks = r->n / LONGEST;
        j.each = LONGEST;
    }
    if (j.chunks == 1) return pieces(stream, j, true);
    const size_t bytes = sizeof(T) * (size_t)(r->rows * (j.chunks + 1) * r->order);
    char *work = (char *)cpi_host->work_alloc(stream, bytes + (size_t)r->rows);
    if (!work) return CP_ERROR_MEMORY;
    j.states = (T *)work;
    j.whole = (uint8_t *)work + bytes;
    cpi_recur_response<T> carried;
    memcpy(&carried, response, sizeof carried);
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(work, 0, bytes, cpi_cuda_stream(stream)), "lfilter");
    if (code == CP_OK) code = pieces(stream, j, false);
    if (code == CP_OK) {
        carry_states<<<cpi_cuda_blocks(r->rows, 1, 1 << 16), THREADS, 0, cpi_cuda_stream(stream)>>>(j, carried);
        code = CPI_LAUNCHED(stream, "lfilter");
    }
    if (code == CP_OK) code = pieces(stream, j, true);
    cpi_host->work_free(stream, work);
    return code;
}

template <class T> static cp_code recur(cp_stream *stream, const cpi_recurrence *r)
{
    int64_t count;
    cp_code code = CP_OK;
    for (int64_t f = 0; f < r->filters && code == CP_OK; f += count) {
        code = scan_some<T>(stream, r, f, &count);
        if (count) continue;
        code = recur_one<T>(stream, r, f);
        count = 1;
    }
    return code;
}

/* --- polyphase filters --- */

template <class T> __global__ void __launch_bounds__(THREADS) filter_phases(const __grid_constant__ cpi_polyphase p)
{
    cpi_filter_phases<T>(p, (int64_t)blockIdx.x * THREADS + threadIdx.x, (int64_t)gridDim.x * THREADS);
}
template <class T>
__global__ void __launch_bounds__(CPI_PHASES_THREADS)
filter_dense(const __grid_constant__ cpi_polyphase p, int64_t tiles)
{
    __shared__ cpi_dense_tile<T> tile;
    cpi_filter_dense<T>(p, tile, blockIdx.x / tiles, blockIdx.x % tiles * cpi_dense_tile<T>::RESULTS);
}
template <class T>
__global__ void __launch_bounds__(CPI_PHASES_THREADS)
filter_rate(const __grid_constant__ cpi_polyphase p, int64_t tiles, int results)
{
    extern __shared__ char memory[];
    cpi_filter_rate<T>(p, (T *)memory, blockIdx.x / tiles, blockIdx.x % tiles * results, results);
}

/* How many results a block has, and its shared memory; 0 where that does not hold the taps, or too few elements. */
static int results_of(const cpi_polyphase *p, int64_t item, size_t *bytes)
{
    enum { MOST = 4 * CPI_PHASES_THREADS, BYTES = 32768 };
    const int64_t capacity = BYTES / item;
    if (p->taps > capacity || p->up > capacity || p->down > capacity) return 0;
    const int64_t fixed = p->taps + (p->taps - 1) / p->up + 2;
    int64_t most = (capacity - fixed) * p->up / p->down;
    most = most > MOST ? MOST : most / CPI_PHASES_THREADS * CPI_PHASES_THREADS;
    if (most < CPI_PHASES_THREADS) return 0;
    *bytes = (size_t)(item * (fixed + most * p->down / p->up));
    return (int)most;
}

template <class T> static cp_code polyphase(cp_stream *stream, const cpi_polyphase *p)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    const bool dense = p->up == 1 && p->down == 1;
    size_t bytes = 0;
    const int results = dense ? (int)cpi_dense_tile<T>::RESULTS : results_of(p, sizeof(T), &bytes);
    const int64_t tiles = results ? cpi_ceil_div(p->m, results) : 0;
    if (!results || p->rows * tiles > 0x7fffffff)
        filter_phases<T><<<cpi_cuda_blocks(p->rows * p->m, THREADS, 1 << 20), THREADS, 0, s>>>(*p);
    else if (dense)
        filter_dense<T><<<(unsigned)(p->rows * tiles), CPI_PHASES_THREADS, 0, s>>>(*p, tiles);
    else
        filter_rate<T><<<(unsigned)(p->rows * tiles), CPI_PHASES_THREADS, bytes, s>>>(*p, tiles, results);
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
