/* Windows over all axes on the CPU: sums, extremes and ranks of the padded image, a segment of a row at a time.
 *
 * Ranks come from a sorting network that works on strips of neighbours. Where all columns of the footprint have the
 * same taps, each column of the image is sorted once, for all windows that it is in, and the network merges sorted
 * columns. Large footprints are selected element by element. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "core/type_traits.h"
#include "cpu/ending.h"
#include "cpu/threads.h"
#include "filters/cpu.h"
#include "loop/loop.h"

enum { SEGMENT_BYTES = 4096, NETWORK_TAPS = 4096 };

typedef struct windows {
    const cpi_window_filter *f;
    const cpi_filters_simd *simd;
    cpi_filter_keys keys;
    cpi_filter_image image;
    int64_t item, to_item, segment, segments, rows, each; /* segment: elements; each: segments of a task */
    int64_t ntaps, *at;          /* offsets in the padded image */
    double *weights;
    /* the network: columns of `height` strips */
    cpi_network_step *sort, *merge;
    int64_t nsort, nmerge, columns, height, result, span;
    int64_t *column;             /* where a column begins: offset along a row */
    uint16_t *order;             /* of a column's sorted strips */
    int64_t worker_bytes, from_bytes, sorted_pitch, sorted_bytes;
    char *space;
    cpi_ending ending;
} windows;

static void read_number(const void *context, void *to, const void *from, int64_t n)
{
    const windows *w = context;
    w->simd->load(w->f->from, to, from, n);
}
static void read_key(const void *context, void *to, const void *from, int64_t n)
{
    const windows *w = context;
    w->simd->encode(&w->keys, to, from, n);
}

/* --- ranks --- */

static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* Sorts the columns of a segment and what is to the right of it, strip by strip. */
static void sort_columns(const windows *w, const char *in, int64_t n, char *sorted, const void **from)
{
    const int64_t strip = CPI_FILTER_STRIP / w->item;
    for (int64_t x = 0; x < n + w->span; x += strip) {
        for (int64_t i = 0; i < w->height; i++) from[i] = in + (x + w->at[i]) * w->item;
        w->simd->network[w->keys.work](w->sort, w->nsort, from, sorted + x * w->item, w->sorted_pitch);
    }
}

static void rank_segment(const windows *w, const char *in, int64_t n, char *to, char *space)
{
    const int64_t strip = CPI_FILTER_STRIP / w->item;
    const void **from = (const void **)space; /* where each strip is */
    char *sorted = space + w->from_bytes, *own = sorted + w->sorted_bytes, *keys = own + w->ntaps * CPI_FILTER_STRIP;
    if (w->height > 1) sort_columns(w, in, n, sorted, from);
    for (int64_t x = 0; x < n; x += strip) {
        for (int64_t c = 0; c < w->columns; c++) {
            if (w->height == 1) from[c] = in + (x + w->at[c]) * w->item;
            else for (int64_t i = 0; i < w->height; i++)
                from[c * w->height + i] = sorted + w->order[i] * w->sorted_pitch + (x + w->column[c]) * w->item;
        }
        w->simd->network[w->keys.work](w->merge, w->nmerge, from, own, CPI_FILTER_STRIP);
        memcpy(keys + x * w->item, from[w->result], CPI_FILTER_STRIP);
    }
    w->simd->decode(&w->keys, to, keys, n);
}

/* Have all columns with taps the same ones? Then columns and heights are set, and the offsets of the first column come
 * first. The taps are ascending: the last axis is the fastest. */
static bool columns_alike(windows *w)
{
    const cpi_window_filter *f = w->f;
    const int64_t width = f->size[f->ndim - 1];
    int64_t first = 0; /* taps of the first row that has any: they name the columns */
    while (first < f->ntaps && f->taps[first] / width == f->taps[0] / width) first++;
    if (f->ntaps % first || f->ntaps / first < 2) return false;
    for (int64_t k = 0; k < f->ntaps; k++) {
        const int64_t row = k / first, c = k % first;
        if (f->taps[k] / width != f->taps[row * first] / width) return false;
        if (f->taps[k] % width != f->taps[c] % width) return false;
    }
    w->columns = first, w->height = f->ntaps / first;
    return true;
}

