/* Values that lanes read where others keep them, in the array over the threads: `v += __shfl_down_sync(~0u, v, d)`.
 * Nobody puts v anywhere, half of what such a reduction would store.
 *
 * What lies above is read in a loop upwards, which has not written it yet. Else the variable has two arrays, which take
 * turns: one is read, the other written.
 *
 * Invariant: all threads of the block are there; a loop upwards reads and writes no other memory, so it may be a
 * vector. */
#include <string.h>

#include "kernel/structure_words.h"
#include "kernel/writer.h"

/* The number behind the beginning of the name at i; NULL: it begins otherwise. */
static const char *number_of(const cpi_structure *s, int i, const char *begins, int *length)
{
    const cpi_token *t = &s->program->tokens.at[i];
    const size_t n = strlen(begins);
    if (t->kind != CPI_W_NAME || t->length <= n || memcmp(t->text, begins, n) != 0) return NULL;
    *length = (int)(t->length - n);
    return t->text + n;
}

/* Whether the names at i and k are a__cu_N and b__cu_N with the same N. */
static bool same_number(const cpi_structure *s, int i, const char *a, int k, const char *b)
{
    int m = 0, n = 0;
    const char *one = number_of(s, i, a, &m), *other = number_of(s, k, b, &n);
    return one && other && m == n && memcmp(one, other, (size_t)m) == 0;
}

static bool is_number_type(const cpi_structure *s, const cpi_local *v)
{
    for (int i = v->type; i < v->type_end; i++)
        if (named(s, i) && !cpi_structure_type_word(s, i)) return false;
    return v->prefix == v->name && v->suffix == v->suffix_end;
}

static bool is_uniform(const cpi_structure *s, int i)
{
    const cpi_local *v = cpi_structure_local_at(s, i);
    return v && v->class == CPI_V_UNIFORM;
}

/* Whether the call at i, `__cu_take_down(slot, (v), by, width)`, takes what the statement at `put` puts. */
static bool takes(const cpi_structure *s, int i, int put)
{
    if (!is(s, i, "__cu_take_down") || !is(s, i + 1, "(") || match(s, i + 1) != i + 11) return false;
    return same(s, i + 2, put + 2) && same(s, i + 5, put + 7) && is(s, i + 6, ")") &&
           same_number(s, i + 8, "__cu_l", put + 4, "__cu_k") && same_number(s, i + 10, "__cu_w", put + 4, "__cu_k") &&
           is_uniform(s, i + 8) && is_uniform(s, i + 10);
}

/* Whether the tokens are `v = ...;` or `v += ...;` of numbers and what is taken, once. */
static bool is_taking(const cpi_structure *s, int first, int last, int put, const cpi_local *v)
{
    static const char *const calls[] = {"max", "min", "fmaxf", "fminf", "fmax", "fmin"};
    static const char *const not[] = {"[", "{", ".", "->", "++", "--"};
    int taken = 0;
    if (cpi_structure_local_at(s, first) != v || !cpi_structure_assigns(s, first + 1)) return false;
    for (int i = first + 2; i < last; i++) {
        if (takes(s, i, put)) {
            taken++, i += 11;
            continue;
        }
        const cpi_local *other = named(s, i) ? cpi_structure_local_at(s, i) : NULL;
        bool known = !named(s, i) || (other && is_number_type(s, other));
        for (size_t k = 0; !other && !known && k < sizeof calls / sizeof *calls; k++) known = is(s, i, calls[k]);
        for (size_t k = 0; known && k < sizeof not / sizeof *not; k++) known = !is(s, i, not[k]);
        if (!known || cpi_structure_assigns(s, i)) return false;
    }
    return taken == 1;
}

/* Whether statement k declares no more than the mask, the distance or the width of a shuffle. */
static bool declares(const cpi_structure *s, int k)
{
    const cpi_statement *st = &s->statement[k];
    int length;
    for (int i = 0; i < s->nlocals; i++) {
        const cpi_local *v = &s->local[i];
        if (v->statement != k) continue;
        if (number_of(s, v->name, "__cu_k", &length)) return cpi_structure_uniform(s, v->value, v->value_end);
        return v->class == CPI_V_UNIFORM;
    }
    return st->last == st->first + 1 && is(s, st->first, ";");
}

static const cpi_local *unmoved(const writer *w, int k, int left);

