/* Sparse matrices on the CPU alone: triples as they are, columns by number, and sums of blocks. Elsewhere Python makes
 * the same of other functions. */
#include "sparse/csr.h"

cp_array *cp_coo_ends(cp_array *row, int64_t nrows)
{
    const char *name = "sparse_ends";
    if (cpi_null(name, row) || check_index_type(name, "rows", row) != CP_OK) return NULL;
    if (nrows < 0) return cpi_fail(CP_ERROR_VALUE, "%s: the number of rows must not be negative", name), NULL;
    cpi_device *device = cpi_common_device(name, 1, (cp_array *const[]){row});
    if (!device || only_cpu(name, device->backend->sparse->ends) != CP_OK) return NULL;
    cp_array *in = cpi_dense(name, row, row->type, device);
    cp_array *ends = in ? line(name, device, row->type, nrows + 1) : NULL;
    int64_t falls = 0;
    cp_code code = ends ? CP_OK : cp_error();
    if (code == CP_OK) {
        cpi_array_used(in);
        const cpi_sparse_coo c = {.n = in->size, .rows = nrows, .wide = row->type == CP_INT64, .row = in->data,
                                  .indptr = ends->data};
        code = device->backend->sparse->ends(cpi_stream(device), &c, &falls);
    }
    if (code == CP_OK && falls) {
        cp_free(ends);
        ends = line(name, device, row->type, 0);
    } else if (code != CP_OK) {
        cp_free(ends);
        ends = NULL;
    }
    cp_free(in);
    return ends;
}

cp_array *cp_coo_multiply(cp_array *data, cp_array *row, cp_array *column, int64_t nrows, cp_array *x)
{
    const char *name = "sparse_triples";
    if (cpi_null(name, data) || cpi_null(name, row) || cpi_null(name, column) || cpi_null(name, x) ||
        check_index_type(name, "rows", row) || check_index_type(name, "columns", column) ||
        check_line(name, "data", data))
        return NULL;
    if (row->type != column->type)
        return cpi_fail(CP_ERROR_TYPE, "%s: indices must be of one type", name), NULL;
    if (row->size != column->size || row->size != data->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: row, column and data arrays must be of the same length", name), NULL;
    if (nrows < 0) return cpi_fail(CP_ERROR_VALUE, "%s: the number of rows must not be negative", name), NULL;
    if (x->ndim != 1 && x->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must have one or two axes, not %d", name, x->ndim), NULL;
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){data, row, column, x});
    const cp_type type = cpi_common_type(2, (cp_array *const[]){data, x});
    if (!device || check_element_type(name, type) || only_cpu(name, device->backend->sparse->triples)) return NULL;
    cp_array *in[4] = {cpi_dense(name, data, type, device), cpi_dense(name, row, row->type, device),
                       cpi_dense(name, column, column->type, device), cpi_dense(name, x, type, device)};
    const int64_t shape[2] = {nrows, x->ndim == 2 ? x->shape[1] : 1};
    cp_array *y = in[0] && in[1] && in[2] && in[3] ? cpi_array_new(name, device, type, x->ndim, shape, 'C') : NULL;
    if (y && y->size) {
        for (int i = 0; i < 4; i++) cpi_array_used(in[i]);
        const cpi_sparse_triples t = {.type = type, .wide = row->type == CP_INT64, .n = row->size, .rows = nrows,
                                      .k = shape[1], .row = in[1]->data, .column = in[2]->data, .data = in[0]->data,
                                      .x = in[3]->data, .y = y->data};
        const cp_code code = t.n ? device->backend->sparse->triples(cpi_stream(device), &t) : zero(device, y);
        if (code != CP_OK) cp_free(y), y = NULL;
    }
    for (int i = 0; i < 4; i++) cp_free(in[i]);
    return y;
}

