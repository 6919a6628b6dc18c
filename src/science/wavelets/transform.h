/* What transforms by wavelets and the peaks of these share. */
#ifndef CPI_WAVELETS_TRANSFORM_H
#define CPI_WAVELETS_TRANSFORM_H

#include "compose/compose.h"
#include "cuprite/wavelets.h"

/* The widths on the host, for the caller to free with cpi_free_host; NULL with an error. */
double *cpi_wavelet_widths(const char *name, cp_array *widths, int64_t *n);
/* cp_cwt inside a composite. */
cp_array *cpi_wavelet_rows(const char *name, cp_array *data, const double *widths, int64_t n, cp_wavelet wavelet,
                           void *context);

#endif
