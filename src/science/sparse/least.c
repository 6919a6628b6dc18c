/* Least squares by the bidiagonalization of Golub and Kahan: lsqr, lsmr.
 *
 * u and v are not divided by their norms: those are factors of what the vectors are used for. A step has three passes,
 * besides the products, of which the last two end with the method's numbers on the device (least_turns.inc).
 * Invariant: as krylov.c's, steps behind the last one change nothing. */
#include "operands/operands.h"
#include "sparse/krylov.h"
#include "sparse/vectors.h"

enum { LOOKS_APART = 16, ROOTS = 4, MOST_STATE = CPI_LSMR_STATE };
#define PLUS(k) CP_FACTOR(0, 0, CPI_LEAST_##k + 1, 0, 0, 0)
#define MINUS(k) CP_FACTOR(1, 0, CPI_LEAST_##k + 1, 0, 0, 0)
#define TURN(k) (CPI_TURN_##k << 3)

typedef struct least {
    const cp_sparse_least_options *o;
    cpi_linear a;
    bool lsmr;
    int64_t maxiter, every, done, looks, next;
    cp_array *u, *v, *spare, *x, *w, *h_bar, *var; /* owned by no scope, as numbers and state; h_bar: lsmr's */
    cp_array *numbers, *state;
    double found[MOST_STATE];                      /* the state when it was last read */
} least;

static bool passed(const least *c, int vectors, cp_array *const *vector, int n, const int64_t *plan)
{
    for (int i = 0; i < vectors; i++)
        if (!vector[i]) return false;
    return cp_vectors_pass(vectors, vector, n, plan, c->numbers, c->state, 1, 1, 1, 1, 0) == CP_OK;
}
#define PASS(plan, ...)                                                                                     \
    passed(c, (int)(sizeof((cp_array *[]){__VA_ARGS__}) / sizeof(cp_array *)), (cp_array *[]){__VA_ARGS__}, \
           (int)(sizeof(plan) / sizeof *(plan)), plan)

/* The next u, v, and the numbers that follow from their norms. */
static bool extend(least *c)
{
    static const int64_t of_u[] = {ROOTS, CPI_LEAST_BETA, 1, 0, 2, 1, PLUS(UNIT), 0, MINUS(BACK), 1, 0, 0};
    const int64_t turn = c->lsmr ? TURN(LSMR_ROTATE) : TURN(LSQR_ROTATE);
    const int64_t of_v[] = {ROOTS | turn, CPI_LEAST_ALPHA, 1, 0, 2, 1,
                            CP_FACTOR(0, 0, 0, CPI_LEAST_BETA + 1, 0, 0) | CP_FACTOR_SAFE, 2,
                            CP_FACTOR(1, 0, CPI_LEAST_BETA + 1, 0, CPI_LEAST_UNIT + 1, 0), 1, 0, 0};
    if (!PASS(of_u, c->u, cpi_linear_times(&c->a, c->v)) ||
        !PASS(of_v, c->spare, cpi_linear_adjoint(&c->a, c->u), c->v))
        return false;
    cp_array *last = c->v;
    c->v = c->spare, c->spare = last;
    return true;
}
/* (w / rho)^2 for the variances; 0 behind the last step. */
static bool vary(least *c)
{
    static const int64_t plan[] = {0, 0, 1, 0, 1, 1, PLUS(OTHER), 0};
    cp_array *part = cp_empty(CP_SHAPE(c->a.columns), c->a.type);
    if (!PASS(plan, part, c->w)) return false;
    cp_array *size = cp_astype(cp_absolute(part), CP_FLOAT64);
    return cpi_krylov_put(&c->var, cp_add(c->var, cp_multiply(size, size)));
}
static bool step(least *c)
{
    enum { X, W, V, H_BAR };
    static const int64_t lsqr[] = {ROOTS | TURN(LSQR_END), CPI_LEAST_SIZE, 2, X, 2, X, 0, W, PLUS(AHEAD),
                                   W, 2, V, PLUS(UNIT), W, MINUS(TURN), 1, W, W};
    static const int64_t lsmr[] = {ROOTS | TURN(LSMR_END), CPI_LEAST_SIZE, 3, H_BAR, 2, W, 0, H_BAR, MINUS(OTHER),
                                   X, 2, X, 0, H_BAR, PLUS(AHEAD), W, 2, V, PLUS(UNIT), W, MINUS(TURN), 1, X, X};
    if (!extend(c) || (c->var && !vary(c))) return false;
    c->done++;
    return c->lsmr ? PASS(lsmr, c->x, c->w, c->v, c->h_bar) : PASS(lsqr, c->x, c->w, c->v);
}
/* Reads the state where it is time to; whether one goes on. */
static bool goes_on(least *c)
{
    if (c->done < c->next && c->done < c->maxiter) return true;
    if (cp_to_host(c->state, c->found, (c->lsmr ? CPI_LSMR_STATE : CPI_LSQR_STATE) * sizeof(double)) != CP_OK)
        return false;
    c->looks++;
    c->next = c->done + (c->every ? c->every : !c->done ? 1 : c->done < LOOKS_APART ? c->done : LOOKS_APART);
    return c->found[0] != 0 && c->done < c->maxiter;
}

