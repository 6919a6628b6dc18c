/* Padding and triangles on the CPU, row by row, in segments that are copied, filled or looked up. */
#include "move/move.h"

#include <string.h>

#include "cpu/threads.h"
#include "loop/boundary.h"
#include "move/runs.h"

enum { ROW_BYTES = 1 << 16 }; /* of a task */

typedef struct {
    const cpi_loop *loop;
    const cpi_padding *p;
    int64_t k, size, rows, each;
    bool upper;
} job;

static void each_row(job *j, cpi_task task)
{
    const cpi_loop *loop = j->loop;
    const int64_t columns = loop->shape[loop->ndim - 1];
    j->rows = loop->size / columns;
    cpi_parallel(cpi_split(j->rows, columns * j->size, ROW_BYTES, &j->each), task, j);
}

/* --- padding --- */

/* The beginning of row r of the result, and its source row: NULL for one of constant values. */
static const char *row_of(const job *j, int64_t r, char **to)
{
    const cpi_loop *loop = j->loop;
    const cpi_padding *p = j->p;
    const char *from = loop->op[1].data;
    *to = loop->op[0].data + r * loop->shape[loop->ndim - 1] * j->size;
    for (int d = loop->ndim - 2; d >= 0; d--) {
        const int64_t at = cpi_unravel_axis(loop->shape[d], &r) - p->before[d];
        const int64_t i = cpi_boundary_index(at, p->n[d], p->boundary);
        if (i < 0) return NULL;
        from += i * loop->op[1].strides[d];
    }
    return from;
}

/* Positions at .. end - 1 of a row, relative to the array's first element. */
static void pad_run(const job *j, char *to, const char *from, int64_t at, int64_t end)
{
    const cpi_padding *p = j->p;
    const int last = j->loop->ndim - 1;
    const int64_t step = j->loop->op[1].strides[last], n = p->n[last];
    if (at >= end) return;
    if (p->boundary == CPI_BOUNDARY_CONSTANT || p->boundary == CPI_BOUNDARY_NEAREST) {
        const char *end_element = from + (at < 0 ? 0 : n - 1) * step;
        const bool constant = p->boundary == CPI_BOUNDARY_CONSTANT;
        cpi_fill_run(to, constant ? (const char *)p->value : end_element, end - at, j->size);
        return;
    }
    if (p->boundary == CPI_BOUNDARY_GRID_WRAP) {
        while (at < end) {
            const int64_t i = cpi_boundary_index(at, n, p->boundary), run = n - i < end - at ? n - i : end - at;
            cpi_copy_run(to, j->size, from + i * step, step, run, j->size);
            to += run * j->size, at += run;
        }
        return;
    }
    for (; at < end; at++, to += j->size)
        cpi_copy_run(to, j->size, from + cpi_boundary_index(at, n, p->boundary) * step, step, 1, j->size);
}

static void pad_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    const cpi_padding *p = j->p;
    const int last = j->loop->ndim - 1;
    const int64_t columns = j->loop->shape[last], before = p->before[last], n = p->n[last];
    (void)worker;
    for (int64_t r = task * j->each; r < j->rows && r < (task + 1) * j->each; r++) {
        char *to;
        const char *from = row_of(j, r, &to);
        if (!from) {
            cpi_fill_run(to, p->value, columns, j->size);
            continue;
        }
        pad_run(j, to, from, -before, 0);
        cpi_copy_run(to + before * j->size, j->size, from, j->loop->op[1].strides[last], n, j->size);
        pad_run(j, to + (before + n) * j->size, from, n, columns - before);
    }
}

cp_code cpi_move_cpu_pad(cp_stream *stream, const cpi_loop *loop, const cpi_padding *padding)
{
    job j = {.loop = loop, .p = padding, .size = cpi_itemsize(loop->op[0].type)};
    (void)stream;
    each_row(&j, pad_task);
    return CP_OK;
}

/* --- triangles --- */

static int64_t within(int64_t i, int64_t n) { return i < 0 ? 0 : i > n ? n : i; }

static void zero_run(char *to, int64_t step, int64_t n, int64_t size)
{
    if (step == size) memset(to, 0, (size_t)(n * size));
    else
        for (int64_t i = 0; i < n; i++) memset(to + i * step, 0, (size_t)size);
}

static void triangle_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    const cpi_loop *loop = j->loop;
    const int nd = loop->ndim;
    const cpi_operand *to = &loop->op[0], *from = &loop->op[1];
    const int64_t columns = loop->shape[nd - 1], steps[2] = {to->strides[nd - 1], from->strides[nd - 1]};
    const int64_t *const strides[2] = {to->strides, from->strides};
    int64_t at[CP_MAXDIM], offset[2];
    cpi_unravel(nd - 1, loop->shape, task * j->each, at);
    for (int k = 0; k < 2; k++) offset[k] = cpi_offset(nd - 1, at, strides[k]);
    (void)worker;
    for (int64_t r = task * j->each; r < j->rows && r < (task + 1) * j->each; r++) {
        char *out = to->data + offset[0];
        const char *in = from->data + offset[1];
        const int64_t row = at[nd - 2];
        const int64_t first = j->upper ? within(row + j->k, columns) : 0;
        const int64_t end = j->upper ? columns : within(row + j->k + 1, columns);
        if (first) zero_run(out, steps[0], first, j->size);
        cpi_copy_run(out + first * steps[0], steps[0], in + first * steps[1], steps[1], end - first, j->size);
        if (end < columns) zero_run(out + end * steps[0], steps[0], columns - end, j->size);
        cpi_next_offsets(nd - 1, loop->shape, at, 2, strides, offset);
    }
}

cp_code cpi_move_cpu_triangle(cp_stream *stream, const cpi_loop *loop, int64_t k, bool upper)
{
    job j = {.loop = loop, .k = k, .upper = upper, .size = cpi_itemsize(loop->op[0].type)};
    (void)stream;
    each_row(&j, triangle_task);
    return CP_OK;
}
