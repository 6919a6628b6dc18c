/* Sparse matrices: arguments and results of what is done to one. */
#include "cuprite/elementwise.h"
#include "cuprite/index.h"
#include "sparse/csr.h"

/* --- structure --- */

cp_array *cp_csr_check(cp_array *indices, cp_array *indptr, int64_t columns)
{
    const char *name = "sparse_check";
    if (cpi_null(name, indices) || cpi_null(name, indptr)) return NULL;
    cpi_device *device = cpi_common_device(name, 2, (cp_array *const[]){indices, indptr});
    matrix m;
    if (!device || hold(name, &m, NULL, indices, indptr, columns, device, CP_BOOL, false) != CP_OK) return NULL;
    cp_array *found = cpi_array_new(name, device, CP_INT64, 0, NULL, 'C');
    if (found &&
        device->backend->sparse->check(cpi_stream(device), &m.csr, (int64_t *)(void *)found->data) != CP_OK) {
        cp_free(found);
        found = NULL;
    }
    drop(&m);
    return found;
}

static cp_array *rows_of(const char *name, cpi_device *device, const matrix *m)
{
    cp_array *rows = line(name, device, m->indptr->type, m->csr.nnz);
    if (rows && m->csr.nnz && device->backend->sparse->expand(cpi_stream(device), &m->csr, rows->data) != CP_OK) {
        cp_free(rows);
        return NULL;
    }
    return rows;
}
cp_array *cp_csr_rows(cp_array *indices, cp_array *indptr)
{
    const char *name = "sparse_rows";
    if (cpi_null(name, indices) || cpi_null(name, indptr)) return NULL;
    cpi_device *device = cpi_common_device(name, 2, (cp_array *const[]){indices, indptr});
    matrix m;
    if (!device || hold(name, &m, NULL, indices, indptr, INT64_MAX, device, CP_BOOL, false) != CP_OK) return NULL;
    cp_array *rows = rows_of(name, device, &m);
    drop(&m);
    return rows;
}

/* The counting sort behind compress and transpose: c has its inputs. */
static cp_code compress(const char *name, cpi_device *device, cpi_sparse_coo *c, cp_type type, cp_array **data,
                        cp_array **indices, cp_array **indptr)
{
    const cp_type index = c->wide ? CP_INT64 : CP_INT32;
    made r = {.data = line(name, device, type, c->n), .indices = line(name, device, index, c->n),
              .indptr = line(name, device, index, c->rows + 1)};
    if (!r.data || !r.indices || !r.indptr) return fail(&r);
    c->bytes = cpi_itemsize(type);
    c->out = r.data->data, c->indices = r.indices->data, c->indptr = r.indptr->data;
    const cp_code code = c->n && c->rows ? device->backend->sparse->compress(cpi_stream(device), c)
                                         : zero(device, r.indptr);
    return code == CP_OK ? give(&r, data, indices, indptr) : fail(&r);
}

/* cp_csr_compress, by column too where `twice` is given (see cpi_sparse_coo). */
static cp_code compress_triples(const char *name, cp_array *values, cp_array *row, cp_array *column, int64_t nrows,
                                cp_array **twice, cp_array **data, cp_array **indices, cp_array **indptr)
{
    if (cpi_null(name, values) || cpi_null(name, row) || cpi_null(name, column)) return cp_error();
    if (check_index_type(name, "rows", row) || check_index_type(name, "columns", column) ||
        check_line(name, "values", values) || check_element_type(name, values->type))
        return cp_error();
    if (row->type != column->type) return cpi_fail(CP_ERROR_TYPE, "%s: indices must be of one type", name);
    if (row->size != column->size || row->size != values->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: row, column and data arrays must be of the same length", name);
    if (nrows < 0) return cpi_fail(CP_ERROR_VALUE, "%s: the number of rows must not be negative", name);
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){values, row, column});
    if (!device) return cp_error();
    cp_array *in[3] = {cpi_dense(name, values, values->type, device), cpi_dense(name, row, row->type, device),
                       cpi_dense(name, column, column->type, device)};
    cp_code code = in[0] && in[1] && in[2] ? CP_OK : cp_error();
    if (code == CP_OK && twice && !(*twice = cpi_array_new(name, device, CP_INT64, 0, NULL, 'C'))) code = cp_error();
    if (code == CP_OK) {
        for (int i = 0; i < 3; i++) cpi_array_used(in[i]);
        cpi_sparse_coo c = {.n = row->size, .rows = nrows, .wide = row->type == CP_INT64, .row = in[1]->data,
                            .column = in[2]->data, .data = in[0]->data,
                            .twice = twice ? (int64_t *)(void *)(*twice)->data : NULL};
        code = compress(name, device, &c, values->type, data, indices, indptr);
    }
    for (int i = 0; i < 3; i++) cp_free(in[i]);
    return code;
}
cp_code cp_csr_compress(cp_array *values, cp_array *row, cp_array *column, int64_t nrows, cp_array **data,
                           cp_array **indices, cp_array **indptr)
{
    return compress_triples("sparse_compress", values, row, column, nrows, NULL, data, indices, indptr);
}

