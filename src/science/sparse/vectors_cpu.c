/* Solvers' vectors on the CPU. A task has some chunks; chunks' sums lie side by side until all are there. */
#include "sparse/vectors_cpu.h"

#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cpu/features.h"
#include "cpu/threads.h"

typedef struct work {
    const cpi_sparse_basis *b;
    const cpi_sparse_pass *p;
    const cpi_vector_loops *loops;
    cpi_number *partial;        /* of product k and chunk c: partial[k * chunks + c] */
    cpi_number (*by)[CPI_SPARSE_TERMS]; /* of a pass */
    int64_t n, chunks, each;
    int width;
} work;

static int width_of(cp_type t) { return cpi_is_complex(t) ? 2 : 1; }
static int64_t length(const work *w, int64_t chunk)
{
    const int64_t left = w->n - chunk * CPI_SPARSE_CHUNK;
    return left < CPI_SPARSE_CHUNK ? left : CPI_SPARSE_CHUNK;
}
static const char *at(const work *w, const void *x, int64_t chunk)
{
    const cp_type t = w->b ? w->b->type : w->p->type;
    return x ? (const char *)x + chunk * CPI_SPARSE_CHUNK * cpi_itemsize(t) : NULL;
}
static const char *row(const cpi_sparse_basis *b, int64_t i)
{
    return (const char *)b->rows + i * b->step * cpi_itemsize(b->type);
}
/* Room for so many products. False on failure. */
static bool open_work(cp_stream *stream, work *w, cp_type type, int64_t n, int64_t products)
{
    w->loops = CPI_BEST(cpi_vector_table)(type);
    w->n = n, w->chunks = cpi_sparse_chunks(n), w->width = width_of(type);
    const size_t bytes = sizeof *w->partial * (size_t)(w->chunks * products);
    return !bytes || (w->partial = cpi_work_alloc(stream, bytes)) != NULL;
}
/* Runs tasks of at least `cost` / 16 chunks; more where there are many. */
static void run(work *w, int64_t cost, cpi_task task)
{
    const int64_t least = 32 / (cost + 1) + 1, part = (w->chunks + 255) / 256;
    w->each = part > least ? part : least;
    cpi_parallel((w->chunks + w->each - 1) / w->each, task, w);
}
/* The sum of a product's chunks: in so many sums, then as a tree. */
static cpi_number total_of(const cpi_number *partial, int64_t chunks)
{
    cpi_number sums[CPI_SPARSE_PARTIAL] = {{0}};
    for (int64_t c = 0; c < chunks; c += CPI_SPARSE_PARTIAL)
        for (int k = 0; k < CPI_SPARSE_PARTIAL && c + k < chunks; k++)
            sums[k] = cpi_number_add(sums[k], partial[c + k]);
    for (int half = CPI_SPARSE_PARTIAL / 2; half; half /= 2)
        for (int k = 0; k < half; k++) sums[k] = cpi_number_add(sums[k], sums[k + half]);
    return sums[0];
}

/* --- bases --- */

static void dot_chunks(void *context, int64_t task, int worker)
{
    (void)worker;
    const work *w = context;
    const cpi_sparse_basis *b = w->b;
    const int64_t begin = task * w->each, end = begin + w->each < w->chunks ? begin + w->each : w->chunks;
    for (int64_t i = 0; i < b->count; i++)
        for (int64_t c = begin; c < end; c++) {
            const char *v = at(w, row(b, i), c);
            w->partial[i * w->chunks + c] = w->loops->dot(v, at(w, b->x, c), length(w, c));
            if (b->last && i + 1 < b->count)
                w->partial[(b->count + i) * w->chunks + c] = w->loops->dot(v, at(w, b->last, c), length(w, c));
        }
}
/* Coefficients as modified Gram and Schmidt's method has them, which takes each row's part of what the earlier rows
 * left: of the products with all of x, by a triangle of rows' products. */
