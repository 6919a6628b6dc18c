/* Writing the thread's error record. Invariant: a record that is set is never overwritten. */
#ifndef CPI_CORE_ERROR_H
#define CPI_CORE_ERROR_H

#include "cuprite/error.h"

/* Writes the record unless one is set; returns `code`. The message begins with the public function's name. `cold` keeps
 * the failure path out of the hot path. */
cp_code cpi_fail(cp_code code, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
bool cpi_fail_null(const char *function) __attribute__((cold)); /* true */
/* True, and "NAME: argument is NULL" written if no error is set, when a pointer argument is NULL. */
static inline bool cpi_null(const char *function, const void *argument)
{
    return !argument && cpi_fail_null(function);
}
/* The options passed to a public function, or a zeroed struct, which means the defaults. It lives until the end of the
 * enclosing block. */
#define CPI_GIVEN(type, options) ((options) ? (options) : &(const type){0})
/* Around a call of foreign code (a release function, an allocator): it sees an empty record; the former record and
 * warnings are restored after it. */
typedef struct cpi_kept_error { cp_code code; unsigned warnings; char text[512], *long_string; } cpi_kept_error;
void cpi_error_keep(cpi_kept_error *kept);
void cpi_error_restore(cpi_kept_error *kept);
/* Adds to the thread's warnings. */
void cpi_warn(cp_warning warning);

#endif
