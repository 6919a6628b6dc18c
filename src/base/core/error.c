/* The error record of a thread, and its warnings. Invariant: the record holds the first error since it was last
 * cleared, the warnings all since they were last cleared. */
#include "core/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuprite/extend.h"

static _Thread_local struct {
    cp_code code;
    unsigned warnings;
    char text[512];
    char *long_string; /* a message that does not fit there, as a compiler's output; freed with the record or the thread
                          */
} record;

static const char *const strings[CP_NERRORS] = {
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

static pthread_key_t thread_end;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;
static void make_thread_end(void) { pthread_key_create(&thread_end, free); }

/* Out of memory the message stays truncated. */
static void keep_long(const char *format, va_list args, size_t bytes)
{
    pthread_once(&thread_end_once, make_thread_end);
    char *text = malloc(bytes);
    if (!text) return;
    vsnprintf(text, bytes, format, args);
    record.long_string = text;
    pthread_setspecific(thread_end, text);
}

cp_code cpi_fail(cp_code code, const char *format, ...)
{
    if (record.code != CP_OK) return code;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(record.text, sizeof record.text, format, args);
    if (length >= (int)sizeof record.text) keep_long(format, again, (size_t)length + 1);
    va_end(again);
    va_end(args);
    record.code = code;
    return code;
}

cp_code cp_error_set(cp_code code, const char *message) { return cpi_fail(code, "%s", message ? message : ""); }

bool cpi_fail_null(const char *function)
{
    cpi_fail(CP_ERROR_VALUE, "%s: an argument is NULL", function);
    return true;
}

cp_code cp_error(void) { return record.code; }

const char *cp_error_message(void)
{
    return record.code == CP_OK ? "" : record.long_string ? record.long_string : record.text;
}

void cp_error_clear(void)
{
    record.code = CP_OK;
    record.text[0] = 0;
    if (!record.long_string) return;
    pthread_setspecific(thread_end, NULL);
    free(record.long_string);
    record.long_string = NULL;
}

/* A long message moves into the saved record and back; the thread frees it only in its own record. */
void cpi_error_keep(cpi_kept_error *kept)
{
    kept->code = record.code;
    kept->warnings = record.warnings;
    kept->long_string = record.long_string;
    record.warnings = 0;
    if (kept->code == CP_OK) return;
    memcpy(kept->text, record.text, sizeof record.text);
    if (record.long_string) pthread_setspecific(thread_end, NULL);
    record.long_string = NULL;
    record.code = CP_OK;
}

void cpi_error_restore(cpi_kept_error *kept)
{
    cp_error_clear();
    record.warnings = kept->warnings;
    if (kept->code == CP_OK) return;
    record.code = kept->code;
    memcpy(record.text, kept->text, sizeof record.text);
    record.long_string = kept->long_string;
    if (record.long_string) pthread_setspecific(thread_end, record.long_string);
}

const char *cp_code_string(cp_code code) { return code >= 0 && code < CP_NERRORS ? strings[code] : "unknown error"; }

const char *cp_code_exception(cp_code code)
{
    return code >= 0 && code < CP_NERRORS ? exceptions[code] : "RuntimeError";
}

static bool ever_warned; /* any thread: before that no thread reads its record, which costs a call */

void cpi_warn(cp_warning warning)
{
    record.warnings |= 1u << warning;
    __atomic_store_n(&ever_warned, true, __ATOMIC_RELAXED);
}

unsigned cp_warnings(void) { return __atomic_load_n(&ever_warned, __ATOMIC_RELAXED) ? record.warnings : 0; }

void cp_warnings_clear(void)
{
    if (cp_warnings()) record.warnings = 0;
}

const char *cp_warning_string(cp_warning w)
{
    return w >= 0 && w < CP_NWARNINGS ? warnings[w].text : "unknown warning";
}

const char *cp_warning_category(cp_warning w)
{
    return w >= 0 && w < CP_NWARNINGS ? warnings[w].category : "RuntimeWarning";
}
