/* Systems of matrices that are not Hermitian, by two short recurrences: cgs, bicg, qmr.
 *
 * A step's vectors are updated in passes; the turn of numbers behind a pass (turns.inc) makes the coefficients of the
 * products, on the device, and sees what breaks down. Invariant: as krylov.c's, steps behind the last one change
 * nothing. */
#include <float.h>

#include "operands/operands.h"
#include "sparse/krylov.h"
#include "sparse/vectors.h"

enum { MEASURE = 1, STEP = 2, MOST_VECTORS = 7 };
#define TURN(k) (CPI_TURN_##k << 3)
#define PLUS(k) CP_FACTOR(0, 0, (k) + 1, 0, 0, 0)
#define MINUS(k) CP_FACTOR(1, 0, (k) + 1, 0, 0, 0)

typedef struct two_sided {
    cp_array *v[MOST_VECTORS];  /* owned by no scope, as numbers and state: what each method says */
    cp_array *numbers, *state;
    bool alone;                 /* without a preconditioner */
} two_sided;

static bool passed(cpi_krylov *s, const two_sided *c, int vectors, cp_array *const *vector, int n, const int64_t *plan)
{
    for (int i = 0; i < vectors; i++)
        if (!vector[i]) return false;
    return cp_vectors_pass(vectors, vector, n, plan, c->numbers, c->state, 1, 1, 1, 1, s->limit) == CP_OK;
}
#define PASS(plan, ...) \
    passed(s, c, (int)(sizeof((cp_array *[]){__VA_ARGS__}) / sizeof(cp_array *)), (cp_array *[]){__VA_ARGS__}, \
           (int)(sizeof(plan) / sizeof *(plan)), plan)

/* A product as a pass takes it. */
static cp_array *line(cp_array *x) { return x ? cp_contiguous(x) : NULL; }

/* Numbers, a state and vectors, each a copy of the residual, or of 0 where it is not among the first ones. */
static bool begin(cpi_krylov *s, two_sided *c, int copies, int vectors, int64_t numbers, int64_t of_state, double least)
{
    double state[CPI_QMR_STATE] = {[0] = 1, [CPI_SOLVER_LEAST] = least};
    const cp_type number = cpi_is_complex(s->type) ? CP_COMPLEX128 : CP_FLOAT64;
    c->alone = !s->m && !s->o->apply;
    for (int i = 0; i < vectors; i++)
        if (!cpi_krylov_put(&c->v[i], i < copies ? cp_copy(s->r) : cp_zeros(CP_SHAPE(s->n), s->type))) return false;
    return cpi_krylov_put(&c->numbers, cp_zeros(CP_SHAPE(numbers), number)) &&
           cpi_krylov_put(&c->state, cp_from_host(state, CP_FLOAT64, CP_SHAPE(of_state), NULL));
}
/* Reads the state where it is time to; whether one goes on. */
static bool goes_on(cpi_krylov *s, const two_sided *c)
{
    double state[3];
    if (s->done < s->next && s->done < s->maxiter) return true;
    cp_array *first = cp_slice(c->state, CP_ITEMS(CP_RANGE(0, 3)));
    if (!first || cp_to_host(first, state, sizeof state) != CP_OK) return false;
    cpi_krylov_looked(s);
    s->residual = state[2];
    return state[0] != 0 && s->done < s->maxiter;
}
/* Runs steps, of which `first` makes the numbers. */
static bool run_steps(cpi_krylov *s, two_sided *c, bool begun, bool (*first)(cpi_krylov *, two_sided *),
                      bool (*step)(cpi_krylov *, two_sided *))
{
    bool good = begun && first(s, c);
    while (good && goes_on(s, c)) {
        cp_scope *scope = cp_scope_begin(); /* what a step makes */
        good = scope && step(s, c) && ++s->done;
        cp_scope_end(scope);
    }
    good = good && cp_error() == CP_OK &&
           cpi_krylov_put(&s->steps, cp_astype(cp_slice(c->state, CP_ITEMS(CP_AT(1))), CP_INT64));
    for (int i = 0; i < MOST_VECTORS; i++) cp_free(c->v[i]);
    cp_free(c->numbers);
    cp_free(c->state);
    return good;
}
static double epsilon(const cpi_krylov *s) { return cpi_krylov_single(s) ? FLT_EPSILON : DBL_EPSILON; }

/* --- conjugate gradients squared --- */

enum { CGS_P, CGS_U, CGS_SHADOW, CGS_Q, CGS_VECTORS };

