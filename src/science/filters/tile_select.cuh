/* Ranks of larger boxes from shared memory: the element is searched for by counting how many of a window's lie below a
 * number, which is guessed from the counts before; then elements that were met are the bounds. Without a CUDA runtime,
 * as tile.cuh. */
#ifndef CPI_FILTERS_TILE_SELECT_CUH
#define CPI_FILTERS_TILE_SELECT_CUH

#include "filters/tile_window.cuh"

/* Keys as numbers, nearly enough to guess by, and back. */
template <class T> struct select_number {
    static __device__ __forceinline__ double of(uint32_t k) { return (double)k; }
    static __device__ __forceinline__ uint32_t key(double v, uint32_t) { return (uint32_t)v; }
};
template <> struct select_number<float> {
    static __device__ __forceinline__ double of(uint32_t k)
    {
        return __uint_as_float(filter_float_bits<uint32_t>(k, 0x7fc00000u, 0x80000000u));
    }
    static __device__ __forceinline__ uint32_t key(double v, uint32_t)
    {
        return filter_float_key<uint32_t>(__float_as_uint((float)v), 0x7f800000u, 0x80000000u, false);
    }
};
template <> struct select_number<double> {
    static __device__ __forceinline__ double of(uint64_t k)
    {
        const uint64_t bits = filter_float_bits<uint64_t>(k, 0x7ff8000000000000ull, 0x8000000000000000ull);
        return __longlong_as_double((long long)bits);
    }
    static __device__ __forceinline__ uint64_t key(double v, uint64_t)
    {
        return filter_float_key<uint64_t>((uint64_t)__double_as_longlong(v), 0x7ff0000000000000ull,
                                          0x8000000000000000ull, false);
    }
};

/* A number above `low` and not above `high`, low < high: by the share t of the way between their numbers, or of the
 * keys. */
template <class T, class K> __device__ __forceinline__ K select_guess(K low, K high, double t, bool keys)
{
    const double a = select_number<T>::of(low), v = a + (select_number<T>::of(high) - a) * t;
    K guess = low + (high - low) / 2 + 1;
    if (!keys && v - v == 0) guess = select_number<T>::key(v, K());
    return guess <= low ? low + 1 : guess > high ? high : guess;
}

/* visit(element) for each of a window. */
template <class K, class F>
__device__ __forceinline__ void select_each(const tile_windows &a, const K *in, F visit)
{
    for (int y = 0; y < a.size_y; y++, in += a.pitch) {
#pragma unroll 4
        for (int x = 0; x < a.size_x; x++) visit(in[x]);
    }
}

/* The element of a.rank in the window at `in`; `first`: a guess. Always the answer is from `low` to `high`, below which
 * and up to which there are `under` and `upto` elements. */
template <class T, class K>
__device__ __forceinline__ K select_rank(const tile_windows &a, const K *in, K first)
{
    const K none = ~(K)0; /* NaN; also the greatest number of types without it */
    K low = none, high = 0;
    int under = 0, upto = 0, count = 0;
    select_each(a, in, [&](K v) {
        low = v < low ? v : low;
        high = v > high && v < none ? v : high;
        upto += v < none;
        count += v < first;
    });
    if (upto <= a.rank) return none;
    if (first > low && first <= high) {
        if (count <= a.rank) low = first, under = count;
        else high = first - 1, upto = count;
    }
    for (int pass = 0; pass < 4 && low < high && upto - under > 1; pass++) {
        const K guess = select_guess<T, K>(low, high, (a.rank - under + 0.5) / (upto - under), false);
        count = 0;
        select_each(a, in, [&](K v) { count += v < guess; });
        if (count <= a.rank) low = guess, under = count;
        else high = guess - 1, upto = count;
    }
    for (int pass = 0; low < high; pass++) { /* the bounds become elements */
        const K guess = select_guess<T, K>(low, high, 0.5, pass & 1);
        K below = 0, above = none;
        count = 0;
        select_each(a, in, [&](K v) {
            const bool less = v < guess;
            count += less;
            if (less) below = v > below ? v : below;
            else above = v < above ? v : above;
        });
        if (upto - under == 1) return count <= a.rank ? above : below;
        if (count <= a.rank) low = above, under = count;
        else high = below, upto = count;
    }
    return low;
}

/* R windows of a thread, one above the other: each begins with what the one before found. */
template <class K, class T, int R> __device__ __forceinline__ void tile_selects(const tile_windows &a, K *shared)
{
    const tile_place p(a);
    const cp_type type = tile_type<T>(a.from);
    tile_read<0>(a, p, shared, [&](int64_t i) { return filter_key<K>(type, a.in, i, false); },
                 [&] { return tile_fill<K>(a.from, a.fill, false); });
    __syncthreads();
    const int x = threadIdx.x & ((1 << a.threads_bits) - 1), y = (threadIdx.x >> a.threads_bits) * R;
    if (p.x + x >= a.width) return;
    const K *in = shared + y * a.pitch + x;
    K found = in[a.size_y / 2 * a.pitch + a.size_x / 2];
    for (int i = 0; i < R && p.y + y + i < a.height; i++, in += a.pitch) {
        found = select_rank<T, K>(a, in, found);
        filter_set_key<K>(type, a.out, p.image + (int64_t)(p.y + y + i) * a.width + p.x + x, found);
    }
}

#endif
