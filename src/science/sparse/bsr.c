/* Compressed rows of blocks, matrices whose elements are small dense matrices: products, and the same elements as
 * compressed rows. */
#include "cuprite/elementwise.h"
#include "cuprite/index.h"
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

/* --- as rows, and from rows --- */

cp_code cp_bsr_rows(cp_array *blocks, cp_array *index, cp_array *ends, int64_t columns, cp_array **data,
                    cp_array **indices, cp_array **indptr)
{
    const char *name = "bsr_rows";
    if (cpi_null(name, blocks) || cpi_null(name, index) || cpi_null(name, ends)) return cp_error();
    if (blocks->ndim != 3) return cpi_fail(CP_ERROR_VALUE, "%s: data must be 3-D, not %d-D", name, blocks->ndim);
    if (blocks->shape[0] != index->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: there must be as many indices as blocks", name);
    const int64_t height = blocks->shape[1], width = blocks->shape[2];
    if (height < 1 || width < 1 || columns < 0 || columns % width)
        return cpi_fail(CP_ERROR_VALUE, "%s: blocks must not be empty, and columns a multiple of theirs", name);
    int64_t rows;
    if (__builtin_mul_overflow(ends->size - 1, height, &rows))
        return cpi_fail(CP_ERROR_VALUE, "%s: there are too many rows", name);
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){blocks, index, ends});
    const bool wide = blocks->size > INT32_MAX || columns > INT32_MAX || rows > INT32_MAX;
    matrix m;
    if (!device || check_element_type(name, blocks->type) != CP_OK ||
        hold(name, &m, NULL, index, ends, columns / width, device, blocks->type, wide) != CP_OK)
        return cp_error();
    const cp_type type = m.csr.wide ? CP_INT64 : CP_INT32;
    cp_array *from = cpi_dense(name, blocks, blocks->type, device);
    made r = {.data = from ? line(name, device, blocks->type, blocks->size) : NULL};
    r.indices = r.data ? line(name, device, type, blocks->size) : NULL;
    r.indptr = r.indices ? line(name, device, type, rows + 1) : NULL;
    cp_code code = r.indptr ? CP_OK : cp_error();
    if (code == CP_OK && m.csr.rows) {
        cpi_array_used(from);
        m.csr.data = from->data;
        const cpi_sparse_tiles t = {.a = m.csr, .height = height, .width = width, .indptr = r.indptr->data,
                                    .indices = r.indices->data, .data = r.data->data};
        code = device->backend->sparse->untile(cpi_stream(device), &t);
    } else if (code == CP_OK) {
        code = zero(device, r.indptr);
    }
    cp_free(from);
    drop(&m);
    return code == CP_OK ? give(&r, data, indices, indptr) : fail(&r);
}

