/* The slots that a backend fills for the module ndimage.
 *
 * Both slots get C-contiguous arrays: the API layer copies others. Neither sees an empty array. An n-d array is
 * a stack of `lines` along its last axis; a label plan has no leading axes of length 1. */
#ifndef CPI_NDIMAGE_H
#define CPI_NDIMAGE_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A line that comes earlier in C order and touches the present one. It is `delta` lines back; it is there
 * unless the present line lies at index 0 of a leading axis in `minus` or at the last index of one in `plus`
 * (bit a: axis a). Element j touches that line's element j + d for each d that `reach` names. */
typedef struct cpi_neighbour {
    int64_t delta;
    uint64_t minus, plus;
    int reach; /* CPI_REACH_BACK | CPI_REACH_SAME | CPI_REACH_AHEAD */
} cpi_neighbour;
enum { CPI_REACH_BACK = 1, CPI_REACH_SAME = 2, CPI_REACH_AHEAD = 4 };

typedef struct cpi_label_plan {
    int64_t lines, width;
    int axes;                 /* leading axes */
    int64_t lead[CP_MAXDIM];  /* their lengths */
    bool joined;              /* neighbours along the line touch */
    int neighbours;
    const cpi_neighbour *neighbour; /* host memory */
    int64_t limit;            /* `out` can hold labels up to this one; more of them are CP_ERROR_RUNTIME */
} cpi_label_plan;

/* Which pixels form region i of n: its label's position in the results. */
typedef enum cpi_regions_kind {
    CPI_REGIONS_ALL,      /* n = 1: every pixel; labels is NULL */
    CPI_REGIONS_POSITIVE, /* n = 1: labels > 0 */
    CPI_REGIONS_NONE,     /* n = 1: no pixel */
    CPI_REGIONS_ONE,      /* n = 1: the label with `key` */
    CPI_REGIONS_COUNT,    /* labels 1..n */
    CPI_REGIONS_INDEX     /* the labels in `index` (n of them, any order, repeated ones allowed) */
} cpi_regions_kind;

/* What to measure and where to; NULL results are not computed. All are C-contiguous and new. */
typedef struct cpi_measure_plan {
    const cp_array *x;       /* real; NULL when only boxes or counts are asked for */
    const cp_array *labels;  /* real, x's shape */
    cpi_regions_kind kind;
    int64_t n;
    int64_t key;             /* CPI_REGIONS_ONE: see key.h */
    const cp_array *index;   /* real, n elements */
    int ndim;
    const int64_t *shape;    /* of x and labels */
    int64_t size;
    bool nan_wins;           /* a NaN is the extremum; else it counts as the greatest number */
    cp_array *count;         /* int64 */
    double background;       /* subtracted from every element of a floating sum and of centre; else 0 */
    double noise;            /* standard deviation of an element, for the errors */
    cp_array *sum;           /* float64, int64 or uint64 (wraps, no background) or another real type */
    cp_array *raw;           /* float64: the sum of the elements as they are; wants sum */
    cp_array *sum_error;     /* float64: of a sum of independent elements */
    cp_array *centre_error;  /* float64 (n, ndim); wants centre */
    cp_array *mean;          /* float64 */
    cp_array *variance, *deviation; /* float64 */
    cp_array *centre;        /* float64 (n, ndim) */
    cp_array *value;         /* of the extremum, x's type; 0 where the region is empty */
    cp_array *position;      /* of the extremum's first occurrence, int64 (n, ndim); 0 where the region is empty */
    bool greatest;           /* the extremum is the maximum */
    bool must;               /* an empty region has no extremum: CP_ERROR_VALUE */
    cp_array *box;           /* int64 (n, ndim, 2): start and stop; -1 where the region is empty */
    const char *function;    /* the public function's name, for errors */
} cpi_measure_plan;

/*: slot("label", waits="count || plan->limit < plan->lines * plan->width",
 *      bytes="x->size * (int64_t)cp_type_size(x->type) + out->size * (int64_t)cp_type_size(out->type)")
 * slot("measure", waits="plan->must", profiled='"measure"', bytes="plan->size * 8")
 * record("cpi_label_plan", host={"neighbour": "neighbours"})
 * record("cpi_measure_plan", host={"shape": "ndim"}) */
typedef struct cpi_ndimage_ops {
    /* Labels the non-zero elements of x (real) into out (real, x's shape; may be x's memory), numbered from 1
     * in the order of their first elements. `*count` is valid on return when count is not NULL. When there
     * are more labels than plan->limit, out is unchanged. */
    cp_code (*label)(cp_stream *stream, const cpi_label_plan *plan, const cp_array *x, cp_array *out, int64_t *count);
    cp_code (*measure)(cp_stream *stream, const cpi_measure_plan *plan);
} cpi_ndimage_ops;


/* The largest label up to which every integer is exactly representable in the type. */
static inline int64_t cpi_label_limit(cp_type t)
{
    if (cpi_is_float(t)) return (int64_t)1 << cpi_float_formats[t].digits;
    if (cpi_is_bool(t) || cpi_itemsize(t) == 8) return INT64_MAX; /* bool marks every label with true */
    return (int64_t)(cpi_magnitude(t) >> cpi_is_signed(t));
}

#ifdef __cplusplus
}
#endif
#include "ndimage/slots.h"

#endif
