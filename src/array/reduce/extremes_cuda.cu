/* Minimum and maximum on the GPU: NaN wins, or (known_lowest, known_highest) numbers win. */
#include "reduce/keys.cuh"
#include "reduce/reducers_cuda.h"

namespace reducer {

/* The higher of two keys; NaN wins. */
template <class K> __device__ __forceinline__ K higher(K a, K b);
template <> __device__ __forceinline__ uint32_t higher(uint32_t a, uint32_t b) { return max(a, b); }
template <> __device__ __forceinline__ uint64_t higher(uint64_t a, uint64_t b) { return a > b ? a : b; }
template <> __device__ __forceinline__ float higher(float a, float b)
{
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
template <> __device__ __forceinline__ double higher(double a, double b) { return a >= b || a != a ? a : b; }

/* The higher of two keys; numbers win. */
template <class K> __device__ __forceinline__ K higher_known(K a, K b);
template <> __device__ __forceinline__ float higher_known(float a, float b) { return fmaxf(a, b); }
template <> __device__ __forceinline__ double higher_known(double a, double b) { return a >= b || b != b ? a : b; }

template <class K> __device__ __forceinline__ K unknown_key() { return (K)NAN; }

__device__ __forceinline__ uint64_t flip_of(const plan &p)
{
    return cpi_order_flip(p.a.type, p.a.reducer == CPI_REDUCER_LOWEST || p.a.reducer == CPI_REDUCER_KNOWN_LOWEST);
}

template <class R, bool KNOWN> struct Extreme {
    typedef R Raw;
    typedef typename keyed<R>::type Acc;
    enum { MASKS = true };
    struct State { Acc a; uint64_t flip; };
    static __device__ void start(State &s, const plan &p, const Raw *)
    {
        if constexpr (KNOWN) s.a = unknown_key<Acc>();
        else s.a = lowest_key<Acc>();
        s.flip = flip_of(p);
    }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t) { s.a = join(s.a, key(flipped(x, s.flip))); }
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &) {}
    static __device__ Acc result(const State &s) { return s.a; }
    static __device__ __forceinline__ Acc join(Acc a, Acc b)
    {
        if constexpr (KNOWN) return higher_known(a, b);
        else return higher(a, b);
    }
    static __device__ __forceinline__ R result_of(const plan &p, Acc a)
    {
        uint64_t flip = flip_of(p);
        if (p.a.initial) {
            R raw;
            memcpy(&raw, p.a.value, sizeof raw);
            a = join(a, key(flipped(raw, flip)));
        }
        return flipped(of_key<R>(a), flip);
    }
    static __device__ void finalize(const plan &p, Acc a, char *out) { *(R *)out = result_of(p, a); }
};

template <class R, bool KNOWN> struct gives_elements<Extreme<R, KNOWN>> { static constexpr bool ever = true; };

template <class R, bool KNOWN> struct batch<Extreme<R, KNOWN>> {
    template <int U, int V>
    static __device__ __forceinline__ void add(typename Extreme<R, KNOWN>::State &s, const vector<R, V> (&v)[U],
                                               int64_t, int64_t)
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            vector<R, V> w = flipped(v[u], s.flip);
#pragma unroll
            for (int e = 0; e < V; e++) s.a = Extreme<R, KNOWN>::join(s.a, key(w.x[e]));
        }
    }
};

/* Complex numbers: of several NaN the first wins, and NaNs differ; so indices accompany the values. */
template <class R, bool KNOWN> struct FirstExtreme {
    typedef R Raw;
    struct Acc { int64_t index; R key; }; /* index -1: nothing */
    enum { MASKS = true };
    struct State { Acc a; uint64_t flip; };
    static __device__ void start(State &s, const plan &p, const Raw *)
    {
        s.a = Acc{-1, lowest_key<R>()};
        s.flip = flip_of(p);
    }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t i)
    {
        s.a = join(s.a, Acc{i, flipped(x, s.flip)});
    }
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &) {}
    static __device__ Acc result(const State &s) { return s.a; }
    /* The better of two elements, neither of them empty. */
    static __device__ __forceinline__ Acc better(Acc a, Acc b)
    {
        bool an = is_nan(a.key), bn = is_nan(b.key);
        if (an != bn) return an != KNOWN ? a : b;
        if (!an && beats(a.key, b.key)) return a;
        if (!an && beats(b.key, a.key)) return b;
        return a.index < b.index ? a : b;
    }
    static __device__ __forceinline__ Acc join(Acc a, Acc b)
    {
        if (b.index < 0) return a;
        return a.index < 0 ? b : better(a, b);
    }
    static __device__ void finalize(const plan &p, Acc a, char *out)
    {
        uint64_t flip = flip_of(p);
        if (p.a.initial) { /* before all elements */
            Acc first = {-1, {0, 0}};
            memcpy(&first.key, p.a.value, sizeof first.key);
            first.key = flipped(first.key, flip);
            a = a.index < 0 ? first : better(first, a);
        } else if (KNOWN && a.index < 0) {
            a.key.re = a.key.im = NAN;
        }
        *(R *)out = flipped(a.key, flip);
    }
};

/* Elements loaded together are compared in order with the current best, and only the winner's index is computed.
 * Where NaN wins they are compared one by one. */
template <class R, bool KNOWN> struct batch<FirstExtreme<R, KNOWN>> {
    template <int U, int V>
    static __device__ __forceinline__ void add(typename FirstExtreme<R, KNOWN>::State &s, const vector<R, V> (&v)[U],
                                               int64_t at, int64_t step)
    {
        const bool first = s.a.index < 0, unknown = !first && is_nan(s.a.key);
        if (unknown && !KNOWN) return; /* an earlier one */
        bool any_nan = false;
        int won = -1;
        R best = s.a.key;
        if (first || unknown) best.re = NAN; /* which every number beats */
#pragma unroll
        for (int k = 0; k < U * V; k++) {
            const R x = flipped(v[k / V].x[k % V], s.flip);
            const bool nan = is_nan(x);
            any_nan |= nan;
            if (!nan && !(x.re < best.re) && !(x.re == best.re && x.im <= best.im)) best = x, won = k;
        }
        if (any_nan && !KNOWN) {
#pragma unroll
            for (int k = 0; k < U * V; k++)
                FirstExtreme<R, KNOWN>::add(s, v[k / V].x[k % V], at + k / V * step + k % V);
        } else if (won >= 0) {
            s.a.index = at + won / V * step + won % V;
            s.a.key = best;
        } else if (first) {
            s.a.index = at;
            s.a.key = flipped(v[0].x[0], s.flip);
        }
    }
};

template <class R, bool KNOWN> constexpr bool loads_ahead<FirstExtreme<R, KNOWN>> = true;

template <class R, bool KNOWN> struct by_type { typedef Extreme<R, KNOWN> type; };
template <bool KNOWN> struct by_type<c64, KNOWN> { typedef FirstExtreme<c64, KNOWN> type; };
template <bool KNOWN> struct by_type<c128, KNOWN> { typedef FirstExtreme<c128, KNOWN> type; };

template <class R> using Any = typename by_type<R, false>::type;
template <class R> using Known = typename by_type<R, true>::type;

} // namespace reducer

cp_code cpi_reducer_extremes(cp_stream *s, const cpi_reduce_args *a)
{
    bool known = a->reducer == CPI_REDUCER_KNOWN_LOWEST || a->reducer == CPI_REDUCER_KNOWN_HIGHEST;
    return known ? reducer::launch_ordered_floats<reducer::Known>(s, a) : reducer::launch_ordered<reducer::Any>(s, a);
}
