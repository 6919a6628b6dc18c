/* Sparse matrices as one object: making, checking, attributes, references. */
#include "sparse/handle.h"

#include "operands/operands.h"

cp_sparse *cp_sparse_retain(cp_sparse *a)
{
    if (a) __atomic_add_fetch(&a->refs, 1, __ATOMIC_RELAXED);
    return a;
}
void cp_sparse_free(cp_sparse *a)
{
    if (!a || __atomic_sub_fetch(&a->refs, 1, __ATOMIC_ACQ_REL)) return;
    for (int i = 0; i < 3; i++) cp_free(a->part[i]);
    cpi_free_host(a);
}

bool cpi_sparse_begin(cpi_composite *f, const char *function, const cp_sparse *a)
{
    return !cpi_null(function, a) && cpi_begin(f, function, a->part[0]);
}
cp_sparse *cpi_sparse_made(cp_sparse_format format, int64_t rows, int64_t columns, cpi_sparse_parts parts, bool sorted,
                           bool canonical)
{
    if (!parts.data || !parts.first || (!parts.second && format != CP_SPARSE_DIA)) return NULL;
    cp_sparse *a = cpi_malloc(sizeof *a);
    if (!a) return NULL;
    *a = (cp_sparse){1, format, rows, columns, {cp_retain(parts.data), cp_retain(parts.first), cp_retain(parts.second)},
                     parts.data->size, sorted || canonical, canonical};
    return a;
}
cp_sparse *cpi_sparse_end(const cpi_composite *f, cp_sparse *made)
{
    const bool bad = f->fine && cp_error() != CP_OK;
    cpi_end(f, NULL);
    if (!bad) return made;
    cp_sparse_free(made);
    return NULL;
}

/* --- attributes --- */

cp_sparse_format cp_sparse_format_of(const cp_sparse *a) { return a ? a->format : CP_SPARSE_CSR; }
cp_type cp_sparse_type_of(const cp_sparse *a) { return a ? a->part[0]->type : CP_DEFAULT; }
int64_t cp_sparse_rows(const cp_sparse *a) { return a ? a->rows : 0; }
int64_t cp_sparse_columns(const cp_sparse *a) { return a ? a->columns : 0; }
int64_t cp_sparse_nnz(const cp_sparse *a) { return a ? a->stored : 0; }
int cp_sparse_device_of(const cp_sparse *a) { return a ? cp_device_of(a->part[0]) : CP_NO_DEVICE; }
bool cp_sparse_is_canonical(const cp_sparse *a) { return a && a->canonical; }
cp_code cp_sparse_arrays(const cp_sparse *a, cp_array **data, cp_array **first, cp_array **second)
{
    if (cpi_null("sparse_arrays", a) || cpi_null("sparse_arrays", data) || cpi_null("sparse_arrays", first) ||
        cpi_null("sparse_arrays", second))
        return cp_error();
    *data = cp_retain(a->part[0]);
    *first = cp_retain(a->part[1]);
    *second = cp_retain(a->part[2]);
    return CP_OK;
}

/* --- arrays that are handed in --- */

static const char *const NEW = "sparse_new";

