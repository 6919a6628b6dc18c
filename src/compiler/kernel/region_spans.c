/* Statements that few threads of a block run: `if (t < k) s[t] += s[t + k];`, `if (t == 0)`, `if (t % (2 * k) == 0)`.
 * They are regions of their own, whose loop goes over those threads only.
 *
 * Invariant: the loop visits all threads for which the condition holds. Where it may visit others, the test stays in
 * it. */
#include <stdlib.h>
#include <string.h>

#include "kernel/structure_words.h"
#include "kernel/writer.h"

static const char *const relations[] = {"<", ">", "<=", ">=", "==", "!=", "&&", "||",
                                        "?", ",", "=", "|", "^", "&", NULL};

static bool one_of(const cpi_structure *s, int i, const char *const *words)
{
    for (; *words; words++)
        if (is(s, i, *words)) return true;
    return false;
}

/* The first of the words in the tokens, outside of brackets; `last` where there is none. */
static int find(const cpi_structure *s, int first, int last, const char *const *words)
{
    for (int i = first; i < last; i++) {
        if (match(s, i) > i) i = match(s, i);
        else if (one_of(s, i, words)) return i;
    }
    return last;
}

/* Behind a thread's index or rank at i; -1: there is none. */
static int behind_index(const cpi_structure *s, int i, bool *rank)
{
    *rank = is(s, i, "__cu_rank_of") && is(s, i + 1, "(");
    if (*rank) return match(s, i + 1) + 1;
    return is(s, i, "threadIdx") && is(s, i + 1, ".") && is(s, i + 2, "x") ? i + 3 : -1;
}

/* Where the value of the name at i begins, which was declared last before it: `int t = ...`. -1: nowhere. */
static int value_of(const cpi_structure *s, int i)
{
    for (int k = i - 1; k > s->function->body; k--)
        if (same(s, k, i) && is(s, k + 1, "=") && (named(s, k - 1) || is(s, k - 1, ","))) return k + 2;
    return -1;
}

/* A product of numbers, one of which is a thread's index: the factor, a name or the index itself; -1: it is none. */
static int factor_of(const cpi_structure *s, int first, int *last)
{
    static const char *const ends[] = {";", ",", NULL};
    int found = -1;
    bool rank;
    *last = find(s, first, s->function->end, ends);
    for (int i = first; i < *last; i++) {
        int behind = behind_index(s, i, &rank), value = named(s, i) ? value_of(s, i) : -1;
        bool index = behind >= 0;
        if (!index && value >= 0) index = (behind = behind_index(s, value, &rank)) >= 0 && one_of(s, behind, ends);
        if (is(s, i, "*") || is(s, i, ")") || is(s, i, "(")) continue;
        if (index && (rank || found >= 0)) return -1;
        if (index) found = i, i = is(s, i, "threadIdx") ? i + 2 : i;
        else if (is(s, i, ".") && named(s, i + 1)) i++;
        else if (!named(s, i) && s->program->tokens.at[i].kind != CPI_W_NUMBER) return -1;
    }
    return found;
}

/* The thread's part of the test from r->test on: sets r->index to what is behind it. */
static bool read_index(const cpi_structure *s, int i, cpi_few *r)
{
    static const char *const ends[] = {";", ",", NULL};
    r->name = -1, r->factor = -1;
    if ((r->behind = behind_index(s, i, &r->rank)) >= 0) return true;
    if (!named(s, i) || is(s, i + 1, "(") || is(s, i + 1, "[")) return false;
    int value = value_of(s, i), last;
    if (value < 0) return false;
    r->name = i, r->behind = i + 1;
    int behind = behind_index(s, value, &r->rank);
    if (behind >= 0 && one_of(s, behind, ends)) return true;
    r->rank = false;
    r->factor = factor_of(s, value, &last);
    r->value = value, r->value_end = last;
    return r->factor >= 0;
}

/* The integer at i; -1: what is there is none, or a large one. */
static long integer_at(const cpi_structure *s, int i)
{
    const cpi_token *w = &s->program->tokens.at[i];
    char digits[12] = "", *end;
    if (w->kind != CPI_W_NUMBER || w->length >= sizeof digits) return -1;
    memcpy(digits, w->text, w->length);
    const long value = strtol(digits, &end, 0);
    if (*end == 'u' || *end == 'U') end++;
    return !*end && value < 1 << 20 ? value : -1;
}

