/* Krylov and Schur's method: Arnoldi's, restarted with an ordered Schur form; its vectors stay on the device.
 *
 * A basis is extended to m vectors, each made orthogonal to all before it in two passes. The host reads coefficients of
 * all steps at once and brings the small problem to Schur's form; the basis begins again with the Schur vectors of the
 * best values: the same subspaces as those of ARPACK's implicit restarts, whose criterion of convergence this is (G. W.
 * Stewart, SIAM J. Matrix Anal. Appl. 23, 2001; R. B. Lehoucq, D. C. Sorensen and C. Yang, ARPACK Users' Guide, SIAM
 * 1998). What has converged comes first, and is locked where its coupling to the rest is less than rounding: the small
 * problem has zeros there, so that its rounding cannot undo it. Invariant: rows[:kept] are orthonormal, r.t is what the
 * operator is in them, and its row `kept` couples them to rows[kept]. */
#include "sparse/arnoldi.h"

#include <math.h>

#include "operands/operands.h"
#include "sparse/lanczos.h"

enum { BLOCK = 1 << 17, TRIALS = 9 }; /* columns that a restart replaces at once; vectors that are tried */

/* --- the basis --- */

static cp_array *row(const cpi_arnoldi *a, int64_t j) { return cp_slice(a->rows, CP_ITEMS(CP_AT(j))); }
/* Reads rows of coefficients, to the same rows. */
static bool read_rows(cpi_arnoldi *a, int64_t from, int64_t to)
{
    double complex *all = a->read + from * (a->m + 1);
    cp_array *h = cp_slice(a->h, CP_ITEMS(CP_RANGE(from, to))), *wide = h ? cp_astype(h, CP_COMPLEX128) : NULL;
    return wide && cp_to_host(wide, all, (size_t)((to - from) * (a->m + 1)) * sizeof *all) == CP_OK;
}
static bool extend(cpi_arnoldi *a, int64_t from)
{
    for (int64_t j = from; j < a->m; j++) {
        cp_scope *scope = cp_scope_begin();
        cp_array *w = scope ? cpi_sparse_scaled(a->scale, a->product, a->context, row(a, j)) : NULL;
        const bool good = w && cp_basis_extend(a->rows, w, a->h, NULL, j, 0) == CP_OK;
        cp_scope_end(scope);
        if (!good) return false;
        a->products++;
    }
    return true;
}
/* Behind row j nothing is left: the rows span a space that the operator keeps. Another vector goes on; one that by
 * chance was nearly of that space does not. */
static bool renew(cpi_arnoldi *a, int64_t j)
{
    double left = 0, whole = 1;
    for (int trial = 0; trial < TRIALS && !(left > 1e-3 * whole); trial++) {
        cp_array *other = cpi_sparse_noise(a->n, (uint64_t)(j * TRIALS + trial) + 1, a->type);
        cp_array *size = other ? cp_sqrt(cp_real_part(cp_vdot(other, other))) : NULL;
        if (!size || cp_basis_extend(a->rows, other, a->h, NULL, j, 0) != CP_OK) return false;
        whole = cp_item_float(size);
        if (!read_rows(a, j, j + 1)) return false;
        left = creal(a->read[j * (a->m + 1) + j + 1]);
    }
    return true;
}
/* Takes the coefficients of the rows from `from` on into t; the row behind which nothing is left, -1 where there is
 * none. */
static int64_t take(cpi_arnoldi *a, int64_t from)
{
    const int64_t m = a->m;
    double most = 0;
    for (int64_t i = 0; i < m * m; i++) most = fmax(most, cabs(a->r.t[i]));
    for (int64_t j = from; j < m; j++) {
        const double complex *h = a->read + j * (m + 1);
        for (int64_t i = 0; i <= j; i++) a->r.t[i * m + j] = h[i], most = fmax(most, cabs(h[i]));
        a->r.beta = creal(h[j + 1]);
        if (a->r.beta <= 8 * a->eps * most) return j;
        if (j + 1 < m) a->r.t[(j + 1) * m + j] = a->r.beta;
    }
    return -1;
}
/* Steps until the basis is full. */
static bool fill(cpi_arnoldi *a)
{
    for (int64_t from = a->kept;;) {
        if (!extend(a, from) || !read_rows(a, from, a->m)) return false;
        const int64_t ended = take(a, from);
        if (ended < 0) break;
        if (ended + 1 == a->m) {
            a->r.beta = 0;
            break;
        }
        if (!renew(a, ended)) return false;
        a->r.t[(ended + 1) * a->m + ended] = 0;
        from = ended + 1;
    }
    return true;
}
/* The largest number of t, beside what is left; infinite where some are not finite. */
static double greatest(const cpi_arnoldi *a)
{
    double most = isfinite(a->r.beta) ? 0 : INFINITY;
    for (int64_t i = 0; i < a->m * a->m; i++) {
        const double size = cabs(a->r.t[i]);
        most = isfinite(size) ? fmax(most, size) : INFINITY;
    }
    return most;
}
/* The same with products of another scale, where the first ones need that; an error where they are not finite. */
static bool fill_in_range(cpi_arnoldi *a)
{
    if (!fill(a)) return false;
    double most = greatest(a);
    if (!a->iterations) {
        a->scale = cpi_sparse_scale(most, a->product, a->context, row(a, 0), &a->products);
        if (isnan(a->scale)) return false;
        for (int64_t i = 0; i < a->m * a->m && a->scale != 1; i++) a->r.t[i] = 0;
        if (a->scale != 1 && !fill(a)) return false;
        most = greatest(a);
    }
    return isfinite(most) || cpi_fail(CP_ERROR_VALUE, "%s: products must be finite", a->name) == CP_OK;
}

