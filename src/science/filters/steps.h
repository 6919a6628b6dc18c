/* Filters made of filters along one axis after the other. */
#ifndef CPI_FILTERS_STEPS_H
#define CPI_FILTERS_STEPS_H

#include "compose/compose.h"
#include "cuprite/filters.h"
#include "filters/call.h"

/* The result, as the filter's output or as the array `out`, and NULL where a call failed. */
static inline cp_array *cpi_filter_end(const cpi_composite *f, const char *name, cp_array *result, cp_array *out)
{
    return cpi_deliver(name, cpi_end(f, result), out, CP_UNSAFE);
}
/* A new array of x's shape and of the type of the filter's results: out's, or x's. */
static inline cp_array *cpi_filter_fresh(cp_array *x, const cp_array *out)
{
    return x ? cp_empty((cp_shape){cp_ndim(x), cp_dims(x)}, out ? cp_type_of(out) : cp_type_of(x)) : NULL;
}
/* The axes that are meant, not negative, without repetitions; false with an error. */
static inline bool cpi_filter_axes(const char *name, cp_axes axes, int ndim, int *n, int *at)
{
    *n = axes.at ? axes.n : ndim;
    for (int i = 0; i < *n; i++) {
        at[i] = axes.at ? axes.at[i] : i;
        if (cpi_axis(name, &at[i], ndim)) return false;
        for (int j = 0; j < i; j++)
            if (at[i] == at[j]) return !cpi_fail(CP_ERROR_VALUE, "%s: axes must be unique", name);
    }
    return true;
}

#endif
