/* Running kernels that are loops: which rows of threads they are given, block by block.
 *
 * A kernel's loop over some rows is compiled for each kernel; what stands around it is here. */
#include "kernel/rows.h"

enum { NEAR = 16384 }; /* threads of several rows that are run one behind the other */

typedef struct walk {
    const __cu_launch *launch;
    __cu_run_block run;
    __cu_ask ask;
    __cu_site site;
    __cu_box box;
    int answer; /* of the thread that is asked */
} walk;

/* The test that thread x of the row fails, 0: it takes part. */
static inline int ask(walk *w, unsigned x)
{
    w->answer = 0;
    w->site.thread.x = x;
    w->ask(w->launch, &w->site);
    return w->answer;
}

/* What the first and the last thread that are left of a row say. */
typedef struct answers { int first, last; } answers;

/* From x on, the threads of a row that do as x does, up to the one that is returned; `known` becomes what that one
 * says. Each test changes once at most along the row, so that threads with one answer stand side by side. Mostly only
 * the first and the last thread of a row are different. */
static unsigned alike(walk *w, unsigned x, unsigned end, answers *known)
{
    unsigned other = end - 1; /* x answers as the first one did, this one does not */
    int answer = known->last;
    if (answer == known->first) return end;
    for (int tries = 0; other - x > 1; tries++) {
        const unsigned at = tries == 0 ? x + 1 : tries == 1 ? other - 1 : x + (other - x) / 2;
        const int now = ask(w, at);
        if (now == known->first) x = at;
        else other = at, answer = now;
    }
    known->first = answer;
    return other;
}

/* Rows `from` to `to` - 1 of all threads, which take part. */
static void run_rows(walk *w, unsigned from, unsigned to)
{
    if (from == to) return;
    w->box.from.y = from, w->box.to.y = to;
    w->run(w->launch, &w->site, &w->box);
}

/* The rows of blocks that are joined. */
static void run_each(walk *w)
{
    for (w->box.from.z = 0; w->box.from.z < w->launch->block.z; w->box.from.z++)
        for (w->box.from.y = 0; w->box.from.y < w->launch->block.y; w->box.from.y++)
            w->run(w->launch, &w->site, &w->box);
}

/* The threads of each row that take part: side by side, rows of which all do are run at once. */
static void run_guarded(walk *w, bool joined)
{
    const unsigned first = w->box.from.x, end = w->box.to.x;
    for (unsigned z = 0; z < w->launch->block.z; z++) {
        unsigned whole = 0; /* the first of such rows */
        w->box.from.z = z;
        for (unsigned y = 0; y < w->launch->block.y; y++) {
            w->site.thread.y = y, w->site.thread.z = z;
            answers known = {ask(w, first), 0};
            known.last = end - first > 1 ? ask(w, end - 1) : known.first;
            if (!(known.first | known.last | joined)) continue;
            run_rows(w, whole, y);
            whole = y + 1;
            w->box.from.y = y, w->box.to.y = y + 1;
            for (unsigned x = first; x < end; x = w->box.to.x) {
                const bool comes = !known.first;
                w->box.from.x = x, w->box.to.x = alike(w, x, end, &known);
                if (comes) w->run(w->launch, &w->site, &w->box);
            }
            w->box.from.x = first, w->box.to.x = end;
        }
        run_rows(w, whole, w->launch->block.y);
    }
}

/* Blocks that are one row of threads, at most: rows of a block with several stay neighbours. */
static unsigned most_joined(const __cu_launch *l, int spans)
{
    const unsigned rows = l->block.y * l->block.z, wide = NEAR / rows > 256 ? NEAR / rows : 256;
    if (!(spans & __CU_STRIDES)) return rows == 1 ? ~0u : l->block.x < wide ? wide / l->block.x : 1;
    return rows > 1 ? 1 : (unsigned)(spans & __CU_KEEPS ? __CU_JOINED_KEPT : __CU_JOINED) / l->block.x;
}

/* The place of block number b of the grid. */
static __cu_extent block_at(const __cu_launch *l, uint64_t b)
{
    if (b < l->grid.x) return (__cu_extent){(unsigned)b, 0, 0};
    const uint64_t row = b / l->grid.x;
    return (__cu_extent){(unsigned)(b - row * l->grid.x), (unsigned)(row % l->grid.y), (unsigned)(row / l->grid.y)};
}

/* n blocks on in a row of blocks; at its end, the first one of the next. */
static void step(const __cu_launch *l, unsigned n, __cu_extent *block)
{
    if ((block->x += n) < l->grid.x) return;
    block->x = 0;
    if (++block->y == l->grid.y) block->y = 0, block->z++;
}

void cpi_rows_run(const __cu_kernel *k, const __cu_launch *l, __cu_worker *worker, uint64_t first, uint64_t last)
{
    walk w = {.launch = l, .run = (__cu_run_block)k->run, .ask = k->asked,
              .site = {.threads = l->block, .blocks = l->grid, .arena = worker->arena, .dynamic = worker->dynamic,
                       .worker = worker, .row = l->block.x},
              .box = {.blocks = 1, .to = l->block}};
    w.site.reported = &w.answer;
    const bool joins = k->spans & __CU_JOINS, columns = k->spans & __CU_COLUMNS && l->block.y > 1,
               guarded = k->spans & __CU_GUARDED && !columns;
    const unsigned most = joins ? most_joined(l, k->spans) : guarded ? 1 : ~0u;
    __cu_extent block = block_at(l, first);
    for (unsigned n = 1; first < last; first += n, step(l, n, &block)) {
        n = l->grid.x - block.x < most ? l->grid.x - block.x : most;
        if (n > last - first) n = (unsigned)(last - first);
        w.site.block.x = joins ? 0 : block.x, w.site.block.y = block.y, w.site.block.z = block.z;
        if (joins) {
            w.box.from.x = block.x * l->block.x, w.box.to.x = w.box.from.x + n * l->block.x;
            w.site.thread.x = w.box.from.x, w.site.row = n * l->block.x;
        } else {
            w.box.blocks = n;
        }
        if (guarded) run_guarded(&w, joins);
        else if (joins && !columns && k->tier == 0 && !(k->spans & __CU_STRIDES)) run_each(&w);
        else w.run(l, &w.site, &w.box);
    }
}
