/* Common declarations of the plugin's .cu files: the core's functions, streams, checks.
 *
 * A kernel launch is followed by CPI_LAUNCHED(stream, "operation"): it writes the error record for a failed launch and
 * records the operation with its stream. So an error that surfaces later is reported with the names of the operations
 * that may have caused it (stream_cuda.cu). */
#ifndef CPI_CUDA_H
#define CPI_CUDA_H

#include <cuda_runtime.h>

#include "backend/backend.h"
#include "cuda/integers.h"

extern const cpi_host_api *cpi_host;

/* CP_OK, or the record "WHAT: text of the CUDA error" with CP_ERROR_MEMORY or CP_ERROR_DEVICE; for an error of earlier
 * work, with the operations in progress on `stream` (NULL: on any). */
cp_code cpi_cuda_check(cp_stream *stream, cudaError_t status, const char *what);
/* The same after work was given to the stream by `what` (a static string); also reports errors of the stream's earlier
 * work. */
cp_code cpi_cuda_issued(cp_stream *stream, cudaError_t status, const char *what);
#define CPI_LAUNCHED(stream, what) cpi_cuda_issued(stream, cudaGetLastError(), what)

/* Errors that only a kernel can detect. Its launcher takes the stream's mailbox (page-locked host memory; NULL: error
 * written) and the kernel stores one of these there; the stream's next launch, copy to the host or wait reports it, and
 * the mailbox is empty again. */
#define CPI_LATE_FAILURES(X) X(NEGATIVE_POWER, VALUE, "power: integers to negative integer powers are not allowed")
enum cpi_late {
    CPI_LATE_NONE,
#define X(name, code, text) CPI_LATE_##name,
    CPI_LATE_FAILURES(X)
#undef X
};
uint32_t *cpi_cuda_mailbox(cp_stream *stream);
/* The word that a kernel stores there for "FUNCTION: TEXT" with that code; both strings are static. */
uint32_t cpi_cuda_late(cp_code code, const char *function, const char *text);

static inline cudaStream_t cpi_cuda_stream(const cp_stream *s) { return (cudaStream_t)s->handle; }
/* Multiprocessors of the stream's device. */
static inline int cpi_cuda_units(const cp_stream *s) { return s->device->units; }

/* Lets a kernel be launched with `bytes` of dynamic shared memory: sets the maximum beside the kernel's static memory.
 * It is the same for every caller, since the attribute applies to launches of all threads. */
template <class K> cp_code cpi_cuda_allow(cp_stream *stream, K *kernel, int64_t bytes, const char *what)
{
    cudaFuncAttributes now;
    int most = 0;
    cudaError_t status = cudaFuncGetAttributes(&now, (const void *)kernel);
    if (status == cudaSuccess && now.maxDynamicSharedSizeBytes >= bytes) return CP_OK;
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, stream->device->ordinal);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      most - (int)now.sharedSizeBytes);
    return status == cudaSuccess ? CP_OK : cpi_cuda_check(stream, status, what);
}
/* Reads a few bytes of device memory: waits for the stream. Through pinned memory of the calling thread. */
cp_code cpi_cuda_read(cp_stream *stream, void *host, const void *device_memory, size_t bytes);
/* The same, waiting for that read alone, not for the work that `meanwhile` launches on the stream. `meanwhile` must not
 * read. */
cp_code cpi_cuda_read_while(cp_stream *stream, void *host, const void *device_memory, size_t bytes,
                            cp_code (*meanwhile)(void *context), void *context);
/* A block of `bytes` (at most CPI_CUDA_COUNTERS) of zeroed device memory that belongs to the stream and is the same on
 * every call: counters of kernels that reset them to zero ("the last block resets"). NULL: error written. */
#define CPI_CUDA_COUNTERS 4096
void *cpi_cuda_counters(cp_stream *stream);

/* Opens an NVIDIA library by its names, the preferred first, NULL after the last; NULL if none is found
 * (library_cuda.cu describes the search). */
void *cpi_cuda_library(const char *const *names);
/* Fills `table` with pointers to the functions of these names (NULL after the last), NULL where the library lacks one.
 * Returns the first missing name; NULL: none. */
const char *cpi_cuda_functions(void *library, const char *const *names, void *table);

/* Whether the stream is capturing: then work is recorded, to be launched later any number of times, and must not be
 * waited for. */
bool cpi_cuda_captured(cp_stream *stream);

/* Blocks for n items at `per_block` each, at most `most`, at least 1. */
static inline unsigned cpi_cuda_blocks(int64_t n, int64_t per_block, int64_t most)
{
    int64_t b = cpi_ceil_div(n, per_block);
    if (b > most) b = most;
    return (unsigned)(b < 1 ? 1 : b);
}

/* --- between the files of src/base/cuda --- */
/* While an object of this type lives, the thread may call cudaMalloc and the like although a capture is in progress. */
struct cpi_cuda_relaxed {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    bool on;
    cpi_cuda_relaxed();
    ~cpi_cuda_relaxed();
};
/* New memory, zeroed when the call returns, whatever is captured. */
cudaError_t cpi_cuda_zeroed(void **memory, size_t bytes);
/* The same, and a copy of host bytes; they are freed with the stream's capture. */
void *cpi_cuda_zeroed_for_capture(cp_stream *stream, size_t bytes);
void *cpi_cuda_kept_for_capture(cp_stream *stream, const void *host, size_t bytes);
uint64_t cpi_cuda_capture_of(cp_stream *stream);
void cpi_cuda_graph_slots(cpi_backend *b);
void cpi_cuda_native_slots(cpi_backend *b);
cp_code cpi_cuda_stream_new(cp_stream *stream);
void cpi_cuda_stream_free(cp_stream *stream);
cp_code cpi_cuda_stream_sync(cp_stream *stream);
int cpi_cuda_stream_done(cp_stream *stream);
/* Waits for the stream; an error of its work is reported under `what`. */
cp_code cpi_cuda_wait(cp_stream *stream, const char *what);
/* Waits for all streams of the device. */
cp_code cpi_cuda_wait_all(cpi_device *device, const char *what);

#endif