/* Whether the region of statement `begin` does nothing but take what the statement at `put` puts. `left`: how many
 * shuffles behind it are looked at, which may be of this kind too. */
static bool goes_up(const writer *w, int begin, int put, const cpi_local *v, int left)
{
    int taking = 0;
    for (int i = begin, end = cpi_region_behind(w, begin); i != end; i = w->s->statement[i].next) {
        const cpi_statement *st = &w->s->statement[i];
        if (is_taking(w->s, st->first, st->last, put, v)) taking++;
        else if (!declares(w->s, i) && (!left || unmoved(w, i, left - 1) != v)) return false;
    }
    return taking == 1;
}

/* Whether token i takes a value by a shuffle, of any kind or of lanes above. */
static bool is_take(const cpi_structure *s, int i, bool any)
{
    bool other = is(s, i, "__cu_take_up") || is(s, i, "__cu_take_xor") || is(s, i, "__cu_take_idx");
    return is(s, i, "__cu_take_down") || (any && other);
}

/* Whether all that the region takes is what the statement at `put` puts, by shuffles. */
static bool takes_that(const writer *w, int begin, int put, const cpi_local *v)
{
    const cpi_structure *s = w->s;
    int taken = 0, length;
    for (int i = begin, end = cpi_region_behind(w, begin); i != end; i = s->statement[i].next)
        for (int k = s->statement[i].first; k < s->statement[i].last; k++) {
            if (!number_of(s, k, "__cu_take_", &length)) continue;
            if (!is_take(s, k, true) || !same(s, k + 2, put + 2) || !is(s, k + 6, ")")) return false;
            if (cpi_structure_local_at(s, k + 5) != v) return false;
            taken++;
        }
    return taken > 0;
}

/* The first statement of the region that takes what statement k puts; -1: there is none. */
static int region_behind(const cpi_structure *s, int k)
{
    const int meet = s->statement[k].next;
    if (meet < 0 || s->statement[meet].form != CPI_F_MEET) return -1;
    const int begin = s->statement[meet].next;
    return begin >= 0 && s->statement[begin].form == CPI_F_SOURCE ? begin : -1;
}

static const cpi_local *unmoved(const writer *w, int k, int left)
{
    const cpi_structure *s = w->s;
    const int put = s->statement[k].first;
    if (!is(s, put, "__cu_put") || s->statement[k].last != put + 11) return NULL;
    if (w->nmasks || s->returns || w->joined) return NULL;
    const cpi_local *v = named(s, put + 7) && is(s, put + 8, ")") ? cpi_structure_local_at(s, put + 7) : NULL;
    if (!v || v->statement < 0 || v->class != CPI_V_KEPT || !is_number_type(s, v)) return NULL;
    const int begin = region_behind(s, k);
    if (begin < 0) return NULL;
    bool turns = cpi_region_readers_of(w, v) == CPI_READERS_ANY && takes_that(w, begin, put, v);
    return turns || goes_up(w, begin, put, v, left) ? v : NULL;
}

const cpi_local *cpi_region_unmoved(const writer *w, int k) { return unmoved(w, k, 8); }

bool cpi_region_puts_unmoved(const writer *w, int k, int end)
{
    bool any = false;
    for (; k != end; k = w->s->statement[k].next) {
        const bool puts = cpi_region_unmoved(w, k) != NULL;
        if (!puts && !declares(w->s, k)) return false;
        any = any || puts;
    }
    return any;
}

int cpi_region_takes_unmoved(const writer *w, int k, bool *up)
{
    for (int i = 0; i < w->s->nstatements; i++) {
        const cpi_local *v = region_behind(w->s, i) == k ? cpi_region_unmoved(w, i) : NULL;
        if (!v) continue;
        *up = goes_up(w, k, w->s->statement[i].first, v, 8);
        return w->s->statement[i].first;
    }
    return -1;
}

cpi_readers cpi_region_readers_of(const writer *w, const cpi_local *v)
{
    cpi_readers readers = CPI_READERS_NONE;
    if (v->statement < 0 || w->joined || w->s->returns || !is_number_type(w->s, v)) return readers;
    for (int i = v->name; i + 5 < v->block_end; i++) {
        if (!is_take(w->s, i, true) || !same(w->s, i + 5, v->name)) continue;
        readers = is_take(w->s, i, false) && readers != CPI_READERS_ANY ? CPI_READERS_BELOW : CPI_READERS_ANY;
    }
    return readers;
}
