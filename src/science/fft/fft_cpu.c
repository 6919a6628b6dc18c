/* Transforms on the CPU: which slices are batched, by which algorithm, and how the work is divided among threads.
 *
 * One axis at a time; but the last axes of an array larger than caches are transformed together, block by block, while
 * a block is in the cache. Adjacent or short slices are transformed WIDTH at once, one in each SIMD lane. A long
 * contiguous slice is itself split (line.h): by one thread if there are many slices, by all threads if there are few.
 * Tasks follow from the sizes alone, so the bits do not depend on the number of threads. */
#include "fft/simd.h"

#include <stdlib.h>
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "fft/kept.h"
#include "loop/loop.h"

extern const cpi_fft_simd cpi_fft_simd_v2[2];
#if defined(__x86_64__)
extern const cpi_fft_simd cpi_fft_simd_v3[2], cpi_fft_simd_v4[2];
#endif

enum {
    TASK = 1 << 15,       /* elements that are worth a task */
    LINE_LEAST = 256,     /* contiguous slices of at least this length are split */
    LINE_ALONE = 256,     /* the same where there are too few slices for a vector */
    LINE_ODD = 1 << 12,   /* the same where the parts do not fill vectors */
    LINE_MOST = 1 << 15,  /* longer slices are always split: many at once do not fit the cache */
    LINE_SHARED = 1 << 17, /* from this length on all threads share one slice */
    FAR_BYTES = 1 << 20,
    STREAM_BYTES = 1 << 25, /* a result of so many is written with non-temporal stores, */
    STREAM_LINE = 1 << 13,  /* slices that are split, from so many on */
    BLOCK_BYTES = 1 << 19, /* of a block whose axes are transformed together */
    BLOCK_AXES = 4,        /* at most */
    BLOCKS_LEAST = 16,     /* fewer are not divided among threads */
    WIDE_BYTES = 1 << 18   /* of columns that are read together */
};

/* One axis and its slices. */
typedef struct job {
    const cpi_fft_call *call;
    cpi_fft_kind kind;                /* R2C and C2R on the first axis only */
    const cpi_fft_simd *simd;
    cpi_fft_plan *plan;
    int64_t item, real;               /* bytes of a complex number and of a real one */
    int64_t n, in_step, out_step;
    int64_t in_item, out_item;        /* bytes of an element, in and out */
    double scale;
    int ndim;
    int64_t shape[CP_MAXDIM], in_stride[CP_MAXDIM], out_stride[CP_MAXDIM]; /* the last: neighbours */
    const char *in;
    char *out;
    int64_t lines, runs, per_run;     /* groups of slices: per_run in each of `runs` runs of the last dimension */
    int64_t groups, each;             /* each: groups of a task */
    bool apart;                       /* slices of a group may be of different runs of the last dimension */
    bool line;                        /* slices are split */
    int wide;                         /* number of column groups that are read together */
    char *scratch;
    int64_t bytes;                    /* of scratch for a worker */
    bool far;                         /* the array is larger than caches */
    bool stream;                      /* so is the result, which no pass reads again */
} job;

static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* Work memory with space for alignment to 64 bytes; stream NULL: the call is not on a stream. */
static char *work_new(cp_stream *stream, int64_t bytes)
{
    return stream ? cpi_work_alloc(stream, (size_t)bytes + 64) : cpi_malloc((size_t)bytes + 64);
}

static void work_free(cp_stream *stream, char *memory)
{
    if (stream) cpi_work_free(stream, memory);
    else cpi_free_host(memory);
}

/* --- slices --- */

static void where(const job *j, int64_t one, const char **in, char **out)
{
    int64_t offset[2];
    cpi_offsets(j->ndim, j->shape, one, 2, (const int64_t *const[]){j->in_stride, j->out_stride}, offset);
    *in = j->in + offset[0];
    *out = j->out + offset[1];
}

/* Dimensions in the order of the output's memory; contiguous ones are merged. */
static void load_batch(job *j, const int64_t *shape, const int64_t *in, const int64_t *out, int ndim)
{
    j->lines = 1;
    for (int d = 0; d < ndim; d++) {
        j->shape[d] = shape[d], j->in_stride[d] = in[d], j->out_stride[d] = out[d];
        j->lines *= shape[d];
    }
    cpi_loop_axes axes = {ndim, 2, j->shape, (int64_t *const[]){j->out_stride, j->in_stride}, NULL};
    j->ndim = cpi_axes_coalesce(&axes, CPI_LOOP_ORDER);
}

