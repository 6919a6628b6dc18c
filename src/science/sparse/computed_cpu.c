/* Sparse matrices on the CPU: products and sums. */
#include "sparse/bits.h"
#include "sparse/rows_cpu.h"

enum { AHEAD = 6 }; /* elements whose rows of x are asked for */

typedef void (*scatter_fn)(const cpi_sparse_multiply *m, int64_t begin, int64_t end, void *to);
typedef void (*gather_fn)(void *to, const void *from, int64_t begin, int64_t end);
/* Where a row's sums are: behind marks of columns, and a list of some. */
static int64_t sums_at(int64_t columns, int64_t index)
{
    return ((2 * columns + CPI_SPARSE_SHORT) * index + 15) / 16 * 16;
}
typedef int64_t (*product_fn)(const cpi_sparse_job *j, int64_t begin, int64_t end, cpi_sparse_bits *bits, void *work);
#define CPI_EACH "sparse/computed.inc"
#include "sparse/classes.h"

static const cpi_sparse_rows_fn vector_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_vector);
static const cpi_sparse_rows_fn columns_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_columns);
static const cpi_sparse_rows_fn blocks_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_blocks);
static const cpi_sparse_rows_fn diagonals_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_diagonals);
static const cpi_sparse_rows_fn spans_count_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_spans_count);
static const cpi_sparse_rows_fn spans_fill_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_spans_fill);
static const scatter_fn scatter_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_scatter);
static const gather_fn gather_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_gather);
static const product_fn product_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(cpi_sp_product);
static const cpi_sparse_rows_fn sum_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(sum_rows);
static const cpi_sparse_rows_fn dense_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(dense_rows);
static const cpi_sparse_rows_fn product_all_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(product_rows);

cp_code cpi_sparse_cpu_multiply(cp_stream *stream, const cpi_sparse_multiply *m)
{
    (void)stream;
    const cpi_sparse_rows_fn rows = (m->k == 1 ? vector_table : columns_table)[cpi_sparse_class(m->a.type)][m->a.wide];
    return cpi_sparse_run(m, m->a.rows, cpi_sparse_mean(&m->a) * m->k, rows);
}

cp_code cpi_sparse_cpu_blocks(cp_stream *stream, const cpi_sparse_blocks *b)
{
    (void)stream;
    return cpi_sparse_run(b, b->a.rows, cpi_sparse_mean(&b->a) * b->height * b->width * b->k,
                          blocks_table[cpi_sparse_class(b->a.type)][b->a.wide]);
}

cp_code cpi_sparse_cpu_diagonals(cp_stream *stream, const cpi_sparse_diagonals *d)
{
    (void)stream;
    return cpi_sparse_run(d, d->rows, d->count * d->k, diagonals_table[cpi_sparse_class(d->type)][d->wide]);
}
cp_code cpi_sparse_cpu_spans_count(cp_stream *stream, const cpi_sparse_spans *s)
{
    (void)stream;
    return cpi_sparse_run(s, s->lines, s->count, spans_count_table[cpi_sparse_class(s->type)][s->wide]);
}
cp_code cpi_sparse_cpu_spans_fill(cp_stream *stream, const cpi_sparse_spans *s)
{
    (void)stream;
    return cpi_sparse_run(s, s->lines, s->count, spans_fill_table[cpi_sparse_class(s->type)][s->wide]);
}

typedef struct scattered {
    const cpi_sparse_multiply *m;
    char *parts;
    int64_t each, bytes;
    int count;
} scattered;

static void scatter_part(void *context, int64_t part, int worker)
{
    (void)worker;
    const scattered *s = context;
    const cpi_csr *a = &s->m->a;
    const int64_t end = (part + 1) * s->each;
    scatter_table[cpi_sparse_class(a->type)][a->wide](s->m, part * s->each < a->rows ? part * s->each : a->rows,
                                              end < a->rows ? end : a->rows,
                                              part ? s->parts + (part - 1) * s->bytes : (char *)s->m->y);
}
static void gather_parts(const void *job, int64_t begin, int64_t end)
{
    const scattered *s = job;
    for (int p = 1; p < s->count; p++)
        gather_table[cpi_sparse_class(s->m->a.type)][s->m->a.wide](s->m->y, s->parts + (p - 1) * s->bytes, begin, end);
}
cp_code cpi_sparse_cpu_multiply_transposed(cp_stream *stream, const cpi_sparse_multiply *m)
{
    scattered s = {.m = m, .each = cpi_sparse_part(&m->a), .bytes = m->a.columns * cpi_itemsize(m->a.type)};
    s.count = (int)((m->a.rows + s.each - 1) / s.each);
    if (s.count > 1 && !(s.parts = cpi_work_alloc(stream, (size_t)(s.count - 1) * (size_t)s.bytes))) return cp_error();
    cpi_parallel(s.count, scatter_part, &s);
    if (s.count > 1) cpi_sparse_run(&s, m->a.columns, 3, gather_parts);
    cpi_work_free(stream, s.parts);
    return CP_OK;
}

