/* Objects of which kernels use the members alone become variables, one for each member: `Sum b{s, t};` and `b.s[b.t]`
 * become `int b__t = t;` and `s[b__t]`. What such a variable depends on is known, where an object is one value of
 * unknown parts, and no constructor has to read the thread's context.
 *
 * Invariant: an object is taken apart only where its one constructor initialises every member by a value of parameters
 * and indices, and does nothing else; everything else stays as it is. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/normal.h"

enum { MEMBERS = 16, OBJECTS = 32 };

typedef struct object {
    int name, first, end;              /* its declaration: from its type to behind the ; */
    int member[MEMBERS], nmembers;     /* in the table of records */
    int value[MEMBERS], value_end[MEMBERS]; /* tokens of the constructor, or of an argument */
    part parameter[MEMBERS], argument[MEMBERS];
    int nparameters;
} object;

typedef struct splitter {
    const cpi_cu_program *p;
    const cpi_records *records;
    const cpi_cu_function *f;
    object object[OBJECTS];
    int nobjects;
} splitter;

static const cpi_token *word(const splitter *s, int i) { return &s->p->tokens.at[i]; }
static bool says(const splitter *s, int i, const char *text) { return cpi_token_is(word(s, i), text); }
static bool is_name(const splitter *s, int i) { return word(s, i)->kind == CPI_W_NAME; }
static int partner(const splitter *s, int i) { return word(s, i)->match; }

static const char *const plain[] = {"int", "unsigned", "long", "short", "char", "signed", "bool", "float", "double",
                                    "const", "size_t", "__restrict__", NULL};
static const char *const indices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};

static bool is_plain_type(const splitter *s, int first, int last)
{
    for (int i = first; i < last; i++)
        if (!cpi_token_is_one_of(word(s, i), plain)) return false;
    return first < last;
}

/* The parts between commas of the parentheses or braces at `open`; their number, -1: too many. */
static int parts_of(const splitter *s, int open, part *found)
{
    int n = 0, from = open + 1, close = partner(s, open);
    for (int i = open + 1; i <= close; i++) {
        if (i < close && !says(s, i, ",")) {
            if (partner(s, i) > i) i = partner(s, i);
            continue;
        }
        if (i == open + 1 && i == close) return 0;
        if (n == MEMBERS || from == i) return -1;
        found[n++] = (part){from, i};
        from = i + 1;
    }
    return n;
}

/* How often the kernel declares the name: `T name`, `T *name`. */
static int declarations(const splitter *s, const cpi_token *name)
{
    static const char *const others[] = {"return", "else", "do", "case", "goto", "new", "delete", "throw", NULL};
    static const char *const ends[] = {"=", ";", ",", "[", "(", "{", ":", ")", NULL};
    int n = 0;
    for (int i = s->f->open; i < s->f->end; i++) {
        if (!cpi_token_same(word(s, i), name) || !cpi_token_is_one_of(word(s, i + 1), ends)) continue;
        int before = i - 1;
        while (says(s, before, "*") || says(s, before, "&")) before--;
        n += (is_name(s, before) && !cpi_token_is_one_of(word(s, before), others)) || says(s, before, ">");
    }
    return n;
}

/* Whether the name, an argument, means the same array wherever the kernel has it: one of shared memory. */
static bool is_shared(const splitter *s, int i)
{
    int names[64];
    for (int k = s->f->body; k < s->f->end && is_name(s, i); k++) {
        if (!says(s, k, "__shared__")) continue;
        int end = k;
        while (!says(s, end, ";")) end = partner(s, end) > end ? partner(s, end) + 1 : end + 1;
        for (int n = cpi_cu_declared_names(&s->p->tokens, k, end, names, 64); n > 0; n--)
            if (cpi_token_same(word(s, i), word(s, names[n - 1]))) return declarations(s, word(s, i)) == 1;
    }
    return false;
}

