/* Marks of memory and the races that they show: see races.h. */
#include "kernel/races.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/live.h"
#include "kernel/fibers.h"
#include "kernel/kernel.h"

enum { WARP = 32, PAGE = 4 << 10, WORDS = PAGE / CPI_MARKED };
enum { PAGES = 1 << 15, SLOTS = 2 * PAGES, FEW = 1 << 10 }; /* marks are 15 times the memory: 128 MiB of it at most */

/* Readers: the last one, and the last other one of its warp that nothing orders with it. */
struct cpi_mark {
    const void *write_at, *read_at;
    uint32_t write_epoch, read_epoch, write_block, read_block, write_fence, read_fence;
    uint32_t begun; /* shared memory: the first epoch of the block that wrote the bytes `written` */
    uint16_t writer, reader, other, write_sync, read_sync;
    uint8_t write_how, read_how, write_mask, read_mask, written;
    bool many, many_warps, many_blocks;
};

struct cpi_shadow {
    uintptr_t page[SLOTS];
    cpi_mark *marks[SLOTS];
    unsigned n;
};

static size_t size_of_marks(size_t bytes) { return (bytes / CPI_MARKED + 1) * sizeof(cpi_mark); }

/* Address space: most of what blocks may have is never touched. */
cpi_mark *cpi_marks_new(size_t bytes) { return (cpi_mark *)cpi_space_reserve(size_of_marks(bytes)); }

void cpi_marks_drop(cpi_mark *marks, size_t bytes) { cpi_space_release((char *)marks, size_of_marks(bytes)); }

cpi_shadow *cpi_shadow_new(void) { return calloc(1, sizeof(cpi_shadow)); }

void cpi_shadow_drop(cpi_shadow *s, bool all)
{
    if (!s || (!all && s->n <= FEW)) return;
    for (unsigned i = 0; i < SLOTS; i++) free(s->marks[i]);
    if (all) free(s);
    else memset(s, 0, sizeof *s);
}

/* The marks of a page, made when first used; NULL without memory: it is not watched. */
static cpi_mark *find_marks(cpi_shadow *s, uintptr_t page, bool make)
{
    unsigned i = (unsigned)(page * UINT64_C(0x9e3779b97f4a7c15) >> 48) % SLOTS;
    while (s->marks[i] && s->page[i] != page) i = (i + 1) % SLOTS;
    if (s->marks[i] || !make || s->n >= PAGES) return s->marks[i];
    s->marks[i] = calloc(WORDS, sizeof *s->marks[i]);
    if (s->marks[i]) s->page[i] = page, s->n++;
    return s->marks[i];
}

void cpi_shadow_forget(cpi_shadow *s, uintptr_t from, size_t bytes)
{
    for (uintptr_t at = from; s && at < from + bytes; at += CPI_MARKED) {
        cpi_mark *m = find_marks(s, at / PAGE, false);
        if (m) m[at % PAGE / CPI_MARKED] = (cpi_mark){0};
        else at = at / PAGE * PAGE + PAGE - CPI_MARKED;
    }
}

/* --- kinds of accesses --- */

static bool writes(int how) { return how != CPI_READS && how != CPI_VOLATILE_READS && how != CPI_ATOMIC_READS; }
static bool reads(int how) { return !writes(how) || how == CPI_ATOMIC; }
static bool is_atomic(int how) { return how == CPI_ATOMIC || how == CPI_EXCHANGES || how == CPI_ATOMIC_READS; }
static bool is_volatile(int how) { return how == CPI_VOLATILE_READS || how == CPI_VOLATILE_WRITES; }

/* Two accesses which are no race. Programs write flags and read them as volatile, in global memory between any threads;
 * there they also read what others update atomically, as a first look (a distance that only decreases). */
static bool both_soft(int one, int other, bool near, bool shared)
{
    if (is_atomic(one) && is_atomic(other)) return true;
    if (!shared && ((is_atomic(one) && other == CPI_READS) || (one == CPI_READS && is_atomic(other)))) return true;
    return near && (is_atomic(one) || is_volatile(one)) && (is_atomic(other) || is_volatile(other));
}

/* --- what happened before --- */

typedef struct seen { uint32_t epoch, block, fence; uint16_t thread, sync; uint8_t how; } seen;

/* Whether nothing orders what was seen and an access now. */
static bool unordered(const seen *then, const cpi_moment *now, int how, bool shared)
{
    bool same_block = then->block == now->block;
    if (same_block ? then->epoch != now->epoch : shared || then->epoch < now->start) return false;
    if (then->fence != now->fence || (same_block && then->thread == now->thread)) return false;
    bool same_warp = same_block && then->thread / WARP == now->thread / WARP;
    if (same_warp && then->sync != now->sync) return false;
    return !both_soft(then->how, how, same_warp || !shared, shared);
}

