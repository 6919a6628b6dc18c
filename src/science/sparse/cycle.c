/* What solvers that keep a basis share: the basis, its coefficients, the triangle.
 *
 * A cycle makes an orthonormal basis by modified Gram and Schmidt's method on the device. Its coefficients, a column a
 * step, go to the host, which rotates them into a triangle: column by column on the CPU, and where reading waits all at
 * the cycle's end. How many steps of a cycle count follows from the columns alone, so the solution does not depend on
 * when they were read. */
#include "sparse/cycle.h"

#include <math.h>

bool cpi_cycle_begin(cpi_krylov *s, cpi_cycle *c, int64_t most, int64_t deflated, cp_array *v, double beta)
{
    const size_t m = (size_t)most + 1;
    const cp_type number = cpi_sparse_number(s->type);
    *c = (cpi_cycle){.most = most, .eps = cpi_sparse_epsilon(s->type), .deflated = deflated};
    c->r = cpi_malloc(sizeof *c->r * (m * m + 3 * m + m * (size_t)deflated));
    if (!c->r || !v) return false;
    c->g = c->r + m * m, c->sine = c->g + m, c->cosine = (double *)(c->sine + m), c->parts = c->sine + 2 * m;
    c->basis = cp_zeros(CP_SHAPE(most + 1, s->n), s->type);
    c->h = cp_zeros(CP_SHAPE(most, most + 1), number);
    c->gram = cp_zeros(CP_SHAPE(most, most), number);
    if (deflated) c->along = cp_zeros(CP_SHAPE(most, deflated), s->type);
    c->g[0] = beta;
    return c->basis && c->h && c->gram && (c->along || !deflated) &&
           cp_assign(cpi_cycle_vector(c, 0), cp_divide(v, cp_float(beta))) == CP_OK;
}
void cpi_cycle_end(cpi_cycle *c) { cpi_free_host(c->r); }
cp_array *cpi_cycle_vector(const cpi_cycle *c, int64_t j) { return cp_slice(c->basis, CP_ITEMS(CP_AT(j))); }

/* Reads numbers as complex ones. */
static bool read_numbers(const cpi_krylov *s, cp_array *x, int64_t n, double complex *to)
{
    const bool pairs = cpi_is_complex(s->type);
    cp_array *wide = x ? cp_astype(x, cpi_sparse_number(s->type)) : NULL;
    if (!wide || cp_to_host(wide, to, (size_t)n * (pairs ? 16 : 8)) != CP_OK) return false;
    for (int64_t i = n; !pairs && i-- > 0;) to[i] = ((const double *)to)[i];
    return true;
}
static double norm_of(const double complex *x, int64_t n)
{
    double size = 0;
    for (int64_t i = 0; i < n; i++) size = hypot(size, cabs(x[i]));
    return size;
}
/* One more column, which is in its place: earlier rotations, and the one that takes its last element out. A column that
 * is nothing but the rounding of others, or of what was taken out before, does not count. */
static void rotate(cpi_cycle *c)
{
    const int64_t j = c->made++;
    double complex *column = c->r + j * (c->most + 1);
    const double size = norm_of(column, j + 2), taken = norm_of(c->parts + j * c->deflated, c->deflated);
    const bool broken = !(cabs(column[j + 1]) > c->eps * size);
    if (broken) column[j + 1] = 0;
    for (int64_t i = 0; i < j; i++) {
        const double complex above = column[i], below = column[i + 1];
        column[i] = c->cosine[i] * above + conj(c->sine[i]) * below;
        column[i + 1] = c->cosine[i] * below - c->sine[i] * above;
    }
    const double length = hypot(cabs(column[j]), cabs(column[j + 1])), first = cabs(column[j]);
    const double complex phase = first > 0 ? column[j] / first : 1;
    const bool counts = length > 8 * c->eps * size && size > 8 * c->eps * taken;
    c->cosine[j] = length > 0 ? first / length : 1;
    c->sine[j] = length > 0 ? column[j + 1] / length * conj(phase) : 0;
    column[j] = length * phase;
    c->g[j + 1] = -c->sine[j] * c->g[j];
    if (counts) c->g[j] *= c->cosine[j];
    c->count = j + counts;
    c->over = broken || !counts || !(cabs(c->g[j + 1]) > c->enough);
}
/* Reads columns that were made on the device and rotates those that count. */
static bool take_columns(const cpi_krylov *s, cpi_cycle *c, int64_t end)
{
    const int64_t from = c->made, n = end - from;
    if (!read_numbers(s, cpi_cycle_rows(c->h, from, end), n * (c->most + 1), c->r + from * (c->most + 1))) return false;
    if (c->along &&
        !read_numbers(s, cpi_cycle_rows(c->along, from, end), n * c->deflated, c->parts + from * c->deflated))
        return false;
    while (c->made < end && !c->over) rotate(c);
    return true;
}
bool cpi_cycle_extend(cpi_krylov *s, cpi_cycle *c, int64_t j, cp_array *w)
{
    if (!w || cp_basis_extend(c->basis, w, c->h, c->gram, j, -1) != CP_OK) return false;
    return !(s->every || j + 1 == c->most) || take_columns(s, c, j + 1);
}
cp_array *cpi_cycle_solve(const cpi_krylov *s, cpi_cycle *c)
{
    for (int64_t i = c->count; i-- > 0;) {
        double complex sum = c->g[i];
        for (int64_t k = i + 1; k < c->count; k++) sum -= c->r[k * (c->most + 1) + i] * c->g[k];
        c->g[i] = sum / c->r[i * (c->most + 1) + i];
    }
    const bool pairs = cpi_is_complex(s->type);
    for (int64_t i = 0; i < c->count && !pairs; i++) ((double *)c->g)[i] = creal(c->g[i]);
    cp_array *y = cp_from_host(c->g, cpi_sparse_number(s->type), CP_SHAPE(c->count), NULL);
    return y && y->type != s->type ? cp_astype(y, s->type) : y;
}
cp_array *cpi_cycle_product(const cpi_krylov *s, const cpi_cycle *c, cp_array *y)
{
    const cp_index block[2] = {CP_RANGE(0, c->count), CP_RANGE(0, c->count + 1)};
    cp_array *h = cp_slice(c->h, 2, block);
    if (h && h->type != s->type) h = cp_astype(h, s->type);
    cp_array *z = h && y ? cp_matmul(y, h) : NULL;
    return z ? cp_matmul(z, cpi_cycle_rows(c->basis, 0, c->count + 1)) : NULL;
}
bool cpi_cycle_moved(cpi_krylov *s, cp_array *x)
{
    return cpi_krylov_put(&s->x, x) && cpi_krylov_put(&s->r, cp_subtract(s->b, cpi_linear_times(&s->a, s->x))) &&
           cpi_krylov_put(&s->steps, cp_scalar(CP_INT64, &s->done)) && cpi_krylov_measure(s);
}
