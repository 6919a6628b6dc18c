/* What the files behind cuprite/csr.h share: a matrix's arrays as slots take them, and results of two passes, which
 * count, sum the counts, allocate and fill. */
#ifndef CPI_SPARSE_CSR_H
#define CPI_SPARSE_CSR_H

#include "operands/operands.h"
#include "scan/scan.h"
#include "sparse/sparse.h"

/* A matrix as slots take it, with the arrays that hold it. */
typedef struct matrix {
    cp_array *data, *indices, *indptr; /* owned */
    cpi_csr csr;
} matrix;

static inline void drop(matrix *m)
{
    cp_free(m->data);
    cp_free(m->indices);
    cp_free(m->indptr);
    *m = (matrix){0};
}

static inline cp_code check_line(const char *name, const char *what, const cp_array *x)
{
    if (x->ndim == 1) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: %s must be a 1-D array, not one of %d", name, what, x->ndim);
}
static inline cp_code check_index_type(const char *name, const char *what, const cp_array *x)
{
    if (x->type == CP_INT32 || x->type == CP_INT64) return check_line(name, what, x);
    return cpi_fail(CP_ERROR_TYPE, "%s: %s must be int32 or int64, not %s", name, what, cp_type_name(x->type));
}
static inline cp_code check_element_type(const char *name, cp_type t)
{
    if (!cpi_is_half(t)) return CP_OK;
    return cpi_fail(CP_ERROR_TYPE, "%s: elements of a sparse matrix cannot be %s", name, cp_type_name(t));
}

/* Fills *m, whose data become `type` and whose indices int64 where `wide`; data NULL: there are none. */
static inline cp_code hold(const char *name, matrix *m, cp_array *data, cp_array *indices, cp_array *indptr,
                           int64_t columns, cpi_device *device, cp_type type, bool wide)
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
static inline cp_array *line(const char *name, cpi_device *device, cp_type type, int64_t n)
{
    return cpi_array_new(name, device, type, 1, &n, 'C');
}
static inline cp_code zero(cpi_device *device, cp_array *x)
{
    const size_t bytes = (size_t)x->size * (size_t)cpi_itemsize(x->type);
    return bytes ? device->backend->zero(cpi_stream(device), x->data, bytes) : CP_OK;
}

/* What an operation of two passes makes. */
typedef struct made {
    cp_array *ends, *data, *other, *indices, *indptr;
} made;

static inline void drop_made(made *r)
{
    cp_free(r->ends);
    cp_free(r->data);
    cp_free(r->other);
    cp_free(r->indices);
    cp_free(r->indptr);
    *r = (made){0};
}
static inline bool count_begin(const char *name, cpi_device *device, int64_t rows, cpi_sparse_job *j, made *r)
{
    if (!(r->ends = line(name, device, CP_INT64, rows + 1)) || zero(device, r->ends) != CP_OK) return false;
    j->ends = (int64_t *)(void *)r->ends->data;
    return true;
}
static inline bool sum_counts(cpi_device *device, made *r)
{
    const int64_t n = r->ends->size;
    const cpi_scan s = {.op = CPI_SCAN_ADD, .type = CP_INT64, .outer = 1, .n = n, .inner = 1, .source = CP_INT64,
                        .result = CP_INT64, .from = r->ends->data, .to = r->ends->data};
    return n <= 1 || device->backend->scan->scan(cpi_stream(device), &s) == CP_OK;
}
/* Sums the counts; the total, or -1. Waits. */
static inline int64_t count_end(cpi_device *device, made *r)
{
    const int64_t n = r->ends->size;
    int64_t total;
    if (!sum_counts(device, r)) return -1;
    if (device->backend->to_host(cpi_stream(device), &total, r->ends->data + (n - 1) * 8, 8) != CP_OK) return -1;
    return total;
}
/* The same with j->found: so many counters behind the rows', all 0, which are read with the total. */
enum { CPI_SPARSE_FOUND = 4 };
static inline bool count_begin_found(const char *name, cpi_device *device, int64_t rows, cpi_sparse_job *j, made *r)
{
    const int64_t n = rows + 1, step = 8;
    cp_array *all = line(name, device, CP_INT64, n + CPI_SPARSE_FOUND);
    if (all && zero(device, all) == CP_OK) r->ends = cpi_array_view(all, CP_INT64, 1, &n, &step, all->data);
    if (r->ends) {
        j->ends = (int64_t *)(void *)all->data;
        j->found = j->ends + n;
    }
    cp_free(all);
    return r->ends != NULL;
}
static inline int64_t count_end_found(cpi_device *device, made *r, int64_t found[CPI_SPARSE_FOUND])
{
    int64_t read[1 + CPI_SPARSE_FOUND] = {-1};
    if (!sum_counts(device, r) || device->backend->to_host(cpi_stream(device), read,
                                                           r->ends->data + (r->ends->size - 1) * 8,
                                                           sizeof read) != CP_OK)
        return -1;
    memcpy(found, read + 1, CPI_SPARSE_FOUND * sizeof *found);
    return read[0];
}
/* The arrays of n elements, whose indices are of the type that ends must have. */
static inline bool make_result(const char *name, cpi_device *device, cp_type type, bool wide, int64_t n,
                               cpi_sparse_job *j, made *r)
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
static inline cp_code give(made *r, cp_array **data, cp_array **indices, cp_array **indptr)
{
    *data = r->data, *indices = r->indices, *indptr = r->indptr;
    r->data = r->indices = r->indptr = NULL;
    drop_made(r);
    return CP_OK;
}
static inline cp_code fail(made *r)
{
    drop_made(r);
    return cp_error();
}
static inline cp_code only_cpu(const char *name, const void *slot)
{
    return slot ? CP_OK : cpi_fail(CP_ERROR_UNSUPPORTED, "%s: this is for the CPU", name);
}
static inline bool too_many(bool wide, int64_t total) { return !wide && total > INT32_MAX; }

#endif
