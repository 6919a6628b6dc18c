/* Reductions and scans of whole warps (`__reduce_add_sync`, cg::reduce, cg::inclusive_scan): one computation for all
 * lanes, in front of the loop over the threads, in which they read the result.
 *
 * Invariant: all threads of the block are there, the mask is one for the block, and everything that the call names is
 * known where the loop begins; else each thread asks on its own (device/regions.h). */
#include <string.h>

#include "kernel/structure_words.h"
#include "kernel/writer.h"

enum { CALLS = 4 };

/* Whether the call at i takes what is made once for a warp. */
static bool is_reduction(const writer *w, int i)
{
    static const char *const names[] = {"fold", "scan", "scan_before", "add", "min", "max", "and", "or", "eor"};
    static const char begins[] = "__cu_take_";
    const size_t n = sizeof begins - 1;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (word(w, i)->length == n + strlen(names[k]) && memcmp(word(w, i)->text, begins, n) == 0 &&
            memcmp(word(w, i)->text + n, names[k], strlen(names[k])) == 0)
            return token_is(w, i + 1, "(");
    return false;
}

/* Whether the call (slot, mask, ...) at i means the same in front of the loop whose tokens begin at `first`. */
static bool is_known(const writer *w, int i, int first)
{
    const int close = match(w->s, i + 1);
    int mask_end = i + 4;
    while (mask_end < close && !token_is(w, mask_end, ",")) mask_end++;
    if (!cpi_structure_uniform(w->s, i + 4, mask_end)) return false;
    for (int k = mask_end; k < close; k++) {
        const cpi_local *v = named(w->s, k) ? cpi_structure_local_at(w->s, k) : NULL;
        if (v && v->statement >= 0 && (v->name >= first || v->class == CPI_V_LOCAL)) return false;
    }
    return true;
}

/* The calls among the tokens; 0: there are none, or too many. */
static int find_calls(const writer *w, int first, int last, int *calls)
{
    int n = 0;
    for (int i = first; i < last; i++) {
        if (!is_reduction(w, i)) continue;
        if (n == CALLS || !is_known(w, i, first)) return 0;
        for (int k = 0; k < n; k++)
            if (same(w->s, i + 2, calls[k] + 2)) return 0; /* the slot */
        calls[n++] = i;
    }
    return n;
}

bool cpi_region_all_come(const writer *w) { return !w->nmasks && !w->s->returns; }

bool cpi_region_put_reduced(writer *w, int first, int last)
{
    int calls[CALLS], n = cpi_region_all_come(w) ? find_calls(w, first, last, calls) : 0;
    if (n) cpi_string_printf(w->out, "{ ");
    for (int k = 0; k < n; k++) {
        const int length = (int)word(w, calls[k] + 2)->length;
        const char *slot = word(w, calls[k] + 2)->text;
        cpi_string_printf(w->out, "__cu_made __cu_made%.*s{{__cu_x%.*s}}; __CU_THREADS_BY((__cu_span{0, "
                          "__cu_block.row}), __cu_warp_steps(__cu_block)) { __CU_THREAD if ((__cu_t & 31) == 0) { "
                          "__cu_making &__cu_x%.*s = __cu_made%.*s; ", length, slot, length, slot, length, slot, length,
                          slot);
        cpi_region_take_out(w, first, last);
        cpi_string_printf(w->out, "(void)(");
        cpi_region_put_tokens(w, calls[k], match(w->s, calls[k] + 1) + 1);
        cpi_string_printf(w->out, "); } } ");
    }
    return n > 0;
}

void cpi_region_put_made(writer *w, int first, int last)
{
    int calls[CALLS], n = cpi_region_all_come(w) ? find_calls(w, first, last, calls) : 0;
    for (int k = 0; k < n; k++)
        cpi_string_printf(w->out, "auto &__cu_x%.*s = __cu_made%.*s; ", (int)word(w, calls[k] + 2)->length,
                          word(w, calls[k] + 2)->text, (int)word(w, calls[k] + 2)->length, word(w, calls[k] + 2)->text);
}
