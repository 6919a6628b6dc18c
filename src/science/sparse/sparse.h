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
    int32_t wide;                           /* a truth, as wide as its place: the mock device reads padding too */
    const void *indptr, *indices, *data;    /* rows + 1, nnz, nnz elements */
} cpi_csr;

/* What two matrices of one type and index type give: `a` alone for sums of duplicates and rows that are taken. */
typedef struct cpi_sparse_job {
    cpi_csr a, b;
    cp_sparse_op op;        /* merge */
    int32_t unique;         /* a truth. find: indices ascend in each row; dense: no entry twice */
    int64_t n;              /* take: rows; find: places; columns: how many; block_merge: elements of a block; */
                            /* product: see there; product_rows, product_pack: all products */
    const int64_t *rows;    /* take: which, within a's rows; find: the rows of the places */
    const int64_t *columns; /* find; columns_count: which */
    int64_t *ends;          /* count: of row r in ends[r + 1]; fill: where row r begins in ends[r]; find: becomes 1 */
                            /* where a row is outside */
    void *indices, *data;   /* the result */
    void *other;            /* align: data of b; `data` has that of a */
    int64_t row_step, column_step; /* dense: in elements of `data`, which is zeroed */
    int64_t *found;         /* product: four counters; take_count: becomes 1 where a row is outside; find: where in */
                            /* a.data, -1: nowhere; product_rows: counts as in `ends`, product_pack: their sums */
} cpi_sparse_job;

/* Coordinates in any order, to rows: those of one row keep their order, or are sorted by column where `twice` is given
 * (`column` is then too): elements of one place keep theirs. */
typedef struct cpi_sparse_coo {
    int64_t n, rows;
    int64_t bytes;              /* of an element: 1, 2, 4, 8 or 16 */
    int64_t wide;               /* a truth */
    const void *row, *column, *data;
    const void *ends;           /* column NULL: that of element k is the row of a CSR matrix with these pointers, */
    int64_t lines;              /* of so many rows */
    void *indptr, *indices, *out;
    int64_t *twice;             /* NULL, or becomes the number of elements that stand where the one before does; */
                                /* CPI_SPARSE_UNSORTED or more: long rows were not sorted */
} cpi_sparse_coo;

#define CPI_SPARSE_UNSORTED ((int64_t)1 << 62)

/* y = a x: of x (columns, k) and y (rows, k), contiguous, of a's type. x NULL: of ones, and k is 1.
 * The element of a row of a is multiplied and added to one of `lanes` sums, the k-th to the sum k % lanes; the sums are
 * then added as a tree. Where k > 1 there is one sum. */
typedef struct cpi_sparse_multiply {
    cpi_csr a;
    int64_t k;
    const void *x;
    void *y;
} cpi_sparse_multiply;
/* y = a x of coordinates in any order, all within the matrix: x (columns, k) and y (rows, k), contiguous, of one type.
 * Products are added in the order of the elements; where k is 1 in the parts of as many rows of one element each, as
 * multiply_transposed adds. */
typedef struct cpi_sparse_triples {
    cp_type type;
    int32_t wide;               /* a truth */
    int64_t n, rows, k;
    const void *row, *column, *data, *x;
    void *y;
} cpi_sparse_triples;
/* The same of blocks: a counts rows, columns and elements in blocks of height * width, which lie by rows, one behind
 * the other in a.data. An element of y has one sum, of blocks in their order, and in each of its columns in theirs. */
typedef struct cpi_sparse_blocks {
    cpi_csr a;
    int64_t height, width, k;
    const void *x;
    void *y;
} cpi_sparse_blocks;
/* y = a x of diagonals: data[i * length + c] is the element of column c on the diagonal offsets[i]; those outside of
 * the matrix are none. x (columns, k) and y (rows, k), contiguous, of one type. An element of y has one sum, in the
 * order of the diagonals. */
