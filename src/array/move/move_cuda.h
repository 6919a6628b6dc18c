/* What the CUDA files of the module move share, and the conversion of one value, which later modules use too. */
#ifndef CPI_MOVE_CUDA_H
#define CPI_MOVE_CUDA_H

#include "loop/loop.cuh"
#include "move/move.h"

/* One host value to another type. */
void cpi_cuda_convert(cp_type from, const void *value, cp_type to, void *result);
/* Copies of a line whose elements come several times in a row (repeat_cuda.cu). */
bool cpi_cuda_repeats(const cpi_loop *loop);
cp_code cpi_cuda_repeat(cp_stream *stream, const cpi_loop *loop);

#endif