static seen write_of(const cpi_mark *m)
{
    return (seen){m->write_epoch, m->write_block, m->write_fence, m->writer, m->write_sync, m->write_how};
}

static seen read_of(const cpi_mark *m)
{
    return (seen){m->read_epoch, m->read_block, m->read_fence, m->reader, m->read_sync, m->read_how};
}

/* The reader with which a write now races. */
static bool racing_reader(const cpi_mark *m, const cpi_moment *now, int how, bool shared, seen *reader)
{
    *reader = read_of(m);
    if (unordered(reader, now, how, shared)) return true;
    bool same_block = reader->block == now->block;
    bool current = same_block ? reader->epoch == now->epoch : !shared && reader->epoch >= now->start;
    if (!current || reader->fence != now->fence || both_soft(reader->how, how, !shared, shared)) return false;
    bool own_warp = same_block && reader->thread / WARP == now->thread / WARP;
    if (!m->many_blocks && !m->many_warps && !(m->many && own_warp && reader->sync == now->sync)) return false;
    reader->thread = m->other;
    return true;
}

static void note_read(cpi_mark *m, const cpi_memory_access *a, const cpi_moment *now, uint8_t mask, bool shared)
{
    bool same_block = m->read_block == now->block;
    bool current = same_block ? m->read_epoch == now->epoch : !shared && m->read_epoch >= now->start;
    current = current && m->read_fence == now->fence && m->read_mask & mask;
    bool other = !same_block || m->reader != now->thread;
    bool same_warp = same_block && m->reader / WARP == now->thread / WARP;
    m->many_blocks = current && (m->many_blocks || !same_block);
    m->many_warps = current && (m->many_warps || (same_block && !same_warp));
    m->many = current && same_warp && m->read_sync == now->sync && (m->many || other);
    if (current && other) m->other = m->reader;
    m->read_how = current && m->read_how == CPI_READS ? CPI_READS : (uint8_t)a->how;
    m->read_mask = m->many || m->many_warps || m->many_blocks ? m->read_mask & mask : mask; /* what all of them read */
    m->read_epoch = now->epoch;
    m->read_block = now->block;
    m->read_fence = now->fence;
    m->reader = now->thread;
    m->read_sync = now->sync;
    m->read_at = a->at;
}

static void note_write(cpi_mark *m, const cpi_memory_access *a, const cpi_moment *now, uint8_t mask)
{
    if (m->begun != now->first) m->begun = now->first, m->written = 0;
    m->written |= mask;
    m->write_mask = mask;
    m->write_how = (uint8_t)a->how;
    m->write_epoch = now->epoch;
    m->write_block = now->block;
    m->write_fence = now->fence;
    m->writer = now->thread;
    m->write_sync = now->sync;
    m->write_at = a->at;
}

/* --- messages --- */

static int place_of(const cpi_watch *w, const cpi_memory_access *a, char *text, size_t bytes)
{
    return w ? cpi_watch_position(w, a, text, bytes) : snprintf(text, bytes, "of shared memory");
}

/* `w`: NULL for shared memory. */
static bool race(const cpi_watch *w, const cpi_memory_access *a, unsigned thread, const seen *then, const char *did,
                 const void *at, bool same_block, cpi_fault *fault)
{
    /* Two lanes in different instructions: in lockstep they are in order. */
    bool lanes = same_block && thread / WARP == then->thread / WARP && at != a->at;
    int n = cpi_watch_begin(a, fault);
    const size_t all = sizeof fault->text;
    n += place_of(w, a, fault->text + n, all - (size_t)n);
    n += snprintf(fault->text + n, all - (size_t)n, w ? ", which thread number %u " : " which thread number %u ",
                  then->thread);
    if (!same_block) n += snprintf(fault->text + n, all - (size_t)n, "of block number %u ", then->block);
    fault->at[1] = at;
    if (n < (int)all)
        snprintf(fault->text + n, all - (size_t)n, "%s\2%s", did,
                 lanes        ? " without a __syncthreads() between them\3"
                 : same_block ? " without a __syncthreads() between them"
                              : ": nothing orders blocks of a launch");
    return false;
}

