/* Small matrices of floating types, many at once: which blocks a matrix is made of, and the loop over them.
 *
 * The kernels of blocks (small.h) know one length of vector, one number of them side by side and one of rows. A matrix
 * is blocks of one shape; where they do not fit, the last ones overlap those before them. */
#include "products/kernels.h"

#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"

enum { TASK = 1 << 17, MATRIX = 64 }; /* products of elements that are worth a task; that a matrix takes as long as */

typedef struct plan {
    const cpi_product *p;
    cpi_small s;
    cpi_small_fn *block, *edge;  /* of `rows` rows; sums: of one row */
    cpi_squares_fn *squares;     /* which do all of it, or NULL */
    int64_t item, width;         /* bytes of an element; of a block's row */
    int64_t rows, batches, each;
    bool transposed;             /* b lies by columns: it is copied by rows first */
    char *scratch;
    int64_t worker_bytes;
} plan;

/* The longest vectors that a row fills; NULL where it fills none. */
static const cpi_small_product_kernels *longest(const cpi_product_kernels *k, int64_t bytes)
{
    const cpi_small_product_kernels *found = k->pair && k->pair->bytes <= bytes ? k->pair : NULL;
    for (int i = 0; i < 4 && k->blocks[i] && k->blocks[i]->bytes <= bytes; i++) found = k->blocks[i];
    return found;
}

/* b by rows; n and k of it, b_col in bytes. */
#define BY_ROWS(E)                                                                          \
    for (int64_t p = 0; p < k; p++)                                                         \
        for (int64_t j = 0; j < n; j++) ((E *)to)[p * n + j] = *(const E *)(b + j * b_col + p * (int64_t)sizeof(E));
static void by_rows(int64_t item, int64_t n, int64_t k, const char *b, int64_t b_col, void *to)
{
    typedef struct { float parts[2]; } c64;
    typedef struct { double parts[2]; } c128;
    if (item == 4) { BY_ROWS(float) }
    else if (item == 8) { BY_ROWS(c64) }
    else { BY_ROWS(c128) }
}
#undef BY_ROWS

/* One matrix: columns of blocks, in each of them rows of blocks. */
static void matrix(const plan *w, const char *a, const char *b, char *c)
{
    const int64_t m = w->p->m, rows = w->rows, cols = w->width, width = w->p->n * w->item;
    for (int64_t j = 0;; j = j + 2 * cols < width ? j + cols : width - cols) {
        for (int64_t i = 0;; i = i + 2 * rows < m ? i + rows : m - rows) {
            w->block(&w->s, a + i * w->s.a_row, b + j, c + i * w->s.c_row + j);
            if (i + rows >= m) break;
        }
        if (j + cols >= width) break;
    }
}

/* Consecutive places of the batch, whose matrices lie at equal distances. */
static void matrices(const plan *w, int64_t count, cpi_position at, char *scratch)
{
    const cpi_product *p = w->p;
    const int d = p->nbatch - 1;
    const int64_t a = d < 0 ? 0 : p->a_batch[d] * w->item, b = d < 0 ? 0 : p->b_batch[d] * w->item;
    const int64_t c = d < 0 ? 0 : p->c_batch[d] * w->item;
    if (w->squares) {
        w->squares(count, at.a, a, at.b, b, at.c);
        return;
    }
    const bool one_block = p->m <= w->rows && p->n * w->item <= w->width;
    for (int64_t i = 0; i < count; i++, at.a += a, at.b += b, at.c += c) {
        const char *y = at.b;
        if (w->transposed && (!i || b)) by_rows(w->item, p->n, p->k, at.b, p->b_col * w->item, scratch);
        if (w->transposed) y = scratch;
        if (one_block) w->block(&w->s, at.a, y, at.c);
        else matrix(w, at.a, y, at.c);
    }
}

static void matrices_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const int64_t inner = w->p->nbatch ? w->p->batch[w->p->nbatch - 1] : 1;
    int64_t i = task * w->each, end = i + w->each < w->batches ? i + w->each : w->batches, count;
    for (; i < end; i += count) {
        count = inner - i % inner < end - i ? inner - i % inner : end - i;
        matrices(w, count, cpi_batch_offset(w->p, w->item, i), w->scratch + worker * w->worker_bytes);
    }
}

/* The function for dense squares of 4 or 8 rows. */
static cpi_squares_fn *squares_for(const cpi_product *p, const cpi_product_kernels *k)
{
    const int64_t n = p->n, d = p->nbatch - 1;
    if ((n != 4 && n != 8) || p->m != n || p->k != n || d < 0) return NULL;
    if (p->a_row != n || p->a_col != 1 || p->b_row != n || p->b_col != 1 || p->c_row != n) return NULL;
    if (p->c_batch[d] != n * n || (p->a_batch[d] && p->a_batch[d] != n * n)) return NULL;
    return p->b_batch[d] && p->b_batch[d] != n * n ? NULL : k->squares[n == 8];
}