/* Neighbours of one column become one; `total`: how many elements there will be, or -1. */
static cp_code sum_neighbours(const char *name, cp_array *values, cp_array *index, cp_array *ends, int64_t total,
                              cp_array **data, cp_array **indices, cp_array **indptr)
{
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){values, index, ends});
    matrix m;
    if (!device || hold(name, &m, values, index, ends, INT64_MAX, device, values->type, false) != CP_OK)
        return cp_error();
    made r = {0};
    cpi_sparse_job j = {.a = m.csr};
    const cpi_sparse_ops *ops = device->backend->sparse;
    bool good = count_begin(name, device, m.csr.rows, &j, &r) &&
                (!m.csr.rows || ops->sum_count(cpi_stream(device), &j) == CP_OK);
    if (good && total < 0) good = (total = count_end(device, &r)) >= 0;
    else if (good) good = sum_counts(device, &r);
    good = good && make_result(name, device, values->type, m.csr.wide, total, &j, &r) &&
           (!total || ops->sum_fill(cpi_stream(device), &j) == CP_OK);
    drop(&m);
    return good ? give(&r, data, indices, indptr) : fail(&r);
}

cp_code cp_csr_canonical(cp_array *values, cp_array *row, cp_array *column, int64_t nrows, int64_t ncolumns,
                         cp_array **data, cp_array **indices, cp_array **indptr)
{
    const char *name = "sparse_canonical";
    cp_array *twice = NULL;
    made r = {0}, s = {0};
    cp_code code = compress_triples(name, values, row, column, nrows, &twice, &r.data, &r.indices, &r.indptr);
    const int64_t n = code == CP_OK ? r.data->size : 0, again = n && nrows ? cp_item_int(twice) : 0;
    if (code == CP_OK) code = cp_error();
    cp_free(twice);
    if (code == CP_OK && again >= CPI_SPARSE_UNSORTED) {
        code = cp_csr_sort(r.data, r.indices, r.indptr, ncolumns, &s.data, &s.indices, &s.indptr);
        if (code == CP_OK) code = sum_neighbours(name, s.data, s.indices, s.indptr, -1, data, indices, indptr);
    } else if (code == CP_OK && again) {
        code = sum_neighbours(name, r.data, r.indices, r.indptr, n - again, data, indices, indptr);
    } else if (code == CP_OK) {
        return give(&r, data, indices, indptr);
    }
    drop_made(&r);
    drop_made(&s);
    return code;
}

cp_code cp_csr_transpose(cp_array *values, cp_array *index, cp_array *ends, int64_t columns, cp_array **data,
                            cp_array **indices, cp_array **indptr)
{
    const char *name = "sparse_transpose";
    if (cpi_null(name, values) || cpi_null(name, index) || cpi_null(name, ends)) return cp_error();
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){values, index, ends});
    matrix m;
    if (!device || hold(name, &m, values, index, ends, columns, device, values->type, false) != CP_OK)
        return cp_error();
    cpi_sparse_coo c = {.n = m.csr.nnz, .rows = columns, .wide = m.csr.wide, .row = m.csr.indices,
                        .data = m.csr.data, .ends = m.csr.indptr, .lines = m.csr.rows};
    const cp_code code = compress(name, device, &c, values->type, data, indices, indptr);
    drop(&m);
    return code;
}

