/* Converting kernels to the form of normal.c: which record an object is of, and its members. A record whose template's
 * arguments are known is a scope of its own. Invariant: a type that is not certain is none. */
#include <string.h>

#include "core/memory.h"
#include "kernel/normal.h"

enum { DEEP = 8 };

static scope *type_of(normal *n, scope *s, int first, int last, int depth);
static const cpi_record_member *member_of(normal *n, scope *type, const cpi_token *name, scope **owner, int nargs,
                                          int depth);

void cpi_normal_substitute(normal *n, scope *s, const cpi_token *name, const char *text, int first, int last,
                           scope *in)
{
    if (s->nsubstitutes == SUBSTITUTES) {
        refuse(n);
        return;
    }
    substitute_for *to = &s->substitutes[s->nsubstitutes++];
    *to = (substitute_for){.name = name, .first = first, .last = last, .in = in};
    cpi_string_printf(&to->text, "%s", text);
}

static void free_scope(scope *s)
{
    for (int k = 0; k < s->nsubstitutes; k++) cpi_string_free(&s->substitutes[k].text);
    cpi_free_host(s);
}

void cpi_normal_free_types(normal *n)
{
    for (int k = 0; k < n->ntypes; k++) free_scope(n->types[k]);
    n->ntypes = 0;
}

/* --- records --- */

/* The record around record k, -1: none. */
static int record_around(const normal *n, int k)
{
    int found = -1;
    for (int r = 0; r < n->records->nrecords; r++) {
        const cpi_record *o = &n->records->record[r];
        if (r != k && o->open < n->records->record[k].open && match(n, o->open) > n->records->record[k].open &&
            (found < 0 || o->open > n->records->record[found].open))
            found = r;
    }
    return found;
}

/* The arguments in the angles at `angles`, and defaults, for the parameters of the record's template. */
static bool bind_arguments(normal *n, scope *s, scope *type, int angles)
{
    const cpi_tokens *t = &n->p->tokens;
    const cpi_record *r = &n->records->record[type->record];
    part of[8], given[8];
    int behind = cpi_tokens_behind_angles(t, r->head + 1, t->n), ngiven = 0;
    int count = behind < 0 ? -1 : cpi_normal_list_chunks(n, r->head + 1, behind - 1, of, 8);
    if (angles >= 0) {
        int end = cpi_tokens_behind_angles(t, angles, t->n);
        ngiven = end < 0 ? -1 : cpi_normal_list_chunks(n, angles, end - 1, given, 8);
    }
    if (count < 0 || ngiven < 0 || ngiven > count) return false;
    for (int k = 0; k < count && !n->failed; k++) {
        int name = cpi_normal_parameter_name(n, of[k]);
        bool kind = is(n, of[k].first, "typename") || is(n, of[k].first, "class");
        if (name < 0 || (kind && name != of[k].first + 1) || (k >= ngiven && !is(n, name + 1, "="))) return false;
        part from = k < ngiven ? given[k] : (part){name + 2, of[k].last};
        scope *in = k < ngiven ? s : type;
        cpi_string text = {0};
        if (!kind) cpi_string_printf(&text, "(");
        cpi_normal_put_words(n, in, from.first, from.last, &text);
        if (!kind) cpi_string_printf(&text, ")");
        cpi_normal_substitute(n, type, at(n, name), string_of(&text), from.first, kind ? from.last : from.first, in);
        cpi_string_free(&text);
    }
    return !n->failed;
}

/* The scope of record k, whose name is at i, in scope s. */
static scope *record_scope(normal *n, scope *s, int k, int i, scope *around)
{
    const cpi_record *r = &n->records->record[k];
    for (scope *o = s; o; o = o->lexical) /* its own name, in itself */
        if (o->record == k && !is(n, i + 1, "<") && !o->function) return o;
    if ((r->head >= 0) != is(n, i + 1, "<") || n->ntypes == TYPES) return NULL;
    scope *type = cpi_calloc(1, sizeof *type);
    if (!type) return NULL;
    n->types[n->ntypes++] = type;
    type->record = k;
    int outer = record_around(n, k);
    type->lexical = around;
    for (scope *o = s; o && !type->lexical && outer >= 0; o = o->lexical)
        if (o->record == outer && !o->function) type->lexical = o;
    if (outer >= 0 && !type->lexical) {
        if (n->records->record[outer].head >= 0) return NULL;
        type->lexical = record_scope(n, NULL, outer, n->records->record[outer].name, NULL);
        if (!type->lexical) return NULL;
    }
    type->generic = r->head >= 0 || (type->lexical && type->lexical->generic);
    if (r->head >= 0 && !bind_arguments(n, s, type, i + 1)) return NULL;
    return type;
}