/* Are p and all later elements aligned to cache lines? */
static bool on_lines(const char *p, int64_t step) { return (intptr_t)p % 64 == 0 && step % 64 == 0; }

static void group_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    const int width = j->simd->width;
    cpi_fft_group g = {.plan = j->plan, .sign = j->call ? j->call->sign : -1, .scale = j->scale, .in_step = j->in_step,
                       .out_step = j->out_step, .far = j->far, .scratch = j->scratch + worker * j->bytes};
    const int64_t end = (task + 1) * j->each < j->groups ? (task + 1) * j->each : j->groups;
    const int64_t run = j->lines / j->runs, in_step = j->ndim ? j->in_stride[j->ndim - 1] : 0;
    const int64_t out_step = j->ndim ? j->out_stride[j->ndim - 1] : 0;
    for (int64_t i = task * j->each; i < end; i++) {
        int64_t first = i % j->per_run * width, left = run - first;
        g.count = left < width ? (int)left : width;
        first += i / j->per_run * run;
        g.in_beside = g.out_beside = g.count == width;
        where(j, first, &g.in[0], &g.out[0]);
        for (int l = 1; l < width; l++) {
            const int64_t by = l < g.count ? l : 0;
            if (j->apart) where(j, first + by, &g.in[l], &g.out[l]);
            else g.in[l] = g.in[0] + by * in_step, g.out[l] = g.out[0] + by * out_step;
        }
        for (int l = 0; l < width; l++) {
            g.in_beside = g.in_beside && g.in[l] == g.in[0] + l * j->in_item;
            g.out_beside = g.out_beside && g.out[l] == g.out[0] + l * j->out_item;
        }
        g.stream = j->stream && (g.out_beside ? on_lines(g.out[0], j->out_step) : on_lines(g.out[0], out_step));
        for (int l = 1; l < width && j->apart; l++) g.stream = g.stream && on_lines(g.out[l], 0);
        if (j->wide > 1 && g.in_beside && g.out_beside) {
            const int64_t whole = (run - i % j->per_run * width) / width; /* groups of the run from here on */
            int wide = j->wide < whole ? j->wide : (int)whole;
            if (wide > end - i) wide = (int)(end - i);
            if (wide > 1) {
                j->simd->wide(&g, wide);
                i += wide - 1;
                continue;
            }
        }
        g.in_next = g.out_next = 0;
        if (j->far && i + 1 < end && (i + 1) % j->per_run) {
            const char *in;
            char *out;
            where(j, first + width, &in, &out);
            g.in_next = in - g.in[0], g.out_next = out - g.out[0];
        }
        (j->plan->cosine ? j->simd->cosine : j->simd->group)(&g);
    }
}

/* Divides the slices into groups; sets a worker's scratch size. */
static void cut_groups(job *j)
{
    const int width = j->simd->width;
    int64_t last = j->ndim ? j->shape[j->ndim - 1] : 1;
    j->runs = last >= width ? j->lines / last : 1;
    j->apart = last < width && j->ndim > 1;
    j->per_run = (j->lines / j->runs + width - 1) / width;
    j->groups = j->runs * j->per_run;
    j->each = TASK / (j->n * width);
    if (j->each < 1) j->each = 1;
    const bool alias = j->in_step % 4096 == 0 || j->out_step % 4096 == 0; /* rows map to the same cache sets */
    const bool fits = FFT_WIDE * j->n * width * j->item <= WIDE_BYTES;
    j->wide = 1;
    if (j->far && j->kind == CPI_FFT_C2C && !j->plan->cosine && fits &&
        (alias || j->plan->node->way == FFT_PASSES)) {
        j->wide = FFT_WIDE;
        j->each = round_up(j->each, j->wide);
    }
    j->bytes = round_up((j->plan->cosine ? j->simd->cosine_bytes : j->simd->group_bytes)(j->plan), 4096) + 64 * 17;
    if (j->wide > 1) j->bytes = round_up(j->simd->wide_bytes(j->plan, j->wide), 4096) + 64 * 17;
}