typedef struct cpi_sparse_diagonals {
    cp_type type;
    int32_t wide;               /* a truth: offsets are int64 */
    int64_t rows, columns, count, length, k;
    const void *offsets, *data, *x;
    void *y;
} cpi_sparse_diagonals;
/* The product of diagonals of a (rows, inner) and b (inner, columns): y[to][c] is the sum of a[of a][c - shift] *
 * b[of b][c] of those pairs of this `to` whose columns, begin..end-1, have c, in their order; 0 without any. Pairs are
 * in the order of `to`. */
enum { CPI_PAIR_TO, CPI_PAIR_A, CPI_PAIR_B, CPI_PAIR_SHIFT, CPI_PAIR_BEGIN, CPI_PAIR_END, CPI_PAIR_NUMBERS };
typedef struct cpi_sparse_diagonal_product {
    cp_type type;
    int64_t count, pair_count;          /* diagonals of y; pairs */
    int64_t length_a, length_b, length; /* of a row of a, b and y */
    const int64_t *pairs;               /* pair_count times CPI_PAIR_NUMBERS */
    const void *a, *b;
    void *y;
} cpi_sparse_diagonal_product;
/* The product of blocks: a and b count rows, columns and elements in blocks of (height, inner) and (inner, width). */
typedef struct cpi_sparse_block_product {
    cpi_csr a, b;
    int64_t height, inner, width;
    const int64_t *ends;                /* where each row of blocks begins */
    void *indices, *data;
    int64_t *found;                     /* becomes how many blocks are all 0; is 0 before */
} cpi_sparse_block_product;
/* y[i] = the sum of the elements at (first_row + i, first_column + i), in their order, of rows of blocks. */
typedef struct cpi_sparse_diagonal {
    cpi_csr a;                          /* counts blocks */
    int64_t height, width, n, first_row, first_column;
    void *y;
} cpi_sparse_diagonal;
/* Diagonals side by side as lines, rows or columns, without what is 0. A span says of a diagonal which lines it is in,
 * first and the one behind the last, and where line 0 would have its element in the data, and its index. Spans are in
 * the order of their indices. */
enum { CPI_SPAN_FIRST, CPI_SPAN_END, CPI_SPAN_AT, CPI_SPAN_INDEX, CPI_SPAN_NUMBERS };
typedef struct cpi_sparse_spans {
    cp_type type;
    int32_t wide;               /* a truth: of the result's indices */
    int64_t lines, count;
    const int64_t *spans;       /* count times CPI_SPAN_NUMBERS */
    const void *data;
    int64_t *ends;              /* count: of line r in ends[r + 1]; fill: where line r begins in ends[r] */
    void *indices, *out;
} cpi_sparse_spans;
/* Rows as rows of blocks of height * width, whose indices ascend, and those as rows: `a` has rows, columns and
 * elements, or blocks. No element is there twice. */
typedef struct cpi_sparse_tiles {
    cpi_csr a;
    int64_t height, width;
    int64_t *ends;              /* as above, of rows of blocks */
    void *indptr, *indices, *data;
} cpi_sparse_tiles;
/* --- vectors of solvers ---
 *
 * They are contiguous, of n elements of float32, float64, complex64 or complex128. Their numbers (coefficients,
 * products, norms) are float64 or complex128, and stay on the device. A product conjugates its first vector. It is
 * summed in chunks: in each chunk 32 sums of the vectors' type, which are added as a tree in float64; then the chunks'
 * sums in the same way. */
enum { CPI_SPARSE_CHUNK = 1024, CPI_SPARSE_PARTIAL = 32 };
enum { CPI_SPARSE_TERMS = 4, CPI_SPARSE_SUMS = 4, CPI_SPARSE_DOTS = 3 };

