/* Finding the functions and variables of CUDA source at namespace scope, and which of them need a context. Invariant:
 * what is not understood is left to the compiler: a declaration that is neither a function nor a variable of a device's
 * memory is skipped. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/normal_records.h"
#include "kernel/translate.h"

static bool one_of(const cpi_token *w, const char *const *words)
{
    if (w->kind != CPI_W_NAME) return false;
    for (; *words; words++)
        if (cpi_token_is(w, *words)) return true;
    return false;
}

/* Whether the condition of the loop at w reads in memory what another thread is to write (cuda/atomic). */
static bool is_spinning(const cpi_token *w)
{
    static const char *const reads[] = {"load", "test", "test_and_set", "exchange", "try_acquire", "try_wait",
                                        "try_wait_parity", NULL};
    int depth = 0;
    if (!(cpi_token_is(w, "while") || cpi_token_is(w, "for")) || !cpi_token_is(&w[1], "(")) return false;
    for (w++; w->kind != CPI_W_END; w++) {
        if (cpi_token_is(w, "(")) depth++;
        if (cpi_token_is(w, ")") && --depth == 0) return false;
        if ((cpi_token_is(w, ".") || cpi_token_is(w, "->")) && one_of(&w[1], reads)) return true;
    }
    return false;
}

bool cpi_cu_reads_shown(const cpi_token *w)
{
    static const char *const words[] = {"barrier", "pipeline", "pipeline_shared_state", "make_pipeline", "latch",
                                        "counting_semaphore", "binary_semaphore", NULL};
    if (w->kind != CPI_W_NAME) return false;
    if (cpi_token_is(w, "cub")) return cpi_token_is(&w[1], "::");
    if (cpi_token_is(w, "awbarrier")) return true;
    if (cpi_token_is(w, "while") || cpi_token_is(w, "for")) return is_spinning(w);
    if (!cpi_token_is(w, "cuda") || !cpi_token_is(&w[1], "::")) return false;
    return one_of(&w[2], words) || (cpi_token_is(&w[2], "std") && cpi_token_is(&w[3], "::") && one_of(&w[4], words));
}

bool cpi_cu_waits(const cpi_token *w)
{
    static const char *const words[] = {
        "__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__syncwarp", "__shfl_sync",
        "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__all_sync", "__any_sync", "__ballot_sync",
        "__match_any_sync", "__match_all_sync", "__activemask", "__reduce_add_sync", "__reduce_min_sync",
        "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync", "__shfl", "__shfl_up",
        "__shfl_down", "__shfl_xor", "__all", "__any", "__ballot", "__nanosleep", "__cu_meet", "__cu_groups",
        "__cu_group_fold", "__cu_group_scan", "__cu_group_scan_before", "__cu_grid_sync", "__cu_part_barrier",
        "load_matrix_sync", "store_matrix_sync", "mma_sync", "bmma_sync", NULL};
    return one_of(w, words) || cpi_cu_reads_shown(w);
}

bool cpi_cu_needs_context(const cpi_token *w)
{
    static const char *const words[] = {"threadIdx",        "blockIdx",         "blockDim",        "gridDim",
                                        "__shared__",       "atomicAdd",        "atomicSub",       "atomicExch",
                                        "atomicMin",        "atomicMax",        "atomicInc",       "atomicDec",
                                        "atomicCAS",        "atomicAnd",        "atomicOr",        "atomicXor",
                                        "atomicAdd_block", "atomicAdd_system", "atomicSub_block", "atomicSub_system",
                                        "atomicExch_block", "atomicExch_system", "atomicMin_block", "atomicMin_system",
                                        "atomicMax_block", "atomicMax_system", "atomicInc_block", "atomicInc_system",
                                        "atomicDec_block", "atomicDec_system", "atomicCAS_block", "atomicCAS_system",
                                        "atomicAnd_block", "atomicAnd_system", "atomicOr_block", "atomicOr_system",
                                        "atomicXor_block", "atomicXor_system", "__cvta_generic_to_shared",
                                        "__cvta_shared_to_generic", NULL};
    return one_of(w, words) || cpi_cu_waits(w);
}