/* What stands for a member of a pointer's or a reference's type: the argument, a shared variable; -1: a variable. */
static int substitute_of(const splitter *s, const object *o, int m)
{
    const cpi_record_member *member = &s->records->member[o->member[m]];
    const int i = o->value[m];
    const bool leads = says(s, member->name - 1, "&") || says(s, member->name - 1, "*");
    if (!leads || o->value_end[m] != i + 1 || !is_name(s, i)) return -1;
    int argument = i;
    for (int k = 0; k < o->nparameters; k++)
        if (cpi_token_same(word(s, o->parameter[k].last - 1), word(s, i)))
            argument = o->argument[k].last == o->argument[k].first + 1 ? o->argument[k].first : -1;
    return argument >= 0 && is_shared(s, argument) ? argument : -1;
}

/* An argument that may be written where the parameter was: a name, a number, an index. */
static bool is_simple(const splitter *s, part a)
{
    if (a.last == a.first + 3) return cpi_token_is_one_of(word(s, a.first), indices) && says(s, a.first + 1, ".");
    return a.last == a.first + 1 && (is_name(s, a.first) || word(s, a.first)->kind == CPI_W_NUMBER);
}

/* Whether the value of a member is made of parameters, indices and numbers. */
static bool is_known(const splitter *s, const object *o, int first, int last)
{
    static const char *const marks[] = {"+", "-", "*", "/", "%", "(", ")", "<<", ">>", "&", "|", "^", NULL};
    for (int i = first; i < last; i++) {
        if (word(s, i)->kind == CPI_W_NUMBER || cpi_token_is_one_of(word(s, i), marks)) continue;
        if (cpi_token_is_one_of(word(s, i), indices) && says(s, i + 1, ".") && i + 2 < last) {
            i += 2;
            continue;
        }
        bool parameter = false;
        for (int k = 0; k < o->nparameters; k++)
            parameter = parameter || cpi_token_same(word(s, o->parameter[k].last - 1), word(s, i));
        if (!parameter) return false;
    }
    return first < last;
}

/* The only constructor's initialisers: all members have one, and its body is empty. */
static bool read_constructor(const splitter *s, object *o, const cpi_record_member *c)
{
    const cpi_cu_function *f = &c->function;
    bool done[MEMBERS] = {false};
    if (f->templated || f->body < 0 || partner(s, f->body) != f->body + 1) return false;
    if (parts_of(s, f->open, o->parameter) != o->nparameters) return false;
    for (int k = 0; k < o->nparameters; k++) { /* `T &x`, `int x`: nothing behind its name */
        const part a = o->parameter[k];
        const bool address = says(s, a.last - 2, "&") || says(s, a.last - 2, "*");
        for (int i = a.first; i < a.last; i++)
            if (says(s, i, "=") || says(s, i, "[") || says(s, i, "(") || says(s, i, "&&")) return false;
        if (!is_name(s, a.last - 1) || !(address || is_plain_type(s, a.first, a.last - 1))) return false;
    }
    int i = partner(s, f->open) + 1;
    if (!says(s, i, ":")) return o->nmembers == 0;
    for (i++; i < f->body; i++) {
        int m = 0, open = i + 1;
        while (m < o->nmembers && !cpi_token_same(word(s, s->records->member[o->member[m]].name), word(s, i))) m++;
        if (m == o->nmembers || done[m] || !(says(s, open, "(") || says(s, open, "{"))) return false;
        o->value[m] = open + 1, o->value_end[m] = partner(s, open);
        done[m] = true;
        i = partner(s, open) + 1;
        if (i < f->body && !says(s, i, ",")) return false;
    }
    for (int m = 0; m < o->nmembers; m++)
        if (!done[m] || !is_known(s, o, o->value[m], o->value_end[m])) return false;
    return true;
}

