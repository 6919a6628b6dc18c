/* Windows along one axis on the CPU.
 *
 * A task gathers a block: some positions of some lines, with what lies before and behind them, as work elements. Lines
 * that lie side by side (inner > 1) stay so, so a position's neighbour along the axis is `lanes` elements away, and
 * short lines follow one another; either way the loops of filters_simd.c run over the whole block as one. Blocks depend
 * on the sizes of the problem alone. */
#include <string.h>

#include "backend/device.h"
#include "cpu/ending.h"
#include "cpu/threads.h"
#include "filters/cpu.h"
#include "scalar/convert.h"
#include "core/type_traits.h"

enum { BLOCK_BYTES = 1 << 16, LANE_BYTES = 1024 };

typedef struct blocks {
    const cpi_line_filter *f;
    const cpi_filters_simd *simd;
    cpi_filter_keys keys;
    bool number;                        /* work elements are float64: sums */
    int64_t item, from_item, to_item;   /* bytes */
    int64_t lanes, positions, lines;    /* of a block */
    int64_t lane_blocks, position_blocks, line_blocks;
    int64_t bytes;                      /* of a worker's input, with slack; the output behind it needs no more */
    char *space;
    unsigned char fill[8];
    cpi_ending ending;
} blocks;

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t parts(int64_t n, int64_t each) { return (n - 1) / each + 1; }

/* Elements as work elements, and back. */
static void read_run(const blocks *b, char *to, const char *from, int64_t n)
{
    if (b->number) b->simd->load(b->f->from, (double *)to, from, n);
    else b->simd->encode(&b->keys, to, from, n);
}
static void write_run(const blocks *b, char *to, const char *from, int64_t n)
{
    if (b->number) b->simd->store(b->f->to, to, (const double *)from, n);
    else b->simd->decode(&b->keys, to, from, n);
}

/* The window's surroundings of positions first to first + m - 1 of one line; `line`: its element 0, lane 0. */
static void gather(const blocks *b, char *to, const char *line, int64_t first, int64_t m, int64_t lanes)
{
    const cpi_line_filter *f = b->f;
    const int64_t pitch = lanes * b->item, row = f->inner * b->from_item;
    int64_t low = first < 0 ? 0 : first, high = at_most(first + m, f->n);
    if (low >= high) low = high = first;
    if (lanes == f->inner) {
        if (high > low) read_run(b, to + (low - first) * pitch, line + low * row, (high - low) * lanes);
    } else {
        for (int64_t i = low; i < high; i++) read_run(b, to + (i - first) * pitch, line + i * row, lanes);
    }
    for (int64_t k = 0; k < m; k++) {
        if (first + k == low) k += high - low;
        if (k >= m) break;
        const int64_t i = cpi_boundary_index(first + k, f->n, f->boundary);
        char *at = to + k * pitch;
        if (i >= low && i < high) memcpy(at, to + (i - first) * pitch, (size_t)pitch);
        else if (i >= 0) read_run(b, at, line + i * row, lanes);
        else for (int64_t j = 0; j < lanes; j++) memcpy(at + j * b->item, b->fill, (size_t)b->item);
    }
}

static void compute(const blocks *b, char *to, char *in, int64_t n, int64_t step)
{
    const cpi_line_filter *f = b->f;
    if (f->op == CPI_LINE_CORRELATE)
        b->simd->correlate((double *)to, (const double *)in, n, step, f->weights, f->size);
    else if (f->op == CPI_LINE_MEAN) b->simd->mean((double *)to, (double *)in, n, step, f->size);
    else b->simd->extreme_line[b->keys.work](to, in, n, step, f->size, f->op == CPI_LINE_MAXIMUM);
}

static void run_block(void *context, int64_t task, int worker)
{
    blocks *b = context;
    const cpi_line_filter *f = b->f;
    if (cpi_lookout_ends(&(cpi_lookout){&b->ending, worker})) return;
    const int64_t lane = task % b->lane_blocks * b->lanes, rest = task / b->lane_blocks;
    const int64_t first = rest % b->position_blocks * b->positions, line = rest / b->position_blocks * b->lines;
    const int64_t lanes = at_most(b->lanes, f->inner - lane), n = at_most(b->positions, f->n - first);
    const int64_t lines = at_most(b->lines, f->outer - line), m = n + f->size - 1;
    char *in = b->space + 2 * worker * b->bytes, *to = in + b->bytes;
    for (int64_t l = 0; l < lines; l++)
        gather(b, in + l * m * lanes * b->item,
               (const char *)f->in + ((line + l) * f->n * f->inner + lane) * b->from_item, first - f->before, m, lanes);
    compute(b, to, in, ((lines - 1) * m + n) * lanes, lanes);
    for (int64_t l = 0; l < lines; l++) {
        const char *from = to + l * m * lanes * b->item;
        char *out = (char *)f->out + (((line + l) * f->n + first) * f->inner + lane) * b->to_item;
        if (lanes == f->inner) write_run(b, out, from, n * lanes);
        else for (int64_t i = 0; i < n; i++)
            write_run(b, out + i * f->inner * b->to_item, from + i * lanes * b->item, lanes);
    }
}

/* The sizes of blocks: at least as many positions as the window has, where there are so many. */
static cp_code cut(blocks *b)
{
    const cpi_line_filter *f = b->f;
    b->lanes = at_most(f->inner, LANE_BYTES / b->item);
    const int64_t most = BLOCK_BYTES / b->item / b->lanes, wanted = f->size > most / 2 ? f->size : most - f->size + 1;
    b->positions = at_most(wanted, f->n);
    b->lines = 1;
    if (b->positions == f->n && b->lanes == f->inner && f->size < most)
        b->lines = at_most(f->outer, 1 + most / (f->n + f->size - 1));
    b->lane_blocks = parts(f->inner, b->lanes);
    b->position_blocks = parts(f->n, b->positions);
    b->line_blocks = parts(f->outer, b->lines);
    int64_t elements;
    if (__builtin_add_overflow(b->positions, f->size, &elements) ||
        __builtin_mul_overflow(elements, b->lines * b->lanes * b->item, &elements) || elements > INT64_MAX / 4096)
        return cpi_fail(CP_ERROR_MEMORY, "filter: the window is too large");
    b->bytes = (elements + CPI_FILTER_SLACK + 63) / 64 * 64;
    return CP_OK;
}

cp_code cpi_filters_cpu_line(cp_stream *stream, const cpi_line_filter *f)
{
    blocks b = {.f = f, .simd = cpi_filters_best()};
    b.number = f->op == CPI_LINE_CORRELATE || f->op == CPI_LINE_MEAN;
    b.from_item = cpi_itemsize(f->from), b.to_item = cpi_itemsize(f->to);
    if (b.number) {
        b.item = 8;
        memcpy(b.fill, &f->fill, 8);
    } else {
        unsigned char value[16];
        b.keys = cpi_filter_keys_of(f->from, f->op == CPI_LINE_MINIMUM, false);
        b.item = cpi_filter_work_bytes(b.keys.work);
        cpi_convert_value(CP_FLOAT64, &f->fill, f->from, value);
        b.simd->encode(&b.keys, b.fill, value, 1);
    }
    if (cut(&b)) return cp_error();
    const int64_t tasks = b.lane_blocks * b.position_blocks * b.line_blocks, workers = tasks > 1 ? cpi_workers() : 1;
    if (!(b.space = cpi_work_alloc(stream, (size_t)(2 * workers * b.bytes)))) return cp_error();
    cpi_parallel(tasks, run_block, &b);
    cpi_work_free(stream, b.space);
    return cpi_ending_code(&b.ending);
}
