/* The threads of a block as fibers: see fibers.h. */
#include "kernel/crew.h"
#include "kernel/kernel.h"
#include "kernel/watchdog.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void crew_free(void *memory)
{
    cpi_crew *c = memory;
    cpi_crew_drop_memory(c);
    free(c);
}

static void make_key(void) { pthread_key_create(&key, crew_free); }

cpi_crew *cpi_crew_here(void)
{
    pthread_once(&once, make_key);
    cpi_crew *c = pthread_getspecific(key);
    if (c) return c;
    c = calloc(1, sizeof *c);
    if (c && pthread_setspecific(key, c)) {
        free(c);
        return NULL;
    }
    if (c) c->worker.host = &cpi_crew_host;
    return c;
}

__cu_worker *cpi_crew_worker(cpi_crew *c, const __cu_launch *launch)
{
    c->launch = launch;
    c->worker.space = c->space; /* a launch that failed has left some of it taken */
    c->running = NULL;
    return &c->worker;
}

/* --- waiting --- */

static void fail_at(cpi_crew *c, const char *format, const fiber *f)
{
    char text[300];
    (void)c;
    const __cu_extent *t = &f->where.thread, *b = &f->where.block;
    snprintf(text, sizeof text, format, f->line, t->x, t->y, t->z, b->x, b->y, b->z);
    cpi_guard_fail(text);
}

static void settle(cpi_crew *c);

/* A barrier opens, or the block ends. */
static void tell_suspect(const cpi_crew *c)
{
    if (!*c->suspect.text) return;
    *cpi_guard_fault() = c->suspect;
    cpi_guard_leave();
}

/* Before a fiber of block `to` goes on behind one of `from`: shared memory of functions and methods, and of the source,
 * is the worker's (write.c), so blocks that run at once take turns in it. */
static void change_block(cpi_crew *c, const block *from, const block *to)
{
    const size_t bytes = c->own.end - c->own.start;
    if (from == to || !bytes) return;
    memcpy(c->saved + bytes * (size_t)(from - c->blocks), (const void *)c->own.start, bytes);
    memcpy((void *)c->own.start, c->saved + bytes * (size_t)(to - c->blocks), bytes);
}

/* Continues with the next fiber of the ring. */
static void yield(cpi_crew *c)
{
    settle(c);
    fiber *f = c->running, *next = f->next;
    if (next == f) return;
    change_block(c, f->block, next->block);
    c->running = next;
    cpi_context_switch(&f->context, next->context);
}

/* Lets the others run once; fails where nothing has progressed since the last time. */
static void wait_a_turn(cpi_crew *c, uint64_t *seen, bool *asked)
{
    const uint64_t now = c->progress + c->spins; /* who waits in memory may have seen something */
    if (*asked && *seen == now)
        fail_at(c, "threads wait for each other: line %d is not reached by all (thread (%u, %u, %u) of block "
                "(%u, %u, %u) waits there)", c->running);
    *seen = now;
    *asked = true;
    yield(c);
}

static warp *warp_of(const fiber *f) { return &f->block->warps[f->number / LANES]; }
static unsigned lane_bit(const fiber *f) { return 1u << f->number % LANES; }

static void unblock(cpi_crew *c, block *b)
{
    settle(c);
    tell_suspect(c);
    b->epoch = ++c->epochs;
    for (uint32_t i = 0; i < (c->threads + LANES - 1) / LANES; i++) b->warps[i].blocked = 0;
}

static void open_barrier(cpi_crew *c, block *b)
{
    unblock(c, b);
    b->result = b->how == 1 ? b->sum : b->how == 2 ? b->sum == (int)b->waiting : b->sum > 0;
    b->waiting = 0;
    b->sum = 0;
    b->generation++;
    c->progress++;
}

