/* Kernels without barriers whose participating threads are known beforehand, and kernels that only use a thread's
 * position in the grid.
 *
 * Most kernels begin with `int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) ...`. A compiler keeps such a test
 * in its loop over the threads, as masks. So it is written such that the loop (device/entry.h) can ask single threads
 * whether they pass, and run the others without the test. Where blockIdx.x and threadIdx.x occur in that sum alone,
 * neighbouring blocks are one loop.
 *
 * Invariant: the test has no effect and means for a thread what it means in the kernel. Every comparison is of the sum
 * above (which neither wraps nor turns, as long as indices are below 2^31) with a value that is one for a row of
 * threads. So each of them changes at most once along a row, and what holds at its ends holds between them. */
#include <stdlib.h>
#include <string.h>

#include "kernel/translate.h"

enum { NAMES = 16, NUMBERED = 1000 };
typedef enum value { V_OTHER, V_ROW, V_INDEX } value; /* of a thread; one for a row of threads; the sum above */

typedef struct reader {
    const cpi_cu_program *p;
    const cpi_cu_function *f;
    cpi_cu_spans *found;
    struct { int name; value value; } local[NAMES];
    int nlocals, tests;
} reader;

static const cpi_token *word(const reader *r, int i) { return &r->p->tokens.at[i]; }
static bool is(const reader *r, int i, const char *text) { return cpi_token_is(word(r, i), text); }
static int match(const reader *r, int i) { return word(r, i)->match; }

static bool one_of(const cpi_token *w, const char *const *words)
{
    for (; *words; words++)
        if (cpi_token_is(w, *words)) return true;
    return false;
}

static const char *const whole[] = {"int", "unsigned", "long", "signed", "size_t", "uint32_t", "int32_t", "uint64_t",
                                    "int64_t", "const", NULL};
static const char *const plain[] = {"int", "unsigned", "long", "signed", "size_t", "uint32_t", "int32_t", "uint64_t",
                                    "int64_t", "const", "char", "short", "bool", "float", "double", NULL};

/* How many tokens from i on are a type's, of one that contains numbers. */
static int type_words(const reader *r, int i, const char *const *words)
{
    int n = 0;
    while (one_of(word(r, i + n), words)) n++;
    return n;
}

/* The index at i: how many tokens `blockIdx.x * blockDim.x + threadIdx.x` has there, in whatever order, or 0. */
static int position(const reader *r, int i, const char *name)
{
    return is(r, i, name) && is(r, i + 1, ".") && is(r, i + 2, "x") ? 3 : 0;
}

static int product(const reader *r, int i)
{
    if (is(r, i, "(") && match(r, i) == i + 8) return product(r, i + 1) ? 9 : 0;
    bool block = position(r, i, "blockIdx"), size = position(r, i, "blockDim");
    if ((!block && !size) || !is(r, i + 3, "*")) return 0;
    return position(r, i + 4, block ? "blockDim" : "blockIdx") ? 7 : 0;
}

static int sum(const reader *r, int i)
{
    int n = product(r, i);
    if (n) return is(r, i + n, "+") && position(r, i + n + 1, "threadIdx") ? n + 4 : 0;
    n = position(r, i, "threadIdx") && is(r, i + 3, "+") ? product(r, i + 4) : 0;
    return n ? n + 4 : 0;
}

/* Whether the sum of n tokens at i is one also in its context. */
static bool stands_alone(const reader *r, int i, int n)
{
    static const char *const before[] = {"(", "=", "[", ",", "return", "<", ">", "<=", ">=", "==", "!=", "&&", "||",
                                         "{", "?", "+=", "-=", NULL};
    static const char *const behind[] = {"*", "/", "%", ".", "->", "[", "(", NULL};
    if (one_of(word(r, i + n), behind)) return false;
    if (is(r, i - 1, ")") && match(r, i - 1) >= 0) { /* (size_t)blockIdx.x * ... */
        int open = match(r, i - 1), words = type_words(r, open + 1, whole);
        if (!words || open + 1 + words != i - 1 || is(r, i, "(")) return false;
        i = open;
    }
    return one_of(word(r, i - 1), before);
}

/* --- names --- */

static bool known_type(const reader *r, int name, int from)
{
    int i = name;
    while (i > from && one_of(word(r, i - 1), plain)) i--;
    return i < name && (is(r, i - 1, "(") || is(r, i - 1, ",") || is(r, i - 1, "<") || is(r, i - 1, "constexpr") ||
                        is(r, i - 1, "static") || is(r, i - 1, ";") || is(r, i - 1, "}") || i == from);
}

