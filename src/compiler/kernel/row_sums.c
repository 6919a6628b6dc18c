/* Sums with a thread's index, written such that loops over the threads of a row become vectors.
 *
 * `int c = blockIdx.x * 16 + threadIdx.x;` and `x[row * pitch + threadIdx.x]` are sums of unsigned numbers, which may
 * wrap between two threads, for all that a compiler knows: then neighbours are no neighbours in memory. __cu_int and
 * __cu_at (device/entry.h) get the sum and the same with 0 for the index, which is one for the row of threads.
 *
 * `t >= d ? s[t - d] : 0` is computed without the condition where it becomes a vector, and that sum of ints might leave
 * their range, where the user's must not; so in an index of an array it is a sum of long integers, __cu_long.
 *
 * Invariant: they give the sum's own value whatever the two are, so that what is found here decides about speed alone.
 * (Where the threads of a row are partly behind element 2^32 of an array, the places before that are taken for places
 * before the array.) */
#include "kernel/translate.h"

static bool is(const cpi_cu_program *p, int i, const char *text) { return cpi_token_is(&p->tokens.at[i], text); }

static bool one_of(const cpi_cu_program *p, int i, const char *const *words)
{
    for (; *words; words++)
        if (is(p, i, *words)) return true;
    return false;
}

/* Numbers, names and their members, and the marks of arithmetic: nothing that must not be written twice or moved. */
static bool is_arithmetic(const cpi_cu_program *p, int first, int last)
{
    static const char *const marks[] = {"+", "-", "*", "/", "%", "(", ")", ".", "<<", ">>", NULL};
    for (int i = first; i < last; i++) {
        const int kind = p->tokens.at[i].kind;
        if (kind == CPI_W_NAME ? is(p, i + 1, "(") && i + 1 < last : kind != CPI_W_NUMBER && !one_of(p, i, marks))
            return false;
    }
    return first < last;
}

/* Behind a thread's index at i, or behind a name whose value is one; i: there is neither. */
static int behind_index(const cpi_cu_program *p, const cpi_cu_function *f, int i, int last)
{
    if (i + 2 < last && is(p, i, "threadIdx") && is(p, i + 1, ".") && is(p, i + 2, "x")) return i + 3;
    if (p->tokens.at[i].kind != CPI_W_NAME) return i;
    for (int k = f->body; k + 5 < i; k++)
        if (is(p, k + 1, "=") && is(p, k + 2, "threadIdx") && is(p, k + 4, "x") &&
            (is(p, k + 5, ",") || is(p, k + 5, ";")) && cpi_token_same(&p->tokens.at[k], &p->tokens.at[i]))
            return i + 1;
    return i;
}

/* Finds the index among the terms that tokens first to last - 1, which are in one line, are the sum of. */
static bool read_sum(const cpi_cu_program *p, const cpi_cu_function *f, int first, int last, cpi_cu_sum *r)
{
    if (!is_arithmetic(p, first, last) || p->tokens.at[first].line != p->tokens.at[last].line) return false;
    for (int i = first; i < last; i++) {
        const int end = behind_index(p, f, i, last);
        const bool begins = i == first || is(p, i - 1, "+"), ends = end == last || is(p, end, "+") || is(p, end, "-");
        if (end > i && begins && ends && end - i < last - first) {
            *r = (cpi_cu_sum){first, last, i, end};
            return true;
        }
        if (p->tokens.at[i].match > i) i = p->tokens.at[i].match;
    }
    return false;
}

/* Whether the parameter with the name at i is a pointer. */
static bool is_pointer(const cpi_cu_program *p, const cpi_cu_function *f, int i)
{
    for (int k = f->open + 1; k < p->tokens.at[f->open].match; k++)
        if (cpi_token_same(&p->tokens.at[k], &p->tokens.at[i]))
            return is(p, k - 1, "*") || is(p, k - 1, "__restrict__") || is(p, k - 1, "__restrict");
    return false;
}

bool cpi_cu_read_int_sum(const cpi_cu_program *p, const cpi_cu_function *f, int type, int type_end, int first,
                         int last, cpi_cu_sum *r)
{
    while (type < type_end && is(p, type, "const")) type++;
    return p->sums && type + 1 == type_end && is(p, type, "int") && read_sum(p, f, first, last, r);
}