/* Two threads of a block wait at different barriers. */
static void fail_apart(const __cu_extent *n, __cu_extent block, unsigned one, int line, unsigned other, int its_line)
{
    char text[300];
    if (one > other) {
        unsigned thread = one;
        int where = line;
        one = other, line = its_line;
        other = thread, its_line = where;
    }
    snprintf(text, sizeof text, "divergent barrier: thread (%u, %u, %u) waits in line %d, thread (%u, %u, %u) in line "
             "%d of block (%u, %u, %u)", one % n->x, one / n->x % n->y, one / n->x / n->y, line, other % n->x,
             other / n->x % n->y, other / n->x / n->y, its_line, block.x, block.y, block.z);
    cpi_guard_fail(text);
}

static int barrier(__cu_worker *w, int line, int how, int value)
{
    cpi_crew *c = (cpi_crew *)w;
    fiber *f = c->running;
    if (!f) cpi_guard_fail("a barrier that the translation did not see");
    block *b = f->block;
    f->line = line;
    if (!b->waiting) {
        b->line = line, b->how = how, b->first = f->number;
    } else if (b->line != line || b->how != how) {
        fail_apart(&c->launch->block, f->where.block, b->first, b->line, f->number, line);
    }
    b->waiting++;
    b->sum += value != 0;
    if (b->waiting == b->alive) {
        open_barrier(c, b);
        return b->result;
    }
    uint64_t generation = b->generation, seen = 0;
    bool asked = false;
    warp_of(f)->blocked |= lane_bit(f);
    c->progress++; /* a gather may close now */
    do wait_a_turn(c, &seen, &asked);
    while (b->generation == generation);
    return b->result;
}

static void let_go(fiber *f)
{
    if (f->held) f->held->users--;
    f->held = NULL;
}

static snapshot *free_snapshot(warp *w)
{
    if (!w->kept && !(w->kept = calloc(SNAPSHOTS, sizeof *w->kept))) cpi_guard_fail("out of host memory");
    for (int i = 0; i < SNAPSHOTS; i++)
        if (!w->kept[i].users) return &w->kept[i];
    cpi_guard_fail("lanes of a warp exchange in no order"); /* each lane holds one at most */
}

/* The exchange between `lanes` is complete: all of them get the same snapshot. */
static void complete(cpi_crew *c, warp *w, unsigned lanes)
{
    snapshot *s = free_snapshot(w);
    s->users = __builtin_popcount(lanes);
    for (int i = 0; i < LANES; i++) {
        s->value[i] = lanes >> i & 1 ? w->value[i] : 0;
        if (lanes >> i & 1) w->result[i] = s;
    }
    s->value[LANES] = lanes;
    w->arrived &= ~lanes;
    w->blocked &= ~lanes;
    w->syncs++;
    c->progress++;
}

static const unsigned long long *exchange(__cu_worker *worker, int line, unsigned mask, unsigned long long value)
{
    cpi_crew *c = (cpi_crew *)worker;
    fiber *f = c->running;
    warp *w = &f->block->warps[f->number / LANES];
    unsigned lane = f->number % LANES;
    uint64_t seen = 0;
    bool asked = false;
    let_go(f);
    f->line = line;
    w->value[lane] = value;
    w->arrived |= 1u << lane;
    w->blocked |= 1u << lane;
    c->progress++;
    mask |= 1u << lane;
    while (!w->result[lane]) {
        unsigned lanes = mask & w->alive; /* may have decreased meanwhile */
        if ((w->arrived & lanes) == lanes) complete(c, w, lanes);
        else wait_a_turn(c, &seen, &asked);
    }
    f->held = w->result[lane];
    w->result[lane] = NULL;
    return f->held->value;
}

static unsigned lanes(__cu_worker *worker)
{
    const fiber *f = ((cpi_crew *)worker)->running;
    return f->block->warps[f->number / LANES].alive;
}

/* All lanes of the warp have come as far as possible: those at the first position in the source go on together. So
 * lanes that have left a loop or a branch wait for those that are still in it, as lanes of a GPU do. */
static void close_gather(cpi_crew *c, warp *w)
{
    int first = -1;
    unsigned same = 0;
    for (int i = 0; i < LANES; i++)
        if (w->gathered >> i & 1 && (first < 0 || w->position[i] < w->position[first])) first = i;
    for (int i = first; i < LANES; i++)
        if (w->gathered >> i & 1 && w->position[i] == w->position[first]) same |= 1u << i;
    for (int i = first; i < LANES; i++)
        if (same >> i & 1) w->together[i] = same;
    w->gathered &= ~same;
    w->syncs++;
    c->progress++;
}

