/* How functions get at the context of the thread that runs them.
 *
 * A function at namespace scope that needs it has a form with a hidden parameter, which its callers pass on: loops over
 * threads become vectors with it. What can take no parameter reads the thread's context, a thread-local variable:
 * methods, constructors, operators, functors, default arguments, initialisers, what is called through a pointer. Where
 * such code names a function, that function has a second form, with the user's own signature; overload resolution finds
 * it. Invariant: every call gets the context, or is found by its form without. */
#include <string.h>

#include "core/memory.h"
#include "kernel/translate.h"

static const char *const records[] = {"struct", "class", "union", NULL};

/* --- which function a name means --- */

static bool is_type_before(const cpi_token *w)
{
    static const char *const others[] = {"return", "else",     "do",        "case",      "goto", "throw", "and", "or",
                                         "not",    "co_yield", "co_return", "co_await", "xor",  "delete", NULL};
    return w->kind == CPI_W_NAME && !cpi_token_is_one_of(w, others);
}

/* Whether the name at k is declared there, as something that can be called: `F f,`, `auto f = `, `F f(3);`. */
static bool declares(const cpi_tokens *t, int k)
{
    static const char *const ends[] = {"=", ";", ",", ")", ":", "(", "{", "[", NULL};
    int before = k - 1;
    while (before > 0 && (cpi_token_is(&t->at[before], "*") || cpi_token_is(&t->at[before], "&") ||
                          cpi_token_is(&t->at[before], "&&")))
        before--;
    if (before < 0 || !cpi_token_is_one_of(&t->at[k + 1], ends)) return false;
    if (cpi_token_is(&t->at[before], ">")) return before == k - 1 && !cpi_token_is(&t->at[k + 1], "(");
    if (before < k - 1 && cpi_token_is(&t->at[k + 1], "(")) return false; /* a * f(x) */
    return is_type_before(&t->at[before]);
}

/* Whether the name at i is declared in the function f around it: its parameters, or a variable. */
static bool is_local(const cpi_cu_program *p, const cpi_cu_function *f, int i)
{
    const cpi_tokens *t = &p->tokens;
    for (int k = f->open + 1; k < t->at[f->open].match; k++)
        if (cpi_token_same(&t->at[k], &t->at[i]) && declares(t, k)) return true;
    return cpi_tokens_declared(t, i, f->body, declares);
}

const cpi_cu_function *cpi_cu_called(const cpi_cu_program *p, const cpi_cu_function *f, int i)
{
    const cpi_tokens *t = &p->tokens;
    const cpi_token *w = &t->at[i], *before = w - 1;
    if (w->kind != CPI_W_NAME || !cpi_cu_is_call(t, i) || i <= f->body) return NULL;
    const cpi_cu_function *g = NULL;
    for (const cpi_cu_function *one = cpi_cu_named(p, w, 0); one && !g;
         one = cpi_cu_named(p, w, (int)(one - p->function) + 1))
        if (one->context && !one->global) g = one;
    if (!g || is_type_before(before)) return NULL;
    if (cpi_token_is(before, "::") && (cpi_token_is(before - 1, ">") || (before[-1].kind == CPI_W_NAME &&
                                       is_type_before(before - 1) && !cpi_cu_is_namespace(p, before - 1))))
        return NULL;
    return g->hides && !cpi_token_is(before, "::") && is_local(p, f, i) ? NULL : g;
}

/* The function around token i whose body has the context as a parameter. */
static const cpi_cu_function *with_parameter(const cpi_cu_program *p, int i, int *from)
{
    while (*from < p->nfunctions && p->function[*from].end <= i) ++*from;
    const cpi_cu_function *f = *from < p->nfunctions ? &p->function[*from] : NULL;
    return f && i > f->body && f->body >= 0 && f->context && !f->inner ? f : NULL;
}

static bool is_member(const cpi_tokens *t, int i)
{
    return i && (cpi_token_is(&t->at[i - 1], ".") || cpi_token_is(&t->at[i - 1], "->"));
}

/* --- forms --- */

/* All functions of a name have the same forms, since a call does not say which is meant. */
static void drop_parameter(cpi_cu_program *p, const cpi_token *name)
{
    for (cpi_cu_function *g = cpi_cu_named(p, name, 0); g; g = cpi_cu_named(p, name, (int)(g - p->function) + 1))
        if (!g->global && (g->context || g->plain)) g->context = false, g->plain = true;
}

