/* Cumulative sums and products on the GPU. Widened elements are converted as they are read, and halves are
 * accumulated without an intermediate float32 array. */
#include "cuda/elements.h"
#include "scan/launch_cuda.h"

namespace {

template <class H, bool MULTIPLY> struct half_real : runs::real<float, MULTIPLY> {
    typedef H In;
    typedef H Out;
    static __device__ __forceinline__ double load(In x, bool known)
    {
        return runs::real<float, MULTIPLY>::load(cpi_widen(x), known);
    }
    static __device__ __forceinline__ Out store(double a) { return cpi_narrow<H>((float)a); }
};

template <class E, class R, bool MULTIPLY> cp_code words_of(cp_stream *stream, const cpi_scan *s)
{
    typedef typename E::T T;
    constexpr bool widens = sizeof(typename R::T) < sizeof(T);
    if constexpr (E::type == R::type) {
        if constexpr (E::type == CP_BOOL)
            return cpi_scan_launch<runs::truth<MULTIPLY ? runs::BITS_AND : runs::BITS_OR>>(stream, s);
        else if constexpr (E::kind == 'c') return cpi_scan_launch<runs::complexes<T, MULTIPLY>>(stream, s);
        else if constexpr (cpi_half_element<T>) return cpi_scan_launch<half_real<T, MULTIPLY>>(stream, s);
        else if constexpr (E::kind == 'f') return cpi_scan_launch<runs::real<T, MULTIPLY>>(stream, s);
        else return cpi_scan_launch<runs::whole<typename E::Bits, typename E::Bits, MULTIPLY>>(stream, s);
    } else if constexpr ((E::type == CP_INT64 || E::type == CP_UINT64) && widens && R::kind == 'b') {
        return cpi_scan_launch<runs::whole<runs::flag, uint64_t, MULTIPLY>>(stream, s);
    } else if constexpr ((E::type == CP_INT64 || E::type == CP_UINT64) && widens &&
                         (R::kind == 'i' || R::kind == 'u')) {
        return cpi_scan_launch<runs::whole<typename R::T, uint64_t, MULTIPLY>>(stream, s);
    } else {
        return cpi_host->fail(CP_ERROR_INTERNAL, "scan: no kernel of type %d reads type %d", (int)s->result,
                              (int)s->source);
    }
}

} // namespace

cp_code cpi_scan_cuda_scan(cp_stream *stream, const cpi_scan *s)
{
    if (s->op != CPI_SCAN_ADD && s->op != CPI_SCAN_MULTIPLY) return cpi_scan_choices(stream, s);
    return cpi_with_type(s->result, [=](auto element) {
        typedef decltype(element) E;
        return cpi_with_type(s->source, [=](auto stored) {
            typedef decltype(stored) R;
            return s->op == CPI_SCAN_ADD ? words_of<E, R, false>(stream, s) : words_of<E, R, true>(stream, s);
        });
    });
}

