/* Products of sparse matrices on the CPU in one pass: each part of rows writes what it has from where its products
 * would begin, of which there are at least as many; then the parts are moved together. So no row is counted before. */
#include "sparse/bits.h"
#include "sparse/rows_cpu.h"

/* What a sum can begin with: -0 where there is one, as 0 + -0 is not -0. */
static inline cpi_sparse_b cpi_sp_nothing_b(void) { return (cpi_sparse_b){0}; }
static inline uint8_t cpi_sp_nothing_u8(void) { return 0; }
static inline uint16_t cpi_sp_nothing_u16(void) { return 0; }
static inline uint32_t cpi_sp_nothing_u32(void) { return 0; }
static inline uint64_t cpi_sp_nothing_u64(void) { return 0; }
static inline float cpi_sp_nothing_f32(void) { return -0.0f; }
static inline double cpi_sp_nothing_f64(void) { return -0.0; }
static inline cp_complex64 cpi_sp_nothing_c64(void) { return (cp_complex64){-0.0f, -0.0f}; }
static inline cp_complex128 cpi_sp_nothing_c128(void) { return (cp_complex128){-0.0, -0.0}; }

#define CPI_EACH "sparse/row_products.inc"
#include "sparse/classes.h"

typedef void (*rows_fn)(const cpi_sparse_job *j, int64_t begin, int64_t end, cpi_sparse_bits *bits, int32_t *marks,
                        void *work);
typedef void (*sums_fn)(void *sum, int64_t columns);
static const rows_fn rows_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(row_products);
static const sums_fn sums_table[CPI_SPARSE_CLASSES][2] = CPI_SPARSE_TABLE(no_sums);

typedef struct row_products {
    const cpi_sparse_job *j;
    int64_t each, words, sums; /* rows of a part; of a worker: words of marks and bits, bytes of sums */
    uint64_t *bits;            /* bits, then marks */
    char *work;
} row_products;

/* The parts, of both passes: they follow from the matrices alone. */
static int64_t parts_of(const cpi_sparse_job *j, int64_t *each)
{
    return cpi_cut(j->a.rows, 16384 / (j->n / j->a.rows + 1) + 1, each);
}
static bool has_long_row(const cpi_sparse_job *j)
{
    for (int64_t r = 0; r < j->a.rows; r++)
        if (j->ends[r + 1] - j->ends[r] > CPI_SPARSE_MIDDLE) return true;
    return false;
}
static void run_part(void *context, int64_t i, int worker)
{
    const row_products *p = context;
    const cpi_sparse_job *j = p->j;
    const int64_t begin = i * p->each, end = begin + p->each < j->a.rows ? begin + p->each : j->a.rows;
    uint64_t *words = p->bits + worker * p->words;
    cpi_sparse_bits bits = cpi_sparse_bits_in(words, j->b.columns);
    int32_t *marks = (int32_t *)(void *)(words + cpi_sparse_bits_words(j->b.columns));
    rows_table[cpi_sparse_class(j->a.type)][j->a.wide](j, begin, end, &bits, marks, p->work + worker * p->sums);
}
cp_code cpi_sparse_cpu_product_rows(cp_stream *stream, const cpi_sparse_job *j)
{
    row_products p = {.j = j};
    if (!j->a.rows) return CP_OK;
    const int64_t parts = parts_of(j, &p.each);
    const int workers = cpi_workers();
    p.words = cpi_sparse_bits_words(j->b.columns) + (j->b.columns + 1) / 2 + 8;
    p.sums = (j->b.columns * cpi_itemsize(j->a.type) + 63) / 64 * 64;
    p.bits = cpi_work_alloc(stream, (size_t)workers * ((size_t)p.words * 8 + (size_t)p.sums));
    if (!p.bits) return cp_error();
    p.work = (char *)(p.bits + workers * p.words);
    memset(p.bits, 0, (size_t)workers * (size_t)p.words * 8);
    for (int w = 0; w < workers && has_long_row(j); w++) /* the others' sums begin with a product */
        sums_table[cpi_sparse_class(j->a.type)][j->a.wide](p.work + w * p.sums, j->b.columns);
    cpi_parallel(parts, run_part, &p);
    cpi_work_free(stream, p.bits);
    return CP_OK;
}

static void move_part(void *context, int64_t i, int worker)
{
    (void)worker;
    const row_products *p = context;
    const cpi_sparse_job *j = p->j;
    const int64_t begin = i * p->each, end = begin + p->each < j->a.rows ? begin + p->each : j->a.rows;
    const int64_t from = j->ends[begin], to = j->found[begin], n = j->found[end] - to;
    const int64_t index = j->a.wide ? 8 : 4, bytes = cpi_itemsize(j->a.type);
    memcpy((char *)j->indices + to * index, (const char *)j->a.indices + from * index, (size_t)(n * index));
    memcpy((char *)j->data + to * bytes, (const char *)j->a.data + from * bytes, (size_t)(n * bytes));
}
cp_code cpi_sparse_cpu_product_pack(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    row_products p = {.j = j};
    if (!j->a.rows) return CP_OK;
    const int64_t parts = parts_of(j, &p.each);
    cpi_parallel(parts, move_part, &p);
    return CP_OK;
}
