/* Large matrices by kernels of our own: both operands are copied into panels first, once, by all threads; then tiles
 * of the result are tasks, which read panels alone.
 *
 * A panel is as wide as a block of registers and CPI_DEPTH deep, so that one of b stays in the first cache while those
 * of a tile's rows, in the second, go by. Matrices are done in parts whose copies are at most PACKED bytes. */
#include "backend/device.h"
#include "cpu/threads.h"
#include "products/kernels.h"

enum {
    EDGE = 4096,              /* rows or columns of a part */
    PACKED = 64 << 20,
    PACK = 128,               /* rows or columns that one task copies */
    ROWS_BYTES = 512 << 10,   /* of a tile's rows, which stay in the second cache */
    TILE_COLS = 16,           /* panels of a tile */
    FEW = 32,                 /* tiles below which they are made smaller */
    WORTH = 1 << 20           /* products of elements that are worth a task */
};

typedef struct part {
    const cpi_product *p;
    const cpi_product_kernels *k;
    int64_t item, row, col, from;      /* where it begins */
    int64_t m, n, depth;               /* what it has */
    int64_t wide_a, wide_b;            /* rows and columns, rounded up to panels */
    int64_t each, tasks_a, tasks_b;    /* rows or columns of a task that copies; such tasks of a block of the sum */
    int64_t tile_m, tile_n, tiles_n;
    cpi_position at;
    char *a, *b;
} part;

static int64_t parts_of(int64_t n, int64_t of) { return (n + of - 1) / of; }
static int64_t round_up(int64_t n, int64_t to) { return parts_of(n, to) * to; }
static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

static void pack_task(void *context, int64_t task, int worker)
{
    const part *w = context;
    const cpi_product *p = w->p;
    (void)worker;
    int64_t from = task / (w->tasks_a + w->tasks_b) * CPI_DEPTH, depth = at_most(CPI_DEPTH, w->depth - from);
    int64_t i = task % (w->tasks_a + w->tasks_b), sum = w->from + from;
    if (i < w->tasks_a) {
        i *= w->each * w->k->rows;
        w->k->pack_a(at_most(w->each * w->k->rows, w->m - i), depth,
                     w->at.a + ((w->row + i) * p->a_row + sum * p->a_col) * w->item, p->a_row, p->a_col,
                     w->a + (from * w->wide_a + i * depth) * w->item);
    } else {
        i = (i - w->tasks_a) * w->each * w->k->cols;
        w->k->pack_b(at_most(w->each * w->k->cols, w->n - i), depth,
                     w->at.b + (sum * p->b_row + (w->col + i) * p->b_col) * w->item, p->b_row, p->b_col,
                     w->b + (from * w->wide_b + i * depth) * w->item);
    }
}

static void tile_task(void *context, int64_t task, int worker)
{
    const part *w = context;
    (void)worker;
    int64_t i = task / w->tiles_n * w->tile_m, j = task % w->tiles_n * w->tile_n;
    int64_t m = at_most(w->tile_m, w->m - i), n = at_most(w->tile_n, w->n - j);
    char *c = w->at.c + ((w->row + i) * w->p->c_row + w->col + j) * w->item;
    for (int64_t from = 0; from < w->depth; from += CPI_DEPTH) {
        int64_t depth = at_most(CPI_DEPTH, w->depth - from);
        w->k->multiply(m, n, depth, w->a + (from * w->wide_a + i * depth) * w->item,
                       w->b + (from * w->wide_b + j * depth) * w->item, c, w->p->c_row, w->from + from > 0);
    }
}

/* Tiles as large as caches like, or smaller where that leaves too few of them. */
static void cut(part *w)
{
    w->tile_m = ROWS_BYTES / (CPI_DEPTH * w->item * w->k->rows) * w->k->rows;
    w->tile_n = TILE_COLS * w->k->cols;
    w->tile_m = at_most(w->tile_m, w->wide_a), w->tile_n = at_most(w->tile_n, w->wide_b);
    for (;;) {
        w->tiles_n = parts_of(w->n, w->tile_n);
        int64_t work = w->tile_m * w->tile_n * w->depth, half_m = round_up(parts_of(w->tile_m, 2), w->k->rows);
        int64_t half_n = round_up(parts_of(w->tile_n, 2), w->k->cols);
        bool rows = w->tile_m >= w->tile_n ? half_m < w->tile_m : half_n == w->tile_n;
        if (w->tiles_n * parts_of(w->m, w->tile_m) >= FEW || work < 2 * WORTH) return;
        if (rows ? half_m == w->tile_m : half_n == w->tile_n) return;
        if (rows) w->tile_m = half_m;
        else w->tile_n = half_n;
    }
}

static void one_part(part *w)
{
    int64_t blocks = parts_of(w->depth, CPI_DEPTH);
    w->wide_a = round_up(w->m, w->k->rows), w->wide_b = round_up(w->n, w->k->cols);
    w->each = parts_of(PACK, w->k->cols);
    w->tasks_a = parts_of(w->wide_a, w->each * w->k->rows), w->tasks_b = parts_of(w->wide_b, w->each * w->k->cols);
    cut(w);
    cpi_parallel(blocks * (w->tasks_a + w->tasks_b), pack_task, w);
    cpi_parallel(w->tiles_n * parts_of(w->m, w->tile_m), tile_task, w);
}

cp_code cpi_large_matrices(cp_stream *stream, const cpi_product *p, const cpi_product_kernels *k)
{
    part w = {.p = p, .k = k, .item = cpi_itemsize(p->type)};
    int64_t m = at_most(p->m, EDGE), n = at_most(p->n, EDGE), batches = cpi_product_batches(p);
    int64_t wide_a = round_up(m, k->rows), wide_b = round_up(n, k->cols);
    int64_t deep = PACKED / ((wide_a + wide_b) * w.item) / CPI_DEPTH * CPI_DEPTH;
    deep = at_most(p->k, deep ? deep : CPI_DEPTH);
    char *memory = cpi_work_alloc(stream, (size_t)((wide_a + wide_b) * deep * w.item));
    if (!memory) return cp_error();
    w.a = memory, w.b = memory + wide_a * deep * w.item;
    for (int64_t i = 0; i < batches; i++) {
        w.at = cpi_batch_offset(p, w.item, i);
        for (w.row = 0; w.row < p->m; w.row += m)
            for (w.col = 0; w.col < p->n; w.col += n)
                for (w.from = 0; w.from < p->k; w.from += deep) {
                    w.m = at_most(m, p->m - w.row), w.n = at_most(n, p->n - w.col);
                    w.depth = at_most(deep, p->k - w.from);
                    one_part(&w);
                }
    }
    cpi_work_free(stream, memory);
    return CP_OK;
}
