/* Singular values and Hermitian eigenvalues, with or without vectors, of one matrix by the pool's threads: the steps of
 * LAPACK's gesdd and heevd. spectra.h says which file does which.
 *
 * A matrix is scaled by a power of two so that squares stay in range, and a wide one is transposed: what is reduced has
 * at least as many rows as columns, and lies in columns. Complex matrices are reduced by LAPACK in one thread, larger
 * ones are all LAPACK's. */
#include <math.h>
#include <string.h>

#include "cpu/features.h"
#include "linalg/spectra.h"

enum {
    SERIAL = 96,                 /* rows and columns up to which LAPACK does all of it */
    COMPLEX = 512,               /* more than which complex matrices are LAPACK's, with threads of its own */
    TALL_TIMES = 11, TALL_OF = 6 /* from so many rows a column on QR comes first, as in gesdd */
};

const cpi_spectra_loops *cpi_spectra_loops_of(const job *j)
{
    const cpi_spectra_kernels *k = CPI_BEST(cpi_spectra_kernels);
    return j->part == 4 ? &k->f32 : &k->f64;
}

bool cpi_spectra_is_shared(const job *j)
{
    return j->r > SERIAL && (!is_complex(j) || j->r <= COMPLEX) && !cpi_lapack_leads();
}

static size_t square(int64_t m, int64_t n, size_t size) { return rounded((size_t)(m * n) * size); }
static size_t more(size_t a, size_t b) { return a > b ? a : b; }

/* --- what both share --- */

/* Takes the exponent e off all elements, unless it is small. */
static int scale(const job *j, int64_t rows, int64_t columns, char *a, int64_t ld, int e)
{
    const int64_t parts = (int64_t)(j->size / j->part);
    if (e >= -10 && e <= 10) return 0;
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = c * ld * parts; i < (c * ld + rows) * parts; i++)
            set_part(j, a, i, ldexp(part_of(j, a, i), -e));
    return e;
}

/* Copies a matrix, `turned`: its rows, into columns, times a power of two, so that its largest part is about 1. Returns
 * the exponent that was taken. */
static int copy_columns(const job *j, int64_t rows, int64_t columns, const char *a, bool turned, char *to, int64_t ld)
{
    const double most = cpi_job_most(j, rows * columns, a);
    int e = 0;
    if (turned) cpi_job_transpose_padded(j, rows, columns, a, to, ld);
    for (int64_t c = 0; c < columns && !turned; c++)
        memcpy(to + (size_t)(c * ld) * j->size, a + (size_t)(c * rows) * j->size, (size_t)rows * j->size);
    if (most > 0) frexp(most, &e);
    return scale(j, rows, columns, to, ld, e);
}

static void scale_back(const job *j, int64_t n, int e, char *values)
{
    for (int64_t i = 0; i < n && e; i++) set_part(j, values, i, ldexp(part_of(j, values, i), e));
}

/* Real vectors, n x n, as the first part of an m x columns matrix of the job's type: zeros and ones elsewhere. */
static void widen(const job *j, int64_t n, const char *from, int64_t m, int64_t columns, char *to)
{
    for (int64_t c = 0; c < columns; c++) {
        char *column = to + (size_t)(c * m) * j->size;
        if (c < n && !is_complex(j)) memcpy(column, from + (size_t)(c * n) * j->part, (size_t)n * j->part);
        for (int64_t i = 0; i < n && c < n && is_complex(j); i++)
            set_number(j, column, i, part_of(j, from, c * n + i), 0);
        if (c < n) memset(column + (size_t)n * j->size, 0, (size_t)(m - n) * j->size);
        else memset(column, 0, (size_t)m * j->size), set_number(j, column, c, 1, 0);
    }
}

static cpi_reflections reflections(const job *j)
{
    return (cpi_reflections){.j = j, .larft = j->spectra->larft, .trmm = j->spectra->trmm, .gemm = j->f[0]};
}

/* --- singular values --- */

typedef struct svd {
    const job *j;
    int64_t m, n, columns;  /* of the tall matrix; of its left vectors */
    int64_t rows, ld;       /* of what is reduced: R or the tall matrix */
    bool turned, first_qr;  /* it is the transpose of what lies in memory; QR comes first */
    char *a, *r, *tau, *tauq, *taup, *d, *e, *p, *left, *right, *u, *vt, *qr, *work;
} svd;