static bool is_parameter(const reader *r, int i)
{
    for (int k = r->f->open + 1; k < match(r, r->f->open); k++)
        if (cpi_token_same(word(r, k), word(r, i)))
            return known_type(r, k, r->f->open + 1) && (is(r, k + 1, ",") || is(r, k + 1, ")"));
    return false;
}

/* A macro of the name: 1 where it is a number, -1 where it is anything else, 0: there is none. */
static int macro(const reader *r, int i)
{
    int found = 0;
    for (int k = 0; k < r->p->tokens.n; k++) {
        const cpi_token *w = word(r, k), *name = word(r, i);
        if (w->kind != CPI_W_LINE) continue;
        const char *end = w->text + w->length, *at = w->text + 1;
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if (end - at < 7 || memcmp(at, "define", 6) != 0) continue;
        at += 6;
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if ((size_t)(end - at) < name->length || memcmp(at, name->text, name->length) != 0) continue;
        at += name->length;
        if (at < end && *at != ' ' && *at != '\t') {
            if (*at == '(') return -1;
            continue;
        }
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if (found || at == end) return -1;
        for (found = 1; at < end; at++)
            if (*at < '0' || *at > '9') return -1;
    }
    return found;
}

static value value_of_name(const reader *r, int i)
{
    int defined = macro(r, i);
    if (defined) return defined > 0 ? V_ROW : V_OTHER;
    for (int k = 0; k < r->nlocals; k++)
        if (cpi_token_same(word(r, r->local[k].name), word(r, i))) return r->local[k].value;
    return V_ROW;
}

/* Whether the name may occur in what is asked. */
static bool known(const reader *r, int i)
{
    int defined = macro(r, i);
    if (defined) return defined > 0;
    for (int k = 0; k < r->nlocals; k++)
        if (cpi_token_same(word(r, r->local[k].name), word(r, i))) return true;
    return is_parameter(r, i);
}

/* --- expressions --- */

/* Whether the tokens are arithmetic of known names and numbers. */
static bool pure(const reader *r, int first, int last)
{
    static const char *const marks[] = {"+", "-", "*", "/", "%", "<<", ">>", "(", ")", "&", "|", "^", "~", "!", "<",
                                        ">", "<=", ">=", "==", "!=", "&&", "||", "?", ":", NULL};
    static const char *const positions[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};
    if (first >= last) return false;
    for (int i = first; i < last; i++) {
        const cpi_token *w = word(r, i);
        if (w->kind == CPI_W_NUMBER || (w->kind == CPI_W_MARK && one_of(w, marks))) continue;
        if (w->kind != CPI_W_NAME) return false;
        if (one_of(w, positions)) {
            if (!is(r, i + 1, ".") || i + 2 >= last) return false;
            if (!is(r, i + 2, "x") && !is(r, i + 2, "y") && !is(r, i + 2, "z")) return false;
            i += 2;
        } else if (!one_of(w, plain) && (is(r, i + 1, "(") || !known(r, i))) {
            return false;
        }
    }
    return true;
}

/* The kind of a pure expression. */
static value value_of(const reader *r, int first, int last)
{
    while (last - first > 2 && is(r, first, "(") && match(r, first) == last - 1) first++, last--;
    bool row = true;
    for (int i = first; i < last; i++) {
        if (position(r, i, "threadIdx")) row = false;
        if (is(r, i, ".")) i++;
        else if (word(r, i)->kind == CPI_W_NAME && value_of_name(r, i) != V_ROW) row = false;
    }
    if (row) return V_ROW;
    if (is(r, first, "(") && match(r, first) > first) { /* a cast */
        int words = type_words(r, first + 1, whole);
        if (!words || match(r, first) != first + 1 + words) return V_OTHER;
        first += words + 2;
        if (is(r, first, "(") && match(r, first) == last - 1 && !product(r, first)) first++, last--;
    }
    if (last == first + 1 && word(r, first)->kind == CPI_W_NAME) return value_of_name(r, first);
    if (last == first + 3 && position(r, first, "threadIdx")) return V_INDEX;
    return sum(r, first) == last - first ? V_INDEX : V_OTHER;
}

/* An index, or one with a small number added. */
static bool turns_once(const reader *r, int first, int last)
{
    while (last - first > 2 && is(r, first, "(") && match(r, first) == last - 1) first++, last--;
    if (last - first > 2 && is(r, last - 2, "+") && word(r, last - 1)->kind == CPI_W_NUMBER) {
        char digits[8] = "";
        if (word(r, last - 1)->length > 3) return false;
        memcpy(digits, word(r, last - 1)->text, word(r, last - 1)->length);
        if (strspn(digits, "0123456789") != strlen(digits)) return false;
        last -= 2;
    }
    return value_of(r, first, last) == V_INDEX;
}