static void modify(const cpi_sparse_basis *b, int width)
{
    for (int64_t i = 1; i < b->count; i++) {
        cpi_number h = cpi_number_at(b->numbers, i, width);
        for (int64_t k = 0; k < i; k++) {
            const cpi_number g = cpi_number_times(cpi_number_at(b->gram, i * b->gram_step + k, width),
                                                  cpi_number_at(b->numbers, k, width), width);
            h.re -= g.re, h.im -= g.im;
        }
        cpi_number_put(b->numbers, i, width, h);
    }
}
cp_code cpi_sparse_cpu_basis_dots(cp_stream *stream, const cpi_sparse_basis *b)
{
    work w = {.b = b};
    if (!open_work(stream, &w, b->type, b->n, b->count * (b->last ? 2 : 1))) return cp_error();
    run(&w, b->count, dot_chunks);
    for (int64_t i = 0; i < b->count; i++) {
        const cpi_number h = total_of(w.partial + i * w.chunks, w.chunks);
        cpi_number_put(b->numbers, i, w.width, h);
        if (b->last && i + 1 < b->count) {
            cpi_number g = total_of(w.partial + (b->count + i) * w.chunks, w.chunks);
            g.im = -g.im;
            cpi_number_put(b->gram, (b->count - 1) * b->gram_step + i, w.width, g);
        }
    }
    if (b->last) modify(b, w.width);
    for (int64_t i = 0; i < b->count && b->total; i++)
        cpi_number_put(b->total, i, w.width, cpi_number_add(cpi_number_at(b->total, i, w.width),
                                                            cpi_number_at(b->numbers, i, w.width)));
    cpi_work_free(stream, w.partial);
    return CP_OK;
}

static void subtract_chunk(const work *w, int64_t c)
{
    const cpi_sparse_basis *b = w->b;
    const void *from[CPI_SPARSE_TERMS + 1] = {b->x};
    cpi_number by[CPI_SPARSE_TERMS + 1] = {{1, 0}};
    int64_t i = 0;
    do {
        int terms = 1;
        for (; terms <= CPI_SPARSE_TERMS && i < b->count; terms++, i++) {
            const cpi_number h = cpi_number_at(b->numbers, i, w->width);
            from[terms] = row(b, i), by[terms] = (cpi_number){-h.re, -h.im};
        }
        w->loops->sum(b->to, terms, from, by, c * CPI_SPARSE_CHUNK, length(w, c));
        from[0] = b->to;
    } while (i < b->count);
    if (b->size) w->partial[c] = w->loops->dot(at(w, b->to, c), at(w, b->to, c), length(w, c));
}
static void subtract_chunks(void *context, int64_t task, int worker)
{
    (void)worker;
    const work *w = context;
    const int64_t begin = task * w->each, end = begin + w->each < w->chunks ? begin + w->each : w->chunks;
    for (int64_t c = begin; c < end; c++) subtract_chunk(w, c);
}
/* The same, and behind the norm's sums those of the products with the rows, which the cache still has. */
static void project_chunks(void *context, int64_t task, int worker)
{
    (void)worker;
    const work *w = context;
    const cpi_sparse_basis *b = w->b;
    const int64_t begin = task * w->each, end = begin + w->each < w->chunks ? begin + w->each : w->chunks;
    for (int64_t c = begin; c < end; c++) {
        subtract_chunk(w, c);
        for (int64_t i = 0; i < b->count; i++)
            w->partial[(i + 1) * w->chunks + c] = w->loops->dot(at(w, row(b, i), c), at(w, b->to, c), length(w, c));
    }
}
cp_code cpi_sparse_cpu_basis_subtract(cp_stream *stream, const cpi_sparse_basis *b)
{
    work w = {.b = b};
    if (!open_work(stream, &w, b->type, b->n, b->size ? 1 : 0)) return cp_error();
    run(&w, b->count, subtract_chunks);
    if (b->size) cpi_number_put(b->size, 0, w.width, (cpi_number){sqrt(total_of(w.partial, w.chunks).re), 0});
    cpi_work_free(stream, w.partial);
    return CP_OK;
}

