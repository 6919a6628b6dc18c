/* GPU scans whose result is one of the elements, or a bitwise combination: accumulate of maximum, minimum, fmax, fmin
 * and of the bitwise operations. */
#include "cuda/elements.h"
#include "scan/launch_cuda.h"

namespace {

/* Halves are compared as float32 and converted back exactly. */
template <class H, bool MOST, bool NUMBERS> struct half_choice : runs::choice_of_real<float, MOST, NUMBERS> {
    typedef H In;
    typedef H Out;
    static __device__ __forceinline__ float load(In x, bool) { return cpi_widen(x); }
    static __device__ __forceinline__ Out store(float a) { return cpi_narrow<H>(a); }
};

template <class E, bool MOST, bool NUMBERS> cp_code choice(cp_stream *stream, const cpi_scan *s)
{
    typedef typename E::T T;
    if constexpr (E::kind == 'f' && cpi_half_element<T>)
        return cpi_scan_launch<half_choice<T, MOST, NUMBERS>>(stream, s);
    else if constexpr (E::kind == 'f') return cpi_scan_launch<runs::choice_of_real<T, MOST, NUMBERS>>(stream, s);
    else if constexpr (E::kind == 'b')
        return cpi_scan_launch<runs::truth<MOST ? runs::BITS_OR : runs::BITS_AND>>(stream, s);
    else if constexpr (E::kind == 'c')
        return cpi_host->fail(CP_ERROR_INTERNAL, "scan: complex numbers are not chosen from");
    else return cpi_scan_launch<runs::choice_of_whole<T, MOST>>(stream, s);
}

template <class E, int OP> cp_code bits(cp_stream *stream, const cpi_scan *s)
{
    if constexpr (E::kind == 'b') return cpi_scan_launch<runs::truth<OP>>(stream, s);
    else if constexpr (E::kind == 'i' || E::kind == 'u')
        return cpi_scan_launch<runs::bits<typename E::Bits, OP>>(stream, s);
    else return cpi_host->fail(CP_ERROR_INTERNAL, "scan: there are no bits of type %d", (int)s->result);
}

} // namespace

cp_code cpi_scan_choices(cp_stream *stream, const cpi_scan *s)
{
    return cpi_with_type(s->result, [=](auto element) {
        typedef decltype(element) E;
        switch (s->op) {
        case CPI_SCAN_MAXIMUM: return choice<E, true, false>(stream, s);
        case CPI_SCAN_MINIMUM: return choice<E, false, false>(stream, s);
        case CPI_SCAN_FMAX: return choice<E, true, E::kind == 'f'>(stream, s);
        case CPI_SCAN_FMIN: return choice<E, false, E::kind == 'f'>(stream, s);
        case CPI_SCAN_AND: return bits<E, runs::BITS_AND>(stream, s);
        case CPI_SCAN_OR: return bits<E, runs::BITS_OR>(stream, s);
        case CPI_SCAN_XOR: return bits<E, runs::BITS_XOR>(stream, s);
        case CPI_SCAN_ADD: case CPI_SCAN_MULTIPLY: break;
        }
        return cpi_host->fail(CP_ERROR_INTERNAL, "scan: there is no operation %d", (int)s->op);
    });
}
