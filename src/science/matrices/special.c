/* Special matrices: Toeplitz, companion, Hilbert and others. */
#include "backend/array.h"
#include "compose/compose.h"
#include "move/move.h"

#include <math.h>
#include <string.h>

/* x with at least one axis, or two: a view. */
static cp_array *at_least(cp_array *x, int ndim)
{
    if (!x) return NULL;
    if (cp_ndim(x) >= ndim) return cp_slice(x, 1, &CP_ELLIPSIS);
    if (cp_ndim(x) == 1) return cp_reshape(x, CP_SHAPE(1, cp_size(x)));
    return ndim == 1 ? cp_reshape(x, CP_SHAPE(1)) : cp_reshape(x, CP_SHAPE(1, 1));
}
static cp_array *last_from(cp_array *x, int64_t from, int64_t to)
{
    return x ? cpi_range(x, cp_ndim(x) - 1, from, to) : NULL;
}
static cp_array *joined_last(cp_array *a, cp_array *b)
{
    cp_array *both[2] = {a, b};
    return a && b ? cp_concatenate(2, both, cp_ndim(a) - 1) : NULL;
}
/* Element (y, x) is that at index y * row + x + first of the last axis: a copy. */
static cp_array *by_diagonals(cp_array *values, int64_t rows, int64_t columns, int64_t row, int64_t first)
{
    int64_t shape[CP_MAXDIM + 1], strides[CP_MAXDIM + 1];
    if (!(values = values ? cp_contiguous(values) : NULL)) return NULL;
    int nd = values->ndim;
    if (nd == CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "toeplitz: too many dimensions"), NULL;
    if (!rows || !columns) {
        memcpy(shape, values->shape, (size_t)nd * sizeof *shape);
        shape[nd - 1] = rows, shape[nd] = columns;
        return cp_empty((cp_shape){nd + 1, shape}, values->type);
    }
    memcpy(shape, values->shape, (size_t)nd * sizeof *shape);
    memcpy(strides, values->strides, (size_t)nd * sizeof *strides);
    int64_t step = (int64_t)cpi_itemsize(values->type);
    shape[nd - 1] = rows, shape[nd] = columns;
    strides[nd - 1] = row * step, strides[nd] = step;
    cp_array *view = cpi_array_view(values, values->type, nd + 1, shape, strides, values->data + first * step);
    return view ? cp_copy(view) : NULL;
}

/* The Toeplitz matrix of a first column and a first row, whose first element is the column's. */
static cp_array *toeplitz_of(cp_array *c, cp_array *r)
{
    if (!c || !r) return NULL;
    int64_t n = cp_dim(c, -1), m = cp_dim(r, -1);
    return by_diagonals(joined_last(cp_flip(c, CP_AXES(-1)), last_from(r, 1, INT64_MAX)), n, m, -1, n ? n - 1 : 0);
}

/*: function("toeplitz", "c: array_like, r: array_like = None", module="_linalg",
             doc="""Matrices of constant diagonals, of their first columns and rows (default: the column's conjugate),
which lie along the last axes.""") */
cp_array *(cp_toeplitz)(cp_array *c, const cp_toeplitz_options *options)
{
    cp_array *r = options ? options->r : NULL;
    cpi_composite f;
    if (!cpi_begin(&f, "toeplitz", c)) return NULL;
    c = at_least(c, 1);
    return cpi_end(&f, toeplitz_of(c, r ? at_least(r, 1) : c && cpi_is_complex(c->type) ? cp_conjugate(c) : c));
}

/*: function("circulant", "c: array_like", module="_linalg",
             doc="Matrices of which each column is the one before it, moved on by one and around.") */
cp_array *cp_circulant(cp_array *c)
{
    cpi_composite f;
    if (!cpi_begin(&f, "circulant", c)) return NULL;
    c = at_least(c, 1);
    cp_array *row = joined_last(last_from(c, 0, 1), last_from(cp_flip(c, CP_AXES(-1)), 0, -1));
    return cpi_end(&f, toeplitz_of(c, c && cp_dim(c, -1) ? row : c));
}

/*: function("hankel", "c: array_like, r: array_like = None", module="_linalg",
             doc="The matrix of constant antidiagonals of a first column and a last row (default: zeros).") */
