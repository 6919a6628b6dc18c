/* What elementwise_periodic_cuda.cu gives to the choice of kernels. */
#ifndef CPI_PERIODIC_CUDA_H
#define CPI_PERIODIC_CUDA_H

#include "elementwise/kernels_cuda.h"

/* Launches a sum, difference or product of inputs that repeat (a part that cpi_device_loop_each gave); false when
 * the loop is none that gains by it. */
bool cpi_cuda_periodic(cp_stream *stream, int op, cp_type type, const cpi_loop *loop, const char *name, cp_code *code);

#endif
