/* Reading the records of a program: see normal_records.h. Types are not known here, so what a call may mean is decided
 * by names: a method, an object that can be called. Invariant: too much may be taken for waiting, never too little. */
#include <string.h>

#include "core/memory.h"
#include "kernel/normal_records.h"
#include "kernel/regions.h"

static const cpi_token *at(const cpi_cu_program *p, int i) { return &p->tokens.at[i]; }
static bool is(const cpi_cu_program *p, int i, const char *word) { return i >= 0 && cpi_token_is(at(p, i), word); }

static bool is_record_word(const cpi_cu_program *p, int i)
{
    return (is(p, i, "struct") || is(p, i, "class")) && !is(p, i - 1, "enum") && !is(p, i - 1, "<") &&
           !is(p, i - 1, ",");
}

int cpi_lambda_body(const cpi_tokens *t, int i)
{
    static const char *const returns[] = {"return", "case", "else", "do", NULL};
    const cpi_token *before = &t->at[i - 1];
    if (i < 1 || !cpi_token_is(&t->at[i], "[") || cpi_token_is(&t->at[i + 1], "[") || cpi_token_is(before, "]") ||
        cpi_token_is(before, ")") || cpi_token_is(before, "[") || before->kind == CPI_W_STRING ||
        (before->kind == CPI_W_NAME && !cpi_token_is_one_of(before, returns)))
        return -1;
    int k = t->at[i].match + 1;
    if (!cpi_token_is(&t->at[k], "(") && !cpi_token_is(&t->at[k], "{") && !cpi_token_is(&t->at[k], "<")) return -1;
    for (; k < t->n && !cpi_token_is(&t->at[k], "{") && !cpi_token_is(&t->at[k], ";"); k++)
        if (t->at[k].match > k) k = t->at[k].match;
    return cpi_token_is(&t->at[k], "{") ? k : -1;
}

static cpi_record_member *new_member(cpi_records *r)
{
    if (r->nmembers == r->member_capacity) {
        int capacity = r->member_capacity ? 2 * r->member_capacity : 64;
        cpi_record_member *more = cpi_realloc(r->member, (size_t)capacity * sizeof *more);
        if (!more) {
            r->failed = true;
            return NULL;
        }
        r->member = more, r->member_capacity = capacity;
    }
    cpi_record_member *m = &r->member[r->nmembers++];
    memset(m, 0, sizeof *m);
    m->function.body = -1;
    return m;
}

/* --- members --- */

/* Behind a declaration in a record: its ; or the body of a method, whose parts are found. */
typedef struct line { int end, open, body, name; bool typedefs, fixed, virtual; } line;

static line read_line(const cpi_cu_program *p, int i, int last)
{
    line l = {.end = last, .open = -1, .body = -1, .name = -1};
    bool value = false, initialisers = false;
    for (int k = i; k < last; k++) {
        if (is(p, k, ";")) {
            l.end = k + 1;
            return l;
        }
        if (is(p, k, "typedef") || is(p, k, "using")) l.typedefs = true;
        if (is(p, k, "static")) l.fixed = true;
        if (is(p, k, "virtual")) l.virtual = true;
        if (is(p, k, "=")) value = true;
        if (is(p, k, "operator") && l.open < 0) {
            int open = k + 1;
            if (is(p, open, "(") && is(p, open + 1, ")")) open += 2;
            while (open < last && !is(p, open, "(")) open++;
            l.name = k, l.open = open;
            k = at(p, open)->match;
            continue;
        }
        if (is(p, k, "<") && at(p, k - 1)->kind == CPI_W_NAME) {
            int behind = cpi_tokens_behind_angles(&p->tokens, k, last);
            if (behind > 0) k = behind - 1;
            continue;
        }
        if (is(p, k, ":") && l.open >= 0) initialisers = true;
        if (is(p, k, "(") && l.open < 0 && !value && at(p, k - 1)->kind == CPI_W_NAME &&
            !is(p, k - 1, "__align__") && !is(p, k - 1, "alignas") && !is(p, k - 1, "__launch_bounds__") &&
            !is(p, k - 1, "__attribute__") && !is(p, k - 1, "decltype") && !cpi_cu_is_pointer(&p->tokens, k))
            l.name = k - 1, l.open = k;
        if (is(p, k, "{")) {
            bool initialiser = initialisers && at(p, k - 1)->kind == CPI_W_NAME; /* : a{1} { } */
            if (l.open >= 0 && !value && !initialiser) {
                l.body = k;
                l.end = at(p, k)->match + 1;
                if (is(p, l.end, ";")) l.end++;
                return l;
            }
        }
        if (at(p, k)->match > k) k = at(p, k)->match;
    }
    return l;
}

