/* The CUDA slots that move, choose and compare elements (elementwise_move_cuda.cu, elementwise_around_cuda.cu,
 * elementwise_choose_cuda.cu, elementwise_close_cuda.cu), for the table of slots. */
#ifndef CPI_MOVE_CUDA_H
#define CPI_MOVE_CUDA_H

#include "elementwise/kernels_cuda.h"
#include "move/move.h"

/* One host value to another type. */
void cpi_cuda_convert(cp_type from, const void *value, cp_type to, void *result);
cp_code cpi_cuda_copy(cp_stream *stream, const cpi_loop *loop);
cp_code cpi_cuda_copy_all(cp_stream *stream, int n, const cpi_loop *loops);
cp_code cpi_cuda_pad(cp_stream *stream, const cpi_loop *loop, const cpi_padding *padding);
cp_code cpi_cuda_triangle(cp_stream *stream, const cpi_loop *loop, int64_t k, bool upper);
/* Copies of a line whose elements come several times in a row (elementwise_repeat_cuda.cu). */
bool cpi_cuda_repeats(const cpi_loop *loop);
cp_code cpi_cuda_repeat(cp_stream *stream, const cpi_loop *loop);
cp_code cpi_cuda_select(cp_stream *stream, const cpi_loop *loop);
cp_code cpi_cuda_ramp(cp_stream *stream, void *out, cp_type type, int64_t n, double start, double step, double stop,
                      bool use_stop);
cp_code cpi_cuda_ramp_int(cp_stream *stream, void *out, cp_type type, int64_t n, int64_t start, int64_t step);
cp_code cpi_cuda_ramp_on(cp_stream *stream, void *out, cp_type type, int64_t n, double first, double second);
cp_code cpi_cuda_close(cp_stream *stream, cp_type type, const cpi_loop *loop, double rtol, double atol, bool equal_nan);
cp_code cpi_cuda_all_close(cp_stream *stream, cp_type type, const cpi_loop *loop, double rtol, double atol,
                           bool equal_nan, bool *result);

#endif
