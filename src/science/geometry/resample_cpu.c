/* Splines at positions on the CPU. Positions that depend on one index each (shift, zoom) have their taps in tables, and
 * a result's row is made of rows of the input, weighted and added, and then along itself; all others are evaluated in
 * groups of CPI_POINTS. Both are cut by the result's size alone. */
#include "geometry/geometry.h"

#include <string.h>

#include "backend/device.h"
#include "core/error.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "geometry/kernels.h"

typedef struct plan {
    const cpi_resample *r;
    const cpi_resample_kernels *kernels;
    int64_t in_size, out_size; /* of an image */
    int64_t result_size;       /* bytes of an element */
    int64_t items, each, tasks;
    char *scratch;
    int64_t worker_bytes;
    cpi_axis_taps last;        /* of the tables' way */
    int64_t low, high;         /* the part of an input's row that the results want */
} plan;

static inline int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static inline const double *place_of(const cpi_resample *r) { return r->place ? r->place : r->numbers; }

/* --- groups of positions --- */

/* Positions of n neighbours of a row, which begins at `index`, along axis d of the input. */
static void affine_row(const cpi_resample *r, int d, const int64_t *index, int n, double *at)
{
    const double *m = place_of(r) + (int64_t)d * (r->out_ndim + 1);
    const int last = r->out_ndim - 1;
    const double along = m[last], begin = (double)index[last], pad = r->pad;
    double base = m[last + 1];
    for (int j = 0; j < last; j++) base += (double)index[j] * m[j];
    for (int k = 0; k < n; k++) at[k] = base + (begin + k) * along + pad;
}

static inline double step_position(const cpi_resample *r, int d, double index)
{
    const double *place = place_of(r) + 2 * d, zoom = place[0], at = index + place[1];
    return (r->kind == CPI_POSITIONS_CENTRES ? (at + 0.5) * zoom - 0.5 : at * zoom) + r->pad;
}

static void step_row(const cpi_resample *r, int d, const int64_t *index, int n, double *at)
{
    const bool last = d == r->out_ndim - 1;
    for (int k = 0; k < n; k++) at[k] = step_position(r, d, (double)(index[d] + (last ? k : 0)));
}

/* Positions of results first .. first + n - 1 of an image. */
static void find_positions(const cpi_resample *r, int64_t first, int64_t out_size, int n, cpi_points *p)
{
    if (r->kind == CPI_POSITIONS_GIVEN) {
        for (int d = 0; d < r->in_ndim; d++)
            for (int k = 0; k < n; k++) p->at[d * CPI_POINTS + k] = r->place[d * out_size + first + k] + r->pad;
        return;
    }
    const int last = r->out_ndim - 1;
    int64_t index[CP_MAXDIM], rest = first;
    for (int j = last; j >= 0; j--) index[j] = rest % r->out_shape[j], rest /= r->out_shape[j];
    for (int k = 0; k < n;) {
        const int run = (int)at_most(n - k, r->out_shape[last] - index[last]);
        for (int d = 0; d < r->in_ndim; d++) {
            double *at = p->at + d * CPI_POINTS + k;
            if (r->kind == CPI_POSITIONS_AFFINE) affine_row(r, d, index, run, at);
            else step_row(r, d, index, run, at);
        }
        k += run;
        index[last] = 0;
        for (int j = last - 1; j >= 0 && ++index[j] == r->out_shape[j]; j--) index[j] = 0;
    }
}

/* Results i .. i + n - 1 of all images, of one image. */
static void run_points(const plan *p, int64_t i, int n, double *scratch)
{
    const cpi_resample *r = p->r;
    const int64_t image = i / p->out_size;
    const char *from = (const char *)r->from + image * p->in_size * (r->source == CP_FLOAT32 ? 4 : 8);
    double result[CPI_POINTS];
    cpi_points points = {scratch, scratch + (int64_t)r->in_ndim * CPI_POINTS,
                         scratch + (int64_t)r->in_ndim * CPI_POINTS * 2};
    find_positions(r, i - image * p->out_size, p->out_size, n, &points);
    p->kernels->points(r, from, &points, n, result);
    p->kernels->store(r->result, result, n, (char *)r->to + i * p->result_size);
}

static void points_task(void *context, int64_t task, int worker)
{
    const plan *p = context;
    double *scratch = (double *)(p->scratch + worker * p->worker_bytes);
    const int64_t end = at_most((task + 1) * p->each, p->items);
    for (int64_t i = task * p->each; i < end;) {
        const int n = (int)at_most(at_most(CPI_POINTS, end - i), p->out_size - i % p->out_size);
        run_points(p, i, n, scratch);
        i += n;
    }
}

