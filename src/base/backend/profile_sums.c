/* Sums of profiled calls, and their three views: a table, a report of waits, a trace.
 *
 * Invariant: a sum stands for all calls of one operation, function, place and kind on one device. */
#include "backend/profile_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/string.h"

typedef struct sum {
    cpi_profile_call of; /* seconds and bytes are added up */
    int64_t calls;
} sum;

typedef struct sums {
    sum *at;
    size_t n, capacity;
    bool short_of_memory; /* calls are missing */
} sums;

static sums kept;
static int64_t kept_calls;

static bool same(const cpi_profile_call *a, const cpi_profile_call *b)
{
    return a->operation == b->operation && a->function == b->function && a->place == b->place &&
           a->device == b->device && a->kind == b->kind;
}

static void add(sums *s, const cpi_profile_call *c, int64_t calls)
{
    size_t i = 0;
    while (i < s->n && !same(&s->at[i].of, c)) i++;
    if (i == s->n) {
        if (s->n == s->capacity) {
            const size_t more = s->capacity ? 2 * s->capacity : 64;
            sum *p = realloc(s->at, more * sizeof *p);
            if (!p) {
                s->short_of_memory = true;
                return;
            }
            s->at = p, s->capacity = more;
        }
        s->at[s->n++] = (sum){.of = *c, .calls = calls};
        return;
    }
    s->at[i].of.seconds += c->seconds;
    s->at[i].of.bytes += c->bytes;
    s->at[i].calls += calls;
}

void cpi_profile_add(const cpi_profile_call *c)
{
    add(&kept, c, 1);
    kept_calls++;
}

void cpi_profile_sums_clear(void)
{
    free(kept.at);
    kept = (sums){0};
    kept_calls = 0;
}

/* --- views --- */

static bool holds_up(const cpi_profile_call *c)
{
    return c->kind == CPI_PROFILE_TO_HOST || c->kind == CPI_PROFILE_WAIT || c->kind == CPI_PROFILE_ANSWER;
}

/* "add", or "gradient: subtract" of a function that is made of several operations. */
static void name_of(const cpi_profile_call *c, char *text, size_t bytes)
{
    const bool plain = !c->function || strcmp(c->function, c->operation) == 0 ||
                       strncmp(c->function, "elementwise", 11) == 0;
    if (plain) snprintf(text, bytes, "%s", c->operation);
    else snprintf(text, bytes, "%s: %s", c->function, c->operation);
}

static int by_seconds(const void *a, const void *b)
{
    const sum *p = a, *q = b;
    return (p->of.seconds < q->of.seconds) - (p->of.seconds > q->of.seconds);
}

static void write_table(cpi_string *t, const sums *s)
{
    char name[256];
    double seconds = 0;
    for (size_t i = 0; i < s->n; i++) seconds += s->at[i].of.seconds;
    cpi_string_printf(t, "%10s %12s %7s %12s %12s %9s  %-10s %s\n", "calls", "ms", "share", "us a call", "MB", "GB/s",
                      "device", "operation");
    for (size_t i = 0; i < s->n; i++) {
        const cpi_profile_call *c = &s->at[i].of;
        name_of(c, name, sizeof name);
        cpi_string_printf(t, "%10lld %12.3f %6.1f%% %12.2f ", (long long)s->at[i].calls, c->seconds * 1e3,
                          seconds > 0 ? 100 * c->seconds / seconds : 0, c->seconds * 1e6 / (double)s->at[i].calls);
        if (c->bytes) cpi_string_printf(t, "%12.3f %9.2f", (double)c->bytes * 1e-6,
                                        c->seconds > 0 ? (double)c->bytes / c->seconds * 1e-9 : 0);
        else cpi_string_printf(t, "%12s %9s", "-", "-");
        cpi_string_printf(t, "  %-10s %s\n", c->device->label, name);
    }
}

