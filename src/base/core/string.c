/* Strings that grow: see string.h. */
#include "core/string.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

static bool make_space(cpi_string *t, size_t n)
{
    if (t->failed) return false;
    if (t->length + n < t->capacity) return true;
    size_t capacity = (t->length + n + 1) * 2;
    char *more = cpi_realloc(t->at, capacity);
    if (!more) return t->failed = true, false;
    t->at = more;
    t->capacity = capacity;
    return true;
}

void cpi_string_add(cpi_string *t, const char *bytes, size_t n)
{
    if (!make_space(t, n)) return;
    memcpy(t->at + t->length, bytes, n);
    t->at[t->length += n] = 0;
}

void cpi_string_fill(cpi_string *t, char c, int64_t n)
{
    if (n <= 0 || !make_space(t, (size_t)n)) return;
    memset(t->at + t->length, c, (size_t)n);
    t->at[t->length += (size_t)n] = 0;
}

void cpi_string_printf(cpi_string *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n >= 0 && make_space(t, (size_t)n + 1)) {
        vsnprintf(t->at + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void cpi_string_free(cpi_string *t)
{
    cpi_free_host(t->at);
    *t = (cpi_string){0};
}
