/* What values in a kernel with barriers depend on: the block alone, the thread's index, or memory and what is not
 * known.
 *
 * Invariant: a value that is computed again in another loop, or once for all threads, is the same there: what its
 * constructors read counts too. */
#include "kernel/normal_records.h"
#include "kernel/structure_words.h"

/* The declaration of the shared variable whose name is at i: its name, or -1. */
static int shared_variable(const cpi_structure *s, int i)
{
    const cpi_tokens *t = &s->program->tokens;
    int names[64];
    for (int k = s->function->body; k < s->function->end; k++) {
        if (!is(s, k, "__shared__")) continue;
        int end = k;
        while (!is(s, end, ";")) end = match(s, end) > end ? match(s, end) + 1 : end + 1;
        for (int n = cpi_cu_declared_names(t, k, end, names, 64); n > 0; n--)
            if (cpi_token_same(&t->at[i], &t->at[names[n - 1]])) return names[n - 1];
    }
    return -1;
}

/* Whether the name at i is an argument that all constructors of the record at `type` take by reference. */
static bool is_referred(const cpi_structure *s, int type, int i)
{
    const cpi_records *r = s->program->records;
    int record = r && type >= 0 ? cpi_records_named(s->program, r, &s->program->tokens.at[type]) : -1, place = 0;
    bool argument = (is(s, i - 1, "(") || is(s, i - 1, ",")) && (is(s, i + 1, ")") || is(s, i + 1, ","));
    if (record < 0 || !argument) return false;
    for (int k = i - 1; match(s, k) < i; k--) { /* to the ( */
        place += is(s, k, ",");
        if (match(s, k) >= 0) k = match(s, k);
    }
    bool any = false;
    for (int k = 0; k < r->nmembers; k++) {
        const cpi_record_member *m = &r->member[k];
        int open = m->function.open, at = 0, from = open + 1;
        if (m->record != record || m->kind != CPI_M_METHOD || !same(s, m->name, r->record[record].name)) continue;
        bool refers = false;
        for (int q = from; q < match(s, open); q++) {
            at += is(s, q, ",");
            refers = refers || (at == place && is(s, q, "&"));
            if (match(s, q) > q) q = match(s, q);
        }
        if (!refers && at >= place) return false;
        any = true;
    }
    return any;
}

/* Whether the name at i is that of shared memory whose address alone is meant: an array, or what `type`, the record
 * that is made there or -1, refers to. */
static bool is_address(const cpi_structure *s, int type, int i)
{
    int name = shared_variable(s, i);
    if (name < 0 || is(s, i + 1, "[") || is(s, i + 1, ".") || is(s, i + 1, "->")) return false;
    return is(s, name + 1, "[") || is_referred(s, type, i);
}

/* operator+, operator int: the word stands at its name or before it. Where objects are not called, not operator(). */
static bool is_operator(const cpi_structure *s, const cpi_record_member *m, bool called)
{
    for (int k = m->first; k <= m->name; k++)
        if (is(s, k, "operator")) return called || !is(s, k + 1, "(");
    return false;
}

/* Whether the object that is made at i, T() or T<a>{}, is called. */
static bool is_called(const cpi_structure *s, int i)
{
    int open = i + 1;
    if (is(s, open, "<")) open = cpi_tokens_behind_angles(&s->program->tokens, open, s->function->end);
    return open < 0 || match(s, open) < open || is(s, match(s, open) + 1, "(");
}

/* What an object of the record whose name is at i depends on besides its arguments: as purity_of. `used`: it stands in
 * an expression, whose operators and conversions may be its own. */
static int purity_of_record(const cpi_structure *s, int i, bool used)
{
    const cpi_cu_program *p = s->program;
    static const char *const indices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};
    int record = p->records ? cpi_records_named(p, p->records, &p->tokens.at[i]) : -1, least = 2;
    if (record < 0 || p->records->record[record].bases < p->records->record[record].bases_end) return 0;
    for (int k = 0; k < p->records->nmembers; k++) {
        const cpi_record_member *m = &p->records->member[k];
        bool builds = m->kind == CPI_M_METHOD && same(s, m->name, p->records->record[record].name);
        if (m->record != record || m->kind == CPI_M_TYPE || m->kind == CPI_M_STATIC) continue;
        if (m->kind == CPI_M_METHOD && is(s, m->name - 1, "~")) return 0;
        if (m->kind == CPI_M_METHOD && used && is_operator(s, m, is_called(s, i))) return 0;
        if (m->kind == CPI_M_METHOD && !builds) continue;
        int last = builds ? m->function.end : m->name;
        for (int q = m->first; m->kind == CPI_M_DATA && q < m->type_end; q++)
            if (is(s, m->name - 1, "*") || is(s, m->name - 1, "&")) break;
            else if (cpi_records_named(p, p->records, &p->tokens.at[q]) >= 0) return 0;
        while (!builds && !is(s, last, ";")) last = match(s, last) > last ? match(s, last) + 1 : last + 1;
        for (int q = builds ? m->function.open : m->name + 1; q < last; q++) {
            const cpi_token *w = &p->tokens.at[q];
            bool operand = named(s, q - 1) || is(s, q - 1, ")") || is(s, q - 1, "]");
            if (cpi_token_is_one_of(w, indices)) {
                least = is(s, q, "threadIdx") || least < 2 ? 1 : 2;
                continue;
            }
            if (builds && (is(s, q, "[") || is(s, q, "->") || (is(s, q, "*") && !operand))) return 0;
            if (named(s, q) && (cpi_cu_needs_context(w) || cpi_cu_named(p, w, 0))) return 0;
            for (int v = 0; v < p->nvariables; v++)
                if (same(s, q, p->variable[v].name)) return 0;
        }
    }
    return least;
}

