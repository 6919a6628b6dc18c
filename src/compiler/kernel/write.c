/* Writing the C++ source of a CUDA program: see translate.h. Invariant: line n of the user's source is line n of ours,
 * counted from the #line directive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/normal_records.h"
#include "kernel/translate.h"

/* White space and comments between token i - 1 and token i. */
static void put_gap(const cpi_cu_program *p, int i, cpi_string *out)
{
    const cpi_token *w = &p->tokens.at[i], *before = w - 1;
    if (!i) return;
    cpi_string_add(out, before->text + before->length, (size_t)(w->text - before->text - before->length));
}

/* Newlines of what is left out, so that lines keep their numbers. */
static void put_newlines(const cpi_cu_program *p, int first, int last, cpi_string *out)
{
    const char *from = p->tokens.at[first].text, *to = p->tokens.at[last].text;
    for (const char *c = from; c < to; c++)
        if (*c == '\n') cpi_string_add(out, "\n", 1);
}

static bool is_specifier(const cpi_token *w)
{
    return cpi_token_is(w, "extern") || cpi_token_is(w, "static") || cpi_token_is(w, "volatile") ||
           cpi_token_is(w, "const") || cpi_token_is(w, "__shared__") || cpi_token_is(w, "__align__") ||
           cpi_token_is(w, "alignas");
}

/* The `__shared__` in the specifiers that begin at i, or -1. */
static int shared_at(const cpi_tokens *t, int i, int end)
{
    for (; i < end && is_specifier(&t->at[i]); i++) {
        if (cpi_token_is(&t->at[i], "__shared__")) return i;
        if (cpi_token_is(&t->at[i + 1], "(")) i = t->at[i + 1].match;
    }
    return -1;
}

static int statement_end(const cpi_tokens *t, int i)
{
    for (; i < t->n && !cpi_token_is(&t->at[i], ";"); i++)
        if (t->at[i].match > i) i = t->at[i].match;
    return i;
}

/* The tokens of a declaration without __shared__, extern, static and, where `name` >= 0, up to that name. */
static void put_type(const cpi_tokens *t, int first, int last, cpi_string *out)
{
    for (int i = first; i < last; i++) {
        const cpi_token *w = &t->at[i];
        if (cpi_token_is(w, "__shared__") || cpi_token_is(w, "extern") || cpi_token_is(w, "static")) continue;
        if (cpi_token_is(w, "__align__") || cpi_token_is(w, "alignas")) {
            i = t->at[i + 1].match;
            continue;
        }
        cpi_string_printf(out, "%.*s ", (int)w->length, w->text);
    }
}

bool cpi_cu_is_pointer(const cpi_tokens *t, int i)
{
    const cpi_token *w = &t->at[i];
    return cpi_token_is(w, "(") && w->match == i + 3 && w[2].kind == CPI_W_NAME &&
           (cpi_token_is(&w[1], "*") || cpi_token_is(&w[1], "&")) &&
           (cpi_token_is(&w[4], "[") || cpi_token_is(&w[4], "("));
}

int cpi_cu_declared_names(const cpi_tokens *t, int first, int end, int *names, int most)
{
    int n = 0, name = -1;
    bool done = false; /* behind [ or =, names are not declarators */
    for (int i = first; i <= end; i++) {
        const cpi_token *w = &t->at[i];
        if (cpi_token_is(w, ",") || i == end) {
            if (name >= 0 && n < most) names[n++] = name;
            name = -1, done = false;
        } else if (cpi_token_is(w, "[") || cpi_token_is(w, "=")) {
            done = true;
            if (w->match > i) i = w->match;
        } else if (w->match > i) {
            if (cpi_cu_is_pointer(t, i)) name = i + 2, done = true;
            i = w->match;
        } else if (cpi_token_is(w, "<") && t->at[i - 1].kind == CPI_W_NAME) {
            int behind = cpi_tokens_behind_angles(t, i, end);
            if (behind > 0) i = behind - 1;
        } else if (w->kind == CPI_W_NAME && !done) {
            name = i;
        }
    }
    return n;
}

/* The block around token i of function f: its {. */
static int block_of(const cpi_tokens *t, const cpi_cu_function *f, int i)
{
    int block = f->body;
    for (int k = f->body; k < i; k++)
        if (cpi_token_is(&t->at[k], "{") && t->at[k].match > i) block = k;
    return block;
}

