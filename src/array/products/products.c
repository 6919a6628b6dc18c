/* Products of arrays: shapes, types and errors. All of them end in cpi_multiply_matrices or in an elementwise product.
 * Error messages are NumPy's. */
#include <string.h>

#include "compose/compose.h"
#include "operands/operands.h"
#include "products/products.h"

/* --- matmul and its like, NumPy's generalized ufuncs --- */

typedef struct rule {
    const char *name, *signature;
    int least[2], core[2]; /* axes that an operand needs, and that it has of its own */
    bool conjugate;        /* the first */
} rule;

static const rule of_matmul = {"matmul", "(n?,k),(k,m?)->(n?,m?)", {1, 1}, {2, 2}, false},
                  of_vecdot = {"vecdot", "(n),(n)->()", {1, 1}, {1, 1}, true},
                  of_matvec = {"matvec", "(m,n),(n)->(m)", {2, 1}, {2, 1}, false},
                  of_vecmat = {"vecmat", "(n),(n,m)->(m)", {1, 2}, {1, 2}, true};

static cp_code check_operands(const rule *g, cp_array *const *x)
{
    for (int i = 0; i < 2; i++)
        if (x[i]->ndim < g->least[i])
            return cpi_fail(CP_ERROR_VALUE, "%s: Input operand %d does not have enough dimensions (has %d, gufunc core "
                            "with signature %s requires %d)", g->name, i, x[i]->ndim, g->signature, g->least[i]);
    int axis = g->core[1] == 2 && x[1]->ndim > 1 ? x[1]->ndim - 2 : x[1]->ndim - 1;
    int64_t k = x[0]->shape[x[0]->ndim - 1], have = x[1]->shape[axis];
    if (k == have) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                    "%s (size %lld is different from %lld)", g->name, g->signature, (long long)have, (long long)k);
}

/* x with its vector as a row (of the left operand) or a column. */
static cp_array *with_axis(cp_array *x, bool left)
{
    int64_t shape[CP_MAXDIM + 1], strides[CP_MAXDIM + 1];
    int n = x->ndim, at = left ? n - 1 : n;
    memcpy(shape, x->shape, (size_t)n * sizeof *shape);
    memcpy(strides, x->strides, (size_t)n * sizeof *strides);
    shape[n] = shape[n - 1], strides[n] = strides[n - 1];
    shape[at] = 1, strides[at] = cpi_itemsize(x->type);
    return cpi_seen_as(x, n + 1, shape, strides);
}

/* The shape that the operands' batch axes broadcast to, together with those of out. */
static cp_code batch_shape(const rule *g, cp_array *const *m, const cp_array *out, int own, int *ndim, int64_t *batch)
{
    char text[2][160];
    *ndim = m[0]->ndim - 2;
    memcpy(batch, m[0]->shape, (size_t)*ndim * sizeof *batch);
    for (int i = 1; i < 3; i++) {
        const cp_array *x = i == 1 ? m[1] : out;
        int others = i == 1 ? m[1]->ndim - 2 : out ? out->ndim - own : 0;
        if (!x || others <= 0) continue;
        cp_code code = cpi_broadcast(g->name, ndim, batch, others, x->shape);
        if (!code) continue;
        if (i == 2) return code;
        cp_error_clear();
        return cpi_fail(CP_ERROR_VALUE, "%s: operands could not be broadcast together with remapped shapes %s %s",
                        g->name, cpi_shape_string(m[0]->ndim - 2, m[0]->shape, text[0], sizeof text[0]),
                        cpi_shape_string(others, x->shape, text[1], sizeof text[1]));
    }
    return CP_OK;
}

