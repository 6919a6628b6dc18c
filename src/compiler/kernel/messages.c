/* What compilers print, made into messages about the user's source: see messages.h. */
#include "kernel/messages.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

enum { AROUND = 2, SHOWN = 5, RAW_LINES = 20, WIDEST = 160 };

/* FILE:LINE:COLUMN: error: TEXT (g++, clang++), FILE(LINE): error: TEXT (NVRTC). */
typedef struct report {
    const char *file, *text;
    int nfile, ntext, line;
} report;

static int length_of(const char *line) { return (int)strcspn(line, "\n"); }
static const char *next_line(const char *line)
{
    line += length_of(line);
    return line + (*line == '\n');
}

/* Skips digits backward from `end`; the number, or -1. */
static int number_before(const char *start, const char **end)
{
    const char *p = *end;
    while (p > start && isdigit((unsigned char)p[-1])) p--;
    if (p == *end) return -1;
    *end = p;
    return atoi(p);
}

/* The position that ends at `end` (behind its colon): FILE:LINE, FILE:LINE:COLUMN or FILE(LINE). */
static bool read_position(const char *start, const char *end, report *r)
{
    const char *p = end;
    if (p == start || p[-1] != ':') return false;
    p--;
    if (p > start && p[-1] == ')') {
        p--;
        r->line = number_before(start, &p);
        if (r->line < 0 || p == start || p[-1] != '(') return false;
    } else {
        r->line = number_before(start, &p);
        if (r->line < 0 || p == start || p[-1] != ':') return false;
        const char *before = p - 1;
        int line = number_before(start, &before);
        if (line >= 0 && before > start && before[-1] == ':') r->line = line, p = before;
    }
    r->file = start;
    r->nfile = (int)(p - 1 - start);
    return r->nfile > 0;
}

static bool read_report(const char *line, report *r)
{
    static const char *const words[] = {" fatal error: ", " catastrophic error: ", " error: "};
    int n = length_of(line);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = memmem(line, (size_t)n, words[i], strlen(words[i]));
        if (!at || !read_position(line, at, r)) continue;
        r->text = at + strlen(words[i]);
        r->ntext = (int)(line + n - r->text);
        return true;
    }
    return false;
}

/* --- files --- */

static bool ends_in(const report *r, const char *name)
{
    int n = (int)strlen(name);
    return r->nfile >= n && memcmp(r->file + r->nfile - n, name, (size_t)n) == 0;
}

/* The user's source, whatever it is called where the compiler runs. */
static bool is_users(const report *r) { return ends_in(r, "kernel.cu") || ends_in(r, "/kernel.cpp"); }

/* The user's line that a line of the output names besides errors ("required from here", "included from"); 0: none. */
static int line_named(const char *line)
{
    static const char *const names[] = {"kernel.cu:", "kernel.cpp:", "line "};
    int n = length_of(line);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = memmem(line, (size_t)n, names[i], strlen(names[i]));
        if (at && (i < 2 || memmem(line, (size_t)n, "kernel.cu", 9))) return atoi(at + strlen(names[i]));
    }
    return 0;
}

/* --- the source --- */

static const char *source_line(const char *source, int line)
{
    for (int i = 1; i < line && *source; i++) source = next_line(source);
    return *source ? source : NULL;
}

void cpi_put_excerpt(const char *source, int line, int caret, cpi_string *out)
{
    for (int i = line > AROUND ? line - AROUND : 1; i <= line + AROUND; i++) {
        const char *text = source_line(source, i);
        if (!text) break;
        int n = length_of(text);
        bool cut = n > WIDEST;
        cpi_string_printf(out, "\n%c %4d | %.*s%s", i == line ? '>' : ' ', i, cut ? WIDEST : n, text, cut ? "..." : "");
        if (i != line || caret < 0 || caret >= WIDEST) continue;
        cpi_string_printf(out, "\n       | ");
        for (int k = 0; k < caret; k++) cpi_string_add(out, k < n && text[k] == '\t' ? "\t" : " ", 1);
        cpi_string_add(out, "^", 1);
    }
}

/* The column at which the compiler's excerpt behind its report points, in the user's line; -1 where the line is not as
 * the user wrote it. */
static int caret_of(const char *report_line, const char *text)
{
    const char *shown = next_line(report_line), *below = next_line(shown);
    int indent = text ? (int)strspn(text, " \t") : 0, n = text ? length_of(text) - indent : 0;
    while (n && isspace((unsigned char)text[indent + n - 1])) n--;
    const char *at = n ? memmem(shown, (size_t)length_of(shown), text + indent, (size_t)n) : NULL;
    const char *mark = at ? memchr(below, '^', (size_t)length_of(below)) : NULL;
    int column = mark ? (int)(mark - below) - (int)(at - shown) : -1;
    return column >= 0 && column <= n ? column + indent : -1;
}

/* --- messages --- */

