/* The N-d loop as kernels see it: a coalesced cpi_loop (loop/loop.h) with its divisors prepared, and from the linear
 * index of an element the offsets of its operands.
 *
 * Kernels count elements in 31 bits; larger loops, and those of more dimensions than a descriptor holds, reach them in
 * parts (cpi_device_loop_each). Dimensions that are no cpi_loop's are iterated by cpi_indices_of (unravel.cuh). */
#ifndef CPI_LOOP_CUH
#define CPI_LOOP_CUH

#include "cuda/cuda.h"
#include "loop/loop.h"
#include "loop/unravel.cuh"

/* Threads of a block, elements of a thread; dimensions and operands of a descriptor. */
enum { CPI_THREADS = 256, CPI_PER_THREAD = 4, CPI_DEVICE_LOOP_DIMS = 12, CPI_DEVICE_LOOP_OPS = 5 };

struct cpi_device_loop {
    int ndim; /* at least 1 */
    int64_t n;
    cpi_divisor shape[CPI_DEVICE_LOOP_DIMS];
    int64_t strides[CPI_DEVICE_LOOP_OPS][CPI_DEVICE_LOOP_DIMS];
};

/* --- in kernels --- */

/* Of linear index i, the index in dimension d; i becomes the linear index in the dimensions outside it. */
__device__ __forceinline__ uint32_t cpi_loop_index_along(const cpi_device_loop &loop, int d, uint32_t &i)
{
    return cpi_index_along(loop.shape[d], i);
}

/* Offsets of the elements i, i + step, ... in operands FIRST, FIRST + 1, ...: one pass through the dimensions for all,
 * because a pass in every place that needs an offset was most of what there was to compile. */
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

/* --- on the host (loop_cuda.cu) --- */

/* Fills the descriptor from dimensions first.. of a loop (at most CPI_DEVICE_LOOP_DIMS of them) and its first nops
 * operands. */
void cpi_device_loop_init(cpi_device_loop *to, const cpi_loop *loop, int first, int nops);
/* Calls launch(context, loop) for the loop or, where it has more dimensions or elements than a descriptor, for its
 * parts. */
cp_code cpi_device_loop_each(const cpi_loop *loop, cp_code (*launch)(void *context, const cpi_loop *part),
                             void *context);
/* Elements from..from + n of dimension d of a loop; a loop without its first dimension, whose extent is 1. */
cpi_loop cpi_loop_slice(const cpi_loop *loop, int d, int64_t from, int64_t n);
void cpi_loop_drop_first(cpi_loop *loop);

/* Launches a kernel that takes one struct, by CPI_THREADS threads a block. */
static inline cp_code cpi_cuda_launch(const void *kernel, int64_t blocks, void *args, cp_stream *stream,
                                      const char *what)
{
    void *list[] = {args};
    cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(CPI_THREADS), list, 0, cpi_cuda_stream(stream));
    return CPI_LAUNCHED(stream, what);
}

#endif
