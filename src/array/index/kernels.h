/* Kernels of the CPU's selection for one chunk, compiled once per instruction set. */
#ifndef CPI_INDEX_KERNELS_H
#define CPI_INDEX_KERNELS_H

#include "cpu/features.h"
#include "index/index.h"

typedef struct cpi_index_kernels {
    /* One bit for each of n elements, in words of 64; bits past n are 0. Returns how many are set. */
    int64_t (*bits)(const void *condition, cp_type type, int64_t n, uint64_t *words);
    /* Writes the `count` selected of n elements, and nothing behind them. */
    void (*compact)(const uint64_t *words, int64_t n, const char *x, int64_t step, int64_t bytes, char *out,
                    int64_t count);
    /* Writes the positions base + i of the selected. */
    void (*positions)(const uint64_t *words, int64_t n, int64_t base, int64_t *out, int64_t count);
    void (*fill)(char *x, const uint8_t *mask, int64_t n, int64_t bytes, const void *value);
    /* n bytes to as many bits, the last byte filled with zeros; n bytes to eight of 0 or 1 each. */
    void (*pack)(const uint8_t *x, int64_t n, bool little, uint8_t *out);
    void (*unpack)(const uint8_t *x, int64_t n, bool little, uint8_t *out);
} cpi_index_kernels;

extern const cpi_index_kernels cpi_index_kernels_v2, cpi_index_kernels_v3, cpi_index_kernels_v4;

#endif
