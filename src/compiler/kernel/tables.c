/* The tables behind the C++ source of a CUDA program: its kernels, the requested instances, its variables, and the
 * static shared memory of kernels. Invariant: the entries of a kernel (its tier, how it is called) are those of the
 * body that the expression beside it means. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/translate.h"

/* The type T of `static_cast<T>(f)` or `(T)f`, and the name f behind it; false where the expression is no such cast. */
typedef struct cast { const char *type, *name; size_t ntype, nname; } cast;
static bool read_cast(const char *expression, cast *c)
{
    static const char word[] = "static_cast";
    const char *p = expression + strspn(expression, " ");
    bool angles = strncmp(p, word, sizeof word - 1) == 0;
    if (angles) p += sizeof word - 1, p += strspn(p, " ");
    if (*p != (angles ? '<' : '(')) return false;
    int round = 0, angle = 0;
    c->type = p + 1;
    do round += (*p == '(') - (*p == ')'), angle += !round || angles ? (*p == '<') - (*p == '>' && p[-1] != '-') : 0;
    while (*p && p++ && (round || (angles && angle)));
    if (!*p) return false;
    c->ntype = (size_t)(p - 1 - c->type);
    c->name = p + strspn(p, " (&");
    c->nname = strlen(c->name);
    while (c->nname && (c->name[c->nname - 1] == ')' || c->name[c->nname - 1] == ' ')) c->nname--;
    return c->nname > 0;
}

/* The expression with the hidden parameter added to the type. */
static void put_expression(const char *name, cpi_string *out)
{
    cast c;
    if (read_cast(name, &c))
        cpi_string_printf(out, "(static_cast<__cu_kernel_type<%.*s>::type>(&%.*s))", (int)c.ntype, c.type,
                          (int)c.nname, c.name);
    else cpi_string_printf(out, "&%s", name + strspn(name, " &"));
}

/* The function f of an instance "space::f<int>"; NULL where there is none. */
static const cpi_cu_function *instance(const cpi_cu_program *p, const char *name)
{
    char inner[1024];
    cast c;
    if (read_cast(name, &c)) {
        snprintf(inner, sizeof inner, "%.*s", (int)c.nname, c.name);
        name = inner;
    }
    size_t n = strcspn(name, "<"), from;
    while (n && name[n - 1] == ' ') n--;
    for (from = n; from && name[from - 1] != ':' && name[from - 1] != ' ' && name[from - 1] != '&'; from--) {}
    size_t qualified = from; /* where the name with its namespaces begins */
    while (qualified && name[qualified - 1] != ' ' && name[qualified - 1] != '&') qualified--;
    if (strncmp(name + qualified, "::", 2) == 0) qualified += 2;
    const cpi_cu_function *found = NULL;
    for (int k = 0; k < p->nfunctions; k++) {
        const cpi_cu_function *f = &p->function[k];
        const cpi_token *w = &p->tokens.at[f->name];
        if (!f->global || f->body < 0 || w->length != n - from || memcmp(w->text, name + from, n - from) != 0) continue;
        const char *scope = p->scopes.at + f->scope;
        if (strlen(scope) == from - qualified && memcmp(scope, name + qualified, from - qualified) == 0) return f;
        if (!found) found = f; /* named in other ways: using */
    }
    return found;
}

static void put_text(const char *text, cpi_string *out)
{
    cpi_string_printf(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') cpi_string_printf(out, "\\");
        cpi_string_add(out, text, 1);
    }
    cpi_string_printf(out, "\"");
}

/* Behind a default value that begins at token i: the comma or the end of the parameters. */
static int behind_value(const cpi_tokens *t, int i, int close)
{
    for (; i < close && !cpi_token_is(&t->at[i], ","); i++) {
        int behind = cpi_token_is(&t->at[i], "<") ? cpi_tokens_behind_angles(t, i, close) : -1;
        if (behind > 0) i = behind - 1;
        else if (t->at[i].match > i) i = t->at[i].match;
    }
    return i;
}

