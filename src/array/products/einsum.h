/* Terms of an einsum: arrays whose axes have labels. */
#ifndef CPI_PRODUCTS_EINSUM_H
#define CPI_PRODUCTS_EINSUM_H

#include "core/array.h"

enum {
    CPI_LETTERS = 52,                        /* A-Z, a-z */
    CPI_LABELS = CPI_LETTERS + CP_MAXDIM,    /* and the axes of an ellipsis, counted from the last */
    CPI_TERMS = 64
};
typedef unsigned __int128 cpi_label_set;     /* bit i: label i */
#define CPI_LABEL(i) ((cpi_label_set)1 << (i))

typedef struct cpi_einsum_term {
    int n;
    unsigned char label[CP_MAXDIM]; /* of each axis; each once after cpi_einsum_diagonals */
} cpi_einsum_term;

typedef struct cpi_einsum {
    int n;                          /* operands */
    cpi_einsum_term in[CPI_TERMS], out;
    int64_t extent[CPI_LABELS];
} cpi_einsum;

static inline cpi_label_set cpi_labels_of(const cpi_einsum_term *t)
{
    cpi_label_set s = 0;
    for (int i = 0; i < t->n; i++) s |= CPI_LABEL(t->label[i]);
    return s;
}

/* Parses the subscripts for these operands, and finds the length of each label. */
cp_code cpi_einsum_parse(cpi_einsum *e, const char *subscripts, int n, cp_array *const *operands);

/* Which two terms are multiplied next: positions in a list from which both are removed; the result is appended. */
typedef struct cpi_contraction { int i, j; } cpi_contraction;
/* A path for n terms with these labels, whose results keep `wanted` and what other terms have; n - 1 steps. `best`: the
 * fewest operations, by exhaustive search (for few terms); else greedy: the greatest gain of memory at each step. */
void cpi_einsum_path(int n, const cpi_label_set *terms, cpi_label_set wanted, const int64_t *extent, bool best,
                     cpi_contraction *steps);

#endif
