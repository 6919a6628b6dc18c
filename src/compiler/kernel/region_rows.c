/* Regions without a barrier between them, whose threads are chosen by threadIdx.x: a tile of a stencil and its halo.
 * They share the loop over the rows of the block, so that a row's halo is read while the row is in the first cache.
 *
 * Invariant: only threads of different rows are put into another order, and nothing orders those. */
#include <string.h>

#include "kernel/structure_words.h"
#include "kernel/writer.h"

/* Whether blocks may have several rows, for all that the source tells. */
static bool has_rows(const cpi_structure *s)
{
    for (int i = s->function->body; i + 2 < s->function->end; i++)
        if (is(s, i, "threadIdx") && is(s, i + 1, ".") && (is(s, i + 2, "y") || is(s, i + 2, "z"))) return true;
    return false;
}

/* Whether the region of statements k, ... is nothing but a loop over threads. `first`: it is the first in the rows, in
 * front of which there may be declarations. */
static bool fits(const writer *w, int k, int end, bool first)
{
    for (; k != end; k = w->s->statement[k].next) {
        const cpi_statement *st = &w->s->statement[k];
        int to, from = cpi_region_locals_of(w, k, &to);
        for (int v = from; v < to && !first; v++)
            if (w->s->local[v].class == CPI_V_UNIFORM || w->s->local[v].class == CPI_V_KEPT) return false;
        if (st->form == CPI_F_FIXED && !first) return false;
        if (cpi_tile_read(w->s, st->first, st->last)) return false;
        for (int i = st->first; i < st->last; i++) /* what lanes exchange, and ranks */
            if (word(w, i)->length > 5 && memcmp(word(w, i)->text, "__cu_", 5) == 0) return false;
    }
    return true;
}

int cpi_region_behind_rows(const writer *w, int k)
{
    int behind = cpi_region_behind(w, k), regions = 1;
    if (w->joined || w->nmasks || !fits(w, k, behind, true)) return k;
    while (behind >= 0 && w->s->statement[behind].form == CPI_F_SOURCE) {
        const int end = cpi_region_behind(w, behind);
        if (!fits(w, behind, end, false)) break;
        behind = end, regions++;
    }
    return regions > 1 && has_rows(w->s) ? behind : k;
}
