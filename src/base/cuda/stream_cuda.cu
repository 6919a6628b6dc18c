/* Streams, and asynchronous errors.
 *
 * A stream that is used gets a record: counters for kernels, the names of the operations last issued to it, and, when a
 * kernel needs one, a mailbox. Invariants: `issued` counts operations issued to the stream, `settled` those known to be
 * done; the names of the last KEPT are stored. An error in a mailbox is reported once, by the first call that checks,
 * for all work issued by then. A CUDA error of earlier work ends the device's use in this process, as in CUDA, and is
 * reported by every call. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cuda/cuda.h"
#include "cuda/mailbox.cuh"

namespace {

enum { KEPT = 8 };

struct record {
    void *counters;     /* CPI_CUDA_COUNTERS bytes of the device, or NULL */
    void *captured_counters; /* those owned by the capture `capture` */
    uint64_t capture;
    uint32_t *mailbox;  /* page-locked (mailbox.cuh); NULL: no kernel of the stream has needed one */
    uint32_t emptied;   /* number of times that a kernel was asked to empty it */
    const char *names[KEPT];
    uint64_t issued, settled;
    cpi_device *device;
    record *next;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
record *records; /* of all streams, for waits on a whole device */

struct late {
    cp_code code;
    const char *text;
};
const late late_failures[] = {
    {CP_OK, ""},
#define X(name, code, text) {CP_ERROR_##code, text},
    CPI_LATE_FAILURES(X)
#undef X
};

/* Errors that name a function, numbered after those: one for each pair of function and message. */
enum { NAMED = 250, LATE_FAILURES = sizeof late_failures / sizeof *late_failures };
struct named {
    cp_code code;
    const char *function, *text;
};
named named_failures[NAMED];
uint32_t named_count;

record *record_if_any(cp_stream *s) { return (record *)__atomic_load_n(&s->impl, __ATOMIC_ACQUIRE); }

/* NULL, with an error written, when there is no memory for it. */
record *record_of(cp_stream *s)
{
    record *r = record_if_any(s);
    if (r) return r;
    pthread_mutex_lock(&lock);
    r = (record *)s->impl;
    if (!r && (r = (record *)cpi_host->malloc(sizeof *r))) {
        memset(r, 0, sizeof *r);
        r->device = s->device;
        r->next = records;
        records = r;
        __atomic_store_n(&s->impl, (void *)r, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return r;
}

/* Reports and removes the error in the stream's mailbox. Ignores a word that a kernel is yet to empty: it belongs to an
 * error already reported. */
cp_code reported(record *r)
{
    uint32_t *box = r ? __atomic_load_n(&r->mailbox, __ATOMIC_ACQUIRE) : NULL;
    if (!box || !__atomic_load_n(box, __ATOMIC_ACQUIRE)) return CP_OK;
    if (__atomic_load_n(box + CPI_MAIL_EMPTIED, __ATOMIC_ACQUIRE) != __atomic_load_n(&r->emptied, __ATOMIC_RELAXED))
        return CP_OK;
    uint32_t what = __atomic_exchange_n(box, CPI_LATE_NONE, __ATOMIC_ACQ_REL);
    uint32_t index = __atomic_exchange_n(box + CPI_MAIL_INDEX, 0, __ATOMIC_ACQ_REL);
    if (what >= LATE_FAILURES && what - LATE_FAILURES < __atomic_load_n(&named_count, __ATOMIC_ACQUIRE)) {
        const named *n = named_failures + (what - LATE_FAILURES);
        int64_t value, extent;
        memcpy(&value, box + CPI_MAIL_VALUE, sizeof value), memcpy(&extent, box + CPI_MAIL_EXTENT, sizeof extent);
        if (!index) return cpi_host->fail(n->code, "%s: %s", n->function, n->text);
        return cpi_host->fail(n->code, "%s: index %lld is out of bounds for axis %u with size %lld", n->function,
                              (long long)value, box[CPI_MAIL_AXIS], (long long)extent);
    }
    if (what == CPI_LATE_NONE || what >= LATE_FAILURES) return CP_OK;
    return cpi_host->fail(late_failures[what].code, "%s", late_failures[what].text);
}

__global__ void empty_kernel(volatile uint32_t *box, uint32_t times)
{
    box[CPI_MAIL_FAILURE] = CPI_LATE_NONE, box[CPI_MAIL_INDEX] = 0;
    __threadfence_system();
    box[CPI_MAIL_EMPTIED] = times;
}

/* The same at a launch. Pending work of the stream may fail for the same cause: its error is removed once that work is
 * done, and is not reported again. */
cp_code reported_at_launch(record *r, cp_stream *stream)
{
    cp_code code = reported(r);
    if (!code || cpi_cuda_captured(stream)) return code;
    uint32_t times = __atomic_add_fetch(&r->emptied, 1, __ATOMIC_RELAXED);
    empty_kernel<<<1, 1, 0, cpi_cuda_stream(stream)>>>(r->mailbox, times);
    if (cudaGetLastError() != cudaSuccess) __atomic_sub_fetch(&r->emptied, 1, __ATOMIC_RELAXED);
    return code;
}

uint64_t issued_so_far(const record *r) { return r ? __atomic_load_n(&r->issued, __ATOMIC_ACQUIRE) : 0; }

void settle(record *r, uint64_t upto)
{
    if (r && __atomic_load_n(&r->settled, __ATOMIC_RELAXED) < upto)
        __atomic_store_n(&r->settled, upto, __ATOMIC_RELEASE);
}

/* Errors of earlier kernels, returned by a later call. */
bool of_earlier_work(cudaError_t status)
{
    switch ((int)status) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable: return true;
    default: return false;
    }
}

void add_name(char *text, size_t bytes, const char *name)
{
    size_t n = strlen(text), m = strlen(name);
    bool last = n >= m && strcmp(text + n - m, name) == 0 && (n == m || text[n - m - 1] == ' ');
    if (last) return; /* several kernels of one operation */
    snprintf(text + n, bytes - n, "%s%s", n ? ", " : "", name);
}

/* The operations in progress on one stream, oldest first. */
void add_names(char *text, size_t bytes, const record *r)
{
    uint64_t end = issued_so_far(r), at = __atomic_load_n(&r->settled, __ATOMIC_ACQUIRE);
    if (end - at > KEPT) at = end - KEPT, add_name(text, bytes, "...");
    for (; at < end; at++) {
        const char *name = __atomic_load_n(&r->names[at % KEPT], __ATOMIC_RELAXED);
        if (name) add_name(text, bytes, name);
    }
}

void names_under_way(cp_stream *stream, char *text, size_t bytes)
{
    record *own = stream ? record_if_any(stream) : NULL;
    text[0] = 0;
    if (own) add_names(text, bytes, own);
    if (text[0]) return;
    pthread_mutex_lock(&lock);
    for (record *r = records; r; r = r->next) add_names(text, bytes, r);
    pthread_mutex_unlock(&lock);
}

/* Hint at the tool that names the thread, the address and, if the kernel was compiled under CUPRITE_CHECK, the line. */
const char *sanitizer(cudaError_t status)
{
    switch ((int)status) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
        return "; CUPRITE_CHECK=1 compute-sanitizer python prog.py reports the kernel, its line and the address";
    default:
        return "";
    }
}

} // namespace

