/* Sparse matrices: arguments and results. Operations of two passes count, sum the counts, allocate and fill. */
#include "sparse/sparse.h"

#include "cuprite/elementwise.h"
#include "cuprite/index.h"
#include "cuprite/reduce.h"
#include "cuprite/reductions.h"
#include "operands/operands.h"
#include "scan/scan.h"

/* A matrix as slots take it, with the arrays that hold it. */
typedef struct matrix {
    cp_array *data, *indices, *indptr; /* owned */
    cpi_csr csr;
} matrix;

static void drop(matrix *m)
{
    cp_free(m->data);
    cp_free(m->indices);
    cp_free(m->indptr);
    *m = (matrix){0};
}

static cp_code check_line(const char *name, const char *what, const cp_array *x)
{
    if (x->ndim == 1) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: %s must be a 1-D array, not one of %d", name, what, x->ndim);
}
static cp_code check_index_type(const char *name, const char *what, const cp_array *x)
{
    if (x->type == CP_INT32 || x->type == CP_INT64) return check_line(name, what, x);
    return cpi_fail(CP_ERROR_TYPE, "%s: %s must be int32 or int64, not %s", name, what, cp_type_name(x->type));
}
static cp_code check_element_type(const char *name, cp_type t)
{
    if (!cpi_is_half(t)) return CP_OK;
    return cpi_fail(CP_ERROR_TYPE, "%s: elements of a sparse matrix cannot be %s", name, cp_type_name(t));
}

