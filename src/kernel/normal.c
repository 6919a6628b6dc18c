/* Kernels with warp operations in a form that regions.c takes apart: what waits becomes a statement of its own.
 *
 * `v += __shfl_down_sync(m, v, d);` becomes: each lane puts v into a slot; __cu_meet; v += what the other lane has put.
 * Functions that wait are written where they are called, with names of their own. A new text is made of the whole
 * program, in which the bodies of such kernels are replaced; it is read like the user's. Invariant: the value of every
 * expression is made once, in an order that C++ allows, and what is not understood leaves the kernel as it was. */
#include <string.h>

#include "core/memory.h"
#include "kernel/regions.h"

enum { NAMES = 256, SUBSTITUTES = 16, DEPTH = 8, PLACED = 64, ARGUMENTS = 16, LONGEST = 1 << 20 };

typedef struct declared { /* a variable or parameter of a function */
    int name, type, type_end;
    bool shared, plain; /* plain: no pointer, no array, no reference */
} declared;

/* A function whose statements are written: the kernel, or one that is written into it. */
typedef struct scope {
    const cpi_cu_function *function;
    struct scope *outer;
    int number, index;  /* of its names; of the function */
    int nnames, nsubstitutes, depth;
    declared names[NAMES];
    struct {
        const cpi_token *name;
        cpi_string text;
    } substitutes[SUBSTITUTES]; /* arguments of templates, references */
    bool declares_result; /* its one return stands at its end: there the result is declared */
    const char *type;     /* of the result; NULL: of the kernel; "": none */
} scope;

typedef struct normal {
    cpi_cu_program *p;
    cpi_structure structure; /* for what statements.c knows of tokens */
    cpi_string *out;
    cpi_string top;          /* shared variables of functions */
    int count, scopes;       /* points where lanes meet; scopes so far */
    int pending;             /* of them in the statement that is written, still to come */
    int placed[PLACED], nplaced;
    bool failed;
} normal;

typedef struct piece { int first, last; } piece; /* tokens */

static const cpi_token *at(const normal *n, int i) { return &n->p->tokens.at[i]; }
static bool is(const normal *n, int i, const char *word) { return cpi_token_is(at(n, i), word); }
static int match(const normal *n, int i) { return at(n, i)->match; }
static bool named(const normal *n, int i) { return at(n, i)->kind == CPI_W_NAME; }
static void refuse(normal *n) { n->failed = true; }
static bool member(const normal *n, int i)
{
    return i && (is(n, i - 1, ".") || is(n, i - 1, "->") || is(n, i - 1, "::"));
}

/* --- what waits --- */

/* The function with barriers that is called at i; NULL where none is, or not one alone. */
static const cpi_cu_function *function_at(normal *n, int i)
{
    const cpi_cu_function *found = NULL;
    if (!named(n, i) || member(n, i)) return NULL;
    for (int k = 0; k < n->p->nfunctions; k++) {
        const cpi_cu_function *g = &n->p->function[k];
        if (!g->barriers || g->global || g->name == i || !cpi_token_same(at(n, i), at(n, g->name))) continue;
        if (g->body < 0) continue; /* a declaration */
        if (found) refuse(n);      /* overloaded */
        found = g;
    }
    return found;
}

static bool waits_at(normal *n, int i) { return named(n, i) && (cpi_cu_waits(at(n, i)) || function_at(n, i)); }

static int count_waits(normal *n, int first, int last)
{
    int count = 0;
    for (int i = first; i < last; i++) count += waits_at(n, i);
    return count;
}

static bool has_word(const normal *n, const char *word, int first, int last)
{
    for (int i = first; i < last; i++)
        if (is(n, i, word)) return true;
    return false;
}

/* Whether the value at i is made in any case and after nothing that C++ puts before it, in the expression that begins
 * at `first`. */
static bool unconditional(const normal *n, int first, int i)
{
    bool call = false, decided = false; /* commas part arguments; a condition stands before, in this bracket */
    for (int k = first; k < i; k++) {
        if (match(n, k) > i) {
            if (decided) return false;
            call = is(n, k, "{") || (k > first && (named(n, k - 1) || is(n, k - 1, ">") || is(n, k - 1, ")")) &&
                                     !is(n, k - 1, "return"));
        } else if (match(n, k) > k) {
            k = match(n, k);
        } else if (is(n, k, ",")) {
            if (!call) return false;
            decided = false; /* of an argument that has ended */
        } else if (is(n, k, "?") || is(n, k, "&&") || is(n, k, "||")) {
            decided = true;
        }
    }
    return !decided;
}

/* --- names --- */

