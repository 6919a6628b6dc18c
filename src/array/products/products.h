/* Backend slots of the module products, and what its files share.
 *
 * Everything that multiplies and adds up is one cpi_product: a batch of matrix products. Vectors are matrices of one
 * column, and a dot product is a product with m = n = 1. */
#ifndef CPI_PRODUCTS_H
#define CPI_PRODUCTS_H

#include "backend/backend.h"
#include "cuprite/products.h"

#ifdef __cplusplus
extern "C" {
#endif

/* c = a b, for each matrix of the batch. a has m rows and k columns, b k rows and n columns; the rows of c are
 * C-contiguous. Strides count elements.
 *
 * Of a and b one of the two strides is 1, and the other at least the length of that axis (and at least 1). Where m = 1
 * or n = 1, the vectors are arranged so that n = 1. `conjugate`: the conjugate of a is multiplied; only where m = n =
 * 1. All is of one type. Booleans are multiplied by "and" and added by "or", integers wrap, small floats add in float32
 * and round once. The same call gives the same bits, whatever the number of threads. */
typedef struct cpi_product {
    cp_type type;
    bool conjugate;
    int64_t m, n, k;                     /* positive */
    int64_t a_row, a_col, b_row, b_col, c_row;
    int nbatch;                          /* axes of the batch; the last is the innermost */
    int64_t batch[CP_MAXDIM];            /* positive */
    int64_t a_batch[CP_MAXDIM], b_batch[CP_MAXDIM], c_batch[CP_MAXDIM]; /* of a and b any, 0 too */
    const void *a, *b;                   /* device memory */
    void *c;                             /* device memory; overlaps neither */
} cpi_product;

/* Bytes of the matrices, each counted once a product. */
static inline int64_t cpi_product_bytes(const cpi_product *p)
{
    int64_t bytes = (p->m * p->k + p->k * p->n + p->m * p->n) * (int64_t)cp_type_size(p->type);
    for (int d = 0; d < p->nbatch; d++) bytes *= p->batch[d];
    return bytes;
}

/*: slot("product", bytes="cpi_product_bytes(p)") */
typedef struct cpi_products_ops {
    cp_code (*product)(cp_stream *stream, const cpi_product *p);
} cpi_products_ops;


/* The number of matrices in the batch. */
#ifdef __CUDACC__
__host__
#endif
static inline int64_t cpi_product_batches(const cpi_product *p)
{
    int64_t n = 1;
    for (int i = 0; i < p->nbatch; i++) n *= p->batch[i];
    return n;
}

/* --- shared by the API functions --- */
/* Where a result goes and what it is: see cp_matmul's options. */
typedef struct cpi_product_result {
    cp_array *out;
    cp_casting casting;
    int ndim;               /* of the result, where the matrices' own axes of length 1 may be left out */
    const int64_t *shape;
} cpi_product_result;
/* a (..., m, k) times b (..., k, n), both converted to `type`; the axes before broadcast to batch[nbatch]. */
cp_array *cpi_multiply_matrices(const char *function, cp_type type, bool conjugate, cp_array *a, cp_array *b,
                                int nbatch, const int64_t *batch, const cpi_product_result *result);
/* x seen with these axes, strides in bytes; a reference that is the caller's. */
cp_array *cpi_seen_as(cp_array *x, int ndim, const int64_t *shape, const int64_t *strides);
/* The product of a's and b's axes: a's `na` axes ax[] and b's bx[] are summed over, in their order. The result has
 * a's other axes, then b's. */
cp_array *cpi_contract(const char *function, cp_type type, cp_array *a, cp_array *b, int n, const int *ax,
                       const int *bx, cp_array *out, cp_casting casting);

#ifdef __cplusplus
}
#endif
#include "products/slots.h"

#endif
