/* Loops that wait in memory for what another thread writes: `while (flag == 0) ;`, a lock, a flag of another block.
 *
 * GPUs since 2017 promise progress to each thread. Threads that are iterations of a loop cannot give way to each other,
 * so kernels with such loops are fibers, which take turns there: `while (__cu_turn(__ctx), flag == 0) ;`. A loop counts
 * as one where it reads volatile memory, or by atomic operations, and where it is neither counted nor lock-free: a
 * repeated compare-and-swap of what was read before, or of one address after the other, ends by itself. Invariant: to
 * take a turn never changes what a thread computes. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/translate.h"

typedef struct loop {
    int first, last;       /* tokens: of all */
    int test, test_end;    /* the condition */
    int body, body_end;
    int step, step_end;    /* of a for */
} loop;

typedef struct reader {
    const cpi_cu_program *p;
    const cpi_cu_function *f;
} reader;

static const cpi_token *word(const reader *r, int i) { return &r->p->tokens.at[i]; }
static bool is(const reader *r, int i, const char *text) { return cpi_token_is(word(r, i), text); }
static int match(const reader *r, int i) { return word(r, i)->match; }
static bool named(const reader *r, int i) { return word(r, i)->kind == CPI_W_NAME; }
static bool same(const reader *r, int i, int k) { return cpi_token_same(word(r, i), word(r, k)); }
static bool member(const reader *r, int i) { return i && (is(r, i - 1, ".") || is(r, i - 1, "->")); }

static bool one_of(const reader *r, int i, const char *const *words)
{
    for (; *words; words++)
        if (is(r, i, *words)) return true;
    return false;
}

static int semicolon(const reader *r, int i, int end)
{
    for (; i < end && !is(r, i, ";"); i++)
        if (match(r, i) > i) i = match(r, i);
    return i;
}

/* Behind the statement at i. */
static int behind(const reader *r, int i, int end)
{
    if (i >= end) return end;
    if (is(r, i, "{")) return match(r, i) + 1;
    if ((is(r, i, "if") || is(r, i, "for") || is(r, i, "while") || is(r, i, "switch")) && is(r, i + 1, "(")) {
        int then = behind(r, match(r, i + 1) + 1, end);
        return is(r, i, "if") && then < end && is(r, then, "else") ? behind(r, then + 1, end) : then;
    }
    if (is(r, i, "do")) return semicolon(r, behind(r, i + 1, end), end) + 1;
    return semicolon(r, i, end) + 1;
}

/* The loop that begins at i. */
static bool read_loop(const reader *r, int i, loop *l)
{
    int end = r->f->end - 1;
    *l = (loop){.first = i, .last = behind(r, i, end)};
    if (is(r, i, "do")) {
        l->body = i + 1, l->body_end = behind(r, i + 1, end);
        if (!is(r, l->body_end, "while") || !is(r, l->body_end + 1, "(")) return false;
        l->test = l->body_end + 2, l->test_end = match(r, l->body_end + 1);
        return true;
    }
    if ((!is(r, i, "while") && !is(r, i, "for")) || !is(r, i + 1, "(")) return false;
    int close = match(r, i + 1);
    l->body = close + 1, l->body_end = l->last;
    l->test = i + 2, l->test_end = close;
    if (is(r, i, "while")) return !is(r, i - 1, "}") || !is(r, close + 1, ";"); /* the end of a do is none */
    l->test = semicolon(r, i + 2, close) + 1;
    l->test_end = semicolon(r, l->test, close);
    l->step = l->test_end + 1, l->step_end = close;
    return l->test_end < close; /* or it is over a range */
}

/* --- what is changed --- */