static bool is_function_word(const cpi_cu_program *p, int i)
{
    static const char *const words[] = {"const", "noexcept", "override", "final", "&", "&&", NULL};
    return cpi_token_is_one_of(at(p, i), words);
}

static void read_method(const cpi_cu_program *p, cpi_records *r, int record, int head, int start, const line *l)
{
    cpi_record_member *m = new_member(r);
    if (!m) return;
    int name = l->name, type_end = name;
    m->record = record, m->name = name, m->kind = CPI_M_METHOD;
    m->fixed = l->fixed, m->virtual = l->virtual;
    for (int k = at(p, l->open)->match + 1; l->body >= 0 && k < l->body; k++) {
        m->virtual = m->virtual || is(p, k, "override") || is(p, k, "final");
        m->abstruse = m->abstruse || !is_function_word(p, k); /* initialisers, a type behind -> */
    }
    bool operator = is(p, name, "operator");
    if (operator) m->abstruse = m->abstruse || !is(p, name + 1, "(");
    if (cpi_token_same(at(p, name), at(p, r->record[record].name)) || is(p, name - 1, "~")) m->abstruse = true;
    m->first = start, m->type_end = type_end;
    m->function = (cpi_cu_function){.start = head >= 0 ? head : start, .name = name, .open = l->open, .body = l->body,
                                    .end = l->body >= 0 ? at(p, l->body)->match + 1 : l->end, .device = true,
                                    .templated = head >= 0};
}

static void read_data(const cpi_cu_program *p, cpi_records *r, int record, int start, const line *l)
{
    int names[32], i = start, end = l->end - 1;
    while (is(p, i, "typedef") || is(p, i, "static") || is(p, i, "constexpr") || is(p, i, "mutable")) i++;
    if (is(p, i, "using")) {
        cpi_record_member *m = is(p, i + 2, "=") ? new_member(r) : NULL;
        if (m) m->record = record, m->name = i + 1, m->kind = CPI_M_TYPE, m->first = i + 3, m->type_end = end;
        return;
    }
    if (is(p, i, "friend") || is(p, i, "static_assert")) return;
    if (is(p, i, "enum")) { /* its constants are found as members of the record */
        for (int k = i + 1; k < end; k++) {
            bool constant = at(p, k)->kind == CPI_W_NAME && (is(p, k - 1, "{") || is(p, k - 1, ","));
            bool type = at(p, k)->kind == CPI_W_NAME && is(p, k + 1, "{") && !is(p, k, "enum");
            cpi_record_member *m = constant || type ? new_member(r) : NULL;
            if (m) m->record = record, m->name = k, m->kind = constant ? CPI_M_STATIC : CPI_M_TYPE;
        }
        return;
    }
    int n = cpi_cu_declared_names(&p->tokens, i, end, names, 32);
    for (int k = 0; k < n; k++) {
        cpi_record_member *m = new_member(r);
        if (!m) return;
        int first_name = names[0], type_end = first_name;
        while (type_end > i && (is(p, type_end - 1, "*") || is(p, type_end - 1, "&") || is(p, type_end - 1, "(")))
            type_end--;
        m->record = record, m->name = names[k], m->first = i, m->type_end = type_end;
        m->kind = l->typedefs ? CPI_M_TYPE : l->fixed ? CPI_M_STATIC : CPI_M_DATA;
    }
}