static const declared *find(const normal *n, const scope *s, const cpi_token *name)
{
    for (int k = s->nnames - 1; k >= 0; k--)
        if (cpi_token_same(at(n, s->names[k].name), name)) return &s->names[k];
    return NULL;
}

static void add_name(normal *n, scope *s, declared d)
{
    if (s->nnames == NAMES) refuse(n);
    else s->names[s->nnames++] = d;
}

static int next_semicolon(const normal *n, int i, int end)
{
    for (; i < end && !is(n, i, ";") && !is(n, i, ")"); i++)
        if (match(n, i) > i) i = match(n, i);
    return i;
}

static bool plain_name(const normal *n, int name)
{
    return !is(n, name - 1, "*") && !is(n, name - 1, "&") && !is(n, name + 1, "[");
}

/* The parameters of a function, as pieces; -1: too many. */
static int list_pieces(const normal *n, int open, int close, piece *pieces, int most)
{
    int count = 0, from = open + 1;
    if (close == open + 1 || (close == open + 2 && is(n, open + 1, "void"))) return 0;
    for (int i = open + 1; i <= close; i++) {
        if (i < close && match(n, i) > i) i = match(n, i);
        if (i < close && is(n, i, "<") && named(n, i - 1)) {
            int behind = cpi_tokens_behind_angles(&n->p->tokens, i, close);
            if (behind > 0) i = behind - 1;
        }
        if (i < close && !is(n, i, ",")) continue;
        if (count == most) return -1;
        pieces[count++] = (piece){from, i};
        from = i + 1;
    }
    return count;
}

/* The name that a parameter declares; -1: none. */
static int parameter_name(const normal *n, piece p)
{
    int name = -1;
    for (int i = p.first; i < p.last && !is(n, i, "=") && !is(n, i, "["); i++) {
        if (is(n, i, "<")) {
            int behind = cpi_tokens_behind_angles(&n->p->tokens, i, p.last);
            if (behind > 0) i = behind - 1;
        }
        if (match(n, i) > i || is(n, i, "...")) return -1;
        if (named(n, i)) name = i;
    }
    return name > p.first ? name : -1;
}

/* All names that the function declares, wherever in it: more than there are do no harm, fewer would. */
static void find_names(normal *n, scope *s)
{
    const cpi_cu_function *f = s->function;
    piece parameters[ARGUMENTS * 4];
    int count = list_pieces(n, f->open, match(n, f->open), parameters, ARGUMENTS * 4), names[64];
    if (count < 0) refuse(n);
    for (int k = 0; k < count; k++) {
        int name = parameter_name(n, parameters[k]);
        if (name < 0) {
            refuse(n);
            return;
        }
        add_name(n, s, (declared){name, parameters[k].first, name, false, plain_name(n, name)});
    }
    for (int i = f->body + 1; i < f->end; i++) {
        if (is(n, i, "[") && !named(n, i - 1) && !is(n, i - 1, "]") && !is(n, i - 1, ")")) refuse(n); /* a lambda */
        bool begins = is(n, i - 1, ";") || is(n, i - 1, "{") || is(n, i - 1, "}") || is(n, i - 1, "(") ||
                      is(n, i - 1, ")") || is(n, i - 1, ":") || at(n, i - 1)->kind == CPI_W_LINE;
        if (!begins || !named(n, i)) continue;
        int from = i;
        while (is(n, from, "static") || is(n, from, "extern") || is(n, from, "constexpr") ||
               is(n, from, "__shared__") || is(n, from, "volatile"))
            from++;
        int end = next_semicolon(n, i, f->end), type_end = cpi_structure_type_end(&n->structure, from, end + 1);
        if (type_end < 0) continue;
        bool shared = has_word(n, "__shared__", i, type_end);
        for (int k = cpi_cu_declared_names(&n->p->tokens, type_end, end, names, 64); k > 0; k--)
            add_name(n, s, (declared){names[k - 1], from, type_end, shared, plain_name(n, names[k - 1])});
    }
}

/* Token i as it is called in the kernel. */
static void put_word(normal *n, scope *s, int i, cpi_string *out)
{
    const cpi_token *w = at(n, i);
    if (w->kind == CPI_W_LINE) {
        refuse(n);
        return;
    }
    if (w->kind == CPI_W_NAME && !member(n, i)) {
        for (int k = 0; k < s->nsubstitutes; k++) {
            if (!cpi_token_same(w, s->substitutes[k].name)) continue;
            cpi_string_put(out, "%s ", s->substitutes[k].text.at ? s->substitutes[k].text.at : "");
            return;
        }
        const declared *d = s->number ? find(n, s, w) : NULL;
        if (d) {
            bool once = d->shared && !s->function->templated;
            cpi_string_put(out, "%.*s__%c%d ", (int)w->length, w->text, once ? 'f' : 'i', once ? s->index : s->number);
            return;
        }
        for (const scope *o = s->outer; o; o = o->outer)
            if (find(n, o, w)) refuse(n); /* a name of the program's that means something else there */
    }
    cpi_string_put(out, "%.*s ", (int)w->length, w->text);
}