/* Whether a part of a condition changes at most once along a row. */
static bool is_test(const reader *r, int first, int last)
{
    static const char *const others[] = {"?", "&", "|", "^", "==", "!=", "&&", "||", "!", "~", NULL};
    int at = -1;
    if (!pure(r, first, last)) return false;
    if (value_of(r, first, last) == V_ROW) return true;
    while (last - first > 2 && is(r, first, "(") && match(r, first) == last - 1) first++, last--;
    for (int i = first; i < last; i++) {
        if (match(r, i) > i) i = match(r, i);
        else if (one_of(word(r, i), others)) return false;
        else if (is(r, i, "<") || is(r, i, ">") || is(r, i, "<=") || is(r, i, ">=")) {
            if (at >= 0) return false;
            at = i;
        }
    }
    if (at <= first || at + 1 >= last) return false;
    return (turns_once(r, first, at) && value_of(r, at + 1, last) == V_ROW) ||
           (turns_once(r, at + 1, last) && value_of(r, first, at) == V_ROW);
}

/* --- statements --- */

static bool edit(reader *r, int at, int kind)
{
    if (r->found->n == CPI_EDITS) return false;
    r->found->edit[r->found->n].at = at;
    r->found->edit[r->found->n].kind = (uint8_t)kind;
    r->found->edit[r->found->n++].test = (uint8_t)r->tests;
    return true;
}

static int semicolon(const reader *r, int i, int end)
{
    for (; i < end && !is(r, i, ";"); i++)
        if (match(r, i) > i) i = match(r, i);
    return i;
}

/* `int i = ..., j = ...;` at i; behind it, or -1. */
static int read_locals(reader *r, int i, int end)
{
    int words = type_words(r, i, plain), last = semicolon(r, i, end), at = i + words;
    if (is(r, i, "auto")) words = 1, at = i + 1;
    bool holds = words > 0 && (is(r, i, "auto") || type_words(r, i, whole) == words);
    if (!words || last >= end) return -1;
    while (at < last) {
        int comma = at;
        for (; comma < last && !is(r, comma, ","); comma++)
            if (match(r, comma) > comma) comma = match(r, comma);
        if (word(r, at)->kind != CPI_W_NAME || !is(r, at + 1, "=") || r->nlocals == NAMES) return -1;
        if (!pure(r, at + 2, comma) || macro(r, at)) return -1;
        value v = value_of(r, at + 2, comma);
        r->local[r->nlocals].name = at;
        r->local[r->nlocals++].value = v == V_INDEX && !holds ? V_OTHER : v;
        at = comma + 1;
    }
    return last + 1;
}

/* The end of the statement at i. Only what is evident. */
static int behind_statement(const reader *r, int i, int end)
{
    static const char *const others[] = {"if", "for", "while", "do", "switch", "else", "case", "default", "try", NULL};
    if (is(r, i, "{")) return match(r, i) + 1;
    if ((is(r, i, "for") || is(r, i, "while")) && is(r, i + 1, "("))
        return behind_statement(r, match(r, i + 1) + 1, end);
    return one_of(word(r, i), others) || word(r, i)->kind == CPI_W_LINE ? -1 : semicolon(r, i, end) + 1;
}

/* The parts of the condition between ( and ), joined by `joint`, as edits. */
static bool read_tests(reader *r, int open, const char *joint, bool leaves)
{
    int close = match(r, open), from = open + 1;
    if (!edit(r, open + 1, leaves ? CPI_E_LEAVE : CPI_E_ENTER)) return false;
    for (int i = from; i <= close; i++) {
        if (i < close && !is(r, i, joint)) {
            if (match(r, i) > i) i = match(r, i);
            continue;
        }
        r->tests++;
        if (r->tests > 200 || !is_test(r, from, i) || !edit(r, i, leaves ? CPI_E_LEFT : CPI_E_ENTERED)) return false;
        if (i < close && !edit(r, i + 1, CPI_E_NEXT)) return false;
        from = i + 1;
    }
    return edit(r, close, CPI_E_TESTED);
}

/* `if (...) return;` or, as the kernel's last statement, `if (...) ...` (*all). Behind it, or -1. */
static int read_if(reader *r, int i, int end, bool *all)
{
    if (!is(r, i, "if") || !is(r, i + 1, "(")) return -1;
    int then = match(r, i + 1) + 1;
    bool braced = is(r, then, "{") && is(r, then + 1, "return") && is(r, then + 2, ";") && match(r, then) == then + 3;
    if (braced || (is(r, then, "return") && is(r, then + 1, ";"))) {
        int behind = then + (braced ? 4 : 2);
        return !is(r, behind, "else") && read_tests(r, i + 1, "||", true) ? behind : -1;
    }
    int behind = behind_statement(r, then, end);
    if (behind != end || !read_tests(r, i + 1, "&&", false)) return -1;
    *all = true;
    return edit(r, then, CPI_E_BEGIN) && edit(r, behind, CPI_E_END) ? behind : -1;
}

