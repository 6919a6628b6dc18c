/* Linear algebra: shapes, types, errors and results. A call is one record for a slot; matrices there are dense,
 * row-major, of the computing type, and never empty: empty ones are handled here. */
#include "linalg/linalg.h"

#include "cuprite/linalg.h"
#include "operands/operands.h"

cp_code cpi_linalg_error(const char *function, int error)
{
    static const char *const text[] = {"",
#define X(name, text) text,
                                       CPI_LINALG_ERRORS(X)
#undef X
    };
    return error ? cpi_fail(CP_ERROR_LINALG, "%s: %s", function, text[error]) : CP_OK;
}

/* A call in progress: `l` for the slot, the operands as it gets them, and the shape of the batch. */
typedef struct call {
    cpi_linalg l;
    cpi_device *device;
    cp_array *a, *b;
    int ndim;
    int64_t shape[CP_MAXDIM];
} call;
typedef cp_code (*slot)(cp_stream *, const cpi_linalg *);

static cp_type real_of(cp_type t)
{
    return t == CP_COMPLEX64 ? CP_FLOAT32 : t == CP_COMPLEX128 ? CP_FLOAT64 : t;
}
static cp_type complex_of(cp_type t)
{
    return t == CP_FLOAT32 ? CP_COMPLEX64 : t == CP_FLOAT64 ? CP_COMPLEX128 : t;
}

/* The computing type of a matrix of this type; CP_NTYPES with an error where there is none. */
static cp_type computing(const char *name, const cp_array *x)
{
    if (cpi_is_int(x->type) || x->type == CP_BOOL) return CP_FLOAT64;
    if (x->type == CP_FLOAT32 || x->type == CP_FLOAT64 || cpi_is_complex(x->type)) return x->type;
    cpi_fail(CP_ERROR_TYPE, "%s: array type %s is unsupported in linalg", name, cp_type_name(x->type));
    return CP_NTYPES;
}
static cp_type computing_both(const char *name, const cp_array *x, const cp_array *y)
{
    cp_type t = computing(name, x), u = t == CP_NTYPES ? t : computing(name, y);
    return u == CP_NTYPES ? u : cp_promote(t, u);
}

static bool is_matrix(const char *name, const cp_array *x)
{
    if (x->ndim >= 2) return true;
    cpi_fail(CP_ERROR_LINALG, "%s: %d-dimensional array given. Array must be at least two-dimensional", name, x->ndim);
    return false;
}
static bool is_square(const char *name, const cp_array *x)
{
    if (!is_matrix(name, x)) return false;
    if (x->shape[x->ndim - 1] == x->shape[x->ndim - 2]) return true;
    cpi_fail(CP_ERROR_LINALG, "%s: Last 2 dimensions of the array must be square", name);
    return false;
}

static int64_t product(int n, const int64_t *shape)
{
    int64_t p = 1; /* of a part of an array's shape that has elements, or 0 */
    for (int i = 0; i < n; i++) p *= shape[i];
    return p;
}

/* The record for matrices x of a type; false with an error. */
static bool opened(call *c, const char *name, cp_array *x, cp_type type)
{
    *c = (call){.l = {.function = name, .type = type}};
    if (type == CP_NTYPES || !(c->device = cpi_common_device(name, 1, &x))) return false;
    c->ndim = x->ndim - 2;
    memcpy(c->shape, x->shape, (size_t)c->ndim * sizeof *c->shape);
    c->l.m = x->shape[c->ndim];
    c->l.n = x->shape[c->ndim + 1];
    c->l.batch = x->size ? product(c->ndim, c->shape) : 0;
    if (!(c->a = cpi_dense(name, x, type, c->device))) return false;
    c->l.a = c->a->data;
    return true;
}
/* The same of any matrices, or of square ones. */
static bool open_matrix(call *c, const char *name, cp_array *x, bool square)
{
    *c = (call){0};
    if (cpi_null(name, x) || !(square ? is_square(name, x) : is_matrix(name, x))) return false;
    return opened(c, name, x, computing(name, x));
}