cp_array *(cp_hankel)(cp_array *c, const cp_hankel_options *options)
{
    cp_array *r = options ? options->r : NULL;
    cpi_composite f;
    if (!cpi_begin(&f, "hankel", c)) return NULL;
    c = cp_ravel(c);
    r = r ? cp_ravel(r) : c ? cp_zeros_like(c, CP_DEFAULT) : NULL;
    if (!c || !r) return cpi_end(&f, NULL);
    return cpi_end(&f, by_diagonals(joined_last(c, last_from(r, 1, INT64_MAX)), cp_size(c), cp_size(r), 1, 0));
}

/* x[..., rows, columns] = value */
static bool assign_block(cp_array *x, cp_index rows, cp_index columns, cp_array *value)
{
    cp_array *part = x && value ? cp_slice(x, CP_ITEMS(CP_ELLIPSIS, rows, columns)) : NULL;
    return part && cp_assign(part, value) == CP_OK;
}
/* The k-th diagonal of the last two axes, every `step`-th element from `from` on, = value. */
static bool put_diagonal(cp_array *x, int64_t k, int64_t from, int64_t step, cp_array *value)
{
    cp_array *d = x && value ? cp_diagonal(x, k, -2, -1) : NULL;
    if (!d || (from >= cp_dim(d, -1))) return d != NULL;
    int64_t strides[CP_MAXDIM], shape[CP_MAXDIM];
    memcpy(strides, d->strides, (size_t)d->ndim * sizeof *strides);
    memcpy(shape, d->shape, (size_t)d->ndim * sizeof *shape);
    int last = d->ndim - 1;
    shape[last] = (shape[last] - from + step - 1) / step;
    cp_array *part = cpi_array_view(x, x->type, d->ndim, shape,
                                    (strides[last] *= step, strides), d->data + from * d->strides[last]);
    return part && cp_assign(part, value) == CP_OK;
}
static cp_array *zeros_of(cp_array *like, int64_t rows, int64_t columns, cp_type type)
{
    int64_t shape[CP_MAXDIM + 1];
    int nd = cp_ndim(like);
    if (nd == CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "companion: too many dimensions"), NULL;
    memcpy(shape, cp_dims(like), (size_t)nd * sizeof *shape);
    shape[nd - 1] = rows, shape[nd] = columns;
    return cp_zeros((cp_shape){nd + 1, shape}, type);
}

/*: function("companion", "a: array_like", module="_linalg",
             doc="The companion matrices of polynomials, highest power first, whose leading coefficients are not 0.") */
cp_array *cp_companion(cp_array *a)
{
    cpi_composite f;
    if (!cpi_begin(&f, "companion", a)) return NULL;
    a = at_least(a, 1);
    if (!a) return cpi_end(&f, NULL);
    int64_t n = cp_dim(a, -1);
    if (n < 2)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "companion: The length of `a` along the last axis must be at "
                                     "least 2."), NULL));
    cp_array *first = last_from(a, 0, 1), *zero = cp_any(cp_equal(first, cp_int(0)));
    int64_t vanishes = 0;
    if (!zero || cpi_item_as("companion", zero, CP_INT64, &vanishes)) return cpi_end(&f, NULL);
    if (vanishes)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "companion: The first coefficient(s) of `a` (i.e. elements of "
                                     "`a[..., 0]`) must not be zero."), NULL));
    cp_array *row = cp_divide(cp_negative(last_from(a, 1, INT64_MAX)), first);
    cp_array *c = row ? zeros_of(a, n - 1, n - 1, cp_type_of(row)) : NULL;
    bool good = assign_block(c, CP_AT(0), CP_FULL, row) && put_diagonal(c, -1, 0, 1, cp_int(1));
    return cpi_end(&f, good ? c : NULL);
}

/*: function("fiedler_companion", "a: array_like", module="_linalg",
             doc="The pentadiagonal companion matrix of a polynomial, highest power first.") */
