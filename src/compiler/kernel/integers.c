/* Integers of a program: types of its own that have names which the device headers give to others, and literals of more
 * than 64 bits. NVRTC knows no <stdint.h>, so programs write `typedef unsigned long long uint64_t;`. */
#include <ctype.h>
#include <string.h>

#include "core/error.h"
#include "kernel/translate.h"

/* --- types --- */

/* What the device headers define: a definition of the same type is no conflict. */
static const char *const types[][4] = {
    {"int8_t", "signed char"}, {"uint8_t", "unsigned char"},
    {"int16_t", "short", "short int", "signed short"}, {"uint16_t", "unsigned short", "unsigned short int"},
    {"int32_t", "int", "signed int", "signed"}, {"uint32_t", "unsigned int", "unsigned"},
    {"int64_t", "long", "long int", "signed long"}, {"uint64_t", "unsigned long", "unsigned long int"},
    {"intptr_t", "long", "long int"}, {"uintptr_t", "unsigned long", "unsigned long int"},
    {"intmax_t", "long", "long int"}, {"uintmax_t", "unsigned long", "unsigned long int"},
    {"int_least8_t", "signed char"}, {"uint_least8_t", "unsigned char"},
    {"int_least16_t", "short", "short int"}, {"uint_least16_t", "unsigned short", "unsigned short int"},
    {"int_least32_t", "int"}, {"uint_least32_t", "unsigned int", "unsigned"},
    {"int_least64_t", "long", "long int"}, {"uint_least64_t", "unsigned long", "unsigned long int"},
    {"int_fast8_t", "signed char"}, {"uint_fast8_t", "unsigned char"},
    {"int_fast16_t", "long", "long int"}, {"uint_fast16_t", "unsigned long", "unsigned long int"},
    {"int_fast32_t", "long", "long int"}, {"uint_fast32_t", "unsigned long", "unsigned long int"},
    {"int_fast64_t", "long", "long int"}, {"uint_fast64_t", "unsigned long", "unsigned long int"},
    {"uchar", "unsigned char"}, {"ushort", "unsigned short", "unsigned short int"},
    {"uint", "unsigned int", "unsigned"}, {"ulong", "unsigned long", "unsigned long int"},
    {"longlong", "long long", "long long int"}, {"ulonglong", "unsigned long long", "unsigned long long int"}};
enum { NTYPES = sizeof types / sizeof *types };

static int type_at(const cpi_token *w)
{
    for (int k = 0; k < NTYPES && w->kind == CPI_W_NAME; k++)
        if (cpi_token_is(w, types[k][0])) return k;
    return -1;
}

/* Whether the tokens first to last - 1 are the type that the headers have. */
static bool is_ours(const cpi_tokens *t, int first, int last, int type)
{
    char words[64];
    size_t n = 0;
    for (int i = first; i < last; i++) {
        if (n + t->at[i].length + 2 > sizeof words) return false;
        if (n) words[n++] = ' ';
        memcpy(words + n, t->at[i].text, t->at[i].length);
        n += t->at[i].length;
    }
    words[n] = 0;
    for (int k = 1; k < 4 && types[type][k]; k++)
        if (strcmp(words, types[type][k]) == 0) return true;
    return false;
}

/* Whether the { at i belongs to a namespace or to extern "C". */
static bool opens_namespace(const cpi_tokens *t, int i)
{
    for (int k = i - 1; k >= 0 && (t->at[k].kind == CPI_W_NAME || cpi_token_is(&t->at[k], "::") ||
                                   t->at[k].kind == CPI_W_STRING); k--)
        if (cpi_token_is(&t->at[k], "namespace") || t->at[k].kind == CPI_W_STRING) return true;
    return false;
}

