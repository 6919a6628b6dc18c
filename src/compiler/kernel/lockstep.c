/* Lanes in lockstep, as programs written before 2017 assume: elements of a volatile array in shared memory are read and
 * written without a barrier between (`s[i] += s[i + 16];`).
 *
 * A GPU runs such lanes together. In fibers they are kept together. An assignment to an element of a volatile array
 * whose value is computed from elements of volatile arrays waits for the lanes of the warp, reads, waits, writes, and
 * waits again. So does an if whose condition reads such elements. Functions with such statements wait for other
 * threads.
 *
 * CUPRITE_KERNEL_LOCKSTEP=1 is for programs that rely on it without volatile: there all elements of arrays count, and
 * all assignments to them. */
#include <stdlib.h>
#include <string.h>

#include "kernel/translate.h"

static bool assigns(const cpi_token *w)
{
    static const char *const marks[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (cpi_token_is(w, marks[k])) return true;
    return false;
}

/* Whether the volatile at i begins or qualifies a declaration of the name at `name`. */
static bool declares(const cpi_tokens *t, int i, const cpi_token *name)
{
    for (; i < t->n && !cpi_token_is(&t->at[i], ";") && !cpi_token_is(&t->at[i], ")"); i++) {
        if (cpi_token_is(&t->at[i], "=")) { /* its value */
            while (i + 1 < t->n && !cpi_token_is(&t->at[i + 1], ";") && !cpi_token_is(&t->at[i + 1], ",") &&
                   !cpi_token_is(&t->at[i + 1], ")"))
                i = t->at[i + 1].match > i + 1 ? t->at[i + 1].match : i + 1;
        } else if (t->at[i].kind == CPI_W_NAME && cpi_token_same(&t->at[i], name)) {
            return true;
        } else if (cpi_token_is(&t->at[i], "[") && t->at[i].match > i) {
            i = t->at[i].match;
        }
    }
    return false;
}

bool cpi_lockstep_is_asked(void)
{
    const char *asked = getenv("CUPRITE_KERNEL_LOCKSTEP");
    return asked && *asked && strcmp(asked, "0") != 0;
}

/* Whether the name at i, before [, is that of a volatile array: of the function's, a parameter, or dynamic shared
 * memory of the whole source. */
static bool is_volatile(const cpi_cu_program *p, const cpi_cu_function *f, int i)
{
    const cpi_tokens *t = &p->tokens;
    if (t->at[i].kind != CPI_W_NAME || !cpi_token_is(&t->at[i + 1], "[")) return false;
    if (i && (cpi_token_is(&t->at[i - 1], ".") || cpi_token_is(&t->at[i - 1], "->"))) return false;
    if (p->in_step) return true;
    for (int k = f->open; k < i; k++)
        if (cpi_token_is(&t->at[k], "volatile") && declares(t, k + 1, &t->at[i])) return true;
    for (int v = 0; v < p->nvariables; v++)
        for (int k = p->variable[v].start; p->variable[v].shared && k < p->variable[v].name; k++)
            if (cpi_token_is(&t->at[k], "volatile") && cpi_token_same(&t->at[p->variable[v].name], &t->at[i]))
                return true;
    return false;
}

static bool reads(const cpi_cu_program *p, const cpi_cu_function *f, int first, int last)
{
    for (int i = first; i < last; i++)
        if (is_volatile(p, f, i)) return true;
    return false;
}

static bool begins_statement(const cpi_tokens *t, int i)
{
    const cpi_token *b = &t->at[i - 1];
    return cpi_token_is(b, ";") || cpi_token_is(b, "{") || cpi_token_is(b, "}") || cpi_token_is(b, ")") ||
           cpi_token_is(b, "else") || cpi_token_is(b, "do") || b->kind == CPI_W_LINE;
}

/* The assignment operator of such a statement at i, and in `end` its ; -- or -1. */
static int assignment(const cpi_cu_program *p, const cpi_cu_function *f, int i, int *end)
{
    const cpi_tokens *t = &p->tokens;
    if (!is_volatile(p, f, i) || !begins_statement(t, i)) return -1;
    int mark = i + 1;
    while (cpi_token_is(&t->at[mark], "[")) mark = t->at[mark].match + 1;
    if (!assigns(&t->at[mark])) return -1;
    for (*end = mark; *end < f->end && !cpi_token_is(&t->at[*end], ";"); ++*end) {
        if (cpi_token_is(&t->at[*end], ",")) return -1;
        if (t->at[*end].match > *end) *end = t->at[*end].match;
    }
    return p->in_step || reads(p, f, mark, *end) ? mark : -1;
}

/* The ) of the condition of such an if at i, or -1. */
static int condition(const cpi_cu_program *p, const cpi_cu_function *f, int i)
{
    const cpi_tokens *t = &p->tokens;
    if (!cpi_token_is(&t->at[i], "if") || !cpi_token_is(&t->at[i + 1], "(")) return -1;
    int close = t->at[i + 1].match;
    return reads(p, f, i + 2, close) ? close : -1;
}

/* Behind the statement at i. */
static int behind(const cpi_tokens *t, int i, int end)
{
    if (i >= end) return end;
    if (cpi_token_is(&t->at[i], "{")) return t->at[i].match + 1;
    if (cpi_token_is(&t->at[i], "if") || cpi_token_is(&t->at[i], "for") || cpi_token_is(&t->at[i], "while")) {
        int after = behind(t, t->at[i + 1].match + 1, end);
        bool other = cpi_token_is(&t->at[i], "if") && after < end && cpi_token_is(&t->at[after], "else");
        return other ? behind(t, after + 1, end) : after;
    }
    for (; i < end && !cpi_token_is(&t->at[i], ";"); i++)
        if (t->at[i].match > i) i = t->at[i].match;
    return i + 1;
}

bool cpi_cu_finds_lockstep(cpi_cu_program *p, const cpi_cu_function *f)
{
    bool any = p->in_step = cpi_lockstep_is_asked(), stores = false;
    int end;
    for (int i = f->open; f->body >= 0 && i < f->end && !any; i++) any = cpi_token_is(&p->tokens.at[i], "volatile");
    for (int v = 0; v < p->nvariables; v++) any = any || p->variable[v].shared;
    any = any && f->body >= 0 && (!p->in_step || f->device);
    for (int i = f->body + 1; any && i < f->end; i++) stores = stores || assignment(p, f, i, &end) >= 0;
    return stores;
}

/* Writes a wait of the lanes for each other: in part `step` of the statement at i. */
static void put_gather(const cpi_tokens *t, int i, int step, cpi_string *out)
{
    int before = 0; /* statements of the same line have different positions, in their order */
    while (before < 60 && i > before && t->at[i - before - 1].line == t->at[i].line) before++;
    cpi_string_printf(out, "(void)__cu_gather_at(%d, %d); ", t->at[i].line, 4 * before + step);
}

int cpi_cu_put_lockstep(cpi_cu_program *p, const cpi_cu_function *f, int i, cpi_string *out)
{
    const cpi_tokens *t = &p->tokens;
    int end, mark = assignment(p, f, i, &end), close = mark < 0 ? condition(p, f, i) : -1;
    if (mark >= 0) {
        cpi_string_printf(out, "{ ");
        put_gather(t, i, 1, out);
        cpi_string_printf(out, "auto __cu_new = ");
        cpi_cu_copy(p, f, mark + 1, end, out);
        cpi_string_printf(out, "; ");
        put_gather(t, i, 2, out);
        p->plain = i;
        cpi_cu_copy(p, f, i, mark + 1, out);
        p->plain = -1;
        cpi_string_printf(out, " __cu_new; ");
        put_gather(t, i, 3, out);
        cpi_string_printf(out, "}");
        return end + 1;
    }
    if (close < 0) return -1;
    end = behind(t, i, f->end);
    cpi_string_printf(out, "{ ");
    put_gather(t, i, 1, out);
    cpi_string_printf(out, "const bool __cu_if = (");
    cpi_cu_copy(p, f, i + 2, close, out);
    cpi_string_printf(out, ") ? true : false; ");
    put_gather(t, i, 2, out);
    cpi_string_printf(out, "if (__cu_if) ");
    cpi_cu_copy(p, f, close + 1, end, out);
    cpi_string_printf(out, " ");
    put_gather(t, end - 1, 3, out);
    cpi_string_printf(out, "}");
    return end;
}

/* --- what CUPRITE_CHECK says of races between lanes --- */

static bool has_line(const cpi_tokens *t, int first, int last, int line)
{
    return first < last && t->at[first].line <= line && line <= t->at[last - 1].line;
}

bool cpi_lockstep_orders(const char *text, int one, int other)
{
    cpi_tokens t;
    bool unbalanced, orders = true;
    if (!cpi_tokens_read(text, &t, &unbalanced)) return false;
    for (int i = 0; i + 1 < t.n && orders; i++) {
        if (!cpi_token_is(&t.at[i], "if") || !cpi_token_is(&t.at[i + 1], "(")) continue;
        int then = t.at[i + 1].match + 1, middle = behind(&t, then, t.n);
        if (middle >= t.n || !cpi_token_is(&t.at[middle], "else")) continue;
        int end = behind(&t, middle + 1, t.n);
        if (end > t.n) end = t.n;
        bool first = has_line(&t, then, middle, one), second = has_line(&t, middle + 1, end, one);
        bool its_first = has_line(&t, then, middle, other), its_second = has_line(&t, middle + 1, end, other);
        orders = !(first != second && its_first != its_second && first != its_first);
    }
    cpi_tokens_free(&t);
    return orders;
}
