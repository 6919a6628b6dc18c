/* Systems of equations by generalized minimal residuals, restarted.
 *
 * Invariant: the solution does not depend on when the basis' coefficients were read (cycle.c). */
#include "sparse/cycle.h"

static bool run_cycle(cpi_krylov *s, cpi_cycle *c, int64_t most)
{
    cp_array *v = cpi_krylov_apply(s, s->r), *size = cpi_krylov_norm(v);
    const double beta = size ? cp_item_float(size) : 0;
    if (!size || cp_error() != CP_OK) return false;
    if (!(beta > 0)) return s->maxiter = s->done, true; /* nothing to go on with */
    if (!cpi_cycle_begin(s, c, most, 0, v, beta)) return false;
    c->enough = beta * (s->limit / s->residual) * 0.9; /* the residual's part that must be left, if M changes none */
    for (int64_t j = 0; j < c->most && !c->over; j++)
        if (!cpi_cycle_extend(s, c, j, cpi_krylov_apply(s, cpi_linear_times(&s->a, cpi_cycle_vector(c, j)))))
            return false;
    s->done += c->made;
    if (!c->count) return s->maxiter = s->done, true;
    cp_array *y = cpi_cycle_solve(s, c), *step = y ? cp_matmul(y, cpi_cycle_rows(c->basis, 0, c->count)) : NULL;
    return step && cpi_cycle_moved(s, cp_add(s->x, step));
}
static bool gmres_run(cpi_krylov *s)
{
    const int64_t wanted = s->o->restart ? s->o->restart : 20, most = wanted < s->n ? wanted : s->n;
    bool good = true;
    while (good) {
        s->next = s->done; /* a look each cycle */
        if (!cpi_krylov_goes_on(s)) break;
        cpi_cycle c = {0};
        cp_scope *scope = cp_scope_begin();
        good = scope && run_cycle(s, &c, s->maxiter - s->done < most ? s->maxiter - s->done : most);
        cp_scope_end(scope);
        cpi_cycle_end(&c);
    }
    return good;
}
cp_array *(cp_sparse_gmres)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_gmres", a, b, options, gmres_run);
}