static void read_record(const cpi_cu_program *p, cpi_records *r, int word, int head, int depth);

static void read_members(const cpi_cu_program *p, cpi_records *r, int record, int depth)
{
    int open = r->record[record].open, last = at(p, open)->match;
    for (int i = open + 1; i < last;) {
        if (at(p, i)->kind == CPI_W_LINE || is(p, i, ";")) {
            i++;
            continue;
        }
        if ((is(p, i, "public") || is(p, i, "private") || is(p, i, "protected")) && is(p, i + 1, ":")) {
            i += 2;
            continue;
        }
        int head = -1, start = i;
        while (is(p, i, "template") && is(p, i + 1, "<")) {
            int behind = cpi_tokens_behind_angles(&p->tokens, i + 1, last);
            if (behind < 0) break;
            head = start, i = behind;
        }
        int k = i;
        while (k < last && at(p, k)->kind == CPI_W_NAME && !is_record_word(p, k)) k++;
        line l = read_line(p, i, last);
        bool nested = k < l.end && is_record_word(p, k) && depth < 16;
        for (int q = k; nested && q < l.end; q++) {
            if (is(p, q, ";") || is(p, q, "(")) nested = false;
            if (is(p, q, "{")) break;
        }
        if (nested) {
            cpi_record_member *m = new_member(r);
            if (m) m->record = record, m->name = k + 1, m->kind = CPI_M_TYPE;
            read_record(p, r, k, head, depth + 1);
        } else if (l.open >= 0 && !l.typedefs) {
            read_method(p, r, record, head, i, &l);
        } else {
            read_data(p, r, record, i, &l);
        }
        i = l.end > start ? l.end : start + 1;
    }
}

static void read_record(const cpi_cu_program *p, cpi_records *r, int word, int head, int depth)
{
    cpi_record found = {.name = -1, .open = -1, .head = head};
    for (int k = word + 1; k < p->tokens.n; k++) {
        if (is(p, k, "{")) {
            found.open = k;
            break;
        }
        if (is(p, k, ";") || is(p, k, ")") || is(p, k, ">") || is(p, k, "=")) return;
        if (is(p, k, ":") && !found.bases) found.bases = k + 1;
        bool attribute = is(p, k + 1, "(");
        if (found.name < 0 && at(p, k)->kind == CPI_W_NAME && !attribute) found.name = k;
        if (is(p, k, "<")) {
            int behind = cpi_tokens_behind_angles(&p->tokens, k, p->tokens.n);
            if (behind < 0) return;
            if (!found.bases) found.special = true;
            k = behind - 1;
        } else if (at(p, k)->match > k) {
            k = at(p, k)->match;
        }
    }
    if (found.name < 0 || found.open < 0) return;
    if (!found.bases) found.bases = found.open;
    found.bases_end = found.open;
    if (r->nrecords == r->record_capacity) {
        int capacity = r->record_capacity ? 2 * r->record_capacity : 16;
        cpi_record *more = cpi_realloc(r->record, (size_t)capacity * sizeof *more);
        if (!more) {
            r->failed = true;
            return;
        }
        r->record = more, r->record_capacity = capacity;
    }
    int k = r->nrecords++;
    r->record[k] = found;
    read_members(p, r, k, depth);
}

