/* Writing a kernel with barriers as loops over the threads of a block between them (loop fission; Stratton, Stone and
 * Hwu, "MCUDA", 2008).
 *
 * Outside the loops stands what is one for the block: shared memory, variables made of arguments and the block's place,
 * loops and conditions that hold a barrier. Such a condition must be the same for all threads that are left; that is
 * checked where it is not evident. Inside a loop each thread has its place and its variables: made anew, or taken from
 * an array over the threads and put back. Invariant: what is written means what CUDA means, or the kernel is refused.
 */
#include "kernel/regions.h"

#include <stdio.h>

enum { MASKS = 32 };
typedef struct writer {
    cpi_structure *s;
    cpi_string *out;
    int label; /* of the region that is being written */
    struct { int name, value; } mask[MASKS]; /* who runs: lanes for which __cu_mNAME is `value`; the last one counts */
    int nmasks;
    int loops;       /* around */
    int strides;     /* loops with the stride of the grid that there are */
    bool joined;     /* the threads of several blocks are in the loops */
    bool keeps;      /* something for each thread, between the loops */
    int masked_loop; /* the mask of the innermost loop where that loop has one, -1: it goes round for all */
} writer;

static const cpi_token *word(const writer *w, int i) { return &w->s->program->tokens.at[i]; }

static void put_line(writer *w, int i) { cpi_string_put(w->out, "\n#line %d \"kernel.cu\"\n", word(w, i)->line); }

static void put_tokens(writer *w, int first, int last)
{
    cpi_cu_copy(w->s->program, w->s->function, first, last, w->out);
}

static bool token_is(const writer *w, int i, const char *text) { return cpi_token_is(word(w, i), text); }

/* type prefix name<tail>suffix, without const where the variable itself would be. */
static void put_declarator(writer *w, const cpi_local *v, const char *tail)
{
    bool pointer = v->prefix != v->name;
    if (v->statement < 0) {
        cpi_string_put(w->out, "__typeof__(%.*s) %.*s%s", (int)word(w, v->name)->length, word(w, v->name)->text,
                       (int)word(w, v->name)->length, word(w, v->name)->text, tail);
        return;
    }
    for (int i = v->type; i < v->type_end; i++) {
        bool dropped = !pointer && (token_is(w, i, "const") || token_is(w, i, "volatile"));
        if (!dropped && !token_is(w, i, "register")) put_tokens(w, i, i + 1), cpi_string_put(w->out, " ");
    }
    for (int i = v->prefix; i < v->name; i++)
        if (!token_is(w, i, "const") && !token_is(w, i, "__restrict__")) put_tokens(w, i, i + 1);
    cpi_string_put(w->out, "%.*s%s", (int)word(w, v->name)->length, word(w, v->name)->text, tail);
    put_tokens(w, v->suffix, v->suffix_end);
}

/* A declaration with its value, as the user has it. */
static void put_declaration(writer *w, const cpi_local *v, bool fixed)
{
    if (fixed && v->prefix == v->name) cpi_string_put(w->out, "const "); /* a pointer's const may stand there */
    put_declarator(w, v, "");
    if (v->value >= 0) {
        cpi_string_put(w->out, " = ");
        put_tokens(w, v->value, v->value_end);
    }
    cpi_string_put(w->out, "; ");
}

static void put_kept_name(writer *w, const cpi_local *v)
{
    cpi_string_put(w->out, "%.*s__kept%d", (int)word(w, v->name)->length, word(w, v->name)->text, v->name);
}

static bool is_array(const cpi_local *v) { return v->suffix_end > v->suffix; }

/* Whether the variable is seen at token i, and declared before it. */
static bool visible(const cpi_local *v, int i) { return v->statement < 0 || (v->name < i && i < v->block_end); }

/* Whether another variable of its name, declared further in, is what token i would see. */
static bool hidden(const writer *w, const cpi_local *v, int i)
{
    for (const cpi_local *l = v + 1; l < w->s->local + w->s->nlocals; l++)
        if (visible(l, i) && cpi_token_same(word(w, l->name), word(w, v->name))) return true;
    return false;
}

static bool used_between(const writer *w, const cpi_local *v, int first, int last)
{
    for (int i = first; i < last; i++)
        if (i != v->name && cpi_token_same(word(w, i), word(w, v->name))) return true;
    return false;
}

