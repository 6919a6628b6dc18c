/* Capture and graphs, copies between GPUs, kinds of memory outside the pool, host function calls.
 *
 * Invariants: while `captures` is not 0, calls that CUDA considers unsafe during a capture (cudaMalloc and the like)
 * are made in relaxed mode. Memory that a captured stream needs for itself (counters, host bytes that it copies)
 * belongs to the capture, so it exists at every launch of the graph. */
#include <pthread.h>
#include <string.h>

#include "cuda/cuda.h"

namespace {

int captures; /* in progress in this process; changed atomically */

enum { GPUS = 64 };
enum : unsigned char { UNKNOWN, ENABLED, REFUSED };
pthread_mutex_t peers_lock = PTHREAD_MUTEX_INITIALIZER;
unsigned char peers[GPUS][GPUS];

/* Enables peer access to another device's memory, where possible; changes the current device. */
void enable_peer(int device, int other)
{
    if (device >= GPUS || other >= GPUS) return;
    pthread_mutex_lock(&peers_lock);
    if (peers[device][other] == UNKNOWN) {
        int can = 0;
        cudaError_t status = cudaDeviceCanAccessPeer(&can, device, other);
        if (status == cudaSuccess && can) status = cudaSetDevice(device);
        if (status == cudaSuccess && can) status = cudaDeviceEnablePeerAccess(other, 0);
        bool is = can && (status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled);
        peers[device][other] = is ? ENABLED : REFUSED;
        cudaGetLastError();
    }
    pthread_mutex_unlock(&peers_lock);
}

/* Makes later work of `after` wait for the work that `before` has now. Leaves `after`'s device current. */
cudaError_t follow(cp_stream *after, cp_stream *before)
{
    cudaEvent_t e = NULL;
    cudaError_t status = cudaSetDevice(before->device->ordinal);
    if (status == cudaSuccess) status = cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    if (status == cudaSuccess) status = cudaEventRecord(e, cpi_cuda_stream(before));
    cudaError_t there = cudaSetDevice(after->device->ordinal);
    if (status == cudaSuccess) status = there;
    if (status == cudaSuccess) status = cudaStreamWaitEvent(cpi_cuda_stream(after), e, 0);
    if (e) cudaEventDestroy(e); /* freed once it is reached */
    return status;
}

void free_memory(void *memory)
{
    cudaFree(memory);
    cudaGetLastError();
}

} // namespace

bool cpi_cuda_captured(cp_stream *stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (!__atomic_load_n(&captures, __ATOMIC_RELAXED)) return false;
    return cudaStreamIsCapturing(cpi_cuda_stream(stream), &status) == cudaSuccess &&
           status != cudaStreamCaptureStatusNone;
}

cpi_cuda_relaxed::cpi_cuda_relaxed() : on(__atomic_load_n(&captures, __ATOMIC_RELAXED) != 0)
{
    if (on) cudaThreadExchangeStreamCaptureMode(&mode);
}

cpi_cuda_relaxed::~cpi_cuda_relaxed()
{
    if (on) cudaThreadExchangeStreamCaptureMode(&mode);
}

cudaError_t cpi_cuda_zeroed(void **memory, size_t bytes)
{
    cpi_cuda_relaxed relaxed;
    cudaStream_t s = NULL;
    *memory = NULL;
    cudaError_t status = cudaMalloc(memory, bytes);
    if (status == cudaSuccess) status = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    if (status == cudaSuccess) status = cudaMemsetAsync(*memory, 0, bytes, s);
    if (status == cudaSuccess) status = cudaStreamSynchronize(s);
    if (s) cudaStreamDestroy(s);
    if (status != cudaSuccess && *memory) {
        cudaFree(*memory);
        *memory = NULL;
    }
    return status;
}

void *cpi_cuda_zeroed_for_capture(cp_stream *stream, size_t bytes)
{
    void *memory = NULL;
    if (cpi_cuda_check(stream, cpi_cuda_zeroed(&memory, bytes), "counters")) return NULL;
    if (cpi_host->capture_own(stream, memory, free_memory)) return memory;
    free_memory(memory);
    cpi_host->fail(CP_ERROR_DEVICE, "counters: the stream's capture is not known");
    return NULL;
}

void *cpi_cuda_kept_for_capture(cp_stream *stream, const void *host, size_t bytes)
{
    void *kept = cpi_host->malloc(bytes);
    if (!kept) return NULL;
    memcpy(kept, host, bytes);
    if (cpi_host->capture_own(stream, kept, cpi_host->free)) return kept;
    cpi_host->free(kept);
    cpi_host->fail(CP_ERROR_DEVICE, "copy from host: the stream's capture is not known");
    return NULL;
}

uint64_t cpi_cuda_capture_of(cp_stream *stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    if (!__atomic_load_n(&captures, __ATOMIC_RELAXED)) return 0;
    cudaError_t asked = cudaStreamGetCaptureInfo(cpi_cuda_stream(stream), &status, &id);
    if (asked != cudaSuccess) cudaGetLastError(); /* the null stream cannot be queried during a capture */
    return asked == cudaSuccess && status != cudaStreamCaptureStatusNone ? id : 0;
}

