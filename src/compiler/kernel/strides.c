/* Grid-stride loops, `for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)`: recognised so that
 * regions.c can run them round by round for all threads of a block.
 *
 * Invariant: a loop is recognised only where its variable is changed by its step alone, where it is left by its
 * condition alone, and where limit and step are one for the block. That neighbours begin one after the other follows
 * from the tokens of the first value; whether it holds (nothing wrapped) is checked when the loop runs. */
#include "kernel/structure_words.h"

static bool has(const cpi_structure *s, const char *word, int first, int last)
{
    for (int i = first; i < last; i++)
        if (is(s, i, word)) return true;
    return false;
}

static bool has_name(const cpi_structure *s, int name, int first, int last)
{
    for (int i = first; i < last; i++)
        if (same(s, i, name)) return true;
    return false;
}

static int semicolon(const cpi_structure *s, int i, int last)
{
    for (; i < last && !is(s, i, ";"); i++)
        if (match(s, i) > i) i = match(s, i);
    return i;
}

/* `i += C` or `i = i + C` from first to last; where C begins and ends. */
static bool read_step(const cpi_structure *s, cpi_stride *r, int first, int last)
{
    if (!same(s, first, r->name)) return false;
    if (is(s, first + 1, "+=")) r->step = first + 2;
    else if (is(s, first + 1, "=") && same(s, first + 2, r->name) && is(s, first + 3, "+")) r->step = first + 4;
    else return false;
    r->step_end = last;
    if (r->step >= last) return false;
    bool sum = is(s, first + 1, "=");
    for (int i = r->step; i < last; i++) { /* no other operator of i + C may come before the sum */
        if (match(s, i) > i) i = match(s, i);
        else if (is(s, i, ",") || (sum && !named(s, i) && !is(s, i, "*") && !is(s, i, ".") && !is(s, i, "+")))
            return false;
    }
    return true;
}

static bool read_test(const cpi_structure *s, cpi_stride *r, int first, int last)
{
    if (!same(s, first, r->name) || !is(s, first + 1, "<")) return false;
    r->limit = first + 2;
    r->limit_end = last;
    for (int i = r->limit; i < last; i++) {
        static const char *const others[] = {"&&", "||", "?", ",", "<", ">", "<=",
                                              ">=", "==", "!=", "&", "|", "^", "="};
        if (match(s, i) > i) {
            i = match(s, i);
            continue;
        }
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (is(s, i, others[k])) return false;
    }
    return r->limit < last;
}

