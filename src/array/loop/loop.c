/* Making loops and coalescing their axes (loop.h). Nothing here fails or allocates; the Python extension includes
 * this file too. */
#include "loop/loop.h"

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

static inline void drop_ones(cpi_loop_axes *a)
{
    int n = 0;
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] == 1) continue;
        if (n != d) {
            a->shape[n] = a->shape[d];
            for (int k = 0; k < a->nop; k++) a->strides[k][n] = a->strides[k][d];
        }
        n++;
    }
    a->ndim = n;
}

static inline void reverse_backward(const cpi_loop_axes *a, bool first)
{
    for (int d = 0; d < a->ndim; d++) {
        int64_t stride = a->nop ? a->strides[0][d] : 0;
        for (int k = 1; k < a->nop && !stride && !first; k++) stride = a->strides[k][d];
        if (stride >= 0 || !a->shape[d]) continue;
        for (int k = 0; k < a->nop; k++) {
            a->moved[k] += a->strides[k][d] * (a->shape[d] - 1);
            a->strides[k][d] = -a->strides[k][d];
        }
    }
}

/* Should axis d lie outside axis e? */
static inline bool lies_outside(const cpi_loop_axes *a, int d, int e, bool first)
{
    for (int k = 0; k < a->nop; k++) {
        const int64_t sd = magnitude(a->strides[k][d]), se = magnitude(a->strides[k][e]);
        if (first) return se && (!sd || sd > se);
        if (sd != se && sd && se) return sd > se;
    }
    return false;
}

static void swap(int64_t *list, int d, int e)
{
    const int64_t v = list[d];
    list[d] = list[e];
    list[e] = v;
}

/* Insertion sort: few axes, mostly in order, and stable. */
static inline void order(const cpi_loop_axes *a, bool first)
{
    for (int i = 1; i < a->ndim; i++)
        for (int d = i; d > 0 && lies_outside(a, d, d - 1, first); d--) {
            swap(a->shape, d, d - 1);
            for (int k = 0; k < a->nop; k++) swap(a->strides[k], d, d - 1);
        }
}

static inline void merge(cpi_loop_axes *a)
{
    int n = 0;
    for (int d = 1; d < a->ndim; d++) {
        bool joins = true;
        for (int k = 0; k < a->nop && joins; k++) joins = a->strides[k][n] == a->strides[k][d] * a->shape[d];
        if (!joins) n++;
        a->shape[n] = joins ? a->shape[n] * a->shape[d] : a->shape[d];
        for (int k = 0; k < a->nop; k++) a->strides[k][n] = a->strides[k][d];
    }
    if (a->ndim) a->ndim = n + 1;
}

/* Inlined: with `how` known, small loops, whose coalescing is a good part of their time, take less of it. */
static inline __attribute__((always_inline)) int coalesce(cpi_loop_axes *a, unsigned how)
{
    drop_ones(a);
    if (how & CPI_LOOP_REVERSE) reverse_backward(a, how & CPI_LOOP_BY_OPERAND_0);
    if (how & CPI_LOOP_ORDER) order(a, how & CPI_LOOP_BY_OPERAND_0);
    merge(a);
    return a->ndim;
}

int cpi_axes_coalesce(cpi_loop_axes *a, unsigned how) { return coalesce(a, how); }

void cpi_loop_init(cpi_loop *loop, int ndim, const int64_t *shape, int nop, const cp_array *const *arrays)
{
    loop->nop = nop;
    loop->ndim = ndim;
    loop->size = 1;
    for (int i = 0; i < ndim; i++) {
        loop->shape[i] = shape[i];
        loop->size *= shape[i];
    }
    for (int k = 0; k < nop; k++) {
        const cp_array *x = arrays[k];
        cpi_operand *op = &loop->op[k];
        op->data = x->data;
        op->type = x->type;
        op->host = (x->flags & CPI_HOST_SCALAR) != 0;
        int skip = ndim - x->ndim;
        for (int i = 0; i < ndim; i++)
            op->strides[i] = i < skip || x->shape[i - skip] == 1 ? 0 : x->strides[i - skip];
    }
}

/* Of one axis only the direction is to be found. */
static bool is_done(const cpi_loop *loop)
{
    if (loop->ndim != 1 || loop->shape[0] == 1) return loop->ndim == 0;
    int64_t stride = 0;
    for (int k = 0; k < loop->nop && !stride; k++) stride = loop->op[k].strides[0];
    return stride >= 0;
}

/* Inlined: with `nop` known, the operands' strides are found without a list in memory. */
static inline __attribute__((always_inline)) void coalesce_operands(cpi_loop *loop, int nop)
{
    int64_t *strides[CPI_MAXOPS], moved[CPI_MAXOPS];
    for (int k = 0; k < nop; k++) strides[k] = loop->op[k].strides, moved[k] = 0;
    cpi_loop_axes a = {loop->ndim, nop, loop->shape, strides, moved};
    loop->ndim = coalesce(&a, CPI_LOOP_REVERSE | CPI_LOOP_ORDER);
    for (int k = 0; k < nop; k++) loop->op[k].data += moved[k];
}

void cpi_loop_coalesce(cpi_loop *loop)
{
    if (!loop->size || is_done(loop)) return;
    switch (loop->nop) {
    case 2: coalesce_operands(loop, 2); break;
    case 3: coalesce_operands(loop, 3); break;
    default: coalesce_operands(loop, loop->nop);
    }
}

int64_t cpi_loop_bytes(int n, const cpi_loop *loops)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < loops[i].nop; k++) {
            const cpi_operand *op = &loops[i].op[k];
            int64_t own = op->host ? 0 : (int64_t)cp_type_size(op->type);
            for (int d = 0; d < loops[i].ndim; d++)
                if (op->strides[d]) own *= loops[i].shape[d];
            bytes += own;
        }
    }
    return bytes;
}
