/* Values that lanes read from lanes above them, `v += __shfl_down_sync(~0u, v, d)`, where these keep them: the array
 * over the threads in which v lies. Nobody puts v anywhere, half of what such a reduction would store.
 *
 * Invariant: the loop over the threads goes upwards, so what a thread reads is not written yet; it reads and writes no
 * other memory, so it may be a vector; all threads of the block are there. */
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

/* `left`: how many shuffles behind it are looked at, which are put in place too. */
static const cpi_local *in_place(const writer *w, int k, int left)
{
    const cpi_structure *s = w->s;
    const int put = s->statement[k].first, meet = s->statement[k].next;
    if (w->nmasks || s->returns || w->joined || !is(s, put, "__cu_put") || s->statement[k].last != put + 11) return NULL;
    const cpi_local *v = named(s, put + 7) && is(s, put + 8, ")") ? cpi_structure_local_at(s, put + 7) : NULL;
    if (!v || v->statement < 0 || v->class != CPI_V_KEPT || !is_number_type(s, v)) return NULL;
    if (meet < 0 || s->statement[meet].form != CPI_F_MEET) return NULL;
    const int begin = s->statement[meet].next;
    if (begin < 0 || s->statement[begin].form != CPI_F_SOURCE) return NULL;
    int taking = 0;
    for (int i = begin, end = cpi_region_behind(w, begin); i != end; i = s->statement[i].next) {
        const cpi_statement *st = &s->statement[i];
        if (is_taking(s, st->first, st->last, put, v)) taking++;
        else if (!declares(s, i) && (!left || in_place(w, i, left - 1) != v)) return NULL;
    }
    return taking == 1 ? v : NULL;
}

const cpi_local *cpi_region_in_place(const writer *w, int k) { return in_place(w, k, 8); }

bool cpi_region_puts_in_place(const writer *w, int k, int end)
{
    bool any = false;
    for (; k != end; k = w->s->statement[k].next) {
        const bool puts = cpi_region_in_place(w, k) != NULL;
        if (!puts && !declares(w->s, k)) return false;
        any = any || puts;
    }
    return any;
}

int cpi_region_takes_in_place(const writer *w, int k)
{
    for (int i = 0; i < w->s->nstatements; i++) {
        const int meet = w->s->statement[i].next;
        if (meet >= 0 && w->s->statement[meet].form == CPI_F_MEET && w->s->statement[meet].next == k &&
            cpi_region_in_place(w, i))
            return w->s->statement[i].first;
    }
    return -1;
}

bool cpi_region_is_read_below(const writer *w, const cpi_local *v)
{
    for (int i = v->name; i + 5 < v->block_end; i++)
        if (token_is(w, i, "__cu_take_down") && cpi_token_same(word(w, i + 5), word(w, v->name))) return true;
    return false;
}
