/* Memory of the CPU for arrays: segments of the pool, and what programs ask for by its number of bytes.
 *
 * Kernels of the user may write before and behind an array, so nothing of ours or of the C library's lies beside a
 * segment: pages without access surround it. Under the address sanitizer, and where the pool does not reuse memory,
 * small segments are the C library's, so that a checker sees each of them. */
#ifndef CPI_CPU_SEGMENTS_H
#define CPI_CPU_SEGMENTS_H

#include "backend/backend.h"

void *cpi_segment_new(cpi_device *device, size_t bytes);
void cpi_segment_free(cpi_device *device, void *memory, size_t bytes);
/* For one array, aligned to 512 bytes. */
void *cpi_segment_of_kind(cp_stream *stream, size_t bytes, cp_memory_kind kind);
void cpi_segment_of_kind_free(cp_stream *stream, void *memory, size_t bytes, cp_memory_kind kind);

#endif
