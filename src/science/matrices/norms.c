/* Norms of vectors and matrices; condition and rank from singular values. */
#include "compose/compose.h"

#include <math.h>

/*: words("norm_kind", "default number fro nuc", c="cp_norm_kind",
          values="CP_NORM_DEFAULT CP_NORM_NUMBER CP_NORM_FROBENIUS CP_NORM_NUCLEAR") */

static bool for_vectors(cp_norm_kind kind)
{
    if (kind != CP_NORM_FROBENIUS && kind != CP_NORM_NUCLEAR) return true;
    return cpi_fail(CP_ERROR_VALUE, "norm: Invalid norm order '%s' for vectors",
                    kind == CP_NORM_NUCLEAR ? "nuc" : "fro"), false;
}

/* Normalizes `axes` to indices below nd, at most two; returns their number, or -1 with an error. */
static int norm_axes(cp_axes axes, cp_norm_kind kind, int nd, int *at)
{
    bool every = !axes.at;
    int n = every ? nd : axes.n;
    if (n < 1 || n > 2) return cpi_fail(CP_ERROR_VALUE, "norm: Improper number of dimensions to norm."), -1;
    if (n == 1 && !for_vectors(kind)) return -1;
    for (int i = 0; i < n; i++) {
        at[i] = every ? i : axes.at[i];
        if (cpi_axis("norm", &at[i], nd)) return -1;
    }
    if (n == 2 && at[0] == at[1]) return cpi_fail(CP_ERROR_VALUE, "norm: Duplicate axes given."), -1;
    return n;
}

/* |x|^2 of each element. */
static cp_array *squares(cp_array *x)
{
    if (!x || cp_type_kind(cp_type_of(x)) != 'c') return cp_square(x);
    return cp_add(cp_square(cp_real_part(x)), cp_square(cp_imag_part(x)));
}

static cp_array *vector_norm(cp_array *x, cp_norm_kind kind, double p, cp_axes axes, bool keepdims)
{
    if (!for_vectors(kind)) return NULL;
    if (kind == CP_NORM_DEFAULT || p == 2) return cp_sqrt(cp_sum(squares(x), .axis = axes, .keepdims = keepdims));
    if (p == 0) {
        cp_type real = cp_type_of(cp_real_part(x));
        return cp_sum(cp_not_equal(x, cp_int(0)), .axis = axes, .keepdims = keepdims, .typed = true, .dtype = real);
    }
    cp_array *size = cp_absolute(x);
    if (isinf(p))
        return p > 0 ? cp_max(size, .axis = axes, .keepdims = keepdims, .initial = cp_int(0))
                     : cp_min(size, .axis = axes, .keepdims = keepdims);
    if (p == 1) return cp_sum(size, .axis = axes, .keepdims = keepdims);
    cp_array *sum = cp_sum(cp_power(size, cp_float(p)), .axis = axes, .keepdims = keepdims);
    return cp_power(sum, cp_float(1 / p));
}

/* The largest or smallest singular value of matrices in two axes, or the sum of all. */
static cp_array *spectral(cp_array *x, const int *at, int which)
{
    cp_array *s = cp_svdvals(cp_moveaxis(x, CP_AXES(at[0], at[1]), CP_AXES(-2, -1)));
    return which > 0 ? cp_max(s, .axis = CP_AXES(-1), .initial = cp_int(0)) : which < 0 ? cp_min(s, .axis = CP_AXES(-1))
                                                                  : cp_sum(s, .axis = CP_AXES(-1));
}

/* Sums of one axis, of which the extreme along the other is taken. */
static cp_array *largest_sum(cp_array *x, int sum, int extreme, bool smallest)
{
    cp_array *sums = cp_sum(cp_absolute(x), .axis = CP_AXES(sum), .keepdims = true);
    cp_array *r = smallest ? cp_min(sums, .axis = CP_AXES(extreme), .keepdims = true)
                           : cp_max(sums, .axis = CP_AXES(extreme), .keepdims = true, .initial = cp_int(0));
    return r ? cp_squeeze(r, CP_AXES(sum, extreme)) : NULL;
}

static cp_array *matrix_norm(cp_array *x, cp_norm_kind kind, double p, const int *at, bool keepdims)
{
    cp_array *r;
    if (kind == CP_NORM_DEFAULT || kind == CP_NORM_FROBENIUS)
        return cp_sqrt(cp_sum(squares(x), .axis = CP_AXES(at[0], at[1]), .keepdims = keepdims));
    if (kind == CP_NORM_NUCLEAR) r = spectral(x, at, 0);
    else if (fabs(p) == 2) r = spectral(x, at, p > 0 ? 1 : -1);
    else if (fabs(p) == 1) r = largest_sum(x, at[0], at[1], p < 0);
    else if (isinf(p)) r = largest_sum(x, at[1], at[0], p < 0);
    else return cpi_fail(CP_ERROR_VALUE, "norm: Invalid norm order for matrices."), NULL;
    if (!r || !keepdims) return r;
    return cp_expand_dims(r, at[0] < at[1] ? CP_AXES(at[0], at[1]) : CP_AXES(at[1], at[0]));
}

