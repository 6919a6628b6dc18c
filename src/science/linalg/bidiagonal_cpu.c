/* A real matrix made bidiagonal by reflections from both sides, by the pool's threads.
 *
 * LAPACK's gebrd reads the trailing matrix twice a column: for y = A^T v, and for x = A u, where u follows from y. Here
 * it is read once (Howell, Demmel, Fulton, Hammarling and Marmol, 2008): u is a multiple of r - beta e_0, where r is
 * the new first row, known of each column as soon as y is, so A r is summed up while the column is in the cache, and
 * A u = (A r - beta A e_0) / (r_0 - beta). That r_0 - beta adds numbers of one sign, so nothing cancels.
 *
 * A column takes two rounds of tasks: columns (y, r, A r), then rows (x, the next column, products of the factors with
 * it). A panel's factors are applied to the rest by a product. Threads keep to their columns, which stay in their
 * core's cache. Tasks follow from the sizes alone. A row or column that is nothing beside a matrix of size 1 is taken
 * for zero, since its products would leave the range of numbers. */
#include <math.h>
#include <string.h>

#include "linalg/spectra.h"

enum {
    LAST = 96,                /* columns that LAPACK does at the end */
    PARTS = 8, COLUMNS = 32,  /* at most so many tasks of columns, which are at least so many */
    ROWS = 128                /* of a task of rows, at least */
};

typedef struct reduction {
    const cpi_bidiagonal *b;
    const job *j;
    const cpi_spectra_loops *loops;
    cpi_lapack_fn larfg, gemm;
    size_t part;
    int64_t i, first, end;      /* the column; the panel's first and what is behind its last */
    cpi_bidiagonal_step step;
    cpi_ends ends;
    int64_t left_ld, right_ld;
    int64_t each;               /* columns or rows of a task */
    char *left, *right, *r, *w, *sums, *dots, *row, *products, *next, *by; /* step's */
    bool goes_on;               /* there is a next column in the panel */
} reduction;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t parts_of(int64_t n, int64_t each) { return (n + each - 1) / each; }
static char *number(const reduction *w, const char *x, int64_t i)
{
    return (char *)(uintptr_t)(const void *)x + (size_t)i * w->part;
}
static char *element(const reduction *w, int64_t row, int64_t column)
{
    return number(w, w->b->a, column * w->b->ld + row);
}
static double get(const reduction *w, const char *x, int64_t i) { return part_of(w->j, x, i); }
static void set(const reduction *w, char *x, int64_t i, double v) { set_part(w->j, x, i, v); }

size_t cpi_bidiagonal_bytes(const job *j, int64_t m, int64_t n)
{
    const size_t factors = CPI_PANEL_FACTORS, parts = (size_t)at_least(PARTS, parts_of(m, ROWS));
    const size_t left = (size_t)cpi_padded(j, m), right = (size_t)cpi_padded(j, n);
    return rounded(factors * left * j->part) + rounded(factors * right * j->part) +
           rounded((size_t)n * j->part) + rounded(PARTS * (size_t)m * j->part) +
           (parts + 8) * rounded(factors * j->part);
}

static reduction begin_reduction(const job *j, cpi_lapack_fn larfg, cpi_lapack_fn gemm, const cpi_bidiagonal *b,
                                 char *work)
{
    reduction w = {.b = b, .j = j, .loops = cpi_spectra_loops_of(j), .larfg = larfg, .gemm = gemm, .part = j->part};
    const size_t factors = CPI_PANEL_FACTORS, line = rounded(factors * j->part);
    w.left_ld = cpi_padded(j, b->m), w.right_ld = cpi_padded(j, b->n);
    w.left = work, work += rounded(factors * (size_t)w.left_ld * j->part);
    w.right = work, work += rounded(factors * (size_t)w.right_ld * j->part);
    w.r = work, work += rounded((size_t)b->n * j->part);
    w.w = work, work += rounded(PARTS * (size_t)b->m * j->part);
    w.dots = work, w.row = work + line, w.products = work + 2 * line, w.next = work + 3 * line, w.by = work + 4 * line;
    w.sums = work + 8 * line;
    return w;
}

static char *sums_of(const reduction *w, int64_t part)
{
    return w->sums + (size_t)part * rounded(CPI_PANEL_FACTORS * w->part);
}

