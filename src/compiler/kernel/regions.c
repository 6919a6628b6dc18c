/* Writing a kernel with barriers as loops over the threads of a block between them (loop fission; Stratton, Stone and
 * Hwu, "MCUDA", 2008).
 *
 * Outside the loops is what is one for the block: shared memory, variables computed from arguments and the block's
 * index, loops and conditions that contain a barrier. Such a condition must be the same for all threads that are left;
 * this is checked where it is not evident. Inside a loop each thread has its index and its variables: computed anew, or
 * loaded from an array over the threads and stored back. Invariant: what is written means what CUDA means, or the
 * kernel is refused. */
#include "kernel/writer.h"

/* The line of the first barrier among the tokens; 0: there is none. */
static int barrier_line(const writer *w, int first, int last)
{
    for (int i = first; i < last; i++)
        if (cpi_token_is(word(w, i), "__syncthreads")) return word(w, i)->line;
    return 0;
}

/* The barrier that a thread meets behind token `last`, of statement k: further down, or in the next round of a loop. */
static int line_behind(const writer *w, int k, int last)
{
    int line = barrier_line(w, last, w->s->function->end);
    return line ? line : barrier_line(w, w->s->function->body, w->s->statement[k].first);
}

/* To which barriers threads come that differ in the condition of statement k. */
static void put_lines(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k], *part = &w->s->statement[st->child];
    int leaves = st->last; /* behind the loop, where the branch leaves one */
    for (int q = 0; q < w->s->nstatements && cpi_region_used_word(w, "break", part->first, part->last); q++) {
        const cpi_statement *loop = &w->s->statement[q];
        bool around = loop->form >= CPI_F_FOR && loop->form <= CPI_F_DO && loop->first < st->first;
        if (around && loop->last >= st->last) leaves = loop->last;
    }
    int yes = barrier_line(w, part->first, part->last);
    int no = st->form == CPI_F_IF ? barrier_line(w, part->last, st->last) : 0; /* of its else */
    cpi_string_printf(w->out, "%d, %d", yes ? yes : line_behind(w, k, leaves), no ? no : line_behind(w, k, st->last));
}

/* The condition at st->test, one for all threads: where that is not evident, each thread evaluates it and the results
 * are compared. The result's name is __cu_cN, N the statement. */
static void put_test(writer *w, int k, int first, int last)
{
    if (first == last || cpi_structure_uniform(w->s, first, last)) { /* always true, though all may have left */
        cpi_string_printf(w->out, "const bool __cu_c%d = %s(", k,
                       w->s->returns ? "__cu_left(__cu_alive, __cu_block) && " : "");
        cpi_region_put_tokens(w, first, last);
        cpi_string_printf(w->out, first == last ? "true); " : "); ");
        return;
    }
    cpi_string_printf(w->out, "__cu_ballot __cu_b%d;", k);
    cpi_region_open_loop(w);
    cpi_region_take_out(w, first, last);
    cpi_string_printf(w->out, "__cu_b%d.add(__cu_t, (", k);
    cpi_region_put_tokens(w, first, last);
    cpi_string_printf(w->out, ") ? true : false); ");
    cpi_region_put_back(w, first, last);
    cpi_region_close_loop(w);
    cpi_string_printf(w->out, "const bool __cu_c%d = __cu_b%d.all(__cu_block, ", k, k);
    put_lines(w, k);
    cpi_string_printf(w->out, "); ");
}

/* A statement by each thread, from its source: the step of a loop. */
void cpi_region_put_step(writer *w, int first, int last)
{
    if (first == last) return;
    cpi_region_open_loop(w);
    cpi_region_take_out(w, first, last);
    cpi_region_put_tokens(w, first, last);
    cpi_string_printf(w->out, "; ");
    cpi_region_put_back(w, first, last);
    cpi_region_close_loop(w);
}

