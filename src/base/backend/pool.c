/* The pool: see pool.h for its invariants.
 *
 * Segments come from the device and are split into blocks. Free blocks are in bins by size. There is one set of bins
 * for each stream that freed something and one for all streams that ended, each in two kinds, so that small blocks
 * never fragment large segments. Bins are two-level (power of two, then eighths), after TLSF (Masmano et al., ECRTS
 * 2004): a request searches the first bin in which every block fits. Blocks are found by address in a hash table. */
#include "backend/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/capture.h"
#include "backend/device.h"
#include "backend/live.h"
#include "backend/stream.h"
#include "core/forks.h"
#include "core/memory.h"

enum { UNIT = 512, SMALL = 1 << 20, SMALL_CHUNK = 2 << 20, LARGE_CHUNK = 20 << 20, CHUNK_UNIT = 2 << 20 };
enum { SMALL_HOST = 4096 }; /* CPU arrays up to this size are stored in slabs */
enum { LEVELS = 56, SPLITS = 8 }; /* every size_t has a bin */

enum { USERS = 3 };

/* Owner of blocks whose stream ended and that have no pending work: any stream may take them. */
#define EVERYBODY ((cp_stream *)NULL)

typedef struct block {
    char *at;
    size_t size;
    cp_stream *stream;             /* owner of the free block; the stream it was allocated for */
    cp_stream *user[USERS];        /* other streams that use it: references */
    bool many_users;               /* more than USERS */
    cp_event *passed[USERS];       /* while it waits: events that must be reached */
    struct block *before, *behind; /* neighbours in the segment */
    struct block *previous, *next; /* list of the bin, or of spare records */
    struct block *chain;           /* hash bucket */
    bool is_free, waits, large;
    cpi_capture *capture;          /* that owns it */
} block;

typedef struct arena {
    cp_stream *stream;
    uint64_t levels[2];
    uint8_t splits[2][LEVELS];
    block *bins[2][LEVELS][SPLITS];
    bool captured; /* of a capture: used by nothing else */
    struct arena *next;
    cp_stream *first; /* of a capture's arena: owner of the first block */
    bool mixed;       /* other streams take part in it too */
} arena;

struct cpi_pool {
    pthread_mutex_t lock;
    cpi_device *device;
    arena *arenas;
    block **table;
    size_t table_size, table_used;
    block *spare;
    block *waiting; /* freed blocks whose use by other streams is pending */
    block *parked;  /* blocks that were freed while a stream that used them was capturing */
    size_t small;        /* see cpi_pool_small */
    int64_t small_bytes; /* changed atomically */
    int64_t small_most;  /* their maximum since the last trim: what the host's allocator keeps */
    bool direct; /* no reuse: every block is a segment of its own (for memory checkers) */
    cp_pool_stats stats;
};

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

cpi_pool *cpi_pool_new(cpi_device *device)
{
    cpi_pool *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    p->device = device;
    p->table_size = 1024;
    p->table = calloc(p->table_size, sizeof *p->table);
    if (!p->table) {
        free(p);
        return NULL;
    }
#if defined(__SANITIZE_ADDRESS__)
    p->direct = device->id == CP_CPU; /* the sanitizer does not track device memory */
#endif
    const char *mode = getenv("CUPRITE_POOL");
    if (mode) p->direct = strcmp(mode, "off") == 0;
    if (p->direct) cpi_keep_no_memory();
    p->small = device->id == CP_CPU && !p->direct && !cpi_live_kept() ? SMALL_HOST : 0;
    cpi_fork_guard(&p->lock);
    return p;
}

/* --- the table of blocks by address --- */

