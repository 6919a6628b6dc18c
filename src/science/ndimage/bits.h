/* The functions of bits_simd.c, one set for each instruction set. */
#ifndef CPI_NDIMAGE_BITS_H
#define CPI_NDIMAGE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define CPI_BITS(isa)                                                                                         \
    /* A line of n elements as bits, (n + 63) / 64 words; returns the number of runs of set bits, or of set   \
     * bits when not `joined`. `keep`, repeated to 64 bits, has the bits of an element that count. */         \
    int64_t cpi_line_bits_##isa(const void *line, int64_t n, int size, uint64_t keep, bool joined, uint64_t *bits); \
    /* Bit i: of 65 elements, number i differs from number i + 1. */                                         \
    uint64_t cpi_changes_##isa(const void *p, int size);                                                      \
    /* memcpy with non-temporal stores; cpi_stream_fence before another thread reads. */           \
    void cpi_stream_copy_##isa(void *to, const void *from, int64_t bytes);                                    \
    void cpi_stream_fence_##isa(void);
CPI_BITS(v2)
CPI_BITS(v3)
CPI_BITS(v4)

#endif
