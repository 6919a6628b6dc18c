/* The threads of a block as fibers: see fibers.h. */
#include "kernel/fibers.h"
#include "backend/live.h"
#include "kernel/kernel.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LANES = 32, STACK = 128 << 10, GUARD = 4 << 10, ARENA = 48 << 10, SNAPSHOTS = LANES + 1,
       GUARDS = 8192 /* pages between stacks, at most */ };

typedef struct snapshot {
    int users;
    unsigned long long value[LANES + 1]; /* the last: which lanes there were */
} snapshot;

typedef struct warp {
    unsigned alive, arrived;
    unsigned blocked;  /* lanes that wait at a barrier or in an exchange */
    unsigned gathered; /* lanes that wait in a gather, at `position`: */
    uint16_t syncs;    /* how often its lanes have waited for each other */
    int position[LANES];
    unsigned together[LANES]; /* for lanes whose gather is complete: which lanes came to the same position */
    unsigned long long value[LANES];
    snapshot *result[LANES]; /* for lanes whose exchange is complete */
    snapshot *kept;          /* SNAPSHOTS of them, made when first needed */
} warp;

typedef struct block {
    uint32_t alive, waiting;
    uint64_t generation;
    uint32_t epoch;        /* between two barriers; never repeated (CUPRITE_CHECK) */
    int line, how;         /* of those that wait */
    uint32_t first;        /* the thread that came first */
    int sum, result;
    warp *warps;
} block;

typedef struct fiber {
    struct fiber *next, *before; /* in the ring */
    void *context;
    char *top;
    block *block;
    __cu_thread where;
    uint32_t number;  /* in its block */
    int line;         /* where it waits */
    snapshot *held;
} fiber;