static cp_code run_groups(cp_stream *stream, job *j)
{
    cut_groups(j);
    int64_t tasks = (j->groups + j->each - 1) / j->each;
    int workers = tasks > 1 ? cpi_workers() : 1;
    char *memory = work_new(stream, j->bytes * workers);
    if (!memory) return CP_ERROR_MEMORY;
    j->scratch = (char *)round_up((int64_t)(intptr_t)memory, 64);
    if (tasks > 1) cpi_parallel(tasks, group_task, j);
    else group_task(j, 0, 0);
    work_free(stream, memory);
    return CP_OK;
}

/* --- long slices --- */

/* One contiguous transform of complex numbers. `memory` is for all of its work; `shared`: by all threads. */
typedef struct line_job {
    const cpi_fft_simd *simd;
    const cpi_fft_long *l;
    cpi_fft_segment s;
    int64_t each, groups, bytes;
    bool rows;
    char *scratch;
} line_job;

static int64_t line_bytes(const cpi_fft_simd *simd, const cpi_fft_long *l, int64_t item, int workers)
{
    if (!l->n1) return 2 * round_up(l->m->n * item, 64) + line_bytes(simd, l->m, item, workers);
    return round_up(simd->middle_bytes(l), 4096) + 64 + workers * (round_up(simd->segment_bytes(l), 4096) + 64 * 17);
}

static void line_task(void *context, int64_t task, int worker)
{
    const line_job *j = context;
    cpi_fft_segment s = j->s;
    s.first = task * j->each;
    s.end = s.first + j->each < j->groups ? s.first + j->each : j->groups;
    s.scratch = j->scratch + worker * j->bytes;
    (j->rows ? j->simd->rows : j->simd->columns)(&s);
}

/* `workers`: how many have scratch; 0: the calling thread alone. The number of threads may have increased since. */
static void run_stage(line_job *j, bool rows, int workers, const char *next)
{
    j->s.next = next;
    const int64_t width = j->simd->width, across = rows ? j->l->n1 : j->l->n2, along = rows ? j->l->n2 : j->l->n1;
    j->rows = rows;
    j->groups = (across + width - 1) / width;
    j->each = workers ? TASK / (along * width) : j->groups;
    if (j->each < 1) j->each = 1;
    int64_t tasks = (j->groups + j->each - 1) / j->each;
    if (workers && tasks > 1 && cpi_workers() <= workers) cpi_parallel(tasks, line_task, j);
    else for (int64_t t = 0; t < tasks; t++) line_task(j, t, 0);
}

typedef struct multiply_job {
    const cpi_fft_simd *simd;
    void *to;
    const void *a, *b;
    int64_t n, end;
    bool before, behind;
    double scale;
} multiply_job;

static void multiply_task(void *context, int64_t task, int worker)
{
    const multiply_job *j = context;
    (void)worker;
    int64_t first = task * TASK, end = first + TASK < j->end ? first + TASK : j->end;
    j->simd->multiply(j->to, j->a, j->b, j->n, first, end, j->before, j->behind, j->scale);
}

static void multiply(const multiply_job *m, bool shared)
{
    multiply_job j = *m;
    int64_t tasks = (j.end + TASK - 1) / TASK;
    if (shared && tasks > 1) cpi_parallel(tasks, multiply_task, &j);
    else for (int64_t t = 0; t < tasks; t++) multiply_task(&j, t, 0);
}

