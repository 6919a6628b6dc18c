/* LAPACK's routines by their names, from the library that src/base/blas loads. */
#include "linalg/lapack.h"

#include <stdio.h>
#include <string.h>

#include "blas/blas.h"

cpi_lapack_fn cpi_lapack(const char *function, const char *name, cp_type type)
{
    const cpi_blas *b = strcmp(name, "gemm") == 0 ? cpi_blas_found() : NULL;
    if (b) return (cpi_lapack_fn)cpi_blas_gemm(b, type); /* without a search */
    char symbol[16], letter = type == CP_FLOAT32 ? 's' : type == CP_FLOAT64 ? 'd' : type == CP_COMPLEX64 ? 'c' : 'z';
    cpi_lapack_fn r = NULL;
    if (!(b = cpi_blas_open(function))) return NULL;
    snprintf(symbol, sizeof symbol, "%c%s", letter, name);
    void *f = cpi_blas_symbol(b, symbol);
    if (!f) return cpi_fail(CP_ERROR_UNSUPPORTED, "%s: %s has no %s", function, b->where, symbol), NULL;
    memcpy(&r, &f, sizeof r);
    return r;
}

int64_t cpi_lapack_slot(const int64_t *list, int64_t i) { return cpi_blas_integer(cpi_blas_found(), list, i); }
bool cpi_lapack_there(void) { return cpi_blas_found() != NULL; }
bool cpi_lapack_leads(void) { return cpi_blas_found()->spectra; }
bool cpi_lapack_fits(int64_t size) { return size <= cpi_blas_most(cpi_blas_found()); }
void cpi_lapack_threads(bool own)
{
    const cpi_blas *b = cpi_blas_found();
    if (own) cpi_blas_threads_begin(b);
    else cpi_blas_threads_end(b);
}
int cpi_lapack_alone_begin(void) { return cpi_blas_alone_begin(cpi_blas_found()); }
void cpi_lapack_alone_end(int was) { cpi_blas_alone_end(cpi_blas_found(), was); }
