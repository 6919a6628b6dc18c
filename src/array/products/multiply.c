/* From arrays to a cpi_product: types, strides that kernels take, few batch axes. Invariant: operands are copied only
 * where kernels do not take their strides, or their type differs. */
#include <string.h>

#include "operands/operands.h"
#include "loop/loop.h"
#include "products/products.h"

cp_array *cpi_seen_as(cp_array *x, int ndim, const int64_t *shape, const int64_t *strides)
{
    cp_array *v = cpi_array_view(x, x->type, ndim, shape, strides, x->data);
    if (v) v->flags |= x->flags & CPI_READONLY;
    return v;
}

/* The strides of an operand's two last axes in elements, as kernels want them; false where it must be copied. */
static bool matrix_strides(const cp_array *x, int64_t *row, int64_t *col)
{
    int64_t item = cpi_itemsize(x->type), rows = x->shape[x->ndim - 2], cols = x->shape[x->ndim - 1];
    int64_t r = x->strides[x->ndim - 2], c = x->strides[x->ndim - 1];
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] > 1 && x->strides[i] % item) return false;
    r /= item, c /= item;
    if (cols == 1 && rows == 1) r = c = 1;
    else if (cols == 1) c = 1, r = r >= 1 ? r : 0;
    else if (rows == 1) r = c == 1 ? cols : 1, c = c >= 1 ? c : 0;
    *row = r, *col = c;
    if (c == 1 && r >= cols) return true; /* one column: r is any positive distance */
    return r == 1 && c >= rows;
}

/* x as `type`, with strides that kernels take; a new reference. */
static cp_array *operand(const char *function, cp_type type, cp_array *x, cpi_device *device, int64_t *row,
                         int64_t *col)
{
    cp_array *y = NULL;
    if (x->type == type && matrix_strides(x, row, col)) y = cp_retain(x);
    else if ((y = cpi_array_new(function, device, type, x->ndim, x->shape, 'C')) && cp_assign(y, x)) {
        cp_free(y);
        y = NULL;
    }
    if (y) matrix_strides(y, row, col);
    return y;
}

/* The strides of x's axes before its last two under the batch's axes, in elements. */
static void batch_strides(const cp_array *x, int nbatch, const int64_t *batch, int64_t *strides)
{
    int64_t item = cpi_itemsize(x->type);
    int own = x->ndim - 2;
    for (int i = 0; i < nbatch; i++) {
        int j = own - nbatch + i;
        strides[i] = j < 0 || (x->shape[j] == 1 && batch[i] != 1) ? 0 : x->strides[j] / item;
    }
}

/* Joins axes of the batch that all three arrays can traverse as one; drops axes of length 1. */
static void join_batch(cpi_product *p)
{
    int n = 0;
    for (int i = 0; i < p->nbatch; i++) {
        if (p->batch[i] == 1) continue;
        p->batch[n] = p->batch[i];
        p->a_batch[n] = p->a_batch[i], p->b_batch[n] = p->b_batch[i], p->c_batch[n] = p->c_batch[i];
        int64_t e = p->batch[n];
        if (n && p->a_batch[n - 1] == e * p->a_batch[n] && p->b_batch[n - 1] == e * p->b_batch[n] &&
            p->c_batch[n - 1] == e * p->c_batch[n]) {
            p->batch[n - 1] *= e;
            p->a_batch[n - 1] = p->a_batch[n], p->b_batch[n - 1] = p->b_batch[n], p->c_batch[n - 1] = p->c_batch[n];
        } else n++;
    }
    p->nbatch = n;
}

static void exchange(int64_t *a, int64_t *b)
{
    int64_t t = *a;
    *a = *b, *b = t;
}

/* A row times a matrix is the matrix, transposed, times a column. */
static void turn(cpi_product *p)
{
    const void *a = p->a;
    int64_t a_row = p->a_row, a_col = p->a_col;
    p->a = p->b, p->b = a;
    p->a_row = p->b_col, p->a_col = p->b_row;
    p->b_row = a_col, p->b_col = a_row;
    exchange(&p->m, &p->n);
    for (int i = 0; i < p->nbatch; i++) exchange(&p->a_batch[i], &p->b_batch[i]);
}

