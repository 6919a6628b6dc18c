/* Cumulative sums and products on the GPU. Widened elements are converted as they are read, and halves are
 * accumulated without an intermediate float32 array. */
#include "cuda/elements.h"
#include "scan/launch_cuda.h"

namespace {

template <class H, bool MULTIPLY> struct half_real : runs::real<float, MULTIPLY> {
    typedef H In;
    typedef H Out;
    typedef runs::real<float, MULTIPLY> base;
    explicit __device__ __forceinline__ half_real(uint64_t mode) : base(mode) {}
    __device__ __forceinline__ double load(In x) const { return base::load(cpi_widen(x)); }
    __device__ __forceinline__ Out store(double a) const { return cpi_narrow<H>((float)a); }
};

/* Elements of the result's type. Two operations of narrow integers share their kernels, since these are rare. */
template <class E, bool MULTIPLY> cp_code alike(cp_stream *stream, const cpi_scan *s)
{
    typedef typename E::T T;
    typedef typename E::Bits U;
    if constexpr (E::kind == 'b') return cpi_scan_choices(stream, s);
    else if constexpr (E::kind == 'c') return cpi_scan_launch<runs::complexes<T, MULTIPLY>>(stream, s, s->known);
    else if constexpr (cpi_half_element<T>) return cpi_scan_launch<half_real<T, MULTIPLY>>(stream, s, s->known);
    else if constexpr (E::kind == 'f') return cpi_scan_launch<runs::real<T, MULTIPLY>>(stream, s, s->known);
    else if constexpr (sizeof(U) <= 2) return cpi_scan_launch<runs::whole_of_few_bits<U>>(stream, s, MULTIPLY);
    else return cpi_scan_launch<runs::whole<U, U, MULTIPLY>>(stream, s, 0);
}

/* Elements R that are added or multiplied as 64-bit integers. Sums of 32-bit elements are frequent: they have a kernel
 * for each type. */
template <class R, bool MULTIPLY> cp_code wider(cp_stream *stream, const cpi_scan *s)
{
    typedef typename R::T T;
    if constexpr (R::kind == 'b') return cpi_scan_launch<runs::whole<runs::flag, uint64_t, MULTIPLY>>(stream, s, 0);
    else if constexpr (sizeof(T) == 4 && !MULTIPLY)
        return cpi_scan_launch<runs::whole<T, uint64_t, MULTIPLY>>(stream, s, 0);
    else
        return cpi_scan_launch<runs::widened<typename R::Bits, MULTIPLY>>(stream, s, cpi_order_flip(s->source, false));
}

template <class E, class R, bool MULTIPLY> cp_code words_of(cp_stream *stream, const cpi_scan *s)
{
    constexpr bool of_64_bits = E::type == CP_INT64 || E::type == CP_UINT64;
    constexpr bool widens = sizeof(typename R::T) < sizeof(typename E::T);
    if constexpr (E::type == R::type) return alike<E, MULTIPLY>(stream, s);
    else if constexpr (of_64_bits && widens && (R::kind == 'b' || R::kind == 'i' || R::kind == 'u'))
        return wider<R, MULTIPLY>(stream, s);
    else
        return cpi_host->fail(CP_ERROR_INTERNAL, "scan: no kernel of type %d reads type %d", (int)s->result,
                              (int)s->source);
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