cp_code cp_csr_sort(cp_array *values, cp_array *index, cp_array *ends, int64_t columns, cp_array **data,
                       cp_array **indices, cp_array **indptr)
{
    const char *name = "sparse_sort";
    if (cpi_null(name, values) || cpi_null(name, index) || cpi_null(name, ends)) return cp_error();
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){values, index, ends});
    matrix m;
    if (!device || hold(name, &m, values, index, ends, columns, device, values->type, false) != CP_OK)
        return cp_error();
    const cpi_sparse_ops *ops = device->backend->sparse;
    made r = {0};
    cp_code code;
    if (ops->sort) {
        r.data = line(name, device, values->type, m.csr.nnz);
        r.indices = r.data ? line(name, device, m.indices->type, m.csr.nnz) : NULL;
        r.indptr = r.indices ? cp_astype(m.indptr, m.indptr->type) : NULL;
        code = r.indptr ? CP_OK : cp_error();
        if (code == CP_OK && m.csr.nnz)
            code = ops->sort(cpi_stream(device), &m.csr, r.indices->data, r.data->data);
        code = code == CP_OK ? give(&r, data, indices, indptr) : fail(&r);
    } else {
        code = cp_csr_transpose(values, index, ends, columns, &r.data, &r.indices, &r.indptr);
        if (code == CP_OK) code = cp_csr_transpose(r.data, r.indices, r.indptr, m.csr.rows, data, indices, indptr);
        drop_made(&r);
    }
    drop(&m);
    return code;
}

cp_code cp_csr_sum_duplicates(cp_array *values, cp_array *index, cp_array *ends, cp_array **data,
                                 cp_array **indices, cp_array **indptr)
{
    const char *name = "sum_duplicates";
    if (cpi_null(name, values) || cpi_null(name, index) || cpi_null(name, ends)) return cp_error();
    return sum_neighbours(name, values, index, ends, -1, data, indices, indptr);
}

/* Numbers of rows or columns, 1-d int64. */
static cp_array *numbers_of(const char *name, cp_array *x, cpi_device *device, const char *what)
{
    if (check_line(name, what, x) != CP_OK) return NULL;
    if (x->size && !cpi_is_int(x->type))
        return cpi_fail(CP_ERROR_TYPE, "%s: %s must be integers, not %s", name, what, cp_type_name(x->type)), NULL;
    return cpi_dense(name, x, CP_INT64, device);
}

cp_code cp_csr_take(cp_array *values, cp_array *index, cp_array *ends, cp_array *rows, cp_array **data,
                    cp_array **indices, cp_array **indptr)
{
    const char *name = "sparse_take";
    if (cpi_null(name, values) || cpi_null(name, index) || cpi_null(name, ends) || cpi_null(name, rows))
        return cp_error();
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){values, index, ends, rows});
    matrix m;
    if (!device || hold(name, &m, values, index, ends, INT64_MAX, device, values->type, false) != CP_OK)
        return cp_error();
    cp_array *which = numbers_of(name, rows, device, "rows");
    made r = {0};
    cpi_sparse_job j = {.a = m.csr};
    bool good = which && count_begin_found(name, device, which->size, &j, &r);
    if (good && which->size) {
        cpi_array_used(which);
        j.n = which->size;
        j.rows = (const int64_t *)(const void *)which->data;
        good = device->backend->sparse->take_count(cpi_stream(device), &j) == CP_OK;
    }
    int64_t found[CPI_SPARSE_FOUND];
    const int64_t total = good ? count_end_found(device, &r, found) : -1;
    good = total >= 0;
    if (good && found[0]) {
        cpi_fail(CP_ERROR_INDEX, "%s: rows out of bounds", name);
        good = false;
    }
    if (good && too_many(m.csr.wide, total)) {
        drop(&m);
        good = hold(name, &m, values, index, ends, INT64_MAX, device, values->type, true) == CP_OK;
        j.a = m.csr;
    }
    good = good && make_result(name, device, values->type, m.csr.wide, total, &j, &r);
    if (good && total) good = device->backend->sparse->take_fill(cpi_stream(device), &j) == CP_OK;
    cp_free(which);
    drop(&m);
    return good ? give(&r, data, indices, indptr) : fail(&r);
}