/* Opens the loop over the threads. */
static void open_loop_of(writer *w, const char *span)
{
    if (span) cpi_string_put(w->out, " __CU_THREADS_OF(%s) { __CU_THREAD ", span);
    else if (w->nmasks)
        cpi_string_put(w->out, " __CU_THREADS_OF(__cu_p%d) { __CU_THREAD ", w->mask[w->nmasks - 1].name);
    else cpi_string_put(w->out, " __CU_THREADS { __CU_THREAD ");
    if (w->s->returns) cpi_string_put(w->out, "if (__cu_alive[__cu_t]) ");
    if (w->nmasks)
        cpi_string_put(w->out, "if (__cu_m%d[__cu_t] == %d) ", w->mask[w->nmasks - 1].name,
                       w->mask[w->nmasks - 1].value);
    cpi_string_put(w->out, "{ ");
}

static void open_loop(writer *w) { open_loop_of(w, NULL); }

/* What the tokens need of variables that were declared before them. */
static void take_out(writer *w, int first, int last)
{
    for (int k = 0; k < w->s->nlocals; k++) {
        const cpi_local *v = &w->s->local[k];
        if (!visible(v, first) || hidden(w, v, first)) continue;
        if (v->class == CPI_V_PURE) put_declaration(w, v, true);
        if (v->class != CPI_V_KEPT || !used_between(w, v, first, last)) continue;
        if (is_array(v)) {
            cpi_string_put(w->out, "auto &%.*s = ", (int)word(w, v->name)->length, word(w, v->name)->text);
        } else {
            put_declarator(w, v, " = ");
        }
        put_kept_name(w, v);
        cpi_string_put(w->out, "[__cu_t]; ");
    }
}

static void put_back_one(writer *w, const cpi_local *v)
{
    if (is_array(v)) return;
    put_kept_name(w, v);
    cpi_string_put(w->out, "[__cu_t] = %.*s; ", (int)word(w, v->name)->length, word(w, v->name)->text);
}

static void put_back(writer *w, int first, int last)
{
    for (int k = 0; k < w->s->nlocals; k++) {
        const cpi_local *v = &w->s->local[k];
        if (visible(v, first) && !hidden(w, v, first) && v->class == CPI_V_KEPT && v->written &&
            used_between(w, v, first, last))
            put_back_one(w, v);
    }
}

static void close_loop(writer *w) { cpi_string_put(w->out, " } __cu_next%d:; } ", w->label++); }

/* The locals that a statement declares: first to last - 1 of s->local. */
static int locals_of(const writer *w, int statement, int *last)
{
    int first = 0;
    while (first < w->s->nlocals && w->s->local[first].statement != statement) first++;
    for (*last = first; *last < w->s->nlocals && w->s->local[*last].statement == statement; ++*last) {}
    return first;
}

static void put_storage(writer *w, const cpi_local *v)
{
    char tail[64];
    snprintf(tail, sizeof tail, "__kept%d[%s]", v->name, w->joined ? "__CU_JOINED_KEPT" : "1024");
    w->keeps = true;
    put_declarator(w, v, tail);
    cpi_string_put(w->out, "; ");
}

/* The values of an array that is kept. Its size must stand in its brackets, since where it is kept no values are. */
static void put_elements(writer *w, const cpi_local *v)
{
    if (word(w, v->suffix)->match == v->suffix + 1) w->s->failed = true;
    cpi_string_put(w->out, "{ ");
    put_declarator(w, v, "__values");
    cpi_string_put(w->out, " = ");
    put_tokens(w, v->value, v->value_end);
    cpi_string_put(w->out, "; __builtin_memcpy((void *)&%.*s, &%.*s__values, sizeof %.*s); } ",
                   (int)word(w, v->name)->length, word(w, v->name)->text, (int)word(w, v->name)->length,
                   word(w, v->name)->text, (int)word(w, v->name)->length, word(w, v->name)->text);
}