/* `t % E == 0`, `t % 32 == 31`, `(t & 31) == 0`, from r->test to `last`. */
static bool read_steps(const cpi_structure *s, int last, cpi_few *r)
{
    int i = r->test, end = last;
    if (last - i < 5 || !is(s, last - 2, "==") || integer_at(s, last - 1) < 0) return false;
    end = last - 2;
    r->remains = (int)integer_at(s, last - 1);
    if (is(s, i, "(") && match(s, i) == end - 1) i++, end--;
    else if (is(s, i, "(")) return false;
    if (!read_index(s, i, r) || r->factor >= 0) return false;
    bool bits = is(s, r->behind, "&");
    if (!bits && !is(s, r->behind, "%")) return false;
    r->first = r->behind + 1, r->last = end;
    r->how = CPI_S_STEPS;
    r->plus = bits; /* the number of a mask, and one */
    const long number = end == r->first + 1 ? integer_at(s, r->first) + bits : 0;
    if (r->remains && (r->rank || r->remains >= number)) return false;
    if (bits && end == r->first + 1) return number > 0 && (number & (number - 1)) == 0;
    if (bits) { /* ((unsigned)(32) - 1u), of a tile's rank */
        r->plus = false;
        bool tile = is(s, r->first, "(") && match(s, r->first) == end - 1;
        tile = tile && is(s, end - 3, "-") && is(s, end - 2, "1u");
        r->first++, r->last = end - 3;
        return tile;
    }
    bool one = end == r->first + 1 || (is(s, r->first, "(") && match(s, r->first) == end - 1) ||
               (end == r->first + 3 && is(s, r->first + 1, "."));
    return one;
}

bool cpi_few_read(cpi_structure *s, int first, int last, cpi_few *r)
{
    static const char *const joints[] = {"&&", "||", "?", ",", "=", NULL};
    if (!is(s, first, "if") || !is(s, first + 1, "(")) return false;
    int close = match(s, first + 1), and = find(s, first + 2, close, joints);
    if (and < close && !is(s, and, "&&")) return false;
    for (int i = and; i < close; i = find(s, i + 1, close, joints))
        if (!is(s, i, "&&")) return false;
    if (cpi_structure_behind(s, close + 1, last) != last) return false; /* it has an else */
    *r = (cpi_few){.test = first + 2, .whole = first + 2, .test_end = and, .close = close, .exact = true};
    r->rest = and < close ? and + 1 : close;
    while (and - r->test > 2 && is(s, r->test, "(") && match(s, r->test) == and - 1) r->test++, and--;
    if (is(s, r->test, "!")) {
        r->how = CPI_S_NONE;
        return read_index(s, r->test + 1, r) && r->behind == and && r->factor < 0;
    }
    if (read_steps(s, and, r)) return true;
    if (!read_index(s, r->test, r)) return false;
    int relation = find(s, r->behind, and, relations);
    r->first = relation + 1, r->last = and;
    if (relation >= and || find(s, r->first, and, relations) < and) return false;
    r->how = is(s, relation, "<") ? CPI_S_BELOW : CPI_S_ONE;
    r->added = r->behind + 1, r->added_end = relation;
    if (relation != r->behind && !is(s, r->behind, "+")) return false;
    if (relation == r->behind) r->added_end = r->added;
    r->exact = r->factor < 0 && r->added_end == r->added;
    return is(s, relation, "<") || (is(s, relation, "==") && r->exact);
}

/* The variable that the name at i is, computed from the thread's index. */
static const cpi_local *pure_at(const writer *w, int i)
{
    for (int k = 0; k < w->s->nlocals; k++) {
        const cpi_local *v = &w->s->local[k];
        if (v->class == CPI_V_PURE && v->prefix == v->name && cpi_token_same(word(w, v->name), word(w, i)) &&
            cpi_region_visible(v, i) && !cpi_region_hidden(w, v, i))
            return v;
    }
    return NULL;
}

static bool holds(const writer *w, const cpi_few *r, const cpi_local **v)
{
    *v = r->name >= 0 ? pure_at(w, r->name) : NULL;
    if (r->name >= 0 && (!*v || (*v)->value != value_of(w->s, r->name))) return false;
    if (r->how != CPI_S_NONE && !cpi_structure_uniform(w->s, r->first, r->last)) return false;
    if (r->added < r->added_end && !cpi_structure_uniform(w->s, r->added, r->added_end)) return false;
    for (int i = r->value; r->factor >= 0 && i < r->value_end; i++) {
        bool index = i == r->factor || (is(w->s, r->factor, "threadIdx") && i < r->factor + 3 && i > r->factor);
        if (!index && named(w->s, i) && !cpi_structure_uniform(w->s, i, i + 1) && !is(w->s, i - 1, ".")) return false;
    }
    if (r->factor < 0 || is(w->s, r->factor, "threadIdx")) return true;
    const cpi_local *index = pure_at(w, r->factor);
    return index && index->value == value_of(w->s, r->factor);
}