static unsigned gather(__cu_worker *worker, int position)
{
    cpi_crew *c = (cpi_crew *)worker;
    fiber *f = c->running;
    warp *w = warp_of(f);
    unsigned lane = f->number % LANES;
    uint64_t seen = 0;
    bool asked = false;
    f->line = position / 256;
    w->position[lane] = position;
    w->gathered |= lane_bit(f);
    c->progress++; /* those that wait elsewhere may wait for this warp */
    while (!w->together[lane]) {
        if (!(w->alive & ~(w->gathered | w->blocked))) close_gather(c, w);
        else wait_a_turn(c, &seen, &asked);
    }
    unsigned lanes = w->together[lane];
    w->together[lane] = 0;
    return lanes;
}

static part_meeting *part_of(block *b, int line, unsigned which, unsigned count)
{
    warp *first = b->warps;
    char text[160] = "";
    if (!first->parts && !(first->parts = calloc(__CU_PARTS, sizeof *first->parts)))
        cpi_guard_fail("out of host memory");
    part_meeting *p = &first->parts[which < __CU_PARTS ? which : 0];
    if (which >= __CU_PARTS)
        snprintf(text, sizeof text, "line %d: barriers have the numbers 0 to 15, not %u", line, which);
    else if (p->come && p->count != count)
        snprintf(text, sizeof text, "line %d: a thread comes to barrier %u of %u threads, at which others wait for %u",
                 line, which, count, p->count);
    if (*text) cpi_guard_fail(text);
    p->count = count;
    return p;
}

/* Who waits asks again, since others may have ended. */
static int part_barrier(__cu_worker *worker, int line, unsigned which, unsigned count, int how, int value)
{
    cpi_crew *c = (cpi_crew *)worker;
    fiber *f = c->running;
    if (!f) cpi_guard_fail("a barrier that the translation did not see");
    part_meeting *p = part_of(f->block, line, which, count);
    uint64_t generation = p->generation, seen = 0;
    bool asked = false;
    f->line = line;
    settle(c);
    p->come++;
    p->sum += value != 0;
    c->progress++, c->fences++;
    while (p->generation == generation) {
        if (p->come >= (count ? count : f->block->alive)) {
            p->result = how == 1 ? p->sum : how == 2 ? p->sum == (int)p->come : p->sum > 0;
            p->come = 0, p->sum = 0;
            p->generation++;
            c->progress++;
        } else if (how == 4) {
            return 0;
        } else {
            warp_of(f)->blocked |= lane_bit(f);
            wait_a_turn(c, &seen, &asked);
        }
    }
    warp_of(f)->blocked &= ~lane_bit(f);
    return p->result;
}

static void open_grid(cpi_crew *c)
{
    for (uint32_t i = 0; i < c->together; i++) unblock(c, &c->blocks[i]);
    c->start = c->epochs - c->together + 1;
    c->grid_generation++;
    c->progress++;
}

static void grid_barrier(__cu_worker *worker, int line)
{
    cpi_crew *c = (cpi_crew *)worker;
    uint64_t generation = c->grid_generation, seen = 0;
    bool asked = false;
    c->running->line = line;
    if (!c->grid_alive) cpi_guard_fail("grid.sync() in a launch that is not cooperative");
    if (++c->grid_waiting == c->grid_alive) {
        c->grid_waiting = 0;
        open_grid(c);
        return;
    }
    warp_of(c->running)->blocked |= lane_bit(c->running);
    c->progress++;
    do wait_a_turn(c, &seen, &asked);
    while (c->grid_generation == generation);
}

static void fail(__cu_worker *w, int line, const char *what)
{
    char text[300];
    (void)w;
    snprintf(text, sizeof text, "line %d: %s", line, what);
    cpi_guard_fail(text);
}

/* --- CUPRITE_CHECK --- */

static bool within(uintptr_t address, unsigned long bytes, const void *start, size_t capacity)
{
    uintptr_t from = (uintptr_t)start;
    return address >= from && address - from <= capacity && bytes <= capacity - (address - from);
}

