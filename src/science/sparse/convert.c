/* Sparse matrices in other forms: formats, order, types, parts. */
#include "operands/operands.h"
#include "sparse/handle.h"

/* --- formats --- */

/* Triples as compressed rows or columns: elements of one keep their order. */
static cp_sparse *pack(const cp_sparse *a, cp_sparse_format format)
{
    const bool by_rows = format == CP_SPARSE_CSR;
    const int64_t lines = by_rows ? a->rows : a->columns;
    cpi_sparse_parts p = {0};
    if (cp_csr_compress(a->part[0], a->part[by_rows ? 1 : 2], a->part[by_rows ? 2 : 1], lines, &p.data, &p.first,
                        &p.second) != CP_OK)
        return NULL;
    /* triples that are canonical are by rows; a stable sort by columns leaves the rows of each ascending */
    return cpi_sparse_made(format, a->rows, a->columns, p, a->canonical, a->canonical);
}
static cp_sparse *unpack(const cp_sparse *a)
{
    cp_array *major = cp_csr_rows(a->part[1], a->part[2]);
    const bool by_rows = a->format == CP_SPARSE_CSR;
    const cpi_sparse_parts p = {a->part[0], by_rows ? major : a->part[1], by_rows ? a->part[1] : major};
    return cpi_sparse_made(CP_SPARSE_COO, a->rows, a->columns, p, by_rows && a->sorted, by_rows && a->canonical);
}
static cp_sparse *turn(const cp_sparse *a, cp_sparse_format format)
{
    cpi_sparse_parts p = {0};
    if (cp_csr_transpose(a->part[0], a->part[1], a->part[2], cpi_sparse_minor(a), &p.data, &p.first, &p.second) !=
        CP_OK)
        return NULL;
    return cpi_sparse_made(format, a->rows, a->columns, p, true, a->canonical);
}
cp_sparse *cp_sparse_convert(cp_sparse *a, cp_sparse_format format)
{
    const char *name = "sparse_convert";
    if (cpi_null(name, a)) return NULL;
    if ((unsigned)format > CP_SPARSE_BSR)
        return cpi_fail(CP_ERROR_VALUE, "%s: there is no format %d", name, (int)format), NULL;
    if (format == a->format) return cp_sparse_retain(a);
    cpi_composite f;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    cp_sparse *made = NULL;
    if (a->format > CP_SPARSE_COO) {
        cp_sparse *lines = cpi_sparse_lines_of(a, format);
        made = lines ? cp_sparse_convert(lines, format) : NULL;
        cp_sparse_free(lines);
    } else if (format == CP_SPARSE_DIA) {
        made = cpi_sparse_to_diagonals(a);
    } else if (format == CP_SPARSE_BSR) {
        made = cp_sparse_to_blocks(a, 0, 0);
    } else {
        made = a->format == CP_SPARSE_COO ? pack(a, format) : format == CP_SPARSE_COO ? unpack(a) : turn(a, format);
    }
    return cpi_sparse_end(&f, made);
}
cp_sparse *cpi_sparse_compressed(cp_sparse *a)
{
    return a && !cpi_sparse_has_lines(a) ? cp_sparse_convert(a, CP_SPARSE_CSR) : cp_sparse_retain(a);
}
cp_sparse *cpi_sparse_in_kind(cp_sparse *made, const cp_sparse *a)
{
    if (!made || a->format > CP_SPARSE_COO) return cp_sparse_retain(made);
    return cp_sparse_convert(made, a->format);
}

cp_array *cp_sparse_dense(cp_sparse *a)
{
    cpi_composite f;
    if (!cpi_sparse_begin(&f, "sparse_dense", a)) return NULL;
    cp_sparse *m = cpi_sparse_compressed(a);
    cp_array *x = NULL;
    if (m)
        x = cp_csr_dense(m->part[0], m->part[1], m->part[2], cpi_sparse_minor(m), m->format == CP_SPARSE_CSC,
                         m->canonical);
    cp_sparse_free(m);
    return cpi_end(&f, x);
}

