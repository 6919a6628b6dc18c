/* Converts kernels with warp operations to a form that regions.c can split: what waits becomes a statement of its own.
 *
 * `v += __shfl_down_sync(m, v, d);` becomes: each lane puts v into a slot; __cu_meet; v += what the other lane has put.
 * Functions that wait are inlined where they are called, with names of their own. A new source is made of the whole
 * program, in which the bodies of such kernels are replaced; it is parsed like the user's. Invariant: every expression
 * is evaluated once, in an order that C++ allows, and what is not understood leaves the kernel as it was. */
#include <string.h>

#include "core/memory.h"
#include "kernel/normal.h"

/* --- statements --- */

/* Whether there is something to rewrite. */
static bool touched(normal *n, scope *s, int first, int last)
{
    return cpi_normal_count_waits(n, first, last) > 0 || cpi_normal_calls_lambda(n, s, first, last) ||
           (s->number && cpi_normal_has_word(n, "return", first, last));
}

static void put_braced(normal *n, scope *s, int i, int behind, bool tail)
{
    cpi_string_printf(n->out, "{ ");
    if (is(n, i, "{")) cpi_normal_put_list(n, s, i + 1, behind - 1, tail);
    else cpi_normal_put_list(n, s, i, behind, tail);
    cpi_string_printf(n->out, "} ");
}

static int behind_of(normal *n, int i, int end)
{
    int behind = cpi_structure_behind(&n->structure, i, end);
    if (behind < 0 || n->structure.failed) refuse(n);
    return behind;
}

/* Whether every path through the statement from i to `behind` ends in a return. */
static bool leaves(normal *n, int i, int behind)
{
    if (is(n, i, "return")) return true;
    if (!is(n, i, "{")) return false;
    int last = -1;
    for (int k = i + 1; k > 0 && k < behind - 1 && !n->failed;) {
        last = k;
        k = at(n, k)->kind == CPI_W_LINE ? k + 1 : behind_of(n, k, behind - 1);
    }
    return last > 0 && leaves(n, last, behind - 1);
}

/* An if. In a function a branch that returns makes the rest, up to `end`, an else: then all is done. */
static bool put_if(normal *n, scope *s, int i, int behind, int end, bool tail)
{
    int test = is(n, i + 1, "constexpr") ? i + 2 : i + 1, close = match(n, test);
    bool constant = test == i + 2, returns = s->number && cpi_normal_has_word(n, "return", i, behind);
    if ((constant && cpi_normal_count_waits(n, test, close)) || cpi_normal_has_word(n, ";", test, close)) refuse(n);
    int then_end = behind_of(n, close + 1, behind);
    bool other = then_end > 0 && then_end < behind && is(n, then_end, "else");
    if (n->failed) return true;
    bool rest = returns && behind < end;
    if (rest && (other || !leaves(n, close + 1, then_end))) refuse(n);
    if (returns && !tail) refuse(n);
    cpi_string c = cpi_normal_whole_expression(n, s, test + 1, close);
    cpi_normal_put_line(n, i);
    cpi_string_printf(n->out, "if %s(%s) ", constant ? "constexpr " : "", string_of(&c));
    cpi_string_free(&c);
    put_braced(n, s, close + 1, then_end, returns);
    if (other) {
        cpi_string_printf(n->out, "else ");
        put_braced(n, s, then_end + 1, behind, returns);
    } else if (rest) {
        cpi_string_printf(n->out, "else { ");
        cpi_normal_put_list(n, s, behind, end, true);
        cpi_string_printf(n->out, "} ");
    }
    return rest;
}

/* A loop's condition that waits becomes a statement at the beginning of its body. */
static void put_condition(normal *n, scope *s, int first, int last)
{
    if (first == last) return;
    cpi_string c = cpi_normal_whole_expression(n, s, first, last);
    cpi_string_printf(n->out, "if (!(%s)) break; ", string_of(&c));
    cpi_string_free(&c);
}

