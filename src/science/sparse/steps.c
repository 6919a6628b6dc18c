/* What solvers in passes share: their vectors and numbers, and when the state is looked at.
 *
 * Invariant: as krylov.c's, steps behind the last one change nothing. */
#include "sparse/steps.h"

#include "operands/operands.h"

bool cpi_steps_passed(cpi_krylov *s, const cpi_steps *c, int vectors, cp_array *const *vector, int n,
                      const int64_t *plan)
{
    for (int i = 0; i < vectors; i++)
        if (!vector[i]) return false;
    return cp_vectors_pass(vectors, vector, n, plan, c->numbers, c->state, 1, 1, 1, 1, s->limit) == CP_OK;
}
bool cpi_steps_begin(cpi_krylov *s, cpi_steps *c, int copies, int vectors, int64_t numbers, int64_t of_state,
                     const double *state)
{
    const cp_type number = cpi_is_complex(s->type) ? CP_COMPLEX128 : CP_FLOAT64;
    c->alone = !s->m && !s->o->apply;
    for (int i = 0; i < vectors; i++)
        if (!cpi_krylov_put(&c->v[i], i < copies ? cp_copy(s->r) : cp_zeros(CP_SHAPE(s->n), s->type))) return false;
    return cpi_krylov_put(&c->numbers, cp_zeros(CP_SHAPE(numbers), number)) &&
           cpi_krylov_put(&c->state, cp_from_host(state, CP_FLOAT64, CP_SHAPE(of_state), NULL));
}
/* Reads the state where it is time to; whether one goes on. */
static bool goes_on(cpi_krylov *s, const cpi_steps *c)
{
    double state[CPI_STEPS_MOST_STATE];
    if (s->done < s->next && s->done < s->maxiter) return true;
    const int64_t n = c->ends ? c->ends + 1 : 3;
    cp_array *first = cp_slice(c->state, CP_ITEMS(CP_RANGE(0, n)));
    if (!first || cp_to_host(first, state, (size_t)n * sizeof *state) != CP_OK) return false;
    cpi_krylov_looked(s);
    s->residual = state[2];
    return state[0] != 0 && !(c->ends && state[c->ends] != 0) && s->done < s->maxiter;
}
bool cpi_steps_run(cpi_krylov *s, cpi_steps *c, bool begun, bool (*first)(cpi_krylov *, cpi_steps *),
                   bool (*step)(cpi_krylov *, cpi_steps *))
{
    bool good = begun && (!first || first(s, c));
    while (good && goes_on(s, c)) {
        cp_scope *scope = cp_scope_begin(); /* what a step makes */
        good = scope && step(s, c) && ++s->done;
        cp_scope_end(scope);
    }
    good = good && cp_error() == CP_OK &&
           cpi_krylov_put(&s->steps, cp_astype(cp_slice(c->state, CP_ITEMS(CP_AT(1))), CP_INT64));
    for (int i = 0; i < CPI_STEPS_VECTORS; i++) cp_free(c->v[i]);
    cp_free(c->numbers);
    cp_free(c->state);
    return good;
}
