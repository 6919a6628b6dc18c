/* Converting kernels to the form of normal.c: expressions. Each warp operation becomes the value that a lane brings, a
 * meeting and the value that it takes; a call of a function that waits becomes the function's statements. Invariant:
 * what waits is written in the order in which the expression evaluates it. */
#include <string.h>

#include "core/memory.h"
#include "kernel/normal.h"

static cpi_string expression(normal *n, scope *s, int first, int last);

/* --- lanes that meet --- */

typedef enum how { SHUFFLE, VOTE, MATCH, MATCH_ALL, REDUCE, SYNCWARP, SYNCTHREADS } how;

static const struct waiting {
    const char *name;
    how how;
    int least, most;
    const char *take, *type;
} waitings[] = {
    {"__shfl_sync", SHUFFLE, 3, 4, "idx", "int"},
    {"__shfl_up_sync", SHUFFLE, 3, 4, "up", "unsigned"},
    {"__shfl_down_sync", SHUFFLE, 3, 4, "down", "unsigned"},
    {"__shfl_xor_sync", SHUFFLE, 3, 4, "xor", "int"},
    {"__any_sync", VOTE, 2, 2, "any", "int"},
    {"__all_sync", VOTE, 2, 2, "all", "int"},
    {"__ballot_sync", VOTE, 2, 2, "ballot", "unsigned"},
    {"__match_any_sync", MATCH, 2, 2, "match", "unsigned"},
    {"__match_all_sync", MATCH_ALL, 3, 3, "match_all", "unsigned"},
    {"__reduce_add_sync", REDUCE, 2, 2, "add", ""},
    {"__reduce_min_sync", REDUCE, 2, 2, "min", ""},
    {"__reduce_max_sync", REDUCE, 2, 2, "max", ""},
    {"__reduce_and_sync", REDUCE, 2, 2, "and", ""},
    {"__reduce_or_sync", REDUCE, 2, 2, "or", ""},
    {"__reduce_xor_sync", REDUCE, 2, 2, "eor", ""},
    {"__cu_group_fold", REDUCE, 3, 3, "fold", ""},
    {"__cu_group_scan", REDUCE, 3, 3, "scan", ""},
    {"__cu_group_scan_before", REDUCE, 3, 3, "scan_before", ""},
    {"__syncwarp", SYNCWARP, 0, 1, "", ""},
    {"__syncthreads_count", SYNCTHREADS, 1, 1, "count", "int"},
    {"__syncthreads_and", SYNCTHREADS, 1, 1, "every", "int"},
    {"__syncthreads_or", SYNCTHREADS, 1, 1, "some", "int"},
};

/* The meeting itself, behind what each lane brings. */
static void put_meeting(normal *n, const struct waiting *w, int slot, int i)
{
    cpi_normal_put_line(n, i);
    if (w->how == SYNCTHREADS) cpi_string_printf(n->out, "__syncthreads(); ");
    else cpi_string_printf(n->out, "__cu_meet(%d); ", slot);
}

