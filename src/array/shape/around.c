/* Arrays with elements around them, and triangles of matrices: memory and order; what is written is the device's. */
#include "shape/around.h"

#include <string.h>

#include "front/front.h"

/* The loop of `to` and x, whose extents may differ. */
static cpi_loop loop_of(const cp_array *to, const cp_array *x)
{
    cpi_loop loop;
    cpi_loop_init(&loop, to->ndim, to->shape, 1, &to);
    loop.nop = 2;
    loop.op[1] = (cpi_operand){.data = x->data, .type = x->type};
    memcpy(loop.op[1].strides, x->strides, (size_t)x->ndim * sizeof *x->strides);
    return loop;
}

static cp_code pad(cp_array *to, cp_array *x, const cpi_padding *p)
{
    const cpi_loop loop = loop_of(to, x);
    cpi_array_used(to), cpi_array_used(x);
    return to->device->backend->move->pad(cpi_stream(to->device), &loop, p);
}

cp_array *cpi_padded(const char *function, cp_array *x, cpi_pad_way way, const int64_t *before, const int64_t *behind,
                     const cp_array *value)
{
    const int nd = x->ndim;
    const bool turned = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x);
    int64_t shape[CP_MAXDIM];
    cpi_padding p = {.way = way};
    cp_array *rows = turned ? cp_transpose(x, CP_ALL) : cp_retain(x), *r = NULL; /* axes as they lie in memory */
    bool good = rows != NULL;
    for (int i = 0; i < nd && good; i++) {
        const int axis = turned ? nd - 1 - i : i;
        p.n[i] = rows->shape[i], p.before[i] = before[axis];
        if (__builtin_add_overflow(before[axis], behind[axis], &shape[i]) ||
            __builtin_add_overflow(shape[i], p.n[i], &shape[i]))
            good = !cpi_fail(CP_ERROR_VALUE, "%s: the result has too many elements", function);
    }
    if (good && way == CPI_PAD_VALUE) good = !cpi_item_as(function, value, x->type, p.value);
    if (good) r = cpi_array_new(function, x->device, x->type, nd, shape, 'C');
    if (r && r->size && pad(r, rows, &p)) cp_free(r), r = NULL;
    cp_free(rows);
    if (!r || !turned) return r;
    rows = cp_transpose(r, CP_ALL);
    cp_free(r);
    return rows;
}

cp_array *cpi_triangles(const char *function, cp_array *x, int64_t k, bool upper)
{
    const int outer = x->ndim - 2;
    int64_t *last = x->shape + outer, steps[2] = {last[1], 1};
    /* NumPy chooses by a mask of rows and columns, whose order counts with x's */
    cp_array mask = {.device = x->device, .ndim = 2, .shape = last, .strides = steps};
    cp_array *r = cpi_array_for(function, x->device, x->type, x->ndim, x->shape, 2, (cp_array *[]){&mask, x});
    if (!r || !r->size) return r;
    cpi_loop loop = loop_of(r, x), all = loop;
    loop.ndim = outer, loop.size /= last[0] * last[1];
    cpi_loop_coalesce(&loop);
    for (int i = 0; i < 2; i++, loop.ndim++) {
        loop.shape[loop.ndim] = last[i];
        for (int o = 0; o < 2; o++) loop.op[o].strides[loop.ndim] = all.op[o].strides[outer + i];
    }
    loop.size = all.size;
    k = k < -last[0] ? -last[0] : k > last[1] ? last[1] : k;
    cpi_array_used(r), cpi_array_used(x);
    if (!r->device->backend->move->triangle(cpi_stream(r->device), &loop, k, upper)) return r;
    cp_free(r);
    return NULL;
}
