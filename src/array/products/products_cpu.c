/* Products on the CPU: the choice of an algorithm, and its division into tasks.
 *
 * Dot products and small matrices go through loops of our own (products_simd.c), many to a task. Moderate and large
 * ones of float32, float64 and complex numbers go through strips and tiles of our own where the processor's vectors are
 * long. Elsewhere, and for some shapes, they go through OpenBLAS, a tile of the result at a time. All other types go
 * through tiles of our own. Algorithms and tiles follow from type and sizes alone. */
#include "products/products.h"

#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "blas/blas.h"
#include "core/type_traits.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "products/kernels.h"
#include "scalar/type_list.h"

extern const cpi_products_simd cpi_products_simd_v2;
#if defined(__x86_64__)
extern const cpi_products_simd cpi_products_simd_v3, cpi_products_simd_v4;
#endif

enum {
    SMALL = 1 << 16,         /* products of elements up to which a matrix is small; */
    SMALL_COMPLEX = 1 << 18, /* OpenBLAS is slow to begin with complex ones, */
    LIBRARY = 1000000,       /* and has its own kernels for real ones up to here */
    ONE_TASK = 1 << 24,      /* up to which one of many matrices is one task */
    STRIP = 64, STRIP_BYTES = 1 << 15, STRIP_DEPTH = 64, /* rows of a tall product; bytes and rows of what they share */
    SMALL_EDGE = 512,
    TASK = 1 << 18,          /* products of elements that are worth a task */
    SEGMENT = 1 << 15,       /* of a long sum */
    TILE = 1 << 21,          /* products of elements that are worth a tile */
    FEW_TILES = 8,           /* below which long sums are cut too */
    SLICE = 2048, SLICES = 16
};

typedef struct plan {
    const cpi_product *p;
    const cpi_product_kernels *k;
    const cpi_blas *blas;
    int64_t item, batches;
    int64_t tile_m, tile_n, tiles_m, tiles_n; /* and of vectors: rows of a task */
    int64_t slices, slice;                    /* of the sum */
    int64_t each;                             /* of what tasks are composed of */
    int64_t total;
    char *scratch, *sums;
    int64_t worker_bytes;
} plan;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t parts(int64_t n, int64_t of) { return (n + of - 1) / of; }
static int64_t round_up(int64_t n, int64_t to) { return parts(n, to) * to; }

/* How many times n fits into `most`, at least 1. */
static int64_t share(int64_t most, int64_t n) { return at_least(most / at_least(n, 1), 1); }

/* m n k, or more than any bound where it wraps. */
static int64_t volume(int64_t m, int64_t n, int64_t k)
{
    int64_t v;
    return __builtin_mul_overflow(m, n, &v) || __builtin_mul_overflow(v, k, &v) ? INT64_MAX : v;
}

static const cpi_product_kernels *kernels_of(cp_type t)
{
    const cpi_products_simd *s = CPI_BEST(cpi_products_simd);
    int half = 0;
#define IS_HALF(A, s_)                    \
    if (t == CPS_ENUM_##s_) return &s->half[half]; \
    half++;
    CPS_HALVES(IS_HALF, )
#undef IS_HALF
    if (t == CP_BOOL) return &s->boolean;
    if (t == CP_FLOAT32) return &s->f32;
    if (t == CP_FLOAT64) return &s->f64;
    if (t == CP_COMPLEX64) return &s->c64;
    if (t == CP_COMPLEX128) return &s->c128;
    int64_t item = cpi_itemsize(t);
    return item == 1 ? &s->u8 : item == 2 ? &s->u16 : item == 4 ? &s->u32 : &s->u64;
}

static cpi_position position_of(const plan *w, int64_t i) { return cpi_batch_offset(w->p, w->item, i); }

/* --- dot products: each row of each matrix is one, in chunks --- */

static void dot_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const cpi_product *p = w->p;
    int64_t end = at_most((task + 1) * w->each, w->total);
    (void)worker;
    for (int64_t i = task * w->each; i < end; i++) {
        int64_t row = i / w->slices, from = i % w->slices * w->slice;
        cpi_position at = position_of(w, row / p->m);
        row %= p->m;
        const char *a = at.a + (row * p->a_row + from * p->a_col) * w->item, *b = at.b + from * p->b_row * w->item;
        _Alignas(16) char sum[16];
        w->k->dot(at_most(w->slice, p->k - from), a, p->a_col, b, p->b_row, p->conjugate,
                  w->sums ? w->sums + i * w->k->item : sum);
        if (!w->sums) w->k->finish(1, sum, at.c + row * w->item);
    }
}

