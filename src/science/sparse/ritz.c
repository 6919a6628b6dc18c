/* The small problem of Krylov and Schur's method: Schur's form of a matrix of few rows, and its eigenvectors.
 *
 * Invariant: all of it is float64 on the host whatever the basis is; the eigenvectors of a real matrix are conjugates
 * where its eigenvalues are, and real where those are. */
#include "sparse/ritz.h"

#include <float.h>
#include <math.h>

#include "operands/operands.h"

/* Schur's form, with the chosen values first; blocks of 2 x 2 of a real matrix stay. */
static bool decompose(cpi_ritz *r, const bool *chosen)
{
    const int there = cp_device_current();
    const size_t bytes = (size_t)(r->m * r->m) * sizeof *r->t;
    cp_array *t = NULL, *z = NULL, *first = NULL;
    if (there == CP_NO_DEVICE || cp_device_use(CP_CPU) != CP_OK) return false;
    cp_array *x = cp_from_host(r->t, CP_COMPLEX128, CP_SHAPE(r->m, r->m), NULL);
    if (x && r->real) x = cp_copy(cp_real_part(x));
    if (chosen) first = cp_from_host(chosen, CP_BOOL, CP_SHAPE(r->m), NULL);
    bool good = x && (first || !chosen) && cp_schur(x, &t, &z, .chosen = first) == CP_OK;
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
/* An eigenvector of the triangle, x[0] to x[i], of length 1. Equal eigenvalues count as apart by rounding, as in
 * LAPACK; what grows is scaled. */
static void substitute(const cpi_ritz *r, int64_t i, double complex *x)
{
    const int64_t m = r->m;
    const double least = fmax(0x1p-52 * r->size, DBL_MIN);
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
    if (!decompose(r, NULL)) return false;
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
void cpi_ritz_vector(const cpi_ritz *r, int64_t i, double complex *y)
{
    const bool second = r->real && cimag(r->theta[i]) < 0, plain = r->real && cimag(r->theta[i]) == 0;
    const int64_t at = second ? i - 1 : i;
    substitute(r, at, r->spare);
    for (int64_t row = 0; row < r->m; row++) {
        y[row] = element(r, row, at, r->spare);
        if (second) y[row] = conj(y[row]);
        if (plain) y[row] = creal(y[row]);
    }
}
int64_t cpi_ritz_choose(cpi_ritz *r, const bool *chosen, int64_t keep)
{
    const bool fine = cp_error() == CP_OK;
    if (!decompose(r, chosen)) { /* values that are too close to change places: as they are */
        if (!fine || cp_error() != CP_ERROR_LINALG) return 0;
        cp_error_clear();
        if (!decompose(r, NULL)) return 0;
    }
    const bool splits = r->real && keep < r->m && r->schur[keep * r->m + keep - 1] != 0;
    return !splits ? keep : keep + 1 < r->m ? keep + 1 : keep - 1;
}