/* A statement inside a loop. Of a declaration each declarator goes its own way. */
static void put_statement(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int last, first = locals_of(w, k, &last);
    if (first == last) {
        if (st->once) cpi_string_put(w->out, "do { ");
        put_tokens(w, st->first, st->last);
        if (st->once) cpi_string_put(w->out, " } while (0); ");
        return;
    }
    for (int i = first; i < last; i++) {
        const cpi_local *v = &w->s->local[i];
        if (v->class == CPI_V_UNIFORM) continue; /* stands outside */
        if (v->class == CPI_V_LOCAL) {
            for (int q = v->type; q < v->type_end; q++) put_tokens(w, q, q + 1), cpi_string_put(w->out, " ");
            for (int q = v->prefix; q < v->suffix_end; q++) put_tokens(w, q, q + 1), cpi_string_put(w->out, " ");
            if (v->value >= 0) cpi_string_put(w->out, " = "), put_tokens(w, v->value, v->value_end);
            cpi_string_put(w->out, "; ");
        } else if (v->class == CPI_V_KEPT && is_array(v)) {
            cpi_string_put(w->out, "auto &%.*s = ", (int)word(w, v->name)->length, word(w, v->name)->text);
            put_kept_name(w, v);
            cpi_string_put(w->out, "[__cu_t]; ");
            if (v->value >= 0) put_elements(w, v);
        } else {
            put_declaration(w, v, v->class == CPI_V_PURE);
        }
    }
}

/* What lanes put down in the tokens goes to slots that are empty. */
static void put_slots(writer *w, int first, int last)
{
    for (int i = first; i < last; i++) {
        bool votes = token_is(w, i, "__cu_vote") || token_is(w, i, "__cu_put_here");
        if (!votes && !token_is(w, i, "__cu_put")) continue;
        char span[48] = "__cu_span{0, __cu_block.bd.x}";
        if (w->nmasks) snprintf(span, sizeof span, "__cu_p%d", w->mask[w->nmasks - 1].name);
        cpi_string_put(w->out, "__cu_x%.*s.begin(__cu_block, %s, %s, %s); ", (int)word(w, i + 2)->length,
                       word(w, i + 2)->text, span, w->s->returns || w->nmasks ? "true" : "false",
                       votes ? "true" : "false");
    }
}

/* The type and place of the token behind threadIdx.x, or behind a variable that is nothing else, at i; -1: no such. */
static int behind_x(const writer *w, int i, const cpi_local **variable)
{
    *variable = NULL;
    if (token_is(w, i, "threadIdx") && token_is(w, i + 1, ".") && token_is(w, i + 2, "x")) return i + 3;
    for (int k = 0; k < w->s->nlocals; k++) {
        const cpi_local *v = &w->s->local[k];
        if (v->class != CPI_V_PURE || v->value_end != v->value + 3 || v->prefix != v->name ||
            !cpi_token_same(word(w, v->name), word(w, i)) || !visible(v, i) || hidden(w, v, i))
            continue;
        if (!token_is(w, v->value, "threadIdx") || !token_is(w, v->value + 2, "x")) continue;
        *variable = v;
        return i + 1;
    }
    return -1;
}

/* For `if (threadIdx.x < u) ...` or `== u` alone in a region: the loop goes over those threads. Writes { and the span
 * __cu_some; returns where the branch begins, -1 (nothing written) where the statement is none. */
static int put_span(writer *w, int k)
{
    static const char *const others[] = {"&&", "||", "?", ",", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "="};
    const cpi_statement *st = &w->s->statement[k];
    const cpi_local *v = NULL;
    int first = st->first, test = first + 2, close = word(w, first + 1)->match, to;
    if (w->nmasks || !token_is(w, first, "if") || !token_is(w, first + 1, "(")) return -1;
    if (cpi_structure_behind(w->s, close + 1, st->last) != st->last) return -1; /* it has an else */
    int behind = behind_x(w, token_is(w, test, "!") ? test + 1 : test, &v);
    bool none = token_is(w, test, "!") && behind == close;
    if (behind < 0 || !(none || (behind < close && (token_is(w, behind, "<") || token_is(w, behind, "=="))))) return -1;
    if (token_is(w, test, "!") && !none) return -1;
    for (to = behind + 1; to < close && !none; to++) {
        if (word(w, to)->match > to) to = word(w, to)->match;
        for (size_t q = 0; q < sizeof others / sizeof *others; q++)
            if (token_is(w, to, others[q])) return -1;
    }
    if (!none && !cpi_structure_uniform(w->s, behind + 1, close)) return -1;
    cpi_string_put(w->out, "{ const __cu_span __cu_some = __cu_%s(__cu_block, ",
                   !none && token_is(w, behind, "<") ? "below" : "one");
    if (v) cpi_string_put(w->out, "("), put_tokens(w, v->type, v->type_end), cpi_string_put(w->out, ")0, ");
    else cpi_string_put(w->out, "0u, ");
    if (none) cpi_string_put(w->out, "0");
    else put_tokens(w, behind + 1, close);
    cpi_string_put(w->out, "); ");
    return close + 1;
}