/* Fills *m, whose data become `type` and whose indices int64 where `wide`; data NULL: there are none. */
static cp_code hold(const char *name, matrix *m, cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns,
                    cpi_device *device, cp_type type, bool wide)
{
    *m = (matrix){0};
    if (check_index_type(name, "indices", indices) || check_index_type(name, "indptr", indptr)) return cp_error();
    if (indices->type != indptr->type)
        return cpi_fail(CP_ERROR_TYPE, "%s: indices and indptr must be of one type", name);
    if (indptr->size < 1) return cpi_fail(CP_ERROR_VALUE, "%s: indptr must not be empty", name);
    if (columns < 0) return cpi_fail(CP_ERROR_VALUE, "%s: the number of columns must not be negative", name);
    if (data && (check_line(name, "data", data) || check_element_type(name, type))) return cp_error();
    if (data && data->size != indices->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: indices and data must have the same length", name);
    const cp_type index = wide ? CP_INT64 : indices->type;
    if (data && !(m->data = cpi_dense(name, data, type, device))) return cp_error();
    m->indices = cpi_dense(name, indices, index, device);
    m->indptr = m->indices ? cpi_dense(name, indptr, index, device) : NULL;
    if (!m->indptr) {
        drop(m);
        return cp_error();
    }
    m->csr = (cpi_csr){.rows = indptr->size - 1, .columns = columns, .nnz = indices->size, .type = type,
                       .wide = index == CP_INT64, .indptr = m->indptr->data, .indices = m->indices->data,
                       .data = data ? m->data->data : NULL};
    if (m->data) cpi_array_used(m->data);
    cpi_array_used(m->indices);
    cpi_array_used(m->indptr);
    return CP_OK;
}
static cp_array *line(const char *name, cpi_device *device, cp_type type, int64_t n)
{
    return cpi_array_new(name, device, type, 1, &n, 'C');
}
static cp_code zero(cpi_device *device, cp_array *x)
{
    const size_t bytes = (size_t)x->size * (size_t)cpi_itemsize(x->type);
    return bytes ? device->backend->zero(cpi_stream(device), x->data, bytes) : CP_OK;
}

/* What an operation of two passes makes. */
typedef struct made {
    cp_array *ends, *data, *other, *indices, *indptr;
} made;

static void drop_made(made *r)
{
    cp_free(r->ends);
    cp_free(r->data);
    cp_free(r->other);
    cp_free(r->indices);
    cp_free(r->indptr);
    *r = (made){0};
}
static bool count_begin(const char *name, cpi_device *device, int64_t rows, cpi_sparse_job *j, made *r)
{
    if (!(r->ends = line(name, device, CP_INT64, rows + 1)) || zero(device, r->ends) != CP_OK) return false;
    j->ends = (int64_t *)(void *)r->ends->data;
    return true;
}
static bool sum_counts(cpi_device *device, made *r)
{
    const int64_t n = r->ends->size;
    const cpi_scan s = {.op = CPI_SCAN_ADD, .type = CP_INT64, .outer = 1, .n = n, .inner = 1, .source = CP_INT64,
                        .result = CP_INT64, .from = r->ends->data, .to = r->ends->data};
    return n <= 1 || device->backend->scan->scan(cpi_stream(device), &s) == CP_OK;
}
/* Sums the counts; the total, or -1. Waits. */
static int64_t count_end(cpi_device *device, made *r)
{
    const int64_t n = r->ends->size;
    int64_t total;
    if (!sum_counts(device, r)) return -1;
    if (device->backend->to_host(cpi_stream(device), &total, r->ends->data + (n - 1) * 8, 8) != CP_OK) return -1;
    return total;
}
/* The arrays of n elements, whose indices are of the type that ends must have. */
static bool make_result(const char *name, cpi_device *device, cp_type type, bool wide, int64_t n, cpi_sparse_job *j,
                        made *r)
{
    const cp_type index = wide ? CP_INT64 : CP_INT32;
    r->data = line(name, device, type, n);
    r->indices = r->data ? line(name, device, index, n) : NULL;
    r->indptr = !r->indices ? NULL : wide ? cp_retain(r->ends) : cp_astype(r->ends, CP_INT32);
    if (!r->indptr) return false;
    j->data = r->data->data;
    j->indices = r->indices->data;
    return true;
}
static cp_code give(made *r, cp_array **data, cp_array **indices, cp_array **indptr)
{
    *data = r->data, *indices = r->indices, *indptr = r->indptr;
    r->data = r->indices = r->indptr = NULL;
    drop_made(r);
    return CP_OK;
}
static cp_code fail(made *r)
{
    drop_made(r);
    return cp_error();
}
static bool too_many(bool wide, int64_t total) { return !wide && total > INT32_MAX; }

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

/* An error where a number lies outside of 0..n-1. Waits. */
static cp_code check_inside(const char *name, cp_array *x, int64_t n, const char *what)
{
    if (!x->size) return CP_OK;
    cp_array *low = cp_min(x), *high = low ? cp_max(x) : NULL;
    cp_code code = high ? CP_OK : cp_error();
    if (code == CP_OK && (cp_item_int(low) < 0 || cp_item_int(high) >= n))
        code = cp_error() != CP_OK ? cp_error() : cpi_fail(CP_ERROR_INDEX, "%s: %s out of bounds", name, what);
    if (code == CP_OK) code = cp_error();
    cp_free(high);
    cp_free(low);
    return code;
}
/* Numbers of rows or columns, 1-d int64. */
static cp_array *numbers_of(const char *name, cp_array *x, cpi_device *device, const char *what)
{
    if (check_line(name, what, x) != CP_OK) return NULL;
    if (x->size && !cpi_is_int(x->type))
        return cpi_fail(CP_ERROR_TYPE, "%s: %s must be integers, not %s", name, what, cp_type_name(x->type)), NULL;
    return cpi_dense(name, x, CP_INT64, device);
}

cp_code cp_csr_take(cp_array *values, cp_array *index, cp_array *ends, cp_array *rows, bool inside,
                       cp_array **data, cp_array **indices, cp_array **indptr)
{
    const char *name = "sparse_take";
    if (cpi_null(name, values) || cpi_null(name, index) || cpi_null(name, ends) || cpi_null(name, rows))
        return cp_error();
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){values, index, ends, rows});
    matrix m;
    if (!device || hold(name, &m, values, index, ends, INT64_MAX, device, values->type, false) != CP_OK)
        return cp_error();
    cp_array *which = numbers_of(name, rows, device, "rows");
    bool good = which && (inside || check_inside(name, which, m.csr.rows, "rows") == CP_OK);
    made r = {0};
    cpi_sparse_job j = {.a = m.csr};
    good = good && count_begin(name, device, which->size, &j, &r);
    if (good && which->size) {
        cpi_array_used(which);
        j.n = which->size;
        j.rows = (const int64_t *)(const void *)which->data;
        good = device->backend->sparse->take_count(cpi_stream(device), &j) == CP_OK;
    }
    const int64_t total = good ? count_end(device, &r) : -1;
    good = total >= 0;
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
    cp_array *at = NULL;
    if (c && r->size != c->size) cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must have the same length", name);
    else if (c && check_inside(name, r, m.csr.rows, "rows") == CP_OK) at = line(name, device, CP_INT64, r->size);
    if (at && at->size) {
        cpi_array_used(r);
        cpi_array_used(c);
        const cpi_sparse_job j = {.a = m.csr, .unique = ascend, .n = r->size, .rows = (const int64_t *)(void *)r->data,
                                  .columns = (const int64_t *)(void *)c->data, .found = (int64_t *)(void *)at->data};
        if (device->backend->sparse->find(cpi_stream(device), &j) != CP_OK) cp_free(at), at = NULL;
    }
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

