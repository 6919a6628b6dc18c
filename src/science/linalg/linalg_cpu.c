/* The CPU's slots for systems and factorizations: LAPACK for each matrix, unless the kernels for small ones
 * (linalg_small.c) apply. Each slot is a job (job.h); those for spectra are in spectra_cpu.c. */
#include <math.h>
#include <string.h>

#include "linalg/job.h"

static bool is_zero(const job *j, const void *x, int64_t i)
{
    if (!is_complex(j)) return part_of(j, x, i) == 0;
    return part_of(j, x, 2 * i) == 0 && part_of(j, x, 2 * i + 1) == 0;
}

/* --- rows exchanged --- */
static void exchange(size_t bytes, char *a, char *b)
{
    char t[512];
    for (size_t n; bytes; bytes -= n, a += n, b += n) {
        n = bytes < sizeof t ? bytes : sizeof t;
        memcpy(t, a, n);
        memcpy(a, b, n);
        memcpy(b, t, n);
    }
}
/* Applies exchanges to rows of `bytes` each; `back`: undoes them. */
static void exchange_rows(int64_t n, const int32_t *pivots, size_t bytes, char *x, bool back)
{
    for (int64_t s = 0; s < n; s++) {
        int64_t i = back ? n - 1 - s : s, p = pivots[i];
        if (p != i) exchange(bytes, x + (size_t)i * bytes, x + (size_t)p * bytes);
    }
}
/* What getrf left, counted from 0. */
static void read_pivots(int64_t n, const int64_t *list, int32_t *pivots)
{
    for (int64_t i = 0; i < n; i++) pivots[i] = (int32_t)(cpi_lapack_slot(list, i) - 1);
}

/* --- LU --- */
/* The factors of matrix i, in columns, at the start of the workspace; behind it index lists. Returns 1 + the first
 * zero pivot, or 0. */
static int64_t factor(const job *j, int64_t i, char *work, int64_t **list)
{
    int64_t m = j->l->m, n = j->l->n;
    *list = (int64_t *)(void *)(work + rounded((size_t)(m * n) * j->size));
    cpi_job_transpose(j, m, n, AT(j->l->a, m * n), work);
    return cpi_lu_factor(j, m, n, work, *list);
}
static size_t factor_bytes(const job *j)
{
    return rounded((size_t)(j->l->m * j->l->n) * j->size) + rounded((size_t)j->r * 8) + rounded((size_t)j->r * 4);
}
static int32_t *pivots_behind(const job *j, int64_t *list)
{
    return (int32_t *)(void *)((char *)list + rounded((size_t)j->r * 8));
}

ONE(one_lu)
{
    const cpi_linalg *l = j->l;
    int64_t *list;
    factor(j, i, work, &list);
    cpi_job_transpose(j, l->n, l->m, work, AT(l->x, l->m * l->n));
    int32_t *pivots = l->pivots + i * j->r;
    read_pivots(j->r, list, pivots);
    if (!l->rows) return 0;
    int32_t *rows = l->rows + i * l->m;
    for (int64_t k = 0; k < l->m; k++) rows[k] = (int32_t)k;
    exchange_rows(j->r, pivots, sizeof *rows, (char *)rows, false);
    return 0;
}

/* A X = B by column-major factors; x, of k columns, holds B. */
static void by_factors(const job *j, const char *lu, const int32_t *pivots, char *x, int64_t k)
{
    exchange_rows(j->l->n, pivots, (size_t)k * j->size, x, false);
    cpi_lu_divide(j, CPI_LU_TRSM, true, CPI_TRANS_PLAIN, true, lu, x, k);
    cpi_lu_divide(j, CPI_LU_TRSM, false, CPI_TRANS_PLAIN, false, lu, x, k);
}

