/* Trees of points on the CPU: places are shared out to the threads. Searches can be ended (ending.h). */
#include "backend/device.h"
#include "cpu/ending.h"
#include "cpu/threads.h"
#include "spatial/tree.h"

typedef struct trees_job {
    const cpi_tree_query *q;
    const cpi_simplex_search *s;
    const cpi_simplex_corners *c;
    const cpi_point_tree *t;
    const double *points, *range;
    int64_t n, ndim, each, *keys;
    cpi_ending ending;
} trees_job;

#define EACH(j, total, i) \
    for (int64_t i = task * (j)->each; i < (task + 1) * (j)->each && i < (total); i++)

static void keys_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const trees_job *j = context;
    EACH(j, j->n, i) j->keys[i] = cpi_tree_key(j->points + i * j->ndim, j->ndim, j->range);
}

cp_code cpi_spatial_cpu_keys(cp_stream *stream, int64_t n, int64_t ndim, const double *points, const double *range,
                             int64_t *keys)
{
    (void)stream;
    trees_job j = {.points = points, .range = range, .n = n, .ndim = ndim, .keys = keys};
    cpi_parallel(cpi_cut(n, 2048, &j.each), keys_task, &j);
    return CP_OK;
}

static void leaves_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const trees_job *j = context;
    const int64_t first = ((int64_t)1 << j->t->levels) - 1;
    EACH(j, j->n, i) cpi_leaf_box(j->t, first + i);
}

cp_code cpi_spatial_cpu_boxes(cp_stream *stream, const cpi_point_tree *t)
{
    (void)stream;
    trees_job j = {.t = t, .n = (int64_t)1 << t->levels};
    cpi_parallel(cpi_cut(j.n, 256, &j.each), leaves_task, &j);
    for (int64_t node = j.n - 1; node-- > 0;) cpi_inner_box(t, node);
    return CP_OK;
}

static void nearest_task(void *context, int64_t task, int worker)
{
    trees_job *j = context;
    cpi_lookout watch = {&j->ending, worker};
    EACH(j, j->q->count, i) {
        if (cpi_lookout_ends(&watch)) return;
        cpi_tree_nearest(j->q, i);
    }
}

cp_code cpi_spatial_cpu_nearest(cp_stream *stream, const cpi_tree_query *q)
{
    (void)stream;
    trees_job j = {.q = q};
    cpi_parallel(cpi_cut(q->count, 64, &j.each), nearest_task, &j);
    return cpi_ending_code(&j.ending);
}

static void within_task(void *context, int64_t task, int worker)
{
    trees_job *j = context;
    cpi_lookout watch = {&j->ending, worker};
    EACH(j, j->q->count, i) {
        if (cpi_lookout_ends(&watch)) return;
        cpi_tree_within(j->q, i);
    }
}

cp_code cpi_spatial_cpu_within(cp_stream *stream, const cpi_tree_query *q)
{
    (void)stream;
    trees_job j = {.q = q};
    cpi_parallel(cpi_cut(q->count, 64, &j.each), within_task, &j);
    return cpi_ending_code(&j.ending);
}

static void simplices_task(void *context, int64_t task, int worker)
{
    trees_job *j = context;
    cpi_lookout watch = {&j->ending, worker};
    EACH(j, j->s->count, i) {
        if (cpi_lookout_ends(&watch)) return;
        cpi_simplex_of(j->s, i);
    }
}

cp_code cpi_spatial_cpu_simplices(cp_stream *stream, const cpi_simplex_search *s)
{
    (void)stream;
    trees_job j = {.s = s};
    cpi_parallel(cpi_cut(s->count, 64, &j.each), simplices_task, &j);
    return cpi_ending_code(&j.ending);
}

static void transforms_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const trees_job *j = context;
    EACH(j, j->c->simplices, i) cpi_simplex_transform(j->c, i);
}

cp_code cpi_spatial_cpu_transforms(cp_stream *stream, const cpi_simplex_corners *c)
{
    (void)stream;
    trees_job j = {.c = c};
    cpi_parallel(cpi_cut(c->simplices, 256, &j.each), transforms_task, &j);
    return CP_OK;
}
