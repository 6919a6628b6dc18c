/* The N-d loop on the GPU: how launchers make the descriptor that kernels take (device_loop.cuh), and launch them.
 *
 * Kernels count elements in 31 bits. Larger loops, and those of more dimensions than a descriptor holds, are launched
 * in parts (cpi_device_loop_each). Dimensions outside a cpi_loop are iterated by cpi_indices_of (unravel.cuh). */
#ifndef CPI_LOOP_CUH
#define CPI_LOOP_CUH

#include "cuda/cuda.h"
#include "loop/device_loop.cuh"
#include "loop/loop.h"

/* --- on the host (loop_cuda.cu) --- */

/* Fills the descriptor from dimensions first.. of a loop (at most CPI_DEVICE_LOOP_DIMS of them) and its first nops
 * operands. */
void cpi_device_loop_init(cpi_device_loop *to, const cpi_loop *loop, int first, int nops);
/* Calls launch(context, loop) for the loop or, where it has more dimensions or elements than a descriptor, for its
 * parts. */
cp_code cpi_device_loop_each(const cpi_loop *loop, cp_code (*launch)(void *context, const cpi_loop *part),
                             void *context);
/* Elements from..from + n of dimension d of a loop; a loop without its first dimension, whose length is 1. */
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