static void run_line(const cpi_fft_simd *simd, const cpi_fft_long *l, const char *in, char *out, int64_t item,
                     bool swap, double scale, char *memory, int workers, const char *const *next, bool stream)
{
    memory = (char *)round_up((int64_t)(intptr_t)memory, 64);
    if (l->n1) {
        line_job j = {.simd = simd, .l = l};
        j.s = (cpi_fft_segment){.l = l, .in = in, .middle = memory, .out = out, .swap = swap, .scale = scale,
                                .far = l->n * item > FAR_BYTES};
        j.s.stream = stream && l->n * item >= STREAM_LINE && on_lines(out, l->n1 * item);
        j.scratch = memory + round_up(simd->middle_bytes(l), 4096);
        j.bytes = round_up(simd->segment_bytes(l), 4096) + 64 * 17;
        run_stage(&j, false, workers, next ? next[0] : NULL);
        run_stage(&j, true, workers, next && !j.s.stream ? next[1] : NULL);
        return;
    }
    const int64_t m = l->m->n;
    char *x = memory, *y = x + round_up(m * item, 64);
    memory = y + round_up(m * item, 64);
    multiply(&(multiply_job){simd, x, in, l->chirp, l->n, m, swap, false, 1}, workers > 0);
    run_line(simd, l->m, x, y, item, false, 1, memory, workers, NULL, false);
    multiply(&(multiply_job){simd, y, y, l->kernel, m, m, false, false, 1}, workers > 0);
    run_line(simd, l->m, y, x, item, true, 1, memory, workers, NULL, false);
    multiply(&(multiply_job){simd, out, x, l->chirp, l->n, l->n, false, swap, scale}, workers > 0);
}

typedef struct half_job {
    const cpi_fft_simd *simd;
    void *to;
    const void *x, *half;
    int64_t h;
    int sign;
    bool after;
} half_job;

static void half_task(void *context, int64_t task, int worker)
{
    const half_job *j = context;
    (void)worker;
    int64_t first = task * TASK, end = first + TASK < j->h / 2 + 1 ? first + TASK : j->h / 2 + 1;
    if (j->after) j->simd->after_real(j->to, j->half, j->h, first, end, j->sign);
    else j->simd->before_real(j->to, j->x, j->half, j->h, first, end, j->sign);
}

static void run_half(half_job j, bool shared)
{
    int64_t tasks = (j.h / 2 + TASK) / TASK;
    if (shared && tasks > 1) cpi_parallel(tasks, half_task, &j);
    else for (int64_t t = 0; t < tasks; t++) half_task(&j, t, 0);
}

/* Copies elements between a slice and contiguous memory. */
static void gather_slice(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t item)
{
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, (size_t)item);
}

/* A real slice of odd length is computed as a complex one: the other parts are 0, or conjugates. */
static void spread_real(const job *j, const char *in, char *to)
{
    memset(to, 0, (size_t)(j->n * j->item));
    gather_slice(to, j->item, in, j->in_step, j->n, j->real);
}

static void spread_half(const job *j, const char *in, char *to)
{
    const int64_t n = j->n;
    for (int64_t k = 0; k <= n / 2; k++) {
        const void *x = in + k * j->in_step;
        double re = j->call->single ? ((const float *)x)[0] : ((const double *)x)[0];
        double im = j->call->single ? ((const float *)x)[1] : ((const double *)x)[1];
        if (j->call->sign < 0) im = -im;
        if (!k) im = 0;
        for (int back = 0; back < (k ? 2 : 1); back++, im = -im) {
            char *p = to + (back ? n - k : k) * j->item;
            if (j->call->single) ((float *)p)[0] = (float)re, ((float *)p)[1] = (float)im;
            else ((double *)p)[0] = re, ((double *)p)[1] = im;
        }
    }
}

/* x conjugated in place. */
static void conjugate(char *x, int64_t n, bool single)
{
    for (int64_t k = 0; k < n; k++)
        if (single) ((float *)x)[2 * k + 1] = -((float *)x)[2 * k + 1];
        else ((double *)x)[2 * k + 1] = -((double *)x)[2 * k + 1];
}

