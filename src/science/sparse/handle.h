/* The record behind cp_sparse, and what the functions of matrices share.
 *
 * Invariant: the three arrays (diagonals: two) are contiguous, on one device, were checked, and are never written to.
 * `major` and `minor` are the lengths of the axes that indptr and the indices count: csc is csr of the transpose, so
 * that a function of compressed rows serves both. */
#ifndef CPI_SPARSE_HANDLE_H
#define CPI_SPARSE_HANDLE_H

#include "compose/compose.h"
#include "cuprite/sparse.h"
#include "sparse/sparse.h"

struct cp_sparse {
    int refs;
    cp_sparse_format format;
    int64_t rows, columns;
    cp_array *part[3];  /* owned; in the format's order; diagonals have no third */
    int64_t stored;     /* how many elements */
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
/* A matrix of these arrays, of which it takes references of its own; NULL where one of them is NULL. Of diagonals the
 * caller sets `stored`. */
cp_sparse *cpi_sparse_made(cp_sparse_format format, int64_t rows, int64_t columns, cpi_sparse_parts parts, bool sorted,
                           bool canonical);
/* Ends the call; NULL, with the matrix freed, where anything in it failed. */
cp_sparse *cpi_sparse_end(const cpi_composite *f, cp_sparse *made);
/* Is it compressed rows or columns? */
static inline bool cpi_sparse_has_lines(const cp_sparse *a)
{
    return a->format == CP_SPARSE_CSR || a->format == CP_SPARSE_CSC;
}
/* A matrix as compressed rows where it is triples, diagonals or blocks: a reference. */
cp_sparse *cpi_sparse_compressed(cp_sparse *a);
/* The same, canonical. */
cp_sparse *cpi_sparse_canonical(cp_sparse *a);
/* The same places with other elements. */
cp_sparse *cpi_sparse_with_data(const cp_sparse *a, cp_array *data);
/* The elements of compressed lines whose `keep` is not 0. */
cp_sparse *cpi_sparse_kept(const cp_sparse *a, cp_array *keep);
/* Two matrices as a's format has them, compressed, of one type, canonical where that is asked for: references in
 * `out`, which the caller frees. False on failure. */
bool cpi_sparse_agree(cp_sparse *a, cp_sparse *b, bool canonical, cp_sparse *out[2]);
/* What was made of a's elements: triples of triples, of diagonals and blocks the compressed rows that it is. */
cp_sparse *cpi_sparse_in_kind(cp_sparse *made, const cp_sparse *a);

cp_code cpi_sparse_check_axis(const char *name, int axis); /* 0, 1 or CP_FLAT */
/* Do rows and columns hold a matrix? */
cp_code cpi_sparse_check_shape(const char *name, int64_t rows, int64_t columns, cp_sparse_format format);
cp_code cpi_sparse_check_type(const char *name, const char *what, cp_type t);
/* Triples in the format of `like`: compressed rows where that is of diagonals or blocks. */
cp_sparse *cpi_sparse_of_triples(int64_t rows, int64_t columns, cpi_sparse_parts p, cp_sparse_format like);
/* What an item of cp_sparse_slice takes of an axis of n: numbers, int64; NULL with the error set. */
cp_array *cpi_sparse_chosen(const char *name, const cp_index *item, int axis, int64_t n);

/* --- diagonals and blocks (formats.c), inside of a call --- */

cp_code cpi_sparse_check_rows(const char *name, cp_array *indices, cp_array *indptr, int64_t minor, int64_t *found,
                              int64_t *last);
/* Of arrays that are checked for all but their shapes and values: contiguous, on one device. */
cp_sparse *cpi_sparse_of_diagonals(const char *name, int64_t rows, int64_t columns, cp_array *data, cp_array *offsets);
cp_sparse *cpi_sparse_of_blocks(const char *name, int64_t rows, int64_t columns, cpi_sparse_parts p);
/* Compressed rows, of diagonals also columns. */
cp_sparse *cpi_sparse_lines_of(const cp_sparse *a, cp_sparse_format format);
cp_sparse *cpi_sparse_to_diagonals(cp_sparse *a);
cp_sparse *cpi_sparse_turned(const cp_sparse *a);

#endif