/* Methods that are defined outside of their records. */
static void read_outside(const cpi_cu_program *p, cpi_records *r, const cpi_cu_part *part)
{
    int i = part->start, head = -1, heads = 0;
    while (is(p, i, "template") && is(p, i + 1, "<")) {
        int behind = cpi_tokens_behind_angles(&p->tokens, i + 1, part->end);
        if (behind < 0) return;
        head = head < 0 ? i : head, i = behind, heads++;
    }
    line l = read_line(p, i, part->end);
    if (l.body < 0 || l.name < 2 || !is(p, l.name - 1, "::")) return;
    int qualifier = l.name - 2;
    if (is(p, qualifier, ">"))
        for (qualifier--; qualifier > i && cpi_tokens_behind_angles(&p->tokens, qualifier, l.name) != l.name - 1;)
            qualifier--;
    if (is(p, qualifier, "<")) qualifier--;
    int record = cpi_records_named(p, r, at(p, qualifier));
    if (record < 0) return;
    int declared = -1;
    for (int k = 0, same = 0; k < r->nmembers; k++) {
        const cpi_record_member *m = &r->member[k];
        if (m->record != record || m->kind != CPI_M_METHOD || !cpi_token_same(at(p, m->name), at(p, l.name))) continue;
        declared = same++ ? -1 : k; /* overloaded ones are not told apart */
    }
    if (declared < 0) return;
    const cpi_record_member was = r->member[declared];
    int before = r->nmembers;
    read_method(p, r, record, head, i, &l);
    if (r->nmembers == before) return;
    cpi_record_member m = r->member[--r->nmembers];
    while (qualifier > i && is(p, qualifier - 1, "::")) qualifier -= 2;
    m.type_end = qualifier;
    m.fixed = was.fixed, m.virtual = m.virtual || was.virtual;
    m.abstruse = m.abstruse || was.function.templated || heads > 1;
    m.function.templated = false;
    m.declared = was.name;
    r->member[declared] = m;
}

/* --- what waits --- */

int cpi_records_named(const cpi_cu_program *p, const cpi_records *r, const cpi_token *name)
{
    int found = -1;
    for (int k = 0; k < r->nrecords; k++) {
        if (!cpi_token_same(at(p, r->record[k].name), name)) continue;
        if (found >= 0 || r->record[k].special) return -1;
        found = k;
    }
    return found;
}

static bool calls(const cpi_cu_program *p, int i)
{
    if (is(p, i + 1, "(")) return true;
    int behind = is(p, i + 1, "<") ? cpi_tokens_behind_angles(&p->tokens, i + 1, p->tokens.n) : -1;
    return behind > 0 && is(p, behind, "(");
}

bool cpi_records_odd_call(const cpi_cu_program *p, int open)
{
    if (!is(p, open, "(") || open < 2) return false;
    if (is(p, open - 1, "]") || is(p, open - 1, "}")) return at(p, open - 1)->match > 0;
    if (!is(p, open - 1, ")")) return false;
    int before = at(p, open - 1)->match - 1;
    static const char *const controls[] = {"if", "for", "while", "switch", "sizeof", "alignof", "__launch_bounds__",
                                           "__attribute__", "alignas", "__align__", "operator", "return", NULL};
    if (is(p, before, ">") || is(p, before + 2, "*")) return true; /* (*op)(x) */
    return at(p, before)->kind == CPI_W_NAME && !cpi_token_is_one_of(at(p, before), controls);
}

/* Whether the name is declared somewhere as an object, or a parameter: `F op,`, `auto f = `. */
static bool is_object(const cpi_cu_program *p, const cpi_token *w)
{
    static const char *const ends[] = {",", ")", "=", ";", "{", "(", ":", NULL};
    static const char *const words[] = {"return", "else", "do", "case", "goto", "new", "delete", "sizeof", "throw",
                                        "struct", "class", "union", "enum", "typename", NULL};
    for (int k = 1; k < p->tokens.n; k++) {
        if (!cpi_token_same(at(p, k), w) || !cpi_token_is_one_of(at(p, k + 1), ends)) continue;
        if (at(p, k - 1)->kind == CPI_W_NAME ? !cpi_token_is_one_of(at(p, k - 1), words)
                                             : is(p, k - 1, "&") || is(p, k - 1, "&&") || is(p, k - 1, ">") ||
                                                   is(p, k - 1, ">>"))
            return true;
    }
    return false;
}

