/* The CPU's two slots, each in a file of its own. */
#ifndef CPI_NDIMAGE_CPU_H
#define CPI_NDIMAGE_CPU_H

#include "ndimage/ndimage.h"

cp_code cpi_label_cpu(cp_stream *stream, const cpi_label_plan *plan, const cp_array *x, cp_array *out, int64_t *count);
cp_code cpi_measure_cpu(cp_stream *stream, const cpi_measure_plan *plan);

#endif