/* The data of the record and how the object's arguments, in the parentheses at `open`, become it. */
static bool read_members(const splitter *s, object *o, int record, int open)
{
    const cpi_record_member *constructor = NULL;
    o->nmembers = 0;
    for (int k = 0; k < s->records->nmembers; k++) {
        const cpi_record_member *m = &s->records->member[k];
        if (m->record != record) continue;
        if (m->kind == CPI_M_METHOD && (m->virtual || says(s, m->name - 1, "~"))) return false;
        if (m->kind == CPI_M_METHOD && cpi_token_same(word(s, m->name), word(s, s->records->record[record].name))) {
            if (constructor) return false;
            constructor = m;
        }
        if (m->kind != CPI_M_DATA) continue;
        if (o->nmembers == MEMBERS || !(says(s, m->name + 1, ";") || says(s, m->name + 1, ","))) return false;
        o->member[o->nmembers++] = k;
    }
    o->nparameters = parts_of(s, open, o->argument);
    for (int k = 0; k < o->nparameters; k++)
        if (!is_simple(s, o->argument[k])) return false;
    if (o->nparameters < 0) return false;
    if (constructor) {
        if (!read_constructor(s, o, constructor)) return false;
    } else {
        if (o->nparameters != o->nmembers || !says(s, open, "{")) return false;
        for (int m = 0; m < o->nmembers; m++)
            o->value[m] = o->argument[m].first, o->value_end[m] = o->argument[m].last;
        o->nparameters = 0;
    }
    for (int m = 0; m < o->nmembers; m++) {
        const cpi_record_member *member = &s->records->member[o->member[m]];
        if (substitute_of(s, o, m) >= 0) continue;
        const bool value = says(s, member->name - 1, ",") || member->name == member->type_end;
        const bool pointer = says(s, member->name - 1, "*") && !says(s, member->name - 2, "*");
        if (!(value || pointer) || !is_plain_type(s, member->first, member->type_end)) return false;
    }
    return true;
}

/* Whether all that the kernel does with the object is to use its members. */
static bool members_alone(const splitter *s, const object *o)
{
    for (int i = s->f->open; i < s->f->end; i++) {
        if (i == o->name || !cpi_token_same(word(s, i), word(s, o->name))) continue;
        if (says(s, i - 1, ".") || says(s, i - 1, "->")) continue; /* of another object */
        bool known = false;
        for (int m = 0; m < o->nmembers; m++)
            known = known || cpi_token_same(word(s, i + 2), word(s, s->records->member[o->member[m]].name));
        if (i < o->end || !known || !says(s, i + 1, ".") || says(s, i + 3, "(")) return false;
    }
    return true;
}

/* Behind the type at i, `Sum` or `Sum<float>`; *record: the record. -1: none. */
static int behind_type(const splitter *s, int i, int *record)
{
    *record = is_name(s, i) ? cpi_records_named(s->p, s->records, word(s, i)) : -1;
    if (*record < 0) return -1;
    const cpi_record *r = &s->records->record[*record];
    if (r->special || r->bases < r->bases_end) return -1;
    return says(s, i + 1, "<") ? cpi_tokens_behind_angles(&s->p->tokens, i + 1, s->f->end) : i + 1;
}

/* The declaration of an object that begins at i. */
static bool read_object(const splitter *s, int i, object *o)
{
    int record, other;
    const int name = behind_type(s, i, &record);
    if (name < 0 || !is_name(s, name)) return false;
    int open = name + 1;
    if (says(s, open, "=")) {
        open = behind_type(s, name + 2, &other);
        if (open < 0 || other != record) return false;
    }
    if (!(says(s, open, "(") || says(s, open, "{")) || !says(s, partner(s, open) + 1, ";")) return false;
    *o = (object){.name = name, .first = i, .end = partner(s, open) + 2};
    return read_members(s, o, record, open) && members_alone(s, o);
}

static void put_token(const splitter *s, int i, cpi_string *out)
{
    cpi_string_printf(out, "%.*s ", (int)word(s, i)->length, word(s, i)->text);
}

