/* The CUDA backend: memory, copies, events, and the table that the core gets (streams: stream_cuda.cu).
 *
 * Invariants: no CUDA call is made before cuprite_backend_open; a thread that enters through a slot has the
 * slot's device current; `from_host` returns when the host's bytes have been read, `to_host` when they have
 * arrived. Pageable memory goes through a few pinned buffers per device in pieces, so that the host's copy of one
 * piece runs beside the transfer of another. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backend/abi.h"
#include "cuda/cuda.h"

const cpi_host_api *cpi_host;

namespace {

enum { SEGMENT = 4 << 20, CHUNKS = 4, SMALL = 64 << 10, COPY_TASK = 256 << 10 };

/* What a device keeps: staging buffers, made when first needed. */
struct staging {
    pthread_mutex_t lock;
    char *memory[CHUNKS];
    cudaEvent_t done[CHUNKS];
    char *small;
    bool ready;
};

struct device_state {
    staging stage;
};

device_state *state_of(const cpi_device *d) { return (device_state *)d->impl; }

} // namespace

static int device_count;

/* Another library of the process may have switched the thread's device: ask, where there are several. */
static void use(const cpi_device *device)
{
    int now = -1;
    if (device_count > 1 && (cudaGetDevice(&now) != cudaSuccess || now != device->ordinal))
        cudaSetDevice(device->ordinal);
}

static cp_code open_device(cpi_device *d)
{
    cudaDeviceProp p;
    cp_code code = cpi_cuda_check(NULL, cudaSetDevice(d->ordinal), "device");
    if (!code) code = cpi_cuda_check(NULL, cudaGetDeviceProperties(&p, d->ordinal), "device");
    if (code) return code;
    snprintf(d->name, sizeof d->name, "%s", p.name);
    snprintf(d->variant, sizeof d->variant, "sm_%d%d", p.major, p.minor);
    d->units = p.multiProcessorCount;
    device_state *s = (device_state *)cpi_host->malloc(sizeof *s);
    if (!s) return CP_ERROR_MEMORY;
    memset(s, 0, sizeof *s);
    pthread_mutex_init(&s->stage.lock, NULL);
    d->impl = s;
    return CP_OK;
}

static cp_code query(cpi_device *d, int64_t *total, int64_t *available)
{
    size_t f = 0, t = 0;
    cp_code code = cpi_cuda_check(NULL, cudaSetDevice(d->ordinal), "device_query");
    if (!code) code = cpi_cuda_check(NULL, cudaMemGetInfo(&f, &t), "device_query");
    *total = (int64_t)t;
    *available = (int64_t)f;
    return code;
}

static void *memory_new(cpi_device *d, size_t bytes)
{
    void *p = NULL;
    cpi_cuda_relaxed relaxed;
    if (cudaSetDevice(d->ordinal) != cudaSuccess || cudaMalloc(&p, bytes) != cudaSuccess) {
        cudaGetLastError(); /* the pool may try again with less */
        return NULL;
    }
    return p;
}

static void memory_free(cpi_device *d, void *memory, size_t)
{
    cpi_cuda_relaxed relaxed;
    if (cudaSetDevice(d->ordinal) == cudaSuccess) cudaFree(memory);
    cudaGetLastError();
}

/* --- host and device --- */

