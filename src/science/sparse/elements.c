/* Sparse matrices: functions and comparisons of elements, extremes, means and norms. All of them take elements that
 * stand twice as their sum, and count the zeros that are not stored. */
#include "cuprite/index.h"
#include "cuprite/ufunc.h"
#include "operands/operands.h"
#include "sparse/handle.h"

static cp_array *zero_of(cp_type t) { return cp_zeros(CP_SHAPE0, t); }
static bool is_zero(cp_array *x) { return !cp_item_int(cp_astype(x, CP_BOOL)); }
static cp_array *single(cp_array *x) { return x && cpi_is_half(x->type) ? cp_astype(x, CP_FLOAT32) : x; }

/* --- one matrix --- */

/* What the caller's function gives; its failure always has an error. */
static cp_array *applied(const char *name, cp_array *(*f)(cp_array *x), cp_array *x)
{
    cp_array *y = f(x);
    if (!y && cp_error() == CP_OK) cpi_fail(CP_ERROR_VALUE, "%s: f returned NULL", name);
    return y;
}
cp_sparse *cp_sparse_apply(cp_sparse *a, cp_array *(*f)(cp_array *x))
{
    const char *name = "sparse_apply";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, (const void *)(uintptr_t)f)) return NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = cpi_sparse_canonical(a), *made = NULL;
    if (m) {
        cp_array *at_zero = applied(name, f, zero_of(m->part[0]->type));
        cp_array *data = at_zero ? single(applied(name, f, m->part[0])) : NULL;
        if (data && (data->ndim != 1 || data->size != m->part[0]->size))
            cpi_fail(CP_ERROR_VALUE, "%s: f must give as many elements as it takes", name);
        else if (data && !is_zero(at_zero))
            cpi_fail(CP_ERROR_VALUE, "%s: f(0) must be 0", name);
        else if (data) made = cpi_sparse_with_data(m, data);
    }
    cp_sparse *same = cpi_sparse_in_kind(made, a);
    cp_sparse_free(made);
    cp_sparse_free(m);
    return cpi_sparse_end(&scope, same);
}
cp_sparse *cp_sparse_power(cp_sparse *a, cp_array *exponent)
{
    const char *name = "sparse_power";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, exponent)) return NULL;
    if (exponent->ndim)
        return cpi_fail(CP_ERROR_VALUE, "%s: exponent must be 0-D, not %d-D", name, exponent->ndim), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = cpi_sparse_canonical(a), *made = NULL;
    if (m && is_zero(exponent))
        cpi_fail(CP_ERROR_VALUE, "%s: exponent must not be 0, for which all elements are 1", name);
    else if (m) made = cpi_sparse_with_data(m, single(cp_power(m->part[0], exponent)));
    cp_sparse *same = cpi_sparse_in_kind(made, a);
    cp_sparse_free(made);
    cp_sparse_free(m);
    return cpi_sparse_end(&scope, same);
}

cp_sparse *cp_sparse_conj(cp_sparse *a)
{
    cpi_composite scope;
    if (cpi_null("sparse_conj", a)) return NULL;
    if (cp_type_kind(a->part[0]->type) != 'c') return cp_sparse_retain(a);
    if (!cpi_sparse_begin(&scope, "sparse_conj", a)) return NULL;
    return cpi_sparse_end(&scope, cpi_sparse_with_data(a, cp_conjugate(a->part[0])));
}

/* --- two matrices --- */

/* f of the elements at the places that either has. */
static cp_sparse *beside(const char *name, cp_sparse *a, cp_sparse *b, cp_array *(*f)(cp_array *x, cp_array *y))
{
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, b)) return NULL;
    if (a->rows != b->rows || a->columns != b->columns)
        return cpi_fail(CP_ERROR_VALUE, "%s: inconsistent shapes (%lld, %lld) and (%lld, %lld)", name,
                        (long long)a->rows, (long long)a->columns, (long long)b->rows, (long long)b->columns), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m[2] = {NULL, NULL}, *all = NULL, *made = NULL;
    cp_array *x, *y;
    cpi_sparse_parts p = {0};
    if (cpi_sparse_agree(a, b, true, m) &&
        cp_csr_align(m[0]->part[0], m[0]->part[1], m[0]->part[2], m[1]->part[0], m[1]->part[1], m[1]->part[2],
                     cpi_sparse_minor(m[0]), &x, &y, &p.first, &p.second) == CP_OK) {
        p.data = f(x, y);
        all = cpi_sparse_made(m[0]->format, a->rows, a->columns, p, true, true);
        made = all ? cpi_sparse_kept(all, p.data) : NULL;
    }
    cp_sparse_free(all);
    cp_sparse_free(m[0]);
    cp_sparse_free(m[1]);
    return cpi_sparse_end(&scope, made);
}
cp_sparse *cp_sparse_maximum(cp_sparse *a, cp_sparse *b) { return beside("sparse_maximum", a, b, cp_maximum); }
cp_sparse *cp_sparse_minimum(cp_sparse *a, cp_sparse *b) { return beside("sparse_minimum", a, b, cp_minimum); }
cp_sparse *cp_sparse_not_equal(cp_sparse *a, cp_sparse *b) { return beside("sparse_not_equal", a, b, cp_not_equal); }
cp_sparse *cp_sparse_less(cp_sparse *a, cp_sparse *b) { return beside("sparse_less", a, b, cp_less); }
cp_sparse *cp_sparse_greater(cp_sparse *a, cp_sparse *b) { return beside("sparse_greater", a, b, cp_greater); }

