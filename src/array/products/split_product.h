/* Float32 products on tensor cores with float32's accuracy, where a GPU has them and they are faster than cuBLAS. */
#ifndef CPI_SPLIT_PRODUCT_H
#define CPI_SPLIT_PRODUCT_H

#include "products/products.h"

/* c = a b of float32 with at most one axis of the batch, whose strides are not below 0. `done`: whether it was taken;
 * that follows from CUPRITE_PRODUCTS, sizes and the device, and from whether there is memory for the parts. */
cp_code cpi_split_product(cp_stream *stream, const cpi_product &p, bool *done);

#endif
