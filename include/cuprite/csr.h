/* Sparse matrices, as three arrays: of compressed rows (CSR), or, of the transpose, compressed columns (CSC).
 *
 * Row r of such a matrix has the elements data[k] in the columns indices[k], indptr[r] <= k < indptr[r + 1]. All are
 * 1-d; indices and indptr are both int32 or both int64; data are of any type but float16 and bfloat16. The number of
 * rows is indptr's length less 1. The arrays are the caller's and are not copied. Functions trust them: check those
 * that come from elsewhere once with cp_csr_check. Elements that stand twice count as their sum, except where the
 * indices must ascend. Results are new arrays; on failure none is set. Sums have a fixed order: the same bits on every
 * device. Functions whose result's size depends on the elements wait for the device. */
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
    CP_SPARSE_ALIGN /* cp_csr_align's own */
} cp_sparse_op;

/* One pass over a matrix: a 0-d int64 array of the bits above and indptr's last element times CP_SPARSE_LAST. */
CP_API cp_array *cp_csr_check(cp_array *indices, cp_array *indptr, int64_t columns);
/* The row of each element: indptr written out. `indices` has as many. */
CP_API cp_array *cp_csr_rows(cp_array *indices, cp_array *indptr);
/* Coordinates to compressed rows: elements of one row keep their order. Rows are within 0..nrows-1. */
CP_API cp_code cp_csr_compress(cp_array *values, cp_array *row, cp_array *column, int64_t nrows, cp_array **data,
                                  cp_array **indices, cp_array **indptr);
/* The transpose of a matrix of so many columns, as rows whose indices ascend. */
CP_API cp_code cp_csr_transpose(cp_array *values, cp_array *index, cp_array *ends, int64_t columns, cp_array **data,
                                   cp_array **indices, cp_array **indptr);
/* The elements of each row by column, of a matrix of so many columns; those of one column keep their order. */
CP_API cp_code cp_csr_sort(cp_array *values, cp_array *index, cp_array *ends, int64_t columns, cp_array **data,
                              cp_array **indices, cp_array **indptr);
/* The matrix times x: a vector of `columns` elements, or (columns, k). Both become their common type. */
CP_API cp_array *cp_csr_multiply(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, cp_array *x);
/* The transpose of the matrix times a vector. */
CP_API cp_array *cp_csr_multiply_transposed(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns,
                                               cp_array *x);
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
/* Rows by number, int64 from 0; CP_ERROR_INDEX for one outside, unless they are known to lie `inside`. */
CP_API cp_code cp_csr_take(cp_array *values, cp_array *index, cp_array *ends, cp_array *rows, bool inside,
                              cp_array **data, cp_array **indices, cp_array **indptr);
/* The elements whose `keep`, an array as long as the values, is not 0. */
CP_API cp_code cp_csr_select(cp_array *values, cp_array *index, cp_array *ends, cp_array *keep, cp_array **data,
                                cp_array **indices, cp_array **indptr);
/* The matrix as an array (rows, columns), or its transpose. `unique`: no element stands twice. */
CP_API cp_array *cp_csr_dense(cp_array *data, cp_array *indices, cp_array *indptr, int64_t columns, bool transposed,
                                 bool unique);
/* Where the elements at rows[i], columns[i] (int64, within the matrix) stand in data: int64, -1 where there is none.
 * `ascend`: the indices of each row do. Of several the last one. */
CP_API cp_array *cp_csr_find(cp_array *indices, cp_array *indptr, cp_array *rows, cp_array *columns, bool ascend);

#ifdef __cplusplus
}
#endif
#endif
