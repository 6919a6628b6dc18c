/* Sparse matrices, as three arrays: of compressed rows (CSR), or, of the transpose, compressed columns (CSC).
 *
 * Row r of such a matrix has the elements data[k] in the columns indices[k], indptr[r] <= k < indptr[r + 1]. All are
 * 1-d; indices and indptr are both int32 or both int64; data are of any type but float16 and bfloat16. The number of
 * rows is indptr's length less 1, the last of indptr that of the elements. The arrays are the caller's and are not
 * copied. Functions trust them: check those that come from elsewhere once with cp_csr_check. Elements that stand twice
 * count as their sum, except where the indices must ascend. Results are new arrays; on failure none is set. Sums have a
 * fixed order: the same bits on every device. Functions whose result's size depends on the elements wait for the
 * device. */
#ifndef CUPRITE_CSR_H
#define CUPRITE_CSR_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What cp_csr_check finds. The last two are no errors. */
enum {
    CP_SPARSE_BAD_START = 1,      /* indptr does not start with 0 */
    CP_SPARSE_BAD_POINTERS = 2,   /* indptr falls, or exceeds the number of indices */
    CP_SPARSE_BAD_LOW = 4,        /* an index is negative */
    CP_SPARSE_BAD_HIGH = 8,       /* an index is beyond the columns */
    CP_SPARSE_UNSORTED = 16,      /* the indices of a row do not ascend */
    CP_SPARSE_DUPLICATES = 32,    /* two neighbours in a row are equal */
    CP_SPARSE_LAST = 256          /* times the last pointer, where that is not negative */
};
typedef enum cp_sparse_op {
    CP_SPARSE_ADD, CP_SPARSE_SUBTRACT, CP_SPARSE_MULTIPLY,
    CP_SPARSE_NOT_EQUAL, /* 1 where elements differ */
    CP_SPARSE_ALIGN /* cp_csr_align's own */
} cp_sparse_op;

/* One pass over a matrix: a 0-d int64 array of the bits above and indptr's last element times CP_SPARSE_LAST. */
CP_API cp_array *cp_csr_check(cp_array *indices, cp_array *indptr, int64_t columns);
/* The row of each element: indptr written out. `indices` has as many. */
CP_API cp_array *cp_csr_rows(cp_array *indices, cp_array *indptr);
/* Coordinates to compressed rows: elements of one row keep their order. Rows are within 0..nrows-1. */
CP_API cp_code cp_csr_compress(cp_array *values, cp_array *row, cp_array *column, int64_t nrows, cp_array **data,
                                  cp_array **indices, cp_array **indptr);
/* Coordinates to compressed rows of `ncolumns` columns whose indices ascend: elements of one place become their sum, in
 * their order. */
CP_API cp_code cp_csr_canonical(cp_array *values, cp_array *row, cp_array *column, int64_t nrows, int64_t ncolumns,
                                cp_array **data, cp_array **indices, cp_array **indptr);
/* The transpose of a matrix of so many columns, as rows whose indices ascend. */
CP_API cp_code cp_csr_transpose(cp_array *values, cp_array *index, cp_array *ends, int64_t columns, cp_array **data,
                                   cp_array **indices, cp_array **indptr);
/* The elements of each row by column, of a matrix of so many columns; those of one column keep their order. */
CP_API cp_code cp_csr_sort(cp_array *values, cp_array *index, cp_array *ends, int64_t columns, cp_array **data,
                              cp_array **indices, cp_array **indptr);
/* The matrix times x: a vector of `columns` elements, or (columns, k). Both become their common type. */
CP_API cp_array *cp_csr_multiply(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, cp_array *x);
/* The same where the elements are blocks: data is (n, height, width), indices and indptr count blocks, `columns` their
 * elements' columns. Sums are of blocks in their order, and within each in its columns' order. */
CP_API cp_array *cp_bsr_multiply(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, cp_array *x);
/* Blocks as compressed rows: all of their elements, those that are 0 too. */
CP_API cp_code cp_bsr_rows(cp_array *blocks, cp_array *index, cp_array *ends, int64_t columns, cp_array **data,
                           cp_array **indices, cp_array **indptr);
/* In how many blocks of (height, width) compressed rows have elements; -1 on failure. Waits. */
CP_API int64_t cp_bsr_count(cp_array *index, cp_array *ends, int64_t columns, int64_t height, int64_t width);
/* Compressed rows without an element that stands twice as blocks, whose indices ascend in each row of blocks; rows and
 * columns are multiples of those of a block. Waits. */
CP_API cp_code cp_bsr_from_rows(cp_array *values, cp_array *index, cp_array *ends, int64_t columns, int64_t height,
                                int64_t width, cp_array **data, cp_array **indices, cp_array **indptr);