/* Memory of the library that the device headers read. */
static bool is_ours(const cpi_crew *c, uintptr_t address, unsigned long bytes)
{
    if (within(address, bytes, c, sizeof *c) || within(address, bytes, &cpi_crew_host, sizeof cpi_crew_host))
        return true;
    for (uint32_t i = 0; i < c->nwarps; i++)
        if (c->warps[i].kept && within(address, bytes, c->warps[i].kept, SNAPSHOTS * sizeof *c->warps[i].kept))
            return true;
    return false;
}

static cpi_moment moment_of(const cpi_crew *c)
{
    const fiber *f = c->running;
    const __cu_extent *g = &c->launch->grid, *b = &f->where.block;
    return (cpi_moment){f->block->epoch, f->block->begun, c->start, b->x + g->x * (b->y + g->y * b->z), c->fences,
                        (uint16_t)f->number, warp_of(f)->syncs};
}

/* Before the running thread does anything else: what it wrote last is there now. */
static void settle(cpi_crew *c)
{
    if (c->pending.any && !cpi_races_settle(&c->pending, &c->watch, cpi_guard_fault())) cpi_guard_leave();
}

/* Shared memory of the thread's own block: its bounds, and other accesses. False: it is not there. */
static bool check_shared(cpi_crew *c, const cpi_memory_access *a)
{
    const fiber *f = c->running;
    char *start = c->shared + c->shared_each * (size_t)(f->block - c->blocks);
    if (!within(a->address, 1, start, c->shared_each)) return false;
    size_t at = a->address - (uintptr_t)start, fixed = *c->watch.kernel->shared;
    if (!fixed) fixed = ARENA; /* not known of overloaded kernels */
    bool dynamic = at >= ARENA;
    size_t from = dynamic ? c->dynamic_at : 0, capacity = dynamic ? from + c->watch.dynamic : fixed;
    if (at < from || at >= capacity || a->bytes > capacity - at) {
        cpi_fault *fault = cpi_guard_fault();
        const __cu_extent *t = &a->where->thread, *b = &a->where->block;
        fault->at[0] = a->at;
        snprintf(fault->text, sizeof fault->text,
                 "\1thread (%u, %u, %u) of block (%u, %u, %u) %s %lu bytes at byte %zd of %s shared memory, which has "
                 "%zu", t->x, t->y, t->z, b->x, b->y, b->z, a->how ? "writes" : "reads", a->bytes,
                 (ssize_t)at - (ssize_t)from, dynamic ? "dynamic" : "static",
                 dynamic ? (size_t)c->watch.dynamic : fixed);
        cpi_guard_leave();
    }
    if (!c->marks && !(c->marks = cpi_marks_new(c->shared_bytes))) return true;
    cpi_moment now = moment_of(c);
    size_t offset = a->address - (uintptr_t)c->shared;
    if (!cpi_races_shared(c->marks, offset, a, &now, &c->pending, &c->suspect, cpi_guard_fault()))
        cpi_guard_leave();
    return true;
}

/* Shared variables of functions, methods and the source (apart.c). False: it is none. */
static bool check_apart(cpi_crew *c, const cpi_memory_access *a)
{
    if (!c->watch.apart || !c->watch.apart->n) return false;
    if (!c->watch.thread.end) c->watch.thread = cpi_watch_thread_variables(c->watch.image);
    const size_t bytes = c->watch.thread.end - c->watch.thread.start, at = a->address - c->watch.thread.start;
    const cpi_apart_variable *v = at < bytes ? cpi_apart_find(c->watch.apart, at) : NULL;
    if (!v) return false;
    if (a->bytes > v->offset + v->bytes - at) {
        cpi_fault *fault = cpi_guard_fault();
        int n = cpi_watch_begin(a, fault);
        snprintf(fault->text + n, sizeof fault->text - (size_t)n, "at byte %zu of %s in shared memory, which has %zu",
                 (size_t)(at - v->offset), v->name, (size_t)v->bytes);
        cpi_guard_leave();
    }
    if (c->apart_bytes < bytes) {
        cpi_marks_drop(c->apart, c->apart_bytes);
        c->apart = cpi_marks_new(bytes);
        c->apart_bytes = c->apart ? bytes : 0;
    }
    cpi_moment now = moment_of(c);
    if (c->apart && !cpi_races_shared(c->apart, at, a, &now, &c->pending, &c->suspect, cpi_guard_fault()))
        cpi_guard_leave();
    return true;
}