cp_code cpi_cuda_check(cp_stream *stream, cudaError_t status, const char *what)
{
    if (status == cudaSuccess) return CP_OK;
    if (stream && stream->device->forked)
        return cpi_host->fail(CP_ERROR_DEVICE, "%s: %s cannot be used in a process forked from one that used it", what,
                              stream->device->label);
    cp_code code = status == cudaErrorMemoryAllocation ? CP_ERROR_MEMORY : CP_ERROR_DEVICE;
    char names[256] = "";
    if (of_earlier_work(status)) names_under_way(stream, names, sizeof names);
    cudaGetLastError(); /* else the next launch would be blamed */
    return cpi_host->fail(code, "%s: CUDA: %s (%s)%s%s%s", what, cudaGetErrorString(status), cudaGetErrorName(status),
                          names[0] ? " in work under way: " : "", names, sanitizer(status));
}

cp_code cpi_cuda_issued(cp_stream *stream, cudaError_t status, const char *what)
{
    record *r = record_of(stream);
    if (!r) return CP_ERROR_MEMORY;
    uint64_t at = __atomic_fetch_add(&r->issued, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&r->names[at % KEPT], what, __ATOMIC_RELAXED);
    return status == cudaSuccess ? reported_at_launch(r, stream) : cpi_cuda_check(stream, status, what);
}