/* The tests that the kernel begins with. */
static void read_guards(reader *r)
{
    int i = r->f->body + 1, end = r->f->end - 1, last = -1;
    cpi_cu_spans *s = r->found;
    bool all = false;
    while (i < end && !all) {
        if (word(r, i)->kind == CPI_W_LINE && word(r, i)->length > 2 && word(r, i)->text[1] == ' ') {
            i++; /* where a line was, from a preprocessor */
            continue;
        }
        int n = s->n, tests = r->tests, behind = read_locals(r, i, end);
        if (behind < 0) {
            behind = read_if(r, i, end, &all);
            if (behind > 0 && !all) last = behind;
            if (behind < 0) s->n = n, r->tests = tests;
        }
        if (behind < 0) break;
        i = behind;
    }
    s->guarded = s->n > 0;
    if (s->guarded && !all) s->guarded = edit(r, last, CPI_E_ASKED);
    if (!s->guarded) s->n = 0;
    for (int a = 1; a < s->n; a++) /* in their order; the one behind the last return was found last */
        for (int b = a; b && s->edit[b].at < s->edit[b - 1].at; b--) {
            cpi_cu_edit other = s->edit[b];
            s->edit[b] = s->edit[b - 1], s->edit[b - 1] = other;
        }
}

/* Whether the kernel uses x only through the sum. */
static bool is_joined(const reader *r)
{
    for (int i = r->f->body; i < r->f->end; i++) {
        const cpi_token *w = word(r, i);
        int n = sum(r, i);
        if (n && stands_alone(r, i, n)) {
            i += n - 1;
            continue;
        }
        if (cpi_token_is(w, "__shared__") || cpi_token_is(w, "goto")) return false;
        bool asks = cpi_token_is(w, "threadIdx") || cpi_token_is(w, "blockIdx");
        if (asks && (!is(r, i + 1, ".") || is(r, i + 2, "x"))) return false;
        if (w->kind != CPI_W_NAME) continue;
        for (const cpi_cu_function *g = cpi_cu_named(r->p, w, 0); g;
             g = cpi_cu_named(r->p, w, (int)(g - r->p->function) + 1))
            if (g->context && !g->global) return false;
        if (cpi_cu_is_shared_variable(r->p, w)) return false;
    }
    return true;
}

/* Joined blocks: another block than expected may be the first somewhere. That matters to those that wait for one
 * another, and to the order of atomic operations. */
bool cpi_cu_joins_rounds(const cpi_cu_program *p, const cpi_cu_function *f)
{
    const reader r = {.p = p, .f = f};
    if (f->shown || p->checked || p->all_fibers || !is_joined(&r)) return false;
    for (int i = 0; i < p->tokens.n; i++)
        if (is(&r, i, "volatile")) return false;
    for (int i = f->body; i < f->end; i++)
        if (word(&r, i)->length > 6 && memcmp(word(&r, i)->text, "atomic", 6) == 0) return false;
    return true;
}

void cpi_cu_find_spans(const cpi_cu_program *p, const cpi_cu_function *f, cpi_cu_spans *s)
{
    reader r = {.p = p, .f = f, .found = s};
    memset(s, 0, sizeof *s);
    if (f->shown || p->checked || p->all_fibers) return;
    read_guards(&r);
    s->joined = is_joined(&r);
}

void cpi_cu_put_edit(const cpi_cu_edit *e, cpi_string *out)
{
    static const char asked[] = "if (__ctx.how == __CU_ASKED) { *__ctx.reported = 0; return; } ";
    switch (e->kind) {
    case CPI_E_ENTER: cpi_string_printf(out, "__ctx.how == __CU_SURE || ((("); break;
    case CPI_E_LEAVE: cpi_string_printf(out, "__ctx.how != __CU_SURE && ((("); break;
    case CPI_E_ENTERED: cpi_string_printf(out, ") || __cu_report(__ctx, %d, false))", e->test); break;
    case CPI_E_LEFT: cpi_string_printf(out, ") && __cu_report(__ctx, %d, true))", e->test); break;
    case CPI_E_NEXT: cpi_string_printf(out, "(("); break;
    case CPI_E_TESTED: cpi_string_printf(out, ")"); break;
    case CPI_E_BEGIN: cpi_string_printf(out, "{ %s", asked); break;
    case CPI_E_END: cpi_string_printf(out, " }"); break;
    case CPI_E_ASKED: cpi_string_printf(out, " %s", asked); break;
    default: break;
    }
}
