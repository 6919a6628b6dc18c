/* Which variable a token of a kernel's body uses, and which names are those of shared memory: asked of each token by
 * most passes over a kernel that is split, so both are found once.
 *
 * Analysing and writing take time with the product of variables and statements. Invariant: a kernel whose product
 * exceeds WORK is refused, and its threads become fibers: no text takes longer than about a second. */
#include "core/memory.h"
#include "kernel/structure_words.h"

static const double WORK = 4e9;

bool cpi_structure_uses(const cpi_structure *s, const cpi_local *v, int i)
{
    return same(s, i, v->name) && i != v->name && !is(s, i - 1, ".") && !is(s, i - 1, "->") && !is(s, i - 1, "::");
}

static const cpi_local *find(const cpi_structure *s, int i)
{
    const cpi_local *found = NULL;
    for (int k = 0; k < s->nlocals; k++) /* the innermost is the last declared */
        if (i > s->local[k].name && i < s->local[k].block_end && cpi_structure_uses(s, &s->local[k], i))
            found = &s->local[k];
    return found;
}

const cpi_local *cpi_structure_local_at(const cpi_structure *s, int i)
{
    if (!s->local_of || i < s->function->body || i >= s->function->end) return find(s, i);
    int k = s->local_of[i - s->function->body];
    return k < 0 ? NULL : &s->local[k];
}

/* The names of static and dynamic shared memory that the body declares. */
static bool find_shared(cpi_structure *s)
{
    const cpi_tokens *t = &s->program->tokens;
    int names[64], capacity = 0;
    for (int k = s->function->body; k < s->function->end; k++) {
        if (!is(s, k, "__shared__")) continue;
        int end = k;
        while (end < s->function->end && !is(s, end, ";")) end = match(s, end) > end ? match(s, end) + 1 : end + 1;
        for (int n = cpi_cu_declared_names(t, k, end, names, 64); n > 0; n--) {
            if (s->nshared == capacity) {
                int *more = cpi_realloc(s->shared, (size_t)(capacity = 2 * capacity + 8) * sizeof *more);
                if (!more) return false;
                s->shared = more;
            }
            s->shared[s->nshared++] = names[n - 1];
        }
    }
    return true;
}

bool cpi_structure_in_shared_memory(const cpi_structure *s, int i)
{
    for (int k = 0; k < s->nshared; k++)
        if (same(s, i, s->shared[k])) return true;
    return false;
}

bool cpi_structure_index_locals(cpi_structure *s)
{
    const int first = s->function->body, n = s->function->end - first;
    const double locals = s->nlocals, each = n + (double)s->nstatements * locals;
    if (locals * each > WORK || !find_shared(s) || (double)n * s->nshared > WORK) return false;
    int *found = cpi_malloc((size_t)n * sizeof *found);
    for (int i = 0; found && i < n; i++) {
        const cpi_local *v = named(s, first + i) ? find(s, first + i) : NULL;
        found[i] = v ? (int)(v - s->local) : -1;
    }
    s->local_of = found;
    return found != NULL;
}
