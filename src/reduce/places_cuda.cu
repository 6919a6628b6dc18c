/* Places of the minimum and the maximum on the GPU: the first of equals, the first NaN where there is one. */
#include "reduce/order.cuh"

namespace fold {

template <class T, bool LOW> struct Place {
    typedef T Raw;
    typedef typename keyed<T>::type Key;
    struct Acc { int64_t index; Key value; };
    struct State { int64_t index; Key value; };
    static __device__ void start(State &s, const plan &, const Raw *) { s.index = -1, s.value = worst<LOW, T>::value(); }
    /* A thread meets its elements in rising order, but for the few beside whole vectors: join breaks their ties. */
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t i)
    {
        Key k = key(x);
        bool better = beats<LOW>(k, s.value) || (is_nan(k) && !is_nan(s.value)) || s.index < 0;
        bool same = !better && i < s.index && (k == s.value || (is_nan(k) && is_nan(s.value)));
        if (better || same) s.index = i, s.value = k;
    }
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &) {}
    static __device__ Acc result(const State &s) { return Acc{s.index, s.value}; }
    static __device__ Acc join(Acc a, Acc b)
    {
        if (b.index < 0) return a;
        if (a.index < 0) return b;
        bool an = is_nan(a.value), bn = is_nan(b.value);
        if (an || bn) return an && bn ? (a.index < b.index ? a : b) : an ? a : b;
        if (beats<LOW>(b.value, a.value)) return b;
        if (beats<LOW>(a.value, b.value)) return a;
        return a.index < b.index ? a : b;
    }
    static __device__ void finish(const plan &p, Acc a, char *out)
    {
        *(int64_t *)out = cpi_finish_place(p.a.op, a.index, p.a.reduced);
    }
};

/* The first best of a batch is found with small indices, then compared once. NaN goes the careful way. */
template <class T, bool LOW> struct batch<Place<T, LOW>> {
    template <int U, int V>
    static __device__ __forceinline__ void add(typename Place<T, LOW>::State &s, const vector<T, V> (&v)[U], int64_t at,
                                               int64_t step)
    {
        typedef typename keyed<T>::type Key;
        Key best = key(v[0].x[0]);
        int where = 0;
        bool nan = is_nan(best) || is_nan(s.value);
#pragma unroll
        for (int i = 1; i < U * V; i++) {
            Key k = key(v[i / V].x[i % V]);
            nan |= is_nan(k);
            if (beats<LOW>(k, best)) best = k, where = i;
        }
        if (nan) {
#pragma unroll
            for (int i = 0; i < U * V; i++) Place<T, LOW>::add(s, v[i / V].x[i % V], at + i / V * step + i % V);
        } else if (s.index < 0 || beats<LOW>(best, s.value)) {
            s.index = at + where / V * step + where % V, s.value = best;
        }
    }
};

__device__ __forceinline__ bool operator==(c64 a, c64 b) { return a.re == b.re && a.im == b.im; }
__device__ __forceinline__ bool operator==(c128 a, c128 b) { return a.re == b.re && a.im == b.im; }

} // namespace fold

cp_code cpi_fold_places(cp_stream *s, const cpi_reduce_args *a)
{
    return a->fold == CPI_FOLD_LOW_PLACE ? fold::launch_ordered<fold::Place, true>(s, a)
                                         : fold::launch_ordered<fold::Place, false>(s, a);
}
