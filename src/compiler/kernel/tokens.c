/* Reading the tokens of C++ source: see tokens.h. */
#include "kernel/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some editors write a byte order mark */

typedef struct reader {
    const char *p;
    int line;
    bool fresh; /* nothing but white space on this line so far */
} reader;

static void skip_blank(reader *r)
{
    for (;;) {
        if (*r->p == '\n') {
            r->line++, r->p++, r->fresh = true;
        } else if (isspace((unsigned char)*r->p)) {
            r->p++;
        } else if (r->p[0] == '\\' && r->p[1] == '\n') {
            r->p += 2, r->line++;
        } else if (r->p[0] == '/' && r->p[1] == '/') {
            while (*r->p && *r->p != '\n') r->p += r->p[0] == '\\' && r->p[1] == '\n' ? (r->line++, 2) : 1;
        } else if (r->p[0] == '/' && r->p[1] == '*') {
            for (r->p += 2; *r->p && !(r->p[0] == '*' && r->p[1] == '/'); r->p++) r->line += *r->p == '\n';
            if (*r->p) r->p += 2;
        } else {
            return;
        }
    }
}

/* Behind the preprocessor line at p. */
static const char *line_end(const char *p, int *lines)
{
    while (*p && *p != '\n') {
        if (p[0] == '\\' && p[1] == '\n') {
            ++*lines, p += 2;
        } else if (p[0] == '/' && p[1] == '*') {
            for (p += 2; *p && !(p[0] == '*' && p[1] == '/'); p++) *lines += *p == '\n';
            if (*p) p += 2;
        } else {
            p++;
        }
    }
    return p;
}

