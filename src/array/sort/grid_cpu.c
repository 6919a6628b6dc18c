/* A table that a search among many edges begins with.
 *
 * The way from the first edge to the last is cut into cells of one width, some for each edge. What cell a number lies
 * in ascends with the number, so the edges of smaller cells are less than it and those of greater ones greater: a
 * search is left with the edges of its own cell, mostly one or none. Invariant: the answer is the search's, however
 * ascending edges lie; of those that do not ascend there is no grid. */
#include "sort/grid.h"

#include <math.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "move/kernels.h"

enum {
    FEWEST = 64, MOST = 1 << 21, /* cells */
    EACH = 4, MORE = 16,         /* cells for an edge; where they are few */
    FEW = 1 << 13,
    GRAIN = 1 << 15
};

typedef struct building {
    const cpi_grid *g;
    cp_type type;
    const char *edges;
    int64_t m, each;
    bool descends;
} building;

void cpi_grid_cells(const cpi_grid *g, cp_type type, const void *x, int64_t n, int32_t *cell)
{
    double buffer[CPI_BLOCK];
    if (type != CP_FLOAT64) cpi_move_kernels_best()->convert[type][CP_FLOAT64](buffer, x, n), x = buffer;
    (*CPI_BEST(cpi_cells))(x, n, g->first, g->scale, g->top, cell);
}

static double edge(const building *b, int64_t i)
{
    double x;
    cpi_move_kernels_best()->convert[b->type][CP_FLOAT64](&x, b->edges + i * cpi_itemsize(b->type), 1);
    return x;
}

/* Edges write where the cells begin that lie behind the edge before them, up to their own. */
static void build_task(void *context, int64_t task, int worker)
{
    building *b = context;
    const cpi_grid *g = b->g;
    const int64_t end = (task + 1) * b->each < b->m ? (task + 1) * b->each : b->m;
    int32_t cell[CPI_BLOCK], before = -1;
    (void)worker;
    if (task) cpi_grid_cells(g, b->type, b->edges + (task * b->each - 1) * cpi_itemsize(b->type), 1, &before);
    for (int64_t i = task * b->each; i < end; i += CPI_BLOCK) {
        const int64_t n = end - i < CPI_BLOCK ? end - i : CPI_BLOCK;
        cpi_grid_cells(g, b->type, b->edges + i * cpi_itemsize(b->type), n, cell);
        for (int64_t k = 0; k < n; k++) {
            if (cell[k] < before) __atomic_store_n(&b->descends, true, __ATOMIC_RELAXED);
            while (before < cell[k]) g->start[++before] = (int32_t)(i + k);
        }
    }
    if (end == b->m)
        while (before <= g->top) g->start[++before] = (int32_t)b->m;
}

bool cpi_grid_make(cpi_grid *g, cp_stream *stream, cp_type type, const void *edges, int64_t m, int64_t n)
{
    building b = {.g = g, .type = type, .edges = edges, .m = m};
    int64_t count = FEWEST;
    while ((count < EACH * m && count < MOST) || (count < MORE * m && count < FEW && count < n / 64)) count *= 2;
    if (m < 4 || m > INT32_MAX - 1 || n < count / 4 || n < m / 64) return false;
    double first = edge(&b, 0), last = edge(&b, m - 1);
    if (!isfinite(first)) first = edge(&b, 1); /* edges often end in infinities */
    if (!isfinite(last)) last = edge(&b, m - 2);
    g->first = first, g->scale = (double)count / (last - first), g->top = (int32_t)(count - 1);
    if (!isfinite(first) || !isfinite(last) || !(g->scale > 0) || !isfinite(g->scale)) return false;
    if (!(g->start = cpi_work_alloc(stream, (size_t)(count + 1) * sizeof *g->start))) {
        cp_error_clear();
        return false;
    }
    cpi_parallel(cpi_cut(m, GRAIN, &b.each), build_task, &b);
    if (b.descends) cpi_work_free(stream, g->start);
    return !b.descends;
}
