/* Sparse matrices on the CPU: what needs their indices alone, and what moves their elements. */
#include "sparse/rows_cpu.h"

#define SUFFIX i32
#define I int32_t
#include "sparse/indices.inc"
#include "sparse/check.inc"
#undef I
#undef SUFFIX
#define SUFFIX i64
#define I int64_t
#include "sparse/indices.inc"
#include "sparse/check.inc"
#undef I
#undef SUFFIX

/* --- what needs indices alone --- */

typedef struct checked {
    const cpi_csr *a;
    int found; /* changed atomically */
} checked;

static void check_part(const void *job, int64_t begin, int64_t end)
{
    const checked *c = job;
    const int found = c->a->wide ? check_rows_i64(c->a, begin, end) : check_rows_i32(c->a, begin, end);
    if (found) __atomic_fetch_or((int *)&c->found, found, __ATOMIC_RELAXED);
}
cp_code cpi_sparse_cpu_check(cp_stream *stream, const cpi_csr *a, int64_t *found)
{
    (void)stream;
    checked c = {a, 0};
    if (a->rows) cpi_sparse_run(&c, a->rows, cpi_sparse_mean(a), check_part);
    const int64_t last = a->wide ? ((const int64_t *)a->indptr)[a->rows] : ((const int32_t *)a->indptr)[a->rows];
    if (!a->rows && last) c.found |= CP_SPARSE_BAD_START;
    *found = c.found | (last > 0 ? last * CP_SPARSE_LAST : 0);
    return CP_OK;
}

typedef struct expanded {
    const cpi_csr *a;
    void *rows;
} expanded;

static void expand_rows(const void *job, int64_t begin, int64_t end)
{
    const expanded *e = job;
    for (int64_t r = begin; r < end; r++) {
        if (e->a->wide)
            for (int64_t i = ((const int64_t *)e->a->indptr)[r]; i < ((const int64_t *)e->a->indptr)[r + 1]; i++)
                ((int64_t *)e->rows)[i] = r;
        else
            for (int64_t i = ((const int32_t *)e->a->indptr)[r]; i < ((const int32_t *)e->a->indptr)[r + 1]; i++)
                ((int32_t *)e->rows)[i] = (int32_t)r;
    }
}
cp_code cpi_sparse_cpu_expand(cp_stream *stream, const cpi_csr *a, void *rows)
{
    (void)stream;
    const expanded e = {a, rows};
    return cpi_sparse_run(&e, a->rows, cpi_sparse_mean(a), expand_rows);
}

static void find_places(const void *job, int64_t begin, int64_t end)
{
    const cpi_sparse_job *j = job;
    for (int64_t i = begin; i < end; i++) j->found[i] = j->a.wide ? cpi_sp_find_i64(j, i) : cpi_sp_find_i32(j, i);
}
cp_code cpi_sparse_cpu_find(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->n, 16, find_places);
}

static void sum_count(const void *job, int64_t begin, int64_t end)
{
    const cpi_sparse_job *j = job;
    if (j->a.wide) cpi_sp_sum_count_i64(j, begin, end);
    else cpi_sp_sum_count_i32(j, begin, end);
}
cp_code cpi_sparse_cpu_sum_count(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a), sum_count);
}

static void product_size(const void *job, int64_t begin, int64_t end)
{
    const cpi_sparse_job *j = job;
    if (j->a.wide) cpi_sp_product_size_i64(j, begin, end);
    else cpi_sp_product_size_i32(j, begin, end);
}
cp_code cpi_sparse_cpu_product_size(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a), product_size);
}

static void take_count(const void *job, int64_t begin, int64_t end)
{
    const cpi_sparse_job *j = job;
    if (j->a.wide) cpi_sp_take_count_i64(j, begin, end);
    else cpi_sp_take_count_i32(j, begin, end);
}
cp_code cpi_sparse_cpu_take_count(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->n, 4, take_count);
}

