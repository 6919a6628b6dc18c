/* Loops as long as the number of a thread's warp: `for (int k = 0; k < t / 32; k++) v += sums[k];`. The header is one
 * for 32 threads, so it stands around a loop over those, which becomes vectors.
 *
 * Invariant: the header depends on blocks and on t / N alone, and changes its own counter alone; nothing leaves the
 * body. */
#include "kernel/structure_words.h"
#include "kernel/writer.h"

static bool is_number(const cpi_structure *s, int i) { return s->program->tokens.at[i].kind == CPI_W_NUMBER; }

/* The number N of `t / N` at i, where it is one of threads that stand side by side; 0: there is none. *behind: behind
 * it. */
static int tile_at(const cpi_structure *s, int i, int *behind)
{
    static const char *const numbers[] = {"32", "64", "128", "256", "32u", "warpSize"};
    static const int values[] = {32, 64, 128, 256, 32, 32};
    int k = i + 1;
    if (is(s, i, "threadIdx")) {
        if (!is(s, i + 1, ".") || !is(s, i + 2, "x")) return 0;
        k = i + 3;
    }
    if (is(s, k, ">>") && is(s, k + 1, "5")) return *behind = k + 2, 32;
    for (size_t n = 0; is(s, k, "/") && n < sizeof values / sizeof *values; n++)
        if (is(s, k + 1, numbers[n])) return *behind = k + 2, values[n];
    return 0;
}

static bool is_index(const cpi_structure *s, int i)
{
    if (is(s, i, "threadIdx")) return true;
    const cpi_local *v = named(s, i) ? cpi_structure_local_at(s, i) : NULL;
    return v && v->statement >= 0 && v->value_end == v->value + 3 && is(s, v->value, "threadIdx") &&
           is(s, v->value + 2, "x") && v->prefix == v->name;
}

/* Whether the counter, at `name`, is changed between the tokens. */
static bool is_changed(const cpi_structure *s, int name, int first, int last)
{
    for (int i = first; i < last; i++)
        if (same(s, i, name) && (cpi_structure_assigns(s, i + 1) || is(s, i - 1, "++") || is(s, i - 1, "--") ||
                                 is(s, i - 1, "&") || named(s, i - 1)))
            return true;
    return false;
}

static bool leaves(const cpi_structure *s, int first, int last)
{
    static const char *const words[] = {"break", "continue", "return", "goto", "switch"};
    for (int i = first; i < last; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (is(s, i, words[k])) return true;
    return false;
}

int cpi_tile_read(const cpi_structure *s, int first, int last)
{
    int tile = 0, behind = 0, semicolons = 0;
    if (!is(s, first, "for") || !is(s, first + 2, "int") || !named(s, first + 3) || !is(s, first + 4, "=")) return 0;
    const int close = match(s, first + 1), name = first + 3;
    for (int i = first + 5; i < close; i++) {
        const bool index = is_index(s, i);
        const int n = index ? tile_at(s, i, &behind) : 0;
        if (index && (!n || (tile && n != tile) || semicolons > 1)) return 0;
        if (index) tile = n, i = behind - 1;
        else if (is(s, i, ";")) semicolons++;
        else if (is(s, i, "[") || is(s, i, ",") || is(s, i, "->") || is(s, i, "&") ||
                 cpi_cu_is_call(&s->program->tokens, i))
            return 0;
        else if (cpi_structure_assigns(s, i) && (semicolons < 2 || !(same(s, i - 1, name) || same(s, i + 1, name))))
            return 0;
    }
    return semicolons == 2 && !is_changed(s, name, close, last) && !leaves(s, close, last) ? tile : 0;
}

/* Whether all else in the header is one for the block. */
static bool holds(const writer *w, int first)
{
    const int close = match(w->s, first + 1), name = first + 3;
    int behind = first;
    for (int i = first + 5; i < close; i++) {
        if (is_index(w->s, i)) {
            const cpi_local *v = is(w->s, i, "threadIdx") ? NULL : cpi_structure_local_at(w->s, i);
            if (v && v->class != CPI_V_PURE) return false;
            if (tile_at(w->s, i, &behind)) i = behind - 1;
        } else if (named(w->s, i) && !same(w->s, i, name) && !is(w->s, i - 1, ".") && !is_number(w->s, i) &&
                   !cpi_structure_uniform(w->s, i, i + 1)) {
            return false;
        }
    }
    return true;
}

bool cpi_region_put_tiles(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    const int tile = cpi_region_all_come(w) && !w->joined ? cpi_tile_read(w->s, st->first, st->last) : 0;
    if (!tile || !holds(w, st->first)) return false;
    const int close = match(w->s, st->first + 1);
    cpi_region_put_line(w, st->first);
    cpi_string_printf(w->out, "__CU_TILES(%d) { __CU_THREAD ", tile);
    cpi_region_take_out(w, st->first, close);
    cpi_region_put_tokens(w, st->first, close + 1);
    cpi_string_printf(w->out, " __CU_THREADS_OF_TILE(%d) { __CU_THREAD { ", tile);
    cpi_region_take_out(w, close + 1, st->last);
    cpi_string_printf(w->out, "{ ");
    cpi_region_put_tokens(w, close + 1, st->last);
    cpi_string_printf(w->out, " } ");
    cpi_region_put_back(w, close + 1, st->last);
    cpi_region_close_loop(w);
    cpi_string_printf(w->out, "} ");
    return true;
}
