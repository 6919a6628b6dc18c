/* Shared by the CPU's slots (linalg_cpu.c, spectra_cpu.c): a slot is a job.
 *
 * A job holds what is looked up once, and a function for one matrix, ONE(one_NAME), with its own workspace. Many
 * matrices of moderate size are divided among threads, each calling serial LAPACK; large ones are processed in sequence
 * with LAPACK's threads. Which of the two depends on the matrices alone. Matrices are row-major and LAPACK wants
 * column-major: they are transposed in the workspace, except where the transpose serves as well.
 *
 * A slot, cpi_linalg_cpu_NAME, tries the kernels for small matrices, then begins a job, finds LAPACK's routines (FIND;
 * they are j->f[0], f[1], ...), asks them for their workspace (cpi_job_wants) and does all matrices (cpi_job_all). */
#ifndef CPI_LINALG_JOB_H
#define CPI_LINALG_JOB_H

#include "linalg/lapack.h"

typedef struct job {
    const cpi_linalg *l;
    cp_stream *stream;
    size_t size, part;      /* bytes of an element, and of its real part */
    int64_t r;              /* min(m, n) */
    cpi_lapack_fn f[5];
    const struct cpi_spectra *spectra; /* of those that the pool does */
    bool pooled;            /* the pool's threads do each matrix (lu_cpu.c), not the library's own */
    bool own;               /* the library's own threads may do them */
    int workers;            /* for which a matrix' workspace has scratch */
    int64_t lwork;          /* LAPACK's own workspace, in elements */
    size_t work;            /* bytes of workspace for one matrix */
    int (*one)(const struct job *j, int64_t i, char *work); /* returns its error */
    char *memory;
    int64_t each;           /* matrices a task */
    int error;
} job;

/* The function for matrix i: returns its error, or 0. */
#define ONE(name) static int name(const job *j, int64_t i, char *work)
/* Matrix i of an array whose matrices have `count` elements, and the same of real numbers. */
#define AT(p, count) ((char *)(uintptr_t)(const void *)(p) + (size_t)i * (size_t)(count) * j->size)
#define AT_REAL(p, count) ((char *)(p) + (size_t)i * (size_t)(count) * j->part)

static inline bool is_complex(const job *j) { return j->size != j->part; }
static inline size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

static inline job begin(cp_stream *stream, const cpi_linalg *l, int (*one)(const job *, int64_t, char *))
{
    size_t part = l->type == CP_FLOAT32 || l->type == CP_COMPLEX64 ? 4 : 8;
    return (job){.l = l, .stream = stream, .part = part, .size = cpi_is_complex(l->type) ? 2 * part : part,
                 .r = l->m < l->n ? l->m : l->n, .one = one};
}

/* --- elements --- */
static inline double part_of(const job *j, const void *x, int64_t i)
{
    return j->part == 4 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}
static inline void set_part(const job *j, void *x, int64_t i, double v)
{
    if (j->part == 4) ((float *)x)[i] = (float)v;
    else ((double *)x)[i] = v;
}
static inline void set_number(const job *j, void *x, int64_t i, double re, double im)
{
    if (!is_complex(j)) set_part(j, x, i, re);
    else set_part(j, x, 2 * i, re), set_part(j, x, 2 * i + 1, im);
}

/* to (columns x rows) = the transpose of from (rows x columns). */
void cpi_job_transpose(const job *j, int64_t rows, int64_t columns, const void *from, void *to);
/* The same, with rows of `to` that begin `pitch` elements apart. */
void cpi_job_transpose_padded(const job *j, int64_t rows, int64_t columns, const void *from, void *to, int64_t pitch);
/* A part of a matrix, in this thread; rows of `from` begin `step` elements apart. */
void cpi_job_transpose_part(const job *j, int64_t rows, int64_t columns, const void *from, int64_t step, void *to,
                            int64_t pitch);
/* Are n elements, and those of one triangle of an n x n matrix, neither NaN nor infinite? */
bool cpi_job_is_finite(const job *j, int64_t n, const void *x);
double cpi_job_most(const job *j, int64_t n, const void *x); /* the largest size of a part of n finite elements */
bool cpi_job_is_finite_triangle(const job *j, int64_t n, bool upper, const char *x);

/* LAPACK's routines of these names into j->f; false, with an error, where one is missing. */
bool cpi_job_find(job *j, int n, const char *const *names);
#define FIND(j, ...) \
    cpi_job_find(j, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[]){__VA_ARGS__})
/* Sets the workspace size that a routine's query wrote into the first element. */
void cpi_job_wants(job *j, const void *answer);
/* All matrices; `work`: bytes for one beside LAPACK's own workspace. */
cp_code cpi_job_all(job *j, size_t work);

#define SMALL(name)                                          \
    cp_code small = cpi_linalg_small(name, stream, l);       \
    if (small != CP_ERROR_UNSUPPORTED) return small

/* cholesky_cpu.c: one triangle of a matrix in columns becomes its factor. 1 + the column that shows that it
 * is not positive definite, or 0. */
enum { CPI_CHOLESKY_POTRF, CPI_CHOLESKY_TRSM, CPI_CHOLESKY_GEMM, CPI_CHOLESKY_HERK };
int64_t cpi_cholesky_factor(const job *j, int64_t n, bool lower, char *a);

/* spectra_pool.c: svd and eigh of one matrix that is neither small nor left to LAPACK. */
typedef struct cpi_spectra {
    cpi_lapack_fn reduce, reflect, gemm, values, larft, trmm, divide[5], qr[5];
} cpi_spectra;
bool cpi_spectra_is_shared(const job *j);
bool cpi_svd_begin(job *j, cpi_spectra *s, size_t *bytes);
bool cpi_eigh_begin(job *j, cpi_spectra *s, size_t *bytes);
int cpi_svd_one(const job *j, int64_t i, char *work);
int cpi_eigh_one(const job *j, int64_t i, char *work);

/* qr_cpu.c: whether a matrix is done there, the places of a job's routines, and the bytes of `work`. */
enum { CPI_QR_GEQRF, CPI_QR_ORGQR, CPI_QR_GEQRT3, CPI_QR_LARFB };
bool cpi_qr_is_shared(const job *j);
size_t cpi_qr_bytes(const job *j);
/* A, m x n in columns, as geqrf leaves it and its tau; what Q needs stays in `work`. */
void cpi_qr_factor(const job *j, char *a, char *tau, char *work);
/* Some first columns of Q, in rows. */
void cpi_qr_make_q(const job *j, char *a, int64_t columns, char *q, char *work);

#endif
