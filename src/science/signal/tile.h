/* Arguments of the CPU's tile loops, and their table for one instruction set. */
#ifndef CPI_SIGNAL_TILE_H
#define CPI_SIGNAL_TILE_H

#include "signal/signal.h"

/* result[y, x] (+)= sum over ky < kh, kx < kw of kernel[ky, kx] * source[y + ky, x + kx] for one tile. Strides
 * and columns count scalars (a complex element is two); kw counts elements. The columns are a multiple of
 * CPI_SIGNAL_ROUND bytes, and the source is readable for all of them. */
typedef struct cpi_signal_tile {
    const void *source, *kernel;
    void *result;
    int64_t source_stride, kernel_stride, result_stride;
    int64_t rows, cols, kh, kw;
    bool accumulate;
} cpi_signal_tile;

#define CPI_SIGNAL_ROUND 64

typedef struct cpi_signal_simd {
    void (*boolean)(const cpi_signal_tile *);
    void (*u8)(const cpi_signal_tile *);
    void (*u16)(const cpi_signal_tile *);
    void (*u32)(const cpi_signal_tile *);
    void (*u64)(const cpi_signal_tile *);
    void (*f32)(const cpi_signal_tile *);
    void (*f64)(const cpi_signal_tile *);
    void (*c64)(const cpi_signal_tile *);
    void (*c128)(const cpi_signal_tile *);
    void (*widen)(cp_type half, float *to, const void *from, int64_t n);
    void (*narrow)(cp_type half, void *to, const float *from, int64_t n); /* to nearest, ties to even */
} cpi_signal_simd;

#endif