static void closed(call *c)
{
    cp_free(c->a);
    cp_free(c->b);
}

/* A new array: for each matrix `n` axes of these lengths. */
static cp_array *result(call *c, cp_type type, int n, int64_t first, int64_t second)
{
    int64_t shape[CP_MAXDIM + 2];
    memcpy(shape, c->shape, (size_t)c->ndim * sizeof *shape);
    if (n > 0) shape[c->ndim] = first;
    if (n > 1) shape[c->ndim + 1] = second;
    return cpi_array_new(c->l.function, c->device, type, c->ndim + n, shape, 'C');
}

/* Runs the slot unless there is nothing to compute; false with an error. */
static bool run_slot(call *c, size_t which)
{
    if (!c->l.batch || !c->l.m || !c->l.n) return true;
    slot f;
    memcpy(&f, (const char *)c->device->backend->linalg + which, sizeof f);
    return f(cpi_stream(c->device), &c->l) == CP_OK;
}
#define SLOT(name) offsetof(cpi_linalg_ops, name)

/* Stores the n results of a call through the non-NULL pointers, or NULL in all of them on failure. Ends the call. */
static cp_code finished(call *c, bool good, int n, cp_array *const *made, cp_array **const *to)
{
    for (int i = 0; i < n; i++) {
        if (!good || !to[i]) cp_free(made[i]);
        if (to[i]) *to[i] = good ? made[i] : NULL;
    }
    closed(c);
    return good ? CP_OK : cp_error();
}
static cp_array *finish_one(call *c, bool good, cp_array *made)
{
    if (!good) cp_free(made);
    closed(c);
    return good ? made : NULL;
}
/* Fills x with one number, or with unit matrices. */
static bool filled(cp_array *x, double value)
{
    if (!x || !x->size) return x != NULL;
    cp_array *v = cp_float(value);
    bool good = v && cp_fill(x, v) == CP_OK;
    cp_free(v);
    return good;
}
static bool made_unit(cp_array *x)
{
    if (!x || !x->size) return x != NULL;
    int before = cp_device_current();
    if (before == CP_NO_DEVICE || (before != cp_device_of(x) && cp_device_use(cp_device_of(x)))) return false;
    cp_array *one = cp_eye(x->shape[x->ndim - 2], x->shape[x->ndim - 1], 0, x->type);
    bool good = one && cp_assign(x, one) == CP_OK;
    cp_free(one);
    if (before != cp_device_of(x)) cp_device_use(before);
    return good;
}

/* --- systems --- */
/* A number of leading axes that matrices and right sides share. */
static bool shared_batch(call *c, const char *name, const cp_array *a, int bdim, const int64_t *bshape)
{
    c->ndim = a->ndim - 2;
    memcpy(c->shape, a->shape, (size_t)c->ndim * sizeof *c->shape);
    return cpi_broadcast(name, &c->ndim, c->shape, bdim, bshape) == CP_OK;
}

/* Matrices a (square) and right sides b; a b of `vector` is one vector. */
static bool open_system(call *c, const char *name, cp_array *a, cp_array *b, bool vector)
{
    int64_t shape[CP_MAXDIM + 2], n = a->shape[a->ndim - 1];
    cp_array *const both[2] = {a, b};
    cp_type type = computing_both(name, a, b);
    *c = (call){.l = {.function = name, .type = type, .m = n, .n = n}};
    if (type == CP_NTYPES || !(c->device = cpi_common_device(name, 2, both))) return false;
    if (!shared_batch(c, name, a, vector ? 0 : b->ndim - 2, b->shape)) return false;
    c->l.k = vector ? 1 : b->shape[b->ndim - 1];
    c->l.batch = c->l.k ? product(c->ndim, c->shape) : 0;
    memcpy(shape, c->shape, (size_t)c->ndim * sizeof *shape);
    shape[c->ndim] = shape[c->ndim + 1] = n;
    if (!(c->a = cpi_dense_shaped(name, a, type, c->device, c->ndim + 2, shape))) return false;
    shape[c->ndim + 1] = c->l.k;
    cp_array *wide = NULL;
    if (vector && c->ndim) { /* a vector for each of many matrices: it is a column before it is broadcast */
        wide = cpi_array_view(b, b->type, 2, (int64_t[]){n, 1}, (int64_t[]){b->strides[0], 0}, b->data);
        if (!wide) return false;
    }
    c->b = wide || !vector ? cpi_dense_shaped(name, wide ? wide : b, type, c->device, c->ndim + 2, shape)
                           : cpi_dense(name, b, type, c->device);
    cp_free(wide);
    c->l.a = c->a->data;
    c->l.b = c->b ? c->b->data : NULL;
    return c->b != NULL;
}