/* The same by groups of rows: parts of them that lie below each other have elements of the input in common. */
static void tiles_task(void *context, int64_t task, int worker)
{
    const plan *p = context;
    double *scratch = (double *)(p->scratch + worker * p->worker_bytes);
    const int64_t end = at_most((task + 1) * p->each, p->items), n = p->r->out_shape[p->r->out_ndim - 1];
    for (int64_t column = 0; column < n; column += CPI_POINTS)
        for (int64_t row = task * p->each; row < end; row++)
            run_points(p, row * n + column, (int)at_most(CPI_POINTS, n - column), scratch);
}

/* --- tables of one axis --- */

/* Weights and elements of one result; false: cval. Element -1 is cval. `apart`: the distance of taps in both. */
static bool find_taps(const cpi_resample *r, int d, int64_t index, double *weight, int32_t *element, int64_t apart)
{
    double w[CPI_SPLINE_TAPS];
    const double at = cpi_position_within(step_position(r, d, (double)index), r->in_shape[d], r->mode);
    if (cpi_is_outside(at, r->mode)) return false;
    const double first = cpi_spline_first(at, r->order);
    cpi_spline_weights(at, r->order, w);
    for (int t = 0; t <= r->order; t++) {
        weight[t * apart] = w[t];
        element[t * apart] = (int32_t)cpi_spline_tap(first, t, r->in_shape[d], r->mode);
    }
    return true;
}

static bool are_neighbours(const cpi_axis_taps *a, int64_t i)
{
    if (a->outside[i]) return false;
    for (int t = 0; t < a->taps; t++)
        if (a->element[t * a->n + i] != a->element[i] + t || a->element[i] < 0) return false;
    return true;
}

/* The longest run of results whose taps are neighbours, ascending. */
static void find_run(cpi_axis_taps *a)
{
    a->from = a->to = 0;
    for (int64_t i = 0; i < a->n; i++) {
        const int64_t from = i;
        while (i < a->n && are_neighbours(a, i)) i++;
        if (i - from > a->to - a->from) a->from = from, a->to = i;
    }
    a->unit = true;
    for (int64_t i = a->from; i < a->to; i++) a->unit &= a->element[i] == a->element[a->from] + (i - a->from);
}

static void fill_last(plan *p)
{
    const cpi_resample *r = p->r;
    const int d = r->out_ndim - 1;
    cpi_axis_taps *a = &p->last;
    p->low = a->length, p->high = 0;
    for (int64_t i = 0; i < a->n; i++) {
        a->outside[i] = !find_taps(r, d, i, a->weight + i, a->element + i, a->n);
        a->any_outside |= a->outside[i];
        for (int t = 0; t < a->taps; t++) {
            int32_t *e = a->element + t * a->n + i;
            if (a->outside[i]) a->weight[t * a->n + i] = 0, *e = (int32_t)a->length;
            else if (*e >= 0) p->low = at_most(p->low, *e), p->high = *e >= p->high ? *e + 1 : p->high;
        }
    }
    find_run(a);
    for (int64_t i = 0; i < a->n * a->taps; i++)
        if (a->element[i] < 0) a->element[i] = (int32_t)a->length;
}

/* --- rows of the result --- */

typedef struct row_taps { /* of the axes before the last one */
    double weight[CP_MAXDIM][CPI_SPLINE_TAPS];
    int32_t element[CP_MAXDIM][CPI_SPLINE_TAPS];
} row_taps;

/* Adds the rows for the taps of axes d .. out_ndim - 2; `offset` is in elements. Returns what cval adds to each. */
static double add_axis(const plan *p, const row_taps *taps, int d, const char *image, int64_t offset, double weight,
                       bool *begun, double *line)
{
    const cpi_resample *r = p->r;
    const int64_t size = r->source == CP_FLOAT32 ? 4 : 8;
    const void *row[CPI_SPLINE_TAPS];
    double weights[CPI_SPLINE_TAPS], constant = 0;
    int rows = 0;
    if (d >= r->out_ndim - 1) row[0] = image + (offset + p->low) * size, weights[0] = weight, rows = 1;
    for (int t = 0; t <= r->order && d < r->out_ndim - 1; t++) {
        const int32_t e = taps->element[d][t];
        const double w = weight * taps->weight[d][t];
        if (e < 0) {
            constant += w * r->cval;
        } else if (d < r->out_ndim - 2) {
            constant += add_axis(p, taps, d + 1, image, (offset + e) * r->in_shape[d + 1], w, begun, line);
        } else {
            row[rows] = image + ((offset + e) * r->in_shape[d + 1] + p->low) * size;
            weights[rows++] = w;
        }
    }
    if (!rows) return constant;
    p->kernels->add_rows(r->source, rows, row, weights, *begun, p->high - p->low, line + p->low);
    *begun = true;
    return constant;
}

