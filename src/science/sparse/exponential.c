/* The exponential's action on vectors: A. H. Al-Mohy and N. J. Higham, Computing the action of the matrix exponential,
 * with an application to exponential integrators, SIAM J. Sci. Comput. 33 (2011).
 *
 * Taylor's series in steps, of the matrix less its mean diagonal element. How many terms and steps follows from its
 * 1-norm, of few columns from those of its powers. Invariant: between steps f is exp(t a) b of the time t so far. */
#include <complex.h>
#include <math.h>

#include "operands/operands.h"
#include "sparse/estimate.h"
#include "sparse/krylov.h"

/* The largest 1-norm of which so many terms of the series give 53 bits: table 3.1 there. */
static const struct { int terms; double theta; } SERIES[] = {
    {5, 2.4e-3}, {10, 1.4e-1}, {15, 6.4e-1}, {20, 1.4}, {25, 2.4}, {30, 3.5}, {35, 4.7}, {40, 6.0}, {45, 7.2},
    {50, 8.5}, {55, 9.9}};
enum { KINDS = sizeof SERIES / sizeof *SERIES, POWERS = 9, APART = 5 /* terms between two looks */ };

typedef struct exponential {
    const char *name;
    cpi_linear a;
    cpi_operator o;
    double complex mu;          /* the mean diagonal element, which was subtracted */
    double size;                /* the 1-norm of what is left */
    int64_t columns;
    cp_array *b, *f;            /* a step's last term and sum; of no scope */
} exponential;
typedef struct plan { int64_t terms, steps; } plan;

static cp_array *number(const exponential *e, double complex x)
{
    return cpi_is_complex(e->a.type) ? cp_complex(creal(x), cimag(x)) : cp_float(creal(x));
}
static bool is_finite(const exponential *e, double size)
{
    if (isfinite(size)) return true;
    cpi_fail(CP_ERROR_VALUE, "%s: the 1-norm of a must be finite", e->name);
    return false;
}

/* --- how many terms and steps --- */

/* The plan for a time; false on failure. */
static bool find_plan(const exponential *e, double t, plan *p)
{
    const double size = fabs(t) * e->size;
    double root[POWERS + 1];
    *p = (plan){0, 1};
    if (!is_finite(e, size)) return false;
    if (size == 0) return true;
    double least = HUGE_VAL;
    for (int i = 0; i < KINDS; i++) {
        const double steps = ceil(size / SERIES[i].theta);
        if (steps * SERIES[i].terms < least) *p = (plan){SERIES[i].terms, (int64_t)steps}, least = steps * p->terms;
    }
    if (least > 1e15) {
        cpi_fail(CP_ERROR_VALUE, "%s: the 1-norm of a is too large, %g", e->name, e->size);
        return false;
    }
    if (size <= 4 * 8 * 11 * SERIES[KINDS - 1].theta / (double)(55 * e->columns)) return true;
    for (int power = 2; power <= POWERS; power++) {
        cpi_operator o = e->o;
        o.power = power;
        const double norm = cpi_operator_norm(&o, 2, 5, NULL, NULL);
        if (cp_error() != CP_OK) return false;
        root[power] = fabs(t) * pow(norm, 1.0 / power);
    }
    for (int power = 2; power < POWERS; power++)
        for (int i = 0; i < KINDS; i++) {
            const double norm = fmax(root[power], root[power + 1]), steps = fmax(ceil(norm / SERIES[i].theta), 1);
            if (SERIES[i].terms >= power * (power - 1) - 1 && steps * SERIES[i].terms < least)
                *p = (plan){SERIES[i].terms, (int64_t)steps}, least = steps * SERIES[i].terms;
        }
    return true;
}

/* --- the series --- */

