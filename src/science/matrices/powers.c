/* Products of many matrices, powers and exponentials, pseudo-inverses and least squares. */
#include "compose/compose.h"
#include "move/move.h"
#include "operands/operands.h"

#include <math.h>
#include <string.h>

static cp_array *conjugate_transposed(cp_array *a) { return a ? cp_conjugate(cp_swapaxes(a, -1, -2)) : NULL; }
static bool is_stack_of_squares(const char *name, const cp_array *a)
{
    if (cp_ndim(a) < 2)
        cpi_fail(CP_ERROR_LINALG, "%s: %d-dimensional array given. Array must be at least two-dimensional", name,
                 cp_ndim(a));
    else if (cp_dim(a, -1) != cp_dim(a, -2))
        cpi_fail(CP_ERROR_LINALG, "%s: Last 2 dimensions of the array must be square", name);
    else return true;
    return false;
}

/*: function("matrix_power", "a: array, n: int64", module="_linalg", unlock="always",
             doc="The n-th power of square matrices, by squaring; of negative n of their inverses.") */
cp_array *cp_matrix_power(cp_array *a, int64_t n)
{
    cpi_composite f;
    if (!cpi_begin(&f, "matrix_power", a)) return NULL;
    if (!is_stack_of_squares("matrix_power", a)) return cpi_end(&f, NULL);
    if (!n) {
        cp_array *r = cp_empty((cp_shape){cp_ndim(a), cp_dims(a)}, cp_type_of(a));
        cp_array *one = cp_eye(cp_dim(a, -1), cp_dim(a, -1), 0, cp_type_of(a));
        return cpi_end(&f, r && one && cp_assign(r, one) == CP_OK ? r : NULL);
    }
    cp_array *z = n < 0 ? cp_inv(a) : cp_slice(a, 1, &CP_ELLIPSIS), *r = NULL;
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    if (left == 3) return cpi_end(&f, cp_matmul(cp_matmul(z, z), z)); /* NumPy's order */
    for (; left && z; left >>= 1) {
        if (left & 1) r = r ? cp_matmul(r, z) : z;
        if (left > 1) z = cp_matmul(z, z);
        if (!r && (left & 1)) break;
    }
    return cpi_end(&f, z ? r : NULL);
}

/* --- by Cholesky's factors --- */
static cp_array *solve_factored(cp_array *c, cp_array *b, bool lower)
{
    cp_array *y = cp_solve_triangular(c, b, .lower = lower, .trans = lower ? 0 : 2);
    return y ? cp_solve_triangular(c, y, .lower = lower, .trans = lower ? 2 : 0) : NULL;
}

/*: function("cho_solve", "c: array, b: array, lower: bool = False", module="_linalg", unlock="always",
             doc="x with c^H c x = b or, `lower`, with c c^H x = b, for triangular c of which one half is read.") */
cp_array *(cp_cho_solve)(cp_array *c, cp_array *b, const cp_cho_solve_options *options)
{
    cpi_composite f;
    if (cpi_null("cho_solve", b) || !cpi_begin(&f, "cho_solve", c)) return NULL;
    if (cp_ndim(c) < 2 || cp_dim(c, -1) != cp_dim(c, -2))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "cho_solve: The factored matrix c is not square."), NULL));
    return cpi_end(&f, solve_factored(c, b, options && options->lower));
}

/*: function("invh", "a: array", module="_linalg", unlock="always",
             doc="The inverse of each positive definite Hermitian matrix, of which only the lower half is read.") */
cp_array *cp_invh(cp_array *a)
{
    cpi_composite f;
    if (!cpi_begin(&f, "invh", a)) return NULL;
    if (!is_stack_of_squares("invh", a)) return cpi_end(&f, NULL);
    cp_array *c = cp_cholesky(a), *one = c ? cp_eye(cp_dim(a, -1), cp_dim(a, -1), 0, cp_type_of(c)) : NULL;
    cp_array *every = one ? cp_broadcast_to(one, (cp_shape){cp_ndim(a), cp_dims(a)}) : NULL;
    return cpi_end(&f, every ? solve_factored(c, every, true) : NULL);
}