cp_code cpi_small_matrices(cp_stream *stream, const cpi_product *p, const cpi_product_kernels *k)
{
    const cpi_small_product_kernels *f = longest(k, p->n * cpi_itemsize(p->type));
    plan w = {.p = p, .item = cpi_itemsize(p->type), .batches = cpi_product_batches(p)};
    int64_t width = p->n * w.item, nv = (width + f->bytes - 1) / f->bytes, most = CPI_SMALL_ROWS;
    int64_t columns = (nv + f->vectors - 1) / f->vectors;
    nv = (nv + columns - 1) / columns;
    while (!f->block[nv - 1][most - 1]) most--;
    int64_t blocks = (p->m + most - 1) / most;
    w.rows = (p->m + blocks - 1) / blocks;
    w.width = width < nv * f->bytes ? width : nv * f->bytes;
    w.block = f->block[nv - 1][w.rows - 1];
    w.transposed = p->b_col != 1;
    w.s = (cpi_small){.k = p->k, .a_row = p->a_row * w.item, .a_col = p->a_col * w.item,
                      .b_row = (w.transposed ? p->n : p->b_row) * w.item, .c_row = p->c_row * w.item,
                      .last = w.width - f->bytes};
    w.squares = squares_for(p, k);
    w.each = TASK / (p->m * p->n * p->k + MATRIX);
    if (w.each < 1) w.each = 1;
    int64_t tasks = (w.batches + w.each - 1) / w.each;
    if (w.transposed) {
        w.worker_bytes = (p->n * p->k * w.item + 63) / 64 * 64;
        w.scratch = cpi_work_alloc(stream, (size_t)((tasks > 1 ? cpi_workers() : 1) * w.worker_bytes));
        if (!w.scratch) return cp_error();
    }
    cpi_parallel(tasks, matrices_task, &w);
    cpi_work_free(stream, w.scratch);
    return CP_OK;
}

/* --- matrices times vectors: sums of products of rows --- */

static void sums(const plan *w, int64_t m, const char *a, const char *b, char *c)
{
    const int64_t a_row = w->s.a_row, b_row = w->s.b_row;
    int64_t i = 0;
    if (m < w->rows)
        for (; i < m; i++) w->edge(&w->s, a + i * a_row, b + i * b_row, c + i * w->item);
    else
        for (;; i = i + 2 * w->rows < m ? i + w->rows : m - w->rows) {
            w->block(&w->s, a + i * a_row, b + i * b_row, c + i * w->item);
            if (i + w->rows >= m) break;
        }
}

static void sums_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const cpi_product *p = w->p;
    int64_t i = task * w->each, end = i + w->each < w->batches ? i + w->each : w->batches;
    (void)worker;
    if (!p->nbatch) { /* one matrix: tasks are of its rows */
        cpi_position at = cpi_batch_offset(p, w->item, 0);
        sums(w, end - i, at.a + i * w->s.a_row, at.b + i * w->s.b_row, at.c + i * w->item);
        return;
    }
    const int64_t inner = p->batch[p->nbatch - 1];
    const int d = p->nbatch - 1;
    for (int64_t count; i < end; i += count) {
        count = inner - i % inner < end - i ? inner - i % inner : end - i;
        cpi_position at = cpi_batch_offset(p, w->item, i);
        for (int64_t q = 0; q < count; q++) {
            sums(w, p->m, at.a, at.b, at.c);
            at.a += p->a_batch[d] * w->item, at.b += p->b_batch[d] * w->item, at.c += p->c_batch[d] * w->item;
        }
    }
}

bool cpi_small_sums(const cpi_product *given, const cpi_product_kernels *k)
{
    cpi_product p = *given;
    const int64_t item = cpi_itemsize(p.type);
    const cpi_small_product_kernels *f = longest(k, p.k * item);
    if (!f || p.a_col != 1 || p.b_row != 1) return false;
    plan w = {.p = &p, .item = item, .rows = f->rows, .block = f->sums[1], .edge = f->sums[0]};
    w.s = (cpi_small){.k = p.k, .a_row = p.a_row * item, .conjugate = p.conjugate};
    const int d = p.nbatch - 1;
    if (p.m == 1 && d >= 0 && p.c_batch[d] == 1) { /* many sums of two vectors are one, each of whose rows has both */
        p.m = p.batch[d];
        w.s.a_row = p.a_batch[d] * item, w.s.b_row = p.b_batch[d] * item;
        p.nbatch--;
    }
    w.batches = p.nbatch ? cpi_product_batches(&p) : p.m;
    w.each = TASK / 2 / ((p.nbatch ? p.m : 1) * (p.k + 8) + (p.nbatch ? MATRIX / 4 : 0));
    if (w.each < 1) w.each = 1;
    cpi_parallel((w.batches + w.each - 1) / w.each, sums_task, &w);
    return true;
}