/* The last __shared__ statement before i whose names are visible at i; -1 where there is none, -2 where the last one is
 * of a block that has ended, or lies apart for such a one. Statements are identified by their __shared__. */
static int shared_before(const cpi_tokens *t, const cpi_cu_function *f, int i)
{
    for (int k = i - 1; k > f->body; k--) {
        if (!cpi_token_is(&t->at[k], "__shared__")) continue;
        if (k && cpi_token_is(&t->at[k - 1], "extern")) continue;
        return t->at[block_of(t, f, k)].match > i && shared_before(t, f, k) != -2 ? k : -2;
    }
    return -1;
}

/* Whether a kernel's variables of static shared memory at token i lie in the arena. */
static bool in_arena(const cpi_cu_program *p, const cpi_cu_function *f, int i)
{
    return f && f->global && !p->reads_shown && shared_before(&p->tokens, f, i) != -2;
}

/* Static shared memory that is the worker's, as it runs one block after the other. */
static void put_apart(const cpi_cu_program *p, const cpi_cu_function *f, int first, int end, const int *names, int n,
                      cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    cpi_string_printf(out, "static __thread ");
    put_type(t, first, end, out);
    cpi_string_printf(out, "; ");
    for (int i = 0; i < n; i++)
        cpi_string_printf(out, "(void)&__cu_reserve_apart<%d, %d, sizeof(%.*s)>::reported; ",
                          f ? (int)(f - p->function) : p->nfunctions, names[i], (int)t->at[names[i]].length,
                          t->at[names[i]].text);
}

/* `__shared__ T a[4], b;` is a structure in the arena, and references to its members. `f`: NULL in methods, which are
 * counted together. */
static void put_shared(const cpi_cu_program *p, const cpi_cu_function *f, int first, int word, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    int end = statement_end(t, first), names[64];
    bool dynamic = false;
    for (int i = first; i < end && is_specifier(&t->at[i]); i++) dynamic = dynamic || cpi_token_is(&t->at[i], "extern");
    int n = cpi_cu_declared_names(t, first, end, names, 64);
    for (int i = 0; i < n; i++)
        if (cpi_token_is(&t->at[names[i] + 1], "=") || cpi_token_is(&t->at[names[i] + 1], "{"))
            cpi_string_printf(out, "static_assert(!sizeof(char), \"initializer not allowed for __shared__ "
                              "variable\"); ");
    if (dynamic && n == 1) {
        cpi_string_printf(out, "auto *const %.*s = (", (int)t->at[names[0]].length, t->at[names[0]].text);
        put_type(t, first, names[0], out);
        cpi_string_printf(out, "*)__ctx.dynamic;");
        return;
    }
    if (!in_arena(p, f, first)) {
        put_apart(p, f, first, end, names, n, out);
        return;
    }
    int before = shared_before(t, f, first);
    char behind[64] = "0";
    if (before >= 0) snprintf(behind, sizeof behind, "__cu_o%d + sizeof(__cu_s%d)", before, before);
    cpi_string_printf(out, "struct __cu_s%d { ", word);
    put_type(t, first, end, out);
    cpi_string_printf(out, "; }; constexpr unsigned __cu_o%d = __cu_up(%s, alignof(__cu_s%d)); "
                      "static_assert(__cu_o%d + sizeof(__cu_s%d) <= 49152, \"a block has 48 KiB of static shared "
                      "memory\"); __cu_s%d &__cu_r%d = *(__cu_s%d *)(__ctx.arena + __cu_o%d); ",
                      word, behind, word, word, word, word, word, word, word);
    cpi_string_printf(out, "(void)&__cu_reserve<%d, __cu_o%d + sizeof(__cu_s%d)>::reported; ", (int)(f - p->function),
                      word, word);
    for (int i = 0; i < n; i++)
        cpi_string_printf(out, "auto &%.*s = __cu_r%d.%.*s; ", (int)t->at[names[i]].length, t->at[names[i]].text, word,
                     (int)t->at[names[i]].length, t->at[names[i]].text);
}

/* --- shared memory that is declared at namespace scope --- */

static bool is_dynamic(const cpi_tokens *t, const cpi_cu_variable *v)
{
    for (int i = v->start; i < v->name; i++)
        if (cpi_token_is(&t->at[i], "extern")) return v->shared;
    return false;
}

