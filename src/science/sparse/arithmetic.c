/* Sparse matrices: sums, differences, products, sums along axes, diagonals. */
#include "operands/operands.h"
#include "sparse/handle.h"

bool cpi_sparse_agree(cp_sparse *a, cp_sparse *b, bool canonical, cp_sparse *out[2])
{
    const cp_type type = cp_promote(a->part[0]->type, b->part[0]->type);
    out[0] = cpi_sparse_compressed(a);
    out[1] = out[0] ? cp_sparse_convert(b, out[0]->format) : NULL;
    for (int i = 0; i < 2 && out[i]; i++) {
        cp_sparse *m = canonical ? cp_sparse_sum_duplicates(out[i]) : cp_sparse_retain(out[i]);
        cp_sparse_free(out[i]);
        out[i] = m ? cp_sparse_astype(m, type) : NULL;
        cp_sparse_free(m);
    }
    return out[0] && out[1];
}
static cp_sparse *merged(const char *name, cp_sparse_op op, cp_sparse *a, cp_sparse *b)
{
    cpi_composite f;
    if (cpi_null(name, a) || cpi_null(name, b)) return NULL;
    if (a->rows != b->rows || a->columns != b->columns)
        return cpi_fail(CP_ERROR_VALUE, "%s: inconsistent shapes (%lld, %lld) and (%lld, %lld)", name,
                        (long long)a->rows, (long long)a->columns, (long long)b->rows, (long long)b->columns), NULL;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    cp_sparse *m[2] = {NULL, NULL}, *made = NULL;
    cpi_sparse_parts p = {0};
    if (cpi_sparse_agree(a, b, true, m) &&
        cp_csr_merge(op, m[0]->part[0], m[0]->part[1], m[0]->part[2], m[1]->part[0], m[1]->part[1], m[1]->part[2],
                     cpi_sparse_minor(m[0]), &p.data, &p.first, &p.second) == CP_OK)
        made = cpi_sparse_made(m[0]->format, a->rows, a->columns, p, true, true);
    cp_sparse_free(m[0]);
    cp_sparse_free(m[1]);
    return cpi_sparse_end(&f, made);
}
cp_sparse *cp_sparse_add(cp_sparse *a, cp_sparse *b) { return merged("sparse_add", CP_SPARSE_ADD, a, b); }
cp_sparse *cp_sparse_subtract(cp_sparse *a, cp_sparse *b)
{
    return merged("sparse_subtract", CP_SPARSE_SUBTRACT, a, b);
}
cp_sparse *cp_sparse_multiply(cp_sparse *a, cp_sparse *b)
{
    return merged("sparse_multiply", CP_SPARSE_MULTIPLY, a, b);
}

cp_sparse *cp_sparse_matmul(cp_sparse *a, cp_sparse *b)
{
    const char *name = "sparse_matmul";
    cpi_composite f;
    if (cpi_null(name, a) || cpi_null(name, b)) return NULL;
    if (a->columns != b->rows)
        return cpi_fail(CP_ERROR_VALUE, "%s: b must have %lld rows, as a has columns, not %lld", name,
                        (long long)a->columns, (long long)b->rows), NULL;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    cp_sparse *m[2] = {NULL, NULL}, *made = NULL;
    cpi_sparse_parts p = {0};
    if (cpi_sparse_agree(a, b, false, m)) { /* of columns the transposes: b^T a^T */
        const cp_sparse *x = m[m[0]->format == CP_SPARSE_CSC], *y = m[m[0]->format == CP_SPARSE_CSR];
        if (cp_csr_product(x->part[0], x->part[1], x->part[2], y->part[0], y->part[1], y->part[2],
                           cpi_sparse_minor(y), &p.data, &p.first, &p.second) == CP_OK)
            made = cpi_sparse_made(m[0]->format, a->rows, b->columns, p, true, true);
    }
    cp_sparse_free(m[0]);
    cp_sparse_free(m[1]);
    return cpi_sparse_end(&f, made);
}

