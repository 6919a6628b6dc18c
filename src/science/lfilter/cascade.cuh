/* Recurrences of few states on the GPU. A warp has 32 chunks side by side, a lane each; tiles of their elements go
 * through shared memory, so that whole lines are loaded and stored. In the first pass a warp also adds up its chunks'
 * states, and a block then carries these along a row; the second pass computes the elements. A chunk may be a whole
 * row, which then needs one pass alone. Filters one behind the other are run together. recur.cuh comes before this one;
 * tests compile both for the CPU. */
#ifndef CPI_LFILTER_CASCADE_CUH
#define CPI_LFILTER_CASCADE_CUH

enum { CPI_CASCADE_THREADS = 128, CPI_CASCADE_HEADS = 256, CPI_CASCADE_BITS = 5, CPI_CASCADE_LINE = 128 };

/* F filters of order O. */
template <int O, int F, class T> struct cpi_cascade_filters {
    T b[F][O + 1], a[F][O + 1];
};
/* The response of state i to state `to` after step 2^bit steps: of[bit][i][to]. */
template <int S, class W> struct cpi_cascade_powers {
    W of[CPI_CASCADE_BITS][S][S];
};

template <class T> struct cpi_cascade_job {
    using W = typename wide_of<T>::type;
    const T *from;
    T *to, *state;         /* a row's states are `apart` from the next one's */
    W *sums, *heads;       /* states x rows x groups x 32: sums of a group's chunks up to one; states x rows x groups:
                            * what a group begins with. NULL: each chunk is a row, and nothing is carried */
    uint8_t *whole;        /* rows that are computed in one piece */
    int64_t rows, n;       /* n elements a row; without `sums` one row of all elements */
    int64_t chunks, each;  /* chunks of a row, their elements, below 2^25; the last one may be shorter */
    int64_t groups, apart; /* warps that a row has */
};

template <class T> struct cpi_cascade_tile {
    enum { WIDE = CPI_CASCADE_LINE / sizeof(T) };
    T of[32][WIDE + 1];
};

__device__ __forceinline__ double from_lane_below(double v, int by) { return __shfl_up_sync(~0u, v, by); }
__device__ __forceinline__ pair_of<double> from_lane_below(pair_of<double> v, int by)
{
    return {from_lane_below(v.re, by), from_lane_below(v.im, by)};
}

__device__ __forceinline__ double plus_fused(double acc, double c, double v) { return fma(c, v, acc); }
__device__ __forceinline__ pair_of<double> plus_fused(pair_of<double> acc, pair_of<double> c, pair_of<double> v)
{
    return {fma(c.re, v.re, fma(-c.im, v.im, acc.re)), fma(c.re, v.im, fma(c.im, v.re, acc.im))};
}
/* z += the response to v. */
template <int S, class W> __device__ __forceinline__ void cpi_cascade_add(W *z, const W (*power)[S], const W *v)
{
#pragma unroll
    for (int i = 0; i < S; i++)
#pragma unroll
        for (int to = 0; to < S; to++) z[to] = plus_fused(z[to], power[i][to], v[i]);
}
/* v after `lane` steps. */
template <int S, class W> __device__ __forceinline__ void cpi_cascade_later(W *v, const W (*powers)[S][S], int lane)
{
#pragma unroll
    for (int bit = 0; bit < CPI_CASCADE_BITS; bit++) {
        W w[S] = {};
        cpi_cascade_add<S>(w, powers[bit], v);
        if (lane >> bit & 1)
#pragma unroll
            for (int i = 0; i < S; i++) v[i] = w[i];
    }
}
/* Each lane's sum of its own z and those of all lanes below, a step each. */
template <int S, class W> __device__ __forceinline__ void cpi_cascade_sums(W *z, const W (*powers)[S][S], int lane)
{
#pragma unroll
    for (int bit = 0; bit < CPI_CASCADE_BITS; bit++) {
        W below[S], w[S];
#pragma unroll
        for (int i = 0; i < S; i++) {
            below[i] = from_lane_below(z[i], 1 << bit);
            w[i] = z[i];
        }
        cpi_cascade_add<S>(w, powers[bit], below);
        if (lane >= 1 << bit)
#pragma unroll
            for (int i = 0; i < S; i++) z[i] = w[i];
    }
}

/* One element through all filters. */
template <int O, int F, class T>
__device__ __forceinline__ T cpi_cascade_step(const cpi_cascade_filters<O, F, T> &c, T *z, T v)
{
#pragma unroll
    for (int f = 0; f < F; f++, z += O) {
        const T r = plus(z[0], c.b[f][0], v);
#pragma unroll
        for (int i = 0; i + 1 < O; i++) z[i] = minus(plus(z[i + 1], c.b[f][i + 1], v), c.a[f][i + 1], r);
        z[O - 1] = minus(plus(T{}, c.b[f][O], v), c.a[f][O], r);
        v = r;
    }
    return v;
}

/* Of 32 chunks of `each` elements, `rest` in all, each through the filters from its own z on; `size` elements of the
 * lane's own. What is loaded for the next tile is on the way while this one is computed. */
