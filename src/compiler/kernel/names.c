/* The index of a program's functions and variables by their names: passes ask for each token whether it is one.
 *
 * Functions come first, then variables, in the order of the source, also in each list of the index. Invariant: it is
 * made when all of them are known, and names do not change. */
#include "core/memory.h"
#include "kernel/translate.h"

static const cpi_token *name_of(const cpi_cu_program *p, int k)
{
    return &p->tokens.at[k < p->nfunctions ? p->function[k].name : p->variable[k - p->nfunctions].name];
}

bool cpi_cu_index_names(cpi_cu_program *p)
{
    const int n = p->nfunctions + p->nvariables;
    unsigned size = 16;
    while (size < 2u * (unsigned)n) size *= 2;
    p->named = cpi_malloc(((size_t)size + (size_t)n) * sizeof *p->named);
    if (!p->named) return false;
    p->named_size = size;
    for (unsigned i = 0; i < size; i++) p->named[i] = -1;
    for (int k = n - 1; k >= 0; k--) {
        int *first = &p->named[name_of(p, k)->hash & (size - 1)];
        p->named[size + (unsigned)k] = *first;
        *first = k;
    }
    return true;
}

static int first_of(const cpi_cu_program *p, const cpi_token *w)
{
    return p->named ? p->named[w->hash & (p->named_size - 1)] : -1;
}

static int next_of(const cpi_cu_program *p, int k) { return p->named[p->named_size + (unsigned)k]; }

cpi_cu_function *cpi_cu_named(const cpi_cu_program *p, const cpi_token *w, int from)
{
    int k = first_of(p, w);
    if (from > 0 && from <= p->nfunctions && cpi_token_same(w, name_of(p, from - 1))) k = next_of(p, from - 1);
    for (; k >= 0 && k < p->nfunctions; k = next_of(p, k))
        if (k >= from && cpi_token_same(w, name_of(p, k))) return &p->function[k];
    return NULL;
}

const cpi_cu_variable *cpi_cu_variable_named(const cpi_cu_program *p, const cpi_token *w, int from)
{
    for (int k = first_of(p, w); k >= 0; k = next_of(p, k))
        if (k >= p->nfunctions + from && cpi_token_same(w, name_of(p, k))) return &p->variable[k - p->nfunctions];
    return NULL;
}

bool cpi_cu_is_shared_variable(const cpi_cu_program *p, const cpi_token *w)
{
    const cpi_cu_variable *v = cpi_cu_variable_named(p, w, 0);
    while (v && !v->shared) v = cpi_cu_variable_named(p, w, (int)(v - p->variable) + 1);
    return v != NULL;
}

int cpi_cu_function_around(const cpi_cu_program *p, int i)
{
    int low = 0, high = p->nfunctions;
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->function[middle].end <= i) low = middle + 1;
        else high = middle;
    }
    return low < p->nfunctions && p->function[low].start <= i ? low : -1;
}