/* A value that lanes exchange: the statements go to `out`, the lane's result to `result`. */
static void put_waiting(normal *n, const struct waiting *w, int i, const cpi_string *arg, int nargs, cpi_string *result)
{
    int id = n->count++, slot = id & 1;
    const char *value = w->how == SYNCTHREADS ? string_of(&arg[0]) : nargs > 1 ? string_of(&arg[1]) : "";
    cpi_string taken = {0};
    if (w->how != SYNCTHREADS)
        cpi_string_printf(n->out, "const unsigned __cu_k%d = %s; ", id, nargs ? string_of(&arg[0]) : "0xffffffffu");
    switch (w->how) {
    case SHUFFLE:
        cpi_string_printf(n->out, "const %s __cu_l%d = %s; const int __cu_w%d = %s; __cu_put(%d, __cu_k%d, (%s)); ",
                       w->type, id, string_of(&arg[2]), id, nargs > 3 ? string_of(&arg[3]) : "32", slot, id, value);
        cpi_string_printf(&taken, "__cu_take_%s(%d, (%s), __cu_l%d, __cu_w%d)", w->take, slot, value, id, id);
        break;
    case VOTE:
        cpi_string_printf(n->out, "__cu_vote(%d, __cu_k%d, (%s)); ", slot, id, value);
        cpi_string_printf(&taken, "__cu_take_%s(%d, __cu_k%d)", w->take, slot, id);
        break;
    case SYNCTHREADS:
        cpi_string_printf(n->out, "__cu_vote(%d, 0xffffffffu, (%s)); ", slot, value);
        cpi_string_printf(&taken, "__cu_take_%s(%d)", w->take, slot);
        break;
    case SYNCWARP: cpi_string_printf(n->out, "__cu_put_mask(%d, __cu_k%d); ", slot, id); break;
    case MATCH:
    case MATCH_ALL:
    case REDUCE:
        cpi_string_printf(n->out, "__cu_put_here(%d, __cu_k%d, (%s)); ", slot, id, value);
        cpi_string_printf(&taken, "__cu_take_%s(%d, __cu_k%d, (%s)%s%s)", w->take, slot, id, value,
                          nargs > 2 ? ", " : "", nargs > 2 ? string_of(&arg[2]) : "");
    }
    put_meeting(n, w, slot, i);
    bool typed = w->how != SHUFFLE && w->how != REDUCE;
    if (w->how == SYNCWARP) {
        cpi_string_printf(result, "(void)0 ");
    } else if (!n->pending) {
        cpi_string_printf(result, "%s ", string_of(&taken));
    } else if (typed) {
        cpi_string_printf(n->out, "%s __cu_h%d = %s; ", w->type, id, string_of(&taken));
        cpi_string_printf(result, "__cu_h%d ", id);
    } else { /* further meetings come before it is used */
        cpi_string_printf(n->out, "unsigned long long __cu_h%d = __cu_pack(%s); ", id, string_of(&taken));
        cpi_string_printf(result, "__cu_unpack<__cu_typeof((%s))>(__cu_h%d) ", value, id);
    }
    n->failed = n->failed || taken.failed;
    cpi_string_free(&taken);
}

/* The arguments between the parentheses at `open`, as they are to be written. */
static int read_arguments(normal *n, scope *s, int open, cpi_string *arg, part *parts)
{
    int count = cpi_normal_list_chunks(n, open, match(n, open), parts, ARGUMENTS);
    if (count < 0) refuse(n);
    for (int k = 0; k < count && !n->failed; k++) arg[k] = expression(n, s, parts[k].first, parts[k].last);
    return count < 0 ? 0 : count;
}

/* --- inlined functions --- */

static void substitute(normal *n, scope *s, int name, const char *text)
{
    if (s->nsubstitutes == SUBSTITUTES) {
        refuse(n);
        return;
    }
    s->substitutes[s->nsubstitutes].name = at(n, name);
    cpi_string_printf(&s->substitutes[s->nsubstitutes++].text, "%s", text);
}

static bool substituted(const normal *n, const scope *s, int name)
{
    for (int k = 0; k < s->nsubstitutes; k++)
        if (cpi_token_same(at(n, name), s->substitutes[k].name)) return true;
    return false;
}

/* The type of a parameter of a template, from an argument that is a variable of the caller's. */
static void deduce(normal *n, scope *s, int name, const part *parameters, const part *args, int nargs)
{
    for (int k = 0; k < nargs; k++) {
        int i = parameters[k].first, pname = cpi_normal_parameter_name(n, parameters[k]);
        while (is(n, i, "const")) i++;
        if (!cpi_token_same(at(n, i), at(n, name))) continue;
        if (!(pname == i + 1 || (pname == i + 2 && is(n, i + 1, "&")))) continue;
        const declared *d = args[k].last == args[k].first + 1 && !member(n, args[k].first)
                                ? cpi_normal_find(n, s->outer, at(n, args[k].first)) : NULL;
        int same = 0;
        for (int q = 0; d && q < s->outer->nnames; q++)
            same += cpi_token_same(at(n, s->outer->names[q].name), at(n, args[k].first));
        if (!d || !d->plain || d->shared || same != 1 || cpi_normal_has_word(n, "auto", d->type, d->type_end)) break;
        cpi_string text = {0};
        for (int q = d->type; q < d->type_end; q++)
            if (!is(n, q, "const") && !is(n, q, "volatile")) cpi_normal_put_word(n, s->outer, q, &text);
        substitute(n, s, name, string_of(&text));
        cpi_string_free(&text);
        return;
    }
    refuse(n);
}

