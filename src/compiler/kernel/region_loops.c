/* Loops over the threads of a block: beginning them, a thread's variables inside and between them, and a run of
 * statements as one loop. Invariant: what is loaded from its array at a loop's beginning and changed is stored back. */
#include <stdio.h>

#include "kernel/writer.h"

void cpi_region_put_line(writer *w, int i)
{
    cpi_string_printf(w->out, "\n#line %d \"kernel.cu\"\n", word(w, i)->line);
}

void cpi_region_put_tokens(writer *w, int first, int last)
{
    cpi_cu_copy(w->s->program, w->s->function, first, last, w->out);
}

/* type prefix name<tail>suffix, without const where the variable itself would be. */
static void put_declarator(writer *w, const cpi_local *v, const char *tail)
{
    bool pointer = v->prefix != v->name;
    if (v->statement < 0) {
        cpi_string_printf(w->out, "__typeof__(%.*s) %.*s%s", (int)word(w, v->name)->length, word(w, v->name)->text,
                       (int)word(w, v->name)->length, word(w, v->name)->text, tail);
        return;
    }
    for (int i = v->type; i < v->type_end; i++) {
        bool dropped = !pointer && (token_is(w, i, "const") || token_is(w, i, "volatile"));
        if (!dropped && !token_is(w, i, "register")) cpi_region_put_tokens(w, i, i + 1), cpi_string_printf(w->out, " ");
    }
    for (int i = v->prefix; i < v->name; i++)
        if (!token_is(w, i, "const") && !token_is(w, i, "__restrict__")) cpi_region_put_tokens(w, i, i + 1);
    cpi_string_printf(w->out, "%.*s%s", (int)word(w, v->name)->length, word(w, v->name)->text, tail);
    cpi_region_put_tokens(w, v->suffix, v->suffix_end);
}

/* = and the value of a variable that has one; of an object `T x(a);`, = T(a). */
static void put_value(writer *w, const cpi_local *v)
{
    if (v->value < 0) return;
    cpi_cu_program *p = w->s->program;
    cpi_cu_sum sum;
    cpi_string_printf(w->out, " = ");
    if (v->prefix == v->name && v->statement >= 0 && v->suffix == v->suffix_end &&
        cpi_cu_read_int_sum(p, w->s->function, v->type, v->type_end, v->value, v->value_end, &sum)) {
        cpi_cu_put_sum(p, w->s->function, &sum, false, w->out);
        return;
    }
    bool object = v->built && v->prefix == v->name && !cpi_structure_type_word(w->s, v->type_end - 1);
    for (int i = v->type; object && i < v->type_end; i++)
        if (!token_is(w, i, "const")) cpi_region_put_tokens(w, i, i + 1), cpi_string_printf(w->out, " ");
    cpi_region_put_tokens(w, v->value, v->value_end);
}

/* A declaration with its value, as the user has it. */
void cpi_region_put_declaration(writer *w, const cpi_local *v, bool fixed)
{
    bool number = v->statement >= 0 && cpi_structure_type_word(w->s, v->type_end - 1); /* objects have methods */
    if (fixed && v->prefix == v->name && number) cpi_string_printf(w->out, "const "); /* a pointer's may stand there */
    put_declarator(w, v, "");
    put_value(w, v);
    cpi_string_printf(w->out, "; ");
}

static void put_kept_name(writer *w, const cpi_local *v)
{
    cpi_string_printf(w->out, "%.*s__kept%d", (int)word(w, v->name)->length, word(w, v->name)->text, v->name);
}

static void put_other_name(writer *w, const cpi_local *v)
{
    cpi_string_printf(w->out, "%.*s__other%d", (int)word(w, v->name)->length, word(w, v->name)->text, v->name);
}

static bool is_array(const cpi_local *v) { return v->suffix_end > v->suffix; }

/* Whether the variable is visible at token i, and declared before it. */
bool cpi_region_visible(const cpi_local *v, int i) { return v->statement < 0 || (v->name < i && i < v->block_end); }

/* Whether another variable of its name, declared in an inner scope, hides it at token i. */
bool cpi_region_hidden(const writer *w, const cpi_local *v, int i)
{
    for (const cpi_local *l = v + 1; l < w->s->local + w->s->nlocals; l++)
        if (cpi_region_visible(l, i) && cpi_token_same(word(w, l->name), word(w, v->name))) return true;
    return false;
}

static bool used_between(const writer *w, const cpi_local *v, int first, int last)
{
    for (int i = first; i < last; i++)
        if (i != v->name && cpi_token_same(word(w, i), word(w, v->name))) return true;
    return false;
}