/* Statements k, ... up to and without `end`, all of one region, as one loop. */
static void put_region(writer *w, int k, int end)
{
    int begin = k, first = w->s->statement[k].first, last = first;
    for (int i = k; i != end; i = w->s->statement[i].next) { /* outside the loop */
        int to, from = locals_of(w, i, &to);
        for (int v = from; v < to; v++) {
            if (w->s->local[v].class == CPI_V_UNIFORM)
                put_line(w, w->s->local[v].name), put_declaration(w, &w->s->local[v], false);
            if (w->s->local[v].class == CPI_V_KEPT) put_storage(w, &w->s->local[v]);
        }
        last = w->s->statement[i].last;
    }
    put_slots(w, first, last);
    put_line(w, first);
    int then = w->s->statement[begin].next == end ? put_span(w, begin) : -1;
    open_loop_of(w, then >= 0 ? "__cu_some" : NULL);
    take_out(w, first, last);
    cpi_string_put(w->out, "{ ");
    if (then >= 0) put_tokens(w, then, last);
    for (int i = begin; i != end && then < 0; i = w->s->statement[i].next) {
        put_line(w, w->s->statement[i].first);
        put_statement(w, i);
    }
    for (int v = 0; v < w->s->nlocals; v++) { /* what was declared here and is seen later */
        const cpi_local *l = &w->s->local[v];
        if (l->class == CPI_V_KEPT && l->statement >= 0 && l->name >= first && l->name < last) put_back_one(w, l);
    }
    cpi_string_put(w->out, " } ");
    put_back(w, first, last);
    close_loop(w);
    if (then >= 0) cpi_string_put(w->out, "} ");
}

static void put_list(writer *w, int k, int loop);

/* The condition at st->test, one for all threads: where that is not evident, it is asked of each and compared. The name
 * of the result is __cu_cN, N the statement. */
static void put_test(writer *w, int k, int first, int last)
{
    if (first == last || cpi_structure_uniform(w->s, first, last)) { /* true for ever, though all may have left */
        cpi_string_put(w->out, "const bool __cu_c%d = %s(", k,
                       w->s->returns ? "__cu_left(__cu_alive, __cu_block) && " : "");
        put_tokens(w, first, last);
        cpi_string_put(w->out, first == last ? "true); " : "); ");
        return;
    }
    cpi_string_put(w->out, "__cu_ballot __cu_b%d;", k);
    open_loop(w);
    take_out(w, first, last);
    cpi_string_put(w->out, "__cu_b%d.add(__cu_t, (", k);
    put_tokens(w, first, last);
    cpi_string_put(w->out, ") ? true : false); ");
    put_back(w, first, last);
    close_loop(w);
    cpi_string_put(w->out, "const bool __cu_c%d = __cu_b%d.all(__cu_block, %d); ", k, k, word(w, first)->line);
}

/* A statement by each thread, from its text: the step of a loop. */
static void put_step(writer *w, int first, int last)
{
    if (first == last) return;
    open_loop(w);
    take_out(w, first, last);
    put_tokens(w, first, last);
    cpi_string_put(w->out, "; ");
    put_back(w, first, last);
    close_loop(w);
}

static int behind_semicolon(const writer *w, int i, int end)
{
    for (; i < end && !token_is(w, i, ";"); i++)
        if (word(w, i)->match > i) i = word(w, i)->match;
    return i + 1;
}

static bool used_word(const writer *w, const char *text, int first, int last)
{
    for (int i = first; i < last; i++)
        if (token_is(w, i, text)) return true;
    return false;
}

/* --- lanes that go different ways ---
 *
 * Where lanes of a warp meet in a branch or a loop that not all threads take, each thread has a mark: whether it is in
 * there. A thread that jumps out of a loop loses its marks up to the loop's. */

static void push_mask(writer *w, int name, int value)
{
    if (w->nmasks == MASKS) w->s->failed = true;
    else w->mask[w->nmasks].name = name, w->mask[w->nmasks++].value = value;
}

static void put_marks(writer *w, int k)
{
    cpi_string_put(w->out, "unsigned char __cu_m%d[1024]; __cu_unmark(__cu_m%d, __cu_block); ", k, k);
}