cp_code cp_csr_select(cp_array *values, cp_array *index, cp_array *ends, cp_array *keep, cp_array **data,
                         cp_array **indices, cp_array **indptr)
{
    const char *name = "sparse_select";
    if (cpi_null(name, values) || cpi_null(name, index) || cpi_null(name, ends) || cpi_null(name, keep))
        return cp_error();
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){values, index, ends, keep});
    matrix m;
    if (!device || hold(name, &m, values, index, ends, INT64_MAX, device, values->type, false) != CP_OK)
        return cp_error();
    if (keep->ndim != 1 || keep->size != index->size) {
        drop(&m);
        return cpi_fail(CP_ERROR_VALUE, "%s: there must be one of keep for each element", name);
    }
    made r = {0};
    cpi_sparse_job j = {0};
    const int64_t n = keep->size, step = 8;
    bool good = count_begin(name, device, n, &j, &r);
    cp_array *zero_ = good ? cp_int(0) : NULL;
    cp_array *counts = zero_ ? cpi_array_view(r.ends, CP_INT64, 1, &n, &step, r.ends->data + (n ? step : 0)) : NULL;
    cp_array *mask = counts ? cp_not_equal(keep, zero_) : NULL;
    const bool set = mask && cp_assign(counts, mask) == CP_OK;
    if (set && count_end(device, &r) >= 0) {
        cp_array *wide = cp_take(r.ends, m.indptr, CP_FLAT);
        r.indptr = wide && m.csr.wide ? cp_retain(wide) : wide ? cp_astype(wide, CP_INT32) : NULL;
        r.data = r.indptr ? cp_compress(mask, m.data, 0) : NULL;
        r.indices = r.data ? cp_compress(mask, m.indices, 0) : NULL;
        cp_free(wide);
    }
    cp_free(mask);
    cp_free(counts);
    cp_free(zero_);
    drop(&m);
    return r.indices ? give(&r, data, indices, indptr) : fail(&r);
}

cp_array *cp_csr_find(cp_array *indices, cp_array *indptr, cp_array *rows, cp_array *columns, bool ascend)
{
    const char *name = "sparse_find";
    if (cpi_null(name, indices) || cpi_null(name, indptr) || cpi_null(name, rows) || cpi_null(name, columns))
        return NULL;
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){indices, indptr, rows, columns});
    matrix m;
    if (!device || hold(name, &m, NULL, indices, indptr, INT64_MAX, device, CP_BOOL, false) != CP_OK) return NULL;
    cp_array *r = numbers_of(name, rows, device, "rows"), *c = r ? numbers_of(name, columns, device, "columns") : NULL;
    cp_array *at = NULL, *outside = NULL;
    if (c && r->size != c->size) cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must have the same length", name);
    else if (c && (outside = line(name, device, CP_INT64, 1)) && zero(device, outside) == CP_OK)
        at = line(name, device, CP_INT64, r->size);
    if (at && at->size) {
        cpi_array_used(r);
        cpi_array_used(c);
        const cpi_sparse_job j = {.a = m.csr, .unique = ascend, .n = r->size, .rows = (const int64_t *)(void *)r->data,
                                  .columns = (const int64_t *)(void *)c->data, .found = (int64_t *)(void *)at->data,
                                  .ends = (int64_t *)(void *)outside->data};
        bool good = device->backend->sparse->find(cpi_stream(device), &j) == CP_OK;
        int64_t some = 0;
        good = good && device->backend->to_host(cpi_stream(device), &some, outside->data, sizeof some) == CP_OK;
        if (some) cpi_fail(CP_ERROR_INDEX, "%s: rows out of bounds", name);
        if (!good || some) cp_free(at), at = NULL;
    }
    cp_free(outside);
    cp_free(c);
    cp_free(r);
    drop(&m);
    return at;
}