static void put_words(normal *n, scope *s, int first, int last, cpi_string *out)
{
    for (int i = first; i < last; i++) put_word(n, s, i, out);
    if (out->length > LONGEST) refuse(n);
}

static void put_line(normal *n, int i) { cpi_string_put(n->out, "\n# %d \"kernel.cu\"\n", at(n, i)->line); }

static cpi_string expression(normal *n, scope *s, int first, int last);
static void put_list(normal *n, scope *s, int first, int last, bool tail);

/* --- lanes that meet --- */

typedef enum how { SHUFFLE, VOTE, MATCH, MATCH_ALL, REDUCE, SYNCWARP, SYNCTHREADS } how;

static const struct waiting {
    const char *name;
    how how;
    int least, most;
    const char *take, *type;
} waitings[] = {
    {"__shfl_sync", SHUFFLE, 3, 4, "idx", "int"},
    {"__shfl_up_sync", SHUFFLE, 3, 4, "up", "unsigned"},
    {"__shfl_down_sync", SHUFFLE, 3, 4, "down", "unsigned"},
    {"__shfl_xor_sync", SHUFFLE, 3, 4, "xor", "int"},
    {"__any_sync", VOTE, 2, 2, "any", "int"},
    {"__all_sync", VOTE, 2, 2, "all", "int"},
    {"__ballot_sync", VOTE, 2, 2, "ballot", "unsigned"},
    {"__match_any_sync", MATCH, 2, 2, "match", "unsigned"},
    {"__match_all_sync", MATCH_ALL, 3, 3, "match_all", "unsigned"},
    {"__reduce_add_sync", REDUCE, 2, 2, "add", ""},
    {"__reduce_min_sync", REDUCE, 2, 2, "min", ""},
    {"__reduce_max_sync", REDUCE, 2, 2, "max", ""},
    {"__reduce_and_sync", REDUCE, 2, 2, "and", ""},
    {"__reduce_or_sync", REDUCE, 2, 2, "or", ""},
    {"__reduce_xor_sync", REDUCE, 2, 2, "eor", ""},
    {"__syncwarp", SYNCWARP, 0, 1, "", ""},
    {"__syncthreads_count", SYNCTHREADS, 1, 1, "count", "int"},
    {"__syncthreads_and", SYNCTHREADS, 1, 1, "every", "int"},
    {"__syncthreads_or", SYNCTHREADS, 1, 1, "some", "int"},
};

static const char *text_of(const cpi_string *t) { return t->at ? t->at : ""; }

/* The meeting itself, behind what each lane brings. */
static void put_meeting(normal *n, const struct waiting *w, int slot, int i)
{
    put_line(n, i);
    if (w->how == SYNCTHREADS) cpi_string_put(n->out, "__syncthreads(); ");
    else cpi_string_put(n->out, "__cu_meet(%d); ", slot);
}

