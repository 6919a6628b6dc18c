/* The CPU's slots: LAPACK for each matrix, after the kernels for small ones (linalg_small.c) were asked.
 *
 * A slot is a job: what is looked up once, and a function for one matrix with a workspace of its own. Many matrices of
 * a moderate size are shared out to threads, each of which calls LAPACK alone; large ones come one after the other and
 * leave the threads to it. Which of the two depends on the matrices alone. Matrices are rows and LAPACK wants columns:
 * what must be turned is turned in the workspace; where the transpose will do nothing is. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "linalg/lapack.h"

typedef struct job {
    const cpi_linalg *l;
    cp_stream *stream;
    size_t size, part;      /* bytes of an element, and of its real part */
    int64_t r;              /* min(m, n) */
    cpi_lapack_fn f[4];
    int64_t lwork;          /* LAPACK's own workspace, in elements */
    size_t work;            /* bytes of workspace for one matrix */
    int (*one)(const struct job *j, int64_t i, char *work); /* its trouble */
    char *memory;
    int64_t each;           /* matrices a task */
    int trouble;
} job;

#define ONE(name) static int name(const job *j, int64_t i, char *work)
#define AT(p, count) ((char *)(uintptr_t)(const void *)(p) + (size_t)i * (size_t)(count) * j->size)
#define AT_REAL(p, count) ((char *)(p) + (size_t)i * (size_t)(count) * j->part)

static bool is_complex(const job *j) { return j->size != j->part; }
static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

static job begin(cp_stream *stream, const cpi_linalg *l, int (*one)(const job *, int64_t, char *))
{
    size_t part = l->type == CP_FLOAT32 || l->type == CP_COMPLEX64 ? 4 : 8;
    return (job){.l = l, .stream = stream, .part = part, .size = cpi_is_complex(l->type) ? 2 * part : part,
                 .r = l->m < l->n ? l->m : l->n, .one = one};
}

/* --- elements --- */
typedef struct pair { double re, im; } pair;

/* to (columns x rows) = the transpose of from (rows x columns), rows first..last of it. */
#define TURN(T, name)                                                                                                \
    static void name(int64_t first, int64_t last, int64_t rows, int64_t columns, const T *from, T *to)                \
    {                                                                                                                \
        enum { SIDE = 16 };                                                                                          \
        for (int64_t y = first; y < last; y += SIDE)                                                                  \
            for (int64_t x = 0; x < columns; x += SIDE) {                                                             \
                int64_t h = last - y < SIDE ? last - y : SIDE, w = columns - x < SIDE ? columns - x : SIDE;           \
                for (int64_t c = 0; c < w; c++)                                                                      \
                    for (int64_t l = 0; l < h; l++) to[(x + c) * rows + y + l] = from[(y + l) * columns + x + c];     \
            }                                                                                                        \
    }
TURN(uint32_t, turn4)
TURN(uint64_t, turn8)
TURN(pair, turn16)

typedef struct turn { size_t size; int64_t rows, columns; const void *from; void *to; } turn;
enum { TURN_ROWS = 64 };
static void turn_task(void *context, int64_t task, int worker)
{
    const turn *t = context;
    (void)worker;
    int64_t first = task * TURN_ROWS, last = first + TURN_ROWS < t->rows ? first + TURN_ROWS : t->rows;
    if (t->size == 4) turn4(first, last, t->rows, t->columns, t->from, t->to);
    else if (t->size == 8) turn8(first, last, t->rows, t->columns, t->from, t->to);
    else turn16(first, last, t->rows, t->columns, t->from, t->to);
}
static void transpose(const job *j, int64_t rows, int64_t columns, const void *from, void *to)
{
    turn t = {j->size, rows, columns, from, to};
    int64_t tasks = (rows + TURN_ROWS - 1) / TURN_ROWS;
    if (rows * columns > 1 << 16) cpi_parallel(tasks, turn_task, &t);
    else
        for (int64_t i = 0; i < tasks; i++) turn_task(&t, i, 0);
}

static bool finite4(int64_t n, const float *x)
{
    float sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}
