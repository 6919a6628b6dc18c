/* What a filter's steady response is made of: coefficients on the host, and the states that they give. */
#ifndef CPI_SPECTRA_STATES_H
#define CPI_SPECTRA_STATES_H

#include <complex.h>

#include "spectra/steps.h"

/* Elements on the host, for the caller to free with cpi_free_host. */
double complex *cpi_coefficients_of(cp_array *x);
/* The state of a filter whose input has always been 1: max(len(a), len(b)) - 1 elements of the coefficients' floating
 * type, b and a 1-d or numbers. Leading zeros of `a` are dropped, or an error. */
cp_array *cpi_steady_state(const char *name, cp_array *b, cp_array *a, bool drop_zeros);
/* Those of sections of second order: (sections, 2). *usual: three times the filter's length, by SciPy's count. */
cp_array *cpi_steady_sections(const char *name, cp_array *sos, int64_t *usual);

#endif