uint32_t *cpi_cuda_mailbox(cp_stream *stream)
{
    record *r = record_of(stream);
    if (!r) return NULL;
    cudaError_t status = cudaSuccess;
    pthread_mutex_lock(&lock);
    if (!r->mailbox) {
        uint32_t *box = NULL;
        cpi_cuda_relaxed relaxed;
        status = cudaHostAlloc((void **)&box, CPI_MAIL_WORDS * sizeof *box, cudaHostAllocMapped);
        if (status == cudaSuccess) memset(box, 0, CPI_MAIL_WORDS * sizeof *box);
        __atomic_store_n(&r->mailbox, box, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    cpi_cuda_check(stream, status, "mailbox");
    return r->mailbox;
}

uint32_t cpi_cuda_late(cp_code code, const char *function, const char *text)
{
    uint32_t i = 0;
    pthread_mutex_lock(&lock);
    for (; i < named_count; i++) {
        const named *n = named_failures + i;
        if (n->code == code && strcmp(n->function, function) == 0 && strcmp(n->text, text) == 0) break;
    }
    if (i == NAMED) i--;
    else if (i == named_count) {
        named_failures[i] = {code, function, text};
        __atomic_store_n(&named_count, i + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return LATE_FAILURES + i;
}

void *cpi_cuda_counters(cp_stream *stream)
{
    record *r = record_of(stream);
    if (!r) return NULL;
    cudaError_t status = cudaSuccess;
    uint64_t capture = cpi_cuda_capture_of(stream);
    if (capture) { /* a graph may run in other streams, concurrently with this stream's kernels */
        if (r->capture == capture) return r->captured_counters;
        void *memory = cpi_cuda_zeroed_for_capture(stream, CPI_CUDA_COUNTERS);
        r->captured_counters = memory;
        r->capture = memory ? capture : 0;
        return memory;
    }
    pthread_mutex_lock(&lock);
    if (!r->counters) status = cpi_cuda_zeroed(&r->counters, CPI_CUDA_COUNTERS);
    pthread_mutex_unlock(&lock);
    cpi_cuda_check(stream, status, "counters");
    return r->counters;
}

cp_code cpi_cuda_stream_new(cp_stream *s)
{
    cudaStream_t handle = NULL;
    unsigned flags = 0;
    s->device->backend->use(s->device);
    if (s->flags & CPI_STREAM_ADOPTED) {
        handle = cpi_cuda_stream(s);
        cp_code code = cpi_cuda_check(NULL, cudaStreamGetFlags(handle, &flags), "stream_external");
        if (!code) code = cpi_cuda_check(NULL, cudaStreamGetPriority(handle, &s->priority), "stream_external");
        if (!(flags & cudaStreamNonBlocking)) s->flags |= CPI_STREAM_BLOCKING;
        return code;
    }
    flags = s->flags & CPI_STREAM_BLOCKING ? cudaStreamDefault : cudaStreamNonBlocking;
    cp_code code = cpi_cuda_check(NULL, cudaStreamCreateWithPriority(&handle, flags, s->priority), "stream_create");
    if (!code) code = cpi_cuda_check(NULL, cudaStreamGetPriority(handle, &s->priority), "stream_create");
    s->handle = handle;
    return code;
}

void cpi_cuda_stream_free(cp_stream *s)
{
    record *r = record_if_any(s);
    if (r) {
        pthread_mutex_lock(&lock);
        record **link = &records;
        while (*link != r) link = &(*link)->next;
        *link = r->next;
        pthread_mutex_unlock(&lock);
        cudaFree(r->counters);
        cudaFreeHost(r->mailbox);
        cpi_host->free(r);
    }
    if (!(s->flags & CPI_STREAM_ADOPTED)) cudaStreamDestroy(cpi_cuda_stream(s));
    cudaGetLastError();
}

cp_code cpi_cuda_wait(cp_stream *stream, const char *what)
{
    record *r = record_if_any(stream);
    uint64_t upto = issued_so_far(r);
    cudaError_t status = cudaStreamSynchronize(cpi_cuda_stream(stream));
    if (status != cudaSuccess) return cpi_cuda_check(stream, status, what);
    settle(r, upto);
    return reported(r);
}

cp_code cpi_cuda_stream_sync(cp_stream *s) { return cpi_cuda_wait(s, "synchronize"); }

int cpi_cuda_stream_done(cp_stream *s)
{
    record *r = record_if_any(s);
    uint64_t upto = issued_so_far(r);
    cudaError_t status = cudaStreamQuery(cpi_cuda_stream(s));
    if (status == cudaErrorNotReady) {
        cudaGetLastError();
        return 0;
    }
    if (status != cudaSuccess) return cpi_cuda_check(s, status, "stream_done"), -1;
    settle(r, upto);
    return reported(r) ? -1 : 1;
}

cp_code cpi_cuda_wait_all(cpi_device *device, const char *what)
{
    cp_code code = cpi_cuda_check(NULL, cudaDeviceSynchronize(), what);
    pthread_mutex_lock(&lock);
    for (record *r = records; r && code == CP_OK; r = r->next)
        if (r->device == device) settle(r, issued_so_far(r)), code = reported(r);
    pthread_mutex_unlock(&lock);
    return code;
}
