/* What the CPU's selection files share: the narrowing kernels and selection on keys.
 *
 * Everything selects on unsigned keys (keys.h), 32 or 64 bits wide (128 for complex128); narrower types are
 * widened. The kernel `band` does the work: one pass over the elements that counts the keys below a band and
 * writes those inside it, so that a narrow band around the wanted rank leaves little to look at. */
#ifndef CPI_SORT_SELECT_H
#define CPI_SORT_SELECT_H

#include "sort/keys.h"

typedef struct cpi_window {
    int64_t below, inside; /* keys < lo; keys in lo..hi */
    uint64_t largest;      /* of all keys; 0 for none */
} cpi_window;

/* Keys of x[0..n) in lo..hi go to `to` in order (to NULL: they are only counted). `to` may be x itself; it needs
 * room for n keys. */
typedef cpi_window (*cpi_window32_fn)(const uint32_t *x, int64_t n, const cpi_keys *k, uint32_t lo, uint32_t hi,
                                      uint32_t *to);
typedef cpi_window (*cpi_window64_fn)(const uint64_t *x, int64_t n, const cpi_keys *k, uint64_t lo, uint64_t hi,
                                      uint64_t *to);
/* Deals the keys of x[0..n): those below lo go to `ends` upwards, those above hi to its other end downwards (it has
 * room for n), those in lo..hi to `middle`. */
typedef struct cpi_parts { int64_t below, inside, above; } cpi_parts;
typedef cpi_parts (*cpi_three_way32_fn)(const uint32_t *x, int64_t n, const cpi_keys *k, uint32_t lo, uint32_t hi,
                                        uint32_t *ends, uint32_t *middle);
typedef cpi_parts (*cpi_three_way64_fn)(const uint64_t *x, int64_t n, const cpi_keys *k, uint64_t lo, uint64_t hi,
                                        uint64_t *ends, uint64_t *middle);

/* Sorts the keys of each of `rows` <= CPI_COLUMNS short lanes of n elements: key i of lane l at tile[i*CPI_COLUMNS +
 * l]. Not for complex types. 8 and 16 bit elements have 32 bit keys. */
#define CPI_COLUMNS 32
typedef void (*cpi_columns32_fn)(const cpi_keys *k, const void *from, int rows, int n, uint32_t *tile);
typedef void (*cpi_columns64_fn)(const cpi_keys *k, const void *from, int rows, int n, uint64_t *tile);
#define CPI_SELECT_ISA(isa)                                                                                            \
    cpi_window cpi_window32_##isa(const uint32_t *, int64_t, const cpi_keys *, uint32_t, uint32_t, uint32_t *);        \
    cpi_window cpi_window64_##isa(const uint64_t *, int64_t, const cpi_keys *, uint64_t, uint64_t, uint64_t *);        \
    cpi_parts cpi_three_way32_##isa(const uint32_t *, int64_t, const cpi_keys *, uint32_t, uint32_t, uint32_t *,       \
                                    uint32_t *);                                                                       \
    cpi_parts cpi_three_way64_##isa(const uint64_t *, int64_t, const cpi_keys *, uint64_t, uint64_t, uint64_t *,       \
                                    uint64_t *);                                                                       \
    void cpi_columns32_##isa(const cpi_keys *, const void *, int, int, uint32_t *);                                    \
    void cpi_columns64_##isa(const cpi_keys *, const void *, int, int, uint64_t *);
CPI_SELECT_ISA(v2)
CPI_SELECT_ISA(v3)
CPI_SELECT_ISA(v4)
#undef CPI_SELECT_ISA
cpi_window32_fn cpi_window32(void);
cpi_window64_fn cpi_window64(void);
cpi_three_way32_fn cpi_three_way32(void);
cpi_three_way64_fn cpi_three_way64(void);
cpi_columns32_fn cpi_columns32(void);
cpi_columns64_fn cpi_columns64(void);

/* The keys of ranks k and min(k + 1, n - 1) of a[0..n), 0 <= k < n; a is used up. */
typedef struct cpi_pair32 { uint32_t first, second; } cpi_pair32;
typedef struct cpi_pair64 { uint64_t first, second; } cpi_pair64;
typedef struct cpi_pair128 { cpi_u128 first, second; } cpi_pair128;
cpi_pair32 cpi_select32(uint32_t *a, int64_t n, int64_t k);
cpi_pair64 cpi_select64(uint64_t *a, int64_t n, int64_t k);
cpi_pair128 cpi_select128(cpi_u128 *a, int64_t n, int64_t k);

/* Moves the kth smallest of a[0..n) to its place, smaller ones before it, larger ones behind. */
void cpi_nth_element8(uint8_t *a, int64_t n, int64_t k);
void cpi_nth_element16(uint16_t *a, int64_t n, int64_t k);
void cpi_nth_element32(uint32_t *a, int64_t n, int64_t k);
void cpi_nth_element64(uint64_t *a, int64_t n, int64_t k);
void cpi_nth_element128(cpi_u128 *a, int64_t n, int64_t k);

/* Position of sample i when an array is cut into strata of `stride` elements: spread, the same on every run. */
static inline int64_t cpi_sample_at(int64_t i, int64_t stride)
{
    uint64_t h = (uint64_t)i * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u;
    return i * stride + (int64_t)((h >> 32) * (uint64_t)(stride < INT32_MAX ? stride : INT32_MAX) >> 32);
}

#endif
