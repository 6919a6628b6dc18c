/* What fft_simd.c gives, once for each instruction set and type: transforms of lanes side by side in vectors. */
#ifndef CPI_FFT_SIMD_H
#define CPI_FFT_SIMD_H

#include "fft/plan.h"

enum { FFT_WIDEST = 16, FFT_WIDE = 4 };

/* One to `width` lanes, all in work memory at once. */
typedef struct cpi_fft_group {
    const cpi_fft_plan *plan;
    int sign, count;
    double scale;
    const char *in[FFT_WIDEST]; /* `width` of them: those beyond `count` are any of the others */
    char *out[FFT_WIDEST];
    int64_t in_step, out_step;
    bool far;                   /* the array is larger than caches */
    bool stream;                /* the result is larger than any cache; lanes begin at multiples of 64 */
    int64_t in_next, out_next;  /* bytes to where the next group's lanes are, which are asked for; 0: not known */
    bool in_beside, out_beside; /* there are `width` lanes, whose elements follow one another */
    char *scratch;
} cpi_fft_group;

/* A part of the work on one long lane, all of it contiguous: interleaved complex numbers. `swap`: real and imaginary
 * parts change places on the way in and out, which makes a backward transform. */
typedef struct cpi_fft_segment {
    const cpi_fft_long *l;
    const char *in;
    char *middle, *out;
    bool swap;
    double scale;
    int64_t first, end;  /* groups of columns, or of rows */
    bool far;            /* the lane is larger than caches */
    bool stream;         /* of rows: as above */
    const char *next;    /* of a short lane: what is read (columns), or written (rows), next; NULL: not known */
    char *scratch;
} cpi_fft_segment;

typedef struct cpi_fft_simd {
    int width;
    int64_t (*group_bytes)(const cpi_fft_plan *p);
    void (*group)(const cpi_fft_group *g);
    /* Complex transforms of as many whole groups, each beside the one before, whose elements follow one another. */
    int64_t (*wide_bytes)(const cpi_fft_plan *p, int groups);
    void (*wide)(const cpi_fft_group *g, int groups);
    /* of a long lane that has n1: bytes of `middle` and of scratch */
    int64_t (*middle_bytes)(const cpi_fft_long *l);
    int64_t (*segment_bytes)(const cpi_fft_long *l);
    void (*columns)(const cpi_fft_segment *s); /* ceil(n2 / width) groups: in to middle */
    void (*rows)(const cpi_fft_segment *s);    /* ceil(n1 / width) groups: middle to out */
    /* to[k] = a[k] * b[k], first <= k < end, and 0 from n on; swapped where asked: parts of a before, of the product
     * behind. `to` may be a. */
    void (*multiply)(void *to, const void *a, const void *b, int64_t n, int64_t first, int64_t end, bool before,
                     bool behind, double scale);
    /* Between the transform of n / 2 pairs of real numbers and that of n, for first <= k < end of 0..n/4. In place, of
     * n / 2 + 1. */
    void (*after_real)(void *x, const void *half, int64_t h, int64_t first, int64_t end, int sign);
    /* Of the transform of n real numbers to that of n / 2 pairs, for the same k. */
    void (*before_real)(void *to, const void *x, const void *half, int64_t h, int64_t first, int64_t end, int sign);
    /* Cosine transforms of a group, scale its factor; and of one lane, before and behind a Fourier transform of
     * contiguous numbers: its elements, or results, first <= i < end. */
    int64_t (*cosine_bytes)(const cpi_fft_plan *p);
    void (*cosine)(const cpi_fft_group *g);
    void (*cosine_before)(const cpi_fft_plan *p, const char *in, int64_t step, void *to, int64_t first, int64_t end);
    void (*cosine_after)(const cpi_fft_plan *p, const void *from, char *out, int64_t step, int64_t first, int64_t end);
} cpi_fft_simd;

#endif
