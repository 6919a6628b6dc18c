/* The memory of a crew: stacks of fibers, shared memory, space for local arrays, records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/crew.h"

static void drop_stacks(cpi_crew *c)
{
    if (c->stacks) cpi_space_release(c->stacks, (size_t)c->nfibers * (c->stack + GUARD) + GUARD);
    c->stacks = NULL;
    c->nfibers = 0;
}

static void drop_shared(cpi_crew *c)
{
    if (c->shared) cpi_space_release(c->shared - BEFORE - BEHIND, BEHIND + BEFORE + c->shared_bytes);
    cpi_marks_drop(c->marks, c->shared_bytes);
    c->shared = NULL;
    c->marks = NULL;
    c->shared_bytes = 0;
}

void cpi_crew_drop_memory(cpi_crew *c)
{
    drop_stacks(c);
    for (uint32_t i = 0; i < c->nwarps; i++) free(c->warps[i].kept), free(c->warps[i].parts);
    free(c->fiber);
    free(c->blocks);
    free(c->warps);
    free(c->slots);
    free(c->saved);
    drop_shared(c);
    cpi_space_release(c->space, LOCAL_SPACE);
    cpi_marks_drop(c->apart, c->apart_bytes);
    cpi_shadow_drop(c->shadow, true);
}

char *cpi_crew_dynamic(const cpi_crew *c, uint32_t block)
{
    return c->shared + c->shared_each * block + c->dynamic_at;
}

/* Pages that nobody may touch, before the first block's memory and behind each one's. A process has some ten thousand
 * mappings for everything: of very many blocks only some have them. Between them and the first block is what may be
 * read alone: of `t >= d ? s[t - d] : 0` a vector's lanes that are masked lie there, which takes hundreds of cycles
 * where a processor finds no page. */
static bool reserve_shared(cpi_crew *c, uint32_t blocks, size_t each)
{
    const uint32_t apart = (blocks + GUARDS - 1) / GUARDS;
    char *pages = cpi_space_reserve(BEHIND + BEFORE + each * blocks);
    if (!pages) return false;
    c->shared = pages + BEHIND + BEFORE;
    c->shared_bytes = each * blocks;
    c->shared_each = each;
    bool guarded = cpi_space_guard(pages, BEHIND) && cpi_space_only_read(pages + BEHIND, BEFORE);
    for (uint32_t b = 0; b < blocks && guarded; b += apart)
        guarded = cpi_space_guard(c->shared + each * (b + 1) - BEHIND, BEHIND);
    if (!guarded) drop_shared(c);
    return guarded;
}

/* Dynamic memory ends where the pages begin that nobody may touch, but for what keeps it aligned. */
bool cpi_crew_shared(cpi_crew *c, uint32_t blocks, uint32_t dynamic)
{
    const size_t space = dynamic > DYNAMIC ? ((size_t)dynamic + 4095) / 4096 * 4096 : DYNAMIC;
    const size_t each = ARENA + space + BEHIND, bytes = each * blocks;
    size_t align = 256;
    while (align > 16 && dynamic % align) align /= 2;
    c->dynamic = dynamic;
    if (bytes > c->shared_bytes || each != c->shared_each) {
        drop_shared(c);
        if (!reserve_shared(c, blocks, each)) return false;
    }
    c->dynamic_at = ARENA + space - (dynamic + align - 1) / align * align;
    c->worker.arena = c->shared;
    c->worker.dynamic = cpi_crew_dynamic(c, 0);
    return true;
}

void cpi_crew_explain(const cpi_crew *c, cpi_fault *fault)
{
    const char *at = fault->address;
    if (fault->code || !c->shared || at < c->shared || at >= c->shared + c->shared_bytes) return;
    const size_t offset = (size_t)(at - c->shared) % c->shared_each;
    snprintf(fault->text, sizeof fault->text, "byte %zd of dynamic shared memory was read or written, and the launch "
             "gives %u bytes", (ssize_t)offset - (ssize_t)c->dynamic_at, c->dynamic);
}

char *cpi_crew_space(__cu_worker *w, unsigned long bytes)
{
    cpi_crew *c = (cpi_crew *)w;
    if (!c->space && (c->space = cpi_space_reserve(LOCAL_SPACE)))
        w->space = c->space, w->space_end = c->space + LOCAL_SPACE;
    if (!c->space || (unsigned long)(w->space_end - w->space) < bytes)
        cpi_guard_fail("out of host memory for the local arrays of a block's threads");
    return w->space;
}

void cpi_crew_rest(cpi_crew *c, bool fibers)
{
    if (c->space && c->worker.space_most > c->space + KEPT_SPACE) cpi_space_forget(c->space, LOCAL_SPACE);
    c->worker.space_most = c->space;
    if (!c->stacks || !fibers) return;
    const char *top = c->fiber[0].top;
    char *page = c->stacks + (size_t)(top - DEEP - c->stacks) / GUARD * GUARD;
    if (c->nfibers > GUARDS) drop_stacks(c); /* the pages that they have touched are hundreds of megabytes */
    else if (c->stack > DEEP + GUARD && cpi_space_touched(page))
        cpi_space_forget(c->stacks, (size_t)c->nfibers * (c->stack + GUARD));
}

/* Allocates that many fibers. Guard pages catch stack overflows. A page between two stacks makes two mappings of the
 * process, which has some ten thousand for everything. So of very many fibers several share a guard: what overflows its
 * stack meets it behind its neighbours', which the failing launch leaves with it. */
bool cpi_crew_need_fibers(cpi_crew *c, uint32_t n)
{
    if (n <= c->nfibers) return true;
    const uint32_t apart = (n + GUARDS - 1) / GUARDS;
    bool guarded = true;
    fiber *more = realloc(c->fiber, n * sizeof *more);
    if (!more) return false;
    c->fiber = more;
    drop_stacks(c);
    c->stack = n > MANY ? SMALL_STACK : STACK;
    size_t bytes = (size_t)n * (c->stack + GUARD) + GUARD; /* a last one, above all */
    char *stacks = cpi_space_reserve(bytes);
    if (!stacks && c->stack > SMALL_STACK) {
        c->stack = SMALL_STACK;
        bytes = (size_t)n * (c->stack + GUARD) + GUARD;
        stacks = cpi_space_reserve(bytes);
    }
    if (!stacks) return false;
    c->stacks = stacks;
    c->nfibers = n;
    guarded = cpi_space_guard(stacks + bytes - GUARD, GUARD);
    for (uint32_t i = 0; i < n; i++) {
        char *low = stacks + (size_t)i * (c->stack + GUARD);
        if (i % apart == 0) guarded = guarded && cpi_space_guard(low, GUARD);
        /* otherwise the tops of stacks would share the same few sets of the cache */
        c->fiber[i].top = low + GUARD + c->stack - (size_t)(i % 61) * 320;
    }
    if (!guarded) drop_stacks(c);
    return guarded;
}

bool cpi_crew_need_blocks(cpi_crew *c, uint32_t n, uint32_t warps)
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

bool cpi_crew_need_saved(cpi_crew *c, cpi_address_range image, uint32_t blocks)
{
    free(c->saved);
    c->saved = NULL;
    c->own = (cpi_address_range){0, 0};
    if (blocks < 2) return true;
    c->own = cpi_watch_thread_variables(image);
    if (c->own.start == c->own.end) return true;
    c->saved = calloc(blocks, c->own.end - c->own.start);
    return c->saved != NULL;
}
