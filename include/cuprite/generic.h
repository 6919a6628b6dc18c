/* Filters of images that call functions of the caller's (scipy.ndimage's generic filters): for each window, for each
 * line, for each element's place, for the derivative along an axis, for all windows at once.
 *
 * The caller's function has the context that the call was given. It is called in the calling thread, one call after the
 * other, with the input's device current and inside a scope that ends with the filter, which frees the arrays that it
 * makes and does not free. Numbers that it gets and writes lie in the host's memory: arrays are copied there, and the
 * results to the device, which waits.
 *
 * A function of numbers returns 1, or 0 where it fails; one of arrays returns NULL then. The filter ends at once and
 * returns NULL, with the error that the function has set (cp_error_set), or else CP_ERROR_RUNTIME; `out` is unchanged.
 *
 * Modes, origins, constants beyond the edges and outputs are those of filters.h and geometry.h. Results have the type
 * of `out`, or the input's; integers are cut off. */
#ifndef CUPRITE_GENERIC_H
#define CUPRITE_GENERIC_H

#include "array.h"
#include "cuprite/filters.h"
#include "cuprite/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- windows and lines --- */
/* The result of the n elements of a window, in the footprint's C order. It may change them. */
typedef int (*cp_window_function)(double *window, intptr_t n, double *result, void *context);
typedef struct cp_generic_filter_options {
    CP_OPTION(cp_shape, size);       /* the window's length: one for all axes, or one for each */
    CP_OPTION(cp_array *, footprint); /* instead: true where elements take part, an axis for each that is filtered */
    CP_OPTION(cp_filter_mode, mode);
    CP_OPTION(double, cval);
    CP_OPTION(cp_shape, origin);     /* one for all axes, or one for each */
    CP_OPTION(cp_axes, axes);        /* those that the window extends along, in the order of size; CP_ALL: all */
    CP_OPTION(cp_array *, out);
    int _;
} cp_generic_filter_options;
/* What a function makes of each element's window, as float64. SciPy's LowLevelCallable has this signature. */
CP_API cp_array *cp_generic_filter(cp_array *input, cp_window_function function, void *context,
                                   const cp_generic_filter_options *options);
#define cp_generic_filter(...) CP_CALL3(cp_generic_filter, cp_generic_filter_options, __VA_ARGS__, ._ = 0)

/* The n results of a line: of its n elements with filter_size - 1 more around them, `length` in all, which it may
 * change. Results that it does not write are 0. */
typedef int (*cp_line_function)(double *line, intptr_t length, double *results, intptr_t n, void *context);
typedef struct cp_generic_filter1d_options {
    CP_OPTION(cp_filter_mode, mode);
    CP_OPTION(double, cval);
    CP_OPTION(int64_t, origin);
    CP_OPTION(cp_array *, out);
    int _;
} cp_generic_filter1d_options;
/* What a function makes of each line along an axis, as float64. SciPy's LowLevelCallable has this signature. */
CP_API cp_array *cp_generic_filter1d(cp_array *input, cp_line_function function, void *context, int64_t filter_size,
                                     int axis, const cp_generic_filter1d_options *options);
#define cp_generic_filter1d(...) CP_CALL5(cp_generic_filter1d, cp_generic_filter1d_options, __VA_ARGS__, ._ = 0)

/* What a function of arrays makes of windows, an array whose last axes, `axes` (negative numbers), are those of the
 * windows, or whose last axis has the elements of a footprint: an array without these axes, of any type. A reduction
 * of the array does, such as cp_max(windows, .axis = axes). The windows overlap in memory: they are read only. */
typedef cp_array *(*cp_windows_function)(void *context, cp_array *windows, cp_axes axes);
typedef struct cp_vectorized_filter_options {
    CP_OPTION(cp_shape, size);       /* as generic_filter's */
    CP_OPTION(cp_array *, footprint);
    CP_OPTION(bool, valid);          /* only windows within the input: the result is smaller; no origin, no mode */
    CP_OPTION(cp_filter_mode, mode);
    CP_OPTION(double, cval);
    CP_OPTION(cp_shape, origin);
    CP_OPTION(cp_axes, axes);
    CP_OPTION(int64_t, batch_memory); /* the bytes that the elements of windows may have in one call; 0: 2^30 */
    CP_OPTION(cp_array *, out);
    int _;
} cp_vectorized_filter_options;
/* What a function makes of all windows, in batches of rows of the first axis, on the input's device, of any type. */
CP_API cp_array *cp_vectorized_filter(cp_array *input, cp_windows_function function, void *context,
                                      const cp_vectorized_filter_options *options);
#define cp_vectorized_filter(...) CP_CALL3(cp_vectorized_filter, cp_vectorized_filter_options, __VA_ARGS__, ._ = 0)

/* --- derivatives --- */
/* The derivative of x along an axis, an array of x's shape. `out` is a new array of that shape and of the result's
 * type, which it may write to and return, as cp_sobel(x, axis, .mode = mode, .cval = cval, .out = out) does. */
typedef cp_array *(*cp_derivative_function)(void *context, cp_array *x, int axis, cp_filter_mode mode, double cval,
                                            cp_array *out);
typedef struct cp_generic_derivative_options {
    CP_OPTION(cp_filter_mode, mode); /* mode and cval are handed on to the function */
    CP_OPTION(double, cval);
    CP_OPTION(cp_axes, axes);        /* CP_ALL: all; along none the result is the input */
    CP_OPTION(cp_array *, out);
    int _;
} cp_generic_derivative_options;
/* The sum of second derivatives, which a function gives. */
CP_API cp_array *cp_generic_laplace(cp_array *input, cp_derivative_function derivative2, void *context,
                                    const cp_generic_derivative_options *options);
#define cp_generic_laplace(...) CP_CALL3(cp_generic_laplace, cp_generic_derivative_options, __VA_ARGS__, ._ = 0)
/* The root of the sum of squares of derivatives, which a function gives. */
CP_API cp_array *cp_generic_gradient_magnitude(cp_array *input, cp_derivative_function derivative, void *context,
                                               const cp_generic_derivative_options *options);
#define cp_generic_gradient_magnitude(...) \
    CP_CALL3(cp_generic_gradient_magnitude, cp_generic_derivative_options, __VA_ARGS__, ._ = 0)

/* --- places --- */
/* Where in the input, of input_ndim axes, the element of the result at an index of ndim numbers lies. */
typedef int (*cp_mapping_function)(intptr_t *index, double *position, int ndim, int input_ndim, void *context);
typedef struct cp_geometric_transform_options {
    CP_OPTION(cp_shape, output_shape); /* the input's where not given */
    CP_OPTION(cp_resample_mode, mode);
    CP_OPTION(double, cval);
    CP_OPTION(double, cval_imag);
    CP_OPTION(bool, filtered);
    CP_OPTION(bool, typed); /* dtype is meant */
    CP_OPTION(cp_type, dtype);
    CP_OPTION(cp_array *, out);
    int _;
} cp_geometric_transform_options;
/* The values of a spline through the elements where a function says, as cp_map_coordinates has them. It is called for
 * each index of the result in C order. SciPy's LowLevelCallable has this signature. */
CP_API cp_array *cp_geometric_transform(cp_array *input, cp_mapping_function mapping, void *context, int order,
                                        const cp_geometric_transform_options *options);
#define cp_geometric_transform(...) \
    CP_CALL4(cp_geometric_transform, cp_geometric_transform_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