static const char *text_end(const char *p)
{
    char quote = *p++;
    while (*p && *p != quote && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

/* Behind R"tag( ... )tag". */
static const char *raw_string_end(const char *p, int *lines)
{
    char close[20] = ")";
    size_t n = strcspn(p + 2, "(");
    if (n > 16 || !p[2 + n]) return text_end(p + 1);
    memcpy(close + 1, p + 2, n);
    strcpy(close + 1 + n, "\"");
    const char *end = strstr(p + 3 + n, close);
    end = end ? end + n + 2 : p + strlen(p);
    for (; p < end; p++) *lines += *p == '\n';
    return end;
}

static const char *number_end(const char *p)
{
    while (isalnum((unsigned char)*p) || *p == '.' || *p == '_' || (*p == '\'' && isalnum((unsigned char)p[1])) ||
           ((*p == '+' || *p == '-') && strchr("eEpP", p[-1])))
        p++;
    return p;
}

static const char *mark_end(const char *p)
{
    static const char *const marks[] = {"<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--",
                                        "<<",  ">>",  "<=",  ">=",  "==",  "!=", "&&", "||", "+=",
                                        "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "##"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(p, marks[i], strlen(marks[i])) == 0) return p + strlen(marks[i]);
    return p + 1;
}

static const char *word_end(reader *r, cpi_token *t)
{
    const char *p = r->p;
    if (*p == '#' && r->fresh) {
        t->kind = CPI_W_LINE;
        return line_end(p, &r->line);
    }
    if (isalpha((unsigned char)*p) || *p == '_' || *p == '$' || *p & 0x80) {
        t->kind = CPI_W_NAME;
        int prefix = (*p == 'L' || *p == 'U') ? 1 : *p == 'u' ? 1 + (p[1] == '8') : 0; /* LR"(...)", u8R"(...)" */
        if (p[prefix] == 'R' && p[prefix + 1] == '"') {
            t->kind = CPI_W_STRING;
            return raw_string_end(p + prefix, &r->line);
        }
        while (isalnum((unsigned char)*p) || *p == '_' || *p == '$' || *p & 0x80) p++;
        return p;
    }
    if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
        t->kind = CPI_W_NUMBER;
        return number_end(p);
    }
    if (*p == '"' || *p == '\'') {
        t->kind = CPI_W_STRING;
        return text_end(p);
    }
    t->kind = CPI_W_MARK;
    return mark_end(p);
}

/* The character that the digraph at p means; 0: none. */
static char digraph(const char *p)
{
    if (p[0] == '<' && p[1] == '%') return '{';
    if (p[0] == '%' && p[1] == '>') return '}';
    if (p[0] == '<' && p[1] == ':') return p[2] == ':' && p[3] != ':' && p[3] != '>' ? 0 : '['; /* a<::b> */
    return p[0] == ':' && p[1] == '>' ? ']' : p[0] == '%' && p[1] == ':' ? '#' : 0;
}

void cpi_tokens_plain(char *text)
{
    cpi_token t;
    reader r = {text, 1, true};
    for (skip_blank(&r); *r.p; skip_blank(&r)) {
        char mark = digraph(r.p);
        if (mark) {
            char *at = text + (r.p - text);
            at[0] = mark;
            at[1] = ' ';
            if (mark != '#') r.p += 2; /* a line of a preprocessor is read as one */
        } else {
            r.p = word_end(&r, &t);
        }
        r.fresh = r.fresh && mark == '#';
    }
}

/* `# 12 "file"` and `#line 12`: the next line has that number. */
static void follow_line_marker(reader *r, const cpi_token *t)
{
    const char *p = t->text + 1;
    while (*p == ' ' || *p == '\t') p++;
    if (strncmp(p, "line", 4) == 0) p += 4;
    while (*p == ' ' || *p == '\t') p++;
    if (isdigit((unsigned char)*p)) r->line = atoi(p) - 1;
}

static bool match_brackets(cpi_tokens *t)
{
    int open = -1; /* the innermost open bracket; each stores the one around it in `match` meanwhile */
    for (int i = 0; i < t->n; i++) {
        cpi_token *w = &t->at[i];
        if (w->kind != CPI_W_MARK || w->length != 1) continue;
        const char *which = strchr("([{)]}", *w->text);
        if (!which || !*w->text) continue;
        if (which[0] == '(' || which[0] == '[' || which[0] == '{') {
            w->match = open;
            open = i;
            continue;
        }
        char wanted = *w->text == ')' ? '(' : *w->text == ']' ? '[' : '{';
        if (open < 0 || *t->at[open].text != wanted) return false;
        w->match = open;
        int around = t->at[open].match;
        t->at[open].match = i;
        open = around;
    }
    return open < 0;
}

static uint32_t hash_of(const char *text, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

bool cpi_tokens_read(const char *text, cpi_tokens *t, bool *unbalanced)
{
    int capacity = 256;
    reader r = {strncmp(text, BYTE_ORDER_MARK, 3) == 0 ? text + 3 : text, 1, true};
    *unbalanced = false;
    *t = (cpi_tokens){cpi_malloc((size_t)capacity * sizeof *t->at), 0};
    while (t->at) {
        if (t->n + 1 >= capacity) {
            cpi_token *more = cpi_realloc(t->at, (size_t)(capacity *= 2) * sizeof *more);
            if (!more) break;
            t->at = more;
        }
        skip_blank(&r);
        cpi_token *w = &t->at[t->n];
        *w = (cpi_token){.kind = CPI_W_END, .text = r.p, .line = r.line, .match = -1};
        if (!*r.p) {
            *unbalanced = !match_brackets(t);
            if (*unbalanced) break;
            return true;
        }
        r.p = word_end(&r, w);
        w->length = (uint32_t)(r.p - w->text);
        w->hash = hash_of(w->text, w->length);
        r.fresh = false;
        if (w->kind == CPI_W_LINE) follow_line_marker(&r, w);
        t->n++;
    }
    cpi_tokens_free(t);
    return false;
}

void cpi_tokens_free(cpi_tokens *t)
{
    cpi_free_host(t->at);
    *t = (cpi_tokens){NULL, 0};
}

bool cpi_token_is_one_of(const cpi_token *t, const char *const *words)
{
    while (*words && !cpi_token_is(t, *words)) words++;
    return *words;
}

int cpi_tokens_behind_angles(const cpi_tokens *t, int i, int end)
{
    int depth = 0;
    for (; i < end; i++) {
        const cpi_token *w = &t->at[i];
        if (cpi_token_is(w, "<")) depth++;
        else if (cpi_token_is(w, ">")) depth--;
        else if (cpi_token_is(w, ">>")) depth -= 2;
        else if (cpi_token_is(w, ";") || cpi_token_is(w, "{")) return -1;
        else if (w->match > i) i = w->match;
        if (depth <= 0) return depth == 0 ? i + 1 : -1;
    }
    return -1;
}

bool cpi_tokens_declared(const cpi_tokens *t, int i, int first, bool (*declares)(const cpi_tokens *t, int k))
{
    static const char *const behind_head[] = {"const", "noexcept", "override", "mutable", NULL};
    for (int k = i; k >= first; k--) {
        const cpi_token *w = &t->at[k];
        if (cpi_token_same(w, &t->at[i]) && declares(t, k)) return true;
        if (w->match >= 0 && w->match < k) { /* skips scopes that have ended */
            k = w->match;
        } else if (cpi_token_is(w, "{")) {
            int head = k - 1;
            while (head > 0 && cpi_token_is_one_of(&t->at[head], behind_head)) head--;
            if (head < 0 || !cpi_token_is(&t->at[head], ")")) continue;
            for (int m = t->at[head].match; m < head; m++)
                if (cpi_token_same(&t->at[m], &t->at[i]) && declares(t, m)) return true;
        }
    }
    return false;
}
