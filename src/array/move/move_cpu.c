/* Copies on the CPU: special cases, and all others through the engine; and ramps. */
#include <math.h>
#include <string.h>

#include "cpu/threads.h"
#include "move/engine_cpu.h"

/* --- copies --- */

typedef struct {
    const cpi_move_kernels *set;
    const cpi_loop *loop;
    int inner, across; /* dimensions: where the output is contiguous, where the input is */
    int64_t tiles, outer;
    bool past; /* the result does not stay in the caches */
} transposition;

enum { TILE = 64 };

/* One block of TILE rows of one plane. */
static void transpose_band(void *context, int64_t task, int worker)
{
    const transposition *t = context;
    const cpi_loop *loop = t->loop;
    int64_t band = task % t->tiles, plane = task / t->tiles, r0 = band * TILE;
    int64_t rows = loop->shape[t->across] - r0 < TILE ? loop->shape[t->across] - r0 : TILE;
    char *out = loop->op[0].data + r0 * loop->op[0].strides[t->across];
    const char *in = loop->op[1].data + r0 * loop->op[1].strides[t->across];
    (void)worker;
    for (int d = loop->ndim - 1; d >= 0; d--) {
        if (d == t->inner || d == t->across) continue;
        const int64_t at = cpi_unravel_axis(loop->shape[d], &plane);
        out += at * loop->op[0].strides[d];
        in += at * loop->op[1].strides[d];
    }
    t->set->transpose(out, loop->op[0].strides[t->across], in, loop->op[1].strides[t->inner], rows,
                      loop->shape[t->inner], (int)cpi_itemsize(loop->op[0].type), t->past);
}

/* --- one value --- */

enum { LARGE = 6 << 20 /* bytes that do not stay in the caches */, FILL_BYTES = 1 << 18 /* of a task */ };

typedef struct {
    const cpi_move_kernels *set;
    char *to;
    int64_t bytes;
    int size;
    _Alignas(16) char value[16];
} filling;

static void fill_task(void *context, int64_t task, int worker)
{
    const filling *f = context;
    const int64_t first = task * FILL_BYTES, left = f->bytes - first;
    (void)worker;
    f->set->gather(f->to + first, f->value, 0, (left < FILL_BYTES ? left : FILL_BYTES) / f->size, f->size);
}

static bool is_dense(const cpi_loop *loop, int op)
{
    int64_t next = cpi_itemsize(loop->op[op].type);
    for (int d = loop->ndim - 1; d >= 0; next *= loop->shape[d--])
        if (loop->op[op].strides[d] != next) return false;
    return true;
}

/* Writes one value to a contiguous output. Normal stores keep what fits in the last-level cache: with non-temporal
 * stores 10^7 float32 take 1.5 ms instead of 0.7. */
static bool copy_value(const cpi_loop *loop)
{
    filling f = {.set = cpi_move_kernels_best(), .to = loop->op[0].data, .size = (int)cpi_itemsize(loop->op[0].type)};
    f.bytes = loop->size * f.size;
    if (loop->nop != 2 || (f.bytes > FILL_BYTES && f.bytes < LARGE) || !is_dense(loop, 0)) return false;
    for (int d = 0; d < loop->ndim; d++)
        if (loop->op[1].strides[d]) return false;
    f.set->convert[loop->op[1].type][loop->op[0].type](f.value, loop->op[1].data, 1);
    if (f.bytes <= FILL_BYTES) fill_task(&f, 0, 0); /* the engine's overhead is too large for so little */
    else cpi_parallel((f.bytes + FILL_BYTES - 1) / FILL_BYTES, fill_task, &f);
    return true;
}

/* --- rows --- */

typedef struct {
    const cpi_move_kernels *set;
    const cpi_loop *loop;
    int64_t rows, each; /* rows in all, and per task */
} row_copy;

