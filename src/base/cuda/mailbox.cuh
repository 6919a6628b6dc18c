/* A stream's mailbox: how a kernel reports an error to the host that only it can detect (cuda.h).
 *
 * The words lie in page-locked host memory. Most kernels store an error in the first and leave the rest. Invariant: the
 * words of a wrong index belong to one index, since the thread that takes CPI_MAIL_INDEX writes them all, before the
 * error. */
#ifndef CPI_CUDA_MAILBOX_CUH
#define CPI_CUDA_MAILBOX_CUH

#include <stdint.h>

enum {
    CPI_MAIL_FAILURE, /* a cpi_late, or a value of cpi_cuda_late */
    CPI_MAIL_EMPTIED, /* number of times that a kernel emptied it */
    CPI_MAIL_INDEX,   /* 1: the error is an index; value, axis and the axis' length follow */
    CPI_MAIL_AXIS,
    CPI_MAIL_VALUE,   /* int64 */
    CPI_MAIL_EXTENT = CPI_MAIL_VALUE + 2,
    CPI_MAIL_WORDS = CPI_MAIL_EXTENT + 2
};

/* Records that index `value` is out of bounds for an axis. */
static __device__ __forceinline__ void cpi_wrong_index(uint32_t *box, uint32_t failure, int64_t value, int axis,
                                                       int64_t extent)
{
    if (atomicCAS_system(box + CPI_MAIL_INDEX, 0u, 1u)) return;
    volatile uint32_t *words = box;
    words[CPI_MAIL_AXIS] = (uint32_t)axis;
    *(volatile int64_t *)(words + CPI_MAIL_VALUE) = value;
    *(volatile int64_t *)(words + CPI_MAIL_EXTENT) = extent;
    __threadfence_system();
    words[CPI_MAIL_FAILURE] = failure;
}

#endif
