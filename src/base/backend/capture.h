/* Captures: streams whose work is recorded, and the objects that must live as long as the recording.
 *
 * A capture lasts from cp_stream_capture to the end of its graph. Invariants: memory allocated while recording comes
 * from the device and, when freed, goes to an arena of its own (pool.c), so recorded work shares no memory with other
 * work. Existing arrays that it uses are held. All of it is released when the graph is freed and its launches are done,
 * but never while another capture records, since the device cannot be synchronized then. */
#ifndef CPI_BACKEND_CAPTURE_H
#define CPI_BACKEND_CAPTURE_H

#include "backend/backend.h"

typedef struct cpi_capture cpi_capture;

/* Number of captures that are recording, in the whole process; 0 allows a quick check. */
extern int cpi_captures;
static inline bool cpi_capturing(void) { return __atomic_load_n(&cpi_captures, __ATOMIC_RELAXED) != 0; }
/* The capture that records the stream's work; NULL: none. */
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


#endif