cp_code cpi_sparse_check_shape(const char *name, int64_t rows, int64_t columns, cp_sparse_format format)
{
    if (rows < 0) return cpi_fail(CP_ERROR_VALUE, "%s: rows must not be negative, not %lld", name, (long long)rows);
    if (columns < 0)
        return cpi_fail(CP_ERROR_VALUE, "%s: columns must not be negative, not %lld", name, (long long)columns);
    if (rows > INT64_MAX / 2 || columns > INT64_MAX / 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: rows and columns must be at most 2^62", name);
    if ((unsigned)format > CP_SPARSE_BSR)
        return cpi_fail(CP_ERROR_VALUE, "%s: there is no format %d", name, (int)format);
    return CP_OK;
}
cp_code cpi_sparse_check_type(const char *name, const char *what, cp_type t)
{
    if (t != CP_DEFAULT && !cp_type_size(t)) return cpi_fail(CP_ERROR_TYPE, "%s: there is no type %d", name, (int)t);
    if (!cpi_is_half(t)) return CP_OK;
    return cpi_fail(CP_ERROR_TYPE, "%s: %s must not be %s: a sparse matrix has no such elements", name, what,
                    cp_type_name(t));
}
static cp_code check_line(const char *what, const cp_array *x, int ndim, bool index)
{
    if (x->ndim != ndim) return cpi_fail(CP_ERROR_VALUE, "%s: %s must be %d-D, not %d-D", NEW, what, ndim, x->ndim);
    if (index && !cpi_is_int(x->type))
        return cpi_fail(CP_ERROR_TYPE, "%s: %s must be integers, not %s", NEW, what, cp_type_name(x->type));
    return CP_OK;
}
static cp_code check_length(const char *what, int64_t n, const char *of, int64_t want)
{
    if (n == want) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: %s must have %lld elements, %s, not %lld", NEW, what, (long long)want, of,
                    (long long)n);
}
/* The type that indices of these arrays, and of numbers up to `most`, get: int32 where that holds all, as SciPy's. */
static cp_type index_type(int64_t most, const cp_array *a, const cp_array *b)
{
    const bool wide = most > INT32_MAX || !cp_can_cast(a->type, CP_INT32, CP_SAFE) ||
                      !cp_can_cast(b->type, CP_INT32, CP_SAFE);
    return wide ? CP_INT64 : CP_INT32;
}
static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* The least and the greatest index of triples. Waits. */
static cp_code check_triples(const char *what, cp_array *x, int64_t n, const char *axis)
{
    if (!x->size) return CP_OK;
    cp_array *low = cp_min(x), *high = cp_max(x);
    const int64_t least = cp_item_int(low), most = cp_item_int(high);
    if (cp_error() != CP_OK) return cp_error();
    if (least < 0)
        return cpi_fail(CP_ERROR_VALUE, "%s: %s must not be negative, not %lld", NEW, what, (long long)least);
    if (most < n) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: %s must be below %lld, the number of %s, not %lld", NEW, what, (long long)n,
                    axis, (long long)most);
}
/* One pass over compressed rows: *found is its bits, *last the last pointer. Waits. */
cp_code cpi_sparse_check_rows(const char *name, cp_array *indices, cp_array *indptr, int64_t minor, int64_t *found,
                              int64_t *last)
{
    *found = cp_item_int(cp_csr_check(indices, indptr, minor));
    *last = *found / CP_SPARSE_LAST;
    if (cp_error() != CP_OK) return cp_error();
    if (*found & CP_SPARSE_BAD_START) return cpi_fail(CP_ERROR_VALUE, "%s: indptr must start with 0", name);
    if (*last > indices->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: indptr must end with at most %lld, the number of indices, not %lld", name,
                        (long long)indices->size, (long long)*last);
    if (*found & CP_SPARSE_BAD_POINTERS) return cpi_fail(CP_ERROR_VALUE, "%s: indptr must not descend", name);
    if (*found & CP_SPARSE_BAD_HIGH)
        return cpi_fail(CP_ERROR_VALUE, "%s: indices must be below %lld", name, (long long)minor);
    if (*found & CP_SPARSE_BAD_LOW) return cpi_fail(CP_ERROR_VALUE, "%s: indices must not be negative", name);
    return CP_OK;
}

static cp_sparse *of_triples(int64_t rows, int64_t columns, cpi_sparse_parts p)
{
    if (check_length("rows", p.first->size, "as data has", p.data->size) ||
        check_length("columns", p.second->size, "as data has", p.data->size) ||
        check_triples("rows", p.first, rows, "rows") || check_triples("columns", p.second, columns, "columns"))
        return NULL;
    return cpi_sparse_made(CP_SPARSE_COO, rows, columns, p, false, false);
}
static cp_sparse *of_rows(cp_sparse_format format, int64_t rows, int64_t columns, cpi_sparse_parts p)
{
    const bool by_rows = format == CP_SPARSE_CSR;
    const int64_t major = by_rows ? rows : columns, minor = by_rows ? columns : rows;
    int64_t found, last;
    if (check_length("indptr", p.second->size, by_rows ? "one more than rows" : "one more than columns", major + 1) ||
        check_length("indices", p.first->size, "as data has", p.data->size) ||
        cpi_sparse_check_rows(NEW, p.first, p.second, minor, &found, &last))
        return NULL;
    if (last < p.data->size) { /* what is behind the last pointer is no element */
        p.data = cp_slice(p.data, CP_ITEMS(CP_RANGE(0, last)));
        p.first = cp_slice(p.first, CP_ITEMS(CP_RANGE(0, last)));
    }
    return cpi_sparse_made(format, rows, columns, p, !(found & CP_SPARSE_UNSORTED),
                           !(found & (CP_SPARSE_UNSORTED | CP_SPARSE_DUPLICATES)));
}
/* What each format calls its arrays, and how many axes its data have. */
static const struct { const char *first, *second; int ndim; } FORMS[] = {
    [CP_SPARSE_CSR] = {"indices", "indptr", 1}, [CP_SPARSE_CSC] = {"indices", "indptr", 1},
    [CP_SPARSE_COO] = {"rows", "columns", 1}, [CP_SPARSE_DIA] = {"offsets", NULL, 2},
    [CP_SPARSE_BSR] = {"indices", "indptr", 3}};

