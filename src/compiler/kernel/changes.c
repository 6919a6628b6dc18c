/* Whether the use of a variable may change it, by assignment or through a reference: for statements.c and strides.c.
 *
 * Invariant: a use for which this is not evident counts as a change. Functions of the device's headers take values;
 * what the source itself defines (methods, objects that are called, types, macros) may take references. */
#include <ctype.h>
#include <string.h>

#include "kernel/normal_records.h"
#include "kernel/structure_words.h"

static bool closes(const cpi_structure *s, int i) { return match(s, i) >= 0 && match(s, i) < i; }

bool cpi_structure_assigns(const cpi_structure *s, int i)
{
    static const char *const marks[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (is(s, i, marks[k])) return true;
    return false;
}

/* Whether token i stands in a record, outside of its methods. */
static bool in_record(const cpi_structure *s, int i)
{
    int k = i - 1;
    while (k >= 0 && !is(s, k, "{")) k = closes(s, k) ? match(s, k) - 1 : k - 1;
    for (k--; k > 0 && !is(s, k, ";") && !is(s, k, "{") && !is(s, k, "}"); k--)
        if (is(s, k, "struct") || is(s, k, "class") || is(s, k, "union"))
            return !is(s, k - 1, "<") && !is(s, k - 1, ",");
    return k == 0 && (is(s, 0, "struct") || is(s, 0, "class") || is(s, 0, "union"));
}

/* What members of the name of the one at `member` are, in all records that have such: OR of these. What a pointer or a
 * reference leads to is not part of the variable. */
enum { VALUE = 1, POINTER = 2, REFERENCE = 4 };
static int kinds_of(const cpi_structure *s, int member)
{
    static const char *const ends[] = {";", ",", "[", "=", "{", ":", ")", NULL};
    const cpi_tokens *t = &s->program->tokens;
    int found = 0;
    for (int i = 1; i < t->n; i++) {
        if (!cpi_token_same(&t->at[i], &t->at[member]) || !cpi_token_is_one_of(&t->at[i + 1], ends)) continue;
        if (is(s, i - 1, ".") || is(s, i - 1, "->") || is(s, i - 1, "::")) continue;
        int before = i - 1; /* T *const __restrict__ p; T (&x)[4] */
        const bool bracketed = is(s, before - 1, "(") && is(s, i + 1, ")");
        if (is(s, i + 1, ")") && !bracketed) continue;
        if (!in_record(s, bracketed ? before - 1 : i)) continue;
        while (is(s, before, "const") || is(s, before, "__restrict__")) before--;
        if (is(s, before, "*") && !is(s, i + 1, "[")) found |= POINTER;
        else if (is(s, before, "&")) found |= REFERENCE;
        else found |= VALUE;
    }
    return found;
}
static bool points(const cpi_structure *s, int member)
{
    const int kinds = kinds_of(s, member);
    return kinds && !(kinds & VALUE);
}

/* Whether all methods of the name at i (of a call of an object: where that has none) are const. */
static bool are_constant(const cpi_structure *s, int i)
{
    const cpi_records *r = s->program->records;
    bool any = false;
    for (int k = 0; r && k < r->nmembers; k++) {
        const cpi_record_member *m = &r->member[k];
        bool named = i < 0 ? is(s, m->name, "operator") && is(s, m->name + 1, "(") : same(s, m->name, i);
        if (m->kind != CPI_M_METHOD || !named) continue;
        any = true;
        if (!m->fixed && !is(s, match(s, m->function.open) + 1, "const")) return false;
    }
    return any;
}

/* Behind the members and elements of the variable at i; -1 where the access goes through a pointer, 0 where it ends in
 * a method. */
static int behind_members(const cpi_structure *s, const cpi_local *v, int i)
{
    int member = -1;
    for (i++;;) {
        if (is(s, i, ".") && is(s, i + 2, "(")) return are_constant(s, i + 1) ? -1 : 0;
        if (is(s, i, ".")) {
            if (member >= 0 && kinds_of(s, member) == REFERENCE) return -1;
            member = i + 1;
            i += 2;
        } else if (is(s, i, "[")) {
            bool pointer = member >= 0 ? points(s, member) : v->statement < 0 || v->prefix != v->name;
            if (pointer) return -1;
            i = match(s, i) + 1;
        } else {
            return is(s, i, "->") ? -1 : i;
        }
    }
}

/* Whether the source has a macro of the name at i. */
static bool is_macro(const cpi_structure *s, int i)
{
    const cpi_tokens *t = &s->program->tokens;
    const cpi_token *name = &t->at[i];
    for (int k = 0; k < t->n; k++) {
        if (t->at[k].kind != CPI_W_LINE) continue;
        const char *p = t->at[k].text + 1, *end = t->at[k].text + t->at[k].length;
        while (p < end && (*p == ' ' || *p == '\t')) p++;
        if (end - p < 7 || memcmp(p, "define", 6) != 0) continue;
        for (p += 6; p < end && (*p == ' ' || *p == '\t'); p++) {}
        if ((size_t)(end - p) < name->length || memcmp(p, name->text, name->length) != 0) continue;
        p += name->length;
        if (p == end || !(*p == '_' || isalnum((unsigned char)*p))) return true;
    }
    return false;
}

bool cpi_structure_has_macro(const cpi_structure *s, int first, int last)
{
    bool any = false;
    for (int k = 0; k < s->program->tokens.n && !any; k++) any = s->program->tokens.at[k].kind == CPI_W_LINE;
    for (int i = first; any && i < last; i++)
        if (named(s, i) && is_macro(s, i)) return true;
    return false;
}

/* Whether the token at k, before this function, defines a type, a method or an object. Functions declare how they take
 * their parameters, and a template's type is hardly a reference. */
static bool defines(const cpi_structure *s, int k)
{
    if (is(s, k - 1, "struct") || is(s, k - 1, "union")) return true;
    if (is(s, k - 1, "class")) return !is(s, k - 2, "<") && !is(s, k - 2, ",");
    if (is(s, k + 1, ";") || is(s, k + 1, "=") || is(s, k + 1, "{")) return named(s, k - 1) || is(s, k - 1, "&");
    if (!is(s, k + 1, "(")) return false;
    int behind = match(s, k + 1) + 1;
    return is(s, behind, "{") || is(s, behind, "const") || is(s, behind, ":") || is(s, behind, "noexcept");
}

/* Whether the source defines the name at i: as a method, a type, an object or a macro. */
static bool is_own(const cpi_structure *s, int i)
{
    for (int k = 1; k < i; k++)
        if (same(s, k, i) &&
            (k < s->function->body ? defines(s, k) : !(is(s, k + 1, "(") || is(s, k + 1, "<")) && !is(s, k - 1, ".")))
            return true;
    return is_macro(s, i);
}

/* Whether the tokens of a cast's parentheses are a type. */
bool cpi_structure_is_cast(const cpi_structure *s, int open)
{
    int close = match(s, open);
    if (is(s, close - 1, "*") || is(s, close - 1, "&") || is(s, close - 1, "]") || is(s, close - 1, ")")) return true;
    return cpi_structure_type_word(s, open + 1) || close == open + 2;
}

/* Where the name of a call with ( at `open` is, before its template's arguments; *angles: one of these has a reference.
 * -1: none. */
static int callee(const cpi_structure *s, int open, bool *refers)
{
    int i = open - 1;
    *refers = false;
    if (is(s, i, ">") || is(s, i, ">>"))
        for (int k = i - 1; k > s->function->body && !is(s, k, ";"); k--) {
            if (!is(s, k, "<") || cpi_tokens_behind_angles(&s->program->tokens, k, open) != open) continue;
            for (int q = k; q < open; q++) *refers = *refers || is(s, q, "&") || is(s, q, "&&");
            i = k - 1;
            break;
        }
    return named(s, i) ? i : -1;
}

/* Whether the call with ( at `open` may change a variable that is one of its arguments. */
static bool call_changes(const cpi_structure *s, int open)
{
    static const char *const casts[] = {"static_cast", "reinterpret_cast", "const_cast", "sizeof", "decltype"};
    const cpi_cu_program *p = s->program;
    bool refers, found = false;
    int name = callee(s, open, &refers);
    if (name < 0 || refers) return true; /* what is called is the value of an expression */
    if (cpi_structure_type_word(s, name)) return false;
    for (size_t k = 0; k < sizeof casts / sizeof *casts; k++)
        if (is(s, name, casts[k])) return name + 2 < open && named(s, name + 2) && is_own(s, name + 2);
    if (is(s, name - 1, "&") && cpi_structure_type_word(s, name - 2)) return true; /* int &r(i) */
    bool method = is(s, name - 1, ".") || is(s, name - 1, "->");
    const cpi_token *w = &p->tokens.at[name];
    for (const cpi_cu_function *f = method ? NULL : cpi_cu_named(p, w, 0); f;
         f = cpi_cu_named(p, w, (int)(f - p->function) + 1)) {
        found = true;
        for (int a = f->open; a < match(s, f->open); a++)
            if (is(s, a, "&") || is(s, a, "&&")) return true;
    }
    if (found) return false;
    if (named(s, name - 1) && !is(s, name - 1, "return") && !is(s, name - 1, "else") && !is(s, name - 1, "do"))
        return !cpi_structure_type_word(s, name - 1); /* T r(i) */
    return is_own(s, name);
}

/* Whether the name at i is a variable's or a record's that has no references and no constructors. */
static bool holds_values(const cpi_structure *s, int i)
{
    const cpi_records *r = s->program->records;
    for (int k = 0; k < s->nlocals; k++)
        if (s->local[k].name == i) return true;
    int record = r ? cpi_records_named(s->program, r, &s->program->tokens.at[i]) : -1;
    if (record < 0 || r->record[record].bases < r->record[record].bases_end) return false;
    for (int k = 0; k < r->nmembers; k++) {
        const cpi_record_member *m = &r->member[k];
        if (m->record != record) continue;
        if (m->kind == CPI_M_METHOD && same(s, m->name, r->record[record].name)) return false;
        if (m->kind != CPI_M_DATA) continue;
        if (is(s, m->name - 1, "&") || !(cpi_structure_type_word(s, m->type_end - 1) || is(s, m->name - 1, "*")))
            return false; /* of another type, which may have one */
    }
    return true;
}

/* Whether an initializer list with { at `open` may bind references. */
static bool list_binds(const cpi_structure *s, int open)
{
    int first = open, before = open - 1;
    while (first - 1 > s->function->body && !is(s, first - 1, ";") && !is(s, first - 1, "{") &&
           !is(s, first - 1, "}") && !is(s, first - 1, "("))
        first = closes(s, first - 1) ? match(s, first - 1) : first - 1;
    for (int i = first; i < open; i++)
        if (is(s, i, "&") || is(s, i, "&&")) return true;
    for (int i = first; i <= before; i++)
        if (named(s, i) && !cpi_structure_type_word(s, i) && !holds_values(s, i) && is_own(s, i)) return true;
    return false;
}

/* Whether the declaration that begins at token `first` makes a reference to the value at i. */
static bool declares_reference(const cpi_structure *s, int first, int i)
{
    for (int k = first; k + 2 < i; k++)
        if ((is(s, k, "&") || is(s, k, "&&")) && named(s, k + 1) && is(s, k + 2, "=")) return true;
    if (is(s, first, "decltype") || is(s, first, "typename")) return true;
    while (is(s, first, "const") || is(s, first, "static")) first++;
    return named(s, first) && !cpi_structure_type_word(s, first) && named(s, first + 1) && is(s, first + 2, "=") &&
           is_own(s, first);
}

/* Whether the variable, tokens i to `behind`, is bound to a reference or changed from outside of parentheses around
 * it. */
static bool is_bound(const cpi_structure *s, int i, int behind)
{
    static const char *const controls[] = {"if", "for", "while", "switch", "return"};
    for (int k = i - 1; k >= s->function->body; k--) {
        if (closes(s, k) && !is(s, k, "}")) {
            k = match(s, k);
            continue;
        }
        if (is(s, k, "[")) return false; /* an index is a value */
        if (is(s, k, ";") || is(s, k, "}")) return declares_reference(s, k + 1, i);
        if (is(s, k, "{")) {
            bool block = is(s, k - 1, ")") || is(s, k - 1, ";") || is(s, k - 1, "{") || is(s, k - 1, "}") ||
                         is(s, k - 1, "else") || is(s, k - 1, "do") || is(s, k - 1, ":") || k == s->function->body;
            return block ? declares_reference(s, k + 1, i) : list_binds(s, k);
        }
        if (!is(s, k, "(")) continue;
        for (size_t c = 0; c < sizeof controls / sizeof *controls; c++)
            if (is(s, k - 1, controls[c]) && !is(s, k - 1, "return")) return declares_reference(s, k + 1, i);
        bool control = false; /* if (...) (i)++; (int)(i) */
        if (is(s, k - 1, ")")) {
            int open = match(s, k - 1);
            for (size_t c = 0; c < sizeof controls / sizeof *controls; c++)
                control = control || is(s, open - 1, controls[c]);
            if (!control && !cpi_structure_is_cast(s, open)) return true;
            control = true;
        }
        bool call = named(s, k - 1) && !is(s, k - 1, "return") && !is(s, k - 1, "else") && !is(s, k - 1, "do");
        bool angles = is(s, k - 1, ">"); /* a comparison has no name before angles that end here */
        bool refers;
        if (angles && callee(s, k, &refers) < 0) angles = false;
        if (!control && (call || angles || is(s, k - 1, "]") || is(s, k - 1, "}"))) return call_changes(s, k);
        if (is(s, k - 1, "*")) return false; /* what a pointer points to, or a product */
        behind = match(s, k) + 1;
        if (cpi_structure_assigns(s, behind) || is(s, k - 1, "++") || is(s, k - 1, "--") || is(s, behind, "."))
            return true;
    }
    return false;
}

/* Whether the variable is an object of a record without data, which nothing changes. */
static bool is_empty(const cpi_structure *s, const cpi_local *v)
{
    const cpi_records *r = s->program->records;
    if (!r || v->prefix != v->name || v->statement < 0) return false;
    int first = v->type;
    while (first < v->type_end && is(s, first, "const")) first++;
    const int record = cpi_records_named(s->program, r, &s->program->tokens.at[first]);
    const bool named = first + 1 == v->type_end || is(s, first + 1, "<");
    if (!named || record < 0 || r->record[record].bases < r->record[record].bases_end) return false;
    for (int k = 0; k < r->nmembers; k++)
        if (r->member[k].record == record && r->member[k].kind == CPI_M_DATA) return false;
    return true;
}

/* Assignments, addresses, elements, and the cases of is_bound. */
bool cpi_structure_changes(const cpi_structure *s, const cpi_local *v, int i)
{
    if (is_empty(s, v)) return false;
    const cpi_tokens *t = &s->program->tokens;
    int behind = behind_members(s, v, i);
    if (behind > 0 && is(s, behind, "(") && v->prefix == v->name && v->statement >= 0 && !v->constant &&
        !cpi_structure_type_word(s, v->type_end - 1) && !are_constant(s, -1))
        return true; /* an object is called */
    if (behind <= 0) return behind == 0 || is(s, i - 1, "++") || is(s, i - 1, "--");
    if (cpi_structure_assigns(s, behind) || is(s, i - 1, "++") || is(s, i - 1, "--")) return true;
    if (is(s, i - 1, "&") && !(t->at[i - 2].kind == CPI_W_NAME || t->at[i - 2].kind == CPI_W_NUMBER ||
                               (is(s, i - 2, ")") && !cpi_structure_is_cast(s, match(s, i - 2))) || is(s, i - 2, "]")))
        return true;
    if (is(s, i - 1, ">>") && t->at[i - 2].kind != CPI_W_NUMBER && !named(s, i - 2) && !is(s, i - 2, ")")) return true;
    return !v->constant && is_bound(s, i, behind);
}
