/* What the composites of signals share: an axis, types, ranges of the last axis. NULL passes through, as in
 * compose/compose.h. */
#ifndef CPI_SPECTRA_STEPS_H
#define CPI_SPECTRA_STEPS_H

#include "compose/compose.h"
#include "cuprite/fft.h"
#include "operands/operands.h"

/* The type that elements of a type count as: a floating one. */
static inline cp_type cpi_floating_type(cp_type t)
{
    return cpi_is_half(t) ? CP_FLOAT32 : cpi_is_float(t) || cpi_is_complex(t) ? t : CP_FLOAT64;
}
static inline bool cpi_is_double(cp_type t) { return t == CP_FLOAT64 || t == CP_COMPLEX128; }
static inline cp_type cpi_complex_type(bool is_double) { return is_double ? CP_COMPLEX128 : CP_COMPLEX64; }
static inline cp_type cpi_real_type(bool is_double) { return is_double ? CP_FLOAT64 : CP_FLOAT32; }

/* x as that type, itself where it has it. */
static inline cp_array *cpi_typed(cp_array *x, cp_type t) { return x && cp_type_of(x) != t ? cp_astype(x, t) : x; }
static inline cp_array *cpi_floating(cp_array *x) { return x ? cpi_typed(x, cpi_floating_type(cp_type_of(x))) : NULL; }

/* The one axis that an option names, not negative; the last one by default. False with an error. */
static inline bool cpi_given_axis(const char *name, const cp_array *x, cp_axes given, int *axis)
{
    *axis = given.at ? given.at[0] : -1;
    if (given.at && given.n != 1) return !cpi_fail(CP_ERROR_VALUE, "%s: one axis is meant, not %d", name, given.n);
    return cpi_axis(name, axis, cp_ndim(x)) == CP_OK;
}
/* x with the axis at the end, and back. */
static inline cp_array *cpi_to_last(cp_array *x, int axis)
{
    return x ? cp_moveaxis(x, CP_AXES(axis), CP_AXES(-1)) : NULL;
}
static inline cp_array *cpi_from_last(cp_array *x, int axis)
{
    return x ? cp_moveaxis(x, CP_AXES(-1), CP_AXES(axis)) : NULL;
}
static inline int64_t cpi_length(const cp_array *x) { return cp_dim(x, cp_ndim(x) - 1); }
/* x[..., from:to] */
static inline cp_array *cpi_last_range(cp_array *x, int64_t from, int64_t to)
{
    return x ? cpi_range(x, cp_ndim(x) - 1, from, to) : NULL;
}
/* to[...] = from; false where anything failed. */
static inline bool cpi_put(cp_array *to, cp_array *from) { return to && from && cp_assign(to, from) == CP_OK; }

/* An array of x's shape, but for the last length. */
static inline cp_array *cpi_with_length(const cp_array *x, int64_t n, cp_type type, bool zeros)
{
    int64_t shape[CP_MAXDIM];
    if (!x) return NULL;
    for (int i = 0; i < cp_ndim(x); i++) shape[i] = cp_dim(x, i);
    shape[cp_ndim(x) - 1] = n;
    return (zeros ? cp_zeros : cp_empty)((cp_shape){cp_ndim(x), shape}, type);
}
/* A transform by kernels that are there at once, where there are any: CPI_AT_ONCE(cp_rfft(x, .n = n)). */
static inline cp_array *cpi_at_once_end(cp_array *r) { return cp_fft_ready(-1), r; }
#define CPI_AT_ONCE(...) (cp_fft_ready(1), cpi_at_once_end(__VA_ARGS__))

/* Numbers of the host as a 1-d array of a real type. */
static inline cp_array *cpi_numbers(const double *values, int64_t n, cp_type type)
{
    return cpi_typed(cp_from_host(values, CP_FLOAT64, CP_SHAPE(n), NULL), type);
}

#endif
