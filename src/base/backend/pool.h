/* The memory pool of a device: blocks split from large segments, reused in stream order.
 *
 * Invariants: a block is on exactly one list; neighbours in a segment that are both free and belong to the same stream
 * are one block; used + free bytes of all segments equal `held`, and held never exceeds the limit. A freed block
 * belongs to its stream and is reused only there, until a synchronization of the device makes all free blocks available
 * to every stream. A freed block that other streams use too (cpi_pool_used) waits until their work so far is done.
 * Blocks of a capture (capture.h) stay with it to its end. Safe to call from any thread. */
#ifndef CPI_BACKEND_POOL_H
#define CPI_BACKEND_POOL_H

#include "backend/backend.h"

typedef struct cpi_pool cpi_pool;
cpi_pool *cpi_pool_new(cpi_device *device);
/* At least `bytes` bytes aligned to 512, for the stream; NULL and CP_ERROR_MEMORY (with the sizes). */
void *cpi_pool_alloc(cpi_pool *pool, cp_stream *stream, size_t bytes);
void cpi_pool_free(cpi_pool *pool, cp_stream *stream, void *memory);
/* A stream other than the block's uses it, or is about to. */
void cpi_pool_used(cpi_pool *pool, cp_stream *stream, void *memory);
/* Arrays of at most so many bytes are stored in slabs (core/slab.h). 0 on a GPU, and without reuse, so that a memory
 * checker sees each block. */
size_t cpi_pool_small(const cpi_pool *pool);
/* Counts such memory as used and held, one unit of the pool for each array; `bytes` is negative when it is freed.
 * Freed, it counts as held until the next trim, as blocks do. The limit does not apply. */
void cpi_pool_count_small(cpi_pool *pool, int64_t bytes);
void cpi_pool_stats(cpi_pool *pool, cp_pool_stats *stats);
cp_code cpi_pool_limit(cpi_pool *pool, int64_t bytes);
/* The limit that CUPRITE_GPU_MEMORY_LIMIT or CUPY_GPU_MEMORY_LIMIT sets, for an open device. */
cp_code cpi_pool_limit_from_environment(cpi_device *device);
/* Trims one stream's blocks, or all (NULL). */
cp_code cpi_pool_trim(cpi_pool *pool, cp_stream *stream);
/* The capture that a live block was taken for; NULL: none. */
struct cpi_capture *cpi_pool_capture(cpi_pool *pool, const void *memory);
/* The capture is over and its work done: its memory is available to every stream. */
void cpi_pool_capture_gone(cpi_pool *pool, struct cpi_capture *capture);
/* The stream is about to end and its work is done: its free blocks become available to every stream; blocks that other
 * streams still use become `heir`'s. */
void cpi_pool_stream_ends(cpi_pool *pool, cp_stream *stream, cp_stream *heir);
/* A number of bytes with its unit: "4.0 GiB". */
const char *cpi_bytes_string(double n, char text[32]);

#endif
