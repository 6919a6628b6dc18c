/* Elements by conditions and by integers. How many a condition selects is not known beforehand, so those calls wait for
 * the device; what integers name beyond an array's bounds is told at once on the CPU, elsewhere later. */
#ifndef CUPRITE_INDEX_H
#define CUPRITE_INDEX_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slices of x along `axis` whose entry in the 1-d `condition` is true (numpy.compress). A condition shorter
 * than the axis drops the rest; a longer one must be false there. axis = CP_FLAT: of the flattened array. */
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
/* Each element along an axis (CP_FLAT: flattened) as often as `repeats` says: integers, one for each or one for all. */
CP_API cp_array *cp_repeat(cp_array *a, cp_array *repeats, int axis);

/* x[items], arrays among them: a copy as NumPy's advanced indexing makes it (without arrays a view, cp_slice). Where
 * arrays and integers stand beside one another their axes take their place, else they come first. An index beyond its
 * axis is CP_ERROR_INDEX: at once on the CPU, elsewhere where the stream's work is looked at next. */
CP_API cp_array *cp_index_get(cp_array *x, int n, const cp_index *items);
/* x[items] = value, which broadcasts. Of several values for one element the last one stays. */
CP_API cp_code cp_index_set(cp_array *x, int n, const cp_index *items, cp_array *value);

/* What becomes of an index beyond its axis: an error, its remainder, the nearest place (no negative ones there). */
typedef enum cp_index_mode { CP_INDEX_RAISE, CP_INDEX_WRAP, CP_INDEX_CLIP } cp_index_mode;
typedef struct cp_take_options {
    CP_OPTION(cp_array *, out);
    CP_OPTION(cp_index_mode, mode);
    int _;
} cp_take_options;
/* The places of an axis (CP_FLAT: of the flattened array) that the integers name, which take that axis' place. */
CP_API cp_array *cp_take(cp_array *a, cp_array *indices, int axis, const cp_take_options *options);
#define cp_take(...) CP_CALL3(cp_take, cp_take_options, __VA_ARGS__, ._ = 0)
/* choices[a] element by element: a and the n choices broadcast. */
CP_API cp_array *cp_choose(cp_array *a, int n, cp_array *const *choices, const cp_take_options *options);
#define cp_choose(...) CP_CALL3(cp_choose, cp_take_options, __VA_ARGS__, ._ = 0)
typedef struct cp_put_options { CP_OPTION(cp_index_mode, mode); int _; } cp_put_options;
/* Elements of the flattened a = v, whose elements come again when there are too few; the last value for one stays. */
CP_API cp_code cp_put(cp_array *a, cp_array *ind, cp_array *v, const cp_put_options *options);
#define cp_put(...) CP_CALL3(cp_put, cp_put_options, __VA_ARGS__, ._ = 0)
/* Integers that name places along one axis, each for its own lane; indices and array broadcast along the others. */
CP_API cp_array *cp_take_along_axis(cp_array *arr, cp_array *indices, int axis);
CP_API cp_code cp_put_along_axis(cp_array *arr, cp_array *indices, cp_array *values, int axis);
/* Elements of a = values where the mask, of as many elements, is true: those of the same places, or, with `place`, one
 * after the other. values come again when they are too few. */
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
/* The place in the flattened array of what n arrays of coordinates name; int64. Negative ones are errors. */
CP_API cp_array *cp_ravel_multi_index(int n, cp_array *const *multi_index, cp_shape dims,
                                      const cp_ravel_multi_index_options *options);
#define cp_ravel_multi_index(...) CP_CALL3(cp_ravel_multi_index, cp_ravel_multi_index_options, __VA_ARGS__, ._ = 0)
typedef struct cp_unravel_index_options { CP_OPTION(char, order); int _; } cp_unravel_index_options;
/* The coordinates of places of the flattened array: (ndim, ...indices' shape), int64. */
CP_API cp_array *cp_unravel_index(cp_array *indices, cp_shape shape, const cp_unravel_index_options *options);
#define cp_unravel_index(...) CP_CALL2(cp_unravel_index, cp_unravel_index_options, __VA_ARGS__, ._ = 0)
/* Each element that of the first choice whose condition is true there, else of `fallback` (NULL: 0); all broadcast. */
CP_API cp_array *cp_select(int n, cp_array *const *condlist, int choices, cp_array *const *choicelist,
                           cp_array *fallback);

#ifdef __cplusplus
}
#endif
#endif