/* --- namespace scope --- */

static cpi_cu_function *new_function(cpi_cu_program *p)
{
    if ((p->nfunctions & (p->nfunctions - 1)) == 0) { /* 0, 1, 2, 4, ... are full */
        size_t capacity = p->nfunctions ? (size_t)p->nfunctions * 2 : 1;
        cpi_cu_function *more = cpi_realloc(p->function, capacity * sizeof *more);
        if (!more) return NULL;
        p->function = more;
    }
    return &p->function[p->nfunctions++];
}

static cpi_cu_variable *new_variable(cpi_cu_program *p)
{
    if ((p->nvariables & (p->nvariables - 1)) == 0) {
        size_t capacity = p->nvariables ? (size_t)p->nvariables * 2 : 1;
        cpi_cu_variable *more = cpi_realloc(p->variable, capacity * sizeof *more);
        if (!more) return NULL;
        p->variable = more;
    }
    return &p->variable[p->nvariables++];
}

static bool new_part(cpi_cu_program *p, int start, int end)
{
    if ((p->nparts & (p->nparts - 1)) == 0) {
        size_t capacity = p->nparts ? (size_t)p->nparts * 2 : 1;
        cpi_cu_part *more = cpi_realloc(p->part, capacity * sizeof *more);
        if (!more) return false;
        p->part = more;
    }
    p->part[p->nparts++] = (cpi_cu_part){start, end};
    return true;
}

static int new_scope(cpi_cu_program *p, int outer, const cpi_token *name)
{
    int at = (int)p->scopes.length;
    char around[512];
    snprintf(around, sizeof around, "%s", p->scopes.at ? p->scopes.at + outer : "");
    cpi_string_printf(&p->scopes, "%s%.*s%s", around, name ? (int)name->length : 0, name ? name->text : "",
                 name ? "::" : "");
    cpi_string_add(&p->scopes, "", 1);
    return at;
}

static int behind_statement(const cpi_tokens *t, int i, int end)
{
    for (; i < end; i++) {
        if (cpi_token_is(&t->at[i], ";")) return i + 1;
        if (t->at[i].match > i) i = t->at[i].match;
    }
    return end;
}

/* Behind the : of a constructor's initialisers, at its body's {. */
static int behind_initialisers(const cpi_tokens *t, int i, int end)
{
    while (i < end) {
        while (i < end && (t->at[i].kind == CPI_W_NAME || cpi_token_is(&t->at[i], "::"))) i++;
        if (cpi_token_is(&t->at[i], "<")) {
            int behind = cpi_tokens_behind_angles(t, i, end);
            if (behind < 0) return i;
            i = behind;
            continue;
        }
        if (t->at[i].match < i || !(cpi_token_is(&t->at[i], "(") || cpi_token_is(&t->at[i], "{"))) return i;
        i = t->at[i].match + 1;
        if (i < end && cpi_token_is(&t->at[i], "...")) i++;
        if (i >= end || !cpi_token_is(&t->at[i], ",")) return i;
        i++;
    }
    return i;
}

bool cpi_cu_is_namespace(const cpi_cu_program *p, const cpi_token *w)
{
    for (size_t at = 0; at < p->scopes.length; at += strlen(p->scopes.at + at) + 1) {
        const char *scope = p->scopes.at + at;
        size_t n = strlen(scope);
        if (n < w->length + 2 || memcmp(scope + n - 2 - w->length, w->text, w->length) != 0) continue;
        if (n == w->length + 2 || scope[n - 3 - w->length] == ':') return true;
    }
    return false;
}

