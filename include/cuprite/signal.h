/* Convolution by its definition (no Fourier transform). */
#ifndef CUPRITE_SIGNAL_H
#define CUPRITE_SIGNAL_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cp_mode { CP_MODE_FULL, CP_MODE_VALID, CP_MODE_SAME } cp_mode;
typedef enum cp_boundary { CP_BOUNDARY_FILL, CP_BOUNDARY_WRAP, CP_BOUNDARY_SYMM } cp_boundary;

/* 1-d convolution (numpy.convolve): operands are swapped where v is the longer one; empty ones are an error. */
CP_API cp_array *cp_convolve(cp_array *a, cp_array *v, cp_mode mode);
/* 2-d convolution and correlation (scipy.signal.convolve2d, correlate2d); fillvalue NULL is 0. */
CP_API cp_array *cp_convolve2d(cp_array *a, cp_array *b, cp_mode mode, cp_boundary boundary, cp_array *fillvalue);
CP_API cp_array *cp_correlate2d(cp_array *a, cp_array *b, cp_mode mode, cp_boundary boundary, cp_array *fillvalue);

#ifdef __cplusplus
}
#endif
#endif