/* Diagonals times x, a vector of `columns` elements or (columns, k): data[i][c] is the element of column c on the
 * diagonal offsets[i]; what lies outside of the matrix is none. Sums are in the order of the diagonals. */
CP_API cp_array *cp_dia_multiply(cp_array *data, cp_array *offsets, int64_t rows, int64_t columns, cp_array *x);
/* Diagonals, of which no offset stands twice, as compressed rows, or columns, without what is 0; indices ascend. Waits.
 */
CP_API cp_code cp_dia_compress(cp_array *diagonals, cp_array *offsets, int64_t rows, int64_t columns, bool by_columns,
                               cp_array **data, cp_array **indices, cp_array **indptr);
/* The sum, or the difference, of two matrices of blocks of one type and shape whose indices ascend, `columns` blocks
 * wide: a block where either has one. empty: 0-d int64, how many of them are all 0. On the CPU alone. */
CP_API cp_code cp_bsr_merge(cp_sparse_op op, cp_array *data_a, cp_array *indices_a, cp_array *indptr_a,
                            cp_array *data_b, cp_array *indices_b, cp_array *indptr_b, int64_t columns,
                            cp_array **data, cp_array **indices, cp_array **indptr, cp_array **empty);
/* The product of matrices of blocks of one type, (n, height, inner) and (m, inner, width); `columns` are the second
 * one's, of elements. Indices of a result's row ascend. A sum is of blocks in their order, and in each of its columns
 * in theirs, as where both are rows; the second matrix must have no block twice. empty: 0-d int64, how many of the
 * result's blocks are all 0. On the CPU alone. */
CP_API cp_code cp_bsr_product(cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                              cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **data,
                              cp_array **indices, cp_array **indptr, cp_array **empty);
/* The product of diagonals of one type, of matrices (rows, inner) and (inner, columns), as diagonals: of each sum of an
 * offset of either that is within the matrix, ascending. An element's products are added in the order of the second
 * matrix' diagonals. Waits. On the CPU alone. */
CP_API cp_code cp_dia_product(cp_array *data_a, cp_array *offsets_a, cp_array *data_b, cp_array *offsets_b,
                              int64_t rows, int64_t inner, int64_t columns, cp_array **data, cp_array **offsets);
/* The k-th diagonal of a matrix of so many columns, or where data is (n, height, width) of one of blocks. On the CPU
 * alone. */
CP_API cp_array *cp_csr_diagonal(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, int64_t k);
/* indptr of coordinates of rows 0..nrows-1 that ascend; empty where they do not. On the CPU alone. */
CP_API cp_array *cp_coo_ends(cp_array *row, int64_t nrows);
/* Coordinates in any order times x, a vector or (columns, k); they are within the matrix. Products are added in the
 * elements' order. On the CPU alone. */
CP_API cp_array *cp_coo_multiply(cp_array *data, cp_array *row, cp_array *column, int64_t nrows, cp_array *x);
/* The transpose of the matrix times a vector, or on the CPU (rows, k). */
CP_API cp_array *cp_csr_multiply_transposed(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns,
                                               cp_array *x);
/* x with a x = b of a triangle a whose indices ascend, so that the diagonal ends each row, or begins it where it is the
 * `upper` one; b (here x) is a vector or (rows, k). On the CPU alone; CP_ERROR_UNSUPPORTED elsewhere, CP_ERROR_VALUE
 * for a row without its diagonal. */
CP_API cp_array *cp_csr_substitute(cp_array *data, cp_array *indices, cp_array *indptr, bool upper, cp_array *x);
/* x with a x = b of a square matrix of at most 100 rows or of a narrow band, or of its transpose, by elimination with
 * pivots; b (here x) as above. An empty array for other matrices. On the CPU alone. CP_ERROR_LINALG where a pivot is
 * not above rounding, or where something is not finite. */
CP_API cp_array *cp_csr_solve(cp_array *data, cp_array *indices, cp_array *indptr, bool transposed, cp_array *x);
/* The sums of rows, or of columns, in the data's type. */
CP_API cp_array *cp_csr_sum(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, int axis);
/* The product of two matrices of one type; b has `columns` columns. a has as many columns as b rows.
 * Indices ascend; elements that become 0 are left out. */
CP_API cp_code cp_csr_product(cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                                 cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **data,
                                 cp_array **indices, cp_array **indptr);
/* a + b, a - b, or elements times elements, of one type, the indices ascending: elements that become 0 are left out. */
CP_API cp_code cp_csr_merge(cp_sparse_op op, cp_array *data_a, cp_array *indices_a, cp_array *indptr_a,
                               cp_array *data_b, cp_array *indices_b, cp_array *indptr_b, int64_t columns,
                               cp_array **data, cp_array **indices, cp_array **indptr);
