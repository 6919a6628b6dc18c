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

cp_sparse *cp_sparse_apply(cp_sparse *a, cp_array *(*f)(cp_array *x))
{
    const char *name = "sparse_apply";
    cpi_composite scope;
    if (cpi_null(name, a) || cpi_null(name, (const void *)(uintptr_t)f)) return NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = cpi_sparse_canonical(a), *made = NULL;
    if (m) {
        cp_array *at_zero = f(zero_of(m->part[0]->type)), *data = at_zero ? single(f(m->part[0])) : NULL;
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

/* --- along an axis --- */

static cp_code check_axis(const char *name, int axis)
{
    if (axis == 0 || axis == 1 || axis == CP_FLAT) return CP_OK;
    return cpi_fail(CP_ERROR_AXIS, "%s: axis must be 0, 1 or CP_FLAT, not %d", name, axis);
}
/* A canonical matrix by the lines along which the axis goes. */
static cp_sparse *along(cp_sparse *a, int axis)
{
    cp_sparse *lines = cp_sparse_convert(a, axis ? CP_SPARSE_CSR : CP_SPARSE_CSC);
    cp_sparse *m = lines ? cpi_sparse_canonical(lines) : NULL;
    cp_sparse_free(lines);
    return m;
}
static cp_array *extreme_of_lines(const cp_sparse *m, cp_op op, cp_array *(*f)(cp_array *x, cp_array *y))
{
    const cp_type type = m->part[0]->type;
    cp_array *y = cp_zeros(CP_SHAPE(cpi_sparse_major(m)), type);
    if (!y || !m->part[0]->size) return y;
    cp_array *lengths = cp_diff(m->part[2], 1, 0), *lines = cp_flatnonzero(lengths);
    cp_array *begin = cp_take(m->part[2], lines, 0), *length = cp_take(lengths, lines, 0);
    cp_array *value = begin ? cp_ufunc_reduceat(op, m->part[0], begin, 0) : NULL;
    if (!value) return NULL;
    value = cp_where(cp_less(length, cp_int(cpi_sparse_minor(m))), f(value, zero_of(type)), value);
    return value && cp_put(y, lines, value) == CP_OK ? y : NULL;
}
static cp_array *extreme(const char *name, cp_sparse *a, int axis, cp_op op,
                         cp_array *(*f)(cp_array *x, cp_array *y))
{
    cpi_composite scope;
    if (cpi_null(name, a) || check_axis(name, axis)) return NULL;
    if (axis == CP_FLAT ? !a->rows || !a->columns : !(axis ? a->columns : a->rows))
        return cpi_fail(CP_ERROR_VALUE, "%s: there must be an element along the axis", name), NULL;
    if (!cpi_sparse_begin(&scope, name, a)) return NULL;
    cp_sparse *m = axis == CP_FLAT ? cpi_sparse_canonical(a) : along(a, axis);
    cp_array *y = NULL;
    if (m && axis != CP_FLAT) y = extreme_of_lines(m, op, f);
    else if (m) {
        const int64_t n = m->part[0]->size;
        y = n ? cp_ufunc_reduce(op, m->part[0]) : zero_of(m->part[0]->type);
        if (y && n && (n % a->rows || n / a->rows != a->columns)) y = f(y, zero_of(m->part[0]->type));
    }
    cp_sparse_free(m);
    return cpi_end(&scope, y);
}
cp_array *cp_sparse_max(cp_sparse *a, int axis) { return extreme("sparse_max", a, axis, CP_OP_maximum, cp_maximum); }
cp_array *cp_sparse_min(cp_sparse *a, int axis) { return extreme("sparse_min", a, axis, CP_OP_minimum, cp_minimum); }

cp_array *cp_sparse_mean(cp_sparse *a, int axis)
{
    const char *name = "sparse_mean";
    cpi_composite scope;
    if (cpi_null(name, a) || check_axis(name, axis)) return NULL;
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
