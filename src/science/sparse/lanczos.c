/* Lanczos' method with thick restarts; its vectors stay on the device.
 *
 * A basis is extended to m vectors, each made orthogonal to all before it in two passes. The host reads coefficients of
 * all steps at once, solves the small problem, and the basis begins again with the best Ritz vectors: the same
 * subspaces as ARPACK's, whose criterion of convergence this is (K. Wu and H. Simon, SIAM J. Matrix Anal. Appl. 22,
 * 2000; R. B. Lehoucq, D. C. Sorensen and C. Yang, ARPACK Users' Guide, SIAM 1998). Invariant: rows[:kept] are
 * orthonormal, and t is what the operator is in them. */
#include "sparse/lanczos.h"

#include <math.h>

#include "operands/operands.h"

enum { BLOCK = 1 << 18, TRIALS = 9 }; /* columns that a restart replaces at once; vectors that are tried */

cp_array *cpi_sparse_noise(int64_t n, uint64_t seed, cp_type type)
{
    if (n > INT64_MAX / (int64_t)sizeof(double)) /* of a map */
        return cpi_fail(CP_ERROR_MEMORY, "out of host memory for vectors of %lld elements", (long long)n), NULL;
    double *x = cpi_malloc(sizeof *x * (size_t)(n ? n : 1));
    if (!x) return NULL;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t mixed = (seed ^ seed >> 33) * 0xff51afd7ed558ccdu;
        x[i] = (double)(int64_t)(mixed >> 11) / (double)(INT64_C(1) << 52) - 1;
    }
    cp_array *made = cp_from_host(x, CP_FLOAT64, CP_SHAPE(n), NULL);
    cpi_free_host(x);
    return made ? cp_astype(made, type) : NULL;
}
static double norm(cp_array *x)
{
    cp_array *size = cp_sqrt(cp_real_part(cp_vdot(x, x)));
    return size ? cp_item_float(size) : 0;
}
cp_array *cpi_sparse_unit(const char *name, cp_array *v0)
{
    double length = norm(v0);
    if (cp_error() != CP_OK) return NULL;
    if (!(length > (cpi_sparse_single(v0->type) ? 0x1p-40 : 0x1p-450)) || !isfinite(length)) { /* squares are none */
        cp_array *largest = cp_max(cp_absolute(v0));
        const double most = largest ? cp_item_float(largest) : 0;
        if (cp_error() != CP_OK) return NULL;
        if (!(most > 0) || !isfinite(most))
            return cpi_fail(CP_ERROR_VALUE, "%s: v0 must be finite and not 0", name), NULL;
        v0 = cp_divide(v0, cp_float(most));
        length = norm(v0);
    }
    return cp_divide(v0, cp_float(length));
}
static double largest(cp_array *x)
{
    cp_array *most = x ? cp_max(cp_absolute(x)) : NULL;
    return most ? cp_item_float(most) : 0;
}
double cpi_sparse_scale(double most, cp_array *(*product)(void *context, cp_array *x), void *context, cp_array *x,
                        int64_t *products)
{
    if (!x) return NAN;
    const bool single = cpi_sparse_single(x->type);
    const int far = single ? 120 : 1000;
    double growth = 0;
    if (most == 0 || (most >= (single ? 0x1p-33 : 0x1p-450) && isfinite(most))) return 1;
    for (int i = 0; i < 4; i++) {
        cp_array *w = product(context, x);
        const double before = largest(x), after = largest(w);
        ++*products;
        if (!w || cp_error() != CP_OK) return NAN;
        if (!(after > 0) || !isfinite(after)) break;
        growth = fmax(growth, after / before);
        if (!(x = cp_divide(w, cp_float(after)))) return NAN;
    }
    const int power = growth > 0 && isfinite(growth) ? -ilogb(growth) : 0;
    return ldexp(1, power > far ? far : power < -far ? -far : power);
}
double cpi_sparse_between(cp_array *y)
{
    const double most = largest(y), far = cpi_sparse_single(y->type) ? 0x1p20 : 0x1p200;
    return !(most > 0) || !isfinite(most) || (most > 1 / far && most < far) ? 1 : ldexp(1, -ilogb(most));
}
cp_array *cpi_sparse_scaled(double scale, cp_array *(*product)(void *context, cp_array *x), void *context, cp_array *x)
{
    cp_array *w = product(context, x);
    return w && scale != 1 ? cp_multiply(w, cp_float(scale)) : w;
}