struct cpi_crew {
    __cu_worker worker; /* first: the part that kernels know */
    fiber *fiber;       /* nfibers of them */
    uint32_t nfibers;
    char *stacks;
    block *blocks;
    uint32_t nblocks, nwarps; /* existing records */
    warp *warps;
    char *shared;       /* of each block: arena, dynamic */
    size_t shared_bytes, shared_each;
    fiber *running;
    void *home;         /* the context that started the block */
    uint64_t progress;
    uint32_t grid_waiting, grid_alive;
    uint64_t grid_generation;
    uint32_t together;  /* blocks that run at once */
    __cu_run_thread run;
    const __cu_launch *launch;
    uint32_t threads;   /* of a block */
    cpi_watch watch;
    cpi_mark *marks;    /* of each byte of `shared`, while accesses are watched */
    uint32_t epochs;
    uint16_t fences;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void drop_stacks(cpi_crew *c)
{
    if (c->stacks) munmap(c->stacks, (size_t)c->nfibers * (STACK + GUARD));
    c->stacks = NULL;
    c->nfibers = 0;
}

static void crew_free(void *memory)
{
    cpi_crew *c = memory;
    drop_stacks(c);
    for (uint32_t i = 0; i < c->nwarps; i++) free(c->warps[i].kept);
    free(c->fiber);
    free(c->blocks);
    free(c->warps);
    free(c->shared);
    free(c->marks);
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
    c->running = NULL;
    return &c->worker;
}

bool cpi_crew_shared(cpi_crew *c, uint32_t blocks, uint32_t dynamic)
{
    c->shared_each = ARENA + ((size_t)dynamic + 255) / 256 * 256;
    size_t bytes = c->shared_each * blocks;
    if (bytes > c->shared_bytes) {
        void *memory = NULL;
        if (posix_memalign(&memory, 256, bytes)) return false;
        free(c->shared);
        free(c->marks);
        c->marks = NULL;
        c->shared = memory;
        c->shared_bytes = bytes;
    }
    c->worker.arena = c->shared;
    c->worker.dynamic = c->shared + ARENA;
    return true;
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

/* Continues with the next fiber of the ring. */
static void yield(cpi_crew *c)
{
    fiber *f = c->running, *next = f->next;
    if (next == f) return;
    c->running = next;
    cpi_context_switch(&f->context, next->context);
}

/* Lets the others run once; fails where nothing has progressed since the last time. */
static void wait_a_turn(cpi_crew *c, uint64_t *seen, bool *asked)
{
    if (*asked && *seen == c->progress)
        fail_at(c, "threads wait for each other: line %d is not reached by all (thread (%u, %u, %u) of block "
                "(%u, %u, %u) waits there)", c->running);
    *seen = c->progress;
    *asked = true;
    yield(c);
}

static warp *warp_of(const fiber *f) { return &f->block->warps[f->number / LANES]; }
static unsigned lane_bit(const fiber *f) { return 1u << f->number % LANES; }

static void unblock(cpi_crew *c, block *b)
{
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
        char text[300];
        const __cu_extent *t = &f->where.thread, *n = &c->launch->block;
        snprintf(text, sizeof text, "divergent barrier: thread (%u, %u, %u) waits in line %d, thread (%u, %u, %u) in "
                 "line %d of block (%u, %u, %u)", b->first % n->x, b->first / n->x % n->y, b->first / n->x / n->y,
                 b->line, t->x, t->y, t->z, line, f->where.block.x, f->where.block.y, f->where.block.z);
        cpi_guard_fail(text);
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

static void open_grid(cpi_crew *c)
{
    for (uint32_t i = 0; i < c->together; i++) unblock(c, &c->blocks[i]);
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

/* What the thread waits for in memory may come from another worker's block, so nothing is known of an end. */
static void turn(__cu_worker *w)
{
    cpi_crew *c = (cpi_crew *)w;
    c->progress++;
    if (c->running && c->running->next != c->running) yield(c);
    else sched_yield();
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

/* Shared memory of the thread's own block: its bounds, and other accesses. False: it is not there. */
static bool check_shared(cpi_crew *c, const cpi_memory_access *a)
{
    const fiber *f = c->running;
    char *start = c->shared + c->shared_each * (size_t)(f->block - c->blocks);
    if (!within(a->address, 1, start, c->shared_each)) return false;
    size_t at = a->address - (uintptr_t)start, fixed = *c->watch.kernel->shared;
    bool dynamic = at >= ARENA;
    size_t capacity = dynamic ? ARENA + c->watch.dynamic : fixed;
    if (at >= capacity || a->bytes > capacity - at) {
        cpi_fault *fault = cpi_guard_fault();
        const __cu_extent *t = &a->where->thread, *b = &a->where->block;
        fault->at[0] = a->at;
        snprintf(fault->text, sizeof fault->text,
                 "\1thread (%u, %u, %u) of block (%u, %u, %u) %s %lu bytes at byte %zu of %s shared memory, which has "
                 "%zu", t->x, t->y, t->z, b->x, b->y, b->z, a->how ? "writes" : "reads", a->bytes,
                 dynamic ? at - ARENA : at, dynamic ? "dynamic" : "static", dynamic ? c->watch.dynamic : fixed);
        cpi_guard_leave();
    }
    if (!c->marks && !(c->marks = calloc(c->shared_bytes, sizeof *c->marks))) return true;
    cpi_moment now = {f->block->epoch, (uint16_t)f->number, warp_of(f)->syncs, c->fences};
    if (!cpi_watch_shared(&c->marks[a->address - (uintptr_t)c->shared], a, &now, cpi_guard_fault())) cpi_guard_leave();
    return true;
}

static void check(__cu_worker *w, unsigned long address, unsigned long bytes, int how, const void *at)
{
    cpi_crew *c = (cpi_crew *)w;
    const fiber *f = c->running;
    if (!c->watch.spans) return;
    const char *low = c->stacks + (size_t)(f - c->fiber) * (STACK + GUARD) + GUARD;
    if (within(address, bytes, low, STACK)) return;
    cpi_memory_access a = {address, bytes, how, at, &f->where};
    if (check_shared(c, &a) || is_ours(c, address, bytes)) return;
    if (!cpi_watch_global(&c->watch, &a, cpi_guard_fault())) cpi_guard_leave();
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

static void heap(__cu_worker *w, void *memory, unsigned long bytes)
{
    (void)w;
    if (bytes) cpi_live_add(memory, bytes);
    else cpi_live_remove(memory);
}

static void divergent(__cu_worker *w, int line, const unsigned block[3], unsigned in, unsigned out)
{
    char text[300];
    const __cu_extent *n = &((cpi_crew *)w)->launch->block;
    snprintf(text, sizeof text,
             "divergent barrier: behind line %d thread (%u, %u, %u) of block (%u, %u, %u) comes to it, "
             "thread (%u, %u, %u) does not",
             line, in % n->x, in / n->x % n->y, in / n->x / n->y, block[0], block[1], block[2], out % n->x,
             out / n->x % n->y, out / n->x / n->y);
    cpi_guard_fail(text);
}

const __cu_host cpi_crew_host = {barrier, exchange, lanes, gather, grid_barrier, divergent,
                                 check,   bounds,   misaligned, fence, heap, fail, turn};

/* --- running --- */

static void fiber_ends(cpi_crew *c, fiber *f)
{
    block *b = f->block;
    let_go(f);
    b->warps[f->number / LANES].alive &= ~(1u << f->number % LANES);
    b->alive--;
    c->progress++;
    if (b->alive && b->waiting == b->alive) open_barrier(c, b);
    if (c->grid_alive && --c->grid_alive && c->grid_waiting == c->grid_alive) c->grid_waiting = 0, open_grid(c);
    f->next->before = f->before;
    f->before->next = f->next;
    void *unused;
    fiber *next = f->next;
    if (next == f) cpi_context_switch(&unused, c->home);
    c->running = next;
    cpi_context_switch(&unused, next->context);
}

static void fiber_begins(void *argument)
{
    fiber *f = argument;
    cpi_crew *c = pthread_getspecific(key);
    uint32_t at = (uint32_t)(f->block - c->blocks);
    c->worker.arena = c->shared + c->shared_each * at; /* kernels take it into their context when they begin */
    c->worker.dynamic = c->worker.arena + ARENA;
    c->run(c->launch, &c->worker, &f->where);
    fiber_ends(c, f);
}

/* Allocates that many fibers. Guard pages catch stack overflows. A page between two stacks makes two mappings of the
 * process, which has some ten thousand for everything. So of very many fibers several share a guard: what overflows its
 * stack meets it behind its neighbours', which the failing launch leaves with it. */
static bool need_fibers(cpi_crew *c, uint32_t n)
{
    if (n <= c->nfibers) return true;
    const uint32_t apart = (n + GUARDS - 1) / GUARDS;
    bool guarded = true;
    fiber *more = realloc(c->fiber, n * sizeof *more);
    if (!more) return false;
    c->fiber = more;
    drop_stacks(c);
    char *stacks = mmap(NULL, (size_t)n * (STACK + GUARD), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) return false;
    c->stacks = stacks;
    c->nfibers = n;
    for (uint32_t i = 0; i < n; i++) {
        char *low = stacks + (size_t)i * (STACK + GUARD);
        if (i % apart == 0) guarded = guarded && mprotect(low, GUARD, PROT_NONE) == 0;
        /* otherwise the tops of stacks would share the same few sets of the cache */
        c->fiber[i].top = low + GUARD + STACK - (size_t)(i % 61) * 320;
    }
    if (!guarded) drop_stacks(c);
    return guarded;
}

static bool need_blocks(cpi_crew *c, uint32_t n, uint32_t warps)
{
    if (n > c->nblocks) {
        block *more = realloc(c->blocks, n * sizeof *more);
        if (!more) return false;
        c->blocks = more;
        c->nblocks = n;
    }
    if (n * warps > c->nwarps) {
        warp *more = realloc(c->warps, (size_t)n * warps * sizeof *more);
        if (!more) return false;
        memset(more + c->nwarps, 0, ((size_t)n * warps - c->nwarps) * sizeof *more);
        c->warps = more;
        c->nwarps = n * warps;
    }
    return true;
}

static void begin_block(cpi_crew *c, uint32_t at, uint64_t number)
{
    const __cu_extent *n = &c->launch->block, *g = &c->launch->grid;
    uint32_t warps = (c->threads + LANES - 1) / LANES;
    block *b = &c->blocks[at];
    *b = (block){.alive = c->threads, .epoch = ++c->epochs, .warps = c->warps + (size_t)at * warps};
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
    c->running = &c->fiber[0];
    cpi_context_switch(&c->home, c->running->context);
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
    c->watch = *watch;
    uint32_t at_once = together ? (uint32_t)(last - first) : 1;
    c->threads = launch->block.x * launch->block.y * launch->block.z;
    c->launch = launch;
    c->run = run;
    if (!need_fibers(c, at_once * c->threads) || !need_blocks(c, at_once, (c->threads + LANES - 1) / LANES)) {
        snprintf(fault->text, sizeof fault->text, "out of host memory for the stacks of %u threads",
                 at_once * c->threads);
        return false;
    }
    crew_call call = {c, first, last, together};
    bool done = cpi_guarded(run_blocks, &call, fault);
    if (c->nfibers > GUARDS) drop_stacks(c); /* the pages that they have touched are hundreds of megabytes */
    return done;
}