/* With the namespaces and records around it. */
void cpi_normal_put_type(normal *n, scope *type, cpi_string *out)
{
    const cpi_record *r = &n->records->record[type->record];
    if (type->lexical) {
        cpi_normal_put_type(n, type->lexical, out);
        cpi_string_printf(out, ":: ");
    } else {
        for (int k = 1; k < r->name; k++)
            if (is(n, k, "{") && match(n, k) > r->name && named(n, k - 1) && is(n, k - 2, "namespace"))
                cpi_string_printf(out, "%.*s :: ", (int)at(n, k - 1)->length, at(n, k - 1)->text);
    }
    cpi_string_printf(out, "%.*s ", (int)at(n, r->name)->length, at(n, r->name)->text);
    for (int k = 0; k < type->nsubstitutes; k++)
        cpi_string_printf(out, "%s %s", k ? "," : "<", string_of(&type->substitutes[k].text));
    if (type->nsubstitutes) cpi_string_printf(out, "> ");
}

/* --- names of types --- */

/* The type that `using X = T;` or `typedef T X;` between the tokens gives the name w. */
static bool find_alias(const normal *n, const cpi_token *w, int first, int last, part *found)
{
    int count = 0;
    for (int i = first; i < last; i++) {
        if (is(n, i, "using") && is(n, i + 2, "=") && cpi_token_same(at(n, i + 1), w)) {
            *found = (part){i + 3, cpi_normal_next_semicolon(n, i, last)};
            count++;
        } else if (is(n, i, "typedef")) {
            int end = cpi_normal_next_semicolon(n, i, last);
            if (end < last && cpi_token_same(at(n, end - 1), w)) *found = (part){i + 1, end - 1}, count++;
        }
    }
    return count == 1;
}

/* The type that the name at i is another name of. */
static scope *alias_of(normal *n, scope *s, int i, int depth)
{
    part found;
    for (scope *o = s; o; o = o->lexical) {
        if (o->function && o->function->body >= 0 &&
            find_alias(n, at(n, i), o->function->body, o->function->end, &found))
            return type_of(n, o, found.first, found.last, depth + 1);
        if (o->record < 0 || o->function) continue;
        scope *owner;
        /* not in its bases, which may be what is looked for */
        const cpi_record_member *m = member_of(n, o, at(n, i), &owner, -1, DEEP);
        if (m && m->kind == CPI_M_TYPE && m->type_end > m->first)
            return type_of(n, owner, m->first, m->type_end, depth + 1);
    }
    const cpi_cu_program *p = n->p;
    for (int k = 0; k < p->nparts; k++)
        if ((is(n, p->part[k].start, "using") || is(n, p->part[k].start, "typedef")) &&
            find_alias(n, at(n, i), p->part[k].start, p->part[k].end, &found))
            return type_of(n, NULL, found.first, found.last, depth + 1);
    return NULL;
}

static scope *type_of(normal *n, scope *s, int first, int last, int depth)
{
    static const char *const passed[] = {"const", "volatile", "typename", "struct", "class", "static", "constexpr",
                                         "::", "mutable", "__restrict__", NULL};
    int i = first;
    while (i < last && (cpi_token_is_one_of(at(n, i), passed) ||
                        (named(n, i) && is(n, i + 1, "::") && cpi_cu_is_namespace(n->p, at(n, i)))))
        i++;
    if (depth == DEEP || i >= last || !named(n, i)) return NULL;
    for (scope *o = s; o; o = o->lexical)
        for (int k = 0; k < o->nsubstitutes; k++)
            if (cpi_token_same(o->substitutes[k].name, at(n, i))) {
                const substitute_for *from = &o->substitutes[k];
                return from->last > from->first ? type_of(n, from->in, from->first, from->last, depth + 1) : NULL;
            }
    scope *found = alias_of(n, s, i, depth);
    int record = found ? -1 : cpi_records_named(n->p, n->records, at(n, i));
    if (record >= 0) found = record_scope(n, s, record, i, NULL);
    if (is(n, i + 1, "<")) i = cpi_tokens_behind_angles(&n->p->tokens, i + 1, last) - 1;
    while (found && i >= first && is(n, i + 1, "::") && i + 2 < last) { /* a type of the record's */
        scope *owner;
        const cpi_record_member *m = cpi_normal_member(n, found, at(n, i + 2), &owner);
        if (!m || m->kind != CPI_M_TYPE) return NULL;
        record = cpi_records_named(n->p, n->records, at(n, i + 2));
        found = m->type_end > m->first ? type_of(n, owner, m->first, m->type_end, depth + 1)
                : record >= 0          ? record_scope(n, owner, record, i + 2, owner)
                                       : NULL;
        i += 2;
        if (is(n, i + 1, "<")) return NULL;
    }
    return found;
}

