/* A kernel with barriers as a tree of statements: shared by statements.c, which reads it, and regions.c, which writes
 * the loops.
 *
 * What contains a barrier is split; everything else is plain source that a loop over the threads runs whole. A region
 * is a run of such plain statements without a barrier between them; the condition of a statement that is split is a
 * region of its own. */
#ifndef CPI_KERNEL_REGIONS_H
#define CPI_KERNEL_REGIONS_H

#include "kernel/translate.h"

typedef enum cpi_form {
    CPI_F_SOURCE,
    CPI_F_FIXED,
    CPI_F_BARRIER,
    CPI_F_BLOCK,
    CPI_F_IF,
    CPI_F_FOR,
    CPI_F_WHILE,
    CPI_F_DO,
    CPI_F_JUMP,
    CPI_F_MEET,
    CPI_F_STRIDE,
    CPI_F_TOGETHER /* changes a variable that is one for the block */
} cpi_form;

typedef struct cpi_statement {
    uint8_t form;
    bool split;        /* contains a barrier, or jumps out of a loop that does */
    bool once;         /* plain source that `continue` leaves */
    int first, last;   /* tokens */
    int test, test_end; /* if, while, do: the condition; for: all between the parentheses */
    int child, next;   /* statements; -1: none. Of an if: then, and else behind it. */
    int region;        /* of plain source; of a condition */
} cpi_statement;

typedef enum cpi_class {
    CPI_V_LOCAL,   /* lives in one region */
    CPI_V_UNIFORM, /* one value for the block, known from its arguments and index: declared once, outside the loops */
    CPI_V_PURE,    /* computed from the thread's index: declared anew in each region */
    CPI_V_KEPT     /* an array over the threads */
} cpi_class;

/* A declarator `type prefix name suffix = value` in a statement list that is split, or a parameter. */
typedef struct cpi_local {
    int name, type, type_end, prefix, suffix, suffix_end, value, value_end; /* tokens; value: behind = */
    int statement, block_end; /* where its scope ends; statement -1: a parameter */
    uint8_t class;
    bool built; /* T x(values); */
    bool written, constant, refers;
    bool together; /* is one for the block although it changes (region_uniform.c) */
    bool version;  /* a variable from an assignment on, which is its declaration then (region_versions.c) */
} cpi_local;

typedef struct cpi_structure {
    cpi_cu_program *program;
    const cpi_cu_function *function;
    cpi_statement *statement;
    int nstatements, capacity;
    cpi_local *local;
    int nlocals, local_capacity;
    int regions;      /* the number of threads */
    int *local_of;    /* of each token of the body: the variable that it uses, or -1 (locals.c) */
    int *shared, nshared; /* names of shared memory that the body declares */
    int depth;        /* of the statement that is read */
    int *region_of;   /* of each token of the body, counted from its { ; -1: of none */
    bool returns;     /* a thread may leave before others */
    bool failed;
} cpi_structure;

/* False where the body cannot be split, or memory ends (`failed`). */
bool cpi_structure_read(cpi_cu_program *p, const cpi_cu_function *f, cpi_structure *s);
void cpi_structure_free(cpi_structure *s);
/* Whether nothing in the tokens depends on the thread, or on the contents of memory. */
bool cpi_structure_uniform(const cpi_structure *s, int first, int last);
/* Whether all threads that are at the tokens together find the same there: they read memory at most where it does not
 * depend on the thread. */
bool cpi_structure_by_block(const cpi_structure *s, int first, int last);
/* Whether something in them depends on the thread's index, and nothing on the contents of memory. */
bool cpi_structure_by_thread(const cpi_structure *s, int first, int last);

/* purity.c: what the first value of a variable depends on: 0: memory, or what is not known; 1: the thread's index; 2:
 * neither. */
int cpi_structure_purity_of(const cpi_structure *s, const cpi_local *v);

/* Behind the statement at i, which is not split; -1 (and `failed`) where it has no end before `end`. */
int cpi_structure_behind(cpi_structure *s, int i, int end);
/* changes.c: whether the use of a variable at token i may change it; whether token i assigns to what is before it;
 * whether macros of the source are used. */
bool cpi_structure_changes(const cpi_structure *s, const cpi_local *v, int i);
bool cpi_structure_assigns(const cpi_structure *s, int i);
bool cpi_structure_has_macro(const cpi_structure *s, int first, int last);
bool cpi_structure_type_word(const cpi_structure *s, int i);
/* Whether the tokens of a cast's parentheses are a type. */
bool cpi_structure_is_cast(const cpi_structure *s, int open);

/* addresses.c: arrays to which pointers that are kept lead are kept too. */
void cpi_structure_keep_addressed(cpi_structure *s);

/* locals.c: finds what the next three answer; false: no memory, or too much work. Whether token i uses the variable
 * v; the variable that it uses, or NULL; whether it is the name of shared memory. */
bool cpi_structure_index_locals(cpi_structure *s);
bool cpi_structure_index_uses(cpi_structure *s); /* again, after variables were added */
bool cpi_structure_uses(const cpi_structure *s, const cpi_local *v, int i);
bool cpi_structure_in_shared_memory(const cpi_structure *s, int i);
const cpi_local *cpi_structure_local_at(const cpi_structure *s, int i);
/* region_uniform.c: finds variables that are one for the block although they change; whether the header of for k
 * changes such variables and no others. */
void cpi_structure_find_uniform(cpi_structure *s);
bool cpi_structure_header_is_uniform(const cpi_structure *s, int k);

cpi_local *cpi_structure_new_local(cpi_structure *s);
/* region_versions.c: adds the versions of variables to them; whether one begins at token i; whether there is an earlier
 * one that is declared in the same place; whether there is a later one of the variable at token i. */
bool cpi_structure_find_versions(cpi_structure *s);
bool cpi_structure_is_version(const cpi_structure *s, int i);
bool cpi_structure_has_twin(const cpi_structure *s, const cpi_local *v);
bool cpi_structure_has_later_version(const cpi_structure *s, int i);

/* strides.c: a grid-stride loop; token indices. */
typedef struct cpi_stride {
    int name, type, type_end, value, value_end, limit, limit_end, step, step_end, body, body_end;
} cpi_stride;
/* Whether the statement has the form of one; whether, when variables are known, it is one. */
bool cpi_stride_read(cpi_structure *s, int first, int last, cpi_stride *r);
bool cpi_stride_holds(const cpi_structure *s, cpi_stride *r);

/* region_spans.c: an if whose condition begins with a test of the thread's index; token indices. */
typedef struct cpi_few {
    enum { CPI_S_BELOW, CPI_S_ONE, CPI_S_NONE, CPI_S_STEPS } how; /* t < E, t == E, !t, t % E == 0 */
    int whole, test, test_end, rest, close; /* the first test; the others; the ) */
    int name, behind;                /* the variable, or -1; behind the index */
    int first, last;                 /* E */
    int added, added_end;            /* t + this < E */
    int value, value_end, factor;    /* of a variable that is a product: the index in it; -1: it is none */
    int remains;                     /* t % E == this */
    bool rank, exact, plus;          /* a rank in the block; the loop needs no test; E + 1 instead */
} cpi_few;
bool cpi_few_read(cpi_structure *s, int first, int last, cpi_few *r);

/* region_tiles.c: how many threads side by side have one header of the for, tokens first to last - 1; 0: it is none of
 * that form. */
int cpi_tile_read(const cpi_structure *s, int first, int last);

/* Behind the type of the declaration at i; -1 where none begins there. */
int cpi_structure_type_end(const cpi_structure *s, int i, int last);

#endif
