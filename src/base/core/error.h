/* Writing the thread's error record. Invariant: a record that stands is never overwritten. */
#ifndef CPI_CORE_ERROR_H
#define CPI_CORE_ERROR_H

#include "cuprite/error.h"

/* Writes the record unless one stands; returns `code`. The text begins with the public function's name. `cold` keeps
 * what leads here out of the way of calls that succeed. */
cp_code cpi_fail(cp_code code, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
bool cpi_fail_null(const char *function) __attribute__((cold)); /* true */
/* True, and "NAME: argument is NULL" written if nothing stands, when a pointer argument is NULL. */
static inline bool cpi_null(const char *function, const void *argument)
{
    return !argument && cpi_fail_null(function);
}
/* The options that a public function was given; without any a zeroed record, which means the defaults. Its life is the
 * block's where it stands. */
#define CPI_GIVEN(type, options) ((options) ? (options) : &(const type){0})
/* Around a call of code that is not ours (a release, an allocator): it finds an empty record, and leaves the one that
 * stood before, and its warnings, as they were. */
typedef struct cpi_kept_error { cp_code code; unsigned warnings; char text[512], *long_string; } cpi_kept_error;
void cpi_error_keep(cpi_kept_error *kept);
void cpi_error_restore(cpi_kept_error *kept);
/* Adds to the thread's warnings. */
void cpi_warn(cp_warning warning);

#endif