static bool cgs_first(cpi_krylov *s, two_sided *c)
{
    static const int64_t plan[] = {MEASURE | TURN(BICG_RHO), CPI_BICG_SQUARE, 0, 2, 1, 1, 0, 1};
    return PASS(plan, c->v[CGS_SHADOW], s->r);
}
static bool cgs_step(cpi_krylov *s, two_sided *c)
{
    static const int64_t turned[] = {TURN(BICG_TURNED), CPI_BICG_TURNED, 0, 1, 0, 1};
    static const int64_t both[] = {0, 0, 2, 0, 2, 1, 0, 2, MINUS(CPI_BICG_ALPHA), 3, 3, 3, 0, 1, PLUS(CPI_BICG_ALPHA),
                                   0, PLUS(CPI_BICG_ALPHA), 0};
    static const int64_t half[] = {0, 0, 2, 0, 2, 1, 0, 2, MINUS(CPI_BICG_ALPHA), 3, 2, 1, 0, 0, 0, 0};
    static const int64_t move[] = {0, 0, 1, 0, 2, 0, 0, 1, PLUS(CPI_BICG_ALPHA), 0};
    static const int64_t rest[] = {MEASURE | STEP | TURN(BICG_RHO), CPI_BICG_SQUARE, 1, 0, 2, 1, 0, 2,
                                   CP_FACTOR(1, 0, 0, 0, 0, 0), 2, 0, 0, 3, 0};
    static const int64_t turn[] = {
        0, 0, 2, 0, 2, 1, 0, 2, PLUS(CPI_BICG_BETA), 3, 3, 0, 0, 2, PLUS(CPI_BICG_BETA), 3,
        CP_FACTOR(0, 0, CPI_BICG_BETA + 1, 0, CPI_BICG_BETA + 1, 0), 0};
    cp_array *p = c->v[CGS_P], *u = c->v[CGS_U], *q = c->v[CGS_Q], *shadow = c->v[CGS_SHADOW];
    cp_array *p_hat = cpi_krylov_apply(s, p), *v = p_hat ? cp_sparse_dot(s->a, p_hat) : NULL;
    if (!PASS(turned, shadow, v)) return false;
    if (c->alone) {
        if (!PASS(both, q, u, v, s->x)) return false;
    } else {
        cp_array *sum = cp_empty(CP_SHAPE(s->n), s->type);
        if (!PASS(half, q, u, v, sum) || !PASS(move, s->x, line(cpi_krylov_apply(s, sum)))) return false;
    }
    cp_array *t = cp_sparse_dot(s->a, s->x);
    return PASS(rest, s->r, line(s->b), t, shadow) && PASS(turn, u, s->r, q, p);
}
static bool cgs_run(cpi_krylov *s)
{
    two_sided c = {0};
    const bool begun = begin(s, &c, CGS_Q, CGS_VECTORS, CPI_BICG_NUMBERS, CPI_SOLVER_OWN, epsilon(s) * epsilon(s));
    return run_steps(s, &c, begun, cgs_first, cgs_step);
}
cp_array *(cp_sparse_cgs)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_cgs", a, b, options, cgs_run);
}

/* --- biconjugate gradients --- */

enum { BICG_DUAL, BICG_P, BICG_DUAL_P, BICG_VECTORS };

/* The directions that the residuals give. */
static bool bicg_turn(cpi_krylov *s, two_sided *c, cp_array *z, cp_array *dual_z)
{
    static const int64_t turn[] = {0, 0, 2, 0, 2, 1, 0, 0, PLUS(CPI_BICG_BETA), 2, 2, 3, 0, 2,
                                   PLUS(CPI_BICG_DUAL_BETA), 0};
    return PASS(turn, c->v[BICG_P], z, c->v[BICG_DUAL_P], dual_z);
}
/* What the preconditioner makes of both residuals, and the next rho where no pass has made it. */
static bool bicg_apply(cpi_krylov *s, two_sided *c, bool rho, cp_array **z, cp_array **dual_z)
{
    static const int64_t plan[] = {TURN(BICG_RHO), CPI_BICG_NEXT, 0, 1, 0, 1};
    *z = line(cpi_krylov_apply(s, s->r)), *dual_z = line(cpi_krylov_apply_adjoint(s, c->v[BICG_DUAL]));
    return *z && *dual_z && (!rho || PASS(plan, c->v[BICG_DUAL], *z));
}
static bool bicg_first(cpi_krylov *s, two_sided *c)
{
    static const int64_t plan[] = {MEASURE, CPI_BICG_SQUARE, 0, 1, 0, 0};
    cp_array *z, *dual_z;
    return PASS(plan, s->r) && bicg_apply(s, c, true, &z, &dual_z) && cpi_krylov_put(&c->v[BICG_P], cp_copy(z)) &&
           cpi_krylov_put(&c->v[BICG_DUAL_P], cp_copy(dual_z));
}
static bool bicg_step(cpi_krylov *s, two_sided *c)
{
    enum { X, P, R, Q, D, U };
    static const int64_t turned[] = {TURN(BICG_TURNED), CPI_BICG_TURNED, 0, 1, 0, 1};
#define SUMS 3, X, 2, X, 0, P, PLUS(CPI_BICG_ALPHA), R, 2, R, 0, Q, MINUS(CPI_BICG_ALPHA), D, 2, D, 0, U, \
    MINUS(CPI_BICG_DUAL_ALPHA)
    static const int64_t with_rho[] = {MEASURE | STEP | TURN(BICG_RHO), CPI_BICG_SQUARE, SUMS, 2, R, R, D, R};
    static const int64_t without[] = {MEASURE | STEP, CPI_BICG_SQUARE, SUMS, 1, R, R};
#undef SUMS
    cp_array *p = c->v[BICG_P], *dual_p = c->v[BICG_DUAL_P], *dual = c->v[BICG_DUAL], *z, *dual_z;
    cp_array *q = cp_sparse_dot(s->a, p), *u = cp_sparse_dot(s->adjoint, dual_p);
    if (!PASS(turned, dual_p, q)) return false;
    if (c->alone ? !PASS(with_rho, s->x, p, s->r, q, dual, u) : !PASS(without, s->x, p, s->r, q, dual, u)) return false;
    return bicg_apply(s, c, !c->alone, &z, &dual_z) && bicg_turn(s, c, z, dual_z);
}
static bool bicg_run(cpi_krylov *s)
{
    two_sided c = {0};
    const bool begun = cpi_krylov_adjoint(s) && begin(s, &c, BICG_P, BICG_VECTORS, CPI_BICG_NUMBERS, CPI_SOLVER_OWN,
                                                      epsilon(s) * epsilon(s));
    return run_steps(s, &c, begun, bicg_first, bicg_step);
}
cp_array *(cp_sparse_bicg)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_bicg", a, b, options, bicg_run);
}