scope *cpi_normal_type(normal *n, scope *s, int first, int last) { return type_of(n, s, first, last, 0); }

/* --- members --- */

static const cpi_record_member *member_of(normal *n, scope *type, const cpi_token *name, scope **owner, int nargs,
                                          int depth)
{
    const cpi_record_member *found = NULL;
    const cpi_record *r = &n->records->record[type->record];
    for (int k = 0; k < n->records->nmembers; k++) {
        const cpi_record_member *m = &n->records->member[k];
        if (m->record != type->record || !cpi_token_same(at(n, m->name), name)) continue;
        if (nargs >= 0 && m->kind == CPI_M_METHOD) {
            part parts[ARGUMENTS];
            int most = cpi_normal_list_chunks(n, m->function.open, match(n, m->function.open), parts, ARGUMENTS);
            int least = 0;
            while (least < most && !cpi_normal_has_word(n, "=", parts[least].first, parts[least].last)) least++;
            bool call = is(n, m->name, "operator") && !is(n, m->name + 1, "(");
            if (call || nargs < least || nargs > most) continue;
        }
        if (found) {
            refuse(n); /* overloaded: types would decide */
            return NULL;
        }
        *owner = type;
        found = m;
    }
    if (found || depth == DEEP) return found;
    for (int i = r->bases; i < r->bases_end;) {
        static const char *const words[] = {"public", "private", "protected", "virtual", ",", NULL};
        while (i < r->bases_end && cpi_token_is_one_of(at(n, i), words)) i++;
        int end = i;
        while (end < r->bases_end && !is(n, end, ",")) {
            int behind = is(n, end, "<") ? cpi_tokens_behind_angles(&n->p->tokens, end, r->bases_end) : -1;
            end = behind > 0 ? behind : end + 1;
        }
        scope *base = type_of(n, type, i, end, 0), *of;
        const cpi_record_member *m = base ? member_of(n, base, name, &of, nargs, depth + 1) : NULL;
        if (m && found) {
            refuse(n);
            return NULL;
        }
        if (m) found = m, *owner = of;
        i = end;
    }
    return found;
}

const cpi_record_member *cpi_normal_member(normal *n, scope *type, const cpi_token *name, scope **owner)
{
    bool failed = n->failed;
    const cpi_record_member *m = member_of(n, type, name, owner, -1, 0);
    if (m || failed || !n->failed) return m;
    n->failed = false; /* overloaded methods: any of them says what the name is */
    for (int k = 0; k < n->records->nmembers; k++)
        if (n->records->member[k].record == type->record && cpi_token_same(at(n, n->records->member[k].name), name)) {
            *owner = type;
            return &n->records->member[k];
        }
    refuse(n);
    return NULL;
}

const cpi_record_member *cpi_normal_method(normal *n, scope *type, int name, int nargs, scope **owner)
{
    for (int k = 0; name < 0 && k < n->records->nmembers; k++) /* of a call of an object */
        if (is(n, n->records->member[k].name, "operator")) name = n->records->member[k].name;
    const cpi_record_member *m = name < 0 ? NULL : member_of(n, type, at(n, name), owner, nargs, 0);
    return m && m->kind == CPI_M_METHOD ? m : NULL;
}

/* --- values --- */

const declared *cpi_normal_variable(const normal *n, scope *s, const cpi_token *name, scope **in)
{
    for (*in = s; *in; *in = (*in)->lexical) {
        const declared *d = (*in)->function ? cpi_normal_find(n, *in, name) : NULL;
        int same = 0;
        for (int k = 0; d && k < (*in)->nnames; k++) same += cpi_token_same(at(n, (*in)->names[k].name), name);
        if (d) return same == 1 ? d : NULL;
        if (!(*in)->lambda) return NULL;
    }
    return NULL;
}

