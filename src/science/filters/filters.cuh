/* What the kernels of this module share on the host's side: the padded image, windows' offsets, sizes of launches. */
#ifndef CPI_FILTERS_CUH
#define CPI_FILTERS_CUH

#include "cuda/cuda.h"
#include "filters/elements.cuh"
#include "loop/divisor.h"

enum { FILTER_THREADS = 256 };

/* --- the padded image (padded_cuda.cu) --- */

/* What elements become in the padded image. */
enum filter_form { FILTER_NUMBERS, FILTER_KEYS32, FILTER_KEYS64, FILTER_BYTES };
struct filter_padded {
    char *data;                                   /* workspace */
    int64_t total, strides[CP_MAXDIM];            /* in elements */
};
struct filter_padding {
    int ndim;
    const int64_t *shape, *before, *size;
    cpi_boundary boundary;
    cp_type type;
    const void *in;
    double fill;
    filter_form form;
    bool nan_low;
};
cp_code cpi_filter_pad_cuda(cp_stream *stream, const filter_padding *p, filter_padded *to);
static inline filter_form filter_keys_of(cp_type t) { return cpi_itemsize(t) == 8 ? FILTER_KEYS64 : FILTER_KEYS32; }

/* The offsets of positions of a window (all of them: taps NULL) in the padded image, in device memory (workspace). */
int64_t *cpi_filter_offsets_cuda(cp_stream *stream, int ndim, const int64_t *size, const int64_t *strides, int64_t n,
                                 const int64_t *taps);

/* An image's shape and where its windows begin in the padded one. */
struct filter_starts {
    int ndim;
    int64_t total, shape[CP_MAXDIM], strides[CP_MAXDIM];
};
filter_starts cpi_filter_starts_cuda(int ndim, const int64_t *shape, const int64_t *strides);

template <class I> __device__ __forceinline__ int64_t filter_start(const filter_starts &p, I i)
{
    int64_t at = 0;
    for (int d = p.ndim - 1; d > 0; d--) {
        const I n = (I)p.shape[d], rest = i / n;
        at += (int64_t)(i - rest * n) * p.strides[d];
        i = rest;
    }
    return at + (int64_t)i * p.strides[0];
}

/* The filter from shared memory (tile_cuda.cu); false: it is none that fits, nothing was launched. */
bool cpi_filter_tile_line_cuda(cp_stream *stream, const cpi_line_filter *f);
bool cpi_filter_tile_window_cuda(cp_stream *stream, const cpi_window_filter *f);

/* Regions that spread until nothing changes, an element a bit (bits_cuda.cu). `done`: whether they are of that kind. */
cp_code cpi_filter_spread_bits_cuda(cp_stream *stream, const cpi_binary_filter *f, bool *done);

/* Blocks for n elements, and whether 32 bits count them. */
static inline unsigned filter_blocks(int64_t n) { return cpi_cuda_blocks(n, FILTER_THREADS, 1 << 30); }
static inline bool filter_is_small(int64_t n) { return n < (int64_t)1 << 31; }

#endif
