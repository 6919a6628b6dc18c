/* Systems of Hermitian matrices by minimal residuals: Lanczos' method, and the rotations of Paige and Saunders.
 *
 * Three passes a step, besides the products; the last one of each kind ends with the step's numbers, which stay on the
 * device (cpi_minres_turn). Vectors of Lanczos' method are not divided by their norms: those are factors of what they
 * are used for. Invariant: as krylov.c's, steps behind the last one change nothing. */
#include <float.h>

#include "operands/operands.h"
#include "sparse/krylov.h"
#include "sparse/vectors.h"

typedef struct minres {
    cp_array *before, *last, *next; /* residuals of Lanczos' method; owned by no scope, as all */
    cp_array *y;                    /* m times the last one */
    cp_array *w[3];                 /* directions, the newest one first */
    cp_array *numbers, *state;
} minres;

#define NUMBER(k) (CPI_MINRES_##k + 1)
#define TURN(k) (CPI_MINRES_##k << 3)

static bool passed(cpi_krylov *s, const minres *c, int vectors, cp_array *const *vector, int n, const int64_t *plan)
{
    return cp_vectors_pass(vectors, vector, n, plan, c->numbers, c->state, -s->o->shift, 1, 1, 1, 0) == CP_OK;
}
#define PASS(plan, ...) \
    passed(s, c, (int)(sizeof((cp_array *[]){__VA_ARGS__}) / sizeof(cp_array *)), (cp_array *[]){__VA_ARGS__}, \
           (int)(sizeof(plan) / sizeof *(plan)), plan)