static cp_code dots(cp_stream *stream, plan *w)
{
    const cpi_product *p = w->p;
    int64_t rows = w->batches * p->m;
    w->slice = at_most(p->k, SEGMENT);
    w->slices = parts(p->k, w->slice);
    w->total = rows * w->slices;
    w->each = share(TASK / 4, w->slice);
    w->sums = w->slices > 1 ? cpi_work_alloc(stream, (size_t)(w->total * w->k->item)) : NULL;
    if (w->slices > 1 && !w->sums) return cp_error();
    cpi_parallel(parts(w->total, w->each), dot_task, w);
    for (int64_t row = 0; w->sums && row < rows; row++)
        w->k->finish(w->slices, w->sums + row * w->slices * w->k->item,
                     position_of(w, row / p->m).c + row % p->m * w->item);
    cpi_work_free(stream, w->sums);
    return CP_OK;
}

/* --- small matrices --- */

static void small_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const cpi_product *p = w->p;
    int64_t end = at_most((task + 1) * w->each, w->batches);
    for (int64_t i = task * w->each; i < end; i++) {
        cpi_position at = position_of(w, i);
        w->k->small(p->m, p->n, p->k, at.a, p->a_row, p->a_col, at.b, p->b_row, p->b_col, at.c, p->c_row,
                    w->scratch + worker * w->worker_bytes);
    }
}

static cp_code small(cp_stream *stream, plan *w)
{
    const cpi_product *p = w->p;
    w->each = share(TASK, p->m * p->n * p->k);
    int64_t tasks = parts(w->batches, w->each), workers = tasks > 1 ? cpi_workers() : 1;
    int64_t wide = round_up(p->n, 2 * w->k->cols);
    w->worker_bytes = round_up((p->k * (wide + p->m) + p->m * wide) * w->k->item, 64);
    w->scratch = cpi_work_alloc(stream, (size_t)(workers * w->worker_bytes));
    if (!w->scratch) return cp_error();
    cpi_parallel(tasks, small_task, w);
    cpi_work_free(stream, w->scratch);
    return CP_OK;
}

/* A column-major matrix times a vector: the vector, a row, times the matrix, by rows. */
static cp_code transposed(cp_stream *stream, plan *w)
{
    const cpi_product *p = w->p;
    cpi_product t = *p;
    t.a = p->b, t.b = p->a;
    t.m = 1, t.n = p->m;
    t.a_row = 1, t.a_col = p->b_row, t.b_row = p->a_col, t.b_col = 1, t.c_row = p->m;
    memcpy(t.a_batch, p->b_batch, sizeof t.a_batch);
    memcpy(t.b_batch, p->a_batch, sizeof t.b_batch);
    return cpi_small_matrices(stream, &t, w->k);
}

/* --- a matrix times a vector --- */

static const double one[2] = {1, 0}, zero[2] = {0, 0};
static const float one_f[2] = {1, 0}, zero_f[2] = {0, 0};
static const void *number(cp_type t, bool is_one)
{
    bool narrow = t == CP_FLOAT32 || t == CP_COMPLEX64;
    if (narrow) return is_one ? one_f : zero_f;
    return is_one ? one : zero;
}

