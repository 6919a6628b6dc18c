/* Eigenvalues by locally optimal block preconditioned conjugate gradients: A. V. Knyazev, SIAM J. Sci. Comput. 23
 * (2001).
 *
 * A step searches the space of the block x, its preconditioned residuals and the last step's directions p. What is
 * dependent in it is found, and left out, by the eigenvalues of its Gram matrix (A. Stathopoulos and K. Wu, SIAM J.
 * Sci. Comput. 23, 2002), so that converged columns need not be taken out. Blocks stay on the device; the small problem
 * is the CPU's, for which each step waits, and once more for the residuals. Invariant: x is b-orthonormal. */
#include <math.h>

#include "operands/operands.h"
#include "sparse/krylov.h"
#include "sparse/linear.h"

enum { FRESH = 16 }; /* steps after which products of x are made anew: until then they are sums of others */

typedef struct block { cp_array *v, *a, *b; } block; /* columns, and their products with a and b; of no scope */
typedef struct lobpcg {
    const char *name;
    const cp_sparse_lobpcg_options *o;
    cpi_linear a, b, m;
    bool with_b, with_m;
    int64_t n, k, steps;
    cp_type type;
    double tol, residual;
    block x, p;
    cp_array *w;            /* the eigenvalues, (k), float64 */
    cp_array *y, *by, *gram; /* columns to be orthogonal to, b times them, products of both; of the call's scope */
} lobpcg;

static bool put_block(block *to, cp_array *v, cp_array *a, cp_array *b)
{
    return cpi_krylov_put(&to->v, v) && cpi_krylov_put(&to->a, a) && cpi_krylov_put(&to->b, b);
}
static cp_array *adjoint_of(cp_array *x)
{
    cp_array *turned = x ? cp_transpose(x, CP_ALL) : NULL;
    return turned && cpi_is_complex(x->type) ? cp_conjugate(turned) : turned;
}
static cp_array *times_b(const lobpcg *l, cp_array *v)
{
    return !v ? NULL : l->with_b ? cpi_linear_times(&l->b, v) : cp_copy(v);
}
/* v without its parts along x, of which bx is the product, and along y. */
static cp_array *apart(const lobpcg *l, cp_array *v)
{
    if (v && l->y) {
        cp_array *part = cp_solve(l->gram, cp_matmul(adjoint_of(l->by), v));
        v = part ? cp_subtract(v, cp_matmul(l->y, part)) : NULL;
    }
    if (!v || !l->x.v) return v;
    return cp_subtract(v, cp_matmul(l->x.v, cp_matmul(adjoint_of(l->x.b), v)));
}

/* --- the small problem, on the CPU --- */

static cp_array *on_cpu(const lobpcg *l, cp_array *x)
{
    cp_array *wide = x ? cp_astype(x, cpi_sparse_number(l->type)) : NULL;
    return wide ? cp_to_device(wide, CP_CPU) : NULL;
}
/* Columns that make the Gram matrix 1, without what is dependent. NULL on failure, or, without an error, where fewer
 * than k are left. */
static cp_array *independent(const lobpcg *l, cp_array *gram, int64_t m)
{
    cp_array *diagonal = cp_real_part(cp_diagonal(gram, 0, 0, 1)), *some = cp_greater(diagonal, cp_float(0));
    cp_array *root = some ? cp_sqrt(cp_where(some, diagonal, cp_float(1))) : NULL;
    cp_array *by = root ? cp_where(some, cp_divide(cp_float(1), root), cp_float(0)) : NULL;
    cp_array *down = by ? cp_reshape(by, CP_SHAPE(m, 1)) : NULL, *sizes = NULL, *v = NULL;
    cp_array *scaled = down ? cp_multiply(cp_multiply(gram, by), down) : NULL;
    if (!scaled || cp_eigh(scaled, &sizes, &v) != CP_OK) return NULL;
    const double least = cp_item_float(cp_max(sizes)) * 10 * cpi_sparse_epsilon(l->type) * (double)m;
    const int64_t count = cp_item_int(cp_sum(cp_greater(sizes, cp_float(least))));
    if (cp_error() != CP_OK || count < l->k) return NULL;
    sizes = cp_slice(sizes, CP_ITEMS(CP_RANGE(m - count, m)));
    v = cp_slice(v, CP_ITEMS(CP_FULL, CP_RANGE(m - count, m)));
    return cp_multiply(cp_divide(v, cp_sqrt(sizes)), down);
}
/* The coefficients (m, k) of the wanted vectors in the columns whose products these are, and their eigenvalues. *few:
 * where there are fewer independent columns than that. */