/* Whether the name at k is declared there: `float *s = a`, `int s;`, `T &s,`. An array cannot be multiplied, so what
 * looks like a product is a pointer's declaration. */
static bool declares(const cpi_tokens *t, int k)
{
    static const char *const ends[] = {"=", ";", ",", ")", ":", NULL};
    static const char *const keywords[] = {"return", "else", "do", "case", "goto", "new", "delete", "sizeof", NULL};
    int before = k - 1;
    while (before > 0 && (cpi_token_is(&t->at[before], "*") || cpi_token_is(&t->at[before], "&"))) before--;
    if (before < 0 || t->at[before].kind != CPI_W_NAME || cpi_token_is_one_of(&t->at[before], keywords)) return false;
    return cpi_token_is_one_of(&t->at[k + 1], ends) ||
           (before == k - 1 && (cpi_token_is(&t->at[k + 1], "[") || cpi_token_is(&t->at[k + 1], "{")));
}

/* Whether the name at i means something else than the variable `v`: a member, a parameter, a local variable. */
static bool is_hidden(const cpi_tokens *t, const cpi_cu_variable *v, int i)
{
    static const char *const members[] = {".", "->", "::", NULL};
    return cpi_token_is_one_of(&t->at[i - 1], members) || cpi_tokens_declared(t, i, v->name + 1, declares);
}

/* The variable of dynamic shared memory that the name at i means. */
static const cpi_cu_variable *dynamic_variable(const cpi_cu_program *p, int i)
{
    const cpi_tokens *t = &p->tokens;
    for (const cpi_cu_variable *v = cpi_cu_variable_named(p, &t->at[i], 0); v;
         v = cpi_cu_variable_named(p, &t->at[i], (int)(v - p->variable) + 1))
        if (i > v->end && is_dynamic(t, v) && !is_hidden(t, v, i)) return v;
    return NULL;
}

/* Static shared memory is the worker's, as it runs one block after the other. */
static void put_shared_variable(const cpi_cu_program *p, const cpi_cu_variable *v, cpi_string *out)
{
    if (!is_dynamic(&p->tokens, v)) {
        cpi_string_printf(out, "static __thread ");
        put_type(&p->tokens, v->start, v->end, out);
    }
    put_newlines(p, v->start, v->end, out);
}

/* --- initialisers --- */

/* Whether the variable that is declared from token i on, up to its ; or value, may have none but a constant one. */
static bool is_fixed(const cpi_tokens *t, int i, int end)
{
    static const char *const others[] = {"constexpr", "extern", "thread_local", "typedef", "using", "template",
                                         "constinit", "__constinit", "__cu_constant", "asm", "__shared__", "operator",
                                         "friend", NULL};
    static const char *const attributes[] = {"__attribute__", "__align__", "alignas", "decltype", "__typeof__",
                                             NULL};
    static const char *const ends[] = {"=", ";", "[", "{", ",", NULL};
    for (; i < end && !cpi_token_is_one_of(&t->at[i], ends); i++) {
        if (cpi_token_is_one_of(&t->at[i], others) || t->at[i].kind == CPI_W_STRING) return false;
        if (cpi_token_is(&t->at[i], "<")) {
            int behind = cpi_tokens_behind_angles(t, i, end);
            if (behind < 0) return false;
            i = behind - 1;
        } else if (cpi_token_is(&t->at[i], "(")) {
            if (!cpi_token_is_one_of(&t->at[i - 1], attributes)) return false;
            i = t->at[i].match;
        }
    }
    return i < end;
}

/* Before a declaration of a device's memory at namespace scope, or a static one in a function. */
static void put_constant(const cpi_cu_program *p, const cpi_cu_function *f, int i, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    bool declared = f && i > f->body && cpi_token_is(&t->at[i], "static");
    for (int v = 0; !f && v < p->nvariables && !declared; v++)
        declared = p->variable[v].start == i && !cpi_cu_named(p, &t->at[p->variable[v].name], 0);
    if (declared && is_fixed(t, i, statement_end(t, i) + 1)) cpi_string_printf(out, "__cu_constant ");
}

/* --- lambdas --- */

