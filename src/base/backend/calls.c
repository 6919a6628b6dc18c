/* Host functions that streams call, and what they may do.
 *
 * Invariant: such a function neither uses nor waits for a device of the backend whose stream called it, as in CUDA. The
 * stream is blocked until it returns, so a wait would be a deadlock. Waits are refused on every device; allocation and
 * work are refused on asynchronous backends. An error in the function does not affect the stream. */
#include <stdlib.h>
#include <string.h>

#include "backend/array.h"
#include "backend/capture.h"
#include "backend/device.h"
#include "backend/stream.h"

static _Thread_local const cpi_device *caller; /* whose stream called the function that the thread is in */
static int under_way; /* calls in progress, of all threads; while 0, thread-local state is not read */

/* A deferred free from such a function. */
typedef struct left {
    struct left *next;
    void (*end)(void *what);
    _Alignas(max_align_t) char what[];
} left;

static left *all_left; /* changed atomically: a thread that waits for a device holds no lock that a call may need */

bool cpi_in_call(void) { return __atomic_load_n(&under_way, __ATOMIC_RELAXED) && caller; }

bool cpi_leave_for_later(void (*end)(void *what), const void *what, size_t bytes)
{
    left *l = malloc(sizeof *l + bytes);
    if (!l) return false;
    *l = (left){.next = __atomic_load_n(&all_left, __ATOMIC_RELAXED), .end = end};
    memcpy(l->what, what, bytes);
    while (!__atomic_compare_exchange_n(&all_left, &l->next, l, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return true;
}

void cpi_settle(void)
{
    if (!__atomic_load_n(&all_left, __ATOMIC_RELAXED) || cpi_in_call()) return;
    for (left *l = __atomic_exchange_n(&all_left, NULL, __ATOMIC_ACQUIRE), *next; l; l = next) {
        next = l->next;
        l->end(l->what);
        free(l);
    }
}

void cpi_calls_after_fork(void)
{
    all_left = NULL;
    caller = NULL;
    under_way = 0;
}

/* --- what a function may do --- */

bool cpi_call_forbids(const cpi_device *device) { return cpi_in_call() && caller->backend == device->backend; }

cp_code cpi_call_refuses(const char *function)
{
    return cpi_fail(CP_ERROR_DEVICE, "%s: cudaErrorNotPermitted: a function that a stream calls may neither use nor "
                    "wait for its device", function);
}

bool cpi_may_use(const char *function, const cpi_device *device)
{
    if (!cpi_call_forbids(device) || device->id == CP_CPU) return true;
    cpi_call_refuses(function);
    return false;
}

/* --- calls --- */

typedef struct host_call {
    const cpi_device *device;
    void (*function)(void *argument);
    void *argument;
    void (*release)(void *argument);
} host_call;

static void call(const host_call *c, bool last)
{
    const cpi_device *before = caller;
    bool fine = cp_error() == CP_OK;
    __atomic_add_fetch(&under_way, 1, __ATOMIC_RELAXED);
    caller = c->device;
    c->function(c->argument);
    if (last && c->release) c->release(c->argument);
    caller = before;
    __atomic_sub_fetch(&under_way, 1, __ATOMIC_RELAXED);
    if (fine) cp_error_clear(); /* no caller on this thread could see it */
}

static void call_once(void *c)
{
    call(c, true);
    free(c);
}

/* The same for a call that a graph makes at each launch. */
static void call_again(void *c) { call(c, false); }

static void call_gone(void *call)
{
    host_call *c = call;
    if (c->release) c->release(c->argument);
    free(c);
}

cp_code cp_stream_call(cp_stream *s, void (*function)(void *argument), void *argument, void (*release)(void *argument))
{
    const char *name = "stream_call";
    if (cpi_null(name, s)) return CP_ERROR_VALUE;
    if (!function) return cpi_fail(CP_ERROR_VALUE, "%s: there is no function to call", name);
    if (!cpi_may_use(name, s->device)) return cp_error();
    const cpi_backend *backend = s->device->backend;
    if (backend->use) backend->use(s->device);
    host_call *c = malloc(sizeof *c);
    if (!c) return cpi_fail(CP_ERROR_MEMORY, "%s: out of host memory", name);
    *c = (host_call){s->device, function, argument, release};
    if (cpi_capture_if_any(s)) { /* called at each launch */
        if (!cpi_capture_own(s, c, call_gone)) return free(c), cp_error();
        cp_code code = backend->stream_call(s, call_again, c);
        if (code) c->release = NULL; /* the caller releases it, as the call was not issued */
        return code;
    }
    cp_code code = backend->stream_call(s, call_once, c);
    if (code) free(c);
    return code;
}