static cp_array *solve_small(const lobpcg *l, cp_array *of_a, cp_array *gram, cp_array **values, bool *few)
{
    const int64_t m = of_a->shape[0], k = l->k;
    const double size = cp_item_float(cp_add(cp_sum(cp_absolute(of_a)), cp_sum(cp_absolute(gram))));
    *few = false;
    if (cp_error() != CP_OK) return NULL;
    if (!isfinite(size)) return cpi_fail(CP_ERROR_VALUE, "%s: products must be finite", l->name), NULL;
    cp_array *t = independent(l, gram, m), *w = NULL, *z = NULL;
    *few = !t && cp_error() == CP_OK;
    cp_array *inner = t ? cp_matmul(adjoint_of(t), cp_matmul(of_a, t)) : NULL;
    if (!inner || cp_eigh(inner, &w, &z) != CP_OK) return NULL;
    const int64_t q = w->shape[0];
    const cp_index wanted = l->o->smallest ? CP_RANGE(0, k) : (cp_index){CP_IX_SLICE, q - 1, q - 1 - k, -1,
                                                                       q > k ? CP_HAS_START | CP_HAS_STOP
                                                                             : CP_HAS_START, NULL};
    *values = cp_copy(cp_slice(w, 1, &wanted));
    return *values ? cp_matmul(t, cp_slice(z, CP_ITEMS(CP_FULL, wanted))) : NULL;
}
/* The same for blocks of the device. */
static cp_array *solve_blocks(const lobpcg *l, const block *s, cp_array **values, bool *few)
{
    cp_array *of_a = on_cpu(l, cp_matmul(adjoint_of(s->v), s->a)), *gram = on_cpu(l, cp_matmul(adjoint_of(s->v), s->b));
    const int there = cp_device_current();
    cp_array *w = NULL, *c = NULL;
    if (!of_a || !gram || there == CP_NO_DEVICE || cp_device_use(CP_CPU) != CP_OK) return NULL;
    c = solve_small(l, of_a, gram, &w, few);
    if (cp_device_use(there) != CP_OK || !c) return NULL;
    *values = cp_to_device(w, there);
    c = cp_astype(c, l->type);
    return c && *values ? cp_to_device(c, there) : NULL;
}

/* --- steps --- */