static cp_code plan_network(windows *w)
{
    const bool alike = columns_alike(w);
    if (!alike) w->columns = w->ntaps, w->height = 1;
    w->span = 0;
    if (alike) {
        w->column = cpi_malloc((size_t)w->columns * sizeof *w->column);
        w->order = cpi_malloc((size_t)w->height * sizeof *w->order);
        if (!w->column || !w->order) return CP_ERROR_MEMORY;
        for (int64_t c = 0; c < w->columns; c++) w->column[c] = w->at[c] - w->at[0];
        w->span = w->column[w->columns - 1];
        for (int64_t i = 0; i < w->height; i++) w->at[i] = w->at[i * w->columns];
        if (!(w->sort = cpi_network_sort(w->height, &w->nsort, w->order))) return CP_ERROR_MEMORY;
    }
    w->merge = cpi_network_make(w->columns, w->height, w->f->rank, &w->nmerge, &w->result);
    if (!w->merge) return CP_ERROR_MEMORY;
    const int64_t row = round_up((w->segment + w->span) * w->item, CPI_FILTER_STRIP) + CPI_FILTER_SLACK;
    w->sorted_pitch = row;
    w->sorted_bytes = w->height > 1 ? w->height * row : 0;
    w->from_bytes = round_up(w->ntaps * (int64_t)sizeof(void *), 64);
    w->worker_bytes = w->from_bytes + w->sorted_bytes + w->ntaps * CPI_FILTER_STRIP + w->segment * w->item +
                      CPI_FILTER_SLACK;
    return CP_OK;
}

static void select_segment(const windows *w, const char *in, int64_t n, char *to, char *space)
{
    char *keys = space + w->ntaps * w->item;
    w->simd->select[w->keys.work](keys, in, n, w->at, w->ntaps, w->f->rank, space);
    w->simd->decode(&w->keys, to, keys, n);
}

/* --- segments --- */

static void run_segment(const windows *w, const char *in, int64_t n, char *to, char *space)
{
    const cpi_window_filter *f = w->f;
    const bool high = f->op == CPI_WINDOW_MAXIMUM;
    if (f->op == CPI_WINDOW_SUM) {
        w->simd->weigh((double *)space, (const double *)in, n, w->at, w->weights, w->ntaps);
        w->simd->store(f->to, to, (double *)space, n);
    } else if (f->op == CPI_WINDOW_RANK) {
        if (w->merge) rank_segment(w, in, n, to, space);
        else select_segment(w, in, n, to, space);
    } else {
        if (f->heights)
            w->simd->extreme_above((double *)space, (const double *)in, n, w->at, f->heights, w->ntaps, high);
        else w->simd->extreme[w->keys.work](space, in, n, w->at, w->ntaps, high);
        w->simd->decode(&w->keys, to, space, n);
    }
}

static void run_segments(void *context, int64_t task, int worker)
{
    windows *w = context;
    cpi_lookout watch = {&w->ending, worker};
    const cpi_window_filter *f = w->f;
    const int outer = f->ndim - 1;
    const int64_t width = f->shape[outer], last = (task + 1) * w->each, total = w->rows * w->segments;
    for (int64_t s = task * w->each; s < last && s < total && !cpi_lookout_ends(&watch); s++) {
        const int64_t row = s / w->segments, x = s % w->segments * w->segment;
        int64_t at[CP_MAXDIM];
        cpi_unravel(outer, f->shape, row, at);
        const char *in = w->image.data + (cpi_offset(outer, at, w->image.strides) + x) * w->item;
        const int64_t n = width - x < w->segment ? width - x : w->segment;
        run_segment(w, in, n, (char *)f->out + (row * width + x) * w->to_item, w->space + worker * w->worker_bytes);
    }
}

/* --- the plan --- */