static cp_sparse *of_parts(cp_sparse_format format, int64_t rows, int64_t columns, cpi_sparse_parts p)
{
    switch (format) {
    case CP_SPARSE_COO: return of_triples(rows, columns, p);
    case CP_SPARSE_DIA: return cpi_sparse_of_diagonals(NEW, rows, columns, p.data, p.first);
    case CP_SPARSE_BSR: return cpi_sparse_of_blocks(NEW, rows, columns, p);
    case CP_SPARSE_CSR:
    case CP_SPARSE_CSC: break;
    }
    return of_rows(format, rows, columns, p);
}
cp_sparse *cp_sparse_new(cp_sparse_format format, int64_t rows, int64_t columns, cp_array *data, cp_array *first,
                         cp_array *second)
{
    cpi_composite f;
    if (cpi_sparse_check_shape(NEW, rows, columns, format)) return NULL;
    const bool two = !FORMS[format].second;
    if (two && second)
        return cpi_fail(CP_ERROR_VALUE, "%s: diagonals have no third array: second must be NULL", NEW), NULL;
    if (cpi_null(NEW, data) || cpi_null(NEW, first) || (!two && cpi_null(NEW, second)) ||
        check_line("data", data, FORMS[format].ndim, false) || cpi_sparse_check_type(NEW, "data", data->type) ||
        check_line(FORMS[format].first, first, 1, true) ||
        (!two && check_line(FORMS[format].second, second, 1, true)) || !cpi_begin(&f, NEW, data))
        return NULL;
    cpi_device *device = cpi_common_device(NEW, 3, (cp_array *const[]){data, first, second});
    const int64_t most = greater(greater(rows, columns), data->ndim == 2 ? 0 : data->size);
    const cp_type index = index_type(most, first, two ? first : second);
    cpi_sparse_parts p = {0};
    if (device) p.data = cpi_dense_in_scope(NEW, data, data->type, device);
    if (p.data) p.first = cpi_dense_in_scope(NEW, first, index, device);
    if (p.first && !two) p.second = cpi_dense_in_scope(NEW, second, index, device);
    const bool all = p.first && (two || p.second);
    return cpi_sparse_end(&f, all ? of_parts(format, rows, columns, p) : NULL);
}

/* --- dense arrays, diagonals --- */

cp_sparse *cp_sparse_from_dense(cp_array *x, cp_sparse_format format)
{
    const char *name = "sparse_from_dense";
    cpi_composite f;
    if (cpi_null(name, x) || cpi_sparse_check_shape(name, 0, 0, format) || cpi_sparse_check_type(name, "x", x->type))
        return NULL;
    if (x->ndim != 2) return cpi_fail(CP_ERROR_VALUE, "%s: x must be 2-D, not %d-D", name, x->ndim), NULL;
    if (!cpi_begin(&f, name, x)) return NULL;
    const int64_t rows = x->shape[0], columns = x->shape[1];
    cp_array *found = cp_nonzero(x); /* by rows, then columns */
    cp_array *at[2];
    for (int i = 0; i < 2; i++) at[i] = cp_slice(found, CP_ITEMS(CP_AT(i)));
    const cp_index items[2] = {CP_BY(at[0]), CP_BY(at[1])};
    cp_array *data = at[0] && at[1] ? cp_index_get(x, 2, items) : NULL;
    const cp_type index = greater(rows, columns) > INT32_MAX ? CP_INT64 : CP_INT32;
    const cpi_sparse_parts p = {data, cp_astype(at[0], index), cp_astype(at[1], index)};
    cp_sparse *triples = cpi_sparse_made(CP_SPARSE_COO, rows, columns, p, true, true);
    cp_sparse *made = cp_sparse_convert(triples, format);
    cp_sparse_free(triples);
    return cpi_sparse_end(&f, made);
}

