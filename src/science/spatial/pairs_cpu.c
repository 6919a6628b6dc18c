/* Distances of all pairs on the CPU: tiles of points with their coordinates side by side, so that a vector holds one
 * coordinate of several points and each pair's sum is in order. */
#include <string.h>

#include "backend/device.h"
#include "cpu/ending.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "spatial/tiles.h"

enum { GRAIN = 32 };

typedef struct pairs_job {
    const cpi_distances *m;
    cpi_pair_tile *tile;
    const double *tiles; /* (tiles, ndim, CPI_PAIR_TILE) */
    int64_t nb, each;
    const cpi_nearby *nearby;
    cpi_ending ending;
} pairs_job;

/* False where the call is to end. */
static bool alone_row(const cpi_distances *m, int64_t i, cpi_lookout *watch)
{
    const double *others = m->b ? m->b : m->a;
    double *out = m->b ? m->to + i * m->nb : m->to + cpi_pair_row(m->na, i);
    for (int64_t j = m->b ? 0 : i + 1; j < (m->b ? m->nb : m->na); j++) {
        if (cpi_lookout_ends(watch)) return false;
        out[j] = cpi_pair_alone(m, m->a + i * m->ndim, others + j * m->ndim);
    }
    return true;
}

static void pairs_task(void *context, int64_t task, int worker)
{
    pairs_job *j = context;
    cpi_lookout watch = {&j->ending, worker};
    const cpi_distances *m = j->m;
    const int64_t from = task * j->each, to = from + j->each < m->na ? from + j->each : m->na;
    double values[CPI_PAIR_TILE];
    if (cpi_pair_is_alone(m->metric)) {
        for (int64_t i = from; i < to && alone_row(m, i, &watch); i++) continue;
        return;
    }
    for (int64_t first = m->b ? 0 : from / CPI_PAIR_TILE * CPI_PAIR_TILE; first < j->nb; first += CPI_PAIR_TILE) {
        const double *tile = j->tiles + first * m->ndim;
        const int64_t count = j->nb - first < CPI_PAIR_TILE ? j->nb - first : CPI_PAIR_TILE;
        for (int64_t i = from; i < to; i++) {
            const int64_t skip = m->b || i < first ? 0 : i + 1 - first;
            if (skip >= count) continue;
            if (cpi_lookout_ends(&watch)) return;
            j->tile(m, m->a + i * m->ndim, tile, values);
            double *out = (m->b ? m->to + i * m->nb : m->to + cpi_pair_row(m->na, i)) + first;
            memcpy(out + skip, values + skip, (size_t)(count - skip) * sizeof *out);
        }
    }
}

/* Tiles of n points; what is beyond them is 0. */
static double *tiles_of(cp_stream *stream, const double *points, int64_t n, int64_t ndim)
{
    const int64_t tiles = (n + CPI_PAIR_TILE - 1) / CPI_PAIR_TILE;
    double *made = cpi_work_alloc(stream, (size_t)(tiles * CPI_PAIR_TILE * ndim + 1) * sizeof *made);
    if (!made) return NULL;
    for (int64_t t = 0; t < tiles; t++) {
        double *tile = made + t * CPI_PAIR_TILE * ndim;
        for (int64_t k = 0; k < CPI_PAIR_TILE; k++) {
            const int64_t i = t * CPI_PAIR_TILE + k;
            for (int64_t d = 0; d < ndim; d++) tile[d * CPI_PAIR_TILE + k] = i < n ? points[i * ndim + d] : 0;
        }
    }
    return made;
}

cp_code cpi_spatial_cpu_distances(cp_stream *stream, const cpi_distances *m)
{
    pairs_job j = {.m = m, .tile = CPI_BEST(cpi_pair_tile), .nb = m->b ? m->nb : m->na};
    double *tiles = NULL;
    if (!cpi_pair_is_alone(m->metric)) {
        tiles = tiles_of(stream, m->b ? m->b : m->a, j.nb, m->ndim);
        if (!tiles) return CP_ERROR_MEMORY;
        j.tiles = tiles;
    }
    cpi_parallel(cpi_cut(m->na, GRAIN, &j.each), pairs_task, &j);
    cpi_work_free(stream, tiles);
    return cpi_ending_code(&j.ending);
}

static void nearby_task(void *context, int64_t task, int worker)
{
    pairs_job *j = context;
    const cpi_nearby *s = j->nearby;
    cpi_lookout watch = {&j->ending, worker};
    const int64_t to = (task + 1) * j->each < s->na ? (task + 1) * j->each : s->na;
    double values[CPI_PAIR_TILE];
    for (int64_t i = task * j->each; i < to; i++) {
        double best = INFINITY;
        int64_t which = 0;
        for (int64_t first = 0; first < s->nb; first += CPI_PAIR_TILE) {
            const int64_t count = s->nb - first < CPI_PAIR_TILE ? s->nb - first : CPI_PAIR_TILE;
            if (cpi_lookout_ends(&watch)) return;
            j->tile(j->m, s->a + i * s->ndim, j->tiles + first * s->ndim, values);
            for (int64_t k = 0; k < count; k++)
                if (values[k] < best) best = values[k], which = first + k;
        }
        s->which[i] = which;
        s->distances[i] = sqrt(best);
    }
}

cp_code cpi_spatial_cpu_nearby(cp_stream *stream, const cpi_nearby *s)
{
    const cpi_distances m = {.metric = CP_METRIC_SQEUCLIDEAN, .ndim = s->ndim};
    double *tiles = tiles_of(stream, s->b, s->nb, s->ndim);
    if (!tiles) return CP_ERROR_MEMORY;
    pairs_job j = {.m = &m, .tile = CPI_BEST(cpi_pair_tile), .tiles = tiles, .nearby = s};
    cpi_parallel(cpi_cut(s->na, GRAIN, &j.each), nearby_task, &j);
    cpi_work_free(stream, tiles);
    return cpi_ending_code(&j.ending);
}
