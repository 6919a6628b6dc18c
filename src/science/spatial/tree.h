/* Trees of points, shared by C17 and CUDA C++: keys along a curve (so that near places are looked up
 * together), boxes, nearest points and points within a radius.
 *
 * A node's children are visited the nearer one first, and a node whose box is too far is left out. Of points equally
 * far those that are found first stay. */
#ifndef CPI_SPATIAL_TREE_H
#define CPI_SPATIAL_TREE_H

#include <math.h>

#include "spatial/spatial.h"

#ifdef __CUDACC__
#define CPI_TREE static __host__ __device__ __forceinline__
#else
#define CPI_TREE static inline __attribute__((always_inline))
#endif

enum { CPI_TREE_STACK = 48 };

/* Bits of the coordinates in turn, the highest first: those that lie in one half of the space come together. */
CPI_TREE int64_t cpi_tree_key(const double *x, int64_t ndim, const double *range)
{
    const int64_t dims = ndim < 21 ? ndim : 21;
    const int bits = (int)(63 / dims);
    uint64_t key = 0;
    for (int b = 1; b <= bits; b++)
        for (int64_t d = 0; d < dims; d++) {
            const double part = (x[d] - range[d]) * range[ndim];
            const double scaled = part * (double)(1ull << bits), most = (double)((1ull << bits) - 1);
            const uint64_t cell = (uint64_t)(scaled > most ? most : scaled > 0 ? scaled : 0);
            key = key << 1 | (cell >> (bits - b) & 1);
        }
    return (int64_t)key;
}

CPI_TREE int64_t cpi_tree_first(const cpi_point_tree *t, int64_t node, int level)
{
    const int64_t i = node - (((int64_t)1 << level) - 1); /* i n / 2^level without an overflow */
    const int64_t whole = t->n >> level, rest = t->n & (((int64_t)1 << level) - 1);
    return i * whole + (i * rest >> level);
}

/* The box of a leaf, and of a node from its children's. */
CPI_TREE void cpi_leaf_box(const cpi_point_tree *t, int64_t node)
{
    double *low = t->boxes + 2 * node * t->ndim, *high = low + t->ndim;
    const int64_t first = cpi_tree_first(t, node, t->levels), end = cpi_tree_first(t, node + 1, t->levels);
    for (int64_t d = 0; d < t->ndim; d++) {
        low[d] = high[d] = t->points[first * t->ndim + d];
        for (int64_t i = first + 1; i < end; i++) {
            const double v = t->points[i * t->ndim + d];
            if (v < low[d]) low[d] = v;
            if (v > high[d]) high[d] = v;
        }
    }
}
CPI_TREE void cpi_inner_box(const cpi_point_tree *t, int64_t node)
{
    const int64_t size = 2 * t->ndim;
    double *low = t->boxes + node * size, *high = low + t->ndim;
    const double *left = t->boxes + (2 * node + 1) * size, *right = left + size;
    for (int64_t d = 0; d < t->ndim; d++) {
        low[d] = left[d] < right[d] ? left[d] : right[d];
        high[d] = left[t->ndim + d] > right[t->ndim + d] ? left[t->ndim + d] : right[t->ndim + d];
    }
}

CPI_TREE int cpi_tree_level(int64_t node)
{
#ifdef __CUDA_ARCH__
    return 63 - __clzll(node + 1);
#else
    return 63 - __builtin_clzll((uint64_t)node + 1);
#endif
}

CPI_TREE double cpi_power_of(double d, double p)
{
    return p == 2 ? d * d : p == 1 || p == INFINITY ? d : pow(d, p);
}
CPI_TREE double cpi_root_of(double s, double p)
{
    return p == 2 ? sqrt(s) : p == 1 || p == INFINITY ? s : pow(s, 1 / p);
}
CPI_TREE double cpi_joined(double sum, double d, double p)
{
    const double v = cpi_power_of(d, p);
    return p == INFINITY ? (v > sum ? v : sum) : sum + v;
}

/* The distance along a dimension, round the period where there is one. */
CPI_TREE double cpi_tree_step(double a, double b, double period)
{
    const double d = fabs(a - b);
    return period > 0 && period - d < d ? period - d : d;
}

/* The distance of x to low .. high along a dimension. */
CPI_TREE double cpi_tree_gap(double x, double low, double high, double period)
{
    if (x >= low && x <= high) return 0;
    const double a = cpi_tree_step(x, low, period), b = cpi_tree_step(x, high, period);
    return a < b ? a : b;
}