/* One slice; memory: buffers for the input slice, for the output slice, and for the long transform. */
static void run_slice(const job *j, const char *in, char *out, char *memory, int workers,
                      const char *const *next)
{
    const cpi_fft_call *c = j->call;
    const cpi_fft_plan *p = j->plan;
    const int64_t h = j->n / 2, n_in = j->kind == CPI_FFT_C2R ? h + 1 : j->n,
                  n_out = j->kind == CPI_FFT_R2C ? h + 1 : j->n;
    char *a = (char *)round_up((int64_t)(intptr_t)memory, 64), *b = a + round_up((j->n + 2) * j->item, 64);
    const bool halved = p->inner != j->n;
    memory = b + round_up((j->n + 2) * j->item, 64);
    char *to = j->out_step == j->out_item && (halved || j->kind == CPI_FFT_C2C) ? out : b;
    const char *from = in;
    if (!halved && j->kind != CPI_FFT_C2C) {
        (j->kind == CPI_FFT_R2C ? spread_real : spread_half)(j, in, a);
        from = a;
    } else if (j->in_step != j->in_item) {
        gather_slice(a, j->in_item, in, j->in_step, n_in, j->in_item);
        from = a;
    }
    bool swap = j->kind == CPI_FFT_C2C ? c->sign > 0 : j->kind == CPI_FFT_C2R;
    if (halved && j->kind == CPI_FFT_C2R) {
        char *z = from == a ? b : a;
        run_half((half_job){j->simd, z, from, p->half, h, c->sign, false}, workers > 0);
        from = z;
    }
    run_line(j->simd, p->line, from, to, j->item, swap, j->scale, memory, workers, next,
             j->stream && to == out && j->kind != CPI_FFT_R2C);
    if (halved && j->kind == CPI_FFT_R2C)
        run_half((half_job){j->simd, to, NULL, p->half, h, c->sign, true}, workers > 0);
    if (!halved && j->kind == CPI_FFT_R2C && c->sign > 0) conjugate(to, n_out, c->single);
    if (to == out) return;
    bool spread = j->kind == CPI_FFT_C2R && !halved; /* the real parts of complex results */
    gather_slice(out, j->out_step, to, spread ? j->item : j->out_item, n_out, j->out_item);
}

static void slice_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    int64_t end = (task + 1) * j->each < j->lines ? (task + 1) * j->each : j->lines;
    for (int64_t i = task * j->each; i < end; i++) {
        const char *in, *next[2];
        char *out;
        where(j, i, &in, &out);
        const bool follows = j->far && i + 1 < end && j->n * j->item <= FAR_BYTES;
        if (follows) where(j, i + 1, &next[0], (char **)&next[1]);
        run_slice(j, in, out, j->scratch + worker * j->bytes, 0, follows ? next : NULL);
    }
}

/* Sets the number of slices of a task and its memory; `share` threads work on one. */
static void split_batch(job *j, int share)
{
    j->each = TASK / j->n > 1 ? TASK / j->n : 1;
    j->bytes = round_up(line_bytes(j->simd, j->plan->line, j->item, share) +
                        2 * round_up((j->n + 2) * j->item, 64) + 192, 4096) + 64 * 17;
}

static cp_code run_batch(cp_stream *stream, job *j)
{
    const bool shared = j->n >= LINE_SHARED;
    const int share = shared ? cpi_workers() : 1;
    split_batch(j, share);
    int64_t tasks = (j->lines + j->each - 1) / j->each;
    int workers = !shared && tasks > 1 ? cpi_workers() : 1;
    char *memory = work_new(stream, j->bytes * workers);
    if (!memory) return CP_ERROR_MEMORY;
    j->scratch = memory;
    if (shared) {
        for (int64_t i = 0; i < j->lines; i++) {
            const char *in;
            char *out;
            where(j, i, &in, &out);
            run_slice(j, in, out, memory, share, NULL);
        }
    } else if (tasks > 1) cpi_parallel(tasks, slice_task, j);
    else slice_task(j, 0, 0);
    work_free(stream, memory);
    return CP_OK;
}

/* --- axes --- */

/* Length of the result along one of the call's axes; for C2R the length of the half that is read. */
static int64_t extent_of(const cpi_fft_call *c, int i)
{
    return c->kind == CPI_FFT_R2C && i == c->rank - 1 ? c->n[i] / 2 + 1 : c->n[i];
}

static bool as_line(const job *j)
{
    const int64_t inner = j->kind != CPI_FFT_C2C && j->n % 2 == 0 ? j->n / 2 : j->n;
    const bool in_row = j->in_step == j->in_item && j->out_step == j->out_item;
    if (inner > LINE_MOST) return true;
    if (j->lines * 2 < j->simd->width) return inner >= LINE_ALONE;
    const bool fits = inner % (j->simd->width * j->simd->width) == 0;
    return in_row && inner >= (fits ? LINE_LEAST : LINE_ODD);
}