/* template <typename T, int N = 32>, with the arguments in the call's angles. */
static void read_template(normal *n, scope *s, int call, const part *parameters, const part *args, int nargs)
{
    const cpi_tokens *t = &n->p->tokens;
    int start = s->function->start, behind = cpi_tokens_behind_angles(t, start + 1, s->function->open);
    part of[SUBSTITUTES], given[SUBSTITUTES];
    int ngiven = 0, count = behind < 0 ? -1 : cpi_normal_list_chunks(n, start + 1, behind - 1, of, SUBSTITUTES);
    if (is(n, call + 1, "<")) {
        int end = cpi_tokens_behind_angles(t, call + 1, t->n);
        ngiven = end < 0 ? -1 : cpi_normal_list_chunks(n, call + 1, end - 1, given, SUBSTITUTES);
    }
    if (count < 0 || ngiven < 0 || is(n, behind, "template")) {
        refuse(n);
        return;
    }
    for (int k = 0; k < count && !n->failed; k++) {
        int name = cpi_normal_parameter_name(n, of[k]), value = name + 1;
        bool any = is(n, of[k].first, "template"); /* template <typename> class Op */
        bool type = any || is(n, of[k].first, "typename") || is(n, of[k].first, "class");
        if (name < 0 || (type && !any && name != of[k].first + 1) || (any && k >= ngiven)) {
            refuse(n);
        } else if (k < ngiven || is(n, value, "=")) {
            cpi_string text = {0};
            if (!type) cpi_string_printf(&text, "(");
            if (k < ngiven) cpi_normal_put_words(n, s->outer, given[k].first, given[k].last, &text);
            else cpi_normal_put_words(n, s, value + 1, of[k].last, &text);
            if (!type) cpi_string_printf(&text, ")");
            if (k >= ngiven && type) refuse(n); /* it might be deduced */
            substitute(n, s, name, string_of(&text));
            cpi_string_free(&text);
        } else if (type) {
            deduce(n, s, name, parameters, args, nargs);
        } else {
            refuse(n);
        }
    }
}

/* The parameters as variables, and references as what they refer to. */
static void put_parameters(normal *n, scope *s, const part *parameters, int count, const cpi_string *arg,
                           const part *args, int nargs)
{
    for (int k = 0; k < count && !n->failed; k++) {
        int name = cpi_normal_parameter_name(n, parameters[k]), behind = name + 1;
        bool refers = false, fixed = cpi_normal_has_word(n, "const", parameters[k].first, name);
        bool array = is(n, behind, "[");
        for (int i = parameters[k].first; i < name; i++) {
            refers = refers || is(n, i, "&");
            if (is(n, i, "volatile") || is(n, i, "auto") || is(n, i, "&&")) refuse(n);
        }
        if (array) behind = match(n, behind) + 1;
        if (array && is(n, behind, "[")) refuse(n);
        if (k >= nargs && !is(n, behind, "=")) refuse(n);
        if (refers && !fixed) {
            if (k >= nargs || args[k].last != args[k].first + 1 || !named(n, args[k].first)) refuse(n);
            else substitute(n, s, name, string_of(&arg[k]));
            continue;
        }
        for (int i = parameters[k].first; i < name; i++)
            if (!is(n, i, "&")) cpi_normal_put_word(n, s, i, n->out);
        if (array) cpi_string_printf(n->out, "*");
        cpi_normal_put_word(n, s, name, n->out);
        cpi_string_printf(n->out, "= ");
        if (k < nargs) cpi_string_printf(n->out, "%s", string_of(&arg[k]));
        else cpi_normal_put_words(n, s, behind + 1, parameters[k].last, n->out);
        cpi_string_printf(n->out, "; ");
    }
}

/* The type that the function returns, in the caller's names. */
static void read_result(normal *n, scope *s, cpi_string *type)
{
    static const char *const passed[] = {"__device__", "__host__", "__forceinline__", "inline", "__inline__", "static",
                                         "constexpr", "__noinline__", "const", "extern"};
    const cpi_cu_function *f = s->function;
    int i = f->start;
    if (is(n, i, "template")) i = cpi_tokens_behind_angles(&n->p->tokens, i + 1, f->open);
    for (; i >= 0 && i < f->name; i++) {
        bool pass = at(n, i)->kind == CPI_W_STRING;
        for (size_t k = 0; k < sizeof passed / sizeof *passed; k++) pass = pass || is(n, i, passed[k]);
        if (is(n, i, "__attribute__") || is(n, i, "__launch_bounds__")) {
            i = match(n, i + 1);
            continue;
        }
        if (is(n, i, "auto") || is(n, i, "&") || is(n, i, "::")) refuse(n);
        if (!pass) cpi_normal_put_word(n, s, i, type);
    }
    if (!type->at) refuse(n);
    else if (strcmp(type->at, "void ") == 0) *type->at = 0;
}

