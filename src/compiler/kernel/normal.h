/* What the files that bring kernels into the form of normal.c share: the program that is written, and the functions
 * whose statements are. Invariant: after `refuse` nothing that is written counts. */
#ifndef CPI_KERNEL_NORMAL_H
#define CPI_KERNEL_NORMAL_H

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

typedef struct part { int first, last; } part;   /* tokens */

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

/* normal_calls.c */
cpi_string cpi_normal_whole_expression(normal *n, scope *s, int first, int last);

/* normal.c */
void cpi_normal_put_list(normal *n, scope *s, int first, int last, bool tail);

#endif
