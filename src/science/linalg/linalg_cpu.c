/* The CPU's slots for systems and factorizations: LAPACK for each matrix, unless the kernels for small ones
 * (linalg_small.c) apply. Each slot is a job (job.h); those for spectra are in spectra_cpu.c. */
#include <math.h>
#include <string.h>

#include "linalg/lu.h"
#include "linalg/substitute.h"

static bool is_zero(const job *j, const void *x, int64_t i)
{
    if (!is_complex(j)) return part_of(j, x, i) == 0;
    return part_of(j, x, 2 * i) == 0 && part_of(j, x, 2 * i + 1) == 0;
}

/* --- LU --- */
/* Workspace: what cpi_lu_factor needs, then pivots, then pivots as the determinant takes them. */
static size_t factor_bytes(const job *j, bool apart) { return cpi_lu_bytes(j, apart) + rounded((size_t)j->r * 4); }

/* The factors of matrix i, without L; and with right sides, which `lu` has. False where a pivot is 0. */
static bool factor(const job *j, int64_t i, char *work, cpi_lu *lu)
{
    lu->m = j->l->m, lu->n = j->l->n;
    lu->from = AT(j->l->a, lu->m * lu->n);
    lu->pivots = (int32_t *)(void *)(work + cpi_lu_bytes(j, true));
    cpi_lu_factor(j, lu, work);
    return !lu->info;
}

ONE(one_lu)
{
    const cpi_linalg *l = j->l;
    cpi_lu lu = {.m = l->m, .n = l->n, .from = AT(l->a, l->m * l->n), .to = AT(l->x, l->m * l->n)};
    lu.pivots = l->pivots + i * j->r;
    cpi_lu_factor(j, &lu, work);
    if (l->rows) cpi_lu_order(l->m, j->r, lu.pivots, l->rows + i * l->m);
    return 0;
}

ONE(one_solve)
{
    int64_t n = j->l->n, k = j->l->k;
    cpi_lu lu = {.sides = AT(j->l->b, n * k), .b = AT(j->l->x, n * k), .k = k};
    if (!factor(j, i, work, &lu)) return CPI_LINALG_SINGULAR;
    cpi_lu_finish(j, &lu, work);
    return 0;
}

/* Handles a singular matrix: an error, or NaN in place of its inverse. */
static int singular_inverse(const job *j, char *x)
{
    int64_t parts = j->l->n * j->l->n * (int64_t)(j->size / j->part);
    if (!j->l->quiet) return CPI_LINALG_SINGULAR;
    for (int64_t k = 0; k < parts; k++) set_part(j, x, k, NAN);
    return 0;
}

ONE(one_inv)
{
    int64_t n = j->l->n;
    cpi_lu lu = {.inverse = true, .b = AT(j->l->x, n * n), .k = n};
    if (!factor(j, i, work, &lu)) return singular_inverse(j, lu.b);
    cpi_lu_finish(j, &lu, work);
    return 0;
}

/* The product of the pivots as mantissa and exponent, so that it neither overflows nor underflows in between. */
typedef struct scaled { double re, im; int64_t exponent; } scaled;
static scaled times(scaled p, double re, double im)
{
    bool real = p.im == 0 && im == 0; /* an infinity times an implied 0 would be NaN */
    double a = real ? p.re * re : p.re * re - p.im * im, b = real ? 0 : p.re * im + p.im * re;
    double most = fmax(fabs(a), fabs(b));
    int e = 0;
    if (most > 0 && isfinite(most)) frexp(most, &e);
    return (scaled){ldexp(a, -e), ldexp(b, -e), p.exponent + e};
}
static double scale(double x, int64_t exponent)
{
    return x == 0 || !isfinite(x) ? x : ldexp(x, exponent > 4000 ? 4000 : exponent < -4000 ? -4000 : (int)exponent);
}

void cpi_linalg_write_det(const cpi_linalg *l, int64_t i, const double *pivots, bool zero)
{
    job j = begin(NULL, l, NULL);
    scaled p = {1, 0, 0};
    double sum = 0, re = 1, im = 0;
    for (int64_t k = 0; k < l->n && !zero; k++) {
        double a = is_complex(&j) ? pivots[2 * k] : pivots[k], b = is_complex(&j) ? pivots[2 * k + 1] : 0;
        double modulus = is_complex(&j) ? hypot(a, b) : fabs(a);
        int e = 0; /* pivots are brought to 1, so that a product of two is no infinity */
        if (modulus > 0 && isfinite(modulus)) frexp(modulus, &e);
        p = times(p, ldexp(a, -e), ldexp(b, -e));
        p.exponent += e;
        sum += log(modulus);
        if (!is_complex(&j)) { /* also of infinities */
            re = a < 0 ? -re : re;
            continue;
        }
        double c = a / modulus, d = b / modulus, was = re;
        re = re * c - im * d;
        im = was * d + im * c;
    }
    if (l->x) set_number(&j, l->x, i, zero ? 0 : scale(p.re, p.exponent), zero ? 0 : scale(p.im, p.exponent));
    if (l->u) set_number(&j, l->u, i, zero ? 0 : re, zero ? 0 : im);
    if (l->s) set_part(&j, l->s, i, zero ? -INFINITY : sum);
}

