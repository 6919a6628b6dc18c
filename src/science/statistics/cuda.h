/* What the CUDA files of the room share: slots that are defined in a file of their own. */
#ifndef CPI_STATISTICS_CUDA_H
#define CPI_STATISTICS_CUDA_H

#include "cuda/cuda.h"
#include "statistics/statistics.h"

cp_code cpi_bincount_cuda(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins,
                          void *to);
cp_code cpi_bins_cuda(cp_stream *stream, const cpi_bins *b);
/* How often each of 0 .. bins - 1 is among n whole numbers, and in extent[0] and [1] the least and the greatest of them
 * as int64: where they are from 0 to bins - 1 the counts are right, else anything. bins may be 0. */
cp_code cpi_tally_cuda(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t bins, int64_t *counts,
                       int64_t *extent);
cp_code cpi_areas_cuda(cp_stream *stream, cp_type type, int64_t n, const void *y, const void *x, double width,
                       void *to);
/* bincount with weights. */
cp_code cpi_weigh_cuda(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins, double *to);

#endif