/* --- the basis --- */

static cp_array *row(const cpi_lanczos *l, int64_t j) { return cp_slice(l->rows, CP_ITEMS(CP_AT(j))); }
/* Reads rows of coefficients, the real parts alone, as rows of m + 1. */
static bool read_rows(cpi_lanczos *l, int64_t from, int64_t to)
{
    cp_array *h = cp_slice(l->h, CP_ITEMS(CP_RANGE(from, to)));
    cp_array *real = h ? cp_copy(cp_real_part(h)) : NULL;
    return real && cp_to_host(real, l->read, (size_t)((to - from) * (l->m + 1)) * sizeof(double)) == CP_OK;
}
static bool extend(cpi_lanczos *l, int64_t from)
{
    for (int64_t j = from; j < l->m; j++) {
        cp_scope *scope = cp_scope_begin();
        cp_array *w = scope ? cpi_sparse_scaled(l->scale, l->product, l->context, row(l, j)) : NULL;
        const bool good = w && cp_basis_extend(l->rows, w, l->h, NULL, j, j == from ? 0 : j - 1) == CP_OK;
        cp_scope_end(scope);
        if (!good) return false;
        l->products++;
    }
    return true;
}
/* Behind row j nothing is left: the rows span a space that the operator keeps. Another vector goes on; one that by
 * chance was nearly of that space does not. */
static bool renew(cpi_lanczos *l, int64_t j)
{
    double left = 0, whole = 1;
    for (int trial = 0; trial < TRIALS && !(left > 1e-3 * whole); trial++) {
        cp_array *other = cpi_sparse_noise(l->n, (uint64_t)(j * TRIALS + trial) + 1, l->type);
        cp_array *size = other ? cp_sqrt(cp_real_part(cp_vdot(other, other))) : NULL;
        if (!size || cp_basis_extend(l->rows, other, l->h, NULL, j, 0) != CP_OK) return false;
        whole = cp_item_float(size);
        if (!read_rows(l, j, j + 1)) return false;
        left = l->read[j + 1];
    }
    return true;
}
static double greatest(const cpi_lanczos *l, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++) most = fmax(most, fabs(l->t[i * l->m + k]));
    return most;
}
/* The same of all of t; infinite where a number is not finite. */
static double range(const cpi_lanczos *l)
{
    for (int64_t i = 0; i < l->m * l->m; i++)
        if (!isfinite(l->t[i])) return INFINITY;
    return greatest(l, l->m);
}
/* Takes the coefficients of the rows from `from` on into t; the row behind which nothing is left, -1 where there is
 * none. */
static int64_t take(cpi_lanczos *l, int64_t from)
{
    const int64_t m = l->m;
    for (int64_t j = from; j < m; j++) {
        const double *h = l->read + (j - from) * (m + 1);
        l->t[j * m + j] = h[j];
        l->beta = h[j + 1];
        if (l->beta <= 8 * l->eps * greatest(l, j + 1)) return j;
        if (j + 1 < m) l->t[j * m + j + 1] = l->t[(j + 1) * m + j] = l->beta;
    }
    return -1;
}
/* Steps until the basis is full. */
static bool fill(cpi_lanczos *l)
{
    for (int64_t from = l->kept;;) {
        if (!extend(l, from) || !read_rows(l, from, l->m)) return false;
        const int64_t ended = take(l, from);
        if (ended < 0) break;
        if (ended + 1 == l->m) {
            l->beta = 0;
            break;
        }
        if (!renew(l, ended)) return false;
        l->t[ended * l->m + ended + 1] = l->t[(ended + 1) * l->m + ended] = 0;
        from = ended + 1;
    }
    return true;
}
/* The same with products of another scale, where the first ones need that; an error where they are not finite. */
static bool fill_in_range(cpi_lanczos *l)
{
    if (!fill(l)) return false;
    double most = range(l);
    if (!l->iterations) {
        l->scale = cpi_sparse_scale(most, l->product, l->context, row(l, 0), &l->products);
        if (isnan(l->scale)) return false;
        for (int64_t i = 0; i < l->m * l->m && l->scale != 1; i++) l->t[i] = 0;
        if (l->scale != 1 && !fill(l)) return false;
        most = range(l);
    }
    return isfinite(most) || cpi_fail(CP_ERROR_VALUE, "%s: products must be finite", l->name) == CP_OK;
}

