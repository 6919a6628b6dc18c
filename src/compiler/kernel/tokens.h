/* The tokens of C++ source, with the partner of every bracket.
 *
 * Tokens cover the source without white space and comments, in order; a preprocessor line is one token. The source is
 * neither changed nor copied. */
#ifndef CPI_KERNEL_TOKENS_H
#define CPI_KERNEL_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/string.h"

typedef enum cpi_word { CPI_W_NAME, CPI_W_NUMBER, CPI_W_STRING, CPI_W_MARK, CPI_W_LINE, CPI_W_END } cpi_word;

typedef struct cpi_token {
    uint8_t kind;     /* cpi_word */
    uint32_t length, hash;
    const char *text; /* length bytes, not terminated */
    int line;         /* in the user's source, from 1; line markers of a preprocessor are honoured */
    int match;        /* of ( [ { and their partners: the partner's index, else -1 */
} cpi_token;

typedef struct cpi_tokens {
    cpi_token *at; /* n of them, and an END */
    int n;
} cpi_tokens;

/* False with an error record: no memory, or (`*unbalanced`, no record) brackets without a partner. */
bool cpi_tokens_read(const char *text, cpi_tokens *t, bool *unbalanced);
void cpi_tokens_free(cpi_tokens *t);
/* Replaces digraphs (<% is {) by one character and a blank. */
void cpi_tokens_plain(char *text);
/* Whether the token is this word or operator. Inline, since passes ask it of every token for many words. */
static inline bool cpi_token_is(const cpi_token *t, const char *word)
{
    if (*t->text != *word || t->length != strlen(word)) return false;
    return t->kind != CPI_W_STRING && memcmp(t->text, word, t->length) == 0;
}
bool cpi_token_is_one_of(const cpi_token *t, const char *const *words); /* a NULL ends the words */
static inline bool cpi_token_same(const cpi_token *a, const cpi_token *b)
{
    return a->hash == b->hash && a->kind == b->kind && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}
/* Whether the name at i is declared, from token `first` on, in a scope that is open there: `declares` answers for one
 * token of that name. */
bool cpi_tokens_declared(const cpi_tokens *t, int i, int first, bool (*declares)(const cpi_tokens *t, int k));
/* Behind the > that closes the < at i, before `end`; -1 when it closes nothing. */
int cpi_tokens_behind_angles(const cpi_tokens *t, int i, int end);

#endif