/* A batch of matrices times one matrix is one tall matrix times it, where they are contiguous along rows. Not where a
 * conjugate is wanted: only dot products support it. */
static void stack_batch(cpi_product *p)
{
    if (p->conjugate || p->nbatch != 1 || p->b_batch[0] || p->a_col != 1) return;
    if (p->a_batch[0] != p->m * p->a_row || p->c_batch[0] != p->m * p->c_row) return;
    p->m *= p->batch[0];
    p->nbatch = 0;
}

static cp_code run_product(cpi_device *device, cpi_product *p, const cp_array *c)
{
    cp_stream *stream = cpi_stream(device);
    if (!c->size) return CP_OK;
    if (!p->k) return device->backend->zero(stream, c->data, (size_t)(c->size * cpi_itemsize(c->type)));
    if (p->m == 1 && p->n > 1) turn(p);
    if (p->n == 1) { /* columns: of one element a row, whatever their strides */
        p->c_row = 1;
        p->b_col = 1;
        if (p->k == 1) p->b_row = 1;
    }
    join_batch(p);
    stack_batch(p);
    return device->backend->products->product(stream, p);
}

cp_array *cpi_multiply_matrices(const char *function, cp_type type, bool conjugate, cp_array *a, cp_array *b,
                                int nbatch, const int64_t *batch, const cpi_product_result *result)
{
    cp_array *both[] = {a, b};
    cpi_device *device = cpi_common_device(function, 2, both);
    if (!device) return NULL;
    cpi_product p = {.type = type, .conjugate = conjugate && cpi_is_complex(type), .nbatch = nbatch};
    p.m = a->shape[a->ndim - 2], p.k = a->shape[a->ndim - 1], p.n = b->shape[b->ndim - 1];
    cpi_output o = {.function = function, .device = device, .type = type, .ndim = result->ndim,
                    .shape = result->shape, .out = result->out, .casting = result->casting, .dense = true};
    if (cpi_output_open(&o, 2, both)) return NULL;
    cp_array *x = NULL, *y = NULL;
    cp_code code = CP_OK;
    if (o.array->size && p.k) {
        x = operand(function, type, a, device, &p.a_row, &p.a_col);
        y = x ? operand(function, type, b, device, &p.b_row, &p.b_col) : NULL;
        if (!y) code = cp_error();
    }
    if (!code) {
        int64_t size = p.m * p.n;
        p.c_row = p.n;
        if (nbatch) memcpy(p.batch, batch, (size_t)nbatch * sizeof *batch); /* of one product NULL */
        for (int i = nbatch - 1; i >= 0; size *= batch[i--]) p.c_batch[i] = size;
        if (y) {
            batch_strides(x, nbatch, batch, p.a_batch);
            batch_strides(y, nbatch, batch, p.b_batch);
            p.a = x->data, p.b = y->data;
        }
        p.c = o.array->data;
        code = run_product(device, &p, o.array);
    }
    cp_free(x);
    cp_free(y);
    return cpi_output_close(&o, code);
}

/* The strides of axes joined to one, or false where they cannot be joined. */
static bool joined(const cp_array *x, int n, const int *axes, int64_t *size, int64_t *stride)
{
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM];
    *size = 1;
    for (int i = 0; i < n; i++) {
        shape[i] = x->shape[axes[i]], strides[i] = x->strides[axes[i]];
        *size *= shape[i];
    }
    cpi_loop_axes all = {n, 1, shape, (int64_t *const[]){strides}, NULL};
    n = cpi_axes_coalesce(&all, 0);
    *stride = n ? strides[n - 1] : cpi_itemsize(x->type);
    return n <= 1;
}

