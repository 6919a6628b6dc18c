/* The specifiers of shared variables in one order: extern, __shared__, then the type. Invariant: the lines stay. */
#include <stdlib.h>
#include <string.h>

#include "kernel/translate.h"

/* The first token of the declaration whose __shared__ is at i. */
static int begin_of(const cpi_tokens *t, int i)
{
    static const char *const stops[] = {";", "{", "}", ":", "(", ",", "__shared__", NULL};
    static const char *const heads[] = {"if", "for", "while", "switch", "else", "do", NULL};
    int begin = i;
    while (begin > 0) {
        const cpi_token *before = &t->at[begin - 1];
        if (before->kind == CPI_W_LINE || cpi_token_is_one_of(before, stops)) break;
        if (cpi_token_is_one_of(before, heads)) break;
        if (cpi_token_is(before, ")")) {
            int open = before->match;
            if (open < 1 || t->at[open - 1].kind != CPI_W_NAME || cpi_token_is_one_of(&t->at[open - 1], heads)) break;
            begin = open - 1;
        } else if (cpi_token_is(before, "]")) {
            begin = before->match;
        } else {
            begin--;
        }
    }
    return begin;
}

/* Writes the tokens of the declaration from `begin` to `last` in order, and the line ends between them. */
static void put_ordered(const cpi_tokens *t, int begin, int last, bool external, cpi_string *out)
{
    cpi_string_printf(out, "%s__shared__", external ? "extern " : "");
    for (int k = begin; k <= last; k++) {
        const cpi_token *w = &t->at[k];
        bool moved = cpi_token_is(w, "extern") || cpi_token_is(w, "static") || cpi_token_is(w, "__shared__");
        bool joined = k > begin && w[-1].text + w[-1].length == w->text; /* __align__(8) */
        if (!moved) cpi_string_printf(out, "%s%.*s", joined ? "" : " ", (int)w->length, w->text);
    }
    const char *from = t->at[begin].text, *to = t->at[last].text;
    for (const char *c = from; c < to; c++)
        if (*c == '\n') cpi_string_add(out, "\n", 1);
}

bool cpi_cu_order_specifiers(char **text)
{
    cpi_tokens t;
    bool unbalanced;
    cpi_string out = {0};
    if (!strstr(*text, "__shared__")) return true;
    if (!cpi_tokens_read(*text, &t, &unbalanced)) return unbalanced; /* the compiler reports it */
    const char *from = *text;
    for (int i = 0; i < t.n; i++) {
        if (!cpi_token_is(&t.at[i], "__shared__")) continue;
        int begin = begin_of(&t, i), last = i;
        bool external = false;
        for (int k = begin; k < t.n && (k < i || t.at[k].kind == CPI_W_NAME); k++) {
            bool moved = cpi_token_is(&t.at[k], "extern") || cpi_token_is(&t.at[k], "static");
            external = external || cpi_token_is(&t.at[k], "extern");
            if (moved && k > last) last = k;
        }
        if (last == i && (begin == i || (external && begin == i - 1))) continue; /* as they should be */
        cpi_string_add(&out, from, (size_t)(t.at[begin].text - from));
        put_ordered(&t, begin, last, external, &out);
        from = t.at[last].text + t.at[last].length;
        i = last;
    }
    cpi_tokens_free(&t);
    if (!out.at) return !out.failed;
    cpi_string_printf(&out, "%s", from);
    char *ordered = out.failed ? NULL : strdup(out.at);
    if (ordered) free(*text), *text = ordered;
    cpi_string_free(&out);
    return ordered != NULL;
}