cp_array *cp_csr_substitute(cp_array *data, cp_array *indices, cp_array *indptr, bool upper, cp_array *x)
{
    const char *name = "sparse_substitute";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr) || cpi_null(name, x)) return NULL;
    if ((x->ndim != 1 && x->ndim != 2) || x->shape[0] != indptr->size - 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must have as many rows as the matrix, and one or two axes", name), NULL;
    cpi_device *device = cpi_common_device(name, 4, (cp_array *const[]){data, indices, indptr, x});
    const cp_type common = cpi_common_type(2, (cp_array *const[]){data, x});
    const cp_type type = common == CP_FLOAT32 || cpi_is_complex(common) ? common : CP_FLOAT64;
    if (device && !device->backend->sparse->substitute)
        return cpi_fail(CP_ERROR_UNSUPPORTED, "%s: triangles are solved on the CPU", name), NULL;
    matrix m;
    if (!device || hold(name, &m, data, indices, indptr, indptr->size - 1, device, type, false) != CP_OK) return NULL;
    cp_array *y = cpi_array_new(name, device, type, x->ndim, x->shape, 'C');
    int64_t found = -1;
    const cpi_sparse_triangle t = {.a = m.csr, .upper = upper, .k = x->ndim == 2 ? x->shape[1] : 1,
                                   .x = y ? y->data : NULL, .found = &found};
    cp_code code = y ? cp_assign(y, x) : cp_error();
    if (code == CP_OK && y->size) code = device->backend->sparse->substitute(cpi_stream(device), &t);
    if (code == CP_OK && found >= 0)
        cpi_fail(CP_ERROR_VALUE, "%s: row %lld has no element on the diagonal where it belongs", name,
                 (long long)found);
    if (cp_error() != CP_OK) cp_free(y), y = NULL;
    drop(&m);
    return y;
}

/* The transpose times x, or NULL: times ones. */
static cp_array *transposed(const char *name, cpi_device *device, const matrix *m, cp_array *x)
{
    cp_array *y = line(name, device, m->csr.type, m->csr.columns);
    if (y && y->size) {
        if (x) cpi_array_used(x);
        const cpi_sparse_multiply job = {.a = m->csr, .k = 1, .x = x ? x->data : NULL, .y = y->data};
        const cp_code code = m->csr.nnz ? device->backend->sparse->multiply_transposed(cpi_stream(device), &job)
                                        : zero(device, y);
        if (code != CP_OK) cp_free(y), y = NULL;
    }
    return y;
}
cp_array *cp_csr_multiply_transposed(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns,
                                        cp_array *x)
{
    const char *name = "sparse_multiply";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr) || cpi_null(name, x)) return NULL;
    if (x->ndim != 1 || x->size != indptr->size - 1)
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

/* --- two matrices --- */

typedef struct pair {
    const char *name;
    cpi_device *device;
    cp_array *in[6];
    matrix a, b;
    cpi_sparse_job j;
    made r;
} pair;

