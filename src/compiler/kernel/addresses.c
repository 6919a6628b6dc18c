/* Addresses of a thread's variables that pointers keep from one region to another: `T l[2], *p = l; __syncthreads();
 * p[1]`. An array then stays where it is, in its place among those of all threads; a variable that is copied into each
 * loop has no such place, and the kernel is refused.
 *
 * Invariant: an address counts as kept where it stands beside a change of what is kept and may hold it, directly or
 * through other variables. What a function returns holds an address of its arguments only where it is a pointer. */
#include <string.h>

#include "core/memory.h"
#include "kernel/structure_words.h"

static bool is_operand(const cpi_structure *s, int i)
{
    if (is(s, i, ")")) return !cpi_structure_is_cast(s, match(s, i));
    return (named(s, i) && !is(s, i, "return")) || is(s, i, "]") || s->program->tokens.at[i].kind == CPI_W_NUMBER;
}

/* Whether the source declares an array of the name at i. */
static bool is_array_member(const cpi_structure *s, int i)
{
    for (int k = 1; k < s->function->start; k++) {
        bool declared = named(s, k - 1) || is(s, k - 1, "*") || is(s, k - 1, ",");
        if (declared && same(s, k, i) && is(s, k + 1, "[")) return true;
    }
    return false;
}

/* Behind the brackets that follow the variable at i, and members; *decays: what is there is an array. -1: it is not of
 * the variable, which is a pointer. */
static int behind_elements(const cpi_structure *s, const cpi_local *v, int i, bool *decays)
{
    bool pointer = v->statement < 0 || v->prefix != v->name;
    int dimensions = 0;
    for (int k = v->suffix; k < v->suffix_end; k = match(s, k) + 1) dimensions++;
    for (i++; is(s, i, "["); i = match(s, i) + 1) dimensions--;
    if (pointer && dimensions < 0) return -1;
    while (is(s, i, ".") && !is(s, i + 2, "(")) {
        dimensions = is_array_member(s, i + 1);
        for (i += 2; is(s, i, "["); i = match(s, i) + 1) dimensions--;
    }
    *decays = dimensions > 0;
    return is(s, i, "->") ? -1 : i;
}

/* Behind what is reached from a variable at i that holds an address; *holds: it is the variable itself, or a member. */
static int behind_reached(const cpi_structure *s, int i, bool *holds)
{
    *holds = true;
    for (i++;;) {
        *holds = *holds && !is(s, i, "[") && !is(s, i, "->");
        if (is(s, i, "[")) i = match(s, i) + 1;
        else if ((is(s, i, ".") || is(s, i, "->")) && !is(s, i + 2, "(")) i += 2;
        else return i;
    }
}

/* Whether the use of a variable at i is the address of it, or of a part; `carries`: it holds one. */
static bool is_address(const cpi_structure *s, const cpi_local *v, int i, bool carries)
{
    bool address = false;
    int behind = carries ? behind_reached(s, i, &address) : behind_elements(s, v, i, &address);
    for (int k = i - 1; behind >= 0 && k > s->function->body;) {
        if (address && (is(s, behind, "[") || is(s, behind, "->"))) return false;
        if (is(s, k, "&") && !is_operand(s, k - 1)) {
            address = true;
            k--;
        } else if (is(s, k, "*") && !is_operand(s, k - 1)) {
            return false;
        } else if (is(s, k, ")") && cpi_structure_is_cast(s, match(s, k))) {
            k = match(s, k) - 1;
        } else if (is(s, k, "(") && is(s, k - 1, ">")) {
            for (k--; k > s->function->body && !is(s, k, "<") && !is(s, k, ";");) k--;
            if (!is(s, k - 1, "reinterpret_cast") && !is(s, k - 1, "static_cast")) return address;
            behind++;
            k -= 2;
        } else if (is(s, k, "(") && !named(s, k - 1)) {
            behind = match(s, k) + 1;
            k--;
        } else {
            return address && !is(s, k - 1, "sizeof");
        }
    }
    return behind >= 0 && address;
}

/* Whether the variable may hold an address. */
static bool may_hold(const cpi_structure *s, const cpi_local *v)
{
    if (v->statement < 0) return is(s, v->name - 1, "const") || !cpi_structure_type_word(s, v->name - 1);
    if (v->prefix != v->name) return true;
    for (int i = v->type; i < v->type_end; i++)
        if (!cpi_structure_type_word(s, i) || is(s, i, "auto")) return true;
    return false;
}

/* Where the statement or declaration that i is in begins; *call: the name of the outermost function whose argument i
 * is, or -1. */
