/* Profiling: the tables of backends that record, and the records.
 *
 * Invariants: a device's table is only changed under `lock`, by `set`. A recording table belongs to one plain table and
 * is never freed, so a call that has read it may go on while profiling ends. Records are kept in a bounded
 * array; when it is full they are added up by operation (profile_sums.c) and another one begins. No lock is held while
 * events are waited for: a function that a stream calls may come here. */
#include "backend/profile.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/device.h"
#include "backend/profile_sums.h"
#include "backend/registry.h"
#include "core/error.h"
#include "core/forks.h"
#include "cuprite/profile.h"

enum { TABLES = 2 * (CPI_PLUGINS + 1), CALLS = 1 << 16 };

/* Events on both sides of a call. */
typedef struct cpi_profile_pair {
    struct cpi_profile_pair *next;
    cp_event begin, end;
} pair;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static bool on; /* changed under the lock, read atomically */
static cpi_backend table[TABLES];
static const cpi_backend *plain_of[TABLES];
static int tables;
static pair *spare[CPI_DEVICES];

/* Records; `pairs` are of those whose time is not known yet. */
typedef struct records {
    int n;
    cpi_profile_call call[CALLS];
    pair *pairs[CALLS];
} records;
static records *now_kept; /* NULL: there is no memory for them */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- calls --- */

/* A pair of events of the device; NULL where there is none to be had, or no place for its time. */
static pair *pair_new(const cpi_backend *of, cpi_device *device)
{
    pthread_mutex_lock(&lock);
    pair *p = spare[device->slot];
    if (p) spare[device->slot] = p->next;
    pthread_mutex_unlock(&lock);
    if (p || !(p = calloc(1, sizeof *p))) return p;
    p->begin.device = p->end.device = device;
    if (of->event_new(&p->begin) == CP_OK) {
        if (of->event_new(&p->end) == CP_OK) return p;
        of->event_free(&p->begin);
    }
    free(p);
    return NULL;
}

/* With the lock held. */
static void pair_keep(pair *p)
{
    p->next = spare[p->begin.device->slot];
    spare[p->begin.device->slot] = p;
}

cpi_profile_mark cpi_profile_begin(cp_stream *s, cpi_profile_kind kind, const char *operation, int64_t bytes)
{
    cpi_profile_mark m = {.of = cpi_backend_plain(s->device->backend), .device = s->device, .operation = operation,
                          .bytes = bytes, .kind = kind, .stream = s};
    if (!__atomic_load_n(&on, __ATOMIC_RELAXED)) return m;
    m.on = true;
    if (!m.of->at_once && (kind == CPI_PROFILE_WORK || kind == CPI_PROFILE_COPY) && m.of->event_new &&
        !(m.of->capture_of && m.of->capture_of(s))) {
        const bool fine = cp_error() == CP_OK;
        m.pair = pair_new(m.of, s->device);
        if (m.pair && m.of->event_record(&m.pair->begin, s)) {
            pthread_mutex_lock(&lock);
            pair_keep(m.pair);
            pthread_mutex_unlock(&lock);
            m.pair = NULL;
        }
        if (fine) cp_error_clear(); /* a call that cannot be timed is not one that fails */
    }
    m.begin = now();
    return m;
}

/* The times of calls by their events, which are waited for. */
static void resolve(records *r)
{
    const bool fine = cp_error() == CP_OK;
    for (int i = 0; i < r->n; i++) {
        pair *p = r->pairs[i];
        if (!p) continue;
        const cpi_backend *of = cpi_backend_plain(p->begin.device->backend);
        double ms = 0;
        if (of->use) of->use(p->begin.device);
        if (!of->event_sync(&p->end) && !of->event_elapsed(&p->begin, &p->end, &ms)) r->call[i].seconds = ms * 1e-3;
        r->pairs[i] = NULL;
        pthread_mutex_lock(&lock);
        pair_keep(p);
        pthread_mutex_unlock(&lock);
    }
    if (fine) cp_error_clear();
}

/* The records so far, no longer kept: new ones go elsewhere. */
static records *take(void)
{
    records *fresh = malloc(sizeof *fresh);
    if (fresh) fresh->n = 0;
    pthread_mutex_lock(&lock);
    records *r = now_kept;
    now_kept = fresh;
    pthread_mutex_unlock(&lock);
    return r;
}

