/* GPU scans whose result is one of the elements, or a bitwise combination: accumulate of maximum, minimum, fmax, fmin
 * and of the bitwise operations; and all scans of bools. */
#include "cuda/elements.h"
#include "scan/launch_cuda.h"

namespace {

/* Halves are compared as float32 and converted back exactly. No sign is flipped: a NaN keeps its own. */
template <class H, bool NUMBERS, bool LEAST> struct half_choice : runs::choice_of_real<float, NUMBERS> {
    typedef H In;
    typedef H Out;
    typedef runs::choice_of_real<float, NUMBERS> base;
    explicit __device__ __forceinline__ half_choice(uint64_t) : base(0) {}
    __device__ __forceinline__ float load(In x) const { return cpi_widen(x); }
    __device__ __forceinline__ Out store(float a) const { return cpi_narrow<H>(a); }
    __device__ __forceinline__ float nothing() const { return LEAST && !NUMBERS ? -base::nothing() : base::nothing(); }
    __device__ __forceinline__ float join(float a, float b) const
    {
        const bool first = LEAST ? a <= b : a >= b;
        if (!NUMBERS) return first || a != a ? a : b;
        return (first || b != b) && !this->is_nothing(a) ? a : b;
    }
};

template <class H, bool NUMBERS> cp_code half(cp_stream *stream, const cpi_scan *s, bool least)
{
    return least ? cpi_scan_launch<half_choice<H, NUMBERS, true>>(stream, s, 0)
                 : cpi_scan_launch<half_choice<H, NUMBERS, false>>(stream, s, 0);
}

/* numbers: fmax and fmin. */
template <class E> cp_code choice(cp_stream *stream, const cpi_scan *s, bool least, bool numbers)
{
    typedef typename E::T T;
    const uint64_t flip = cpi_order_flip(s->result, least);
    if constexpr (E::kind == 'f' && cpi_half_element<T>)
        return numbers ? half<T, true>(stream, s, least) : half<T, false>(stream, s, least);
    else if constexpr (E::kind == 'f')
        return numbers ? cpi_scan_launch<runs::choice_of_real<T, true>>(stream, s, flip)
                       : cpi_scan_launch<runs::choice_of_real<T, false>>(stream, s, flip);
    else if constexpr (E::kind == 'b')
        return cpi_scan_launch<runs::truth>(stream, s, least ? runs::BITS_AND : runs::BITS_OR);
    else if constexpr (E::kind == 'c')
        return cpi_host->fail(CP_ERROR_INTERNAL, "scan: complex numbers are not chosen from");
    else return cpi_scan_launch<runs::choice_of_whole<typename E::Bits>>(stream, s, flip);
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