/* --- the small problem --- */

/* Eigenvalues and vectors of t, on the CPU. */
static bool solve_small(cpi_lanczos *l)
{
    const int there = cp_device_current();
    cp_array *w = NULL, *v = NULL;
    if (there == CP_NO_DEVICE || cp_device_use(CP_CPU) != CP_OK) return false;
    cp_array *t = cp_from_host(l->t, CP_FLOAT64, CP_SHAPE(l->m, l->m), NULL);
    bool good = t && cp_eigh(t, &w, &v) == CP_OK;
    v = good ? cp_contiguous(v) : NULL;
    good = v && cp_to_host(w, l->theta, (size_t)l->m * sizeof(double)) == CP_OK &&
           cp_to_host(v, l->s, (size_t)(l->m * l->m) * sizeof(double)) == CP_OK;
    return cp_device_use(there) == CP_OK && good;
}
/* How much an eigenvalue is wanted, less for more: of those as much wanted the lesser number comes first. */
static double rank(const cpi_lanczos *l, int64_t i)
{
    const double w = l->theta[i];
    const int64_t above = l->m - 1 - i;
    switch (l->which) {
    case CP_SPARSE_LM: return -fabs(w);
    case CP_SPARSE_SM: return fabs(w);
    case CP_SPARSE_LA: return (double)above;
    case CP_SPARSE_SA: return (double)i;
    case CP_SPARSE_LR:
    case CP_SPARSE_SR:
    case CP_SPARSE_LI:
    case CP_SPARSE_SI:
    case CP_SPARSE_BE: break;
    }
    return above <= i ? (double)(2 * above) : (double)(2 * i + 1);
}
static void sort_wanted(cpi_lanczos *l)
{
    for (int64_t i = 0; i < l->m; i++) { /* few: by insertion, stable */
        const double r = rank(l, i);
        int64_t at = i;
        for (; at > 0 && rank(l, l->order[at - 1]) > r; at--) l->order[at] = l->order[at - 1];
        l->order[at] = i;
    }
}
/* Whether the error's bound is small enough. Products round more than `rounding`, so a smaller bound says nothing. */
static bool converged(const cpi_lanczos *l, int64_t i, double rounding)
{
    const double bound = fabs(l->beta * l->s[(l->m - 1) * l->m + i]);
    const double of = l->tol * fmax(pow(l->eps, 2.0 / 3), fabs(l->theta[i]));
    return bound <= fmax(of, rounding);
}

/* --- restarts --- */

