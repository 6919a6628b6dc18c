/* Branches and loops that not all threads of a block take, where lanes meet: statements for threads with a mark.
 * Invariant: a thread runs these statements only where its marks of all enclosing branches and loops are set. */
#include "kernel/writer.h"

/* --- divergent lanes ---
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
    cpi_string_printf(w->out, "unsigned char __cu_m%d[1024]; __cu_unmark(__cu_m%d, __cu_block); ", k, k);
}

static void put_any(writer *w, int k, int value)
{
    cpi_string_printf(w->out, "__cu_any(__cu_m%d, %d, %s, __cu_block)", k, value,
                   w->s->returns ? "__cu_alive" : "nullptr");
}

/* { and where in a row the threads with that mark are. */
static void put_marked(writer *w, int k, int value)
{
    cpi_string_printf(w->out, "{ const __cu_span __cu_p%d = __cu_marked(__cu_m%d, %d, %s, __cu_block); ", k, k, value,
                   w->s->returns ? "__cu_alive" : "nullptr");
}

/* Sets each thread's mark by the condition: `yes`, or else `no`. */
static void put_marking(writer *w, int k, int first, int last, const char *yes, const char *no)
{
    cpi_region_open_loop(w);
    cpi_region_take_out(w, first, last);
    cpi_string_printf(w->out, "__cu_m%d[__cu_t] = (", k);
    cpi_region_put_tokens(w, first, last);
    cpi_string_printf(w->out, first == last ? "true) ? %s : %s; " : ") ? %s : %s; ", yes, no);
    cpi_region_put_back(w, first, last);
    cpi_region_close_loop(w);
}

void cpi_region_put_masked_if(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int part = st->child, other = w->s->statement[part].next;
    const cpi_statement *then = &w->s->statement[part];
    if (other >= 0 && cpi_region_used_word(w, "__cu_meet", then->first, then->last) &&
        cpi_region_used_word(w, "__cu_meet", w->s->statement[other].first, w->s->statement[other].last))
        w->s->failed = true; /* lanes may meet across the branches */
    w->s->statement[part].next = -1;
    cpi_string_printf(w->out, "{ ");
    put_marks(w, k);
    put_marking(w, k, st->test, st->test_end, "1", "2");
    for (int value = 1; value <= (other >= 0 ? 2 : 1); value++) {
        put_marked(w, k, value);
        cpi_string_printf(w->out, "if (__cu_p%d.from < __cu_p%d.to) { ", k, k);
        push_mask(w, k, value);
        cpi_region_put_list(w, value == 1 ? part : other, -1);
        w->nmasks--;
        cpi_string_printf(w->out, "} } ");
    }
    cpi_string_printf(w->out, "} ");
    w->s->statement[part].next = other;
}

/* The body of such a loop. The marks of threads in this round are 1, those of threads that skip the rest of it 2. */
static void put_masked_body(writer *w, int k)
{
    int around = w->masked_loop;
    w->masked_loop = w->nmasks - 1;
    cpi_region_put_list(w, w->s->statement[k].child, -1);
    w->masked_loop = around;
    cpi_string_printf(w->out, "__cu_again(__cu_m%d, __cu_block); ", k);
}

/* The initialisation of a for, by every thread; `first` to `last` are the variables that it declares. */
void cpi_region_put_beginning(writer *w, const cpi_statement *st, int second, int first, int last)
{
    cpi_region_open_loop(w);
    cpi_region_take_out(w, st->test, second - 1);
    for (int v = first; v < last; v++) {
        cpi_region_put_declaration(w, &w->s->local[v], false);
        cpi_region_put_back_one(w, &w->s->local[v]);
    }
    if (first == last && second - 1 > st->test) cpi_region_put_tokens(w, st->test, second);
    cpi_region_put_back(w, st->test, second - 1);
    cpi_region_close_loop(w);
}