/* --- products of several matrices --- */
enum { MULTI_DOT_MOST = 512 };
typedef struct multi_dot {
    int n;
    cp_array **at;
    int32_t *split;  /* of matrices i..j, at [i * n + j]: the last one of the left factor */
    double *cost;
} multi_dot;

/* The cheapest order for every subsequence of factors, shorter ones first (Cormen, Leiserson, Rivest, Stein, 15.2). */
static void find_splits(const multi_dot *c)
{
    int n = c->n;
    for (int i = 0; i < n; i++) c->cost[i * n + i] = 0;
    for (int length = 1; length < n; length++)
        for (int i = 0; i + length < n; i++) {
            int j = i + length;
            c->cost[i * n + j] = INFINITY;
            for (int k = i; k < j; k++) {
                double q = c->cost[i * n + k] + c->cost[(k + 1) * n + j] +
                           (double)cp_dim(c->at[i], 0) * (double)cp_dim(c->at[k], 1) * (double)cp_dim(c->at[j], 1);
                if (q < c->cost[i * n + j]) c->cost[i * n + j] = q, c->split[i * n + j] = k;
            }
        }
}
static cp_array *multi_product(const multi_dot *c, int i, int j, cp_array *out)
{
    if (i == j) return c->at[i];
    int k = c->split[i * c->n + j];
    cp_array *left = multi_product(c, i, k, NULL), *right = left ? multi_product(c, k + 1, j, NULL) : NULL;
    return right ? cp_dot(left, right, .out = out) : NULL;
}

/* The factors of a product; vectors at the ends become a row and a column. */
static bool take_product(multi_dot *c, cp_array *const *arrays)
{
    for (int i = 0; i < c->n; i++) {
        if (cpi_null("multi_dot", arrays[i])) return false;
        c->at[i] = arrays[i];
        if (cp_ndim(arrays[i]) == 1 && (i == 0 || i == c->n - 1))
            c->at[i] = cp_expand_dims(arrays[i], CP_AXES(i ? 1 : 0));
        if (!c->at[i]) return false;
        if (cp_ndim(c->at[i]) != 2)
            return cpi_fail(CP_ERROR_LINALG, "multi_dot: %d-dimensional array given. Array must be two-dimensional",
                            cp_ndim(c->at[i])), false;
        if (i && cp_dim(c->at[i - 1], 1) != cp_dim(c->at[i], 0)) /* says which shapes do not fit */
            return cp_dot(c->at[i - 1], c->at[i]), false;
    }
    return true;
}

/*: function("multi_dot", "arrays: arrays, *, out: out = None", module="_linalg", unlock="always",
             doc="The product of two or more matrices in the cheapest order; the first and the last may be vectors.") */
cp_array *(cp_multi_dot)(int n, cp_array *const *arrays, const cp_multi_dot_options *options)
{
    cpi_composite f;
    cp_array *out = options ? options->out : NULL, *r = NULL;
    if (n < 2) return cpi_fail(CP_ERROR_VALUE, "multi_dot: Expecting at least two arrays."), NULL;
    if (n > MULTI_DOT_MOST) return cpi_fail(CP_ERROR_VALUE, "multi_dot: at most %d arrays", MULTI_DOT_MOST), NULL;
    if (cpi_null("multi_dot", arrays) || !cpi_begin(&f, "multi_dot", arrays[0])) return NULL;
    if (n == 2) return cpi_end(&f, cp_dot(arrays[0], arrays[1], .out = out));
    size_t indices = (size_t)n * (size_t)n;
    multi_dot c = {.n = n, .at = cpi_calloc((size_t)n, sizeof *c.at), .split = cpi_calloc(indices, sizeof *c.split),
                   .cost = cpi_calloc(indices, sizeof *c.cost)};
    if (c.at && c.split && c.cost && take_product(&c, arrays)) {
        bool row = cp_ndim(arrays[0]) == 1, column = cp_ndim(arrays[n - 1]) == 1;
        find_splits(&c);
        r = multi_product(&c, 0, n - 1, row || column ? NULL : out);
        if (r && (row || column)) {
            r = row && column ? cp_reshape(r, CP_SHAPE0) : cp_ravel(r);
            if (r && out) r = cpi_apply_1(CP_OP_positive, r, out);
        }
    }
    cpi_free_host(c.at), cpi_free_host(c.split), cpi_free_host(c.cost);
    return cpi_end(&f, r);
}

