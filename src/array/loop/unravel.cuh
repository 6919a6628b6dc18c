/* Linear indices as indices along dimensions, in kernels.
 *
 * A dimension is given by what divides by its extent: a cpi_divisor (indices below 2^31), a cpi_divisor64, or the
 * extent itself where no host code prepares it. This header needs the integer types alone, so that tests compile it as
 * a user's kernel. */
#ifndef CPI_UNRAVEL_CUH
#define CPI_UNRAVEL_CUH

#include "loop/divisor.h"

/* Of linear index i, the index in a dimension; i becomes the linear index in the dimensions outside it. */
__device__ __forceinline__ uint32_t cpi_index_along(const cpi_divisor &extent, uint32_t &i)
{
    const uint32_t q = cpi_quotient(&extent, i), at = i - q * extent.by;
    i = q;
    return at;
}
__device__ __forceinline__ uint64_t cpi_index_along(const cpi_divisor64 &extent, uint64_t &i)
{
    const uint64_t q = cpi_quotient64(&extent, i), at = i - q * extent.by;
    i = q;
    return at;
}
__device__ __forceinline__ uint32_t cpi_index_along(uint32_t extent, uint32_t &i)
{
    const uint32_t q = i / extent, at = i - q * extent;
    i = q;
    return at;
}
__device__ __forceinline__ int64_t cpi_index_along(int64_t extent, int64_t &i)
{
    int64_t q;
    if (i <= 0xffffffffll && extent <= 0xffffffffll) q = (uint32_t)i / (uint32_t)extent;
    else q = i / extent;
    const int64_t at = i - q * extent;
    i = q;
    return at;
}

/* visit(d, index) for the dimensions ndim - 1 .. 0 of linear index i, C order. The outermost has what is left: its
 * extent is not needed. */
template <class Extent, class Index, class F>
__device__ __forceinline__ void cpi_indices_of(int ndim, const Extent *shape, Index i, F visit)
{
    for (int d = ndim - 1; d > 0; d--) visit(d, cpi_index_along(shape[d], i));
    if (ndim > 0) visit(0, i);
}

#endif
