/* The memory pool of a device: blocks cut from large pieces, reused in stream order.
 *
 * Invariants: a block is on exactly one list; neighbours in a piece that are both free and belong to the same
 * stream are one block; used + free bytes of all pieces equal `held`, and held never passes the limit. A block
 * that is freed belongs to its stream and is handed out again only there, until a synchronisation of the
 * device makes all free blocks anybody's. One that other streams use too (cpi_pool_used) waits, when it is freed, until
 * they have passed what they had to do by then. Blocks of a capture (capture.h) stay with it to its end.
 * Safe to call from any thread. */
#ifndef CPI_BACKEND_POOL_H
#define CPI_BACKEND_POOL_H

#include "backend/backend.h"

typedef struct cpi_pool cpi_pool;
cpi_pool *cpi_pool_new(cpi_device *device);
/* At least `bytes` bytes aligned to 512, for the stream; NULL and CP_ERROR_MEMORY (how much, who holds what). */
void *cpi_pool_alloc(cpi_pool *pool, cp_stream *stream, size_t bytes);
void cpi_pool_free(cpi_pool *pool, cp_stream *stream, void *memory);
/* Work of another stream than the block's uses it, or is about to. */
void cpi_pool_used(cpi_pool *pool, cp_stream *stream, void *memory);
/* Arrays of at most so many bytes are better kept in host memory beside their records: 0 on a GPU, and where blocks
 * are not reused so that a memory checker sees each. */
size_t cpi_pool_small(const cpi_pool *pool);
/* Counts such memory as used and held, a unit of the pool's for each array, `bytes` negative when it ends; freed, it
 * counts as held until the next trim, as blocks do. The limit does not bind it. */
void cpi_pool_count_small(cpi_pool *pool, int64_t bytes);
void cpi_pool_stats(cpi_pool *pool, cp_pool_stats *stats);
cp_code cpi_pool_limit(cpi_pool *pool, int64_t bytes);
/* The limit that CUPRITE_GPU_MEMORY_LIMIT or CUPY_GPU_MEMORY_LIMIT sets, for an open device. */
cp_code cpi_pool_limit_from_environment(cpi_device *device);
/* Of one stream's blocks, or of all (NULL). */
cp_code cpi_pool_trim(cpi_pool *pool, cp_stream *stream);
/* The capture that a live block was taken for; NULL: none. */
struct cpi_capture *cpi_pool_capture(cpi_pool *pool, const void *memory);
/* The capture is over, its work done: its memory is anybody's. */
void cpi_pool_capture_gone(cpi_pool *pool, struct cpi_capture *capture);
/* The stream is about to go, its work is done: its free blocks are for every stream; what
 * other streams still use becomes `heir`'s. */
void cpi_pool_stream_ends(cpi_pool *pool, cp_stream *stream, cp_stream *heir);
/* A forked child: locks are made anew. */
void cpi_pool_after_fork(cpi_pool *pool);

#endif
