/* What the functions of the module share: arguments that are checked, and where results go. */
#ifndef CPI_FILTERS_CALL_H
#define CPI_FILTERS_CALL_H

#include "cuprite/filters.h"
#include "filters/filters.h"
#include "operands/operands.h"

/* How a filter treats the surroundings of an image, and where its result goes. */
typedef struct cpi_filter_call {
    const char *name;
    cp_filter_mode mode;
    double cval;
    cp_array *out;
} cpi_filter_call;

cp_code cpi_filter_rule(const cpi_filter_call *c, cpi_boundary *rule);
/* A window's elements before its own; an origin beyond the window is CP_ERROR_VALUE. */
cp_code cpi_filter_before(const char *name, int64_t size, int64_t origin, int64_t *before);
/* The type in which extremes and ranks are found: x's own where it has the constant, else float64. */
cp_type cpi_filter_order_type(const cp_array *x, cpi_boundary rule, double cval);
/* The value at position i of one for all axes, or one an axis (none: `otherwise`); checks the number of them. */
cp_code cpi_filter_per_axis(const char *name, const char *what, cp_shape given, int ndim, int64_t otherwise,
                            int64_t *values);

/* A filter along one axis. `weights`: of a correlation. */
typedef struct cpi_line_call {
    cpi_filter_call c;
    cpi_line_op op;
    int64_t size, origin;
    cp_array *weights;
} cpi_line_call;
cp_array *cpi_filter_line(const cpi_line_call *l, cp_array *x, int axis);

/* A filter over windows of all axes. The footprint, or else the structure, says which elements take part; without both
 * all of a box do. */
typedef struct cpi_window_call_nd {
    cpi_filter_call c;
    cpi_window_op op;
    cp_shape origin;
    cp_array *footprint, *structure, *weights;
    int64_t rank;
    cp_shape box;
} cpi_window_call_nd;
cp_array *cpi_filter_window(const cpi_window_call_nd *w, cp_array *x);

/* A filter of complex numbers, of each part by itself: call(context, x, out, cval) filters real ones into `out`. The
 * constant beyond the edges is real. */
typedef cp_array *(*cpi_filter_part)(const void *context, cp_array *x, cp_array *out, double cval);
cp_array *cpi_filter_by_parts(const cpi_filter_call *c, cp_array *x, cpi_filter_part call, const void *context);

/* The positions of the elements of `footprint` that are not 0, ascending (host memory); `shape` is its. */
int64_t *cpi_filter_taps(const char *name, cp_array *footprint, int64_t *ntaps);
/* Numbers of an array of any device, as float64 in host memory. */
double *cpi_filter_numbers(const char *name, cp_array *x, int64_t n);

#endif
