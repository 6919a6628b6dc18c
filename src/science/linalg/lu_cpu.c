/* LU of one matrix in rows, by the pool's threads.
 *
 * Columns form blocks. A block, a panel, is copied in columns, where LAPACK factors it with one thread. Then each task
 * updates some columns on the right: it exchanges rows, solves with the panel's triangle (substitute_cpu.c) and
 * subtracts a product. The first task, which has the next panel, also factors it; so there are two copies, by turns.
 * Right sides are columns too. Rows are exchanged where they are contiguous, and only panels are ever transposed.
 * OpenBLAS's own threads hardly speed up its getrf to 1024 rows. Blocks and tasks follow from the sizes alone, so that
 * the number of threads changes no bit.
 *
 * For an inverse the right sides are a unit matrix. Exchanges are made in its columns too, so that it stays triangular
 * and becomes the inverse of L; a step changes only columns up to the panel's last one. */
#include "linalg/lu.h"

#include <string.h>

#include "cpu/threads.h"
#include "linalg/substitute.h"

enum {
    SERIAL = 80,       /* rows or columns up to which LAPACK does all of it: one panel */
    LARGE = 640,       /* from which on blocks are the wider ones */
    BLOCK = 48, WIDE_BLOCK = 64,
    TASKS = 8,         /* about so many a step */
    ROWS = 64          /* of a task that moves elements */
};

typedef struct steps {
    const job *j;
    cpi_lu *lu;
    char *a;
    int64_t pitch, r, block;
    char *copies[2];
    int64_t *list;     /* what getrf writes for a panel */
    int64_t panel;     /* the last one that was factored: its first column, */
    int64_t width, next, each; /* and columns; the next one's; of a task behind it */
    int64_t tasks_a, sides;    /* tasks for other columns of A; right sides that a step changes */
    const int32_t *order;
} steps;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t parts_of(int64_t n, int64_t of) { return (n + of - 1) / of; }
static int64_t block_of(int64_t r) { return r <= SERIAL ? r : r < LARGE ? BLOCK : WIDE_BLOCK; }
static char *copy_of(const steps *w, int64_t panel) { return w->copies[panel / w->block % 2]; }
static char *at(const job *j, char *x, int64_t pitch, int64_t row, int64_t column)
{
    return x + (row * pitch + column) * (int64_t)j->size;
}
/* Rows of the workspace are not a multiple of a page apart. */
static int64_t pitch_of(const job *j)
{
    const size_t bytes = rounded((size_t)j->l->n * j->size);
    return (int64_t)((bytes % 512 ? bytes : bytes + 64) / j->size);
}

size_t cpi_lu_bytes(const job *j, bool apart)
{
    const int64_t block = block_of(j->r), panels = j->r > block ? 2 : 1;
    const size_t copies = (size_t)panels * rounded((size_t)(j->l->m * block) * j->size) + rounded((size_t)block * 8);
    if (!apart) return copies;
    const size_t a = panels > 1 ? rounded((size_t)(j->l->m * pitch_of(j)) * j->size) : 0;
    return rounded((size_t)j->r * 4) + a + copies;
}

/* --- rows exchanged --- */
static void exchange_row(size_t bytes, char *a, char *b)
{
    char held[512];
    for (size_t n; bytes; bytes -= n, a += n, b += n) {
        n = bytes < sizeof held ? bytes : sizeof held;
        memcpy(held, a, n);
        memcpy(a, b, n);
        memcpy(b, held, n);
    }
}
/* Of some columns, as pivots first.. before `last` say. */
static void exchange(const job *j, const int32_t *pivots, int64_t first, int64_t last, char *x, int64_t pitch,
                     int64_t count)
{
    for (int64_t i = first; i < last; i++)
        if (pivots[i] != i)
            exchange_row((size_t)count * j->size, at(j, x, pitch, i, 0), at(j, x, pitch, pivots[i], 0));
}
void cpi_lu_exchange(const job *j, int64_t n, const int32_t *pivots, char *x, int64_t k, bool back)
{
    if (!back) exchange(j, pivots, 0, n, x, k, k);
    else
        for (int64_t i = n - 1; i >= 0; i--) exchange(j, pivots, i, i + 1, x, k, k);
}

void cpi_lu_order(int64_t m, int64_t n, const int32_t *pivots, int32_t *rows)
{
    for (int64_t i = 0; i < m; i++) rows[i] = (int32_t)i;
    for (int64_t i = 0; i < n; i++) {
        const int32_t held = rows[i];
        rows[i] = rows[pivots[i]];
        rows[pivots[i]] = held;
    }
}

