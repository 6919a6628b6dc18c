/* A solver's basis: one more vector, made orthogonal to those that are there. */
#include "sparse/vectors.h"

#include "backend/array.h"
#include "operands/operands.h"

static const char *const extend_name = "sparse_extend";

static cp_code check_place(const char *what, const cp_array *x, cp_type type, int64_t rows, int64_t columns)
{
    if (x->type != type)
        return cpi_fail(CP_ERROR_TYPE, "%s: %s must be %s, not %s", extend_name, what, cp_type_name(type),
                        cp_type_name(x->type));
    if (x->ndim != 2 || x->shape[0] < rows || x->shape[1] < columns || x->strides[1] != cpi_itemsize(type) ||
        x->strides[0] < columns * cpi_itemsize(type))
        return cpi_fail(CP_ERROR_VALUE, "%s: %s must have at least %lld contiguous rows of %lld elements", extend_name,
                        what, (long long)rows, (long long)columns);
    return cpi_check_writable(extend_name, x);
}
static cp_code check(cp_array *basis, cp_array *w, cp_array *h, cp_array *gram, int64_t row, int64_t near)
{
    const cp_type type = basis->type, number = cpi_is_complex(type) ? CP_COMPLEX128 : CP_FLOAT64;
    if (type != CP_FLOAT32 && type != CP_FLOAT64 && !cpi_is_complex(type))
        return cpi_fail(CP_ERROR_TYPE, "%s: basis must be of a floating type of 32 or 64 bits", extend_name);
    if (row < 0 || row > INT32_MAX || near > row)
        return cpi_fail(CP_ERROR_INDEX, "%s: there is no row %lld", extend_name, (long long)(row < 0 ? row : near));
    if (w->ndim != 1) return cpi_fail(CP_ERROR_VALUE, "%s: w must be a 1-D array", extend_name);
    if (check_place("basis", basis, type, row + 2, w->size) || check_place("h", h, number, row + 1, row + 2))
        return cp_error();
    if (near < 0 && !gram) return cpi_fail(CP_ERROR_VALUE, "%s: gram must be given where near is not", extend_name);
    return near < 0 ? check_place("gram", gram, number, row + 1, row + 1) : CP_OK;
}
/* The coefficients of w along all rows, in one pass, and what is left of it, in another one. */
static cp_code modified(cp_stream *stream, const cpi_sparse_ops *ops, cpi_sparse_basis *b, cp_array *gram)
{
    if (b->count > 1) {
        b->last = (const char *)b->rows + (b->count - 1) * b->step * cpi_itemsize(b->type);
        b->gram = gram->data, b->gram_step = gram->strides[0] / cpi_itemsize(gram->type);
    }
    return ops->basis_dots(stream, b) == CP_OK ? ops->basis_subtract(stream, b) : cp_error();
}
/* The parts along the last rows are taken out first, then along all rows what is left of them. Where both are all rows,
 * some devices see to it that the second pass is made where it must be. */
static cp_code twice(cpi_device *device, const cpi_sparse_ops *ops, cpi_sparse_basis b, int64_t near)
{
    cp_stream *stream = cpi_stream(device);
    const int64_t n = b.count;
    if (!near && ops->basis_project) return ops->basis_project(stream, &b);
    const cp_type type = cpi_is_complex(b.type) ? CP_COMPLEX128 : CP_FLOAT64;
    cp_array *again = cpi_array_new(extend_name, device, type, 1, &n, 'C');
    if (!again) return cp_error();
    cpi_sparse_basis first = b;
    first.rows = (const char *)b.rows + near * b.step * cpi_itemsize(b.type);
    first.count = b.count - near, first.size = NULL;
    first.numbers = (char *)b.numbers + near * cpi_itemsize(type);
    b.x = b.to, b.total = b.numbers, b.numbers = again->data;
    const size_t before = (size_t)(near * cpi_itemsize(type));
    cp_code code = before ? device->backend->zero(stream, b.total, before) : CP_OK;
    if (code == CP_OK) code = ops->basis_dots(stream, &first);
    if (code == CP_OK) code = ops->basis_subtract(stream, &first);
    if (code == CP_OK) code = ops->basis_dots(stream, &b);
    if (code == CP_OK) code = ops->basis_subtract(stream, &b);
    cp_free(again);
    return code;
}
cp_code cp_basis_extend(cp_array *basis, cp_array *w, cp_array *h, cp_array *gram, int64_t row, int64_t near)
{
    if (cpi_null(extend_name, basis) || cpi_null(extend_name, w) || cpi_null(extend_name, h) ||
        check(basis, w, h, gram, row, near))
        return cp_error();
    cpi_device *device = cpi_common_device(extend_name, 4, (cp_array *const[]){basis, w, h, gram});
    cp_array *in = device ? cpi_dense(extend_name, w, basis->type, device) : NULL;
    if (!in) return cp_error();
    cpi_array_used(in);
    cpi_array_used(basis);
    cpi_array_used(h);
    if (gram) cpi_array_used(gram);
    cp_stream *stream = cpi_stream(device);
    const cpi_sparse_ops *ops = device->backend->sparse;
    char *to = basis->data + (row + 1) * basis->strides[0], *numbers = h->data + row * h->strides[0];
    cpi_sparse_basis b = {.type = basis->type, .n = in->size, .count = row + 1, .rows = basis->data, .x = in->data,
                          .step = basis->strides[0] / cpi_itemsize(basis->type), .numbers = numbers, .to = to,
                          .size = numbers + (row + 1) * cpi_itemsize(h->type)};
    cp_code code = near < 0 ? modified(stream, ops, &b, gram) : twice(device, ops, b, near);
    const cpi_sparse_pass unit = {.type = b.type, .n = b.n, .sums = 1,
                                  .sum = {{to, 1, {to}, {{1, true, {NULL}, {b.size}}}}}};
    if (code == CP_OK) code = ops->pass(stream, &unit);
    cp_free(in);
    return code;
}