/* By BLAS: rows of a, whichever way it lies. */
static void vector_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const cpi_product *p = w->p;
    cpi_position at = position_of(w, task / w->tiles_m);
    int64_t row = task % w->tiles_m * w->tile_m, m = at_most(w->tile_m, p->m - row), step = 1;
    char *c = at.c + row * w->item;
    const char *a = at.a + row * p->a_row * w->item;
    cpi_blas_gemv_fn gemv = cpi_blas_gemv(w->blas, p->type);
    (void)worker;
    memset(c, 0, (size_t)(m * w->item)); /* what it holds is multiplied by 0, which NaN survives */
    const int was = cpi_blas_alone_begin(w->blas);
    if (p->a_col == 1)
        gemv("T", &p->k, &m, number(p->type, true), a, &p->a_row, at.b, &p->b_row, number(p->type, false), c, &step);
    else
        gemv("N", &m, &p->k, number(p->type, true), a, &p->a_col, at.b, &p->b_row, number(p->type, false), c, &step);
    cpi_blas_alone_end(w->blas, was);
}

/* By our own loops, for a column-major matrix: its rows in chunks, to which column after column is added. */
static void column_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const cpi_product *p = w->p;
    cpi_position at = position_of(w, task / w->tiles_m);
    int64_t row = task % w->tiles_m * w->tile_m, m = at_most(w->tile_m, p->m - row);
    char *sums = w->scratch + worker * w->worker_bytes;
    for (int64_t i = 0; i < p->k; i++)
        w->k->column(m, at.a + (row + i * p->a_col) * w->item, at.b + i * p->b_row * w->item, sums, i > 0);
    w->k->store(1, m, sums, m, at.c + row * w->item, 0);
}

/* By BLAS too, of a matrix that lies by columns: some of them each time, all their rows. */
static void columns_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const cpi_product *p = w->p;
    int64_t from = task * w->slice, k = at_most(w->slice, p->k - from), step = 1;
    char *c = w->sums + task * p->m * w->item;
    (void)worker;
    memset(c, 0, (size_t)(p->m * w->item));
    const int was = cpi_blas_alone_begin(w->blas);
    cpi_blas_gemv(w->blas, p->type)("N", &p->m, &k, number(p->type, true),
                                    (const char *)p->a + from * p->a_col * w->item, &p->a_col,
                                    (const char *)p->b + from * p->b_row * w->item, &p->b_row,
                                    number(p->type, false), c, &step);
    cpi_blas_alone_end(w->blas, was);
}

static void add_slices(const plan *w);

static cp_code columns(cp_stream *stream, plan *w)
{
    const cpi_product *p = w->p;
    w->slice = parts(p->k, at_most(SLICES, parts(p->k, share(TASK / 2, p->m))));
    w->slices = parts(p->k, w->slice);
    w->sums = cpi_work_alloc(stream, (size_t)(w->slices * p->m * w->item));
    if (!w->sums) return cp_error();
    cpi_parallel(w->slices, columns_task, w);
    add_slices(w);
    cpi_work_free(stream, w->sums);
    return CP_OK;
}

static cp_code vectors(cp_stream *stream, plan *w)
{
    const cpi_product *p = w->p;
    if (w->blas && p->a_col != 1 && w->batches == 1 && p->k >= 2 && p->m * p->k >= TASK) return columns(stream, w);
    w->tile_m = w->blas ? round_up(share(TASK / 2, p->k), 64) : 1024;
    w->tile_m = at_most(w->tile_m, p->m);
    w->tiles_m = parts(p->m, w->tile_m);
    int64_t tasks = w->tiles_m * w->batches;
    if (w->blas) return cpi_parallel(tasks, vector_task, w), CP_OK;
    w->worker_bytes = round_up(w->tile_m * w->k->item, 64);
    w->scratch = cpi_work_alloc(stream, (size_t)((tasks > 1 ? cpi_workers() : 1) * w->worker_bytes));
    if (!w->scratch) return cp_error();
    cpi_parallel(tasks, column_task, w);
    cpi_work_free(stream, w->scratch);
    return CP_OK;
}

