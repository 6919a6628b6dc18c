/* Estimates of the 1-norm of what can only multiply: N. J. Higham and F. Tisseur, A block algorithm for matrix 1-norm
 * estimation, SIAM J. Matrix Anal. Appl. 21 (2000), algorithm 2.4.
 *
 * Products are of t columns at once. Their sums, and the greatest element of each row of the adjoint's, go to the host,
 * which chooses the next columns. Invariant: the estimate is the norm of a column that was multiplied. */
#include <math.h>

#include "operands/operands.h"
#include "sparse/estimate.h"
#include "sparse/krylov.h"
#include "sparse/lanczos.h"

enum { RESAMPLES = 10 };

static cp_array *once(const cpi_operator *o, cp_array *x, bool adjoint)
{
    cp_array *y = adjoint ? cpi_linear_adjoint(o->l, x) : cpi_linear_times(o->l, x);
    cp_array *mu = adjoint ? o->mu_adjoint : o->mu;
    return y && mu ? cp_subtract(y, cp_multiply(x, mu)) : y;
}
cp_array *cpi_operator_times(const cpi_operator *o, cp_array *x)
{
    for (int p = 0; p < o->power && x; p++) x = once(o, x, false);
    return x;
}
static cp_array *adjoint_times(const cpi_operator *o, cp_array *x)
{
    for (int p = 0; p < o->power && x; p++) x = once(o, x, true);
    return x;
}

typedef struct estimate {
    const cpi_operator *o;
    int64_t n, t, count, best;  /* count: columns that were tried; best: the column of the estimate */
    double last;
    cp_array *x, *s, *w;        /* columns, the last signs, the product of the best column: of no scope */
    double *sums;               /* t of them; */
    double *rows;               /* n, of the adjoint's products; */
    double *square;             /* t (t + 1) pairs: products of columns of signs */
    int64_t *tried, *order;     /* t (itmax + 1) each */
    uint64_t draws;
} estimate;