static void put_name(const splitter *s, const object *o, int m, cpi_string *out)
{
    const cpi_token *member = word(s, s->records->member[o->member[m]].name);
    cpi_string_printf(out, "%.*s__%.*s ", (int)word(s, o->name)->length, word(s, o->name)->text, (int)member->length,
                      member->text);
}

/* The variables that stand for the members. */
static void put_variables(const splitter *s, const object *o, cpi_string *out)
{
    for (int m = 0; m < o->nmembers; m++) {
        const cpi_record_member *member = &s->records->member[o->member[m]];
        if (substitute_of(s, o, m) >= 0) continue;
        for (int i = member->first; i < member->type_end; i++) put_token(s, i, out);
        if (says(s, member->name - 1, "*")) cpi_string_printf(out, "* ");
        put_name(s, o, m, out);
        cpi_string_printf(out, "= ");
        for (int i = o->value[m]; i < o->value_end[m]; i++) {
            int k = 0;
            while (k < o->nparameters && !cpi_token_same(word(s, o->parameter[k].last - 1), word(s, i))) k++;
            if (k == o->nparameters || says(s, i - 1, ".")) {
                put_token(s, i, out);
                continue;
            }
            const part p = o->parameter[k];
            const bool plainly = is_plain_type(s, p.first, p.last - 1);
            if (plainly) cpi_string_printf(out, "( (");
            for (int q = p.first; plainly && q < p.last - 1; q++) put_token(s, q, out);
            if (plainly) cpi_string_printf(out, ") ");
            for (int q = o->argument[k].first; q < o->argument[k].last; q++) put_token(s, q, out);
            if (plainly) cpi_string_printf(out, ") ");
        }
        cpi_string_printf(out, "; ");
    }
}

/* The member that is used at i, of the object: a variable, or what it refers to. */
static void put_use(const splitter *s, const object *o, int i, cpi_string *out)
{
    int m = 0;
    while (!cpi_token_same(word(s, i + 2), word(s, s->records->member[o->member[m]].name))) m++;
    const int other = substitute_of(s, o, m);
    if (other >= 0) put_token(s, other, out);
    else put_name(s, o, m, out);
}

/* The kernel's text from *from on, up to its end, with its objects taken apart. */
static void put_kernel(const splitter *s, const char **from, cpi_string *out)
{
    for (int i = s->f->body; i < s->f->end; i++)
        for (int k = 0; k < s->nobjects; k++) {
            const object *o = &s->object[k];
            const bool use = i > o->end && cpi_token_same(word(s, i), word(s, o->name)) && says(s, i + 1, ".") &&
                             !says(s, i - 1, ".") && !says(s, i - 1, "->");
            if (i != o->first && !use) continue;
            cpi_string_add(out, *from, (size_t)(word(s, i)->text - *from));
            if (use) put_use(s, o, i, out);
            else put_variables(s, o, out);
            i = use ? i + 2 : o->end - 1;
            *from = word(s, i)->text + word(s, i)->length;
            break;
        }
}

bool cpi_normal_split_objects(const cpi_cu_program *p, const char *text, cpi_string *out)
{
    splitter *s = cpi_calloc(1, sizeof *s);
    const char *from = text;
    bool any = false;
    for (int k = 0; s && k < p->nfunctions; k++) {
        *s = (splitter){.p = p, .records = p->records, .f = &p->function[k]};
        if (!s->f->global || !s->f->barriers || s->f->body < 0) continue;
        for (int i = s->f->body + 1; i < s->f->end && s->nobjects < OBJECTS; i++) {
            const bool begins = says(s, i - 1, ";") || says(s, i - 1, "{") || says(s, i - 1, "}") ||
                                word(s, i - 1)->kind == CPI_W_LINE;
            if (begins && read_object(s, i, &s->object[s->nobjects])) i = s->object[s->nobjects++].end - 1;
        }
        any = any || s->nobjects;
        if (s->nobjects) put_kernel(s, &from, out);
    }
    if (any) cpi_string_printf(out, "%s", from);
    cpi_free_host(s);
    return any && !out->failed;
}
