/* The CUDA slots of the module move (move_cuda.cu, ramps_cuda.cu, around_cuda.cu), for its table, and the conversion of
 * one value, which later modules use too. */
#ifndef CPI_MOVE_CUDA_H
#define CPI_MOVE_CUDA_H

#include "loop/loop.cuh"
#include "move/move.h"

/* One host value to another type. */
void cpi_cuda_convert(cp_type from, const void *value, cp_type to, void *result);
cp_code cpi_cuda_copy(cp_stream *stream, const cpi_loop *loop);
cp_code cpi_cuda_copy_all(cp_stream *stream, int n, const cpi_loop *loops);
cp_code cpi_cuda_pad(cp_stream *stream, const cpi_loop *loop, const cpi_padding *padding);
cp_code cpi_cuda_triangle(cp_stream *stream, const cpi_loop *loop, int64_t k, bool upper);
/* Copies of a line whose elements come several times in a row (repeat_cuda.cu). */
bool cpi_cuda_repeats(const cpi_loop *loop);
cp_code cpi_cuda_repeat(cp_stream *stream, const cpi_loop *loop);
cp_code cpi_cuda_ramp(cp_stream *stream, void *out, cp_type type, int64_t n, double start, double step, double stop,
                      bool use_stop);
cp_code cpi_cuda_ramp_int(cp_stream *stream, void *out, cp_type type, int64_t n, int64_t start, int64_t step);
cp_code cpi_cuda_ramp_on(cp_stream *stream, void *out, cp_type type, int64_t n, double first, double second);

#endif