/* Whether the last two terms, of which the first one's size is `before`, are but rounding of the sum. */
static bool small_enough(const exponential *e, cp_array *before, bool *ends)
{
    double size[3] = {0};
    cp_array *each[3] = {before, cp_max(cp_absolute(e->b)), cp_max(cp_absolute(e->f))};
    cp_array *all = cp_stack(3, each, 0), *wide = all ? cp_astype(all, CP_FLOAT64) : NULL;
    if (!wide || cp_to_host(wide, size, sizeof size) != CP_OK) return false;
    *ends = size[0] + size[1] <= 0x1p-53 * size[2];
    return true;
}
/* One term more. *before: the size of the term before the last look's next one. */
static bool add_term(exponential *e, double factor, int64_t j, cp_array **before, bool *ends)
{
    if (j % APART == 0 && !cpi_krylov_put(before, cp_max(cp_absolute(e->b)))) return false;
    cp_array *product = cpi_operator_times(&e->o, e->b);
    if (!product || !cpi_krylov_put(&e->b, cp_multiply(product, cp_float(factor))) ||
        !cpi_krylov_put(&e->f, cp_add(e->f, e->b)))
        return false;
    return j % APART != APART - 1 || small_enough(e, *before, ends);
}
/* exp(t a) b, with b in e->b and the result there. */
static bool advance(exponential *e, double t, const plan *p)
{
    cp_array *before = NULL;
    bool good = cpi_krylov_put(&e->f, cp_copy(e->b));
    for (int64_t s = 0; s < p->steps && good; s++) {
        bool ends = false;
        for (int64_t j = 0; j < p->terms && good && !ends; j++) {
            cp_scope *scope = cp_scope_begin();
            good = scope && add_term(e, t / ((double)p->steps * (double)(j + 1)), j, &before, &ends);
            cp_scope_end(scope);
        }
        cp_scope *scope = cp_scope_begin();
        cp_array *by = scope && good ? number(e, cexp(t * e->mu / (double)p->steps)) : NULL;
        good = by && cpi_krylov_put(&e->f, cp_multiply(e->f, by)) && cpi_krylov_put(&e->b, cp_copy(e->f));
        cp_scope_end(scope);
    }
    cp_free(before);
    return good;
}
/* The results at all times, each from the one before. */
static cp_array *at_times(exponential *e, const cp_sparse_expm_options *o)
{
    const double step = (o->stop - o->start) / (double)(o->num - (o->open ? 0 : 1));
    int64_t shape[3] = {o->num, e->b->shape[0], e->b->ndim > 1 ? e->b->shape[1] : 0};
    cp_array *all = cp_empty((cp_shape){e->b->ndim + 1, shape}, e->a.type);
    plan p;
    if (!all || (o->start != 0 && (!find_plan(e, o->start, &p) || !advance(e, o->start, &p))) ||
        !find_plan(e, step, &p))
        return NULL;
    for (int64_t k = 0; k < o->num; k++) {
        if (k && !advance(e, step, &p)) return NULL;
        cp_array *to = cp_slice(all, CP_ITEMS(CP_AT(k)));
        if (!to || cp_assign(to, e->b) != CP_OK) return NULL;
    }
    return all;
}

/* --- the beginning --- */