/* The reflection that makes n numbers at x one, x's first, which becomes beta; the others become its vector. Returns
 * tau. Numbers that are nothing beside 1 become zeros. */
static double reflect(const reduction *w, int64_t n, char *x)
{
    const int64_t one = 1;
    double tau[1] = {0};
    const double least = w->part == 4 ? 0x1p-80 : 0x1p-600, size = w->loops->dot(n, x, x);
    if (size < least * least && size >= 0) {
        memset(x, 0, (size_t)n * w->part);
        return 0;
    }
    w->larfg(&n, x, number(w, x, 1), &one, tau);
    return get(w, (char *)tau, 0);
}

/* --- columns: y and r, and A r --- */

static void column_task(void *context, int64_t task, int worker)
{
    reduction *w = context;
    const int64_t part = cpi_from_ends(&w->ends, worker), behind = w->i + 1;
    const int64_t first = at_least(part * w->each, behind) - behind;
    const int64_t last = at_most((part + 1) * w->each, w->b->n) - behind;
    (void)task;
    w->loops->bidiagonal_columns(&w->step, first, last, number(w, w->w, part * w->step.rows), sums_of(w, part));
}

/* --- rows: x and the next column --- */

static void row_task(void *context, int64_t task, int worker)
{
    reduction *w = context;
    const int64_t rows = w->b->m - w->i - 1, first = task * w->each;
    (void)worker;
    w->loops->bidiagonal_rows(&w->step, first, at_most(first + w->each, rows), w->goes_on ? sums_of(w, task) : NULL);
}

/* --- the rest of the matrix --- */

static void rest_task(void *context, int64_t task, int worker)
{
    reduction *w = context;
    const int64_t part = cpi_from_ends(&w->ends, worker), end = w->end;
    const int64_t first = at_least(part * w->each, end), count = at_most((part + 1) * w->each, w->b->n) - first;
    const int64_t rows = w->b->m - end, deep = 2 * (end - w->first);
    double one[1] = {0}, minus[1] = {0};
    (void)task;
    const int was = cpi_lapack_alone_begin();
    set(w, (char *)one, 0, 1), set(w, (char *)minus, 0, -1);
    w->gemm("N", "T", &rows, &count, &deep, minus, number(w, w->left, end), &w->left_ld, number(w, w->right, first),
            &w->right_ld, one, element(w, end, first), &w->b->ld);
    cpi_lapack_alone_end(was);
}

/* Tasks of columns from `from` on: those that have any, counted from the first. */
static int64_t cut_columns(reduction *w, int64_t from)
{
    w->each = at_least((parts_of(w->b->n, PARTS) + 7) / 8 * 8, COLUMNS);
    w->ends = (cpi_ends){.tasks = parts_of(w->b->n, w->each)};
    w->ends.low = from / w->each; /* parts before have nothing left */
    return w->ends.tasks - w->ends.low;
}

/* What the column at hand needs of the panel's factors: their elements in its row, and products with its vector, from
 * those with the column of which it was made. `zero`: that needed no reflection. */
static void begin_column(reduction *w, int64_t parts, double was, double beta, bool zero)
{
    const int64_t i = w->i, n = 2 * w->step.pairs;
    for (int64_t k = 0; k < n; k++) {
        const double here = get(w, w->left, k * w->left_ld + i);
        double sum = 0;
        for (int64_t p = 0; p < parts; p++) sum += get(w, sums_of(w, p), k);
        set(w, w->row, k, here);
        set(w, w->dots, k, zero ? here : (sum - beta * here) / (was - beta));
    }
}