void cpi_sparse_align_rows(const void *job, int64_t begin, int64_t end)
{
    const cpi_sparse_job *j = job;
    if (j->a.wide) {
        cpi_sp_align_count_i64(j, begin, end);
        return;
    }
    const int32_t *ap = j->a.indptr, *bp = j->b.indptr;
    const cpi_sparse_kernels *with = CPI_BEST(cpi_sparse_kernels);
    for (int64_t r = begin; r < end; r++) {
        const int na = ap[r + 1] - ap[r], nb = bp[r + 1] - bp[r];
        const int32_t *ai = (const int32_t *)j->a.indices + ap[r], *bi = (const int32_t *)j->b.indices + bp[r];
        const int64_t there = j->a.nnz - ap[r];
        cpi_sparse_matches p;
        p.equal[0] = 0;
        if (na > CPI_SPARSE_SHORT || nb > CPI_SPARSE_SHORT) {
            cpi_sp_align_count_i32(j, r, r + 1);
            continue;
        }
        if (na && nb && with->meet(ai, na, there, bi, nb)) with->match(ai, na, there, bi, nb, &p);
        j->ends[r + 1] = na + nb - __builtin_popcount(p.equal[0]);
    }
}

/* --- what moves elements --- */

typedef int64_t (*sort_fn)(const cpi_csr *a, int64_t begin, int64_t end, void *indices, void *data, void *work);
typedef struct bucket_row {
    void (*count)(const cpi_sparse_coo *c, int shift, int64_t begin, int64_t end, int64_t *counts);
    void (*fill)(const cpi_sparse_coo *c, int shift, int64_t begin, int64_t end, int64_t *next, void *to);
    int64_t (*empty)(const cpi_sparse_coo *c, int64_t first, int64_t last, int64_t begin, int64_t end,
                     const void *from, void *counters, void *work);
    size_t size; /* of an element in a bucket */
} bucket_row;
typedef void (*put_fn)(const cpi_sparse_coo *c, int64_t begin, int64_t end, void *counters);

#include "sparse/moved.h"

static int size_row(int64_t bytes) { return __builtin_ctzll((uint64_t)bytes); }

cp_code cpi_sparse_cpu_align_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a) + cpi_sparse_mean(&j->b),
                          align_table[size_row(cpi_itemsize(j->a.type))][j->a.wide]);
}
cp_code cpi_sparse_cpu_take_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->n, cpi_sparse_mean(&j->a), take_table[size_row(cpi_itemsize(j->a.type))][j->a.wide]);
}


/* --- columns by number --- */

/* starts[c]..starts[c + 1]: the places where column c is wanted, ascending; behind those a bit for each column that is
 * wanted at all, which lie in the nearest cache. found[2] becomes 1 where one is wanted twice. */
#define PLACES(I)                                                                   \
    do {                                                                            \
        I *starts = (I *)j->other, *places = starts + j->a.columns + 1;             \
        memset(starts, 0, sizeof(I) * (size_t)(j->a.columns + 1));                  \
        uint32_t *bits = (uint32_t *)(void *)(places + j->n);                       \
        memset(bits, 0, sizeof *bits * (size_t)(j->a.columns / 32 + 1));            \
        for (int64_t k = 0; k < j->n; k++) {                                        \
            const int64_t c = j->columns[k];                                        \
            if (starts[c]++) j->found[2] = 1;                                       \
            bits[c >> 5] |= 1u << (c & 31);                                         \
        }                                                                           \
        I sum = 0;                                                                  \
        for (int64_t c = 0; c <= j->a.columns; c++) starts[c] = sum += starts[c];   \
        for (int64_t k = j->n; k-- > 0;) places[--starts[j->columns[k]]] = (I)k;    \
    } while (0)
/* Rows of up to PIECE elements together: how many of those before each element are wanted says it of rows, without a
 * branch for each of them. */
enum { PIECE = 4096 };
#define WANTED(I)                                                                                         \
    do {                                                                                                  \
        const I *p = (const I *)j->a.indptr, *x = (const I *)j->a.indices, *starts = (const I *)j->other; \
        const uint32_t *bits = (const uint32_t *)(const void *)(starts + j->a.columns + 1 + j->n);        \
        int64_t before[PIECE + 1];                                                                        \
        for (int64_t r = begin, last; r < end; r = last) {                                                \
            int64_t n = 0;                                                                                \
            for (last = r + 1; last < end && p[last + 1] - p[r] <= PIECE;) last++;                        \
            const int64_t from = p[r], count = p[last] - from;                                            \
            for (int64_t i = 0; i < count; i++) {                                                         \
                const int64_t c = x[from + i];                                                            \
                before[i & (PIECE - 1)] = n;                                                              \
                n += j->found[2] ? starts[c + 1] - starts[c] : (I)(bits[c >> 5] >> (c & 31) & 1);         \
            }                                                                                             \
            if (count <= PIECE) before[count] = n;                                                        \
            j->ends[last] = n;                                                                            \
            for (int64_t k = r; k < last && last > r + 1; k++)                                            \
                j->ends[k + 1] = before[p[k + 1] - from] - before[p[k] - from];                           \
        }                                                                                                 \
    } while (0)