static bool rows_fit(const char *name, const cp_array *a, const cp_array *b, bool vector)
{
    int64_t n = a->shape[a->ndim - 1], have = b->shape[vector ? 0 : b->ndim - 2];
    if (n == have) return true;
    cpi_fail(CP_ERROR_VALUE,
             "%s: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature %s (size %lld is "
             "different from %lld)",
             name, vector ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)", (long long)have, (long long)n);
    return false;
}

static cp_array *solved(call *c, size_t which, bool vector)
{
    cp_array *x = c->b ? result(c, c->l.type, vector ? 1 : 2, c->l.m, c->l.k) : NULL;
    if (x) c->l.x = x->data;
    return finish_one(c, x && run_slot(c, which), x);
}

/* Checks a matrix where there are no right sides to solve for: a singular matrix is an error all the same. */
static bool is_invertible(cp_array *a)
{
    cp_array *inverse = (cp_inv)(a, NULL);
    cp_free(inverse);
    return inverse != NULL;
}

cp_array *cp_solve(cp_array *a, cp_array *b)
{
    call c = {0};
    if (cpi_null("solve", a) || cpi_null("solve", b) || !is_square("solve", a)) return NULL;
    if (!b->ndim)
        return cpi_fail(CP_ERROR_VALUE, "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core "
                        "with signature (m,m),(m,n)->(m,n) requires 2)"), NULL;
    bool vector = b->ndim == 1;
    if (computing_both("solve", a, b) == CP_NTYPES) return NULL;
    if (!rows_fit("solve", a, b, vector) || !open_system(&c, "solve", a, b, vector)) return closed(&c), NULL;
    if (!c.l.k && product(c.ndim, c.shape) && !is_invertible(a)) return closed(&c), NULL;
    return solved(&c, SLOT(solve), vector);
}

cp_array *(cp_inv)(cp_array *a, const cp_inv_options *options)
{
    call c;
    cp_array *x = open_matrix(&c, "inv", a, true) ? result(&c, c.l.type, 2, c.l.n, c.l.n) : NULL;
    c.l.quiet = options && options->quiet;
    if (x) c.l.x = x->data;
    return finish_one(&c, x && run_slot(&c, SLOT(inv)), x);
}

cp_array *cp_det(cp_array *a)
{
    call c;
    cp_array *x = open_matrix(&c, "det", a, true) ? result(&c, c.l.type, 0, 0, 0) : NULL;
    if (x) c.l.x = x->data;
    return finish_one(&c, x && (c.l.n ? run_slot(&c, SLOT(det)) : filled(x, 1)), x);
}

cp_code cp_slogdet(cp_array *a, cp_array **sign, cp_array **logabsdet)
{
    call c;
    cp_array *made[2] = {NULL, NULL};
    bool good = open_matrix(&c, "slogdet", a, true) && (made[0] = result(&c, c.l.type, 0, 0, 0)) &&
                (made[1] = result(&c, real_of(c.l.type), 0, 0, 0));
    if (good) c.l.u = made[0]->data, c.l.s = made[1]->data;
    good = good && (c.l.n ? run_slot(&c, SLOT(det)) : filled(made[0], 1) && filled(made[1], 0));
    return finished(&c, good, 2, made, (cp_array **[]){sign, logabsdet});
}

