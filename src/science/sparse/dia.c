/* Diagonals: products with vectors and arrays, and the same elements as compressed rows or columns.
 *
 * data[i][c] is the element of column c on the diagonal offsets[i]; what lies outside of the matrix is none. */
#include <stdlib.h>

#include "sparse/csr.h"

static cp_code check(const char *name, cp_array *data, cp_array *offsets, int64_t rows, int64_t columns)
{
    if (data->ndim != 2) return cpi_fail(CP_ERROR_VALUE, "%s: data must be 2-D, not %d-D", name, data->ndim);
    if (check_index_type(name, "offsets", offsets) != CP_OK) return cp_error();
    if (data->shape[0] != offsets->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: there must be as many offsets as diagonals", name);
    if (rows < 0 || columns < 0 || rows > INT64_MAX / 2 || columns > INT64_MAX / 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must be 0 to 2^62", name);
    return check_element_type(name, data->type);
}

cp_array *cp_dia_multiply(cp_array *data, cp_array *offsets, int64_t rows, int64_t columns, cp_array *x)
{
    const char *name = "dia_multiply";
    if (cpi_null(name, data) || cpi_null(name, offsets) || cpi_null(name, x) ||
        check(name, data, offsets, rows, columns) != CP_OK)
        return NULL;
    if (x->ndim != 1 && x->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must have one or two axes, not %d", name, x->ndim), NULL;
    if (x->shape[0] != columns) return cpi_fail(CP_ERROR_VALUE, "%s: dimension mismatch", name), NULL;
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){data, offsets, x});
    const cp_type type = cpi_common_type(2, (cp_array *const[]){data, x});
    if (!device || check_element_type(name, type) != CP_OK) return NULL;
    const int64_t shape[2] = {rows, x->ndim == 2 ? x->shape[1] : 1};
    cp_array *in[3] = {cpi_dense(name, data, type, device), cpi_dense(name, offsets, offsets->type, device),
                       cpi_dense(name, x, type, device)};
    cp_array *y = in[0] && in[1] && in[2] ? cpi_array_new(name, device, type, x->ndim, shape, 'C') : NULL;
    if (y && y->size) {
        for (int i = 0; i < 3; i++) cpi_array_used(in[i]);
        const cpi_sparse_diagonals job = {.type = type, .wide = offsets->type == CP_INT64, .rows = rows,
                                          .columns = columns, .count = offsets->size, .length = data->shape[1],
                                          .k = shape[1], .offsets = in[1]->data, .data = in[0]->data,
                                          .x = in[2]->data, .y = y->data};
        const cp_code code = data->size ? device->backend->sparse->diagonals(cpi_stream(device), &job)
                                        : zero(device, y);
        if (code != CP_OK) cp_free(y), y = NULL;
    }
    for (int i = 0; i < 3; i++) cp_free(in[i]);
    return y;
}

/* A span with its offset, to be sorted. */
typedef struct span {
    int64_t number[CPI_SPAN_NUMBERS];
} span;
static int by_index(const void *a, const void *b)
{
    const int64_t x = ((const span *)a)->number[CPI_SPAN_INDEX], y = ((const span *)b)->number[CPI_SPAN_INDEX];
    return (x > y) - (x < y);
}
/* The spans of offsets, those without elements left out, in the order of their indices; how many, -1 on failure. */
static int64_t spans_of(const char *name, const int64_t *offsets, int64_t n, int64_t rows, int64_t columns,
                        int64_t length, bool by_columns, span *to)
{
    const int64_t most = length < columns ? length : columns;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = offsets[i];
        if (k <= -rows || k >= most) continue;
        const int64_t first = k > 0 ? k : 0, end = rows < most - k ? rows + k : most; /* columns */
        if (first >= end) continue;
        to[count++] = by_columns ? (span){{first, end, i * length, -k}}
                                 : (span){{first - k, end - k, i * length + k, k}};
    }
    qsort(to, (size_t)count, sizeof *to, by_index);
    for (int64_t i = 1; i < count; i++)
        if (!by_index(&to[i - 1], &to[i])) {
            const int64_t k = to[i].number[CPI_SPAN_INDEX];
            cpi_fail(CP_ERROR_VALUE, "%s: offsets must not have %lld twice", name, (long long)(by_columns ? -k : k));
            return -1;
        }
    return count;
}
/* Counts and fills the lines of s, whose spans are there. */
static cp_code compress(const char *name, cpi_device *device, cpi_sparse_spans *s, cp_array **data, cp_array **indices,
                        cp_array **indptr)
{
    const cpi_sparse_ops *ops = device->backend->sparse;
    made r = {0};
    cpi_sparse_job j = {0};
    bool good = count_begin(name, device, s->lines, &j, &r);
    s->ends = j.ends;
    if (good && s->count && s->lines) good = ops->spans_count(cpi_stream(device), s) == CP_OK;
    const int64_t total = good ? count_end(device, &r) : -1;
    s->wide = s->wide || total > INT32_MAX;
    good = total >= 0 && make_result(name, device, s->type, s->wide, total, &j, &r);
    if (good && total) {
        s->indices = j.indices, s->out = j.data;
        good = ops->spans_fill(cpi_stream(device), s) == CP_OK;
    }
    return good ? give(&r, data, indices, indptr) : fail(&r);
}
cp_code cp_dia_compress(cp_array *diagonals, cp_array *offsets, int64_t rows, int64_t columns, bool by_columns,
                        cp_array **data, cp_array **indices, cp_array **indptr)
{
    const char *name = "dia_compress";
    if (cpi_null(name, diagonals) || cpi_null(name, offsets) || check(name, diagonals, offsets, rows, columns) != CP_OK)
        return cp_error();
    cpi_device *device = cpi_common_device(name, 2, (cp_array *const[]){diagonals, offsets});
    if (!device) return cp_error();
    const int64_t n = offsets->size;
    cp_array *wide = cp_astype(offsets, CP_INT64), *from = cpi_dense(name, diagonals, diagonals->type, device);
    int64_t *of = cpi_malloc((size_t)(n + 1) * sizeof *of);
    span *spans = cpi_malloc((size_t)(n + 1) * sizeof *spans);
    int64_t count = -1;
    if (wide && from && of && spans && (!n || cp_to_host(wide, of, (size_t)n * sizeof *of) == CP_OK))
        count = spans_of(name, of, n, rows, columns, diagonals->shape[1], by_columns, spans);
    cp_array *there = count < 0 ? NULL : line(name, device, CP_INT64, count * CPI_SPAN_NUMBERS);
    cp_code code = there ? CP_OK : cp_error();
    if (count > 0 && there)
        code = device->backend->from_host(cpi_stream(device), there->data, spans, (size_t)count * sizeof *spans);
    if (there && code == CP_OK) {
        cpi_array_used(there);
        cpi_array_used(from);
        cpi_sparse_spans s = {.type = diagonals->type, .wide = offsets->type == CP_INT64 || rows > INT32_MAX ||
                              columns > INT32_MAX, .lines = by_columns ? columns : rows, .count = count,
                              .spans = (const int64_t *)(const void *)there->data, .data = from->data};
        code = compress(name, device, &s, data, indices, indptr);
    }
    cp_free(there);
    cpi_free_host(of);
    cpi_free_host(spans);
    cp_free(wide);
    cp_free(from);
    return code;
}
