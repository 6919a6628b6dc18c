/* What the files that find a BLAS (blas_openblas.c, blas_mkl.c) share with the one that keeps it (blas.c). */
#ifndef CPI_BLAS_LIBRARY_H
#define CPI_BLAS_LIBRARY_H

#include "blas/blas.h"

/* Why a library that was there could not be used; its bytes. */
enum { CPI_BLAS_WHY = 900 };

/* Finds the library, opens it and fills the table; false, perhaps with a reason in `why`. Called under blas.c's lock,
 * by one thread. */
bool cpi_blas_find_openblas(cpi_blas *b, char *why);
bool cpi_blas_find_mkl(cpi_blas *b, char *why);

/* Fills in the names' affixes, and the routines by them; whether all are there. Prefixes and suffixes end with NULL. */
bool cpi_blas_routines(cpi_blas *b, void *handle, const char *const *prefixes, const char *const *suffixes);

#endif