ONE(one_det)
{
    int64_t n = j->l->n, parts = (int64_t)(j->size / j->part);
    cpi_lu lu = {0};
    bool zero = !factor(j, i, work, &lu);
    double *pivots = (double *)(void *)(work + factor_bytes(j, true));
    for (int64_t k = 0; k < n; k++)
        for (int64_t p = 0; p < parts; p++) {
            double v = part_of(j, lu.u, parts * k * (lu.row + lu.column) + p);
            pivots[parts * k + p] = lu.pivots[k] == k ? v : -v;
        }
    cpi_linalg_write_det(j->l, i, pivots, zero);
    return 0;
}

/* Solves with a triangle of a row-major matrix, or of its transpose. */
static void substitute(const job *j, const char *a, bool upper, bool unit, char *x)
{
    const int64_t n = j->l->n, k = j->l->k;
    const bool turned = j->l->trans != CPI_TRANS_NONE;
    const cpi_substitution s = {.j = j, .gemm = j->f[0], .n = n, .t = a, .row = turned ? 1 : n,
                                .column = turned ? n : 1, .lower = upper == turned, .unit = unit,
                                .conjugate = j->l->trans == CPI_TRANS_CONJUGATE};
    cpi_substitute_all(&s, x, k, k);
}

ONE(one_lu_solve)
{
    const cpi_linalg *l = j->l;
    (void)work;
    char *x = AT(l->x, l->n * l->k);
    const char *lu = AT(l->a, l->n * l->n);
    const int32_t *pivots = l->pivots_in + i * l->n;
    memcpy(x, AT(l->b, l->n * l->k), (size_t)(l->n * l->k) * j->size);
    for (int64_t k = 0; k < l->n; k++)
        if (pivots[k] < 0 || pivots[k] >= l->n) return CPI_LINALG_PIVOTS;
    const bool turned = l->trans != CPI_TRANS_NONE; /* U^T L^T P X = B */
    if (!turned) cpi_lu_exchange(j, l->n, pivots, x, l->k, false);
    substitute(j, lu, turned, !turned, x);
    substitute(j, lu, !turned, turned, x);
    if (turned) cpi_lu_exchange(j, l->n, pivots, x, l->k, true);
    return 0;
}

ONE(one_triangular)
{
    const cpi_linalg *l = j->l;
    (void)work;
    char *x = AT(l->x, l->n * l->k);
    const char *a = AT(l->a, l->n * l->n);
    if (!l->unit)
        for (int64_t k = 0; k < l->n; k++)
            if (is_zero(j, a, k * l->n + k)) return CPI_LINALG_SINGULAR;
    memcpy(x, AT(l->b, l->n * l->k), (size_t)(l->n * l->k) * j->size);
    substitute(j, a, l->upper, l->unit, x);
    return 0;
}

/* --- Cholesky, QR --- */
ONE(one_cholesky)
{
    const cpi_linalg *l = j->l;
    const int64_t n = l->n;
    (void)work;
    char *x = AT(l->x, n * n);
    const char *a = AT(l->a, n * n);
    for (int64_t y = 0; y < n; y++) { /* the triangle, zeros beside it */
        int64_t from = l->upper ? y : 0, to = l->upper ? n : y + 1;
        size_t row = (size_t)(y * n);
        memset(x + row * j->size, 0, (size_t)n * j->size);
        memcpy(x + (row + (size_t)from) * j->size, a + (row + (size_t)from) * j->size, (size_t)(to - from) * j->size);
        if (is_complex(j)) set_part(j, x, 2 * (y * n + y) + 1, 0);
    }
    if (cpi_cholesky_factor(j, n, l->upper, x) > 0) return CPI_LINALG_NOT_POSITIVE;
    for (int64_t y = 0; y < n; y++)
        if (isnan(part_of(j, x, (y * n + y) * (is_complex(j) ? 2 : 1)))) return CPI_LINALG_NOT_POSITIVE;
    return 0;
}

/* The upper part of `columns` (m x n in columns) as rows x n in rows. */
static void write_r(const job *j, int64_t rows, const char *columns, char *to)
{
    int64_t m = j->l->m, n = j->l->n;
    cpi_job_transpose(j, n, rows == m ? m : rows, columns, to); /* m == rows: as it lies */
    for (int64_t y = 1; y < rows; y++) memset(to + (size_t)(y * n) * j->size, 0, (size_t)(y < n ? y : n) * j->size);
}