static void copy_some_rows(void *context, int64_t task, int worker)
{
    const row_copy *c = context;
    const cpi_loop *loop = c->loop;
    const int last = loop->ndim - 1, size = (int)cpi_itemsize(loop->op[0].type);
    const int64_t n = loop->shape[last], to = loop->op[0].strides[last], from = loop->op[1].strides[last];
    const int64_t *const strides[2] = {loop->op[0].strides, loop->op[1].strides};
    int64_t r = task * c->each, end = r + c->each, index[CP_MAXDIM], offset[2];
    (void)worker;
    if (end > c->rows) end = c->rows;
    cpi_unravel(last, loop->shape, r, index);
    for (int k = 0; k < 2; k++) offset[k] = cpi_offset(last, index, strides[k]);
    char *out = loop->op[0].data + offset[0];
    const char *in = loop->op[1].data + offset[1];
    for (;;) { /* cpi_next_offsets takes longer than a short row */
        const int64_t left = loop->shape[last - 1] - index[last - 1], some = left < end - r ? left : end - r;
        for (int64_t i = 0; i < some; i++, out += strides[0][last - 1], in += strides[1][last - 1]) {
            if (to == size) c->set->gather(out, in, from, n, size);
            else c->set->scatter(out, to, in, n, size);
        }
        if ((r += some) >= end) return;
        for (int d = last - 1; d > 0; d--) {
            out += strides[0][d - 1] - loop->shape[d] * strides[0][d];
            in += strides[1][d - 1] - loop->shape[d] * strides[1][d];
            index[d] = 0;
            if (++index[d - 1] < loop->shape[d - 1]) break;
        }
    }
}

/* Rows that are contiguous on one side at least, each moved at once. Not for copies larger than the caches with long
 * rows or a contiguous output: the engine writes those with non-temporal stores. */
static bool copy_rows(const cpi_loop *loop)
{
    enum { SHORT = 32 /* bytes of a row */, LONG = 128 /* elements */ };
    const int last = loop->ndim - 1;
    const int64_t size = cpi_itemsize(loop->op[0].type);
    if (loop->nop != 2 || loop->ndim < 2 || loop->op[0].type != loop->op[1].type || loop->op[1].host) return false;
    const int64_t n = loop->shape[last];
    if (loop->op[0].strides[last] != size && loop->op[1].strides[last] != size) return false;
    if (n * size < SHORT || (loop->size * size >= LARGE && (n >= LONG || is_dense(loop, 0)))) return false;
    row_copy c = {cpi_move_kernels_best(), loop, loop->size / n, 1};
    cpi_parallel(cpi_split(c.rows, n, 1 << 16, &c.each), copy_some_rows, &c);
    return true;
}

/* --- repeated elements --- */

typedef struct {
    const cpi_loop *loop;
    int64_t n, each; /* elements that are repeated, and how many per task */
} repetition;

static inline __attribute__((always_inline)) void repeat_elements(char *out, const char *in, int64_t step, int64_t n,
                                                                  int64_t times, size_t size)
{
    for (int64_t i = 0; i < n; i++, in += step)
        for (int64_t k = 0; k < times; k++, out += size) memcpy(out, in, size);
}
#define REPEAT_SIZE(size)                                                                                     \
    switch (times) {                                                                                          \
    case 2: repeat_elements(out, in, step, n, 2, size); break;                                                \
    case 3: repeat_elements(out, in, step, n, 3, size); break;                                                \
    case 4: repeat_elements(out, in, step, n, 4, size); break;                                                \
    default: repeat_elements(out, in, step, n, times, size);                                                  \
    }                                                                                                         \
    break

static void repeat_task(void *context, int64_t task, int worker)
{
    const repetition *r = context;
    const cpi_loop *loop = r->loop;
    const int64_t first = task * r->each, left = r->n - first, n = left < r->each ? left : r->each;
    const int64_t times = loop->shape[1], step = loop->op[1].strides[0];
    char *out = loop->op[0].data + first * loop->op[0].strides[0];
    const char *in = loop->op[1].data + first * step;
    (void)worker;
    switch (cpi_itemsize(loop->op[0].type)) {
    case 1: REPEAT_SIZE(1);
    case 2: REPEAT_SIZE(2);
    case 4: REPEAT_SIZE(4);
    case 8: REPEAT_SIZE(8);
    default: REPEAT_SIZE(16);
    }
}

