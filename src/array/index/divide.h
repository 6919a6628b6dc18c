/* Quotients by a number that stays, for all 64-bit numbers that are not negative: a multiplication, on both devices. */
#ifndef CPI_INDEX_DIVIDE_H
#define CPI_INDEX_DIVIDE_H

#include <stdint.h>

#ifdef __CUDACC__
#define CPI_DIVIDE_FN static __host__ __device__ __forceinline__
#else
#define CPI_DIVIDE_FN static inline
#endif

typedef struct cpi_divided64 {
    uint64_t by, magic;
} cpi_divided64;

/* by >= 1 */
CPI_DIVIDE_FN cpi_divided64 cpi_divide64_by(int64_t by)
{
    cpi_divided64 s;
    s.by = (uint64_t)by, s.magic = UINT64_MAX / s.by;
    return s;
}

/* v / by: v * magic / 2^64 is that, or one less. */
CPI_DIVIDE_FN uint64_t cpi_quotient64(cpi_divided64 s, uint64_t v)
{
#ifdef __CUDA_ARCH__
    const uint64_t q = __umul64hi(v, s.magic);
#else
    const uint64_t q = (uint64_t)(((unsigned __int128)v * s.magic) >> 64);
#endif
    return q + (v - q * s.by >= s.by);
}

#endif
