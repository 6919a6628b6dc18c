/* Rows of an array as strings of chunks of 64 bits, and their order: what unique of rows sorts. */
#ifndef CPI_SORT_UNIQUE_ROWS_CUH
#define CPI_SORT_UNIQUE_ROWS_CUH

#include "sort/cuda.h"

typedef struct cpi_row_table {
    cpi_keys k;
    const void *from;
    int64_t n, width, chunks;
    int each; /* elements of a chunk; of 128-bit elements a chunk is a half */
} cpi_row_table;

static __device__ __forceinline__ uint64_t cpi_row_chunk(const cpi_row_table &t, int64_t row, int64_t c)
{
    int64_t at = row * t.width;
    if (t.k.bytes == 16) {
        cpi_u128 key = cpi_element_key128(t.k, t.from, at + c / 2);
        return (uint64_t)(c % 2 ? key : key >> 64);
    }
    int64_t i = c * t.each, end = t.width - i > t.each ? i + t.each : t.width;
    uint64_t chunk = cpi_element_key(t.k, t.from, at + i, true);
    while (++i < end) chunk = chunk << 8 * t.k.bytes | cpi_element_key(t.k, t.from, at + i, true);
    return chunk;
}

typedef struct cpi_row_item {
    uint64_t chunk; /* the first chunk that counts */
    int64_t row;
} cpi_row_item;

struct cpi_row_before {
    cpi_row_table t;
    int64_t c; /* the chunk behind that of the items */
    __device__ bool operator()(const cpi_row_item &a, const cpi_row_item &b) const
    {
        if (a.chunk != b.chunk) return a.chunk < b.chunk;
        for (int64_t i = c; i < t.chunks; i++) {
            uint64_t u = cpi_row_chunk(t, a.row, i), v = cpi_row_chunk(t, b.row, i);
            if (u != v) return u < v;
        }
        return false;
    }
};

/* Sorts items by their rows' chunks, the first of which, c - 1, they carry; stable. */
cp_code cpi_cub_sort_rows(cp_stream *stream, const cpi_row_table *t, int64_t c, cpi_row_item *items);

#endif