/* --- steps --- */
static void factor_panel(steps *w, int64_t first, int64_t width)
{
    cpi_lu *lu = w->lu;
    int64_t rows = lu->m - first, info = 0;
    char *copy = copy_of(w, first), *a = at(w->j, w->a, w->pitch, first, first);
    cpi_job_transpose_part(w->j, rows, width, a, w->pitch, copy, rows);
    w->j->f[CPI_LU_GETRF](&rows, &width, copy, &rows, w->list, &info);
    info = cpi_lapack_slot(&info, 0);
    if (info > 0 && !lu->info) lu->info = first + info;
    for (int64_t i = 0; i < at_most(rows, width); i++)
        lu->pivots[first + i] = (int32_t)(first + cpi_lapack_slot(w->list, i) - 1);
    if (lu->to || w->r > w->block)
        cpi_job_transpose_part(w->j, width, lu->to ? rows : at_most(rows, width), copy, rows, a, w->pitch);
}

/* Substitution in a single right side: the kernel of substitute_simd.c would fill one lane of a vector. With one panel
 * alone, so small that BLAS takes one thread whatever it is given. */
static bool is_vector(const job *j, const cpi_lu *lu)
{
    return lu->k == 1 && !lu->inverse && at_most(lu->m, lu->n) <= SERIAL && j->f[CPI_LU_TRSV];
}
static void substitute_vector(const job *j, const cpi_lu *lu, bool lower, int64_t ld, const char *t)
{
    const int64_t one = 1;
    j->f[CPI_LU_TRSV](lower ? "L" : "U", "N", lower ? "U" : "N", &lu->n, t, &ld, lu->b, &one);
}

/* Updates columns behind the last panel, or right sides, of which the first `moved` are exchanged. */
static void update(const steps *w, char *x, int64_t pitch, int64_t count, int64_t moved)
{
    const int64_t p = w->panel, ld = w->lu->m - p, below = ld - w->width;
    const job *j = w->j;
    const char *copy = copy_of(w, p);
    const cpi_substitution s = {.j = j, .gemm = j->f[CPI_LU_GEMM], .n = w->width, .t = copy, .row = 1, .column = ld,
                                .lower = true, .unit = true};
    double plus[2] = {0}, minus[2] = {0};
    char *top = at(j, x, pitch, p, 0);
    set_number(j, plus, 0, 1, 0), set_number(j, minus, 0, -1, 0);
    exchange(j, w->lu->pivots, p, p + w->width, x, pitch, moved);
    if (is_vector(j, w->lu)) substitute_vector(j, w->lu, true, ld, copy);
    else cpi_substitute(&s, top, pitch, count);
    if (below > 0)
        j->f[CPI_LU_GEMM]("N", "T", &count, &below, &w->width, minus, top, &pitch, copy + (size_t)w->width * j->size,
                          &ld, plus, at(j, top, pitch, w->width, 0), &pitch);
}

static void step_task(void *context, int64_t task, int worker)
{
    steps *w = context;
    const cpi_lu *lu = w->lu;
    const int64_t behind = w->panel + w->width, others = behind + w->next;
    const int was = cpi_lapack_alone_begin();
    (void)worker;
    if (w->next && task == 0) {
        update(w, at(w->j, w->a, w->pitch, 0, behind), w->pitch, w->next, w->next);
        factor_panel(w, behind, w->next);
    } else if ((task -= w->next > 0) < w->tasks_a) {
        const int64_t first = others + task * w->each, count = at_most(w->each, lu->n - first);
        update(w, at(w->j, w->a, w->pitch, 0, first), w->pitch, count, count);
    } else {
        const int64_t first = (task - w->tasks_a) * w->each, count = at_most(w->each, w->sides - first);
        const int64_t moved = !lu->inverse ? count : w->panel > first ? at_most(w->panel - first, count) : 0;
        update(w, at(w->j, lu->b, lu->k, 0, first), lu->k, count, moved);
    }
    cpi_lapack_alone_end(was);
}

/* The exchanges of all later panels, for a panel's columns. */
static void exchange_task(void *context, int64_t task, int worker)
{
    const steps *w = context;
    const int64_t column = task * w->block;
    (void)worker;
    exchange(w->j, w->lu->pivots, column + w->block, w->r, at(w->j, w->a, w->pitch, 0, column), w->pitch, w->block);
}

/* Some rows of A, and of B. */
static void copy_task(void *context, int64_t task, int worker)
{
    const steps *w = context;
    const cpi_lu *lu = w->lu;
    const size_t size = w->j->size;
    (void)worker;
    for (int64_t i = task * ROWS; i < at_most(task * ROWS + ROWS, lu->m); i++) {
        if (w->a != lu->from)
            memcpy(at(w->j, w->a, w->pitch, i, 0), lu->from + (size_t)(i * lu->n) * size, (size_t)lu->n * size);
        if (!lu->k) continue;
        char *b = at(w->j, lu->b, lu->k, i, 0);
        if (lu->sides) memcpy(b, lu->sides + (size_t)(i * lu->k) * size, (size_t)lu->k * size);
        if (lu->inverse) memset(b, 0, (size_t)lu->k * size), set_number(w->j, b, i, 1, 0);
    }
}

