/* Captures: streams whose work is recorded, and what must live as long as the recording.
 *
 * A capture lasts from cp_stream_capture to the end of its graph. Invariants: memory that is taken while it records
 * comes from the device and goes, freed, to an arena of its own (pool.c), so that recorded work meets nobody else's;
 * arrays that were there before are held. All of it is given up when the graph is gone and its launches are done, but
 * never while another capture records, since the device cannot be waited for then. */
#ifndef CPI_BACKEND_CAPTURE_H
#define CPI_BACKEND_CAPTURE_H

#include "backend/backend.h"

typedef struct cpi_capture cpi_capture;

/* Captures that are recording, in the whole process: while there is none nobody asks further. */
extern int cpi_captures;
static inline bool cpi_capturing(void) { return __atomic_load_n(&cpi_captures, __ATOMIC_RELAXED) != 0; }
/* The capture that the stream's work goes to; NULL: none. */
cpi_capture *cpi_capture_of(cp_stream *stream);
static inline cpi_capture *cpi_capture_if_any(cp_stream *stream)
{
    return cpi_capturing() ? cpi_capture_of(stream) : NULL;
}
/* The stream that names the capture's arena in the pool. */
cp_stream *cpi_capture_key(cpi_capture *c);
/* The buffer lives as long as the capture. */
void cpi_capture_hold(cpi_capture *c, cpi_buffer *b);
/* See cpi_host_api. */
bool cpi_capture_own(cp_stream *stream, void *memory, void (*release)(void *memory));

void cpi_captures_after_fork(void); /* in the child */

#endif