/* Whether the shared variables that are declared at token i are references or pointers in the scope of token `at`. */
static bool is_captured(const cpi_cu_program *p, const cpi_cu_function *f, int begin, int i, int at)
{
    const cpi_tokens *t = &p->tokens;
    if (!cpi_token_is(&t->at[i], "__shared__")) return false;
    for (int k = begin; k < i; k++)
        if (cpi_token_is(&t->at[k], "{") && t->at[k].match > i && t->at[k].match < at) return false;
    bool dynamic = (i && cpi_token_is(&t->at[i - 1], "extern")) || cpi_token_is(&t->at[i + 1], "extern");
    return dynamic || in_arena(p, f, i);
}

/* Behind the [ of a lambda: in CUDA shared variables and a thread's indices need no capture; here they are references
 * and a parameter. `begin`: where the search for variables begins. */
static void put_captures(const cpi_cu_program *p, const cpi_cu_function *f, int begin, int open, int body,
                         cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    int close = t->at[open].match, end = t->at[body].match, names[64];
    bool first = cpi_token_is(&t->at[open + 1], "&"), by_default = first || cpi_token_is(&t->at[open + 1], "=");
    by_default = by_default && (open + 2 == close || cpi_token_is(&t->at[open + 2], ","));
    if (by_default && first) return;
    cpi_string more = {0};
    bool context = false;
    for (int i = body; i < end && f && !p->reads_shown; i++)
        context = context || cpi_cu_needs_context(&t->at[i]) || cpi_cu_called(p, f, i);
    if (context && !by_default) cpi_string_printf(&more, ", __ctx");
    for (int i = begin; i < open; i++) {
        if (!is_captured(p, f, begin, i, open)) continue;
        int n = cpi_cu_declared_names(t, i, statement_end(t, i), names, 64);
        for (int k = 0; k < n; k++) {
            int used = body;
            while (used < end && !cpi_token_same(&t->at[used], &t->at[names[k]])) used++;
            if (used < end) cpi_string_printf(&more, ", &%.*s", (int)t->at[names[k]].length, t->at[names[k]].text);
        }
    }
    if (more.length && by_default) cpi_string_printf(out, "=%s", more.at);
    else if (more.length) cpi_string_printf(out, "%s%s", more.at + 2, open + 1 == close ? "" : ", ");
    out->failed = out->failed || more.failed;
    cpi_string_free(&more);
}

/* Headers of ours that a preprocessor has skipped (tools/generate/kernel_sources.py explains how). */
static bool put_include(const cpi_token *w, cpi_string *out)
{
    static const char mark[] = "#pragma CUPRITE_INCLUDE ";
    if (w->length <= sizeof mark - 1 || memcmp(w->text, mark, sizeof mark - 1) != 0) return false;
    cpi_string_printf(out, "#include %.*s", (int)(w->length - sizeof mark + 1), w->text + sizeof mark - 1);
    return true;
}

/* The access of a record whose members kernels use: all are public. False: the word at i is something else. */
static bool put_access(const cpi_tokens *t, int i, cpi_string *out)
{
    const cpi_token *w = &t->at[i];
    if (cpi_token_is(w, "private") || cpi_token_is(w, "protected")) {
        cpi_string_printf(out, "public");
        return true;
    }
    static const char *const others[] = {"<", ",", "enum", NULL}; /* parameters of templates */
    static const char *const ends[] = {";", ")", ">", ",", "=", NULL};
    int k = i + 1;
    if (!cpi_token_is(w, "class") || (i && cpi_token_is_one_of(w - 1, others))) return false;
    while (k < t->n && !cpi_token_is(&t->at[k], "{") && !cpi_token_is(&t->at[k], ":") &&
           !cpi_token_is_one_of(&t->at[k], ends))
        k++;
    if (k == t->n || cpi_token_is_one_of(&t->at[k], ends)) return false;
    cpi_string_printf(out, "struct");
    return true;
}

/* What is behind the [ or the = at token i where it is a sum with a thread's index; the last token of it, or i. */
static int put_indices(cpi_cu_program *p, const cpi_cu_function *f, int i, int last, cpi_string *out)
{
    cpi_cu_sum sum;
    const int wide = cpi_cu_read_wide(p, f, i, last);
    if (wide <= 0 && !cpi_cu_read_sum(p, f, i, last, &sum)) return i;
    put_gap(p, i + 1, out);
    if (wide > 0) cpi_cu_put_wide(p, f, i, wide, out);
    else cpi_cu_put_sum(p, f, &sum, cpi_token_is(&p->tokens.at[i], "["), out);
    return (wide > 0 ? wide : sum.last) - 1;
}

