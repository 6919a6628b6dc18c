/* Splines at positions, and along one axis; compiled once per instruction set. */
#include <string.h>

#include "core/paste.h"
#include "cpu/features.h"
#include "cpu/vectors.h"
#include "geometry/kernels.h"
#include "geometry/rounding.h"

typedef enum kind_of_point { INSIDE, EDGE, OUTSIDE } kind_of_point;
enum { AXIS = CPI_SPLINE_TAPS * CPI_POINTS };

#define T float
#include "geometry/points.inc"
#define T double
#include "geometry/points.inc"

/* --- points --- */

INLINE void weigh(const double *at, int n, int order, double *weight)
{
    for (int k = 0; k < n; k++) {
        double w[CPI_SPLINE_TAPS];
        cpi_spline_weights(at[k], order, w);
        for (int t = 0; t <= order; t++) weight[t * CPI_POINTS + k] = w[t];
    }
}

static void weigh_axis(const double *at, int n, int order, double *weight)
{
    switch (order) {
        case 0: weigh(at, n, 0, weight); break;
        case 1: weigh(at, n, 1, weight); break;
        case 2: weigh(at, n, 2, weight); break;
        case 3: weigh(at, n, 3, weight); break;
        case 4: weigh(at, n, 4, weight); break;
        default: weigh(at, n, 5, weight);
    }
}

/* One axis: positions that lie outside it are replaced; first elements and weights of all. */
static void prepare_axis(const cpi_resample *r, int d, cpi_points *p, int n, kind_of_point *kind)
{
    double *at = p->at + d * CPI_POINTS, *first = p->first + d * CPI_POINTS;
    const double last = (double)(r->in_shape[d] - 1), end = last - r->order;
    int64_t bad = 0, near = 0; /* as wide as the positions, so that these are loops over vectors */
    for (int k = 0; k < n; k++) bad |= (int64_t)!(at[k] >= 0) | (int64_t)!(at[k] <= last);
    if (bad)
        for (int k = 0; k < n; k++) {
            at[k] = cpi_position_within(at[k], r->in_shape[d], r->mode);
            if (!cpi_is_outside(at[k], r->mode)) continue;
            kind[k] = OUTSIDE;
            at[k] = 0;
        }
    if (r->order & 1)
        for (int k = 0; k < n; k++) first[k] = floor(at[k]) - r->order / 2;
    else
        for (int k = 0; k < n; k++) first[k] = floor(at[k] + 0.5) - r->order / 2;
    for (int k = 0; k < n; k++) near |= (int64_t)!(first[k] >= 0) | (int64_t)!(first[k] <= end);
    for (int k = 0; near && k < n; k++)
        if (!(first[k] >= 0 && first[k] <= end) && kind[k] == INSIDE) kind[k] = EDGE;
    weigh_axis(at, n, r->order, p->weight + d * AXIS);
}

static void points(const cpi_resample *r, const void *image, cpi_points *p, int n, double *result)
{
    kind_of_point kind[CPI_POINTS] = {INSIDE};
    double base[CPI_POINTS] = {0}; /* of taps, in elements: exact below 2^53 */
    int64_t stride[CP_MAXDIM];
    int64_t step = 1;
    for (int d = r->in_ndim; d-- > 0; step *= r->in_shape[d]) stride[d] = step;
    for (int d = 0; d < r->in_ndim; d++) {
        prepare_axis(r, d, p, n, kind);
        const double *first = p->first + d * CPI_POINTS, by = (double)stride[d];
        for (int k = 0; k < n; k++) base[k] += first[k] * by;
    }
    if (r->source == CP_FLOAT32) sum_points_float(r, image, stride, p, kind, base, n, result);
    else sum_points_double(r, image, stride, p, kind, base, n, result);
}

/* --- rows and axes --- */

#define ADD(T, rows)                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                      \
        double sum = add ? line[i] : 0;                                                    \
        for (int k = 0; k < (rows); k++) sum += weight[k] * (double)((const T *)row[k])[i]; \
        line[i] = sum;                                                                     \
    }
#define ADD_ROWS(T)               \
    switch (rows) {               \
        case 1: ADD(T, 1) break;  \
        case 2: ADD(T, 2) break;  \
        case 3: ADD(T, 3) break;  \
        case 4: ADD(T, 4) break;  \
        case 5: ADD(T, 5) break;  \
        default: ADD(T, 6) break; \
    }
static void add_rows(cp_type source, int rows, const void *const *row, const double *weight, bool add, int64_t n,
                     double *restrict line)
{
    if (source == CP_FLOAT32) ADD_ROWS(float)
    else ADD_ROWS(double)
}

INLINE void neighbours(const cpi_axis_taps *a, const double *line, int taps, double *restrict result)
{
    const double *w = a->weight;
    const int64_t n = a->n;
    if (a->unit) {
        const double *from = line + (a->from < a->to ? a->element[a->from] - a->from : 0);
        for (int64_t i = a->from; i < a->to; i++) {
            double sum = 0;
            for (int t = 0; t < taps; t++) sum += w[t * n + i] * from[i + t];
            result[i] = sum;
        }
        return;
    }
    for (int64_t i = a->from; i < a->to; i++) {
        const double *from = line + a->element[i];
        double sum = 0;
        for (int t = 0; t < taps; t++) sum += w[t * n + i] * from[t];
        result[i] = sum;
    }
}

static void along(const cpi_axis_taps *a, const double *line, double *result)
{
    switch (a->taps) {
        case 1: neighbours(a, line, 1, result); break;
        case 2: neighbours(a, line, 2, result); break;
        case 3: neighbours(a, line, 3, result); break;
        case 4: neighbours(a, line, 4, result); break;
        case 5: neighbours(a, line, 5, result); break;
        default: neighbours(a, line, 6, result);
    }
    for (int64_t i = 0; i < a->n; i++) {
        if (i == a->from && a->to > a->from) i = a->to;
        if (i >= a->n) break;
        double sum = 0;
        for (int t = 0; t < a->taps; t++) sum += a->weight[t * a->n + i] * line[a->element[t * a->n + i]];
        result[i] = sum;
    }
}

/* --- results --- */

#define STORE(ENUM, T, f, ...)                                                   \
    case ENUM:                                                                   \
        for (int64_t i = 0; i < n; i++) ((T *)to)[i] = (T)f(from[i], ##__VA_ARGS__); \
        break;
static void store(cp_type type, const double *from, int64_t n, void *to)
{
    switch ((int)type) {
        STORE(CP_BOOL, bool, cpi_rounded_bool)
        STORE(CP_INT8, int8_t, cpi_rounded_signed, 8)
        STORE(CP_INT16, int16_t, cpi_rounded_signed, 16)
        STORE(CP_INT32, int32_t, cpi_rounded_signed, 32)
        STORE(CP_INT64, int64_t, cpi_rounded_signed, 64)
        STORE(CP_UINT8, uint8_t, cpi_rounded_unsigned, 8)
        STORE(CP_UINT16, uint16_t, cpi_rounded_unsigned, 16)
        STORE(CP_UINT32, uint32_t, cpi_rounded_unsigned, 32)
        STORE(CP_UINT64, uint64_t, cpi_rounded_unsigned, 64)
        STORE(CP_FLOAT32, float, )
        default: memcpy(to, from, (size_t)n * sizeof *from);
    }
}

const cpi_resample_kernels CPI_ISA_NAME(cpi_resample_kernels) = {points, add_rows, along, store};