/* A basis: rows that lie `step` elements apart. */
typedef struct cpi_sparse_basis {
    cp_type type;
    int64_t n, count, step;
    const void *rows;
    const void *x;
    const void *last;       /* dots: NULL, or the last row: `numbers` are then those of modified Gram-Schmidt, by */
    void *gram;             /* rows' products with earlier ones, of which this row of the matrix is the next */
    int64_t gram_step;
    void *numbers;          /* dots: the rows' products with x; subtract: coefficients */
    void *total;            /* dots: NULL, or they are added to these */
    void *to;               /* subtract: x less the rows times coefficients; may be x */
    void *size;             /* subtract: NULL, or the norm of that, a number */
} cpi_sparse_basis;

/* times * over[0] / under[0] * over[1] / under[1], numbers of the device; NULL is 1. `safe`: 0 where under[0] is. */
typedef struct cpi_sparse_factor {
    double times;
    bool safe;
    const void *over[2], *under[2];
} cpi_sparse_factor;
/* A sum of vectors times factors: `to` may be any of them. */
typedef struct cpi_sparse_sum {
    void *to;
    int terms;
    const void *x[CPI_SPARSE_TERMS];
    cpi_sparse_factor by[CPI_SPARSE_TERMS];
} cpi_sparse_sum;
/* Sums one after the other, then products of the results, in one pass over memory. */
typedef struct cpi_sparse_pass {
    cp_type type;
    int64_t n;
    int sums, dots;
    cpi_sparse_sum sum[CPI_SPARSE_SUMS];
    const void *left[CPI_SPARSE_DOTS], *right[CPI_SPARSE_DOTS];
    void *numbers;          /* the products; `root`: their roots */
    bool root;
    /* NULL, or of a solver: whether it is live (1 or 0), its steps, the residual's norm. Factors of the device's
     * numbers are 0 where it is not live. `measure`: the first product is the norm's square, and it is live where it
     * was and that is not below the limit; `count`: a step was done if it was live. */
    double *state;
    bool measure, count;
    double limit;
    int turn;               /* 0, or which numbers follow the products (turns.inc), */
    void *all;              /* with all of the numbers */
} cpi_sparse_pass;

/* x = a^-1 x of a triangle with k right sides side by side: x (rows, k), contiguous, of a's type, which is float32,
 * float64, complex64 or complex128. Indices ascend; the diagonal is the last element of each row, of an `upper` one the
 * first. */
typedef struct cpi_sparse_triangle {
    cpi_csr a;
    bool upper;
    int64_t k;
    void *x;
    int64_t *found; /* the least row without an element on the diagonal, -1: none */
} cpi_sparse_triangle;

/* The same of any square matrix, or its transpose, of at most CPI_SPARSE_FEW rows or of a narrow band, by elimination
 * with pivots: b elements below the diagonal and c above it are narrow where (b + 1) (b + c + 1) <= CPI_SPARSE_NARROW,
 * or CPI_SPARSE_WIDER of up to CPI_SPARSE_SOME rows. */
