/* Counting of streams: buffers keep the stream that their memory belongs to. */
#ifndef CPI_BACKEND_STREAM_H
#define CPI_BACKEND_STREAM_H

#include "backend/backend.h"

cp_stream *cpi_stream_ref(cp_stream *s);
void cpi_stream_unref(cp_stream *s);
/* A forked child: locks are made anew. */
void cpi_streams_after_fork(void);
/* What CUPRITE_PER_THREAD_DEFAULT_STREAM says; asked before any device is there. */
void cpi_streams_from_environment(void);
/* Whether the calling thread is in a function that a stream called (cp_stream_call): it must neither use nor wait for a
 * device, so memory and streams that end there are left (`memory`, of the stream's pool, NULL for the stream's
 * reference alone; false: no memory to note it) to whoever next asks the pool for something. */
bool cpi_in_call(void);
bool cpi_leave_for_later(cpi_device *device, cp_stream *stream, void *memory);
/* Gives up what was left. */
void cpi_settle(void);
/* The release function of memory that nobody has to free. */
void cpi_release_nothing(void *owner);

#endif
