/* Reading the body of a kernel with barriers: see regions.h. Invariant: where anything is not understood, the whole
 * kernel is refused, and its threads become fibers. */
#include <string.h>

#include "core/memory.h"
#include "kernel/normal_records.h"
#include "kernel/structure_words.h"

enum { DEEPEST = 64 }; /* of statements that are split: each is read once for those around it */

static int refuse(cpi_structure *s)
{
    s->failed = true;
    return -1;
}

static int new_statement(cpi_structure *s, cpi_form form, int first)
{
    if (s->nstatements == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 64;
        cpi_statement *more = cpi_realloc(s->statement, (size_t)capacity * sizeof *more);
        if (!more) return refuse(s);
        s->statement = more;
        s->capacity = capacity;
    }
    s->statement[s->nstatements] =
        (cpi_statement){.form = (uint8_t)form, .first = first, .last = first, .child = -1, .next = -1, .region = -1};
    return s->nstatements++;
}

/* Whether the tokens contain a barrier, or a meeting of lanes, as a statement of its own; anything else that waits is
 * refused. */
static bool has_barrier(cpi_structure *s, int first, int last)
{
    bool found = false;
    for (int i = first; i < last; i++) {
        const cpi_token *w = &s->program->tokens.at[i];
        if (w->kind != CPI_W_NAME) continue;
        if (is(s, i, "__cu_meet") && is(s, i + 4, ";"))
            found = true;
        else if (is(s, i, "__syncthreads") && is(s, i + 1, "(") && match(s, i + 1) == i + 2 && is(s, i + 3, ";") &&
            (is(s, i - 1, ";") || is(s, i - 1, "{") || is(s, i - 1, "}") || is(s, i - 1, ")") || is(s, i - 1, "else") ||
             is(s, i - 1, "do") || s->program->tokens.at[i - 1].kind == CPI_W_LINE))
            found = true;
        else if (cpi_cu_waits(w)) refuse(s);
        for (const cpi_cu_function *g = cpi_cu_named(s->program, w, 0); g;
             g = cpi_cu_named(s->program, w, (int)(g - s->program->function) + 1))
            if (g->barriers && !g->global) refuse(s);
    }
    return found;
}

static int behind_semicolon(cpi_structure *s, int i, int end)
{
    for (; i < end && !is(s, i, ";"); i++)
        if (match(s, i) > i) i = match(s, i);
    return i < end ? i + 1 : refuse(s);
}

/* Behind the statement at i, without splitting it. */
static int behind_statement(cpi_structure *s, int i, int end)
{
    if (i < 0 || i >= end) return refuse(s);
    if (is(s, i, "{")) return match(s, i) + 1;
    if (is(s, i, "if")) {
        int test = is(s, i + 1, "constexpr") ? i + 2 : i + 1;
        if (!is(s, test, "(")) return refuse(s);
        int behind = behind_statement(s, match(s, test) + 1, end);
        return behind > 0 && behind < end && is(s, behind, "else") ? behind_statement(s, behind + 1, end) : behind;
    }
    if (is(s, i, "for") || is(s, i, "while") || is(s, i, "switch"))
        return is(s, i + 1, "(") ? behind_statement(s, match(s, i + 1) + 1, end) : refuse(s);
    if (is(s, i, "do")) return behind_semicolon(s, behind_statement(s, i + 1, end), end);
    return behind_semicolon(s, i, end);
}

int cpi_structure_behind(cpi_structure *s, int i, int end) { return behind_statement(s, i, end); }

enum { BREAK = 1, CONTINUE = 2 };

