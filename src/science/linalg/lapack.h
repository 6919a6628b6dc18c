/* LAPACK's and BLAS' routines as the module linalg calls them; shared by its CPU files.
 *
 * A routine is found by its name without the letter of its type. All arguments are pointers, so one call serves
 * libraries of 32-bit and of 64-bit integers: numbers are 64-bit variables, of which a narrow library reads the lower
 * half (x86-64 and AArch64 are little-endian), and lists of integers are read by cpi_lapack_slot. */
#ifndef CPI_LINALG_LAPACK_H
#define CPI_LINALG_LAPACK_H

#include "linalg/small.h"

/* Fortran's routines take varying numbers of pointers. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
typedef void (*cpi_lapack_fn)();
#pragma GCC diagnostic pop

/* dgetrf of ("getrf", CP_FLOAT64), and so on; NULL with an error "FUNCTION: ..." where there is no library. */
cpi_lapack_fn cpi_lapack(const char *function, const char *name, cp_type type);
/* Several of them: the library is opened, and asked for space, once. False with the error where one is missing. */
bool cpi_lapack_all(const char *function, int n, const char *const *names, cp_type type, cpi_lapack_fn *to);
/* One of its integers in memory, as a routine left it. */
int64_t cpi_lapack_slot(const int64_t *list, int64_t i);
/* Whether there is a library; small matrices need none. */
bool cpi_lapack_there(void);
/* Whether its own threads take less time for spectra than the pool's with its routines. */
bool cpi_lapack_leads(void);
/* Whether its integers hold a size. */
bool cpi_lapack_fits(int64_t size);
/* Between true and false the library may use its own threads; never inside a task of the pool. */
void cpi_lapack_threads(bool own);
/* Between them its routines run in the calling thread alone (blas.h); `was` goes from one to the other. */
int cpi_lapack_alone_begin(void);
void cpi_lapack_alone_end(int was);

/* Small matrices, many of them (linalg_small.c). CP_ERROR_UNSUPPORTED, without an error: the caller uses LAPACK. */
cp_code cpi_linalg_small(cpi_small_kind kind, cp_stream *stream, const cpi_linalg *args);

#endif
