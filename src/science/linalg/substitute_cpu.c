/* Triangular systems for many right sides, which lie in rows.
 *
 * A triangle is halved until BLOCK rows are left; between the halves is a product, so that most of the work is. The
 * rest is a kernel of ours, because OpenBLAS's trsm takes up to three times as long as a product. Blocks and tasks
 * follow from the sizes alone. */
#include "linalg/substitute.h"

#include "cpu/features.h"
#include "cpu/threads.h"

enum {
    BLOCK = 48,        /* at most so many rows of a kernel's call, */
    ROWS = 16,         /* which are a multiple of these but for the last */
    TASKS = 8,         /* about so many, */
    RIGHT_SIDES = 32,  /* of at least so many columns */
    WORTH = 1 << 18    /* products below which there is one */
};

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static bool is_in_rows(const cpi_substitution *s) { return s->row != 1; }
static int64_t pitch_of_t(const cpi_substitution *s) { return is_in_rows(s) ? s->row : s->column; }
static char *element(const cpi_substitution *s, int64_t row, int64_t column)
{
    return (char *)(uintptr_t)s->t + (row * s->row + column * s->column) * (int64_t)s->j->size;
}

static void by_kernel(const cpi_substitution *s, int64_t first, int64_t n, char *x, int64_t pitch, int64_t count)
{
    const cp_type type = s->j->l->type;
    const int which = type == CP_FLOAT32 ? 0 : type == CP_FLOAT64 ? 1 : type == CP_COMPLEX64 ? 2 : 3;
    const int64_t last = first + n - 1, begin = s->lower ? first : last, sign = s->lower ? 1 : -1;
    const cpi_triangle w = {n, element(s, begin, begin), sign * s->row, sign * s->column, s->unit, s->conjugate};
    char *from = x + (size_t)(begin * pitch) * s->j->size;
    CPI_BEST(cpi_substitute_kernels)->run[which](&w, from, sign * pitch, count);
}

/* Rows `to`.. less the product of the matrix there with rows from.., which are done. */
static void subtract(const cpi_substitution *s, int64_t to, int64_t rows, int64_t from, int64_t depth, char *x,
                     int64_t pitch, int64_t count)
{
    const int64_t ld = pitch_of_t(s);
    double plus[2] = {0}, minus[2] = {0};
    set_number(s->j, plus, 0, 1, 0), set_number(s->j, minus, 0, -1, 0);
    s->gemm("N", is_in_rows(s) ? "N" : s->conjugate ? "C" : "T", &count, &rows, &depth, minus,
            x + (size_t)(from * pitch) * s->j->size, &pitch, element(s, to, from), &ld, plus,
            x + (size_t)(to * pitch) * s->j->size, &pitch);
}

static void halves(const cpi_substitution *s, int64_t first, int64_t n, char *x, int64_t pitch, int64_t count)
{
    if (n <= BLOCK) {
        by_kernel(s, first, n, x, pitch, count);
        return;
    }
    const int64_t half = (n / 2 + ROWS - 1) / ROWS * ROWS, middle = first + half, rest = n - half;
    if (s->lower) {
        halves(s, first, half, x, pitch, count);
        subtract(s, middle, rest, first, half, x, pitch, count);
        halves(s, middle, rest, x, pitch, count);
    } else {
        halves(s, middle, rest, x, pitch, count);
        subtract(s, first, half, middle, rest, x, pitch, count);
        halves(s, first, half, x, pitch, count);
    }
}

void cpi_substitute(const cpi_substitution *s, char *x, int64_t pitch, int64_t count)
{
    halves(s, 0, s->n, x, pitch, count);
}

typedef struct columns {
    const cpi_substitution *s;
    char *x;
    int64_t pitch, count, each;
} columns;
static void columns_task(void *context, int64_t task, int worker)
{
    const columns *w = context;
    const int64_t first = task * w->each;
    const int was = cpi_lapack_alone_begin();
    (void)worker;
    cpi_substitute(w->s, w->x + (size_t)first * w->s->j->size, w->pitch, at_most(w->each, w->count - first));
    cpi_lapack_alone_end(was);
}
void cpi_substitute_all(const cpi_substitution *s, char *x, int64_t pitch, int64_t count)
{
    columns w = {s, x, pitch, count, count};
    if ((double)s->n * (double)s->n * (double)count > WORTH) {
        w.each = (count + TASKS - 1) / TASKS;
        w.each = w.each < RIGHT_SIDES ? RIGHT_SIDES : (w.each + RIGHT_SIDES - 1) / RIGHT_SIDES * RIGHT_SIDES;
    }
    if (count > 0) cpi_parallel((count + w.each - 1) / w.each, columns_task, &w);
}