/* The type of the variable or member whose name is at i; *stars: how many elements lead to it. */
static scope *named_type(normal *n, scope *s, int i, int *stars)
{
    scope *in;
    const declared *d = cpi_normal_variable(n, s, at(n, i), &in);
    int name = d ? d->name : -1;
    scope *type = d ? cpi_normal_type(n, in, d->type, d->type_end) : NULL;
    for (scope *o = s; !d && o; o = o->lexical) {
        if (o->record < 0 || o->function) continue;
        scope *owner;
        const cpi_record_member *m = cpi_normal_member(n, o, at(n, i), &owner);
        if (!m) continue;
        if (m->kind != CPI_M_DATA) return NULL;
        type = cpi_normal_type(n, owner, m->first, m->type_end), name = m->name;
        break;
    }
    *stars = 0;
    if (name < 0) return NULL;
    for (int k = name - 1; is(n, k, "*") || is(n, k, "&") || is(n, k, "const") || is(n, k, "__restrict__"); k--)
        *stars += is(n, k, "*");
    for (int k = name + 1; is(n, k, "["); k = match(n, k) + 1) ++*stars;
    return type;
}

scope *cpi_normal_object_type(normal *n, scope *s, int first, int last, bool *pointer)
{
    int stars = 0, k = first + 1;
    scope *type = NULL;
    if (is(n, first, "this")) {
        for (scope *o = s; o && !type; o = o->lexical)
            if (o->record >= 0 && !o->function) type = o;
        stars = 1;
    } else if (named(n, first)) {
        int behind = is(n, k, "<") ? cpi_tokens_behind_angles(&n->p->tokens, k, last) : k;
        while (behind > 0 && is(n, behind, "::") && named(n, behind + 1)) behind += 2;
        bool built = behind > 0 && behind < last && (is(n, behind, "(") || is(n, behind, "{"));
        type = built ? cpi_normal_type(n, s, first, behind) : named_type(n, s, first, &stars);
        if (built) k = match(n, behind) + 1;
    }
    while (type && k < last) {
        if (is(n, k, "[") && stars > 0) {
            stars--, k = match(n, k) + 1;
        } else if ((is(n, k, ".") && stars == 0) || (is(n, k, "->") && stars == 1)) {
            scope *owner;
            const cpi_record_member *m = cpi_normal_member(n, type, at(n, k + 1), &owner);
            if (!m || m->kind != CPI_M_DATA) return NULL;
            stars = 0;
            for (int q = m->name - 1; is(n, q, "*") || is(n, q, "&") || is(n, q, "const"); q--) stars += is(n, q, "*");
            for (int q = m->name + 1; is(n, q, "["); q = match(n, q) + 1) stars++;
            type = cpi_normal_type(n, owner, m->first, m->type_end);
            k += 2;
        } else {
            return NULL;
        }
    }
    *pointer = stars == 1;
    return stars <= 1 ? type : NULL;
}

/* Tokens of a type, without const. */
static void put_plain_type(normal *n, scope *in, int first, int last, cpi_string *text)
{
    for (int q = first; q < last; q++)
        if (!is(n, q, "const") && !is(n, q, "volatile")) cpi_normal_put_word(n, in, q, text);
}

static bool number_type(const cpi_token *w, cpi_string *text)
{
    char c = w->text[w->length - 1];
    bool hex = w->length > 1 && (w->text[1] == 'x' || w->text[1] == 'X');
    bool real = !hex && (memchr(w->text, '.', w->length) || memchr(w->text, 'e', w->length));
    const char *type = real && (c == 'f' || c == 'F') ? "float" : real ? "double" : NULL;
    for (uint32_t k = 0; k < w->length && !real; k++)
        if (w->text[k] < '0' || w->text[k] > '9') return false;
    if (!real && w->length < 10) type = "int";
    if (type) cpi_string_printf(text, "%s ", type);
    return type != NULL;
}