/* Whether the name at i, with a ( behind it, is declared there: `T x(1);`, `T<int> x(1);`. */
static bool is_declared(const cpi_cu_program *p, int i)
{
    static const char *const words[] = {"return", "else", "do", "case", "goto", "throw", "and", "or", "not", NULL};
    if (i < 1 || !is(p, i + 1, "(")) return false;
    if (at(p, i - 1)->kind == CPI_W_NAME) return !cpi_token_is_one_of(at(p, i - 1), words);
    for (int k = i - 1; is(p, i - 1, ">") && k > 0 && !is(p, k, ";") && !is(p, k, "{"); k--)
        if (is(p, k, "<") && at(p, k - 1)->kind == CPI_W_NAME && cpi_tokens_behind_angles(&p->tokens, k, i + 1) == i)
            return k < 2 || is(p, k - 2, ";") || is(p, k - 2, "{") || is(p, k - 2, "}") || is(p, k - 2, "::") ||
                   is(p, k - 2, "const");
    return false;
}

enum { MOST = 30 }; /* arguments that are counted */

/* Whether a name between the tokens is a macro, which may have commas. */
static bool has_macro(const cpi_cu_program *p, int first, int last)
{
    const cpi_structure s = {.program = (cpi_cu_program *)p};
    return cpi_structure_has_macro(&s, first, last);
}

/* The numbers of arguments, as bits, with which what has the parameters between ( and ) may be called. */
static uint32_t counts_of(const cpi_cu_program *p, int open)
{
    const int close = at(p, open)->match;
    int n = 0, least = -1;
    if (has_macro(p, open, close)) return ~0u;
    for (int i = open + 1; i < close; i++) {
        if (is(p, i, "...") || is(p, i, "<")) return ~0u; /* <: its commas */
        if (is(p, i, "=") && least < 0) least = n;
        n += is(p, i, ",");
        if (at(p, i)->match > i) i = at(p, i)->match;
    }
    if (close > open + 1 && !(close == open + 2 && is(p, open + 1, "void"))) n++;
    if (n >= MOST) return ~0u;
    return ((2u << n) - 1) & ~((1u << (least < 0 ? n : least)) - 1);
}

/* Whether the call at name i has as many arguments as an object that waits takes. */
static bool fits(const cpi_cu_program *p, const cpi_records *r, int i)
{
    int n = 0;
    if (!is(p, i + 1, "(")) return true;
    const int close = at(p, i + 1)->match;
    if (r->functors && has_macro(p, i, close)) return true;
    for (int k = i + 2; k < close; k++) {
        if (is(p, k, "<") || is(p, k, "...") || at(p, k)->kind == CPI_W_LINE) return true;
        n += is(p, k, ",");
        if (at(p, k)->match > k) k = at(p, k)->match;
    }
    n += close > i + 2;
    return n >= MOST || r->counts >> n & 1;
}

bool cpi_records_may_wait(const cpi_cu_program *p, const cpi_records *r, int i)
{
    const cpi_token *w = at(p, i);
    if (!r->any || w->kind != CPI_W_NAME || !calls(p, i)) return false;
    for (int k = 0; k < r->nmembers; k++) {
        const cpi_record_member *m = &r->member[k];
        if (m->kind == CPI_M_METHOD && (m->name == i || m->declared == i)) return false; /* declared there */
        if (m->kind == CPI_M_METHOD && m->waits && cpi_token_same(at(p, m->name), w)) return true;
    }
    if (!r->functors) return false;
    for (int k = 0; k < p->nfunctions; k++)
        if (cpi_token_same(at(p, p->function[k].name), w)) return false;
    return fits(p, r, i) && !is_declared(p, i) && is_object(p, w);
}