/* The } of the record that is defined at i, or -1. */
static int record_end(const cpi_tokens *t, int i, int end)
{
    static const char *const ends[] = {";", "(", ")", "=", ",", ">", NULL};
    if (!cpi_token_is_one_of(&t->at[i], records)) return -1;
    for (int k = i + 1; k < end; k++) {
        if (cpi_token_is(&t->at[k], "{")) return t->at[k].match;
        if (cpi_token_is(&t->at[k], "<")) {
            int behind = cpi_tokens_behind_angles(t, k, end);
            if (behind < 0) return -1;
            k = behind - 1;
        } else if (cpi_token_is(&t->at[k], "(") && k > i + 1 && t->at[k - 1].kind == CPI_W_NAME) {
            k = t->at[k].match; /* alignas(16) */
        } else if (cpi_token_is_one_of(&t->at[k], ends) && !(cpi_token_is(&t->at[k], ",") && k > i + 2)) {
            return -1;
        }
    }
    return -1;
}

static bool needs(const cpi_cu_program *p, int i)
{
    const cpi_token *w = &p->tokens.at[i];
    if (w->kind != CPI_W_NAME) return false;
    if (cpi_cu_needs_context(w) || cpi_cu_is_shared_variable(p, w)) return true;
    const cpi_cu_function *g = is_member(&p->tokens, i) ? NULL : cpi_cu_named(p, w, 0);
    return g && !g->global && (g->context || g->plain);
}

/* Records in the body whose methods need the context: they cannot see the parameter. */
static bool has_inner(const cpi_cu_program *p, const cpi_cu_function *f)
{
    for (int i = f->body + 1; f->body >= 0 && i < f->end; i++) {
        int end = record_end(&p->tokens, i, f->end);
        for (; i < end; i++)
            if (needs(p, i)) return true;
    }
    return false;
}

/* Variables of which there may be one only. */
static bool has_static(const cpi_cu_program *p, const cpi_cu_function *f)
{
    for (int i = f->body + 1; f->body >= 0 && i < f->end; i++)
        if (cpi_token_is(&p->tokens.at[i], "static") || cpi_token_is(&p->tokens.at[i], "__shared__")) return true;
    return false;
}

/* The first token of the statement that i is in. */
static int statement_begin(const cpi_tokens *t, int i)
{
    static const char *const ends[] = {";", "{", "}", NULL};
    while (i > 0 && !cpi_token_is_one_of(&t->at[i - 1], ends) && t->at[i - 1].kind != CPI_W_LINE) i--;
    return i;
}

/* Whether variables have a function's name: only then is asked whether one is visible. */
static void find_hiding(cpi_cu_program *p)
{
    const cpi_tokens *t = &p->tokens;
    for (int i = 1; i < t->n; i++) {
        cpi_cu_function *g = t->at[i].kind == CPI_W_NAME ? cpi_cu_named(p, &t->at[i], 0) : NULL;
        if (!g || g->hides || !declares(t, i)) continue;
        bool own = false; /* the function itself is declared there */
        for (cpi_cu_function *h = g; h; h = cpi_cu_named(p, &t->at[i], (int)(h - p->function) + 1)) own |= h->name == i;
        for (; g && !own; g = cpi_cu_named(p, &t->at[i], (int)(g - p->function) + 1)) g->hides = true;
    }
}

/* Names that are used without a call: the set of two forms would not say which is meant. */
static void find_indirect(cpi_cu_program *p)
{
    const cpi_tokens *t = &p->tokens;
    for (int i = 0, at = 0; i < t->n; i++) {
        const cpi_token *w = &t->at[i];
        cpi_cu_function *g = w->kind == CPI_W_NAME && !is_member(t, i) ? cpi_cu_named(p, w, 0) : NULL;
        if (!g) continue;
        const cpi_cu_function *f = with_parameter(p, i, &at);
        bool call = cpi_cu_is_call(t, i);
        int begin = statement_begin(t, i);
        bool befriends = !f && call && cpi_token_is(&t->at[begin], "friend");
        if (!befriends && (call || declares(t, i) || (f && g->hides && is_local(p, f, i)))) continue;
        if (cpi_token_is(&t->at[begin], "using") && !cpi_token_is(&t->at[begin + 2], "=")) continue;
        for (; g; g = cpi_cu_named(p, w, (int)(g - p->function) + 1))
            if (!g->global && g->name != i) g->indirect |= !befriends, g->befriended |= befriends;
    }
}