/* --- which values --- */

/* How much a value is wanted, less for more. Those of a pair are wanted alike. */
static double rank(const cpi_arnoldi *a, int64_t i)
{
    const double re = creal(a->r.theta[i]), im = cimag(a->r.theta[i]), up = a->r.real ? fabs(im) : im;
    switch (a->which) {
    case CP_SPARSE_LM: return -cabs(a->r.theta[i]);
    case CP_SPARSE_SM: return cabs(a->r.theta[i]);
    case CP_SPARSE_LR: return -re;
    case CP_SPARSE_SR: return re;
    case CP_SPARSE_LI: return -up;
    case CP_SPARSE_SI: return up;
    case CP_SPARSE_LA:
    case CP_SPARSE_SA:
    case CP_SPARSE_BE: break;
    }
    return 0;
}
static void sort_wanted(cpi_arnoldi *a)
{
    for (int64_t i = 0; i < a->m; i++) { /* few: by insertion, stable, so that pairs stay together */
        const double r = rank(a, i);
        int64_t at = i;
        for (; at > 0 && rank(a, a->order[at - 1]) > r; at--) a->order[at] = a->order[at - 1];
        a->order[at] = i;
    }
}
/* Do the first `count` of the order end between the values of a pair? */
static bool splits(const cpi_arnoldi *a, int64_t count)
{
    return count < a->m && cpi_ritz_pair(&a->r, a->order[count - 1]);
}
/* Whether the error's bound is small enough. Products round more than eps of t, so a smaller bound says nothing. */
static bool converged(const cpi_arnoldi *a, int64_t i)
{
    const double of = a->tol * fmax(pow(a->eps, 2.0 / 3), cabs(a->r.theta[i]));
    return a->r.bound[i] <= fmax(of, a->eps * a->r.size);
}

/* --- restarts --- */

/* Numbers by rows, in the basis' type. */
static cp_array *numbers(const cpi_arnoldi *a, int64_t rows, const double complex *x, cp_type type)
{
    cp_array *made = cp_from_host(x, CP_COMPLEX128, CP_SHAPE(rows, a->m), NULL);
    return made ? cp_astype(cpi_is_complex(type) ? made : cp_real_part(made), type) : NULL;
}
/* The first rows become turn's combinations of all. */
static bool replace(cpi_arnoldi *a, int64_t keep)
{
    const int64_t m = a->m;
    for (int64_t i = 0; i < keep; i++)
        for (int64_t j = 0; j < m; j++) a->read[i * m + j] = a->r.turn[j * m + i];
    cp_array *c = numbers(a, keep, a->read, a->type);
    for (int64_t at = 0; at < a->n && c; at += BLOCK) {
        const int64_t end = at + BLOCK < a->n ? at + BLOCK : a->n;
        cp_scope *scope = cp_scope_begin();
        cp_array *from = scope ? cp_slice(a->rows, CP_ITEMS(CP_RANGE(0, m), CP_RANGE(at, end))) : NULL;
        cp_array *to = from ? cp_slice(a->rows, CP_ITEMS(CP_RANGE(0, keep), CP_RANGE(at, end))) : NULL;
        cp_array *made = to ? cp_matmul(c, from) : NULL;
        const bool good = made && cp_assign(to, made) == CP_OK;
        cp_scope_end(scope);
        if (!good) return false;
    }
    cp_array *to = c ? row(a, keep) : NULL, *last = to ? row(a, m) : NULL;
    return last && cp_assign(to, last) == CP_OK;
}
/* The Schur vectors of the wanted values, `all`, and of a part of the others stay, those first that have converged: the
 * more `found`, the more, as these do not take part any more. */
