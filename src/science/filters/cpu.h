/* What the CPU's files of the module share: the loops of one instruction set, and the windows of N-d filters.
 *
 * Elements are computed as one of ten work types: float64 for sums; for orders the type itself, integers ordered as the
 * floating numbers are (keys) for half types and for ranks. */
#ifndef CPI_FILTERS_CPU_H
#define CPI_FILTERS_CPU_H

#include "filters/filters.h"

/* name, C type */
#define CPI_FILTER_WORK(X)                                                                                  \
    X(u8, uint8_t) X(i8, int8_t) X(u16, uint16_t) X(i16, int16_t) X(u32, uint32_t) X(i32, int32_t)          \
    X(u64, uint64_t) X(i64, int64_t) X(f32, float) X(f64, double)
typedef enum cpi_filter_work {
#define X(name, type) CPI_WORK_##name,
    CPI_FILTER_WORK(X)
#undef X
    CPI_NWORK
} cpi_filter_work;

enum {
    CPI_FILTER_STRIP = 256, /* bytes of a strip: what a sorting network works on at once */
    CPI_FILTER_SLACK = 1024 /* bytes behind buffers that loops may read or write */
};

/* A step of a sorting network: the smaller one of two strips goes to the first one's place, the larger one to the
 * second's; or one of them alone, where nobody needs the other. */
typedef struct cpi_network_step { uint16_t low, high; uint8_t keeps; } cpi_network_step;
enum { CPI_KEEPS_LOW = 1, CPI_KEEPS_HIGH = 2 };

/* The element type of a window's order: which work type, and how elements become keys. */
typedef struct cpi_filter_keys { cp_type type; cpi_filter_work work; bool nan_low, keyed; } cpi_filter_keys;

/* Loops over contiguous work elements, for one instruction set. They may read and write up to CPI_FILTER_SLACK bytes
 * behind n elements. */
typedef struct cpi_filters_simd {
    void (*load)(cp_type type, double *to, const void *from, int64_t n);
    void (*store)(cp_type type, void *to, const double *from, int64_t n); /* integers: cut off, then modulo 2^bits */
    void (*encode)(const cpi_filter_keys *k, void *to, const void *from, int64_t n);
    void (*decode)(const cpi_filter_keys *k, void *to, const void *from, int64_t n);
    /* to[i] = sum over k < size of w[k] * in[i + k * step] */
    void (*correlate)(double *to, const double *in, int64_t n, int64_t step, const double *w, int64_t size);
    /* to[i] = mean of in[i + k * step], k < size; `in` has n + (size - 1) * step elements and is used up */
    void (*mean)(double *to, double *in, int64_t n, int64_t step, int64_t size);
    void (*extreme_line[CPI_NWORK])(void *to, void *in, int64_t n, int64_t step, int64_t size, bool high);
    /* to[i] = sum over k of w[k] * in[i + at[k]] */
    void (*weigh)(double *to, const double *in, int64_t n, const int64_t *at, const double *w, int64_t taps);
    void (*extreme[CPI_NWORK])(void *to, const void *in, int64_t n, const int64_t *at, int64_t taps, bool high);
    /* The extremes of float64 beside which heights lie: less them, or more where `high`. */
    void (*extreme_above)(double *to, const double *in, int64_t n, const int64_t *at, const double *heights,
                          int64_t taps, bool high);
    /* Runs the steps on strips: strip i is read at from[i] until it is written, then at own + i * pitch bytes, where
     * from[i] then points. */
    void (*network[CPI_NWORK])(const cpi_network_step *steps, int64_t n, const void **from, char *own, int64_t pitch);
    /* to[i] = the rank-th of in[i + at[k]]; `space` holds taps elements */
    void (*select[CPI_NWORK])(void *to, const void *in, int64_t n, const int64_t *at, int64_t taps, int64_t rank,
                              void *space);
    /* to[i] = any (`dilate`) or all of in[i + at[k]]; where mask is given and 0, own[i]. Returns whether any differs
     * from own[i]. */
    bool (*binary)(uint8_t *to, const uint8_t *in, const uint8_t *own, const uint8_t *mask, int64_t n,
                   const int64_t *at, int64_t taps, bool dilate);
} cpi_filters_simd;

const cpi_filters_simd *cpi_filters_best(void);
cpi_filter_keys cpi_filter_keys_of(cp_type type, bool minimum, bool rank);
int64_t cpi_filter_work_bytes(cpi_filter_work work);

/* The image continued beyond its edges, in work elements: shape + size - 1. */
typedef struct cpi_filter_image {
    char *data;                        /* workspace */
    int64_t item;
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM]; /* in elements */
} cpi_filter_image;
typedef void (*cpi_filter_reader)(const void *context, void *to, const void *from, int64_t n);
typedef struct cpi_filter_edges {
    int ndim;
    const int64_t *shape, *before, *size;
    cpi_boundary boundary;
    const void *in;
    int64_t in_item, item;             /* bytes of an element, of a work element */
    cpi_filter_reader read;            /* elements as work elements */
    const void *context;
    const void *fill;                  /* one work element */
} cpi_filter_edges;
cp_code cpi_pad_image(cp_stream *stream, const cpi_filter_edges *p, cpi_filter_image *to);
/* The offsets of positions of a window in the padded image. */
void cpi_tap_offsets(int ndim, const int64_t *size, const int64_t *strides, int64_t ntaps, const int64_t *taps,
                     int64_t *at);

/* Sorting networks (network.c): the steps in host memory, for cpi_free_host; NULL: error written. */
/* Finds the rank-th of lists that are in order: strip i of list c has the number c * each + i. `result` is the strip
 * where it is then. */
cpi_network_step *cpi_network_make(int64_t lists, int64_t each, int64_t rank, int64_t *nsteps, int64_t *result);
/* Sorts n strips: in the end their order is `order`. */
cpi_network_step *cpi_network_sort(int64_t n, int64_t *nsteps, uint16_t *order);

#endif
