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
/* Whether the calling thread is in a function that a stream called (cp_stream_call, calls.c). It must neither use nor
 * wait for the devices of that stream's backend, so what ends there is left to whoever next asks a pool for something:
 * end(copy of `what`). False: there is no memory to note it. */
bool cpi_in_call(void);
bool cpi_leave_for_later(void (*end)(void *what), const void *what, size_t bytes);
/* Gives up what was left. */
void cpi_settle(void);
/* Whether the calling thread is in a function that a stream of the device's backend called; the error for what such a
 * function may not do; and whether it may give the device work, which only those that work within a call let it (else
 * the error is written). */
bool cpi_call_forbids(const cpi_device *device);
cp_code cpi_call_refuses(const char *function);
bool cpi_may_use(const char *function, const cpi_device *device);
/* A forked child: what was left is the parent's. */
void cpi_calls_after_fork(void);
/* The release function of memory that nobody has to free. */
void cpi_release_nothing(void *owner);

#endif
