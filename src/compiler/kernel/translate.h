/* CUDA C++ to the C++ that the machine's compiler reads.
 *
 * The user's source stays as it is, line by line, with three exceptions. A context becomes the first parameter of
 * kernels and of device functions that need one (threadIdx and its like are its members). __shared__ variables lie in
 * the arena of the worker that runs the block. The bodies of kernels with barriers are written by regions.c as loops
 * between them. Behind the source comes a table of the kernels. CUDA's names are defined in device/cuprite_device.h. */
#ifndef CPI_KERNEL_TRANSLATE_H
#define CPI_KERNEL_TRANSLATE_H

#include "kernel/device/abi.h"
#include "kernel/kernel.h"
#include "kernel/tokens.h"

typedef enum cpi_tier { CPI_TIER_LOOP, CPI_TIER_REGIONS, CPI_TIER_FIBERS } cpi_tier;

/* spans.c: what is inserted before tokens of a kernel's body. */
enum { CPI_E_ENTER = 1, CPI_E_LEAVE, CPI_E_ENTERED, CPI_E_LEFT, CPI_E_NEXT, CPI_E_TESTED, CPI_E_BEGIN, CPI_E_END,
       CPI_E_ASKED, CPI_EDITS = 64 };
typedef struct cpi_cu_edit { int at; uint8_t kind, test; } cpi_cu_edit;
typedef struct cpi_cu_spans {
    cpi_cu_edit edit[CPI_EDITS];
    int n;
    bool guarded, joined; /* who takes part can be asked; of x only the position in the grid is used */
} cpi_cu_spans;

/* A function at namespace scope. Positions are token indices. */
typedef struct cpi_cu_function {
    int start, name, open, body, end; /* body: its {, or -1 of a declaration */
    bool global, device, templated;
    bool asked;     /* an instance of a template is requested here (template void f<int>(...);): made when used */
    bool context;   /* has a form with the hidden parameter; forms.c */
    bool plain;     /* has a form without, which reads the thread's context */
    bool linked;    /* extern "C": it cannot have two forms */
    bool inner;     /* of kernels: records in its body read the context, so all of it reads the thread's */
    bool shown;     /* of kernels: what it may call reads the thread's context, which it has to set */
    bool apart;     /* of kernels: such code waits for other threads: fibers */
    bool converted; /* of kernels: the program in the form of normal.c has its body */
    bool barriers;  /* it, or what it calls, waits for other threads in any way */
    bool lockstep;  /* its lanes rely on implicit lockstep: lockstep.c */
    bool turns;     /* it waits in memory for what other threads write: turns.c */
    bool overloaded; /* others have its name: kernels are distinguished by the types of their arguments */
    bool calls;     /* the table has a list of what it calls */
    bool indirect;  /* its name is used without a call: no hidden parameter */
    bool befriended; /* by a record, in the user's form */
    bool hides;     /* variables or parameters somewhere have its name */
    cpi_tier tier;  /* of kernels */
    uint8_t spans;  /* of kernels as loops: __CU_GUARDED and so on (device/abi.h) */
    bool strides;   /* a kernel without barriers that is written as one with them, for the sake of its loops */
    int scope;      /* start of its qualified name's prefix in `scopes` */
} cpi_cu_function;

typedef struct cpi_cu_variable {
    int start, name, end;
    bool shared; /* extern __shared__ at namespace scope; else __device__ or __constant__ */
    int scope;
} cpi_cu_variable;

/* What else is declared at namespace scope: records, types, variables, and methods outside of their records. */
typedef struct cpi_cu_part { int start, end; } cpi_cu_part;

typedef struct cpi_cu_program {
    cpi_tokens tokens;
    cpi_cu_function *function;
    int nfunctions;
    cpi_cu_part *part;
    int nparts;
    cpi_cu_variable *variable;
    int nvariables;
    int *named;           /* names.c: the first function or variable of each hash, and behind it the next of each */
    unsigned named_size;
    cpi_string scopes;    /* prefixes, "" and "space::", each terminated */
    bool hidden_context; /* code without the parameter needs the context: it goes through a thread-local one */
    bool all_fibers;     /* every kernel */
    bool groups;         /* headers of ours read the thread's context in any kernel */
    bool reads_shown;    /* while code without the parameter is written */
    int *turn, nturns;   /* conditions of loops in which threads take turns: their first tokens (turns.c) */
    int plain;           /* while a statement of lockstep.c is written: its first token, else -1 */
    bool in_step;        /* CUPRITE_KERNEL_LOCKSTEP: lanes are in lockstep without volatile too */
    bool opened;         /* kernels use members of records, in the form of normal.c: all of them are public */
    bool checked;        /* CUPRITE_CHECK: every kernel in fibers, accesses reported */
    bool sums;           /* sums with a thread's index may be taken apart (row_sums.c) */
    struct cpi_records *records; /* once normal.c has read them, or NULL */
    bool normal;         /* in the form of normal.c: what is left of its kernels calls no methods that wait */
    const int *leaves;   /* while regions are written: `return` goes to the end of the loop with that number */
} cpi_cu_program;

