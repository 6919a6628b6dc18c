/* What the CPU's loops of one instruction set are: a table for each way in which elements are stored. */
#ifndef CPI_PRODUCTS_KERNELS_H
#define CPI_PRODUCTS_KERNELS_H

#include "products/products.h"

/* Strides count elements; of b and c the columns lie one after the other. */
typedef struct cpi_product_kernels {
    int item;                 /* bytes of an element as it is computed with */
    int rows, cols;           /* of a block of c that stays in registers */
    /* c = a b for a matrix that is small enough for one go; scratch holds b: k times the columns, rounded up to blocks
     * of `cols`. */
    void (*small)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_row, int64_t a_col, const void *b,
                  int64_t b_row, int64_t b_col, void *c, int64_t c_row, void *scratch);
    /* Copies of a part of an operand in blocks: k times `rows` of a, k times `cols` of b, rounded up with zeros. */
    void (*pack_a)(int64_t m, int64_t k, const void *a, int64_t row, int64_t col, void *to);
    void (*pack_b)(int64_t n, int64_t k, const void *b, int64_t row, int64_t col, void *to);
    /* sums (+)= a b of the two; `sums` has m rows of `pitch` elements to compute with. */
    void (*multiply)(int64_t m, int64_t n, int64_t k, const void *a, const void *b, void *sums, int64_t pitch,
                     bool add);
    void (*store)(int64_t m, int64_t n, const void *sums, int64_t pitch, void *c, int64_t c_row);
    /* The sum of n products, as it is computed with; and the sum of `n` such sums as an element of c. */
    void (*dot)(int64_t n, const void *a, int64_t a_step, const void *b, int64_t b_step, bool conjugate, void *sum);
    void (*finish)(int64_t n, const void *sums, void *c);
    /* sums[i] (+)= a[i] * b for m elements of a column: what a matrix that lies by columns does to a vector. */
    void (*column)(int64_t m, const void *a, const void *b, void *sums, bool add);
} cpi_product_kernels;

typedef struct cpi_products_simd {
    cpi_product_kernels boolean, u8, u16, u32, u64, f32, f64, c64, c128;
    cpi_product_kernels half[2]; /* in the order of the rows in core/types.def */
} cpi_products_simd;

#endif
