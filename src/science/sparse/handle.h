/* The record behind cp_sparse, and what the functions of matrices share.
 *
 * Invariant: the three arrays are contiguous, on one device, were checked, and are never written to. `major` and
 * `minor` are the lengths of the axes that indptr and the indices count: csc is csr of the transpose, so that a
 * function of compressed rows serves both. */
#ifndef CPI_SPARSE_HANDLE_H
#define CPI_SPARSE_HANDLE_H

#include "compose/compose.h"
#include "cuprite/sparse.h"
#include "sparse/sparse.h"

struct cp_sparse {
    int refs;
    cp_sparse_format format;
    int64_t rows, columns;
    cp_array *part[3];  /* owned; in the format's order */
    bool sorted, canonical;
};

static inline int64_t cpi_sparse_major(const cp_sparse *a) { return a->format == CP_SPARSE_CSC ? a->columns : a->rows; }
static inline int64_t cpi_sparse_minor(const cp_sparse *a) { return a->format == CP_SPARSE_CSC ? a->rows : a->columns; }

/* The arrays of a result, before it is a matrix. */
typedef struct cpi_sparse_parts { cp_array *data, *first, *second; } cpi_sparse_parts;
static inline cpi_sparse_parts cpi_sparse_parts_of(const cp_sparse *a)
{
    const cpi_sparse_parts p = {a->part[0], a->part[1], a->part[2]};
    return p;
}

/* A call with the matrix's device current, and a scope that frees what it makes; ended by cpi_sparse_end or cpi_end. */
bool cpi_sparse_begin(cpi_composite *f, const char *function, const cp_sparse *a);
/* A matrix of these arrays, of which it takes references of its own; NULL where one of them is NULL. */
cp_sparse *cpi_sparse_made(cp_sparse_format format, int64_t rows, int64_t columns, cpi_sparse_parts parts, bool sorted,
                           bool canonical);
/* Ends the call; NULL, with the matrix freed, where anything in it failed. */
cp_sparse *cpi_sparse_end(const cpi_composite *f, cp_sparse *made);
/* A matrix as compressed rows where it is triples: a reference. */
cp_sparse *cpi_sparse_compressed(cp_sparse *a);

#endif
