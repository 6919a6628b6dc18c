/* The passes of clipping on the CPU: clip_simd.c has them once for each instruction set, with the same bits. */
#ifndef CPI_SORT_CLIP_KERNELS_H
#define CPI_SORT_CLIP_KERNELS_H

#include <stdint.h>

/* Closed intervals; band within core within low..high. An interval with low > high is empty. */
typedef struct cpi_clip_plan {
    double low, high;           /* the elements that are still kept */
    double core_low, core_high; /* those that no later bound is expected to reach */
    double window_low, window_high; /* where the median is expected */
    double pivot;
} cpi_clip_plan;

/* s1, s2: sums of d and d*d, d = value - pivot. below: those counted that lie below window_low. */
typedef struct cpi_clip_part { int64_t count, below, fringe, inside; double s1, s2; } cpi_clip_part;

typedef struct cpi_clip_kernels {
    /* Counts and sums the core; the elements of low..high outside of it go to `fringe`, those of the band to
     * `window` (both have room for n). */
    cpi_clip_part (*split)(const void *x, int64_t n, const cpi_clip_plan *plan, void *fringe, void *window);
    /* Counts and sums low..high. */
    cpi_clip_part (*count)(const void *x, int64_t n, const cpi_clip_plan *plan);
    /* The number of elements in low..high; they go to `to` unless it is NULL. `to` has no room for more than
     * these, and may be x. */
    int64_t (*keep)(const void *x, int64_t n, double low, double high, void *to);
} cpi_clip_kernels;

extern const cpi_clip_kernels cpi_clip_float_v2, cpi_clip_float_v3, cpi_clip_float_v4;
extern const cpi_clip_kernels cpi_clip_double_v2, cpi_clip_double_v3, cpi_clip_double_v4;

#endif