/* --- the beginning --- */

static cp_code check(least *c, cp_array *b)
{
    const cp_sparse_least_options *o = c->o;
    const char *name = c->a.name;
    if (b->ndim != 1 || b->size != c->a.rows)
        return cpi_fail(CP_ERROR_VALUE, "%s: b must be 1-D and have %lld elements, as a has rows", name,
                        (long long)c->a.rows);
    if (o->x0 && (o->x0->ndim != 1 || o->x0->size != c->a.columns))
        return cpi_fail(CP_ERROR_VALUE, "%s: x0 must be 1-D and have %lld elements, as a has columns", name,
                        (long long)c->a.columns);
    if (!(o->damp >= 0)) return cpi_fail(CP_ERROR_VALUE, "%s: damp must not be negative", name);
    if (o->atol != o->atol || o->btol != o->btol || o->conlim != o->conlim)
        return cpi_fail(CP_ERROR_VALUE, "%s: atol, btol and conlim must not be NaN", name);
    if (o->maxiter < 0) return cpi_fail(CP_ERROR_VALUE, "%s: maxiter must not be negative", name);
    if (o->every < 0) return cpi_fail(CP_ERROR_VALUE, "%s: every must not be negative", name);
    return CP_OK;
}
/* The tolerance that an option means: 0 is the default, a negative one none. */
static double given(double x, double otherwise) { return x == 0 ? otherwise : x < 0 ? 0 : x; }
/* State and numbers before the first step, of the norms of b, of u, and of v. */
static bool begin(least *c, double first, double beta, double alpha)
{
    const cp_sparse_least_options *o = c->o;
    double *const s = c->found;
    s[0] = 1, s[2] = s[CPI_LEAST_DAMPED] = beta;
    s[CPI_LEAST_ATOL] = given(o->atol, 1e-6), s[CPI_LEAST_BTOL] = given(o->btol, 1e-6);
    s[CPI_LEAST_LIMIT] = o->conlim < 0 ? 0 : 1 / given(o->conlim, 1e8);
    s[CPI_LEAST_MAXITER] = (double)c->maxiter, s[CPI_LEAST_DAMP] = o->damp, s[CPI_LEAST_FIRST] = first;
    s[CPI_LEAST_NOW] = alpha, s[CPI_LEAST_NORMAL] = alpha * beta;
    if (c->lsmr) {
        s[CPI_LEAST_ANORM] = alpha, s[CPI_LEAST_COND] = 1;
        s[CPI_LSMR_ALPHA_BAR] = alpha, s[CPI_LSMR_ZETA_BAR] = alpha * beta, s[CPI_LSMR_BETA_DD] = beta;
        s[CPI_LSMR_RHO] = s[CPI_LSMR_RHO_BAR] = s[CPI_LSMR_C_BAR] = s[CPI_LSMR_RHO_D] = 1;
        s[CPI_LSMR_SQUARE] = alpha * alpha, s[CPI_LSMR_LEAST] = 1e100;
    } else {
        s[CPI_LSQR_RHO_BAR] = alpha, s[CPI_LSQR_PHI_BAR] = beta, s[CPI_LSQR_C2] = -1;
        s[CPI_LSQR_WSIZE] = 1;
    }
    double numbers[CPI_LEAST_NUMBERS] = {[CPI_LEAST_BETA] = beta, [CPI_LEAST_ALPHA] = alpha};
    if (alpha > 0) numbers[CPI_LEAST_UNIT] = 1 / alpha, numbers[CPI_LEAST_BACK] = alpha / beta;
    cp_array *of = cp_from_host(numbers, CP_FLOAT64, CP_SHAPE(CPI_LEAST_NUMBERS), NULL);
    const int64_t size = c->lsmr ? CPI_LSMR_STATE : CPI_LSQR_STATE;
    return of && cpi_krylov_put(&c->numbers, cp_astype(of, cpi_sparse_number(c->a.type))) &&
           cpi_krylov_put(&c->state, cp_from_host(s, CP_FLOAT64, CP_SHAPE(size), NULL));
}
static double read(cp_array *size) { return size ? cp_item_float(size) : 0; }
/* x, the first u, v and w; false on failure. *any: whether there is a step to do. */
static bool start(least *c, cp_array *b, bool *any)
{
    const cp_type type = c->a.type;
    const int64_t n = c->a.columns;
    b = cp_astype(b, type);
    cp_array *x = c->o->x0 ? cp_astype(c->o->x0, type) : cp_zeros(CP_SHAPE(n), type);
    const double first = read(cpi_krylov_norm(b));
    if (!x || !b || cp_error() != CP_OK) return false;
    if (c->lsmr && first == 0) x = cp_zeros(CP_SHAPE(n), type); /* whatever x0 was, as in SciPy */
    cp_array *u = c->o->x0 && !(c->lsmr && first == 0) ? cp_subtract(b, cpi_linear_times(&c->a, x)) : cp_copy(b);
    const double beta = read(cpi_krylov_norm(u));
    if (!cpi_krylov_put(&c->x, x) || !cpi_krylov_put(&c->u, u) || cp_error() != CP_OK) return false;
    cp_array *q = beta == 0 ? cp_zeros(CP_SHAPE(n), type) : cpi_linear_adjoint(&c->a, u); /* a may have NaN */
    cp_array *v = q && beta != 0 ? cp_divide(q, cp_float(beta)) : q;
    const double alpha = read(cpi_krylov_norm(v));
    if (!cpi_krylov_put(&c->v, v) || !begin(c, first, beta, alpha)) return false;
    *any = alpha * beta != 0;
    if (!*any) return true;
    if (c->o->variances && !c->lsmr && !cpi_krylov_put(&c->var, cp_zeros(CP_SHAPE(n), CP_FLOAT64))) return false;
    return cpi_krylov_put(&c->w, cp_divide(v, cp_float(alpha))) &&
           cpi_krylov_put(&c->spare, cp_empty(CP_SHAPE(n), type)) &&
           (!c->lsmr || cpi_krylov_put(&c->h_bar, cp_zeros(CP_SHAPE(n), type)));
}
static void run_steps(least *c, cp_array *b)
{
    bool any = false, good = start(c, b, &any);
    while (good && any) {
        cp_scope *scope = cp_scope_begin();
        good = scope && step(c);
        cp_scope_end(scope);
        if (!good || !goes_on(c)) break;
    }
}
static void report(const least *c)
{
    const double *s = c->found;
    if (!c->o->report || cp_error() != CP_OK) return;
    *c->o->report = (cp_sparse_least_report){
        .stop = (int)s[CPI_LEAST_STOP], .iterations = (int64_t)s[1], .residual = s[2], .damped = s[CPI_LEAST_DAMPED],
        .norm = s[CPI_LEAST_ANORM], .condition = s[CPI_LEAST_COND], .normal = s[CPI_LEAST_NORMAL],
        .size = s[CPI_LEAST_XSIZE], .looks = c->looks};
}
/* The variances, which the caller owns as it does x. */
static bool give_variances(least *c, cp_array **var)
{
    if (!c->o->variances || c->lsmr || cp_error() != CP_OK) return true;
    *var = c->var ? cp_copy(c->var) : cp_zeros(CP_SHAPE(c->a.columns), CP_FLOAT64);
    return *var != NULL;
}
static cp_array *solve(const char *name, bool lsmr, cp_sparse *a, cp_array *b, const cp_sparse_least_options *options)
{
    least c = {.o = CPI_GIVEN(cp_sparse_least_options, options), .lsmr = lsmr};
    cpi_composite f;
    if (cpi_linear_check(&c.a, name, a, c.o->map, true) || cpi_null(name, b) || check(&c, b) ||
        !cpi_linear_begin(&f, &c.a, a, b))
        return NULL;
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){a ? a->part[0] : NULL, b, c.o->x0});
    const int64_t m = c.a.rows, n = c.a.columns, least_length = m < n ? m : n;
    c.a.type = cpi_sparse_solution_type(c.a.type, b->type);
    c.every = c.o->every ? c.o->every : device && device->backend->at_once ? 1 : 0;
    c.maxiter = c.o->maxiter ? c.o->maxiter : lsmr ? least_length : n > INT64_MAX / 2 ? n : 2 * n;
    if (device && cpi_linear_open(&c.a, a, true)) run_steps(&c, b);
    cp_array *x = cp_error() == CP_OK ? cp_copy(c.x) : NULL, *var = NULL;
    if (x && give_variances(&c, &var)) report(&c);
    cp_array *const held[] = {c.u, c.v, c.spare, c.x, c.w, c.h_bar, c.var, c.numbers, c.state};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) cp_free(held[i]);
    cpi_linear_close(&c.a);
    if (var) cp_keep(var);
    x = cpi_end(&f, x);
    cpi_sparse_given(c.o->variances, x ? var : NULL);
    if (!x) cp_free(var);
    return x;
}
cp_array *(cp_sparse_lsqr)(cp_sparse *a, cp_array *b, const cp_sparse_least_options *options)
{
    return solve("sparse_lsqr", false, a, b, options);
}
cp_array *(cp_sparse_lsmr)(cp_sparse *a, cp_array *b, const cp_sparse_least_options *options)
{
    return solve("sparse_lsmr", true, a, b, options);
}
