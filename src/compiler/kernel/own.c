/* Parameters, members and variables of a program that have the names of CUDA's: threadIdx, blockIdx, blockDim, gridDim.
 * For us these are macros, so the program's own ones are renamed to names of the same length. Invariant: a name is
 * taken for the program's own only where a declaration of it is visible, or where it is a member. Of the constants that
 * NVRTC does not define (M_PI, INT_MAX) programs have their own: these macros of ours are undone.
 *
 * Macros of a program's with names that our text has behind it (`#define row blockIdx.y` and our `block.row`) are
 * expanded by a preprocessor before we write anything. */
#include <string.h>

#include "kernel/translate.h"

static bool is_index(const cpi_token *w)
{
    static const char *const positions[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};
    return w->kind == CPI_W_NAME && cpi_token_is_one_of(w, positions);
}

/* Whether the name at k is declared there: `dim3 gridDim,`, `int *blockIdx = `. */
static bool declares(const cpi_tokens *t, int k)
{
    static const char *const ends[] = {"=", ";", ",", ")", ":", "[", "{", NULL};
    static const char *const keywords[] = {"return", "else", "do", "case", "goto", "new", "delete", "sizeof", "throw",
                                           "typename", "operator", NULL};
    int before = k - 1;
    while (before > 0 && (cpi_token_is(&t->at[before], "*") || cpi_token_is(&t->at[before], "&"))) before--;
    if (before < 0 || !cpi_token_is_one_of(&t->at[k + 1], ends)) return false;
    const cpi_token *word = &t->at[before];
    bool type = word->kind == CPI_W_NAME && !cpi_token_is_one_of(word, keywords) && !is_index(word);
    if (before < k - 1) { /* a * b and a & b are not declarations: those are where a statement or an argument begins */
        static const char *const begins[] = {"(", ",", ";", "{", "}", "const", NULL};
        return type && before > 0 && cpi_token_is_one_of(&t->at[before - 1], begins) &&
               !cpi_token_is(&t->at[k + 1], ":");
    }
    return type;
}

/* Whether a declaration of the name at i is visible from there. */
static bool is_own(const cpi_tokens *t, int i)
{
    static const char *const members[] = {".", "->", NULL};
    return (i && cpi_token_is_one_of(&t->at[i - 1], members)) || cpi_tokens_declared(t, i, 0, declares);
}

bool cpi_cu_rename_own(char *text)
{
    cpi_tokens t;
    bool unbalanced, any = false;
    if (!strstr(text, "Idx") && !strstr(text, "Dim")) return true;
    if (!cpi_tokens_read(text, &t, &unbalanced)) return unbalanced; /* the compiler reports it */
    for (int i = 0; i < t.n && !any; i++) any = is_index(&t.at[i]) && declares(&t, i);
    for (int i = 0; i < t.n && any; i++) /* found first: letters that change are compared */
        if (is_index(&t.at[i])) t.at[i].line = is_own(&t, i) ? -1 : t.at[i].line;
    for (int i = 0; i < t.n && any; i++)
        if (t.at[i].line < 0) text[t.at[i].text + t.at[i].length - 1 - text] = '$';
    cpi_tokens_free(&t);
    return true;
}

/* Constants of <math.h>, <limits.h> and <float.h>. */
static bool is_constant(const cpi_token *w)
{
    static const char *const begins[] = {"M_", "FLT_", "DBL_", "LDBL_", "INT", "UINT", "LONG_", "ULONG_", "LLONG_",
                                         "ULLONG_", "SHRT_", "USHRT_", "CHAR_", "SCHAR_", "UCHAR_", "SIZE_MAX",
                                         "INFINITY", "NAN", "HUGE_VAL", "EPSILON", NULL};
    if (w->kind != CPI_W_NAME || *w->text < 'A' || *w->text > 'Z') return false;
    for (int k = 0; begins[k]; k++)
        if (w->length >= strlen(begins[k]) && memcmp(w->text, begins[k], strlen(begins[k])) == 0) return true;
    return false;
}

/* Whether the name at k is an enumerator. */
static bool enumerates(const cpi_tokens *t, int k)
{
    static const char *const ends[] = {"=", ",", "}", NULL};
    if (!cpi_token_is_one_of(&t->at[k + 1], ends)) return false;
    while (--k > 0 && !cpi_token_is(&t->at[k], "{"))
        if (cpi_token_is(&t->at[k], ";")) return false;
        else if (t->at[k].match >= 0 && t->at[k].match < k) k = t->at[k].match;
    for (int back = 0; k > 0 && back < 6; back++)
        if (cpi_token_is(&t->at[--k], "enum")) return true;
    return false;
}

/* Whether the constant at k is declared there. A pointer is none: in `(x * M_PI)` nothing is declared. */
static bool declares_constant(const cpi_tokens *t, int k)
{
    const cpi_token *before = &t->at[k - 1], *behind = &t->at[k + 1];
    if (cpi_token_is(before, "*") || cpi_token_is(before, "&")) return false;
    if (cpi_token_is(before, ",") && (cpi_token_is(behind, "=") || cpi_token_is(behind, "{"))) return true;
    return declares(t, k);
}

void cpi_cu_put_own_constants(const cpi_tokens *t, cpi_string *out)
{
    for (int i = 1; i < t->n; i++)
        if (is_constant(&t->at[i]) && (declares_constant(t, i) || enumerates(t, i)))
            cpi_string_printf(out, "#undef %.*s\n", (int)t->at[i].length, t->at[i].text);
}

/* --- macros of a program's with names of ours --- */

bool cpi_cu_is_ours(const char *name, size_t length)
{
    /* in macros of the device headers that kernels expand, and in what we write into kernels */
    static const char *const ours[] = {
        "a", "add", "all", "arena", "at", "b", "barrier", "bd", "begin", "count", "divergent", "dynamic", "ended",
        "exchange", "fail", "fence", "from", "gather", "gd", "grid_barrier", "here", "host", "how", "limit", "mask",
        "no", "of", "old", "one_no", "one_yes", "p", "part", "r", "regular", "reported", "row", "step", "t", "threads",
        "to", "turn", "type", "v", "value", "w", "worker", "x", "y", "yes", "z", NULL};
    for (const char *const *word = ours; *word; word++)
        if (strlen(*word) == length && memcmp(*word, name, length) == 0) return true;
    return false;
}