static bool finite8(int64_t n, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}
static bool is_finite(const job *j, int64_t n, const void *x)
{
    n *= (int64_t)(j->size / j->part);
    return j->part == 4 ? finite4(n, x) : finite8(n, x);
}
/* The same of one triangle of an n x n matrix. */
static bool is_finite_triangle(const job *j, int64_t n, bool upper, const char *x)
{
    bool good = true;
    for (int64_t y = 0; y < n && good; y++)
        good = upper ? is_finite(j, n - y, x + (size_t)(y * n + y) * j->size)
                     : is_finite(j, y + 1, x + (size_t)(y * n) * j->size);
    return good;
}

static double part_of(const job *j, const void *x, int64_t i)
{
    return j->part == 4 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}
static void set_part(const job *j, void *x, int64_t i, double v)
{
    if (j->part == 4) ((float *)x)[i] = (float)v;
    else ((double *)x)[i] = v;
}
static void set_number(const job *j, void *x, int64_t i, double re, double im)
{
    if (!is_complex(j)) set_part(j, x, i, re);
    else set_part(j, x, 2 * i, re), set_part(j, x, 2 * i + 1, im);
}
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
/* Rows of `bytes` each, as the exchanges say; `back`: undone. */
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
    for (int64_t i = 0; i < n; i++) pivots[i] = (int32_t)(cpi_lapack_place(list, i) - 1);
}

/* --- LU --- */
/* The factors of matrix i, in columns, at the start of the workspace; behind it lists of places. Returns 1 + the first
 * zero pivot, or 0. */
static int64_t factor(const job *j, int64_t i, char *work, int64_t **list)
{
    int64_t m = j->l->m, n = j->l->n, info = 0;
    *list = (int64_t *)(void *)(work + rounded((size_t)(m * n) * j->size));
    transpose(j, m, n, AT(j->l->a, m * n), work);
    j->f[0](&m, &n, work, &m, *list, &info);
    return cpi_lapack_place(&info, 0);
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
    transpose(j, l->n, l->m, work, AT(l->x, l->m * l->n));
    int32_t *pivots = l->pivots + i * j->r;
    read_pivots(j->r, list, pivots);
    if (!l->rows) return 0;
    int32_t *rows = l->rows + i * l->m;
    for (int64_t k = 0; k < l->m; k++) rows[k] = (int32_t)k;
    exchange_rows(j->r, pivots, sizeof *rows, (char *)rows, false);
    return 0;
}

/* X T = B for the k x n matrix in columns that x is: B's rows. `lower` is of T as it lies, in columns. */
static void divide(const job *j, int which, bool lower, cpi_trans trans, bool unit, const void *t, char *x, int64_t k)
{
    static const char word[] = "NTC";
    int64_t n = j->l->n;
    double one[2] = {0};
    set_number(j, one, 0, 1, 0);
    j->f[which]("R", lower ? "L" : "U", word + trans, unit ? "U" : "N", &k, &n, one, t, &n, x, &k);
}

/* A X = B by factors that lie in columns; x, of k columns, holds B. */
static void by_factors(const job *j, const char *lu, const int32_t *pivots, char *x, int64_t k)
{
    exchange_rows(j->l->n, pivots, (size_t)k * j->size, x, false);
    divide(j, 1, true, CPI_TRANS_PLAIN, true, lu, x, k);
    divide(j, 1, false, CPI_TRANS_PLAIN, false, lu, x, k);
}

ONE(one_solve)
{
    int64_t n = j->l->n, k = j->l->k, *list, info = 0;
    if (factor(j, i, work, &list) > 0) return CPI_LINALG_SINGULAR;
    char *x = AT(j->l->x, n * k);
    memcpy(x, AT(j->l->b, n * k), (size_t)(n * k) * j->size);
    if (k == 1) return j->f[2]("N", &n, &k, work, &n, list, x, &n, &info), 0;
    int32_t *pivots = pivots_behind(j, list);
    read_pivots(n, list, pivots);
    by_factors(j, work, pivots, x, k);
    return 0;
}

/* What becomes of a matrix that has no inverse: trouble, or NaN in its place. */
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

/* The product of the pivots as mantissa and exponent, so that it neither overflows nor vanishes on the way. */
typedef struct scaled { double re, im; int64_t exponent; } scaled;
static scaled times(scaled p, double re, double im)
{
    double a = p.re * re - p.im * im, b = p.re * im + p.im * re, most = fmax(fabs(a), fabs(b));
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
            pivots[parts * k + p] = cpi_lapack_place(list, k) == k + 1 ? v : -v;
        }
    cpi_linalg_write_det(j->l, i, pivots, zero);
    return 0;
}

