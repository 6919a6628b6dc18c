/* Padding in the modes that take no argument but one value; python/cuprite/_pad.py has the others. The elements are
 * written by the device's slot. */
#include <string.h>

#include "operands/operands.h"
#include "move/move.h"

/*: python_module("_padding", doc="The parts of cuprite.pad in C.") */
/*: words("pad_mode", "constant edge reflect symmetric wrap", c="cp_pad_mode",
          values="CP_PAD_MODE_CONSTANT CP_PAD_MODE_EDGE CP_PAD_MODE_REFLECT CP_PAD_MODE_SYMMETRIC CP_PAD_MODE_WRAP") */

static cp_code boundary_of(cp_pad_mode mode, cpi_boundary *boundary)
{
    static const cpi_boundary of[] = {CPI_BOUNDARY_CONSTANT, CPI_BOUNDARY_NEAREST, CPI_BOUNDARY_MIRROR,
                                      CPI_BOUNDARY_REFLECT, CPI_BOUNDARY_GRID_WRAP}; /* in the order of cp_pad_mode */
    if ((unsigned)mode > CP_PAD_MODE_WRAP) return cpi_fail(CP_ERROR_VALUE, "pad: mode %d is none", (int)mode);
    *boundary = of[mode];
    return CP_OK;
}

/* An axis without elements can only be padded with values. */
static cp_code can_extend(const cp_array *a, int n, const int64_t *widths, cpi_boundary boundary)
{
    if (n != 2 * a->ndim)
        return cpi_fail(CP_ERROR_VALUE, "pad: %d widths given, an array of %d axes has %d", n, a->ndim, 2 * a->ndim);
    for (int i = 0; i < n; i++) {
        if (widths[i] < 0) return cpi_fail(CP_ERROR_VALUE, "pad: index can't contain negative values");
        if (boundary != CPI_BOUNDARY_CONSTANT && !a->shape[i / 2] && widths[i])
            return cpi_fail(CP_ERROR_VALUE, "pad: can't extend empty axis %d using modes other than 'constant' or "
                            "'empty'", i / 2);
    }
    return CP_OK;
}

/* Pads x into `to`, which is dense; the axes of both are in memory order. */
static cp_code pad_into(cp_array *to, cp_array *x, const cpi_padding *p)
{
    cpi_loop loop;
    cpi_loop_init(&loop, to->ndim, to->shape, 1, (const cp_array *const[]){to});
    loop.nop = 2; /* whose lengths differ from the loop's */
    loop.op[1] = (cpi_operand){.data = x->data, .type = x->type};
    memcpy(loop.op[1].strides, x->strides, (size_t)x->ndim * sizeof *x->strides);
    cpi_array_used(to), cpi_array_used(x);
    return to->device->backend->move->pad(cpi_stream(to->device), &loop, p);
}

/* The result is in Fortran order where a is. */
static cp_array *padded(cp_array *a, const int64_t *widths, cpi_boundary boundary, const cp_array *value)
{
    const int nd = a->ndim;
    const bool reversed = cp_is_f_contiguous(a) && !cp_is_c_contiguous(a);
    int64_t shape[CP_MAXDIM];
    cpi_padding p = {.boundary = boundary};
    cp_array *rows = reversed ? cp_transpose(a, CP_ALL) : cp_retain(a), *r = NULL; /* axes in memory order */
    bool good = rows != NULL;
    for (int i = 0; i < nd && good; i++) {
        const int64_t *width = widths + 2 * (reversed ? nd - 1 - i : i);
        p.n[i] = rows->shape[i], p.before[i] = width[0];
        if (__builtin_add_overflow(width[0], width[1], &shape[i]) ||
            __builtin_add_overflow(shape[i], p.n[i], &shape[i]))
            good = !cpi_fail(CP_ERROR_VALUE, "pad: the result has too many elements");
    }
    if (good && boundary == CPI_BOUNDARY_CONSTANT) good = !cpi_item_as("pad", value, a->type, p.value);
    if (good) r = cpi_array_new("pad", a->device, a->type, nd, shape, 'C');
    if (r && r->size && pad_into(r, rows, &p)) cp_free(r), r = NULL;
    cp_free(rows);
    if (!r || !reversed) return r;
    rows = cp_transpose(r, CP_ALL);
    cp_free(r);
    return rows;
}

/*: function("pad", "a: array, widths: ints, mode: pad_mode, value: assigned", module="_padding",
             doc="""The array padded along its axes: `widths` are the numbers of elements before and after each axis,
`value` is the number for the mode constant.""") */
cp_array *cp_pad(cp_array *a, int n, const int64_t *widths, cp_pad_mode mode, cp_array *value)
{
    cpi_boundary boundary = CPI_BOUNDARY_CONSTANT;
    if ((n > 0 && cpi_null("pad", widths)) || cpi_null("pad", value) || cpi_null("pad", a)) return NULL;
    if (boundary_of(mode, &boundary) || can_extend(a, n, widths, boundary)) return NULL;
    return a->ndim ? padded(a, widths, boundary, value) : cp_copy(a);
}
