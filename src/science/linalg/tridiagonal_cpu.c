/* A real symmetric matrix made tridiagonal by reflections, by the pool's threads.
 *
 * The steps are those of LAPACK's sytrd: a panel's reflections are factors v and w, A stands for A - V W^T - W V^T, and
 * a column takes one product A v, of which each task has some columns of the triangle. They are read once for both
 * halves. Rows of the new factor and of the next column are tasks too. Threads keep to their columns, which stay in
 * their core's cache. Tasks follow from the sizes alone. */
#include <math.h>
#include <string.h>

#include "linalg/spectra.h"

enum {
    LAST = 96,                /* rows that LAPACK does at the end */
    PARTS = 8, COLUMNS = 32, /* about so many tasks of columns, which are at least so many */
    ROWS = 256,               /* of a task of rows, at least */
    BLOCK = 64                /* columns that a product updates */
};

typedef struct reduction {
    const cpi_tridiagonal *b;
    const job *j;
    const cpi_spectra_loops *loops;
    cpi_lapack_fn larfg, gemm;
    size_t part;
    int64_t i, first, end;    /* the column; the panel's first and what is behind its last */
    cpi_bidiagonal_step step;
    cpi_ends ends;
    int64_t each, pitch;      /* of a task; between factors */
    char *factors, *turned;   /* v and w in turns; of some rows w and v, for each worker */
    char *w, *dots, *products, *next, *by; /* parts of A v; step's */
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

size_t cpi_tridiagonal_bytes(const job *j, int64_t n)
{
    const size_t factors = CPI_PANEL_FACTORS;
    return rounded(factors * (size_t)cpi_padded(j, n) * j->part) + rounded(PARTS * (size_t)n * j->part) +
           4 * rounded(factors * j->part) + (size_t)j->workers * rounded(BLOCK * factors * j->part);
}

static reduction begin_reduction(const job *j, cpi_lapack_fn larfg, cpi_lapack_fn gemm, const cpi_tridiagonal *b,
                                 char *work)
{
    reduction w = {.b = b, .j = j, .loops = cpi_spectra_loops_of(j), .larfg = larfg, .gemm = gemm, .part = j->part};
    const size_t factors = CPI_PANEL_FACTORS, line = rounded(factors * j->part);
    w.pitch = cpi_padded(j, b->n);
    w.factors = work, work += rounded(factors * (size_t)w.pitch * j->part);
    w.w = work, work += rounded(PARTS * (size_t)b->n * j->part);
    w.dots = work, w.products = work + line, w.next = work + 2 * line, w.by = work + 3 * line;
    w.turned = work + 4 * line;
    return w;
}

/* The reflection that makes n numbers at x one, x's first, which becomes beta; the others become its vector. Returns
 * tau. Numbers that are nothing beside 1 become zeros. */
static double reflect(const reduction *w, int64_t n, char *x)
{
    const int64_t one = 1;
    double tau[1] = {0};
    const double least = w->part == 4 ? 0x1p-60 : 0x1p-500, size = w->loops->dot(n, x, x);
    if (size < least * least && size >= 0) {
        memset(x, 0, (size_t)n * w->part);
        return 0;
    }
    w->larfg(&n, x, number(w, x, 1), &one, tau);
    return get(w, (char *)tau, 0);
}

/* A task's columns of A v; the last task has the factors' products with v. */
static void column_task(void *context, int64_t task, int worker)
{
    reduction *w = context;
    const int64_t behind = w->i + 1, n = w->step.rows, part = cpi_from_ends(&w->ends, worker);
    (void)task;
    if (part == w->ends.tasks - 1) {
        for (int64_t k = 0; k < 2 * w->step.pairs; k++)
            set(w, w->dots, k, w->loops->dot(n, number(w, w->factors, k * w->pitch + behind), w->step.v));
        return;
    }
    const int64_t first = at_least(part * w->each, behind) - behind;
    const int64_t last = at_most((part + 1) * w->each, w->b->n) - behind;
    char *y = number(w, w->w, part * n);
    memset(y, 0, (size_t)n * w->part);
    w->loops->symmetric_columns(n, first, last, w->step.a, w->b->ld, w->step.v, y);
}

static void row_task(void *context, int64_t task, int worker)
{
    reduction *w = context;
    const int64_t first = task * w->each;
    (void)worker;
    w->loops->bidiagonal_rows(&w->step, first, at_most(first + w->each, w->step.rows), NULL);
}

/* Some columns of the rest, a few at a time from their first row on: V W^T + W V^T off. */
static void rest_task(void *context, int64_t task, int worker)
{
    reduction *w = context;
    const int64_t part = cpi_from_ends(&w->ends, worker), n = w->b->n, deep = 2 * (w->end - w->first);
    const int64_t last = at_most((part + 1) * w->each, n), block = BLOCK;
    char *turned = w->turned + (size_t)worker * rounded(BLOCK * CPI_PANEL_FACTORS * w->part);
    double one[1] = {0}, minus[1] = {0};
    (void)task;
    const int was = cpi_lapack_alone_begin();
    set(w, (char *)one, 0, 1), set(w, (char *)minus, 0, -1);
    for (int64_t first = at_least(part * w->each, w->end); first < last; first += BLOCK) {
        const int64_t count = at_most(BLOCK, last - first), rows = n - first;
        for (int64_t k = 0; k < deep; k++)
            memcpy(number(w, turned, k * block), number(w, w->factors, (k ^ 1) * w->pitch + first),
                   (size_t)count * w->part);
        w->gemm("N", "T", &rows, &count, &deep, minus, number(w, w->factors, first), &w->pitch, turned, &block, one,
                element(w, first, first), &w->b->ld);
    }
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

/* The new factor's and the next column's first element, alone: the others need the factor's. */
static void first_row(reduction *w, double tau)
{
    const int64_t behind = w->i + 1, n = 2 * w->step.pairs, ld = w->pitch;
    cpi_bidiagonal_step *s = &w->step;
    for (int64_t k = 0; k < n; k++) {
        set(w, w->products, k, get(w, w->dots, k ^ 1));
        set(w, w->next, k, get(w, w->factors, (k ^ 1) * ld + behind));
    }
    set(w, w->products, n, 0);
    set(w, w->by, 0, 0), set(w, w->by, 1, 1), set(w, w->by, 2, tau);
    s->next = NULL;
    w->loops->bidiagonal_rows(s, 0, 1, NULL);
    memcpy(number(w, w->next, n), number(w, w->factors, (n + 1) * ld + behind), w->part);
    set(w, w->next, n + 1, 1);
    if (behind < w->end) s->next = w->next;
}

static void one_column(reduction *w)
{
    const cpi_tridiagonal *b = w->b;
    const int64_t i = w->i, behind = i + 1, n = b->n - behind, pairs = w->step.pairs;
    char *v = element(w, behind, i);
    memcpy(number(w, b->d, i), element(w, i, i), w->part);
    const double tau = reflect(w, n, v);
    memcpy(number(w, b->e, i), v, w->part);
    set(w, b->tau, i, tau), set(w, v, 0, 1);
    w->step = (cpi_bidiagonal_step){
        .rows = n, .pairs = pairs, .left_ld = w->pitch, .a = element(w, behind, behind), .v = v, .w_ld = n,
        .left = number(w, w->factors, behind), .column = element(w, behind, behind), .products = w->products,
        .by = w->by};
    int64_t tasks = cut_columns(w, behind);
    w->step.w = number(w, w->w, w->ends.low * n), w->step.parts = tasks;
    w->ends.tasks++;
    cpi_tasks_of(tasks + 1, n * n / 2, column_task, w);
    first_row(w, tau);
    w->each = at_least((parts_of(n, PARTS) + 7) / 8 * 8, ROWS);
    cpi_tasks_of(parts_of(n, w->each), n * (4 * pairs + tasks), row_task, w);
    /* w takes off half of v's part in it, the next column, which had twice that half too much, all */
    char *x = number(w, w->factors, (2 * pairs + 1) * w->pitch + behind);
    const double half = -tau / 2 * w->loops->dot(n, x, v);
    w->loops->add(n, half, v, x);
    if (behind < w->end) w->loops->add(n, -2 * half, v, element(w, behind, behind));
    w->step.pairs++;
}

void cpi_tridiagonalize(const job *j, cpi_lapack_fn sytrd, cpi_lapack_fn larfg, cpi_lapack_fn gemm,
                        const cpi_tridiagonal *t, char *work)
{
    reduction w = begin_reduction(j, larfg, gemm, t, work);
    const int64_t lwork = t->n * 32;
    while (t->n - w.end > LAST) {
        w.first = w.end, w.end = w.first + CPI_PANEL;
        w.step.pairs = 0;
        for (w.i = w.first; w.i < w.end; w.i++) one_column(&w);
        const int64_t tasks = cut_columns(&w, w.end);
        cpi_tasks_of(tasks, (t->n - w.end) * (t->n - w.end) / 2, rest_task, &w);
    }
    const int64_t rest = t->n - w.end;
    int64_t info = 0;
    const int was = cpi_lapack_alone_begin();
    sytrd("L", &rest, element(&w, w.end, w.end), &t->ld, number(&w, t->d, w.end), number(&w, t->e, w.end),
          number(&w, t->tau, w.end), w.factors, &lwork, &info);
    cpi_lapack_alone_end(was);
}