/* What the slot `columns_count` leaves to `columns_fill`. */
static cp_array *column_table(const char *name, cpi_device *device, cp_type index, int64_t ncolumns, int64_t n)
{
    return line(name, device, index, ncolumns + 1 + n + ncolumns / 32 + 1);
}
cp_code cp_csr_take_columns(cp_array *values, cp_array *index, cp_array *ends, int64_t ncolumns, cp_array *columns,
                            bool ascend, cp_array **data, cp_array **indices, cp_array **indptr)
{
    const char *name = "sparse_take_columns";
    if (cpi_null(name, values) || cpi_null(name, index) || cpi_null(name, ends) || cpi_null(name, columns))
        return cp_error();
    if (columns->type != CP_INT64 || check_line(name, "columns", columns) != CP_OK)
        return cpi_fail(CP_ERROR_TYPE, "%s: columns must be a line of int64", name);
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){values, index, ends, columns});
    if (!device || only_cpu(name, device->backend->sparse->columns_fill) != CP_OK) return cp_error();
    const cpi_sparse_ops *ops = device->backend->sparse;
    matrix m;
    if (hold(name, &m, values, index, ends, ncolumns, device, values->type, columns->size > INT32_MAX) != CP_OK)
        return cp_error();
    cp_array *which = cpi_dense(name, columns, CP_INT64, device);
    cp_array *table = which ? column_table(name, device, m.indices->type, ncolumns, which->size) : NULL;
    made r = {0};
    int64_t found[CPI_SPARSE_FOUND] = {0}, total = -1;
    for (int again = 0; again < 2; again++) { /* of more elements than int32 counts once more, as int64 */
        cpi_sparse_job j = {.a = m.csr, .n = columns->size};
        bool good = table && count_begin_found(name, device, m.csr.rows, &j, &r);
        if (good) {
            cpi_array_used(which);
            cpi_array_used(table);
            j.columns = (const int64_t *)(const void *)which->data;
            j.other = table->data;
            good = ops->columns_count(cpi_stream(device), &j) == CP_OK;
        }
        total = good ? count_end_found(device, &r, found) : -1;
        if (total >= 0 && found[0]) cpi_fail(CP_ERROR_INDEX, "%s: columns out of bounds", name), total = -1;
        if (total >= 0 && too_many(m.csr.wide, total)) {
            drop_made(&r);
            drop(&m);
            cp_free(table);
            table = column_table(name, device, CP_INT64, ncolumns, which->size);
            total = -1;
            if (hold(name, &m, values, index, ends, ncolumns, device, values->type, true) != CP_OK) break;
            continue;
        }
        if (total >= 0 && !(make_result(name, device, values->type, m.csr.wide, total, &j, &r) &&
                            (!total || ops->columns_fill(cpi_stream(device), &j) == CP_OK)))
            total = -1;
        break;
    }
    cp_free(table);
    cp_free(which);
    drop(&m);
    if (total < 0) return fail(&r);
    if (ascend && !found[1]) return give(&r, data, indices, indptr);
    const cp_code code = cp_csr_sort(r.data, r.indices, r.indptr, columns->size, data, indices, indptr);
    drop_made(&r);
    return code;
}

cp_code cp_bsr_merge(cp_sparse_op op, cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                     cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **data, cp_array **indices,
                     cp_array **indptr, cp_array **empty)
{
    const char *name = "sparse_block_merge";
    cp_array *const all[] = {data_a, indices_a, indptr_a, data_b, indices_b, indptr_b};
    for (int i = 0; i < 6; i++)
        if (cpi_null(name, all[i])) return cp_error();
    if (data_a->ndim != 3 || data_b->ndim != 3 || data_a->type != data_b->type ||
        data_a->shape[1] != data_b->shape[1] || data_a->shape[2] != data_b->shape[2])
        return cpi_fail(CP_ERROR_VALUE, "%s: both must have blocks of one type and shape", name);
    if (data_a->shape[0] != indices_a->size || data_b->shape[0] != indices_b->size ||
        indptr_a->size != indptr_b->size || indices_a->type != indices_b->type || op > CP_SPARSE_SUBTRACT)
        return cpi_fail(CP_ERROR_VALUE, "%s: matrices must have as many rows, and as many indices as blocks", name);
    cpi_device *device = cpi_common_device(name, 6, all);
    if (!device || only_cpu(name, device->backend->sparse->block_merge) || check_element_type(name, data_a->type))
        return cp_error();
    const cpi_sparse_ops *ops = device->backend->sparse;
    const bool wide = indices_a->size + indices_b->size > INT32_MAX;
    matrix a = {0}, b = {0};
    made r = {0};
    cp_array *x = cpi_dense(name, data_a, data_a->type, device), *y = cpi_dense(name, data_b, data_a->type, device);
    bool good = x && y && hold(name, &a, NULL, indices_a, indptr_a, columns, device, data_a->type, wide) == CP_OK &&
                hold(name, &b, NULL, indices_b, indptr_b, columns, device, data_a->type, wide) == CP_OK;
    cpi_sparse_job j = {.op = CP_SPARSE_ALIGN, .n = data_a->shape[1] * data_a->shape[2]};
    *empty = NULL;
    if (good) {
        cpi_array_used(x);
        cpi_array_used(y);
        a.csr.data = x->data, b.csr.data = y->data;
        j.a = a.csr, j.b = b.csr;
        good = (*empty = cpi_array_new(name, device, CP_INT64, 0, NULL, 'C')) != NULL &&
               zero(device, *empty) == CP_OK && count_begin(name, device, a.csr.rows, &j, &r) &&
               (!a.csr.rows || ops->merge_count(cpi_stream(device), &j) == CP_OK);
    }
    const int64_t total = good ? count_end(device, &r) : -1, shape[3] = {total, data_a->shape[1], data_a->shape[2]};
    good = total >= 0 && (r.data = cpi_array_new(name, device, data_a->type, 3, shape, 'C')) != NULL &&
           (r.indices = line(name, device, a.indices->type, total)) != NULL &&
           (r.indptr = a.csr.wide ? cp_retain(r.ends) : cp_astype(r.ends, CP_INT32)) != NULL;
    if (good && total) {
        j.op = op;
        j.data = r.data->data, j.indices = r.indices->data;
        j.found = (int64_t *)(void *)(*empty)->data;
        good = ops->block_merge(cpi_stream(device), &j) == CP_OK;
    }
    cp_free(x), cp_free(y);
    drop(&a), drop(&b);
    if (good) return give(&r, data, indices, indptr);
    cp_free(*empty);
    *empty = NULL;
    return fail(&r);
}
