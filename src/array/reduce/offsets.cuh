/* Offsets of elements and results in merged dimensions, in the kernels of reductions.
 *
 * Indices below 2^31 are divided as uint32_t, in place. */
#ifndef CPI_REDUCE_OFFSETS_CUH
#define CPI_REDUCE_OFFSETS_CUH

#include "loop/unravel.cuh"
#include "reduce/reduce.h"

namespace reducer {

template <int WHICH> __device__ __forceinline__ int64_t step_of(const cpi_reduce_dim &d)
{
    return WHICH == 0 ? d.x : WHICH == 1 ? d.where : d.out;
}

/* Offset of linear index `flat` in merged dimensions, by arithmetic of the index's type. */
template <int WHICH, class I> __device__ __forceinline__ int64_t offset_of(const cpi_reduce_dim *d, int n, I flat)
{
    int64_t sum = 0;
#pragma unroll 1
    for (int i = n - 1; i > 0; i--) sum += (int64_t)cpi_index_along((I)d[i].n, flat) * step_of<WHICH>(d[i]);
    return n ? sum + flat * step_of<WHICH>(d[0]) : 0;
}
template <int WHICH> __device__ __noinline__ int64_t far_offset(const cpi_reduce_dim *d, int n, int64_t flat)
{
    return offset_of<WHICH, int64_t>(d, n, flat);
}
/* Indices beyond 31 bits are rare: divisions of 64 bits are called, as they would be a third of each kernel; copied
 * where a call would take a resident block's registers. */
template <int WHICH, bool CALLED = true>
__device__ __forceinline__ int64_t offset(const cpi_reduce_dim *d, int n, int64_t flat, bool small)
{
    if (small) return offset_of<WHICH, uint32_t>(d, n, (uint32_t)flat);
    return CALLED ? far_offset<WHICH>(d, n, flat) : offset_of<WHICH, int64_t>(d, n, flat);
}

} // namespace reducer

#endif