/* The row's reflection; what A r becomes A u with, and products of the factors with u. */
static void begin_row(reduction *w, int64_t from, int64_t parts)
{
    const cpi_bidiagonal *b = w->b;
    const int64_t i = w->i, c = i + 1, n = 2 * w->step.pairs + 1, rest = b->n - c;
    char *r = number(w, w->r, c);
    const double was = get(w, r, 0), tau = reflect(w, rest, r), beta = get(w, r, 0);
    const double by = tau != 0 ? 1 / (was - beta) : 0;
    set(w, b->e, i, beta), set(w, b->taup, i, tau);
    set(w, r, 0, 1);
    memcpy(number(w, w->right, n * w->right_ld + c), r, (size_t)rest * w->part);
    memcpy(number(w, b->p, i * b->n + c), r, (size_t)rest * w->part);
    set(w, w->by, 0, beta), set(w, w->by, 1, by), set(w, w->by, 2, tau);
    for (int64_t k = 0; k < n; k++) {
        const double here = get(w, w->right, k * w->right_ld + c);
        double sum = 0;
        for (int64_t p = 0; p < parts; p++) sum += get(w, sums_of(w, from + p), k);
        set(w, w->products, k, (sum - beta * here) * by);
        set(w, w->next, k, here);
    }
    set(w, w->next, n, 1);
}

/* Column i of the panel: d, e, both reflections; the next column up to date. `parts`: of sums of the last rows. */
static int64_t one_column(reduction *w, int64_t parts)
{
    const cpi_bidiagonal *b = w->b;
    const int64_t i = w->i, behind = i + 1, rows = b->m - i;
    char *v = element(w, i, i);
    const double was = get(w, v, 0), tau = reflect(w, rows, v), beta = get(w, v, 0);
    set(w, b->d, i, beta), set(w, b->tauq, i, tau);
    set(w, v, 0, 1);
    begin_column(w, parts, was, beta, tau == 0);
    w->step = (cpi_bidiagonal_step){
        .rows = rows, .ld = b->ld, .pairs = w->step.pairs, .left_ld = w->left_ld, .right_ld = w->right_ld,
        .a = element(w, i, behind), .v = v, .tau = number(w, b->tauq, i), .dots = w->dots, .row = w->row,
        .right = number(w, w->right, behind), .r = number(w, w->r, behind)};
    const int64_t tasks = cut_columns(w, behind), from = w->ends.low;
    cpi_tasks_of(tasks, rows * (b->n - behind), column_task, w);
    begin_row(w, from, tasks);
    cpi_bidiagonal_step *s = &w->step;
    s->left = number(w, w->left, behind), s->v = number(w, v, 1), s->column = element(w, behind, behind);
    s->w = number(w, w->w, from * rows + 1), s->w_ld = rows, s->parts = tasks;
    w->goes_on = behind < w->end;
    s->products = w->products, s->by = w->by, s->next = w->goes_on ? w->next : NULL;
    w->each = at_least((parts_of(rows - 1, PARTS) + 7) / 8 * 8, ROWS);
    const int64_t row_tasks = parts_of(rows - 1, w->each);
    cpi_tasks_of(row_tasks, rows * (4 * s->pairs + tasks), row_task, w);
    s->pairs++;
    return row_tasks;
}

/* The last columns, from the panel's end on, by LAPACK; P's vectors into columns. */
static void by_lapack(const reduction *w, cpi_lapack_fn gebrd)
{
    const cpi_bidiagonal *b = w->b;
    const int64_t i = w->end, m = b->m - i, n = b->n - i, lwork = (m + n) * 2;
    int64_t info = 0;
    gebrd(&m, &n, element(w, i, i), &b->ld, number(w, b->d, i), number(w, b->e, i), number(w, b->tauq, i),
          number(w, b->taup, i), w->left, &lwork, &info);
    for (int64_t k = i; k < b->n; k++)
        for (int64_t c = k + 2; c < b->n; c++) memcpy(number(w, b->p, k * b->n + c), element(w, k, c), w->part);
}

void cpi_bidiagonalize(const job *j, cpi_lapack_fn gebrd, cpi_lapack_fn larfg, cpi_lapack_fn gemm,
                       const cpi_bidiagonal *b, char *work)
{
    reduction w = begin_reduction(j, larfg, gemm, b, work);
    while (b->n - w.end > LAST) {
        int64_t parts = 0;
        w.first = w.end, w.end = w.first + CPI_PANEL;
        w.step.pairs = 0;
        for (w.i = w.first; w.i < w.end; w.i++) parts = one_column(&w, parts);
        const int64_t tasks = cut_columns(&w, w.end);
        cpi_tasks_of(tasks, (b->m - w.end) * (b->n - w.end), rest_task, &w);
    }
    const int was = cpi_lapack_alone_begin();
    by_lapack(&w, gebrd);
    cpi_lapack_alone_end(was);
}