/* A value that lanes exchange: the statements go to `out`, what the lane then has to `result`. */
static void put_waiting(normal *n, const struct waiting *w, int i, const cpi_string *arg, int nargs, cpi_string *result)
{
    int id = n->count++, slot = id & 1;
    const char *value = w->how == SYNCTHREADS ? text_of(&arg[0]) : nargs > 1 ? text_of(&arg[1]) : "";
    cpi_string taken = {0};
    if (w->how != SYNCTHREADS)
        cpi_string_put(n->out, "const unsigned __cu_k%d = %s; ", id, nargs ? text_of(&arg[0]) : "0xffffffffu");
    switch (w->how) {
    case SHUFFLE:
        cpi_string_put(n->out, "const %s __cu_l%d = %s; const int __cu_w%d = %s; __cu_put(%d, __cu_k%d, (%s)); ",
                       w->type, id, text_of(&arg[2]), id, nargs > 3 ? text_of(&arg[3]) : "32", slot, id, value);
        cpi_string_put(&taken, "__cu_take_%s(%d, (%s), __cu_l%d, __cu_w%d)", w->take, slot, value, id, id);
        break;
    case VOTE:
        cpi_string_put(n->out, "__cu_vote(%d, __cu_k%d, (%s)); ", slot, id, value);
        cpi_string_put(&taken, "__cu_take_%s(%d, __cu_k%d)", w->take, slot, id);
        break;
    case SYNCTHREADS:
        cpi_string_put(n->out, "__cu_vote(%d, 0xffffffffu, (%s)); ", slot, value);
        cpi_string_put(&taken, "__cu_take_%s(%d)", w->take, slot);
        break;
    case SYNCWARP: cpi_string_put(n->out, "__cu_put_mask(%d, __cu_k%d); ", slot, id); break;
    case MATCH:
    case MATCH_ALL:
    case REDUCE:
        cpi_string_put(n->out, "__cu_put_here(%d, __cu_k%d, (%s)); ", slot, id, value);
        cpi_string_put(&taken, "__cu_take_%s(%d, __cu_k%d, (%s)%s%s)", w->take, slot, id, value, nargs > 2 ? ", " : "",
                       nargs > 2 ? text_of(&arg[2]) : "");
    }
    put_meeting(n, w, slot, i);
    bool typed = w->how != SHUFFLE && w->how != REDUCE;
    if (w->how == SYNCWARP) {
        cpi_string_put(result, "(void)0 ");
    } else if (!n->pending) {
        cpi_string_put(result, "%s ", text_of(&taken));
    } else if (typed) {
        cpi_string_put(n->out, "%s __cu_h%d = %s; ", w->type, id, text_of(&taken));
        cpi_string_put(result, "__cu_h%d ", id);
    } else { /* further meetings come before it is used */
        cpi_string_put(n->out, "unsigned long long __cu_h%d = __cu_pack(%s); ", id, text_of(&taken));
        cpi_string_put(result, "__cu_unpack<__cu_typeof((%s))>(__cu_h%d) ", value, id);
    }
    n->failed = n->failed || taken.failed;
    cpi_string_free(&taken);
}

/* The arguments between the parentheses at `open`, each as it is to be written. */
static int read_arguments(normal *n, scope *s, int open, cpi_string *arg, piece *pieces)
{
    int count = list_pieces(n, open, match(n, open), pieces, ARGUMENTS);
    if (count < 0) refuse(n);
    for (int k = 0; k < count && !n->failed; k++) arg[k] = expression(n, s, pieces[k].first, pieces[k].last);
    return count < 0 ? 0 : count;
}

/* --- functions written where they are called --- */

static void substitute(normal *n, scope *s, int name, const char *text)
{
    if (s->nsubstitutes == SUBSTITUTES) {
        refuse(n);
        return;
    }
    s->substitutes[s->nsubstitutes].name = at(n, name);
    cpi_string_put(&s->substitutes[s->nsubstitutes++].text, "%s", text);
}

static bool substituted(const normal *n, const scope *s, int name)
{
    for (int k = 0; k < s->nsubstitutes; k++)
        if (cpi_token_same(at(n, name), s->substitutes[k].name)) return true;
    return false;
}

/* The type of a parameter of a template, from an argument that is a variable of the caller's. */
static void deduce(normal *n, scope *s, int name, const piece *parameters, const piece *args, int nargs)
{
    for (int k = 0; k < nargs; k++) {
        int i = parameters[k].first, pname = parameter_name(n, parameters[k]);
        while (is(n, i, "const")) i++;
        if (!cpi_token_same(at(n, i), at(n, name))) continue;
        if (!(pname == i + 1 || (pname == i + 2 && is(n, i + 1, "&")))) continue;
        const declared *d = args[k].last == args[k].first + 1 && !member(n, args[k].first)
                                ? find(n, s->outer, at(n, args[k].first)) : NULL;
        int same = 0;
        for (int q = 0; d && q < s->outer->nnames; q++)
            same += cpi_token_same(at(n, s->outer->names[q].name), at(n, args[k].first));
        if (!d || !d->plain || d->shared || same != 1 || has_word(n, "auto", d->type, d->type_end)) break;
        cpi_string text = {0};
        for (int q = d->type; q < d->type_end; q++)
            if (!is(n, q, "const") && !is(n, q, "volatile")) put_word(n, s->outer, q, &text);
        substitute(n, s, name, text_of(&text));
        cpi_string_free(&text);
        return;
    }
    refuse(n);
}

