/* Counting on the CPU: slots of the room, between its files. */
#ifndef CPI_STATISTICS_COUNTS_H
#define CPI_STATISTICS_COUNTS_H

#include "statistics/statistics.h"

cp_code cpi_tally(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t bins, int64_t *counts,
                  int64_t *extent);
cp_code cpi_bincount_cpu(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins, void *to);
cp_code cpi_span_cpu(cp_stream *stream, cp_type type, int64_t n, const void *x, double *ends);
cp_code cpi_areas_cpu(cp_stream *stream, cp_type type, int64_t n, const void *y, const void *x, double width, void *to);
cp_code cpi_bins_cpu(cp_stream *stream, const cpi_bins *b);

#endif