/* The root of the sum of all squares, by one dot product. */
static cp_array *length(cp_array *x, bool keepdims)
{
    int64_t ones[CP_MAXDIM];
    cp_array *sum = x ? cp_vdot(x, x) : NULL, *r = sum ? cp_sqrt(cp_real_part(sum)) : NULL;
    if (!r || !keepdims) return r;
    for (int i = 0; i < cp_ndim(x); i++) ones[i] = 1;
    return cp_reshape(r, (cp_shape){cp_ndim(x), ones});
}

static cp_array *floating(cp_array *x)
{
    return x && (cpi_is_int(cp_type_of(x)) || cp_type_of(x) == CP_BOOL) ? cp_astype(x, CP_FLOAT64) : x;
}

/*: function("norm",
             "x: array, kind: norm_kind = 'default', p: double = 0, axis: axes = None, keepdims: bool = False",
             module="_linalg", unlock="always",
             doc="""The norm of vectors along one axis, of matrices in two, or of all elements. kind 'default': the
square root of the sum of squares; 'fro', 'nuc': Frobenius' and the sum of singular values, of matrices; 'number': the
norm of order p.""") */
cp_array *(cp_norm)(cp_array *x, const cp_norm_options *options)
{
    const cp_norm_options *o = CPI_GIVEN(cp_norm_options, options);
    int at[2] = {0}, n = 0;
    cpi_composite f;
    if (!cpi_begin(&f, "norm", x)) return NULL;
    int nd = cp_ndim(x);
    bool plain = !o->axis.at && (o->kind == CP_NORM_DEFAULT || (o->kind == CP_NORM_FROBENIUS && nd == 2));
    if (!plain && (n = norm_axes(o->axis, o->kind, nd, at)) < 0) return cpi_end(&f, NULL);
    x = floating(x);
    if (plain) return cpi_end(&f, length(x, o->keepdims));
    if (n == 1) return cpi_end(&f, vector_norm(x, o->kind, o->p, CP_AXES(at[0]), o->keepdims));
    return cpi_end(&f, matrix_norm(x, o->kind, o->p, at, o->keepdims));
}

/*: function("vector_norm", "x: array, kind: norm_kind = 'default', p: double = 0, axis: axes = None, "
             "keepdims: bool = False", module="_linalg", unlock="always",
             doc="The norm of vectors that several axes hold together; None: all of them.") */
cp_array *(cp_vector_norm)(cp_array *x, const cp_vector_norm_options *options)
{
    const cp_vector_norm_options *o = CPI_GIVEN(cp_vector_norm_options, options);
    bool mask[CP_MAXDIM];
    cpi_composite f;
    if (!cpi_begin(&f, "vector_norm", x)) return NULL;
    if (cpi_axes_mask("vector_norm", o->axis, cp_ndim(x), mask)) return cpi_end(&f, NULL);
    return cpi_end(&f, vector_norm(floating(x), o->kind, o->p, o->axis, o->keepdims));
}

/* --- from singular values --- */

/* Hermitian matrices of which the lower triangle is given; imaginary parts of the diagonal are not read. */
static cp_array *completed(const char *name, cp_array *a)
{
    if (cp_ndim(a) < 2)
        return cpi_fail(CP_ERROR_LINALG, "%s: %d-dimensional array given. Array must be at least two-dimensional", name,
                        cp_ndim(a)), NULL;
    int64_t n = cp_dim(a, -1);
    if (cp_dim(a, -2) != n)
        return cpi_fail(CP_ERROR_LINALG, "%s: Last 2 dimensions of the array must be square", name), NULL;
    cp_array *below = cp_tril(a, .k = -1), *above = cp_conjugate(cp_swapaxes(below, -1, -2));
    return cp_where(cp_eye(n, n, 0, CP_BOOL), cp_real_part(a), cp_add(below, above));
}

/*: function("hermitian", "a: array", module="_linalg", unlock="always",
             doc="""The Hermitian matrices of which the lower triangles and the real parts of the diagonals are
given.""") */
cp_array *cp_hermitian(cp_array *a)
{
    cpi_composite f;
    return cpi_begin(&f, "hermitian", a) ? cpi_end(&f, completed("hermitian", a)) : NULL;
}