static void put_for(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int second = cpi_region_behind_semicolon(w, st->test, st->test_end);
    int third = cpi_region_behind_semicolon(w, second, st->test_end);
    int last, first = cpi_region_locals_of(w, k, &last);
    bool uniform = first < last;
    for (int v = first; v < last; v++) uniform = uniform && w->s->local[v].class == CPI_V_UNIFORM;
    if (uniform || (first == last && cpi_structure_header_is_uniform(w->s, k))) {
        cpi_string_printf(w->out, "for (");
        cpi_region_put_tokens(w, st->test, st->test_end);
        cpi_string_printf(w->out, ") { %s", w->s->returns ? "if (!__cu_left(__cu_alive, __cu_block)) break; " : "");
        cpi_region_put_list(w, st->child, -1);
        cpi_string_printf(w->out, "} ");
        return;
    }
    cpi_string_printf(w->out, "{ ");
    for (int v = first; v < last; v++) {
        if (w->s->local[v].class == CPI_V_UNIFORM) {
            w->s->failed = true; /* some of the variables are uniform and some not */
            return;
        }
        cpi_region_put_storage(w, &w->s->local[v]);
    }
    cpi_region_put_beginning(w, st, second, first, last);
    cpi_string_printf(w->out, "for (;;) { ");
    put_test(w, k, second, third - 1);
    cpi_string_printf(w->out, "if (!__cu_c%d) break; ", k);
    cpi_region_put_list(w, st->child, k);
    cpi_string_printf(w->out, "__cu_step%d_%d:; ", k, w->copy);
    cpi_region_put_step(w, third, st->test_end);
    cpi_string_printf(w->out, "} } ");
}

static void put_while(writer *w, int k, bool first_runs)
{
    const cpi_statement *st = &w->s->statement[k];
    cpi_string_printf(w->out, "for (;;) { ");
    if (!first_runs) {
        put_test(w, k, st->test, st->test_end);
        cpi_string_printf(w->out, "if (!__cu_c%d) break; ", k);
    }
    cpi_string_printf(w->out, "{ ");
    cpi_region_put_list(w, st->child, k);
    cpi_string_printf(w->out, "} __cu_step%d_%d:; ", k, w->copy);
    if (first_runs) {
        put_test(w, k, st->test, st->test_end);
        cpi_string_printf(w->out, "if (!__cu_c%d) break; ", k);
    }
    cpi_string_printf(w->out, "} ");
}

/* A branch or a loop that runs with marks, or a branch that may come to that; false: it is none, nothing is written. */
static bool put_masked(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    const bool masked = st->form >= CPI_F_IF && st->form <= CPI_F_DO && cpi_region_is_masked(w, k);
    if (st->form == CPI_F_IF) {
        if (masked) cpi_region_put_masked_if(w, k);
        else if (cpi_region_leaves_living(w, k)) cpi_region_put_living_if(w, k);
        else return false;
        return true;
    }
    if (!masked) return false;
    w->loops++;
    cpi_region_put_masked_loop(w, k);
    w->loops--;
    return true;
}

