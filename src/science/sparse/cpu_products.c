/* Products of blocks with blocks and of diagonals with diagonals, and a matrix' diagonal, on the CPU alone. Elsewhere
 * Python makes the same of other functions. */
#include <stdlib.h>

#include "sparse/csr.h"

/* --- blocks --- */

static cp_code check_blocks(const char *name, const cp_array *data_a, const cp_array *indices_a, const cp_array *data_b,
                            const cp_array *indices_b, const cp_array *indptr_b, int64_t columns)
{
    if (data_a->ndim != 3 || data_b->ndim != 3 || data_a->type != data_b->type || data_a->shape[2] != data_b->shape[1])
        return cpi_fail(CP_ERROR_VALUE, "%s: both must have blocks of one type, as wide as high", name);
    if (data_a->shape[0] != indices_a->size || data_b->shape[0] != indices_b->size ||
        indices_a->type != indices_b->type)
        return cpi_fail(CP_ERROR_VALUE, "%s: matrices must have as many indices as blocks, of one type", name);
    if (data_a->shape[1] < 1 || data_a->shape[2] < 1 || data_b->shape[2] < 1 || columns < 0 ||
        columns % data_b->shape[2] || indptr_b->size < 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: blocks must not be empty, and columns a multiple of theirs", name);
    return check_element_type(name, data_a->type);
}
/* Counts and fills; b has a and b of the job. */
static bool multiply_blocks(const char *name, cpi_device *device, cpi_sparse_block_product *b, made *r, cp_array *empty)
{
    const cpi_sparse_ops *ops = device->backend->sparse;
    cpi_sparse_job j = {.a = b->a, .b = b->b};
    if (zero(device, empty) != CP_OK || !count_begin_found(name, device, b->a.rows, &j, r) ||
        (b->a.rows && ops->product_count(cpi_stream(device), &j) != CP_OK))
        return false;
    const int64_t total = count_end(device, r), shape[3] = {total, b->height, b->width};
    const cp_type index = b->a.wide ? CP_INT64 : CP_INT32;
    if (total < 0) return false;
    if (too_many(b->a.wide, total)) return cpi_fail(CP_ERROR_MEMORY, "%s: there are too many blocks", name), false;
    r->data = cpi_array_new(name, device, b->a.type, 3, shape, 'C');
    r->indices = r->data ? line(name, device, index, total) : NULL;
    r->indptr = !r->indices ? NULL : b->a.wide ? cp_retain(r->ends) : cp_astype(r->ends, CP_INT32);
    if (!r->indptr) return false;
    b->ends = j.ends;
    b->indices = r->indices->data, b->data = r->data->data;
    b->found = (int64_t *)(void *)empty->data;
    return !total || ops->block_product(cpi_stream(device), b) == CP_OK;
}
cp_code cp_bsr_product(cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                       cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **data, cp_array **indices,
                       cp_array **indptr, cp_array **empty)
{
    const char *name = "sparse_block_product";
    cp_array *const all[] = {data_a, indices_a, indptr_a, data_b, indices_b, indptr_b};
    for (int i = 0; i < 6; i++)
        if (cpi_null(name, all[i])) return cp_error();
    if (check_blocks(name, data_a, indices_a, data_b, indices_b, indptr_b, columns) != CP_OK) return cp_error();
    cpi_device *device = cpi_common_device(name, 6, all);
    if (!device || only_cpu(name, device->backend->sparse->block_product) != CP_OK) return cp_error();
    const cp_type type = data_a->type;
    matrix a = {0}, b = {0};
    made r = {0};
    cp_array *x = cpi_dense(name, data_a, type, device), *y = cpi_dense(name, data_b, type, device);
    cp_array *zeros = cpi_array_new(name, device, CP_INT64, 0, NULL, 'C');
    bool good = x && y && zeros &&
                hold(name, &a, NULL, indices_a, indptr_a, indptr_b->size - 1, device, type, false) == CP_OK &&
                hold(name, &b, NULL, indices_b, indptr_b, columns / data_b->shape[2], device, type, false) == CP_OK;
    if (good) {
        cpi_array_used(x);
        cpi_array_used(y);
        cpi_sparse_block_product job = {.a = a.csr, .b = b.csr, .height = data_a->shape[1], .inner = data_a->shape[2],
                                        .width = data_b->shape[2]};
        job.a.data = x->data, job.b.data = y->data;
        good = multiply_blocks(name, device, &job, &r, zeros);
    }
    cp_free(x), cp_free(y);
    drop(&a), drop(&b);
    if (!good) {
        cp_free(zeros);
        return fail(&r);
    }
    *empty = zeros;
    return give(&r, data, indices, indptr);
}

/* --- diagonals --- */

/* Offsets in the host's memory, which the caller frees; NULL on failure. Waits. */
static int64_t *on_host(cp_array *offsets)
{
    cp_array *wide = cp_astype(offsets, CP_INT64);
    const size_t bytes = (size_t)offsets->size * sizeof(int64_t);
    int64_t *k = wide ? cpi_malloc(bytes + 8) : NULL;
    if (k && bytes && cp_to_host(wide, k, bytes) != CP_OK) cpi_free_host(k), k = NULL;
    cp_free(wide);
    return k;
}
typedef struct diagonal_pair {
    int64_t number[CPI_PAIR_NUMBERS];
} diagonal_pair;
static int by_result(const void *a, const void *b)
{
    const int64_t *x = ((const diagonal_pair *)a)->number, *y = ((const diagonal_pair *)b)->number;
    const int which = x[CPI_PAIR_TO] == y[CPI_PAIR_TO] ? CPI_PAIR_B : CPI_PAIR_TO;
    return (x[which] > y[which]) - (x[which] < y[which]);
}
typedef struct diagonals {
    const int64_t *a, *b;                 /* offsets */
    int64_t na, nb, rows, inner, columns, length_a, length_b, length;
} diagonals;

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }
/* All pairs whose result is within the matrix, in the order of its diagonals and then of b's; until then TO is the
 * offset itself. Those that no column has are left with an empty span. */
