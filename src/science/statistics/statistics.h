/* The slots that a backend fills for the module statistics. Memory is C-contiguous and on the stream's device unless a
 * comment says otherwise; n >= 1. The same input gives the same bits. */
#ifndef CPI_STATISTICS_H
#define CPI_STATISTICS_H

#include "backend/backend.h"
#include "cuprite/statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Evenly spaced edges that the backend computes, of at most CPI_MADE_BINS bins: start + i * step, each step rounded in
 * the type `computed`, and at the end stop; all as `type`. Both are float32 or float64. */
enum { CPI_MADE_BINS = 2048 };
typedef struct cpi_edges {
    cp_type computed, type;
    double start, step, stop;
    void *to;             /* bins + 1, of that type; NULL: there are edges */
} cpi_edges;

/* The bin of an element: i where edge[i] <= x < edge[i + 1], and the last one where x is the last edge. NaN and
 * outliers are in none. Edges ascend; elements are compared as float64. */
typedef struct cpi_bins {
    cp_type type;         /* of x: no complex type */
    int64_t n, bins;
    const void *x;
    const double *edges;  /* bins + 1, or NULL: computed */
    cpi_edges made;
    bool even;            /* edges are evenly spaced: the value of x gives the bin, or its neighbour, without a
                             search */
    double first, last;   /* the range */
    int64_t *index;       /* n: the bin of each, or `bins` for none; or NULL */
    int64_t *counts;      /* bins: how many elements each has; or NULL. One of the two is not */
} cpi_bins;

/* numpy.interp: y at x between the samples (at, of), which ascend; beyond them left and right. */
typedef struct cpi_interpolation {
    int64_t n, samples;
    const double *x, *at;
    const void *of;       /* float64, or complex128 */
    bool complex_values;
    double left[2], right[2];
    void *to;
} cpi_interpolation;

/* One more method: between two elements their mean, as the median has it. */
#define CPI_QUANTILE_MEDIAN ((cp_quantile_method)64)

/* Quantiles of sorted rows, to[i][row]. */
typedef struct cpi_quantiles {
    cp_type type;         /* of x: no complex type */
    cp_type computed;     /* type of the arithmetic of positions: float32 or float64 */
    cp_type result;       /* a floating type */
    bool elements;        /* the method gives elements: of x's type */
    int64_t rows, n, count;
    const void *x;        /* (rows, n), each row ascending, NaN last */
    const double *q;      /* count: 0 to 1 */
    cp_quantile_method method;
    bool known;           /* NaN is left out; else a row with one has NaN */
    const double *weight; /* (rows, n) in the order of x, or NULL */
    void *to;             /* (count, rows) */
    /* x has only the elements at these indices of the one row, ascending. They include the last index for floating
     * types unless `known`, which has `numbers` elements that are not NaN; NULL: all. */
    const int64_t *indices;
    int found;
    int64_t numbers;
} cpi_quantiles;

enum { CPI_SMALL_EDGES = 2048 };
#define CPI_UNORDERED_EDGES "bins must be monotonically increasing or decreasing"

typedef struct cpi_statistics_ops {
    /* Counts of each of 0 .. bins - 1 in the n elements of x: int64; or the sums of their weights in order: float64.
     * Elements are 0 .. bins; `bins` is not counted. */
    cp_code (*bincount)(cp_stream *stream, int64_t n, const int64_t *x, const double *weights, int64_t bins, void *to);
    /* The same for any integer type; extent[0] and [1] are their minimum and maximum as int64. If these are within 0 ..
     * bins - 1 the counts are right, else undefined. bins may be 0. */
    cp_code (*tally)(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t bins, int64_t *counts,
                     int64_t *extent);
    cp_code (*bins)(cp_stream *stream, const cpi_bins *b);
    /* to[i]: how many of the m edges, ascending, are less than x[i] or, `right`, not greater. NaN is greater than any
     * number. No complex type. m may be 0. */
    cp_code (*locate)(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m, const void *edges,
                      bool right, int64_t *to);
    /* numpy.digitize, of 1 to CPI_SMALL_EDGES edges: as locate where they ascend; where they descend, m less the result
     * for the reversed edges. Fails if they do neither: on the CPU at once, elsewhere at the stream's next check. NaN
     * is in order with anything; the first unequal pair determines the direction. */
    cp_code (*digitize)(cp_stream *stream, cp_type type, int64_t n, const void *x, int64_t m, const void *edges,
                        bool right, int64_t *to);
    cp_code (*interpolate)(cp_stream *stream, const cpi_interpolation *p);
    cp_code (*quantiles)(cp_stream *stream, const cpi_quantiles *q);
    /* ends[0], ends[1]: the minimum and the maximum of n >= 1 elements of float32, float64 or integers of at most 32
     * bits, NaN where there is one, in the device's memory. NULL: there is none. */
    cp_code (*span)(cp_stream *stream, cp_type type, int64_t n, const void *x, double *ends);
    /* *to: the sum of (x[i + 1] - x[i]) * (y[i + 1] + y[i]) / 2 of n >= 2 elements, all float32 or float64; x NULL: of
     * `width` instead of the differences. */
    cp_code (*areas)(cp_stream *stream, cp_type type, int64_t n, const void *y, const void *x, double width, void *to);
} cpi_statistics_ops;
/*: slot("bincount", bytes="(weights ? 16 : 8) * n")
 * slot("tally", bytes="n * (int64_t)cp_type_size(type)")
 * slot("bins", bytes="b->n * ((int64_t)cp_type_size(b->type) + (b->index ? 8 : 0))")
 * slot("locate", bytes="n * (8 + (int64_t)cp_type_size(type))")
 * slot("digitize", bytes="n * (8 + (int64_t)cp_type_size(type))")
 * slot("interpolate", bytes="p->n * 16 + p->samples * 16")
 * slot("quantiles", bytes="q->rows * q->count * (int64_t)cp_type_size(q->result)")
 * slot("span", absent="cuda", bytes="n * (int64_t)cp_type_size(type)")
 * slot("areas", bytes="(x ? 2 : 1) * n * (int64_t)cp_type_size(type)") */


/* --- shared by the module's files --- */
/* Weights shaped to broadcast with a: of its shape, or of that of the axes; NULL with NumPy's error. */
cp_array *cpi_weights_like(const char *name, cp_array *a, cp_array *w, cp_axes axes);
/* The median of elements that are not NaN. */
cp_array *cpi_known_median(const char *name, cp_array *a, cp_axes axes, bool keepdims, cp_array *out);
/* bincount of indices 0 .. bins, of which `bins` is not counted. */
cp_array *cpi_bincount(const char *name, cp_array *x, cp_array *weights, int64_t bins);
/* Of x, flattened, which is not complex: the number of elements in each bin (`counted`), or the bin of each element, of
 * those in none the number of bins. edges: 1-d, at least two. */
cp_array *cpi_bins_of(const char *name, cp_array *x, cp_array *edges, bool even, double first, double last,
                      bool counted);
/* The same with the edges that `made` describes, for a non-empty x; the edges are a new array, *edges. */
cp_array *cpi_bins_between(const char *name, cp_array *x, int64_t bins, cpi_edges made, double first, double last,
                           bool counted, cp_array **edges);

#ifdef __cplusplus
}
#endif
#include "statistics/slots.h"

#endif