/* The parameters' names, with commas between; a name that cannot be determined is left out. */
static void put_parameters(const cpi_tokens *t, const cpi_cu_function *f, cpi_string *out)
{
    int close = t->at[f->open].match, name = -1;
    bool done = false; /* behind [ or =, names are not declarators */
    for (int i = f->open + 1; i <= close; i++) {
        const cpi_token *w = &t->at[i];
        if (i == close || cpi_token_is(w, ",")) {
            if (name >= 0) cpi_string_add(out, t->at[name].text, t->at[name].length);
            if (i < close) cpi_string_printf(out, ",");
            name = -1, done = false;
        } else if (cpi_token_is(w, "=") || cpi_token_is(w, "[")) {
            done = true;
        } else if (w->kind == CPI_W_NAME && !done) {
            name = i;
        }
        if (cpi_token_is(w, "<") && cpi_tokens_behind_angles(t, i, close) > 0)
            i = cpi_tokens_behind_angles(t, i, close) - 1;
        else if (i < close && w->match > i)
            i = w->match;
    }
}

static void put_kernel(const cpi_cu_program *p, const cpi_cu_function *f, const char *name, const char *expression,
                       bool mangled, cpi_string *out)
{
    static const char *const tiers[] = {"loop", "regions", "fibers"};
    char calls[48] = "nullptr", of[48];
    if (f->calls) snprintf(calls, sizeof calls, "__cu_calls%d", (int)(f - p->function));
    unsigned size[3] = {0};
    if (f->tier == CPI_TIER_REGIONS) cpi_cu_block_size(p, f, size);
    cpi_string_printf(out, "    {");
    put_text(name, out);
    const int k = (int)(f - p->function), spans = f->spans | (f->strides ? __CU_STRIDES : 0);
    snprintf(of, sizeof of, size[0] ? "%d, %u, %u, %u" : "%d", f->spans, size[0], size[1], size[2]);
    cpi_string_printf(out, ", %d, __cu_entry<%s, %s>::nargs, __cu_entry<%s, %s>::sizes, "
                      "(void *)__cu_entry<%s, %s>::%s, \"", (int)f->tier, expression, of, expression, of,
                      expression, of, tiers[f->strides ? CPI_TIER_REGIONS : f->tier]);
    put_parameters(&p->tokens, f, out);
    cpi_string_printf(out, "\", __cu_entry<%s, %s>::elements, &__cu_shared_sizes[%d], &__cu_shared_apart[%d], %s, "
                      "__cu_entry<%s, %s>::kinds, __CU_SPANS(%d), ", expression, of, k, k, calls, expression, of,
                      spans);
    if (spans & __CU_GUARDED) cpi_string_printf(out, "__cu_entry<%s, %s>::asked", expression, of);
    else cpi_string_printf(out, "nullptr");
    cpi_string_printf(out, ", %d, %d},\n", p->nturns > 0, mangled);
}

/* The record around token i of a method, or -1. */
static int record_of(const cpi_tokens *t, int i)
{
    for (int k = i; k > 0; k--) {
        if (t->at[k].match >= 0 && t->at[k].match < k) k = t->at[k].match;
        else if (cpi_token_is(&t->at[k], "{"))
            for (int h = k - 1; h >= 0 && t->at[h].match < 0 && !cpi_token_is(&t->at[h], ";"); h--)
                if (cpi_token_is(&t->at[h], "struct") || cpi_token_is(&t->at[h], "class")) return h + 1;
    }
    return -1;
}

/* The records whose methods have shared variables: their names, at most `most`. */
static int records_that_share(const cpi_cu_program *p, int *names, int most)
{
    const cpi_tokens *t = &p->tokens;
    int n = 0, k = 0;
    for (int i = 0; i < t->n && n < most; i++) {
        while (k < p->nfunctions && p->function[k].end <= i) k++;
        bool inside = k < p->nfunctions && i >= p->function[k].start;
        int record = !inside && cpi_token_is(&t->at[i], "__shared__") ? record_of(t, i) : -1;
        if (record >= 0) names[n++] = record;
    }
    return n;
}

/* Marks what function k uses: functions with shared variables, and, behind all functions, methods. `text`: the program
 * in which its body is read. `stack`: place for all functions. */
