/* Between the files of the GPU's transforms. */
#ifndef CPI_FFT_OWN_CUDA_H
#define CPI_FFT_OWN_CUDA_H

#include "fft/fft.h"

/* The transform by kernels of our own, if they serve it; else nothing is done. */
cp_code cpi_fft_own_transform(cp_stream *stream, const cpi_fft_call *c, bool *served);

#endif
