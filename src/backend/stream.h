/* Counting of streams: buffers keep the stream that their memory belongs to. */
#ifndef CPI_BACKEND_STREAM_H
#define CPI_BACKEND_STREAM_H

#include "backend/backend.h"

cp_stream *cpi_stream_ref(cp_stream *s);
void cpi_stream_unref(cp_stream *s);
/* A forked child: locks are made anew. */
void cpi_streams_after_fork(void);
/* The release function of memory that nobody has to free. */
void cpi_release_nothing(void *owner);

#endif
