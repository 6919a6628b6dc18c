/* What both devices do with one element: the bin of a number, a number between samples, a quantile of a sorted row.
 *
 * Invariant: every step is rounded as NumPy's is, by itself, so both devices give NumPy's bits. */
#ifndef CPI_STATISTICS_METHODS_H
#define CPI_STATISTICS_METHODS_H

#include <math.h>

#include "scalar/convert.h"
#include "sort/keys.h"
#include "statistics/statistics.h"

#ifdef __CUDA_ARCH__
CPS double cpi_times(double a, double b) { return __dmul_rn(a, b); }
CPS double cpi_plus(double a, double b) { return __dadd_rn(a, b); }
#else
CPS double cpi_times(double a, double b) { return a * b; }
CPS double cpi_plus(double a, double b) { return a + b; }
#endif

/* Element i of a real type. */
CPS double cpi_number_at(cp_type t, const void *x, int64_t i)
{
#define NUMBER(A, s) case CPS_ENUM_##s: return cps_##s##_to_f64(((const CPS_CTYPE_##s *)x)[i]);
    switch ((int)t) {
        CPS_REALS(NUMBER, )
    default: return 0;
    }
#undef NUMBER
}

/* --- bins --- */

/* Edge i of those that are made. */
CPS double cpi_edge_at(const cpi_edges *e, int64_t bins, int64_t i)
{
    double x = e->stop;
    if (i < bins && e->computed == CP_FLOAT32) x = (float)((float)i * (float)e->step) + (float)e->start;
    else if (i < bins) x = cpi_plus(cpi_times((double)i, e->step), e->start);
    return e->type == CP_FLOAT32 ? (double)(float)x : x;
}

CPS void cpi_put_edge(const cpi_edges *e, int64_t i, double x)
{
    if (e->type == CP_FLOAT32) ((float *)e->to)[i] = (float)x;
    else ((double *)e->to)[i] = x;
}

