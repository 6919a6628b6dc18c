/* Which kernels may call code that reads the thread's context (forms.c), and so have to set it; in which of them such
 * code waits for other threads.
 *
 * Functions, methods and other declarations of the program are the nodes of a graph; a node leads to all that declare a
 * name that stands in it. Types are not known, so what one needs must be named somewhere on the way: a method, the
 * record of an operator, bases, arguments of templates. Derived records are declared by their base's name. Where
 * functions are called through pointers or tables, all that may be called so is reached from every kernel. Invariant:
 * too much may be reached, never too little. */
#include <string.h>

#include "core/memory.h"
#include "kernel/normal_records.h"
#include "kernel/translate.h"

typedef struct entry { const cpi_token *name; int node, next; } entry; /* a node that declares a name */

typedef struct method { int name, body; } method; /* tokens */

typedef struct graph {
    const cpi_cu_program *p;
    int nnodes, *bucket, nbuckets;
    method *methods;
    int nmethods;
    entry *entries;
    int nentries, capacity;
    bool *seen; /* of each node in two forms: with the parameter, without */
    int *stack, top;
    bool reads, waits, failed;
    const cpi_records *converted; /* calls of methods that wait are in the kernels themselves */
} graph;

static bool is_builtin(const cpi_token *w)
{
    static const char *const words[] = {"int", "float", "double", "void", "char", "bool", "long", "short", "unsigned",
                                        "signed", "const", "auto", "static", "inline", "constexpr", "__device__",
                                        "__host__", "__forceinline__", "template", "typename", "class", "struct",
                                        "operator", "return", "volatile", "public", "private", NULL};
    return cpi_token_is_one_of(w, words);
}

static void declare(graph *g, int node, const cpi_token *name)
{
    if (name->kind != CPI_W_NAME || is_builtin(name) || g->failed) return;
    if (g->nentries == g->capacity) {
        size_t capacity = g->capacity ? (size_t)g->capacity * 2 : 256;
        entry *more = cpi_realloc(g->entries, capacity * sizeof *more);
        if (!more) {
            g->failed = true;
            return;
        }
        g->entries = more, g->capacity = (int)capacity;
    }
    int *first = &g->bucket[name->hash % (unsigned)g->nbuckets];
    g->entries[g->nentries] = (entry){name, node, *first};
    *first = g->nentries++;
}

/* --- methods: only where they are named they are called; their records are without them --- */

/* The method that is defined at i, whose name stands there, in the record `own`: its {, or -1. Constructors, operators
 * and what a loop over a range calls belong to the record. */
static int method_body(const cpi_tokens *t, int i, const cpi_token *own)
{
    static const char *const words[] = {"const", "noexcept", "override", "final", "&", "&&", "->", "::", "*", NULL};
    static const char *const before[] = {"*", "&", "&&", ">", NULL};
    const cpi_token *w = &t->at[i];
    if (w->kind != CPI_W_NAME || !cpi_token_is(&t->at[i + 1], "(") || cpi_token_same(w, own)) return -1;
    if (cpi_token_is(w - 1, "operator")) return -1;
    if (w[-1].kind != CPI_W_NAME && !cpi_token_is_one_of(w - 1, before)) return -1; /* a constructor's initialiser */
    if (cpi_token_is(w, "begin") || cpi_token_is(w, "end") || cpi_token_is(w, "__attribute__")) return -1;
    bool type = false; /* behind -> */
    for (int k = t->at[i + 1].match + 1; k < t->n; k++) {
        if (cpi_token_is(&t->at[k], "{")) return k;
        if (!cpi_token_is_one_of(&t->at[k], words) && !(type && t->at[k].kind == CPI_W_NAME)) return -1;
        type = type || cpi_token_is(&t->at[k], "->");
    }
    return -1;
}

