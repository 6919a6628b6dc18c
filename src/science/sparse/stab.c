/* Systems of matrices that are not Hermitian, without their adjoints: bicgstab, tfqmr.
 *
 * The turns of numbers behind passes (turns.inc) make the coefficients on the device, and see what breaks down.
 * Invariant: as krylov.c's, steps behind the last one change nothing. */
#include "operands/operands.h"
#include "sparse/steps.h"

/* --- stabilized biconjugate gradients --- */

enum { STAB_P, STAB_SHADOW, STAB_VECTORS };

static bool stab_first(cpi_krylov *s, cpi_steps *c)
{
    static const int64_t plan[] = {MEASURE | TURN(STAB_RHO), CPI_STAB_SQUARE, 0, 2, 1, 1, 0, 1};
    return PASS(plan, c->v[STAB_SHADOW], s->r);
}
/* r becomes the residual at the step's half, then that at its end. */
static bool stab_step(cpi_krylov *s, cpi_steps *c)
{
    enum { X, H, G, R, T, SHADOW };
    static const int64_t turned[] = {TURN(STAB_TURNED), CPI_STAB_TURNED, 0, 1, 0, 1};
    static const int64_t half[] = {TURN(STAB_MIDDLE), CPI_STAB_MIDDLE, 1, 0, 2, 0, 0, 1, MINUS(CPI_STAB_ALPHA),
                                   1, 0, 0};
    static const int64_t omega[] = {TURN(STAB_OMEGA), CPI_STAB_TR, 0, 2, 0, 1, 0, 0};
    static const int64_t both[] = {
        MEASURE | STEP | TURN(STAB_RHO), CPI_STAB_SQUARE, 2, X, 3, X, 0, H, PLUS(CPI_STAB_ALPHA), G,
        PLUS(CPI_STAB_OMEGA), R, 2, R, 0, T, MINUS(CPI_STAB_OMEGA), 2, R, R, SHADOW, R};
    static const int64_t turn[] = {0, 0, 1, 0, 3, 1, 0, 0, PLUS(CPI_STAB_BETA), 2, PLUS(CPI_STAB_BACK), 0};
    cp_array *p = c->v[STAB_P], *shadow = c->v[STAB_SHADOW], *p_hat = cpi_steps_contiguous(cpi_krylov_apply(s, p));
    cp_array *v = p_hat ? cpi_linear_times(&s->a, p_hat) : NULL;
    if (!PASS(turned, shadow, v) || !PASS(half, s->r, v)) return false;
    cp_array *r_hat = cpi_steps_contiguous(cpi_krylov_apply(s, s->r));
    cp_array *t = r_hat ? cpi_linear_times(&s->a, r_hat) : NULL;
    return PASS(omega, t, s->r) && PASS(both, s->x, p_hat, r_hat, s->r, t, shadow) && PASS(turn, p, s->r, v);
}
static bool stab_run(cpi_krylov *s)
{
    const double state[CPI_STAB_STATE] = {1, [CPI_SOLVER_LEAST] = pow(cpi_steps_epsilon(s), 2),
                                          [CPI_STAB_LIMIT] = s->limit};
    cpi_steps c = {0};
    const bool begun = cpi_steps_begin(s, &c, STAB_VECTORS, STAB_VECTORS, CPI_STAB_NUMBERS, CPI_STAB_STATE, state);
    return cpi_steps_run(s, &c, begun, stab_first, stab_step);
}
cp_array *(cp_sparse_bicgstab)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_bicgstab", a, b, options, stab_run);
}

/* --- quasi-minimal residuals without the transpose --- */

enum { TFQMR_W, TFQMR_SHADOW, TFQMR_U, TFQMR_D, TFQMR_SPARE, TFQMR_V, TFQMR_TURNED, TFQMR_VECTORS };

