/* Converting kernels to the form of normal.c: what waits for other threads, and unique names for the variables of
 * inlined functions. Invariant: a name that would mean something else where it is written is refused. */
#include "kernel/normal.h"

/* --- what waits --- */

/* The function with barriers that is called at i; NULL where there is none, or more than one. */
const cpi_cu_function *cpi_normal_function_at(normal *n, int i)
{
    const cpi_cu_function *found = NULL;
    if (!named(n, i) || member(n, i)) return NULL;
    for (const cpi_cu_function *g = cpi_cu_named(n->p, at(n, i), 0); g;
         g = cpi_cu_named(n->p, at(n, i), (int)(g - n->p->function) + 1)) {
        if (!n->records->waiting[g - n->p->function] || g->global || g->name == i) continue;
        if (g->body < 0) continue; /* a declaration */
        if (found) refuse(n);      /* overloaded */
        found = g;
    }
    return found;
}

bool cpi_normal_waits_at(normal *n, int i)
{
    return named(n, i) && (cpi_cu_waits(at(n, i)) || cpi_normal_function_at(n, i) ||
                           cpi_records_may_wait(n->p, n->records, i));
}

int cpi_normal_count_waits(normal *n, int first, int last)
{
    int count = 0;
    for (int i = first; i < last; i++) count += cpi_normal_waits_at(n, i);
    return count;
}

bool cpi_normal_has_word(const normal *n, const char *word, int first, int last)
{
    for (int i = first; i < last; i++)
        if (is(n, i, word)) return true;
    return false;
}

/* Whether the value at i is evaluated on every path and after nothing that C++ puts before it, in the expression that
 * begins at `first`. */
bool cpi_normal_unconditional(const normal *n, int first, int i)
{
    bool call = false, decided = false; /* commas separate arguments; a condition precedes, in this bracket */
    for (int k = first; k < i; k++) {
        if (match(n, k) > i) {
            if (decided) return false;
            call = is(n, k, "{") || (k > first && (named(n, k - 1) || is(n, k - 1, ">") || is(n, k - 1, ")")) &&
                                     !is(n, k - 1, "return"));
        } else if (match(n, k) > k) {
            k = match(n, k);
        } else if (is(n, k, ",")) {
            if (!call) return false;
            decided = false; /* of an argument that has ended */
        } else if (is(n, k, "?") || is(n, k, "&&") || is(n, k, "||")) {
            decided = true;
        }
    }
    return !decided;
}

/* --- names --- */

const declared *cpi_normal_find(const normal *n, const scope *s, const cpi_token *name)
{
    for (int k = s->nnames - 1; k >= 0; k--)
        if (cpi_token_same(at(n, s->names[k].name), name)) return &s->names[k];
    return NULL;
}

static void add_name(normal *n, scope *s, declared d)
{
    if (s->nnames == NAMES) refuse(n);
    else s->names[s->nnames++] = d;
}

int cpi_normal_next_semicolon(const normal *n, int i, int end)
{
    for (; i < end && !is(n, i, ";") && !is(n, i, ")"); i++)
        if (match(n, i) > i) i = match(n, i);
    return i;
}

static bool plain_name(const normal *n, int name)
{
    return !is(n, name - 1, "*") && !is(n, name - 1, "&") && !is(n, name + 1, "[");
}

/* The parameters of a function, as token ranges; -1: too many. */
int cpi_normal_list_chunks(const normal *n, int open, int close, part *parts, int most)
{
    int count = 0, from = open + 1;
    if (close == open + 1 || (close == open + 2 && is(n, open + 1, "void"))) return 0;
    for (int i = open + 1; i <= close; i++) {
        if (i < close && match(n, i) > i) i = match(n, i);
        if (i < close && is(n, i, "<") && named(n, i - 1)) {
            int behind = cpi_tokens_behind_angles(&n->p->tokens, i, close);
            if (behind > 0) i = behind - 1;
        }
        if (i < close && !is(n, i, ",")) continue;
        if (count == most) return -1;
        parts[count++] = (part){from, i};
        from = i + 1;
    }
    return count;
}

/* The name that a parameter declares; -1: none. */
int cpi_normal_parameter_name(const normal *n, part p)
{
    int name = -1;
    for (int i = p.first; i < p.last && !is(n, i, "=") && !is(n, i, "["); i++) {
        if (is(n, i, "<")) {
            int behind = cpi_tokens_behind_angles(&n->p->tokens, i, p.last);
            if (behind > 0) i = behind - 1;
        }
        if (match(n, i) > i || is(n, i, "...")) return -1;
        if (named(n, i)) name = i;
    }
    return name > p.first ? name : -1;
}

