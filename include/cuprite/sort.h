/* Sorting and selection. NaN sorts last, complex numbers by real then imaginary part (NumPy's order).
 * axis = CP_FLAT: of the flattened array. */
#ifndef CUPRITE_SORT_H
#define CUPRITE_SORT_H

#include "index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_sort_options {
    CP_OPTION(bool, stable);     /* -0.0 and 0.0, and NaN of different bits, keep their order; slower */
    CP_OPTION(bool, descending); /* the largest first, and NaN before it */
    int _;
} cp_sort_options;
/* A sorted copy. */
CP_API cp_array *cp_sort(cp_array *x, int axis, const cp_sort_options *options);
#define cp_sort(...) CP_CALL2(cp_sort, cp_sort_options, __VA_ARGS__, ._ = 0)
CP_API cp_code cp_sort_inplace(cp_array *x, int axis, const cp_sort_options *options); /* x itself */
#define cp_sort_inplace(...) CP_CALL2(cp_sort_inplace, cp_sort_options, __VA_ARGS__, ._ = 0)
/* Indices that sort, int64; always stable, in descending order too. */
CP_API cp_array *cp_argsort(cp_array *x, int axis, const cp_sort_options *options);
#define cp_argsort(...) CP_CALL2(cp_argsort, cp_sort_options, __VA_ARGS__, ._ = 0)
/* The kth smallest element at index kth, smaller ones before it, larger ones after (numpy.partition); n values of
 * kth. */
CP_API cp_array *cp_partition(cp_array *x, int n, const int64_t *kth, int axis);
CP_API cp_code cp_partition_inplace(cp_array *x, int n, const int64_t *kth, int axis); /* x itself */

/* The indices that partition an array (numpy.argpartition). */
CP_API cp_array *cp_argpartition(cp_array *a, int n, const int64_t *kth, int axis);
/* Indices that sort by the last of n keys of one shape, then by the one before it, and so on; stable. */
CP_API cp_array *cp_lexsort(int n, cp_array *const *keys, int axis);
typedef enum cp_side { CP_SIDE_LEFT, CP_SIDE_RIGHT } cp_side;
typedef struct cp_searchsorted_options {
    CP_OPTION(cp_side, side);
    CP_OPTION(cp_array *, sorter); /* indices that sort a */
    int _;
} cp_searchsorted_options;
/* Insertion indices of the values v in the sorted 1-d a: before equal elements, or after them. int64. */
CP_API cp_array *cp_searchsorted(cp_array *a, cp_array *v, const cp_searchsorted_options *options);
#define cp_searchsorted(...) CP_CALL2(cp_searchsorted, cp_searchsorted_options, __VA_ARGS__, ._ = 0)

typedef struct cp_isin_options {
    CP_OPTION(bool, invert); /* negate the result */
    int _;
} cp_isin_options;
/* Whether each element occurs in test_elements: bool, in element's shape. NaN equals nothing. */
CP_API cp_array *cp_isin(cp_array *element, cp_array *test_elements, const cp_isin_options *options);
#define cp_isin(...) CP_CALL2(cp_isin, cp_isin_options, __VA_ARGS__, ._ = 0)
typedef struct cp_in1d_options {
    CP_OPTION(bool, invert); /* negate the result */
    int _;
} cp_in1d_options;
CP_API cp_array *cp_in1d(cp_array *ar1, cp_array *ar2, const cp_in1d_options *options); /* of the flattened ar1 */
#define cp_in1d(...) CP_CALL2(cp_in1d, cp_in1d_options, __VA_ARGS__, ._ = 0)

typedef struct cp_median_options {
    CP_OPTION(cp_axes, axis);
    CP_OPTION(bool, keepdims);
    CP_OPTION(cp_array *, out);
    int _;
} cp_median_options;
/* Median by selection. NaN in a slice gives NaN; float16 stays float16, integers give float64. */
CP_API cp_array *cp_median(cp_array *x, const cp_median_options *options);
#define cp_median(...) CP_CALL(cp_median, cp_median_options, __VA_ARGS__, ._ = 0)

typedef struct cp_unique_options {
    CP_OPTION(cp_array **, index);   /* where not NULL: first occurrence of each value (int64) */
    CP_OPTION(cp_array **, inverse); /* indices that rebuild x, of x's shape (int64); with an axis 1-d, of its length */
    CP_OPTION(cp_array **, counts);  /* int64 */
    CP_OPTION(bool, distinct_nan);   /* NumPy's equal_nan=False */
    CP_OPTION(cp_axes, axis);        /* one axis, or none (of the flattened array) */
    int _;
} cp_unique_options;
/* Sorted distinct values of the flattened array; with an axis of an array of two and more dimensions the distinct
 * sub-arrays along it, in the order of their first different elements: the result is x with fewer sub-arrays, and a
 * sub-array that holds a NaN equals no other. */
CP_API cp_array *cp_unique(cp_array *x, const cp_unique_options *options);
#define cp_unique(...) CP_CALL(cp_unique, cp_unique_options, __VA_ARGS__, ._ = 0)

typedef struct cp_clip_result { double center, std, lower, upper; int64_t count; int iterations; } cp_clip_result;
typedef enum cp_clip_center { CP_CLIP_MEDIAN, CP_CLIP_MEAN } cp_clip_center;
typedef struct cp_sigma_clip_options {
    CP_OPTION(double, kappa);          /* 3 when 0 */
    CP_OPTION(cp_clip_center, center); /* median by default */
    CP_OPTION(int, max_iterations);    /* 0: until nothing more is clipped */
    int _;
} cp_sigma_clip_options;
/* Kappa-sigma clipping of all elements, as one operation: repeatedly keeps the values strictly between
 * center - kappa*std and center + kappa*std until none is dropped. NaN is ignored. Fills `result` (values of
 * the last, kept set; count 0 and NaN when nothing is left) and waits. Real types. */
CP_API cp_code cp_sigma_clip_stats(cp_array *x, cp_clip_result *result, const cp_sigma_clip_options *options);
#define cp_sigma_clip_stats(...) CP_CALL2(cp_sigma_clip_stats, cp_sigma_clip_options, __VA_ARGS__, ._ = 0)
/* One part of data that is clipped as a whole, such as a chunk of an array that no memory holds.
 *
 * In: open intervals, the window within the core, empty where low >= high. Out: the core's count, how many of it are
 * not above window_low, sums of d and d*d with d = value - pivot, and the values that iterations ask for again, in any
 * order: two arrays to be freed. */
typedef struct cp_clip_part {
    double core_low, core_high;     /* no bound will lie in here */
    double window_low, window_high; /* all medians will */
    double pivot;                   /* best near the mean */
    int64_t count, below;
    double s1, s2;
    cp_array *fringe;               /* what lies outside of the core, without NaN (float32, float64) */
    cp_array *window;               /* the core's values inside the window */
} cp_clip_part;
/* Splits x, of real type, in one pass, and waits. Half types become float32, bool and integers float64. */
CP_API cp_code cp_sigma_clip_split(cp_array *x, cp_clip_part *part);
/* The kept values as a 1-d array in C order; `result` may be NULL. */
CP_API cp_array *cp_sigma_clip(cp_array *x, cp_clip_result *result, const cp_sigma_clip_options *options);
#define cp_sigma_clip(...) CP_CALL2(cp_sigma_clip, cp_sigma_clip_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
