/* The slots that a backend fills for the module sparse: matrices of compressed rows (CSR), whose transposes are those
 * of compressed columns.
 *
 * Indices and pointers are int32, or int64 (`wide`), contiguous, and were checked: pointers start at 0, never fall and
 * end with nnz; indices are within the columns. An operation whose result's size depends on the elements is two slots:
 * one counts each row, the caller sums and allocates, and the other one fills. Each sum has a fixed order, so that
 * every device gives the same bits. */
#ifndef CPI_SPARSE_H
#define CPI_SPARSE_H

#include "backend/backend.h"
#include "cuprite/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpi_csr {
    int64_t rows, columns, nnz;
    cp_type type;                           /* of the data */
    bool wide;
    const void *indptr, *indices, *data;    /* rows + 1, nnz, nnz elements */
} cpi_csr;

/* What two matrices of one type and index type give: `a` alone for sums of duplicates and rows that are taken. */
typedef struct cpi_sparse_job {
    cpi_csr a, b;
    cp_sparse_op op;        /* merge */
    bool unique;            /* find: indices ascend in each row; dense: no entry twice; product_size: see there */
    int64_t n;              /* take: rows; find: places */
    const int64_t *rows;    /* take: which, within a's rows; find: the rows of the places */
    const int64_t *columns; /* find */
    int64_t *ends;          /* count: of row r in ends[r + 1]; fill: where row r begins in ends[r] */
    void *indices, *data;   /* the result */
    void *other;            /* align: data of b; `data` has that of a */
    int64_t row_step, column_step; /* dense: in elements of `data`, which is zeroed */
    int64_t *found;         /* product: how many elements are 0; find: where in a.data, -1: nowhere */
} cpi_sparse_job;

/* Coordinates in any order, to rows: those of one row keep their order. */
typedef struct cpi_sparse_coo {
    int64_t n, rows;
    int64_t bytes;              /* of an element: 1, 2, 4, 8 or 16 */
    bool wide;
    const void *row, *column, *data;
    const void *ends;           /* column NULL: that of element k is the row of a CSR matrix with these pointers, */
    int64_t lines;              /* of so many rows */
    void *indptr, *indices, *out;
} cpi_sparse_coo;

/* y = a x: of x (columns, k) and y (rows, k), contiguous, of a's type. x NULL: of ones, and k is 1.
 * The element of a row of a is multiplied and added to one of `lanes` sums, the k-th to the sum k % lanes; the sums are
 * then added as a tree. Where k > 1 there is one sum. */
typedef struct cpi_sparse_multiply {
    cpi_csr a;
    int64_t k;
    const void *x;
    void *y;
} cpi_sparse_multiply;
/* The class of elements that are computed alike, of CPI_SPARSE_CLASSES: bool, integers by size, floats, complex. */
enum { CPI_SPARSE_CLASSES = 9 };
static inline int cpi_sparse_class(cp_type t)
{
    const int64_t size = cpi_itemsize(t);
    if (t == CP_DEFAULT || t == CP_BOOL) return 0;
    if (cpi_is_complex(t)) return size == 8 ? 7 : 8;
    if (cpi_is_int(t) || cpi_is_half(t)) return size == 1 ? 1 : size == 2 ? 2 : size == 4 ? 3 : 4;
    return size == 4 ? 5 : 6;
}
static inline int cpi_sparse_accumulators(const cpi_csr *a) { return a->nnz / 32 >= a->rows ? 16 : 4; }
/* The rows of a part: at most 4 parts of a's rows, whose sums are added separately by multiply_transposed. */
static inline int64_t cpi_sparse_part(const cpi_csr *a)
{
    const int64_t parts = a->nnz < 1 << 16 ? 1 : a->nnz < 1 << 22 ? 2 : 4;
    return (a->rows + parts - 1) / parts;
}

/*: slot("check", bytes="a->nnz * 4")
 * slot("expand", bytes="a->nnz * 8")
 * slot("compress", bytes="c->n * (8 + c->bytes) * 2")
 * slot("sort", absent="cuda", bytes="a->nnz * (8 + (int64_t)cp_type_size(a->type)) * 2")
 * slot("multiply", bytes="m->a.nnz * (4 + (int64_t)cp_type_size(m->a.type))")
 * slot("multiply_transposed", bytes="m->a.nnz * (4 + (int64_t)cp_type_size(m->a.type))")
 * slot("merge_count", bytes="(j->a.nnz + j->b.nnz) * 4")
 * slot("merge_fill", bytes="(j->a.nnz + j->b.nnz) * 24")
 * slot("align_fill", bytes="(j->a.nnz + j->b.nnz) * 24")
 * slot("product_size", bytes="j->a.nnz * 12")
 * slot("product_all", bytes="j->a.nnz * 12")
 * slot("product_count", bytes="j->a.nnz * 12")
 * slot("product_fill", bytes="j->a.nnz * 12")
 * slot("sum_count", bytes="j->a.nnz * 4")
 * slot("sum_fill", bytes="j->a.nnz * 24")
 * slot("take_count", bytes="j->n * 24")
 * slot("take_fill", bytes="j->n * 16")
 * slot("dense", bytes="j->a.nnz * 12")
 * slot("find", bytes="j->n * 24") */
typedef struct cpi_sparse_ops {
    /* found: CP_SPARSE_... bits, and the last pointer above CP_SPARSE_LAST; nothing is read beyond nnz. rows may be 0.
     */
    cp_code (*check)(cp_stream *stream, const cpi_csr *a, int64_t *found);
    cp_code (*expand)(cp_stream *stream, const cpi_csr *a, void *rows); /* the row of each element */
    cp_code (*compress)(cp_stream *stream, const cpi_sparse_coo *c);
    /* The elements of each row by column; those of one column keep their order. Without it a matrix is transposed
     * twice. */
    cp_code (*sort)(cp_stream *stream, const cpi_csr *a, void *indices, void *data);
    cp_code (*multiply)(cp_stream *stream, const cpi_sparse_multiply *m);
    /* y = a^T x, k = 1: x has a's rows, y its columns. */
    cp_code (*multiply_transposed)(cp_stream *stream, const cpi_sparse_multiply *m);
    /* Of matrices whose indices ascend: elements that either has, with those of the result that are 0 left out. For
     * align both operands' elements instead, a 0 where one has none, and nothing is left out: op is CP_SPARSE_ALIGN
     * when they are counted. */
    cp_code (*merge_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*merge_fill)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*align_fill)(cp_stream *stream, const cpi_sparse_job *j);
    /* a b: the number of products of each row (`unique`: an element of a without any counts as one), and those, in the
     * order in which they are added; then the number of elements, and those, ascending. `found` is 0 before. n: the
     * most that product_size counted so, at most product_most; `ends` has what it counted. */
    cp_code (*product_size)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*product_all)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*product_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*product_fill)(cp_stream *stream, const cpi_sparse_job *j);
    /* Of a matrix whose indices ascend or are equal: equal ones become one, their values' sum. */
    cp_code (*sum_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*sum_fill)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*take_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*take_fill)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*dense)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*find)(cp_stream *stream, const cpi_sparse_job *j);
    int64_t product_most; /* 0: any number, and n is not needed */
} cpi_sparse_ops;
/*: value("product_most", cuda="CPI_SPARSE_PRODUCT_MOST") */
enum { CPI_SPARSE_PRODUCT_MOST = 4096 };

#ifdef __cplusplus
}
#endif
#include "sparse/slots.h"

#endif
