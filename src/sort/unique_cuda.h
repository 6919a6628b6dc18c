/* What the CUDA files of unique share. */
#ifndef CPI_SORT_UNIQUE_CUDA_H
#define CPI_SORT_UNIQUE_CUDA_H

#include "cuda/cuda.h"
#include "sort/keys.h"
#include "sort/sort.h"

/* Smallest and largest key of n elements of at most 64 bits; waits. */
cp_code cpi_cuda_key_range(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t n, const void *from,
                           uint64_t *low, uint64_t *high);

/* Marks, a bit or a byte each: the other pointer is NULL. */
typedef struct cpi_marks {
    const unsigned *bits;
    const uint8_t *bytes;
} cpi_marks;

static inline __host__ __device__ int cpi_mark(const cpi_marks &m, int64_t i)
{
    return m.bits ? (int)(m.bits[i / 32] >> i % 32 & 1) : m.bytes[i];
}

/* place[i] = how many of the marks 0 .. i are set. */
cp_code cpi_cuda_sum_marks(cp_stream *stream, cpi_marks marks, int64_t *place, int64_t n);
/* counts[u] = start[u + 1] - start[u]; the last one ends at n. */
cp_code cpi_cuda_starts_to_counts(cp_stream *stream, int64_t count, int64_t n, const int64_t *start, int64_t *counts);
/* unique by a table of the keys low .. low + range - 1, among which all are. */
cp_code cpi_cuda_unique_table(cp_stream *stream, const cpi_keys *k, cpi_unique *q, uint64_t low, int64_t range);
/* The same where it is not known whether all keys lie within `most` of the smallest: the table is filled while that is
 * found out. `done` where they do; *low and *high, the smallest and the largest key, in either case. No index and no
 * counts; waits. */
cp_code cpi_cuda_unique_near(cp_stream *stream, const cpi_keys *k, cpi_unique *q, int64_t most, uint64_t *low,
                             uint64_t *high, bool *done);

#endif
