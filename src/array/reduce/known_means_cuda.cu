/* Means of elements that are not NaN on the GPU: the sum and the count are accumulated together. */
#include <type_traits>

#include "reduce/reducer.cuh"

cp_code cpi_reducer_known_means(cp_stream *stream, const cpi_reduce_args *a);

namespace reducer {

__device__ __forceinline__ double part_re(c64 x) { return real(x); }
__device__ __forceinline__ double part_re(c128 x) { return real(x); }
template <class R> __device__ __forceinline__ double part_re(R x) { return number(x); }
__device__ __forceinline__ double part_im(c64 x) { return imag(x); }
__device__ __forceinline__ double part_im(c128 x) { return imag(x); }
template <class R> __device__ __forceinline__ double part_im(R) { return 0; }

template <class R> constexpr bool is_pair = std::is_same<R, c64>::value || std::is_same<R, c128>::value;

struct RealMean { double re; int64_t n; };
struct PairMean { double re, im; int64_t n; };

template <class R> struct KnownMean {
    typedef R Raw;
    typedef std::conditional_t<is_pair<R>, PairMean, RealMean> Acc;
    enum { MASKS = false };
    struct State { Acc a, total; int turns; };
    static __device__ void start(State &s, const plan &, const Raw *) { s.a = s.total = Acc{}, s.turns = 0; }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t)
    {
        const double re = part_re(x), im = part_im(x);
        if (re != re || im != im) return;
        s.a.re += re;
        if constexpr (is_pair<R>) s.a.im += im;
        s.a.n++;
    }
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &s) /* sequential sums stay short */
    {
        if ((++s.turns & 15) == 0) s.total = join(s.total, s.a), s.a = Acc{};
    }
    static __device__ Acc result(const State &s) { return join(s.total, s.a); }
    static __device__ __forceinline__ Acc join(Acc a, Acc b)
    {
        a.re += b.re, a.n += b.n;
        if constexpr (is_pair<R>) a.im += b.im;
        return a;
    }
    static __device__ void finalize(const plan &p, Acc a, char *out)
    {
        const double n = (double)a.n;
        if constexpr (is_pair<R>) cpi_store_number(p.a.result, out, a.re / n, a.im / n);
        else cpi_store_number(p.a.result, out, a.re / n, 0);
    }
};

} // namespace reducer

cp_code cpi_reducer_known_means(cp_stream *stream, const cpi_reduce_args *a)
{
    return cpi_with_type(a->type, [&](auto e) -> cp_code {
        typedef decltype(e) E;
        if constexpr (E::kind == 'f' || E::kind == 'c')
            return reducer::launch<reducer::KnownMean<reducer::stored<E>>>(stream, a);
        else return cpi_host->fail(CP_ERROR_TYPE, "nanmean: integers have a reduction of their own");
    });
}