static cp_array *joined(cp_array *x, cp_array *w, cp_array *p)
{
    cp_array *const all[3] = {x, w, p};
    return x && w ? cp_concatenate(p ? 3 : 2, all, 1) : NULL;
}
/* x and p of the coefficients in the columns s, of which the first k are x. */
static bool combine(lobpcg *l, const block *s, cp_array *c)
{
    const int64_t m = c->shape[0], k = l->k;
    block x = {cp_matmul(s->v, c), cp_matmul(s->a, c), l->with_b ? cp_matmul(s->b, c) : NULL}, p = {NULL, NULL, NULL};
    if (m > k) {
        cp_array *rest = cp_contiguous(cp_slice(c, CP_ITEMS(CP_RANGE(k, m))));
        const cp_index columns[2] = {CP_FULL, CP_RANGE(k, m)};
        p.v = cp_matmul(cp_slice(s->v, 2, columns), rest);
        p.a = cp_matmul(cp_slice(s->a, 2, columns), rest);
        p.b = l->with_b ? cp_matmul(cp_slice(s->b, 2, columns), rest) : times_b(l, p.v);
        if (!put_block(&l->p, p.v, p.a, p.b)) return false;
    }
    const bool fresh = l->steps % FRESH == FRESH - 1;
    if (fresh) x.a = cpi_linear_times(&l->a, x.v);
    if (fresh || !l->with_b) x.b = times_b(l, x.v);
    return put_block(&l->x, x.v, x.a, x.b);
}
/* The greatest norm of a residual; the residuals. NULL on failure. */
static cp_array *residuals(lobpcg *l)
{
    cp_array *w = cp_astype(l->w, cpi_sparse_single(l->type) ? CP_FLOAT32 : CP_FLOAT64);
    cp_array *r = w ? cp_subtract(l->x.a, cp_multiply(l->x.b, w)) : NULL;
    cp_array *size = r ? cp_astype(cp_absolute(r), CP_FLOAT64) : NULL;
    cp_array *most = size ? cp_max(cp_sum(cp_multiply(size, size), .axis = CP_AXES(0))) : NULL;
    if (!most) return NULL;
    l->residual = sqrt(cp_item_float(most));
    return cp_error() == CP_OK ? r : NULL;
}
static cp_array *precondition(const lobpcg *l, cp_array *r)
{
    if (l->o->apply) return cpi_sparse_called(l->name, "apply", l->o->apply, l->o->context, r, l->n, l->type);
    return l->with_m ? cpi_linear_times(&l->m, r) : r;
}
/* A step; false on failure. *ends where the residuals are small enough, or nothing is left to search. */
static bool step(lobpcg *l, int64_t maxiter, bool *ends)
{
    cp_array *r = residuals(l);
    if (!r) return false;
    *ends = !(l->residual > l->tol) || l->steps >= maxiter;
    if (*ends) return true;
    cp_array *v = apart(l, precondition(l, r)), *a = v ? cpi_linear_times(&l->a, v) : NULL, *b = times_b(l, v);
    cp_array *w = NULL;
    if (!a || !b) return false;
    block s = {joined(l->x.v, v, l->p.v), joined(l->x.a, a, l->p.a), NULL};
    s.b = l->with_b ? joined(l->x.b, b, l->p.b) : s.v;
    bool few = false;
    cp_array *c = s.v && s.a && s.b ? solve_blocks(l, &s, &w, &few) : NULL;
    if (few) return *ends = true, true;
    if (!c || !combine(l, &s, c) || !cpi_krylov_put(&l->w, w)) return false;
    l->steps++;
    return true;
}
static bool begin(lobpcg *l, cp_array *x)
{
    const cp_sparse_lobpcg_options *o = l->o;
    if (o->y && o->y->shape[1]) {
        l->y = cp_astype(o->y, l->type), l->by = times_b(l, l->y);
        l->gram = l->by ? cp_matmul(adjoint_of(l->y), l->by) : NULL;
        if (!l->gram) return false;
    }
    cp_array *v = apart(l, cp_astype(x, l->type)), *a = v ? cpi_linear_times(&l->a, v) : NULL, *b = times_b(l, v);
    const block s = {v, a, b};
    cp_array *w = NULL;
    bool few = false;
    cp_array *c = a && b ? solve_blocks(l, &s, &w, &few) : NULL;
    if (few)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must have linearly independent columns, and b be positive definite",
                        l->name) == CP_OK;
    return c && combine(l, &s, c) && cpi_krylov_put(&l->w, w);
}
static bool run_steps(lobpcg *l, cp_array *x)
{
    const int64_t maxiter = l->o->maxiter ? l->o->maxiter : 20;
    cp_scope *first = cp_scope_begin();
    bool good = first != NULL, ends = false;
    l->tol = l->o->tol > 0 ? l->o->tol : sqrt(cpi_sparse_epsilon(l->type)) * (double)l->n;
    good = good && begin(l, x);
    while (good && !ends) {
        cp_scope *scope = cp_scope_begin();
        good = scope && step(l, maxiter, &ends);
        cp_scope_end(scope);
    }
    cp_scope_end(first);
    return good && cp_error() == CP_OK;
}

/* --- the call --- */

