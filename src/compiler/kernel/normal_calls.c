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
    for (int k = 0; k < count && !n->failed; k++) {
        scope *in;
        bool lambda = cpi_lambda_body(&n->p->tokens, parts[k].first) >= 0 ||
                      (parts[k].last == parts[k].first + 1 && cpi_normal_lambda(n, s, parts[k].first, &in) >= 0);
        if (!lambda) arg[k] = expression(n, s, parts[k].first, parts[k].last);
    }
    return count < 0 ? 0 : count;
}

/* --- inlined functions --- */

static bool substituted(const normal *n, const scope *s, int name)
{
    for (int k = 0; k < s->nsubstitutes; k++)
        if (cpi_token_same(at(n, name), s->substitutes[k].name)) return true;
    return false;
}

/* The [ of the lambda that the argument is, or -1. */
static int lambda_argument(const normal *n, scope *s, part arg, scope **in)
{
    *in = s;
    if (cpi_lambda_body(&n->p->tokens, arg.first) >= 0)
        return match(n, cpi_lambda_body(&n->p->tokens, arg.first)) + 1 == arg.last ? arg.first : -1;
    return arg.last == arg.first + 1 ? cpi_normal_lambda(n, s, arg.first, in) : -1;
}

/* The type of a parameter of a template, from the argument. */
static void deduce(normal *n, scope *s, int name, const part *parameters, const part *args, int nargs)
{
    for (int k = 0; k < nargs && !n->failed; k++) {
        int i = parameters[k].first, pname = cpi_normal_parameter_name(n, parameters[k]);
        while (is(n, i, "const")) i++;
        if (!cpi_token_same(at(n, i), at(n, name))) continue;
        bool refers = pname == i + 2 && (is(n, i + 1, "&") || is(n, i + 1, "&&"));
        if (!(pname == i + 1 || refers) || is(n, pname + 1, "[")) continue;
        scope *in;
        int lambda = lambda_argument(n, s->outer, args[k], &in);
        if (lambda >= 0) {
            cpi_normal_substitute(n, s, at(n, name), "", 0, 0, NULL);
            s->substitutes[s->nsubstitutes - 1].lambda = -1;
            return;
        }
        cpi_string text = {0};
        part tokens;
        in = NULL;
        if (!cpi_normal_value_type(n, s->outer, args[k].first, args[k].last, &text, &tokens, &in)) refuse(n);
        else cpi_normal_substitute(n, s, at(n, name), string_of(&text), tokens.first, tokens.last, in);
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
            part from = k < ngiven ? given[k] : (part){value + 1, of[k].last};
            scope *in = k < ngiven ? s->outer : s;
            cpi_string text = {0};
            if (!type) cpi_string_printf(&text, "(");
            cpi_normal_put_words(n, in, from.first, from.last, &text);
            if (!type) cpi_string_printf(&text, ")");
            if (k >= ngiven && type) refuse(n); /* it might be deduced */
            cpi_normal_substitute(n, s, at(n, name), string_of(&text), from.first, type ? from.last : from.first, in);
            cpi_string_free(&text);
        } else if (type) {
            deduce(n, s, name, parameters, args, nargs);
        } else {
            refuse(n);
        }
    }
}

/* A method that is defined outside of its record names the parameters of the record's template itself. */
static void rename_parameters(normal *n, scope *s)
{
    const scope *type = s->lexical;
    int start = s->function->start;
    if (s->record < 0 || s->function->templated || !is(n, start, "template")) return;
    part of[SUBSTITUTES];
    int behind = cpi_tokens_behind_angles(&n->p->tokens, start + 1, s->function->open);
    int count = behind < 0 ? -1 : cpi_normal_list_chunks(n, start + 1, behind - 1, of, SUBSTITUTES);
    if (count != type->nsubstitutes) refuse(n);
    for (int k = 0; k < count && !n->failed; k++) {
        const substitute_for *from = &type->substitutes[k];
        int name = cpi_normal_parameter_name(n, of[k]);
        if (name < 0) refuse(n);
        else cpi_normal_substitute(n, s, at(n, name), string_of(&from->text), from->first, from->last, from->in);
    }
}

/* The declaration of parameter `name` of type `auto`, whose argument is known. */
static void put_deduced(normal *n, scope *s, part arg)
{
    cpi_string text = {0};
    part tokens;
    scope *in;
    if (!cpi_normal_value_type(n, s->outer, arg.first, arg.last, &text, &tokens, &in)) refuse(n);
    cpi_string_printf(n->out, "%s", string_of(&text));
    cpi_string_free(&text);
}