/* The product of two operands seen as matrices. `left`, `right`: the axis of the result that each gives is kept. */
static cp_array *product(const rule *g, cp_type type, cp_array *const *m, bool left, bool right,
                         const cp_product_options *o)
{
    int64_t shape[CP_MAXDIM + 2];
    int nbatch;
    if (batch_shape(g, m, o->out, left + right, &nbatch, shape)) return NULL;
    while (o->out && nbatch > 0 && shape[0] == 1 && o->out->ndim < nbatch + left + right) /* which out need not have */
        memmove(shape, shape + 1, (size_t)--nbatch * sizeof *shape);
    int64_t batch[CP_MAXDIM + 1];
    memcpy(batch, shape, (size_t)nbatch * sizeof *batch);
    int ndim = nbatch;
    if (left) shape[ndim++] = m[0]->shape[m[0]->ndim - 2];
    if (right) shape[ndim++] = m[1]->shape[m[1]->ndim - 1];
    cpi_product_result result = {.out = o->out, .casting = o->casting, .ndim = ndim, .shape = shape};
    const bool conjugate = g->conjugate && !left && !right; /* for matrices gufunc has done it */
    cp_array *r = cpi_multiply_matrices(g->name, type, conjugate, m[0], m[1], nbatch, batch, &result);
    if (!r || o->order != 'F' || o->out) return r;
    cp_array *f = cp_copy_order(r, 'F');
    cp_free(r);
    return f;
}

static cp_array *gufunc(const rule *g, cp_array *x1, cp_array *x2, const cp_product_options *given)
{
    const cp_product_options *o = CPI_GIVEN(cp_product_options, given);
    cp_array *x[2] = {x1, x2}, *m[2] = {NULL, NULL}, *r = NULL;
    if (cpi_null(g->name, x1) || cpi_null(g->name, x2)) return NULL;
    if (o->typed && cpi_check_type(g->name, o->dtype)) return NULL;
    if (check_operands(g, x)) return NULL;
    cp_type type = o->typed ? o->dtype : cpi_promote_arrays(2, x, false);
    for (int i = 0; i < 2; i++)
        if (cpi_check_cast(g->name, i, x[i]->type, type, o->casting)) return NULL;
    bool vector[2];
    for (int i = 0; i < 2; i++) {
        vector[i] = g->core[i] == 1 || x[i]->ndim == 1;
        if (!(m[i] = vector[i] ? with_axis(x[i], i == 0) : cp_retain(x[i]))) goto done;
    }
    if (g->conjugate && !vector[1] && cpi_is_complex(x1->type)) { /* vecmat: the vector is the smaller operand */
        cp_array *c = cp_conjugate(m[0]);
        cp_free(m[0]);
        if (!(m[0] = c)) goto done;
    }
    r = product(g, type, m, !vector[0], !vector[1], o);
done:
    cp_free(m[0]);
    cp_free(m[1]);
    return r;
}

/*: function("matmul", "x1: array, x2: array, /, out: ufunc_out = None, *, casting: casting = 'same_kind', "
             "order: order('CFAK') = 'K', dtype: dtype = None, axes: object = None, axis: object = None, "
             "keepdims: bool = False, signature: object = None",
             options="cp_product_options", body=True,
             doc="""The product of matrices, in the last two axes; the others broadcast. A vector is a row on
the left and a column on the right, without that axis in the result. ValueError where shapes do not match; `axes` says
which axes are the matrices' and the result's.""") */
cp_array *(cp_matmul)(cp_array *x1, cp_array *x2, const cp_product_options *options)
{
    return gufunc(&of_matmul, x1, x2, options);
}

/*: function("vecdot", "x1: array, x2: array, /, out: ufunc_out = None, *, casting: casting = 'same_kind', "
             "order: order('CFAK') = 'K', dtype: dtype = None, axes: object = None, axis: object = None, "
             "keepdims: bool = False, signature: object = None",
             options="cp_product_options", body=True,
             doc="The sum of conj(x1) * x2 over an axis, the last one unless `axis` or `axes` names another.") */
cp_array *(cp_vecdot)(cp_array *x1, cp_array *x2, const cp_product_options *options)
{
    return gufunc(&of_vecdot, x1, x2, options);
}

/*: function("matvec", "x1: array, x2: array, /, out: ufunc_out = None, *, casting: casting = 'same_kind', "
             "order: order('CFAK') = 'K', dtype: dtype = None, axes: object = None, axis: object = None, "
             "keepdims: bool = False, signature: object = None",
             options="cp_product_options", body=True,
             doc="The product of matrices (..., m, n) and vectors (..., n).") */