/* "foo.h: No such file or directory", "'foo.h' file not found", "could not open source file "foo.h"": the name. */
static bool missing_header(const report *r, const char **name, int *length)
{
    static const char gnu[] = ": No such file or directory", clang[] = "' file not found";
    static const char *const nvrtc[] = {"cannot open source file \"", "could not open source file \""};
    const char *end = memmem(r->text, (size_t)r->ntext, gnu, sizeof gnu - 1);
    *name = r->text;
    if (!end && r->ntext && *r->text == '\'') {
        end = memmem(r->text, (size_t)r->ntext, clang, sizeof clang - 1);
        *name = r->text + 1;
    }
    for (size_t i = 0; i < sizeof nvrtc / sizeof *nvrtc && !end; i++) {
        const char *at = memmem(r->text, (size_t)r->ntext, nvrtc[i], strlen(nvrtc[i]));
        if (!at) continue;
        *name = at + strlen(nvrtc[i]);
        end = memchr(*name, '"', (size_t)(r->text + r->ntext - *name));
    }
    *length = end ? (int)(end - *name) : 0;
    return *length > 0;
}

/* What compilers of the host say of what CUDA's refuse too. */
static const char *in_cuda(const report *r)
{
    static const char *const words[] = {"exception handling disabled", "with exceptions disabled",
                                        "requires '-frtti'", "without '-frtti'", "with -fno-rtti",
                                        "requires RTTI"};
    if (memmem(r->text, (size_t)r->ntext, "does not have a constant initializer", 36))
        return "dynamic initialization is not supported for a __device__ variable: its value must be a constant";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(r->text, (size_t)r->ntext, words[i], strlen(words[i])))
            return i < 2 ? "a kernel has no exceptions (throw, try, catch)"
                         : "a kernel has no information on types (typeid, dynamic_cast)";
    return NULL;
}

/* Names of the files that we gave the source in messages, as "kernel.cu". */
static void put_text(const char *text, int n, cpi_string *out)
{
    const char *end = text + n;
    for (const char *at; (at = memmem(text, (size_t)(end - text), "/kernel.cpp", 11)); text = at + 11) {
        const char *start = at;
        while (start > text && !strchr(" '\"(\n", start[-1])) start--;
        cpi_string_add(out, text, (size_t)(start - text));
        cpi_string_printf(out, "kernel.cu");
    }
    cpi_string_add(out, text, (size_t)(end - text));
}

/* `from`: the user's line that led to an error elsewhere, 0: not known. */
static void put_report(const report *r, const char *line, int from, const char *source, cpi_string *out)
{
    const char *name;
    int length, at = is_users(r) ? r->line : from;
    if (out->length) cpi_string_add(out, "\n", 1);
    if (at) cpi_string_printf(out, "kernel.cu:%d: error: ", at);
    else cpi_string_printf(out, "error: ");
    if (!is_users(r)) {
        int skip = r->nfile;
        while (skip > 0 && r->file[skip - 1] != '/') skip--;
        cpi_string_printf(out, "in %.*s, line %d: ", r->nfile - skip, r->file + skip, r->line);
    }
    if (missing_header(r, &name, &length))
        cpi_string_printf(out, "there is no header %.*s: its folder is given by an option -I (docs/guide/kernels.md "
                          "has the headers that are always there)", length, name);
    else if (in_cuda(r))
        cpi_string_printf(out, "%s", in_cuda(r));
    else
        put_text(r->text, r->ntext, out);
    if (at) cpi_put_excerpt(source, at, is_users(r) ? caret_of(line, source_line(source, at)) : -1, out);
}

/* The same error twice in one line is told once: templates repeat them. */
static bool told(const report *all, int n, const report *r)
{
    for (int i = 0; i < n; i++)
        if (all[i].line == r->line && all[i].ntext == r->ntext &&
            memcmp(all[i].text, r->text, (size_t)r->ntext) == 0)
            return true;
    return false;
}

static void put_raw(const char *output, cpi_string *out)
{
    const char *end = output;
    for (int i = 0; i < RAW_LINES && *end; i++) end = next_line(end);
    put_text(output, (int)(end - output), out);
    if (*end) cpi_string_printf(out, "...");
}

cp_code cpi_compiler_refuse(const char *output, const char *source)
{
    cpi_string text = {0};
    report seen[SHOWN], r;
    int shown = 0, more = 0, from = 0;
    for (const char *p = output; *p; p = next_line(p)) {
        if (!read_report(p, &r)) {
            int named = line_named(p);
            if (named && !memmem(p, (size_t)length_of(p), "note:", 5)) from = named;
            continue;
        }
        if (shown == SHOWN) more++;
        else if (!told(seen, shown, &r)) seen[shown++] = r, put_report(&r, p, from, source, &text);
        from = 0;
    }
    if (!shown) put_raw(output, &text);
    if (more) cpi_string_printf(&text, "\nand %d more", more);
    cp_code code = cpi_fail(CP_ERROR_COMPILE, "%s", text.at && *text.at ? text.at : "the source does not compile");
    cpi_string_free(&text);
    return code;
}
