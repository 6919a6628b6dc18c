/* Shared by the CUDA files of statistics. */
#ifndef CPI_STATISTICS_CUDA_H
#define CPI_STATISTICS_CUDA_H

#include "cuda/cuda.h"
#include "statistics/statistics.h"

/* bincount with weights. */
cp_code cpi_weigh_cuda(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins, double *to);

#endif