/* The value behind the = at i, where that is in a declaration of ints. */
static bool read_value(const cpi_cu_program *p, const cpi_cu_function *f, int i, int last, cpi_cu_sum *r)
{
    static const char *const ends[] = {";", "{", "}", "(", NULL};
    int begin = i - 1, end = i + 1;
    if (p->tokens.at[i - 1].kind != CPI_W_NAME || is(p, i - 2, ".") || is(p, i - 2, "->")) return false;
    while (begin > f->body && !one_of(p, begin, ends)) {
        const int match = p->tokens.at[begin].match;
        begin = match >= 0 && match < begin ? match - 1 : begin - 1;
    }
    int type = ++begin;
    while (is(p, type, "const")) type++;
    if (!is(p, type, "int") || type + 1 >= i || p->tokens.at[type + 1].kind != CPI_W_NAME) return false;
    while (end < last && !is(p, end, ",") && !is(p, end, ";"))
        end = p->tokens.at[end].match > end ? p->tokens.at[end].match + 1 : end + 1;
    return end < last && cpi_cu_read_int_sum(p, f, type, type + 1, i + 1, end, r);
}

bool cpi_cu_read_sum(const cpi_cu_program *p, const cpi_cu_function *f, int i, int last, cpi_cu_sum *r)
{
    if (!p->sums || i <= f->body + 1) return false;
    if (is(p, i, "=")) return read_value(p, f, i, last, r);
    const int close = is(p, i, "[") ? p->tokens.at[i].match : -1;
    return close > i && close < last && !is(p, i - 2, ".") && !is(p, i - 2, "->") && is_pointer(p, f, i - 1) &&
           read_sum(p, f, i + 1, close, r);
}

/* Whether the name at i is that of an array of shared memory that the kernel declares. */
static bool is_shared_array(const cpi_cu_program *p, const cpi_cu_function *f, int i)
{
    int names[64];
    for (int k = f->body; k < i; k++) {
        if (!is(p, k, "__shared__")) continue;
        int end = k;
        while (end < i && !is(p, end, ";")) end = p->tokens.at[end].match > end ? p->tokens.at[end].match + 1 : end + 1;
        for (int n = cpi_cu_declared_names(&p->tokens, k, end, names, 64); n > 0; n--)
            if (cpi_token_same(&p->tokens.at[i], &p->tokens.at[names[n - 1]])) return is(p, names[n - 1] + 1, "[");
    }
    return false;
}

int cpi_cu_read_wide(const cpi_cu_program *p, const cpi_cu_function *f, int i, int last)
{
    if (!p->sums || i <= f->body + 1 || !is(p, i, "[")) return -1;
    const int close = p->tokens.at[i].match, end = behind_index(p, f, i + 1, last);
    if (close >= last || end != i + 2 || (!is(p, end, "+") && !is(p, end, "-"))) return -1; /* t + ..., t - ... */
    if (is(p, i - 2, ".") || is(p, i - 2, "->") || p->tokens.at[i].line != p->tokens.at[close].line) return -1;
    return is_arithmetic(p, end, close) && is_shared_array(p, f, i - 1) ? end : -1;
}

void cpi_cu_put_wide(cpi_cu_program *p, const cpi_cu_function *f, int i, int end, cpi_string *out)
{
    cpi_string_printf(out, "__cu_long<__typeof__(");
    cpi_cu_copy(p, f, i + 1, p->tokens.at[i].match, out);
    cpi_string_printf(out, ")>(");
    cpi_cu_copy(p, f, i + 1, end, out);
    cpi_string_printf(out, ")");
}

void cpi_cu_put_sum(cpi_cu_program *p, const cpi_cu_function *f, const cpi_cu_sum *r, bool index, cpi_string *out)
{
    cpi_string_printf(out, index ? "__cu_at(__ctx, " : "__cu_int(__ctx, ");
    cpi_cu_copy(p, f, r->first, r->last, out);
    cpi_string_printf(out, ", ");
    cpi_cu_copy(p, f, r->first, r->term, out);
    cpi_string_printf(out, " 0u ");
    cpi_cu_copy(p, f, r->term_end, r->last, out);
    cpi_string_printf(out, ")");
}
