/* The CPU as a backend: memory, copies, and streams and events whose work is done when the call returns. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/device.h"
#include "cpu/features.h"
#include "cpu/limits.h"
#include "cpu/record.h"
#include "cpu/bytes.h"
#include "cpu/segments.h"
#include "cpu/threads.h"

static void processor_name(char *name, size_t bytes)
{
    char line[512];
    snprintf(name, bytes, "CPU");
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!value) continue;
        value += 1 + (value[1] == ' ');
        value[strcspn(value, "\n")] = 0;
        snprintf(name, bytes, "%s", value);
        break;
    }
    if (f) fclose(f);
}

static cp_code cpu_open(cpi_device *d)
{
    processor_name(d->name, sizeof d->name);
    snprintf(d->variant, sizeof d->variant, "%s", cpi_cpu_level_name());
    d->units = cpi_workers();
    return CP_OK;
}

static cp_code cpu_query(cpi_device *d, int64_t *total, int64_t *available)
{
    d->units = cpi_workers(); /* may have changed since */
    int64_t page = sysconf(_SC_PAGESIZE);
    *total = page * sysconf(_SC_PHYS_PAGES);
    if ((size_t)*total > cpi_memory_most()) *total = (int64_t)cpi_memory_most();
    *available = page * sysconf(_SC_AVPHYS_PAGES);
    if (*available > *total) *available = *total;
    return CP_OK;
}

enum { PAST_CACHES = 6 << 20 /* copies of so many bytes use non-temporal stores */ };
typedef struct { char *to; const char *from; size_t bytes, each; } copy_job;

static void copy_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const copy_job *job = context;
    size_t at = (size_t)task * job->each, n = job->bytes - at < job->each ? job->bytes - at : job->each;
    if (job->from && job->bytes >= PAST_CACHES) {
        cpi_stream_bytes(job->to + at, job->from + at, n);
    } else if (job->from) {
        cpi_copy_bytes(job->to + at, job->from + at, n);
    } else {
        memset(job->to + at, 0, n);
    }
}

static cp_code copy_bytes(void *to, const void *from, size_t bytes)
{
    copy_job job = {to, from, bytes, (size_t)1 << 20};
    if (bytes) cpi_parallel((int64_t)((bytes + job.each - 1) / job.each), copy_task, &job);
    return CP_OK;
}

static cp_code cpu_from_host(cp_stream *s, void *to, const void *from, size_t n)
{
    (void)s;
    return copy_bytes(to, from, n);
}
static cp_code cpu_to_host(cp_stream *s, void *to, const void *from, size_t n)
{
    (void)s;
    return copy_bytes(to, from, n);
}
static cp_code cpu_copy(cp_stream *s, void *to, const void *from, size_t n) { (void)s; return copy_bytes(to, from, n); }
static cp_code cpu_zero(cp_stream *s, void *to, size_t n) { (void)s; return copy_bytes(to, NULL, n); }

static cp_code stream_nothing(cp_stream *s) { (void)s; return CP_OK; }
static void stream_free(cp_stream *s) { (void)s; }
static cp_code stream_call(cp_stream *s, void (*function)(void *), void *argument)
{
    (void)s;
    function(argument);
    return CP_OK;
}

/* A handle is the address of one of this library's streams; those were searched before. */
static cp_code stream_new(cp_stream *s)
{
    s->priority = 0;
    if (!(s->flags & CPI_STREAM_ADOPTED)) return CP_OK;
    return cpi_fail(CP_ERROR_DEVICE, "stream_external: cudaErrorInvalidResourceHandle: the CPU has no stream with the "
                    "handle %p", s->handle);
}

static int stream_done(cp_stream *s) { (void)s; return 1; }
static cp_code stream_wait(cp_stream *s, cp_event *e) { (void)s; (void)e; return CP_OK; }
static cp_code event_new(cp_event *e) { (void)e; return CP_OK; }
static void event_free(cp_event *e) { (void)e; }

/* A negative time names the capture in whose work the event is (record.c). */
static cp_code event_sync(cp_event *e)
{
    return e->when >= 0 ? CP_OK : cpi_fail(CP_ERROR_DEVICE, "event: cudaErrorCapturedEvent: it was recorded in "
                                           "captured work, which has no time");
}