static int64_t pairs_of(const diagonals *d, diagonal_pair *to)
{
    int64_t n = 0;
    for (int64_t i = 0; i < d->na; i++)
        for (int64_t k = 0; k < d->nb; k++) {
            const int64_t a = d->a[i], b = d->b[k];
            if ((a > 0 && b > INT64_MAX / 2 - a) || (a < 0 && b < -(INT64_MAX / 2) - a)) continue;
            const int64_t offset = a + b, wide = least(d->length_a, d->inner);
            if (offset <= -d->rows || offset >= d->length) continue;
            int64_t begin = most(most(b, offset), 0);                             /* rows of b and a from 0 on */
            int64_t end = least(d->length, d->rows + offset);
            end = b > INT64_MAX / 2 - wide ? begin : least(end, wide + b);
            if (b <= -d->inner || a <= -d->rows || end < begin) end = begin = 0;
            to[n++] = (diagonal_pair){{offset, i, k, b, begin, end}};
        }
    qsort(to, (size_t)n, sizeof *to, by_result);
    return n;
}
/* Numbers the offsets of n pairs, which become those of the result; how many. */
static int64_t number_pairs(diagonal_pair *pair, int64_t n, int64_t *offsets)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t offset = pair[i].number[CPI_PAIR_TO];
        if (!count || offsets[count - 1] != offset) offsets[count++] = offset;
        pair[i].number[CPI_PAIR_TO] = count - 1;
    }
    return count;
}
/* The result of n pairs, of `count` diagonals. */
static cp_array *multiply_diagonals(const char *name, cpi_device *device, cp_array *x, cp_array *y, int64_t length,
                                    const diagonal_pair *pair, int64_t n, int64_t count)
{
    const int64_t shape[2] = {count, length};
    cp_array *made = cpi_array_new(name, device, x->type, 2, shape, 'C');
    cp_array *there = made ? line(name, device, CP_INT64, n * CPI_PAIR_NUMBERS) : NULL;
    cp_code code = there ? CP_OK : cp_error();
    if (code == CP_OK && n)
        code = device->backend->from_host(cpi_stream(device), there->data, pair, (size_t)n * sizeof *pair);
    if (code == CP_OK && made->size) {
        cpi_array_used(x), cpi_array_used(y), cpi_array_used(there);
        const cpi_sparse_diagonal_product job = {
            .type = x->type, .count = count, .pair_count = n, .length_a = x->shape[1], .length_b = y->shape[1],
            .length = length, .pairs = (const int64_t *)(const void *)there->data, .a = x->data, .b = y->data,
            .y = made->data};
        code = device->backend->sparse->diagonal_product(cpi_stream(device), &job);
    }
    cp_free(there);
    if (code != CP_OK) cp_free(made), made = NULL;
    return made;
}
static cp_code check_diagonals(const char *name, const cp_array *data, const cp_array *offsets)
{
    if (data->ndim != 2) return cpi_fail(CP_ERROR_VALUE, "%s: data must be 2-D, not %d-D", name, data->ndim);
    if (check_index_type(name, "offsets", offsets) != CP_OK) return cp_error();
    if (data->shape[0] != offsets->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: there must be as many offsets as diagonals", name);
    return check_element_type(name, data->type);
}
cp_code cp_dia_product(cp_array *data_a, cp_array *offsets_a, cp_array *data_b, cp_array *offsets_b, int64_t rows,
                       int64_t inner, int64_t columns, cp_array **data, cp_array **offsets)
{
    const char *name = "sparse_diagonal_product";
    cp_array *const all[] = {data_a, offsets_a, data_b, offsets_b};
    for (int i = 0; i < 4; i++)
        if (cpi_null(name, all[i])) return cp_error();
    if (check_diagonals(name, data_a, offsets_a) || check_diagonals(name, data_b, offsets_b)) return cp_error();
    if (data_a->type != data_b->type) return cpi_fail(CP_ERROR_TYPE, "%s: the matrices must be of one type", name);
    if (rows < 0 || inner < 0 || columns < 0 || most(most(rows, inner), columns) > INT64_MAX / 4)
        return cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must be 0 to 2^61", name);
    cpi_device *device = cpi_common_device(name, 4, all);
    if (!device || only_cpu(name, device->backend->sparse->diagonal_product) != CP_OK) return cp_error();
    int64_t *a = on_host(offsets_a), *b = a ? on_host(offsets_b) : NULL, pairs;
    if (__builtin_mul_overflow(offsets_a->size, offsets_b->size, &pairs) || pairs > INT64_MAX / 64)
        cpi_fail(CP_ERROR_MEMORY, "%s: there are too many diagonals", name);
    diagonal_pair *pair = b && cp_error() == CP_OK ? cpi_malloc((size_t)(pairs + 1) * sizeof *pair) : NULL;
    int64_t *sums = pair ? cpi_malloc((size_t)(pairs + 1) * sizeof *sums) : NULL;
    cp_array *x = sums ? cpi_dense(name, data_a, data_a->type, device) : NULL;
    cp_array *y = x ? cpi_dense(name, data_b, data_b->type, device) : NULL, *made = NULL, *narrow = NULL;
    if (y) {
        const diagonals d = {a, b, offsets_a->size, offsets_b->size, rows, inner, columns, data_a->shape[1],
                             data_b->shape[1], least(data_b->shape[1], columns)};
        const int64_t n = pairs_of(&d, pair), count = number_pairs(pair, n, sums);
        const cp_type index = rows > INT32_MAX || columns > INT32_MAX ? CP_INT64 : CP_INT32;
        cp_array *wide = line(name, device, CP_INT64, count);
        made = wide ? multiply_diagonals(name, device, x, y, d.length, pair, n, count) : NULL;
        if (made && (!count || device->backend->from_host(cpi_stream(device), wide->data, sums, (size_t)count * 8) ==
                                   CP_OK))
            narrow = cp_astype(wide, index);
        cp_free(wide);
    }
    cpi_free_host(a), cpi_free_host(b), cpi_free_host(pair), cpi_free_host(sums);
    cp_free(x), cp_free(y);
    if (!narrow) {
        cp_free(made);
        return cp_error();
    }
    *data = made, *offsets = narrow;
    return CP_OK;
}

/* --- a diagonal --- */

cp_array *cp_csr_diagonal(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, int64_t k)
{
    const char *name = "sparse_diagonal";
    if (cpi_null(name, data) || cpi_null(name, indices) || cpi_null(name, indptr)) return NULL;
    if (data->ndim != 1 && data->ndim != 3)
        return cpi_fail(CP_ERROR_VALUE, "%s: data must be 1-D or 3-D, not %d-D", name, data->ndim), NULL;
    const int64_t height = data->ndim == 3 ? data->shape[1] : 1, width = data->ndim == 3 ? data->shape[2] : 1;
    if (height < 1 || width < 1 || columns < 0 || columns % width)
        return cpi_fail(CP_ERROR_VALUE, "%s: blocks must not be empty, and columns a multiple of theirs", name), NULL;
    if (data->shape[0] != indices->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: there must be as many indices as elements", name), NULL;
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){data, indices, indptr});
    if (!device || only_cpu(name, device->backend->sparse->diagonal) || check_element_type(name, data->type))
        return NULL;
    matrix m;
    if (hold(name, &m, NULL, indices, indptr, columns / width, device, data->type, false) != CP_OK) return NULL;
    const int64_t rows = m.csr.rows * height;
    const int64_t n = k <= -rows || k >= columns ? 0 : (k < 0 ? rows + k < columns ? rows + k : columns
                                                              : rows < columns - k ? rows : columns - k);
    cp_array *from = cpi_dense(name, data, data->type, device), *y = from ? line(name, device, data->type, n) : NULL;
    if (y && n) {
        cpi_array_used(from);
        m.csr.data = from->data;
        const cpi_sparse_diagonal job = {.a = m.csr, .height = height, .width = width, .n = n,
                                         .first_row = k < 0 ? -k : 0, .first_column = k > 0 ? k : 0, .y = y->data};
        if (device->backend->sparse->diagonal(cpi_stream(device), &job) != CP_OK) cp_free(y), y = NULL;
    }
    cp_free(from);
    drop(&m);
    return y;
}
