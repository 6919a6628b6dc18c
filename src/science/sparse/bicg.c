/* Systems of matrices that are not Hermitian, by two short recurrences: cgs, bicg, qmr.
 *
 * A step's vectors are updated in passes; the turn of numbers behind a pass (turns.inc) makes the coefficients of the
 * products, on the device, and sees what breaks down. Invariant: as krylov.c's, steps behind the last one change
 * nothing. */
#include "operands/operands.h"
#include "sparse/steps.h"

/* --- conjugate gradients squared --- */

enum { CGS_P, CGS_U, CGS_SHADOW, CGS_Q, CGS_VECTORS };

static bool cgs_first(cpi_krylov *s, cpi_steps *c)
{
    static const int64_t plan[] = {MEASURE | TURN(BICG_RHO), CPI_BICG_SQUARE, 0, 2, 1, 1, 0, 1};
    return PASS(plan, c->v[CGS_SHADOW], s->r);
}
static bool cgs_step(cpi_krylov *s, cpi_steps *c)
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
    cp_array *p_hat = cpi_krylov_apply(s, p), *v = p_hat ? cpi_linear_times(&s->a, p_hat) : NULL;
    if (!PASS(turned, shadow, v)) return false;
    if (c->alone) {
        if (!PASS(both, q, u, v, s->x)) return false;
    } else {
        cp_array *sum = cp_empty(CP_SHAPE(s->n), s->type);
        if (!PASS(half, q, u, v, sum)) return false;
        if (!PASS(move, s->x, cpi_steps_contiguous(cpi_krylov_apply(s, sum)))) return false;
    }
    cp_array *t = cpi_linear_times(&s->a, s->x);
    return PASS(rest, s->r, cpi_steps_contiguous(s->b), t, shadow) && PASS(turn, u, s->r, q, p);
}
static bool cgs_run(cpi_krylov *s)
{
    const double state[CPI_SOLVER_OWN] = {1, [CPI_SOLVER_LEAST] = pow(cpi_steps_epsilon(s), 2)};
    cpi_steps c = {0};
    const bool begun = cpi_steps_begin(s, &c, CGS_Q, CGS_VECTORS, CPI_BICG_NUMBERS, CPI_SOLVER_OWN, state);
    return cpi_steps_run(s, &c, begun, cgs_first, cgs_step);
}
cp_array *(cp_sparse_cgs)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_cgs", a, b, options, cgs_run);
}

/* --- biconjugate gradients --- */

enum { BICG_DUAL, BICG_P, BICG_DUAL_P, BICG_VECTORS };

/* The directions that the residuals give. */
static bool bicg_turn(cpi_krylov *s, cpi_steps *c, cp_array *z, cp_array *dual_z)
{
    static const int64_t turn[] = {0, 0, 2, 0, 2, 1, 0, 0, PLUS(CPI_BICG_BETA), 2, 2, 3, 0, 2,
                                   PLUS(CPI_BICG_DUAL_BETA), 0};
    return PASS(turn, c->v[BICG_P], z, c->v[BICG_DUAL_P], dual_z);
}
/* What the preconditioner makes of both residuals, and the next rho where no pass has made it. */
static bool bicg_apply(cpi_krylov *s, cpi_steps *c, bool rho, cp_array **z, cp_array **dual_z)
{
    static const int64_t plan[] = {TURN(BICG_RHO), CPI_BICG_NEXT, 0, 1, 0, 1};
    *z = cpi_steps_contiguous(cpi_krylov_apply(s, s->r));
    *dual_z = cpi_steps_contiguous(cpi_krylov_apply_adjoint(s, c->v[BICG_DUAL]));
    return *z && *dual_z && (!rho || PASS(plan, c->v[BICG_DUAL], *z));
}
static bool bicg_first(cpi_krylov *s, cpi_steps *c)
{
    static const int64_t plan[] = {MEASURE, CPI_BICG_SQUARE, 0, 1, 0, 0};
    cp_array *z, *dual_z;
    return PASS(plan, s->r) && bicg_apply(s, c, true, &z, &dual_z) && cpi_krylov_put(&c->v[BICG_P], cp_copy(z)) &&
           cpi_krylov_put(&c->v[BICG_DUAL_P], cp_copy(dual_z));
}
static bool bicg_step(cpi_krylov *s, cpi_steps *c)
{
    enum { X, P, R, Q, D, U };
    static const int64_t turned[] = {TURN(BICG_TURNED), CPI_BICG_TURNED, 0, 1, 0, 1};
#define SUMS 3, X, 2, X, 0, P, PLUS(CPI_BICG_ALPHA), R, 2, R, 0, Q, MINUS(CPI_BICG_ALPHA), D, 2, D, 0, U, \
    MINUS(CPI_BICG_DUAL_ALPHA)
    static const int64_t with_rho[] = {MEASURE | STEP | TURN(BICG_RHO), CPI_BICG_SQUARE, SUMS, 2, R, R, D, R};
    static const int64_t without[] = {MEASURE | STEP, CPI_BICG_SQUARE, SUMS, 1, R, R};
#undef SUMS
    cp_array *p = c->v[BICG_P], *dual_p = c->v[BICG_DUAL_P], *dual = c->v[BICG_DUAL], *z, *dual_z;
    cp_array *q = cpi_linear_times(&s->a, p), *u = cpi_linear_adjoint(&s->a, dual_p);
    if (!PASS(turned, dual_p, q)) return false;
    if (c->alone ? !PASS(with_rho, s->x, p, s->r, q, dual, u) : !PASS(without, s->x, p, s->r, q, dual, u)) return false;
    return bicg_apply(s, c, !c->alone, &z, &dual_z) && bicg_turn(s, c, z, dual_z);
}
static bool bicg_run(cpi_krylov *s)
{
    const double state[CPI_SOLVER_OWN] = {1, [CPI_SOLVER_LEAST] = pow(cpi_steps_epsilon(s), 2)};
    cpi_steps c = {0};
    const bool begun = cpi_krylov_adjoint(s) && cpi_steps_begin(s, &c, BICG_P, BICG_VECTORS, CPI_BICG_NUMBERS,
                                                                CPI_SOLVER_OWN, state);
    return cpi_steps_run(s, &c, begun, bicg_first, bicg_step);
}
cp_array *(cp_sparse_bicg)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_bicg", a, b, options, bicg_run);
}

