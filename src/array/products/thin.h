/* Float64 products of few rows and columns on tensor cores: what covariances and Gram matrices are. */
#ifndef CPI_PRODUCTS_THIN_H
#define CPI_PRODUCTS_THIN_H

#include "products/products.h"

/* c = a b. `done`: whether it was taken; that follows from type, sizes, the device, and whether b is
 * a's transpose. */
cp_code cpi_thin_product(cp_stream *stream, const cpi_product &p, bool *done);

#endif