/* A statement that is split. `loop`: the innermost one around it whose steps we write, -1: none. */
static void put_split(writer *w, int k, int loop)
{
    const cpi_statement *st = &w->s->statement[k];
    int part = st->child, other = part >= 0 ? w->s->statement[part].next : -1;
    cpi_region_put_line(w, st->first);
    if (put_masked(w, k)) return;
    int around = w->masked_loop, together = w->together;
    const bool living = cpi_region_leaves_living(w, k);
    if (st->form != CPI_F_BLOCK && part >= 0) w->s->statement[part].next = -1;
    if (st->form >= CPI_F_FOR && st->form <= CPI_F_DO) w->masked_loop = -1, w->together = w->nmasks, w->loops++;
    switch (living ? CPI_F_FIXED : (cpi_form)st->form) {
    case CPI_F_BLOCK:
        cpi_string_printf(w->out, "{ ");
        cpi_region_put_list(w, part, loop);
        cpi_string_printf(w->out, "} ");
        break;
    case CPI_F_IF:
        if (!cpi_region_used_word(w, "__syncthreads", st->first, st->last) &&
            cpi_structure_by_thread(w->s, st->test, st->test_end))
            w->s->failed = true; /* some leave a loop, or a round, and others do not */
        cpi_string_printf(w->out, "{ ");
        put_test(w, k, st->test, st->test_end);
        cpi_string_printf(w->out, "if (__cu_c%d) { ", k);
        cpi_region_put_list(w, part, loop);
        cpi_string_printf(w->out, "} else { ");
        cpi_region_put_list(w, other, loop);
        cpi_string_printf(w->out, "} } ");
        break;
    case CPI_F_FOR: put_for(w, k); break;
    case CPI_F_WHILE: put_while(w, k, false); break;
    case CPI_F_DO: put_while(w, k, true); break;
    case CPI_F_JUMP:
        if (w->masked_loop >= 0) cpi_region_put_masked_jump(w, token_is(w, st->first, "break"));
        else if (w->nmasks != w->together) w->s->failed = true; /* out of a loop that all run together */
        else if (token_is(w, st->first, "break") || loop < 0) cpi_region_put_tokens(w, st->first, st->last);
        else cpi_string_printf(w->out, "goto __cu_step%d_%d; ", loop, w->copy);
        break;
    case CPI_F_MEET: cpi_region_put_meeting(w, k); break;
    case CPI_F_BARRIER:
    case CPI_F_SOURCE:
    case CPI_F_STRIDE:
    case CPI_F_TOGETHER:
    case CPI_F_FIXED: break;
    }
    if (living) cpi_region_put_living_loop(w, k);
    if (st->form >= CPI_F_FOR && st->form <= CPI_F_DO) w->masked_loop = around, w->together = together, w->loops--;
    if (st->form != CPI_F_BLOCK && part >= 0) w->s->statement[part].next = other;
}

/* The initial values of threads `x` of the block. */
static void put_first(writer *w, const cpi_stride *r, const char *name, const char *x)
{
    cpi_string_printf(w->out, "long long %s; { const int __cu_x = %s; const unsigned __cu_y = 0, __cu_z = 0; "
                      "__CU_THREAD ", name, x);
    for (int k = 0; k < w->s->nlocals; k++) {
        const cpi_local *v = &w->s->local[k];
        if (v->class == CPI_V_PURE && cpi_region_visible(v, r->body) && !cpi_region_hidden(w, v, r->body))
            cpi_region_put_declaration(w, v, true);
    }
    cpi_string_printf(w->out, "%s = (long long)(", name);
    cpi_region_put_tokens(w, r->type, r->type_end);
    cpi_string_printf(w->out, ")(");
    cpi_region_put_tokens(w, r->value, r->value_end);
    cpi_string_printf(w->out, "); } ");
}

/* A grid-stride loop: round by round, and in each round the threads of the block. Where they do not form a row (the
 * block has several) or numbers might wrap, thread by thread as in any region. */