/* --- matrices, in tiles of the result --- */

/* About `wanted` tiles of all results together, none with less work than is worth it. */
static void cut(plan *w, int64_t wanted, int64_t most, int64_t round_m, int64_t round_n)
{
    const cpi_product *p = w->p;
    double area = (double)p->m * (double)p->n * (double)w->batches / (double)wanted;
    int64_t least = (int64_t)sqrt((double)TILE / (double)p->k), edge = (int64_t)sqrt(area);
    edge = at_most(at_least(edge, at_least(least, 64)), most);
    w->tile_m = at_most(edge, p->m);
    w->tile_n = at_most(at_least((int64_t)(area / (double)w->tile_m), edge), 4 * most);
    w->tile_m = round_up(parts(p->m, parts(p->m, w->tile_m)), round_m);
    w->tile_n = round_up(parts(p->n, parts(p->n, at_most(w->tile_n, p->n))), round_n);
    w->tiles_m = parts(p->m, w->tile_m), w->tiles_n = parts(p->n, w->tile_n);
}

typedef struct tile { cpi_position at; int64_t row, col, m, n, slice, from, k; } tile;

static tile tile_of(const plan *w, int64_t task)
{
    const cpi_product *p = w->p;
    tile t;
    t.slice = task % w->slices;
    task /= w->slices;
    t.col = task % w->tiles_n * w->tile_n;
    task /= w->tiles_n;
    t.row = task % w->tiles_m * w->tile_m;
    t.at = position_of(w, task / w->tiles_m);
    t.m = at_most(w->tile_m, p->m - t.row), t.n = at_most(w->tile_n, p->n - t.col);
    t.from = t.slice * w->slice, t.k = at_most(w->slice, p->k - t.from);
    return t;
}

/* BLAS has Fortran's order, in which c is its transpose: c' = b' a'. */
static void blas_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const cpi_product *p = w->p;
    tile t = tile_of(w, task);
    const char *a = t.at.a + (t.row * p->a_row + t.from * p->a_col) * w->item;
    const char *b = t.at.b + (t.from * p->b_row + t.col * p->b_col) * w->item;
    char *c = t.at.c + (t.row * p->c_row + t.col) * w->item;
    int64_t pitch = p->c_row;
    (void)worker;
    if (w->slices > 1) { /* of one product only */
        c = w->sums + ((t.slice * p->m + t.row) * p->n + t.col) * w->item;
        pitch = p->n;
    }
    const int was = cpi_blas_alone_begin(w->blas);
    cpi_blas_gemm(w->blas, p->type)(p->b_col == 1 ? "N" : "T", p->a_col == 1 ? "N" : "T", &t.n, &t.m, &t.k,
                                    number(p->type, true), b, p->b_col == 1 ? &p->b_row : &p->b_col, a,
                                    p->a_col == 1 ? &p->a_row : &p->a_col, number(p->type, false), c, &pitch);
    cpi_blas_alone_end(w->blas, was);
}

#define ADD_SLICES(T)                                                       \
    for (int64_t i = 0; i < n; i++) {                                       \
        T sum = ((const T *)w->sums)[i];                                    \
        for (int64_t s = 1; s < w->slices; s++) sum += ((const T *)w->sums)[s * n + i]; \
        ((T *)w->p->c)[i] = sum;                                            \
    }

/* The slices of a long sum, in their order. */
static void add_slices(const plan *w)
{
    int64_t n = w->p->m * w->p->n * (cpi_is_complex(w->p->type) ? 2 : 1);
    if (w->p->type == CP_FLOAT32 || w->p->type == CP_COMPLEX64) { ADD_SLICES(float) }
    else { ADD_SLICES(double) }
}

