/* What the CPU's files for singular values and Hermitian eigenvalues by the pool's threads share.
 *
 * A matrix is reduced to a bidiagonal or tridiagonal one (bidiagonal_cpu.c, tridiagonal_cpu.c), whose vectors are found
 * by divide and conquer (divide_cpu.c) and multiplied by the reflections (reflect_cpu.c). Every task is cut by sizes
 * alone, so the number of threads changes no bit. */
#ifndef CPI_LINALG_SPECTRA_H
#define CPI_LINALG_SPECTRA_H

#include "cpu/threads.h"
#include "linalg/job.h"

/* One step of a bidiagonal reduction, of a trailing matrix whose first column a reflection v has made zero. The panel's
 * `pairs` earlier reflections are factors on the left (v and x) and on the right (y and u): A stands for
 * A - left right^T. Pointers are to the first row or column of what is left of the matrix. */
enum { CPI_PANEL = 16, CPI_PANEL_FACTORS = 2 * CPI_PANEL + 2 };
typedef struct cpi_bidiagonal_step {
    int64_t rows, ld, pairs, left_ld, right_ld;
    const void *a, *v, *tau;
    const void *dots, *row;   /* products of the left factors with v; their elements in the first row */
    void *left, *right;
    void *r;                  /* the first row of (I - tau v v^T) A */
    /* then, of the rows behind the first: r's reflection u is (r - by[0] e_0) by[1], its tau by[2] */
    const void *w, *products; /* A r in `parts` parts; products of the right factors with u */
    int64_t parts, w_ld;
    const void *by, *next;    /* the right factors' elements of the next column; NULL: there is none */
    void *column;             /* the next column, which is brought up to date */
} cpi_bidiagonal_step;

/* Loops over real elements, of float32 or float64; sizes and strides count elements. */
typedef struct cpi_spectra_loops {
    /* New vectors z of divide and conquer (Gu and Eisenstat): elements first..last of k. Column j of `below` has the
     * poles minus root j, of `sums` their sums; ld is k. The tridiagonal one has no sums. */
    void (*singular_z)(int64_t first, int64_t last, int64_t k, const void *below, const void *sums, const void *poles,
                       const void *z, void *to);
    void (*hermitian_z)(int64_t first, int64_t last, int64_t k, const void *below, const void *poles, const void *z,
                        void *to);
    /* Vectors of `count` roots, of length 1, their elements in `order`. u and v: k x count. */
    void (*singular_vectors)(int64_t k, int64_t count, const void *below, const void *sums, const void *poles,
                             const void *z, const int32_t *order, void *u, void *v, void *work);
    void (*hermitian_vectors)(int64_t k, int64_t count, const void *below, const void *z, const int32_t *order,
                              void *u, void *work);
    /* Columns first..last: the new y, behind the right factors, and r; w: their part of A r; sums: that of products of
     * the right factors, y too, with r. */
    void (*bidiagonal_columns)(const cpi_bidiagonal_step *s, int64_t first, int64_t last, void *w, void *sums);
    /* Rows first..last: v and the new x, behind the left factors, and the next column; sums, unless it is NULL: of
     * products of the left factors, these too, with it. */
    void (*bidiagonal_rows)(const cpi_bidiagonal_step *s, int64_t first, int64_t last, void *sums);
    /* y = the part of A x that columns first..last of the lower triangle have, in rows first..n. */
    void (*symmetric_columns)(int64_t n, int64_t first, int64_t last, const void *a, int64_t ld, const void *x,
                              void *y);
    /* The sum of n products; to += by * from. */
    double (*dot)(int64_t n, const void *a, const void *b);
    void (*add)(int64_t n, double by, const void *from, void *to);
} cpi_spectra_loops;
typedef struct cpi_spectra_kernels { cpi_spectra_loops f32, f64; } cpi_spectra_kernels;
extern const cpi_spectra_kernels cpi_spectra_kernels_v2, cpi_spectra_kernels_v3, cpi_spectra_kernels_v4;
const cpi_spectra_loops *cpi_spectra_loops_of(const job *j); /* of the real part */

/* Tasks of which each thread takes neighbours: even workers from the first one on, odd ones from the last one. The next
 * step's are then in the same core's cache. One call for each task; which one it does is returned. */
