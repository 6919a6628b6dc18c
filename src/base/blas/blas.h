/* OpenBLAS or MKL on the CPU, opened when it is first needed; nothing of either is linked.
 *
 * CUPRITE_BLAS chooses: openblas (as where nothing is said) or mkl. OpenBLAS is looked for in this order:
 * CUPRITE_OPENBLAS, a file; the PyPI packages scipy-openblas64 and -32; the copies that NumPy and SciPy bundle; the
 * system's libopenblas. It is ours alone: of one that others may use too a copy is loaded. MKL is libmkl_rt.so, in
 * CUPRITE_LIBRARY_PATH, beside the interpreter's packages (pip's and conda's), where the loader finds it, and in
 * MKLROOT; its state is the process's, so ours is set for the calling thread and put back.
 *
 * Who cuts work into tasks of the pool (cpu/threads.h) calls routines inside them, which then run in that thread alone:
 * between cpi_blas_alone_begin and _end. Only between cpi_blas_threads_begin and _end may the library run threads of
 * its own, as many as the pool has; results may then depend on that number.
 *
 * Integers: routines are always called with 64-bit integers, by pointers to int64_t. A library whose integers have 32
 * bits (`wide` is false) reads the low half, so sizes must be at most cpi_blas_most; integers that it writes are read
 * by cpi_blas_integer, and arrays of integers have the size of int64_t arrays. */
#ifndef CPI_BLAS_H
#define CPI_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/array.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "narrow integers are read from wide ones");

typedef const char *cpi_blas_word; /* "N", "T", "C"; BLAS needs no hidden string lengths */
/* c = alpha * op(a) op(b) + beta * c, in Fortran order; pointers are to the routine's element type. */
typedef void (*cpi_blas_gemm_fn)(cpi_blas_word ta, cpi_blas_word tb, const int64_t *m, const int64_t *n,
                                 const int64_t *k, const void *alpha, const void *a, const int64_t *lda, const void *b,
                                 const int64_t *ldb, const void *beta, void *c, const int64_t *ldc);
/* y = alpha * op(a) x + beta * y */
typedef void (*cpi_blas_gemv_fn)(cpi_blas_word ta, const int64_t *m, const int64_t *n, const void *alpha, const void *a,
                                 const int64_t *lda, const void *x, const int64_t *incx, const void *beta, void *y,
                                 const int64_t *incy);

typedef struct cpi_blas {
    const char *name;        /* "OpenBLAS", "MKL" */
    bool wide;               /* integers of 64 bits */
    bool moderate;           /* quicker than our own kernels with many matrices of a moderate size */
    bool spectra;            /* quicker with singular values and eigenvalues than our tasks of its routines */
    char prefix[16], suffix[8]; /* of names: scipy_ dgemm _64_ */
    void *handle;
    char where[512];         /* the file */
    char config[200];        /* the library's own words: version, options, processor; */
    char line[720];          /* and the file, for people */
    void (*set_threads)(int n);       /* OpenBLAS: of the process, which has a copy of its own; */
    int (*set_threads_here)(int n);   /* MKL: of the calling thread; the number before, 0: as the process has it */
    cpi_blas_gemm_fn sgemm, dgemm, cgemm, zgemm;
    cpi_blas_gemv_fn sgemv, dgemv, cgemv, zgemv;
} cpi_blas;

/* The library, opened; NULL where there is none: without an error, */
const cpi_blas *cpi_blas_found(void);
/* or with CP_ERROR_UNSUPPORTED and a message about what to install. */
const cpi_blas *cpi_blas_open(const char *function);
/* Where none was found: an error if CUPRITE_BLAS names one, or none that is known (CP_ERROR_VALUE). Who can do without
 * a library asks, so that a wish is not passed over in silence. */
cp_code cpi_blas_refused(const char *function);
/* A routine by its Fortran name ("dgetrf"); NULL where the library lacks it. LAPACK's routines take the lengths of
 * their strings as further arguments (size_t) after all others. */
void *cpi_blas_symbol(const cpi_blas *b, const char *name);
/* gemm or gemv of a type (float32, float64, complex64, complex128). */
cpi_blas_gemm_fn cpi_blas_gemm(const cpi_blas *b, cp_type type);
cpi_blas_gemv_fn cpi_blas_gemv(const cpi_blas *b, cp_type type);

/* The largest size that the library's integers hold. */
static inline int64_t cpi_blas_most(const cpi_blas *b) { return b->wide ? INT64_MAX : INT32_MAX; }
/* Integer i of an array that a routine wrote (i = 0: of an `info` or the like). */
static inline int64_t cpi_blas_integer(const cpi_blas *b, const int64_t *integers, int64_t i)
{
    return b->wide ? integers[i] : ((const int32_t *)integers)[i];
}

/* The routines that this thread calls now run in it alone; `was` goes from one to the other. Calls nest. */
int cpi_blas_alone_begin(const cpi_blas *b);
void cpi_blas_alone_end(const cpi_blas *b, int was);
/* The library may run threads of its own for the routines that are called now, by this thread (and with OpenBLAS by
 * others); not inside a task of the pool. Calls nest. */
void cpi_blas_threads_begin(const cpi_blas *b);
void cpi_blas_threads_end(const cpi_blas *b);

#endif