/* A and its factors as they lie, in rows: (L U) transposed in columns, so L is above and U below. */
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
        divide(j, 0, false, CPI_TRANS_NONE, true, lu, x, l->k);
        divide(j, 0, true, CPI_TRANS_NONE, false, lu, x, l->k);
        return 0;
    }
    /* X^T (L U) = B^T, or of the conjugate: what lies there transposed, or conjugated too */
    bool conjugate = l->trans == CPI_TRANS_CONJUGATE;
    divide(j, 0, true, conjugate ? CPI_TRANS_CONJUGATE : CPI_TRANS_PLAIN, false, lu, x, l->k);
    divide(j, 0, false, conjugate ? CPI_TRANS_CONJUGATE : CPI_TRANS_PLAIN, true, lu, x, l->k);
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
    divide(j, 0, l->upper, l->trans, l->unit, a, x, l->k);
    return 0;
}

/* --- Cholesky, QR --- */
ONE(one_cholesky)
{
    const cpi_linalg *l = j->l;
    int64_t n = l->n, info = 0;
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
    j->f[0](l->upper ? "L" : "U", &n, x, &n, &info);
    if (cpi_lapack_place(&info, 0) > 0) return CPI_LINALG_NOT_POSITIVE;
    for (int64_t y = 0; y < n; y++)
        if (isnan(part_of(j, x, (y * n + y) * (is_complex(j) ? 2 : 1)))) return CPI_LINALG_NOT_POSITIVE;
    return 0;
}

/* The upper part of `columns` (m x n in columns) as rows x n in rows. */
static void write_r(const job *j, int64_t rows, const char *columns, char *to)
{
    int64_t m = j->l->m, n = j->l->n;
    transpose(j, n, rows == m ? m : rows, columns, to); /* m == rows: as it lies */
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
    transpose(j, m, n, AT(l->a, m * n), w);
    j->f[0](&m, &n, w, &m, tau, own, &lwork, &info);
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
    j->f[1](&m, &rows, &r, w, &m, tau, own, &lwork, &info);
    transpose(j, rows, m, w, AT(l->u, m * rows));
    return 0;
}

/* --- spectra --- */
/* A in rows is its transpose in columns, whose singular vectors are A's in each other's place. */
ONE(one_svd)
{
    const cpi_linalg *l = j->l;
    int64_t m = l->m, n = l->n, r = j->r, info = 0, lwork = j->lwork, u = l->full ? m : r, v = l->full ? n : r;
    const char *a = AT(l->a, m * n);
    size_t bytes = rounded((size_t)(m * n) * j->size);
    char *list = work + bytes, *real = list + rounded((size_t)r * 64), *own = work + j->work - (size_t)lwork * j->size;
    if (!is_finite(j, m * n, a)) return CPI_LINALG_SVD;
    memcpy(work, a, (size_t)(m * n) * j->size);
    char none[16], *left = l->u ? AT(l->vt, v * n) : none, *right = l->u ? AT(l->u, m * u) : none;
    const char *what = !l->u ? "N" : l->full ? "A" : "S";
    char *s = AT_REAL(l->s, r);
    if (is_complex(j)) j->f[0](what, &n, &m, work, &n, s, left, &n, right, &u, own, &lwork, real, list, &info);
    else j->f[0](what, &n, &m, work, &n, s, left, &n, right, &u, own, &lwork, list, &info);
    return cpi_lapack_place(&info, 0) > 0 ? CPI_LINALG_SVD : 0;
}

