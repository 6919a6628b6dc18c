/* LAPACK's routines by their names, from the library that src/base/blas loads. */
#include "linalg/lapack.h"

#include <string.h>

#include "blas/blas.h"

static cpi_lapack_fn routine(const cpi_blas *b, const char *function, const char *name, cp_type type)
{
    if (strcmp(name, "gemm") == 0) return (cpi_lapack_fn)cpi_blas_gemm(b, type); /* without a search */
    char symbol[16] = {type == CP_FLOAT32 ? 's' : type == CP_FLOAT64 ? 'd' : type == CP_COMPLEX64 ? 'c' : 'z'};
    cpi_lapack_fn r = NULL;
    strncpy(symbol + 1, name, sizeof symbol - 2);
    void *f = cpi_blas_symbol(b, symbol);
    if (!f) return cpi_fail(CP_ERROR_UNSUPPORTED, "%s: %s has no %s", function, b->where, symbol), NULL;
    memcpy(&r, &f, sizeof r);
    return r;
}

cpi_lapack_fn cpi_lapack(const char *function, const char *name, cp_type type)
{
    const cpi_blas *b = cpi_blas_open(function);
    return b ? routine(b, function, name, type) : NULL;
}

bool cpi_lapack_all(const char *function, int n, const char *const *names, cp_type type, cpi_lapack_fn *to)
{
    const cpi_blas *b = cpi_blas_open(function);
    bool good = b;
    for (int i = 0; i < n && good; i++) good = (to[i] = routine(b, function, names[i], type));
    return good;
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