/* The type's name of the object whose constructor has the argument at i: `T(a, i)`, `T x(a, i);`; -1: none. */
static int made_at(const cpi_structure *s, int i)
{
    int open = i - 1;
    while (open > s->function->body && match(s, open) < i && !is(s, open, ";"))
        open = match(s, open) >= 0 ? match(s, open) - 1 : open - 1;
    if (!is(s, open, "(")) return -1;
    for (int k = 0; k < s->nlocals; k++)
        if (s->local[k].built && s->local[k].value == open) {
            int type = s->local[k].type;
            while (is(s, type, "const") || is(s, type + 1, "::")) type += is(s, type, "const") ? 1 : 2;
            return type;
        }
    int name = open - 1;
    if (is(s, name, ">"))
        for (name--; name > s->function->body && !is(s, name, ";"); name--)
            if (is(s, name, "<") && cpi_tokens_behind_angles(&s->program->tokens, name, open) == open) {
                name--;
                break;
            }
    return named(s, name) ? name : -1;
}

/* 0: depends on memory, or on what is not known; 1: on the thread's index; 2: on neither. `reads`: contents of memory
 * count as known where the address is. */
static int purity_of(const cpi_structure *s, int first, int last, bool reads)
{
    static const char *const functions[] = {"min", "max", "abs", "sizeof", "__cu_rank_of"};
    int least = 2;
    for (int i = first; i < last; i++) {
        if ((is(s, i, "{") && (i == first || !named(s, i - 1))) || cpi_structure_assigns(s, i)) return 0;
        if (!reads && (is(s, i, "[") || is(s, i, "->"))) return 0;
        if (!reads && is(s, i, "*") && !(named(s, i - 1) || s->program->tokens.at[i - 1].kind == CPI_W_NUMBER ||
                               is(s, i - 1, ")") || is(s, i - 1, "]")))
            return 0; /* what a pointer points to */
        if (is(s, i, "&") &&
            !(named(s, i - 1) || s->program->tokens.at[i - 1].kind == CPI_W_NUMBER || is(s, i - 1, ")")))
            return 0;
        if (named(s, i) && is(s, i - 1, ".") && is(s, i + 1, "(")) return 0; /* a method may read the context */
        if (!named(s, i) || is(s, i - 1, ".")) continue;
        if (is(s, i, "threadIdx")) least = 1;
        bool known = cpi_structure_type_word(s, i);
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) known = known || is(s, i, functions[k]);
        if (!known && (is(s, i + 1, "{") || cpi_cu_is_call(&s->program->tokens, i))) { /* instances too: f<int>() */
            int record = purity_of_record(s, i, true);
            if (record == 0) return 0;
            if (record < least) least = record;
            known = true;
        }
        const cpi_local *v = cpi_structure_local_at(s, i);
        if (!v) { /* a constant, a type; a variable of the device's is memory */
            for (int k = 0; k < s->program->nvariables; k++)
                if (cpi_token_same(&s->program->tokens.at[i], &s->program->tokens.at[s->program->variable[k].name]) &&
                    !reads)
                    return 0;
            if (!reads && shared_variable(s, i) >= 0 && !is_address(s, made_at(s, i), i)) return 0;
            continue;
        }
        if (s->function->shown && v->prefix == v->name && !cpi_structure_type_word(s, v->type) && !is(s, i + 1, "."))
            return 0; /* an object, whose conversions and operators may read it too */
        if (v->class == CPI_V_PURE && least > 1) least = 1;
        if (v->class != CPI_V_PURE && v->class != CPI_V_UNIFORM) return 0;
    }
    return least;
}

static int purity(const cpi_structure *s, int first, int last) { return purity_of(s, first, last, false); }

bool cpi_structure_by_block(const cpi_structure *s, int first, int last)
{
    return purity_of(s, first, last, true) == 2;
}
bool cpi_structure_by_thread(const cpi_structure *s, int first, int last) { return purity(s, first, last) == 1; }
bool cpi_structure_uniform(const cpi_structure *s, int first, int last) { return purity(s, first, last) == 2; }

/* What a variable's first value depends on. */
int cpi_structure_purity_of(const cpi_structure *s, const cpi_local *v)
{
    bool list = is(s, v->value, "{") && match(s, v->value) == v->value_end - 1, inside = list || v->built;
    bool number = cpi_structure_type_word(s, v->type_end - 1) || v->prefix != v->name;
    int first = v->value + inside, last = v->value_end - inside, values = purity(s, first, last), record = 2;
    if (number || v->type < 0) return list && !number ? 0 : values;
    bool object = false;
    for (int i = v->type; i < v->type_end && s->program->records; i++)
        if (cpi_records_named(s->program, s->program->records, &s->program->tokens.at[i]) >= 0 && !object)
            object = true, record = purity_of_record(s, i, false);
    if (!object) return list || v->built ? 0 : values;
    return record < values ? record : values;
}