/* Coefficients of eigenvectors as rows, in a real type. */
static cp_array *coefficients(const cpi_lanczos *l, int64_t count, const int64_t *which, cp_type real)
{
    double *c = cpi_malloc(sizeof *c * (size_t)((count + 1) * l->m));
    if (!c) return NULL;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < l->m; k++) c[i * l->m + k] = l->s[k * l->m + which[i]];
    cp_array *made = cp_from_host(c, CP_FLOAT64, CP_SHAPE(count, l->m), NULL);
    cpi_free_host(c);
    return made ? cp_astype(made, real) : NULL;
}
/* The coefficients are real, so the basis is taken as real numbers. */
static cp_type real_type(const cpi_lanczos *l) { return cpi_sparse_single(l->type) ? CP_FLOAT32 : CP_FLOAT64; }
static bool replace(cpi_lanczos *l, int64_t keep)
{
    cp_array *real = cp_view_as(l->rows, real_type(l)), *c = coefficients(l, keep, l->order, real_type(l));
    if (!real || !c) return false;
    const int64_t columns = cp_dim(real, 1);
    for (int64_t at = 0; at < columns; at += BLOCK) {
        const int64_t end = at + BLOCK < columns ? at + BLOCK : columns;
        cp_scope *scope = cp_scope_begin();
        cp_array *from = scope ? cp_slice(real, CP_ITEMS(CP_RANGE(0, l->m), CP_RANGE(at, end))) : NULL;
        cp_array *to = from ? cp_slice(real, CP_ITEMS(CP_RANGE(0, keep), CP_RANGE(at, end))) : NULL;
        cp_array *made = to ? cp_matmul(c, from) : NULL;
        const bool good = made && cp_assign(to, made) == CP_OK;
        cp_scope_end(scope);
        if (!good) return false;
    }
    cp_array *to = row(l, keep), *last = row(l, l->m);
    return to && last && cp_assign(to, last) == CP_OK;
}
/* The wanted Ritz vectors and a part of the others stay. */
static bool restart(cpi_lanczos *l, int64_t found)
{
    const int64_t m = l->m, part = (m - l->k) * 3 / 10, more = found / 2 > part ? found / 2 : part;
    const int64_t keep = l->k + more < m - 1 ? l->k + more : m - 1;
    if (!replace(l, keep)) return false;
    for (int64_t i = 0; i < m * m; i++) l->t[i] = 0;
    for (int64_t i = 0; i < keep; i++) {
        const int64_t at = l->order[i];
        l->t[i * m + i] = l->theta[at];
        l->t[keep * m + i] = l->t[i * m + keep] = l->beta * l->s[(m - 1) * m + at];
    }
    l->kept = keep;
    return true;
}
static bool begin(cpi_lanczos *l, cp_array *v0)
{
    const size_t m = (size_t)l->m, numbers = 2 * m * m + m + m * (m + 1);
    l->rows = cp_zeros(CP_SHAPE(l->m + 1, l->n), l->type);
    l->h = cp_zeros(CP_SHAPE(l->m, l->m + 1), cpi_sparse_number(l->type));
    if (!l->rows || !l->h) return false; /* sizes below do not overflow where there was memory for these */
    l->memory = cpi_malloc(numbers * sizeof(double) + m * sizeof(int64_t));
    cp_array *unit = l->memory ? cpi_sparse_unit(l->name, v0) : NULL;
    if (!unit) return false;
    l->t = l->memory, l->s = l->t + m * m, l->theta = l->s + m * m, l->read = l->theta + m;
    l->order = (int64_t *)(l->read + m * (m + 1));
    for (size_t i = 0; i < m * m; i++) l->t[i] = 0;
    return cp_assign(row(l, 0), unit) == CP_OK;
}
/* Restarts unless all converged or there are no more restarts: then those that did come to the front. */
static bool decide(cpi_lanczos *l, bool *ends)
{
    const double rounding = l->eps * fmax(fabs(l->theta[0]), fabs(l->theta[l->m - 1]));
    int64_t found = 0;
    sort_wanted(l);
    for (int64_t i = 0; i < l->k; i++) found += converged(l, l->order[i], rounding);
    *ends = found == l->k || l->iterations > l->maxiter;
    if (!*ends) return restart(l, found);
    for (int64_t i = 0; i < l->k; i++)
        if (converged(l, l->order[i], rounding)) l->order[l->found++] = l->order[i];
    return true;
}
bool cpi_lanczos_run(cpi_lanczos *l, cp_array *v0)
{
    l->scale = 1;
    if (!v0 || !begin(l, v0)) return false;
    for (;;) {
        cp_scope *scope = cp_scope_begin();
        bool good = scope && fill_in_range(l) && solve_small(l), ends = false;
        l->iterations++;
        if (good) good = decide(l, &ends);
        cp_scope_end(scope);
        if (!good || ends) return good;
    }
}
cp_array *cpi_lanczos_vectors(const cpi_lanczos *l, int64_t count, const int64_t *which)
{
    cp_array *real = cp_view_as(l->rows, real_type(l)), *c = coefficients(l, count, which, real_type(l));
    cp_array *basis = real ? cp_slice(real, CP_ITEMS(CP_RANGE(0, l->m))) : NULL;
    cp_array *v = basis && c ? cp_matmul(c, basis) : NULL;
    return v ? cp_transpose(cp_view_as(v, l->type), CP_ALL) : NULL;
}
void cpi_lanczos_free(cpi_lanczos *l) { cpi_free_host(l->memory); }