/* `ndim` is the tree's, a constant where it is small and distances are plain: Euclidean, without a period. */
CPI_TREE double cpi_box_distance(const cpi_point_tree *t, int64_t node, const double *x, double p, int64_t ndim,
                                 bool plain)
{
    const double *low = t->boxes + 2 * node * ndim, *high = low + ndim;
    double sum = 0;
    if (plain) {
        for (int64_t d = 0; d < ndim; d++) {
            const double below = low[d] - x[d], above = x[d] - high[d];
            const double gap = below > above ? below : above;
            sum += gap > 0 ? gap * gap : 0;
        }
        return sum;
    }
    for (int64_t d = 0; d < t->ndim; d++)
        sum = cpi_joined(sum, cpi_tree_gap(x[d], low[d], high[d], t->period ? t->period[d] : 0), p);
    return sum;
}

CPI_TREE double cpi_point_distance(const cpi_point_tree *t, int64_t i, const double *x, double p, int64_t ndim,
                                   bool plain)
{
    const double *y = t->points + i * ndim;
    double sum = 0;
    if (plain) {
        for (int64_t d = 0; d < ndim; d++) sum += (x[d] - y[d]) * (x[d] - y[d]);
        return sum;
    }
    for (int64_t d = 0; d < t->ndim; d++)
        sum = cpi_joined(sum, cpi_tree_step(x[d], y[d], t->period ? t->period[d] : 0), p);
    return sum;
}

/* --- the k nearest: a heap with the farthest on top --- */

CPI_TREE void cpi_heap_down(double *distances, int64_t *which, int64_t n, double distance, int64_t index)
{
    int64_t i = 0;
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= n) break;
        if (child + 1 < n && distances[child + 1] > distances[child]) child++;
        if (!(distances[child] > distance)) break;
        distances[i] = distances[child], which[i] = which[child];
        i = child;
    }
    distances[i] = distance, which[i] = index;
}

CPI_TREE void cpi_tree_nearest_of(const cpi_tree_query *q, int64_t row, int64_t ndim, bool plain)
{
    const cpi_point_tree *t = &q->tree;
    const double *x = q->at + row * ndim, p = q->p;
    double *distances = q->distances + row * q->k;
    int64_t *which = q->which + row * q->k;
    const double bound = q->bound == INFINITY ? INFINITY : cpi_power_of(q->bound, p);
    const double near = q->eps == 0 ? 1 : 1 / cpi_power_of(1 + q->eps, p);
    int64_t stack[CPI_TREE_STACK];
    double far[CPI_TREE_STACK];
    int depth = 0;
    bool known = true;
    for (int64_t d = 0; d < ndim; d++) known = known && x[d] == x[d];
    for (int64_t i = 0; i < q->k; i++) distances[i] = bound, which[i] = t->n;
    if (known) stack[0] = 0, far[0] = cpi_box_distance(t, 0, x, p, ndim, plain), depth = 1;
    while (depth) {
        int64_t node = stack[--depth];
        if (!(far[depth] < distances[0] * near)) continue;
        int level = cpi_tree_level(node);
        for (; level < t->levels; level++) {
            const int64_t left = 2 * node + 1;
            const double a = cpi_box_distance(t, left, x, p, ndim, plain);
            const double b = cpi_box_distance(t, left + 1, x, p, ndim, plain);
            const bool second = b < a;
            node = left + second;
            stack[depth] = left + !second, far[depth] = second ? a : b;
            depth++;
        }
        const int64_t end = cpi_tree_first(t, node + 1, level);
        for (int64_t i = cpi_tree_first(t, node, level); i < end; i++) {
            const double distance = cpi_point_distance(t, i, x, p, ndim, plain);
            if (distance < distances[0]) cpi_heap_down(distances, which, q->k, distance, t->order[i]);
        }
    }
    for (int64_t n = q->k; n-- > 1;) { /* the heap is sorted */
        const double last = distances[n];
        const int64_t index = which[n];
        distances[n] = distances[0], which[n] = which[0];
        cpi_heap_down(distances, which, n, last, index);
    }
    for (int64_t i = 0; i < q->k; i++) distances[i] = which[i] == t->n ? INFINITY : cpi_root_of(distances[i], p);
}

CPI_TREE bool cpi_tree_is_plain(const cpi_tree_query *q) { return q->p == 2 && !q->tree.period; }