typedef struct cpi_ends { int64_t tasks, low, high; } cpi_ends;
static inline int64_t cpi_from_ends(cpi_ends *e, int worker)
{
    if (worker % 2 == 0) return __atomic_fetch_add(&e->low, 1, __ATOMIC_RELAXED);
    return e->tasks - 1 - __atomic_fetch_add(&e->high, 1, __ATOMIC_RELAXED);
}

/* Tasks that read so many elements together: by this thread alone where that takes no longer than others to wake. */
static inline void cpi_tasks_of(int64_t tasks, int64_t elements, cpi_task f, void *context)
{
    if (elements > 1 << 16) cpi_parallel(tasks, f, context);
    else
        for (int64_t i = 0; i < tasks; i++) f(context, i, 0);
}

/* --- reflections --- */
typedef struct cpi_reflections {
    const job *j;
    cpi_lapack_fn larft, trmm, gemm;
    int64_t length, count, first; /* of a vector; of them; vector k's first element, a 1, is element k + first */
    int64_t block;                /* of a panel */
    bool in_rows;                 /* of a, and conjugated; else in columns */
    const char *a, *tau;
    int64_t ld;
    char *v, *vt, *t, *work;      /* panels of V and V T; T; for each worker */
    size_t worker_bytes;
    char *c;                      /* the matrix that is multiplied */
    int64_t c_ld, c_count, each;
} cpi_reflections;
bool cpi_reflections_find(cpi_reflections *r, const job *j);
/* Bytes of `work` for products with matrices of `other` columns or rows. */
size_t cpi_reflections_bytes(const job *j, int64_t length, int64_t count, int64_t other);
/* Q = H_0 H_1 ..., from what gebrd or sytrd left at a. */
void cpi_reflections_begin(cpi_reflections *r, const char *a, int64_t ld, bool in_rows, const char *tau, int64_t first,
                           int64_t length, int64_t count, int64_t other, char *work);
void cpi_reflections_left(cpi_reflections *r, char *c, int64_t ld, int64_t columns); /* C = Q C */
void cpi_reflections_right(cpi_reflections *r, char *c, int64_t ld, int64_t rows);   /* C = C Q^H */

/* --- reductions of real matrices, in columns --- */
/* Between columns of n elements: not a multiple of a page, so that neighbours share no sets of a cache (a fifth faster
 * with 512 rows). */
static inline int64_t cpi_padded(const job *j, int64_t n)
{
    return (size_t)n * j->size % 2048 ? n : n + 64 / (int64_t)j->size;
}
/* A, m x n with m >= n, is Q B P^T. B is upper bidiagonal, of d and e. Q's reflections are left in A as gebrd leaves
 * them, P's in columns of p, n x n: vector k begins at element k + 1. Elements are at most about 1 in size. */
size_t cpi_bidiagonal_bytes(const job *j, int64_t m, int64_t n);
typedef struct cpi_bidiagonal {
    int64_t m, n, ld;
    char *a, *p, *d, *e, *tauq, *taup;
} cpi_bidiagonal;
void cpi_bidiagonalize(const job *j, cpi_lapack_fn gebrd, cpi_lapack_fn larfg, cpi_lapack_fn gemm,
                       const cpi_bidiagonal *b, char *work);

/* A symmetric matrix, of which the lower triangle is read, is Q T Q^T. T is tridiagonal, of d and e; Q's reflections
 * are left in A as sytrd leaves them. */
size_t cpi_tridiagonal_bytes(const job *j, int64_t n);
typedef struct cpi_tridiagonal {
    int64_t n, ld;
    char *a, *d, *e, *tau;
} cpi_tridiagonal;
void cpi_tridiagonalize(const job *j, cpi_lapack_fn sytrd, cpi_lapack_fn larfg, cpi_lapack_fn gemm,
                        const cpi_tridiagonal *t, char *work);

/* --- divide and conquer: real numbers of the matrix' precision, n x n matrices in columns --- */
size_t cpi_divide_bytes(const job *j, int64_t n, bool singular);
/* Whether the library has the routines; else an error. */
bool cpi_divide_find(const job *j, bool singular, cpi_lapack_fn *f);
enum { CPI_DIVIDE_ROUTINES = 5 };
/* The upper bidiagonal matrix of d and e (destroyed) is u diag(d) vt; d is descending. Without vt the matrix is the
 * tridiagonal u diag(d) u^T; d is ascending. u and vt have n x n elements, all of which are written. Returns false
 * where an iteration fails. */
bool cpi_divide(const job *j, const cpi_lapack_fn *f, int64_t n, char *d, char *e, char *u, char *vt, char *work);

#endif