/* --- factors --- */
cp_array *(cp_cholesky)(cp_array *a, const cp_cholesky_options *options)
{
    call c;
    cp_array *x = open_matrix(&c, "cholesky", a, true) ? result(&c, c.l.type, 2, c.l.n, c.l.n) : NULL;
    c.l.upper = options && options->upper;
    if (x) c.l.x = x->data;
    return finish_one(&c, x && run_slot(&c, SLOT(cholesky)), x);
}

cp_code (cp_qr)(cp_array *a, cp_array **q, cp_array **r, const cp_qr_options *options)
{
    call c;
    cp_qr_mode mode = options ? options->mode : CP_QR_REDUCED;
    cp_array *made[2] = {NULL, NULL};
    if ((unsigned)mode > CP_QR_RAW) return cpi_fail(CP_ERROR_VALUE, "qr: Unrecognized mode '%d'", (int)mode);
    bool good = open_matrix(&c, "qr", a, false);
    int64_t m = c.l.m, n = c.l.n, least = m < n ? m : n, rows = mode == CP_QR_COMPLETE ? m : least;
    c.l.mode = (cpi_qr_mode)mode;
    if (good && mode == CP_QR_RAW) {
        good = (made[0] = result(&c, c.l.type, 2, n, m)) && (made[1] = result(&c, c.l.type, 1, least, 0));
        if (good) c.l.x = made[0]->data, c.l.s = made[1]->data;
    } else if (good) {
        good = (made[1] = result(&c, c.l.type, 2, rows, n)) != NULL;
        if (good && mode != CP_QR_R) good = (made[0] = result(&c, c.l.type, 2, m, rows)) != NULL;
        if (good) c.l.x = made[1]->data, c.l.u = made[0] ? made[0]->data : NULL;
    }
    if (good && !n && mode == CP_QR_COMPLETE) good = made_unit(made[0]);
    return finished(&c, good && run_slot(&c, SLOT(qr)), 2, made, (cp_array **[]){q, r});
}

cp_array *cp_qr_r(cp_array *a)
{
    cp_array *q = NULL, *r = NULL;
    (cp_qr)(a, &q, &r, &(cp_qr_options){.mode = CP_QR_R});
    return r;
}

static cp_code singular_values(const char *name, cp_array *a, cp_array **u, cp_array **s, cp_array **vt, bool full)
{
    call c;
    cp_array *made[3] = {NULL, NULL, NULL};
    bool good = open_matrix(&c, name, a, false), vectors = u || vt;
    int64_t m = c.l.m, n = c.l.n, least = m < n ? m : n;
    c.l.full = full;
    good = good && (made[1] = result(&c, real_of(c.l.type), 1, least, 0));
    if (good && vectors)
        good = (made[0] = result(&c, c.l.type, 2, m, full ? m : least)) &&
               (made[2] = result(&c, c.l.type, 2, full ? n : least, n));
    if (good) c.l.s = made[1]->data;
    if (good && vectors) c.l.u = made[0]->data, c.l.vt = made[2]->data;
    if (good && vectors && !least) good = made_unit(made[0]) && made_unit(made[2]);
    good = good && run_slot(&c, SLOT(svd));
    return finished(&c, good, 3, made, (cp_array **[]){u, s, vt});
}

cp_code (cp_svd)(cp_array *a, cp_array **u, cp_array **s, cp_array **vt, const cp_svd_options *options)
{
    return singular_values("svd", a, u, s, vt, options && options->full);
}
cp_array *cp_svdvals(cp_array *a)
{
    cp_array *s = NULL;
    singular_values("svdvals", a, NULL, &s, NULL, false);
    return s;
}

