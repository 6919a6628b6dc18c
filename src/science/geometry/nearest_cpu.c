/* Distances to the nearest zero on the CPU: the first axis by columns, then one axis after the other by lines. What a
 * line's elements find along it tells where the nearest ones of the axes before are. */
#include "geometry/geometry.h"

#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "core/error.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "geometry/kernels.h"

enum { SIDE = 8, COLUMNS = 256 }; /* lines that are taken together where they lie across; columns of a task */

typedef struct pass {
    const cpi_nearest *p;
    const cpi_nearest_kernels *kernels;
    int axis;
    int64_t size, n, inner, outer;
    int64_t across, items, each; /* batches in one of `outer`; in all; of a task */
    char *scratch;
    int64_t worker_bytes;
} pass;

static inline int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

static void columns_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const pass *s = context;
    const int64_t from = task * COLUMNS, to = at_most(from + COLUMNS, s->inner);
    s->kernels->columns(s->p->x, s->n, s->inner, from, to, s->p->sampling[0], s->p->indices, s->p->distances);
    if (s->p->ndim > 1) return;
    s->kernels->roots(s->p->distances, s->n);
}

/* The indices of a line, `step` elements apart: those of earlier axes are its nearest element's. */
static void move_indices(const pass *s, int64_t first, int64_t step, const int32_t *nearest, int32_t *copy)
{
    for (int d = 0; d < s->axis; d++) {
        int32_t *at = s->p->indices + d * s->size + first;
        for (int64_t i = 0; i < s->n; i++) copy[i] = at[i * step];
        for (int64_t i = 0; i < s->n; i++)
            if (nearest[i] >= 0) at[i * step] = copy[nearest[i]];
    }
    int32_t *own = s->p->indices + s->axis * s->size + first;
    for (int64_t i = 0; i < s->n; i++) own[i * step] = nearest[i];
}

static void run_batch(const pass *s, int64_t batch, char *memory)
{
    const cpi_nearest *p = s->p;
    const int64_t column = batch % s->across * SIDE, base = batch / s->across * s->n * s->inner + column;
    const int64_t count = at_most(SIDE, s->inner - column);
    const bool last = s->axis == p->ndim - 1;
    double *lines = (double *)memory, *work = lines + (s->inner > 1 ? SIDE * s->n : 0);
    int32_t *nearest = (int32_t *)((char *)work + cpi_nearest_scratch(s->n)), *copy = nearest + s->n;
    for (int64_t i = 0; s->inner > 1 && i < s->n; i++)
        for (int64_t k = 0; k < count; k++) lines[k * s->n + i] = p->distances[base + i * s->inner + k];
    for (int64_t k = 0; k < count; k++) {
        double *line = s->inner > 1 ? lines + k * s->n : p->distances + base;
        s->kernels->line(line, s->n, p->sampling[s->axis], p->indices ? nearest : NULL, work);
        if (p->indices) move_indices(s, base + k, s->inner, nearest, copy);
        if (last) s->kernels->roots(line, s->n);
    }
    for (int64_t i = 0; s->inner > 1 && i < s->n; i++)
        for (int64_t k = 0; k < count; k++) p->distances[base + i * s->inner + k] = lines[k * s->n + i];
}

static void lines_task(void *context, int64_t task, int worker)
{
    const pass *s = context;
    const int64_t end = at_most((task + 1) * s->each, s->items);
    for (int64_t b = task * s->each; b < end; b++) run_batch(s, b, s->scratch + worker * s->worker_bytes);
}

/* There is no zero: as if there were one before the first axis' first element. */
static void without_zero(const cpi_nearest *p, int64_t size)
{
    int64_t at[CP_MAXDIM] = {0};
    for (int64_t i = 0; i < size; i++) {
        double sum = 0;
        for (int d = 0; d < p->ndim; d++) {
            const double t = (double)(at[d] + (d == 0)) * p->sampling[d];
            sum += t * t;
            if (p->indices) p->indices[d * size + i] = d ? 0 : -1;
        }
        p->distances[i] = sqrt(sum);
        for (int d = p->ndim - 1; d >= 0 && ++at[d] == p->shape[d]; d--) at[d] = 0;
    }
}

cp_code cpi_geometry_cpu_nearest(cp_stream *stream, const cpi_nearest *p)
{
    pass s = {.p = p, .kernels = CPI_BEST(cpi_nearest_kernels), .size = 1, .outer = 1};
    int64_t longest = 1;
    for (int d = 0; d < p->ndim; d++) {
        s.size *= p->shape[d];
        longest = p->shape[d] > longest ? p->shape[d] : longest;
    }
    if (!memchr(p->x, 0, (size_t)s.size)) {
        without_zero(p, s.size);
        return CP_OK;
    }
    s.worker_bytes = (SIDE * longest * 8 + cpi_nearest_scratch(longest) + longest * 8 + 63) / 64 * 64;
    s.scratch = cpi_work_alloc(stream, (size_t)(cpi_workers() * s.worker_bytes));
    if (!s.scratch) return cp_error();
    s.inner = s.size / p->shape[0], s.n = p->shape[0];
    cpi_parallel((s.inner + COLUMNS - 1) / COLUMNS, columns_task, &s);
    for (s.axis = 1; s.axis < p->ndim; s.axis++) {
        s.outer *= s.n;
        s.n = p->shape[s.axis];
        s.inner /= s.n;
        s.across = (s.inner + SIDE - 1) / SIDE;
        s.items = s.outer * s.across;
        s.each = 1 + (1 << 14) / (s.n * (s.inner > 1 ? SIDE : 1));
        cpi_parallel((s.items + s.each - 1) / s.each, lines_task, &s);
    }
    cpi_work_free(stream, s.scratch);
    return CP_OK;
}
