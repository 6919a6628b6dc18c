/* The CPU's slots for spectra: singular values, eigenvalues, Schur's form. Each is a job (job.h); a matrix with a NaN
 * or an infinity is an error before LAPACK's iterations, which might not end with it. */
#include <math.h>
#include <string.h>

#include "linalg/job.h"

/* Row-major A is its transpose in column order, whose left and right singular vectors are A's, exchanged. */
ONE(one_svd)
{
    const cpi_linalg *l = j->l;
    int64_t m = l->m, n = l->n, r = j->r, info = 0, lwork = j->lwork, u = l->full ? m : r, v = l->full ? n : r;
    const char *a = AT(l->a, m * n);
    size_t bytes = rounded((size_t)(m * n) * j->size);
    char *list = work + bytes, *real = list + rounded((size_t)r * 64), *own = work + j->work - (size_t)lwork * j->size;
    if (!cpi_job_is_finite(j, m * n, a)) return CPI_LINALG_SVD;
    memcpy(work, a, (size_t)(m * n) * j->size);
    char none[16], *left = l->u ? AT(l->vt, v * n) : none, *right = l->u ? AT(l->u, m * u) : none;
    const char *what = !l->u ? "N" : l->full ? "A" : "S";
    char *s = AT_REAL(l->s, r);
    if (is_complex(j)) j->f[0](what, &n, &m, work, &n, s, left, &n, right, &u, own, &lwork, real, list, &info);
    else j->f[0](what, &n, &m, work, &n, s, left, &n, right, &u, own, &lwork, list, &info);
    return cpi_lapack_slot(&info, 0) > 0 ? CPI_LINALG_SVD : 0;
}

cp_code cpi_linalg_cpu_svd(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_SVD);
    job j = begin(stream, l, one_svd);
    double answer[2];
    int64_t m = l->m, n = l->n, r = j.r, most = m > n ? m : n, ask = -1, info = 0, list[1];
    int64_t u = l->full ? m : r;
    const char *what = !l->u ? "N" : l->full ? "A" : "S";
    cpi_spectra shared;
    size_t bytes;
    if (!FIND(&j, "gesdd")) return cp_error();
    if (cpi_spectra_is_shared(&j)) return cpi_svd_begin(&j, &shared, &bytes) ? cpi_job_all(&j, bytes) : cp_error();
    if (is_complex(&j))
        j.f[0](what, &n, &m, answer, &n, answer, answer, &n, answer, &u, answer, &ask, answer, list, &info);
    else j.f[0](what, &n, &m, answer, &n, answer, answer, &n, answer, &u, answer, &ask, list, &info);
    cpi_job_wants(&j, answer);
    int64_t each = 5 * r + 7 > 2 * most + 2 * r + 1 ? 5 * r + 7 : 2 * most + 2 * r + 1; /* of gesdd's rwork */
    int64_t real = !is_complex(&j) ? 0 : !l->u ? 7 * r : r * each;
    return cpi_job_all(&j, rounded((size_t)(m * n) * j.size) + rounded((size_t)r * 64) +
                               rounded((size_t)real * j.part));
}

/* In column order the memory is the transpose, the conjugate of A: its vectors are the conjugates of A's. */
ONE(one_eigh)
{
    const cpi_linalg *l = j->l;
    int64_t n = l->n, info = 0, lwork = j->lwork, lr = 1 + 5 * n + 2 * n * n, li = 3 + 5 * n;
    const char *a = AT(l->a, n * n), *job = l->u ? "V" : "N", *half = l->upper ? "L" : "U";
    char *list = work + rounded((size_t)(n * n) * j->size), *real = list + rounded((size_t)li * 8);
    char *own = work + j->work - (size_t)lwork * j->size, *w = AT_REAL(l->s, n);
    if (!cpi_job_is_finite_triangle(j, n, l->upper, a)) return CPI_LINALG_EIGENVALUES;
    memcpy(work, a, (size_t)(n * n) * j->size);
    if (is_complex(j)) j->f[0](job, half, &n, work, &n, w, own, &lwork, real, &lr, list, &li, &info);
    else j->f[0](job, half, &n, work, &n, w, own, &lwork, list, &li, &info);
    if (cpi_lapack_slot(&info, 0) > 0) return CPI_LINALG_EIGENVALUES;
    if (!l->u) return 0;
    char *u = AT(l->u, n * n);
    cpi_job_transpose(j, n, n, work, u);
    for (int64_t k = 0; k < n * n && is_complex(j); k++) set_part(j, u, 2 * k + 1, -part_of(j, u, 2 * k + 1));
    return 0;
}