/* --- spectra --- */
static cp_code spectrum(const char *name, cp_array *a, cp_array **w, cp_array **v, bool hermitian, bool upper)
{
    call c;
    cp_array *made[2] = {NULL, NULL};
    bool good = open_matrix(&c, name, a, true);
    c.l.upper = upper;
    good = good && (made[0] = result(&c, hermitian ? real_of(c.l.type) : complex_of(c.l.type), 1, c.l.n, 0));
    if (good && v) good = (made[1] = result(&c, hermitian ? c.l.type : complex_of(c.l.type), 2, c.l.n, c.l.n)) != NULL;
    if (good) c.l.s = made[0]->data, c.l.u = v ? made[1]->data : NULL;
    good = good && run_slot(&c, hermitian ? SLOT(eigh) : SLOT(eig));
    return finished(&c, good, 2, made, (cp_array **[]){w, v});
}

cp_code (cp_eigh)(cp_array *a, cp_array **w, cp_array **v, const cp_eigh_options *options)
{
    return spectrum("eigh", a, w, v, true, options && options->upper);
}
cp_array *(cp_eigvalsh)(cp_array *a, const cp_eigh_options *options)
{
    cp_array *w = NULL;
    spectrum("eigvalsh", a, &w, NULL, true, options && options->upper);
    return w;
}
cp_code cp_eig(cp_array *a, cp_array **w, cp_array **v) { return spectrum("eig", a, w, v, false, false); }
cp_array *cp_eigvals(cp_array *a)
{
    cp_array *w = NULL;
    spectrum("eigvals", a, &w, NULL, false, false);
    return w;
}

/* Which eigenvalues were chosen, n numbers for each matrix. */
static cp_array *chosen_positions(const call *c, cp_array *chosen)
{
    bool good = chosen->ndim == c->ndim + 1 && chosen->type == CP_BOOL;
    for (int d = 0; good && d <= c->ndim; d++) good = chosen->shape[d] == c->shape[d];
    if (good) return cpi_dense_shaped("schur", chosen, CP_INT32, c->device, c->ndim + 1, c->shape);
    return cpi_fail(CP_ERROR_VALUE, "schur: chosen must be bool, as many as there are eigenvalues"), NULL;
}

cp_code (cp_schur)(cp_array *a, cp_array **t, cp_array **z, const cp_schur_options *options)
{
    const cp_schur_options *o = CPI_GIVEN(cp_schur_options, options);
    call c;
    cp_array *made[3] = {NULL, NULL, NULL};
    if ((unsigned)o->sort > CP_SCHUR_OUC)
        return cpi_fail(CP_ERROR_VALUE, "schur: %d is no way to sort", (int)o->sort);
    if (o->sort && o->chosen) return cpi_fail(CP_ERROR_VALUE, "schur: sort and chosen are two ways to say the same");
    const bool sorted = o->sort || o->chosen;
    cp_array *chosen = NULL;
    bool good = open_matrix(&c, "schur", a, true) && (made[0] = result(&c, c.l.type, 2, c.l.n, c.l.n)) &&
                (made[1] = result(&c, c.l.type, 2, c.l.n, c.l.n));
    if (good && sorted) good = (made[2] = result(&c, CP_INT32, 0, 0, 0)) != NULL;
    if (good && o->chosen) {
        c.shape[c.ndim] = c.l.n;
        good = (chosen = chosen_positions(&c, o->chosen)) != NULL;
        if (good) c.l.pivots_in = (const int32_t *)(const void *)chosen->data;
    }
    if (good) c.l.x = made[0]->data, c.l.u = made[1]->data;
    if (good && sorted) c.l.sort = (cpi_schur_sort)o->sort, c.l.pivots = (int32_t *)(void *)made[2]->data;
    if (good && sorted && !c.l.n) good = filled(made[2], 0);
    good = good && run_slot(&c, SLOT(schur));
    cp_free(chosen);
    return finished(&c, good, 3, made, (cp_array **[]){t, z, o->sdim});
}

