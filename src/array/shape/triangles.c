/* Triangles of matrices: memory and order; what is written is the device's. */
#include "shape/triangles.h"

#include "operands/operands.h"

cp_array *cpi_triangles(const char *function, cp_array *x, int64_t k, bool upper)
{
    const int outer = x->ndim - 2;
    int64_t *last = x->shape + outer, steps[2] = {last[1], 1};
    /* NumPy chooses by a mask of rows and columns, whose order counts with x's */
    cp_array mask = {.device = x->device, .ndim = 2, .shape = last, .strides = steps};
    cp_array *r = cpi_array_for(function, x->device, x->type, x->ndim, x->shape, 2, (cp_array *[]){&mask, x});
    if (!r || !r->size) return r;
    cpi_loop loop, all;
    cpi_loop_init(&loop, r->ndim, r->shape, 2, (const cp_array *const[]){r, x});
    all = loop;
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