static size_t slot_of(const cpi_pool *p, const void *at)
{
    return ((uintptr_t)at / UNIT * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (p->table_size - 1);
}

static void table_grow(cpi_pool *p)
{
    size_t size = p->table_size * 2, old_size = p->table_size;
    block **old = p->table, **table = calloc(size, sizeof *table);
    if (!table) return; /* longer buckets, still correct */
    p->table = table;
    p->table_size = size;
    for (size_t i = 0; i < old_size; i++)
        for (block *b = old[i], *next; b; b = next) {
            next = b->chain;
            size_t k = slot_of(p, b->at);
            b->chain = table[k];
            table[k] = b;
        }
    free(old);
}

static void table_add(cpi_pool *p, block *b)
{
    if (p->table_used++ > p->table_size) table_grow(p);
    size_t k = slot_of(p, b->at);
    b->chain = p->table[k];
    p->table[k] = b;
}

/* Finds the block at an address; removes it from the table if `take`. */
static block *table_find(cpi_pool *p, const void *at, bool take)
{
    for (block **link = &p->table[slot_of(p, at)]; *link; link = &(*link)->chain)
        if ((*link)->at == at) {
            block *b = *link;
            if (take) {
                *link = b->chain;
                p->table_used--;
            }
            return b;
        }
    return NULL;
}

static block *record_get(cpi_pool *p)
{
    block *b = p->spare;
    if (b) {
        p->spare = b->next;
    } else if (!(b = malloc(sizeof *b))) {
        return NULL;
    }
    memset(b, 0, sizeof *b);
    return b;
}

static void record_put(cpi_pool *p, block *b)
{
    b->next = p->spare;
    p->spare = b;
}

/* --- bins --- */

static void bin_of(size_t size, int *level, int *split)
{
    size_t units = size / UNIT;
    *level = 63 - __builtin_clzll(units);
    *split = *level < 3 ? (int)((units << (3 - *level)) & (SPLITS - 1)) : (int)(units >> (*level - 3)) & (SPLITS - 1);
}

static arena *arena_of(cpi_pool *p, cp_stream *stream, bool make)
{
    arena *a = p->arenas;
    while (a && a->stream != stream) a = a->next;
    if (a || !make) return a;
    if (!(a = calloc(1, sizeof *a))) return NULL;
    a->stream = stream;
    a->next = p->arenas;
    return p->arenas = a;
}

static void bin_add(arena *a, block *b)
{
    int level, split, kind = b->large;
    bin_of(b->size, &level, &split);
    block **bin = &a->bins[kind][level][split];
    b->is_free = true;
    b->stream = a->stream;
    b->previous = NULL;
    b->next = *bin;
    if (*bin) (*bin)->previous = b;
    *bin = b;
    a->splits[kind][level] |= (uint8_t)(1u << split);
    a->levels[kind] |= UINT64_C(1) << level;
}

static void bin_remove(arena *a, block *b)
{
    int level, split, kind = b->large;
    bin_of(b->size, &level, &split);
    if (b->previous) {
        b->previous->next = b->next;
    } else {
        a->bins[kind][level][split] = b->next;
    }
    if (b->next) b->next->previous = b->previous;
    if (!a->bins[kind][level][split]) {
        a->splits[kind][level] &= (uint8_t)~(1u << split);
        if (!a->splits[kind][level]) a->levels[kind] &= ~(UINT64_C(1) << level);
    }
    b->is_free = false;
}

static block *bin_search(arena *a, size_t size, bool large)
{
    int level, split;
    bin_of(size, &level, &split);
    /* the request's own bin may hold blocks of the exact size: try its first one */
    block *own = a->bins[large][level][split];
    if (own && own->size >= size) return own;
    unsigned rest = a->splits[large][level] & (unsigned)~((2u << split) - 1);
    if (!rest) {
        uint64_t higher = level + 1 < 64 ? a->levels[large] & ~((UINT64_C(2) << level) - 1) : 0;
        if (!higher) return NULL;
        level = __builtin_ctzll(higher);
        rest = a->splits[large][level];
    }
    return a->bins[large][level][__builtin_ctz(rest)];
}

/* --- segments --- */

/* Returns every segment that is one free block to the device; returns the bytes freed. */
static size_t trim(cpi_pool *p, const arena *only)
{
    size_t freed = 0;
    for (arena *a = p->arenas; a; a = a->next)
        for (int kind = 0; kind < 2; kind++)
            for (int level = 0; level < LEVELS; level++)
                for (int split = 0; split < SPLITS && !a->captured && (!only || a == only); split++)
                    for (block *b = a->bins[kind][level][split], *next; b; b = next) {
                        next = b->next;
                        if (b->before || b->behind) continue;
                        bin_remove(a, b);
                        table_find(p, b->at, true);
                        p->device->backend->memory_free(p->device, b->at, b->size);
                        freed += b->size;
                        record_put(p, b);
                    }
    p->stats.held -= (int64_t)freed;
    return freed;
}

static void join_behind(cpi_pool *p, block *b)
{
    block *c = b->behind;
    b->size += c->size;
    b->behind = c->behind;
    if (c->behind) c->behind->before = b;
    table_find(p, c->at, true);
    record_put(p, c);
}

/* Puts a free block into its stream's bins, coalesced with free neighbours of the same stream. */
static void release_block(cpi_pool *p, arena *a, block *b)
{
    if (b->behind && b->behind->is_free && b->behind->stream == a->stream) {
        bin_remove(a, b->behind);
        join_behind(p, b);
    }
    if (b->before && b->before->is_free && b->before->stream == a->stream) {
        block *c = b->before;
        bin_remove(a, c);
        join_behind(p, c);
        b = c;
    }
    bin_add(a, b);
}

/* Moves the free blocks of one arena to another; safe once the first one's stream has no work left. */
static void move_free(cpi_pool *p, arena *from, arena *to)
{
    for (int kind = 0; kind < 2; kind++)
        for (int level = 0; level < LEVELS; level++)
            for (int split = 0; split < SPLITS; split++)
                while (from->bins[kind][level][split]) {
                    block *b = from->bins[kind][level][split];
                    bin_remove(from, b);
                    release_block(p, to, b);
                }
}

/* After a wait for the device every free block may serve every stream: all move to `to`. */
static void gather_free(cpi_pool *p, arena *to)
{
    for (arena *a = p->arenas; a; a = a->next)
        if (a != to && !a->captured) move_free(p, a, to);
}

/* Returns an unused block to the arena of its stream, or, without reuse, to the device. */
static void give_back(cpi_pool *p, block *b)
{
    if (b->capture) {
        arena *its = arena_of(p, cpi_capture_key(b->capture), true);
        if (!its) return; /* out of memory: in use until the capture's end */
        its->captured = true;
        release_block(p, its, b);
        return;
    }
    arena *a = p->direct ? NULL : arena_of(p, b->stream, true);
    if (a) {
        if (p->device->backend->memory_freed) p->device->backend->memory_freed(b->stream, b->at, b->size);
        release_block(p, a, b);
        return;
    }
    table_find(p, b->at, true);
    p->stats.held -= (int64_t)b->size;
    p->device->backend->memory_free(p->device, b->at, b->size);
    record_put(p, b);
}

/* --- blocks that other streams use --- */

/* An event after the stream's current work; once it is reached the block is unused. Waits if there is no memory for an
 * event. */
static cp_event *place_to_pass(cp_stream *stream)
{
    const cpi_backend *backend = stream->device->backend;
    cp_event *e = malloc(sizeof *e);
    if (e) {
        *e = (cp_event){.device = stream->device};
        if (backend->event_new(e) == CP_OK) {
            if (backend->event_record(e, stream) == CP_OK) return e;
            backend->event_free(e);
        }
        free(e);
    }
    backend->stream_sync(stream);
    return NULL;
}

static void slot_free(cp_event *e)
{
    if (e) e->device->backend->event_free(e);
    free(e);
}

/* Whether other streams' use of the block is still pending; `gone` gets the streams that it no longer references. */
static bool must_wait(cpi_pool *p, block *b, cp_stream **gone)
{
    bool wait = false;
    if (b->many_users) p->device->backend->device_sync(p->device);
    for (int i = 0; i < USERS && b->user[i]; i++) {
        if (!b->many_users && !p->direct) b->passed[i] = place_to_pass(b->user[i]);
        wait |= b->passed[i] != NULL;
        gone[i] = b->user[i];
        b->user[i] = NULL;
    }
    b->many_users = false;
    return wait;
}

static bool has_passed(block *b)
{
    for (int i = 0; i < USERS; i++) {
        if (b->passed[i] && !b->passed[i]->device->backend->event_done(b->passed[i])) return false;
        slot_free(b->passed[i]);
        b->passed[i] = NULL;
    }
    return true;
}

/* Returns blocks that need not wait any longer. */
static void look_at_waiting(cpi_pool *p)
{
    for (block **link = &p->waiting, *b; (b = *link);) {
        if (!has_passed(b)) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        b->waits = false;
        give_back(p, b);
    }
}

void cpi_pool_used(cpi_pool *p, cp_stream *stream, void *memory)
{
    pthread_mutex_lock(&p->lock);
    block *b = table_find(p, memory, false);
    int i = 0;
    if (b && b->stream != stream) {
        while (i < USERS && b->user[i] && b->user[i] != stream) i++;
        if (i == USERS) {
            b->many_users = true;
        } else if (!b->user[i]) {
            b->user[i] = cpi_stream_ref(stream);
        }
    }
    pthread_mutex_unlock(&p->lock);
}

/* --- requests --- */

/* Synchronizes the device, makes every free block available to every stream, and returns unused segments. */
static cp_code shrink(cpi_pool *p, cp_stream *stream)
{
    if (cpi_capturing()) return CP_OK; /* the device can neither be synchronized nor free memory */
    if (stream) {
        cp_code waited = stream->device->backend->stream_sync(stream);
        arena *its = arena_of(p, stream, false);
        look_at_waiting(p);
        if (its) trim(p, its);
        return waited;
    }
    cp_code code = p->device->backend->device_sync(p->device);
    if (code || !p->arenas) return code;
    look_at_waiting(p);
    arena *first = p->arenas;
    while (first && first->captured) first = first->next;
    if (first) gather_free(p, first);
    trim(p, NULL);
    return CP_OK;
}

static block *chunk_new(cpi_pool *p, size_t size, bool large)
{
    size_t bytes = p->direct ? size : !large ? SMALL_CHUNK
                   : round_up(size < LARGE_CHUNK / 2 ? LARGE_CHUNK : size, CHUNK_UNIT);
    if (p->stats.limit && p->stats.held + (int64_t)bytes > p->stats.limit) bytes = size;
    if (p->stats.limit && p->stats.held + (int64_t)bytes > p->stats.limit) return NULL;
    block *b = record_get(p);
    if (!b) return NULL;
    b->at = p->device->backend->memory_new(p->device, bytes);
    if (!b->at) {
        record_put(p, b);
        return NULL;
    }
    b->size = bytes;
    b->large = large;
    p->stats.held += (int64_t)bytes;
    table_add(p, b);
    return b;
}

/* A free block of the stream or, if there is none, one that every stream may use; removed from its bin. */
static block *take_free(cpi_pool *p, arena *a, size_t size, bool large)
{
    arena *from = a;
    block *b = bin_search(a, size, large);
    if (!b && (from = arena_of(p, EVERYBODY, false))) b = bin_search(from, size, large);
    if (b) bin_remove(from, b);
    return b;
}

/* Splits the excess over `size` off a block that is in no bin. */
static void split_block(cpi_pool *p, arena *a, block *b, size_t size)
{
    size_t rest = b->size - size;
    if (p->direct || rest < (b->large ? (size_t)SMALL : UNIT)) return;
    block *c = record_get(p);
    if (!c) return;
    c->at = b->at + size;
    c->size = rest;
    c->large = b->large;
    c->before = b;
    c->behind = b->behind;
    if (b->behind) b->behind->before = c;
    b->behind = c;
    b->size = size;
    table_add(p, c);
    bin_add(a, c);
}

static block *find_block(cpi_pool *p, arena *a, size_t size, bool large)
{
    /* a limit set below the held bytes applies to cached blocks too */
    if (p->stats.limit && p->stats.held > p->stats.limit) {
        if (shrink(p, NULL)) return NULL;
        if (p->stats.used + (int64_t)size > p->stats.limit) return NULL;
    }
    block *b = p->direct ? NULL : take_free(p, a, size, large);
    if (!b && p->waiting && !cpi_capturing()) {
        look_at_waiting(p);
        b = take_free(p, a, size, large);
    }
    if (b) {
        p->stats.reuses++;
        return b;
    }
    if ((b = chunk_new(p, size, large)) || cpi_capturing()) return b;
    /* Full: synchronize the device, make every free block available, then return unused segments. */
    if (p->device->backend->device_sync(p->device)) return NULL;
    look_at_waiting(p);
    gather_free(p, a);
    if ((b = take_free(p, a, size, large))) return b;
    trim(p, NULL);
    return chunk_new(p, size, large);
}

/* A block for captured work: one that this capture freed, or a fresh one. Other streams may have pending work on blocks
 * that are free elsewhere, and the graph, launched in any stream, would not wait for it. Where several streams take
 * part in the capture, they need not wait for each other either: then every block is fresh. */
static block *find_for_capture(cpi_pool *p, arena *a, cp_stream *stream, size_t size, bool large)
{
    a->captured = true;
    if (!a->first) a->first = stream;
    if (a->first != stream) a->mixed = true;
    block *b = p->direct || a->mixed ? NULL : bin_search(a, size, large);
    if (!b) return chunk_new(p, size, large);
    bin_remove(a, b);
    p->stats.reuses++;
    return b;
}

static int64_t blocks_free(const cpi_pool *p)
{
    int64_t n = 0;
    for (const arena *a = p->arenas; a; a = a->next)
        for (int kind = 0; kind < 2; kind++)
            for (int level = 0; level < LEVELS; level++)
                for (int split = 0; split < SPLITS && a->splits[kind][level]; split++)
                    for (const block *b = a->bins[kind][level][split]; b; b = b->next) n++;
    return n;
}

void cpi_pool_stats(cpi_pool *p, cp_pool_stats *stats)
{
    cpi_settle();
    pthread_mutex_lock(&p->lock);
    int64_t small = __atomic_load_n(&p->small_bytes, __ATOMIC_RELAXED);
    if (p->stats.used + small > p->stats.peak) p->stats.peak = p->stats.used + small;
    *stats = p->stats;
    int64_t most = __atomic_load_n(&p->small_most, __ATOMIC_RELAXED);
    stats->used += small;
    stats->held += most > small ? most : small;
    stats->blocks = blocks_free(p);
    pthread_mutex_unlock(&p->lock);
}

size_t cpi_pool_small(const cpi_pool *p) { return p->small; }

void cpi_pool_count_small(cpi_pool *p, int64_t bytes)
{
    const int64_t units = bytes > 0 ? (bytes + UNIT - 1) / UNIT : -((UNIT - 1 - bytes) / UNIT);
    int64_t now = __atomic_add_fetch(&p->small_bytes, units * UNIT, __ATOMIC_RELAXED);
    if (now > __atomic_load_n(&p->small_most, __ATOMIC_RELAXED))
        __atomic_store_n(&p->small_most, now, __ATOMIC_RELAXED);
}

static void fail_full(cpi_pool *p, size_t bytes)
{
    char asked[32], used[32], held[32], limit[32], available[32];
    cp_pool_stats now;
    int64_t total = 0, rest = 0;
    cpi_pool_stats(p, &now);
    const bool known = p->device->backend->query(p->device, &total, &rest) == CP_OK;
    cpi_fail(CP_ERROR_MEMORY,
             "out of memory on %s: %zu bytes asked for (%s)%s%s; arrays hold %s, the pool %s, its limit is %s",
             p->device->name, bytes, cpi_bytes_string((double)bytes, asked), known ? ", available are " : "",
             known ? cpi_bytes_string((double)rest, available) : "", cpi_bytes_string((double)now.used, used),
             cpi_bytes_string((double)now.held, held),
             now.limit ? cpi_bytes_string((double)now.limit, limit) : "none");
}

void *cpi_pool_alloc(cpi_pool *p, cp_stream *stream, size_t bytes)
{
    if (!cpi_may_use("memory", p->device)) return NULL; /* a thread that waits for the device may hold the lock */
    cpi_settle();
    if (bytes > (size_t)INT64_MAX / 2 || cpi_allocation_fails()) goto none;
    size_t size = round_up(bytes ? bytes : 1, UNIT);
    bool large = size > SMALL;
    cpi_capture *capture = cpi_capture_if_any(stream);
    pthread_mutex_lock(&p->lock);
    arena *a = arena_of(p, capture ? cpi_capture_key(capture) : stream, true);
    block *b = !a ? NULL : capture ? find_for_capture(p, a, stream, size, large) : find_block(p, a, size, large);
    if (b) {
        split_block(p, a, b, size);
        b->stream = stream;
        b->capture = capture;
        p->stats.allocations++;
        p->stats.used += (int64_t)b->size;
        int64_t used = p->stats.used + __atomic_load_n(&p->small_bytes, __ATOMIC_RELAXED);
        if (used > p->stats.peak) p->stats.peak = used;
    }
    pthread_mutex_unlock(&p->lock);
    if (b) {
        cpi_count_live(1);
        cpi_live_add(b->at, bytes ? bytes : 1);
        if (p->device->id == CP_CPU) cpi_live_poison(b->at, size);
        return b->at;
    }
none:
    fail_full(p, bytes);
    return NULL;
}

/* The capture that a stream which uses the block takes part in; NULL: none. */
static cpi_capture *capture_of_users(const block *b)
{
    for (int i = 0; cpi_capturing() && i < USERS && b->user[i]; i++) {
        cpi_capture *c = cpi_capture_of(b->user[i]);
        if (c) return c;
    }
    return NULL;
}

/* Forgets other streams' use of the block. */
static void forget_users(block *b, cp_stream **gone)
{
    for (int i = 0; i < USERS; i++) {
        gone[i] = b->user[i];
        b->user[i] = NULL;
    }
    b->many_users = false;
}

typedef struct left { cp_stream *stream; void *memory; } left;

static void free_later(void *what)
{
    const left *l = what;
    cpi_pool_free(l->stream->device->pool, l->stream, l->memory);
    cpi_stream_unref(l->stream);
}

static bool leave(cp_stream *stream, void *memory)
{
    left l = {cpi_stream_ref(stream), memory};
    bool done = cpi_leave_for_later(free_later, &l, sizeof l);
    if (!done) cpi_stream_unref(stream);
    return done;
}

void cpi_pool_free(cpi_pool *p, cp_stream *stream, void *memory)
{
    cp_stream *gone[USERS] = {NULL};
    if (!memory) return;
    cpi_live_remove(memory);
    if (cpi_in_call() && leave(stream, memory)) return;
    cpi_settle();
    pthread_mutex_lock(&p->lock);
    block *b = table_find(p, memory, false);
    if (b && !b->is_free && !b->waits) {
        p->stats.used -= (int64_t)b->size;
        b->stream = stream;
        bool used = b->user[0] || b->many_users;
        cpi_capture *capture = used && !b->capture ? capture_of_users(b) : NULL;
        if (capture) { /* no event can be recorded while capturing: the block waits for that capture's end */
            forget_users(b, gone);
            b->capture = capture;
            b->waits = true;
            b->next = p->parked;
            p->parked = b;
        } else if (b->capture) { /* it is not reused elsewhere, and its end waits for the device */
            arena *a = used ? arena_of(p, cpi_capture_key(b->capture), false) : NULL;
            if (a) a->mixed = true;
            forget_users(b, gone);
            give_back(p, b);
        } else if (used && must_wait(p, b, gone)) {
            b->waits = true;
            b->next = p->waiting;
            p->waiting = b;
        } else {
            give_back(p, b);
        }
        cpi_count_live(-1);
    }
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < USERS; i++) /* not under the lock: dropping the last reference ends a stream, which calls the
                                       pool */
        if (gone[i]) cpi_stream_unref(gone[i]);
}