/* The { of the record that the word at i begins, and its name; -1: none is defined there. */
static int record_body(const cpi_tokens *t, int i, int end, int *name)
{
    *name = -1;
    if (!cpi_token_is(&t->at[i], "struct") && !cpi_token_is(&t->at[i], "class")) return -1;
    for (int k = i + 1; k < end; k++) {
        if (cpi_token_is(&t->at[k], "{")) return *name < 0 ? -1 : k;
        if (cpi_token_is(&t->at[k], ";") || cpi_token_is(&t->at[k], ")") || cpi_token_is(&t->at[k], ">")) return -1;
        if (*name < 0 && t->at[k].kind == CPI_W_NAME && !cpi_token_is(&t->at[k + 1], "(")) *name = k;
        if (t->at[k].match > k) k = t->at[k].match;
        int behind = cpi_token_is(&t->at[k], "<") ? cpi_tokens_behind_angles(t, k, end) : -1;
        if (behind > 0) k = behind - 1;
    }
    return -1;
}

/* The methods between the braces of a record, and of records in it. */
static void find_methods(graph *g, int open, const cpi_token *own, int depth)
{
    const cpi_tokens *t = &g->p->tokens;
    for (int i = open + 1; i < t->at[open].match; i++) {
        int name, inner = depth < 64 ? record_body(t, i, t->at[open].match, &name) : -1;
        int body = inner < 0 ? method_body(t, i, own) : -1;
        if (inner >= 0) find_methods(g, inner, &t->at[name], depth + 1);
        if (body >= 0) g->methods[g->nmethods++] = (method){i, body};
        i = inner >= 0 ? t->at[inner].match : body >= 0 ? t->at[body].match : t->at[i].match > i ? t->at[i].match : i;
    }
}

static bool find_all_methods(graph *g)
{
    const cpi_tokens *t = &g->p->tokens;
    g->methods = cpi_malloc(((size_t)t->n / 4 + 1) * sizeof *g->methods); /* f(){} */
    for (int k = 0; g->methods && k < g->p->nparts; k++)
        for (int i = g->p->part[k].start, name; i < g->p->part[k].end; i++) {
            int open = record_body(t, i, g->p->part[k].end, &name);
            if (open >= 0) find_methods(g, open, &t->at[name], 0), i = t->at[open].match;
            else if (t->at[i].match > i) i = t->at[i].match;
        }
    return g->methods != NULL;
}

/* The first method, in the order of their places, whose { is at i or behind. */
static const method *method_from(const graph *g, int i)
{
    int low = 0, high = g->nmethods;
    while (low < high) {
        int middle = (low + high) / 2;
        if (g->methods[middle].body < i) low = middle + 1;
        else high = middle;
    }
    return low < g->nmethods ? &g->methods[low] : NULL;
}

static bool is_method(const graph *g, int node) { return node >= g->p->nfunctions + g->p->nparts; }

static void range(const graph *g, int node, int *start, int *end)
{
    const cpi_cu_program *p = g->p;
    if (is_method(g, node)) {
        *start = g->methods[node - p->nfunctions - p->nparts].body + 1;
        *end = p->tokens.at[*start - 1].match;
        return;
    }
    bool function = node < p->nfunctions;
    *start = function ? p->function[node].start : p->part[node - p->nfunctions].start;
    *end = function ? p->function[node].end : p->part[node - p->nfunctions].end;
}

/* --- names --- */

/* A function by its name; an operator by all that its parameters' types name. */
static void declare_function(graph *g, int node)
{
    const cpi_cu_function *f = &g->p->function[node];
    const cpi_tokens *t = &g->p->tokens;
    if (!cpi_token_is(&t->at[f->name], "operator")) {
        declare(g, node, &t->at[f->name]);
        return;
    }
    for (int i = f->start; i < (f->body >= 0 ? f->body : f->end); i++) declare(g, node, &t->at[i]);
}

/* The names of a part: records with their bases, what stands before a parenthesis in a method outside of its record,
 * and what is declared behind: variables, types. */