cp_code cpi_linalg_cpu_eigh(cp_stream *stream, const cpi_linalg *l)
{
    SMALL(CPI_SMALL_EIGH);
    bool complex = cpi_is_complex(l->type);
    job j = begin(stream, l, one_eigh);
    double answer[2], real[2];
    int64_t n = l->n, ask = -1, info = 0, list[1] = {0}, lr = -1, li = -1;
    const char *job_word = l->u ? "V" : "N";
    cpi_spectra shared;
    size_t bytes;
    if (!FIND(&j, complex ? "heevd" : "syevd")) return cp_error();
    if (cpi_spectra_is_shared(&j)) return cpi_eigh_begin(&j, &shared, &bytes) ? cpi_job_all(&j, bytes) : cp_error();
    if (complex) j.f[0](job_word, "U", &n, answer, &n, real, answer, &ask, real, &lr, list, &li, &info);
    else j.f[0](job_word, "U", &n, answer, &n, real, answer, &ask, list, &li, &info);
    cpi_job_wants(&j, answer);
    return cpi_job_all(&j, rounded((size_t)(n * n) * j.size) + rounded((size_t)(3 + 5 * n) * 8) +
                               (complex ? rounded((size_t)(1 + 5 * n + 2 * n * n) * j.part) : 0));
}

/* The workspace of eig and schur. */
static size_t general_bytes(const job *j)
{
    size_t n = (size_t)j->l->n;
    return 2 * rounded(n * n * j->size) + 2 * rounded(n * 16) + rounded(n * 8);
}

/* Vector k of a real matrix: LAPACK leaves a pair's as one of real and one of imaginary parts. */
static void write_vectors(const job *j, const void *wi, const void *v, void *u)
{
    int64_t n = j->l->n;
    for (int64_t k = 0; k < n; k++) {
        bool pair = part_of(j, wi, k) != 0 && k + 1 < n;
        for (int64_t y = 0; y < n; y++) {
            double re = part_of(j, v, k * n + y), im = pair ? part_of(j, v, (k + 1) * n + y) : 0;
            set_part(j, u, 2 * (y * n + k), re);
            set_part(j, u, 2 * (y * n + k) + 1, im);
            if (!pair) continue;
            set_part(j, u, 2 * (y * n + k + 1), re);
            set_part(j, u, 2 * (y * n + k + 1) + 1, -im);
        }
        k += pair;
    }
}

ONE(one_eig)
{
    const cpi_linalg *l = j->l;
    int64_t n = l->n, info = 0, lwork = j->lwork, one = 1;
    size_t bytes = rounded((size_t)(n * n) * j->size);
    char *v = work + bytes, *wr = v + bytes, *wi = wr + rounded((size_t)n * 16);
    char *own = work + j->work - (size_t)lwork * j->size;
    char *w = (char *)l->s + (size_t)(i * n) * 2 * j->part, *u = (char *)l->u;
    const char *job = l->u ? "V" : "N";
    if (!cpi_job_is_finite(j, n * n, AT(l->a, n * n))) return CPI_LINALG_NOT_FINITE;
    cpi_job_transpose(j, n, n, AT(l->a, n * n), work);
    if (u) u += (size_t)(i * n * n) * 2 * j->part;
    if (is_complex(j)) j->f[0]("N", job, &n, work, &n, w, v, &one, v, &n, own, &lwork, wi, &info);
    else j->f[0]("N", job, &n, work, &n, wr, wi, v, &one, v, &n, own, &lwork, &info);
    if (cpi_lapack_slot(&info, 0) > 0) return CPI_LINALG_EIGENVALUES;
    for (int64_t k = 0; k < n && !is_complex(j); k++) {
        set_part(j, w, 2 * k, part_of(j, wr, k));
        set_part(j, w, 2 * k + 1, part_of(j, wi, k));
    }
    if (u && is_complex(j)) cpi_job_transpose(j, n, n, v, u);
    else if (u) write_vectors(j, wi, v, u);
    return 0;
}

cp_code cpi_linalg_cpu_eig(cp_stream *stream, const cpi_linalg *l)
{
    job j = begin(stream, l, one_eig);
    double answer[2];
    int64_t n = l->n, ask = -1, info = 0, one = 1;
    const char *job_word = l->u ? "V" : "N";
    if (!FIND(&j, "geev")) return cp_error();
    if (is_complex(&j))
        j.f[0]("N", job_word, &n, answer, &n, answer, answer, &one, answer, &n, answer, &ask, answer, &info);
    else j.f[0]("N", job_word, &n, answer, &n, answer, answer, answer, &one, answer, &n, answer, &ask, &info);
    cpi_job_wants(&j, answer);
    return cpi_job_all(&j, general_bytes(&j));
}

