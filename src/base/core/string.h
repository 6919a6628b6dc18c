/* Strings that grow.
 *
 * A string of zeros is an empty one. When memory is exhausted it no longer changes, and `failed` is set: the caller
 * asks once, at the end. */
#ifndef CPI_CORE_STRING_H
#define CPI_CORE_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cpi_string {
    char *at; /* terminated, or NULL while nothing was added */
    size_t length, capacity;
    bool failed; /* no memory: an error record stands */
} cpi_string;

void cpi_string_add(cpi_string *t, const char *bytes, size_t n);
void cpi_string_fill(cpi_string *t, char c, int64_t n); /* adds n times c */
void cpi_string_printf(cpi_string *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cpi_string_free(cpi_string *t);

#endif