/* The row of an image's results at `index`; false: all are cval. */
static bool make_row(const plan *p, const char *image, const int64_t *index, double *line, double *result)
{
    const cpi_resample *r = p->r;
    const cpi_axis_taps *a = &p->last;
    row_taps taps;
    bool begun = false;
    for (int d = 0; d < r->out_ndim - 1; d++)
        if (!find_taps(r, d, index[d], taps.weight[d], taps.element[d], 1)) return false;
    line[a->length] = r->cval;
    const double constant = p->low < p->high ? add_axis(p, &taps, 0, image, 0, 1, &begun, line) : 0;
    if (!begun)
        for (int64_t i = p->low; i < p->high; i++) line[i] = constant;
    else if (constant != 0)
        for (int64_t i = p->low; i < p->high; i++) line[i] += constant;
    p->kernels->along(a, line, result);
    for (int64_t i = 0; a->any_outside && i < a->n; i++)
        if (a->outside[i]) result[i] = r->cval;
    return true;
}

static void rows_task(void *context, int64_t task, int worker)
{
    const plan *p = context;
    const cpi_resample *r = p->r;
    const int64_t n = p->last.n, rows = p->out_size / n, end = at_most((task + 1) * p->each, p->items);
    double *line = (double *)(p->scratch + worker * p->worker_bytes), *result = line + p->last.length + 1;
    for (int64_t row = task * p->each; row < end; row++) {
        int64_t index[CP_MAXDIM], rest = row % rows;
        for (int j = r->out_ndim - 2; j >= 0; j--) index[j] = rest % r->out_shape[j], rest /= r->out_shape[j];
        const char *image = (const char *)r->from + row / rows * p->in_size * (r->source == CP_FLOAT32 ? 4 : 8);
        if (!make_row(p, image, index, line, result))
            for (int64_t i = 0; i < n; i++) result[i] = r->cval;
        p->kernels->store(r->result, result, n, (char *)r->to + row * n * p->result_size);
    }
}

/* --- both ways --- */

enum { TABLE = 1 << 20, GRAIN = 1 << 14, TILE = 4 };

static cp_code run(plan *p, cp_stream *stream, cpi_task task, int64_t table_bytes)
{
    const int64_t tasks = (p->items + p->each - 1) / p->each;
    p->worker_bytes = (p->worker_bytes + 63) / 64 * 64;
    char *memory = cpi_work_alloc(stream, (size_t)(table_bytes + (tasks > 1 ? cpi_workers() : 1) * p->worker_bytes));
    if (!memory) return cp_error();
    p->scratch = memory + table_bytes;
    if (table_bytes) {
        cpi_axis_taps *a = &p->last;
        a->weight = (double *)memory;
        a->element = (int32_t *)(a->weight + a->n * a->taps);
        a->outside = (bool *)(a->element + a->n * a->taps);
        fill_last(p);
    }
    cpi_parallel(tasks, task, p);
    cpi_work_free(stream, memory);
    return CP_OK;
}

cp_code cpi_geometry_cpu_resample(cp_stream *stream, const cpi_resample *r)
{
    plan p = {.r = r, .kernels = CPI_BEST(cpi_resample_kernels), .in_size = 1, .out_size = 1,
              .result_size = cpi_itemsize(r->result)};
    for (int d = 0; d < r->in_ndim; d++) p.in_size *= r->in_shape[d];
    for (int d = 0; d < r->out_ndim; d++) p.out_size *= r->out_shape[d];
    const int64_t n = r->out_shape[r->out_ndim - 1], length = r->in_shape[r->in_ndim - 1], taps = r->order + 1;
    const bool steps = r->kind == CPI_POSITIONS_STEPS || r->kind == CPI_POSITIONS_CENTRES;
    if (steps && n >= 8 && n * taps <= TABLE && length <= TABLE && length <= 64 * n) {
        p.last = (cpi_axis_taps){.n = n, .length = length, .taps = (int)taps};
        p.items = r->images * (p.out_size / n);
        p.each = 1 + GRAIN / n;
        p.worker_bytes = (length + 1 + n) * (int64_t)sizeof(double);
        return run(&p, stream, rows_task, (n * taps * 12 + n + 63) / 64 * 64);
    }
    const bool tiles = r->kind != CPI_POSITIONS_GIVEN && n >= 2 * CPI_POINTS;
    p.items = r->images * p.out_size / (tiles ? n : 1);
    p.each = tiles ? TILE : GRAIN;
    p.worker_bytes = cpi_points_doubles(r->in_ndim) * (int64_t)sizeof(double);
    return run(&p, stream, tiles ? tiles_task : points_task, 0);
}