static bool read(cp_array *x, int64_t n, double *to)
{
    cp_array *wide = x ? cp_astype(x, CP_FLOAT64) : NULL;
    return wide && cp_to_host(wide, to, (size_t)n * sizeof *to) == CP_OK;
}
/* Each element by its absolute value, 1 for 0. */
static cp_array *signs_of(cp_array *x)
{
    cp_array *size = cp_absolute(x), *zero = size ? cp_equal(size, cp_float(0)) : NULL;
    cp_array *ratio = zero ? cp_divide(x, cp_where(zero, cp_float(1), size)) : NULL;
    cp_array *signs = ratio ? cp_where(zero, cp_float(1), ratio) : NULL;
    return signs ? cp_astype(signs, x->type) : NULL;
}
/* Whether each column of signs is one of `before`, or that with the other sign; with itself: one before it. */
static bool parallel(estimate *e, cp_array *s, cp_array *before, bool *same)
{
    cp_array *product = cp_matmul(cp_transpose(s, CP_ALL), before);
    if (!read(product, e->t * e->t, e->square)) return false;
    for (int64_t i = 0; i < e->t; i++)
        for (int64_t j = 0; j < (s == before ? i : e->t); j++)
            if (fabs(e->square[i * e->t + j]) > (double)e->n - 0.5) same[i] = true;
    return true;
}
/* Columns that say nothing new become random signs. */
static bool resample(estimate *e, cp_array *s, cp_array *before)
{
    bool *same = cpi_malloc((size_t)e->t), good = same != NULL;
    for (int round = 0; round < RESAMPLES && good; round++) {
        bool any = false;
        for (int64_t i = 0; i < e->t; i++) same[i] = false;
        good = parallel(e, s, s, same) && (!before || parallel(e, s, before, same));
        for (int64_t i = 0; i < e->t && good; i++) {
            if (!same[i]) continue;
            any = true;
            cp_array *to = cp_slice(s, CP_ITEMS(CP_FULL, CP_AT(i)));
            cp_array *noise = cpi_sparse_noise(e->n, ++e->draws, s->type), *drawn = noise ? signs_of(noise) : NULL;
            good = drawn && to && cp_assign(to, drawn) == CP_OK;
        }
        if (!any) break;
    }
    cpi_free_host(same);
    return good;
}
static bool was_tried(const estimate *e, int64_t row)
{
    for (int64_t i = 0; i < e->count; i++)
        if (e->tried[i] == row) return true;
    return false;
}
/* The rows of the greatest numbers, as many as count; the first of equal ones first. */
static int64_t greatest(estimate *e, int64_t count)
{
    int64_t made = 0;
    for (int64_t r = 0; r < e->n; r++) {
        if (made == count && !(e->rows[r] > e->rows[e->order[made - 1]])) continue;
        int64_t at = made < count ? made++ : made - 1;
        for (; at > 0 && e->rows[r] > e->rows[e->order[at - 1]]; at--) e->order[at] = e->order[at - 1];
        e->order[at] = r;
    }
    return made;
}
/* The unit vectors of the next round. *ends where all of them were tried. */
static bool choose(estimate *e, bool *ends)
{
    const int64_t made = greatest(e, e->t + e->count);
    int64_t fresh = 0, old = 0;
    for (int64_t i = 0; i < e->t; i++) old += was_tried(e, e->order[i]);
    *ends = e->t > 1 && old == e->t;
    if (*ends) return true;
    for (int64_t i = 0; i < made && e->t > 1 && fresh < e->t; i++) { /* those that were not tried first */
        const int64_t row = e->order[i];
        if (was_tried(e, row)) continue;
        for (int64_t j = i; j > fresh; j--) e->order[j] = e->order[j - 1];
        e->order[fresh++] = row;
    }
    cp_array *at = cp_from_host(e->order, CP_INT64, CP_SHAPE(1, e->t), NULL);
    cp_array *rows = cp_reshape(cp_arange_int(0, e->n, 1, CP_INT64), CP_SHAPE(e->n, 1));
    cp_array *unit = at && rows ? cp_equal(rows, at) : NULL;
    return unit && cpi_krylov_put(&e->x, cp_astype(unit, e->o->l->type));
}
/* Round k: products, signs, the next columns. */
static bool run_round(estimate *e, int64_t k, int64_t itmax, bool *ends)
{
    cp_array *y = cpi_operator_times(e->o, e->x), *before = e->s;
    if (!read(y ? cp_sum(cp_absolute(y), .axis = CP_AXES(0), .typed = true, .dtype = CP_FLOAT64) : NULL, e->t, e->sums))
        return false;
    int64_t j = 0;
    for (int64_t i = 1; i < e->t; i++)
        if (e->sums[i] > e->sums[j]) j = i;
    const double now = e->sums[j];
    if (now > e->last || k <= 2) {
        e->best = k >= 2 ? e->order[j] : 0;
        if (!cpi_krylov_put(&e->w, cp_copy(cp_slice(y, CP_ITEMS(CP_FULL, CP_AT(j)))))) return false;
    }
    *ends = (k >= 2 && now <= e->last) || k > itmax;
    if (k < 2 || !(now <= e->last)) e->last = now;
    if (*ends) return true;
    cp_array *s = signs_of(y);
    const bool real = s && !cpi_is_complex(s->type);
    if (before && real) {
        bool *same = cpi_malloc((size_t)e->t), all = true;
        for (int64_t i = 0; same && i < e->t; i++) same[i] = false;
        const bool good = same && parallel(e, s, before, same);
        for (int64_t i = 0; good && i < e->t; i++) all &= same[i];
        cpi_free_host(same);
        if (!good) return false;
        if ((*ends = all)) return true;
    }
    if (!s || (e->t > 1 && real && !resample(e, s, before))) return false;
    cp_array *h = adjoint_times(e->o, s);
    if (!read(h ? cp_max(cp_absolute(h), .axis = CP_AXES(1)) : NULL, e->n, e->rows)) return false;
    if (!cpi_krylov_put(&e->s, s)) return false;
    int64_t most = 0;
    for (int64_t i = 1; i < e->n; i++)
        if (e->rows[i] > e->rows[most]) most = i;
    *ends = k >= 2 && e->rows[most] == e->rows[e->best];
    if (*ends || !choose(e, ends) || *ends) return cp_error() == CP_OK;
    for (int64_t i = 0; i < e->t; i++)
        if (!was_tried(e, e->order[i])) e->tried[e->count++] = e->order[i];
    return true;
}
/* The first columns: ones, and random signs. */
static bool begin(estimate *e, int64_t itmax)
{
    const size_t n = (size_t)e->n, t = (size_t)e->t, places = t * (size_t)(itmax + 2);
    e->sums = cpi_malloc((t + n + t * (t + 1)) * sizeof(double) + 2 * places * sizeof(int64_t));
    cp_array *x = cp_ones(CP_SHAPE(e->n, e->t), e->o->l->type);
    if (!e->sums || !x) return false;
    e->rows = e->sums + t, e->square = e->rows + n, e->tried = (int64_t *)(e->square + t * (t + 1));
    e->order = e->tried + places;
    if (e->t > 1 && cpi_is_complex(x->type)) { /* signs are drawn as real numbers */
        x = cp_ones(CP_SHAPE(e->n, e->t), CP_FLOAT64);
        if (!x || !resample(e, x, NULL)) return false;
        x = cp_astype(x, e->o->l->type);
    } else if (e->t > 1 && !resample(e, x, NULL)) return false;
    return x && cpi_krylov_put(&e->x, cp_divide(x, cp_float((double)e->n)));
}
/* All columns, where there are no more than are tried at once. */
static double exactly(const cpi_operator *o, int64_t *v, cp_array **w)
{
    const int64_t n = o->l->rows;
    if (!n) return 0;
    cp_array *y = cpi_operator_times(o, cp_eye(n, n, 0, o->l->type));
    cp_array *sums = y ? cp_sum(cp_absolute(y), .axis = CP_AXES(0), .typed = true, .dtype = CP_FLOAT64) : NULL;
    cp_array *at = cp_argmax(sums), *most = cp_max(sums);
    if (!most || !at) return -1;
    const double found = cp_item_float(most);
    *v = cp_item_int(at);
    *w = cp_copy(cp_slice(y, CP_ITEMS(CP_FULL, CP_AT(*v))));
    return *w && cp_error() == CP_OK ? found : -1;
}
double cpi_operator_norm(const cpi_operator *o, int64_t t, int64_t itmax, int64_t *v, cp_array **w)
{
    int64_t column = 0;
    cp_array *product = NULL;
    double found = -1;
    if (t >= o->l->rows) found = exactly(o, &column, &product);
    else {
        estimate e = {.o = o, .n = o->l->rows, .t = t};
        bool good = begin(&e, itmax), ends = false;
        for (int64_t k = 1; good && !ends; k++) {
            cp_scope *scope = cp_scope_begin();
            good = scope && run_round(&e, k, itmax, &ends);
            cp_scope_end(scope);
        }
        column = e.best, found = good ? e.last : -1;
        product = good && w ? cp_copy(e.w) : NULL;
        if (w && !product) found = -1;
        cp_free(e.x);
        cp_free(e.s);
        cp_free(e.w);
        cpi_free_host(e.sums);
    }
    if (v) *v = column;
    if (w) *w = product;
    return found;
}