static void count_wanted(const void *job, int64_t begin, int64_t end)
{
    const cpi_sparse_job *j = job;
    if (j->a.wide) WANTED(int64_t);
    else WANTED(int32_t);
}
cp_code cpi_sparse_cpu_columns_count(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    for (int64_t k = 0; k < j->n; k++) {
        if (j->columns[k] < 0 || j->columns[k] >= j->a.columns) j->found[0] = 1;
        if (k && j->columns[k] <= j->columns[k - 1]) j->found[1] = 1;
    }
    if (j->found[0]) return CP_OK;
    if (j->a.wide) PLACES(int64_t);
    else PLACES(int32_t);
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a), count_wanted);
}
cp_code cpi_sparse_cpu_columns_fill(cp_stream *stream, const cpi_sparse_job *j)
{
    (void)stream;
    return cpi_sparse_run(j, j->a.rows, cpi_sparse_mean(&j->a),
                          take_columns_table[size_row(cpi_itemsize(j->a.type))][j->a.wide]);
}

typedef struct ordered {
    const cpi_csr *a;
    void *indices, *data;
    char *work;
    int64_t each, bytes; /* rows of a task; of a worker's scratch */
    int64_t twice;       /* changed atomically */
} ordered;

static int64_t longest_row(const cpi_csr *a)
{
    int64_t most = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        const int64_t n = a->wide ? ((const int64_t *)a->indptr)[r + 1] - ((const int64_t *)a->indptr)[r]
                                  : ((const int32_t *)a->indptr)[r + 1] - ((const int32_t *)a->indptr)[r];
        if (n > most) most = n;
    }
    return most;
}
static void sort_rows(void *context, int64_t i, int worker)
{
    ordered *o = context;
    const int64_t begin = i * o->each, end = begin + o->each < o->a->rows ? begin + o->each : o->a->rows;
    const sort_fn sort = sort_table[size_row(cpi_itemsize(o->a->type))][o->a->wide];
    const int64_t twice = sort(o->a, begin, end, o->indices, o->data, o->work + worker * o->bytes);
    if (twice) __atomic_fetch_add(&o->twice, twice, __ATOMIC_RELAXED);
}
static cp_code sort_all(cp_stream *stream, const cpi_csr *a, void *indices, void *data, int64_t *twice)
{
    ordered o = {.a = a, .indices = indices, .data = data};
    o.bytes = (longest_row(a) * (a->wide ? 32 : 16) + 63) / 64 * 64;
    o.work = cpi_work_alloc(stream, (size_t)(o.bytes * cpi_workers()));
    if (!o.work) return cp_error();
    cpi_parallel(cpi_cut(a->rows, 16384 / (cpi_sparse_mean(a) + 1) + 1, &o.each), sort_rows, &o);
    if (twice) *twice = o.twice;
    cpi_work_free(stream, o.work);
    return CP_OK;
}
cp_code cpi_sparse_cpu_sort(cp_stream *stream, const cpi_csr *a, void *indices, void *data)
{
    return sort_all(stream, a, indices, data, NULL);
}

typedef struct sorted {
    const cpi_sparse_coo *c;
    int64_t parts, each;
    char *counters; /* of each part and row: how many, then where the next one goes */
} sorted;