/* Begins the loop over the threads. */
static void open_loop_of(writer *w, const char *span)
{
    const char *all = w->in_row ? "ROW" : "THREADS";
    if (span) cpi_string_printf(w->out, " __CU_%s_%s { __CU_THREAD ", all, span);
    else if (w->nmasks)
        cpi_string_printf(w->out, " __CU_%s_OF(__cu_p%d) { __CU_THREAD ", all, w->mask[w->nmasks - 1].name);
    else cpi_string_printf(w->out, " __CU_%s { __CU_THREAD ", all);
    if (w->s->returns) cpi_string_printf(w->out, "if (__cu_alive[__cu_t]) ");
    if (w->nmasks && !w->mask[w->nmasks - 1].sure)
        cpi_string_printf(w->out, "if (__cu_m%d[__cu_t] == %d) ", w->mask[w->nmasks - 1].name,
                       w->mask[w->nmasks - 1].value);
    cpi_string_printf(w->out, "{ ");
}

void cpi_region_open_loop(writer *w) { open_loop_of(w, NULL); }

/* Loads the variables that the tokens need and that were declared before them. */
void cpi_region_take_out(writer *w, int first, int last)
{
    for (int k = 0; k < w->s->nlocals; k++) {
        const cpi_local *v = &w->s->local[k];
        if (!cpi_region_visible(v, first) || cpi_region_hidden(w, v, first)) continue;
        if (v->class == CPI_V_PURE) cpi_region_put_declaration(w, v, true);
        if (v->class != CPI_V_KEPT || !used_between(w, v, first, last)) continue;
        if (is_array(v)) {
            cpi_string_printf(w->out, "auto &%.*s = ", (int)word(w, v->name)->length, word(w, v->name)->text);
        } else {
            put_declarator(w, v, " = ");
        }
        put_kept_name(w, v);
        cpi_string_printf(w->out, "[__cu_t]; ");
    }
}

/* Whether the variable may be large: an array or a structure. */
static bool may_be_large(const writer *w, const cpi_local *v)
{
    if (v->statement < 0) return false;
    if (is_array(v)) return true;
    if (v->prefix != v->name) return false;
    for (int i = v->type; i < v->type_end; i++)
        if (word(w, i)->kind == CPI_W_NAME && !cpi_structure_type_word(w->s, i)) return true;
    return false;
}

void cpi_region_put_back_one(writer *w, const cpi_local *v)
{
    if (is_array(v)) return;
    if (may_be_large(w, v)) { /* a record, whose members may be references */
        cpi_string_printf(w->out, "__cu_keep(");
        put_kept_name(w, v);
        cpi_string_printf(w->out, "[__cu_t], %.*s); ", (int)word(w, v->name)->length, word(w, v->name)->text);
        return;
    }
    if (v == w->turned) put_other_name(w, v);
    else put_kept_name(w, v);
    cpi_string_printf(w->out, "[__cu_t] = %.*s; ", (int)word(w, v->name)->length, word(w, v->name)->text);
}

void cpi_region_put_back(writer *w, int first, int last)
{
    for (int k = 0; k < w->s->nlocals; k++) {
        const cpi_local *v = &w->s->local[k];
        if (cpi_region_visible(v, first) && !cpi_region_hidden(w, v, first) && v->class == CPI_V_KEPT && v->written &&
            used_between(w, v, first, last))
            cpi_region_put_back_one(w, v);
    }
}

void cpi_region_close_loop(writer *w) { cpi_string_printf(w->out, " } __cu_next%d:; } ", w->label++); }

/* The locals that a statement declares: first to last - 1 of s->local. */
int cpi_region_locals_of(const writer *w, int statement, int *last)
{
    int first = 0;
    while (first < w->s->nlocals && w->s->local[first].statement != statement) first++;
    for (*last = first; *last < w->s->nlocals && w->s->local[*last].statement == statement; ++*last) {}
    return first;
}

void cpi_region_put_storage(writer *w, const cpi_local *v)
{
    char tail[64];
    const cpi_readers readers = cpi_region_readers_of(w, v);
    const char *number = w->joined ? "__CU_JOINED_KEPT" : readers == CPI_READERS_BELOW ? "1024 + 32" : "1024";
    const int n = (int)word(w, v->name)->length;
    const char *name = word(w, v->name)->text;
    w->keeps = true;
    if (may_be_large(w, v)) {
        snprintf(tail, sizeof tail, "__type%d", v->name);
        cpi_string_printf(w->out, "typedef ");
        put_declarator(w, v, tail);
        cpi_string_printf(w->out, "; __cu_kept<%.*s%s, %s> %.*s__store%d(__cu_block); auto &%.*s__kept%d = "
                          "%.*s__store%d.at; ", n, name, tail, number, n, name, v->name, n, name, v->name, n, name,
                          v->name);
        return;
    }
    if (readers == CPI_READERS_ANY) {
        snprintf(tail, sizeof tail, "__lanes%d[2][32 + 1024 + 32]", v->name);
        put_declarator(w, v, tail);
        cpi_string_printf(w->out, "; auto *%.*s__kept%d = %.*s__lanes%d[0] + 32, *%.*s__other%d = %.*s__lanes%d[1] + "
                          "32; ", n, name, v->name, n, name, v->name, n, name, v->name, n, name, v->name);
        return;
    }
    snprintf(tail, sizeof tail, "__kept%d[%s]", v->name, number);
    put_declarator(w, v, tail);
    cpi_string_printf(w->out, "; ");
}