cp_array *(cp_matvec)(cp_array *x1, cp_array *x2, const cp_product_options *options)
{
    return gufunc(&of_matvec, x1, x2, options);
}

/*: function("vecmat", "x1: array, x2: array, /, out: ufunc_out = None, *, casting: casting = 'same_kind', "
             "order: order('CFAK') = 'K', dtype: dtype = None, axes: object = None, axis: object = None, "
             "keepdims: bool = False, signature: object = None",
             options="cp_product_options", body=True,
             doc="The product of vectors (..., n), conjugated, and matrices (..., n, m).") */
cp_array *(cp_vecmat)(cp_array *x1, cp_array *x2, const cp_product_options *options)
{
    return gufunc(&of_vecmat, x1, x2, options);
}

/* --- sums over one axis of each --- */

/* Of a number and an array; `out` as given. */
static cp_array *scaled(cp_array *a, cp_array *b, cp_array *out) { return cpi_apply_2(CP_OP_multiply, a, b, out); }

static cp_code check_exact_out(const char *name, cp_type type, const cp_array *out)
{
    if (!out || (out->type == type && cp_is_c_contiguous(out))) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: output array is not acceptable (must have the right datatype, number of "
                    "dimensions, and be a C-Array)", name);
}

static cp_array *along(const char *name, cp_array *a, int i, cp_array *b, int j, cp_array *out)
{
    char text[2][160];
    if (a->shape[i] != b->shape[j])
        return cpi_fail(CP_ERROR_VALUE, "%s: shapes %s and %s not aligned: %lld (dim %d) != %lld (dim %d)", name,
                        cpi_shape_string(a->ndim, a->shape, text[0], sizeof text[0]),
                        cpi_shape_string(b->ndim, b->shape, text[1], sizeof text[1]), (long long)a->shape[i], i,
                        (long long)b->shape[j], j), NULL;
    cp_type type = cpi_promote_arrays(2, (cp_array *[]){a, b}, false);
    if (check_exact_out(name, type, out)) return NULL;
    return cpi_contract(name, type, a, b, 1, &i, &j, out, CP_NO_CAST);
}

/*: function("dot", "a: array_or_number, b: array_or_number, out: out = None",
             unlock="always",
             doc="""The sum over the last axis of `a` and the last but one of `b` (the only one of a vector): products
of vectors and of matrices. Where one is a number, or 0-d, the other is multiplied by it. `out` must be C-contiguous and
of the result's type.""") */
cp_array *(cp_dot)(cp_array *a, cp_array *b, const cp_dot_options *options)
{
    const cp_dot_options *o = CPI_GIVEN(cp_dot_options, options);
    if (cpi_null("dot", a) || cpi_null("dot", b)) return NULL;
    if (!a->ndim || !b->ndim) { /* NumPy's out is multiply's, but BLAS's where it has the type and the dimensions */
        cp_type type = cpi_promote_arrays(2, (cp_array *[]){a, b}, false);
        bool exact = (type == CP_FLOAT32 || type == CP_FLOAT64 || cpi_is_complex(type)) && a->ndim + b->ndim <= 2;
        return exact && check_exact_out("dot", type, o->out) ? NULL : scaled(a, b, o->out);
    }
    return along("dot", a, a->ndim - 1, b, b->ndim > 1 ? b->ndim - 2 : 0, o->out);
}

/*: method("dot", "a: array, b: array_or_number, out: out = None", call="cp_dot(a, b, .out = out)", unlock="always",
           doc="dot(self, b).") */

/*: function("inner", "a: array_or_number, b: array_or_number", unlock="always",
             doc="The sum over the last axes of both.") */
cp_array *cp_inner(cp_array *a, cp_array *b)
{
    if (cpi_null("inner", a) || cpi_null("inner", b)) return NULL;
    if (!a->ndim || !b->ndim) return scaled(a, b, NULL);
    return along("inner", a, a->ndim - 1, b, b->ndim - 1, NULL);
}

/*: function("vdot", "a: array_or_number, b: array_or_number",
             doc="The sum of conj(a) * b, of the two flattened: 0-d.") */
