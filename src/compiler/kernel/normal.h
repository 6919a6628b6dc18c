/* What the files that convert kernels to the form of normal.c share: the program that is written, and the inlined
 * functions. Invariant: after `refuse` nothing that is written counts. */
#ifndef CPI_KERNEL_NORMAL_H
#define CPI_KERNEL_NORMAL_H

#include "kernel/normal_records.h"
#include "kernel/regions.h"

enum { NAMES = 256, SUBSTITUTES = 32, DEPTH = 8, TYPES = 256, PLACED = 64, ARGUMENTS = 16, LONGEST = 1 << 20 };

typedef struct declared { /* a variable or parameter of a function */
    int name, type, type_end;
    bool shared, plain; /* plain: no pointer, no array, no reference */
} declared;

typedef struct part { int first, last; } part;   /* tokens */

/* What stands for a name: its text; the tokens that this is from, in their scope; or a lambda. */
typedef struct substitute_for {
    const cpi_token *name;
    cpi_string text;
    int first, last;      /* of a type; equal: not known */
    int lambda;           /* the [ of a lambda; -1: the type of one */
    struct scope *in;
} substitute_for;

/* A function whose statements are written: the kernel, or one that is inlined into it. Or a record, whose template's
 * parameters are known: then it has no function. */
typedef struct scope {
    const cpi_cu_function *function;
    struct scope *outer;
    struct scope *lexical; /* of a lambda: where it is written; of a method: its record; of a record: the one around */
    int record;            /* of a record and its methods; -1: of none */
    bool lambda, plain;    /* plain: its own names stay as they are */
    bool generic;          /* an instance of a template */
    cpi_string self;       /* of a method: its object */
    cpi_cu_function own;   /* of a lambda */
    int number, index;  /* of its names; of the function */
    int nnames, nsubstitutes, depth;
    declared names[NAMES];
    substitute_for substitutes[SUBSTITUTES]; /* arguments of templates, references */
    bool declares_result; /* its only return is its last statement: there the result is declared */
    bool deduced;         /* its type is that of the value returned */
    cpi_string result;    /* then the value */
    const char *type;     /* of the result; NULL: of the kernel; "": none */
} scope;

typedef struct normal {
    cpi_cu_program *p;
    cpi_structure structure; /* for statements.c's tests of tokens */
    cpi_string *out;
    cpi_string top;          /* shared variables of functions */
    int count, scopes;       /* points where lanes meet; scopes so far */
    int pending;             /* of them in the statement that is written, still to come */
    int placed[PLACED], nplaced;
    const cpi_records *records;
    scope *types[TYPES];     /* scopes of records */
    int ntypes, objects, lambdas; /* lambdas: that are written where they are called */
    bool opened;             /* members are used from outside of their records */
    bool failed;
} normal;


static inline const cpi_token *at(const normal *n, int i) { return &n->p->tokens.at[i]; }
static inline bool is(const normal *n, int i, const char *word) { return cpi_token_is(at(n, i), word); }
static inline int match(const normal *n, int i) { return at(n, i)->match; }
static inline bool named(const normal *n, int i) { return at(n, i)->kind == CPI_W_NAME; }
static inline void refuse(normal *n) { n->failed = true; }
static inline bool member(const normal *n, int i)
{
    return i && (is(n, i - 1, ".") || is(n, i - 1, "->") || is(n, i - 1, "::"));
}
static inline const char *string_of(const cpi_string *t) { return t->at ? t->at : ""; }

/* normal_names.c */
const cpi_cu_function *cpi_normal_function_at(normal *n, int i);
bool cpi_normal_waits_at(normal *n, int i);
int cpi_normal_count_waits(normal *n, int first, int last);
bool cpi_normal_has_word(const normal *n, const char *word, int first, int last);
bool cpi_normal_unconditional(const normal *n, int first, int i);
const declared *cpi_normal_find(const normal *n, const scope *s, const cpi_token *name);
int cpi_normal_next_semicolon(const normal *n, int i, int end);
int cpi_normal_list_chunks(const normal *n, int open, int close, part *parts, int most);
int cpi_normal_parameter_name(const normal *n, part p);
void cpi_normal_find_names(normal *n, scope *s);
void cpi_normal_put_word(normal *n, scope *s, int i, cpi_string *out);
void cpi_normal_put_words(normal *n, scope *s, int first, int last, cpi_string *out);
void cpi_normal_put_line(normal *n, int i);

/* normal_types.c */
scope *cpi_normal_type(normal *n, scope *s, int first, int last);
scope *cpi_normal_object_type(normal *n, scope *s, int first, int last, bool *pointer);
const cpi_record_member *cpi_normal_member(normal *n, scope *type, const cpi_token *name, scope **owner);
const cpi_record_member *cpi_normal_method(normal *n, scope *type, int name, int nargs, scope **owner);
const declared *cpi_normal_variable(const normal *n, scope *s, const cpi_token *name, scope **in);
void cpi_normal_put_type(normal *n, scope *type, cpi_string *out);
void cpi_normal_free_types(normal *n);
void cpi_normal_substitute(normal *n, scope *s, const cpi_token *name, const char *text, int first, int last,
                           scope *in);
/* The type of the value between the tokens, as text; *from, *to: its tokens in the scope *in, equal where it has none.
 * False: not known. */
bool cpi_normal_value_type(normal *n, scope *s, int first, int last, cpi_string *text, part *tokens, scope **in);

/* normal_methods.c */
int cpi_normal_lambda(const normal *n, scope *s, int i, scope **in);
bool cpi_normal_lambda_waits(normal *n, int lambda);
void cpi_normal_put_lambda(normal *n, scope *in, int lambda, cpi_string *out);
bool cpi_normal_calls_lambda(normal *n, scope *s, int first, int last);
int cpi_normal_waiting_call(normal *n, int i, int last);
bool cpi_normal_put_method(normal *n, scope *s, int i, int call, cpi_string *result, int *behind);
bool cpi_normal_put_member(normal *n, scope *s, int i, cpi_string *out);

/* normal_calls.c */
/* A function, method or lambda that is called. */
typedef struct callee {
    const cpi_cu_function *function;
    scope *lexical;
    int record, index, type_first, type_end; /* type_first -1: deduced, unless there is a -> */
    bool lambda, generic;
    const char *self;
} callee;
void cpi_normal_put_call(normal *n, scope *outer, const callee *c, int i, int open, cpi_string *result);
cpi_string cpi_normal_expression(normal *n, scope *s, int first, int last);
cpi_string cpi_normal_whole_expression(normal *n, scope *s, int first, int last);

/* normal_members.c: appends the text of the program, with objects of kernels taken apart; false: there are none. */
bool cpi_normal_split_objects(const cpi_cu_program *p, const char *text, cpi_string *out);

/* normal.c */
void cpi_normal_put_list(normal *n, scope *s, int first, int last, bool tail);

#endif