/* All names that the function declares, wherever in it: too many do no harm, too few would. */
void cpi_normal_find_names(normal *n, scope *s)
{
    const cpi_cu_function *f = s->function;
    part parameters[ARGUMENTS * 4];
    int count = f->open < 0 ? 0 : cpi_normal_list_chunks(n, f->open, match(n, f->open), parameters, ARGUMENTS * 4);
    int names[64];
    if (count < 0) refuse(n);
    for (int k = 0; k < count; k++) {
        int name = cpi_normal_parameter_name(n, parameters[k]);
        if (name < 0) {
            refuse(n);
            return;
        }
        add_name(n, s, (declared){name, parameters[k].first, name, false, plain_name(n, name)});
    }
    for (int i = f->body + 1; i < f->end; i++) {
        int lambda = cpi_lambda_body(&n->p->tokens, i);
        if (lambda >= 0) { /* has names of its own; where this is one, nothing else has them */
            if (!s->plain) i = match(n, lambda);
            continue;
        }
        bool begins = is(n, i - 1, ";") || is(n, i - 1, "{") || is(n, i - 1, "}") || is(n, i - 1, "(") ||
                      is(n, i - 1, ")") || is(n, i - 1, ":") || at(n, i - 1)->kind == CPI_W_LINE;
        if (!begins || !named(n, i)) continue;
        int from = i;
        while (is(n, from, "static") || is(n, from, "extern") || is(n, from, "constexpr") ||
               is(n, from, "__shared__") || is(n, from, "volatile"))
            from++;
        int end = cpi_normal_next_semicolon(n, i, f->end);
        int type_end = cpi_structure_type_end(&n->structure, from, end + 1);
        if (type_end < 0) continue;
        bool shared = cpi_normal_has_word(n, "__shared__", i, type_end);
        for (int k = cpi_cu_declared_names(&n->p->tokens, type_end, end, names, 64); k > 0; k--)
            add_name(n, s, (declared){names[k - 1], from, type_end, shared, plain_name(n, names[k - 1])});
    }
}

/* The kernel's name for token i. */
void cpi_normal_put_word(normal *n, scope *s, int i, cpi_string *out)
{
    const cpi_token *w = at(n, i);
    if (w->kind == CPI_W_LINE) {
        refuse(n);
        return;
    }
    if (w->kind == CPI_W_NAME && !member(n, i)) {
        for (int k = 0; k < s->nsubstitutes; k++) {
            if (!cpi_token_same(w, s->substitutes[k].name)) continue;
            const substitute_for *is_for = &s->substitutes[k];
            if (is_for->lambda < 0) refuse(n);
            else if (is_for->lambda) cpi_normal_put_lambda(n, is_for->in, is_for->lambda, out);
            else cpi_string_printf(out, "%s ", string_of(&is_for->text));
            return;
        }
        const declared *d = s->function ? cpi_normal_find(n, s, w) : NULL;
        scope *in;
        int lambda = d && !s->plain ? cpi_normal_lambda(n, s, i, &in) : -1;
        if (lambda >= 0) {
            cpi_normal_put_lambda(n, in, lambda, out);
            return;
        }
        if (d && s->number) {
            bool once = d->shared && !s->generic;
            cpi_string_printf(out, "%.*s__%c%d ", (int)w->length, w->text, once ? 'f' : 'i',
                              once ? s->index : s->number);
            return;
        }
        if (!d && s->record >= 0 && cpi_normal_put_member(n, s, i, out)) return;
        if (!d && s->lambda) {
            cpi_normal_put_word(n, s->lexical, i, out);
            return;
        }
        for (const scope *o = d ? NULL : s->lexical; o; o = o->lexical)
            for (int k = 0; k < o->nsubstitutes; k++)
                if (cpi_token_same(w, o->substitutes[k].name)) {
                    cpi_string_printf(out, "%s ", string_of(&o->substitutes[k].text));
                    return;
                }
        for (const scope *o = d ? NULL : s->outer; o; o = o->outer)
            if (o->function && cpi_normal_find(n, o, w)) refuse(n); /* that means something else there */
    }
    cpi_string_printf(out, "%.*s ", (int)w->length, w->text);
}

void cpi_normal_put_words(normal *n, scope *s, int first, int last, cpi_string *out)
{
    for (int i = first; i < last; i++) cpi_normal_put_word(n, s, i, out);
    if (out->length > LONGEST) refuse(n);
}

void cpi_normal_put_line(normal *n, int i) { cpi_string_printf(n->out, "\n# %d \"kernel.cu\"\n", at(n, i)->line); }