/* template <typename T, int N = 32>, with what stands in the call's angles. */
static void read_template(normal *n, scope *s, int call, const piece *parameters, const piece *args, int nargs)
{
    const cpi_tokens *t = &n->p->tokens;
    int start = s->function->start, behind = cpi_tokens_behind_angles(t, start + 1, s->function->open);
    piece of[SUBSTITUTES], given[SUBSTITUTES];
    int ngiven = 0, count = behind < 0 ? -1 : list_pieces(n, start + 1, behind - 1, of, SUBSTITUTES);
    if (is(n, call + 1, "<")) {
        int end = cpi_tokens_behind_angles(t, call + 1, t->n);
        ngiven = end < 0 ? -1 : list_pieces(n, call + 1, end - 1, given, SUBSTITUTES);
    }
    if (count < 0 || ngiven < 0 || is(n, behind, "template")) {
        refuse(n);
        return;
    }
    for (int k = 0; k < count && !n->failed; k++) {
        int name = parameter_name(n, of[k]), value = name + 1;
        bool type = is(n, of[k].first, "typename") || is(n, of[k].first, "class");
        if (name < 0 || (type && name != of[k].first + 1)) {
            refuse(n);
        } else if (k < ngiven || is(n, value, "=")) {
            cpi_string text = {0};
            if (!type) cpi_string_put(&text, "(");
            if (k < ngiven) put_words(n, s->outer, given[k].first, given[k].last, &text);
            else put_words(n, s, value + 1, of[k].last, &text);
            if (!type) cpi_string_put(&text, ")");
            if (k >= ngiven && type) refuse(n); /* it might be deduced */
            substitute(n, s, name, text_of(&text));
            cpi_string_free(&text);
        } else if (type) {
            deduce(n, s, name, parameters, args, nargs);
        } else {
            refuse(n);
        }
    }
}

/* The parameters as variables, and references as what they refer to. */
static void put_parameters(normal *n, scope *s, const piece *parameters, int count, const cpi_string *arg,
                           const piece *args, int nargs)
{
    for (int k = 0; k < count && !n->failed; k++) {
        int name = parameter_name(n, parameters[k]), behind = name + 1;
        bool refers = false, fixed = has_word(n, "const", parameters[k].first, name), array = is(n, behind, "[");
        for (int i = parameters[k].first; i < name; i++) {
            refers = refers || is(n, i, "&");
            if (is(n, i, "volatile") || is(n, i, "auto") || is(n, i, "&&")) refuse(n);
        }
        if (array) behind = match(n, behind) + 1;
        if (array && is(n, behind, "[")) refuse(n);
        if (k >= nargs && !is(n, behind, "=")) refuse(n);
        if (refers && !fixed) {
            if (k >= nargs || args[k].last != args[k].first + 1 || !named(n, args[k].first)) refuse(n);
            else substitute(n, s, name, text_of(&arg[k]));
            continue;
        }
        for (int i = parameters[k].first; i < name; i++)
            if (!is(n, i, "&")) put_word(n, s, i, n->out);
        if (array) cpi_string_put(n->out, "*");
        put_word(n, s, name, n->out);
        cpi_string_put(n->out, "= ");
        if (k < nargs) cpi_string_put(n->out, "%s", text_of(&arg[k]));
        else put_words(n, s, behind + 1, parameters[k].last, n->out);
        cpi_string_put(n->out, "; ");
    }
}

/* The type that the function returns, in the caller's words. */
static void read_result(normal *n, scope *s, cpi_string *type)
{
    static const char *const passed[] = {"__device__", "__host__", "__forceinline__", "inline", "__inline__", "static",
                                         "constexpr", "__noinline__", "const", "extern"};
    const cpi_cu_function *f = s->function;
    int i = f->start;
    if (is(n, i, "template")) i = cpi_tokens_behind_angles(&n->p->tokens, i + 1, f->open);
    for (; i >= 0 && i < f->name; i++) {
        bool pass = at(n, i)->kind == CPI_W_TEXT;
        for (size_t k = 0; k < sizeof passed / sizeof *passed; k++) pass = pass || is(n, i, passed[k]);
        if (is(n, i, "__attribute__") || is(n, i, "__launch_bounds__")) {
            i = match(n, i + 1);
            continue;
        }
        if (is(n, i, "auto") || is(n, i, "&") || is(n, i, "::")) refuse(n);
        if (!pass) put_word(n, s, i, type);
    }
    if (!type->at) refuse(n);
    else if (strcmp(type->at, "void ") == 0) *type->at = 0;
}

static bool returns_at_its_end(normal *n, const cpi_cu_function *f)
{
    int count = 0, last = -1;
    for (int i = f->body + 1; i < f->end; i++) count += is(n, i, "return");
    for (int i = f->body + 1; i < f->end - 1 && i > 0 && !n->structure.failed;) {
        last = i;
        i = at(n, i)->kind == CPI_W_LINE ? i + 1 : cpi_structure_behind(&n->structure, i, f->end - 1);
    }
    if (n->structure.failed) refuse(n);
    return count == 1 && last > 0 && is(n, last, "return");
}