/* Takes these parts out of what is left, too. */
static cp_code project_again(cp_stream *stream, const cpi_sparse_basis *b, const cpi_number *rest, int64_t step,
                             int width)
{
    cpi_sparse_basis second = *b;
    char *numbers = cpi_work_alloc(stream, (size_t)(b->count * width) * sizeof(double));
    if (!numbers) return cp_error();
    for (int64_t i = 0; i < b->count; i++) {
        cpi_number_put(numbers, i, width, rest[i * step]);
        cpi_number_put(b->numbers, i, width, cpi_number_add(cpi_number_at(b->numbers, i, width), rest[i * step]));
    }
    second.x = b->to, second.numbers = numbers;
    const cp_code code = cpi_sparse_cpu_basis_subtract(stream, &second);
    cpi_work_free(stream, numbers);
    return code;
}
/* What is left of x has parts along the rows by rounding alone, unless most of x was along them. */
cp_code cpi_sparse_cpu_basis_project(cp_stream *stream, const cpi_sparse_basis *b)
{
    work w = {.b = b};
    if (cpi_sparse_cpu_basis_dots(stream, b) != CP_OK || !open_work(stream, &w, b->type, b->n, b->count + 1))
        return cp_error();
    run(&w, 2 * b->count, project_chunks);
    const bool single = b->type == CP_FLOAT32 || b->type == CP_COMPLEX64;
    const double least = 16 * (single ? 0x1p-23 : 0x1p-52), square = total_of(w.partial, w.chunks).re;
    cpi_number *rest = w.partial + w.chunks; /* in the place of sums that were added */
    double parts = 0;
    for (int64_t i = 0; i < b->count; i++) {
        const cpi_number part = total_of(w.partial + (i + 1) * w.chunks, w.chunks);
        rest[i * w.chunks] = part, parts += part.re * part.re + part.im * part.im;
    }
    cp_code code = CP_OK;
    if (parts <= least * least * square) cpi_number_put(b->size, 0, w.width, (cpi_number){sqrt(square), 0});
    else code = project_again(stream, b, rest, w.chunks, w.width);
    cpi_work_free(stream, w.partial);
    return code;
}

/* --- sums and products --- */

static void pass_chunks(void *context, int64_t task, int worker)
{
    (void)worker;
    const work *w = context;
    const cpi_sparse_pass *p = w->p;
    const int64_t begin = task * w->each, end = begin + w->each < w->chunks ? begin + w->each : w->chunks;
    for (int64_t c = begin; c < end; c++) {
        for (int s = 0; s < p->sums; s++)
            w->loops->sum(p->sum[s].to, p->sum[s].terms, p->sum[s].x, w->by[s], c * CPI_SPARSE_CHUNK, length(w, c));
        for (int d = 0; d < p->dots; d++)
            w->partial[d * w->chunks + c] = w->loops->dot(at(w, p->left[d], c), at(w, p->right[d], c), length(w, c));
    }
}
cp_code cpi_sparse_cpu_pass(cp_stream *stream, const cpi_sparse_pass *p)
{
    cpi_number by[CPI_SPARSE_SUMS][CPI_SPARSE_TERMS];
    work w = {.p = p, .by = by};
    if (!open_work(stream, &w, p->type, p->n, p->dots)) return cp_error();
    for (int s = 0; s < p->sums; s++)
        for (int t = 0; t < p->sum[s].terms; t++) by[s][t] = cpi_factor_value(&p->sum[s].by[t], p->state, w.width);
    run(&w, p->sums * 2 + p->dots, pass_chunks);
    for (int d = 0; d < p->dots; d++) {
        const cpi_number x = total_of(w.partial + d * w.chunks, w.chunks);
        cpi_number_put(p->numbers, d, w.width, p->root ? (cpi_number){sqrt(x.re), 0} : x);
        if (!d && p->measure) cpi_state_next(p->state, p->count, p->limit, x);
    }
    if (p->turn) cpi_solver_turn(p->turn, p->state, p->all, w.width);
    cpi_work_free(stream, w.partial);
    return CP_OK;
}