/* Marks the types that are defined at namespace scope otherwise than ours. */
static bool find_types(const cpi_tokens *t, bool *own)
{
    bool any = false;
    for (int i = 0; i < t->n; i++) {
        int type = -1, first = i + 1, last = i;
        if (cpi_token_is(&t->at[i], "{") && !opens_namespace(t, i)) i = t->at[i].match;
        if (cpi_token_is(&t->at[i], "typedef")) {
            while (last < t->n && !cpi_token_is(&t->at[last], ";") && !cpi_token_is(&t->at[last], "{")) last++;
            type = type_at(&t->at[--last]);
        } else if (cpi_token_is(&t->at[i], "using") && cpi_token_is(&t->at[i + 2], "=")) {
            type = type_at(&t->at[i + 1]);
            for (first = last = i + 3; last < t->n && !cpi_token_is(&t->at[last], ";");) last++;
        } else if (i && t->at[i - 1].kind == CPI_W_NAME && cpi_token_is(&t->at[i + 1], "{") &&
                   (cpi_token_is(&t->at[i - 1], "struct") || cpi_token_is(&t->at[i - 1], "class"))) {
            type = type_at(&t->at[i]);
            first = last; /* none of ours is a record */
        }
        if (type < 0 || is_ours(t, first, last, type)) continue;
        own[type] = any = true;
    }
    return any;
}

bool cpi_cu_rename_types(char *text)
{
    cpi_tokens t;
    bool unbalanced, own[NTYPES] = {false};
    if (!strstr(text, "typedef") && !strstr(text, "using") && !strstr(text, "struct")) return true;
    if (!cpi_tokens_read(text, &t, &unbalanced)) return unbalanced; /* the compiler reports it */
    bool any = find_types(&t, own);
    for (int i = 0; any && i < t.n; i++) {
        int type = type_at(&t.at[i]);
        bool qualified = i > 1 && cpi_token_is(&t.at[i - 1], "::") && cpi_token_is(&t.at[i - 2], "std");
        if (type >= 0 && own[type] && !qualified) t.at[i].line = -1; /* found first: letters that change are compared */
    }
    for (int i = 0; any && i < t.n; i++)
        if (t.at[i].line < 0) text[t.at[i].text + t.at[i].length - 1 - text] = '$';
    cpi_tokens_free(&t);
    return true;
}

void cpi_cu_put_renamed(const cpi_tokens *t, cpi_string *out)
{
    bool put[NTYPES] = {false};
    for (int i = 0; i < t->n; i++) {
        const cpi_token *w = &t->at[i];
        if (w->kind != CPI_W_NAME || w->text[w->length - 1] != '$') continue;
        for (int k = 0; k < NTYPES; k++) {
            if (put[k] || strlen(types[k][0]) != w->length || memcmp(types[k][0], w->text, w->length - 1) != 0)
                continue;
            put[k] = true;
            cpi_string_printf(out, "#define %s %.*s\n", types[k][0], (int)w->length, w->text);
        }
    }
}

/* --- literals --- */

/* The value of an integer literal; 1: it has at most 64 bits, or is none, 2: at most 128, 3: more. */
static int read_number(const cpi_token *w, unsigned __int128 *value)
{
    unsigned base = 10;
    uint32_t i = 0;
    bool large = false;
    if (w->kind != CPI_W_NUMBER || w->length < 16) return 1;
    if (w->text[0] == '0') {
        char mark = (char)tolower((unsigned char)w->text[1]);
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        i = base == 8 ? 1 : 2;
    }
    for (*value = 0; i < w->length; i++) {
        char c = (char)tolower((unsigned char)w->text[i]);
        if (c == '\'') continue;
        if (c == '.' || (base == 10 && c == 'e') || (base == 16 && c == 'p')) return 1; /* a real number */
        unsigned digit = isdigit((unsigned char)c) ? (unsigned)(c - '0') : base == 16 && c >= 'a' && c <= 'f'
                         ? (unsigned)(c - 'a' + 10) : base;
        if (digit >= base) break; /* a suffix, or what the compiler reports */
        large = large || *value > (~(unsigned __int128)0 - digit) / base;
        *value = *value * base + digit;
    }
    for (uint32_t k = i; k < w->length; k++)
        if (!strchr("uUlL", w->text[k])) return 1;
    return large ? 3 : *value >> 64 ? 2 : 1;
}

bool cpi_cu_put_wide_number(const cpi_token *w, cpi_string *out)
{
    unsigned __int128 v;
    if (read_number(w, &v) != 2) return false;
    cpi_string_printf(out, "((%s__int128)((unsigned __int128)%lluull << 64 | %lluull))", v >> 127 ? "unsigned " : "",
                      (unsigned long long)(v >> 64), (unsigned long long)v);
    return true;
}

int cpi_cu_too_large(const cpi_tokens *t)
{
    unsigned __int128 v;
    for (int i = 0; i < t->n; i++)
        if (read_number(&t->at[i], &v) == 3) return t->at[i].line;
    return 0;
}