/* --- quasi-minimal residuals --- */

enum { QMR_V, QMR_W, QMR_Y, QMR_P, QMR_Q, QMR_D, QMR_S, QMR_VECTORS };

/* y, what the preconditioner makes of v: v itself without one. */
static bool qmr_apply(cpi_krylov *s, cpi_steps *c)
{
    cp_array *y = cpi_steps_contiguous(cpi_krylov_apply(s, c->v[QMR_V]));
    return cpi_krylov_put(&c->v[QMR_Y], y);
}
static bool qmr_first(cpi_krylov *s, cpi_steps *c)
{
    static const int64_t size[] = {MEASURE, CPI_QMR_SQUARE, 0, 1, 0, 0};
    static const int64_t norms[] = {TURN(QMR_BEGIN), CPI_QMR_YY, 0, 3, 0, 0, 1, 1, 1, 0};
    return PASS(size, s->r) && qmr_apply(s, c) && PASS(norms, c->v[QMR_Y], c->v[QMR_W]);
}
/* The next vectors of both sequences, and what follows from their norms. */
static bool qmr_next(cpi_krylov *s, cpi_steps *c, cp_array *t, cp_array *u)
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
static bool qmr_step(cpi_krylov *s, cpi_steps *c)
{
    enum { D, P, T, S, X, R };
    static const int64_t turn[] = {0, 0, 2, 0, 2, 1, PLUS(CPI_QMR_Y), 0, PLUS(CPI_QMR_P), 2, 2, 3, PLUS(CPI_QMR_Z), 2,
                                   PLUS(CPI_QMR_Q), 0};
    static const int64_t product[] = {TURN(QMR_PRODUCT), CPI_QMR_EPSILON, 0, 1, 0, 1};
    static const int64_t step[] = {
        MEASURE | STEP | TURN(QMR_CHECK), CPI_QMR_SQUARE, 4, D, 2, P, PLUS(CPI_QMR_ETA), D, PLUS(CPI_QMR_SHRINK),
        S, 2, T, PLUS(CPI_QMR_ETA), S, PLUS(CPI_QMR_SHRINK), X, 2, X, 0, D, 0, R, 2, R, 0, S,
        CP_FACTOR(1, 0, 0, 0, 0, 0), 1, R, R};
    cp_array *p = c->v[QMR_P], *q = c->v[QMR_Q], *z = cpi_steps_contiguous(cpi_krylov_apply_adjoint(s, c->v[QMR_W]));
    if (!PASS(turn, p, c->v[QMR_Y], q, z)) return false;
    cp_array *t = cpi_linear_times(&s->a, p), *u = cpi_linear_adjoint(&s->a, q);
    return PASS(product, q, t) && qmr_next(s, c, t, u) && PASS(step, c->v[QMR_D], p, t, c->v[QMR_S], s->x, s->r);
}
static bool qmr_run(cpi_krylov *s)
{
    const double state[CPI_QMR_STATE] = {1, [CPI_SOLVER_LEAST] = cpi_steps_epsilon(s)};
    cpi_steps c = {0};
    const bool begun = cpi_krylov_adjoint(s) && cpi_steps_begin(s, &c, QMR_P, QMR_VECTORS, CPI_QMR_NUMBERS,
                                                                CPI_QMR_STATE, state);
    return cpi_steps_run(s, &c, begun, qmr_first, qmr_step);
}
cp_array *(cp_sparse_qmr)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_qmr", a, b, options, qmr_run);
}