void cpi_cu_copy(cpi_cu_program *p, const cpi_cu_function *f, int first, int last, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    int context_at = -1; /* the ( behind which a call gets the context */
    int lambda_end = -1; /* of a lambda: its } */
    for (int i = first; i < last; i++) {
        const cpi_token *w = &t->at[i];
        if (i > first) put_gap(p, i, out);
        if (p->nturns) cpi_cu_put_turn(p, i, out);
        int shared = is_specifier(w) ? shared_at(t, i, last) : -1;
        if (shared >= 0) {
            int end = statement_end(t, i);
            put_shared(p, f, i, shared, out);
            put_newlines(p, i, end, out);
            i = end;
            continue;
        }
        put_constant(p, f, i, out);
        int stepped = f && f->lockstep && i > f->body && i != p->plain ? cpi_cu_put_lockstep(p, f, i, out) : -1;
        if (stepped >= 0) {
            i = stepped - 1;
            continue;
        }
        const cpi_cu_variable *v = w->kind == CPI_W_NAME ? dynamic_variable(p, i) : NULL;
        if (v) {
            cpi_string_printf(out, "((");
            put_type(t, v->start, v->name, out);
            cpi_string_printf(out, "*)__ctx.dynamic)");
            continue;
        }
        if (w->kind == CPI_W_LINE && put_include(w, out)) continue;
        if (p->leaves && i > lambda_end && cpi_token_is(w, "return")) {
            cpi_string_printf(out, "{ __cu_alive[__cu_t] = 0; goto __cu_next%d; }", *p->leaves);
            i = statement_end(t, i);
            continue;
        }
        if (w->kind == CPI_W_NUMBER && cpi_cu_put_wide_number(w, out)) continue;
        if (p->opened && !f && put_access(t, i, out)) continue;
        cpi_string_add(out, w->text, w->length);
        int body = i && (!f || i > f->body) ? cpi_lambda_body(t, i) : -1;
        if (body >= 0) {
            if (t->at[body].match > lambda_end) lambda_end = t->at[body].match;
            size_t written = out->length;
            put_captures(p, f, f ? f->body : first, i, body, out);
            if (out->length > written && cpi_token_is(&t->at[i + 1], "=")) i++;
        }
        if (f && !p->reads_shown && cpi_cu_called(p, f, i)) {
            context_at = i + 1;
            if (!cpi_token_is(&t->at[i + 1], "(")) context_at = cpi_tokens_behind_angles(t, i + 1, t->n);
        }
        if (i == context_at) cpi_string_printf(out, cpi_token_is(&t->at[i + 1], ")") ? "__ctx" : "__ctx, ");
        if (p->sums) i = put_indices(p, f, i, last, out);
    }
}

/* --- the whole program --- */

/* ( becomes (const __cu_ctx __ctx, in the form with the parameter. */
static void put_head(cpi_cu_program *p, const cpi_cu_function *f, bool parameter, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    int close = t->at[f->open].match, last = f->body >= 0 ? f->body : f->end;
    for (int i = f->start; i < last; i++) {
        const cpi_token *w = &t->at[i];
        if (i > f->start) put_gap(p, i, out);
        if (i > f->open && i < close && close == f->open + 2 && cpi_token_is(w, "void")) continue; /* (void) */
        cpi_string_add(out, w->text, w->length);
        if (i != f->open || !parameter) continue;
        bool none = close == i + 1 || (close == i + 2 && cpi_token_is(&t->at[i + 1], "void"));
        cpi_string_printf(out, "const __cu_ctx%s%s", f->inner ? "" : " __ctx", none ? "" : ", ");
    }
}

/* The line of token i, and the file that it is in: that of the last line marker. */
static void put_line(const cpi_cu_program *p, int i, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    const char *file = "\"kernel.cu\"";
    int length = (int)strlen(file);
    for (int k = i - 1; k >= 0; k--) {
        const char *quote = t->at[k].kind == CPI_W_LINE ? memchr(t->at[k].text, '"', t->at[k].length) : NULL;
        if (!quote || t->at[k].text[1] != ' ') continue;
        file = quote, length = (int)strcspn(quote + 1, "\"\n") + 2;
        break;
    }
    cpi_string_printf(out, "\n#line %d %.*s\n", t->at[i].line, length, file);
}

