/* The N-d loop in kernels: a coalesced cpi_loop (loop/loop.h) with prepared divisors, which turns an element's linear
 * index into the offsets of its operands. Launchers make it by loop.cuh.
 *
 * This header needs no CUDA header, so that tests compile kernels over a loop for the CPU
 * (tests/python/test_loop_kernels.py). */
#ifndef CPI_DEVICE_LOOP_CUH
#define CPI_DEVICE_LOOP_CUH

#include "loop/unravel.cuh"

/* Threads of a block, elements of a thread; dimensions and operands of a descriptor. */
enum { CPI_THREADS = 256, CPI_PER_THREAD = 4, CPI_DEVICE_LOOP_DIMS = 12, CPI_DEVICE_LOOP_OPS = 8 };

struct cpi_device_loop {
    int ndim; /* at least 1 */
    int64_t n;
    cpi_divisor shape[CPI_DEVICE_LOOP_DIMS];
    int64_t strides[CPI_DEVICE_LOOP_OPS][CPI_DEVICE_LOOP_DIMS];
};

/* The index in dimension d of linear index i; i becomes the linear index in the outer dimensions. */
__device__ __forceinline__ uint32_t cpi_loop_index_along(const cpi_device_loop &loop, int d, uint32_t &i)
{
    return cpi_index_along(loop.shape[d], i);
}

/* Offsets of the elements i, i + step, ... in operands FIRST, FIRST + 1, ...: one pass through the dimensions for
 * all. A pass at every use of an offset took most of the compile time. */
template <int FIRST, int U, int NOPS>
__device__ __forceinline__ void cpi_offsets_of(const cpi_device_loop &loop, int64_t i, int step,
                                               int64_t (&offset)[U][NOPS])
{
    uint32_t rest[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        rest[u] = (uint32_t)i + (uint32_t)(u * step);
#pragma unroll
        for (int k = 0; k < NOPS; k++) offset[u][k] = 0;
    }
#pragma unroll 1
    for (int d = loop.ndim - 1; d > 0; d--) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int64_t at = cpi_loop_index_along(loop, d, rest[u]);
#pragma unroll
            for (int k = 0; k < NOPS; k++) offset[u][k] += at * loop.strides[FIRST + k][d];
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
        for (int k = 0; k < NOPS; k++) offset[u][k] += (int64_t)rest[u] * loop.strides[FIRST + k][0];
}

/* Offsets of element i in the first operands. */
template <int NOPS>
__device__ __forceinline__ void cpi_offset_of(const cpi_device_loop &loop, int64_t i, int64_t (&offset)[NOPS])
{
    int64_t one[1][NOPS];
    cpi_offsets_of<0>(loop, i, 0, one);
#pragma unroll
    for (int k = 0; k < NOPS; k++) offset[k] = one[0][k];
}

#endif