static bool restart(cpi_arnoldi *a, int64_t all, int64_t found)
{
    const int64_t m = a->m, least = all + (m - all) * 3 / 10, half = found + (m - found) / 2;
    int64_t keep = least > half ? least : half, at = 0;
    if (keep > m - 1) keep = m - 1;
    if (splits(a, keep)) keep += keep + 1 < m ? 1 : -1;
    for (int which = 1; which >= 0; which--)
        for (int64_t i = 0; i < keep; i++)
            if (converged(a, a->order[i]) == which) a->list[at++] = a->order[i];
    cpi_ritz_choose(&a->r, a->list, keep);
    a->kept = keep;
    return replace(a, keep);
}
static bool begin(cpi_arnoldi *a, cp_array *v0)
{
    const size_t m = (size_t)a->m, all = 3 * m * m + 2 * m + m * (m + 1);
    a->rows = cp_zeros(CP_SHAPE(a->m + 1, a->n), a->type);
    a->h = cp_zeros(CP_SHAPE(a->m, a->m + 1), cpi_sparse_number(a->type));
    if (!a->rows || !a->h) return false; /* sizes below do not overflow where there was memory for these */
    a->memory = cpi_malloc(all * sizeof(double complex) + m * (sizeof(double) + 3 * sizeof(int64_t)));
    cp_array *unit = a->memory ? cpi_sparse_unit(a->name, v0) : NULL;
    if (!unit) return false;
    double complex *t = a->memory;
    a->r = (cpi_ritz){.m = a->m, .real = !cpi_is_complex(a->type), .eps = a->eps, .t = t, .schur = t + m * m,
                      .turn = t + 2 * m * m, .theta = t + 3 * m * m, .spare = t + 3 * m * m + m};
    a->read = a->r.spare + m;
    a->r.bound = (double *)(a->read + m * (m + 1));
    a->order = (int64_t *)(a->r.bound + m);
    a->list = a->order + m, a->r.place = a->list + m;
    for (size_t i = 0; i < m * m; i++) t[i] = 0;
    return cp_assign(row(a, 0), unit) == CP_OK;
}
/* Restarts unless all converged or there are no more restarts: then those that did come to the front. */
static bool decide(cpi_arnoldi *a, bool *ends)
{
    int64_t found = 0;
    sort_wanted(a);
    const int64_t all = a->k + splits(a, a->k); /* both of a pair, or none */
    for (int64_t i = 0; i < all; i++) found += converged(a, a->order[i]);
    *ends = found == all || a->iterations > a->maxiter;
    if (!*ends) return restart(a, all, found);
    for (int64_t i = 0; i < a->k; i++)
        if (converged(a, a->order[i])) a->order[a->found++] = a->order[i];
    return true;
}
bool cpi_arnoldi_run(cpi_arnoldi *a, cp_array *v0)
{
    a->scale = 1;
    if (!v0 || !begin(a, v0)) return false;
    for (;;) {
        cp_scope *scope = cp_scope_begin();
        bool good = scope && fill_in_range(a) && cpi_ritz_solve(&a->r), ends = false;
        a->iterations++;
        if (good) good = decide(a, &ends);
        cp_scope_end(scope);
        if (!good || ends) return good;
    }
}
/* The parts of vectors of which a real basis has the combinations, as complex ones. */
static cp_array *joined(cp_array *parts, int64_t count, int64_t n, cp_type type)
{
    cp_array *v = cp_empty(CP_SHAPE(count, n), cpi_sparse_single(type) ? CP_COMPLEX64 : CP_COMPLEX128);
    cp_array *re = v ? cp_slice(parts, CP_ITEMS(CP_RANGE(0, count))) : NULL;
    cp_array *im = re ? cp_slice(parts, CP_ITEMS(CP_RANGE(count, 2 * count))) : NULL;
    return im && cp_assign(cp_real_part(v), re) == CP_OK && cp_assign(cp_imag_part(v), im) == CP_OK ? v : NULL;
}
cp_array *cpi_arnoldi_vectors(const cpi_arnoldi *a)
{
    const int64_t m = a->m, count = a->found, lines = a->r.real ? 2 * count : count;
    double complex *y = cpi_malloc(sizeof *y * (size_t)((lines + 1) * m));
    if (!y) return NULL;
    for (int64_t i = 0; i < count; i++) {
        cpi_ritz_vector(&a->r, a->order[i], y + i * m);
        for (int64_t j = 0; j < m && a->r.real; j++) y[(count + i) * m + j] = cimag(y[i * m + j]);
    }
    cp_array *c = numbers(a, lines, y, a->type);
    cpi_free_host(y);
    cp_array *basis = c ? cp_slice(a->rows, CP_ITEMS(CP_RANGE(0, m))) : NULL, *v = basis ? cp_matmul(c, basis) : NULL;
    if (v && a->r.real) v = joined(v, count, a->n, a->type);
    return v ? cp_transpose(v, CP_ALL) : NULL;
}
void cpi_arnoldi_free(cpi_arnoldi *a) { cpi_free_host(a->memory); }