template <int O, int F, class T>
__device__ __forceinline__ void cpi_cascade_tiles(const cpi_cascade_filters<O, F, T> &c, cpi_cascade_tile<T> &tile,
                                                  const T *x, T *y, int each, int rest, int size, T *z)
{
    enum { WIDE = cpi_cascade_tile<T>::WIDE, ROWS = 32 / WIDE };
    const int lane = threadIdx.x % 32, column = lane % WIDE, line = lane / WIDE, longest = rest < each ? rest : each;
    T next[WIDE];
#pragma unroll
    for (int i = 0; i < WIDE; i++) {
        const int at = (i * ROWS + line) * each + column;
        next[i] = column < each && at < rest ? x[at] : T{};
    }
#pragma unroll 1
    for (int k = 0; k < longest; k += WIDE) {
#pragma unroll
        for (int i = 0; i < WIDE; i++) tile.of[i * ROWS + line][column] = next[i];
        __syncwarp();
        const int now = k + column, later = now + WIDE;
#pragma unroll
        for (int i = 0; i < WIDE; i++) {
            const int at = (i * ROWS + line) * each + later;
            next[i] = later < each && at < rest ? x[at] : T{};
        }
        T *own = tile.of[lane];
        if (k + WIDE <= size) {
#pragma unroll 8
            for (int i = 0; i < WIDE; i++) own[i] = cpi_cascade_step<O, F>(c, z, own[i]);
        } else {
#pragma unroll 1
            for (int i = 0; k + i < size; i++) own[i] = cpi_cascade_step<O, F>(c, z, own[i]);
        }
        __syncwarp();
        if (!y) continue;
#pragma unroll
        for (int i = 0; i < WIDE; i++) {
            const int at = (i * ROWS + line) * each + now;
            if (now < each && at < rest) y[at] = tile.of[i * ROWS + line][column];
        }
        __syncwarp();
    }
}

/* What warp `warp` does in a pass: the elements, or the sums of its chunks' last states from zeros. */
template <int O, int F, class T>
__device__ void cpi_cascade_pass(const cpi_cascade_job<T> &j, const cpi_cascade_filters<O, F, T> &c,
                              const cpi_cascade_powers<O * F, typename wide_of<T>::type> &p, cpi_cascade_tile<T> &tile,
                              unsigned warp, bool elements)
{
    using W = typename wide_of<T>::type;
    enum { S = O * F, FAR = 1 << 30 };
    const int lane = threadIdx.x % 32, each = (int)j.each;
    const int64_t row = warp / (unsigned)j.groups, group = warp % (unsigned)j.groups, chunk = group * 32 + lane;
    if (row >= j.rows) return;
    const int64_t first = group * 32 * each, behind = j.n - first;
    const T *x = j.from + row * j.n;
    T *y = j.to + row * j.n, *state = j.state + (j.sums ? row : chunk) * j.apart, z[S] = {};
    const bool last = chunk + 1 == j.chunks;
    const int rest = behind < FAR ? (int)behind : FAR;
    int size = chunk < j.chunks ? rest - lane * each : 0;
    if (size > each) size = each;
    W *sum = j.sums + (int64_t)warp * 32 + lane;
    const int64_t heads = j.rows * j.groups, all = heads * 32;
    if (!j.sums) {
        if (size > 0)
            for (int i = 0; i < S; i++) z[i] = state[i];
    } else if (!elements) {
        if (last) size = 0;
    } else if (j.whole[row]) {
        if (chunk) return;
        for (int i = 0; i < S; i++) z[i] = state[i];
#pragma unroll 1
        for (int64_t k = 0; k < j.n; k++) y[k] = cpi_cascade_step<O, F>(c, z, x[k]);
        for (int i = 0; i < S; i++) state[i] = z[i];
        return;
    } else {
        W v[S];
#pragma unroll
        for (int i = 0; i < S; i++) v[i] = j.heads[i * heads + warp];
        cpi_cascade_later<S>(v, p.of, lane);
#pragma unroll
        for (int i = 0; i < S; i++) {
            const W below = lane ? sum[i * all - 1] : W{};
            narrow(z[i], plus_one(below, v[i]));
        }
    }
    cpi_cascade_tiles<O, F>(c, tile, x + first, elements ? y + first : (T *)nullptr, each, rest, size, z);
    if (!elements) {
        W v[S];
#pragma unroll
        for (int i = 0; i < S; i++) v[i] = widen(z[i]);
        cpi_cascade_sums<S>(v, p.of, lane);
#pragma unroll
        for (int i = 0; i < S; i++) sum[i * all] = v[i];
    } else if (last || (!j.sums && size > 0)) {
        for (int i = 0; i < S; i++) state[i] = z[i];
    }
}

/* What groups begin with. A block, of CPI_CASCADE_HEADS threads at most, has a row, a thread some neighbouring groups.
 * `one`: the response after one group; `each`: after all of a thread's. */
