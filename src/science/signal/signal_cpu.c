/* Correlation on the CPU: the result is cut into tiles, each computed by the loops of signal_simd.c.
 *
 * Tiles, and the chunks of a large kernel whose sums are added in sequence, depend on the sizes of the problem alone. A
 * tile that lies wholly inside the image reads it in place; elsewhere (and for the half types, which are computed in
 * float32) the worker copies the part of the continued image that the tile needs. */
#include "signal/signal.h"

#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/features.h"
#include "cpu/ending.h"
#include "cpu/threads.h"
#include "signal/tile.h"

extern const cpi_signal_simd cpi_signal_simd_v2;
#if defined(__x86_64__)
extern const cpi_signal_simd cpi_signal_simd_v3, cpi_signal_simd_v4;
#endif

enum {
    TILE_BYTES = 131072,  /* of a tile's results, in the computing type */
    TILE_ROWS = 32,
    CHUNK_ROWS = 32,      /* largest chunk of the kernel */
    CHUNK_COLS = 128,
    CHUNK_COLS_FLAT = 2048, /* of a kernel (chunk) of one row */
    TASK_STEPS = 1 << 20, /* least multiplications of a task */
    LARGE_TILE = 1 << 22  /* multiplications above which tiles are made smaller so that there are enough */
};

typedef struct plan {
    const cpi_correlation *c;
    const cpi_signal_simd *simd;
    void (*run)(const cpi_signal_tile *);
    /* where the kernel has numbers that are not finite */
    void (*bounded)(const cpi_signal_tile *t, int64_t first, int64_t n);
    int64_t item, unit, parts;   /* bytes of an element stored, computed with; scalars of an element */
    char *kernel;                /* reversed and conjugated as asked, in the computing type */
    int64_t tile_h, tile_w, tiles_x, tiles, each; /* elements; tiles of a task */
    int64_t chunk_h, chunk_w;
    char *scratch;               /* for each worker: source, result, and one row as stored */
    int64_t source_bytes, result_bytes, worker_bytes, source_pitch; /* pitch: bytes of a source row */
    cpi_ending ending;
} plan;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* One row of results by its definition: only products with elements of the image, which has n of them and element
 * `first` at the source. */
#define BOUNDED(name, T, FMA)                                                                             \
    static void name(const cpi_signal_tile *t, int64_t first, int64_t n)                                  \
    {                                                                                                     \
        const T *source = t->source, *kernel = t->kernel;                                                 \
        T *result = t->result;                                                                            \
        for (int64_t x = 0; x < t->cols; x++) {                                                           \
            T sum = t->accumulate ? result[x] : 0;                                                        \
            for (int64_t k = 0; k < t->kw; k++)                                                           \
                if ((uint64_t)(first + x + k) < (uint64_t)n) sum = FMA(source[x + k], kernel[k], sum);    \
            result[x] = sum;                                                                              \
        }                                                                                                 \
    }
BOUNDED(bounded_f32, float, fmaf)
BOUNDED(bounded_f64, double, fma)
#define BOUNDED_COMPLEX(name, T)                                                                          \
    static void name(const cpi_signal_tile *t, int64_t first, int64_t n)                                  \
    {                                                                                                     \
        const T *source = t->source, *kernel = t->kernel;                                                 \
        T *result = t->result;                                                                            \
        for (int64_t x = 0; x < t->cols / 2; x++) {                                                       \
            T sum = {0, 0};                                                                               \
            for (int64_t k = 0; k < t->kw; k++) {                                                         \
                T a = source[x + k], b = kernel[k];                                                       \
                if ((uint64_t)(first + x + k) >= (uint64_t)n) continue;                                   \
                sum.re += a.re * b.re - a.im * b.im;                                                      \
                sum.im += a.re * b.im + a.im * b.re;                                                      \
            }                                                                                             \
            result[x].re = t->accumulate ? result[x].re + sum.re : sum.re;                                \
            result[x].im = t->accumulate ? result[x].im + sum.im : sum.im;                                \
        }                                                                                                 \
    }
BOUNDED_COMPLEX(bounded_c64, cp_complex64)
BOUNDED_COMPLEX(bounded_c128, cp_complex128)

/* Is a scalar of the prepared kernel infinite or NaN? */
static bool any_not_finite(const plan *p)
{
    int64_t n = p->c->kernel_h * p->c->kernel_w * p->parts;
    bool wide = p->unit / p->parts == 8;
    for (int64_t i = 0; i < n; i++)
        if (wide ? !isfinite(((const double *)p->kernel)[i]) : !isfinite(((const float *)p->kernel)[i])) return true;
    return false;
}

/* How tiles at the image's ends are computed where padding would spoil them. */
static void pick_bounded(plan *p)
{
    cp_type t = p->c->type;
    p->bounded = NULL;
    if (!p->c->bounded || !(cpi_is_float(t) || cpi_is_complex(t)) || !any_not_finite(p)) return;
    p->bounded = t == CP_FLOAT64      ? bounded_f64
                 : t == CP_COMPLEX64  ? bounded_c64
                 : t == CP_COMPLEX128 ? bounded_c128
                                      : bounded_f32;
}

