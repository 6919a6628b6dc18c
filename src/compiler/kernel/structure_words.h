/* Short names for reading the tokens of a kernel that is split (regions.h), for the files that do little else.
 *
 * Invariant: i and k are valid token indices. */
#ifndef CPI_KERNEL_STRUCTURE_WORDS_H
#define CPI_KERNEL_STRUCTURE_WORDS_H

#include "kernel/regions.h"

static inline bool is(const cpi_structure *s, int i, const char *word)
{
    return cpi_token_is(&s->program->tokens.at[i], word);
}
static inline int match(const cpi_structure *s, int i) { return s->program->tokens.at[i].match; }
static inline bool named(const cpi_structure *s, int i) { return s->program->tokens.at[i].kind == CPI_W_NAME; }
static inline bool same(const cpi_structure *s, int i, int k)
{
    return cpi_token_same(&s->program->tokens.at[i], &s->program->tokens.at[k]);
}

#endif