static void check(__cu_worker *w, unsigned long address, unsigned long bytes, int how, const void *at)
{
    cpi_crew *c = (cpi_crew *)w;
    const fiber *f = c->running;
    if (!c->watch.spans) return;
    settle(c);
    const char *low = c->stacks + (size_t)(f - c->fiber) * (c->stack + GUARD) + GUARD;
    if (within(address, bytes, low, c->stack)) return;
    cpi_memory_access a = {address, bytes, how, at, &f->where};
    if (check_shared(c, &a) || check_apart(c, &a) || is_ours(c, address, bytes)) return;
    if (!cpi_watch_global(&c->watch, &a, cpi_guard_fault())) cpi_guard_leave();
    if (cpi_watch_is_private(&c->watch, address) || (!c->shadow && !(c->shadow = cpi_shadow_new()))) return;
    cpi_moment now = moment_of(c);
    if (!cpi_races_global(c->shadow, &c->watch, &a, &now, &c->pending, cpi_guard_fault())) cpi_guard_leave();
}

void cpi_crew_forget(const void *memory, size_t bytes)
{
    cpi_crew *c = cpi_crew_here();
    if (c) cpi_shadow_forget(c->shadow, (uintptr_t)memory, bytes);
}

static void bounds(__cu_worker *w, int line, int column, const char *type, long index)
{
    const cpi_crew *c = (const cpi_crew *)w;
    cpi_watch_bounds(&c->watch, line, column, type, index, &c->running->where, cpi_guard_fault());
    cpi_guard_leave();
}

static void misaligned(__cu_worker *w, int line, const char *type, unsigned long address)
{
    cpi_watch_alignment(line, type, address, &((const cpi_crew *)w)->running->where, cpi_guard_fault());
    cpi_guard_leave();
}

static void fence(__cu_worker *w) { ((cpi_crew *)w)->fences++; }

/* Of loops over the threads: those of fibers say it in the same words (fail_apart). */
static void divergent(__cu_worker *w, const unsigned block[3], unsigned one, int line, unsigned other, int its_line)
{
    const __cu_extent its_block = {block[0], block[1], block[2]};
    fail_apart(&((cpi_crew *)w)->launch->block, its_block, one, line, other, its_line);
}

static void turn(__cu_worker *w);

const __cu_host cpi_crew_host = {barrier, exchange, lanes, gather, grid_barrier, divergent,
                                 check,   bounds,   misaligned, fence, fail,
                                 cpi_heap_allocate, cpi_heap_free, cpi_heap_resize, cpi_heap_print, cpi_heap_ended,
                                 turn, part_barrier, cpi_crew_space};

/* --- running --- */

static void fiber_ends(cpi_crew *c, fiber *f)
{
    block *b = f->block;
    settle(c);
    let_go(f);
    b->warps[f->number / LANES].alive &= ~(1u << f->number % LANES);
    b->alive--;
    if (!b->alive) tell_suspect(c);
    c->progress++;
    c->in_ring--;
    if (b->alive && b->waiting == b->alive) open_barrier(c, b);
    if (!b->alive && c->turns) c->slots[c->nslots++] = (uint32_t)(b - c->blocks);
    if (c->grid_alive && --c->grid_alive && c->grid_waiting == c->grid_alive) c->grid_waiting = 0, open_grid(c);
    f->next->before = f->before;
    f->before->next = f->next;
    void *unused;
    fiber *next = f->next;
    if (next == f) cpi_context_switch(&unused, c->home);
    change_block(c, b, next->block);
    c->running = next;
    cpi_context_switch(&unused, next->context);
}

