/* Indexing by masks and by integer arrays. The number of elements that a mask selects is not known beforehand, so those
 * calls wait for the device. Integer indices out of bounds are reported at once on the CPU, elsewhere later. */
#ifndef CUPRITE_INDEX_H
#define CUPRITE_INDEX_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slices of x along `axis` whose entry in the 1-d `condition` is true (numpy.compress). A condition shorter than the
 * axis drops the rest; a longer one must be false beyond the axis. axis = CP_FLAT: of the flattened array. */
CP_API cp_array *cp_compress(cp_array *condition, cp_array *x, int axis);
/* Indices of the non-zero elements: int64 array of shape (ndim, count), C order (numpy.nonzero; row i is the
 * i-th array of NumPy's tuple). 0-d input is an error as in NumPy 2. */
CP_API cp_array *cp_nonzero(cp_array *x);
/* numpy.argwhere: (count, ndim), numpy.flatnonzero: (count). */
CP_API cp_array *cp_argwhere(cp_array *x);
CP_API cp_array *cp_flatnonzero(cp_array *x);
/* x[mask]: mask.shape must equal x.shape[:mask.ndim]; result (count, ...rest). */
CP_API cp_array *cp_mask_get(cp_array *x, cp_array *mask);
/* x[mask] = value: value broadcasts to (count, ...rest). */
CP_API cp_code cp_mask_set(cp_array *x, cp_array *mask, cp_array *value);
/* Each element along an axis (CP_FLAT: flattened) repeated by the integers `repeats`, one for each or one for all. */
CP_API cp_array *cp_repeat(cp_array *a, cp_array *repeats, int axis);

/* x[items] with array items: a copy by NumPy's advanced indexing (without arrays a view, cp_slice). Where arrays and
 * integers are adjacent, the result's axes replace theirs; else they come first. An index out of bounds is
 * CP_ERROR_INDEX: at once on the CPU, elsewhere at the stream's next check for errors. */
CP_API cp_array *cp_index_get(cp_array *x, int n, const cp_index *items);
/* x[items] = value, which broadcasts. If an element is assigned several times, the last value stays. */
CP_API cp_code cp_index_set(cp_array *x, int n, const cp_index *items, cp_array *value);

/* Treatment of an index out of bounds: an error, wrapped modulo the length, clipped (negative ones clip to 0). */
typedef enum cp_index_mode { CP_INDEX_RAISE, CP_INDEX_WRAP, CP_INDEX_CLIP } cp_index_mode;
typedef struct cp_take_options {
    CP_OPTION(cp_array *, out);
    CP_OPTION(cp_index_mode, mode);
    int _;
} cp_take_options;
/* Gathers slices at integer indices along an axis (CP_FLAT: of the flattened array); the indices' axes replace that
 * axis. */
CP_API cp_array *cp_take(cp_array *a, cp_array *indices, int axis, const cp_take_options *options);
#define cp_take(...) CP_CALL3(cp_take, cp_take_options, __VA_ARGS__, ._ = 0)
/* choices[a] element by element: a and the n choices broadcast. */
CP_API cp_array *cp_choose(cp_array *a, int n, cp_array *const *choices, const cp_take_options *options);
#define cp_choose(...) CP_CALL3(cp_choose, cp_take_options, __VA_ARGS__, ._ = 0)
typedef struct cp_put_options { CP_OPTION(cp_index_mode, mode); int _; } cp_put_options;
/* flattened a[ind] = v, which is repeated if it is too short; the last value for an element stays. */
CP_API cp_code cp_put(cp_array *a, cp_array *ind, cp_array *v, const cp_put_options *options);
#define cp_put(...) CP_CALL3(cp_put, cp_put_options, __VA_ARGS__, ._ = 0)
/* Gathers and scatters by indices along one axis, one set for each 1-d slice; indices and array broadcast along the
 * others. */
CP_API cp_array *cp_take_along_axis(cp_array *arr, cp_array *indices, int axis);
CP_API cp_code cp_put_along_axis(cp_array *arr, cp_array *indices, cp_array *values, int axis);
/* a[mask] = values, where the mask has as many elements as a. cp_putmask takes the value at the same index, cp_place
 * the values in order. Too few values are repeated. */
CP_API cp_code cp_putmask(cp_array *a, cp_array *mask, cp_array *values);
CP_API cp_code cp_place(cp_array *arr, cp_array *mask, cp_array *vals);
/* Eight elements along an axis (CP_FLAT: of the flattened array) as the bits of a byte, and back. */
typedef enum cp_bitorder { CP_BITORDER_BIG, CP_BITORDER_LITTLE } cp_bitorder; /* which bit the first one is */
typedef struct cp_packbits_options { CP_OPTION(cp_bitorder, bitorder); int _; } cp_packbits_options;
CP_API cp_array *cp_packbits(cp_array *a, int axis, const cp_packbits_options *options);
#define cp_packbits(...) CP_CALL2(cp_packbits, cp_packbits_options, __VA_ARGS__, ._ = 0)
typedef struct cp_unpackbits_options { CP_OPTION(cp_bitorder, bitorder); int _; } cp_unpackbits_options;
CP_API cp_array *cp_unpackbits(cp_array *a, int axis, const cp_unpackbits_options *options);
#define cp_unpackbits(...) CP_CALL2(cp_unpackbits, cp_unpackbits_options, __VA_ARGS__, ._ = 0)
typedef struct cp_ravel_multi_index_options {
    CP_OPTION(cp_index_mode, mode);
    CP_OPTION(char, order); /* 'C' (or 0), 'F' */
    int _;
} cp_ravel_multi_index_options;
/* Flat indices of n arrays of coordinates; int64. Negative coordinates are errors. */
CP_API cp_array *cp_ravel_multi_index(int n, cp_array *const *multi_index, cp_shape dims,
                                      const cp_ravel_multi_index_options *options);
#define cp_ravel_multi_index(...) CP_CALL3(cp_ravel_multi_index, cp_ravel_multi_index_options, __VA_ARGS__, ._ = 0)
typedef struct cp_unravel_index_options { CP_OPTION(char, order); int _; } cp_unravel_index_options;
/* The coordinates of flat indices: (ndim, ...indices' shape), int64. */
CP_API cp_array *cp_unravel_index(cp_array *indices, cp_shape shape, const cp_unravel_index_options *options);
#define cp_unravel_index(...) CP_CALL2(cp_unravel_index, cp_unravel_index_options, __VA_ARGS__, ._ = 0)
/* Each element comes from the first choice whose condition is true there, else from `fallback` (NULL: 0); all
 * broadcast. */
CP_API cp_array *cp_select(int n, cp_array *const *condlist, int choices, cp_array *const *choicelist,
                           cp_array *fallback);

#ifdef __cplusplus
}
#endif
#endif
