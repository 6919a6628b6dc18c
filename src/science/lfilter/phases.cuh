/* Polyphase filters on the GPU: a block has a tile of a row's results, and the elements that these need in shared
 * memory. Products are added with t ascending, as in cpi_filter_phases. recur.cuh comes before this one; tests compile
 * both for the CPU. */
#ifndef CPI_LFILTER_PHASES_CUH
#define CPI_LFILTER_PHASES_CUH

enum { CPI_PHASES_THREADS = 128 };

/* --- without a change of rate --- */

template <class T> struct cpi_dense_tile {
    enum { EACH = 4, RESULTS = CPI_PHASES_THREADS * EACH, TAPS = 64, SIZE = RESULTS + TAPS };
    T x[SIZE + SIZE / EACH], h[TAPS];
    static __device__ __forceinline__ unsigned at(unsigned i) { return i + i / EACH; } /* threads' in different banks */
};

/* Results first..first + RESULTS - 1 of a row. A thread has EACH neighbours: each element is loaded once for them.
 * ENDS: some need elements that do not exist; these are not multiplied. */
template <bool ENDS, class T>
__device__ __forceinline__ void cpi_filter_dense_tile(const cpi_polyphase &p, cpi_dense_tile<T> &tile, int64_t row,
                                                      int64_t first)
{
    using S = cpi_dense_tile<T>;
    enum { EACH = S::EACH, FAR = 1 << 30 };
    const T *x = (const T *)p.from + row * p.n, *h = (const T *)p.h;
    T *to = (T *)p.to + row * p.m + first, sum[EACH] = {};
    const unsigned own = threadIdx.x * EACH + S::TAPS;
    for (int64_t begin = 0; begin < p.taps; begin += S::TAPS) {
        const int taps = (int)(p.taps - begin < S::TAPS ? p.taps - begin : S::TAPS);
        const int64_t oldest = first - begin - S::TAPS, newest = first - begin + threadIdx.x * EACH;
        for (unsigned i = threadIdx.x + S::TAPS - taps + 1; i < S::SIZE; i += CPI_PHASES_THREADS)
            tile.x[S::at(i)] = !ENDS || (oldest + i >= 0 && oldest + i < p.n) ? x[oldest + i] : T{};
        if (threadIdx.x < taps) tile.h[threadIdx.x] = h[begin + threadIdx.x];
        __syncthreads();
        /* of the first of the thread's results, t <= last and t > before exist; of the next one, one more */
        const int last = (int)(newest < -FAR ? -FAR : newest < FAR ? newest : FAR);
        const int before = (int)(newest - p.n < -FAR ? -FAR : newest - p.n < FAR ? newest - p.n : FAR);
        const T *next = tile.x + S::at(own); /* EACH + 1 places are EACH elements */
        T w[EACH];
#pragma unroll
        for (int r = 0; r < EACH; r++) w[r] = next[r];
        int t = 0;
#pragma unroll 2
        for (; t + EACH < taps; t += EACH) {
            next -= EACH + 1;
#pragma unroll
            for (int u = 0; u < EACH; u++) {
                const T c = tile.h[t + u];
#pragma unroll
                for (int r = 0; r < EACH; r++)
                    if (!ENDS || (t + u <= last + r && t + u > before + r))
                        sum[r] = plus(sum[r], c, w[(r + EACH - u) % EACH]);
                w[EACH - 1 - u] = next[EACH - 1 - u];
            }
        }
        for (; t < taps; t++) {
            const T c = tile.h[t];
#pragma unroll
            for (int r = 0; r < EACH; r++)
                if (!ENDS || (t <= last + r && t > before + r)) sum[r] = plus(sum[r], c, tile.x[S::at(own + r - t)]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < EACH; r++) tile.x[S::at(threadIdx.x * EACH + r)] = sum[r];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < S::RESULTS; i += CPI_PHASES_THREADS)
        if (!ENDS || first + i < p.m) to[i] = tile.x[S::at(i)];
}
template <class T>
__device__ void cpi_filter_dense(const cpi_polyphase &p, cpi_dense_tile<T> &tile, int64_t row, int64_t first)
{
    const int64_t behind = first + cpi_dense_tile<T>::RESULTS;
    if (first < p.taps - 1 || behind > p.n || behind > p.m) cpi_filter_dense_tile<true>(p, tile, row, first);
    else cpi_filter_dense_tile<false>(p, tile, row, first);
}

/* --- with one --- */

/* Results first..first + results - 1 of a row. `memory`: shared, for all taps and the elements of these results. */
template <class T>
__device__ void cpi_filter_rate(const cpi_polyphase &p, T *memory, int64_t row, int64_t first, int results)
{
    const unsigned up = (unsigned)p.up, down = (unsigned)p.down;
    const int taps = (int)p.taps;
    const int64_t begin = first * p.down / up, lowest = begin - (taps - 1) / (int)up; /* elements of the first result */
    const unsigned rest = (unsigned)(first * p.down - begin * up);
    const int count = (int)(p.m - first < results ? p.m - first : results);
    const int highest = (int)(begin - lowest) + (int)((rest + (count - 1) * down) / up);
    const T *x = (const T *)p.from + row * p.n;
    T *h = memory, *elements = h + taps;
    for (int i = threadIdx.x; i <= highest; i += CPI_PHASES_THREADS)
        if (lowest + i >= 0 && lowest + i < p.n) elements[i] = x[lowest + i];
    for (int i = threadIdx.x; i < taps; i += CPI_PHASES_THREADS) h[i] = ((const T *)p.h)[i];
    __syncthreads();
    /* t below `behind`, of elements that exist */
    for (int i = threadIdx.x; i < count; i += CPI_PHASES_THREADS) {
        const unsigned at = rest + i * down;
        const int newest = (int)(at / up), phase = (int)(at % up);
        const int64_t here = begin + newest, over = here - p.n + 1;
        int t = over > 0 ? (int)(over < taps ? over : taps) : 0;
        int behind = phase < taps ? (taps - 1 - phase) / (int)up + 1 : 0;
        if (here < behind) behind = (int)here + 1;
        const T *v = elements + (begin - lowest) + newest - t, *c = h + phase + t * (int)up;
        T sum = {};
#pragma unroll 4
        for (; t < behind; t++, c += up, v--) sum = plus(sum, *c, *v);
        ((T *)p.to)[row * p.m + first + i] = sum;
    }
}

#endif