/* The values of an array that is kept. Its size must be in its brackets, since where it is kept there are no values. */
static void put_elements(writer *w, const cpi_local *v)
{
    if (word(w, v->suffix)->match == v->suffix + 1) w->s->failed = true;
    cpi_string_printf(w->out, "{ ");
    put_declarator(w, v, "__values");
    cpi_string_printf(w->out, " = ");
    cpi_region_put_tokens(w, v->value, v->value_end);
    cpi_string_printf(w->out, "; __builtin_memcpy((void *)&%.*s, &%.*s__values, sizeof %.*s); } ",
                   (int)word(w, v->name)->length, word(w, v->name)->text, (int)word(w, v->name)->length,
                   word(w, v->name)->text, (int)word(w, v->name)->length, word(w, v->name)->text);
}

/* A statement inside a loop. Each declarator of a declaration is handled separately. */
static void put_statement(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    int last, first = cpi_region_locals_of(w, k, &last);
    if (cpi_region_unmoved(w, k)) return;
    if (first == last) {
        if (st->once) cpi_string_printf(w->out, "do { ");
        cpi_region_put_tokens(w, st->first, st->last);
        if (st->once) cpi_string_printf(w->out, " } while (0); ");
        return;
    }
    for (int i = first; i < last; i++) {
        const cpi_local *v = &w->s->local[i];
        if (v->class == CPI_V_UNIFORM) continue; /* is declared outside */
        if (v->class == CPI_V_LOCAL) {
            for (int q = v->type; q < v->type_end; q++)
                cpi_region_put_tokens(w, q, q + 1), cpi_string_printf(w->out, " ");
            for (int q = v->prefix; q < v->suffix_end; q++)
                cpi_region_put_tokens(w, q, q + 1), cpi_string_printf(w->out, " ");
            put_value(w, v);
            cpi_string_printf(w->out, "; ");
        } else if (v->class == CPI_V_KEPT && is_array(v)) {
            cpi_string_printf(w->out, "auto &%.*s = ", (int)word(w, v->name)->length, word(w, v->name)->text);
            put_kept_name(w, v);
            cpi_string_printf(w->out, "[__cu_t]; ");
            if (v->value >= 0) put_elements(w, v);
        } else {
            cpi_region_put_declaration(w, v, v->class == CPI_V_PURE);
        }
    }
}

/* The slots of values that lanes exchange in the tokens become those that are free. */
static bool put_slots(writer *w, int k)
{
    const cpi_statement *st = &w->s->statement[k];
    bool any = false;
    if (cpi_region_unmoved(w, k)) return false;
    for (int i = st->first; i < st->last; i++) {
        bool votes = token_is(w, i, "__cu_vote") || token_is(w, i, "__cu_put_here");
        if (!votes && !token_is(w, i, "__cu_put")) continue;
        any = any || votes;
        char span[48] = "__cu_span{0, __cu_block.bd.x}";
        if (w->nmasks) snprintf(span, sizeof span, "__cu_p%d", w->mask[w->nmasks - 1].name);
        cpi_string_printf(w->out, "__cu_x%.*s.begin(__cu_block, %s, %s, %s); ", (int)word(w, i + 2)->length,
                       word(w, i + 2)->text, span, w->s->returns || w->nmasks ? "true" : "false",
                       votes ? "true" : "false");
    }
    return any;
}

/* What statements k, ... up to and without `end` have outside of their loop; returns where they end. */
static int put_outside(writer *w, int k, int end)
{
    int last = w->s->statement[k].first;
    for (int i = k; i != end; i = w->s->statement[i].next) {
        int to, from = cpi_region_locals_of(w, i, &to);
        for (int v = from; v < to; v++) {
            if (w->s->local[v].class == CPI_V_UNIFORM)
                cpi_region_put_line(w, w->s->local[v].name),
                    cpi_region_put_declaration(w, &w->s->local[v], w->s->local[v].constant); /* it may be a size */
            if (w->s->local[v].class == CPI_V_KEPT) cpi_region_put_storage(w, &w->s->local[v]);
        }
        if (w->s->statement[i].form == CPI_F_FIXED) {
            cpi_region_put_line(w, w->s->statement[i].first);
            cpi_region_put_tokens(w, w->s->statement[i].first, w->s->statement[i].last);
        }
        last = w->s->statement[i].last;
    }
    return last;
}

