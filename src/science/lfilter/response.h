/* How a recurrence's state decays: what carries the states from chunk to chunk on both devices. */
#ifndef CPI_LFILTER_RESPONSE_H
#define CPI_LFILTER_RESPONSE_H

#include <math.h>
#include <string.h>

#include "lfilter/lfilter.h"

/* Coefficient i of b or a. */
static inline double cpi_lfilter_part(cp_type type, const char *from, int64_t i, int part)
{
    if (type == CP_FLOAT32) return part ? 0 : (double)((const float *)from)[i];
    if (type == CP_FLOAT64) return part ? 0 : ((const double *)from)[i];
    if (type == CP_COMPLEX64) return (double)((const float *)from)[2 * i + part];
    return ((const double *)from)[2 * i + part];
}

/* One element of zero: z[i] = z[i + 1] - a[i + 1] z[0]. The parts lie one after the other. */
static inline void cpi_lfilter_step(int64_t order, const double *a, double *z)
{
    const double re = z[0], im = z[1];
    for (int64_t i = 0; i < order; i++) {
        const double *c = a + 2 * i, *next = z + 2 * i + 2;
        const bool last = i + 1 == order;
        z[2 * i] = (last ? 0 : next[0]) - (c[0] * re - c[1] * im);
        z[2 * i + 1] = (last ? 0 : next[1]) - (c[0] * im + c[1] * re);
    }
}

/* The response to states after `each` elements of zeros: order x order values, response[i * order + j] that of z[i] to
 * z[j]; float64 or complex128. False where it has too many numbers, or grows, so that rounding errors of far elements
 * would return. */
static inline bool cpi_lfilter_response(const cpi_recurrence *r, int64_t each, double *response)
{
    const bool complex = r->type == CP_COMPLEX64 || r->type == CP_COMPLEX128;
    double a[2 * CPI_LFILTER_CUT], z[2 * CPI_LFILTER_CUT];
    if (r->order * r->order * (complex ? 2 : 1) > CPI_LFILTER_RESPONSE) return false;
    for (int64_t i = 0; i < r->order; i++)
        for (int part = 0; part < 2; part++) a[2 * i + part] = cpi_lfilter_part(r->type, r->a, i + 1, part);
    for (int64_t i = 0; i < r->order; i++) {
        memset(z, 0, sizeof z);
        z[2 * i] = 1;
        for (int64_t k = 0; k < each; k++) {
            cpi_lfilter_step(r->order, a, z);
            bool zero = true;
            for (int64_t j = 0; j < 2 * r->order; j++) zero &= z[j] == 0;
            if (zero) break;
        }
        for (int64_t j = 0; j < r->order; j++) {
            if (!(fabs(z[2 * j]) <= CPI_LFILTER_GROWTH) || !(fabs(z[2 * j + 1]) <= CPI_LFILTER_GROWTH)) return false;
            double *to = response + (i * r->order + j) * (complex ? 2 : 1);
            to[0] = z[2 * j];
            if (complex) to[1] = z[2 * j + 1];
        }
    }
    return true;
}

#endif
