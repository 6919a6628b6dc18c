/* Reference counting of streams: buffers keep the stream that owns their memory. */
#ifndef CPI_BACKEND_STREAM_H
#define CPI_BACKEND_STREAM_H

#include "backend/backend.h"

cp_stream *cpi_stream_ref(cp_stream *s);
void cpi_stream_unref(cp_stream *s);
/* In a forked child: reinitializes locks. */
void cpi_streams_after_fork(void);
/* Reads CUPRITE_PER_THREAD_DEFAULT_STREAM; called before any device exists. */
void cpi_streams_from_environment(void);
/* Whether the calling thread is in a function that a stream called (cp_stream_call, calls.c). It must neither use nor
 * wait for the devices of that stream's backend, so frees are deferred to the next request to a pool: end(copy of
 * `what`). False: no memory to record it. */
bool cpi_in_call(void);
bool cpi_leave_for_later(void (*end)(void *what), const void *what, size_t bytes);
/* Runs the deferred frees. */
void cpi_settle(void);
/* Whether the calling thread is in a function that a stream of the device's backend called; the error for what such a
 * function may not do; and whether it may issue work to the device, which only synchronous backends allow (else the
 * error is written). */
bool cpi_call_forbids(const cpi_device *device);
cp_code cpi_call_refuses(const char *function);
bool cpi_may_use(const char *function, const cpi_device *device);
/* In a forked child: the deferred frees are the parent's. */
void cpi_calls_after_fork(void);
/* The release function of memory that needs no free. */
void cpi_release_nothing(void *owner);

#endif
