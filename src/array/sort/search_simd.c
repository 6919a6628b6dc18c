/* Binary search, compiled once per instruction set. Values go through their steps SIDE at a time. The steps' lengths
 * are the same for all of them, so a step is a loop, which the compiler vectorizes where the processor has gather
 * instructions. Where the searched array is large, each value prefetches what its next step reads.
 *
 * Keys (keys.h) are compared, equal for equal values. A step is a mask, not a choice: the compiler would make a jump of
 * that, which is mispredicted every other time. */
#include "sort/search.h"

#include "cpu/intrinsics.h"

enum { SIDE = 64, FEW = 16 /* so many go one by one */ };

#define FUNCTION search_8
#define T uint8_t
#define INDEX uint32_t
#define KEY(k, x) cpi_key8(k, x)
#include "sort/search_steps.inc"

#define FUNCTION search_16
#define T uint16_t
#define INDEX uint32_t
#define KEY(k, x) cpi_same16(k, cpi_key16(k, x))
#include "sort/search_steps.inc"

#define FUNCTION search_32
#define T uint32_t
#define INDEX uint32_t
#define KEY(k, x) cpi_same32(k, cpi_key32(k, x))
#include "sort/search_steps.inc"

#define FUNCTION search_64
#define T uint64_t
#define INDEX uint64_t
#define KEY(k, x) cpi_same64(k, cpi_key64(k, x))
#include "sort/search_steps.inc"

#define FUNCTION search_c64
#define T uint64_t
#define INDEX uint64_t
#define KEY(k, x) cpi_csame64(k, cpi_ckey64(k, x))
#include "sort/search_steps.inc"

#define FUNCTION search_c128
#define T cpi_u128
#define INDEX uint64_t
#define KEY(k, x) cpi_csame128(k, cpi_ckey128(k, x))
#include "sort/search_steps.inc"

void CPI_ISA_NAME(cpi_search_some)(const cpi_search *s, int64_t first, int64_t last)
{
    switch (s->keys.bytes) {
    case 1: search_8(s, first, last); break;
    case 2: search_16(s, first, last); break;
    case 4: search_32(s, first, last); break;
    case 8: (s->keys.complex_parts ? search_c64 : search_64)(s, first, last); break;
    default: search_c128(s, first, last);
    }
}

/* --- membership in a few floating-point numbers --- */

#define FUNCTION isin_few_32
#define T float
#define WORD uint32_t
#include "sort/isin_few.inc"

#define FUNCTION isin_few_64
#define T double
#define WORD uint64_t
#include "sort/isin_few.inc"

void CPI_ISA_NAME(cpi_isin_few)(bool wide, int64_t n, const void *from, int64_t m, const void *values, bool invert,
                                uint8_t *to)
{
    if (wide) isin_few_64(n, from, m, values, invert, to);
    else isin_few_32(n, from, m, values, invert, to);
}
