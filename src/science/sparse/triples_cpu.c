/* Sparse matrices on the CPU: triples and transposes times arrays, sums of rows of blocks, and rows' ends. */
#include "sparse/rows_cpu.h"

typedef void (*triples_fn)(const cpi_sparse_triples *t, int64_t begin, int64_t end, void *to);
typedef void (*columns_fn)(const void *job, int64_t begin, int64_t columns, void *y);
typedef void (*add_fn)(void *to, const void *from, int64_t begin, int64_t end);
#define CPI_EACH "sparse/triples.inc"
#include "sparse/classes.h"

static const triples_fn vector_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(triples_vector);
static const add_fn add_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(triples_add);
static const columns_fn columns_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(triples_columns);
static const columns_fn scatter_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(scatter_columns);
static const cpi_sparse_rows_fn blocks_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(block_rows);

/* --- triples --- */

typedef struct parted {
    const cpi_sparse_triples *t;
    char *parts; /* the sums of all parts but the first */
    int64_t each, bytes;
    int count;
} parted;

static void add_part(void *context, int64_t part, int worker)
{
    (void)worker;
    const parted *s = context;
    const cpi_sparse_triples *t = s->t;
    const int64_t begin = part * s->each, end = begin + s->each < t->n ? begin + s->each : t->n;
    vector_table[cpi_sparse_class(t->type)][t->wide](t, begin, end,
                                                     part ? s->parts + (part - 1) * s->bytes : (char *)t->y);
}
static void add_parts(const void *job, int64_t begin, int64_t end)
{
    const parted *s = job;
    for (int p = 1; p < s->count; p++)
        add_table[cpi_sparse_class(s->t->type)][s->t->wide](s->t->y, s->parts + (p - 1) * s->bytes, begin, end);
}
typedef struct shared_out {
    const void *job;
    columns_fn columns;
    int64_t rows, k, each, bytes; /* columns of a task; bytes of an element */
    char *y, *parts;              /* parts: of each task, its own columns of y */
} shared_out;

static void run_columns_of(void *context, int64_t i, int worker)
{
    (void)worker;
    const shared_out *s = context;
    const int64_t begin = i * s->each, n = begin + s->each < s->k ? s->each : s->k - begin;
    char *own = s->parts ? s->parts + begin * s->rows * s->bytes : s->y;
    memset(own, 0, (size_t)(s->rows * n * s->bytes));
    s->columns(s->job, begin, n, own);
    const int64_t line = n * s->bytes, step = s->k * s->bytes;
    char *to = s->y + begin * s->bytes;
    if (s->parts && line == 16)
        for (int64_t r = 0; r < s->rows; r++) memcpy(to + r * step, own + r * line, 16);
    else if (s->parts)
        for (int64_t r = 0; r < s->rows; r++) memcpy(to + r * step, own + r * line, (size_t)line);
}
/* The k columns of y, `rows` long, as many of them a thread as there are: a column's sums do not depend on where it is
 * cut. Each thread adds to an array of its own, of which more stays in its cache. */
