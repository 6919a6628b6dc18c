/* Variables that get another value for all the rest of their scope, `c = blockIdx.y * 32 + threadIdx.x;` behind a
 * barrier: from there on they are a variable of their own, a version, which mostly can be computed anew in each loop
 * over the threads, where the variable itself would be an array over them.
 *
 * Invariant: the assignment is a statement in the list of statements that the declaration is in, so that whoever comes
 * to a later use has passed it; and nothing else refers to the variable's place. */
#include "kernel/structure_words.h"

static bool is_plain(const cpi_structure *s, const cpi_local *v)
{
    bool pointer = v->prefix != v->name || v->suffix_end > v->suffix;
    if (v->statement < 0 || pointer || v->constant || v->refers || v->together) return false;
    for (int i = v->type; i < v->type_end; i++)
        if (!cpi_structure_type_word(s, i) || is(s, i, "auto") || is(s, i, "volatile")) return false;
    return s->statement[v->statement].form == CPI_F_SOURCE;
}

/* Whether the variable is changed by assignments alone: no pointer or reference leads to it. */
static bool is_assigned_only(const cpi_structure *s, const cpi_local *v)
{
    for (int i = v->name + 1; i < v->block_end; i++) {
        if (!same(s, i, v->name) || is(s, i - 1, ".") || is(s, i - 1, "->") || is(s, i - 1, "::")) continue;
        const bool step = is(s, i - 1, "++") || is(s, i - 1, "--");
        if (cpi_structure_changes(s, v, i) && !cpi_structure_assigns(s, i + 1) && !step) return false;
    }
    return true;
}

static bool in_list_behind(const cpi_structure *s, int k, int statement)
{
    for (k = s->statement[k].next; k >= 0; k = s->statement[k].next)
        if (k == statement) return true;
    return false;
}

static int region_of(const cpi_structure *s, int i) { return s->region_of[i - s->function->body]; }

/* The variable that statement k only gives a new value, which does not follow from the old one; NULL: none. */
static const cpi_local *assigned(const cpi_structure *s, int k)
{
    const cpi_statement *st = &s->statement[k];
    if (st->form != CPI_F_SOURCE || st->once || !named(s, st->first) || !is(s, st->first + 1, "=")) return NULL;
    if (!is(s, st->last - 1, ";")) return NULL;
    for (int i = st->first + 2, inside = st->first + 2; i < st->last - 1; i++) {
        if (cpi_structure_assigns(s, i) || same(s, i, st->first) || (i == inside && is(s, i, ","))) return NULL;
        if (i == inside) inside = match(s, i) > i ? match(s, i) + 1 : i + 1;
    }
    const cpi_local *v = cpi_structure_local_at(s, st->first);
    if (!v || !is_plain(s, v) || region_of(s, v->name) == region_of(s, st->first)) return NULL;
    return in_list_behind(s, v->statement, k) && is_assigned_only(s, v) ? v : NULL;
}

bool cpi_structure_find_versions(cpi_structure *s)
{
    for (int k = 0; k < s->nstatements && !s->failed; k++) {
        const cpi_local *found = assigned(s, k);
        if (!found) continue;
        const int name = s->statement[k].first;
        cpi_local v = *found;
        v.name = v.prefix = name, v.suffix = v.suffix_end = name + 1;
        v.value = name + 2, v.value_end = s->statement[k].last - 1, v.statement = k;
        v.version = true;
        if (!cpi_structure_new_local(s)) return false;
        int at = s->nlocals - 1;
        for (; at > 0 && s->local[at - 1].name > name; at--) s->local[at] = s->local[at - 1];
        s->local[at] = v;
        if (!cpi_structure_index_uses(s)) return false; /* the next one may be of the same variable */
    }
    return true;
}

bool cpi_structure_is_version(const cpi_structure *s, int i)
{
    for (int k = 0; is(s, i + 1, "=") && k < s->nlocals; k++)
        if (s->local[k].version && s->local[k].name == i) return true;
    return false;
}

/* Whether v, which is one for the block, is declared beside an earlier version that is so too. */
bool cpi_structure_has_twin(const cpi_structure *s, const cpi_local *v)
{
    for (const cpi_local *u = s->local; v->version && u < v; u++)
        if (u->class == CPI_V_UNIFORM && u->block_end == v->block_end && same(s, u->name, v->name)) return true;
    return false;
}

/* Whether the name at i, in a value that is computed again later, means a later version then. */
bool cpi_structure_has_later_version(const cpi_structure *s, int i)
{
    for (const cpi_local *v = s->local; v < s->local + s->nlocals; v++)
        if (v->version && v->name > i && same(s, v->name, i)) return true;
    return false;
}