/* --- by singular values --- */
/* 1 / s where s is larger than rcond times the largest of its matrix, else 0; *large (NULL: not wanted) says where. */
static cp_array *reciprocals(cp_array *s, cp_array *rcond, cp_array **large)
{
    cp_array *zero = cp_int(0), *one = cp_int(1); /* an initial value of NULL would mean none */
    cp_array *most = zero ? cp_max(s, .axis = CP_AXES(-1), .keepdims = true, .initial = zero) : NULL;
    cp_array *limit = rcond && cp_ndim(rcond) ? cp_expand_dims(rcond, CP_AXES(-1)) : rcond;
    cp_array *counts = limit ? cp_greater(s, cp_multiply(limit, most)) : NULL;
    if (large) *large = counts;
    return counts && zero && one ? cp_where(counts, cp_divide(one, cp_where(counts, s, one)), zero) : NULL;
}
static double epsilon_of(cp_type t) { return t == CP_FLOAT32 || t == CP_COMPLEX64 ? 0x1p-23 : 0x1p-52; }
/* V diag(1/s) U^H, where U^H may already be multiplied by something. */
static cp_array *applied(cp_array *vt, cp_array *inverse, cp_array *right)
{
    if (!vt || !inverse || !right) return NULL;
    return cp_matmul(conjugate_transposed(vt), cp_multiply(cp_expand_dims(inverse, CP_AXES(-1)), right));
}

/*: function("pinv", "a: array, rcond: operand | None = None", module="_linalg", unlock="always",
             doc="""Moore and Penrose's inverse of each matrix: singular values of at most rcond (1e-15) times the
largest count as 0.""") */
cp_array *(cp_pinv)(cp_array *a, const cp_pinv_options *options)
{
    cpi_composite f;
    if (!cpi_begin(&f, "pinv", a)) return NULL;
    cp_array *u = NULL, *s = NULL, *vt = NULL, *rcond = options && options->rcond ? options->rcond : cp_float(1e-15);
    if (!rcond || cp_svd(a, &u, &s, &vt)) return cpi_end(&f, NULL);
    cp_array *inverse = reciprocals(s, rcond, NULL);
    cp_array *r = applied(vt, inverse, conjugate_transposed(u));
    return cpi_end(&f, r && cp_type_of(r) != cp_type_of(u) ? cp_astype(r, cp_type_of(u)) : r);
}

/* Matrices a and b (a column where `vector`) of one type, or NULL with an error. */
static bool least_squares_operands(cp_array **a, cp_array **b, bool *vector)
{
    *vector = cp_ndim(*b) == 1;
    if (*vector && !(*b = cp_expand_dims(*b, CP_AXES(1)))) return false;
    const cp_array *bad = cp_ndim(*a) != 2 ? *a : cp_ndim(*b) != 2 ? *b : NULL;
    if (bad)
        cpi_fail(CP_ERROR_LINALG, "lstsq: %d-dimensional array given. Array must be two-dimensional", cp_ndim(bad));
    else if (cp_dim(*a, 0) != cp_dim(*b, 0)) cpi_fail(CP_ERROR_LINALG, "lstsq: Incompatible dimensions");
    else return true;
    return false;
}
/* The computing type of a matrix of this type; CP_NTYPES with an error where there is none. */
static cp_type linalg_type(const char *name, const cp_array *x)
{
    cp_type t = cp_type_of(x);
    if (!cpi_is_half(t)) return cpi_is_int(t) || t == CP_BOOL ? CP_FLOAT64 : t;
    cpi_fail(CP_ERROR_TYPE, "%s: array type %s is unsupported in linalg", name, cp_type_name(t));
    return CP_NTYPES;
}

/* rcond, the fraction of the largest singular value below which others count as 0; LAPACK's rule for values outside [0,
 * 1]. NULL with an error. */