ONE(one_qr)
{
    const cpi_linalg *l = j->l;
    int64_t m = l->m, n = l->n, r = j->r, info = 0, lwork = j->lwork;
    int64_t wide = l->mode == CPI_QR_COMPLETE && m > n ? m : n; /* columns of the workspace */
    char *tau = l->mode == CPI_QR_RAW ? AT(l->s, r) : work + rounded((size_t)(m * wide) * j->size);
    char *own = work + j->work - (size_t)lwork * j->size;
    char *w = l->mode == CPI_QR_RAW ? AT(l->x, m * n) : work;
    char *shared = work + rounded((size_t)(m * wide) * j->size) + rounded((size_t)r * j->size);
    cpi_job_transpose(j, m, n, AT(l->a, m * n), w);
    if (j->pooled) cpi_qr_factor(j, w, tau, shared);
    else j->f[CPI_QR_GEQRF](&m, &n, w, &m, tau, own, &lwork, &info);
    if (l->mode == CPI_QR_RAW) return 0;
    int64_t rows = l->mode == CPI_QR_COMPLETE ? m : r;
    char *x = AT(l->x, rows * n);
    if (rows == m) write_r(j, rows, w, x);
    else /* the first rows of each column */
        for (int64_t y = 0; y < rows; y++)
            for (int64_t c = 0; c < n; c++)
                if (c < y) memset(x + (size_t)(y * n + c) * j->size, 0, j->size);
                else memcpy(x + (size_t)(y * n + c) * j->size, w + (size_t)(c * m + y) * j->size, j->size);
    if (l->mode == CPI_QR_R) return 0;
    if (j->pooled) return cpi_qr_make_q(j, w, rows, AT(l->u, m * rows), shared), 0;
    j->f[CPI_QR_ORGQR](&m, &rows, &r, w, &m, tau, own, &lwork, &info);
    cpi_job_transpose(j, rows, m, w, AT(l->u, m * rows));
    return 0;
}

cp_code cpi_linalg_cpu_lu(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_LU);
    job j = begin(stream, l, one_lu);
    j.pooled = true;
    return FIND(&j, "getrf", "gemm") ? cpi_job_all(&j, cpi_lu_bytes(&j, false)) : cp_error();
}
cp_code cpi_linalg_cpu_solve(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_SOLVE);
    job j = begin(stream, l, one_solve);
    j.pooled = true;
    return FIND(&j, "getrf", "gemm", "trsv") ? cpi_job_all(&j, factor_bytes(&j, true)) : cp_error();
}
cp_code cpi_linalg_cpu_inv(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_INV);
    job j = begin(stream, l, one_inv);
    j.pooled = true;
    return FIND(&j, "getrf", "gemm") ? cpi_job_all(&j, factor_bytes(&j, true)) : cp_error();
}
cp_code cpi_linalg_cpu_det(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_DET);
    job j = begin(stream, l, one_det);
    j.pooled = true;
    const size_t bytes = factor_bytes(&j, true) + (size_t)j.r * 16;
    return FIND(&j, "getrf", "gemm") ? cpi_job_all(&j, bytes) : cp_error();
}
cp_code cpi_linalg_cpu_lu_solve(cp_stream *stream, const cpi_linalg *l)
{
    job j = begin(stream, l, one_lu_solve);
    j.pooled = true;
    return FIND(&j, "gemm") ? cpi_job_all(&j, 0) : cp_error();
}
cp_code cpi_linalg_cpu_triangular(cp_stream *stream, const cpi_linalg *l)
{
    job j = begin(stream, l, one_triangular);
    j.pooled = true;
    return FIND(&j, "gemm") ? cpi_job_all(&j, 0) : cp_error();
}
cp_code cpi_linalg_cpu_cholesky(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_CHOLESKY);
    job j = begin(stream, l, one_cholesky);
    j.pooled = true;
    const char *herk = cpi_is_complex(l->type) ? "herk" : "syrk";
    return FIND(&j, "potrf", "trsm", "gemm", herk) ? cpi_job_all(&j, 0) : cp_error();
}
cp_code cpi_linalg_cpu_qr(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_QR);
    job j = begin(stream, l, one_qr);
    double answer[2];
    int64_t m = l->m, n = l->n, ask = -1, info = 0, r = j.r, wide = l->mode == CPI_QR_COMPLETE && m > n ? m : n;
    int64_t rows = l->mode == CPI_QR_COMPLETE ? m : r;
    const size_t bytes = rounded((size_t)(m * wide) * j.size) + rounded((size_t)r * j.size);
    if (!FIND(&j, "geqrf", cpi_is_complex(l->type) ? "ungqr" : "orgqr", "geqrt3", "larfb")) return cp_error();
    if ((j.pooled = cpi_qr_is_shared(&j))) return cpi_job_all(&j, bytes + cpi_qr_bytes(&j));
    j.f[CPI_QR_GEQRF](&m, &n, answer, &m, answer, answer, &ask, &info);
    cpi_job_wants(&j, answer);
    j.f[CPI_QR_ORGQR](&m, &rows, &r, answer, &m, answer, answer, &ask, &info);
    cpi_job_wants(&j, answer);
    return cpi_job_all(&j, bytes);
}