static cp_code by_blas(cp_stream *stream, plan *w)
{
    const cpi_product *p = w->p;
    int64_t work = volume(p->m, p->n, p->k) >> 26; /* each tile packs its operands: use few */
    cut(w, at_most(at_least(work, 4), 24), 1024, 16, 16);
    w->slices = 1, w->slice = p->k;
    int64_t tiles = w->tiles_m * w->tiles_n * w->batches;
    if (tiles < FEW_TILES && w->batches == 1 && p->k >= 2 * SLICE && volume(p->m, p->n, SLICE) >= TILE / 8) {
        w->slices = at_most(p->k / SLICE, SLICES);
        w->slice = parts(p->k, w->slices);
        w->slices = parts(p->k, w->slice);
        w->sums = cpi_work_alloc(stream, (size_t)(w->slices * p->m * p->n * w->item));
        if (!w->sums) return cp_error();
    }
    cpi_parallel(tiles * w->slices, blas_task, w);
    if (w->slices > 1) add_slices(w);
    cpi_work_free(stream, w->sums);
    return CP_OK;
}

static void tile_task(void *context, int64_t task, int worker)
{
    const plan *w = context;
    const cpi_product *p = w->p;
    const cpi_product_kernels *k = w->k;
    tile t = tile_of(w, task);
    char *a = w->scratch + worker * w->worker_bytes, *b = a + w->tile_m * CPI_DEPTH * k->item;
    bool direct = k->item == w->item;
    char *c = t.at.c + (t.row * p->c_row + t.col) * w->item, *sums = direct ? c : b + w->tile_n * CPI_DEPTH * k->item;
    int64_t pitch = direct ? p->c_row : w->tile_n;
    for (int64_t from = 0; from < p->k; from += CPI_DEPTH) {
        int64_t depth = at_most(CPI_DEPTH, p->k - from);
        k->pack_a(t.m, depth, t.at.a + (t.row * p->a_row + from * p->a_col) * w->item, p->a_row, p->a_col, a);
        k->pack_b(t.n, depth, t.at.b + (from * p->b_row + t.col * p->b_col) * w->item, p->b_row, p->b_col, b);
        k->multiply(t.m, t.n, depth, a, b, sums, pitch, from > 0);
    }
    if (!direct) k->store(t.m, t.n, sums, pitch, c, p->c_row);
}

static cp_code by_tiles(cp_stream *stream, plan *w)
{
    cut(w, 64, 384, w->k->rows, w->k->cols);
    w->slices = 1, w->slice = w->p->k;
    w->worker_bytes = ((w->tile_m + w->tile_n) * CPI_DEPTH + w->tile_m * w->tile_n) * w->k->item;
    w->worker_bytes = round_up(w->worker_bytes, 4096);
    int64_t tasks = w->tiles_m * w->tiles_n * w->batches;
    w->scratch = cpi_work_alloc(stream, (size_t)((tasks > 1 ? cpi_workers() : 1) * w->worker_bytes));
    if (!w->scratch) return cp_error();
    cpi_parallel(tasks, tile_task, w);
    cpi_work_free(stream, w->scratch);
    return CP_OK;
}

/* The library, where it has the type and its integers hold the sizes. */
static const cpi_blas *library_for(const cpi_product *p)
{
    if (p->type != CP_FLOAT32 && p->type != CP_FLOAT64 && !cpi_is_complex(p->type)) return NULL;
    const cpi_blas *b = cpi_blas_found();
    if (!b || b->wide) return b;
    const int64_t sizes[] = {p->m, p->n, p->k, p->a_row, p->a_col, p->b_row, p->b_col, p->c_row};
    for (int i = 0; i < 8; i++)
        if (sizes[i] > INT32_MAX) return NULL;
    return b;
}

/* A tall matrix times a small one, or a few rows times a wide one, as a batch of small products: strips of `each` rows
 * or columns, and the remainder. */
