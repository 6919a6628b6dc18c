/* Shared by the files of the CPU's transforms. */
#ifndef CPI_FFT_KEPT_H
#define CPI_FFT_KEPT_H

#include "fft/fft.h"

/* The transform in host memory, done when it returns. */
cp_code cpi_fft_on_cpu(const cpi_fft_call *call);
/* The slot `cache`. */
void cpi_fft_cache_of_cpu(int64_t most_plans, int64_t most_bytes, bool clear, cpi_fft_cache *now);

#endif