/* In columns lies the transpose, the conjugate of A: its vectors are the conjugates of A's. */
ONE(one_eigh)
{
    const cpi_linalg *l = j->l;
    int64_t n = l->n, info = 0, lwork = j->lwork, lr = 1 + 5 * n + 2 * n * n, li = 3 + 5 * n;
    const char *a = AT(l->a, n * n), *job = l->u ? "V" : "N", *half = l->upper ? "L" : "U";
    char *list = work + rounded((size_t)(n * n) * j->size), *real = list + rounded((size_t)li * 8);
    char *own = work + j->work - (size_t)lwork * j->size, *w = AT_REAL(l->s, n);
    if (!is_finite_triangle(j, n, l->upper, a)) return CPI_LINALG_EIGENVALUES;
    memcpy(work, a, (size_t)(n * n) * j->size);
    if (is_complex(j)) j->f[0](job, half, &n, work, &n, w, own, &lwork, real, &lr, list, &li, &info);
    else j->f[0](job, half, &n, work, &n, w, own, &lwork, list, &li, &info);
    if (cpi_lapack_place(&info, 0) > 0) return CPI_LINALG_EIGENVALUES;
    if (!l->u) return 0;
    char *u = AT(l->u, n * n);
    transpose(j, n, n, work, u);
    for (int64_t k = 0; k < n * n && is_complex(j); k++) set_part(j, u, 2 * k + 1, -part_of(j, u, 2 * k + 1));
    return 0;
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
    if (!is_finite(j, n * n, AT(l->a, n * n))) return CPI_LINALG_NOT_FINITE;
    transpose(j, n, n, AT(l->a, n * n), work);
    if (u) u += (size_t)(i * n * n) * 2 * j->part;
    if (is_complex(j)) j->f[0]("N", job, &n, work, &n, w, v, &one, v, &n, own, &lwork, wi, &info);
    else j->f[0]("N", job, &n, work, &n, wr, wi, v, &one, v, &n, own, &lwork, &info);
    if (cpi_lapack_place(&info, 0) > 0) return CPI_LINALG_EIGENVALUES;
    for (int64_t k = 0; k < n && !is_complex(j); k++) {
        set_part(j, w, 2 * k, part_of(j, wr, k));
        set_part(j, w, 2 * k + 1, part_of(j, wi, k));
    }
    if (u && is_complex(j)) transpose(j, n, n, v, u);
    else if (u) write_vectors(j, wi, v, u);
    return 0;
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

ONE(one_schur)
{
    const cpi_linalg *l = j->l;
    int64_t n = l->n, info = 0, lwork = j->lwork, found = 0;
    size_t bytes = rounded((size_t)(n * n) * j->size);
    char *v = work + bytes, *wr = v + bytes, *wi = wr + rounded((size_t)n * 16), *list = wi + rounded((size_t)n * 16);
    char *own = work + j->work - (size_t)lwork * j->size;
    if (!is_finite(j, n * n, AT(l->a, n * n))) return CPI_LINALG_NOT_FINITE;
    transpose(j, n, n, AT(l->a, n * n), work);
    cpi_lapack_fn first = chooser(j);
    const char *order = l->sort ? "S" : "N";
    if (is_complex(j))
        j->f[0]("V", order, first, &n, work, &n, &found, wr, v, &n, own, &lwork, wi, list, &info);
    else j->f[0]("V", order, first, &n, work, &n, &found, wr, wi, v, &n, own, &lwork, list, &info);
    if (cpi_lapack_place(&info, 0) > 0) return CPI_LINALG_EIGENVALUES;
    if (l->pivots) l->pivots[i] = (int32_t)cpi_lapack_place(&found, 0);
    transpose(j, n, n, work, AT(l->x, n * n));
    transpose(j, n, n, v, AT(l->u, n * n));
    return 0;
}

/* --- jobs --- */
static void task(void *context, int64_t t, int worker)
{
    job *j = context;
    int64_t last = (t + 1) * j->each < j->l->batch ? (t + 1) * j->each : j->l->batch;
    for (int64_t i = t * j->each; i < last; i++) {
        int trouble = j->one(j, i, j->memory + (size_t)worker * j->work);
        if (trouble) __atomic_store_n(&j->trouble, trouble, __ATOMIC_RELAXED); /* all of a call's are one kind */
    }
}

/* All matrices; `work`: bytes for one beside LAPACK's own. */
static cp_code all(job *j, size_t work)
{
    const cpi_linalg *l = j->l;
    int64_t largest = l->m > l->n ? l->m : l->n;
    bool shared = l->batch > 1 && largest <= 256; /* beyond that LAPACK's own threads do as well */
    int workers = shared ? cpi_workers() : 1;
    if (!cpi_lapack_fits(largest) || !cpi_lapack_fits(l->k) || !cpi_lapack_fits(j->lwork))
        return cpi_fail(CP_ERROR_VALUE, "%s: the matrix is too large for a LAPACK of 32-bit integers", l->function);
    j->work = rounded(work + (size_t)j->lwork * j->size + 64);
    /* LAPACK's own workspace is the end of a matrix' one, so that it begins on an element's boundary */
    if (!(j->memory = cpi_work_alloc(j->stream, j->work * (size_t)workers))) return CP_ERROR_MEMORY;
    j->each = (l->batch + 255) / 256;
    if (shared) {
        cpi_parallel((l->batch + j->each - 1) / j->each, task, j);
    } else {
        bool own = largest > 160; /* below that waking threads is the longer part */
        j->each = l->batch;
        if (own) cpi_lapack_threads(true);
        task(j, 0, 0);
        if (own) cpi_lapack_threads(false);
    }
    cpi_work_free(j->stream, j->memory);
    return cpi_linalg_trouble(l->function, j->trouble);
}

static bool find(job *j, int n, const char *const *names)
{
    for (int i = 0; i < n; i++)
        if (!(j->f[i] = cpi_lapack(j->l->function, names[i], j->l->type))) return false;
    return true;
}
#define FIND(j, ...) \
    find(j, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[]){__VA_ARGS__})