/* Which eigenvalues come first, as gees asks: it returns a LOGICAL, as wide as the library's integers. */
static int64_t comes_first(cpi_schur_sort sort, double re, double im)
{
    if (sort == CPI_SORT_LHP) return re < 0;
    if (sort == CPI_SORT_RHP) return re >= 0;
    return sort == CPI_SORT_IUC ? hypot(re, im) <= 1 : hypot(re, im) > 1;
}
#define CHOOSER(name, sort)                                                                                        \
    static int64_t name##_s(const float *re, const float *im) { return comes_first(sort, (double)*re, (double)*im); } \
    static int64_t name##_d(const double *re, const double *im) { return comes_first(sort, *re, *im); }              \
    static int64_t name##_c(const float *w) { return comes_first(sort, (double)w[0], (double)w[1]); }                \
    static int64_t name##_z(const double *w) { return comes_first(sort, w[0], w[1]); }
CHOOSER(lhp, CPI_SORT_LHP)
CHOOSER(rhp, CPI_SORT_RHP)
CHOOSER(iuc, CPI_SORT_IUC)
CHOOSER(ouc, CPI_SORT_OUC)
#define AS_FN(f) (cpi_lapack_fn)(void (*)(void))f
#define CHOOSERS(name) {AS_FN(name##_s), AS_FN(name##_d), AS_FN(name##_c), AS_FN(name##_z)}
static cpi_lapack_fn chooser(const job *j)
{
    static const cpi_lapack_fn all_of[][4] = {CHOOSERS(lhp), CHOOSERS(rhp), CHOOSERS(iuc), CHOOSERS(ouc)};
    return j->l->sort ? all_of[j->l->sort - 1][(is_complex(j) ? 2 : 0) + (j->part == 8)] : NULL;
}

/* T and Z, as gees left them, with the chosen eigenvalues first; their number, or -1. */
static int64_t choose(const job *j, const int32_t *chosen, char *t, char *z, char *wr, char *wi, char *list, char *own)
{
    int64_t n = j->l->n, found = 0, info = 0, lwork = j->lwork, one = 1, space[1];
    const bool wide = cpi_lapack_fits(INT64_MAX); /* LOGICALs are as wide as integers */
    double apart[2], parts[2];
    for (int64_t k = 0; k < n; k++)
        if (wide) ((int64_t *)(void *)list)[k] = chosen[k] != 0;
        else ((int32_t *)(void *)list)[k] = chosen[k] != 0;
    if (is_complex(j))
        j->f[1]("N", "V", list, &n, t, &n, z, &n, wr, &found, apart, parts, own, &lwork, &info);
    else j->f[1]("N", "V", list, &n, t, &n, z, &n, wr, wi, &found, apart, parts, own, &lwork, space, &one, &info);
    return cpi_lapack_slot(&info, 0) > 0 ? -1 : cpi_lapack_slot(&found, 0);
}

ONE(one_schur)
{
    const cpi_linalg *l = j->l;
    int64_t n = l->n, info = 0, lwork = j->lwork, found = 0;
    size_t bytes = rounded((size_t)(n * n) * j->size);
    char *v = work + bytes, *wr = v + bytes, *wi = wr + rounded((size_t)n * 16), *list = wi + rounded((size_t)n * 16);
    char *own = work + j->work - (size_t)lwork * j->size;
    if (!cpi_job_is_finite(j, n * n, AT(l->a, n * n))) return CPI_LINALG_NOT_FINITE;
    cpi_job_transpose(j, n, n, AT(l->a, n * n), work);
    cpi_lapack_fn first = chooser(j);
    const char *order = l->sort ? "S" : "N";
    if (is_complex(j))
        j->f[0]("V", order, first, &n, work, &n, &found, wr, v, &n, own, &lwork, wi, list, &info);
    else j->f[0]("V", order, first, &n, work, &n, &found, wr, wi, v, &n, own, &lwork, list, &info);
    if (cpi_lapack_slot(&info, 0) > 0) return CPI_LINALG_EIGENVALUES;
    if (l->pivots) l->pivots[i] = (int32_t)cpi_lapack_slot(&found, 0);
    if (l->pivots_in) {
        int64_t count = choose(j, l->pivots_in + i * n, work, v, wr, wi, list, own);
        if (count < 0) return CPI_LINALG_EIGENVALUES;
        l->pivots[i] = (int32_t)count;
    }
    cpi_job_transpose(j, n, n, work, AT(l->x, n * n));
    cpi_job_transpose(j, n, n, v, AT(l->u, n * n));
    return 0;
}

cp_code cpi_linalg_cpu_schur(cp_stream *stream, const cpi_linalg *l)
{
    job j = begin(stream, l, one_schur);
    double answer[2];
    int64_t n = l->n, ask = -1, info = 0, found = 0, list[1];
    void *any = NULL;
    if (!FIND(&j, "gees", "trsen")) return cp_error();
    if (is_complex(&j))
        j.f[0]("V", "N", any, &n, answer, &n, &found, answer, answer, &n, answer, &ask, answer, list, &info);
    else j.f[0]("V", "N", any, &n, answer, &n, &found, answer, answer, answer, &n, answer, &ask, list, &info);
    cpi_job_wants(&j, answer);
    return cpi_job_all(&j, general_bytes(&j));
}