static void mark_used(const cpi_cu_program *p, const cpi_cu_program *text, int k, const int *records, int nrecords,
                      bool *used, int *stack)
{
    int top = 0;
    used[stack[top++] = k] = true;
    while (top) {
        const cpi_cu_function *f = &text->function[stack[--top]];
        for (int i = f->open; i < f->end; i++) {
            const cpi_token *w = &text->tokens.at[i];
            if (w->kind != CPI_W_NAME) continue;
            for (int r = 0; r < nrecords; r++) used[p->nfunctions] |= cpi_token_same(w, &p->tokens.at[records[r]]);
            for (cpi_cu_function *g = cpi_cu_named(p, w, 0); g; g = cpi_cu_named(p, w, (int)(g - p->function) + 1))
                if (!used[g - p->function] && g->body >= 0) used[stack[top++] = (int)(g - p->function)] = true;
        }
        text = p;
    }
}

/* Whose shared variables count for a kernel's size besides its own; those of functions that are inlined in the form of
 * normal.c are its own. */
static void put_calls(cpi_cu_program *p, const cpi_cu_program *q, cpi_string *out)
{
    int records[16], nrecords = records_that_share(p, records, 16);
    bool any = nrecords > 0, *used = NULL;
    for (int k = 0; k < p->nfunctions && !any; k++)
        for (int i = p->function[k].body; i > 0 && i < p->function[k].end && !p->function[k].global && !any; i++)
            any = cpi_token_is(&p->tokens.at[i], "__shared__");
    int *stack = any ? cpi_malloc((size_t)p->nfunctions * sizeof *stack) : NULL;
    if (stack) used = cpi_malloc((size_t)p->nfunctions + 1);
    if (any && !used) out->failed = true;
    for (int k = 0; used && k < p->nfunctions; k++) {
        if (!p->function[k].global || p->function[k].body < 0) continue;
        memset(used, 0, (size_t)p->nfunctions + 1);
        bool inlined = q && p->function[k].tier == CPI_TIER_REGIONS; /* methods that wait too */
        mark_used(p, inlined ? q : p, k, records, inlined ? 0 : nrecords, used, stack);
        p->function[k].calls = true;
        cpi_string_printf(out, "static const int __cu_calls%d[] = {", k);
        for (int g = 0; g <= p->nfunctions; g++)
            if (used[g] && g != k) cpi_string_printf(out, "%d, ", g - k);
        cpi_string_printf(out, "0};\n");
    }
    cpi_free_host(used);
    cpi_free_host(stack);
}

/* Kernels that are in the table without being asked for. */
static bool is_listed(const cpi_cu_function *f)
{
    return f->global && !f->templated && f->body >= 0 && (!f->overloaded || !f->linked);
}

/* The parameters without their default values. */
static void put_types(const cpi_cu_program *p, const cpi_cu_function *f, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    const int close = t->at[f->open].match;
    for (int i = f->open + 1; i < close; i++) {
        if (cpi_token_is(&t->at[i], "=")) {
            i = behind_value(t, i, close) - 1;
            continue;
        }
        cpi_string_printf(out, "%.*s ", (int)t->at[i].length, t->at[i].text);
    }
}

/* The namespaces of f, opened; how many. */
static int open_scope(const cpi_cu_program *p, const cpi_cu_function *f, cpi_string *out)
{
    const char *scope = p->scopes.at + f->scope;
    int depth = 0;
    for (const char *end; (end = strstr(scope, "::")); scope = end + 2, depth++)
        cpi_string_printf(out, "namespace %.*s { ", (int)(end - scope), scope);
    return depth;
}

/* The types of kernels whose name others have, which are named in their namespaces. */
static void put_overloads(const cpi_cu_program *p, cpi_string *out)
{
    for (int k = 0; k < p->nfunctions; k++) {
        const cpi_cu_function *f = &p->function[k];
        if (!is_listed(f) || !f->overloaded) continue;
        int depth = open_scope(p, f, out);
        cpi_string_printf(out, "typedef void (*__cu_overload%d)(", k);
        put_types(p, f, out);
        cpi_string_printf(out, ");");
        cpi_string_fill(out, '}', depth);
        cpi_string_printf(out, "\n");
    }
}