static void put_call(normal *n, scope *outer, const cpi_cu_function *f, int i, int open, cpi_string *result)
{
    scope *s = cpi_calloc(1, sizeof *s);
    cpi_string arg[ARGUMENTS] = {{0}}, type = {0};
    piece args[ARGUMENTS], parameters[ARGUMENTS];
    if (!s || outer->depth == DEPTH || f->lockstep) {
        refuse(n);
        cpi_free_host(s);
        return;
    }
    *s = (scope){.function = f, .outer = outer, .number = ++n->scopes, .index = (int)(f - n->p->function),
                 .depth = outer->depth + 1};
    for (const scope *o = outer; o; o = o->outer)
        if (o->function == f) refuse(n); /* calls itself */
    int nargs = read_arguments(n, outer, open, arg, args);
    int count = list_pieces(n, f->open, match(n, f->open), parameters, ARGUMENTS);
    if (count < 0 || nargs > count) refuse(n);
    if (!n->failed) find_names(n, s);
    if (!n->failed && f->templated) read_template(n, s, i, parameters, args, nargs);
    for (int k = 0; !n->failed && k < s->nnames; k++)
        if (substituted(n, s, s->names[k].name)) refuse(n);
    if (!n->failed) read_result(n, s, &type);
    int number = s->number, pending = n->pending;
    if (!n->failed) {
        cpi_string_put(n->out, "\n");
        put_parameters(n, s, parameters, count, arg, args, nargs);
        s->type = text_of(&type);
        s->declares_result = returns_at_its_end(n, f);
        if (*s->type && !s->declares_result) cpi_string_put(n->out, "%s __cu_r%d; ", s->type, number);
        put_list(n, s, f->body + 1, f->end - 1, true);
        if (*s->type) cpi_string_put(result, "__cu_r%d ", number);
        else cpi_string_put(result, "(void)0 ");
    }
    n->pending = pending;
    for (int k = 0; k < ARGUMENTS; k++) cpi_string_free(&arg[k]);
    for (int k = 0; k < s->nsubstitutes; k++) cpi_string_free(&s->substitutes[k].text);
    cpi_string_free(&type);
    cpi_free_host(s);
}

/* --- expressions --- */

/* What waits in the expression goes to n->out as statements; the value that is left is returned. */
static cpi_string expression(normal *n, scope *s, int first, int last)
{
    cpi_string r = {0};
    for (int i = first; i < last && !n->failed; i++) {
        const cpi_cu_function *f = function_at(n, i);
        if (!f && !waits_at(n, i)) {
            put_word(n, s, i, &r);
            continue;
        }
        const struct waiting *w = NULL;
        for (size_t k = 0; k < sizeof waitings / sizeof *waitings; k++)
            if (!f && is(n, i, waitings[k].name)) w = &waitings[k];
        int open = i + 1;
        if (f && is(n, open, "<")) open = cpi_tokens_behind_angles(&n->p->tokens, open, n->p->tokens.n);
        if ((!f && !w) || member(n, i) || open < 0 || !is(n, open, "(") || !unconditional(n, first, i)) {
            refuse(n);
            break;
        }
        if (f) {
            n->pending--;
            put_call(n, s, f, i, open, &r);
        } else {
            cpi_string arg[ARGUMENTS] = {{0}};
            piece pieces[ARGUMENTS];
            int nargs = read_arguments(n, s, open, arg, pieces);
            n->pending--;
            if (nargs < w->least || nargs > w->most) refuse(n);
            else put_waiting(n, w, i, arg, nargs, &r);
            for (int k = 0; k < ARGUMENTS; k++) cpi_string_free(&arg[k]);
        }
        i = match(n, open);
    }
    n->failed = n->failed || r.failed;
    return r;
}

/* An expression that is no part of another. */
static cpi_string whole_expression(normal *n, scope *s, int first, int last)
{
    n->pending = count_waits(n, first, last);
    return expression(n, s, first, last);
}

/* --- statements --- */

/* Whether there is something to be rewritten. */
static bool touched(normal *n, const scope *s, int first, int last)
{
    return count_waits(n, first, last) > 0 || (s->number && has_word(n, "return", first, last));
}

static void put_braced(normal *n, scope *s, int i, int behind, bool tail)
{
    cpi_string_put(n->out, "{ ");
    if (is(n, i, "{")) put_list(n, s, i + 1, behind - 1, tail);
    else put_list(n, s, i, behind, tail);
    cpi_string_put(n->out, "} ");
}

