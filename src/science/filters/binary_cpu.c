/* Binary erosion and dilation on the CPU: steps over bytes of two padded images that take turns.
 *
 * Until nothing changes: where changed elements stay so, one step finds the first of them, and a stack of changed
 * elements the others, each once. Elsewhere steps are repeated, and a cycle of images is recognized by Brent's rule:
 * the image after 2^k steps is compared with those that follow. */
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cpu/threads.h"
#include "filters/cpu.h"
#include "loop/loop.h"

typedef struct turns {
    const cpi_binary_filter *f;
    const cpi_filters_simd *simd;
    int64_t margin[CP_MAXDIM], size[CP_MAXDIM];
    int64_t *at, centre;            /* offsets of the taps, and of the element itself, in the padded images */
    cpi_filter_image image, other;
    int64_t rows, width, total, each, tasks; /* total: bytes of a padded image */
    bool changed;
} turns;

static void read_bytes(const void *context, void *to, const void *from, int64_t n)
{
    (void)context;
    memcpy(to, from, (size_t)n);
}

/* Where row r's window begins in a padded image. */
static int64_t row_start(const turns *t, int64_t r)
{
    int64_t at[CP_MAXDIM];
    cpi_unravel(t->f->ndim - 1, t->f->shape, r, at);
    return cpi_offset(t->f->ndim - 1, at, t->image.strides);
}

static void step_rows(void *context, int64_t task, int worker)
{
    (void)worker;
    turns *t = context;
    const cpi_binary_filter *f = t->f;
    const uint8_t *in = (const uint8_t *)t->image.data;
    uint8_t *to = (uint8_t *)t->other.data;
    bool changed = false;
    for (int64_t r = task * t->each; r < (task + 1) * t->each && r < t->rows; r++) {
        const int64_t at = row_start(t, r);
        const uint8_t *mask = f->mask ? f->mask + r * t->width : NULL;
        changed |= t->simd->binary(to + at + t->centre, in + at, in + at + t->centre, mask, t->width, t->at, f->ntaps,
                                   f->dilate);
    }
    if (changed) __atomic_store_n(&t->changed, true, __ATOMIC_RELAXED);
}

/* One step; `image` is then the new one. Returns whether anything changed. */
static bool step(turns *t)
{
    t->changed = false;
    cpi_parallel(t->tasks, step_rows, t);
    const cpi_filter_image p = t->image;
    t->image = t->other;
    t->other = p;
    return t->changed;
}

static void copy_rows(void *context, int64_t task, int worker)
{
    (void)worker;
    const turns *t = context;
    for (int64_t r = task * t->each; r < (task + 1) * t->each && r < t->rows; r++)
        memcpy(t->f->out + r * t->width, t->image.data + row_start(t, r) + t->centre, (size_t)t->width);
}

/* --- elements that have changed, and wait for their neighbours to be looked at --- */

typedef struct stack { int64_t *at, n, capacity; } stack;

static bool push(stack *s, int64_t at)
{
    if (s->n == s->capacity) {
        int64_t *more = cpi_malloc((size_t)s->capacity * 2 * sizeof *more);
        if (!more) return false;
        memcpy(more, s->at, (size_t)s->n * sizeof *more);
        cpi_free_host(s->at);
        s->at = more, s->capacity *= 2;
    }
    s->at[s->n++] = at;
    return true;
}

/* Pushes the elements that the first step changed. */
static bool push_changed(const uint8_t *image, const uint8_t *former, int64_t n, int64_t at, stack *s)
{
    for (int64_t x = 0; x < n;) {
        const int64_t end = n - x < 64 ? n : x + 64;
        if (memcmp(image + x, former + x, (size_t)(end - x)) == 0) x = end;
        for (; x < end; x++)
            if (image[x] != former[x] && !push(s, at + x)) return false;
    }
    return true;
}

/* Which elements may still change, in `open`; those that changed in the first step are pushed. */
static bool find_open(const turns *t, uint8_t *open, stack *s)
{
    const cpi_binary_filter *f = t->f;
    const uint8_t *image = (const uint8_t *)t->image.data, *former = (const uint8_t *)t->other.data;
    const uint8_t last = f->dilate;
    memset(open, 0, (size_t)t->total);
    for (int64_t r = 0; r < t->rows; r++) {
        const int64_t at = row_start(t, r) + t->centre;
        const uint8_t *own = image + at, *mask = f->mask ? f->mask + r * t->width : NULL;
        uint8_t *to = open + at;
        for (int64_t x = 0; x < t->width; x++) to[x] = own[x] ^ last;
        if (mask) for (int64_t x = 0; x < t->width; x++) to[x] &= mask[x] != 0;
        if (!push_changed(own, former + at, t->width, at, s)) return false;
    }
    return true;
}

