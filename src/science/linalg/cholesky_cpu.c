/* Cholesky's factorization of one matrix by the pool's threads.
 *
 * As LU (lu_cpu.c): LAPACK factors a block on the diagonal with one thread, its routines divide the panel behind it,
 * and tasks update columns of the triangle that is left; the first task has the next panel, and factors it. Blocks and
 * tasks follow from the sizes alone, so that the number of threads changes no bit. Matrices lie in columns, as LAPACK
 * has them, and only one triangle of them is read and written. */
#include "linalg/job.h"

#include "cpu/threads.h"

enum {
    SERIAL = 160,      /* rows up to which LAPACK does all of it */
    LARGE = 640, VAST = 1500, /* from which on blocks are wider */
    BLOCK = 48, LARGE_BLOCK = 96, VAST_BLOCK = 160,
    TASKS = 8          /* at least so many a step, while there are columns */
};

typedef struct cholesky {
    const job *j;
    bool lower;
    int64_t n, block;
    char *a;
    int64_t panel, width; /* the last panel's first column, and its columns */
    int64_t next, each;   /* the next panel's columns, and those of a task behind it */
    int64_t info;
} cholesky;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

/* A's element, or for an upper triangle the element on the other side of the diagonal. */
static char *element(const cholesky *w, int64_t row, int64_t column)
{
    return w->a + (size_t)(w->lower ? column * w->n + row : row * w->n + column) * w->j->size;
}

/* Factors the block at `first`, and divides what is below it (beside it in an upper triangle). */
static void factor_panel(cholesky *w, int64_t first, int64_t width)
{
    const int64_t below = w->n - first - width;
    int64_t info = 0;
    double one[2] = {0};
    if (w->info) return;
    set_number(w->j, one, 0, 1, 0);
    w->j->f[CPI_CHOLESKY_POTRF](w->lower ? "L" : "U", &width, element(w, first, first), &w->n, &info);
    info = cpi_lapack_slot(&info, 0);
    if (info > 0) {
        w->info = first + info;
    } else if (below > 0 && w->lower) {
        w->j->f[CPI_CHOLESKY_TRSM]("R", "L", "C", "N", &below, &width, one, element(w, first, first), &w->n,
                                   element(w, first + width, first), &w->n);
    } else if (below > 0) {
        w->j->f[CPI_CHOLESKY_TRSM]("L", "U", "C", "N", &width, &below, one, element(w, first, first), &w->n,
                                   element(w, first + width, first), &w->n);
    }
}

/* Takes the last panel's part from `count` columns of the triangle (rows of an upper one). */
static void update(const cholesky *w, int64_t column, int64_t count)
{
    const int64_t p = w->panel, behind = column + count, below = w->n - behind;
    double plus[2] = {0}, minus[2] = {0};
    set_number(w->j, plus, 0, 1, 0), set_number(w->j, minus, 0, -1, 0);
    const char *here = element(w, column, p);
    w->j->f[CPI_CHOLESKY_HERK](w->lower ? "L" : "U", w->lower ? "N" : "C", &count, &w->width, minus, here, &w->n, plus,
                               element(w, column, column), &w->n);
    if (below > 0 && w->lower)
        w->j->f[CPI_CHOLESKY_GEMM]("N", "C", &below, &count, &w->width, minus, element(w, behind, p), &w->n, here,
                                   &w->n, plus, element(w, behind, column), &w->n);
    else if (below > 0)
        w->j->f[CPI_CHOLESKY_GEMM]("C", "N", &count, &below, &w->width, minus, here, &w->n, element(w, behind, p),
                                   &w->n, plus, element(w, behind, column), &w->n);
}

static void step_task(void *context, int64_t task, int worker)
{
    cholesky *w = context;
    const int64_t behind = w->panel + w->width, column = behind + w->next + (task - 1) * w->each;
    const int was = cpi_lapack_alone_begin();
    (void)worker;
    if (task == 0) {
        update(w, behind, w->next);
        factor_panel(w, behind, w->next);
    } else {
        update(w, column, at_most(w->each, w->n - column));
    }
    cpi_lapack_alone_end(was);
}

int64_t cpi_cholesky_factor(const job *j, int64_t n, bool lower, char *a)
{
    cholesky w = {.j = j, .lower = lower, .n = n, .a = a};
    if (!j->pooled || n <= SERIAL) {
        j->f[CPI_CHOLESKY_POTRF](lower ? "L" : "U", &n, a, &n, &w.info);
        return cpi_lapack_slot(&w.info, 0);
    }
    w.block = n < LARGE ? BLOCK : n < VAST ? LARGE_BLOCK : VAST_BLOCK;
    w.width = w.block;
    factor_panel(&w, 0, w.width);
    for (; w.panel + w.width < n && !w.info; w.panel += w.width, w.width = w.next) {
        const int64_t rest = n - w.panel - w.width;
        w.next = at_most(w.block, rest);
        const int64_t others = rest - w.next;
        w.each = (others / (2 * TASKS) + w.block) / w.block * w.block; /* the first of them are twice the mean's work */
        cpi_parallel(1 + (others + w.each - 1) / w.each, step_task, &w);
    }
    return w.info;
}