static cp_array *share_of(cp_array *rcond, cp_type type, int64_t larger)
{
    double share;
    if (!rcond) return cp_float(epsilon_of(type) * (double)larger);
    if (cp_size(rcond) != 1)
        return cpi_fail(CP_ERROR_VALUE, "lstsq: rcond is one number, not %lld", (long long)cp_size(rcond)), NULL;
    if (cp_type_kind(cp_type_of(rcond)) == 'c')
        return cpi_fail(CP_ERROR_TYPE, "lstsq: rcond is a real number, not %s", cp_type_name(cp_type_of(rcond))), NULL;
    if (cpi_item_as("lstsq", rcond, CP_FLOAT64, &share)) return NULL;
    return cp_float(share <= 0 || share >= 1 ? epsilon_of(type) : share);
}

/* The results of lstsq in the caller's scope: [x, residuals, rank, s]. */
static bool least_squares(cp_array *a, cp_array *b, cp_array *rcond, cp_array **found)
{
    cp_array *u = NULL, *s = NULL, *vt = NULL, *large = NULL;
    bool vector;
    if (!least_squares_operands(&a, &b, &vector)) return false;
    cp_type type = linalg_type("lstsq", a), other = type == CP_NTYPES ? type : linalg_type("lstsq", b);
    if (other == CP_NTYPES) return false;
    type = cp_promote(type, other);
    int64_t m = cp_dim(a, 0), n = cp_dim(a, 1), full = 0;
    if (!(rcond = share_of(rcond, type, m > n ? m : n))) return false;
    if (cp_type_of(a) != type && !(a = cp_astype(a, type))) return false;
    if (cp_type_of(b) != type && !(b = cp_astype(b, type))) return false;
    if (cp_svd(a, &u, &s, &vt)) return false;
    cp_array *inverse = reciprocals(s, rcond, &large), *r = applied(vt, inverse, cp_matmul(conjugate_transposed(u), b));
    cp_array *rank = large ? cp_count_nonzero(large) : NULL;
    cp_type real = cp_type_of(s);
    if (!r || !rank) return false;
    cp_array *rest = NULL;
    if (m > n && cpi_item_as("lstsq", rank, CP_INT64, &full)) return false; /* the shape depends on it */
    if (m > n && full == n) {
        cp_array *gap = cp_subtract(b, cp_matmul(a, r));
        rest = cpi_is_complex(type) && gap ? cp_add(cp_square(cp_real_part(gap)), cp_square(cp_imag_part(gap)))
                                           : cp_square(gap);
        rest = cp_sum(rest, .axis = CP_AXES(0));
    } else rest = cp_empty(CP_SHAPE(0), real);
    found[0] = vector ? cp_reshape(r, CP_SHAPE(n)) : r;
    found[1] = rest;
    found[2] = cp_astype(rank, CP_INT32);
    found[3] = s;
    return found[0] && found[1] && found[2];
}

/*: function("lstsq", "a: array, b: array, rcond: operand | None", module="_linalg", unlock="always",
             returns="(x, residuals, rank, s)",
             doc="""x with |b - a x| least, the sums of squares that are left (none where a has not full rank, or no
more rows than columns), the rank, and a's singular values, of which those of at most rcond times the largest count as
0; of an rcond that is not between 0 and 1 the distance of 1 to the next number.""") */
cp_code cp_lstsq(cp_array *a, cp_array *b, cp_array *rcond, cp_array **x, cp_array **residuals, cp_array **rank,
                 cp_array **s)
{
    cpi_composite f;
    cp_array *found[4] = {NULL}, **const to[4] = {x, residuals, rank, s};
    for (int i = 0; i < 4; i++)
        if (to[i]) *to[i] = NULL;
    if (cpi_null("lstsq", b) || !cpi_begin(&f, "lstsq", a)) return cp_error();
    bool good = least_squares(a, b, rcond, found);
    for (int i = 0; i < 4 && good; i++)
        if (to[i]) *to[i] = cp_keep(found[i]);
    cpi_end(&f, NULL);
    for (int i = 0; i < 4 && good; i++)
        if (to[i]) cpi_into_scope(*to[i]);
    return good ? CP_OK : cp_error();
}