static void count_part(void *context, int64_t part, int worker)
{
    (void)worker;
    const sorted *s = context;
    const int64_t begin = part * s->each, end = begin + s->each < s->c->n ? begin + s->each : s->c->n;
    const int64_t size = s->c->wide ? 8 : 4;
    char *counters = s->counters + part * s->c->rows * size;
    memset(counters, 0, (size_t)(s->c->rows * size));
    if (s->c->wide)
        for (int64_t k = begin; k < end; k++) ((int64_t *)(void *)counters)[((const int64_t *)s->c->row)[k]]++;
    else
        for (int64_t k = begin; k < end; k++) ((int32_t *)(void *)counters)[((const int32_t *)s->c->row)[k]]++;
}
static void put_part(void *context, int64_t part, int worker)
{
    (void)worker;
    const sorted *s = context;
    const int64_t begin = part * s->each, end = begin + s->each < s->c->n ? begin + s->each : s->c->n;
    put_table[size_row(s->c->bytes)][s->c->wide](s->c, begin, end,
                                                  s->counters + part * s->c->rows * (s->c->wide ? 8 : 4));
}
/* Counts of rows to where each part's elements of a row go. */
static void sum_counters(const sorted *s)
{
    int64_t total = 0;
    for (int64_t r = 0; r < s->c->rows; r++) {
        if (s->c->wide) ((int64_t *)s->c->indptr)[r] = total;
        else ((int32_t *)s->c->indptr)[r] = (int32_t)total;
        for (int64_t p = 0; p < s->parts; p++) {
            const int64_t i = p * s->c->rows + r;
            int64_t n;
            if (s->c->wide) {
                n = ((int64_t *)(void *)s->counters)[i];
                ((int64_t *)(void *)s->counters)[i] = total;
            } else {
                n = ((int32_t *)(void *)s->counters)[i];
                ((int32_t *)(void *)s->counters)[i] = (int32_t)total;
            }
            total += n;
        }
    }
    if (s->c->wide) ((int64_t *)s->c->indptr)[s->c->rows] = total;
    else ((int32_t *)s->c->indptr)[s->c->rows] = (int32_t)total;
}
/* --- by buckets of rows --- */

/* Few buckets are filled faster, small ones emptied: BUCKET elements are wanted in one. */
enum { BUCKETS = 256, BUCKET = 1 << 14, BUCKETED = 1 << 16, ROWS_BUCKETED = 1 << 13 };
typedef struct bucketed {
    const cpi_sparse_coo *c;
    const bucket_row *with;
    int shift;
    int64_t parts, each, rows; /* rows of a bucket */
    int64_t *counts;           /* [part][bucket]: how many, then where the next one goes */
    int64_t begin[BUCKETS + 1];
    char *elements, *counters; /* counters: of each worker, one for each row of a bucket */
    char *work;                /* NULL, or of each worker, so many bytes, where rows are placed */
    int64_t work_bytes;
    int64_t twice;             /* changed atomically */
} bucketed;