static cp_code hold_pair(pair *p, int64_t columns_a, int64_t columns, bool wide)
{
    cp_array *const *in = p->in;
    const cp_type type = in[0]->type;
    if (in[1]->type != in[4]->type) wide = true;
    if (hold(p->name, &p->a, in[0], in[1], in[2], columns_a, p->device, type, wide) != CP_OK) return cp_error();
    if (hold(p->name, &p->b, in[3], in[4], in[5], columns, p->device, type, wide) != CP_OK) {
        drop(&p->a);
        return cp_error();
    }
    p->j.a = p->a.csr;
    p->j.b = p->b.csr;
    return CP_OK;
}
static cp_code open_pair(pair *p, int64_t columns, bool product)
{
    for (int i = 0; i < 6; i++)
        if (cpi_null(p->name, p->in[i])) return cp_error();
    if (p->in[0]->type != p->in[3]->type)
        return cpi_fail(CP_ERROR_TYPE, "%s: the matrices must be of one type", p->name);
    if (!product && p->in[2]->size != p->in[5]->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: inconsistent shapes", p->name);
    p->device = cpi_common_device(p->name, 6, p->in);
    if (!p->device) return cp_error();
    return hold_pair(p, product ? p->in[5]->size - 1 : columns, columns, false);
}
static void close_pair(pair *p)
{
    drop(&p->a);
    drop(&p->b);
}
/* The second pass's operands: those of the first one, with wide indices where there are that many elements. */
static bool widen_pair(pair *p, int64_t total)
{
    if (!too_many(p->a.csr.wide, total)) return true;
    const int64_t columns_a = p->a.csr.columns, columns = p->b.csr.columns;
    close_pair(p);
    return hold_pair(p, columns_a, columns, true) == CP_OK;
}

static cp_code merge(pair *p, int64_t columns, cp_array **data, cp_array **other, cp_array **indices,
                     cp_array **indptr)
{
    if (open_pair(p, columns, false) != CP_OK) return cp_error();
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    cp_stream *stream = cpi_stream(p->device);
    const int64_t rows = p->a.csr.rows;
    bool good = count_begin(p->name, p->device, rows, &p->j, &p->r) &&
                (!rows || ops->merge_count(stream, &p->j) == CP_OK);
    const int64_t total = good ? count_end(p->device, &p->r) : -1;
    good = total >= 0 && widen_pair(p, total) &&
           make_result(p->name, p->device, p->in[0]->type, p->a.csr.wide, total, &p->j, &p->r);
    if (good && other) {
        p->r.other = line(p->name, p->device, p->in[0]->type, total);
        good = p->r.other != NULL;
        if (good) p->j.other = p->r.other->data;
    }
    if (good && total) good = (other ? ops->align_fill : ops->merge_fill)(stream, &p->j) == CP_OK;
    close_pair(p);
    if (!good) return fail(&p->r);
    if (other) *other = p->r.other, p->r.other = NULL;
    return give(&p->r, data, indices, indptr);
}

cp_code cp_csr_merge(cp_sparse_op op, cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                        cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **data, cp_array **indices,
                        cp_array **indptr)
{
    if ((unsigned)op > CP_SPARSE_MULTIPLY)
        return cpi_fail(CP_ERROR_VALUE, "sparse_merge: there is no operation %d", (int)op);
    pair p = {.name = "sparse_merge", .in = {data_a, indices_a, indptr_a, data_b, indices_b, indptr_b},
              .j = {.op = op}};
    return merge(&p, columns, data, NULL, indices, indptr);
}
cp_code cp_csr_align(cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                        cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **a, cp_array **b,
                        cp_array **indices, cp_array **indptr)
{
    pair p = {.name = "sparse_align", .in = {data_a, indices_a, indptr_a, data_b, indices_b, indptr_b},
              .j = {.op = CP_SPARSE_ALIGN}};
    return merge(&p, columns, a, b, indices, indptr);
}

/* --- products --- */

/* Are no more products in any row than the device's kernels take? `n` is then the most; count has their number. Waits.
 */
static bool fits(pair *p)
{
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    if (!ops->product_most) return true;
    p->j.unique = true;
    if (ops->product_size(cpi_stream(p->device), &p->j) != CP_OK) return false;
    cp_array *most = cp_max(p->r.ends);
    p->j.n = most ? cp_item_int(most) : 0;
    cp_free(most);
    return cp_error() == CP_OK && p->j.n <= ops->product_most;
}
/* All products as elements of rows, which are then sorted by two transpositions and summed. */
static cp_code product_of_all(pair *p, int64_t columns, cp_array **data, cp_array **indices, cp_array **indptr)
{
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    p->j.unique = false;
    const bool sized = ops->product_size(cpi_stream(p->device), &p->j) == CP_OK;
    const int64_t total = sized ? count_end(p->device, &p->r) : -1;
    made once = {0}, twice = {0};
    const bool all = total >= 0 && widen_pair(p, total) &&
                     make_result(p->name, p->device, p->in[0]->type, p->a.csr.wide, total, &p->j, &p->r) &&
                     (!total || ops->product_all(cpi_stream(p->device), &p->j) == CP_OK);
    cp_code code = all ? CP_OK : cp_error();
    if (code == CP_OK)
        code = cp_csr_transpose(p->r.data, p->r.indices, p->r.indptr, columns, &once.data, &once.indices,
                                   &once.indptr);
    if (code == CP_OK)
        code = cp_csr_transpose(once.data, once.indices, once.indptr, p->a.csr.rows, &twice.data, &twice.indices,
                                   &twice.indptr);
    if (code == CP_OK)
        code = cp_csr_sum_duplicates(twice.data, twice.indices, twice.indptr, data, indices, indptr);
    drop_made(&once);
    drop_made(&twice);
    return code;
}
/* The sorted elements of each row, counted and then filled; *zeros: how many of them are 0. */
static cp_code product_of_rows(pair *p, int64_t *zeros, cp_array **data, cp_array **indices, cp_array **indptr)
{
    const cpi_sparse_ops *ops = p->device->backend->sparse;
    cp_stream *stream = cpi_stream(p->device);
    const bool counted = !p->a.csr.rows || ops->product_count(stream, &p->j) == CP_OK;
    const int64_t total = counted ? count_end(p->device, &p->r) : -1;
    cp_array *found = total >= 0 ? cpi_array_new(p->name, p->device, CP_INT64, 0, NULL, 'C') : NULL;
    bool good = found && zero(p->device, found) == CP_OK && widen_pair(p, total) &&
                make_result(p->name, p->device, p->in[0]->type, p->a.csr.wide, total, &p->j, &p->r);
    if (good && total) {
        p->j.found = (int64_t *)(void *)found->data;
        good = ops->product_fill(stream, &p->j) == CP_OK;
        *zeros = good ? cp_item_int(found) : 0;
    }
    cp_free(found);
    if (!good || cp_error() != CP_OK) return cp_error();
    return give(&p->r, data, indices, indptr);
}
/* Takes the elements that are 0 out of a result. */
static cp_code drop_zeros(cp_array **data, cp_array **indices, cp_array **indptr)
{
    cp_array *d = *data, *i = *indices, *p = *indptr;
    const cp_code code = cp_csr_select(d, i, p, d, data, indices, indptr);
    if (code != CP_OK) *data = *indices = *indptr = NULL;
    cp_free(d);
    cp_free(i);
    cp_free(p);
    return code;
}

cp_code cp_csr_product(cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                          cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **data,
                          cp_array **indices, cp_array **indptr)
{
    pair p = {.name = "sparse_product", .in = {data_a, indices_a, indptr_a, data_b, indices_b, indptr_b}};
    if (open_pair(&p, columns, true) != CP_OK) return cp_error();
    cp_array *out[3] = {NULL, NULL, NULL};
    int64_t zeros = 0;
    cp_code code = count_begin(p.name, p.device, p.a.csr.rows, &p.j, &p.r) ? CP_OK : cp_error();
    const bool in_rows = code == CP_OK && (!p.a.csr.rows || fits(&p));
    if (code == CP_OK) code = cp_error();
    if (code == CP_OK && in_rows) code = product_of_rows(&p, &zeros, &out[0], &out[1], &out[2]);
    else if (code == CP_OK) {
        code = product_of_all(&p, columns, &out[0], &out[1], &out[2]);
        zeros = 1;
    }
    close_pair(&p);
    drop_made(&p.r);
    if (code == CP_OK && zeros) code = drop_zeros(&out[0], &out[1], &out[2]);
    if (code != CP_OK) return code;
    *data = out[0], *indices = out[1], *indptr = out[2];
    return CP_OK;
}