/* --- exponentials --- */
/* Coefficients of the numerator of the [13/13] approximant, and the 1-norm up to which it has float64's accuracy
 * (Higham, The scaling and squaring method for the matrix exponential revisited, 2005). */
static const double PADE[] = {64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800.,
                              129060195264000.,   10559470521600.,    670442572800.,     33522128640.,
                              1323241920.,        40840800.,          960960.,           16380.,
                              182.,               1.};
#define PADE_NORM 5.371920351148152

/* The sum of c[i] x[i], i < n. */
static cp_array *combined(int n, const double *c, cp_array *const *x)
{
    cp_array *r = NULL;
    for (int i = 0; i < n; i++) {
        cp_array *term = x[i] ? cp_multiply(x[i], cp_float(c[i])) : NULL;
        r = r && term ? cp_add(r, term) : term;
        if (!r) return NULL;
    }
    return r;
}

/* exp of matrices of a small norm. */
static cp_array *approximant(cp_array *a)
{
    cp_array *one = cp_eye(cp_dim(a, -1), cp_dim(a, -1), 0, cp_type_of(a)), *a2 = cp_matmul(a, a);
    cp_array *a4 = cp_matmul(a2, a2), *a6 = cp_matmul(a4, a2), *p[4] = {a6, a4, a2, one};
    const double *b = PADE;
    cp_array *u = cp_matmul(a6, combined(3, (double[]){b[13], b[11], b[9]}, p));
    u = cp_matmul(a, cp_add(u, combined(4, (double[]){b[7], b[5], b[3], b[1]}, p)));
    cp_array *v = cp_matmul(a6, combined(3, (double[]){b[12], b[10], b[8]}, p));
    v = cp_add(v, combined(4, (double[]){b[6], b[4], b[2], b[0]}, p));
    cp_array *below = cp_subtract(v, u), *above = cp_add(v, u);
    return below && above ? cp_solve(below, above) : NULL;
}

/*: function("expm", "a: array_like", module="_linalg", unlock="always",
             doc="""The exponentials of square matrices, by Pade's approximant and squaring; how often is read from the
device.""") */
cp_array *cp_expm(cp_array *a)
{
    cpi_composite f;
    if (!cpi_begin(&f, "expm", a)) return NULL;
    if (cp_ndim(a) < 2)
        return cpi_end(&f, (cpi_fail(CP_ERROR_LINALG, "expm: The input array must be at least two-dimensional"), NULL));
    if (!is_stack_of_squares("expm", a)) return cpi_end(&f, NULL);
    cp_type type = linalg_type("expm", a);
    if (type == CP_NTYPES) return cpi_end(&f, NULL);
    if (!cp_size(a)) return cpi_end(&f, cp_empty((cp_shape){cp_ndim(a), cp_dims(a)}, type));
    if (cp_type_of(a) != type) a = cp_astype(a, type);
    if (!a || cp_dim(a, -1) == 1) return cpi_end(&f, cp_exp(a));
    cp_array *norm = cp_max(cp_sum(cp_absolute(a), .axis = CP_AXES(-2), .keepdims = true), .axis = CP_AXES(-1),
                            .keepdims = true);
    cp_array *times = cp_maximum(cp_ceil(cp_log2(cp_divide(norm, cp_float(PADE_NORM)))), cp_int(0));
    times = times ? cp_where(cp_isfinite(norm), times, cp_zeros(CP_SHAPE0, cp_type_of(times))) : NULL;
    cp_array *most = cp_max(times);
    if (!most) return cpi_end(&f, NULL);
    int64_t rounds = 0;
    if (cpi_item_as("expm", most, CP_INT64, &rounds)) return cpi_end(&f, NULL);
    cp_array *r = approximant(rounds ? cp_multiply(a, cp_exp2(cp_negative(times))) : a);
    for (int64_t i = 0; i < rounds && r; i++) {
        cp_array *square = cp_matmul(r, r), *again = cp_greater(times, cp_int(i));
        r = square && again ? cp_where(again, square, r) : NULL;
    }
    return cpi_end(&f, r);
}
