/* Variables that are one for the block although they change: `int k = blockDim.x / 2; while (k) { ...; __syncthreads();
 * k /= 2; }`. They are declared outside the loops over threads, and the statements that change them stand there too.
 *
 * Invariant: such a variable is changed by statements of its own alone (or in the header of a loop with barriers), to
 * values that are one for the block, where all threads are together. All variables are supposed to be so; those for
 * which it does not hold are struck out until none is left to strike. */
#include "kernel/structure_words.h"

/* The innermost statement that token i is in, as a statement of its own or in its condition. */
static int statement_of(const cpi_structure *s, int i)
{
    int found = -1;
    for (int k = 0; k < s->nstatements; k++) {
        const cpi_statement *st = &s->statement[k];
        if (i >= st->first && i < st->last && (found < 0 || st->first >= s->statement[found].first)) found = k;
    }
    return found;
}

static bool is_loop(const cpi_statement *st) { return st->form >= CPI_F_FOR && st->form <= CPI_F_DO; }

/* The parts of the header of a for, from `first` on: what is assigned is asked separately. */
static bool parts_are_uniform(const cpi_structure *s, int first, int last)
{
    for (int i = first, from = first; i <= last; i++) {
        bool ends = i == last || is(s, i, ";") || is(s, i, ",") || cpi_structure_assigns(s, i);
        if (!ends && match(s, i) > i) i = match(s, i);
        if (!ends) continue;
        if (i > from && !cpi_structure_uniform(s, from, i)) return false;
        from = i + 1;
    }
    return true;
}

static bool jumps(const cpi_structure *s, const cpi_statement *st)
{
    for (int i = st->first; i < st->last; i++)
        if (is(s, i, "break") || is(s, i, "continue")) return true;
    return false;
}

/* Whether all threads that are left are together in the body of statement q. */
static bool together(const cpi_structure *s, int q)
{
    const cpi_statement *st = &s->statement[q];
    if (st->form == CPI_F_BLOCK) return true;
    if (st->form == CPI_F_FOR) {
        int first = cpi_structure_type_end(s, st->test, st->test_end) < 0 ? st->test : -1;
        for (int k = 0; k < s->nlocals && first < 0; k++) /* it declares its variables */
            if (s->local[k].statement == q && s->local[k].class != CPI_V_UNIFORM) return false;
        if (first >= 0 && !parts_are_uniform(s, first, st->test_end)) return false;
    } else if (st->test < st->test_end && !cpi_structure_uniform(s, st->test, st->test_end)) {
        return false;
    }
    for (int k = 0; is_loop(st) && k < s->nstatements; k++) {
        const cpi_statement *inner = &s->statement[k];
        if (inner->form == CPI_F_IF && inner->first > st->first && inner->last <= st->last && jumps(s, inner) &&
            !cpi_structure_uniform(s, inner->test, inner->test_end))
            return false;
    }
    return true;
}

static bool all_are_there(const cpi_structure *s, int k)
{
    for (int q = 0; q < s->nstatements; q++) {
        const cpi_statement *st = &s->statement[q];
        bool around = q != k && st->first <= s->statement[k].first && st->last >= s->statement[k].last && st->split;
        if (around && !together(s, q)) return false;
    }
    return true;
}

/* Whether statement k only gives `v` a value that is one for the block. */
static bool sets(const cpi_structure *s, const cpi_statement *st, const cpi_local *v)
{
    int first = st->first, last = st->last - 1;
    if (st->form != CPI_F_SOURCE || !is(s, last, ";")) return false;
    if (last == first + 2) {
        bool before = (is(s, first, "++") || is(s, first, "--")) && same(s, first + 1, v->name);
        bool behind = same(s, first, v->name) && (is(s, first + 1, "++") || is(s, first + 1, "--"));
        return before || behind;
    }
    if (!same(s, first, v->name) || !cpi_structure_assigns(s, first + 1) || is(s, first + 1, "++")) return false;
    for (int i = first + 2; i < last; i++) {
        if (is(s, i, ",") || is(s, i, ";")) return false;
        if (match(s, i) > i) i = match(s, i);
    }
    return cpi_structure_uniform(s, first + 2, last);
}

/* Whether the variable is changed in ways that are allowed, all of which keep it one for the block. */
static bool stays(const cpi_structure *s, const cpi_local *v)
{
    for (int i = s->function->body + 1; i < s->function->end; i++) {
        if ((i <= v->name && v->statement >= 0) || !same(s, i, v->name)) continue;
        if (i >= v->block_end || cpi_structure_local_at(s, i) != v || !cpi_structure_changes(s, v, i)) continue;
        int k = statement_of(s, i);
        const cpi_statement *st = &s->statement[k];
        bool header = st->form == CPI_F_FOR && st->split && i >= st->test && i < st->test_end;
        if (header ? !together(s, k) : !sets(s, st, v)) return false;
        if (!all_are_there(s, k)) return false;
    }
    return true;
}

static bool may_be(const cpi_structure *s, const cpi_local *v)
{
    if (v->statement < 0) return true;
    if (v->suffix_end > v->suffix || v->refers || is(s, v->type, "auto") || is(s, v->type + 1, "auto")) return false;
    bool counter = s->statement[v->statement].form == CPI_F_FOR;
    if (counter && v->value < 0) return false;
    return v->value < 0 || cpi_structure_uniform(s, v->value, v->value_end);
}

void cpi_structure_find_uniform(cpi_structure *s)
{
    for (int k = 0; k < s->nlocals; k++) s->local[k].class = CPI_V_UNIFORM;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < s->nlocals; k++) {
            cpi_local *v = &s->local[k];
            if (v->class != CPI_V_UNIFORM || (may_be(s, v) && stays(s, v))) continue;
            v->class = CPI_V_LOCAL;
            changed = true;
        }
    }
    for (int k = 0; k < s->nlocals; k++) {
        cpi_local *v = &s->local[k];
        bool counter = v->statement >= 0 && s->statement[v->statement].form == CPI_F_FOR;
        for (int i = s->function->body + 1; v->class == CPI_V_UNIFORM && !counter && i < v->block_end; i++) {
            if ((i <= v->name && v->statement >= 0) || !same(s, i, v->name) || cpi_structure_local_at(s, i) != v ||
                !cpi_structure_changes(s, v, i))
                continue;
            cpi_statement *st = &s->statement[statement_of(s, i)];
            v->together = true;
            if (st->form == CPI_F_SOURCE) st->form = CPI_F_TOGETHER;
        }
    }
    for (int k = 0; k < s->nlocals; k++) s->local[k].class = s->local[k].together ? CPI_V_UNIFORM : CPI_V_LOCAL;
}

/* Whether the header of the for k, which declares no variable, changes variables of this kind alone. */
bool cpi_structure_header_is_uniform(const cpi_structure *s, int k)
{
    const cpi_statement *st = &s->statement[k];
    bool any = false;
    if (st->form != CPI_F_FOR || !parts_are_uniform(s, st->test, st->test_end)) return false;
    for (int i = st->test; i < st->test_end; i++) {
        const cpi_local *v = named(s, i) ? cpi_structure_local_at(s, i) : NULL;
        if (!v || !cpi_structure_changes(s, v, i)) continue;
        if (!v->together) return false;
        any = true;
    }
    return any;
}