static cp_code spread(turns *t, cp_stream *stream)
{
    stack s = {.capacity = 4096};
    uint8_t *open = cpi_work_alloc(stream, (size_t)t->total);
    s.at = cpi_malloc((size_t)s.capacity * sizeof *s.at);
    bool enough = open && s.at && find_open(t, open, &s);
    uint8_t *image = (uint8_t *)t->image.data;
    while (enough && s.n) {
        const int64_t from = s.at[--s.n] + t->centre;
        for (int64_t k = 0; k < t->f->ntaps && enough; k++) {
            const int64_t at = from - t->at[k];
            if (!open[at]) continue;
            open[at] = 0;
            image[at] = t->f->dilate;
            enough = push(&s, at);
        }
    }
    cpi_work_free(stream, open);
    cpi_free_host(s.at);
    return enough ? CP_OK : CP_ERROR_MEMORY;
}

/* Steps until nothing changes, or for ever: then it fails. */
static cp_code settle(turns *t, cp_stream *stream)
{
    char *kept = cpi_work_alloc(stream, (size_t)t->total);
    if (!kept) return cp_error();
    cp_code code = CP_OK;
    memcpy(kept, t->image.data, (size_t)t->total);
    for (int64_t n = 1, next = 1; step(t) && !code; n++) {
        if (memcmp(kept, t->image.data, (size_t)t->total) == 0)
            code = cpi_fail(CP_ERROR_RUNTIME, "binary_erosion: the iterations repeat themselves without an end");
        if (n != next) continue;
        memcpy(kept, t->image.data, (size_t)t->total);
        next *= 2;
    }
    cpi_work_free(stream, kept);
    return code;
}

static cp_code iterate(turns *t, cp_stream *stream)
{
    const cpi_binary_filter *f = t->f;
    if (f->iterations < 1 && f->monotone) return step(t) ? spread(t, stream) : CP_OK;
    if (f->iterations < 1) return settle(t, stream);
    for (int64_t i = 0; i < f->iterations; i++)
        if (!step(t)) break;
    return CP_OK;
}

/* Both images have margins for windows to either side: the stack goes against the taps' direction. */
static cp_code prepare(turns *t, cp_stream *stream, const uint8_t *border)
{
    const cpi_binary_filter *f = t->f;
    int64_t *taps = t->at;
    for (int d = 0; d < f->ndim; d++) {
        const int64_t right = f->size[d] - 1 - f->before[d];
        t->margin[d] = f->before[d] > right ? f->before[d] : right;
        t->size[d] = 2 * t->margin[d] + 1;
    }
    const cpi_filter_edges p = {.ndim = f->ndim, .shape = f->shape, .before = t->margin, .size = t->size,
                           .boundary = CPI_BOUNDARY_CONSTANT, .in = f->in, .in_item = 1, .item = 1,
                           .read = read_bytes, .fill = border};
    if (cpi_pad_image(stream, &p, &t->image)) return cp_error();
    t->other = t->image;
    t->total = 1;
    for (int d = 0; d < f->ndim; d++) t->total *= t->image.shape[d];
    if (!(t->other.data = cpi_work_alloc(stream, (size_t)t->total + CPI_FILTER_SLACK))) return cp_error();
    memcpy(t->other.data, t->image.data, (size_t)t->total);
    int64_t shift = 0;
    for (int d = 0; d < f->ndim; d++) {
        shift += (t->margin[d] - f->before[d]) * t->image.strides[d];
        t->centre += t->margin[d] * t->image.strides[d];
    }
    cpi_tap_offsets(f->ndim, f->size, t->image.strides, f->ntaps, f->taps, taps);
    for (int64_t k = 0; k < f->ntaps; k++) taps[k] += shift;
    return CP_OK;
}

cp_code cpi_filters_cpu_binary(cp_stream *stream, const cpi_binary_filter *f)
{
    turns t = {.f = f, .simd = cpi_filters_best(), .rows = 1, .width = f->shape[f->ndim - 1]};
    for (int d = 0; d < f->ndim - 1; d++) t.rows *= f->shape[d];
    t.tasks = cpi_split(t.rows, t.width, 1 << 17, &t.each);
    const uint8_t border = f->border;
    t.at = cpi_malloc((size_t)f->ntaps * sizeof *t.at);
    cp_code code = t.at ? prepare(&t, stream, &border) : CP_ERROR_MEMORY;
    if (!code) code = iterate(&t, stream);
    if (!code) cpi_parallel(t.tasks, copy_rows, &t);
    if (t.other.data != t.image.data) cpi_work_free(stream, t.other.data);
    cpi_work_free(stream, t.image.data);
    cpi_free_host(t.at);
    return code;
}
