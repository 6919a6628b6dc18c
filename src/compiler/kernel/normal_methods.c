/* Converting kernels to the form of normal.c: methods, functors and lambdas that wait become statements where they are
 * called, as functions do. Their members are written with their object; what a lambda captures is what it is around it.
 * Invariant: what is called is certain, or the kernel is refused. */
#include <string.h>

#include "core/memory.h"
#include "kernel/normal.h"

/* --- lambdas --- */

/* How many variables of the function have the name. */
static int count_declared(const normal *n, const scope *s, const cpi_token *name)
{
    int count = 0;
    for (int k = 0; k < s->nnames; k++) count += cpi_token_same(at(n, s->names[k].name), name);
    return count;
}

/* The [ of the lambda that the name at i stands for in scope s, or -1; *in: where it is written. */
int cpi_normal_lambda(const normal *n, scope *s, int i, scope **in)
{
    if (!n->records->lambdas || !named(n, i) || member(n, i)) return -1;
    for (scope *o = s; o; o = o->lexical) {
        for (int k = 0; k < o->nsubstitutes; k++) {
            if (!cpi_token_same(o->substitutes[k].name, at(n, i))) continue;
            *in = o->substitutes[k].in;
            return o->substitutes[k].lambda > 0 ? o->substitutes[k].lambda : -1;
        }
        const declared *d = o->function ? cpi_normal_find(n, o, at(n, i)) : NULL;
        *in = o;
        if (d && count_declared(n, o, at(n, i)) > 1) return -1; /* which is meant is not known */
        if (d)
            return is(n, d->name + 1, "=") && cpi_lambda_body(&n->p->tokens, d->name + 2) >= 0 ? d->name + 2 : -1;
        if (!o->lambda) return -1;
    }
    return -1;
}

bool cpi_normal_lambda_waits(normal *n, int lambda)
{
    int body = cpi_lambda_body(&n->p->tokens, lambda);
    return cpi_normal_count_waits(n, body, match(n, body)) > 0;
}

bool cpi_normal_calls_lambda(normal *n, scope *s, int first, int last)
{
    scope *in;
    for (int i = first; i < last && n->records->lambdas; i++)
        if (cpi_normal_lambda(n, s, i, &in) >= 0) return true;
    return false;
}

/* Whether the variable of the name may be changed between the tokens. */
static bool may_change(normal *n, const cpi_token *name, int first, int last)
{
    for (int i = first; i < last; i++) {
        if (!cpi_token_same(at(n, i), name) || member(n, i)) continue;
        int behind = i + 1;
        while (is(n, behind, "[") || is(n, behind, "."))
            behind = is(n, behind, "[") ? match(n, behind) + 1 : behind + 2;
        if (cpi_structure_assigns(&n->structure, behind) || is(n, i - 1, "++") || is(n, i - 1, "--")) return true;
        bool operand = named(n, i - 2) || at(n, i - 2)->kind == CPI_W_NUMBER || is(n, i - 2, ")") || is(n, i - 2, "]");
        if (is(n, i - 1, "&") && !operand) return true;
        bool argument = (is(n, i - 1, "(") || is(n, i - 1, ",")) && (is(n, i + 1, ")") || is(n, i + 1, ","));
        if (argument || is(n, i + 1, "(")) return true; /* perhaps of a reference */
    }
    return false;
}

/* Names of the lambda's own: parameters, variables. */
static void find_own(normal *n, scope *s, int lambda, scope *in)
{
    int body = cpi_lambda_body(&n->p->tokens, lambda), close = match(n, lambda);
    s->lambda = true, s->record = -1, s->lexical = in;
    s->own = (cpi_cu_function){.start = lambda, .name = lambda, .open = is(n, close + 1, "(") ? close + 1 : -1,
                               .body = body, .end = match(n, body) + 1, .device = true};
    s->function = &s->own;
    if (is(n, close + 1, "<")) refuse(n);
    cpi_normal_find_names(n, s);
}