enum { CPI_SPARSE_FEW = 100, CPI_SPARSE_SOME = 1 << 14, CPI_SPARSE_NARROW = 192, CPI_SPARSE_WIDER = 2048 };
enum { CPI_SPARSE_NOT_NARROW = -2 };
typedef struct cpi_sparse_system {
    cpi_csr a;
    bool transposed;
    int64_t k;
    void *x;
    int64_t *found; /* becomes a pivot that is not above rounding, or where something is not finite; -1: x is right; */
                    /* CPI_SPARSE_NOT_NARROW: x is as it was */
} cpi_sparse_system;

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
 * slot("blocks", bytes="b->a.nnz * (4 + b->height * b->width * (int64_t)cp_type_size(b->a.type))")
 * slot("diagonals", bytes="d->count * d->length * (int64_t)cp_type_size(d->type)")
 * slot("spans_count", bytes="s->count * s->lines * (int64_t)cp_type_size(s->type)")
 * slot("spans_fill", bytes="s->count * s->lines * (4 + 2 * (int64_t)cp_type_size(s->type))")
 * slot("tile_count", absent="cuda", bytes="tiles->a.nnz * 4")
 * slot("tile_fill", absent="cuda", bytes="tiles->a.nnz * 24")
 * slot("untile", bytes="tiles->a.nnz * tiles->height * tiles->width * 24")
 * slot("multiply_transposed", bytes="m->a.nnz * (4 + (int64_t)cp_type_size(m->a.type))")
 * slot("merge_count", bytes="(j->a.nnz + j->b.nnz) * 4")
 * slot("merge_fill", bytes="(j->a.nnz + j->b.nnz) * 24")
 * slot("align_fill", bytes="(j->a.nnz + j->b.nnz) * 24")
 * slot("product_size", bytes="j->a.nnz * 12")
 * slot("product_all", bytes="j->a.nnz * 12")
 * slot("product_count", bytes="j->a.nnz * 12")
 * slot("product_fill", bytes="j->a.nnz * 12")
 * slot("product_rows", absent="cuda", bytes="j->n * 12")
 * slot("product_pack", absent="cuda", bytes="j->n * 12")
 * slot("sum_count", bytes="j->a.nnz * 4")
 * slot("sum_fill", bytes="j->a.nnz * 24")
 * slot("take_count", bytes="j->n * 24")
 * slot("take_fill", bytes="j->n * 16")
 * slot("dense", bytes="j->a.nnz * 12")
 * slot("find", bytes="j->n * 24")
 * slot("ends", absent="cuda", waits=True, bytes="c->n * 4")
 * slot("triples", absent="cuda", bytes="m->n * (8 + (int64_t)cp_type_size(m->type))")
 * slot("scatter", absent="cuda", bytes="m->a.nnz * (4 + (int64_t)cp_type_size(m->a.type))")
 * slot("columns_count", absent="cuda", bytes="j->a.nnz * 4")
 * slot("columns_fill", absent="cuda", bytes="j->a.nnz * 4")
 * slot("block_merge", absent="cuda", bytes="(j->a.nnz + j->b.nnz) * j->n * 16")
 * slot("block_product", absent="cuda", bytes="b->a.nnz * b->height * b->inner * 16")
 * slot("diagonal_product", absent="cuda", bytes="d->pair_count * d->length * 16")
 * slot("diagonal", absent="cuda", bytes="d->n * 16")
 * slot("substitute", absent="cuda", waits=True,
 *      bytes="triangle->a.nnz * (4 + (int64_t)cp_type_size(triangle->a.type))")
 * slot("solve", absent="cuda", waits=True,
 *      bytes="system->a.nnz * (4 + (int64_t)cp_type_size(system->a.type))")
 * slot("basis_dots", bytes="b->n * (b->count + 1) * (int64_t)cp_type_size(b->type)")
 * slot("basis_subtract", bytes="b->n * (b->count + 2) * (int64_t)cp_type_size(b->type)")
 * slot("basis_project", absent="cuda", bytes="b->n * (b->count + 2) * (int64_t)cp_type_size(b->type) * 2")
 * slot("pass", bytes="p->n * (p->sums * 3 + p->dots) * (int64_t)cp_type_size(p->type)") */
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
    cp_code (*blocks)(cp_stream *stream, const cpi_sparse_blocks *b);
    cp_code (*diagonals)(cp_stream *stream, const cpi_sparse_diagonals *d);
    cp_code (*spans_count)(cp_stream *stream, const cpi_sparse_spans *s);
    cp_code (*spans_fill)(cp_stream *stream, const cpi_sparse_spans *s);
    /* Rows to blocks: how many, and those; without these slots elements find their blocks as triples do. */
    cp_code (*tile_count)(cp_stream *stream, const cpi_sparse_tiles *tiles);
    cp_code (*tile_fill)(cp_stream *stream, const cpi_sparse_tiles *tiles);
    cp_code (*untile)(cp_stream *stream, const cpi_sparse_tiles *tiles); /* blocks to rows, with their pointers */
    /* y = a^T x, k = 1: x has a's rows, y its columns. */
    cp_code (*multiply_transposed)(cp_stream *stream, const cpi_sparse_multiply *m);
    /* Of matrices whose indices ascend: elements that either has, with those of the result that are 0 left out. For
     * align both operands' elements instead, a 0 where one has none, and nothing is left out: op is CP_SPARSE_ALIGN
     * when they are counted. */
    cp_code (*merge_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*merge_fill)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*align_fill)(cp_stream *stream, const cpi_sparse_job *j);
    /* a b: the number of products of each row, and those, in the order in which they are added; then the number of
     * elements, and those, ascending. `found` is 0 before. product_exact: elements that are 0 are neither counted nor
     * written; found[0] to found[2] count rows by length, and found[3] those that are too long: then the counts mean
     * nothing, and product_all is left. n: -1 when counting, then found[0] + found[1] + found[2]. Otherwise found[0]
     * becomes how many elements are 0. */
    cp_code (*product_size)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*product_all)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*product_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*product_fill)(cp_stream *stream, const cpi_sparse_job *j);
    /* The same in one pass, where there is room for all products: product_rows writes the elements of parts of rows,
     * without those that are 0, from where the first row's products would begin (`ends`), and counts each row's;
     * product_pack moves the parts to where the sums of the counts say. b has less than 2^24
     * columns, a less than 2^31 - 1 rows. */
    cp_code (*product_rows)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*product_pack)(cp_stream *stream, const cpi_sparse_job *j);
    /* Of a matrix whose indices ascend or are equal: equal ones become one, their values' sum. */
    cp_code (*sum_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*sum_fill)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*take_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*take_fill)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*dense)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*find)(cp_stream *stream, const cpi_sparse_job *j);
    /* indptr of coordinates whose rows ascend; `falls` becomes 1, and indptr means nothing, where they do not. */
    cp_code (*ends)(cp_stream *stream, const cpi_sparse_coo *c, int64_t *falls);
    cp_code (*triples)(cp_stream *stream, const cpi_sparse_triples *m);
    cp_code (*scatter)(cp_stream *stream, const cpi_sparse_multiply *m); /* multiply_transposed, of any k */
    /* n columns by number, in each row by a's elements and then as they are wanted. `other`: so many indices as a has
     * columns, n, a 32nd of the columns and 2, which the count leaves to the fill. found[0] becomes 1 where a number is
     * outside, found[1] where one is not above the one before, found[2] where one is there twice. */
    cp_code (*columns_count)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*columns_fill)(cp_stream *stream, const cpi_sparse_job *j);
    /* Sums or differences of blocks of n elements where either has one, whose number merge_count has for align;
     * found[0] becomes how many of them are all 0. */
    cp_code (*block_merge)(cp_stream *stream, const cpi_sparse_job *j);
    cp_code (*block_product)(cp_stream *stream, const cpi_sparse_block_product *b);
    cp_code (*diagonal_product)(cp_stream *stream, const cpi_sparse_diagonal_product *d);
    cp_code (*diagonal)(cp_stream *stream, const cpi_sparse_diagonal *d);
    cp_code (*substitute)(cp_stream *stream, const cpi_sparse_triangle *triangle);
    cp_code (*solve)(cp_stream *stream, const cpi_sparse_system *system);
    cp_code (*basis_dots)(cp_stream *stream, const cpi_sparse_basis *b);
    cp_code (*basis_subtract)(cp_stream *stream, const cpi_sparse_basis *b);
    /* Both, and once more where that takes out more than rounding: x less its part in the rows, which need not be
     * orthogonal to it better than that. */
    cp_code (*basis_project)(cp_stream *stream, const cpi_sparse_basis *b);
    cp_code (*pass)(cp_stream *stream, const cpi_sparse_pass *p);
    bool product_exact;
} cpi_sparse_ops;
/*: value("product_exact", cuda="true") */
enum { CPI_SPARSE_PRODUCT_MOST = 4096 };

#ifdef __cplusplus
}
#endif
#include "sparse/slots.h"

#endif