static void put_loop(normal *n, scope *s, int i, int behind)
{
    if (s->number && cpi_normal_has_word(n, "return", i, behind)) refuse(n);
    if (is(n, i, "do")) {
        int body_end = behind_of(n, i + 1, behind);
        if (n->failed || !is(n, body_end, "while")) return refuse(n);
        int open = body_end + 1;
        bool waits = cpi_normal_count_waits(n, open, match(n, open)) > 0;
        if (waits && cpi_normal_has_word(n, "continue", i, body_end)) refuse(n);
        cpi_string_printf(n->out, "do { ");
        put_braced(n, s, i + 1, body_end, false);
        if (waits) put_condition(n, s, open + 1, match(n, open));
        cpi_string_printf(n->out, "} while (");
        if (waits) cpi_string_printf(n->out, "true");
        else cpi_normal_put_words(n, s, open + 1, match(n, open), n->out);
        cpi_string_printf(n->out, "); ");
        return;
    }
    int open = i + 1, close = match(n, open), second = open + 1, third = close;
    bool waits = cpi_normal_count_waits(n, open, close) > 0, counts = is(n, i, "for");
    if (counts) {
        second = cpi_normal_next_semicolon(n, open + 1, close);
        third = second < close ? cpi_normal_next_semicolon(n, second + 1, close) : close;
        if (third >= close) return refuse(n); /* over a range */
        if (cpi_normal_count_waits(n, open, second) || cpi_normal_count_waits(n, third, close)) return refuse(n);
    }
    cpi_string_printf(n->out, waits && !counts ? "for (;;) { " : counts ? "for (" : "while (");
    if (counts) cpi_normal_put_words(n, s, open + 1, second + 1, n->out);
    if (!waits) cpi_normal_put_words(n, s, counts ? second + 1 : second, third, n->out);
    if (counts) cpi_normal_put_words(n, s, third, close, n->out);
    if (counts || !waits) cpi_string_printf(n->out, ") { ");
    if (waits) put_condition(n, s, counts ? second + 1 : second, third);
    put_braced(n, s, close + 1, behind, false);
    cpi_string_printf(n->out, "} ");
}

/* Shared memory of a function: one for all calls, as on a GPU, but for instances of templates. */
static void put_shared(normal *n, scope *s, int i, int behind)
{
    if (!s->generic) {
        for (int k = 0; k < n->nplaced; k++)
            if (n->placed[k] == i) return;
        if (n->nplaced == PLACED) return refuse(n);
        n->placed[n->nplaced++] = i;
    }
    cpi_normal_put_words(n, s, i, behind, &n->top);
    cpi_string_printf(&n->top, "\n");
}

static void put_return(normal *n, scope *s, int i, int behind, bool tail)
{
    if (!tail) return refuse(n);
    cpi_string e = cpi_normal_whole_expression(n, s, i + 1, behind - 1);
    if (*s->type) {
        if (s->declares_result) cpi_string_printf(n->out, "%s ", s->type);
        cpi_string_printf(n->out, "__cu_r%d = %s; ", s->number, string_of(&e));
    } else if (s->deduced && behind - 1 > i + 1) {
        cpi_string_printf(&s->result, "%s", string_of(&e));
    } else {
        cpi_string_printf(n->out, "%s; ", string_of(&e));
    }
    cpi_string_free(&e);
}

/* Whether the statement declares a lambda, and nothing else: it is written where it is called. */
static bool declares_lambda(normal *n, scope *s, int i, int behind)
{
    while (is(n, i, "const") || is(n, i, "constexpr")) i++;
    int body = is(n, i, "auto") && is(n, i + 2, "=") ? cpi_lambda_body(&n->p->tokens, i + 3) : -1;
    const declared *d = body >= 0 ? cpi_normal_find(n, s, at(n, i + 1)) : NULL;
    scope *in; /* it is written at its calls only where its name is certain */
    return d && d->name == i + 1 && match(n, body) == behind - 2 && cpi_normal_lambda(n, s, i + 1, &in) >= 0;
}