static cp_code check_blocks(const char *name, const cp_array *ends, int64_t columns, int64_t height, int64_t width)
{
    if (height < 1 || width < 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: blocks must not be empty, not (%lld, %lld)", name, (long long)height,
                        (long long)width);
    if (columns < 0 || columns % width || (ends->size - 1) % height)
        return cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must be multiples of those of a block, (%lld, %lld)",
                        name, (long long)height, (long long)width);
    return CP_OK;
}
/* Can marks of all columns of blocks be made for each worker? Not of few elements among very many columns. */
static bool marked(const cpi_device *device, const cpi_sparse_tiles *t)
{
    return device->backend->sparse->tile_count && t->a.columns / t->width <= ((int64_t)1 << 22) + 16 * t->a.nnz;
}
/* Blocks of rows by what they find as triples; where `at` is given, also where in the blocks each element is. */
static cp_code find_tiles(cp_array *index, cp_array *ends, int64_t columns, int64_t height, int64_t width,
                          cp_array **at, cp_array **indices, cp_array **indptr)
{
    enum { ROWS, HIGH, WIDE, ROW, COLUMN, ONES, ALL, ROW64, COLUMN64, FOUND, BLOCK, H, H64, LINE, START, W, W64, N };
    cp_array *t[N] = {[ROWS] = cp_csr_rows(index, ends), [HIGH] = cp_int(height), [WIDE] = cp_int(width),
                      [ONES] = cp_ones(CP_SHAPE(index->size), CP_BOOL)};
    t[ROW] = cp_floor_divide(t[ROWS], t[HIGH]), t[COLUMN] = cp_floor_divide(index, t[WIDE]);
    if (t[ROW] && t[COLUMN] && t[ONES])
        cp_csr_canonical(t[ONES], t[ROW], t[COLUMN], (ends->size - 1) / height, columns / width, &t[ALL], indices,
                         indptr);
    if (at && cp_error() == CP_OK) {
        t[ROW64] = cp_astype(t[ROW], CP_INT64), t[COLUMN64] = cp_astype(t[COLUMN], CP_INT64);
        t[FOUND] = cp_csr_find(*indices, *indptr, t[ROW64], t[COLUMN64], true);
        t[BLOCK] = cp_multiply(t[FOUND], t[HIGH]);
        t[H] = cp_remainder(t[ROWS], t[HIGH]), t[H64] = cp_astype(t[H], CP_INT64);
        t[LINE] = cp_add(t[BLOCK], t[H64]), t[START] = cp_multiply(t[LINE], t[WIDE]);
        t[W] = cp_remainder(index, t[WIDE]), t[W64] = cp_astype(t[W], CP_INT64);
        *at = cp_add(t[START], t[W64]);
    }
    for (int i = 0; i < N; i++) cp_free(t[i]);
    return cp_error();
}
int64_t cp_bsr_count(cp_array *index, cp_array *ends, int64_t columns, int64_t height, int64_t width)
{
    const char *name = "bsr_count";
    if (cpi_null(name, index) || cpi_null(name, ends) || check_blocks(name, ends, columns, height, width)) return -1;
    cpi_device *device = cpi_common_device(name, 2, (cp_array *const[]){index, ends});
    matrix m;
    if (!device || hold(name, &m, NULL, index, ends, columns, device, CP_BOOL, false) != CP_OK) return -1;
    cpi_sparse_tiles t = {.a = m.csr, .height = height, .width = width};
    int64_t total = 0;
    if (m.csr.nnz && marked(device, &t)) {
        made r = {0};
        cpi_sparse_job j = {0};
        const bool begun = count_begin(name, device, m.csr.rows / height, &j, &r);
        t.ends = j.ends;
        total = begun && device->backend->sparse->tile_count(cpi_stream(device), &t) == CP_OK ? count_end(device, &r)
                                                                                            : -1;
        drop_made(&r);
    } else if (m.csr.nnz) {
        cp_array *indices = NULL, *indptr = NULL;
        const cp_code code = find_tiles(m.indices, m.indptr, columns, height, width, NULL, &indices, &indptr);
        total = code == CP_OK ? indices->size : -1;
        cp_free(indices);
        cp_free(indptr);
    }
    drop(&m);
    return total;
}
/* Counts and fills blocks of *m, whose data it has. */
static cp_code tiled(const char *name, cpi_device *device, const matrix *m, int64_t height, int64_t width, made *r)
{
    cpi_sparse_tiles t = {.a = m->csr, .height = height, .width = width};
    cpi_sparse_job j = {0};
    if (!count_begin(name, device, m->csr.rows / height, &j, r)) return cp_error();
    t.ends = j.ends;
    if (m->csr.nnz && device->backend->sparse->tile_count(cpi_stream(device), &t) != CP_OK) return cp_error();
    const int64_t total = count_end(device, r), shape[3] = {total, height, width};
    if (total < 0) return cp_error();
    const cp_type index = m->csr.wide ? CP_INT64 : CP_INT32;
    r->data = cpi_array_new(name, device, m->csr.type, 3, shape, 'C');
    r->indices = r->data ? line(name, device, index, total) : NULL;
    r->indptr = !r->indices ? NULL : m->csr.wide ? cp_retain(r->ends) : cp_astype(r->ends, CP_INT32);
    if (!r->indptr) return cp_error();
    t.indices = r->indices->data, t.data = r->data->data;
    return total ? device->backend->sparse->tile_fill(cpi_stream(device), &t) : CP_OK;
}
cp_code cp_bsr_from_rows(cp_array *values, cp_array *index, cp_array *ends, int64_t columns, int64_t height,
                         int64_t width, cp_array **data, cp_array **indices, cp_array **indptr)
{
    const char *name = "bsr_from_rows";
    if (cpi_null(name, values) || cpi_null(name, index) || cpi_null(name, ends) ||
        check_blocks(name, ends, columns, height, width))
        return cp_error();
    int64_t size;
    if (__builtin_mul_overflow(height, width, &size) || __builtin_mul_overflow(size, values->size * 16 + 1, &size))
        return cpi_fail(CP_ERROR_MEMORY, "%s: blocks of (%lld, %lld) have too many elements", name, (long long)height,
                        (long long)width);
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){values, index, ends});
    matrix m;
    if (!device || hold(name, &m, values, index, ends, columns, device, values->type, false) != CP_OK)
        return cp_error();
    const cpi_sparse_tiles t = {.a = m.csr, .height = height, .width = width};
    made r = {0};
    cp_code code;
    if (marked(device, &t)) {
        code = tiled(name, device, &m, height, width, &r);
    } else {
        cp_array *at = NULL, *places = NULL, *pointers = NULL;
        code = find_tiles(m.indices, m.indptr, columns, height, width, &at, &places, &pointers);
        if (code == CP_OK) r.data = cp_zeros(CP_SHAPE(places->size, height, width), values->type);
        if (r.data && (!values->size || cp_put(r.data, at, m.data) == CP_OK)) {
            r.indices = cp_astype(places, index->type);
            r.indptr = cp_astype(pointers, index->type);
        }
        cp_free(at), cp_free(places), cp_free(pointers);
        code = cp_error();
    }
    drop(&m);
    return code == CP_OK ? give(&r, data, indices, indptr) : fail(&r);
}
