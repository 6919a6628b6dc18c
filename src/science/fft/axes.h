/* What the files of the fronts share: axes with their lengths, and the transform of an array along them. */
#ifndef CPI_FFT_AXES_H
#define CPI_FFT_AXES_H

#include "core/shape.h"
#include "cuprite/fft.h"
#include "fft/fft.h"

typedef struct cpi_fft_lengths {
    int n;
    int axis[CP_MAXDIM];
    int64_t length[CP_MAXDIM];
} cpi_fft_lengths;

/* The axes that `axes` names (at NULL: the last `otherwise`, or as many as s has, or all; n < 0: the latter even where
 * there is an `otherwise`) with the lengths s, -1 for those of x. Whether they are lengths of a transform is the
 * caller's to ask. */
cp_code cpi_fft_axes(const char *name, const cp_array *x, cp_shape s, cp_axes axes, int otherwise, cpi_fft_lengths *l);
/* One axis, the last by default, of length n, or x's where n is 0. */
cp_code cpi_fft_axis(const char *name, const cp_array *x, int64_t n, cp_axes axis, cpi_fft_lengths *l);
/* x cut and continued with zeros to these lengths, as `type`: x's own memory where that can be. Made in a scope. */
cp_array *cpi_fft_fitted(const char *name, cp_array *x, const cpi_fft_lengths *l, cp_type type);
/* Does an array of the type compute in float32? */
bool cpi_fft_is_single(cp_type t);
/* The transform: sign -1 is forward. Of C2R the lengths are those of the result. Called in a scope, the result is the
 * scope's. */
cp_array *cpi_fft_run(const char *name, cpi_fft_kind kind, int sign, cp_array *x, const cpi_fft_lengths *l,
                      cp_fft_norm norm, cp_array *out);

#endif