static void pick(plan *p)
{
    const cpi_signal_simd *s = CPI_BEST(cpi_signal_simd);
    p->simd = s;
    cp_type t = p->c->type;
    p->item = cpi_itemsize(t);
    p->unit = cpi_itemsize(cpi_compute_type(t));
    p->parts = cpi_is_complex(t) ? 2 : 1;
    if (t == CP_BOOL) p->run = s->boolean;
    else if (cpi_is_half(t) || t == CP_FLOAT32) p->run = s->f32;
    else if (t == CP_FLOAT64) p->run = s->f64;
    else if (t == CP_COMPLEX64) p->run = s->c64;
    else if (t == CP_COMPLEX128) p->run = s->c128;
    else p->run = p->item == 1 ? s->u8 : p->item == 2 ? s->u16 : p->item == 4 ? s->u32 : s->u64;
}

/* Chooses tiles, chunks of the kernel, scratch memory. */
static void cut(plan *p)
{
    const cpi_correlation *c = p->c;
    const int64_t lanes = CPI_SIGNAL_ROUND / p->unit; /* columns are computed in multiples of this */
    p->tile_h = at_most(c->h, TILE_ROWS);
    p->tile_w = TILE_BYTES / p->unit / p->tile_h / lanes * lanes;
    p->tile_w = at_most(p->tile_w, round_up(c->w, lanes));
    double taps = (double)c->kernel_h * (double)c->kernel_w;
    for (;;) {
        p->tiles_x = (c->w - 1) / p->tile_w + 1;
        p->tiles = p->tiles_x * ((c->h - 1) / p->tile_h + 1);
        double steps = taps * (double)p->tile_h * (double)p->tile_w;
        if (p->tiles >= 64 || steps < LARGE_TILE) {
            p->each = steps >= TASK_STEPS ? 1 : (int64_t)(TASK_STEPS / steps);
            break;
        }
        if (p->tile_h > 4) p->tile_h = round_up(p->tile_h / 2, 4);
        else if (p->tile_w > 8 * lanes) p->tile_w = round_up(p->tile_w / 2, 8 * lanes);
        else {
            p->each = 1;
            break;
        }
    }
    p->chunk_h = at_most(c->kernel_h, CHUNK_ROWS);
    p->chunk_w = at_most(c->kernel_w, c->kernel_h == 1 ? CHUNK_COLS_FLAT : CHUNK_COLS);
    /* An odd number of cache lines: rows at a power-of-two stride would map to the same cache sets. */
    p->source_pitch = round_up((p->tile_w + p->chunk_w - 1) * p->unit, 64) + 64;
    if (p->source_pitch / 64 % 2 == 0) p->source_pitch += 64;
    p->source_bytes = p->source_pitch * (p->tile_h + p->chunk_h - 1);
    p->result_bytes = p->tile_h * p->tile_w * p->unit;
    p->worker_bytes = p->source_bytes + p->result_bytes + (cpi_is_half(c->type) ? p->source_pitch : 0);
    p->worker_bytes = round_up(p->worker_bytes, 4096);
}