/* Behind the region that begins with statement k. */
int cpi_region_behind(const writer *w, int k)
{
    const int region = w->s->statement[k].region;
    while (k >= 0 && w->s->statement[k].form <= CPI_F_FIXED && w->s->statement[k].region == region)
        k = w->s->statement[k].next;
    return k;
}

/* In front of the loop that takes what the statement at token `put` has left where it is: lanes above the block bring
 * 0. */
static void put_above(writer *w, int put)
{
    cpi_string_printf(w->out, "__cu_none_above(");
    put_kept_name(w, cpi_structure_local_at(w->s, put + 7));
    cpi_string_printf(w->out, ", __cu_block); ");
}
/* In it: the place. */
static void put_place(writer *w, int put)
{
    cpi_string_printf(w->out, "const auto __cu_x%.*s = __cu_in_place(", (int)word(w, put + 2)->length,
                      word(w, put + 2)->text);
    put_kept_name(w, cpi_structure_local_at(w->s, put + 7));
    cpi_string_printf(w->out, "); ");
}

/* Behind it, where it has written the other array. */
static void put_turn(writer *w)
{
    cpi_string_printf(w->out, "__cu_take_turns(");
    put_kept_name(w, w->turned);
    cpi_string_printf(w->out, ", ");
    put_other_name(w, w->turned);
    cpi_string_printf(w->out, "); ");
}

/* Statements k, ... up to and without `end`, all of one region, as one loop. `rows`: with the loop over the rows, that
 * goes on behind it. */
void cpi_region_put_region(writer *w, int k, int end, bool rows)
{
    const int begin = k, first = w->s->statement[k].first, last = put_outside(w, k, end);
    if (rows) cpi_string_printf(w->out, " __CU_ROWS { ");
    w->in_row = w->in_row || rows;
    bool come = false;
    for (int i = begin; i != end; i = w->s->statement[i].next) come = put_slots(w, i) || come;
    come = come && cpi_region_all_come(w);
    if (w->s->statement[begin].next == end && cpi_region_put_tiles(w, begin)) return;
    if (cpi_region_puts_unmoved(w, begin, end)) return;
    cpi_region_put_line(w, first);
    bool up = false;
    const int put = cpi_region_takes_unmoved(w, begin, &up);
    if (put >= 0) put_above(w, put);
    w->turned = put >= 0 && !up ? cpi_structure_local_at(w->s, put + 7) : NULL;
    cpi_few span;
    bool some = put < 0 && w->s->statement[begin].next == end && cpi_region_put_span(w, begin, &span);
    const bool made = !some && cpi_region_put_reduced(w, first, last);
    const bool steps = some && span.how == CPI_S_STEPS;
    const bool one = some && span.exact && (span.how == CPI_S_ONE || span.how == CPI_S_NONE);
    open_loop_of(w, up          ? "UPWARDS"
                    : put >= 0  ? "IN_TURNS"
                    : !some     ? NULL
                    : span.rank ? (steps ? "RANKED_BY(__cu_some, __cu_by)" : "RANKED(__cu_some)")
                    : one       ? "ONE(__cu_some)"
                                : (steps ? "BY(__cu_some, __cu_by)" : "OF(__cu_some)"));
    if (come && !some) cpi_string_printf(w->out, "constexpr bool __cu_all_come = true; ");
    if (made) cpi_region_put_made(w, first, last);
    if (put >= 0) put_place(w, put);
    cpi_region_take_out(w, first, last);
    cpi_string_printf(w->out, "{ ");
    if (some) cpi_region_put_tokens(w, cpi_region_put_rest(w, &span), last);
    for (int i = begin; i != end && !some; i = w->s->statement[i].next) {
        if (w->s->statement[i].form == CPI_F_FIXED) continue;
        cpi_region_put_line(w, w->s->statement[i].first);
        put_statement(w, i);
    }
    for (int v = 0; v < w->s->nlocals; v++) { /* what was declared here and is visible later */
        const cpi_local *l = &w->s->local[v];
        if (l->class == CPI_V_KEPT && l->statement >= 0 && l->name >= first && l->name < last)
            cpi_region_put_back_one(w, l);
    }
    cpi_string_printf(w->out, " } ");
    cpi_region_put_back(w, first, last);
    cpi_region_close_loop(w);
    if (w->turned && w->turned->written) put_turn(w);
    w->turned = NULL;
    if (some || made) cpi_string_printf(w->out, "} ");
}

int cpi_region_behind_semicolon(const writer *w, int i, int end)
{
    for (; i < end && !token_is(w, i, ";"); i++)
        if (word(w, i)->match > i) i = word(w, i)->match;
    return i + 1;
}

bool cpi_region_used_word(const writer *w, const char *text, int first, int last)
{
    for (int i = first; i < last; i++)
        if (token_is(w, i, text)) return true;
    return false;
}