static bool unwritten(const cpi_watch *w, const cpi_memory_access *a, cpi_fault *fault)
{
    int n = cpi_watch_begin(a, fault);
    n += place_of(w, a, fault->text + n, sizeof fault->text - (size_t)n);
    if (n < (int)sizeof fault->text)
        snprintf(fault->text + n, sizeof fault->text - (size_t)n, w ? ", which nothing has written"
                                                                    : " which no thread of the block has written");
    return false;
}

/* A write behind another thread's: which values they are is known when it is made. */
static void wait_for_value(cpi_pending *p, const cpi_memory_access *a, unsigned thread, const seen *then,
                           const void *at, bool shared, bool same_block)
{
    if (p->any || a->bytes > sizeof p->before) return;
    *p = (cpi_pending){.any = true, .shared = shared, .same_block = same_block, .access = *a, .block = then->block,
                       .thread = then->thread, .writes = (uint16_t)thread, .at = at};
    memcpy(p->before, (const void *)a->address, a->bytes);
}

bool cpi_races_settle(cpi_pending *p, const cpi_watch *w, cpi_fault *fault)
{
    if (!p->any) return true;
    p->any = false;
    if (memcmp(p->before, (const void *)p->access.address, p->access.bytes) == 0) return true;
    const seen then = {.block = p->block, .thread = p->thread};
    return race(p->shared ? NULL : w, &p->access, p->writes, &then, "wrote", p->at, p->same_block, fault);
}

/* --- accesses --- */

/* The bytes of a word that an access touches, which begins `skip` bytes inside it and has `left` more. */
static uint8_t mask_of(unsigned skip, unsigned long left)
{
    unsigned n = left < CPI_MARKED - skip ? (unsigned)left : CPI_MARKED - skip;
    return (uint8_t)(((1u << n) - 1) << skip);
}

/* One word. `w`: NULL for shared memory. */
static bool meet(cpi_mark *m, uint8_t mask, const cpi_watch *w, const cpi_memory_access *a, const cpi_moment *now,
                 cpi_pending *pending, cpi_fault *fault)
{
    const seen writer = write_of(m);
    seen reader;
    bool after_write = m->write_at && m->write_mask & mask && unordered(&writer, now, a->how, !w);
    if (after_write && reads(a->how))
        return race(w, a, now->thread, &writer, "wrote", m->write_at, writer.block == now->block, fault);
    if (writes(a->how) && m->read_at && m->read_mask & mask && racing_reader(m, now, a->how, !w, &reader))
        return race(w, a, now->thread, &reader, "read", m->read_at, reader.block == now->block, fault);
    if (after_write) wait_for_value(pending, a, now->thread, &writer, m->write_at, !w, writer.block == now->block);
    if (writes(a->how)) note_write(m, a, now, mask);
    else note_read(m, a, now, mask, !w);
    return true;
}

bool cpi_races_shared(cpi_mark *marks, size_t offset, const cpi_memory_access *a, const cpi_moment *now,
                      cpi_pending *pending, cpi_fault *suspect, cpi_fault *fault)
{
    bool written = !reads(a->how);
    for (unsigned long done = 0; done < a->bytes && !written;) {
        unsigned skip = (unsigned)((offset + done) % CPI_MARKED);
        const cpi_mark *m = &marks[(offset + done) / CPI_MARKED];
        written = m->begun == now->first && m->written & mask_of(skip, a->bytes - done);
        done += CPI_MARKED - skip;
    }
    if (!written && !*suspect->text) unwritten(NULL, a, suspect);
    for (unsigned long done = 0; done < a->bytes;) {
        unsigned skip = (unsigned)((offset + done) % CPI_MARKED);
        cpi_mark *m = &marks[(offset + done) / CPI_MARKED];
        if (!meet(m, mask_of(skip, a->bytes - done), NULL, a, now, pending, fault)) return false;
        done += CPI_MARKED - skip;
    }
    return true;
}

bool cpi_races_global(cpi_shadow *s, const cpi_watch *w, const cpi_memory_access *a, const cpi_moment *now,
                      cpi_pending *pending, cpi_fault *fault)
{
    if (reads(a->how) && cpi_live_poisoned(a->address, a->bytes)) return unwritten(w, a, fault);
    if (writes(a->how)) cpi_live_unpoison(a->address, a->bytes);
    for (unsigned long done = 0; done < a->bytes;) {
        uintptr_t at = a->address + done;
        unsigned skip = (unsigned)(at % CPI_MARKED);
        cpi_mark *m = find_marks(s, at / PAGE, true);
        if (!m) return true;
        if (!meet(m + at % PAGE / CPI_MARKED, mask_of(skip, a->bytes - done), w, a, now, pending, fault)) return false;
        done += CPI_MARKED - skip;
    }
    return true;
}
