/* Running kernels that are loops: which rows of threads they are given, block by block.
 *
 * A kernel's loop over a row of threads is compiled once for each kernel; what stands around it is here. */
#include "kernel/rows.h"

/* The place of block number b of the grid; the next is found without a division. */
static void begin(const __cu_launch *l, uint64_t b, __cu_extent *block)
{
    block->x = (unsigned)(b % l->grid.x);
    block->y = (unsigned)(b / l->grid.x % l->grid.y);
    block->z = (unsigned)(b / l->grid.x / l->grid.y);
}

static void step(const __cu_launch *l, unsigned n, __cu_extent *block)
{
    if ((block->x += n) < l->grid.x) return;
    block->x = 0;
    if (++block->y == l->grid.y) block->y = 0, block->z++;
}

typedef struct walk {
    const __cu_launch *launch;
    __cu_run_block run;
    __cu_ask ask;
    __cu_place place;
    unsigned known_first, known_last; /* answers of the first and the last thread that are left of a row */
    bool first_known, last_known;
} walk;

/* The test that thread x of the row fails, 0: it takes part. */
static unsigned ask(walk *w, unsigned x)
{
    int reported = 0;
    w->place.thread.x = x;
    w->place.reported = &reported;
    w->ask(w->launch, &w->place);
    return (unsigned)reported;
}

/* From x on, the threads of a row that do as x does, up to the one that is returned. Each test changes once at most
 * along the row, so that threads with one answer stand side by side. Mostly only the first and the last thread of a row
 * are different. */
static unsigned alike(walk *w, unsigned x, unsigned end, bool *comes)
{
    const unsigned reported = w->first_known ? w->known_first : ask(w, x);
    *comes = !reported;
    if (!w->last_known) w->known_last = end - x == 1 ? reported : ask(w, end - 1), w->last_known = true;
    if (w->known_last == reported) return end;
    unsigned other = end - 1, answer = w->known_last; /* x answers as the first one did, this one does not */
    for (int tries = 0; other - x > 1; tries++) {
        const unsigned at = tries == 0 ? x + 1 : tries == 1 ? other - 1 : x + (other - x) / 2, now = ask(w, at);
        if (now == reported) x = at;
        else other = at, answer = now;
    }
    w->known_first = answer, w->first_known = true;
    return other;
}

/* The threads of each row that take part. */
static void run_guarded(walk *w, unsigned from, unsigned to)
{
    const __cu_extent n = w->launch->block;
    for (unsigned z = 0; z < n.z; z++)
        for (unsigned y = 0; y < n.y; y++) {
            w->place.thread = (__cu_extent){0, y, z};
            w->first_known = w->last_known = false;
            for (unsigned x = from, end; x < to; x = end) {
                bool comes;
                end = alike(w, x, to, &comes);
                if (comes) w->run(w->launch, &w->place, x, end);
            }
        }
}

/* Blocks that are one row of threads, at most: rows of a block with several stay neighbours. */
static unsigned together(const __cu_launch *l, int spans)
{
    const unsigned rows = l->block.y * l->block.z;
    if (spans & __CU_STRIDES) return rows > 1 ? 1 : (unsigned)(spans & __CU_KEEPS ? __CU_JOINED_KEPT : __CU_JOINED) / l->block.x;
    return rows == 1 ? ~0u : l->block.x < 256 ? 256 / l->block.x : 1;
}

void cpi_rows_run(const __cu_kernel *k, const __cu_launch *l, __cu_worker *worker, uint64_t first, uint64_t last)
{
    walk w = {.launch = l, .run = (__cu_run_block)k->run, .ask = k->asked,
              .place = {.threads = l->block, .blocks = l->grid, .arena = worker->arena, .dynamic = worker->dynamic,
                        .worker = worker, .row = l->block.x}};
    const bool joins = k->spans & __CU_JOINS, regions = k->tier == 1 || k->spans & __CU_STRIDES;
    const unsigned most = joins ? together(l, k->spans) : 1;
    __cu_extent block;
    begin(l, first, &block);
    for (unsigned n = 1; first < last; first += n, step(l, n, &block)) {
        unsigned from = 0, to = l->block.x;
        w.place.block = block;
        if (joins) {
            n = l->grid.x - block.x < most ? l->grid.x - block.x : most;
            if (n > last - first) n = (unsigned)(last - first);
            from = block.x * l->block.x, to = from + n * l->block.x;
            w.place.block.x = 0;
        }
        if (regions) w.place.thread.x = from, w.place.row = to - from;
        if (k->spans & __CU_GUARDED) run_guarded(&w, from, to);
        else w.run(l, &w.place, from, to);
    }
}