static void declare_part(graph *g, int node)
{
    static const char *const records[] = {"struct", "class", "union", "enum", NULL};
    static const char *const ends[] = {"=", ";", "[", ",", "{", "(", ")", "::", "<", ":", NULL};
    const cpi_tokens *t = &g->p->tokens;
    int start, end, body = -1;
    range(g, node, &start, &end);
    for (int i = start; i < end; i++) {
        const cpi_token *w = &t->at[i];
        if (body < 0 && cpi_token_is(w, "{")) body = i;
        if (cpi_token_is_one_of(w, records)) {
            for (int k = i + 1; k < end && !cpi_token_is(&t->at[k], "{") && !cpi_token_is(&t->at[k], ";") &&
                                !cpi_token_is(&t->at[k], ")"); k++)
                declare(g, node, &t->at[k]);
        } else if (w->kind == CPI_W_NAME && (body < 0 || i > t->at[body].match) &&
                   cpi_token_is_one_of(&t->at[i + 1], ends)) {
            declare(g, node, w);
        }
    }
}

static void visit(graph *g, int node, bool plain)
{
    bool *seen = &g->seen[2 * node + plain];
    if (*seen) return;
    *seen = true;
    g->stack[g->top++] = 2 * node + plain;
}

/* What the name w leads to; where it is a member, methods alone. */
static void follow(graph *g, const cpi_token *w, bool with_parameter, bool member)
{
    for (int e = g->bucket[w->hash % (unsigned)g->nbuckets]; e >= 0; e = g->entries[e].next) {
        int node = g->entries[e].node;
        if (!cpi_token_same(g->entries[e].name, w)) continue;
        bool function = node < g->p->nfunctions;
        if ((function && g->p->function[node].global) || (member && !is_method(g, node))) continue;
        visit(g, node, !(with_parameter && function && g->p->function[node].context));
    }
}

/* The end of the method whose { is at i and of which no call is left in kernels that are converted, or -1. */
static int converted_body(const graph *g, int i)
{
    if (!g->converted || !cpi_token_is(&g->p->tokens.at[i], "{")) return -1;
    for (int k = 0; k < g->converted->nmembers; k++) {
        const cpi_record_member *m = &g->converted->member[k];
        if (m->waits && !m->virtual && !m->abstruse && m->function.body == i) return g->p->tokens.at[i].match;
    }
    return -1;
}

static void walk(graph *g, int node, bool plain)
{
    const cpi_tokens *t = &g->p->tokens;
    const cpi_cu_function *f = node < g->p->nfunctions ? &g->p->function[node] : NULL;
    int start, end;
    range(g, node, &start, &end);
    for (int i = start; i < end; i++) {
        const cpi_token *w = &t->at[i];
        const method *m = f ? NULL : method_from(g, i);
        if (m && i == m->name) continue; /* defined there, not used */
        if (m && i == m->body) i = w->match;
        int body = f ? -1 : converted_body(g, i);
        if (body < 0 && is_method(g, node) && i == start) body = converted_body(g, i - 1);
        if (body >= 0) {
            i = body;
            continue;
        }
        if (g->converted && !(f && (f->global || i == f->name)) &&
            (cpi_records_may_wait(g->p, g->converted, i) ||
             (g->converted->functors && cpi_records_odd_call(g->p, i))))
            g->reads = g->waits = true;
        if (!f && cpi_cu_is_turn(g->p, i)) g->reads = g->waits = true;
        if (w->kind != CPI_W_NAME || (f && i == f->name)) continue;
        if (plain) {
            g->reads = g->reads || cpi_cu_needs_context(w) || cpi_cu_is_shared_variable(g->p, w);
            g->waits = g->waits || cpi_cu_waits(w);
        }
        if (cpi_cu_reads_shown(w)) g->reads = g->waits = true;
        bool member = i && (cpi_token_is(&t->at[i - 1], ".") || cpi_token_is(&t->at[i - 1], "->"));
        follow(g, w, !member && !plain && f && cpi_cu_called(g->p, f, i), member);
    }
}

