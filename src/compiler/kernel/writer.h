/* What writes the loops of regions.c: the output source, and which threads run at the position that is written. */
#ifndef CPI_KERNEL_WRITER_H
#define CPI_KERNEL_WRITER_H

#include "kernel/regions.h"

enum { MASKS = 32 };
typedef struct writer {
    cpi_structure *s;
    cpi_string *out;
    int label; /* of the region that is being written */
    /* Who runs: lanes for which __cu_mNAME is `value` or, `sure`, the span __cu_pNAME; the last one counts. `loops`:
     * how many are around the statement of that name. */
    struct { int name, value, loops; bool sure; } mask[MASKS];
    int nmasks;
    int loops;       /* around */
    int together;    /* the number of masks where the innermost loop begins that has none of its own */
    int copy, copies; /* which of the copies of a statement is written: labels have its number */
    int strides;     /* grid-stride loops so far */
    const cpi_local *turned; /* the variable whose other array is written */
    bool in_row;     /* loops are over one row: the loop over the rows is around them */
    bool joined;     /* the threads of several blocks are in the loops */
    bool keeps;      /* something for each thread, between the loops */
    int masked_loop; /* the mask of the innermost loop where that loop has one, -1: all threads run it */
} writer;

static inline const cpi_token *word(const writer *w, int i) { return &w->s->program->tokens.at[i]; }
static inline bool token_is(const writer *w, int i, const char *text) { return cpi_token_is(word(w, i), text); }

/* region_loops.c */
void cpi_region_put_line(writer *w, int i);
void cpi_region_put_tokens(writer *w, int first, int last);
void cpi_region_put_declaration(writer *w, const cpi_local *v, bool fixed);
bool cpi_region_visible(const cpi_local *v, int i);
bool cpi_region_hidden(const writer *w, const cpi_local *v, int i);
void cpi_region_open_loop(writer *w);
void cpi_region_take_out(writer *w, int first, int last);
void cpi_region_put_back_one(writer *w, const cpi_local *v);
void cpi_region_put_back(writer *w, int first, int last);
void cpi_region_close_loop(writer *w);
int cpi_region_locals_of(const writer *w, int statement, int *last);
void cpi_region_put_storage(writer *w, const cpi_local *v);
int cpi_region_behind(const writer *w, int k);
void cpi_region_put_region(writer *w, int k, int end, bool rows);
int cpi_region_behind_semicolon(const writer *w, int i, int end);
bool cpi_region_used_word(const writer *w, const char *text, int first, int last);

/* region_spans.c */
bool cpi_region_put_span(writer *w, int k, cpi_few *r);
bool cpi_region_put_sure_span(writer *w, int k);
int cpi_region_put_rest(writer *w, const cpi_few *r);

/* region_reduce.c: whether all threads of the block run at this position; { and the reductions of warps that are made
 * in front of the loop over the tokens, if there are any; their names in it. */
bool cpi_region_all_come(const writer *w);
bool cpi_region_put_reduced(writer *w, int first, int last);
void cpi_region_put_made(writer *w, int first, int last);

/* region_rows.c: behind the regions that begin with statement k and share a loop over the rows; k: there are none. */
int cpi_region_behind_rows(const writer *w, int k);

/* region_unmoved.c: the variable that statement k puts and that lanes read where it is kept, or NULL; whether
 * statements k, ... up to `end` do nothing else; the first token of such a statement whose value the region of
 * statement k takes, in a loop upwards or in turns, or -1; which lanes read the array of a variable. */
typedef enum cpi_readers { CPI_READERS_NONE, CPI_READERS_BELOW, CPI_READERS_ANY } cpi_readers;
const cpi_local *cpi_region_unmoved(const writer *w, int k);
bool cpi_region_puts_unmoved(const writer *w, int k, int end);
int cpi_region_takes_unmoved(const writer *w, int k, bool *up);
cpi_readers cpi_region_readers_of(const writer *w, const cpi_local *v);

/* region_tiles.c: writes statement k, a region of its own, if it is such a loop. */
bool cpi_region_put_tiles(writer *w, int k);

/* region_masks.c */
void cpi_region_put_masked_if(writer *w, int k);
void cpi_region_put_beginning(writer *w, const cpi_statement *st, int second, int first, int last);
void cpi_region_put_masked_loop(writer *w, int k);
void cpi_region_put_masked_jump(writer *w, bool leaves);
void cpi_region_put_meeting(writer *w, int k);
bool cpi_region_is_masked(const writer *w, int k);
bool cpi_region_leaves_living(const writer *w, int k);
void cpi_region_put_living_if(writer *w, int k);
void cpi_region_put_living_loop(writer *w, int k);

/* regions.c */
void cpi_region_put_step(writer *w, int first, int last);
void cpi_region_put_list(writer *w, int k, int loop);

#endif