/* The elements of both at the places that either has: values a and b, a 0 where one has none. */
CP_API cp_code cp_csr_align(cp_array *data_a, cp_array *indices_a, cp_array *indptr_a, cp_array *data_b,
                               cp_array *indices_b, cp_array *indptr_b, int64_t columns, cp_array **a, cp_array **b,
                               cp_array **indices, cp_array **indptr);
/* Elements that stand twice become one. The indices of each row ascend, or are equal. */
CP_API cp_code cp_csr_sum_duplicates(cp_array *values, cp_array *index, cp_array *ends, cp_array **data,
                                        cp_array **indices, cp_array **indptr);
/* Rows by number, int64 from 0; CP_ERROR_INDEX for one outside. */
CP_API cp_code cp_csr_take(cp_array *values, cp_array *index, cp_array *ends, cp_array *rows, cp_array **data,
                           cp_array **indices, cp_array **indptr);
/* Columns by number, int64 from 0, of a matrix of `ncolumns`; indices of the result ascend. `ascend`: those of the
 * matrix do. CP_ERROR_INDEX for a column outside. On the CPU alone. */
CP_API cp_code cp_csr_take_columns(cp_array *values, cp_array *index, cp_array *ends, int64_t ncolumns,
                                   cp_array *columns, bool ascend, cp_array **data, cp_array **indices,
                                   cp_array **indptr);
/* The elements whose `keep`, an array as long as the values, is not 0. */
CP_API cp_code cp_csr_select(cp_array *values, cp_array *index, cp_array *ends, cp_array *keep, cp_array **data,
                                cp_array **indices, cp_array **indptr);
/* The matrix as an array (rows, columns), or its transpose. `unique`: no element stands twice. */
CP_API cp_array *cp_csr_dense(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, bool transposed,
                                 bool unique);
/* Where the elements at rows[i], columns[i] (int64, within the matrix) stand in data: int64, -1 where there is none.
 * `ascend`: the indices of each row do. Of several the last one. */
CP_API cp_array *cp_csr_find(cp_array *indices, cp_array *indptr, cp_array *rows, cp_array *columns, bool ascend);

/* A solver's basis: orthonormal rows 0..row of `basis`, float32, float64, complex64 or complex128. w, a vector, is made
 * orthogonal to them, and becomes the row behind with length 1, or 0s where nothing is left. Its coefficients and the
 * norm of what was left become row `row` of h, float64 or complex128; all stays on the device. `near` -1: by modified
 * Gram and Schmidt's method; `gram`, a matrix as h, keeps the rows' products: the caller leaves to each row what the
 * call for it has written. Else twice: along rows near..row, then along all, what rounding has left too. */
CP_API cp_code cp_basis_extend(cp_array *basis, cp_array *w, cp_array *h, cp_array *gram, int64_t row, int64_t near);
/* Sums of a solver's vectors, then products of the results, in one pass over memory. All vectors are contiguous, of one
 * length and of float32, float64, complex64 or complex128; numbers, contiguous too, of float64 or complex128. `plan`:
 * flags; the place of the first product in `numbers`; how many sums, at most 4, each: where it goes, how many terms, at
 * most 4, each: a vector and a CP_FACTOR; how many products, at most 3, each: two vectors, of which the first one is
 * conjugated. Sums may overwrite their terms.
 *
 * `state` (NULL: none) has three float64: whether a solver is live (1 or 0), its steps, its residual's norm. Where it
 * is not live, factors that have numbers of the device are 0. Flag 1: the root of the first product is the norm, and
 * the solver is live if it was, and that is not below `limit`; flag 2: a step was made if it was live; flag 4: products
 * become their roots. A multiple of 8 up to 160: one of the turns of minres, bicg, qmr, bicgstab, tfqmr, lsqr or lsmr
 * follows, whose numbers and state are those of src/science/sparse/turns.inc. */
CP_API cp_code cp_vectors_pass(int vectors, cp_array *const *vector, int n, const int64_t *plan, cp_array *numbers,
                               cp_array *state, double a, double b, double c, double d, double limit);
enum { CP_PASS_SCALARS = 4 };
/* 1, or a, b, c or d (scalar 1 to 4), negative or not, times numbers[over - 1] / numbers[under - 1], for 0 without, and
 * times one more such quotient. CP_FACTOR_SAFE: 0 where numbers[under - 1] is. */
enum { CP_FACTOR_SAFE = 1 << 20 };
#define CP_FACTOR(negative, scalar, over, under, over2, under2)                                             \
    ((negative) | (scalar) << 1 | (over) << 4 | (under) << 8 | (over2) << 12 | (under2) << 16)

#ifdef __cplusplus
}
#endif
#endif
