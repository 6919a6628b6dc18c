/* Fast division by a number that stays the same: a multiplication and a shift in place of a division, in C and in
 * CUDA C++, on both devices. Invariant: quotients are exact for every numerator that is allowed. */
#ifndef CPI_LOOP_DIVISOR_H
#define CPI_LOOP_DIVISOR_H

#include <stdint.h>

#ifdef __CUDACC__
#define CPI_DIVISOR_CALL static __host__ __device__ __forceinline__
#else
#define CPI_DIVISOR_CALL static inline
#endif

/* --- numerators below 2^31 --- */

typedef struct cpi_divisor {
    uint32_t by, magic, shift;
} cpi_divisor;

/* 1 <= by <= 2^31; what is divided by 0 has no elements, and the result for it is not used. With s = ceil(log2(by)),
 * magic = floor(2^32 (2^s - by) / by) + 1, so that floor(i (2^32 + magic) / 2^(32 + s)) is the quotient. */
CPI_DIVISOR_CALL cpi_divisor cpi_divisor_of(int64_t by)
{
    cpi_divisor d;
    d.by = by > 0 ? (uint32_t)by : 1, d.shift = 0;
    while (((uint64_t)1 << d.shift) < d.by) d.shift++;
    d.magic = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << d.shift) - d.by)) / d.by + 1);
    d.by = (uint32_t)by;
    return d;
}

/* i / by; of i from 2^31 on the sum may wrap, and the result is some number. */
CPI_DIVISOR_CALL uint32_t cpi_quotient(const cpi_divisor *d, uint32_t i)
{
#ifdef __CUDA_ARCH__
    return (__umulhi(i, d->magic) + i) >> d->shift;
#else
    return ((uint32_t)(((uint64_t)i * d->magic) >> 32) + i) >> d->shift;
#endif
}

/* --- all 64-bit numerators --- */

typedef struct cpi_divisor64 {
    uint64_t by, magic;
} cpi_divisor64;

/* by >= 1 */
CPI_DIVISOR_CALL cpi_divisor64 cpi_divisor64_of(int64_t by)
{
    cpi_divisor64 d;
    d.by = (uint64_t)by, d.magic = UINT64_MAX / d.by;
    return d;
}

/* v / by: v * magic / 2^64 is that, or one less. */
CPI_DIVISOR_CALL uint64_t cpi_quotient64(const cpi_divisor64 *d, uint64_t v)
{
#ifdef __CUDA_ARCH__
    const uint64_t q = __umul64hi(v, d->magic);
#else
    const uint64_t q = (uint64_t)(((unsigned __int128)v * d->magic) >> 64);
#endif
    return q + (v - q * d->by >= d->by);
}

#endif
