/* Backend slots of the module sort.
 *
 * All slots work on rows: C-contiguous memory (rows, n) on the stream's device with rows >= 1 and n >= 1; the API
 * function has moved the axis to the end. Sizes may exceed 2^31. The order is NumPy's, see keys.h. */
#ifndef CPI_SORT_H
#define CPI_SORT_H

#include "backend/backend.h"
#include "cuprite/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- full order: sort.c, unique.c --- */

/* A request to `unique` and `unique_rows`, and its results. The slot finds the number of distinct values. Then it calls
 * sized(request, count) once from the calling thread, which sets the wanted pointers below to memory for `count` items
 * (its error code must be returned). Then the slot fills that memory. */
typedef struct cpi_unique {
    cp_type type;
    int64_t n;             /* values: elements, or rows */
    int64_t width;         /* elements of a row (unique_rows) */
    const void *from;      /* n elements, or n * width */
    bool distinct_nan;     /* every NaN is distinct; else all NaNs are one value (of complex numbers too) */
    bool want_index, want_counts;
    int64_t *inverse;      /* n, or NULL when not wanted */
    cp_code (*sized)(struct cpi_unique *request, int64_t count);
    /* set by `sized`: */
    void *values;          /* the first occurrence of each where index is wanted, else any */
    int64_t *index, *counts; /* NULL when not wanted */
} cpi_unique;

/* --- selection: select*.c, clip*.c --- */

/* One kappa-sigma clipping (clip.h has its arithmetic). The set of kept elements at any time is exactly those
 * with low <= v <= high; NaN is never in it. */
typedef struct cpi_clip {
    cp_type type;       /* of `from`: float32 or float64 */
    cp_type rule;       /* float16, bfloat16, float32 or float64: the precision of center, std and bounds */
    int64_t n;
    const void *from;   /* n elements */
    double kappa;
    cp_clip_center center;
    int max_iterations; /* 0: no limit */
    /* set by `clip`: */
    cp_clip_result result;
    double low, high;   /* the kept set; low > high when it is empty */
} cpi_clip;

/* One pass over a part of the data (cp_sigma_clip_split); closed intervals of values of the type. */
typedef struct cpi_clip_split {
    cp_type type;       /* float32 or float64 */
    int64_t n;          /* >= 1 */
    const void *from;
    double core_low, core_high, window_low, window_high, pivot;
    void *fringe, *window; /* each with capacity for n */
    /* set by `clip_split`: */
    int64_t count, below, fringe_count, window_count;
    double s1, s2;
} cpi_clip_split;

/*: slot("sort", bytes="2 * rows * n * (int64_t)cp_type_size(type)")
 * slot("argsort", bytes="rows * n * (8 + (int64_t)cp_type_size(type))")
 * slot("unique", hand_written=True, bytes="request->n * (int64_t)cp_type_size(request->type)")
 * slot("unique_rows", hand_written=True, bytes="request->n * request->width * (int64_t)cp_type_size(request->type)")
 * slot("search", bytes="8 * m + (n + m) * (int64_t)cp_type_size(type)")
 * slot("isin", bytes="m + (n + m) * (int64_t)cp_type_size(type)")
 * slot("median", bytes="rows * n * (int64_t)cp_type_size(type)")
 * slot("partition", host={"kth": "nkth"}, bytes="2 * rows * n * (int64_t)cp_type_size(type)")
 * slot("argpartition", host={"kth": "nkth"}, bytes="rows * n * (8 + (int64_t)cp_type_size(type))")
 * slot("clip_keep", bytes="(request->n + request->result.count) * itemsize")
 * slot("select_kth", host={"kth": "nkth"})
 * slot("clip_split", waits=True)
 * slot("clip", waits=True) */
typedef struct cpi_sort_ops {
    /* Sorts each row of `from` into `to`; they are the same memory or do not overlap. */
    cp_code (*sort)(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, void *to);
    /* The stable order of each row: indices 0..n-1. `from` is not changed. */
    cp_code (*argsort)(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, int64_t *to);
    cp_code (*unique)(cp_stream *stream, cpi_unique *request);
    /* unique of rows, width >= 2: ordered by their first elements that differ; a row that holds a NaN equals no
     * other. Values are always first occurrences. */
    cp_code (*unique_rows)(cp_stream *stream, cpi_unique *request);

    /* How many of the n elements in order are less than each of m values (`right`: or equal). n >= 1, m >= 1. */
    cp_code (*search)(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                      bool right, int64_t *to);

    /* to[i]: whether values[i] is one of n elements in any order (`invert`: is not). NaN equals none. n, m >= 1. */
    cp_code (*isin)(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                    bool invert, uint8_t *to);

    /* selection: */
    /* The median of each row; `to` holds one element a row: float64 for bool and integers, else x's type. */
    cp_code (*median)(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, void *to);
    /* numpy.partition of each row in place; kth: nkth >= 1 ascending, distinct values of 0..n-1, host memory. */
    cp_code (*partition)(cp_stream *stream, cp_type type, int64_t rows, int64_t n, void *data, int nkth,
                         const int64_t *kth);
    /* numpy.argpartition of each row: indices 0..n-1, the same result for any number of threads; kth as above. For
     * integers of 64 bits `from` and `to` may be the same memory. */
    cp_code (*argpartition)(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, int64_t *to,
                            int nkth, const int64_t *kth);
    /* Clips; the result is in *request when the call returns. */
    cp_code (*clip)(cp_stream *stream, cpi_clip *request);
    /* After `clip`: the elements of `values` (n items of `itemsize` 1, 2, 4 or 8 bytes, beside request->from)
     * whose value is kept, in order, into `to`, which holds result.count of them. */
    cp_code (*clip_keep)(cp_stream *stream, const cpi_clip *request, int itemsize, const void *values, void *to);
    /* Counts and sums the core; what is outside of it goes to `fringe`, the core's window to `window`, in any order. */
    cp_code (*clip_split)(cp_stream *stream, cpi_clip_split *request);
    /* The elements of rank kth of one long row, which is not changed: n >= 1 << 17 of 32 or 64 bits, not complex; kth
     * as above. NULL: there is none. */
    cp_code (*select_kth)(cp_stream *stream, cp_type type, int64_t n, const void *from, int nkth, const int64_t *kth,
                          void *to);
} cpi_sort_ops;
/*: slot("select_kth", absent="cuda") */

#ifdef __cplusplus
}
#endif
#include "sort/slots.h"

#endif