cp_array *cp_csr_dense(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, bool transposed,
                          bool unique)
{
    const char *name = "sparse_dense";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr)) return NULL;
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){data, indices, indptr});
    matrix m;
    if (!device || hold(name, &m, data, indices, indptr, columns, device, data->type, false) != CP_OK) return NULL;
    const int64_t shape[2] = {transposed ? columns : m.csr.rows, transposed ? m.csr.rows : columns};
    cp_array *r = cpi_array_new(name, device, data->type, 2, shape, 'C');
    bool good = r && zero(device, r) == CP_OK;
    if (good && m.csr.nnz && r->size) {
        const cpi_sparse_job j = {.a = m.csr, .unique = unique, .data = r->data, .row_step = transposed ? 1 : columns,
                                  .column_step = transposed ? m.csr.rows : 1};
        good = device->backend->sparse->dense(cpi_stream(device), &j) == CP_OK;
    }
    drop(&m);
    if (!good) cp_free(r), r = NULL;
    return r;
}

/* --- products with arrays --- */

cp_array *cp_csr_multiply(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, cp_array *x)
{
    const char *name = "sparse_multiply";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr) || cpi_null(name, x)) return NULL;
    if (x->ndim != 1 && x->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must have one or two axes, not %d", name, x->ndim), NULL;
    if (x->shape[0] != columns) return cpi_fail(CP_ERROR_VALUE, "%s: dimension mismatch", name), NULL;
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){data, indices, indptr, x});
    const cp_type type = cpi_common_type(2, (cp_array *const[]){data, x});
    matrix m;
    if (!device || hold(name, &m, data, indices, indptr, columns, device, type, false) != CP_OK) return NULL;
    cp_array *in = cpi_dense(name, x, type, device);
    const int64_t shape[2] = {m.csr.rows, x->ndim == 2 ? x->shape[1] : 1};
    cp_array *y = in ? cpi_array_new(name, device, type, x->ndim, shape, 'C') : NULL;
    if (y && y->size) {
        cpi_array_used(in);
        const cpi_sparse_multiply job = {.a = m.csr, .k = shape[1], .x = in->data, .y = y->data};
        const cp_code code = m.csr.nnz ? device->backend->sparse->multiply(cpi_stream(device), &job) : zero(device, y);
        if (code != CP_OK) cp_free(y), y = NULL;
    }
    cp_free(in);
    drop(&m);
    return y;
}

/* A system of few rows or of a narrow band, or of a triangle: `other` is its transpose, or the upper one. */
static cp_array *solved(const char *name, bool few, cp_array *data, cp_array *indices, cp_array *indptr, bool other,
                        cp_array *x)
{
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr) || cpi_null(name, x)) return NULL;
    if ((x->ndim != 1 && x->ndim != 2) || x->shape[0] != indptr->size - 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must have as many rows as the matrix, and one or two axes", name), NULL;
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){data, indices, indptr, x});
    const cp_type common = cpi_common_type(2, (cp_array *const[]){data, x});
    const cp_type type = common == CP_FLOAT32 || cpi_is_complex(common) ? common : CP_FLOAT64;
    const cpi_sparse_ops *ops = device ? device->backend->sparse : NULL;
    if (ops && (few ? !ops->solve : !ops->substitute))
        return cpi_fail(CP_ERROR_UNSUPPORTED, "%s: systems are solved on the CPU", name), NULL;
    matrix m;
    if (!ops || hold(name, &m, data, indices, indptr, indptr->size - 1, device, type, false) != CP_OK) return NULL;
    cp_array *y = cpi_array_new(name, device, type, x->ndim, x->shape, 'C');
    int64_t found = -1, k = x->ndim == 2 ? x->shape[1] : 1;
    cp_code code = y ? cp_assign(y, x) : cp_error();
    if (code == CP_OK && y->size) {
        const cpi_sparse_triangle t = {.a = m.csr, .upper = other, .k = k, .x = y->data, .found = &found};
        const cpi_sparse_system s = {.a = m.csr, .transposed = other, .k = k, .x = y->data, .found = &found};
        code = few ? ops->solve(cpi_stream(device), &s) : ops->substitute(cpi_stream(device), &t);
    }
    if (code == CP_OK && found == CPI_SPARSE_NOT_NARROW) {
        cp_free(y);
        y = cpi_array_new(name, device, type, 1, (const int64_t[]){0}, 'C');
    } else if (code == CP_OK && found >= 0 && few)
        cpi_fail(CP_ERROR_LINALG, "%s: the matrix is singular, or something is not finite", name);
    else if (code == CP_OK && found >= 0)
        cpi_fail(CP_ERROR_VALUE, "%s: row %lld has no element on the diagonal where it belongs", name,
                 (long long)found);
    if (cp_error() != CP_OK) cp_free(y), y = NULL;
    drop(&m);
    return y;
}
cp_array *cp_csr_substitute(cp_array *data, cp_array *indices, cp_array *indptr, bool upper, cp_array *x)
{
    return solved("sparse_substitute", false, data, indices, indptr, upper, x);
}
cp_array *cp_csr_solve(cp_array *data, cp_array *indices, cp_array *indptr, bool transposed, cp_array *x)
{
    return solved("sparse_solve", true, data, indices, indptr, transposed, x);
}