/* Whether the name at i, which the lambda does not declare, means the same where the lambda is called: `value`: it has
 * the value that it had when the lambda was made, too. */
static bool stays(normal *n, scope *in, int lambda, int i, bool value)
{
    for (scope *o = in; o; o = o->lexical) {
        const declared *d = o->function ? cpi_normal_find(n, o, at(n, i)) : NULL;
        if (d && count_declared(n, o, at(n, i)) > 1) return false; /* another one may hide it there */
        if (d && d->name > lambda && o == in) return false; /* declared later: the lambda means another one */
        if (d && value && !d->shared && !is(n, d->name + 1, "[") &&
            !(d->plain && cpi_normal_has_word(n, "const", d->type, d->type_end)))
            return !may_change(n, at(n, i), d->name + 1, o->function->end);
        if (d || !o->lambda) break;
    }
    return true;
}

/* Whether what the lambda captures is the same where it is called as it was when the lambda was made. */
static bool captures_what_stays(normal *n, scope *in, int lambda)
{
    int close = match(n, lambda), body = cpi_lambda_body(&n->p->tokens, lambda);
    if (cpi_normal_has_word(n, "=", lambda + 2, close) || cpi_normal_has_word(n, "mutable", close, body) ||
        cpi_normal_has_word(n, "*", lambda, close))
        return false;
    scope *own = cpi_calloc(1, sizeof *own);
    if (!own) return false;
    own->plain = true;
    find_own(n, own, lambda, in);
    bool all = !n->failed, by_reference = is(n, lambda + 1, "&") && !named(n, lambda + 2);
    for (int i = body; i < match(n, body) && all; i++) {
        if (!named(n, i) || member(n, i) || cpi_normal_find(n, own, at(n, i))) continue;
        bool value = !by_reference;
        for (int k = lambda + 1; k < close; k++)
            if (cpi_token_same(at(n, k), at(n, i))) value = !is(n, k - 1, "&");
        all = stays(n, in, lambda, i, value);
    }
    cpi_free_host(own);
    return all;
}

/* The lambda as an expression, for a call of it; what it captures is read when it is called. */
void cpi_normal_put_lambda(normal *n, scope *in, int lambda, cpi_string *out)
{
    scope *s = cpi_calloc(1, sizeof *s);
    if (!s || !captures_what_stays(n, in, lambda) || cpi_normal_lambda_waits(n, lambda)) {
        refuse(n);
        cpi_free_host(s);
        return;
    }
    s->plain = true;
    find_own(n, s, lambda, in);
    n->lambdas++;
    cpi_string_printf(out, "( [ & ] ");
    int body = s->own.body;
    for (int i = match(n, lambda) + 1; i <= match(n, body) && !n->failed; i++) cpi_normal_put_word(n, s, i, out);
    cpi_string_printf(out, ") ");
    cpi_free_host(s);
}

/* --- members --- */

static scope *record_of(scope *s)
{
    for (; s; s = s->lexical)
        if (s->record >= 0 && !s->function) return s;
    return NULL;
}

/* The scope of the method around: the one that has an object. */
static scope *method_of(scope *s)
{
    while (s && !(s->function && s->record >= 0)) s = s->lexical;
    return s;
}