/* Where everything lies behind `work`, and how many bytes that is. */
static size_t place(const job *j, svd *s, char *work)
{
    const cpi_linalg *l = j->l;
    size_t at = 0;
#define TAKE(name, bytes) s->name = work ? work + at : NULL, at += (bytes)
    *s = (svd){.j = j, .m = l->m > l->n ? l->m : l->n, .n = j->r, .turned = l->m > l->n};
    s->columns = l->full ? s->m : s->n;
    s->first_qr = s->m * TALL_OF >= s->n * TALL_TIMES;
    const int64_t m = s->m, n = s->n, rows = s->rows = s->first_qr ? n : m;
    s->ld = cpi_padded(j, rows);
    const size_t line = rounded((size_t)n * j->size);
    job of_a = *j;
    cpi_linalg tall = *l;
    tall.m = m, tall.n = n;
    of_a.l = &tall;
    TAKE(a, square(s->first_qr ? m : s->ld, n, j->size));
    TAKE(r, s->first_qr ? square(s->ld, n, j->size) : 0);
    TAKE(qr, s->first_qr ? cpi_qr_bytes(&of_a) : 0);
    TAKE(tau, line), TAKE(tauq, line), TAKE(taup, line), TAKE(d, line), TAKE(e, line);
    TAKE(p, is_complex(j) ? 0 : square(n, n, j->size));
    TAKE(left, l->u && s->turned ? square(m, s->columns, j->size) : 0);
    TAKE(right, l->u && s->turned ? square(n, n, j->size) : 0);
    TAKE(u, l->u ? square(n, n, j->part) : 0);
    TAKE(vt, l->u ? square(n, n, j->part) : 0);
    TAKE(work, 0);
#undef TAKE
    size_t most = is_complex(j) ? (size_t)(rows + n) * 64 * j->size : cpi_bidiagonal_bytes(j, rows, n);
    if (l->u) {
        most = more(most, cpi_divide_bytes(j, n, true));
        most = more(most, cpi_reflections_bytes(j, m, n, s->columns));
    }
    return at + more(most, (size_t)n * 8 * j->part) + 64;
}

bool cpi_svd_begin(job *j, cpi_spectra *f, size_t *bytes)
{
    static const char *const names[] = {"gebrd", "larfg", "gemm", "larft", "trmm", "geqrt3", "larfb"};
    const char *who = j->l->function;
    svd s;
    cpi_lapack_fn *to[] = {&f->reduce, &f->reflect, &f->gemm, &f->larft, &f->trmm, &f->qr[CPI_QR_GEQRT3],
                           &f->qr[CPI_QR_LARFB]};
    for (int i = 0; i < 7; i++)
        if (!(*to[i] = cpi_lapack(who, names[i], j->l->type))) return false;
    if (!(f->values = cpi_lapack(who, "bdsqr", j->part == 4 ? CP_FLOAT32 : CP_FLOAT64))) return false;
    if (!cpi_divide_find(j, true, f->divide)) return false;
    j->f[0] = f->gemm, j->spectra = f, j->pooled = true, j->one = cpi_svd_one;
    j->workers = cpi_workers();
    *bytes = place(j, &s, NULL);
    return true;
}

/* The tall matrix' QR: R alone is left to do. Q's reflections stay in a. */
static void make_r(const svd *s)
{
    const job *j = s->j;
    cpi_linalg tall = *j->l;
    job own = *j;
    tall.m = s->m, tall.n = s->n, own.l = &tall;
    memcpy(own.f, j->spectra->qr, sizeof own.f);
    cpi_qr_factor(&own, s->a, s->tau, s->qr);
    for (int64_t c = 0; c < s->n; c++) {
        char *to = s->r + (size_t)(c * s->ld) * j->size;
        memcpy(to, s->a + (size_t)(c * s->m) * j->size, (size_t)(c + 1) * j->size);
        memset(to + (size_t)(c + 1) * j->size, 0, (size_t)(s->n - c - 1) * j->size);
    }
}

static void reduce(const svd *s, char *a)
{
    const job *j = s->j;
    const cpi_spectra *f = j->spectra;
    const cpi_bidiagonal b = {s->rows, s->n, s->ld, a, s->p, s->d, s->e, s->tauq, s->taup};
    int64_t info = 0, lwork = (s->rows + s->n) * 64;
    if (!is_complex(j)) {
        cpi_bidiagonalize(j, f->reduce, f->reflect, f->gemm, &b, s->work);
        return;
    }
    const int was = cpi_lapack_alone_begin();
    f->reduce(&s->rows, &s->n, a, &s->ld, s->d, s->e, s->tauq, s->taup, s->work, &lwork, &info);
    cpi_lapack_alone_end(was);
}