/* Whether the name at i is qualified by a record, or by what is not known to be a namespace. */
static bool of_record(const cpi_cu_program *p, int i)
{
    const cpi_tokens *t = &p->tokens;
    if (i && cpi_token_is(&t->at[i - 1], "~")) i--;
    if (i < 2 || !cpi_token_is(&t->at[i - 1], "::")) return false;
    return t->at[i - 2].kind == CPI_W_NAME ? !cpi_cu_is_namespace(p, &t->at[i - 2])
                                           : cpi_token_is(&t->at[i - 2], ">") || cpi_token_is(&t->at[i - 2], ">>");
}

typedef struct declaration {
    int name, open, body, end;
    bool global, device, memory, shared, record, defined, variable;
} declaration;

/* Reads one declaration from i on. */
static declaration read_declaration(const cpi_tokens *t, int i, int end)
{
    static const char *const attributes[] = {"__launch_bounds__", "__attribute__", "alignas", "__align__", "decltype",
                                             "noexcept", "__declspec", "__cluster_dims__", "__maxnreg__", NULL};
    static const char *const records[] = {"struct", "class", "union", "enum", NULL};
    declaration d = {.name = -1, .open = -1, .body = -1};
    bool value = false, operator = false;
    int instance = -1, behind_instance = -1; /* a name<arguments>, of a specialization */
    for (; i < end; i++) {
        const cpi_token *w = &t->at[i], *before = i ? &t->at[i - 1] : w;
        if (cpi_token_is(w, ";")) break;
        if (cpi_token_is(w, "__global__")) d.global = true;
        if (cpi_token_is(w, "__device__")) d.device = true;
        if (cpi_token_is(w, "__constant__") || cpi_token_is(w, "__managed__")) d.memory = true;
        if (cpi_token_is(w, "__shared__")) d.shared = true;
        if (one_of(w, records) && d.open < 0) d.record = true;
        if (cpi_token_is(w, "operator")) operator = true, d.name = i;
        if (cpi_token_is(w, "=") && !operator) value = true;
        if (cpi_token_is(w, "<") && before->kind == CPI_W_NAME && !operator) {
            int behind = cpi_tokens_behind_angles(t, i, end);
            instance = i - 1, behind_instance = behind;
            if (behind > 0) i = behind - 1;
        } else if (cpi_token_is(w, "(")) {
            bool call_operator = operator && cpi_token_is(before, "operator");
            bool named = operator ? !call_operator
                                  : i == behind_instance || (before->kind == CPI_W_NAME && !one_of(before, attributes));
            if (named && d.open < 0 && !value) {
                if (!operator) d.name = i == behind_instance ? instance : i - 1;
                d.open = i;
            }
            i = w->match;
        } else if (cpi_token_is(w, ":") && d.open >= 0 && !value) {
            i = behind_initialisers(t, i + 1, end) - 1;
        } else if (cpi_token_is(w, "{")) {
            if (d.open >= 0 && !value) {
                d.body = i;
                d.end = w->match + 1;
                return d;
            }
            d.defined = true;
            i = w->match;
        } else if (w->match > i) {
            i = w->match;
        }
    }
    d.end = i < end ? i + 1 : end;
    d.variable = d.open < 0 && !(d.record && d.defined);
    return d;
}

/* The name that a variable's declaration declares first. */
static int variable_name(const cpi_tokens *t, int start, int end)
{
    int name = -1;
    for (int i = start; i < end; i++) {
        const cpi_token *w = &t->at[i];
        if (cpi_token_is(w, "=") || cpi_token_is(w, "[") || cpi_token_is(w, ";") || cpi_token_is(w, "{") ||
            cpi_token_is(w, ","))
            break;
        if (w->kind == CPI_W_NAME) name = i;
        if (cpi_token_is(w, "(")) i = w->match;
        if (cpi_token_is(w, "<")) {
            int behind = cpi_tokens_behind_angles(t, i, end);
            if (behind > 0) i = behind - 1;
        }
    }
    return name;
}