static void put_any(writer *w, int k, int value)
{
    cpi_string_put(w->out, "__cu_any(__cu_m%d, %d, %s, __cu_block)", k, value,
                   w->s->returns ? "__cu_alive" : "nullptr");
}

/* { and where in a row the threads with that mark are. */
static void put_marked(writer *w, int k, int value)
{
    cpi_string_put(w->out, "{ const __cu_span __cu_p%d = __cu_marked(__cu_m%d, %d, %s, __cu_block); ", k, k, value,
                   w->s->returns ? "__cu_alive" : "nullptr");
}

/* Each thread's mark becomes what the condition says: `yes`, or else `no`. */
static void put_marking(writer *w, int k, int first, int last, const char *yes, const char *no)
{
    open_loop(w);
    take_out(w, first, last);
    cpi_string_put(w->out, "__cu_m%d[__cu_t] = (", k);
    put_tokens(w, first, last);
    cpi_string_put(w->out, first == last ? "true) ? %s : %s; " : ") ? %s : %s; ", yes, no);
    put_back(w, first, last);
    close_loop(w);
}

static void put_masked_if(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int part = st->child, other = w->s->statement[part].next;
    const cpi_statement *then = &w->s->statement[part];
    if (other >= 0 && used_word(w, "__cu_meet", then->first, then->last) &&
        used_word(w, "__cu_meet", w->s->statement[other].first, w->s->statement[other].last))
        w->s->failed = true; /* lanes may meet across the branches */
    w->s->statement[part].next = -1;
    cpi_string_put(w->out, "{ ");
    put_marks(w, k);
    put_marking(w, k, st->test, st->test_end, "1", "2");
    for (int value = 1; value <= (other >= 0 ? 2 : 1); value++) {
        put_marked(w, k, value);
        cpi_string_put(w->out, "if (__cu_p%d.from < __cu_p%d.to) { ", k, k);
        push_mask(w, k, value);
        put_list(w, value == 1 ? part : other, -1);
        w->nmasks--;
        cpi_string_put(w->out, "} } ");
    }
    cpi_string_put(w->out, "} ");
    w->s->statement[part].next = other;
}

/* The body of such a loop; in the marks those that are in this round are 1, those that skip the rest of it 2. */
static void put_masked_body(writer *w, int k)
{
    int around = w->masked_loop;
    w->masked_loop = w->nmasks - 1;
    put_list(w, w->s->statement[k].child, -1);
    w->masked_loop = around;
    cpi_string_put(w->out, "__cu_again(__cu_m%d, __cu_block); ", k);
}

/* What a for does first, of every thread; `first` to `last` are the variables that it declares. */
static void put_beginning(writer *w, const cpi_statement *st, int second, int first, int last)
{
    open_loop(w);
    take_out(w, st->test, second - 1);
    for (int v = first; v < last; v++) put_declaration(w, &w->s->local[v], false), put_back_one(w, &w->s->local[v]);
    if (first == last && second - 1 > st->test) put_tokens(w, st->test, second);
    put_back(w, st->test, second - 1);
    close_loop(w);
}

static void put_masked_loop(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int last, first = locals_of(w, k, &last), second = st->test, third = st->test_end;
    bool counts = st->form == CPI_F_FOR, uniform = first < last;
    if (counts) {
        second = behind_semicolon(w, st->test, st->test_end);
        third = behind_semicolon(w, second, st->test_end);
    }
    for (int v = first; v < last; v++) uniform = uniform && w->s->local[v].class == CPI_V_UNIFORM;
    cpi_string_put(w->out, "{ ");
    put_marks(w, k);
    for (int v = first; v < last && !uniform; v++) {
        if (w->s->local[v].class == CPI_V_UNIFORM) w->s->failed = true;
        put_storage(w, &w->s->local[v]);
    }
    if (counts && !uniform) {
        put_beginning(w, st, second, first, last);
    }
    put_marking(w, k, 0, 0, "1", "0");
    put_marked(w, k, 1);
    push_mask(w, k, 1);
    if (uniform) {
        cpi_string_put(w->out, "for (");
        put_tokens(w, st->test, st->test_end);
        cpi_string_put(w->out, ") { ");
    } else {
        cpi_string_put(w->out, "for (;;) { ");
        if (st->form != CPI_F_DO && second < (counts ? third - 1 : third))
            put_marking(w, k, second, counts ? third - 1 : third, "1", "0");
    }
    cpi_string_put(w->out, "if (!");
    put_any(w, k, 1);
    cpi_string_put(w->out, ") break; ");
    put_masked_body(w, k);
    if (counts && !uniform) put_step(w, third, st->test_end);
    if (st->form == CPI_F_DO) put_marking(w, k, st->test, st->test_end, "1", "0");
    cpi_string_put(w->out, "} } } ");
    w->nmasks--;
}