/* Describes axis `which` of the call, between memory of different strides. The slices are those of the axes from `from`
 * on (with `all`: of all others and of the dimensions that are not transformed). The caller releases the plan. */
static cp_code describe(job *j, const cpi_fft_call *c, int which, int from, bool all)
{
    const bool first = which == c->rank - 1;
    const cpi_fft_kind kind = first ? c->kind : CPI_FFT_C2C;
    int64_t shape[CP_MAXDIM], in[CP_MAXDIM], out[CP_MAXDIM];
    int ndim = 0;
    *j = (job){.call = c, .kind = kind, .n = c->n[which], .scale = which ? 1 : c->scale};
    j->simd = &(*CPI_BEST(cpi_fft_simd))[c->single];
    j->real = c->single ? 4 : 8;
    j->item = 2 * j->real;
    j->in_item = kind == CPI_FFT_R2C ? j->real : j->item;
    j->out_item = kind == CPI_FFT_C2R ? j->real : j->item;
    j->in = first ? c->in : c->out;
    j->out = c->out;
    j->in_step = first ? c->in_step[which] : c->out_step[which];
    j->out_step = c->out_step[which];
    for (int i = 0; all && i < c->ndim; i++, ndim++) {
        shape[ndim] = c->shape[i];
        in[ndim] = first ? c->in_stride[i] : c->out_stride[i];
        out[ndim] = c->out_stride[i];
    }
    for (int i = all ? 0 : from; i < c->rank; i++) {
        if (i == which) continue;
        shape[ndim] = extent_of(c, i);
        in[ndim] = first ? c->in_step[i] : c->out_step[i];
        out[ndim++] = c->out_step[i];
    }
    load_batch(j, shape, in, out, ndim);
    j->far = j->n * j->lines * j->item > FAR_BYTES;
    j->stream = j->n * j->lines * j->out_item >= STREAM_BYTES && which == 0 && j->in != j->out;
    j->line = as_line(j);
    j->plan = cpi_fft_plan_get(c->function, kind, j->n, c->single, j->line, 0);
    if (!j->plan) return cp_error() ? cp_error() : CP_ERROR_MEMORY;
    return CP_OK;
}

static cp_code one_axis(cp_stream *stream, const cpi_fft_call *c, int which)
{
    job j;
    cp_code code = describe(&j, c, which, 0, true);
    if (!code) code = (j.line ? run_batch : run_groups)(stream, &j);
    cpi_fft_plan_put(j.plan);
    return code;
}

/* --- blocks: the last axes of a call together --- */

typedef struct blocks_job {
    const job *axes; /* of a block, the last axis first */
    int n;
    job where;       /* the blocks are its slices */
    char *scratch;
    int64_t bytes;
} blocks_job;

static void blocks_task(void *context, int64_t task, int worker)
{
    const blocks_job *b = context;
    const int64_t end = (task + 1) * b->where.each < b->where.lines ? (task + 1) * b->where.each : b->where.lines;
    job j[BLOCK_AXES];
    memcpy(j, b->axes, (size_t)b->n * sizeof *j);
    for (int a = 0; a < b->n; a++) {
        j[a].scratch = b->scratch + worker * b->bytes;
        j[a].bytes = 0; /* there is one worker */
        j[a].each = j[a].line ? j[a].lines : j[a].groups;
    }
    for (int64_t i = task * b->where.each; i < end; i++) {
        const char *in;
        char *out;
        where(&b->where, i, &in, &out);
        for (int a = 0; a < b->n; a++) {
            j[a].in = a ? out : in, j[a].out = out;
            (j[a].line ? slice_task : group_task)(&j[a], 0, 0);
        }
    }
}

/* How many of the call's last axes form blocks that are transformed together; else 1. A block is dense, so it fits the
 * cache as a whole, and has enough slices to fill vectors. */
