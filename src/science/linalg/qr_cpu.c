/* QR of one matrix by the pool's threads.
 *
 * Columns are blocks. LAPACK factors one block, a panel, with one thread, into reflections and the triangle T of
 * I - V T V^H; then each task applies that to some columns on the right, and the first of them, which has the next
 * panel, factors it meanwhile. Q is made where it goes: its rows lie there as columns of its transpose, which the
 * panels, from the last to the first, multiply from the right, each task's part for itself, so that nobody waits.
 * Blocks and tasks follow from the sizes alone: the number of threads changes no bit. */
#include <string.h>

#include "linalg/job.h"

#include "cpu/threads.h"

enum {
    SERIAL = 96,       /* rows or columns up to which LAPACK does all of it */
    BLOCK = 32, LARGE = 1024, WIDE_BLOCK = 64, /* columns of a panel; of a large matrix */
    TASKS = 8,         /* about so many a step */
    PART = 64          /* columns of Q of a task */
};

typedef struct qr {
    const job *j;
    int64_t m, n, r, block, columns; /* columns of Q */
    char *a, *t, *q, *work;
    size_t worker_bytes;
    int64_t panel, width, next, each; /* the last panel's first column, its columns, the next one's; of a task */
} qr;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static char *element(const qr *w, int64_t row, int64_t column)
{
    return w->a + (size_t)(column * w->m + row) * w->j->size;
}
static char *triangle(const qr *w, int64_t panel) { return w->t + (size_t)(panel * w->block) * w->j->size; }
static int64_t block_of(int64_t r) { return r < LARGE ? BLOCK : WIDE_BLOCK; }
static int64_t most_of(int64_t n, int64_t block)
{
    const int64_t each = (n / TASKS + block) / block * block;
    return each > PART ? each : PART;
}

bool cpi_qr_is_shared(const job *j) { return j->r > SERIAL; }

size_t cpi_qr_bytes(const job *j)
{
    const int64_t block = block_of(j->r);
    const size_t worker = rounded((size_t)(most_of(j->l->n, block) * block) * j->size);
    return rounded((size_t)(block * j->r) * j->size) + worker * (size_t)cpi_workers();
}

static void factor_panel(qr *w, int64_t first, int64_t width)
{
    int64_t rows = w->m - first, info = 0;
    w->j->f[CPI_QR_GEQRT3](&rows, &width, element(w, first, first), &w->m, triangle(w, first), &w->block, &info);
}

/* Columns behind the last panel: times I - V T^H V^H. */
static void update(const qr *w, int64_t column, int64_t count, int worker)
{
    const int64_t p = w->panel, rows = w->m - p;
    w->j->f[CPI_QR_LARFB]("L", is_complex(w->j) ? "C" : "T", "F", "C", &rows, &count, &w->width, element(w, p, p),
                          &w->m, triangle(w, p), &w->block, element(w, p, column), &w->m,
                          w->work + (size_t)worker * w->worker_bytes, &count);
}

static void step_task(void *context, int64_t task, int worker)
{
    qr *w = context;
    const int64_t behind = w->panel + w->width, column = behind + w->next + (task - (w->next > 0)) * w->each;
    const int was = cpi_lapack_alone_begin();
    if (task == 0 && w->next) {
        update(w, behind, w->next, worker);
        factor_panel(w, behind, w->next);
    } else {
        update(w, column, at_most(w->each, w->n - column), worker);
    }
    cpi_lapack_alone_end(was);
}

/* Some columns of Q, those with most work first: rows of the array in columns that Q's transpose is. */
static void q_task(void *context, int64_t task, int worker)
{
    const qr *w = context;
    const job *j = w->j;
    const int64_t parts = (w->columns + PART - 1) / PART, first = (parts - 1 - task) * PART;
    const int64_t count = at_most(PART, w->columns - first), last = at_most(first + count, w->r) - 1;
    const int was = cpi_lapack_alone_begin();
    char *q = w->q + (size_t)first * j->size;
    for (int64_t row = 0; row < w->m; row++)
        memset(q + (size_t)(row * w->columns) * j->size, 0, (size_t)count * j->size);
    for (int64_t c = first; c < first + count; c++)
        set_part(j, w->q, (c * w->columns + c) * (is_complex(j) ? 2 : 1), 1);
    for (int64_t p = last / w->block * w->block; p >= 0; p -= w->block) {
        const int64_t width = at_most(w->block, w->r - p), rows = w->m - p;
        j->f[CPI_QR_LARFB]("R", is_complex(j) ? "C" : "T", "F", "C", &count, &rows, &width, element(w, p, p), &w->m,
                           triangle(w, p), &w->block, q + (size_t)(p * w->columns) * j->size, &w->columns,
                           w->work + (size_t)worker * w->worker_bytes, &count);
    }
    for (int64_t row = 0; row < w->m && is_complex(j); row++) /* of Q^H, Q's transpose */
        for (int64_t c = 0; c < count; c++) {
            const int64_t at = 2 * (row * w->columns + first + c) + 1;
            set_part(j, w->q, at, -part_of(j, w->q, at));
        }
    cpi_lapack_alone_end(was);
}

static qr begin_qr(const job *j, char *a, char *work)
{
    qr w = {.j = j, .m = j->l->m, .n = j->l->n, .r = j->r, .a = a, .t = work, .block = block_of(j->r)};
    w.work = work + rounded((size_t)(w.block * w.r) * j->size);
    w.worker_bytes = rounded((size_t)(most_of(w.n, w.block) * w.block) * j->size);
    return w;
}

void cpi_qr_factor(const job *j, char *a, char *tau, char *work)
{
    qr w = begin_qr(j, a, work);
    w.width = w.block;
    factor_panel(&w, 0, w.width);
    for (; w.panel < w.r; w.panel += w.width, w.width = w.next) {
        const int64_t behind = w.panel + w.width, rest = w.n - behind;
        w.next = at_most(w.block, w.r - behind);
        const int64_t others = rest - w.next;
        w.each = (others / TASKS + w.block) / w.block * w.block;
        cpi_parallel((w.next > 0) + (others + w.each - 1) / w.each, step_task, &w);
    }
    for (int64_t k = 0; k < w.r; k++) /* T's diagonal */
        memcpy(tau + (size_t)k * j->size, triangle(&w, k) + (size_t)(k % w.block) * j->size, j->size);
}

void cpi_qr_make_q(const job *j, char *a, int64_t columns, char *q, char *work)
{
    qr w = begin_qr(j, a, work);
    w.columns = columns;
    w.q = q;
    cpi_parallel((columns + PART - 1) / PART, q_task, &w);
}