/* The kernel as the tile loops want it. */
static void prepare_kernel(const plan *p)
{
    const cpi_correlation *c = p->c;
    int64_t n = c->kernel_h * c->kernel_w, item = p->item;
    if (cpi_is_half(c->type)) {
        p->simd->widen(c->type, (float *)p->kernel, c->kernel, n);
        float *k = (float *)p->kernel;
        for (int64_t i = 0, j = n - 1; c->flip && i < j; i++, j--) {
            float t = k[i];
            k[i] = k[j], k[j] = t;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(p->kernel + i * item, (const char *)c->kernel + (c->flip ? n - 1 - i : i) * item, (size_t)item);
    if (!c->conjugate) return;
    if (c->type == CP_COMPLEX64)
        for (int64_t i = 0; i < n; i++) ((cp_complex64 *)p->kernel)[i].im *= -1;
    if (c->type == CP_COMPLEX128)
        for (int64_t i = 0; i < n; i++) ((cp_complex128 *)p->kernel)[i].im *= -1;
}

static inline void copy_item(char *to, const char *from, int64_t item)
{
    switch (item) {
    case 1: *to = *from; break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16);
    }
}

/* Row y, columns x .. x + n - 1 of the continued image, as stored. */
static void continued_row(const cpi_correlation *c, int64_t item, int64_t y, int64_t x, int64_t n, char *to)
{
    int64_t sy = cpi_boundary_index(y, c->image_h, c->boundary);
    const char *row = (const char *)c->image + (sy < 0 ? 0 : sy * c->image_w * item);
    for (int64_t i = 0; i < n;) {
        int64_t sx = sy < 0 ? -1 : cpi_boundary_index(x + i, c->image_w, c->boundary);
        if (sx >= 0 && sx == x + i) {
            int64_t run = at_most(n - i, c->image_w - sx);
            memcpy(to + i * item, row + sx * item, (size_t)(run * item));
            i += run;
        } else {
            copy_item(to + i * item, sx < 0 ? (const char *)c->fill : row + sx * item, item);
            i++;
        }
    }
}

/* Points the tile at its part of the continued image, from (y, x), rows by cols elements. */
static void find_source(const plan *p, cpi_signal_tile *t, char *scratch, int64_t y, int64_t x, int64_t rows,
                        int64_t cols)
{
    const cpi_correlation *c = p->c;
    int64_t scalar = p->unit / p->parts, image_pitch = c->image_w * p->item;
    bool inside = y >= 0 && x >= 0 && y + rows <= c->image_h && x + cols <= c->image_w;
    if (inside && !cpi_is_half(c->type) && (rows <= 4 || image_pitch % 1024)) {
        t->source = (const char *)c->image + y * image_pitch + x * p->item;
        t->source_stride = image_pitch / scalar;
        return;
    }
    t->source = scratch;
    t->source_stride = p->source_pitch / scalar;
    char *stored = scratch + p->source_bytes + p->result_bytes;
    for (int64_t i = 0; i < rows; i++) {
        char *row = scratch + i * p->source_pitch;
        continued_row(c, p->item, y + i, x, cols, cpi_is_half(c->type) ? stored : row);
        if (cpi_is_half(c->type)) p->simd->widen(c->type, (float *)row, stored, cols);
    }
}

/* Copies a tile's results from scratch to the result. */
static void deliver(const plan *p, const char *from, int64_t y, int64_t x, int64_t rows, int64_t cols)
{
    const cpi_correlation *c = p->c;
    for (int64_t i = 0; i < rows; i++, from += p->tile_w * p->unit) {
        char *to = (char *)c->result + ((y + i) * c->w + x) * p->item;
        if (cpi_is_half(c->type)) p->simd->narrow(c->type, to, (const float *)from, cols);
        else memcpy(to, from, (size_t)(cols * p->item));
    }
}

/* False where the call is to end. */
static bool run_tile(const plan *p, int64_t tile, char *scratch, cpi_lookout *watch)
{
    const cpi_correlation *c = p->c;
    int64_t y = tile / p->tiles_x * p->tile_h, x = tile % p->tiles_x * p->tile_w;
    int64_t rows = at_most(p->tile_h, c->h - y), cols = at_most(p->tile_w, c->w - x);
    int64_t full = round_up(cols, CPI_SIGNAL_ROUND / p->unit);
    bool direct = full == cols && !cpi_is_half(c->type);
    char *result = scratch + p->source_bytes;
    cpi_signal_tile t = {.rows = rows, .cols = full * p->parts};
    t.result = direct ? (char *)c->result + (y * c->w + x) * p->item : result;
    t.result_stride = (direct ? c->w : p->tile_w) * p->parts;
    t.kernel_stride = c->kernel_w * p->parts;
    for (int64_t ky = 0; ky < c->kernel_h; ky += p->chunk_h)
        for (int64_t kx = 0; kx < c->kernel_w; kx += p->chunk_w) {
            if (cpi_lookout_ends(watch)) return false;
            t.kh = at_most(p->chunk_h, c->kernel_h - ky);
            t.kw = at_most(p->chunk_w, c->kernel_w - kx);
            t.kernel = p->kernel + (ky * c->kernel_w + kx) * p->unit;
            t.accumulate = ky || kx;
            int64_t left = c->origin_x + x + kx;
            find_source(p, &t, scratch, c->origin_y + y + ky, left, rows + t.kh - 1, full + t.kw - 1);
            if (p->bounded && (left < 0 || left + full + t.kw - 1 > c->image_w)) p->bounded(&t, left, c->image_w);
            else p->run(&t);
        }
    if (!direct) deliver(p, result, y, x, rows, cols);
    return true;
}

static void run_task(void *context, int64_t task, int worker)
{
    plan *p = context;
    cpi_lookout watch = {&p->ending, worker};
    int64_t end = at_most((task + 1) * p->each, p->tiles);
    for (int64_t tile = task * p->each; tile < end; tile++)
        if (!run_tile(p, tile, p->scratch + worker * p->worker_bytes, &watch)) return;
}

cp_code cpi_signal_cpu_correlate(cp_stream *stream, const cpi_correlation *c)
{
    plan p = {.c = c};
    pick(&p);
    cut(&p);
    int64_t kernel_bytes;
    if (__builtin_mul_overflow(c->kernel_h * c->kernel_w, p.unit, &kernel_bytes))
        return cpi_fail(CP_ERROR_MEMORY, "convolve: no memory for the kernel");
    kernel_bytes = round_up(kernel_bytes, 64);
    int64_t tasks = (p.tiles + p.each - 1) / p.each;
    int64_t workers = tasks > 1 ? cpi_workers() : 1;
    p.kernel = cpi_work_alloc(stream, (size_t)(kernel_bytes + workers * p.worker_bytes));
    if (!p.kernel) return cp_error();
    p.scratch = p.kernel + kernel_bytes;
    prepare_kernel(&p);
    pick_bounded(&p);
    cpi_parallel(tasks, run_task, &p);
    cpi_work_free(stream, p.kernel);
    return cpi_ending_code(&p.ending);
}
