/* The small problem of Krylov and Schur's method: Schur's form of a matrix of few rows, and its eigenvectors.
 *
 * A real matrix' form becomes a complex triangle, which two values that change places keep whatever they are; what a
 * restart keeps becomes real again. Invariant: all of it is float64 on the host whatever the basis is; the eigenvectors
 * of a real matrix are conjugates where its eigenvalues are, and real where those are. */
#include "sparse/ritz.h"

#include <float.h>
#include <math.h>

#include "operands/operands.h"

/* Schur's form; blocks of 2 x 2 of a real matrix stay. */
static bool decompose(cpi_ritz *r)
{
    const int there = cp_device_current();
    const size_t bytes = (size_t)(r->m * r->m) * sizeof *r->t;
    cp_array *t = NULL, *z = NULL;
    if (there == CP_NO_DEVICE || cp_device_use(CP_CPU) != CP_OK) return false;
    cp_array *x = cp_from_host(r->t, CP_COMPLEX128, CP_SHAPE(r->m, r->m), NULL);
    if (x && r->real) x = cp_copy(cp_real_part(x));
    bool good = x && cp_schur(x, &t, &z) == CP_OK;
    t = good ? cp_astype(t, CP_COMPLEX128) : NULL, z = good ? cp_astype(z, CP_COMPLEX128) : NULL;
    good = t && z && cp_to_host(t, r->schur, bytes) == CP_OK && cp_to_host(z, r->turn, bytes) == CP_OK;
    return cp_device_use(there) == CP_OK && good;
}
/* The block of a pair in rows i and i + 1, whose diagonal elements are equal, becomes a triangle. */
static void split_pair(cpi_ritz *r, int64_t i)
{
    const int64_t m = r->m;
    double complex *t = r->schur, *z = r->turn;
    const double above = creal(t[i * m + i + 1]), below = creal(t[(i + 1) * m + i]);
    const double part = sqrt(fabs(above)) * sqrt(fabs(below)), size = hypot(above, part);
    const double x = above / size, y = part / size; /* the first column of the rotation is (x, iy) */
    for (int64_t k = 0; k < m; k++) {
        const double complex p = t[i * m + k], q = t[(i + 1) * m + k], iy = CMPLX(0, y);
        t[i * m + k] = x * p - iy * q, t[(i + 1) * m + k] = x * q - iy * p;
    }
    for (int64_t k = 0; k < 2 * m; k++) {
        double complex *row = k < m ? t + k * m + i : z + (k - m) * m + i;
        const double complex p = row[0], q = row[1], iy = CMPLX(0, y);
        row[0] = x * p + iy * q, row[1] = x * q + iy * p;
    }
    const double middle = (creal(t[i * m + i]) + creal(t[(i + 1) * m + i + 1])) / 2;
    t[i * m + i] = CMPLX(middle, part), t[(i + 1) * m + i + 1] = CMPLX(middle, -part), t[(i + 1) * m + i] = 0;
}
/* An eigenvector of the triangle, x[0] to x[i], of length 1. Equal eigenvalues count as apart by rounding in the basis'
 * type, which is what their couplings are: by less, those of a normal matrix would have nearly the same vector. What
 * grows is scaled. */
static void substitute(const cpi_ritz *r, int64_t i, double complex *x)
{
    const int64_t m = r->m;
    const double least = fmax(r->eps * r->size, DBL_MIN);
    double total = 0;
    x[i] = 1;
    for (int64_t j = i; j-- > 0;) {
        double complex sum = 0, gap = r->theta[i] - r->schur[j * m + j];
        for (int64_t k = j + 1; k <= i; k++) sum += r->schur[j * m + k] * x[k];
        x[j] = sum / (cabs(gap) < least ? least : gap);
        const double most = cabs(x[j]);
        for (int64_t k = j; k <= i && most > 0x1p40; k++) x[k] /= most;
    }
    for (int64_t k = 0; k <= i; k++) total = hypot(total, cabs(x[k]));
    for (int64_t k = 0; k <= i; k++) x[k] /= total;
}
/* An element of turn times an eigenvector of the triangle. */
static double complex element(const cpi_ritz *r, int64_t row, int64_t i, const double complex *x)
{
    double complex sum = 0;
    for (int64_t k = 0; k <= i; k++) sum += r->turn[row * r->m + k] * x[k];
    return sum;
}

bool cpi_ritz_solve(cpi_ritz *r)
{
    const int64_t m = r->m;
    r->size = 0;
    for (int64_t i = 0; i < m * m; i++) r->size = fmax(r->size, cabs(r->t[i]));
    if (!decompose(r)) return false;
    for (int64_t i = 0; i + 1 < m && r->real; i++)
        if (r->schur[(i + 1) * m + i] != 0) split_pair(r, i++);
    for (int64_t i = 0; i < m; i++) r->theta[i] = r->schur[i * m + i];
    for (int64_t i = 0; i < m; i++) {
        substitute(r, i, r->spare);
        r->bound[i] = r->beta * cabs(element(r, m - 1, i, r->spare));
        if (cpi_ritz_pair(r, i)) r->bound[i + 1] = r->bound[i], i++;
    }
    return true;
}
/* A real value's vector, as a real one of length 1: beside a pair as good as equal to it both parts are vectors. */
static void real_vector(double complex *y, int64_t m)
{
    double re = 0, im = 0;
    for (int64_t k = 0; k < m; k++) re = hypot(re, creal(y[k])), im = hypot(im, cimag(y[k]));
    for (int64_t k = 0; k < m; k++) y[k] = re >= im ? creal(y[k]) / re : cimag(y[k]) / im;
}
void cpi_ritz_vector(const cpi_ritz *r, int64_t i, double complex *y)
{
    const bool second = r->real && cimag(r->theta[i]) < 0;
    const int64_t at = second ? i - 1 : i;
    substitute(r, at, r->spare);
    for (int64_t row = 0; row < r->m; row++) {
        y[row] = element(r, row, at, r->spare);
        if (second) y[row] = conj(y[row]);
    }
    if (r->real && cimag(r->theta[i]) == 0) real_vector(y, r->m);
}