/* Whether a jump of those kinds in the statement at i belongs to a loop around it. */
static bool jumps_out(cpi_structure *s, int i, int end, int kinds)
{
    while (i < end && (s->program->tokens.at[i].kind == CPI_W_LINE || is(s, i, "case") || is(s, i, "default"))) {
        while (i < end && s->program->tokens.at[i].kind != CPI_W_LINE && !is(s, i, ":")) i++;
        i++;
    }
    if (i >= end || s->failed) return false;
    if (is(s, i, "{")) {
        for (int k = i + 1; k < match(s, i) && k > 0;) {
            bool word = s->program->tokens.at[k].kind == CPI_W_LINE || is(s, k, "case") || is(s, k, "default");
            if (!word && jumps_out(s, k, match(s, i), kinds)) return true;
            while (word && s->program->tokens.at[k].kind != CPI_W_LINE && !is(s, k, ":")) k++;
            k = word ? k + 1 : behind_statement(s, k, match(s, i));
        }
        return false;
    }
    if (is(s, i, "if")) {
        int then = match(s, is(s, i + 1, "constexpr") ? i + 2 : i + 1) + 1;
        if (jumps_out(s, then, end, kinds)) return true;
        int other = behind_statement(s, then, end);
        return other > 0 && other < end && is(s, other, "else") && jumps_out(s, other + 1, end, kinds);
    }
    if (is(s, i, "switch")) return jumps_out(s, match(s, i + 1) + 1, end, kinds & ~BREAK);
    return is(s, i, "continue") ? (kinds & CONTINUE) != 0 : is(s, i, "break") && kinds & BREAK;
}

/* Where a statement is: in no loop that is split, in one, or as the body of one. */
typedef enum place { OUTSIDE, IN_LOOP, BODY } place;

static int read_statement(cpi_structure *s, int i, int end, place where, int *behind);

/* Whether a thread may continue with the loop's next iteration at statement i, which others do not, and the rest of the
 * body, to `last`, has no barrier: then that is one region. */
static bool may_skip(cpi_structure *s, int i, int last)
{
    int behind = is(s, i, "if") ? behind_statement(s, i, last) : -1;
    return behind > 0 && jumps_out(s, i, behind, CONTINUE) && !jumps_out(s, i, behind, BREAK) &&
           !has_barrier(s, i, last) && !s->failed;
}

/* The statements of a block; in `last` the one behind it. */
static void read_block(cpi_structure *s, int at, int first, int last, place where)
{
    int before = -1;
    for (int i = first; i < last && !s->failed;) {
        int behind = last, k;
        if (where == BODY && may_skip(s, i, last)) {
            k = new_statement(s, CPI_F_SOURCE, i);
            if (k >= 0) s->statement[k].last = last, s->statement[k].once = true;
        } else {
            k = read_statement(s, i, last, where == BODY ? IN_LOOP : where, &behind);
        }
        if (k < 0 || behind <= i) {
            if (behind > i && !s->failed) { /* an empty statement: a pragma */
                i = behind;
                continue;
            }
            refuse(s);
            return;
        }
        if (before < 0) s->statement[at].child = k;
        else s->statement[before].next = k;
        before = k;
        i = behind;
    }
}