static bool assigns(const reader *r, int i)
{
    static const char *const marks[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
    return one_of(r, i, marks);
}

/* How the use of a name at i changes it: 0 not, 1 to a value that does not depend on it, 2 to one that does. */
static int change(const reader *r, int i)
{
    if (is(r, i + 1, "++") || is(r, i + 1, "--") || is(r, i - 1, "++") || is(r, i - 1, "--")) return 2;
    if (!assigns(r, i + 1)) return 0;
    if (!is(r, i + 1, "=")) return 2;
    for (int k = i + 2; !is(r, k, ";") && !is(r, k, ",") && k < r->f->end; k++)
        if (same(r, k, i)) return 2;
    return 1;
}

static bool changed(const reader *r, int name, int first, int last, int how)
{
    for (int i = first; i < last; i++)
        if (same(r, i, name) && !member(r, i) && change(r, i) >= how) return true;
    return false;
}

static bool set_anew(const reader *r, int name, int first, int last)
{
    for (int i = first; i < last; i++)
        if (same(r, i, name) && !member(r, i) && change(r, i) == 1) return true;
    return false;
}

/* Whether the variable goes from round to round of the loop: it is changed, and does not begin anew. */
static bool carried(const reader *r, const loop *l, int name)
{
    return changed(r, name, l->first, l->last, 2) && !set_anew(r, name, l->first, l->last);
}

static bool moves(const reader *r, const loop *l, int first, int last)
{
    for (int i = first; i < last; i++)
        if (named(r, i) && !member(r, i) && carried(r, l, i)) return true;
    return false;
}

/* --- what is read --- */

static bool is_parameter(const reader *r, int i)
{
    int k = cpi_cu_function_around(r->p, i);
    return k >= 0 && i > r->p->function[k].open && i < match(r, r->p->function[k].open);
}

/* Whether the token is in another function. */
static bool is_elsewhere(const reader *r, int i)
{
    int k = cpi_cu_function_around(r->p, i);
    return k >= 0 && &r->p->function[k] != r->f;
}

/* Whether the function declares the name at i itself. */
static bool is_local(const reader *r, int i)
{
    static const char *const others[] = {"return", "else", "do", "case", "goto", "new", "sizeof", NULL};
    for (int k = r->f->open + 1; k < i; k++) {
        if (!same(r, k, i)) continue;
        int before = k - 1;
        while (is(r, before, "*") || is(r, before, "&") || is(r, before, "__restrict__")) before--;
        if (named(r, before) && !one_of(r, before, others) && !member(r, k)) return true;
    }
    return false;
}

/* Whether the name at i is declared volatile: `volatile int *p`, `int *volatile p`. */
static bool is_volatile(const reader *r, int i)
{
    for (int k = 0; k < r->p->tokens.n; k++) {
        if (!is(r, k, "volatile") || is_elsewhere(r, k)) continue;
        bool outside = k < r->f->start || k >= r->f->end;
        if (outside && !member(r, i) && is_local(r, i)) continue;
        bool parameter = is_parameter(r, k);
        for (int q = k + 1; q < r->p->tokens.n; q++) {
            if (is(r, q, ";") || is(r, q, ")") || is(r, q, "{") || is(r, q, "}")) break;
            if (parameter && is(r, q, ",")) break;
            if (match(r, q) > q) q = match(r, q);
            else if (q > k + 1 && same(r, q, i)) return true;
            else if (is(r, q, "=")) break;
        }
    }
    return false;
}

static bool is_shared(const reader *r, int i)
{
    int names[16];
    for (int k = r->f->body; k < r->f->end; k++) {
        if (!is(r, k, "__shared__")) continue;
        for (int n = cpi_cu_declared_names(&r->p->tokens, k, semicolon(r, k, r->f->end), names, 16); n > 0; n--)
            if (same(r, names[n - 1], i)) return true;
    }
    return cpi_cu_is_shared_variable(r->p, &r->p->tokens.at[i]);
}

/* The arguments of the call with ( at `open`: where the n-th begins and ends. */
static bool argument(const reader *r, int open, int n, int *first, int *last)
{
    int close = match(r, open);
    *first = open + 1;
    for (int i = open + 1; i <= close; i++) {
        if (i < close && match(r, i) > i) i = match(r, i);
        if (i < close && !is(r, i, ",")) continue;
        *last = i;
        if (n-- == 0) return *last > *first;
        *first = i + 1;
    }
    return false;
}

static bool is_number(const reader *r, int first, int last, const char *digits)
{
    return last == first + 1 && word(r, first)->kind == CPI_W_NUMBER &&
           strncmp(word(r, first)->text, digits, strlen(digits)) == 0 &&
           (word(r, first)->length == strlen(digits) || strchr("uUlL", word(r, first)->text[strlen(digits)]));
}

/* Whether the compare-and-swap with ( at `open` expects what the loop has read: then it ends by itself. */
static bool expects_read(const reader *r, const loop *l, int open)
{
    int first, last;
    if (!argument(r, open, 1, &first, &last)) return false;
    for (int i = first; i < last; i++)
        if (named(r, i) && !member(r, i) && changed(r, i, l->first, l->last, 1)) return true;
    for (int k = first; k < last; k++) { /* or declared there */
        for (int i = l->body; named(r, k) && i < l->body_end; i++)
            if (same(r, i, k) && (named(r, i - 1) || is(r, i - 1, "*")) && is(r, i + 1, "=")) return true;
    }
    return false;
}

/* Whether an atomic operation at i waits for a value: 1, 0: it does not, -1: it makes the loop one that ends. */
static int atomic_waits(const reader *r, const loop *l, int i)
{
    static const char *const reads[] = {"atomicAdd", "atomicSub", "atomicOr", "atomicXor", "atomicAdd_system",
                                        "atomicAdd_block", NULL};
    static const char *const swaps[] = {"atomicCAS", "atomicCAS_block", "atomicCAS_system", NULL};
    static const char *const sets[] = {"atomicExch", "atomicExch_block", "atomicExch_system", NULL};
    int first, last;
    if (!is(r, i + 1, "(") || member(r, i)) return 0;
    bool moving = argument(r, i + 1, 0, &first, &last) && moves(r, l, first, last);
    if (one_of(r, i, reads))
        return !moving && argument(r, i + 1, 1, &first, &last) && is_number(r, first, last, "0");
    if (one_of(r, i, swaps)) return moving || expects_read(r, l, i + 1) ? -1 : 1;
    return one_of(r, i, sets) && !moving && l->test <= i && i < l->test_end;
}

/* Whether the volatile variable at i is read there, at an address that stays. */
static bool volatile_waits(const reader *r, const loop *l, int i)
{
    int end = i + 1;
    while (is(r, end, "[") || (is(r, end, ".") && named(r, end + 1)))
        end = is(r, end, "[") ? match(r, end) + 1 : end + 2;
    if (is(r, end, "=") || !is_volatile(r, i)) return false; /* is only written */
    bool barrier = false;
    for (int k = l->first; k < l->last; k++) barrier = barrier || is(r, k, "__syncthreads");
    if (barrier && is_shared(r, i)) return false; /* the block goes round together */
    return !moves(r, l, i, end);
}

/* Whether what is called at i, or the volatile of a cast, reads memory anew. */
static bool reads_anew(const reader *r, const loop *l, int i)
{
    static const char *const functions[] = {"__ldcv", "__ldcg", "__nanosleep", NULL};
    static const char *const methods[] = {"load", "test", "try_wait", "try_wait_parity", NULL};
    if (is(r, i, "volatile")) { /* *(volatile int *)p */
        int close = i;
        while (close < l->last && !is(r, close, ")") && !is(r, close, ";") && !is(r, close, ">")) close++;
        if (is(r, close, ";") || close >= l->last) return false;
        int address = close + 1, end = address;
        while (end < l->last && !is(r, end, ")") && !is(r, end, ";") && !is(r, end, "=") && !is(r, end, "!=") &&
               !is(r, end, "=="))
            end = match(r, end) > end ? match(r, end) + 1 : end + 1;
        return !moves(r, l, address, end);
    }
    if (!is(r, i + 1, "(")) return false;
    if (one_of(r, i, functions)) return !moves(r, l, i + 1, match(r, i + 1));
    return member(r, i) && one_of(r, i, methods);
}

/* Whether a variable of the condition counts: `i < n` and i is changed by what does not come from memory. */
static bool is_counted(const reader *r, const loop *l)
{
    for (int i = l->test; i < l->test_end; i++) {
        if (!named(r, i) || member(r, i) || is(r, i + 1, "(") || is(r, i + 1, "[")) continue;
        if (changed(r, i, l->step, l->step_end, 2) || changed(r, i, l->body, l->body_end, 2)) return true;
        if (changed(r, i, l->test, l->test_end, 2)) return true;
    }
    return false;
}

static bool waits(const reader *r, const loop *l)
{
    bool found = false, asked = false; /* in the condition */
    for (int i = l->first; i < l->last; i++) {
        int atomic = named(r, i) ? atomic_waits(r, l, i) : 0;
        if (atomic < 0) return false;
        if (atomic || (named(r, i) && (reads_anew(r, l, i) || (!is(r, i, "volatile") && volatile_waits(r, l, i))))) {
            found = true;
            asked = asked || (l->test <= i && i < l->test_end);
        }
    }
    if (found && !asked && is_counted(r, l)) return false;
    for (int i = l->test; i < l->test_end; i++) /* while (int x = ...) */
        if (named(r, i) && named(r, i + 1) && is(r, i + 2, "=")) return false;
    return found;
}

static bool add(cpi_cu_program *p, int at)
{
    if ((p->nturns & (p->nturns - 1)) == 0) {
        size_t capacity = p->nturns ? (size_t)p->nturns * 2 : 1;
        int *more = cpi_realloc(p->turn, capacity * sizeof *more);
        if (!more) return false;
        p->turn = more;
    }
    p->turn[p->nturns++] = at;
    return true;
}

static int in_order(const void *a, const void *b)
{
    const int *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

/* The loops of a function, or of a part with methods. */
static bool find_between(cpi_cu_program *p, const cpi_cu_function *f, int first, int last)
{
    const reader r = {p, f};
    for (int i = first; i < last; i++) {
        loop l;
        bool begins = is(&r, i, "while") || is(&r, i, "for") || is(&r, i, "do");
        if (begins && read_loop(&r, i, &l) && waits(&r, &l) && !add(p, l.test)) return false;
    }
    return true;
}

bool cpi_cu_find_turns(cpi_cu_program *p)
{
    static const char *const signs[] = {"volatile", "atomicCAS", "atomicExch", "__ldcv", "__ldcg", "__nanosleep",
                                        "atomicAdd", "atomicOr", "load", "test", "try_wait", NULL};
    bool any = false;
    for (int i = 0; i < p->tokens.n && !any; i++) any = cpi_token_is_one_of(&p->tokens.at[i], signs);
    for (int k = 0; any && k < p->nfunctions; k++) {
        cpi_cu_function *f = &p->function[k];
        if (f->body < 0 || !(f->device || f->global)) continue;
        int before = p->nturns;
        if (!find_between(p, f, f->body + 1, f->end)) return false;
        if (p->nturns > before) f->turns = f->barriers = f->context = true;
    }
    for (int k = 0; any && k < p->nparts; k++) { /* methods */
        const cpi_cu_function part = {.start = p->part[k].start, .open = p->part[k].start, .body = p->part[k].start,
                                      .end = p->part[k].end};
        if (!find_between(p, &part, part.start, part.end)) return false;
    }
    if (p->nturns) qsort(p->turn, (size_t)p->nturns, sizeof *p->turn, in_order);
    return true;
}

bool cpi_cu_is_turn(const cpi_cu_program *p, int i)
{
    return p->nturns && bsearch(&i, p->turn, (size_t)p->nturns, sizeof *p->turn, in_order);
}

void cpi_cu_put_turn(const cpi_cu_program *p, int i, cpi_string *out)
{
    bool empty = cpi_token_is(&p->tokens.at[i], ";"); /* for (;;) */
    if (cpi_cu_is_turn(p, i)) cpi_string_printf(out, empty ? "__cu_turn(__ctx), true" : "__cu_turn(__ctx), ");
}