static int event_done(cp_event *e) { return event_sync(e) ? -1 : 1; }
static cp_code device_sync(cpi_device *d) { (void)d; return CP_OK; }

static cp_code event_record(cp_event *e, cp_stream *s)
{
    (void)s;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    e->when = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    return CP_OK;
}

static cp_code event_elapsed(cp_event *a, cp_event *b, double *ms)
{
    cp_code code = event_sync(a);
    if (!code) code = event_sync(b);
    if (code) return code;
    *ms = (b->when - a->when) * 1e3;
    return CP_OK;
}

/* The device properties by which CUDA programs choose grid sizes: the limits of kernels here, which are those of
 * compute capability 9.0. */
static cp_code properties(cpi_device *d, cp_property_fn report, void *context)
{
    static const struct { const char *name; int n; int64_t values[3]; } known[] = {
        {"maxThreadsPerBlock", 1, {1024}}, {"maxThreadsDim", 3, {1024, 1024, 64}},
        {"maxGridSize", 3, {2147483647, 65535, 65535}}, {"maxThreadsPerMultiProcessor", 1, {2048}},
        {"maxBlocksPerMultiProcessor", 1, {32}}, {"warpSize", 1, {32}}, {"sharedMemPerBlock", 1, {49152}},
        {"sharedMemPerBlockOptin", 1, {232448}}, {"sharedMemPerMultiprocessor", 1, {233472}},
        {"reservedSharedMemPerBlock", 1, {1024}}, {"regsPerBlock", 1, {65536}}, {"regsPerMultiprocessor", 1, {65536}},
        {"totalConstMem", 1, {65536}}, {"memPitch", 1, {2147483647}}, {"unifiedAddressing", 1, {1}},
        {"managedMemory", 1, {1}}, {"concurrentManagedAccess", 1, {1}}, {"pageableMemoryAccess", 1, {1}},
        {"canMapHostMemory", 1, {1}}, {"integrated", 1, {1}}, {"cooperativeLaunch", 1, {1}},
        {"textureAlignment", 1, {512}}, {"major", 1, {9}}, {"minor", 1, {0}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        report(context, known[i].name, known[i].n, known[i].values, NULL);
    int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    report(context, "l2CacheSize", 1, &(int64_t){cache > 0 ? cache : 0}, NULL);
    report(context, "multiProcessorCount", 1, &(int64_t){d->units = cpi_workers()}, NULL);
    return CP_OK;
}

#define MODULE(module) extern const struct cpi_##module##_ops cpi_##module##_cpu;
CPI_BUILT_MODULES(MODULE)
#undef MODULE

const cpi_backend cpi_backend_cpu = {
    .name = "cpu", .error = "", .devices = 1, .forks = true, .at_once = true,
    .parallel = cpi_parallel, .open = cpu_open, .query = cpu_query,
    .memory_new = cpi_segment_new, .memory_free = cpi_segment_free,
    .memory_of_kind = cpi_segment_of_kind, .memory_of_kind_free = cpi_segment_of_kind_free,
    .from_host = cpu_from_host, .to_host = cpu_to_host, .copy = cpu_copy, .zero = cpu_zero,
    .stream_new = stream_new, .stream_call = stream_call, .stream_free = stream_free, .stream_sync = stream_nothing,
    .stream_done = stream_done, .stream_wait = stream_wait,
    .event_new = event_new, .event_free = event_free, .event_record = event_record,
    .event_sync = event_sync, .event_done = event_done, .event_elapsed = event_elapsed,
    .device_sync = device_sync, .properties = properties,
    .capture_begin = cpi_cpu_capture_begin, .capture_end = cpi_cpu_capture_end, .capture_of = cpi_cpu_capture_of,
    .graph_launch = cpi_cpu_graph_launch, .graph_upload = cpi_cpu_graph_upload, .graph_free = cpi_cpu_graph_free,
#define MODULE(module) .module = &cpi_##module##_cpu,
    CPI_BUILT_MODULES(MODULE)
#undef MODULE
};