/* Whether code between the tokens may wait, as far as is known. */
static bool waits_between(const cpi_cu_program *p, const cpi_records *r, int first, int last)
{
    for (int i = first; i < last; i++) {
        if (r->functors && cpi_records_odd_call(p, i)) return true;
        if (at(p, i)->kind != CPI_W_NAME) continue;
        if (cpi_cu_waits(at(p, i)) || cpi_records_may_wait(p, r, i)) return true;
        if (i && (is(p, i - 1, ".") || is(p, i - 1, "->"))) continue;
        for (int k = 0; k < p->nfunctions; k++)
            if (r->waiting[k] && cpi_token_same(at(p, i), at(p, p->function[k].name))) return true;
    }
    return false;
}

static bool spread(const cpi_cu_program *p, cpi_records *r)
{
    bool changed = false;
    for (int k = 0; k < p->nfunctions; k++) {
        const cpi_cu_function *f = &p->function[k];
        if (r->waiting[k] || f->body < 0 || f->global || !waits_between(p, r, f->body, f->end)) continue;
        r->waiting[k] = changed = true;
    }
    for (int k = 0; k < r->nmembers; k++) {
        cpi_record_member *m = &r->member[k];
        if (m->waits || m->kind != CPI_M_METHOD || m->function.body < 0) continue;
        if (!waits_between(p, r, m->function.body, m->function.end)) continue;
        m->waits = r->any = changed = true;
        if (is(p, m->name, "operator")) r->functors = true, r->counts |= counts_of(p, m->function.open);
    }
    for (int i = 1; i < p->tokens.n && r->lambdas && r->counts != ~0u; i++) {
        int body = cpi_lambda_body(&p->tokens, i), open = at(p, i)->match + 1;
        if (body < 0 || !waits_between(p, r, body, at(p, body)->match)) continue;
        const uint32_t before = r->counts;
        r->counts |= is(p, open, "(") ? counts_of(p, open) : is(p, open, "<") ? ~0u : 1;
        changed = changed || !r->functors || r->counts != before;
        r->functors = r->any = true;
    }
    return changed;
}

bool cpi_records_read(const cpi_cu_program *p, cpi_records *r)
{
    *r = (cpi_records){.waiting = cpi_calloc((size_t)p->nfunctions + 1, sizeof *r->waiting)};
    for (int k = 0; k < p->nparts && r->waiting && !r->failed; k++) {
        int i = p->part[k].start, head = -1, start = i;
        while (is(p, i, "template") && is(p, i + 1, "<")) {
            int behind = cpi_tokens_behind_angles(&p->tokens, i + 1, p->part[k].end);
            if (behind < 0) break;
            head = start, i = behind;
        }
        if (is_record_word(p, i)) read_record(p, r, i, head, 0);
        if (is(p, i, "typedef") && is_record_word(p, i + 1)) read_record(p, r, i + 1, -1, 0);
    }
    for (int k = 0; k < p->nparts && !r->failed; k++) read_outside(p, r, &p->part[k]);
    for (int k = 0; k < r->nmembers; k++) /* what overrides one need not say so */
        for (int m = 0; r->member[k].virtual && m < r->nmembers; m++)
            if (cpi_token_same(at(p, r->member[k].name), at(p, r->member[m].name))) r->member[m].virtual = true;
    for (int i = 1; i < p->tokens.n && !r->lambdas; i++) r->lambdas = cpi_lambda_body(&p->tokens, i) >= 0;
    for (int k = 0; k < p->nfunctions && r->waiting; k++) r->waiting[k] = p->function[k].barriers;
    while (r->waiting && !r->failed && spread(p, r)) {}
    if (r->waiting && !r->failed) return true;
    cpi_records_free(r);
    return false;
}

void cpi_records_free(cpi_records *r)
{
    cpi_free_host(r->record);
    cpi_free_host(r->member);
    cpi_free_host(r->waiting);
    *r = (cpi_records){0};
}