/* Reads the source. Errors are CP_ERROR_UNSUPPORTED with the user's line; `*unbalanced` as for cpi_tokens_read. */
bool cpi_cu_read(const char *text, cpi_cu_program *p, bool *unbalanced);
void cpi_cu_free(cpi_cu_program *p);
/* nesting.c: the line in which the text is nested too deep, what is, and how deep it may be; 0: nowhere, also where
 * brackets have no partner; -1: no memory. */
int cpi_cu_too_deep(const char *text, const char **what, int *most);
/* own.c: where a program has variables of its own with names such as threadIdx, they are renamed to others of the same
 * length. False: no memory. */
bool cpi_cu_rename_own(char *text);
/* Undoes macros of the device headers for constants of the program's own. */
void cpi_cu_put_own_constants(const cpi_tokens *t, cpi_string *out);
/* Whether what we write into kernels has the name, so that a macro of it must be expanded before. */
bool cpi_cu_is_ours(const char *name, size_t length);
/* integers.c: types of a program's own with names such as uint64_t are renamed in the same way. */
bool cpi_cu_rename_types(char *text);
/* For the tables, which follow: their names as the program has them. */
void cpi_cu_put_renamed(const cpi_tokens *t, cpi_string *out);
/* An integer of more than 64 bits, which the compiler would cut; false: it is none. */
bool cpi_cu_put_wide_number(const cpi_token *w, cpi_string *out);
/* The line of an integer of more than 128 bits; 0: there is none. */
int cpi_cu_too_large(const cpi_tokens *t);
/* specifiers.c: `float __shared__ s[8]` becomes `__shared__ float s[8]`; the text is for free(). False: no memory. */
bool cpi_cu_order_specifiers(char **text);
/* casts.c: the translated source, in which real numbers that become integers lose the sign of a zero. False: no memory,
 * with an error record. */
bool cpi_cu_put_casts(const char *text, cpi_string *out);
/* parts.c: a text, and those of the headers of ours that it includes; false: it may include others, or too many. */
typedef struct cpi_cu_sources { const char *text[64]; int n; } cpi_cu_sources;
bool cpi_cu_read_sources(const char *text, cpi_cu_sources *found);
/* #define lines for the parts of the device headers that a text needs. */
void cpi_cu_put_parts(const char *text, cpi_string *out);
/* normal.c: the program `q`, whose source is `out`, in which kernels with warp operations can be split; functions are
 * those of p in their order. False where there is no such kernel. */
bool cpi_cu_normal(cpi_cu_program *p, const char *text, int nnames, const char *const *names, cpi_string *out,
                   cpi_cu_program *q);
/* Appends the C++ source, with a table of the kernels that are not templates and of the instances `names`. `error`: the
 * compiler's messages when it did not compile, or NULL: kernels with barriers that it names are in fibers, or all
 * are. */
void cpi_cu_write(cpi_cu_program *p, const char *text, int nnames, const char *const *names, const char *error,
                  cpi_string *out);

/* regions.c: the body of kernel `f` as loops over the threads between its barriers, braces included. False (nothing
 * written) where its structure does not allow that, or where it has neither barriers nor grid-stride loops. `joined`:
 * on entry, blocks may be one loop; on return, something is kept for each thread. */
bool cpi_cu_regions(cpi_cu_program *p, const cpi_cu_function *f, bool *joined, cpi_string *out);
/* Tokens first to last as the user wrote them, with CUDA's names replaced by ours where needed. */
void cpi_cu_copy(cpi_cu_program *p, const cpi_cu_function *f, int first, int last, cpi_string *out);
/* row_sums.c: sums with a thread's index, tokens. The value of a variable of the type; what is behind the [ or the = at
 * token i. False: it is none. */
typedef struct cpi_cu_sum { int first, last, term, term_end; } cpi_cu_sum;
bool cpi_cu_read_int_sum(const cpi_cu_program *p, const cpi_cu_function *f, int type, int type_end, int first,
                         int last, cpi_cu_sum *r);
bool cpi_cu_read_sum(const cpi_cu_program *p, const cpi_cu_function *f, int i, int last, cpi_cu_sum *r);
void cpi_cu_put_sum(cpi_cu_program *p, const cpi_cu_function *f, const cpi_cu_sum *r, bool index, cpi_string *out);
/* Behind the thread's index that the index behind the [ at token i begins with, of an array in shared memory, to be
 * computed with long integers; -1: it is none. Writes the index up to there. */