/* --- slots --- */

static cp_code capture_begin(cp_stream *s, cp_capture_mode mode)
{
    static const cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                                  cudaStreamCaptureModeRelaxed};
    cp_code code = cpi_cuda_check(s, cudaStreamBeginCapture(cpi_cuda_stream(s), modes[mode]), "stream_capture");
    if (!code) __atomic_add_fetch(&captures, 1, __ATOMIC_RELAXED);
    return code;
}

static cp_code capture_end(cp_stream *s, cp_graph *g)
{
    const char *what = "stream_capture_end";
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    cudaError_t status = cudaStreamEndCapture(cpi_cuda_stream(s), &graph);
    __atomic_sub_fetch(&captures, 1, __ATOMIC_RELAXED);
    if (status == cudaSuccess && !graph)
        return cpi_host->fail(CP_ERROR_DEVICE, "%s: an operation spoiled the capture", what);
    if (status == cudaSuccess) status = cudaGraphInstantiateWithFlags(&exec, graph, 0);
    if (status != cudaSuccess && graph) cudaGraphDestroy(graph);
    if (status != cudaSuccess) return cpi_cuda_check(s, status, what);
    g->handle = graph;
    g->exec = exec;
    return CP_OK;
}

static cp_code graph_launch(cp_graph *g, cp_stream *s)
{
    return cpi_cuda_issued(s, cudaGraphLaunch((cudaGraphExec_t)g->exec, cpi_cuda_stream(s)), "graph");
}

static cp_code graph_upload(cp_graph *g, cp_stream *s)
{
    return cpi_cuda_check(s, cudaGraphUpload((cudaGraphExec_t)g->exec, cpi_cuda_stream(s)), "graph_upload");
}

static void graph_free(cp_graph *g)
{
    cudaGraphExecDestroy((cudaGraphExec_t)g->exec);
    cudaGraphDestroy((cudaGraph_t)g->handle);
    cudaGetLastError();
}

static cp_code stream_call(cp_stream *s, void (*function)(void *), void *argument)
{
    return cpi_cuda_issued(s, cudaLaunchHostFunc(cpi_cuda_stream(s), function, argument), "stream_call");
}

/* In the receiver's stream, after the sender's work; the sender's later work waits for it. */
static cp_code copy_peer(cp_stream *to_stream, void *to, cp_stream *from_stream, const void *from, size_t bytes)
{
    const char *what = "copy between devices";
    int receiver = to_stream->device->ordinal, sender = from_stream->device->ordinal;
    enable_peer(receiver, sender);
    enable_peer(sender, receiver);
    cudaError_t status = follow(to_stream, from_stream);
    if (status == cudaSuccess)
        status = cudaMemcpyPeerAsync(to, receiver, from, sender, bytes, cpi_cuda_stream(to_stream));
    cp_code code = cpi_cuda_issued(to_stream, status, what);
    if (code) return code;
    code = cpi_cuda_check(from_stream, follow(from_stream, to_stream), what);
    cudaSetDevice(receiver);
    return code;
}

static void *memory_of_kind(cp_stream *s, size_t bytes, cp_memory_kind kind)
{
    cpi_cuda_relaxed relaxed;
    void *p = NULL;
    cudaError_t status;
    switch (kind) {
    case CP_MEMORY_ASYNC: status = cudaMallocAsync(&p, bytes, cpi_cuda_stream(s)); break;
    case CP_MEMORY_MANAGED: status = cudaMallocManaged(&p, bytes, cudaMemAttachGlobal); break;
    case CP_MEMORY_PINNED: status = cudaHostAlloc(&p, bytes, cudaHostAllocPortable); break;
    case CP_MEMORY_DEVICE:
    default: status = cudaMalloc(&p, bytes); break;
    }
    if (status == cudaSuccess) return p;
    cudaGetLastError();
    return NULL;
}

static void memory_of_kind_free(cp_stream *s, void *memory, size_t, cp_memory_kind kind)
{
    cpi_cuda_relaxed relaxed;
    switch (kind) {
    case CP_MEMORY_ASYNC: cudaFreeAsync(memory, cpi_cuda_stream(s)); break;
    case CP_MEMORY_PINNED: cudaFreeHost(memory); break;
    case CP_MEMORY_MANAGED:
    case CP_MEMORY_DEVICE:
    default: cudaFree(memory); break;
    }
    cudaGetLastError();
}

void cpi_cuda_graph_slots(cpi_backend *b)
{
    b->capture_begin = capture_begin;
    b->capture_end = capture_end;
    b->capture_of = cpi_cuda_capture_of;
    b->graph_launch = graph_launch;
    b->graph_upload = graph_upload;
    b->graph_free = graph_free;
    b->stream_call = stream_call;
    b->copy_peer = copy_peer;
    b->memory_of_kind = memory_of_kind;
    b->memory_of_kind_free = memory_of_kind_free;
}