/* A 1-d array of elements, each repeated several times in a row. */
static bool copy_repeated(const cpi_loop *loop)
{
    if (loop->nop != 2 || loop->ndim != 2 || loop->op[0].type != loop->op[1].type || loop->op[1].host) return false;
    const int64_t size = cpi_itemsize(loop->op[0].type);
    if (loop->op[1].strides[1] || loop->shape[1] * size >= 64 || !is_dense(loop, 0)) return false;
    repetition r = {loop, loop->shape[0], (1 << 16) / loop->shape[1]};
    cpi_parallel((r.n + r.each - 1) / r.each, repeat_task, &r);
    return true;
}

/* The loop with axis d reversed. */
static cpi_loop turned(const cpi_loop *loop, int d)
{
    cpi_loop t = *loop;
    for (int k = 0; k < t.nop; k++)
        t.op[k].data += (t.shape[d] - 1) * t.op[k].strides[d], t.op[k].strides[d] = -t.op[k].strides[d];
    return t;
}

/* A copy whose two sides are contiguous along different dimensions. */
static bool copy_transposed(const cpi_loop *loop)
{
    int inner = loop->ndim - 1;
    int64_t size = cpi_itemsize(loop->op[0].type);
    if (loop->nop != 2 || loop->ndim < 2 || loop->op[0].type != loop->op[1].type || loop->op[1].host) return false;
    if (loop->op[0].strides[inner] != size || loop->op[1].strides[inner] == size || loop->shape[inner] < 8)
        return false;
    for (int d = inner - 1; d >= 0; d--) {
        if (loop->op[1].strides[d] == -size && loop->shape[d] >= 8) {
            cpi_loop other = turned(loop, d);
            return copy_transposed(&other);
        }
        if (loop->op[1].strides[d] != size || loop->shape[d] < 8) continue;
        transposition t = {cpi_move_kernels_best(), loop, inner, d, (loop->shape[d] + TILE - 1) / TILE, 1,
                           loop->size * size >= LARGE};
        for (int e = 0; e < inner; e++)
            if (e != d) t.outer *= loop->shape[e];
        int64_t tasks = t.tiles * t.outer;
        if (loop->size < 1 << 15) {
            for (int64_t i = 0; i < tasks; i++) transpose_band(&t, i, 0);
        } else {
            cpi_parallel(tasks, transpose_band, &t);
        }
        return true;
    }
    return false;
}

/* Elements of one task along one axis, contiguous on one side at least: one call. All that is found out for other
 * copies would take longer. */
static bool copy_few(const cpi_loop *loop)
{
    enum { FEW = 1 << 16 }; /* as many as a task of the engine */
    const cpi_operand *out = &loop->op[0], *in = &loop->op[1];
    if (loop->nop != 2 || loop->ndim != 1 || loop->size > FEW || out->type != in->type) return false;
    const cpi_move_kernels *set = cpi_move_kernels_best();
    const int size = (int)cpi_itemsize(out->type);
    if (out->strides[0] == size) set->gather(out->data, in->data, in->strides[0], loop->size, size);
    else if (in->strides[0] == size) set->scatter(out->data, out->strides[0], in->data, loop->size, size);
    else return false;
    return true;
}

cp_code cpi_move_cpu_copy(cp_stream *stream, const cpi_loop *loop)
{
    (void)stream;
    if (!loop->size || copy_few(loop) || copy_transposed(loop) || copy_value(loop) || copy_repeated(loop) ||
        copy_rows(loop))
        return CP_OK;
    cpi_job job;
    job.loop = loop;
    job.silent = false;
    job.nout = 1;
    job.nin = 1;
    job.mask = loop->nop > 2 ? 2 : 0;
    job.in_type[0] = job.out_type[0] = loop->op[0].type;
    job.kernel = cpi_copy_kernel;
    job.grain = 1 << 16;
    job.scalars_allowed = 3;
    cpi_engine_run(&job);
    return CP_OK;
}

cp_code cpi_move_cpu_copy_all(cp_stream *stream, int n, const cpi_loop *loops)
{
    cp_code code = CP_OK;
    for (int i = 0; i < n && !code; i++) code = cpi_move_cpu_copy(stream, &loops[i]);
    return code;
}

/* --- ramps --- */

typedef struct {
    char *out;
    cp_type type;
    int64_t n, each, istart, istep;
    double start, step;
    bool integer, single; /* computed in int64, in float32; else in float64 */
} ramp_job;