/* The vectors of the reduced matrix, r, into those of A: left (m x columns) and right (n x n, transposed). */
static void multiply(const svd *s, const char *r, char *left, char *right)
{
    const job *j = s->j;
    cpi_reflections h = reflections(j);
    widen(j, s->n, s->u, s->m, s->columns, left);
    widen(j, s->n, s->vt, s->n, s->n, right);
    cpi_reflections_begin(&h, r, s->ld, false, s->tauq, 0, s->rows, s->n, s->columns, s->work);
    cpi_reflections_left(&h, left, s->m, s->first_qr ? s->n : s->columns);
    if (s->first_qr) {
        cpi_reflections_begin(&h, s->a, s->m, false, s->tau, 0, s->m, s->n, s->columns, s->work);
        cpi_reflections_left(&h, left, s->m, s->columns);
    }
    if (is_complex(j)) cpi_reflections_begin(&h, r, s->ld, true, s->taup, 1, s->n, s->n - 1, s->n, s->work);
    else cpi_reflections_begin(&h, s->p, s->n, false, s->taup, 1, s->n, s->n - 1, s->n, s->work);
    cpi_reflections_right(&h, right, s->n, s->n);
}

/* Vectors of the tall matrix are those of A, or of its transpose, which lies in memory: then left and right change
 * places, and columns are rows. */
static bool vectors(const svd *s, int64_t i, const char *r)
{
    const job *j = s->j;
    const cpi_linalg *l = j->l;
    char *u = AT(l->u, l->m * (l->full ? l->m : j->r)), *vt = AT(l->vt, l->n * (l->full ? l->n : j->r));
    if (!cpi_divide(j, j->spectra->divide, s->n, s->d, s->e, s->u, s->vt, s->work)) return false;
    multiply(s, r, s->turned ? s->left : vt, s->turned ? s->right : u);
    if (!s->turned) return true;
    cpi_job_transpose(j, s->columns, s->m, s->left, u);
    cpi_job_transpose(j, s->n, s->n, s->right, vt);
    return true;
}

int cpi_svd_one(const job *j, int64_t i, char *work)
{
    const cpi_linalg *l = j->l;
    const char *a = AT(l->a, l->m * l->n);
    int64_t info = 0, none = 0;
    svd s;
    place(j, &s, work);
    if (!cpi_job_is_finite(j, l->m * l->n, a)) return CPI_LINALG_SVD;
    const int64_t ld = s.first_qr ? s.m : s.ld;
    const int e = copy_columns(j, s.m, s.n, a, s.turned, s.a, ld);
    if (s.first_qr) make_r(&s);
    char *r = s.first_qr ? s.r : s.a;
    reduce(&s, r);
    if (l->u) {
        if (!vectors(&s, i, r)) return CPI_LINALG_SVD;
    } else {
        j->spectra->values("U", &s.n, &none, &none, &none, s.d, s.e, s.work, &s.n, s.work, &s.n, s.work, &s.n, s.work,
                           &info);
        if (cpi_lapack_slot(&info, 0)) return CPI_LINALG_SVD;
    }
    char *values = AT_REAL(l->s, s.n);
    memcpy(values, s.d, (size_t)s.n * j->part);
    scale_back(j, s.n, e, values);
    return 0;
}

/* --- Hermitian eigenvalues --- */

typedef struct eigh {
    const job *j;
    int64_t n, ld;
    char *a, *tau, *d, *e, *z, *wide, *work;
} eigh;

static size_t place_eigh(const job *j, eigh *s, char *work)
{
    const cpi_linalg *l = j->l;
    const int64_t n = l->n;
    const size_t line = rounded((size_t)n * j->size);
    size_t at = 0;
#define TAKE(name, bytes) s->name = work ? work + at : NULL, at += (bytes)
    *s = (eigh){.j = j, .n = n, .ld = cpi_padded(j, n)};
    TAKE(a, square(s->ld, n, j->size));
    TAKE(tau, line), TAKE(d, line), TAKE(e, line);
    TAKE(z, l->u ? square(n, n, j->part) : 0);
    TAKE(wide, l->u && is_complex(j) ? square(n, n, j->size) : 0);
    TAKE(work, 0);
#undef TAKE
    size_t most = is_complex(j) ? (size_t)n * 64 * j->size : cpi_tridiagonal_bytes(j, n);
    if (l->u) most = more(more(most, cpi_divide_bytes(j, n, false)), cpi_reflections_bytes(j, n, n, n));
    return at + most + 64;
}

