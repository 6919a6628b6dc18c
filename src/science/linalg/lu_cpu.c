/* LU of one matrix by the pool's threads, and solves of right sides by its factors.
 *
 * OpenBLAS's own threads hardly speed up its getrf to 1024 rows (at 1024 two took as long as one). Here columns form
 * blocks: LAPACK factors one block, a panel, with one thread; then each task updates some columns on the right, and the
 * first task, which has the next panel, also factors it. Blocks and tasks follow from the sizes alone, so that the
 * number of threads changes no bit. Matrices lie in columns, as LAPACK has them. */
#include "linalg/job.h"

#include "cpu/threads.h"

enum {
    SERIAL = 160,      /* rows or columns up to which LAPACK does all of it */
    LARGE = 640,       /* from which on blocks are the wider ones */
    BLOCK = 48, WIDE_BLOCK = 64,
    TASKS = 8,         /* about so many a step */
    RIGHT_SIDES = 32   /* least of a task */
};

typedef struct lu {
    const job *j;
    int64_t m, n, r, block;
    char *a;
    int64_t *pivots;   /* each panel's count from its first row, until all are there */
    int64_t position;  /* bytes of one of them */
    int64_t panel;     /* the last one that was factored: its first column, */
    int64_t width, next, each; /* and columns; the next one's; of a task behind it */
    int64_t info;
} lu;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static char *element(const lu *w, int64_t row, int64_t column)
{
    return w->a + (size_t)(column * w->m + row) * w->j->size;
}
static int64_t *pivots_from(const lu *w, int64_t i) { return (int64_t *)(void *)((char *)w->pivots + i * w->position); }

static void factor_panel(lu *w, int64_t first, int64_t width)
{
    int64_t rows = w->m - first, info = 0;
    w->j->f[CPI_LU_GETRF](&rows, &width, element(w, first, first), &w->m, pivots_from(w, first), &info);
    info = cpi_lapack_slot(&info, 0);
    if (info > 0 && !w->info) w->info = first + info;
}

/* Updates columns behind the last panel: its exchanges, then the triangular solve and the product. */
static void update(const lu *w, int64_t column, int64_t count)
{
    const int64_t p = w->panel, below = w->m - p - w->width, one = 1;
    double plus[2] = {0}, minus[2] = {0};
    char *top = element(w, p, column);
    set_number(w->j, plus, 0, 1, 0), set_number(w->j, minus, 0, -1, 0);
    w->j->f[CPI_LU_LASWP](&count, top, &w->m, &one, &w->width, pivots_from(w, p), &one);
    w->j->f[CPI_LU_TRSM]("L", "L", "N", "U", &w->width, &count, plus, element(w, p, p), &w->m, top, &w->m);
    if (below > 0)
        w->j->f[CPI_LU_GEMM]("N", "N", &below, &count, &w->width, minus, element(w, p + w->width, p), &w->m, top, &w->m,
                             plus, element(w, p + w->width, column), &w->m);
}

static void step_task(void *context, int64_t task, int worker)
{
    lu *w = context;
    const int64_t behind = w->panel + w->width, column = behind + w->next + (task - (w->next > 0)) * w->each;
    const int was = cpi_lapack_alone_begin();
    (void)worker;
    if (task == 0 && w->next) {
        update(w, behind, w->next);
        factor_panel(w, behind, w->next);
    } else {
        update(w, column, at_most(w->each, w->n - column));
    }
    cpi_lapack_alone_end(was);
}

/* The exchanges of all later panels, for a panel's columns. */
static void exchange_task(void *context, int64_t task, int worker)
{
    const lu *w = context;
    const int64_t column = task * w->block, first = column + w->block + 1, one = 1;
    (void)worker;
    w->j->f[CPI_LU_LASWP](&w->block, element(w, 0, column), &w->m, &first, &w->r, w->pivots, &one);
}

int64_t cpi_lu_factor(const job *j, int64_t m, int64_t n, char *a, int64_t *pivots)
{
    lu w = {.j = j, .m = m, .n = n, .r = at_most(m, n), .a = a, .pivots = pivots};
    if (!j->pooled || w.r <= SERIAL) {
        j->f[CPI_LU_GETRF](&m, &n, a, &m, pivots, &w.info);
        return cpi_lapack_slot(&w.info, 0);
    }
    const bool wide = cpi_lapack_fits(INT64_MAX);
    w.position = wide ? 8 : 4;
    w.block = w.r < LARGE ? BLOCK : WIDE_BLOCK;
    w.width = w.block;
    factor_panel(&w, 0, w.width);
    for (; w.panel < w.r; w.panel += w.width, w.width = w.next) {
        const int64_t behind = w.panel + w.width, rest = n - behind;
        w.next = at_most(w.block, w.r - behind);
        const int64_t others = rest - w.next;
        w.each = (others / TASKS + w.block) / w.block * w.block;
        cpi_parallel((w.next > 0) + (others + w.each - 1) / w.each, step_task, &w);
    }
    for (int64_t i = w.block; i < w.r; i++) {
        const int64_t first = i / w.block * w.block;
        if (wide) pivots[i] += first;
        else ((int32_t *)pivots)[i] += (int32_t)first;
    }
    cpi_parallel((w.r - 1) / w.block, exchange_task, &w);
    return w.info;
}

/* --- right sides --- */

typedef struct sides {
    const job *j;
    int which;
    const char *words[4];
    int64_t n, k, each;
    const void *t;
    char *x;
} sides;

static void sides_task(void *context, int64_t task, int worker)
{
    const sides *w = context;
    const int64_t first = task * w->each, count = at_most(w->each, w->k - first);
    double one[2] = {0};
    const int was = cpi_lapack_alone_begin();
    (void)worker;
    set_number(w->j, one, 0, 1, 0);
    w->j->f[w->which](w->words[0], w->words[1], w->words[2], w->words[3], &count, &w->n, one, w->t, &w->n,
                      w->x + (size_t)first * w->j->size, &w->k);
    cpi_lapack_alone_end(was);
}

void cpi_lu_divide(const job *j, int which, bool lower, cpi_trans trans, bool unit, const void *t, char *x, int64_t k)
{
    static const char *const words[] = {"N", "T", "C"};
    sides w = {j, which, {"R", lower ? "L" : "U", words[trans], unit ? "U" : "N"}, j->l->n, k, k, t, x};
    if (j->pooled && w.n > SERIAL && k >= 2 * RIGHT_SIDES) {
        w.each = (k + TASKS - 1) / TASKS;
        if (w.each < RIGHT_SIDES) w.each = RIGHT_SIDES;
    }
    if (k > 0) cpi_parallel((k + w.each - 1) / w.each, sides_task, &w);
}