static cp_code check(const exponential *e, cp_array *b, const cp_sparse_expm_options *o)
{
    const int64_t n = e->a.rows;
    if (e->a.columns != n)
        return cpi_fail(CP_ERROR_VALUE, "%s: a must be square, not (%lld, %lld)", e->name, (long long)n,
                        (long long)e->a.columns);
    if (b->ndim < 1 || b->ndim > 2 || b->shape[0] != n)
        return cpi_fail(CP_ERROR_VALUE, "%s: b must be 1-D or 2-D and have %lld rows, as a has columns", e->name,
                        (long long)n);
    if (o->num < 0 || o->num == 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: num must be at least 2, not %lld", e->name, (long long)o->num);
    if (!isfinite(o->start) || !isfinite(o->stop))
        return cpi_fail(CP_ERROR_VALUE, "%s: start and stop must be finite", e->name);
    if (!o->num && (o->start != 0 || o->stop != 0 || o->open))
        return cpi_fail(CP_ERROR_VALUE, "%s: start, stop and open need num", e->name);
    if (o->trace && (o->trace->ndim || !e->a.map))
        return cpi_fail(CP_ERROR_VALUE, "%s: trace must be 0-D, and is that of a map", e->name);
    return CP_OK;
}
static bool read_number(cp_array *x, double complex *to)
{
    cp_array *wide = x ? cp_astype(x, CP_COMPLEX128) : NULL;
    return wide && cp_to_host(wide, to, sizeof *to) == CP_OK;
}
/* The matrix less mu on the diagonal. */
static cp_sparse *shifted(const exponential *e, cp_sparse *a)
{
    cp_array *line = cp_full(CP_SHAPE(1, e->a.rows), e->a.type, number(e, e->mu));
    cp_sparse *diagonal = line ? cp_sparse_from_diagonals(e->a.rows, e->a.rows, line, 1, (int64_t[]){0}, CP_SPARSE_CSR)
                               : NULL;
    cp_sparse *made = diagonal ? cp_sparse_subtract(a, diagonal) : NULL;
    cp_sparse_free(diagonal);
    return made;
}
/* Makes what is multiplied by and finds its norm. False on failure. */
static bool open_matrix(exponential *e, cp_sparse *a)
{
    double complex trace = 0;
    if (!read_number(cp_sum(cp_sparse_diagonal(a, 0)), &trace)) return false;
    e->mu = trace / (double)e->a.rows;
    cp_sparse *rows = cp_sparse_convert(a, CP_SPARSE_CSR), *typed = rows ? cp_sparse_astype(rows, e->a.type) : NULL;
    cp_sparse *less = typed && e->mu != 0 ? shifted(e, typed) : cp_sparse_retain(typed);
    const bool good = less && cpi_linear_open(&e->a, less, true);
    cp_array *size = good ? cp_sparse_norm(less, '1') : NULL;
    if (size) e->size = cp_item_float(size);
    cp_sparse_free(less);
    cp_sparse_free(typed);
    cp_sparse_free(rows);
    return size && cp_error() == CP_OK;
}
static bool open_map(exponential *e, cp_array *trace)
{
    double complex sum = 0;
    if (trace && !read_number(trace, &sum)) return false;
    e->mu = sum / (double)e->a.rows;
    if (e->mu != 0) {
        e->o.mu = number(e, e->mu), e->o.mu_adjoint = number(e, conj(e->mu));
        if (!e->o.mu || !e->o.mu_adjoint) return false;
    }
    e->size = cpi_operator_norm(&e->o, 2, 5, NULL, NULL);
    return cp_error() == CP_OK;
}
static cp_array *multiplied(exponential *e, cp_sparse *a, const cp_sparse_expm_options *o)
{
    plan p;
    if (!(a ? open_matrix(e, a) : open_map(e, o->trace)) || !is_finite(e, e->size)) return NULL;
    if (o->num) return at_times(e, o);
    return find_plan(e, 1, &p) && advance(e, 1, &p) ? cp_copy(e->b) : NULL;
}
cp_array *(cp_sparse_expm_multiply)(cp_sparse *a, cp_array *b, const cp_sparse_expm_options *options)
{
    exponential e = {.name = "sparse_expm_multiply"};
    const cp_sparse_expm_options *o = CPI_GIVEN(cp_sparse_expm_options, options);
    cpi_composite f;
    if (cpi_linear_check(&e.a, e.name, a, o->map, true) || cpi_null(e.name, b) || check(&e, b, o) ||
        !cpi_linear_begin(&f, &e.a, a, b))
        return NULL;
    cpi_device *device = cpi_common_device(e.name, 2, (cp_array *const[]){a ? a->part[0] : NULL, b});
    e.a.type = cpi_sparse_solution_type(e.a.type, b->type);
    if (o->num) e.a.type = cp_promote(e.a.type, CP_FLOAT64); /* as SciPy's */
    e.o = (cpi_operator){.l = &e.a, .power = 1};
    e.columns = b->ndim > 1 ? b->shape[1] : 1;
    cp_array *x = NULL;
    if (device && cpi_krylov_put(&e.b, cp_astype(b, e.a.type))) {
        if (b->size) x = multiplied(&e, a, o);
        else if (!o->num) x = cp_copy(e.b);
        else x = cp_zeros((cp_shape){b->ndim + 1, (int64_t[3]){o->num, b->shape[0], b->ndim > 1 ? b->shape[1] : 0}},
                          e.a.type);
    }
    cp_free(e.b);
    cp_free(e.f);
    cpi_linear_close(&e.a);
    return cpi_end(&f, x);
}