/* How many of m ascending numbers are not greater than x. */
CPS int64_t cpi_not_above(const double *edges, int64_t m, double x)
{
    int64_t low = 0, high = m;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (edges[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The bin of x: a guess from where it lies, then its neighbours; or a search. `scale`: bins / (last - first). */
CPS int64_t cpi_bin_of(const double *edges, int64_t bins, bool even, double first, double scale, double x)
{
    if (!(x >= edges[0] && x <= edges[bins])) return bins;
    const double position = (x - first) * scale;
    if (!even || !(position < 9e15)) {
        const int64_t i = cpi_not_above(edges, bins + 1, x);
        return i > bins ? bins - 1 : i - 1;
    }
    int64_t i = position < 0 ? 0 : (int64_t)position;
    if (i >= bins) i = bins - 1;
    while (i > 0 && x < edges[i]) i--;
    while (i + 1 < bins && x >= edges[i + 1]) i++;
    return i;
}

/* --- between samples --- */

/* On the line through (x0, y0) and (x1, y1); where that is no number, from the other end. `part`: of complex numbers,
 * whose slopes NumPy makes by a product. */
CPS double cpi_on_line(bool part, double x, double x0, double x1, double y0, double y1)
{
    const double slope = part ? cpi_times(y1 - y0, 1.0 / (x1 - x0)) : (y1 - y0) / (x1 - x0);
    double y = cpi_plus(cpi_times(slope, x - x0), y0);
    if (y != y) {
        y = cpi_plus(cpi_times(slope, x - x1), y1);
        if (y != y && y0 == y1) y = y0;
    }
    return y;
}

/* Value i, of one part or two, that numpy.interp gives; j + 1 samples lie nowhere above x. */
CPS void cpi_interpolate_at(const cpi_interpolation *p, int64_t i, int64_t j)
{
    const int parts = p->complex_values ? 2 : 1;
    const double x = p->x[i], *of = (const double *)p->of;
    double *to = (double *)p->to + i * parts;
    const int64_t last = p->samples - 1;
    for (int k = 0; k < parts; k++) {
        if (x != x) to[k] = !last ? of[k] : k ? 0 : x; /* a single sample is what is neither before nor behind */
        else if (x > p->at[last]) to[k] = p->right[k];
        else if (j < 0) to[k] = p->left[k];
        else if (j == last || p->at[j] == x) to[k] = of[j * parts + k];
        else to[k] = cpi_on_line(p->complex_values, x, p->at[j], p->at[j + 1], of[j * parts + k],
                                 of[(j + 1) * parts + k]);
    }
}

CPS void cpi_interpolate_one(const cpi_interpolation *p, int64_t i)
{
    cpi_interpolate_at(p, i, cpi_not_above(p->at, p->samples, p->x[i]) - 1);
}

/* --- quantiles --- */

typedef struct cpi_quantile_position {
    int64_t before, behind; /* places among n elements */
    double share;           /* of the way from one to the other */
} cpi_quantile_position;

/* As the arithmetic of `single` precision rounds it. */
CPS double cpi_rounded(bool single, double x) { return single ? (double)(float)x : x; }

/* numpy's virtual index of n elements, for methods between elements. */
CPS double cpi_quantile_index(cp_quantile_method method, bool single, double n, double q)
{
    double alpha = 0, beta = 0;
    const double nq = cpi_rounded(single, cpi_times(n, q));
    switch ((int)method) {
    case CP_QUANTILE_METHOD_AVERAGED_INVERTED_CDF: return cpi_rounded(single, nq - 1);
    case CP_QUANTILE_METHOD_INTERPOLATED_INVERTED_CDF: beta = 1; break;
    case CP_QUANTILE_METHOD_HAZEN: alpha = beta = 0.5; break;
    case CP_QUANTILE_METHOD_MEDIAN_UNBIASED: alpha = beta = 1 / 3.0; break;
    case CP_QUANTILE_METHOD_NORMAL_UNBIASED: alpha = beta = 3 / 8.0; break;
    default: break;
    }
    const double rest = cpi_rounded(single, cpi_times(q, cpi_rounded(single, 1 - alpha - beta)));
    const double shift = cpi_rounded(single, cpi_rounded(single, alpha) + rest);
    return cpi_rounded(single, cpi_rounded(single, nq + shift) - 1);
}

/* Where the method gives an element itself. */
CPS int64_t cpi_quantile_element(cp_quantile_method method, bool single, double n, double q)
{
    const double steps = cpi_rounded(single, cpi_times(cpi_rounded(single, n - 1), q));
    double at, floor_at;
    switch ((int)method) {
    case CP_QUANTILE_METHOD_LINEAR: /* of q that are 0 or 1 */
    case CP_QUANTILE_METHOD_LOWER: return (int64_t)floor(steps);
    case CP_QUANTILE_METHOD_HIGHER: return (int64_t)ceil(steps);
    case CP_QUANTILE_METHOD_NEAREST: return (int64_t)rint(steps);
    default: break;
    }
    at = cpi_rounded(single, cpi_rounded(single, cpi_times(n, q)) - 1);
    if (method == CP_QUANTILE_METHOD_CLOSEST_OBSERVATION) at = cpi_rounded(single, at - 0.5);
    floor_at = floor(at);
    bool stays = at == floor_at;
    if (method == CP_QUANTILE_METHOD_CLOSEST_OBSERVATION) stays = stays && floor_at != 2 * floor(floor_at / 2);
    if (!stays) floor_at += 1;
    return floor_at < 0 ? 0 : (int64_t)floor_at;
}

CPS cpi_quantile_position cpi_quantile_between(cp_quantile_method method, bool single, int64_t count, double q)
{
    const double n = cpi_rounded(single, (double)count);
    double at;
    if (method == CP_QUANTILE_METHOD_LINEAR || method == CP_QUANTILE_METHOD_MIDPOINT ||
        method == CPI_QUANTILE_MEDIAN) {
        at = cpi_rounded(single, cpi_times(cpi_rounded(single, (double)(count - 1)), q));
        if (method != CP_QUANTILE_METHOD_LINEAR) at = 0.5 * (floor(at) + ceil(at));
    } else {
        at = cpi_quantile_index(method, single, n, q);
    }
    cpi_quantile_position p;
    double before = floor(at);
    p.before = (int64_t)before, p.behind = p.before + 1;
    if (at >= (double)(count - 1)) before = -1, p.before = p.behind = count - 1;
    if (at < 0) before = 0, p.before = p.behind = 0;
    p.share = cpi_rounded(single, at - before);
    if (method == CP_QUANTILE_METHOD_AVERAGED_INVERTED_CDF) p.share = p.share == 0 ? 0.5 : 1;
    if (method == CP_QUANTILE_METHOD_MIDPOINT || method == CPI_QUANTILE_MEDIAN) p.share = at == floor(at) ? 0 : 0.5;
    return p;
}

/* The place that a running sum of weights, divided by all of them, reaches q at. */
CPS int64_t cpi_quantile_weighted(const double *weight, int64_t n, double q, bool single)
{
    double all = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) all += weight[i];
    for (int64_t i = 0; i < n; i++) {
        sum += weight[i];
        const double share = cpi_rounded(single, sum / all);
        if (share != 0 && share >= q) return i;
    }
    return n - 1;
}

CPS bool cpi_is_nan_at(const cpi_quantiles *r, int64_t i)
{
    const double x = cpi_number_at(r->type, r->x, i);
    return x != x;
}

/* How many elements of a row, NaN last, are numbers; of some places only: 0 where one is NaN. */
CPS int64_t cpi_known_elements(const cpi_quantiles *r, int64_t first)
{
    int64_t low = 0, high = r->n;
    if (r->indices) return r->known ? r->numbers : cpi_is_nan_at(r, r->found - 1) ? 0 : r->n;
    if (!cpi_is_nan_at(r, first + r->n - 1)) return r->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (cpi_is_nan_at(r, first + middle)) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* Where the element at a place of a row is in x. */
CPS int64_t cpi_element_of(const cpi_quantiles *r, int64_t first, int64_t position)
{
    int i = 0;
    if (!r->indices) return first + position;
    while (i + 1 < r->found && r->indices[i] < position) i++;
    return i;
}

CPS void cpi_copy_item(char *to, const char *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++) to[i] = from[i];
}

CPS void cpi_store_quantile(cp_type t, void *to, int64_t i, double x)
{
#define STORE(A, s) case CPS_ENUM_##s: ((CPS_CTYPE_##s *)to)[i] = cps_f32_to_##s((float)x); return;
    switch ((int)t) {
        CPS_HALVES(STORE, )
    case CP_FLOAT32: ((float *)to)[i] = (float)x; return;
    default: ((double *)to)[i] = x;
    }
#undef STORE
}

/* x as a floating type rounds it. */
CPS double cpi_rounded_to(cp_type t, double x)
{
    uint64_t value;
    cpi_store_quantile(t, &value, 0, x);
    return cpi_number_at(t, &value, 0);
}

/* Quantile i of one row. */
CPS void cpi_quantile_one(const cpi_quantiles *r, int64_t row, int64_t i, int64_t bytes)
{
    const bool elements = r->elements;
    const int64_t first = row * r->n, position = i * r->rows + row;
    const bool single = r->computed == CP_FLOAT32;
    const double q = r->q[i];
    const int64_t known = cpi_known_elements(r, first), n = known < r->n && r->known ? known : r->n;
    cpi_quantile_position p = {r->n - 1, r->n - 1, 0};
    if (known == r->n || (r->known && known)) { /* else the last one, which is NaN */
        if (r->weight) p.before = cpi_quantile_weighted(r->weight + first, n, q, single);
        else if (elements) p.before = cpi_quantile_element(r->method, single, cpi_rounded(single, (double)n), q);
        else p = cpi_quantile_between(r->method, single, n, q);
        if (r->weight || elements) p.behind = p.before = p.before > n - 1 ? n - 1 : p.before < 0 ? 0 : p.before;
    }
    const int64_t before = cpi_element_of(r, first, p.before), behind = cpi_element_of(r, first, p.behind);
    if (elements) {
        cpi_copy_item((char *)r->to + position * bytes, (const char *)r->x + before * bytes, bytes);
        return;
    }
    const double a = cpi_number_at(r->type, r->x, before), b = cpi_number_at(r->type, r->x, behind);
    const double d = cpi_is_float(r->type) ? cpi_rounded_to(r->type, b - a) : b - a;
    const bool near = p.share >= 0.5; /* which end it is nearer to */
    const double share = cpi_rounded_to(r->result, near ? 1 - p.share : p.share);
    const double part = cpi_rounded_to(r->result, cpi_times(d, share));
    double y = near ? cpi_plus(b, -part) : cpi_plus(a, part);
    if (r->method == CPI_QUANTILE_MEDIAN) y = p.share != 0 ? (a + b) / 2 : a;
    cpi_store_quantile(r->result, r->to, position, y);
}

#endif
