/* What the CUDA files of unique share. */
#ifndef CPI_SORT_UNIQUE_CUDA_H
#define CPI_SORT_UNIQUE_CUDA_H

#include "cuda/cuda.h"
#include "sort/cuda.h"
#include "sort/keys.h"
#include "sort/sort.h"

/* --- sorted keys --- */

static __device__ __forceinline__ bool cpi_key_is_nan(const cpi_keys &k, uint64_t key)
{
    if (k.complex_parts) return cpi_ckey_nan64(&k, key);
    return key > k.last; /* narrower keys are as large as they are; integers have no key above */
}

/* Does a value begin with this key? `last` stands before it, but for the first. Sorted keys are made equal for equal
 * values here (`make_same`) where the sort has not done so. */
static __device__ __forceinline__ bool cpi_begins_value(const cpi_keys &k, uint64_t key, uint64_t last, bool first,
                                                        bool make_same, bool apart)
{
    if (make_same && k.zero_add) {
        key = k.complex_parts ? cpi_csame64(&k, key) : key + (key == k.zero);
        last = k.complex_parts ? cpi_csame64(&k, last) : last + (last == k.zero);
    }
    const bool nan = cpi_key_is_nan(k, key), both = nan && cpi_key_is_nan(k, last);
    return first || (apart ? nan || key != last : !both && key != last);
}

/* unique of at most so many elements of at most 64 bits, without index, counts and inverse; waits. */
#define CPI_UNIQUE_SMALL 1024
cp_code cpi_cuda_unique_small(cp_stream *stream, const cpi_keys *k, cpi_unique *q);

/* Smallest and largest key of n elements of at most 64 bits; waits. */
cp_code cpi_cuda_key_range(cp_stream *stream, const char *what, const cpi_keys *keys, int64_t n, const void *from,
                           uint64_t *low, uint64_t *high);

/* Marks, a bit or a byte each: the other pointer is NULL. */
typedef struct cpi_marks {
    const unsigned *bits;
    const uint8_t *bytes;
} cpi_marks;

static inline __host__ __device__ int cpi_mark_at(const cpi_marks &m, int64_t i)
{
    return m.bits ? (int)(m.bits[i / 32] >> i % 32 & 1) : m.bytes[i];
}

/* position[i] = how many of the marks 0 .. i are set. */
cp_code cpi_cuda_sum_marks(cp_stream *stream, cpi_marks marks, int64_t *position, int64_t n);
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