static void fiber_begins(void *argument)
{
    fiber *f = argument;
    cpi_crew *c = pthread_getspecific(key);
    uint32_t at = (uint32_t)(f->block - c->blocks);
    c->worker.arena = c->shared + c->shared_each * at; /* kernels take it into their context when they begin */
    c->worker.dynamic = cpi_crew_dynamic(c, at);
    c->run(c->launch, &c->worker, &f->where);
    fiber_ends(c, f);
}

static void begin_block(cpi_crew *c, uint32_t at, uint64_t number)
{
    const __cu_extent *n = &c->launch->block, *g = &c->launch->grid;
    uint32_t warps = (c->threads + LANES - 1) / LANES;
    block *b = &c->blocks[at];
    c->epochs++;
    *b = (block){.alive = c->threads, .epoch = c->epochs, .begun = c->epochs, .warps = c->warps + (size_t)at * warps};
    if (b->warps->parts) memset(b->warps->parts, 0, __CU_PARTS * sizeof *b->warps->parts);
    for (uint32_t i = 0; i < warps; i++) {
        uint32_t rest = c->threads - i * LANES;
        warp *w = &b->warps[i];
        w->alive = rest >= LANES ? ~0u : (1u << rest) - 1;
        w->arrived = w->blocked = w->gathered = 0;
        memset(w->result, 0, sizeof w->result);
        memset(w->together, 0, sizeof w->together);
        for (int k = 0; w->kept && k < SNAPSHOTS; k++) w->kept[k].users = 0;
    }
    for (uint32_t i = 0; i < c->threads; i++) {
        fiber *f = &c->fiber[at * c->threads + i];
        f->block = b;
        f->number = i;
        f->seen = UINT64_MAX;
        f->held = NULL;
        f->where = (__cu_thread){{i % n->x, i / n->x % n->y, i / n->x / n->y},
                                 {(unsigned)(number % g->x), (unsigned)(number / g->x % g->y),
                                  (unsigned)(number / g->x / g->y)}};
        f->context = cpi_context_make(f->top, fiber_begins, f);
    }
}

/* Watched threads run in varied orders, forward, backward and mixed by turns, so that a program that lacks a barrier
 * shows it. */
static void mix_ring(cpi_crew *c, uint32_t n)
{
    static uint32_t runs;
    uint32_t run = __atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED), step = run % 3 == 0 ? 1 : n - 1;
    if (run % 3 == 2 && n > 2) { /* a step without a common factor visits all */
        uint32_t a = n, b = step = (run * 2654435761u) % n | 1;
        while (b) {
            uint32_t r = a % b;
            a = b, b = r;
        }
        if (a != 1) step = n - 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        fiber *f = &c->fiber[i], *next = &c->fiber[(i + step) % n];
        f->next = next;
        next->before = f;
    }
}

static void run_ring(cpi_crew *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        c->fiber[i].next = &c->fiber[i + 1 < n ? i + 1 : 0];
        c->fiber[i].before = &c->fiber[i ? i - 1 : n - 1];
    }
    if (c->watch.spans && n > 1) mix_ring(c, n);
    c->in_ring = n;
    c->running = &c->fiber[0];
    cpi_context_switch(&c->home, c->running->context);
}

/* --- blocks that may wait for each other --- */

/* Begins the next block, whose threads are the last of the ring; false: there is none, or no place for it. */
static bool begin_another(cpi_crew *c)
{
    cpi_turns *t = c->turns;
    if (!t || !c->nslots || __atomic_load_n(&t->next, __ATOMIC_RELAXED) >= t->blocks) return false;
    uint64_t number = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED);
    if (number >= t->blocks) return false;
    uint32_t slot = c->slots[--c->nslots];
    fiber *first = &c->fiber[slot * c->threads], *last = first + c->threads - 1;
    begin_block(c, slot, number);
    for (fiber *f = first; f < last; f++) f->next = f + 1, f[1].before = f;
    if (c->in_ring) {
        first->before = c->running->before, last->next = c->running;
        first->before->next = first, c->running->before = last;
    } else {
        first->before = last, last->next = first;
        c->running = first;
    }
    c->in_ring += c->threads;
    c->progress++;
    return true;
}