/* A kernel with the name of others, by the types of its parameters. */
static void put_overloaded(const cpi_cu_program *p, const cpi_cu_function *f, const char *name, cpi_string *out)
{
    cpi_string label = {0}, expression = {0};
    cpi_string_printf(&label, "%s(", name + 1);
    put_types(p, f, &label);
    cpi_string_printf(&label, ")");
    cpi_string_printf(&expression, "(static_cast<__cu_kernel_type<%s__cu_overload%d>::type>(%s))",
                      p->scopes.at + f->scope, (int)(f - p->function), name);
    out->failed = out->failed || label.failed || expression.failed;
    if (!out->failed) put_kernel(p, f, label.at, expression.at, true, out);
    cpi_string_free(&label);
    cpi_string_free(&expression);
}

/* Functions that have the mangled names of kernels, since their parameters are the user's; each returns the kernel's
 * place in the table. */
static void put_mangled(const cpi_cu_program *p, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    for (int k = 0, place = 0; k < p->nfunctions; k++) {
        const cpi_cu_function *f = &p->function[k];
        if (!is_listed(f)) continue;
        if (!f->linked) {
            int depth = open_scope(p, f, out);
            cpi_string_printf(out, "__attribute__((visibility(\"default\"), used)) int %.*s(",
                              (int)t->at[f->name].length, t->at[f->name].text);
            put_types(p, f, out);
            cpi_string_printf(out, ") { return %d; }", place);
            cpi_string_fill(out, '}', depth);
            cpi_string_printf(out, "\n");
        }
        place++;
    }
}

void cpi_cu_put_tables(cpi_cu_program *p, const cpi_cu_program *q, int nnames, const char *const *names,
                       cpi_string *out)
{
    char name[1024];
    cpi_string_printf(out, "\n#line 1 \"the table of kernels\"\n");
    cpi_cu_put_renamed(&p->tokens, out);
    put_calls(p, q, out);
    put_overloads(p, out);
    cpi_string_printf(out,
                   "\n#undef nargs\n#undef sizes\n#undef elements\n#undef kinds\n#undef loop\n#undef regions\n"
                   "#undef fibers"
                   "\n#line 1 \"the table of kernels\"\nextern \"C\" __attribute__((visibility(\"default\"))) const "
                   "__cu_kernel __cu_kernels[] = {\n");
    for (int k = 0; k < p->nfunctions; k++) {
        const cpi_cu_function *f = &p->function[k];
        if (!is_listed(f)) continue;
        const cpi_token *w = &p->tokens.at[f->name];
        const char *scope = p->scopes.at + f->scope;
        snprintf(name, sizeof name, "&%s%.*s", scope, (int)w->length, w->text);
        if (f->overloaded) put_overloaded(p, f, name, out);
        else put_kernel(p, f, name + 1 + (f->linked ? strlen(scope) : 0), name, !f->linked, out);
    }
    for (int k = 0; k < nnames; k++) {
        const cpi_cu_function *f = instance(p, names[k]);
        cpi_string expression = {0};
        if (!f) continue;
        put_expression(names[k], &expression);
        if (expression.at) put_kernel(p, f, names[k], expression.at, false, out);
        out->failed = out->failed || expression.failed;
        cpi_string_free(&expression);
    }
    cpi_string_printf(out, "    {}};\nextern \"C\" __attribute__((visibility(\"default\"))) const __cu_variable "
                 "__cu_variables[] = {\n");
    for (int k = 0; k < p->nvariables; k++) {
        const cpi_cu_variable *v = &p->variable[k];
        const cpi_token *w = &p->tokens.at[v->name];
        snprintf(name, sizeof name, "%s%.*s", p->scopes.at + v->scope, (int)w->length, w->text);
        if (v->shared || cpi_cu_named(p, w, 0)) continue; /* a function of a typedef's type is none */
        cpi_string_printf(out, "    {\"%s\", (void *)&%s, sizeof(%s)},\n", name, name, name);
    }
    cpi_string_printf(out, "    {}};\n");
    put_mangled(p, out);
}