/* The member at i of the record whose method is written. False: it is none. */
bool cpi_normal_put_member(normal *n, scope *s, int i, cpi_string *out)
{
    const scope *method = s->function ? method_of(s) : NULL;
    if (is(n, i, "this")) {
        if (!method || !method->self.at) refuse(n);
        else cpi_string_printf(out, "( & %s) ", method->self.at);
        return true;
    }
    for (scope *type = record_of(s); type; type = type->lexical) {
        scope *owner;
        if (cpi_token_same(at(n, i), at(n, n->records->record[type->record].name)) && !is(n, i + 1, "<")) {
            cpi_normal_put_type(n, type, out);
            return true;
        }
        const cpi_record_member *m = cpi_normal_member(n, type, at(n, i), &owner);
        if (!m) continue;
        n->opened = true;
        bool object = m->kind == CPI_M_DATA || (m->kind == CPI_M_METHOD && !m->fixed);
        if (object && (!method || !method->self.at)) refuse(n);
        if (n->failed) return true;
        if (object) {
            cpi_string_printf(out, "%s. ", method->self.at);
            if (m->function.templated && is(n, i + 1, "<")) cpi_string_printf(out, "template ");
        } else {
            if (m->kind == CPI_M_TYPE) cpi_string_printf(out, "typename ");
            cpi_normal_put_type(n, owner, out);
            cpi_string_printf(out, ":: ");
        }
        cpi_string_printf(out, "%.*s ", (int)at(n, i)->length, at(n, i)->text);
        return true;
    }
    return false;
}

/* --- calls --- */

/* The call that may be of a method that waits and whose object begins at i: its name, or -1. */
int cpi_normal_waiting_call(normal *n, int i, int last)
{
    if (!n->records->any || !named(n, i) || member(n, i)) return -1;
    for (int k = i; k < last && named(n, k);) {
        if (cpi_records_may_wait(n->p, n->records, k)) return k;
        int next = k + 1, behind = is(n, next, "<") ? cpi_tokens_behind_angles(&n->p->tokens, next, last) : -1;
        if (behind > 0 && (is(n, behind, "::") || is(n, behind, "(") || is(n, behind, "{"))) next = behind;
        if (is(n, next, "{") && k != i && !is(n, k - 1, "::")) return -1;
        while (next < last && (is(n, next, "(") || is(n, next, "[") || is(n, next, "{"))) {
            if (cpi_normal_count_waits(n, next, match(n, next))) return -1;
            next = match(n, next) + 1;
        }
        if (!is(n, next, ".") && !is(n, next, "->") && !is(n, next, "::")) return -1;
        k = is(n, next + 1, "template") ? next + 2 : next + 1;
    }
    return -1;
}

/* The object between the tokens as it can be written more than once. */
static void put_object(normal *n, scope *s, int first, int last, scope *type, bool pointer, cpi_string *self)
{
    bool simple = !pointer, built = false;
    for (int i = first; i < last; i++) {
        bool element = is(n, i, "[") && at(n, i + 1)->kind == CPI_W_NUMBER && match(n, i) == i + 2;
        simple = simple && (named(n, i) || is(n, i, ".") || element) && !is(n, i, "this");
        if (element) i += 2;
        if ((is(n, i, "(") || is(n, i, "{")) && i + 1 < last) built = true;
    }
    if (last == first + 1 && is(n, first, "this")) {
        scope *method = method_of(s);
        if (!method || !method->self.at) refuse(n);
        else cpi_string_printf(self, "%s", method->self.at);
        return;
    }
    if (simple) {
        cpi_normal_put_words(n, s, first, last, self);
        return;
    }
    int id = ++n->objects;
    cpi_string value = {0};
    if (built && (pointer || match(n, last - 1) < first || !(is(n, last - 1, ")") || is(n, last - 1, "}")))) refuse(n);
    cpi_normal_put_words(n, s, first, last, &value);
    if (cpi_normal_count_waits(n, first, last)) refuse(n);
    cpi_normal_put_type(n, type, n->out);
    if (built) {
        cpi_string_printf(n->out, "__cu_o%d = %s; ", id, string_of(&value));
        cpi_string_printf(self, "__cu_o%d ", id);
    } else {
        cpi_string_printf(n->out, "* __cu_o%d = %s( %s); ", id, pointer ? "" : "& ", string_of(&value));
        cpi_string_printf(self, "( * __cu_o%d ) ", id);
    }
    cpi_string_free(&value);
}