/* A function, or its declaration, in the user's form. */
static void put_plain(cpi_cu_program *p, const cpi_cu_function *f, cpi_string *out)
{
    p->reads_shown = true;
    put_head(p, f, false, out);
    if (f->body >= 0) {
        put_gap(p, f->body, out);
        cpi_cu_copy(p, f, f->body, f->end, out);
    }
    p->reads_shown = false;
}

/* Whether the compiler reports an error in a line of the function. */
static bool blamed(const cpi_cu_program *p, const cpi_cu_function *f, const char *error)
{
    static const char mark[] = "kernel.cu:";
    int first = p->tokens.at[f->body].line, last = p->tokens.at[f->end - 1].line;
    for (const char *at = strstr(error, mark); at; at = strstr(at, mark)) {
        at += sizeof mark - 1;
        const char *reported = strstr(at, "error:"), *end = strchr(at, '\n');
        long line = strtol(at, NULL, 10);
        if (line >= first && line <= last && reported && (!end || reported < end)) return true;
    }
    return false;
}

/* The body of a kernel that is a loop over its threads. */
static void put_loop_body(cpi_cu_program *p, cpi_cu_function *f, cpi_string *out)
{
    cpi_cu_spans s;
    cpi_cu_find_spans(p, f, &s);
    int at = f->body;
    p->sums = !s.joined;
    for (int i = at; i < f->end; i++) p->sums = p->sums && cpi_lambda_body(&p->tokens, i) < 0;
    for (int i = 0; i < s.n; i++) {
        if (s.edit[i].at > at) {
            if (at > f->body) put_gap(p, at, out);
            cpi_cu_copy(p, f, at, s.edit[i].at, out);
            at = s.edit[i].at;
        }
        cpi_string_printf(out, " ");
        cpi_cu_put_edit(&s.edit[i], out);
    }
    if (at > f->body) put_gap(p, at, out);
    cpi_cu_copy(p, f, at, f->end, out);
    p->sums = false;
    const bool columns = cpi_cu_by_columns(p, f);
    f->spans = (uint8_t)((s.guarded ? __CU_GUARDED : 0) | (s.joined ? __CU_JOINS : 0) | (columns ? __CU_COLUMNS : 0));
}

/* The body of a kernel, in the fastest way that there is. `q`: the program in the form of normal.c, or NULL. */
static void put_kernel_body(cpi_cu_program *p, cpi_cu_program *q, cpi_cu_function *f, bool forced, cpi_string *out)
{
    cpi_cu_program *from = q && f->converted ? q : p; /* whose text the body is */
    const cpi_cu_function *body = &from->function[f - p->function];
    bool fibers = p->all_fibers || p->checked;
    if (f->overloaded || f->inner) forced = true; /* a table entry holds for all; no parameter is seen */
    if (body->barriers && !fibers && !body->apart && !f->lockstep && !f->turns && !forced &&
        cpi_cu_regions(from, body, NULL, out)) {
        f->tier = CPI_TIER_REGIONS;
        f->shown = body->shown;
        return;
    }
    fibers = fibers || f->apart;
    f->tier = fibers || f->barriers ? CPI_TIER_FIBERS : CPI_TIER_LOOP;
    bool joined = cpi_cu_joins_rounds(p, f), keeps = joined;
    if (f->tier == CPI_TIER_LOOP && !forced && cpi_cu_regions(p, f, joined ? &keeps : NULL, out)) {
        f->strides = true;
        f->spans = (uint8_t)(joined ? __CU_JOINS | (keeps ? __CU_KEEPS : 0) : 0);
        return;
    }
    if (f->tier == CPI_TIER_LOOP && !forced) {
        put_loop_body(p, f, out);
        return;
    }
    p->reads_shown = f->inner;
    cpi_cu_copy(p, f, f->body, f->end, out);
    p->reads_shown = false;
}

static void put_function(cpi_cu_program *p, cpi_cu_program *q, cpi_cu_function *f, bool forced, cpi_string *out)
{
    if (f->asked) { /* the ; is left */
        put_newlines(p, f->start, f->end - 1, out);
        return;
    }
    if (!f->global && !f->context) { /* what needs no context has its own text alone */
        put_plain(p, f, out);
        return;
    }
    if (f->plain) {
        put_plain(p, f, out);
        put_line(p, f->start, out);
    }
    put_head(p, f, true, out);
    if (f->body >= 0) {
        put_gap(p, f->body, out);
        if (f->global) put_kernel_body(p, q, f, forced, out);
        else cpi_cu_copy(p, f, f->body, f->end, out);
        if (f->shown) f->spans = (uint8_t)((f->spans & ~__CU_COLUMNS) | 8);
    }
    if (f->plain) put_line(p, f->end, out);
}