cp_array *(cp_sparse_onenormest)(cp_sparse *a, const cp_sparse_onenormest_options *options)
{
    const char *name = "sparse_onenormest";
    const cp_sparse_onenormest_options *o = CPI_GIVEN(cp_sparse_onenormest_options, options);
    const int64_t t = o->t ? o->t : 2, itmax = o->itmax ? o->itmax : 5;
    cpi_composite f;
    cpi_linear l;
    if (cpi_linear_check(&l, name, a, o->map, true)) return NULL;
    if (l.rows != l.columns)
        return cpi_fail(CP_ERROR_VALUE, "%s: a must be square, not (%lld, %lld)", name, (long long)l.rows,
                        (long long)l.columns), NULL;
    if (t < 1 || t > 1 << 16) return cpi_fail(CP_ERROR_VALUE, "%s: t must be 1 to 65536", name), NULL;
    if (itmax < 2 || itmax > 1 << 16) return cpi_fail(CP_ERROR_VALUE, "%s: itmax must be 2 to 65536", name), NULL;
    if (!cpi_linear_begin(&f, &l, a, NULL)) return NULL;
    cp_array *found = NULL, *v = NULL, *w = NULL;
    int64_t column = 0;
    const bool open = cpi_linear_open(&l, a, true);
    const double norm = open ? cpi_operator_norm(&(cpi_operator){&l, 1, NULL, NULL}, t, itmax, &column, &w) : -1;
    if (open && cp_error() == CP_OK) found = cp_full(CP_SHAPE0, CP_FLOAT64, cp_float(norm));
    if (found && o->v) {
        v = cp_zeros(CP_SHAPE(l.rows), l.type);
        if (v && l.rows && cp_assign(cp_slice(v, CP_ITEMS(CP_AT(column))), cp_float(1)) != CP_OK) found = NULL;
    }
    if (found && o->w && !w) w = cp_zeros(CP_SHAPE(l.rows), l.type); /* of no rows */
    cpi_linear_close(&l);
    if (v) cp_keep(v);
    if (w) cp_keep(w);
    found = cpi_end(&f, found);
    cpi_sparse_given(o->v, found ? v : NULL);
    cpi_sparse_given(o->w, found ? w : NULL);
    if (!found || !o->v) cp_free(v);
    if (!found || !o->w) cp_free(w);
    return found;
}