static void put_masked_jump(writer *w, bool leaves)
{
    open_loop(w);
    for (int i = w->nmasks - 1; i > w->masked_loop; i--)
        cpi_string_put(w->out, "__cu_m%d[__cu_t] = 0; ", w->mask[i].name);
    cpi_string_put(w->out, "__cu_m%d[__cu_t] = %d; ", w->mask[w->masked_loop].name, leaves ? 0 : 2);
    close_loop(w);
}

/* Lanes meet. Those that are elsewhere bring nothing; where they might come to another meeting, that is an error. */
static void put_meeting(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    if (!w->nmasks) return;
    int inner = w->mask[w->nmasks - 1].name, value = w->mask[w->nmasks - 1].value;
    int behind = w->s->statement[inner].last, end = w->s->function->end;
    bool again = w->loops || used_word(w, "__cu_meet", behind, end) || used_word(w, "__syncthreads", behind, end);
    if (!again) return;
    cpi_string_put(w->out, "__cu_meeting_check(__cu_m%d, %d, %s, __cu_q%.*s.mask, __cu_block, %d); ", inner, value,
                   w->s->returns ? "__cu_alive" : "nullptr", (int)word(w, st->first + 2)->length,
                   word(w, st->first + 2)->text, word(w, st->first)->line);
}

/* Whether the statement is carried out by marks: nothing in it waits for the whole block, and threads may differ. */
static bool is_masked(const writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    if (used_word(w, "__syncthreads", st->first, st->last)) return false;
    bool meets = used_word(w, "__cu_meet", st->first, st->last);
    if (st->form == CPI_F_IF) /* others are jumps out of a loop */
        return (meets || w->masked_loop >= 0) && !cpi_structure_uniform(w->s, st->test, st->test_end);
    if (used_word(w, "break", st->first, st->last) || used_word(w, "continue", st->first, st->last) ||
        used_word(w, "return", st->first, st->last))
        return true;
    int last, first = locals_of(w, k, &last);
    for (int v = first; v < last; v++)
        if (w->s->local[v].class != CPI_V_UNIFORM) return true;
    return first == last && !(st->form != CPI_F_FOR && cpi_structure_uniform(w->s, st->test, st->test_end));
}

static void put_for(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int second = behind_semicolon(w, st->test, st->test_end), third = behind_semicolon(w, second, st->test_end);
    int last, first = locals_of(w, k, &last);
    bool uniform = first < last;
    for (int v = first; v < last; v++) uniform = uniform && w->s->local[v].class == CPI_V_UNIFORM;
    if (uniform) {
        cpi_string_put(w->out, "for (");
        put_tokens(w, st->test, st->test_end);
        cpi_string_put(w->out, ") { %s", w->s->returns ? "if (!__cu_left(__cu_alive, __cu_block)) break; " : "");
        put_list(w, st->child, -1);
        cpi_string_put(w->out, "} ");
        return;
    }
    cpi_string_put(w->out, "{ ");
    for (int v = first; v < last; v++) {
        if (w->s->local[v].class == CPI_V_UNIFORM) {
            w->s->failed = true; /* some of the variables are uniform and some not */
            return;
        }
        put_storage(w, &w->s->local[v]);
    }
    put_beginning(w, st, second, first, last);
    cpi_string_put(w->out, "for (;;) { ");
    put_test(w, k, second, third - 1);
    cpi_string_put(w->out, "if (!__cu_c%d) break; ", k);
    put_list(w, st->child, k);
    cpi_string_put(w->out, "__cu_step%d:; ", k);
    put_step(w, third, st->test_end);
    cpi_string_put(w->out, "} } ");
}

