/* Branches and loops that not all threads of a block take, where lanes meet: statements for threads with a mark.
 * Invariant: a thread runs these statements only where its marks of all enclosing branches and loops are set. */
#include "kernel/normal_records.h"
#include "kernel/writer.h"

/* --- divergent lanes ---
 *
 * Where lanes of a warp meet in a branch or a loop that not all threads take, each thread has a mark: whether it is in
 * there. A thread that jumps out of a loop loses its marks up to the loop's. */

static void push_mask(writer *w, int name, int value)
{
    bool loop = w->s->statement[name].form != CPI_F_IF; /* it counts among the loops already */
    if (w->nmasks == MASKS) {
        w->s->failed = true;
        return;
    }
    w->mask[w->nmasks].name = name, w->mask[w->nmasks].value = value, w->mask[w->nmasks].sure = false;
    w->mask[w->nmasks++].loops = w->loops - (loop ? 1 : 0);
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

static bool waits(const writer *w, const cpi_statement *st)
{
    return cpi_region_used_word(w, "__cu_meet", st->first, st->last) ||
           cpi_region_used_word(w, "__syncthreads", st->first, st->last);
}

/* The branches, each for the threads with its mark. */
static void put_branches(writer *w, int k)
{
    int part = w->s->statement[k].child, other = w->s->statement[part].next;
    if (other >= 0 && waits(w, &w->s->statement[part]) && waits(w, &w->s->statement[other]))
        w->s->failed = true; /* lanes may meet across the branches */
    w->s->statement[part].next = -1;
    for (int value = 1; value <= (other >= 0 ? 2 : 1); value++) {
        const bool sure = value == 1 && cpi_region_put_sure_span(w, k);
        if (!sure) put_marked(w, k, value);
        cpi_string_printf(w->out, "if (__cu_p%d.from < __cu_p%d.to) { ", k, k);
        push_mask(w, k, value);
        if (w->nmasks) w->mask[w->nmasks - 1].sure = sure;
        cpi_region_put_list(w, value == 1 ? part : other, -1);
        w->nmasks--;
        cpi_string_printf(w->out, "} } ");
    }
    w->s->statement[part].next = other;
}

void cpi_region_put_masked_if(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    cpi_string_printf(w->out, "{ ");
    put_marks(w, k);
    put_marking(w, k, st->test, st->test_end, "1", "2");
    put_branches(w, k);
    cpi_string_printf(w->out, "} ");
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
    uniform = uniform || (first == last && cpi_structure_header_is_uniform(w->s, k));
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

/* Whether `word` is in the tokens behind statement k. */
static bool behind(const writer *w, int k, const char *word)
{
    return cpi_region_used_word(w, word, w->s->statement[k].last, w->s->function->end);
}

/* Lanes meet. Those that are elsewhere bring nothing; where they might come to another meeting, that is an error. */
void cpi_region_put_meeting(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    if (!w->nmasks) return;
    int inner = w->mask[w->nmasks - 1].name, value = w->mask[w->nmasks - 1].value;
    const cpi_statement *in = &w->s->statement[inner];
    bool again = w->mask[w->nmasks - 1].loops || behind(w, inner, "__cu_meet") || behind(w, inner, "__syncthreads");
    if (in->form != CPI_F_IF) again = again || cpi_region_used_word(w, "continue", in->first, in->last);
    if (!again) return;
    cpi_string_printf(w->out, "__cu_meeting_check(__cu_m%d, %d, %s, __cu_q%.*s.mask, __cu_block, %d); ", inner, value,
                   w->s->returns ? "__cu_alive" : "nullptr", (int)word(w, st->first + 2)->length,
                   word(w, st->first + 2)->text, word(w, st->first)->line);
}

/* --- barriers that only some threads come to ---
 *
 * A barrier waits for the threads that have not ended. Threads that are not in its branch, or have left its loop, and
 * meet no barrier behind it, can only end: they do so when the others are done. As long as all threads do the same,
 * the statement runs without marks; where they part, a second copy of it takes over. */

/* Whether threads leave loop k, or a round of it, in the middle, by conditions of their own. */
static bool parts(const writer *w, int k)
{
    const cpi_statement *loop = &w->s->statement[k];
    for (int i = k + 1; i < w->s->nstatements; i++) {
        const cpi_statement *st = &w->s->statement[i];
        if (st->form != CPI_F_IF || st->first < loop->first || st->last > loop->last) continue;
        bool jumps = cpi_region_used_word(w, "break", st->first, st->last) ||
                     cpi_region_used_word(w, "continue", st->first, st->last);
        if (jumps && !cpi_structure_by_block(w->s, st->test, st->test_end)) return true;
    }
    return false;
}

/* Whether statement k is such a branch or loop. */
bool cpi_region_leaves_living(const writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    if (st->form < CPI_F_IF || st->form > CPI_F_DO || w->loops) return false;
    if (!cpi_region_used_word(w, "__syncthreads", st->first, st->last)) return false;
    if (behind(w, k, "__syncthreads") || behind(w, k, "__cu_meet")) return false;
    if (st->form == CPI_F_IF) {
        int other = w->s->statement[st->child].next;
        if (other >= 0 && waits(w, &w->s->statement[st->child]) && waits(w, &w->s->statement[other])) return false;
    }
    int test = st->test, end = st->test_end;
    if (st->form == CPI_F_FOR) {
        test = cpi_region_behind_semicolon(w, test, end);
        end = cpi_region_behind_semicolon(w, test, end) - 1;
        int last, first = cpi_region_locals_of(w, k, &last);
        if (first == last ? cpi_structure_header_is_uniform(w->s, k) : w->s->local[first].class == CPI_V_UNIFORM)
            return parts(w, k);
    }
    return parts(w, k) || (test < end && !cpi_structure_by_block(w->s, test, end));
}

/* The condition by each thread: into its mark, and into the ballot __cu_bN. */
static void put_asking(writer *w, int k, int first, int last, int no)
{
    cpi_string_printf(w->out, "__cu_ballot __cu_b%d; ", k);
    cpi_region_open_loop(w);
    cpi_region_take_out(w, first, last);
    cpi_string_printf(w->out, "__cu_m%d[__cu_t] = (", k);
    cpi_region_put_tokens(w, first, last);
    cpi_string_printf(w->out, "%s) ? 1 : %d; __cu_b%d.add(__cu_t, __cu_m%d[__cu_t] == 1); ",
                      first == last ? "true" : "", no, k, k);
    cpi_region_put_back(w, first, last);
    cpi_region_close_loop(w);
}

void cpi_region_put_living_if(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int part = st->child, other = w->s->statement[part].next, copy = w->copy;
    cpi_string_printf(w->out, "{ ");
    put_marks(w, k);
    put_asking(w, k, st->test, st->test_end, 2);
    cpi_string_printf(w->out, "if (__cu_b%d.yes && __cu_b%d.no) { ", k, k);
    w->copy = ++w->copies;
    put_branches(w, k);
    w->copy = copy;
    w->s->statement[part].next = -1;
    cpi_string_printf(w->out, "} else if (__cu_b%d.yes) { ", k);
    cpi_region_put_list(w, part, -1);
    cpi_string_printf(w->out, "} else { ");
    cpi_region_put_list(w, other, -1);
    cpi_string_printf(w->out, "} } ");
    w->s->statement[part].next = other;
}

/* A loop for all threads together, until they part (then __cu_apartN is true). Behind it the loop for those that are
 * still in it. */
void cpi_region_put_living_loop(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    if (parts(w, k)) { /* they leave it in the middle of a round */
        cpi_region_put_masked_loop(w, k);
        return;
    }
    int last, first = cpi_region_locals_of(w, k, &last), test = st->test, end = st->test_end, third = 0, copy = w->copy;
    if (st->form == CPI_F_FOR) {
        test = cpi_region_behind_semicolon(w, st->test, st->test_end);
        third = cpi_region_behind_semicolon(w, test, st->test_end);
        end = third - 1;
    }
    cpi_string_printf(w->out, "{ bool __cu_apart%d = false; ", k);
    put_marks(w, k);
    for (int v = first; v < last; v++) cpi_region_put_storage(w, &w->s->local[v]);
    if (third) cpi_region_put_beginning(w, st, test, first, last);
    cpi_string_printf(w->out, "for (;;) { ");
    for (int round = 0; round < 2; round++) {
        if (round == (st->form == CPI_F_DO)) {
            put_asking(w, k, test, end, 0);
            cpi_string_printf(w->out, "if (!__cu_b%d.yes) break; if (__cu_b%d.no) { __cu_apart%d = true; break; } ", k,
                              k, k);
        }
        if (round) break;
        cpi_string_printf(w->out, "{ ");
        cpi_region_put_list(w, st->child, k);
        cpi_string_printf(w->out, "} __cu_step%d_%d:; ", k, w->copy);
        if (third) cpi_region_put_step(w, third, st->test_end);
    }
    cpi_string_printf(w->out, "} if (__cu_apart%d) { ", k);
    w->copy = ++w->copies;
    put_marked(w, k, 1);
    push_mask(w, k, 1);
    cpi_string_printf(w->out, "for (;;) { ");
    put_masked_body(w, k);
    if (third) cpi_region_put_step(w, third, st->test_end);
    put_marking(w, k, test, end, "1", "0");
    cpi_string_printf(w->out, "if (!");
    put_any(w, k, 1);
    cpi_string_printf(w->out, ") break; } } } } ");
    w->nmasks--;
    w->copy = copy;
}

/* Whether a thread may leave the statement, or a round of it; lambdas have jumps of their own. */
static bool jumps(const writer *w, int first, int last)
{
    static const char *const words[] = {"break", "continue", "return", NULL};
    for (int i = first; i < last; i++) {
        int lambda = cpi_lambda_body(&w->s->program->tokens, i);
        if (lambda >= 0) i = word(w, lambda)->match;
        if (cpi_token_is_one_of(word(w, i), words)) return true;
    }
    return false;
}

/* Whether the statement runs with marks: nothing in it waits for the whole block, and threads may differ. */
bool cpi_region_is_masked(const writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    if (cpi_region_used_word(w, "__syncthreads", st->first, st->last))
        return w->nmasks && cpi_region_leaves_living(w, k);
    bool meets = cpi_region_used_word(w, "__cu_meet", st->first, st->last);
    if (st->form == CPI_F_IF) /* others are jumps out of a loop */
        return (meets || w->masked_loop >= 0) && !cpi_structure_uniform(w->s, st->test, st->test_end);
    if (jumps(w, st->first, st->last)) return true;
    int last, first = cpi_region_locals_of(w, k, &last);
    for (int v = first; v < last; v++)
        if (w->s->local[v].class != CPI_V_UNIFORM) return true;
    if (first == last && cpi_structure_header_is_uniform(w->s, k)) return false;
    return first == last && !(st->form != CPI_F_FOR && cpi_structure_uniform(w->s, st->test, st->test_end));
}