/* The device's staging buffers, locked; NULL and an error when there is no pinned memory. */
static staging *staging_lock(cpi_device *d, const char *what)
{
    staging *s = &state_of(d)->stage;
    pthread_mutex_lock(&s->lock);
    if (s->ready) return s;
    cpi_cuda_relaxed relaxed;
    cudaError_t status = s->small ? cudaSuccess : cudaHostAlloc((void **)&s->small, SMALL, cudaHostAllocDefault);
    for (int i = 0; i < CHUNKS && status == cudaSuccess; i++)
        if (!s->done[i]) status = cudaEventCreateWithFlags(&s->done[i], cudaEventDisableTiming);
    s->ready = status == cudaSuccess;
    if (s->ready) return s;
    cpi_cuda_check(NULL, status, what);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static cudaError_t chunk_memory(staging *s, int i)
{
    cpi_cuda_relaxed relaxed;
    return s->memory[i] ? cudaSuccess : cudaHostAlloc((void **)&s->memory[i], SEGMENT, cudaHostAllocDefault);
}

static bool is_pinned(const void *host)
{
    cudaPointerAttributes a;
    bool yes = cudaPointerGetAttributes(&a, host) == cudaSuccess && a.type != cudaMemoryTypeUnregistered;
    cudaGetLastError();
    return yes;
}

struct wide_copy {
    char *to;
    const char *from;
    size_t n;
};

static void copy_part(void *context, int64_t task, int)
{
    const wide_copy *c = (const wide_copy *)context;
    size_t at = (size_t)task * COPY_TASK;
    memcpy(c->to + at, c->from + at, c->n - at < COPY_TASK ? c->n - at : COPY_TASK);
}

/* Copies between a piece of host memory and a pinned one, by the CPU device's threads: one of them cannot fill the
 * bus, and pages that are touched for the first time cost more than their bytes. */
static void copy_wide(char *to, const char *from, size_t n)
{
    wide_copy c = {to, from, n};
    cpi_host->cpu->parallel((int64_t)cpi_ceil_div(n, COPY_TASK), copy_part, &c);
}

static cp_code from_host(cp_stream *stream, void *to, const void *from, size_t bytes)
{
    const char *what = "copy from host";
    cudaStream_t cs = cpi_cuda_stream(stream);
    if (cpi_cuda_captured(stream)) { /* each launch copies what the host has now */
        const void *kept = cpi_cuda_kept_for_capture(stream, from, bytes);
        return kept ? cpi_cuda_issued(stream, cudaMemcpyAsync(to, kept, bytes, cudaMemcpyHostToDevice, cs), what)
                    : CP_ERROR_MEMORY;
    }
    if (bytes > SMALL && is_pinned(from)) {
        cp_code code = cpi_cuda_check(stream, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cs), what);
        return code ? code : cpi_cuda_wait(stream, what);
    }
    if (bytes <= SMALL) /* the driver takes a copy of small pageable sources before it returns */
        return cpi_cuda_check(stream, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cs), what);
    staging *s = staging_lock(stream->device, what);
    if (!s) return CP_ERROR_DEVICE;
    cudaError_t status = cudaSuccess;
    size_t at = 0;
    for (int i = 0; at < bytes && status == cudaSuccess; i = (i + 1) % CHUNKS) {
        size_t n = bytes - at < SEGMENT ? bytes - at : SEGMENT;
        status = chunk_memory(s, i);
        if (status == cudaSuccess) status = cudaEventSynchronize(s->done[i]);
        if (status != cudaSuccess) break;
        copy_wide(s->memory[i], (const char *)from + at, n);
        status = cudaMemcpyAsync((char *)to + at, s->memory[i], n, cudaMemcpyHostToDevice, cs);
        if (status == cudaSuccess) status = cudaEventRecord(s->done[i], cs);
        at += n;
    }
    pthread_mutex_unlock(&s->lock);
    return cpi_cuda_check(stream, status, what);
}