static bool note(cpi_cu_program *p, const declaration *d, int start, bool templated, int scope, bool linked)
{
    if (d->open >= 0 && of_record(p, d->name)) return new_part(p, start, d->end);
    if (d->open >= 0) {
        cpi_cu_function *f = new_function(p);
        if (!f) return false;
        *f = (cpi_cu_function){.start = start, .name = d->name, .open = d->open, .body = d->body, .end = d->end,
                               .global = d->global, .device = d->device || d->global, .templated = templated,
                               .scope = scope, .linked = linked};
        for (int i = start; i < d->open; i++) f->linked = f->linked || p->tokens.at[i].kind == CPI_W_STRING;
        return true;
    }
    if (d->variable && (d->device || d->memory || d->shared) && !templated) {
        cpi_cu_variable *v = new_variable(p);
        int name = variable_name(&p->tokens, start, d->end);
        if (!v) return false;
        *v = (cpi_cu_variable){.start = start, .name = name, .end = d->end, .shared = d->shared, .scope = scope};
        if (name < 0) p->nvariables--;
    }
    return new_part(p, start, d->end);
}

enum { NESTED_MOST = 256 };

static bool scan(cpi_cu_program *p, int i, int end, int scope, int depth, bool linked)
{
    static const char *const passed[] = {"using", "typedef", "static_assert", "friend", NULL};
    const cpi_tokens *t = &p->tokens;
    while (i < end) {
        int start = i;
        bool templated = false;
        if (t->at[i].kind == CPI_W_LINE || cpi_token_is(&t->at[i], ";")) {
            i++;
            continue;
        }
        if (cpi_token_is(&t->at[i], "inline") && cpi_token_is(&t->at[i + 1], "namespace")) i++;
        if (cpi_token_is(&t->at[i], "namespace") ||
            (cpi_token_is(&t->at[i], "extern") && t->at[i + 1].kind == CPI_W_STRING &&
             cpi_token_is(&t->at[i + 2], "{"))) {
            bool space = cpi_token_is(&t->at[i], "namespace");
            int brace = i, inner = scope;
            while (brace < end && !cpi_token_is(&t->at[brace], "{") && !cpi_token_is(&t->at[brace], ";")) brace++;
            if (brace < end && cpi_token_is(&t->at[brace], "{")) {
                for (int k = i + 1; space && k < brace; k++)
                    if (t->at[k].kind == CPI_W_NAME) inner = new_scope(p, inner, &t->at[k]);
                if (depth == NESTED_MOST) {
                    cpi_fail(CP_ERROR_UNSUPPORTED, "line %d: namespaces more than %d deep", t->at[i].line, NESTED_MOST);
                    return false;
                }
                if (!scan(p, brace + 1, t->at[brace].match, inner, depth + 1, space ? linked : true)) return false;
                brace = t->at[brace].match;
            }
            i = brace + 1;
            continue;
        }
        if (cpi_token_is(&t->at[i], "extern") && cpi_token_is(&t->at[i + 1], "template")) i++;
        bool asked = cpi_token_is(&t->at[i], "template");
        while (i < end && cpi_token_is(&t->at[i], "template")) {
            templated = cpi_token_is(&t->at[i + 1], "<");
            int behind = templated ? cpi_tokens_behind_angles(t, i + 1, end) : i + 1;
            i = behind > 0 ? behind : i + 1;
        }
        if (i < end && one_of(&t->at[i], passed)) {
            i = behind_statement(t, i, end);
            if (!new_part(p, start, i)) return false;
            continue;
        }
        declaration d = read_declaration(t, i, end);
        if (!note(p, &d, start, templated, scope, linked)) return false;
        if (d.open >= 0 && !of_record(p, d.name) && d.body < 0 && asked && !templated)
            p->function[p->nfunctions - 1].asked = true;
        i = d.end;
    }
    return true;
}

/* --- which functions need a context --- */

