/* Systems of equations by generalized minimal residuals, restarted.
 *
 * A cycle makes an orthonormal basis by modified Gram and Schmidt's method on the device. Its coefficients, a column a
 * step, go to the host, which rotates them into a triangle: column by column on the CPU, and where reading waits all at
 * the cycle's end. How many steps of a cycle count follows from the columns alone, so the solution does not depend on
 * when they were read. */
#include "sparse/krylov.h"

#include <complex.h>
#include <math.h>

typedef struct cycle {
    int64_t most, count;    /* columns: of the triangle, and those that count */
    int64_t made;           /* columns that were read */
    double enough, eps;     /* the residual that ends a cycle; of a vector, the part that is rounding */
    bool over;
    double complex *r, *g, *sine; /* triangle, column j at j * (most + 1); right side */
    double *cosine;
    cp_array *basis, *h, *gram; /* (most + 1, n), (most, most + 1), (most, most); the scope's */
} cycle;

/* Reads numbers of the solver's type as complex ones. */
static bool read_numbers(const cpi_krylov *s, cp_array *x, int64_t n, double complex *to)
{
    const bool pairs = cpi_is_complex(s->type);
    cp_array *wide = x ? cp_astype(x, pairs ? CP_COMPLEX128 : CP_FLOAT64) : NULL;
    if (!wide || cp_to_host(wide, to, (size_t)n * (pairs ? 16 : 8)) != CP_OK) return false;
    for (int64_t i = n; !pairs && i-- > 0;) to[i] = ((const double *)to)[i];
    return true;
}
/* One more column, which is in its place: earlier rotations, and the one that takes its last element out. */
static void rotate(cycle *c)
{
    const int64_t j = c->made++;
    double complex *column = c->r + j * (c->most + 1);
    double size = 0;
    for (int64_t i = 0; i <= j + 1; i++) size = hypot(size, cabs(column[i]));
    const bool broken = !(cabs(column[j + 1]) > c->eps * size);
    if (broken) column[j + 1] = 0;
    for (int64_t i = 0; i < j; i++) {
        const double complex above = column[i], below = column[i + 1];
        column[i] = c->cosine[i] * above + conj(c->sine[i]) * below;
        column[i + 1] = c->cosine[i] * below - c->sine[i] * above;
    }
    const double length = hypot(cabs(column[j]), cabs(column[j + 1])), first = cabs(column[j]);
    const double complex phase = first > 0 ? column[j] / first : 1;
    c->cosine[j] = length > 0 ? first / length : 1;
    c->sine[j] = length > 0 ? column[j + 1] / length * conj(phase) : 0;
    column[j] = length * phase;
    c->g[j + 1] = -c->sine[j] * c->g[j];
    c->g[j] *= c->cosine[j];
    c->count = j + (length > 0);
    c->over = broken || !(cabs(c->g[j + 1]) > c->enough);
}
/* The next vector of the basis and its coefficients. */
static bool extend(cpi_krylov *s, cycle *c, int64_t j)
{
    cp_array *w = cpi_krylov_apply(s, cp_sparse_dot(s->a, cp_slice(c->basis, CP_ITEMS(CP_AT(j)))));
    return w && cp_basis_extend(c->basis, w, c->h, c->gram, j, -1) == CP_OK;
}
/* Reads columns that were made on the device and rotates those that count. */
static bool take_columns(const cpi_krylov *s, cycle *c, int64_t end)
{
    cp_array *rows = cp_slice(c->h, CP_ITEMS(CP_RANGE(c->made, end)));
    if (!read_numbers(s, rows, (end - c->made) * (c->most + 1), c->r + c->made * (c->most + 1))) return false;
    while (c->made < end && !c->over) rotate(c);
    return true;
}
/* x + the basis times the solution of the triangle. */
static bool correct(cpi_krylov *s, cycle *c)
{
    for (int64_t i = c->count; i-- > 0;) {
        double complex sum = c->g[i];
        for (int64_t k = i + 1; k < c->count; k++) sum -= c->r[k * (c->most + 1) + i] * c->g[k];
        c->g[i] = sum / c->r[i * (c->most + 1) + i];
    }
    const bool pairs = cpi_is_complex(s->type);
    for (int64_t i = 0; i < c->count && !pairs; i++) ((double *)c->g)[i] = creal(c->g[i]);
    cp_array *y = cp_from_host(c->g, pairs ? CP_COMPLEX128 : CP_FLOAT64, CP_SHAPE(c->count), NULL);
    if (y && y->type != s->type) y = cp_astype(y, s->type);
    cp_array *step = y ? cp_matmul(y, cp_slice(c->basis, CP_ITEMS(CP_RANGE(0, c->count)))) : NULL;
    return step && cpi_krylov_put(&s->x, cp_add(s->x, step));
}
static bool run_cycle(cpi_krylov *s, cycle *c)
{
    cp_array *v = cpi_krylov_apply(s, s->r), *size = cpi_krylov_norm(v);
    const double beta = size ? cp_item_float(size) : 0;
    if (!size || cp_error() != CP_OK) return false;
    c->basis = cp_zeros(CP_SHAPE(c->most + 1, s->n), s->type);
    const cp_type number = cpi_is_complex(s->type) ? CP_COMPLEX128 : CP_FLOAT64;
    c->h = cp_zeros(CP_SHAPE(c->most, c->most + 1), number);
    c->gram = cp_zeros(CP_SHAPE(c->most, c->most), number);
    const bool made = c->basis && c->h && c->gram;
    if (!(beta > 0) || !made) return s->maxiter = s->done, made; /* nothing to go on with */
    if (cp_assign(cp_slice(c->basis, CP_ITEMS(CP_AT(0))), cp_divide(v, size)) != CP_OK) return false;
    c->g[0] = beta;
    c->enough = beta * (s->limit / s->residual) * 0.9; /* the residual's part that must be left, if M changes none */
    for (int64_t j = 0; j < c->most && !c->over; j++)
        if (!extend(s, c, j) || ((s->every || j + 1 == c->most) && !take_columns(s, c, j + 1))) return false;
    s->done += c->made;
    if (!c->count) return s->maxiter = s->done, true;
    cp_array *steps = cp_scalar(CP_INT64, &s->done);
    return correct(s, c) && cpi_krylov_put(&s->r, cp_subtract(s->b, cp_sparse_dot(s->a, s->x))) &&
           cpi_krylov_put(&s->steps, steps) && cpi_krylov_measure(s);
}
static bool gmres_run(cpi_krylov *s)
{
    const int64_t wanted = s->o->restart ? s->o->restart : 20, most = wanted < s->n ? wanted : s->n;
    const size_t m = (size_t)most + 1;
    double complex *memory = cpi_malloc(sizeof *memory * (m * m + 3 * m));
    bool good = memory != NULL;
    while (good) {
        s->next = s->done; /* a look each cycle */
        if (!cpi_krylov_goes_on(s)) break;
        cycle c = {.most = s->maxiter - s->done < most ? s->maxiter - s->done : most,
                   .eps = cpi_krylov_single(s) ? 0x1p-23 : 0x1p-52, .r = memory, .g = memory + m * m,
                   .sine = memory + m * m + m, .cosine = (double *)(memory + m * m + 2 * m)};
        cp_scope *scope = cp_scope_begin();
        good = scope && run_cycle(s, &c);
        cp_scope_end(scope);
    }
    cpi_free_host(memory);
    return good;
}
cp_array *(cp_sparse_gmres)(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options)
{
    return cpi_krylov_solve("sparse_gmres", a, b, options, gmres_run);
}