/* --- LU factors and triangles --- */
static cp_code factored(const char *name, cp_array *a, cp_array **lu, cp_array **pivot_rows, bool rows)
{
    call c;
    cp_array *made[3] = {NULL, NULL, NULL};
    bool good = open_matrix(&c, name, a, false);
    int64_t least = c.l.m < c.l.n ? c.l.m : c.l.n;
    good = good && (made[0] = result(&c, c.l.type, 2, c.l.m, c.l.n)) &&
           (made[1] = result(&c, CP_INT32, 1, rows ? c.l.m : least, 0)) &&
           (!rows || (made[2] = result(&c, CP_INT32, 1, least, 0)));
    if (good) {
        c.l.x = made[0]->data;
        c.l.pivots = (int32_t *)(void *)made[rows ? 2 : 1]->data;
        c.l.rows = rows ? (int32_t *)(void *)made[1]->data : NULL;
    }
    if (good && rows && !c.l.n && made[1]->size) { /* no rows were exchanged */
        cp_array *order = cp_arange_int(0, c.l.m, 1, CP_INT32);
        good = order && cp_assign(made[1], order) == CP_OK;
        cp_free(order);
    }
    good = good && run_slot(&c, SLOT(lu));
    return finished(&c, good, 3, made, (cp_array **[]){lu, pivot_rows, NULL});
}
cp_code cp_lu_factor(cp_array *a, cp_array **lu, cp_array **piv) { return factored("lu_factor", a, lu, piv, false); }
cp_code cp_lu_rows(cp_array *a, cp_array **lu, cp_array **rows) { return factored("lu_rows", a, lu, rows, true); }

/* Right sides as SciPy takes them: a 1-d b is one vector. */
static bool open_sides(call *c, const char *name, cp_array *a, cp_array *b, int trans)
{
    if (a->ndim < 2 || a->shape[a->ndim - 1] != a->shape[a->ndim - 2])
        return cpi_fail(CP_ERROR_VALUE, "%s: expected square matrix", name), false;
    if (!b->ndim || a->shape[a->ndim - 1] != b->shape[b->ndim == 1 ? 0 : b->ndim - 2])
        return cpi_fail(CP_ERROR_VALUE, "%s: incompatible dimensions", name), false;
    if (trans < 0 || trans > 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: trans is 0, 1 or 2, not %d", name, trans), false;
    bool good = open_system(c, name, a, b, b->ndim == 1);
    c->l.trans = (cpi_trans)trans;
    return good;
}

cp_array *cp_lu_solve(cp_array *lu, cp_array *piv, cp_array *b, int trans)
{
    call c = {0};
    if (cpi_null("lu_solve", lu) || cpi_null("lu_solve", piv) || cpi_null("lu_solve", b)) return NULL;
    if (!open_sides(&c, "lu_solve", lu, b, trans)) return closed(&c), NULL;
    int64_t shape[CP_MAXDIM + 1];
    memcpy(shape, c.shape, (size_t)c.ndim * sizeof *shape);
    shape[c.ndim] = c.l.n;
    cp_array *p = NULL;
    if (piv->ndim != lu->ndim - 1 || piv->shape[piv->ndim - 1] != c.l.n || !cpi_is_int(piv->type))
        cpi_fail(CP_ERROR_VALUE, "lu_solve: piv has not one index for each row of lu");
    else p = cpi_dense_shaped("lu_solve", piv, CP_INT32, c.device, c.ndim + 1, shape);
    if (!p) return closed(&c), NULL;
    c.l.pivots_in = (const int32_t *)(const void *)p->data;
    cp_array *x = solved(&c, SLOT(lu_solve), b->ndim == 1);
    cp_free(p);
    return x;
}

cp_array *(cp_solve_triangular)(cp_array *a, cp_array *b, const cp_solve_triangular_options *options)
{
    const cp_solve_triangular_options *o = CPI_GIVEN(cp_solve_triangular_options, options);
    call c = {0};
    if (cpi_null("solve_triangular", a) || cpi_null("solve_triangular", b)) return NULL;
    if (!open_sides(&c, "solve_triangular", a, b, o->trans)) return closed(&c), NULL;
    c.l.upper = !o->lower;
    c.l.unit = o->unit_diagonal;
    return solved(&c, SLOT(triangular), b->ndim == 1);
}