static int behind_of(normal *n, int i, int end)
{
    int behind = cpi_structure_behind(&n->structure, i, end);
    if (behind < 0 || n->structure.failed) refuse(n);
    return behind;
}

/* Whether the statement from i to `behind` ends in a return in any case. */
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
    bool constant = test == i + 2, returns = s->number && has_word(n, "return", i, behind);
    if ((constant && count_waits(n, test, close)) || has_word(n, ";", test, close)) refuse(n);
    int then_end = behind_of(n, close + 1, behind);
    bool other = then_end > 0 && then_end < behind && is(n, then_end, "else");
    if (n->failed) return true;
    bool rest = returns && behind < end;
    if (rest && (other || !leaves(n, close + 1, then_end))) refuse(n);
    if (returns && !tail) refuse(n);
    cpi_string c = whole_expression(n, s, test + 1, close);
    put_line(n, i);
    cpi_string_put(n->out, "if %s(%s) ", constant ? "constexpr " : "", text_of(&c));
    cpi_string_free(&c);
    put_braced(n, s, close + 1, then_end, returns);
    if (other) {
        cpi_string_put(n->out, "else ");
        put_braced(n, s, then_end + 1, behind, returns);
    } else if (rest) {
        cpi_string_put(n->out, "else { ");
        put_list(n, s, behind, end, true);
        cpi_string_put(n->out, "} ");
    }
    return rest;
}

/* A loop's condition that waits becomes a statement at the beginning of its body. */
static void put_condition(normal *n, scope *s, int first, int last)
{
    if (first == last) return;
    cpi_string c = whole_expression(n, s, first, last);
    cpi_string_put(n->out, "if (!(%s)) break; ", text_of(&c));
    cpi_string_free(&c);
}

static void put_loop(normal *n, scope *s, int i, int behind)
{
    if (s->number && has_word(n, "return", i, behind)) refuse(n);
    if (is(n, i, "do")) {
        int body_end = behind_of(n, i + 1, behind);
        if (n->failed || !is(n, body_end, "while")) return refuse(n);
        int open = body_end + 1;
        bool waits = count_waits(n, open, match(n, open)) > 0;
        if (waits && has_word(n, "continue", i, body_end)) refuse(n);
        cpi_string_put(n->out, "do { ");
        put_braced(n, s, i + 1, body_end, false);
        if (waits) put_condition(n, s, open + 1, match(n, open));
        cpi_string_put(n->out, "} while (");
        if (waits) cpi_string_put(n->out, "true");
        else put_words(n, s, open + 1, match(n, open), n->out);
        cpi_string_put(n->out, "); ");
        return;
    }
    int open = i + 1, close = match(n, open), second = open + 1, third = close;
    bool waits = count_waits(n, open, close) > 0, counts = is(n, i, "for");
    if (counts) {
        second = next_semicolon(n, open + 1, close);
        third = second < close ? next_semicolon(n, second + 1, close) : close;
        if (third >= close) return refuse(n); /* over a range */
        if (count_waits(n, open, second) || count_waits(n, third, close)) return refuse(n);
    }
    cpi_string_put(n->out, waits && !counts ? "for (;;) { " : counts ? "for (" : "while (");
    if (counts) put_words(n, s, open + 1, second + 1, n->out);
    if (!waits) put_words(n, s, counts ? second + 1 : second, third, n->out);
    if (counts) put_words(n, s, third, close, n->out);
    if (counts || !waits) cpi_string_put(n->out, ") { ");
    if (waits) put_condition(n, s, counts ? second + 1 : second, third);
    put_braced(n, s, close + 1, behind, false);
    cpi_string_put(n->out, "} ");
}

/* Shared memory of a function: one for all calls, as it is on a GPU, but for instances of templates. */
static void put_shared(normal *n, scope *s, int i, int behind)
{
    if (!s->function->templated) {
        for (int k = 0; k < n->nplaced; k++)
            if (n->placed[k] == i) return;
        if (n->nplaced == PLACED) return refuse(n);
        n->placed[n->nplaced++] = i;
    }
    put_words(n, s, i, behind, &n->top);
    cpi_string_put(&n->top, "\n");
}

static void put_return(normal *n, scope *s, int i, int behind, bool tail)
{
    if (!tail) return refuse(n);
    cpi_string e = whole_expression(n, s, i + 1, behind - 1);
    if (*s->type) {
        if (s->declares_result) cpi_string_put(n->out, "%s ", s->type);
        cpi_string_put(n->out, "__cu_r%d = %s; ", s->number, text_of(&e));
    } else {
        cpi_string_put(n->out, "%s; ", text_of(&e));
    }
    cpi_string_free(&e);
}