ONE(one_solve)
{
    int64_t n = j->l->n, k = j->l->k, *list, info = 0;
    if (factor(j, i, work, &list) > 0) return CPI_LINALG_SINGULAR;
    char *x = AT(j->l->x, n * k);
    memcpy(x, AT(j->l->b, n * k), (size_t)(n * k) * j->size);
    if (k == 1) return j->f[4]("N", &n, &k, work, &n, list, x, &n, &info), 0;
    int32_t *pivots = pivots_behind(j, list);
    read_pivots(n, list, pivots);
    by_factors(j, work, pivots, x, k);
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
    int64_t n = j->l->n, *list;
    char *x = AT(j->l->x, n * n);
    if (factor(j, i, work, &list) > 0) return singular_inverse(j, x);
    memset(x, 0, (size_t)(n * n) * j->size);
    for (int64_t k = 0; k < n; k++) set_number(j, x, k * n + k, 1, 0);
    int32_t *pivots = pivots_behind(j, list);
    read_pivots(n, list, pivots);
    by_factors(j, work, pivots, x, n);
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
    int64_t n = j->l->n, *list, parts = (int64_t)(j->size / j->part);
    bool zero = factor(j, i, work, &list) > 0;
    double *pivots = (double *)(void *)(work + factor_bytes(j));
    for (int64_t k = 0; k < n; k++)
        for (int64_t p = 0; p < parts; p++) {
            double v = part_of(j, work, parts * (k * n + k) + p);
            pivots[parts * k + p] = cpi_lapack_slot(list, k) == k + 1 ? v : -v;
        }
    cpi_linalg_write_det(j->l, i, pivots, zero);
    return 0;
}

/* A and its factors in row-major order are (L U) transposed in column-major order, so L is above and U below. */
ONE(one_lu_solve)
{
    const cpi_linalg *l = j->l;
    (void)work;
    char *x = AT(l->x, l->n * l->k);
    const char *lu = AT(l->a, l->n * l->n);
    const int32_t *pivots = l->pivots_in + i * l->n;
    size_t bytes = (size_t)l->k * j->size;
    memcpy(x, AT(l->b, l->n * l->k), (size_t)l->n * bytes);
    for (int64_t k = 0; k < l->n; k++)
        if (pivots[k] < 0 || pivots[k] >= l->n) return CPI_LINALG_PIVOTS;
    if (l->trans == CPI_TRANS_NONE) {
        exchange_rows(l->n, pivots, bytes, x, false);
        cpi_lu_divide(j, 0, false, CPI_TRANS_NONE, true, lu, x, l->k);
        cpi_lu_divide(j, 0, true, CPI_TRANS_NONE, false, lu, x, l->k);
        return 0;
    }
    /* X^T (L U) = B^T, or of the conjugate: of the stored transpose, or conjugated too */
    bool conjugate = l->trans == CPI_TRANS_CONJUGATE;
    cpi_lu_divide(j, 0, true, conjugate ? CPI_TRANS_CONJUGATE : CPI_TRANS_PLAIN, false, lu, x, l->k);
    cpi_lu_divide(j, 0, false, conjugate ? CPI_TRANS_CONJUGATE : CPI_TRANS_PLAIN, true, lu, x, l->k);
    exchange_rows(l->n, pivots, bytes, x, true);
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
    cpi_lu_divide(j, 0, l->upper, l->trans, l->unit, a, x, l->k);
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
    return FIND(&j, "getrf", "trsm", "gemm", "laswp") ? cpi_job_all(&j, factor_bytes(&j)) : cp_error();
}
cp_code cpi_linalg_cpu_solve(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_SOLVE);
    job j = begin(stream, l, one_solve);
    j.pooled = true;
    return FIND(&j, "getrf", "trsm", "gemm", "laswp", "getrs") ? cpi_job_all(&j, factor_bytes(&j))
                                                                : cp_error();
}
cp_code cpi_linalg_cpu_inv(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_INV);
    job j = begin(stream, l, one_inv);
    j.pooled = true;
    return FIND(&j, "getrf", "trsm", "gemm", "laswp") ? cpi_job_all(&j, factor_bytes(&j)) : cp_error();
}
cp_code cpi_linalg_cpu_det(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_DET);
    job j = begin(stream, l, one_det);
    j.pooled = true;
    return FIND(&j, "getrf", "trsm", "gemm", "laswp") ? cpi_job_all(&j, factor_bytes(&j) + (size_t)j.r * 16)
                                                       : cp_error();
}
cp_code cpi_linalg_cpu_lu_solve(cp_stream *stream, const cpi_linalg *l)
{
    job j = begin(stream, l, one_lu_solve);
    return FIND(&j, "trsm") ? cpi_job_all(&j, 0) : cp_error();
}
cp_code cpi_linalg_cpu_triangular(cp_stream *stream, const cpi_linalg *l)
{
    job j = begin(stream, l, one_triangular);
    return FIND(&j, "trsm") ? cpi_job_all(&j, 0) : cp_error();
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