cp_array *cp_fiedler_companion(cp_array *a)
{
    cpi_composite f;
    if (!cpi_begin(&f, "fiedler_companion", a)) return NULL;
    a = at_least(a, 1);
    if (!a || cp_ndim(a) != 1)
        return cpi_end(&f, (a ? (void)cpi_fail(CP_ERROR_VALUE, "fiedler_companion: Input 'a' must be 1-D array.")
                              : (void)0, NULL));
    int64_t n = cp_size(a) - 1;
    if (n < 1) return cpi_end(&f, cp_empty(CP_SHAPE(0, 0), cp_type_of(a)));
    cp_array *first = last_from(a, 0, 1), *zero = cp_equal(first, cp_int(0));
    int64_t vanishes = 0;
    if (!zero || cpi_item_as("fiedler_companion", zero, CP_INT64, &vanishes)) return cpi_end(&f, NULL);
    if (vanishes)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "fiedler_companion: Leading coefficient is zero."), NULL));
    cp_array *b = cp_negative(cp_divide(a, first)); /* the matrix' entries */
    if (n == 1) return cpi_end(&f, b ? cp_reshape(last_from(b, 1, 2), CP_SHAPE(1, 1)) : NULL);
    cp_array *c = b ? cp_zeros(CP_SHAPE(n, n), cp_type_of(b)) : NULL, *one = cp_int(1);
    bool good = put_diagonal(c, -2, 1, 2, one) && put_diagonal(c, 2, 0, 2, one);
    for (int64_t i = 2; i <= n && good; i++) /* beside the diagonal, alternately below and above it */
        good = i % 2 ? assign_block(c, CP_AT(i - 1), CP_AT(i - 2), last_from(b, i, i + 1))
                     : assign_block(c, CP_AT(i - 2), CP_AT(i - 1), last_from(b, i, i + 1));
    good = good && assign_block(c, CP_AT(0), CP_AT(0), last_from(b, 1, 2)) && assign_block(c, CP_AT(1), CP_AT(0), one);
    return cpi_end(&f, good ? c : NULL);
}

/*: function("fiedler", "a: array_like", module="_linalg", doc="The distances |a[i] - a[j]|.") */
cp_array *cp_fiedler(cp_array *a)
{
    cpi_composite f;
    if (!cpi_begin(&f, "fiedler", a)) return NULL;
    a = at_least(a, 1);
    if (a && !cp_size(a)) return cpi_end(&f, cp_empty(CP_SHAPE(0), CP_FLOAT64));
    if (a && cp_size(a) == 1) return cpi_end(&f, cp_zeros(CP_SHAPE(1, 1), CP_FLOAT64));
    return cpi_end(&f, a ? cp_absolute(cp_subtract(cp_expand_dims(a, CP_AXES(-1)), cp_expand_dims(a, CP_AXES(-2))))
                         : NULL);
}

/*: function("leslie", "f: array_like, s: array_like", module="_linalg",
             doc="The matrix of a population's growth: fertilities in the first row, survival below the diagonal.") */
cp_array *cp_leslie(cp_array *f, cp_array *s)
{
    cpi_composite composite;
    if (cpi_null("leslie", s) || !cpi_begin(&composite, "leslie", f)) return NULL;
    f = at_least(f, 1), s = at_least(s, 1);
    if (!f || !s) return cpi_end(&composite, NULL);
    if (cp_ndim(f) != 1 || cp_ndim(s) != 1 || cp_size(f) != cp_size(s) + 1)
        return cpi_end(&composite,
                       (cpi_fail(CP_ERROR_VALUE, "leslie: Incorrect lengths for f and s. The length of s along "
                                                 "the last axis must be one less than the length of f."),
                        NULL));
    if (!cp_size(s))
        return cpi_end(&composite, (cpi_fail(CP_ERROR_VALUE, "leslie: The length of s must be at least 1."), NULL));
    cp_array *m = cp_zeros(CP_SHAPE(cp_size(f), cp_size(f)), cp_promote(cp_type_of(f), cp_type_of(s)));
    bool good = assign_block(m, CP_AT(0), CP_FULL, f) && put_diagonal(m, -1, 0, 1, s);
    return cpi_end(&composite, good ? m : NULL);
}

/*: words("convolution_size", "full valid same", c="cp_convolution_size",
          values="CP_CONVOLUTION_FULL CP_CONVOLUTION_VALID CP_CONVOLUTION_SAME") */
/*: function("convolution_matrix", "a: array_like, n: int64, mode: convolution_size = 'full'", module="_linalg",
             doc="The matrix by which convolve(a, v, mode) is a product with v, of n elements.") */
