/* What the module's files share. Every function is a composite (compose/compose.h): what a body makes is freed with its
 * scope, and NULL passes through. */
#ifndef CPI_SPECIAL_PARTS_H
#define CPI_SPECIAL_PARTS_H

#include <math.h>

#include "compose/compose.h"
#include "cuprite/special.h"
#include "operands/operands.h"

#define CPI_PI 3.14159265358979323846

/* Numbers as float32, float64 or complex ones. */
static inline cp_array *cpi_special_floating(cp_array *x)
{
    if (!x) return NULL;
    const bool good = (cpi_is_float(x->type) && cpi_itemsize(x->type) > 2) || cpi_is_complex(x->type);
    return good ? x : cp_astype(x, CP_FLOAT64);
}

#endif