/* One round over the names that get no parameter: whether something changed. */
static bool spread_plain(cpi_cu_program *p)
{
    const cpi_tokens *t = &p->tokens;
    bool changed = false;
    for (int i = 0, at = 0; i < t->n; i++) {
        const cpi_token *w = &t->at[i];
        if (w->kind != CPI_W_NAME || is_member(t, i)) continue;
        cpi_cu_function *g = cpi_cu_named(p, w, 0);
        while (g && g->global) g = cpi_cu_named(p, w, (int)(g - p->function) + 1);
        if (!g || !g->context || g->plain) continue;
        const cpi_cu_function *f = with_parameter(p, i, &at);
        if (at < p->nfunctions && p->function[at].name == i) continue;
        if (f && !f->plain && cpi_cu_called(p, f, i)) continue;
        bool single = false;
        for (; g; g = cpi_cu_named(p, w, (int)(g - p->function) + 1)) {
            if (g->global || !g->context) continue;
            g->plain = changed = true;
            single = single || g->linked || has_static(p, g);
        }
        if (single) drop_parameter(p, w);
    }
    return changed;
}

/* Whether code outside of functions with the parameter reads the context. */
static bool is_read_plainly(const cpi_cu_program *p)
{
    for (int k = 0; k < p->nfunctions; k++)
        if (p->function[k].plain || p->function[k].inner) return true;
    int k = 0, v = 0;
    for (int n = 0; n < p->nturns; n++)
        if (cpi_cu_function_around(p, p->turn[n]) < 0) return true;
    for (int i = 0; i < p->tokens.n; i++) {
        while (k < p->nfunctions && p->function[k].end <= i) k++;
        while (v < p->nvariables && p->variable[v].end <= i) v++;
        const cpi_token *w = &p->tokens.at[i];
        if (cpi_cu_reads_shown(w)) return true;
        if (w->kind != CPI_W_NAME || !(cpi_cu_needs_context(w) || cpi_cu_is_shared_variable(p, w))) continue;
        bool head = k < p->nfunctions && i >= p->function[k].start;
        if (head && p->function[k].name == i) continue; /* a function of that name */
        if (head && p->function[k].body >= 0 && i > p->function[k].body) continue;
        if (v < p->nvariables && i >= p->variable[v].start && p->variable[v].shared) continue;
        return true;
    }
    return false;
}

void cpi_cu_find_forms(cpi_cu_program *p)
{
    for (int k = 0; k < p->nfunctions; k++)
        if (p->function[k].context && has_inner(p, &p->function[k])) p->function[k].inner = true;
    find_hiding(p);
    find_indirect(p);
    for (int k = 0; k < p->nfunctions; k++) {
        cpi_cu_function *f = &p->function[k];
        bool operator = cpi_token_is(&p->tokens.at[f->name], "operator");
        if (f->global || !f->context || (f->device && !f->indirect && !f->befriended && !operator && !f->inner))
            continue;
        if (operator) f->context = false, f->plain = true; /* operators are different functions */
        else drop_parameter(p, &p->tokens.at[f->name]);
    }
    while (spread_plain(p)) {}
    p->hidden_context = is_read_plainly(p);
    for (int i = 0; i < p->tokens.n; i++) {
        const cpi_token *w = &p->tokens.at[i];
        static const char *const shared[] = {"curandStateMtgp32", "curandStateMtgp32_t", NULL}; /* by a block */
        if (cpi_token_is_one_of(w, shared)) p->all_fibers = p->hidden_context = p->groups = true;
        /* `using namespace cub;`, `namespace c = cub;`: any name may be one of those */
        if (i > 2 && (cpi_token_is(w, "cub") || cpi_token_is(w, "cuda")) && cpi_token_is(&w[1], ";") &&
            (cpi_token_is(w - 1, "namespace") || (cpi_token_is(w - 1, "=") && cpi_token_is(w - 3, "namespace"))))
            p->all_fibers = p->hidden_context = p->groups = true;
    }
}

/* --- macros --- */

static bool has_word(const char *text, size_t n, const cpi_token *w)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *end = text + n;
    for (const char *p = text; (p = memmem(p, (size_t)(end - p), w->text, w->length)); p++)
        if ((p == text || !strchr(letters, p[-1])) && (p + w->length == end || !strchr(letters, p[w->length])))
            return true;
    return false;
}

bool cpi_cu_macros_call(const cpi_cu_program *p)
{
    for (int i = 0; i < p->tokens.n; i++) {
        const cpi_token *w = &p->tokens.at[i];
        if (w->kind != CPI_W_LINE || !memmem(w->text, w->length, "define", 6)) continue;
        if (p->hidden_context) return true;
        for (int k = 0; k < p->nfunctions; k++) {
            const cpi_cu_function *f = &p->function[k];
            if (f->context && !f->global && has_word(w->text, w->length, &p->tokens.at[f->name])) return true;
        }
    }
    return false;
}
