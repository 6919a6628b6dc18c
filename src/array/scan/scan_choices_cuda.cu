/* GPU scans whose result is one of the elements, or a bitwise combination: accumulate of maximum, minimum, fmax, fmin
 * and of the bitwise operations; and all scans of bools. */
#include "cuda/elements.h"
#include "scan/launch_cuda.h"

namespace {

/* Halves are compared as float32 and converted back exactly. */
template <class H, bool NUMBERS, bool LEAST> struct half_choice : runs::choice_of_real<float, NUMBERS, LEAST> {
    typedef H In;
    typedef H Out;
    explicit __device__ __forceinline__ half_choice(uint64_t) : runs::choice_of_real<float, NUMBERS, LEAST>(0) {}
    __device__ __forceinline__ float load(In x) const { return cpi_widen(x); }
    __device__ __forceinline__ Out store(float a) const { return cpi_narrow<H>(a); }
};

template <class T, bool NUMBERS, bool LEAST> cp_code real(cp_stream *stream, const cpi_scan *s)
{
    if constexpr (cpi_half_element<T>) return cpi_scan_launch<half_choice<T, NUMBERS, LEAST>>(stream, s, 0);
    else return cpi_scan_launch<runs::choice_of_real<T, NUMBERS, LEAST>>(stream, s, 0);
}

/* numbers: fmax and fmin. */
template <class E> cp_code choice(cp_stream *stream, const cpi_scan *s, bool least, bool numbers)
{
    typedef typename E::T T;
    if constexpr (E::kind == 'f') {
        if (numbers) return least ? real<T, true, true>(stream, s) : real<T, true, false>(stream, s);
        return least ? real<T, false, true>(stream, s) : real<T, false, false>(stream, s);
    }
    else if constexpr (E::kind == 'b')
        return cpi_scan_launch<runs::truth>(stream, s, least ? runs::BITS_AND : runs::BITS_OR);
    else if constexpr (E::kind == 'c')
        return cpi_host->fail(CP_ERROR_INTERNAL, "scan: complex numbers are not chosen from");
    else return cpi_scan_launch<runs::choice_of_whole<typename E::Bits>>(stream, s, cpi_order_flip(s->result, least));
}

template <class E> cp_code bits(cp_stream *stream, const cpi_scan *s, int op)
{
    if constexpr (E::kind == 'b') return cpi_scan_launch<runs::truth>(stream, s, (uint64_t)op);
    else if constexpr (E::kind == 'i' || E::kind == 'u')
        return cpi_scan_launch<runs::bits<typename E::Bits>>(stream, s, (uint64_t)op);
    else return cpi_host->fail(CP_ERROR_INTERNAL, "scan: there are no bits of type %d", (int)s->result);
}

} // namespace

cp_code cpi_scan_choices(cp_stream *stream, const cpi_scan *s)
{
    return cpi_with_type(s->result, [=](auto element) {
        typedef decltype(element) E;
        switch (s->op) {
        case CPI_SCAN_MAXIMUM: return choice<E>(stream, s, false, false);
        case CPI_SCAN_MINIMUM: return choice<E>(stream, s, true, false);
        case CPI_SCAN_FMAX: return choice<E>(stream, s, false, true);
        case CPI_SCAN_FMIN: return choice<E>(stream, s, true, true);
        case CPI_SCAN_AND: return bits<E>(stream, s, runs::BITS_AND);
        case CPI_SCAN_OR: return bits<E>(stream, s, runs::BITS_OR);
        case CPI_SCAN_XOR: return bits<E>(stream, s, runs::BITS_XOR);
        case CPI_SCAN_ADD:
        case CPI_SCAN_MULTIPLY:
            if constexpr (E::kind == 'b') return choice<E>(stream, s, s->op == CPI_SCAN_MULTIPLY, false);
        }
        return cpi_host->fail(CP_ERROR_INTERNAL, "scan: there is no operation %d", (int)s->op);
    });
}