/* The product with 1 in place of the index. */
static void put_scale(writer *w, const cpi_few *r)
{
    int behind = r->factor + (is(w->s, r->factor, "threadIdx") ? 3 : 1);
    cpi_region_put_tokens(w, r->value, r->factor);
    cpi_string_printf(w->out, " 1 ");
    cpi_region_put_tokens(w, behind, r->value_end);
}

/* Writes { and the span __cu_some (and __cu_by, the steps) of statement k, if it has one: of threads of a row, or of
 * ranks in the block. */
bool cpi_region_put_span(writer *w, int k, cpi_few *r)
{
    const cpi_statement *st = &w->s->statement[k];
    const cpi_local *v;
    if (w->nmasks || !cpi_few_read(w->s, st->first, st->last, r) || !holds(w, r, &v)) return false;
    cpi_string_printf(w->out, "{ ");
    const char *block = r->rank ? "__cu_ranks" : "__cu_block";
    if (r->rank) cpi_string_printf(w->out, "const __cu_ctx __cu_ranks = __cu_as_row(__cu_block); ");
    if (r->how == CPI_S_STEPS) {
        cpi_string_printf(w->out, "const __cu_span __cu_some = {%d, %s.bd.x}; const unsigned __cu_by = __cu_steps(",
                          r->remains, block);
    } else if (!r->exact) {
        cpi_string_printf(w->out, "const __cu_span __cu_some = __cu_at_most(%s, ", block);
        if (r->factor >= 0) put_scale(w, r);
        else cpi_string_printf(w->out, "1");
        cpi_string_printf(w->out, ", ");
        if (r->added < r->added_end) cpi_region_put_tokens(w, r->added, r->added_end);
        else cpi_string_printf(w->out, "0");
        cpi_string_printf(w->out, ", ");
    } else {
        cpi_string_printf(w->out, "const __cu_span __cu_some = __cu_%s(%s, ", r->how == CPI_S_BELOW ? "below" : "one",
                          block);
    }
    if (r->exact) {
        cpi_string_printf(w->out, "(");
        if (v) cpi_region_put_tokens(w, v->type, v->type_end);
        cpi_string_printf(w->out, v ? ")0, " : "0u), ");
    }
    if (r->how == CPI_S_NONE) cpi_string_printf(w->out, "0");
    else cpi_region_put_tokens(w, r->first, r->last);
    cpi_string_printf(w->out, "%s); ", r->plus ? " + 1" : "");
    return true;
}

/* Writes { and the span __cu_pK of the threads that take the branch of the if k, where those are known without asking
 * each; false: they are not. */
bool cpi_region_put_sure_span(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    const int close = word(w, st->first + 1)->match;
    const cpi_local *v;
    cpi_few r;
    /* without its else, if it has one */
    if (w->nmasks || !cpi_few_read(w->s, st->first, cpi_structure_behind(w->s, close + 1, st->last), &r)) return false;
    if (!r.exact || r.rank || r.rest < r.close || r.how == CPI_S_STEPS || !holds(w, &r, &v)) return false;
    cpi_string_printf(w->out, "{ const __cu_span __cu_p%d = __cu_%s(__cu_block, (", k,
                      r.how == CPI_S_BELOW ? "below" : "one");
    if (v) cpi_region_put_tokens(w, v->type, v->type_end);
    cpi_string_printf(w->out, v ? ")0, " : "0u), ");
    if (r.how == CPI_S_NONE) cpi_string_printf(w->out, "0");
    else cpi_region_put_tokens(w, r.first, r.last);
    cpi_string_printf(w->out, "); ");
    return true;
}

/* What is still to be tested in that loop, in front of the branch, whose first token is returned. */
int cpi_region_put_rest(writer *w, const cpi_few *r)
{
    if (!r->exact || r->rest < r->close) {
        cpi_string_printf(w->out, "if (((");
        if (!r->exact) cpi_region_put_tokens(w, r->whole, r->test_end);
        else cpi_string_printf(w->out, "true");
        cpi_string_printf(w->out, ")) && (");
        if (r->rest < r->close) cpi_region_put_tokens(w, r->rest, r->close);
        else cpi_string_printf(w->out, "true");
        cpi_string_printf(w->out, ")) ");
    }
    return r->close + 1;
}