static int axes_of_block(const cpi_fft_call *c)
{
    const int64_t item = c->single ? 8 : 16, width = (*CPI_BEST(cpi_fft_simd))[c->single].width;
    const int64_t in_item = c->kind == CPI_FFT_R2C ? item / 2 : item;
    int64_t all = item, dense = item, dense_in = in_item, most = 1;
    int n = 0;
    for (int i = 0; i < c->ndim; i++) all *= c->shape[i]; /* an array's bytes are int64 */
    for (int i = 0; i < c->rank; i++) all *= extent_of(c, i);
    if (all <= FAR_BYTES || c->rank < 2) return 1;
    for (int i = c->rank - 1; i >= 0 && n < BLOCK_AXES; i--) {
        const int64_t extent = extent_of(c, i);
        if (c->out_step[i] < dense || c->out_step[i] > dense + dense / 4 || c->in_step[i] < dense_in ||
            c->in_step[i] > dense_in + dense_in / 4)
            break;
        if (c->out_step[i] > BLOCK_BYTES / extent) break;
        dense = c->out_step[i] * extent, dense_in = c->in_step[i] * c->n[i];
        most = extent > most ? extent : most;
        if (n && dense / item / most < 2 * width) break;
        n++;
    }
    return n < 2 || all / dense < BLOCKS_LEAST ? 1 : n;
}

static cp_code run_blocks(cp_stream *stream, const cpi_fft_call *c, int n)
{
    job axes[BLOCK_AXES];
    blocks_job b = {.axes = axes, .n = n};
    int64_t shape[CP_MAXDIM], in[CP_MAXDIM], out[CP_MAXDIM], elements = 1;
    int ndim = 0, made = 0;
    cp_code code = CP_OK;
    for (; made < n && !code; made++) {
        job *j = &axes[made];
        code = describe(j, c, c->rank - 1 - made, c->rank - n, false);
        if (code) break;
        j->far = !made;
        j->stream = false;
        if (j->line) split_batch(j, 1);
        else cut_groups(j);
        if (j->bytes > b.bytes) b.bytes = j->bytes;
    }
    for (int i = 0; i < c->ndim; i++, ndim++)
        shape[ndim] = c->shape[i], in[ndim] = c->in_stride[i], out[ndim] = c->out_stride[i];
    for (int i = 0; i < c->rank - n; i++, ndim++)
        shape[ndim] = c->n[i], in[ndim] = c->in_step[i], out[ndim] = c->out_step[i];
    for (int i = c->rank - n; i < c->rank; i++) elements *= c->n[i];
    b.where = (job){.in = c->in, .out = c->out, .each = elements < TASK ? TASK / elements : 1};
    load_batch(&b.where, shape, in, out, ndim);
    char *memory = code ? NULL : work_new(stream, b.bytes * cpi_workers());
    if (!code && !memory) code = CP_ERROR_MEMORY;
    if (!code) {
        b.scratch = (char *)round_up((int64_t)(intptr_t)memory, 64);
        cpi_parallel((b.where.lines + b.where.each - 1) / b.where.each, blocks_task, &b);
        work_free(stream, memory);
    }
    for (int i = 0; i < made; i++) cpi_fft_plan_put(axes[i].plan);
    return code;
}

cp_code cpi_fft_cpu_transform(cp_stream *stream, const cpi_fft_call *c)
{
    const int together = axes_of_block(c);
    cp_code code = together > 1 ? run_blocks(stream, c, together) : CP_OK;
    for (int i = c->rank - 1 - (together > 1 ? together : 0); i >= 0 && !code; i--) code = one_axis(stream, c, i);
    return code;
}

/* --- cosine transforms --- */

/* Some long slices: the Fourier transforms' input is made here, transformed as a batch, and weighted. */
typedef struct cosine_job {
    const job *j;
    char *before, *after;        /* a slice's numbers begin at multiples of */
    int64_t in_bytes, out_bytes; /* these */
    int64_t first, segments;     /* segments: tasks of one slice */
    bool behind;
} cosine_job;

static void cosine_task(void *context, int64_t task, int worker)
{
    const cosine_job *c = context;
    const job *j = c->j;
    const int64_t one = task / c->segments, part = task % c->segments;
    const int64_t n = c->behind ? j->n : j->plan->cosine->taken;
    const int64_t end = (part + 1) * TASK < n ? (part + 1) * TASK : n;
    const char *in;
    char *out;
    (void)worker;
    where(j, c->first + one, &in, &out);
    if (c->behind) j->simd->cosine_after(j->plan, c->after + one * c->out_bytes, out, j->out_step, part * TASK, end);
    else j->simd->cosine_before(j->plan, in, j->in_step, c->before + one * c->in_bytes, part * TASK, end);
}