int cpi_cu_read_wide(const cpi_cu_program *p, const cpi_cu_function *f, int i, int last);
void cpi_cu_put_wide(cpi_cu_program *p, const cpi_cu_function *f, int i, int end, cpi_string *out);
/* Whether the ( at i begins the declarator of a pointer to an array or a function: (*a)[4]. */
bool cpi_cu_is_pointer(const cpi_tokens *t, int i);
/* Names (tokens) that the declaration from `first` to the ; at `end` declares; returns how many, at most `most`. */
int cpi_cu_declared_names(const cpi_tokens *t, int first, int end, int *names, int most);
/* Whether a token makes its function need the context; whether it waits for other threads. */
bool cpi_cu_needs_context(const cpi_token *w);
bool cpi_cu_waits(const cpi_token *w);
/* Whether a token means what in our headers reads the thread's context and waits: cub::, cuda::barrier; or a loop that
 * waits for another thread in memory. */
bool cpi_cu_reads_shown(const cpi_token *w);
/* False with an error record where the source uses what a GPU has and the CPU lacks. */
bool cpi_cu_allowed(const cpi_tokens *t);
/* name( or name<...>( and not a member. */
bool cpi_cu_is_call(const cpi_tokens *t, int i);
/* names.c: makes the index that the next three use; false: no memory. */
bool cpi_cu_index_names(cpi_cu_program *p);
/* The function at or behind number `from` with the name at token w; NULL: none. */
cpi_cu_function *cpi_cu_named(const cpi_cu_program *p, const cpi_token *w, int from);
/* The same of variables: of a device's memory, or shared. */
const cpi_cu_variable *cpi_cu_variable_named(const cpi_cu_program *p, const cpi_token *w, int from);
/* The number of the function that token i is in, with its declaration; -1: none. */
int cpi_cu_function_around(const cpi_cu_program *p, int i);
/* Whether w is a variable of shared memory at namespace scope. */
bool cpi_cu_is_shared_variable(const cpi_cu_program *p, const cpi_token *w);
/* Whether w names a namespace of the program's. */
bool cpi_cu_is_namespace(const cpi_cu_program *p, const cpi_token *w);

/* forms.c: which forms functions have: with the context as a parameter, or reading the thread's. */
void cpi_cu_find_forms(cpi_cu_program *p);
/* The function that the call at token i in the body of f passes its context to; NULL: none. */
const cpi_cu_function *cpi_cu_called(const cpi_cu_program *p, const cpi_cu_function *f, int i);
/* Whether a macro's definition may call functions with contexts: then the source must be preprocessed. */
bool cpi_cu_macros_call(const cpi_cu_program *p);
/* reach.c: which kernels have to set the thread's context. `names`: requested instances. False: no memory. */
bool cpi_cu_find_shown(cpi_cu_program *p, int nnames, const char *const *names);

/* tables.c: kernels that are not templates, the instances `names`, and variables. */
/* `q`: the program in the form of normal.c, of which kernels in regions are written, or NULL. */
void cpi_cu_put_tables(cpi_cu_program *p, const cpi_cu_program *q, int nnames, const char *const *names,
                       cpi_string *out);

/* block_size.c: the size of the blocks that kernel `f` is written for; size[0] is 0 where its text does not name it. */
void cpi_cu_block_size(const cpi_cu_program *p, const cpi_cu_function *f, unsigned size[3]);

/* columns.c: whether kernel `f` without barriers writes along y from element to element, and along x in larger
 * steps. */
bool cpi_cu_by_columns(const cpi_cu_program *p, const cpi_cu_function *f);

/* spans.c: in kernel `f` without barriers, the tests of threads that it begins with; the source of such an edit.
 * Whether neighbouring blocks may run its grid-stride loops together. */
void cpi_cu_find_spans(const cpi_cu_program *p, const cpi_cu_function *f, cpi_cu_spans *s);
bool cpi_cu_joins_rounds(const cpi_cu_program *p, const cpi_cu_function *f);
void cpi_cu_put_edit(const cpi_cu_edit *e, cpi_string *out);

/* region_groups.c: whether the source has cooperative groups; the source without them, wherever their kind is evident.
 * `some`: there are functions in which it is not; `all`: methods or macros use groups. */
bool cpi_cu_has_groups(const char *text);
void cpi_cu_put_groups(const cpi_cu_program *p, const char *text, cpi_string *out, bool *some, bool *all);

/* turns.c: loops that wait in memory for other threads; false: no memory. Whether a turn is taken before token i;
 * writes it. */
bool cpi_cu_find_turns(cpi_cu_program *p);
bool cpi_cu_is_turn(const cpi_cu_program *p, int i);
void cpi_cu_put_turn(const cpi_cu_program *p, int i, cpi_string *out);

/* lockstep.c: whether the function has statements in which the lanes of a warp must run in lockstep. Writes the one at
 * token i so that fibers do; returns what is behind it, or -1 (nothing written) where there is none. */
bool cpi_cu_finds_lockstep(cpi_cu_program *p, const cpi_cu_function *f);
int cpi_cu_put_lockstep(cpi_cu_program *p, const cpi_cu_function *f, int i, cpi_string *out);
/* Whether CUPRITE_KERNEL_LOCKSTEP is set; whether lockstep would order what the two lines of a source do: one is not in
 * a branch of an if and the other in its else. */
bool cpi_lockstep_is_asked(void);
bool cpi_lockstep_orders(const char *text, int one, int other);

#endif
