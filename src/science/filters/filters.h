/* The slots that a backend fills for the module filters.
 *
 * Arrays are in C order without gaps, and no output overlaps an input. Beyond its edges an axis is continued by the
 * boundary rule (loop/boundary.h); its length is positive. The window of element i has the positions i - before to
 * i - before + size - 1. */
#ifndef CPI_FILTERS_H
#define CPI_FILTERS_H

#include "backend/backend.h"
#include "loop/boundary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* MEAN and CORRELATE read elements of any real type as float64, and round once; MINIMUM and MAXIMUM are of one type. A
 * NaN in the window is the result of both. */
typedef enum cpi_line_op { CPI_LINE_CORRELATE, CPI_LINE_MEAN, CPI_LINE_MINIMUM, CPI_LINE_MAXIMUM } cpi_line_op;

/* A window along one axis: outer x n x inner elements. */
typedef struct cpi_line_filter {
    cpi_line_op op;
    cp_type from, to;
    cpi_boundary boundary;
    int64_t outer, n, inner;        /* positive */
    int64_t before, size;           /* 0 <= before < size */
    double fill;                    /* the constant; for extrema a value of the type */
    const double *weights;          /* CORRELATE: `size` of them in device memory */
    const void *in;
    void *out;
} cpi_line_filter;

/* SUM: of elements times weights, in float64. RANK: the rank-th element of those in order, NaN last. */
typedef enum cpi_window_op { CPI_WINDOW_SUM, CPI_WINDOW_MINIMUM, CPI_WINDOW_MAXIMUM, CPI_WINDOW_RANK } cpi_window_op;

/* A window over all axes. Of its positions, counted in C order, only `taps` take part, but all for SUM. */
typedef struct cpi_window_filter {
    cpi_window_op op;
    cp_type from, to;               /* of SUM any real types, else the same */
    cpi_boundary boundary;
    int ndim;                       /* positive */
    int64_t shape[CP_MAXDIM], before[CP_MAXDIM], size[CP_MAXDIM];
    double fill;
    int64_t ntaps, rank;
    const int64_t *taps;            /* host memory, ascending */
    const double *heights;          /* extremes of float64: taken off (MINIMUM) or added; host memory, or NULL */
    int64_t nheights;               /* ntaps, or 0 */
    const double *weights;          /* SUM: one for each position, in device memory; tiny ones (DBL_EPSILON) are none */
    const void *in;
    void *out;
} cpi_window_filter;

/* Binary erosion (all taps are true) or dilation (any is), repeated; elements are bytes, 0 or 1. Only where the mask
 * is true are elements changed. */
typedef struct cpi_binary_filter {
    int ndim;                       /* positive */
    int64_t shape[CP_MAXDIM], before[CP_MAXDIM], size[CP_MAXDIM];
    int64_t ntaps, iterations;      /* iterations < 1: until nothing changes */
    const int64_t *taps;            /* host memory, ascending */
    bool dilate, border;            /* border: the elements beyond the edges */
    bool monotone;                  /* the element itself is a tap: changed ones stay so */
    const uint8_t *in, *mask;       /* mask: or NULL */
    uint8_t *out;
} cpi_binary_filter;

/* A filter of Fourier coefficients: each is multiplied by a function of its index. The tables of the axes lie behind
 * one another in device memory, shape[d] numbers each. PRODUCT: of the tables' numbers; SHIFT: exp(i * their sum);
 * DISC: what the transform of an interval, a disc or a ball (of ndim dimensions) is at the square root of their sum. */
typedef enum cpi_fourier_op { CPI_FOURIER_PRODUCT, CPI_FOURIER_SHIFT, CPI_FOURIER_DISC } cpi_fourier_op;
typedef struct cpi_fourier_filter {
    cpi_fourier_op op;
    cp_type type;                   /* float32, float64, or complex */
    int ndim;                       /* positive */
    int64_t shape[CP_MAXDIM];
    const double *tables;
    const void *in;
    void *out;
} cpi_fourier_filter;

/*: record("cpi_window_filter", host={"taps": "ntaps", "heights": "nheights"}) */
/*: record("cpi_binary_filter", host={"taps": "ntaps"}) */
/*: slot("binary", waits="f->iterations < 1") */
typedef struct cpi_filters_ops {
    cp_code (*line)(cp_stream *stream, const cpi_line_filter *f);
    cp_code (*window)(cp_stream *stream, const cpi_window_filter *f);
    /* Without an end in sight (a cycle of images) it is CP_ERROR_RUNTIME. */
    cp_code (*binary)(cp_stream *stream, const cpi_binary_filter *f);
    cp_code (*fourier)(cp_stream *stream, const cpi_fourier_filter *f);
} cpi_filters_ops;

#ifdef __cplusplus
}
#endif
#include "filters/slots.h"

#endif