/* a m u: w stays the residual of the system itself. */
static bool tfqmr_multiply(cpi_krylov *s, cpi_steps *c)
{
    cp_array *u_hat = cpi_krylov_apply(s, c->v[TFQMR_U]);
    return cpi_krylov_put(&c->v[TFQMR_TURNED], u_hat ? cpi_linear_times(&s->a, u_hat) : NULL);
}
static bool tfqmr_first(cpi_krylov *s, cpi_steps *c)
{
    static const int64_t rho[] = {0, CPI_TFQMR_NEXT, 0, 1, 0, 1};
    return PASS(rho, c->v[TFQMR_SHADOW], c->v[TFQMR_W]) && tfqmr_multiply(s, c) &&
           cpi_krylov_put(&c->v[TFQMR_V], cp_copy(c->v[TFQMR_TURNED]));
}
/* The second half of a pair of steps is followed by the next pair's u and v. */
static bool tfqmr_next(cpi_krylov *s, cpi_steps *c)
{
    static const int64_t rho[] = {TURN(TFQMR_RHO), CPI_TFQMR_NEXT, 0, 1, 0, 1};
    static const int64_t turn[] = {0, 0, 2, 2, 2, 3, PLUS(CPI_TFQMR_BETA), 2, PLUS(CPI_TFQMR_BETA2), 0, 2, 1, 0, 0,
                                   PLUS(CPI_TFQMR_BETA), 0};
    static const int64_t sum[] = {0, 0, 1, 0, 2, 0, 0, 1, 0, 0};
    cp_array *w = c->v[TFQMR_W], *v = c->v[TFQMR_V];
    return PASS(rho, c->v[TFQMR_SHADOW], w) && PASS(turn, c->v[TFQMR_U], w, v, c->v[TFQMR_TURNED]) &&
           tfqmr_multiply(s, c) && PASS(sum, v, c->v[TFQMR_TURNED]);
}
static bool tfqmr_step(cpi_krylov *s, cpi_steps *c)
{
    enum { W, T, D, U, NEXT, V };
    static const int64_t turned[] = {TURN(TFQMR_TURNED), CPI_TFQMR_TURNED, 0, 1, 0, 1};
#define SUMS W, 2, W, 0, T, MINUS(CPI_TFQMR_ALPHA), D, 2, U, 0, D, PLUS(CPI_TFQMR_RATIO)
    static const int64_t odd[] = {TURN(TFQMR_SQUARE), CPI_TFQMR_SQUARE, 2, SUMS, 1, W, W};
    static const int64_t even[] = {TURN(TFQMR_SQUARE), CPI_TFQMR_SQUARE, 3, SUMS, NEXT, 2, U, 0, V,
                                   MINUS(CPI_TFQMR_ALPHA), 1, W, W};
#undef SUMS
    static const int64_t move[] = {0, 0, 1, 0, 2, 0, 0, 1, PLUS(CPI_TFQMR_ETA), 0};
    cp_array **const v = c->v, *u = v[TFQMR_U];
    if (s->done % 2) {
        if (!PASS(odd, v[TFQMR_W], v[TFQMR_TURNED], v[TFQMR_D], u)) return false;
    } else if (!PASS(turned, v[TFQMR_SHADOW], v[TFQMR_V]) ||
               !PASS(even, v[TFQMR_W], v[TFQMR_TURNED], v[TFQMR_D], u, v[TFQMR_SPARE], v[TFQMR_V]))
        return false;
    if (!PASS(move, s->x, cpi_steps_contiguous(cpi_krylov_apply(s, v[TFQMR_D])))) return false;
    if (s->done % 2) return tfqmr_next(s, c);
    v[TFQMR_U] = v[TFQMR_SPARE], v[TFQMR_SPARE] = u;
    return tfqmr_multiply(s, c);
}
static bool tfqmr_run(cpi_krylov *s)
{
    if (!s->maxiter) return true;
    const double size = cp_item_float(s->size);
    if (cp_error() != CP_OK) return false;
    const double state[CPI_TFQMR_STATE] = {1, [2] = size, [CPI_TFQMR_TAU] = size, [CPI_TFQMR_LIMIT] = s->limit,
                                           [CPI_TFQMR_ENDS] = size < s->limit};
    cpi_steps c = {.ends = CPI_TFQMR_ENDS};
    const bool begun = cpi_steps_begin(s, &c, TFQMR_D, TFQMR_VECTORS, CPI_TFQMR_NUMBERS, CPI_TFQMR_STATE, state);
    return cpi_steps_run(s, &c, begun, tfqmr_first, tfqmr_step);
}
cp_array *(cp_sparse_tfqmr)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_tfqmr", a, b, options, tfqmr_run);
}