static bool returns_at_its_end(normal *n, const cpi_cu_function *f)
{
    int count = 0, last = -1;
    for (int i = f->body + 1; i < f->end; i++) count += is(n, i, "return");
    for (int i = f->body + 1; i < f->end - 1 && i > 0 && !n->structure.failed;) {
        last = i;
        i = at(n, i)->kind == CPI_W_LINE ? i + 1 : cpi_structure_behind(&n->structure, i, f->end - 1);
    }
    if (n->structure.failed) refuse(n);
    return count == 1 && last > 0 && is(n, last, "return");
}

static void put_call(normal *n, scope *outer, const cpi_cu_function *f, int i, int open, cpi_string *result)
{
    scope *s = cpi_calloc(1, sizeof *s);
    cpi_string arg[ARGUMENTS] = {{0}}, type = {0};
    part args[ARGUMENTS], parameters[ARGUMENTS];
    if (!s || outer->depth == DEPTH || f->lockstep || f->turns) {
        refuse(n);
        cpi_free_host(s);
        return;
    }
    *s = (scope){.function = f, .outer = outer, .number = ++n->scopes, .index = (int)(f - n->p->function),
                 .depth = outer->depth + 1};
    for (const scope *o = outer; o; o = o->outer)
        if (o->function == f) refuse(n); /* calls itself */
    int nargs = read_arguments(n, outer, open, arg, args);
    int count = cpi_normal_list_chunks(n, f->open, match(n, f->open), parameters, ARGUMENTS);
    if (count < 0 || nargs > count) refuse(n);
    if (!n->failed) cpi_normal_find_names(n, s);
    if (!n->failed && f->templated) read_template(n, s, i, parameters, args, nargs);
    for (int k = 0; !n->failed && k < s->nnames; k++)
        if (substituted(n, s, s->names[k].name)) refuse(n);
    if (!n->failed) read_result(n, s, &type);
    int number = s->number, pending = n->pending;
    if (!n->failed) {
        cpi_string_printf(n->out, "\n");
        put_parameters(n, s, parameters, count, arg, args, nargs);
        s->type = string_of(&type);
        s->declares_result = returns_at_its_end(n, f);
        if (*s->type && !s->declares_result) cpi_string_printf(n->out, "%s __cu_r%d; ", s->type, number);
        cpi_normal_put_list(n, s, f->body + 1, f->end - 1, true);
        if (*s->type) cpi_string_printf(result, "__cu_r%d ", number);
        else cpi_string_printf(result, "(void)0 ");
    }
    n->pending = pending;
    for (int k = 0; k < ARGUMENTS; k++) cpi_string_free(&arg[k]);
    for (int k = 0; k < s->nsubstitutes; k++) cpi_string_free(&s->substitutes[k].text);
    cpi_string_free(&type);
    cpi_free_host(s);
}

/* --- expressions --- */

/* What waits in the expression goes to n->out as statements; returns the remaining value. */
static cpi_string expression(normal *n, scope *s, int first, int last)
{
    cpi_string r = {0};
    for (int i = first; i < last && !n->failed; i++) {
        const cpi_cu_function *f = cpi_normal_function_at(n, i);
        if (!f && !cpi_normal_waits_at(n, i)) {
            cpi_normal_put_word(n, s, i, &r);
            continue;
        }
        const struct waiting *w = NULL;
        for (size_t k = 0; k < sizeof waitings / sizeof *waitings; k++)
            if (!f && is(n, i, waitings[k].name)) w = &waitings[k];
        int open = i + 1;
        if (f && is(n, open, "<")) open = cpi_tokens_behind_angles(&n->p->tokens, open, n->p->tokens.n);
        if ((!f && !w) || member(n, i) || open < 0 || !is(n, open, "(") || !cpi_normal_unconditional(n, first, i)) {
            refuse(n);
            break;
        }
        if (f) {
            n->pending--;
            put_call(n, s, f, i, open, &r);
        } else {
            cpi_string arg[ARGUMENTS] = {{0}};
            part parts[ARGUMENTS];
            int nargs = read_arguments(n, s, open, arg, parts);
            n->pending--;
            if (nargs < w->least || nargs > w->most) refuse(n);
            else put_waiting(n, w, i, arg, nargs, &r);
            for (int k = 0; k < ARGUMENTS; k++) cpi_string_free(&arg[k]);
        }
        i = match(n, open);
    }
    n->failed = n->failed || r.failed;
    return r;
}

/* An expression that is not part of another. */
cpi_string cpi_normal_whole_expression(normal *n, scope *s, int first, int last)
{
    n->pending = cpi_normal_count_waits(n, first, last);
    return expression(n, s, first, last);
}
