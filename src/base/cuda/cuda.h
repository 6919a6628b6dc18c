/* What every .cu file of the plugin uses: the core's functions, streams, checks.
 *
 * A kernel launch is followed by CPI_LAUNCHED(stream, "operation"): it turns a failed launch into the error record
 * and notes the operation with its stream, so that a failure which surfaces later can be told with the names of
 * the operations that may have caused it (stream_cuda.cu). */
#ifndef CPI_CUDA_H
#define CPI_CUDA_H

#include <cuda_runtime.h>

#include "backend/backend.h"
#include "cuda/integers.h"

extern const cpi_host_api *cpi_host;

/* CP_OK, or the record "WHAT: text of the CUDA error" with CP_ERROR_MEMORY or CP_ERROR_DEVICE; of a failure that
 * earlier work left, with the operations under way on `stream` (NULL: on any). */
cp_code cpi_cuda_check(cp_stream *stream, cudaError_t status, const char *what);
/* The same after work was given to the stream by `what` (text that stays); also reports what the stream's earlier
 * work has left. */
cp_code cpi_cuda_issued(cp_stream *stream, cudaError_t status, const char *what);
#define CPI_LAUNCHED(stream, what) cpi_cuda_issued(stream, cudaGetLastError(), what)

/* Failures that only a kernel can see. Its launcher takes the stream's mailbox (page-locked host memory; NULL:
 * error written) and the kernel stores one of these there; the stream's next launch, copy to the host or wait
 * reports it, and the mailbox is empty again. */
#define CPI_LATE_FAILURES(X) X(NEGATIVE_POWER, VALUE, "power: integers to negative integer powers are not allowed")
enum cpi_late {
    CPI_LATE_NONE,
#define X(name, code, text) CPI_LATE_##name,
    CPI_LATE_FAILURES(X)
#undef X
};
uint32_t *cpi_cuda_mailbox(cp_stream *stream);
/* What a kernel stores there for "FUNCTION: TEXT" with that code; both texts stay. */
uint32_t cpi_cuda_late(cp_code code, const char *function, const char *text);

static inline cudaStream_t cpi_cuda_stream(const cp_stream *s) { return (cudaStream_t)s->handle; }
/* Multiprocessors of the stream's device. */
static inline int cpi_cuda_units(const cp_stream *s) { return s->device->units; }

/* Lets a kernel be launched with `bytes` of dynamic shared memory: with all that the device has beside the kernel's
 * static, which is the same for every caller, since what one thread says holds for the launches of all. */
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
/* The same, waiting for that read alone: not for what `meanwhile` launches on the stream. It must not read. */
cp_code cpi_cuda_read_while(cp_stream *stream, void *host, const void *device_memory, size_t bytes,
                            cp_code (*meanwhile)(void *context), void *context);
/* A block of `bytes` (at most CPI_CUDA_COUNTERS) of zeroed device memory that belongs to the stream and is there
 * on every call: counters of kernels that leave them zero again ("the last block resets"). NULL: error written. */
#define CPI_CUDA_COUNTERS 4096
void *cpi_cuda_counters(cp_stream *stream);

/* One of NVIDIA's libraries by its names, the preferred first, NULL behind the last; NULL where none of them is found
 * (library_cuda.cu says where). */
void *cpi_cuda_library(const char *const *names);
/* Fills `table`, pointers to the functions of these names (NULL behind the last), NULL where the library lacks one. The
 * first name that it lacks; NULL: none. */
const char *cpi_cuda_functions(void *library, const char *const *names, void *table);

/* Whether the stream's work is captured: then it is recorded, and launched later as often as somebody likes. Nobody may
 * wait for it meanwhile. */
bool cpi_cuda_captured(cp_stream *stream);

/* Blocks for n items at `per_block` each, at most `most`, at least 1. */
static inline unsigned cpi_cuda_blocks(int64_t n, int64_t per_block, int64_t most)
{
    int64_t b = cpi_ceil_div(n, per_block);
    if (b > most) b = most;
    return (unsigned)(b < 1 ? 1 : b);
}

/* --- between the files of src/base/cuda --- */
/* While one stands, the thread may call cudaMalloc and its like although a capture is under way. */
struct cpi_cuda_relaxed {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    bool on;
    cpi_cuda_relaxed();
    ~cpi_cuda_relaxed();
};
/* New memory, zeroed when the call returns, whatever is captured. */
cudaError_t cpi_cuda_zeroed(void **memory, size_t bytes);
/* The same, and a copy of bytes of the host's, that end with the capture which the stream takes part in. */
void *cpi_cuda_zeroed_for_capture(cp_stream *stream, size_t bytes);
void *cpi_cuda_kept_for_capture(cp_stream *stream, const void *host, size_t bytes);
uint64_t cpi_cuda_capture_of(cp_stream *stream);
void cpi_cuda_graph_slots(cpi_backend *b);
void cpi_cuda_native_slots(cpi_backend *b);
cp_code cpi_cuda_stream_new(cp_stream *stream);
void cpi_cuda_stream_free(cp_stream *stream);
cp_code cpi_cuda_stream_sync(cp_stream *stream);
int cpi_cuda_stream_done(cp_stream *stream);
/* Waits for the stream; a failure of its work is reported under `what`. */
cp_code cpi_cuda_wait(cp_stream *stream, const char *what);
/* Waits for all streams of the device. */
cp_code cpi_cuda_wait_all(cpi_device *device, const char *what);

#endif