/* How much workspace a routine asks for: it wrote that number into the first element. */
static void wants(job *j, const void *answer)
{
    int64_t n = (int64_t)part_of(j, answer, 0);
    if (n > j->lwork) j->lwork = n + (j->part == 4 ? n >> 22 : 0); /* a float32 may have been rounded down */
}
#define SLOT_OF(name) static cp_code name(cp_stream *stream, const cpi_linalg *l)
#define SMALL(name)                                          \
    cp_code small = cpi_linalg_small(name, stream, l);       \
    if (small != CP_ERROR_UNSUPPORTED) return small

SLOT_OF(slot_lu)
{
    SMALL(CPI_SMALL_LU);
    job j = begin(stream, l, one_lu);
    return FIND(&j, "getrf") ? all(&j, factor_bytes(&j)) : cp_error();
}
SLOT_OF(slot_solve)
{
    SMALL(CPI_SMALL_SOLVE);
    job j = begin(stream, l, one_solve);
    return FIND(&j, "getrf", "trsm", "getrs") ? all(&j, factor_bytes(&j)) : cp_error();
}
SLOT_OF(slot_inv)
{
    SMALL(CPI_SMALL_INV);
    job j = begin(stream, l, one_inv);
    return FIND(&j, "getrf", "trsm") ? all(&j, factor_bytes(&j)) : cp_error();
}
SLOT_OF(slot_det)
{
    SMALL(CPI_SMALL_DET);
    job j = begin(stream, l, one_det);
    return FIND(&j, "getrf") ? all(&j, factor_bytes(&j) + (size_t)j.r * 16) : cp_error();
}
SLOT_OF(slot_lu_solve)
{
    job j = begin(stream, l, one_lu_solve);
    return FIND(&j, "trsm") ? all(&j, 0) : cp_error();
}
SLOT_OF(slot_triangular)
{
    job j = begin(stream, l, one_triangular);
    return FIND(&j, "trsm") ? all(&j, 0) : cp_error();
}
SLOT_OF(slot_cholesky)
{
    SMALL(CPI_SMALL_CHOLESKY);
    job j = begin(stream, l, one_cholesky);
    return FIND(&j, "potrf") ? all(&j, 0) : cp_error();
}
SLOT_OF(slot_qr)
{
    SMALL(CPI_SMALL_QR);
    job j = begin(stream, l, one_qr);
    double answer[2];
    int64_t m = l->m, n = l->n, ask = -1, info = 0, r = j.r, wide = l->mode == CPI_QR_COMPLETE && m > n ? m : n;
    int64_t rows = l->mode == CPI_QR_COMPLETE ? m : r;
    if (!FIND(&j, "geqrf", cpi_is_complex(l->type) ? "ungqr" : "orgqr")) return cp_error();
    j.f[0](&m, &n, answer, &m, answer, answer, &ask, &info);
    wants(&j, answer);
    j.f[1](&m, &rows, &r, answer, &m, answer, answer, &ask, &info);
    wants(&j, answer);
    return all(&j, rounded((size_t)(m * wide) * j.size) + rounded((size_t)r * j.size));
}
SLOT_OF(slot_svd)
{
    SMALL(CPI_SMALL_SVD);
    job j = begin(stream, l, one_svd);
    double answer[2];
    int64_t m = l->m, n = l->n, r = j.r, most = m > n ? m : n, ask = -1, info = 0, list[1];
    int64_t u = l->full ? m : r;
    const char *what = !l->u ? "N" : l->full ? "A" : "S";
    if (!FIND(&j, "gesdd")) return cp_error();
    if (is_complex(&j))
        j.f[0](what, &n, &m, answer, &n, answer, answer, &n, answer, &u, answer, &ask, answer, list, &info);
    else j.f[0](what, &n, &m, answer, &n, answer, answer, &n, answer, &u, answer, &ask, list, &info);
    wants(&j, answer);
    int64_t each = 5 * r + 7 > 2 * most + 2 * r + 1 ? 5 * r + 7 : 2 * most + 2 * r + 1; /* of gesdd's rwork */
    int64_t real = !is_complex(&j) ? 0 : !l->u ? 7 * r : r * each;
    return all(&j, rounded((size_t)(m * n) * j.size) + rounded((size_t)r * 64) + rounded((size_t)real * j.part));
}
SLOT_OF(slot_eigh)
{
    SMALL(CPI_SMALL_EIGH);
    bool complex = cpi_is_complex(l->type);
    job j = begin(stream, l, one_eigh);
    double answer[2], real[2];
    int64_t n = l->n, ask = -1, info = 0, list[1] = {0}, lr = -1, li = -1;
    const char *job_word = l->u ? "V" : "N";
    if (!FIND(&j, complex ? "heevd" : "syevd")) return cp_error();
    if (complex) j.f[0](job_word, "U", &n, answer, &n, real, answer, &ask, real, &lr, list, &li, &info);
    else j.f[0](job_word, "U", &n, answer, &n, real, answer, &ask, list, &li, &info);
    wants(&j, answer);
    return all(&j, rounded((size_t)(n * n) * j.size) + rounded((size_t)(3 + 5 * n) * 8) +
                       (complex ? rounded((size_t)(1 + 5 * n + 2 * n * n) * j.part) : 0));
}
static size_t general_bytes(const job *j)
{
    size_t n = (size_t)j->l->n;
    return 2 * rounded(n * n * j->size) + 2 * rounded(n * 16) + rounded(n * 8);
}
SLOT_OF(slot_eig)
{
    job j = begin(stream, l, one_eig);
    double answer[2];
    int64_t n = l->n, ask = -1, info = 0, one = 1;
    const char *job_word = l->u ? "V" : "N";
    if (!FIND(&j, "geev")) return cp_error();
    if (is_complex(&j))
        j.f[0]("N", job_word, &n, answer, &n, answer, answer, &one, answer, &n, answer, &ask, answer, &info);
    else j.f[0]("N", job_word, &n, answer, &n, answer, answer, answer, &one, answer, &n, answer, &ask, &info);
    wants(&j, answer);
    return all(&j, general_bytes(&j));
}
SLOT_OF(slot_schur)
{
    job j = begin(stream, l, one_schur);
    double answer[2];
    int64_t n = l->n, ask = -1, info = 0, found = 0, list[1];
    void *any = NULL;
    if (!FIND(&j, "gees")) return cp_error();
    if (is_complex(&j))
        j.f[0]("V", "N", any, &n, answer, &n, &found, answer, answer, &n, answer, &ask, answer, list, &info);
    else j.f[0]("V", "N", any, &n, answer, &n, &found, answer, answer, answer, &n, answer, &ask, list, &info);
    wants(&j, answer);
    return all(&j, general_bytes(&j));
}

const cpi_linalg_ops cpi_linalg_cpu = {
    .lu = slot_lu,
    .lu_solve = slot_lu_solve,
    .solve = slot_solve,
    .inv = slot_inv,
    .det = slot_det,
    .triangular = slot_triangular,
    .cholesky = slot_cholesky,
    .qr = slot_qr,
    .svd = slot_svd,
    .eigh = slot_eigh,
    .eig = slot_eig,
    .schur = slot_schur,
};
