/* Recurrences and polyphase filters in kernels. This header needs no CUDA header, so that tests compile it for the CPU
 * (tests/python/test_lfilter_kernels.py). CPI_LFILTER_RESPONSE is lfilter.h's. */
#ifndef CPI_LFILTER_RECUR_CUH
#define CPI_LFILTER_RECUR_CUH

enum { CPI_RECUR_THREADS = 128 };

template <class R> struct pair_of {
    R re, im;
    __device__ bool is_number() const { return isfinite(re) && isfinite(im); }
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
__device__ __forceinline__ double plus_one(double a, double b) { return a + b; }
__device__ __forceinline__ pair_of<double> plus_one(pair_of<double> a, pair_of<double> b)
{
    return {a.re + b.re, a.im + b.im};
}
__device__ __forceinline__ bool is_number(double v) { return isfinite(v); }
__device__ __forceinline__ bool is_number(pair_of<double> v) { return v.is_number(); }

template <class T> struct wide_of;
template <> struct wide_of<float> { using type = double; };
template <> struct wide_of<double> { using type = double; };
template <> struct wide_of<pair_of<float>> { using type = pair_of<double>; };
template <> struct wide_of<pair_of<double>> { using type = pair_of<double>; };
template <class W> struct single_of;
template <> struct single_of<double> { using type = float; };
template <> struct single_of<pair_of<double>> { using type = pair_of<float>; };
__device__ __forceinline__ double widen(float v) { return v; }
__device__ __forceinline__ double widen(double v) { return v; }
__device__ __forceinline__ pair_of<double> widen(pair_of<float> v) { return {v.re, v.im}; }
__device__ __forceinline__ pair_of<double> widen(pair_of<double> v) { return v; }
__device__ __forceinline__ void narrow(float &to, double v) { to = (float)v; }
__device__ __forceinline__ void narrow(double &to, double v) { to = v; }
__device__ __forceinline__ void narrow(pair_of<float> &to, pair_of<double> v) { to = {(float)v.re, (float)v.im}; }
__device__ __forceinline__ void narrow(pair_of<double> &to, pair_of<double> v) { to = v; }

/* --- recurrences --- */

template <class T> struct cpi_recur_job {
    const T *from, *b, *a;
    T *to, *state;
    T *states;      /* rows x (chunks + 1) x order; NULL where rows are not cut */
    uint8_t *whole; /* rows that are computed in one piece */
    int64_t rows, n, chunks, each;
    int64_t apart; /* from one row's state to the next one's */
    int order;
};
template <class T> struct cpi_recur_response {
    typename wide_of<T>::type of[CPI_LFILTER_RESPONSE / (sizeof(typename wide_of<T>::type) / sizeof(double))];
};

/* n elements from the state z on. O: the order, or 0 for any, whose state stays in memory. */
template <int O, class T>
__device__ void cpi_recur_run(const cpi_recur_job<T> &j, const T *x, T *y, int64_t n, T *state)
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

/* What thread `at` does in a pass: the elements, or the states of all chunks but each row's last one. */
template <int O, class T> __device__ void cpi_recur_chunk(const cpi_recur_job<T> &j, int64_t at, bool elements)
{
    const int64_t pieces = elements ? j.chunks : j.chunks - 1;
    if (at >= j.rows * pieces) return;
    const int64_t row = at / pieces, chunk = at % pieces, first = row * j.n + chunk * j.each;
    if (!j.states) return cpi_recur_run<O>(j, j.from + first, j.to + first, j.n, j.state + row * j.apart);
    T *states = j.states + row * (j.chunks + 1) * j.order;
    if (!elements) return cpi_recur_run<O>(j, j.from + first, (T *)nullptr, j.each, states + (chunk + 1) * j.order);
    if (j.whole[row]) {
        if (!chunk) cpi_recur_run<O>(j, j.from + first, j.to + first, j.n, j.state + row * j.apart);
        return;
    }
    const bool last = chunk + 1 == j.chunks;
    cpi_recur_run<O>(j, j.from + first, j.to + first, last ? j.n - chunk * j.each : j.each, states + chunk * j.order);
    if (last)
        for (int i = 0; i < j.order; i++) j.state[row * j.apart + i] = states[chunk * j.order + i];
}

/* A block carries the states of one row along: states[k + 1] += response of states[k]. */
template <class T> __device__ void cpi_recur_carry(const cpi_recur_job<T> &j, const typename wide_of<T>::type *response)
{
    using W = typename wide_of<T>::type;
    enum { HELD = 512, ORDER = 16 };
    __shared__ W held[HELD];
    __shared__ W z[2][ORDER];
    __shared__ bool good;
    const int order = j.order, many = HELD / order;
    for (int64_t row = blockIdx.x; row < j.rows; row += gridDim.x) {
        T *states = j.states + row * (j.chunks + 1) * order;
        for (int i = threadIdx.x; i < order; i += CPI_RECUR_THREADS) {
            states[i] = j.state[row * j.apart + i];
            z[0][i] = widen(states[i]);
        }
        if (!threadIdx.x) good = true;
        for (int64_t k = 1; k < j.chunks; k += many) {
            const int count = (int)(j.chunks - k < many ? j.chunks - k : many);
            __syncthreads();
            for (int i = threadIdx.x; i < count * order; i += CPI_RECUR_THREADS) held[i] = widen(states[k * order + i]);
            __syncthreads();
            if (!threadIdx.x)
                for (int c = 0; c < count; c++) {
                    for (int to = 0; to < order; to++) {
                        W sum = held[c * order + to];
                        for (int i = 0; i < order; i++) {
                            sum = plus(sum, response[i * order + to], z[0][i]);
                            good = good && is_number(z[0][i]);
                        }
                        T rounded;
                        narrow(rounded, sum);
                        z[1][to] = held[c * order + to] = widen(rounded);
                        good = good && is_number(sum);
                    }
                    for (int i = 0; i < order; i++) z[0][i] = z[1][i];
                }
            __syncthreads();
            for (int i = threadIdx.x; i < count * order; i += CPI_RECUR_THREADS) narrow(states[k * order + i], held[i]);
        }
        __syncthreads();
        if (!threadIdx.x) j.whole[row] = !good;
        __syncthreads();
    }
}

/* --- polyphase filters --- */

/* Result i of a row. */
template <class T> __device__ void cpi_filter_phase(const cpi_polyphase &p, int64_t row, int64_t i)
{
    const int64_t phase = i * p.down % p.up, newest = i * p.down / p.up;
    const T *x = (const T *)p.from + row * p.n, *h = (const T *)p.h;
    int64_t t = newest >= p.n ? newest - p.n + 1 : 0;
    T sum = {};
    for (int64_t k = phase + t * p.up; k < p.taps && t <= newest; k += p.up, t++) sum = plus(sum, h[k], x[newest - t]);
    ((T *)p.to)[row * p.m + i] = sum;
}
/* The results at, at + step, ... of all rows. */
template <class T> __device__ void cpi_filter_phases(const cpi_polyphase &p, int64_t at, int64_t step)
{
    for (; at < p.rows * p.m; at += step) cpi_filter_phase<T>(p, at / p.m, at % p.m);
}

#endif
