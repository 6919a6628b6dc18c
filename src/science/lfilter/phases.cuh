/* Polyphase filters on the GPU: a block has a tile of a row's results, and the elements that these need in shared
 * memory. Products are added with t ascending, as in cpi_filter_phases, which has the results near the ends. recur.cuh
 * comes before this one; tests compile both for the CPU. */
#ifndef CPI_LFILTER_PHASES_CUH
#define CPI_LFILTER_PHASES_CUH

enum { CPI_PHASES_THREADS = 128, CPI_PHASES_BYTES = 16384 };

/* --- without a change of rate --- */

template <class T> struct cpi_dense_tile {
    enum { EACH = 4, RESULTS = CPI_PHASES_THREADS * EACH, TAPS = 64, SIZE = RESULTS + TAPS };
    T x[SIZE + SIZE / EACH], h[TAPS];
    static __device__ __forceinline__ int at(int i) { return i + i / EACH; } /* threads' elements in different banks */
};

/* Results first..first + RESULTS - 1 of a row. A thread has EACH neighbours: each element is loaded once for them. */
template <class T>
__device__ void cpi_filter_dense(const cpi_polyphase &p, cpi_dense_tile<T> &tile, int64_t row, int64_t first)
{
    using S = cpi_dense_tile<T>;
    enum { EACH = S::EACH };
    const int64_t left = p.m - first;
    if (first < p.taps - 1 || first + S::RESULTS > p.n || left < S::RESULTS) {
        for (int64_t i = threadIdx.x; i < S::RESULTS && i < left; i += CPI_PHASES_THREADS)
            cpi_filter_phase<T>(p, row, first + i);
        return;
    }
    const T *x = (const T *)p.from + row * p.n + first, *h = (const T *)p.h;
    T *to = (T *)p.to + row * p.m + first, sum[EACH] = {};
    for (int64_t begin = 0; begin < p.taps; begin += S::TAPS) {
        const int taps = (int)(p.taps - begin < S::TAPS ? p.taps - begin : S::TAPS);
        const T *oldest = x - begin - taps + 1;
        for (int i = threadIdx.x; i < S::RESULTS + taps - 1; i += CPI_PHASES_THREADS) tile.x[S::at(i)] = oldest[i];
        if (threadIdx.x < taps) tile.h[threadIdx.x] = h[begin + threadIdx.x];
        __syncthreads();
        const int own = (int)threadIdx.x * EACH + taps - 1;
        T w[EACH];
#pragma unroll
        for (int r = 0; r < EACH; r++) w[r] = tile.x[S::at(own + r)];
        int t = 0;
        for (; t + EACH < taps; t += EACH) {
#pragma unroll
            for (int u = 0; u < EACH; u++) {
                const T c = tile.h[t + u];
#pragma unroll
                for (int r = 0; r < EACH; r++) sum[r] = plus(sum[r], c, w[(r + EACH - u) % EACH]);
                w[EACH - 1 - u] = tile.x[S::at(own - t - u - 1)];
            }
        }
        for (; t < taps; t++) {
            const T c = tile.h[t];
#pragma unroll
            for (int r = 0; r < EACH; r++) sum[r] = plus(sum[r], c, tile.x[S::at(own + r - t)]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < EACH; r++) tile.x[S::at((int)threadIdx.x * EACH + r)] = sum[r];
    __syncthreads();
    for (int i = threadIdx.x; i < S::RESULTS; i += CPI_PHASES_THREADS) to[i] = tile.x[S::at(i)];
}

/* --- with one --- */

/* Taps, and elements of a tile. */
template <class T> struct cpi_rate_tile {
    enum { CAPACITY = CPI_PHASES_BYTES / sizeof(T) };
    T h[CAPACITY], x[CAPACITY];
};
template <class T>
__device__ void cpi_filter_rate(const cpi_polyphase &p, cpi_rate_tile<T> &tile, int64_t row, int64_t first, int results)
{
    const int up = (int)p.up, down = (int)p.down, taps = (int)p.taps;
    const int64_t begin = first * down / up, lowest = begin - (taps - 1) / up; /* elements of the first result */
    const int rest = (int)(first * down - begin * up);
    const int count = (int)(p.m - first < results ? p.m - first : results);
    const int highest = (int)(begin - lowest) + (int)(((unsigned)rest + (unsigned)(count - 1) * (unsigned)down) / up);
    const T *x = (const T *)p.from + row * p.n;
    for (int i = threadIdx.x; i <= highest; i += CPI_PHASES_THREADS)
        if (lowest + i >= 0 && lowest + i < p.n) tile.x[i] = x[lowest + i];
    for (int i = threadIdx.x; i < taps; i += CPI_PHASES_THREADS) tile.h[i] = ((const T *)p.h)[i];
    __syncthreads();
    /* t below `behind`, of elements that exist */
    for (int i = threadIdx.x; i < count; i += CPI_PHASES_THREADS) {
        const unsigned at = (unsigned)rest + (unsigned)i * (unsigned)down;
        const int newest = (int)(at / (unsigned)up), phase = (int)(at % (unsigned)up);
        const int64_t here = begin + newest, over = here - p.n + 1;
        int t = over > 0 ? (int)(over < taps ? over : taps) : 0;
        int behind = phase < taps ? (taps - 1 - phase) / up + 1 : 0;
        if (here < behind) behind = (int)here + 1;
        const T *v = tile.x + (begin - lowest) + newest;
        T sum = {};
        for (const T *h = tile.h + phase + (int64_t)t * up; t < behind; t++, h += up) sum = plus(sum, *h, v[-t]);
        ((T *)p.to)[row * p.m + first + i] = sum;
    }
}

#endif