cp_sparse *cpi_sparse_with_data(const cp_sparse *a, cp_array *data)
{
    const cpi_sparse_parts p = {data, a->part[1], a->part[2]};
    cp_sparse *made = cpi_sparse_made(a->format, a->rows, a->columns, p, a->sorted, a->canonical);
    if (made) made->stored = a->stored;
    return made;
}
cp_sparse *cp_sparse_astype(cp_sparse *a, cp_type type)
{
    const char *name = "sparse_astype";
    if (cpi_null(name, a)) return NULL;
    if (type == a->part[0]->type) return cp_sparse_retain(a);
    if (cp_type_size(type) && cpi_is_half(type)) /* what is no type is refused by cp_astype */
        return cpi_fail(CP_ERROR_TYPE, "%s: a sparse matrix has no elements of type %s", name, cp_type_name(type)),
               NULL;
    cpi_composite f;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    return cpi_sparse_end(&f, cpi_sparse_with_data(a, cp_astype(a->part[0], type)));
}
cp_sparse *cp_sparse_scale(cp_sparse *a, cp_array *factor)
{
    const char *name = "sparse_scale";
    if (cpi_null(name, a) || cpi_null(name, factor)) return NULL;
    if (factor->ndim) return cpi_fail(CP_ERROR_VALUE, "%s: factor must be 0-D, not %d-D", name, factor->ndim), NULL;
    cpi_composite f;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    cp_array *data = cp_multiply(a->part[0], factor);
    if (data && cpi_is_half(data->type)) data = cp_astype(data, CP_FLOAT32);
    return cpi_sparse_end(&f, cpi_sparse_with_data(a, data));
}
cp_sparse *cp_sparse_to_device(cp_sparse *a, int device)
{
    cpi_composite f;
    if (!cpi_sparse_begin(&f, "sparse_to_device", a)) return NULL;
    const cpi_sparse_parts p = {cp_to_device(a->part[0], device), cp_to_device(a->part[1], device),
                                a->part[2] ? cp_to_device(a->part[2], device) : NULL};
    cp_sparse *made = cpi_sparse_made(a->format, a->rows, a->columns, p, a->sorted, a->canonical);
    if (made) made->stored = a->stored;
    return cpi_sparse_end(&f, made);
}
cp_sparse *cp_sparse_transpose(cp_sparse *a)
{
    if (cpi_null("sparse_transpose", a)) return NULL;
    if (a->format > CP_SPARSE_COO) {
        cpi_composite f;
        return cpi_sparse_begin(&f, "sparse_transpose", a) ? cpi_sparse_end(&f, cpi_sparse_turned(a)) : NULL;
    }
    const bool triples = a->format == CP_SPARSE_COO;
    const cpi_sparse_parts p = {a->part[0], a->part[triples ? 2 : 1], a->part[triples ? 1 : 2]};
    const cp_sparse_format format = triples ? a->format : a->format == CP_SPARSE_CSR ? CP_SPARSE_CSC : CP_SPARSE_CSR;
    return cpi_sparse_made(format, a->columns, a->rows, p, !triples && a->sorted, !triples && a->canonical);
}

/* --- order --- */

static cp_sparse *sorted(cp_sparse *a)
{
    if (a->sorted) return cp_sparse_retain(a);
    cpi_sparse_parts p = {0};
    if (cp_csr_sort(a->part[0], a->part[1], a->part[2], cpi_sparse_minor(a), &p.data, &p.first, &p.second) != CP_OK)
        return NULL;
    return cpi_sparse_made(a->format, a->rows, a->columns, p, true, a->canonical);
}
static cp_sparse *summed(cp_sparse *a)
{
    if (a->canonical) return cp_sparse_retain(a);
    cpi_sparse_parts p = {0};
    cp_sparse *m = sorted(a);
    const bool good = m && cp_csr_sum_duplicates(m->part[0], m->part[1], m->part[2], &p.data, &p.first, &p.second) ==
                               CP_OK;
    cp_sparse *made = good ? cpi_sparse_made(a->format, a->rows, a->columns, p, true, true) : NULL;
    cp_sparse_free(m);
    return made;
}
/* What is done to compressed lines; triples are made of their rows again. */
static cp_sparse *by_lines(const char *name, cp_sparse *a, cp_sparse *(*make)(cp_sparse *))
{
    cpi_composite f;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    cp_sparse *m = cpi_sparse_compressed(a), *made = m ? make(m) : NULL;
    cp_sparse *same = cpi_sparse_in_kind(made, a);
    cp_sparse_free(made);
    cp_sparse_free(m);
    return cpi_sparse_end(&f, same);
}
cp_sparse *cp_sparse_sort_indices(cp_sparse *a) { return by_lines("sparse_sort_indices", a, sorted); }
cp_sparse *cp_sparse_sum_duplicates(cp_sparse *a) { return by_lines("sparse_sum_duplicates", a, summed); }