static cp_code strips(cp_stream *stream, const plan *w, bool rows, int64_t each)
{
    const cpi_product *p = w->p;
    cpi_product many = *p, rest = *p;
    int64_t n = rows ? p->m : p->n, left = n % each, done = n - left;
    if (!rows && left == 1) left = 2, done--; /* a single column would have the layout of vectors, without c's rows */
    many.nbatch = 1;
    many.batch[0] = n / each;
    many.a_batch[0] = rows ? each * p->a_row : 0;
    many.b_batch[0] = rows ? 0 : each * p->b_col;
    many.c_batch[0] = each * (rows ? p->c_row : 1);
    *(rows ? &many.m : &many.n) = each;
    *(rows ? &rest.m : &rest.n) = left;
    rest.a = (const char *)p->a + (rows ? done * p->a_row : 0) * w->item;
    rest.b = (const char *)p->b + (rows ? 0 : done * p->b_col) * w->item;
    rest.c = (char *)p->c + done * (rows ? p->c_row : 1) * w->item;
    if (cpi_small_matrices(stream, &many, w->k)) return cp_error();
    return left ? cpi_small_matrices(stream, &rest, w->k) : CP_OK;
}

/* Matrices of floating type, n > 1. */
static cp_code matrices(cp_stream *stream, plan *w)
{
    const cpi_product *p = w->p;
    const int64_t work = volume(p->m, p->n, p->k), line = w->k->cols * (cpi_is_complex(p->type) ? 4 : 2) * w->item;
    const bool real = !cpi_is_complex(p->type);
    if (p->m <= SMALL_EDGE && p->n <= SMALL_EDGE && p->k <= SMALL_EDGE && work <= (real ? SMALL : SMALL_COMPLEX))
        return cpi_small_matrices(stream, p, w->k);
    if (w->batches == 1 && p->m >= 2 * STRIP && p->n * w->item <= line && p->n * p->k * w->item <= STRIP_BYTES)
        return strips(stream, w, true, STRIP);
    if (w->batches == 1 && p->m <= CPI_SMALL_ROWS && p->b_col == 1 && p->k <= STRIP_DEPTH)
        return strips(stream, w, false, 4 * STRIP);
    const bool thin = p->m < w->k->rows || p->n < w->k->cols / 2, few = p->k >= 2 * SLICE && p->m * p->n <= TILE / 8;
    if (w->blas && (!w->k->large || thin || few || (real && work <= LIBRARY))) return by_blas(stream, w);
    const bool many = w->batches > 1 && work <= ONE_TASK;
    if (many && w->blas && w->blas->moderate) return by_blas(stream, w);
    if (many && !cpi_are_many(p, w->k)) return by_tiles(stream, w);
    if (many || cpi_is_medium(p, w->k)) return cpi_medium_matrices(stream, p, w->k, many);
    return cpi_large_matrices(stream, p, w->k);
}

cp_code cpi_products_cpu_product(cp_stream *stream, const cpi_product *p)
{
    plan w = {.p = p, .k = kernels_of(p->type), .item = cpi_itemsize(p->type), .batches = cpi_product_batches(p)};
    const bool floating = w.k->blocks[0];
    const bool edges = p->m <= SMALL_EDGE && p->n <= SMALL_EDGE && p->k <= SMALL_EDGE;
    const bool is_small = edges && volume(p->m, p->n, p->k) <= SMALL;
    if (p->n > 1 && !floating) return is_small ? small(stream, &w) : by_tiles(stream, &w);
    if (is_small && p->n == 1 && floating) {
        if (p->m > 1 && p->a_row == 1 && p->a_col != 1) return transposed(stream, &w);
        if (cpi_small_sums(p, w.k)) return CP_OK;
    }
    if (p->m == 1 && p->n == 1) return dots(stream, &w);
    w.blas = library_for(p);
    if (!w.blas && floating && cpi_blas_refused("product")) return cp_error();
    if (p->n > 1) return matrices(stream, &w);
    if (p->a_col == 1 && (!w.blas || p->m < 16 || p->m * p->k <= SMALL)) return dots(stream, &w);
    return vectors(stream, &w);
}

const char *cp_blas_library(void)
{
    const cpi_blas *b = cpi_blas_open("blas_library");
    return b ? b->line : NULL;
}