CPI_TREE void cpi_tree_nearest(const cpi_tree_query *q, int64_t row)
{
    if (!cpi_tree_is_plain(q)) cpi_tree_nearest_of(q, row, q->tree.ndim, false);
    else if (q->tree.ndim == 2) cpi_tree_nearest_of(q, row, 2, true);
    else if (q->tree.ndim == 3) cpi_tree_nearest_of(q, row, 3, true);
    else cpi_tree_nearest_of(q, row, q->tree.ndim, true);
}

/* --- all within a radius --- */

CPI_TREE void cpi_tree_within_of(const cpi_tree_query *q, int64_t row, int64_t ndim, bool plain)
{
    const cpi_point_tree *t = &q->tree;
    const double *x = q->at + row * ndim, p = q->p, radius = q->radius[row];
    const double most = radius >= 0 ? cpi_power_of(radius, p) : -1;
    const double near = q->eps == 0 ? 1 : 1 / cpi_power_of(1 + q->eps, p);
    int64_t stack[CPI_TREE_STACK], found = 0, out = q->start ? q->start[row] : 0;
    int depth = 1;
    double sum = 0;
    stack[0] = 0;
    while (depth) {
        const int64_t node = stack[--depth];
        if (!(cpi_box_distance(t, node, x, p, ndim, plain) <= most * near)) continue;
        const int level = cpi_tree_level(node);
        if (level < t->levels) {
            stack[depth] = 2 * node + 2, stack[depth + 1] = 2 * node + 1;
            depth += 2;
            continue;
        }
        const int64_t end = cpi_tree_first(t, node + 1, level);
        for (int64_t i = cpi_tree_first(t, node, level); i < end; i++) {
            const double distance = cpi_point_distance(t, i, x, p, ndim, plain);
            if (!(distance <= most)) continue;
            if (q->start) q->which[out + found] = t->order[i];
            if (q->start && q->distances) q->distances[out + found] = cpi_root_of(distance, p);
            if (q->sums) sum += q->weights ? q->weights[i] : 1;
            found++;
        }
    }
    if (q->counts) q->counts[row] = found;
    if (q->sums) q->sums[row] = sum;
}

CPI_TREE void cpi_tree_within(const cpi_tree_query *q, int64_t row)
{
    if (!cpi_tree_is_plain(q)) cpi_tree_within_of(q, row, q->tree.ndim, false);
    else if (q->tree.ndim == 3) cpi_tree_within_of(q, row, 3, true);
    else cpi_tree_within_of(q, row, q->tree.ndim, true);
}

/* --- simplices --- */

/* The inverse of the edges of a simplex, by Gauss and Jordan with the largest pivot of each column: t (n + 1, n), as
 * Qhull's. It is NaN where the reciprocal of the condition is below 1,000 units of rounding. */
CPI_TREE void cpi_simplex_transform(const cpi_simplex_corners *s, int64_t simplex)
{
    const int64_t n = s->ndim;
    const int32_t *corner = s->corners + simplex * (n + 1);
    double *t = s->transform + simplex * (n + 1) * n, *origin = t + n * n, norm = 0, inverse = 0;
    int64_t swaps[CPI_SIMPLEX_DIMENSIONS];
    bool fit = true;
    for (int64_t i = 0; i <= n; i++) fit = fit && corner[i] >= 0 && corner[i] < s->n;
    for (int64_t d = 0; d < n; d++) origin[d] = fit ? s->points[corner[n] * n + d] : NAN;
    for (int64_t i = 0; fit && i < n; i++) { /* column i is corner i's edge */
        double sum = 0;
        for (int64_t d = 0; d < n; d++) {
            const double edge = s->points[corner[i] * n + d] - origin[d];
            t[d * n + i] = edge;
            sum += fabs(edge);
        }
        norm = sum > norm ? sum : norm;
    }
    for (int64_t k = 0; fit && k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++) best = fabs(t[i * n + k]) > fabs(t[best * n + k]) ? i : best;
        swaps[k] = best;
        const double pivot = t[best * n + k];
        fit = pivot != 0;
        for (int64_t j = 0; j < n; j++) {
            const double v = t[best * n + j];
            t[best * n + j] = t[k * n + j], t[k * n + j] = (j == k ? 1 : v) / pivot;
        }
        for (int64_t i = 0; i < n; i++) {
            const double factor = t[i * n + k];
            if (i == k) continue;
            t[i * n + k] = 0;
            for (int64_t j = 0; j < n; j++) t[i * n + j] -= factor * t[k * n + j];
        }
    }
    for (int64_t k = n; fit && k-- > 0;) /* the rows' exchanges, as columns' */
        for (int64_t i = 0; i < n; i++) {
            const double v = t[i * n + k];
            t[i * n + k] = t[i * n + swaps[k]], t[i * n + swaps[k]] = v;
        }
    for (int64_t j = 0; fit && j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += fabs(t[i * n + j]);
        inverse = sum > inverse ? sum : inverse;
    }
    if (fit && norm * inverse < 1 / (1000 * 2.220446049250313e-16)) return;
    for (int64_t i = 0; i < n * (n + 1); i++) t[i] = NAN;
}

