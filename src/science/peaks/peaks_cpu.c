/* Peaks on the CPU: elements and peaks are shared out to the threads. */
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cpu/threads.h"
#include "peaks/look.h"
#include "peaks/peaks.h"

typedef struct job {
    const cpi_peaks *p;
    const double *x;
    int64_t n, count, each;
    uint8_t *mask;
    const int64_t *left;
    int64_t *right;
} job;

static void rises_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const int64_t begin = task * j->each, end = begin + j->each < j->n ? begin + j->each : j->n;
    const int64_t first = begin > 1 ? begin : 1, last = end < j->n - 1 ? end : j->n - 1;
    const double *x = j->x;
    uint8_t plateaus = 0;
    if (begin == 0) j->mask[0] = 0;
    if (end == j->n) j->mask[j->n - 1] = 0;
    for (int64_t i = first; i < last; i++) { /* most are decided by their neighbours */
        const uint8_t above = x[i - 1] < x[i];
        j->mask[i] = above & (x[i + 1] < x[i]);
        plateaus |= above & (x[i + 1] == x[i]);
    }
    for (int64_t i = first; i < last && plateaus; i++)
        if (x[i + 1] == x[i]) j->mask[i] = cpi_rises(x, j->n, i);
}

cp_code cpi_peaks_cpu_rises(cp_stream *stream, int64_t n, const double *x, uint8_t *mask)
{
    (void)stream;
    job j = {.x = x, .n = n, .mask = mask};
    cpi_parallel(cpi_cut(n, 16384, &j.each), rises_task, &j);
    return CP_OK;
}

static void ends_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    for (int64_t i = task * j->each; i < (task + 1) * j->each && i < j->count; i++)
        j->right[i] = cpi_plateau_end(j->x, j->n, j->left[i]);
}

cp_code cpi_peaks_cpu_ends(cp_stream *stream, int64_t n, const double *x, int64_t count, const int64_t *left,
                           int64_t *right)
{
    (void)stream;
    job j = {.x = x, .n = n, .count = count, .left = left, .right = right};
    cpi_parallel(cpi_cut(count, 8192, &j.each), ends_task, &j);
    return CP_OK;
}

/* --- prominences --- */

/* Walks from ascending peaks to one side: one that reaches a lower peak goes on where that one's walk ended, at the
 * peak `next` or between it and the one before. Groups of peaks are taken at once; a walk that leaves its group at a
 * lower peak waits there until all groups before are done. */
typedef struct walks {
    const cpi_peaks *p;
    int64_t *lowest, *stop, *next;
    int64_t step, group, beyond; /* -1: to the left; the element beyond the signal on that side */
} walks;

/* The walk from peak k, or its rest; `edge` is the first peak whose walk is not known. */
static void walk(const walks *w, int64_t k, int64_t edge)
{
    const double *x = w->p->x, top = x[w->p->peak[k]];
    const int64_t step = w->step, *peak = w->p->peak, none = step < 0 ? -1 : w->p->count;
    int64_t stop = w->stop[k], next = w->next[k], lowest = w->lowest[k];
    double low = x[lowest];
    for (;;) {
        const int64_t until = next != none ? peak[next] : w->beyond;
        for (; stop != until && x[stop] <= top; stop += step)
            if (x[stop] < low) low = x[stop], lowest = stop;
        if (next == none || stop != until || !(x[until] <= top) || next == edge) break;
        const int64_t at = w->lowest[next];
        if (x[at] < low) low = x[at], lowest = at;
        stop = w->stop[next];
        next = w->next[next];
    }
    w->stop[k] = stop, w->next[k] = next, w->lowest[k] = lowest;
}

static void walks_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const walks *w = context;
    const int64_t begin = task * w->group, end = begin + w->group < w->p->count ? begin + w->group : w->p->count;
    const int64_t edge = w->step < 0 ? begin - 1 : end;
    for (int64_t i = begin; i < end; i++) {
        const int64_t k = w->step < 0 ? i : end - 1 - (i - begin);
        w->stop[k] = w->p->peak[k] + w->step;
        w->next[k] = k + w->step;
        w->lowest[k] = w->p->peak[k];
        walk(w, k, edge);
    }
}

/* All walks to one side. */
static void walk_all(walks *w)
{
    const int64_t count = w->p->count;
    cpi_parallel(cpi_cut(count, 4096, &w->group), walks_task, w);
    for (int64_t i = 0; i < count; i++) {
        const int64_t k = w->step < 0 ? i : count - 1 - i, next = w->next[k];
        if (next >= 0 && next < count && next / w->group != k / w->group && w->stop[k] == w->p->peak[next])
            walk(w, k, w->step < 0 ? -1 : count);
    }
}

static void heights_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const cpi_peaks *p = j->p;
    for (int64_t k = task * j->each; k < (task + 1) * j->each && k < p->count; k++) {
        const double left = p->x[p->left[k]], right = p->x[p->right[k]];
        p->prominence[k] = p->x[p->peak[k]] - (left > right ? left : right);
    }
}

static void prominences_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    for (int64_t i = task * j->each; i < (task + 1) * j->each && i < j->count; i++) cpi_peak_prominence(j->p, i);
}

static bool are_ascending(const int64_t *peak, int64_t n)
{
    bool ascending = true;
    for (int64_t k = 1; k < n; k++) ascending &= peak[k - 1] < peak[k];
    return ascending;
}

cp_code cpi_peaks_cpu_prominences(cp_stream *stream, const cpi_peaks *p)
{
    (void)stream;
    job j = {.p = p, .count = p->count};
    int64_t *space = NULL;
    if (p->wlen < 2 && are_ascending(p->peak, p->count)) {
        space = cpi_malloc(2 * (size_t)p->count * sizeof *space);
        if (!space) return cp_error();
        walks left = {p, p->left, space, space + p->count, -1, 0, -1};
        walks right = {p, p->right, space, space + p->count, 1, 0, p->n};
        walk_all(&left);
        walk_all(&right);
    }
    cpi_parallel(cpi_cut(p->count, space ? 8192 : 256, &j.each), space ? heights_task : prominences_task, &j);
    cpi_free_host(space);
    return CP_OK;
}

static void widths_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    for (int64_t i = task * j->each; i < (task + 1) * j->each && i < j->count; i++) cpi_peak_width(j->p, i);
}

cp_code cpi_peaks_cpu_widths(cp_stream *stream, const cpi_peaks *p)
{
    (void)stream;
    job j = {.p = p, .count = p->count};
    cpi_parallel(cpi_cut(p->count, 256, &j.each), widths_task, &j);
    return CP_OK;
}

cp_code cpi_peaks_cpu_distant(cp_stream *stream, int64_t count, const int64_t *peak, const int64_t *order,
                            int64_t distance, uint8_t *keep)
{
    (void)stream;
    memset(keep, 1, (size_t)count);
    for (int64_t i = count; i-- > 0;) {
        const int64_t k = order[i];
        if ((uint64_t)k >= (uint64_t)count || !keep[k]) continue; /* sorting may have failed before, on a device */
        for (int64_t j = k - 1; j >= 0 && peak[k] - peak[j] < distance; j--) keep[j] = 0;
        for (int64_t j = k + 1; j < count && peak[j] - peak[k] < distance; j++) keep[j] = 0;
    }
    return CP_OK;
}