/* --- another order --- */

/* The rotation of rows and columns j and j + 1 that makes the two values on the diagonal change places, as LAPACK's
 * trexc has it. */
static void exchange(cpi_ritz *r, int64_t j)
{
    const int64_t m = r->m;
    double complex *t = r->schur, *z = r->turn;
    const double complex first = t[j * m + j], last = t[(j + 1) * m + j + 1], above = t[j * m + j + 1];
    const double size = hypot(cabs(above), cabs(last - first)), part = cabs(above);
    if (size == 0) return;
    const double c = part / size;
    const double complex s = (part > 0 ? above / part : 1) * conj(last - first) / size;
    for (int64_t k = j + 2; k < m; k++) {
        const double complex p = t[j * m + k], q = t[(j + 1) * m + k];
        t[j * m + k] = c * p + s * q, t[(j + 1) * m + k] = c * q - conj(s) * p;
    }
    for (int64_t k = 0; k < j + m; k++) {
        double complex *row = k < j ? t + k * m + j : z + (k - j) * m + j;
        const double complex p = row[0], q = row[1];
        row[0] = c * p + conj(s) * q, row[1] = c * q - s * p;
    }
    t[j * m + j] = last, t[(j + 1) * m + j + 1] = first;
}
/* Takes from x what is along the first columns of q, twice; the norm of what is left. */
static double project(const double *q, int64_t m, int64_t columns, double *x)
{
    double size = 0;
    for (int64_t j = 0; j < 2 * columns; j++) {
        const double *one = q + j % columns * m;
        double along = 0;
        for (int64_t k = 0; k < m; k++) along += one[k] * x[k];
        for (int64_t k = 0; k < m; k++) x[k] -= along * one[k];
    }
    for (int64_t k = 0; k < m; k++) size = hypot(size, x[k]);
    return size;
}
/* Real columns q of the space that `count` columns of turn from `at` on and those before span: they are the vectors of
 * a real value, or of a pair. Of their parts each time the one that is least along the others. */
static void make_real(cpi_ritz *r, double *q, int64_t at, int64_t count, double *x)
{
    const int64_t m = r->m;
    for (int64_t j = at; j < at + count; j++) {
        double *best = q + j * m, most = -1;
        for (int64_t part = 0; part < 2 * count; part++) {
            for (int64_t k = 0; k < m; k++) {
                const double complex z = r->turn[k * m + at + part / 2];
                x[k] = part % 2 ? cimag(z) : creal(z);
            }
            const double size = project(q, m, j, x);
            for (int64_t k = 0; k < m && size > most; k++) best[k] = x[k] / size;
            most = fmax(most, size);
        }
    }
}
/* The first columns of turn as real ones, and r->t in them, with blocks for pairs. */
static void restrict_real(cpi_ritz *r, const int64_t *list, int64_t keep)
{
    const int64_t m = r->m;
    double *q = (double *)r->schur, *image = q + m * m, *x = (double *)r->spare; /* columns; t q */
    for (int64_t at = 0, count; at < keep; at += count) make_real(r, q, at, count = 1 + cpi_ritz_pair(r, list[at]), x);
    for (int64_t j = 0; j < keep; j++)
        for (int64_t k = 0; k < m; k++) {
            double sum = 0;
            for (int64_t i = 0; i < m; i++) sum += creal(r->t[k * m + i]) * q[j * m + i];
            image[j * m + k] = sum, r->turn[k * m + j] = q[j * m + k];
        }
    for (int64_t i = 0; i < m * m; i++) r->t[i] = 0;
    for (int64_t at = 0, end; at < keep; at = end) {
        end = at + 1 + cpi_ritz_pair(r, list[at]);
        for (int64_t j = at; j < end; j++)
            for (int64_t i = 0; i < end; i++) {
                double sum = 0;
                for (int64_t k = 0; k < m; k++) sum += q[i * m + k] * image[j * m + k];
                r->t[i * m + j] = sum;
            }
    }
}
void cpi_ritz_choose(cpi_ritz *r, int64_t *list, int64_t keep)
{
    const int64_t m = r->m;
    for (int64_t i = 0; i < m; i++) r->place[i] = i;
    for (int64_t i = 0; i < keep; i++) {
        int64_t at = i;
        while (r->place[at] != list[i]) at++;
        for (; at > i; at--) {
            exchange(r, at - 1);
            r->place[at] = r->place[at - 1];
        }
        r->place[i] = list[i];
    }
    if (r->real) restrict_real(r, list, keep);
    else for (int64_t i = 0; i < m * m; i++) r->t[i] = i / m < keep && i % m < keep ? r->schur[i] : 0;
    for (int64_t j = 0; j < keep; j++) {
        const double complex b = r->beta * r->turn[(m - 1) * m + j];
        r->t[keep * m + j] = cabs(b) > r->eps * r->size ? b : 0;
    }
}
