/* Rows to rows of blocks and back, on the CPU. A task has some rows of blocks, a worker its own marks. */
#include "sparse/rows_cpu.h"

#define V uint8_t
#define MARKS
#define I int32_t
#define INDEX i32
#define SUFFIX m1_i32
#include "sparse/tiles.inc"
#define I int64_t
#define INDEX i64
#define SUFFIX m1_i64
#include "sparse/tiles.inc"
#undef MARKS
#undef V
#define V uint16_t
#define I int32_t
#define INDEX i32
#define SUFFIX m2_i32
#include "sparse/tiles.inc"
#define I int64_t
#define INDEX i64
#define SUFFIX m2_i64
#include "sparse/tiles.inc"
#undef V
#define V uint32_t
#define I int32_t
#define INDEX i32
#define SUFFIX m4_i32
#include "sparse/tiles.inc"
#define I int64_t
#define INDEX i64
#define SUFFIX m4_i64
#include "sparse/tiles.inc"
#undef V
#define V uint64_t
#define I int32_t
#define INDEX i32
#define SUFFIX m8_i32
#include "sparse/tiles.inc"
#define I int64_t
#define INDEX i64
#define SUFFIX m8_i64
#include "sparse/tiles.inc"
#undef V
#define V cpi_sparse_m16
#define I int32_t
#define INDEX i32
#define SUFFIX m16_i32
#include "sparse/tiles.inc"
#define I int64_t
#define INDEX i64
#define SUFFIX m16_i64
#include "sparse/tiles.inc"
#undef V

typedef void (*tiles_fn)(const cpi_sparse_tiles *t, int64_t begin, int64_t end, void *work);
static const tiles_fn fill_table[5][2] = {
    {fill_tiles_m1_i32, fill_tiles_m1_i64}, {fill_tiles_m2_i32, fill_tiles_m2_i64},
    {fill_tiles_m4_i32, fill_tiles_m4_i64}, {fill_tiles_m8_i32, fill_tiles_m8_i64},
    {fill_tiles_m16_i32, fill_tiles_m16_i64},
};
static const cpi_sparse_rows_fn untile_table[5][2] = {
    {untile_m1_i32, untile_m1_i64}, {untile_m2_i32, untile_m2_i64}, {untile_m4_i32, untile_m4_i64},
    {untile_m8_i32, untile_m8_i64}, {untile_m16_i32, untile_m16_i64},
};
static int size_row(cp_type t) { return __builtin_ctzll((uint64_t)cpi_itemsize(t)); }

typedef struct tiled {
    const cpi_sparse_tiles *t;
    tiles_fn rows;
    int64_t n, each, bytes; /* rows of blocks, of a task; of a worker's marks */
    char *work;
} tiled;

static void run_tiles(void *context, int64_t i, int worker)
{
    const tiled *w = context;
    const int64_t begin = i * w->each, end = begin + w->each < w->n ? begin + w->each : w->n;
    w->rows(w->t, begin, end, w->work + worker * w->bytes);
}
/* `lists`: of so many columns of blocks each a worker has as much room. */
static cp_code tile(cp_stream *stream, const cpi_sparse_tiles *t, tiles_fn rows, int lists)
{
    const int64_t marks = t->a.columns / t->width * (t->a.wide ? 8 : 4);
    tiled w = {.t = t, .rows = rows, .n = t->a.rows / t->height, .bytes = (lists * marks + 63) / 64 * 64};
    const int64_t tasks = cpi_cut(w.n, 16384 / ((cpi_sparse_mean(&t->a) + 1) * t->height) + 1, &w.each);
    const int workers = cpi_workers();
    w.work = cpi_work_alloc(stream, (size_t)workers * (size_t)w.bytes);
    if (!w.work) return cp_error();
    for (int k = 0; k < workers; k++) memset(w.work + k * w.bytes, 0, (size_t)marks);
    cpi_parallel(tasks, run_tiles, &w);
    cpi_work_free(stream, w.work);
    return CP_OK;
}
cp_code cpi_sparse_cpu_tile_count(cp_stream *stream, const cpi_sparse_tiles *t)
{
    return tile(stream, t, t->a.wide ? count_tiles_m1_i64 : count_tiles_m1_i32, 1);
}
cp_code cpi_sparse_cpu_tile_fill(cp_stream *stream, const cpi_sparse_tiles *t)
{
    const cp_code code = tile(stream, t, fill_table[size_row(t->a.type)][t->a.wide], 3);
    /* what follows on a queue, before anybody learns of the failure, must find indices within the matrix */
    if (code != CP_OK) memset(t->indices, 0, (size_t)t->ends[t->a.rows / t->height] * (t->a.wide ? 8 : 4));
    return code;
}
cp_code cpi_sparse_cpu_untile(cp_stream *stream, const cpi_sparse_tiles *t)
{
    (void)stream;
    const int64_t all = t->a.nnz * t->height * t->width;
    if (t->a.wide) ((int64_t *)t->indptr)[t->a.rows * t->height] = all;
    else ((int32_t *)t->indptr)[t->a.rows * t->height] = (int32_t)all;
    return cpi_sparse_run(t, t->a.rows, cpi_sparse_mean(&t->a) * t->height * t->width,
                          untile_table[size_row(t->a.type)][t->a.wide]);
}