static int64_t part_end(const bucketed *b, int64_t part)
{
    return (part + 1) * b->each < b->c->n ? (part + 1) * b->each : b->c->n;
}
static void count_buckets(void *context, int64_t part, int worker)
{
    (void)worker;
    const bucketed *b = context;
    memset(b->counts + part * BUCKETS, 0, BUCKETS * sizeof *b->counts);
    b->with->count(b->c, b->shift, part * b->each, part_end(b, part), b->counts + part * BUCKETS);
}
static void fill_buckets(void *context, int64_t part, int worker)
{
    (void)worker;
    const bucketed *b = context;
    b->with->fill(b->c, b->shift, part * b->each, part_end(b, part), b->counts + part * BUCKETS, b->elements);
}
static void empty_bucket(void *context, int64_t i, int worker)
{
    bucketed *b = context;
    const int64_t first = i * b->rows, last = first + b->rows < b->c->rows ? first + b->rows : b->c->rows;
    const int64_t twice = b->with->empty(b->c, first, last, b->begin[i], b->begin[i + 1], b->elements,
                                         b->counters + worker * b->rows * (b->c->wide ? 8 : 4),
                                         b->work ? b->work + worker * b->work_bytes : NULL);
    if (twice) __atomic_fetch_add(&b->twice, twice, __ATOMIC_RELAXED);
}
/* Room for the rows of the fullest bucket, unless it is too full for the cache and they are not sorted. */
static cp_code alloc_rows(cp_stream *stream, bucketed *b)
{
    int64_t most = 1;
    for (int i = 0; i < BUCKETS; i++)
        if (b->begin[i + 1] - b->begin[i] > most) most = b->begin[i + 1] - b->begin[i];
    if (most > 16 * BUCKET && !b->c->twice) return CP_OK;
    b->work_bytes = (most * (b->c->bytes + (b->c->wide ? 40 : 20)) + 71) / 64 * 64;
    b->work = cpi_work_alloc(stream, (size_t)(b->work_bytes * cpi_workers()));
    return b->work ? CP_OK : cp_error();
}
static cp_code compress_by_buckets(cp_stream *stream, const cpi_sparse_coo *c)
{
    bucketed b = {.c = c, .with = &bucket_table[size_row(c->bytes)][c->wide], .parts = cpi_workers()};
    const int64_t wanted = c->n / BUCKET < 64 ? 64 : c->n / BUCKET < BUCKETS ? c->n / BUCKET : BUCKETS;
    while ((c->rows - 1) >> b.shift >= wanted) b.shift++;
    b.rows = (int64_t)1 << b.shift;
    b.each = (c->n + b.parts - 1) / b.parts;
    const size_t counts = (size_t)b.parts * BUCKETS * sizeof *b.counts, elements = (size_t)c->n * b.with->size;
    b.counts = cpi_work_alloc(stream, counts + (elements + 63) / 64 * 64 + (size_t)(b.parts * b.rows * 8));
    if (!b.counts) return cp_error();
    b.elements = (char *)b.counts + counts;
    b.counters = b.elements + (elements + 63) / 64 * 64;
    cpi_parallel(b.parts, count_buckets, &b);
    int64_t total = 0;
    for (int64_t i = 0; i < BUCKETS; i++) {
        b.begin[i] = total;
        for (int64_t part = 0; part < b.parts; part++) {
            const int64_t n = b.counts[part * BUCKETS + i];
            b.counts[part * BUCKETS + i] = total;
            total += n;
        }
    }
    b.begin[BUCKETS] = total;
    const cp_code code = alloc_rows(stream, &b);
    if (code == CP_OK) {
        cpi_parallel(b.parts, fill_buckets, &b);
        cpi_parallel(((c->rows - 1) >> b.shift) + 1, empty_bucket, &b);
        if (c->wide) ((int64_t *)c->indptr)[c->rows] = total;
        else ((int32_t *)c->indptr)[c->rows] = (int32_t)total;
        if (c->twice) *c->twice = b.twice;
        cpi_work_free(stream, b.work);
    }
    cpi_work_free(stream, b.counts);
    return code;
}
/* By column: the rows in their order, elsewhere, and then sorted. */
static cp_code compress_and_sort(cp_stream *stream, const cpi_sparse_coo *c)
{
    static const cp_type types[] = {CP_UINT8, CP_UINT16, CP_UINT32, CP_UINT64, CP_COMPLEX128};
    cpi_sparse_coo t = *c;
    t.twice = NULL;
    const int64_t size = (c->n * c->bytes + 7) / 8 * 8;
    if (!(t.out = cpi_work_alloc(stream, (size_t)(size + c->n * (c->wide ? 8 : 4))))) return cp_error();
    t.indices = (char *)t.out + size;
    cp_code code = cpi_sparse_cpu_compress(stream, &t);
    const cpi_csr a = {.rows = c->rows, .nnz = c->n, .type = types[size_row(c->bytes)], .wide = c->wide,
                       .indptr = c->indptr, .indices = t.indices, .data = t.out};
    if (code == CP_OK) code = sort_all(stream, &a, c->indices, c->out, c->twice);
    cpi_work_free(stream, t.out);
    return code;
}

cp_code cpi_sparse_cpu_compress(cp_stream *stream, const cpi_sparse_coo *c)
{
    if (c->n >= BUCKETED && c->rows >= ROWS_BUCKETED) return compress_by_buckets(stream, c);
    if (c->twice) return compress_and_sort(stream, c);
    /* a stable sort's result does not depend on the number of parts */
    int64_t parts = c->n / 32768 < cpi_workers() ? c->n / 32768 : cpi_workers();
    if (parts > 4 * c->n / (c->rows + 1)) parts = 4 * c->n / (c->rows + 1);
    if (parts < 1) parts = 1;
    sorted s = {c, parts, (c->n + parts - 1) / parts, NULL};
    s.counters = cpi_work_alloc(stream, (size_t)(parts * c->rows + 1) * (c->wide ? 8 : 4));
    if (!s.counters) return cp_error();
    cpi_parallel(parts, count_part, &s);
    sum_counters(&s);
    cpi_parallel(parts, put_part, &s);
    cpi_work_free(stream, s.counters);
    return CP_OK;
}