/* A thread looks again at what it waits for when the others have run. Where none of them did anything but wait, another
 * block may be the one that they wait for, or a block of another crew. */
static void turn(__cu_worker *w)
{
    cpi_crew *c = (cpi_crew *)w;
    fiber *f = c->running;
    if (!f) { /* threads are loops: only another worker's can help */
        sched_yield();
        return;
    }
    c->spins++;
    if (f->seen == c->progress && !begin_another(c) && ++c->idle >= c->in_ring) {
        c->idle = 0;
        if (c->turns && __atomic_load_n(c->turns->failed, __ATOMIC_RELAXED)) cpi_guard_fail("another block has failed");
        if (cpi_watchdog_stops(0, cpi_guard_fault())) cpi_guard_leave();
        sched_yield();
    }
    f->seen = c->progress;
    warp_of(f)->blocked |= lane_bit(f);
    yield(c);
    warp_of(f)->blocked &= ~lane_bit(f);
}

static void run_in_turns(void *argument)
{
    cpi_crew *c = argument;
    c->together = 1;
    c->grid_waiting = c->grid_alive = 0;
    c->in_ring = c->idle = 0;
    while (begin_another(c)) cpi_context_switch(&c->home, c->running->context);
}

static bool prepare(cpi_crew *c, const __cu_launch *launch, __cu_run_thread run, uint32_t at_once,
                    const cpi_watch *watch, cpi_fault *fault)
{
    c->watch = *watch;
    c->threads = launch->block.x * launch->block.y * launch->block.z;
    c->launch = launch;
    c->run = run;
    c->turns = NULL;
    c->start = c->epochs + 1;
    c->pending.any = false;
    c->suspect = (cpi_fault){.code = CP_OK};
    const uint32_t warps = (c->threads + LANES - 1) / LANES;
    if (cpi_crew_need_fibers(c, at_once * c->threads) && cpi_crew_need_blocks(c, at_once, warps) &&
        cpi_crew_need_saved(c, watch->image, at_once))
        return true;
    snprintf(fault->text, sizeof fault->text, "out of host memory for the stacks of %u threads", at_once * c->threads);
    return false;
}

bool cpi_crew_take_turns(cpi_crew *c, const __cu_launch *launch, __cu_run_thread run, cpi_turns *turns,
                         const cpi_watch *watch, cpi_fault *fault)
{
    if (!prepare(c, launch, run, turns->most, watch, fault)) return false;
    uint32_t *slots = realloc(c->slots, turns->most * sizeof *slots);
    if (!slots) {
        snprintf(fault->text, sizeof fault->text, "out of host memory");
        return false;
    }
    c->slots = slots;
    for (c->nslots = 0; c->nslots < turns->most; c->nslots++) slots[c->nslots] = turns->most - 1 - c->nslots;
    c->turns = turns;
    bool done = cpi_guarded(run_in_turns, c, fault);
    cpi_shadow_drop(c->shadow, false);
    c->turns = NULL;
    return done;
}

typedef struct crew_call {
    cpi_crew *crew;
    uint64_t first, last;
    bool together;
} crew_call;

static void run_blocks(void *argument)
{
    crew_call *call = argument;
    cpi_crew *c = call->crew;
    uint32_t together = call->together ? (uint32_t)(call->last - call->first) : 1;
    for (uint64_t b = call->first; b < call->last; b += together) {
        c->together = together;
        for (uint32_t i = 0; i < together; i++) begin_block(c, i, b + i);
        c->grid_waiting = 0;
        c->grid_alive = call->together ? together * c->threads : 0;
        run_ring(c, together * c->threads);
    }
}

bool cpi_crew_run(cpi_crew *c, const __cu_launch *launch, __cu_run_thread run, uint64_t first, uint64_t last,
                  bool together, const cpi_watch *watch, cpi_fault *fault)
{
    if (!prepare(c, launch, run, together ? (uint32_t)(last - first) : 1, watch, fault)) return false;
    crew_call call = {c, first, last, together};
    bool done = cpi_guarded(run_blocks, &call, fault);
    cpi_shadow_drop(c->shadow, false);
    return done;
}