static cp_code to_host(cp_stream *stream, void *to, const void *from, size_t bytes)
{
    const char *what = "copy to host";
    cudaStream_t cs = cpi_cuda_stream(stream);
    if (cpi_cuda_captured(stream)) return cpi_cuda_wait(stream, what); /* CUDA's error */
    if (bytes <= SMALL) return cpi_cuda_read(stream, to, from, bytes);
    if (is_pinned(to)) {
        cp_code code = cpi_cuda_check(stream, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cs), what);
        return code ? code : cpi_cuda_wait(stream, what);
    }
    staging *s = staging_lock(stream->device, what);
    if (!s) return CP_ERROR_DEVICE;
    cudaError_t status = cudaSuccess;
    size_t asked = 0, arrived = 0; /* PIECES transfers are under way while the host empties the oldest */
    for (int i = 0; arrived < bytes && status == cudaSuccess;) {
        if (asked < bytes && asked - arrived < (size_t)CHUNKS * SEGMENT) {
            int k = (int)(asked / SEGMENT % CHUNKS);
            size_t n = bytes - asked < SEGMENT ? bytes - asked : SEGMENT;
            status = chunk_memory(s, k);
            if (status == cudaSuccess) status = cudaEventSynchronize(s->done[k]); /* another stream may still read it */
            if (status == cudaSuccess)
                status = cudaMemcpyAsync(s->memory[k], (const char *)from + asked, n, cudaMemcpyDeviceToHost, cs);
            if (status == cudaSuccess) status = cudaEventRecord(s->done[k], cs);
            asked += n;
            continue;
        }
        size_t n = bytes - arrived < SEGMENT ? bytes - arrived : SEGMENT;
        status = cudaEventSynchronize(s->done[i]);
        if (status == cudaSuccess) copy_wide((char *)to + arrived, s->memory[i], n);
        arrived += n;
        i = (i + 1) % CHUNKS;
    }
    pthread_mutex_unlock(&s->lock);
    return status == cudaSuccess ? cpi_cuda_wait(stream, what) : cpi_cuda_check(stream, status, what);
}

cp_code cpi_cuda_read(cp_stream *stream, void *host, const void *device_memory, size_t bytes)
{
    const char *what = "read";
    if (bytes > SMALL) return to_host(stream, host, device_memory, bytes);
    if (cpi_cuda_captured(stream)) return cpi_cuda_wait(stream, what);
    staging *s = staging_lock(stream->device, what);
    if (!s) return CP_ERROR_DEVICE;
    cudaStream_t cs = cpi_cuda_stream(stream);
    cudaError_t status = cudaMemcpyAsync(s->small, device_memory, bytes, cudaMemcpyDeviceToHost, cs);
    cp_code code = status == cudaSuccess ? cpi_cuda_wait(stream, what) : cpi_cuda_check(stream, status, what);
    if (code == CP_OK) memcpy(host, s->small, bytes);
    pthread_mutex_unlock(&s->lock);
    return code;
}

cp_code cpi_cuda_read_while(cp_stream *stream, void *host, const void *device_memory, size_t bytes,
                            cp_code (*meanwhile)(void *context), void *context)
{
    const char *what = "read";
    if (cpi_cuda_captured(stream)) return cpi_cuda_wait(stream, what);
    staging *s = staging_lock(stream->device, what);
    if (!s) return CP_ERROR_DEVICE;
    cudaStream_t cs = cpi_cuda_stream(stream);
    cudaError_t status = cudaMemcpyAsync(s->small, device_memory, bytes, cudaMemcpyDeviceToHost, cs);
    if (status == cudaSuccess) status = cudaEventRecord(s->done[0], cs);
    cp_code code = status == cudaSuccess ? meanwhile(context) : CP_OK;
    if (status == cudaSuccess) status = cudaEventSynchronize(s->done[0]);
    if (status == cudaSuccess) memcpy(host, s->small, bytes);
    pthread_mutex_unlock(&s->lock);
    return status != cudaSuccess ? cpi_cuda_check(stream, status, what) : code;
}

static cp_code copy(cp_stream *s, void *to, const void *from, size_t bytes)
{
    if (!bytes) return CP_OK;
    return cpi_cuda_issued(s, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cpi_cuda_stream(s)), "copy");
}

static cp_code zero(cp_stream *s, void *memory, size_t bytes)
{
    return !bytes ? CP_OK : cpi_cuda_issued(s, cudaMemsetAsync(memory, 0, bytes, cpi_cuda_stream(s)), "zeros");
}

/* --- events; streams are in stream_cuda.cu --- */

static int done(cudaError_t status, const char *what)
{
    if (status == cudaErrorNotReady) {
        cudaGetLastError();
        return 0;
    }
    return cpi_cuda_check(NULL, status, what) ? -1 : 1;
}