/* What is called at `call`, for an object that begins at i; false: no method, functor or lambda. */
static bool find_callee(normal *n, scope *s, int i, int call, int open, callee *c, cpi_string *self)
{
    part parts[ARGUMENTS];
    scope *in, *type = NULL, *owner = NULL;
    int lambda = call == i ? cpi_normal_lambda(n, s, i, &in) : -1;
    int nargs = cpi_normal_list_chunks(n, open, match(n, open), parts, ARGUMENTS);
    if (lambda >= 0) {
        if (!captures_what_stays(n, in, lambda)) refuse(n);
        *c = (callee){.lexical = in, .record = -1, .index = n->p->nfunctions + n->records->nmembers + lambda,
                      .type_first = -1, .lambda = true, .generic = in->generic};
        return true;
    }
    const cpi_record_member *m = NULL;
    bool pointer = false, implicit = call == i;
    if (call == i) {
        scope *of = record_of(s);
        m = of ? cpi_normal_method(n, of, call, nargs, &owner) : NULL;
        if (!m) { /* a functor? */
            type = cpi_normal_object_type(n, s, i, i + 1, &pointer);
            m = type && !pointer ? cpi_normal_method(n, type, -1, nargs, &owner) : NULL;
            implicit = false;
            if (m) put_object(n, s, i, i + 1, type, false, self);
        }
    } else if (is(n, call - 1, "::")) {
        type = cpi_normal_type(n, s, i, call - 1);
        m = type ? cpi_normal_method(n, type, call, nargs, &owner) : NULL;
        implicit = true;
    } else {
        int end = is(n, call - 1, "template") ? call - 2 : call - 1;
        type = cpi_normal_object_type(n, s, i, end, &pointer);
        if (type && pointer != is(n, end, "->")) type = NULL;
        m = type ? cpi_normal_method(n, type, call, nargs, &owner) : NULL;
        scope *field = NULL;
        if (!m && type) { /* a functor that is a member */
            field = cpi_normal_object_type(n, s, i, call + 1, &pointer);
            m = field && !pointer ? cpi_normal_method(n, field, -1, nargs, &owner) : NULL;
            end = call + 1, type = field;
        }
        if (m && !m->fixed) put_object(n, s, i, end, type, pointer, self);
    }
    if (!m) return false;
    if (m->virtual || m->function.body < 0 || m->abstruse) refuse(n);
    if (implicit && !m->fixed) {
        scope *method = method_of(s);
        if (!method || !method->self.at) refuse(n);
        else cpi_string_printf(self, "%s", method->self.at);
    }
    *c = (callee){.function = &m->function, .lexical = owner, .record = owner->record,
                  .index = n->p->nfunctions + (int)(m - n->records->member), .type_first = m->first,
                  .type_end = m->type_end, .generic = owner->generic || m->function.templated,
                  .self = m->fixed ? NULL : string_of(self)};
    n->opened = true;
    return true;
}

/* The call at `call`, whose object begins at i; *behind: behind it. False: it is no method that waits. */
bool cpi_normal_put_method(normal *n, scope *s, int i, int call, cpi_string *result, int *behind)
{
    callee c;
    cpi_string self = {0};
    int open = call + 1;
    if (is(n, open, "<")) open = cpi_tokens_behind_angles(&n->p->tokens, open, n->p->tokens.n);
    bool found = open > 0 && find_callee(n, s, i, call, open, &c, &self);
    if (found && !n->failed) {
        scope *own = NULL;
        if (c.lambda) {
            scope *in;
            int lambda = cpi_normal_lambda(n, s, i, &in);
            own = cpi_calloc(1, sizeof *own);
            if (own) find_own(n, own, lambda, in);
            else refuse(n);
            c.function = own ? &own->own : NULL;
            for (int k = lambda; own && k < own->own.body; k++)
                if (is(n, k, "->")) c.type_first = k + 1, c.type_end = own->own.body;
        }
        if (!n->failed) cpi_normal_put_call(n, s, &c, call, open, result);
        cpi_free_host(own);
        *behind = match(n, open) + 1;
    }
    cpi_string_free(&self);
    return found;
}
