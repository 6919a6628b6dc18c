/* What every .cu file of the plugin uses: the core's functions, streams, checks.
 *
 * A kernel launch is followed by CPI_LAUNCHED("operation"), which turns a failed launch into the error record.
 * Failures inside a running kernel surface at the next call that waits, and are reported there. */
#ifndef CPI_CUDA_H
#define CPI_CUDA_H

#include <cuda_runtime.h>

#include "backend/backend.h"

extern const cpi_host_api *cpi_host;

/* CP_OK, or the record "WHAT: text of the CUDA error" with CP_ERROR_MEMORY or CP_ERROR_DEVICE. */
cp_code cpi_cuda_check(cudaError_t status, const char *what);
#define CPI_LAUNCHED(what) cpi_cuda_check(cudaGetLastError(), what)

static inline cudaStream_t cpi_cuda_stream(const cp_stream *s) { return (cudaStream_t)s->handle; }
/* Multiprocessors of the stream's device. */
static inline int cpi_cuda_units(const cp_stream *s) { return s->device->units; }
/* Reads a few bytes of device memory: waits for the stream. Through pinned memory of the calling thread. */
cp_code cpi_cuda_read(cp_stream *stream, void *host, const void *device_memory, size_t bytes);
/* A block of `bytes` (at most CPI_CUDA_COUNTERS) of zeroed device memory that belongs to the stream and is there
 * on every call: counters of kernels that leave them zero again ("the last block resets"). NULL: error written. */
#define CPI_CUDA_COUNTERS 4096
void *cpi_cuda_counters(cp_stream *stream);

/* Blocks for n items at `per_block` each, at most `most`, at least 1. */
static inline unsigned cpi_cuda_blocks(int64_t n, int64_t per_block, int64_t most)
{
    int64_t b = (n + per_block - 1) / per_block;
    if (b > most) b = most;
    return (unsigned)(b < 1 ? 1 : b);
}

#endif