/* x as a matrix with the axes of the first list as rows and those of the second as columns; a copy if needed. */
static cp_array *as_matrix(const char *function, cp_array *x, int nr, const int *rows, int nc, const int *cols)
{
    int64_t shape[2], strides[2], order[CP_MAXDIM], steps[CP_MAXDIM];
    if (joined(x, nr, rows, &shape[0], &strides[0]) && joined(x, nc, cols, &shape[1], &strides[1]))
        return cpi_seen_as(x, 2, shape, strides);
    for (int i = 0; i < nr + nc; i++) {
        int axis = i < nr ? rows[i] : cols[i - nr];
        order[i] = x->shape[axis], steps[i] = x->strides[axis];
    }
    cp_array *v = cpi_seen_as(x, nr + nc, order, steps), *r = NULL;
    cp_array *y = v ? cpi_array_new(function, x->device, x->type, nr + nc, order, 'C') : NULL;
    if (y && !cp_assign(y, v)) {
        shape[0] = shape[1] = 1;
        for (int i = 0; i < nr + nc; i++) shape[i >= nr] *= order[i];
        strides[1] = cpi_itemsize(x->type), strides[0] = strides[1] * (shape[1] ? shape[1] : 1);
        r = cpi_seen_as(y, 2, shape, strides);
    }
    cp_free(v);
    cp_free(y);
    return r;
}

/* The axes that are not in axes[0..n), in their order. */
static int others(const cp_array *x, int n, const int *axes, int *rest)
{
    int k = 0;
    for (int i = 0; i < x->ndim; i++) {
        bool taken = false;
        for (int j = 0; j < n && !taken; j++) taken = axes[j] == i;
        if (!taken) rest[k++] = i;
    }
    return k;
}

/* The summed axes in the order in which they lie in the larger operand, so that one of the two is copied at most. */
static void order_summed(const cp_array *x, int n, int *own, int *other)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0; j--) {
            int64_t before = x->strides[own[j - 1]], here = x->strides[own[j]];
            if ((before < 0 ? -before : before) >= (here < 0 ? -here : here)) break;
            int t = own[j];
            own[j] = own[j - 1], own[j - 1] = t;
            t = other[j];
            other[j] = other[j - 1], other[j - 1] = t;
        }
}

/* cpi_contract of arrays in memory. */
static cp_array *contract(const char *function, cp_type type, cp_array *a, cp_array *b, int n, const int *ax,
                          const int *bx, cp_array *out, cp_casting casting)
{
    int rows[CP_MAXDIM], cols[CP_MAXDIM], as[CP_MAXDIM], bs[CP_MAXDIM], ndim = 0;
    int64_t shape[2 * CP_MAXDIM];
    int nr = others(a, n, ax, rows), nc = others(b, n, bx, cols);
    if (nr + nc > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: the result would have %d dimensions, at most %d are possible", function,
                        nr + nc, CP_MAXDIM), NULL;
    for (int i = 0; i < nr; i++) shape[ndim++] = a->shape[rows[i]];
    for (int i = 0; i < nc; i++) shape[ndim++] = b->shape[cols[i]];
    memcpy(as, ax, (size_t)n * sizeof *as);
    memcpy(bs, bx, (size_t)n * sizeof *bs);
    if (a->size >= b->size) order_summed(a, n, as, bs);
    else order_summed(b, n, bs, as);
    cp_array *x = as_matrix(function, a, nr, rows, n, as);
    cp_array *y = x ? as_matrix(function, b, n, bs, nc, cols) : NULL;
    cpi_product_result result = {.out = out, .casting = casting, .ndim = ndim, .shape = shape};
    cp_array *r = y ? cpi_multiply_matrices(function, type, false, x, y, 0, NULL, &result) : NULL;
    cp_free(x);
    cp_free(y);
    return r;
}

cp_array *cpi_contract(const char *function, cp_type type, cp_array *a, cp_array *b, int n, const int *ax,
                       const int *bx, cp_array *out, cp_casting casting)
{
    cpi_device *device = cpi_common_device(function, 2, (cp_array *const[]){a, b});
    cp_array *x = device ? cpi_in_memory(function, a, device) : NULL;
    cp_array *y = x ? cpi_in_memory(function, b, device) : NULL;
    cp_array *r = y ? contract(function, type, x, y, n, ax, bx, out, casting) : NULL;
    cp_free(x);
    cp_free(y);
    return r;
}
