/* Systems of equations by short recurrences: what all methods share, and cg.
 *
 * All numbers stay on the device. Whether the residual is still too large is one of them, `live`: where it is not, the
 * coefficients of a step are 0, so that steps which were issued before anybody looked change nothing. Invariant: x, r
 * and the count of steps are what they were when `live` became false, however seldom the host looks. */
#include "operands/operands.h"
#include "sparse/krylov.h"

enum { LOOKS_APART = 16 }; /* the most steps between two looks where they wait: 15 steps are lost at the end */

void cpi_krylov_looked(cpi_krylov *s)
{
    s->looks++;
    s->next = s->done + (s->every ? s->every : !s->done ? 1 : s->done < LOOKS_APART ? s->done : LOOKS_APART);
}
bool cpi_krylov_goes_on(cpi_krylov *s)
{
    if (s->done < s->next && s->done < s->maxiter) return true;
    s->residual = cp_item_float(s->size);
    cpi_krylov_looked(s);
    return cp_error() == CP_OK && s->done < s->maxiter && s->residual >= s->limit;
}
bool cpi_krylov_measure(cpi_krylov *s) { return cpi_krylov_put(&s->size, cpi_krylov_norm(s->r)); }

/* A preconditioner's product, which may be of another type. */
static cp_array *times(const cpi_krylov *s, cp_sparse *m, cp_array *x)
{
    cp_array *y = cp_sparse_dot(m, x);
    return y && y->type != s->type ? cp_astype(y, s->type) : y;
}
cp_array *cpi_krylov_apply(const cpi_krylov *s, cp_array *x)
{
    if (!x) return NULL;
    if (s->o->apply) return cpi_sparse_called(s->name, "apply", s->o->apply, s->o->context, x, s->n, s->type);
    return s->m ? times(s, s->m, x) : x;
}
cp_array *cpi_krylov_apply_adjoint(const cpi_krylov *s, cp_array *x)
{
    if (!x) return NULL;
    if (s->o->apply) return cpi_sparse_called(s->name, "adjoint", s->o->adjoint, s->o->context, x, s->n, s->type);
    return s->m_adjoint ? times(s, s->m_adjoint, x) : x;
}
bool cpi_krylov_adjoint(cpi_krylov *s)
{
    if (s->o->apply && !s->o->adjoint)
        return cpi_fail(CP_ERROR_VALUE, "%s: apply needs adjoint, which multiplies by its adjoint", s->name) == CP_OK;
    if (s->a.map && !s->a.map->adjoint)
        return cpi_fail(CP_ERROR_VALUE, "%s: map needs adjoint, which multiplies by its adjoint", s->name) == CP_OK;
    s->a.adjoint = s->a.map ? NULL : cpi_sparse_adjoint(s->a.a);
    s->m_adjoint = s->m ? cpi_sparse_adjoint(s->m) : NULL;
    return (s->a.adjoint || s->a.map) && (s->m_adjoint || !s->m);
}

