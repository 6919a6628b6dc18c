/* floor_divide, remainder and divmod of integers: divide.inc for each type. */
#include <string.h>

#include "cpu/intrinsics.h"
#include "elementwise/loops.h"
#include "scalar/scalar.h"

#if defined(__SSE2__)
#define DOUBLES /* vectors of double */
#endif

/* --- 32 and 64 bits by one number, in vectors --- */

/* Vectors have products of 32 bits only, one in each 64 bits. */
#if defined(__AVX512DQ__)
enum { BYTES = 64 };
typedef __m512i words;
#define WORDS(name) _mm512_##name
#define WORDS_BITS(name) _mm512_##name##_si512
static inline words load(const void *p) { return _mm512_loadu_si512(p); }
static inline words above_32(words a, words b) { return _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b)); }
static inline words above_64(words a, words b) { return _mm512_movm_epi64(_mm512_cmpgt_epi64_mask(a, b)); }
static inline words odd_of(words even, words odd) { return _mm512_mask_blend_epi32(0xaaaa, even, odd); }
#define all_64(v) _mm512_set1_epi64(v)
#elif defined(__AVX2__)
enum { BYTES = 32 };
typedef __m256i words;
#define WORDS(name) _mm256_##name
#define WORDS_BITS(name) _mm256_##name##_si256
static inline words load(const void *p) { return _mm256_loadu_si256(p); }
static inline words above_32(words a, words b) { return _mm256_cmpgt_epi32(a, b); }
static inline words above_64(words a, words b) { return _mm256_cmpgt_epi64(a, b); }
static inline words odd_of(words even, words odd) { return _mm256_blend_epi32(even, odd, 0xaa); }
#define all_64(v) _mm256_set1_epi64x(v)
#endif

#ifdef WORDS
static inline words half(words a) { return WORDS(srli_epi64)(a, 32); }

/* The upper halves of the products with m. */
static inline words high_32(words a, words m)
{
    return odd_of(half(WORDS(mul_epu32)(a, m)), WORDS(mul_epu32)(half(a), m));
}
static inline words high_64(words a, words m)
{
    const words over = half(a), upper = half(m), low = all_64(0xffffffff);
    const words first = WORDS(add_epi64)(WORDS(mul_epu32)(over, m), half(WORDS(mul_epu32)(a, m)));
    const words second = WORDS(add_epi64)(WORDS(mul_epu32)(a, upper), WORDS_BITS(and)(first, low));
    return WORDS(add_epi64)(WORDS(add_epi64)(WORDS(mul_epu32)(over, upper), half(first)), half(second));
}

/* The loop of `floors` in divide.inc; returns how many elements are done. */
#define FLOORS(bits)                                                                                                 \
    static inline __attribute__((always_inline)) int64_t floors_of_##bits(                                           \
        void *out, const void *a, int64_t n, bool is_signed, bool back, words m, int first, int second)              \
    {                                                                                                                \
        enum { LANES = 8 * BYTES / bits };                                                                           \
        const words zero = WORDS_BITS(setzero)();                                                                    \
        const __m128i by = _mm_cvtsi32_si128(first), then = _mm_cvtsi32_si128(second);                               \
        int64_t i = 0;                                                                                               \
        for (; i + LANES <= n; i += LANES) {                                                                         \
            const words x = load((const char *)a + bits / 8 * i), y = back ? WORDS(sub_epi##bits)(zero, x) : x;      \
            const words below = !is_signed ? zero : back ? above_##bits(x, zero) : above_##bits(zero, x);            \
            const words u = WORDS_BITS(xor)(below, y), high = high_##bits(u, m);                                     \
            const words rest = WORDS(srl_epi##bits)(is_signed ? high : WORDS(sub_epi##bits)(u, high), by);           \
            const words q = is_signed ? rest : WORDS(srl_epi##bits)(WORDS(add_epi##bits)(high, rest), then);         \
            WORDS_BITS(storeu)((void *)((char *)out + bits / 8 * i), WORDS_BITS(xor)(below, q));                     \
        }                                                                                                            \
        return i;                                                                                                    \
    }
FLOORS(32)
FLOORS(64)
#endif

#undef F /* of the scalar bodies */
#undef T
#undef U
#undef X

#define T int8_t
#define U uint8_t
#define W uint16_t
#define BITS 8
#define SIGNED 1
#define X i8
#define F(name) cps_##name##_i8
#include "elementwise/divide.inc"

#define T uint8_t
#define U uint8_t
#define W uint16_t
#define BITS 8
#define SIGNED 0
#define X u8
#define F(name) cps_##name##_u8
#include "elementwise/divide.inc"

#define T int16_t
#define U uint16_t
#define W uint32_t
#define BITS 16
#define SIGNED 1
#define X i16
#define F(name) cps_##name##_i16
#include "elementwise/divide.inc"

#define T uint16_t
#define U uint16_t
#define W uint32_t
#define BITS 16
#define SIGNED 0
#define X u16
#define F(name) cps_##name##_u16
#include "elementwise/divide.inc"

#define T int32_t
#define U uint32_t
#define W uint64_t
#define BITS 32
#define SIGNED 1
#define X i32
#define F(name) cps_##name##_i32
#include "elementwise/divide.inc"

#define T uint32_t
#define U uint32_t
#define W uint64_t
#define BITS 32
#define SIGNED 0
#define X u32
#define F(name) cps_##name##_u32
#include "elementwise/divide.inc"

#define T int64_t
#define U uint64_t
#define W unsigned __int128
#define BITS 64
#define SIGNED 1
#define X i64
#define F(name) cps_##name##_i64
#include "elementwise/divide.inc"

#define T uint64_t
#define U uint64_t
#define W unsigned __int128
#define BITS 64
#define SIGNED 0
#define X u64
#define F(name) cps_##name##_u64
#include "elementwise/divide.inc"

const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i8)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_i8),
    [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_i8),
    [CP_OP_divmod] = CPI_ISA_NAME(cpi_divmod_i8)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u8)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_u8),
    [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_u8),
    [CP_OP_divmod] = CPI_ISA_NAME(cpi_divmod_u8)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i16)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_i16),
    [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_i16),
    [CP_OP_divmod] = CPI_ISA_NAME(cpi_divmod_i16)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u16)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_u16),
    [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_u16),
    [CP_OP_divmod] = CPI_ISA_NAME(cpi_divmod_u16)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i32)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_i32),
    [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_i32),
    [CP_OP_divmod] = CPI_ISA_NAME(cpi_divmod_i32)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u32)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_u32),
    [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_u32),
    [CP_OP_divmod] = CPI_ISA_NAME(cpi_divmod_u32)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i64)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_i64),
    [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_i64),
    [CP_OP_divmod] = CPI_ISA_NAME(cpi_divmod_i64)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u64)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_u64),
    [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_u64),
    [CP_OP_divmod] = CPI_ISA_NAME(cpi_divmod_u64)};
