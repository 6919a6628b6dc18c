/* Diagonals and blocks as matrices: making, checking, conversions, transposes.
 *
 * Diagonals are data (n, length), of which element (i, c) is in column c, and offsets, none twice; blocks data (n,
 * height, width) and compressed rows of theirs. What they have no function for is done to their compressed rows. */
#include <stdlib.h>

#include "cuprite/index.h"
#include "cuprite/sort.h"
#include "operands/operands.h"
#include "sparse/handle.h"

/* --- diagonals --- */

/* The columns of a diagonal, first and the one behind the last. */
static int64_t span_of(int64_t rows, int64_t columns, int64_t length, int64_t k, int64_t *end)
{
    const int64_t most = length < columns ? length : columns, first = k > 0 ? k : 0;
    *end = k <= -rows || k >= most ? first : rows < most - k ? rows + k : most;
    if (*end < first) *end = first;
    return first;
}
static int ascend(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}
/* Offsets in the host's memory, which the caller frees; NULL on failure. Waits. */
static int64_t *host_offsets(cp_array *offsets)
{
    cp_array *wide = cp_astype(offsets, CP_INT64);
    const size_t bytes = (size_t)offsets->size * sizeof(int64_t);
    int64_t *k = wide ? cpi_malloc(bytes + 8) : NULL;
    if (k && bytes && cp_to_host(wide, k, bytes) != CP_OK) cpi_free_host(k), k = NULL;
    return k;
}
cp_sparse *cpi_sparse_of_diagonals(const char *name, int64_t rows, int64_t columns, cp_array *data, cp_array *offsets)
{
    const int64_t n = offsets->size;
    if (data->shape[0] != n)
        return cpi_fail(CP_ERROR_VALUE, "%s: offsets must have %lld elements, as data has rows, not %lld", name,
                        (long long)data->shape[0], (long long)n), NULL;
    int64_t *k = host_offsets(offsets), stored = 0;
    if (!k) return NULL;
    qsort(k, (size_t)n, sizeof *k, ascend);
    for (int64_t i = 0; i < n; i++) {
        int64_t end;
        const int64_t first = span_of(rows, columns, data->shape[1], k[i], &end);
        stored += end - first;
        if (i && k[i] == k[i - 1])
            cpi_fail(CP_ERROR_VALUE, "%s: offsets must not have %lld twice", name, (long long)k[i]);
    }
    cpi_free_host(k);
    cp_sparse *a = cp_error() != CP_OK ? NULL : cpi_sparse_made(CP_SPARSE_DIA, rows, columns,
                                                                (cpi_sparse_parts){data, offsets, NULL}, true, true);
    if (a) a->stored = stored;
    return a;
}
/* The diagonals that have elements, in the order of their offsets. */
cp_sparse *cpi_sparse_to_diagonals(cp_sparse *a)
{
    cp_sparse *rows = cp_sparse_convert(a, CP_SPARSE_CSR), *m = rows ? cp_sparse_sum_duplicates(rows) : NULL;
    cp_sparse *made = NULL;
    if (m) {
        cp_array *column = cp_astype(m->part[1], CP_INT64);
        cp_array *k = cp_subtract(column, cp_astype(cp_csr_rows(m->part[1], m->part[2]), CP_INT64));
        cp_array *offsets = cp_unique(k), *at = offsets ? cp_searchsorted(offsets, k) : NULL;
        cp_array *data = at ? cp_zeros(CP_SHAPE(offsets->size, a->columns), a->part[0]->type) : NULL;
        cp_array *place = data ? cp_add(cp_multiply(at, cp_int(a->columns)), column) : NULL;
        const cp_type index = a->rows > INT32_MAX || a->columns > INT32_MAX ? CP_INT64 : CP_INT32;
        cp_array *narrow = place ? cp_astype(offsets, index) : NULL;
        if (narrow && (!m->part[0]->size || cp_put(data, place, m->part[0]) == CP_OK))
            made = cpi_sparse_of_diagonals("sparse_convert", a->rows, a->columns, data, narrow);
    }
    cp_sparse_free(m);
    cp_sparse_free(rows);
    return made;
}
/* Each diagonal begins at another place of its row then. */
static cp_sparse *turn_diagonals(const cp_sparse *a)
{
    cp_array *data = a->part[0], *to = cp_zeros(CP_SHAPE(data->shape[0], a->rows), data->type);
    int64_t *k = to ? host_offsets(a->part[1]) : NULL;
    bool good = k;
    for (int64_t i = 0; good && i < data->shape[0]; i++) {
        int64_t end;
        const int64_t first = span_of(a->rows, a->columns, data->shape[1], k[i], &end);
        if (first == end) continue;
        good = cp_assign(cp_slice(to, CP_ITEMS(CP_AT(i), CP_RANGE(first - k[i], end - k[i]))),
                         cp_slice(data, CP_ITEMS(CP_AT(i), CP_RANGE(first, end)))) == CP_OK;
    }
    cpi_free_host(k);
    cp_array *offsets = good ? cp_negative(a->part[1]) : NULL;
    cp_sparse *made = cpi_sparse_made(CP_SPARSE_DIA, a->columns, a->rows, (cpi_sparse_parts){to, offsets, NULL}, true,
                                      true);
    if (made) made->stored = a->stored;
    return made;
}

/* --- blocks --- */