static cp_code check(cpi_krylov *s, cp_array *b)
{
    const cp_sparse_solve_options *o = s->o;
    const int64_t n = s->a.rows;
    if (s->a.columns != n)
        return cpi_fail(CP_ERROR_VALUE, "%s: a must be square, not (%lld, %lld)", s->name, (long long)n,
                        (long long)s->a.columns);
    if (b->ndim != 1 || b->size != n)
        return cpi_fail(CP_ERROR_VALUE, "%s: b must be 1-D and have %lld elements, as a has rows", s->name,
                        (long long)n);
    if (o->x0 && (o->x0->ndim != 1 || o->x0->size != n))
        return cpi_fail(CP_ERROR_VALUE, "%s: x0 must be 1-D and have %lld elements, as a has rows", s->name,
                        (long long)n);
    if (o->m && (o->m->rows != n || o->m->columns != n))
        return cpi_fail(CP_ERROR_VALUE, "%s: m must have a's shape", s->name);
    if (o->m && o->apply) return cpi_fail(CP_ERROR_VALUE, "%s: m and apply exclude each other", s->name);
    if (!(o->atol >= 0)) return cpi_fail(CP_ERROR_VALUE, "%s: atol must not be negative", s->name);
    if (o->rtol != o->rtol) return cpi_fail(CP_ERROR_VALUE, "%s: rtol must not be NaN", s->name);
    if (o->maxiter < 0) return cpi_fail(CP_ERROR_VALUE, "%s: maxiter must not be negative", s->name);
    if (o->every < 0) return cpi_fail(CP_ERROR_VALUE, "%s: every must not be negative", s->name);
    if (o->restart < 0) return cpi_fail(CP_ERROR_VALUE, "%s: restart must not be negative", s->name);
    if (o->outer < 0) return cpi_fail(CP_ERROR_VALUE, "%s: outer must not be negative", s->name);
    return CP_OK;
}
/* The right side's norm and the first residual. False on failure. */
static bool start(cpi_krylov *s, cp_array *b)
{
    const cp_sparse_solve_options *o = s->o;
    s->b = b = cp_astype(b, s->type);
    cp_array *x = o->x0 ? cp_astype(o->x0, s->type) : cp_zeros(CP_SHAPE(s->n), s->type);
    cp_array *size = cpi_krylov_norm(b);
    if (!x || !size) return false;
    const double length = cp_item_float(size), rtol = o->rtol == 0 ? 1e-5 : o->rtol < 0 ? 0 : o->rtol;
    if (cp_error() != CP_OK) return false;
    s->tolerance = length * rtol > o->atol ? length * rtol : o->atol;
    const double least = cpi_krylov_single(s) ? 0x1p-126 : 0x1p-1022;
    s->limit = s->tolerance > least ? s->tolerance : least;
    if (length == 0) x = cp_zeros(CP_SHAPE(s->n), s->type); /* whatever x0 was, as in SciPy */
    cp_array *r = o->x0 && length != 0 ? cp_subtract(b, cpi_linear_times(&s->a, x)) : cp_copy(b);
    s->maxiter = length == 0 ? 0 : o->maxiter ? o->maxiter : s->n > INT64_MAX / 10 ? INT64_MAX : 10 * s->n;
    return cpi_krylov_put(&s->x, x) && cpi_krylov_put(&s->r, r) &&
           cpi_krylov_put(&s->steps, cp_zeros(CP_SHAPE0, CP_INT64)) && cpi_krylov_measure(s);
}
static void report(const cpi_krylov *s)
{
    cp_sparse_report *to = s->o->report;
    if (!to || cp_error() != CP_OK) return;
    *to = (cp_sparse_report){.iterations = cp_item_int(s->steps), .residual = s->residual, .tolerance = s->tolerance,
                             .converged = s->judged ? s->sound : s->residual < s->tolerance || s->residual == 0,
                             .looks = s->looks};
}
cp_array *cpi_krylov_solve(const char *name, cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options,
                           bool (*run)(cpi_krylov *s))
{
    cpi_krylov s = {.name = name, .o = CPI_GIVEN(cp_sparse_solve_options, options)};
    cpi_composite f;
    if (cpi_linear_check(&s.a, name, a, s.o->map, false) || cpi_null(name, b) || check(&s, b) ||
        !cpi_linear_begin(&f, &s.a, a, b))
        return NULL;
    cpi_device *device = cpi_common_device(name, 3, (cp_array *const[]){a ? a->part[0] : NULL, b, s.o->x0});
    s.n = s.a.rows;
    s.type = s.a.type = cpi_sparse_solution_type(s.a.type, b->type);
    s.every = s.o->every ? s.o->every : device && device->backend->at_once ? 1 : 0;
    const bool open = device && cpi_linear_open(&s.a, a, false);
    s.m = open && s.o->m ? cp_sparse_convert(s.o->m, CP_SPARSE_CSR) : NULL;
    if (open && (s.m || !s.o->m) && start(&s, b) && run(&s)) report(&s);
    cp_array *x = cp_error() == CP_OK ? cp_copy(s.x) : NULL; /* in the scope, which gives it to the caller */
    cp_array *const held[] = {s.x, s.r, s.size, s.steps};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) cp_free(held[i]);
    cp_sparse_free(s.m_adjoint);
    cp_sparse_free(s.m);
    cpi_linear_close(&s.a);
    return cpi_end(&f, x);
}
/* --- conjugate gradients --- */