static void put_while(writer *w, int k, bool first_runs)
{
    const cpi_statement *st = &w->s->statement[k];
    cpi_string_put(w->out, "for (;;) { ");
    if (!first_runs) {
        put_test(w, k, st->test, st->test_end);
        cpi_string_put(w->out, "if (!__cu_c%d) break; ", k);
    }
    cpi_string_put(w->out, "{ ");
    put_list(w, st->child, k);
    cpi_string_put(w->out, "} __cu_step%d:; ", k);
    if (first_runs) {
        put_test(w, k, st->test, st->test_end);
        cpi_string_put(w->out, "if (!__cu_c%d) break; ", k);
    }
    cpi_string_put(w->out, "} ");
}

/* A statement that is taken apart. `loop`: the innermost one around it whose steps we write, -1: none. */
static void put_split(writer *w, int k, int loop)
{
    const cpi_statement *st = &w->s->statement[k];
    int part = st->child, other = part >= 0 ? w->s->statement[part].next : -1;
    put_line(w, st->first);
    if (st->form >= CPI_F_IF && st->form <= CPI_F_DO && is_masked(w, k)) {
        if (st->form == CPI_F_IF) {
            put_masked_if(w, k);
            return;
        }
        w->loops++;
        put_masked_loop(w, k);
        w->loops--;
        return;
    }
    int around = w->masked_loop;
    if (st->form != CPI_F_BLOCK && part >= 0) w->s->statement[part].next = -1;
    if (st->form >= CPI_F_FOR && st->form <= CPI_F_DO) w->masked_loop = -1, w->loops++;
    switch ((cpi_form)st->form) {
    case CPI_F_BLOCK:
        cpi_string_put(w->out, "{ ");
        put_list(w, part, loop);
        cpi_string_put(w->out, "} ");
        break;
    case CPI_F_IF:
        if (!used_word(w, "__syncthreads", st->first, st->last) &&
            cpi_structure_by_thread(w->s, st->test, st->test_end))
            w->s->failed = true; /* some leave a loop, or a round, and others do not */
        cpi_string_put(w->out, "{ ");
        put_test(w, k, st->test, st->test_end);
        cpi_string_put(w->out, "if (__cu_c%d) { ", k);
        put_list(w, part, loop);
        cpi_string_put(w->out, "} else { ");
        put_list(w, other, loop);
        cpi_string_put(w->out, "} } ");
        break;
    case CPI_F_FOR: put_for(w, k); break;
    case CPI_F_WHILE: put_while(w, k, false); break;
    case CPI_F_DO: put_while(w, k, true); break;
    case CPI_F_JUMP:
        if (w->masked_loop >= 0) put_masked_jump(w, token_is(w, st->first, "break"));
        else if (w->nmasks) w->s->failed = true; /* out of a loop that all go round together */
        else if (token_is(w, st->first, "break") || loop < 0) put_tokens(w, st->first, st->last);
        else cpi_string_put(w->out, "goto __cu_step%d; ", loop);
        break;
    case CPI_F_MEET: put_meeting(w, k); break;
    case CPI_F_BARRIER:
    case CPI_F_TEXT:
    case CPI_F_STRIDE:
    case CPI_F_FIXED: break;
    }
    if (st->form >= CPI_F_FOR && st->form <= CPI_F_DO) w->masked_loop = around, w->loops--;
    if (st->form != CPI_F_BLOCK && part >= 0) w->s->statement[part].next = other;
}

/* What threads `x` of the block begin with. */
static void put_first(writer *w, const cpi_stride *r, const char *name, const char *x)
{
    cpi_string_put(w->out, "long long %s; { const unsigned __cu_x = %s, __cu_y = 0, __cu_z = 0; __CU_THREAD ", name, x);
    for (int k = 0; k < w->s->nlocals; k++) {
        const cpi_local *v = &w->s->local[k];
        if (v->class == CPI_V_PURE && visible(v, r->body) && !hidden(w, v, r->body)) put_declaration(w, v, true);
    }
    cpi_string_put(w->out, "%s = (long long)(", name);
    put_tokens(w, r->type, r->type_end);
    cpi_string_put(w->out, ")(");
    put_tokens(w, r->value, r->value_end);
    cpi_string_put(w->out, "); } ");
}

/* A loop with the stride of the grid: round by round, and in each round the threads of the block. Where they do not
 * stand in a row (the block has several) or numbers might wrap, thread by thread as in any region. */