cp_array *cp_sparse_dot(cp_sparse *a, cp_array *x)
{
    const char *name = "sparse_dot";
    cpi_composite f;
    if (cpi_null(name, a) || cpi_null(name, x)) return NULL;
    if (x->ndim != 1 && x->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must be 1-D or 2-D, not %d-D", name, x->ndim), NULL;
    if (x->shape[0] != a->columns)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must have %lld rows, as a has columns, not %lld", name,
                        (long long)a->columns, (long long)x->shape[0]), NULL;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    if (cpi_is_half(x->type)) x = cp_astype(x, CP_FLOAT32);
    if (a->format == CP_SPARSE_DIA)
        return cpi_end(&f, x ? cp_dia_multiply(a->part[0], a->part[1], a->rows, a->columns, x) : NULL);
    if (a->format == CP_SPARSE_BSR)
        return cpi_end(&f, x ? cp_bsr_multiply(a->part[0], a->part[1], a->part[2], a->columns, x) : NULL);
    cp_sparse *m = x && x->ndim == 1 ? cpi_sparse_compressed(a) : cp_sparse_convert(a, CP_SPARSE_CSR);
    cp_array *y = NULL;
    if (m && x)
        y = (m->format == CP_SPARSE_CSC ? cp_csr_multiply_transposed : cp_csr_multiply)(
            m->part[0], m->part[1], m->part[2], cpi_sparse_minor(m), x);
    cp_sparse_free(m);
    return cpi_end(&f, y);
}

cp_array *cp_sparse_sum(cp_sparse *a, int axis)
{
    const char *name = "sparse_sum";
    cpi_composite f;
    if (axis != 0 && axis != 1 && axis != CP_FLAT)
        return cpi_fail(CP_ERROR_AXIS, "%s: axis must be 0, 1 or CP_FLAT, not %d", name, axis), NULL;
    if (!cpi_sparse_begin(&f, name, a)) return NULL;
    if (axis == CP_FLAT && a->format != CP_SPARSE_DIA) return cpi_end(&f, cp_sum(a->part[0]));
    const cp_type type = a->part[0]->type; /* as NumPy sums */
    const bool whole = cpi_is_int(type) || type == CP_BOOL;
    const cp_type within = !whole ? type : cp_type_kind(type) == 'u' ? CP_UINT64 : CP_INT64;
    cp_sparse *m = cpi_sparse_compressed(a);
    if (m && axis == CP_FLAT) { /* of diagonals, whose arrays have more than the matrix */
        cp_array *total = cp_sum(m->part[0]);
        cp_sparse_free(m);
        return cpi_end(&f, total);
    }
    cp_array *data = !m ? NULL : type == within ? m->part[0] : cp_astype(m->part[0], within), *y = NULL;
    if (data)
        y = cp_csr_sum(data, m->part[1], m->part[2], cpi_sparse_minor(m), m->format == CP_SPARSE_CSC ? 1 - axis : axis);
    cp_sparse_free(m);
    return cpi_end(&f, y);
}

cp_array *cp_sparse_diagonal(cp_sparse *a, int64_t k)
{
    cpi_composite f;
    if (!cpi_sparse_begin(&f, "sparse_diagonal", a)) return NULL;
    if (k <= -a->rows || k >= a->columns) return cpi_end(&f, cp_empty(CP_SHAPE(0), a->part[0]->type));
    cp_sparse *packed = cpi_sparse_compressed(a), *m = packed ? cp_sparse_sum_duplicates(packed) : NULL;
    cp_array *y = NULL;
    if (m) {
        const bool by_rows = m->format == CP_SPARSE_CSR;
        const int64_t row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
        const int64_t n = a->rows - row < a->columns - column ? a->rows - row : a->columns - column;
        cp_array *at[2] = {cp_arange_int(row, row + n, 1, CP_INT64), cp_arange_int(column, column + n, 1, CP_INT64)};
        cp_array *found = cp_csr_find(m->part[1], m->part[2], at[!by_rows], at[by_rows], true);
        if (!m->part[0]->size) y = cp_zeros(CP_SHAPE(n), m->part[0]->type);
        else {
            cp_array *value = cp_take(m->part[0], cp_maximum(found, cp_int(0)), 0);
            y = cp_where(cp_less(found, cp_int(0)), cp_zeros(CP_SHAPE0, m->part[0]->type), value);
        }
    }
    cp_sparse_free(m);
    cp_sparse_free(packed);
    return cpi_end(&f, y);
}