static cp_code check_diagonals(const char *name, cp_array *diagonals, int n, const int64_t *offsets)
{
    if (diagonals->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: diagonals must be 2-D, not %d-D", name, diagonals->ndim);
    if (n < 0 || diagonals->shape[0] != n)
        return cpi_fail(CP_ERROR_VALUE, "%s: offsets must have %lld elements, as diagonals has rows, not %d", name,
                        (long long)diagonals->shape[0], n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (offsets[i] == offsets[k])
                return cpi_fail(CP_ERROR_VALUE, "%s: offsets must not have %lld twice", name, (long long)offsets[i]);
    return CP_OK;
}
/* The offset's elements inside a matrix of so many rows, of a diagonal of so many columns: where, and how many. */
static int64_t diagonal_at(int64_t rows, int64_t columns, int64_t offset, int64_t *first)
{
    *first = offset > 0 ? offset : 0; /* column */
    if (offset >= columns || offset <= -rows) return 0;
    const bool cut = offset > 0 ? rows < columns - offset : rows + offset < columns;
    const int64_t end = cut ? rows + offset : columns;
    return end > *first ? end - *first : 0;
}
cp_sparse *cp_sparse_from_diagonals(int64_t rows, int64_t columns, cp_array *diagonals, int n, const int64_t *offsets,
                                    cp_sparse_format format)
{
    const char *name = "sparse_from_diagonals";
    cpi_composite f;
    if (cpi_null(name, diagonals) || (n > 0 && cpi_null(name, offsets)) ||
        cpi_sparse_check_shape(name, rows, columns, format) ||
        cpi_sparse_check_type(name, "diagonals", diagonals->type) || check_diagonals(name, diagonals, n, offsets) ||
        !cpi_begin(&f, name, diagonals))
        return NULL;
    if (format == CP_SPARSE_DIA) {
        bool wide = greater(rows, columns) > INT32_MAX;
        for (int i = 0; i < n; i++) wide = wide || offsets[i] != (int32_t)offsets[i];
        cp_array *of = cp_from_host(n ? offsets : &rows, CP_INT64, CP_SHAPE(n), NULL), *data = cp_copy(diagonals);
        if (data) data = cp_contiguous(data);
        if (of && !wide) of = cp_astype(of, CP_INT32);
        return cpi_sparse_end(&f, of && data ? cpi_sparse_of_diagonals(name, rows, columns, data, of) : NULL);
    }
    const cp_type index = greater(rows, columns) > INT32_MAX ? CP_INT64 : CP_INT32;
    const int64_t length = diagonals->shape[1] < columns ? diagonals->shape[1] : columns;
    cp_array **parts = cpi_malloc((size_t)(3 * n + 3) * sizeof *parts), **row = parts + n + 1, **column = row + n + 1;
    if (parts) { /* the first ones are empty: there may be no diagonal */
        parts[0] = cp_empty(CP_SHAPE(0), diagonals->type);
        row[0] = column[0] = cp_empty(CP_SHAPE(0), index);
    }
    int count = parts != NULL;
    for (int i = 0; parts && i < n; i++) {
        int64_t from;
        const int64_t k = diagonal_at(rows, length, offsets[i], &from);
        if (!k) continue;
        parts[count] = cp_slice(diagonals, CP_ITEMS(CP_AT(i), CP_RANGE(from, from + k)));
        row[count] = cp_arange_int(from - offsets[i], from - offsets[i] + k, 1, index);
        column[count++] = cp_arange_int(from, from + k, 1, index);
    }
    cp_sparse *made = NULL;
    if (parts && cp_error() == CP_OK) {
        const cpi_sparse_parts p = {cp_concatenate(count, parts, 0), cp_concatenate(count, row, 0),
                                    cp_concatenate(count, column, 0)};
        cp_sparse *triples = cpi_sparse_made(CP_SPARSE_COO, rows, columns, p, false, false);
        cp_sparse *packed = cp_sparse_convert(triples, format == CP_SPARSE_CSC ? format : CP_SPARSE_CSR);
        cp_sparse *full = cp_sparse_eliminate_zeros(packed);
        made = cp_sparse_convert(full, format);
        cp_sparse_free(full);
        cp_sparse_free(packed);
        cp_sparse_free(triples);
    }
    cpi_free_host(parts);
    return cpi_sparse_end(&f, made);
}