/* A declaration, each of whose variables is declared separately, or an expression. */
static void put_declarators(normal *n, scope *s, int i, int end)
{
    int type_end = cpi_structure_type_end(&n->structure, i, end), from = type_end < 0 ? i : type_end;
    for (int k = from; k <= end && !n->failed; k++) {
        if (k < end && match(n, k) > k) k = match(n, k);
        if (k < end && is(n, k, "<") && named(n, k - 1)) {
            int behind = cpi_tokens_behind_angles(&n->p->tokens, k, end);
            if (behind > 0 && (is(n, behind, "(") || is(n, behind, "::"))) k = behind - 1;
        }
        if (k < end && (type_end < 0 || !is(n, k, ","))) continue;
        cpi_string e = cpi_normal_whole_expression(n, s, from, k);
        cpi_normal_put_line(n, i);
        if (type_end >= 0) cpi_normal_put_words(n, s, i, type_end, n->out);
        cpi_string_printf(n->out, "%s; ", string_of(&e));
        cpi_string_free(&e);
        from = k + 1;
    }
}

/* The statement at i of a list that ends at `end`; true: what follows it is written too. */
static bool put_statement(normal *n, scope *s, int i, int behind, int end, bool tail)
{
    if (is(n, i, "{")) {
        bool returns = s->number && cpi_normal_has_word(n, "return", i, behind);
        if (returns && (!tail || behind < end)) refuse(n);
        put_braced(n, s, i, behind, returns);
    } else if (is(n, i, "if")) {
        return put_if(n, s, i, behind, end, tail);
    } else if (is(n, i, "for") || is(n, i, "while") || is(n, i, "do")) {
        put_loop(n, s, i, behind);
    } else if (is(n, i, "return") && s->number) {
        put_return(n, s, i, behind, tail);
        return true;
    } else if (is(n, i, "switch") || is(n, i, "return") || is(n, i, "goto") || is(n, i + 1, ":")) {
        refuse(n);
    } else if (is(n, i, "__syncthreads") && behind == i + 4) {
        cpi_string_printf(n->out, "__syncthreads(); ");
    } else {
        put_declarators(n, s, i, behind - 1);
    }
    return false;
}

void cpi_normal_put_list(normal *n, scope *s, int first, int last, bool tail)
{
    for (int i = first; i < last && !n->failed;) {
        if (at(n, i)->kind == CPI_W_LINE) {
            cpi_string_printf(n->out, "\n%.*s\n", (int)at(n, i)->length, at(n, i)->text);
            i++;
            continue;
        }
        int behind = behind_of(n, i, last);
        if (n->failed) return;
        cpi_normal_put_line(n, i);
        bool declaration = is(n, i, "static") || is(n, i, "extern") || is(n, i, "__shared__") ||
                           is(n, i, "__align__") || is(n, i, "volatile") || is(n, i, "const") || is(n, i, "alignas");
        if (s->number && declaration &&
            cpi_normal_has_word(n, "__shared__", i, cpi_normal_next_semicolon(n, i, behind))) {
            put_shared(n, s, i, behind);
        } else if (declares_lambda(n, s, i, behind)) {
            cpi_string_printf(n->out, " ");
        } else if (!touched(n, s, i, behind)) {
            if (s->number && is(n, i, "static")) refuse(n);
            if (s->number) {
                for (int k = i; k < behind; k++) {
                    if (at(n, k)->kind == CPI_W_LINE)
                        cpi_string_printf(n->out, "\n%.*s\n", (int)at(n, k)->length, at(n, k)->text);
                    else cpi_normal_put_word(n, s, k, n->out);
                }
            } else {
                const cpi_token *from = at(n, i), *to = at(n, behind - 1);
                cpi_string_add(n->out, from->text, (size_t)(to->text + to->length - from->text));
            }
            cpi_string_printf(n->out, " ");
        } else if (put_statement(n, s, i, behind, last, tail)) {
            return;
        }
        i = behind;
    }
}