void cpi_region_put_masked_loop(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int last, first = cpi_region_locals_of(w, k, &last), second = st->test, third = st->test_end;
    bool counts = st->form == CPI_F_FOR, uniform = first < last;
    if (counts) {
        second = cpi_region_behind_semicolon(w, st->test, st->test_end);
        third = cpi_region_behind_semicolon(w, second, st->test_end);
    }
    for (int v = first; v < last; v++) uniform = uniform && w->s->local[v].class == CPI_V_UNIFORM;
    cpi_string_printf(w->out, "{ ");
    put_marks(w, k);
    for (int v = first; v < last && !uniform; v++) {
        if (w->s->local[v].class == CPI_V_UNIFORM) w->s->failed = true;
        cpi_region_put_storage(w, &w->s->local[v]);
    }
    if (counts && !uniform) {
        cpi_region_put_beginning(w, st, second, first, last);
    }
    put_marking(w, k, 0, 0, "1", "0");
    put_marked(w, k, 1);
    push_mask(w, k, 1);
    if (uniform) {
        cpi_string_printf(w->out, "for (");
        cpi_region_put_tokens(w, st->test, st->test_end);
        cpi_string_printf(w->out, ") { ");
    } else {
        cpi_string_printf(w->out, "for (;;) { ");
        if (st->form != CPI_F_DO && second < (counts ? third - 1 : third))
            put_marking(w, k, second, counts ? third - 1 : third, "1", "0");
    }
    cpi_string_printf(w->out, "if (!");
    put_any(w, k, 1);
    cpi_string_printf(w->out, ") break; ");
    put_masked_body(w, k);
    if (counts && !uniform) cpi_region_put_step(w, third, st->test_end);
    if (st->form == CPI_F_DO) put_marking(w, k, st->test, st->test_end, "1", "0");
    cpi_string_printf(w->out, "} } } ");
    w->nmasks--;
}

void cpi_region_put_masked_jump(writer *w, bool leaves)
{
    cpi_region_open_loop(w);
    for (int i = w->nmasks - 1; i > w->masked_loop; i--)
        cpi_string_printf(w->out, "__cu_m%d[__cu_t] = 0; ", w->mask[i].name);
    cpi_string_printf(w->out, "__cu_m%d[__cu_t] = %d; ", w->mask[w->masked_loop].name, leaves ? 0 : 2);
    cpi_region_close_loop(w);
}

/* Lanes meet. Those that are elsewhere bring nothing; where they might come to another meeting, that is an error. */
void cpi_region_put_meeting(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    if (!w->nmasks) return;
    int inner = w->mask[w->nmasks - 1].name, value = w->mask[w->nmasks - 1].value;
    int behind = w->s->statement[inner].last, end = w->s->function->end;
    bool again = w->loops || cpi_region_used_word(w, "__cu_meet", behind, end) ||
                 cpi_region_used_word(w, "__syncthreads", behind, end);
    if (!again) return;
    cpi_string_printf(w->out, "__cu_meeting_check(__cu_m%d, %d, %s, __cu_q%.*s.mask, __cu_block, %d); ", inner, value,
                   w->s->returns ? "__cu_alive" : "nullptr", (int)word(w, st->first + 2)->length,
                   word(w, st->first + 2)->text, word(w, st->first)->line);
}

/* Whether the statement runs with marks: nothing in it waits for the whole block, and threads may differ. */
bool cpi_region_is_masked(const writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    if (cpi_region_used_word(w, "__syncthreads", st->first, st->last)) return false;
    bool meets = cpi_region_used_word(w, "__cu_meet", st->first, st->last);
    if (st->form == CPI_F_IF) /* others are jumps out of a loop */
        return (meets || w->masked_loop >= 0) && !cpi_structure_uniform(w->s, st->test, st->test_end);
    if (cpi_region_used_word(w, "break", st->first, st->last) ||
        cpi_region_used_word(w, "continue", st->first, st->last) ||
        cpi_region_used_word(w, "return", st->first, st->last))
        return true;
    int last, first = cpi_region_locals_of(w, k, &last);
    for (int v = first; v < last; v++)
        if (w->s->local[v].class != CPI_V_UNIFORM) return true;
    return first == last && !(st->form != CPI_F_FOR && cpi_structure_uniform(w->s, st->test, st->test_end));
}
