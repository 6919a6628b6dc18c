/* Sums and means on the GPU. */
#include "reduce/numbers.cuh"

cp_code cpi_fold_sums(cp_stream *stream, const cpi_reduce_args *a) { return fold::fold_numbers<false>(stream, a); }
