/* What the module's files share: calls of the caller's functions, and numbers in the host's memory.
 *
 * Invariant: a function of the caller's runs inside the scope of its filter, so a filter that ends early leaves nothing
 * behind but what cpi_free_host is called for. */
#ifndef CPI_GENERIC_HOST_H
#define CPI_GENERIC_HOST_H

#include "cuprite/generic.h"
#include "filters/call.h"
#include "filters/steps.h"

/* How NumPy's pad continues an image in the mode of a filter. */
cp_code cpi_generic_pad_mode(const char *name, cp_filter_mode mode, cp_pad_mode *pad);

/* The error of a caller's function that failed: its own, or one of SciPy's words. */
static inline cp_code cpi_generic_failed(const char *name, const char *what)
{
    if (cp_error()) return cp_error();
    return cpi_fail(CP_ERROR_RUNTIME, "%s: unknown error in %s function", name, what);
}
static inline bool cpi_generic_no_function(const char *name, bool given)
{
    if (!given) cpi_fail(CP_ERROR_VALUE, "%s: no function is given", name);
    return !given;
}

/* A window's length, origin and axes, one for each of n axes. */
typedef struct cpi_generic_window {
    int n, axes[CP_MAXDIM];
    int64_t size[CP_MAXDIM], before[CP_MAXDIM];
} cpi_generic_window;
/* By a footprint's shape, or by sizes; they are what the options of generic_filter and vectorized_filter say. */
bool cpi_generic_window_of(const char *name, const cp_array *x, cp_axes axes, cp_shape size,
                           const cp_array *footprint, cp_shape origin, cpi_generic_window *w);
/* x with the surroundings of the windows, in the scope. */
cp_array *cpi_generic_surrounded(const char *name, cp_array *x, const cpi_generic_window *w, cp_filter_mode mode,
                                 double cval);

/* x's elements as float64 in new host memory, C order. Waits. */
double *cpi_generic_numbers(cp_array *x);
/* The result of numbers in the host's memory, as `type`, on the current device. */
cp_array *cpi_generic_result(double *numbers, cp_shape shape, cp_type type);

#endif
