/* Systems of equations by methods that keep vectors across cycles: lgmres, gcrotmk.
 *
 * lgmres adds the last corrections to a cycle's search space; gcrotmk makes a cycle orthogonal to the products of
 * earlier corrections. Invariant: of a pair (u, c) c is the product of u, and both are the scope's of nobody. */
#include "sparse/cycle.h"

#include <math.h>

typedef struct pair { cp_array *u, *c; } pair;
typedef struct kept {
    pair *pairs;            /* the oldest first */
    int64_t count, most;    /* of which there is a place for one more */
} kept;

static void drop_oldest(kept *k, int64_t left)
{
    const int64_t n = k->count > left ? k->count - left : 0;
    for (int64_t i = 0; i < n; i++) cp_free(k->pairs[i].u), cp_free(k->pairs[i].c);
    for (int64_t i = n; i < k->count; i++) k->pairs[i - n] = k->pairs[i];
    k->count -= n;
}
/* Adds a pair, of which none is NULL; false on failure. */
static bool keep(kept *k, cp_array *u, cp_array *c)
{
    if (!u || !c) return false;
    k->pairs[k->count++] = (pair){cp_keep(u), cp_keep(c)};
    return true;
}
/* The pairs' u or c as rows of one array. */
static cp_array *rows_of(const kept *k, bool product, int64_t n)
{
    cp_array **list = cpi_malloc(sizeof *list * (size_t)(n ? n : 1)), *rows = NULL;
    for (int64_t i = 0; list && i < n; i++) list[i] = product ? k->pairs[i].c : k->pairs[i].u;
    if (list) rows = cp_stack((int)n, list, 0);
    cpi_free_host(list);
    return rows;
}
/* Runs cycles until one of them sets s->maxiter to what was done. */
static bool run_cycles(cpi_krylov *s, int64_t most, bool (*cycle)(cpi_krylov *, kept *, cpi_cycle *))
{
    kept k = {.most = most};
    if (most > 1 << 20) return cpi_fail(CP_ERROR_VALUE, "%s: outer must be at most 2^20", s->name) == CP_OK;
    k.pairs = cpi_malloc(sizeof *k.pairs * (size_t)(most + 1));
    bool good = k.pairs != NULL;
    while (good) {
        s->next = s->done; /* a look each cycle */
        if (!cpi_krylov_goes_on(s)) break;
        cpi_cycle c = {0};
        cp_scope *scope = cp_scope_begin();
        good = scope && cycle(s, &k, &c);
        cp_scope_end(scope);
        cpi_cycle_end(&c);
    }
    drop_oldest(&k, 0);
    cpi_free_host(k.pairs);
    return good && cp_error() == CP_OK;
}
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static bool stop(cpi_krylov *s) { return s->maxiter = s->done, true; }

/* --- lgmres --- */

static int64_t lgmres_steps(const cpi_krylov *s) { return least(s->o->restart ? s->o->restart : 30, s->n); }
/* The step of a cycle: of the basis, then of earlier corrections, whose products are there. */
static bool lgmres_extend(cpi_krylov *s, const kept *k, cpi_cycle *c, int64_t j, int64_t inner)
{
    if (j >= inner) return cpi_cycle_extend(s, c, j, k->pairs[j - inner].c);
    return cpi_cycle_extend(s, c, j, cpi_krylov_apply(s, cpi_linear_times(&s->a, cpi_cycle_vector(c, j))));
}
/* The correction that coefficients stand for. */
static cp_array *lgmres_sum(const kept *k, const cpi_cycle *c, cp_array *y, int64_t inner)
{
    const int64_t first = least(c->count, inner);
    cp_array *dx = cp_matmul(cpi_cycle_rows(y, 0, first), cpi_cycle_rows(c->basis, 0, first));
    if (c->count == first || !dx) return dx;
    cp_array *rest = cp_matmul(cpi_cycle_rows(y, first, c->count), rows_of(k, false, c->count - first));
    return rest ? cp_add(dx, rest) : NULL;
}
static bool lgmres_cycle(cpi_krylov *s, kept *k, cpi_cycle *c)
{
    cp_array *v = cpi_krylov_apply(s, s->r), *size = cpi_krylov_norm(v);
    const double beta = size ? cp_item_float(size) : 0;
    if (!size || cp_error() != CP_OK) return false;
    const int64_t left = s->maxiter - s->done, inner = least(lgmres_steps(s), left);
    if (!(beta > 0)) return stop(s);
    if (!cpi_cycle_begin(s, c, least(inner + k->count, left), 0, v, beta)) return false;
    c->enough = beta * (s->limit / s->residual) * 0.9; /* as gmres */
    for (int64_t j = 0; j < c->most && !c->over; j++)
        if (!lgmres_extend(s, k, c, j, inner)) return false;
    s->done += c->made;
    if (!c->count) return stop(s);
    cp_array *y = cpi_cycle_solve(s, c), *dx = y ? lgmres_sum(k, c, y, inner) : NULL;
    cp_array *length = cpi_krylov_norm(dx), *turned = cpi_cycle_product(s, c, y);
    const double by = length ? cp_item_float(length) : 0;
    if (!turned || cp_error() != CP_OK) return false;
    if (by > 0 && !keep(k, cp_divide(dx, cp_float(by)), cp_divide(turned, cp_float(by)))) return false;
    drop_oldest(k, k->most);
    return cpi_cycle_moved(s, cp_add(s->x, dx));
}
static bool lgmres_run(cpi_krylov *s) { return run_cycles(s, s->o->outer ? s->o->outer : 3, lgmres_cycle); }
cp_array *(cp_sparse_lgmres)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_lgmres", a, b, options, lgmres_run);
}