cp_code cpi_pool_limit(cpi_pool *p, int64_t bytes)
{
    if (bytes < 0) return cpi_fail(CP_ERROR_VALUE, "pool_limit: %lld is negative", (long long)bytes);
    pthread_mutex_lock(&p->lock);
    p->stats.limit = bytes;
    cp_code code = bytes && p->stats.held > bytes ? shrink(p, NULL) : CP_OK;
    pthread_mutex_unlock(&p->lock);
    return code;
}

cp_code cpi_pool_trim(cpi_pool *p, cp_stream *stream)
{
    cpi_settle();
    pthread_mutex_lock(&p->lock);
    cp_code code = shrink(p, stream);
    if (!stream)
        __atomic_store_n(&p->small_most, __atomic_load_n(&p->small_bytes, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    pthread_mutex_unlock(&p->lock);
    return code;
}

cpi_capture *cpi_pool_capture(cpi_pool *p, const void *memory)
{
    pthread_mutex_lock(&p->lock);
    block *b = table_find(p, memory, false);
    cpi_capture *c = b ? b->capture : NULL;
    pthread_mutex_unlock(&p->lock);
    return c;
}

void cpi_pool_capture_gone(cpi_pool *p, cpi_capture *capture)
{
    pthread_mutex_lock(&p->lock);
    arena **link = &p->arenas, *to = arena_of(p, EVERYBODY, true);
    for (size_t i = 0; i < p->table_size; i++)
        for (block *b = p->table[i]; b; b = b->chain)
            if (b->capture == capture && !b->waits) b->capture = NULL;
    for (block **parked = &p->parked, *b; (b = *parked);) {
        if (b->capture != capture) {
            parked = &b->next;
            continue;
        }
        *parked = b->next;
        b->waits = false;
        b->capture = NULL;
        give_back(p, b);
    }
    while (*link && (*link)->stream != cpi_capture_key(capture)) link = &(*link)->next;
    arena *from = *link;
    if (from && to) { /* out of memory it leaks */
        move_free(p, from, to);
        *link = from->next;
        free(from);
        if (p->direct) trim(p, to);
    }
    pthread_mutex_unlock(&p->lock);
}

void cpi_pool_stream_ends(cpi_pool *p, cp_stream *stream, cp_stream *heir)
{
    pthread_mutex_lock(&p->lock);
    for (block *b = p->waiting; b; b = b->next)
        if (b->stream == stream) b->stream = heir;
    for (block *b = p->parked; b; b = b->next)
        if (b->stream == stream) b->stream = heir;
    arena *from = arena_of(p, stream, false), *to = from ? arena_of(p, EVERYBODY, true) : NULL;
    if (to) {
        move_free(p, from, to);
        arena **link = &p->arenas;
        while (*link != from) link = &(*link)->next;
        *link = from->next;
        free(from);
    }
    pthread_mutex_unlock(&p->lock);
}