/* The type of the operand between the tokens. */
static bool operand_type(normal *n, scope *s, int first, int last, cpi_string *text, part *tokens, scope **in)
{
    *tokens = (part){0, 0};
    if (last <= first) return false;
    if (is(n, first, "(") && match(n, first) == last - 1)
        return cpi_normal_value_type(n, s, first + 1, last - 1, text, tokens, in);
    if (last == first + 1 && at(n, first)->kind == CPI_W_NUMBER) return number_type(at(n, first), text);
    if (!named(n, first)) return false;
    if (last == first + 3 && is(n, first + 1, ".") && at(n, first + 2)->length == 1 &&
        (is(n, first, "threadIdx") || is(n, first, "blockIdx") || is(n, first, "blockDim") ||
         is(n, first, "gridDim"))) {
        cpi_string_printf(text, "unsigned ");
        return true;
    }
    int behind = is(n, first + 1, "<") ? cpi_tokens_behind_angles(&n->p->tokens, first + 1, last) : first + 1;
    if (behind > 0 && (is(n, behind, "(") || is(n, behind, "{")) && match(n, behind) == last - 1) { /* T(x) */
        bool basic = behind == first + 1 && cpi_structure_type_word(&n->structure, first) && !is(n, first, "auto");
        if (!basic && !cpi_normal_type(n, s, first, behind)) return false;
        put_plain_type(n, s, first, behind, text);
        *tokens = (part){first, behind}, *in = s;
        return true;
    }
    scope *of = NULL;
    const declared *d = cpi_normal_variable(n, s, at(n, first), &of);
    int type = d ? d->type : 0, type_end = d ? d->type_end : 0, name = d ? d->name : -1;
    for (scope *o = s; !d && o && name < 0; o = o->lexical) {
        scope *owner;
        bool record = o->record >= 0 && !o->function;
        const cpi_record_member *m = record ? cpi_normal_member(n, o, at(n, first), &owner) : NULL;
        if (m && m->kind != CPI_M_DATA) return false;
        if (m) name = m->name, type = m->first, type_end = m->type_end, of = owner;
    }
    if (name < 0) return false;
    int levels = 0, end = type;
    while (end < type_end && !is(n, end, "*") && !is(n, end, "&")) { /* a parameter's type has them, a variable's not */
        int behind = is(n, end, "<") ? cpi_tokens_behind_angles(&n->p->tokens, end, type_end) : -1;
        end = behind > 0 ? behind : end + 1;
    }
    for (int k = name - 1; k >= end; k--) { /* not to declarators before it */
        if (!is(n, k, "*") && !is(n, k, "&") && !is(n, k, "const") && !is(n, k, "__restrict__") && !is(n, k, "("))
            break;
        levels += is(n, k, "*") ? 1 : is(n, k, "(") ? 100 : 0; /* T (&x)[4] */
    }
    type_end = end;
    for (int k = name + 1; is(n, k, "["); k = match(n, k) + 1) levels++;
    for (int k = type; k < type_end; k++)
        if (is(n, k, "auto") || is(n, k, "*")) return false;
    int k = first + 1;
    for (; k < last && is(n, k, "["); k = match(n, k) + 1) levels--;
    if (k != last || levels) return false;
    put_plain_type(n, of, type, type_end, text);
    *tokens = (part){type, type_end}, *in = of;
    return true;
}

bool cpi_normal_value_type(normal *n, scope *s, int first, int last, cpi_string *text, part *tokens, scope **in)
{
    static const char *const marks[] = {"+", "-", "*", "/", NULL};
    static const char *const wide[] = {"int ", "unsigned ", "unsigned int ", "float ", "double ", "long long ",
                                       "unsigned long long ", "long ", NULL};
    int from = first;
    bool several = false;
    for (int i = first; i <= last && !n->failed; i++) {
        if (i < last && match(n, i) > i) {
            i = match(n, i);
            continue;
        }
        if (i < last && (!cpi_token_is_one_of(at(n, i), marks) || i == from)) continue;
        cpi_string one = {0};
        bool known = operand_type(n, s, from, i, &one, tokens, in);
        bool same = known && (!several || strcmp(string_of(&one), string_of(text)) == 0);
        if (same && !several) cpi_string_printf(text, "%s", string_of(&one));
        cpi_string_free(&one);
        if (!same) return false;
        several = true;
        if (i < last) *tokens = (part){0, 0};
        bool compound = i < last || from > first, any = false;
        for (int k = 0; compound && wide[k]; k++) any = any || strcmp(string_of(text), wide[k]) == 0;
        if (compound && !any) return false; /* small integers are promoted; operators of records give other types */
        if (compound) *tokens = (part){0, 0};
        from = i + 1;
    }
    return several && !n->failed;
}