/* --- gcrotmk --- */

/* The step of a cycle: a m times the basis' last vector, without its parts along the kept products. z: where the
 * preconditioned vectors go, or NULL without a preconditioner. */
static bool gcrotmk_extend(cpi_krylov *s, cpi_cycle *c, int64_t j, cp_array *products, cp_array *z)
{
    cp_array *v = cpi_cycle_vector(c, j), *p = cpi_krylov_apply(s, v), *w = p ? cpi_linear_times(&s->a, p) : NULL;
    if (!w || (z && cp_assign(cp_slice(z, CP_ITEMS(CP_AT(j))), p) != CP_OK)) return false;
    if (products) {
        cp_array *h = cp_conjugate(cp_matmul(products, cp_conjugate(w)));
        if (!h || cp_assign(cp_slice(c->along, CP_ITEMS(CP_AT(j))), h) != CP_OK) return false;
        w = cp_subtract(w, cp_matmul(h, products));
    }
    return cpi_cycle_extend(s, c, j, w);
}
/* As many combinations of the pairs as `left`, those that matter most to the cycle, orthonormal. */
static bool combine(kept *k, int64_t left, cp_array *weights)
{
    cp_array *us = rows_of(k, false, k->count), *cs = rows_of(k, true, k->count), *w = cp_transpose(weights, CP_ALL);
    kept made = {.most = left, .pairs = cpi_malloc(sizeof(pair) * (size_t)(left + 1))};
    bool good = made.pairs && us && cs && w;
    for (int64_t i = 0; i < left && good; i++) {
        cp_array *row = cp_contiguous(cp_slice(w, CP_ITEMS(CP_AT(i)))), *c = cp_matmul(row, cs);
        cp_array *u = cp_matmul(row, us);
        for (int64_t j = 0; j < made.count; j++) {
            cp_array *part = c ? cp_vdot(made.pairs[j].c, c) : NULL;
            c = part ? cp_subtract(c, cp_multiply(part, made.pairs[j].c)) : NULL;
            u = part ? cp_subtract(u, cp_multiply(part, made.pairs[j].u)) : NULL;
        }
        cp_array *size = cpi_krylov_norm(c);
        good = size && keep(&made, cp_divide(u, size), cp_divide(c, size));
    }
    if (good) {
        drop_oldest(k, 0);
        for (int64_t i = 0; i < made.count; i++) k->pairs[i] = made.pairs[i];
        k->count = made.count;
    } else drop_oldest(&made, 0);
    cpi_free_host(made.pairs);
    return good;
}
/* Leaves a place for one more pair. By de Sturler's criterion the left singular vectors of b r^-1 are kept, of the
 * coefficients b along the pairs and the triangle r of the others. */