static void put_stride(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    cpi_stride r;
    bool strides = !w->nmasks && cpi_stride_read(w->s, st->first, st->last, &r) && cpi_stride_holds(w->s, &r);
    put_line(w, st->first);
    if (strides) {
        cpi_string_put(w->out, "{ ");
        put_first(w, &r, "__cu_first", "0");
        put_first(w, &r, "__cu_last", "__cu_block.row - 1");
        cpi_string_put(w->out, "const auto __cu_g = __cu_strides<");
        put_tokens(w, r.type, r.type_end);
        cpi_string_put(w->out, ">(__cu_block, __cu_first, __cu_last, ");
        put_tokens(w, r.limit, r.limit_end);
        cpi_string_put(w->out, ", ");
        put_tokens(w, r.step, r.step_end);
        cpi_string_put(w->out, "); if (__cu_g.regular) for (long long __cu_i = __cu_first; __cu_i < __cu_g.limit; "
                     "__cu_i += __cu_g.step) { const unsigned __cu_n = __cu_g.threads(__cu_i), __cu_y = 0, __cu_z = 0; "
                     "for (unsigned long __cu_x = 0, __cu_t = 0; __cu_x < __cu_n; __cu_x++, __cu_t++) { __CU_THREAD ");
        if (w->s->returns) cpi_string_put(w->out, "if (__cu_alive[__cu_t]) ");
        cpi_string_put(w->out, "{ ");
        take_out(w, st->first, st->last);
        cpi_string_put(w->out, "{ ");
        put_tokens(w, r.type, r.type_end);
        cpi_string_put(w->out, " %.*s = __cu_g.at(__cu_i, __cu_x); do { ", (int)word(w, r.name)->length,
                       word(w, r.name)->text);
        put_tokens(w, r.body, r.body_end);
        cpi_string_put(w->out, " } while (0); } ");
        put_back(w, st->first, st->last);
        close_loop(w);
        cpi_string_put(w->out, "} else { ");
        w->strides++;
    }
    open_loop(w);
    take_out(w, st->first, st->last);
    put_tokens(w, st->first, st->last);
    cpi_string_put(w->out, " ");
    put_back(w, st->first, st->last);
    close_loop(w);
    if (strides) cpi_string_put(w->out, "} } ");
}

static void put_list(writer *w, int k, int loop)
{
    while (k >= 0) {
        const cpi_statement *st = &w->s->statement[k];
        if (st->form == CPI_F_FIXED) {
            put_line(w, st->first);
            put_tokens(w, st->first, st->last);
            k = st->next;
        } else if (st->form == CPI_F_TEXT) {
            int end = k;
            while (end >= 0 && w->s->statement[end].form == CPI_F_TEXT) end = w->s->statement[end].next;
            put_region(w, k, end);
            k = end;
        } else if (st->form == CPI_F_STRIDE) {
            put_stride(w, k);
            k = st->next;
        } else {
            put_split(w, k, loop);
            k = st->next;
        }
    }
}

bool cpi_cu_regions(cpi_cu_program *p, const cpi_cu_function *f, bool *joined, cpi_string *out)
{
    cpi_structure s;
    cpi_string text = {0};
    writer w = {.s = &s, .out = &text, .masked_loop = -1, .joined = joined && *joined};
    bool done = cpi_structure_read(p, f, &s);
    if (done) {
        p->leaves = &w.label;
        cpi_string_put(&text, "{ const __cu_ctx &__cu_block = __ctx; ");
        if (s.returns)
            cpi_string_put(&text, "unsigned char __cu_alive[%s]; __cu_fill(__cu_alive, __cu_block); ",
                           w.joined ? "__CU_JOINED_KEPT" : "1024");
        for (int k = 0; k < s.nlocals; k++) {
            if (s.local[k].statement >= 0 || s.local[k].class != CPI_V_KEPT) continue;
            put_storage(&w, &s.local[k]);
            cpi_string_put(&text, "__CU_THREADS { ");
            put_back_one(&w, &s.local[k]);
            cpi_string_put(&text, "} ");
        }
        put_list(&w, s.statement[0].child, -1);
        put_line(&w, f->end - 1);
        cpi_string_put(&text, "}");
        p->leaves = NULL;
        if (joined) *joined = w.keeps || s.returns;
        done = !s.failed && !text.failed && (f->barriers || w.strides);
        if (done) cpi_string_add(out, text.at, text.length);
    }
    cpi_string_free(&text);
    cpi_structure_free(&s);
    return done;
}
