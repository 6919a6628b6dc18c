/* Compressed rows of blocks: the products of matrices whose elements are small dense matrices. */
#include "sparse/csr.h"

cp_array *cp_bsr_multiply(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, cp_array *x)
{
    const char *name = "bsr_multiply";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr) || cpi_null(name, x)) return NULL;
    if (data->ndim != 3) return cpi_fail(CP_ERROR_VALUE, "%s: data must be 3-D, not %d-D", name, data->ndim), NULL;
    if (data->shape[0] != indices->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: there must be as many indices as blocks", name), NULL;
    const int64_t height = data->shape[1], width = data->shape[2];
    if (height < 1 || width < 1 || columns < 0 || columns % width)
        return cpi_fail(CP_ERROR_VALUE, "%s: blocks must not be empty, and columns a multiple of theirs", name), NULL;
    if (x->ndim != 1 && x->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must have one or two axes, not %d", name, x->ndim), NULL;
    if (x->shape[0] != columns) return cpi_fail(CP_ERROR_VALUE, "%s: dimension mismatch", name), NULL;
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){data, indices, indptr, x});
    const cp_type type = cpi_common_type(2, (cp_array *const[]){data, x});
    matrix m;
    if (!device || check_element_type(name, type) != CP_OK ||
        hold(name, &m, NULL, indices, indptr, columns / width, device, type, false) != CP_OK)
        return NULL;
    cp_array *blocks = cpi_dense(name, data, type, device), *in = blocks ? cpi_dense(name, x, type, device) : NULL;
    const int64_t shape[2] = {m.csr.rows * height, x->ndim == 2 ? x->shape[1] : 1};
    cp_array *y = in ? cpi_array_new(name, device, type, x->ndim, shape, 'C') : NULL;
    if (y && y->size) {
        cpi_array_used(blocks);
        cpi_array_used(in);
        m.csr.data = blocks->data;
        const cpi_sparse_blocks job = {.a = m.csr, .height = height, .width = width, .k = shape[1], .x = in->data,
                                       .y = y->data};
        const cp_code code = m.csr.nnz ? device->backend->sparse->blocks(cpi_stream(device), &job) : zero(device, y);
        if (code != CP_OK) cp_free(y), y = NULL;
    }
    cp_free(in);
    cp_free(blocks);
    drop(&m);
    return y;
}
