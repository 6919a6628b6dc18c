/* The error record of a thread, and its warnings. Invariant: the record holds the first failure since it was last
 * cleared, the warnings all that were given since they were. */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local struct {
    cp_code code;
    unsigned warnings;
    char text[512];
} record;

static const char *const texts[CP_NERRORS] = {
#define X(NAME, text, exception) [CP_ERROR_##NAME] = text,
    CP_ERRORS(X)
#undef X
};
static const struct { const char *text, *category; } warnings[CP_NWARNINGS] = {
#define X(NAME, text, category) [CP_WARNING_##NAME] = {text, category},
    CP_WARNINGS(X)
#undef X
};
static const char *const exceptions[CP_NERRORS] = {
#define X(NAME, text, exception) [CP_ERROR_##NAME] = exception,
    CP_ERRORS(X)
#undef X
};

cp_code cpi_fail(cp_code code, const char *format, ...)
{
    if (record.code != CP_OK) return code;
    va_list args;
    va_start(args, format);
    vsnprintf(record.text, sizeof record.text, format, args);
    va_end(args);
    record.code = code;
    return code;
}

bool cpi_fail_null(const char *function)
{
    cpi_fail(CP_ERROR_VALUE, "%s: an argument is NULL", function);
    return true;
}

cp_code cp_error(void) { return record.code; }

const char *cp_error_message(void) { return record.code == CP_OK ? "" : record.text; }

void cp_error_clear(void)
{
    record.code = CP_OK;
    record.text[0] = 0;
}

const char *cp_code_text(cp_code code) { return code >= 0 && code < CP_NERRORS ? texts[code] : "unknown error"; }

const char *cp_code_exception(cp_code code)
{
    return code >= 0 && code < CP_NERRORS ? exceptions[code] : "RuntimeError";
}

void cpi_warn(cp_warning warning) { record.warnings |= 1u << warning; }

unsigned cp_warnings(void) { return record.warnings; }

void cp_warnings_clear(void) { record.warnings = 0; }

const char *cp_warning_text(cp_warning w) { return w >= 0 && w < CP_NWARNINGS ? warnings[w].text : "unknown warning"; }

const char *cp_warning_category(cp_warning w)
{
    return w >= 0 && w < CP_NWARNINGS ? warnings[w].category : "RuntimeWarning";
}