/* The next residual of Lanczos' method, and what m makes of it. NULL on failure. */
static cp_array *extend(cpi_krylov *s, minres *c)
{
    enum { R, Q, Y, U };
    static const int64_t first[] = {
        0, CPI_MINRES_ALPHA, 1, R, 3, Q, CP_FACTOR(0, 0, NUMBER(UNIT), 0, 0, 0), Y,
        CP_FACTOR(0, 1, NUMBER(UNIT), 0, 0, 0), U, CP_FACTOR(1, 0, NUMBER(RATIO), 0, 0, 0), 1, Y, R};
    const int64_t alone = s->m || s->o->apply ? 0 : TURN(ROTATE);
    const int64_t second[] = {alone, CPI_MINRES_SQUARE, 1, 0, 2, 0, 0, 1,
                              CP_FACTOR(1, 0, NUMBER(ALPHA), NUMBER(BETA), NUMBER(UNIT), 0), 1, 0, 0};
    static const int64_t product[] = {TURN(ROTATE), CPI_MINRES_SQUARE, 0, 1, 0, 1};
    cp_array *q = cpi_linear_times(&s->a, c->y);
    if (!q || !PASS(first, c->next, q, c->y, c->before) || !PASS(second, c->next, c->last)) return NULL;
    cp_array *free = c->before;
    c->before = c->last, c->last = c->next, c->next = free;
    cp_array *z = cpi_krylov_apply(s, c->last);
    if (z && z != c->last) z = cp_contiguous(z);
    if (!z || (!alone && !PASS(product, c->last, z))) return NULL;
    return z == c->last ? cp_retain(z) : z;
}
static bool step(cpi_krylov *s, minres *c)
{
    enum { X, W, Y, W1, W2 };
    static const int64_t update[] = {
        TURN(TEST), CPI_MINRES_XX, 2, W, 3, Y, CP_FACTOR(0, 0, NUMBER(NEW), 0, 0, 0), W1,
        CP_FACTOR(1, 0, NUMBER(BEFORE), 0, 0, 0), W2, CP_FACTOR(1, 0, NUMBER(LAST), 0, 0, 0), X, 2, X, 0, W,
        CP_FACTOR(0, 0, NUMBER(PHI), 0, 0, 0), 1, X, X};
    cp_array *y = extend(s, c), *oldest = c->w[2];
    if (!y) return false;
    c->w[2] = c->w[1], c->w[1] = c->w[0], c->w[0] = oldest;
    const bool good = PASS(update, s->x, c->w[0], c->y, c->w[2], c->w[1]);
    return cpi_krylov_put(&c->y, y) && good && ++s->done;
}
/* The vectors and numbers of the first step; beta1: the root of the first residual's product with y. */
static bool begin(cpi_krylov *s, minres *c, double beta1)
{
    const bool single = cpi_krylov_single(s);
    const double rtol = s->o->rtol == 0 ? 1e-5 : s->o->rtol;
    const double numbers[CPI_MINRES_NUMBERS] = {[CPI_MINRES_UNIT] = 1 / beta1, [CPI_MINRES_BETA] = beta1};
    const double state[CPI_MINRES_STATE] = {
        [0] = 1, [2] = beta1, [CPI_MINRES_RTOL] = rtol, [CPI_MINRES_EPS] = single ? FLT_EPSILON : DBL_EPSILON,
        [CPI_MINRES_MAXITER] = (double)s->maxiter, [CPI_MINRES_FIRST] = beta1, [CPI_MINRES_NOW] = beta1,
        [CPI_MINRES_C] = -1, [CPI_MINRES_LEAST] = single ? FLT_MAX : DBL_MAX};
    cp_array *given = cp_from_host(numbers, CP_FLOAT64, CP_SHAPE(CPI_MINRES_NUMBERS), NULL);
    for (int i = 0; i < 3; i++)
        if (!cpi_krylov_put(&c->w[i], cp_zeros(CP_SHAPE(s->n), s->type))) return false;
    return cpi_krylov_put(&c->before, cp_copy(s->r)) && cpi_krylov_put(&c->last, cp_copy(s->r)) &&
           cpi_krylov_put(&c->next, cp_empty(CP_SHAPE(s->n), s->type)) && given &&
           cpi_krylov_put(&c->numbers, cpi_is_complex(s->type) ? cp_astype(given, CP_COMPLEX128) : given) &&
           cpi_krylov_put(&c->state, cp_from_host(state, CP_FLOAT64, CP_SHAPE(CPI_MINRES_STATE), NULL));
}
/* Reads the state where it is time to; whether one goes on. */
static bool goes_on(cpi_krylov *s, const minres *c)
{
    double state[CPI_MINRES_STATE];
    if (s->done < s->next && s->done < s->maxiter) return true;
    if (cp_to_host(c->state, state, sizeof state) != CP_OK) return false;
    cpi_krylov_looked(s);
    const int stop = (int)state[CPI_MINRES_STOP];
    if (stop == CPI_MINRES_NOT_SYMMETRIC) {
        cpi_fail(CP_ERROR_VALUE, "%s: a and m must be Hermitian, and m positive definite", s->name);
        return false;
    }
    s->residual = state[2];
    s->tolerance = state[CPI_MINRES_RTOL] * state[CPI_MINRES_ASIZE] * state[CPI_MINRES_XSIZE];
    const bool vain = stop == -1 && state[CPI_MINRES_C] == 0; /* a times b is 0 */
    if (vain) s->residual = state[CPI_MINRES_FIRST];
    s->judged = true, s->sound = (stop == -1 && !vain) || (stop >= 1 && stop <= 3);
    return state[0] != 0 && s->done < s->maxiter;
}
static bool minres_run(cpi_krylov *s)
{
    minres c = {0};
    if (!s->maxiter) return true;
    cp_array *y = cpi_krylov_apply(s, s->r);
    if (y) y = cp_contiguous(y == s->r ? cp_copy(y) : y);
    cp_array *square = y ? cp_real_part(cp_vdot(s->r, y)) : NULL;
    const double beta1 = square ? cp_item_float(square) : 0;
    if (cp_error() != CP_OK) return false;
    if (beta1 < 0) return cpi_fail(CP_ERROR_VALUE, "%s: m must be positive definite", s->name) == CP_OK;
    if (beta1 == 0) return true;
    bool good = cpi_krylov_put(&c.y, y) && begin(s, &c, sqrt(beta1));
    while (good) {
        cp_scope *scope = cp_scope_begin();
        good = scope && step(s, &c);
        cp_scope_end(scope);
        if (!good || !goes_on(s, &c)) break;
    }
    good = good && cp_error() == CP_OK &&
           cpi_krylov_put(&s->steps, cp_astype(cp_slice(c.state, CP_ITEMS(CP_AT(1))), CP_INT64));
    cp_array *const held[] = {c.before, c.last, c.next, c.y, c.w[0], c.w[1], c.w[2], c.numbers, c.state};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) cp_free(held[i]);
    return good;
}
cp_array *(cp_sparse_minres)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_minres", a, b, options, minres_run);
}