/* What a body must not have: exits, and changes of the variable. */
static bool body_is_plain(const cpi_structure *s, const cpi_stride *r)
{
    static const char *const words[] = {"break", "return", "goto", "switch", "asm", "__trap", "__nanosleep"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (has(s, words[k], r->body, r->body_end)) return false;
    const cpi_local v = {.name = r->name, .prefix = r->name};
    for (int i = r->body; i < r->body_end; i++)
        if (same(s, i, r->name) && cpi_structure_changes(s, &v, i)) return false;
    return !cpi_structure_has_macro(s, r->body, r->body_end); /* which may hold any of this */
}

bool cpi_stride_read(cpi_structure *s, int first, int last, cpi_stride *r)
{
    *r = (cpi_stride){.name = -1};
    if (!is(s, first + 1, "(")) return false;
    int open = first + 1, close = match(s, open);
    r->body = close + 1, r->body_end = last;
    if (is(s, first, "for")) {
        int type_end = cpi_structure_type_end(s, open + 1, close), second = semicolon(s, open + 1, close);
        int third = semicolon(s, second + 1, close);
        if (type_end < 0 || third >= close || !is(s, type_end + 1, "=")) return false;
        r->type = open + 1, r->type_end = r->name = type_end;
        r->value = type_end + 2, r->value_end = second;
        for (int i = r->value; i < second; i++) {
            if (is(s, i, ",")) return false;
            if (match(s, i) > i) i = match(s, i);
        }
        return read_test(s, r, second + 1, third) && read_step(s, r, third + 1, close) && body_is_plain(s, r);
    }
    if (!is(s, first, "while") || !is(s, close + 1, "{")) return false;
    r->name = open + 1;
    int end = match(s, close + 1), before = end - 2; /* the last statement begins behind the one before */
    while (before > close && !is(s, before, ";") && !is(s, before, "{") && !is(s, before, "}"))
        before = match(s, before) >= 0 && match(s, before) < before ? match(s, before) - 1 : before - 1;
    if (!named(s, r->name) || !is(s, end - 1, ";") || before <= close) return false;
    if (!read_test(s, r, open + 1, close) || !read_step(s, r, before + 1, end - 1)) return false;
    r->body = close + 2, r->body_end = before + 1;
    return !has(s, "continue", r->body, r->body_end) && body_is_plain(s, r) &&
           !has_name(s, r->name, last, s->function->end);
}

static const cpi_local *local_of(const cpi_structure *s, int i)
{
    const cpi_local *found = NULL;
    for (int k = 0; k < s->nlocals; k++) {
        const cpi_local *v = &s->local[k];
        if (v->statement >= 0 && same(s, v->name, i) && v->name < i && i < v->block_end) found = v;
    }
    return found;
}

/* Whether the value is a sum of threadIdx.x and what is one for the block. */
static bool counts_threads(const cpi_structure *s, int first, int last, int depth)
{
    if (depth > 8) return false;
    while (last - first > 2 && is(s, first, "(") && match(s, first) == last - 1) first++, last--;
    if (is(s, first, "(") && match(s, first) > first && match(s, first) < last - 1) { /* a cast of all */
        int behind = match(s, first) + 1;
        if (cpi_structure_uniform(s, first + 1, behind - 1) && behind < last && is(s, behind, "(") &&
            match(s, behind) == last - 1 && !is(s, behind, "+"))
            return counts_threads(s, behind, last, depth + 1);
    }
    if (last == first + 3 && is(s, first, "threadIdx") && is(s, first + 1, ".") && is(s, first + 2, "x")) return true;
    if (last == first + 1 && named(s, first)) {
        const cpi_local *v = local_of(s, first);
        return v && v->class == CPI_V_PURE && v->value >= 0 && counts_threads(s, v->value, v->value_end, depth + 1);
    }
    int from = first, threads = 0, terms = 0;
    for (int i = first; i <= last; i++) {
        if (i < last && match(s, i) > i) i = match(s, i);
        if (i < last && (is(s, i, "-") || is(s, i, "?") || is(s, i, "%") || is(s, i, "<<"))) return false;
        if (i < last && !is(s, i, "+")) continue;
        if (i == from) return false;
        terms++;
        if (!cpi_structure_uniform(s, from, i)) {
            if (terms == 1 && i == last) return false; /* one term that is none of the above */
            if (!counts_threads(s, from, i, depth + 1)) return false;
            threads++;
        }
        from = i + 1;
    }
    return threads == 1 && terms > 1;
}

/* Whether what the loop changes is small enough to be kept for each thread. */
static bool keeps_little(const cpi_structure *s, const cpi_stride *r)
{
    int kept = 0;
    for (int k = 0; k < s->nlocals; k++) {
        const cpi_local *v = &s->local[k];
        if (v->class != CPI_V_KEPT || !has_name(s, v->name, r->body, r->body_end)) continue;
        if (v->statement < 0 || v->suffix_end > v->suffix || ++kept > 6) return false;
        for (int i = v->type; i < v->type_end; i++) {
            static const char *const words[] = {"const", "unsigned", "signed", "short", "long", "int", "char", "float",
                                                "double", "bool", "T", "size_t", "uint32_t", "int64_t"};
            bool known = false;
            for (size_t q = 0; q < sizeof words / sizeof *words; q++) known = known || is(s, i, words[q]);
            if (!known && v->prefix == v->name) return false;
        }
    }
    return true;
}

bool cpi_stride_holds(const cpi_structure *s, cpi_stride *r)
{
    if (r->value_end == r->value) { /* a while: its variable was declared before, and is changed there alone */
        const cpi_local *v = local_of(s, r->name);
        if (!v || v->value < 0 || v->suffix_end > v->suffix || v->prefix != v->name) return false;
        for (int k = 0; k < s->nlocals; k++)
            if (&s->local[k] != v && same(s, s->local[k].name, r->name)) return false;
        for (int i = v->value_end; i < r->name; i++)
            if (same(s, i, r->name) && cpi_structure_changes(s, v, i)) return false;
        r->type = v->type, r->type_end = v->type_end, r->value = v->value, r->value_end = v->value_end;
    }
    static const char *const types[] = {"int", "unsigned", "long", "size_t", "uint32_t", "int32_t", "int64_t",
                                        "uint64_t"};
    for (int i = r->type; i < r->type_end; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) known = known || is(s, i, types[k]);
        if (!known) return false;
    }
    return !has_name(s, r->name, r->limit, r->limit_end) && !has_name(s, r->name, r->step, r->step_end) &&
           cpi_structure_uniform(s, r->limit, r->limit_end) && cpi_structure_uniform(s, r->step, r->step_end) &&
           counts_threads(s, r->value, r->value_end, 0) && keeps_little(s, r);
}
