/* Binning indices, and writing ranges (binned_scatter_cpu.c explains the algorithm); compiled once per instruction set.
 *
 * Each range has a write-combining buffer of one line, which is stored past the caches when it is full. Storing
 * directly to some hundred places in memory in turn would wait for a cache line each time. */
#include "index/binned_scatter.h"

#include <string.h>

#include "cpu/vectors.h"

enum { LINE = 16 /* indices that a buffer collects before it is stored */ };

INLINE uint64_t position_of(const cpi_axis_index *p, int64_t i)
{
    const int64_t v = p->at[i];
    return (uint64_t)(v + (v >> 63 & p->extent));
}

static void count(const cpi_bin_job *d, int64_t first, int64_t n)
{
    const cpi_axis_index p = d->g->axis_index[0];
    const int shift = d->shift;
    uint32_t *counts = d->next + first / CPI_BIN_CHUNK * d->ranges;
    int64_t i = first;
    for (const int64_t end = first + n; i < end; i++) {
        if (i % 8 == 0) __builtin_prefetch(p.at + i + n); /* what is processed next */
        counts[position_of(&p, i) >> shift]++;
    }
}

/* Where a range begins after binning: where the round's last chunk ends in the range before. */
static int64_t begin_of(const cpi_bin_job *d, int64_t range)
{
    return range ? d->next[(d->first + d->nchunks - 1) * d->ranges + range - 1] : 0;
}

/* A buffer's indices, or its values, past the caches; small elements do not fill a cache line. */
INLINE void put_line(char *to, const char *from, size_t bytes)
{
#if defined(__SSE2__)
    if (bytes % 64 == 0) {
        for (size_t k = 0; k < bytes; k += 16)
            _mm_stream_si128((void *)(to + k), _mm_load_si128((const void *)(from + k)));
        return;
    }
#endif
    memcpy(to, from, bytes);
}

/* Stores indices from..end-1 of all, which wait in `line`, to their final memory. */
INLINE void put_waiting(const cpi_bin_job *d, const char *line, size_t from, size_t end, size_t bytes)
{
    const size_t skip = from % LINE;
    memcpy(d->indices + from, line + 4 * skip, 4 * (end - from));
    if (bytes) memcpy(d->values + from * bytes, line + 4 * LINE + skip * bytes, (end - from) * bytes);
}

INLINE void bin_chunk(const cpi_bin_job *d, int64_t chunk, size_t bytes)
{
    _Alignas(64) char waiting[CPI_BIN_RANGES * LINE * (4 + 16)];
    uint32_t begin[CPI_BIN_RANGES], *next = d->next + chunk * d->ranges;
    const cpi_axis_index p = d->g->axis_index[0];
    const int shift = d->shift;
    const uint64_t within = (UINT64_C(1) << shift) - 1;
    const int64_t end = chunk * CPI_BIN_CHUNK + cpi_bin_count(d, chunk);
    const char *result = d->g->result;
    uint32_t *indices = d->indices;
    char *values = d->values;
    memcpy(begin, next, (size_t)d->ranges * sizeof *begin);
    for (int64_t i = chunk * CPI_BIN_CHUNK; i < end; i++) {
        const uint64_t v = position_of(&p, i), r = v >> shift;
        const size_t k = next[r]++, at = k % LINE;
        char *line = waiting + r * LINE * (4 + bytes);
        const uint32_t place = (uint32_t)(v & within);
        memcpy(line + 4 * at, &place, 4);
        if (bytes) memcpy(line + 4 * LINE + at * bytes, result + (size_t)i * bytes, bytes);
        if (at != LINE - 1) continue;
        const size_t first = k - at;
        if (first >= begin[r]) {
            put_line((char *)(indices + first), line, 4 * LINE);
            if (bytes) put_line(values + first * bytes, line + 4 * LINE, LINE * bytes);
        } else {
            put_waiting(d, line, begin[r], k + 1, bytes);
        }
    }
    for (int64_t r = 0; r < d->ranges; r++) {
        const uint32_t first = next[r] / LINE * LINE;
        put_waiting(d, waiting + (size_t)r * LINE * (4 + bytes), first > begin[r] ? first : begin[r], next[r], bytes);
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Writes the values of a range's indices; `one`: all have the same value. */
INLINE void put_range(const cpi_bin_job *d, int64_t range, size_t bytes, bool one)
{
    const int64_t first = begin_of(d, range), end = begin_of(d, range + 1);
    const int64_t size = d->g->axis_index[0].extent * (int64_t)bytes, most = (int64_t)(bytes << d->shift);
    const int64_t from = range * most, all = size - from < most ? size - from : most;
    char *x = d->g->array + from;
    const char *value = one ? d->g->result : d->values + first * (int64_t)bytes;
    const uint32_t *indices = d->indices;
    for (int64_t i = 0; i < all; i += 64) __builtin_prefetch(x + i, 1, 2); /* adjacent loads are faster */
    for (int64_t k = first; k < end; k++, value += one ? 0 : bytes) memcpy(x + indices[k] * bytes, value, bytes);
}

#define EACH_SIZE(DO)      \
    switch (d->g->bytes) { \
    case 1: DO(1); break;  \
    case 2: DO(2); break;  \
    case 4: DO(4); break;  \
    case 8: DO(8); break;  \
    default: DO(16);       \
    }
#define BIN(B) bin_chunk(d, chunk, B)
#define PUT(B) put_range(d, range, B, false)
#define PUT_ONE(B) put_range(d, range, B, true)
static void bin(const cpi_bin_job *d, int64_t chunk)
{
    if (!d->values) bin_chunk(d, chunk, 0);
    else EACH_SIZE(BIN)
}
static void scatter_range(const cpi_bin_job *d, int64_t range)
{
    if (d->values) EACH_SIZE(PUT)
    else EACH_SIZE(PUT_ONE)
}

const cpi_bin_kernels CPI_ISA_NAME(cpi_bin_kernels) = {count, bin, scatter_range};
