/* Between the files of the module's API layer. */
#ifndef CPI_GEOMETRY_PARTS_H
#define CPI_GEOMETRY_PARTS_H

#include "compose/compose.h"
#include "cuprite/geometry.h"
#include "geometry/geometry.h"
#include "operands/operands.h"

/* SciPy's message; CP_OK for orders 0 to 5. */
cp_code cpi_check_order(const char *name, int order);
cp_code cpi_boundary_of(const char *name, cp_resample_mode mode, cpi_boundary *boundary);

/* The type that holds every value of a real type and that slots read: float32 or float64. */
static inline cp_type cpi_sampled_type(cp_type type)
{
    return type == CP_FLOAT32 || cpi_is_half(type) || (cpi_is_whole(type) && cpi_itemsize(type) <= 2) ? CP_FLOAT32
                                                                                                       : CP_FLOAT64;
}

/* The type of the result: out's, the one asked for, or `otherwise`; complex where x is. CP_DEFAULT with the error. */
cp_type cpi_result_type(const char *name, const cp_array *x, const cp_array *out, bool typed, cp_type dtype,
                        cp_type otherwise);

/* Coefficients of the real x along axes from .. x->ndim - 1: a new dense array of float64 (in a scope). */
cp_array *cpi_spline_coefficients(const char *name, cp_array *x, int order, cpi_boundary mode, int from);

/* The numbers of a real array, one for each of n axes; of one number alone n times that. */
cp_code cpi_numbers_of(const char *name, cp_array *a, int n, double *to);
/* All elements as float64 in the host's memory; waits. */
cp_code cpi_doubles_of(const char *name, cp_array *a, double *to);

#endif
