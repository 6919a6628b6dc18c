/* Products of blocks with blocks and of diagonals with diagonals, and a matrix' diagonal, on the CPU. */
#include "sparse/bits.h"
#include "sparse/rows_cpu.h"

#define CPI_EACH "sparse/blocks.inc"
#include "sparse/classes.h"

typedef int64_t (*blocks_fn)(const cpi_sparse_block_product *p, int64_t begin, int64_t end, void *work,
                             cpi_sparse_bits *bits);
static const blocks_fn blocks_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(block_product);
static const cpi_sparse_rows_fn diagonal_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(diagonal);
static const cpi_sparse_rows_fn diagonals_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(diagonal_product);

typedef struct block_products {
    const cpi_sparse_block_product *p;
    int64_t each, words; /* rows of a task; words of a worker: bits, then places */
    uint64_t *work;
    int64_t empty; /* changed atomically */
} block_products;

static void run_blocks(void *context, int64_t i, int worker)
{
    block_products *w = context;
    const cpi_sparse_block_product *p = w->p;
    const int64_t begin = i * w->each, end = begin + w->each < p->a.rows ? begin + w->each : p->a.rows;
    uint64_t *words = w->work + worker * w->words;
    cpi_sparse_bits bits = cpi_sparse_bits_in(words, p->b.columns);
    const int64_t empty = blocks_table[cpi_sparse_class(p->a.type)][p->a.wide](
        p, begin, end, words + cpi_sparse_bits_words(p->b.columns), &bits);
    if (empty) __atomic_fetch_add(&w->empty, empty, __ATOMIC_RELAXED);
}
cp_code cpi_sparse_cpu_block_product(cp_stream *stream, const cpi_sparse_block_product *p)
{
    block_products w = {.p = p};
    const int64_t bits = cpi_sparse_bits_words(p->b.columns), cost = p->height * p->inner * p->width;
    const int64_t tasks = cpi_cut(p->a.rows, 16384 / ((cpi_sparse_mean(&p->a) + 1) * (cpi_sparse_mean(&p->b) + 1) *
                                                      cost) + 1, &w.each);
    const int workers = cpi_workers();
    w.words = (bits + p->b.columns + 7) / 8 * 8;
    w.work = cpi_work_alloc(stream, (size_t)workers * (size_t)w.words * 8);
    if (!w.work) { /* what follows on a queue, before anybody learns of the failure, must find indices in the matrix */
        memset(p->indices, 0, (size_t)p->ends[p->a.rows] * (p->a.wide ? 8 : 4));
        return cp_error();
    }
    for (int k = 0; k < workers; k++) memset(w.work + k * w.words, 0, (size_t)bits * 8);
    cpi_parallel(tasks, run_blocks, &w);
    *p->found = w.empty;
    cpi_work_free(stream, w.work);
    return CP_OK;
}

cp_code cpi_sparse_cpu_diagonal(cp_stream *stream, const cpi_sparse_diagonal *d)
{
    (void)stream;
    return cpi_sparse_run(d, d->n, cpi_sparse_mean(&d->a) + 4,
                          diagonal_table[cpi_sparse_class(d->a.type)][d->a.wide]);
}

cp_code cpi_sparse_cpu_diagonal_product(cp_stream *stream, const cpi_sparse_diagonal_product *d)
{
    (void)stream;
    return cpi_sparse_run(d, d->length, d->pair_count + d->count, diagonals_table[cpi_sparse_class(d->type)][0]);
}