cp_sparse *cpi_sparse_of_blocks(const char *name, int64_t rows, int64_t columns, cpi_sparse_parts p)
{
    const int64_t n = p.data->shape[0], height = p.data->shape[1], width = p.data->shape[2];
    int64_t found, last;
    if (height < 1 || width < 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: blocks must not be empty, not (%lld, %lld)", name, (long long)height,
                        (long long)width), NULL;
    if (rows % height || columns % width)
        return cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must be multiples of those of a block, (%lld, %lld)",
                        name, (long long)height, (long long)width), NULL;
    if (p.second->size != rows / height + 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: indptr must have %lld elements, one more than rows of blocks, not %lld",
                        name, (long long)(rows / height + 1), (long long)p.second->size), NULL;
    if (p.first->size != n)
        return cpi_fail(CP_ERROR_VALUE, "%s: indices must have %lld elements, as data has blocks, not %lld", name,
                        (long long)n, (long long)p.first->size), NULL;
    if (cpi_sparse_check_rows(name, p.first, p.second, columns / width, &found, &last) != CP_OK) return NULL;
    if (last < n) {
        p.data = cp_slice(p.data, CP_ITEMS(CP_RANGE(0, last)));
        p.first = cp_slice(p.first, CP_ITEMS(CP_RANGE(0, last)));
    }
    return cpi_sparse_made(CP_SPARSE_BSR, rows, columns, p, !(found & CP_SPARSE_UNSORTED),
                           !(found & (CP_SPARSE_UNSORTED | CP_SPARSE_DUPLICATES)));
}
/* The part of the blocks' elements that are stored, of blocks of this size; 0 of a size that does not fit. */
static double filled(const cp_sparse *m, int64_t size)
{
    if (m->rows % size || m->columns % size) return 0;
    const int64_t n = cp_bsr_count(m->part[1], m->part[2], m->columns, size, size);
    return n > 0 ? (double)m->stored / ((double)(size * size) * (double)n) : 0;
}
/* As SciPy estimates it. */
static int64_t estimate(const cp_sparse *m)
{
    if (!m->stored) return 1;
    const double two = filled(m, 2), three = filled(m, 3);
    if (two > 0.85 && three > 0.85) return filled(m, 6) > 0.7 ? 6 : 3;
    return filled(m, 4) > 0.7 ? 4 : three > 0.7 ? 3 : two > 0.7 ? 2 : 1;
}
cp_sparse *cp_sparse_to_blocks(cp_sparse *a, int64_t height, int64_t width)
{
    const char *name = "sparse_to_blocks";
    cpi_composite f;
    if (cpi_null(name, a)) return NULL;
    const bool any = !height && !width;
    if (!any && (height < 1 || width < 1))
        return cpi_fail(CP_ERROR_VALUE, "%s: blocks must not be empty, not (%lld, %lld)", name, (long long)height,
                        (long long)width), NULL;
    if (!any && (a->rows % height || a->columns % width))
        return cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must be multiples of those of a block, (%lld, %lld)",
                        name, (long long)height, (long long)width), NULL;
    if (a->format == CP_SPARSE_BSR && (any || (a->part[0]->shape[1] == height && a->part[0]->shape[2] == width)))
        return cp_sparse_retain(a);
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    cp_sparse *rows = cp_sparse_convert(a, CP_SPARSE_CSR), *m = rows ? cp_sparse_sum_duplicates(rows) : NULL;
    cp_sparse *made = NULL;
    cpi_sparse_parts p = {0};
    if (m && any) height = width = estimate(m);
    if (m && cp_error() == CP_OK && cp_bsr_from_rows(m->part[0], m->part[1], m->part[2], m->columns, height, width,
                                                     &p.data, &p.first, &p.second) == CP_OK)
        made = cpi_sparse_made(CP_SPARSE_BSR, a->rows, a->columns, p, true, true);
    cp_sparse_free(m);
    cp_sparse_free(rows);
    return cpi_sparse_end(&f, made);
}
/* The places are turned with the blocks' numbers, then the blocks. */
static cp_sparse *turn_blocks(const cp_sparse *a)
{
    cp_array *data = a->part[0], *number = cp_arange_int(0, data->shape[0], 1, CP_INT64);
    cpi_sparse_parts p = {0};
    if (!number || cp_csr_transpose(number, a->part[1], a->part[2], a->columns / data->shape[2], &p.data, &p.first,
                                    &p.second) != CP_OK)
        return NULL;
    cp_array *taken = cp_take(data, p.data, 0), *turned = taken ? cp_swapaxes(taken, 1, 2) : NULL;
    p.data = turned ? cp_contiguous(turned) : NULL;
    return cpi_sparse_made(CP_SPARSE_BSR, a->columns, a->rows, p, true, a->canonical);
}

/* --- both --- */

cp_sparse *cpi_sparse_turned(const cp_sparse *a)
{
    return a->format == CP_SPARSE_DIA ? turn_diagonals(a) : turn_blocks(a);
}
cp_sparse *cpi_sparse_lines_of(const cp_sparse *a, cp_sparse_format format)
{
    cpi_sparse_parts p = {0};
    const bool diagonals = a->format == CP_SPARSE_DIA, by_columns = diagonals && format == CP_SPARSE_CSC;
    const cp_code code = diagonals ? cp_dia_compress(a->part[0], a->part[1], a->rows, a->columns, by_columns, &p.data,
                                                     &p.first, &p.second)
                                   : cp_bsr_rows(a->part[0], a->part[1], a->part[2], a->columns, &p.data, &p.first,
                                                 &p.second);
    if (code != CP_OK) return NULL;
    /* of a block that stands twice the columns of a row begin again */
    return cpi_sparse_made(by_columns ? CP_SPARSE_CSC : CP_SPARSE_CSR, a->rows, a->columns, p, a->canonical,
                           a->canonical);
}