cp_array *cp_vdot(cp_array *a, cp_array *b)
{
    cpi_composite f;
    if (cpi_null("vdot", a) || cpi_null("vdot", b)) return NULL;
    if (a->size != b->size)
        return cpi_fail(CP_ERROR_VALUE, "vdot: cannot reshape array of size %lld into shape (%lld,)",
                        (long long)b->size, (long long)a->size), NULL;
    if (a->ndim == 1 && b->ndim == 1) return cp_vecdot(a, b);
    if (!cpi_begin(&f, "vdot", a->flags & CPI_HOST_SCALAR ? b : a)) return NULL;
    cp_array *x = cp_ravel(a), *y = cp_ravel(b);
    return cpi_end(&f, y ? cp_vecdot(x, y) : NULL);
}

/* --- all pairs --- */

/* x's axes, `ndim` of them, at every second position of twice as many; the others have length 1. */
static cp_array *spread(cp_array *x, int ndim, bool first)
{
    int64_t shape[2 * CP_MAXDIM];
    for (int i = 0; i < ndim; i++) {
        int own = i - (ndim - x->ndim);
        shape[2 * i + !first] = own < 0 ? 1 : x->shape[own];
        shape[2 * i + first] = 1;
    }
    return cp_reshape(x, (cp_shape){2 * ndim, shape});
}

/*: function("kron", "a: array_or_number, b: array_or_number", unlock="always",
             like=True, doc="The Kronecker product: `b` once for each element of `a`, times that.") */
cp_array *cp_kron(cp_array *a, cp_array *b)
{
    cpi_composite f;
    int64_t shape[CP_MAXDIM];
    if (cpi_null("kron", b) || !cpi_begin(&f, "kron", a)) return NULL;
    if (!a->ndim || !b->ndim) return cpi_end(&f, scaled(a, b, NULL));
    int n = a->ndim > b->ndim ? a->ndim : b->ndim;
    if (2 * n > CP_MAXDIM) {
        cpi_fail(CP_ERROR_VALUE, "kron: arrays of at most %d dimensions can be multiplied, %d given", CP_MAXDIM / 2, n);
        return cpi_end(&f, NULL);
    }
    cp_array *x = spread(a, n, true), *y = spread(b, n, false), *r = x && y ? cp_multiply(x, y) : NULL;
    if (!r) return cpi_end(&f, NULL);
    for (int i = 0; i < n; i++) shape[i] = r->shape[2 * i] * r->shape[2 * i + 1];
    return cpi_end(&f, cp_reshape(r, (cp_shape){n, shape}));
}

/* --- several axes --- */

static cp_code find_axes(cp_axes axes, const cp_array *x, int *at)
{
    bool mask[CP_MAXDIM];
    if (axes.n > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "tensordot: %d axes given", axes.n);
    if (axes.n > 0 && cpi_axes_mask("tensordot", axes, x->ndim, mask)) return cp_error();
    for (int i = 0; i < axes.n; i++) at[i] = axes.at[i] < 0 ? axes.at[i] + x->ndim : axes.at[i];
    return CP_OK;
}

/*: function("tensordot", "a: array, b: array, axes: object = 2", body=True,
             doc="""Sums over axes of `a` and `b`: `axes` is a number, of the last of `a` and the first of `b`, or a
pair of lists. The result has the other axes of `a`, then those of `b`.""") */
cp_array *cp_tensordot(cp_array *a, cp_array *b, cp_axes a_axes, cp_axes b_axes)
{
    int ax[CP_MAXDIM], bx[CP_MAXDIM];
    if (cpi_null("tensordot", a) || cpi_null("tensordot", b)) return NULL;
    if (find_axes(a_axes, a, ax) || find_axes(b_axes, b, bx)) return NULL;
    bool same = a_axes.n == b_axes.n;
    for (int i = 0; same && i < a_axes.n; i++) same = a->shape[ax[i]] == b->shape[bx[i]];
    if (!same) return cpi_fail(CP_ERROR_VALUE, "tensordot: shape-mismatch for sum"), NULL;
    cp_type type = cpi_promote_arrays(2, (cp_array *[]){a, b}, false);
    return cpi_contract("tensordot", type, a, b, a_axes.n, ax, bx, NULL, CP_SAME_KIND);
}