cp_array *(cp_convolution_matrix)(cp_array *a, int64_t n, const cp_convolution_matrix_options *options)
{
    cp_convolution_size mode = options ? options->mode : CP_CONVOLUTION_FULL;
    cpi_composite f;
    if (!cpi_begin(&f, "convolution_matrix", a)) return NULL;
    if (n <= 0)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "convolution_matrix: n must be a positive integer."), NULL));
    if (!cp_ndim(a) || !cp_size(a))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "convolution_matrix: len(a) must be at least 1."), NULL));
    int64_t shape[CP_MAXDIM], m = cp_dim(a, -1), least = m < n ? m : n;
    int64_t cut = mode == CP_CONVOLUTION_FULL ? 0 : least - 1;
    int64_t before = mode == CP_CONVOLUTION_SAME ? cut / 2 : cut;
    memcpy(shape, cp_dims(a), (size_t)cp_ndim(a) * sizeof *shape);
    shape[cp_ndim(a) - 1] = n - 1;
    cp_array *zeros = cp_zeros((cp_shape){cp_ndim(a), shape}, cp_type_of(a));
    /* Row y of the whole is a reversed, its first element in column y: n - 1 zeros on both sides. */
    cp_array *line = joined_last(joined_last(zeros, cp_flip(a, CP_AXES(-1))), zeros);
    int64_t rows = m + n - 1 - (mode == CP_CONVOLUTION_SAME ? cut : 2 * cut);
    return cpi_end(&f, by_diagonals(line, rows, n, -1, m + n - 2 - before));
}

/*: function("block_diag", "*arrs: arrays", module="_linalg",
             doc="Matrices along the diagonal of one, the rest 0; axes before the last two broadcast.") */
cp_array *cp_block_diag(int n, cp_array *const *arrs)
{
    cpi_composite f;
    int64_t shape[CP_MAXDIM + 2], rows = 0, columns = 0;
    int nd = 0;
    if (n < 1) return cp_zeros(CP_SHAPE(1, 0), CP_FLOAT64);
    if (cpi_null("block_diag", arrs) || !cpi_begin(&f, "block_diag", arrs[0])) return NULL;
    cp_array **list = cpi_calloc((size_t)n, sizeof *list), *r = NULL;
    bool good = list != NULL;
    cp_type type = CP_NTYPES;
    for (int i = 0; good && i < n; i++) {
        if (!(good = !cpi_null("block_diag", arrs[i]) && (list[i] = at_least(arrs[i], 2)))) break;
        int own = cp_ndim(list[i]) - 2;
        good = cpi_broadcast("block_diag", &nd, shape, own, cp_dims(list[i])) == CP_OK;
        rows += cp_dim(list[i], -2), columns += cp_dim(list[i], -1);
        type = i ? cp_promote(type, cp_type_of(list[i])) : cp_type_of(list[i]);
    }
    shape[nd] = rows, shape[nd + 1] = columns;
    good = good && (r = cp_zeros((cp_shape){nd + 2, shape}, type));
    for (int64_t i = 0, y = 0, x = 0; good && i < n; i++) {
        int64_t h = cp_dim(list[i], -2), w = cp_dim(list[i], -1);
        good = !h || !w || assign_block(r, CP_RANGE(y, y + h), CP_RANGE(x, x + w), list[i]);
        y += h, x += w;
    }
    cpi_free_host(list);
    return cpi_end(&f, good ? r : NULL);
}

/*: function("khatri_rao", "a: array_like, b: array_like", module="_linalg",
             doc="Kronecker's products of the columns of two matrices, column by column.") */
cp_array *cp_khatri_rao(cp_array *a, cp_array *b)
{
    cpi_composite f;
    if (cpi_null("khatri_rao", b) || !cpi_begin(&f, "khatri_rao", a)) return NULL;
    if (cp_ndim(a) != 2 || cp_ndim(b) != 2)
        return cpi_end(&f, (cpi_fail(CP_ERROR_LINALG, "khatri_rao: The both arrays should be 2-dimensional."), NULL));
    if (cp_dim(a, 1) != cp_dim(b, 1))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "khatri_rao: The number of columns for both arrays should be "
                                     "equal."), NULL));
    cp_array *r = cp_multiply(cp_expand_dims(a, CP_AXES(1)), cp_expand_dims(b, CP_AXES(0)));
    return cpi_end(&f, r ? cp_reshape(r, CP_SHAPE(cp_dim(a, 0) * cp_dim(b, 0), cp_dim(a, 1))) : NULL);
}