/* A declaration, each of whose variables is declared by itself, or an expression. */
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
        cpi_string e = whole_expression(n, s, from, k);
        put_line(n, i);
        if (type_end >= 0) put_words(n, s, i, type_end, n->out);
        cpi_string_put(n->out, "%s; ", text_of(&e));
        cpi_string_free(&e);
        from = k + 1;
    }
}

/* The statement at i of a list that ends at `end`; true: what follows it is written too. */
static bool put_statement(normal *n, scope *s, int i, int behind, int end, bool tail)
{
    if (is(n, i, "{")) {
        bool returns = s->number && has_word(n, "return", i, behind);
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
        cpi_string_put(n->out, "__syncthreads(); ");
    } else {
        put_declarators(n, s, i, behind - 1);
    }
    return false;
}

static void put_list(normal *n, scope *s, int first, int last, bool tail)
{
    for (int i = first; i < last && !n->failed;) {
        if (at(n, i)->kind == CPI_W_LINE) {
            cpi_string_put(n->out, "\n%.*s\n", (int)at(n, i)->length, at(n, i)->text);
            i++;
            continue;
        }
        int behind = behind_of(n, i, last);
        if (n->failed) return;
        put_line(n, i);
        bool declaration = is(n, i, "static") || is(n, i, "extern") || is(n, i, "__shared__") ||
                           is(n, i, "__align__") || is(n, i, "volatile") || is(n, i, "const") || is(n, i, "alignas");
        if (s->number && declaration && has_word(n, "__shared__", i, next_semicolon(n, i, behind))) {
            put_shared(n, s, i, behind);
        } else if (!touched(n, s, i, behind)) {
            if (s->number && is(n, i, "static")) refuse(n);
            if (s->number) {
                for (int k = i; k < behind; k++) {
                    if (at(n, k)->kind == CPI_W_LINE)
                        cpi_string_put(n->out, "\n%.*s\n", (int)at(n, k)->length, at(n, k)->text);
                    else put_word(n, s, k, n->out);
                }
            } else {
                const cpi_token *from = at(n, i), *to = at(n, behind - 1);
                cpi_string_add(n->out, from->text, (size_t)(to->text + to->length - from->text));
            }
            cpi_string_put(n->out, " ");
        } else if (put_statement(n, s, i, behind, last, tail)) {
            return;
        }
        i = behind;
    }
}

/* --- the program --- */

/* The body of kernel `f` in that form, braces included; false (nothing written) where it is not understood. */
static bool put_kernel(cpi_cu_program *p, const cpi_cu_function *f, cpi_string *out)
{
    cpi_string text = {0};
    normal n = {.p = p, .structure = {.program = p, .function = f}, .out = &text};
    scope *s = cpi_calloc(1, sizeof *s);
    if (!s) return false;
    s->function = f;
    find_names(&n, s);
    if (!n.failed) put_list(&n, s, f->body + 1, f->end - 1, false);
    cpi_free_host(s);
    bool done = !n.failed && !text.failed && !n.top.failed && n.count > 0;
    if (done) {
        cpi_string_put(out, "{ struct __cu_meeting __cu_x0, __cu_x1; struct __cu_masks __cu_q0, __cu_q1; %s\n",
                       text_of(&n.top));
        cpi_string_add(out, text.at, text.length);
        cpi_string_put(out, "\n# %d \"kernel.cu\"\n}", p->tokens.at[f->end - 1].line);
    }
    cpi_string_free(&text);
    cpi_string_free(&n.top);
    return done;
}

bool cpi_cu_normal(cpi_cu_program *p, const char *text, cpi_string *out, cpi_cu_program *q)
{
    const char *from = text;
    bool any = false, unbalanced;
    for (int k = 0; k < p->nfunctions; k++) {
        const cpi_cu_function *f = &p->function[k];
        if (!f->global || !f->barriers || f->lockstep || f->body < 0) continue;
        const char *open = p->tokens.at[f->body].text, *behind = p->tokens.at[f->end - 1].text + 1;
        size_t before = out->length;
        cpi_string_add(out, from, (size_t)(open - from));
        if (put_kernel(p, f, out)) {
            any = true;
            from = behind;
        } else if (out->at) {
            out->at[out->length = before] = 0;
        }
    }
    if (!any || out->failed) return false;
    cpi_string_put(out, "%s", from);
    if (out->failed) return false;
    if (!cpi_cu_read(out->at, q, &unbalanced)) {
        cp_error_clear();
        return false;
    }
    if (q->nfunctions == p->nfunctions) return true;
    cpi_cu_free(q);
    return false;
}