/* n integers from `first` on, by additions: vectors have those, and 64-bit products are expensive. */
static void whole_ramp(int64_t *to, int64_t n, uint64_t first, uint64_t step)
{
    enum { LANES = 8 };
    uint64_t lane[LANES];
    int64_t i = 0;
    for (int k = 0; k < LANES; k++) lane[k] = (uint64_t)k * step;
    for (; i + LANES <= n; i += LANES, first += LANES * step)
        for (int k = 0; k < LANES; k++) to[i + k] = (int64_t)(first + lane[k]);
    for (; i < n; i++, first += step) to[i] = (int64_t)first;
}

static void ramp_task(void *context, int64_t task, int worker)
{
    const ramp_job *r = context;
    const cpi_move_kernels *set = cpi_move_kernels_best();
    int64_t begin = task * r->each, end = begin + r->each < r->n ? begin + r->each : r->n;
    int64_t size = cpi_itemsize(r->type);
    const uint64_t istep = (uint64_t)r->istep;
    (void)worker;
    if (r->integer && r->type == CP_INT64 && (uintptr_t)r->out % sizeof(int64_t) == 0) {
        const uint64_t first = (uint64_t)r->istart + (uint64_t)begin * istep;
        whole_ramp((int64_t *)(void *)r->out + begin, end - begin, first, istep);
        return;
    }
    for (; begin < end; begin += CPI_CHUNK) {
        int64_t n = end - begin < CPI_CHUNK ? end - begin : CPI_CHUNK;
        union { double d[CPI_CHUNK]; int64_t i[CPI_CHUNK]; float f[CPI_CHUNK]; } buffer;
        if (r->integer) {
            whole_ramp(buffer.i, n, (uint64_t)r->istart + (uint64_t)begin * istep, istep);
        } else if (r->single) {
            float start = (float)r->start, step = (float)r->step;
            for (int64_t i = 0; i < n; i++) buffer.f[i] = start + (float)(begin + i) * step;
        } else {
            for (int64_t i = 0; i < n; i++) buffer.d[i] = r->start + (double)(begin + i) * r->step;
            for (int64_t i = 0; i < n && cpi_is_int(r->type); i++) buffer.d[i] = floor(buffer.d[i]);
        }
        cp_type from = r->integer ? CP_INT64 : r->single ? CP_FLOAT32 : CP_FLOAT64;
        set->convert[from][r->type](r->out + begin * size, &buffer, n);
    }
}

static void ramp_run(ramp_job *r)
{
    int64_t tasks = cpi_cut(r->n, 1 << 15, &r->each);
    cpi_parallel(tasks, ramp_task, r);
}

cp_code cpi_move_cpu_ramp(cp_stream *stream, void *out, cp_type type, int64_t n, double start, double step, double stop,
                    bool use_stop)
{
    (void)stream;
    if (!n) return CP_OK;
    ramp_run(&(ramp_job){.out = out, .type = type, .n = n, .start = start, .step = step});
    if (cpi_is_int(type)) stop = floor(stop);
    if (use_stop) cpi_convert_value(CP_FLOAT64, &stop, type, (char *)out + (n - 1) * cpi_itemsize(type));
    return CP_OK;
}

cp_code cpi_move_cpu_ramp_int(cp_stream *stream, void *out, cp_type type, int64_t n, int64_t start, int64_t step)
{
    (void)stream;
    if (n) ramp_run(&(ramp_job){.out = out, .type = type, .n = n, .istart = start, .istep = step, .integer = true});
    return CP_OK;
}

cp_code cpi_move_cpu_ramp_on(cp_stream *stream, void *out, cp_type type, int64_t n, double first, double second)
{
    (void)stream;
    if (!n) return CP_OK;
    bool single = type != CP_FLOAT64;
    double step = single ? (float)second - (float)first : second - first;
    ramp_run(&(ramp_job){.out = out, .type = type, .n = n, .start = first, .step = step, .single = single});
    cpi_convert_value(CP_FLOAT64, &first, type, out); /* not NaN where the step is infinite */
    if (n > 1) cpi_convert_value(CP_FLOAT64, &second, type, (char *)out + cpi_itemsize(type));
    return CP_OK;
}