/* --- matrices of a size --- */
static cp_array *indices(int64_t n) { return cp_arange_int(0, n, 1, CP_INT64); }
static cp_array *column(cp_array *x) { return x ? cp_expand_dims(x, CP_AXES(1)) : NULL; }
/* A call where no operand determines the device. */
static bool begin_here(cpi_composite *f, const char *name, int64_t n)
{
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: negative dimensions are not allowed", name), false;
    return cpi_begin_alone(f);
}

/*: function("hilbert", "n: int64", module="_linalg", doc="The matrix 1 / (1 + i + j).") */
cp_array *cp_hilbert(int64_t n)
{
    cpi_composite f;
    if (!begin_here(&f, "hilbert", n)) return NULL;
    cp_array *i = cp_arange_int(1, n + 1, 1, CP_INT64);
    return cpi_end(&f, cp_divide(cp_int(1), cp_add(column(i), indices(n))));
}

/*: function("helmert", "n: int64, full: bool = False", module="_linalg",
             doc="Helmert's matrix without its constant first row, or, `full`, with it.") */
cp_array *(cp_helmert)(int64_t n, const cp_helmert_options *options)
{
    cpi_composite f;
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "helmert: n must be a positive integer"), NULL;
    if (!begin_here(&f, "helmert", n)) return NULL;
    cp_array *i = column(cp_arange_int(0, n, 1, CP_FLOAT64)), *j = cp_arange_int(0, n, 1, CP_FLOAT64);
    cp_array *h = cp_subtract(cp_astype(cp_less(j, i), CP_FLOAT64), cp_multiply(cp_equal(i, j), i));
    cp_array *d = cp_multiply(i, cp_add(i, cp_int(1)));
    bool good =
        assign_block(h, CP_AT(0), CP_FULL, cp_int(1)) && assign_block(d, CP_AT(0), CP_AT(0), cp_float((double)n));
    cp_array *r = good ? cp_divide(h, cp_sqrt(d)) : NULL;
    return cpi_end(&f, r && !(options && options->full) ? cpi_range(r, 0, 1, INT64_MAX) : r);
}

/*: function("hadamard", "n: int64, dtype: dtype = None", module="_linalg",
             doc="Sylvester's matrix of 1 and -1, n a power of 2; int64 unless the dtype is another.") */
cp_array *(cp_hadamard)(int64_t n, const cp_hadamard_options *options)
{
    cpi_composite f;
    cp_type type = options && options->typed ? options->dtype : CP_INT64;
    if (n < 1 || n & (n - 1))
        return cpi_fail(CP_ERROR_VALUE, "hadamard: n must be an positive integer, and n must be a power of 2"), NULL;
    if (!begin_here(&f, "hadamard", n)) return NULL;
    cp_array *h = cp_ones(CP_SHAPE(1, 1), type);
    for (int64_t i = 1; i < n && h; i *= 2) {
        cp_array *upper[2] = {h, h}, *lower[2] = {h, cp_negative(h)};
        cp_array *both[2] = {cp_hstack(2, upper), lower[1] ? cp_hstack(2, lower) : NULL};
        h = both[0] && both[1] ? cp_vstack(2, both) : NULL;
    }
    return cpi_end(&f, h);
}

/*: words("dft_scale", "one sqrtn n", c="cp_dft_scale", values="CP_DFT_ONE CP_DFT_ROOT CP_DFT_SIZE") */
/*: function("dft", "n: int64, scale: dft_scale = 'one'", module="_linalg",
             doc="The matrix of the discrete Fourier transform, divided by the root of n, or by n, where `scale` is.")
*/
cp_array *(cp_dft)(int64_t n, const cp_dft_options *options)
{
    cp_dft_scale scale = options ? options->scale : CP_DFT_ONE;
    cpi_composite f;
    if (n > INT32_MAX) return cpi_fail(CP_ERROR_VALUE, "dft: array is too big"), NULL;
    if (!begin_here(&f, "dft", n)) return NULL;
    cp_array *turns = cp_remainder(cp_multiply(column(indices(n)), indices(n)), cp_int(n ? n : 1)); /* exact */
    cp_array *angle = cp_multiply(turns, cp_float(-2 * M_PI / (double)(n ? n : 1)));
    cp_array *m = cp_exp(cp_multiply(angle, cp_complex(0, 1)));
    if (scale == CP_DFT_ROOT) m = cp_divide(m, cp_float(sqrt((double)n)));
    if (scale == CP_DFT_SIZE) m = cp_divide(m, cp_float((double)n));
    return cpi_end(&f, m);
}