cp_code cpi_sparse_cpu_sum_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a), sum_table[cpi_sparse_class(j->a.type)][j->a.wide]);
}
cp_code cpi_sparse_cpu_dense(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a), dense_table[cpi_sparse_class(j->a.type)][j->a.wide]);
}

/* --- products --- */

typedef struct product {
    const cpi_sparse_job *j;
    int64_t each, words, sums; /* rows of a task; of a worker: words of bits, and bytes of sums or marks */
    uint64_t *bits;
    char *work;
    int64_t zeros; /* changed atomically */
} product;

/* How many elements rows begin..end-1 have: marks[c] is 1 more than the last row that has column c. */
#define COUNT_ROWS(I)                                                                                                \
    do {                                                                                                             \
        const I *ap = (const I *)j->a.indptr, *ai = (const I *)j->a.indices;                                         \
        const I *bp = (const I *)j->b.indptr, *bi = (const I *)j->b.indices;                                         \
        I *marks = (I *)(void *)(p->work + worker * p->sums);                                                        \
        for (int64_t r = begin; r < end; r++) {                                                                      \
            int64_t n = 0;                                                                                           \
            for (int64_t i = ap[r]; i < ap[r + 1]; i++)                                                              \
                for (int64_t k = bp[ai[i]]; k < bp[ai[i] + 1]; k++) {                                                \
                    n += marks[bi[k]] != (I)(r + 1);                                                                 \
                    marks[bi[k]] = (I)(r + 1);                                                                       \
                }                                                                                                    \
            j->ends[r + 1] = n;                                                                                      \
        }                                                                                                            \
    } while (0)

static void count_products(void *context, int64_t i, int worker)
{
    const product *p = context;
    const cpi_sparse_job *j = p->j;
    const int64_t begin = i * p->each, end = begin + p->each < j->a.rows ? begin + p->each : j->a.rows;
    if (j->a.wide) COUNT_ROWS(int64_t);
    else COUNT_ROWS(int32_t);
}
static void fill_products(void *context, int64_t i, int worker)
{
    product *p = context;
    const cpi_sparse_job *j = p->j;
    const int64_t begin = i * p->each, end = begin + p->each < j->a.rows ? begin + p->each : j->a.rows;
    cpi_sparse_bits bits = cpi_sparse_bits_in(p->bits + worker * p->words, j->b.columns);
    const int64_t zeros = product_table[cpi_sparse_class(j->a.type)][j->a.wide](j, begin, end, &bits,
                                                                       p->work + worker * p->sums);
    if (zeros) __atomic_fetch_add(&p->zeros, zeros, __ATOMIC_RELAXED);
}
static cp_code run_product(cp_stream *stream, const cpi_sparse_job *j, bool fill)
{
    const int64_t index = j->a.wide ? 8 : 4, columns = j->b.columns;
    product p = {.j = j, .words = fill ? cpi_sparse_bits_words(columns) + 8 : 0,
                 .sums = fill ? sums_at(columns, index) + columns * cpi_itemsize(j->a.type) : columns * index};
    p.sums = (p.sums + 63) / 64 * 64;
    const int workers = cpi_workers();
    p.bits = cpi_work_alloc(stream, (size_t)workers * ((size_t)p.words * 8 + (size_t)p.sums));
    if (!p.bits) return cp_error();
    p.work = (char *)(p.bits + workers * p.words);
    memset(p.bits, 0, (size_t)workers * (size_t)p.words * 8);
    for (int w = 0; w < workers; w++) memset(p.work + w * p.sums, 0, (size_t)(j->b.columns * index)); /* marks */
    const int64_t cost = (cpi_sparse_mean(&j->a) + 1) * (cpi_sparse_mean(&j->b) + 1);
    const int64_t tasks = cpi_cut(j->a.rows, 16384 / cost + 1, &p.each);
    cpi_parallel(tasks, fill ? fill_products : count_products, &p);
    if (fill) *j->found = p.zeros;
    cpi_work_free(stream, p.bits);
    return CP_OK;
}
cp_code cpi_sparse_cpu_product_all(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a),
                          product_all_table[cpi_sparse_class(j->a.type)][j->a.wide]);
}
cp_code cpi_sparse_cpu_product_count(cp_stream *stream, const cpi_sparse_job *j)
{
    return run_product(stream, j, false);
}
cp_code cpi_sparse_cpu_product_fill(cp_stream *stream, const cpi_sparse_job *j) { return run_product(stream, j, true); }
