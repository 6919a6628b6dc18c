/* The CPU's sorting kernels, compiled once per instruction set (sort_simd.c).
 *
 * They know keys only: unsigned integers of 32, 64 or 128 bits, so one kernel serves all types of a width.
 * Elements of 8 and 16 bits are counted where that pays, and sorted as 32-bit keys where it does not. */
#ifndef CPI_SORT_KERNELS_H
#define CPI_SORT_KERNELS_H

#include "sort/keys.h"

#define CPI_SORT_SLACK 16  /* elements of scratch beyond the n of a sort */
#define CPI_SORT_GROUPS 64 /* most groups that a long row is dealt into */

typedef struct cpi_sort_width {
    int bytes; /* of a key */
    /* Sorts n keys in place; scratch: n + CPI_SORT_SLACK keys. */
    void (*sort)(void *keys, int64_t n, void *scratch);
    /* Reorders n keys in place into groups: group g holds keys from splitters[g - 1] to below splitters[g]; the
     * groups - 1 splitters ascend. Writes the sizes. scratch: 2*n + CPI_SORT_SLACK keys. */
    void (*three_way)(void *keys, int64_t n, const void *splitters, int groups, int64_t *counts, void *scratch);
} cpi_sort_width;

typedef struct cpi_sort_kernels {
    cpi_sort_width width[3]; /* keys of 32, 64, 128 bits */
    /* Elements to keys of max(4, bytes) bytes, and back. to and from may be the same memory when the widths are. */
    void (*load)(const cpi_keys *k, const void *from, void *keys, int64_t n);
    void (*store)(const cpi_keys *k, const void *keys, void *to, int64_t n);
    /* Keys to the form that is equal for equal values, in place. */
    void (*same)(const cpi_keys *k, void *keys, int64_t n);
} cpi_sort_kernels;

extern const cpi_sort_kernels cpi_sort_kernels_v2, cpi_sort_kernels_v3, cpi_sort_kernels_v4;

/* Which of the three widths keys of these elements have. */
static inline int cpi_sort_width_of(const cpi_keys *k) { return k->bytes <= 4 ? 0 : k->bytes == 8 ? 1 : 2; }
static inline int64_t cpi_key_bytes(const cpi_keys *k) { return k->bytes <= 4 ? 4 : k->bytes; }

#endif
