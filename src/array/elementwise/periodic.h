/* Loops whose inputs repeat, seen as rows: where an element of an input lies, by one division a vector.
 *
 * Invariant: the output is C-contiguous; its element i = r * inner + c is made of the element c % period of an input,
 * `row` bytes times r behind its beginning. A row of the output is whole vectors. Rows are the loop's outer dimensions,
 * or, where no input needs them, as long as suits; then the last one may end early. */
#ifndef CPI_PERIODIC_H
#define CPI_PERIODIC_H

#include "loop/loop.h"

enum { CPI_PERIODIC_INPUTS = 2, CPI_PERIODIC_ROW = 4096 };

typedef struct cpi_periodic_input {
    int64_t period, row;
    bool full;   /* it has an element for every one of the output */
    bool vector; /* vectors of it lie at multiples of 16 bytes */
} cpi_periodic_input;

typedef struct cpi_periodic {
    int64_t n, inner, rows;
    cpi_periodic_input x[CPI_PERIODIC_INPUTS];
} cpi_periodic;

/* Does the input repeat within the dimensions from `split` on, and go on evenly over those outside? */
static inline bool cpi_periodic_input_of(const cpi_loop *loop, const cpi_operand *op, int split, int64_t size,
                                         cpi_periodic_input *x)
{
    int d = loop->ndim;
    x->period = 1;
    for (; d > split && (loop->shape[d - 1] == 1 || op->strides[d - 1] == x->period * size); d--)
        x->period *= loop->shape[d - 1];
    while (d > split && (loop->shape[d - 1] == 1 || op->strides[d - 1] == 0)) d--;
    if (d > split) return false;
    x->row = split ? op->strides[split - 1] : 0;
    for (d = split - 1; d > 0; d--)
        if (op->strides[d - 1] != op->strides[d] * loop->shape[d]) return false;
    return true;
}

/* Rows where no input depends on them: whole periods, whole vectors. */
static inline bool cpi_periodic_cut(cpi_periodic *b, int64_t size, int vector)
{
    int64_t period = 1;
    for (int k = 0; k < CPI_PERIODIC_INPUTS; k++) {
        cpi_periodic_input *x = &b->x[k];
        x->full = x->period == b->n;
        if (x->full || x->period == 1) continue;
        if (period != 1 && x->period != period) return false;
        period = x->period;
    }
    b->inner = period;
    while (b->inner % vector) b->inner *= 2;
    if (b->inner < CPI_PERIODIC_ROW) b->inner *= CPI_PERIODIC_ROW / b->inner;
    b->rows = (b->n + b->inner - 1) / b->inner;
    for (int k = 0; k < CPI_PERIODIC_INPUTS; k++)
        if (b->x[k].full) b->x[k].period = b->inner, b->x[k].row = b->inner * size;
    return period > 1;
}

/* The view of a loop with two inputs of elements of `size` bytes, `vector` of them (a power of two) in a vector; false
 * when there is none. */
static inline bool cpi_periodic_of(const cpi_loop *loop, int64_t size, int vector, cpi_periodic *b)
{
    b->n = loop->size;
    b->inner = loop->size;
    b->rows = 1;
    for (int split = 0; split < loop->ndim; split++) {
        if (split) b->rows *= loop->shape[split - 1], b->inner /= loop->shape[split - 1];
        bool fits = true;
        for (int k = 0; k < CPI_PERIODIC_INPUTS; k++)
            fits &= cpi_periodic_input_of(loop, &loop->op[k + 1], split, size, &b->x[k]);
        if (!fits) continue;
        if (split == 0) return cpi_periodic_cut(b, size, vector);
        for (int k = 0; k < CPI_PERIODIC_INPUTS; k++)
            b->x[k].full = b->x[k].period == b->inner && b->x[k].row == b->inner * size;
        return b->inner % vector == 0;
    }
    return false;
}

#endif