static cp_code check(lobpcg *l, cp_array *x)
{
    const cp_sparse_lobpcg_options *o = l->o;
    const int64_t n = l->a.rows;
    if (l->a.columns != n)
        return cpi_fail(CP_ERROR_VALUE, "%s: a must be square, not (%lld, %lld)", l->name, (long long)n,
                        (long long)l->a.columns);
    if (x->ndim != 2 || x->shape[0] != n || x->shape[1] < 1 || x->shape[1] > n)
        return cpi_fail(CP_ERROR_VALUE, "%s: x must be 2-D and have %lld rows, and 1 to %lld columns", l->name,
                        (long long)n, (long long)n);
    if (o->y && (o->y->ndim != 2 || o->y->shape[0] != n || o->y->shape[1] + x->shape[1] > n))
        return cpi_fail(CP_ERROR_VALUE, "%s: y must be 2-D and have %lld rows, and at most %lld columns", l->name,
                        (long long)n, (long long)(n - x->shape[1]));
    if ((o->b && (o->b->rows != n || o->b->columns != n)) || (o->m && (o->m->rows != n || o->m->columns != n)))
        return cpi_fail(CP_ERROR_VALUE, "%s: b and m must have a's shape", l->name);
    if (o->m && o->apply) return cpi_fail(CP_ERROR_VALUE, "%s: m and apply exclude each other", l->name);
    if (o->tol != o->tol) return cpi_fail(CP_ERROR_VALUE, "%s: tol must not be NaN", l->name);
    if (o->maxiter < 0) return cpi_fail(CP_ERROR_VALUE, "%s: maxiter must not be negative", l->name);
    l->n = n, l->k = x->shape[1], l->with_b = o->b, l->with_m = o->m;
    l->type = cpi_sparse_solution_type(l->a.type, x->type);
    if (o->b) l->type = cpi_sparse_solution_type(l->type, o->b->part[0]->type);
    return CP_OK;
}
/* Makes what is multiplied by. */
static bool open_all(lobpcg *l, cp_sparse *a)
{
    const cp_sparse_lobpcg_options *o = l->o;
    if (o->b && cpi_linear_check(&l->b, l->name, o->b, NULL, false)) return false;
    if (o->m && cpi_linear_check(&l->m, l->name, o->m, NULL, false)) return false;
    l->a.type = l->b.type = l->m.type = l->type;
    return cpi_linear_open(&l->a, a, false) && (!o->b || cpi_linear_open(&l->b, o->b, false)) &&
           (!o->m || cpi_linear_open(&l->m, o->m, false));
}
cp_code (cp_sparse_lobpcg)(cp_sparse *a, cp_array *x, cp_array **values, cp_array **vectors,
                           const cp_sparse_lobpcg_options *options)
{
    lobpcg l = {.name = "sparse_lobpcg", .o = CPI_GIVEN(cp_sparse_lobpcg_options, options)};
    cpi_composite f;
    if (cpi_null(l.name, x) || cpi_null(l.name, values) || cpi_linear_check(&l.a, l.name, a, l.o->map, false) ||
        check(&l, x) || !cpi_linear_begin(&f, &l.a, a, x))
        return cp_error();
    cpi_device *device = cpi_common_device(l.name, 3, (cp_array *const[]){a ? a->part[0] : NULL, x, l.o->y});
    const bool good = device && open_all(&l, a) && run_steps(&l, x);
    cp_array *w = good ? cp_astype(l.w, cpi_sparse_single(l.type) ? CP_FLOAT32 : CP_FLOAT64) : NULL;
    cp_array *v = good ? cp_copy(l.x.v) : NULL;
    if (w) cp_keep(w);
    if (v) cp_keep(v);
    cp_array *const held[] = {l.x.v, l.x.a, l.x.b, l.p.v, l.p.a, l.p.b, l.w};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) cp_free(held[i]);
    cpi_linear_close(&l.a);
    cpi_linear_close(&l.b);
    cpi_linear_close(&l.m);
    const bool bad = (f.fine && cp_error() != CP_OK) || !w || !v;
    cpi_end(&f, NULL);
    cpi_sparse_given(bad ? NULL : values, w);
    cpi_sparse_given(bad ? NULL : vectors, v);
    if (bad) cp_free(w);
    if (bad || !vectors) cp_free(v);
    if (!bad && l.o->report)
        *l.o->report = (cp_sparse_lobpcg_report){l.steps, l.residual, l.residual <= l.tol};
    return bad ? cp_error() : CP_OK;
}
