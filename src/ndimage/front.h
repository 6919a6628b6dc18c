/* What the two fronts of the room share. */
#ifndef CPI_NDIMAGE_FRONT_H
#define CPI_NDIMAGE_FRONT_H

#include "core/array.h"

/* x with C-contiguous memory on its device (a host scalar: on the current one): retained, or a copy. */
cp_array *cpi_ndimage_plain(const char *function, cp_array *x);
/* False, and CP_ERROR_TYPE written, for a complex array. */
bool cpi_ndimage_real(const char *function, const cp_array *x);

#endif