bool cpi_eigh_begin(job *j, cpi_spectra *f, size_t *bytes)
{
    const char *const names[] = {is_complex(j) ? "hetrd" : "sytrd", "larfg", "gemm", "larft", "trmm"};
    const char *who = j->l->function;
    cpi_lapack_fn *to[] = {&f->reduce, &f->reflect, &f->gemm, &f->larft, &f->trmm};
    eigh s;
    for (int i = 0; i < 5; i++)
        if (!(*to[i] = cpi_lapack(who, names[i], j->l->type))) return false;
    if (!(f->values = cpi_lapack(who, "sterf", j->part == 4 ? CP_FLOAT32 : CP_FLOAT64))) return false;
    if (!cpi_divide_find(j, false, f->divide)) return false;
    j->f[0] = f->gemm, j->spectra = f, j->pooled = true, j->one = cpi_eigh_one;
    j->workers = cpi_workers();
    *bytes = place_eigh(j, &s, NULL);
    return true;
}

/* The lower triangle of A in columns, with zeros above; or, where the upper one is read, of its conjugate. Scaled. */
static int copy_triangle(const eigh *s, const char *a)
{
    const job *j = s->j;
    const int64_t n = s->n;
    double most = 0;
    int e = 0;
    if (!j->l->upper) cpi_job_transpose_padded(j, n, n, a, s->a, s->ld);
    for (int64_t c = 0; c < n; c++) {
        char *to = s->a + (size_t)(c * s->ld) * j->size, *diagonal = to + (size_t)c * j->size;
        const char *from = a + (size_t)(c * n + c) * j->size;
        if (j->l->upper) memcpy(diagonal, from, (size_t)(n - c) * j->size);
        memset(to, 0, (size_t)c * j->size);
        most = fmax(most, cpi_job_most(j, n - c, diagonal));
    }
    if (most > 0) frexp(most, &e);
    return scale(j, n, n, s->a, s->ld, e);
}

static void reduce_hermitian(const eigh *s)
{
    const job *j = s->j;
    const cpi_spectra *f = j->spectra;
    const cpi_tridiagonal t = {s->n, s->ld, s->a, s->d, s->e, s->tau};
    int64_t info = 0, lwork = s->n * 64;
    if (!is_complex(j)) {
        cpi_tridiagonalize(j, f->reduce, f->reflect, f->gemm, &t, s->work);
        return;
    }
    const int was = cpi_lapack_alone_begin();
    f->reduce("L", &s->n, s->a, &s->ld, s->d, s->e, s->tau, s->work, &lwork, &info);
    cpi_lapack_alone_end(was);
}

static bool eigenvectors(const eigh *s, char *u)
{
    const job *j = s->j;
    const int64_t n = s->n;
    char *z = is_complex(j) ? s->wide : s->z;
    if (!cpi_divide(j, j->spectra->divide, n, s->d, s->e, s->z, NULL, s->work)) return false;
    if (is_complex(j)) widen(j, n, s->z, n, n, z);
    cpi_reflections h = reflections(j);
    cpi_reflections_begin(&h, s->a, s->ld, false, s->tau, 1, n, n - 1, n, s->work);
    cpi_reflections_left(&h, z, n, n);
    cpi_job_transpose(j, n, n, z, u);
    for (int64_t k = 0; k < n * n && is_complex(j) && j->l->upper; k++)
        set_part(j, u, 2 * k + 1, -part_of(j, u, 2 * k + 1));
    return true;
}

int cpi_eigh_one(const job *j, int64_t i, char *work)
{
    const cpi_linalg *l = j->l;
    const int64_t n = l->n;
    const char *a = AT(l->a, n * n);
    int64_t info = 0;
    eigh s;
    place_eigh(j, &s, work);
    if (!cpi_job_is_finite_triangle(j, n, l->upper, a)) return CPI_LINALG_EIGENVALUES;
    const int e = copy_triangle(&s, a);
    reduce_hermitian(&s);
    if (l->u) {
        if (!eigenvectors(&s, AT(l->u, n * n))) return CPI_LINALG_EIGENVALUES;
    } else {
        j->spectra->values(&n, s.d, s.e, &info);
        if (cpi_lapack_slot(&info, 0)) return CPI_LINALG_EIGENVALUES;
    }
    char *values = AT_REAL(l->s, n);
    memcpy(values, s.d, (size_t)n * j->part);
    scale_back(j, n, e, values);
    return 0;
}