static cp_code run_columns(cp_stream *stream, shared_out *s, int64_t n)
{
    const int64_t workers = n * s->k < 1 << 15 ? 1 : cpi_workers();
    s->each = (s->k + workers - 1) / workers;
    const int64_t tasks = (s->k + s->each - 1) / s->each;
    if (tasks > 1 && !(s->parts = cpi_work_alloc(stream, (size_t)(s->rows * s->k * s->bytes)))) return cp_error();
    cpi_parallel(tasks, run_columns_of, s);
    cpi_work_free(stream, s->parts);
    return CP_OK;
}
cp_code cpi_sparse_cpu_triples(cp_stream *stream, const cpi_sparse_triples *t)
{
    const int64_t bytes = t->rows * cpi_itemsize(t->type);
    if (t->k != 1) {
        shared_out s = {.job = t, .columns = columns_table[cpi_sparse_class(t->type)][t->wide], .rows = t->rows,
                        .k = t->k, .bytes = cpi_itemsize(t->type), .y = t->y};
        return run_columns(stream, &s, t->n);
    }
    const cpi_csr ones = {.rows = t->n, .nnz = t->n};
    parted s = {.t = t, .each = cpi_sparse_part(&ones), .bytes = bytes};
    s.count = (int)((t->n + s.each - 1) / s.each);
    if (s.count > 1 && !(s.parts = cpi_work_alloc(stream, (size_t)(s.count - 1) * (size_t)s.bytes))) return cp_error();
    cpi_parallel(s.count, add_part, &s);
    if (s.count > 1) cpi_sparse_run(&s, t->rows, 3, add_parts);
    cpi_work_free(stream, s.parts);
    return CP_OK;
}
cp_code cpi_sparse_cpu_scatter(cp_stream *stream, const cpi_sparse_multiply *m)
{
    shared_out s = {.job = m, .columns = scatter_table[cpi_sparse_class(m->a.type)][m->a.wide], .rows = m->a.columns,
                    .k = m->k, .bytes = cpi_itemsize(m->a.type), .y = m->y};
    return run_columns(stream, &s, m->a.nnz);
}

/* --- blocks --- */

cp_code cpi_sparse_cpu_block_merge(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, (cpi_sparse_mean(&j->a) + cpi_sparse_mean(&j->b)) * j->n,
                          blocks_table[cpi_sparse_class(j->a.type)][j->a.wide]);
}

/* --- ends of rows --- */

typedef struct ending {
    const cpi_sparse_coo *c;
    int64_t falls; /* changed atomically */
} ending;

/* Where the row of each of elements begin..end-1 ends, as far as they show it, in pieces that fit the cache. A row that
 * goes on behind them is left to whoever has its last element. */
#define ENDS(I, TREND)                                                                                            \
    do {                                                                                                          \
        const I *row = (const I *)e->c->row;                                                                      \
        I *ends = (I *)e->c->indptr + 1;                                                                          \
        enum { PIECE = 4096 };                                                                                    \
        int64_t mine = end;                                                                                       \
        if (end < e->c->n)                                                                                        \
            while (mine > begin && row[mine - 1] == row[end]) mine--;                                             \
        for (int64_t low = begin; low < end; low += PIECE) {                                                      \
            const int64_t high = low + PIECE < end ? low + PIECE : end, first = low ? low : 1;                    \
            cpi_sparse_trend s = {0};                                                                             \
            if (first < high) CPI_BEST(cpi_sparse_kernels)->TREND(row + first, high - first, &s);                 \
            if (s.less) __atomic_store_n(&e->falls, 1, __ATOMIC_RELAXED);                                         \
            if (__atomic_load_n(&e->falls, __ATOMIC_RELAXED)) return;                                             \
            for (int64_t i = low; i < high && i < mine; i++) ends[row[i]] = (I)(i + 1);                           \
        }                                                                                                         \
    } while (0)

static void end_rows(const void *job, int64_t begin, int64_t end)
{
    ending *e = (ending *)job;
    if (e->c->wide) ENDS(int64_t, trend_64);
    else ENDS(int32_t, trend_32);
}
cp_code cpi_sparse_cpu_ends(cp_stream *stream, const cpi_sparse_coo *c, int64_t *falls)
{
    (void)stream;
    ending e = {.c = c};
    memset(c->indptr, 0, (size_t)(c->rows + 1) * (c->wide ? 8 : 4));
    cpi_sparse_run(&e, c->n, 1, end_rows);
    *falls = e.falls;
    if (e.falls) return CP_OK;
    if (c->wide) {
        int64_t *p = c->indptr;
        for (int64_t r = 1; r <= c->rows; r++) p[r] = p[r] > p[r - 1] ? p[r] : p[r - 1];
    } else {
        int32_t *p = c->indptr;
        for (int64_t r = 1; r <= c->rows; r++) p[r] = p[r] > p[r - 1] ? p[r] : p[r - 1];
    }
    return CP_OK;
}
