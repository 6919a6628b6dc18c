/* Factors of a square matrix on the host: what direct.c, lu_cpu.c, match.c and order.c share. */
#ifndef CPI_SPARSE_LU_H
#define CPI_SPARSE_LU_H

#include <stdbool.h>
#include <stdint.h>

#include "cuprite/error.h"
#include "cuprite/types.h"

/* A square matrix of n columns whose row indices ascend, none of which is there twice. */
typedef struct cpi_sparse_lu_matrix {
    int64_t n;
    const int64_t *indptr;
    const int32_t *indices;
    const void *data;
} cpi_sparse_lu_matrix;
/* Compressed columns that grow. */
typedef struct cpi_sparse_lu_columns {
    int64_t *indptr, capacity;
    int32_t *indices;
    void *data;
} cpi_sparse_lu_columns;
/* P A Q = L U: L without its ones, U without its diagonal. Indices are places of pivots. All arrays are owned. */
typedef struct cpi_sparse_lu {
    cp_type type; /* float32, float64, complex64 or complex128 */
    int64_t n;
    cpi_sparse_lu_columns lower, upper;
    void *pivots;            /* U's diagonal */
    int32_t *row, *column;   /* of a place of a pivot: a's row and column */
    int32_t *place;          /* of a row: its place */
} cpi_sparse_lu;
typedef struct cpi_sparse_lu_rules {
    double threshold; /* the diagonal is the pivot where it is at least so large, relative to the column's greatest */
    double drop;      /* elements smaller than this times the column's greatest one are left out; 0: none */
    double fill;      /* the most elements of a factor's column, relative to a's; 0: all */
} cpi_sparse_lu_rules;

/* An order of the columns, or where `symmetric` of rows and columns alike; -1 on failure, else n. */
int64_t cpi_sparse_lu_order(const cpi_sparse_lu_matrix *a, bool symmetric, int32_t *order);
/* Can each column have a pivot in a row of its own? 1 or 0; -1 on failure. */
int cpi_sparse_lu_matches(const cpi_sparse_lu_matrix *a);
/* Has each column at least as much on the diagonal, not 0, as elsewhere? */
bool cpi_sparse_lu_strong(cp_type type, const cpi_sparse_lu_matrix *a);
/* Fills f, of which type, n and column are set. CP_ERROR_LINALG, with the error set, where a column has no pivot. */
cp_code cpi_sparse_lu_factor(const char *name, cpi_sparse_lu *f, const cpi_sparse_lu_matrix *a,
                             const cpi_sparse_lu_rules *rules);
/* x, (n, k) in the order of rows, becomes the solution; trans as cp_lu_solve. Of real factors x may be complex numbers
 * as pairs of columns. */
cp_code cpi_sparse_lu_solve(const cpi_sparse_lu *f, int trans, int64_t k, void *x);
void cpi_sparse_lu_end(cpi_sparse_lu *f);

#endif