/* --- the program --- */

/* The body of kernel `f` in that form, braces included; false (nothing written) where it is not understood. */
static bool put_kernel(cpi_cu_program *p, const cpi_records *records, const cpi_cu_function *f, cpi_string *out)
{
    cpi_string text = {0};
    normal n = {.p = p, .structure = {.program = p, .function = f}, .out = &text, .records = records};
    scope *s = cpi_calloc(1, sizeof *s);
    if (!s) return false;
    s->function = f;
    s->record = -1;
    cpi_normal_find_names(&n, s);
    if (!n.failed) cpi_normal_put_list(&n, s, f->body + 1, f->end - 1, false);
    cpi_free_host(s);
    cpi_normal_free_types(&n);
    bool done = !n.failed && !text.failed && !n.top.failed && (n.count > 0 || n.scopes > 0 || n.lambdas > 0);
    if (done) {
        p->opened = p->opened || n.opened;
        cpi_string_printf(out, "{ struct __cu_meeting __cu_x0, __cu_x1; struct __cu_masks __cu_q0, __cu_q1; %s\n",
                       string_of(&n.top));
        cpi_string_add(out, text.at, text.length);
        cpi_string_printf(out, "\n# %d \"kernel.cu\"\n}", p->tokens.at[f->end - 1].line);
    }
    cpi_string_free(&text);
    cpi_string_free(&n.top);
    return done;
}

/* Writes the program with the kernels that can be converted. */
static bool put_program(cpi_cu_program *p, const cpi_records *records, const char *text, cpi_string *out)
{
    const char *from = text;
    bool any = false;
    for (int k = 0; k < p->nfunctions; k++) {
        cpi_cu_function *f = &p->function[k];
        if (!f->global || !(f->barriers || f->apart) || f->lockstep || f->turns || f->inner || f->body < 0) continue;
        const char *open = p->tokens.at[f->body].text, *behind = p->tokens.at[f->end - 1].text + 1;
        size_t before = out->length;
        cpi_string_add(out, from, (size_t)(open - from));
        if (put_kernel(p, records, f, out)) {
            f->converted = any = true;
            from = behind;
        } else if (out->at) {
            out->at[out->length = before] = 0;
        }
    }
    if (any) cpi_string_printf(out, "%s", from);
    return any && !out->failed;
}

static bool read_records(cpi_cu_program *p)
{
    p->records = cpi_calloc(1, sizeof *p->records);
    return p->records && cpi_records_read(p, p->records);
}

/* Reads what was written, with the records in it. */
static bool read_again(const cpi_cu_program *p, const char *text, cpi_cu_program *q)
{
    bool unbalanced;
    if (!cpi_cu_read(text, q, &unbalanced)) {
        cp_error_clear();
        return false;
    }
    if (q->nfunctions == p->nfunctions && read_records(q)) return true;
    cpi_cu_free(q);
    return false;
}

bool cpi_cu_normal(cpi_cu_program *p, const char *text, int nnames, const char *const *names, cpi_string *out,
                   cpi_cu_program *q)
{
    if (!read_records(p) || !put_program(p, p->records, text, out) || !read_again(p, out->at, q)) return false;
    cpi_string split = {0};
    if (cpi_normal_split_objects(q, out->at, &split)) {
        cpi_cu_free(q);
        cpi_string_free(out);
        *out = split;
        if (!read_again(p, out->at, q)) return false;
    } else {
        cpi_string_free(&split);
    }
    q->normal = true;
    bool same = true;
    for (int k = 0; same && k < p->nfunctions; k++) { /* forms are those of the whole program */
        q->function[k].context = p->function[k].context;
        q->function[k].plain = p->function[k].plain;
    }
    q->hidden_context = p->hidden_context;
    q->groups = p->groups;
    same = same && cpi_cu_find_shown(q, nnames, names);
    if (!same) cpi_cu_free(q);
    return same;
}