static int begin_of(const cpi_structure *s, int i, int *call)
{
    *call = -1;
    for (int k = i - 1; k > s->function->body; k--) {
        if (is(s, k, ";") || is(s, k, "}")) return k + 1;
        if (match(s, k) >= 0 && match(s, k) < k) {
            k = match(s, k);
        } else if (is(s, k, "{")) {
            if (!is(s, k - 1, "=") && !named(s, k - 1) && !is(s, k - 1, "]")) return k + 1;
            if (is(s, k - 1, "else") || is(s, k - 1, "do")) return k + 1;
        } else if (is(s, k, "(")) {
            if (is(s, k - 1, "if") || is(s, k - 1, "for") || is(s, k - 1, "while") || is(s, k - 1, "switch"))
                return k + 1;
            if (named(s, k - 1) && !is(s, k - 1, "return")) *call = k - 1;
        }
    }
    return s->function->body + 1;
}

/* Whether the variable at k may get another value there than one that it had with a number added. */
static bool is_set(const cpi_structure *s, const cpi_local *w, int k)
{
    bool steps = is(s, k - 1, "++") || is(s, k - 1, "--") || (cpi_structure_assigns(s, k + 1) && !is(s, k + 1, "="));
    bool pointed = is(s, k - 1, "*") && !is_operand(s, k - 2); /* what it points to is set */
    return !steps && !pointed && cpi_structure_changes(s, w, k);
}

/* Marks what takes the address at i; false: it goes where it cannot be followed. */
static bool spread(const cpi_structure *s, int i, bool *carries)
{
    int call, first = begin_of(s, i, &call);
    bool assigned = false, known = false;
    for (int k = first; !is(s, k, ";") && !is(s, k, "}") && k < s->function->end; k++) {
        assigned = assigned || (k < i && is(s, k, "="));
        if (k == i || !named(s, k)) continue;
        const cpi_local *w = cpi_structure_local_at(s, k);
        bool declared = false;
        for (int n = 0; n < s->nlocals && !w && k < i; n++)
            if (s->local[n].name == k) w = &s->local[n], declared = true;
        if (!w || !(declared || is_set(s, w, k))) continue;
        known = true;
        bool pointer = w->prefix != w->name || w->statement < 0 || (call >= 0 && same(s, call, w->type)) ||
                       (is(s, k + 1, ".") && !assigned);
        if (may_hold(s, w) && (call < 0 || pointer)) carries[w - s->local] = true;
    }
    return known || call >= 0 || !assigned;
}

/* Whether an address of v is in a variable that is kept. */
static bool is_kept(const cpi_structure *s, const cpi_local *v, bool *carries, bool *done)
{
    bool any = false, array = v->suffix_end > v->suffix;
    memset(carries, 0, (size_t)s->nlocals);
    memset(done, 0, (size_t)s->nlocals);
    for (int i = v->name + 1; i < v->block_end && i < s->function->end; i++) {
        if (!same(s, i, v->name) || cpi_structure_local_at(s, i) != v || !is_address(s, v, i, false)) continue;
        int call;
        bool known = spread(s, i, carries);
        if (!known && (array || cpi_structure_type_end(s, begin_of(s, i, &call), i) < 0)) return true;
        any = true;
    }
    for (bool more = any; more;) {
        more = false;
        for (int k = 0; k < s->nlocals; k++) {
            const cpi_local *w = &s->local[k];
            if (!carries[k] || done[k] || w == v) continue;
            if (w->class == CPI_V_KEPT) return true;
            done[k] = more = true;
            for (int i = s->function->body + 1; i < w->block_end && i < s->function->end; i++)
                if (same(s, i, w->name) && cpi_structure_local_at(s, i) == w && is_address(s, w, i, true))
                    spread(s, i, carries);
        }
    }
    return false;
}

void cpi_structure_keep_addressed(cpi_structure *s)
{
    bool *carries = s->nlocals ? cpi_malloc(2 * (size_t)s->nlocals) : NULL;
    if (!carries) {
        s->failed = s->failed || s->nlocals > 0;
        return;
    }
    for (int k = 0; k < s->nlocals && !s->failed; k++) {
        cpi_local *v = &s->local[k];
        bool array = v->suffix_end > v->suffix;
        if ((array && v->class == CPI_V_KEPT) || !is_kept(s, v, carries, carries + s->nlocals)) continue;
        if (array && v->class == CPI_V_LOCAL) v->class = CPI_V_KEPT;
        else s->failed = true;
    }
    cpi_free_host(carries);
}
