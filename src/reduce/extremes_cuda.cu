/* Minimum and maximum on the GPU. */
#include "reduce/order.cuh"

namespace fold {

template <class T> __device__ __forceinline__ void store_key(T *to, typename keyed<T>::type k) { *to = (T)k; }
template <> __device__ __forceinline__ void store_key(f16 *to, float k) { to->bits = cps_f32_to_f16(k); }
template <> __device__ __forceinline__ void store_key(bf16 *to, float k) { to->bits = cps_f32_to_bf16(k); }

template <class T, bool LOW> struct Extreme {
    typedef T Raw;
    typedef typename keyed<T>::type Acc;
    struct State { Acc a; };
    static __device__ void start(State &s, const plan &, const Raw *) { s.a = worst<LOW, T>::value(); }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t) { s.a = join(s.a, key(x)); }
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &) {}
    static __device__ Acc result(const State &s) { return s.a; }
    static __device__ __forceinline__ Acc join(Acc a, Acc b)
    {
        return (beats<LOW>(b, a) || is_nan(b)) && !is_nan(a) ? b : a;
    }
    static __device__ void finish(const plan &p, Acc a, char *out)
    {
        if (p.a.initial) {
            T raw;
            memcpy(&raw, p.a.value, sizeof raw);
            a = join(a, key(raw));
        }
        store_key((T *)out, a);
    }
};

} // namespace fold

cp_code cpi_fold_extremes(cp_stream *s, const cpi_reduce_args *a)
{
    return a->fold == CPI_FOLD_LOW ? fold::launch_ordered<fold::Extreme, true>(s, a)
                                   : fold::launch_ordered<fold::Extreme, false>(s, a);
}
