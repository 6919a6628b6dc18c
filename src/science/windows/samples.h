/* What windows begin with: a checked length, a scope, and the indices that their formulas are of. */
#ifndef CPI_SAMPLES_H
#define CPI_SAMPLES_H

#include <math.h>

#include "compose/compose.h"

static const double PI = 3.14159265358979323846264338327950288;

/* A window's call. A periodic window is the symmetric one of a sample more without its last, which is not computed:
 * `length` is that of the symmetric one, and j the M indices 1 - length, 3 - length, ..., which lie symmetrically. */
typedef struct cpi_window_call { cpi_composite f; double length; cp_array *j, *done; } cpi_window_call;

static inline bool cpi_window_check(const char *name, double M)
{
    if (isinf(M)) return cpi_fail(CP_ERROR_OVERFLOW, "%s: the window's length M is infinite", name), false;
    if (M >= 0 && M == floor(M)) return true;
    return cpi_fail(CP_ERROR_VALUE, "%s: the window's length M is a whole number from 0 on, not %g", name, M), false;
}

/* False where there is nothing to compute: w->done is the result, ones for M <= 1, NULL with the error set. */
static inline bool cpi_window_begin(cpi_window_call *w, const char *name, double M, bool sym)
{
    *w = (cpi_window_call){.length = sym ? M : M + 1};
    if (!cpi_window_check(name, M) || !cpi_begin_alone(&w->f)) return false;
    if (M <= 1) w->done = cp_ones(CP_SHAPE((int64_t)M), CP_FLOAT64);
    else if ((w->j = cp_arange(1 - w->length, 1 - w->length + 2 * M, 2, CP_FLOAT64))) return true;
    w->done = cpi_end(&w->f, w->done);
    return false;
}

#endif