static void write_report(cpi_string *t, const sums *s)
{
    static const char *const words[] = {[CPI_PROFILE_ANSWER] = "waits for the result of ",
                                        [CPI_PROFILE_TO_HOST] = "copies to the host: ", [CPI_PROFILE_WAIT] = ""};
    char name[256];
    cpi_string_printf(t, "%10s %12s %12s  %-10s %s\n", "times", "ms", "MB", "device", "place");
    for (size_t i = 0; i < s->n; i++) {
        const cpi_profile_call *c = &s->at[i].of;
        if (!holds_up(c)) continue;
        name_of(c, name, sizeof name);
        cpi_string_printf(t, "%10lld %12.3f %12.3f  %-10s %s: %s%s\n", (long long)s->at[i].calls, c->seconds * 1e3,
                          (double)c->bytes * 1e-6, c->device->label, c->place ? c->place : "(an unknown place)",
                          words[c->kind], c->kind == CPI_PROFILE_TO_HOST && c->function ? c->function : name);
    }
}

static void write_quoted(cpi_string *t, const char *text)
{
    cpi_string_fill(t, '"', 1);
    for (const char *p = text; *p; p++) {
        if ((unsigned char)*p < ' ') cpi_string_printf(t, "\\u%04x", (unsigned)*p);
        else if (*p == '"' || *p == '\\') cpi_string_printf(t, "\\%c", *p);
        else cpi_string_add(t, p, 1);
    }
    cpi_string_fill(t, '"', 1);
}

/* Google's "Trace Event Format": complete events, "ph": "X". */
static void write_trace(cpi_string *t, int n, const cpi_profile_call *calls)
{
    static const char *const kinds[] = {[CPI_PROFILE_WORK] = "work", [CPI_PROFILE_ANSWER] = "work, awaited",
                                        [CPI_PROFILE_COPY] = "copy", [CPI_PROFILE_TO_HOST] = "copy to the host",
                                        [CPI_PROFILE_FROM_HOST] = "copy from the host", [CPI_PROFILE_WAIT] = "wait"};
    char name[256];
    cpi_string_printf(t, "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"calls that are not here\": %lld}, "
                      "\"traceEvents\": [", (long long)kept_calls);
    for (int i = 0; i < n; i++) {
        const cpi_profile_call *c = &calls[i];
        name_of(c, name, sizeof name);
        cpi_string_printf(t, "%s\n{\"name\": ", i ? "," : "");
        write_quoted(t, name);
        cpi_string_printf(t, ", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": ", kinds[c->kind],
                          c->begin * 1e6, c->seconds * 1e6);
        write_quoted(t, c->device->label);
        cpi_string_printf(t, ", \"tid\": %d, \"args\": {\"bytes\": %lld", c->thread, (long long)c->bytes);
        if (c->place) cpi_string_printf(t, ", \"place\": "), write_quoted(t, c->place);
        cpi_string_printf(t, "}}");
    }
    cpi_string_printf(t, "\n]}\n");
}

char *cpi_profile_write(cp_profile_view view, int n, const cpi_profile_call *calls)
{
    cpi_string t = {0};
    if (view == CP_PROFILE_TRACE) {
        write_trace(&t, n, calls);
    } else {
        sums all = {0};
        for (int64_t i = 0; i < (int64_t)kept.n + n; i++) {
            const bool one = i >= (int64_t)kept.n;
            cpi_profile_call c = one ? calls[i - (int64_t)kept.n] : kept.at[i].of;
            if (view == CP_PROFILE_TABLE) c.place = NULL;
            add(&all, &c, one ? 1 : kept.at[i].calls);
        }
        if (all.n) qsort(all.at, all.n, sizeof *all.at, by_seconds);
        (view == CP_PROFILE_TABLE ? write_table : write_report)(&t, &all);
        if (kept.short_of_memory || all.short_of_memory) cpi_string_printf(&t, "calls are missing: out of memory\n");
        free(all.at);
    }
    if (!t.failed) return t.at;
    cpi_string_free(&t);
    return NULL;
}
