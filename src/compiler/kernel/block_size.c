/* The size of the blocks that a kernel is written for, where its text names it: `blockIdx.x * 256 + threadIdx.x`.
 *
 * Launches with blocks of that size run a copy of the kernel in which the size is a constant (device/entry.h), so that
 * its loops over the threads are whole vectors. Invariant: a launch is compared with the size first, so what is found
 * here decides about speed alone. */
#include <stdlib.h>
#include <string.h>

#include "kernel/translate.h"

static bool is(const cpi_cu_program *p, int i, const char *text) { return cpi_token_is(&p->tokens.at[i], text); }

/* The decimal number in the text; 0: it is none, or more than a block may have. */
static unsigned number(const char *text, size_t length)
{
    char digits[8] = "";
    while (length && (text[length - 1] == 'u' || text[length - 1] == 'U')) length--;
    if (!length || length >= sizeof digits || *text == '0') return 0;
    memcpy(digits, text, length);
    if (strspn(digits, "0123456789") != length) return 0;
    const long value = strtol(digits, NULL, 10);
    return value <= 1024 ? (unsigned)value : 0;
}

/* The value of `#define NAME value` in the line; 0: it is another line. */
static unsigned defined_as(const cpi_token *line, const cpi_token *name)
{
    const char *at = line->text, *end = at + line->length;
    const size_t word = strlen("define");
    for (at++; at < end && (*at == ' ' || *at == '\t'); at++) {}
    if ((size_t)(end - at) < word + name->length + 2 || memcmp(at, "define", word) != 0) return 0;
    for (at += word; at < end && (*at == ' ' || *at == '\t'); at++) {}
    if ((size_t)(end - at) < name->length + 2 || memcmp(at, name->text, name->length) != 0) return 0;
    at += name->length;
    if (*at != ' ' && *at != '\t') return 0;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    return number(at, (size_t)(end - at));
}

/* What token i, a number or the name of one, is worth in the kernel; 0: not known. */
static unsigned value_of(const cpi_cu_program *p, int i)
{
    const cpi_token *w = &p->tokens.at[i];
    if (w->kind == CPI_W_NUMBER) return number(w->text, w->length);
    if (w->kind != CPI_W_NAME) return 0;
    for (int k = i - 1; k > 0; k--) {
        const cpi_token *t = &p->tokens.at[k];
        if (t->kind == CPI_W_LINE && defined_as(t, w)) return defined_as(t, w);
        if (cpi_token_same(t, w) && is(p, k + 1, "=") && is(p, k + 3, ";"))
            return number(p->tokens.at[k + 2].text, p->tokens.at[k + 2].length);
    }
    return 0;
}

/* What blockIdx.`axis` is multiplied by first; 0: by nothing that is known. */
static unsigned factor(const cpi_cu_program *p, const cpi_cu_function *f, const char *axis)
{
    for (int i = f->body + 2; i < f->end - 4; i++) {
        if (!is(p, i, "blockIdx") || !is(p, i + 1, ".") || !is(p, i + 2, axis)) continue;
        unsigned n = is(p, i + 3, "*") ? value_of(p, i + 4) : 0;
        if (!n && is(p, i - 1, "*")) n = value_of(p, i - 2);
        if (n) return n;
    }
    return 0;
}

/* The step of the counter that is added to threadIdx.`axis`, of tiles whose threads have several rows; 0: none is. */
static unsigned step(const cpi_cu_program *p, const cpi_cu_function *f, const char *axis)
{
    for (int i = f->body + 1; i < f->end - 6; i++) {
        if (!is(p, i, "threadIdx") || !is(p, i + 2, axis) || !is(p, i + 3, "+")) continue;
        for (int k = f->body + 1; k < f->end - 6; k++)
            if (cpi_token_same(&p->tokens.at[k], &p->tokens.at[i + 4]) && is(p, k + 1, "+=")) return value_of(p, k + 2);
    }
    return 0;
}

static bool names(const cpi_cu_program *p, const cpi_cu_function *f, const char *axis)
{
    for (int i = f->body + 1; i < f->end - 3; i++)
        if (is(p, i, "threadIdx") && is(p, i + 1, ".") && is(p, i + 2, axis)) return true;
    return false;
}

void cpi_cu_block_size(const cpi_cu_program *p, const cpi_cu_function *f, unsigned size[3])
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        size[k] = k && !names(p, f, axes[k]) ? 1 : factor(p, f, axes[k]);
        const unsigned part = size[k] > 1 ? step(p, f, axes[k]) : 0;
        if (part && size[k] % part == 0) size[k] = part;
    }
    if (!size[1] || !size[2] || size[0] * size[1] * size[2] > 1024) size[0] = 0;
}