/* Where f is not true, zeros that are not stored among them. */
static cp_sparse *nowhere(const char *name, cp_sparse *a, cp_sparse *b, cp_array *(*f)(cp_array *x, cp_array *y))
{
    cpi_composite scope;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = beside(name, a, b, f), *made = NULL;
    cp_array *dense = m ? cp_sparse_dense(m) : NULL;
    if (dense) made = cp_sparse_from_dense(cp_logical_not(dense), m->format);
    cp_sparse_free(m);
    return cpi_sparse_end(&scope, made);
}
cp_sparse *cp_sparse_equal(cp_sparse *a, cp_sparse *b) { return nowhere("sparse_equal", a, b, cp_not_equal); }
cp_sparse *cp_sparse_less_equal(cp_sparse *a, cp_sparse *b) { return nowhere("sparse_less_equal", a, b, cp_greater); }
cp_sparse *cp_sparse_greater_equal(cp_sparse *a, cp_sparse *b)
{
    return nowhere("sparse_greater_equal", a, b, cp_less);
}

/* A matrix of one line as `n` equal ones. */
static cp_sparse *repeated(cp_sparse *a, int64_t rows, int64_t columns)
{
    const cp_index items[2] = {a->rows == rows ? CP_FULL : CP_BY(cp_zeros(CP_SHAPE(rows), CP_INT64)),
                               a->columns == columns ? CP_FULL : CP_BY(cp_zeros(CP_SHAPE(columns), CP_INT64))};
    return cp_sparse_slice(a, 2, items);
}
cp_sparse *cp_sparse_multiply_dense(cp_sparse *a, cp_array *x)
{
    const char *name = "sparse_multiply_dense";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, x)) return NULL;
    if (!x->ndim) return cp_sparse_scale(a, x);
    if (x->ndim > 2) return cpi_fail(CP_ERROR_VALUE, "%s: x must be at most 2-D, not %d-D", name, x->ndim), NULL;
    const int64_t tall = x->ndim == 2 ? x->shape[0] : 1, wide = x->shape[x->ndim - 1];
    const int64_t rows = a->rows == 1 ? tall : a->rows, columns = a->columns == 1 ? wide : a->columns;
    if ((tall != 1 && tall != rows) || (wide != 1 && wide != columns))
        return cpi_fail(CP_ERROR_VALUE, "%s: inconsistent shapes (%lld, %lld) and (%lld, %lld)", name,
                        (long long)a->rows, (long long)a->columns, (long long)tall, (long long)wide), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = cpi_sparse_compressed(a), *full = m ? repeated(m, rows, columns) : NULL, *made = NULL;
    if (full) {
        const bool by_rows = full->format == CP_SPARSE_CSR;
        cp_array *line = cp_csr_rows(full->part[1], full->part[2]), *other = full->part[1];
        cp_array *all = cp_broadcast_to(x, CP_SHAPE(rows, columns)), *factor = NULL;
        const cp_index at[2] = {CP_BY(by_rows ? line : other), CP_BY(by_rows ? other : line)};
        if (all && line) factor = cp_index_get(all, 2, at);
        made = factor ? cpi_sparse_with_data(full, single(cp_multiply(full->part[0], factor))) : NULL;
    }
    cp_sparse *same = cpi_sparse_in_kind(made, a);
    cp_sparse_free(made);
    cp_sparse_free(full);
    cp_sparse_free(m);
    return cpi_sparse_end(&scope, same);
}

/* --- along an axis --- */

cp_array *cp_sparse_mean(cp_sparse *a, int axis)
{
    const char *name = "sparse_mean";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_sparse_check_axis(name, axis)) return NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    const cp_type type = a->part[0]->type, within = cpi_is_int(type) || type == CP_BOOL ? CP_FLOAT64 : type;
    const double n = axis == CP_FLAT ? (double)a->rows * (double)a->columns : (double)(axis ? a->columns : a->rows);
    cp_sparse *m = cp_sparse_astype(a, within);
    cp_array *sum = m ? cp_sparse_sum(m, axis) : NULL;
    cp_sparse_free(m);
    return cpi_end(&scope, sum ? cp_astype(cp_divide(sum, cp_float(n)), within) : NULL);
}

cp_array *cp_sparse_norm(cp_sparse *a, char order)
{
    const char *name = "sparse_norm";
    cpi_composite scope;
    if (cpi_null(name, a)) return NULL;
    if (order != 'F' && order != '1' && order != 'I')
        return cpi_fail(CP_ERROR_VALUE, "%s: order must be 'F', '1' or 'I', not '%c'", name, order), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = cpi_sparse_canonical(a), *sizes = NULL;
    cp_array *y = NULL, *size = m ? cp_absolute(m->part[0]) : NULL;
    if (size && order == 'F') {
        if (cpi_is_int(size->type) || size->type == CP_BOOL) size = cp_astype(size, CP_FLOAT64);
        y = cp_sqrt(cp_sum(cp_multiply(size, size)));
    } else if (size && (sizes = cpi_sparse_with_data(m, size))) {
        cp_array *sums = cp_sparse_sum(sizes, order == 'I');
        y = !sums || sums->size ? cp_max(sums) : zero_of(sums->type);
    }
    cp_sparse_free(sizes);
    cp_sparse_free(m);
    return cpi_end(&scope, y);
}