/* What every kernel may reach: records with virtual methods, functions that are called through pointers. */
static void visit_indirect(graph *g)
{
    const cpi_cu_program *p = g->p;
    for (int k = 0; k < p->nfunctions; k++)
        if (p->function[k].indirect && p->function[k].plain) visit(g, k, true);
    for (int k = 0; k < p->nparts; k++)
        for (int i = p->part[k].start; i < p->part[k].end; i++)
            if (cpi_token_is(&p->tokens.at[i], "virtual")) visit(g, p->nfunctions + k, true);
}

static void find_for(graph *g, cpi_cu_function *f, const cpi_tokens *names)
{
    const cpi_cu_program *p = g->p;
    memset(g->seen, 0, 2 * (size_t)g->nnodes * sizeof *g->seen);
    g->top = 0;
    g->reads = g->waits = false;
    const cpi_token *w = &p->tokens.at[f->name];
    for (const cpi_cu_function *h = cpi_cu_named(p, w, 0); h; /* its other declarations, instances that are requested */
         h = cpi_cu_named(p, w, (int)(h - p->function) + 1))
        if (h->global) visit(g, (int)(h - p->function), h->inner);
    for (int i = 0; i < names->n; i++) {
        if (names->at[i].kind == CPI_W_NAME) follow(g, &names->at[i], false, false);
        if (cpi_cu_reads_shown(&names->at[i])) g->reads = g->waits = true;
    }
    visit_indirect(g);
    while (g->top) {
        int at = g->stack[--g->top];
        walk(g, at / 2, at % 2);
    }
    f->shown = g->reads || f->inner || p->groups;
    f->apart = g->waits;
}

bool cpi_cu_find_shown(cpi_cu_program *p, int nnames, const char *const *names)
{
    graph g = {.p = p, .converted = p->normal ? p->records : NULL, .nbuckets = 2 * p->tokens.n + 1};
    cpi_string all = {0};
    cpi_tokens words = {0};
    bool unbalanced = false;
    for (int i = 0; i < nnames; i++) cpi_string_printf(&all, "%s ", names[i]);
    bool done = !all.failed && (!all.at || cpi_tokens_read(all.at, &words, &unbalanced) || unbalanced);
    for (int i = 0; done && i < words.n; i++) p->hidden_context |= cpi_cu_reads_shown(&words.at[i]);
    if (!p->hidden_context || !done) {
        cpi_tokens_free(&words);
        cpi_string_free(&all);
        return done;
    }
    done = find_all_methods(&g);
    g.nnodes = p->nfunctions + p->nparts + g.nmethods;
    g.bucket = cpi_malloc((size_t)g.nbuckets * sizeof *g.bucket);
    g.seen = cpi_calloc(2 * (size_t)g.nnodes + 1, sizeof *g.seen);
    g.stack = cpi_malloc((2 * (size_t)g.nnodes + 1) * sizeof *g.stack);
    done = done && g.bucket && g.seen && g.stack;
    for (int i = 0; done && i < g.nbuckets; i++) g.bucket[i] = -1;
    for (int i = 0; done && i < g.nnodes; i++)
        if (i < p->nfunctions) declare_function(&g, i);
        else if (is_method(&g, i)) declare(&g, i, &p->tokens.at[g.methods[i - p->nfunctions - p->nparts].name]);
        else declare_part(&g, i);
    done = done && !g.failed;
    for (int k = 0; done && k < p->nfunctions; k++)
        if (p->function[k].global && p->function[k].body >= 0) find_for(&g, &p->function[k], &words);
    cpi_free_host(g.methods);
    cpi_free_host(g.bucket);
    cpi_free_host(g.seen);
    cpi_free_host(g.stack);
    cpi_free_host(g.entries);
    cpi_tokens_free(&words);
    cpi_string_free(&all);
    return done;
}