template <int S, class W> struct cpi_cascade_shared {
    W powers[2 * CPI_CASCADE_BITS][S][S]; /* of `each` */
    W ends[CPI_CASCADE_HEADS / 32][S];
    int wrong;
};
/* The powers that `threads` threads need; what others make of those that are missing is not used. */
template <int S, class W>
__device__ __forceinline__ void cpi_cascade_square(cpi_cascade_shared<S, W> &shared, const W (*each)[S], int threads)
{
    for (int t = threadIdx.x; t < S * S; t += blockDim.x) shared.powers[0][t / S][t % S] = each[t / S][t % S];
    for (int bit = 1; threads >> bit; bit++) {
        __syncthreads();
        const W (*last)[S] = shared.powers[bit - 1];
        for (int t = threadIdx.x; t < S * S; t += blockDim.x) {
            W sum = {};
            for (int i = 0; i < S; i++) sum = plus_fused(sum, last[t / S][i], last[i][t % S]);
            shared.powers[bit][t / S][t % S] = sum;
        }
    }
    __syncthreads();
}
/* From each thread's z, behind its own groups, to what these begin with; `first`: the first thread's, else zeros. */
template <int S, class W>
__device__ __forceinline__ void cpi_cascade_before(cpi_cascade_shared<S, W> &shared, const W *first, W *z)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    W v[S];
    cpi_cascade_sums<S>(z, shared.powers, lane);
    if (lane == 31)
        for (int i = 0; i < S; i++) shared.ends[warp][i] = z[i];
    __syncthreads();
    if (!warp && warps > 1) {
        for (int i = 0; i < S; i++) v[i] = lane < warps ? shared.ends[lane][i] : W{};
        cpi_cascade_sums<S>(v, shared.powers + CPI_CASCADE_BITS, lane);
        __syncwarp();
        if (lane < warps)
            for (int i = 0; i < S; i++) shared.ends[lane][i] = v[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < S; i++) {
        v[i] = warp ? shared.ends[warp - 1][i] : W{};
        z[i] = from_lane_below(z[i], 1);
        if (!lane) z[i] = first[i];
    }
    cpi_cascade_later<S>(v, shared.powers, lane);
#pragma unroll
    for (int i = 0; i < S; i++) z[i] = plus_one(z[i], v[i]);
}
/* What carrying needs of a job. One kernel is for elements of single and of double precision. */
template <class W> struct cpi_cascade_ends {
    const void *state;
    const W *sums;
    W *heads;
    uint8_t *whole;
    int64_t rows, groups, apart;
    bool single;
};
template <class T>
__host__ __device__ cpi_cascade_ends<typename wide_of<T>::type> cpi_cascade_ends_of(const cpi_cascade_job<T> &j)
{
    const bool single = sizeof(T) < sizeof(typename wide_of<T>::type);
    return {j.state, j.sums, j.heads, j.whole, j.rows, j.groups, j.apart, single};
}
template <int S, class W>
__device__ void cpi_cascade_carry(const cpi_cascade_ends<W> &j, const W (*one)[S], const W (*each)[S],
                                  cpi_cascade_shared<S, W> &shared)
{
    using N = typename single_of<W>::type;
    const int64_t row = blockIdx.x, heads = j.rows * j.groups;
    const int64_t many = (j.groups + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * many;
    const int64_t behind = begin + many, end = behind < j.groups ? behind : j.groups;
    const W *sums = j.sums + row * j.groups * 32 + 31;
    W z[S] = {}, first[S] = {}, v[S], next[S];
    bool good = true;
#pragma unroll
    for (int i = 0; i < S; i++) next[i] = begin < end ? sums[(i * heads + begin) * 32] : W{};
    if (!threadIdx.x) {
        shared.wrong = 0;
        for (int i = 0; i < S; i++) {
            const int64_t at = row * j.apart + i;
            z[i] = first[i] = j.single ? widen(((const N *)j.state)[at]) : ((const W *)j.state)[at];
        }
    }
    cpi_cascade_square<S>(shared, each, (int)((j.groups - 1) / many));
    for (int64_t g = begin; g < behind; g++) {
#pragma unroll
        for (int i = 0; i < S; i++) {
            v[i] = next[i];
            next[i] = g + 1 < end ? sums[(i * heads + g + 1) * 32] : W{};
        }
        cpi_cascade_add<S>(v, one, z);
#pragma unroll
        for (int i = 0; i < S; i++) z[i] = v[i];
    }
    cpi_cascade_before<S>(shared, first, z);
#pragma unroll
    for (int i = 0; i < S; i++) next[i] = begin < end ? sums[(i * heads + begin) * 32] : W{};
    for (int64_t g = begin; g < end; g++) {
#pragma unroll
        for (int i = 0; i < S; i++) {
            N rounded;
            narrow(rounded, z[i]);
            j.heads[i * heads + row * j.groups + g] = z[i];
            v[i] = next[i];
            next[i] = g + 1 < end ? sums[(i * heads + g + 1) * 32] : W{};
            good = good && is_number(j.single ? widen(rounded) : z[i]) && is_number(v[i]);
        }
        cpi_cascade_add<S>(v, one, z);
#pragma unroll
        for (int i = 0; i < S; i++) z[i] = v[i];
    }
    if (!good) shared.wrong = 1;
    __syncthreads();
    if (!threadIdx.x) j.whole[row] = shared.wrong != 0;
}

#endif