static cp_code stream_wait(cp_stream *s, cp_event *e)
{
    return cpi_cuda_check(s, cudaStreamWaitEvent(cpi_cuda_stream(s), (cudaEvent_t)e->handle, 0), "stream_wait");
}

static cp_code event_new(cp_event *e)
{
    cudaEvent_t handle = NULL;
    use(e->device);
    unsigned flags = (e->flags & CPI_EVENT_BLOCKING ? cudaEventBlockingSync : 0u) |
                     (e->flags & CPI_EVENT_NO_TIMING ? cudaEventDisableTiming : 0u) |
                     (e->flags & CPI_EVENT_INTERPROCESS ? cudaEventInterprocess : 0u);
    cp_code code = cpi_cuda_check(NULL, cudaEventCreateWithFlags(&handle, flags), "event_create");
    e->handle = handle;
    return code;
}

static void event_free(cp_event *e) { cudaEventDestroy((cudaEvent_t)e->handle); }

static cp_code event_record(cp_event *e, cp_stream *s)
{
    return cpi_cuda_check(s, cudaEventRecord((cudaEvent_t)e->handle, cpi_cuda_stream(s)), "event_record");
}

static cp_code event_sync(cp_event *e)
{
    return cpi_cuda_check(NULL, cudaEventSynchronize((cudaEvent_t)e->handle), "event_synchronize");
}

static int event_done(cp_event *e) { return done(cudaEventQuery((cudaEvent_t)e->handle), "event_done"); }

static cp_code event_elapsed(cp_event *a, cp_event *b, double *ms)
{
    float value = 0;
    cp_code code = cpi_cuda_check(NULL, cudaEventElapsedTime(&value, (cudaEvent_t)a->handle, (cudaEvent_t)b->handle),
                                  "event_elapsed");
    *ms = value;
    return code;
}

static cp_code device_sync(cpi_device *d)
{
    use(d);
    return cpi_cuda_wait_all(d, "synchronize");
}

/* --- the table --- */

static char error[512];
static cpi_backend backend;

extern "C" {
#define MODULE(module) extern const struct cpi_##module##_ops cpi_##module##_cuda;
CPI_MODULES(MODULE)
#undef MODULE
}

const uint64_t cuprite_backend_abi = CPI_ABI;

extern "C" __attribute__((visibility("default"))) const cpi_backend *cuprite_backend_open(const cpi_host_api *host)
{
    int count = 0, driver = 0, runtime = 0;
    cpi_host = host;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {
        count = 0;
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        snprintf(error, sizeof error, "CUDA: %s (the driver serves CUDA %d.%d, this build needs %d.x)",
                 cudaGetErrorString(status), driver / 1000, driver % 1000 / 10, runtime / 1000);
        cudaGetLastError();
    } else if (!count) {
        snprintf(error, sizeof error, "CUDA: the driver found no device");
    }
    backend.name = "cuda";
    backend.error = error;
    backend.devices = device_count = count;
    backend.open = open_device;
    backend.use = use;
    backend.query = query;
    backend.memory_new = memory_new;
    backend.memory_free = memory_free;
    backend.from_host = from_host;
    backend.to_host = to_host;
    backend.copy = copy;
    backend.zero = zero;
    backend.stream_new = cpi_cuda_stream_new;
    backend.stream_free = cpi_cuda_stream_free;
    backend.stream_sync = cpi_cuda_stream_sync;
    backend.stream_done = cpi_cuda_stream_done;
    backend.stream_wait = stream_wait;
    backend.event_new = event_new;
    backend.event_free = event_free;
    backend.event_record = event_record;
    backend.event_sync = event_sync;
    backend.event_done = event_done;
    backend.event_elapsed = event_elapsed;
    backend.device_sync = device_sync;
    cpi_cuda_graph_slots(&backend);
    cpi_cuda_native_slots(&backend);
#define MODULE(module) backend.module = &cpi_##module##_cuda;
    CPI_MODULES(MODULE)
#undef MODULE
    return &backend;
}
