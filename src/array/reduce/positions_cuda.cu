/* argmin and argmax on the GPU: the first of equal elements, or the first NaN. Or, for nanargmin and nanargmax, NaN
 * is skipped, and counts as an infinity only where no element beats that, as in NumPy. */
#include "reduce/keys.cuh"
#include "reduce/reducers_cuda.h"

namespace reducer {

template <class K> __device__ __forceinline__ bool equal(K a, K b) { return a == b; }
template <> __device__ __forceinline__ bool equal(c64 a, c64 b) { return a.re == b.re && a.im == b.im; }
template <> __device__ __forceinline__ bool equal(c128 a, c128 b) { return a.re == b.re && a.im == b.im; }

template <class R> struct Place {
    typedef R Raw;
    typedef typename keyed<R>::type Key;
    struct Acc { int64_t index; Key value; };
    enum { MASKS = false };
    struct State { int64_t index; Key value; uint64_t flip; bool known; };
    static __device__ void start(State &s, const plan &p, const Raw *)
    {
        s.index = -1, s.value = lowest_key<Key>(), s.known = p.a.known;
        s.flip = cpi_order_flip(p.a.type, p.a.reducer == CPI_REDUCER_LOWEST_INDEXED);
    }
    /* A thread sees its elements in rising order, except for the few beside whole vectors: join breaks their ties. */
    static __device__ __forceinline__ void add_key(State &s, Key k, int64_t i)
    {
        /* a NaN already held stays: a comparison may miss it where it is one part of a complex number */
        bool better = s.index < 0 || (!is_nan(s.value) && (beats(k, s.value) || is_nan(k)));
        bool same = !better && i < s.index && (equal(k, s.value) || (is_nan(k) && is_nan(s.value)));
        if (better || same) s.index = i, s.value = k;
    }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t i)
    {
        const Key k = key(flipped(x, s.flip));
        if (!s.known || !is_nan(k)) add_key(s, k, i);
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
        if (beats(b.value, a.value)) return b;
        if (beats(a.value, b.value)) return a;
        return a.index < b.index ? a : b;
    }
    static __device__ void finalize(const plan &p, Acc a, char *out)
    {
        if (p.a.known && a.index < 0) *p.mailbox = p.failure;
        /* where the best known value is the worst possible one, NaN counts as that, and the first element wins */
        if (p.a.known && (a.index < 0 || equal(a.value, lowest_key<Key>()))) a.index = 0;
        *(int64_t *)out = cpi_finalize_indexed(p.a.op, a.index, p.a.reduced);
    }
};

/* An index and a value: with four resident blocks they would not fit the registers. */
template <class R> struct resident<Place<R>> {
    static constexpr int narrow = 2, wide = 3;
};

/* The best of a batch is found with small indices, then compared once. Batches with NaN take the slow path. */
template <class R> struct batch<Place<R>> {
    template <int U, int V>
    static __device__ __forceinline__ void add_known(typename Place<R>::State &s, const vector<R, V> (&w)[U],
                                                     int64_t at, int64_t step)
    {
        auto best = lowest_key<typename keyed<R>::type>();
        int where = -1;
#pragma unroll
        for (int i = 0; i < U * V; i++) {
            const auto k = key(w[i / V].x[i % V]);
            if (beats(k, best) || (where < 0 && !is_nan(k))) best = k, where = i;
        }
        if (where >= 0 && (s.index < 0 || beats(best, s.value)))
            s.index = at + where / V * step + where % V, s.value = best;
    }
    template <int U, int V>
    static __device__ __forceinline__ void add(typename Place<R>::State &s, const vector<R, V> (&v)[U], int64_t at,
                                               int64_t step)
    {
        typedef typename keyed<R>::type Key;
        vector<R, V> w[U];
#pragma unroll
        for (int u = 0; u < U; u++) w[u] = flipped(v[u], s.flip);
        if (s.known) {
            add_known(s, w, at, step);
            return;
        }
        Key best = key(w[0].x[0]);
        int where = 0;
        bool nan = is_nan(best) || is_nan(s.value);
#pragma unroll
        for (int i = 1; i < U * V; i++) {
            Key k = key(w[i / V].x[i % V]);
            nan |= is_nan(k);
            if (beats(k, best)) best = k, where = i;
        }
        if (nan) { /* positions rise: an earlier NaN stays, else the first of these wins */
            if (is_nan(s.value)) return;
#pragma unroll
            for (int i = U * V - 1; i >= 0; i--) {
                Key k = key(w[i / V].x[i % V]);
                if (is_nan(k)) s.index = at + i / V * step + i % V, s.value = k;
            }
        } else if (s.index < 0 || beats(best, s.value)) {
            s.index = at + where / V * step + where % V, s.value = best;
        }
    }
};

} // namespace reducer

cp_code cpi_reducer_positions(cp_stream *s, const cpi_reduce_args *a)
{
    return reducer::launch_ordered<reducer::Place>(s, a);
}
