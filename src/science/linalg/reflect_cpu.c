/* Products with a unitary matrix of many reflections, Q = H_0 H_1 ..., by the pool's threads.
 *
 * Reflections are panels I - V T V^H. First tasks copy each panel's V, with its ones and zeros, and multiply it by T.
 * Then each task takes some columns (or rows) of the other matrix through all panels, the last one first, by two
 * products a panel: nobody waits. Panels and tasks follow from the sizes alone. */
#include <string.h>

#include "cpu/threads.h"
#include "linalg/spectra.h"

enum {
    BLOCK = 32, LARGE = 768, WIDE_BLOCK = 64, /* reflections of a panel; of long vectors */
    TASKS = 8, PART = 32                      /* about so many; columns of a task are a multiple */
};

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t block_of(int64_t length) { return length < LARGE ? BLOCK : WIDE_BLOCK; }
static int64_t each_of(int64_t other)
{
    const int64_t each = (other / TASKS + PART - 1) / PART * PART;
    return each > PART ? each : PART;
}
static int64_t height(const cpi_reflections *r, int64_t panel) { return r->length - panel - r->first; }

bool cpi_reflections_find(cpi_reflections *r, const job *j)
{
    const char *f = j->l->function;
    *r = (cpi_reflections){.j = j};
    return (r->larft = cpi_lapack(f, "larft", j->l->type)) && (r->trmm = cpi_lapack(f, "trmm", j->l->type)) &&
           (r->gemm = cpi_lapack(f, "gemm", j->l->type));
}

size_t cpi_reflections_bytes(const job *j, int64_t length, int64_t count, int64_t other)
{
    const size_t panels = (size_t)(length * count), block = (size_t)block_of(length);
    return 2 * rounded(panels * j->size) + rounded(block * (size_t)count * j->size) +
           (size_t)j->workers * rounded(block * (size_t)each_of(other) * j->size);
}

/* V of a panel, from where it lies. */
static void copy_panel(const cpi_reflections *r, int64_t panel, int64_t width, char *v)
{
    const job *j = r->j;
    const int64_t h = height(r, panel);
    for (int64_t c = 0; c < width; c++) {
        char *to = v + (size_t)(c * h) * j->size;
        memset(to, 0, (size_t)c * j->size);
        set_number(j, to, c, 1, 0);
        if (!r->in_rows) {
            const int64_t at = (panel + c) * r->ld + panel + r->first + c + 1;
            memcpy(to + (size_t)(c + 1) * j->size, r->a + (size_t)at * j->size, (size_t)(h - c - 1) * j->size);
            continue;
        }
        for (int64_t i = c + 1; i < h; i++)
            memcpy(to + (size_t)i * j->size, r->a + (size_t)((panel + r->first + i) * r->ld + panel + c) * j->size,
                   j->size);
        for (int64_t i = c + 1; i < h && is_complex(j); i++)
            set_part(j, to, 2 * i + 1, -part_of(j, to, 2 * i + 1));
    }
}

static void panel_task(void *context, int64_t task, int worker)
{
    const cpi_reflections *r = context;
    const job *j = r->j;
    (void)worker;
    const int64_t panel = task * r->block, width = at_most(r->block, r->count - panel), h = height(r, panel);
    const size_t at = (size_t)(panel * r->length) * j->size;
    char *v = r->v + at, *vt = r->vt + at, *t = r->t + (size_t)(panel * r->block) * j->size;
    double one[2] = {0};
    const int was = cpi_lapack_alone_begin();
    copy_panel(r, panel, width, v);
    memcpy(vt, v, (size_t)(h * width) * j->size);
    set_number(j, one, 0, 1, 0);
    r->larft("F", "C", &h, &width, v, &h, r->tau + (size_t)panel * j->size, t, &r->block);
    r->trmm("R", "U", "N", "N", &h, &width, one, t, &r->block, vt, &h);
    cpi_lapack_alone_end(was);
}

void cpi_reflections_begin(cpi_reflections *r, const char *a, int64_t ld, bool in_rows, const char *tau, int64_t first,
                           int64_t length, int64_t count, int64_t other, char *work)
{
    const job *j = r->j;
    const size_t panels = rounded((size_t)(length * count) * j->size);
    r->a = a, r->ld = ld, r->in_rows = in_rows, r->tau = tau;
    r->first = first, r->length = length, r->count = count, r->block = block_of(length);
    r->v = work, r->vt = work + panels, r->t = work + 2 * panels;
    r->work = r->t + rounded((size_t)(r->block * count) * j->size);
    r->worker_bytes = rounded((size_t)(r->block * each_of(other)) * j->size);
    cpi_parallel((count + r->block - 1) / r->block, panel_task, r);
}

static void multiply_task(void *context, int64_t task, int worker, bool left)
{
    const cpi_reflections *r = context;
    const job *j = r->j;
    const int64_t first = task * r->each, n = at_most(r->each, r->c_count - first);
    char *w = r->work + (size_t)worker * r->worker_bytes;
    double one[2] = {0}, zero[2] = {0}, minus[2] = {0};
    const int was = cpi_lapack_alone_begin();
    set_number(j, one, 0, 1, 0), set_number(j, minus, 0, -1, 0);
    for (int64_t p = (r->count - 1) / r->block * r->block; p >= 0; p -= r->block) {
        const int64_t width = at_most(r->block, r->count - p), h = height(r, p), row = p + r->first;
        const char *v = r->v + (size_t)(p * r->length) * j->size, *vt = r->vt + (size_t)(p * r->length) * j->size;
        char *c = r->c + (size_t)(left ? first * r->c_ld + row : row * r->c_ld + first) * j->size;
        if (left) {
            r->gemm("C", "N", &width, &n, &h, one, v, &h, c, &r->c_ld, zero, w, &width);
            r->gemm("N", "N", &h, &n, &width, minus, vt, &h, w, &width, one, c, &r->c_ld);
        } else {
            r->gemm("N", "N", &n, &width, &h, one, c, &r->c_ld, v, &h, zero, w, &n);
            r->gemm("N", "C", &n, &h, &width, minus, w, &n, vt, &h, one, c, &r->c_ld);
        }
    }
    cpi_lapack_alone_end(was);
}
static void left_task(void *context, int64_t task, int worker) { multiply_task(context, task, worker, true); }
static void right_task(void *context, int64_t task, int worker) { multiply_task(context, task, worker, false); }

static void multiply(cpi_reflections *r, char *c, int64_t ld, int64_t count, cpi_task task)
{
    if (r->count < 1) return;
    r->c = c, r->c_ld = ld, r->c_count = count, r->each = each_of(count);
    cpi_parallel((count + r->each - 1) / r->each, task, r);
}
void cpi_reflections_left(cpi_reflections *r, char *c, int64_t ld, int64_t columns)
{
    multiply(r, c, ld, columns, left_task);
}
void cpi_reflections_right(cpi_reflections *r, char *c, int64_t ld, int64_t rows)
{
    multiply(r, c, ld, rows, right_task);
}