bool cpi_cu_is_call(const cpi_tokens *t, int i)
{
    if (i && (cpi_token_is(&t->at[i - 1], ".") || cpi_token_is(&t->at[i - 1], "->"))) return false;
    if (cpi_token_is(&t->at[i + 1], "(")) return true;
    int behind = cpi_token_is(&t->at[i + 1], "<") ? cpi_tokens_behind_angles(t, i + 1, t->n) : -1;
    return behind > 0 && cpi_token_is(&t->at[behind], "(");
}

/* All functions of a name are treated alike, since a call does not say which is meant. */
static bool spread(cpi_cu_program *p)
{
    bool changed = false;
    for (int k = 0; k < p->nfunctions; k++) {
        cpi_cu_function *f = &p->function[k];
        for (int i = f->body + 1; f->body >= 0 && i < f->end; i++) {
            const cpi_token *w = &p->tokens.at[i];
            if (w->kind != CPI_W_NAME || cpi_token_is(w - 1, ".") || cpi_token_is(w - 1, "->")) continue;
            bool context = cpi_cu_needs_context(w), waits = cpi_cu_waits(w);
            for (cpi_cu_function *g = cpi_cu_named(p, w, 0); g; g = cpi_cu_named(p, w, (int)(g - p->function) + 1))
                context = context || g->context, waits = waits || g->barriers;
            context = context || cpi_cu_is_shared_variable(p, w);
            changed = changed || (context && !f->context) || (waits && !f->barriers);
            f->context = f->context || context;
            f->barriers = f->barriers || waits;
        }
        for (cpi_cu_function *g = cpi_cu_named(p, &p->tokens.at[f->name], 0); g;
             g = cpi_cu_named(p, &p->tokens.at[f->name], (int)(g - p->function) + 1)) {
            changed = changed || (f->context && !g->context) || (f->barriers && !g->barriers);
            g->context = g->context || f->context;
            g->barriers = g->barriers || f->barriers;
        }
    }
    return changed;
}

/* Kernels of one name: types determine which of their bodies is meant. */
static void find_overloaded(cpi_cu_program *p)
{
    for (int k = 0; k < p->nfunctions; k++) {
        cpi_cu_function *f = &p->function[k], *g = f;
        if (!f->global || f->body < 0) continue;
        const cpi_token *w = &p->tokens.at[f->name];
        while ((g = cpi_cu_named(p, w, (int)(g - p->function) + 1)))
            if (g->global && g->body >= 0 && strcmp(p->scopes.at + g->scope, p->scopes.at + f->scope) == 0)
                f->overloaded = g->overloaded = true;
    }
}

bool cpi_cu_read(const char *text, cpi_cu_program *p, bool *unbalanced)
{
    memset(p, 0, sizeof *p);
    p->plain = -1;
    if (!cpi_tokens_read(text, &p->tokens, unbalanced)) return false;
    int outermost = new_scope(p, 0, NULL);
    if (!cpi_cu_allowed(&p->tokens) || !scan(p, 0, p->tokens.n, outermost, 0, false) || p->scopes.failed ||
        !cpi_cu_index_names(p)) {
        cpi_cu_free(p);
        return false;
    }
    for (int k = 0; k < p->nfunctions; k++) {
        cpi_cu_function *f = &p->function[k];
        if (cpi_cu_finds_lockstep(p, f)) f->lockstep = f->barriers = f->context = true;
    }
    if (!cpi_cu_find_turns(p)) {
        cpi_cu_free(p);
        return false;
    }
    while (spread(p)) {}
    for (int k = 0; k < p->nfunctions; k++)
        if (p->function[k].global) p->function[k].context = true;
    find_overloaded(p);
    cpi_cu_find_forms(p);
    return true;
}

void cpi_cu_free(cpi_cu_program *p)
{
    cpi_tokens_free(&p->tokens);
    cpi_free_host(p->function);
    cpi_free_host(p->variable);
    cpi_free_host(p->turn);
    cpi_free_host(p->part);
    cpi_free_host(p->named);
    cpi_string_free(&p->scopes);
    if (p->records) cpi_records_free(p->records);
    cpi_free_host(p->records);
    memset(p, 0, sizeof *p);
}