/* Where what lies in the workspace. */
static steps begin_steps(const job *j, cpi_lu *lu, char *work)
{
    steps w = {.j = j, .lu = lu, .r = at_most(lu->m, lu->n), .a = lu->to, .pitch = lu->n};
    w.block = w.width = block_of(w.r);
    const bool panels = w.r > w.block;
    if (!w.a) work += rounded((size_t)w.r * 4); /* for cpi_lu_finish */
    if (!w.a && panels) {
        w.a = work, w.pitch = pitch_of(j);
        work += rounded((size_t)(lu->m * w.pitch) * j->size);
    } else if (!w.a) {
        w.a = (char *)(uintptr_t)lu->from; /* a single panel, which is not written back */
    }
    for (int i = 0; i < 1 + panels; i++, work += rounded((size_t)(lu->m * w.block) * j->size)) w.copies[i] = work;
    w.list = (int64_t *)(void *)work;
    lu->info = 0;
    lu->u = lu->to || panels ? w.a : w.copies[0];
    lu->row = lu->to || panels ? w.pitch : 1, lu->column = lu->to || panels ? 1 : lu->m;
    return w;
}

void cpi_lu_factor(const job *j, cpi_lu *lu, char *work)
{
    steps w = begin_steps(j, lu, work);
    const int64_t tasks = parts_of(lu->m, ROWS);
    if (w.r > w.block) cpi_parallel(tasks, copy_task, &w);
    else
        for (int64_t i = 0; i < tasks; i++) copy_task(&w, i, 0);
    factor_panel(&w, 0, w.width);
    for (; w.panel < w.r; w.panel += w.width, w.width = w.next) {
        const int64_t behind = w.panel + w.width;
        w.next = at_most(w.block, w.r - behind);
        w.sides = lu->inverse ? behind : lu->k;
        const int64_t others = lu->n - behind - w.next;
        w.each = ((others + w.sides) / TASKS + BLOCK) / BLOCK * BLOCK;
        w.tasks_a = parts_of(others, w.each);
        cpi_parallel((w.next > 0) + w.tasks_a + parts_of(w.sides, w.each), step_task, &w);
    }
    if (lu->to && w.r > w.block) cpi_parallel((w.r - 1) / w.block, exchange_task, &w);
}

/* --- the end --- */
/* A row of an inverse, whose columns are moved; `held` has space for it. */
#define MOVE(T, name)                                                                      \
    static void name(int64_t n, const int32_t *order, void *row, void *held)                \
    {                                                                                      \
        T *to = row, *from = memcpy(held, row, (size_t)n * sizeof(T));                      \
        for (int64_t c = 0; c < n; c++) to[order[c]] = from[c];                             \
    }
typedef struct pair { double re, im; } pair;
MOVE(uint32_t, move4)
MOVE(uint64_t, move8)
MOVE(pair, move16)

/* Some rows. The factors, which are not needed any more, make space for one row a task. */
static void order_task(void *context, int64_t task, int worker)
{
    const steps *w = context;
    const int64_t n = w->lu->n;
    char *held = at(w->j, w->a, n, task, 0);
    (void)worker;
    for (int64_t i = task * ROWS; i < at_most(task * ROWS + ROWS, n); i++) {
        char *row = at(w->j, w->lu->b, n, i, 0);
        if (w->j->size == 4) move4(n, w->order, row, held);
        else if (w->j->size == 8) move8(n, w->order, row, held);
        else move16(n, w->order, row, held);
    }
}
void cpi_lu_finish(const job *j, const cpi_lu *lu, char *work)
{
    const cpi_substitution s = {.j = j, .gemm = j->f[CPI_LU_GEMM], .n = lu->n, .t = lu->u, .row = lu->row,
                                .column = lu->column};
    if (is_vector(j, lu)) substitute_vector(j, lu, false, lu->column, lu->u);
    else cpi_substitute_all(&s, lu->b, lu->k, lu->k);
    if (!lu->inverse) return;
    int32_t *order = (int32_t *)(void *)work;
    steps w = {.j = j, .lu = (cpi_lu *)(uintptr_t)lu, .a = (char *)(uintptr_t)lu->u, .order = order};
    cpi_lu_order(lu->n, lu->n, lu->pivots, order);
    if (block_of(lu->n) < lu->n) cpi_parallel(parts_of(lu->n, ROWS), order_task, &w);
    else
        for (int64_t i = 0; i < parts_of(lu->n, ROWS); i++) order_task(&w, i, 0);
}
