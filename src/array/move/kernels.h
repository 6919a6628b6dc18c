/* The CPU's kernels that move elements, one set per instruction set (move_simd.c): conversion between all types,
 * strided elements, transposition, copies past the caches. Kernels run over n elements; the output shares no memory
 * with the input. */
#ifndef CPI_MOVE_KERNELS_H
#define CPI_MOVE_KERNELS_H

#include "core/type_traits.h"
#include "cpu/features.h"

typedef void (*cpi_converter)(void *out, const void *in, int64_t n);

typedef struct cpi_move_kernels {
    const cpi_converter (*convert)[CP_NTYPES];        /* [from][to] */
    void (*gather)(void *out, const void *in, int64_t stride, int64_t n, int size);
    /* `rows` rows of n elements each, row_stride bytes apart, one after the other */
    void (*gather_rows)(void *out, const void *in, int64_t row_stride, int64_t rows, int64_t stride, int64_t n,
                        int size);
    void (*scatter)(void *out, int64_t stride, const void *in, int64_t n, int size);
    void (*scatter_masked)(void *out, int64_t stride, const void *in, const uint8_t *mask, int64_t n, int size);
    void (*stream)(void *out, const void *in, int64_t bytes); /* a copy past the caches; cpi_stream_done must follow */
    /* out[r][c] = in[c][r]; past: beside the caches where lines of both lie alike */
    void (*transpose)(void *out, int64_t out_stride, const void *in, int64_t in_stride, int64_t rows,
                      int64_t columns, int size, bool past);
} cpi_move_kernels;

extern const cpi_move_kernels cpi_move_kernels_v2, cpi_move_kernels_v3, cpi_move_kernels_v4;
/* Those of this processor. */
const cpi_move_kernels *cpi_move_kernels_best(void);

#endif
