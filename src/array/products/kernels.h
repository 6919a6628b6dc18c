/* The tables of the CPU's loops of one instruction set: one for each way in which elements are stored. */
#ifndef CPI_PRODUCTS_KERNELS_H
#define CPI_PRODUCTS_KERNELS_H

#include "products/products.h"

enum { CPI_SMALL_ROWS = 8, CPI_SMALL_VECTORS = 4 };
enum { CPI_DEPTH = 256 };     /* products that a block adds up before the next block's turn */

/* Strides of the rows of small matrices, in bytes. */
typedef struct cpi_small {
    int64_t k, a_row, a_col, b_row, c_row;
    int64_t last;             /* where a row's last vector begins */
    bool conjugate;           /* the elements of a; only dot products use it */
} cpi_small;
/* A block of c, with contiguous rows of b; or dot products of rows of a and of b, with contiguous ones of c. */
typedef void cpi_small_fn(const cpi_small *s, const void *a, const void *b, void *c);

/* A batch of matrices of one size, with contiguous rows; a step is a matrix's bytes or 0. */
typedef void cpi_squares_fn(int64_t count, const char *a, int64_t a_step, const char *b, int64_t b_step, char *c);

/* Those whose vectors have `bytes` bytes, for rows that have as many. */
typedef struct cpi_small_product_kernels {
    int bytes, vectors;
    cpi_small_fn *block[CPI_SMALL_VECTORS][CPI_SMALL_ROWS]; /* [vectors - 1][rows - 1]; NULL: too large */
    cpi_small_fn *sums[2];                                  /* of one row, and of `rows` of them */
    int rows;
} cpi_small_product_kernels;

/* Strides count elements; rows of b and c are contiguous. */
typedef struct cpi_product_kernels {
    int item;                 /* bytes of an element as it is computed with */
    int rows, cols;           /* of a block of c that stays in registers */
    bool large;               /* they are faster than OpenBLAS with large matrices */
    /* c = a b for a matrix that is small enough for one go; scratch holds b: k times the columns, rounded up to blocks
     * of `cols`. NULL where there are kernels of blocks. */
    void (*small)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col, const void *b,
                  int64_t b_row, int64_t b_col, void *c, int64_t c_row, void *scratch);
    /* Packs a part of an operand in blocks: k times `rows` of a, k times `cols` of b, padded with zeros. */
    void (*pack_a)(int64_t m, int64_t k, const void *a, int64_t row, int64_t col, void *to);
    void (*pack_b)(int64_t n, int64_t k, const void *b, int64_t row, int64_t col, void *to);
    /* sums (+)= a b of the two; `sums` has m rows of `pitch` elements to compute with. */
    void (*multiply)(int64_t m, int64_t n, int64_t k, const void *a, const void *b, void *sums, int64_t pitch,
                     bool add);
    /* The same of a in place, with contiguous rows or columns; m >= rows. NULL: not of this type. */
    void (*multiply_rows)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col, const void *b,
                          void *sums, int64_t pitch, bool add);
    void (*store)(int64_t m, int64_t n, const void *sums, int64_t pitch, void *c, int64_t c_row);
    /* The sum of n products, as it is computed with; and the sum of `n` such sums as an element of c. */
    void (*dot)(int64_t n, const void *a, int64_t a_step, const void *b, int64_t b_step, bool conjugate, void *sum);
    void (*finish)(int64_t n, const void *sums, void *c);
    /* sums[i] (+)= a[i] * b for m elements of a column: a column-major matrix times a vector. */
    void (*column)(int64_t m, const void *a, const void *b, void *sums, bool add);
    const cpi_small_product_kernels *blocks[4]; /* from the shortest vectors to the longest; NULL behind them */
    cpi_squares_fn *squares[2];         /* of 4 x 4 and 8 x 8, or NULL */
    const cpi_small_product_kernels *pair;      /* of two elements, shorter than a vector; or NULL */
} cpi_product_kernels;

/* Batches of small products of a floating type, n > 1; and of matrix-vector products, n = 1. False where the kernels do
 * not take the layout. */
cp_code cpi_small_matrices(cp_stream *stream, const cpi_product *p, const cpi_product_kernels *k);
bool cpi_small_sums(const cpi_product *p, const cpi_product_kernels *k);

/* Products of moderate size, n > 1, of a type that has multiply_rows, where the layout of a can be read in place. */
bool cpi_is_medium(const cpi_product *p, const cpi_product_kernels *k);
/* The same of many matrices, of which one is a task. */
bool cpi_are_many(const cpi_product *p, const cpi_product_kernels *k);
cp_code cpi_medium_matrices(cp_stream *stream, const cpi_product *p, const cpi_product_kernels *k, bool many);

/* Large products of a type that is stored as it is computed with, n > 1. */
cp_code cpi_large_matrices(cp_stream *stream, const cpi_product *p, const cpi_product_kernels *k);

/* Where the matrices at position i of the batch begin. */
typedef struct cpi_position { const char *a, *b; char *c; } cpi_position;
static inline cpi_position cpi_batch_offset(const cpi_product *p, int64_t item, int64_t i)
{
    int64_t a = 0, b = 0, c = 0;
    for (int d = p->nbatch - 1; d >= 0; d--) {
        int64_t at = i;
        if (d) at = i % p->batch[d], i /= p->batch[d];
        a += at * p->a_batch[d], b += at * p->b_batch[d], c += at * p->c_batch[d];
    }
    return (cpi_position){(const char *)p->a + a * item, (const char *)p->b + b * item, (char *)p->c + c * item};
}

typedef struct cpi_products_simd {
    cpi_product_kernels boolean, u8, u16, u32, u64, f32, f64, c64, c128;
    cpi_product_kernels half[2]; /* in the order of the rows in core/types.def */
} cpi_products_simd;

#endif
