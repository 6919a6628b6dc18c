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

/* One element v through all filters. z: pairs of numbers; c: b and a of each filter, pairs too. */
static inline void cpi_lfilter_step(int64_t filters, int64_t order, const double *c, double v, double *z)
{
    double x[2] = {v, 0};
    for (int64_t f = 0; f < filters; f++, z += 2 * order, c += 4 * (order + 1)) {
        const double *b = c, *a = c + 2 * (order + 1);
        const double y[2] = {z[0] + (b[0] * x[0] - b[1] * x[1]), z[1] + (b[0] * x[1] + b[1] * x[0])};
        for (int64_t i = 0; i < order; i++) {
            const double *p = b + 2 * i + 2, *q = a + 2 * i + 2;
            const bool last = i + 1 == order;
            z[2 * i] = (last ? 0 : z[2 * i + 2]) + (p[0] * x[0] - p[1] * x[1]) - (q[0] * y[0] - q[1] * y[1]);
            z[2 * i + 1] = (last ? 0 : z[2 * i + 3]) + (p[0] * x[1] + p[1] * x[0]) - (q[0] * y[1] + q[1] * y[0]);
        }
        x[0] = y[0];
        x[1] = y[1];
    }
}

/* The response to each of the states after `each` elements of zeros, of complex filters. */
static inline void cpi_lfilter_response_complex(const cpi_recurrence *r, int64_t each, const double *c,
                                                double *response)
{
    const int64_t states = r->filters * r->order;
    double z[2 * CPI_LFILTER_CUT];
    for (int64_t i = 0; i < states; i++) {
        memset(z, 0, sizeof z);
        z[2 * i] = 1;
        for (int64_t k = 0; k < each; k++) {
            cpi_lfilter_step(r->filters, r->order, c, 0, z);
            if (k % 64) continue;
            bool nothing = true; /* NaN is something */
            for (int64_t j = 0; j < 2 * states; j++) nothing &= fabs(z[j]) <= CPI_LFILTER_NOTHING;
            if (!nothing) continue;
            memset(z, 0, sizeof z);
            break;
        }
        memcpy(response + 2 * i * states, z, sizeof *z * (size_t)(2 * states));
    }
}

/* The same of real filters, all responses side by side: z[j][i] is that of state i to state j. c: pairs. */
static inline void cpi_lfilter_response_real(const cpi_recurrence *r, int64_t each, const double *c, double *response)
{
    enum { MOST = CPI_LFILTER_CUT };
    const int64_t order = r->order, states = r->filters * order;
    double z[MOST][MOST] = {{0}}, x[MOST], y[MOST];
    for (int64_t i = 0; i < states; i++) z[i][i] = 1;
    for (int64_t k = 0; k < each; k++) {
        memset(x, 0, sizeof x);
        for (int64_t f = 0; f < r->filters; f++) {
            const double *b = c + 4 * f * (order + 1), *a = b + 2 * (order + 1);
            double (*own)[MOST] = z + f * order;
            for (int i = 0; i < MOST; i++) y[i] = own[0][i] + b[0] * x[i];
            for (int64_t j = 0; j + 1 < order; j++)
                for (int i = 0; i < MOST; i++) own[j][i] = own[j + 1][i] + b[2 * j + 2] * x[i] - a[2 * j + 2] * y[i];
            for (int i = 0; i < MOST; i++) own[order - 1][i] = b[2 * order] * x[i] - a[2 * order] * y[i];
            memcpy(x, y, sizeof x);
        }
        if (k % 64) continue;
        bool nothing = true; /* NaN is something */
        for (int64_t j = 0; j < states; j++)
            for (int64_t i = 0; i < states; i++) nothing &= fabs(z[j][i]) <= CPI_LFILTER_NOTHING;
        if (!nothing) continue;
        memset(z, 0, sizeof z);
        break;
    }
    for (int64_t i = 0; i < states; i++)
        for (int64_t j = 0; j < states; j++) response[i * states + j] = z[j][i];
}

/* The greatest absolute value of each state behind an impulse, 1 where that is no positive number. Sections behind one
 * another may have gains of 1e5 each and their product at the first one's b: their states differ by as much, and a
 * state's rounding errors are small beside its own size. */
static inline void cpi_lfilter_sizes(const cpi_recurrence *r, bool complex, const double *c, double *size)
{
    enum { LONG = 256 };
    const int64_t order = r->order, states = r->filters * order;
    double z[2 * CPI_LFILTER_CUT] = {0};
    for (int64_t i = 0; i < states; i++) size[i] = 0;
    for (int k = 0; k < LONG; k++) {
        double x = k == 0;
        if (complex) cpi_lfilter_step(r->filters, order, c, x, z);
        for (int64_t f = 0; f < r->filters && !complex; f++) {
            const double *b = c + 4 * f * (order + 1), *a = b + 2 * (order + 1);
            double *own = z + 2 * f * order;
            const double y = own[0] + b[0] * x;
            for (int64_t j = 0; j + 1 < order; j++) own[2 * j] = own[2 * j + 2] + b[2 * j + 2] * x - a[2 * j + 2] * y;
            own[2 * order - 2] = b[2 * order] * x - a[2 * order] * y;
            x = y;
        }
        for (int64_t i = 0; i < states; i++) {
            const double now = fmax(fabs(z[2 * i]), fabs(z[2 * i + 1]));
            if (!(now <= size[i])) size[i] = now;
        }
    }
    for (int64_t i = 0; i < states; i++)
        if (!(size[i] > 0 && size[i] < 1e300)) size[i] = 1;
}

/* Is no number of the response, state i's to state j relative to their sizes, greater than CPI_LFILTER_GROWTH? */
static inline bool cpi_lfilter_is_tame(int64_t states, bool complex, const double *response, const double *size)
{
    const int parts = complex ? 2 : 1;
    for (int64_t i = 0; i < states; i++)
        for (int64_t j = 0; j < states; j++)
            for (int part = 0; part < parts; part++) {
                const double v = fabs(response[(i * states + j) * parts + part]) * size[i];
                if (!(v <= CPI_LFILTER_GROWTH * size[j])) return false;
            }
    return true;
}

/* The response to states after `each` elements of zeros: states x states values, response[i * states + j] that of state
 * i to state j; float64 or complex128. size: what each state's errors are relative to, CPI_LFILTER_CUT numbers. False
 * where the response has too many numbers, or grows, so that rounding errors of far elements would return. */
static inline bool cpi_lfilter_response(const cpi_recurrence *r, int64_t each, double *response, double *size)
{
    const bool complex = r->type == CP_COMPLEX64 || r->type == CP_COMPLEX128;
    const int64_t states = r->filters * r->order, count = 2 * r->filters * (r->order + 1);
    double c[8 * CPI_LFILTER_CUT];
    if (states * states * (complex ? 2 : 1) > CPI_LFILTER_RESPONSE) return false;
    for (int64_t i = 0; i < count; i++)
        for (int part = 0; part < 2; part++) c[2 * i + part] = cpi_lfilter_part(r->type, r->c, i, part);
    if (complex) cpi_lfilter_response_complex(r, each, c, response);
    else cpi_lfilter_response_real(r, each, c, response);
    for (int64_t i = 0; i < states; i++) size[i] = 1;
    if (cpi_lfilter_is_tame(states, complex, response, size)) return true;
    cpi_lfilter_sizes(r, complex, c, size);
    return cpi_lfilter_is_tame(states, complex, response, size);
}

#endif