static bool drop_one(cpi_krylov *s, kept *k, const cpi_cycle *c)
{
    const int64_t left = k->most - 1;
    if (k->count <= left) return true;
    const int64_t ranks = least(c->count, k->count);
    if (!s->o->smallest || left < 1 || ranks < left) return drop_oldest(k, left), true;
    const cp_index block[2] = {CP_RANGE(0, c->count), CP_RANGE(0, c->count + 1)};
    cp_array *r = cp_qr_r(cp_transpose(cp_slice(c->h, 2, block), CP_ALL)), *u = NULL, *sizes = NULL, *vt = NULL;
    cp_array *along = cp_astype(cpi_cycle_rows(c->along, 0, c->count), cpi_sparse_number(s->type));
    cp_array *turned = r ? cp_transpose(cp_solve(cp_transpose(r, CP_ALL), along), CP_ALL) : NULL;
    if (!turned || cp_svd(turned, &u, &sizes, &vt) != CP_OK) return false;
    cp_array *weights = cp_slice(u, CP_ITEMS(CP_FULL, CP_RANGE(0, left)));
    return weights && combine(k, left, cp_astype(weights, s->type));
}
/* The pair of a cycle that was made: u, c of length 1. False on failure; *u NULL where it is but rounding. */
static bool gcrotmk_pair(cpi_krylov *s, const kept *k, cpi_cycle *c, cp_array *z, cp_array **u, cp_array **product)
{
    cp_array *y = cpi_cycle_solve(s, c), *rows = cpi_cycle_rows(z ? z : c->basis, 0, c->count);
    cp_array *ux = y ? cp_matmul(y, rows) : NULL, *cx = cpi_cycle_product(s, c, y);
    if (ux && k->count) {
        cp_array *along = cp_matmul(y, cpi_cycle_rows(c->along, 0, c->count));
        ux = along ? cp_subtract(ux, cp_matmul(along, rows_of(k, false, k->count))) : NULL;
    }
    cp_array *length = cpi_krylov_norm(cx);
    const double by = length ? cp_item_float(length) : 0;
    *u = *product = NULL;
    if (!ux || !length || cp_error() != CP_OK) return false;
    if (!(by > c->eps * s->residual) || !(1 / by < HUGE_VAL)) return true;
    *u = cp_divide(ux, cp_float(by)), *product = cp_divide(cx, cp_float(by));
    return *u && *product;
}
/* A residual that is updated to be small enough is computed anew, as rounding may have parted the two. */
static bool gcrotmk_cycle(cpi_krylov *s, kept *k, cpi_cycle *c)
{
    const int64_t steps = least(s->o->restart ? s->o->restart : 20, s->n), more = k->most - k->count;
    const int64_t most = least(least(steps + (more > 0 ? more : 0), s->n), s->maxiter - s->done);
    cp_array *products = k->count ? rows_of(k, true, k->count) : NULL, *u, *product;
    cp_array *z = s->m || s->o->apply ? cp_zeros(CP_SHAPE(most, s->n), s->type) : NULL;
    if (cp_error() != CP_OK || !cpi_cycle_begin(s, c, most, k->count, s->r, s->residual)) return false;
    c->enough = s->limit * 0.9;
    for (int64_t j = 0; j < c->most && !c->over; j++)
        if (!gcrotmk_extend(s, c, j, products, z)) return false;
    s->done += c->made;
    if (!c->count) return stop(s);
    if (!gcrotmk_pair(s, k, c, z, &u, &product)) return false;
    if (!u) return stop(s);
    cp_array *part = cp_vdot(product, s->r);
    if (!part || !drop_one(s, k, c) || !cpi_krylov_put(&s->x, cp_add(s->x, cp_multiply(part, u))) ||
        !cpi_krylov_put(&s->r, cp_subtract(s->r, cp_multiply(part, product))) || !keep(k, u, product) ||
        !cpi_krylov_put(&s->steps, cp_scalar(CP_INT64, &s->done)) || !cpi_krylov_measure(s))
        return false;
    const double now = cp_item_float(s->size);
    if (cp_error() != CP_OK || now >= s->limit) return cp_error() == CP_OK;
    return cpi_krylov_put(&s->r, cp_subtract(s->b, cpi_linear_times(&s->a, s->x))) && cpi_krylov_measure(s);
}
static bool gcrotmk_run(cpi_krylov *s)
{
    return run_cycles(s, s->o->outer ? s->o->outer : s->o->restart ? s->o->restart : 20, gcrotmk_cycle);
}
cp_array *(cp_sparse_gcrotmk)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_gcrotmk", a, b, options, gcrotmk_run);
}