static void put_stride(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    cpi_stride r;
    bool strides = !w->nmasks && cpi_stride_read(w->s, st->first, st->last, &r) && cpi_stride_holds(w->s, &r);
    cpi_region_put_line(w, st->first);
    if (strides) {
        cpi_string_printf(w->out, "{ ");
        put_first(w, &r, "__cu_first", "0");
        put_first(w, &r, "__cu_last", "__cu_last_of(__cu_block)");
        cpi_string_printf(w->out, "const auto __cu_g = __cu_strides<");
        cpi_region_put_tokens(w, r.type, r.type_end);
        cpi_string_printf(w->out, ">(__cu_block, __cu_first, __cu_last, ");
        cpi_region_put_tokens(w, r.limit, r.limit_end);
        cpi_string_printf(w->out, ", ");
        cpi_region_put_tokens(w, r.step, r.step_end);
        cpi_string_printf(w->out, "); if (__cu_g.regular) for (long long __cu_i = __cu_first; __cu_i < __cu_g.limit; "
                     "__cu_i += __cu_g.step) { const unsigned __cu_n = __cu_g.threads(__cu_i), __cu_y = 0, __cu_z = 0; "
                     "__CU_THREADS_BELOW(__cu_n) { __CU_THREAD ");
        if (w->s->returns) cpi_string_printf(w->out, "if (__cu_alive[__cu_t]) ");
        cpi_string_printf(w->out, "{ ");
        cpi_region_take_out(w, st->first, st->last);
        cpi_string_printf(w->out, "{ ");
        cpi_region_put_tokens(w, r.type, r.type_end);
        cpi_string_printf(w->out, " %.*s = __cu_g.at(__cu_i, __cu_x); do { ", (int)word(w, r.name)->length,
                       word(w, r.name)->text);
        cpi_region_put_tokens(w, r.body, r.body_end);
        cpi_string_printf(w->out, " } while (0); } ");
        cpi_region_put_back(w, st->first, st->last);
        cpi_region_close_loop(w);
        cpi_string_printf(w->out, "} else { ");
        w->strides++;
    }
    cpi_region_open_loop(w);
    cpi_region_take_out(w, st->first, st->last);
    cpi_region_put_tokens(w, st->first, st->last);
    cpi_string_printf(w->out, " ");
    cpi_region_put_back(w, st->first, st->last);
    cpi_region_close_loop(w);
    if (strides) cpi_string_printf(w->out, "} } ");
}

void cpi_region_put_list(writer *w, int k, int loop)
{
    while (k >= 0) {
        const cpi_statement *st = &w->s->statement[k];
        if (st->form == CPI_F_FIXED || st->form == CPI_F_TOGETHER) {
            cpi_region_put_line(w, st->first);
            cpi_region_put_tokens(w, st->first, st->last);
            k = st->next;
        } else if (st->form == CPI_F_SOURCE) {
            const int end = cpi_region_behind_rows(w, k);
            if (end == k) {
                cpi_region_put_region(w, k, cpi_region_behind(w, k), false);
                k = cpi_region_behind(w, k);
                continue;
            }
            for (bool rows = true; k != end; k = cpi_region_behind(w, k), rows = false)
                cpi_region_put_region(w, k, cpi_region_behind(w, k), rows);
            w->in_row = false;
            cpi_string_printf(w->out, "} ");
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
        p->sums = !w.joined;
        cpi_string_printf(&text, "{ const __cu_ctx &__cu_block = __ctx; %s",
                          f->shown ? "constexpr bool __cu_shows = true; " : "");
        if (s.returns)
            cpi_string_printf(&text, "unsigned char __cu_alive[%s]; __cu_fill(__cu_alive, __cu_block); ",
                           w.joined ? "__CU_JOINED_KEPT" : "1024");
        for (int k = 0; k < s.nlocals; k++) {
            if (s.local[k].statement >= 0 || s.local[k].class != CPI_V_KEPT) continue;
            cpi_region_put_storage(&w, &s.local[k]);
            cpi_string_printf(&text, "__CU_THREADS { __CU_THREAD ");
            cpi_region_put_back_one(&w, &s.local[k]);
            cpi_string_printf(&text, "} ");
        }
        cpi_region_put_list(&w, s.statement[0].child, -1);
        cpi_region_put_line(&w, f->end - 1);
        cpi_string_printf(&text, "}");
        p->leaves = NULL;
        p->sums = false;
        if (joined) *joined = w.keeps || s.returns;
        done = !s.failed && !text.failed && (f->barriers || w.strides);
        if (done) cpi_string_add(out, text.at, text.length);
    }
    cpi_string_free(&text);
    cpi_structure_free(&s);
    return done;
}