/* Numbers: r z of this step and the last one, which change places; p q; r r where that is not r z. */
typedef struct cg {
    cp_array *p, *numbers, *state; /* owned by no scope; the state as cp_vectors_pass has it */
} cg;

static cp_code cg_pass(cpi_krylov *s, const cg *c, cp_array *q, cp_array *z, int n, const int64_t *plan)
{
    cp_array *const vectors[5] = {s->x, c->p ? c->p : s->r, s->r, q, z};
    return cp_vectors_pass(5, vectors, n, plan, c->numbers, c->state, 1, 1, 1, 1, s->limit);
}
#define CG_PASS(q, z, plan) (cg_pass(s, c, q, z, (int)(sizeof(plan) / sizeof *(plan)), plan) == CP_OK)

static bool cg_step(cpi_krylov *s, cg *c)
{
    enum { X, P, R, Q, Z };
    const int64_t k = s->done % 2, beta = CP_FACTOR(0, 0, k + 1, 2 - k, 0, 0);
    const int64_t alpha = CP_FACTOR(0, 0, k + 1, 3, 0, 0);
    cp_array *z = cpi_krylov_apply(s, s->r);
    if (z && z != s->r) z = cp_contiguous(z);
    if (!z) return false;
    const int64_t rho[] = {0, k, 0, 1, R, Z}, product[] = {0, 2, 0, 1, P, Q};
    const int64_t turn[] = {0, 0, 1, P, 2, Z, 0, P, beta, 0};
    if ((z != s->r || !c->p) && !CG_PASS(z, z, rho)) return false;
    if (!c->p ? !cpi_krylov_put(&c->p, cp_copy(z)) : !CG_PASS(z, z, turn)) return false;
    cp_array *q = cpi_linear_times(&s->a, c->p);
    const int64_t both[] = {3, z == s->r ? 1 - k : 3, 2, X, 2, X, 0, P, alpha, R, 2, R, 0, Q, alpha | 1, 1, R, R};
    return q && CG_PASS(q, z, product) && CG_PASS(q, z, both) && ++s->done;
}
static bool cg_run(cpi_krylov *s)
{
    const double begin[3] = {1, 0, 0};
    cg c = {0};
    if (!cpi_krylov_goes_on(s)) return cp_error() == CP_OK;
    const cp_type number = cpi_is_complex(s->type) ? CP_COMPLEX128 : CP_FLOAT64;
    bool good = cpi_krylov_put(&c.numbers, cp_zeros(CP_SHAPE(4), number)) &&
                cpi_krylov_put(&c.state, cp_from_host(begin, CP_FLOAT64, CP_SHAPE(3), NULL)) &&
                cpi_krylov_put(&s->size, cp_slice(c.state, CP_ITEMS(CP_AT(2))));
    while (good) {
        cp_scope *scope = cp_scope_begin(); /* what a step makes */
        good = scope && cg_step(s, &c);
        cp_scope_end(scope);
        if (!good || !cpi_krylov_goes_on(s)) break;
    }
    good = good && cpi_krylov_put(&s->steps, cp_astype(cp_slice(c.state, CP_ITEMS(CP_AT(1))), CP_INT64));
    cp_free(c.p);
    cp_free(c.numbers);
    cp_free(c.state);
    return good && cp_error() == CP_OK;
}
cp_array *(cp_sparse_cg)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_cg", a, b, options, cg_run);
}