/* The transpose times x, or NULL: times ones. */
static cp_array *transposed(const char *name, cpi_device *device, const matrix *m, cp_array *x)
{
    const cpi_sparse_ops *ops = device->backend->sparse;
    const int64_t shape[2] = {m->csr.columns, x && x->ndim == 2 ? x->shape[1] : 1};
    if (x && x->ndim == 2 && !ops->scatter)
        return cpi_fail(CP_ERROR_UNSUPPORTED, "%s: of several columns this is for the CPU", name), NULL;
    cp_array *y = cpi_array_new(name, device, m->csr.type, x ? x->ndim : 1, shape, 'C');
    if (y && y->size) {
        if (x) cpi_array_used(x);
        const cpi_sparse_multiply job = {.a = m->csr, .k = shape[1], .x = x ? x->data : NULL, .y = y->data};
        const bool many = x && x->ndim == 2;
        const cp_code code = !m->csr.nnz ? zero(device, y)
                             : many ? ops->scatter(cpi_stream(device), &job)
                                    : ops->multiply_transposed(cpi_stream(device), &job);
        if (code != CP_OK) cp_free(y), y = NULL;
    }
    return y;
}
cp_array *cp_csr_multiply_transposed(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns,
                                        cp_array *x)
{
    const char *name = "sparse_multiply";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr) || cpi_null(name, x)) return NULL;
    if ((x->ndim != 1 && x->ndim != 2) || x->shape[0] != indptr->size - 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: dimension mismatch", name), NULL;
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){data, indices, indptr, x});
    const cp_type type = cpi_common_type(2, (cp_array *const[]){data, x});
    matrix m;
    if (!device || hold(name, &m, data, indices, indptr, columns, device, type, false) != CP_OK) return NULL;
    cp_array *in = cpi_dense(name, x, type, device);
    cp_array *y = in ? transposed(name, device, &m, in) : NULL;
    cp_free(in);
    drop(&m);
    return y;
}
cp_array *cp_csr_sum(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, int axis)
{
    const char *name = "sparse_sum";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr)) return NULL;
    if (axis != 0 && axis != 1) return cpi_fail(CP_ERROR_VALUE, "%s: axis must be 0 or 1, not %d", name, axis), NULL;
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){data, indices, indptr});
    matrix m;
    if (!device || hold(name, &m, data, indices, indptr, columns, device, data->type, false) != CP_OK) return NULL;
    cp_array *y = axis ? line(name, device, data->type, m.csr.rows) : transposed(name, device, &m, NULL);
    if (axis && y && y->size) {
        const cpi_sparse_multiply job = {.a = m.csr, .k = 1, .y = y->data};
        const cp_code code = m.csr.nnz ? device->backend->sparse->multiply(cpi_stream(device), &job) : zero(device, y);
        if (code != CP_OK) cp_free(y), y = NULL;
    }
    drop(&m);
    return y;
}
