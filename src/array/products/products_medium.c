/* Matrices of moderate size by kernels of our own. Strips of columns are tasks. Each task packs its part of b, which
 * then stays in its core's caches, and reads a in place.
 *
 * Large ones (products_large.c) share packed copies of both operands, for which every thread waits, and which come from
 * the cache of the core that wrote them: of 384^2 float32 that took 6 % of the time of two threads. Here no thread
 * waits before the end, where strips are cut into shorter chunks, so that threads end together. */
#include "backend/device.h"
#include "core/type_traits.h"
#include "cpu/threads.h"
#include "products/kernels.h"

enum {
    MANY = 8,            /* matrices, each of which is a task */
    LEAST_ROWS = 128,    /* for which a copy of b is used */
    MOST_ROWS = 1024,    /* unless b has few columns */
    LEAST_DEPTH = 128,
    MOST = 8 << 20,      /* bytes of an a that is read in place, again for each strip */
    CHUNK = 96,          /* rows that use all of a strip's panels before the next ones do; a multiple of a block's */
    FEW_PANELS = 16,     /* of b, below which a strip has one of them, not two */
    FEW_STRIPS = 6,      /* below which all are cut into chunks, */
    CHUNKS = 4,          /* else the last ones into so many; */
    TAIL = 2,
    WANTED = 16          /* tasks */
};

typedef struct medium {
    const cpi_product *p;
    const cpi_product_kernels *k;
    int64_t item, wide;          /* columns of a strip */
    int64_t whole, nchunks, tall; /* strips that are one task; chunks of the others, and the rows of one */
    int64_t tasks;               /* of one matrix */
    int64_t chunk;
    int64_t worker_bytes;
    char *scratch;
} medium;

static int64_t parts_of(int64_t n, int64_t of) { return (n + of - 1) / of; }
static int64_t round_up(int64_t n, int64_t to) { return parts_of(n, to) * to; }
static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

static void strip_task(void *context, int64_t task, int worker)
{
    const medium *w = context;
    const cpi_product *p = w->p;
    const cpi_position at = cpi_batch_offset(p, w->item, task / w->tasks);
    int64_t first = 0, rows = p->m, j = task % w->tasks;
    if (j >= w->whole) {
        first = (j - w->whole) % w->nchunks * w->tall, rows = at_most(w->tall, p->m - first);
        j = w->whole + (j - w->whole) / w->nchunks;
    }
    j *= w->wide;
    const int64_t n = at_most(w->wide, p->n - j), end = first + rows;
    char *b = w->scratch + worker * w->worker_bytes;
    for (int64_t from = 0; from < p->k; from += CPI_DEPTH) {
        const int64_t depth = at_most(CPI_DEPTH, p->k - from);
        w->k->pack_b(n, depth, at.b + (from * p->b_row + j * p->b_col) * w->item, p->b_row, p->b_col, b);
        for (int64_t i = first; i < end; i += w->chunk)
            w->k->multiply_rows(at_most(w->chunk, end - i), n, depth,
                                at.a + (i * p->a_row + from * p->a_col) * w->item, p->a_row, p->a_col, b,
                                at.c + (i * p->c_row + j) * w->item, p->c_row, from > 0);
    }
}

/* Whether rows or columns of a real a lie so far apart that those of a block displace one another from the L1 or the L2
 * cache. With a copy float64 then takes 8 to 10 % less time (512^2, 1024^2), of columns 30 %. Complex ones do not. */
static bool is_displaced(const cpi_product *p)
{
    enum { ROWS_APART = 4096, COLUMNS_APART = 8192 };
    if (cpi_is_complex(p->type)) return false;
    return p->a_col == 1 ? p->a_row * cpi_itemsize(p->type) % ROWS_APART == 0
                         : p->a_col * cpi_itemsize(p->type) % COLUMNS_APART == 0;
}

bool cpi_is_medium(const cpi_product *p, const cpi_product_kernels *k)
{
    int64_t elements;
    if (!k->multiply_rows || (p->a_col != 1 && p->a_row != 1) || p->m < LEAST_ROWS || p->k < LEAST_DEPTH) return false;
    if (is_displaced(p)) return false;
    return (p->m <= MOST_ROWS || p->n < FEW_STRIPS * k->cols) && !__builtin_mul_overflow(p->m, p->k, &elements) &&
           elements <= MOST / cpi_itemsize(p->type);
}

/* Without a copy of a, 128^2 float32 take 8 % less time, float64 as long, complex numbers 4 % more. */
bool cpi_are_many(const cpi_product *p, const cpi_product_kernels *k)
{
    return k->multiply_rows && !cpi_is_complex(p->type) && (p->a_col == 1 || p->a_row == 1) && p->m >= k->rows &&
           cpi_product_batches(p) >= MANY;
}

cp_code cpi_medium_matrices(cp_stream *stream, const cpi_product *p, const cpi_product_kernels *k, bool many)
{
    medium w = {.p = p, .k = k, .item = cpi_itemsize(p->type), .chunk = CHUNK / k->rows * k->rows};
    w.wide = many ? round_up(p->n, k->cols) : parts_of(p->n, k->cols) < FEW_PANELS ? k->cols : 2 * k->cols;
    const int64_t strips = parts_of(p->n, w.wide);
    w.whole = many ? 1 : strips < FEW_STRIPS ? 0 : strips - TAIL;
    w.nchunks = strips < FEW_STRIPS ? parts_of(WANTED, strips) : CHUNKS;
    w.tall = round_up(parts_of(p->m, w.nchunks), k->rows);
    w.nchunks = parts_of(p->m, w.tall);
    w.tasks = w.whole + (strips - w.whole) * w.nchunks;
    const int64_t tasks = w.tasks * cpi_product_batches(p);
    w.worker_bytes = w.wide * CPI_DEPTH * w.item;
    w.scratch = cpi_work_alloc(stream, (size_t)((tasks > 1 ? cpi_workers() : 1) * w.worker_bytes));
    if (!w.scratch) return cp_error();
    cpi_parallel(tasks, strip_task, &w);
    cpi_work_free(stream, w.scratch);
    return CP_OK;
}