/* The program behind its headers. `named`: kernels that the compiler's messages, `error`, blame are forced into
 * fibers. */
static void put_source(cpi_cu_program *p, cpi_cu_program *q, const char *error, bool named, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    int at = 0, k = 0, v = 0;
    while (at < t->n) {
        if (k < p->nfunctions && at == p->function[k].start) {
            const cpi_cu_function *f = &p->function[k];
            put_function(p, q, &p->function[k],
                         error && (!named || (f->body >= 0 && blamed(p, f, error))), out);
            at = p->function[k++].end;
        } else if (v < p->nvariables && at == p->variable[v].start && p->variable[v].shared) {
            put_shared_variable(p, &p->variable[v], out);
            at = p->variable[v++].end;
        } else {
            int end = k < p->nfunctions ? p->function[k].start : t->n;
            while (v < p->nvariables && (!p->variable[v].shared || p->variable[v].start <= at)) v++;
            if (v < p->nvariables && p->variable[v].start < end) end = p->variable[v].start;
            cpi_cu_copy(p, NULL, at, end, out);
            at = end;
        }
        if (at < t->n) put_gap(p, at, out);
    }
}

/* The device headers, with what the source and the translated text, `body`, need of them. */
static void put_headers(const cpi_cu_program *p, const char *text, const char *body, cpi_string *out)
{
    cpi_string_printf(out, "#define __CU_KERNELS %d\n", p->nfunctions);
    cpi_cu_put_parts(text, out);
    cpi_cu_put_parts(body, out);
    if (p->checked) cpi_string_printf(out, "#define __CU_CHECK 1\n");
    if (p->hidden_context) cpi_string_printf(out, "#define __CU_HIDDEN 1\n");
    for (int i = 0; i < p->nfunctions; i++) {
        const cpi_token *w = &p->tokens.at[p->function[i].name];
        if (w->length > 6 && memcmp(w->text, "atomic", 6) == 0 && cpi_cu_needs_context(w)) {
            cpi_string_printf(out, "#define __CU_OWN_ATOMICS 1\n");
            break;
        }
    }
    if (strstr(body, "__CU_ROWS") || strstr(body, "__CU_THREAD") || strstr(body, "__cu_strides"))
        cpi_string_printf(out, "#define __CU_REGIONS 1\n");
    if (strstr(body, "__cu_meeting")) cpi_string_printf(out, "#define __CU_MEETINGS 1\n");
    cpi_string_printf(out, "#include \"cuprite_device.h\"\n#undef __CU_NO_MACROS\n");
}

void cpi_cu_write(cpi_cu_program *p, const char *text, int nnames, const char *const *names, const char *error,
                  cpi_string *out)
{
    bool named = false;
    for (int i = 0; error && i < p->nfunctions; i++)
        named = named || (p->function[i].global && p->function[i].body >= 0 &&
                          blamed(p, &p->function[i], error));
    const cpi_tokens *t = &p->tokens;
    cpi_cu_program q;
    cpi_string normal = {0}, body = {0};
    out->failed = out->failed || !cpi_cu_find_shown(p, nnames, names);
    bool rewritten = !p->all_fibers && !p->checked && cpi_cu_normal(p, text, nnames, names, &normal, &q);
    put_source(p, rewritten ? &q : NULL, error, named, &body);
    put_headers(p, text, body.at ? body.at : "", out);
    cpi_cu_put_own_constants(t, out);
    cpi_string_printf(out, "#line 1 \"kernel.cu\"\n");
    size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark is for first lines */
    cpi_string_add(out, text + mark, (size_t)(t->at[0].text - text) - mark);
    if (body.at) cpi_string_add(out, body.at, body.length);
    out->failed = out->failed || body.failed;
    cpi_cu_put_tables(p, rewritten ? &q : NULL, nnames, names, out);
    if (rewritten) cpi_cu_free(&q);
    cpi_string_free(&normal);
    cpi_string_free(&body);
}
