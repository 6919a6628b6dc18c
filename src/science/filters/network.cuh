/* Sorting networks of registers. All indices are known when kernels are compiled, so steps whose results nobody reads
 * fall away. */
#ifndef CPI_FILTERS_NETWORK_CUH
#define CPI_FILTERS_NETWORK_CUH

template <class K> __device__ __forceinline__ void network_order(K &a, K &b)
{
    const K low = a < b ? a : b, high = a < b ? b : a;
    a = low, b = high;
}

/* Batcher's merge of the sorted x and y. */
template <class K, int M, int N>
__device__ __forceinline__ void network_merge(const K (&x)[M], const K (&y)[N], K (&to)[M + N])
{
    if constexpr (M == 1 && N == 1) {
        to[0] = x[0], to[1] = y[0];
        network_order(to[0], to[1]);
    } else if constexpr (M == 1 || N == 1) { /* into its place, from the end */
        constexpr int L = M == 1 ? N : M;
        K one = M == 1 ? x[0] : y[0];
#pragma unroll
        for (int i = 0; i < L; i++) {
            K other;
            if constexpr (M == 1) other = y[i];
            else other = x[i];
            network_order(one, other);
            to[i] = one, one = other;
        }
        to[L] = one;
    } else {
        constexpr int XO = (M + 1) / 2, XE = M / 2, YO = (N + 1) / 2, YE = N / 2;
        K xo[XO], xe[XE], yo[YO], ye[YE], odd[XO + YO], even[XE + YE];
#pragma unroll
        for (int i = 0; i < XO; i++) xo[i] = x[2 * i];
#pragma unroll
        for (int i = 0; i < XE; i++) xe[i] = x[2 * i + 1];
#pragma unroll
        for (int i = 0; i < YO; i++) yo[i] = y[2 * i];
#pragma unroll
        for (int i = 0; i < YE; i++) ye[i] = y[2 * i + 1];
        network_merge<K, XO, YO>(xo, yo, odd);
        network_merge<K, XE, YE>(xe, ye, even);
        to[0] = odd[0];
#pragma unroll
        for (int i = 0; i < XE + YE; i++) {
            if (i + 1 < XO + YO) {
                network_order(even[i], odd[i + 1]);
                to[2 * i + 1] = even[i], to[2 * i + 2] = odd[i + 1];
            } else {
                to[2 * i + 1] = even[i];
            }
        }
        if constexpr (XO + YO > XE + YE + 1) to[M + N - 1] = odd[XO + YO - 1];
    }
}

template <class K, int N> __device__ __forceinline__ void network_sort(K (&v)[N])
{
    if constexpr (N > 1) {
        constexpr int M = N / 2;
        K x[M], y[N - M];
#pragma unroll
        for (int i = 0; i < M; i++) x[i] = v[i];
#pragma unroll
        for (int i = 0; i < N - M; i++) y[i] = v[M + i];
        network_sort<K, M>(x);
        network_sort<K, N - M>(y);
        network_merge<K, M, N - M>(x, y, v);
    }
}

/* v[at], at < N. */
template <class K, int N> __device__ __forceinline__ K network_pick(const K (&v)[N], int at)
{
    if constexpr (N == 1) {
        return v[0];
    } else {
        constexpr int H = (N + 1) / 2;
        K half[H];
#pragma unroll
        for (int i = 0; i < H; i++) half[i] = 2 * i + 1 < N && (at & 1) ? v[2 * i + 1 < N ? 2 * i + 1 : 0] : v[2 * i];
        return network_pick<K, H>(half, at >> 1);
    }
}

/* v[i] becomes v[at + i], where that is an element. */
template <class K, int N> __device__ __forceinline__ void network_shift(K (&v)[N], int at)
{
#pragma unroll
    for (int b = 5; b >= 0; b--) {
        const int s = 1 << b;
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i + s < N) v[i] = at & s ? v[i + s < N ? i + s : 0] : v[i];
    }
}

/* What stands at `rank` when the sorted x and y are merged: the least over i of the greater one of x[rank - i] and
 * y[i - 1], since i elements of y and rank + 1 - i of x are not above it. */
template <class K, int M, int N>
__device__ __forceinline__ K network_rank_of_two(const K (&x)[M], const K (&y)[N], int rank)
{
    K all[M + 2 * N], best = ~(K)0; /* x between the least and the greatest numbers */
#pragma unroll
    for (int i = 0; i < M + 2 * N; i++) all[i] = i < N ? (K)0 : i < N + M ? x[i < N || i >= N + M ? 0 : i - N] : ~(K)0;
    network_shift(all, rank);
#pragma unroll
    for (int i = 0; i <= N; i++) {
        K v = all[N - i]; /* x[rank - i] */
        if (i > 0) v = v > y[i > 0 ? i - 1 : 0] ? v : y[i > 0 ? i - 1 : 0];
        best = v < best ? v : best;
    }
    return best;
}

#endif