/* Adds records to the sums, with the lock held. */
static void add_up(records *r)
{
    for (int i = 0; i < r->n; i++) cpi_profile_add(&r->call[i]);
    free(r);
}

/* Makes taken records, whose times are known, the first of those that are kept. */
static void give_back(records *r)
{
    pthread_mutex_lock(&lock);
    records *later = now_kept;
    if (later && r->n + later->n > CALLS) {
        add_up(r);
    } else {
        for (int i = 0; later && i < later->n; i++)
            r->call[r->n] = later->call[i], r->pairs[r->n++] = later->pairs[i];
        free(later);
        now_kept = r;
    }
    pthread_mutex_unlock(&lock);
}

/* Where the array is full: its calls are added up. */
static void make_space(void)
{
    records *r = take();
    if (!r) return;
    resolve(r);
    pthread_mutex_lock(&lock);
    add_up(r);
    pthread_mutex_unlock(&lock);
}

cp_code cpi_profile_end(cpi_profile_mark *m, cp_code code)
{
    if (!m->on) return code;
    const double seconds = now() - m->begin;
    bool timed = m->pair != NULL;
    if (timed) {
        const bool fine = cp_error() == CP_OK;
        timed = m->of->event_record(&m->pair->end, m->stream) == CP_OK;
        if (fine && !code) cp_error_clear();
    }
    cpi_profile_call c = {.begin = m->begin, .seconds = seconds, .bytes = m->bytes, .kind = m->kind,
                          .device = m->device};
    cpi_profile_name(&c, m->operation);
    pthread_mutex_lock(&lock);
    records *r = now_kept;
    const bool fits = r && r->n < CALLS;
    if (fits) r->pairs[r->n] = timed ? m->pair : NULL, r->call[r->n++] = c;
    if (m->pair && !(fits && timed)) pair_keep(m->pair);
    const bool full = fits && r->n == CALLS;
    pthread_mutex_unlock(&lock);
    if (full) make_space();
    return code;
}

/* --- the backend's own functions --- */

#define RECORDED(stream, kind, operation, bytes, call)                                  \
    cpi_profile_mark m = cpi_profile_begin(stream, kind, operation, (int64_t)(bytes)); \
    return cpi_profile_end(&m, m.of->call)

static cp_code from_host(cp_stream *s, void *to, const void *host, size_t bytes)
{
    RECORDED(s, CPI_PROFILE_FROM_HOST, "copy from the host", bytes, from_host(s, to, host, bytes));
}
static cp_code to_host(cp_stream *s, void *host, const void *from, size_t bytes)
{
    RECORDED(s, CPI_PROFILE_TO_HOST, "copy to the host", bytes, to_host(s, host, from, bytes));
}
static cp_code copy(cp_stream *s, void *to, const void *from, size_t bytes)
{
    RECORDED(s, CPI_PROFILE_COPY, "copy of memory", 2 * bytes, copy(s, to, from, bytes));
}
static cp_code zero(cp_stream *s, void *memory, size_t bytes)
{
    RECORDED(s, CPI_PROFILE_COPY, "zero", bytes, zero(s, memory, bytes));
}
static cp_code copy_peer(cp_stream *s, void *to, cp_stream *from_stream, const void *from, size_t bytes)
{
    RECORDED(s, CPI_PROFILE_COPY, "copy between devices", 2 * bytes, copy_peer(s, to, from_stream, from, bytes));
}
static cp_code stream_sync(cp_stream *s)
{
    RECORDED(s, CPI_PROFILE_WAIT, "wait for a stream", 0, stream_sync(s));
}
static cp_code event_sync(cp_event *e)
{
    RECORDED(&e->device->null_stream, CPI_PROFILE_WAIT, "wait for an event", 0, event_sync(e));
}
static cp_code device_sync(cpi_device *d)
{
    RECORDED(&d->null_stream, CPI_PROFILE_WAIT, "wait for the device", 0, device_sync(d));
}
static cp_code graph_launch(cp_graph *graph, cp_stream *s)
{
    RECORDED(s, CPI_PROFILE_WORK, "launch of a graph", 0, graph_launch(graph, s));
}

/* --- tables --- */

const cpi_backend *cpi_backend_plain(const cpi_backend *b)
{
    const size_t offset = (size_t)((const char *)b - (const char *)table);
    return offset < sizeof table ? plain_of[offset / sizeof *table] : b;
}