/* Barycentric coordinates of x in simplex s, into c. */
CPI_TREE void cpi_simplex_parts(const cpi_simplex_search *s, int64_t simplex, const double *x, double *c, int64_t n)
{
    const double *t = s->transform + simplex * (n + 1) * n, *origin = t + n * n;
    double last = 1;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += t[i * n + j] * (x[j] - origin[j]);
        c[i] = sum;
        last -= sum;
    }
    c[n] = last;
}

CPI_TREE int64_t cpi_simplex_start(const cpi_simplex_search *s, int64_t row, const double *x, int64_t n)
{
    if (!s->sides) return s->start[row];
    int64_t cell = 0;
    for (int64_t d = 0; d < n; d++) {
        const double part = (x[d] - s->grid[d]) * s->grid[n + d], most = (double)(s->sides - 1);
        cell = cell * s->sides + (int64_t)(part > most ? most : part > 0 ? part : 0);
    }
    return s->start[cell];
}

/* A neighbour of a flat simplex other than the one that the search came from, -1 where there is none. */
CPI_TREE int64_t cpi_simplex_behind(const cpi_simplex_search *s, int64_t simplex, int64_t before, int64_t steps,
                                    int64_t n)
{
    for (int64_t i = 0; i <= n; i++) {
        const int64_t next = s->neighbours[simplex * (n + 1) + (steps + i) % (n + 1)];
        if (next >= 0 && next < s->simplices && next != before) return next;
    }
    return -1;
}

enum { CPI_FLAT_SIMPLICES = 32 }; /* on the way of a search */

/* From simplex to simplex through the side that x is farthest beyond; c: ndim + 1 elements. A flat one shows no side:
 * the search goes on behind it, and all are looked at where it comes to several, or ends outside. Where c is NaN of
 * another one, x is too far for double to say how far, and in none. `n` is ndim, a constant where it is small. */
CPI_TREE int64_t cpi_simplex_found(const cpi_simplex_search *s, int64_t row, double *c, int64_t n)
{
    const double *x = s->at + row * n;
    int64_t simplex = cpi_simplex_start(s, row, x, n), before = -1, flat = 0;
    bool lost = s->all || simplex < 0 || simplex >= s->simplices, known = true;
    for (int64_t i = 0; i < n; i++) known = known && x[i] == x[i];
    for (int64_t steps = 0; !lost && known; steps++) {
        int64_t worst = 0, next = -1;
        cpi_simplex_parts(s, simplex, x, c, n);
        for (int64_t i = 1; i <= n; i++) worst = c[i] < c[worst] ? i : worst;
        if (c[n] != c[n]) {
            const double *t = s->transform + simplex * (n + 1) * n;
            if (t[0] == t[0]) return s->last ? -2 - simplex : -1;
            next = flat++ < CPI_FLAT_SIMPLICES ? cpi_simplex_behind(s, simplex, before, steps, n) : -1;
        } else {
            if (c[worst] >= -s->eps) return simplex;
            next = s->neighbours[simplex * (n + 1) + worst];
        }
        before = simplex, simplex = next;
        lost = steps > s->simplices;
        if (simplex >= 0 && simplex < s->simplices) continue;
        if (!flat && !lost) return s->last ? -2 - before : -1;
        lost = true;
    }
    for (int64_t i = 0; known && i < s->simplices; i++) {
        cpi_simplex_parts(s, i, x, c, n);
        int64_t worst = 0;
        for (int64_t k = 1; k <= n; k++) worst = c[k] < c[worst] ? k : worst;
        if (c[n] == c[n] && c[worst] >= -s->eps) return i;
    }
    return -1;
}

CPI_TREE void cpi_simplex_of(const cpi_simplex_search *s, int64_t row)
{
    const int64_t n = s->ndim;
    double *to = s->parts + row * (n + 1), c[3] = {0, 0, 0}; /* a point with NaN has no parts */
    if (n != 2) {
        s->which[row] = (int32_t)cpi_simplex_found(s, row, to, n);
        return;
    }
    s->which[row] = (int32_t)cpi_simplex_found(s, row, c, 2);
    for (int i = 0; i < 3; i++) to[i] = c[i];
}

#endif