/* --- quasi-minimal residuals --- */

enum { QMR_V, QMR_W, QMR_Y, QMR_P, QMR_Q, QMR_D, QMR_S, QMR_VECTORS };

/* y, what the preconditioner makes of v: v itself without one. */
static bool qmr_apply(cpi_krylov *s, two_sided *c)
{
    cp_array *y = line(cpi_krylov_apply(s, c->v[QMR_V]));
    return cpi_krylov_put(&c->v[QMR_Y], y);
}
static bool qmr_first(cpi_krylov *s, two_sided *c)
{
    static const int64_t size[] = {MEASURE, CPI_QMR_SQUARE, 0, 1, 0, 0};
    static const int64_t norms[] = {TURN(QMR_BEGIN), CPI_QMR_YY, 0, 3, 0, 0, 1, 1, 1, 0};
    return PASS(size, s->r) && qmr_apply(s, c) && PASS(norms, c->v[QMR_Y], c->v[QMR_W]);
}
/* The next vectors of both sequences, and what follows from their norms. */
static bool qmr_next(cpi_krylov *s, two_sided *c, cp_array *t, cp_array *u)
{
    enum { V, T, W, U };
    static const int64_t norms[] = {TURN(QMR_NORMS), CPI_QMR_YY, 0, 3, 0, 0, 1, 1, 1, 0};
#define SUMS 2, V, 2, T, 0, V, PLUS(CPI_QMR_V), W, 2, U, 0, W, PLUS(CPI_QMR_W)
    static const int64_t all[] = {TURN(QMR_NORMS), CPI_QMR_YY, SUMS, 3, V, V, W, W, W, V}, sums[] = {0, 0, SUMS, 0};
#undef SUMS
    cp_array *v = c->v[QMR_V], *w = c->v[QMR_W];
    if (c->alone) return PASS(all, v, t, w, u);
    return PASS(sums, v, t, w, u) && qmr_apply(s, c) && PASS(norms, c->v[QMR_Y], w);
}
static bool qmr_step(cpi_krylov *s, two_sided *c)
{
    enum { D, P, T, S, X, R };
    static const int64_t turn[] = {0, 0, 2, 0, 2, 1, PLUS(CPI_QMR_Y), 0, PLUS(CPI_QMR_P), 2, 2, 3, PLUS(CPI_QMR_Z), 2,
                                   PLUS(CPI_QMR_Q), 0};
    static const int64_t product[] = {TURN(QMR_PRODUCT), CPI_QMR_EPSILON, 0, 1, 0, 1};
    static const int64_t step[] = {
        MEASURE | STEP | TURN(QMR_CHECK), CPI_QMR_SQUARE, 4, D, 2, P, PLUS(CPI_QMR_ETA), D, PLUS(CPI_QMR_SHRINK),
        S, 2, T, PLUS(CPI_QMR_ETA), S, PLUS(CPI_QMR_SHRINK), X, 2, X, 0, D, 0, R, 2, R, 0, S,
        CP_FACTOR(1, 0, 0, 0, 0, 0), 1, R, R};
    cp_array *p = c->v[QMR_P], *q = c->v[QMR_Q], *z = line(cpi_krylov_apply_adjoint(s, c->v[QMR_W]));
    if (!PASS(turn, p, c->v[QMR_Y], q, z)) return false;
    cp_array *t = cp_sparse_dot(s->a, p), *u = cp_sparse_dot(s->adjoint, q);
    return PASS(product, q, t) && qmr_next(s, c, t, u) && PASS(step, c->v[QMR_D], p, t, c->v[QMR_S], s->x, s->r);
}
static bool qmr_run(cpi_krylov *s)
{
    two_sided c = {0};
    const bool begun = cpi_krylov_adjoint(s) &&
                       begin(s, &c, QMR_P, QMR_VECTORS, CPI_QMR_NUMBERS, CPI_QMR_STATE, epsilon(s));
    return run_steps(s, &c, begun, qmr_first, qmr_step);
}
cp_array *(cp_sparse_qmr)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_qmr", a, b, options, qmr_run);
}