/* The table that records what `plain` does; `plain` itself where that takes more memory than there is. With the lock
 * held. */
static const cpi_backend *recording(const cpi_backend *plain)
{
    int i = 0;
    while (i < tables && plain_of[i] != plain) i++;
    if (i < tables || tables == TABLES) return i < tables ? &table[i] : plain;
    cpi_backend *t = &table[i];
    *t = *plain;
#define MODULE(module) \
    if (plain->module && !(t->module = cpi_##module##_profiled(plain->module))) t->module = plain->module;
    CPI_BUILT_MODULES(MODULE)
#undef MODULE
    t->from_host = from_host;
    t->to_host = to_host;
    t->copy = copy;
    t->zero = zero;
    if (plain->copy_peer) t->copy_peer = copy_peer;
    t->stream_sync = stream_sync;
    t->event_sync = event_sync;
    t->device_sync = device_sync;
    if (plain->graph_launch) t->graph_launch = graph_launch;
    plain_of[i] = plain;
    tables++;
    return t;
}

/* Calls that are under way read the pointer as it was or as it is; either table is right. They read it without an
 * atomic instruction, since they are many and this is rare: the thread sanitizer must not look here. */
__attribute__((no_sanitize("thread"), noinline)) static void set(cpi_device *d, const cpi_backend *plain)
{
    *(const cpi_backend *volatile *)&d->backend = on ? recording(plain) : plain;
}

void cpi_backend_set(cpi_device *d, const cpi_backend *plain)
{
    pthread_mutex_lock(&lock);
    set(d, plain);
    pthread_mutex_unlock(&lock);
}

static void set_again(cpi_device *d) { set(d, cpi_backend_plain(d->backend)); }

static void turn(bool now_on)
{
    cpi_device *cpu = cpi_device_cpu();
    pthread_mutex_lock(&lock);
    __atomic_store_n(&on, now_on, __ATOMIC_RELAXED);
    set_again(cpu);
    cpi_devices_visit(set_again);
    pthread_mutex_unlock(&lock);
}

cp_code cp_profile_start(void)
{
    pthread_mutex_lock(&lock);
    if (!now_kept && (now_kept = malloc(sizeof *now_kept))) now_kept->n = 0;
    const bool there = now_kept != NULL;
    pthread_mutex_unlock(&lock);
    if (!there) return cpi_fail(CP_ERROR_MEMORY, "profile_start: out of host memory");
    turn(true);
    return CP_OK;
}

void cp_profile_stop(void) { turn(false); }

void cp_profile_clear(void)
{
    records *r = take();
    if (r) resolve(r);
    free(r);
    pthread_mutex_lock(&lock);
    cpi_profile_sums_clear();
    pthread_mutex_unlock(&lock);
}

char *cp_profile_string(cp_profile_view view)
{
    if (view < CP_PROFILE_TABLE || view > CP_PROFILE_TRACE)
        return cpi_fail(CP_ERROR_VALUE, "profile_string: %d is no view", (int)view), NULL;
    records *r = take();
    if (r) resolve(r), give_back(r);
    pthread_mutex_lock(&lock);
    char *text = cpi_profile_write(view, now_kept ? now_kept->n : 0, now_kept ? now_kept->call : NULL);
    pthread_mutex_unlock(&lock);
    if (!text) cpi_fail(CP_ERROR_MEMORY, "profile_string: out of host memory");
    return text;
}

void cpi_profile_after_fork(void)
{
    on = false;
    if (now_kept) now_kept->n = 0;
    memset(spare, 0, sizeof spare);
}

/* --- a whole program --- */

/* Frees nothing and reports to stderr or the file: the program has ended. */
__attribute__((destructor)) static void at_exit(void)
{
    const char *where = getenv("CUPRITE_PROFILE");
    if (!where || !where[0] || !now_kept || !on) return;
    const bool trace = strcmp(where, "1") != 0;
    char *text = cp_profile_string(trace ? CP_PROFILE_TRACE : CP_PROFILE_TABLE);
    FILE *file = trace ? fopen(where, "w") : stderr;
    if (text && file) fputs(text, file);
    else fprintf(stderr, "cuprite: CUPRITE_PROFILE: %s was not written\n", where);
    if (trace && file) fclose(file);
}

__attribute__((constructor)) static void at_start(void)
{
    const char *where = getenv("CUPRITE_PROFILE");
    if (where && where[0]) cp_profile_start();
}
