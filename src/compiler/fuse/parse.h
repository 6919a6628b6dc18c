/* What the scanner and the parser of fused expressions share: the source, the current token, and what was read so
 * far. */
#ifndef CPI_FUSE_PARSE_H
#define CPI_FUSE_PARSE_H

#include <ctype.h>

#include "fuse/fuse.h"

typedef enum { END, BREAK, NAME, NUMBER, SIGN } token_kind; /* BREAK: ; or the end of a line outside of parentheses */

typedef struct { const char *name; int length, node; } variable;

typedef struct {
    const char *text;
    int end, next;            /* bytes of the source; where the next token begins */
    token_kind kind;          /* of the current token */
    int at, length;           /* where it lies */
    int parentheses, depth;
    cpi_number number;        /* a NUMBER's value */
    bool beyond;              /* it is 2**63, which may follow a minus only */
    bool finds;               /* unknown names are operands */
    bool standing;            /* an earlier error stands, and is kept */
    cp_fusion *f;
    int nvariables;
    variable variables[CPI_FUSE_NODES];
} parser;

enum { FAILED = -1 };

static inline bool cpi_starts_name(char c) { return isalpha((unsigned char)c) || c == '_'; }
static inline bool cpi_in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* scanner.c. Those that give an int: 0, or FAILED with an error. */
/* Always FAILED: the error has the position, and shows the source where it is short. */
int cpi_wrong(parser *p, int at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The next token. */
int cpi_scanner_advance(parser *p);
bool cpi_sees(const parser *p, token_kind kind, const char *word);
/* Always FAILED: another token is current. */
int cpi_expected(parser *p, const char *what);
/* Skips a required token; parentheses decide whether line ends count. */
int cpi_past(parser *p, const char *sign);

#endif