/* The parameters as variables, and references as what they refer to. */
static void put_parameters(normal *n, scope *s, const part *parameters, int count, const cpi_string *arg,
                           const part *args, int nargs)
{
    for (int k = 0; k < count && !n->failed; k++) {
        int name = cpi_normal_parameter_name(n, parameters[k]), behind = name + 1;
        bool refers = false, fixed = cpi_normal_has_word(n, "const", parameters[k].first, name);
        bool array = is(n, behind, "["), deduced = false;
        scope *in;
        int lambda = k < nargs ? lambda_argument(n, s->outer, args[k], &in) : -1;
        if (lambda >= 0) {
            cpi_normal_substitute(n, s, at(n, name), "", 0, 0, in);
            s->substitutes[s->nsubstitutes - 1].lambda = lambda;
            continue;
        }
        for (int i = parameters[k].first; i < name; i++) {
            refers = refers || is(n, i, "&");
            deduced = deduced || is(n, i, "auto");
            if (is(n, i, "volatile") || is(n, i, "&&") || (deduced && is(n, i, "*"))) refuse(n);
        }
        if (array) behind = match(n, behind) + 1;
        if (array && is(n, behind, "[")) refuse(n);
        if (k >= nargs && (!is(n, behind, "=") || deduced)) refuse(n);
        if (refers && !fixed) {
            if (k >= nargs || args[k].last != args[k].first + 1 || !named(n, args[k].first)) refuse(n);
            else cpi_normal_substitute(n, s, at(n, name), string_of(&arg[k]), 0, 0, NULL);
            continue;
        }
        if (deduced && !n->failed) put_deduced(n, s, args[k]);
        for (int i = parameters[k].first; i < name && !deduced; i++)
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
static void read_result(normal *n, scope *s, const callee *c, cpi_string *type)
{
    static const char *const passed[] = {"__device__", "__host__", "__forceinline__", "inline", "__inline__", "static",
                                         "constexpr", "__noinline__", "const", "extern"};
    int i = c->type_first;
    if (i < 0) {
        s->deduced = true;
        return;
    }
    for (; i < c->type_end; i++) {
        bool pass = at(n, i)->kind == CPI_W_STRING;
        for (size_t k = 0; k < sizeof passed / sizeof *passed; k++) pass = pass || is(n, i, passed[k]);
        if (is(n, i, "__attribute__") || is(n, i, "__launch_bounds__")) {
            i = match(n, i + 1);
            continue;
        }
        if (is(n, i, "auto")) s->deduced = true;
        if (is(n, i, "&") || (is(n, i, "::") && !c->self && c->record < 0)) refuse(n);
        if (!pass) cpi_normal_put_word(n, s, i, type);
    }
    if (s->deduced && cpi_normal_has_word(n, "->", s->function->open, s->function->body)) refuse(n);
    if (!type->at) refuse(n);
    else if (strcmp(type->at, "void ") == 0) *type->at = 0;
}

static bool returns_at_its_end(normal *n, const cpi_cu_function *f)
{
    int count = 0, last = -1;
    for (int i = f->body + 1; i < f->end; i++) {
        int lambda = cpi_lambda_body(&n->p->tokens, i);
        if (lambda >= 0) i = match(n, lambda);
        count += is(n, i, "return");
    }
    for (int i = f->body + 1; i < f->end - 1 && i > 0 && !n->structure.failed;) {
        last = i;
        i = at(n, i)->kind == CPI_W_LINE ? i + 1 : cpi_structure_behind(&n->structure, i, f->end - 1);
    }
    if (n->structure.failed) refuse(n);
    return count == 1 && last > 0 && is(n, last, "return");
}

static void put_body(normal *n, scope *s, const cpi_string *type, cpi_string *result)
{
    const cpi_cu_function *f = s->function;
    s->declares_result = returns_at_its_end(n, f);
    if (s->deduced) { /* the value itself is the result, unless something waits before it is used */
        bool returns = false;
        for (int i = f->body + 1; i < f->end - 1; i++) returns = returns || is(n, i, "return");
        if (returns && !s->declares_result) refuse(n);
    }
    s->type = s->deduced ? "" : string_of(type);
    if (*s->type && !s->declares_result) cpi_string_printf(n->out, "%s __cu_r%d; ", s->type, s->number);
    cpi_normal_put_list(n, s, f->body + 1, f->end - 1, true);
    if (*s->type) cpi_string_printf(result, "__cu_r%d ", s->number);
    else if (s->result.at && n->pending) { /* something waits before it is used */
        cpi_string_printf(n->out, "unsigned long long __cu_r%d = __cu_pack(( %s)); ", s->number, s->result.at);
        cpi_string_printf(result, "__cu_unpack<__cu_typeof(( %s))>(__cu_r%d) ", s->result.at, s->number);
    } else if (s->result.at) cpi_string_printf(result, "( %s) ", s->result.at);
    else cpi_string_printf(result, "(void)0 ");
}

void cpi_normal_put_call(normal *n, scope *outer, const callee *c, int i, int open, cpi_string *result)
{
    const cpi_cu_function *f = c->function;
    scope *s = cpi_calloc(1, sizeof *s);
    cpi_string arg[ARGUMENTS] = {{0}}, type = {0};
    part args[ARGUMENTS], parameters[ARGUMENTS];
    if (!s || outer->depth == DEPTH || f->lockstep || f->turns) {
        refuse(n);
        cpi_free_host(s);
        return;
    }
    *s = (scope){.function = f, .outer = outer, .lexical = c->lexical, .record = c->record, .lambda = c->lambda,
                 .generic = c->generic, .number = ++n->scopes, .index = c->index, .depth = outer->depth + 1};
    if (c->self) cpi_string_printf(&s->self, "%s", c->self);
    for (const scope *o = outer; o; o = o->outer)
        if (o->function && o->function->body == f->body) refuse(n); /* calls itself */
    int nargs = read_arguments(n, outer, open, arg, args);
    int count = f->open < 0 ? 0 : cpi_normal_list_chunks(n, f->open, match(n, f->open), parameters, ARGUMENTS);
    if (count < 0 || nargs > count) refuse(n);
    if (!n->failed) cpi_normal_find_names(n, s);
    if (!n->failed && f->templated) read_template(n, s, i, parameters, args, nargs);
    if (!n->failed) rename_parameters(n, s);
    for (int k = 0; !n->failed && k < s->nnames; k++)
        if (substituted(n, s, s->names[k].name)) refuse(n);
    if (!n->failed) read_result(n, s, c, &type);
    int pending = n->pending;
    if (!n->failed) {
        cpi_string_printf(n->out, "\n");
        put_parameters(n, s, parameters, count, arg, args, nargs);
        if (!n->failed) put_body(n, s, &type, result);
    }
    n->pending = pending;
    for (int k = 0; k < ARGUMENTS; k++) cpi_string_free(&arg[k]);
    for (int k = 0; k < s->nsubstitutes; k++) cpi_string_free(&s->substitutes[k].text);
    cpi_string_free(&s->self);
    cpi_string_free(&s->result);
    cpi_string_free(&type);
    cpi_free_host(s);
}

static void put_function(normal *n, scope *s, const cpi_cu_function *f, int i, int open, cpi_string *result)
{
    int first = f->start;
    if (is(n, first, "template")) first = cpi_tokens_behind_angles(&n->p->tokens, first + 1, f->open);
    const callee c = {.function = f, .record = -1, .index = (int)(f - n->p->function), .type_first = first,
                      .type_end = f->name, .generic = f->templated};
    if (first < 0) refuse(n);
    else cpi_normal_put_call(n, s, &c, i, open, result);
}

/* --- expressions --- */

/* Whether the name at i is a function's of the program. */
static bool is_free(const normal *n, int i) { return !member(n, i) && cpi_cu_named(n->p, at(n, i), 0) != NULL; }

/* What waits in the expression goes to n->out as statements; returns the remaining value. */
static cpi_string expression(normal *n, scope *s, int first, int last)
{
    cpi_string r = {0};
    for (int i = first; i < last && !n->failed; i++) {
        const cpi_cu_function *f = cpi_normal_function_at(n, i);
        int call = cpi_normal_waiting_call(n, i, last), behind;
        if (!f && call >= 0 && cpi_normal_unconditional(n, first, i)) {
            n->pending--;
            if (cpi_normal_put_method(n, s, i, call, &r, &behind)) {
                i = behind - 1;
                continue;
            }
            if (call == i && is_free(n, i)) { /* of another function, which does not wait */
                cpi_normal_put_word(n, s, i, &r);
                continue;
            }
            refuse(n);
            break;
        }
        if (n->records->functors && cpi_records_odd_call(n->p, i)) refuse(n);
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
            put_function(n, s, f, i, open, &r);
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
