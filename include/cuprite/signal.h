/* Convolution by its definition (no Fourier transform).
 *
 * Operands lie on one device (host scalars go anywhere); the result is a new array there, of the promoted type
 * of the operands. Booleans convolve with "or" of "and"s, integers wrap, float16 and bfloat16 accumulate in float32.
 * Every element adds its products in one fixed order. Calls may return before a GPU is done. */
#ifndef CUPRITE_SIGNAL_H
#define CUPRITE_SIGNAL_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cp_mode { CP_MODE_FULL, CP_MODE_VALID, CP_MODE_SAME } cp_mode;
typedef enum cp_boundary { CP_BOUNDARY_FILL, CP_BOUNDARY_WRAP, CP_BOUNDARY_SYMM } cp_boundary;

/* 1-d convolution (numpy.convolve): operands are swapped where v is the longer one, 0-d ones count as one
 * element; CP_ERROR_VALUE for empty ones and for more than one dimension. */
CP_API cp_array *cp_convolve(cp_array *a, cp_array *v, cp_mode mode);
/* 1-d correlation (numpy.correlate): sums of a's elements times v's conjugated ones; otherwise as cp_convolve. */
CP_API cp_array *cp_correlate(cp_array *a, cp_array *v, cp_mode mode);
/* 2-d convolution (scipy.signal.convolve2d). Mode "valid" swaps the operands where b is the larger one and is
 * CP_ERROR_VALUE where neither is at least as large in both dimensions. fillvalue (NULL is 0) has one element,
 * which the result's type must be able to hold; reading it waits for the device. */
CP_API cp_array *cp_convolve2d(cp_array *a, cp_array *b, cp_mode mode, cp_boundary boundary, cp_array *fillvalue);
/* 2-d correlation (scipy.signal.correlate2d): the same, b conjugated and not reversed. Where "valid" swaps, the
 * result is a view that runs backwards, as SciPy's. */
CP_API cp_array *cp_correlate2d(cp_array *a, cp_array *b, cp_mode mode, cp_boundary boundary, cp_array *fillvalue);
/* Of each frequency f the sums over times x of w cos(f x), w sin(f x), v cos(f x), v sin(f x), w cos(f x)^2 and
 * w cos(f x) sin(f x), for periodograms of uneven samples. All are 1-d and real, x, w and v of one length; the result
 * is float64, (6, frequencies). */
CP_API cp_array *cp_trigonometric_sums(cp_array *x, cp_array *frequencies, cp_array *w, cp_array *v);

#ifdef __cplusplus
}
#endif
#endif
