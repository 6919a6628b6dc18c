/* Coefficients of splines on the CPU: eight lines at a time are copied side by side, filtered there, and copied back.
 * A line has the same bits whichever lines are beside it. */
#include "geometry/geometry.h"

#include <string.h>

#include "backend/device.h"
#include "core/error.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "geometry/kernels.h"

enum { LINES = CPI_SPLINE_LINES };

typedef struct filtering {
    const cpi_spline *s;
    const cpi_spline_kernels *kernels;
    int64_t batches, across; /* batches of lines in all; in one of `outer` */
    int64_t each;
    double *scratch;
} filtering;

/* The source's n elements from `at` on, every `step`-th, to every `wide`-th of `to`. */
static void load(const cpi_spline *s, int64_t at, int64_t step, double *to, int64_t wide)
{
    const float *f = (const float *)s->from + at;
    const double *d = (const double *)s->from + at;
    if (s->source == CP_FLOAT32)
        for (int64_t i = 0; i < s->n; i++) to[i * wide] = f[i * step];
    else
        for (int64_t i = 0; i < s->n; i++) to[i * wide] = d[i * step];
}

/* A batch of neighbours in memory, where there are that many; the last ones may be fewer. */
static void columns(const filtering *g, int64_t batch, double *c)
{
    const cpi_spline *s = g->s;
    const int64_t first = batch % g->across * LINES, base = batch / g->across * s->n * s->inner + first;
    const int64_t count = s->inner - first < LINES ? s->inner - first : LINES;
    for (int64_t i = 0; i < s->n; i++) {
        double *to = c + i * LINES;
        const float *f = (const float *)s->from + base + i * s->inner;
        const double *d = (const double *)s->from + base + i * s->inner;
        if (count < LINES) memset(to, 0, LINES * sizeof *to);
        if (s->source == CP_FLOAT32)
            for (int64_t k = 0; k < count; k++) to[k] = f[k];
        else
            memcpy(to, d, (size_t)count * sizeof *d);
    }
    g->kernels->lines(c, s->n, s->order, s->ends);
    for (int64_t i = 0; i < s->n; i++)
        memcpy(s->to + base + i * s->inner, c + i * LINES, (size_t)count * sizeof *c);
}

/* Batches of any lines. */
static void rows(const filtering *g, int64_t batch, double *c)
{
    const cpi_spline *s = g->s;
    const int64_t lines = s->outer * s->inner, first = batch * LINES;
    const int64_t count = lines - first < LINES ? lines - first : LINES;
    int64_t at[LINES];
    if (count < LINES) memset(c, 0, (size_t)(s->n * LINES) * sizeof *c);
    for (int64_t k = 0; k < count; k++) {
        at[k] = (first + k) / s->inner * s->n * s->inner + (first + k) % s->inner;
        load(s, at[k], s->inner, c + k, LINES);
    }
    g->kernels->lines(c, s->n, s->order, s->ends);
    for (int64_t k = 0; k < count; k++) {
        double *to = s->to + at[k];
        for (int64_t i = 0; i < s->n; i++) to[i * s->inner] = c[i * LINES + k];
    }
}

enum { LONG = 1 << 17 };

/* A line of a dense row, in the result itself. */
static void line_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const filtering *g = context;
    const cpi_spline *s = g->s;
    load(s, task * s->n, 1, s->to + task * s->n, 1);
    g->kernels->line(s->to + task * s->n, s->n, s->order, s->ends);
}

static void filter_task(void *context, int64_t task, int worker)
{
    const filtering *g = context;
    const int64_t end = (task + 1) * g->each < g->batches ? (task + 1) * g->each : g->batches;
    double *c = g->scratch + worker * g->s->n * LINES;
    for (int64_t b = task * g->each; b < end; b++) {
        if (g->across) columns(g, b, c);
        else rows(g, b, c);
    }
}

cp_code cpi_geometry_cpu_spline(cp_stream *stream, const cpi_spline *s)
{
    filtering g = {.s = s, .kernels = CPI_BEST(cpi_spline_kernels)};
    const int64_t lines = s->outer * s->inner;
    if (s->inner == 1 && (lines == 1 || s->n > LONG)) { /* eight of them would not stay in the cache */
        cpi_parallel(lines, line_task, &g);
        return CP_OK;
    }
    g.across = s->inner >= LINES ? (s->inner + LINES - 1) / LINES : 0;
    g.batches = g.across ? s->outer * g.across : (lines + LINES - 1) / LINES;
    const int64_t most = 1 + (1 << 16) / (s->n * LINES), tasks = (g.batches + most - 1) / most;
    g.each = most;
    g.scratch = cpi_work_alloc(stream, (size_t)((tasks > 1 ? cpi_workers() : 1) * s->n * LINES) * sizeof *g.scratch);
    if (!g.scratch) return cp_error();
    cpi_parallel(tasks, filter_task, &g);
    cpi_work_free(stream, g.scratch);
    return CP_OK;
}