cp_sparse *cpi_sparse_canonical(cp_sparse *a)
{
    cp_sparse *m = cpi_sparse_compressed(a), *made = m ? summed(m) : NULL;
    cp_sparse_free(m);
    return made;
}

cp_sparse *cpi_sparse_kept(const cp_sparse *a, cp_array *keep)
{
    cpi_sparse_parts p = {0};
    if (!keep || cp_csr_select(a->part[0], a->part[1], a->part[2], keep, &p.data, &p.first, &p.second) != CP_OK)
        return NULL;
    return cpi_sparse_made(a->format, a->rows, a->columns, p, a->sorted, a->canonical);
}
static cp_sparse *without_zeros(cp_sparse *a) { return cpi_sparse_kept(a, a->part[0]); }
cp_sparse *cp_sparse_eliminate_zeros(cp_sparse *a) { return by_lines("sparse_eliminate_zeros", a, without_zeros); }

/* --- parts --- */

typedef struct chosen {
    bool all;
    int64_t start, step, count; /* of a slice */
    cp_array *numbers;          /* else: int64, within the axis; owned by the scope */
} chosen;

/* A bound of a slice as Python has it, within low..high. */
static int64_t bound(int64_t at, int64_t n, int64_t low, int64_t high)
{
    if (at < 0) at += n;
    return at < low ? low : at > high ? high : at;
}
static cp_code choose_slice(const char *name, const cp_index *item, int64_t n, chosen *c)
{
    const bool up = item->step > 0;
    if (!item->step) return cpi_fail(CP_ERROR_VALUE, "%s: slice step cannot be zero", name);
    const int64_t low = up ? 0 : -1, high = up ? n : n - 1;
    const int64_t start = item->has & CP_HAS_START ? bound(item->start, n, low, high) : up ? low : high;
    const int64_t stop = item->has & CP_HAS_STOP ? bound(item->stop, n, low, high) : up ? high : low;
    const int64_t span = up ? stop - start : start - stop;
    /* a step beyond the axis takes one element; its size must not overflow below */
    const int64_t most = n ? n : 1, step = item->step > most ? most : item->step < -most ? -most : item->step;
    c->start = start, c->step = step;
    c->count = span > 0 ? (span - 1) / (up ? step : -step) + 1 : 0;
    c->all = up && step == 1 && c->count == n;
    return CP_OK;
}
static cp_code choose_array(const char *name, const cp_index *item, int axis, int64_t n, chosen *c)
{
    cp_array *x = item->array;
    if (cpi_null(name, x)) return cp_error();
    if (x->ndim != 1) return cpi_fail(CP_ERROR_VALUE, "%s: an index must be 1-D, not %d-D", name, x->ndim);
    if (x->type == CP_BOOL) {
        if (x->size != n)
            return cpi_fail(CP_ERROR_INDEX, "%s: the mask of axis %d must have %lld elements, not %lld", name, axis,
                            (long long)n, (long long)x->size);
        c->numbers = cp_flatnonzero(x);
        return cp_error();
    }
    if (x->size && !cpi_is_int(x->type))
        return cpi_fail(CP_ERROR_INDEX, "%s: an index must be of integers or truth values, not %s", name,
                        cp_type_name(x->type));
    cp_array *at = cp_astype(x, CP_INT64);
    c->numbers = cp_where(cp_less(at, cp_int(0)), cp_add(at, cp_int(n)), at);
    if (!c->numbers || !x->size) return cp_error();
    const int64_t least = cp_item_int(cp_min(c->numbers)), most = cp_item_int(cp_max(c->numbers));
    if (cp_error() != CP_OK || (least >= 0 && most < n)) return cp_error();
    return cpi_fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis %d with size %lld", name,
                    (long long)(most >= n ? most : least - n), axis, (long long)n);
}
/* What an item takes of an axis of n. */
static cp_code choose(const char *name, const cp_index *item, int axis, int64_t n, chosen *c)
{
    *c = (chosen){.all = true};
    if (!item) return CP_OK;
    c->all = false;
    switch (item->kind) {
    case CP_IX_SLICE: return choose_slice(name, item, n, c);
    case CP_IX_ARRAY: return choose_array(name, item, axis, n, c);
    case CP_IX_INT:
        if (item->start < -n || item->start >= n)
            return cpi_fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis %d with size %lld", name,
                            (long long)item->start, axis, (long long)n);
        c->start = item->start < 0 ? item->start + n : item->start, c->step = c->count = 1;
        return CP_OK;
    case CP_IX_NEW:
    case CP_IX_ELLIPSIS: break;
    }
    return cpi_fail(CP_ERROR_INDEX, "%s: an index must be an integer, a slice or an array", name);
}
static cp_array *numbers_of(const chosen *c)
{
    if (c->numbers) return c->numbers;
    return cp_arange_int(c->start, c->start + c->count * c->step, c->step, CP_INT64);
}
cp_array *cpi_sparse_chosen(const char *name, const cp_index *item, int axis, int64_t n)
{
    chosen c;
    if (choose(name, item, axis, n, &c) != CP_OK) return NULL;
    return c.all ? cp_arange_int(0, n, 1, CP_INT64) : numbers_of(&c);
}
static cp_sparse *take(const cp_sparse *a, cp_array *lines)
{
    cpi_sparse_parts p = {0};
    if (!lines || cp_csr_take(a->part[0], a->part[1], a->part[2], lines, &p.data, &p.first, &p.second) != CP_OK)
        return NULL;
    const bool by_rows = a->format == CP_SPARSE_CSR;
    return cpi_sparse_made(a->format, by_rows ? lines->size : a->rows, by_rows ? a->columns : lines->size, p,
                           a->sorted, a->canonical);
}
/* The indices from start to start + count as a mask, and counted from start. */
static cp_sparse *cut(const cp_sparse *a, int64_t start, int64_t count)
{
    cp_array *x = a->part[1];
    cp_array *inside = cp_logical_and(cp_greater_equal(x, cp_int(start)), cp_less(x, cp_int(start + count)));
    cp_sparse *some = cpi_sparse_kept(a, inside);
    if (!some) return NULL;
    const cpi_sparse_parts p = {some->part[0], cp_subtract(some->part[1], cp_int(start)), some->part[2]};
    const bool by_rows = a->format == CP_SPARSE_CSR;
    cp_sparse *made = cpi_sparse_made(a->format, by_rows ? a->rows : count, by_rows ? count : a->columns, p, a->sorted,
                                      a->canonical);
    cp_sparse_free(some);
    return made;
}
/* Of the transpose, the lines; it is turned there and back. */
static cp_sparse *take_across(cp_sparse *a, cp_array *lines)
{
    const cp_sparse_format other = a->format == CP_SPARSE_CSR ? CP_SPARSE_CSC : CP_SPARSE_CSR;
    cp_sparse *turned = cp_sparse_convert(a, other), *taken = turned ? take(turned, lines) : NULL;
    cp_sparse *made = taken ? cp_sparse_convert(taken, a->format) : NULL;
    cp_sparse_free(taken);
    cp_sparse_free(turned);
    return made;
}
cp_sparse *cp_sparse_slice(cp_sparse *a, int n, const cp_index *items)
{
    const char *name = "sparse_slice";
    cpi_composite f;
    if (n > 0 && cpi_null(name, items)) return NULL;
    if (n < 0 || n > 2) return cpi_fail(CP_ERROR_INDEX, "%s: a matrix has two axes, not %d", name, n), NULL;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    chosen axis[2];
    cp_code code = CP_OK;
    for (int i = 0; i < 2 && code == CP_OK; i++)
        code = choose(name, i < n ? &items[i] : NULL, i, i ? a->columns : a->rows, &axis[i]);
    cp_sparse *m = code == CP_OK ? cpi_sparse_compressed(a) : NULL, *lines = NULL, *made = NULL;
    if (m) {
        const chosen *major = &axis[m->format == CP_SPARSE_CSC], *minor = &axis[m->format == CP_SPARSE_CSR];
        lines = major->all ? cp_sparse_retain(m) : take(m, numbers_of(major));
        if (!lines || minor->all) made = cp_sparse_retain(lines);
        else if (!minor->numbers && minor->step == 1) made = cut(lines, minor->start, minor->count);
        else made = take_across(lines, numbers_of(minor));
    }
    cp_sparse *same = cpi_sparse_in_kind(made, a);
    cp_sparse_free(made);
    cp_sparse_free(lines);
    cp_sparse_free(m);
    return cpi_sparse_end(&f, same);
}