/* The weights that count, with their positions. */
static cp_code find_weights(windows *w)
{
    const cpi_window_filter *f = w->f;
    int64_t n = 1;
    for (int d = 0; d < f->ndim; d++) n *= f->size[d];
    w->at = cpi_malloc((size_t)n * sizeof *w->at);
    w->weights = cpi_malloc((size_t)n * sizeof *w->weights);
    if (!w->at || !w->weights) return CP_ERROR_MEMORY;
    for (int64_t k = 0; k < n; k++) {
        double weight;
        memcpy(&weight, f->weights + k, sizeof weight);
        if (!(fabs(weight) > DBL_EPSILON || weight != weight)) continue;
        w->weights[w->ntaps] = weight;
        cpi_tap_offsets(f->ndim, f->size, w->image.strides, 1, &k, w->at + w->ntaps++);
    }
    return CP_OK;
}

static cp_code plan(windows *w)
{
    const cpi_window_filter *f = w->f;
    w->segment = SEGMENT_BYTES / w->item;
    w->worker_bytes = w->segment * w->item + CPI_FILTER_SLACK;
    if (f->op == CPI_WINDOW_SUM) return find_weights(w);
    w->ntaps = f->ntaps;
    w->at = cpi_malloc((size_t)w->ntaps * sizeof *w->at);
    if (!w->at) return CP_ERROR_MEMORY;
    cpi_tap_offsets(f->ndim, f->size, w->image.strides, w->ntaps, f->taps, w->at);
    if (f->op != CPI_WINDOW_RANK) return CP_OK;
    if (w->ntaps <= NETWORK_TAPS) return plan_network(w);
    w->worker_bytes += w->ntaps * w->item;
    return CP_OK;
}

static cp_code run(windows *w, cp_stream *stream)
{
    const cpi_window_filter *f = w->f;
    if (plan(w)) return cp_error();
    w->rows = 1;
    for (int d = 0; d < f->ndim - 1; d++) w->rows *= f->shape[d];
    w->segments = (f->shape[f->ndim - 1] - 1) / w->segment + 1;
    const int64_t one = f->shape[f->ndim - 1] < w->segment ? f->shape[f->ndim - 1] : w->segment;
    const int64_t tasks = cpi_split(w->rows * w->segments, one * (w->ntaps + 1), 1 << 18, &w->each);
    w->worker_bytes = round_up(w->worker_bytes, 64);
    const int64_t workers = tasks > 1 ? cpi_workers() : 1;
    if (!(w->space = cpi_work_alloc(stream, (size_t)(workers * w->worker_bytes)))) return cp_error();
    cpi_parallel(tasks, run_segments, w);
    cpi_work_free(stream, w->space);
    return cpi_ending_code(&w->ending);
}

cp_code cpi_filters_cpu_window(cp_stream *stream, const cpi_window_filter *f)
{
    windows w = {.f = f, .simd = cpi_filters_best()};
    unsigned char value[16], fill[8];
    cpi_filter_edges p = {.ndim = f->ndim, .shape = f->shape, .before = f->before, .size = f->size,
                     .boundary = f->boundary, .in = f->in, .context = &w, .fill = fill};
    p.in_item = cpi_itemsize(f->from), w.to_item = cpi_itemsize(f->to);
    if (f->op == CPI_WINDOW_SUM) {
        w.item = 8, p.read = read_number;
        memcpy(fill, &f->fill, 8);
    } else {
        w.keys = cpi_filter_keys_of(f->from, f->op == CPI_WINDOW_MINIMUM, f->op == CPI_WINDOW_RANK);
        w.item = cpi_filter_work_bytes(w.keys.work), p.read = read_key;
        cpi_convert_value(CP_FLOAT64, &f->fill, f->from, value);
        w.simd->encode(&w.keys, fill, value, 1);
    }
    p.item = w.item;
    cp_code code = cpi_pad_image(stream, &p, &w.image);
    if (code) return code;
    code = run(&w, stream);
    cpi_work_free(stream, w.image.data);
    cpi_free_host(w.at), cpi_free_host(w.weights), cpi_free_host(w.sort), cpi_free_host(w.merge);
    cpi_free_host(w.column), cpi_free_host(w.order);
    return code;
}
