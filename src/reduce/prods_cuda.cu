/* Products on the GPU. */
#include "reduce/numbers.cuh"

cp_code cpi_fold_prods(cp_stream *stream, const cpi_reduce_args *a) { return fold::fold_numbers<true>(stream, a); }