static bool is_fixed(const cpi_structure *s, int i)
{
    static const char *const words[] = {"typedef", "using", "static_assert", "constexpr", "struct", "enum", "static",
                                        "extern", "__shared__"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (is(s, i, words[k])) return true;
    if (is(s, i, "volatile") || is(s, i, "__align__") || is(s, i, "const"))
        for (int k = i; !is(s, k, ";") && k < i + 12; k++)
            if (is(s, k, "__shared__")) return true;
    return false;
}

/* An if, for, while or do that is split; its parts are statements `child` and, for else, the next one. */
static int read_parts(cpi_structure *s, int i, int end, cpi_form form, place where, int *behind)
{
    int k = new_statement(s, form, i), part, then;
    if (k < 0) return -1;
    if (form == CPI_F_DO) {
        part = read_statement(s, i + 1, end, BODY, &then);
        if (part < 0 || s->failed || !is(s, then, "while")) return refuse(s);
        s->statement[k].test = then + 2;
        s->statement[k].test_end = match(s, then + 1);
        *behind = match(s, then + 1) + 2;
    } else {
        int test = is(s, i + 1, "constexpr") ? i + 2 : i + 1;
        if (!is(s, test, "(")) return refuse(s);
        s->statement[k].test = test + 1;
        s->statement[k].test_end = match(s, test);
        part = read_statement(s, match(s, test) + 1, end, form != CPI_F_IF ? BODY : where ? IN_LOOP : OUTSIDE, &then);
        if (part < 0) return refuse(s);
        *behind = then;
        if (form == CPI_F_IF && then < end && is(s, then, "else")) {
            int other = read_statement(s, then + 1, end, where ? IN_LOOP : OUTSIDE, behind);
            if (other < 0) return refuse(s);
            s->statement[part].next = other;
        }
    }
    s->statement[k].child = part;
    s->statement[k].last = *behind;
    s->statement[k].split = true;
    return k;
}

static int read_control(cpi_structure *s, int i, int end, cpi_form form, place where, int *behind)
{
    if (s->depth == DEEPEST) return refuse(s);
    s->depth++;
    int k = read_parts(s, i, end, form, where, behind);
    s->depth--;
    return k;
}

/* One statement at i; -1, and `behind`, for an empty one. */
static int read_statement(cpi_structure *s, int i, int end, place where, int *behind)
{
    *behind = i + 1;
    if (s->program->tokens.at[i].kind == CPI_W_LINE) {
        const cpi_token *w = &s->program->tokens.at[i];
        if (w->length < 7 || (memcmp(w->text, "#pragma", 7) != 0 && !strchr(" 0123456789", w->text[1]))) refuse(s);
        return -1;
    }
    if (is(s, i, "goto") || is(s, i, "case") || is(s, i, "default") || (named(s, i) && is(s, i + 1, ":")))
        return refuse(s);
    *behind = behind_statement(s, i, end);
    if (*behind < 0) return -1;
    bool barrier = has_barrier(s, i, *behind), jumps = where && jumps_out(s, i, *behind, BREAK | CONTINUE);
    if (s->failed) return -1;
    cpi_form form = CPI_F_SOURCE;
    if (is(s, i, "__syncthreads")) form = CPI_F_BARRIER;
    else if (is(s, i, "__cu_meet")) form = CPI_F_MEET;
    else if (is(s, i, "break") || is(s, i, "continue")) form = CPI_F_JUMP;
    else if (is_fixed(s, i)) form = CPI_F_FIXED;
    else if ((barrier || jumps) && is(s, i, "{")) form = CPI_F_BLOCK;
    else if (is(s, i, "{") && !barrier) form = CPI_F_SOURCE;
    else if ((barrier || jumps) && is(s, i, "if")) form = CPI_F_IF;
    else if (barrier && is(s, i, "for")) form = CPI_F_FOR;
    else if (barrier && is(s, i, "while")) form = CPI_F_WHILE;
    else if (barrier && is(s, i, "do")) form = CPI_F_DO;
    else if (barrier || jumps) return refuse(s);
    if (form >= CPI_F_IF && form <= CPI_F_DO) return read_control(s, i, end, form, where, behind);
    cpi_stride stride;
    if (form == CPI_F_SOURCE && (is(s, i, "for") || is(s, i, "while")) && cpi_stride_read(s, i, *behind, &stride))
        form = CPI_F_STRIDE;
    int k = new_statement(s, form, i);
    if (k < 0) return -1;
    s->statement[k].last = *behind;
    s->statement[k].split = form == CPI_F_BARRIER || form == CPI_F_MEET || form == CPI_F_JUMP || form == CPI_F_BLOCK;
    if (form == CPI_F_BLOCK && s->depth == DEEPEST) return refuse(s);
    s->depth++;
    if (form == CPI_F_BLOCK) read_block(s, k, i + 1, *behind - 1, where);
    s->depth--;
    return k;
}

/* --- regions --- */

static void set_region(cpi_structure *s, int first, int last, int region)
{
    for (int i = first; i < last; i++) s->region_of[i - s->function->body] = region;
}

/* Whether what the statement declares, if anything, may be kept for each thread: numbers. */
static bool is_plain(const cpi_structure *s, const cpi_statement *st)
{
    int end = cpi_structure_type_end(s, st->first, st->last);
    for (int i = st->first; i < end; i++)
        if (!cpi_structure_type_word(s, i) || is(s, i, "auto")) return false;
    for (int i = end; end >= 0 && i < st->last; i++) {
        if (is(s, i, "&") && named(s, i + 1) && (is(s, i + 2, "=") || i == end)) return false;
        if (is(s, i, "[") && named(s, i - 1) && (i == end + 1 || is(s, i - 2, ","))) return false; /* arrays stay */
    }
    return true;
}

/* Whether the declaration of shared memory k may stand in front of the region that begins at token `first`, which it is
 * in the middle of: no name that it declares means something else before it. */
static bool may_stand_before(const cpi_structure *s, const cpi_statement *st, int first)
{
    const cpi_tokens *t = &s->program->tokens;
    int names[64], shared = -1;
    for (int i = st->first; i < st->last; i++) {
        if (is(s, i, "__shared__")) shared = i;
        if (is(s, i, "struct") || is(s, i, "class") || is(s, i, "union")) return false;
    }
    const int n = shared >= 0 ? cpi_cu_declared_names(t, shared, st->last - 1, names, 64) : 0;
    for (int k = 0; k < n; k++)
        for (int i = first; i < st->first; i++)
            if (same(s, i, names[k])) return false;
    return n > 0 && n < 64;
}

static void number_regions(cpi_structure *s, int k)
{
    int now = s->regions++, begun = -1, before = now; /* begun: the first token of this region */
    bool plain = true; /* what has been declared in this region */
    for (; k >= 0; k = s->statement[k].next) {
        cpi_statement *st = &s->statement[k];
        cpi_few span;
        if (now != before) begun = -1, before = now;
        plain = plain && (st->form != CPI_F_SOURCE || is_plain(s, st));
        if (st->form == CPI_F_SOURCE && plain &&
            (cpi_few_read(s, st->first, st->last, &span) || cpi_tile_read(s, st->first, st->last))) {
            st->region = s->regions++; /* few threads run it, or warps */
            set_region(s, st->first, st->last, st->region);
            now = s->regions++, plain = true;
            continue;
        }
        if (st->form == CPI_F_SOURCE) {
            st->region = now;
            set_region(s, st->first, st->last, now);
            if (begun < 0) begun = st->first;
            continue;
        }
        if (st->form == CPI_F_FIXED) { /* in front of the loop, or between two of them */
            if (begun >= 0 && may_stand_before(s, st, begun)) st->region = now;
            else if (begun >= 0) now = s->regions++, plain = true;
            continue;
        }
        if (st->form == CPI_F_TOGETHER) {
            now = s->regions++, plain = true;
            continue;
        }
        if (st->form == CPI_F_STRIDE) {
            st->region = s->regions++;
            set_region(s, st->first, st->last, st->region);
            now = s->regions++, plain = true;
            continue;
        }
        if (st->form >= CPI_F_IF && st->form <= CPI_F_DO) {
            st->region = s->regions++;
            set_region(s, st->test, st->test_end, st->region);
            int part = st->child, other = s->statement[part].next;
            s->statement[part].next = -1; /* each part is a list of its own */
            number_regions(s, part);
            if (other >= 0) number_regions(s, other);
            s->statement[part].next = other;
        } else if (st->form == CPI_F_BLOCK) {
            number_regions(s, st->child);
        }
        now = s->regions++, plain = true;
    }
}

/* --- variables --- */

cpi_local *cpi_structure_new_local(cpi_structure *s)
{
    if (s->nlocals == s->local_capacity) {
        int capacity = s->local_capacity ? 2 * s->local_capacity : 32;
        cpi_local *more = cpi_realloc(s->local, (size_t)capacity * sizeof *more);
        if (!more) {
            refuse(s);
            return NULL;
        }
        s->local = more;
        s->local_capacity = capacity;
    }
    return &s->local[s->nlocals++];
}

bool cpi_structure_type_word(const cpi_structure *s, int i)
{
    static const char *const words[] = {"const",    "volatile", "unsigned", "signed", "short", "long",
                                        "int",      "char",     "float",    "double", "bool",  "register",
                                        "typename", "auto"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (is(s, i, words[k])) return true;
    return false;
}

/* Behind the type that a declaration begins with at i; -1 where it is none. */
static int behind_type(const cpi_structure *s, int i, int last)
{
    static const char *const never[] = {"return", "if",     "for",   "while",  "do",  "else", "switch",
                                        "new",    "delete", "throw", "sizeof", "asm", "goto"};
    bool named_type = false;
    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
        if (is(s, i, never[k])) return -1;
    for (; i < last; i++) {
        if (cpi_structure_type_word(s, i)) {
            named_type = named_type || !(is(s, i, "const") || is(s, i, "volatile") || is(s, i, "register") ||
                                         is(s, i, "typename"));
            continue;
        }
        if (named_type || !named(s, i)) break;
        while (is(s, i + 1, "::") && named(s, i + 2)) i += 2;
        if (is(s, i + 1, "<")) {
            int behind = cpi_tokens_behind_angles(&s->program->tokens, i + 1, last);
            if (behind < 0) return -1;
            i = behind - 1;
            while (is(s, i + 1, "::") && named(s, i + 2)) i += 2;
        }
        named_type = true;
    }
    if (!named_type || i >= last) return -1;
    int name = i;
    while (name < last && (is(s, name, "*") || is(s, name, "&") || is(s, name, "const") || is(s, name, "__restrict__")))
        name++;
    bool declares = name < last && named(s, name) &&
                    (is(s, name + 1, "=") || is(s, name + 1, ";") || is(s, name + 1, ",") || is(s, name + 1, "[") ||
                     is(s, name + 1, "(") || is(s, name + 1, "{"));
    return declares ? i : -1;
}

int cpi_structure_type_end(const cpi_structure *s, int i, int last) { return behind_type(s, i, last); }

/* The declarators of a declaration; `last` is behind its ; (or behind its last token). */
static void read_locals(cpi_structure *s, int statement, int first, int last, int block_end)
{
    int type_end = behind_type(s, first, last);
    if (type_end < 0) return;
    for (int i = type_end; i < last && !s->failed;) {
        cpi_local *v = cpi_structure_new_local(s);
        if (!v) return;
        *v = (cpi_local){.type = first,
                         .type_end = type_end,
                         .prefix = i,
                         .statement = statement,
                         .block_end = block_end,
                         .value = -1};
        while (i < last && !named(s, i)) v->refers = v->refers || is(s, i, "&"), i++;
        while (is(s, i, "const") || is(s, i, "__restrict__")) i++;
        v->name = i++;
        v->suffix = i;
        while (i < last && is(s, i, "[")) i = match(s, i) + 1;
        v->suffix_end = i;
        if (i < last && is(s, i, "(")) {
            v->value = i, v->built = true;
            i = v->value_end = match(s, i) + 1;
        }
        if (i < last && is(s, i, "{")) { /* x{1} is x = {1} */
            v->value = i;
            i = v->value_end = match(s, i) + 1;
        }
        if (i < last && is(s, i, "=")) {
            v->value = i + 1;
            while (i < last && !is(s, i, ",") && !is(s, i, ";")) {
                int behind =
                    is(s, i, "<") && named(s, i - 1) ? cpi_tokens_behind_angles(&s->program->tokens, i, last) : -1;
                i = behind > 0 && (is(s, behind, "(") || is(s, behind, "::")) ? behind
                    : match(s, i) > i                                         ? match(s, i) + 1
                                                                              : i + 1;
            }
            v->value_end = i;
        }
        for (int k = first; k < type_end; k++)
            if (is(s, k, "const") && v->prefix == v->name) v->constant = true;
        if (i >= last || is(s, i, ";")) return;
        i++;
    }
}

static void find_locals(cpi_structure *s, int k, int block_end)
{
    for (; k >= 0; k = s->statement[k].next) {
        cpi_statement st = s->statement[k];
        if (st.form == CPI_F_SOURCE) read_locals(s, k, st.first, st.last, block_end);
        if (st.form == CPI_F_BLOCK) find_locals(s, st.child, st.last);
        if (st.form == CPI_F_FOR) read_locals(s, k, st.test, behind_semicolon(s, st.test, st.test_end), st.last);
        if (st.form >= CPI_F_IF && st.form <= CPI_F_DO) {
            int other = s->statement[st.child].next;
            s->statement[st.child].next = -1;
            find_locals(s, st.child, s->statement[st.child].last);
            if (other >= 0) find_locals(s, other, s->statement[other].last);
            s->statement[st.child].next = other;
        }
    }
}

static void find_parameters(cpi_structure *s)
{
    int open = s->function->open, close = match(s, open), name = -1;
    for (int i = open + 1; i <= close; i++) {
        if (i == close || is(s, i, ",")) {
            cpi_local *v = name >= 0 ? cpi_structure_new_local(s) : NULL;
            if (v) *v = (cpi_local){.name = name, .statement = -1, .block_end = s->function->end, .value = -1,
                                    .class = CPI_V_UNIFORM};
            name = -1;
        } else if (named(s, i)) {
            name = i;
        } else if (is(s, i, "<")) {
            int behind = cpi_tokens_behind_angles(&s->program->tokens, i, close);
            if (behind > 0) i = behind - 1;
        } else if (match(s, i) > i) {
            i = match(s, i);
        }
    }
}


static void set_header(cpi_structure *s, int statement, cpi_class class)
{
    for (int k = 0; k < s->nlocals; k++)
        if (s->local[k].statement == statement) s->local[k].class = (uint8_t)class;
}

/* For a loop whose header is uniform: its variables, of which there may be several (`int a = .., b = ..`), begin with
 * values that are one for the block, and are changed by the header alone. */
static bool uniform_loop(cpi_structure *s, int statement)
{
    const cpi_statement *st = &s->statement[statement];
    int from = st->test;
    set_header(s, statement, CPI_V_LOCAL); /* not known to each other's first values */
    for (int k = 0; k < s->nlocals; k++) {
        const cpi_local *v = &s->local[k];
        if (v->statement != statement) continue;
        bool pointer = v->prefix != v->name || v->suffix_end > v->suffix;
        if (pointer || v->value < 0 || !cpi_structure_uniform(s, v->value, v->value_end)) return false;
        for (int i = st->test_end; i < st->last; i++)
            if (cpi_structure_uses(s, v, i) && cpi_structure_changes(s, v, i)) return false;
        from = v->value_end + 1;
    }
    set_header(s, statement, CPI_V_UNIFORM); /* the only unknowns of condition and steps */
    for (int i = from; i <= st->test_end; i++) {
        bool ends = i == st->test_end || is(s, i, ";") || is(s, i, ",") || cpi_structure_assigns(s, i);
        if (!ends && match(s, i) > i) i = match(s, i);
        if (!ends) continue;
        if (i > from && !cpi_structure_uniform(s, from, i)) return false;
        from = i + 1;
    }
    return true;
}

/* Variables of one header have one class: they are declared together. */
static void classify_header(cpi_structure *s, int statement)
{
    const bool uniform = uniform_loop(s, statement);
    set_header(s, statement, uniform ? CPI_V_UNIFORM : CPI_V_KEPT);
}

/* Whether an object may refer to variables of the thread's, which have other places in other loops. */
static bool may_refer(const cpi_structure *s, const cpi_local *v)
{
    const cpi_records *r = s->program->records;
    bool refers = !r && v->built;
    for (int k = 0; r && k < r->nmembers; k++)
        refers = refers || (r->member[k].kind == CPI_M_DATA && is(s, r->member[k].name - 1, "&"));
    if (!refers || v->value < 0 || v->prefix != v->name || cpi_structure_type_word(s, v->type_end - 1)) return false;
    for (int i = v->value; i < v->value_end; i++) {
        const cpi_local *u = named(s, i) ? cpi_structure_local_at(s, i) : NULL;
        bool bare = (is(s, i - 1, "(") || is(s, i - 1, "{") || is(s, i - 1, ",")) &&
                    (is(s, i + 1, ")") || is(s, i + 1, "}") || is(s, i + 1, ","));
        if (u && bare && u->class != CPI_V_UNIFORM) return true;
    }
    return false;
}

static void classify(cpi_structure *s)
{
    for (int k = 0; k < s->nlocals && !s->failed; k++) {
        cpi_local *v = &s->local[k];
        int own = v->statement >= 0 ? s->statement[v->statement].region : -1;
        bool crosses = false, pointed = v->suffix_end > v->suffix;
        for (int i = s->function->body + 1; i < s->function->end; i++) {
            if (i <= v->name || i >= v->block_end || !cpi_structure_uses(s, v, i)) continue;
            if (cpi_structure_local_at(s, i) != v || cpi_structure_is_version(s, i)) continue;
            crosses = crosses || s->region_of[i - s->function->body] != own;
            v->written = v->written || cpi_structure_changes(s, v, i);
        }
        if (v->together) {
            v->class = CPI_V_UNIFORM;
            continue;
        }
        if (v->statement < 0) {
            v->class = v->written ? CPI_V_KEPT : CPI_V_UNIFORM;
            continue;
        }
        if (s->statement[v->statement].form == CPI_F_FOR) {
            if (k == 0 || s->local[k - 1].statement != v->statement) classify_header(s, v->statement);
        } else if (!crosses) {
            v->class = CPI_V_LOCAL;
        } else {
            int pure = v->value >= 0 && !v->written && !pointed ? cpi_structure_purity_of(s, v) : 0;
            for (int i = v->value; pure == 1 && i < v->value_end; i++) { /* computed again it would be another value */
                const cpi_local *u = cpi_structure_local_at(s, i);
                if (u && (u->together || cpi_structure_has_later_version(s, i))) pure = 0;
            }
            if (pure == 2 && cpi_structure_has_twin(s, v)) pure = 0;
            v->class = pure == 2 ? CPI_V_UNIFORM : pure == 1 ? CPI_V_PURE : CPI_V_KEPT;
        }
        if (v->class != CPI_V_LOCAL && may_refer(s, v)) refuse(s);
        bool deduced = is(s, v->type, "auto") || is(s, v->type + 1, "auto");
        if (v->class == CPI_V_KEPT && (deduced || v->refers)) refuse(s);
    }
}

/* --- entry point --- */

bool cpi_structure_read(cpi_cu_program *p, const cpi_cu_function *f, cpi_structure *s)
{
    *s = (cpi_structure){.program = p, .function = f};
    size_t n = (size_t)(f->end - f->body + 1);
    s->region_of = cpi_malloc(n * sizeof *s->region_of);
    if (!s->region_of) return false;
    for (size_t i = 0; i < n; i++) s->region_of[i] = -1;
    int whole = new_statement(s, CPI_F_BLOCK, f->body);
    if (whole < 0) return false;
    s->statement[whole].last = f->end;
    s->statement[whole].split = true;
    read_block(s, whole, f->body + 1, f->end - 1, OUTSIDE);
    if (s->failed) return false;
    find_parameters(s);
    find_locals(s, s->statement[whole].child, f->end);
    if (s->failed || !cpi_structure_index_locals(s)) return false;
    cpi_structure_find_uniform(s);
    number_regions(s, s->statement[whole].child);
    if (!cpi_structure_find_versions(s)) return false;
    classify(s);
    if (!s->failed) cpi_structure_keep_addressed(s);
    for (int i = f->body; i < f->end; i++) {
        int lambda = cpi_lambda_body(&p->tokens, i); /* what returns there is the lambda */
        if (lambda >= 0) i = match(s, lambda);
        s->returns = s->returns || is(s, i, "return");
    }
    return !s->failed;
}

void cpi_structure_free(cpi_structure *s)
{
    cpi_free_host(s->statement);
    cpi_free_host(s->local);
    cpi_free_host(s->region_of);
    cpi_free_host(s->local_of);
    cpi_free_host(s->shared);
    *s = (cpi_structure){0};
}