static void cosine_side(cosine_job *c, bool behind, int64_t lines)
{
    const int64_t n = behind ? c->j->n : c->j->plan->cosine->taken;
    c->behind = behind;
    c->segments = (n + TASK - 1) / TASK;
    if (lines * n > TASK) cpi_parallel(lines * c->segments, cosine_task, c);
    else for (int64_t t = 0; t < lines * c->segments; t++) cosine_task(c, t, 0);
}

static cp_code cosine_batch(cp_stream *stream, const char *function, const job *j)
{
    const cpi_fft_plan *p = j->plan;
    const int64_t half = p->n / 2 + 1;
    cosine_job c = {.j = j};
    c.in_bytes = p->kind == CPI_FFT_R2C ? p->n * j->real : p->kind == CPI_FFT_C2R ? half * j->item : p->n * j->item;
    c.out_bytes = p->kind == CPI_FFT_C2R ? p->n * j->real : p->kind == CPI_FFT_R2C ? half * j->item : p->n * j->item;
    int64_t some = (8 << 20) / (c.in_bytes + c.out_bytes) + 1;
    if (some > j->lines) some = j->lines;
    char *memory = cpi_work_alloc(stream, (size_t)(some * (c.in_bytes + c.out_bytes) + 128));
    if (!memory) return CP_ERROR_MEMORY;
    c.before = (char *)round_up((int64_t)(intptr_t)memory, 64);
    c.after = (char *)round_up((int64_t)(intptr_t)c.before + some * c.in_bytes, 64);
    cpi_fft_call call = {.function = function, .kind = p->kind, .single = j->real == 4,
                         .sign = p->kind == CPI_FFT_C2R ? 1 : -1, .scale = j->scale, .rank = 1, .n = {p->n},
                         .in_step = {p->kind == CPI_FFT_R2C ? j->real : j->item},
                         .out_step = {p->kind == CPI_FFT_C2R ? j->real : j->item}, .ndim = 1,
                         .in_stride = {c.in_bytes}, .out_stride = {c.out_bytes}, .in = c.before, .out = c.after};
    cp_code code = CP_OK;
    for (; c.first < j->lines && !code; c.first += some) {
        const int64_t lines = call.shape[0] = j->lines - c.first < some ? j->lines - c.first : some;
        cosine_side(&c, false, lines);
        code = cpi_fft_cpu_transform(stream, &call);
        if (!code) cosine_side(&c, true, lines);
    }
    cpi_work_free(stream, memory);
    return code;
}

cp_code cpi_fft_cpu_cosine(cp_stream *stream, const cpi_cosine_call *c)
{
    const int name = cpi_fft_cosine_code(c->type, c->sine, c->orthogonal);
    job j = {.n = c->n, .scale = c->scale, .in = c->in, .out = c->out, .in_step = c->in_step, .out_step = c->out_step};
    int64_t length;
    j.simd = &(*CPI_BEST(cpi_fft_simd))[c->single];
    j.real = j.in_item = j.out_item = c->single ? 4 : 8;
    j.item = 2 * j.real;
    load_batch(&j, c->shape, c->in_stride, c->out_stride, c->ndim);
    j.kind = cpi_fft_cosine_kind(name, c->n, &length);
    const bool line = length > LINE_MOST || (j.lines * 2 < j.simd->width && length >= LINE_ALONE);
    j.plan = cpi_fft_plan_get(c->function, j.kind, length, c->single, line, name);
    if (!j.plan) return cp_error() ? cp_error() : CP_ERROR_MEMORY;
    cp_code code = line ? cosine_batch(stream, c->function, &j) : run_groups(stream, &j);
    cpi_fft_plan_put(j.plan);
    return code;
}

cp_code cpi_fft_on_cpu(const cpi_fft_call *call) { return cpi_fft_cpu_transform(NULL, call); }

cp_code cpi_fft_cpu_cache(cp_stream *stream, int64_t most_plans, int64_t most_bytes, bool clear, cpi_fft_cache *now)
{
    (void)stream;
    cpi_fft_cache_of_cpu(most_plans, most_bytes, clear, now);
    return CP_OK;
}