/* Where nothing in the matrix is NaN and the ratio is, there was no inverse: infinity. */
static cp_array *ratio_checked(cp_array *r, cp_array *x)
{
    if (!r) return NULL;
    cp_array *given = cp_any(cp_isnan(x), .axis = CP_AXES(-2, -1));
    cp_type t = cp_type_of(r);
    cp_array *inf = t == CP_FLOAT32 ? cp_scalar(t, &(float){INFINITY}) : cp_scalar(t, &(double){INFINITY});
    return cp_where(cp_logical_and(cp_isnan(r), cp_logical_not(given)), inf, r);
}

/*: function("cond", "x: array, kind: norm_kind = 'default', p: double = 0", module="_linalg", unlock="always",
             doc="""The condition of each matrix: its norm times its inverse's; 'default': the ratio of the largest and
the smallest singular value. Infinite where a matrix is singular.""") */
cp_array *(cp_cond)(cp_array *x, const cp_cond_options *options)
{
    const cp_cond_options *o = CPI_GIVEN(cp_cond_options, options);
    bool ratio = o->kind == CP_NORM_DEFAULT || (o->kind == CP_NORM_NUMBER && fabs(o->p) == 2);
    cpi_composite f;
    if (!cpi_begin(&f, "cond", x)) return NULL;
    if (!cp_size(x) && cp_ndim(x) >= 2 && !(cp_dim(x, -1) && cp_dim(x, -2)))
        return cpi_end(&f, (cpi_fail(CP_ERROR_LINALG, "cond: cond is not defined on empty arrays"), NULL));
    if (ratio) {
        cp_array *s = cp_svdvals(x);
        if (!s) return cpi_end(&f, NULL);
        cp_array *most = cpi_range(s, cp_ndim(s) - 1, 0, 1), *least = cpi_range(s, cp_ndim(s) - 1, -1, INT64_MAX);
        bool transposed = o->kind == CP_NORM_NUMBER && o->p < 0;
        cp_array *r = transposed ? cp_divide(least, most) : cp_divide(most, least);
        return cpi_end(&f, r ? ratio_checked(cp_squeeze(r, CP_AXES(-1)), x) : NULL);
    }
    cp_type type = cp_type_of(x), wide = type == CP_FLOAT32 ? CP_FLOAT64 : type == CP_COMPLEX64 ? CP_COMPLEX128 : type;
    if (type != wide && !(x = cp_astype(x, wide))) return cpi_end(&f, NULL); /* inverses of tiny matrices overflow */
    cp_array *inverse = cp_inv(x, .quiet = true);
    cp_array *r = inverse ? cp_multiply(cp_norm(x, .kind = o->kind, .p = o->p, .axis = CP_AXES(-2, -1)),
                                        cp_norm(inverse, .kind = o->kind, .p = o->p, .axis = CP_AXES(-2, -1))) : NULL;
    r = ratio_checked(r, x);
    return cpi_end(&f, r && type != wide ? cp_astype(r, CP_FLOAT32) : r);
}

/*: function("matrix_rank",
             "A: array, tol: operand | None = None, hermitian: bool = False, *, rtol: operand | None = None",
             module="_linalg", unlock="always",
             doc="""How many singular values of each matrix are larger than tol, or than rtol times the largest (by
default the larger dimension times the machine epsilon).""") */
cp_array *(cp_matrix_rank)(cp_array *A, const cp_matrix_rank_options *options)
{
    const cp_matrix_rank_options *o = CPI_GIVEN(cp_matrix_rank_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "matrix_rank", A)) return NULL;
    if (o->tol && o->rtol)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "matrix_rank: `tol` and `rtol` can't be both set."), NULL));
    if (cp_ndim(A) < 2) return cpi_end(&f, cp_astype(cp_any(cp_not_equal(A, cp_int(0))), CP_INT64));
    cp_array *a = o->hermitian ? completed("matrix_rank", A) : A, *s = a ? cp_svdvals(a) : NULL, *tol = o->tol;
    if (!s) return cpi_end(&f, NULL);
    if (!tol) {
        double larger = (double)(cp_dim(A, -1) > cp_dim(A, -2) ? cp_dim(A, -1) : cp_dim(A, -2));
        double least = larger * (cp_type_of(s) == CP_FLOAT32 ? 0x1p-23 : 0x1p-52);
        cp_array *most = cp_max(s, .axis = CP_AXES(-1), .keepdims = true, .initial = cp_int(0));
        cp_array *rtol = o->rtol && cp_ndim(o->rtol) ? cp_expand_dims(o->rtol, CP_AXES(-1)) : o->rtol;
        if (o->rtol && !rtol) return cpi_end(&f, NULL);
        tol = cp_multiply(most, rtol ? rtol : cp_float(least));
    } else if (cp_ndim(tol)) tol = cp_expand_dims(tol, CP_AXES(-1));
    return cpi_end(&f, cp_count_nonzero(cp_greater(s, tol), .axis = CP_AXES(-1)));
}
